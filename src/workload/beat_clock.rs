//! When each combination beats. Must not know what the combinations are.

use super::Phase;
use crate::random::{DrawKey, Permutation, Seed, Stream, hash_name};
use crate::time::SimDuration;

/// Up to so many combinations the order in a period is kept as a list, which is read in sequence.
const LISTED_MAX: u64 = 1 << 20;

/// A period after period sequence of beats. Beat `b` is place `b mod count` of period `b / count`; negative beats lie before the run.
#[derive(Debug, Clone)]
pub(super) struct BeatClock {
    count: u64,
    every: u64,
    phase: Phase,
    order: Order,
}

#[derive(Debug, Clone)]
enum Order {
    Listed(Vec<u32>),
    Computed(Permutation),
}

impl BeatClock {
    /// The clock of `count` >= 1 combinations; `lane` is the write's. O(count) up to a million, else O(1).
    pub(super) fn new(
        count: u64,
        every: SimDuration,
        phase: Phase,
        seed: Seed,
        replicate: u32,
        lane: u32,
    ) -> Self {
        let permutation =
            Permutation::new(count, DrawKey::new(seed, replicate, Stream::Beats, lane));
        let order = if count <= LISTED_MAX {
            Order::Listed(
                (0..count)
                    .map(|place| permutation.at(place) as u32)
                    .collect(),
            )
        } else {
            Order::Computed(permutation)
        };
        Self {
            count,
            every: every.as_nanos().max(1),
            phase,
            order,
        }
    }

    /// Combinations, which is beats a period.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The combination at a place of every period: a random order, the same in all.
    #[inline]
    pub(super) fn combination(&self, place: u64) -> u64 {
        match &self.order {
            Order::Listed(list) => u64::from(list[place as usize]),
            Order::Computed(permutation) => permutation.at(place),
        }
    }

    /// Nanoseconds into its period at which a place beats.
    #[inline]
    pub(super) fn offset(&self, place: u64) -> u64 {
        match self.phase {
            Phase::Spread => match self.every.checked_mul(place) {
                Some(product) => product / self.count,
                None => {
                    (u128::from(self.every) * u128::from(place) / u128::from(self.count)) as u64
                }
            },
            Phase::Aligned => 0,
        }
    }

    /// Place and time (nanoseconds since the start of the run) of beat `-back`, `back` >= 1: the beats before the run.
    pub(super) fn before(&self, back: u64) -> (u64, i64) {
        let period = back.div_ceil(self.count);
        let place = period * self.count - back;
        let start = -i128::from(period) * i128::from(self.every);
        (place, (start + i128::from(self.offset(place))) as i64)
    }

    /// Length of a period in nanoseconds.
    pub(super) fn every(&self) -> u64 {
        self.every
    }
}

/// By how much each beat is late.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeatJitter {
    most: u64,
    draws: DrawKey,
    /// Tells these draws from those of the beats' order.
    salt: u64,
}

impl BeatJitter {
    /// Uniform in `[0, most]`; `None` when there is none. `lane` is the write's.
    pub(super) fn new(most: SimDuration, seed: Seed, replicate: u32, lane: u32) -> Option<Self> {
        (most > SimDuration::ZERO).then(|| Self {
            most: most.as_nanos(),
            draws: DrawKey::new(seed, replicate, Stream::Beats, lane),
            salt: hash_name("jitter"),
        })
    }

    /// Nanoseconds by which beat `index` is late.
    #[inline]
    pub(super) fn at(&self, index: u64) -> u64 {
        self.draws
            .at(index)
            .salted(self.salt)
            .below(self.most.saturating_add(1))
    }
}
