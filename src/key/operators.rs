//! Types and ranges of the arithmetic operators. Must not know functions.

use super::checker::Checker;
use super::code::{IntCode, IntOp};
use super::interval::Interval;
use super::syntax::{Expr, Operator};
use super::typed::{Code, Facts, Order, Typed};

impl Checker<'_> {
    /// `a operator b`, both integers.
    pub fn arithmetic(
        &mut self,
        operator: Operator,
        a: Typed,
        b: Typed,
        expr: &Expr,
        right: &Expr,
    ) -> Option<Typed> {
        for side in [&a, &b] {
            if !matches!(side.code, Code::Int(_)) {
                let sign = operator.sign();
                let found = super::typed::type_name(side.value_type());
                return self.error(
                    &expr.span,
                    format!("`{sign}` takes integers, found {found}"),
                    "expected integers on both sides",
                    Some("texts and bytes are joined by `||`"),
                );
            }
        }
        let (Code::Int(x), Code::Int(y)) = (a.code, b.code) else {
            return None;
        };
        let (fa, fb) = (a.facts, b.facts);
        let (rx, ry) = (x.range, y.range);
        if matches!(operator, Operator::Divide | Operator::Remainder) && ry.contains(0) {
            let text = self.written(&right.span);
            let found = if ry.single().is_some() {
                "is 0".to_owned()
            } else {
                format!("may be 0: it takes {ry}")
            };
            return self.error(
                &right.span,
                format!("division by `{text}`, which {found}"),
                "may be 0",
                Some("add what keeps it from 0, for example `x + 1`"),
            );
        }
        let range = match operator {
            Operator::Add => rx.add(ry),
            Operator::Subtract => rx.subtract(ry),
            Operator::Multiply => rx.multiply(ry),
            Operator::Divide => rx.divide(ry),
            Operator::Remainder => {
                let all = rx.remainder(ry);
                match (&x.op, ry.single()) {
                    // Of Java's absolute values only the least integer is negative, so only its remainder can be.
                    (IntOp::Abs(_) | IntOp::Abs32(_), Some(n)) => {
                        let least = rx.low.min(0).wrapping_rem(n);
                        Interval::new(all.low.max(least), all.high)
                    }
                    _ => all,
                }
            }
        };
        if operator == Operator::Remainder && range.low < 0 {
            self.warning(
                &expr.span,
                "`%` of a possibly negative number is negative, as in Java",
                &format!("takes {range}"),
                "for a bucket from 0 to n - 1 write `pmod(x, n)`",
            );
        }
        let facts = facts(operator, &fa, &fb, &x, &y, &range);
        if let (IntOp::Const(a), IntOp::Const(b)) = (&x.op, &y.op) {
            return Some(Typed::int(of_constants(operator, *a, *b)));
        }
        let (x, y) = (Box::new(x), Box::new(y));
        let op = match operator {
            Operator::Add => IntOp::Add(x, y),
            Operator::Subtract => IntOp::Subtract(x, y),
            Operator::Multiply => IntOp::Multiply(x, y),
            Operator::Divide => IntOp::Divide(x, y),
            Operator::Remainder => IntOp::Remainder(x, y),
        };
        Some(Typed::of_int(op, range, facts))
    }
}

/// `b` is not 0 where it divides.
fn of_constants(operator: Operator, a: i64, b: i64) -> i64 {
    match operator {
        Operator::Add => a.wrapping_add(b),
        Operator::Subtract => a.wrapping_sub(b),
        Operator::Multiply => a.wrapping_mul(b),
        Operator::Divide => a.wrapping_div(b),
        Operator::Remainder => a.wrapping_rem(b),
    }
}

/// Order and unit survive where one side decides and nothing can wrap.
fn facts(
    operator: Operator,
    a: &Facts,
    b: &Facts,
    x: &IntCode,
    y: &IntCode,
    range: &Interval,
) -> Facts {
    let mut facts = a.merge(b);
    let wraps = *range == Interval::ALL;
    let sign = y.range.single().map_or(0, i64::signum);
    let a_constant = x.range.single().is_some();
    // An instant plus something that does not follow time, a constant or a number, is mostly time while that is small beside it. Of
    // values given by hand each has a range of one.
    let (a_values, b_values) = (x.range.count(), y.range.count());
    let (order, unit) = match operator {
        Operator::Add | Operator::Subtract if b.order == Order::None && b_values <= a_values => {
            (a.order, a.unit)
        }
        Operator::Add if a.order == Order::None && a_values <= b_values => (b.order, b.unit),
        Operator::Add if a.order == b.order => (a.order, a.unit.xor(b.unit)),
        Operator::Subtract if a_constant => (b.order.flip(), None),
        Operator::Multiply | Operator::Divide if sign > 0 => (a.order, None),
        Operator::Multiply | Operator::Divide if sign < 0 => (a.order.flip(), None),
        Operator::Multiply if a_constant && x.range.low > 0 => (b.order, None),
        Operator::Remainder if x.range == *range => (a.order, a.unit),
        _ => (Order::None, None),
    };
    facts.order = if wraps { Order::None } else { order };
    facts.unit = unit;
    facts
}

#[cfg(test)]
#[path = "operators_tests.rs"]
mod tests;
