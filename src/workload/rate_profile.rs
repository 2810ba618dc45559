//! A rate that changes over time, integrated and inverted exactly, and the times of operations at it. Must not know what they are.

use super::{Arrivals, LoadModel, ProfilePoint, ReadLoadModel};
use crate::random::{DrawKey, Stream, exponential, lane_of};
use crate::record::RecordGenerator;
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

/// Intended operations as a function of time: their rate is linear between points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RateProfile {
    pieces: Vec<Piece>,
    /// The greatest rate, per nanosecond.
    pub(super) peak: f64,
    /// Expected operations over the whole duration.
    pub(super) total: f64,
    /// First instant, and the one after the last.
    pub(super) span: (f64, f64),
}

/// A stretch over which the rate is linear.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Piece {
    /// Start in nanoseconds.
    start: f64,
    /// Expected operations before it and at its end.
    before: f64,
    until: f64,
    /// Rate per nanosecond at its start, and its change per nanosecond.
    rate: f64,
    slope: f64,
    /// Integral over time of the operations expected so far, up to its start.
    area: f64,
}

impl LoadModel {
    /// The rate of an open loop.
    pub(super) fn rate_profile(&self, duration: SimDuration) -> Option<RateProfile> {
        match self {
            Self::Open { rate, profile, .. } => Some(RateProfile::new(*rate, profile, duration)),
            Self::Closed { .. } | Self::Periodic(_) => None,
        }
    }

    /// Writes a second that an open loop is expected to make in one of so many equal parts of the run.
    pub fn rate_in(&self, part: usize, parts: usize, duration: SimDuration) -> Option<f64> {
        let profile = self.rate_profile(duration)?;
        Some(profile.rate_in(part, parts, duration))
    }
}

impl ReadLoadModel {
    /// Reads a second that an open loop is expected to make in one of so many equal parts of the run.
    pub fn rate_in(&self, part: usize, parts: usize, duration: SimDuration) -> Option<f64> {
        let Self::Open { rate, profile, .. } = self else {
            return None;
        };
        let profile = RateProfile::new(*rate, profile, duration);
        Some(profile.rate_in(part, parts, duration))
    }
}

impl RateProfile {
    /// The mean rate in one of so many equal parts of the run.
    fn rate_in(&self, part: usize, parts: usize, duration: SimDuration) -> f64 {
        let secs = duration.as_secs_f64() / parts as f64;
        let by = |part: usize| self.operations_by(part as f64 * secs * 1e9);
        (by(part + 1) - by(part)) / secs
    }

    /// `rate` times `profile` over `duration`.
    pub(super) fn new(rate: PerSecond, profile: &[ProfilePoint], duration: SimDuration) -> Self {
        let end = duration.as_nanos() as f64;
        let points = profile.iter();
        let mut points: Vec<(f64, f64)> = points
            .map(|point| (point.at.as_nanos() as f64, point.times * rate.0 / 1e9))
            .collect();
        let first = points.first().map_or(rate.0 / 1e9, |point| point.1);
        points.insert(0, (0.0, first));
        Self::through(points, end)
    }

    /// So many operations in each of equal periods from one instant up to before another, all as likely at any time of their period, and
    /// late by up to `jitter`.
    pub(super) fn even(operations: f64, every: f64, jitter: f64, (from, end): (f64, f64)) -> Self {
        let rate = operations / every;
        Self::through(vec![(from, 0.0), (from + jitter, rate)], end)
    }

    /// Rates per nanosecond at these instants and, as at the last of them, from there to `end`.
    fn through(mut points: Vec<(f64, f64)>, end: f64) -> Self {
        let (last, rate) = points[points.len() - 1];
        points.push((end.max(last), rate));
        let mut pieces: Vec<Piece> = Vec::with_capacity(points.len());
        let (mut before, mut area) = (0.0, 0.0);
        for pair in points.windows(2) {
            let [(start, rate), (stop, rate_there)] = [pair[0], pair[1]];
            let length = stop.min(end) - start;
            if length > 0.0 {
                let slope = (rate_there - rate) / (stop - start);
                let until = before + length * (rate + 0.5 * slope * length);
                let piece = Piece {
                    start,
                    before,
                    until,
                    rate,
                    slope,
                    area,
                };
                area += piece.area_after(length);
                before = until;
                pieces.push(piece);
            }
        }
        let ends = pieces.iter().flat_map(|piece| {
            let operations = piece.until - piece.before;
            // As a speed after a distance under constant acceleration.
            let last = piece.rate * piece.rate + 2.0 * piece.slope * operations;
            [piece.rate, last.max(0.0).sqrt()]
        });
        Self {
            span: (points[0].0, end),
            peak: ends.fold(0.0, f64::max),
            pieces,
            total: before,
        }
    }

    /// The rate does not change between two instants.
    pub(super) fn is_even(&self, low: f64, high: f64) -> bool {
        let after = self.pieces.partition_point(|piece| piece.start <= low);
        let next = self.pieces.get(after);
        let next = next.map_or(self.span.1, |piece| piece.start);
        let current = after.checked_sub(1).map(|at| self.pieces[at].slope);
        high <= next && current.is_none_or(|slope| slope == 0.0) || low >= self.span.1
    }

    /// Operations expected before an instant, in nanoseconds of the run; none before its start, none after its end.
    pub(super) fn operations_by(&self, nanos: f64) -> f64 {
        if nanos >= self.span.1 {
            return self.total;
        }
        self.piece_at(nanos).map_or(0.0, |piece| {
            (piece.before + piece.operations_after(nanos - piece.start)).min(self.total)
        })
    }

    /// The integral of [`RateProfile::operations_by`] up to an instant of the run.
    pub(super) fn area_by(&self, nanos: f64) -> f64 {
        self.piece_at(nanos).map_or(0.0, |piece| {
            piece.area + piece.area_after(nanos - piece.start)
        })
    }

    /// The time by which `operations` are expected; `None` beyond the duration.
    pub(super) fn time_by(&self, operations: f64) -> Option<SimTime> {
        Some(self.piece_reaching(operations)?.time_of(operations))
    }

    /// The same in nanoseconds of the run; its end where so many are never expected.
    pub(super) fn instant_of(&self, operations: f64) -> f64 {
        let piece = self.piece_reaching(operations);
        piece.map_or(self.span.1, |piece| piece.instant_of(operations))
    }

    fn piece_reaching(&self, operations: f64) -> Option<&Piece> {
        let pieces = &self.pieces;
        pieces.get(pieces.partition_point(|piece| !piece.reaches(operations)))
    }

    fn piece_at(&self, nanos: f64) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start < nanos);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// The piece in which so many operations come to be expected; `None` beyond the duration. `piece` remembers where the last search ended and
    /// only moves forward: pass ascending numbers.
    fn piece_of(&self, operations: f64, piece: &mut usize) -> Option<Piece> {
        while self.pieces.get(*piece)?.until <= operations {
            *piece += 1;
        }
        Some(self.pieces[*piece])
    }
}

impl Piece {
    /// So many operations are expected before its end.
    fn reaches(&self, operations: f64) -> bool {
        operations < self.until
    }

    /// The time by which `operations` are expected: more than before its start, fewer than by its end.
    pub(super) fn time_of(&self, operations: f64) -> SimTime {
        // By way of i64, for which processors have an instruction.
        SimTime::from_nanos(self.instant_of(operations) as i64 as u64)
    }

    fn instant_of(&self, operations: f64) -> f64 {
        let more = operations - self.before;
        let after = if self.slope == 0.0 {
            more / self.rate
        } else {
            // The root of rate x + slope x^2 / 2 = more in the form that does not cancel; rounding may push the radicand below zero where
            // the rate falls to zero.
            let radicand = self.rate * self.rate + 2.0 * self.slope * more;
            2.0 * more / (self.rate + radicand.max(0.0).sqrt())
        };
        self.start + after
    }

    /// Operations expected in its first nanoseconds.
    fn operations_after(&self, nanos: f64) -> f64 {
        nanos * (self.rate + 0.5 * self.slope * nanos)
    }

    /// The integral over its first nanoseconds of the operations expected so far.
    fn area_after(&self, nanos: f64) -> f64 {
        nanos * (self.before + nanos * (self.rate / 2.0 + self.slope * nanos / 6.0))
    }
}

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
            // It reaches nothing.
            piece: Piece::default(),
            number: 0,
            last: SimTime::ZERO,
        }
    }

    /// The next time, of operation `index`; `None` at the end of the run, or where there are only `len` operations.
    pub(super) fn nth(&mut self, index: u64, len: u64) -> Option<(SimTime, u64)> {
        if index >= len {
            return None;
        }
        self.next().map(|time| (time, index))
    }
}

/// What to add to an operation's number for its place on the axis of expected operations, where nobody drew the times before its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlaceInGap {
    /// The same for all: constant arrivals, whose times it makes exact.
    Offset(f64),
    /// Anywhere, as drawn times lie: evenly spaced ones would all have the same last digits wherever the rate divides the unit of time.
    Drawn(DrawKey),
}

impl PlaceInGap {
    /// Of the operations of a write with this name.
    pub(super) fn of(load: &LoadModel, name: &str, generator: &RecordGenerator) -> Self {
        let lane = lane_of(name);
        match load {
            LoadModel::Open {
                arrivals: Arrivals::Constant,
                ..
            } => Self::Offset(generator.sequence(Stream::Arrivals, lane).random()),
            _ => Self::Drawn(generator.draws(Stream::Gaps, lane)),
        }
    }

    /// Of the operation with this number: in [0, 1).
    pub(super) fn at(self, number: u64) -> f64 {
        match self {
            Self::Offset(offset) => offset,
            Self::Drawn(key) => key.at(number).unit(),
        }
    }
}

impl Iterator for RateTimes {
    type Item = SimTime;

    /// The next time; `None` at the end of the run.
    fn next(&mut self) -> Option<SimTime> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn point(at: u64, times: f64) -> ProfilePoint {
        ProfilePoint {
            at: SimDuration::from_secs(at),
            times,
        }
    }

    #[test]
    fn the_peak_is_the_greatest_rate_of_any_instant() {
        let peak = |points: &[ProfilePoint]| {
            let profile = RateProfile::new(PerSecond(100.0), points, SimDuration::from_secs(4));
            profile.peak * 1e9
        };
        assert_eq!(peak(&[]), 100.0);
        assert!((peak(&[point(1, 1.0), point(3, 2.5)]) - 250.0).abs() < 1e-9);
        assert!((peak(&[point(0, 2.0), point(3, 0.5)]) - 200.0).abs() < 1e-9);
        // Half of the rise lies behind the end.
        assert!((peak(&[point(2, 1.0), point(6, 3.0)]) - 200.0).abs() < 1e-9);
    }

    /// 100/s, up to 300/s from second 2 to 6, a step to 50/s at 8, silent from 10 to 12, back to 100/s.
    fn profile() -> RateProfile {
        let points = [
            point(2, 1.0),
            point(6, 3.0),
            point(8, 3.0),
            point(8, 0.5),
            point(10, 0.5),
            point(10, 0.0),
            point(12, 0.0),
            point(12, 1.0),
        ];
        RateProfile::new(PerSecond(100.0), &points, SimDuration::from_secs(14))
    }

    #[test]
    fn the_total_is_the_area_under_the_profile() {
        // 2 * 100 + 4 * 200 + 2 * 300 + 2 * 50 + 0 + 2 * 100.
        assert!((profile().total - 1_900.0).abs() < 1e-6);
    }

    #[test]
    fn times_are_the_inverse_of_the_area() {
        let profile = profile();
        let expected = [
            (100.0, 1.0),
            (200.0, 2.0),
            // Two seconds into the ramp: 2 * 100 + 2 * 2 * 50 / 2 = 300.
            (500.0, 4.0),
            (1_300.0, 7.0),
            (1_650.0, 9.0),
            // The silent seconds hold nothing.
            (1_710.0, 12.1),
        ];
        for (operations, secs) in expected {
            let time = profile
                .time_by(operations)
                .expect("within the duration")
                .as_secs_f64();
            assert!((time - secs).abs() < 1e-8, "{operations}: {time}");
        }
        assert_eq!(profile.time_by(1_900.1), None);
    }

    #[test]
    fn operations_by_an_instant_invert_the_times_and_their_area_is_their_integral() {
        let profile = profile();
        for operations in [0.5, 150.0, 333.3, 1_299.0, 1_650.0, 1_711.0, 1_899.0] {
            let time = profile.time_by(operations).expect("within the duration");
            // A nanosecond at 300/s is 3e-7 of an operation.
            assert!((profile.operations_by(time.as_nanos() as f64) - operations).abs() < 1e-6);
        }
        assert_eq!(profile.operations_by(-1e9), 0.0);
        // The midpoint rule over 14,000 steps of 1 ms: within slope * step^2 * duration / 24 of the integral, where the slope is a rate.
        let step = 1e6;
        let sum: f64 = (0..14_000)
            .map(|at| profile.operations_by((f64::from(at) + 0.5) * step) * step)
            .sum();
        assert!((profile.area_by(14e9) - sum).abs() < 300e-9 * step * 14e9);
    }

    #[test]
    fn without_a_profile_the_rate_is_constant_and_a_zero_rate_has_no_operations() {
        let plain = RateProfile::new(PerSecond(250.0), &[], SimDuration::from_secs(3));
        assert!((plain.total - 750.0).abs() < 1e-9);
        assert_eq!(plain.time_by(125.0), Some(SimTime::from_nanos(500_000_000)));
        let silent = RateProfile::new(
            PerSecond(250.0),
            &[point(0, 0.0)],
            SimDuration::from_secs(3),
        );
        assert_eq!(silent.time_by(0.0), None);
    }

    #[test]
    fn a_point_beyond_the_end_still_bends_the_rate_before_it() {
        // From 0/s rising to 100/s at second 10, cut at second 5: 5 * 50 / 2.
        let cut = RateProfile::new(
            PerSecond(100.0),
            &[point(0, 0.0), point(10, 1.0)],
            SimDuration::from_secs(5),
        );
        assert!((cut.total - 125.0).abs() < 1e-9);
    }
}
