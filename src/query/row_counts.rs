//! Where numbers of rows come from. Must not know keys.

use crate::time::SimTime;
use crate::workload::{Condition, Identity, Population};

/// Numbers of rows of a table: from laws ([`Population`]), or from rows held in memory.
pub trait RowCounts {
    /// Rows of the table at an instant.
    fn rows(&self, at: SimTime) -> f64;

    /// Expected number of rows that satisfy `condition` at an instant, when `target` is known to be one of the rows.
    fn matching(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64;

    /// The same of rows that agree in `identity` counted once.
    fn distinct(
        &self,
        condition: Condition<'_>,
        identity: Identity<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64;
}

impl RowCounts for Population {
    fn rows(&self, at: SimTime) -> f64 {
        Population::rows(self, at)
    }

    fn matching(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64 {
        Population::matching(self, condition, target, at)
    }

    fn distinct(
        &self,
        condition: Condition<'_>,
        identity: Identity<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        Population::distinct(self, condition, identity, target, at)
    }
}
