//! What is done with results that were made before. Must not know what stands in them.

use super::ResultFormat;
use crate::report;
use clap::{ArgAction, Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The folder of a run, or its `results.json`
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// Where `charts/` and `report.html` go [default: beside the results]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// light or dark: of pictures and page [default: light pictures, a page as its reader's system is]
    #[arg(long, value_name = "THEME")]
    pub theme: Option<report::Theme>,
    /// Colours of heat: magma, cividis or viridis
    #[arg(long, value_name = "NAME", default_value = "magma")]
    pub palette: report::HeatColours,
    /// Which picture files, beside the page [default: all that this build can make]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',')]
    pub images: Vec<ImageKind>,
}

/// A kind of picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImageKind {
    /// Sharp at any size
    Svg,
    /// For slides and mail
    Png,
}

#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The run to start from: its folder, or its `results.json`
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The run that is compared with it
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Compare these two strategies: `--pair hashed=salted` [default: those of the same name]
    #[arg(long, value_name = "BEFORE=AFTER", action = ArgAction::Append)]
    pub pair: Vec<String>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultFormat,
}
