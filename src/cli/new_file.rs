//! Files that are written only where there are none. Must not know what is in them.

use anyhow::{Context, Error, Result, anyhow};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Refuses a path where something is already, before the work for it is done.
pub fn check_new(path: &Path) -> Result<()> {
    match path.exists() {
        true => Err(exists(path)),
        false => Ok(()),
    }
}

/// Writes a file that is not there yet, and the folders that it needs.
pub fn write_new(path: &Path, text: &str) -> Result<()> {
    let context = || format!("can't write `{}`", path.display());
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder).with_context(context)?;
    }
    // One step: a file that appears meanwhile is not overwritten either.
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists(path)),
        opened => opened.with_context(context)?,
    };
    let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
    if written.is_err() {
        // Half a file would be in the way of the next try.
        let _ = fs::remove_file(path);
    }
    written.with_context(context)
}

fn exists(path: &Path) -> Error {
    anyhow!(
        "`{}` exists already\ntake another name, or remove it first",
        path.display()
    )
}
