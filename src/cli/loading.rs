//! Scenario files with the command line's changes, or all that is wrong with them on stderr. Must not know what is done with a
//! scenario.

use super::args::ChangeArguments;
use super::console::Console;
use crate::key::KeyPlan;
use crate::layout::misplaced_regions;
use crate::record::Schema;
use crate::scenario::{Options, Scenario, render};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The scenario; `None` when it can't be used, and the user has been told all that is wrong.
pub fn load(path: &Path, changes: &ChangeArguments, console: &Console) -> Result<Option<Scenario>> {
    Ok(load_all(&[path.to_owned()], changes, console)?.and_then(|mut scenarios| scenarios.pop()))
}

/// What stands for standard input where a scenario file is named, as in most tools; a file of this name is `./-`.
pub const STDIN: &str = "-";

/// All scenarios, in order; `None` when any can't be used, and the user has been told all that is wrong with each.
pub fn load_all(
    files: &[PathBuf],
    changes: &ChangeArguments,
    console: &Console,
) -> Result<Option<Vec<Scenario>>> {
    let options = Options {
        sets: changes.set.clone(),
        sweeps: changes.sweep.clone(),
        quick: changes.quick,
        only: changes.only.clone(),
        replicates: changes.replicates,
        seed: changes.seed,
    };
    let mut scenarios = Vec::new();
    for file in files {
        let loaded = match file.as_os_str() == STDIN {
            true => Scenario::read_from(std::io::stdin().lock(), "stdin", &options),
            false => Scenario::load_with(file, &options),
        };
        match loaded {
            Ok(scenario) => {
                let faults = misplaced_regions(&scenario);
                if faults.is_empty() {
                    scenarios.push(scenario);
                } else {
                    console.insist_styled(&render(&faults, &scenario.text, &scenario.path, true));
                }
            }
            Err(error) => console.insist_styled(&error.render(true)),
        }
    }
    Ok((scenarios.len() == files.len()).then_some(scenarios))
}

/// Says which point of a sweep is shown by what shows one only.
pub fn tell_first_point(scenario: &Scenario, console: &Console) {
    if scenario.points.is_empty() {
        return;
    }
    let values: Vec<String> = scenario
        .values_at(0)
        .iter()
        .map(|swept| format!("{} = {}", swept.path, swept.value))
        .collect();
    console.say(&format!(
        "the first of {} points of the sweep: {}\n",
        scenario.point_count(),
        values.join(", ")
    ));
}

/// `expression` compiled as a key of the scenario, with the fields that it is compiled for.
pub fn load_key(
    path: &Path,
    expression: &str,
    console: &Console,
) -> Result<Option<(Arc<KeyPlan>, Schema)>> {
    let changes = ChangeArguments::default();
    let Some(mut scenario) = load(path, &changes, console)? else {
        return Ok(None);
    };
    let name = scenario.strategies.swap_remove(0).name;
    let (text, shown) = (&scenario.text, &scenario.path);
    let options = Options {
        sets: vec![
            format!("strategy.{name}.key={}", toml_text(expression)),
            // The file's own split points may not suit another key.
            format!("strategy.{name}.presplit={{ algorithm = \"none\" }}"),
        ],
        only: vec![name],
        ..Options::default()
    };
    match Scenario::parse_in(text, &scenario.name, shown, &scenario.folder, &options) {
        Ok(mut scenario) => {
            let strategy = scenario.strategies.swap_remove(0);
            Ok(Some((strategy.key, strategy.setup.schema.clone())))
        }
        Err(error) => {
            console.insist_styled(&error.render(true));
            Ok(None)
        }
    }
}

/// A TOML string.
fn toml_text(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
