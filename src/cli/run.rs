//! `keyheat run`: scenarios to results, results to files and a table. Must not judge: verdicts come from the results.

use super::args::{ResultFormat, RunArguments};
use super::budget::Budget;
use super::console::Console;
use super::outcome::Outcome;
use super::output_folder::OutputFolder;
use super::{explain, interruption, lints, loading, progress, saved_runs, scenario_files};
use crate::experiment::{ExpectationResult, Experiment, Results, RunFile, Shard};
use crate::report::Report;
use crate::scenario::Scenario;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub fn run(arguments: &RunArguments, console: &Console) -> Result<Outcome> {
    let files = scenario_files::expand(&arguments.input.scenarios)?;
    scenario_files::refuse_equal_names(&files)?;
    let Some(scenarios) = loading::load_all(&files, &arguments.input.changes, console)? else {
        return Ok(Outcome::Refused);
    };
    // Before minutes of work, not after.
    let mut budget = Budget::new(&arguments.limits, arguments.shard);
    let mut found = Vec::new();
    for scenario in &scenarios {
        let threads = experiment(scenario, arguments).threads_at_work();
        let layouts = budget.add(scenario, threads);
        found.push(lints::all(scenario, layouts.iter()));
    }
    budget.settle(console)?;
    let folders = scenarios
        .iter()
        .map(|scenario| claim(scenario, arguments.out(), arguments.force))
        .collect::<Result<Vec<_>>>()?;
    let stop = interruption::ends_in_order(*console)?;
    let mut expectations: Vec<ExpectationResult> = Vec::new();
    let mut broken = Vec::new();
    let mut saved = Vec::new();
    for ((scenario, folder), lints) in scenarios.iter().zip(&folders).zip(found) {
        let told = lints::tell_of(scenario, lints, console);
        match simulate(scenario, folder, told, arguments, stop, console)? {
            Ended::Results(results, runs) => {
                saved.push(runs);
                if is_broken(&results) {
                    broken.push(scenario.name.as_str());
                }
                expectations.extend(results.expectations);
            }
            Ended::Shard => {}
            Ended::Interrupted => return Ok(Outcome::Interrupted),
        }
    }
    // Not before all are done: until then an interrupted command goes on from them.
    saved.into_iter().try_for_each(RunFile::remove)?;
    if scenarios.len() > 1 && arguments.shard.is_none() {
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

/// The folder of a scenario's results. That of the file as it is is not replaced by a run of a changed one unless the user says where
/// results go: the numbers would no longer be those of the file.
pub(super) fn claim(
    scenario: &Scenario,
    (out, is_said): (&Path, bool),
    force: bool,
) -> Result<OutputFolder> {
    let folder = OutputFolder::claim(out, &scenario.results_name(), force)?;
    let changed = !scenario.options.quick && !scenario.overrides.is_empty();
    if changed && !is_said && !force && folder.holds_unchanged_results() {
        bail!(
            "`{}` holds the results of the file as it is; a run with {} would replace them\ngive it a place of its own with `--out DIR`, or replace them with `--force`",
            folder.path().display(),
            scenario.overrides.join(", ")
        );
    }
    Ok(folder)
}

fn experiment<'a>(scenario: &'a Scenario, arguments: &RunArguments) -> Experiment<'a> {
    Experiment::new(scenario).threads(arguments.threads.map_or(0, usize::from))
}

/// How one scenario ended.
enum Ended {
    /// With everything written, from these runs.
    Results(Box<Results>, RunFile),
    /// With the runs of a shard.
    Shard,
    /// Before its end.
    Interrupted,
}

/// Whether an expectation does not stand as it should.
pub(super) fn is_broken(results: &Results) -> bool {
    let expectations = &results.expectations;
    expectations
        .iter()
        .any(|result| result.standing().is_fault())
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

/// One scenario from its runs to its files; `told_before` are its lints.
fn simulate(
    scenario: &Scenario,
    folder: &OutputFolder,
    told_before: Vec<String>,
    arguments: &RunArguments,
    stop: &AtomicBool,
    console: &Console,
) -> Result<Ended> {
    let runs = experiment(scenario, arguments).start()?;
    let shard = arguments.shard.unwrap_or(Shard::ALL);
    let path = saved_runs::path(arguments.out().0, &scenario.results_name(), arguments.shard);
    let saver = saved_runs::open(
        &path,
        &runs,
        shard,
        arguments.resume,
        arguments.force,
        console,
    )?;
    let (all, missing) = (runs.of(shard), runs.missing(shard));
    let bar = progress::bar(console, &scenario.name, runs.effort(&all));
    bar.set_position(runs.effort(&all) - runs.effort(&missing));
    runs.run(
        shard,
        stop,
        |progress| bar.set_position(progress.done),
        |run| saver.save(run, stop),
    );
    bar.finish_and_clear();
    let saved = saver.finish()?;
    let (all, missing) = (all.len(), runs.missing(shard).len());
    if missing > 0 {
        console.insist(&format!(
            "interrupted: {} of {all} runs are saved in {}; the same command with `--resume` goes on from them",
            all - missing,
            saved.path().display()
        ));
        return Ok(Ended::Interrupted);
    }
    if let Some(shard) = arguments.shard {
        console.say(&format!(
            "shard {shard}: {all} of {} runs; {}",
            runs.count(),
            saved.path().display()
        ));
        return Ok(Ended::Shard);
    }
    let results = runs
        .results()
        .context("a run is missing that was said to be there")?;
    // What only the runs show: that they had not settled, that reads pile up.
    let shown_by_runs = results.warnings.iter();
    for warning in shown_by_runs.filter(|warning| !told_before.contains(warning)) {
        console.warn(warning);
    }
    write(&results, folder, !arguments.no_charts)?;
    show(&results, folder, arguments.format, console)?;
    Ok(Ended::Results(Box::new(results), saved))
}

/// Results to their files.
pub(super) fn write(results: &Results, folder: &OutputFolder, charts: bool) -> Result<()> {
    let report = Report::new(results).with_charts(charts);
    folder.write(|path| Ok(report.write(path)?))
}

/// Results to the user.
pub(super) fn show(
    results: &Results,
    folder: &OutputFolder,
    format: ResultFormat,
    console: &Console,
) -> Result<()> {
    let report = Report::new(results);
    console.data(&report.render(format.in_report(), console.table_style()))?;
    let broken: Vec<&ExpectationResult> = results
        .expectations
        .iter()
        .filter(|result| result.standing().is_fault())
        .collect();
    let seen = matches!(format, ResultFormat::Table | ResultFormat::Markdown);
    if !(seen && console.data_is_seen()) {
        for result in &broken {
            console.broken(&told(result));
        }
    }
    console.say(&last_line(results, broken.len(), folder.path()));
    Ok(())
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

/// `5 strategies, 2 hot; output/five-keys/report.html`.
fn last_line(results: &Results, broken: usize, folder: &Path) -> String {
    let hot = results
        .strategies
        .iter()
        .filter(|strategy| strategy.hotspot().is_some_and(|kind| kind != "none"))
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
        "{}, {hot}{broken}{known}; {}",
        explain::counted_strategies(all / points.max(1)),
        folder.join("report.html").display()
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
