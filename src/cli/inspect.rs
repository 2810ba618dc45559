//! `keyheat inspect`: what row keys look like, and which split algorithm fits them. Must not judge: the survey does.

use super::args::InspectArguments;
use super::console::Console;
use super::key_list;
use crate::observed::KeySurvey;
use crate::policy::split_fits;
use crate::report::KeySurveyReport;
use anyhow::{Context, Result};

pub fn run(arguments: &InspectArguments, console: &Console) -> Result<()> {
    let list = key_list::read(&arguments.file, &arguments.keys, console)?;
    let keys = list.sketch.weights();
    let survey = KeySurvey::of(&keys, &list.order).context("no keys")?;
    let bucket = survey.salt.as_ref().map(|salt| salt.bytes);
    let report = KeySurveyReport {
        keys: list.keys,
        weight: list.weight,
        is_exact: list.sketch.rank_sd() == 0.0,
        fits: split_fits(&keys, arguments.regions, bucket),
        survey,
    };
    console.advice(arguments.format, &report.document(), &report)
}
