//! The validated scenario. A value of these types has been checked: nothing in it can fail later but what only the data of
//! a run can tell (a `sampled` pre-split with too few distinct keys).

use super::diagnostic::Diagnostic;
use super::generators::Generators;
use crate::client::ClientSpec;
use crate::cluster::{
    ClusterSpec, Neighbour, TableSpec, TimedEvent, WrittenCells, server_capacity_per_second,
    servers_by,
};
use crate::key::{KeyPlan, Pace, is_turn};
use crate::keyspace::RowKey;
use crate::metrics::OperationNames;
use crate::policy::{RegionPolicies, SplitAlgorithm};
use crate::random::Seed;
use crate::record::{RecordGenerator, Schema};
use crate::time::{EpochNanos, SimDuration, SimTime};
use crate::units::PerSecond;
use crate::workload::{ImportOrder, Workload, Write, WriteId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// What is changed beside the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// `PATH=VALUE`, applied in order, after `[quick]`.
    pub sets: Vec<String>,
    /// Apply the file's `[quick]` overrides, and run 2 replicates where they don't say how many.
    pub quick: bool,
    /// `PATH=V1,V2,...`, in order, instead of the list that the file may have for the path.
    pub sweeps: Vec<String>,
    /// Names of the strategies to keep; all when empty.
    pub only: Vec<String>,
    /// Instead of the file's.
    pub replicates: Option<u32>,
    /// Instead of the file's.
    pub seed: Option<u64>,
}

/// A scenario: a question, candidate keys, and what is expected of them.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// File stem (or `scenario` when parsed from text).
    pub name: String,
    /// Where it was read from, as given; for messages.
    pub path: String,
    /// Where files of values are looked for.
    pub folder: PathBuf,
    /// The file's text.
    pub text: String,
    /// SHA-256 of the text, lower-case hex.
    pub sha256: String,
    /// What was changed beside the file: the settings of `[quick]` and of `--set` as `PATH=VALUE`, then `replicates=N`, `seed=N`,
    /// `sweep PATH=V1,V2,...` and `only NAME,...`.
    pub overrides: Vec<String>,
    /// All that was changed beside the file.
    pub options: Options,
    /// What the scenario asks.
    pub question: String,
    /// All randomness comes from it.
    pub seed: Seed,
    /// Independent runs of each strategy, >= 1.
    pub replicates: u32,
    /// When.
    pub time: TimeSpec,
    /// What `[parameter]` says.
    pub parameters: BTreeMap<String, i64>,
    /// Candidates, in file order; at least one. Of a sweep those of its first point.
    pub strategies: Vec<Strategy>,
    /// What is swept, in file order; empty without a sweep.
    pub sweep: Vec<SweptSetting>,
    /// Every combination of the swept values, the last setting's fastest; empty without a sweep.
    pub points: Vec<SweepPoint>,
    /// What is expected, in file order.
    pub expectations: Vec<Expectation>,
    /// Warnings and notes about the file, in its order; never errors.
    pub warnings: Vec<Diagnostic>,
    /// The scenario with all defaults filled in, as TOML.
    pub(super) effective: String,
}

impl Scenario {
    /// What the results of a run are called: the scenario's name, with `.quick` behind it after a quick one.
    pub fn results_name(&self) -> String {
        match self.options.quick {
            true => format!("{}.quick", self.name),
            false => self.name.clone(),
        }
    }

    /// Number of points, at least 1: without a sweep the scenario itself is the only one.
    pub fn point_count(&self) -> usize {
        self.points.len().max(1)
    }

    /// The strategies of a point: of each the same, in the same order. Panics when there is no such point.
    pub fn strategies_at(&self, point: usize) -> &[Strategy] {
        match self.points.is_empty() {
            true => &self.strategies,
            false => &self.points[point].strategies,
        }
    }

    /// What is swept, with its values at a point; none without a sweep.
    pub fn values_at(&self, point: usize) -> &[SweepValue] {
        self.points
            .get(point)
            .map_or(&[], |point| point.values.as_slice())
    }
}

/// A setting that is swept.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SweptSetting {
    /// Dotted, as in `--set`.
    pub path: String,
    /// As written, at least one, each once.
    pub values: Vec<serde_json::Value>,
}

/// As `--sweep` takes it: `cluster.servers=4,8`.
impl fmt::Display for SweptSetting {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(value_text).collect();
        write!(to, "{}={}", self.path, values.join(","))
    }
}

/// A swept value as a table shows it: a text without its quotes.
pub fn value_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A swept setting's value at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepValue {
    /// Dotted, as in `--set`.
    pub path: String,
    /// As written.
    pub value: serde_json::Value,
}

/// One combination of swept values.
#[derive(Debug, Clone)]
pub struct SweepPoint {
    /// In the order of the scenario's swept settings.
    pub values: Vec<SweepValue>,
    /// The candidates under these values, in file order.
    pub strategies: Vec<Strategy>,
}

/// The run's clock.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeSpec {
    /// Calendar start.
    pub start: EpochNanos,
    /// Simulated length, warm-up included.
    pub duration: SimDuration,
    /// < duration.
    pub warmup: SimDuration,
    /// Interval of series and skew metrics; in (0, duration - warmup].
    pub sample: SimDuration,
}

/// One candidate.
#[derive(Debug, Clone)]
pub struct Strategy {
    /// Its name in the file.
    pub name: String,
    /// What charts call it (the name, unless a `title` is given).
    pub title: String,
    /// Its row key, compiled; `key.text()` is its text.
    pub key: Arc<KeyPlan>,
    /// What names the cell of a write within its row, compiled; the write then has one cell.
    pub qualifier: Option<Arc<KeyPlan>>,
    /// The row key with the qualifier behind it: what tells one cell from another, which a write of the same only replaces by a new version. The
    /// row key alone without a qualifier.
    pub cell_key: Arc<KeyPlan>,
    /// Row keys of further copies of the table, each in a sort order of its own.
    pub copies: Vec<Copy>,
    /// How the table is pre-split.
    pub presplit: Presplit,
    /// Everything else, with this strategy's overrides applied.
    pub setup: Arc<Setup>,
    /// Where `[strategy.x]`'s key stands in the scenario's text.
    pub key_span: Range<usize>,
}

impl Strategy {
    /// The name on a store of the table itself (0), which is called `name`, or of a copy (from 1).
    pub fn table_name(name: &str, table: usize) -> String {
        match table {
            0 => name.to_owned(),
            copy => format!("{name}_copy{copy}"),
        }
    }

    /// The keys of its tables: its own, then those of the copies.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<KeyPlan>> {
        std::iter::once(&self.key).chain(self.copies.iter().map(|copy| &copy.key))
    }

    /// How its tables are pre-split, in the order of [`Self::keys`].
    pub fn presplits(&self) -> impl Iterator<Item = &Presplit> {
        std::iter::once(&self.presplit).chain(self.copies.iter().map(|copy| &copy.presplit))
    }

    /// The key of the table itself (0), or of a copy (from 1).
    pub fn key_of(&self, table: usize) -> &KeyPlan {
        self.keys().nth(table).unwrap_or(&self.key)
    }

    /// How the table itself (0), or a copy (from 1), is pre-split.
    pub fn presplit_of(&self, table: usize) -> &Presplit {
        self.presplits().nth(table).unwrap_or(&self.presplit)
    }

    /// Rows arrive in the order of their keys: the key leads with time, and no import brings the rows in another order.
    pub fn follows_time(&self) -> bool {
        self.follows_time_under(&self.key)
    }

    /// The same under another key, as copies have.
    fn follows_time_under(&self, key: &KeyPlan) -> bool {
        let mut writes = self.setup.workload.writes.iter();
        let in_time = |write: &Write| match write.load.import() {
            Some(import) => import.order == ImportOrder::Time,
            None => true,
        };
        key.leads_with_time() && writes.any(in_time)
    }

    /// All rows of a moment go to one region of those that these points cut, under this key, the table's or a copy's.
    pub fn gathers_a_moment_under<'a>(
        &self,
        key: &KeyPlan,
        points: impl Iterator<Item = &'a [u8]>,
    ) -> bool {
        let gathers = |pace| key.gathers_a_moment(pace, points);
        self.follows_time_under(key) || self.pace().is_some_and(gathers)
    }

    /// What the keys of all rows of the run begin with: the step of time that the key, the table's or a copy's, leads with where it outlasts the run.
    pub fn step_of_the_run(&self, key: &KeyPlan) -> Option<Vec<u8>> {
        let pace = self.pace()?;
        let secs = self.setup.workload.duration.as_secs_f64();
        key.lasting_lead(Pace {
            speed: pace.speed * secs,
            rows_per_sec: pace.rows_per_sec.map(|rows| rows * secs),
            ..pace
        })
    }

    /// Rows that one operation writes: one of the table, and of each copy.
    pub fn rows_per_write(&self) -> f64 {
        1.0 + self.copies.len() as f64
    }

    /// How timestamps and sequences move on as rows are written; `None` of imports, but for one in the order of time that is all that is written, at a known rate.
    pub fn pace(&self) -> Option<Pace> {
        let (setup, workload) = (&self.setup, &self.setup.workload);
        let only = self.only_write();
        let (rows_per_sec, in_flight) = only.map_or((None, 0.0), |it| self.rate_of_only(it));
        let (mut start, mut speed) = (workload.start, 1.0);
        if let Some(import) = only.and_then(|write| write.load.import()) {
            let (all, last) = (import.rows.len(&setup.schema), import.rows.last());
            let in_time = import.order == ImportOrder::Time && import.times.is_none();
            let secs = all as f64 / rows_per_sec.filter(|_| in_time)?;
            if last > SimDuration::ZERO {
                start = EpochNanos(start.0 - last.as_nanos() as i64);
                speed = last.as_secs_f64() / secs;
            }
        } else if !workload
            .writes
            .iter()
            .any(|write| write.load.import().is_none())
        {
            return None;
        }
        Some(Pace {
            start,
            speed,
            rows_per_sec,
            counted: workload.existing_rows_of(WriteId(0), &setup.schema),
            in_flight,
        })
    }

    /// For how many seconds an import that is all that is written, sorted by a field, goes on with so many of its rows; `None` of other writes, and where that is too short
    /// to keep a server busy alone.
    pub fn stay_of_sorted(&self, rows: f64) -> Option<f64> {
        let only = self.only_write()?;
        let is_sorted = matches!(only.load.import()?.order, ImportOrder::By(_));
        let (rows_per_sec, in_flight) = self.rate_of_only(only);
        let rows_per_sec = rows_per_sec.filter(|_| is_sorted)?;
        let secs = rows / rows_per_sec;
        is_turn(secs, rows_per_sec, in_flight).then_some(secs)
    }

    fn only_write(&self) -> Option<&Write> {
        match &self.setup.workload.writes[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Rows a second of the only write, where they are known, and how many of them are in flight at once for clients that wait, while one server takes them all.
    fn rate_of_only(&self, only: &Write) -> (Option<f64>, f64) {
        let (setup, workload) = (&self.setup, &self.setup.workload);
        let server = server_capacity_per_second(&setup.cluster, &setup.table);
        let (of_clients, in_flight) = workload.paced_by_server(only, server).unzip();
        // An import may be done before the run ends.
        let part =
            workload.imported_by(&setup.schema).as_secs_f64() / workload.duration.as_secs_f64();
        let offered = workload.offered_per_sec(&setup.schema);
        let rows_per_sec = offered.map(|offered| offered / part).or(of_clients);
        (rows_per_sec, in_flight.unwrap_or(0.0))
    }
}

/// A further copy of the table: the same rows under another key.
#[derive(Debug, Clone)]
pub struct Copy {
    /// Its row key, compiled.
    pub key: Arc<KeyPlan>,
    /// The same with the strategy's qualifier behind it.
    pub cell_key: Arc<KeyPlan>,
    /// How it is pre-split: as it says itself, else as the strategy says, for this key.
    pub presplit: Presplit,
    /// Where the key stands in the scenario's text.
    pub key_span: Range<usize>,
}

/// What a run needs besides the key; equal for all strategies but for their overrides.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// The record's fields.
    pub schema: Schema,
    /// Derived fields by name with their expressions, in file order.
    pub derived: Vec<(String, String)>,
    /// What is written.
    pub workload: Workload,
    /// The servers.
    pub cluster: ClusterSpec,
    /// The rows.
    pub table: TableSpec,
    /// The cells of each write, in the order of the workload's.
    pub written: Vec<WrittenCells>,
    /// The clients.
    pub client: ClientSpec,
    /// What becomes of the cluster.
    pub changes: Changes,
    /// The search for the highest load that keeps within limits; `None` without `[knee]`.
    pub knee: Option<Knee>,
    /// The record laws that have been made ready.
    pub generators: Generators,
}

/// The search for a knee: the highest rate of one open loop at which every limit holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Knee {
    /// The setting that is varied, as written: `write.ingest.rate`.
    pub vary: String,
    /// Whose rate that is.
    pub load: VariedLoad,
    /// What must hold; not empty.
    pub limits: Vec<Limit>,
    /// Lowest load that is tried, > 0.
    pub from: PerSecond,
    /// Highest load that is tried, at least twice `from`.
    pub to: PerSecond,
    /// Relative distance of two neighbouring loads, in 0.001 ..= 0.5.
    pub precision: f64,
}

/// The operations whose rate is varied; a `profile` goes with its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariedLoad {
    /// An open-loop write without end, by its place among the writes.
    Write(usize),
    /// An open-loop read, by its place among the reads.
    Read(usize),
}

/// A bound that the metric of a run keeps within; in JSON `{"metric": "write_response_ms.p99", "below": 50.0}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Dotted path of a number that a single run measures.
    pub metric: String,
    /// What it must satisfy.
    #[serde(flatten)]
    pub bound: LimitBound,
}

/// One side of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitBound {
    /// Greater than.
    Above(f64),
    /// Less than.
    Below(f64),
}

impl LimitBound {
    /// Whether a value satisfies it.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Above(least) => value > least,
            Self::Below(most) => value < most,
        }
    }

    /// Whether a value proves that it holds: a lower bound proves no limit from above.
    pub fn is_kept(self, value: f64, lower_bound: bool) -> bool {
        self.holds(value) && !(lower_bound && matches!(self, Self::Below(_)))
    }
}

/// What the cluster does by itself, what happens to it, and who else uses it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// What it does to its regions.
    pub policies: RegionPolicies,
    /// In order of time, all before the run's end; each asks for servers that are there.
    pub events: Arc<Vec<TimedEvent>>,
    /// Other tables on the same servers, in file order.
    pub neighbours: Arc<Vec<Neighbour>>,
}

impl Setup {
    /// The record laws of a replicate. O(values) for tabulated laws; of the first replicate only when it is first asked for.
    pub fn generator(&self, seed: Seed, replicate: u32) -> Arc<RecordGenerator> {
        self.generators.of(&self.schema, seed, replicate)
    }

    /// The names of its operations, for the paths of metrics.
    pub fn operation_names(&self) -> OperationNames<'_> {
        let Workload { writes, reads, .. } = &self.workload;
        let neighbours = self.changes.neighbours.iter();
        OperationNames([
            writes.iter().map(|write| write.name.as_str()).collect(),
            reads.iter().map(|read| read.name.as_str()).collect(),
            neighbours.map(|one| one.name.as_str()).collect(),
        ])
    }

    /// Servers that have joined by a time, those that died included.
    pub fn servers_by(&self, time: SimTime) -> u32 {
        servers_by(time, self.cluster.servers, &self.changes.events)
    }
}

/// How a table is pre-split.
#[derive(Debug, Clone, PartialEq)]
pub enum Presplit {
    /// Known before any run: checked, sorted, distinct, not empty keys; those that the file lists come from no algorithm.
    Fixed {
        algorithm: Option<SplitAlgorithm>,
        points: Arc<Vec<RowKey>>,
    },
    /// Equal quantiles of the strategy's existing rows, or of the run's own keys.
    Sampled { regions: u32 },
}

/// One `[[expect]]` of one strategy at one point.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Index into the scenario's points, 0 without a sweep; one that holds at several points has been expanded to one each.
    pub point: usize,
    /// Index into the scenario's strategies; `"*"` has been expanded to one expectation each.
    pub strategy: usize,
    /// What of.
    pub expected: Expected,
    /// Why.
    pub because: Option<String>,
    /// What it is known to fail for.
    pub issue: Option<String>,
}

/// What an expectation says.
#[derive(Debug, Clone)]
pub enum Expected {
    /// A metric's bound.
    Metric {
        /// Dotted path, known to the catalogue of metrics.
        metric: String,
        /// What it must satisfy.
        bound: Bound,
        /// Divide by the metric of this first.
        ratio_to: Option<RatioTo>,
    },
    /// A golden key, computed at load time: it holds when `found` equals `expected`.
    Key(ExpectedKey),
}

/// What a metric must satisfy, its whole interval; in JSON `{"above": 0.95}`, `{"between": [0.9, 1.1]}`, `{"is": "moving"}`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Greater than.
    Above(f64),
    /// Less than.
    Below(f64),
    /// Within, ends included.
    Between(f64, f64),
    /// Equal.
    Is(ExpectedValue),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Above(least) => write!(f, "above {least}"),
            Self::Below(most) => write!(f, "below {most}"),
            Self::Between(least, most) => write!(f, "between {least} and {most}"),
            Self::Is(ExpectedValue::Number(number)) => write!(f, "{number}"),
            Self::Is(ExpectedValue::Text(text)) => f.write_str(text),
        }
    }
}

/// What a metric, or a key, must be equal to.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum ExpectedValue {
    /// A number.
    Number(f64),
    /// A word (`moving`), or an escaped key.
    Text(String),
}

/// Another strategy, or another point of the sweep, to divide by.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioTo {
    /// Index into the scenario's points, 0 without a sweep.
    pub point: usize,
    /// Index into the scenario's strategies.
    pub strategy: usize,
}

/// A golden key.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedKey {
    /// The record's fields as text, for the report.
    pub record: String,
    /// The key as written in the file.
    pub expected: RowKey,
    /// The key that the plan writes.
    pub found: RowKey,
}
