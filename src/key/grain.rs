//! The steps in which a key uses a field: between two of them, no coarse use of it changes. Must not know readers.

use super::code::{BytesCode, IntCode};
use super::execute::Input;
use super::node::Node;
use super::plan::Row;
use super::trend::{self, Trend};
use crate::random::{DrawKey, Draws};
use crate::record::{FieldId, Schema};
use std::ops::Range;

/// Coarse uses of one number field, such as `trunc(ts, '1h')` and `to_char(ts, 'yyyyMMdd')`: each follows the field, in steps.
#[derive(Debug, Clone)]
pub struct Grain {
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

/// Buffers of [`Grain::window`].
#[derive(Debug, Clone, Default)]
pub struct GrainBuffers {
    here: Vec<u8>,
    there: Vec<u8>,
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
        self
    }

    /// The field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// The values around the record's own, within `bounds`, for which nothing coarse changes. The record's slot is changed on the way
    /// and put back. O(log of the width).
    pub fn window(
        &self,
        record: &mut [i64],
        bounds: Range<i64>,
        buffers: &mut GrainBuffers,
    ) -> Range<i64> {
        let slot = usize::from(self.field.0);
        let own = record[slot];
        let GrainBuffers { here, there } = buffers;
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
        own.wrapping_sub_unsigned(down)..own.wrapping_add_unsigned(up).saturating_add(1)
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

    proptest! {
        #[test]
        fn the_reach_is_the_last_place_where_it_holds(most in 0u64..5_000, edge in 0u64..6_000) {
            prop_assert_eq!(reach(most, |at| at <= edge), edge.min(most));
        }
    }
}
