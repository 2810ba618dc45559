//! Where the rows of one table go: record to key to region.

use crate::cluster::RegionMap;
use crate::engine::config::SimConfig;
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, RowKey};
use crate::random::{DrawKey, Stream, mix};
use crate::workload::{OperationBatch, OperationId, WriteKind};
use std::sync::Arc;

/// Where one row goes.
#[derive(Debug, Clone, Copy)]
pub struct RoutedRow {
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

/// Keys and routes many rows of one table together.
#[derive(Debug)]
pub struct TableRouter<'a> {
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

impl<'a> TableRouter<'a> {
    /// The table itself, then its copies.
    pub fn of_all(config: &'a SimConfig) -> Vec<Self> {
        let no_marks = Arc::default();
        let copies = config.copies.iter();
        let copies = copies.map(|copy| (&copy.key, &copy.split_points, &no_marks));
        let own = (&config.key, &config.split_points, &config.key_buckets);
        let tables = (0..).zip(std::iter::once(own).chain(copies));
        let mut first_region = 0;
        tables
            .map(|(table, (key, points, marks))| {
                let router = Self::new(config, table, key, points, marks, first_region);
                first_region += router.map.regions();
                router
            })
            .collect()
    }

    /// Table 0 is the table itself, c its copy c - 1; `marks` bound the buckets of the key map.
    fn new(
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
            &mut config.generator.sequence(Stream::Placement, table),
        );
        Self {
            key,
            map: RegionMap::with_marks(split_points, first_region, marks),
            first_region,
            row_salt: mix(u64::from(table)),
            first_servers,
            draws: config.generator.draws(Stream::Keys, table),
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

    /// Tells `each` where every operation of a batch goes and its key, in order.
    pub fn route(
        &mut self,
        batch: &OperationBatch,
        mut each: impl FnMut(usize, OperationId, RoutedRow, &[u8]),
    ) {
        let OperationBatch {
            operations,
            indices,
            records,
            ..
        } = batch;
        self.keys.clear();
        self.key
            .write_batch(records, operations, indices, self.draws, &mut self.keys);
        self.regions.clear();
        self.key_buckets.clear();
        self.map
            .locate_marked(&self.keys, &mut self.regions, &mut self.key_buckets);
        for (at, &operation) in operations.iter().enumerate() {
            let key = self.keys.get(at);
            let row = RoutedRow {
                region: self.regions[at],
                key_bucket: self.key_buckets.get(at).copied().unwrap_or(0),
                key_length: key.len() as u16,
                row: if self.row_numbers {
                    row_number(key) ^ self.row_salt
                } else {
                    0
                },
            };
            each(at, OperationId(operation), row, key);
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
