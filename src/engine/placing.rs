//! Where the rows of one table go: record to key to region to server. Must not know when an operation happens.

use super::SimConfig;
use crate::cluster::TableSpec;
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, Router, RowKey};
use crate::random::{DrawKey, Stream, mix, stream};
use crate::storage::RowSize;
use crate::workload::{OperationId, WriteKind};
use rand::RngExt;

/// Where one row goes and what it weighs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Region, counted over all tables.
    pub region: u32,
    /// Its server.
    pub server: u32,
    /// Bucket of the key map; zero without series.
    pub key_bucket: u32,
    /// Bytes in the write-ahead log: the row's KeyValues.
    pub bytes: u32,
    /// Heap in a client's write buffer.
    pub heap: u32,
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
    router: Router,
    /// Number of its first region: those of copies are numbered after those of the table.
    first_region: u32,
    /// Keeps the rows of copies apart from those of the table under equal keys.
    row_salt: u64,
    buckets: Option<Router>,
    servers: u32,
    /// Server of the first region.
    offset: u32,
    draws: DrawKey,
    /// Of a row, by the length of its key (up to the plan's greatest): bytes in the write-ahead log, heap in a write buffer.
    sizes: Vec<(u32, u32)>,
    greatest_heap: u64,
    row_numbers: bool,
    keys: KeyBatch,
    regions: Vec<u32>,
    key_buckets: Vec<u32>,
}

impl<'a> Placing<'a> {
    /// The table itself.
    pub fn new(config: &'a SimConfig) -> Self {
        Self::of_table(config, 0, &config.key, &config.split_points, 0)
    }

    /// Further copies of the table, in order.
    pub fn of_copies(config: &'a SimConfig) -> Vec<Self> {
        let mut first_region = config.split_points.len() as u32 + 1;
        let copies = (1..).zip(config.copies.iter());
        copies
            .map(|(table, copy)| {
                let points = &copy.split_points;
                let placing = Self::of_table(config, table, &copy.key, points, first_region);
                first_region += placing.regions();
                placing
            })
            .collect()
    }

    /// Table 0 is the table itself, c its copy c - 1.
    fn of_table(
        config: &'a SimConfig,
        table: u32,
        key: &'a KeyPlan,
        split_points: &[RowKey],
        first_region: u32,
    ) -> Self {
        let servers = config.cluster.servers.max(1);
        let size = row_size(&config.table);
        let longest = key.len_range().1 as u64;
        let sizes =
            (0..=longest).map(|key| (size.cells(key) as u32, size.mutation_heap(key) as u32));
        Self {
            key,
            router: Router::new(split_points),
            first_region,
            row_salt: mix(u64::from(table)),
            buckets: (table == 0 && !config.key_buckets.is_empty())
                .then(|| Router::new(&config.key_buckets)),
            servers,
            offset: stream(config.seed, config.replicate, Stream::Placement, table)
                .random_range(0..servers),
            draws: DrawKey::new(config.seed, config.replicate, Stream::Keys, table),
            sizes: sizes.collect(),
            greatest_heap: size.mutation_heap(longest),
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

    /// The server of each region, in key order.
    pub fn region_servers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.regions()).map(|region| self.server(region))
    }

    /// Number of regions, >= 1.
    pub fn regions(&self) -> u32 {
        self.router.regions() as u32
    }

    /// Number of its first region, counted over all tables.
    pub fn first_region(&self) -> u32 {
        self.first_region
    }

    /// The first key of its `region`-th region.
    pub fn start(&self, region: u32) -> &[u8] {
        self.router.start(region)
    }

    /// Which of its regions holds the key.
    pub fn locate(&self, key: &[u8]) -> u32 {
        self.router.locate(key)
    }

    /// Appends for each key which of its regions holds it.
    pub fn locate_batch(&self, keys: &KeyBatch, regions: &mut Vec<u32>) {
        self.router.locate_batch(keys, regions);
    }

    /// The server of its `region`-th region: they are dealt round robin.
    pub fn server(&self, region: u32) -> u32 {
        ((u64::from(self.offset) + u64::from(region)) % u64::from(self.servers)) as u32
    }

    /// Bytes of its longest key.
    pub fn longest_key(&self) -> u64 {
        self.sizes.len() as u64 - 1
    }

    /// The greatest heap size of a row in a write buffer.
    pub fn greatest_heap(&self) -> u64 {
        self.greatest_heap
    }

    /// Tells `each` the place of every operation, in order.
    pub fn place_all(&mut self, unplaced: &Unplaced, each: impl FnMut(usize, OperationId, Place)) {
        self.place(
            &unplaced.records,
            &unplaced.operations,
            &unplaced.indices,
            each,
        );
    }

    /// Tells `each` the place of every operation, in order: `records` holds one record each, one after another.
    pub fn place(
        &mut self,
        records: &[i64],
        operations: &[u64],
        indices: &[u64],
        mut each: impl FnMut(usize, OperationId, Place),
    ) {
        self.keys.clear();
        self.key
            .write_batch(records, operations, indices, self.draws, &mut self.keys);
        self.regions.clear();
        self.router.locate_batch(&self.keys, &mut self.regions);
        self.key_buckets.clear();
        if let Some(buckets) = &self.buckets {
            buckets.locate_batch(&self.keys, &mut self.key_buckets);
        }
        for (at, &operation) in operations.iter().enumerate() {
            let key = self.keys.get(at);
            let region = self.regions[at];
            let (bytes, heap) = self.sizes[key.len()];
            let place = Place {
                region: self.first_region + region,
                server: self.server(region),
                key_bucket: self.key_buckets.get(at).copied().unwrap_or(0),
                bytes,
                heap,
                row: if self.row_numbers {
                    row_number(key) ^ self.row_salt
                } else {
                    0
                },
            };
            each(at, OperationId(operation), place);
        }
    }
}

/// What a table's rows weigh.
pub(super) fn row_size(table: &TableSpec) -> RowSize {
    RowSize::new(
        table.family.len() as u64,
        table.qualifiers.iter().map(String::as_str),
        table.value.0,
    )
}

/// 64 bits of a row key: SplitMix64's finaliser over its words and its length.
fn row_number(key: &[u8]) -> u64 {
    key.chunks(8).fold(key.len() as u64, |number, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from_le_bytes(word))
    })
}
