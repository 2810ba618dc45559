//! `keyheat calibrate`: a real cluster beside the prediction, and the service times that fit it. Must not judge: the calibration does.

use super::args::CalibrateArguments;
use super::console::{Console, Told};
use super::learn::read_all;
use super::loading;
use super::new::{check_new, write_new};
use crate::experiment::{Calibration, CalibrationError};
use crate::observed::{MeasuredReplay, TableLoads, recognise};
use crate::report::calibration_document;
use anyhow::{Result, anyhow, bail};

pub fn run(arguments: &CalibrateArguments, console: &Console) -> Result<()> {
    if let Some(file) = &arguments.out {
        check_new(file)?;
    }
    let files = read_all(&arguments.measured)?;
    let file = &files[0].name;
    let threads = arguments.threads.map_or(0, usize::from);
    let named = arguments.strategy.as_deref();
    let found = if files.iter().any(|it| recognise(&it.text).is_some()) {
        let seconds = arguments.over.map(|over| over.as_secs_f64());
        let table = TableLoads::read(&files, arguments.table.as_deref(), seconds)?;
        for warning in table.warnings.iter().chain(&table.faults) {
            console.warn(warning);
        }
        let scenario = loading::load(&arguments.input, console)?;
        let strategy = &loading::strategy(&scenario, named)?.name;
        Calibration::of_counts(&scenario, strategy, &table, threads)
    } else {
        let replay = MeasuredReplay::read(&files[0])?;
        if files.len() > 1 {
            bail!(
                "several files, and `{file}` is no list of regions\nname the result of one replay, or two lists of the table's regions"
            );
        }
        let scenario = loading::load(&arguments.input, console)?;
        let strategy = named.unwrap_or(&replay.strategy);
        Calibration::of(&scenario, strategy, &replay, threads)
    };
    let found = match found {
        Err(CalibrationError::Scenario(error)) => {
            console.insist_styled(&error.render(true));
            return Err(Told.into());
        }
        found => found.map_err(|error| anyhow!("`{file}`: {error}"))?,
    };
    if let Some(file) = &arguments.out {
        if found.times.is_empty() {
            let file = file.display();
            bail!("no time could be fitted: there is nothing for `{file}`");
        }
        write_new(file, &found.settings())?;
    }
    let document = calibration_document(&found);
    console.advice(arguments.format, &document, &found)
}
