//! One strategy's layout and runs together: its metrics, and its part of the results. Must not know the other strategies.

use super::advice::Advice;
use super::course::Course;
use super::key_parts::KeyParts;
use super::read_summary::ReadSummary;
use super::runs::StrategyRuns;
use super::verdict::Verdict;
use super::{
    KeyMapBucket, Metric, NeighbourResult, StrategyResult, WriteResult, response_curve, wording,
};
use crate::layout::{Layout, StrategySample};
use crate::metrics::{Hotspot, HotspotEvidence, Peak, Subject, lookup};
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
    pub(super) hotspot: Option<Hotspot>,
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
        for (runs, forecast) in runs.reads.iter_mut().zip(&layout.reads) {
            runs.set_costs(forecast, setup);
        }
        let mut summary = Self {
            strategy,
            point,
            layout,
            runs,
            hotspot: None,
            time,
        };
        summary.hotspot = Hotspot::classify(&summary.evidence(key_floor));
        summary
    }

    fn evidence(&self, key_floor: f64) -> HotspotEvidence {
        let mean = |name| self.runs.all.mean(name);
        let share = |median, overall| mean(median).zip(mean(overall));
        HotspotEvidence {
            writes: mean("server_peak_to_mean").map(|value| Peak {
                value,
                even: self.runs.even_peak(),
            }),
            read_peak: mean("read_server_peak_to_mean"),
            hottest: self.runs.hottest(),
            key_floor,
            reachable_regions: self.reachable_regions() as u64,
            servers: self.strategy.setup.cluster.servers,
            leads_with_time: self.strategy.follows_time(),
            region_share: share("region_max_share", "region_max_share_overall")
                .or_else(|| share("read_region_max_share", "read_region_max_share_overall")),
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
    pub(super) fn word(&self, subject: Subject) -> Option<String> {
        match subject {
            Subject::Read(read) => Some(self.reads().nth(read)?.path()?.name().to_owned()),
            _ => Some(self.hotspot?.name().to_owned()),
        }
    }

    /// What `results.json` says of it.
    pub(super) fn result(&self) -> StrategyResult {
        let strategy = self.strategy;
        let mut metrics = self.runs.metrics();
        let undefined = Metric::Number(super::Measure::UNDEFINED);
        let hotspot = self.word(Subject::All).map_or(undefined, Metric::Word);
        metrics.insert("hotspot".to_owned(), hotspot);
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

    /// The evidence of its verdict.
    fn verdict(&self) -> Verdict {
        let setup = &self.strategy.setup;
        let writes = &setup.workload.writes;
        let reads_only = writes.is_empty();
        let named = |of_writes: &'static str, of_reads: &'static str| {
            self.mean(if reads_only { of_reads } else { of_writes })
        };
        let closed = if reads_only {
            let reads = setup.workload.reads.iter();
            reads
                .flat_map(|read| &read.drive)
                .any(|drive| matches!(drive, ReadDrive::Closed { .. }))
        } else {
            writes
                .iter()
                .any(|write| matches!(write.drive, Drive::Closed { .. }))
        };
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
        // A lookback hotspot is one of reads.
        let of_reads = reads_only || self.hotspot == Some(Hotspot::Lookback);
        let skew = |of_writes: &'static str, reads: &'static str| {
            self.mean(if of_reads { reads } else { of_writes })
        };
        Verdict {
            hotspot: self.hotspot,
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
            entity: self.layout.entities.first().map(|hottest| {
                (
                    format!("{} {}", hottest.field, hottest.value),
                    hottest.share,
                )
            }),
            hottest_row_share: self.layout.hottest_row_share,
            hot_read_share: self.runs.hottest().map(|hottest| hottest.read_share),
            region_max_share: skew("region_max_share", "read_region_max_share"),
            key_floor: self.mean("key_floor").unwrap_or(1.0),
            placement_floor: skew("placement_floor", "read_placement_floor").unwrap_or(1.0),
            duration_s: self.time.duration.as_secs_f64(),
            course: self.course(),
            reads: self.reads().filter_map(|read| read.price()).collect(),
        }
    }

    /// The same evidence with the segments of the key.
    fn advice(&self, verdict: &Verdict) -> String {
        let parts = KeyParts::of(self.strategy, &self.layout.entities);
        let parts = &parts;
        Advice { verdict, parts }.to_string()
    }

    /// What the cluster did during the run.
    fn course(&self) -> Course {
        let mean = |name| self.mean(name).unwrap_or(0.0);
        Course {
            hot: self.hotspot.is_some_and(|hotspot| hotspot != Hotspot::None),
            splits: mean("splits"),
            moves: mean("moves"),
            balancer_runs: mean("balancer_runs"),
            balancer_starts: mean("balancer_starts"),
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
