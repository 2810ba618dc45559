//! How many of a region's writes were refused lately, as `BusyRegionSplitPolicy` counts them. Must not know why they were.

use crate::time::{SimDuration, SimTime};

/// Refused batches per written row: the last whole window's rate, faded into that of the running one
/// (`BusyRegionSplitPolicy.updateRate`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockedRate {
    opened: SimTime,
    window_start: SimTime,
    /// Counters at the start of the window.
    refused: u64,
    written: u64,
    /// Rate of the window before.
    last: f32,
}

impl BlockedRate {
    /// Of a region opened at `now`, whose counters start at 0.
    pub fn new(now: SimTime) -> Self {
        Self {
            opened: now,
            window_start: now,
            refused: 0,
            written: 0,
            last: 0.0,
        }
    }

    /// The rate at `now`, from the counters since the region's opening: batches refused for memstore, and rows written (refused
    /// ones are not). 0 before the first whole `window`. Begins a new window when one has passed, so it is to be asked when HBase
    /// asks: with each check of the split policy.
    pub fn update(&mut self, now: SimTime, refused: u64, written: u64, window: SimDuration) -> f32 {
        // HBase's guard against a division by zero: an idle region that refuses one batch has a rate of 100,000.
        const NO_WRITES: f32 = 1e-5;
        let rate = (refused - self.refused) as f32 / ((written - self.written) as f32 + NO_WRITES);
        let elapsed = now.since(self.window_start);
        if elapsed >= window {
            self.last = rate;
            self.window_start = now;
            self.refused = refused;
            self.written = written;
            rate
        } else if now.since(self.opened) >= window {
            let part = elapsed.as_nanos() as f32 / window.as_nanos() as f32;
            (1.0 - part) * self.last + part * rate
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_zero_for_a_window_then_fades_from_the_last_to_the_running_one() {
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        let window = SimDuration::from_millis(300_000);
        let mut rate = BlockedRate::new(at(100));
        assert_eq!(rate.update(at(399), 50, 100, window), 0.0);
        // 60 of 120 in the first window.
        assert!((rate.update(at(400), 60, 120, window) - 0.5).abs() < 1e-6);
        // A third into the next: 2/3 of 0.5 and 1/3 of 10/100.
        let found = rate.update(at(500), 70, 220, window);
        assert!((found - (0.5 * 2.0 / 3.0 + 0.1 / 3.0)).abs() < 1e-6);
        // The window goes on from its start: 40/400.
        assert!((rate.update(at(700), 100, 520, window) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn an_idle_region_that_refuses_one_batch_has_hbases_rate_of_100_000() {
        let window = SimDuration::from_millis(300_000);
        let mut rate = BlockedRate::new(SimTime::from_nanos(0));
        // 1 / (0 + 0.00001).
        let found = rate.update(SimTime::from_nanos(300_000_000_000), 1, 0, window);
        assert!((found - 100_000.0).abs() < 1.0, "{found}");
    }
}
