//! How many rows of the table satisfy a condition: from the fields' laws and the history, for tables of any size. Must not know
//! keys, nor hold rows.

use super::Workload;
use crate::random::Seed;
use crate::record::{FieldId, RecordGenerator};
use crate::time::SimTime;
use std::sync::Arc;

/// What rows must be like; all parts together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Condition<'a> {
    /// Fields with exactly these slots.
    pub equal: &'a [(FieldId, i64)],
    /// Fields (numbers) whose slots lie in `low..high`.
    pub between: &'a [(FieldId, i64, i64)],
}

/// The rows of the table at any instant of the run, as laws.
#[derive(Debug, Clone)]
pub struct Population {}

impl Population {
    /// Prepares the shares of values; O(values of tabulated laws).
    pub fn new(
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let _ = (workload, generator, seed, replicate);
        Self {}
    }

    /// Rows of the table at an instant: the existing ones and those written so far.
    pub fn rows(&self, at: SimTime) -> f64 {
        let _ = at;
        0.0
    }

    /// Expected number of rows that satisfy `condition` at an instant, when `target` (a record of the table) is known to be
    /// one of the rows: at least 1 if it satisfies the condition.
    pub fn matching(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64 {
        let _ = (condition, target, at);
        0.0
    }
}
