//! When each combination of a periodic write has its turn. Must not know what the combinations are.

use super::combinations::Combinations;
use super::{Beat, Phase};
use crate::random::{DrawKey, Permutation, Stream, hash_name};
use crate::record::RecordGenerator;

/// Up to so many combinations the order in a period is kept as a list, which is read in sequence.
const LISTED_MAX: u64 = 1 << 20;

/// A sequence of turns, period after period. Turn `b` is place `b mod count` of period `b / count`; negative turns lie before the run.
#[derive(Debug, Clone)]
pub(super) struct PeriodicClock {
    count: u64,
    every: u64,
    phase: Phase,
    order: Order,
    /// By how much turns are late at most, and what tells by how much each is.
    jitter: u64,
    draws: DrawKey,
    /// Tells these draws from those of the order.
    salt: u64,
}

#[derive(Debug, Clone)]
enum Order {
    Listed(Vec<u32>),
    Computed(Permutation),
}

impl PeriodicClock {
    /// The clock of all combinations of `turns`; `lane` is the write's. O(combinations) up to a million, else O(1).
    pub(super) fn new(turns: &Beat, generator: &RecordGenerator, lane: u32) -> Self {
        let count = Combinations::new(&turns.each, generator.schema()).count();
        let draws = generator.draws(Stream::Beats, lane);
        let permutation = Permutation::new(count, draws);
        let place = |place| permutation.at(place) as u32;
        Self {
            count,
            every: turns.every.as_nanos().max(1),
            phase: turns.phase,
            order: match count <= LISTED_MAX {
                true => Order::Listed((0..count).map(place).collect()),
                false => Order::Computed(permutation),
            },
            jitter: turns.jitter.as_nanos(),
            draws,
            salt: hash_name("jitter"),
        }
    }

    /// Combinations, which is turns a period.
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

    /// Nanoseconds into its period at which a place has its turn, lateness apart.
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

    /// Turns are late.
    pub(super) fn is_jittered(&self) -> bool {
        self.jitter > 0
    }

    /// Nanoseconds by which turn `index` is late.
    #[inline]
    pub(super) fn lateness(&self, index: u64) -> u64 {
        match self.jitter {
            0 => 0,
            most => self
                .draws
                .at(index)
                .salted(self.salt)
                .below(most.saturating_add(1)),
        }
    }

    /// Combination and time (nanoseconds since the start of the run) of turn `index`.
    pub(super) fn turn(&self, index: u64) -> (u64, u64) {
        let (period, place) = (index / self.count, index % self.count);
        let time = period
            .saturating_mul(self.every)
            .saturating_add(self.offset(place))
            .saturating_add(self.lateness(index));
        (self.combination(place), time)
    }

    /// The same of turn `-back`, `back` >= 1, before the run, lateness apart.
    pub(super) fn turn_before(&self, back: u64) -> (u64, i64) {
        let period = back.div_ceil(self.count);
        let place = period * self.count - back;
        let start = -i128::from(period) * i128::from(self.every);
        let time = (start + i128::from(self.offset(place))) as i64;
        (self.combination(place), time)
    }

    /// Length of a period in nanoseconds.
    pub(super) fn every(&self) -> u64 {
        self.every
    }
}
