//! Metrics of a strategy by their dotted path. Must not know how they look.

use super::number::{NumberFormat, UNDEFINED};
use crate::experiment::{Measure, Metric, ReadResult, StrategyResult};
use crate::metrics::Unit;
use std::collections::BTreeMap;

/// The measure at `path` (`server_max_share`, `write_response_ms.p99`); when nothing is written, that of the reads in its place.
pub fn measure<'a>(strategy: &'a StrategyResult, path: &str) -> Option<&'a Measure> {
    at(&strategy.metrics, &headline(strategy, path))
}

/// The measure at `path` among `metrics`.
pub fn at<'a>(metrics: &'a BTreeMap<String, Metric>, path: &str) -> Option<&'a Measure> {
    if let Some(Metric::Number(measure)) = metrics.get(path) {
        return Some(measure);
    }
    let (family, member) = path.split_once('.')?;
    match metrics.get(family)? {
        Metric::Family(members) => members.get(member),
        _ => None,
    }
}

/// Its value, when it is defined: merged over the replicates for a percentile, else the mean.
pub fn value(strategy: &StrategyResult, path: &str) -> Option<f64> {
    let measure = measure(strategy, path)?;
    measure
        .merged
        .or(measure.mean)
        .filter(|value| value.is_finite())
}

/// How numbers of the metric at `path` are read.
pub fn kind(strategy: &StrategyResult, path: &str) -> NumberFormat {
    kind_of(strategy.definition(path).map(|definition| definition.unit))
}

/// How numbers of a unit of the catalogue are read.
pub fn kind_of(unit: Option<Unit>) -> NumberFormat {
    match unit {
        Some(Unit::Fraction) => NumberFormat::Percent,
        Some(Unit::PerSecond | Unit::Count) => NumberFormat::Compact,
        Some(Unit::Millis) => NumberFormat::Millis,
        Some(Unit::Bytes) => NumberFormat::Bytes,
        Some(Unit::Number | Unit::Word) | None => NumberFormat::Plain,
    }
}

/// Its value as text.
pub fn text(strategy: &StrategyResult, path: &str, kind: NumberFormat) -> String {
    measure(strategy, path).map_or(UNDEFINED.to_owned(), |measure| kind.measure(measure))
}

/// The class of hotspot; `None` when it was not determined.
pub fn hotspot(strategy: &StrategyResult) -> Option<&str> {
    strategy.hotspot()
}

/// Whether nothing is written: the reads' numbers then stand for the load.
pub fn is_of_reads(strategy: &StrategyResult) -> bool {
    strategy.writes.is_empty() && !strategy.reads.is_empty()
}

/// What the load of all `strategies` is called.
pub fn load_name<'a>(strategies: impl IntoIterator<Item = &'a StrategyResult>) -> &'static str {
    let mut strategies = strategies.into_iter().peekable();
    if strategies.peek().is_some() && strategies.all(is_of_reads) {
        "reads"
    } else {
        "writes"
    }
}

/// The path of the metric that stands where writes have `path`.
fn headline(strategy: &StrategyResult, path: &str) -> String {
    const SKEW: [&str; 3] = [
        "server_peak_to_mean",
        "server_max_share",
        "effective_servers",
    ];
    if !is_of_reads(strategy) {
        path.to_owned()
    } else if let Some(rest) = path.strip_prefix("write_") {
        format!("read_{rest}")
    } else if SKEW.contains(&path) {
        format!("read_{path}")
    } else {
        path.to_owned()
    }
}

/// A rate or fraction of one read.
pub fn of_read(read: &ReadResult, name: &str) -> Option<f64> {
    match read.metrics.get(name)? {
        Metric::Number(measure) => measure.mean,
        _ => None,
    }
}

/// Operations offered per second of the window, over all writes: from the series when there is one (an import ends when
/// it is done), else from the counts.
pub fn offered_per_sec(strategy: &StrategyResult, replicates: u32, duration_s: f64) -> Option<f64> {
    if let Some(offered) = value(strategy, "write_offered_per_sec") {
        return Some(offered);
    }
    let rate = match &strategy.series {
        Some(series) => {
            let window = series
                .server_demand
                .get(series.window_start..)
                .unwrap_or_default();
            let rows: u64 = window.iter().flatten().sum();
            rows as f64 / (window.len() as f64 * series.interval_ms / 1e3)
        }
        None => strategy.counts.offered as f64 / (f64::from(replicates) * duration_s),
    };
    (rate.is_finite() && rate > 0.0).then_some(rate)
}
