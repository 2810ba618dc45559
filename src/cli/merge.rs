//! `keyheat merge`: the runs of all shards to the results that one machine would have made. Must not simulate.

use super::args::{MergeArguments, out};
use super::console::{Console, Outcome};
use super::loading::expand;
use super::run::{claim, deliver, results};
use super::saved_runs;
use crate::experiment::{Experiment, ExperimentRuns, RunFileHeader, SavedRuns, Shard};
use crate::report::Report;
use crate::text::{counted, verb};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Missing runs that are named; more are counted.
const NAMED: usize = 10;

pub fn run(arguments: &MergeArguments, console: &Console) -> Result<Outcome> {
    let mut by_scenario: BTreeMap<String, Vec<(PathBuf, SavedRuns)>> = BTreeMap::new();
    let missing = format!("*.shard-K-of-N{}", saved_runs::ENDING);
    let help = "\n`keyheat run --shard K/N` makes them";
    for path in expand(&arguments.files, is_shard, (&missing, help))? {
        let saved = SavedRuns::read(&path)?;
        saved_runs::tell_cut_off(&saved, &path, console);
        let name = saved.header.name.clone();
        by_scenario.entry(name).or_default().push((path, saved));
    }
    let mut ended = Outcome::Fine;
    for shards in by_scenario.into_values() {
        ended = ended.max(merge(shards, arguments, console)?);
    }
    Ok(ended)
}

fn is_shard(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(saved_runs::ENDING) && name.contains(".shard-")
}

/// The shards of one scenario.
fn merge(
    shards: Vec<(PathBuf, SavedRuns)>,
    arguments: &MergeArguments,
    console: &Console,
) -> Result<Outcome> {
    let (path, first) = shards.first().context("no shard of the scenario")?;
    let scenario = match first.header.scenario() {
        Ok(scenario) => scenario,
        Err(error) => {
            console.insist_styled(&error.render(true));
            return Ok(Outcome::Refused);
        }
    };
    let folder = claim(&scenario, out(&arguments.out), arguments.force)?;
    let runs = Experiment::new(&scenario).start()?;
    let here = RunFileHeader::new(&runs, Shard::ALL);
    for (at, (other, saved)) in shards.iter().enumerate() {
        let differences = saved.header.differences(&here);
        if !differences.is_empty() {
            let (other, differences) = (other.display(), differences.join("; "));
            match at {
                0 => bail!("`{other}` can't be merged by this keyheat: {differences}"),
                _ => bail!(
                    "`{other}` and `{}` are not of the same experiment: {differences} (saved: the one, now: the other)",
                    path.display()
                ),
            }
        }
    }
    let of: Vec<Shard> = shards.iter().map(|(_, saved)| saved.header.shard).collect();
    for (path, saved) in shards {
        saved_runs::add(&runs, saved, &path)?;
    }
    refuse_incomplete(&runs, &of)?;
    let results = results(runs)?;
    let mut report = Report::new(&results);
    report.charts = !arguments.no_charts;
    deliver(&report, &folder, arguments.format, console)
}

/// Says which runs are missing, and which shards would bring them.
fn refuse_incomplete(runs: &ExperimentRuns<'_>, shards: &[Shard]) -> Result<()> {
    let missing = runs.missing(Shard::ALL);
    if missing.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = missing
        .iter()
        .take(NAMED)
        .map(|&run| runs.name(run))
        .collect();
    if missing.len() > NAMED {
        names.push(format!("{} more", missing.len() - NAMED));
    }
    let of = shards.first().map_or(1, |shard| shard.of());
    let lacking = (1..=of).filter_map(|number| Shard::new(number, of).ok());
    let lacking = lacking.filter(|shard| !runs.missing(*shard).is_empty());
    let lacking = lacking.map(|shard| format!("`--shard {shard} --resume`"));
    let lacking: Vec<String> = lacking.take(NAMED).collect();
    bail!(
        "{}: {} of {} {} missing: {}\nmake {} with {}",
        runs.scenario().name,
        missing.len(),
        counted(runs.count(), "run"),
        verb(missing.len(), ["is", "are"]),
        names.join(", "),
        verb(missing.len(), ["it", "them"]),
        lacking.join(", ")
    );
}
