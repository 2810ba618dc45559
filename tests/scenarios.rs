//! Every shipped scenario is a question, an argument and expectations, and its expectations hold.

mod toml_files;

use keyheat::experiment::Experiment;
use keyheat::scenario::{Expectation, Options, Scenario};
use std::fs;
use std::path::{Path, PathBuf};
use toml_files::toml_files;

/// The shipped files, in order of their names.
fn files() -> Vec<PathBuf> {
    let files = toml_files("scenarios");
    assert!(files.len() >= 8, "only {} scenarios", files.len());
    files
}

/// Those and the published ones, whose expectations `tests/validation` runs.
fn all_files() -> Vec<PathBuf> {
    let mut files = files();
    files.extend(toml_files("scenarios/published"));
    files
}

fn load(file: &Path) -> Scenario {
    // The flagship's bounds hold at its own shorter length as well.
    let options = Options {
        quick: file.ends_with("five-keys.toml"),
        ..Options::default()
    };
    Scenario::load_with(file, &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_expectation_of_every_scenario_holds() {
    let mut broken = Vec::new();
    for file in files() {
        let results = Experiment::new(&load(&file)).run(|_| {});
        for result in results.expectations.iter().filter(|result| !result.holds) {
            broken.push(format!("{}: {}: {result}", file.display(), result.strategy));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_scenario_asks_a_question_and_argues_for_each_expectation() {
    for file in all_files() {
        let scenario = load(&file);
        let name = file.display();
        assert!(
            scenario.question.ends_with('?'),
            "{name}: {}",
            scenario.question
        );
        assert!(scenario.strategies.len() >= 2, "{name} compares nothing");
        let metrics = scenario
            .expectations
            .iter()
            .filter_map(|expectation| match expectation {
                Expectation::Metric {
                    metric, because, ..
                } => Some((metric, because)),
                Expectation::Key(_) => None,
            });
        let mut count = 0;
        for (metric, because) in metrics {
            count += 1;
            // `is = "moving"` names a class; what makes it one is argued for beside it.
            assert!(
                because.is_some() || metric == "hotspot",
                "{name}: `{metric}` has no `because`"
            );
        }
        assert!(count > 0, "{name} expects nothing");
    }
}

#[test]
fn every_scenario_stands_in_the_index() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    for file in all_files() {
        let name = file.strip_prefix(&folder).unwrap().to_string_lossy();
        assert!(
            index.contains(&format!("({name})")),
            "scenarios/README.md does not mention {name}"
        );
    }
}
