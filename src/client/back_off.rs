//! How long a client pauses before it tries again. Must not know what failed.

use crate::random::Draws;
use crate::time::SimDuration;

/// `HConstants.RETRY_BACKOFF`; the last value repeats.
const MULTIPLIERS: [u64; 13] = [1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200];
/// `ConnectionUtils.getPauseTime` adds up to 1 % of the pause.
const JITTER: f64 = 0.01;
/// No retry follows sooner, so that retries without a pause on a network without delay still end.
const LEAST_NANOS: u64 = 1_000;

/// HBase's back-off table times a pause.
#[derive(Debug, Clone, Copy)]
pub struct BackOff {
    pause_nanos: u64,
}

impl BackOff {
    /// With `hbase.client.pause`.
    pub fn new(pause: SimDuration) -> Self {
        Self {
            pause_nanos: pause.as_nanos(),
        }
    }

    /// The pause after the `failures`-th failure in a row (from 1); the jitter is the first of `draws`. At least 1 µs.
    #[inline]
    pub fn pause(&self, failures: u32, mut draws: Draws) -> SimDuration {
        let step = (failures.max(1) as usize - 1).min(MULTIPLIERS.len() - 1);
        let pause = self.pause_nanos.saturating_mul(MULTIPLIERS[step]);
        let jitter = (pause as f64 * JITTER * draws.unit()) as u64;
        SimDuration::from_nanos(pause.saturating_add(jitter).max(LEAST_NANOS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    #[test]
    fn fifteen_retries_pause_as_hbase_does() {
        let back_off = BackOff::new(SimDuration::from_millis(100));
        let key = DrawKey::new(Seed(1), 0, Stream::BackOff, 0);
        let expected = [
            100, 200, 300, 500, 1000, 2000, 4000, 10_000, 10_000, 10_000, 10_000, 20_000, 20_000,
            20_000, 20_000,
        ];
        for (failures, millis) in (1..).zip(expected) {
            for operation in 0..50 {
                let pause = back_off.pause(failures, key.at(operation));
                let least = SimDuration::from_millis(millis);
                assert!(
                    pause >= least && pause < least.mul_f64(1.01),
                    "{failures}: {pause:?}"
                );
            }
        }
    }

    #[test]
    fn a_pause_is_never_zero() {
        let key = DrawKey::new(Seed(1), 0, Stream::BackOff, 0);
        assert_eq!(
            BackOff::new(SimDuration::ZERO).pause(3, key.at(1)),
            SimDuration::from_nanos(1_000)
        );
    }
}
