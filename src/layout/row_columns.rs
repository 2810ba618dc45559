//! Which columns a row has, where several writes fill different ones of one row: two services that share it, or a status beside what was ordered. Must not know
//! sizes.

use super::Replicate;
use super::key_sample::KeyedTable;
use super::row_growth::{RowGrowth, versions_kept};
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
    /// What it is written by.
    pub writes: CellWrites,
    /// The same of the rows of each source that does not fill it.
    pub beside: Vec<(Source, f64)>,
}

/// What rows come from: a write of this number, or rows that exist and belong to none, which have the table's columns.
pub(super) type Source = Option<usize>;

impl RowColumn {
    /// The part of the rows of a source that have it beside.
    pub fn beside_of(&self, source: Source) -> f64 {
        let share = self.beside.iter().find(|(other, _)| *other == source);
        share.map_or(0.0, |(_, share)| *share)
    }

    /// A write fills it with this.
    pub fn is_of(&self, cell: &CellSpec) -> bool {
        self.cell.qualifier == cell.qualifier
    }

    /// How many times as often as on the whole those of these rows have it beside whose sources do not fill it, so that it is in its share of all of them: a row is
    /// of one source here, and those of several are not dealt evenly to them.
    pub fn more_often(&self, sources: impl Iterator<Item = Source>) -> f64 {
        let (mut rows, mut own, mut beside) = (0.0, 0.0, 0.0);
        for source in sources {
            rows += 1.0;
            match self.beside.iter().find(|(other, _)| *other == source) {
                Some((_, share)) => beside += share,
                None => own += 1.0,
            }
        }
        match beside > 0.0 {
            true => ((rows * self.share - own) / beside).max(0.0),
            false => 0.0,
        }
    }
}

/// Writes of cells.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct CellWrites {
    /// Those that put what they write in the place of what is there, or add it up: before the run, and of the run.
    puts: [f64; 2],
    /// Others, of writes that append, or of rows that exist and belong to no write: these had been appended to where the run appends.
    others: [f64; 2],
    /// Those of the run that read first.
    adds: f64,
    grows: bool,
    versions: u32,
    /// As many of those as are kept: some cells are written less often.
    kept: f64,
}

/// How each of these cells is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CellFill {
    /// Values that are kept in each of them, >= 1.
    pub values: f64,
    /// They stand one behind the other in one cell; else each is a version.
    pub grows: bool,
    /// Writes of each that a memstore holds one cell of.
    pub upserts: f64,
}

impl CellWrites {
    /// Of a family, by some sources. Deletes are left out.
    pub fn of(setup: &Setup, family: usize, is_source: impl Fn(Source) -> bool) -> Self {
        let (workload, schema) = (&setup.workload, &setup.schema);
        let of_table = setup.table.cells_of(0);
        let existing = workload.existing.iter();
        let existing = existing.map(|it| (0, source_of(it), it.rows.len(schema) as f64));
        let run = workload.writes.iter().enumerate();
        let run =
            run.map(|(at, write)| (1, Some(at), workload.estimated_operations(write, schema)));
        let mut sum = Self {
            versions: setup.table.families[family].spec.versions,
            ..Self::default()
        };
        for (part, source, writes) in existing.chain(run) {
            let kind = source.map(|at| workload.writes[at].kind);
            let written = source.map_or(&of_table, |at| &setup.written[at]);
            if written.family != family || kind == Some(WriteKind::Delete) || !is_source(source) {
                continue;
            }
            sum.grows |= kind == Some(WriteKind::Append) && writes > 0.0;
            if part == 1 && kind.is_some_and(WriteKind::reads_first) {
                sum.adds += writes;
            }
            match kind {
                None | Some(WriteKind::Append) => sum.others[part] += writes,
                _ => sum.puts[part] += writes,
            }
        }
        sum.kept = f64::from(sum.versions);
        sum
    }

    /// With the versions that are kept of so many at most.
    pub fn kept_by(self, kept: impl FnOnce(u32) -> f64) -> Self {
        match self.grows || self.versions == 1 {
            true => self,
            false => Self {
                kept: kept(self.versions),
                ..self
            },
        }
    }

    /// Where they fall on so many cells. A put begins a value that grows anew: what others add is dealt to those that are put one after another. What increments
    /// and appends have made replaces in a memstore what was there but for the last value before it, where one version is kept: then it holds these two, and what
    /// was put since.
    pub fn over(&self, cells: f64) -> CellFill {
        let all = [0, 1].map(|part| (self.puts[part] + self.others[part]) / cells);
        let begun = self.puts.map(|puts| (puts / cells).max(1.0));
        let writes = all[0] + all[1];
        let values = match self.grows {
            true => (all[0] / begun[0] + all[1]) / begun[1],
            false => writes.min(self.kept),
        };
        let of_run = all[1] * cells;
        CellFill {
            values: values.max(1.0),
            grows: self.grows,
            upserts: match self.adds > 0.0 && self.versions == 1 {
                true => (writes / (1.0 + of_run / self.adds)).max(1.0),
                false => 1.0,
            },
        }
    }
}

impl CellFill {
    /// Cells that are kept of each.
    pub fn cells(&self) -> f64 {
        match self.grows {
            true => 1.0,
            false => self.values,
        }
    }
}

/// The columns of a table, each with its share of the rows; empty where all writes fill the same, or a qualifier names them. Deletes are left out.
/// Found once for all who ask. Of the rows with these values alone, by the writes that fix no other.
pub(super) fn row_columns(table: &KeyedTable<'_>, with: &[(FieldId, i64)]) -> Arc<Vec<RowColumn>> {
    let setup = table.setup();
    let (workload, of_table) = (&setup.workload, setup.table.cells_of(0));
    let versions = setup.table.families.iter().map(|it| it.spec.versions);
    let asked = (
        with.to_vec(),
        ("columns", versions.collect::<Vec<u32>>()),
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
                            writes: CellWrites::default(),
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
                writes: CellWrites::of(setup, column.family, |source| of.contains(&source))
                    .kept_by(|most| {
                        let (setup, replicate) = alone(table, |it| of.contains(&it));
                        versions_kept(most, table.key, &setup, &replicate)
                    }),
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
    let (setup, replicate) = alone(table, |it| sources.contains(&it));
    let written = setup.workload.estimated_writes(&setup.schema);
    RowGrowth::of(table.key, &setup, &replicate).rows(written)
}

/// The table with the rows of some sources alone.
pub(super) fn alone(table: &KeyedTable<'_>, keeps: impl Fn(Source) -> bool) -> (Setup, Replicate) {
    let workload = workload_of(table.setup(), keeps);
    let setup = Setup {
        workload,
        ..table.setup().clone()
    };
    let replicate = Replicate::new(&setup, table.replicate.seed, table.replicate.number);
    (setup, replicate)
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
    workload.existing.retain(|rows| keeps(source_of(rows)));
    workload
}

fn source_of(rows: &Existing) -> Source {
    rows.write.map(|write| usize::from(write.0))
}
