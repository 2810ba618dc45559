//! Functions of timestamps, identifiers made for each write, which may lead with time, and Morton codes.

use super::call::Call;
use crate::key::code::{Code, Identifier, Op};
use crate::key::formats::{Encoding, Pattern, year};
use crate::key::operator::Operator;
use crate::key::segment::Segment;
use crate::record::ValueType::{Bytes, Double, Int, Text};
use crate::record::{ByteSet, ByteShape, Interval, TimeUnit};
use std::cmp::Ordering;

const RIGHT_UNIT: &str = "is the unit of the timestamp right?";

/// A step like `'10m'` in a timestamp's unit.
fn step(text: &str, unit: TimeUnit) -> Result<i64, String> {
    let no_step = || format!("`'{text}'` is not a step of time");
    let split = text.find(|c: char| !c.is_ascii_digit());
    let (digits, word) = text.split_at(split.unwrap_or(text.len()));
    let nanos: i128 = match word {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        "w" => 604_800_000_000_000,
        _ => return Err(no_step()),
    };
    let count: i64 = digits.parse().map_err(|_| no_step())?;
    let (total, tick) = (i128::from(count) * nanos, i128::from(unit.nanos()));
    if total == 0 || total % tick != 0 {
        let unit = unit.name();
        return Err(format!(
            "`'{text}'` is no multiple of the timestamp's unit, {unit}"
        ));
    }
    i64::try_from(total / tick).map_err(|_| format!("`'{text}'` is too long"))
}

pub fn trunc(call: &mut Call<'_, '_>) -> Option<Code> {
    let value = call.int(0)?;
    let text = call.values[1].0.as_ref().filter(|text| text.is_text());
    let text = text.and_then(Code::as_literal).map(String::from_utf8_lossy);
    let step = match text.map(|text| text.into_owned()) {
        None => call.constant_within(1, 1..=i64::MAX, "the step")?,
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
    let ends = floor(value.range.low).zip(floor(value.range.high));
    let range = ends.map_or(Interval::ALL, |(low, high)| Interval::new(low, high));
    Some(value.apply_int(Op::Floor(step), range))
}

fn no_timestamp<T>(call: &mut Call<'_, '_>, help: &str) -> Option<T> {
    let message = format!(
        "`{}` is not a timestamp: its unit is not known",
        call.written(0)
    );
    call.refuse(0, message, "expected a timestamp field", help)
}

/// The unit of a timestamp.
fn unit(call: &mut Call<'_, '_>, value: &Code) -> Option<TimeUnit> {
    let help = "arithmetic other than adding a constant loses the unit";
    value.facts.unit.or_else(|| no_timestamp(call, help))
}

/// The first argument as an instant in `wanted`, with the order and the number of values that it has in its own unit.
fn instant(call: &mut Call<'_, '_>, wanted: TimeUnit) -> Option<Code> {
    let value = call.int(0)?;
    let (from, to) = (unit(call, &value)?.nanos(), wanted.nanos());
    let constant = Code::constant(from.max(to) / from.min(to));
    let (range, step) = (value.range, constant.range.low);
    let (order, count) = (value.facts.order, value.facts.cardinality);
    let mut code = match from.cmp(&to) {
        Ordering::Equal => value,
        Ordering::Greater => Code::binary(Operator::Multiply, value, constant),
        Ordering::Less => {
            // Rounded down, also before 1970.
            let floor = Interval::new(range.low.saturating_sub(step), i64::MAX);
            let floored = value.apply_int(Op::Floor(step), floor);
            let range = Interval::new(range.low.div_euclid(step), range.high.div_euclid(step));
            let operands = vec![floored, constant];
            Code::int(Op::Binary(Operator::Divide), operands, range)
        }
    };
    code.facts.order = order;
    code.facts.cardinality = count;
    Some(code)
}

/// The first argument as an instant in `wanted` within `held`.
fn instant_within(
    call: &mut Call<'_, '_>,
    wanted: TimeUnit,
    held: (i64, i64),
    help: &str,
) -> Option<Code> {
    let time = instant(call, wanted)?;
    call.require(0, time.range, held, help)?;
    Some(time)
}

pub fn to_char(call: &mut Call<'_, '_>) -> Option<Code> {
    let value = call.int(0);
    let Some(pattern) = call.values[1].0.as_ref().and_then(Code::as_literal) else {
        let message = "the pattern of `to_char` is not a literal text";
        let label = "expected 'text' in quotes";
        return call.refuse(1, message, label, call.function.help());
    };
    let pattern = match Pattern::parse(&String::from_utf8_lossy(pattern)) {
        Ok(pattern) => pattern,
        Err(message) => {
            let expected = "only patterns of fixed width keep keys apart";
            let help = format!("letters: {}", Pattern::LETTERS);
            return call.refuse(1, message, expected, help);
        }
    };
    let value = value?;
    let unit = unit(call, &value)?;
    let range = value.range;
    let (first, last) = (year(range.low, unit), year(range.high, unit));
    if first < 0 || last > 9999 {
        let message = format!("`to_char` writes years 0 to 9999, but these take {first} to {last}");
        return call.refuse(0, message, "beyond year 9999", RIGHT_UNIT);
    }
    Some(value.dated(pattern, unit))
}

/// Parts of a date that follow time only together, such as a year and a month behind it, as one segment of the same bytes; but for those that have a name, which
/// readers may know one by one.
pub fn joined_dates(segments: Vec<Segment>) -> Vec<Segment> {
    let date = |of: &Segment| match (&of.code.op, &of.code.operands[..]) {
        (Op::Encode(Encoding::Calendar(pattern, unit)), [value])
            if of.code.facts.needs == value.facts.needs =>
        {
            Some((pattern.clone(), *unit, value.clone()))
        }
        _ => None,
    };
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        // The year of a short history is always the same.
        let varies = |it: &Segment| it.constant().is_none() || date(it).is_some();
        let first = joined.iter().rposition(varies);
        let before = first.filter(|at| joined[*at].code.facts.told.is_empty());
        let before = before.and_then(|at| Some((at, date(&joined[at])?)));
        let whole = before
            .zip(date(&segment))
            .and_then(|((at, (first, unit, value)), next)| {
                let between = joined[at + 1..].iter().filter_map(Segment::constant);
                let pattern = first.then(&between.collect::<Vec<_>>().concat(), &next.0);
                let fits = pattern.keeps_order() && unit == next.1 && value.is_same(&next.2);
                fits.then(|| (at, value.dated(pattern, unit)))
            });
        let Some((at, code)) = whole else {
            joined.push(segment);
            continue;
        };
        let parts = joined[at..].iter().chain([&segment]);
        let parts: Vec<&str> = parts.map(|it| &it.expression[..]).collect();
        let first = &joined[at];
        let end = match first.derived == segment.derived {
            true => segment.span.end,
            false => first.span.end,
        };
        let whole = Segment {
            expression: parts.join(" || "),
            span: first.span.start..end,
            code,
            ..first.clone()
        };
        joined.truncate(at);
        joined.push(whole);
    }
    joined
}

pub fn rev_ts(call: &mut Call<'_, '_>) -> Option<Code> {
    let (most, value) = (Code::constant(i64::MAX), call.int(0)?);
    Some(Code::binary(Operator::Subtract, most, value))
}

/// An identifier that leads with an instant, or with nothing.
fn identifier(
    call: &mut Call<'_, '_>,
    kind: Identifier,
    time: Option<Code>,
    shape: ByteShape,
) -> Option<Code> {
    let skip = call.take_draws(2);
    let value_type = match kind {
        Identifier::Ulid => Text,
        _ => Bytes,
    };
    let (op, time) = (Op::Identifier { kind, skip }, time.into_iter().collect());
    Some(Code::bytes(op, time, value_type, shape))
}

/// The low bytes, big-endian, of numbers that fit.
fn low_bytes(range: Interval, count: usize) -> ByteShape {
    let (low, high) = (range.low.to_be_bytes(), range.high.to_be_bytes());
    ByteShape::between(&low[8 - count..], &high[8 - count..], ByteSet::ALL)
}

pub fn uuid4(call: &mut Call<'_, '_>) -> Option<Code> {
    let shape = ByteShape::uuid(4, &ByteShape::literal(b""));
    identifier(call, Identifier::Uuid4, None, shape)
}

/// An instant in milliseconds, of which there are 48 bits.
fn milliseconds(call: &mut Call<'_, '_>) -> Option<Code> {
    instant_within(call, TimeUnit::Millis, (0, (1 << 48) - 1), RIGHT_UNIT)
}

pub fn uuid7(call: &mut Call<'_, '_>) -> Option<Code> {
    let time = milliseconds(call)?;
    let shape = ByteShape::uuid(7, &low_bytes(time.range, 6));
    identifier(call, Identifier::Uuid7, Some(time), shape)
}

pub fn ulid(call: &mut Call<'_, '_>) -> Option<Code> {
    let time = milliseconds(call)?;
    let alphabet = ByteSet::of(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    let shape = ByteShape::uniform(26, 26, alphabet);
    identifier(call, Identifier::Ulid, Some(time), shape)
}

pub fn ksuid(call: &mut Call<'_, '_>) -> Option<Code> {
    let epoch = Identifier::KSUID_EPOCH;
    let held = (epoch, epoch + i64::from(u32::MAX));
    let time = instant_within(call, TimeUnit::Seconds, held, RIGHT_UNIT)?;
    let since = Operator::Subtract.range(time.range, Interval::one(epoch));
    let shape = low_bytes(since, 4).then(&ByteShape::uniform(16, 16, ByteSet::ALL));
    identifier(call, Identifier::Ksuid, Some(time), shape)
}

pub fn snowflake(call: &mut Call<'_, '_>) -> Option<Code> {
    const PARTS: [(i64, u32); 3] = [(31, 17), (31, 12), (4095, 0)];
    let epoch = Identifier::SNOWFLAKE_EPOCH;
    let time = instant(call, TimeUnit::Millis);
    let rest = [1, 2, 3].map(|at| call.int(at));
    let time = time?;
    let help = format!("{RIGHT_UNIT} identifiers count 41 bits of milliseconds since 2010-11-04");
    call.require(0, time.range, (epoch, epoch + (1 << 41) - 1), &help)?;
    let shifted =
        |range: Interval, shift: u32| Operator::Multiply.range(range, Interval::one(1 << shift));
    let since_epoch = Operator::Subtract.range(time.range, Interval::one(epoch));
    let (mut range, mut parts) = (shifted(since_epoch, 22), vec![time]);
    for (at, (part, (most, shift))) in (1..).zip(rest.into_iter().zip(PARTS)) {
        let part = part?;
        call.require(at, part.range, (0, most), "cut it down: `pmod(x, 4096)`")?;
        range = Operator::Add.range(range, shifted(part.range, shift));
        parts.push(part);
    }
    Some(Code::int(Op::Snowflake, parts, range))
}

/// `z2` and `z3`, of so many bits a coordinate.
pub fn morton(call: &mut Call<'_, '_>, bits: u32) -> Option<Code> {
    let coordinates = 0..call.values.len();
    let coordinates: Vec<_> = coordinates.map(|at| coordinate(call, at, bits)).collect();
    let coordinates = coordinates.into_iter().collect::<Option<_>>()?;
    let mut sets = vec![ByteSet::ALL; 8];
    // z2 takes 62 bits, z3 63.
    let highest = if bits == 31 { 0x3f } else { 0x7f };
    sets[0] = ByteSet::range(0, highest);
    let shape = ByteShape::from_sets(8, 8, sets, ByteSet::ALL);
    Some(Code::bytes(Op::Morton, coordinates, Bytes, shape))
}

fn coordinate(call: &mut Call<'_, '_>, at: usize, bits: u32) -> Option<Code> {
    let (value, cells) = (call.value(at)?, Interval::new(0, (1 << bits) - 1));
    match value.value_type {
        Int => {
            let help = format!("a coordinate is a double in degrees or a cell of {bits} bits");
            call.require(at, value.range, (cells.low, cells.high), &help)?;
            Some(value)
        }
        // Longitude first, as GeoMesa has it.
        Double if at < 2 => {
            let limit = if at == 0 { 180.0 } else { 90.0 };
            let count = value.facts.cardinality;
            let mut cell = value.apply_int(Op::Cell { limit, bits }, cells);
            cell.facts.cardinality = count;
            Some(cell)
        }
        _ => {
            let expected = if at < 2 { "double or int" } else { "int" };
            call.wrong_type(at, &value, expected, "")
        }
    }
}
