//! The recorder: the only thing that the engine reports to. Counters in flat arrays, no allocation an operation.
//!
//! Must not schedule; it is told when things happen.

use super::demand::Demand;
use super::events::{ClusterLog, RefusalReason, SeriesEvent};
use super::long_reads::LongReads;
use super::region_demand::RegionDemand;
use super::response::Tally;
use super::table::{Cursor, Intervals, Table};
use super::warm_up::WarmUp;
use super::{OPERATIONS_PER_SERVER, Side};
use crate::time::{SimDuration, SimTime};
use crate::workload::{ReadId, WriteId};
use std::cmp::Reverse;

/// Most intervals that a series has.
const SERIES_INTERVALS: u64 = 600;

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
    /// Whether each write of the workload is an import, which has an end.
    pub imports: Vec<bool>,
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

/// What operations are of: a write, read or neighbour by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded(pub Side, pub usize);

impl Recorded {
    /// A neighbour.
    pub fn neighbour(number: u32) -> Self {
        Self(Side::Neighbour, number as usize)
    }
}

impl From<WriteId> for Recorded {
    fn from(write: WriteId) -> Self {
        Self(Side::Write, usize::from(write.0))
    }
}

impl From<ReadId> for Recorded {
    fn from(read: ReadId) -> Self {
        Self(Side::Read, usize::from(read.0))
    }
}

/// What was done for one read, as far as it came.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadWork {
    /// Calls sent, attempts again apart.
    pub calls: u32,
    /// Rows that servers read.
    pub rows_read: f64,
    /// Cells that they read of each row, on average.
    pub row_cells: f64,
    /// Cells of each row that scans seek past.
    pub row_cells_passed: f64,
    /// Bytes of those cells.
    pub row_bytes: f64,
}

/// What one read asks for by its plan, whatever becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlannedWork {
    /// Calls, attempts again apart.
    pub calls: f64,
    /// Regions, each once.
    pub regions: u32,
    /// Gets, and regions that its scans open.
    pub pieces: u32,
    /// Rows that servers have to read.
    pub rows_read: f64,
    /// Rows that the reader is to get.
    pub rows_returned: f64,
    /// Cells that servers have to read.
    pub cells_read: f64,
    /// Cells that the reader is to get.
    pub cells_returned: f64,
}

/// What the operations of one read cost: sums over those of the cohort.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadCosts {
    /// Those that were completed, and what was done for them.
    completed: u64,
    pub(super) calls: f64,
    pub(super) rows_read: f64,
    pub(super) cells_read: f64,
    pub(super) bytes_read: f64,
    /// Those that were sent, and what they ask for by their plans.
    sent: u64,
    pub(super) calls_planned: f64,
    pub(super) regions: f64,
    pub(super) pieces: f64,
    /// Pieces in one region, summed over all pieces.
    pub(super) together: f64,
    pub(super) rows_planned: f64,
    pub(super) rows_returned: f64,
    pub(super) cells_planned: f64,
    pub(super) cells_returned: f64,
}

impl ReadCosts {
    /// The mean of those that were completed.
    pub(super) fn per_completed(&self, sum: f64) -> Option<f64> {
        (self.completed > 0).then(|| sum / self.completed as f64)
    }

    /// The mean of those that were sent.
    pub(super) fn per_sent(&self, sum: f64) -> Option<f64> {
        (self.sent > 0).then(|| sum / self.sent as f64)
    }
}

/// What is counted of the writes, of the reads, or of what neighbours do.
#[derive(Debug)]
pub(super) struct SideCounters {
    /// One for each that the workload has.
    pub(super) tallies: Vec<Tally>,
    /// Operations offered, by interval and what they are of.
    pub(super) offered: Table<u32>,
    /// Operations completed or given up, by interval.
    pub(super) ended: Table<u32>,
    /// Of the rows of writes, and of the Gets and opened regions of reads.
    pub(super) demand: Demand,
    pub(super) warm_up: WarmUp,
    offered_at: Cursor,
    ended_at: Cursor,
    demanded_at: Cursor,
}

impl SideCounters {
    /// Nothing yet of so many; `demanding`: they have demand by region.
    fn new(config: &RecorderConfig, intervals: &Intervals, count: usize, demanding: bool) -> Self {
        let duration = config.duration.as_nanos();
        // What is kept by region would take 64 MB of a million of them.
        let (regions, own) = match demanding {
            true => (config.region_server.len(), &config.own_regions[..]),
            false => (0, &[][..]),
        };
        let least = OPERATIONS_PER_SERVER * u64::from(config.servers);
        let tops = (config.key_buckets > 0).then_some(least);
        let (servers, lag) = (config.servers, config.lag);
        let regions = RegionDemand::new(servers, regions, own, intervals, lag, tops);
        Self {
            tallies: vec![Tally::new(duration); count],
            offered: Table::new(count),
            ended: Table::new(1),
            demand: Demand::new(servers, regions),
            warm_up: WarmUp::new(duration),
            offered_at: Cursor::default(),
            ended_at: Cursor::default(),
            demanded_at: Cursor::default(),
        }
    }

    fn ends(&mut self, intervals: &Intervals, at: SimTime) {
        let interval = self.ended_at.to(intervals, at.as_nanos());
        *self.ended.cell(interval, 0) += 1;
    }
}

/// What is counted of one server in one interval: side by side, so that an event waits for one place of memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ServerTally {
    /// Of all handlers, in nanoseconds.
    pub(super) busy: u64,
    /// Sum of the response times of the rows that were written, in nanoseconds.
    pub(super) responses: u64,
    /// Rows that were written.
    pub(super) completed: u32,
    pub(super) calls: u32,
    /// Calls that were refused.
    pub(super) refused: u32,
    /// Rows that were refused of calls that a handler had taken.
    pub(super) refused_rows: u32,
}

impl std::ops::AddAssign for ServerTally {
    fn add_assign(&mut self, other: Self) {
        self.busy += other.busy;
        self.responses += other.responses;
        self.completed += other.completed;
        self.calls += other.calls;
        self.refused += other.refused;
        self.refused_rows += other.refused_rows;
    }
}

/// Collects one run. Times of different operations may come in any order; see [`Recorder::offered`] for the one limit.
#[derive(Debug)]
pub struct Recorder {
    pub(super) config: RecorderConfig,
    pub(super) intervals: Intervals,
    /// Sample intervals that make one of the series, and those.
    pub(super) group: usize,
    series_intervals: Intervals,
    /// Of writes, reads and neighbours.
    pub(super) sides: [SideCounters; 3],
    /// Of each read.
    pub(super) costs: Vec<ReadCosts>,
    /// Handler time that reads are expected to take, in nanoseconds, by interval and server.
    pub(super) read_work: Table<u64>,
    /// The sums of their squares, by interval.
    pub(super) read_squares: Table<f64>,
    /// When the long ones of them do.
    pub(super) long_reads: LongReads,
    /// The same time of what neighbours do.
    pub(super) neighbour_work: Table<u64>,
    /// By interval and server.
    pub(super) servers: Table<ServerTally>,
    /// Demand by series interval and key bucket.
    pub(super) key_demand: Table<u32>,
    /// What happened to regions and servers.
    pub(super) log: ClusterLog,
    /// Rows refused, by interval and [`RefusalReason`].
    pub(super) refused_rows: Table<u32>,
    /// How long the busiest write-ahead log wrote bytes after the warm-up, as far as there are logs.
    pub busiest_log: Option<SimDuration>,
    warmup: u64,
    key_at: Cursor,
    finished_at: Cursor,
    arrived_at: Cursor,
    busy_at: Cursor,
}

impl Recorder {
    /// An empty recorder.
    pub fn new(config: RecorderConfig) -> Self {
        let (sample, duration) = (config.sample.as_nanos().max(1), config.duration.as_nanos());
        let has_series = config.key_buckets > 0;
        let group = match has_series {
            true => (duration.div_ceil(sample) + 1).div_ceil(SERIES_INTERVALS),
            false => 1,
        };
        let intervals = Intervals::new(config.sample, config.warmup, group);
        let servers = config.servers as usize;
        let counters = |count, demanding| SideCounters::new(&config, &intervals, count, demanding);
        Self {
            sides: [
                counters(config.imports.len(), true),
                counters(config.reads, config.reads > 0),
                counters(config.neighbours, false),
            ],
            costs: vec![ReadCosts::default(); config.reads],
            read_work: Table::new(servers),
            read_squares: Table::new(1),
            long_reads: LongReads::new(intervals, duration, servers),
            neighbour_work: Table::new(servers),
            servers: Table::new(servers),
            key_demand: Table::new(config.key_buckets),
            log: ClusterLog::new(
                config.own_regions.iter().sum(),
                config.servers_at_start,
                has_series,
            ),
            refused_rows: Table::new(RefusalReason::COUNT),
            busiest_log: None,
            warmup: config.warmup.as_nanos(),
            key_at: Cursor::default(),
            finished_at: Cursor::default(),
            arrived_at: Cursor::default(),
            busy_at: Cursor::default(),
            series_intervals: intervals.grouped(group),
            intervals,
            group: group as usize,
            config,
        }
    }

    /// What is counted of one side.
    #[inline(always)]
    pub(super) fn of(&self, side: Side) -> &SideCounters {
        &self.sides[side as usize]
    }

    /// A write's intended time has come; its row belongs to `region` (served by `server`). Counted once, whatever happens later. `at` < duration.
    ///
    /// Times may lie [`RecorderConfig::lag`] behind others, and 15 intervals with up to a million regions (63 with up to 250,000): the demand
    /// of the region of an operation that comes still later counts in a later interval.
    #[inline(always)]
    pub fn offered(&mut self, at: SimTime, write: WriteId, region: u32, server: u32) {
        let interval = self.row_demanded(at, region, server);
        let writes = &mut self.sides[Side::Write as usize];
        *writes.offered.cell(interval, usize::from(write.0)) += 1;
    }

    /// The row of a write in the table of the key map belongs to a bucket of it; ignored without series.
    #[inline(always)]
    pub fn mapped(&mut self, at: SimTime, key_bucket: u32) {
        if self.config.key_buckets > 0 {
            let row = self.key_at.to(&self.series_intervals, at.as_nanos());
            *self.key_demand.cell(row, key_bucket as usize) += 1;
        }
    }

    /// A write has a further row, in a copy of the table: demand of `region` (of that copy) and `server`, but no operation of its own.
    pub fn copied(&mut self, at: SimTime, region: u32, server: u32) {
        self.row_demanded(at, region, server);
    }

    /// Returns the interval.
    #[inline(always)]
    fn row_demanded(&mut self, at: SimTime, region: u32, server: u32) -> usize {
        let writes = &mut self.sides[Side::Write as usize];
        let interval = writes.demanded_at.to(&self.intervals, at.as_nanos());
        writes.demand.add(interval, region, server);
        interval
    }

    /// Asks for where the next row of a region is counted.
    pub fn prefetch(&self, region: u32) {
        self.of(Side::Write).demand.regions.prefetch(region);
    }

    /// The intended time of a read, or of what a neighbour does, has come. Counted once, whatever happens later. `at` < duration.
    pub fn intended(&mut self, at: SimTime, what: impl Into<Recorded>) {
        let Recorded(side, index) = what.into();
        let side = &mut self.sides[side as usize];
        let interval = side.offered_at.to(&self.intervals, at.as_nanos());
        *side.offered.cell(interval, index) += 1;
    }

    /// A read is sent at its intended time; what it asks for by its plan. Not called of reads that are given up at once.
    pub fn read_sent(&mut self, read: ReadId, at: SimTime, plan: PlannedWork) {
        if at.as_nanos() >= self.warmup {
            let costs = &mut self.costs[usize::from(read.0)];
            costs.sent += 1;
            costs.calls_planned += plan.calls;
            costs.regions += f64::from(plan.regions);
            let pieces = f64::from(plan.pieces);
            costs.pieces += pieces;
            costs.together += pieces * pieces / f64::from(plan.regions.max(1));
            costs.rows_planned += plan.rows_read;
            costs.rows_returned += plan.rows_returned;
            costs.cells_planned += plan.cells_read;
            costs.cells_returned += plan.cells_returned;
        }
    }

    /// A Get, or a region that a scan opens: read demand of `region` and `server` at the time when the client first sends it (attempts
    /// again don't count); it is expected to take a handler so long, all calls of the region. Times may interleave as in [`Recorder::offered`].
    pub fn read_demand(&mut self, at: SimTime, region: u32, server: u32, work: SimDuration) {
        let reads = &mut self.sides[Side::Read as usize];
        let interval = reads.demanded_at.to(&self.intervals, at.as_nanos());
        reads.demand.add(interval, region, server);
        *self.read_work.cell(interval, server as usize) += work.as_nanos();
        let nanos = work.as_nanos() as f64;
        *self.read_squares.cell(interval, 0) += nanos * nanos;
        if work > self.config.sample {
            let (at, work) = (at.as_nanos(), work.as_nanos());
            self.long_reads.add(at, server as usize, work);
        }
    }

    /// The intended time of what a neighbour does at a server has come: it is expected to take a handler so long.
    pub fn neighbour_demand(&mut self, at: SimTime, server: u32, work: SimDuration) {
        let interval = self.intervals.index(at.as_nanos());
        *self.neighbour_work.cell(interval, server as usize) += work.as_nanos();
    }

    /// The reply to a write reached the client at `finished` (<= end).
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

    /// The part of [`Recorder::completed`] that tells one operation from others; whether it belongs to the cohort.
    #[inline(always)]
    pub fn answered(
        &mut self,
        what: impl Into<Recorded>,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
    ) -> bool {
        let Recorded(side, index) = what.into();
        self.sides[side as usize].tallies[index].completed(
            intended.as_nanos(),
            finished.as_nanos(),
            self.warmup,
            within_deadline,
        )
    }

    /// The other part, of so many operations that have it in common: the sum of their response times is `responses`.
    pub fn answers_arrived(
        &mut self,
        server: u32,
        finished: SimTime,
        operations: u32,
        responses: SimDuration,
    ) {
        let finished = finished.as_nanos();
        let interval = self.finished_at.to(&self.intervals, finished);
        let responses = responses.as_nanos();
        let tally = self.servers.cell(interval, server as usize);
        tally.completed += operations;
        tally.responses += responses;
        let writes = &mut self.sides[Side::Write as usize];
        *writes.ended.cell(interval, 0) += operations;
        writes.warm_up.completed(finished, operations, responses);
    }

    /// The last part of a read, or of what a neighbour does, reached its client at `finished` (<= end); whether it belongs to the cohort.
    pub fn all_answered(
        &mut self,
        what: Recorded,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
    ) -> bool {
        let side = &mut self.sides[what.0 as usize];
        side.ends(&self.intervals, finished);
        let response = finished.since(intended).as_nanos();
        side.warm_up.completed(finished.as_nanos(), 1, response);
        self.answered(what, intended, finished, within_deadline)
    }

    /// The same of a read, for which so much was done.
    pub fn read_completed(
        &mut self,
        read: ReadId,
        intended: SimTime,
        finished: SimTime,
        within_deadline: bool,
        work: ReadWork,
    ) {
        if self.all_answered(read.into(), intended, finished, within_deadline) {
            let costs = &mut self.costs[usize::from(read.0)];
            costs.completed += 1;
            costs.calls += f64::from(work.calls);
            costs.rows_read += work.rows_read;
            costs.cells_read += work.rows_read * work.row_cells;
            costs.bytes_read += work.rows_read * work.row_bytes;
        }
    }

    /// An operation was given up at `at`.
    pub fn failed(&mut self, what: impl Into<Recorded>, intended: SimTime, at: SimTime) {
        let Recorded(side, index) = what.into();
        let side = &mut self.sides[side as usize];
        side.ends(&self.intervals, at);
        side.tallies[index].failed(intended.as_nanos(), at.as_nanos(), self.warmup);
    }

    /// An operation is still in flight at the end; called once for each before [`Recorder::finish`].
    pub fn unfinished(&mut self, what: impl Into<Recorded>, intended: SimTime, end: SimTime) {
        let Recorded(side, index) = what.into();
        let tally = &mut self.sides[side as usize].tallies[index];
        tally.unfinished(intended.as_nanos(), end.as_nanos(), self.warmup);
    }

    /// Writes of the whole run that were completed or given up.
    pub fn writes_ended(&self) -> u64 {
        let writes = self.of(Side::Write).tallies.iter();
        writes.map(Tally::ended).sum()
    }

    /// Something happened to regions or servers at `at`, not before what happened last. Daughters and merged regions are numbered in the
    /// order in which they come.
    pub fn happened(&mut self, at: SimTime, what: SeriesEvent) {
        let interval = self.intervals.index(at.as_nanos());
        let parents = what.parents();
        for side in &mut self.sides {
            let regions = &mut side.demand.regions;
            regions.inherit(interval, &parents, &what.heirs);
        }
        self.log.push(at, what);
    }

    /// The balancer ran: what it found, in words and, if it is the stochastic one, as a weighted mean cost, and whether it looked for moves.
    pub fn balanced(&mut self, at: SimTime, finding: String, cost: Option<f64>, started: bool) {
        self.log.balanced(at, finding, cost, started);
    }

    /// Servers joined, from number `first` on.
    pub fn servers_added(&mut self, at: SimTime, first: u32, count: u32) {
        self.log.servers_added(at, first, count);
    }

    /// A server refused `rows` rows of a call that a handler had taken.
    pub fn rows_refused(&mut self, server: u32, at: SimTime, reason: RefusalReason, rows: u32) {
        let interval = self.intervals.index(at.as_nanos());
        *self.refused_rows.cell(interval, reason as usize) += rows;
        self.servers.cell(interval, server as usize).refused_rows += rows;
    }

    /// The server with most demand of rows in the last whole interval before `at`, of equal ones the first; `None` without any.
    pub fn hottest_server(&self, at: SimTime) -> Option<u32> {
        let interval = self.intervals.index(at.as_nanos()).checked_sub(1)?;
        let demand = self.of(Side::Write).demand.servers.row(interval);
        let rows = |server: &u32| (demand[*server as usize], Reverse(*server));
        let hottest = (0..demand.len() as u32).max_by_key(rows)?;
        (demand[hottest as usize] > 0).then_some(hottest)
    }

    /// A call reached a server (taken or refused).
    #[inline(always)]
    pub fn call_arrived(&mut self, server: u32, at: SimTime, refused: bool) {
        let interval = self.arrived_at.to(&self.intervals, at.as_nanos());
        let tally = self.servers.cell(interval, server as usize);
        tally.calls += 1;
        tally.refused += u32::from(refused);
    }

    /// One handler of `server` was busy during `[from, to)`; may span several intervals, `to` may lie past the end (cut).
    pub fn busy(&mut self, server: u32, from: SimTime, to: SimTime) {
        let to = to.min(self.config.duration);
        if from >= self.interval_start(to) {
            self.busy_in_all(server, to, to.since(from));
        } else {
            self.busy_over(server, from, to);
        }
    }

    #[cold]
    fn busy_over(&mut self, server: u32, mut from: SimTime, to: SimTime) {
        while from < to {
            let next = self.intervals.index(from.as_nanos()) + 1;
            let end = SimTime::from_nanos(self.intervals.start(next));
            self.busy_in_all(server, from, end.min(to).since(from));
            from = end;
        }
    }

    /// Start of the interval that holds `at`.
    pub fn interval_start(&mut self, at: SimTime) -> SimTime {
        self.busy_at.to(&self.intervals, at.as_nanos());
        SimTime::from_nanos(self.busy_at.start)
    }

    /// Handlers of `server` were busy for so long in all, in the interval that holds `at`.
    pub fn busy_in_all(&mut self, server: u32, at: SimTime, length: SimDuration) {
        let interval = self.busy_at.to(&self.intervals, at.as_nanos());
        self.servers.cell(interval, server as usize).busy += length.as_nanos();
    }
}
