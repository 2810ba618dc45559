//! The warning that a strategy was measured before it had settled. Must not know how settling is found.

use super::strategy_summary::StrategySummary;
use crate::metrics::MetricId;
use crate::scenario::Setup;
use crate::text;
use crate::workload::{Drive, ReadDrive};

impl StrategySummary<'_> {
    /// That the warm-up is too short, in most replicates: one that settles late is chance. Nothing is said of a load or a cluster that
    /// changes by itself, which has no level to settle at.
    pub(super) fn warm_up_warning(&self) -> Option<String> {
        let changed = |id| self.mean(id).is_some_and(|count| count > 0.0);
        if !is_steady(&self.strategy.setup)
            || [MetricId::Splits, MetricId::Merges, MetricId::Moves]
                .into_iter()
                .any(changed)
        {
            return None;
        }
        let values = self.runs.all().values(MetricId::Unsettled);
        let (late, latest) = late(&values)?;
        let warm_up = self.time.warmup.as_secs_f64() * 1e3;
        Some(format!(
            "strategy `{}`: {late} of {} replicates settle only {} after the warm-up (MSER-5): set `time.warmup` to {} or more",
            self.strategy.name,
            values.len(),
            text::length(latest / 1e3),
            text::length((warm_up + latest) / 1e3),
        ))
    }
}

/// In how many replicates something was unsettled, and for how long at most; `None` unless in more than half of them.
fn late(values: &[Option<f64>]) -> Option<(usize, f64)> {
    let late: Vec<f64> = values
        .iter()
        .flatten()
        .copied()
        .filter(|ms| *ms > 0.0)
        .collect();
    let latest = late.iter().copied().fold(0.0, f64::max);
    (2 * late.len() > values.len()).then_some((late.len(), latest))
}

/// No finite import, no rate profile and no event: the load has one level throughout.
fn is_steady(setup: &Setup) -> bool {
    let writes = setup
        .workload
        .writes
        .iter()
        .all(|write| match &write.drive {
            Drive::Open {
                profile, import, ..
            } => profile.is_empty() && import.is_none(),
            Drive::Closed { import, .. } => import.is_none(),
            Drive::Beat(_) => true,
        });
    let reads = setup.workload.reads.iter().all(|read| match &read.drive {
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
