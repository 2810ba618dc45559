//! What happened to regions and servers, as charts and files show it. Must not know what is drawn.

use super::happening::{Happened, Happening};
use crate::keyspace::RowKey;

/// One happening, flat: a row of `events.csv`. What does not apply is `None`.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct SeriesEvent {
    /// When, in simulated milliseconds.
    pub at_ms: f64,
    /// `split`, `no-split-row`, `merge`, `move`, `open`, `flush`, `compaction`, `balancer`, `crash`, `crash-detected`, `slow`,
    /// `servers-added`, `impossible`.
    pub event: String,
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

impl From<Happened> for SeriesEvent {
    fn from(Happened { at, what }: Happened) -> Self {
        let one = |event: &str| Self {
            at_ms: at.as_nanos() as f64 / 1e6,
            event: event.to_owned(),
            ..Self::default()
        };
        match what {
            Happening::Split {
                parent,
                lower,
                upper,
                row,
                bytes,
            } => Self {
                region: Some(parent),
                heirs: vec![lower, upper],
                row: Some(notation(&row)),
                bytes: Some(bytes),
                ..one("split")
            },
            Happening::NoSplitRow { region, reason } => Self {
                region: Some(region),
                detail: Some(reason),
                ..one("no-split-row")
            },
            Happening::Merge {
                lower,
                upper,
                merged,
            } => Self {
                region: Some(lower),
                upper: Some(upper),
                heirs: vec![merged],
                ..one("merge")
            },
            Happening::Move { region, from, to } => Self {
                region: Some(region),
                server: Some(from),
                to: Some(to),
                ..one("move")
            },
            Happening::Open { region, server } => Self {
                region: Some(region),
                server: Some(server),
                ..one("open")
            },
            Happening::Flush {
                region,
                server,
                bytes,
            } => Self {
                region: Some(region),
                server: Some(server),
                bytes: Some(bytes),
                ..one("flush")
            },
            Happening::Compaction {
                region,
                server,
                bytes,
                references,
            } => Self {
                region: Some(region),
                server: Some(server),
                bytes: Some(bytes),
                detail: references.then(|| "references".to_owned()),
                ..one("compaction")
            },
            Happening::Balanced { finding, .. } => Self {
                detail: Some(finding),
                ..one("balancer")
            },
            Happening::Crash { server } => Self {
                server: Some(server),
                ..one("crash")
            },
            Happening::CrashDetected {
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
                ..one("crash-detected")
            },
            Happening::Slow { server, times } => Self {
                server: Some(server),
                detail: Some(match times == 1.0 {
                    true => "as fast as ever again".to_owned(),
                    false => format!("{times} times as slow"),
                }),
                ..one("slow")
            },
            Happening::ServersAdded { first, count } => Self {
                server: Some(first),
                detail: Some(match count {
                    1 => "1 server".to_owned(),
                    _ => format!("{count} servers"),
                }),
                ..one("servers-added")
            },
            Happening::Impossible { reason } => Self {
                detail: Some(reason),
                ..one("impossible")
            },
        }
    }
}

fn notation(row: &RowKey) -> String {
    row.to_string()
}

#[cfg(test)]
#[path = "series_event_tests.rs"]
mod tests;
