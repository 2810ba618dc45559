//! The steps in which a key uses a field: between two of them, no coarse use of it changes.

use super::code::{BytesCode, BytesOp, IntCode, IntOp, Node};
use super::formats::Encoding;
use super::run::{Row, Rows};
use super::values::{ByteSet, ByteShape};
use crate::random::{DrawKey, Draws, Seed, Stream};
use crate::record::FieldId;
use std::ops::Range;
use std::sync::Arc;

/// Coarse uses of one number field, such as `trunc(ts, '1h')` and `to_char(ts, 'yyyyMMdd')`: each follows the field, in steps.
#[derive(Debug, Clone)]
pub struct FieldSteps {
    field: FieldId,
    /// Values that are made of the field and nothing else.
    uses: Arc<Vec<BytesCode>>,
}

/// Windows that are remembered; a month of hours, or three years of days.
const REMEMBERED: usize = 1_024;

/// Buffers of [`FieldSteps::window`], with the windows found so far: reads ask for the same days again and again.
#[derive(Debug, Clone, Default)]
pub struct StepCache {
    here: Vec<u8>,
    there: Vec<u8>,
    /// The uses that were searched; what stays here keeps its address.
    searched: Vec<Arc<Vec<BytesCode>>>,
    /// The windows that were found, which share no value; sorted.
    found: Vec<Found>,
}

/// A part of a step that was searched.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// The place among [`StepCache::searched`].
    of: usize,
    start: Edge,
    end: Edge,
}

/// Where a window begins, or the first value behind it.
#[derive(Debug, Clone, Copy)]
struct Edge {
    at: i64,
    /// The step may go on beyond: only the bounds of the search ended it.
    cut: bool,
}

impl StepCache {
    /// The place of these uses among those that are searched.
    fn place(&mut self, uses: &Arc<Vec<BytesCode>>) -> usize {
        if self.found.len() >= REMEMBERED || self.searched.len() >= REMEMBERED {
            self.found.clear();
            self.searched.clear();
        }
        let mut searched = self.searched.iter();
        let known = searched.position(|known| Arc::ptr_eq(known, uses));
        known.unwrap_or_else(|| {
            self.searched.push(uses.clone());
            self.searched.len() - 1
        })
    }

    /// The window of `value` within `bounds`, if enough of it is remembered.
    fn recall(&self, of: usize, bounds: &Range<i64>, value: i64) -> Option<Range<i64>> {
        let behind = self.behind(of, value);
        let Found { start, end, .. } = *self.found[..behind]
            .last()
            .filter(|found| found.of == of && value < found.end.at)?;
        let enough = !(start.cut && bounds.start < start.at || end.cut && end.at < bounds.end);
        enough.then(|| {
            let lower = start.at.max(bounds.start.min(value));
            lower..end.at.min(bounds.end.max(value.saturating_add(1)))
        })
    }

    /// Remembers a window, joined with what was known of the same step.
    fn remember(&mut self, mut window: Found) {
        let from = self.behind(window.of, window.start.at);
        let overlaps = |found: &Found| found.of == window.of && window.start.at < found.end.at;
        let from = from - usize::from(self.found[..from].last().is_some_and(overlaps));
        let to = self.behind(window.of, window.end.at - 1);
        for known in self.found.drain(from..to) {
            if known.start.at < window.start.at
                || known.start.at == window.start.at && !known.start.cut
            {
                window.start = known.start;
            }
            if known.end.at > window.end.at || known.end.at == window.end.at && !known.end.cut {
                window.end = known.end;
            }
        }
        self.found.insert(from, window);
    }

    /// How many windows start at or before `value`, or belong to earlier searches.
    fn behind(&self, of: usize, value: i64) -> usize {
        self.found
            .partition_point(|found| (found.of, found.start.at) <= (of, value))
    }
}

/// An integer as bytes in its own order.
pub(super) fn as_bytes(number: IntCode) -> BytesCode {
    let encoding = Encoding::Ordered(8);
    let shape = ByteShape::uniform(8, 8, ByteSet::ALL);
    BytesCode::new(BytesOp::Encode(encoding), vec![number], &shape)
}

impl FieldSteps {
    /// From uses of `field` and nothing else, all of which follow it.
    pub(super) fn new(field: FieldId, uses: Vec<BytesCode>) -> Self {
        let uses = Arc::new(uses);
        Self { field, uses }
    }

    /// The steps of both, which are of one field.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(self.field, [&self.uses[..], &other.uses[..]].concat())
    }

    /// The field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// The values around the record's own, within `bounds`, for which nothing coarse changes. The record's slot is changed on the way
    /// and put back. O(log of the width); a window that was found before is remembered.
    pub fn window(
        &self,
        record: &mut [i64],
        bounds: Range<i64>,
        cache: &mut StepCache,
    ) -> Range<i64> {
        let slot = usize::from(self.field.0);
        let own = record[slot];
        let of = cache.place(&self.uses);
        if let Some(window) = cache.recall(of, &bounds, own) {
            return window;
        }
        let StepCache { here, there, .. } = cache;
        // Nothing is drawn in them.
        let draws = DrawKey::new(Seed(0), 0, Stream::Keys, 0).at(0);
        here.clear();
        self.write(record, draws, here);
        let mut same = |value: i64| {
            record[slot] = value;
            there.clear();
            self.write(record, draws, there);
            here == there
        };
        let below = own.wrapping_sub(bounds.start).max(0) as u64;
        let above = bounds.end.wrapping_sub(own).max(1) as u64 - 1;
        let down = reach(below, |far| same(own.wrapping_sub_unsigned(far)));
        let up = reach(above, |far| same(own.wrapping_add_unsigned(far)));
        record[slot] = own;
        let start = own.wrapping_sub_unsigned(down);
        let end = own.wrapping_add_unsigned(up).saturating_add(1);
        cache.remember(Found {
            of,
            start: Edge {
                at: start,
                cut: down == below,
            },
            end: Edge {
                at: end,
                cut: up == above,
            },
        });
        start..end
    }

    fn write(&self, record: &[i64], draws: Draws, out: &mut Vec<u8>) {
        let row = Row {
            record,
            index: 0,
            draws,
        };
        for coarse in self.uses.iter() {
            coarse.write(&Rows::one(&row), out);
        }
    }
}

/// The farthest distance up to `most` at which `same` still holds; it holds at 0, and nowhere beyond a place where it does not.
fn reach(most: u64, mut same: impl FnMut(u64) -> bool) -> u64 {
    let (mut inside, mut step) = (0, 1);
    let mut outside = loop {
        if inside == most {
            return most;
        }
        let next = inside.saturating_add(step).min(most);
        if !same(next) {
            break next;
        }
        inside = next;
        step = step.saturating_mul(2);
    };
    while outside - inside > 1 {
        let middle = inside + (outside - inside) / 2;
        if same(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

/// Adds the greatest parts of `node` that are coarse uses of `field` alone to `uses`; false when the field is used anywhere else.
pub(super) fn coarse_uses(node: Node<'_>, field: FieldId, uses: &mut Vec<BytesCode>) -> bool {
    let facts = node.facts();
    if !facts.mention(field) {
        return true;
    }
    if facts.are_of(field) && facts.trend(field).is_some_and(|trend| !trend.exact) {
        uses.push(match node {
            Node::Int(code) => as_bytes(code.clone()),
            Node::Bytes(code) => code.clone(),
        });
        return true;
    }
    let is_field = match node {
        Node::Int(code) => matches!(code.op, IntOp::Slot(_)),
        Node::Bytes(code) => matches!(code.op, BytesOp::Field(..)),
    };
    // All operands are gone through, even after one that uses it otherwise.
    node.operands().fold(!is_field, |coarse, operand| {
        coarse_uses(operand, field, uses) && coarse
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_reach_is_the_last_place_where_it_holds(most in 0u64..5_000, edge in 0u64..6_000) {
            prop_assert_eq!(reach(most, |at| at <= edge), edge.min(most));
        }
    }
}
