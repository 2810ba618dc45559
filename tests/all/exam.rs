//! The exam: designs of every class of hotspot and every access path, on fresh and grown tables, whose answers were worked out by
//! arithmetic before anything was run. The arithmetic stands in each file, beside the answer.
//!
//! Bounds of a share p among the N operations of a window lie at least six standard errors, sqrt(p (1 - p) / N), from its expected value:
//! the interval over three replicates is 2.5 of them wide to each side.

use crate::ran::{Ran, assert_expectations};
use crate::toml_files::toml_files;
use keyheat::scenario::{Expected, Options, Scenario};
use std::collections::BTreeSet;

#[test]
fn every_answer_of_the_exam_is_the_one_that_arithmetic_gives() {
    let files = toml_files("tests/exam");
    assert!(files.len() >= 40, "only {} questions", files.len());
    assert_expectations(files.iter().map(|file| Ran::of(file, &Options::default())));
}

/// The classes and paths that the exam must ask for, wherever.
const WORDS: [&str; 13] = [
    "none",
    "moving",
    "static",
    "row",
    "lookback",
    "presplit-mismatch",
    "placement",
    "get",
    "multi-get",
    "scan",
    "fan-out-scan",
    "bucket-scan",
    "table-scan",
];

#[test]
fn the_exam_asks_for_every_class_of_hotspot_and_every_access_path() {
    let mut asked = BTreeSet::new();
    for file in toml_files("tests/exam") {
        let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
        for expectation in scenario.expectations {
            if let Expected::Metric {
                bound: keyheat::scenario::Bound::Is(keyheat::scenario::ExpectedValue::Text(word)),
                ..
            } = expectation.expected
            {
                let because = expectation.because;
                assert!(because.is_some(), "{}: `{word}` unargued", file.display());
                asked.insert(word);
            }
        }
    }
    let missing: Vec<_> = WORDS
        .iter()
        .filter(|word| !asked.contains(**word))
        .collect();
    assert!(missing.is_empty(), "nobody asks for {missing:?}");
}
