//! A scan of just the rows that are wanted, in fewer steps than any other. Must not know regions.

use super::access_plan::AccessPlan;
use super::requests::{Requests, ScanRequest, Scratch};
use crate::keyspace::RowKey;
use crate::workload::{Condition, ReadTarget, RowCounts};

impl AccessPlan {
    /// Asks for the rows that share the beginning of the key, which are all that is wanted ([`AccessPlan::is_exact_scan`]): as any scan, in fewer steps.
    pub(super) fn scan_exactly(
        &self,
        beginning: Option<&[u8]>,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        scratch: &mut Scratch,
        requests: &mut Requests,
    ) {
        let Scratch {
            record,
            grain,
            equal,
            low,
            ..
        } = scratch;
        let (question, key) = (&*self.question, &self.question.key);
        record.clear();
        record.extend_from_slice(target.record);
        let step = question.identity.step(record, grain);
        equal.clear();
        let known = question.known.stored().iter();
        equal.extend(known.map(|field| (*field, target.record[usize::from(field.0)])));
        let condition = Condition::of(equal, &[]);
        let identity = &question.identity;
        let found = identity.rows(rows, condition, step, target.record, target.at);
        let start = beginning.unwrap_or_else(|| {
            low.clear();
            self.write_segments(
                0..self.way.segments(key),
                &[],
                &self.row(record, target),
                low,
            );
            low
        });
        requests.starts.push(start);
        requests
            .stops
            .push_with(|out| RowKey::write_after_prefix(start, out));
        requests.scans.push(ScanRequest {
            rows: found,
            rows_read: found,
            reversed: self.reversed(),
        });
        requests.rows_returned = found;
        requests.row_cells = question.cells_of_a_write;
        requests.cells_returned = found * question.cells_of_a_write;
    }
}
