//! Where the rows of one table go: record to key to region. Must not know servers, nor when an operation happens.

use super::SimConfig;
use crate::cluster::RegionMap;
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, RowKey};
use crate::random::{DrawKey, Stream, mix, stream};
use crate::workload::{OperationId, WriteKind};
use std::sync::Arc;

/// Where one row goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Region, counted over all tables.
    pub region: u32,
    /// Bucket of the key map; zero without series.
    pub key_bucket: u32,
    /// Bytes of the key.
    pub key_length: u16,
    /// Names the row among those of its server that are locked at a time: 64 well-mixed bits of its key, so that two rows of
    /// a million in flight share a number with a probability below 10^-7 (they would then wait for each other).
    pub row: u64,
}

/// Operations whose rows are placed together, column by column; reused.
#[derive(Debug, Default)]
pub(super) struct Unplaced {
    operations: Vec<u64>,
    indices: Vec<u64>,
    records: Vec<i64>,
}

impl Unplaced {
    /// Appends the operation that `issue` writes the record of, of `width` slots; `None` when there is none.
    #[inline]
    pub fn push(
        &mut self,
        width: usize,
        issue: impl FnOnce(&mut [i64]) -> Option<OperationId>,
    ) -> Option<OperationId> {
        let start = self.records.len();
        self.records.resize(start + width, 0);
        let issued = issue(&mut self.records[start..]);
        match issued {
            Some(operation) => {
                self.operations.push(operation.0);
                self.indices.push(operation.index());
            }
            None => self.records.truncate(start),
        }
        issued
    }

    /// Forgets all operations, keeps the memory.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.indices.clear();
        self.records.clear();
    }
}

/// Keys and routes many rows of one table together.
#[derive(Debug)]
pub(super) struct Placing<'a> {
    key: &'a KeyPlan,
    /// Its regions.
    pub map: RegionMap,
    /// Number of its first region at the start: those of copies are numbered after those of the table.
    first_region: u32,
    /// Keeps the rows of copies apart from those of the table under equal keys.
    row_salt: u64,
    /// The server of each of its regions at the start, in key order.
    first_servers: Vec<u32>,
    draws: DrawKey,
    row_numbers: bool,
    keys: KeyBatch,
    regions: Vec<u32>,
    key_buckets: Vec<u32>,
}

impl<'a> Placing<'a> {
    /// The table itself.
    pub fn new(config: &'a SimConfig) -> Self {
        Self::of_table(
            config,
            0,
            &config.key,
            &config.split_points,
            &config.key_buckets,
            0,
        )
    }

    /// Further copies of the table, in order.
    pub fn of_copies(config: &'a SimConfig) -> Vec<Self> {
        let mut first_region = config.split_points.len() as u32 + 1;
        let copies = (1..).zip(config.copies.iter());
        copies
            .map(|(table, copy)| {
                let points = &copy.split_points;
                let no_marks = Arc::default();
                let placing =
                    Self::of_table(config, table, &copy.key, points, &no_marks, first_region);
                first_region += placing.map.regions();
                placing
            })
            .collect()
    }

    /// Table 0 is the table itself, c its copy c - 1; `marks` bound the buckets of the key map.
    fn of_table(
        config: &'a SimConfig,
        table: u32,
        key: &'a KeyPlan,
        split_points: &Arc<Vec<RowKey>>,
        marks: &Arc<Vec<RowKey>>,
        first_region: u32,
    ) -> Self {
        let existing = config.changes.existing.get(table as usize);
        let first_servers = config.table.placement.of_table(table).opening_servers(
            split_points.len() as u32 + 1,
            existing.map_or(&[][..], |existing| &existing.split_off),
            config.cluster.servers,
            &mut stream(config.seed, config.replicate, Stream::Placement, table),
        );
        Self {
            key,
            map: RegionMap::with_marks(split_points, first_region, marks),
            first_region,
            row_salt: mix(u64::from(table)),
            first_servers,
            draws: DrawKey::new(config.seed, config.replicate, Stream::Keys, table),
            row_numbers: config
                .workload
                .writes
                .iter()
                .any(|write| write.kind == WriteKind::Increment),
            keys: KeyBatch::default(),
            regions: Vec::new(),
            key_buckets: Vec::new(),
        }
    }

    /// The server of each region at the start, in key order.
    pub fn first_servers(&self) -> &[u32] {
        &self.first_servers
    }

    /// Number of its first region at the start, counted over all tables.
    pub fn first_region(&self) -> u32 {
        self.first_region
    }

    /// The region that holds the key, counted over all tables.
    pub fn locate(&self, key: &[u8]) -> u32 {
        self.map.locate(key)
    }

    /// Appends for each key the region that holds it.
    pub fn locate_batch(&self, keys: &KeyBatch, regions: &mut Vec<u32>) {
        self.map.locate_batch(keys, regions);
    }

    /// Bytes of its longest key.
    pub fn longest_key(&self) -> u16 {
        self.key.len_range().1 as u16
    }

    /// The keys that were placed last, in order, for those of a batch before.
    pub fn swap_keys(&mut self, keys: &mut KeyBatch) {
        std::mem::swap(&mut self.keys, keys);
    }

    /// Tells `each` the place and the key of every operation, in order.
    pub fn place_all(
        &mut self,
        unplaced: &Unplaced,
        each: impl FnMut(usize, OperationId, Place, &[u8]),
    ) {
        self.place(
            &unplaced.records,
            &unplaced.operations,
            &unplaced.indices,
            each,
        );
    }

    /// Tells `each` the place and the key of every operation, in order: `records` holds one record each, one after another.
    pub fn place(
        &mut self,
        records: &[i64],
        operations: &[u64],
        indices: &[u64],
        mut each: impl FnMut(usize, OperationId, Place, &[u8]),
    ) {
        self.keys.clear();
        self.key
            .write_batch(records, operations, indices, self.draws, &mut self.keys);
        self.regions.clear();
        self.key_buckets.clear();
        self.map
            .locate_marked(&self.keys, &mut self.regions, &mut self.key_buckets);
        for (at, &operation) in operations.iter().enumerate() {
            let key = self.keys.get(at);
            let place = Place {
                region: self.regions[at],
                key_bucket: self.key_buckets.get(at).copied().unwrap_or(0),
                key_length: key.len() as u16,
                row: if self.row_numbers {
                    row_number(key) ^ self.row_salt
                } else {
                    0
                },
            };
            each(at, OperationId(operation), place, key);
        }
    }
}

/// 64 bits of a row key: SplitMix64's finaliser over its words and its length.
fn row_number(key: &[u8]) -> u64 {
    key.chunks(8).fold(key.len() as u64, |number, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from_le_bytes(word))
    })
}
