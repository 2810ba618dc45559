//! Identifiers made for each write, and Morton codes.

use super::call::Call;
use super::time::instant;
use crate::key::check::typed::{Bytes, Typed};
use crate::key::code::{BytesOp, Identifier, IntCode, IntOp};
use crate::key::values::{ByteSet, ByteShape, Interval, Operator};
use crate::record::TimeUnit;

const RIGHT_UNIT: &str = "is the unit of the timestamp right?";

/// An identifier that leads with an instant, or with nothing.
fn identifier(
    call: &mut Call<'_, '_>,
    kind: Identifier,
    time: Option<IntCode>,
    shape: ByteShape,
) -> Option<Typed> {
    let skip = call.take_draws(2);
    let op = BytesOp::Identifier { kind, skip };
    let order = time.as_ref().map(|time| time.facts.order);
    let is_text = kind == Identifier::Ulid;
    let made = Bytes::made(op, time.into_iter().collect(), is_text, shape);
    Some(Typed::Bytes(match order {
        Some(order) => made.ordered(order),
        None => made,
    }))
}

/// 16 bytes of a UUID of a version, the first of which are known.
fn uuid_shape(version: u8, lead: &ByteShape) -> ByteShape {
    let mut sets: Vec<ByteSet> = (0..lead.max).map(|at| lead.at(at)).collect();
    sets.resize(16, ByteSet::ALL);
    sets[6] = ByteSet::range(version << 4, (version << 4) + 15);
    sets[8] = ByteSet::range(0x80, 0xbf);
    ByteShape::from_sets(16, 16, sets, ByteSet::ALL)
}

/// The low bytes, big-endian, of numbers that fit.
fn low_bytes(range: Interval, count: usize) -> ByteShape {
    let (low, high) = (range.low.to_be_bytes(), range.high.to_be_bytes());
    ByteShape::between(&low[8 - count..], &high[8 - count..], ByteSet::ALL)
}

pub fn uuid4(call: &mut Call<'_, '_>) -> Option<Typed> {
    let shape = uuid_shape(4, &ByteShape::literal(b""));
    identifier(call, Identifier::Uuid4, None, shape)
}

/// An instant in milliseconds, of which there are 48 bits.
fn milliseconds(call: &mut Call<'_, '_>) -> Option<IntCode> {
    let time = instant(call, TimeUnit::Millis)?;
    call.require(0, time.range, (0, (1 << 48) - 1), RIGHT_UNIT)?;
    Some(time)
}

pub fn uuid7(call: &mut Call<'_, '_>) -> Option<Typed> {
    let time = milliseconds(call)?;
    let shape = uuid_shape(7, &low_bytes(time.range, 6));
    identifier(call, Identifier::Uuid7, Some(time), shape)
}

pub fn ulid(call: &mut Call<'_, '_>) -> Option<Typed> {
    let time = milliseconds(call)?;
    let alphabet = ByteSet::of(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    let shape = ByteShape::uniform(26, 26, alphabet);
    identifier(call, Identifier::Ulid, Some(time), shape)
}

pub fn ksuid(call: &mut Call<'_, '_>) -> Option<Typed> {
    let epoch = Identifier::KSUID_EPOCH;
    let time = instant(call, TimeUnit::Seconds)?;
    let held = (epoch, epoch + i64::from(u32::MAX));
    call.require(0, time.range, held, RIGHT_UNIT)?;
    let lead = low_bytes(
        Operator::Subtract.range(time.range, Interval::one(epoch)),
        4,
    );
    let shape = lead.then(&ByteShape::uniform(16, 16, ByteSet::ALL));
    identifier(call, Identifier::Ksuid, Some(time), shape)
}

pub fn snowflake(call: &mut Call<'_, '_>) -> Option<Typed> {
    const PARTS: [(i64, u32); 3] = [(31, 17), (31, 12), (4095, 0)];
    let epoch = Identifier::SNOWFLAKE_EPOCH;
    let time = instant(call, TimeUnit::Millis);
    let rest = [1, 2, 3].map(|at| call.int(at));
    let time = time?;
    let help = format!("{RIGHT_UNIT} identifiers count 41 bits of milliseconds since 2010-11-04");
    call.require(0, time.range, (epoch, epoch + (1 << 41) - 1), &help)?;
    let order = time.facts.order;
    let shifted =
        |range: Interval, shift: u32| Operator::Multiply.range(range, Interval::one(1 << shift));
    let mut range = shifted(
        Operator::Subtract.range(time.range, Interval::one(epoch)),
        22,
    );
    let mut parts = vec![time];
    for (at, (part, (most, shift))) in rest.into_iter().zip(PARTS).enumerate() {
        let part = part?;
        call.require(
            at + 1,
            part.range,
            (0, most),
            "cut it down: `pmod(x, 4096)`",
        )?;
        range = Operator::Add.range(range, shifted(part.range, shift));
        parts.push(part);
    }
    let mut code = IntCode::new(IntOp::Snowflake, parts, range);
    code.facts.order = order;
    Some(Typed::Int(code))
}

/// `z2` and `z3`, of so many bits a coordinate.
pub fn morton(call: &mut Call<'_, '_>, bits: u32) -> Option<Typed> {
    let coordinates: Vec<_> = (0..call.values.len())
        .map(|at| coordinate(call, at, bits))
        .collect();
    let coordinates = coordinates.into_iter().collect::<Option<_>>()?;
    let mut sets = vec![ByteSet::ALL; 8];
    // z2 takes 62 bits, z3 63.
    let highest = if bits == 31 { 0x3f } else { 0x7f };
    sets[0] = ByteSet::range(0, highest);
    let shape = ByteShape::from_sets(8, 8, sets, ByteSet::ALL);
    Some(Typed::Bytes(Bytes::made(
        BytesOp::Morton,
        coordinates,
        false,
        shape,
    )))
}

fn coordinate(call: &mut Call<'_, '_>, at: usize, bits: u32) -> Option<IntCode> {
    let cells = Interval::new(0, (1 << bits) - 1);
    match call.value(at)? {
        Typed::Int(cell) => {
            let help = format!("a coordinate is a double in degrees or a cell of {bits} bits");
            call.require(at, cell.range, (cells.low, cells.high), &help)?;
            Some(cell)
        }
        // Longitude first, as GeoMesa has it.
        Typed::Double(degrees) if at < 2 => {
            let limit = if at == 0 { 180.0 } else { 90.0 };
            let count = degrees.facts.cardinality;
            let mut cell = IntCode::new(IntOp::Cell { limit, bits }, vec![degrees], cells);
            cell.facts.cardinality = count;
            Some(cell)
        }
        other => {
            let expected = if at < 2 { "double or int" } else { "int" };
            call.wrong_type(at, &other, expected, "")
        }
    }
}
