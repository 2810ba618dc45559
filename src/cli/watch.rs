//! `keyheat watch`: a quick run now and after every save, its scorecard each time. Must not write files: Ctrl-C may end it anywhere.
//!
//! The file is read five times a second instead of asking the system for events: that is the same on every system and
//! file system, sees an editor that saves by renaming, and costs nothing at a scenario's size.

use super::args::{OneScenario, WatchArguments};
use super::console::{Console, Told};
use super::{lints, loading};
use crate::report::{Format, Report};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// Time between two looks at the file.
const PERIOD: Duration = Duration::from_millis(200);

pub fn run(arguments: &WatchArguments, console: &Console) -> Result<()> {
    let path = &arguments.scenario;
    if path.as_os_str() == loading::STDIN {
        bail!("standard input is never saved again\nwatch a file; one called `-` is `./-`");
    }
    if path.is_dir() {
        bail!("`{}` is a folder\nwatch one of its files", path.display());
    }
    if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        bail!("`{}` is no file that could be saved", path.display());
    }
    let mut text = fs::read(path).with_context(|| format!("can't read `{}`", path.display()))?;
    let mut input = OneScenario {
        scenario: path.clone(),
        changes: arguments.changes.clone(),
    };
    input.changes.quick = !arguments.full;
    loop {
        match simulate(arguments, &input, console) {
            Err(error) if error.is::<Told>() => {}
            ended => ended?,
        }
        console.say(&format!(
            "\nwaiting for a change of {}; Ctrl-C ends",
            path.display()
        ));
        match changed(path, &text, || !console.data_has_reader()) {
            Some(now) => text = now,
            None => return Ok(()),
        }
    }
}

/// Loads, simulates and prints.
fn simulate(arguments: &WatchArguments, input: &OneScenario, console: &Console) -> Result<()> {
    let scenario = loading::load(input, console)?;
    lints::tell_in_short(&scenario, console);
    let results = loading::simulate(&scenario, arguments.threads, console)?;
    console.data(&Report::new(&results).render(Format::Table, console.table_style()))
}

/// Waits until the file holds something else than `old`, and holds it for a moment: an editor may write it in pieces, or
/// remove it before it puts the new one there. `None` as soon as the wait is in vain.
fn changed(path: &Path, old: &[u8], in_vain: impl Fn() -> bool) -> Option<Vec<u8>> {
    let mut last: Option<Vec<u8>> = None;
    loop {
        sleep(PERIOD);
        if in_vain() {
            return None;
        }
        let now = fs::read(path).ok();
        match now {
            // An editor empties a file before it writes: an empty one is not yet the new one.
            Some(text) if text != old && !text.is_empty() => {
                if last.as_ref() == Some(&text) {
                    return Some(text);
                }
                last = Some(text);
            }
            _ => last = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::changed;
    use std::fs;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_file_that_is_replaced_by_renaming_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "one").unwrap();
        let watched = path.clone();
        let waiting = thread::spawn(move || changed(&watched, b"one", || false));
        fs::remove_file(&path).unwrap();
        thread::sleep(Duration::from_millis(500));
        fs::write(&path, "").unwrap();
        let new = folder.path().join("b");
        fs::write(&new, "two").unwrap();
        fs::rename(&new, &path).unwrap();
        assert_eq!(waiting.join().unwrap().as_deref(), Some(&b"two"[..]));
    }
}
