//! How much a workload writes, without drawing anything. Must not know how it is served.

use super::combinations::Combinations;
use super::rate_profile::RateProfile;
use super::{Drive, Think, Workload, Write, WriteId};
use crate::record::Schema;
use crate::time::SimDuration;

/// Response time that a closed loop's volume is estimated with, before anything is known about the cluster: a put on an idle server with the
/// default settings takes 0.3 ms of service, 0.7 ms of WAL sync and twice 0.25 ms of network (estimate).
const NOMINAL_RESPONSE: SimDuration = SimDuration::from_nanos(1_500_000);

impl Workload {
    /// Rows that the table holds before the run.
    pub fn existing_rows(&self, schema: &Schema) -> u64 {
        self.existing.iter().fold(0, |sum: u64, existing| {
            sum.saturating_add(existing.rows.len(schema))
        })
    }

    /// Existing rows that a write continues: what its sequence fields have counted.
    pub fn existing_rows_of(&self, write: WriteId, schema: &Schema) -> u64 {
        self.existing
            .iter()
            .filter(|existing| existing.write == Some(write))
            .fold(0, |sum: u64, existing| {
                sum.saturating_add(existing.rows.len(schema))
            })
    }

    /// Mean intended rate over the run; `None` when a closed loop is among the writes.
    pub fn offered_per_sec(&self, schema: &Schema) -> Option<f64> {
        let operations: Option<f64> = self
            .writes
            .iter()
            .map(|write| self.intended_operations(write, schema))
            .sum();
        operations.map(|operations| operations / self.duration.as_secs_f64())
    }

    /// Operations that an open-loop write intends (their mean, for Poisson arrivals); `None` for closed loops.
    pub fn intended_operations(&self, write: &Write, schema: &Schema) -> Option<f64> {
        match &write.drive {
            Drive::Open {
                rate,
                profile,
                import,
                ..
            } => {
                let total = RateProfile::new(*rate, profile, self.duration).total();
                Some(
                    import
                        .as_ref()
                        .map_or(total, |import| total.min(import.rows.len(schema) as f64)),
                )
            }
            Drive::Beat(beat) => {
                let count = Combinations::new(&beat.each, schema).count() as f64;
                Some(count * self.duration.as_nanos() as f64 / beat.every.as_nanos().max(1) as f64)
            }
            Drive::Closed { .. } => None,
        }
    }

    /// As [`Workload::intended_operations`]; of a closed loop what its import holds, or an estimate by its clients and their think time.
    pub fn estimated_operations(&self, write: &Write, schema: &Schema) -> f64 {
        match &write.drive {
            Drive::Closed {
                import: Some(import),
                ..
            } => import.rows.len(schema) as f64,
            Drive::Closed {
                clients,
                think: Think::Constant(think) | Think::Exponential(think),
                ..
            } => {
                f64::from(*clients) * self.duration.as_secs_f64()
                    / (*think + NOMINAL_RESPONSE).as_secs_f64()
            }
            Drive::Open { .. } | Drive::Beat(_) => {
                self.intended_operations(write, schema).unwrap_or(0.0)
            }
        }
    }
}
