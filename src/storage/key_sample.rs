//! A bounded sample of a store file's keys, from which the middle of its data is found. Must not know regions.

use std::collections::BinaryHeap;

/// Number of tickets: 2^64.
const TICKETS: f64 = 18_446_744_073_709_551_616.0;

/// The keys with the least tickets of all that were offered: a uniform sample without repetition, as each key's ticket is random
/// ("bottom-k": Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007).
///
/// Tickets belong to keys, and a sample holds every key whose ticket is below its limit. So it is the same in whatever order the keys came;
/// that of a compacted file follows from those of its parts without reading them; and that of a daughter is what falls into it, from which
/// it fills up again as the daughter grows.
#[derive(Debug, Clone)]
pub struct KeySample {
    /// The greatest ticket first.
    held: BinaryHeap<(u64, Vec<u8>)>,
    capacity: usize,
    /// All keys with tickets below it are held, and no others.
    limit: u64,
    offered: u64,
}

impl KeySample {
    /// An empty sample of at most `capacity` keys, at least 1. Memory is taken as keys come.
    pub fn new(capacity: usize) -> Self {
        Self {
            held: BinaryHeap::new(),
            capacity: capacity.max(1),
            limit: u64::MAX,
            offered: 0,
        }
    }

    /// An empty sample that takes only `share` of the keys from the beginning, in (0, 1], and so grows the more slowly.
    pub fn thinned(capacity: usize, share: f64) -> Self {
        Self {
            // A share of 1 is all tickets: the cast saturates.
            limit: (share * TICKETS) as u64,
            ..Self::new(capacity)
        }
    }

    /// Takes a key into account; `ticket` is a random number of its own (a draw that belongs to the operation that wrote it). Once
    /// the sample is full, a key is copied with probability capacity / offered, over the bytes of the one that it replaces.
    #[inline]
    pub fn offer(&mut self, ticket: u64, key: &[u8]) {
        self.offered += 1;
        if ticket >= self.limit {
            return;
        }
        if self.held.len() < self.capacity {
            self.held.push((ticket, key.to_vec()));
        } else if let Some(mut greatest) = self.held.peek_mut() {
            // One of the two has to go, and is the new limit.
            self.limit = ticket.max(greatest.0);
            if ticket < greatest.0 {
                greatest.0 = ticket;
                greatest.1.clear();
                greatest.1.extend_from_slice(key);
            }
        }
    }

    /// Keys offered, those of files merged into it included; after a split, as many as the part of the sample stands for.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// The keys held, sorted; equal keys as often as they are held.
    pub fn sorted(&self) -> Vec<&[u8]> {
        let mut keys: Vec<&[u8]> = self.held.iter().map(|(_, key)| key.as_slice()).collect();
        keys.sort_unstable();
        keys
    }

    /// The sample of this file and another written into one, of this one's capacity.
    pub fn merge(&mut self, other: Self) {
        self.offered += other.offered;
        self.limit = self.limit.min(other.limit);
        self.held.extend(other.held);
        while let Some(greatest) = self.held.peek()
            && (greatest.0 >= self.limit || self.held.len() > self.capacity)
        {
            self.limit = self.limit.min(greatest.0);
            self.held.pop();
        }
    }

    /// The samples of the keys below `row` and of the others. The number offered is divided as the keys held are.
    pub fn split(self, row: &[u8]) -> (Self, Self) {
        let held = self.held.len().max(1) as f64;
        let (below, above): (Vec<_>, Vec<_>) = self
            .held
            .into_iter()
            .partition(|(_, key)| key.as_slice() < row);
        let lower = (self.offered as f64 * (below.len() as f64 / held)).round() as u64;
        let (capacity, limit, upper) = (self.capacity, self.limit, self.offered - lower);
        let part = |held: Vec<(u64, Vec<u8>)>, offered| Self {
            held: held.into(),
            capacity,
            limit,
            offered,
        };
        (part(below, lower), part(above, upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix;
    use proptest::prelude::*;

    /// Offers keys whose tickets follow from their places.
    fn offer(sample: &mut KeySample, keys: &[u8], first: usize) {
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
            let (mut merged, mut other) = (KeySample::new(capacity), KeySample::new(capacity));
            offer(&mut merged, &keys[..first], 0);
            offer(&mut other, &keys[first..second], first);
            merged.merge(other);
            prop_assert_eq!(merged.offered(), second as u64);
            prop_assert_eq!(merged.sorted(), below(&keys[..second], merged.limit, |_| true));
            prop_assert_eq!(merged.held.len(), capacity.min(second));

            // The upper daughter takes what is left of its keys.
            let (lower, mut upper) = merged.split(&[row]);
            prop_assert_eq!(lower.offered() + upper.offered(), second as u64);
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
        let mut sample = KeySample::new(100);
        let mut held = Vec::new();
        for key in 0u32..40_000 {
            sample.offer(mix(u64::from(key)), &key.to_be_bytes());
            if sample.offered() >= 4_000 {
                held.push(sample.sorted().len());
                let middle = sample.sorted()[50].to_vec();
                sample = sample.split(&middle).1;
            }
        }
        assert!(held.len() > 15, "{held:?}");
        // A full sample is one of 100; the rate that it leaves at gives 100 again with a standard deviation below 10.
        assert!(held.iter().all(|&held| held > 60), "{held:?}");
    }
}
