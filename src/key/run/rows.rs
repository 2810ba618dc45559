//! What keys are written from.

use crate::random::{DrawKey, Draws};

/// Most rows that are worked on together.
pub const ROWS: usize = 64;

/// What one key is written from.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The record's slots.
    pub record: &'a [i64],
    /// Index of the operation within its write: what `round_robin` counts.
    pub index: u64,
    /// The operation's own draws for `random(n)`, `uuid4()`, ...
    pub draws: Draws,
}

/// One row, or at most [`ROWS`] of them.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Records, one after another.
    records: &'a [i64],
    /// Slots of a record.
    width: usize,
    pub indices: &'a [u64],
    draws: RowDraws<'a>,
    /// What is drawn instead of a draw.
    pub drawn: Option<i64>,
}

#[derive(Clone, Copy)]
enum RowDraws<'a> {
    One(Draws),
    /// By the numbers of operations.
    Many(DrawKey, &'a [u64]),
}

impl<'a> Rows<'a> {
    /// One row.
    #[inline]
    pub fn one(row: &'a Row<'a>) -> Self {
        Self {
            records: row.record,
            width: row.record.len(),
            indices: std::slice::from_ref(&row.index),
            draws: RowDraws::One(row.draws),
            drawn: None,
        }
    }

    /// The rows of operations.
    pub fn new(
        records: &'a [i64],
        indices: &'a [u64],
        key: DrawKey,
        operations: &'a [u64],
    ) -> Self {
        Self {
            records,
            width: records.len().checked_div(indices.len()).unwrap_or(0),
            indices,
            draws: RowDraws::Many(key, operations),
            drawn: None,
        }
    }

    /// These rows with one value instead of anything that is drawn.
    pub fn with_drawn(self, value: i64) -> Self {
        let drawn = Some(value);
        Self { drawn, ..self }
    }

    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// One of them.
    #[inline]
    pub fn row(&self, at: usize) -> Self {
        Self {
            records: &self.records[at * self.width..][..self.width],
            indices: &self.indices[at..=at],
            draws: RowDraws::One(self.draws(at, 0)),
            ..*self
        }
    }

    /// The value of one slot in one record.
    #[inline]
    pub fn slot(&self, at: usize, slot: usize) -> i64 {
        self.records[at * self.width + slot]
    }

    /// Copies the values of a slot in all records.
    #[inline]
    pub fn copy_slot<const N: usize>(&self, slot: usize, out: &mut [i64; N]) {
        if N == 1 {
            out[0] = self.slot(0, slot);
            return;
        }
        assert!(slot < self.width, "a record has that field");
        for (value, record) in out.iter_mut().zip(self.records.chunks_exact(self.width)) {
            *value = record[slot];
        }
    }

    /// The draws of a row after those that belong to others.
    #[inline]
    pub fn draws(&self, at: usize, skip: u32) -> Draws {
        let mut draws = match self.draws {
            RowDraws::One(draws) => draws,
            RowDraws::Many(key, operations) => key.at(operations[at]),
        };
        for _ in 0..skip {
            draws.bits();
        }
        draws
    }
}
