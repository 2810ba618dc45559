//! Where a page begins: behind a cursor, or at the rows that an index names. Must not know how many rows are read.

use super::access_plan::AccessPlan;
use super::requests::Scratch;
use super::row_counts::RowCounts;
use super::serve::Read;
use crate::key::Row;
use crate::keyspace::RowKey;
use crate::workload::ReadTarget;

impl AccessPlan {
    /// Puts the last row before the page into `scratch`; none where nothing lies before it, or where all rows are read and sorted anyway.
    ///
    /// Where that row is not known (a table too large for listing its rows), its place is: the target's record with the value of the page's field
    /// at which as many rows are expected before the page as it skips. No row need have that key, but a page behind the next one
    /// that does begins at most a row later.
    pub(super) fn find_cursor(
        &self,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        scratch: &mut Scratch,
    ) {
        scratch.cursor.clear();
        scratch.cursor_write = None;
        scratch.passed_rows = 0.0;
        let Some(order) = self.question.order.filter(|order| order.by_cursor) else {
            return;
        };
        if order.skipped == 0 || self.ordered.is_none() {
            return;
        }
        if target.page.exact {
            if let Some(write) = target.page.writes.first() {
                scratch.cursor.extend_from_slice(target.page.record(0));
                scratch.cursor_write = Some(*write);
            }
            return;
        }
        let domain = self.question.domain(order.field);
        let own = scratch.bands.of(order.field);
        let range = own.clone().unwrap_or(domain);
        // The rows before a value in the page's order, that of the value included.
        let before = |value: i64, scratch: &mut Scratch| {
            let first = if order.falling {
                range.start..value.saturating_add(1)
            } else {
                value..range.end
            };
            scratch.bands.set(order.field, first);
            self.wanted(target, rows, scratch).0
        };
        // The nearest value by which enough rows have come: `far` is known to do, `near` not to.
        let (mut near, mut far) = if order.falling {
            (range.start.saturating_sub(1), range.end - 1)
        } else {
            (range.end, range.start)
        };
        while near.abs_diff(far) > 1 {
            let middle = near.midpoint(far);
            if before(middle, scratch) >= order.skipped as f64 {
                far = middle;
            } else {
                near = middle;
            }
        }
        match own {
            Some(own) => scratch.bands.set(order.field, own),
            None => scratch.bands.remove(order.field),
        }
        scratch.cursor.extend_from_slice(target.record);
        scratch.cursor[usize::from(order.field.0)] = far;
    }
}

impl<R: RowCounts> Read<'_, R> {
    /// Cuts a scan's range down to what lies behind the cursor; `false` when nothing does.
    pub(super) fn is_behind_cursor(&mut self, low: &mut Vec<u8>, stop: &mut Vec<u8>) -> bool {
        let plan = self.plan;
        let Some(order) = plan
            .question
            .order
            .filter(|_| !self.scratch.cursor.is_empty())
        else {
            return true;
        };
        let slot = usize::from(order.field.0);
        let value = self.scratch.cursor[slot];
        // Where combinations divide the values of the page's field, most lie on one side of the cursor as a whole.
        if let Some(range) = self.scratch.bands.of(order.field) {
            let (later, earlier) = (value < range.start, value >= range.end);
            if later || earlier {
                return later == order.falling;
            }
        }
        let mut record = std::mem::take(&mut self.scratch.cursor_record);
        record.clear();
        record.extend_from_slice(&self.scratch.record);
        for field in plan.key.fields() {
            let bound = plan
                .dimensions
                .iter()
                .any(|dimension| dimension.binds(field));
            if field == order.field || !bound {
                let slot = usize::from(field.0);
                record[slot] = self.scratch.cursor[slot];
            }
        }
        let own = plan.row(&record, self.target);
        let row = match self.scratch.cursor_write {
            Some(write) => Row {
                index: write.index,
                draws: write.draws,
                ..own
            },
            None => own,
        };
        let mut key = std::mem::take(&mut self.scratch.cursor_key);
        key.clear();
        let steps = plan.ordered.as_ref().and_then(|order| order.steps.as_ref());
        let reached = if let Some(steps) = steps {
            // Within a step rows lie in any order: all of the cursor's step is read again.
            self.write_prefix(steps.segments, &row, &mut key);
            if plan.reversed() {
                let mut end = std::mem::take(&mut self.scratch.high);
                end.clear();
                RowKey::write_after_prefix(&key, &mut end);
                if !end.is_empty() && (stop.is_empty() || end < *stop) {
                    stop.clone_from(&end);
                }
                self.scratch.high = end;
            } else if key > *low {
                low.clone_from(&key);
            }
            stop.is_empty() || low < stop
        } else if plan.reversed() {
            self.write_prefix(plan.key.segments().len(), &row, &mut key);
            let inside = stop.is_empty() || key < *stop;
            if inside {
                stop.clone_from(&key);
            }
            !inside || key > *low
        } else {
            self.write_prefix(plan.key.segments().len(), &row, &mut key);
            let passed = key >= *low;
            if passed {
                // The key that follows.
                low.clone_from(&key);
                low.push(0);
            }
            !passed || stop.is_empty() || low < stop
        };
        self.scratch.cursor_record = record;
        self.scratch.cursor_key = key;
        reached
    }

    /// Gets of the rows that an index outside names. Of a table whose page is not known exactly it names as many as are `wanted`.
    pub(super) fn named_by_index(&mut self, wanted: f64) {
        let page = self.target.page;
        let named = match page.exact {
            true => page.writes.len(),
            false => page.writes.len().min(wanted.round().max(1.0) as usize),
        };
        for (at, write) in page.writes[..named].iter().enumerate() {
            let row = Row {
                record: page.record(at),
                index: write.index,
                draws: write.draws,
            };
            self.requests
                .gets
                .push_with(|out| self.plan.key.write(&row, out));
        }
        self.requests.gets_found = named as f64;
    }
}
