//! The rows that pages are made of: of which row a cursor is, which rows an index outside the table names. Must not know keys.
//!
//! A page is one of the rows that agree with the target in what the reader knows, sorted by the page's field, greatest value first; rows of one value are
//! sorted by the first other field that the reader does not know. Of a table of up to [`PAGED_MAX`] rows every row is listed in that order, and
//! pages are exact.

use super::row_history::RowOrigin;
use super::table_rows::TableRows;
use super::target_picker::TargetPicker;
use super::{PageVia, Read, ReadBatch};
use crate::random::{Draws, hash_name, mix};
use crate::record::{FieldId, KnownField};
use crate::time::SimTime;
use std::cmp::Reverse;

/// Rows, those that the run will write included, of tables whose rows are listed for pages: a quarter of a second and 40 MB at most. Of more rows,
/// cursors are left to expectations, and an index names as many rows of the table as a page has, drawn at random and with the target's known
/// fields: they lie where such rows lie, but need not follow each other in the page's order.
const PAGED_MAX: u64 = 1 << 20;

/// The rows of a table in the order of pages.
#[derive(Debug)]
pub(super) struct RowList {
    known: Vec<FieldId>,
    field: FieldId,
    rows: Vec<ListedRow>,
}

/// Sorted by what the reader knows, then in the order of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ListedRow {
    /// Hash of the known fields' slots: of a million rows two groups share one with a probability of 3e-8.
    group: u64,
    value: Reverse<i64>,
    tie: i64,
    origin: u32,
    nth: u32,
}

/// Finds the rows of one read's pages.
#[derive(Debug)]
pub(super) struct PageFinder {
    /// Rows before the page.
    skipped: usize,
    /// Rows that an index names; none for a cursor.
    named: usize,
    /// `None`: too many rows, or a reader who knows more than values of stored fields.
    list: Option<usize>,
    /// Fields in which named rows agree with the target, each with the index that finds its parent.
    known: Vec<(FieldId, Option<usize>)>,
    salt: u64,
    given: Vec<(FieldId, i64)>,
    found: Vec<(usize, u64)>,
}

impl RowList {
    /// Every row of the table and of the run.
    fn new(
        known: Vec<FieldId>,
        field: FieldId,
        table: &mut TableRows,
        counts: &[u64],
        end: SimTime,
    ) -> Self {
        let mut record = vec![0; table.generator.width()];
        let mut fields = (0..record.len() as u16).map(FieldId);
        let tie = fields.find(|other| *other != field && !known.contains(other));
        let mut rows = Vec::with_capacity(counts.iter().sum::<u64>() as usize);
        for (origin, count) in counts.iter().enumerate() {
            for nth in 0..*count {
                table.write(origin, nth, end, &[], &mut record);
                rows.push(ListedRow {
                    group: group(&known, &record),
                    value: Reverse(record[usize::from(field.0)]),
                    tie: tie.map_or(0, |tie| record[usize::from(tie.0)]),
                    origin: origin as u32,
                    nth: nth as u32,
                });
            }
        }
        rows.sort_unstable();
        Self { known, field, rows }
    }

    /// The rows in the table at an instant that agree with a target, in the order of pages.
    fn like<'a>(
        &'a self,
        target: &[i64],
        at: SimTime,
        origins: &'a [RowOrigin],
    ) -> impl Iterator<Item = (usize, u64)> + 'a {
        let group = group(&self.known, target);
        let from = self.rows.partition_point(|row| row.group < group);
        let same = self.rows[from..].iter();
        same.take_while(move |row| row.group == group)
            .map(|row| (row.origin as usize, u64::from(row.nth)))
            .filter(move |(origin, nth)| *nth < origins[*origin].history.whole_rows(at))
    }
}

fn group(known: &[FieldId], record: &[i64]) -> u64 {
    known.iter().fold(0, |hash, field| {
        mix(hash ^ mix(record[usize::from(field.0)] as u64 ^ u64::from(field.0) << 48))
    })
}

impl PageFinder {
    /// For a read of pages that are not found by counting; lists that it needs are added to `lists`.
    pub(super) fn new(
        read: &Read,
        end: SimTime,
        table: &mut TableRows,
        lists: &mut Vec<RowList>,
    ) -> Option<Self> {
        let page = read.page.as_ref()?;
        let skipped = page.size as usize * (page.number.max(1) - 1) as usize;
        let named = match page.via {
            PageVia::Index => page.size as usize,
            PageVia::Cursor if skipped > 0 => 0,
            PageVia::Cursor | PageVia::Offset => return None,
        };
        let mut known: Vec<FieldId> = read.known_stored().collect();
        known.sort_unstable();
        known.dedup();
        let origins = 0..table.population.origins.len();
        let counts: Vec<u64> = origins.map(|origin| table.rows(origin, end)).collect();
        let rows = counts
            .iter()
            .fold(0u64, |sum, rows| sum.saturating_add(*rows));
        let stored = |field: &KnownField| matches!(field, KnownField::Stored(_));
        let listed = read.equal.iter().all(stored)
            && rows <= PAGED_MAX
            && read.range.is_none()
            && read.within.is_empty();
        let list = match page.field {
            KnownField::Stored(field) if listed => {
                let same = |list: &RowList| (&list.known, list.field) == (&known, field);
                Some(lists.iter().position(same).unwrap_or_else(|| {
                    lists.push(RowList::new(known.clone(), field, table, &counts, end));
                    lists.len() - 1
                }))
            }
            _ => None,
        };
        let mut with_index = |field: &FieldId| {
            let index = table.index_of_parent(*field, |id| known.contains(&id));
            (*field, index)
        };
        Some(Self {
            skipped,
            named,
            known: match list {
                None if named > 0 => known.iter().map(&mut with_index).collect(),
                _ => Vec::new(),
            },
            list,
            salt: hash_name("rows that an index names"),
            given: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Appends the rows of one read, whose target is the last record of `batch`.
    pub(super) fn append(
        &mut self,
        draws: Draws,
        at: SimTime,
        picker: &mut TargetPicker,
        table: &mut TableRows,
        lists: &[RowList],
        batch: &mut ReadBatch,
    ) {
        let target = batch.records.len() - table.generator.width();
        let Some(list) = self.list else {
            let draws = draws.salted(self.salt);
            for nth in 0..self.named as u64 {
                let mut draws = draws.salted(mix(nth + 1));
                if let Some(row) = picker.row(&mut draws, at, table) {
                    self.agree(&batch.records[target..], &mut draws, table);
                    batch.push_page_row(row, at, &self.given, table);
                }
            }
            return;
        };
        self.found.clear();
        let origins = &table.population.origins;
        let like = lists[list].like(&batch.records[target..], at, origins);
        self.found.extend(like.take(self.skipped + self.named));
        // Of a cursor the last row before the page, or the last of all.
        let first = match self.named {
            0 => self.found.len().saturating_sub(1),
            _ => self.skipped.min(self.found.len()),
        };
        for row in &self.found[first..] {
            batch.push_page_row(*row, at, &[], table);
        }
        if let Some(exact) = batch.page_exact.last_mut() {
            *exact = true;
        }
    }

    /// What a named row takes from the target: the known fields, of a field that follows from another one a value of that.
    fn agree(&mut self, target: &[i64], draws: &mut Draws, table: &TableRows) {
        self.given.clear();
        for (field, index) in &self.known {
            let slot = target[usize::from(field.0)];
            let index = index.map(|index| table.index(index));
            let of = index.and_then(|index| index.any_parent(slot, draws));
            self.given.push(of.unwrap_or((*field, slot)));
        }
    }
}

impl ReadBatch {
    fn push_page_row(
        &mut self,
        (origin, nth): (usize, u64),
        at: SimTime,
        given: &[(FieldId, i64)],
        table: &mut TableRows,
    ) {
        let start = self.page_records.len();
        self.page_records.resize(start + table.generator.width(), 0);
        let record = &mut self.page_records[start..];
        table.write(origin, nth, at, given, record);
        self.page_writes.push(table.write_of(origin, nth));
    }
}
