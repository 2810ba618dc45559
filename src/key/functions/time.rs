//! Functions of timestamps.

use super::super::byte_set::ByteSet;
use super::super::calendar::{Pattern, per_second, unit_name, year};
use super::super::checker::Checker;
use super::super::code::{BytesCode, IntCode, IntEncoding, IntOp};
use super::super::interval::Interval;
use super::super::shape::Shape;
use super::super::syntax::ExprKind;
use super::super::typed::{Facts, Order, Typed};
use super::Call;
use crate::record::TimeUnit;
use std::cmp::Ordering;

/// A step like `'10m'` in a timestamp's unit.
fn step(text: &str, unit: TimeUnit) -> Result<i64, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, word) = text.split_at(split);
    let nanos: i128 = match word {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        "w" => 604_800_000_000_000,
        _ => return Err(format!("`'{text}'` is not a step of time")),
    };
    let count: i64 = digits
        .parse()
        .map_err(|_| format!("`'{text}'` is not a step of time"))?;
    let tick = 1_000_000_000 / i128::from(per_second(unit));
    let total = i128::from(count) * nanos;
    if total == 0 || total % tick != 0 {
        return Err(format!(
            "`'{text}'` is no multiple of the timestamp's unit, {}",
            unit_name(unit)
        ));
    }
    i64::try_from(total / tick).map_err(|_| format!("`'{text}'` is too long"))
}

/// `trunc`.
pub(super) fn trunc(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (value, facts) = call.int(checker, 0)?;
    let argument = &call.arguments[1];
    let step = if let ExprKind::Text(text) = &argument.kind {
        let Some(unit) = facts.unit else {
            return not_a_timestamp(checker, call, "give the step as a number: `trunc(x, 3600)`");
        };
        match step(text, unit) {
            Ok(step) => step,
            Err(message) => {
                return checker.error(
                    &argument.span,
                    message,
                    "expected a number and ns, us, ms, s, m, h, d or w",
                    Some("for example '10m', '1h', '1d'"),
                );
            }
        }
    } else {
        call.constant_within(checker, 1, 1, i64::MAX, "the step")?
    };
    let floor = |value: i64| value.checked_sub(value.rem_euclid(step));
    let (range, order) = match floor(value.range.low).zip(floor(value.range.high)) {
        Some((low, high)) => (Interval::new(low, high), facts.order),
        None => (Interval::ALL, Order::None),
    };
    let count = range.count() / step as u128 + 1;
    let facts = Facts { order, ..facts }.at_most(count);
    Some(Typed::of_int(
        IntOp::Floor(Box::new(value), step),
        range,
        facts,
    ))
}

fn not_a_timestamp<T>(checker: &mut Checker<'_>, call: &Call<'_>, help: &str) -> Option<T> {
    let written = checker.written(&call.arguments[0].span);
    let message = format!("`{written}` is not a timestamp: its unit is not known");
    checker.error(
        &call.arguments[0].span,
        message,
        "expected a timestamp field",
        Some(help),
    )
}

/// The first argument as an instant in `unit`.
pub(super) fn instant(
    checker: &mut Checker<'_>,
    call: &Call<'_>,
    unit: TimeUnit,
) -> Option<(IntCode, Facts)> {
    let (value, facts) = call.int(checker, 0)?;
    let Some(from) = facts.unit else {
        return not_a_timestamp(
            checker,
            call,
            "arithmetic other than adding a constant loses the unit",
        );
    };
    let (a, b) = (per_second(from), per_second(unit));
    let step = a.max(b) / a.min(b);
    let range = value.range;
    let factor = |n: i64| {
        Box::new(IntCode {
            op: IntOp::Const(n),
            range: Interval::one(n),
        })
    };
    let code = match a.cmp(&b) {
        Ordering::Equal => value,
        Ordering::Less => IntCode {
            range: range.multiply(Interval::one(step)),
            op: IntOp::Multiply(Box::new(value), factor(step)),
        },
        Ordering::Greater => {
            // Rounded down, also before 1970.
            let floored = IntCode {
                op: IntOp::Floor(Box::new(value), step),
                range: Interval::new(range.low.saturating_sub(step), i64::MAX),
            };
            IntCode {
                op: IntOp::Divide(Box::new(floored), factor(step)),
                range: Interval::new(range.low.div_euclid(step), range.high.div_euclid(step)),
            }
        }
    };
    Some((code, facts))
}

/// `to_char`.
pub(super) fn to_char(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let value = call.int(checker, 0);
    let pattern = call.literal_text(checker, 1, "the pattern")?;
    let pattern = match Pattern::parse(pattern) {
        Ok(pattern) => pattern,
        Err(message) => {
            let help = format!("letters: {}", Pattern::LETTERS);
            return checker.error(
                &call.arguments[1].span,
                message,
                "only patterns of fixed width keep keys apart",
                Some(&help),
            );
        }
    };
    let (value, facts) = value?;
    let Some(unit) = facts.unit else {
        return not_a_timestamp(
            checker,
            call,
            "arithmetic other than adding a constant loses the unit",
        );
    };
    let range = value.range;
    let (first, last) = (year(range.low, unit), year(range.high, unit));
    if first < 0 || last > 9999 {
        let message = format!("`to_char` writes years 0 to 9999, but these take {first} to {last}");
        return checker.error(
            &call.arguments[0].span,
            message,
            "beyond year 9999",
            Some("is the unit of the timestamp right?"),
        );
    }
    let (mut low, mut high) = (Vec::new(), Vec::new());
    pattern.write(range.low, unit, &mut low);
    pattern.write(range.high, unit, &mut high);
    let shape = if pattern.keeps_order() {
        let between = Shape::between(&low, &high, ByteSet::ALL);
        let sets = pattern.sets();
        let sets = sets
            .iter()
            .enumerate()
            .map(|(at, &set)| {
                if set.includes(between.at(at)) {
                    between.at(at)
                } else {
                    set
                }
            })
            .collect();
        Shape::from_sets(low.len(), low.len(), sets, ByteSet::ALL)
    } else {
        Shape::from_sets(
            pattern.width(),
            pattern.width(),
            pattern.sets(),
            ByteSet::ALL,
        )
    };
    let order = if pattern.keeps_order() || pattern.leads_with_year() {
        facts.order
    } else {
        Order::None
    };
    let facts = Facts { order, ..facts };
    let code = BytesCode::Int(IntEncoding::Calendar(pattern, unit), Box::new(value));
    Some(Typed::of_bytes(true, code, shape, facts))
}

/// `rev_ts`.
pub(super) fn rev_ts(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (value, facts) = call.int(checker, 0)?;
    let max = Interval::one(i64::MAX);
    let range = max.subtract(value.range);
    let order = if range == Interval::ALL {
        Order::None
    } else {
        facts.order.flip()
    };
    let facts = Facts {
        order,
        unit: None,
        ..facts
    };
    let max = Box::new(IntCode {
        op: IntOp::Const(i64::MAX),
        range: max,
    });
    Some(Typed::of_int(
        IntOp::Subtract(max, Box::new(value)),
        range,
        facts,
    ))
}
