//! One strategy's layout and runs together: its metrics, and its part of the results. Must not know the other strategies.

use super::advice::Advice;
use super::course::Course;
use super::dealings::Dealings;
use super::held_back::{Counters, HeldBack};
use super::hotspots::{self, Hotspots};
use super::key_parts::KeyParts;
use super::read_summary::ReadSummary;
use super::runs::StrategyRuns;
use super::verdict::{AlsoHot, Verdict};
use super::{
    KeyMapBucket, Metric, NeighbourResult, StrategyResult, WriteResult, response_curve, wording,
};
use crate::cluster::{ClusterEvent, TimedEvent};
use crate::layout::{Layout, StrategySample};
use crate::metrics::{EventKind, Hotspot, MetricPath, Series, SeriesEvent, Subject, lookup};
use crate::scenario::{Presplit, PresplitAlgorithm, Severity, Strategy, SweepValue, TimeSpec};
use crate::workload::{Drive, ReadDrive};
use std::collections::BTreeMap;

/// Hottest values that results list.
const ENTITIES: usize = 8;

/// A server with a greater share of its handlers busy has none left for what comes.
const BUSY: f64 = 0.95;

/// Everything that is known of one strategy.
pub(super) struct StrategySummary<'a> {
    pub(super) strategy: &'a Strategy,
    /// What is swept, with its values here.
    pub(super) point: &'a [SweepValue],
    pub(super) layout: &'a Layout,
    pub(super) runs: StrategyRuns,
    pub(super) hotspots: Hotspots,
    pub(super) time: &'a TimeSpec,
}

impl<'a> StrategySummary<'a> {
    pub(super) fn new(
        strategy: &'a Strategy,
        point: &'a [SweepValue],
        time: &'a TimeSpec,
        (layout, sample): (&'a Layout, &StrategySample),
        capacity: Option<f64>,
        mut runs: StrategyRuns,
    ) -> Self {
        let setup = &strategy.setup;
        let servers = f64::from(setup.cluster.servers);
        let key_floor = (servers * layout.hottest_row_share).max(1.0);
        let written = runs.all.counts.completed as f64 / f64::from(runs.all.replicates().max(1));
        let size = sample.size(written);
        let (key_bytes, cell_bytes, rows) = size
            .tables
            .first()
            .map_or((layout.key_bytes, 0.0, 0.0), |table| {
                (table.key_bytes.mean, table.cell_bytes, table.rows())
            });
        // The layout, the sizes and the capacity are those of replicate 0.
        for (name, value) in [
            ("key_floor", key_floor),
            ("key_bytes", key_bytes),
            ("cell_bytes", cell_bytes),
            ("row_bytes", size.row_bytes()),
            ("table_rows", rows),
            ("table_bytes", size.table_bytes()),
            ("block_index_bytes", size.block_index_bytes()),
        ] {
            runs.all.set_first(name, Some(value));
        }
        runs.all.set_first("server_capacity_per_sec", capacity);
        if let Some(knee) = &setup.knee {
            runs.set_knee(knee, capacity);
        }
        runs.all.set("usable_capacity_per_sec", |_, scalars| {
            let peak = scalars.get("server_peak_to_mean").copied().flatten()?;
            Some(servers * capacity? / peak)
        });
        let imports: Vec<(usize, u64)> = setup
            .workload
            .writes
            .iter()
            .enumerate()
            .filter_map(|(at, write)| Some((at, write.drive.import()?.rows.len(&setup.schema))))
            .collect();
        runs.set_makespan(&imports);
        let reads = setup.workload.reads.iter().zip(&layout.reads);
        for (runs, (read, forecast)) in runs.reads.iter_mut().zip(reads) {
            if read.drive.is_none() {
                runs.set_costs(forecast);
            }
        }
        let of_reads = hotspots::hottest_row_of_reads(layout, &runs);
        let read_key_floor = of_reads.map(|share| (servers * share).max(1.0));
        runs.all.set_first("read_key_floor", read_key_floor);
        let hotspots = Hotspots::of(strategy, layout, &runs);
        Self {
            strategy,
            point,
            layout,
            runs,
            hotspots,
            time,
        }
    }

    fn reachable_regions(&self) -> usize {
        self.layout
            .regions
            .iter()
            .filter(|region| !region.unreachable)
            .count()
    }

    /// The mean of a metric over the replicates.
    pub(super) fn mean(&self, name: &str) -> Option<f64> {
        self.runs.all.mean(name)
    }

    /// Some import has rows left at the end of some replicate: the makespan is unknown there.
    fn import_unfinished(&self) -> bool {
        let writes = &self.strategy.setup.workload.writes;
        writes.iter().any(|write| write.drive.import().is_some())
            && self.runs.all.values("makespan_ms").contains(&None)
    }

    /// Lints worth a warning, and what the runs showed to be odd; they name their strategy.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let lints = self
            .layout
            .lints
            .iter()
            .filter(|lint| lint.severity != Severity::Note);
        let busy = self.mean("utilisation_max").filter(|busy| *busy > BUSY);
        let behind = self.reads().filter_map(move |read| {
            let (done, offered) = read.price()?.behind?;
            let cause = match busy {
                Some(_) => "the busiest server has no handler left",
                None => "they wait for more than handlers",
            };
            Some(format!(
                "`{}`: read `{}` piles up, {} of {} a second completed: {cause}",
                self.strategy.name,
                read.name,
                wording::compact(done),
                wording::compact(offered),
            ))
        });
        let unfinished = self.import_unfinished().then(|| {
            format!(
                "strategy `{}`: an import does not end within `time.duration`: its makespan is unknown",
                self.strategy.name
            )
        });
        lints
            .map(|lint| lint.message.clone())
            .chain(unfinished)
            .chain(behind)
            .chain(self.warm_up_warning())
    }

    /// Its reads, in file order.
    fn reads(&self) -> impl Iterator<Item = ReadSummary<'_>> {
        let reads = self.strategy.setup.workload.reads.iter();
        reads
            .zip(&self.runs.reads)
            .enumerate()
            .map(|(at, (read, runs))| ReadSummary {
                name: &read.name,
                issued: read.drive.is_some(),
                forecast: self.layout.reads.get(at),
                runs,
            })
    }

    /// A metric that is a word; `None` when it can't be told.
    pub(super) fn word(&self, path: &MetricPath) -> Option<String> {
        match path.subject {
            Subject::Read(read) => Some(self.reads().nth(read)?.path()?.name().to_owned()),
            _ => Some(self.class(path.definition.name)?.name().to_owned()),
        }
    }

    /// The class of hotspot that a metric names.
    fn class(&self, metric: &str) -> Option<Hotspot> {
        match metric {
            "read_hotspot" => self.hotspots.reads,
            "demand_hotspot" => self.hotspots.all,
            _ => self.hotspots.writes,
        }
    }

    /// What `results.json` says of it.
    pub(super) fn result(&self) -> StrategyResult {
        let strategy = self.strategy;
        let mut metrics = self.runs.metrics();
        let undefined = Metric::Number(super::Measure::UNDEFINED);
        for name in ["hotspot", "read_hotspot", "demand_hotspot"] {
            let class = self.class(name).map(|class| class.name().to_owned());
            metrics.insert(
                name.to_owned(),
                class.map_or(undefined.clone(), Metric::Word),
            );
        }
        let writes = strategy.setup.workload.writes.iter().zip(&self.runs.writes);
        let names = strategy.setup.operation_names();
        let load = match self.runs.writes.is_empty() {
            true => &self.runs.all_reads,
            false => &self.runs.all,
        };
        let verdict = self.verdict();
        let mut result = StrategyResult {
            name: strategy.name.clone(),
            title: strategy.title.clone(),
            sweep: sweep_of(self.point),
            key: strategy.key.text().to_owned(),
            parameters: strategy.key.parameters().clone(),
            servers: strategy.setup.cluster.servers,
            closed_loop: self.is_closed(),
            metrics,
            values: BTreeMap::new(),
            writes: writes
                .map(|(write, runs)| WriteResult {
                    name: write.name.clone(),
                    counts: runs.counts,
                    metrics: runs.write_metrics(),
                })
                .collect(),
            reads: self.reads().map(|read| read.result()).collect(),
            neighbours: names
                .neighbours
                .iter()
                .zip(&self.runs.neighbours)
                .map(|(name, runs)| NeighbourResult {
                    name: (*name).to_owned(),
                    counts: runs.counts,
                    metrics: runs.neighbour_metrics(),
                })
                .collect(),
            counts: self.runs.all.counts,
            advice: self.advice(&verdict),
            verdict: verdict.to_string(),
            knee: strategy
                .setup
                .knee
                .as_ref()
                .map(|knee| self.runs.knee_result(knee)),
            entities: self.entities(),
            series: self.runs.series.clone(),
            key_map: self.layout.key_buckets.iter().map(key_map_bucket).collect(),
            region_starts: self
                .layout
                .regions
                .iter()
                .map(|region| region.start.to_string())
                .collect(),
            response_curve: response_curve::of(load.merged_response()),
        };
        result.values = self.values(&result);
        result
    }

    /// What each replicate has of the metrics in `result`.
    fn values(&self, result: &StrategyResult) -> BTreeMap<String, Vec<Option<f64>>> {
        let names = self.strategy.setup.operation_names();
        let measures = result.measures().into_iter();
        let paths = measures.filter_map(|(path, _)| {
            let found = lookup(&path, &names).ok()?;
            let values = self.runs.values(&found).0;
            values.iter().any(Option::is_some).then_some((path, values))
        });
        paths.collect()
    }

    fn entities(&self) -> Vec<String> {
        let hottest = self.layout.entities.iter().take(ENTITIES);
        hottest
            .map(|entity| {
                format!(
                    "{} {}: {}",
                    entity.field,
                    entity.value,
                    wording::percent(entity.share)
                )
            })
            .collect()
    }

    /// Some write waits for its replies; some read, where nothing is written.
    fn is_closed(&self) -> bool {
        let workload = &self.strategy.setup.workload;
        let mut writes = workload.writes.iter();
        let mut reads = workload.reads.iter().flat_map(|read| &read.drive);
        match workload.writes.is_empty() {
            true => reads.any(|drive| matches!(drive, ReadDrive::Closed { .. })),
            false => writes.any(|write| matches!(write.drive, Drive::Closed { .. })),
        }
    }

    /// The evidence of its verdict.
    fn verdict(&self) -> Verdict {
        let setup = &self.strategy.setup;
        let writes = &setup.workload.writes;
        let reads_only = writes.is_empty();
        let named = |of_writes: &'static str, of_reads: &'static str| {
            self.mean(if reads_only { of_reads } else { of_writes })
        };
        let closed = self.is_closed();
        let response = match reads_only {
            true => self.runs.all_reads.response(),
            false => self.runs.all.response(),
        };
        let p99 = response
            .get("p99")
            .and_then(|p99| Some((p99.merged.or(p99.mean)?, p99.censored)));
        // A whole import in a closed loop has nothing else to be measured against than its time.
        let imported = !reads_only && writes.iter().all(|write| write.drive.import().is_some());
        let offered = named("write_offered_per_sec", "read_offered_per_sec");
        let (hotspot, of_reads) = self.hotspots.main();
        let prefix = if of_reads { "read_" } else { "" };
        let skew = |of_writes: &'static str, reads: &'static str| {
            self.mean(if of_reads { reads } else { of_writes })
        };
        Verdict {
            hotspot,
            also: self.also_hot(of_reads),
            dealings: Dealings::of(&self.runs.all, prefix),
            held_back: HeldBack::of(&self.counters(reads_only, closed)),
            skew_of: if of_reads { "reads" } else { "writes" },
            rates_of: if reads_only { "reads" } else { "writes" },
            servers: setup.cluster.servers,
            server_max_share: skew("server_max_share", "read_server_max_share"),
            peak_to_mean: skew("server_peak_to_mean", "read_server_peak_to_mean"),
            offered_per_sec: offered.filter(|_| !closed),
            throughput_per_sec: named("write_throughput_per_sec", "read_throughput_per_sec"),
            capacity_per_sec: self.mean("server_capacity_per_sec"),
            makespan_ms: self
                .mean("makespan_ms")
                .filter(|_| imported && !self.import_unfinished()),
            import_unfinished: self.import_unfinished(),
            p99_ms: p99,
            failed_fraction: named("write_failed_fraction", "read_failed_fraction").unwrap_or(0.0),
            unfinished_fraction: named("write_unfinished_fraction", "read_unfinished_fraction")
                .unwrap_or(0.0),
            saturated: self
                .mean("saturated")
                .is_some_and(|fraction| fraction > 0.5),
            leads_with_time: self.strategy.follows_time(),
            regions: self.layout.regions.len(),
            reachable_regions: self.reachable_regions(),
            buckets: self.buckets(),
            entity: self.layout.hot_value.as_ref().map(|hottest| {
                (
                    format!("{} {}", hottest.field, hottest.value),
                    hottest.share,
                )
            }),
            hot_range: self.hot_range(of_reads),
            hottest_row_share: match of_reads {
                true => hotspots::hottest_row_of_reads(self.layout, &self.runs).unwrap_or(0.0),
                false => self.layout.hottest_row_share,
            },
            region_max_share: skew("region_max_share", "read_region_max_share"),
            key_floor: skew("key_floor", "read_key_floor").unwrap_or(1.0),
            placement_floor: skew("placement_floor", "read_placement_floor").unwrap_or(1.0),
            duration_s: self.time.duration.as_secs_f64(),
            course: self.course(),
            reads: self.reads().filter_map(|read| read.price()).collect(),
        }
    }

    /// The hotspot of the reads where the verdict begins with that of the writes, or the other way round.
    fn also_hot(&self, of_reads: bool) -> Option<AlsoHot> {
        let (class, of, share) = match of_reads {
            true => (self.hotspots.writes, "writes", "server_max_share"),
            false => (self.hotspots.reads, "reads", "read_server_max_share"),
        };
        Some(AlsoHot {
            hotspot: class.filter(|class| *class != Hotspot::None)?,
            of,
            server_max_share: self.mean(share),
        })
    }

    /// What the keys of the hottest region begin with, in words.
    fn hot_range(&self, of_reads: bool) -> Option<String> {
        let regions = &self.layout.regions;
        let hottest = match of_reads {
            true => {
                let demand = &self.runs.series.as_ref()?.read_region_demand;
                let at_start = demand.iter().take(regions.len());
                at_start.enumerate().max_by_key(|(_, demand)| **demand)?.0
            }
            false => {
                let shares = regions.iter().map(|region| region.write_share);
                shares.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?.0
            }
        };
        let (start, end) = (&regions[hottest].start, regions.get(hottest + 1));
        let buckets = &self.layout.key_buckets;
        let label = |at: usize| buckets.get(at)?.labels.first();
        let from = buckets.partition_point(|bucket| bucket.start <= *start);
        let from = label(from.saturating_sub(1));
        let to = end.and_then(|end| label(buckets.partition_point(|it| it.start < end.start)));
        match (from, to) {
            (Some(from), Some(to)) if from == to => Some(format!("at `{from}`")),
            (Some(from), Some(to)) => Some(format!("from `{from}` to `{to}`")),
            (Some(from), None) => Some(format!("from `{from}` on")),
            (None, Some(to)) => Some(format!("up to `{to}`")),
            (None, None) => None,
        }
    }

    /// What shows why a run does less than it could.
    fn counters(&self, reads_only: bool, closed: bool) -> Counters {
        let setup = &self.strategy.setup;
        let (cluster, mean) = (&setup.cluster, |name| self.mean(name));
        let named = |of_writes, of_reads| mean(if reads_only { of_reads } else { of_writes });
        let throughput = named("write_throughput_per_sec", "read_throughput_per_sec");
        let could = match closed {
            true => mean("server_capacity_per_sec").map(|it| it * f64::from(cluster.servers)),
            false => named("write_offered_per_sec", "read_offered_per_sec"),
        };
        let log = cluster.wal.as_ref().and_then(|wal| {
            let rows = mean("write_throughput_per_sec")? * mean("server_max_share")?;
            Some(rows * mean("row_bytes")? / wal.bandwidth.0)
        });
        let window = (self.time.warmup.as_nanos(), self.time.duration.as_nanos());
        let is_slow = |timed: &&TimedEvent| {
            let ClusterEvent::Slow { length, .. } = &timed.event else {
                return false;
            };
            let from = timed.at.as_nanos();
            let until = from.saturating_add(length.as_nanos()).min(window.1);
            2 * until.saturating_sub(from.max(window.0)) > window.1 - window.0
        };
        let slow = setup.changes.events.iter().filter(is_slow);
        let slow = slow.filter_map(|timed| match timed.event {
            ClusterEvent::Slow { server, times, .. } => (times > 1.0).then_some((server, times)),
            _ => None,
        });
        let series = self.runs.series.as_ref();
        let crashes = series.map_or(0, |series| {
            let crashed = |event: &&SeriesEvent| event.event == EventKind::Crash;
            series.events.iter().filter(crashed).count()
        });
        let clients = setup.workload.writes.iter().map(|write| match write.drive {
            Drive::Closed { clients, .. } => clients,
            _ => 0,
        });
        Counters {
            done: throughput
                .zip(could)
                .filter(|(_, could)| *could > 0.0)
                .map(|(done, could)| done / could),
            utilisation: series.map_or_else(Vec::new, utilisation),
            busiest: mean("utilisation_max").unwrap_or(0.0),
            busy: mean("utilisation_mean").unwrap_or(0.0),
            slow: slow.collect(),
            lost: crashes as u32,
            servers: cluster.servers,
            region_too_busy: mean("region_too_busy_fraction").unwrap_or(0.0),
            log,
            clients: clients.sum(),
            hot: self.hotspots.main().0.is_some_and(|it| it != Hotspot::None),
        }
    }

    /// The same evidence with the segments of the key.
    fn advice(&self, verdict: &Verdict) -> String {
        let parts = KeyParts::of(self.strategy, self.layout.hot_value.as_slice());
        let parts = &parts;
        Advice { verdict, parts }.to_string()
    }

    /// What the cluster did during the run.
    fn course(&self) -> Course {
        let mean = |name| self.mean(name).unwrap_or(0.0);
        Course {
            hot: self.hotspots.main().0.is_some_and(|it| it != Hotspot::None),
            splits: mean("splits"),
            moves: mean("moves"),
            balancer_runs: mean("balancer_runs"),
            balancer_starts: mean("balancer_starts"),
            walks: self.mean("balancer_cost").is_some(),
            bytes_rewritten: mean("bytes_rewritten"),
            relief_ms: self.mean("time_to_relief_ms"),
            ..Course::default()
        }
        .with_findings(self.runs.series.as_ref())
    }

    /// Number of the key's leading buckets, when the table has a region for each.
    fn buckets(&self) -> Option<usize> {
        match &self.strategy.presplit {
            Presplit::Fixed {
                algorithm: PresplitAlgorithm::Buckets,
                points,
            } => Some(points.len() + 1),
            _ => None,
        }
    }
}

/// The share of each server's handlers that is busy, mean over the window.
fn utilisation(series: &Series) -> Vec<f64> {
    let window = series
        .server_utilisation
        .get(series.window_start..)
        .unwrap_or_default();
    let servers = window.first().map_or(0, Vec::len);
    let mean = |server| {
        let busy: f64 = window.iter().map(|interval| interval[server]).sum();
        busy / window.len() as f64
    };
    (0..servers).map(mean).collect()
}

/// A point's values by path.
pub(super) fn sweep_of(point: &[SweepValue]) -> BTreeMap<String, serde_json::Value> {
    let values = point.iter();
    values
        .map(|swept| (swept.path.clone(), swept.value.clone()))
        .collect()
}

fn key_map_bucket(bucket: &crate::layout::KeyBucket) -> KeyMapBucket {
    KeyMapBucket {
        start: bucket.start.to_string(),
        hex: bucket
            .start
            .as_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        labels: bucket.labels.clone(),
    }
}
