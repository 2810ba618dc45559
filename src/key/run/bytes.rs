//! The bytes of compiled code: appended row by row, or, where their width is known, written as a column of many rows at a time, so
//! that deciding what to do costs nothing a row.

use super::rows::{ROWS, Rows};
use crate::key::code::{BytesCode, BytesOp, Identifier};
use crate::key::formats::{self, Digest, DigestForm, Encoding, LANES, ONE_BLOCK, Transform};

impl BytesCode {
    /// Appends the bytes of one row. The tail of `out` is the only scratch space.
    pub fn write(&self, row: &Rows<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        match &self.op {
            BytesOp::Literal(bytes) => out.extend_from_slice(bytes),
            BytesOp::Field(slot, text) => text.write(row.slot(0, *slot), out),
            BytesOp::Encode(encoding) => {
                let value = self.ints[0].value(row, out);
                encoding.write(value, out);
            }
            BytesOp::Map(transform) => {
                self.bytes[0].write(row, out);
                transform.apply(out, start);
            }
            BytesOp::Digest { digest, form, keep } => {
                self.bytes[0].write(row, out);
                digest.replace(out, start, *form, *keep);
            }
            BytesOp::Concat => {
                for part in &self.bytes {
                    part.write(row, out);
                }
            }
            BytesOp::Identifier { kind, skip } => {
                let time = self.ints.first().map_or(0, |time| time.value(row, out));
                let mut draws = row.draws(0, *skip);
                kind.write(time, draws.bits(), draws.bits(), out);
            }
            BytesOp::Morton => {
                let mut code = 0u64;
                let dimensions = self.ints.len();
                for (axis, cell) in self.ints.iter().enumerate() {
                    let cell = cell.value(row, out) as u64;
                    for bit in 0..63 / dimensions {
                        code |= (cell >> bit & 1) << (bit * dimensions + axis);
                    }
                }
                out.extend_from_slice(&code.to_be_bytes());
            }
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
            BytesOp::Literal(bytes) => {
                for (piece, place) in bytes.chunks(8).zip((at..).step_by(8)) {
                    values.fill(leading(piece) as i64);
                    column.store(&values, place, piece.len());
                }
            }
            BytesOp::Encode(Encoding::BigEndian(_)) => {
                self.ints[0].values(rows, &mut scratch, &mut values);
                column.store(&values, at, width);
            }
            BytesOp::Encode(Encoding::Padded { pad, .. }) if self.ints[0].range.low >= 0 => {
                self.ints[0].values(rows, &mut scratch, &mut values);
                if *pad == b'0' {
                    column.each(&values, |value, place| {
                        formats::digits(value.unsigned_abs(), place);
                    });
                } else {
                    column.each(&values, |value, place| {
                        formats::pad_digits(value.unsigned_abs(), *pad, place);
                    });
                }
            }
            BytesOp::Encode(encoding) => {
                self.ints[0].values(rows, &mut scratch, &mut values);
                column.each_written(&mut scratch, |row, out| encoding.write(values[row], out));
            }
            BytesOp::Concat => {
                let mut at = at;
                for part in &self.bytes {
                    part.write_column(rows, column.out, stride, at);
                    at += part.width.unwrap_or(0);
                }
            }
            BytesOp::Map(Transform::ReverseBytes) if is_zero_padded(&self.bytes[0]) => {
                self.bytes[0].ints[0].values(rows, &mut scratch, &mut values);
                column.each(&values, |value, place| {
                    formats::digits_reversed(value.unsigned_abs(), place);
                });
            }
            BytesOp::Map(transform) if transform.keeps_length() => {
                self.bytes[0].write_column(rows, column.out, stride, at);
                column.each(&values, |_, place| transform.change(place));
            }
            BytesOp::Digest {
                digest: Digest::Md5,
                form,
                keep,
            } => {
                let mut digests = [[0u8; 16]; ROWS];
                md5_column(&self.bytes[0], rows, &mut scratch, &mut digests);
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
    #[inline]
    fn each(&mut self, values: &[i64; ROWS], write: impl Fn(i64, &mut [u8])) {
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

    #[inline]
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
fn is_zero_padded(code: &BytesCode) -> bool {
    let padded = matches!(code.op, BytesOp::Encode(Encoding::Padded { pad: b'0', .. }));
    padded && code.ints[0].range.low >= 0
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

/// The MD5s of the bytes of every row, in lanes.
fn md5_column(
    of: &BytesCode,
    rows: &Rows<'_>,
    messages: &mut Vec<u8>,
    digests: &mut [[u8; 16]; ROWS],
) {
    if let Some(width) = of.width.filter(|width| *width <= ONE_BLOCK) {
        let mut blocks = [[0u8; 64]; ROWS];
        of.write_column(rows, blocks.as_flattened_mut(), 64, 0);
        formats::digests_of_blocks(blocks.as_flattened(), width, &mut digests[..rows.len()]);
        return;
    }
    let mut ends = [0usize; LANES];
    for first in (0..rows.len()).step_by(LANES) {
        let count = LANES.min(rows.len() - first);
        messages.clear();
        for (lane, end) in ends[..count].iter_mut().enumerate() {
            of.write(&rows.row(first + lane), messages);
            *end = messages.len();
        }
        formats::digests(messages, &ends[..count], |lane, digest| {
            digests[first + lane] = digest;
        });
    }
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
