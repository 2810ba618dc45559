//! The rows of a table: what they weigh, where they go (record to key to region), and the keys of those in flight, kept as long as a split could
//! ask for them.

use crate::cluster::Neighbour;
use crate::cluster::{RegionMap, WrittenCells};
use crate::engine::config::{CellValues, SimConfig};
use crate::engine::numbers::NONE;
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, RowKey};
use crate::random::{DrawKey, Stream, mix};
use crate::storage::{Mutation, RowSize};
use crate::workload::{OperationBatch, OperationId, WriteKind};
use std::sync::Arc;

/// What one row weighs, by its write and the length of its key.
#[derive(Debug, Clone, Copy)]
pub struct RowWeight {
    /// Bytes in the write-ahead log: its KeyValues.
    pub logged: u32,
    /// Bytes of the KeyValues that it leaves behind.
    pub left: u32,
    /// What they add to those of the memstore.
    pub stored: u32,
    /// Heap in a client's write buffer.
    pub buffered: u32,
    /// Heap that it adds to a memstore.
    pub memstore: u32,
    /// Its family.
    pub family: u8,
    /// Keeps the cells of one key apart that have other names.
    pub salt: u8,
    /// It deletes its cells.
    pub is_delete: bool,
}

/// The rows of a run, for every write and every length that a key of the table or of a copy may have, and behind each write those of neighbours.
#[derive(Debug)]
pub struct RowWeights {
    weights: Vec<RowWeight>,
    /// Where those of each write begin.
    starts: [u32; 256],
    /// The length of key under which the weight of neighbours' rows stands: no row of the table or of a copy has it.
    pub neighbours_length: u16,
}

impl RowWeights {
    pub fn new(config: &SimConfig) -> Self {
        let longest = longest_key(config) as u64;
        let neighbour = Neighbour::row_size();
        let neighbour = RowWeight {
            logged: neighbour.cells(Neighbour::KEY_BYTES) as u32,
            left: neighbour.cells(Neighbour::KEY_BYTES) as u32,
            stored: neighbour.cells(Neighbour::KEY_BYTES) as u32,
            buffered: neighbour.mutation_heap(Mutation::Put, Neighbour::KEY_BYTES) as u32,
            memstore: neighbour.memstore(Neighbour::KEY_BYTES) as u32,
            family: 0,
            salt: 0,
            is_delete: false,
        };
        let (mut weights, mut starts) = (Vec::new(), [0; 256]);
        let writes = config.workload.writes.len().max(1);
        for (number, start) in starts.iter_mut().enumerate().take(writes) {
            *start = weights.len() as u32;
            weights.extend((0..=longest).map(|length| row_weight(config, number, length)));
            weights.push(neighbour);
        }
        Self {
            weights,
            starts,
            neighbours_length: (longest + 1) as u16,
        }
    }

    /// A row of a write whose key has so many bytes.
    pub fn of(&self, operation: OperationId, key_length: u16) -> &RowWeight {
        let start = self.starts[usize::from(operation.write().0)];
        &self.weights[start as usize + usize::from(key_length)]
    }
}

/// A row of a write with a key of so many bytes: of its row, or of its cell where these are written.
///
/// Where a family keeps one version, its memstore replaces what an increment or an append has made before (`HRegion.applyToMemStore`: `upsert`): of
/// each cell the last value stays, and the one before it, which scanners may be reading; each write of the run adds its part of them, and a flush keeps the
/// last. An append writes the values of all before it as well.
fn row_weight(config: &SimConfig, number: usize, length: u64) -> RowWeight {
    let kind_of = |at: usize| config.workload.writes.get(at).map(|write| write.kind);
    let (written, kind) = (config.written.get(number), kind_of(number));
    let is_delete = kind == Some(WriteKind::Delete);
    let qualifier = config.qualifier_bytes() as u64;
    let key = match config.cell_keys().is_empty() {
        true => length,
        false => length.saturating_sub(qualifier),
    };
    let number_of_family = written.map_or(0, |written| written.family);
    let family = &config.table.families[number_of_family];
    let size = |appends: f64| {
        let Some(written) = written else {
            return config.table.row_size();
        };
        let cells = written.cells.iter().map(|cell| {
            let value = match kind {
                Some(WriteKind::Append) => (cell.value.bytes() as f64 * appends).round() as u64,
                Some(WriteKind::Delete) => 0,
                _ => cell.value.bytes(),
            };
            (cell.qualifier.len() as u64 + qualifier, value)
        });
        RowSize::of_cells(family.name.len() as u64, cells)
    };
    let values = config.cells.values.get(number).copied();
    let values = values.unwrap_or(CellValues {
        before: 0.0,
        of_run: 1.0,
    });
    let mean = values.written();
    let (last, part) = match kind.is_some_and(WriteKind::reads_first) {
        true if family.spec.versions == 1 => (values.before + values.of_run, values.of_run),
        _ => (mean, 1.0),
    };
    let (logged, last) = (size(mean), size(last));
    let part_of = |all: u64, held: f64| (all as f64 * (held / part).min(1.0)).round() as u32;
    // The first write that puts these cells; of a delete, any of the family.
    let first = config.written.iter().enumerate().position(|(at, other)| {
        let is_same = |written: &WrittenCells| {
            let names = written.cells.iter().map(|cell| &cell.qualifier);
            written.family == other.family
                && (is_delete || names.eq(other.cells.iter().map(|cell| &cell.qualifier)))
        };
        kind_of(at) != Some(WriteKind::Delete) && written.is_some_and(is_same)
    });
    // Others are not buffered.
    let mutation = match is_delete {
        true => Mutation::Delete,
        false => Mutation::Put,
    };
    RowWeight {
        logged: logged.cells(key) as u32,
        left: last.cells(key) as u32,
        stored: part_of(last.cells(key), 1.0),
        buffered: logged.mutation_heap(mutation, key) as u32,
        memstore: part_of(last.memstore(key), 2.0),
        family: number_of_family as u8,
        salt: first.unwrap_or(0) as u8,
        is_delete,
    }
}

/// Bytes of the longest key of the table and its copies: of a cell's, where those are written.
pub fn longest_key(config: &SimConfig) -> usize {
    let rows = config.keys().map(|(key, _)| key);
    let lengths = rows.chain(config.cell_keys().iter().map(|cell| &**cell));
    let lengths = lengths.map(|key| key.len_range().1);
    lengths.max().unwrap_or(0)
}

/// Where cells are followed: a hash of a cell's key, the ticket by which files sample it.
pub fn cell_ticket(key: &[u8], salt: u8) -> u64 {
    row_number(key).wrapping_add(u64::from(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Where one row goes.
#[derive(Debug, Clone, Copy)]
pub struct RoutedRow {
    /// Region, counted over all tables.
    pub region: u32,
    /// Bucket of the key map, zero without series; none where that is of another table.
    pub key_bucket: Option<u32>,
    /// Bytes of the key, or of the cell's key where those are written.
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
    /// The key map is of this table.
    is_mapped: bool,
    /// Keeps the rows of copies apart from those of the table under equal keys.
    row_salt: u64,
    draws: DrawKey,
    row_numbers: bool,
    /// The keys of its cells, where those are written.
    cells: Option<&'a KeyPlan>,
    keys: KeyBatch,
    /// Of rows, beside those of cells.
    row_keys: KeyBatch,
    regions: Vec<u32>,
    key_buckets: Vec<u32>,
}

impl<'a> TableRouter<'a> {
    /// Table 0 is the table itself, c its copy c - 1.
    pub fn new(
        config: &'a SimConfig,
        table: u32,
        key: &'a KeyPlan,
        split_points: &Arc<Vec<RowKey>>,
        first_region: u32,
    ) -> Self {
        let (no_marks, is_mapped) = (Arc::default(), table == config.mapped_table);
        let marks = match is_mapped {
            true => &config.key_buckets,
            false => &no_marks,
        };
        let mut writes = config.workload.writes.iter();
        Self {
            key,
            map: RegionMap::new(split_points, first_region, marks),
            is_mapped,
            row_salt: mix(u64::from(table)),
            draws: config.generator.draws(Stream::Keys, table),
            row_numbers: writes.any(|write| write.kind.reads_first()),
            cells: config.cell_keys().get(table as usize).map(|cells| &**cells),
            keys: KeyBatch::default(),
            row_keys: KeyBatch::default(),
            regions: Vec::new(),
            key_buckets: Vec::new(),
        }
    }

    /// Bytes of its longest key.
    pub fn longest_key(&self) -> u16 {
        self.key.len_range().1 as u16
    }

    /// The keys that were routed last, those of cells where they are written, in order, for those of a batch before; their buckets of the key map likewise
    /// where it is of this table.
    pub fn swap_keys(&mut self, keys: &mut KeyBatch, key_buckets: &mut Vec<u32>) {
        std::mem::swap(&mut self.keys, keys);
        if self.is_mapped {
            std::mem::swap(&mut self.key_buckets, key_buckets);
        }
    }

    /// Tells `each` where every operation of a batch goes and its key, in order.
    pub fn route(
        &mut self,
        batch: &OperationBatch,
        mut each: impl FnMut(usize, OperationId, RoutedRow, &[u8]),
    ) {
        let (operations, indices) = (&batch.operations, &batch.indices);
        let records = &batch.records;
        self.keys.clear();
        self.key
            .write_batch(records, operations, indices, self.draws, &mut self.keys);
        self.regions.clear();
        self.key_buckets.clear();
        self.map
            .locate_marked(&self.keys, &mut self.regions, &mut self.key_buckets);
        if let Some(cells) = self.cells {
            std::mem::swap(&mut self.keys, &mut self.row_keys);
            self.keys.clear();
            cells.write_batch(records, operations, indices, self.draws, &mut self.keys);
        }
        for (at, &operation) in operations.iter().enumerate() {
            let key = self.keys.get(at);
            let row = RoutedRow {
                region: self.regions[at],
                key_bucket: match self.is_mapped {
                    true => Some(self.key_buckets.get(at).copied().unwrap_or(0)),
                    false => None,
                },
                key_length: key.len() as u16,
                row: match (self.row_numbers, self.cells) {
                    (false, _) => 0,
                    (true, None) => row_number(key) ^ self.row_salt,
                    (true, Some(_)) => row_number(self.row_keys.get(at)) ^ self.row_salt,
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

/// Keys in slots of equal length, one a row in flight.
#[derive(Debug, Default)]
pub struct Keys {
    /// Bytes of a slot: its length in two bytes, then the longest key. 0: keys are not kept.
    stride: usize,
    bytes: Vec<u8>,
    free: Vec<u32>,
}

impl Keys {
    /// Keeps keys of at most `longest` bytes.
    pub fn of(longest: usize) -> Self {
        Self {
            stride: longest + 2,
            ..Self::default()
        }
    }

    /// Whether keys are kept at all: regions can be split or merged.
    pub fn kept(&self) -> bool {
        self.stride > 0
    }

    /// Keeps a key, of a longer one its first bytes; 0 when keys are not kept.
    pub fn insert(&mut self, key: &[u8]) -> u32 {
        if self.kept() { self.keep(key) } else { 0 }
    }

    fn keep(&mut self, key: &[u8]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = (self.bytes.len() / self.stride) as u32;
            self.bytes.resize(self.bytes.len() + self.stride, 0);
            slot
        });
        let key = &key[..key.len().min(self.stride - 2)];
        let start = slot as usize * self.stride;
        self.bytes[start..start + 2].copy_from_slice(&(key.len() as u16).to_le_bytes());
        self.bytes[start + 2..start + 2 + key.len()].copy_from_slice(key);
        slot
    }

    /// How many are kept.
    #[cfg(test)]
    pub fn in_use(&self) -> u32 {
        let slots = self.bytes.len().checked_div(self.stride).unwrap_or(0);
        (slots - self.free.len()) as u32
    }

    /// A key that is kept.
    pub fn get(&self, slot: u32) -> &[u8] {
        let start = slot as usize * self.stride;
        let length = u16::from_le_bytes([self.bytes[start], self.bytes[start + 1]]);
        &self.bytes[start + 2..start + 2 + usize::from(length)]
    }

    /// Forgets a key; [`NONE`] is none.
    pub fn remove(&mut self, slot: u32) {
        if self.stride > 0 && slot != NONE {
            self.free.push(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_length_up_to_the_longest_are_kept_and_slots_used_again() {
        let mut keys = Keys::of(3);
        let (empty, long) = (keys.insert(b""), keys.insert(b"abc"));
        assert_eq!((keys.get(empty), keys.get(long)), (&b""[..], &b"abc"[..]));
        keys.remove(long);
        assert_eq!(keys.insert(b"z"), long);
        assert_eq!(keys.get(long), b"z");
        let cut = keys.insert(b"longer");
        assert_eq!(keys.get(cut), b"lon");
        assert!(!Keys::default().kept());
    }
}
