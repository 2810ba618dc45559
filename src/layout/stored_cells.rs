//! How the cells of a strategy's writes fill its store files, as far as it is known before a run: how often each is written, whether it was there
//! before, and what it takes on disk. Must not lay regions out.

use super::Replicate;
use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::row_columns::{Source, alone};
use super::row_growth::{RowGrowth, values_found};
use super::table_size::{SIZED_ROWS, TableSample};
use crate::cluster::{CellSpec, Family, FileRules};
use crate::engine::{CellValues, StoredCells};
use crate::scenario::{Setup, Strategy};
use crate::storage::{BlockEncoding, Compression};
use crate::workload::{Workload, WriteId, WriteKind};

/// Files tell cells apart from so many more writes than cells on: else they hold as many cells as were written, a tenth too many at most.
const MANY: f64 = 1.1;

/// The cells of a strategy over a replicate's records.
pub fn stored_cells(strategy: &Strategy, replicate: &Replicate) -> StoredCells {
    let setup = &*strategy.setup;
    let (workload, schema, families) = (&setup.workload, &setup.schema, &setup.table.families);
    let existing = workload.existing_rows(schema) as f64;
    let planned = workload.estimated_writes(schema);
    let growth = RowGrowth::of(&strategy.cell_key, setup, replicate);
    let (before, after) = (growth.rows(0.0), growth.rows(planned));
    let of_run = match existing > 0.0 {
        false => after,
        true => {
            let workload = Workload {
                existing: Vec::new(),
                ..workload.clone()
            };
            let alone = Setup {
                workload,
                ..setup.clone()
            };
            let replicate = Replicate::new(&alone, replicate.seed, replicate.number);
            RowGrowth::of(&strategy.cell_key, &alone, &replicate).rows(planned)
        }
    }
    .max(1.0);
    let in_run = planned / of_run;
    let known = (1.0 - (after - before) / of_run).clamp(0.0, 1.0);
    // Of a cell that was written less often than it has versions nothing is superseded.
    let full_before = |versions: u32| match existing >= before * f64::from(versions) {
        true => known,
        false => 0.0,
    };
    let is_superseded = families.iter().any(|family| {
        let versions = family.spec.versions;
        in_run > MANY * f64::from(versions) || full_before(versions) > MANY - 1.0
    });
    let expires = families.iter().any(|family| {
        let ttl = family.spec.ttl;
        ttl.is_some_and(|ttl| existing > 0.0 || ttl < workload.duration)
    });
    let mut writes = workload.writes.iter();
    let deletes = writes.any(|write| write.kind == WriteKind::Delete);
    // What nothing encodes or compresses lies on disk as it is, as far as runs count.
    let is_plain = |family: &Family| {
        let spec = &family.spec;
        (spec.block_encoding, spec.compression) == (BlockEncoding::None, Compression::None)
    };
    let size = (!families.iter().all(is_plain)).then(|| {
        let table = KeyedTable::of(strategy, replicate);
        TableSample::of(&table, SIZED_ROWS, Encodings::Own).size(planned)
    });
    let disk_ratio = |number: usize| match &size {
        Some(size) if !is_plain(&families[number]) => size.families[number].disk_ratio(),
        _ => 1.0,
    };
    let copies = strategy.copies.iter().map(|copy| &copy.cell_key);
    let keys = std::iter::once(&strategy.cell_key).chain(copies);
    StoredCells {
        keys: keys
            .filter(|_| strategy.qualifier.is_some())
            .cloned()
            .collect(),
        follows: is_superseded || expires || deletes,
        files: families
            .iter()
            .enumerate()
            .map(|(number, family)| FileRules {
                written_before: known,
                full_before: full_before(family.spec.versions),
                disk_ratio: disk_ratio(number),
            })
            .collect(),
        values: workload
            .writes
            .iter()
            .enumerate()
            .map(|(at, write)| match write.kind {
                WriteKind::Append => values_of(&KeyedTable::of(strategy, replicate), at),
                _ => CellValues {
                    before: 0.0,
                    of_run: (workload.estimated_operations(write, schema) / of_run).max(1.0),
                },
            })
            .collect(),
    }
}

/// The values that a write which appends finds in its cell and leaves there: those of all writes that fill one of its columns.
fn values_of(table: &KeyedTable<'_>, write: usize) -> CellValues {
    let setup = table.setup();
    let (own, of_table) = (&setup.written[write], setup.table.cells_of(0));
    let fills = |source: Source| {
        let written = source.map_or(&of_table, |at| &setup.written[at]);
        let is_own = |it: &CellSpec| own.cells.iter().any(|cell| cell.qualifier == it.qualifier);
        let kind = source.map(|at| setup.workload.writes[at].kind);
        kind != Some(WriteKind::Delete)
            && written.family == own.family
            && written.cells.iter().any(is_own)
    };
    let (setup, replicate) = alone(table, fills);
    let write = WriteId(write as u8);
    let [before, of_run] = values_found(write, table.cell_key, &setup, &replicate);
    CellValues {
        before,
        // As many come behind it as before it.
        of_run: 1.0 + 2.0 * of_run,
    }
}
