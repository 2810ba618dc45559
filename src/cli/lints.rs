//! What is odd about a scenario that can be used: in full, with its places, or in short. Must not find anything out itself.

use super::console::Console;
use crate::layout::{Layout, change_lints, load_lints};
use crate::record::RecordGenerator;
use crate::scenario::{Diagnostic, Scenario, Severity, render};
use std::sync::Arc;

/// All lints: those of the file, then those that need split points, keys or the cluster. A lint that several strategies have
/// comes once.
fn all(scenario: &Scenario) -> Vec<Diagnostic> {
    let mut lints = scenario.warnings.clone();
    for strategy in &scenario.strategies {
        let generator = Arc::new(RecordGenerator::new(
            &strategy.setup.schema,
            scenario.seed,
            0,
        ));
        let layout = Layout::of(strategy, &generator, scenario.seed, 0);
        let time = &scenario.time;
        let changes = change_lints(strategy, &layout, time);
        let loads = load_lints(strategy, time);
        for lint in layout.lints.into_iter().chain(loads).chain(changes) {
            if !lints.contains(&lint) {
                lints.push(lint);
            }
        }
    }
    lints
}

/// Shows lints with their places on stderr: warnings unless `--quiet`, notes only with `--verbose`.
pub fn tell(scenario: &Scenario, console: &Console) {
    let shown: Vec<Diagnostic> = all(scenario)
        .into_iter()
        .filter(|lint| is_wanted(lint, console))
        .collect();
    if !shown.is_empty() {
        console.say(&render(&shown, &scenario.text, &scenario.path, true));
    }
}

/// One line a lint, the same line once, and where to read more.
pub fn tell_in_short(scenario: &Scenario, console: &Console) {
    let mut said: Vec<String> = Vec::new();
    for lint in all(scenario) {
        if !is_wanted(&lint, console) || said.contains(&lint.message) {
            continue;
        }
        match lint.severity {
            Severity::Note => console.say(&format!("note: {}", lint.message)),
            _ => console.warn(&lint.message),
        }
        said.push(lint.message);
    }
    if !said.is_empty() {
        console.say(&format!("`keyheat check {}` shows where\n", scenario.path));
    }
}

fn is_wanted(lint: &Diagnostic, console: &Console) -> bool {
    lint.severity != Severity::Note || console.is_verbose()
}
