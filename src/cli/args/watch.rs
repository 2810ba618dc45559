//! The arguments of `keyheat watch`. Must not know how a change is seen.

use super::ChangeArguments;
use clap::{Args, value_parser};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct WatchArguments {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArguments,
    /// Run in full, not with `--quick`
    #[arg(long, conflicts_with = "quick")]
    pub full: bool,
    /// Threads; the results are the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}
