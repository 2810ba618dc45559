//! How many rows a read takes until it has enough. Must not know keys.

use super::access_plan::AccessPlan;
use super::requests::{Requests, Scratch};
use super::row_counts::RowCounts;
use crate::workload::{Condition, ReadTarget};

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
        let within_step = match &ordered.steps {
            Some(_) => self.rows_of_a_step(target, rows, &mut requests.scratch),
            None => 0.0,
        };
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

    /// Rows that share a step of the order with the target.
    fn rows_of_a_step(
        &self,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        scratch: &mut Scratch,
    ) -> f64 {
        let (Some(order), Some(steps)) = (
            self.question.order,
            self.ordered
                .as_ref()
                .and_then(|ordered| ordered.steps.as_ref()),
        ) else {
            return 0.0;
        };
        let Scratch {
            record,
            equal,
            between,
            grain,
            step,
            ..
        } = scratch;
        record.clear();
        record.extend_from_slice(target.record);
        let window = steps
            .grain
            .window(record, self.question.domain(order.field), grain);
        equal.clear();
        between.clear();
        let told = self.evidence.told.iter();
        equal.extend(told.map(|field| (*field, target.record[usize::from(field.0)])));
        between.push((order.field, window.start, window.end));
        let condition = Condition { equal, between };
        self.identity
            .rows(rows, condition, *step, target.record, target.at)
            / self.evidence.shared_by
    }
}
