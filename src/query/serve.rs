//! The requests of one read: keys, ranges and numbers of rows. Must not know regions.

use super::access_plan::AccessPlan;
use super::candidates::Stop;
use super::dimension::Dimension;
use super::requests::{Requests, ScanRequest, Scratch};
use super::row_counts::RowCounts;
use crate::key::Row;
use crate::keyspace::RowKey;
use crate::random::mix;
use crate::record::FieldId;
use crate::workload::{Condition, ReadTarget};

/// Combinations of `in` lists whose wanted rows are counted one by one; of more, these stand for all.
const MOST_COUNTED: usize = 4_096;

impl AccessPlan {
    /// Writes what one read asks for to `requests`, which is cleared first. Allocates nothing when warm.
    pub fn requests(
        &self,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        requests: &mut Requests,
    ) {
        requests.clear();
        let mut scratch = std::mem::take(&mut requests.scratch);
        scratch.record.clear();
        scratch.record.extend_from_slice(target.record);
        scratch.choice.clear();
        scratch.choice.resize(self.dimensions.len(), 0);
        self.question.resolve(
            target,
            &mut scratch.record,
            &mut scratch.grain,
            &mut scratch.bands,
        );
        scratch.step = self.identity.step(&mut scratch.record, &mut scratch.grain);
        let wanted = self.wanted(target, rows, &mut scratch);
        let mut read = Read {
            plan: self,
            target,
            rows,
            scratch: &mut scratch,
            requests,
        };
        if let Some(size) = self.question.by_index {
            read.named_by_index(size, wanted);
        } else {
            read.pass_skipped();
            read.combine(0);
        }
        requests.scratch = scratch;
        if self.may_repeat {
            requests.merge();
        }
        self.limit(wanted, target, rows, requests);
    }

    /// The row of a combination. What it draws is of no account: draws are given values, or left out.
    fn row<'r>(&self, record: &'r [i64], target: &ReadTarget<'_>) -> Row<'r> {
        Row {
            record,
            index: 0,
            draws: self.question.draws.at(target.operation.0),
        }
    }

    /// Expected number of rows that satisfy all that the reader knows.
    fn wanted(&self, target: &ReadTarget<'_>, rows: &impl RowCounts, scratch: &mut Scratch) -> f64 {
        let question = &self.question;
        let lens = target.within_lens;
        let combinations = lens
            .iter()
            .fold(1usize, |all, len| all.saturating_mul(*len as usize));
        let counted = combinations.min(MOST_COUNTED);
        let mut total = 0.0;
        for combination in 0..counted {
            let Scratch {
                equal, bands, step, ..
            } = &mut *scratch;
            let step = *step;
            equal.clear();
            let known = question.known.stored().iter();
            equal.extend(known.map(|field| (*field, target.record[usize::from(field.0)])));
            let (mut rest, mut from) = (combination, 0);
            for (field, len) in question.lists.iter().zip(lens) {
                let len = *len as usize;
                if !question.known.knows(*field) {
                    equal.push((*field, target.within[from + rest % len]));
                }
                rest /= len;
                from += len;
            }
            let condition = Condition {
                equal,
                between: &bands.0,
            };
            total += self
                .identity
                .rows(rows, condition, step, target.record, target.at);
        }
        let scale = if counted == 0 {
            0.0
        } else {
            combinations as f64 / counted as f64
        };
        total * scale * question.shares
    }

    /// Rows read until there are enough, and rows that are returned.
    fn limit(
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
        if let Some(size) = self.question.by_index {
            requests.rows_returned = wanted.min(f64::from(size));
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
        let total: f64 = requests.scans.iter().map(|scan| scan.rows).sum();
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
        // Rows of the pages before lie behind a cursor, shared by all scans.
        let passed = if order.by_cursor && skipped > 0.0 && total > 0.0 {
            (skipped / share / total).min(1.0)
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
        let window = steps.window(record, self.question.domain(order.field), grain);
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

/// One read being worked out.
struct Read<'a, R> {
    plan: &'a AccessPlan,
    target: &'a ReadTarget<'a>,
    rows: &'a R,
    scratch: &'a mut Scratch,
    requests: &'a mut Requests,
}

impl<R: RowCounts> Read<'_, R> {
    /// Goes through the values of a dimension, and of all that follow.
    fn combine(&mut self, dimension: usize) {
        let plan = self.plan;
        let Some(of) = plan.dimensions.get(dimension) else {
            return self.request();
        };
        match of {
            Dimension::List { list, field } => {
                let lens = self.target.within_lens;
                let from: u32 = lens[..*list].iter().sum();
                let values = &self.target.within[from as usize..][..lens[*list] as usize];
                for value in values {
                    self.with_slot(*field, *value, dimension);
                }
            }
            Dimension::Field { field, slots } => {
                for slot in slots {
                    self.with_slot(*field, *slot, dimension);
                }
            }
            Dimension::Values { field } => {
                let Some(range) = self.scratch.bands.of(*field) else {
                    return;
                };
                for value in range.clone() {
                    self.scratch.bands.replace(*field, value..value + 1);
                    self.with_slot(*field, value, dimension);
                }
                self.scratch.bands.replace(*field, range);
            }
            Dimension::Steps { field, grain } => {
                let Some(range) = self.scratch.bands.of(*field) else {
                    return;
                };
                let domain = plan.question.domain(*field);
                let mut next = range.start;
                while next < range.end {
                    let slot = usize::from(field.0);
                    let own = std::mem::replace(&mut self.scratch.record[slot], next);
                    let Scratch {
                        record,
                        grain: buffers,
                        ..
                    } = &mut *self.scratch;
                    let end = grain.window(record, domain.clone(), buffers).end;
                    record[slot] = own;
                    let step = next..end.min(range.end);
                    self.scratch.bands.replace(*field, step);
                    self.with_slot(*field, next, dimension);
                    next = end;
                }
                self.scratch.bands.replace(*field, range);
            }
            Dimension::Bytes { values, .. } => self.each_choice(dimension, values.len()),
            Dimension::Draw { values, .. } => self.each_choice(dimension, values.len()),
        }
    }

    fn with_slot(&mut self, field: FieldId, value: i64, dimension: usize) {
        let slot = usize::from(field.0);
        let own = std::mem::replace(&mut self.scratch.record[slot], value);
        self.combine(dimension + 1);
        self.scratch.record[slot] = own;
    }

    fn each_choice(&mut self, dimension: usize, values: usize) {
        for value in 0..values {
            self.scratch.choice[dimension] = value;
            self.combine(dimension + 1);
        }
    }

    /// Appends the known beginning of the key to `out`.
    fn write_prefix(&self, segments: usize, out: &mut Vec<u8>) {
        let row = self.plan.row(&self.scratch.record, self.target);
        for segment in 0..segments {
            let given = self.plan.dimensions.iter().position(|dimension| {
                dimension
                    .segment()
                    .is_some_and(|(given, _)| given == segment)
            });
            match given.map(|at| (&self.plan.dimensions[at], self.scratch.choice[at])) {
                Some((Dimension::Bytes { values, .. }, choice)) => {
                    out.extend_from_slice(&values[choice]);
                }
                Some((Dimension::Draw { values, .. }, choice)) => values[choice].write(&row, out),
                _ => self.plan.key.write_segment(segment, &row, out),
            }
        }
    }

    /// The Get or scan of one combination.
    fn request(&mut self) {
        let plan = self.plan;
        let segments = plan.stop.segments(plan.key.segments().len());
        let mut low = std::mem::take(&mut self.scratch.low);
        low.clear();
        self.write_prefix(segments, &mut low);
        let rows = plan.evidence.rows(
            &plan.question,
            &plan.identity,
            self.rows,
            (self.target.record, self.target.at),
            self.scratch,
        );
        if plan.stop == Stop::Key {
            self.requests
                .gets
                .push_with(|out| out.extend_from_slice(&low));
            self.requests.gets_found += rows.min(1.0);
            self.scratch.low = low;
            return;
        }
        let mut high = std::mem::take(&mut self.scratch.high);
        high.clear();
        high.extend_from_slice(&low);
        match plan.stop {
            Stop::Lead { segments, bytes } => {
                let prefix = low.len();
                plan.key.write_segment(
                    segments,
                    &self.plan.row(&self.scratch.record, self.target),
                    &mut low,
                );
                low.truncate(prefix + bytes);
                high.clear();
                high.extend_from_slice(&low);
            }
            Stop::Range {
                segments,
                field,
                bytes,
            } => {
                if let Some(range) = self.scratch.bands.of(field) {
                    let prefix = low.len();
                    let slot = usize::from(field.0);
                    let rising = plan
                        .key
                        .trend(segments, field)
                        .is_none_or(|trend| trend.rising);
                    let (first, last) = if rising {
                        (range.start, range.end - 1)
                    } else {
                        (range.end - 1, range.start)
                    };
                    let own = self.scratch.record[slot];
                    for (value, out) in [(first, &mut low), (last, &mut high)] {
                        self.scratch.record[slot] = value;
                        let row = self.plan.row(&self.scratch.record, self.target);
                        plan.key.write_segment(segments, &row, out);
                        if let Some(bytes) = bytes {
                            out.truncate(prefix + bytes);
                        }
                    }
                    self.scratch.record[slot] = own;
                }
            }
            Stop::Key | Stop::Prefix { .. } => {}
        }
        self.requests
            .starts
            .push_with(|out| out.extend_from_slice(&low));
        self.requests
            .stops
            .push_with(|out| RowKey::write_after_prefix(&high, out));
        self.requests.scans.push(ScanRequest {
            rows,
            rows_read: rows,
            reversed: plan.reversed(),
        });
        self.scratch.low = low;
        self.scratch.high = high;
    }

    /// A cursor starts where the pages before it end: the range of the field that orders the rows is cut down.
    fn pass_skipped(&mut self) {}

    /// Gets of rows that an index outside names: they share what the reader knows, and lie anywhere in what it does not.
    fn named_by_index(&mut self, size: u32, wanted: f64) {
        let plan = self.plan;
        let gets = (wanted.round() as u64).clamp(1, u64::from(size));
        for get in 0..gets {
            for field in plan.key.fields() {
                let free = !plan.question.known.knows(field) && get > 0;
                let domain = plan.question.domain(field);
                if free && domain.end > domain.start {
                    let values = domain.end.abs_diff(domain.start);
                    let place = mix(self.target.operation.0 ^ mix(get << 16 | u64::from(field.0)));
                    let value = ((u128::from(place) * u128::from(values)) >> 64) as u64;
                    self.scratch.record[usize::from(field.0)] =
                        domain.start.wrapping_add_unsigned(value);
                }
            }
            let row = self.plan.row(&self.scratch.record, self.target);
            self.requests
                .gets
                .push_with(|out| plan.key.write(&row, out));
        }
        self.requests.gets_found = gets as f64;
    }
}
