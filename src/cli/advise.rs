//! `keyheat advise`: which of a scenario's keys, or of those that they suggest, to take, and the command that creates its table. Must not judge: the results do.

use super::args::AdviseArguments;
use super::console::Console;
use super::new::{check_new, write_new};
use super::output_folder::OutputFolder;
use super::{lints, loading};
use crate::experiment::{Recommendations, Suggestions};
use crate::report::{Report, create_commands, recommendation_document};
use anyhow::Result;

pub fn run(arguments: &AdviseArguments, console: &Console) -> Result<()> {
    let scenario = loading::load(&arguments.input, console)?;
    if let Some(file) = &arguments.create {
        check_new(file)?;
    }
    lints::tell_in_short(&scenario, console);
    let suggestions = (!arguments.own).then(|| Suggestions::of(&scenario));
    let simulated = suggestions
        .as_ref()
        .map_or(&scenario, |suggestions| &suggestions.scenario);
    let folder = arguments.out.as_ref().map(|out| {
        let name = format!("{}.advice", scenario.results_name());
        OutputFolder::claim(out, &name, false)
    });
    let folder = folder.transpose()?;
    let mut results = loading::simulate(simulated, arguments.threads, console)?;
    let found = match &suggestions {
        Some(suggestions) => Recommendations::with_suggestions(suggestions, &results),
        None => Recommendations::of(&scenario, &results),
    };
    if let Some(folder) = folder {
        results.recommended = found.groups.clone();
        folder.write(Report::is_own_file, |path| {
            Ok(Report::new(&results).write(path)?)
        })?;
        console.say(&folder.path().join("report.html").display().to_string());
    }
    if let Some(file) = &arguments.create {
        write_new(file, &create_commands(&found))?;
    }
    let document = recommendation_document(&found);
    console.advice(arguments.format, &document, &found)
}
