//! From the arguments to scenarios with the command line's changes, or all that is wrong with them on stderr. Must not know what is done with
//! a scenario.

use super::args::{ChangeArguments, OneScenario};
use super::console::{Console, Told};
use crate::experiment::{Experiment, Results};
use crate::layout::misplaced_regions;
use crate::scenario::{LoadError, Options, Scenario, Strategy};
use crate::text::{counted, joined, nearest};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands for standard input where a scenario file is named, as in most tools; a file of this name is `./-`.
pub const STDIN: &str = "-";

/// The files that `paths` stand for: of a folder those that are wanted, in order of their names. `missing` says what a folder without any lacks,
/// and what to do about it.
pub fn expand(
    paths: &[PathBuf],
    is_wanted: fn(&Path) -> bool,
    missing: (&str, &str),
) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let context = || format!("can't read the folder `{}`", path.display());
        let mut found = Vec::new();
        for entry in fs::read_dir(path).with_context(context)? {
            found.push(entry.with_context(context)?.path());
        }
        found.retain(|file| is_wanted(file));
        if found.is_empty() {
            let (missing, help) = missing;
            bail!("no `{missing}` in the folder `{}`{help}", path.display());
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// The scenario files that `paths` stand for.
pub fn scenario_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let is_toml = |file: &Path| file.extension().is_some_and(|it| it == "toml") && file.is_file();
    expand(paths, is_toml, ("*.toml", ""))
}

/// Refuses two files that would write the same output folder.
pub fn refuse_equal_names(files: &[PathBuf]) -> Result<()> {
    let mut by_name = BTreeMap::new();
    for file in files {
        if let Some(other) = by_name.insert(file.file_stem(), file) {
            let (other, file) = (other.display(), file.display());
            bail!(
                "`{other}` and `{file}` would write the same output folder\nrun them one by one, with another `--out` for one of them"
            );
        }
    }
    Ok(())
}

/// The scenario, as the command line changes it.
pub fn load(input: &OneScenario, console: &Console) -> Result<Scenario> {
    let file = std::slice::from_ref(&input.scenario);
    let mut scenarios = load_all(file, &input.changes, console)?;
    Ok(scenarios.swap_remove(0))
}

/// All scenarios, in order; fails when any can't be used, and the user has been told all that is wrong with each.
pub fn load_all(
    files: &[PathBuf],
    changes: &ChangeArguments,
    console: &Console,
) -> Result<Vec<Scenario>> {
    usable(load_each(files, changes), console)
}

/// The scenarios, if all can be used; else the user is told all that is wrong with each.
pub fn usable(
    loaded: Vec<Result<Scenario, LoadError>>,
    console: &Console,
) -> Result<Vec<Scenario>> {
    for error in loaded.iter().filter_map(|it| it.as_ref().err()) {
        console.insist_styled(&error.render(true));
    }
    let all: Result<Vec<Scenario>, LoadError> = loaded.into_iter().collect();
    all.map_err(|_| Told.into())
}

/// Each scenario, or what is wrong with it.
pub fn load_each(files: &[PathBuf], changes: &ChangeArguments) -> Vec<Result<Scenario, LoadError>> {
    let options = Options {
        sets: changes.set.clone(),
        sweeps: changes.sweep.clone(),
        quick: changes.quick,
        only: changes.only.clone(),
        replicates: changes.replicates,
        seed: changes.seed,
    };
    let load = |file: &PathBuf| {
        let scenario = match file.as_os_str() == STDIN {
            true => Scenario::read_from(std::io::stdin().lock(), "stdin", &options),
            false => Scenario::load_with(file, &options),
        }?;
        let diagnostics = misplaced_regions(&scenario);
        if diagnostics.is_empty() {
            return Ok(scenario);
        }
        let Scenario { path, text, .. } = scenario;
        Err(LoadError {
            path,
            text,
            diagnostics,
        })
    };
    files.iter().map(load).collect()
}

/// The strategy of that name, or the only one.
pub fn strategy<'a>(scenario: &'a Scenario, name: Option<&str>) -> Result<&'a Strategy> {
    let all = &scenario.strategies;
    let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
    let listed = names.join(", ");
    let Some(name) = name else {
        return match &all[..] {
            [only] => Ok(only),
            _ => bail!("which strategy?\nadd `--strategy` with one of {listed}"),
        };
    };
    let found = all.iter().find(|strategy| strategy.name == name);
    found.ok_or_else(|| match nearest(name, names) {
        Some(near) => anyhow!("there is no strategy `{name}`\ndid you mean `{near}`?"),
        None => anyhow!("there is no strategy `{name}`\nthe scenario has {listed}"),
    })
}

/// Simulates all of a scenario, with a progress bar.
pub fn simulate(scenario: &Scenario, threads: Option<u16>, console: &Console) -> Result<Results> {
    let experiment = Experiment::new(scenario).threads(threads.map_or(0, usize::from));
    let bar = console.progress(&scenario.name, experiment.runs());
    let results = experiment.try_run(|progress| bar.set_position(progress.done))?;
    bar.finish_and_clear();
    Ok(results)
}

/// Says which point of a sweep is shown by what shows one only.
pub fn tell_first_point(scenario: &Scenario, console: &Console) {
    if scenario.points.is_empty() {
        return;
    }
    let values = scenario.values_at(0).iter();
    let values = values.map(|swept| format!("{} = {}", swept.path, swept.value));
    let (point_count, values) = (scenario.point_count(), joined(values, ", "));
    console.say(&format!(
        "the first of {} of the sweep: {values}\n",
        counted(point_count, "point")
    ));
}
