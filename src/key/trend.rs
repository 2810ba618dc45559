//! Does a value grow or shrink with one field while all else stays? Must not know records or readers.

use super::calendar::year;
use super::code::{BytesCode, IntCode, IntEncoding, IntOp, Transform};
use super::functions::decimal_shape;
use super::interval::Interval;
use super::node::Node;
use crate::record::{FieldId, FieldKind, Schema};

/// How bytes follow a field, compared as row keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trend {
    /// They grow with the field; otherwise they shrink.
    pub rising: bool,
    /// Different values of the field give different bytes.
    pub exact: bool,
}

impl Trend {
    fn flip(self) -> Self {
        Self {
            rising: !self.rising,
            ..self
        }
    }

    fn coarse(self) -> Self {
        Self {
            exact: false,
            ..self
        }
    }

    /// Of two things that both follow the field, the first deciding.
    fn then(self, next: Self) -> Option<Self> {
        (self.rising == next.rising).then_some(Self {
            exact: self.exact || next.exact,
            ..self
        })
    }
}

/// Of an integer. `None`: neither, or not known.
pub(super) fn of_int(code: &IntCode, field: FieldId) -> Option<Trend> {
    if code.range == Interval::ALL && !matches!(code.op, IntOp::Slot(_)) {
        // It may have wrapped.
        return None;
    }
    let of = |operand: &IntCode| of_int(operand, field);
    let mentions = |operand: &IntCode| Node::Int(operand).mentions(field);
    match &code.op {
        IntOp::Slot(slot) if *slot == usize::from(field.0) => Some(Trend {
            rising: true,
            exact: true,
        }),
        IntOp::Add(a, b) => match (mentions(a), mentions(b)) {
            (true, false) => of(a),
            (false, true) => of(b),
            _ => of(a)?.then(of(b)?),
        },
        IntOp::Subtract(a, b) => match (mentions(a), mentions(b)) {
            (true, false) => of(a),
            (false, true) => of(b).map(Trend::flip),
            _ => of(a)?.then(of(b)?.flip()),
        },
        IntOp::Multiply(a, b) => {
            let (varies, factor) = if mentions(a) { (a, b) } else { (b, a) };
            if mentions(factor) {
                None
            } else if factor.range.low > 0 {
                of(varies)
            } else if factor.range.high < 0 {
                of(varies).map(Trend::flip)
            } else {
                None
            }
        }
        IntOp::Divide(a, b) if !mentions(b) && b.range.low.is_positive() => {
            if b.range.single() == Some(1) {
                of(a)
            } else {
                of(a).map(Trend::coarse)
            }
        }
        IntOp::Floor(a, 1) => of(a),
        IntOp::Floor(a, _) => of(a).map(Trend::coarse),
        // A remainder that changes nothing.
        IntOp::Remainder(a, b) | IntOp::Pmod(a, b)
            if b.range.single().is_some_and(|n| a.range.within(0, n - 1)) =>
        {
            of(a)
        }
        IntOp::Snowflake {
            millis,
            datacenter,
            worker,
            sequence,
        } if ![datacenter, worker, sequence]
            .into_iter()
            .any(|part| mentions(part)) =>
        {
            of(millis)
        }
        _ => None,
    }
}

/// Of bytes, which then have one length for all values of the field.
pub(super) fn of_bytes(code: &BytesCode, field: FieldId, schema: &Schema) -> Option<Trend> {
    match code {
        BytesCode::Field(slot, _) if *slot == usize::from(field.0) => {
            let (least, most) = schema.domain(field).len_range;
            let field = schema.field(field);
            (least == most && matches!(field.kind, FieldKind::Digits { .. })).then_some(Trend {
                rising: true,
                exact: field.literals.is_empty(),
            })
        }
        BytesCode::Int(encoding, value) => {
            let trend = of_int(value, field)?;
            keeps_order(encoding, value.range).then_some(if is_coarse(encoding) {
                trend.coarse()
            } else {
                trend
            })
        }
        BytesCode::Map(transform, of) => {
            let trend = of_bytes(of, field, schema)?;
            match transform {
                Transform::Invert => Some(trend.flip()),
                Transform::Hex | Transform::PadLeft { .. } | Transform::PadRight { .. } => {
                    Some(trend)
                }
                Transform::LeftBytes(_)
                | Transform::LeftChars(_)
                | Transform::SubstrBytes(0 | 1, _)
                | Transform::SubstrChars(0 | 1, _) => Some(trend.coarse()),
                _ => None,
            }
        }
        BytesCode::Concat(parts) => {
            let mut trend: Option<Trend> = None;
            for part in parts
                .iter()
                .filter(|part| Node::Bytes(part).mentions(field))
            {
                trend = match trend {
                    None => Some(of_bytes(part, field, schema)?),
                    // What follows decides nothing any more.
                    Some(before) if before.exact => break,
                    Some(before) => Some(before.then(of_bytes(part, field, schema)?)?),
                };
            }
            trend
        }
        BytesCode::Uuid7 { millis: time, .. }
        | BytesCode::Ulid { millis: time, .. }
        | BytesCode::Ksuid { seconds: time, .. } => of_int(time, field),
        _ => None,
    }
}

fn keeps_order(encoding: &IntEncoding, range: Interval) -> bool {
    match encoding {
        IntEncoding::BigEndian(_) => range.low >= 0 || range.high < 0,
        IntEncoding::Ordered(_) | IntEncoding::HBaseOrdered => true,
        IntEncoding::Decimal => range.low >= 0 && decimal_shape(range).fixed().is_some(),
        IntEncoding::Padded { pad, .. } => range.low >= 0 && *pad <= b'0',
        IntEncoding::Nth(choices) => choices
            .windows(2)
            .all(|pair| pair[0] < pair[1] && pair[0].len() == pair[1].len()),
        IntEncoding::Calendar(pattern, unit) => {
            pattern.keeps_order_within(year(range.low, *unit)..=year(range.high, *unit))
        }
    }
}

fn is_coarse(encoding: &IntEncoding) -> bool {
    matches!(encoding, IntEncoding::Calendar(..))
}

#[cfg(test)]
#[path = "trend_tests.rs"]
mod tests;
