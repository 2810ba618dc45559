//! Parts, cases and reversals of texts and bytes.

use super::call::Call;
use crate::key::check::typed::{Bytes, Typed};
use crate::key::code::{BytesCode, BytesOp};
use crate::key::formats::{DigestForm, Transform, hex_digit};
use crate::key::values::{ByteSet, ByteShape, POSITIONS};
use crate::keyspace::RowKey;

pub fn hex(call: &mut Call<'_, '_>) -> Option<Typed> {
    let bytes = call.bytes(0)?;
    let shape = &bytes.shape;
    let length = |raw| DigestForm::Hex.length(raw);
    let sets = (0..POSITIONS.min(length(shape.max))).map(|at| {
        let half = |byte: u8| if at % 2 == 0 { byte >> 4 } else { byte & 15 };
        shape.at(at / 2).map(|byte| hex_digit(half(byte)))
    });
    let digits = ByteSet::of(b"0123456789abcdef");
    let hex = ByteShape::from_sets(length(shape.min), length(shape.max), sets.collect(), digits);
    Some(Typed::Bytes(bytes.mapped(Transform::Hex, true, hex)))
}

/// `upper` and `lower`.
pub fn case(call: &mut Call<'_, '_>, transform: Transform, letter: fn(u8) -> u8) -> Option<Typed> {
    let text = call.text(0, "bytes become text by `hex(b)`")?;
    let shape = text.shape.map(letter);
    Some(Typed::Bytes(text.mapped(transform, true, shape)))
}

pub fn desc(call: &mut Call<'_, '_>) -> Option<Typed> {
    let bytes = call.bytes(0)?;
    let shape = bytes.shape.map(|byte| !byte);
    Some(Typed::Bytes(bytes.mapped(Transform::Invert, false, shape)))
}

pub fn reverse(call: &mut Call<'_, '_>) -> Option<Typed> {
    let bytes = call.bytes(0)?;
    let is_text = bytes.is_text;
    Some(Typed::Bytes(match is_text && !bytes.shape.is_ascii() {
        true => shuffled(bytes, Transform::ReverseChars),
        false => reversed(bytes, is_text),
    }))
}

pub fn reverse_bytes(call: &mut Call<'_, '_>) -> Option<Typed> {
    let bytes = call.bytes(0)?;
    Some(Typed::Bytes(reversed(bytes, false)))
}

pub fn reverse_domain(call: &mut Call<'_, '_>) -> Option<Typed> {
    let text = call.text(0, "")?;
    Some(Typed::Bytes(shuffled(text, Transform::ReverseDomain)))
}

fn reversed(bytes: Bytes, is_text: bool) -> Bytes {
    let shape = bytes.shape.reversed();
    bytes.changed(BytesOp::Map(Transform::ReverseBytes), is_text, shape)
}

/// Any text of the same bytes.
fn shuffled(text: Bytes, transform: Transform) -> Bytes {
    let any = ByteShape::uniform(text.shape.min, text.shape.max, text.shape.all());
    text.changed(BytesOp::Map(transform), true, any)
}

/// The first `count` bytes of a digest, which are written without the rest of it.
fn start_of_digest(bytes: &Bytes, count: usize) -> Option<Bytes> {
    let BytesOp::Digest { digest, form, keep } = bytes.code.op else {
        return None;
    };
    let shape = bytes.shape.left(count);
    let keep = keep.min(count);
    let op = BytesOp::Digest { digest, form, keep };
    let mut code = BytesCode::of_bytes(op, bytes.code.bytes.clone(), &shape);
    code.facts.needs = bytes.code.facts.needs.clone();
    Some(Bytes {
        is_text: bytes.is_text,
        code,
        shape,
    })
}

/// At most `count` characters of up to 4 bytes of text that is not ASCII.
fn chars(shape: &ByteShape, least: usize, count: usize) -> ByteShape {
    let most = shape.max.min(count.saturating_mul(4));
    ByteShape::uniform(shape.min.min(least), most, shape.all())
}

/// A length that an argument says.
fn length(call: &mut Call<'_, '_>, at: usize) -> Option<usize> {
    let length = call.constant_within(at, 0, RowKey::MAX_LEN as i64, "the length")?;
    Some(length as usize)
}

/// A part of a text or bytes; what is no ASCII is cut by characters, into this shape.
fn cut(
    bytes: Bytes,
    (position, count): (i64, usize),
    chars: ByteShape,
    ascii: impl FnOnce(&ByteShape) -> ByteShape,
) -> Bytes {
    let by_char = bytes.is_text && !bytes.shape.is_ascii();
    let transform = Transform::Substr {
        position,
        count,
        by_char,
    };
    let shape = if by_char { chars } else { ascii(&bytes.shape) };
    let is_text = bytes.is_text;
    bytes.mapped(transform, is_text, shape)
}

pub fn left(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (bytes, count) = (call.bytes(0), length(call, 1));
    let (bytes, count) = (bytes?, count?);
    if let Some(start) = start_of_digest(&bytes, count) {
        return Some(Typed::Bytes(start));
    }
    let chars = chars(&bytes.shape, count, count);
    let left = cut(bytes, (1, count), chars, |shape| shape.left(count));
    Some(Typed::Bytes(left))
}

pub fn right(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (bytes, count) = (call.bytes(0), length(call, 1));
    let (bytes, count) = (bytes?, count?);
    // Position 0 would be the start.
    let from_end = -(count.max(1) as i64);
    let (shape, order) = (bytes.shape.clone(), bytes.code.facts.order);
    let chars = chars(&shape, count, count);
    let right = cut(bytes, (from_end, count), chars, |shape| shape.right(count));
    let order = order.kept(right.shape == shape);
    Some(Typed::Bytes(right.ordered(order)))
}

pub fn substr(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (bytes, position) = (call.bytes(0), call.constant(1));
    let count = match call.values.len() {
        2 => Some(u32::MAX as usize),
        _ => length(call, 2),
    };
    let (bytes, position, count) = (bytes?, position?, count?);
    let from_start = (0..=1).contains(&position);
    if from_start && let Some(start) = start_of_digest(&bytes, count) {
        return Some(Typed::Bytes(start));
    }
    let order = bytes.code.facts.order;
    let keeps_order = from_start && (!bytes.is_text || bytes.shape.is_ascii());
    let far = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
    let chars = chars(&bytes.shape, 0, count);
    let part = cut(bytes, (position, count), chars, |shape| match position {
        0.. => shape.from(far.saturating_sub(1)).left(count),
        _ if shape.fixed().is_some() => shape.right(far).left(count),
        _ => {
            let most = far.min(count);
            ByteShape::uniform(shape.min.min(most), shape.max.min(most), shape.all())
        }
    });
    Some(Typed::Bytes(part.ordered(order.kept(keeps_order))))
}
