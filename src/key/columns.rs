//! Keys of fixed width, many rows at a time: each operation runs over all rows of a chunk before the next one, so that
//! deciding what to do costs nothing a row. The same bytes as row by row. Must not know what keys are for.

use super::code::{BytesCode, DigestForm, IntCode, IntEncoding, IntOp, Transform};
use super::digits::{digits, digits_reversed, pad_digits};
use super::execute::{Input, write_digest};
use super::hashing;
use super::md5_lanes;
use super::plan::Row;
use crate::random::DrawKey;

/// Rows of a chunk.
pub(super) const ROWS: usize = 64;

/// A place for the bytes of a hash's operand, one row in each 64 bytes.
type Blocks = [u8; 64 * ROWS];

/// At most [`ROWS`] operations.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    /// One after another.
    pub records: &'a [i64],
    /// Slots of a record.
    pub width: usize,
    pub operations: &'a [u64],
    pub indices: &'a [u64],
    pub draws: DrawKey,
}

impl<'a> Chunk<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// One row.
    pub fn row(&self, at: usize) -> Row<'a> {
        Row {
            record: &self.records[at * self.width..(at + 1) * self.width],
            index: self.indices[at],
            draws: self.draws.at(self.operations[at]),
        }
    }
}

impl BytesCode {
    /// Bytes it always writes for rows within the fields' domains, as far as the code alone tells.
    pub fn width(&self) -> Option<usize> {
        match self {
            Self::Literal(bytes) => Some(bytes.len()),
            Self::Field(..) => None,
            Self::Int(encoding, value) => match encoding {
                IntEncoding::BigEndian(width) | IntEncoding::Ordered(width) => {
                    Some(usize::from(*width))
                }
                IntEncoding::HBaseOrdered => Some(9),
                IntEncoding::Padded { width, .. } => Some(*width),
                IntEncoding::Calendar(pattern, _) => Some(pattern.width()),
                IntEncoding::Decimal => super::functions::decimal_shape(value.range).fixed(),
                IntEncoding::Nth(choices) => {
                    let width = choices.first()?.len();
                    choices
                        .iter()
                        .all(|choice| choice.len() == width)
                        .then_some(width)
                }
            },
            Self::Double(encoding, _) => Some(encoding.width()),
            Self::Map(transform, of) => {
                let width = of.width()?;
                match transform {
                    Transform::LeftBytes(count) | Transform::RightBytes(count) => {
                        Some(width.min(*count))
                    }
                    Transform::Upper
                    | Transform::Lower
                    | Transform::ReverseBytes
                    | Transform::Invert => Some(width),
                    Transform::Hex => Some(2 * width),
                    Transform::Sha1(form) => Some(form.length(20)),
                    Transform::Sha256(form) => Some(form.length(32)),
                    Transform::Sha512(form) => Some(form.length(64)),
                    _ => None,
                }
            }
            Self::Md5 { keep, .. } => Some(*keep),
            Self::Concat(parts) => parts.iter().map(Self::width).sum(),
            Self::Uuid4 { .. } | Self::Uuid7 { .. } => Some(16),
            Self::Ulid { .. } => Some(26),
            Self::Ksuid { .. } => Some(20),
            Self::Morton(_) => Some(8),
        }
    }

    /// Writes `self.width()` bytes of every row at `out[row * stride + at..]`.
    pub fn write_column(
        &self,
        chunk: &Chunk<'_>,
        width: usize,
        out: &mut [u8],
        stride: usize,
        at: usize,
    ) {
        let places = || out_rows(chunk.len(), stride, at, width);
        match self {
            Self::Literal(bytes) => {
                for (piece, at) in bytes.chunks(8).zip((at..).step_by(8)) {
                    let value = leading(piece) as i64;
                    store(&[value; ROWS], chunk.len(), piece.len(), out, stride, at);
                }
            }
            Self::Int(IntEncoding::BigEndian(_), value) => {
                let mut values = [0i64; ROWS];
                value.column(chunk, &mut values);
                store(&values, chunk.len(), width, out, stride, at);
            }
            Self::Int(IntEncoding::Padded { pad: b'0', .. }, value) if value.range.low >= 0 => {
                let mut values = [0i64; ROWS];
                value.column(chunk, &mut values);
                for (place, value) in places().zip(values) {
                    digits(value.unsigned_abs(), &mut out[place]);
                }
            }
            Self::Int(IntEncoding::Padded { pad, .. }, value) if value.range.low >= 0 => {
                let mut values = [0i64; ROWS];
                value.column(chunk, &mut values);
                for (place, value) in places().zip(values) {
                    pad_digits(value.unsigned_abs(), *pad, &mut out[place]);
                }
            }
            Self::Int(encoding, value) => {
                let mut values = [0i64; ROWS];
                value.column(chunk, &mut values);
                let mut scratch = Vec::with_capacity(width);
                for (place, value) in places().zip(values) {
                    scratch.clear();
                    encoding.write(value, &mut scratch);
                    fill(&mut out[place], &scratch);
                }
            }
            Self::Concat(parts) => {
                let mut at = at;
                for part in parts {
                    let width = part.width().unwrap_or(0);
                    part.write_column(chunk, width, out, stride, at);
                    at += width;
                }
            }
            Self::Map(Transform::ReverseBytes, of) => {
                if let Self::Int(IntEncoding::Padded { pad: b'0', .. }, value) = &**of
                    && value.range.low >= 0
                {
                    let mut values = [0i64; ROWS];
                    value.column(chunk, &mut values);
                    for (place, value) in places().zip(values) {
                        digits_reversed(value.unsigned_abs(), &mut out[place]);
                    }
                    return;
                }
                of.write_column(chunk, width, out, stride, at);
                places().for_each(|place| out[place].reverse());
            }
            Self::Map(Transform::Invert, of) => {
                of.write_column(chunk, width, out, stride, at);
                places().for_each(|place| out[place].iter_mut().for_each(|byte| *byte = !*byte));
            }
            Self::Map(Transform::Upper, of) => {
                of.write_column(chunk, width, out, stride, at);
                places().for_each(|place| out[place].make_ascii_uppercase());
            }
            Self::Md5 { form, keep, of, .. } => {
                let mut digests = [[0u8; 16]; ROWS];
                md5_column(of, chunk, &mut digests);
                if *form == DigestForm::Raw {
                    for first in (0..*keep).step_by(8) {
                        let last = (first + 8).min(*keep);
                        let mut values = [0i64; ROWS];
                        for (value, digest) in values.iter_mut().zip(&digests) {
                            *value = leading(&digest[first..last]) as i64;
                        }
                        store(&values, chunk.len(), last - first, out, stride, at + first);
                    }
                    return;
                }
                let mut scratch = Vec::with_capacity(32);
                for (place, digest) in places().zip(&digests) {
                    scratch.clear();
                    write_digest(digest, *form, *keep, &mut scratch);
                    fill(&mut out[place], &scratch);
                }
            }
            _ => {
                let mut scratch = Vec::with_capacity(width);
                for (row, place) in places().enumerate() {
                    scratch.clear();
                    self.run(
                        &Input {
                            row: chunk.row(row),
                            digests: &[],
                        },
                        &mut scratch,
                    );
                    fill(&mut out[place], &scratch);
                }
            }
        }
    }
}

/// Where a column of `width` bytes stands in each row.
fn out_rows(
    rows: usize,
    stride: usize,
    at: usize,
    width: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..rows).map(move |row| row * stride + at..row * stride + at + width)
}

/// Copies what fits; rows from outside the fields' domains may be longer or shorter.
fn fill(place: &mut [u8], bytes: &[u8]) {
    let length = place.len().min(bytes.len());
    place[..length].copy_from_slice(&bytes[..length]);
}

/// The number whose low bytes, big-endian, are these (at most 8).
#[inline]
fn leading(bytes: &[u8]) -> u64 {
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => u64::from_be_bytes(bytes),
        Err(_) => bytes
            .iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    }
}

/// Writes the `width` low bytes (at most 8) of each value, big-endian.
fn store(
    values: &[i64; ROWS],
    rows: usize,
    width: usize,
    out: &mut [u8],
    stride: usize,
    at: usize,
) {
    // Copies of a length that is known to the compiler are single instructions.
    match width {
        1 => store_low::<1>(values, rows, out, stride, at),
        2 => store_low::<2>(values, rows, out, stride, at),
        3 => store_low::<3>(values, rows, out, stride, at),
        4 => store_low::<4>(values, rows, out, stride, at),
        5 => store_low::<5>(values, rows, out, stride, at),
        6 => store_low::<6>(values, rows, out, stride, at),
        7 => store_low::<7>(values, rows, out, stride, at),
        _ => store_low::<8>(values, rows, out, stride, at),
    }
}

#[inline]
fn store_low<const N: usize>(
    values: &[i64; ROWS],
    rows: usize,
    out: &mut [u8],
    stride: usize,
    at: usize,
) {
    // Known before the loop, so that nothing has to be looked at for each row.
    assert!(at + N <= stride, "a column lies inside its rows");
    for (row, value) in out.chunks_exact_mut(stride).zip(&values[..rows]) {
        let bytes = value.to_be_bytes();
        row[at..at + N].copy_from_slice(&bytes[8 - N..]);
    }
}

fn md5_column(of: &BytesCode, chunk: &Chunk<'_>, digests: &mut [[u8; 16]; ROWS]) {
    if let Some(width) = of.width().filter(|width| *width <= md5_lanes::ONE_BLOCK) {
        let mut blocks: Blocks = [0; 64 * ROWS];
        of.write_column(chunk, width, &mut blocks, 64, 0);
        md5_lanes::digests_of_blocks(&blocks, width, &mut digests[..chunk.len()]);
        return;
    }
    let mut messages = Vec::new();
    let mut ends = [0usize; md5_lanes::LANES];
    for first in (0..chunk.len()).step_by(md5_lanes::LANES) {
        let count = md5_lanes::LANES.min(chunk.len() - first);
        messages.clear();
        for (lane, end) in ends[..count].iter_mut().enumerate() {
            of.run(
                &Input {
                    row: chunk.row(first + lane),
                    digests: &[],
                },
                &mut messages,
            );
            *end = messages.len();
        }
        md5_lanes::digests(&messages, &ends[..count], |lane, digest| {
            digests[first + lane] = digest
        });
    }
}

impl IntCode {
    /// The value of every row.
    fn column(&self, chunk: &Chunk<'_>, out: &mut [i64; ROWS]) {
        let rows = chunk.len();
        match &self.op {
            IntOp::Const(value) => out[..rows].fill(*value),
            IntOp::Slot(slot) => {
                assert!(*slot < chunk.width, "a record has that field");
                for (value, record) in out.iter_mut().zip(chunk.records.chunks_exact(chunk.width)) {
                    *value = record[*slot];
                }
            }
            IntOp::Add(a, b) => combine(a, b, chunk, out, i64::wrapping_add),
            IntOp::Subtract(a, b) => combine(a, b, chunk, out, i64::wrapping_sub),
            IntOp::Multiply(a, b) => combine(a, b, chunk, out, i64::wrapping_mul),
            IntOp::Divide(a, b) => {
                combine(
                    a,
                    b,
                    chunk,
                    out,
                    |a, b| if b == 0 { 0 } else { a.wrapping_div(b) },
                )
            }
            IntOp::Remainder(a, b) => {
                combine(
                    a,
                    b,
                    chunk,
                    out,
                    |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) },
                )
            }
            IntOp::Pmod(a, b) => combine(a, b, chunk, out, |a, b| {
                if b == 0 { 0 } else { a.wrapping_rem_euclid(b) }
            }),
            IntOp::Floor(a, step) => {
                a.column(chunk, out);
                for value in &mut out[..rows] {
                    *value = value.wrapping_sub(value.rem_euclid(*step));
                }
            }
            IntOp::RoundRobin { values } => {
                for (value, index) in out.iter_mut().zip(chunk.indices) {
                    *value = (index % values) as i64;
                }
            }
            IntOp::Random { values, skip: 0 } => {
                for (value, operation) in out.iter_mut().zip(chunk.operations) {
                    *value = chunk.draws.at(*operation).below(*values) as i64;
                }
            }
            IntOp::Hash(hash, of) if of.width().is_some_and(|width| width <= 64) => {
                hash_column(of, chunk, out, |bytes| hash.of(bytes));
            }
            IntOp::Salt { buckets, of } if of.width().is_some_and(|width| width <= 64) => {
                hash_column(of, chunk, out, |bytes| {
                    (i64::from(hashing::java_bytes(bytes)) % buckets).abs()
                });
            }
            _ => {
                let mut scratch = Vec::new();
                for (at, value) in out[..rows].iter_mut().enumerate() {
                    *value = self.run(
                        &Input {
                            row: chunk.row(at),
                            digests: &[],
                        },
                        &mut scratch,
                    );
                }
            }
        }
    }
}

#[inline]
fn combine(
    a: &IntCode,
    b: &IntCode,
    chunk: &Chunk<'_>,
    out: &mut [i64; ROWS],
    f: impl Fn(i64, i64) -> i64,
) {
    a.column(chunk, out);
    if let IntOp::Const(b) = b.op {
        for value in &mut out[..chunk.len()] {
            *value = f(*value, b);
        }
        return;
    }
    let mut right = [0i64; ROWS];
    b.column(chunk, &mut right);
    for (value, b) in out[..chunk.len()].iter_mut().zip(right) {
        *value = f(*value, b);
    }
}

fn hash_column(
    of: &BytesCode,
    chunk: &Chunk<'_>,
    out: &mut [i64; ROWS],
    hash: impl Fn(&[u8]) -> i64,
) {
    let mut blocks: Blocks = [0; 64 * ROWS];
    let width = of.width().unwrap_or(0);
    of.write_column(chunk, width, &mut blocks, 64, 0);
    for (value, block) in out[..chunk.len()].iter_mut().zip(blocks.chunks_exact(64)) {
        *value = hash(&block[..width]);
    }
}
