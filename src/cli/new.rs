//! `keyheat new`: a scenario file to start from, written only where there is no file. Must not know what a template asks.

use super::args::NewArguments;
use super::console::Console;
use super::templates::{TEMPLATES, Template};
use crate::report::{Document, aligned};
use crate::text::shell_path;
use anyhow::{Context, Error, Result, anyhow, bail};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

pub fn run(arguments: &NewArguments, console: &Console) -> Result<()> {
    let Some(name) = arguments.name.as_ref().filter(|_| !arguments.list) else {
        let row = |it: &Template| vec![it.name.to_owned(), it.about.to_owned()];
        let rows = aligned(TEMPLATES.iter().map(row), 0);
        console.document(&Document(vec![vec![rows]]))?;
        console.say("`keyheat new NAME --template TEMPLATE` writes one");
        return Ok(());
    };
    let template = TEMPLATES
        .iter()
        .find(|template| template.name == arguments.template)
        .expect("clap takes only names of templates");
    let path = file_of(name)?;
    write_new(&path, template.text)?;
    let shown = shell_path(&path);
    console.say(&format!(
        "{} asks about {}\nnext: keyheat run {shown}\n      keyheat watch {shown}     (again on every save)",
        path.display(),
        template.about,
    ));
    Ok(())
}

/// `name`, with `.toml` behind it.
fn file_of(name: &Path) -> Result<PathBuf> {
    let ends_open = name.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    let Some(file) = name.file_name().filter(|_| !ends_open) else {
        bail!(
            "`{}` is no name of a file\nwrite, for example, `keyheat new {}`",
            name.display(),
            shell_path(name.join("readings"))
        );
    };
    if name.extension() == Some(OsStr::new("toml")) {
        return Ok(name.to_owned());
    }
    let mut file = file.to_owned();
    file.push(".toml");
    Ok(name.with_file_name(file))
}

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
    let is_named = |folder: &&Path| !folder.as_os_str().is_empty();
    if let Some(folder) = path.parent().filter(is_named) {
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
    let path = path.display();
    anyhow!("`{path}` exists already\ntake another name, or remove it first")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gets_the_ending_that_it_lacks() {
        let file = |name: &str| file_of(Path::new(name)).map(|path| path.display().to_string());
        assert_eq!(file("readings").unwrap(), "readings.toml");
        assert_eq!(file("designs/v2.1").unwrap(), "designs/v2.1.toml");
        assert_eq!(file("designs/a.toml").unwrap(), "designs/a.toml");
        assert!(file("designs/").is_err());
        assert!(file("..").is_err());
    }
}
