//! A scenario from the rows of a file. Must not know how they are learnt from.

use crate::cli::console::Console;
use crate::data::Rows;
use crate::learn::{Learnt, Survey};
use crate::scenario::Scenario;
use anyhow::{Context, Result};
use std::path::Path;

/// Steps of the progress bar.
const STEPS: f64 = 1_000.0;

pub fn scenario(file: &Path, console: &Console) -> Result<String> {
    let mut rows = Rows::open(file)?;
    let bar = console.progress("reading", STEPS as u64);
    let survey = Survey::read(&mut rows, |rows| {
        bar.set_position((rows.part_read().unwrap_or_default() * STEPS) as u64);
    });
    bar.finish_and_clear();
    let survey = survey?;
    for warning in rows.warnings() {
        console.warn(&warning.to_string());
    }
    for warning in &survey.warnings {
        console.warn(warning);
    }
    let name = file.file_name().unwrap_or(file.as_os_str());
    let text = Learnt::of(survey).scenario(&name.to_string_lossy());
    Scenario::parse(&text, "learnt")
        .context("what was learnt is no scenario: please report it, with the file's header")?;
    Ok(text)
}
