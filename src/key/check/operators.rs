//! Types, ranges and facts of arithmetic.

use super::complaints::Complaints;
use super::typed::{Typed, constant, type_name};
use crate::key::code::{IntCode, IntOp, Order};
use crate::key::values::{Interval, Operator};
use crate::record::TimeUnit;
use std::ops::Range;

/// `a operator b`, both integers; `whole` is the place of all, `right` that of `b`.
pub fn arithmetic(
    complaints: &mut Complaints<'_>,
    operator: Operator,
    a: Typed,
    b: Typed,
    whole: &Range<usize>,
    right: &Range<usize>,
) -> Option<Typed> {
    let (a, b) = match (a, b) {
        (Typed::Int(a), Typed::Int(b)) => (a, b),
        (Typed::Int(_), other) | (other, _) => {
            let (sign, found) = (operator.sign(), type_name(other.value_type()));
            return complaints.error(
                whole,
                format!("`{sign}` takes integers, found {found}"),
                "expected integers on both sides",
                "texts and bytes are joined by `||`",
            );
        }
    };
    if matches!(operator, Operator::Divide | Operator::Remainder) && b.range.contains(0) {
        let text = complaints.written(right);
        let found = match b.range.single() {
            Some(_) => "is 0".to_owned(),
            None => format!("may be 0: it takes {}", b.range),
        };
        return complaints.error(
            right,
            format!("division by `{text}`, which {found}"),
            "may be 0",
            "add what keeps it from 0, for example `x + 1`",
        );
    }
    let mut range = operator.range(a.range, b.range);
    if operator == Operator::Remainder {
        // Of Java's absolute values only the least integer is negative, so only its remainder can be.
        if let (IntOp::Abs | IntOp::Abs32, Some(n)) = (a.op, b.range.single()) {
            range.low = range.low.max(a.range.low.min(0).wrapping_rem(n));
        }
        if range.low < 0 {
            complaints.lint(
                true,
                whole,
                "`%` of a possibly negative number is negative, as in Java",
                format!("takes {range}"),
                "for a bucket from 0 to n - 1 write `pmod(x, n)`",
            );
        }
    }
    Some(match constant(&a).zip(constant(&b)) {
        Some((a, b)) => Typed::constant(operator.of(a, b)),
        None => combined(operator, a, b, range),
    })
}

/// What the operator makes of two integers, in this range.
pub fn combined(operator: Operator, a: IntCode, b: IntCode, range: Interval) -> Typed {
    let (order, unit) = order_and_unit(operator, &a, &b, range);
    let mut code = IntCode::new(IntOp::Binary(operator), vec![a, b], range);
    code.facts.order = order.kept(range != Interval::ALL);
    code.facts.unit = unit;
    Typed::Int(code)
}

/// Order and unit survive where one side decides and nothing can wrap.
fn order_and_unit(
    operator: Operator,
    x: &IntCode,
    y: &IntCode,
    range: Interval,
) -> (Order, Option<TimeUnit>) {
    let (a, b) = (&x.facts, &y.facts);
    let sign = y.range.single().map_or(0, i64::signum);
    let a_constant = x.range.single().is_some();
    // An instant plus something that does not follow time, a constant or a number, is mostly time while that is small beside it. Of
    // values given by hand each has a range of one.
    let (a_values, b_values) = (x.range.count(), y.range.count());
    match operator {
        Operator::Add | Operator::Subtract if b.order == Order::None && b_values <= a_values => {
            (a.order, a.unit)
        }
        Operator::Add if a.order == Order::None && a_values <= b_values => (b.order, b.unit),
        Operator::Add if a.order == b.order => (a.order, a.unit.xor(b.unit)),
        Operator::Subtract if a_constant => (b.order.flip(), None),
        Operator::Multiply | Operator::Divide if sign > 0 => (a.order, None),
        Operator::Multiply | Operator::Divide if sign < 0 => (a.order.flip(), None),
        Operator::Multiply if a_constant && x.range.low > 0 => (b.order, None),
        Operator::Remainder | Operator::Pmod if x.range == range => (a.order, a.unit),
        _ => (Order::None, None),
    }
}

#[cfg(test)]
#[path = "operators_tests.rs"]
mod tests;
