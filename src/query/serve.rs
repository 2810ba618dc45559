//! The requests of one read: keys, ranges and numbers of rows, where a page begins, and how many rows are read until it has enough. Must
//! not know regions.

use super::access_plan::AccessPlan;
use super::candidates::{Dimension, FieldValues, Stop};
use super::enough_rows::{PASSED_OVER, turns_until};
use super::question::{Bands, Counted};
use super::requests::{Alike, Counts, Requests, ScanRequest, Scratch};
use crate::key::Row;
use crate::keyspace::RowKey;
use crate::record::FieldId;
use crate::time::SimTime;
use crate::workload::{Condition, ReadTarget, RowCounts, RowEquality};
use std::ops::Range;

/// Scans of one read whose rows are looked at one by one; of more, those behind them are taken to be like the last (estimate: a millisecond).
const MOST_LOOKED_AT: usize = 64;

/// Rows that are drawn scatter about their mean by its root: hardly ever are there fewer than this many roots below it.
const MANY_SPREADS: f64 = 5.0;

/// Rows whose number is of no account.
struct Uncounted;

impl RowCounts for Uncounted {
    fn distinct(&self, _: Condition<'_>, _: RowEquality<'_>, _: &[i64], _: SimTime) -> f64 {
        1.0
    }
}

impl AccessPlan {
    /// Writes what one read asks for to `requests`, which is cleared first. Allocates nothing when warm.
    pub fn requests(
        &self,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        requests: &mut Requests,
    ) {
        self.requests_from(None, target, rows, requests);
    }

    /// The same of Gets of which only the keys are asked for: rows are counted where an index names as many as are wanted.
    pub fn keys(&self, target: &ReadTarget<'_>, rows: &impl RowCounts, requests: &mut Requests) {
        match self.question.by_index {
            Some(_) => self.requests(target, rows, requests),
            None => self.requests(target, &Uncounted, requests),
        }
    }

    /// The same, where the beginning of the key has been written ([`AccessPlan::write_beginnings`]).
    pub fn requests_from(
        &self,
        beginning: Option<&[u8]>,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        requests: &mut Requests,
    ) {
        if self.own_row {
            let row = self.row(target.record, target);
            return self.find(requests, |out| self.question.key.write(&row, out));
        }
        if let Some(found) = self.rows_of_scan(target, rows, requests) {
            return self.scan(beginning, target, found, requests);
        }
        requests.clear();
        let mut scratch = requests.scratch.take().unwrap_or_default();
        scratch.counts.iter_mut().for_each(Counts::forget);
        scratch.counted = [0.0; 2];
        scratch.mixes.clear();
        scratch.shared_parts.clear();
        scratch.record.clear();
        scratch.record.extend_from_slice(target.record);
        scratch.choice.clear();
        scratch.choice.resize(self.way.dimensions.len(), 0);
        let Scratch {
            record,
            grain,
            bands,
            asked,
            ..
        } = &mut *scratch;
        self.question.resolve(target, record, grain, bands);
        asked.0.clone_from(&bands.0);
        let own = self.question.identity.step(record, grain);
        let of_cell = self.question.cell_identity.as_ref();
        let of_cell = of_cell.map(|cells| cells.step(record, grain));
        scratch.steps = [own, of_cell.unwrap_or(own)];
        let mut read = Read {
            plan: self,
            beginning,
            target,
            rows,
            scratch,
            requests,
        };
        let (wanted, stored) = read.wanted(Counted::Rows);
        read.requests.copies = match wanted > 0.0 {
            true => (stored / wanted).max(1.0),
            false => 1.0,
        };
        read.find_cursor();
        let by_index = self.question.by_index.is_some();
        if by_index {
            read.named_by_index(wanted);
        } else {
            read.combine(0);
            let scratch = &mut *read.scratch;
            let (records, operations) = (&mut scratch.records, &mut scratch.operations);
            let (key, gets) = (&self.question.key, &mut read.requests.gets);
            key.write_beginnings(key.segments().len(), records, operations, gets);
            records.clear();
            operations.clear();
        }
        // An index that names rows drawn at random may name one twice.
        if self.may_repeat || by_index && !target.page.exact {
            let mut given = self.way.dimensions.iter();
            let is_drawn = |of: &_| matches!(of, Dimension::Segment(at, _) if !self.way.hides(*at));
            let is_shared = !self.evidence.shared.is_empty() || given.any(is_drawn);
            let alike = Alike {
                have_longer: self.longer.is_some(),
                is_shared,
                may_touch: self.ordered.is_none() && matches!(self.way.stop, Stop::Range { .. }),
            };
            read.requests.merge(alike, &mut read.scratch);
        }
        let page = read.page(wanted);
        read.requests.row_cells = read.cells_of_row();
        read.limit(wanted, &page);
        read.count_cells(&page);
        let scratch = read.scratch;
        requests.scratch = Some(scratch);
    }
}

/// What a reader of some of the rows, by their order, passes and gets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    /// Rows that hold what is skipped and nothing of what is returned.
    pub skipped: f64,
    /// Rows that hold what is returned.
    pub size: f64,
    /// Of rows that have several cells by the order: how many of these are wanted, and how many of them are returned.
    pub cells: Option<[f64; 2]>,
}

/// One read being worked out.
pub(super) struct Read<'a, R> {
    pub(super) plan: &'a AccessPlan,
    beginning: Option<&'a [u8]>,
    pub(super) target: &'a ReadTarget<'a>,
    pub(super) rows: &'a R,
    pub(super) scratch: Box<Scratch>,
    pub(super) requests: &'a mut Requests,
}

impl<R: RowCounts> Read<'_, R> {
    /// Puts the last row before the page into the scratch space; none where nothing lies before it, or where all rows are read and sorted
    /// anyway.
    ///
    /// Where that row is not known (a table too large for listing its rows), its place is: the target's record with the value of the page's field
    /// at which as many rows are expected before the page as it skips. No row need have that key, but a page behind the next one
    /// that does begins at most a row later.
    fn find_cursor(&mut self) {
        let (plan, page) = (self.plan, self.target.page);
        self.scratch.cursor.clear();
        self.scratch.cursor_write = None;
        self.scratch.passed_rows = 0.0;
        self.scratch.longer = [0.0; 2];
        let Some(order) = plan.question.order.filter(|order| order.by_cursor) else {
            return;
        };
        if order.skipped == 0 || plan.ordered.is_none() {
            return;
        }
        if page.exact {
            if let Some(write) = page.writes.first() {
                self.scratch.cursor.extend_from_slice(page.record(0));
                self.scratch.cursor_write = Some(*write);
            }
            return;
        }
        let value = self.value_before(order, order.skipped as f64);
        self.scratch.cursor.extend_from_slice(self.target.record);
        self.scratch.cursor[usize::from(order.field.0)] = value;
    }

    /// Goes through the values of a dimension, and of all that follow.
    fn combine(&mut self, dimension: usize) {
        let (plan, target) = (self.plan, self.target);
        let (field, values) = match plan.way.dimensions.get(dimension) {
            None => return self.request(),
            Some(Dimension::Segment(_, values)) => {
                for value in 0..values.len() {
                    self.scratch.choice[dimension] = value;
                    self.combine(dimension + 1);
                }
                return;
            }
            Some(Dimension::Field(field, values)) => (*field, values),
        };
        let own = self.scratch.bands.of(field);
        let range = match plan.question.has_band(field) {
            true => own.clone(),
            false => Some(plan.question.domain_at(field, target.at)),
        };
        match (values, range) {
            (FieldValues::List(list), _) => {
                let from: u32 = target.within_lens[..*list].iter().sum();
                let len = target.within_lens[*list] as usize;
                for value in &target.within[from as usize..][..len] {
                    self.with_slot(field, *value, dimension);
                }
            }
            (FieldValues::All(slots) | FieldValues::Classes(slots), _) => {
                for slot in slots {
                    self.with_slot(field, *slot, dimension);
                }
            }
            (FieldValues::Range | FieldValues::Steps(_), None) => {}
            (FieldValues::Range | FieldValues::Steps(_), Some(range)) => {
                let mut next = range.start;
                while next < range.end {
                    let first = next;
                    next = match values {
                        FieldValues::Steps(steps) => {
                            let Scratch { record, grain, .. } = &mut *self.scratch;
                            let domain = plan.question.domain(field);
                            steps.window_of(first, record, domain, grain).end
                        }
                        _ => first + 1,
                    };
                    let step = first..next.min(range.end);
                    self.scratch.bands.set(field, Some(step));
                    self.with_slot(field, first, dimension);
                }
                self.scratch.bands.set(field, own);
            }
        }
    }

    fn with_slot(&mut self, field: FieldId, value: i64, dimension: usize) {
        let slot = usize::from(field.0);
        let own = std::mem::replace(&mut self.scratch.record[slot], value);
        self.combine(dimension + 1);
        self.scratch.record[slot] = own;
    }

    /// The Get or scan of one combination.
    fn request(&mut self) {
        let (plan, key) = (self.plan, &self.plan.question.key);
        let segments = plan.way.segments(key);
        let Scratch {
            record,
            choice,
            low,
            records,
            operations,
            ..
        } = &mut *self.scratch;
        low.clear();
        match self.beginning {
            _ if plan.gets_together => {
                records.extend_from_slice(record);
                operations.push(self.target.operation.0);
            }
            Some(beginning) => low.extend_from_slice(beginning),
            None => plan.write_segments(0..segments, choice, &plan.row(record, self.target), low),
        }
        let rows = self.rows_of(&plan.evidence);
        let shared_rows = self.scratch.shared_rows;
        if let Some(cells) = &plan.cells {
            let [counted_rows, counted_cells] = self.scratch.counted;
            let cells = self.number_of(Counted::Cells, cells, None);
            let most = match plan.way.stop == Stop::Key {
                true => 1.0,
                false => f64::INFINITY,
            };
            self.scratch.counted = [counted_rows + rows.min(most), counted_cells + cells];
        }
        if plan.way.stop == Stop::Key {
            if !plan.gets_together {
                self.requests.gets.push(&self.scratch.low);
            }
            self.requests.gets_found += rows.min(1.0);
            return;
        }
        if self.is_behind_enough() {
            return;
        }
        let own = rows;
        let longer = self.rows_of_longer_values(segments);
        let rows = own + longer[0];
        let rows_read = match plan.ordered {
            // Until it is known how many are read: those that are wanted.
            Some(_) => {
                self.scratch.longer = longer;
                self.wanted_of_scan(own)
            }
            None => rows,
        };
        let Scratch {
            record,
            choice,
            bands,
            low,
            high,
            stop,
            ..
        } = &mut *self.scratch;
        high.clone_from(low);
        match plan.way.stop {
            Stop::Lead { segments, bytes } => {
                let prefix = low.len();
                key.write_segment(segments, &plan.row(record, self.target), low);
                low.truncate(prefix + bytes);
                high.clone_from(low);
            }
            Stop::HighDigit { segments } => {
                let row = plan.row(record, self.target);
                key.write_bound(segments, &row, false, low);
                key.write_bound(segments, &row, true, high);
            }
            Stop::Range {
                segments,
                field,
                bound,
            } => {
                if let Some(range) = bands.of(field) {
                    let mut ends = [range.start, range.end - 1];
                    if !bound.trend.rising {
                        ends.reverse();
                    }
                    let slot = usize::from(field.0);
                    let own = record[slot];
                    for (value, (greatest, out)) in
                        ends.into_iter().zip([(false, low), (true, &mut *high)])
                    {
                        record[slot] = value;
                        let row = plan.row(record, self.target);
                        let last = bound.end - 1;
                        plan.write_segments(segments..last, choice, &row, out);
                        let last_start = out.len();
                        match bound.open {
                            true => key.write_bound(last, &row, greatest, out),
                            false => plan.write_segments(last..bound.end, choice, &row, out),
                        }
                        out.truncate(bound.bytes.map_or(usize::MAX, |bytes| last_start + bytes));
                    }
                    record[slot] = own;
                }
            }
            Stop::Key | Stop::Prefix { .. } => {}
        }
        stop.clear();
        RowKey::write_after_prefix(high, stop);
        if !self.is_behind_cursor() {
            self.scratch.passed_rows += rows;
            return;
        }
        if plan.is_mixed {
            // Buckets have the same rows each.
            let last = self.scratch.mixes.last().copied();
            let is_alike = self.requests.scans.last().is_some_and(|it| it.rows == rows);
            let is_known = is_alike || self.scratch.mixes.len() >= MOST_LOOKED_AT;
            let mix = last.filter(|_| is_known);
            let mix = mix.unwrap_or_else(|| self.mix_of_scan());
            self.scratch.mixes.push(mix);
        }
        let shared = shared_rows / own.max(f64::MIN_POSITIVE);
        self.scratch.shared_parts.push(shared.min(1.0));
        self.requests.starts.push(&self.scratch.low);
        self.requests.stops.push(&self.scratch.stop);
        self.requests.scans.push(ScanRequest {
            rows,
            rows_read,
            reversed: plan.reversed(),
        });
    }

    /// Does the reader have all that it asks for before it comes to the run of values of the combination's scan ([`Dimension::Field`])? It asks for one run after the other
    /// where it orders by a field of which it knows no range.
    fn is_behind_enough(&mut self) -> bool {
        let plan = self.plan;
        let Some(order) = plan.question.order else {
            return false;
        };
        let is_run = matches!(plan.way.stop, Stop::Range { field, .. } if field == order.field);
        let run = self.scratch.bands.of(order.field);
        let run = run.filter(|_| is_run && !plan.question.has_band(order.field));
        let Some(run) = run else { return false };
        let domain = plan.question.domain_at(order.field, self.target.at);
        let before = match order.falling {
            true => domain.start..run.start,
            false => run.end..domain.end,
        };
        // Of rows that it filters both runs may have to be asked for.
        let is_plain = plan.question.bands.is_empty() && plan.question.derived.is_empty();
        if before.is_empty() || !(is_plain && plan.filters().is_empty()) {
            return false;
        }
        self.scratch.bands.set(order.field, Some(before));
        let rows = self.rows_of(&plan.evidence);
        self.scratch.bands.set(order.field, Some(run));
        rows - MANY_SPREADS * rows.sqrt() > (order.skipped + order.rows) as f64
    }

    /// Cuts the range of the combination's scan down to what lies behind the cursor; `false` when nothing does.
    fn is_behind_cursor(&mut self) -> bool {
        let (plan, whole_key) = (self.plan, &self.plan.question.key);
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
            let is_passed = later != order.falling;
            // Scans of steps that are only hashed hold rows of others, on the other side.
            let mut hashed = plan.evidence.hashed_steps.iter();
            let is_mixed = hashed.any(|it| it.0 == order.field);
            if (later || earlier) && (is_passed || !is_mixed) {
                return !is_passed;
            }
        }
        record.clone_from(own);
        for field in whole_key.fields() {
            if field == order.field || !plan.way.binds(field, |_| true) {
                let slot = usize::from(field.0);
                record[slot] = cursor[slot];
            }
        }
        let mut row = plan.row(record, self.target);
        if let Some(write) = cursor_write {
            (row.index, row.draws) = (write.index, write.draws);
        }
        let ordered = plan.ordered.as_ref();
        let segments = ordered.map_or(whole_key.segments().len(), |ordered| ordered.segments);
        let in_steps = ordered.is_some_and(|ordered| ordered.step.is_some());
        key.clear();
        // What the combination asks for has its own place behind the cursor.
        let asked = plan.way.segments(whole_key).min(segments);
        plan.write_segments(0..asked, choice, &plan.row(own, self.target), key);
        plan.write_segments(asked..segments, choice, &row, key);
        match (in_steps, plan.reversed()) {
            // Within a step rows lie in any order: all of the cursor's step is read again.
            (true, true) => {
                high.clear();
                RowKey::write_after_prefix(key, high);
                if !high.is_empty() && (stop.is_empty() || *high < *stop) {
                    stop.clone_from(high);
                }
            }
            (true, false) if *key > *low => low.clone_from(key),
            (true, false) => {}
            (false, true) => {
                let inside = stop.is_empty() || *key < *stop;
                if inside {
                    stop.clone_from(key);
                }
                return !inside || *key > *low;
            }
            (false, false) if *key < *low => return true,
            (false, false) => {
                // The key that follows.
                low.clone_from(key);
                low.push(0);
            }
        }
        stop.is_empty() || *low < *stop
    }

    /// Gets of the rows that an index outside names. Of a table whose page is not known exactly it names as many as are `wanted`.
    fn named_by_index(&mut self, wanted: f64) {
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
            let key = &self.plan.question.key;
            self.requests.gets.push_with(|out| key.write(&row, out));
        }
        self.requests.gets_found = named as f64;
    }

    /// Cells of each row that is read, where these are read whole.
    fn cells_of_row(&self) -> f64 {
        let [rows, cells] = self.scratch.counted;
        match self.plan.question.by_index.is_none() && rows > 0.0 {
            true => cells / rows,
            false => 1.0,
        }
    }

    /// Cells of the rows that are read, in all their versions, and of those that are returned.
    fn count_cells(&mut self, page: &Page) {
        let question = &self.plan.question;
        let versions = match question.versions {
            0 | 1 => 1.0,
            most => {
                let [part, kept] = self.versions_of_a_cell(most, false);
                kept / part.max(f64::MIN_POSITIVE)
            }
        };
        let of_write = versions * question.cells_of_a_write;
        // Scans that don't tell the kind of rows that the reader asks for read those of all kinds.
        let tells = |field: &FieldId| self.plan.evidence.told.contains(field);
        let of_each = match self.requests.scans.is_empty() {
            false if !question.fixed.iter().all(tells) => versions * question.cells_of_any,
            _ => of_write,
        };
        self.requests.row_cells *= of_each;
        self.requests.row_cells_passed *= of_each;
        let rows = self.requests.rows_returned;
        let returned = match page.cells {
            Some([_, returned]) => returned,
            None if question.cell_identity.is_none() || question.by_index.is_some() => rows,
            // A row has the cells of all values of a list that does not tell it.
            None => {
                let found = self.requests.rows_found.max(f64::MIN_POSITIVE);
                let part = question.order.map_or(1.0, |_| rows / found);
                self.wanted(Counted::Cells).0 * part
            }
        };
        self.requests.cells_returned = returned * of_write;
    }

    /// Of the cells with any write that satisfies what the reader knows, the part of which such a write is kept; and how many it gets of each of all of them, on
    /// average: the newest ones, so many at most, of those that are kept. Of what has been written since the end of the range of time as many are kept before. Of 0
    /// at most only the part is counted, and not even that where nothing can have been written since.
    fn versions_of_a_cell(&mut self, most: u32, is_current: bool) -> [f64; 2] {
        let (question, target) = (&self.plan.question, self.target);
        let cells = question.identity_of(Counted::Cells);
        // A newer write of any other value leaves nothing of the only version.
        let is_left = |field: &FieldId| question.kept == 1 && cells.may_change(*field);
        let Scratch {
            equal,
            bands,
            since,
            steps,
            ..
        } = &mut *self.scratch;
        let known = question.known.stored().iter().filter(|it| !is_left(it));
        equal.clear();
        equal.extend(known.map(|field| (*field, target.record[usize::from(field.0)])));
        let step = steps[Counted::Cells as usize];
        // A row is written no more when its step is over: the rest of the step in which the range ends.
        let later = question.written_since.and_then(|field| {
            let (range, times) = (bands.of(field)?, question.domain(field));
            let own = step.window().filter(|it| it.0 == field);
            let left = own.map_or(times.end, |(_, of)| {
                let length = (of.end - of.start).max(1);
                range.end - 1 + length - (range.end - 1 - of.start).rem_euclid(length)
            });
            let left = left.clamp(range.end, times.end.max(range.end));
            (left > range.end).then_some((field, range, left))
        });
        if most == 0 && later.is_none() {
            return [1.0, 0.0];
        }
        let count = |most: u32, between: &Bands| {
            let condition = Condition::of(equal, &between.0);
            let alike = cells.alike(self.rows, condition, (step, is_current));
            match most {
                0 => 0.0,
                1 => self
                    .rows
                    .distinct(condition, alike, target.record, target.at),
                _ => self
                    .rows
                    .kept(most, (condition, alike), target.record, target.at),
            }
        };
        let written = count(1, bands);
        let (mut kept, mut part) = (count(most.min(question.kept), bands), 1.0);
        if let Some((field, range, left)) = later {
            since.0.clone_from(&bands.0);
            let [[any, all, _], [any_later, later, fewer]] = [range.start, range.end].map(|from| {
                since.set(field, Some(from..left));
                [1, question.kept, question.kept - 1].map(|most| count(most, since))
            });
            kept = kept.min(all - later);
            // Cells that have been written again, and how many of these so often that nothing of before is left.
            let again = (written + any_later - any).max(0.0) / written;
            if any_later > 0.0 {
                part = (1.0 - again * (later - fewer) / any_later).clamp(0.0, 1.0);
            }
        }
        match written > 0.0 {
            true => [part, (kept / written).max(0.0)],
            false => [1.0, 0.0],
        }
    }

    /// Of rows or cells that were written in the range of time which the reader knows, the part of which a write of that time is kept: all where it does not end
    /// before the read, and of rows of many cells.
    pub(super) fn kept_of_range(&mut self, of: Counted) -> f64 {
        let question = &self.plan.question;
        let is_of_cells = of == Counted::Rows && question.cell_identity.is_some();
        match question.written_since.is_none() || is_of_cells {
            true => 1.0,
            false => self.versions_of_a_cell(0, true)[0],
        }
    }

    /// Rows read until there are enough, and rows that are returned.
    fn limit(&mut self, wanted: f64, page: &Page) {
        let (plan, passed_rows) = (self.plan, self.scratch.passed_rows);
        // Nobody gets more rows than there are.
        let of_scans = self.requests.scans.iter().map(|scan| scan.rows);
        let all = self.requests.gets_found + of_scans.sum::<f64>() + passed_rows;
        let wanted = wanted.min(all);
        if plan.question.by_index.is_some() {
            self.requests.rows_returned = self.requests.gets_found;
            return;
        }
        let Some(order) = plan.question.order else {
            self.requests.rows_returned = wanted;
            return;
        };
        self.requests.rows_found = wanted;
        let scans = self.requests.scans.len().max(1) as f64;
        let number = self.law_of(wanted, scans * (page.skipped + page.size));
        self.requests.rows_returned = number.of_page(page.skipped, page.size);
        let whole = self.requests.row_cells;
        // What each request asks for, and how many cells it reads for that of rows that have any, where a row's cells lie in the order wanted.
        let asked = (order.rows + if order.by_cursor { 0 } else { order.skipped }) as f64;
        let until = match page.cells {
            Some([all, _]) if plan.cells_in_order => {
                asked * whole * wanted.min(self.scratch.counted[0]) / all
            }
            _ => f64::INFINITY,
        };
        let Some(ordered) = &plan.ordered else {
            let part = (wanted / self.requests.rows_read()).min(1.0);
            let left = part * (whole - whole.min(until));
            self.requests.row_cells -= left;
            if !self.requests.scans.is_empty() {
                self.requests.row_cells_passed = left;
            }
            return;
        };
        // Rows of longer values lie before all others or behind them. Only one scan has any.
        let [longer, mut before] = self.scratch.longer;
        let [mut earlier, within] = self.parts_by_range(order);
        let of_scans = self.requests.scans.iter();
        let behind = within * of_scans.map(|scan| scan.rows - longer).sum::<f64>();
        let passed_rows = passed_rows * within;
        let total = behind + passed_rows;
        // Of the rows that are read, these are wanted.
        let share = match total > 0.0 {
            true => (wanted / total).min(1.0),
            false => 1.0,
        };
        // Rows of the pages before are passed by a cursor: whole scans, and of the others an equal part.
        let passed = match order.by_cursor && share > 0.0 && behind > 0.0 {
            true => ((page.skipped / share - passed_rows) / behind).clamp(0.0, 1.0),
            false => 0.0,
        };
        let [enough, met, of_first] = match ordered.step.is_some() || page.cells.is_some() {
            true => self.in_reach(order),
            false => [asked, asked, 1.0],
        };
        if order.by_cursor && order.skipped > 0 {
            (before, earlier) = (0.0, 0.0);
        }
        let turns = match ordered.step {
            None => self.turns(),
            Some(_) => None,
        };
        // Wanted ones may lie in some of the scans only, such as those of a kind that one host has.
        let of_scans: f64 = self.requests.scans.iter().map(|scan| scan.rows_read).sum();
        let mut cells = 0.0;
        let mixes = self.scratch.mixes.iter().copied();
        let mixes = mixes.chain(std::iter::repeat(1.0));
        for (scan, mix) in self.requests.scans.iter_mut().zip(mixes) {
            let part = scan.rows_read / of_scans * share * behind / wanted * (1.0 - passed);
            let rows = (scan.rows - longer) * within * (1.0 - passed);
            let before = before + (scan.rows - longer) * earlier;
            scan.rows *= 1.0 - passed;
            scan.rows_read = match part > 0.0 {
                true => {
                    // As if all were mixed as those that it meets are.
                    let rows = rows * mix;
                    let until = match ordered.step {
                        _ if page.cells.is_some() => met,
                        // Whole steps have been counted, in which rows come one like the other.
                        Some(_) => enough * rows / (wanted * part).min(rows),
                        None => match turns.map(|turns| turns * part) {
                            Some(turns) if turns > 1.0 - PASSED_OVER => {
                                turns_until(enough, rows, [turns, wanted * part])
                            }
                            _ => number.part(part).rows_until(enough, rows),
                        },
                    };
                    scan.rows.min(before + until)
                }
                false => scan.rows,
            };
            // Rows without any are read to their end.
            let [of_row, found] = match part > 0.0 {
                true => [of_first, scan.rows_read * (enough / met).min(1.0)],
                false => [whole, 0.0],
            };
            cells += (scan.rows_read - found) * of_row + (found * of_row).min(until * mix);
        }
        let read = self.requests.rows_read();
        if page.cells.is_some() && read > 0.0 {
            self.requests.row_cells = cells / read;
        }
    }
}

impl AccessPlan {
    /// Asks for the target's own row, which is there ([`AccessPlan::own_row`]).
    pub fn find(&self, requests: &mut Requests, write: impl FnOnce(&mut Vec<u8>)) {
        requests.find(self.question.cells_of_a_write, write);
    }

    /// The row of a combination. What it draws is of no account: draws are given values, or left out.
    pub(super) fn row<'r>(&self, record: &'r [i64], target: &ReadTarget<'_>) -> Row<'r> {
        Row {
            record,
            index: 0,
            draws: self.question.draws.at(target.operation.0),
        }
    }

    /// Appends segments of the key of a row to `out`, in the values that a combination, by its `choice`, gives to segments.
    pub(super) fn write_segments(
        &self,
        segments: Range<usize>,
        choice: &[usize],
        row: &Row<'_>,
        out: &mut Vec<u8>,
    ) {
        for segment in segments {
            let mut dimensions = self.way.dimensions.iter().zip(choice);
            let given = dimensions.find_map(|(dimension, choice)| match dimension {
                Dimension::Segment(at, values) if *at == segment => Some(&values[*choice]),
                _ => None,
            });
            match given {
                Some(value) => value.write(row, out),
                None => self.question.key.write_segment(segment, row, out),
            }
        }
    }
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
