//! The pictures of the README are what the shipped scenarios give.
//!
//! `SNAPSHOTS=overwrite cargo test --release --test all gallery` draws them anew.

use keyheat::experiment::Experiment;
use keyheat::report::Report;
use keyheat::scenario::{Options, Scenario};
use std::fs;
use std::path::Path;

/// A scenario, and its charts in the gallery.
const PICTURES: [(&str, &[&str]); 4] = [
    ("bucket-sweep", &["sweep"]),
    ("five-keys", &["key-map-monotonic", "server-load"]),
    ("random-salts", &["trade-off"]),
    ("time-split-table", &["key-map-rising"]),
];

/// Width, height and the bytes of all pixels.
fn pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(frame.buffer_size());
    (frame.width, frame.height, bytes)
}

/// Vector units of other machines may round a blend of two colours the other way.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (pixels(one), pixels(other));
    (one.0, one.1, one.2.len()) == (other.0, other.1, other.2.len())
        && one.2.iter().zip(&other.2).all(|(a, b)| a.abs_diff(*b) <= 1)
}

#[test]
fn the_gallery_is_what_the_scenarios_give() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite");
    let mut old = Vec::new();
    let mut known = 0;
    for (name, charts) in PICTURES {
        let file = root.join(format!("scenarios/{name}.toml"));
        let scenario = Scenario::load_with(&file, &Options::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let results = Experiment::new(&scenario).run(|_| {});
        let folder = tempfile::tempdir().unwrap();
        Report::new(&results).write_pictures(folder.path()).unwrap();
        for chart in charts {
            known += 1;
            let fresh = fs::read(folder.path().join(format!("charts/{chart}.png"))).unwrap();
            let kept = root.join(format!("output/gallery/{chart}.png"));
            if overwrite {
                fs::write(&kept, fresh).unwrap();
            } else if !is_same(&fresh, &fs::read(&kept).unwrap()) {
                old.push(*chart);
            }
        }
    }
    assert!(
        old.is_empty(),
        "{old:?}: `SNAPSHOTS=overwrite cargo test --release --test all gallery` draws them anew"
    );
    let kept = fs::read_dir(root.join("output/gallery")).unwrap().count();
    assert_eq!(
        kept, known,
        "a picture in the gallery that no scenario gives"
    );
}
