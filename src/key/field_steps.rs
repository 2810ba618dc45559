//! The steps in which a key uses a field: between two of them, no coarse use of it changes.

use super::code::{BytesCode, BytesOp, IntCode, IntOp, Node};
use super::formats::Encoding;
use super::run::{Row, Rows};
use super::values::{ByteSet, ByteShape};
use crate::random::{DrawKey, Seed, Stream};
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
    /// What was searched and the windows that were found; sorted.
    found: Vec<(Search, i64, i64)>,
}

/// The place among [`StepCache::searched`], and the bounds of the field.
type Search = (usize, i64, i64);

impl StepCache {
    /// What a search for these uses within these bounds is called.
    fn search(&mut self, uses: &Arc<Vec<BytesCode>>, bounds: &Range<i64>) -> Search {
        if self.found.len() >= REMEMBERED || self.searched.len() >= REMEMBERED {
            self.found.clear();
            self.searched.clear();
        }
        let mut searched = self.searched.iter();
        let known = searched.position(|known| Arc::ptr_eq(known, uses));
        let at = known.unwrap_or_else(|| {
            self.searched.push(uses.clone());
            self.searched.len() - 1
        });
        (at, bounds.start, bounds.end)
    }

    /// The window of `value`, if it is remembered.
    fn recall(&self, search: Search, value: i64) -> Option<Range<i64>> {
        let behind = self.behind(search, value);
        let (of, start, end) = self.found[behind.checked_sub(1)?];
        (of == search && value < end).then_some(start..end)
    }

    fn remember(&mut self, search: Search, window: &Range<i64>) {
        let at = self.behind(search, window.start);
        self.found.insert(at, (search, window.start, window.end));
    }

    /// How many windows start at or before `value`, or belong to earlier searches.
    fn behind(&self, search: Search, value: i64) -> usize {
        self.found
            .partition_point(|&(of, start, _)| (of, start) <= (search, value))
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
        let search = cache.search(&self.uses, &bounds);
        if let Some(window) = cache.recall(search, own) {
            return window;
        }
        let StepCache { here, there, .. } = cache;
        here.clear();
        self.write(record, here);
        let mut same = |value: i64| {
            record[slot] = value;
            there.clear();
            self.write(record, there);
            here == there
        };
        let below = own.wrapping_sub(bounds.start).max(0) as u64;
        let above = bounds.end.wrapping_sub(own).max(1) as u64 - 1;
        let down = reach(below, |far| same(own.wrapping_sub_unsigned(far)));
        let up = reach(above, |far| same(own.wrapping_add_unsigned(far)));
        record[slot] = own;
        let window =
            own.wrapping_sub_unsigned(down)..own.wrapping_add_unsigned(up).saturating_add(1);
        cache.remember(search, &window);
        window
    }

    fn write(&self, record: &[i64], out: &mut Vec<u8>) {
        // Nothing is drawn in them.
        let draws = DrawKey::new(Seed(0), 0, Stream::Keys, 0).at(0);
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

    #[test]
    fn a_window_is_recalled_for_its_own_search_and_its_own_values_only() {
        let mut buffers = StepCache::default();
        let (days, others) = ((7, 0, 1_000), (7, 0, 900));
        buffers.remember(days, &(100..200));
        buffers.remember(others, &(300..350));
        buffers.remember(days, &(20..45));
        for (value, found) in [
            (19, None),
            (20, Some(20..45)),
            (44, Some(20..45)),
            (45, None),
            (199, Some(100..200)),
            (200, None),
            (320, None),
        ] {
            assert_eq!(buffers.recall(days, value), found, "{value}");
        }
        assert_eq!(buffers.recall(others, 349), Some(300..350));
        assert_eq!(buffers.recall((8, 0, 1_000), 150), None);
    }

    proptest! {
        #[test]
        fn the_reach_is_the_last_place_where_it_holds(most in 0u64..5_000, edge in 0u64..6_000) {
            prop_assert_eq!(reach(most, |at| at <= edge), edge.min(most));
        }
    }
}
