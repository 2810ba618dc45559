//! What the run of one replicate takes from its layout. Must not plan: all replicates of a strategy are served by the same access paths.

use super::plan_layout::{Table, run_sample, split_points};
use super::{Layout, Replicate, read_forecast};
use crate::engine::{PlannedRead, TableCopy};
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
}

impl RunLayout {
    /// Of a replicate: its own split points and rows, and the access paths of the `first` one. Two paths that cost about the same would
    /// else be taken in different replicates, and their mean would be no path's.
    pub fn of(strategy: &Strategy, replicate: &Replicate, first: &Layout) -> Self {
        let writes_only = strategy.copies.is_empty() && first.reads.is_empty();
        if writes_only && let Presplit::Fixed { points, .. } = &strategy.presplit {
            return Self {
                split_points: points.clone(),
                ..Self::default()
            };
        }
        let sample = run_sample(strategy, replicate, Layout::SAMPLE);
        let table = Table::of(strategy, replicate);
        let points = split_points(&table, &sample).points;
        let (copies, samples) = read_forecast::copies(strategy, replicate, &sample);
        let mut rows = vec![None; 1 + copies.len()];
        let reads = first.reads.iter().map(|read| {
            let planned = &read.planned;
            let rows =
                rows[planned.table].get_or_insert_with(|| match planned.table.checked_sub(1) {
                    None => read_forecast::rows(&table, &sample),
                    Some(copy) => {
                        let copy_of = Table::of_copy(strategy, copy, replicate);
                        read_forecast::rows(&copy_of, &samples[copy])
                    }
                });
            PlannedRead {
                row_sample: Arc::clone(rows),
                ..planned.clone()
            }
        });
        Self {
            reads: Arc::new(reads.collect()),
            split_points: points,
            copies,
        }
    }
}

impl From<&Layout> for RunLayout {
    fn from(layout: &Layout) -> Self {
        let reads = layout.reads.iter().map(|read| read.planned.clone());
        Self {
            split_points: Arc::clone(&layout.split_points),
            copies: Arc::clone(&layout.copies),
            reads: Arc::new(reads.collect()),
        }
    }
}
