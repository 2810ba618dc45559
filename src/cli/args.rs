//! What may stand on the command line. Must not know what a command does with it.

use super::templates::{TEMPLATES, Template};
use crate::experiment::Shard;
use crate::key::FUNCTIONS;
use crate::observed::KeyNotation;
use crate::policy::{SPLIT_FORMATS, SplitAlgorithm, SplitFormat};
use crate::report::{Format, HeatColours, ImageKind, Theme};
use crate::text::Words;
use crate::time::SimDuration;
use crate::units::ByteSize;
use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand, ValueEnum, value_parser};
use std::path::{Path, PathBuf};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// How commands end, and where they write.
pub const EXIT_CODES: &str = "\
Exit codes: 0 all is well; 1 an expectation of a scenario was broken; 2 anything that stopped the work;
130 Ctrl-C.
Data goes to standard output, talk to standard error.";

/// Which row key runs hot, and what does the cure cost?
///
/// keyheat replays the same logical operations under each candidate row key on a simulated cluster of
/// HBase region servers, and shows where the load lands and what throughput and response time that gives.
#[derive(Debug, Parser)]
#[command(name = "keyheat", version, styles = STYLES, after_help = EXIT_CODES, max_term_width = 100, disable_help_subcommand = true)]
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
    /// Write the operations of a strategy, keys and ranges in the order of their times, to replay them on a real store
    Export(ExportArguments),
    /// Write a scenario from what exists: a file of rows, or what a cluster says of its regions
    Learn(LearnArguments),
    /// Compare what a real cluster did with the prediction, and fit service times to it
    Calibrate(CalibrateArguments),
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
    /// Compute split points exactly as HBase does, or from a sample of keys
    Splits(SplitsArguments),
    /// Tell what row keys look like, byte by byte, and which split algorithm fits them
    Inspect(InspectArguments),
    /// List well-known row-key designs, the traps among them marked
    Presets {
        /// What standard output gets
        #[arg(long, value_name = "FORMAT", default_value = "table")]
        format: DataFormat,
    },
    /// Write the JSON Schema of scenario files: editors complete and check them with it
    Schema,
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual as man pages: one for each command into a folder, or the first one to standard output
    Man {
        /// The folder: `keyheat man ~/.local/share/man/man1`, then `man keyheat-run`
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Explain a command, or print a part of the reference; alone, list both
    Help {
        /// A command, or a topic
        #[arg(value_name = "TOPIC")]
        topic: Option<String>,
    },
}

/// How the tool talks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Talk")]
pub struct TalkArguments {
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Notes as well as warnings
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// Which scenarios, and what to change in them.
#[derive(Debug, Clone, Args)]
pub struct ScenarioArguments {
    /// Scenario files, or folders whose `*.toml` are taken in order of their names; `-` is standard input
    #[arg(value_name = "SCENARIO", required = true)]
    pub scenarios: Vec<PathBuf>,
    #[command(flatten)]
    pub changes: ChangeArguments,
}

/// One scenario, and what to change in it.
#[derive(Debug, Args)]
pub struct OneScenario {
    /// The scenario file; `-` is standard input
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
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
    pub max_time: SimDuration,
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
    #[arg(long, conflicts_with = "format")]
    pub show: bool,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: DataFormat,
}

/// How what is mostly text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DataFormat {
    /// For eyes
    Table,
    /// Everything, for programs
    Json,
}

#[derive(Debug, Args)]
pub struct ExplainArguments {
    #[command(flatten)]
    pub input: OneScenario,
    /// Only this region of each strategy, from 0 in key order
    #[arg(long, value_name = "N")]
    pub region: Option<usize>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    #[command(flatten)]
    pub input: OneScenario,
    /// Whose operations; of a file with a single strategy it needn't be said
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// How they are written
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub to: ExportFormat,
    /// At most so many; closed loops have no end of their own
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub operations: usize,
    /// Only those before this time [default: all; of `hbase-shell` 5m]
    #[arg(long, value_name = "LENGTH")]
    pub limit: Option<SimDuration>,
    /// Before them, at most so many of the rows that exist before the run, spread over all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub existing: usize,
    /// Of `hbase-shell` and `sql`: the table that is created [default: keyheat_SCENARIO_STRATEGY]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Of `sql`: whose
    #[arg(long, value_name = "DIALECT", default_value = "postgres")]
    pub dialect: SqlDialect,
}

/// How operations are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A line of JSON each, behind one that says the table's split points and all settings
    Jsonl,
    /// A line each row that is put or got and each range that is scanned
    Csv,
    /// A script for `hbase shell -n FILE`: creates a table, replays and measures the operations, and drops it again
    HbaseShell,
    /// The writes as statements for stores that speak PostgreSQL's protocol, with the times as comments
    Sql,
}

/// Whose SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SqlDialect {
    /// With split points
    Cockroach,
    /// Split points are comments
    Postgres,
}

#[derive(Debug, Args)]
pub struct LearnArguments {
    /// Rows as CSV, TSV or JSON lines, plain or packed by gzip or zstd. Or what a cluster says of its regions: two snapshots of counters,
    /// the earlier first, or gauges. `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Write the scenario there [default: standard output; of regions none]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Of regions: draw the key map and the concentration of their load into a new folder
    #[arg(long, value_name = "FOLDER")]
    pub charts: Option<PathBuf>,
    /// Of regions: the time between two snapshots of counters
    #[arg(long, value_name = "LENGTH")]
    pub over: Option<SimDuration>,
    /// Of regions: an expression of fixed widths, by which bounds are parsed back into fields
    #[arg(long, value_name = "EXPR")]
    pub key: Option<String>,
    /// Of regions: the table, where the files have several
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
}

#[derive(Debug, Args)]
pub struct CalibrateArguments {
    #[command(flatten)]
    pub input: OneScenario,
    /// Whose operations were measured [default: that which the measured file names, or the only one]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// What the script of `export --to hbase-shell` wrote; or lists of the table's regions, as `keyheat learn` reads them: two snapshots of
    /// counters, or gauges
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub measured: Vec<PathBuf>,
    /// Of lists of regions: the time between two snapshots of counters
    #[arg(long, value_name = "LENGTH")]
    pub over: Option<SimDuration>,
    /// Of lists of regions: the table, where the files have several
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Write the fitted settings there
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Threads; the result is the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(NO_NUMBERS))]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct SizeArguments {
    #[command(flatten)]
    pub input: OneScenario,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(&[]))]
    pub format: Format,
}

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
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(&[]))]
    pub format: Format,
    /// No pictures: only numbers
    #[arg(long)]
    pub no_charts: bool,
    /// Go on from the runs that an interrupted `keyheat run` saved
    #[arg(long)]
    pub resume: bool,
    /// Make only every N-th run, from the K-th on, and save them for `keyheat merge`: one shard a machine
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Write into an output folder that keyheat did not make (what else lies in it stays), and replace saved runs of something else and, by a changed run, the results of the file as it is
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
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(&[]))]
    pub format: Format,
    /// No pictures: only numbers
    #[arg(long)]
    pub no_charts: bool,
    /// Write into a folder even if keyheat did not make it (what else lies in it stays), and replace the results of the file as it is by those of a changed run
    #[arg(long)]
    pub force: bool,
}

/// Where results go, and whether the user said so.
pub fn out(said: &Option<PathBuf>) -> (&Path, bool) {
    let out = said.as_deref().unwrap_or(Path::new("output"));
    (out, said.is_some())
}

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

#[derive(Debug, Args)]
pub struct AdviseArguments {
    #[command(flatten)]
    pub input: OneScenario,
    /// Rank only the file's own strategies; suggest no keys
    #[arg(long)]
    pub own: bool,
    /// Threads; the advice is the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Write the `create` commands of the recommended tables there, for `hbase shell FILE`
    #[arg(long, value_name = "FILE")]
    pub create: Option<PathBuf>,
    /// Write page, charts and results there, as `run` does, suggested keys included: a folder of the scenario's name with `.advice` behind it
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(NO_NUMBERS))]
    pub format: Format,
}

/// `PATH=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let split = text.split_once('=');
    let split = split.map(|(path, value)| (path.trim().to_owned(), value.trim().to_owned()));
    split.ok_or_else(|| {
        format!("`{text}` has no `=`: expected a setting and its value, `parameter.buckets=8`")
    })
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The folder of a run, or its `results.json`
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// Where `charts/` and `report.html` go [default: beside the results]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which point of a sweep is shown by what shows only one: `--point parameter.buckets=8` [default: the first]
    #[arg(long, value_name = "PATH=VALUE", action = ArgAction::Append, value_parser = setting)]
    pub point: Vec<(String, String)>,
    /// light or dark: of pictures and page [default: light pictures, a page as its reader's system is]
    #[arg(long, value_name = "THEME")]
    pub theme: Option<Theme>,
    /// Colours of heat: magma, cividis or viridis
    #[arg(long, value_name = "NAME", default_value = "magma")]
    pub palette: HeatColours,
    /// Which picture files, beside the page [default: all that this build can make]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = word::<ImageKind>(&[]))]
    pub images: Vec<ImageKind>,
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
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(&[]))]
    pub format: Format,
}

/// Every function of the key language, with what it is.
pub fn functions() -> String {
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
    #[arg(value_name = "ALGORITHM", value_parser = word::<SplitAlgorithm>(NEEDS_SCENARIO))]
    pub algorithm: SplitAlgorithm,
    /// Number of regions
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        required_unless_present = "region_size"
    )]
    pub regions: Option<i64>,
    /// First row: digits for the string algorithms, `\xHH` notation for the others
    #[arg(long, value_name = "ROW")]
    pub first: Option<String>,
    /// Last row
    #[arg(long, value_name = "ROW")]
    pub last: Option<String>,
    /// Of `sampled`: a sample of the keys
    #[arg(long, value_name = "FILE", required_if_eq("algorithm", "sampled"))]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub keys: KeyFileArguments,
    /// Of `sampled`: as many regions as the table fills that are so large: `10GB`
    #[arg(long, value_name = "SIZE", conflicts_with = "regions")]
    pub region_size: Option<ByteSize>,
    /// Bytes of a row with its cells; without it the weights of keys are their bytes
    #[arg(long, value_name = "N", requires = "region_size")]
    pub row_bytes: Option<u64>,
    /// Rows of the table that the keys are a sample of [default: as many as keys]
    #[arg(long, value_name = "N", requires = "region_size")]
    pub rows: Option<u64>,
    /// The table that statements name
    #[arg(long, value_name = "NAME", default_value = "t", value_parser = table_name)]
    pub table: String,
    /// How the split points are written
    #[arg(long, value_name = "FORMAT", default_value = "escaped", value_parser = split_formats())]
    pub format: String,
}

/// What advice is not written as.
const NO_NUMBERS: &[&str] = &[Format::Csv.name()];

/// Algorithms that ask a scenario.
const NEEDS_SCENARIO: &[&str] = &[SplitAlgorithm::None.name(), SplitAlgorithm::Buckets.name()];

/// How a file of row keys is read.
#[derive(Debug, Args)]
pub struct KeyFileArguments {
    /// How keys are written [default: by the name (`.hex`, `.b64`) or `K: ` at the start of lines, else `escaped`]
    #[arg(long, value_name = "NOTATION", value_parser = word::<KeyNotation>(&[]))]
    pub keys_as: Option<KeyNotation>,
    /// The column of the keys' weights, from 1; 0: each line counts once [default: the second one, if there is one]
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<usize>,
}

#[derive(Debug, Args)]
pub struct InspectArguments {
    /// Row keys, one a line, alone or with their weights; `-` is standard input
    #[arg(value_name = "KEYS")]
    pub file: PathBuf,
    #[command(flatten)]
    pub keys: KeyFileArguments,
    /// Regions that split algorithms are tried with
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = value_parser!(u32).range(2..=100_000))]
    pub regions: u32,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<Format>(NO_NUMBERS))]
    pub format: Format,
}

/// A name that no statement need quote.
fn table_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    let is_name = !text.is_empty() && text.chars().all(is_plain);
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "expected letters, digits, `_`, `-`, `.` and `:`".to_owned())
}

fn split_formats() -> PossibleValuesParser {
    let value = |it: &SplitFormat| PossibleValue::new(it.name).help(it.about);
    let json = PossibleValue::new("json").help("All that is known, with `splits_hex`");
    PossibleValuesParser::new(SPLIT_FORMATS.iter().map(value).chain([json]))
}

/// A word of a type that must not know the command line, with its help; those of `but` have no meaning here.
fn word<T: Words + Clone + Send + Sync + 'static>(
    but: &[&str],
) -> impl TypedValueParser<Value = T> + use<T> {
    let words = T::WORDS.iter().zip(T::ABOUT);
    let words = words.filter(|(word, _)| !but.contains(word));
    let values = words.map(|(word, about)| PossibleValue::new(*word).help(about.trim()));
    let parser = PossibleValuesParser::new(values);
    parser.map(|word| T::named(&word).expect("clap has refused every other word"))
}

#[derive(Debug, Args)]
pub struct NewArguments {
    /// The file to write: `.toml` is added where it is missing; a folder in front is made
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<PathBuf>,
    /// The design question to start from
    #[arg(
        short,
        long,
        value_name = "TEMPLATE",
        default_value = TEMPLATES[0].name,
        hide_possible_values = true,
        value_parser = names()
    )]
    pub template: String,
    /// List the templates
    #[arg(long, conflicts_with_all = ["name", "template"])]
    pub list: bool,
}

fn names() -> PossibleValuesParser {
    let value = |template: &Template| PossibleValue::new(template.name).help(template.about);
    TEMPLATES.iter().map(value).into()
}
