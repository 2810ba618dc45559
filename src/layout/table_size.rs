//! What a strategy's table weighs: numbers only. Must not know how they were found, nor how they look.

use crate::storage::{BlockEncoding, CELL_STRUCTURE, block_index_bytes, bloom_bytes};
use serde::Serialize;

/// Share of the heap that all memstores of a server may take before it forces flushes (HBase default,
/// `hbase.regionserver.global.memstore.size`).
const MEMSTORE_SHARE: f64 = 0.4;

/// All tables that a strategy keeps: its own, and one for each of its `copies`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrategySize {
    /// Name in the file.
    pub strategy: String,
    /// The strategy's own table first.
    pub tables: Vec<TableSize>,
    /// Memory that its writes take.
    pub memstore: MemstoreBudget,
}

/// One key's table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableSize {
    /// The key expression.
    pub key: String,
    /// Lengths of its keys.
    pub key_bytes: KeyBytes,
    /// Its segments, in order.
    pub segments: Vec<SegmentBytes>,
    /// Rows that exist before the run.
    pub existing_rows: f64,
    /// Rows that the run adds.
    pub written_rows: f64,
    /// Leading bytes that a row's key shares with the one before, on average.
    pub shared_key_bytes: f64,
    /// Cells of a row.
    pub cells_per_row: f64,
    /// A cell as a KeyValue: 20 + key + family + qualifier + value.
    pub cell_bytes: f64,
    /// All cells of a row as KeyValues.
    pub row_bytes: f64,
    /// Of them the values.
    pub value_bytes: f64,
    /// Heap of a row in a memstore.
    pub memstore_row_bytes: f64,
    /// The table's block encoding.
    pub encoding: BlockEncoding,
    /// On disk under each encoding, in the order of [`BlockEncoding::ALL`].
    pub encoded: [EncodedSize; 4],
}

/// Lengths of keys in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KeyBytes {
    /// Of the rows.
    pub mean: f64,
    /// Shortest of the sample.
    pub min: usize,
    /// Longest of the sample.
    pub max: usize,
}

/// One segment of a key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentBytes {
    /// As written.
    pub expression: String,
    /// Mean length.
    pub bytes: f64,
}

/// A table's store files under one block encoding: uncompressed, one replica.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EncodedSize {
    /// The encoding.
    pub encoding: BlockEncoding,
    /// A row in its data blocks, with its part of their headers and checksums.
    pub row_bytes: f64,
    /// All data blocks.
    pub data_bytes: f64,
    /// All block indexes.
    pub block_index_bytes: f64,
    /// All ROW Bloom filters.
    pub bloom_bytes: f64,
    /// Data, index and Bloom filter.
    pub table_bytes: f64,
    /// Regions that it takes if each holds as much as `table.max_file_size` allows; up to twice as many after splits in the middle.
    pub regions: f64,
}

/// Memory for writes: what a server's memstores may take, against the regions that are written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MemstoreBudget {
    /// Rows that fill a memstore up to a flush.
    pub rows_per_flush: f64,
    /// Regions of a server whose memstores can fill up to a flush before the server-wide limit (0.4 of the heap) forces smaller ones:
    /// heap x 0.4 / flush size.
    pub full_memstores: f64,
    /// Regions of this table on a server that get writes, if they are dealt evenly.
    pub written_regions: f64,
}

impl StrategySize {
    /// Bytes of one logical row: as KeyValues, in every table.
    pub fn row_bytes(&self) -> f64 {
        self.tables.iter().map(|table| table.row_bytes).sum()
    }

    /// Bytes of all tables.
    pub fn table_bytes(&self) -> f64 {
        self.chosen().map(|size| size.table_bytes).sum()
    }

    /// Bytes of all block indexes.
    pub fn block_index_bytes(&self) -> f64 {
        self.chosen().map(|size| size.block_index_bytes).sum()
    }

    fn chosen(&self) -> impl Iterator<Item = &EncodedSize> {
        self.tables.iter().map(TableSize::chosen)
    }
}

impl TableSize {
    /// Distinct keys.
    pub fn rows(&self) -> f64 {
        self.existing_rows + self.written_rows
    }

    /// Under the table's own encoding.
    pub fn chosen(&self) -> &EncodedSize {
        self.under(self.encoding)
    }

    /// Under an encoding.
    pub fn under(&self, encoding: BlockEncoding) -> &EncodedSize {
        &self.encoded[encoding as usize]
    }

    /// Of a row's KeyValues, the bytes that repeat the row key.
    pub fn key_part(&self) -> f64 {
        self.cells_per_row * self.key_bytes.mean
    }

    /// Of a row's KeyValues, the bytes that repeat family and qualifiers.
    pub fn name_part(&self) -> f64 {
        self.row_bytes - self.key_part() - self.structure_part() - self.value_bytes
    }

    /// Of a row's KeyValues, lengths, timestamps and types: 20 bytes a cell.
    pub fn structure_part(&self) -> f64 {
        self.cells_per_row * CELL_STRUCTURE as f64
    }
}

impl KeyBytes {
    pub(super) fn of(lengths: impl Iterator<Item = usize>) -> Self {
        let (mut sum, mut count, mut min, mut max) = (0, 0u64, usize::MAX, 0);
        for length in lengths {
            sum += length;
            count += 1;
            min = min.min(length);
            max = max.max(length);
        }
        Self {
            mean: sum as f64 / count.max(1) as f64,
            min: min.min(max),
            max,
        }
    }
}

impl EncodedSize {
    /// Of `rows` rows in `blocks` data blocks, whose index entries have keys of `index_key` bytes.
    pub(super) fn of(
        encoding: BlockEncoding,
        rows: f64,
        row_bytes: f64,
        blocks: f64,
        index_key: f64,
        max_file_size: f64,
    ) -> Self {
        let data_bytes = rows * row_bytes;
        let regions = (data_bytes / max_file_size).ceil().max(1.0);
        let block_index_bytes = regions * block_index_bytes(blocks / regions, index_key);
        let bloom_bytes = bloom_bytes(rows);
        Self {
            encoding,
            row_bytes,
            data_bytes,
            block_index_bytes,
            bloom_bytes,
            table_bytes: data_bytes + block_index_bytes + bloom_bytes,
            regions,
        }
    }
}

impl MemstoreBudget {
    /// Of a table whose rows take `row_bytes` of heap, with `written` written regions.
    pub(super) fn of(
        setup: &crate::scenario::Setup,
        memstore_row_bytes: f64,
        written: usize,
    ) -> Self {
        let flush = setup.table.memstore_flush_size.0 as f64;
        Self {
            rows_per_flush: (flush / memstore_row_bytes.max(1.0)).floor(),
            full_memstores: (setup.cluster.heap.0 as f64 * MEMSTORE_SHARE / flush).floor(),
            written_regions: written as f64 / f64::from(setup.cluster.servers),
        }
    }
}
