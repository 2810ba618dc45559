//! When one open-loop write intends its operations. Must not know what they write.

use super::Arrivals;
use super::periodic_clock::PeriodicClock;
use super::rate_profile::{Piece, RateProfile};
use crate::random::{Stream, exponential};
use crate::record::RecordGenerator;
use crate::time::{SimDuration, SimTime};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

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
        generator: &RecordGenerator,
        lane: u32,
    ) -> Self {
        let mut draws = generator.sequence(Stream::Arrivals, lane);
        Self {
            profile,
            arrivals,
            expected: 0.0,
            made: 0,
            offset: draws.random(),
            draws,
            piece: Piece::NONE,
            number: 0,
            last: SimTime::ZERO,
        }
    }

    /// What to add to an operation's number for its place on the axis of expected operations: exact for constant arrivals; of Poisson arrivals, whose places
    /// scatter, the middle.
    pub(super) fn place_in_gap(arrivals: Arrivals, generator: &RecordGenerator, lane: u32) -> f64 {
        match arrivals {
            Arrivals::Poisson => 0.5,
            Arrivals::Constant => generator.sequence(Stream::Arrivals, lane).random(),
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

/// The turns of a periodic write, in order of time.
#[derive(Debug, Clone)]
pub(super) struct TurnTimes {
    clock: Arc<PeriodicClock>,
    /// The next turn, lateness apart: its period's start in nanoseconds, its place, its index.
    period: u64,
    place: u64,
    index: u64,
    end: u64,
    /// Turns that are late and may still be overtaken by a later one that is less so: time, index, combination.
    waiting: BinaryHeap<Reverse<(u64, u64, u64)>>,
}

/// One turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) time: SimTime,
    /// Its number, lateness apart, from 0.
    pub(super) index: u64,
    pub(super) combination: u64,
}

impl TurnTimes {
    /// The turns up to `duration`.
    pub(super) fn new(clock: &Arc<PeriodicClock>, duration: SimDuration) -> Self {
        Self {
            clock: Arc::clone(clock),
            period: 0,
            place: 0,
            index: 0,
            end: duration.as_nanos(),
            waiting: BinaryHeap::new(),
        }
    }

    /// The next turn in order of time, then of index; `None` at the end of the run.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Turn> {
        if self.clock.is_jittered() {
            return self.next_jittered();
        }
        let time = self.next_base()?;
        Some(self.step(time))
    }

    /// Time of the next turn, lateness apart.
    #[inline]
    fn next_base(&self) -> Option<u64> {
        let time = self.period.saturating_add(self.clock.offset(self.place));
        (time < self.end).then_some(time)
    }

    /// Passes over the next turn, which comes at `time`.
    #[inline]
    fn step(&mut self, time: u64) -> Turn {
        let turn = Turn {
            time: SimTime::from_nanos(time),
            index: self.index,
            combination: self.clock.combination(self.place),
        };
        self.index += 1;
        self.place += 1;
        if self.place == self.clock.count() {
            self.place = 0;
            self.period = self.period.saturating_add(self.clock.every());
        }
        turn
    }

    fn next_jittered(&mut self) -> Option<Turn> {
        loop {
            let base = self.next_base();
            if let Some(Reverse((time, index, combination))) = self.waiting.peek().copied()
                // Every turn to come is at its base or later; one at the same time has a greater index.
                && base.is_none_or(|base| time <= base)
            {
                self.waiting.pop();
                let time_of = SimTime::from_nanos(time);
                let turn = Turn {
                    time: time_of,
                    index,
                    combination,
                };
                return (time < self.end).then_some(turn);
            }
            let late = base?.saturating_add(self.clock.lateness(self.index));
            let turn = self.step(late);
            self.waiting
                .push(Reverse((late, turn.index, turn.combination)));
        }
    }
}
