//! `keyheat run`: scenarios to results, results to files and a table. Must not judge: verdicts come from the results.

use super::args::{RunArguments, out};
use super::budget::Budget;
use super::console::{Console, Outcome};
use super::output_folder::OutputFolder;
use super::{lints, loading, saved_runs};
use crate::experiment::{ExpectationResult, Experiment, ExperimentRuns, Results, RunFile, Shard};
use crate::report::number::counted;
use crate::report::{Format, Report};
use crate::scenario::Scenario;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Somebody wants the work to end.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

pub fn run(arguments: &RunArguments, console: &Console) -> Result<Outcome> {
    let files = loading::scenario_files(&arguments.input.scenarios)?;
    loading::refuse_equal_names(&files)?;
    let scenarios = loading::load_all(&files, &arguments.input.changes, console)?;
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
        .map(|scenario| claim(scenario, out(&arguments.out), arguments.force))
        .collect::<Result<Vec<_>>>()?;
    end_in_order(*console)?;
    let mut expectations: Vec<ExpectationResult> = Vec::new();
    let mut broken = Vec::new();
    let mut saved = Vec::new();
    for ((scenario, folder), lints) in scenarios.iter().zip(&folders).zip(found) {
        let told = lints::tell_of(scenario, lints, console);
        let runs = experiment(scenario, arguments).start()?;
        let Some(file) = simulate(&runs, arguments, console)? else {
            return Ok(Outcome::Interrupted);
        };
        if arguments.shard.is_some() {
            continue;
        }
        let results = results(runs)?;
        // What only the runs show: that they had not settled, that reads pile up.
        let shown_by_runs = results.warnings.iter();
        for warning in shown_by_runs.filter(|warning| !told.contains(warning)) {
            console.warn(warning);
        }
        let mut report = Report::new(&results);
        report.charts = !arguments.no_charts;
        report.threads = arguments.threads.map_or(report.threads, usize::from);
        if deliver(&report, folder, arguments.format, console)? != Outcome::Fine {
            broken.push(scenario.name.as_str());
        }
        saved.push(file);
        expectations.extend(results.expectations);
    }
    // Not before all are done: until then an interrupted command goes on from them.
    saved.into_iter().try_for_each(RunFile::remove)?;
    if scenarios.len() > 1 && arguments.shard.is_none() {
        let tally = ExpectationResult::tally(&expectations);
        console.say(&all_in_all(tally, &broken));
    }
    Ok(Outcome::of_broken(broken.len()))
}

/// From now on the first Ctrl-C (elsewhere than on Windows SIGTERM and SIGHUP, too) stops the work in order, and the second ends the process at
/// once.
fn end_in_order(console: Console) -> Result<()> {
    ctrlc::set_handler(move || {
        if IS_STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(Outcome::Interrupted as i32);
        }
        console.say("stopping; finished runs are saved, Ctrl-C again ends at once");
    })
    .context("can't wait for Ctrl-C")
}

/// The folder of a scenario's results. That of the file as it is is not replaced by a run of a changed one unless the user says where
/// results go: the numbers would no longer be those of the file.
pub fn claim(
    scenario: &Scenario,
    (out, is_said): (&Path, bool),
    force: bool,
) -> Result<OutputFolder> {
    let folder = OutputFolder::claim(out, &scenario.results_name(), force)?;
    let changed = !scenario.options.quick && !scenario.overrides.is_empty();
    if changed && !is_said && !force && folder.holds_unchanged_results() {
        let (path, overrides) = (folder.path().display(), scenario.overrides.join(", "));
        bail!(
            "`{path}` holds the results of the file as it is; a run with {overrides} would replace them\ngive it a place of its own with `--out DIR`, or replace them with `--force`"
        );
    }
    Ok(folder)
}

fn experiment<'a>(scenario: &'a Scenario, arguments: &RunArguments) -> Experiment<'a> {
    Experiment::new(scenario).threads(arguments.threads.map_or(0, usize::from))
}

/// `137 expectations, all hold`, or in which scenarios they don't.
fn all_in_all((holding, faults, known): (usize, usize, usize), broken: &[&str]) -> String {
    let counted = counted(holding + faults + known, "expectation");
    match (broken, known) {
        ([], 0) => format!("{counted}, all hold"),
        ([], known) => format!("{counted}, {holding} hold, {known} known to fail"),
        _ => format!("{counted}, some broken: {}", broken.join(", ")),
    }
}

/// Makes the runs of a scenario, or those of a shard, and saves them to a file; `None` when they were interrupted.
fn simulate(
    runs: &ExperimentRuns<'_>,
    arguments: &RunArguments,
    console: &Console,
) -> Result<Option<RunFile>> {
    let shard = arguments.shard.unwrap_or(Shard::ALL);
    let name = runs.scenario().results_name();
    let path = saved_runs::path(out(&arguments.out).0, &name, arguments.shard);
    let (resume, force) = (arguments.resume, arguments.force);
    let saver = saved_runs::open(&path, runs, shard, resume, force, console)?;
    let (all, missing) = (runs.of(shard), runs.missing(shard));
    let bar = console.progress(&runs.scenario().name, runs.effort(&all));
    bar.set_position(runs.effort(&all) - runs.effort(&missing));
    runs.run(
        shard,
        &IS_STOPPED,
        |progress| bar.set_position(progress.done),
        |run| saver.save(run, &IS_STOPPED),
    );
    bar.finish_and_clear();
    let saved = saver.finish()?;
    let (all, missing) = (all.len(), runs.missing(shard).len());
    let file = saved.path.display();
    if missing > 0 {
        console.insist(&format!(
            "interrupted: {} of {} saved in {file}; the same command with `--resume` goes on from there",
            all - missing,
            counted(all, "run")
        ));
        return Ok(None);
    }
    if let Some(shard) = arguments.shard {
        let count = counted(runs.count(), "run");
        console.say(&format!("shard {shard}: {all} of {count}; {file}"));
    }
    Ok(Some(saved))
}

/// What all runs come to, once they are there.
pub fn results(runs: ExperimentRuns<'_>) -> Result<Results> {
    runs.results()
        .context("a run is missing that was said to be there")
}

/// Results to their files, and to the user; whether all expectations stand as they should.
pub fn deliver(
    report: &Report<'_>,
    folder: &OutputFolder,
    format: Format,
    console: &Console,
) -> Result<Outcome> {
    let results = report.results;
    folder.write(Report::is_own_file, |path| Ok(report.write(path)?))?;
    console.data(&report.render(format, console.table_style()))?;
    let expectations = results.expectations.iter();
    let broken: Vec<&ExpectationResult> = expectations
        .filter(|result| result.standing().is_fault())
        .collect();
    let seen = matches!(format, Format::Table | Format::Markdown);
    if !(seen && console.data_is_seen()) {
        for result in &broken {
            console.broken(&told(result));
        }
    }
    console.say(&last_line(results, broken.len(), folder.path()));
    Ok(Outcome::of_broken(broken.len()))
}

/// `plain: server_max_share is 1.000 [1.000, 1.000], expected below 0.75 (because ...)`.
fn told(result: &ExpectationResult) -> String {
    let because = result.because.as_ref().map(|it| format!(" ({it})"));
    let because = because.unwrap_or_default();
    format!("{}: {result}{because}", result.strategy)
}

/// `5 strategies, 2 hot; output/five-keys/report.html`.
fn last_line(results: &Results, broken: usize, folder: &Path) -> String {
    let hot = results.strategies.iter().filter(|it| it.is_hot()).count();
    let broken = (broken > 0).then(|| format!(", {} broken", counted(broken, "expectation")));
    let broken = broken.unwrap_or_default();
    let (points, all) = (results.point_count(), results.strategies.len());
    let hot = match results.sweep.is_empty() {
        true => format!("{hot} hot"),
        false => format!("each at {}, {hot} of {all} hot", counted(points, "point")),
    };
    let known = match ExpectationResult::tally(&results.expectations) {
        (.., 0) => String::new(),
        (holding, _, known) => format!(", {holding} hold, {known} known to fail"),
    };
    format!(
        "{}, {hot}{broken}{known}; {}",
        counted(all / points.max(1), "strategy"),
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
