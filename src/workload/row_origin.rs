//! Where rows come from: an `[existing]` table or a write. Must not draw anything.

use super::combinations::Combinations;
use super::row_history::RowHistory;
use super::{Drive, ImportRows, Workload, WriteId};
use crate::record::{FieldId, Schema};

/// One origin of rows, as laws.
#[derive(Debug, Clone)]
pub(super) struct RowOrigin {
    pub(super) history: RowHistory,
    /// Fields that all its rows share.
    pub(super) fixed: Vec<(FieldId, i64)>,
    /// Fields of which its rows hold every combination equally often; the others are drawn.
    pub(super) each: Vec<FieldId>,
    /// Number of combinations; 1 without `each`.
    pub(super) combinations: f64,
    /// What the sequence fields of its row 0 count.
    pub(super) sequence: u64,
}

impl RowOrigin {
    /// All origins of a workload: the existing tables in their order, then the writes in theirs.
    pub(super) fn all(workload: &Workload, schema: &Schema) -> Vec<Self> {
        let each_of = |rows: &ImportRows| match rows {
            ImportRows::Each { each, .. } => each.clone(),
            ImportRows::Drawn { .. } => Vec::new(),
        };
        let origin = |history, fixed: &[(FieldId, i64)], each: Vec<FieldId>, sequence| Self {
            history,
            combinations: Combinations::new(&each, schema).count() as f64,
            // What is fixed is not combined.
            fixed: fixed
                .iter()
                .filter(|(field, _)| !each.contains(field))
                .copied()
                .collect(),
            each,
            sequence,
        };
        let existing = workload.existing.iter().map(|existing| {
            let phase = workload.beat_phase(&existing.name);
            let history = RowHistory::of_existing(&existing.rows, phase, schema);
            origin(history, &existing.with, each_of(&existing.rows), 0)
        });
        let writes = workload.writes.iter().enumerate().map(|(at, write)| {
            let each = match (&write.drive, write.drive.import()) {
                (Drive::Beat(beat), _) => beat.each.clone(),
                (_, import) => import.map_or_else(Vec::new, |import| each_of(&import.rows)),
            };
            let history = RowHistory::of_write(workload, write, schema);
            let sequence = workload.existing_rows_of(WriteId(at as u8), schema);
            origin(history, &write.with, each, sequence)
        });
        existing.chain(writes).collect()
    }

    /// The slot that all rows have of a field, if they share it.
    #[inline]
    pub(super) fn fixed_slot(&self, field: FieldId) -> Option<i64> {
        // Of two for one field the latter holds.
        let fixed = self.fixed.iter().rev().find(|(id, _)| *id == field);
        fixed.map(|(_, slot)| *slot)
    }
}
