//! From a finished run's counters to its metrics: one function a group, each metric by its JSON name.
//!
//! Must not know other runs; what needs several (intervals, merged percentiles) is `experiment`'s.

use super::cluster_log::ClusterLog;
use super::demand::{ClosedDemand, Demand, Grid, sum};
use super::recorder::Recorder;
use super::table::Table;
use super::tally::Tally;
use super::{
    EventKind, MetricId, NO_HOTSPOT_BELOW, OperationRun, RefusalReason, RunResult, Scalars, Side,
    series,
};
use crate::time::{SimDuration, SimTime};
use std::ops::Range;

/// A server with a greater share of its handlers busy is saturated.
pub const BUSY: f64 = 0.95;
/// A hot interval is one of skew, not of too much load, when the cluster's mean utilisation stays below this.
pub const CLUSTER_BUSY: f64 = 0.85;
/// Open loop: saturated when the operations in flight grow by more than this share of the offered ones, or more than this share is given up.
pub const GROWTH: f64 = 0.01;

/// More operations than these are no handful: four standard deviations of a Poisson number whose mean is one.
const A_FEW: f64 = 4.0;

/// The counters of a finished run, cut to its intervals.
struct Summary {
    run: Recorder,
    end: u64,
    grid: Grid,
    written: ClosedDemand,
    read: ClosedDemand,
    /// Share of each server's handlers that was busy in the window.
    busy: Vec<f64>,
    /// Whether it was saturated, where that can be told.
    saturated: Option<bool>,
}

/// Sets the metrics that the table has a rule for.
macro_rules! computed {
    ($($source:ident { $($(#[doc = $meaning:literal])+ [$id:ident $(, $of:ident)*] $name:literal $unit:ident $better:ident $(, $value:expr)?;)+ })+) => {
        fn compute(summary: &Summary, metrics: &mut Scalars) {
            $($($(
                let value: fn(&Summary) -> Option<f64> = $value;
                metrics.set(MetricId::$id, value(summary));
            )?)+)+
        }
    };
}

super::catalogue::catalogue!(computed);

impl Recorder {
    /// The run ended at `end` (its duration, or the end of the last import).
    pub fn finish(mut self, end: SimTime) -> RunResult {
        let (reads, neighbours) = (&mut self.reads.tallies, &mut self.neighbours);
        let all = self.writes.iter_mut().chain(reads).chain(neighbours);
        all.for_each(Tally::settle);
        self.demand
            .set_servers(self.servers.part(|tally| tally.demand));
        self.server_completed = self.servers.part(|tally| tally.completed);
        self.server_calls = self.servers.part(|tally| tally.calls);
        self.server_refused = self.servers.part(|tally| tally.refused);
        self.server_busy = self.servers.part(|tally| tally.busy);
        summarise(self, end.as_nanos())
    }
}

fn summarise(mut run: Recorder, end: u64) -> RunResult {
    let rows = run.intervals.count(end);
    for table in [
        &mut run.offered,
        &mut run.given_up,
        &mut run.server_completed,
        &mut run.server_calls,
        &mut run.server_refused,
        &mut run.refused_rows,
        &mut run.server_refused_rows,
        &mut run.reads.offered,
        &mut run.reads.ended,
    ] {
        table.settle(rows);
    }
    run.server_busy.settle(rows);
    run.reads.work.settle(rows);
    let mut close = |demand: fn(&mut Recorder) -> &mut Demand| {
        let nothing = Demand::new(0, 0, &[], &run.intervals, SimDuration::ZERO, false);
        std::mem::replace(demand(&mut run), nothing).close(rows)
    };
    let written = close(|run| &mut run.demand);
    let read = close(|run| &mut run.reads.demand);

    let window = run.intervals.window_start().min(rows)..rows;
    let whole = |index: usize| run.intervals.length(index, end) == run.config.sample.as_nanos();
    let full = match window.clone().next_back() {
        Some(last) if !whole(last) && window.len() > 1 => window.start..last,
        _ => window.clone(),
    };
    for (table, tallies) in [
        (&run.offered, &mut run.writes),
        (&run.reads.offered, &mut run.reads.tallies),
    ] {
        for (column, tally) in tallies.iter_mut().enumerate() {
            let sum =
                |range: Range<usize>| range.map(|row| u64::from(table.row(row)[column])).sum();
            tally.set_offered(sum(0..rows), sum(window.clone()));
        }
    }

    let grid = Grid {
        servers: run.config.servers,
        joined: (0..rows)
            .map(|row| run.log.servers_in(&run.intervals, row))
            .collect(),
        window,
        full,
    };
    let mut summary = Summary {
        run,
        end,
        grid,
        written,
        read,
        busy: Vec::new(),
        saturated: None,
    };
    summary.busy = summary.utilisations(summary.grid.window.clone()).collect();
    summary.saturated = match summary.run.config.open_loop {
        true => summary.piled_up(),
        false => summary.busiest().map(|most| most > BUSY),
    };
    summary.result()
}

impl Summary {
    fn result(self) -> RunResult {
        let mut metrics = Scalars::default();
        let seconds = self.window_seconds();
        let (written, read) = (&self.written, &self.read);
        compute(&self, &mut metrics);
        let even_peak = written.skew(&self.grid, |id, value| metrics.set(id, value));

        let writes = Tally::total(&self.run.writes);
        // No writes at all is not a load of zero.
        let written_for = seconds.filter(|_| !self.run.writes.is_empty());
        metrics.extend(writes.rates(Side::Write, written_for));
        metrics.set(MetricId::Makespan, makespan_ms(&writes));
        let reads = Tally::total(&self.run.reads.tallies);
        let with_reads = !self.run.reads.tallies.is_empty();
        let mut read_even_peak = None;
        if with_reads {
            read_even_peak = read.skew(&self.grid, |id, value| {
                metrics.set(id.of(Side::Read), value)
            });
            metrics.extend(reads.rates(Side::Read, seconds));
        }
        let neighbours = Tally::total(&self.run.neighbours);
        if !self.run.neighbours.is_empty() {
            metrics.extend(neighbours.rates(Side::Neighbour, seconds));
        }
        let work = (self.run.config.write_work.as_nanos(), &self.run.reads.work);
        let hottest = with_reads.then(|| written.hottest_with(read, work, &self.grid));
        let hottest = hottest.flatten();
        let demand_peak = match with_reads {
            true => hottest.map(|hottest| hottest.peak),
            false => metrics.get(MetricId::ServerPeakToMean),
        };
        metrics.set(MetricId::DemandPeakToMean, demand_peak);

        let mut series = (self.run.config.key_buckets > 0)
            .then(|| series::of(&self.run, self.end, self.grid.window.start, written, read));
        if let Some(series) = &mut series {
            series.events = self.run.log.into_listed();
        }
        let one = |side: Side, tally: Tally, own: Scalars| OperationRun {
            counts: tally.counts(),
            metrics: tally.rates(side, seconds).chain(own).collect(),
            response: tally.response,
        };
        let of_writes = self.run.writes.into_iter().map(|tally| {
            let makespan = [(MetricId::Makespan, makespan_ms(&tally))];
            one(Side::Write, tally, makespan.into_iter().collect())
        });
        let of_reads = self
            .run
            .reads
            .tallies
            .into_iter()
            .zip(&self.run.reads.costs);
        let of_reads = of_reads.map(|(tally, costs)| {
            let costs = costs.means(tally.cohort().completed).collect();
            one(Side::Read, tally, costs)
        });
        let of_neighbours = self.run.neighbours.into_iter();
        let of_neighbours =
            of_neighbours.map(|tally| one(Side::Neighbour, tally, Scalars::default()));
        RunResult {
            counts: writes.counts(),
            metrics,
            response: writes.response,
            writes: of_writes.collect(),
            read_counts: reads.counts(),
            read_response: reads.response,
            reads: of_reads.collect(),
            neighbour_response: neighbours.response,
            neighbours: of_neighbours.collect(),
            even_peak,
            read_even_peak,
            hottest,
            // The engine knows.
            events: 0,
            series,
        }
    }

    fn servers(&self) -> usize {
        self.run.config.servers as usize
    }

    /// Servers that had joined, mean over the window's intervals.
    fn servers_in_window(&self) -> f64 {
        let joined = &self.grid.joined[self.grid.window.clone()];
        joined
            .iter()
            .map(|&servers| f64::from(servers))
            .sum::<f64>()
            / joined.len() as f64
    }

    /// Length of the window in seconds; `None` when the run ended before it.
    fn window_seconds(&self) -> Option<f64> {
        let length = self.end.saturating_sub(self.run.config.warmup.as_nanos());
        (length > 0).then_some(length as f64 / 1e9)
    }

    fn events(&self) -> &ClusterLog {
        &self.run.log
    }

    fn count(&self, kind: EventKind) -> Option<f64> {
        Some(self.run.log.count(kind) as f64)
    }

    fn relief_ms(&self) -> Option<f64> {
        let row = self.written.relieved_from(&self.grid, NO_HOTSPOT_BELOW)?;
        Some(self.run.intervals.start(row) as f64 / 1e6)
    }

    /// Regions that no row fell into, of all; a table has at least one region.
    fn empty_regions(&self) -> Option<f64> {
        let regions = &self.written.regions;
        let empty = (regions.alive - regions.reached) as f64;
        (!self.run.writes.is_empty()).then(|| empty / regions.alive as f64)
    }

    /// The share of intervals in which some server was asked for more than it can do and the mean utilisation stayed below a bound.
    fn hot_time(&self, below: f64) -> Option<f64> {
        let is_hot = |row: &usize| {
            let refused = [&self.run.server_refused, &self.run.server_refused_rows];
            let refusing = refused.iter().any(|table| sum(table.row(*row)) > 0);
            let busy: Vec<f64> = self.utilisations(*row..row + 1).collect();
            let mean = busy.iter().sum::<f64>() / f64::from(self.grid.joined[*row]);
            (refusing || busy.iter().any(|&busy| busy > BUSY)) && mean < below
        };
        let hot = self.grid.full.clone().filter(is_hot).count();
        let intervals = self.grid.full.len() as f64;
        (intervals > 0.0).then(|| hot as f64 / intervals)
    }

    /// A counter over the window.
    fn in_window(&self, table: &Table<u32>) -> u64 {
        let window = self.grid.window.clone();
        window.map(|row| sum(table.row(row))).sum()
    }

    fn refused_calls(&self) -> Option<f64> {
        let calls = self.in_window(&self.run.server_calls);
        (calls > 0).then(|| self.in_window(&self.run.server_refused) as f64 / calls as f64)
    }

    /// Rows that regions refused for a reason, of those that they refused or wrote in the window.
    fn refused_rows(&self, reason: RefusalReason) -> Option<f64> {
        let refused = |reason: RefusalReason| -> u64 {
            let rows = self
                .grid
                .window
                .clone()
                .map(|row| self.run.refused_rows.row(row));
            rows.map(|reasons| u64::from(reasons[reason as usize]))
                .sum()
        };
        let by_regions = [
            RefusalReason::RegionTooBusy,
            RefusalReason::NotServingRegion,
        ];
        let written = self.in_window(&self.run.server_completed);
        let rows = by_regions.map(refused).iter().sum::<u64>() + written;
        (rows > 0).then(|| refused(reason) as f64 / rows as f64)
    }

    /// Share of each server's handlers that is busy over some intervals.
    fn utilisations(&self, rows: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        let length: u64 = rows
            .clone()
            .map(|row| self.run.intervals.length(row, self.end))
            .sum();
        let capacity = length as f64 * f64::from(self.run.config.handlers);
        (0..self.servers()).map(move |server| {
            let busy: u64 = rows
                .clone()
                .map(|row| self.run.server_busy.row(row)[server])
                .sum();
            (busy as f64 / capacity).min(1.0)
        })
    }

    fn busiest(&self) -> Option<f64> {
        let most = self.busy.iter().copied().fold(0.0, f64::max);
        (!self.grid.window.is_empty()).then_some(most)
    }

    fn mean_utilisation(&self) -> Option<f64> {
        let mean = || self.busy.iter().sum::<f64>() / self.servers_in_window();
        (!self.grid.window.is_empty()).then(mean)
    }

    /// How much of the window passed before the run had settled: that of the writes or of the reads, whichever took longer. What piles up
    /// in an open loop never settles; a run that ended early was no steady one.
    fn unsettled_ms(&self) -> Option<f64> {
        let config = &self.run.config;
        let piles_up = config.open_loop && self.saturated == Some(true);
        if piles_up || self.end < config.duration.as_nanos() {
            return None;
        }
        let warm_up = config.warmup.as_nanos();
        let kinds = [&self.run.write_warm_up, &self.run.read_warm_up];
        // What open loops complete is what they are offered: chance, not the cluster.
        let unsettled = kinds.map(|kind| kind.unsettled(warm_up, !config.open_loop));
        unsettled
            .into_iter()
            .flatten()
            .max()
            .map(|nanos| nanos as f64 / 1e6)
    }

    /// Whether the writes in flight, or the reads, grew by more than 1 % of the offered ones over the second half of the window (from
    /// the interval boundary nearest below its middle), and by more than four standard deviations of a Poisson number in flight, so that a
    /// handful of operations is not taken for a trend; or more than 1 % of them, and more than a handful, were given up. Apart, because a few
    /// reads are lost among many writes.
    fn piled_up(&self) -> Option<bool> {
        if self.grid.window.is_empty() {
            return None;
        }
        let run = &self.run;
        let given_up = [&run.writes, &run.reads.tallies].map(Tally::total);
        let given_up = given_up.iter().any(|tally| {
            let cohort = tally.cohort();
            let failed = cohort.failed as f64;
            failed > GROWTH * cohort.offered as f64 && failed > A_FEW
        });
        let writes = self.grew(&run.offered, &[&run.server_completed, &run.given_up]);
        Some(given_up || writes || self.grew(&run.reads.offered, &[&run.reads.ended]))
    }

    fn grew(&self, offered: &Table<u32>, ended: &[&Table<u32>]) -> bool {
        let window = &self.grid.window;
        let middle = window.start + window.len() / 2;
        let total = |table: &Table<u32>, rows: Range<usize>| {
            rows.map(|row| sum(table.row(row))).sum::<u64>() as f64
        };
        let in_flight = |until: usize| {
            let ended: f64 = ended.iter().map(|table| total(table, 0..until)).sum();
            total(offered, 0..until) - ended
        };
        let (before, after) = (in_flight(middle), in_flight(window.end));
        let grown = after - before;
        grown > GROWTH * total(offered, middle..window.end)
            && grown > A_FEW * before.max(1.0).sqrt()
    }
}

/// When the last operation was completed.
fn makespan_ms(tally: &Tally) -> Option<f64> {
    (tally.last_completion > 0).then_some(tally.last_completion as f64 / 1e6)
}
