//! Which rows a memstore or a store file holds, as far as a split asks: a bounded sample of them, and the first and the last; and, where cells are
//! followed, what became of the sampled ones. Must not know files.

use super::{CellHistory, EarlyCells, Keeping};
use crate::keyspace::{RowKey, leading_bits};

/// Number of tickets: 2^64.
const TICKETS: f64 = 18_446_744_073_709_551_616.0;

/// How rows are sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Rows that a sample holds at most. The middle of a file of many rows is found within
    /// the standard error of a sample's median, about 1 / (2 sqrt(capacity)) of the file.
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

/// The rows with the least tickets of all that were offered, with their first and their last one: a uniform sample without repetition, as each
/// row's ticket is random ("bottom-k": Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007).
///
/// Tickets belong to rows, and a sample holds every row whose ticket is below its limit. So it is the same in whatever order the rows came;
/// that of a compacted file follows from those of its parts without reading them; and that of a daughter is what falls into it, from which
/// it fills up again as the daughter grows.
///
/// Where cells are followed, tickets are hashes of their keys: samples of several files then hold the same cells, each once, with its history.
#[derive(Debug, Clone)]
pub struct RowSample {
    /// By ticket.
    held: Vec<Sampled>,
    capacity: usize,
    /// All rows with tickets below it are held, and no others.
    limit: u64,
    /// Rows offered, those of files merged into it included; after a split, as many as the part of the sample stands for.
    offered: u64,
    first: RowKey,
    last: RowKey,
    /// The first bytes of both: most rows lie visibly between them.
    first_bits: u64,
    last_bits: u64,
    empty: bool,
}

/// A sampled row.
#[derive(Debug, Clone, Default)]
struct Sampled {
    ticket: u64,
    row: Vec<u8>,
    /// Of a cell that is followed.
    history: Option<Box<CellHistory>>,
}

/// What a retention leaves of a memstore or of files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// Bytes of the cells that are followed, and the variance of this estimate.
    pub bytes: f64,
    pub variance: f64,
    /// Bytes that they are expected to hide of cells that were written before the run.
    pub superseding: f64,
}

impl RowSample {
    /// Of no rows. Memory is taken as rows come.
    pub fn new(sampling: Sampling) -> Self {
        Self {
            held: Vec::new(),
            capacity: sampling.capacity.max(1),
            // A share of 1 is all tickets: the cast saturates.
            limit: (sampling.share * TICKETS) as u64,
            offered: 0,
            first: RowKey::default(),
            last: RowKey::default(),
            first_bits: u64::MAX,
            last_bits: 0,
            empty: true,
        }
    }

    /// A row was written; `ticket` is a random number of its own (a draw that belongs to the operation that wrote it). Once the sample is full,
    /// a row is copied with probability capacity / offered, over the bytes of the one that it replaces.
    pub fn offer(&mut self, ticket: u64, row: &[u8]) {
        self.reach(row);
        self.offered += 1;
        if ticket < self.limit {
            self.hold(ticket, row, false);
        }
    }

    /// Something happens to a cell; `ticket` is a hash of its key, the same for all that happens to it. `row` is that key.
    pub fn follow(&mut self, ticket: u64, row: &[u8], happens: impl FnOnce(&mut CellHistory)) {
        self.reach(row);
        self.offered += 1;
        if ticket < self.limit
            && let Some(sampled) = self.hold(ticket, row, true)
        {
            happens(sampled.history.get_or_insert_default());
        }
    }

    /// The row of a ticket below the limit: the one that is held already if rows are `same` by their tickets. `None` where it becomes the limit.
    fn hold(&mut self, ticket: u64, row: &[u8], same: bool) -> Option<&mut Sampled> {
        let at = match self.held.binary_search_by_key(&ticket, |held| held.ticket) {
            Ok(at) if same => return self.held.get_mut(at),
            Ok(at) | Err(at) => at,
        };
        let mut new = Sampled::default();
        if self.held.len() >= self.capacity {
            // One of the two has to go, and is the new limit.
            self.limit = ticket;
            if at == self.held.len() {
                return None;
            }
            new = self.held.pop().unwrap_or_default();
            (self.limit, new.history) = (new.ticket, None);
        }
        new.ticket = ticket;
        new.row.clear();
        new.row.extend_from_slice(row);
        self.held.insert(at, new);
        self.held.get_mut(at)
    }

    /// The first and the last row reach to this one.
    fn reach(&mut self, row: &[u8]) {
        let bits = leading_bits(row);
        if bits <= self.first_bits || bits >= self.last_bits {
            self.stretch(bits, row);
        }
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
        let mut rows: Vec<&[u8]> = self.held.iter().map(|held| held.row.as_slice()).collect();
        rows.sort_unstable();
        rows
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

    /// The rows of both together; a sample of this one's capacity. Cells that are followed are written later in the other, and deletes in it may be of
    /// whole rows.
    pub fn merge(&mut self, other: Self, deletes_rows: bool) {
        if !other.empty {
            self.stretch(other.first_bits, other.first());
            self.stretch(other.last_bits, other.last());
        }
        self.offered += other.offered;
        self.held.extend(other.held);
        // Stable: of one ticket the older first.
        self.held.sort_by_key(|held| held.ticket);
        self.held.dedup_by(|newer, older| {
            let (Some(history), Some(newer_history)) = (&mut older.history, &newer.history) else {
                return false;
            };
            let is_same = older.ticket == newer.ticket;
            if is_same {
                history.then(newer_history, deletes_rows);
            }
            is_same
        });
        self.limit = self.limit.min(other.limit);
        let below = self.held.partition_point(|held| held.ticket < self.limit);
        if let Some(greatest) = self.held[..below].get(self.capacity) {
            self.limit = greatest.ticket;
        }
        self.held.truncate(below.min(self.capacity));
    }

    /// Retention of cells that are followed and of which so many bytes are `known` to be there, with a variance where they were estimated. Exact where the
    /// sample holds all of them, or none is written again, deleted or too old: otherwise off by 1 / sqrt(rows in the sample) of what is left, about
    /// (one standard deviation).
    ///
    /// With a share p of all cells in the sample, its sums over p estimate those of all: s of bytes before, k of bytes kept. As w bytes are known to
    /// have been there, k + b (w - s) is a better estimate: a regression through the origin (Särndal and others, "Model Assisted Survey Sampling",
    /// 1992, §6.4). Its variance is b² var(w) + (1 - p) / p² sum (kept - b before)², and least at the b below.
    ///
    /// `early`: cells that were written before the run, if there are some among the files. They are hidden by those that have not met them yet.
    pub fn keep(
        &mut self,
        keeping: &Keeping,
        known: (f64, f64),
        early: Option<EarlyCells>,
    ) -> Kept {
        let (mut before, mut kept, mut superseding) = (0.0, 0.0, 0.0);
        let (mut products, mut squares, mut kept_squares) = (0.0, 0.0, 0.0);
        self.held.retain_mut(|held| {
            let Some(history) = &mut held.history else {
                return true;
            };
            let all = history.bytes() as f64;
            if let Some(early) = &early
                && !std::mem::replace(&mut history.has_met, true)
            {
                superseding += history.superseding_bytes(keeping.retention.versions, early);
            }
            history.keep(keeping);
            let left = history.bytes() as f64;
            before += all;
            kept += left;
            products += all * left;
            squares += all * all;
            kept_squares += left * left;
            left > 0.0
        });
        let share = match self.limit {
            u64::MAX => 1.0,
            limit => limit as f64 / TICKETS,
        };
        let (bytes, variance) = match share == 1.0 || squares == 0.0 {
            true if share == 1.0 => (kept, 0.0),
            true => known,
            false => {
                let weight = (1.0 - share) / (share * share);
                let slope = products / (squares + known.1 / weight);
                let residual = kept_squares - slope * (2.0 * products - slope * squares);
                (
                    (slope * known.0 + (kept - slope * before) / share).clamp(0.0, known.0),
                    slope * slope * known.1 + weight * residual,
                )
            }
        };
        Kept {
            bytes,
            variance,
            // As it is known how much was written, it is known better than by the number of cells.
            superseding: match keeping.replaces || before == 0.0 {
                true => superseding / share,
                false => superseding * known.0 / before,
            },
        }
    }

    /// The rows below `row`, and the others. The number offered is divided as the sampled rows are.
    pub fn divide(self, row: &[u8]) -> (Self, Self) {
        let all = self.held.len().max(1) as f64;
        let held = self.held.into_iter();
        let (below, above): (Vec<_>, Vec<_>) = held.partition(|held| held.row.as_slice() < row);
        let lower = (self.offered as f64 * (below.len() as f64 / all)).round() as u64;
        // At the border the sampled row next to it is the end.
        let greatest = below.iter().map(|held| &held.row).max().cloned();
        let greatest = greatest.map_or_else(|| self.first.clone(), RowKey);
        let least = above.iter().map(|held| &held.row).min().cloned();
        let least = least.map_or_else(|| self.last.clone(), RowKey);
        let (lower_ends, upper_ends) = ((self.first, greatest), (least, self.last));
        let part = |held: Vec<_>, offered, (first, last): (RowKey, RowKey)| Self {
            held,
            capacity: self.capacity,
            limit: self.limit,
            offered,
            first_bits: leading_bits(first.as_bytes()),
            last_bits: leading_bits(last.as_bytes()),
            first,
            last,
            empty: false,
        };
        let upper = part(above, self.offered - lower, upper_ends);
        (part(below, lower, lower_ends), upper)
    }
}

#[cfg(test)]
mod bound_tests {
    use super::*;
    use crate::random::mix;
    use proptest::prelude::*;

    fn sampling(capacity: usize) -> Sampling {
        Sampling {
            capacity,
            share: 1.0,
        }
    }

    /// Offers keys whose tickets follow from their places.
    fn offer(sample: &mut RowSample, keys: &[u8], first: usize) {
        for (at, &key) in keys.iter().enumerate() {
            sample.offer(mix((first + at) as u64), &[key]);
        }
    }

    /// All keys with tickets below a limit, sorted.
    fn below(keys: &[u8], limit: u64, belongs: impl Fn(u8) -> bool) -> Vec<[u8; 1]> {
        let mut found: Vec<[u8; 1]> = keys
            .iter()
            .enumerate()
            .filter(|&(at, &key)| mix(at as u64) < limit && belongs(key))
            .map(|(_, &key)| [key])
            .collect();
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn a_sample_is_every_key_below_its_limit_through_merges_and_splits(
            keys in proptest::collection::vec(any::<u8>(), 0..200),
            cuts in (0usize..200, 0usize..200),
            capacity in 1usize..40,
            row in any::<u8>(),
        ) {
            let first = cuts.0.min(keys.len());
            let second = first + cuts.1.min(keys.len() - first);
            let (mut merged, mut other) = (RowSample::new(sampling(capacity)), RowSample::new(sampling(capacity)));
            offer(&mut merged, &keys[..first], 0);
            offer(&mut other, &keys[first..second], first);
            merged.merge(other, false);
            prop_assert_eq!(merged.offered, second as u64);
            prop_assert_eq!(merged.sorted(), below(&keys[..second], merged.limit, |_| true));
            prop_assert_eq!(merged.held.len(), capacity.min(second));

            // The upper daughter takes what is left of its keys.
            let (lower, mut upper) = merged.divide(&[row]);
            prop_assert_eq!(lower.offered + upper.offered, second as u64);
            prop_assert_eq!(lower.sorted(), below(&keys[..second], lower.limit, |key| key < row));
            for (at, &key) in keys.iter().enumerate().skip(second).filter(|(_, key)| **key >= row) {
                upper.offer(mix(at as u64), &[key]);
            }
            prop_assert_eq!(upper.sorted(), below(&keys, upper.limit, |key| key >= row));
            prop_assert!(upper.held.len() <= capacity);
        }
    }

    #[test]
    fn samples_stay_full_through_split_after_split() {
        // Rising keys; each time 4,000 are there, the upper half goes on.
        let mut sample = RowSample::new(sampling(100));
        let mut held = Vec::new();
        for key in 0u32..40_000 {
            sample.offer(mix(u64::from(key)), &key.to_be_bytes());
            if sample.offered >= 4_000 {
                held.push(sample.sorted().len());
                let middle = sample.sorted()[50].to_vec();
                sample = sample.divide(&middle).1;
            }
        }
        assert!(held.len() > 15, "{held:?}");
        // A full sample is one of 100; the rate that it leaves at gives 100 again with a standard deviation below 10.
        assert!(held.iter().all(|&held| held > 60), "{held:?}");
    }
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
            sample.merge(of(&rest), false);
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
