//! How long a client pauses before it tries again. Must not know what failed.

use super::ClientSpec;
use crate::random::Draws;
use crate::time::SimDuration;

/// `HConstants.RETRY_BACKOFF`; the last value repeats.
const MULTIPLIERS: [u64; 13] = [1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200];
/// `ConnectionUtils.getPauseTime` adds up to 1 % of the pause.
const JITTER: f64 = 0.01;
/// A refused attempt costs its client at least this time, whatever the network and the pause (estimate: a remote procedure call to a process of the
/// same machine, its exception included). Clients that are refused at once would otherwise ask without end in no time.
const LEAST_ROUND_TRIP: SimDuration = SimDuration::from_nanos(100_000);
/// No pause is shorter, however long the network takes.
const LEAST_PAUSE: SimDuration = SimDuration::from_nanos(1_000);

/// HBase's back-off table times a pause.
#[derive(Debug, Clone, Copy)]
pub struct BackOff {
    pause_nanos: u64,
    /// The shortest time from a refusal to what its client does next: the rest of 100 µs after both ways of the network, and at least 1 µs.
    pub least: SimDuration,
}

impl BackOff {
    /// With `hbase.client.pause`, on a network that takes `network` each way.
    pub fn new(pause: SimDuration, network: SimDuration) -> Self {
        let ways = network.as_nanos().saturating_mul(2);
        let least = LEAST_ROUND_TRIP.as_nanos().saturating_sub(ways);
        Self {
            pause_nanos: pause.as_nanos(),
            least: SimDuration::from_nanos(least).max(LEAST_PAUSE),
        }
    }

    /// The pause after the `failures`-th failure in a row (from 1); the jitter is the first of `draws`. At least [`BackOff::least`].
    pub fn pause(&self, failures: u32, mut draws: Draws) -> SimDuration {
        let pause = self.nanos(failures);
        let jitter = (pause as f64 * JITTER * draws.unit()) as u64;
        SimDuration::from_nanos(pause.saturating_add(jitter)).max(self.least)
    }

    /// The same without jitter.
    pub fn steady_pause(&self, failures: u32) -> SimDuration {
        SimDuration::from_nanos(self.nanos(failures)).max(self.least)
    }

    fn nanos(&self, failures: u32) -> u64 {
        let step = (failures.max(1) as usize - 1).min(MULTIPLIERS.len() - 1);
        self.pause_nanos.saturating_mul(MULTIPLIERS[step])
    }
}

/// Attempts of a client that is refused all the time, in so many seconds: a multiple of HBase's table after each, from the start again when its retries
/// are used up.
pub fn attempts(client: &ClientSpec, network: SimDuration, secs: f64) -> f64 {
    let back_off = BackOff::new(client.pause, network);
    let way = 2.0 * network.as_secs_f64();
    let (mut at, mut count) = (0.0, 0.0);
    for failures in 1..=client.retries.min(1_000) {
        let pause = back_off.steady_pause(failures).as_secs_f64() + way;
        if at + pause > secs {
            return count + 1.0;
        }
        (at, count) = (at + pause, count + 1.0);
    }
    let all = at + way + back_off.least.as_secs_f64();
    (count + 1.0) * (secs / all).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    #[test]
    fn fifteen_retries_pause_as_hbase_does() {
        let back_off = BackOff::new(SimDuration::from_millis(100), SimDuration::ZERO);
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
    fn a_refused_attempt_takes_100_microseconds_at_least_on_any_network() {
        let key = DrawKey::new(Seed(1), 0, Stream::BackOff, 0);
        for (network, pause) in [(0, 100), (20, 60), (49, 2), (50, 1), (250, 1)] {
            let network = SimDuration::from_nanos(network * 1_000);
            let back_off = BackOff::new(SimDuration::ZERO, network);
            let pause = SimDuration::from_nanos(pause * 1_000);
            assert_eq!(back_off.pause(3, key.at(1)), pause, "{network:?}");
        }
    }
}
