//! What happens to regions and servers, as the engine reports it. Must not know what it leads to.

use crate::keyspace::RowKey;

/// Something that happened to regions or servers. Regions and servers by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum TopologyEvent {
    /// A region goes offline to be split: its daughters open on its server later.
    Split {
        /// It serves no more calls.
        parent: u32,
        /// The daughter below the row.
        lower: u32,
        /// The daughter from the row on.
        upper: u32,
        /// Where.
        row: RowKey,
        /// Bytes in store files that become references.
        bytes: u64,
    },
    /// A region that is due to be split has no split row: one row, or the middle lies at its start.
    NoSplitRow {
        /// Which.
        region: u32,
        /// Why, in words.
        reason: String,
    },
    /// Neighbours go offline to become one region.
    Merge {
        /// The lower one.
        lower: u32,
        /// The upper one.
        upper: u32,
        /// What they become.
        merged: u32,
    },
    /// A region goes offline to move.
    Move {
        /// Which.
        region: u32,
        /// From this server.
        from: u32,
        /// To this one.
        to: u32,
    },
    /// A region opens: a daughter, a merged or moved one, or one of a server that died.
    Open {
        /// Which.
        region: u32,
        /// On this server.
        server: u32,
    },
    /// A memstore was written to a store file.
    Flush {
        /// Of this region.
        region: u32,
        /// On this server.
        server: u32,
        /// Bytes of the file.
        bytes: u64,
    },
    /// Store files were rewritten into one.
    Compaction {
        /// Of this region.
        region: u32,
        /// On this server.
        server: u32,
        /// Bytes written.
        bytes: u64,
        /// References of a daughter were among them.
        references: bool,
    },
    /// The balancer ran.
    Balanced {
        /// What it found, in words: a cost with its threshold, or region counts.
        finding: String,
        /// Weighted mean cost, of the stochastic balancer.
        cost: Option<f64>,
        /// It looked for moves.
        started: bool,
        /// Regions that it will move.
        moves: u32,
    },
    /// A server died.
    Crash {
        /// Which.
        server: u32,
    },
    /// The master learns that a server died: its regions will open elsewhere.
    CrashDetected {
        /// Which.
        server: u32,
        /// Its regions.
        regions: u32,
        /// Bytes of the log that are replayed.
        replayed_bytes: u64,
    },
    /// A server slows down (or is as fast as ever again: `times` = 1).
    Slow {
        /// Which.
        server: u32,
        /// Its services and syncs take so many times as long.
        times: f64,
    },
    /// Servers joined.
    ServersAdded {
        /// The first of them.
        first: u32,
        /// How many.
        count: u32,
    },
    /// An event of the scenario does not happen: its server is not alive, or is the last one.
    Impossible {
        /// Why, in words.
        reason: String,
    },
}

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
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::CallQueueTooBig,
        Self::NotServingRegion,
        Self::RegionTooBusy,
    ];
}
