//! A scan of just the rows that are wanted, in fewer steps than any other. Must not know regions.

use super::access_plan::AccessPlan;
use super::requests::{Requests, ScanRequest, Scratch};
use crate::keyspace::RowKey;
use crate::workload::{Condition, ReadTarget, RowCounts};

impl AccessPlan {
    /// How many rows share the beginning of the key, which are all that is wanted; `None` where the read is no such scan.
    /// Only the scratch space of `requests` is used.
    pub fn rows_of_scan(
        &self,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        requests: &mut Requests,
    ) -> Option<f64> {
        if !self.is_exact_scan || self.longer.is_some() {
            return None;
        }
        let Scratch {
            record,
            grain,
            equal,
            ..
        } = &mut **requests.scratch.get_or_insert_default();
        let question = &*self.question;
        record.clear();
        record.extend_from_slice(target.record);
        let step = question.identity.step(record, grain);
        equal.clear();
        let known = question.known.stored().iter();
        equal.extend(known.map(|field| (*field, target.record[usize::from(field.0)])));
        let condition = Condition::of(equal, &[]);
        let identity = &question.identity;
        Some(identity.rows(rows, condition, step, target.record, target.at))
    }

    /// Asks for the rows that [`AccessPlan::rows_of_scan`] has `found`: as any scan, in fewer steps.
    pub fn scan(
        &self,
        beginning: Option<&[u8]>,
        target: &ReadTarget<'_>,
        found: f64,
        requests: &mut Requests,
    ) {
        let question = &*self.question;
        requests.clear();
        requests.starts.push_with(|out| match beginning {
            Some(beginning) => out.extend_from_slice(beginning),
            None => {
                let segments = self.way.segments(&question.key);
                self.write_segments(0..segments, &[], &self.row(target.record, target), out);
            }
        });
        let start = requests.starts.get(0);
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
