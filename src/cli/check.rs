//! `keyheat check`: every error and lint of scenarios, golden keys compared, nothing simulated. Must not know what is checked.

use super::args::{CheckArguments, DataFormat};
use super::budget::Budget;
use super::console::{Console, Outcome};
use super::{lints, loading};
use crate::experiment::Experiment;
use crate::report::json_text;
use crate::report::number::counted;
use crate::scenario::{Diagnostic, Expectation, Expected, LoadError, Scenario, Severity, place};
use anyhow::Result;
use serde_json::{Value, json};

pub fn run(arguments: &CheckArguments, console: &Console) -> Result<Outcome> {
    let files = loading::scenario_files(&arguments.input.scenarios)?;
    let loaded = loading::load_each(&files, &arguments.input.changes);
    let is_json = arguments.format == DataFormat::Json;
    if is_json && loaded.iter().any(Result::is_err) {
        let file = |it: &Result<Scenario, LoadError>| match it {
            Ok(scenario) => described(scenario, &scenario.warnings),
            Err(error) => {
                json!({ "file": error.path, "diagnostics": placed(&error.diagnostics, &error.text) })
            }
        };
        let files: Vec<Value> = loaded.iter().map(file).collect();
        console.data(&json_text(
            &json!({ "is_usable": false, "scenarios": files }),
        ))?;
    }
    let scenarios = loading::usable(loaded, console)?;
    let mut told = Vec::new();
    // Of many files most are clean: what is odd about them is counted, and shown on demand.
    let in_full = scenarios.len() == 1 || console.verbose;
    let (mut broken, mut odd) = (0, 0);
    let mut budget = Budget::new(&arguments.limits, None);
    for scenario in &scenarios {
        let threads = arguments.threads.map_or(0, usize::from);
        let threads = Experiment::new(scenario).threads(threads).threads_at_work();
        let layouts = budget.add(scenario, threads);
        let found = lints::all(scenario, layouts.iter());
        if is_json {
            told.push(described(scenario, &found));
        } else if in_full {
            lints::tell(scenario, &found, console);
        } else {
            let is_warning = |lint: &&Diagnostic| lint.severity != Severity::Note;
            let warnings = found.iter().filter(is_warning).count();
            odd += warnings;
            let counted = match warnings {
                0 => "no warnings".to_owned(),
                n => counted(n, "warning"),
            };
            console.say(&format!("{}: {counted}", scenario.path));
        }
        let keys = broken_keys(scenario);
        keys.iter().for_each(|key| console.broken(key));
        broken += keys.len();
        if arguments.show {
            console.data(scenario.show())?;
        }
    }
    if is_json {
        let forecast = budget.forecast();
        console.data(&json_text(
            &json!({ "is_usable": true, "scenarios": told, "forecast": forecast }),
        ))?;
    }
    let strategies: usize = scenarios.iter().map(|it| it.strategies.len()).sum();
    let files = counted(scenarios.len(), "scenario");
    let verdict = match broken {
        0 => "no errors".to_owned(),
        n => format!("{} broken", counted(n, "golden key")),
    };
    let more = (odd > 0).then_some("; `--verbose`, or one file alone, shows the warnings");
    let more = more.unwrap_or_default();
    let strategies = counted(strategies, "strategy");
    console.say(&format!("{files}, {strategies}: {verdict}{more}"));
    budget.settle(console)?;
    // The process ends: to free millions of split points one by one takes a tenth of a second.
    std::mem::forget(scenarios);
    Ok(Outcome::of_broken(broken))
}

/// A scenario for programs, with what was found.
fn described(scenario: &Scenario, found: &[Diagnostic]) -> Value {
    let strategies = scenario.strategies.iter().map(|it| &it.name);
    json!({
        "file": scenario.path, "scenario": scenario.name, "strategies": strategies.collect::<Vec<_>>(),
        "diagnostics": placed(found, &scenario.text), "broken_keys": broken_keys(scenario),
    })
}

/// Complaints with their lines and columns, from 1; none where they have no place.
fn placed(diagnostics: &[Diagnostic], text: &str) -> Vec<Value> {
    let one = |it: &Diagnostic| {
        let (line, column) = it.span.as_ref().map(|span| place(text, span.start)).unzip();
        json!({
            "severity": it.severity.name(), "line": line, "column": column, "message": it.message, "label": it.label, "help": it.help,
        })
    };
    diagnostics.iter().map(one).collect()
}

/// Golden keys need no simulation. One that is known to be wrong is told when it no longer is.
fn broken_keys(scenario: &Scenario) -> Vec<String> {
    let words = |expectation: &Expectation| {
        let Expected::Key(key) = &expectation.expected else {
            return None;
        };
        if (key.found == key.expected) != expectation.issue.is_some() {
            return None;
        }
        let strategy = &scenario.strategies[expectation.strategy].name;
        let point = scenario.values_at(expectation.point).iter();
        let point = point.map(|swept| format!(" at {} = {}", swept.path, swept.value));
        let point: String = point.collect();
        Some(match &expectation.issue {
            None => format!(
                "{strategy}{point}: the key of {} is {}, expected {}",
                key.record, key.found, key.expected
            ),
            Some(issue) => format!(
                "{strategy}{point}: the key of {} is {}, as expected, though known to fail: take out `issue = \"{issue}\"`",
                key.record, key.found
            ),
        })
    };
    scenario.expectations.iter().filter_map(words).collect()
}
