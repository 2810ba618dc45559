//! A reused list of operations with their records. Must not know where they come from.

use super::{OperationId, WriteId};
use crate::time::SimTime;

/// Operations in the order of their intended times, column by column; reused, so that a warm batch allocates nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationBatch {
    /// [`OperationId`]s as numbers, which is how keys' draws are addressed.
    pub operations: Vec<u64>,
    /// Index of each within its write.
    pub indices: Vec<u64>,
    /// Write of each.
    pub writes: Vec<WriteId>,
    /// Intended start of each. For rows of a sample that were written before the run: its start.
    pub intended: Vec<SimTime>,
    /// All records, one after another.
    pub records: Vec<i64>,
}

impl OperationBatch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of operations.
    #[inline]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// No operations.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Forgets all operations, keeps the memory.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.indices.clear();
        self.writes.clear();
        self.intended.clear();
        self.records.clear();
    }

    /// The record of the `at`-th operation, of `width` slots.
    #[inline]
    pub fn record(&self, at: usize, width: usize) -> &[i64] {
        &self.records[at * width..][..width]
    }

    /// Appends an operation; its record is the caller's to append.
    #[inline]
    pub fn push(&mut self, operation: OperationId, intended: SimTime) {
        self.operations.push(operation.0);
        self.indices.push(operation.index());
        self.writes.push(operation.write());
        self.intended.push(intended);
    }

    /// Appends an operation; its record of `width` slots is the caller's to fill.
    pub(super) fn push_record(
        &mut self,
        operation: OperationId,
        intended: SimTime,
        width: usize,
    ) -> &mut [i64] {
        self.push(operation, intended);
        let start = self.records.len();
        self.records.resize(start + width, 0);
        &mut self.records[start..]
    }
}
