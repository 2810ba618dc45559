//! Numbers as bytes and text.

use super::super::byte_set::ByteSet;
use super::super::bytes::{Bytes, literal};
use super::super::checker::Checker;
use super::super::code::{BytesCode, DoubleCode, DoubleEncoding, IntCode, IntEncoding, Transform};
use super::super::interval::Interval;
use super::super::shape::Shape;
use super::super::typed::{Code, Facts, Order, Typed};
use super::Call;
use crate::keyspace::RowKey;

/// Order of an encoded number.
pub(super) fn kept(facts: Facts, keeps_order: bool) -> Facts {
    let order = if keeps_order {
        facts.order
    } else {
        Order::None
    };
    Facts { order, ..facts }
}

pub(super) fn encoded(
    encoding: IntEncoding,
    code: IntCode,
    is_text: bool,
    shape: Shape,
    facts: Facts,
) -> Typed {
    Typed::of_bytes(
        is_text,
        BytesCode::Int(encoding, Box::new(code)),
        shape,
        facts,
    )
}

fn bytes_of(encoding: &IntEncoding, value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoding.write(value, &mut bytes);
    bytes
}

/// What `be1` to `be8` hold: the numbers of their width with a sign, and those without.
fn held(width: u8) -> (i64, i64) {
    match 8 * width {
        64 => (i64::MIN, i64::MAX),
        bits => (-(1 << (bits - 1)), (1 << bits) - 1),
    }
}

/// `be1` to `be8`.
pub(super) fn big_endian(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let width = call.function.name.as_bytes()[2] - b'0';
    if width == 8
        && let Some(value) = checker.unsigned(&call.arguments[0])
    {
        return Some(literal(false, &value.to_be_bytes()));
    }
    let (code, facts) = call.int(checker, 0)?;
    let range = code.range;
    let written = checker.written(&call.arguments[0].span);
    let fits = |width: u8| {
        let (low, high) = held(width);
        range.within(low, high)
    };
    if !fits(width) {
        let (low, high) = held(width);
        let enough = (width..8).find(|&more| fits(more)).unwrap_or(8);
        let message = format!("`{written}` takes {range}, but `be{width}` holds {low} to {high}");
        let help = format!(
            "use `be{enough}({written})`, or cut it down: `pmod({written}, {})`",
            high + 1
        );
        return checker.error(
            &call.arguments[0].span,
            message,
            &format!("takes {range}"),
            Some(&help),
        );
    }
    if range.low < 0 && checker.hashing == 0 {
        checker.warning(
            &call.span,
            format!("negative numbers sort after positive ones: `{written}` takes {range}"),
            "not in the order of the numbers",
            &match width {
                1 | 2 | 4 | 8 => format!("`sbe{width}({written})` keeps the order"),
                _ => format!("`sbe8({written})` keeps the order"),
            },
        );
    }
    let encoding = IntEncoding::BigEndian(width);
    let shape = if range.low >= 0 || range.high < 0 {
        Shape::between(
            &bytes_of(&encoding, range.low),
            &bytes_of(&encoding, range.high),
            ByteSet::ALL,
        )
    } else {
        Shape::uniform(width.into(), width.into(), ByteSet::ALL)
    };
    Some(encoded(
        encoding,
        code,
        false,
        shape,
        kept(facts, range.low >= 0 || range.high < 0),
    ))
}

/// `sbe1` to `sbe8`.
pub(super) fn ordered(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (code, facts) = call.int(checker, 0)?;
    let width = call.function.name.as_bytes()[3] - b'0';
    let half = 1i128 << (8 * u32::from(width) - 1);
    let (low, high) = ((-half) as i64, (half - 1) as i64);
    call.require(
        checker,
        0,
        code.range,
        low,
        high,
        "use a wider one: `sbe8` holds every integer",
    )?;
    let encoding = IntEncoding::Ordered(width);
    let shape = Shape::between(
        &bytes_of(&encoding, code.range.low),
        &bytes_of(&encoding, code.range.high),
        ByteSet::ALL,
    );
    Some(encoded(encoding, code, false, shape, kept(facts, true)))
}

/// `ordered8`.
pub(super) fn hbase_ordered(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (code, facts) = call.int(checker, 0)?;
    let encoding = IntEncoding::HBaseOrdered;
    let shape = Shape::between(
        &bytes_of(&encoding, code.range.low),
        &bytes_of(&encoding, code.range.high),
        ByteSet::ALL,
    );
    Some(encoded(encoding, code, false, shape, kept(facts, true)))
}

/// `f4`, `f8`, `of4`, `of8`.
pub(super) fn double(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (code, facts) = any_double(checker, call, 0)?;
    let encoding = match call.function.name {
        "f4" => DoubleEncoding::Float,
        "f8" => DoubleEncoding::Double,
        "of4" => DoubleEncoding::OrderedFloat,
        _ => DoubleEncoding::OrderedDouble,
    };
    let shape = Shape::uniform(encoding.width(), encoding.width(), ByteSet::ALL);
    Some(Typed::of_bytes(
        false,
        BytesCode::Double(encoding, Box::new(code)),
        shape,
        kept(facts, true),
    ))
}

/// An argument as a double.
pub(super) fn any_double(
    checker: &mut Checker<'_>,
    call: &Call<'_>,
    at: usize,
) -> Option<(DoubleCode, Facts)> {
    let typed = checker.check(&call.arguments[at])?;
    let value_type = typed.value_type();
    match typed.code {
        Code::Double(code) => Some((code, typed.facts)),
        Code::Int(code) => Some((DoubleCode::Int(Box::new(code)), typed.facts)),
        _ => checker.wrong_type(&call.arguments[at].span, value_type, "double or int", None),
    }
}

/// Digits and sign of an integer's decimal text.
pub(in super::super) fn decimal_shape(range: Interval) -> Shape {
    let (low, high) = (range.low.to_string(), range.high.to_string());
    let digits = ByteSet::range(b'0', b'9');
    if range.low >= 0 && low.len() == high.len() {
        return Shape::between(low.as_bytes(), high.as_bytes(), digits);
    }
    let least = if range.contains(0) {
        1
    } else {
        low.len().min(high.len())
    };
    let sign = if range.low < 0 {
        ByteSet::one(b'-')
    } else {
        ByteSet::NONE
    };
    Shape::from_sets(
        least,
        low.len().max(high.len()),
        vec![digits.union(sign)],
        digits,
    )
}

/// `text`.
pub(super) fn decimal_text(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let typed = checker.check(&call.arguments[0])?;
    let Code::Int(code) = &typed.code else {
        if matches!(typed.code, Code::Text(..)) {
            return Some(typed);
        }
        let help = "bytes become text by `hex(b)`";
        return checker.wrong_type(
            &call.arguments[0].span,
            typed.value_type(),
            "int",
            Some(help),
        );
    };
    let range = code.range;
    let bytes = super::super::bytes::decimal(typed)?;
    if bytes.shape.fixed().is_none() && checker.hashing == 0 {
        let written = checker.written(&call.arguments[0].span);
        let width = bytes.shape.max;
        let message = format!(
            "unpadded numbers do not sort as numbers ('10' < '9'): `{written}` takes {range}"
        );
        let label = format!("{} to {width} characters", bytes.shape.min);
        let help =
            format!("where order matters write `lpad({written}, {width})` or `be8({written})`");
        if checker.scattered {
            checker.note(&call.span, message, &label, &help);
        } else {
            checker.warning(&call.span, message, &label, &help);
        }
    }
    Some(bytes.typed())
}

/// The padding character.
fn pad(checker: &mut Checker<'_>, call: &Call<'_>, default: u8) -> Option<u8> {
    let Some(argument) = call.arguments.get(2) else {
        return Some(default);
    };
    let typed = checker.check(argument)?;
    let single = match Bytes::from_typed(typed) {
        Some(Bytes {
            code: BytesCode::Literal(bytes),
            ..
        }) => match *bytes {
            [byte] if byte < 0x80 => Some(byte),
            _ => None,
        },
        _ => None,
    };
    match single {
        Some(byte) => Some(byte),
        None => checker.error(
            &argument.span,
            format!("`{}` pads with one ASCII character", call.function.name),
            "expected a literal of one character",
            Some(&format!(
                "for example `{}`",
                if default == b'0' {
                    "lpad(x, 10, '0')"
                } else {
                    "rpad(x, 24, x'00')"
                }
            )),
        ),
    }
}

fn too_long<T>(
    checker: &mut Checker<'_>,
    call: &Call<'_>,
    longest: usize,
    width: usize,
) -> Option<T> {
    let written = checker.written(&call.arguments[0].span);
    let message = format!("`{written}` takes up to {longest} characters, which do not fit {width}");
    let help = format!(
        "`{}(..., {longest})` fits; values are never cut, as that would merge keys",
        call.function.name
    );
    checker.error(
        &call.arguments[0].span,
        message,
        &format!("longer than {width}"),
        Some(&help),
    )
}

/// `lpad`.
pub(super) fn pad_left(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let typed = checker.check(&call.arguments[0]);
    let width = call.constant_within(checker, 1, 0, RowKey::MAX_LEN as i64, "the width");
    let pad = pad(checker, call, b'0');
    let (typed, width, pad) = (typed?, width? as usize, pad?);
    let Code::Int(code) = typed.code else {
        return pad_text(checker, call, typed, width, pad, true);
    };
    let range = code.range;
    let shape = decimal_shape(range);
    if shape.max > width {
        return too_long(checker, call, shape.max, width);
    }
    let encoding = IntEncoding::Padded { width, pad };
    let zeros = pad == b'0';
    if range.low < 0 && zeros && checker.hashing == 0 {
        let written = checker.written(&call.arguments[0].span);
        checker.warning(
            &call.span,
            format!(
                "negative numbers keep their sign inside the padding: `{written}` takes {range}"
            ),
            "not in the order of the numbers",
            "`sbe8(x)` keeps the order of negative numbers",
        );
    }
    let keeps_order = range.low >= 0 && pad <= b'0';
    let shape = if keeps_order {
        let (low, high) = (
            bytes_of(&encoding, range.low),
            bytes_of(&encoding, range.high),
        );
        Shape::between(
            &low,
            &high,
            ByteSet::range(b'0', b'9').union(ByteSet::one(pad)),
        )
    } else {
        Shape::uniform(
            width,
            width,
            ByteSet::range(b'0', b'9').union(ByteSet::of(&[pad, b'-'])),
        )
    };
    Some(encoded(
        encoding,
        code,
        true,
        shape,
        kept(typed.facts, keeps_order),
    ))
}

/// `rpad`.
pub(super) fn pad_right(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let typed = checker.check(&call.arguments[0]);
    let width = call.constant_within(checker, 1, 0, RowKey::MAX_LEN as i64, "the width");
    let pad = pad(checker, call, b' ');
    let (typed, width, pad) = (typed?, width? as usize, pad?);
    let typed = match typed.code {
        Code::Int(_) => super::super::bytes::decimal(typed)?.typed(),
        _ => typed,
    };
    pad_text(checker, call, typed, width, pad, false)
}

fn pad_text(
    checker: &mut Checker<'_>,
    call: &Call<'_>,
    typed: Typed,
    width: usize,
    pad: u8,
    left: bool,
) -> Option<Typed> {
    let value_type = typed.value_type();
    let Code::Text(code, shape) = typed.code else {
        return checker.wrong_type(
            &call.arguments[0].span,
            value_type,
            "int or text",
            Some("bytes become text by `hex(b)`"),
        );
    };
    if shape.max > width {
        return too_long(checker, call, shape.max, width);
    }
    let set = shape.all().union(ByteSet::one(pad));
    // Characters are counted, bytes written: those of other scripts take up to 4 bytes each.
    let max = if shape.is_ascii() {
        width
    } else {
        width + shape.max
    };
    let padded = if shape.fixed() == Some(width) && shape.is_ascii() {
        shape
    } else if left {
        Shape::uniform(width, max, set)
    } else {
        let tail = ByteSet::one(pad);
        let sets = (0..max.min(64))
            .map(|at| {
                if at < shape.min {
                    shape.at(at)
                } else {
                    shape.at(at).union(tail)
                }
            })
            .collect();
        Shape::from_sets(width, max, sets, set)
    };
    let transform = if left {
        Transform::PadLeft { width, pad }
    } else {
        Transform::PadRight { width, pad }
    };
    let facts = kept(typed.facts, !left);
    Some(Typed::of_bytes(
        true,
        BytesCode::Map(transform, Box::new(code)),
        padded,
        facts,
    ))
}
