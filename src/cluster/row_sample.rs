//! Which rows a memstore or a store file holds, as far as a split asks: a sample of them, and the first and the last. Must not know sizes.

use crate::keyspace::RowKey;
use crate::storage::KeySample;

/// How rows are sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Rows that a sample holds at most. The middle of a file of many rows is found within
    /// [`crate::statistics::sample_median_error`], about 1 / (2 sqrt(capacity)) of the file.
    pub capacity: usize,
    /// Share of a memstore's rows that are sampled at first, in (0, 1]: a memstore that never grows large costs next to nothing.
    pub share: f64,
}

impl Sampling {
    /// Fills a sample of `capacity` rows twice over with `rows` rows: it is full when so many have come (but for a probability below
    /// 10^-4 from a capacity of 16 on, that of a Poisson number half its mean).
    pub fn filled_by(rows: f64, capacity: usize) -> Self {
        let share = (2.0 * capacity as f64 / rows.max(1.0)).min(1.0);
        Self { capacity, share }
    }
}

/// A uniform sample of rows with their first and their last one.
#[derive(Debug, Clone)]
pub struct RowSample {
    sample: KeySample,
    first: RowKey,
    last: RowKey,
    /// The first bytes of both: most rows lie visibly between them.
    first_bits: u64,
    last_bits: u64,
    empty: bool,
}

impl RowSample {
    /// Of no rows.
    pub fn new(sampling: Sampling) -> Self {
        Self {
            sample: KeySample::thinned(sampling.capacity, sampling.share),
            first: RowKey::default(),
            last: RowKey::default(),
            first_bits: u64::MAX,
            last_bits: 0,
            empty: true,
        }
    }

    /// A row was written; `ticket` is a random number of its own.
    #[inline]
    pub fn offer(&mut self, ticket: u64, row: &[u8]) {
        let bits = leading_bits(row);
        if bits <= self.first_bits || bits >= self.last_bits {
            self.stretch(bits, row);
        }
        self.sample.offer(ticket, row);
    }

    fn stretch(&mut self, bits: u64, row: &[u8]) {
        let assign = |end: &mut RowKey| {
            end.0.clear();
            end.0.extend_from_slice(row);
        };
        if self.empty || row < self.first.as_bytes() {
            assign(&mut self.first);
            self.first_bits = bits;
        }
        if self.empty || row > self.last.as_bytes() {
            assign(&mut self.last);
            self.last_bits = bits;
        }
        self.empty = false;
    }

    /// The first row; empty when there is none. After [`RowSample::divide`] the first sampled one.
    pub fn first(&self) -> &[u8] {
        self.first.as_bytes()
    }

    /// The last row; empty when there is none. After [`RowSample::divide`] the last sampled one.
    pub fn last(&self) -> &[u8] {
        self.last.as_bytes()
    }

    /// The sampled rows, sorted; a row that was written often stands there as often as it was drawn.
    pub fn sorted(&self) -> Vec<&[u8]> {
        self.sample.sorted()
    }

    /// Share of the rows that sort before `row`: that of the sample, but never of rows that can't be there. One half when nothing is known.
    pub fn share_below(&self, row: &[u8]) -> f64 {
        if row <= self.first() {
            return 0.0;
        }
        if row > self.last() {
            return 1.0;
        }
        let sorted = self.sorted();
        if sorted.is_empty() {
            return 0.5;
        }
        sorted.partition_point(|sampled| *sampled < row) as f64 / sorted.len() as f64
    }

    /// The rows of both together.
    pub fn merge(&mut self, other: Self) {
        if !other.empty {
            self.stretch(other.first_bits, other.first());
            self.stretch(other.last_bits, other.last());
        }
        self.sample.merge(other.sample);
    }

    /// The rows below `row`, and the others.
    pub fn divide(self, row: &[u8]) -> (Self, Self) {
        let (first, last) = (self.first, self.last);
        let (lower, upper) = self.sample.split(row);
        let part = |sample: KeySample, end: RowKey, take_last: bool| {
            let sorted = sample.sorted();
            let inner = if take_last {
                sorted.last()
            } else {
                sorted.first()
            };
            let inner = inner.map_or_else(|| end.clone(), |&row| RowKey::from(row));
            let (first, last) = if take_last {
                (end, inner)
            } else {
                (inner, end)
            };
            Self {
                first_bits: leading_bits(first.as_bytes()),
                last_bits: leading_bits(last.as_bytes()),
                first,
                last,
                sample,
                empty: false,
            }
        };
        (part(lower, first, true), part(upper, last, false))
    }
}

/// The first eight bytes of a row as a number, missing ones as zeros: rows with different ones compare as they do.
#[inline]
fn leading_bits(row: &[u8]) -> u64 {
    if let Some(bytes) = row.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes[..row.len()].copy_from_slice(row);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix;
    use proptest::prelude::*;

    const ALL: Sampling = Sampling {
        capacity: 1_000,
        share: 1.0,
    };

    fn of(rows: &[Vec<u8>]) -> RowSample {
        let mut sample = RowSample::new(ALL);
        for (at, row) in (0..).zip(rows) {
            sample.offer(mix(at), row);
        }
        sample
    }

    fn row() -> impl Strategy<Value = Vec<u8>> {
        // Short and long, with many equal beginnings.
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255)], 0..11)
    }

    proptest! {
        #[test]
        fn a_sample_of_all_rows_divides_and_merges_as_the_rows_do(
            mut rows in proptest::collection::vec(row(), 1..40),
            at in row(),
            cut in 0usize..40,
        ) {
            let mut sample = of(&rows[..cut.min(rows.len())]);
            let rest: Vec<_> = rows.iter().skip(cut).cloned().collect();
            sample.merge(of(&rest));
            rows.sort_unstable();
            prop_assert_eq!(sample.sorted(), rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
            prop_assert_eq!((sample.first(), sample.last()), (&rows[0][..], &rows[rows.len() - 1][..]));

            let below = rows.partition_point(|row| *row < at);
            prop_assert_eq!(sample.share_below(&at), below as f64 / rows.len() as f64);
            let (lower, upper) = sample.divide(&at);
            if below > 0 {
                prop_assert_eq!((lower.first(), lower.last()), (&rows[0][..], &rows[below - 1][..]));
            }
            if below < rows.len() {
                prop_assert_eq!((upper.first(), upper.last()), (&rows[below][..], &rows[rows.len() - 1][..]));
            }
        }
    }

    #[test]
    fn a_small_part_of_a_memstore_is_hardly_sampled_and_a_whole_one_fills_the_sample() {
        let sampling = Sampling::filled_by(10_000.0, 32);
        let mut sample = RowSample::new(sampling);
        for row in 0u32..10_000 {
            sample.offer(mix(u64::from(row)), &row.to_be_bytes());
            if row == 99 {
                // 0.64 expected.
                assert!(sample.sorted().len() <= 5);
            }
        }
        assert_eq!(sample.sorted().len(), 32);
        assert_eq!(
            (sample.first(), sample.last()),
            (&[0; 4][..], &9_999u32.to_be_bytes()[..])
        );
        assert_eq!(Sampling::filled_by(20.0, 32).share, 1.0);
    }

    #[test]
    fn without_sampled_rows_the_ends_still_tell_what_lies_below() {
        let mut sample = RowSample::new(Sampling {
            capacity: 4,
            share: 1e-9,
        });
        sample.offer(u64::MAX / 2, b"c");
        sample.offer(u64::MAX / 2, b"f");
        let below = |row: &[u8]| sample.share_below(row);
        assert_eq!((below(b"c"), below(b"d"), below(b"g")), (0.0, 0.5, 1.0));
    }
}
