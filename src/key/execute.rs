//! Runs compiled expressions: appends bytes to the caller's buffer, whose tail is the only scratch space.
//! Must not check anything: the compiler has.

use super::code::{
    BytesCode, Coordinate, DigestForm, DoubleCode, DoubleEncoding, IntCode, IntEncoding, IntHash,
    IntOp,
};
use super::digits::decimal;
use super::hashing;
use super::plan::Row;
use super::transform::{digest, hex_digit};
use crate::random::Draws;

/// What a key is written from.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub row: Row<'a>,
    /// Digests made beforehand, by site; the sites beyond it are computed.
    pub digests: &'a [[u8; 16]],
}

impl IntCode {
    /// The value. `out` is scratch: its length is the same afterwards.
    pub fn run(&self, input: &Input<'_>, out: &mut Vec<u8>) -> i64 {
        match &self.op {
            IntOp::Const(value) => *value,
            IntOp::Slot(slot) => input.row.record[*slot],
            IntOp::Add(a, b) => a.run(input, out).wrapping_add(b.run(input, out)),
            IntOp::Subtract(a, b) => a.run(input, out).wrapping_sub(b.run(input, out)),
            IntOp::Multiply(a, b) => a.run(input, out).wrapping_mul(b.run(input, out)),
            // A divisor is 0 only for records from outside the fields' domains.
            IntOp::Divide(a, b) => {
                let (a, b) = (a.run(input, out), b.run(input, out));
                if b == 0 { 0 } else { a.wrapping_div(b) }
            }
            IntOp::Remainder(a, b) => {
                let (a, b) = (a.run(input, out), b.run(input, out));
                if b == 0 { 0 } else { a.wrapping_rem(b) }
            }
            IntOp::Pmod(a, b) => {
                let (a, b) = (a.run(input, out), b.run(input, out));
                if b == 0 { 0 } else { a.wrapping_rem_euclid(b) }
            }
            IntOp::Floor(a, step) => {
                let value = a.run(input, out);
                value.wrapping_sub(value.rem_euclid(*step))
            }
            IntOp::Abs(a) => a.run(input, out).wrapping_abs(),
            IntOp::Abs32(a) => i64::from((a.run(input, out) as i32).wrapping_abs()),
            IntOp::BitReverse63(a) => ((a.run(input, out) as u64).reverse_bits() >> 1) as i64,
            IntOp::BitReverse64(a) => a.run(input, out).reverse_bits(),
            IntOp::Hash(hash, of) => {
                let start = out.len();
                of.run(input, out);
                let value = hash.of(&out[start..]);
                out.truncate(start);
                value
            }
            IntOp::Salt { buckets, of } => {
                let start = out.len();
                of.run(input, out);
                let hash = i64::from(hashing::java_bytes(&out[start..]));
                out.truncate(start);
                (hash % buckets).abs()
            }
            IntOp::Random { values, skip } => draws(input, *skip).below(*values) as i64,
            IntOp::RoundRobin { values } => (input.row.index % values) as i64,
            IntOp::Snowflake {
                millis,
                datacenter,
                worker,
                sequence,
            } => {
                // Twitter's layout: 41 bits of milliseconds since 2010-11-04, 5 + 5 bits of machine, 12 of sequence.
                let time = millis.run(input, out).wrapping_sub(SNOWFLAKE_EPOCH);
                time << 22
                    | datacenter.run(input, out) << 17
                    | worker.run(input, out) << 12
                    | sequence.run(input, out)
            }
        }
    }
}

/// Twitter's snowflake epoch in milliseconds.
pub(super) const SNOWFLAKE_EPOCH: i64 = 1_288_834_974_657;
/// KSUID's epoch in seconds.
pub(super) const KSUID_EPOCH: i64 = 1_400_000_000;

/// The operation's draws after those that belong to others.
fn draws(input: &Input<'_>, skip: u32) -> Draws {
    let mut draws = input.row.draws;
    for _ in 0..skip {
        draws.bits();
    }
    draws
}

impl IntHash {
    /// The hash of `bytes`.
    pub fn of(self, bytes: &[u8]) -> i64 {
        match self {
            Self::Murmur3 { seed } => hashing::murmur3_32(bytes, seed).into(),
            Self::Murmur3Wide => hashing::murmur3_128(bytes),
            Self::Crc32 => hashing::crc32(bytes).into(),
            Self::Fnv1 => hashing::fnv1_32(bytes).into(),
            Self::Fnv1a => hashing::fnv1a_32(bytes).into(),
            Self::Fnv1aWide => hashing::fnv1a_64(bytes) as i64,
            Self::JavaText => hashing::java_text(bytes).into(),
            Self::JavaBytes => hashing::java_bytes(bytes).into(),
        }
    }
}

impl DoubleCode {
    fn run(&self, input: &Input<'_>, out: &mut Vec<u8>) -> f64 {
        match self {
            Self::Slot(slot) => f64::from_bits(input.row.record[*slot] as u64),
            Self::Int(value) => value.run(input, out) as f64,
        }
    }
}

impl BytesCode {
    /// Appends the value.
    pub fn run(&self, input: &Input<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Literal(bytes) => out.extend_from_slice(bytes),
            Self::Field(slot, text) => text.write(input.row.record[*slot], out),
            Self::Int(encoding, value) => {
                let value = value.run(input, out);
                encoding.write(value, out);
            }
            Self::Double(encoding, value) => {
                let value = value.run(input, out);
                encoding.write(value, out);
            }
            Self::Map(transform, of) => {
                let start = out.len();
                of.run(input, out);
                transform.apply(out, start);
            }
            Self::Md5 {
                site,
                form,
                keep,
                of,
            } => {
                if let Some(digest) = input.digests.get(*site) {
                    write_digest(digest, *form, *keep, out);
                } else {
                    let start = out.len();
                    of.run(input, out);
                    let digest = digest::<md5::Md5, 16>(&out[start..]);
                    out.truncate(start);
                    write_digest(&digest, *form, *keep, out);
                }
            }
            Self::Concat(parts) => {
                for part in parts {
                    part.run(input, out);
                }
            }
            Self::Uuid4 { skip } => {
                let mut draws = draws(input, *skip);
                uuid(draws.bits(), draws.bits(), 4, out);
            }
            Self::Uuid7 { millis, skip } => {
                let time = millis.run(input, out) as u64;
                let mut draws = draws(input, *skip);
                uuid(time << 16 | draws.bits() & 0xffff, draws.bits(), 7, out);
            }
            Self::Ulid { millis, skip } => {
                let time = millis.run(input, out) as u64;
                let mut draws = draws(input, *skip);
                // 48 bits of time, 80 random ones, in Crockford's base 32.
                let random = u128::from(draws.bits()) << 64 | u128::from(draws.bits());
                let value = u128::from(time) << 80 | random >> 48;
                for at in (0..26).rev() {
                    out.push(CROCKFORD[(value >> (5 * at)) as usize & 31]);
                }
            }
            Self::Ksuid { seconds, skip } => {
                let time = seconds.run(input, out).wrapping_sub(KSUID_EPOCH) as u32;
                let mut draws = draws(input, *skip);
                out.extend_from_slice(&time.to_be_bytes());
                out.extend_from_slice(&draws.bits().to_be_bytes());
                out.extend_from_slice(&draws.bits().to_be_bytes());
            }
            Self::Morton(coordinates) => {
                let mut code = 0u64;
                let dimensions = coordinates.len();
                for (axis, coordinate) in coordinates.iter().enumerate() {
                    let cell = coordinate.run(input, out);
                    for bit in 0..63 / dimensions {
                        code |= (cell >> bit & 1) << (bit * dimensions + axis);
                    }
                }
                out.extend_from_slice(&code.to_be_bytes());
            }
        }
    }
}

const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// RFC 9562: version in the high bits of byte 6, variant 10 in those of byte 8.
fn uuid(high: u64, low: u64, version: u64, out: &mut Vec<u8>) {
    let high = high & !0xf000 | version << 12;
    let low = low & (u64::MAX >> 2) | 1 << 63;
    out.extend_from_slice(&high.to_be_bytes());
    out.extend_from_slice(&low.to_be_bytes());
}

/// Bytes of the longest digest, SHA-512's.
const LONGEST_DIGEST: usize = 64;

/// Appends the first `keep` bytes of a digest's form.
#[inline]
pub(super) fn write_digest(digest: &[u8], form: DigestForm, keep: usize, out: &mut Vec<u8>) {
    match form {
        DigestForm::Raw => out.extend_from_slice(&digest[..keep]),
        DigestForm::Hex => {
            let mut text = [0u8; 2 * LONGEST_DIGEST];
            for (pair, &byte) in text.chunks_exact_mut(2).zip(digest) {
                pair[0] = hex_digit(byte >> 4);
                pair[1] = hex_digit(byte & 15);
            }
            out.extend_from_slice(&text[..keep]);
        }
    }
}

impl Coordinate {
    fn run(&self, input: &Input<'_>, out: &mut Vec<u8>) -> u64 {
        match self {
            Self::Cell(value) => value.run(input, out) as u64,
            Self::Degrees { value, limit, bits } => {
                // GeoMesa's NormalizedDimension: floor((x - min) * cells / (max - min)), the greatest value in the last cell.
                let cells = f64::from(1u32 << bits);
                let cell = (value.run(input, out) + limit) * (cells / (2.0 * limit));
                cell.clamp(0.0, cells - 1.0) as u64
            }
        }
    }
}

impl IntEncoding {
    /// Appends the bytes of `value`, which fits.
    #[inline]
    pub fn write(&self, value: i64, out: &mut Vec<u8>) {
        match self {
            Self::BigEndian(8) => out.extend_from_slice(&value.to_be_bytes()),
            Self::BigEndian(4) => out.extend_from_slice(&(value as u32).to_be_bytes()),
            Self::BigEndian(1) => out.push(value as u8),
            Self::BigEndian(width) => {
                out.extend_from_slice(&value.to_be_bytes()[8 - usize::from(*width)..]);
            }
            Self::Ordered(width) => {
                let flipped = value ^ 1i64 << (8 * u32::from(*width) - 1);
                out.extend_from_slice(&flipped.to_be_bytes()[8 - usize::from(*width)..]);
            }
            Self::HBaseOrdered => {
                // OrderedBytes.FIXED_INT64 ascending.
                out.push(0x2c);
                out.extend_from_slice(&(value ^ i64::MIN).to_be_bytes());
            }
            Self::Decimal => {
                let mut digits = [0u8; 20];
                let start = decimal(value, &mut digits);
                out.extend_from_slice(&digits[start..]);
            }
            Self::Padded { width, pad } => {
                let mut digits = [0u8; 20];
                let start = decimal(value, &mut digits);
                let length = 20 - start;
                out.resize(out.len() + width.saturating_sub(length), *pad);
                out.extend_from_slice(&digits[start..]);
            }
            Self::Nth(choices) => {
                out.extend(
                    choices
                        .get(value as usize)
                        .into_iter()
                        .flat_map(|choice| choice.iter()),
                );
            }
            Self::Calendar(pattern, unit) => pattern.write(value, *unit, out),
        }
    }
}

impl DoubleEncoding {
    /// Bytes that it writes.
    pub fn width(self) -> usize {
        match self {
            Self::Float | Self::OrderedFloat => 4,
            Self::Double | Self::OrderedDouble => 8,
        }
    }

    fn write(self, value: f64, out: &mut Vec<u8>) {
        // Order: negative numbers are inverted whole, others get the sign bit.
        match self {
            Self::Float => out.extend_from_slice(&(value as f32).to_be_bytes()),
            Self::Double => out.extend_from_slice(&value.to_be_bytes()),
            Self::OrderedFloat => {
                let bits = (value as f32).to_bits();
                let flipped = if bits >> 31 == 1 {
                    !bits
                } else {
                    bits | 1 << 31
                };
                out.extend_from_slice(&flipped.to_be_bytes());
            }
            Self::OrderedDouble => {
                let bits = value.to_bits();
                let flipped = if bits >> 63 == 1 {
                    !bits
                } else {
                    bits | 1 << 63
                };
                out.extend_from_slice(&flipped.to_be_bytes());
            }
        }
    }
}
