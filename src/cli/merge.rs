//! `keyheat merge`: the runs of all shards to the results that one machine would have made. Must not simulate.

use super::args::MergeArguments;
use super::console::Console;
use super::outcome::Outcome;
use super::run::{claim, is_broken, show, write};
use super::saved_runs;
use crate::experiment::{Experiment, ExperimentRuns, RunFileHeader, SavedRuns, Shard};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Missing runs that are named; more are counted.
const NAMED: usize = 10;

pub fn run(arguments: &MergeArguments, console: &Console) -> Result<Outcome> {
    let mut by_scenario: BTreeMap<String, Vec<(PathBuf, SavedRuns)>> = BTreeMap::new();
    for path in files(&arguments.files)? {
        let saved = SavedRuns::read(&path)?;
        if saved.cut_off > 0 {
            console.warn(&saved_runs::cut_off(&path));
        }
        let name = saved.header.name().to_owned();
        by_scenario.entry(name).or_default().push((path, saved));
    }
    let mut ended = Outcome::Fine;
    for shards in by_scenario.into_values() {
        ended = ended.max(merge(shards, arguments, console)?);
    }
    Ok(ended)
}

/// The files that `paths` stand for: of a folder all those of shards, in order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => files.extend(shards_in(path)?),
            false => files.push(path.clone()),
        }
    }
    Ok(files)
}

fn shards_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("can't read the folder `{}`", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        let entry = entry.with_context(context)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(saved_runs::ENDING) && name.contains(".shard-") {
            files.push(entry.path());
        }
    }
    if files.is_empty() {
        bail!(
            "no `*.shard-K-of-N{}` in the folder `{}`\n`keyheat run --shard K/N` makes them",
            saved_runs::ENDING,
            folder.display()
        );
    }
    files.sort();
    Ok(files)
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
    let folder = claim(&scenario, arguments.out(), arguments.force)?;
    let runs = Experiment::new(&scenario).start()?;
    let here = RunFileHeader::new(&runs, Shard::ALL);
    let differences = first.header.differences(&here);
    if !differences.is_empty() {
        bail!(
            "`{}` can't be merged by this keyheat: {}",
            path.display(),
            differences.join("; ")
        );
    }
    for (other, saved) in &shards[1..] {
        let differences = saved.header.differences(&here);
        if !differences.is_empty() {
            bail!(
                "`{}` and `{}` are not of the same experiment: {} (saved: the one, now: the other)",
                other.display(),
                path.display(),
                differences.join("; ")
            );
        }
    }
    let of: Vec<Shard> = shards
        .iter()
        .map(|(_, saved)| saved.header.shard())
        .collect();
    for (path, saved) in shards {
        saved_runs::add(&runs, saved, &path)?;
    }
    refuse_incomplete(&runs, &of)?;
    let results = runs
        .results()
        .context("a run is missing that was said to be there")?;
    write(&results, &folder, !arguments.no_charts)?;
    show(&results, &folder, arguments.format, console)?;
    Ok(match is_broken(&results) {
        true => Outcome::Broken,
        false => Outcome::Fine,
    })
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
    let lacking: Vec<String> = (1..=of)
        .filter_map(|number| Shard::new(number, of).ok())
        .filter(|shard| !runs.missing(*shard).is_empty())
        .map(|shard| format!("`--shard {shard} --resume`"))
        .take(NAMED)
        .collect();
    bail!(
        "{}: {} of {} runs are missing: {}\nmake them with {}",
        runs.scenario().name,
        missing.len(),
        runs.count(),
        names.join(", "),
        lacking.join(", ")
    );
}
