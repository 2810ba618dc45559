//! The regions that a table starts a run with: its pre-split, and what the rows that exist have made of it since. Must not know loads.

use super::key_sample::KeySample;
use super::keyed_table::KeyedTable;
use super::table_sample::TableSample;
use super::{Layout, RegionForecast, Replicate};
use crate::cluster::Placement;
use crate::engine::{ExistingRows, TableCopy};
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, KeyRange, Router, RowKey};
use crate::policy::{GrownTable, Growth, SplitSizes, quantile_points};
use crate::random::{Stream, stream};
use crate::scenario::{Presplit, Setup, Strategy};
use crate::workload::Choice;
use std::sync::Arc;

/// Sampled rows for each region that is cut from them: its share is then exact to 5 % (one standard error, 1 / sqrt(400)).
const ROWS_PER_REGION: usize = 400;

/// Most rows that are sampled for split points.
const MOST_ROWS: usize = 4_000_000;

/// Rows that are encoded to tell how many bytes the existing ones take: shared key bytes are then exact to about a third of a byte.
const SIZED_ROWS: usize = 1 << 13;

/// A table's regions at the start of a run.
pub(super) struct StartingRegions {
    pub points: Arc<Vec<RowKey>>,
    /// Where those of the pre-split come from.
    pub source: PointSource,
    /// Regions of the pre-split.
    pub presplit: usize,
    /// The rows that exist; `None` without any.
    pub existing: Option<ExistingRows>,
}

/// Where split points come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PointSource {
    /// Known before any row was.
    Fixed,
    /// Quantiles of rows that existed before the run.
    ExistingRows { regions: u32 },
    /// Quantiles of the run's own keys.
    RunKeys { regions: u32 },
}

impl StartingRegions {
    /// The regions of `table`; `run` are operations of the run under its key. Existing rows split every region over its threshold, as the
    /// split policy says.
    pub fn of(table: &KeyedTable<'_>, presplit: &Presplit, run: &KeySample) -> Self {
        let (points, source, existing) = self::presplit(table, presplit, run);
        let start = Self {
            presplit: points.len() + 1,
            points,
            source,
            existing: None,
        };
        match existing {
            Some(sample) => start.with_rows(table, &sample),
            None => start,
        }
    }

    /// The server of each region in key order, as the engine opens them. Table 0 is the table itself, c its copy c - 1.
    pub fn opening_servers(&self, setup: &Setup, replicate: &Replicate, table: u32) -> Vec<u32> {
        let existing = self.existing.as_ref();
        setup.table.placement.of_table(table).opening_servers(
            self.points.len() as u32 + 1,
            existing.map_or(&[][..], |rows| &rows.split_off),
            setup.cluster.servers,
            &mut stream(replicate.seed, replicate.number, Stream::Placement, table),
        )
    }

    fn with_rows(self, table: &KeyedTable<'_>, sample: &KeySample) -> Self {
        let setup = table.setup;
        let size = TableSample::from_rows(table, SIZED_ROWS).size(0.0);
        let bytes = size.chosen().table_bytes as u64;
        let sorted = sample.sorted();
        let sizes = SplitSizes {
            max_file_bytes: setup.table.max_file_size.0,
            flush_bytes: setup.table.memstore_flush_size.0,
        };
        let grown = GrownTable {
            sample: &sorted,
            bytes,
            policy: &setup.changes.policies.split_policy,
            sizes,
            servers: setup.cluster.servers,
        };
        let growth = match setup.table.placement {
            Placement::Grown => grown.growth(&self.points, &sample.order_written()),
            _ => Growth {
                points: grown.starting_points(&self.points),
                split_off: Vec::new(),
            },
        };
        let mut keys = KeyBatch::default();
        for key in sorted {
            keys.push_with(|out| out.extend_from_slice(key));
        }
        Self {
            points: Arc::new(growth.points),
            existing: Some(ExistingRows {
                rows: size.existing_rows.round() as u64,
                bytes,
                sample: Arc::new(keys),
                split_off: Arc::new(growth.split_off),
            }),
            ..self
        }
    }

    /// What each region will get; `sample` are operations of the run under the key of `plan`.
    pub fn forecast(&self, plan: &KeyPlan, sample: &KeySample) -> Vec<RegionForecast> {
        let mut regions = Vec::with_capacity(sample.len());
        Router::new(&self.points).locate_batch(sample.keys(), &mut regions);
        let mut counts = vec![0u32; self.points.len() + 1];
        for region in regions {
            counts[region as usize] += 1;
        }
        let forecast = |(range, count): (KeyRange, u32)| RegionForecast {
            write_share: f64::from(count) / sample.len().max(1) as f64,
            unreachable: count == 0
                && !plan.may_reach(range.start.as_bytes(), range.end.as_bytes()),
            start: range.start,
        };
        KeyRange::between(&self.points)
            .zip(counts)
            .map(forecast)
            .collect()
    }
}

/// The split points that a table is created with, where they come from, and a sample of the rows that exist; `run` are operations of the
/// run under its key.
pub(super) fn presplit(
    table: &KeyedTable<'_>,
    presplit: &Presplit,
    run: &KeySample,
) -> (Arc<Vec<RowKey>>, PointSource, Option<KeySample>) {
    let rows = match presplit {
        Presplit::Sampled { regions } => {
            let wanted = (*regions as usize).saturating_mul(ROWS_PER_REGION);
            wanted.clamp(Layout::SAMPLE, MOST_ROWS)
        }
        Presplit::Fixed { .. } => Layout::SAMPLE,
    };
    let setup = table.setup;
    let exist = setup.workload.existing_rows(&setup.schema) > 0;
    let existing = exist.then(|| table.existing(rows, Choice::Spread));
    let quantiles =
        |sample: &KeySample, regions| Arc::new(quantile_points(&sample.sorted(), regions));
    let (points, source) = match (presplit, &existing) {
        (Presplit::Fixed { points, .. }, _) => (points.clone(), PointSource::Fixed),
        (&Presplit::Sampled { regions }, Some(existing)) => {
            let source = PointSource::ExistingRows { regions };
            (quantiles(existing, regions), source)
        }
        (&Presplit::Sampled { regions }, None) => {
            (quantiles(run, regions), PointSource::RunKeys { regions })
        }
    };
    (points, source, existing)
}

/// A copy of the table, laid out.
pub(super) struct LaidCopy {
    pub table: TableCopy,
    pub start: StartingRegions,
    /// The run's operations under its key.
    pub sample: KeySample,
}

impl LaidCopy {
    /// All copies of a strategy; `run` is a sample of the run under any key.
    pub fn all(strategy: &Strategy, replicate: &Replicate, run: &KeySample) -> Vec<Self> {
        let own = KeyedTable::of(strategy, replicate);
        let copies = strategy.copies.iter().map(|copy| {
            let table = own.under(&copy.key);
            let sample = table.rekeyed(run);
            let start = StartingRegions::of(&table, &copy.presplit, &sample);
            let table = TableCopy {
                key: copy.key.clone(),
                split_points: Arc::clone(&start.points),
            };
            Self {
                table,
                start,
                sample,
            }
        });
        copies.collect()
    }
}

/// The rows that exist, of the table itself, then of each copy.
pub(super) fn existing_of(
    table: Option<ExistingRows>,
    copies: &[LaidCopy],
) -> Arc<Vec<ExistingRows>> {
    let copies = copies.iter().filter_map(|copy| copy.start.existing.clone());
    Arc::new(table.into_iter().chain(copies).collect())
}
