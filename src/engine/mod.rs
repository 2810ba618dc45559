//! The engine: one [`SimConfig`] in, one [`RunResult`] out. The only room that schedules.
//!
//! Must not know TOML, other runs, or where anything is written.
//!
//! Integer nanoseconds, one event loop. Regions open where the table's placement says; later regions divide, merge and move.
//! Draws belong to operations and attempts, so that neither batching nor the order of service changes a result.
//!
//! A write to one table is a single call, and its path is short: `open_loop`, `closed_loop` and `flushing` send it, `server_side` works on
//! it, `retries` and `outcomes` end it. A read, and a write to a table with copies, takes several calls: `reads` and `copying` divide it
//! into the parts of `fan_out`, and `part_calls` takes each part from call to call. Both share the servers.
//!
//! `regions` holds what every call looks at; `region_changes` is the only place where regions and servers change. A call that meets a
//! change is refused, finds its region again by its key (`keys`), and its client learns where that is (`locating`).

mod aging;
#[cfg(test)]
mod aging_tests;
mod balancing;
#[cfg(test)]
mod balancing_tests;
mod calls;
#[cfg(test)]
mod change_tests;
mod closed_loop;
mod compaction_jobs;
mod config;
mod copying;
mod crashing;
mod events;
mod fan_out;
mod finishing;
mod flush_jobs;
mod flushing;
mod keys;
#[cfg(test)]
mod living_tests;
mod load_sampling;
mod locating;
mod master;
mod merging;
mod moving;
mod neighbouring;
#[cfg(test)]
mod one_field;
mod open_loop;
mod outcomes;
mod part_calls;
mod part_regions;
mod placing;
#[cfg(test)]
mod read_change_tests;
#[cfg(test)]
mod read_tests;
mod readers;
mod reads;
mod region_changes;
mod region_counts;
mod region_order;
mod regions;
mod regrouping;
mod retries;
mod row_spread;
mod row_weights;
mod saturating;
#[cfg(test)]
mod scan_change_tests;
mod scan_cursor;
mod server_side;
mod simulation;
mod splitting;
mod store;
mod store_handover;
#[cfg(test)]
mod store_run_tests;
#[cfg(test)]
mod store_tests;
mod stored_rows;
mod storing;
mod system_regions;
mod timeline;

pub use crate::cluster::{ClusterEvent, CrashTarget, Neighbour, TimedEvent};
pub use crate::policy::NormalizerSpec;
pub use config::{ClusterChanges, ExistingRows, PlannedRead, SimConfig, TableCopy};
pub use reads::{scan_calls, scanner_rows};
pub use saturating::saturating;

use crate::metrics::RunResult;
use crate::random::{DrawKey, Draws, Seed, Stream};
use crate::workload::OperationId;
use std::sync::atomic::AtomicBool;

/// Simulates one run. It always ends: a client starts at most an operation a microsecond, and one that is refused waits 100 µs at least.
pub fn run(config: &SimConfig) -> RunResult {
    let run = simulation::Simulation::new(config).run();
    run.expect("nobody stops it")
}

/// The same; `None` when `stop` becomes true before its end. It is looked at after every few thousand events.
pub fn run_unless(config: &SimConfig, stop: &AtomicBool) -> Option<RunResult> {
    simulation::Simulation::new(config).stopped_by(stop).run()
}

/// Draws that belong to an attempt of an operation.
#[derive(Debug, Clone, Copy)]
struct AttemptDraws(DrawKey);

impl AttemptDraws {
    fn new(seed: Seed, replicate: u32, purpose: Stream) -> Self {
        Self(DrawKey::new(seed, replicate, purpose, 0))
    }

    /// The draws of an attempt after `failures` failed ones. Multiples of 2^64 / golden ratio keep the attempts of 2^56 operations
    /// apart: the first hundred multiples differ by more than 2^56.
    #[inline]
    fn at(self, operation: OperationId, failures: u32) -> Draws {
        self.0.at(operation
            .0
            .wrapping_add(u64::from(failures).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }
}
