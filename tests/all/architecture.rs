//! The house rules that matter are tests: rooms import only downwards, files stay short, and what would make
//! results depend on the machine or the moment stays out. All violations are reported at once.

mod circles;
mod source;

use circles::circles;
use source::{Source, read_sources, rooms_used, words};
use std::collections::{BTreeMap, BTreeSet};

/// The floors, lowest first: a room may use rooms of lower floors only. Rooms of one floor don't know each other.
/// F0 has three steps: units write lengths of time; the queue of events, the statistics and the settings stand on all of them.
const FLOORS: [&[&str]; 12] = [
    &["time", "random", "text", "prefetch"],
    &["units"],
    &["statistics", "event_queue", "settings"],
    &["record", "data", "keyspace", "storage"],
    &["key", "workload", "observed", "learn"],
    &["policy", "query", "cluster"],
    &["client", "metrics"],
    &["engine", "scenario"],
    &["layout"],
    &["experiment"],
    &["report"],
    &["cli"],
];

/// The floor of `experiment`: everything up to it decides what the results are.
const LAST_FLOOR_OF_RESULTS: usize = 9;

/// What no room holds: the two libraries, which share `src`, and the program.
const CRATES: [&str; 3] = ["core.rs", "lib.rs", "main.rs"];

/// A file that passes this length holds two concepts. Unit tests are included.
const MAX_LINES: usize = 900;

/// Files that may use a hash map, and why its order can't reach a result.
const HASH_MAPS_ALLOWED: [(&str, &str); 1] = [(
    "learn/frequencies.rs",
    "a tree takes three times as long for millions of rows; all that leaves the map is sorted, or counted",
)];

/// Where a shard is a part of an experiment's runs, as it is to those who run tests on many machines, and no region.
const SHARDS_OF_RUNS: [&str; 9] = [
    "cli/args.rs",
    "cli/budget.rs",
    "cli/merge.rs",
    "cli/run.rs",
    "cli/saved_runs.rs",
    "experiment/experiment_runs.rs",
    "experiment/mod.rs",
    "experiment/run_file.rs",
    "experiment/run_file_tests.rs",
];

/// Crates that belong to certain rooms.
const CRATE_OWNERS: [(&str, &[&str]); 15] = [
    // Rooms name those of the other library as their own, `crate::time`, so that the floors are seen.
    ("keyheat_core", &["lib"]),
    ("snap", &["storage"]),
    ("lz4", &["storage"]),
    ("zstd", &["storage", "data"]),
    ("plotters", &["report"]),
    ("plotters_backend", &["report"]),
    ("tiny_skia", &["report"]),
    ("ttf_parser", &["report"]),
    ("csv", &["report"]),
    ("unicode_width", &["report"]),
    ("toml", &["scenario"]),
    ("rayon", &["experiment", "layout", "report"]),
    ("anyhow", &["cli"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
];

/// Names that say nothing about what a file is for.
const EMPTY_NAMES: [&str; 7] = [
    "util", "utils", "common", "helper", "helpers", "misc", "manager",
];

#[test]
fn the_house_rules_hold() {
    let sources = read_sources("src");
    assert!(
        sources.len() > 20,
        "found only {} files under src/",
        sources.len()
    );
    let violations = check(&sources);
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let found = circles(&read_sources("src"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_circle_is_found_through_what_a_room_hands_on() {
    let room = "//! x\nmod law;\nmod draw;\npub use law::{Law, Other as Further};\n";
    let files = |law: &str, draw: &str| {
        circles(&[
            Source::new("record/mod.rs", room),
            Source::new("record/law.rs", law),
            Source::new("record/draw.rs", draw),
        ])
    };
    let circle = [vec![
        "record/draw.rs".to_owned(),
        "record/law.rs".to_owned(),
    ]];
    let uses_draw = "use super::draw::draw;\n";
    for draw in [
        "use super::law::Law;\n",
        "use super::{Law, Shape};\n",
        "use crate::{record::{Law}, time};\n",
        "use super::Further;\n",
        "fn f() { super::Law::new(); }\n",
    ] {
        assert_eq!(files(uses_draw, draw), circle, "{draw}");
        assert!(files("", draw).is_empty(), "{draw}");
    }
    for draw in [
        "use super::Shape;\n",
        "// use super::Law;\n",
        "use crate::time::Law;\n",
        "#[cfg(test)]\nmod tests {\n    use super::super::Law;\n}\n",
    ] {
        assert!(files(uses_draw, draw).is_empty(), "{draw}");
    }
}

#[test]
fn tests_and_benches_have_the_shape_of_other_files() {
    for folder in ["tests", "benches"] {
        let sources = read_sources(folder);
        assert!(!sources.is_empty(), "no files under {folder}/");
        for source in &sources {
            check_shape(source, &mut |_, complaint| {
                panic!("{folder}/{}: {complaint}", source.path);
            });
        }
    }
}

#[test]
fn every_file_that_may_speak_of_shards_does() {
    let sources = read_sources("src");
    for path in SHARDS_OF_RUNS {
        let source = sources.iter().find(|source| source.path == path);
        let source = source.unwrap_or_else(|| panic!("there is no src/{path}"));
        let speaks = |(_, word): (usize, &str)| word.to_lowercase().contains("shard");
        assert!(words(&source.code).any(speaks), "src/{path}");
    }
}

#[test]
fn every_rule_catches_its_breach() {
    let breach = |path: &str, text: &str| check(&[Source::new(path, text)]).join("\n");
    let good = "//! Good. Must not see `crate::cli` nor \"x\".\nuse crate::time::SimTime;\n";
    assert_eq!(breach("record/law.rs", good), "");
    assert_eq!(
        breach(
            "record/mod.rs",
            "//! Fine.\n#[cfg(test)]\nmod tests {\n fn f() { x.unwrap(); }\n}\n"
        ),
        ""
    );

    for (path, text, complaint) in [
        (
            "record/law.rs",
            "//! x\nuse crate::key::KeyPlan;\n",
            "record/law.rs:2: `record` uses `key`",
        ),
        (
            "record/law.rs",
            "//! x\nuse crate::{\n    time::SimTime,\n    keyspace::RowKey,\n};\n",
            "record/law.rs:4: `record` uses `keyspace`",
        ),
        (
            "statistics.rs",
            "//! x\nfn f() { crate::cli::main(); }\n",
            "statistics.rs:2: `statistics` uses `cli`",
        ),
        (
            "attic/mod.rs",
            "//! x\n",
            "attic/mod.rs:1: `attic` stands on no floor",
        ),
        (
            "key/plan.rs",
            "use crate::time::SimTime;\n",
            "key/plan.rs:1: no `//!`",
        ),
        (
            "key/plan.rs",
            &format!("//! x\n{}", "\n".repeat(MAX_LINES)),
            "key/plan.rs:901: 901 lines",
        ),
        (
            "key/utils.rs",
            "//! x\n",
            "key/utils.rs:1: the name `utils`",
        ),
        (
            "key/plan.rs",
            "//! x\nstruct PlanManager;\n",
            "key/plan.rs:2: the name `PlanManager`",
        ),
        (
            "metrics/skew.rs",
            "//! x\nuse std::collections::HashMap;\n",
            "metrics/skew.rs:2: `HashMap`",
        ),
        (
            "engine/mod.rs",
            "//! x\nuse std::time::Instant;\n",
            "engine/mod.rs:2: `std::time`",
        ),
        (
            "engine/mod.rs",
            "//! x\nfn f() { g().unwrap(); }\n",
            "engine/mod.rs:2: `unwrap()`",
        ),
        (
            "engine/mod.rs",
            "//! x\nfn f() { todo!() }\n",
            "engine/mod.rs:2: `todo!`",
        ),
        (
            "engine/mod.rs",
            "//! x\nfn f() { println!(); }\n",
            "engine/mod.rs:2: `println!`",
        ),
        (
            "engine/mod.rs",
            "//! x\nfn f(x: f64) -> f64 { x.ln() }\n",
            "engine/mod.rs:2: `.ln()`",
        ),
        (
            "engine/mod.rs",
            "//! x\nuse plotters::prelude::*;\n",
            "engine/mod.rs:2: `plotters` belongs to `report`",
        ),
        (
            "report/mod.rs",
            "//! x\nuse keyheat_core::time::SimTime;\n",
            "report/mod.rs:2: `keyheat_core` belongs to `lib`",
        ),
        (
            "engine/mod.rs",
            "//! x\nstruct Shard;\n",
            "engine/mod.rs:2: the name `Shard`",
        ),
    ] {
        let found = breach(path, text);
        assert!(
            found.contains(complaint),
            "{path}: expected `{complaint}` in:\n{found}"
        );
    }
}

fn check(sources: &[Source]) -> Vec<String> {
    let floors: BTreeMap<&str, usize> = FLOORS
        .iter()
        .enumerate()
        .flat_map(|(floor, rooms)| rooms.iter().map(move |room| (*room, floor)))
        .collect();
    let mut violations = BTreeSet::new();
    for source in sources {
        let mut say = |offset: usize, complaint: String| {
            let line = source.text[..offset.min(source.text.len())]
                .matches('\n')
                .count()
                + 1;
            violations.insert((source.path.clone(), line, complaint));
        };
        check_shape(source, &mut say);
        if CRATES.contains(&source.path.as_str()) {
            continue;
        }
        match floors.get(source.room()) {
            Some(&floor) => {
                check_imports(source, floor, &floors, &mut say);
                check_words(source, floor, &mut say);
            }
            None => say(
                0,
                format!(
                    "`{}` stands on no floor: give it one in tests/all/architecture.rs",
                    source.room()
                ),
            ),
        }
    }
    violations
        .into_iter()
        .map(|(path, line, complaint)| format!("src/{path}:{line}: {complaint}"))
        .collect()
}

fn check_shape(source: &Source, say: &mut impl FnMut(usize, String)) {
    if !source.text.starts_with("//!") {
        say(
            0,
            "no `//!` in the first line: what does the file answer, what must it not know?".into(),
        );
    }
    let lines = source.text.lines().count();
    if lines > MAX_LINES {
        say(
            source.text.len().saturating_sub(1),
            format!("{lines} lines, at most {MAX_LINES} are allowed"),
        );
    }
    for part in source.path.split('/') {
        let name = part.strip_suffix(".rs").unwrap_or(part);
        if EMPTY_NAMES.contains(&name) {
            say(0, format!("the name `{name}` says nothing"));
        }
    }
}

fn check_imports(
    source: &Source,
    floor: usize,
    floors: &BTreeMap<&str, usize>,
    say: &mut impl FnMut(usize, String),
) {
    for (offset, room) in rooms_used(&source.code) {
        match floors.get(room) {
            Some(&used) if room != source.room() && used >= floor => {
                let relation = if used == floor {
                    "its own floor"
                } else {
                    "a floor above"
                };
                say(
                    offset,
                    format!(
                        "`{}` uses `{room}`, which stands on {relation}",
                        source.room()
                    ),
                );
            }
            Some(_) => {}
            None => say(offset, format!("`crate::{room}` is not a room")),
        }
    }
}

fn check_words(source: &Source, floor: usize, say: &mut impl FnMut(usize, String)) {
    for (offset, word) in words(&source.code) {
        if let Some((name, owners)) = CRATE_OWNERS.iter().find(|(name, _)| *name == word)
            && !owners.contains(&source.room())
            && source.code[offset + name.len()..].starts_with("::")
            && !source.code[..offset].ends_with("::")
        {
            say(
                offset,
                format!("`{name}` belongs to `{}`", owners.join("` and `")),
            );
        }
        if word.ends_with("Manager") || word.ends_with("Helper") || word.ends_with("Utils") {
            say(offset, format!("the name `{word}` says nothing"));
        }
        let of_runs = SHARDS_OF_RUNS.contains(&source.path.as_str());
        if word.to_lowercase().split('_').any(|part| match part {
            "shard" | "shards" => !of_runs,
            _ => matches!(part, "tablet" | "tablets"),
        }) {
            say(offset, format!("the name `{word}`: HBase's word is region"));
        }
    }
    if source.is_test_only() {
        return;
    }
    for (offset, word) in words(&source.shipped) {
        let after = &source.shipped[offset + word.len()..];
        let method = source.shipped[..offset].ends_with('.') && after.starts_with('(');
        match word {
            "HashMap" | "HashSet"
                if !HASH_MAPS_ALLOWED
                    .iter()
                    .any(|(path, _)| *path == source.path) =>
            {
                say(
                    offset,
                    format!(
                        "`{word}`: its order differs from run to run; use a sorted map or an index"
                    ),
                );
            }
            "time" if source.shipped[..offset].ends_with("std::") && source.room() != "cli" => {
                say(
                    offset,
                    "`std::time`: results must not depend on the wall clock".into(),
                );
            }
            "now" if after.starts_with("()") && source.room() != "cli" => {
                say(
                    offset,
                    "`now()`: results must not depend on the wall clock".into(),
                );
            }
            "unwrap" if method => {
                say(
                    offset,
                    "`unwrap()`: return the error, or `expect(\"why it can't fail\")`".into(),
                );
            }
            "todo" | "unimplemented" | "dbg" if after.starts_with('!') => {
                say(offset, format!("`{word}!` is unfinished work"))
            }
            "println" | "print" | "eprintln" | "eprint" if after.starts_with('!') => {
                say(
                    offset,
                    format!(
                        "`{word}!` panics on a closed stream; only `cli` talks, with `writeln!`"
                    ),
                );
            }
            "ln" | "ln_1p" | "exp" | "exp_m1" | "powf" | "powi" | "log" | "log2" | "log10"
                if method && floor <= LAST_FLOOR_OF_RESULTS =>
            {
                say(
                    offset,
                    format!("`.{word}()` differs between machines; use `libm`"),
                );
            }
            "thread_rng" | "from_os_rng" | "SmallRng" | "StdRng" => {
                say(
                    offset,
                    format!("`{word}`: all randomness comes from `random`"),
                );
            }
            _ => {}
        }
    }
}
