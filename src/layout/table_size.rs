//! One key's table, weighed from a sample of its rows: really sorted, really encoded, then scaled to all rows. Must not know how it is
//! told.
//!
//! A row is a distinct key: writing one again replaces its cells at the next compaction (one version, HBase's default). Existing rows
//! and the run's own writes make one table; files are as after a major compaction, one a region, uncompressed, one replica.
//!
//! A table of up to [`SAMPLE`] rows is encoded whole. Of a larger one the sample's neighbours share fewer bytes than the table's:
//! [`SharedPrefixes`] tells how many more it will be, and each saves a byte in every encoding. The cells' timestamps are nearer to each other
//! too, where a key goes on with time; they are then as far apart as the rows of one prefix lie in time.

use super::key_sample::{KeySample, KeyedTable};
use super::row_growth::RowGrowth;
use super::time_neighbours::TimeNeighbours;
use super::{RegionForecast, Replicate};
use crate::key::{KeyPlan, Randomness, Segment};
use crate::record::{FieldId, FieldKind, Schema};
use crate::scenario::{Setup, Strategy};
use crate::storage::{
    BlockEncoding, Bloom, CELL_STRUCTURE, Cell, FileFormat, SharedPrefixes, StoreFile,
    StoreFileSize, Value, block_index,
};
use crate::workload::Choice;
use serde::Serialize;

/// Rows that are encoded at most: a tenth of a second, and shared bytes exact to about a tenth.
const SAMPLE: usize = 1 << 16;

/// Cells that are encoded at most.
const CELLS: usize = 1 << 19;

/// Keys that are cut into segments.
const DESCRIBED: usize = 200;

const NANOS_PER_MS: i64 = 1_000_000;

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
    /// Writes that made them: all existing ones and those of the run.
    pub writes: f64,
    /// Rows that exist before the run: distinct keys.
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
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
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

/// A measured sample of one key's table.
#[derive(Debug, Clone)]
pub struct TableSample {
    /// What holds of a table of any number of rows; the rest is nothing yet.
    size: TableSize,
    max_file_bytes: f64,
    existing: f64,
    /// Writes that the run is estimated to make.
    planned: f64,
    /// Different keys in the sample.
    rows: f64,
    prefixes: SharedPrefixes,
    growth: RowGrowth,
    /// By encoding, of the sample.
    files: [StoreFileSize; 4],
    neighbours: Option<TimeNeighbours>,
}

/// Measured samples of all tables that a strategy keeps.
#[derive(Debug, Clone)]
pub struct StrategySample {
    strategy: String,
    memstore: MemstoreBudget,
    tables: Vec<TableSample>,
}

impl StrategySample {
    /// Samples the strategy's table and its copies; `regions` says which of them get writes.
    pub fn of(strategy: &Strategy, regions: &[RegionForecast], replicate: &Replicate) -> Self {
        let setup = &strategy.setup;
        let tables = KeyedTable::all(strategy, replicate);
        let tables: Vec<_> = tables.map(|it| TableSample::of(&it, SAMPLE)).collect();
        let flush = setup.table.memstore_flush_size.0 as f64;
        let written = regions.iter().filter(|region| region.write_share > 0.0);
        let memstore = MemstoreBudget {
            rows_per_flush: (flush / tables[0].size.memstore_row_bytes.max(1.0)).floor(),
            full_memstores: (setup.cluster.heap.0 as f64 * MEMSTORE_SHARE / flush).floor(),
            written_regions: written.count() as f64 / f64::from(setup.cluster.servers),
        };
        Self {
            strategy: strategy.name.clone(),
            memstore,
            tables,
        }
    }

    /// The sizes after the writes that the run is estimated to make.
    pub fn planned_size(&self) -> StrategySize {
        self.size(self.tables[0].planned)
    }

    /// The sizes after so many writes of the run.
    pub fn size(&self, written: f64) -> StrategySize {
        let tables = self.tables.iter().map(|table| table.size(written));
        StrategySize {
            strategy: self.strategy.clone(),
            tables: tables.collect(),
            memstore: self.memstore,
        }
    }
}

impl TableSample {
    /// Samples and encodes a table, from at most so many rows. O(n log n) in the sample.
    pub(super) fn of(table: &KeyedTable<'_>, rows: usize) -> Self {
        let (key, setup) = (table.key, table.setup());
        let (workload, schema) = (&setup.workload, &setup.schema);
        let existing = workload.existing_rows(schema) as f64;
        let planned = workload.estimated_writes(schema);
        let total = (existing + planned).max(1.0);
        let rows_of_cells = CELLS / setup.table.qualifiers.len().max(1);
        let most = rows.min(rows_of_cells).max(1_000);
        let share = (most as f64 / total).min(1.0);
        let wanted = |rows: f64| (rows * share).ceil() as usize;
        let parts = [
            table.existing(wanted(existing), Choice::Random),
            table.run(wanted(planned)),
        ];
        let mut written: Vec<(&[u8], u64)> = Vec::new();
        for (sample, is_run) in parts.iter().zip([false, true]) {
            let sorted = sample.sorted().into_iter().enumerate();
            let time = |rank| written_at(sample, sample.at_rank(rank), setup, is_run);
            written.extend(sorted.map(|(rank, key)| (key, time(rank))));
        }
        written.sort_unstable();
        let keys: Vec<&[u8]> = written.iter().map(|(key, _)| *key).collect();
        let bounds = value_bounds(key, schema);
        let bound = |length| bounds.get(length).copied().unwrap_or(f64::INFINITY);
        let prefixes = SharedPrefixes::of(&keys, bound);
        // Of a key that was written more than once the last version stays.
        let versions = written.chunk_by(|a, b| a.0 == b.0);
        let rows = versions.filter_map(|versions| versions.last().copied());
        let rows: Vec<(&[u8], u64)> = rows.collect();
        let fullest = usize::from(parts[1].len() > parts[0].len());
        let lengths = || rows.iter().map(|(key, _)| key.len());
        let key_bytes = KeyBytes {
            mean: lengths().sum::<usize>() as f64 / rows.len().max(1) as f64,
            min: lengths().min().unwrap_or(0),
            max: lengths().max().unwrap_or(0),
        };
        let row_size = setup.table.row_size();
        let cells = row_size.cell_count() as f64;
        let cell_bytes = row_size.mean_cell(key_bytes.mean);
        Self {
            size: TableSize {
                key: key.text().to_owned(),
                key_bytes,
                segments: segments(key, &parts[fullest]),
                writes: 0.0,
                existing_rows: 0.0,
                written_rows: 0.0,
                shared_key_bytes: 0.0,
                cells_per_row: cells,
                cell_bytes,
                row_bytes: cell_bytes * cells,
                value_bytes: cells * setup.table.value.0 as f64,
                memstore_row_bytes: row_size.memstore(key_bytes.mean.round() as u64) as f64,
                encoding: setup.table.block_encoding,
                encoded: [EncodedSize::default(); 4],
            },
            max_file_bytes: setup.table.max_file_size.0 as f64,
            existing,
            planned,
            rows: rows.len() as f64,
            neighbours: TimeNeighbours::of(key, &rows),
            growth: RowGrowth::of(key, setup, table.replicate),
            prefixes,
            files: BlockEncoding::ALL.map(|encoding| encode(encoding, &rows, setup)),
        }
    }

    /// The table after so many writes of the run, each on top of the existing rows.
    pub fn size(&self, written: f64) -> TableSize {
        let writes = self.existing + written;
        let existing_rows = self.growth.rows(0.0);
        let rows = self.growth.rows(written);
        TableSize {
            writes,
            existing_rows,
            written_rows: rows - existing_rows,
            shared_key_bytes: self.prefixes.shared_bytes(writes, rows),
            encoded: BlockEncoding::ALL.map(|encoding| self.encoded(encoding, rows, writes)),
            ..self.size.clone()
        }
    }

    fn encoded(&self, encoding: BlockEncoding, rows: f64, total: f64) -> EncodedSize {
        let file = self.files[encoding as usize];
        let sampled = self.rows.max(1.0);
        let mut row_bytes = file.data_bytes as f64 / sampled;
        let mut index_key = file.index_key_bytes as f64 / (file.blocks as f64).max(1.0);
        if rows > sampled {
            let drawn = self.prefixes.sampled();
            let shared = &self.prefixes;
            let more = shared.shared_bytes(total, rows) - shared.shared_bytes(drawn, sampled);
            index_key += more.max(0.0);
            if encoding != BlockEncoding::None {
                let saved =
                    shared.encodable_bytes(total, rows) - shared.encodable_bytes(drawn, sampled);
                // The first cell of each block is whole.
                let inner = 1.0 - (file.blocks as f64 / sampled).min(1.0);
                let times = self.neighbours.as_ref().map_or(0.0, |neighbours| {
                    let together = shared.fraction_sharing(neighbours.prefix, total, rows);
                    neighbours.saved_bytes(encoding, rows, together)
                });
                row_bytes -= (saved.max(0.0) + times) * inner;
            }
        }
        let blocks = file.blocks as f64 * rows / sampled;
        let data_bytes = rows * row_bytes;
        let regions = (data_bytes / self.max_file_bytes).ceil().max(1.0);
        let block_index_bytes = regions * block_index(blocks / regions, index_key).0;
        let bloom_bytes = regions * Bloom::Row.bytes(rows / regions, self.size.key_bytes.mean);
        EncodedSize {
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

/// When the cells of a sampled write were written, in milliseconds: rows of the run at their intended time, existing ones at their
/// record's (a row a millisecond, when records have no time).
pub(super) fn written_at(sample: &KeySample, at: usize, setup: &Setup, is_run: bool) -> u64 {
    let start = setup.workload.start;
    if is_run {
        let time = start.at(sample.batch.intended[at]).0;
        return (time / NANOS_PER_MS).max(0) as u64;
    }
    let mut fields = setup.schema.fields.iter().enumerate();
    let time = fields.find_map(|(at, field)| match field.kind {
        FieldKind::Timestamp { unit, .. } => Some((at, unit)),
        _ => None,
    });
    if let Some((field, unit)) = time {
        let slot = i128::from(sample.record(at)[field]);
        let millis = slot * i128::from(unit.nanos()) / i128::from(NANOS_PER_MS);
        return millis.clamp(0, i128::from(i64::MAX)) as u64;
    }
    let rows = setup.workload.existing_rows(&setup.schema);
    let before = rows.saturating_sub(sample.batch.indices[at]) as i64;
    (start.0 / NANOS_PER_MS).saturating_sub(before).max(0) as u64
}

fn encode(encoding: BlockEncoding, rows: &[(&[u8], u64)], setup: &Setup) -> StoreFileSize {
    let mut qualifiers: Vec<&str> = setup.table.qualifiers.iter().map(String::as_str).collect();
    qualifiers.sort_unstable();
    let cells = rows
        .iter()
        .flat_map(|row| qualifiers.iter().map(move |it| (row, it)));
    let cells = (0..)
        .zip(cells)
        .map(|(number, (&(row, timestamp), qualifier))| {
            let value = Value::Stated {
                bytes: setup.table.value.0,
                entropy: 1.0,
                number,
            };
            Cell::put(row, qualifier.as_bytes(), timestamp, value)
        });
    let format = FileFormat {
        encoding,
        ..FileFormat::of(&setup.table.family)
    };
    StoreFile::of(format, cells)
}

/// For each length, the most different prefixes of keys that there can be: what the segments and the fields that begin within it allow.
fn value_bounds(key: &KeyPlan, schema: &Schema) -> Vec<f64> {
    let mut bounds = vec![1.0];
    let mut fields: Vec<FieldId> = Vec::new();
    let (mut segments, mut random) = (1.0f64, 1.0f64);
    for segment in key.segments() {
        let count = segment.cardinality();
        let count = count.map_or(f64::INFINITY, |count| count as f64);
        segments *= count;
        if segment.randomness() == Randomness::Random {
            random *= count;
        }
        fields.extend(segment.fields());
        fields.sort_unstable();
        fields.dedup();
        let bound = segments.min(random * combinations(&fields, schema));
        let start = bounds.len();
        bounds.resize(start + segment.len_range().0, bound);
    }
    // Behind the shortest key any segment may stand.
    let last = bounds.last().copied().unwrap_or(1.0);
    let longest = key.len_range().1;
    bounds.resize((longest + 1).max(bounds.len()), last);
    let variable = |it: &Segment| it.len_range().0 < it.len_range().1;
    if key.segments().iter().any(variable) {
        // Short segments let later ones begin earlier than their least place says: only the whole is certain.
        return vec![last; bounds.len()];
    }
    bounds
}

/// Combinations of the fields' values: a field that follows from others of them adds none.
fn combinations(fields: &[FieldId], schema: &Schema) -> f64 {
    let values = |id: &FieldId| {
        let field = schema.field(*id);
        let follows = !field.of.is_empty() && field.of.iter().all(|parent| fields.contains(parent));
        match field.kind.count() {
            _ if follows => 1.0,
            Some(count) => (count + field.literals.len() as u64) as f64,
            None => f64::INFINITY,
        }
    };
    fields.iter().map(values).product()
}

/// Mean lengths of the key's segments.
fn segments(key: &KeyPlan, sample: &KeySample) -> Vec<SegmentBytes> {
    let empty = |segment: &Segment| SegmentBytes {
        expression: segment.expression.clone(),
        bytes: 0.0,
    };
    let mut segments: Vec<SegmentBytes> = key.segments().iter().map(empty).collect();
    let described = DESCRIBED.min(sample.len());
    for i in 0..described {
        let (_, parts) = key.describe(&sample.row(i * sample.len() / described));
        for (segment, part) in segments.iter_mut().zip(parts) {
            segment.bytes += part.bytes.len() as f64 / described as f64;
        }
    }
    segments
}
