//! The folder that a run writes: made aside, then renamed, and never over somebody else's.
//!
//! Must not know what is written into it.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that may be written, checked before anything is simulated.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
}

impl OutputFolder {
    /// `parent/name`, if it can be written: the parent takes files, and the folder does not exist, is empty, was made by
    /// keyheat, or `force` is set.
    pub fn claim(parent: &Path, name: &str, force: bool) -> Result<Self> {
        let target = parent.join(name);
        fs::create_dir_all(parent)
            .with_context(|| format!("can't create the folder `{}`", parent.display()))?;
        aside(parent, name)?;
        if !force && !is_replaceable(&target)? {
            bail!(
                "`{}` was not made by keyheat: it is not replaced without `--force` (or choose another `--out`)",
                target.display()
            );
        }
        Ok(Self { target })
    }

    /// The final path.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Has `write` fill a new folder, which then takes the place of the old one in a rename. If `write` fails, the old one stays.
    pub fn write(&self, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let parent = self.target.parent().unwrap_or(Path::new("."));
        let name = self
            .target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let fresh = aside(parent, &name)?;
        write(fresh.path())?;
        let put_in_place = || {
            let old = self
                .target
                .exists()
                .then(|| aside(parent, &name))
                .transpose()?;
            let kept = old.as_ref().map(|old| old.path().join("old"));
            if let Some(kept) = &kept {
                fs::rename(&self.target, kept)?;
            }
            if let Err(error) = fs::rename(fresh.path(), &self.target) {
                // The old folder goes back: it must not be dropped with what it was moved into.
                if let (Some(kept), Some(old)) = (kept, old)
                    && fs::rename(kept, &self.target).is_err()
                {
                    let _ = old.keep();
                }
                return Err(error.into());
            }
            Ok::<(), anyhow::Error>(())
        };
        put_in_place().with_context(|| format!("can't replace `{}`", self.target.display()))
    }
}

/// A new temporary folder beside the target, on the same file system; removed when dropped.
fn aside(parent: &Path, name: &str) -> Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    let prefix = format!(".{name}-");
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new folder: tempfile's own default would keep the group out.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder
        .tempdir_in(parent)
        .with_context(|| format!("can't write into the folder `{}`", parent.display()))
}

/// Nothing there, an empty folder, or one whose `results.json` says that keyheat wrote it.
fn is_replaceable(target: &Path) -> Result<bool> {
    let mut entries = match fs::read_dir(target) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(false),
        Err(error) => {
            return Err(error)
                .with_context(|| format!("can't read the folder `{}`", target.display()));
        }
    };
    if entries.next().is_none() {
        return Ok(true);
    }
    #[derive(serde::Deserialize)]
    struct Marker {
        tool: String,
    }
    let marker = fs::read(target.join("results.json")).ok();
    let marker = marker.and_then(|bytes| serde_json::from_slice::<Marker>(&bytes).ok());
    Ok(marker.is_some_and(|marker| marker.tool.starts_with("keyheat ")))
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

    #[test]
    fn a_folder_of_keyheat_is_replaced_whole_and_nothing_is_left_beside_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        folder.write(write_results).unwrap();
        fs::write(folder.path().join("stale.csv"), "old").unwrap();

        let again = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        again.write(write_results).unwrap();

        let names = |folder: &Path| {
            fs::read_dir(folder)
                .unwrap()
                .map(|e| e.unwrap().file_name())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(folder.path()), ["results.json"]);
        assert_eq!(names(parent.path()), ["abc"]);
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
                .write(write_results)
                .unwrap();
            assert!(parent.path().join(name).join("results.json").exists());
        }
    }

    #[test]
    fn the_old_folder_stays_when_writing_fails() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OutputFolder::claim(parent.path(), "abc", false).unwrap();
        folder.write(write_results).unwrap();
        folder.write(|_| bail!("disk full")).unwrap_err();
        assert!(folder.path().join("results.json").exists());
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
