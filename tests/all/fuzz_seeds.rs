//! The seeds of the fuzz targets, and every scenario file of the repository, through what the targets run. `tests/fuzz/run` goes on from there.

#[path = "../fuzz/src/lib.rs"]
pub mod targets;

use std::fs;
use std::path::Path;

fn each(folder: &str, target: fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.is_file()).collect();
    for file in &files {
        target(&fs::read(file).unwrap());
    }
    files.len()
}

#[test]
fn no_seed_stops_a_target() {
    assert!(each("tests/fuzz/seeds/key", targets::key) >= 4);
    assert!(each("tests/fuzz/seeds/splits", targets::splits) >= 4);
    assert!(each("tests/fuzz/seeds/scenario", targets::scenario) >= 1);
    assert!(each("tests/invalid", targets::scenario) > 100);
}
