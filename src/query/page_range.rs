//! From which value of the page's field to which a read by its order goes, and what lies there. Must not know keys.

use super::question::{Counted, Order};
use super::requests::Scratch;
use super::row_identity::RowIdentity;
use super::serve::{Page, Read};
use crate::record::FieldId;
use crate::statistics::met_by_just;
use crate::workload::RowCounts;
use std::ops::Range;

impl<R: RowCounts> Read<'_, R> {
    /// The value of the page's field by which, in the page's order, so many records have come: rows, or cells where a qualifier tells them apart.
    /// The last value where there are fewer.
    pub(super) fn value_before(&mut self, order: Order, records: f64) -> i64 {
        let range = self.range_of(order.field);
        let wanted = |read: &mut Self| read.wanted(Counted::Cells).0;
        self.value_from(range, order, records, wanted)
    }

    /// The range that is known of a field, or its domain.
    fn range_of(&self, field: FieldId) -> Range<i64> {
        let own = self.scratch.bands.of(field);
        own.unwrap_or_else(|| self.plan.question.domain(field))
    }

    /// The same of records within a range of the field, as `count` says how many there are of the range that is known.
    fn value_from(
        &mut self,
        range: Range<i64>,
        order: Order,
        records: f64,
        count: impl Fn(&mut Self) -> f64,
    ) -> i64 {
        let own = self.scratch.bands.of(order.field);
        // The nearest value by which enough rows have come: `far` is known to do, `near` not to; and how many are too many there.
        let (mut near, mut far) = match order.falling {
            true => (range.start.saturating_sub(1), range.end - 1),
            false => (range.end, range.start),
        };
        let mut surplus = |value: i64| {
            // The rows before a value in the page's order, that of the value included.
            let before = match order.falling {
                true => range.start..value.saturating_add(1),
                false => value..range.end,
            };
            self.scratch.bands.set(order.field, Some(before));
            count(self) - records
        };
        let (mut of_near, mut of_far) = (-records, surplus(far));
        let mut halves = false;
        while of_far >= 0.0 && near.abs_diff(far) > 1 {
            // Most fields have about as many rows everywhere: a straight line finds the value, but where it has not halved the stretch.
            let stretch = near.abs_diff(far);
            let line = (stretch as f64 * of_near / (of_near - of_far)).ceil() as u64;
            let step = if halves { stretch / 2 } else { line };
            let step = step.clamp(1, stretch - 1);
            let middle = match near < far {
                true => near.saturating_add_unsigned(step),
                false => near.saturating_sub_unsigned(step),
            };
            let of_middle = surplus(middle);
            match of_middle >= 0.0 {
                true => (far, of_far) = (middle, of_middle),
                false => (near, of_near) = (middle, of_middle),
            }
            halves = near.abs_diff(far) > stretch / 2;
        }
        self.scratch.bands.set(order.field, own);
        far
    }

    /// The page of a read that has one; without, all of the rows that are `wanted`.
    pub(super) fn page(&mut self, wanted: f64) -> Page {
        let question = &self.plan.question;
        let order = question.order.filter(|_| question.by_index.is_none());
        let Some(order) = order else {
            return Page {
                skipped: 0.0,
                size: wanted,
                cells: None,
            };
        };
        let (skipped, size) = (order.skipped as f64, order.rows as f64);
        let is_of_cells = |cells: &RowIdentity| cells.tells(order.field);
        if !question.cell_identity.as_ref().is_some_and(is_of_cells) {
            return Page {
                skipped,
                size,
                cells: None,
            };
        }
        let all = self.wanted(Counted::Cells).0;
        let own = self.scratch.bands.of(order.field);
        let domain = question.domain(order.field);
        let range = own.clone().unwrap_or_else(|| domain.clone());
        // From the page's first value to its last one, in ascending order.
        let last = self.value_before(order, skipped + size);
        let first = match (order.skipped, order.falling) {
            (0, true) => range.start,
            (0, false) => range.end - 1,
            _ => self.value_before(order, skipped),
        };
        let of_page = first.min(last)..first.max(last) + 1;
        let with_skipped = match order.falling {
            true => range.start..of_page.end,
            false => of_page.start..range.end,
        };
        let (rows, target) = (self.rows, self.target);
        let is_chance = rows.certainty(self.known(), target.record, target.at) < 1.0;
        let mut rows_in = |between: &Range<i64>, cells: f64| {
            self.scratch.bands.set(order.field, Some(between.clone()));
            let rows = self.wanted(Counted::Rows).0;
            // Where there are more cells than are asked for, these are a number that is known, whatever chance brings in their time: of one row they meet it.
            match is_chance && skipped + size < all {
                true => met_by_just(cells, rows),
                false => rows,
            }
        };
        // A row may hold cells of both.
        let size_rows = rows_in(&of_page, size);
        let all_rows = rows_in(&with_skipped, skipped + size);
        self.scratch.bands.set(order.field, own);
        let number = self.law_of(all, skipped + size);
        Page {
            skipped: (all_rows - size_rows).max(0.0),
            size: size_rows,
            cells: Some([all, number.of_page(skipped, size)]),
        }
    }

    /// From the first value of the page's order, or the cursor's, to the one by which each scan has enough; whole steps of the field where rows lie in steps.
    fn reach(&mut self, order: Order, scans: f64) -> Range<i64> {
        let range = self.range_of(order.field);
        let [skipped, size] = [order.skipped, order.rows].map(|records| records as f64);
        let is_behind = order.by_cursor && order.skipped > 0 && !self.is_in_steps(order.field);
        let (first, last) = match is_behind {
            true => (self.value_before(order, skipped), skipped + scans * size),
            false => {
                let passed = if order.by_cursor { 0.0 } else { skipped };
                let first = if order.falling {
                    range.start
                } else {
                    range.end - 1
                };
                (first, scans * (passed + size))
            }
        };
        let last = self.value_before(order, last);
        let reach = first.min(last)..first.max(last) + 1;
        let step = self.plan.ordered.as_ref().and_then(|it| it.step.as_ref());
        let Some(steps) = step else { return reach };
        let Scratch { record, grain, .. } = &mut *self.scratch;
        let domain = self.plan.question.domain(order.field);
        let whole = steps.covering(reach, record, domain, grain);
        whole.start.max(range.start)..whole.end.min(range.end)
    }

    /// In what each scan reads until it has enough: wanted rows, all rows, and cells that are read of each. Of scans of a step of the field each it is that of a step in the middle,
    /// which is a whole one.
    pub(super) fn in_reach(&mut self, order: Order) -> [f64; 3] {
        let (plan, field) = (self.plan, order.field);
        let own = self.scratch.bands.of(field);
        let range = self.range_of(field);
        let Scratch {
            record,
            grain,
            bands,
            ..
        } = &mut *self.scratch;
        let own_slot = record[usize::from(field.0)];
        let mut steps = plan.evidence.steps.iter();
        let in_all = steps.find(|it| it.0 == field).map(|(_, steps)| {
            let domain = plan.question.domain(field);
            let all = steps.covering(range.clone(), record, domain.clone(), grain);
            record[usize::from(field.0)] = i64::midpoint(range.start, range.end - 1);
            let step = steps.window(record, domain, grain);
            let [all, one] = [&all, &step].map(|it| it.end.abs_diff(it.start) as f64);
            bands.set(field, Some(step));
            (all / one).round()
        });
        let scans = (self.scans() / in_all.unwrap_or(1.0)).max(1.0);
        let reach = self.reach(order, scans);
        self.scratch.bands.set(field, Some(reach.clone()));
        let wanted = self.wanted(Counted::Rows).0;
        let [mut met, mut cells] = [1.0, self.requests.row_cells];
        if let Some(of_cells) = &plan.cells {
            let only = Some((field, reach));
            met = self.number_of(Counted::Rows, &plan.evidence, only.clone());
            cells = self.number_of(Counted::Cells, of_cells, only) / met.max(f64::MIN_POSITIVE);
        }
        self.scratch.bands.set(field, own);
        self.scratch.record[usize::from(field.0)] = own_slot;
        [wanted / scans, met, cells]
    }

    /// Which parts of the rows that scans hold lie before the range that is known of the field of their order, in that order, and within it: all of them within where the
    /// scans are bounded by it. Behind it nobody reads on.
    pub(super) fn parts_by_range(&mut self, order: Order) -> [f64; 2] {
        let (plan, field) = (self.plan, order.field);
        let is_bounded = matches!(plan.evidence.range, Some((range, None)) if range == field);
        let range = self.scratch.bands.of(field);
        let Some(range) = range.filter(|_| !is_bounded && !self.is_in_steps(field)) else {
            return [0.0, 1.0];
        };
        let domain = plan.question.domain(field);
        let until = match order.falling {
            true => domain.start..range.end,
            false => range.start..domain.end,
        };
        let all = self.rows_of(&plan.evidence);
        if all <= 0.0 {
            return [0.0, 1.0];
        }
        // A row may hold cells of both.
        let [until, within] = [until, range]
            .map(|part| self.number_of(Counted::Rows, &plan.evidence, Some((field, part))) / all);
        [(until - within).max(0.0), within]
    }

    /// Scans that find any of what is wanted.
    fn scans(&self) -> f64 {
        let scans = self.requests.scans.iter();
        scans.filter(|scan| scan.rows_read > 0.0).count().max(1) as f64
    }

    /// Each scan is of a step of the field.
    fn is_in_steps(&self, field: FieldId) -> bool {
        let mut steps = self.plan.evidence.steps.iter();
        steps.any(|it| it.0 == field)
    }

    /// How many times as many rows or cells there are for each wanted one among those that the combination's scan meets until it has enough as among all of its own: kinds of
    /// rows that have histories of their own, or are kept for so long each, are mixed otherwise in the newest part, and scans of few rows reach further back.
    pub(super) fn mix_of_scan(&mut self) -> f64 {
        let (plan, question) = (self.plan, &self.plan.question);
        let Some(order) = question.order.filter(|it| !self.is_in_steps(it.field)) else {
            return 1.0;
        };
        let is_of_cells = |cells: &RowIdentity| cells.tells(order.field);
        let (of, evidence) = match &plan.cells {
            Some(cells) if question.cell_identity.as_ref().is_some_and(is_of_cells) => {
                (Counted::Cells, cells)
            }
            _ => (Counted::Rows, &plan.evidence),
        };
        let field = usize::from(order.field.0);
        let own = self.scratch.bands.of(order.field);
        let all = self.range_of(order.field);
        let skipped = if order.by_cursor { 0 } else { order.skipped };
        let (from, asked) = match self.scratch.cursor.get(field) {
            Some(cursor) if order.falling => (*cursor..all.end, order.rows),
            Some(cursor) => (all.start..cursor.saturating_add(1), order.rows),
            None => (all.clone(), order.rows + skipped),
        };
        let shared_by = evidence.shared_by;
        let count = |read: &mut Self| read.count_of_scan(of) / shared_by;
        let last = self.value_from(from.clone(), order, asked as f64, count);
        let met = match order.falling {
            true => from.start..last.saturating_add(1),
            false => last..from.end,
        };
        // The target is a wanted one wherever it lies, and says nothing of the others.
        let is_own = self.scratch.record == self.target.record;
        let slot = self.target.record[field];
        let [met, all] = [met, all].map(|range| {
            let target = f64::from(u8::from(is_own && range.contains(&slot))) / shared_by;
            self.scratch.bands.set(order.field, Some(range.clone()));
            let wanted = count(self);
            let rows = self.number_of(of, evidence, Some((order.field, range)));
            (rows - target) / (wanted - target)
        });
        self.scratch.bands.set(order.field, own);
        let mix = met / all;
        if mix.is_finite() && mix > 0.0 {
            mix
        } else {
            1.0
        }
    }
}
