//! Finished runs, saved beside the output folder while the others are made. Must not know what becomes of them.

use super::console::Console;
use crate::experiment::{
    ExperimentRuns, FinishedRun, RunFile, RunFileError, RunFileHeader, SavedRuns, Shard,
};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the name of every file of saved runs ends.
pub const ENDING: &str = ".runs.jsonl.gz";

/// The file that runs are saved to as they end.
pub struct RunSaver {
    state: Mutex<State>,
}

struct State {
    file: RunFile,
    failed: Option<anyhow::Error>,
}

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
    let file = match before {
        Some((file, saved)) if !resume => {
            drop(file);
            let differences = saved.header.differences(&header);
            if shard != Shard::ALL && !differences.is_empty() && !force {
                bail!(
                    "`{}` holds runs of something else: {}\nreplace them with `--force`, or choose another `--out`",
                    path.display(),
                    differences.join("; ")
                );
            }
            if !saved.runs.is_empty() {
                console.warn(&format!(
                    "the {} of {} runs in `{}` are dropped: `--resume` would go on from them",
                    saved.runs.len(),
                    saved.header.count(),
                    path.display()
                ));
            }
            RunFile::create(path, &header)?
        }
        Some((file, saved)) => {
            let differences = saved.header.differences(&header);
            if !differences.is_empty() {
                bail!(
                    "`{}` holds runs of something else: {}\nrun it as it was, or without `--resume` to begin again",
                    path.display(),
                    differences.join("; ")
                );
            }
            if saved.cut_off > 0 {
                console.warn(&cut_off(path));
            }
            let count = saved.runs.len();
            add(runs, saved, path)?;
            console.say(&format!(
                "{}: {count} of {} runs are there already",
                runs.scenario().name,
                runs.of(shard).len()
            ));
            file
        }
        None => RunFile::create(path, &header)?,
    };
    Ok(RunSaver {
        state: Mutex::new(State { file, failed: None }),
    })
}

/// Takes in what a file holds.
pub fn add(runs: &ExperimentRuns<'_>, saved: SavedRuns, path: &Path) -> Result<()> {
    saved
        .runs
        .into_iter()
        .try_for_each(|run| runs.add(run))
        .with_context(|| format!("`{}` can't be used", path.display()))
}

/// That a run was cut off.
pub fn cut_off(path: &Path) -> String {
    format!(
        "the end of `{}` was cut off or damaged: what is not a whole run is left out",
        path.display()
    )
}

impl RunSaver {
    /// Saves a run; when that fails, no more are begun, and [`RunSaver::finish`] says why.
    pub fn save(&self, run: &FinishedRun, stop: &AtomicBool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed.is_some() {
            return;
        }
        if let Err(error) = state.file.append(run) {
            state.failed = Some(error.into());
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// The file, with all runs that ended.
    pub fn finish(self) -> Result<RunFile> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match state.failed {
            Some(error) => Err(error),
            None => Ok(state.file),
        }
    }
}
