//! From a finished run's counters to its metrics, by the rules of the catalogue, and to the series of its charts.
//!
//! Must not know other runs; what needs several (intervals, merged percentiles) is `experiment`'s.

use super::demand::{ClosedDemand, Grid, Spread, sum};
use super::events::{ClusterLog, EventKind};
use super::recorder::{ReadCosts, Recorder, ServerTally};
use super::response::Tally;
use super::table::Table;
use super::{
    HottestServer, MetricId, NO_HOTSPOT_BELOW, OperationRun, RefusalReason, RunResult, Scalars,
    Series, Side, run_result::SideRun,
};
use crate::statistics::{weighted_median, weighted_quantile};
use crate::time::SimTime;
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
pub(super) struct Summary {
    run: Recorder,
    end: u64,
    grid: Grid,
    /// Of writes and of reads.
    demand: [ClosedDemand; 2],
    spreads: [Spread; 2],
    /// Writes and reads together, when there are reads.
    hottest: Option<HottestServer>,
    /// Share of each server's handlers that was busy in the window.
    busy: Vec<f64>,
    /// Whether it was saturated, where that can be told.
    saturated: Option<bool>,
}

/// Operations of the workload, all of a side or of one kind, over a window of so many seconds; `None` when there was none.
pub(super) struct Rates {
    tally: Tally,
    seconds: Option<f64>,
    /// Of each kind.
    paces: Vec<Pace>,
}

/// What a rate is of.
#[derive(Clone, Copy)]
enum Paced {
    Offered,
    Completed,
    Good,
}

/// Operations of one kind, by [`Paced`].
#[derive(Clone, Copy)]
struct Pace {
    of_window: [u64; 3],
    of_run: [u64; 3],
    /// Seconds that an import took, once it is done.
    import_secs: Option<f64>,
}

impl Pace {
    fn of(tally: &Tally, is_import: bool) -> Self {
        let done = tally.seconds_until_done();
        Self {
            of_window: [
                tally.cohort.offered,
                tally.window_completed,
                tally.window_good,
            ],
            of_run: [tally.counts.offered, tally.counts.completed, tally.all_good],
            import_secs: done.filter(|_| is_import),
        }
    }
}

impl Rates {
    /// An import does the same work under every key: its rates are of the time that it takes, however the window lies.
    fn per_second(&self, of: Paced) -> Option<f64> {
        let rates = self.paces.iter().map(|pace| match pace.import_secs {
            Some(seconds) => Some(pace.of_run[of as usize] as f64 / seconds),
            None => Some(pace.of_window[of as usize] as f64 / self.seconds?),
        });
        let sum: Option<f64> = rates.sum();
        sum.filter(|_| !self.paces.is_empty())
    }
}

/// How a metric follows from a run.
enum Rule {
    /// From all of it.
    Run(fn(&Summary) -> Option<f64>),
    /// Of writes and of reads, from how their demand spreads.
    Skew(fn(&Spread) -> Option<f64>),
    /// Of the operations of each side together, and of each kind alone.
    Rate(fn(&Rates) -> Option<f64>),
    /// Of each read.
    OneRead(fn(&ReadCosts) -> Option<f64>),
}

/// Collects the metrics that the catalogue has a rule for, by the names of writes.
macro_rules! rules {
    ($($source:ident { $($(#[doc = $meaning:literal])+ [$id:ident $(, $of:ident)*] $name:literal $unit:ident $better:ident $(, $value:expr)?;)+ })+) => {
        const RULES: &[(MetricId, Rule)] = &[$($($((MetricId::$id, Rule::$source($value)),)?)+)+];
    };
}

super::catalogue::catalogue!(rules);

impl Recorder {
    /// The run ended at `end` (its duration, or the end of the last import).
    pub fn finish(mut self, end: SimTime) -> RunResult {
        let (end, intervals) = (end.as_nanos(), self.intervals);
        let rows = intervals.count(end);
        let window = intervals.window_start().min(rows)..rows;
        self.servers.settle(rows);
        self.refused_rows.settle(rows);
        self.read_work.settle(rows);
        self.read_squares.settle(rows);
        self.neighbour_work.settle(rows);
        self.long_reads.close();
        for side in &mut self.sides {
            side.offered.settle(rows);
            side.ended.settle(rows);
            for (column, tally) in side.tallies.iter_mut().enumerate() {
                let offered = |row| u64::from(side.offered.row(row)[column]);
                let of_window = window.clone().map(offered).sum();
                tally.settle((0..rows).map(offered).sum(), of_window);
            }
        }
        let whole = |index: usize| intervals.length(index, end) == self.config.sample.as_nanos();
        let full = match window.clone().next_back() {
            Some(last) if !whole(last) && window.len() > 1 => window.start..last,
            _ => window.clone(),
        };
        let servers = |row| self.log.servers_in(&intervals, row);
        let overloaded = |row| {
            let handlers = f64::from(self.config.handlers);
            let time = intervals.length(row, end) as f64 * handlers;
            let servers = self.servers.row(row).iter();
            let is_overloaded =
                |it: &ServerTally| it.refused + it.refused_rows > 0 || it.busy as f64 > BUSY * time;
            servers.map(is_overloaded).collect()
        };
        let grid = Grid {
            servers: (0..rows).map(servers).collect(),
            window,
            full,
            overloaded: (0..rows).map(overloaded).collect(),
        };
        let [writes, reads, _] = &mut self.sides;
        let sum = |of: fn(&ReadCosts) -> f64| self.costs.iter().map(of).sum::<f64>();
        let (pieces, together) = (sum(|it| it.pieces), sum(|it| it.together));
        let together = if pieces > 0.0 { together / pieces } else { 1.0 };
        let demand = [(writes, 1.0), (reads, together.max(1.0))];
        let demand = demand.map(|(side, together)| side.demand.close(rows, together));
        let mut summary = Summary {
            end,
            spreads: demand.each_ref().map(|demand| demand.spread(&grid)),
            hottest: None,
            busy: Vec::new(),
            saturated: None,
            run: self,
            grid,
            demand,
        };
        summary.busy = summary.utilisations(summary.grid.window.clone()).collect();
        summary.saturated = match summary.run.config.open_loop {
            true => summary.piled_up(),
            false => summary.busiest().map(|most| most > BUSY),
        };
        for side in [Side::Write, Side::Read] {
            // Of two Poisson numbers one is more than the other by so much once in 30,000 times, however few they are: steady reads that take long are
            // not taken for a trend.
            let is_trend =
                |[before, after]: [f64; 2]| after - before > A_FEW * (before + after).sqrt();
            let piles_up = summary.growth(side).is_some_and(is_trend);
            let tallies = summary.run.sides[side as usize].tallies.iter_mut();
            tallies.for_each(|tally| tally.response.piles_up = piles_up);
        }
        if summary.has(Side::Read) {
            let work = summary.run.config.write_work.as_nanos();
            let work = (work, &summary.run.read_work, &summary.run.read_squares);
            let [written, read] = &summary.demand;
            summary.hottest = written.hottest_with(read, work, &summary.grid);
        }
        summary.result()
    }
}

impl Summary {
    fn result(mut self) -> RunResult {
        // Of the window, unless the run ended before it.
        let nanos = self.end.saturating_sub(self.run.config.warmup.as_nanos());
        let seconds = (nanos > 0).then_some(nanos as f64 / 1e9);
        let imports = self.run.config.imports.clone();
        let is_import = |side: Side, at: usize| side == Side::Write && imports[at];
        let together = |side: Side| Rates {
            tally: Tally::total(&self.run.of(side).tallies),
            // Nothing at all is not a load of zero.
            seconds: seconds.filter(|_| self.has(side)),
            paces: (self.run.of(side).tallies.iter().enumerate())
                .map(|(at, tally)| Pace::of(tally, is_import(side, at)))
                .collect(),
        };
        let rates = Side::ALL.map(together);
        let mut metrics = Scalars::default();
        for (id, rule) in RULES {
            if let Rule::Run(value) = rule {
                metrics.set(*id, value(&self));
            }
            for side in Side::ALL {
                let value = match rule {
                    Rule::Skew(value) => self.spreads.get(side as usize).map(value),
                    Rule::Rate(value) => Some(value(&rates[side as usize])),
                    Rule::Run(_) | Rule::OneRead(_) => None,
                };
                if let Some(value) = value.filter(|_| side == Side::Write || self.has(side)) {
                    metrics.set(id.of(side), value);
                }
            }
        }
        let makespan = rates[Side::Write as usize].tally.makespan_ms();
        metrics.set(MetricId::Makespan, makespan);
        let series = (self.run.config.key_buckets > 0).then(|| self.series());
        let costs = self.run.costs;
        let all = Side::ALL.into_iter().zip(rates).zip(self.run.sides);
        let mut sides = all.map(|((side, rates), counters)| {
            let costs = |at| costs.get(at).filter(|_| side == Side::Read);
            let each = counters.tallies.into_iter().enumerate();
            let each = each.map(|(at, tally)| {
                let rates = Rates {
                    seconds,
                    paces: vec![Pace::of(&tally, is_import(side, at))],
                    tally,
                };
                of_one(side, rates, costs(at))
            });
            SideRun {
                counts: rates.tally.counts,
                response: rates.tally.response,
                even_peak: self.spreads.get(side as usize).and_then(|it| it.even),
                each: each.collect(),
            }
        });
        let mut side = || sides.next().expect("there are three sides");
        RunResult {
            metrics,
            writes: side(),
            reads: side(),
            neighbours: side(),
            hottest: self.hottest,
            // The engine knows.
            events: 0,
            series,
        }
    }

    /// Whether the workload has such operations.
    fn has(&self, side: Side) -> bool {
        !self.run.of(side).tallies.is_empty()
    }

    /// A list that a run without operations of the side has none of.
    fn if_any<T>(&self, side: Side, list: impl FnOnce() -> Vec<T>) -> Vec<T> {
        self.has(side).then(list).unwrap_or_default()
    }

    /// Peak-to-mean of what servers are asked for in all.
    fn demand_peak(&self) -> Option<f64> {
        match self.has(Side::Read) {
            true => self.hottest.map(|hottest| hottest.peak),
            false => weighted_median(&self.spreads[0].peaks),
        }
    }

    fn servers(&self) -> usize {
        self.run.config.servers as usize
    }

    fn events(&self) -> &ClusterLog {
        &self.run.log
    }

    fn count(&self, kind: EventKind) -> Option<f64> {
        Some(self.run.log.count(kind) as f64)
    }

    fn relief_ms(&self) -> Option<f64> {
        let row = self.demand[0].relieved_from(&self.grid, NO_HOTSPOT_BELOW)?;
        Some(self.run.intervals.start(row) as f64 / 1e6)
    }

    /// Regions that no row fell into, of all; a table has at least one region.
    fn empty_regions(&self) -> Option<f64> {
        let regions = &self.demand[0].regions;
        let empty = (regions.alive - regions.reached) as f64;
        self.has(Side::Write).then(|| empty / regions.alive as f64)
    }

    /// The share of intervals in which some server was asked for more than it can do and the mean utilisation stayed below a bound.
    fn hot_time(&self, below: f64) -> Option<f64> {
        let is_hot = |row: &usize| {
            let busy = self.utilisations(*row..row + 1).sum::<f64>();
            let mean = busy / f64::from(self.grid.servers[*row].joined);
            self.grid.overloaded[*row].contains(&true) && mean < below
        };
        let hot = self.grid.full.clone().filter(is_hot).count();
        let intervals = self.grid.full.len() as f64;
        (intervals > 0.0).then(|| hot as f64 / intervals)
    }

    /// A counter of all servers over the window.
    fn in_window(&self, part: fn(&ServerTally) -> u32) -> u64 {
        let rows = self.grid.window.clone();
        let servers = rows.flat_map(|row| self.run.servers.row(row));
        servers.map(|server| u64::from(part(server))).sum()
    }

    fn refused_calls(&self) -> Option<f64> {
        let calls = self.in_window(|server| server.calls);
        (calls > 0).then(|| self.in_window(|server| server.refused) as f64 / calls as f64)
    }

    /// Rows that regions refused for a reason, of those that they refused or wrote in the window.
    fn refused_rows(&self, reason: RefusalReason) -> Option<f64> {
        let refused = |reason: RefusalReason| -> u64 {
            let rows = self.grid.window.clone();
            let reasons = rows.map(|row| self.run.refused_rows.row(row));
            reasons.map(|of| u64::from(of[reason as usize])).sum()
        };
        let by_regions = [
            RefusalReason::RegionTooBusy,
            RefusalReason::NotServingRegion,
        ];
        let rows = by_regions.map(refused).iter().sum::<u64>();
        let rows = rows + self.in_window(|server| server.completed);
        (rows > 0).then(|| refused(reason) as f64 / rows as f64)
    }

    /// Nanoseconds that a server's handlers have in some intervals.
    fn handler_time(&self, rows: &Range<usize>) -> f64 {
        let length = |row| self.run.intervals.length(row, self.end);
        rows.clone().map(length).sum::<u64>() as f64 * f64::from(self.run.config.handlers)
    }

    /// What part of each server's handler time over some intervals that is of which `nanos` tells, by interval and server.
    fn parts<'a>(
        &'a self,
        rows: Range<usize>,
        nanos: impl Fn(usize, usize) -> i64 + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        let capacity = self.handler_time(&rows);
        (0..self.servers()).map(move |server| {
            let nanos = rows.clone().map(|row| nanos(row, server));
            nanos.sum::<i64>() as f64 / capacity
        })
    }

    /// Share of each server's handlers that is busy over some intervals.
    fn utilisations(&self, rows: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        let busy = |row, server: usize| self.run.servers.row(row)[server].busy as i64;
        self.parts(rows, busy).map(|part| part.min(1.0))
    }

    /// The same of the time that reads ask handlers for, which can be more than there is.
    fn read_work(&self, rows: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        self.parts(rows, |row, server| {
            let length = self.run.intervals.length(row, self.end);
            let later = self.run.long_reads.difference(row, server, length);
            self.run.read_work.row(row)[server] as i64 + later
        })
    }

    /// The same of what neighbours do.
    fn neighbour_work(&self, rows: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        self.parts(rows, |row, server| {
            self.run.neighbour_work.row(row)[server] as i64
        })
    }

    fn busiest(&self) -> Option<f64> {
        let most = self.busy.iter().copied().fold(0.0, f64::max);
        (!self.grid.window.is_empty()).then_some(most)
    }

    fn log_utilisation(&self) -> Option<f64> {
        let window = self.end.saturating_sub(self.run.config.warmup.as_nanos());
        let busy = self.run.busiest_log.filter(|_| window > 0)?;
        Some((busy.as_nanos() as f64 / window as f64).min(1.0))
    }

    fn mean_utilisation(&self) -> Option<f64> {
        let joined = &self.grid.servers[self.grid.window.clone()];
        let servers = joined
            .iter()
            .map(|servers| f64::from(servers.joined))
            .sum::<f64>();
        let mean = || self.busy.iter().sum::<f64>() / (servers / joined.len() as f64);
        (!joined.is_empty()).then(mean)
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
        let sides = [Side::Write, Side::Read].map(|side| &self.run.of(side).warm_up);
        // What open loops complete is what they are offered: chance, not the cluster.
        let unsettled = sides.map(|side| side.unsettled(warm_up, !config.open_loop));
        let unsettled = unsettled.into_iter().flatten().max();
        unsettled.map(|nanos| nanos as f64 / 1e6)
    }

    /// Whether the writes in flight, or the reads, grew by more than 1 % of the offered ones over the second half of the window (from
    /// the interval boundary nearest below its middle), and by more than four standard deviations of a Poisson number in flight, so that a
    /// handful of operations is not taken for a trend; or more than 1 % of them, and more than a handful, were given up. Apart, because a few
    /// reads are lost among many writes.
    fn piled_up(&self) -> Option<bool> {
        if self.grid.window.is_empty() {
            return None;
        }
        let piles_up = |side: Side| {
            let cohort = Tally::total(&self.run.of(side).tallies).cohort;
            let failed = cohort.failed as f64;
            let given_up = failed > GROWTH * cohort.offered as f64 && failed > A_FEW;
            let is_beyond_chance =
                |[before, after]: [f64; 2]| after - before > A_FEW * before.max(1.0).sqrt();
            given_up || self.growth(side).is_some_and(is_beyond_chance)
        };
        Some([Side::Write, Side::Read].into_iter().any(piles_up))
    }

    /// The operations of a side that were in flight in the middle of the window and at its end, where these are more by so great a part of those that were
    /// offered between.
    fn growth(&self, side: Side) -> Option<[f64; 2]> {
        let (window, side) = (&self.grid.window, self.run.of(side));
        let middle = window.start + window.len() / 2;
        let total = |table: &Table<u32>, rows: Range<usize>| {
            rows.map(|row| sum(table.row(row))).sum::<u64>() as f64
        };
        let in_flight =
            |until: usize| total(&side.offered, 0..until) - total(&side.ended, 0..until);
        let [before, after] = [middle, window.end].map(in_flight);
        let least = GROWTH * total(&side.offered, middle..window.end);
        (after - before > least).then_some([before, after])
    }

    /// The time series, for charts: as many sample intervals as the recorder says are summed into one.
    fn series(&mut self) -> Series {
        let (run, [written, read]) = (&self.run, &self.demand);
        let rows = run.intervals.count(self.end);
        let grouped = || {
            let firsts = (0..rows).step_by(run.group);
            firsts.map(|first| first..(first + run.group).min(rows))
        };
        let summed = |of: &dyn Fn(usize) -> Vec<u32>| -> Vec<Vec<u64>> {
            let sums = |members: Range<usize>| {
                members.fold(vec![0; self.servers()], |mut sums: Vec<u64>, row| {
                    let counts = sums.iter_mut().zip(of(row));
                    counts.for_each(|(sum, count)| *sum += u64::from(count));
                    sums
                })
            };
            grouped().map(sums).collect()
        };
        let of_servers = |part: fn(&ServerTally) -> u32| {
            summed(&|row| run.servers.row(row).iter().map(part).collect())
        };
        let demand = |of: &ClosedDemand| summed(&|row| of.servers.row(row).to_vec());
        let mut key_demand = run.key_demand.clone();
        key_demand.settle(rows.div_ceil(run.group));
        let key_row = |row| key_demand.row(row).iter().copied().map(u64::from).collect();
        // To six places: what a chart can show, and no more bytes.
        let shown = |fraction: f64| (fraction * 1e6).round() / 1e6;
        let utilisation = |members| self.utilisations(members).map(shown).collect();
        let read_work = |members| self.read_work(members).map(shown).collect();
        let neighbour_work = |members| self.neighbour_work(members).map(shown).collect();
        let response_ms = |members: Range<usize>| {
            let tallies = members.flat_map(|row| run.servers.row(row));
            let (nanos, rows) = tallies.fold((0, 0), |(nanos, rows), it| {
                (nanos + it.responses, rows + it.completed)
            });
            (rows > 0).then(|| shown(nanos as f64 / f64::from(rows) / 1e6))
        };
        let load = if self.has(Side::Write) { written } else { read };
        Series {
            interval_ms: run.config.sample.as_millis_f64() * run.group as f64,
            origin_ms: run.intervals.origin_ms(),
            window_start: self.grid.window.start / run.group,
            server_demand: demand(written),
            server_completed: of_servers(|server| server.completed),
            write_response_ms: self.if_any(Side::Write, || grouped().map(response_ms).collect()),
            server_refused: of_servers(|server| server.refused),
            server_utilisation: grouped().map(utilisation).collect(),
            key_demand: (0..rows.div_ceil(run.group)).map(key_row).collect(),
            region_demand: written.regions.window.clone(),
            server_read_demand: self.if_any(Side::Read, || demand(read)),
            server_read_work: self.if_any(Side::Read, || grouped().map(read_work).collect()),
            server_neighbour_work: self
                .if_any(Side::Neighbour, || grouped().map(neighbour_work).collect()),
            top_regions: load.regions.tops.clone(),
            read_region_demand: read.regions.window.clone(),
            region_server: run.config.region_server.clone(),
            events: std::mem::take(&mut self.run.log.listed),
        }
    }
}

/// The metrics of one write, read or neighbour.
fn of_one(side: Side, rates: Rates, costs: Option<&ReadCosts>) -> OperationRun {
    let mut metrics = Scalars::default();
    for (id, rule) in RULES {
        match (rule, costs) {
            (Rule::Rate(value), _) => metrics.set(id.of(side), value(&rates)),
            (Rule::OneRead(value), Some(costs)) => metrics.set(*id, value(costs)),
            _ => {}
        }
    }
    let tally = rates.tally;
    if side == Side::Write {
        metrics.set(MetricId::Makespan, tally.makespan_ms());
    }
    OperationRun {
        counts: tally.counts,
        metrics,
        response: tally.response,
    }
}
