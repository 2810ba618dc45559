//! How many rows a read wants, and how many the scan of one combination holds. Must not know regions.

use super::access_plan::AccessPlan;
use super::candidates::{Dimension, FieldValues};
use super::differing_rows::{DifferingRows, NEARLY_ALL};
use super::enough_rows::WantedRows;
use super::evidence::Evidence;
use super::question::{Counted, Question};
use super::requests::Scratch;
use super::serve::Read;
use crate::record::{FieldId, ValueGroups};
use crate::statistics::values_met;
use crate::workload::{Condition, ReadTarget, RowCounts};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Combinations of `in` lists whose wanted rows are counted one by one; of more, these stand for all.
const MOST_COUNTED: usize = 4_096;

/// Values of a list that rows are known to have leave no fewer than so many times as many rows out of account for another one (estimate: an error of a thousandth).
const FEW_OF_ALL: f64 = 1e-3;

/// Rows that are there because a reader asks for a value of theirs, the target's own or another one of a list.
struct ListedRows<'a, R> {
    question: &'a Question,
    rows: &'a R,
    target: &'a ReadTarget<'a>,
    /// Scratch space.
    record: &'a mut Vec<i64>,
}

impl<'a, R: RowCounts> ListedRows<'a, R> {
    /// The parts of a condition that ask for another value of a list than the target's, or for a group of values.
    fn others<'c>(
        &self,
        all: Condition<'c>,
    ) -> impl Iterator<Item = Condition<'c>> + use<'a, 'c, R> {
        let (lists, target) = (self.question.lists_of_rows.iter(), self.target);
        let own = move |field: FieldId| target.record[usize::from(field.0)];
        lists.filter_map(move |field| {
            let mut equal = all.equal.chunks(1);
            let value = equal.find(|of| of[0].0 == *field && of[0].1 != own(*field));
            let mut alike = all.alike.chunks(1);
            let is_other = |(groups, at): &(Arc<ValueGroups>, u32)| {
                groups.field == *field && groups.of(own(*field)) != Some(*at)
            };
            let group = alike.find(|of| is_other(&of[0]));
            (value.is_some() || group.is_some()).then_some(Condition {
                equal: value.unwrap_or_default(),
                between: &[],
                alike: group.unwrap_or_default(),
            })
        })
    }

    /// Rows that satisfy a condition, of which `count` says the expected number when a record is known to be one of the writes. The target is; and where the condition asks
    /// for another value of a list, so is a row with that value, which satisfies the rest as often as others with it do.
    fn count(&mut self, condition: Condition<'_>, count: impl Fn(&[i64]) -> f64) -> f64 {
        let mut others = self.others(condition).peekable();
        let (all, rows, target, record) = (condition, self.rows, self.target, &mut *self.record);
        if others.peek().is_none() {
            let there = self.count_of_target(condition, &count);
            return self.beside_listed(condition, there, count);
        }
        record.clear();
        record.extend_from_slice(target.record);
        for (field, slot) in all.equal {
            record[usize::from(field.0)] = *slot;
        }
        for (groups, at) in all.alike {
            let of_group = groups.of_groups.get(*at as usize);
            let slot = &mut record[usize::from(groups.field.0)];
            if let Some(first) = of_group.and_then(|it| it.first())
                && groups.of(*slot) != Some(*at)
            {
                *slot = *first;
            }
        }
        for (field, low, high) in all.between {
            let slot = &mut record[usize::from(field.0)];
            *slot = (*slot).clamp(*low, (*high - 1).max(*low));
        }
        let when_there = count(record);
        if all.equal.len() + all.alike.len() + all.between.len() == 1 {
            return self.beside_listed(condition, when_there, count);
        }
        // The rows of several lists are apart.
        let by_chance = count(target.record);
        let writes = rows.writes(all, target.record, target.at);
        let parts = others.map(|of| writes / rows.writes(of, target.record, target.at));
        let parts = parts.filter(|part| part.is_finite());
        let there: f64 = parts.map(|part| part.min(1.0)).sum();
        by_chance + there * (when_there - by_chance)
    }

    /// The same where the target satisfies the condition. A value that a law picks is not that of a row: as many rows have it as of any value that some row has at all,
    /// and of one that the reader always asks for.
    fn count_of_target(&mut self, condition: Condition<'_>, count: impl Fn(&[i64]) -> f64) -> f64 {
        let there = count(self.target.record);
        let mut equal = condition.equal.iter().map(|it| it.0);
        let picked = equal
            .clone()
            .find(|field| self.question.picked.contains(field));
        let is_fixed = |field: FieldId| self.question.fixed.contains(&field);
        let is_given = condition.between.is_empty() && condition.alike.is_empty();
        let first = condition.equal.first().map(|it| it.0);
        let fixed = first.filter(|_| is_given && equal.all(is_fixed));
        let Some(field) = picked.or(fixed) else {
            return there;
        };
        let all = Condition::of(condition.equal, &[]);
        let [by_chance, writes] = self.by_chance([condition, all], field, count);
        let some = -libm::expm1(-writes);
        match some > 0.0 {
            true => there.min(by_chance / some),
            false => there,
        }
    }

    /// The same of a single value of the only list, of which `there` are expected when one row has it: those that have the other values of the list are not among the rest, which
    /// counts where they are many of all.
    fn beside_listed(
        &mut self,
        condition: Condition<'_>,
        there: f64,
        count: impl Fn(&[i64]) -> f64,
    ) -> f64 {
        let question = self.question;
        let (&[(field, _)], &[list], &[values]) = (
            condition.equal,
            &question.lists_of_rows[..],
            self.target.within_lens,
        ) else {
            return there;
        };
        let is_single = condition.between.is_empty() && condition.alike.is_empty();
        let values = f64::from(values);
        let of_all = |own: &Self| {
            own.rows
                .writes(Condition::default(), own.target.record, own.target.at)
        };
        if field != list || !is_single || values < 2.0 {
            return there;
        }
        let all = of_all(self);
        if values - 1.0 < FEW_OF_ALL * all {
            return there;
        }
        let [by_chance, writes] = self.by_chance([condition; 2], field, count);
        let share = writes / all;
        match share < 1.0 {
            true => by_chance + (there - by_chance) * (1.0 - values * share) / (1.0 - share),
            false => there,
        }
    }

    /// Rows that satisfy the first condition, and writes that satisfy the second, when no row is known to have the value of a field.
    fn by_chance(
        &mut self,
        [of_rows, of_writes]: [Condition<'_>; 2],
        field: FieldId,
        count: impl Fn(&[i64]) -> f64,
    ) -> [f64; 2] {
        let (target, record) = (self.target, &mut *self.record);
        record.clear();
        record.extend_from_slice(target.record);
        // Any other value: it is that of a record which does not satisfy the condition.
        let asked = of_rows.equal.iter().find(|it| it.0 == field);
        let slot = asked.map_or(0, |it| it.1).wrapping_add(1);
        record[usize::from(field.0)] = slot;
        [
            count(record),
            self.rows.writes(of_writes, record, target.at),
        ]
    }
}

/// Of rows that have had a wanted value in some of their cells, those that have it now: of all such cells, which are spread evenly over these rows, `newest` have it.
fn rows_of_newest(rows: f64, [any, newest]: [f64; 2]) -> f64 {
    if any <= 0.0 || rows <= 0.0 {
        return 0.0;
    }
    let (missed, cells_of_row) = (1.0 - (newest / any).min(1.0), (any / rows).max(1.0));
    (rows * (1.0 - libm::pow(missed, cells_of_row))).min(newest)
}

impl AccessPlan {
    /// Fields of which each combination has a value of its own.
    fn given_fields(&self) -> impl Iterator<Item = FieldId> {
        let dimensions = self.way.dimensions.iter();
        dimensions.filter_map(|dimension| match dimension {
            Dimension::Field(field, FieldValues::List(_) | FieldValues::All(_)) => Some(*field),
            _ => None,
        })
    }
}

impl<R: RowCounts> Read<'_, R> {
    /// Expected number of rows or cells that satisfy all that the reader knows, and with them their copies under other random salts.
    pub(super) fn wanted(&mut self, of: Counted) -> (f64, f64) {
        let (question, target) = (&self.plan.question, self.target);
        let lens = target.within_lens.iter().map(|len| *len as usize);
        let combinations = lens.clone().fold(1, usize::saturating_mul);
        let counted = combinations.min(MOST_COUNTED);
        let mut from = 0;
        for (field, len) in question.lists.iter().zip(lens.clone()) {
            let values = &target.within[from..from + len];
            self.rows.prefetch(*field, &values[..len.min(MOST_COUNTED)]);
            from += len;
        }
        let Scratch {
            record,
            equal,
            between,
            listed,
            equal_shares,
            windows,
            base,
            bands,
            grain,
            steps,
            counts,
            ..
        } = &mut *self.scratch;
        let identity = question.identity_of(of);
        let mut of_lists = ListedRows {
            question,
            rows: self.rows,
            target,
            record: listed,
        };
        let step = steps[of as usize];
        // Those that satisfy a condition in any of their writes, and in the newest one.
        let mut counted_as = |of: Counted, condition: Condition<'_>| {
            let (step, counts) = (steps[of as usize], &mut counts[of as usize]);
            let identity = question.identity_of(of);
            let counted = |known: &[i64], is_current: bool| match is_current {
                true => identity.current_rows(self.rows, condition, step, known, target.at),
                false => identity.rows(self.rows, condition, step, known, target.at),
            };
            let all = counts.of(condition, || {
                of_lists.count(condition, |known| counted(known, false))
            });
            let current = match identity.leaves_copies() {
                true => of_lists.count(condition, |known| counted(known, true)),
                false => all,
            };
            let any = [current, all];
            // Each cell of a row has a newest write of its own.
            let is_of_cells = of == Counted::Rows && question.cell_identity.is_some();
            if is_of_cells || !identity.asks_of_newest(condition) {
                return [any; 2];
            }
            let is_of_target = of_lists.others(condition).next().is_none();
            let newest = [(current, true), (all, false)].map(|(of_all, is_current)| {
                of_lists.count(condition, |known| {
                    let counted = match is_of_target {
                        true => of_all,
                        false => counted(known, is_current),
                    };
                    let (step, target) = ((step, is_current), (known, target.at));
                    identity.newest(counted, self.rows, condition, step, target)
                })
            });
            [any, newest]
        };
        let mut count = |condition: Condition<'_>| {
            let [rows, newest] = counted_as(of, condition);
            let cells = question.cell_identity.as_ref();
            let is_of_cells = cells.is_some_and(|it| it.asks_of_newest(condition));
            if of == Counted::Cells || !is_of_cells {
                return newest;
            }
            let [any, newest] = counted_as(Counted::Cells, condition);
            std::array::from_fn(|at| rows_of_newest(rows[at], [any[at], newest[at]]))
        };
        let (mut total, mut stored) = (0.0, 0.0);
        for combination in 0..counted {
            equal.clear();
            let known = question.known.stored().iter();
            let known = known.chain(&question.told_besides);
            equal.extend(known.map(|field| (*field, target.record[usize::from(field.0)])));
            let (mut rest, mut from) = (combination, 0);
            for (field, len) in question.lists.iter().zip(lens.clone()) {
                if !question.known.knows(*field) {
                    equal.push((*field, target.within[from + rest % len]));
                }
                rest /= len;
                from += len;
            }
            // As what a key tells is, so that its requests ask for what has been counted.
            equal.sort_unstable();
            equal.dedup();
            let [mut current, mut all] = count(Condition::of(equal, &bands.0));
            if !question.derived.is_empty() {
                let (whole, coarse) = &question.made_of;
                record.clear();
                record.extend_from_slice(target.record);
                between.0.clone_from(&bands.0);
                let differing = DifferingRows {
                    question,
                    identity,
                    rows: self.rows,
                    target,
                    step,
                    coincidences: &question.coincidences,
                    whole,
                    steps: coarse.iter(),
                };
                let known = (&mut *equal, &mut *between);
                [current, all] = differing.alike(
                    [current, all],
                    (record, grain),
                    known,
                    (equal_shares, windows, base),
                    &mut count,
                );
            }
            total += current;
            stored += all;
        }
        // Of no combination there are no rows.
        let scale = combinations as f64 / counted.max(1) as f64 * self.kept_of_range(of);
        (total * scale, stored * scale)
    }

    /// Expected number of rows that share the beginning of the combination.
    pub(super) fn rows_of(&mut self, evidence: &Evidence) -> f64 {
        self.number_of(Counted::Rows, evidence, None)
    }

    /// The same of rows or cells, and only of those with values of one more range.
    pub(super) fn number_of(
        &mut self,
        of: Counted,
        evidence: &Evidence,
        only: Option<(FieldId, Range<i64>)>,
    ) -> f64 {
        let (question, target) = (&self.plan.question, self.target);
        let Scratch {
            record,
            equal,
            between,
            listed,
            equal_shares,
            windows,
            base,
            bands,
            asked,
            grain,
            steps,
            counts,
            shared_rows,
            ..
        } = &mut *self.scratch;
        let (step, counts) = (steps[of as usize], &mut counts[of as usize]);
        let slot = |field: &FieldId, record: &[i64]| (*field, record[usize::from(field.0)]);
        equal.clear();
        equal.extend(evidence.told.iter().map(|field| slot(field, record)));
        between.0.clear();
        for (field, steps) in &evidence.steps {
            let range = steps.window(record, question.domain(*field), grain);
            between.set(*field, Some(range));
        }
        if let Some((field, steps)) = &evidence.range {
            let domain = question.domain(*field);
            let mut range = bands.of(*field).unwrap_or_else(|| domain.clone());
            if let Some(steps) = steps {
                range = steps.covering(range, record, domain, grain);
            }
            let range = between.within(*field, range);
            between.set(*field, Some(range));
        }
        if let Some((field, range)) = only {
            let range = between.within(field, range);
            between.set(field, Some(range));
        }
        let mut of_lists = ListedRows {
            question,
            rows: self.rows,
            target,
            record: listed,
        };
        let mut count = |condition: Condition<'_>| {
            let identity = question.identity_of(of);
            let rows = counts.of(condition, || {
                of_lists.count(condition, |known| {
                    identity.rows(self.rows, condition, step, known, target.at)
                })
            });
            [rows]
        };
        let [all] = count(Condition::of(equal, &between.0));
        let mut found = all;
        *shared_rows = all;
        if !(evidence.hashed.is_empty() && evidence.hashed_steps.is_empty()) {
            let differing = DifferingRows {
                question,
                identity: question.identity_of(of),
                rows: self.rows,
                target,
                step,
                coincidences: &evidence.coincidences,
                whole: &evidence.hashed,
                steps: evidence.hashed_steps.iter().map(|(_, steps)| steps),
            };
            let known = (&mut *equal, &mut *between);
            [found] = differing.alike(
                [all],
                (record, grain),
                known,
                (equal_shares, windows, base),
                &mut count,
            );
            *shared_rows = found;
        }
        // Rows of other steps that are asked for as well are those of another combination: only what lies in none of them is there by chance.
        let is_asked = |values: &FieldValues| matches!(values, FieldValues::Steps(_));
        let hashed = evidence.hashed_steps.iter();
        let asked_for = hashed.filter(|it| self.plan.way.binds(it.0, is_asked));
        let mut asked_for = asked_for.peekable();
        if asked_for.peek().is_some() {
            let [same] = count(Condition::of(equal, &between.0));
            for (field, steps) in asked_for {
                let range = asked.of(*field).map(|range| {
                    let domain = question.domain(*field);
                    let whole = steps.covering(range, record, domain, grain);
                    base.within(*field, whole)
                });
                between.set(*field, range.or(base.of(*field)));
            }
            let [within] = count(Condition::of(equal, &between.0));
            let others = (all - same).max(f64::MIN_POSITIVE);
            let part = ((all - within) / others).clamp(0.0, 1.0);
            *shared_rows = (found - same).max(0.0) * part;
            found = same + *shared_rows;
        }
        *shared_rows /= evidence.shared_by;
        found / evidence.shared_by
    }

    /// Of the rows of the combination's scan, those with what is known besides, as far as scans may differ in that; all where they don't.
    pub(super) fn wanted_of_scan(&mut self, rows: f64) -> f64 {
        let known = self.plan.question.known.stored();
        if known.iter().all(|it| self.plan.evidence.told.contains(it)) {
            return rows;
        }
        let is_decided = self.is_decided();
        if is_decided && !self.is_of_target() {
            return 0.0;
        }
        match self.plan.given_fields().next().is_none() && !is_decided {
            true => rows,
            false => self.count_of_known(Counted::Rows, true),
        }
    }

    /// Expected number of rows or cells with all that is known of the combination, in whichever of the scans that share them.
    pub(super) fn count_of_scan(&mut self, of: Counted) -> f64 {
        let (plan, question) = (self.plan, &self.plan.question);
        let rows = self.count_of_known(of, true);
        let is_given = |list: &FieldId| plan.given_fields().any(|field| field == *list);
        if question.derived.is_empty() && question.lists.iter().all(is_given) {
            return rows;
        }
        // Of what is known besides each scan has its part.
        match self.count_of_known(of, false) {
            all if all > 0.0 => rows * self.wanted(of).0 / all,
            _ => rows,
        }
    }

    /// Expected number of rows or cells with the values that are known one by one, and perhaps with those that the combination gives.
    fn count_of_known(&mut self, of: Counted, are_given: bool) -> f64 {
        let (plan, question, target) = (self.plan, &self.plan.question, self.target);
        let Scratch {
            record,
            equal,
            bands,
            steps,
            ..
        } = &mut *self.scratch;
        equal.clear();
        let told = plan.given_fields();
        let told = told.filter(|field| are_given && plan.evidence.told.contains(field));
        let fields = question.known.stored().iter().copied().chain(told);
        equal.extend(fields.map(|field| (field, record[usize::from(field.0)])));
        equal.sort_unstable();
        equal.dedup();
        let condition = Condition::of(equal, &bands.0);
        let (known, at) = (target.record, target.at);
        let count = |of: Counted| {
            let (identity, step) = (question.identity_of(of), steps[of as usize]);
            let any = identity.current_rows(self.rows, condition, step, known, at);
            let of_newest = (step, true);
            let newest = || identity.newest(any, self.rows, condition, of_newest, (known, at));
            match of == Counted::Rows && question.cell_identity.is_some() {
                true => [any; 2],
                false => [any, newest()],
            }
        };
        let [any, newest] = count(of);
        let cells = question.cell_identity.as_ref();
        let is_of_cells = cells.is_some_and(|it| it.asks_of_newest(condition));
        let rows = match of == Counted::Rows && is_of_cells {
            true => rows_of_newest(any, count(Counted::Cells)),
            false => newest,
        };
        rows * self.kept_of_range(of)
    }

    /// Scans differ in what those fields decide that the reader knows: all rows that it wants lie in one of them.
    fn is_decided(&self) -> bool {
        let (plan, question) = (self.plan, &self.plan.question);
        let mut dimensions = plan.way.dimensions.iter();
        !question.decided.is_empty()
            && dimensions.any(|dimension| match dimension {
                Dimension::Field(field, FieldValues::All(_) | FieldValues::Classes(_)) => {
                    question.decided.contains(field) && !plan.evidence.told.contains(field)
                }
                Dimension::Field(..) => false,
                Dimension::Segment(at, _) => question.is_decided(*at),
            })
    }

    /// The combination's scan is that one.
    fn is_of_target(&mut self) -> bool {
        let (plan, question, target) = (self.plan, &self.plan.question, self.target);
        let Scratch {
            record,
            choice,
            low,
            stop,
            ..
        } = &mut *self.scratch;
        let swap = |record: &mut Vec<i64>, slots: &mut SmallVec<[i64; 4]>| {
            for (field, slot) in question.decided.iter().zip(slots) {
                std::mem::swap(&mut record[usize::from(field.0)], slot);
            }
        };
        let own = question
            .decided
            .iter()
            .map(|it| target.record[usize::from(it.0)]);
        let mut own: SmallVec<[i64; 4]> = own.collect();
        swap(record, &mut own);
        stop.clear();
        for at in 0..plan.way.segments(&question.key) {
            let row = plan.row(record, target);
            match question.is_decided(at) {
                true => question.key.write_segment(at, &row, stop),
                false => plan.write_segments(at..at + 1, choice, &row, stop),
            }
        }
        swap(record, &mut own);
        stop == low
    }

    /// Expected rows of the combination's scan whose values in its last segment begin as the wanted one does, and how many of them come before its own.
    pub(super) fn rows_of_longer_values(&mut self, segments: usize) -> [f64; 2] {
        let plan = self.plan;
        let Some(longer) = &plan.longer else {
            return [0.0; 2];
        };
        let field = longer.beginnings.field;
        let slot = self.scratch.record[usize::from(field.0)];
        let mut bytes = std::mem::take(&mut self.scratch.high);
        let mut slots = std::mem::take(&mut self.scratch.slots);
        bytes.clear();
        let row = plan.row(&self.scratch.record, self.target);
        let key = &plan.question.key;
        (longer.segment..segments).for_each(|at| key.write_segment(at, &row, &mut bytes));
        let own = self.scratch.bands.of(field);
        let mut found = [0.0; 2];
        longer.beginnings.longer(slot, &bytes, &mut slots, |range| {
            self.scratch.bands.set(field, Some(range.clone()));
            let rows = self.rows_of(&longer.evidence) * longer.chance;
            found[0] += rows;
            if plan.ordered.is_none() {
                return;
            }
            // Ten of the values, one for each next digit.
            let values = range.end.abs_diff(range.start) as f64 / 10.0;
            let value = |nth: u32| {
                range
                    .start
                    .saturating_add((values * (f64::from(nth) + 0.5)) as i64)
            };
            let Scratch {
                record,
                stop,
                cursor_key,
                ..
            } = &mut *self.scratch;
            let mut write = |value, out: &mut Vec<u8>| {
                record[usize::from(field.0)] = value;
                out.clear();
                let row = plan.row(record, self.target);
                let behind = longer.segment..key.segments().len();
                behind.for_each(|at| key.write_segment(at, &row, out));
            };
            let before = (0..10).filter(|nth| {
                write(value(*nth), stop);
                write(slot, cursor_key);
                plan.reversed() == (*stop > *cursor_key)
            });
            found[1] += rows * before.count() as f64 / 10.0;
        });
        self.scratch.bands.set(field, own);
        (self.scratch.high, self.scratch.slots) = (bytes, slots);
        found
    }
}

impl<R: RowCounts> Read<'_, R> {
    /// The law of a number of rows, or of cells, that are `wanted` on average: just that where it is far from the `most` that are asked for.
    pub(super) fn law_of(&mut self, wanted: f64, most: f64) -> WantedRows {
        let (record, bands) = (self.target.record, &self.scratch.bands.0);
        let is_within =
            |it: &(FieldId, i64, i64)| (it.1..it.2).contains(&record[usize::from(it.0.0)]);
        let own = match bands.iter().all(is_within) {
            true => wanted.min(1.0),
            false => 0.0,
        };
        let is_near = (wanted - most).abs() < 8.0 * wanted.sqrt() + 20.0;
        WantedRows {
            own,
            others: wanted - own,
            share: if is_near { self.certainty(wanted) } else { 1.0 },
        }
    }

    /// With which probability each of the rows that could be wanted is.
    fn certainty(&mut self, wanted: f64) -> f64 {
        let (question, rows, target) = (&self.plan.question, self.rows, self.target);
        let condition = self.known();
        let certainty = rows.certainty(condition, target.record, target.at);
        let writes = rows.writes(condition, target.record, target.at);
        if !question.lists.is_empty() || !question.derived.is_empty() {
            return certainty * (wanted / writes).min(1.0);
        }
        match wanted < writes * NEARLY_ALL {
            // What each row is written often is there, however many writes there are.
            true => 1.0 - (1.0 - certainty) * libm::exp(-writes / values_met(wanted, writes)),
            false => certainty,
        }
    }

    /// Who takes turns to write what is wanted, where it is asked for by time.
    pub(super) fn turns(&mut self) -> Option<f64> {
        let (question, rows, target) = (&self.plan.question, self.rows, self.target);
        let is_plain = question.lists.is_empty() && question.derived.is_empty();
        match question.by_time && is_plain {
            true => rows.turns(self.known(), target.record, target.at),
            false => None,
        }
    }

    /// What the reader knows of single values and ranges.
    pub(super) fn known(&mut self) -> Condition<'_> {
        let Scratch { equal, bands, .. } = &mut *self.scratch;
        let known = self.plan.question.known.stored().iter();
        equal.clear();
        equal.extend(known.map(|field| (*field, self.target.record[usize::from(field.0)])));
        Condition::of(equal, &bands.0)
    }
}
