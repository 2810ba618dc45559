//! The results of an experiment, exactly as `results.json` holds them: every view is rendered from here.
//! Undefined numbers are `null`, never NaN. Must not compute anything.

use super::{ExpectationResult, KneeResult, Measure, Metric};
use crate::metrics::{Counts, Series};
use crate::scenario::SweptSetting;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that an experiment found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    pub sweep: Vec<SweptList>,
    /// In file order; of a sweep point by point, the last setting's values fastest.
    pub strategies: Vec<StrategyResult>,
    /// Paired differences of the headline metrics between each strategy and the first.
    pub comparisons: Vec<Comparison>,
    /// In file order.
    pub expectations: Vec<ExpectationResult>,
    /// Lints, as text.
    pub warnings: Vec<String>,
}

/// A setting that was swept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweptList {
    /// Dotted, as in `--set`.
    pub path: String,
    /// As written, each once.
    pub values: Vec<serde_json::Value>,
}

impl From<&SweptSetting> for SweptList {
    fn from(setting: &SweptSetting) -> Self {
        Self {
            path: setting.path.clone(),
            values: setting.values.clone(),
        }
    }
}

/// As `--sweep` takes it: `cluster.servers=4,8`.
impl std::fmt::Display for SweptList {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values: Vec<String> = self.values.iter().map(super::value_text).collect();
        write!(to, "{}={}", self.path, values.join(","))
    }
}

/// The scenario, for provenance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyResult {
    /// Its name in the file.
    pub name: String,
    /// What charts call it.
    pub title: String,
    /// The values of the swept settings, by path; empty without a sweep.
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// The key expression.
    pub key: String,
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
    /// One sentence.
    pub verdict: String,
    /// Class of hotspot, cause, cure, and the bounds that no balancer beats; empty in results of older versions.
    #[serde(default)]
    pub advice: String,
    /// The highest load that keeps within the limits of `[knee]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<KneeResult>,
    /// Hottest values of skewed fields (`sensor 17: 9.8 %`).
    pub entities: Vec<String>,
    /// Of replicate 0.
    pub series: Option<Series>,
    /// Buckets of the key map, in key order; the first starts at the empty key.
    pub key_map: Vec<KeyMapBucket>,
    /// Start key of each region, escaped; the first is empty.
    pub region_starts: Vec<String>,
    /// Response time of all writes (of all reads when nothing is written) by percentile, merged over the replicates.
    pub response_curve: Curve,
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

/// A percentile curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    #[serde(default = "undefined")]
    pub calls_planned: Measure,
    /// Regions that a read asks, likewise.
    pub regions: Measure,
    /// Rows that servers have to read by its plan, likewise.
    #[serde(default = "undefined")]
    pub rows_planned: Measure,
    /// Rows that the reader is to get, likewise.
    pub rows_returned: Measure,
    /// Calls as measured: mean of the completed reads alone; of the forecast when it is planned only.
    pub calls: Measure,
    /// Rows that servers read as measured, likewise.
    pub rows_read: Measure,
    /// Sums over the replicates; zero when it is planned only.
    pub counts: Counts,
    /// By JSON name without the prefix `read_`: `throughput_per_sec`, `failed_fraction`, ...
    pub metrics: BTreeMap<String, Metric>,
    /// Response times; null when it is planned only.
    pub response_ms: Option<BTreeMap<String, Measure>>,
}

fn undefined() -> Measure {
    Measure::UNDEFINED
}

/// A paired difference between two strategies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Strategy compared.
    pub strategy: String,
    /// The point of the sweep at which both ran; empty without a sweep.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// With this one.
    pub baseline: String,
    /// Of this metric.
    pub metric: String,
    /// Mean of the paired ratios (geometric), with its interval; null where undefined, or where both values are lower bounds. A bound where one of
    /// them is.
    pub ratio: Measure,
    /// The interval excludes 1; of a bound, its one end does.
    pub significant: bool,
}
