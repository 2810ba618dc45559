//! Functions of timestamps.

use super::call::Call;
use crate::key::check::operators::combined;
use crate::key::check::typed::{Bytes, Typed};
use crate::key::code::{BytesOp, IntCode, IntOp, Order};
use crate::key::formats::{Encoding, Pattern, unit_name, year};
use crate::key::values::{ByteSet, ByteShape, Interval, Operator};
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
    let tick = i128::from(unit.nanos());
    let total = i128::from(count) * nanos;
    if total == 0 || total % tick != 0 {
        return Err(format!(
            "`'{text}'` is no multiple of the timestamp's unit, {}",
            unit_name(unit)
        ));
    }
    i64::try_from(total / tick).map_err(|_| format!("`'{text}'` is too long"))
}

pub fn trunc(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0)?;
    let text = match &call.values[1].0 {
        Some(Typed::Bytes(text)) if text.is_text => match &text.code.op {
            BytesOp::Literal(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        },
        _ => None,
    };
    let step = match text {
        None => call.constant_within(1, 1, i64::MAX, "the step")?,
        Some(text) => {
            let Some(unit) = value.facts.unit else {
                return no_timestamp(call, "give the step as a number: `trunc(x, 3600)`");
            };
            match step(&text, unit) {
                Ok(step) => step,
                Err(message) => {
                    let expected = "expected a number and ns, us, ms, s, m, h, d or w";
                    return call.refuse(1, message, expected, "for example '10m', '1h', '1d'");
                }
            }
        }
    };
    let floor = |value: i64| value.checked_sub(value.rem_euclid(step));
    let (range, order) = match floor(value.range.low).zip(floor(value.range.high)) {
        Some((low, high)) => (Interval::new(low, high), value.facts.order),
        None => (Interval::ALL, Order::None),
    };
    let unit = value.facts.unit;
    let mut code = IntCode::new(IntOp::Floor(step), vec![value], range);
    code.facts.limit(range.count() / step as u128 + 1);
    code.facts.order = order;
    code.facts.unit = unit;
    Some(Typed::Int(code))
}

fn no_timestamp<T>(call: &mut Call<'_, '_>, help: &str) -> Option<T> {
    let message = format!(
        "`{}` is not a timestamp: its unit is not known",
        call.written(0)
    );
    call.refuse(0, message, "expected a timestamp field", help)
}

/// The unit of a timestamp.
fn unit(call: &mut Call<'_, '_>, value: &IntCode) -> Option<TimeUnit> {
    let help = "arithmetic other than adding a constant loses the unit";
    value.facts.unit.or_else(|| no_timestamp(call, help))
}

/// The first argument as an instant in `wanted`, with the order and the number of values that it has in its own unit.
pub fn instant(call: &mut Call<'_, '_>, wanted: TimeUnit) -> Option<IntCode> {
    let value = call.int(0)?;
    let (from, to) = (unit(call, &value)?.nanos(), wanted.nanos());
    let step = from.max(to) / from.min(to);
    let (range, order, count) = (value.range, value.facts.order, value.facts.cardinality);
    let by = |operator, value, range| {
        IntCode::new(
            IntOp::Binary(operator),
            vec![value, IntCode::constant(step)],
            range,
        )
    };
    let mut code = match from.cmp(&to) {
        Ordering::Equal => value,
        Ordering::Greater => by(
            Operator::Multiply,
            value,
            Operator::Multiply.range(range, Interval::one(step)),
        ),
        Ordering::Less => {
            // Rounded down, also before 1970.
            let floor = Interval::new(range.low.saturating_sub(step), i64::MAX);
            let floored = IntCode::new(IntOp::Floor(step), vec![value], floor);
            let (low, high) = (range.low.div_euclid(step), range.high.div_euclid(step));
            by(Operator::Divide, floored, Interval::new(low, high))
        }
    };
    code.facts.order = order;
    code.facts.cardinality = count;
    Some(code)
}

pub fn to_char(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0);
    let Some(pattern) = call.bytes(1) else {
        let message = "the pattern of `to_char` is not a literal text";
        return call.refuse(
            1,
            message,
            "expected 'text' in quotes",
            call.function.help(),
        );
    };
    let BytesOp::Literal(pattern) = pattern.code.op else {
        return None;
    };
    let pattern = match Pattern::parse(&String::from_utf8_lossy(&pattern)) {
        Ok(pattern) => pattern,
        Err(message) => {
            let expected = "only patterns of fixed width keep keys apart";
            return call.refuse(
                1,
                message,
                expected,
                format!("letters: {}", Pattern::LETTERS),
            );
        }
    };
    let value = value?;
    let unit = unit(call, &value)?;
    let range = value.range;
    let (first, last) = (year(range.low, unit), year(range.high, unit));
    if first < 0 || last > 9999 {
        let message = format!("`to_char` writes years 0 to 9999, but these take {first} to {last}");
        return call.refuse(
            0,
            message,
            "beyond year 9999",
            "is the unit of the timestamp right?",
        );
    }
    let (ordered, leads) = (pattern.keeps_order(), pattern.leads_with_year());
    let mut sets = pattern.sets();
    let encoding = Encoding::Calendar(pattern, unit);
    if ordered {
        let between = encoding.between(range, ByteSet::ALL);
        for (at, set) in sets.iter_mut().enumerate() {
            if set.includes(between.at(at)) {
                *set = between.at(at);
            }
        }
    }
    let shape = ByteShape::from_sets(sets.len(), sets.len(), sets, ByteSet::ALL);
    let order = value.facts.order.kept(ordered || leads);
    let text = Bytes::encoded(encoding, value, true, shape);
    Some(Typed::Bytes(text.ordered(order)))
}

pub fn rev_ts(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0)?;
    let most = IntCode::constant(i64::MAX);
    let range = Operator::Subtract.range(most.range, value.range);
    Some(combined(Operator::Subtract, most, value, range))
}
