//! Parts, cases, reversals and hashes of texts and bytes, and buckets computed from hashes.

use super::call::Call;
use crate::key::code::{Code, Op};
use crate::key::formats::{Digest, DigestForm, Encoding, IntHash, Transform, hex_digit};
use crate::key::operator::Operator;
use crate::record::ValueType::{Bytes, Int, Text};
use crate::record::{ByteSet, ByteShape, Interval, POSITIONS};
use crate::text::{counted, verb};

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

pub fn hex(call: &mut Call<'_, '_>) -> Option<Code> {
    let bytes = call.bytes(0)?;
    let shape = &bytes.shape;
    let sets = (0..POSITIONS.min(2 * shape.max)).map(|at| {
        let half = |byte: u8| if at % 2 == 0 { byte >> 4 } else { byte & 15 };
        shape.at(at / 2).map(|byte| hex_digit(half(byte)))
    });
    let digits = ByteSet::of(HEX_DIGITS);
    let hex = ByteShape::from_sets(2 * shape.min, 2 * shape.max, sets.collect(), digits);
    Some(bytes.apply_bytes(Op::Map(Transform::Hex), Text, hex))
}

pub fn unhex(call: &mut Call<'_, '_>) -> Option<Code> {
    let text = call.text(0, "")?;
    let shape = &text.shape;
    if !ByteSet::of(b"0123456789abcdefABCDEF").includes(shape.all()) {
        let message = format!("`{}` may be more than hexadecimal digits", call.written(0));
        return call.refuse(0, message, "expected digits and letters from a to f", "");
    }
    let any = ByteShape::uniform(shape.min / 2, shape.max / 2, ByteSet::range(0, 0xFF));
    Some(text.apply_bytes(Op::Map(Transform::Unhex), Bytes, any))
}

/// `upper` and `lower`.
pub fn case(call: &mut Call<'_, '_>, transform: Transform, letter: fn(u8) -> u8) -> Option<Code> {
    let text = call.text(0, "bytes become text by `hex(b)`")?;
    let change = |text: Code| {
        let shape = text.shape.map(letter);
        text.apply_bytes(Op::Map(transform), Text, shape)
    };
    // A part of a text in another case is that part of the text in it.
    match (&text.op, &text.operands[..]) {
        (
            &Op::Map(Transform::Substr {
                position, count, ..
            }),
            [whole],
        ) => Some(change(whole.clone()).cut(position, count)),
        _ => Some(change(text)),
    }
}

pub fn desc(call: &mut Call<'_, '_>) -> Option<Code> {
    let bytes = call.value(0)?;
    if bytes.is_number() {
        let encode = if bytes.value_type == Int { "be8" } else { "f8" };
        let help = format!("encode it first: `desc({encode}({}))`", call.written(0));
        return call.wrong_type(0, &bytes, "text or bytes", &help);
    }
    let shape = bytes.shape.map(|byte| !byte);
    Some(bytes.apply_bytes(Op::Map(Transform::Invert), Bytes, shape))
}

/// `reverse`, and `reverse_bytes` of anything as bytes.
pub fn reverse(call: &mut Call<'_, '_>, as_bytes: bool) -> Option<Code> {
    let bytes = call.bytes(0)?;
    let value_type = if as_bytes { Bytes } else { bytes.value_type };
    Some(bytes.reversed(value_type))
}

pub fn reverse_domain(call: &mut Call<'_, '_>) -> Option<Code> {
    Some(call.text(0, "")?.shuffled(Transform::ReverseDomain))
}

/// The first `count` bytes of a digest, which are written without the rest of it.
fn start_of_digest(bytes: &Code, count: usize) -> Option<Code> {
    let Op::Digest { digest, form, keep } = bytes.op else {
        return None;
    };
    let keep = keep.min(count);
    let op = Op::Digest { digest, form, keep };
    let (of, shape) = (bytes.operands.clone(), bytes.shape.left(count));
    let mut code = Code::bytes(op, of, bytes.value_type, shape);
    code.facts.needs = bytes.facts.needs.clone();
    Some(code)
}

pub fn left(call: &mut Call<'_, '_>) -> Option<Code> {
    let (bytes, count) = call.bytes(0).zip(call.length(1, "the length"))?;
    start_of_digest(&bytes, count).or_else(|| Some(bytes.cut(1, count)))
}

pub fn right(call: &mut Call<'_, '_>) -> Option<Code> {
    let (bytes, count) = call.bytes(0).zip(call.length(1, "the length"))?;
    // Position 0 would be the start.
    let from_end = -(count.max(1) as i64);
    Some(bytes.cut(from_end, count))
}

pub fn substr(call: &mut Call<'_, '_>) -> Option<Code> {
    let (bytes, position) = (call.bytes(0), call.constant(1));
    let count = match call.values.len() {
        2 => Some(u32::MAX as usize),
        _ => call.length(2, "the length"),
    };
    let (bytes, position, count) = (bytes?, position?, count?);
    if let (0 | 1, Some(start)) = (position, start_of_digest(&bytes, count)) {
        return Some(start);
    }
    Some(bytes.cut(position, count))
}

/// `md5`, `sha1`, `sha256`, `sha512` and their `_bytes`.
pub fn digest(call: &mut Call<'_, '_>, digest: Digest, form: DigestForm) -> Option<Code> {
    let bytes = call.hashable(0)?;
    let (value_type, set) = match form {
        DigestForm::Raw => (Bytes, ByteSet::ALL),
        DigestForm::Hex => (Text, ByteSet::of(HEX_DIGITS)),
    };
    let keep = form.length(digest.size());
    let op = Op::Digest { digest, form, keep };
    Some(bytes.apply_bytes(op, value_type, ByteShape::uniform(keep, keep, set)))
}

fn hashed(hash: IntHash, bytes: Code) -> Code {
    bytes.apply_int(Op::Hash(hash), hash.range())
}

/// Hashes that are numbers.
pub fn number(call: &mut Call<'_, '_>, hash: IntHash) -> Option<Code> {
    Some(hashed(hash, call.hashable(0)?))
}

pub fn murmur3(call: &mut Call<'_, '_>) -> Option<Code> {
    let bytes = call.hashable(0)?;
    let seed = match call.values.len() {
        1 => 0,
        _ => call.constant_within(1, i32::MIN.into()..=u32::MAX.into(), "the seed")?,
    };
    Some(hashed(IntHash::Murmur3(seed as u32), bytes))
}

/// `java_hash`, which hashes a text and bytes each in its own way.
pub fn java(call: &mut Call<'_, '_>) -> Option<Code> {
    let bytes = call.hashable(0)?;
    let hash = match bytes.is_text() {
        true => IntHash::JavaText,
        false => IntHash::JavaBytes,
    };
    Some(hashed(hash, bytes))
}

/// The number of buckets, and what is dealt into them. Warns of something that has fewer values than there are buckets; one value alone is
/// a key written by hand, not a choice.
fn dealt(call: &mut Call<'_, '_>, most: i64) -> Option<(i64, Code)> {
    let buckets = call.constant_within(0, 1..=most, "the number of buckets");
    let (buckets, bytes) = buckets.zip(call.hashable(1))?;
    let facts = &bytes.facts;
    if let Some(values) = facts.cardinality
        && (2..buckets as u64).contains(&values)
        && !facts.fields.is_empty()
    {
        let written = call.written(1);
        let message = format!("`{written}` has {values} values for {buckets} buckets");
        let empty = buckets as usize - values as usize;
        let stay = verb(empty, ["stays", "stay"]);
        let label = format!("at least {} {stay} empty", counted(empty, "bucket"));
        let help = "add a field with more values to what is hashed, or use fewer buckets";
        call.warn(message, label, help);
    }
    Some((buckets, bytes))
}

/// Rows of 10, 20 or 30 buckets over round timestamps pile up: 31 is the polynomial's base, and these counts share
/// factors with the steps between timestamps.
const LOPSIDED: [i64; 3] = [10, 20, 30];

/// `salt` and `salt2`, of so many bytes.
pub fn salt(call: &mut Call<'_, '_>, width: u8) -> Option<Code> {
    let (buckets, bytes) = dealt(call, 1 << (8 * width))?;
    let mut fields = bytes.facts.fields.iter();
    let timestamps = fields.any(|field| call.schema.domain(*field).follows_time);
    if LOPSIDED.contains(&buckets) && timestamps {
        call.warn(
            format!("{buckets} buckets of Java's hash over round timestamps are uneven"),
            "some buckets may get twice their share, others nothing",
            &format!(
                "try `be1(bucket({buckets}, x))`, or 16 or 32 buckets, and look at the shares"
            ),
        );
    }
    let bucket = bytes.apply_int(Op::Salt(buckets), Interval::new(0, buckets - 1));
    let encoding = Encoding::BigEndian(width);
    let shape = encoding.between(bucket.range, ByteSet::ALL);
    Some(bucket.apply_bytes(Op::Encode(encoding), Bytes, shape))
}

pub fn bucket(call: &mut Call<'_, '_>) -> Option<Code> {
    let (buckets, bytes) = dealt(call, 1 << 32)?;
    let hash = hashed(IntHash::Murmur3(0), bytes);
    Some(Code::binary(Operator::Pmod, hash, Code::constant(buckets)))
}
