//! One strategy's layout and runs together: its metrics, and its part of the results. Must not know the other strategies.

use super::runs::StrategyRuns;
use super::verdict::Verdict;
use super::{KeyMapBucket, Metric, StrategyResult, WriteResult, response_curve, wording};
use crate::layout::Layout;
use crate::metrics::{Hotspot, HotspotEvidence};
use crate::scenario::{Presplit, PresplitAlgorithm, Severity, Strategy, TimeSpec};
use crate::storage::RowSize;
use crate::workload::Drive;
use std::collections::BTreeMap;

/// Hottest values that results list.
const ENTITIES: usize = 8;

/// Everything that is known of one strategy.
pub(super) struct StrategySummary<'a> {
    pub(super) strategy: &'a Strategy,
    pub(super) layout: &'a Layout,
    pub(super) runs: StrategyRuns,
    pub(super) hotspot: Option<Hotspot>,
    time: &'a TimeSpec,
}

impl<'a> StrategySummary<'a> {
    pub(super) fn new(
        strategy: &'a Strategy,
        time: &'a TimeSpec,
        layout: &'a Layout,
        capacity: Option<f64>,
        mut runs: StrategyRuns,
    ) -> Self {
        let setup = &strategy.setup;
        let servers = f64::from(setup.cluster.servers);
        let size = RowSize::new(
            setup.table.family.len() as u64,
            setup.table.qualifiers.iter().map(String::as_str),
            setup.table.value.0,
        );
        let cell_bytes = size.mean_cell(layout.key_bytes);
        let row_bytes = cell_bytes * size.cell_count() as f64;
        let key_floor = (servers * layout.hottest_row_share).max(1.0);
        let written = runs.all.counts.completed as f64 / f64::from(runs.all.replicates().max(1));
        // The layout and the capacity are those of replicate 0.
        let first = |value: f64| move |index: usize| (index == 0).then_some(value);
        for (name, value) in [
            ("key_floor", key_floor),
            ("key_bytes", layout.key_bytes),
            ("cell_bytes", cell_bytes),
            ("row_bytes", row_bytes),
            (
                "table_bytes",
                row_bytes * (layout.existing_rows as f64 + written),
            ),
        ] {
            runs.all.set(name, |index, _| first(value)(index));
        }
        runs.all.set("server_capacity_per_sec", |index, _| {
            capacity.filter(|_| index == 0)
        });
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
        let mut summary = Self {
            strategy,
            layout,
            runs,
            hotspot: None,
            time,
        };
        summary.hotspot = summary
            .evidence(key_floor)
            .map(|evidence| Hotspot::classify(&evidence));
        summary
    }

    fn evidence(&self, key_floor: f64) -> Option<HotspotEvidence> {
        let mean = |name| self.runs.all.mean(name);
        Some(HotspotEvidence {
            peak: mean("server_peak_to_mean")?,
            even: self.runs.even_peak(),
            key_floor,
            reachable_regions: self.reachable_regions() as u64,
            servers: self.strategy.setup.cluster.servers,
            leads_with_time: self.strategy.follows_time(),
            region_share: mean("region_max_share")?,
            region_share_overall: mean("region_max_share_overall")?,
        })
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
        let unfinished = self.import_unfinished().then(|| {
            format!(
                "strategy `{}`: an import does not end within `time.duration`: its makespan is unknown",
                self.strategy.name
            )
        });
        lints.map(|lint| lint.message.clone()).chain(unfinished)
    }

    /// The class of hotspot; an undefined number when it can't be told.
    pub(super) fn hotspot_metric(&self) -> Metric {
        self.hotspot
            .map_or(Metric::Number(super::Measure::UNDEFINED), |class| {
                Metric::Word(class.name().to_owned())
            })
    }

    /// What `results.json` says of it.
    pub(super) fn result(&self) -> StrategyResult {
        let strategy = self.strategy;
        let mut metrics = self.runs.all.metrics();
        metrics.insert("hotspot".to_owned(), self.hotspot_metric());
        let writes = strategy.setup.workload.writes.iter().zip(&self.runs.writes);
        StrategyResult {
            name: strategy.name.clone(),
            title: strategy.title.clone(),
            sweep: BTreeMap::new(),
            key: strategy.key.text().to_owned(),
            servers: strategy.setup.cluster.servers,
            metrics,
            writes: writes
                .map(|(write, runs)| WriteResult {
                    name: write.name.clone(),
                    counts: runs.counts,
                    metrics: runs.write_metrics(),
                })
                .collect(),
            reads: Vec::new(),
            neighbours: Vec::new(),
            counts: self.runs.all.counts,
            verdict: self.verdict().to_string(),
            entities: self.entities(),
            series: self.runs.series.clone(),
            key_map: self.layout.key_buckets.iter().map(key_map_bucket).collect(),
            region_starts: self
                .layout
                .regions
                .iter()
                .map(|region| region.start.to_string())
                .collect(),
            response_curve: response_curve::of(self.runs.all.merged_response()),
        }
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
        let cluster = &self.strategy.setup.cluster;
        let writes = &self.strategy.setup.workload.writes;
        let closed = writes
            .iter()
            .any(|write| matches!(write.drive, Drive::Closed { .. }));
        let response = self.runs.all.response();
        let p99 = response
            .get("p99")
            .and_then(|p99| Some((p99.merged.or(p99.mean)?, p99.censored)));
        // A whole import in a closed loop has nothing else to be measured against than its time.
        let imports = writes.iter().all(|write| write.drive.import().is_some());
        let makespan = if imports && !self.import_unfinished() {
            self.mean("makespan_ms")
        } else {
            None
        };
        Verdict {
            hotspot: self.hotspot,
            servers: cluster.servers,
            server_max_share: self.mean("server_max_share"),
            peak_to_mean: self.mean("server_peak_to_mean"),
            offered_per_sec: if closed {
                None
            } else {
                self.mean("write_offered_per_sec")
            },
            throughput_per_sec: self.mean("write_throughput_per_sec"),
            capacity_per_sec: self.mean("server_capacity_per_sec"),
            makespan_ms: makespan,
            import_unfinished: self.import_unfinished(),
            p99_ms: p99,
            failed_fraction: self.mean("write_failed_fraction").unwrap_or(0.0),
            unfinished_fraction: self.mean("write_unfinished_fraction").unwrap_or(0.0),
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
            region_max_share: self.mean("region_max_share"),
            key_floor: self.mean("key_floor").unwrap_or(1.0),
            placement_floor: self.mean("placement_floor").unwrap_or(1.0),
            duration_s: self.time.duration.as_secs_f64(),
        }
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
