//! The grid of sample intervals that a run is cut into, aligned with the end of the warm-up. Must not know what is counted in them.

use crate::time::{SimDuration, SimTime};

/// Intervals of equal length; one of them starts exactly when the measurement window does, the very first may be shorter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Intervals {
    sample: u64,
    /// How much of interval 0 would lie before the start of the run.
    shift: u64,
    warmup: u64,
}

/// Remembers the interval of the last instant that was asked for: most questions need no division.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    start: u64,
    length: u64,
    index: usize,
}

impl Intervals {
    /// Intervals of length `sample`, `group` of which make one of the series; the window starts on a boundary of both.
    pub(super) fn new(sample: SimDuration, warmup: SimTime, group: u64) -> Self {
        let sample = sample.as_nanos().max(1);
        let warmup = warmup.as_nanos();
        let coarse = sample * group;
        Self {
            sample,
            shift: (coarse - warmup % coarse) % coarse,
            warmup,
        }
    }

    /// The interval that holds `nanos`.
    #[inline]
    pub(super) fn index(&self, nanos: u64) -> usize {
        ((nanos + self.shift) / self.sample) as usize
    }

    /// In how many intervals instants may lie that are at most so far apart.
    pub(super) fn spanned(&self, length: SimDuration) -> usize {
        (length.as_nanos() / self.sample) as usize + 2
    }

    /// The first interval of the window.
    pub(super) fn window_start(&self) -> usize {
        self.index(self.warmup)
    }

    /// Start of an interval in nanoseconds; zero for those that would start before the run.
    pub(super) fn start(&self, index: usize) -> u64 {
        (index as u64 * self.sample).saturating_sub(self.shift)
    }

    /// Length of an interval in a run that ends at `end`.
    pub(super) fn length(&self, index: usize, end: u64) -> u64 {
        self.start(index + 1)
            .min(end)
            .saturating_sub(self.start(index))
    }

    /// Number of intervals that a run ending at `end` touches.
    pub(super) fn count(&self, end: u64) -> usize {
        (end + self.shift).div_ceil(self.sample) as usize
    }

    /// Where interval 0 would start, in milliseconds; not positive.
    pub(super) fn origin_ms(&self) -> f64 {
        -(self.shift as f64) / 1e6
    }
}

impl Cursor {
    /// Start of the interval in which it stands.
    #[inline]
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The interval of `nanos`, if the cursor stands in it.
    #[inline]
    pub(super) fn here(&self, nanos: u64) -> Option<usize> {
        (nanos.wrapping_sub(self.start) < self.length).then_some(self.index)
    }

    /// Goes to the interval of `nanos`.
    #[cold]
    pub(super) fn go(&mut self, intervals: &Intervals, nanos: u64) -> usize {
        self.index = intervals.index(nanos);
        self.start = intervals.start(self.index);
        self.length = intervals.start(self.index + 1) - self.start;
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn the_window_starts_on_a_boundary() {
        let warmup = SimTime::from_nanos(5 * SECOND / 2);
        let intervals = Intervals::new(SimDuration::from_secs(1), warmup, 1);
        // [0, 0.5), [0.5, 1.5), [1.5, 2.5), [2.5, ...
        assert_eq!(intervals.window_start(), 3);
        assert_eq!(intervals.start(3), 5 * SECOND / 2);
        assert_eq!(intervals.length(0, 10 * SECOND), SECOND / 2);
        assert_eq!(intervals.count(10 * SECOND), 11);
        assert_eq!(intervals.length(10, 10 * SECOND), SECOND / 2);
        assert_eq!(intervals.origin_ms(), -500.0);
    }

    #[test]
    fn a_cursor_agrees_with_the_division() {
        let intervals = Intervals::new(SimDuration::from_nanos(7), SimTime::from_nanos(10), 3);
        assert_eq!(intervals.window_start() % 3, 0);
        let mut cursor = Cursor::default();
        for nanos in [0, 3, 2, 50, 9, 10, 11, 17, 16, 1000, 5] {
            let interval = cursor
                .here(nanos)
                .unwrap_or_else(|| cursor.go(&intervals, nanos));
            assert_eq!(interval, intervals.index(nanos), "{nanos}");
            assert_eq!(cursor.here(nanos), Some(interval));
        }
    }
}
