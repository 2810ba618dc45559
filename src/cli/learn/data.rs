//! A scenario from the rows of a file. Must not know how they are learnt from.

use crate::cli::console::Console;
use crate::data::Rows;
use crate::learn::{Learnt, LearntField, Role, Survey};
use crate::scenario::{MOST_FIELDS, Scenario};
use crate::text::grouped;
use anyhow::{Context, Result, bail};
use std::path::Path;

pub fn scenario(file: &Path, console: &Console) -> Result<String> {
    let mut rows = Rows::open(file)?;
    let bar = console.reading(&file.display().to_string(), rows.part_read().is_some());
    let survey = Survey::read(&mut rows, |rows| {
        let part = rows.part_read().map(|part| (part * 1e3) as u64);
        bar.set_position(part.unwrap_or(rows.count() / 1_000));
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
    let name = match name.to_string_lossy() {
        name if name == "-" => "standard input".into(),
        name => name,
    };
    let learnt = Learnt::of(survey);
    for warning in learnt.fields.iter().filter_map(LearntField::warning) {
        console.warn(&warning);
    }
    if learnt.fields.iter().all(|it| it.role == Role::Other) {
        bail!(
            "no column of `{}` can be a part of a row key\nadd columns that tell rows apart: a time, an id, what they are about",
            file.display()
        );
    }
    let declared = learnt.fields.iter().map(LearntField::declarations);
    let declared = declared.sum::<usize>();
    if declared > MOST_FIELDS {
        bail!(
            "the columns of `{}` make {} fields, and a scenario has at most {}\nkeep the columns that keys are made of or readers ask for",
            file.display(),
            grouped(declared as i128),
            grouped(MOST_FIELDS as i128)
        );
    }
    let text = learnt.scenario(&name);
    let read = Scenario::parse(&text, "learnt");
    read.context("what was learnt is no scenario: please report it, with the file's header")?;
    Ok(text)
}
