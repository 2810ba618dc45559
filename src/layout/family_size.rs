//! One family of one key's table, weighed from a sample of its rows: really sorted, encoded and compressed, then scaled to all rows. Must not know
//! other families.
//!
//! A table of up to so many rows is encoded whole. Of a larger one the sample's neighbours share fewer bytes than the table's:
//! [`SharedPrefixes`] tells how many more it will be, and each saves a byte in every encoding. The cells' timestamps are nearer to each other
//! too, where a key goes on with time; they are then as far apart as the rows of one prefix lie in time.
//!
//! What a codec makes of neighbours is measured on rows that are. What the table's neighbours share beyond them, as behind a hash of the whole record, is
//! estimated: a few of the rows from all over them, beside as many that stand together, tell how many compressed bytes a shared one saves.

use super::Replicate;
use super::key_sample::{KeySample, KeyedTable};
use super::neighbours::{neighbours, rows_of, shared_within, sorted};
use super::row_columns::{CellFill, CellWrites, RowColumn, row_columns, workload_of};
use super::row_growth::{RowGrowth, versions_kept};
use super::table_cells::{Fill, SampledWrite, TableCells};
use super::time_neighbours::TimeNeighbours;
use crate::cluster::{CellSpec, ValueSpec};
use crate::key::{KeyPlan, Randomness, Segment};
use crate::record::{FieldId, Schema};
use crate::scenario::{Setup, Strategy};
use crate::storage::{
    BlockEncoding, Bloom, CELL_STRUCTURE, Compression, FileFormat, RowSize, SharedPrefixes,
    StoreFile, StoreFileSize, block_index,
};
use crate::time::SimDuration;
use crate::workload::{Choice, ImportRows, WriteKind};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Cells that are encoded at most where all are.
const CELLS: usize = 1 << 19;

/// Cells that are encoded at most of sampled rows of many cells, hundreds of blocks; and at most twice as many as rows that are asked for: the tens of blocks
/// of a run's 16,384 cells tell their mean to 1 %.
const SAMPLED_CELLS: usize = 1 << 17;

/// Rows that are sampled at least, of however many cells.
const LEAST_ROWS: usize = 128;

/// The same of rows that are longer than the blocks that are compressed: no codec must find the same part of several of them in one block.
const LEAST_LONG_ROWS: usize = 4;

/// Writes whose records are in the cells of these: of fewer a codec tells that they come again.
const LEAST_MATES: usize = 4_096;

/// Keys that are cut into segments.
const DESCRIBED: usize = 200;

/// Neighbours that are compressed stand in a sample of so many times as many.
const WIDER: usize = 4;

/// Of so many rows one is encoded apart. Random bytes are then shared by one less, and digits of a hash by two: where neighbours share now one byte and now two, codecs
/// pay for the change, so that between whole bytes sizes rise and fall by a few percent.
const THINNED: usize = 256;

/// Shared bytes by which both samples have to differ to tell anything.
const LEAST_SHARED: f64 = 0.05;

/// Shared bytes by which a table's neighbours have to be told to share more than those that were found: the estimate is right to a fifth where rows come in
/// turns.
const NOTABLE: f64 = 0.25;

/// How long ago a store was compacted whole: every 3.5 to 10.5 days (`hbase.hregion.majorcompaction` with its jitter of one half), at an instant of
/// that which nobody knows: the mean square of the period, 49 + 49 / 12, over twice its mean, 14.
const COMPACTED_DAYS: f64 = (49.0 + 49.0 / 12.0) / 14.0;

/// One family of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilySize {
    /// Its name.
    pub family: String,
    /// Writes that made it.
    pub writes: f64,
    /// Its rows that exist before the run.
    pub existing_rows: f64,
    /// All its rows.
    pub rows: f64,
    /// Writes that fall on a cell; 1 where what they write is added to it.
    pub writes_per_cell: f64,
    /// Cells of a row, versions that are kept included.
    pub cells_per_row: f64,
    /// Cells of a write.
    pub cells_per_write: f64,
    /// A cell as a KeyValue: 20 + key + family + qualifier + value.
    pub cell_bytes: f64,
    /// Of it the value.
    pub value_bytes: f64,
    /// Lengths of its keys.
    pub key_bytes: KeyBytes,
    /// Leading bytes that a row's key shares with the one before, on average.
    pub shared_key_bytes: f64,
    /// Its block encoding.
    pub encoding: BlockEncoding,
    /// Its compression.
    pub compression: Compression,
    /// All its rows were encoded and compressed, not a sample of them.
    pub is_whole: bool,
    /// Of its compressed data blocks, the share that is not measured but told from how much less rows weigh where neighbours share more.
    pub extrapolated: f64,
    /// On disk under each encoding, in the order of [`BlockEncoding::ALL`].
    pub encoded: [EncodedSize; 4],
}

impl FamilySize {
    /// Cells.
    pub fn cells(&self) -> f64 {
        self.rows * self.cells_per_row
    }

    /// As it is.
    pub fn chosen(&self) -> &EncodedSize {
        &self.encoded[self.encoding as usize]
    }

    /// Bytes of its store files for each byte of its KeyValues; 1 without any.
    pub(super) fn disk_ratio(&self) -> f64 {
        match self.cells() * self.cell_bytes {
            bytes if bytes > 0.0 => self.chosen().table_bytes / bytes,
            _ => 1.0,
        }
    }
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

/// Store files of a table, or of one of its families, under one block encoding, compressed as each family says: one replica.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct EncodedSize {
    /// The encoding.
    pub encoding: BlockEncoding,
    /// A row in its data blocks, with its part of their headers and checksums.
    pub row_bytes: f64,
    /// All data blocks.
    pub data_bytes: f64,
    /// All block indexes, as they are in memory: no codec makes them smaller there.
    pub block_index_bytes: f64,
    /// All Bloom filters.
    pub bloom_bytes: f64,
    /// Data, index and Bloom filter.
    pub table_bytes: f64,
    /// Regions that it takes if each holds as much as `table.max_file_size` allows; up to twice as many after splits in the middle.
    pub regions: f64,
}

impl EncodedSize {
    /// Of several families.
    pub(super) fn sum<'a>(encoding: BlockEncoding, sizes: impl Iterator<Item = &'a Self>) -> Self {
        let of_none = Self {
            encoding,
            ..Self::default()
        };
        sizes.fold(of_none, |sum, size| Self {
            encoding,
            row_bytes: sum.row_bytes + size.row_bytes,
            data_bytes: sum.data_bytes + size.data_bytes,
            block_index_bytes: sum.block_index_bytes + size.block_index_bytes,
            bloom_bytes: sum.bloom_bytes + size.bloom_bytes,
            table_bytes: sum.table_bytes + size.table_bytes,
            // The largest store splits its region.
            regions: sum.regions.max(size.regions),
        })
    }
}

/// Block encodings that a sample is encoded under: each takes as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encodings {
    All,
    /// The family's own: nothing is known of the others.
    Own,
}

/// A measured sample of one family.
#[derive(Debug, Clone)]
pub(super) struct FamilySample {
    /// What holds of any number of rows; the rest is nothing yet.
    pub size: FamilySize,
    /// Segments of its keys.
    pub segments: Vec<SegmentBytes>,
    /// Heap of a cell in a memstore.
    pub memstore_cell_bytes: f64,
    /// What a write of the run writes: its cells as KeyValues, and their heap in a memstore; of a family that the run doesn't write, what made its rows. Where one
    /// version is kept, what increments and appends have made replaces what was there but for the last value before it.
    pub of_a_write: [f64; 2],
    bloom: Bloom,
    /// The part of a row's columns that a write fills.
    filled: f64,
    existing: f64,
    /// Writes that the run is estimated to make to it.
    pub planned: f64,
    /// Different keys in the sample.
    rows: f64,
    prefixes: SharedPrefixes,
    /// Leading bytes that a row of those that were encoded shares with the one before, and within how many the table's may share more.
    shared: (f64, usize),
    pub growth: Arc<RowGrowth>,
    /// Where a qualifier tells cells of a row from each other.
    cell_growth: Option<Arc<RowGrowth>>,
    /// By encoding, of the sample, with the compressed bytes that one saves which neighbours share; none of those that were not asked for.
    files: [Option<(StoreFileSize, f64)>; 4],
    neighbours: Option<TimeNeighbours>,
}

/// The cells of a sample, whatever their encoding and their codec.
#[derive(Debug)]
struct SampledCells {
    all: TableCells,
    /// Where codecs profit from it that neighbours share more: rows from all over, as many side by side, their number, and how many more bytes of a row
    /// the latter share.
    apart: Option<([TableCells; 2], f64, f64)>,
}

impl SampledCells {
    /// Their store file, and the compressed bytes that one saves which neighbours share.
    fn file(&self, format: FileFormat<'_>) -> (StoreFileSize, f64) {
        let file = |cells: &TableCells| StoreFile::of(format, cells.iter());
        let saving = self.apart.as_ref().map_or(0.0, |(apart, rows, nearer)| {
            let [thin, dense] = apart.each_ref().map(|cells| file(cells).data_bytes as f64);
            ((thin - dense) / rows / nearer).max(0.0)
        });
        (file(&self.all), saving)
    }
}

/// A table with one family's writes alone, as far back as its cells stay, and without deletes; `None` if that is the table itself. How deletes shrink it is
/// not told.
pub(super) fn only(table: &KeyedTable<'_>, family: usize) -> Option<(Strategy, Replicate)> {
    let setup = table.setup();
    let writes = || setup.workload.writes.iter().zip(&setup.written);
    let is_own = |write: usize| {
        writes().nth(write).is_some_and(|(write, written)| {
            written.family == family && write.kind != WriteKind::Delete
        })
    };
    let ttl = setup.table.families[family].spec.ttl;
    let mut workload = workload_of(setup, |source| source.map_or(family == 0, is_own));
    if let Some(ttl) = ttl {
        for existing in &mut workload.existing {
            let times = kept_for(ttl).as_secs_f64() / existing.rows.last().as_secs_f64();
            if times < 1.0 {
                existing.rows = kept_longer(&existing.rows, times);
            }
        }
    }
    if workload == setup.workload {
        return None;
    }
    let changed = Setup {
        workload,
        ..setup.clone()
    };
    let replicate = Replicate::new(&changed, table.replicate.seed, table.replicate.number);
    let setup = Arc::new(changed);
    let strategy = Strategy {
        setup,
        ..table.strategy.clone()
    };
    Some((strategy, replicate))
}

/// How long cells with a time to live stay on disk: until the next major compaction finds them expired.
pub(super) fn kept_for(ttl: SimDuration) -> SimDuration {
    ttl + SimDuration::from_secs(86_400).mul_f64(COMPACTED_DAYS)
}

/// The same rows at the same pace over a time so many times as long.
pub(super) fn kept_longer(rows: &ImportRows, times: f64) -> ImportRows {
    let longer = |last: SimDuration| {
        // Times stay within what a file may say.
        let nanos =
            (last.as_nanos() as f64 * times).min(SimDuration::LONGEST_WRITTEN.as_nanos() as f64);
        SimDuration::from_nanos(nanos as u64)
    };
    match rows {
        ImportRows::Drawn { records, last } => ImportRows::Drawn {
            // Operations are numbered with 56 bits.
            records: ((*records as f64 * times).ceil() as u64).min((1 << 56) - 1),
            last: longer(*last),
        },
        ImportRows::Each { each, every, last } => ImportRows::Each {
            each: each.clone(),
            every: *every,
            last: longer(*last),
        },
    }
}

/// What a write of the run that goes to a family writes on average: its cells as KeyValues, those that grow as long as they get, and what they add to the heap of a
/// memstore; expressions as long as in a sample. `None` where no write goes there.
fn of_a_write(
    strategy: &Strategy,
    family: usize,
    sample: &KeySample,
    fill_of: impl Fn(&CellSpec) -> CellFill,
) -> Option<[f64; 2]> {
    let setup = &*strategy.setup;
    let mut bytes = Vec::new();
    let mut length = |expression: &KeyPlan| match expression.len_range() {
        (shortest, longest) if shortest == longest => shortest as f64,
        _ => {
            bytes.clear();
            (0..sample.len()).for_each(|at| expression.write(&sample.row(at), &mut bytes));
            bytes.len() as f64 / sample.len().max(1) as f64
        }
    };
    let qualifier = strategy.qualifier.as_ref().map_or(0.0, |it| length(it));
    let name = setup.table.families[family].name.len() as f64;
    let coordinates = CELL_STRUCTURE as f64 + sample.mean_key_bytes() + name + qualifier;
    let (mut writes, mut means) = (0.0, [0.0; 2]);
    for (write, written) in setup.workload.writes.iter().zip(&setup.written) {
        if written.family != family || write.kind == WriteKind::Delete {
            continue;
        }
        let mut sums = [0.0; 2];
        for cell in &written.cells {
            let fill = fill_of(cell);
            let value = match &cell.value {
                ValueSpec::Size { bytes, .. } => *bytes as f64,
                ValueSpec::Expr(plan) => length(plan),
            };
            let values = match write.kind {
                WriteKind::Append => fill.values,
                _ => 1.0,
            };
            let cell = coordinates + cell.qualifier.len() as f64 + value * values;
            let heap = RowSize::new(0, [""], cell.round() as u64 - CELL_STRUCTURE).memstore(0);
            sums = [sums[0] + cell, sums[1] + heap as f64 / fill.upserts];
        }
        let operations = setup.workload.estimated_operations(write, &setup.schema);
        writes += operations;
        // Means of what is all alike are exactly that.
        let more = |(mean, sum): (f64, f64)| mean + (sum - mean) * operations / writes;
        if operations > 0.0 {
            means = [more((means[0], sums[0])), more((means[1], sums[1]))];
        }
    }
    (writes > 0.0).then_some(means)
}

/// Cells that a write of the family puts on average, of the rows that exist and of the run.
fn cells_of_a_write(setup: &Setup, family: usize) -> f64 {
    let (workload, schema) = (&setup.workload, &setup.schema);
    let existing = workload.existing.iter().map(|rows| {
        let write = rows.write.map(|write| usize::from(write.0));
        (write, rows.rows.len(schema) as f64)
    });
    let of_run = workload.writes.iter().enumerate();
    let of_run = of_run.filter(|(_, write)| write.kind != WriteKind::Delete);
    let of_run = of_run.map(|(at, write)| (Some(at), workload.estimated_operations(write, schema)));
    let of_table = setup.table.cells_of(0);
    let (mut writes, mut cells) = (0.0, 0.0);
    for (write, rows) in existing.chain(of_run) {
        let written = write.map_or(&of_table, |at| &setup.written[at]);
        if written.family == family {
            (writes, cells) = (writes + rows, cells + rows * written.cells.len() as f64);
        }
    }
    if writes > 0.0 { cells / writes } else { 1.0 }
}

impl FamilySample {
    /// Samples and encodes a family, from at most so many rows; the table has no other. What strategies have in common is found once: their rows, and the
    /// files of one encoding and codec.
    pub fn of(table: &KeyedTable<'_>, family: usize, rows: usize, encodings: Encodings) -> Self {
        let (setup, replicate) = (table.setup(), table.replicate);
        let declared = &setup.table.families[family];
        let own = declared.format();
        let mut plain = declared.clone();
        plain.spec.block_encoding = BlockEncoding::None;
        plain.spec.compression = own.compression.min(Compression::Snappy);
        let qualifier = table.strategy.qualifier.as_ref();
        // All that rows and their cells depend on besides their replicate.
        let asked = (
            (table.written(), qualifier.cloned()),
            (plain, setup.table.cells_of(0), setup.written.clone()),
            (family, rows),
        );
        let mut fresh = None;
        let find = || {
            let (sample, cells) = Self::unencoded(table, family, rows);
            let cells = Arc::new(cells);
            fresh = Some(Arc::clone(&cells));
            // There are other codecs, while all encodings of what is not compressed are asked for at once.
            let kept = (own.compression != Compression::None).then(|| Arc::clone(&cells));
            (sample, Arc::downgrade(&cells), kept)
        };
        let found = replicate.once(asked.clone(), find);
        let (sample, cells, _) = &*found;
        let cells = fresh.or_else(|| cells.upgrade());
        let file = |encoding| {
            // Filters are told apart from the sample.
            let format = FileFormat {
                encoding,
                bloom: Bloom::None,
                ..own
            };
            let asked = (asked.clone(), encoding, own.compression);
            let again = || Arc::new(Self::unencoded(table, family, rows).1);
            let find = || cells.clone().unwrap_or_else(again).file(format);
            *replicate.once(asked, find)
        };
        let mut files = [None; 4];
        match encodings {
            Encodings::All => {
                let each = files.par_iter_mut().zip(BlockEncoding::ALL);
                each.for_each(|(found, encoding)| *found = Some(file(encoding)));
            }
            // Who asks for one may be among runs, none of which is to wait for another.
            Encodings::Own => files[own.encoding as usize] = Some(file(own.encoding)),
        }
        let mut found = sample.clone();
        (found.size.encoding, found.size.compression) = (own.encoding, own.compression);
        Self { files, ..found }
    }

    /// O(n log n) in the sample.
    fn unencoded(table: &KeyedTable<'_>, family: usize, rows: usize) -> (Self, SampledCells) {
        let (key, setup) = (table.key, table.setup());
        let (workload, schema) = (&setup.workload, &setup.schema);
        let declared = &setup.table.families[family];
        let spec = &declared.spec;
        let existing = workload.existing_rows(schema) as f64;
        let planned = workload.estimated_writes(schema);
        let total = (existing + planned).max(1.0);
        let growth = RowGrowth::of(key, setup, table.replicate);
        let cell_growth = table.strategy.qualifier.as_ref();
        let cell_growth =
            cell_growth.map(|_| RowGrowth::of(table.cell_key, setup, table.replicate));
        let rows_in_all = growth.rows(planned).max(1.0);
        let written = setup.written.iter().filter(|it| it.family == family);
        let written: Vec<_> = written.collect();
        let of_rows = row_columns(table, &[]);
        let of_rows: Vec<_> = of_rows.iter().filter(|it| it.family == family).collect();
        let most = written.iter().map(|it| it.cells.len()).max();
        let most = most.unwrap_or(setup.table.qualifiers.len()) as f64;
        // Of a row, and of a write.
        let (columns, filled) = match &of_rows[..] {
            [] => (most, most),
            of_rows => (
                of_rows.iter().map(|it| it.share).sum(),
                cells_of_a_write(setup, family),
            ),
        };
        let cells = cell_growth
            .as_ref()
            .map_or(rows_in_all, |it| it.rows(planned));
        let cells = cells.max(rows_in_all) / rows_in_all;
        let each = CellWrites::of(setup, family, |_| true)
            .kept_by(|most| versions_kept(most, table.cell_key, setup, table.replicate))
            .over(cells * rows_in_all);
        let of_rows: Vec<(&RowColumn, CellFill)> = of_rows
            .into_iter()
            .map(|it| (it, it.writes.over(rows_in_all * it.share)))
            .collect();
        let fill_of = |cell: &CellSpec| {
            let mut of = of_rows.iter().filter(|(column, _)| column.is_of(cell));
            of.next().map_or(each, |(_, fill)| *fill)
        };
        let fills: Vec<(f64, CellFill)> = match &of_rows[..] {
            [] => vec![(columns, each)],
            _ => of_rows
                .iter()
                .map(|(column, fill)| (column.share, *fill))
                .collect(),
        };
        let grows = fills.iter().any(|(_, fill)| fill.grows);
        let kinds = workload.writes.iter().zip(&setup.written);
        let mut kinds = kinds.filter(|(_, written)| written.family == family);
        let adds = kinds.any(|(write, _)| write.kind.reads_first());
        let sum_of = |of: fn(&CellFill) -> f64| -> f64 {
            let each = fills.iter().map(|(share, fill)| share * of(fill));
            each.sum()
        };
        // Of such a row its last write says all.
        let is_plain = cell_growth.is_none()
            && fills.iter().all(|(_, fill)| fill.values <= 1.0)
            && written
                .windows(2)
                .all(|pair| pair[0].cells == pair[1].cells);
        // What is not is taken whole where it is small; so is what is compressed, for codecs look far back.
        let is_sampled = grows || is_plain && spec.compression == Compression::None;
        let is_whole = !is_sampled && total * columns <= CELLS.min(rows.saturating_mul(8)) as f64;
        let per_row = cells * sum_of(|fill| fill.values);
        let most_cells = SAMPLED_CELLS.min(rows.saturating_mul(2));
        let is_large = spec.compression != Compression::None && !is_whole;
        // Of rows that are longer than blocks hardly a block has two: it does not matter which are neighbours.
        let is_long = is_large && per_row * CELL_STRUCTURE as f64 > spec.block_size.0 as f64;
        let (least, most) = match is_plain {
            true => (1_000, CELLS),
            false if is_long => (LEAST_MATES, most_cells),
            false => (LEAST_ROWS, most_cells),
        };
        let most = rows.min((most as f64 / per_row) as usize).max(least) as f64;
        let share = match is_whole {
            true => 1.0,
            false => (most / total).min(1.0),
        };
        let wanted = |rows: f64| match rows < 0.5 {
            true => 0,
            false => (rows * share).ceil() as usize,
        };
        let drawn = [
            table.existing(wanted(existing), Choice::Random),
            table.run(wanted(planned), Choice::Spread),
        ];
        let of_all = sorted(&drawn, setup);
        let keys: Vec<&[u8]> = of_all.iter().map(|(key, ..)| *key).collect();
        let bounds = value_bounds(key, schema);
        let bound = |length| bounds.get(length).copied().unwrap_or(f64::INFINITY);
        let prefixes = SharedPrefixes::of(&keys, bound);
        let drawn_rows = rows_of(&of_all);
        let near = (is_large && !is_long).then(|| {
            // As many rows by as many writes as they have cells.
            let times = (per_row / columns).min(most_cells as f64 / drawn_rows.len() as f64);
            let wider = |part: &KeySample| (part.len() * WIDER) as f64 * times.max(1.0);
            neighbours(table, drawn.each_ref().map(|part| wider(part) as usize))
        });
        let parts = near.as_ref().map_or(&drawn, |near| &near.parts);
        let (all, wide) = match &near {
            Some(near) => {
                let all = sorted(&near.parts, setup);
                let rows = rows_of(&all);
                (all, rows)
            }
            None => (of_all, drawn_rows),
        };
        let near = near.as_deref();
        let crowded = near.and_then(|near| near.crowded(&wide, table, keys.len()));
        let thinned = crowded.as_ref().map(|(_, prefix)| *prefix);
        let thinned = thinned.or(near.map(|near| near.thinned));
        let folded = || near.and_then(|near| near.folded(&wide, table, (rows_in_all, keys.len())));
        let moved = crowded.map(|(rows, _)| rows).or_else(folded);
        let wide = match &moved {
            Some(folded) => folded
                .iter()
                .map(|(key, row)| (&key[..], row.1, row.2, row.3))
                .collect(),
            None => wide,
        };
        let long: Vec<_>;
        let mut rows = middle(&wide, keys.len());
        if is_long {
            let most = ((most_cells as f64 / per_row) as usize).max(LEAST_LONG_ROWS);
            let step = rows.len().div_ceil(most).max(1);
            long = rows.iter().copied().step_by(step).collect();
            rows = &long;
        }
        let sampled = rows.len() as f64;
        let fill = (!is_plain && !is_whole).then(|| Fill {
            cells: (
                cells * (most_cells as f64 / (sampled * per_row)).min(1.0),
                cells,
            ),
            each,
        });
        let of_rows = |rows: &[SampledWrite<'_>]| {
            TableCells::of(table, parts, rows, (fill, &of_rows), spec.versions)
        };
        let made = of_rows(if is_whole { &all } else { rows });
        let lengths = || rows.iter().map(|(key, ..)| key.len());
        let key_bytes = KeyBytes {
            mean: lengths().sum::<usize>() as f64 / sampled.max(1.0),
            min: lengths().min().unwrap_or(0),
            max: lengths().max().unwrap_or(0),
        };
        let name = declared.name.len() as u64;
        // Of all cells: how many, and their bytes as qualifiers, as values, and in a memstore.
        let mut sums = [0u64; 4];
        let key_length = key_bytes.mean.round() as u64;
        let heap = |bytes| RowSize::new(name, [""], bytes).memstore(key_length);
        let mut last = (0, heap(0));
        for cell in made.iter() {
            let (qualifier, value) = (cell.qualifier.len() as u64, cell.value.bytes());
            if last.0 != qualifier + value {
                last = (qualifier + value, heap(qualifier + value));
            }
            let heap = last.1;
            let sums = sums.iter_mut().zip([1, qualifier, value, heap]);
            sums.for_each(|(sum, of_cell)| *sum += of_cell);
        }
        let [kept, means @ ..] = sums.map(|sum| sum as f64);
        let [qualifier_bytes, value_bytes, memstore_cell_bytes] =
            means.map(|sum| sum / kept.max(1.0));
        let apart = (is_large && !is_long).then(|| {
            // As many rows side by side, so that both end in as many blocks.
            let thin: Vec<_> = wide.iter().step_by(THINNED).copied().collect();
            let dense = middle(&wide, thin.len());
            let nearer = shared_of(dense, usize::MAX) - shared_of(&thin, usize::MAX);
            let differ = nearer > LEAST_SHARED;
            differ.then(|| ([of_rows(&thin), of_rows(dense)], thin.len() as f64, nearer))
        });
        let times: Vec<(&[u8], u64)> = rows.iter().map(|row| (row.0, row.1)).collect();
        let cell_bytes =
            (CELL_STRUCTURE + name) as f64 + value_bytes + key_bytes.mean + qualifier_bytes;
        let run = &drawn[usize::from(drawn[1].len() > 0)];
        let of_run = of_a_write(table.strategy, family, run, fill_of);
        let sample = Self {
            segments: segments(key, &parts[usize::from(parts[1].len() > parts[0].len())]),
            of_a_write: of_run
                .unwrap_or([cell_bytes, memstore_cell_bytes].map(|bytes| filled * bytes)),
            memstore_cell_bytes,
            size: FamilySize {
                family: declared.name.clone(),
                writes: 0.0,
                writes_per_cell: if adds { 1.0 } else { 0.0 },
                existing_rows: 0.0,
                rows: 0.0,
                cells_per_row: match fill {
                    Some(_) => cells * sum_of(CellFill::cells),
                    None => kept / sampled.max(1.0),
                },
                cells_per_write: filled,
                cell_bytes,
                value_bytes,
                key_bytes,
                shared_key_bytes: 0.0,
                encoding: spec.block_encoding,
                compression: spec.compression,
                is_whole,
                extrapolated: 0.0,
                encoded: [EncodedSize::default(); 4],
            },
            bloom: spec.bloom,
            filled: filled / columns,
            existing,
            planned,
            rows: sampled,
            neighbours: TimeNeighbours::of(key, &times),
            shared: match thinned {
                Some(thinned) if near.is_some_and(|near| near.are_all) => (f64::INFINITY, thinned),
                Some(thinned) => (shared_of(rows, thinned), thinned),
                None => (prefixes.shared_bytes(prefixes.sampled, sampled), usize::MAX),
            },
            prefixes,
            growth,
            cell_growth,
            files: [None; 4],
        };
        let apart = apart.flatten();
        (sample, SampledCells { all: made, apart })
    }

    /// Those that exist, and those of the run.
    pub fn writes(&self) -> f64 {
        self.existing + self.planned
    }

    /// Cells of a row after so many writes of the run: as many more as there are more of them on the whole.
    pub fn cells_per_row(&self, written: f64) -> f64 {
        let cells = self.cell_growth.as_ref().map_or(1.0, |cells| {
            let of_row = |written| cells.rows(written) / self.growth.rows(written).max(1.0);
            of_row(written) / of_row(self.planned)
        });
        let found = self.size.cells_per_row * cells;
        match found.is_finite() {
            true => found,
            false => self.size.cells_per_row,
        }
    }

    /// The family after so many writes of the run, each on top of the existing rows; regions hold at most so many bytes of it.
    pub fn size(&self, written: f64, max_file_bytes: f64) -> FamilySize {
        let (writes, rows) = (self.existing + written, self.growth.rows(written));
        let cells = self.cells_per_row(written);
        let encoded = |encoding| self.encoded(encoding, (rows, cells, writes), max_file_bytes);
        FamilySize {
            writes,
            writes_per_cell: match self.size.writes_per_cell {
                0.0 => {
                    writes * self.filled
                        / self
                            .cell_growth
                            .as_ref()
                            .unwrap_or(&self.growth)
                            .rows(written)
                            .max(1.0)
                }
                one => one,
            },
            existing_rows: self.growth.rows(0.0),
            rows,
            cells_per_row: cells,
            shared_key_bytes: self.prefixes.shared_bytes(writes, rows),
            extrapolated: {
                let file = self.files[self.size.encoding as usize];
                let told = self.told(self.size.encoding, writes, rows);
                told * self.rows / file.map_or(1.0, |(file, _)| (file.data_bytes as f64).max(1.0))
            },
            encoded: BlockEncoding::ALL.map(encoded),
            ..self.size.clone()
        }
    }

    /// Leading bytes that a row of the table shares with the one before, beyond those of the rows that were encoded.
    fn shares_more(&self, writes: f64, rows: f64) -> f64 {
        let (shared, thinned) = self.shared;
        let more = self.prefixes.shared_within(thinned, writes, rows) - shared;
        // Nothing was compressed, or it notably differs.
        match self.size.compression == Compression::None || more > NOTABLE {
            true => more.max(0.0),
            false => 0.0,
        }
    }

    /// Compressed bytes of a row that these save.
    fn told(&self, encoding: BlockEncoding, writes: f64, rows: f64) -> f64 {
        let saving = self.files[encoding as usize].map_or(0.0, |(_, saving)| saving);
        saving * self.shares_more(writes, rows)
    }

    fn encoded(
        &self,
        encoding: BlockEncoding,
        (rows, cells, total): (f64, f64, f64),
        max_file_bytes: f64,
    ) -> EncodedSize {
        let Some((file, _)) = self.files[encoding as usize] else {
            return EncodedSize::sum(encoding, [].iter());
        };
        let sampled = self.rows.max(1.0);
        // Rows of the table for each of the sample's, by their cells.
        let longer = cells / (file.cells as f64 / sampled).max(f64::MIN_POSITIVE);
        let mut row_bytes = file.data_bytes as f64 / sampled * longer;
        let mut index_key = file.index_key_bytes as f64 / (file.blocks as f64).max(1.0);
        if rows > sampled {
            let drawn = self.prefixes.sampled;
            let shared = &self.prefixes;
            // A block that begins within a row says the whole row.
            index_key += self.shares_more(total, rows) / cells.max(1.0);
            if self.size.compression != Compression::None {
                row_bytes -= self.told(encoding, total, rows);
            } else if encoding != BlockEncoding::None {
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
        let blocks = file.blocks as f64 * rows / sampled * longer;
        let data_bytes = rows * row_bytes;
        let regions = (data_bytes / max_file_bytes).ceil().max(1.0);
        let block_index_bytes = regions * block_index(blocks / regions, index_key).0;
        let (keys, bytes) = match self.bloom {
            Bloom::Rowcol => (rows * cells, self.size.cell_bytes - self.size.value_bytes),
            Bloom::Row | Bloom::None => (rows, self.size.key_bytes.mean),
        };
        let bloom_bytes = regions * self.bloom.bytes(keys / regions, bytes);
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

/// Leading bytes that a row's key shares with that of the one before.
fn shared_of(rows: &[SampledWrite<'_>], most: usize) -> f64 {
    let keys: Vec<&[u8]> = rows.iter().map(|(key, ..)| *key).collect();
    shared_within(&keys, most).0
}

/// At most so many in the middle.
fn middle<T>(all: &[T], most: usize) -> &[T] {
    let taken = most.min(all.len());
    &all[(all.len() - taken) / 2..][..taken]
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
