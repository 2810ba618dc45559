//! What names mean: fields and parameters, or the name that somebody may have meant.

use super::complaints::nearest;
use super::functions;
use super::typed::{Bytes, Typed};
use crate::key::code::{BytesCode, BytesOp, Facts, IntCode, Order, Trend};
use crate::key::values::{ByteSet, ByteShape, Interval};
use crate::record::{FieldId, FieldKind, FieldText, Schema, ValueType};
use std::sync::Arc;

/// What to write instead of a name that means nothing among the known ones.
pub fn instead(name: &str, known: &[&str]) -> String {
    if functions::find(name).is_some() {
        return format!("`{name}` is a function: write `{name}(...)`");
    }
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are no fields; texts are quoted: 'text'".to_owned(),
        None => format!("known: {}", known.join(", ")),
    }
}

/// The value of a field; `text` writes it.
pub fn field(schema: &Schema, id: FieldId, text: impl FnOnce() -> Arc<FieldText>) -> Typed {
    let domain = schema.domain(id);
    let (slot, (least, most)) = (usize::from(id.0), domain.len_range);
    let stored = schema.field(id);
    let trend = match domain.value_type {
        ValueType::Int | ValueType::Double => Some(Trend::SAME),
        // Digits of one length are in the order of the numbers.
        _ => (least == most && matches!(stored.kind, FieldKind::Digits { .. })).then_some(Trend {
            exact: stored.literals.is_empty(),
            ..Trend::SAME
        }),
    };
    let facts = Facts {
        order: Order::Rising.kept(domain.follows_time),
        cardinality: domain.cardinality,
        unit: domain.time_unit,
        ..Facts::field(id, trend)
    };
    match domain.value_type {
        ValueType::Int => {
            let (low, high) = domain.int_range;
            Typed::Int(IntCode::slot(slot, Interval::new(low, high), facts))
        }
        ValueType::Double => Typed::Double(IntCode::slot(slot, Interval::ALL, facts)),
        ValueType::Text | ValueType::Bytes => {
            // The domain tells the first positions; any byte may stand behind them.
            let sets = domain.bytes_at.iter().map(|&set| ByteSet(set)).collect();
            let shape = ByteShape::from_sets(least, most, sets, ByteSet::ALL);
            Typed::Bytes(Bytes {
                is_text: domain.value_type == ValueType::Text,
                code: BytesCode::field(BytesOp::Field(slot, text()), &shape, facts),
                shape,
            })
        }
    }
}
