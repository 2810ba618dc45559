//! `keyheat new`: a scenario file to start from. Must not replace a file, nor know what a template asks.

use super::args::NewArguments;
use super::console::Console;
use super::new_file::write_new;
use super::outcome::Outcome;
use super::templates::TEMPLATES;
use anyhow::{Result, bail};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub fn run(arguments: &NewArguments, console: &Console) -> Result<Outcome> {
    let Some(name) = arguments.name.as_ref().filter(|_| !arguments.list) else {
        console.data(&list())?;
        console.say("`keyheat new NAME --template TEMPLATE` writes one");
        return Ok(Outcome::Fine);
    };
    let template = TEMPLATES
        .iter()
        .find(|template| template.name == arguments.template)
        .expect("clap takes only names of templates");
    let path = file_of(name)?;
    write_new(&path, template.text)?;
    let shown = quoted(&path);
    console.say(&format!(
        "{} asks about {}\nnext: keyheat run {shown}\n      keyheat watch {shown}     (again on every save)",
        path.display(),
        template.about,
    ));
    Ok(Outcome::Fine)
}

/// Names and what they ask, a line each.
fn list() -> String {
    let widest = TEMPLATES.iter().map(|template| template.name.len()).max();
    let widest = widest.unwrap_or(0);
    let mut text = String::new();
    for template in TEMPLATES {
        let _ = writeln!(text, "{:<widest$}  {}", template.name, template.about);
    }
    text
}

/// `name`, with `.toml` behind it.
fn file_of(name: &Path) -> Result<PathBuf> {
    let ends_open = name.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    let Some(file) = name.file_name().filter(|_| !ends_open) else {
        bail!(
            "`{}` is no name of a file\nwrite, for example, `keyheat new {}`",
            name.display(),
            name.join("readings").display()
        );
    };
    if name.extension() == Some(OsStr::new("toml")) {
        return Ok(name.to_owned());
    }
    let mut file = file.to_owned();
    file.push(".toml");
    Ok(name.with_file_name(file))
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./\\:+,@".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
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

    #[test]
    fn paths_are_shown_as_a_shell_takes_them() {
        assert_eq!(quoted(Path::new("a/b-1.toml")), "a/b-1.toml");
        assert_eq!(quoted(Path::new("my keys.toml")), "'my keys.toml'");
        assert_eq!(quoted(Path::new("it's.toml")), r"'it'\''s.toml'");
    }
}
