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
use super::{KeyMapBucket, Metric, OperationResult, StrategyResult, response_curve};
use crate::cluster::{ClusterEvent, TimedEvent};
use crate::layout::{Layout, StrategySample};
use crate::metrics::{
    BUSY, EventKind, Hotspot, MetricId, MetricPath, Part, Series, SeriesEvent, Side, Subject,
    lookup,
};
use crate::scenario::{Presplit, PresplitAlgorithm, Severity, Strategy, SweepValue, TimeSpec};
use crate::text;
use crate::workload::{Drive, ReadDrive};
use std::collections::BTreeMap;

/// Hottest values that results list.
const ENTITIES: usize = 8;

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
        let all = runs.all();
        let written = all.counts.completed as f64 / f64::from(all.replicates().max(1));
        let size = sample.size(written);
        let (key_bytes, cell_bytes, rows) = size
            .tables
            .first()
            .map_or((layout.key_bytes, 0.0, 0.0), |table| {
                (table.key_bytes.mean, table.cell_bytes, table.rows())
            });
        // The layout, the sizes and the capacity are those of replicate 0.
        let all = runs.all_mut();
        for (id, value) in [
            (MetricId::KeyFloor, key_floor),
            (MetricId::KeyBytes, key_bytes),
            (MetricId::CellBytes, cell_bytes),
            (MetricId::RowBytes, size.row_bytes()),
            (MetricId::TableRows, rows),
            (MetricId::TableBytes, size.table_bytes()),
            (MetricId::BlockIndexBytes, size.block_index_bytes()),
        ] {
            all.set_first(id, Some(value));
        }
        all.set_first(MetricId::ServerCapacity, capacity);
        if let Some(knee) = &setup.knee {
            runs.set_knee(knee, capacity);
        }
        runs.all_mut().set(MetricId::UsableCapacity, |_, scalars| {
            Some(servers * capacity? / scalars.get(MetricId::ServerPeakToMean)?)
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
        for (runs, (read, forecast)) in runs.reads_mut().iter_mut().zip(reads) {
            if read.drive.is_none() {
                runs.set_costs(forecast);
            }
        }
        let of_reads = hotspots::hottest_row_of_reads(layout, &runs);
        let read_key_floor = of_reads.map(|share| (servers * share).max(1.0));
        runs.all_mut()
            .set_first(MetricId::ReadKeyFloor, read_key_floor);
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
    pub(super) fn mean(&self, id: MetricId) -> Option<f64> {
        self.runs.all().mean(id)
    }

    /// Some import has rows left at the end of some replicate: the makespan is unknown there.
    fn import_unfinished(&self) -> bool {
        let writes = &self.strategy.setup.workload.writes;
        writes.iter().any(|write| write.drive.import().is_some())
            && self.runs.all().values(MetricId::Makespan).contains(&None)
    }

    /// Lints worth a warning, and what the runs showed to be odd; they name their strategy.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let lints = self
            .layout
            .lints
            .iter()
            .filter(|lint| lint.severity != Severity::Note);
        let busy = self
            .mean(MetricId::UtilisationMax)
            .filter(|busy| *busy > BUSY);
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
                text::compact(done),
                text::compact(offered),
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
            .zip(self.runs.each(Side::Read))
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
            Subject::One(_, read) => Some(self.reads().nth(read)?.path()?.name().to_owned()),
            Subject::All => Some(self.class(path.metric)?.name().to_owned()),
        }
    }

    /// The class of hotspot that a metric names.
    fn class(&self, metric: MetricId) -> Option<Hotspot> {
        match metric {
            MetricId::ReadHotspot => self.hotspots.reads,
            MetricId::DemandHotspot => self.hotspots.all,
            _ => self.hotspots.writes,
        }
    }

    /// What `results.json` says of it.
    pub(super) fn result(&self) -> StrategyResult {
        let strategy = self.strategy;
        let mut metrics = self.runs.metrics();
        let undefined = Metric::Number(super::Measure::UNDEFINED);
        for id in [
            MetricId::Hotspot,
            MetricId::ReadHotspot,
            MetricId::DemandHotspot,
        ] {
            let class = self.class(id).map(|class| class.name().to_owned());
            metrics.insert(
                id.name().to_owned(),
                class.map_or(undefined.clone(), Metric::Word),
            );
        }
        let names = strategy.setup.operation_names();
        let operations = |side: Side| {
            let all = names.of(side).iter().zip(self.runs.each(side));
            all.map(|(name, runs)| OperationResult {
                name: (*name).to_owned(),
                counts: runs.counts,
                metrics: runs.rates_and_response(side),
            })
            .collect()
        };
        let load = self.runs.together(self.load());
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
            writes: operations(Side::Write),
            reads: self.reads().map(|read| read.result()).collect(),
            neighbours: operations(Side::Neighbour),
            counts: self.runs.all().counts,
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
                    text::percent(entity.share)
                )
            })
            .collect()
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
        let mut reads = workload.reads.iter().flat_map(|read| &read.drive);
        match self.load() {
            Side::Read => reads.any(|drive| matches!(drive, ReadDrive::Closed { .. })),
            _ => writes.any(|write| matches!(write.drive, Drive::Closed { .. })),
        }
    }

    /// The evidence of its verdict.
    fn verdict(&self) -> Verdict {
        let setup = &self.strategy.setup;
        let writes = &setup.workload.writes;
        let (load, hot) = (self.load(), self.hotspots.main());
        let of_load = |id: MetricId| self.mean(id.of(load));
        let skew = |id: MetricId| self.mean(id.of(hot));
        let closed = self.is_closed();
        let response = self.runs.together(load).response();
        let p99 = response
            .get(Part::P99.name())
            .and_then(|p99| Some((p99.merged.or(p99.mean)?, p99.censored)));
        // A whole import in a closed loop has nothing else to be measured against than its time.
        let imported =
            load == Side::Write && writes.iter().all(|write| write.drive.import().is_some());
        Verdict {
            hotspot: self.hotspots.of_side(hot),
            also: self.also_hot(hot),
            dealings: Dealings::of(self.runs.all(), hot),
            held_back: HeldBack::of(&self.counters(closed)),
            skew_of: hot,
            rates_of: load,
            servers: setup.cluster.servers,
            server_max_share: skew(MetricId::ServerMaxShare),
            peak_to_mean: skew(MetricId::ServerPeakToMean),
            offered_per_sec: of_load(MetricId::WriteOffered).filter(|_| !closed),
            throughput_per_sec: of_load(MetricId::WriteThroughput),
            capacity_per_sec: self.mean(MetricId::ServerCapacity),
            makespan_ms: self
                .mean(MetricId::Makespan)
                .filter(|_| imported && !self.import_unfinished()),
            import_unfinished: self.import_unfinished(),
            p99_ms: p99,
            failed_fraction: of_load(MetricId::WriteFailedFraction).unwrap_or(0.0),
            unfinished_fraction: of_load(MetricId::WriteUnfinishedFraction).unwrap_or(0.0),
            saturated: self
                .mean(MetricId::Saturated)
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
            hot_range: self.hot_range(hot),
            hottest_row_share: match hot {
                Side::Read => {
                    hotspots::hottest_row_of_reads(self.layout, &self.runs).unwrap_or(0.0)
                }
                _ => self.layout.hottest_row_share,
            },
            region_max_share: skew(MetricId::RegionMaxShare),
            key_floor: skew(MetricId::KeyFloor).unwrap_or(1.0),
            placement_floor: skew(MetricId::PlacementFloor).unwrap_or(1.0),
            duration_s: self.time.duration.as_secs_f64(),
            course: self.course(),
            reads: self.reads().filter_map(|read| read.price()).collect(),
        }
    }

    /// The hotspot of the reads where the verdict begins with that of the writes, or the other way round.
    fn also_hot(&self, hot: Side) -> Option<AlsoHot> {
        let other = match hot {
            Side::Read => Side::Write,
            _ => Side::Read,
        };
        let class = self.hotspots.of_side(other);
        Some(AlsoHot {
            hotspot: class.filter(|class| *class != Hotspot::None)?,
            of: other,
            server_max_share: self.mean(MetricId::ServerMaxShare.of(other)),
        })
    }

    /// The class that the verdict begins with is one.
    fn is_hot(&self) -> bool {
        let class = self.hotspots.of_side(self.hotspots.main());
        class.is_some_and(|class| class != Hotspot::None)
    }

    /// What the keys of the hottest region begin with, in words.
    fn hot_range(&self, hot: Side) -> Option<String> {
        let regions = &self.layout.regions;
        let hottest = match hot {
            Side::Read => {
                let demand = &self.runs.series.as_ref()?.read_region_demand;
                let at_start = demand.iter().take(regions.len());
                at_start.enumerate().max_by_key(|(_, demand)| **demand)?.0
            }
            _ => {
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
    fn counters(&self, closed: bool) -> Counters {
        let setup = &self.strategy.setup;
        let (cluster, mean) = (&setup.cluster, |id| self.mean(id));
        let of_load = |id: MetricId| mean(id.of(self.load()));
        let throughput = of_load(MetricId::WriteThroughput);
        let could = match closed {
            true => mean(MetricId::ServerCapacity).map(|it| it * f64::from(cluster.servers)),
            false => of_load(MetricId::WriteOffered),
        };
        let log = cluster.wal.as_ref().and_then(|wal| {
            let rows = mean(MetricId::WriteThroughput)? * mean(MetricId::ServerMaxShare)?;
            Some(rows * mean(MetricId::RowBytes)? / wal.bandwidth.0)
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
            busiest: mean(MetricId::UtilisationMax).unwrap_or(0.0),
            busy: mean(MetricId::UtilisationMean).unwrap_or(0.0),
            slow: slow.collect(),
            lost: crashes as u32,
            servers: cluster.servers,
            region_too_busy: mean(MetricId::RegionTooBusyFraction).unwrap_or(0.0),
            log,
            clients: clients.sum(),
            hot: self.is_hot(),
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
        let mean = |id| self.mean(id).unwrap_or(0.0);
        Course {
            hot: self.is_hot(),
            splits: mean(MetricId::Splits),
            moves: mean(MetricId::Moves),
            balancer_runs: mean(MetricId::BalancerRuns),
            balancer_starts: mean(MetricId::BalancerStarts),
            walks: self.mean(MetricId::BalancerCost).is_some(),
            bytes_rewritten: mean(MetricId::BytesRewritten),
            relief_ms: self.mean(MetricId::TimeToRelief),
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
        hex: text::hex(bucket.start.as_bytes()),
        labels: bucket.labels.clone(),
    }
}
