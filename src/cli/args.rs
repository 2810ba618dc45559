//! What may stand on the command line. Must not know what a command does with it.

use crate::key::FUNCTIONS;
use crate::{policy, report};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, value_parser};
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXIT_CODES: &str = "\
Exit codes: 0 all is well; 1 an expectation of a scenario was broken; 2 anything that stopped the work.
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

/// How the tool talks.
#[derive(Debug, Clone, Args)]
pub struct TalkArguments {
    /// When to colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Talk"
    )]
    pub color: Color,
    /// Only errors
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Talk"
    )]
    pub quiet: bool,
    /// Notes as well as warnings
    #[arg(short, long, global = true, help_heading = "Talk")]
    pub verbose: bool,
}

/// When to colour; `NO_COLOR` and `CLICOLOR_FORCE` are heeded by `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate scenarios: a table here, all files in a folder each
    Run(RunArguments),
    /// Report every error and lint of scenarios; simulate nothing
    Check(CheckArguments),
    /// Show what is known before any simulation: sample keys by segment, regions and their predicted shares
    Explain(ExplainArguments),
    /// Weigh each strategy's table without simulating: cells, rows, block encodings, regions, index, memstores
    Size(SizeArguments),
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
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Which scenarios, and what to change in them.
#[derive(Debug, Clone, Args)]
pub struct ScenarioArguments {
    /// Scenario files, or folders whose `*.toml` are taken in order of their names
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
    /// A fast look: 2 replicates and the file's `[quick]` settings
    #[arg(long)]
    pub quick: bool,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub input: ScenarioArguments,
    /// Where each scenario gets a folder of its name
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub out: PathBuf,
    /// Threads; the results are the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: TableFormat,
    /// No pictures: only numbers
    #[arg(long)]
    pub no_charts: bool,
    /// Replace an output folder even if keyheat did not make it
    #[arg(long)]
    pub force: bool,
}

/// What `run` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// The scorecard, for eyes
    Table,
    /// `summary.md`
    Markdown,
    /// `summary.csv`
    Csv,
    /// `results.json`
    Json,
}

impl TableFormat {
    /// The same in the library's words.
    pub fn in_report(self) -> report::Format {
        match self {
            Self::Table => report::Format::Table,
            Self::Markdown => report::Format::Markdown,
            Self::Csv => report::Format::Csv,
            Self::Json => report::Format::Json,
        }
    }
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The `results.json` of a run
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
    /// The `results.json` to start from
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The `results.json` that is compared with it
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Compare these two strategies: `--pair hashed=salted` [default: those of the same name]
    #[arg(long, value_name = "BEFORE=AFTER", action = ArgAction::Append)]
    pub pair: Vec<String>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: CompareFormat,
}

/// What `compare` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For eyes
    Table,
    /// For a pull request
    Markdown,
    /// Every metric a row
    Csv,
    /// Everything
    Json,
}

impl CompareFormat {
    /// The same in the library's words.
    pub fn in_report(self) -> report::Format {
        match self {
            Self::Table => report::Format::Table,
            Self::Markdown => report::Format::Markdown,
            Self::Csv => report::Format::Csv,
            Self::Json => report::Format::Json,
        }
    }
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub input: ScenarioArguments,
    /// Print each scenario with all defaults filled in
    #[arg(long)]
    pub show: bool,
}

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The scenario file
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
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArguments,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: SizeFormat,
}

/// What `size` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SizeFormat {
    /// For eyes
    Table,
    /// The same table for a pull request
    Markdown,
    /// `strategy,measure,value`
    Csv,
    /// All numbers
    Json,
}

/// Every function of the key language, with what it is.
fn functions() -> String {
    let widest = FUNCTIONS.iter().map(|f| f.usage.len()).max().unwrap_or(0);
    let mut text = "Functions (i: int, x: text or bytes, ts: timestamp):\n".to_owned();
    for function in FUNCTIONS {
        let (usage, summary) = (function.usage, function.summary);
        text.push_str(&format!("  {usage:<widest$}  {summary}\n"));
    }
    text
}

#[derive(Debug, Args)]
#[command(after_long_help = functions())]
pub struct KeyArguments {
    /// The key expression: `salt(16, host) || host || x'00' || be8(ts)`
    #[arg(value_name = "EXPR")]
    pub expression: String,
    /// Field values: an integer without leading zeros is an int, `x'0AFF'` bytes, anything else text;
    /// `F:text=007` and `F:ms=2026-01-01T00:00:00Z` force a type
    #[arg(value_name = "F=V")]
    pub fields: Vec<String>,
    /// Take the fields of this scenario
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// For random functions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How the key is written
    #[arg(long, value_name = "FORMAT", default_value = "escaped")]
    pub format: KeyFormat,
}

/// How a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyFormat {
    /// HBase's `\xHH` notation
    Escaped,
    /// Lower-case hex
    Hex,
    /// `{"hex","escaped","bytes"}`
    Json,
}

#[derive(Debug, Args)]
pub struct SplitsArguments {
    /// The algorithm
    #[arg(value_name = "ALGORITHM")]
    pub algorithm: SplitAlgorithm,
    /// Number of regions
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub regions: i64,
    /// First row: digits for the string algorithms, `\xHH` notation for the others
    #[arg(long, value_name = "ROW")]
    pub first: Option<String>,
    /// Last row
    #[arg(long, value_name = "ROW")]
    pub last: Option<String>,
    /// How the split points are written
    #[arg(long, value_name = "FORMAT", default_value = "escaped")]
    pub format: SplitsFormat,
}

/// HBase's split algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitAlgorithm {
    /// HexStringSplit: for keys that start with lower-case hex digits
    HexString,
    /// DecimalStringSplit: for keys that start with decimal digits
    DecimalString,
    /// UniformSplit: for keys that start with evenly spread bytes
    Uniform,
    /// `Admin.createTable(table, first, last, regions)`, which uses `Bytes.split`
    Bytes,
}

impl SplitAlgorithm {
    /// The same in the library's words.
    pub fn in_policy(self) -> policy::SplitAlgorithm {
        match self {
            Self::HexString => policy::SplitAlgorithm::HexString,
            Self::DecimalString => policy::SplitAlgorithm::DecimalString,
            Self::Uniform => policy::SplitAlgorithm::Uniform,
            Self::Bytes => policy::SplitAlgorithm::Bytes,
        }
    }
}

/// How split points are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitsFormat {
    /// One a line in HBase's `\xHH` notation
    Escaped,
    /// One a line in lower-case hex
    Hex,
    /// `{"algorithm","regions","splits_hex"}`
    Json,
    /// A `create` command that the HBase shell takes as it is
    HbaseShell,
}
