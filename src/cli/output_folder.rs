//! The folder that a run writes: made aside, then renamed, and never over somebody else's folder or files.
//!
//! Must not know what is written into it.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that may be written, checked before anything is simulated.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    /// Something may be replaced that was not there, or was not keyheat's, when this was checked.
    force: bool,
    /// Results of keyheat were there when this was checked.
    had_results: bool,
}

impl OutputFolder {
    /// `parent/name`, if it can be written: the parent takes files, and the folder does not exist, is empty, was made by
    /// keyheat, or `force` is set.
    pub fn claim(parent: &Path, name: &str, force: bool) -> Result<Self> {
        let target = parent.join(name);
        fs::create_dir_all(parent)
            .with_context(|| format!("can't create the folder `{}`", parent.display()))?;
        clear_leftovers(parent, name, &target);
        Aside::new(parent, name)?;
        let there = Occupant::of(&target)?;
        if !force && there == Occupant::Foreign {
            bail!(
                "`{}` was not made by keyheat: it is not replaced without `--force` (or choose another `--out`)",
                target.display()
            );
        }
        Ok(Self {
            target,
            force,
            had_results: there == Occupant::Results,
        })
    }

    /// The final path.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Whether it has results of a scenario with nothing changed beside its file.
    pub fn holds_unchanged_results(&self) -> bool {
        marker(&self.target).is_some_and(|marker| marker.scenario.overrides.is_empty())
    }

    /// Has `write` fill a new folder, which then takes the place of the old one in a rename, together with the files of the old one that are not
    /// `own`, by their paths in it. If `write` fails, the old one stays; where the system can exchange two folders (Linux, macOS), one or the other
    /// is there whole at every moment. What came to the place since it was checked stays as well: then the new folder is kept beside it, and the
    /// error says where.
    pub fn write(
        &self,
        own: impl Fn(&Path) -> bool,
        write: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        let parent = self.target.parent().unwrap_or(Path::new("."));
        let name = self.target.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let fresh = Aside::new(parent, &name)?;
        write(fresh.path())?;
        let put_in_place = || {
            if !self.may_be_replaced()? {
                let found = "something was put there while the runs were made";
                return Err(std::io::Error::other(found));
            }
            if !self.target.exists() {
                return fs::rename(fresh.path(), &self.target);
            }
            if self.target.is_dir() {
                keep_others(&self.target, fresh.path(), Path::new(""), &own)?;
                // What was exchanged is the old folder, and dropped with the name that it has now.
                if exchange(fresh.path(), &self.target).is_ok() {
                    return Ok(());
                }
            }
            let old = Aside::new(parent, &name).map_err(std::io::Error::other)?;
            let kept = old.path().join(OLD);
            fs::rename(&self.target, &kept)?;
            fs::rename(fresh.path(), &self.target).inspect_err(|_| {
                // The old folder goes back: it must not be dropped with what it was moved into.
                if fs::rename(&kept, &self.target).is_err() {
                    old.keep();
                }
            })
        };
        let Err(error) = put_in_place() else {
            return Ok(());
        };
        let error = anyhow::Error::new(error);
        let target = self.target.display();
        Err(match fresh.keep_beside(parent, &name) {
            Some(kept) => error.context(format!(
                "can't replace `{target}`, the results are in `{}`",
                kept.display()
            )),
            None => error.context(format!("can't replace `{target}`")),
        })
    }

    /// Whether what is at the target now is what was there when it was checked.
    fn may_be_replaced(&self) -> std::io::Result<bool> {
        Ok(self.force
            || match Occupant::of(&self.target).map_err(std::io::Error::other)? {
                Occupant::Nothing => true,
                Occupant::Results => self.had_results,
                Occupant::Foreign => false,
            })
    }
}

/// The old folder, in the one that it waits in.
const OLD: &str = "old";

/// A new temporary folder beside the target, on the same file system; removed when dropped. As long as its maker lives it is locked.
struct Aside {
    folder: TempDir,
    _lock: Option<File>,
}

impl Aside {
    fn new(parent: &Path, name: &str) -> Result<Self> {
        let mut builder = tempfile::Builder::new();
        let prefix = prefix(name);
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new folder: tempfile's own default would keep the group out.
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        let folder = builder
            .tempdir_in(parent)
            .with_context(|| format!("can't write into the folder `{}`", parent.display()))?;
        let lock = locked(folder.path());
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps it under the first name of `name.results-1`, `name.results-2`, ... that is free; `None` when that fails.
    fn keep_beside(self, parent: &Path, name: &str) -> Option<PathBuf> {
        let kept = (1..=1_000)
            .map(|number| parent.join(format!("{name}.results-{number}")))
            .find(|path| path.symlink_metadata().is_err())?;
        fs::rename(self.path(), &kept).ok()?;
        self.keep();
        Some(kept)
    }

    /// Leaves it where it is.
    fn keep(self) {
        let _ = self.folder.keep();
    }
}

fn prefix(name: &str) -> String {
    format!(".{name}.keyheat-")
}

/// The folder with a lock that ends with its holder; `None` when another holds it, or where folders can't be locked.
fn locked(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Removes what killed processes left; an old folder that lost its place gets it back.
fn clear_leftovers(parent: &Path, name: &str, target: &Path) {
    let prefix = prefix(name);
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        // Another process is at it.
        let Some(_lock) = locked(&path) else {
            continue;
        };
        let old = path.join(OLD);
        if old.exists() && !target.exists() && fs::rename(&old, target).is_err() {
            continue;
        }
        // Who can't remove it can work all the same.
        let _ = fs::remove_dir_all(&path);
    }
}

/// Gives `fresh` the files `below` in the folder `old` that are not `own`. They are linked where that can be done: whichever folder is dropped
/// when the process is killed, they stay in the other.
fn keep_others(
    old: &Path,
    fresh: &Path,
    below: &Path,
    own: &impl Fn(&Path) -> bool,
) -> std::io::Result<()> {
    for entry in fs::read_dir(old.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            keep_others(old, fresh, &path, own)?;
        } else if !own(&path) {
            fs::create_dir_all(fresh.join(below))?;
            let to = fresh.join(&path);
            fs::hard_link(entry.path(), &to).or_else(|_| fs::copy(entry.path(), &to).map(drop))?;
        }
    }
    Ok(())
}

/// Exchanges two folders at once.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// What is at the place of an output folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupant {
    /// Nothing, or an empty folder.
    Nothing,
    /// A folder whose `results.json` says that keyheat wrote it.
    Results,
    /// Anything else.
    Foreign,
}

impl Occupant {
    fn of(target: &Path) -> Result<Self> {
        let mut entries = match fs::read_dir(target) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(Self::Foreign),
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("can't read the folder `{}`", target.display()));
            }
        };
        if entries.next().is_none() {
            return Ok(Self::Nothing);
        }
        match marker(target) {
            Some(_) => Ok(Self::Results),
            None => Ok(Self::Foreign),
        }
    }
}

/// What a `results.json` says about where it comes from.
#[derive(serde::Deserialize)]
struct Marker {
    tool: String,
    #[serde(default)]
    scenario: MarkedScenario,
}

#[derive(Default, serde::Deserialize)]
struct MarkedScenario {
    #[serde(default)]
    overrides: Vec<String>,
}

/// That of the folder, if keyheat wrote it.
fn marker(folder: &Path) -> Option<Marker> {
    let bytes = fs::read(folder.join("results.json")).ok()?;
    let marker = serde_json::from_slice::<Marker>(&bytes).ok()?;
    marker.tool.starts_with("keyheat ").then_some(marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_results(folder: &Path) -> Result<()> {
        fs::write(
            folder.join("results.json"),
            r#"{"schema_version": 1, "tool": "keyheat 0.1.0"}"#,
        )?;
        Ok(())
    }

    fn own(path: &Path) -> bool {
        path == Path::new("results.json") || path.starts_with("charts/own")
    }

    #[test]
    fn of_a_folder_of_keyheat_its_own_files_are_replaced_and_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        folder.write(own, write_results).unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("charts/own")).unwrap();
        fs::write(at("charts/own/stale.svg"), "old").unwrap();
        fs::create_dir_all(at("mine/deep")).unwrap();
        let others = ["notes.md", "charts/sketch.svg", "mine/deep/results.json"];
        for other in others {
            fs::write(at(other), other).unwrap();
        }

        let again = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        again.write(own, write_results).unwrap();

        assert!(at("results.json").exists() && !at("charts/own").exists());
        for other in others {
            assert_eq!(fs::read_to_string(at(other)).unwrap(), other);
        }
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_foreign_folder_or_file_is_refused_without_force() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join("mine")).unwrap();
        OutputFolder::claim(parent.path(), "mine", false).expect("an empty folder is nobody's");
        fs::write(parent.path().join("mine/thesis.md"), "years of work").unwrap();
        fs::write(parent.path().join("file"), "").unwrap();
        for name in ["mine", "file"] {
            let error = OutputFolder::claim(parent.path(), name, false).unwrap_err();
            assert!(error.to_string().contains("--force"), "{error}");
            OutputFolder::claim(parent.path(), name, true)
                .unwrap()
                .write(own, write_results)
                .unwrap();
            assert!(parent.path().join(name).join("results.json").exists());
        }
        assert!(parent.path().join("mine/thesis.md").exists());
    }

    #[test]
    fn the_old_folder_stays_when_writing_fails() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        folder.write(own, write_results).unwrap();
        folder.write(own, |_| bail!("disk full")).unwrap_err();
        assert!(folder.path().join("results.json").exists());
    }

    #[test]
    fn the_old_folder_stays_when_the_last_rename_fails() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        folder.write(own, write_results).unwrap();
        // The new folder is gone when its time comes: both ways to put it in place fail.
        folder
            .write(own, |fresh| Ok(fs::remove_dir_all(fresh)?))
            .unwrap_err();
        assert!(folder.path().join("results.json").exists());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_appears_while_the_runs_are_made_is_kept_beside_the_results() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        for round in 1..3 {
            let error = folder
                .write(own, |fresh| {
                    fs::create_dir_all(folder.path())?;
                    fs::write(folder.path().join("thesis.md"), "years of work")?;
                    write_results(fresh)
                })
                .unwrap_err();
            let kept = parent.path().join(format!("abc.results-{round}"));
            let said = format!("{error:#}");
            assert!(said.contains(&*kept.to_string_lossy()), "{said}");
            assert!(kept.join("results.json").exists());
            assert!(folder.path().join("thesis.md").exists());
        }
        // Results of another command are no less dear.
        fs::remove_dir_all(folder.path()).unwrap();
        folder
            .write(own, |fresh| {
                fs::create_dir(folder.path())?;
                fs::write(folder.path().join("other.csv"), "")?;
                write_results(folder.path())?;
                write_results(fresh)
            })
            .unwrap_err();
        assert!(folder.path().join("other.csv").exists());
        let forced = OutputFolder::claim(parent.path(), "abc", true).unwrap();
        forced.write(own, write_results).unwrap();
        assert!(folder.path().join("other.csv").exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_killed_runs_left_is_cleared_but_nothing_of_living_ones() {
        let parent = tempfile::tempdir().unwrap();
        let leftover = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let dead = leftover(".abc.keyheat-x1");
        write_results(&dead).unwrap();
        let moved = leftover(".abc.keyheat-x2");
        fs::create_dir(moved.join(OLD)).unwrap();
        write_results(&moved.join(OLD)).unwrap();
        let others = [leftover(".abcd.keyheat-x3"), leftover(".abc-mine")];
        let living = Aside::new(parent.path(), "abc").unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        assert!(folder.path().join("results.json").exists());
        assert!(!dead.exists() && !moved.exists());
        assert!(living.path().exists() && others.iter().all(|path| path.exists()));
    }

    #[test]
    fn a_parent_that_takes_no_files_is_found_out_at_once() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("file"), "").unwrap();
        let error = OutputFolder::claim(&parent.path().join("file"), "abc", false).unwrap_err();
        assert!(
            error.to_string().contains("can't create the folder"),
            "{error}"
        );
    }
}
