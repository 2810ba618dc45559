//! Runs in a file: what an experiment that was interrupted goes on from, and what shards leave for the merge. Must not know when
//! they are saved.
//!
//! A header and then one run after the other, each a line of JSON and a gzip member of its own: the file is an ordinary
//! `.jsonl.gz`, and a run is there whole or, when the machine died while it was written, is dropped at the next look.

use super::{ExperimentRuns, FinishedRun, Shard, SweptList};
use crate::scenario::{LoadError, Options, Scenario, is_file_stem};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Version of the format.
const FORMAT: u32 = 4;
/// Bytes of a line, at most: far more than the largest run, and less than would hurt.
const LINE_LIMIT: u64 = 1 << 30;

/// Whose runs a file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFileHeader {
    keyheat_runs: u32,
    tool: String,
    /// The scenario's name.
    pub name: String,
    path: String,
    folder: String,
    text: String,
    sha256: String,
    fingerprint: String,
    options: Options,
    overrides: Vec<String>,
    strategies: Vec<String>,
    sweep: Vec<SweptList>,
    seed: u64,
    replicates: u32,
    /// Number of runs of the whole experiment.
    pub runs: usize,
    /// Which part of the runs the file is for.
    pub shard: Shard,
}

/// Why a file of runs can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// The system says no.
    #[error("can't {verb} `{}`", path.display())]
    Io {
        /// `read`, `write` or `create`.
        verb: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else is at it.
    #[error("another keyheat is writing `{}`\nwait for it, or choose another `--out`", .0.display())]
    InUse(PathBuf),
    /// It does not begin as such a file does.
    #[error("`{}` is no file of saved runs", .0.display())]
    Foreign(PathBuf),
    /// Its results would be written somewhere else.
    #[error("`{}` names its scenario `{name}`, expected a file name", path.display())]
    Name {
        /// Which file.
        path: PathBuf,
        /// What stands there.
        name: String,
    },
    /// Something else that must not be written through, as a symbolic link.
    #[error("`{}` is no regular file\nremove it, or choose another `--out`", .0.display())]
    Irregular(PathBuf),
    /// It comes from another version of the format.
    #[error("`{}` has version {found} of saved runs, expected {FORMAT}", path.display())]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// What a file of runs holds.
#[derive(Debug)]
pub struct SavedRuns {
    /// Whose they are.
    pub header: RunFileHeader,
    /// In the order in which they ended.
    pub runs: Vec<FinishedRun>,
    /// Bytes at the end that are no whole run: one that was cut off.
    pub cut_off: u64,
}

/// A file that runs are appended to; nobody else's as long as it is open.
#[derive(Debug)]
pub struct RunFile {
    file: File,
    /// Where it is.
    pub path: PathBuf,
    /// Bytes of whole runs.
    whole: u64,
}

impl RunFileHeader {
    /// That of an experiment's shard.
    pub fn new(runs: &ExperimentRuns<'_>, shard: Shard) -> Self {
        let scenario = runs.scenario();
        let names = scenario.strategies.iter().map(|strategy| &strategy.name);
        Self {
            keyheat_runs: FORMAT,
            tool: concat!("keyheat ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: scenario.name.clone(),
            path: scenario.path.clone(),
            folder: scenario.folder.to_string_lossy().into_owned(),
            text: scenario.text.clone(),
            sha256: scenario.sha256.clone(),
            fingerprint: scenario.fingerprint(),
            options: scenario.options.clone(),
            overrides: scenario.overrides.clone(),
            strategies: names.cloned().collect(),
            sweep: scenario.sweep.clone(),
            seed: scenario.seed.0,
            replicates: scenario.replicates,
            runs: runs.count(),
            shard,
        }
    }

    /// The scenario itself, read again.
    ///
    /// # Errors
    /// When this keyheat does not understand it, or files that it names are not there any more.
    pub fn scenario(&self) -> Result<Scenario, LoadError> {
        let folder = Path::new(&self.folder);
        Scenario::parse_in(&self.text, &self.name, &self.path, folder, &self.options)
    }

    /// What differs between this, which was saved, and `now`, so that their runs may not be mixed: in words, empty when nothing does. Shards
    /// may differ.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let list = |values: Vec<String>| match values.is_empty() {
            true => "none".to_owned(),
            false => values.join(", "),
        };
        // Those of the seed and the replicates are told by themselves, wherever they were changed.
        let is_told = |set: &&String| set.starts_with("seed=") || set.starts_with("replicates=");
        let facts = |of: &Self| {
            let settings = of.overrides.iter().filter(|set| !is_told(set)).cloned();
            let sweep = of.sweep.iter().map(SweptList::to_string);
            [
                ("version", of.tool.clone()),
                ("scenario", of.name.clone()),
                ("settings", list(settings.collect())),
                ("sweep", list(sweep.collect())),
                ("strategies", list(of.strategies.clone())),
                ("seed", of.seed.to_string()),
                ("replicates", of.replicates.to_string()),
            ]
        };
        let mut differences = Vec::new();
        let mut differ = |what: &str, saved: &str, now: &str| {
            differences.push(format!("{what}: saved {saved}, now {now}"));
        };
        for ((what, saved), (_, now)) in facts(self).iter().zip(facts(now)) {
            if *saved != now {
                differ(what, saved, &now);
            }
        }
        if self.sha256 != now.sha256 {
            differ("text", &short(&self.sha256), &short(&now.sha256));
        }
        if differences.is_empty() && self.fingerprint != now.fingerprint {
            differences.push("the values in the files that the scenario names".to_owned());
        }
        if differences.is_empty() && self.runs != now.runs {
            differences.push(format!("runs: saved {}, now {}", self.runs, now.runs));
        }
        differences
    }
}

fn short(sha256: &str) -> String {
    format!("sha256 {}", sha256.get(..12).unwrap_or(sha256))
}

impl SavedRuns {
    /// Reads a file.
    ///
    /// # Errors
    /// When it can't be read, or is none of saved runs. What is cut off at its end is no error.
    pub fn read(path: &Path) -> Result<Self, RunFileError> {
        let file = File::open(path).map_err(|source| io_error("read", path, source))?;
        Ok(Self::read_from(path, &file)?.0)
    }

    /// The same, and how many bytes are whole runs.
    fn read_from(path: &Path, file: &File) -> Result<(Self, u64), RunFileError> {
        let failed = |source| io_error("read", path, source);
        let size = file.metadata().map_err(failed)?.len();
        let mut reader = BufReader::new(file);
        let foreign = || RunFileError::Foreign(path.to_owned());
        let header = member(&mut reader).map_err(failed)?.ok_or_else(foreign)?;
        #[derive(Deserialize)]
        struct VersionOnly {
            keyheat_runs: u32,
        }
        let version: VersionOnly = serde_json::from_slice(&header).map_err(|_| foreign())?;
        if version.keyheat_runs != FORMAT {
            return Err(RunFileError::Version {
                path: path.to_owned(),
                found: version.keyheat_runs,
            });
        }
        let header: RunFileHeader = serde_json::from_slice(&header).map_err(|_| foreign())?;
        if !is_file_stem(&header.name) {
            return Err(RunFileError::Name {
                path: path.to_owned(),
                name: header.name,
            });
        }
        let mut runs = Vec::new();
        let mut whole = reader.stream_position().map_err(failed)?;
        while let Some(line) = member(&mut reader).map_err(failed)? {
            let Ok(run) = serde_json::from_slice(&line) else {
                break;
            };
            runs.push(run);
            whole = reader.stream_position().map_err(failed)?;
        }
        let saved = Self {
            header,
            runs,
            cut_off: size.saturating_sub(whole),
        };
        Ok((saved, whole))
    }
}

/// The next gzip member; `None` at the end, and when it is not whole.
fn member(reader: &mut (impl BufRead + ?Sized)) -> io::Result<Option<Vec<u8>>> {
    if reader.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut line = Vec::new();
    let read = GzDecoder::new(reader)
        .take(LINE_LIMIT + 1)
        .read_to_end(&mut line);
    match read {
        Ok(length) if length as u64 <= LINE_LIMIT => Ok(Some(line)),
        Ok(_) => Ok(None),
        Err(error) if is_damage(error.kind()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether it is the bytes that are wrong, not the disk.
fn is_damage(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(kind, InvalidData | InvalidInput | UnexpectedEof)
}

impl RunFile {
    /// A new file, instead of any that is there.
    ///
    /// # Errors
    /// When it can't be written, or somebody else is writing it.
    pub fn create(path: &Path, header: &RunFileHeader) -> Result<Self, RunFileError> {
        let mut file = Self::open(path)?;
        file.cut(0)?;
        file.append_line(header)?;
        Ok(file)
    }

    /// The file that is there, and what it holds, to be appended to; `None` when there is none. A run that was cut off is dropped from the
    /// file when the next one is appended.
    ///
    /// # Errors
    /// When it can't be read or written, somebody else is writing it, or it is no such file.
    pub fn go_on(path: &Path) -> Result<Option<(Self, SavedRuns)>, RunFileError> {
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let mut file = Self::open(path)?;
        let (saved, whole) = SavedRuns::read_from(path, &file.file)?;
        file.whole = whole;
        Ok(Some((file, saved)))
    }

    fn open(path: &Path) -> Result<Self, RunFileError> {
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            return Err(RunFileError::Irregular(path.to_owned()));
        }
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|source| io_error("write", path, source))?;
        // A file system without locks is no reason to refuse.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(RunFileError::InUse(path.to_owned()));
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            whole: 0,
        })
    }

    /// Appends a run, whole or, on an error, not at all.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn append(&mut self, run: &FinishedRun) -> Result<(), RunFileError> {
        self.cut(self.whole)?;
        self.append_line(run)
    }

    fn append_line(&mut self, line: &impl Serialize) -> Result<(), RunFileError> {
        let mut write = || -> io::Result<()> {
            let bytes = compressed(line)?;
            self.file.write_all(&bytes)?;
            self.whole += bytes.len() as u64;
            Ok(())
        };
        write().map_err(|source| {
            // What stays of it is dropped at the next look, if it can't be now.
            let _ = self.file.set_len(self.whole);
            io_error("write", &self.path, source)
        })
    }

    fn cut(&mut self, whole: u64) -> Result<(), RunFileError> {
        self.whole = whole;
        let cut = self.file.set_len(whole);
        cut.map_err(|source| io_error("write", &self.path, source))
    }

    /// Removes it: its runs have become results.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove(self) -> Result<(), RunFileError> {
        let Self { file, path, .. } = self;
        drop(file);
        std::fs::remove_file(&path).map_err(|source| io_error("remove", &path, source))
    }
}

fn compressed(line: &impl Serialize) -> io::Result<Vec<u8>> {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // The encoder clears 32 KiB of its output for each piece that it is given: a few large ones, not one a number.
    let mut buffered = BufWriter::new(encoder);
    serde_json::to_writer(&mut buffered, line)?;
    buffered.write_all(b"\n")?;
    buffered.into_inner()?.finish()
}

fn io_error(verb: &'static str, path: &Path, source: io::Error) -> RunFileError {
    RunFileError::Io {
        verb,
        path: path.to_owned(),
        source,
    }
}
