//! Which bytes code can write: values of a leading bucket, and ranges of keys that are proved to stay empty.

use super::code::{Code, Op, Randomness};
use super::field_steps::no_draws;
use super::formats::{DigestForm, Encoding, Transform};
use super::operator::Operator;
use super::run::{Row, Rows};
use super::segment::Segment;
use crate::record::{ByteShape, Schema};

/// The most values that are still called buckets.
const MOST: usize = 65_536;

/// The most buckets, or values of what a key leads with, that are told apart when a range is asked for.
const MOST_APART: usize = 1_024;

/// What keys with each of their leading values look like, where those are few: the byte sets of all together mix up their positions ("10" and
/// "01" would allow "11"), and what follows values of several lengths.
pub(super) fn shapes_apart(
    segments: &[Segment],
    buckets: Option<&[Vec<u8>]>,
    schema: &Schema,
) -> Vec<ByteShape> {
    let of_fields = leading_values(segments, schema);
    let few = of_fields.as_deref().or(buckets);
    let few = few.filter(|values| values.len() <= MOST_APART);
    let lead = bucket_at(segments).map_or(segments.len(), |at| at + 1);
    let rest = few.map(|_| Segment::joined_shape(&segments[lead..]));
    let values = few.unwrap_or_default().iter().zip(rest.iter().cycle());
    let shapes = values.map(|(value, rest)| ByteShape::literal(value).then(rest));
    shapes.collect()
}

/// What keys begin with, up to and with the first segment that is not constant, for all values of its fields, where these are few. Not of a hash: it deals
/// values to buckets, and those that get none are left to chance.
fn leading_values(segments: &[Segment], schema: &Schema) -> Option<Vec<Vec<u8>>> {
    let lead = &segments[..=bucket_at(segments)?];
    let is_plain = |it: &&Segment| it.randomness() == Randomness::Plain;
    let segment = lead.last().filter(is_plain)?;
    let mut records = vec![vec![0; schema.fields.len()]];
    for &id in segment.fields() {
        let field = Some(schema.field(id)).filter(|field| field.column.is_none())?;
        let slots = field.few_slots((MOST_APART / records.len().max(1)) as u64)?;
        let with = |slot: &i64, record: &Vec<i64>| {
            let mut record = record.clone();
            record[usize::from(id.0)] = *slot;
            record
        };
        records = product(&slots, &records, with)?;
    }
    let value = |record: &Vec<i64>| {
        let row = Row::new(record, 0, no_draws());
        let mut value = Vec::new();
        for segment in lead {
            segment.code.write(&Rows::one(&row), &mut value);
        }
        value
    };
    (!records.is_empty() && records.len() <= MOST_APART)
        .then(|| distinct(records.iter().map(value).collect()))
}

/// Values of the first segment that is not constant, after the constant ones, when it is a bucket; of a bucket number that has only one
/// value, this one: `salt(1, x)` is the salt of a sweep's first point.
pub(super) fn leading_buckets(segments: &[Segment]) -> Option<Vec<Vec<u8>>> {
    let at = bucket_at(segments)?;
    let values = match segments[at].constant() {
        Some(value) => vec![value],
        None => bytes_values(&segments[at].code)?,
    };
    let prefix = segments[..at].iter().filter_map(Segment::constant);
    let prefix = prefix.collect::<Vec<_>>().concat();
    let values = values.iter().map(|value| [&prefix[..], value].concat());
    Some(distinct(values.collect()))
}

/// The segment that may be a bucket: the first that is not constant, or that is a bucket number of one value.
fn bucket_at(segments: &[Segment]) -> Option<usize> {
    let is_number = |segment: &Segment| {
        let encoded = matches!(segment.code.op, Op::Encode(_));
        encoded && segment.code.operands[0].is_bucket_number()
    };
    let mut segments = segments.iter();
    segments.position(|segment| segment.constant().is_none() || is_number(segment))
}

impl Code {
    fn is_bucket_number(&self) -> bool {
        match self.op {
            Op::Random { .. } | Op::RoundRobin { .. } | Op::Salt(_) => true,
            Op::Binary(operator) => matches!(operator, Operator::Pmod | Operator::Remainder),
            _ => false,
        }
    }
}

pub(super) fn distinct<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}

fn product<A, B, T>(left: &[A], right: &[B], make: impl Fn(&A, &B) -> T) -> Option<Vec<T>> {
    let count = left.len().checked_mul(right.len())?;
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
    (count <= MOST).then(|| pairs.map(|(a, b)| make(a, b)).collect())
}

/// All values of a number that is made of hashes, remainders, draws and constants.
fn int_values(code: &Code) -> Option<Vec<i64>> {
    let operand = |at: usize| int_values(&code.operands[at]);
    let values = match code.op {
        Op::Const(value) => Some(vec![value]),
        Op::Binary(operator) => operand(0)
            .zip(operand(1))
            .and_then(|(a, b)| product(&a, &b, |a, b| operator.of(*a, *b))),
        Op::Abs => operand(0).map(|of| of.into_iter().map(i64::wrapping_abs).collect()),
        _ => None,
    };
    let few = code.is_bucket_number() && code.range.count() <= MOST as u128;
    let all = || few.then(|| (code.range.low..=code.range.high).collect());
    values.map(distinct).or_else(all)
}

/// All bytes that the code can write (and perhaps more), when it is made of hashes, remainders, parts of dates, draws and constants and they are not too many.
pub(super) fn bytes_values(code: &Code) -> Option<Vec<Vec<u8>>> {
    // What is made of all bytes of the operand in their place.
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut values = bytes_values(&code.operands[0])?;
        values.iter_mut().for_each(change);
        Some(values)
    };
    match &code.op {
        Op::Literal(bytes) => Some(vec![bytes.to_vec()]),
        Op::Encode(Encoding::Calendar(pattern, _)) => pattern.texts(MOST),
        Op::Encode(encoding) => {
            let values = int_values(&code.operands[0])?.into_iter();
            Some(values.map(|value| encoding.bytes(value)).collect())
        }
        Op::Digest { digest, form, keep } => {
            let short = match form {
                DigestForm::Hex => strings(b"0123456789abcdef", *keep, 4),
                DigestForm::Raw => strings(&(0..=255).collect::<Vec<u8>>(), *keep, 2),
            };
            short.or_else(|| changed(&|value| digest.replace(value, 0, *form, *keep)))
        }
        Op::Map(transform) => changed(&|value| transform.apply(value, 0)).or_else(|| {
            // Digits of a number are remainders of it.
            let is_part = matches!(transform, Transform::Substr { .. });
            let are_digits = is_part && code.facts.are_told && !code.facts.told.is_empty();
            are_digits.then(|| code.shape.values(MOST)).flatten()
        }),
        Op::Concat => {
            let mut parts = code.operands.iter();
            parts.try_fold(vec![Vec::new()], |values, part| {
                product(&values, &bytes_values(part)?, |a, b| [&a[..], b].concat())
            })
        }
        _ => None,
    }
}

/// All strings of `length` over an alphabet, when short.
fn strings(alphabet: &[u8], length: usize, most: usize) -> Option<Vec<Vec<u8>>> {
    let mut places = Some(0..length).filter(|_| length <= most)?;
    places.try_fold(vec![Vec::new()], |values, _| {
        product(&values, alphabet, |a: &Vec<u8>, b| [&a[..], &[*b]].concat())
    })
}
