//! What happens to regions and servers: as the engine reports it, as charts and files show it, counted, and listed as far as charts need it.
//! Must not know demand or calls.

use super::table::Intervals;
use crate::keyspace::RowKey;
use crate::text::{counted, verb, words};
use crate::time::SimTime;

/// Entries of one kind that are listed; all are counted.
const LISTED_OF_A_KIND: usize = 2_000;

/// Why a server refused a call or a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// `CallQueueTooBig`.
    CallQueueTooBig,
    /// `NotServingRegion`: the region is offline, elsewhere, or was split; or the server is dead.
    NotServingRegion,
    /// `RegionTooBusy`: the memstore is too full.
    RegionTooBusy,
}

impl RefusalReason {
    /// How many there are.
    pub const COUNT: usize = Self::RegionTooBusy as usize + 1;
}

words! {
    /// What happened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EventKind: "event" {
        /// A region goes offline to be divided: its daughters open on its server later.
        Split = "split",
        /// A region that is due to be divided has no row to be divided at: one row, or the middle lies at its start.
        NoSplitRow = "no-split-row",
        /// Two regions go offline to become one.
        Merge = "merge",
        /// A region goes offline to move to another server.
        Move = "move",
        /// A region is there again: a daughter, a merged or moved one, or one of a server that died.
        Open = "open",
        /// A memstore was written to a file.
        Flush = "flush",
        /// Files became one.
        Compaction = "compaction",
        /// The balancer ran.
        Balancer = "balancer",
        /// A server died.
        Crash = "crash",
        /// The master knows that a server is dead: its regions will open elsewhere.
        CrashDetected = "crash-detected",
        /// A server became slower or as fast as before.
        Slow = "slow",
        /// Servers joined.
        ServersAdded = "servers-added",
        /// An event of the scenario does not happen: its server is not alive, or is the last one.
        Impossible = "impossible",
    }
}

/// One happening, flat: a row of `events.csv`. What does not apply is `None`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SeriesEvent {
    /// When, in simulated milliseconds.
    pub at_ms: f64,
    /// What happened.
    pub event: EventKind,
    /// The region that it happens to; of a merge, the lower one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<u32>,
    /// Regions that take over its range: lower and upper daughter, or the merged one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heirs: Vec<u32>,
    /// The other region of a merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<u32>,
    /// The server that it happens on; of a move, the one that the region leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<u32>,
    /// The server that a region moves to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// Where a region is split, in HBase's notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// Bytes written, replayed, or referred to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Everything else, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What the engine reports; the recorder knows when.
impl SeriesEvent {
    /// A happening of which nothing else is known.
    pub fn new(at_ms: f64, event: EventKind) -> Self {
        Self {
            at_ms,
            event,
            region: None,
            heirs: Vec::new(),
            upper: None,
            server: None,
            to: None,
            row: None,
            bytes: None,
            detail: None,
        }
    }

    fn of_region(event: EventKind, region: u32, server: Option<u32>) -> Self {
        let mut of_region = Self::new(0.0, event);
        (of_region.region, of_region.server) = (Some(region), server);
        of_region
    }

    fn of_server(event: EventKind, server: u32, detail: impl Into<Option<String>>) -> Self {
        let mut of_server = Self::told(event, detail);
        of_server.server = Some(server);
        of_server
    }

    fn told(event: EventKind, detail: impl Into<Option<String>>) -> Self {
        let mut told = Self::new(0.0, event);
        told.detail = detail.into();
        told
    }

    /// A region is divided at a row; `bytes` in its store files become references.
    pub fn split(parent: u32, daughters: [u32; 2], row: &RowKey, bytes: u64) -> Self {
        let mut split = Self::of_region(EventKind::Split, parent, None);
        split.heirs = daughters.to_vec();
        (split.row, split.bytes) = (Some(row.to_string()), Some(bytes));
        split
    }

    /// Why a region can't be divided.
    pub fn no_split_row(region: u32, reason: String) -> Self {
        let mut unsplit = Self::of_region(EventKind::NoSplitRow, region, None);
        unsplit.detail = Some(reason);
        unsplit
    }

    /// Two regions, the lower one first, become one.
    pub fn merged([lower, upper]: [u32; 2], merged: u32) -> Self {
        let mut merge = Self::of_region(EventKind::Merge, lower, None);
        (merge.upper, merge.heirs) = (Some(upper), vec![merged]);
        merge
    }

    /// A region moves.
    pub fn moved(region: u32, from: u32, to: u32) -> Self {
        let mut moved = Self::of_region(EventKind::Move, region, Some(from));
        moved.to = Some(to);
        moved
    }

    /// A region opens.
    pub fn opened(region: u32, server: u32) -> Self {
        Self::of_region(EventKind::Open, region, Some(server))
    }

    /// A memstore became a file of so many bytes.
    pub fn flushed(region: u32, server: u32, bytes: u64) -> Self {
        let mut flush = Self::of_region(EventKind::Flush, region, Some(server));
        flush.bytes = Some(bytes);
        flush
    }

    /// Files, a daughter's references among them or not, became one of so many bytes; nothing may be left of the region's rows.
    pub fn compacted(
        region: u32,
        server: u32,
        bytes: u64,
        references: bool,
        is_empty: bool,
    ) -> Self {
        let mut compaction = Self::of_region(EventKind::Compaction, region, Some(server));
        compaction.bytes = Some(bytes);
        compaction.detail = match (references, is_empty) {
            (_, true) => Some("the region is empty now, and stays open".to_owned()),
            (true, _) => Some("references".to_owned()),
            _ => None,
        };
        compaction
    }

    /// A server dies.
    pub fn crashed(server: u32) -> Self {
        Self::of_server(EventKind::Crash, server, None)
    }

    /// The master learns that a server died that had so many regions; so many bytes of its log are replayed.
    pub fn crash_detected(server: u32, regions: usize, replayed_bytes: u64) -> Self {
        let open = verb(regions, ["opens", "open"]);
        let detail = format!("{} {open} elsewhere", counted(regions, "region"));
        let mut detected = Self::of_server(EventKind::CrashDetected, server, detail);
        detected.bytes = Some(replayed_bytes);
        detected
    }

    /// A server's services and syncs take so many times as long.
    pub fn slowed(server: u32, times: f64) -> Self {
        let detail = match times == 1.0 {
            true => "as fast as ever again".to_owned(),
            false => format!("{times} times as slow"),
        };
        Self::of_server(EventKind::Slow, server, detail)
    }

    /// Why an event of the scenario does not happen.
    pub fn impossible(reason: String) -> Self {
        Self::told(EventKind::Impossible, reason)
    }

    /// Regions that end, their ranges taken over by the heirs.
    pub(super) fn parents(&self) -> Vec<u32> {
        match self.heirs.is_empty() {
            true => Vec::new(),
            false => self.region.into_iter().chain(self.upper).collect(),
        }
    }
}

/// The log of one run.
#[derive(Debug, Default)]
pub(super) struct ClusterLog {
    /// Whether entries are listed, for charts.
    listing: bool,
    /// In order of time.
    pub(super) listed: Vec<SeriesEvent>,
    count_of: [usize; EventKind::ALL.len()],
    flushed_bytes: u64,
    pub(super) rewritten_bytes: u64,
    pub(super) balancer_starts: u64,
    pub(super) greatest_cost: Option<f64>,
    /// Regions of the table and its copies at the start.
    pub(super) regions_at_start: u32,
    /// From each time on.
    servers: Vec<(SimTime, Servers)>,
}

/// Servers of a cluster at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Servers {
    /// How many had joined: what a dead one would take is missing, so that means are over these.
    pub(super) joined: u32,
    /// Those that regions lie on: all but those that are known to be dead.
    pub(super) serving: u32,
}

impl ClusterLog {
    /// Of a run that starts with so many regions (of the table and its copies) and servers.
    pub(super) fn new(regions: u32, servers: u32, listing: bool) -> Self {
        let servers = Servers {
            joined: servers,
            serving: servers,
        };
        Self {
            listing,
            regions_at_start: regions,
            servers: vec![(SimTime::ZERO, servers)],
            ..Self::default()
        }
    }

    /// Something happened at `at`, not before what happened last.
    pub(super) fn push(&mut self, at: SimTime, mut event: SeriesEvent) {
        event.at_ms = at.as_nanos() as f64 / 1e6;
        let bytes = event.bytes.unwrap_or(0);
        match event.event {
            EventKind::Flush => self.flushed_bytes += bytes,
            EventKind::Compaction => self.rewritten_bytes += bytes,
            EventKind::CrashDetected => self.servers_change(at, |it| it.serving -= 1),
            _ => {}
        }
        let count = &mut self.count_of[event.event as usize];
        *count += 1;
        if self.listing && *count <= LISTED_OF_A_KIND {
            self.listed.push(event);
        }
    }

    /// The balancer ran: what it found, in words and, if it is the stochastic one, as a weighted mean cost, and whether it looked for moves.
    pub(super) fn balanced(
        &mut self,
        at: SimTime,
        finding: String,
        cost: Option<f64>,
        started: bool,
    ) {
        self.balancer_starts += u64::from(started);
        let costs = self.greatest_cost.into_iter().chain(cost);
        self.greatest_cost = costs.reduce(f64::max);
        self.push(at, SeriesEvent::told(EventKind::Balancer, finding));
    }

    /// Servers joined, from number `first` on.
    pub(super) fn servers_added(&mut self, at: SimTime, first: u32, count: u32) {
        self.servers_change(at, |it| {
            it.joined += count;
            it.serving += count;
        });
        let servers = counted(count, "server");
        let event = SeriesEvent::of_server(EventKind::ServersAdded, first, servers);
        self.push(at, event);
    }

    fn servers_change(&mut self, at: SimTime, change: impl FnOnce(&mut Servers)) {
        let mut servers = self.servers[self.servers.len() - 1].1;
        change(&mut servers);
        self.servers.push((at, servers));
    }

    fn servers_at(&self, at: SimTime) -> Servers {
        let after = self.servers.partition_point(|&(from, _)| from <= at);
        self.servers[after.max(1) - 1].1
    }

    /// Servers by the middle of an interval.
    pub(super) fn servers_in(&self, intervals: &Intervals, interval: usize) -> Servers {
        let middle = intervals
            .start(interval)
            .midpoint(intervals.start(interval + 1));
        self.servers_at(SimTime::from_nanos(middle))
    }

    /// Regions of the table and its copies now.
    pub(super) fn regions_at_end(&self) -> usize {
        let divided = self.regions_at_start as usize + self.count(EventKind::Split);
        divided.saturating_sub(self.count(EventKind::Merge))
    }

    /// How often something happened.
    pub(super) fn count(&self, kind: EventKind) -> usize {
        self.count_of[kind as usize]
    }

    /// Bytes that flushes and compactions wrote over those of flushes alone.
    pub(super) fn write_amplification(&self) -> Option<f64> {
        let written = (self.flushed_bytes + self.rewritten_bytes) as f64;
        (self.flushed_bytes > 0).then(|| written / self.flushed_bytes as f64)
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
