//! Identifiers made for each write, and Morton codes.

use super::super::byte_set::ByteSet;
use super::super::checker::Checker;
use super::super::code::{BytesCode, Coordinate, IntOp};
use super::super::execute::{KSUID_EPOCH, SNOWFLAKE_EPOCH};
use super::super::interval::Interval;
use super::super::shape::Shape;
use super::super::typed::{Code, Facts, Spread, Typed};
use super::Call;
use super::arithmetic::take_draws;
use super::time::instant;
use crate::record::TimeUnit;

/// 16 bytes of a UUID of a version.
fn uuid_shape(version: u8, time: Option<Interval>) -> Shape {
    let mut sets = vec![ByteSet::ALL; 16];
    if let Some(time) = time {
        let (low, high) = (time.low.to_be_bytes(), time.high.to_be_bytes());
        let prefix = Shape::between(&low[2..], &high[2..], ByteSet::ALL);
        for (at, set) in sets.iter_mut().enumerate().take(6) {
            *set = prefix.at(at);
        }
    }
    sets[6] = ByteSet::range(version << 4, (version << 4) + 15);
    sets[8] = ByteSet::range(0x80, 0xbf);
    Shape::from_sets(16, 16, sets, ByteSet::ALL)
}

/// `uuid4`.
pub(super) fn uuid4(checker: &mut Checker<'_>) -> Option<Typed> {
    let skip = take_draws(checker, 2);
    let facts = Facts {
        spread: Spread::Random,
        cardinality: None,
        ..Facts::constant()
    };
    Some(Typed::of_bytes(
        false,
        BytesCode::Uuid4 { skip },
        uuid_shape(4, None),
        facts,
    ))
}

/// `uuid7`, `ulid`, `ksuid`.
pub(super) fn time_led(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let unit = if call.function.name == "ksuid" {
        TimeUnit::Seconds
    } else {
        TimeUnit::Millis
    };
    let (time, facts) = instant(checker, call, unit)?;
    let help = "is the unit of the timestamp right?";
    if call.function.name == "ksuid" {
        call.require(
            checker,
            0,
            time.range,
            KSUID_EPOCH,
            KSUID_EPOCH + i64::from(u32::MAX),
            help,
        )?;
    } else {
        call.require(checker, 0, time.range, 0, (1 << 48) - 1, help)?;
    }
    let facts = Facts {
        spread: Spread::Random,
        cardinality: None,
        ..facts
    };
    let skip = take_draws(checker, 2);
    let range = time.range;
    let time = Box::new(time);
    Some(match call.function.name {
        "uuid7" => {
            let code = BytesCode::Uuid7 { millis: time, skip };
            Typed::of_bytes(false, code, uuid_shape(7, Some(range)), facts)
        }
        "ulid" => {
            let alphabet = ByteSet::of(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ");
            let shape = Shape::uniform(26, 26, alphabet);
            Typed::of_bytes(true, BytesCode::Ulid { millis: time, skip }, shape, facts)
        }
        _ => {
            let (low, high) = (
                (range.low - KSUID_EPOCH).to_be_bytes(),
                (range.high - KSUID_EPOCH).to_be_bytes(),
            );
            let lead = Shape::between(&low[4..], &high[4..], ByteSet::ALL);
            let shape = lead.then(&Shape::uniform(16, 16, ByteSet::ALL));
            Typed::of_bytes(
                false,
                BytesCode::Ksuid {
                    seconds: time,
                    skip,
                },
                shape,
                facts,
            )
        }
    })
}

/// `snowflake`.
pub(super) fn snowflake(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let time = instant(checker, call, TimeUnit::Millis);
    let rest: Vec<_> = (1..4).map(|at| call.int(checker, at)).collect();
    let (time, time_facts) = time?;
    let help = "is the unit of the timestamp right? identifiers count 41 bits of milliseconds since 2010-11-04";
    call.require(
        checker,
        0,
        time.range,
        SNOWFLAKE_EPOCH,
        SNOWFLAKE_EPOCH + (1 << 41) - 1,
        help,
    )?;
    let mut facts = time_facts;
    let mut fields = Vec::new();
    let mut high = (time.range.high - SNOWFLAKE_EPOCH) << 22;
    let mut low = (time.range.low - SNOWFLAKE_EPOCH) << 22;
    for (at, part) in rest.into_iter().enumerate() {
        let (code, more) = part?;
        let (most, shift) = [(31, 17), (31, 12), (4095, 0)][at];
        call.require(
            checker,
            at + 1,
            code.range,
            0,
            most,
            "cut it down: `pmod(x, 4096)`",
        )?;
        low += code.range.low << shift;
        high += code.range.high << shift;
        facts = Facts {
            order: facts.order,
            ..facts.merge(&more)
        };
        fields.push(Box::new(code));
    }
    let [datacenter, worker, sequence]: [_; 3] = fields.try_into().ok()?;
    let op = IntOp::Snowflake {
        millis: Box::new(time),
        datacenter,
        worker,
        sequence,
    };
    Some(Typed::of_int(op, Interval::new(low, high), facts))
}

/// `z2`, `z3`.
pub(super) fn morton(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let bits = if call.function.name == "z2" { 31 } else { 21 };
    let parts: Vec<_> = (0..call.arguments.len())
        .map(|at| coordinate(checker, call, at, bits))
        .collect();
    let mut facts = Facts::constant();
    let mut coordinates = Vec::new();
    for part in parts {
        let (coordinate, more) = part?;
        facts = facts.merge(&more);
        coordinates.push(coordinate);
    }
    let mut sets = vec![ByteSet::ALL; 8];
    // z2 takes 62 bits, z3 63.
    sets[0] = if bits == 31 {
        ByteSet::range(0, 0x3f)
    } else {
        ByteSet::range(0, 0x7f)
    };
    let shape = Shape::from_sets(8, 8, sets, ByteSet::ALL);
    Some(Typed::of_bytes(
        false,
        BytesCode::Morton(coordinates),
        shape,
        facts,
    ))
}

fn coordinate(
    checker: &mut Checker<'_>,
    call: &Call<'_>,
    at: usize,
    bits: u32,
) -> Option<(Coordinate, Facts)> {
    let typed = checker.check(&call.arguments[at])?;
    let value_type = typed.value_type();
    match typed.code {
        Code::Int(code) => {
            let help = format!("a coordinate is a double in degrees or a cell of {bits} bits");
            call.require(checker, at, code.range, 0, (1 << bits) - 1, &help)?;
            Some((Coordinate::Cell(code), typed.facts))
        }
        // Longitude first, as GeoMesa has it.
        Code::Double(value) if at < 2 => {
            let limit = if at == 0 { 180.0 } else { 90.0 };
            Some((Coordinate::Degrees { value, limit, bits }, typed.facts))
        }
        _ => {
            let expected = if at < 2 { "double or int" } else { "int" };
            checker.wrong_type(&call.arguments[at].span, value_type, expected, None)
        }
    }
}
