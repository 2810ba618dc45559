//! What the run of one replicate takes from its layout. Must not plan: all replicates of a strategy are served by the same access paths.

use super::keyed_table::KeyedTable;
use super::starting_regions::{LaidCopy, StartingRegions, existing_of};
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
    /// The rows that exist, of the table itself, then of each copy; empty without any.
    pub existing: Arc<Vec<ExistingRows>>,
}

impl RunLayout {
    /// Of a replicate: its own split points and rows, and the access paths of the `first` one. Two paths that cost about the same would
    /// else be taken in different replicates, and their mean would be no path's.
    pub fn of(strategy: &Strategy, replicate: &Replicate, first: &Layout) -> Self {
        let writes_only = strategy.copies.is_empty() && first.reads.is_empty();
        let plain = writes_only && first.existing_rows == 0;
        if plain && let Presplit::Fixed { points, .. } = &strategy.presplit {
            return Self {
                split_points: points.clone(),
                ..Self::default()
            };
        }
        let table = KeyedTable::of(strategy, replicate);
        let sample = table.run(Layout::SAMPLE);
        let start = StartingRegions::of(&table, &strategy.presplit, &sample);
        let copies = LaidCopy::all(strategy, replicate, &sample);
        let mut rows = vec![None; 1 + copies.len()];
        let reads = first.reads.iter().map(|read| {
            let planned = &read.planned;
            let take = || match planned.table.checked_sub(1) {
                None => read_forecast::rows(&table, &sample),
                Some(copy) => {
                    let LaidCopy {
                        table: of, sample, ..
                    } = &copies[copy];
                    read_forecast::rows(&table.under(&of.key), sample)
                }
            };
            let rows = rows[planned.table].get_or_insert_with(take);
            PlannedRead {
                row_sample: Arc::clone(rows),
                ..planned.clone()
            }
        });
        Self {
            reads: Arc::new(reads.collect()),
            split_points: start.points,
            existing: existing_of(start.existing, &copies),
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
