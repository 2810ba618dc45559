//! `keyheat calibrate`: a real cluster beside the prediction, and the service times that fit it. Must not judge: the calibration does.

use super::args::{AdviceFormat, CalibrateArguments};
use super::console::{Console, Told};
use super::loading;
use super::new::{check_new, write_new};
use crate::experiment::{Calibration, CalibrationError};
use crate::observed::{MeasuredReplay, ObservedFile};
use crate::report::CalibrationReport;
use anyhow::{Context, Result, anyhow, bail};

pub fn run(arguments: &CalibrateArguments, console: &Console) -> Result<()> {
    if let Some(file) = &arguments.out {
        check_new(file)?;
    }
    let file = arguments.measured.display().to_string();
    let bytes = std::fs::read(&arguments.measured);
    let bytes = bytes.with_context(|| format!("can't read `{file}`"))?;
    let replay = MeasuredReplay::read(&ObservedFile::new(&file, &bytes)?)?;
    let scenario = loading::load(&arguments.input, console)?;
    let strategy = arguments.strategy.as_ref().unwrap_or(&replay.strategy);
    let threads = arguments.threads.map_or(0, usize::from);
    let found = match Calibration::of(&scenario, strategy, &replay, threads) {
        Err(CalibrationError::Scenario(error)) => {
            console.insist_styled(&error.render(true));
            return Err(Told.into());
        }
        found => found.map_err(|error| anyhow!("`{file}`: {error}"))?,
    };
    if let Some(file) = &arguments.out {
        if found.times.is_empty() {
            bail!(
                "no time could be fitted: there is nothing for `{}`",
                file.display()
            );
        }
        write_new(file, &found.settings())?;
    }
    let document = CalibrationReport(&found).document();
    match arguments.format {
        AdviceFormat::Table => console.document(&document),
        AdviceFormat::Markdown => console.data(&document.markdown()),
        AdviceFormat::Json => console.data(&serde_json::to_string_pretty(&found)?),
    }
}
