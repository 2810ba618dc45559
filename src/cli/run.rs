//! `keyheat run`: scenarios to results, results to files and a table. Must not judge: verdicts come from the results.

use super::Outcome;
use super::args::{ResultFormat, RunArguments};
use super::console::Console;
use super::output_folder::OutputFolder;
use super::{explain, lints, loading, progress, scenario_files};
use crate::experiment::{ExpectationResult, Experiment, Metric, Results};
use crate::report::Report;
use crate::scenario::Scenario;
use anyhow::Result;
use std::path::Path;

pub fn run(arguments: &RunArguments, console: &Console) -> Result<Outcome> {
    let files = scenario_files::expand(&arguments.input.scenarios)?;
    scenario_files::refuse_equal_names(&files)?;
    let Some(scenarios) = loading::load_all(&files, &arguments.input.changes, console)? else {
        return Ok(Outcome::Refused);
    };
    // Before minutes of work, not after.
    let folders = scenarios
        .iter()
        .map(|scenario| OutputFolder::claim(&arguments.out, &scenario.name, arguments.force))
        .collect::<Result<Vec<_>>>()?;
    let mut expectations: Vec<ExpectationResult> = Vec::new();
    let mut broken = Vec::new();
    for (scenario, folder) in scenarios.iter().zip(&folders) {
        let results = simulate(scenario, folder, arguments, console)?;
        if results.iter().any(|result| result.standing().is_fault()) {
            broken.push(scenario.name.as_str());
        }
        expectations.extend(results);
    }
    if scenarios.len() > 1 {
        console.say(&all_in_all(
            ExpectationResult::tally(&expectations),
            &broken,
        ));
    }
    Ok(if broken.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Broken
    })
}

/// `137 expectations, all hold`, or in which scenarios they don't.
fn all_in_all((holding, faults, known): (usize, usize, usize), broken: &[&str]) -> String {
    let counted = match holding + faults + known {
        1 => "1 expectation".to_owned(),
        n => format!("{n} expectations"),
    };
    match (broken, known) {
        ([], 0) => format!("{counted}, all hold"),
        ([], known) => format!("{counted}, {holding} hold, {known} known to fail"),
        _ => format!("{counted}, some broken: {}", broken.join(", ")),
    }
}

/// One scenario from its runs to its files; what became of its expectations.
fn simulate(
    scenario: &Scenario,
    folder: &OutputFolder,
    arguments: &RunArguments,
    console: &Console,
) -> Result<Vec<ExpectationResult>> {
    let told_before = lints::tell_in_short(scenario, console);
    let experiment = Experiment::new(scenario).threads(arguments.threads.map_or(0, usize::from));
    let bar = progress::bar(console, &scenario.name, experiment.runs());
    let results = experiment.run(|progress| bar.set_position(progress.done));
    bar.finish_and_clear();
    let report = Report::new(&results).with_charts(!arguments.no_charts);
    folder.write(|path| Ok(report.write(path)?))?;
    console.data(&report.render(arguments.format.in_report(), console.table_style()))?;
    // What only the runs show: that they had not settled, that reads pile up.
    for warning in &results.warnings {
        if !told_before.contains(warning) {
            console.warn(warning);
        }
    }
    let broken: Vec<&ExpectationResult> = results
        .expectations
        .iter()
        .filter(|result| result.standing().is_fault())
        .collect();
    let seen = matches!(
        arguments.format,
        ResultFormat::Table | ResultFormat::Markdown
    );
    if !(seen && console.data_is_seen()) {
        for result in &broken {
            console.broken(&told(result));
        }
    }
    console.say(&last_line(&results, broken.len(), folder.path()));
    Ok(results.expectations)
}

/// `plain: server_max_share is 1.000 [1.000, 1.000], expected below 0.75 (because ...)`.
fn told(result: &ExpectationResult) -> String {
    let because = result
        .because
        .as_ref()
        .map(|because| format!(" ({because})"))
        .unwrap_or_default();
    format!("{}: {result}{because}", result.strategy)
}

/// `5 strategies, 2 hot; output/five-keys/`.
fn last_line(results: &Results, broken: usize, folder: &Path) -> String {
    let hot = results
        .strategies
        .iter()
        .filter(|strategy| match strategy.metrics.get("hotspot") {
            Some(Metric::Word(kind)) => kind != "none",
            _ => false,
        })
        .count();
    let broken = match broken {
        0 => String::new(),
        1 => ", 1 expectation broken".to_owned(),
        n => format!(", {n} expectations broken"),
    };
    let (points, all) = (results.point_count(), results.strategies.len());
    let hot = match results.sweep.is_empty() {
        true => format!("{hot} hot"),
        false => format!("each at {points} points, {hot} of {all} hot"),
    };
    let known = match ExpectationResult::tally(&results.expectations) {
        (.., 0) => String::new(),
        (holding, _, known) => format!(", {holding} hold, {known} known to fail"),
    };
    format!(
        "{}, {hot}{broken}{known}; {}{}",
        explain::counted_strategies(all / points.max(1)),
        folder.display(),
        std::path::MAIN_SEPARATOR
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_says_whether_all_hold_or_where_they_do_not() {
        assert_eq!(all_in_all((137, 0, 0), &[]), "137 expectations, all hold");
        assert_eq!(all_in_all((1, 0, 0), &[]), "1 expectation, all hold");
        let known = all_in_all((11, 0, 2), &[]);
        assert_eq!(known, "13 expectations, 11 hold, 2 known to fail");
        let broken = all_in_all((5, 3, 1), &["crash", "paging"]);
        assert_eq!(broken, "9 expectations, some broken: crash, paging");
    }
}
