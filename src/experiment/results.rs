//! The results of an experiment, exactly as `results.json` holds them: every view is rendered from here. Written in a stable order, read back
//! exactly; undefined numbers are `null`, never NaN. Must not compute anything, nor know how it looks.

use super::{
    ComparableStrategies, Comparison, ExpectationResult, KneeResult, Measure, Metric, at_point,
    value_text,
};
use crate::keyspace::RowKey;
use crate::metrics::{
    Counts, Definition, Hotspot, MetricId, MetricPath, OperationNames, Part, Series, Side, Subject,
    lookup,
};
use crate::scenario::{SweptSetting, is_file_stem, is_name};
use crate::text::hex;
use serde::de::Error;
use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, PrettyFormatter};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Everything that an experiment found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// 1.
    pub schema_version: u32,
    /// `keyheat x.y.z`.
    pub tool: String,
    /// What was asked.
    pub scenario: ScenarioInfo,
    /// All randomness came from it.
    pub seed: u64,
    /// Runs of each strategy.
    pub replicates: u32,
    /// Simulated length in seconds, warm-up included.
    pub duration_s: f64,
    /// Warm-up in seconds.
    pub warmup_s: f64,
    /// Interval of the skew metrics in seconds.
    pub sample_s: f64,
    /// What was swept, in file order; empty without a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<SweptSetting>,
    /// In file order; of a sweep point by point, the last setting's values fastest.
    pub strategies: Vec<StrategyResult>,
    /// Paired differences of the headline metrics between each strategy and the first.
    pub comparisons: Vec<Comparison>,
    /// In file order.
    pub expectations: Vec<ExpectationResult>,
    /// Lints, as text.
    pub warnings: Vec<String>,
    /// What a strategy must keep to be recommended, in words; empty in results of older versions, as what follows.
    #[serde(default)]
    pub limits: Vec<String>,
    /// Which strategies are recommended, among those that store the same rows.
    #[serde(default)]
    pub recommended: Vec<ComparableStrategies>,
}

/// The scenario, for provenance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioInfo {
    /// File stem.
    pub name: String,
    /// Of the text, lower-case hex.
    pub sha256: String,
    /// What it asks.
    pub question: String,
    /// The file's text.
    pub text: String,
    /// What was changed beside the file, as `PATH=VALUE`: the settings of `[quick]`, then those of `--set`.
    pub overrides: Vec<String>,
}

/// One strategy's results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StrategyResult {
    /// Its name in the file.
    pub name: String,
    /// What charts call it.
    pub title: String,
    /// The values of the swept settings, by path; empty without a sweep.
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// The key expression.
    pub key: String,
    /// The same with derived fields written out, where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_expanded: Option<String>,
    /// The same in words; empty in results of older versions.
    #[serde(default)]
    pub key_words: String,
    /// What the design says besides, a sentence each: what tells the cells of a row apart, the key of each copy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_keys: Vec<String>,
    /// The key of each copy, and the bytes that its rows take on disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<(String, f64)>,
    /// The `[parameter]`s that it uses, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, i64>,
    /// Number of servers.
    pub servers: u32,
    /// By JSON name.
    pub metrics: BTreeMap<String, Metric>,
    /// The value of each metric in each replicate, by path: what other results are compared with. Null where it is undefined there.
    pub values: BTreeMap<String, Vec<Option<f64>>>,
    /// Its load waits for the cluster: clients that send their next operation after a reply. An open loop is offered whatever happens.
    #[serde(default)]
    pub closed_loop: bool,
    /// In file order.
    pub writes: Vec<OperationResult>,
    /// In file order.
    pub reads: Vec<ReadResult>,
    /// In file order.
    pub neighbours: Vec<OperationResult>,
    /// Of all writes, sums over the replicates.
    pub counts: Counts,
    /// Events that the engine planned in all replicates: what they took to simulate; 0 in results of older versions.
    #[serde(default)]
    pub events: u64,
    /// One sentence.
    pub verdict: String,
    /// The copy that the hotspot is of, counted from 1; none where it is of the strategy's own table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot_copy: Option<u32>,
    /// Class of hotspot, cause, cure, and the bounds that no balancer beats; empty in results of older versions.
    #[serde(default)]
    pub advice: String,
    /// The step of time, an expression, that the key leads with, that outlasts the run, and in which all split points lie: when the next one begins, all
    /// its rows go into one region. Null without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlasting_step: Option<String>,
    /// The highest load that keeps within the limits of `[knee]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<KneeResult>,
    /// Hottest values of skewed fields (`sensor 17: 9.8 %`).
    pub entities: Vec<String>,
    /// Of replicate 0.
    pub series: Option<Series>,
    /// Buckets of the key map, in key order; the first starts at the empty key.
    pub key_map: Vec<KeyMapBucket>,
    /// Start key of each region of the strategy's own table, escaped; the first is empty.
    pub region_starts: Vec<String>,
    /// The copy that the key map and the series by key are of, where its hottest region is hotter than the table's; none where they are of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapped_copy: Option<MappedCopy>,
    /// Response time of all writes (of all reads when nothing is written) by percentile, merged over the replicates.
    pub response_curve: Curve,
}

/// A copy whose keys are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedCopy {
    /// Counted from 1.
    pub copy: u32,
    /// The number of its first region among those of all tables.
    pub first_region: u32,
    /// Start key of each of its regions, escaped; the first is empty.
    pub region_starts: Vec<String>,
}

/// One bucket of the key map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyMapBucket {
    /// Start key, escaped.
    pub start: String,
    /// Start key, lower-case hex.
    pub hex: String,
    /// What its segments say, outermost first.
    pub labels: Vec<String>,
}

impl KeyMapBucket {
    pub(super) fn of(start: &RowKey, labels: Vec<String>) -> Self {
        Self {
            start: start.to_string(),
            hex: hex(start.as_bytes()),
            labels,
        }
    }
}

/// A percentile curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// (quantile in [0, 1), milliseconds), ascending, log-spaced in 1 - q, up to 10 samples beyond.
    pub points: Vec<(f64, f64)>,
    /// Greatest observed value.
    pub max_ms: Option<f64>,
    /// From this quantile on, values are lower bounds (operations unfinished at the end).
    pub censored_from: Option<f64>,
}

/// What one write, or one neighbour, was served like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperationResult {
    /// Its name.
    pub name: String,
    /// Sums over the replicates.
    pub counts: Counts,
    /// By JSON name without the prefix `write_` or `neighbour_`: `response_ms`, `throughput_per_sec`, ...
    pub metrics: BTreeMap<String, Metric>,
}

/// What one read pays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadResult {
    /// Its name.
    pub name: String,
    /// How the key serves it (`get`, `fan-out-scan`, ...); null when it was not planned.
    pub path: Option<String>,
    /// The same in words.
    pub words: String,
    /// The copy of the table that serves it, from 1; null: the table itself.
    pub copy: Option<u32>,
    /// Calls of a read by its plan: mean of all that were sent; when it is planned only, of a sample, whose interval and number it has.
    #[serde(default)]
    pub calls_planned: Measure,
    /// Regions that a read asks, likewise.
    pub regions: Measure,
    /// Rows that servers have to read by its plan, likewise.
    #[serde(default)]
    pub rows_planned: Measure,
    /// Rows that the reader is to get, likewise.
    pub rows_returned: Measure,
    /// Calls as measured: mean of the completed reads alone; of the forecast when it is planned only.
    pub calls: Measure,
    /// Rows that servers read as measured, likewise.
    pub rows_read: Measure,
    /// The cells of those rows; left out where each row has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsRead>,
    /// Sums over the replicates; zero when it is planned only.
    pub counts: Counts,
    /// By JSON name without the prefix `read_`: `throughput_per_sec`, `failed_fraction`, ...
    pub metrics: BTreeMap<String, Metric>,
    /// Response times; null when it is planned only.
    pub response_ms: Option<BTreeMap<String, Measure>>,
    /// Its readers ask again after a reply: what they get a second is theirs to compare.
    #[serde(default)]
    pub closed_loop: bool,
}

/// Cells that a read meets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CellsRead {
    /// That the reader is to get, like [`ReadResult::rows_returned`].
    pub cells_returned: Measure,
    /// That servers have to read, like [`ReadResult::rows_planned`].
    pub cells_planned: Measure,
    /// That servers read, like [`ReadResult::rows_read`].
    pub cells_read: Measure,
    /// Bytes of these, as KeyValues.
    pub bytes_read: Measure,
}

impl OperationResult {
    /// One of its measures.
    pub fn number(&self, path: impl Into<MetricPath>) -> Option<&Measure> {
        let path = path.into();
        number(&self.metrics, path.metric.own_name(), path.part)
    }
}

impl ReadResult {
    /// What it costs, a metric each.
    pub fn costs(&self) -> Vec<(MetricId, &Measure)> {
        let cells = self.cells.iter().flat_map(|cells| {
            [
                (MetricId::CellsReturned, &cells.cells_returned),
                (MetricId::CellsPlanned, &cells.cells_planned),
                (MetricId::CellsRead, &cells.cells_read),
                (MetricId::BytesRead, &cells.bytes_read),
            ]
        });
        let rows = [
            (MetricId::CallsPlanned, &self.calls_planned),
            (MetricId::Regions, &self.regions),
            (MetricId::RowsPlanned, &self.rows_planned),
            (MetricId::RowsReturned, &self.rows_returned),
            (MetricId::Calls, &self.calls),
            (MetricId::RowsRead, &self.rows_read),
        ];
        rows.into_iter().chain(cells).collect()
    }

    /// One of its measures.
    pub fn number(&self, path: impl Into<MetricPath>) -> Option<&Measure> {
        let path = path.into();
        match path.part {
            Some(part) => self.response_ms.as_ref()?.get(part.name()),
            None => {
                let asked = match (path.metric, self.cells) {
                    (MetricId::CellsPlanned, None) => MetricId::RowsPlanned,
                    (MetricId::CellsRead, None) => MetricId::RowsRead,
                    (MetricId::CellsReturned, None) => MetricId::RowsReturned,
                    (metric, _) => metric,
                };
                let mut costs = self.costs().into_iter();
                let cost = costs.find(|(id, _)| *id == asked);
                let rate = || number(&self.metrics, path.metric.own_name(), None);
                cost.map(|(_, cost)| cost).or_else(rate)
            }
        }
    }
}

impl StrategyResult {
    /// The key expression as people are shown it: with derived fields written out, in one line.
    pub fn expanded_key(&self) -> &str {
        self.key_expanded.as_ref().unwrap_or(&self.key).trim()
    }

    /// The number of the first region that the key map shows, and where those that were there at the start begin.
    pub fn mapped_regions(&self) -> (u32, &[String]) {
        match &self.mapped_copy {
            Some(mapped) => (mapped.first_region, &mapped.region_starts),
            None => (0, &self.region_starts),
        }
    }

    /// Its name, with its point of a sweep: `salted at parameter.buckets = 4`.
    pub fn label(&self) -> String {
        format!("{}{}", self.name, at_point(&self.sweep))
    }

    /// Whose operations make the load: the writes, or the reads where nothing is written.
    pub fn load(&self) -> Side {
        match self.writes.is_empty() && !self.reads.is_empty() {
            true => Side::Read,
            false => Side::Write,
        }
    }

    /// The class of hotspot of the load; `None` when it can't be told.
    pub fn load_hotspot(&self) -> Option<&str> {
        self.word(MetricId::Hotspot.of(self.load()))
    }

    /// The class of hotspot that its verdict begins with, and whose it is: the load's, or that of the reads where only they have one, or where they
    /// make the one of both together. `None` when it can't be told.
    pub fn hotspot(&self) -> Option<(&str, Side)> {
        let class = |id: MetricId| self.word(id);
        let is_hot = |class: &&str| *class != Hotspot::None.name();
        let reads = class(MetricId::ReadHotspot).filter(is_hot);
        let reads = reads.map(|class| (class, Side::Read));
        let load = self.load();
        let own = self.load_hotspot().map(|class| (class, load));
        match own.filter(|(class, _)| is_hot(class)) {
            None => reads.or(own),
            hot => {
                let of_all = class(MetricId::DemandHotspot);
                let makes_it = |(class, _): &(&str, Side)| {
                    of_all == Some(class) && self.load_hotspot() != of_all
                };
                reads.filter(makes_it).or(hot)
            }
        }
    }

    /// Some server is hot.
    pub fn is_hot(&self) -> bool {
        self.hotspot()
            .is_some_and(|(class, _)| class != Hotspot::None.name())
    }

    /// The class of hotspot as tables show it, with whose it is where it is not the load's: `static (reads)`. `None` when it can't be told.
    pub fn hotspot_text(&self) -> Option<String> {
        let (class, side) = self.hotspot()?;
        Some(match side == self.load() {
            true => class.to_owned(),
            false => format!("{class} ({})", side.plural()),
        })
    }

    /// A metric that is a word; `None` when it can't be told.
    pub(super) fn word(&self, path: impl Into<MetricPath>) -> Option<&str> {
        let path = path.into();
        match (path.subject, self.metrics.get(path.metric.name())) {
            (Subject::One(_, read), _) => self.reads.get(read)?.path.as_deref(),
            (Subject::All, Some(Metric::Word(word))) => Some(word),
            _ => None,
        }
    }

    /// The names of its operations.
    pub fn names(&self) -> OperationNames<'_> {
        OperationNames([
            self.writes.iter().map(|it| &it.name[..]).collect(),
            self.reads.iter().map(|it| &it.name[..]).collect(),
            self.neighbours.iter().map(|it| &it.name[..]).collect(),
        ])
    }

    /// One of its measures.
    pub fn number(&self, path: impl Into<MetricPath>) -> Option<&Measure> {
        let path = path.into();
        match path.subject {
            Subject::All => number(&self.metrics, path.metric.name(), path.part),
            Subject::One(Side::Write, at) => self.writes.get(at)?.number(path),
            Subject::One(Side::Read, at) => self.reads.get(at)?.number(path),
            Subject::One(Side::Neighbour, at) => self.neighbours.get(at)?.number(path),
        }
    }

    /// Its mean over the replicates.
    pub fn mean(&self, path: impl Into<MetricPath>) -> Option<f64> {
        self.number(path)?.mean
    }

    /// Its value in each replicate.
    pub fn replicates(&self, path: impl Into<MetricPath>) -> Option<&Vec<Option<f64>>> {
        self.values.get(&path.into().text(&self.names()))
    }

    /// The same as it is compared with another strategy's: of a throughput no more than was offered, as the rest is what piled up before the window.
    pub(super) fn comparable(&self, path: MetricPath) -> Option<Vec<Option<f64>>> {
        let values = self.replicates(path)?.iter().copied();
        if path.metric != MetricId::WriteThroughput {
            return Some(values.collect());
        }
        let metric = MetricId::WriteOffered;
        let offered = self.replicates(MetricPath { metric, ..path });
        let most = |at: usize| offered.and_then(|it| *it.get(at)?).unwrap_or(f64::INFINITY);
        let capped = values.enumerate();
        Some(
            capped
                .map(|(at, value)| Some(value?.min(most(at))))
                .collect(),
        )
    }

    /// Every measure with its path: those of the run, then of each write, read and neighbour.
    pub fn measures(&self) -> Vec<(String, &Measure)> {
        let mut measures = numbers("", &self.metrics);
        for write in &self.writes {
            measures.extend(numbers(&format!("write.{}.", write.name), &write.metrics));
        }
        for read in &self.reads {
            let prefix = format!("read.{}.", read.name);
            let costs = read.costs().into_iter();
            measures.extend(costs.map(|(id, cost)| (format!("{prefix}{}", id.name()), cost)));
            measures.extend(numbers(&prefix, &read.metrics));
            let parts = read.response_ms.iter().flatten();
            let parts = parts.map(|(part, it)| (format!("{prefix}response_ms.{part}"), it));
            measures.extend(parts);
        }
        for neighbour in &self.neighbours {
            let prefix = format!("neighbour.{}.", neighbour.name);
            measures.extend(numbers(&prefix, &neighbour.metrics));
        }
        measures
    }

    /// The measure at `path`, of those in [`StrategyResult::measures`].
    pub fn measure(&self, path: &str) -> Option<&Measure> {
        let mut measures = self.measures().into_iter();
        Some(measures.find(|(name, _)| name == path)?.1)
    }

    /// What the catalogue says of the metric at `path`; `None` when it has none of that name.
    pub fn definition(&self, path: &str) -> Option<&'static Definition> {
        Some(lookup(path, &self.names()).ok()?.definition())
    }
}

/// The measure of that name, or the member of that family.
fn number<'a>(
    metrics: &'a BTreeMap<String, Metric>,
    name: &str,
    part: Option<Part>,
) -> Option<&'a Measure> {
    match (metrics.get(name)?, part) {
        (Metric::Number(measure), None) => Some(measure),
        (Metric::Family(members), Some(part)) => members.get(part.name()),
        _ => None,
    }
}

fn numbers<'a>(prefix: &str, metrics: &'a BTreeMap<String, Metric>) -> Vec<(String, &'a Measure)> {
    let of_metric = |(name, metric): (&String, &'a Metric)| match metric {
        Metric::Number(measure) => vec![(format!("{prefix}{name}"), measure)],
        Metric::Family(members) => {
            let members = members.iter();
            let named = members.map(|(part, it)| (format!("{prefix}{name}.{part}"), it));
            named.collect()
        }
        Metric::Word(_) => Vec::new(),
    };
    metrics.iter().flat_map(of_metric).collect()
}

/// Why results could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("can't read `{}`", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is no results file.
    #[error("`{}` is not a results file of keyheat", path.display())]
    Parse {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It comes from another version.
    #[error("`{}` has schema version {found}, expected {}", path.display(), Results::SCHEMA_VERSION)]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

#[derive(serde::Deserialize)]
struct VersionOnly {
    schema_version: u32,
}

impl Results {
    /// Version of the format of `results.json`.
    pub const SCHEMA_VERSION: u32 = 1;

    /// The text of `results.json`: objects over several lines, lists of numbers on one; floats in their shortest form that reads
    /// back exactly; a final line end.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Layout::default());
        self.serialize(&mut serializer)
            .expect("results hold only what JSON can hold, and memory takes it");
        bytes.push(b'\n');
        String::from_utf8(bytes).expect("JSON is UTF-8")
    }

    /// Writes `results.json` to `path`.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, self.to_json())
    }

    /// Reads what [`Results::save`] wrote.
    ///
    /// # Errors
    /// When the file can't be read, is no results file, or comes from another version of the format.
    ///
    /// ```
    /// use keyheat::experiment::{Experiment, Results};
    /// use keyheat::report::{Format, Report, Style};
    /// use keyheat::scenario::Scenario;
    ///
    /// let scenario = Scenario::parse(
    ///     r#"
    ///     time = { duration = "200ms", warmup = "100ms", sample = "50ms" }
    ///     [field]
    ///     ts = { type = "timestamp", unit = "ms" }
    ///     [write.points]
    ///     rate = "10k/s"
    ///     [strategy.rising]
    ///     key = "be8(ts)"
    ///     "#,
    ///     "rising",
    /// )?;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("results.json");
    /// Experiment::new(&scenario).run(|_| {}).save(&path)?;
    ///
    /// // Every view is made from the results alone, now or later.
    /// let results = Results::load(&path)?;
    /// let style = Style { width: 100, ascii: false, colour: false };
    /// let table = Report::new(&results).render(Format::Table, style);
    /// assert!(table.contains("hottest"), "{table}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let text = read(path).map_err(|source| LoadError::Read {
            path: path.into(),
            source,
        })?;
        let parse = |source| LoadError::Parse {
            path: path.into(),
            source,
        };
        let version: VersionOnly = serde_json::from_str(&text).map_err(parse)?;
        if version.schema_version != Self::SCHEMA_VERSION {
            return Err(LoadError::Version {
                path: path.into(),
                found: version.schema_version,
            });
        }
        let results: Self = serde_json::from_str(&text).map_err(parse)?;
        match results.fault() {
            Some(fault) => Err(parse(serde_json::Error::custom(fault))),
            None => Ok(results),
        }
    }

    /// What no scenario can give: names that would be paths, where files are named after them, and more servers than there are.
    fn fault(&self) -> Option<String> {
        let scenario = &self.scenario.name;
        if !is_file_stem(scenario) {
            return Some(format!("the scenario's name `{scenario}` is no file name"));
        }
        for strategy in &self.strategies {
            let (name, servers) = (&strategy.name[..], strategy.servers);
            let OperationNames(operations) = strategy.names();
            let mut names = std::iter::once(name).chain(operations.into_iter().flatten());
            if let Some(name) = names.find(|name| !is_name(name)) {
                return Some(format!(
                    "`{name}` is no name, expected small letters, digits and `-`"
                ));
            }
            if servers > MOST_SERVERS {
                return Some(format!(
                    "`{name}` has {servers} servers, expected up to {MOST_SERVERS}"
                ));
            }
        }
        None
    }

    /// Number of points of the sweep; 1 without one.
    pub fn point_count(&self) -> usize {
        self.sweep.iter().map(|list| list.values.len()).product()
    }

    /// The same with a point of the sweep in front, so that it is what is shown of what can only be shown of one point; `None` where no point has
    /// these values of these settings.
    pub fn with_point_first(mut self, settings: &[(String, String)]) -> Option<Self> {
        let is_meant = |strategy: &&StrategyResult| {
            let value = |path| strategy.sweep.get(path).map(value_text);
            let mut settings = settings.iter();
            settings.all(|(path, meant)| value(path).as_ref() == Some(meant))
        };
        let meant = self.strategies.iter().find(is_meant)?.sweep.clone();
        // Stable: all others stay in their order.
        self.strategies.sort_by_key(|it| it.sweep != meant);
        Some(self)
    }

    /// The first point alone, as if its values had been set with `--set`: what can only be shown of one point is shown of this.
    /// Without a sweep these results themselves.
    pub fn first_point(&self) -> Cow<'_, Self> {
        let first = match self.strategies.first() {
            Some(strategy) if !self.sweep.is_empty() => &strategy.sweep,
            _ => return Cow::Borrowed(self),
        };
        let set = first.iter().map(|(path, value)| format!("{path}={value}"));
        let mut point = self.clone();
        point.scenario.overrides.extend(set);
        point.sweep.clear();
        let is_first = |sweep: &mut BTreeMap<_, _>| std::mem::take(sweep) == *first;
        point.strategies.retain_mut(|it| is_first(&mut it.sweep));
        point.comparisons.retain_mut(|it| is_first(&mut it.sweep));
        point.expectations.retain_mut(|it| is_first(&mut it.sweep));
        Cow::Owned(point)
    }
}

/// More than a scenario can have; views take memory for each.
const MOST_SERVERS: u32 = 1_000_000;

/// Bytes that are read of what is no regular file, and may have no end.
const ENDLESS: u64 = 256 << 20;

fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    let limit = match file.metadata()?.is_file() {
        true => u64::MAX,
        false => ENDLESS,
    };
    let mut text = String::new();
    file.take(limit).read_to_string(&mut text)?;
    Ok(text)
}

/// Objects as [`PrettyFormatter`] lays them out; the members of a list stay on one line unless they are objects.
#[derive(Default)]
struct Layout {
    objects: PrettyFormatter<'static>,
}

impl Formatter for Layout {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.objects.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.end_object_value(writer)
    }
}
