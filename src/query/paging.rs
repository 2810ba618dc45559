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
    /// Cuts the range of the combination's scan down to what lies behind the cursor; `false` when nothing does.
    pub(super) fn is_behind_cursor(&mut self) -> bool {
        let plan = self.plan;
        let Scratch {
            record: own,
            choice,
            bands,
            low,
            high,
            stop,
            cursor,
            cursor_write,
            cursor_record: record,
            cursor_key: key,
            ..
        } = &mut *self.scratch;
        let Some(order) = plan.question.order.filter(|_| !cursor.is_empty()) else {
            return true;
        };
        let value = cursor[usize::from(order.field.0)];
        // Where combinations divide the values of the page's field, most lie on one side of the cursor as a whole.
        if let Some(range) = bands.of(order.field) {
            let (later, earlier) = (value < range.start, value >= range.end);
            if later || earlier {
                return later == order.falling;
            }
        }
        record.clone_from(own);
        for field in plan.key.fields() {
            let mut dimensions = plan.dimensions.iter();
            if field == order.field || !dimensions.any(|dimension| dimension.binds(field)) {
                let slot = usize::from(field.0);
                record[slot] = cursor[slot];
            }
        }
        let mut row = plan.row(record, self.target);
        if let Some(write) = cursor_write {
            (row.index, row.draws) = (write.index, write.draws);
        }
        let steps = plan.ordered.as_ref().and_then(|order| order.steps.as_ref());
        let segments = steps.map_or(plan.key.segments().len(), |steps| steps.segments);
        key.clear();
        plan.write_prefix(segments, choice, &row, key);
        match (steps, plan.reversed()) {
            // Within a step rows lie in any order: all of the cursor's step is read again.
            (Some(_), true) => {
                high.clear();
                RowKey::write_after_prefix(key, high);
                if !high.is_empty() && (stop.is_empty() || *high < *stop) {
                    stop.clone_from(high);
                }
            }
            (Some(_), false) if *key > *low => low.clone_from(key),
            (Some(_), false) => {}
            (None, true) => {
                let inside = stop.is_empty() || *key < *stop;
                if inside {
                    stop.clone_from(key);
                }
                return !inside || *key > *low;
            }
            (None, false) if *key < *low => return true,
            (None, false) => {
                // The key that follows.
                low.clone_from(key);
                low.push(0);
            }
        }
        stop.is_empty() || *low < *stop
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
