//! Rows that differ in fields and yet have what a reader knows, or what a key begins with: by a hash, a remainder, a digit. Must not know requests.

use super::question::{Bands, Question};
use super::row_identity::{RowIdentity, RowStep};
use crate::key::{Coincidences, FieldSteps, StepCache};
use crate::record::FieldId;
use crate::workload::{Condition, ReadTarget, RowCounts};
use smallvec::SmallVec;
use std::ops::Range;

/// Of writes that make so many rows for each, hardly any row is written again: what comes of those is below a thousandth of the count.
pub(super) const NEARLY_ALL: f64 = 0.999;

/// Which share of a range's values is within a part of it.
fn share(part: &Range<i64>, of: &Range<i64>) -> f64 {
    let values = |range: &Range<i64>| range.end.abs_diff(range.start).max(1) as f64;
    values(part) / values(of)
}

/// What rows differ in that are alike in what is made of it.
pub(super) struct DifferingRows<'a, R, S> {
    pub question: &'a Question,
    pub identity: &'a RowIdentity,
    pub rows: &'a R,
    pub target: &'a ReadTarget<'a>,
    pub step: RowStep,
    pub coincidences: &'a Coincidences,
    /// Fields as they are, and others in steps.
    pub whole: &'a [FieldId],
    pub steps: S,
}

impl<'a, R: RowCounts, S: Iterator<Item = &'a FieldSteps>> DifferingRows<'a, R, S> {
    /// Of `all` rows, which satisfy what is known, those that have the target's values or are alike by chance; by a `count` of rows. Where it is known which
    /// values are alike, rows with any of these are counted. All others are by the mean of all targets. There both kinds may be the same rows where a row is
    /// written again with others of these values: under what the target has, beside what is known of all, there is room for so many at most.
    pub fn alike<const N: usize>(
        self,
        all: [f64; N],
        (record, grain): (&mut [i64], &mut StepCache),
        (equal, between): (&mut Vec<(FieldId, i64)>, &mut Bands),
        (shares, windows, base): (&mut Vec<(FieldId, f64)>, &mut Bands, &mut Bands),
        count: &mut impl FnMut(Condition<'_>) -> [f64; N],
    ) -> [f64; N] {
        let (question, identity, target) = (self.question, self.identity, self.target);
        let known = equal.len();
        let all_steps: SmallVec<[&FieldSteps; 2]> = self.steps.collect();
        let groups = self.whole.iter().map(|field| {
            let groups = self.coincidences.groups(*field)?;
            let own = groups.of(record[usize::from(field.0)])?;
            let is_known = groups.are_known() && between.of(*field).is_none();
            is_known.then(|| (groups.clone(), own))
        });
        let groups: Option<SmallVec<[_; 2]>> = groups.collect();
        let condition = Condition::of(equal, &between.0);
        if let (Some(alike), []) = (groups, &all_steps[..]) {
            return count(Condition {
                alike: &alike,
                ..condition
            });
        }
        let mut whole = self.whole.iter();
        let may_change = !all_steps.is_empty() || whole.any(|field| identity.may_change(*field));
        let writes = || self.rows.writes(condition, target.record, target.at);
        let do_meet = may_change && all[0] < writes() * NEARLY_ALL;
        base.0.clone_from(&between.0);
        windows.0.clear();
        shares.clear();
        let whole = self.whole.iter();
        let every = |of: &FieldId| between.within(*of, question.domain(*of));
        shares.extend(whole.map(|of| (*of, share(&(0..1), &every(of)))));
        // The part of the other values of a field that make the same, by the target's own.
        let mut alike: SmallVec<[(FieldId, f64); 2]> = SmallVec::new();
        for steps in &all_steps {
            let (field, domain) = (steps.field, question.domain(steps.field));
            let window = between.within(field, steps.window(record, domain.clone(), grain));
            // The target's own need not lie in a range of other rows.
            let window = window.start..window.end.max(window.start);
            // No row is later than the read: the steps up to that in which it begins, so that reads of one step ask alike.
            let slot = usize::from(field.0);
            let now = question.domain_at(field, target.at).end - 1;
            let own = std::mem::replace(&mut record[slot], now);
            let end = steps.window(record, domain.clone(), grain).end;
            record[slot] = own;
            let range = between.within(field, domain.start..end.max(window.end));
            shares.push((field, share(&window, &range)));
            let is_only = all_steps.iter().filter(|of| of.field == field).count() == 1;
            let mut uses = self.coincidences.alone();
            let uses = uses.find(|of| is_only && of.field == field);
            let found = uses.and_then(|uses| {
                let all = uses.alike(steps, record, (&range, &domain), grain)?;
                let [own, every] = [&window, &range].map(|it| it.end.abs_diff(it.start));
                let chance = (all - own as f64) / every.saturating_sub(own).max(1) as f64;
                Some((field, chance))
            });
            alike.extend(found);
            between.set(field, Some(window.clone()));
            windows.set(field, Some(window));
        }
        let mut with = |of: &dyn Fn(FieldId) -> bool| {
            equal.truncate(known);
            between.0.clone_from(&base.0);
            for field in self.whole.iter().filter(|field| of(**field)) {
                equal.push((*field, record[usize::from(field.0)]));
                // The target's own value lies in its range.
                between.set(*field, None);
            }
            for (field, low, high) in windows.0.iter().filter(|(field, ..)| of(*field)) {
                between.set(*field, Some(*low..*high));
            }
            count(Condition::of(equal, &between.0))
        };
        let own = |fields: &[FieldId]| {
            let [own, ..] = with(&|field| fields.contains(&field))[..] else {
                return 1.0;
            };
            match all[0] > 0.0 {
                true => (own / all[0]).min(1.0),
                false => 1.0,
            }
        };
        let chance = self.coincidences.chance(shares, own, &alike);
        let same = with(&|_| true);
        let (own, known) = (
            Condition::of(equal, &between.0),
            Condition::of(&equal[..known], &base.0),
        );
        let room = match do_meet {
            true => identity.room(self.rows, [own, known], self.step, target.record, target.at),
            false => f64::INFINITY,
        };
        std::array::from_fn(|at| {
            let (same, others) = (same[at], (all[at] - same[at]) * chance);
            same + others * (1.0 - same / room).max(0.0)
        })
    }
}
