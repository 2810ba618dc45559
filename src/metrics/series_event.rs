//! What happened to regions and servers, as charts and files show it. Must not know what is drawn.

use super::topology_event::TopologyEvent;
use crate::time::SimTime;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A region was divided.
    Split,
    /// A region that is due to be divided has no row to be divided at.
    NoSplitRow,
    /// Two regions became one.
    Merge,
    /// A region leaves its server.
    Move,
    /// A region is there again.
    Open,
    /// A memstore was written to a file.
    Flush,
    /// Files became one.
    Compaction,
    /// The balancer ran.
    Balancer,
    /// A server died.
    Crash,
    /// The master knows that a server is dead.
    CrashDetected,
    /// A server became slower or as fast as before.
    Slow,
    /// Servers joined.
    ServersAdded,
    /// What the scenario asks for can't be done.
    Impossible,
}

impl EventKind {
    /// How many kinds there are.
    pub(super) const COUNT: usize = 13;

    /// As files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::NoSplitRow => "no-split-row",
            Self::Merge => "merge",
            Self::Move => "move",
            Self::Open => "open",
            Self::Flush => "flush",
            Self::Compaction => "compaction",
            Self::Balancer => "balancer",
            Self::Crash => "crash",
            Self::CrashDetected => "crash-detected",
            Self::Slow => "slow",
            Self::ServersAdded => "servers-added",
            Self::Impossible => "impossible",
        }
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
}

impl SeriesEvent {
    /// What happened at a time.
    pub(super) fn of(at: SimTime, what: TopologyEvent) -> Self {
        let one = |event| Self::new(at.as_nanos() as f64 / 1e6, event);
        match what {
            TopologyEvent::Split {
                parent,
                lower,
                upper,
                row,
                bytes,
            } => Self {
                region: Some(parent),
                heirs: vec![lower, upper],
                row: Some(row.to_string()),
                bytes: Some(bytes),
                ..one(EventKind::Split)
            },
            TopologyEvent::NoSplitRow { region, reason } => Self {
                region: Some(region),
                detail: Some(reason),
                ..one(EventKind::NoSplitRow)
            },
            TopologyEvent::Merge {
                lower,
                upper,
                merged,
            } => Self {
                region: Some(lower),
                upper: Some(upper),
                heirs: vec![merged],
                ..one(EventKind::Merge)
            },
            TopologyEvent::Move { region, from, to } => Self {
                region: Some(region),
                server: Some(from),
                to: Some(to),
                ..one(EventKind::Move)
            },
            TopologyEvent::Open { region, server } => Self {
                region: Some(region),
                server: Some(server),
                ..one(EventKind::Open)
            },
            TopologyEvent::Flush {
                region,
                server,
                bytes,
            } => Self {
                region: Some(region),
                server: Some(server),
                bytes: Some(bytes),
                ..one(EventKind::Flush)
            },
            TopologyEvent::Compaction {
                region,
                server,
                bytes,
                references,
            } => Self {
                region: Some(region),
                server: Some(server),
                bytes: Some(bytes),
                detail: references.then(|| "references".to_owned()),
                ..one(EventKind::Compaction)
            },
            TopologyEvent::Balanced { finding, .. } => Self {
                detail: Some(finding),
                ..one(EventKind::Balancer)
            },
            TopologyEvent::Crash { server } => Self {
                server: Some(server),
                ..one(EventKind::Crash)
            },
            TopologyEvent::CrashDetected {
                server,
                regions,
                replayed_bytes,
            } => Self {
                server: Some(server),
                bytes: Some(replayed_bytes),
                detail: Some(match regions {
                    1 => "1 region opens elsewhere".to_owned(),
                    _ => format!("{regions} regions open elsewhere"),
                }),
                ..one(EventKind::CrashDetected)
            },
            TopologyEvent::Slow { server, times } => Self {
                server: Some(server),
                detail: Some(match times == 1.0 {
                    true => "as fast as ever again".to_owned(),
                    false => format!("{times} times as slow"),
                }),
                ..one(EventKind::Slow)
            },
            TopologyEvent::ServersAdded { first, count } => Self {
                server: Some(first),
                detail: Some(match count {
                    1 => "1 server".to_owned(),
                    _ => format!("{count} servers"),
                }),
                ..one(EventKind::ServersAdded)
            },
            TopologyEvent::Impossible { reason } => Self {
                detail: Some(reason),
                ..one(EventKind::Impossible)
            },
        }
    }
}

#[cfg(test)]
#[path = "series_event_tests.rs"]
mod tests;
