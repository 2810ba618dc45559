//! What advice is asked for, and how it is printed. Must not know how it is found.

use super::ChangeArguments;
use clap::{Args, ValueEnum, value_parser};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct AdviseArguments {
    /// The scenario file; `-` is standard input
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArguments,
    /// Rank only the file's own strategies; suggest no keys
    #[arg(long)]
    pub own: bool,
    /// Threads; the advice is the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Write the `create` commands of the recommended tables there, for `hbase shell FILE`
    #[arg(long, value_name = "FILE")]
    pub create: Option<PathBuf>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: AdviceFormat,
}

/// How advice is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AdviceFormat {
    /// For eyes
    Table,
    /// For a pull request
    Markdown,
    /// Everything
    Json,
}
