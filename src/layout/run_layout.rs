//! What the run of one replicate takes from its layout. Must not plan: all replicates of a strategy are served by the same access paths.

use super::plan_layout::{LaidCopy, Table, run_sample};
use super::starting_regions::StartingRegions;
use super::{Layout, Replicate, read_forecast};
use crate::engine::{ExistingRows, PlannedRead, TableCopy};
use crate::keyspace::RowKey;
use crate::scenario::{Presplit, Strategy};
use std::sync::Arc;

/// Split points, copies and planned reads of one replicate.
#[derive(Debug, Clone, Default)]
pub struct RunLayout {
    /// Of the table.
    pub split_points: Arc<Vec<RowKey>>,
    /// Its copies.
    pub copies: Arc<Vec<TableCopy>>,
    /// How each read of the workload is served, in its order.
    pub reads: Arc<Vec<PlannedRead>>,
    /// Rows that exist before the run: of the table, then of its copies; empty without any.
    pub existing: Arc<Vec<ExistingRows>>,
}

impl RunLayout {
    /// Of a replicate: its own split points and rows, and the access paths of the `first` one. Two paths that cost about the same would
    /// else be taken in different replicates, and their mean would be no path's.
    pub fn of(strategy: &Strategy, replicate: &Replicate, first: &Layout) -> Self {
        let plain =
            strategy.copies.is_empty() && first.reads.is_empty() && first.existing_rows == 0;
        if plain && let Presplit::Fixed { points, .. } = &strategy.presplit {
            return Self {
                split_points: points.clone(),
                ..Self::default()
            };
        }
        let sample = run_sample(strategy, replicate, Layout::SAMPLE);
        let table = Table::of(strategy, replicate);
        let start = StartingRegions::of(&table, &sample);
        let copies = LaidCopy::all(strategy, replicate, &sample);
        let mut rows = vec![None; 1 + copies.len()];
        let reads = first.reads.iter().map(|read| {
            let planned = &read.planned;
            let rows =
                rows[planned.table].get_or_insert_with(|| match planned.table.checked_sub(1) {
                    None => read_forecast::rows(&table, &sample),
                    Some(copy) => {
                        let copy_of = Table::of_copy(strategy, copy, replicate);
                        read_forecast::rows(&copy_of, &copies[copy].sample)
                    }
                });
            PlannedRead {
                row_sample: Arc::clone(rows),
                ..planned.clone()
            }
        });
        let reads = Arc::new(reads.collect());
        let of_table = start.existing.into_iter();
        let of_copies = copies.iter().filter_map(|copy| copy.existing.clone());
        Self {
            existing: Arc::new(of_table.chain(of_copies).collect()),
            reads,
            split_points: start.points,
            copies: Arc::new(copies.into_iter().map(|copy| copy.table).collect()),
        }
    }
}

impl From<&Layout> for RunLayout {
    fn from(layout: &Layout) -> Self {
        let reads = layout.reads.iter().map(|read| read.planned.clone());
        Self {
            split_points: Arc::clone(&layout.split_points),
            copies: Arc::clone(&layout.copies),
            existing: Arc::clone(&layout.existing),
            reads: Arc::new(reads.collect()),
        }
    }
}
