//! Where the row of an operation goes: record to key to region to server. Must not know when the operation happens.

use super::SimConfig;
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, Router};
use crate::random::{DrawKey, Stream, mix, stream};
use crate::storage::RowSize;
use crate::workload::{OperationId, WriteKind};
use rand::RngExt;

/// Where one row goes and what it weighs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Region in key order.
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

/// Keys and routes many rows together.
#[derive(Debug)]
pub(super) struct Placing<'a> {
    key: &'a KeyPlan,
    router: Router,
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
    pub fn new(config: &'a SimConfig) -> Self {
        let servers = config.cluster.servers.max(1);
        let table = &config.table;
        let size = RowSize::new(
            table.family.len() as u64,
            table.qualifiers.iter().map(String::as_str),
            table.value.0,
        );
        let longest = config.key.len_range().1 as u64;
        let sizes =
            (0..=longest).map(|key| (size.cells(key) as u32, size.mutation_heap(key) as u32));
        Self {
            key: &config.key,
            router: Router::new(&config.split_points),
            buckets: (!config.key_buckets.is_empty()).then(|| Router::new(&config.key_buckets)),
            servers,
            offset: stream(config.seed, config.replicate, Stream::Placement, 0)
                .random_range(0..servers),
            draws: DrawKey::new(config.seed, config.replicate, Stream::Keys, 0),
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
    pub fn region_servers(&self) -> Vec<u32> {
        (0..self.router.regions() as u32)
            .map(|region| self.server(region))
            .collect()
    }

    /// Regions are dealt round robin.
    fn server(&self, region: u32) -> u32 {
        ((u64::from(self.offset) + u64::from(region)) % u64::from(self.servers)) as u32
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
                region,
                server: self.server(region),
                key_bucket: self.key_buckets.get(at).copied().unwrap_or(0),
                bytes,
                heap,
                row: if self.row_numbers { row_number(key) } else { 0 },
            };
            each(at, OperationId(operation), place);
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
