//! Finished runs, saved beside the output folder while the others are made. Must not know what becomes of them.

use super::console::Console;
use crate::experiment::{
    ExperimentRuns, FinishedRun, RunFile, RunFileError, RunFileHeader, SavedRuns, Shard,
};
use crate::text::{counted, verb};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the name of every file of saved runs ends.
pub const ENDING: &str = ".runs.jsonl.gz";

/// The file that runs are saved to as they end.
pub struct RunSaver(Mutex<(RunFile, Result<()>)>);

/// `output/five-keys.unfinished.runs.jsonl.gz`, or `output/five-keys.shard-2-of-3.runs.jsonl.gz`.
pub fn path(out: &Path, scenario: &str, shard: Option<Shard>) -> PathBuf {
    let part = match shard {
        None => "unfinished".to_owned(),
        Some(shard) => format!("shard-{}-of-{}", shard.number(), shard.of()),
    };
    out.join(format!("{scenario}.{part}{ENDING}"))
}

/// The saver of an experiment's runs. With `resume`, those that were saved before are added to `runs` first; without, they are dropped,
/// and that is said. A shard of another experiment is dropped only by `force`, as is a file that holds no runs.
pub fn open(
    path: &Path,
    runs: &ExperimentRuns<'_>,
    shard: Shard,
    resume: bool,
    force: bool,
    console: &Console,
) -> Result<RunSaver> {
    let header = RunFileHeader::new(runs, shard);
    let before = match RunFile::go_on(path) {
        Err(error @ (RunFileError::Foreign(_) | RunFileError::Version { .. })) if !resume => {
            // What was killed before it wrote anything leaves an empty file.
            if !force && fs::metadata(path).is_ok_and(|file| file.len() > 0) {
                return Err(error).context("it is not replaced without `--force`");
            }
            None
        }
        before => before?,
    };
    if let Some((file, saved)) = before {
        let differences = saved.header.differences(&header);
        let is_kept = shard != Shard::ALL && !force;
        if !differences.is_empty() && (resume || is_kept) {
            let help = match resume {
                true => "run it as it was, or without `--resume` to begin again",
                false => "replace them with `--force`, or choose another `--out`",
            };
            let (path, differences) = (path.display(), differences.join("; "));
            bail!("`{path}` holds runs of something else: {differences}\n{help}");
        }
        let (count, all) = (saved.runs.len(), saved.header.runs);
        if resume {
            let name = &runs.scenario().name;
            let all = runs.of(shard).len();
            tell_cut_off(&saved, path, console);
            add(runs, saved, path)?;
            console.say(&format!(
                "{name}: {count} of {} {} there already",
                counted(all, "run"),
                verb(count, ["is", "are"])
            ));
            return Ok(RunSaver::of(file));
        }
        if count > 0 {
            console.warn(&format!(
                "the {count} of {} in `{}` {} dropped: `--resume` would go on from {}",
                counted(all, "run"),
                path.display(),
                verb(count, ["is", "are"]),
                verb(count, ["it", "them"])
            ));
        }
    }
    Ok(RunSaver::of(RunFile::create(path, &header)?))
}

/// Takes in what a file holds.
pub fn add(runs: &ExperimentRuns<'_>, saved: SavedRuns, path: &Path) -> Result<()> {
    let mut saved = saved.runs.into_iter();
    saved
        .try_for_each(|run| runs.add(run))
        .with_context(|| format!("`{}` can't be used", path.display()))
}

/// Warns of a run that was cut off.
pub fn tell_cut_off(saved: &SavedRuns, path: &Path, console: &Console) {
    if saved.cut_off > 0 {
        console.warn(&format!(
            "the end of `{}` was cut off or damaged: what is not a whole run is left out",
            path.display()
        ));
    }
}

impl RunSaver {
    fn of(file: RunFile) -> Self {
        Self(Mutex::new((file, Ok(()))))
    }

    /// Saves a run; when that fails, no more are begun, and [`RunSaver::finish`] says why.
    pub fn save(&self, run: &FinishedRun, stop: &AtomicBool) {
        let (file, saved) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.is_ok() {
            *saved = file.append(run).map_err(Into::into);
            stop.fetch_or(saved.is_err(), Ordering::Relaxed);
        }
    }

    /// The file, with all runs that ended.
    pub fn finish(self) -> Result<RunFile> {
        let (file, saved) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        saved.map(|()| file)
    }
}
