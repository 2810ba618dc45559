//! How the cells of a strategy's writes fill its store files, as far as it is known before a run: how often each is written, whether it was there
//! before, and what it takes on disk. Must not lay regions out.

use super::Replicate;
use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::row_columns::{CellWrites, row_columns};
use super::row_growth::RowGrowth;
use super::table_size::{SIZED_ROWS, TableSample};
use crate::cluster::{Family, FileRules};
use crate::engine::StoredCells;
use crate::scenario::{Setup, Strategy};
use crate::storage::{BlockEncoding, Compression};
use crate::workload::{Workload, WriteKind};
use std::sync::Arc;

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
    let columns = match workload
        .writes
        .iter()
        .any(|it| it.kind == WriteKind::Append)
    {
        true => row_columns(&KeyedTable::of(strategy, replicate), &[]),
        false => Arc::default(),
    };
    // What rows had been appended to before counts as well.
    let values = |at: usize| {
        let written = &setup.written[at];
        let own = columns.iter().filter(|column| {
            column.family == written.family && written.cells.iter().any(|it| column.is_of(it))
        });
        let own = own.map(|column| column.writes.over(after * column.share).values);
        let alike = CellWrites::of(setup, written.family, |_| true).over(after);
        own.max_by(f64::total_cmp).unwrap_or(alike.values)
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
        writes_per_cell: workload
            .writes
            .iter()
            .enumerate()
            .map(|(at, write)| match write.kind {
                WriteKind::Append => values(at),
                _ => workload.estimated_operations(write, schema) / of_run,
            })
            .collect(),
    }
}
