//! Whether the runs were long enough for an expectation: what rests on too little is broken, whatever its number says. Must not know
//! the bound.

use super::read_summary::{A_FEW, NEARLY_ALL};
use super::strategy_summary::StrategySummary;
use crate::metrics::{MetricPath, RESPONSE_PARTS, Unit};

/// Fewer intervals a replicate have no median to speak of (estimate).
const FEWEST_INTERVALS: f64 = 5.0;
/// Fewer intervals a replicate have no 95th percentile: one of them must lie beyond it.
const FEWEST_INTERVALS_OF_P95: f64 = 20.0;
/// Fewer operations beyond a percentile, over all replicates, leave it to chance: the order statistic then has a relative standard error
/// in rank of more than 1 / sqrt(10).
const FEWEST_BEYOND: f64 = 10.0;
/// Fewer operations over all replicates have no mean and no fraction: 100 Poisson events are known to 10 %.
const FEWEST_OPERATIONS: u64 = 100;

/// Metrics over intervals of the writes' demand; those of reads begin with `read_`.
const OVER_INTERVALS: [&str; 6] = [
    "server_peak_to_mean",
    "server_max_share",
    "effective_servers",
    "region_max_share",
    "key_range_max_share",
    "region_gini",
];

/// Why a metric rests on too little for any bound to hold; `None` when it rests on enough.
pub(super) fn too_short(summary: &StrategySummary<'_>, path: &MetricPath) -> Option<String> {
    survivors(summary, path)
        .or_else(|| intervals(summary, path))
        .or_else(|| operations(summary, path))
        .or_else(|| replicates(summary, path))
}

/// What was measured of the reads that completed says nothing of those that did not, which are the dear ones.
fn survivors(summary: &StrategySummary<'_>, path: &MetricPath) -> Option<String> {
    let name = path.definition.name;
    let planned = match name {
        "calls" => "calls_planned",
        "rows_read" => "rows_planned",
        _ => return None,
    };
    let runs = summary.runs.of(path);
    let (cohort, completed) = (runs.cohort(), runs.completed_of_cohort());
    let left = cohort - completed;
    let few = A_FEW * u64::from(runs.replicates());
    (left >= few && (completed as f64) < NEARLY_ALL * cohort as f64).then(|| {
        format!(
            "`{name}` is measured of completed reads, {completed} of {cohort} in the window; `{planned}` is that of all"
        )
    })
}

fn intervals(summary: &StrategySummary<'_>, path: &MetricPath) -> Option<String> {
    let name = path.definition.name;
    let least = |count: &str| {
        let values = summary.runs.all.values(count).into_iter().flatten();
        values.fold(None, |least: Option<f64>, value| {
            Some(least.map_or(value, |it| it.min(value)))
        })
    };
    let (of_writes, of_reads) = ("intervals_measured", "read_intervals_measured");
    let plain = name.strip_prefix("read_").unwrap_or(name);
    let base = plain.strip_suffix("_p95").unwrap_or(plain);
    let found = match name {
        "hotspot" => least(of_writes),
        "read_hotspot" => least(of_reads),
        // That of the writes or of the reads.
        "demand_hotspot" => least(of_writes)
            .into_iter()
            .chain(least(of_reads))
            .reduce(f64::max),
        _ if !OVER_INTERVALS.contains(&base) => None,
        _ if plain == name => least(of_writes),
        _ => least(of_reads),
    }?;
    let needed = match plain == base {
        true => FEWEST_INTERVALS,
        false => FEWEST_INTERVALS_OF_P95,
    };
    (found < needed).then(|| {
        format!("a replicate has {found} intervals with enough operations, fewer than {needed}")
    })
}

fn operations(summary: &StrategySummary<'_>, path: &MetricPath) -> Option<String> {
    // Of the window: of all that were intended in it, whatever became of them.
    let cohort = summary.runs.of_operations(path).cohort();
    let quantile = path.part.and_then(|part| {
        let known = RESPONSE_PARTS.iter().find(|(name, _)| *name == part)?;
        known.1
    });
    if let Some(quantile) = quantile {
        // Rounded, so that p90 of 100 has ten beyond.
        let beyond = (cohort as f64 * (1.0 - quantile) * 1e6).round() / 1e6;
        return (beyond < FEWEST_BEYOND).then(|| {
            format!(
                "{cohort} operations of the window have {beyond:.0} beyond the percentile, fewer than {FEWEST_BEYOND}"
            )
        });
    }
    let name = path.definition.name;
    let of_operations = path.part.is_some()
        || path.definition.unit == Unit::PerSecond && !name.ends_with("capacity_per_sec")
        || ["goodput_fraction", "failed_fraction", "unfinished_fraction"]
            .iter()
            .any(|end| name.ends_with(end));
    (of_operations && cohort < FEWEST_OPERATIONS)
        .then(|| format!("{cohort} operations of the window, fewer than {FEWEST_OPERATIONS}"))
}

/// One value out of many replicates has no interval, so that its bound would hold untried.
fn replicates(summary: &StrategySummary<'_>, path: &MetricPath) -> Option<String> {
    let runs = summary.runs.of(path);
    let values = summary.runs.values(path).0;
    let defined = values.iter().flatten().count();
    let untried = defined == 1 && values.len() > 1 && !runs.is_of_first(path.definition.name);
    untried.then(|| format!("it is defined in 1 of {} replicates", values.len()))
}
