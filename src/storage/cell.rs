//! A cell as HBase stores it: coordinates, time, type, value and sequence number. Must not know blocks.

use crate::random::mix;

/// What a cell says about its coordinates (`KeyValue.Type`; the code is the byte that is stored).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CellType {
    /// A value.
    Put = 4,
    /// Hides the version of its timestamp.
    Delete = 8,
    /// Hides all versions of its column up to its timestamp.
    DeleteColumn = 12,
    /// Hides all columns of its row up to its timestamp.
    DeleteFamily = 14,
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// So many bytes, of which a share is news. The bytes are made: zeros, and behind them `entropy` of the value's bits at random, as in
    /// a number whose leading digits are the same everywhere. Every codec leaves out the zeros and none can do anything about the
    /// rest, so that the value compresses to about `entropy` of its length. (What has few different bytes but no repetitions, as hex
    /// digits have, gz and zstd make smaller and snappy and lz4 do not: no one number says that, only its bytes do.)
    Stated {
        /// Length.
        bytes: u64,
        /// Random bits of each of its bits, 0 to 1.
        entropy: f64,
        /// Which value it is: the same number gives the same bytes.
        number: u64,
    },
}

impl Value<'_> {
    /// Its length.
    pub fn bytes(&self) -> u64 {
        match *self {
            Value::Bytes(value) => value.len() as u64,
            Value::Stated { bytes, .. } => bytes,
        }
    }

    /// Their bytes are the same.
    pub(super) fn is_same(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            _ if self.bytes() != other.bytes() => false,
            _ if self.bytes() == 0 => true,
            (Value::Bytes(own), Value::Bytes(other)) => own == other,
            (Value::Stated { number: own, .. }, Value::Stated { number: other, .. }) => {
                let bits = self.random_bits();
                let [own, other] = [own, other].map(|number| {
                    let first = mix(*number);
                    (first, next_word(first))
                });
                let same = |bits: u64, one: u64, other: u64| {
                    let unused = u64::from(u64::BITS) - bits;
                    (one ^ other).checked_shl(unused as u32).unwrap_or(0) == 0
                };
                // Of more than these no two are equal.
                own.0 == other.0
                    || bits <= u64::from(u64::BITS)
                        && same(bits % 8, own.0, other.0)
                        && same(bits / 8 * 8, own.1, other.1)
            }
            _ => false,
        }
    }

    fn random_bits(&self) -> u64 {
        match *self {
            Value::Bytes(_) => 0,
            Value::Stated { bytes, entropy, .. } => {
                (8.0 * bytes as f64 * entropy.clamp(0.0, 1.0)).round() as u64
            }
        }
    }

    /// Appends its bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let number = match *self {
            Value::Bytes(value) => return out.extend_from_slice(value),
            Value::Stated { number, .. } => number,
        };
        let bits = self.random_bits();
        out.resize(out.len() + (self.bytes() - bits.div_ceil(8)) as usize, 0);
        out.extend(random_bytes(number, bits));
    }
}

/// So many bits of chance, the first byte with those that are no whole one.
fn random_bytes(number: u64, bits: u64) -> impl Iterator<Item = u8> {
    let (mut word, odd) = (mix(number), bits % 8);
    let first = (odd > 0).then_some(word as u8 & ((1 << odd) - 1));
    let words = std::iter::repeat_with(move || {
        word = next_word(word);
        word.to_le_bytes()
    });
    first
        .into_iter()
        .chain(words.flatten().take((bits / 8) as usize))
}

fn next_word(word: u64) -> u64 {
    mix(word.wrapping_add(0x9E37_79B9_7F4A_7C15))
}

/// A cell of a store, whose family is the store's. No tags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell<'a> {
    /// The row key, at most 32,767 bytes.
    pub row: &'a [u8],
    /// The qualifier.
    pub qualifier: &'a [u8],
    /// Milliseconds since the epoch.
    pub timestamp: u64,
    /// Its type.
    pub kind: CellType,
    /// Empty unless it is a put.
    pub value: Value<'a>,
    /// Its sequence number (mvcc). Compactions set those to 0 that are older than five days
    /// (`hbase.hstore.compaction.keep.seqId.period`).
    pub mvcc: u64,
}

impl<'a> Cell<'a> {
    /// A value that was written long ago.
    pub fn put(row: &'a [u8], qualifier: &'a [u8], timestamp: u64, value: Value<'a>) -> Self {
        Self {
            row,
            qualifier,
            timestamp,
            kind: CellType::Put,
            value,
            mvcc: 0,
        }
    }

    /// All but their values and sequence numbers is the same.
    pub fn has_key_of(&self, other: &Cell<'_>) -> bool {
        (self.row, self.qualifier, self.timestamp, self.kind)
            == (other.row, other.qualifier, other.timestamp, other.kind)
    }
}

/// Bytes of a cell's sequence number, which follows it in a store file: Hadoop's vlong.
pub fn mvcc_bytes(number: u64) -> u64 {
    match number {
        0..=127 => 1,
        _ => 9 - u64::from(number.leading_zeros()) / 8,
    }
}

/// Appends a vlong: a small number itself, else -112 less its length, and its bytes.
pub(super) fn put_vlong(out: &mut Vec<u8>, number: u64) {
    let bytes = mvcc_bytes(number) as usize - 1;
    out.push(match bytes {
        0 => number as u8,
        _ => (-112 - bytes as i8) as u8,
    });
    out.extend_from_slice(&number.to_be_bytes()[8 - bytes..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_vlongs() {
        let sizes = [0, 127, 128, 255, 256, 1 << 24, u64::MAX >> 1].map(|number| {
            let mut out = Vec::new();
            put_vlong(&mut out, number);
            assert_eq!(out.len() as u64, mvcc_bytes(number));
            out.len()
        });
        assert_eq!(sizes, [1, 1, 2, 2, 3, 5, 9]);
        let mut out = Vec::new();
        put_vlong(&mut out, 1_000_000_001);
        // As `WritableUtils.writeVLong` has it: -116 says four bytes.
        assert_eq!(out, [0x8C, 0x3B, 0x9A, 0xCA, 0x01]);
    }

    #[test]
    fn a_stated_value_is_zeros_and_random_bits() {
        let written = |bytes, entropy, number| {
            let mut out = vec![7];
            Value::Stated {
                bytes,
                entropy,
                number,
            }
            .write(&mut out);
            assert_eq!((out.len() as u64, out[0]), (bytes + 1, 7));
            out[1..].to_vec()
        };
        assert_eq!(written(3, 0.0, 1), [0; 3]);
        let half = written(8, 0.5, 1);
        assert!(half[..4] == [0; 4] && half[4..] != [0; 4]);
        assert_eq!(half, written(8, 0.5, 1));
        assert_ne!(half, written(8, 0.5, 2));
        // 12 bits of 16.
        assert!((0..100).all(|number| written(2, 0.75, number)[0] < 16));
        assert!((0..100).any(|number| written(2, 0.75, number)[0] > 7));
        // Of few bits some are equal, which FAST_DIFF leaves out: of four one in sixteen, 64 in 1,024 with a standard error of 7.7.
        let value = |number| Value::Stated {
            bytes: 1,
            entropy: 0.5,
            number,
        };
        let equal = |it: &u64| value(*it).is_same(&value(it + 1));
        let same = |it: &u64| written(1, 0.5, *it) == written(1, 0.5, it + 1);
        assert!((0..1_024).all(|it| equal(&it) == same(&it)));
        assert!((33..95).contains(&(0..1_024).filter(equal).count()));
    }
}
