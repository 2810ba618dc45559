//! What a recorder must know of its run beforehand. Must not count.

use crate::time::{SimDuration, SimTime};

/// What the recorder must know beforehand.
#[derive(Debug, Clone)]
pub struct RecorderConfig {
    /// Number of servers, those that join later included.
    pub servers: u32,
    /// Number of servers at the start.
    pub servers_at_start: u32,
    /// Handlers of a server.
    pub handlers: u32,
    /// How long a write is expected to take a handler: its weight beside reads.
    pub write_work: SimDuration,
    /// Server of each region at the start, in key order; those of the copies follow, copy by copy, then those of neighbours.
    pub region_server: Vec<u32>,
    /// How many of them belong to the table itself, and to each of its copies.
    pub own_regions: Vec<u32>,
    /// Number of writes of the workload.
    pub writes: usize,
    /// Number of reads of the workload.
    pub reads: usize,
    /// Number of neighbours.
    pub neighbours: usize,
    /// Whether any write or read is open loop (decides what "saturated" means).
    pub open_loop: bool,
    /// End of the warm-up; the measurement window is `[warmup, duration)`.
    pub warmup: SimTime,
    /// Planned end of the run.
    pub duration: SimTime,
    /// Interval of the series and the skew metrics.
    pub sample: SimDuration,
    /// How much earlier than that of an operation which was told of before the time of another may be.
    pub lag: SimDuration,
    /// Number of key buckets; zero keeps no series.
    pub key_buckets: usize,
}
