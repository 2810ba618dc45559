//! What a key makes of a time, step by step. Must not know code or segments.

use super::digit::common_divisor;
use crate::record::FieldId;
use std::collections::BTreeSet;
use std::ops::Range;

/// What segments make together of a time that none of them tells, in each step of a table's time: months and days of the week.
#[derive(Debug, Clone)]
pub struct TimeParts {
    pub field: FieldId,
    /// Places of the segments.
    pub segments: Vec<usize>,
    /// Where each step begins, and the number of what is made of it.
    pub(super) steps: Vec<(i64, u32)>,
}

impl TimeParts {
    /// Where one of the longest steps begins of which whole numbers lie between the beginnings of all, and the length of each; `None` where there are too few to tell.
    /// O(steps).
    pub fn even_steps(&self) -> Option<(i64, i64)> {
        // The first one may have begun before.
        let (_, known) = self.steps.split_first()?;
        let lengths = known.windows(2).map(|two| two[1].0 - two[0].0);
        let length = lengths.reduce(common_divisor)?;
        Some((known[0].0.rem_euclid(length), length))
    }

    /// How many different things are made of the times in a range. O(steps).
    pub fn values_in(&self, range: &Range<i64>) -> f64 {
        let behind = |end: i64| self.steps.partition_point(|(start, _)| *start < end);
        let first = behind(range.start.saturating_add(1)).saturating_sub(1);
        let steps = &self.steps[first..behind(range.end).max(first)];
        let values: BTreeSet<u32> = steps.iter().map(|(_, value)| *value).collect();
        values.len().max(1) as f64
    }
}
