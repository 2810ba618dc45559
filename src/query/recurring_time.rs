//! Steps of a field, and parts of a time that may come again, such as its minutes. Must not know rows.

use crate::key::{FieldSteps, StepCache};
use crate::record::{FieldId, Schema};
use std::ops::Range;

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

/// Where a field's steps begin and how long they are, if those at a few places are as long.
pub(super) fn even_steps(
    steps: &FieldSteps,
    slots: &Range<i64>,
    schema: &Schema,
) -> Option<(i64, i64)> {
    let (mut record, mut cache) = (vec![0; schema.fields.len()], StepCache::default());
    let quarter = (slots.end.abs_diff(slots.start) / 4) as i64;
    let mut at = |place: i64| {
        let value = slots.start.saturating_add(place * quarter);
        let window = steps.window_of(value, &mut record, slots.clone(), &mut cache);
        (window.start, window.end - window.start)
    };
    let (first, length) = at(2);
    let is_alike = |(start, other): (i64, i64)| other == length && (start - first) % length == 0;
    (is_alike(at(1)) && is_alike(at(3))).then(|| (first.rem_euclid(length), length))
}

/// Steps that are gone through one by one, for which a few thousand keys are written.
const COUNTED: u32 = 64;

/// How many steps of a field there are among its values; `None` where these are many.
pub(super) fn count_of_steps(
    steps: &FieldSteps,
    slots: &Range<i64>,
    schema: &Schema,
) -> Option<f64> {
    let (mut record, mut cache) = (vec![0; schema.fields.len()], StepCache::default());
    let (mut next, mut count) = (slots.start, 0);
    while next < slots.end {
        let window = steps.window_of(next, &mut record, slots.clone(), &mut cache);
        (next, count) = (window.end, count + 1);
        if count > COUNTED {
            return None;
        }
    }
    Some(f64::from(count.max(1)))
}

/// How many steps of such a length, of which one begins there, a range meets that is not empty.
pub(super) fn steps_of(range: &Range<i64>, begin: i64, length: i64) -> f64 {
    let [first, last] = [range.start, range.end - 1].map(|it| (it - begin).div_euclid(length));
    (last - first + 1) as f64
}
