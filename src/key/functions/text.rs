//! Parts, cases and reversals of texts and bytes.

use super::super::byte_set::ByteSet;
use super::super::bytes::Bytes;
use super::super::checker::Checker;
use super::super::code::{BytesCode, DigestForm, Transform};
use super::super::shape::Shape;
use super::super::typed::{Facts, Order, Typed};
use super::Call;
use crate::keyspace::RowKey;
use crate::record::ValueType;

fn mapped(bytes: Bytes, transform: Transform, is_text: bool, shape: Shape, facts: Facts) -> Typed {
    Typed::of_bytes(
        is_text,
        BytesCode::Map(transform, Box::new(bytes.code)),
        shape,
        facts,
    )
}

/// One argument, every byte of which counts.
pub(super) fn map(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let bytes = call.bytes(checker, 0)?;
    let (shape, facts) = (bytes.shape.clone(), bytes.facts.clone());
    let is_text = bytes.is_text;
    let unordered = facts.clone().unordered();
    let span = &call.arguments[0].span;
    Some(match call.function.name {
        "hex" => {
            let digits = ByteSet::of(b"0123456789abcdef");
            let form = DigestForm::Hex;
            let sets = (0..64.min(2 * shape.max))
                .map(|at| nibbles(shape.at(at / 2), at % 2))
                .collect();
            let hex =
                Shape::from_sets(form.length(shape.min), form.length(shape.max), sets, digits);
            mapped(bytes, Transform::Hex, true, hex, facts)
        }
        "upper" | "lower" if !is_text => {
            return checker.wrong_type(
                span,
                ValueType::Bytes,
                "text",
                Some("bytes become text by `hex(b)`"),
            );
        }
        "upper" => {
            let digest_or_upper = shape.map(|byte| byte.to_ascii_uppercase());
            mapped(bytes, Transform::Upper, true, digest_or_upper, facts)
        }
        "lower" => mapped(
            bytes,
            Transform::Lower,
            true,
            shape.map(|byte| byte.to_ascii_lowercase()),
            facts,
        ),
        "reverse" if is_text && !shape.is_ascii() => {
            let any = Shape::uniform(shape.min, shape.max, shape.all());
            mapped(bytes, Transform::ReverseChars, true, any, unordered)
        }
        "reverse" => mapped(
            bytes,
            Transform::ReverseBytes,
            is_text,
            shape.reversed(),
            unordered,
        ),
        "reverse_bytes" => mapped(
            bytes,
            Transform::ReverseBytes,
            false,
            shape.reversed(),
            unordered,
        ),
        "reverse_domain" if !is_text => {
            return checker.wrong_type(span, ValueType::Bytes, "text", None);
        }
        "reverse_domain" => {
            let any = Shape::uniform(shape.min, shape.max, shape.all());
            mapped(bytes, Transform::ReverseDomain, true, any, unordered)
        }
        _ => mapped(
            bytes,
            Transform::Invert,
            false,
            shape.map(|byte| !byte),
            facts,
        ),
    })
}

/// Hexadecimal digits of the high (0) or low (1) half of the bytes of a set.
fn nibbles(set: ByteSet, half: usize) -> ByteSet {
    set.map(|byte| {
        super::super::transform::hex_digit(if half == 0 { byte >> 4 } else { byte & 15 })
    })
}

/// `left` and `right`.
pub(super) fn end(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let bytes = call.bytes(checker, 0);
    let count = call.constant_within(checker, 1, 0, RowKey::MAX_LEN as i64, "the length");
    let (bytes, count) = (bytes?, count? as usize);
    let by_char = bytes.is_text && !bytes.shape.is_ascii();
    let (shape, facts, is_text) = (bytes.shape.clone(), bytes.facts.clone(), bytes.is_text);
    if call.function.name == "left" {
        if let Some(code) = start_of_digest(&bytes.code, count) {
            return Some(Typed::of_bytes(is_text, code, shape.left(count), facts));
        }
        let (transform, shape) = if by_char {
            (Transform::LeftChars(count), chars(&shape, count))
        } else {
            (Transform::LeftBytes(count), shape.left(count))
        };
        return Some(mapped(bytes, transform, is_text, shape, facts));
    }
    let (transform, shape) = if by_char {
        (Transform::RightChars(count), chars(&shape, count))
    } else {
        (Transform::RightBytes(count), shape.right(count))
    };
    let order = if shape == bytes.shape {
        facts.order
    } else {
        Order::None
    };
    let facts = Facts { order, ..facts };
    Some(mapped(bytes, transform, is_text, shape, facts))
}

/// The first `count` bytes of a digest, which are written without the rest of it; `None` for anything else.
fn start_of_digest(code: &BytesCode, count: usize) -> Option<BytesCode> {
    match code.clone() {
        BytesCode::Md5 {
            site,
            form,
            keep,
            of,
        } => Some(BytesCode::Md5 {
            site,
            form,
            keep: keep.min(count),
            of,
        }),
        _ => None,
    }
}

/// At most `count` characters of up to 4 bytes of text that is not ASCII.
fn chars(shape: &Shape, count: usize) -> Shape {
    Shape::uniform(shape.min.min(count), shape.max.min(4 * count), shape.all())
}

/// `substr`.
pub(super) fn substr(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let bytes = call.bytes(checker, 0);
    let position = call.constant(checker, 1);
    let count = if call.arguments.len() > 2 {
        call.constant_within(checker, 2, 0, RowKey::MAX_LEN as i64, "the length")
    } else {
        Some(i64::from(u32::MAX))
    };
    let (bytes, position, count) = (bytes?, position?, count? as usize);
    if (0..=1).contains(&position)
        && let Some(code) = start_of_digest(&bytes.code, count)
    {
        return Some(Typed::of_bytes(
            bytes.is_text,
            code,
            bytes.shape.left(count),
            bytes.facts,
        ));
    }
    let (shape, facts, is_text) = (bytes.shape.clone(), bytes.facts.clone(), bytes.is_text);
    if is_text && !shape.is_ascii() {
        let shape = Shape::uniform(0, shape.max.min(count.saturating_mul(4)), shape.all());
        return Some(mapped(
            bytes,
            Transform::SubstrChars(position, count),
            true,
            shape,
            facts.unordered(),
        ));
    }
    let from_start = (0..=1).contains(&position);
    let cut = if position >= 0 {
        shape
            .from(usize::try_from(position.max(1) - 1).unwrap_or(usize::MAX))
            .left(count)
    } else {
        let back = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
        match shape.fixed() {
            Some(_) => shape.right(back).left(count),
            None => Shape::uniform(
                shape.min.min(back).min(count),
                shape.max.min(back).min(count),
                shape.all(),
            ),
        }
    };
    let facts = if from_start { facts } else { facts.unordered() };
    Some(mapped(
        bytes,
        Transform::SubstrBytes(position, count),
        is_text,
        cut,
        facts,
    ))
}
