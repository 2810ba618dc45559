//! Paired comparisons of every strategy with the first. Must not judge which is better.

use super::strategy_summary::{StrategySummary, sweep_of};
use super::{Comparison, Measure};
use crate::metrics::{MetricPath, lookup};
use crate::statistics::paired_ratio;

/// Metrics that are compared: skew, damage, and the time of an import.
const HEADLINES: [&str; 5] = [
    "server_peak_to_mean",
    "write_throughput_per_sec",
    "write_response_ms.mean",
    "write_response_ms.p99",
    "makespan_ms",
];

/// Metrics of each read that are compared: what it takes, and how long.
const OF_READS: [&str; 3] = ["calls_planned", "rows_planned", "response_ms.p99"];

/// The headline metrics of all strategies but the first, over the first's.
pub(super) fn of(summaries: &[StrategySummary<'_>]) -> Vec<Comparison> {
    let Some((baseline, others)) = summaries.split_first() else {
        return Vec::new();
    };
    let names = baseline.strategy.setup.operation_names();
    let of_reads = names
        .reads
        .iter()
        .flat_map(|read| OF_READS.map(|metric| format!("read.{read}.{metric}")));
    let metrics: Vec<(String, MetricPath)> = HEADLINES
        .map(str::to_owned)
        .into_iter()
        .chain(of_reads)
        .map(|metric| {
            let path = lookup(&metric, &names).expect("headline metrics are in the catalogue");
            (metric, path)
        })
        .collect();
    let mut comparisons = Vec::new();
    for summary in others {
        for (metric, path) in &metrics {
            let defined = |summary: &StrategySummary<'_>| {
                summary.runs.values(path).0.iter().any(Option::is_some)
            };
            if defined(summary) || defined(baseline) {
                let ratio = ratio(summary, baseline, path);
                comparisons.push(Comparison {
                    strategy: summary.strategy.name.clone(),
                    sweep: sweep_of(summary.point),
                    baseline: baseline.strategy.name.clone(),
                    metric: metric.clone(),
                    significant: ratio.differs_from_one(),
                    ratio,
                });
            }
        }
    }
    comparisons
}

/// A metric over another strategy's, paired by replicate; a bound where either is censored. Undefined when a pair has no ratio (one of them is
/// zero): leaving that pair out would judge by the others alone.
pub(super) fn ratio(
    summary: &StrategySummary<'_>,
    base: &StrategySummary<'_>,
    path: &MetricPath,
) -> Measure {
    let (values, censored) = summary.runs.values(path);
    let (bases, base_censored) = base.runs.values(path);
    let pairs: Vec<(f64, f64)> = values
        .into_iter()
        .zip(bases)
        .filter_map(|(value, base)| Some((value?, base?)))
        .collect();
    let ratio = paired_ratio(pairs.iter().copied());
    let ratio = ratio.filter(|ratio| ratio.n as usize == pairs.len());
    let ratio: Measure = ratio.map_or(Measure::UNDEFINED, Into::into);
    ratio.bounded(censored, base_censored)
}
