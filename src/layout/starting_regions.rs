//! The regions that a table starts a run with: its pre-split, and what the rows that exist have made of it since. Must not know loads.

use super::key_sample::KeySample;
use super::plan_layout::Table;
use super::table_sample::TableSample;
use super::{Layout, Replicate};
use crate::cluster::Placement;
use crate::engine::ExistingRows;
use crate::keyspace::{KeyBatch, RowKey};
use crate::policy::{GrownTable, Growth, SplitSizes, quantile_points};
use crate::random::{Stream, stream};
use crate::scenario::{Presplit, Setup};
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
    pub fn of(table: &Table<'_>, run: &KeySample) -> Self {
        let (points, source, existing) = presplit(table, run);
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

    fn with_rows(self, table: &Table<'_>, sample: &KeySample) -> Self {
        let setup = table.setup;
        let size = TableSample::from_rows(setup, table.key, table.replicate, SIZED_ROWS).size(0.0);
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
}

/// The split points that `table` is created with, where they come from, and a sample of the rows that exist; `run` are operations of the
/// run under its key.
pub(super) fn presplit(
    table: &Table<'_>,
    run: &KeySample,
) -> (Arc<Vec<RowKey>>, PointSource, Option<KeySample>) {
    let rows = match table.presplit {
        Presplit::Sampled { regions } => (*regions as usize)
            .saturating_mul(ROWS_PER_REGION)
            .clamp(Layout::SAMPLE, MOST_ROWS),
        Presplit::Fixed { .. } => Layout::SAMPLE,
    };
    let setup = table.setup;
    let exist = setup.workload.existing_rows(&setup.schema) > 0;
    let existing = exist.then(|| table.existing(rows));
    let (points, source) = match (table.presplit, &existing) {
        (Presplit::Fixed { points, .. }, _) => (points.clone(), PointSource::Fixed),
        (&Presplit::Sampled { regions }, Some(existing)) => (
            Arc::new(quantile_points(&existing.sorted(), regions)),
            PointSource::ExistingRows { regions },
        ),
        (&Presplit::Sampled { regions }, None) => (
            Arc::new(quantile_points(&run.sorted(), regions)),
            PointSource::RunKeys { regions },
        ),
    };
    (points, source, existing)
}
