//! The recorder: the only thing that the engine reports to. Counters in flat arrays, no allocation an operation.
//!
//! Must not schedule; it is told when things happen.

use super::cluster_log::ClusterLog;
use super::demand::Demand;
use super::intervals::{Cursor, Intervals};
use super::read_side::ReadSide;
use super::server_tallies::ServerTallies;
use super::table::Table;
use super::tally::Tally;
use super::topology_event::{RefusalReason, TopologyEvent};
use super::warm_up::WarmUp;
use super::{PlannedWork, ReadWork, RecorderConfig};
use crate::time::{SimDuration, SimTime};
use crate::workload::{ReadId, WriteId};

/// Most intervals that a series has.
pub(super) const SERIES_INTERVALS: u64 = 600;

/// Collects one run. Times of different operations may come in any order; see [`Recorder::offered`] for the one limit.
#[derive(Debug)]
pub struct Recorder {
    pub(super) config: RecorderConfig,
    pub(super) intervals: Intervals,
    /// Sample intervals that make one of the series.
    pub(super) group: u64,
    pub(super) writes: Vec<Tally>,
    pub(super) demand: Demand,
    pub(super) reads: ReadSide,
    pub(super) neighbours: Vec<Tally>,
    /// Completions of all writes, and of all reads, from the start.
    pub(super) write_warm_up: WarmUp,
    pub(super) read_warm_up: WarmUp,
    /// Operations offered, by interval and write.
    pub(super) offered: Table<u32>,
    /// Operations given up, by interval.
    pub(super) given_up: Table<u32>,
    pub(super) servers: ServerTallies,
    /// Its parts, once it has ended.
    pub(super) server_completed: Table<u32>,
    pub(super) server_calls: Table<u32>,
    pub(super) server_refused: Table<u32>,
    pub(super) server_busy: Table<u64>,
    /// Demand by series interval and key bucket.
    pub(super) key_demand: Table<u32>,
    /// What happened to regions and servers.
    pub(super) log: ClusterLog,
    /// Rows refused, by interval and [`RefusalReason`].
    pub(super) refused_rows: Table<u32>,
    /// Rows refused, by interval and server.
    pub(super) server_refused_rows: Table<u32>,
    warmup: u64,
    key_row: usize,
    offered_at: Cursor,
}

impl Recorder {
    /// An empty recorder.
    pub fn new(config: RecorderConfig) -> Self {
        let planned = config
            .duration
            .as_nanos()
            .div_ceil(config.sample.as_nanos().max(1))
            + 1;
        let group = if config.key_buckets == 0 {
            1
        } else {
            planned.div_ceil(SERIES_INTERVALS).max(1)
        };
        let intervals = Intervals::new(config.sample, config.warmup, group);
        let servers = config.servers as usize;
        Self {
            demand: Demand::new(
                config.servers,
                config.region_server.len(),
                &config.own_regions,
                &intervals,
                config.lag,
                config.key_buckets > 0,
            ),
            reads: ReadSide::new(&config, &intervals),
            writes: vec![Tally::new(config.duration.as_nanos()); config.writes],
            neighbours: vec![Tally::new(config.duration.as_nanos()); config.neighbours],
            write_warm_up: WarmUp::new(config.duration.as_nanos()),
            read_warm_up: WarmUp::new(config.duration.as_nanos()),
            offered: Table::new(config.writes),
            given_up: Table::new(1),
            servers: ServerTallies::new(intervals, servers),
            server_completed: Table::new(servers),
            server_calls: Table::new(servers),
            server_refused: Table::new(servers),
            server_busy: Table::new(servers),
            key_demand: Table::new(config.key_buckets),
            log: ClusterLog::new(
                config.own_regions.iter().sum(),
                config.servers_at_start,
                config.key_buckets > 0,
            ),
            refused_rows: Table::new(RefusalReason::ALL.len()),
            server_refused_rows: Table::new(servers),
            warmup: config.warmup.as_nanos(),
            key_row: 0,
            offered_at: Cursor::default(),
            intervals,
            group,
            config,
        }
    }

    /// An operation's intended time has come; its row belongs to `region` (served by `server`) and to `key_bucket`
    /// (ignored without series). Counted once, whatever happens later. `at` < duration.
    ///
    /// Times may lie [`RecorderConfig::lag`] behind others, and 15 intervals with up to a million regions (63 with up to 250,000): the demand
    /// of the region of an operation that comes still later counts in a later interval.
    #[inline(always)]
    pub fn offered(
        &mut self,
        at: SimTime,
        write: WriteId,
        region: u32,
        server: u32,
        key_bucket: u32,
    ) {
        let interval = match self.offered_at.here(at.as_nanos()) {
            Some(interval) => interval,
            None => self.turn_to(at.as_nanos()),
        };
        self.offered.add(interval, usize::from(write.0), 1);
        self.servers.demanded(interval, server);
        self.demand.add_region(region);
        if self.config.key_buckets > 0 {
            self.key_demand.add(self.key_row, key_bucket as usize, 1);
        }
    }

    /// An operation writes a further row, to a copy of the table: demand of `region` (of that copy) and `server`, but no operation of its own.
    #[inline]
    pub fn copied(&mut self, at: SimTime, region: u32, server: u32) {
        let interval = match self.offered_at.here(at.as_nanos()) {
            Some(interval) => interval,
            None => self.turn_to(at.as_nanos()),
        };
        self.servers.demanded(interval, server);
        self.demand.add_region(region);
    }

    /// Rows of `region` that were offered in the interval of the last one.
    #[inline]
    pub fn demand_so_far(&self, region: u32) -> u32 {
        self.demand.so_far(region)
    }

    #[cold]
    fn turn_to(&mut self, nanos: u64) -> usize {
        let interval = self.offered_at.go(&self.intervals, nanos);
        self.offered.reach(interval);
        self.servers.reach(interval);
        self.demand.turn_to(interval);
        self.key_row = interval / self.group as usize;
        self.key_demand.reach(self.key_row);
        interval
    }

    /// The reply to an operation reached the client at `finished` (<= end).
    #[inline(always)]
    pub fn completed(
        &mut self,
        write: WriteId,
        server: u32,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
    ) {
        self.answered(write, intended, finished, within_deadline);
        self.answers_arrived(server, finished, 1, finished.since(intended));
    }

    /// The part of [`Recorder::completed`] that tells one operation from others.
    #[inline(always)]
    pub fn answered(
        &mut self,
        write: WriteId,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
    ) {
        self.writes[usize::from(write.0)].completed(
            intended.as_nanos(),
            finished.as_nanos(),
            self.warmup,
            within_deadline,
        );
    }

    /// The other part, of so many operations that have it in common: the sum of their response times is `responses`.
    #[inline]
    pub fn answers_arrived(
        &mut self,
        server: u32,
        finished: SimTime,
        operations: u32,
        responses: SimDuration,
    ) {
        let finished = finished.as_nanos();
        self.servers.completed(server, finished, operations);
        self.write_warm_up
            .completed(finished, operations, responses.as_nanos());
    }

    /// An operation was given up at `at`.
    pub fn failed(&mut self, write: WriteId, intended: SimTime, at: SimTime) {
        let interval = self.intervals.index(at.as_nanos());
        self.given_up.reach(interval);
        self.given_up.add(interval, 0, 1);
        self.writes[usize::from(write.0)].failed(intended.as_nanos(), at.as_nanos(), self.warmup);
    }

    /// An operation is still in flight at the end; called once for each before [`Recorder::finish`].
    pub fn unfinished(&mut self, write: WriteId, intended: SimTime, end: SimTime) {
        let tally = &mut self.writes[usize::from(write.0)];
        tally.unfinished(intended.as_nanos(), end.as_nanos(), self.warmup);
    }

    /// A read's intended time has come. Counted once, whatever happens later. `at` < duration.
    #[inline]
    pub fn read_offered(&mut self, at: SimTime, read: ReadId) {
        let read = usize::from(read.0);
        self.reads.offered(&self.intervals, at.as_nanos(), read);
    }

    /// A read is sent at its intended time; what it asks for by its plan. Not called of reads that are given up at once.
    #[inline]
    pub fn read_sent(&mut self, read: ReadId, at: SimTime, plan: PlannedWork) {
        if at.as_nanos() >= self.warmup {
            self.reads.costs[usize::from(read.0)].planned(plan);
        }
    }

    /// A Get, or a region that a scan opens: read demand of `region` and `server` at the time when the client first sends it (attempts
    /// again don't count); it is expected to take a handler so long. Times may interleave as in [`Recorder::offered`].
    #[inline]
    pub fn read_demand(&mut self, at: SimTime, region: u32, server: u32, work: SimDuration) {
        let place = (region, server);
        self.reads
            .demand(&self.intervals, at.as_nanos(), place, work.as_nanos());
    }

    /// The last part of a read reached its client at `finished` (<= end).
    #[inline]
    pub fn read_completed(
        &mut self,
        read: ReadId,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
        work: ReadWork,
    ) {
        let (intended, finished) = (intended.as_nanos(), finished.as_nanos());
        self.reads.ended(&self.intervals, finished);
        self.read_warm_up
            .completed(finished, 1, finished.saturating_sub(intended));
        let read = usize::from(read.0);
        let tally = &mut self.reads.tallies[read];
        if tally.completed(intended, finished, self.warmup, within_deadline) {
            self.reads.costs[read].worked(work);
        }
    }

    /// A read was given up at `at`.
    pub fn read_failed(&mut self, read: ReadId, intended: SimTime, at: SimTime) {
        self.reads.ended(&self.intervals, at.as_nanos());
        let tally = &mut self.reads.tallies[usize::from(read.0)];
        tally.failed(intended.as_nanos(), at.as_nanos(), self.warmup);
    }

    /// A read is still in flight at the end; called once for each before [`Recorder::finish`].
    pub fn read_unfinished(&mut self, read: ReadId, intended: SimTime, end: SimTime) {
        let tally = &mut self.reads.tallies[usize::from(read.0)];
        tally.unfinished(intended.as_nanos(), end.as_nanos(), self.warmup);
    }

    /// The intended time of an operation of a neighbour has come. Counted once, whatever happens later. `at` < duration.
    #[inline]
    pub fn neighbour_offered(&mut self, at: SimTime, neighbour: u32) {
        self.neighbours[neighbour as usize].offered(at.as_nanos() >= self.warmup);
    }

    /// The reply to a neighbour's operation reached its client at `finished` (<= end).
    #[inline]
    pub fn neighbour_completed(
        &mut self,
        neighbour: u32,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
    ) {
        self.neighbours[neighbour as usize].completed(
            intended.as_nanos(),
            finished.as_nanos(),
            self.warmup,
            within_deadline,
        );
    }

    /// A neighbour's operation was given up at `at`.
    pub fn neighbour_failed(&mut self, neighbour: u32, intended: SimTime, at: SimTime) {
        let tally = &mut self.neighbours[neighbour as usize];
        tally.failed(intended.as_nanos(), at.as_nanos(), self.warmup);
    }

    /// A neighbour's operation is still in flight at the end; called once for each before [`Recorder::finish`].
    pub fn neighbour_unfinished(&mut self, neighbour: u32, intended: SimTime, end: SimTime) {
        let tally = &mut self.neighbours[neighbour as usize];
        tally.unfinished(intended.as_nanos(), end.as_nanos(), self.warmup);
    }

    /// Writes of the whole run that were completed or given up.
    pub fn writes_ended(&self) -> u64 {
        let counts = self.writes.iter().map(Tally::counts);
        counts.map(|counts| counts.completed + counts.failed).sum()
    }

    /// Something happened to regions or servers at `at`, not before what happened last. Daughters and merged regions are numbered in the
    /// order in which they come.
    pub fn happened(&mut self, at: SimTime, what: TopologyEvent) {
        let heirs = match &what {
            TopologyEvent::Split {
                parent,
                lower,
                upper,
                ..
            } => Some((vec![*parent], vec![*lower, *upper])),
            TopologyEvent::Merge {
                lower,
                upper,
                merged,
            } => Some((vec![*lower, *upper], vec![*merged])),
            _ => None,
        };
        if let Some((parents, heirs)) = heirs {
            let interval = self.intervals.index(at.as_nanos());
            self.demand.inherit(interval, &parents, &heirs);
            if self.config.reads > 0 {
                self.reads.demand.inherit(interval, &parents, &heirs);
            }
        }
        self.log.push(at, what);
    }

    /// A server refused `rows` rows of a call that a handler had taken.
    pub fn rows_refused(&mut self, server: u32, at: SimTime, reason: RefusalReason, rows: u32) {
        let interval = self.intervals.index(at.as_nanos());
        self.refused_rows.reach(interval);
        self.refused_rows.add(interval, reason as usize, rows);
        self.server_refused_rows.reach(interval);
        self.server_refused_rows
            .add(interval, server as usize, rows);
    }

    /// The server with most demand of rows in the last whole interval before `at`, of equal ones the first; `None` without any.
    pub fn hottest_server(&self, at: SimTime) -> Option<u32> {
        let interval = self.intervals.index(at.as_nanos()).checked_sub(1)?;
        let demand = self.servers.row(interval).iter().map(|tally| tally.demand);
        let (_, most) = (0u32..)
            .zip(demand)
            .map(|(server, rows)| (rows, std::cmp::Reverse(server)))
            .max()
            .filter(|&(rows, _)| rows > 0)
            .map(|(rows, std::cmp::Reverse(server))| (rows, server))?;
        Some(most)
    }

    /// A call reached a server (taken or refused).
    #[inline(always)]
    pub fn call_arrived(&mut self, server: u32, at: SimTime, refused: bool) {
        self.servers.call_arrived(server, at.as_nanos(), refused);
    }

    /// One handler of `server` was busy during `[from, to)`; may span several intervals, `to` may lie past the end (cut).
    pub fn busy(&mut self, server: u32, from: SimTime, to: SimTime) {
        let to = to.as_nanos().min(self.config.duration.as_nanos());
        self.servers.busy_during(server, from.as_nanos(), to);
    }

    /// Start of the interval that holds `at`.
    pub fn interval_start(&mut self, at: SimTime) -> SimTime {
        SimTime::from_nanos(self.servers.interval_start(at.as_nanos()))
    }

    /// Handlers of `server` were busy for so long in all, since [`Recorder::interval_start`] of `to` or later.
    pub fn busy_in_all(&mut self, server: u32, to: SimTime, length: SimDuration) {
        self.servers.busy(server, to.as_nanos(), length.as_nanos());
    }
}
