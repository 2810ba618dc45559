//! Three small runs whose every artefact is known: `results.json`, summaries, series, charts and page. What moves a byte of them is seen here first,
//! and it has to be the same byte in a debug build and in a release build: `cargo test --test all golden_runs` asks the one, with `--release` the other.
//!
//! `SNAPSHOTS=overwrite cargo test --release --test all golden_runs` writes `data/golden_runs.txt` anew: read the scorecards in it, they say what moved.

use crate::folder_files::files_below;
use keyheat::experiment::Experiment;
use keyheat::report::{Format, ImageKind, Report, Style};
use keyheat::scenario::{Options, Scenario};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

/// Shipped scenarios, their replicates, and what makes them small: a hotspot and its cures in an open loop, reads of a table that was
/// there before, and a living cluster of splits and moves.
const RUNS: [(&str, u32, &[&str]); 3] = [
    (
        "five-keys",
        5,
        &[
            "time.duration=2s",
            "time.warmup=500ms",
            "write.points.rate=40k/s",
        ],
    ),
    // Two replicates show a mean within its bounds when it is one of some thousand reads.
    (
        "random-salts",
        2,
        &[
            "time.duration=2s",
            "time.warmup=500ms",
            "time.sample=250ms",
            "read.newest.rate=2k/s",
        ],
    ),
    ("first-region", 2, &["time.duration=5s"]),
];

const STYLE: Style = Style {
    width: 100,
    ascii: false,
    colour: false,
};

fn told(name: &str, replicates: u32, changes: &[&str]) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.toml"));
    let options = Options {
        sets: changes.iter().map(|&change| change.to_owned()).collect(),
        replicates: Some(replicates),
        ..Options::default()
    };
    let scenario = Scenario::load_with(&file, &options).unwrap_or_else(|error| panic!("{error}"));
    let results = Experiment::new(&scenario).run(|_| {});
    // PNGs are drawn from the SVGs, in floating point of the machine's own width.
    let report = Report {
        images: &[ImageKind::Svg],
        ..Report::new(&results)
    };
    let folder = tempfile::tempdir().unwrap();
    report.write(folder.path()).unwrap();
    let mut text = format!("# {name}\n\n");
    text.push_str(&report.render(Format::Table, STYLE));
    text.push('\n');
    for (path, bytes) in files_below(folder.path()) {
        let hash = Sha256::digest(&bytes);
        let hash: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        writeln!(text, "{hash} {path}").unwrap();
    }
    text
}

#[test]
fn every_artefact_of_three_runs_is_what_it_was() {
    let texts: Vec<String> = RUNS
        .iter()
        .map(|(name, replicates, changes)| told(name, *replicates, changes))
        .collect();
    snapbox::assert_data_eq!(
        texts.join("\n"),
        snapbox::file!["../data/golden_runs.txt"].raw()
    );
}
