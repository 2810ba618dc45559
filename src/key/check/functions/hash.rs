//! Hashes, and buckets computed from hashes.

use super::call::Call;
use crate::key::check::operators::combined;
use crate::key::check::typed::{Bytes, Typed};
use crate::key::code::{BytesOp, IntCode, IntOp};
use crate::key::formats::{Digest, DigestForm, Encoding, IntHash};
use crate::key::values::{ByteSet, ByteShape, Interval, Operator};

/// `md5`, `sha1`, `sha256`, `sha512` and their `_bytes`.
pub fn digest(call: &mut Call<'_, '_>, digest: Digest, form: DigestForm) -> Option<Typed> {
    let bytes = call.hashable(0)?;
    let (is_text, set) = match form {
        DigestForm::Raw => (false, ByteSet::ALL),
        DigestForm::Hex => (true, ByteSet::of(b"0123456789abcdef")),
    };
    let keep = form.length(digest.size());
    let op = BytesOp::Digest { digest, form, keep };
    let shape = ByteShape::uniform(keep, keep, set);
    Some(Typed::Bytes(bytes.changed(op, is_text, shape)))
}

fn hashed(hash: IntHash, bytes: Bytes) -> IntCode {
    IntCode::hash(IntOp::Hash(hash), bytes.code, hash.range())
}

/// Hashes that are numbers.
pub fn number(call: &mut Call<'_, '_>, hash: IntHash) -> Option<Typed> {
    let bytes = call.hashable(0)?;
    Some(Typed::Int(hashed(hash, bytes)))
}

pub fn murmur3(call: &mut Call<'_, '_>) -> Option<Typed> {
    let bytes = call.hashable(0)?;
    let seed = match call.values.len() {
        1 => 0,
        _ => call.constant_within(1, i32::MIN.into(), u32::MAX.into(), "the seed")?,
    };
    Some(Typed::Int(hashed(IntHash::Murmur3(seed as u32), bytes)))
}

/// `java_hash`, which hashes a text and bytes each in its own way.
pub fn java(call: &mut Call<'_, '_>) -> Option<Typed> {
    let bytes = call.hashable(0)?;
    let hash = match bytes.is_text {
        true => IntHash::JavaText,
        false => IntHash::JavaBytes,
    };
    Some(Typed::Int(hashed(hash, bytes)))
}

/// The number of buckets, and what is dealt into them. Warns of something that has fewer values than there are buckets; one value alone is
/// a key written by hand, not a choice.
fn dealt(call: &mut Call<'_, '_>, most: i64) -> Option<(i64, Bytes)> {
    let buckets = call.constant_within(0, 1, most, "the number of buckets");
    let bytes = call.hashable(1);
    let (buckets, bytes) = (buckets?, bytes?);
    let facts = &bytes.code.facts;
    if let Some(values) = facts.cardinality
        && (2..buckets as u64).contains(&values)
        && !facts.fields.is_empty()
    {
        let written = call.written(1);
        call.warn(
            format!("`{written}` has {values} values for {buckets} buckets"),
            format!("at least {} buckets stay empty", buckets as u64 - values),
            "add a field with more values to what is hashed, or use fewer buckets",
        );
    }
    Some((buckets, bytes))
}

/// Rows of 10, 20 or 30 buckets over round timestamps pile up: 31 is the polynomial's base, and these counts share
/// factors with the steps between timestamps.
fn lopsided(buckets: i64) -> bool {
    matches!(buckets, 10 | 20 | 30)
}

/// `salt` and `salt2`, of so many bytes.
pub fn salt(call: &mut Call<'_, '_>, width: u8) -> Option<Typed> {
    let (buckets, bytes) = dealt(call, 1 << (8 * width))?;
    let mut fields = bytes.code.facts.fields.iter();
    let timestamps = fields.any(|field| call.schema.domain(*field).follows_time);
    if lopsided(buckets) && timestamps {
        call.warn(
            format!("{buckets} buckets of Java's hash over round timestamps are uneven"),
            "some buckets may get twice their share, others nothing",
            format!("try `be1(bucket({buckets}, x))`, or 16 or 32 buckets, and look at the shares"),
        );
    }
    let range = Interval::new(0, buckets - 1);
    let bucket = IntCode::hash(IntOp::Salt(buckets), bytes.code, range);
    let encoding = Encoding::BigEndian(width);
    let shape = encoding.between(range, ByteSet::ALL);
    Some(Typed::Bytes(Bytes::encoded(encoding, bucket, false, shape)))
}

pub fn bucket(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (buckets, bytes) = dealt(call, 1 << 32)?;
    let hash = hashed(IntHash::Murmur3(0), bytes);
    let range = Interval::new(0, buckets - 1);
    Some(combined(
        Operator::Pmod,
        hash,
        IntCode::constant(buckets),
        range,
    ))
}
