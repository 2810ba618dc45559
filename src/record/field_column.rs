//! The values of a field in rows that exist. Must not know where they were read.

use super::{ByteShape, TimeUnit};
use std::fmt;

/// One column of rows that exist.
#[derive(Clone, PartialEq, Eq)]
pub struct FieldColumn {
    /// The slot of each row; at least one.
    pub slots: Vec<i64>,
    /// The same in ascending order, and the numbers of their rows.
    pub sorted: Vec<i64>,
    by_slot: Vec<u32>,
    /// Number of different values.
    pub distinct: u64,
    /// Of texts and bytes, what all of them are like.
    pub shape: Option<ByteShape>,
    /// Of times, what the slots count since 1970.
    pub time_unit: Option<TimeUnit>,
    /// The rows are written in an order in which the values grow.
    pub follows_time: bool,
}

impl FieldColumn {
    /// Of plain numbers, in the order of at most 2^32 rows. O(n log n).
    pub fn new(slots: Vec<i64>) -> Self {
        let mut by_slot: Vec<u32> = (0..slots.len() as u32).collect();
        by_slot.sort_unstable_by_key(|row| (slots[*row as usize], *row));
        let sorted: Vec<i64> = by_slot.iter().map(|row| slots[*row as usize]).collect();
        Self {
            distinct: sorted.chunk_by(|a, b| a == b).count() as u64,
            slots,
            sorted,
            by_slot,
            shape: None,
            time_unit: None,
            follows_time: false,
        }
    }

    /// The numbers of the rows whose slot lies in `low..high`, by slot, then by number. O(log rows).
    pub fn rows(&self, low: i64, high: i64) -> &[u32] {
        let before = |end: i64| self.sorted.partition_point(|slot| *slot < end);
        &self.by_slot[before(low)..before(high).max(before(low))]
    }
}

impl fmt::Debug for FieldColumn {
    /// All that the others follow from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (&self.slots, self.time_unit, self.follows_time).fmt(f)
    }
}
