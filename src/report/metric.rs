//! Metrics of a strategy as views show them. Must not know how they look.

use super::number::NumberFormat;
use crate::experiment::{Measure, StrategyResult};
use crate::metrics::{MetricId, MetricPath, Side, Unit};

/// One of its measures; when nothing is written, that of the reads in its place.
pub fn measure(strategy: &StrategyResult, path: impl Into<MetricPath>) -> Option<&Measure> {
    strategy.number(of_load(strategy, path.into()))
}

/// The path of a metric of the writes; where nothing is written, of the reads.
pub fn of_load(strategy: &StrategyResult, path: MetricPath) -> MetricPath {
    let metric = match strategy.load() {
        Side::Read => path.metric.of(Side::Read),
        _ => path.metric,
    };
    MetricPath { metric, ..path }
}

/// Its value, when it is defined: merged over the replicates for a percentile, else the mean.
pub fn value(strategy: &StrategyResult, path: impl Into<MetricPath>) -> Option<f64> {
    let measure = measure(strategy, path)?;
    let value = measure.merged.or(measure.mean);
    value.filter(|value| value.is_finite())
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
        Some(Unit::Number | Unit::Servers | Unit::Word) | None => NumberFormat::Plain,
    }
}

/// Its value as text.
pub fn text(strategy: &StrategyResult, path: impl Into<MetricPath>, kind: NumberFormat) -> String {
    kind.measure(measure(strategy, path).unwrap_or(&Measure::UNDEFINED))
}

/// Whether nothing is written: the reads' numbers then stand for the load.
pub fn is_of_reads(strategy: &StrategyResult) -> bool {
    strategy.load() == Side::Read
}

/// Whether it was observed, not simulated: nobody knows its key.
pub fn is_observed(strategy: &StrategyResult) -> bool {
    strategy.key.is_empty()
}

/// What the load of all `strategies` is called.
pub fn load_name<'a>(strategies: impl IntoIterator<Item = &'a StrategyResult>) -> &'static str {
    let mut strategies = strategies.into_iter().peekable();
    if strategies.peek().is_some_and(|first| is_observed(first)) {
        return "requests";
    }
    let load = match strategies.peek().is_some() && strategies.all(is_of_reads) {
        true => Side::Read,
        false => Side::Write,
    };
    load.plural()
}

/// Operations offered per second of the window, over all writes: from the series when there is one (an import ends when
/// it is done), else from the counts.
pub fn offered_per_sec(strategy: &StrategyResult, replicates: u32, duration_s: f64) -> Option<f64> {
    if let Some(offered) = value(strategy, MetricId::WriteOffered) {
        return Some(offered);
    }
    let rate = match &strategy.series {
        Some(series) => {
            let window = series.server_demand.get(series.window_start..);
            let window = window.unwrap_or_default();
            let rows: u64 = window.iter().flatten().sum();
            rows as f64 / (window.len() as f64 * series.interval_ms / 1e3)
        }
        None => strategy.counts.offered as f64 / (f64::from(replicates) * duration_s),
    };
    (rate.is_finite() && rate > 0.0).then_some(rate)
}
