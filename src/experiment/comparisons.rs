//! Paired comparisons of every strategy with the first. Must not judge which is better.

use super::strategy_summary::{StrategySummary, sweep_of};
use super::{Comparison, Measure, measures};
use crate::metrics::{MetricId, MetricPath, Part, Side};

/// Metrics that are compared: skew, damage, and the time of an import.
const HEADLINES: [MetricPath; 5] = [
    MetricId::ServerPeakToMean.whole(),
    MetricId::WriteThroughput.whole(),
    MetricId::WriteResponse.at(Part::Mean),
    MetricId::WriteResponse.at(Part::P99),
    MetricId::Makespan.whole(),
];

/// Metrics of each read that are compared: what it takes, and how long.
const OF_READS: [MetricPath; 3] = [
    MetricId::CallsPlanned.whole(),
    MetricId::RowsPlanned.whole(),
    MetricId::ReadResponse.at(Part::P99),
];

/// The headline metrics of all strategies but the first, over the first's.
pub(super) fn of(summaries: &[StrategySummary<'_>]) -> Vec<Comparison> {
    let Some((baseline, others)) = summaries.split_first() else {
        return Vec::new();
    };
    let names = baseline.strategy.setup.operation_names();
    let reads = 0..names.reads.len();
    let of_reads = reads.flat_map(|read| OF_READS.map(|path| path.of_one(Side::Read, read)));
    let metrics: Vec<MetricPath> = HEADLINES.into_iter().chain(of_reads).collect();
    let mut comparisons = Vec::new();
    for summary in others {
        for path in &metrics {
            let defined = |summary: &StrategySummary<'_>| {
                summary.runs.values(path).0.iter().any(Option::is_some)
            };
            if defined(summary) || defined(baseline) {
                let ratio = ratio(summary, baseline, path);
                comparisons.push(Comparison {
                    strategy: summary.strategy.name.clone(),
                    sweep: sweep_of(summary.point),
                    baseline: baseline.strategy.name.clone(),
                    metric: path.text(&names),
                    significant: ratio.differs_from_one(),
                    ratio,
                });
            }
        }
    }
    comparisons
}

/// A metric over another strategy's, paired by replicate; a bound where either is censored.
pub(super) fn ratio(
    summary: &StrategySummary<'_>,
    base: &StrategySummary<'_>,
    path: &MetricPath,
) -> Measure {
    let (values, censored) = summary.runs.values(path);
    let (bases, base_censored) = base.runs.values(path);
    let ratio = measures::ratio(&values, &bases);
    let ratio: Measure = ratio.map_or(Measure::UNDEFINED, Into::into);
    ratio.bounded(censored, base_censored)
}
