//! The steps in which a key uses a field: between two of them, no coarse use of it changes. Must not know readers.

use super::code::{BytesCode, IntCode};
use super::execute::Input;
use super::node::Node;
use super::plan::Row;
use super::trend::{self, Trend};
use crate::random::{DrawKey, Draws};
use crate::record::{FieldId, Schema};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Coarse uses of one number field, such as `trunc(ts, '1h')` and `to_char(ts, 'yyyyMMdd')`: each follows the field, in steps.
#[derive(Debug, Clone)]
pub struct Grain {
    /// Grains of one number have the same views.
    number: u64,
    field: FieldId,
    views: Vec<View>,
    draws: Draws,
}

/// A value made of one field.
#[derive(Debug, Clone)]
pub(super) enum View {
    Int(IntCode),
    Bytes(BytesCode),
}

/// Windows that are remembered; a month of hours, or three years of days.
const REMEMBERED: usize = 1_024;

/// Numbers of grains.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// Buffers of [`Grain::window`], with the windows found so far: reads ask for the same days again and again.
#[derive(Debug, Clone, Default)]
pub struct GrainBuffers {
    here: Vec<u8>,
    there: Vec<u8>,
    /// What was searched (the grain and its bounds) and what was found; sorted.
    found: Vec<(Search, i64, i64)>,
}

/// A grain's number, and the bounds of the field.
type Search = (u64, i64, i64);

impl GrainBuffers {
    /// The window of `value`, if it is remembered.
    fn recall(&self, search: Search, value: i64) -> Option<Range<i64>> {
        let behind = self.behind(search, value);
        let (of, start, end) = self.found[behind.checked_sub(1)?];
        (of == search && value < end).then_some(start..end)
    }

    fn remember(&mut self, search: Search, window: &Range<i64>) {
        if self.found.len() == REMEMBERED {
            self.found.clear();
        }
        let at = self.behind(search, window.start);
        self.found.insert(at, (search, window.start, window.end));
    }

    /// How many windows start at or before `value`, or belong to earlier searches.
    fn behind(&self, search: Search, value: i64) -> usize {
        self.found
            .partition_point(|&(of, start, _)| (of, start) <= (search, value))
    }
}

impl View {
    pub(super) fn node(&self) -> Node<'_> {
        match self {
            Self::Int(code) => Node::Int(code),
            Self::Bytes(code) => Node::Bytes(code),
        }
    }

    pub(super) fn trend(&self, field: FieldId, schema: &Schema) -> Option<Trend> {
        match self {
            Self::Int(code) => trend::of_int(code, field),
            Self::Bytes(code) => trend::of_bytes(code, field, schema),
        }
    }

    fn write(&self, input: &Input<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Int(code) => {
                let value = code.run(input, out);
                out.extend_from_slice(&value.to_be_bytes());
            }
            Self::Bytes(code) => code.run(input, out),
        }
    }
}

impl Grain {
    /// From views that all follow `field`, and no other.
    pub(super) fn new(field: FieldId, views: Vec<View>) -> Self {
        Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            field,
            views,
            // Views draw nothing.
            draws: DrawKey::new(crate::random::Seed(0), 0, crate::random::Stream::Keys, 0).at(0),
        }
    }

    /// The steps of both, which are of one field.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.views.extend(other.views);
        self.number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        self
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
        buffers: &mut GrainBuffers,
    ) -> Range<i64> {
        let slot = usize::from(self.field.0);
        let own = record[slot];
        let search = (self.number, bounds.start, bounds.end);
        if let Some(window) = buffers.recall(search, own) {
            return window;
        }
        let GrainBuffers { here, there, .. } = buffers;
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
        buffers.remember(search, &window);
        window
    }

    fn write(&self, record: &[i64], out: &mut Vec<u8>) {
        let row = Row {
            record,
            index: 0,
            draws: self.draws,
        };
        let input = Input { row, digests: &[] };
        for view in &self.views {
            view.write(&input, out);
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

/// Adds the greatest parts of `node` that are coarse uses of `field` alone to `views`; false when the field is used anywhere else.
pub(super) fn views(
    node: Node<'_>,
    field: FieldId,
    schema: &Schema,
    views_found: &mut Vec<View>,
) -> bool {
    if !node.mentions(field) {
        return true;
    }
    if node.is_of(field) {
        let view = match node {
            Node::Int(code) => Some(View::Int(code.clone())),
            Node::Bytes(code) => Some(View::Bytes(code.clone())),
            Node::Double(_) => None,
        };
        if let Some(view) = view
            && view.trend(field, schema).is_some_and(|trend| !trend.exact)
        {
            views_found.push(view);
            return true;
        }
    }
    if node.slot() == Some(field) {
        return false;
    }
    let mut all = true;
    node.operands(&mut |operand| all &= views(operand, field, schema, views_found));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_window_is_recalled_for_its_own_search_and_its_own_values_only() {
        let mut buffers = GrainBuffers::default();
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
