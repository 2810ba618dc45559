//! What is known of each kind of reads, and those that come next.

use crate::engine::config::{PlannedRead, SimConfig};
use crate::engine::numbers::NONE;
use crate::engine::table::rows::TableRouter;
use crate::engine::table::scans::RowSpread;
use crate::keyspace::{KeyBatch, RowKey};
use crate::query::Requests;
use crate::random::{DrawKey, Stream};
use crate::units::ByteSize;
use crate::workload::{ReadBatch, ReadId, ReadSource, RowCounter};

/// Most that a server returns to one call of a scanner (`hbase.client.scanner.max.result.size`, 2 MB).
const SCANNER_BYTES: ByteSize = ByteSize(2 << 20);

/// What is known beforehand of one kind of reads.
#[derive(Debug)]
pub struct Access {
    /// The table that serves it: 0, or copy c - 1.
    pub table: usize,
    /// How the table's rows lie over its regions.
    pub spread: RowSpread,
    /// Mean size of a cell.
    cell_bytes: f64,
}

impl Access {
    /// Rows of which a scanner's call returns so many cells each that fit into one, >= 1.
    pub fn batch_rows(&self, row_cells: f64) -> u64 {
        scanner_rows(row_cells * self.cell_bytes)
    }
}

/// Rows of so many bytes that a scanner's call returns at most, >= 1. (HBase cuts a row that is larger into several calls.)
pub fn scanner_rows(row_bytes: f64) -> u64 {
    // Whole bytes of a mean, which sums may have brought a little below them.
    (SCANNER_BYTES.0 / ((row_bytes + 1e-6) as i64 as u64).max(1)).max(1)
}

/// Targets of one kind of reads, and where their keys begin, which is written for all of them together.
#[derive(Debug, Default)]
struct Beginnings {
    records: Vec<i64>,
    operations: Vec<u64>,
    keys: KeyBatch,
}

/// The reads of a run.
#[derive(Debug)]
pub struct Reads {
    /// `None` when nothing is read.
    pub source: Option<ReadSource>,
    /// Open-loop reads that come next.
    pub batch: ReadBatch,
    pub next: usize,
    /// Of each kind of reads those in the batch, and which of its kind each read is.
    beginnings: Vec<Beginnings>,
    places: Vec<u32>,
    /// Rows of each, where it is a scan of nothing else ([`crate::query::AccessPlan::rows_of_scan`]): one after another they are counted faster than each as it starts.
    pub rows: Vec<Option<f64>>,
    /// Open-loop reads in flight.
    pub in_flight: u64,
    /// The read that a closed-loop reader issues; kept for its memory.
    pub issued: ReadBatch,
    accesses: Vec<Access>,
    /// Counts the rows that they find.
    pub counter: RowCounter,
    /// What one read asks for; kept for its memory.
    pub requests: Option<Box<Requests>>,
    /// Regions of the Gets of one read.
    pub get_regions: Vec<u32>,
    /// Regions that one read asks, from and to.
    pub asked: Vec<(u32, u32)>,
    /// Where the Gets of one RPC go; kept for its memory.
    pub servers: Vec<u32>,
    /// The RPC of a read's Gets on each server; [`NONE`] but while a read is divided.
    pub rpc_of_server: Vec<u32>,
    pub rows_draws: DrawKey,
}

impl Reads {
    pub fn new(config: &SimConfig, tables: &[TableRouter<'_>]) -> Self {
        let accesses = config.reads.iter().map(|read| Access {
            table: read.table,
            spread: RowSpread::new(&read.row_sample, &tables[read.table]),
            cell_bytes: read.cell_bytes,
        });
        Self {
            accesses: accesses.collect(),
            counter: RowCounter::new(&config.population),
            places: Vec::new(),
            rows: Vec::new(),
            beginnings: config.reads.iter().map(|_| Beginnings::default()).collect(),
            source: (!config.reads.is_empty()).then(|| {
                let generator = config.generator.clone();
                ReadSource::new(&config.workload, generator)
            }),
            batch: ReadBatch::default(),
            next: 0,
            in_flight: 0,
            requests: None,
            get_regions: Vec::new(),
            asked: Vec::new(),
            servers: Vec::new(),
            issued: ReadBatch::default(),
            rpc_of_server: vec![NONE; config.servers_in_all() as usize],
            rows_draws: config.generator.draws(Stream::ScannedRows, 0),
        }
    }

    /// Fills the batch with the open-loop reads that come next.
    pub fn refill(&mut self, config: &SimConfig) {
        let width = config.generator.width();
        self.next = 0;
        self.batch.clear();
        if let Some(source) = &mut self.source {
            source.fill(&mut self.batch, config.batch.max(1));
        }
        for of in &mut self.beginnings {
            of.records.clear();
            of.operations.clear();
            of.keys.clear();
        }
        self.places.clear();
        let records = self.batch.records.chunks_exact(width.max(1));
        let targets = self.batch.reads.iter().zip(&self.batch.operations);
        for ((read, operation), record) in targets.zip(records) {
            let of = &mut self.beginnings[usize::from(read.0)];
            self.places.push(of.operations.len() as u32);
            of.records.extend_from_slice(record);
            of.operations.push(operation.0);
        }
        for (of, PlannedRead { plan, .. }) in self.beginnings.iter_mut().zip(&*config.reads) {
            plan.write_beginnings(&of.records, &of.operations, &mut of.keys);
            if !plan.own_row {
                let records = of.records.chunks_exact(width.max(1));
                records.for_each(|of| plan.prefetch(of, &config.population));
            }
        }
        let requests = self.requests.get_or_insert_default();
        self.rows.clear();
        for (at, read) in self.batch.reads.iter().enumerate() {
            let (plan, target) = (
                &config.reads[usize::from(read.0)].plan,
                self.batch.target(at, width),
            );
            self.rows
                .push(plan.rows_of_scan(&target, &self.counter, requests));
        }
    }

    /// The beginning of the key of the batch's `at`-th read, if it has one.
    pub fn beginning(&self, at: usize) -> Option<&[u8]> {
        let of = &self.beginnings[usize::from(self.batch.reads[at].0)];
        (!of.keys.is_empty()).then(|| of.keys.get(self.places[at] as usize))
    }

    /// What is known of a read.
    pub fn access(&self, read: ReadId) -> &Access {
        &self.accesses[usize::from(read.0)]
    }

    /// Neighbours in key order of a table are no more: one has been divided at `row`, or two have become one.
    pub fn regions_change(
        &mut self,
        table: usize,
        gone: &[u32],
        heirs: &[u32],
        row: Option<&RowKey>,
    ) {
        let accesses = self.accesses.iter_mut();
        for access in accesses.filter(|access| access.table == table) {
            access.spread.replace(gone, heirs, row);
        }
    }
}

/// How many regions lie in any of the ranges, given by their first and last ones. Sorts them; no allocation.
pub fn distinct_regions(ranges: &mut [(u32, u32)]) -> u32 {
    ranges.sort_unstable();
    let mut beyond = 0;
    ranges.iter().fold(0, |count, &(first, last)| {
        let first = first.max(beyond);
        beyond = beyond.max(last + 1);
        count + beyond.saturating_sub(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_that_several_ranges_cross_count_once() {
        let count = |ranges: &[(u32, u32)]| distinct_regions(&mut ranges.to_vec());
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[(7, 7), (3, 3), (7, 7)]), 2);
        assert_eq!(count(&[(4, 9), (0, 2), (5, 6), (9, 11)]), 3 + 8);
        assert_eq!(count(&[(0, 0), (0, 3)]), 4);
    }
}
