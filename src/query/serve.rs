//! The requests of one read: keys, ranges and numbers of rows. Must not know regions.

use super::access_plan::AccessPlan;
use super::candidates::Stop;
use super::dimension::Dimension;
use super::requests::{Requests, ScanRequest, Scratch};
use super::row_counts::RowCounts;
use crate::key::Row;
use crate::keyspace::RowKey;
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
        let (wanted, stored) = self.wanted(target, rows, &mut scratch);
        requests.copies = match wanted > 0.0 {
            true => (stored / wanted).max(1.0),
            false => 1.0,
        };
        self.find_cursor(target, rows, &mut scratch);
        let mut read = Read {
            plan: self,
            target,
            rows,
            scratch: &mut scratch,
            requests,
        };
        if self.question.by_index.is_some() {
            read.named_by_index(wanted);
        } else {
            read.combine(0);
        }
        requests.scratch = scratch;
        // An index that names rows drawn at random may name one twice.
        let repeats = self.question.by_index.is_some() && !target.page.exact;
        if self.may_repeat || repeats {
            requests.merge();
        }
        self.limit(wanted, target, rows, requests);
    }

    /// The row of a combination. What it draws is of no account: draws are given values, or left out.
    pub(super) fn row<'r>(&self, record: &'r [i64], target: &ReadTarget<'_>) -> Row<'r> {
        Row {
            record,
            index: 0,
            draws: self.question.draws.at(target.operation.0),
        }
    }

    /// Appends the first segments of the key of a row to `out`, in the values that a combination, by its `choice`, gives to segments.
    pub(super) fn write_prefix(
        &self,
        segments: usize,
        choice: &[usize],
        row: &Row<'_>,
        out: &mut Vec<u8>,
    ) {
        for segment in 0..segments {
            let gives = |of: &&Dimension| of.segment().is_some_and(|(given, _)| given == segment);
            let mut dimensions = self.dimensions.iter().zip(choice);
            match dimensions.find(|(of, _)| gives(of)) {
                Some((Dimension::Bytes { values, .. }, choice)) => {
                    out.extend_from_slice(&values[*choice]);
                }
                Some((Dimension::Draw { values, .. }, choice)) => values[*choice].write(row, out),
                _ => self.key.write_segment(segment, row, out),
            }
        }
    }

    /// Expected number of rows that satisfy all that the reader knows, and with them their copies under other random salts.
    pub(super) fn wanted(
        &self,
        target: &ReadTarget<'_>,
        rows: &impl RowCounts,
        scratch: &mut Scratch,
    ) -> (f64, f64) {
        let question = &self.question;
        let lens = target.within_lens;
        let combinations = lens
            .iter()
            .fold(1usize, |all, len| all.saturating_mul(*len as usize));
        let counted = combinations.min(MOST_COUNTED);
        let (mut total, mut stored) = (0.0, 0.0);
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
            let identity = &self.identity;
            let current = identity.current_rows(rows, condition, step, target.record, target.at);
            total += current;
            stored += match identity.leaves_copies() {
                true => identity.rows(rows, condition, step, target.record, target.at),
                false => current,
            };
        }
        let scale = if counted == 0 {
            0.0
        } else {
            combinations as f64 / counted as f64
        };
        let scale = scale * question.shares;
        (total * scale, stored * scale)
    }
}

/// One read being worked out.
pub(super) struct Read<'a, R> {
    pub plan: &'a AccessPlan,
    pub target: &'a ReadTarget<'a>,
    rows: &'a R,
    pub scratch: &'a mut Scratch,
    pub requests: &'a mut Requests,
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
                    self.scratch.bands.set(*field, value..value + 1);
                    self.with_slot(*field, value, dimension);
                }
                self.scratch.bands.set(*field, range);
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
                    self.scratch.bands.set(*field, step);
                    self.with_slot(*field, next, dimension);
                    next = end;
                }
                self.scratch.bands.set(*field, range);
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

    /// The Get or scan of one combination.
    fn request(&mut self) {
        let plan = self.plan;
        let segments = plan.stop.segments(plan.key.segments().len());
        let Scratch {
            record,
            choice,
            low,
            ..
        } = &mut *self.scratch;
        low.clear();
        plan.write_prefix(segments, choice, &plan.row(record, self.target), low);
        let rows = plan
            .evidence
            .rows(plan.of_rows(), self.rows, self.target, self.scratch);
        if plan.stop == Stop::Key {
            let low = &self.scratch.low;
            let gets = &mut self.requests.gets;
            gets.push_with(|out| out.extend_from_slice(low));
            self.requests.gets_found += rows.min(1.0);
            return;
        }
        let rows = rows + self.rows_of_longer_values(segments);
        let Scratch {
            record,
            bands,
            low,
            high,
            stop,
            ..
        } = &mut *self.scratch;
        let prefix = low.len();
        high.clone_from(low);
        match plan.stop {
            Stop::Lead { segments, bytes } => {
                let row = plan.row(record, self.target);
                plan.key.write_segment(segments, &row, low);
                low.truncate(prefix + bytes);
                high.clone_from(low);
            }
            Stop::Range {
                segments,
                field,
                bytes,
            } => {
                if let Some(range) = bands.of(field) {
                    let trend = plan.key.trend(segments, field);
                    let rising = trend.is_none_or(|trend| trend.rising);
                    let (first, last) = match rising {
                        true => (range.start, range.end - 1),
                        false => (range.end - 1, range.start),
                    };
                    let slot = usize::from(field.0);
                    let own = record[slot];
                    for (value, out) in [(first, low), (last, &mut *high)] {
                        record[slot] = value;
                        let row = plan.row(record, self.target);
                        plan.key.write_segment(segments, &row, out);
                        out.truncate(bytes.map_or(usize::MAX, |bytes| prefix + bytes));
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
        let Scratch { low, stop, .. } = &*self.scratch;
        let starts = &mut self.requests.starts;
        starts.push_with(|out| out.extend_from_slice(low));
        let stops = &mut self.requests.stops;
        stops.push_with(|out| out.extend_from_slice(stop));
        self.requests.scans.push(ScanRequest {
            rows,
            rows_read: rows,
            reversed: plan.reversed(),
        });
    }

    /// Expected rows of the combination's scan whose values in its last segment begin as the wanted one does.
    fn rows_of_longer_values(&mut self, segments: usize) -> f64 {
        let plan = self.plan;
        let Some(longer) = &plan.longer else {
            return 0.0;
        };
        let field = longer.field();
        let slot = self.scratch.record[usize::from(field.0)];
        let (mut bytes, mut slots) = (
            std::mem::take(&mut self.scratch.high),
            std::mem::take(&mut self.scratch.slots),
        );
        bytes.clear();
        let row = plan.row(&self.scratch.record, self.target);
        plan.key.write_segment(segments - 1, &row, &mut bytes);
        let own = self.scratch.bands.of(field);
        let mut found = 0.0;
        longer.ranges(slot, &bytes, &mut slots, |range| {
            self.scratch.bands.set(field, range);
            found += longer
                .evidence
                .rows(plan.of_rows(), self.rows, self.target, self.scratch);
        });
        match own {
            Some(own) => self.scratch.bands.set(field, own),
            None => self.scratch.bands.remove(field),
        }
        (self.scratch.high, self.scratch.slots) = (bytes, slots);
        found * longer.chance
    }
}
