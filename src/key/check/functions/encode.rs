//! Numbers as bytes and text.

use super::call::Call;
use crate::key::check::typed::{Bytes, Typed};
use crate::key::code::{BytesOp, IntCode, IntOp};
use crate::key::formats::{Encoding, Transform};
use crate::key::values::{ByteSet, ByteShape, Interval, POSITIONS};
use crate::keyspace::RowKey;

/// An integer in `width` bytes over an alphabet.
fn encoded(encoding: Encoding, value: IntCode, width: usize, alphabet: ByteSet) -> Bytes {
    let is_text = matches!(encoding, Encoding::Padded { .. });
    let shape = match encoding.keeps_order(value.range) {
        true => encoding.between(value.range, alphabet),
        false => ByteShape::uniform(width, width, alphabet),
    };
    Bytes::encoded(encoding, value, is_text, shape)
}

/// What `be1` to `be8` hold: the numbers of their width with a sign, and those without.
fn held(width: u8) -> (i64, i64) {
    match 8 * width {
        64 => (i64::MIN, i64::MAX),
        bits => (-(1 << (bits - 1)), (1 << bits) - 1),
    }
}

/// `be1` to `be8`.
pub fn big_endian(call: &mut Call<'_, '_>, width: u8) -> Option<Typed> {
    let value = call.int(0)?;
    let (range, written) = (value.range, call.written(0));
    let fits = |width: u8| range.within(held(width).0, held(width).1);
    if !fits(width) {
        let (low, high) = held(width);
        let enough = (width..8).find(|&more| fits(more)).unwrap_or(8);
        let modulus = high + 1;
        return call.refuse(
            0,
            format!("`{written}` takes {range}, but `be{width}` holds {low} to {high}"),
            format!("takes {range}"),
            format!("use `be{enough}({written})`, or cut it down: `pmod({written}, {modulus})`"),
        );
    }
    if range.low < 0 && call.complaints.hashing == 0 {
        let ordered = if matches!(width, 1 | 2 | 4) { width } else { 8 };
        call.warn(
            format!("negative numbers sort after positive ones: `{written}` takes {range}"),
            "not in the order of the numbers",
            format!("`sbe{ordered}({written})` keeps the order"),
        );
    }
    let bytes = encoded(
        Encoding::BigEndian(width),
        value,
        width.into(),
        ByteSet::ALL,
    );
    Some(Typed::Bytes(bytes))
}

/// `sbe1` to `sbe8`.
pub fn ordered(call: &mut Call<'_, '_>, width: u8) -> Option<Typed> {
    let value = call.int(0)?;
    let half = 1i128 << (8 * u32::from(width) - 1);
    let held = ((-half) as i64, (half - 1) as i64);
    let help = "use a wider one: `sbe8` holds every integer";
    call.require(0, value.range, held, help)?;
    let bytes = encoded(Encoding::Ordered(width), value, width.into(), ByteSet::ALL);
    Some(Typed::Bytes(bytes))
}

/// `ordered8`.
pub fn hbase_ordered(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0)?;
    let bytes = encoded(Encoding::HBaseOrdered, value, 9, ByteSet::ALL);
    Some(Typed::Bytes(bytes))
}

/// `f4`, `f8`, `of4`, `of8`.
pub fn double(call: &mut Call<'_, '_>, encoding: Encoding) -> Option<Typed> {
    let value = match call.value(0)? {
        Typed::Double(value) => value,
        Typed::Int(value) => {
            let order = value.facts.order;
            let mut double = IntCode::new(IntOp::ToDouble, vec![value], Interval::ALL);
            double.facts.order = order;
            double
        }
        other => return call.wrong_type(0, &other, "double or int", ""),
    };
    let order = value.facts.order;
    let width = encoding.bytes(0).len();
    let shape = ByteShape::uniform(width, width, ByteSet::ALL);
    let bytes = Bytes::encoded(encoding, value, false, shape);
    Some(Typed::Bytes(bytes.ordered(order)))
}

/// `text`.
pub fn decimal_text(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = match call.value(0)? {
        Typed::Int(value) => value,
        Typed::Bytes(text) if text.is_text => return Some(Typed::Bytes(text)),
        other => return call.wrong_type(0, &other, "int", "bytes become text by `hex(b)`"),
    };
    let range = value.range;
    let text = Bytes::decimal(value);
    if text.shape.fixed().is_none() && call.complaints.hashing == 0 {
        let (written, (least, width)) = (call.written(0), (text.shape.min, text.shape.max));
        call.complaints.lint(
            !call.complaints.scattered,
            call.span,
            format!(
                "unpadded numbers do not sort as numbers ('10' < '9'): `{written}` takes {range}"
            ),
            format!("{least} to {width} characters"),
            format!("where order matters write `lpad({written}, {width})` or `be8({written})`"),
        );
    }
    Some(Typed::Bytes(text))
}

/// The value that is padded, the width, and the padding character.
fn padding(call: &mut Call<'_, '_>, default: u8, example: &str) -> Option<(Typed, usize, u8)> {
    let value = call.value(0);
    let width = call.constant_within(1, 0, RowKey::MAX_LEN as i64, "the width");
    let pad = match call.values.get(2) {
        None => default,
        Some((argument, _)) => {
            let literal = argument.as_ref().and_then(literal);
            match literal.as_deref() {
                Some(&[byte @ ..0x80]) => byte,
                _ if argument.is_none() => return None,
                _ => {
                    let message = format!("`{}` pads with one ASCII character", call.function.name);
                    let expected = "expected a literal of one character";
                    return call.refuse(2, message, expected, format!("for example `{example}`"));
                }
            }
        }
    };
    Some((value?, width? as usize, pad))
}

/// The bytes of a literal.
fn literal(value: &Typed) -> Option<Box<[u8]>> {
    match value {
        Typed::Bytes(bytes) => match &bytes.code.op {
            BytesOp::Literal(bytes) => Some(bytes.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Refuses values that are longer than the width.
fn require_width(call: &mut Call<'_, '_>, longest: usize, width: usize) -> Option<()> {
    if longest <= width {
        return Some(());
    }
    let (written, name) = (call.written(0), call.function.name);
    call.refuse(
        0,
        format!("`{written}` takes up to {longest} characters, which do not fit {width}"),
        format!("longer than {width}"),
        format!("`{name}(..., {longest})` fits; values are never cut, as that would merge keys"),
    )
}

/// `lpad`.
pub fn pad_left(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (value, width, pad) = padding(call, b'0', "lpad(x, 10, '0')")?;
    let value = match value {
        Typed::Int(value) => value,
        other => return pad_text(call, other, width, pad, true),
    };
    let range = value.range;
    require_width(call, ByteShape::decimal(range).max, width)?;
    if range.low < 0 && pad == b'0' && call.complaints.hashing == 0 {
        let written = call.written(0);
        call.warn(
            format!(
                "negative numbers keep their sign inside the padding: `{written}` takes {range}"
            ),
            "not in the order of the numbers",
            "`sbe8(x)` keeps the order of negative numbers",
        );
    }
    let encoding = Encoding::Padded { width, pad };
    let mut alphabet = ByteSet::range(b'0', b'9').union(ByteSet::one(pad));
    if !encoding.keeps_order(range) {
        alphabet.insert(b'-');
    }
    Some(Typed::Bytes(encoded(encoding, value, width, alphabet)))
}

/// `rpad`.
pub fn pad_right(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (value, width, pad) = padding(call, b' ', "rpad(x, 24, x'00')")?;
    let text = match value {
        Typed::Int(value) => Typed::Bytes(Bytes::decimal(value)),
        other => other,
    };
    pad_text(call, text, width, pad, false)
}

fn pad_text(
    call: &mut Call<'_, '_>,
    value: Typed,
    width: usize,
    pad: u8,
    left: bool,
) -> Option<Typed> {
    let text = match value {
        Typed::Bytes(text) if text.is_text => text,
        other => {
            return call.wrong_type(0, &other, "int or text", "bytes become text by `hex(b)`");
        }
    };
    let shape = &text.shape;
    require_width(call, shape.max, width)?;
    let padding = ByteSet::one(pad);
    let set = shape.all().union(padding);
    // Characters are counted, bytes written: those of other scripts take up to 4 bytes each.
    let max = if shape.is_ascii() {
        width
    } else {
        width + shape.max
    };
    let padded = if shape.fixed() == Some(width) && shape.is_ascii() {
        shape.clone()
    } else if left {
        ByteShape::uniform(width, max, set)
    } else {
        let sets = (0..max.min(POSITIONS)).map(|at| match shape.at(at) {
            text if at < shape.min => text,
            text => text.union(padding),
        });
        ByteShape::from_sets(width, max, sets.collect(), set)
    };
    Some(Typed::Bytes(match left {
        true => {
            let op = BytesOp::Map(Transform::PadLeft { width, pad });
            text.changed(op, true, padded)
        }
        false => text.mapped(Transform::PadRight { width, pad }, true, padded),
    }))
}

/// `nth`.
pub fn nth(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (characters, index) = (call.value(0), call.int(1));
    let (characters, index) = (characters?, index?);
    let (Typed::Bytes(Bytes { is_text, .. }), Some(bytes)) = (&characters, literal(&characters))
    else {
        return call.refuse(
            0,
            "the first argument of `nth` is not a literal",
            "expected 'text' or x'bytes'",
            "for example `nth('abcd', random(4))`",
        );
    };
    let choices: Vec<Box<[u8]>> = match std::str::from_utf8(&bytes) {
        Ok(text) if *is_text => {
            let characters = text.chars().map(|c| c.to_string());
            characters.map(|c| c.into_bytes().into()).collect()
        }
        _ => bytes.iter().map(|&byte| [byte].into()).collect(),
    };
    let (range, count) = (index.range, choices.len());
    let last = count as i64 - 1;
    if last < 0 || !range.within(0, last) {
        let written = call.written(1);
        return call.refuse(
            1,
            format!(
                "`{written}` takes {range}, but there are {count} characters, from 0 to {last}"
            ),
            format!("takes {range}"),
            format!("for example `pmod({written}, {count})`"),
        );
    }
    let chosen = &choices[range.low as usize..=range.high as usize];
    let lengths = || chosen.iter().map(|choice| choice.len());
    let (min, max) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
    let sets = (0..max).map(|at| {
        let bytes = chosen.iter().filter_map(|choice| choice.get(at).copied());
        ByteSet::of(&bytes.collect::<Vec<_>>())
    });
    let shape = ByteShape::from_sets(min, max, sets.collect(), ByteSet::NONE);
    let order = index.facts.order.kept(chosen.is_sorted());
    let chosen = Bytes::encoded(Encoding::Nth(choices), index, *is_text, shape);
    Some(Typed::Bytes(chosen.ordered(order)))
}
