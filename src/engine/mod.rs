//! The engine: one [`SimConfig`] in, one [`RunResult`] out. The only room that schedules.
//!
//! Must not know TOML, other runs, or where anything is written.
//!
//! Integer nanoseconds, one event loop. Regions open where the table's placement says; later regions divide, merge and move.
//! Draws belong to operations and attempts, so that neither batching nor the order of service changes a result.
//!
//! `simulation` keeps the `clock`, whose queues say what comes next, and the components: `table` (which region holds a row, and where it is), `rpc`
//! (what is in flight), `client`, `server`, `store` and `master`. Each component keeps its state to itself; what happens to several of them at a time
//! is a function of the simulation that lies with the component that begins it.
//!
//! Every operation takes one way, written once: `client` sends its RPCs, a `server` admits, serves and answers or refuses them, and `client` ends the
//! operation or sends it again. A call that meets a change of regions is refused, finds its region again by its key, and its client learns where
//! that is.

mod client;
mod clock;
mod config;
mod master;
mod numbers;
#[cfg(test)]
mod one_field_fixture;
mod rpc;
mod saturating;
mod server;
mod simulation;
mod store;
mod table;

pub use crate::cluster::Neighbour;
pub use client::reads::scanner_rows;
pub use config::{
    CellValues, ClosedLoops, ClusterChanges, ExistingRows, PlannedRead, SimConfig, StoredCells,
    TableCopy, split_sizes,
};
pub use saturating::{BusiestServer, MOST_DRAWN, locks_rows, saturating, saturating_rows};

use crate::metrics::RunResult;
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
