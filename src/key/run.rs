//! Runs compiled code, one row or many rows at a time: each operation has its meaning once, for as many rows as there are. Bytes are appended
//! row by row, or, where their width is known, written as a column of many rows at a time, so that deciding what to do costs nothing a
//! row. Must not check anything: the compiler has.

use super::code::{Code, Identifier, Op};
use super::formats::{self, Civil, Digest, DigestForm, Encoding, ONE_BLOCK, Transform, java_bytes};
use super::operator::Operator;
use crate::random::{DrawKey, Draws};
use crate::record::Interval;
use crate::text;
use md5::{Digest as _, Md5};

/// Most rows that are worked on together.
pub const ROWS: usize = 64;

/// The widest operand of a hash that is written for many rows before it is hashed.
const BLOCK: usize = 64;

/// What one key is written from.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The record's slots.
    pub record: &'a [i64],
    /// Index of the operation within its write: what `round_robin` counts.
    pub index: u64,
    /// The operation's own draws for `random(n)`, `uuid4()`, ...
    pub draws: Draws,
}

impl<'a> Row<'a> {
    /// A row of an operation with this index and these draws.
    pub fn new(record: &'a [i64], index: u64, draws: Draws) -> Self {
        Self {
            record,
            index,
            draws,
        }
    }
}

/// One row, or at most [`ROWS`] of them.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Records, one after another.
    records: &'a [i64],
    /// Slots of a record.
    width: usize,
    pub indices: &'a [u64],
    draws: RowDraws<'a>,
    /// What is drawn instead of a draw.
    pub drawn: Option<i64>,
}

#[derive(Clone, Copy)]
enum RowDraws<'a> {
    One(Draws),
    /// By the numbers of operations.
    Many(DrawKey, &'a [u64]),
}

impl<'a> Rows<'a> {
    /// One row.
    pub fn one(row: &'a Row<'a>) -> Self {
        Self {
            records: row.record,
            width: row.record.len(),
            indices: std::slice::from_ref(&row.index),
            draws: RowDraws::One(row.draws),
            drawn: None,
        }
    }

    /// The rows of operations.
    pub fn new(
        records: &'a [i64],
        indices: &'a [u64],
        key: DrawKey,
        operations: &'a [u64],
    ) -> Self {
        Self {
            records,
            width: records.len().checked_div(indices.len()).unwrap_or(0),
            indices,
            draws: RowDraws::Many(key, operations),
            drawn: None,
        }
    }

    /// These rows with one value instead of anything that is drawn.
    pub fn with_drawn(self, value: i64) -> Self {
        let drawn = Some(value);
        Self { drawn, ..self }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// One of them.
    pub fn row(&self, at: usize) -> Self {
        Self {
            records: &self.records[at * self.width..][..self.width],
            indices: &self.indices[at..=at],
            draws: RowDraws::One(self.draws(at, 0)),
            ..*self
        }
    }

    /// The value of one slot in one record.
    pub fn slot(&self, at: usize, slot: usize) -> i64 {
        self.records[at * self.width + slot]
    }

    /// Copies the values of a slot in all records.
    pub fn copy_slot<const N: usize>(&self, slot: usize, out: &mut [i64; N]) {
        if N == 1 {
            out[0] = self.slot(0, slot);
            return;
        }
        assert!(slot < self.width, "a record has that field");
        for (value, record) in out.iter_mut().zip(self.records.chunks_exact(self.width)) {
            *value = record[slot];
        }
    }

    /// The draws of a row after those that belong to others.
    pub fn draws(&self, at: usize, skip: u32) -> Draws {
        let mut draws = match self.draws {
            RowDraws::One(draws) => draws,
            RowDraws::Many(key, operations) => key.at(operations[at]),
        };
        for _ in 0..skip {
            draws.bits();
        }
        draws
    }
}

impl Code {
    /// The value in one row. `scratch` is as long afterwards as before.
    pub fn value(&self, row: &Rows<'_>, scratch: &mut Vec<u8>) -> i64 {
        let mut value = [0];
        self.values(row, scratch, &mut value);
        value[0]
    }

    /// The values in at most N rows. `scratch` is as long afterwards as before.
    pub fn values<const N: usize>(
        &self,
        rows: &Rows<'_>,
        scratch: &mut Vec<u8>,
        out: &mut [i64; N],
    ) {
        // Of one row the compiler shall know that it is one.
        let count = if N == 1 { 1 } else { rows.len().min(N) };
        if let Some(first) = self.operands.first().filter(|first| first.is_number()) {
            first.values(rows, scratch, out);
        }
        match &self.op {
            Op::Const(value) => out.fill(*value),
            Op::Slot(slot) => rows.copy_slot(*slot, out),
            Op::Binary(operator) => {
                let mut right = [0i64; N];
                self.operands[1].values(rows, scratch, &mut right);
                operator.apply(&mut out[..count], &right);
            }
            &Op::Floor(step) => each(&mut out[..count], |value| {
                value.wrapping_sub(value.rem_euclid(step))
            }),
            Op::Abs => each(&mut out[..count], i64::wrapping_abs),
            Op::Abs32 => each(&mut out[..count], |value| {
                i64::from((value as i32).wrapping_abs())
            }),
            Op::BitReverse63 => each(&mut out[..count], |value| {
                ((value as u64).reverse_bits() >> 1) as i64
            }),
            Op::BitReverse64 => each(&mut out[..count], i64::reverse_bits),
            Op::ToDouble => each(&mut out[..count], |value| (value as f64).to_bits() as i64),
            &Op::Cell { limit, bits } => each(&mut out[..count], |value| {
                // GeoMesa's NormalizedDimension: floor((x - min) * cells / (max - min)), the greatest value in the last cell.
                let cells = f64::from(1u32 << bits);
                let cell = (f64::from_bits(value as u64) + limit) * (cells / (2.0 * limit));
                cell.clamp(0.0, cells - 1.0) as i64
            }),
            Op::Hash(hash) => hashes(&self.operands[0], rows, scratch, out, |of| hash.of(of)),
            &Op::Salt(buckets) => hashes(&self.operands[0], rows, scratch, out, |of| {
                (i64::from(java_bytes(of)) % buckets).abs()
            }),
            Op::Random { .. } | Op::RoundRobin { .. } if rows.drawn.is_some() => {
                out.fill(rows.drawn.unwrap_or(0));
            }
            &Op::Random { values, skip } => {
                for (at, value) in out[..count].iter_mut().enumerate() {
                    *value = rows.draws(at, skip).below(values) as i64;
                }
            }
            &Op::RoundRobin { values } => {
                for (value, index) in out.iter_mut().zip(rows.indices) {
                    *value = (index % values) as i64;
                }
            }
            Op::Snowflake => {
                // Twitter's layout: 41 bits of milliseconds since 2010-11-04, 5 + 5 bits of machine, 12 of sequence.
                each(&mut out[..count], |time| {
                    time.wrapping_sub(Identifier::SNOWFLAKE_EPOCH) << 22
                });
                for (part, shift) in self.operands[1..].iter().zip([17, 12, 0]) {
                    let mut values = [0i64; N];
                    part.values(rows, scratch, &mut values);
                    for (whole, value) in out.iter_mut().zip(values) {
                        *whole |= value << shift;
                    }
                }
            }
            // Bytes are no numbers.
            _ => {}
        }
    }
}

fn each(values: &mut [i64], make: impl Fn(i64) -> i64) {
    for value in values {
        *value = make(*value);
    }
}

/// Hashes of the bytes of every row.
fn hashes<const N: usize>(
    of: &Code,
    rows: &Rows<'_>,
    scratch: &mut Vec<u8>,
    out: &mut [i64; N],
    hash: impl Fn(&[u8]) -> i64,
) {
    if N > 1
        && let Some(width) = of.width.filter(|width| *width <= BLOCK)
    {
        let mut blocks = [[0u8; BLOCK]; N];
        of.write_column(rows, blocks.as_flattened_mut(), BLOCK, 0);
        for (value, block) in out[..rows.len()].iter_mut().zip(&blocks) {
            *value = hash(&block[..width]);
        }
        return;
    }
    for (at, value) in out[..rows.len()].iter_mut().enumerate() {
        let start = scratch.len();
        let row = if N == 1 { *rows } else { rows.row(at) };
        of.write(&row, scratch);
        *value = hash(&scratch[start..]);
        scratch.truncate(start);
    }
}

impl Code {
    /// Appends the least or the greatest bytes of all rows with the row's high digit ([`Code::high_digit`]), which there must be.
    pub fn write_bound(&self, row: &Rows<'_>, greatest: bool, out: &mut Vec<u8>) {
        let start = out.len();
        match &self.op {
            Op::Encode(encoding) => {
                let value = self.operands[0].bound(row, greatest, out);
                encoding.write(value, out);
            }
            Op::Map(transform) => {
                self.operands[0].write_bound(row, !greatest, out);
                transform.apply(out, start);
            }
            _ => self.write(row, out),
        }
    }

    /// The least or the greatest number of all rows with the row's high digit.
    fn bound(&self, row: &Rows<'_>, greatest: bool, scratch: &mut Vec<u8>) -> i64 {
        let end = |range: Interval| if greatest { range.high } else { range.low };
        match &self.op {
            _ if self.high_digit().is_none() => self.value(row, scratch),
            Op::Snowflake => {
                let time = self.operands[0].value(row, scratch);
                let machine_and_sequence = Interval::new(0, (1 << 22) - 1);
                (time.wrapping_sub(Identifier::SNOWFLAKE_EPOCH) << 22) | end(machine_and_sequence)
            }
            Op::Binary(operator) => {
                let [a, b] = [0, 1].map(|at| &self.operands[at]);
                let falls = *operator == Operator::Subtract && b.high_digit().is_some();
                let digits = (*operator == Operator::Add).then(|| self.two_digits());
                let part = |part: &Self, scratch: &mut Vec<u8>| match digits.flatten() {
                    Some((_, low)) if std::ptr::eq(low, part) => end(part.range),
                    None if part.high_digit().is_some() => {
                        part.bound(row, greatest != falls, scratch)
                    }
                    // A constant, or the high part of a sum: it is known by the row.
                    _ => part.value(row, scratch),
                };
                let (a, b) = (part(a, scratch), part(b, scratch));
                operator.of(a, b)
            }
            _ => self.value(row, scratch),
        }
    }

    /// Appends the bytes of one row. The tail of `out` is the only scratch space.
    pub fn write(&self, row: &Rows<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        match &self.op {
            Op::Literal(bytes) => out.extend_from_slice(bytes),
            Op::Field(slot, text) => text.write(row.slot(0, *slot), out),
            Op::Encode(encoding) => {
                let value = self.operands[0].value(row, out);
                encoding.write(value, out);
            }
            Op::Map(transform) => {
                self.operands[0].write(row, out);
                transform.apply(out, start);
            }
            Op::Digest { digest, form, keep } => {
                self.operands[0].write(row, out);
                digest.replace(out, start, *form, *keep);
            }
            Op::Concat => {
                for part in &self.operands {
                    part.write(row, out);
                }
            }
            Op::Identifier { kind, skip } => {
                let time = self.operands.first().map_or(0, |time| time.value(row, out));
                let mut draws = row.draws(0, *skip);
                kind.write(time, draws.bits(), draws.bits(), out);
            }
            Op::Morton => {
                let mut code = 0u64;
                let dimensions = self.operands.len();
                for (axis, cell) in self.operands.iter().enumerate() {
                    let cell = cell.value(row, out) as u64;
                    for bit in 0..63 / dimensions {
                        code |= (cell >> bit & 1) << (bit * dimensions + axis);
                    }
                }
                out.extend_from_slice(&code.to_be_bytes());
            }
            // Numbers have no bytes but by an encoding.
            _ => {}
        }
    }

    /// Writes `self.width` bytes of every row at `out[row * stride + at..]`; nothing where the width is not known.
    pub fn write_column(&self, rows: &Rows<'_>, out: &mut [u8], stride: usize, at: usize) {
        let Some(width) = self.width else { return };
        let mut column = Column {
            out,
            rows: rows.len(),
            stride,
            at,
            width,
        };
        let mut scratch = Vec::new();
        let mut values = [0i64; ROWS];
        match &self.op {
            Op::Literal(bytes) => {
                for (piece, place) in bytes.chunks(8).zip((at..).step_by(8)) {
                    values.fill(leading(piece) as i64);
                    column.store(&values, place, piece.len());
                }
            }
            Op::Encode(Encoding::BigEndian(_)) => {
                self.operands[0].values(rows, &mut scratch, &mut values);
                column.store(&values, at, width);
            }
            Op::Encode(Encoding::Padded { pad, .. }) if self.operands[0].range.low >= 0 => {
                self.operands[0].values(rows, &mut scratch, &mut values);
                column.each(&values, |value, place| {
                    text::digits(value.unsigned_abs(), *pad, place);
                });
            }
            Op::Encode(Encoding::Calendar(pattern, unit)) => {
                self.operands[0].values(rows, &mut scratch, &mut values);
                let mut civil = Civil::default();
                column.each(&values, |value, place| {
                    pattern.fill(value, *unit, place, &mut civil);
                });
            }
            Op::Encode(encoding) => {
                self.operands[0].values(rows, &mut scratch, &mut values);
                column.each_written(&mut scratch, |row, out| encoding.write(values[row], out));
            }
            Op::Concat => {
                let mut at = at;
                for part in &self.operands {
                    part.write_column(rows, column.out, stride, at);
                    at += part.width.unwrap_or(0);
                }
            }
            Op::Map(Transform::ReverseBytes) if is_zero_padded(&self.operands[0]) => {
                self.operands[0].operands[0].values(rows, &mut scratch, &mut values);
                column.each(&values, |value, place| {
                    text::digits_reversed(value.unsigned_abs(), place);
                });
            }
            Op::Map(transform) if transform.keeps_length() => {
                self.operands[0].write_column(rows, column.out, stride, at);
                column.each(&values, |_, place| transform.change(place));
            }
            Op::Digest {
                digest: Digest::Md5,
                form,
                keep,
            } => {
                let mut digests = [[0u8; 16]; ROWS];
                md5_column(&self.operands[0], rows, &mut scratch, &mut digests);
                if *form == DigestForm::Hex {
                    column.each_written(&mut scratch, |row, out| {
                        form.write(&digests[row], *keep, out)
                    });
                    return;
                }
                for first in (0..*keep).step_by(8) {
                    let last = (first + 8).min(*keep);
                    for (value, digest) in values.iter_mut().zip(&digests) {
                        *value = leading(&digest[first..last]) as i64;
                    }
                    column.store(&values, at + first, last - first);
                }
            }
            _ => column.each_written(&mut scratch, |row, out| self.write(&rows.row(row), out)),
        }
    }
}

/// A place of some bytes in each of many rows.
struct Column<'a> {
    out: &'a mut [u8],
    rows: usize,
    /// Bytes of a row.
    stride: usize,
    /// Where the place starts.
    at: usize,
    width: usize,
}

impl Column<'_> {
    /// Writes each value at its place.
    fn each(&mut self, values: &[i64; ROWS], mut write: impl FnMut(i64, &mut [u8])) {
        let rows = self.out.chunks_exact_mut(self.stride).take(self.rows);
        for (row, value) in rows.zip(values) {
            write(*value, &mut row[self.at..self.at + self.width]);
        }
    }

    /// Copies to each place what fits of the bytes that are written; rows from outside the fields' domains may be longer or shorter.
    fn each_written(&mut self, scratch: &mut Vec<u8>, write: impl Fn(usize, &mut Vec<u8>)) {
        let rows = self.out.chunks_exact_mut(self.stride).take(self.rows);
        scratch.reserve(self.width);
        for (at, row) in rows.enumerate() {
            scratch.clear();
            write(at, scratch);
            let length = self.width.min(scratch.len());
            row[self.at..self.at + length].copy_from_slice(&scratch[..length]);
        }
    }

    /// Writes the `width` low bytes (at most 8) of each value, big-endian.
    fn store(&mut self, values: &[i64; ROWS], at: usize, width: usize) {
        // Copies of a length that is known to the compiler are single instructions.
        match width {
            1 => self.store_low::<1>(values, at),
            2 => self.store_low::<2>(values, at),
            3 => self.store_low::<3>(values, at),
            4 => self.store_low::<4>(values, at),
            5 => self.store_low::<5>(values, at),
            6 => self.store_low::<6>(values, at),
            7 => self.store_low::<7>(values, at),
            _ => self.store_low::<8>(values, at),
        }
    }

    fn store_low<const N: usize>(&mut self, values: &[i64; ROWS], at: usize) {
        // Known before the loop, so that nothing has to be looked at for each row.
        assert!(at + N <= self.stride, "a column lies inside its rows");
        let rows = self.out.chunks_exact_mut(self.stride);
        for (row, value) in rows.zip(&values[..self.rows]) {
            row[at..at + N].copy_from_slice(&value.to_be_bytes()[8 - N..]);
        }
    }
}

/// A number that is not negative, padded with zeros.
fn is_zero_padded(code: &Code) -> bool {
    let padded = matches!(code.op, Op::Encode(Encoding::Padded { pad: b'0', .. }));
    padded && code.operands[0].range.low >= 0
}

/// The number whose low bytes, big-endian, are these (at most 8).
fn leading(bytes: &[u8]) -> u64 {
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => u64::from_be_bytes(bytes),
        Err(_) => bytes
            .iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    }
}

/// The MD5s of the bytes of every row, in lanes.
fn md5_column(of: &Code, rows: &Rows<'_>, message: &mut Vec<u8>, digests: &mut [[u8; 16]; ROWS]) {
    let mut blocks = [[0u8; 64]; ROWS];
    let digests = &mut digests[..rows.len()];
    if let Some(width) = of.width.filter(|width| *width <= ONE_BLOCK) {
        of.write_column(rows, blocks.as_flattened_mut(), 64, 0);
        formats::md5_in_lanes(&blocks, |_| width, digests);
        return;
    }
    let mut lengths = [0; ROWS];
    for (at, block) in blocks[..rows.len()].iter_mut().enumerate() {
        message.clear();
        of.write(&rows.row(at), message);
        lengths[at] = message.len();
        match block[..ONE_BLOCK].get_mut(..message.len()) {
            Some(block) => block.copy_from_slice(message),
            None => digests[at] = Md5::digest(&*message).into(),
        }
    }
    formats::md5_in_lanes(&blocks, |at| lengths[at], digests);
}

const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

impl Identifier {
    /// Appends the identifier of an instant, which is ignored without a time, and of two draws.
    fn write(self, time: i64, first: u64, second: u64, out: &mut Vec<u8>) {
        match self {
            Self::Uuid4 => uuid(first, second, 4, out),
            Self::Uuid7 => uuid((time as u64) << 16 | first & 0xffff, second, 7, out),
            Self::Ulid => {
                // 48 bits of time, 80 random ones, in Crockford's base 32.
                let random = u128::from(first) << 64 | u128::from(second);
                let value = u128::from(time as u64) << 80 | random >> 48;
                out.extend(
                    (0..26)
                        .rev()
                        .map(|at| CROCKFORD[(value >> (5 * at)) as usize & 31]),
                );
            }
            Self::Ksuid => {
                let time = time.wrapping_sub(Self::KSUID_EPOCH) as u32;
                out.extend_from_slice(&time.to_be_bytes());
                out.extend_from_slice(&first.to_be_bytes());
                out.extend_from_slice(&second.to_be_bytes());
            }
        }
    }
}

/// RFC 9562: version in the high bits of byte 6, variant 10 in those of byte 8.
fn uuid(high: u64, low: u64, version: u64, out: &mut Vec<u8>) {
    let high = high & !0xf000 | version << 12;
    let low = low & (u64::MAX >> 2) | 1 << 63;
    out.extend_from_slice(&high.to_be_bytes());
    out.extend_from_slice(&low.to_be_bytes());
}
