//! From the arguments to scenario files: folders are their `*.toml`, in order of their names.
//!
//! Must not know what a scenario is.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that `paths` stand for.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(toml_files(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn toml_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("can't read the folder `{}`", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && path.is_file()
        {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("no `*.toml` in the folder `{}`", folder.display());
    }
    files.sort();
    Ok(files)
}

/// Refuses two files that would write the same output folder.
pub fn refuse_equal_names(files: &[PathBuf]) -> Result<()> {
    let mut by_name = BTreeMap::new();
    for file in files {
        if let Some(other) = by_name.insert(file.file_stem(), file) {
            bail!(
                "`{}` and `{}` would write the same output folder\nrun them one by one, with another `--out` for one of them",
                other.display(),
                file.display()
            );
        }
    }
    Ok(())
}
