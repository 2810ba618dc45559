//! What is odd about a strategy and its runs, a warning each. Must not know how it is found.

use super::strategy_summary::StrategySummary;
use crate::metrics::{BUSY, MetricId};
use crate::scenario::{Setup, Severity};
use crate::text::{compact, length};
use crate::workload::{Drive, ReadDrive};

/// Lints worth a warning, and what the runs showed to be odd; they name their strategy.
pub(super) fn of(summary: &StrategySummary<'_>) -> Vec<String> {
    let name = &summary.strategy.name;
    let lints = summary.layout.lints.iter();
    let lints = lints.filter(|lint| lint.severity != Severity::Note);
    let mut warnings: Vec<String> = lints.map(|lint| lint.message.clone()).collect();
    if summary.import_unfinished() {
        warnings.push(format!(
            "strategy `{name}`: an import does not end within `time.duration`: its makespan is unknown"
        ));
    }
    let cause = match summary.mean(MetricId::UtilisationMax) > Some(BUSY) {
        true => "the busiest server has no handler left",
        false => "they wait for more than handlers",
    };
    for read in summary.prices() {
        if let Some((done, offered)) = read.behind {
            let (done, offered) = (compact(done), compact(offered));
            warnings.push(format!(
                "`{name}`: read `{}` piles up, {done} of {offered} a second completed: {cause}",
                read.name
            ));
        }
    }
    warnings.extend(short_warm_up(summary));
    warnings
}

/// That the warm-up is too short, in most replicates: one that settles late is chance. Nothing is said of a load or a cluster that
/// changes by itself, which has no level to settle at.
fn short_warm_up(summary: &StrategySummary<'_>) -> Option<String> {
    let mut changes = [MetricId::Splits, MetricId::Merges, MetricId::Moves].into_iter();
    let changes = changes.any(|id| summary.mean(id) > Some(0.0));
    if changes || !is_steady(&summary.strategy.setup) {
        return None;
    }
    let values = summary.runs.all().values(MetricId::Unsettled);
    let (late, latest) = late(&values)?;
    let warm_up = summary.time.warmup.as_secs_f64() + latest / 1e3;
    Some(format!(
        "strategy `{}`: {late} of {} replicates settle only {} after the warm-up (MSER-5): set `time.warmup` to {} or more",
        summary.strategy.name,
        values.len(),
        length(latest / 1e3),
        length(warm_up),
    ))
}

/// In how many replicates something was unsettled, and for how long at most; `None` unless in more than half of them.
fn late(values: &[Option<f64>]) -> Option<(usize, f64)> {
    let unsettled = values.iter().flatten().copied();
    let late: Vec<f64> = unsettled.filter(|ms| *ms > 0.0).collect();
    let latest = late.iter().copied().fold(0.0, f64::max);
    (2 * late.len() > values.len()).then_some((late.len(), latest))
}

/// No finite import, no rate profile and no event: the load has one level throughout.
fn is_steady(setup: &Setup) -> bool {
    let workload = &setup.workload;
    let writes = workload.writes.iter().all(|write| match &write.drive {
        Drive::Open {
            profile, import, ..
        } => profile.is_empty() && import.is_none(),
        Drive::Closed { import, .. } => import.is_none(),
        Drive::Beat(_) => true,
    });
    let reads = workload.reads.iter().all(|read| match &read.drive {
        Some(ReadDrive::Open { profile, .. }) => profile.is_empty(),
        Some(ReadDrive::Closed { .. }) | None => true,
    });
    writes && reads && setup.changes.events.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_replicates_must_be_late() {
        let (zero, two, three) = (Some(0.0), Some(2.0), Some(3.0));
        assert_eq!(late(&[two, three, zero]), Some((2, 3.0)));
        assert_eq!(late(&[two, three, zero, zero]), None);
        assert_eq!(late(&[two, three, None, zero]), None);
        assert_eq!(late(&[]), None);
    }
}
