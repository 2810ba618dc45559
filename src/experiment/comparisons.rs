//! Paired comparisons of strategies that met the same draws. Must not judge which is better.

use super::{Comparison, Measure, StrategyResult, measures};
use crate::metrics::{MetricId, MetricPath, Part, Side};
use crate::statistics::Estimate;

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
pub(super) fn of(strategies: &[StrategyResult]) -> Vec<Comparison> {
    let Some((baseline, others)) = strategies.split_first() else {
        return Vec::new();
    };
    let metrics = with_reads(&HEADLINES, &OF_READS, baseline);
    let compared = others.iter().flat_map(|own| {
        let is_defined = |it: &StrategyResult, path| it.replicates(path).is_some();
        let metrics = metrics.iter().copied();
        let defined =
            metrics.filter(move |&path| is_defined(own, path) || is_defined(baseline, path));
        defined.map(|path| Comparison::of(own, baseline, path))
    });
    compared.collect()
}

/// These metrics, and those of each read of a strategy.
pub(super) fn with_reads(
    metrics: &[MetricPath],
    of_reads: &[MetricPath],
    strategy: &StrategyResult,
) -> Vec<MetricPath> {
    let of_read = |read| {
        of_reads
            .iter()
            .map(move |path| path.of_one(Side::Read, read))
    };
    let reads = (0..strategy.reads.len()).flat_map(of_read);
    metrics.iter().copied().chain(reads).collect()
}

impl Comparison {
    /// One metric of a strategy over that of another, which ran at the same point.
    pub(super) fn of(own: &StrategyResult, baseline: &StrategyResult, path: MetricPath) -> Self {
        let ratio = own.ratio(baseline, path);
        Self {
            strategy: own.name.clone(),
            sweep: own.sweep.clone(),
            baseline: baseline.name.clone(),
            metric: path.text(&own.names()),
            significant: ratio.differs_from_one(),
            ratio,
        }
    }
}

impl StrategyResult {
    /// A metric over another strategy's, paired by replicate; a bound where either is censored.
    pub(super) fn ratio(&self, base: &Self, path: MetricPath) -> Measure {
        let is_open = |it: &Self| it.number(path).is_some_and(|measure| measure.censored);
        let ratio = self
            .paired(base, path)
            .map_or(Measure::UNDEFINED, Measure::from);
        ratio.bounded(is_open(self), is_open(base))
    }

    /// The same as it is, whatever is censored.
    pub(super) fn paired(&self, base: &Self, path: MetricPath) -> Option<Estimate> {
        measures::ratio(self.replicates(path)?, base.replicates(path)?)
    }
}
