//! What simulates: where results go, on how many threads, and what is printed. Must not know what a run is.

use super::{LimitArguments, ResultFormat, ScenarioArguments};
use crate::experiment::Shard;
use clap::{Args, value_parser};
use std::path::{Path, PathBuf};

/// Where results go by default.
const OUT: &str = "output";

#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub input: ScenarioArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Where each scenario gets a folder of its name, with `.quick` behind it after `--quick` [default: output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads; the results are the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultFormat,
    /// No pictures: only numbers
    #[arg(long)]
    pub no_charts: bool,
    /// Go on from the runs that an interrupted `keyheat run` saved
    #[arg(long)]
    pub resume: bool,
    /// Make only every N-th run, from the K-th on, and save them for `keyheat merge`: one shard a machine
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Replace an output folder that keyheat did not make, saved runs of something else, and, by a changed run, the results of the file as it is
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Files that `keyheat run --shard` saved, or folders of them
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Where each scenario gets a folder of its name, with `.quick` behind it after `--quick` [default: output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultFormat,
    /// No pictures: only numbers
    #[arg(long)]
    pub no_charts: bool,
    /// Replace an output folder even if keyheat did not make it, or if a changed run would replace the results of the file as it is
    #[arg(long)]
    pub force: bool,
}

impl RunArguments {
    /// Where results go, and whether the user said so.
    pub fn out(&self) -> (&Path, bool) {
        out(self.out.as_deref())
    }
}

impl MergeArguments {
    /// Where results go, and whether the user said so.
    pub fn out(&self) -> (&Path, bool) {
        out(self.out.as_deref())
    }
}

fn out(said: Option<&Path>) -> (&Path, bool) {
    (said.unwrap_or(Path::new(OUT)), said.is_some())
}
