//! One key's table, weighed from a sample of its rows: really sorted, really encoded, then scaled to all rows. Must not know how it is
//! told.
//!
//! A row is a distinct key: writing one again replaces its cells at the next compaction (one version, HBase's default). Existing rows
//! and the run's own writes make one table; files are as after a major compaction, one a region, uncompressed, one replica.
//!
//! A table of up to [`SAMPLE`] rows is encoded whole. Of a larger one the sample's neighbours share fewer bytes than the table's:
//! [`SharedPrefixes`] tells how many more it will be, and each saves a byte in every encoding. The cells' timestamps are nearer to each other
//! too, where a key goes on with time; they are then as far apart as the rows of one prefix lie in time.

use super::key_sample::KeySample;
use super::keyed_table::KeyedTable;
use super::row_growth::RowGrowth;
use super::table_size::{
    EncodedSize, KeyBytes, MemstoreBudget, SegmentBytes, StrategySize, TableSize,
};
use super::time_neighbours::TimeNeighbours;
use super::{RegionForecast, Replicate};
use crate::key::{KeyPlan, Randomness, Segment};
use crate::record::{FieldId, FieldKind, Schema};
use crate::scenario::{Setup, Strategy};
use crate::storage::{BlockEncoding, Cell, RowSize, SharedPrefixes, StoreFile, StoreFileSize};
use crate::workload::Choice;
use std::sync::Arc;

/// Rows that are encoded at most: a tenth of a second, and shared bytes exact to about a tenth.
const SAMPLE: usize = 1 << 16;

/// Cells that are encoded at most.
const CELLS: usize = 1 << 19;

/// Keys that are cut into segments.
const DESCRIBED: usize = 200;

const NANOS_PER_MS: i64 = 1_000_000;

/// A measured sample of one key's table.
#[derive(Debug, Clone)]
pub struct TableSample {
    row_size: RowSize,
    table: crate::cluster::TableSpec,
    existing: f64,
    /// Writes that the run is estimated to make.
    planned: f64,
    /// Different keys in the sample.
    rows: f64,
    text: String,
    key: KeyBytes,
    segments: Vec<SegmentBytes>,
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
    setup: Arc<Setup>,
    /// Regions that the run writes to.
    written_regions: usize,
    tables: Vec<TableSample>,
}

impl StrategySample {
    /// Samples the strategy's table and its copies; `regions` says which of them get writes.
    pub fn of(strategy: &Strategy, regions: &[RegionForecast], replicate: &Replicate) -> Self {
        let written = regions.iter().filter(|region| region.write_share > 0.0);
        let copies = strategy.copies.iter().map(|copy| &copy.key);
        let keys = std::iter::once(&strategy.key).chain(copies);
        let sample = |key: &Arc<KeyPlan>| TableSample::of(&strategy.setup, key, replicate);
        Self {
            strategy: strategy.name.clone(),
            setup: Arc::clone(&strategy.setup),
            written_regions: written.count(),
            tables: keys.map(sample).collect(),
        }
    }

    /// The sizes after the writes that the run is estimated to make.
    pub fn planned_size(&self) -> StrategySize {
        self.size(self.tables.first().map_or(0.0, |table| table.planned))
    }

    /// The sizes after so many writes of the run.
    pub fn size(&self, written: f64) -> StrategySize {
        let tables = self.tables.iter().map(|table| table.size(written));
        let tables: Vec<TableSize> = tables.collect();
        let memstore_row = tables.first().map_or(0.0, |table| table.memstore_row_bytes);
        StrategySize {
            strategy: self.strategy.clone(),
            memstore: MemstoreBudget::of(&self.setup, memstore_row, self.written_regions),
            tables,
        }
    }
}

impl TableSample {
    /// Samples and encodes the table of one key. O(n log n) in the sample.
    pub fn of(setup: &Setup, key: &KeyPlan, replicate: &Replicate) -> Self {
        let table = KeyedTable {
            key,
            setup,
            replicate,
        };
        Self::from_rows(&table, SAMPLE)
    }

    /// The same from at most so many rows.
    pub(super) fn from_rows(table: &KeyedTable<'_>, rows: usize) -> Self {
        let KeyedTable {
            key,
            setup,
            replicate,
        } = *table;
        let (workload, schema) = (&setup.workload, &setup.schema);
        let existing = workload.existing_rows(schema) as f64;
        let writes = workload.writes.iter();
        let planned: f64 = writes
            .map(|write| workload.estimated_operations(write, schema))
            .sum();
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
        let files = BlockEncoding::ALL.map(|encoding| encode(encoding, &rows, setup));
        let fullest = usize::from(parts[1].len() > parts[0].len());
        Self {
            row_size: RowSize::new(
                setup.table.family.len() as u64,
                setup.table.qualifiers.iter().map(String::as_str),
                setup.table.value.0,
            ),
            table: setup.table.clone(),
            existing,
            planned,
            rows: rows.len() as f64,
            text: key.text().to_owned(),
            key: KeyBytes::of(rows.iter().map(|(key, _)| key.len())),
            segments: segments(key, &parts[fullest]),
            neighbours: TimeNeighbours::of(key, &rows),
            growth: RowGrowth::of(key, setup, replicate),
            prefixes,
            files,
        }
    }

    /// The table after so many writes of the run, each on top of the existing rows.
    pub fn size(&self, written: f64) -> TableSize {
        let total = self.existing + written;
        let existing_rows = self.growth.rows(0.0);
        let rows = self.growth.rows(written);
        let encoded = BlockEncoding::ALL.map(|encoding| self.encoded(encoding, rows, total));
        let key = self.key.mean;
        let cells = self.row_size.cell_count() as f64;
        let cell_bytes = self.row_size.mean_cell(key);
        TableSize {
            writes: total,
            existing_rows,
            written_rows: rows - existing_rows,
            key: self.text.clone(),
            key_bytes: self.key,
            segments: self.segments.clone(),
            cells_per_row: cells,
            cell_bytes,
            row_bytes: cell_bytes * cells,
            value_bytes: cells * self.table.value.0 as f64,
            shared_key_bytes: self.prefixes.shared_bytes(total, rows),
            memstore_row_bytes: self.row_size.memstore(key.round() as u64) as f64,
            encoding: self.table.block_encoding,
            encoded,
        }
    }

    fn encoded(&self, encoding: BlockEncoding, rows: f64, total: f64) -> EncodedSize {
        let file = self.files[encoding as usize];
        let sampled = self.rows.max(1.0);
        let mut row_bytes = file.data_bytes / sampled;
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
        let file_bytes = self.table.max_file_size.0 as f64;
        EncodedSize::of(encoding, rows, row_bytes, blocks, index_key, file_bytes)
    }
}

/// When the cells of a sampled write were written, in milliseconds: rows of the run at their intended time, existing ones at their
/// record's (a row a millisecond, when records have no time).
fn written_at(sample: &KeySample, at: usize, setup: &Setup, is_run: bool) -> u64 {
    let start = setup.workload.start;
    if is_run {
        let time = start.at(sample.batch().intended[at]).0;
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
    let before = rows.saturating_sub(sample.batch().indices[at]) as i64;
    (start.0 / NANOS_PER_MS).saturating_sub(before).max(0) as u64
}

fn encode(encoding: BlockEncoding, rows: &[(&[u8], u64)], setup: &Setup) -> StoreFileSize {
    let mut qualifiers: Vec<&str> = setup.table.qualifiers.iter().map(String::as_str).collect();
    qualifiers.sort_unstable();
    let mut file = StoreFile::new(encoding, &setup.table.family);
    for &(row, timestamp) in rows {
        for qualifier in &qualifiers {
            file.append(&Cell {
                row,
                qualifier: qualifier.as_bytes(),
                timestamp,
                value_bytes: setup.table.value.0,
            });
        }
    }
    file.finish()
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
        expression: segment.expression().to_owned(),
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
