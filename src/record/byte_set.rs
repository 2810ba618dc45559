//! Sets of byte values.

/// A set of byte values; bit b % 64 of word b / 64 is byte b.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    /// No byte.
    pub const NONE: Self = Self([0; 4]);
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// One byte.
    pub fn one(byte: u8) -> Self {
        Self::range(byte, byte)
    }

    /// `first ..= last`.
    pub fn range(first: u8, last: u8) -> Self {
        (first..=last).collect()
    }

    /// The bytes that occur in `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        bytes.iter().copied().collect()
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    /// Is `byte` in the set?
    pub fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }

    /// Bytes of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let mut words = self.0;
        for (word, more) in words.iter_mut().zip(other.0) {
            *word |= more;
        }
        Self(words)
    }

    /// Does the set hold every byte of `other`?
    pub fn includes(self, other: Self) -> bool {
        self.union(other) == self
    }

    /// Have the sets a byte in common?
    pub fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Number of bytes.
    pub fn size(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The least byte that is at least `from`.
    pub fn next(self, from: u8) -> Option<u8> {
        let first = usize::from(from / 64);
        (first..4).find_map(|word| {
            let below = if word == first { from % 64 } else { 0 };
            let bits = self.0[word] & (u64::MAX << below);
            (bits != 0).then(|| (64 * word) as u8 + bits.trailing_zeros() as u8)
        })
    }

    /// The bytes, ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=255u8).filter(move |&byte| self.contains(byte))
    }

    /// Each byte sent through `map`.
    #[must_use]
    pub fn map(self, map: impl Fn(u8) -> u8) -> Self {
        self.iter().map(map).collect()
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        bytes.into_iter().fold(Self::NONE, |mut set, byte| {
            set.insert(byte);
            set
        })
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes: Vec<u8> = self.iter().collect();
        write!(f, "[{}]", bytes.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_agree_with_an_ordered_set_of_bytes() {
        let texts: [&[u8]; 5] = [
            b"",
            &[0],
            &[63, 64, 127, 128, 191, 192, 255],
            b"keyheat",
            &[64, 200, 64],
        ];
        let all = || {
            texts
                .iter()
                .map(|text| (ByteSet::of(text), BTreeSet::from_iter(text.iter().copied())))
        };
        for (set, bytes) in all() {
            assert!(set.iter().eq(bytes.iter().copied()));
            assert_eq!(set.size() as usize, bytes.len());
            for byte in 0..=255 {
                assert_eq!(set.contains(byte), bytes.contains(&byte));
                assert_eq!(set.next(byte), bytes.range(byte..).next().copied());
            }
            let mapped: BTreeSet<u8> = bytes.iter().map(|byte| byte / 2).collect();
            assert!(set.map(|byte| byte / 2).iter().eq(mapped));
            for (other, more) in all() {
                assert!(set.union(other).iter().eq(bytes.union(&more).copied()));
                assert_eq!(set.includes(other), bytes.is_superset(&more));
                assert_eq!(set.meets(other), !bytes.is_disjoint(&more));
            }
        }
        assert_eq!(ByteSet::range(b'a', b'c'), ByteSet::of(b"cab"));
        assert_eq!((ByteSet::ALL.size(), ByteSet::NONE.size()), (256, 0));
        assert_eq!(format!("{:?}", ByteSet::of(b"\nba")), r"[\nab]");
    }
}
