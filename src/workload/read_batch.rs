//! A reused list of reads with their targets. Must not know where they come from, nor how they are served.

use super::{OperationId, ReadId};
use crate::random::Draws;
use crate::time::SimTime;

/// Reads in the order of their intended times, column by column; reused, so that a warm batch allocates nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadBatch {
    /// What their draws belong to.
    pub operations: Vec<OperationId>,
    /// Which read each is.
    pub reads: Vec<ReadId>,
    /// Intended start of each.
    pub intended: Vec<SimTime>,
    /// The records of all targets, one after another.
    pub records: Vec<i64>,
    /// End of each target's values in `within`.
    pub within_ends: Vec<u32>,
    /// The values of all `in` lists: of each target those of its read's [`super::Read::within`], list after list.
    pub within: Vec<i64>,
    /// Lengths of the lists: as many for each target as its read has lists.
    pub within_lens: Vec<u32>,
    /// End of each target's lengths in `within_lens`.
    pub within_lens_ends: Vec<u32>,
    /// The records of all rows of pages ([`PageRows`]), one after another.
    pub page_records: Vec<i64>,
    /// What the keys of those rows draw.
    pub page_writes: Vec<RowWrite>,
    /// End of each target's rows in `page_writes`.
    pub page_ends: Vec<u32>,
    /// Of each target: whether they are exactly its page's.
    pub page_exact: Vec<bool>,
}

/// What one read asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadTarget<'a> {
    /// What its draws belong to.
    pub operation: OperationId,
    /// Intended start.
    pub at: SimTime,
    /// The target's slots.
    pub record: &'a [i64],
    /// The values of its `in` lists, list after list.
    pub within: &'a [i64],
    /// Length of each list.
    pub within_lens: &'a [u32],
    /// For a page by cursor the last row before it, for one by an index its rows; else none.
    pub page: PageRows<'a>,
}

/// What a row's key draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowWrite {
    /// Number of the row within its write or existing table.
    pub index: u64,
    /// The draws of its key.
    pub draws: Draws,
}

/// Rows of one page.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PageRows<'a> {
    /// Their records, one after another.
    pub records: &'a [i64],
    /// One a row.
    pub writes: &'a [RowWrite],
    /// These rows and no others are the page's (of a cursor: the last row before the page is known).
    pub exact: bool,
}

impl<'a> PageRows<'a> {
    /// The slots of the `at`-th row.
    pub fn record(&self, at: usize) -> &'a [i64] {
        let width = self.records.len() / self.writes.len().max(1);
        &self.records[at * width..][..width]
    }
}

impl ReadBatch {
    /// Forgets all reads, keeps the memory.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.reads.clear();
        self.intended.clear();
        self.records.clear();
        self.within_ends.clear();
        self.within.clear();
        self.within_lens.clear();
        self.within_lens_ends.clear();
        self.page_records.clear();
        self.page_writes.clear();
        self.page_ends.clear();
        self.page_exact.clear();
    }

    /// The `at`-th read; records have `width` slots.
    #[inline(always)]
    pub fn target(&self, at: usize, width: usize) -> ReadTarget<'_> {
        let start = |ends: &[u32]| at.checked_sub(1).map_or(0, |before| ends[before] as usize);
        let page = start(&self.page_ends)..self.page_ends[at] as usize;
        ReadTarget {
            operation: self.operations[at],
            at: self.intended[at],
            record: &self.records[at * width..][..width],
            within: &self.within[start(&self.within_ends)..self.within_ends[at] as usize],
            within_lens: &self.within_lens
                [start(&self.within_lens_ends)..self.within_lens_ends[at] as usize],
            page: PageRows {
                records: &self.page_records[page.start * width..page.end * width],
                writes: &self.page_writes[page],
                exact: self.page_exact[at],
            },
        }
    }
}
