//! One strategy's layout and runs together: its metrics, its part of the results, and what is odd about it. Must not know the other strategies.

use super::advice::{Advice, KeyParts};
use super::buckets;
use super::cluster_history::{self, ClusterHistory};
use super::hotspots::{self, Evidence, Hotspots};
use super::key_words::{further_keys, key_in_words};
use super::read_price::ReadPrice;
use super::runs::{Runs, StrategyRuns, response_curve};
use super::suggestions::seconds;
use super::usable_capacity::{HELD_UP, LoggedWrites, neighbours_part, rows_beside, rows_of_beats};
use super::verdict::{OverRead, Verdict, is_piling_up, known_length, nothing_piles_up};
use super::{
    CellsRead, KeyMapBucket, MappedCopy, Measure, Metric, OperationResult, ReadResult,
    StrategyResult,
};
use crate::cluster::{
    ClusterEvent, handler_capacity_per_second, row_capacity_per_second, server_capacity_per_second,
};
use crate::engine::locks_rows;
use crate::keyspace::escape;
use crate::layout::{EntityShare, Layout, ReadForecast, StrategySample};
use crate::metrics::{BUSY, MetricId, NO_HOTSPOT_BELOW, Peak, Scalars, Side, lookup};
use crate::policy::SplitAlgorithm;
use crate::query::AccessPath;
use crate::random::Seed;
use crate::record::KnownField;
use crate::scenario::{Presplit, Setup, Severity, Strategy, SweepValue, TimeSpec};
use crate::statistics::Estimate;
use crate::text::{self, compact, length};
use crate::time::SimTime;
use crate::workload::{LoadModel, Read, ReadLoadModel, Write};
use std::collections::BTreeMap;

/// Hottest values that results list.
const ENTITIES: usize = 8;
/// Part of all handlers that reads take in vain from which on that is what an overload comes from (estimate).
const IN_VAIN: f64 = 0.1;

/// A server that others ask for all that it can do has so much of its capacity left for writes, so that rates stay comparable (estimate).
const LEAST_ROOM: f64 = 0.001;

/// Everything that is known of one strategy.
pub(super) struct StrategySummary<'a> {
    pub(super) strategy: &'a Strategy,
    /// What is swept, with its values here.
    pub(super) point: &'a [SweepValue],
    pub(super) layout: &'a Layout,
    pub(super) runs: StrategyRuns,
    pub(super) hotspots: Hotspots,
    /// The key of each copy, and the bytes of its rows.
    copies: Vec<(String, f64)>,
    /// What writes take of a log, where they are of unlike size, or grow.
    logged: Option<LoggedWrites>,
    /// Those that had joined by the middle of the window.
    servers: u32,
    pub(super) time: &'a TimeSpec,
    seed: Seed,
}

impl<'a> StrategySummary<'a> {
    pub(super) fn new(
        strategy: &'a Strategy,
        point: &'a [SweepValue],
        (time, seed): (&'a TimeSpec, Seed),
        (layout, sample): &'a (Layout, StrategySample),
        runs: StrategyRuns,
    ) -> Self {
        let (setup, capacity) = (&strategy.setup, runs.capacity);
        let middle = time.warmup.as_nanos().midpoint(time.duration.as_nanos());
        let servers = setup.servers_by(SimTime::from_nanos(middle));
        let mut found = Self {
            strategy,
            point,
            layout,
            runs,
            hotspots: Hotspots::default(),
            copies: Vec::new(),
            logged: None,
            servers,
            time,
            seed,
        };
        let of_writes = found.evidence().key_floor(Side::Write, false);
        let runs = &mut found.runs;
        let all = runs.all_mut();
        let written = all.counts.completed as f64 / f64::from(all.replicates().max(1));
        let size = sample.size(written);
        let copies = size.tables.iter().skip(1);
        let copies = copies.map(|it| (it.key.clone(), it.chosen.table_bytes));
        found.copies = copies.collect();
        let (key_bytes, cell_bytes, rows, cells) = match size.tables.first() {
            Some(table) => (
                table.key_bytes.mean,
                table.cell_bytes,
                table.rows(),
                table.cells(),
            ),
            None => (layout.key_bytes, 0.0, 0.0, 0.0),
        };
        // The layout, the sizes and the capacity are those of replicate 0.
        for (id, value) in [
            (MetricId::KeyFloor, of_writes),
            (MetricId::KeyBytes, Some(key_bytes)),
            (MetricId::CellBytes, Some(cell_bytes)),
            (MetricId::RowBytes, Some(size.row_bytes())),
            (MetricId::WriteBytes, Some(size.write_bytes())),
            (MetricId::TableRows, Some(rows)),
            (MetricId::TableCells, Some(cells)),
            (MetricId::TableBytes, Some(size.table_bytes())),
            (MetricId::BlockIndexBytes, Some(size.block_index_bytes())),
            (MetricId::ServerCapacity, capacity),
        ] {
            all.set_first(id, value);
        }
        let mut families = setup.table.families.iter();
        if families.any(|family| family.spec.ttl.is_some()) {
            let expired = layout.expired_regions as f64 / layout.regions.len().max(1) as f64;
            all.set_first(MetricId::ExpiredRegionFraction, Some(expired));
        }
        if let Some(knee) = &setup.knee {
            runs.set_knee(knee, capacity.map(|rows| rows / strategy.rows_per_write()));
        }
        let writes = setup.workload.writes.iter().enumerate();
        let imports: Vec<(usize, u64)> = writes
            .filter_map(|(at, write)| Some((at, write.load.import()?.rows.len(&setup.schema))))
            .collect();
        runs.set_makespan(&imports);
        let reads = setup.workload.reads.iter().zip(&layout.reads);
        for (runs, (read, forecast)) in runs.each[Side::Read as usize].iter_mut().zip(reads) {
            if read.load.is_none() {
                set_costs(runs, forecast);
            }
        }
        let of_reads = found.evidence().key_floor(Side::Read, false);
        let runs = &mut found.runs;
        runs.all_mut().set_first(MetricId::ReadKeyFloor, of_reads);
        let hotspots = Hotspots::of(found.evidence());
        found.hotspots = hotspots;
        let passing = hotspots.passing[Side::Write as usize];
        let of_rows = found.evidence().row_capacity().unwrap_or(f64::INFINITY);
        // A server that takes `times` as long is as full as another one with so many times its rows.
        let runs = &mut found.runs;
        let loads = runs.series.as_ref().map(cluster_history::shares);
        let slow = slow_servers(strategy, time).filter_map(|(server, times)| {
            let share = loads.as_ref()?.get(server as usize)?;
            Some(share * times)
        });
        let slowest = slow.fold(0.0, f64::max);
        let even = runs.even_peak(Side::Write);
        // Rows of few regions, none of which is split, lie on no more servers than regions: that is no chance.
        let regions = hotspots::reachable_regions(layout, 0) as f64;
        let is_whole = strategy.copies.is_empty() && runs.all().mean(MetricId::Splits) == Some(0.0);
        let least = f64::from(servers) / if is_whole { regions } else { f64::INFINITY };
        let lasting = |value| Peak { value, even }.without_chance().max(least);
        let logged = LoggedWrites::of(strategy, key_bytes, seed);
        found.logged = logged;
        let capacity = capacity.map(|rows| logged.map_or(rows, |it| it.capacity(strategy, rows)));
        // Where the log or memstores hold writes up, handlers have time for others.
        let by_handlers = capacity
            .map(|rows| handler_capacity_per_second(&setup.cluster).max(rows) / rows.max(1e-9));
        let room = |asked: f64| {
            let left = by_handlers.unwrap_or(1.0) * (1.0 - asked);
            left.clamp(LEAST_ROOM, 1.0)
        };
        // A full log holds up those that write to it; the others are done all the same, and would be fewer where all are.
        let held_up = logged.map_or(1.0, |it| {
            let of_write = &runs.each(Side::Write)[it.heaviest];
            let mean = |id| of_write.mean(id);
            let done = mean(MetricId::WriteThroughput).zip(mean(MetricId::WriteOffered));
            done.map_or(1.0, |(done, offered)| (done / offered).min(1.0))
        });
        let series = runs.series.as_ref();
        let others_of_log = neighbours_part(strategy);
        let beside_others = series.map_or(1.0, |it| cluster_history::beside_others(it, room));
        let peaks = |scalars: &Scalars| {
            // It passes in some replicates only.
            let hot = scalars.get(MetricId::HotspotPeakToMean);
            let lasting = scalars.get(MetricId::ServerPeakToMean).map(lasting);
            let peak = hot.filter(|_| passing).or(lasting)?;
            let overall = scalars
                .get(MetricId::ServerPeakToMeanOverall)
                .unwrap_or(peak);
            // Not longer ones, that a lesser rate makes of them.
            let of_shorter = |of_turns: f64| peak.min(overall.max(of_turns));
            let peak = hotspots.peak_of_shorter_turns.map_or(peak, of_shorter);
            // The busiest log has a part of the rows of the window, and where the hotspot moves a greater one of those of a moment.
            let at_a_time = Some(peak / overall).filter(|times| *times >= NO_HOTSPOT_BELOW);
            let at_a_time = at_a_time.unwrap_or(1.0);
            let of_turns = hotspots.turns.map_or(1.0, |turns| turns.undeferred_peak);
            let peak = peak.max(slowest * f64::from(servers)).max(of_turns);
            Some((peak, at_a_time))
        };
        let peak_of_first = runs.all().scalars(0).and_then(&peaks);
        let by_rows = by_few_rows(strategy, capacity);
        let by_beats = rows_of_beats(strategy);
        // Rows that are unlike are counted by themselves.
        let by_log = match logged {
            None => rows_beside(strategy, key_bytes, others_of_log),
            Some(_) => f64::INFINITY,
        };
        runs.all_mut().set(MetricId::UsableCapacity, |_, scalars| {
            let (peak, at_a_time) = peaks(scalars)?;
            // The server whose capacity was measured has its rows in replicate 0.
            let of_first = peak_of_first.map_or(peak, |(first, _)| first);
            let in_rows = by_rows * of_first + (1.0 - by_rows) * peak;
            let rows = f64::from(servers) * capacity? / (in_rows * beside_others);
            let at_most = f64::from(servers) * by_beats.min(by_log) / peak;
            let known = |id: MetricId| scalars.get(id);
            let of_logs = || {
                let (it, written) = (logged?, known(MetricId::WriteThroughput)?);
                let in_step = known(MetricId::WriteOffered)? * held_up;
                let log = known(MetricId::LogUtilisationMax)?;
                let own = (log - others_of_log).max(0.0) * at_a_time;
                let filling = it.filling_log(written.min(in_step), own, others_of_log);
                // What other servers complete while it is full tells nothing of it.
                let even_mix = it.of_even_mix(strategy, others_of_log) * f64::from(servers) / peak;
                Some(if log >= HELD_UP {
                    filling.min(even_mix)
                } else {
                    filling
                })
            };
            let of_logs = of_logs().unwrap_or(f64::INFINITY);
            let by_servers = rows.min(at_most) / strategy.rows_per_write();
            Some(by_servers.min(of_rows).min(of_logs))
        });
        found
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence {
            strategy: self.strategy,
            layout: self.layout,
            runs: &self.runs,
            servers: self.servers,
            sample: self.time.sample,
            seed: self.seed,
        }
    }

    /// The mean of a metric over the replicates.
    pub(super) fn mean(&self, id: MetricId) -> Option<f64> {
        self.runs.all().mean(id)
    }

    /// Some import has rows left at the end of some replicate: the makespan is unknown there.
    pub(super) fn import_unfinished(&self) -> bool {
        let mut writes = self.strategy.setup.workload.writes.iter();
        writes.any(|write| write.load.import().is_some())
            && self.runs.all().values(MetricId::Makespan).contains(&None)
    }

    /// Its reads, in file order: as the file has them, as they were foreseen, and as they went.
    fn reads(&self) -> impl Iterator<Item = (&Read, &ReadForecast, &Runs)> {
        let reads = self.strategy.setup.workload.reads.iter();
        let known = reads.zip(&self.layout.reads);
        let known = known.zip(self.runs.each(Side::Read));
        known.map(|((read, forecast), runs)| (read, forecast, runs))
    }

    /// What each of its reads costs; those of which nothing is known left out.
    pub(super) fn prices(&self) -> Vec<ReadPrice> {
        let is_steady = nothing_piles_up(|id| self.mean(id));
        self.reads()
            .filter_map(|(read, forecast, runs)| {
                let mean = |id| runs.mean(id);
                let offered = mean(MetricId::ReadOffered).unwrap_or(0.0);
                // Of a closed loop, the offered load is what was started. Some are always in flight at the end.
                let response = runs.response();
                let length = known_length(|part| response.get(part.name()), is_steady);
                let behind = |done: &f64| {
                    is_piling_up([*done, offered], &runs.counts, runs.replicates(), length)
                };
                let done = mean(MetricId::ReadThroughput).filter(behind);
                Some(ReadPrice {
                    name: read.name.clone(),
                    path: forecast.planned.plan.path,
                    calls: mean(MetricId::CallsPlanned)?,
                    requests: forecast.requests,
                    rows_read: mean(MetricId::RowsPlanned).unwrap_or(0.0),
                    rows_returned: mean(MetricId::RowsReturned).unwrap_or(0.0),
                    cells_read: mean(MetricId::CellsPlanned).filter(|_| self.reads_cells()),
                    p99_ms: read.load.as_ref().and_then(|_| runs.p99_ms()),
                    failed_fraction: mean(MetricId::ReadFailedFraction).unwrap_or(0.0),
                    behind: done.map(|done| (done, offered)),
                })
            })
            .collect()
    }

    /// How long a read takes at least: its calls and their rows, in as many parts as are under way at once. A scan goes through its regions one after another.
    fn least_read_secs(&self, read: &ReadPrice) -> f64 {
        let setup = &self.strategy.setup;
        let (service, network) = (&setup.cluster.service, setup.cluster.network);
        let parts = read.requests.min(f64::from(setup.client.fan_out)).max(1.0);
        let call = service.scan.min(service.get).as_secs_f64() + 2.0 * network.as_secs_f64();
        (read.rows_read * service.scan_row.as_secs_f64() + read.calls * call) / parts
    }

    /// Whether some row that it reads has more cells than one, or fewer that are asked for.
    pub(super) fn reads_cells(&self) -> bool {
        self.layout.reads.iter().any(|read| {
            (read.cells_read, read.cells_returned) != (read.rows_read, read.rows_returned)
        })
    }

    /// What `results.json` says of it, with the `cells` of its reads if they are told.
    pub(super) fn result(&self, cells: bool) -> StrategyResult {
        let (strategy, layout, runs) = (self.strategy, self.layout, &self.runs);
        let mut metrics = runs.metrics();
        for (id, class) in [
            (MetricId::Hotspot, self.hotspots.writes),
            (MetricId::ReadHotspot, self.hotspots.reads),
            (MetricId::DemandHotspot, self.hotspots.all),
        ] {
            let undefined = Metric::Number(Measure::UNDEFINED);
            let word = class.map_or(undefined, |class| Metric::Word(class.name().to_owned()));
            metrics.insert(id.name().to_owned(), word);
        }
        let names = strategy.setup.operation_names();
        let operations = |side: Side| {
            let all = names.of(side).iter().zip(runs.each(side));
            all.map(|(name, runs)| OperationResult {
                name: (*name).to_owned(),
                counts: runs.counts,
                metrics: runs.rates_and_response(side),
            })
            .collect()
        };
        let verdict = self.verdict();
        let parts = &KeyParts::of(strategy, verdict.copy, layout.hot_value.as_slice());
        let hottest = layout.entities.iter().take(ENTITIES);
        let told =
            |it: &EntityShare| format!("{} {}: {}", it.field, it.value, text::percent(it.share));
        let knee = strategy.setup.knee.as_ref();
        let starts = |table: usize| {
            let regions = 0..layout.regions_of_table(table).len();
            let starts = regions.map(|region| escape(layout.region_start(table, region)));
            starts.collect()
        };
        let mapped = layout.hottest_table;
        let before = (0..mapped).map(|table| layout.regions_of_table(table).len() as u32);
        let mapped_copy = (mapped > 0).then(|| MappedCopy {
            copy: mapped as u32,
            first_region: before.sum(),
            region_starts: starts(mapped),
        });
        let key_map = layout.key_buckets(mapped).iter();
        let key_map = key_map.map(|it| KeyMapBucket::of(&it.start, it.labels.clone()));
        let mut result = StrategyResult {
            name: strategy.name.clone(),
            title: strategy.title.clone(),
            sweep: sweep_of(self.point),
            key: strategy.key.text().to_owned(),
            key_expanded: Some(strategy.key.expanded.to_owned())
                .filter(|expanded| expanded != strategy.key.text()),
            key_words: key_in_words(&strategy.key, &strategy.setup.schema),
            further_keys: further_keys(strategy),
            copies: self.copies.clone(),
            parameters: strategy.key.parameters.clone(),
            servers: self.servers,
            closed_loop: self.is_closed(),
            metrics,
            values: BTreeMap::new(),
            writes: operations(Side::Write),
            reads: self.reads().map(|read| read_result(read, cells)).collect(),
            neighbours: operations(Side::Neighbour),
            counts: runs.all().counts,
            events: runs.events,
            advice: Advice {
                verdict: &verdict,
                parts,
                spreads: &|lead| {
                    buckets::spread(strategy, verdict.copy, (self.seed, self.servers), lead)
                },
            }
            .to_string(),
            verdict: verdict.to_string(),
            hot_copy: verdict.hot_copy(),
            outlasting_step: verdict.outlasting_step,
            knee: knee.map(|knee| runs.knee_result(knee)),
            entities: hottest.map(told).collect(),
            series: runs.series.clone(),
            key_map: key_map.collect(),
            region_starts: starts(0),
            mapped_copy,
            response_curve: response_curve(runs.together(self.load()).merged.as_ref()),
        };
        let paths = result.measures().into_iter();
        let values = paths.filter_map(|(path, _)| {
            let values = runs.values(&lookup(&path, &names).ok()?);
            values.iter().any(Option::is_some).then_some((path, values))
        });
        result.values = values.collect();
        result
    }

    /// Whose operations make the load: the writes, or the reads where nothing is written.
    fn load(&self) -> Side {
        match self.strategy.setup.workload.writes.is_empty() {
            true => Side::Read,
            false => Side::Write,
        }
    }

    /// Some write waits for its replies; some read, where nothing is written.
    fn is_closed(&self) -> bool {
        let workload = &self.strategy.setup.workload;
        let mut writes = workload.writes.iter();
        match self.load() {
            Side::Read => workload.reads.iter().any(waits),
            _ => writes.any(|write| matches!(write.load, LoadModel::Closed { .. })),
        }
    }

    /// The evidence of its verdict.
    fn verdict(&self) -> Verdict {
        let (setup, layout, runs) = (&self.strategy.setup, self.layout, &self.runs);
        let (load, hot) = (self.load(), self.hotspots.main());
        let evidence = self.evidence();
        let (copy, region) = evidence.hottest_region(hot);
        let turns = self.hotspots.turns.filter(|_| hot == Side::Write);
        let copy = turns.map_or(copy, |turns| turns.table);
        let key = self.strategy.key_of(copy);
        let reached = hotspots::reachable_regions(layout, copy);
        let writes = setup.workload.writes.iter();
        let is_import = |write: &Write| write.load.import().is_some();
        let all_imports = writes.clone().all(is_import);
        // Clients of an import are done before others are.
        let stay = writes.filter(|write| all_imports || !is_import(write));
        let clients = stay.map(|write| match write.load {
            LoadModel::Closed { clients, .. } => clients,
            _ => 0,
        });
        let neighbours = setup.changes.neighbours.iter().map(|it| &it.name[..]);
        let passing = self.hotspots.passing[hot as usize];
        let named = |it: &EntityShare| (format!("{} {}", it.field, it.value), it.share);
        let course = runs.series.as_ref().map(ClusterHistory::of);
        let outlasting_step = self.strategy.key.step_around(layout.points(0));
        let outlasting_step = outlasting_step.map(str::to_owned);
        Verdict {
            means: runs.all().means(),
            hotspots: self.hotspots,
            load,
            closed: self.is_closed(),
            imported: load == Side::Write && all_imports,
            import_unfinished: self.import_unfinished(),
            uneven_log: self.uneven_log(),
            servers: self.servers,
            joined: self.servers.saturating_sub(setup.cluster.servers),
            least_peak: runs.even_peak(hot).map_or(1.0, |even| even.least),
            p99_ms: runs.together(load).p99_ms(),
            rows_per_write: self.strategy.rows_per_write(),
            copy,
            leads_with_time: self
                .strategy
                .gathers_a_moment_under(key, layout.points(copy)),
            outlasting_step,
            regions: layout.regions_of_table(copy).len(),
            reachable_regions: reached,
            // A remainder of few values need not have all that are below its divisor.
            buckets: self.buckets(copy).filter(|buckets| *buckets <= reached),
            entity: layout.hot_value.as_ref().map(named),
            hot_range: range_in_words(layout.region_labels(copy, region)),
            scanned: self.scanned(),
            over_read: self.over_read(),
            hottest_row_share: evidence.hottest_row_share(hot, passing).unwrap_or(0.0),
            key_floor: evidence.key_floor(hot, passing).unwrap_or(1.0),
            row_rate: evidence.row_rate(),
            row_lock: evidence
                .row_is_full()
                .then(|| row_capacity_per_second(&setup.cluster)),
            row_capacity: evidence.row_capacity(),
            duration_s: self.time.duration.as_secs_f64(),
            sample_s: self.time.sample.as_secs_f64(),
            slow: slow_servers(self.strategy, self.time).collect(),
            neighbours: text::all(neighbours),
            clients: clients.sum(),
            course: course.unwrap_or_default(),
            reads: self.prices(),
        }
    }

    /// How many times as much the log of the busiest server is written as the mean of them, where that is no even spread of bytes.
    fn uneven_log(&self) -> Option<f64> {
        let wal = self.strategy.setup.cluster.wal.as_ref()?;
        let bytes = self
            .logged?
            .bytes_of_all(self.mean(MetricId::WriteThroughput)?);
        let mean =
            bytes * self.strategy.rows_per_write() / (f64::from(self.servers) * wal.bandwidth.0);
        let peak = self.mean(MetricId::LogUtilisationMax)? / mean;
        (peak >= NO_HOTSPOT_BELOW).then_some(peak)
    }

    /// The read that makes most of the read demand, if it scans the whole table, with what its readers know.
    fn scanned(&self) -> Option<(String, String)> {
        let demands = self.evidence().demands(None);
        let all: f64 = demands.iter().sum();
        let mut reads = self.reads().zip(&demands);
        let ((read, ..), _) = reads.find(|((_, forecast, _), demand)| {
            let is_scan = forecast.planned.plan.path == AccessPath::TableScan;
            is_scan && **demand > hotspots::MOST * all
        })?;
        Some((read.name.clone(), self.stored(read.equal.iter().copied())))
    }

    /// What reads take in vain, where that is a tenth of all handlers or more, and servers could do the writes and reads of no more than what is asked for.
    fn over_read(&self) -> Option<OverRead> {
        let setup = &self.strategy.setup;
        let service = &setup.table.service(&setup.cluster);
        let of_read = |(read, forecast, runs): (_, &ReadForecast, &Runs)| {
            let mean = |id| runs.mean(id).unwrap_or(0.0);
            let rate = mean(MetricId::ReadOffered);
            let taken = |path: AccessPath, calls, rows, cells| {
                rate * seconds(service, path.name(), calls, rows, cells)
            };
            let (rows, found) = (mean(MetricId::RowsPlanned), mean(MetricId::RowsReturned));
            let (calls, cells) = (mean(MetricId::CallsPlanned), mean(MetricId::CellsPlanned));
            let all = taken(forecast.planned.plan.path, calls, rows, cells);
            let least = taken(AccessPath::Scan, 1.0, found, mean(MetricId::CellsReturned));
            (read, [all, least.min(all)])
        };
        let reads: Vec<(&Read, [f64; 2])> = self.reads().map(of_read).collect();
        let [all, least] = [0, 1].map(|at| reads.iter().map(|it| it.1[at]).sum::<f64>());
        let handlers = f64::from(self.servers) * f64::from(setup.cluster.handlers);
        let rows =
            self.mean(MetricId::WriteOffered).unwrap_or(0.0) * self.strategy.rows_per_write();
        let capacity = self.mean(MetricId::ServerCapacity).unwrap_or(f64::INFINITY);
        let writes = rows / capacity * f64::from(setup.cluster.handlers);
        if all - least < IN_VAIN * handlers || writes + least >= handlers {
            return None;
        }
        let in_vain = |it: &&(&Read, [f64; 2])| it.1[0] - it.1[1];
        let (read, _) = reads
            .iter()
            .max_by(|a, b| in_vain(a).total_cmp(&in_vain(b)))?;
        let price = self.prices().into_iter().find(|it| it.name == read.name)?;
        Some(OverRead {
            read: ReadPrice {
                p99_ms: None,
                behind: None,
                ..price
            },
            fields: self.stored(read.equal.iter().copied().chain(read.ordered())),
            handlers: [all, handlers],
        })
    }

    /// The stored ones of these fields, listed.
    fn stored(&self, fields: impl Iterator<Item = KnownField>) -> String {
        let schema = &self.strategy.setup.schema;
        let names = fields.filter_map(|field| match field {
            KnownField::Stored(field) => Some(&schema.field(field).name),
            KnownField::Derived(_) => None,
        });
        text::all(names)
    }

    /// Number of the leading buckets of a table's key, when it has a region for each.
    fn buckets(&self, table: usize) -> Option<usize> {
        match self.strategy.presplit_of(table) {
            Presplit::Fixed {
                algorithm: Some(SplitAlgorithm::Buckets),
                points,
            } => Some(points.len() + 1),
            _ => None,
        }
    }
}

/// How far it is the number of its rows that holds up a server of increments, and not its handlers: where another one has f times the writes, it has f times the
/// rows. Of H calls at M equal rows, each a station of a closed network, a server does the part u = M / (H + M - 1) of what its handlers do; of f M rows, f / (1 - u + f u) times as much.
/// Its part of all writes being f times as great, u f + 1 - u times less is done in all.
fn by_few_rows(strategy: &Strategy, capacity: Option<f64>) -> f64 {
    let setup = &strategy.setup;
    let is_measured = strategy.copies.is_empty() && locks_rows(&setup.workload.writes);
    let full = server_capacity_per_second(&setup.cluster, &setup.table);
    match capacity {
        Some(capacity) if is_measured => (1.0 - capacity / full).max(0.0),
        _ => 0.0,
    }
}

/// The servers that events make slow for most of the window, with how many times.
fn slow_servers(strategy: &Strategy, time: &TimeSpec) -> impl Iterator<Item = (u32, f64)> {
    let (start, end) = (time.warmup.as_nanos(), time.duration.as_nanos());
    let events = strategy.setup.changes.events.iter();
    events.filter_map(move |timed| {
        let ClusterEvent::Slow {
            server,
            times,
            length,
        } = timed.event
        else {
            return None;
        };
        let from = timed.at.as_nanos();
        let until = from.saturating_add(length.as_nanos()).min(end);
        let is_most = 2 * until.saturating_sub(from.max(start)) > end - start;
        (times > 1.0 && is_most).then_some((server, times))
    })
}

/// What the keys of a region begin with, given what the first ones say, and the first ones behind them.
fn range_in_words(labels: [Option<&str>; 2]) -> Option<String> {
    match labels {
        [Some(from), Some(to)] if from == to => Some(format!("at `{from}`")),
        [Some(from), Some(to)] => Some(format!("from `{from}` to `{to}`")),
        [Some(from), None] => Some(format!("from `{from}` on")),
        [None, Some(to)] => Some(format!("up to `{to}`")),
        [None, None] => None,
    }
}

/// Costs of a read that is only planned are those of the forecast, as replicate 0's; their interval is that over the sample of targets.
fn set_costs(runs: &mut Runs, forecast: &ReadForecast) {
    let of = |estimate: Estimate| Measure::from(estimate.clamped(0.0, f64::INFINITY));
    let (calls, rows) = (of(forecast.calls_planned), of(forecast.rows_planned));
    runs.set_sampled(MetricId::CallsPlanned, calls);
    runs.set_sampled(MetricId::RowsPlanned, rows);
    for (id, cost) in [
        (MetricId::Regions, Some(forecast.regions)),
        (MetricId::RowsReturned, Some(forecast.rows_returned)),
        (MetricId::Calls, calls.mean),
        (MetricId::RowsRead, rows.mean),
        (MetricId::CellsReturned, Some(forecast.cells_returned)),
        (MetricId::CellsPlanned, Some(forecast.cells_read)),
        (MetricId::CellsRead, Some(forecast.cells_read)),
        (
            MetricId::BytesRead,
            Some(forecast.cells_read * forecast.planned.cell_bytes),
        ),
    ] {
        runs.set_first(id, cost);
    }
}

/// Its readers ask again after a reply.
fn waits(read: &Read) -> bool {
    matches!(read.load, Some(ReadLoadModel::Closed { .. }))
}

fn read_result((read, forecast, runs): (&Read, &ReadForecast, &Runs), cells: bool) -> ReadResult {
    let copy = u32::try_from(forecast.planned.table).ok();
    let cells = cells.then(|| CellsRead {
        cells_returned: runs.measure(MetricId::CellsReturned),
        cells_planned: runs.measure(MetricId::CellsPlanned),
        cells_read: runs.measure(MetricId::CellsRead),
        bytes_read: runs.measure(MetricId::BytesRead),
    });
    ReadResult {
        name: read.name.clone(),
        path: Some(forecast.planned.plan.path.name().to_owned()),
        words: forecast.words.clone(),
        copy: copy.filter(|copy| *copy > 0),
        calls_planned: runs.measure(MetricId::CallsPlanned),
        regions: runs.measure(MetricId::Regions),
        rows_planned: runs.measure(MetricId::RowsPlanned),
        rows_returned: runs.measure(MetricId::RowsReturned),
        calls: runs.measure(MetricId::Calls),
        rows_read: runs.measure(MetricId::RowsRead),
        cells,
        counts: runs.counts,
        metrics: runs.rates(Side::Read),
        response_ms: read.load.as_ref().map(|_| runs.response()),
        closed_loop: waits(read),
    }
}

/// A point's values by path.
pub(super) fn sweep_of(point: &[SweepValue]) -> BTreeMap<String, serde_json::Value> {
    let value = |it: &SweepValue| (it.path.clone(), it.value.clone());
    point.iter().map(value).collect()
}

/// Lints worth a warning, and what the runs showed to be odd; they name their strategy.
pub(super) fn warnings(summary: &StrategySummary<'_>) -> Vec<String> {
    let name = &summary.strategy.name;
    let lints = summary.layout.lints.iter();
    let lints = lints.filter(|lint| lint.severity != Severity::Note);
    let mut warnings: Vec<String> = lints.map(|lint| lint.message.clone()).collect();
    if summary.import_unfinished() {
        warnings.push(format!(
            "strategy `{name}`: an import does not end within `time.duration`: its makespan is unknown"
        ));
    }
    let busy = summary.mean(MetricId::UtilisationMax) > Some(BUSY)
        || summary.mean(MetricId::HotTimeFraction) > Some(0.5);
    for read in summary.prices() {
        if let Some((done, offered)) = read.behind {
            let (done, offered) = (compact(done), compact(offered));
            let least = summary.least_read_secs(&read);
            let cause = match () {
                () if least > summary.time.duration.as_secs_f64() => {
                    format!(": one takes {} on average, at least", length(least))
                }
                () if busy => ": the busiest server has no handler left".to_owned(),
                () => String::new(),
            };
            warnings.push(format!(
                "`{name}`: read `{}` piles up, {done} of {offered} a second completed{cause}",
                read.name
            ));
        }
    }
    warnings.extend(short_warm_up(summary));
    warnings
}

/// That the warm-up is too short, in most replicates: one that settles late is chance. Nothing is said of a load or a cluster that
/// changes by itself, which has no level to settle at.
fn short_warm_up(summary: &StrategySummary<'_>) -> Option<String> {
    let mut changes = [MetricId::Splits, MetricId::Merges, MetricId::Moves].into_iter();
    let changes = changes.any(|id| summary.mean(id) > Some(0.0));
    if changes || !is_steady(&summary.strategy.setup) {
        return None;
    }
    let values = summary.runs.all().values(MetricId::Unsettled);
    let (late, latest) = late(&values)?;
    let warm_up = summary.time.warmup.as_secs_f64() + latest / 1e3;
    Some(format!(
        "strategy `{}`: {late} of {} replicates settle only {} after the warm-up (MSER-5): set `time.warmup` to {} or more",
        summary.strategy.name,
        values.len(),
        length(latest / 1e3),
        length(warm_up),
    ))
}

/// In how many replicates something was unsettled, and for how long at most; `None` unless in more than half of them.
fn late(values: &[Option<f64>]) -> Option<(usize, f64)> {
    let unsettled = values.iter().flatten().copied();
    let late: Vec<f64> = unsettled.filter(|ms| *ms > 0.0).collect();
    let latest = late.iter().copied().fold(0.0, f64::max);
    (2 * late.len() > values.len()).then_some((late.len(), latest))
}

/// No finite import, no rate profile and no event: the load has one level throughout.
fn is_steady(setup: &Setup) -> bool {
    let workload = &setup.workload;
    let mut writes = workload.writes.iter();
    let writes = writes.all(|it| !it.load.changes_rate() && it.load.import().is_none());
    let reads = workload.reads.iter().all(|read| match &read.load {
        Some(ReadLoadModel::Open { profile, .. }) => profile.is_empty(),
        Some(ReadLoadModel::Closed { .. }) | None => true,
    });
    writes && reads && setup.changes.events.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_replicates_must_be_late() {
        let (zero, two, three) = (Some(0.0), Some(2.0), Some(3.0));
        assert_eq!(late(&[two, three, zero]), Some((2, 3.0)));
        assert_eq!(late(&[two, three, zero, zero]), None);
        assert_eq!(late(&[two, three, None, zero]), None);
        assert_eq!(late(&[]), None);
    }
}
