//! Which keys a plan can write: values of its leading bucket, and ranges that are proved to stay empty. Must not know
//! split points.

use super::code::{BytesCode, DigestForm, IntCode, IntOp};
use super::segment::Segment;
use super::shape::Shape;

/// The most values that are still called buckets.
const MOST: usize = 65_536;

/// Values of the first segment that is not constant, after the constant ones, when it is a bucket; of a bucket number that has only one
/// value, this one: `salt(1, x)` is the salt of a sweep's first point.
pub(super) fn leading_buckets(segments: &[Segment]) -> Option<Vec<Vec<u8>>> {
    let at = bucket_at(segments)?;
    let mut values = match segments[at].constant() {
        Some(value) => vec![value],
        None => bytes_values(&segments[at].code)?,
    };
    let prefix = segments[..at].iter().filter_map(Segment::constant);
    let prefix = prefix.collect::<Vec<_>>().concat();
    for value in &mut values {
        value.splice(0..0, prefix.iter().copied());
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// The segment that may be a bucket: the first that is not constant, or that is a bucket number of one value.
fn bucket_at(segments: &[Segment]) -> Option<usize> {
    segments
        .iter()
        .position(|segment| segment.constant().is_none() || is_bucket_number(&segment.code))
}

fn is_bucket_number(code: &BytesCode) -> bool {
    let BytesCode::Int(_, number) = code else {
        return false;
    };
    matches!(
        number.op,
        IntOp::Random { .. }
            | IntOp::RoundRobin { .. }
            | IntOp::Salt { .. }
            | IntOp::Pmod(..)
            | IntOp::Remainder(..)
    )
}

fn product<A, B, T>(left: &[A], right: &[B], make: impl Fn(&A, &B) -> T) -> Option<Vec<T>> {
    if left.len().checked_mul(right.len())? > MOST {
        return None;
    }
    Some(
        left.iter()
            .flat_map(|a| right.iter().map(|b| make(a, b)).collect::<Vec<_>>())
            .collect(),
    )
}

/// All values of a number that is made of hashes, remainders, draws and constants.
fn int_values(code: &IntCode) -> Option<Vec<i64>> {
    let mut values = match &code.op {
        IntOp::Const(value) => vec![*value],
        IntOp::Random { .. }
        | IntOp::RoundRobin { .. }
        | IntOp::Salt { .. }
        | IntOp::Pmod(..)
        | IntOp::Remainder(..) => {
            if code.range.count() > MOST as u128 {
                return None;
            }
            (code.range.low..=code.range.high).collect()
        }
        IntOp::Add(a, b) => product(&int_values(a)?, &int_values(b)?, |a, b| a.wrapping_add(*b))?,
        IntOp::Subtract(a, b) => {
            product(&int_values(a)?, &int_values(b)?, |a, b| a.wrapping_sub(*b))?
        }
        IntOp::Multiply(a, b) => {
            product(&int_values(a)?, &int_values(b)?, |a, b| a.wrapping_mul(*b))?
        }
        IntOp::Divide(a, b) => {
            product(&int_values(a)?, &int_values(b)?, |a, b| a.wrapping_div(*b))?
        }
        IntOp::Abs(a) => int_values(a)?.into_iter().map(i64::wrapping_abs).collect(),
        _ => return None,
    };
    values.sort_unstable();
    values.dedup();
    Some(values)
}

pub(super) fn bytes_values(code: &BytesCode) -> Option<Vec<Vec<u8>>> {
    match code {
        BytesCode::Literal(bytes) => Some(vec![bytes.to_vec()]),
        BytesCode::Int(encoding, value) => {
            let write = |value: i64| {
                let mut bytes = Vec::new();
                encoding.write(value, &mut bytes);
                bytes
            };
            Some(int_values(value)?.into_iter().map(write).collect())
        }
        BytesCode::Md5 { form, keep, .. } => {
            let (alphabet, most): (Vec<u8>, usize) = match form {
                DigestForm::Hex => (b"0123456789abcdef".to_vec(), 4),
                DigestForm::Raw => ((0..=255).collect(), 2),
            };
            strings(&alphabet, *keep, most)
        }
        BytesCode::Map(transform, of) => {
            use super::code::Transform::{LeftBytes, Sha1, Sha256, Sha512};
            if let (LeftBytes(count), BytesCode::Map(Sha1(form) | Sha256(form) | Sha512(form), _)) =
                (transform, &**of)
            {
                return match form {
                    DigestForm::Hex => strings(b"0123456789abcdef", *count, 4),
                    DigestForm::Raw => strings(&(0..=255).collect::<Vec<u8>>(), *count, 2),
                };
            }
            let mut values = bytes_values(of)?;
            for value in &mut values {
                transform.apply(value, 0);
            }
            Some(values)
        }
        BytesCode::Concat(parts) => {
            let mut values = vec![Vec::new()];
            for part in parts {
                values = product(&values, &bytes_values(part)?, |a: &Vec<u8>, b: &Vec<u8>| {
                    [&a[..], b].concat()
                })?;
            }
            Some(values)
        }
        _ => None,
    }
}

/// All strings of `length` over an alphabet, when short.
fn strings(alphabet: &[u8], length: usize, most: usize) -> Option<Vec<Vec<u8>>> {
    if length > most {
        return None;
    }
    let mut values = vec![Vec::new()];
    for _ in 0..length {
        values = product(&values, alphabet, |a: &Vec<u8>, b| [&a[..], &[*b]].concat())?;
    }
    Some(values)
}

/// Can a key lie in `[start, end)`? Never false for a range that a key lies in.
pub(super) fn may_reach(
    segments: &[Segment],
    shape: &Shape,
    buckets: Option<&[Vec<u8>]>,
    start: &[u8],
    end: &[u8],
) -> bool {
    let in_range = |shape: &Shape| {
        shape
            .least_from(start)
            .is_some_and(|least| end.is_empty() || least[..] < *end)
    };
    if !in_range(shape) {
        return false;
    }
    // A few buckets are told apart: the byte sets alone mix up their positions ("10" and "01" would allow "11").
    let Some(buckets) = buckets.filter(|buckets| buckets.len() <= 1024) else {
        return true;
    };
    let lead = bucket_at(segments).map_or(segments.len(), |at| at + 1);
    let rest = segments[lead..]
        .iter()
        .fold(Shape::literal(b""), |before, segment| {
            before.then(&segment.shape)
        });
    buckets
        .iter()
        .any(|bucket| in_range(&Shape::literal(bucket).then(&rest)))
}
