//! What may stand on the command line, a file for each group of commands. Must not know what a command does with it.

mod advise;
mod format;
mod key;
mod new;
mod results;
mod run;
mod scenario;
mod splits;
mod talk;
mod watch;

pub use advise::{AdviceFormat, AdviseArguments};
pub use format::ResultFormat;
pub use key::{KeyArguments, KeyFormat};
pub use new::NewArguments;
pub use results::{CompareArguments, ImageKind, ReportArguments};
pub use run::{MergeArguments, RunArguments};
pub use scenario::{
    ChangeArguments, CheckArguments, ExplainArguments, LimitArguments, ScenarioArguments,
    SizeArguments,
};
pub use splits::{SplitsArguments, SplitsFormat};
pub use talk::{Color, TalkArguments};
pub use watch::WatchArguments;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXIT_CODES: &str = "\
Exit codes: 0 all is well; 1 an expectation of a scenario was broken; 2 anything that stopped the work;
130 Ctrl-C.
Data goes to standard output, talk to standard error.";

/// Which row key runs hot, and what does the cure cost?
///
/// keyheat replays the same logical operations under each candidate row key on a simulated cluster of
/// HBase region servers, and shows where the load lands and what throughput and response time that gives.
#[derive(Debug, Parser)]
#[command(name = "keyheat", version, styles = STYLES, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub talk: TalkArguments,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a scenario file to start from, commented and ready to run
    New(NewArguments),
    /// Simulate scenarios: a table here, all files in a folder each
    Run(RunArguments),
    /// Run a scenario with `--quick` now and whenever its file is saved
    Watch(WatchArguments),
    /// Put the shards of `run --shard` together: the same folder as from one machine
    Merge(MergeArguments),
    /// Report every error and lint of scenarios; simulate nothing
    Check(CheckArguments),
    /// Show what is known before any simulation: sample keys by segment, regions and their predicted shares
    Explain(ExplainArguments),
    /// Weigh each strategy's table without simulating: cells, rows, block encodings, regions, index, memstores
    Size(SizeArguments),
    /// Recommend a key, one of a scenario's or a suggested one: limits, reads, usable capacity, bytes, and its `create` command
    Advise(AdviseArguments),
    /// Draw charts and page of results again, simulating nothing
    Report(ReportArguments),
    /// Compare two results: ratios with intervals, what got better or worse, rows to rewrite
    Compare(CompareArguments),
    /// Write one row key from an expression
    Key(KeyArguments),
    /// Compute split points exactly as HBase does
    Splits(SplitsArguments),
    /// List well-known row-key designs, the traps among them marked
    Presets,
    /// Write the JSON Schema of scenario files: editors complete and check them with it
    Schema,
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}
