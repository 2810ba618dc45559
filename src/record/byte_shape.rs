//! What the bytes of a text or bytes sub-expression can be: their number, and which byte values stand at
//! which position.

use super::{ByteSet, Interval};

/// Positions that are told apart; what follows is one set.
pub const POSITIONS: usize = 64;

/// A superset of the values: every value has a length in `min ..= max`, and its byte at position p lies in
/// [`ByteShape::at`]`(p)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteShape {
    /// Shortest length in bytes.
    pub min: usize,
    /// Longest length in bytes.
    pub max: usize,
    /// Fewest and most characters, where it is text.
    pub chars: (usize, usize),
    /// Sets of the first `min(max, POSITIONS)` positions.
    sets: Vec<ByteSet>,
    /// Set of all later positions.
    tail: ByteSet,
}

impl ByteShape {
    /// Exactly these bytes.
    pub fn literal(bytes: &[u8]) -> Self {
        let sets = bytes.iter().take(POSITIONS);
        let sets = sets.map(|&byte| ByteSet::one(byte)).collect();
        let tail = ByteSet::of(bytes.get(POSITIONS..).unwrap_or_default());
        let begin = bytes.iter().filter(|byte| !(0x80..0xc0).contains(*byte));
        let chars = begin.count();
        Self::from_sets(bytes.len(), bytes.len(), sets, tail).of_chars((chars, chars))
    }

    /// Any string over `set` of `min ..= max` bytes.
    pub fn uniform(min: usize, max: usize, set: ByteSet) -> Self {
        Self::from_sets(min, max, Vec::new(), set)
    }

    /// From the sets of the first positions.
    pub fn from_sets(min: usize, max: usize, mut sets: Vec<ByteSet>, tail: ByteSet) -> Self {
        sets.truncate(max.min(POSITIONS));
        sets.resize(max.min(POSITIONS), tail);
        let mut shape = Self {
            min,
            max,
            chars: (min, max),
            sets,
            tail,
        };
        // A character has up to four bytes.
        if !shape.is_ascii() {
            shape.chars.0 = min.div_ceil(4);
        }
        shape
    }

    /// The same, where it is known how many characters these are.
    #[must_use]
    pub fn of_chars(self, chars: (usize, usize)) -> Self {
        Self { chars, ..self }
    }

    /// All strings of equal length over `alphabet` from `low` to `high` in byte order: a common prefix is exact, the
    /// byte after it lies between the two.
    pub fn between(low: &[u8], high: &[u8], alphabet: ByteSet) -> Self {
        debug_assert_eq!(low.len(), high.len());
        let common = low.iter().zip(high).take_while(|(a, b)| a == b).count();
        let ends = low.iter().zip(high).take(common + 1).take(POSITIONS);
        let mut sets: Vec<ByteSet> = ends.map(|(a, b)| ByteSet::range(*a, *b)).collect();
        sets.resize(low.len().min(POSITIONS), alphabet);
        let known = low.get(POSITIONS..common).unwrap_or_default();
        let tail = ByteSet::of(known).union(alphabet);
        Self::from_sets(low.len(), low.len(), sets, tail)
    }

    /// A UUID of a version, whose first bytes are known.
    pub fn uuid(version: u8, lead: &Self) -> Self {
        let mut sets = lead.sets.clone();
        sets.resize(16, ByteSet::ALL);
        sets[6] = ByteSet::range(version << 4, (version << 4) + 15);
        sets[8] = ByteSet::range(0x80, 0xbf);
        Self::from_sets(16, 16, sets, ByteSet::ALL)
    }

    /// The decimal texts of integers.
    pub fn decimal(range: Interval) -> Self {
        let (low, high) = (range.low.to_string(), range.high.to_string());
        let digits = ByteSet::range(b'0', b'9');
        if range.low >= 0 && low.len() == high.len() {
            return Self::between(low.as_bytes(), high.as_bytes(), digits);
        }
        let (shorter, longer) = (low.len().min(high.len()), low.len().max(high.len()));
        let least = if range.contains(0) { 1 } else { shorter };
        let first = match range.low {
            0.. => digits,
            _ => digits.union(ByteSet::one(b'-')),
        };
        Self::from_sets(least, longer, vec![first], digits)
    }

    /// The length, if there is only one.
    pub fn fixed(&self) -> Option<usize> {
        (self.min == self.max).then_some(self.min)
    }

    /// The bytes at a position.
    pub fn at(&self, position: usize) -> ByteSet {
        match position >= self.max {
            true => ByteSet::NONE,
            false => self.sets.get(position).copied().unwrap_or(self.tail),
        }
    }

    /// The bytes at any position.
    pub fn all(&self) -> ByteSet {
        // Behind the last position there is none.
        let tail = self.at(POSITIONS);
        self.sets.iter().fold(tail, |all, &set| all.union(set))
    }

    /// The only value there can be, when it is short enough to be known.
    pub fn single(&self) -> Option<Vec<u8>> {
        let known = self.min == self.max && self.max <= POSITIONS;
        let sets = self.sets.iter().filter(|_| known);
        let single = sets.map(|set| set.next(0).filter(|_| set.size() == 1));
        single.collect::<Option<_>>().filter(|_| known)
    }

    /// At most this many different values, by counting strings; `None` beyond 2^64.
    pub fn count(&self) -> Option<u64> {
        let mut strings: u64 = 1;
        let mut total: u64 = u64::from(self.min == 0);
        for length in 1..=self.max {
            strings = strings.checked_mul(u64::from(self.at(length - 1).size()))?;
            if length >= self.min {
                total = total.checked_add(strings)?;
            }
        }
        Some(total)
    }

    /// All values, ascending, where they have one length and are not more than `most`.
    pub fn values(&self, most: usize) -> Option<Vec<Vec<u8>>> {
        let length = self.fixed()?;
        self.count().filter(|count| *count <= most as u64)?;
        let longer = |values: Vec<Vec<u8>>, at| {
            let with = |value: Vec<u8>| {
                let set = self.at(at).iter();
                set.map(move |byte| [&value[..], &[byte]].concat())
            };
            values.into_iter().flat_map(with).collect()
        };
        Some((0..length).fold(vec![Vec::new()], longer))
    }

    /// `self` followed by `next`.
    pub fn then(&self, next: &Self) -> Self {
        let min = self.min.saturating_add(next.min);
        let max = self.max.saturating_add(next.max);
        let sets = (0..max.min(POSITIONS)).map(|position| {
            // `next` may start anywhere from self.min to self.max.
            let starts = self.min..=self.max.min(position);
            starts.fold(self.at(position), |set, start| {
                set.union(next.at(position - start))
            })
        });
        let tail = self.all().union(next.all());
        let [(a, b), (c, d)] = [self.chars, next.chars];
        let chars = (a.saturating_add(c), b.saturating_add(d));
        Self::from_sets(min, max, sets.collect(), tail).of_chars(chars)
    }

    /// All these one after another.
    pub fn joined<'a>(parts: impl Iterator<Item = &'a Self>) -> Self {
        parts.fold(Self::literal(b""), |before, part| before.then(part))
    }

    /// `self` or `other`.
    pub fn or(&self, other: &Self) -> Self {
        let (min, max) = (self.min.min(other.min), self.max.max(other.max));
        let sets = (0..max.min(POSITIONS)).map(|at| self.at(at).union(other.at(at)));
        let tail = self.at(POSITIONS).union(other.at(POSITIONS));
        let [(a, b), (c, d)] = [self.chars, other.chars];
        Self::from_sets(min, max, sets.collect(), tail).of_chars((a.min(c), b.max(d)))
    }

    /// The first `count` bytes (for characters, when every character is one byte).
    pub fn left(&self, count: usize) -> Self {
        let max = self.max.min(count);
        Self::from_sets(self.min.min(count), max, self.sets.clone(), self.tail)
    }

    /// Everything from byte `start` on.
    pub fn from(&self, start: usize) -> Self {
        let sets = (start..self.max.min(start + POSITIONS)).map(|at| self.at(at));
        let rest = |length: usize| length.saturating_sub(start);
        Self::from_sets(rest(self.min), rest(self.max), sets.collect(), self.tail)
    }

    /// So many characters at most, behind those that are skipped.
    pub fn by_chars(&self, skipped: usize, most: usize) -> Self {
        let left = |chars: usize| chars.saturating_sub(skipped).min(most);
        let (least, most) = (left(self.chars.0), left(self.chars.1));
        let bytes = self.max.min(most.saturating_mul(4));
        Self::uniform(least, bytes, self.all()).of_chars((least, most))
    }

    /// The last `count` bytes.
    pub fn right(&self, count: usize) -> Self {
        match self.fixed() {
            Some(length) => self.from(length.saturating_sub(count)),
            None => Self::uniform(self.min.min(count), self.max.min(count), self.all()),
        }
    }

    /// Bytes in reverse order.
    pub fn reversed(&self) -> Self {
        match self.fixed() {
            Some(length) => {
                let sets = (0..length.min(POSITIONS)).map(|at| self.at(length - 1 - at));
                Self::from_sets(length, length, sets.collect(), self.all())
            }
            None => Self::uniform(self.min, self.max, self.all()),
        }
    }

    /// Each byte sent through `map`.
    pub fn map(&self, map: impl Fn(u8) -> u8) -> Self {
        let sets = self.sets.iter().map(|set| set.map(&map));
        let mapped = Self::from_sets(self.min, self.max, sets.collect(), self.tail.map(&map));
        mapped.of_chars(self.chars)
    }

    /// Only bytes below 0x80: one byte a character.
    pub fn is_ascii(&self) -> bool {
        ByteSet::range(0, 127).includes(self.all())
    }

    /// The least string of the shape that is not below `start`, byte by byte; of long ones perhaps only its beginning, which is less. O(length).
    pub fn least_from<'a>(&'a self, start: &'a [u8]) -> Option<impl Iterator<Item = u8> + 'a> {
        // Follow `start` as far as the sets allow, then put a greater byte in the last place where one can stand: the longer the common prefix, the less
        // the string.
        let most = start.len().min(self.max);
        let follows = |at: &usize| self.at(*at).contains(start[*at]);
        let followed = (0..most).take_while(follows).count();
        let greater = |at: usize| Some((at, self.at(at).next(start[at].checked_add(1)?)?));
        let (place, byte) = match followed == start.len() {
            true => (followed, None),
            false => {
                let mut places = (0..most.min(followed + 1)).rev();
                let (place, byte) = places.find_map(greater)?;
                (place, Some(byte))
            }
        };
        let known = start[..place].iter().copied().chain(byte);
        // Filled up to the shortest length with the least bytes.
        let rest = place + usize::from(byte.is_some())..self.min.min(POSITIONS);
        Some(known.chain(rest.map_while(|at| self.at(at).next(0))))
    }

    /// Can a string of the shape lie in `[start, end)`? An empty `end` is no bound.
    pub fn reaches(&self, start: &[u8], end: &[u8]) -> bool {
        let least = self.least_from(start);
        least.is_some_and(|least| end.is_empty() || least.lt(end.iter().copied()))
    }
}

#[cfg(test)]
#[path = "byte_shape_tests.rs"]
mod tests;
