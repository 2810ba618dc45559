//! What happened to regions and servers, counted, and listed as far as charts need it. Must not know demand or calls.

use super::intervals::Intervals;
use super::series_event::{EventKind, SeriesEvent};
use super::topology_event::TopologyEvent;
use crate::time::SimTime;

/// Entries of one kind that are listed; all are counted.
const LISTED_OF_A_KIND: usize = 2_000;

/// The log of one run.
#[derive(Debug)]
pub(super) struct ClusterLog {
    /// Whether entries are listed, for charts.
    listing: bool,
    listed: Vec<SeriesEvent>,
    listed_of: [usize; EventKind::COUNT],
    count_of: [u64; EventKind::COUNT],
    flushed_bytes: u64,
    pub(super) rewritten_bytes: u64,
    pub(super) balancer_starts: u64,
    pub(super) greatest_cost: Option<f64>,
    /// Regions of the table and its copies, from each time on; in order of time.
    regions: Vec<(SimTime, u32)>,
    /// Servers, from each time on.
    servers: Vec<(SimTime, u32)>,
}

impl ClusterLog {
    /// Of a run that starts with so many regions (of the table and its copies) and servers.
    pub(super) fn new(regions: u32, servers: u32, listing: bool) -> Self {
        Self {
            listing,
            listed: Vec::new(),
            listed_of: [0; EventKind::COUNT],
            count_of: [0; EventKind::COUNT],
            flushed_bytes: 0,
            rewritten_bytes: 0,
            balancer_starts: 0,
            greatest_cost: None,
            regions: vec![(SimTime::ZERO, regions)],
            servers: vec![(SimTime::ZERO, servers)],
        }
    }

    /// Something happened at `at`, not before what happened last.
    pub(super) fn push(&mut self, at: SimTime, what: TopologyEvent) {
        match &what {
            TopologyEvent::Split { .. } => change(&mut self.regions, at, 1),
            TopologyEvent::Merge { .. } => change(&mut self.regions, at, -1),
            TopologyEvent::ServersAdded { count, .. } => {
                change(&mut self.servers, at, i64::from(*count));
            }
            TopologyEvent::Flush { bytes, .. } => self.flushed_bytes += bytes,
            TopologyEvent::Compaction { bytes, .. } => self.rewritten_bytes += bytes,
            TopologyEvent::Balanced { cost, started, .. } => {
                self.balancer_starts += u64::from(*started);
                let costs = self.greatest_cost.into_iter().chain(*cost);
                self.greatest_cost = costs.reduce(f64::max);
            }
            TopologyEvent::NoSplitRow { .. }
            | TopologyEvent::Move { .. }
            | TopologyEvent::Open { .. }
            | TopologyEvent::Crash { .. }
            | TopologyEvent::CrashDetected { .. }
            | TopologyEvent::Slow { .. }
            | TopologyEvent::Impossible { .. } => {}
        }
        let event = SeriesEvent::of(at, what);
        let kind = event.event as usize;
        self.count_of[kind] += 1;
        if self.listing && self.listed_of[kind] < LISTED_OF_A_KIND {
            self.listed_of[kind] += 1;
            self.listed.push(event);
        }
    }

    /// Servers that had joined by a time; those that died still count: what they would take is missing.
    pub(super) fn servers_at(&self, at: SimTime) -> u32 {
        at_time(&self.servers, at)
    }

    /// Servers by the middle of an interval.
    pub(super) fn servers_in(&self, intervals: &Intervals, interval: usize) -> u32 {
        let middle = intervals
            .start(interval)
            .midpoint(intervals.start(interval + 1));
        self.servers_at(SimTime::from_nanos(middle))
    }

    /// How often something happened.
    pub(super) fn count(&self, kind: EventKind) -> u64 {
        self.count_of[kind as usize]
    }

    /// Bytes that flushes and compactions wrote over those of flushes alone.
    pub(super) fn write_amplification(&self) -> Option<f64> {
        let written = (self.flushed_bytes + self.rewritten_bytes) as f64;
        (self.flushed_bytes > 0).then(|| written / self.flushed_bytes as f64)
    }

    /// Regions from each change on, first that of the start.
    pub(super) fn regions(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.regions.iter().map(|&(_, regions)| f64::from(regions))
    }

    /// What is listed, in order of time.
    pub(super) fn into_listed(self) -> Vec<SeriesEvent> {
        self.listed
    }
}

fn change(steps: &mut Vec<(SimTime, u32)>, at: SimTime, by: i64) {
    let last = steps.last().map_or(0, |&(_, count)| count);
    steps.push((at, (i64::from(last) + by).max(0) as u32));
}

/// The last step at or before a time; the first one before all.
fn at_time(steps: &[(SimTime, u32)], at: SimTime) -> u32 {
    let after = steps.partition_point(|&(from, _)| from <= at);
    steps[after.max(1) - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::RowKey;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    fn split(parent: u32) -> TopologyEvent {
        TopologyEvent::Split {
            parent,
            lower: parent + 1,
            upper: parent + 2,
            row: RowKey(vec![7]),
            bytes: 11,
        }
    }

    #[test]
    fn regions_and_servers_are_known_at_any_time() {
        let mut log = ClusterLog::new(5, 3, true);
        log.push(at(20), split(4));
        log.push(at(20), split(5));
        log.push(at(30), TopologyEvent::ServersAdded { first: 3, count: 2 });
        let merge = TopologyEvent::Merge {
            lower: 6,
            upper: 7,
            merged: 8,
        };
        log.push(at(40), merge);
        assert_eq!(
            [0, 19, 20, 40].map(|time| at_time(&log.regions, at(time))),
            [5, 5, 7, 6]
        );
        assert_eq!([29, 30].map(|time| log.servers_at(at(time))), [3, 5]);
        assert_eq!(
            [EventKind::Split, EventKind::Merge].map(|kind| log.count(kind)),
            [2, 1]
        );
        let ends = (log.regions().next(), log.regions().next_back());
        assert_eq!(ends, (Some(5.0), Some(6.0)));
        assert_eq!(log.write_amplification(), None);
    }

    #[test]
    fn the_balancer_is_told_by_its_runs_starts_and_greatest_cost() {
        let mut log = ClusterLog::new(4, 2, false);
        for (cost, started) in [(Some(0.2), true), (Some(0.7), true), (None, false)] {
            log.push(
                at(10),
                TopologyEvent::Balanced {
                    finding: String::new(),
                    cost,
                    started,
                    moves: 5,
                },
            );
        }
        let step = |region| TopologyEvent::Move {
            region,
            from: 0,
            to: 1,
        };
        (0..4).for_each(|region| log.push(at(11), step(region)));
        assert_eq!(
            [EventKind::Balancer, EventKind::Move].map(|kind| log.count(kind)),
            [3, 4]
        );
        assert_eq!((log.balancer_starts, log.greatest_cost), (2, Some(0.7)));
        // Nothing is listed where no chart asks for it.
        assert_eq!(log.into_listed(), []);
    }

    #[test]
    fn all_are_counted_and_few_are_listed() {
        let mut log = ClusterLog::new(1, 1, true);
        for time in 0..3_000 {
            log.push(
                at(time),
                TopologyEvent::Flush {
                    region: 0,
                    server: 0,
                    bytes: 10,
                },
            );
        }
        log.push(
            at(3_000),
            TopologyEvent::Compaction {
                region: 0,
                server: 0,
                bytes: 15_000,
                references: false,
            },
        );
        assert_eq!(log.count(EventKind::Flush), 3_000);
        assert_eq!(log.write_amplification(), Some(1.5));
        assert_eq!(log.into_listed().len(), LISTED_OF_A_KIND + 1);
    }
}
