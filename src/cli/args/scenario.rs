//! Which scenarios, and what to change in them, for every command that reads scenario files. Must not know what is done with them.

use super::ResultFormat;
use crate::units::{ByteSize, Nanos};
use clap::{ArgAction, Args, value_parser};
use std::path::PathBuf;

/// Which scenarios, and what to change in them.
#[derive(Debug, Clone, Args)]
pub struct ScenarioArguments {
    /// Scenario files, or folders whose `*.toml` are taken in order of their names; `-` is standard input
    #[arg(value_name = "SCENARIO", required = true)]
    pub scenarios: Vec<PathBuf>,
    #[command(flatten)]
    pub changes: ChangeArguments,
}

/// What to change in a scenario before it is read.
#[derive(Debug, Clone, Default, Args)]
pub struct ChangeArguments {
    /// Only these strategies, in the file's order
    #[arg(long, value_name = "STRATEGY,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Change a value of the file: `--set write.ingest.rate=40k/s`
    #[arg(long, value_name = "PATH=VALUE", action = ArgAction::Append)]
    pub set: Vec<String>,
    /// Run every value of a setting; several multiply: `--sweep cluster.servers=4,8,16`
    #[arg(long, value_name = "PATH=V1,V2,...", action = ArgAction::Append)]
    pub sweep: Vec<String>,
    /// Independent runs of each strategy
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub replicates: Option<u32>,
    /// The seed that all randomness comes from
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A fast look: 2 replicates and the file's `[quick]` settings; results go to `NAME.quick`
    #[arg(long)]
    pub quick: bool,
}

/// What a command may take.
#[derive(Debug, Clone, Args)]
pub struct LimitArguments {
    /// Refuse what would take more memory, about: `8GB` [default: what the machine has available]
    #[arg(long, value_name = "SIZE")]
    pub max_memory: Option<ByteSize>,
    /// Refuse what would take longer, about: `30m`, `12h`
    #[arg(long, value_name = "LENGTH", default_value = "1h")]
    pub max_time: Nanos,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub input: ScenarioArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Threads that a run would have [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print each scenario with all defaults filled in
    #[arg(long)]
    pub show: bool,
}

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The scenario file; `-` is standard input
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArguments,
    /// Only this region of each strategy, from 0 in key order
    #[arg(long, value_name = "N")]
    pub region: Option<usize>,
}

#[derive(Debug, Args)]
pub struct SizeArguments {
    /// The scenario file; `-` is standard input
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArguments,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultFormat,
}
