//! The scenarios of `scenarios/published`: what their sources print, and what a run gives.

use crate::toml_files::toml_files;
use keyheat::experiment::{ExpectationResult, Experiment};
use keyheat::scenario::Scenario;
use std::sync::LazyLock;

/// A scenario's name, the source that its comment names, and how its expectations came out.
pub struct Published {
    pub name: String,
    pub source: String,
    pub results: Vec<ExpectationResult>,
}

pub static PUBLISHED: LazyLock<Vec<Published>> = LazyLock::new(|| {
    toml_files("scenarios/published")
        .iter()
        .map(|file| {
            let scenario = Scenario::load(file).unwrap_or_else(|error| panic!("{error}"));
            let source = scenario
                .text
                .lines()
                .find_map(|line| line.strip_prefix("# Source: "));
            let source = source.unwrap_or_else(|| panic!("{}: no `# Source: `", file.display()));
            Published {
                name: scenario.name.clone(),
                source: source.to_owned(),
                results: Experiment::new(&scenario).run(|_| {}).expectations,
            }
        })
        .collect()
});

#[test]
fn every_published_figure_comes_out_as_its_scenario_says() {
    let broken: Vec<String> = PUBLISHED
        .iter()
        .flat_map(|published| {
            let broken = published.results.iter().filter(|result| !result.holds);
            broken.map(|result| format!("{}: {}: {result}", published.name, result.strategy))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(PUBLISHED.len() >= 10, "only {} scenarios", PUBLISHED.len());
}
