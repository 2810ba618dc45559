//! How many rows a read takes until it has enough. Must not know keys.

use super::access_plan::AccessPlan;
use super::requests::Requests;
use super::row_counts::RowCounts;
use crate::workload::ReadTarget;

impl AccessPlan {
    /// Rows read until there are enough, and rows that are returned.
    pub(super) fn limit(
        &self,
        wanted: f64,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        requests: &mut Requests,
    ) {
        let found = if requests.scans.is_empty() {
            wanted.min(requests.gets_found)
        } else {
            wanted
        };
        if self.question.by_index.is_some() {
            requests.rows_returned = requests.gets_found;
            return;
        }
        let Some(order) = self.question.order else {
            requests.rows_returned = found;
            return;
        };
        let (skipped, size) = (order.skipped as f64, order.rows as f64);
        requests.rows_returned = (found - skipped).clamp(0.0, size);
        let Some(ordered) = &self.ordered else {
            return;
        };
        let behind: f64 = requests.scans.iter().map(|scan| scan.rows).sum();
        let total = behind + requests.scratch.passed_rows;
        let enough = if order.by_cursor {
            size
        } else {
            size + skipped
        };
        let within_step = ordered.steps.as_ref().map_or(0.0, |steps| {
            let scratch = &mut requests.scratch;
            scratch.record.clear();
            scratch.record.extend_from_slice(target.record);
            steps.evidence.rows(self.of_rows(), rows, target, scratch)
        });
        // Of the rows that are read, these are wanted.
        let share = if total > 0.0 {
            (wanted / total).min(1.0)
        } else {
            1.0
        };
        // Rows of the pages before are passed by a cursor: whole scans, and of the others an equal part.
        let passed = if order.by_cursor && share > 0.0 && behind > 0.0 {
            ((skipped / share - requests.scratch.passed_rows) / behind).clamp(0.0, 1.0)
        } else {
            0.0
        };
        for scan in &mut requests.scans {
            scan.rows *= 1.0 - passed;
            let needed = if share > 0.0 {
                enough / share + within_step
            } else {
                scan.rows
            };
            scan.rows_read = scan.rows.min(needed);
        }
    }
}
