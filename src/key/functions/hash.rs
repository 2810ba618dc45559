//! Hashes, and buckets computed from hashes.

use super::super::byte_set::ByteSet;
use super::super::bytes::Bytes;
use super::super::checker::Checker;
use super::super::code::{BytesCode, DigestForm, IntCode, IntEncoding, IntHash, IntOp, Transform};
use super::super::interval::Interval;
use super::super::shape::Shape;
use super::super::typed::Typed;
use super::Call;

/// `md5`, `sha1`, `sha256`, `sha512` and their `_bytes`.
pub(super) fn digest(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let bytes = call.hashable(checker, 0)?;
    let raw = call.function.name.ends_with("_bytes");
    let form = if raw {
        DigestForm::Raw
    } else {
        DigestForm::Hex
    };
    let set = if raw {
        ByteSet::ALL
    } else {
        ByteSet::of(b"0123456789abcdef")
    };
    let facts = bytes.facts.hashed();
    let of = Box::new(bytes.code);
    let (code, size) = match call.function.name {
        "md5" | "md5_bytes" => {
            let site = checker.md5_sites;
            checker.md5_sites += 1;
            (
                BytesCode::Md5 {
                    site,
                    form,
                    keep: form.length(16),
                    of,
                },
                16,
            )
        }
        "sha1" | "sha1_bytes" => (BytesCode::Map(Transform::Sha1(form), of), 20),
        "sha256" | "sha256_bytes" => (BytesCode::Map(Transform::Sha256(form), of), 32),
        _ => (BytesCode::Map(Transform::Sha512(form), of), 64),
    };
    let shape = Shape::uniform(form.length(size), form.length(size), set);
    Some(Typed::of_bytes(!raw, code, shape, facts))
}

/// Hashes that are numbers.
pub(super) fn number(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let bytes = call.hashable(checker, 0)?;
    let hash = match call.function.name {
        "murmur3" => {
            let seed = match call.arguments.len() {
                1 => 0,
                _ => {
                    call.constant_within(checker, 1, i32::MIN.into(), u32::MAX.into(), "the seed")?
                }
            };
            IntHash::Murmur3 { seed: seed as u32 }
        }
        "murmur3_128" => IntHash::Murmur3Wide,
        "crc32" => IntHash::Crc32,
        "fnv1_32" => IntHash::Fnv1,
        "fnv1a_32" => IntHash::Fnv1a,
        "fnv1a_64" => IntHash::Fnv1aWide,
        _ if bytes.is_text => IntHash::JavaText,
        _ => IntHash::JavaBytes,
    };
    let range = match hash {
        IntHash::Murmur3Wide | IntHash::Fnv1aWide => Interval::ALL,
        IntHash::JavaText | IntHash::JavaBytes => Interval::new(i32::MIN.into(), i32::MAX.into()),
        _ => Interval::new(0, u32::MAX.into()),
    };
    let facts = bytes.facts.hashed();
    Some(Typed::of_int(
        IntOp::Hash(hash, Box::new(bytes.code)),
        range,
        facts,
    ))
}

/// Rows of 10, 20 or 30 buckets over round timestamps pile up: 31 is the polynomial's base, and these counts share
/// factors with the steps between timestamps.
fn lopsided(buckets: i64) -> bool {
    matches!(buckets, 10 | 20 | 30)
}

/// `salt` and `salt2`.
pub(super) fn salt(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (width, most) = if call.function.name == "salt" {
        (1, 256)
    } else {
        (2, 65_536)
    };
    let buckets = call.constant_within(checker, 0, 1, most, "the number of buckets");
    let bytes = call.hashable(checker, 1);
    let (buckets, bytes) = (buckets?, bytes?);
    few_values(checker, call, buckets, &bytes);
    let schema = checker.environment.schema;
    let timestamps = bytes
        .facts
        .fields
        .iter()
        .any(|&field| schema.domain(field).follows_time);
    if lopsided(buckets) && timestamps {
        checker.warning(
            &call.span,
            format!("{buckets} buckets of Java's hash over round timestamps are uneven"),
            "some buckets may get twice their share, others nothing",
            &format!(
                "try `be1(bucket({buckets}, x))`, or 16 or 32 buckets, and look at the shares"
            ),
        );
    }
    let range = Interval::new(0, buckets - 1);
    let facts = bytes.facts.hashed();
    let op = IntOp::Salt {
        buckets,
        of: Box::new(bytes.code),
    };
    let encoding = IntEncoding::BigEndian(width);
    let (mut low, mut high) = (Vec::new(), Vec::new());
    encoding.write(range.low, &mut low);
    encoding.write(range.high, &mut high);
    let shape = Shape::between(&low, &high, ByteSet::ALL);
    let code = BytesCode::Int(encoding, Box::new(IntCode { op, range }));
    Some(Typed::of_bytes(
        false,
        code,
        shape,
        facts.at_most(buckets as u128),
    ))
}

/// A bucket of something that has fewer values than there are buckets. One value alone is a key written by hand, not a choice.
fn few_values(checker: &mut Checker<'_>, call: &Call<'_>, buckets: i64, bytes: &Bytes) {
    if let Some(values) = bytes.facts.cardinality
        && (2..buckets as u64).contains(&values)
        && !bytes.facts.fields.is_empty()
    {
        let written = checker.written(&call.arguments[1].span);
        checker.warning(
            &call.span,
            format!("`{written}` has {values} values for {buckets} buckets"),
            &format!("at least {} buckets stay empty", buckets as u64 - values),
            "add a field with more values to what is hashed, or use fewer buckets",
        );
    }
}

/// `bucket`.
pub(super) fn bucket(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let buckets = call.constant_within(checker, 0, 1, 1 << 32, "the number of buckets");
    let bytes = call.hashable(checker, 1);
    let (buckets, bytes) = (buckets?, bytes?);
    few_values(checker, call, buckets, &bytes);
    let facts = bytes.facts.hashed();
    let hash = IntOp::Hash(IntHash::Murmur3 { seed: 0 }, Box::new(bytes.code));
    let hash = IntCode {
        op: hash,
        range: Interval::new(0, u32::MAX.into()),
    };
    let buckets = Typed::int(buckets);
    let super::super::typed::Code::Int(modulus) = buckets.code else {
        return None;
    };
    let range = Interval::new(0, modulus.range.high - 1);
    Some(Typed::of_int(
        IntOp::Pmod(Box::new(hash), Box::new(modulus)),
        range,
        facts,
    ))
}
