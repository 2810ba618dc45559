//! Files as text, guarded: what can't be a scenario is refused with a reason before it is read whole.

use super::diagnostic::Diagnostic;
use crate::text::shell_path;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Largest file that is read.
const LARGEST: u64 = 16 << 20;

/// The text of a scenario file.
///
/// # Errors
/// Unreadable, no regular file, larger than 16 MB, empty, binary, or not UTF-8 (with the place of the first bad byte).
pub(super) fn read(path: &Path) -> Result<String, Diagnostic> {
    let shown = path.display().to_string();
    scenario_text(read_bytes(path), &shown)
}

/// The text of a scenario that `input` holds to its end; messages call it `shown`.
///
/// # Errors
/// As of a file.
pub(super) fn read_from(input: impl Read, shown: &str) -> Result<String, Diagnostic> {
    scenario_text(take_all(input), shown)
}

/// What the bytes say, if they can be a scenario.
fn scenario_text(bytes: Result<Vec<u8>, Unread>, shown: &str) -> Result<String, Diagnostic> {
    let refuse = |message: String, help: &str| Err(Diagnostic::error(message).help(help));
    let bytes = bytes.map_err(|(message, help)| {
        let help = (!help.is_empty()).then(|| help.to_owned());
        Diagnostic::error(format!("can't read `{shown}`: {message}")).hint(help)
    })?;
    let extension = Path::new(shown).extension();
    if extension.is_some_and(|it| ["csv", "tsv"].iter().any(|rows| it == *rows)) {
        let help = format!(
            "`keyheat learn {}` writes a scenario for them",
            shell_path(shown)
        );
        return refuse(format!("`{shown}` has rows, and is no scenario"), &help);
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        let message = format!("`{shown}` is a binary file: byte {at} is zero");
        return refuse(message, "a scenario is a TOML text in UTF-8");
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let (before, byte) = (&error.as_bytes()[..at], error.as_bytes()[at]);
            let lines: Vec<&[u8]> = before.split(|&byte| byte == b'\n').collect();
            let column = lines.last().map_or(0, |line| line.len()) + 1;
            let place = format!("line {}, column {column}", lines.len());
            let message = format!("`{shown}` is not UTF-8: byte {at} is {byte:#04x} ({place})");
            return refuse(message, "save it as UTF-8");
        }
    };
    if text.trim().is_empty() {
        let help = "start from a scenario of keyheat's `scenarios` folder";
        return refuse(format!("`{shown}` is empty"), help);
    }
    Ok(text)
}

/// The lines of a file of values; empty ones are left out.
pub(super) fn read_values(path: &Path) -> Result<Vec<String>, String> {
    let shown = path.display();
    let bytes = read_bytes(path);
    let bytes = bytes.map_err(|(message, _)| format!("can't read `{shown}`: {message}"))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| format!("`{shown}` is not UTF-8: {error}"))?;
    let lines = text.lines().map(str::trim_end);
    let lines = lines.filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

/// Why an input is not read, and what helps.
pub(super) type Unread = (String, &'static str);

/// What a file holds, if it is not too large.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, Unread> {
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(("it is a folder".to_owned(), "name one of the files in it"));
    }
    if !metadata.is_file() {
        return Err(("it is no regular file".to_owned(), ""));
    }
    refuse_large(metadata.len())?;
    // The file may grow while it is read.
    take_all(File::open(path).map_err(failed)?)
}

fn failed(error: std::io::Error) -> Unread {
    match error.kind() {
        ErrorKind::NotFound => {
            let help = "scenarios are TOML files; is the path right?";
            ("no such file".to_owned(), help)
        }
        ErrorKind::PermissionDenied => ("permission denied".to_owned(), ""),
        _ => (error.to_string(), ""),
    }
}

fn take_all(input: impl Read) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let mut input = input.take(LARGEST + 1);
    input.read_to_end(&mut bytes).map_err(failed)?;
    refuse_large(bytes.len() as u64)?;
    Ok(bytes)
}

fn refuse_large(size: u64) -> Result<(), Unread> {
    if size > LARGEST {
        let message = format!("it has {} MB, at most 16 MB are read", size >> 20);
        return Err((message, "is it a scenario at all?"));
    }
    Ok(())
}
