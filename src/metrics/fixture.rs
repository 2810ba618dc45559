//! A run on two servers that the tests of this room record by hand.

use super::{MetricId, RecorderConfig, RunResult};
use crate::time::{SimDuration, SimTime};
use crate::workload::WriteId;

pub(super) const W: WriteId = WriteId(0);

pub(super) fn ms(millis: u64) -> SimTime {
    SimTime::from_nanos(millis * 1_000_000)
}

/// Two servers of 4 handlers; regions 0, 2 on server 0 and 1, 3 on server 1; warm-up 1 s, intervals of 1 s.
pub(super) fn config(duration_ms: u64) -> RecorderConfig {
    RecorderConfig {
        servers: 2,
        servers_at_start: 2,
        own_regions: vec![4],
        handlers: 4,
        write_work: SimDuration::from_nanos(1),
        region_server: vec![0, 1, 0, 1],
        imports: vec![false; 2],
        reads: 0,
        neighbours: 0,
        open_loop: true,
        warmup: ms(1_000),
        duration: ms(duration_ms),
        sample: SimDuration::from_secs(1),
        lag: SimDuration::from_secs(9),
        key_buckets: 3,
    }
}

/// A metric that must be defined.
#[track_caller]
pub(super) fn metric(result: &RunResult, id: MetricId) -> f64 {
    result.metrics[id].unwrap_or_else(|| panic!("{} is undefined", id.name()))
}
