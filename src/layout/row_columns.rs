//! Which columns a row has, where several writes fill different ones of one row: two services that share it, or a status beside what was ordered. Must not know
//! sizes.

use super::Replicate;
use super::key_sample::KeyedTable;
use super::row_growth::RowGrowth;
use crate::cluster::{CellSpec, WrittenCells};
use crate::record::FieldId;
use crate::scenario::Setup;
use crate::units::PerSecond;
use crate::workload::{Arrivals, Existing, LoadModel, Workload, WriteKind};
use std::sync::Arc;

/// A column that some writes fill.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowColumn {
    pub family: usize,
    pub cell: CellSpec,
    /// The part of all rows that have it, at the end of the run.
    pub share: f64,
    /// The same of the rows of each source that does not fill it.
    pub beside: Vec<(Source, f64)>,
}

/// What rows come from: a write of this number, or rows that exist and belong to none, which have the table's columns.
pub(super) type Source = Option<usize>;

/// The columns of a table, each with its share of the rows; empty where all writes fill the same, or a qualifier names them. Deletes are left out.
/// Found once for all who ask. Of the rows with these values alone, by the writes that fix no other.
pub(super) fn row_columns(table: &KeyedTable<'_>, with: &[(FieldId, i64)]) -> Arc<Vec<RowColumn>> {
    let setup = table.setup();
    let (workload, of_table) = (&setup.workload, setup.table.cells_of(0));
    let asked = (
        with.to_vec(),
        "columns",
        table.written(),
        setup.written.clone(),
        of_table.clone(),
    );
    let find = || {
        let writes = workload.writes.iter().zip(&setup.written).enumerate();
        let puts = writes.filter(|(_, (write, _))| write.kind != WriteKind::Delete);
        let mut sources: Vec<(Source, &WrittenCells)> =
            puts.map(|(at, (_, written))| (Some(at), written)).collect();
        if workload.existing.iter().any(|rows| rows.write.is_none()) {
            sources.push((None, &of_table));
        }
        let is_alike = sources.windows(2).all(|pair| pair[0].1 == pair[1].1);
        if is_alike || table.strategy.qualifier.is_some() {
            return Vec::new();
        }
        let fits = |(field, slot): &(FieldId, i64)| {
            with.iter()
                .all(|(known, value)| known != field || value == slot)
        };
        sources.retain(|(source, _)| {
            source.is_none_or(|at| workload.writes[at].with.iter().all(fits))
        });
        let mut columns: Vec<(RowColumn, Vec<Source>)> = Vec::new();
        for (source, written) in &sources {
            for cell in &written.cells {
                let is_same = |it: &RowColumn| {
                    it.family == written.family && it.cell.qualifier == cell.qualifier
                };
                match columns.iter_mut().find(|(column, _)| is_same(column)) {
                    Some((_, of)) => of.push(*source),
                    None => {
                        let column = RowColumn {
                            family: written.family,
                            cell: cell.clone(),
                            share: 1.0,
                            beside: Vec::new(),
                        };
                        columns.push((column, vec![*source]));
                    }
                }
            }
        }
        // Columns of the same writes have the same rows.
        let mut counted: Vec<(Vec<Source>, f64)> = Vec::new();
        let mut rows_of = |of: Vec<Source>| match counted.iter().find(|(other, _)| *other == of) {
            Some((_, rows)) => *rows,
            None => {
                let rows = rows_from(table, &of);
                counted.push((of, rows));
                rows
            }
        };
        let all = rows_of(sources.iter().map(|(source, _)| *source).collect());
        let shares = columns.into_iter().map(|(column, of)| {
            let own = rows_of(of.clone());
            let others = sources.iter().map(|(source, _)| *source);
            let others = others.filter(|source| !of.contains(source));
            // Of the rows of both, those that the two have in common.
            let beside = others.map(|source| {
                let rows = rows_of(vec![source]);
                let mut both = of.clone();
                both.push(source);
                both.sort_unstable();
                let common = rows + own - rows_of(both);
                (source, (common / rows.max(1.0)).clamp(0.0, 1.0))
            });
            let beside = beside.collect();
            let share = (own / all.max(1.0)).min(1.0);
            RowColumn {
                share,
                beside,
                ..column
            }
        });
        shares.collect()
    };
    table.replicate.once(asked, find)
}

/// Rows that these alone leave at the end of the run.
fn rows_from(table: &KeyedTable<'_>, sources: &[Source]) -> f64 {
    let workload = workload_of(table.setup(), |source| sources.contains(&source));
    let setup = Setup {
        workload,
        ..table.setup().clone()
    };
    let replicate = Replicate::new(&setup, table.replicate.seed, table.replicate.number);
    let written = setup.workload.estimated_writes(&setup.schema);
    RowGrowth::of(table.key, &setup, &replicate).rows(written)
}

/// The workload with rows of some sources alone; the other writes stay, and write nothing.
pub(super) fn workload_of(setup: &Setup, keeps: impl Fn(Source) -> bool) -> Workload {
    let mut workload = setup.workload.clone();
    for (at, write) in workload.writes.iter_mut().enumerate() {
        if !keeps(Some(at)) {
            write.load = LoadModel::Open {
                rate: PerSecond(0.0),
                arrivals: Arrivals::Constant,
                profile: Vec::new(),
                import: None,
            };
        }
    }
    let source = |rows: &Existing| rows.write.map(|write| usize::from(write.0));
    workload.existing.retain(|rows| keeps(source(rows)));
    workload
}
