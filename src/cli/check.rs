//! `keyheat check`: every error and lint of scenarios, golden keys compared, nothing simulated. Must not know what is checked.

use super::args::CheckArguments;
use super::budget::Budget;
use super::console::{Console, Outcome};
use super::{explain, lints, loading};
use crate::experiment::Experiment;
use crate::report::number::counted;
use crate::scenario::{Expectation, Scenario};
use anyhow::Result;

pub fn run(arguments: &CheckArguments, console: &Console) -> Result<Outcome> {
    let files = loading::scenario_files(&arguments.input.scenarios)?;
    let scenarios = loading::load_all(&files, &arguments.input.changes, console)?;
    // Of many files most are clean: what is odd about them is counted, and shown on demand.
    let in_full = scenarios.len() == 1 || console.is_verbose();
    let (mut broken, mut odd) = (0, 0);
    let mut budget = Budget::new(&arguments.limits, None);
    for scenario in &scenarios {
        let threads = arguments.threads.map_or(0, usize::from);
        let threads = Experiment::new(scenario).threads(threads).threads_at_work();
        let layouts = budget.add(scenario, threads);
        if in_full {
            lints::tell(scenario, &layouts, console);
        } else {
            let warnings = lints::warnings(scenario, &layouts);
            odd += warnings;
            let counted = match warnings {
                0 => "no warnings".to_owned(),
                n => counted(n, "warning"),
            };
            console.say(&format!("{}: {counted}", scenario.path));
        }
        broken += tell_broken_keys(scenario, console);
        if arguments.show {
            console.data(scenario.show())?;
        }
    }
    let strategies = scenarios.iter().map(|it| it.strategies.len()).sum();
    let files = counted(scenarios.len(), "scenario");
    let verdict = match broken {
        0 => "no errors".to_owned(),
        n => format!("{} broken", counted(n, "golden key")),
    };
    let more = match odd {
        0 => "",
        _ => "; `--verbose`, or one file alone, shows the warnings",
    };
    console.say(&format!(
        "{files}, {}: {verdict}{more}",
        explain::counted_strategies(strategies)
    ));
    budget.settle(console)?;
    Ok(if broken == 0 {
        Outcome::Fine
    } else {
        Outcome::Broken
    })
}

/// Golden keys need no simulation. One that is known to be wrong is told when it no longer is.
fn tell_broken_keys(scenario: &Scenario, console: &Console) -> usize {
    let keys = scenario
        .expectations
        .iter()
        .filter_map(|expectation| match expectation {
            Expectation::Key(key) if (key.found == key.expected) == key.issue.is_some() => {
                Some(key)
            }
            _ => None,
        });
    let mut broken = 0;
    for key in keys {
        let strategy = &scenario.strategies[key.strategy].name;
        let point: String = scenario
            .values_at(key.point)
            .iter()
            .map(|swept| format!(" at {} = {}", swept.path, swept.value))
            .collect();
        console.broken(&match &key.issue {
            None => format!(
                "{strategy}{point}: the key of {} is {}, expected {}",
                key.record, key.found, key.expected
            ),
            Some(issue) => format!(
                "{strategy}{point}: the key of {} is {}, as expected, though known to fail: take out `issue = \"{issue}\"`",
                key.record, key.found
            ),
        });
        broken += 1;
    }
    broken
}
