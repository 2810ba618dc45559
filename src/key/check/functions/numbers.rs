//! Integers of integers, and numbers as bytes and text.

use super::call::Call;
use crate::key::code::{Code, Op};
use crate::key::formats::{Encoding, Transform};
use crate::key::lang::KeyError;
use crate::key::operator::Operator;
use crate::record::ValueType::{Bytes, Double, Int, Text};
use crate::record::{ByteSet, ByteShape, Interval, POSITIONS};
use crate::text::{counted, verb};

pub fn pmod(call: &mut Call<'_, '_>) -> Option<Code> {
    let (value, modulus) = call.int(0).zip(call.int(1))?;
    if modulus.range.low < 1 {
        let (written, range) = (call.written(1), modulus.range);
        let message = format!("`{written}` takes {range}, but `pmod` needs at least 1");
        let help = "the result lies from 0 to n - 1";
        return call.refuse(1, message, "expected 1 or more", help);
    }
    Some(Code::binary(Operator::Pmod, value, modulus))
}

pub fn abs(call: &mut Call<'_, '_>) -> Option<Code> {
    let value = call.int(0)?;
    let range = value.range;
    if range.low == i64::MIN {
        let message = "`abs` of the least integer stays negative, as in Java";
        let label = "may be -9223372036854775808";
        let help = "for a bucket write `pmod(x, n)`";
        call.warn(message, label, help);
    }
    Some(match range.low {
        0.. => value,
        _ => value.apply_int(Op::Abs, range.abs()),
    })
}

pub fn abs32(call: &mut Call<'_, '_>) -> Option<Code> {
    const LEAST: i64 = i32::MIN as i64;
    let value = call.int_within(0, (LEAST, i32::MAX.into()), "`abs` takes 64 bits")?;
    let range = value.range;
    let absolute = match (range.low, range.high) {
        (LEAST, LEAST) => range,
        (LEAST, high) => Interval::new(LEAST, high.max(i32::MAX.into())),
        _ => range.abs(),
    };
    if range.low == LEAST {
        let message = "`abs32` of the least 32-bit integer stays negative, as in Java";
        let label = "may be -2147483648";
        let help = "HBaseWD has this bug: such rows get a prefix that no scan asks for; `pmod(x, n)` has not";
        call.warn(message, label, help);
    }
    Some(value.apply_int(Op::Abs32, absolute))
}

pub fn bit_reverse(call: &mut Call<'_, '_>) -> Option<Code> {
    let help = "`bit_reverse64` takes negative numbers as well";
    let value = call.int_within(0, (0, i64::MAX), help)?;
    Some(value.apply_int(Op::BitReverse63, Interval::new(0, i64::MAX)))
}

pub fn bit_reverse64(call: &mut Call<'_, '_>) -> Option<Code> {
    Some(call.int(0)?.apply_int(Op::BitReverse64, Interval::ALL))
}

/// `random` and `round_robin`: a number from 0 on that is drawn or counted for each write.
pub fn drawn(call: &mut Call<'_, '_>, op: fn(&mut Call<'_, '_>, u64) -> Op) -> Option<Code> {
    let values = call.constant_within(0, 1..=i64::MAX, "the number of values")?;
    let op = op(call, values as u64);
    Some(Code::int(op, Vec::new(), Interval::new(0, values - 1)))
}

/// An integer as bytes over an alphabet.
fn encoded(encoding: Encoding, value: Code, alphabet: ByteSet) -> Code {
    let value_type = match encoding {
        Encoding::Padded { .. } => Text,
        _ => Bytes,
    };
    let width = encoding.bytes(0).len();
    let shape = match encoding.keeps_order(value.range) {
        true => encoding.between(value.range, alphabet),
        false => ByteShape::uniform(width, width, alphabet),
    };
    value.apply_bytes(Op::Encode(encoding), value_type, shape)
}

/// What `be1` to `be8` hold: the numbers of their width with a sign, and those without.
fn held(width: u8) -> (i64, i64) {
    match 8 * width {
        64 => (i64::MIN, i64::MAX),
        bits => (-(1 << (bits - 1)), (1 << bits) - 1),
    }
}

/// `be1` to `be8`.
pub fn big_endian(call: &mut Call<'_, '_>, width: u8) -> Option<Code> {
    let value = call.int(0)?;
    let (range, written) = (value.range, call.written(0));
    let fits = |width: u8| range.within(held(width).0, held(width).1);
    if !fits(width) {
        let (low, high) = held(width);
        let enough = (width..8).find(|&more| fits(more)).unwrap_or(8);
        let modulus = high + 1;
        let message = format!("`{written}` takes {range}, but `be{width}` holds {low} to {high}");
        let label = format!("takes {range}");
        let help = format!(
            "use `be{enough}({written})`; `pmod({written}, {modulus})` fits, but loses the order and merges values {modulus} apart"
        );
        return call.refuse(0, message, label, help);
    }
    if range.low < 0 && call.complaints.hashing == 0 {
        let ordered = if matches!(width, 1 | 2 | 4) { width } else { 8 };
        call.warn(
            format!("negative numbers sort after positive ones: `{written}` takes {range}"),
            "not in the order of the numbers",
            &format!("`sbe{ordered}({written})` keeps the order"),
        );
    }
    Some(encoded(Encoding::BigEndian(width), value, ByteSet::ALL))
}

/// `sbe1` to `sbe8`.
pub fn ordered(call: &mut Call<'_, '_>, width: u8) -> Option<Code> {
    let least = i64::MIN >> (64 - 8 * width);
    let help = "use a wider one: `sbe8` holds every integer";
    let value = call.int_within(0, (least, !least), help)?;
    Some(encoded(Encoding::Ordered(width), value, ByteSet::ALL))
}

/// `ordered8`.
pub fn hbase_ordered(call: &mut Call<'_, '_>) -> Option<Code> {
    let value = call.int(0)?;
    Some(encoded(Encoding::HBaseOrdered, value, ByteSet::ALL))
}

/// `f4`, `f8`, `of4`, `of8`.
pub fn double(call: &mut Call<'_, '_>, encoding: Encoding) -> Option<Code> {
    let value = call.value(0)?;
    let value = match value.value_type {
        Double => value,
        Int => value.into_double(),
        _ => return call.wrong_type(0, &value, "double or int", ""),
    };
    Some(encoded(encoding, value, ByteSet::ALL))
}

/// `text`.
pub fn decimal_text(call: &mut Call<'_, '_>) -> Option<Code> {
    let value = call.value(0)?;
    match value.value_type {
        Int => {}
        Text => return Some(value),
        _ => return call.wrong_type(0, &value, "int", "bytes become text by `hex(b)`"),
    }
    let range = value.range;
    let text = value.decimal();
    if text.shape.fixed().is_none() && call.complaints.hashing == 0 {
        let (written, (least, width)) = (call.written(0), (text.shape.min, text.shape.max));
        let lint = KeyError::new(
            call.span,
            format!(
                "unpadded numbers do not sort as numbers ('10' < '9'): `{written}` takes {range}"
            ),
            format!("{least} to {width} characters"),
            format!("where order matters write `lpad({written}, {width})` or `be8({written})`"),
        );
        call.complaints.lint(!call.complaints.scattered, lint);
    }
    Some(text)
}

/// The value that is padded, the width, and the padding character.
fn padding(call: &mut Call<'_, '_>, default: u8, example: &str) -> Option<(Code, usize, u8)> {
    let value = call.value(0);
    let width = call.length(1, "the width");
    let pad = match call.values.get(2) {
        None => default,
        Some((argument, _)) => match argument.as_ref()?.as_literal() {
            Some(&[byte @ ..0x80]) => byte,
            _ => {
                let message = format!("`{}` pads with one ASCII character", call.function.name);
                let expected = "expected a literal of one character";
                return call.refuse(2, message, expected, format!("for example `{example}`"));
            }
        },
    };
    Some((value?, width?, pad))
}

/// Refuses values that are longer than the width.
fn require_width(call: &mut Call<'_, '_>, longest: usize, width: usize) -> Option<()> {
    if longest <= width {
        return Some(());
    }
    let (written, name) = (call.written(0), call.function.name);
    let message = format!("`{written}` takes up to {longest} characters, which do not fit {width}");
    let label = format!("longer than {width}");
    let help =
        format!("`{name}(..., {longest})` fits; values are never cut, as that would merge keys");
    call.refuse(0, message, label, help)
}

/// `lpad`.
pub fn pad_left(call: &mut Call<'_, '_>) -> Option<Code> {
    let (value, width, pad) = padding(call, b'0', "lpad(x, 10, '0')")?;
    let value = value.written_number();
    if value.value_type != Int {
        return pad_text(call, value, width, pad, true);
    }
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
    Some(encoded(encoding, value, alphabet))
}

/// `rpad`.
pub fn pad_right(call: &mut Call<'_, '_>) -> Option<Code> {
    let (value, width, pad) = padding(call, b' ', "rpad(x, 24, x'00')")?;
    let text = match value.value_type {
        Int => value.decimal(),
        _ => value,
    };
    pad_text(call, text, width, pad, false)
}

fn pad_text(
    call: &mut Call<'_, '_>,
    text: Code,
    width: usize,
    pad: u8,
    left: bool,
) -> Option<Code> {
    if !text.is_text() {
        return call.wrong_type(0, &text, "int or text", "bytes become text by `hex(b)`");
    }
    let shape = &text.shape;
    require_width(call, shape.chars.1, width)?;
    let padding = ByteSet::one(pad);
    let set = shape.all().union(padding);
    // Characters are counted, bytes written: those of other scripts take up to 4 bytes each.
    let further = if shape.is_ascii() { 0 } else { shape.max };
    let max = width + further;
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
    let padded = padded.of_chars((width, width));
    let transform = match left {
        true => Transform::PadLeft { width, pad },
        false => Transform::PadRight { width, pad },
    };
    Some(text.apply_bytes(Op::Map(transform), Text, padded))
}

/// `nth`.
pub fn nth(call: &mut Call<'_, '_>) -> Option<Code> {
    let (characters, index) = call.value(0).zip(call.int(1))?;
    let Some(bytes) = characters.as_literal() else {
        let message = "the first argument of `nth` is not a literal";
        let label = "expected 'text' or x'bytes'";
        let help = "for example `nth('abcd', random(4))`";
        return call.refuse(0, message, label, help);
    };
    let choices: Vec<Box<[u8]>> = match std::str::from_utf8(bytes) {
        Ok(text) if characters.is_text() => {
            let characters = text.chars().map(|c| c.to_string());
            characters.map(|c| c.into_bytes().into()).collect()
        }
        _ => bytes.iter().map(|&byte| [byte].into()).collect(),
    };
    let (range, count) = (index.range, choices.len());
    let last = count as i64 - 1;
    if last < 0 || !range.within(0, last) {
        let written = call.written(1);
        let (are, characters) = (verb(count, ["is", "are"]), counted(count, "character"));
        return call.refuse(
            1,
            format!("`{written}` takes {range}, but there {are} {characters}, from 0 to {last}"),
            format!("takes {range}"),
            format!("for example `pmod({written}, {count})`"),
        );
    }
    let chosen = choices[range.low as usize..=range.high as usize].iter();
    let shapes = chosen.map(|choice| ByteShape::literal(choice));
    let shape = shapes.reduce(|all, shape| all.or(&shape))?;
    let op = Op::Encode(Encoding::Nth(choices));
    Some(index.apply_bytes(op, characters.value_type, shape))
}
