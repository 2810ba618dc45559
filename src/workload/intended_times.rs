//! When one open-loop write intends its operations. Must not know what they write.

use super::beat_clock::{BeatClock, BeatJitter};
use super::combinations::Combinations;
use super::rate_profile::{Piece, RateProfile};
use super::{Arrivals, Beat};
use crate::random::{Seed, Stream, exponential, stream};
use crate::record::Schema;
use crate::time::{SimDuration, SimTime};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Operations at a rate.
#[derive(Debug, Clone)]
pub(super) struct RateTimes {
    profile: RateProfile,
    arrivals: Arrivals,
    draws: Xoshiro256PlusPlus,
    /// Where the next operation lies on the axis of expected operations.
    expected: f64,
    /// Operations so far, and the offset of all (constant arrivals).
    made: u64,
    offset: f64,
    /// The piece of the profile in which it lies, and its number.
    piece: Piece,
    number: usize,
    last: SimTime,
}

impl RateTimes {
    /// Times by `profile`; `lane` is the write's. Constant arrivals start at a random part of the first gap, so that several of one rate don't fall
    /// together.
    pub(super) fn new(
        profile: RateProfile,
        arrivals: Arrivals,
        seed: Seed,
        replicate: u32,
        lane: u32,
    ) -> Self {
        let (offset, draws) = Self::offset(seed, replicate, lane);
        Self {
            profile,
            arrivals,
            draws,
            expected: 0.0,
            made: 0,
            offset,
            piece: Piece::NONE,
            number: 0,
            last: SimTime::ZERO,
        }
    }

    /// The part of a gap before the first of constant arrivals, and the generator for what follows.
    fn offset(seed: Seed, replicate: u32, lane: u32) -> (f64, Xoshiro256PlusPlus) {
        let mut draws = stream(seed, replicate, Stream::Arrivals, lane);
        (draws.random(), draws)
    }

    /// What to add to an operation's number for its place on the axis of expected operations: exact for constant arrivals; of Poisson arrivals, whose places
    /// scatter, the middle.
    pub(super) fn place_in_gap(arrivals: Arrivals, seed: Seed, replicate: u32, lane: u32) -> f64 {
        match arrivals {
            Arrivals::Poisson => 0.5,
            Arrivals::Constant => Self::offset(seed, replicate, lane).0,
        }
    }

    /// The next time; `None` at the end of the run.
    #[inline]
    pub(super) fn next(&mut self) -> Option<SimTime> {
        match self.arrivals {
            Arrivals::Poisson => self.expected += exponential(&mut self.draws),
            // Counted, not summed: no drift.
            Arrivals::Constant => self.expected = self.made as f64 + self.offset,
        }
        self.made += 1;
        if !self.piece.reaches(self.expected) {
            self.piece = self.profile.piece_of(self.expected, &mut self.number)?;
        }
        // Rounding at the joint of two pieces may go back by a nanosecond.
        self.last = self.last.max(self.piece.time_of(self.expected));
        Some(self.last)
    }
}

/// A beat of each combination.
#[derive(Debug, Clone)]
pub(super) struct BeatTimes {
    combinations: Combinations,
    clock: BeatClock,
    jitter: Option<Jitter>,
    /// The next beat: its period's start in nanoseconds, its place, its index.
    period: u64,
    place: u64,
    index: u64,
    end: u64,
}

/// Beats that are drawn but may still be overtaken by a later one with less jitter.
#[derive(Debug, Clone)]
struct Jitter {
    draws: BeatJitter,
    waiting: BinaryHeap<Reverse<(u64, u64, u64)>>,
}

/// One beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BeatTime {
    pub(super) time: SimTime,
    /// Number of the beat without jitter, from 0.
    pub(super) index: u64,
    pub(super) combination: u64,
}

impl BeatTimes {
    /// The beats up to `duration`; `lane` is the write's.
    pub(super) fn new(
        beat: &Beat,
        duration: SimDuration,
        schema: &Schema,
        seed: Seed,
        replicate: u32,
        lane: u32,
    ) -> Self {
        let combinations = Combinations::new(&beat.each, schema);
        let clock = BeatClock::new(
            combinations.count(),
            beat.every,
            beat.phase,
            seed,
            replicate,
            lane,
        );
        let jitter = BeatJitter::new(beat.jitter, seed, replicate, lane).map(|draws| Jitter {
            draws,
            waiting: BinaryHeap::new(),
        });
        Self {
            combinations,
            clock,
            jitter,
            period: 0,
            place: 0,
            index: 0,
            end: duration.as_nanos(),
        }
    }

    /// What beats.
    pub(super) fn combinations(&self) -> &Combinations {
        &self.combinations
    }

    /// The next beat in order of time, then of index; `None` at the end of the run.
    #[inline]
    pub(super) fn next(&mut self) -> Option<BeatTime> {
        if self.jitter.is_none() {
            let time = self.next_base()?;
            let (place, index) = self.step();
            return Some(self.beat(time, index, place));
        }
        self.next_jittered()
    }

    /// Time of the next beat before jitter.
    #[inline]
    fn next_base(&self) -> Option<u64> {
        let time = self.period.saturating_add(self.clock.offset(self.place));
        (time < self.end).then_some(time)
    }

    /// Passes to the next beat; the place and index of the one passed.
    #[inline]
    fn step(&mut self) -> (u64, u64) {
        let passed = (self.place, self.index);
        self.index += 1;
        self.place += 1;
        if self.place == self.clock.count() {
            self.place = 0;
            self.period = self.period.saturating_add(self.clock.every());
        }
        passed
    }

    /// The beat of that index without those before it; `None` when it falls behind the end of the run.
    pub(super) fn at(&self, index: u64) -> Option<BeatTime> {
        let (period, place) = (index / self.clock.count(), index % self.clock.count());
        let base = period.saturating_mul(self.clock.every());
        let moved = self
            .jitter
            .as_ref()
            .map_or(0, |jitter| jitter.draws.at(index));
        let time = base
            .saturating_add(self.clock.offset(place))
            .saturating_add(moved);
        (time < self.end).then(|| self.beat(time, index, place))
    }

    fn beat(&self, time: u64, index: u64, place: u64) -> BeatTime {
        BeatTime {
            time: SimTime::from_nanos(time),
            index,
            combination: self.clock.combination(place),
        }
    }

    fn next_jittered(&mut self) -> Option<BeatTime> {
        loop {
            let base = self.next_base();
            let jitter = self.jitter.as_mut()?;
            if let Some(Reverse((time, index, place))) = jitter.waiting.peek().copied()
                // Every beat to come is at its base or later; one at the same time has a greater index.
                && base.is_none_or(|base| time <= base)
            {
                jitter.waiting.pop();
                if time >= self.end {
                    return None;
                }
                return Some(self.beat(time, index, place));
            }
            let base = base?;
            let moved = jitter.draws.at(self.index);
            let (place, index) = self.step();
            if let Some(jitter) = &mut self.jitter {
                jitter
                    .waiting
                    .push(Reverse((base.saturating_add(moved), index, place)));
            }
        }
    }
}
