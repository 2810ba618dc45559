//! Where numbers of rows come from. Must not know keys.

use crate::time::SimTime;
use crate::workload::{Condition, Population, RowEquality};

/// Numbers of rows of a table: from laws ([`Population`]), or from rows held in memory.
pub trait RowCounts {
    /// Expected number of rows that satisfy `condition` at an instant, those that are equal counted once, when `target` is known to be one of the writes.
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64;
}

impl RowCounts for Population {
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        Population::distinct(self, condition, equality, target, at)
    }
}
