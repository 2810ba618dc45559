//! Simulated time: integer nanoseconds, so that equal inputs give equal orders on every machine.
//!
//! Must not know what happens at any time, nor read a wall clock.

use std::ops::{Add, Sub};

/// An instant of one run, in nanoseconds since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimTime(u64);

/// A length of simulated time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimDuration(u64);

/// An instant of the simulated world's calendar, in nanoseconds since 1970-01-01T00:00:00Z;
/// what a `timestamp` field holds. Range: years 1677 to 2262.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EpochNanos(pub i64);

impl SimTime {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than every event.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `nanos` after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for reports.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time from `earlier` to `self`; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// Length in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Length in seconds, for reports.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Length in milliseconds, for reports.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// `self` times a non-negative factor, rounded to the nearest nanosecond.
    pub fn mul_f64(self, factor: f64) -> Self {
        debug_assert!(factor >= 0.0);
        Self((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Add<SimDuration> for SimTime {
    type Output = SimTime;
    fn add(self, length: SimDuration) -> SimTime {
        SimTime(self.0.saturating_add(length.0))
    }
}

impl Sub<SimDuration> for SimTime {
    type Output = SimTime;
    fn sub(self, length: SimDuration) -> SimTime {
        SimTime(self.0.saturating_sub(length.0))
    }
}

impl Add for SimDuration {
    type Output = SimDuration;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl EpochNanos {
    /// The calendar instant that is `time` after `self`, the calendar start of a run.
    pub fn at(self, time: SimTime) -> Self {
        Self(self.0.saturating_add(time.0.min(i64::MAX as u64) as i64))
    }

    /// The calendar instant `length` before `self`.
    pub fn before(self, length: SimDuration) -> Self {
        Self(self.0.saturating_sub(length.0.min(i64::MAX as u64) as i64))
    }
}
