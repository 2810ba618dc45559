//! Which cells of a store a scan sees, and which a flush or a compaction writes again (`StoreScanner` with `NormalUserScanQueryMatcher`,
//! `MinorCompactionScanQueryMatcher` or `MajorCompactionScanQueryMatcher`). Must not know files: whoever asks merges them.
//!
//! | | a scan | a flush, a compaction of some files | a compaction of all files |
//! |---|---|---|---|
//! | older than the time to live, delete or not | hidden | dropped | dropped |
//! | a put that a delete hides, both among the cells | hidden | dropped | dropped |
//! | a put behind as many newer ones of its column as there are versions | hidden | dropped | dropped |
//! | a put that was written again with its timestamp | hidden | dropped | dropped |
//! | a delete | hidden | written | dropped |
//!
//! Deletes hide puts by timestamps alone, also those that were written after them, until a compaction of all files drops the delete. In a column, all cells
//! behind the first put that is expired, one too many, or hidden by a delete of its family or of the column, are not looked at: a flush or a minor compaction
//! then drops deletes, too (not in the column without a name, where the deletes of the family stand: HBASE-18471). Families that keep deleted cells (`KEEP_DELETED_CELLS`) or a least number of versions (`MIN_VERSIONS`), and markers that are kept
//! for a while (`hbase.hstore.time.to.purge.deletes`, 0 by default) are not told.

use super::{Cell, CellType};

/// What a column family keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Newest versions of a column (`VERSIONS`).
    pub versions: u32,
    /// Milliseconds from a cell's timestamp on (`TTL`); forever without.
    pub ttl: Option<u64>,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A Get or a scan for so many versions of each column.
    Scan {
        /// At least 1.
        versions: u32,
    },
    /// A flush, or a compaction of some of a store's files.
    Minor,
    /// A compaction of all files of a store, whether it was asked for, due, or came about.
    Major {
        /// Sequence numbers up to this one become 0: the greatest of the files that are older than five days
        /// (`hbase.hstore.compaction.keep.seqId.period`).
        settled: u64,
    },
}

impl Retention {
    /// What stays of a store's `cells`, which come in their order, at the time `now` in milliseconds.
    pub fn kept<'c>(
        self,
        purpose: Purpose,
        now: u64,
        cells: impl Iterator<Item = Cell<'c>>,
    ) -> impl Iterator<Item = Cell<'c>> {
        let versions = match purpose {
            Purpose::Scan { versions } => versions.min(self.versions),
            Purpose::Minor | Purpose::Major { .. } => self.versions,
        };
        let oldest = self.ttl.map_or(0, |ttl| now.saturating_sub(ttl));
        let mut row = Row::default();
        cells.filter_map(move |mut cell| {
            let is_seen = row.sees(&cell, oldest, versions);
            let is_kept = match purpose {
                Purpose::Scan { .. } | Purpose::Major { .. } => cell.kind == CellType::Put,
                Purpose::Minor => true,
            };
            if let Purpose::Major { settled } = purpose
                && cell.mvcc <= settled
            {
                cell.mvcc = 0;
            }
            (is_seen && is_kept).then_some(cell)
        })
    }
}

/// What is known of a row so far.
#[derive(Debug, Default)]
struct Row<'c> {
    row: Option<&'c [u8]>,
    /// Puts up to this time are deleted with their family.
    family: Option<u64>,
    qualifier: &'c [u8],
    column: Column,
}

/// Of the column that is being looked at.
#[derive(Debug, Default)]
struct Column {
    /// No further cell of it matters.
    is_done: bool,
    /// Puts up to this time are deleted.
    deleted: Option<u64>,
    /// The put of this time is deleted.
    version: Option<u64>,
    puts: u32,
    /// Timestamp of the last one.
    last: Option<u64>,
}

impl<'c> Row<'c> {
    /// Whether the cell is alive: a put that nothing hides, or a delete that may hide something.
    fn sees(&mut self, cell: &Cell<'c>, oldest: u64, versions: u32) -> bool {
        if self.row != Some(cell.row) {
            *self = Self {
                row: Some(cell.row),
                qualifier: cell.qualifier,
                ..Self::default()
            };
        } else if self.qualifier != cell.qualifier {
            self.qualifier = cell.qualifier;
            self.column = Column::default();
        }
        let (time, column) = (Some(cell.timestamp), &mut self.column);
        column.is_done |= cell.timestamp < oldest;
        if column.is_done {
            return false;
        }
        match cell.kind {
            CellType::DeleteFamily => self.family = self.family.max(time),
            CellType::DeleteColumn => column.deleted = column.deleted.max(time),
            CellType::Delete => column.version = time,
            CellType::Put if time <= self.family.max(column.deleted) => column.is_done = true,
            CellType::Put if time == column.version || time == column.last => return false,
            CellType::Put => {
                column.puts += 1;
                column.last = time;
                column.is_done = column.puts > versions;
            }
        }
        let lives = !column.is_done;
        // Deletes of the family stand in the column without a name.
        column.is_done &= !cell.qualifier.is_empty();
        lives
    }
}
