//! The classes of hotspot of one strategy: of its writes, of its reads, and of what servers are asked for in all. Must not tell them.

use super::busiest_server::opening_servers;
use super::cluster_history::{
    first_and_last, passes_by_itself, peak_of_half_the_time, read_time_peak, usual_read_time_peak,
};
use super::runs::StrategyRuns;
use crate::cluster::row_capacity_per_second;
use crate::key::Pace;
use crate::keyspace::RowKey;
use crate::layout::{HottestRow, Layout};
use crate::metrics::{
    Demanded, FULL_ROW, Hotspot, HotspotEvidence, HottestServer, MetricId, NO_HOTSPOT_BELOW,
    OF_READS, OPERATIONS_PER_SERVER, PASSING, Peak, Side,
};
use crate::random::Seed;
use crate::scenario::Strategy;
use crate::time::{SimDuration, SimTime};
use crate::workload::{PickDistribution, RangeExtent, Read, Workload, Write};
use std::collections::BTreeMap;

/// Most of the read demand is that of a kind of reads when more than this share of it is.
pub(super) const MOST: f64 = 0.5;

/// Servers take turns at the writes of a table within an interval: all go to one for a moment, and then to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    /// The strategy's own (0), or a copy's.
    pub(super) table: usize,
    /// Peak-to-mean of a moment: one server has a row of each write, and its part of the rows of other tables.
    pub(super) peak: f64,
    /// What is left of it for servers to do while it lasts: queues carry the rest into the turns of others.
    pub(super) undeferred_peak: f64,
}

/// A turn of a server at the writes of a table.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// The strategy's own (0), or a copy's.
    table: usize,
    /// How long it lasts, infinite where no other server has a turn.
    secs: f64,
    /// How the rows move on then; `None` of those that are sorted by a field.
    pace: Option<Pace>,
}

/// What queues carry from a server's turn into those of others.
#[derive(Debug, Clone, Copy)]
struct Carried {
    /// A server may be asked for so many times what it does.
    times: f64,
    /// Turns are of so many rows, not of so much time.
    turns_shorten: bool,
}

/// The classes; `None` where there is too little demand to tell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hotspots {
    pub(super) writes: Option<Hotspot>,
    pub(super) reads: Option<Hotspot>,
    pub(super) turns: Option<Turns>,
    /// Servers take turns at a sequence, which intervals may show: what is left of such a turn for a server to do while it lasts once the cluster is full, and turns are as much shorter.
    pub(super) peak_of_shorter_turns: Option<f64>,
    /// By side: the hotspot is one for less than half of the time.
    pub(super) passing: [bool; 2],
    /// Of writes and reads together, by handler time.
    pub(super) all: Option<Hotspot>,
    /// The reads' class is that of their handler time alone: some take much longer than others, and one server has many of these.
    pub(super) by_time: bool,
    /// The reads' part of what the hottest server is asked for, when there are reads.
    pub(super) read_share: Option<f64>,
}

impl Hotspots {
    /// `key_floor` and `read_key_floor` are among the metrics of the runs.
    pub(super) fn of(evidence: Evidence<'_>) -> Self {
        let Evidence {
            strategy,
            layout,
            runs,
            servers,
            sample,
            ..
        } = evidence;
        let peak = |side: Side, id: MetricId| {
            let value = runs.all().mean(id.of(side))?;
            let even = runs.even_peak(side);
            Some(Peak { value, even })
        };
        let is_hot = |side, id| peak(side, id).is_some_and(|peak: Peak| peak.is_hot());
        // Half of the intervals, and with them their median, show turns that last twice as long; of shorter ones most hold two.
        let is_seen = |secs: f64| {
            secs >= 2.0 * sample.as_secs_f64() && is_hot(Side::Write, MetricId::ServerPeakToMean)
        };
        let rows = strategy.rows_per_write();
        let any_turn = evidence.turn();
        let turn = any_turn.filter(|it| !is_seen(it.secs));
        let peak_of_moment = (f64::from(servers) + rows - 1.0) / rows;
        let carried = |turn| evidence.carried(turn, rows * peak_of_moment);
        let turns = turn.map(|turn| Turns {
            table: turn.table,
            peak: peak_of_moment,
            undeferred_peak: peak_of_moment / carried(turn).map_or(1.0, |it| it.times),
        });
        let shorter = any_turn.and_then(carried);
        let shorter = shorter.filter(|it| it.turns_shorten);
        let turns = turns.filter(|turns| turns.peak >= NO_HOTSPOT_BELOW);
        let count = |id: MetricId| runs.all().mean(id).unwrap_or(0.0);
        // What splits and moves have put right since the start is told of them, and how servers that join are used has a class of its own.
        let changes = count(MetricId::Splits) + count(MetricId::Moves);
        let course = runs.series.iter();
        let mut course = course.filter_map(|series| first_and_last(&series.server_demand));
        let is_relieved = changes > 0.0
            && runs.all().mean(MetricId::TimeToRelief).is_some()
            && course.any(|(first, _)| first >= NO_HOTSPOT_BELOW);
        let end = SimTime::from_nanos(strategy.setup.workload.duration.as_nanos());
        let joins = strategy.setup.servers_by(end) > strategy.setup.cluster.servers;
        let hottest = runs.hottest();
        let in_all = |it: HottestServer| Peak {
            value: it.peak,
            even: it.even,
        };
        let hot_by_reads =
            hottest.is_some_and(|it| it.read_share > OF_READS && in_all(it).is_hot());
        let lasts = |side| {
            let value = |series| peak_of_half_the_time(series, side);
            let even = runs.even_peak(side);
            let mut peaks = runs.series.iter().filter_map(value);
            is_hot(side, MetricId::ServerPeakToMean)
                && peaks.any(|value| Peak { value, even }.is_hot())
        };
        let mut read_times = runs.series.iter().filter_map(usual_read_time_peak);
        let read_time_is_uneven = read_times.any(|peak| peak >= NO_HOTSPOT_BELOW);
        let passing = [Side::Write, Side::Read].map(|side| {
            // Another event may come meanwhile.
            let mut by_itself = runs.series.iter().map(|it| passes_by_itself(it, side));
            (!(is_relieved || joins) || by_itself.any(|part| part >= PASSING))
                && count(MetricId::HotspotTimeFraction.of(side)) >= PASSING
                && !lasts(side)
                && !(side == Side::Write && evidence.row_stays_full())
                && !(side == Side::Read && hot_by_reads && read_time_is_uneven)
                && is_hot(side, MetricId::HotspotPeakToMean)
        });
        let class = |side: Side, demanded: Demanded| {
            let turns = turns.filter(|_| side == Side::Write);
            let table = turns.map_or_else(|| evidence.hottest_region(side).0, |it| it.table);
            let mean = |id: MetricId| runs.all().mean(id.of(side));
            let passing = passing[side as usize];
            // Medians tell of the time without it.
            let usual = |id: MetricId| mean(id).filter(|_| !passing);
            let key_floor = evidence.key_floor(side, passing);
            // However regions lie, only one is written at a time.
            let best_dealing = usual(MetricId::PlacementPeakBest).filter(|_| turns.is_none());
            let share = usual(MetricId::KeyRangeMaxShare);
            let of_peak = match passing {
                true => MetricId::HotspotPeakToMean,
                false => MetricId::ServerPeakToMean,
            };
            Hotspot::classify(&HotspotEvidence {
                demanded,
                peak: peak(side, of_peak),
                server_share: mean(MetricId::ServerMaxShare),
                key_floor: key_floor.unwrap_or(1.0),
                row_is_full: side == Side::Write && evidence.row_is_full(),
                reachable_regions: reachable_regions(layout, table) as u64,
                servers,
                leads_with_time: turns.is_some()
                    || strategy
                        .gathers_a_moment_under(strategy.key_of(table), layout.points(table)),
                takes_turns: turns.is_some(),
                best_dealing,
                range_share: share.zip(mean(MetricId::KeyRangeMaxShareOverall)),
            })
        };
        let newest = evidence.newest_share() > MOST;
        let writes = class(Side::Write, Demanded::ByWrites);
        let reads = class(Side::Read, Demanded::ByReads { newest });
        // Where writes are hot as well, reads that are spread are only the ground that they stand on, and those that lie as the rows do have the writes' cause.
        let of_writes = peak(Side::Write, MetricId::ServerPeakToMean);
        let of_writes = of_writes.map_or(0.0, |it| it.value);
        let mut of_time = runs.series.iter().map(read_time_peak);
        let by_time = hot_by_reads
            && reads == Some(Hotspot::None)
            && (writes.is_none_or(|it| it == Hotspot::None)
                || of_time.any(|peak| peak >= NO_HOTSPOT_BELOW && peak > of_writes));
        let reads = if by_time {
            Some(Hotspot::Static)
        } else {
            reads
        };
        let of_all = |it: HottestServer| {
            Hotspot::of_all(in_all(it), it.read_share, writes, reads, turns.is_some())
        };
        let mut classes = [writes, reads].into_iter().flatten();
        let passes = classes.find(|class| passing.contains(&true) && *class != Hotspot::None);
        let together = hottest.map(of_all);
        let together = together
            .filter(|class| *class != Hotspot::None)
            .or(passes)
            .or(together);
        Self {
            writes,
            reads,
            turns,
            peak_of_shorter_turns: shorter.map(|it| peak_of_moment / it.times),
            passing,
            all: together.or(writes).or(reads),
            by_time,
            read_share: hottest.map(|hottest| hottest.read_share),
        }
    }

    /// The class of one side.
    pub(super) fn of_side(&self, side: Side) -> Option<Hotspot> {
        match side {
            Side::Read => self.reads,
            _ => self.writes,
        }
    }

    /// The class that a verdict begins with is one.
    pub(super) fn is_hot(&self) -> bool {
        let class = self.of_side(self.main());
        class.is_some_and(|class| class != Hotspot::None)
    }

    /// Whose class a verdict begins with: that of what lasts, where the other passes, or else of what makes the hottest server hot; while none does, that of
    /// the writes, unless only the reads have one.
    pub(super) fn main(&self) -> Side {
        let hot = |class: Option<Hotspot>| class.is_some_and(|class| class != Hotspot::None);
        let reads_first = match (hot(self.writes), hot(self.reads)) {
            (true, true) if self.passing[0] != self.passing[1] => self.passing[0],
            (true, true) => self.read_share > Some(OF_READS),
            (false, true) => true,
            (_, false) => self.writes.is_none(),
        };
        match reads_first {
            true => Side::Read,
            false => Side::Write,
        }
    }
}

/// So much of the queues' places for calls of a row that is asked for more than its lock lets through may be taken when another row takes its turn: the calls of both
/// are done side by side then. With a quarter and a half of a server's calls in one row, in steps of 0.1 s to 10 s, 1 % of the calls were left undone from 0.34 to
/// 0.58 of them on (measured).
const WAITS_FOR_A_ROW: f64 = 1.0 / 3.0;

/// Parts of a run in which rates are compared.
const PARTS: usize = 32;

/// So many turns of servers show which of them follow one another: 4 of the moments that a key tells for each of them (estimate).
const TURNS_SEEN: f64 = 125.0;

/// A strategy, what is foreseen of it, how its runs went, the servers that had joined by the middle of the window, and the interval in which demand is
/// counted: what hotspots are found by.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) strategy: &'a Strategy,
    pub(super) layout: &'a Layout,
    pub(super) runs: &'a StrategyRuns,
    pub(super) servers: u32,
    pub(super) sample: SimDuration,
    pub(super) seed: Seed,
}

impl Evidence<'_> {
    /// The table and its region with most of the writes, as predicted, or of the reads, as demanded in replicate 0; the strategy's own table is 0.
    pub(super) fn hottest_region(&self, side: Side) -> (usize, usize) {
        let tables = 0..=self.layout.copies.len();
        let regions = tables.flat_map(|table| {
            let regions = self.layout.regions_of_table(table).iter().enumerate();
            regions.map(move |(at, region)| ((table, at), region.write_share))
        });
        // Of equals, the first.
        let most = |loads: &mut dyn Iterator<Item = ((usize, usize), f64)>| {
            loads.reduce(|most, it| if it.1 > most.1 { it } else { most })
        };
        let hottest = match (side, &self.runs.series) {
            (Side::Read, Some(series)) => {
                let demand = series.read_region_demand.iter();
                most(
                    &mut regions
                        .zip(demand)
                        .map(|((at, _), demand)| (at, *demand as f64)),
                )
            }
            _ => most(&mut { regions }),
        };
        hottest.map_or((0, 0), |it| it.0)
    }

    /// The turn of a server at the table at whose writes servers take turns: its rows come as time goes on, and those of a moment, enough for a statement about skew, go to one region. They are enough
    /// where they would be if the cluster were full: what a key follows does not depend on how much is written. Where rates change, turns are those of the busiest part of the run.
    fn turn(&self) -> Option<Turn> {
        let (workload, layout) = (&self.strategy.setup.workload, self.layout);
        let writes = &workload.writes;
        let least = (OPERATIONS_PER_SERVER * u64::from(self.servers)) as f64;
        let of_moment = self.runs.all().mean(MetricId::WriteOffered)?;
        // What comes beside an import follows a time of its own.
        let steady = writes.len() == 1 || writes.iter().all(|it| it.load.import().is_none());
        let pace = self
            .strategy
            .pace()
            .map(|pace| pace.later(self.busiest_at()));
        let full = workload
            .offered_per_sec(&self.strategy.setup.schema)
            .and(self.runs.capacity);
        let full = full.map(|rows| f64::from(self.servers) * rows / self.strategy.rows_per_write());
        let turn = |(table, rows): (usize, f64)| {
            let of_sorted = || self.strategy.stay_of_sorted(layout.rows_in_turn[table]);
            let pace = pace.map(|pace| Pace {
                rows_per_sec: pace
                    .rows_per_sec
                    .map(|own| if rows > of_moment { rows } else { own }),
                ..pace
            });
            let key = self.strategy.key_of(table);
            let secs = match pace {
                Some(pace) => key.stay(pace, layout.points(table)),
                None => of_sorted()?,
            };
            let is_turn = reachable_regions(layout, table) > 1 && rows * secs.min(1.0) >= least;
            is_turn.then_some(Turn { table, secs, pace })
        };
        let tables = (0..=layout.copies.len()).filter(|_| steady && self.servers > 1);
        let rates = || [Some(of_moment), full.filter(|rows| *rows > of_moment)];
        let mut tried =
            tables.flat_map(|table| rates().into_iter().flatten().map(move |rows| (table, rows)));
        tried.find_map(turn)
    }

    /// Seconds after the start of the run at which the part of it begins in which most is written; 0 where rates don't change.
    fn busiest_at(&self) -> f64 {
        let Workload {
            writes, duration, ..
        } = &self.strategy.setup.workload;
        let rate = |part: usize| -> f64 {
            let rates = writes
                .iter()
                .filter_map(|it| it.load.rate_in(part, PARTS, *duration));
            rates.sum()
        };
        // Of equals, the first.
        let rates = (0..PARTS).map(|part| (part, rate(part)));
        let busiest = rates.reduce(|most, it| {
            if it.1 > most.1 * (1.0 + 1e-9) {
                it
            } else {
                most
            }
        });
        let part = busiest.map_or(0, |(part, _)| part);
        duration.as_secs_f64() * part as f64 / PARTS as f64
    }

    /// How many times what it does a server may be asked for in its turns at a table before its queues refuse calls: what waits there is done in the turns of others. In T seconds
    /// it does C T rows and holds Q calls, so that it may get C + Q / T a second. Turns at a sequence are shorter the more rows come: of n rows a server does C n / R at a rate of R and
    /// holds Q, so that it may get R = C / (1 - Q / n). Regions that follow one another on the server that they open on are one turn, and the longest counts: a mean over
    /// replicates. Calls are refused from 0.93 of that on, as one queue is full before the others are (measured). `None` of imports and of clients that wait, which have no time for it.
    fn carried(&self, turn: Turn, rows_of_servers: f64) -> Option<Carried> {
        let (setup, capacity) = (&self.strategy.setup, self.runs.capacity?);
        let (workload, cluster) = (&setup.workload, &setup.cluster);
        let is_import = |it: &Write| it.load.import().is_some();
        workload.offered_per_sec(&setup.schema)?;
        let (table, mut pace) = (turn.table, turn.pace?);
        let writes_of_full = f64::from(self.servers) * capacity / rows_of_servers;
        let key = self.strategy.key_of(table);
        let mut secs_at = |rows: f64| {
            pace.rows_per_sec = pace.rows_per_sec.map(|_| rows);
            key.stay(pace, self.layout.points(table))
        };
        let [secs, faster] = [writes_of_full, 2.0 * writes_of_full].map(&mut secs_at);
        let times = (TURNS_SEEN * secs).min(workload.duration.as_secs_f64());
        pace.speed *= times;
        pace.rows_per_sec = pace.rows_per_sec.map(|_| times * writes_of_full);
        let visited = key.visited(pace, self.layout.points(table));
        let queued = f64::from(cluster.call_queues) * f64::from(cluster.call_queue_length);
        let held = f64::from(cluster.handlers) + queued;
        // Times last as long at any rate.
        let turns_shorten = faster <= 0.75 * secs;
        let carried = |replicate: u32| {
            let of = (self.seed, replicate);
            let servers = opening_servers(self.strategy, self.layout, table, of);
            let server = |region: &usize| servers.get(*region);
            let same = visited.chunk_by(|a, b| server(a) == server(b));
            let turns = same.map(<[_]>::len).max().unwrap_or(1);
            let waiting = held / (capacity * secs * turns as f64);
            match turns_shorten {
                true => 1.0 / (1.0 - waiting).max(1.0 / f64::from(self.servers)),
                false => 1.0 + waiting,
            }
        };
        let replicates = self.runs.all().replicates().max(1);
        // Peaks are averaged, as those of runs are: a lucky dealing makes up for no other.
        let peaks: f64 = (0..replicates).map(|it| 1.0 / carried(it)).sum();
        let carried = Carried {
            times: f64::from(replicates) / peaks,
            turns_shorten,
        };
        Some(carried).filter(|_| !workload.writes.iter().any(is_import))
    }

    /// Operations a second, those that lock no row included, at which the row that is locked most is incremented, or appended to, as fast as its lock lets it,
    /// in the part of the run in which it is most often; `None` where rows are not locked.
    pub(super) fn row_capacity(&self) -> Option<f64> {
        let share = Some(self.layout.locked_row.peak_share).filter(|share| *share > 0.0)?;
        Some(self.locks_per_second() / share)
    }

    /// How often a second that row can be locked, and those that take its place as time goes on. A handler waits with its call, which is done beside those of the
    /// next row, and so are calls that can wait in the queues; but each queue gets to one row at a time.
    fn locks_per_second(&self) -> f64 {
        let (cluster, row) = (&self.strategy.setup.cluster, &self.layout.locked_row);
        let lock = row_capacity_per_second(cluster);
        let (handlers, queues) = (f64::from(cluster.handlers), f64::from(cluster.call_queues));
        // As many as HBase's default: what waits behind more comes too late.
        let queued = queues * f64::from(cluster.call_queue_length).min(10.0 * handlers);
        let of_server = self
            .runs
            .all()
            .mean(MetricId::ServerMaxShare)
            .unwrap_or(1.0);
        let part = (row.peak_share / of_server).min(1.0);
        let waiting = (WAITS_FOR_A_ROW * part * queued).max(handlers);
        (lock + waiting / row.stays).min(queues * lock + handlers / row.stays)
    }

    /// How often a second that row is asked for then.
    pub(super) fn row_rate(&self) -> f64 {
        let (row, writes) = (&self.layout.locked_row, self.runs.all());
        let run_secs =
            self.strategy.setup.workload.duration.as_secs_f64() * f64::from(writes.replicates());
        let over_the_run = writes.counts.offered as f64 / run_secs;
        // An import may be done long before the end.
        let in_the_window = writes.mean(MetricId::WriteOffered).unwrap_or(0.0);
        (over_the_run * row.peak_rate).max(in_the_window * row.share)
    }

    /// What is offered keeps the lock of that row held then.
    pub(super) fn row_is_full(&self) -> bool {
        self.holds_lock(self.row_rate())
    }

    /// The same over the whole run.
    fn row_stays_full(&self) -> bool {
        let offered = self.runs.all().mean(MetricId::WriteOffered);
        self.holds_lock(offered.unwrap_or(0.0) * self.layout.locked_row.share)
    }

    fn holds_lock(&self, rate: f64) -> bool {
        self.layout.locked_row.share > 0.0 && rate >= FULL_ROW * self.locks_per_second()
    }

    /// The hottest row's part of a side's operations (of the reads, of their demand), while a hotspot passes or over the run; `None` when none is issued.
    pub(super) fn hottest_row_share(&self, side: Side, passing: bool) -> Option<f64> {
        let row = &self.layout.hottest_row;
        match side {
            Side::Read => self.hottest_row_of_reads(passing),
            _ => Some(row.shares_in(self.sample.as_secs_f64())[usize::from(passing)]),
        }
    }

    /// The peak-to-mean that this row makes by itself.
    pub(super) fn key_floor(&self, side: Side, passing: bool) -> Option<f64> {
        let share = self.hottest_row_share(side, passing)?;
        let rows = match side {
            Side::Read => 1.0,
            _ => self.strategy.rows_per_write(),
        };
        Some((f64::from(self.servers) * share / rows).max(1.0))
    }

    /// Read demand a second of each read, Gets, or regions that scans open: as measured, or of open loops as expected in one of the parts of the run.
    pub(super) fn demands(&self, part: Option<usize>) -> Vec<f64> {
        let Workload {
            reads, duration, ..
        } = &self.strategy.setup.workload;
        let each = self
            .runs
            .each(Side::Read)
            .iter()
            .zip(&self.layout.reads)
            .zip(reads);
        each.map(|((runs, forecast), read)| {
            let load = read.load.as_ref();
            let then = part.and_then(|part| load?.rate_in(part, HottestRow::PARTS, *duration));
            let rate = then.or_else(|| runs.mean(MetricId::ReadOffered));
            rate.unwrap_or(0.0) * forecast.parts
        })
        .collect()
    }

    /// The share of the read demand that asks for the newest rows.
    fn newest_share(&self) -> f64 {
        let demands = self.demands(None);
        let reads = self.strategy.setup.workload.reads.iter().zip(&demands);
        let newest = reads.filter(|(read, _)| asks_for_newest(read));
        newest.map(|(_, demand)| demand).sum::<f64>()
            / demands.iter().sum::<f64>().max(f64::MIN_POSITIVE)
    }

    /// The share of the read demand that Gets of the most frequent row make, over the run, or in that part of it in which they are most.
    fn hottest_row_of_reads(&self, passing: bool) -> Option<f64> {
        let hottest = |part| {
            let demands = self.demands(part);
            let mut rows: BTreeMap<(usize, &RowKey), f64> = BTreeMap::new();
            for (forecast, demand) in self.layout.reads.iter().zip(&demands) {
                for (row, share) in &forecast.hot_rows {
                    *rows.entry((forecast.planned.table, row)).or_default() += share * demand;
                }
            }
            let all: f64 = demands.iter().sum();
            (rows.into_values().fold(0.0, f64::max), all)
        };
        let parts = (0..HottestRow::PARTS).map(|part| hottest(Some(part)));
        let (row, all) = match passing {
            true => parts.fold((0.0, 0.0), |most, it| if it > most { it } else { most }),
            false => hottest(None),
        };
        (all > 0.0).then(|| row / all)
    }
}

/// Regions of a table that keys fall into.
pub(super) fn reachable_regions(layout: &Layout, table: usize) -> usize {
    let regions = layout.regions_of_table(table).iter();
    regions.filter(|region| !region.unreachable).count()
}

/// A read asks for rows of the last time only.
fn asks_for_newest(read: &Read) -> bool {
    let recent = |extent: &RangeExtent| match extent {
        RangeExtent::Last { last, ago } => ago <= last,
        RangeExtent::Span(_) => false,
    };
    let latest = |law: &PickDistribution| {
        matches!(
            law,
            PickDistribution::Latest { .. } | PickDistribution::Last(_)
        )
    };
    read.newest.is_some()
        || read.range.iter().any(|range| recent(&range.extent))
        || read.pick.iter().any(|(_, law)| latest(law))
}
