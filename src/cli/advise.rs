//! `keyheat advise`: which of a scenario's keys, or of those that they suggest, to take, and the command that creates its table. Must not judge: the results do.

use super::args::{AdviceFormat, AdviseArguments};
use super::console::Console;
use super::new_file::{check_new, write_new};
use super::outcome::Outcome;
use super::{lints, loading, progress};
use crate::experiment::{Experiment, Recommendations, Suggestions};
use crate::report::RecommendationReport;
use anyhow::Result;

pub fn run(arguments: &AdviseArguments, console: &Console) -> Result<Outcome> {
    let Some(scenario) = loading::load(&arguments.scenario, &arguments.changes, console)? else {
        return Ok(Outcome::Refused);
    };
    if let Some(file) = &arguments.create {
        check_new(file)?;
    }
    lints::tell_in_short(&scenario, console);
    let suggestions = (!arguments.own).then(|| Suggestions::of(&scenario));
    let simulated = suggestions
        .as_ref()
        .map_or(&scenario, Suggestions::scenario);
    let experiment = Experiment::new(simulated).threads(arguments.threads.map_or(0, usize::from));
    let bar = progress::bar(console, &scenario.name, experiment.runs());
    let results = experiment.try_run(|progress| bar.set_position(progress.done))?;
    bar.finish_and_clear();
    let found = match &suggestions {
        Some(suggestions) => Recommendations::with_suggestions(suggestions, &results),
        None => Recommendations::of(&scenario, &results),
    };
    let report = RecommendationReport::new(&found);
    if let Some(file) = &arguments.create {
        write_new(file, &report.commands())?;
    }
    console.data(&match arguments.format {
        AdviceFormat::Table => report.table(console.table_style()),
        AdviceFormat::Markdown => report.markdown(),
        AdviceFormat::Json => report.json(),
    })?;
    Ok(Outcome::Fine)
}
