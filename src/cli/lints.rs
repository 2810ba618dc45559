//! What is odd about a scenario that can be used: in full, with its places, or in short. Must not find anything out itself.

use super::console::Console;
use crate::experiment::lossy_keys;
use crate::layout::{Layout, Replicate, change_lints, load_lints};
use crate::scenario::{Diagnostic, Scenario, Severity, render};
use crate::text::{self, shell_path};

/// The layouts of all strategies.
fn layouts(scenario: &Scenario) -> Vec<Layout> {
    Replicate::firsts(&scenario.strategies, scenario.seed, |strategy, first| {
        Layout::with_sample(strategy, first, (Layout::SAMPLE, 0))
    })
}

/// All lints: those of the file, then those that need split points, keys or the cluster. A lint that several strategies have
/// comes once; if their numbers differ, with those of the first and the names of all.
pub fn all<'a>(scenario: &Scenario, layouts: impl Iterator<Item = &'a Layout>) -> Vec<Diagnostic> {
    let mut lints = scenario.warnings.clone();
    lints.extend(lossy_keys(scenario));
    let mut found: Vec<(Diagnostic, Vec<&str>)> = Vec::new();
    for (strategy, layout) in scenario.strategies.iter().zip(layouts) {
        let time = &scenario.time;
        let changes = change_lints(strategy, layout, time);
        let loads = load_lints(strategy, time);
        for lint in layout.lints.iter().cloned().chain(loads).chain(changes) {
            let name = strategy.name.as_str();
            if lints.contains(&lint) || found.iter().any(|(other, _)| *other == lint) {
                continue;
            }
            let mut others = found.iter_mut();
            match others.find(|(other, names)| !names.contains(&name) && are_alike(other, &lint)) {
                Some((_, names)) => names.push(name),
                None => found.push((lint, vec![name])),
            }
        }
    }
    lints.extend(found.into_iter().map(|(mut lint, names)| {
        if let [first, others @ ..] = &names[..]
            && !others.is_empty()
        {
            lint.message += &format!(" (under `{first}`; likewise under {})", text::all(others));
        }
        lint
    }));
    lints
}

/// Whether two lints of different strategies say the same but for their numbers: they advise the same.
fn are_alike(one: &Diagnostic, other: &Diagnostic) -> bool {
    let advice = |lint: &Diagnostic| (lint.severity, lint.help.clone(), lint.label.clone());
    one.span.is_none() && other.span.is_none() && one.help.is_some() && advice(one) == advice(other)
}

/// Shows all lints with their places on stderr, notes as well, unless `--quiet`.
pub fn tell(scenario: &Scenario, lints: &[Diagnostic], console: &Console) {
    if !lints.is_empty() {
        console.say_styled(&render(lints, &scenario.text, &scenario.path, true));
    }
}

/// One line a lint, the same line once, and where to read more. What was told.
pub fn tell_in_short(scenario: &Scenario, console: &Console) -> Vec<String> {
    tell_of(scenario, all(scenario, layouts(scenario).iter()), console)
}

/// The same of lints that have been found.
pub fn tell_of(scenario: &Scenario, lints: Vec<Diagnostic>, console: &Console) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for lint in lints {
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
        let path = shell_path(&scenario.path);
        console.say(&format!("`keyheat check {path}` shows where\n"));
    }
    said
}

fn is_wanted(lint: &Diagnostic, console: &Console) -> bool {
    lint.severity != Severity::Note || console.verbose
}
