//! Whether the runs were long enough for an expectation: what rests on too little is broken, whatever its number says. Must not know
//! the bound.

use super::read_price::{A_FEW, NEARLY_ALL};
use super::runs::StrategyRuns;
use crate::metrics::{MetricId, MetricPath, Part, Side};

/// Fewer intervals a replicate have no median to speak of (estimate).
const FEWEST_INTERVALS: f64 = 5.0;
/// Fewer intervals a replicate have no 95th percentile: one of them must lie beyond it.
const FEWEST_INTERVALS_OF_P95: f64 = 20.0;
/// Fewer operations beyond a percentile, over all replicates, leave it to chance: the order statistic then has a relative standard error
/// in rank of more than 1 / sqrt(10).
const FEWEST_BEYOND: f64 = 10.0;
/// Fewer operations over all replicates have no mean and no fraction: 100 Poisson events are known to 10 %.
const FEWEST_OPERATIONS: u64 = 100;

/// Metrics over intervals, of writes: the median of each.
const MEDIANS: [MetricId; 6] = [
    MetricId::ServerPeakToMean,
    MetricId::ServerMaxShare,
    MetricId::EffectiveServers,
    MetricId::RegionMaxShare,
    MetricId::KeyRangeMaxShare,
    MetricId::RegionGini,
];
/// The same: the 95th percentile.
const P95S: [MetricId; 3] = [
    MetricId::ServerPeakToMeanP95,
    MetricId::ServerMaxShareP95,
    MetricId::EffectiveServersP95,
];

/// Why a metric rests on too little for any bound to hold; `None` when it rests on enough.
pub(super) fn too_short(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    survivors(runs, path)
        .or_else(|| intervals(runs, path))
        .or_else(|| operations(runs, path))
        .or_else(|| replicates(runs, path))
}

/// What was measured of the reads that completed says nothing of those that did not, which are the dear ones.
fn survivors(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    let planned = match path.metric {
        MetricId::Calls => MetricId::CallsPlanned,
        MetricId::RowsRead => MetricId::RowsPlanned,
        _ => return None,
    };
    let (name, planned) = (path.metric.name(), planned.name());
    let runs = runs.of(path);
    let (cohort, completed) = (runs.cohort(), runs.completed_of_cohort());
    let left = cohort - completed;
    let few = A_FEW * u64::from(runs.replicates());
    (left >= few && (completed as f64) < NEARLY_ALL * cohort as f64).then(|| {
        format!(
            "`{name}` is measured of completed reads, {completed} of {cohort} in the window; `{planned}` is that of all"
        )
    })
}

fn intervals(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    let least = |side: Side| {
        let count = MetricId::IntervalsMeasured.of(side);
        let values = runs.all().values(count).into_iter().flatten();
        values.reduce(f64::min)
    };
    let of_writes = path.metric.of(Side::Write);
    let is_p95 = P95S.contains(&of_writes);
    let found = match path.metric {
        // That of the writes or of the reads.
        MetricId::DemandHotspot => {
            let both = [least(Side::Write), least(Side::Read)];
            both.into_iter().flatten().reduce(f64::max)
        }
        _ if is_p95 || of_writes == MetricId::Hotspot || MEDIANS.contains(&of_writes) => {
            least(path.metric.side()?)
        }
        _ => None,
    }?;
    let needed = match is_p95 {
        false => FEWEST_INTERVALS,
        true => FEWEST_INTERVALS_OF_P95,
    };
    (found < needed).then(|| {
        format!("a replicate has {found} intervals with enough operations, fewer than {needed}")
    })
}

fn operations(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    // Of the window: of all that were intended in it, whatever became of them.
    let cohort = runs.of_operations(path).cohort();
    if let Some(quantile) = path.part.and_then(Part::quantile) {
        // Rounded, so that p90 of 100 has ten beyond.
        let beyond = (cohort as f64 * (1.0 - quantile) * 1e6).round() / 1e6;
        return (beyond < FEWEST_BEYOND).then(|| {
            format!(
                "{cohort} operations of the window have {beyond:.0} beyond the percentile, fewer than {FEWEST_BEYOND}"
            )
        });
    }
    let of_operations = path.metric.is_of_each() || path.metric == MetricId::Knee;
    (of_operations && cohort < FEWEST_OPERATIONS)
        .then(|| format!("{cohort} operations of the window, fewer than {FEWEST_OPERATIONS}"))
}

/// One value out of many replicates has no interval, so that its bound would hold untried.
fn replicates(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    let values = runs.values(path);
    let defined = values.iter().flatten().count();
    let is_found_once = runs.of(path).is_of_first(path.metric);
    let untried = defined == 1 && values.len() > 1 && !is_found_once;
    untried.then(|| format!("it is defined in 1 of {} replicates", values.len()))
}
