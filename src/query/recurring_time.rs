//! Parts of a time that may come again, such as its minutes, and the steps of which they are parts. Must not know keys.

use crate::record::FieldId;

/// Parts of a timestamp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recurring {
    pub field: FieldId,
    /// Where a step begins within which they are the same, and the slots of each.
    pub begin: i64,
    pub slots: i64,
    /// None of them comes again in the table's time.
    pub is_once: bool,
}

impl Recurring {
    /// A step of it: the timestamp, and from which slot to which.
    pub fn step(self) -> (FieldId, i64, i64) {
        (self.field, self.begin, self.begin + self.slots)
    }

    /// Whole steps of it make up this one.
    pub fn is_within(self, (field, low, high): (FieldId, i64, i64)) -> bool {
        let is_whole = |length: i64| length % self.slots == 0;
        field == self.field
            && is_whole(low.wrapping_sub(self.begin))
            && is_whole(high.wrapping_sub(low))
    }
}
