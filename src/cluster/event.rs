//! What happens to the cluster at a given time, and who else uses it. Must not know what follows from it.

use crate::keyspace::RowKey;
use crate::storage::RowSize;
use crate::time::{SimDuration, SimTime};
use std::sync::Arc;

/// Something that happens to the cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedEvent {
    /// When.
    pub at: SimTime,
    /// What.
    pub event: ClusterEvent,
}

/// Servers that have joined by a time, those that died included, of so many at the start.
pub fn servers_by(time: SimTime, at_start: u32, events: &[TimedEvent]) -> u32 {
    let joining = events.iter().filter(|timed| timed.at <= time);
    let joining = joining.map(|timed| match timed.event {
        ClusterEvent::AddServers(count) => count,
        _ => 0,
    });
    joining.fold(at_start, u32::saturating_add)
}

/// What can happen to the cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum ClusterEvent {
    /// A server dies.
    Crash(CrashTarget),
    /// A server works more slowly: its services and syncs take `times` as long.
    Slow {
        /// Its number, from 0.
        server: u32,
        /// > 0.
        times: f64,
        /// From the event on.
        length: SimDuration,
    },
    /// Servers join, without regions.
    AddServers(u32),
    /// An operator splits the regions that hold these rows, there.
    Split(Arc<[RowKey]>),
}

/// Which server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashTarget {
    /// The one with most demand of the table in the last whole interval, the lowest number of equal ones.
    Hottest,
    /// This one, from 0.
    Server(u32),
}

/// Another table on the same servers: open-loop puts and Gets of single rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its name in the scenario.
    pub name: String,
    /// Its regions, dealt to the servers; >= 1.
    pub regions: u32,
    /// Puts a second, over all its regions.
    pub write_rate: f64,
    /// Gets a second, over all its regions.
    pub read_rate: f64,
    /// Share of its load on its hottest region; `None` spreads it evenly.
    pub hottest: Option<f64>,
}

impl Neighbour {
    /// Bytes of its row keys (estimate).
    pub const KEY_BYTES: u64 = 16;

    /// Bytes of the value of a row's only cell (estimate; the default of `table.value`).
    const VALUE_BYTES: u64 = 100;

    /// What its rows weigh.
    pub fn row_size() -> RowSize {
        RowSize::new(1, ["v"], Self::VALUE_BYTES)
    }
}
