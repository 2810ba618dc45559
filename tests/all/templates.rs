//! Every template of `keyheat new` is a good first scenario: it asks, compares, reads, argues, and what it expects is so.

use crate::ran::{Ran, assert_expectations};
use crate::toml_files::toml_files;
use keyheat::scenario::{Options, Scenario};
use snapbox::cmd::Command;
use std::fs;
use std::path::PathBuf;

/// What a template may be warned of: the hotspot that it is there to show.
const SHOWN: [&str; 3] = [
    "the key leads with a time",
    "reads where the writes go",
    "a hash deals 199 values of `company` to 16 regions",
];

fn keyheat() -> Command {
    Command::new(snapbox::cmd::cargo_bin!("keyheat"))
}

fn files() -> Vec<PathBuf> {
    let files = toml_files("src/cli/templates");
    assert!(files.len() >= 8, "only {} templates", files.len());
    files
}

#[test]
fn every_template_asks_compares_reads_and_argues() {
    for file in files() {
        let name = file.display();
        let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
        assert!(scenario.question.ends_with('?'), "{name}");
        let strategies = scenario.strategies.len();
        assert!((2..=4).contains(&strategies), "{name}: {strategies}");
        let setup = &scenario.strategies[0].setup;
        assert!(!setup.workload.reads.is_empty(), "{name} reads nothing");
        assert!(scenario.expectations.len() >= 2, "{name} expects nothing");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# "), "{name} says nothing first");
        let expected = text.matches("[[expect]]").count();
        assert_eq!(text.matches("because = ").count(), expected, "{name}");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(150), "{name} is {widest:?} characters wide");
    }
}

#[test]
fn templates_are_warned_of_nothing_but_what_they_show() {
    for file in files() {
        let output = keyheat().arg("check").arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", file.display());
        let told = String::from_utf8(output.stderr).unwrap();
        for warning in told.lines().filter(|line| line.starts_with("warning")) {
            let shown = SHOWN.iter().any(|shown| warning.contains(shown));
            assert!(shown, "{}: {warning}", file.display());
        }
    }
}

#[test]
fn every_expectation_of_every_template_holds_and_does_so_under_quick() {
    for quick in [false, true] {
        let options = Options {
            quick,
            ..Options::default()
        };
        let files = files();
        assert_expectations(files.iter().map(|file| Ran::of(file, &options)));
    }
}

#[test]
fn the_list_names_every_template() {
    let output = keyheat().args(["new", "--list"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let mut listed: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed[0], "iot", "the default comes first");
    listed.sort_unstable();
    let files = files();
    let stems: Vec<_> = files.iter().map(|file| file.file_stem().unwrap()).collect();
    assert_eq!(listed, stems);
}

#[test]
fn new_writes_the_template_and_never_replaces_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let new = |arguments: &[&str]| {
        keyheat()
            .current_dir(folder.path())
            .arg("new")
            .args(arguments)
            .assert()
    };
    new(&["designs/keys", "--template", "orders"])
        .success()
        .stdout_eq("")
        .stderr_eq(
            "designs/keys.toml asks about auto-increment ids [..]
next: keyheat run designs/keys.toml
      keyheat watch designs/keys.toml     (again on every save)
",
        );
    let path = folder.path().join("designs/keys.toml");
    let template = format!(
        "{}/src/cli/templates/orders.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let template = fs::read_to_string(template).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), template);
    new(&["designs/keys"]).code(2).stderr_eq(
        "error: `designs/keys.toml` exists already
help: take another name, or remove it first
",
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), template);
    new(&["first"]).success();
    let first = fs::read_to_string(folder.path().join("first.toml")).unwrap();
    assert!(first.contains("sensor"), "the default is the sensors");
    new(&["x", "--template", "order"]).code(2).stderr_eq(
        "error: invalid value 'order' for '--template <TEMPLATE>'[..]
...
  tip: a similar value exists: 'orders'
...
",
    );
    new(&["designs/"]).code(2);
    new(&[]).code(2);
}
