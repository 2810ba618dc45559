//! The scenarios of `scenarios/published`: what their sources print, and what a run gives.

use crate::ran::{Ran, assert_expectations};
use crate::toml_files::toml_files;
use keyheat::scenario::Options;
use std::sync::LazyLock;

/// Of each the source that its comment names, and its run.
pub static PUBLISHED: LazyLock<Vec<(String, Ran)>> = LazyLock::new(|| {
    let source = |ran: &Ran| {
        let mut lines = ran.scenario.text.lines();
        let source = lines.find_map(|line| line.strip_prefix("# Source: "));
        source.map(str::to_owned)
    };
    let files = toml_files("scenarios/published");
    let published = files.iter().map(|file| {
        let ran = Ran::of(file, &Options::default());
        let source = source(&ran);
        let source = source.unwrap_or_else(|| panic!("{}: no `# Source: `", file.display()));
        (source, ran)
    });
    published.collect()
});

#[test]
fn every_published_figure_comes_out_as_its_scenario_says() {
    assert_expectations(PUBLISHED.iter().map(|(_, ran)| ran));
    assert!(PUBLISHED.len() >= 10, "only {} scenarios", PUBLISHED.len());
}
