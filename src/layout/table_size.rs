//! One key's table, weighed from a sample of its rows: really sorted, really encoded, then scaled to all rows. Must not know how it is
//! told.
//!
//! A row is a distinct key, a cell a distinct key and qualifier: writing one again leaves as many versions as its family keeps. Existing rows
//! and the run's own writes make one table; files are as after a major compaction, one a region and family, one replica.

use super::family_size::{
    EncodedSize, Encodings, FamilySample, FamilySize, KeyBytes, SegmentBytes, only,
};
use super::key_sample::KeyedTable;
use super::row_growth::RowGrowth;
use super::{RegionForecast, Replicate};
use crate::scenario::Strategy;
use crate::storage::{BlockEncoding, CELL_STRUCTURE};
use serde::Serialize;
use std::sync::Arc;

/// Rows that are encoded at most: a tenth of a second, and shared bytes exact to about a tenth.
const SAMPLE: usize = 1 << 16;

/// Rows that are encoded to tell a run how many bytes rows take: shared key bytes are then exact to about a third of a byte.
pub(super) const SIZED_ROWS: usize = 1 << 13;

/// Share of the heap that all memstores of a server may take before it forces flushes (HBase default,
/// `hbase.regionserver.global.memstore.size`).
const MEMSTORE_SHARE: f64 = 0.4;

/// Heap of a write at least, where none or a hot counter is written: flushes stay numbers.
const LEAST_HEAP: f64 = 1e-9;

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
    /// What a write of the run writes, as KeyValues: the mean over its writes, or where there are none over those that made the table.
    pub write_bytes: f64,
    /// Heap of a row in a memstore.
    pub memstore_row_bytes: f64,
    /// The block encoding of the family that has most cells.
    pub encoding: BlockEncoding,
    /// On disk if all families had this encoding, each in the order of [`BlockEncoding::ALL`].
    pub encoded: [EncodedSize; 4],
    /// As it is.
    pub chosen: EncodedSize,
    /// Its families, in the order of the file.
    pub families: Vec<FamilySize>,
}

/// Memory for writes: what a server's memstores may take, against the regions that are written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MemstoreBudget {
    /// Writes that fill a memstore up to a flush.
    pub writes_per_flush: f64,
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

    /// Bytes of what a write writes: as KeyValues, in every table.
    pub fn write_bytes(&self) -> f64 {
        self.tables.iter().map(|table| table.write_bytes).sum()
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
        self.tables.iter().map(|table| &table.chosen)
    }
}

impl TableSize {
    /// Distinct keys.
    pub fn rows(&self) -> f64 {
        self.existing_rows + self.written_rows
    }

    /// Cells.
    pub fn cells(&self) -> f64 {
        self.rows() * self.cells_per_row
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
    key: String,
    max_file_bytes: f64,
    /// Writes that the run is estimated to make.
    planned: f64,
    growth: Arc<RowGrowth>,
    families: Vec<FamilySample>,
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
    pub fn of(
        strategy: &Strategy,
        regions: impl FnOnce() -> Arc<Vec<RegionForecast>> + Send,
        replicate: &Replicate,
    ) -> Self {
        let setup = &strategy.setup;
        let sample = |table| TableSample::of(&table, SAMPLE, Encodings::All);
        let tables = || KeyedTable::all(strategy, replicate).map(sample).collect();
        let (tables, regions): (Vec<_>, _) = rayon::join(tables, regions);
        let flush = setup.table.memstore_flush_size.0 as f64;
        let heap = tables[0].of_a_write(|it| it.of_a_write[1]);
        let written = regions.iter().filter(|region| region.write_share > 0.0);
        let memstore = MemstoreBudget {
            writes_per_flush: (flush / heap.max(LEAST_HEAP)).floor(),
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
    pub(super) fn of(table: &KeyedTable<'_>, rows: usize, encodings: Encodings) -> Self {
        let setup = table.setup();
        let families = 0..setup.table.families.len();
        let families: Vec<_> = families
            .map(|family| match only(table, family) {
                None => FamilySample::of(table, family, rows, encodings),
                Some((strategy, replicate)) => {
                    let (strategy, replicate) = (&strategy, &replicate);
                    let of_family = KeyedTable {
                        strategy,
                        replicate,
                        ..*table
                    };
                    FamilySample::of(&of_family, family, rows, encodings)
                }
            })
            .collect();
        Self {
            key: table.key.text().to_owned(),
            max_file_bytes: setup.table.max_file_size.0 as f64,
            planned: setup.workload.estimated_writes(&setup.schema),
            growth: match &families[..] {
                [only] => only.growth.clone(),
                _ => RowGrowth::of(table.key, setup, table.replicate),
            },
            families,
        }
    }

    /// The mean of what a write of a family writes, over the writes of the run; where there are none, over those that made the table.
    fn of_a_write(&self, of: fn(&FamilySample) -> f64) -> f64 {
        let run: f64 = self.families.iter().map(|it| it.planned).sum();
        let mut writes = 0.0;
        self.families.iter().fold(0.0, |mean, family| {
            let more = match run > 0.0 {
                true => family.planned,
                false => family.writes(),
            };
            writes += more;
            // The mean of what is all alike is exactly that.
            let share = if more > 0.0 { more / writes } else { 0.0 };
            mean + (of(family) - mean) * share
        })
    }

    /// The table after so many writes of the run, each on top of the existing rows.
    pub fn size(&self, written: f64) -> TableSize {
        // Of the run's writes those that go to the family.
        let times = written / self.planned.max(1.0);
        let families = self.families.iter();
        let families: Vec<FamilySize> = families
            .map(|it| {
                it.size(
                    match it.planned == self.planned {
                        true => written,
                        false => it.planned * times,
                    },
                    self.max_file_bytes,
                )
            })
            .collect();
        let sum = |of: fn(&FamilySize) -> f64| families.iter().map(of).sum::<f64>();
        let main = families
            .iter()
            .max_by(|a, b| a.cells().total_cmp(&b.cells()));
        let main = main.expect("a table has a family");
        let at = families.iter().position(|it| it.family == main.family);
        let at = at.expect("it is one of them");
        let existing_rows = self.growth.rows(0.0).min(sum(|it| it.existing_rows));
        let rows = self.growth.rows(written).min(sum(|it| it.rows));
        // Of rows with cells in one family, all of them.
        let cells_per_row = match &families[..] {
            [only] => only.cells_per_row,
            _ => sum(FamilySize::cells) / rows.max(1.0),
        };
        let cell = |of: fn(&FamilySize) -> f64| match &families[..] {
            [only] => of(only),
            all => {
                let weighed = all.iter().map(|it| it.cells() * of(it));
                weighed.sum::<f64>() / sum(FamilySize::cells).max(1.0)
            }
        };
        let cell_bytes = cell(|it| it.cell_bytes);
        let cells = families.iter().map(|it| match &families[..] {
            [only] => only.cells_per_row,
            _ => it.cells() / rows.max(1.0),
        });
        let heap = self.families.iter().zip(cells);
        let memstore_row_bytes = heap.map(|(it, cells)| it.memstore_cell_bytes * cells).sum();
        TableSize {
            key: self.key.clone(),
            key_bytes: main.key_bytes,
            segments: self.families[at].segments.clone(),
            writes: sum(|it| it.writes),
            existing_rows,
            written_rows: rows - existing_rows,
            shared_key_bytes: main.shared_key_bytes,
            cells_per_row,
            cell_bytes,
            row_bytes: cell_bytes * cells_per_row,
            value_bytes: cells_per_row * cell(|it| it.value_bytes),
            write_bytes: self.of_a_write(|it| it.of_a_write[0]),
            memstore_row_bytes,
            encoding: main.encoding,
            encoded: BlockEncoding::ALL.map(|encoding| {
                EncodedSize::sum(
                    encoding,
                    families.iter().map(|it| &it.encoded[encoding as usize]),
                )
            }),
            chosen: EncodedSize::sum(main.encoding, families.iter().map(FamilySize::chosen)),
            families,
        }
    }
}
