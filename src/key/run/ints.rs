//! The integers of compiled code.

use super::rows::Rows;
use crate::key::code::{BytesCode, Identifier, IntCode, IntOp};
use crate::key::formats::java_bytes;

/// The widest operand of a hash that is written for many rows before it is hashed.
const BLOCK: usize = 64;

impl IntCode {
    /// The value in one row. `scratch` is as long afterwards as before.
    #[inline]
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
        if let Some(first) = self.ints.first() {
            first.values(rows, scratch, out);
        }
        match self.op {
            IntOp::Const(value) => out.fill(value),
            IntOp::Slot(slot) => rows.copy_slot(slot, out),
            IntOp::Binary(operator) => {
                let mut right = [0i64; N];
                self.ints[1].values(rows, scratch, &mut right);
                operator.apply(&mut out[..count], &right);
            }
            IntOp::Floor(step) => each(&mut out[..count], |value| {
                value.wrapping_sub(value.rem_euclid(step))
            }),
            IntOp::Abs => each(&mut out[..count], i64::wrapping_abs),
            IntOp::Abs32 => each(&mut out[..count], |value| {
                i64::from((value as i32).wrapping_abs())
            }),
            IntOp::BitReverse63 => each(&mut out[..count], |value| {
                ((value as u64).reverse_bits() >> 1) as i64
            }),
            IntOp::BitReverse64 => each(&mut out[..count], i64::reverse_bits),
            IntOp::ToDouble => each(&mut out[..count], |value| (value as f64).to_bits() as i64),
            IntOp::Cell { limit, bits } => each(&mut out[..count], |value| {
                // GeoMesa's NormalizedDimension: floor((x - min) * cells / (max - min)), the greatest value in the last cell.
                let cells = f64::from(1u32 << bits);
                let cell = (f64::from_bits(value as u64) + limit) * (cells / (2.0 * limit));
                cell.clamp(0.0, cells - 1.0) as i64
            }),
            IntOp::Hash(hash) => hashes(&self.bytes[0], rows, scratch, out, |of| hash.of(of)),
            IntOp::Salt(buckets) => hashes(&self.bytes[0], rows, scratch, out, |of| {
                (i64::from(java_bytes(of)) % buckets).abs()
            }),
            IntOp::Random { .. } | IntOp::RoundRobin { .. } if rows.drawn.is_some() => {
                out.fill(rows.drawn.unwrap_or(0));
            }
            IntOp::Random { values, skip } => {
                for (at, value) in out[..count].iter_mut().enumerate() {
                    *value = rows.draws(at, skip).below(values) as i64;
                }
            }
            IntOp::RoundRobin { values } => {
                for (value, index) in out.iter_mut().zip(rows.indices) {
                    *value = (index % values) as i64;
                }
            }
            IntOp::Snowflake => {
                // Twitter's layout: 41 bits of milliseconds since 2010-11-04, 5 + 5 bits of machine, 12 of sequence.
                each(&mut out[..count], |time| {
                    time.wrapping_sub(Identifier::SNOWFLAKE_EPOCH) << 22
                });
                for (part, shift) in self.ints[1..].iter().zip([17, 12, 0]) {
                    let mut values = [0i64; N];
                    part.values(rows, scratch, &mut values);
                    for (whole, value) in out.iter_mut().zip(values) {
                        *whole |= value << shift;
                    }
                }
            }
        }
    }
}

#[inline]
fn each(values: &mut [i64], make: impl Fn(i64) -> i64) {
    for value in values {
        *value = make(*value);
    }
}

/// Hashes of the bytes of every row.
fn hashes<const N: usize>(
    of: &BytesCode,
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
