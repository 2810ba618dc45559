//! What a whole key tells of a write: which writes make the same row. Must not know reads.

use crate::key::{FieldSteps, JointSteps, KeyPlan, Randomness, StepCache};
use crate::record::{FieldId, FieldKind, Schema};
use crate::time::SimTime;
use crate::workload::{Condition, RowCounts, RowEquality};
use smallvec::SmallVec;
use std::ops::Range;

/// Steps of time are looked for so far beyond the table's times, within which they may end: two years.
const LONGEST_STEP: i64 = 2 * 366 * 86_400 * 1_000_000_000;

impl RowStep {
    /// The timestamp that the key tells in steps, and the slots of this one.
    pub fn window(self) -> Option<(FieldId, Range<i64>)> {
        self.0[0].map(|(field, start, end)| (field, start..end))
    }
}

/// What writes must agree in to make the same row under one key.
#[derive(Debug, Clone)]
pub struct RowIdentity {
    told: Vec<FieldId>,
    /// Told fields, and those that short hashes are made of.
    told_or_hashed: Vec<FieldId>,
    /// Segments that tell less than the fields that they are made of.
    hashed: Vec<Hashed>,
    /// A timestamp used in steps, which of them are told (the others only hashed), and the slots among which steps are looked for.
    step: Option<(JointSteps, Range<i64>)>,
    /// Values of what is drawn for each write; infinite for identifiers that never come twice.
    draws: f64,
    /// Fields that the key says nothing of, and that each write of a row may have another value of.
    changing: Vec<FieldId>,
}

/// A segment of which several values of its fields share one: a short hash, a remainder, a coarse step.
#[derive(Debug, Clone)]
struct Hashed {
    fields: Vec<FieldId>,
    /// Its values.
    values: f64,
    /// Neighbouring values of its field that share one, on average; `None` where those that do lie anywhere.
    width: Option<f64>,
}

impl Hashed {
    /// Values that it has at most among the rows that satisfy a condition.
    fn values_under(&self, condition: Condition<'_>) -> f64 {
        let of_field = |field: &FieldId| {
            let range = condition.between.iter().find(|it| it.0 == *field);
            match condition.equal.iter().any(|(known, _)| known == field) {
                true => 1.0,
                false => match (range, self.width) {
                    (Some((_, low, high)), Some(width)) => ((high - low) as f64 / width).max(1.0),
                    _ => f64::INFINITY,
                },
            }
        };
        let values: f64 = self.fields.iter().map(of_field).product();
        values.min(self.values)
    }
}

/// The step of one record: of what is told or hashed, and of what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowStep([Option<(FieldId, i64, i64)>; 2]);

impl RowIdentity {
    /// Of a key over the fields of `schema`.
    pub fn of(key: &KeyPlan, schema: &Schema) -> Self {
        let told = key.told_fields(0..key.segments().len());
        let step = key.fields().into_iter().find_map(|field| {
            let FieldKind::Timestamp { unit, .. } = schema.field(field).kind else {
                return None;
            };
            (!told.contains(&field)).then_some((field, unit))
        });
        let step = step.and_then(|(field, unit)| {
            let joint = key.joint_steps(0..key.segments().len(), field)?;
            let (times, far) = (schema.slots(field), LONGEST_STEP / unit.nanos());
            let bounds = times.start.saturating_sub(far)..times.end.saturating_add(far);
            Some((joint, bounds))
        });
        let mut told_or_hashed = told.clone();
        let (mut hashed, mut draws) = (Vec::new(), 1.0);
        for (at, segment) in key.segments().iter().enumerate() {
            let values = segment.space();
            let joint = step.as_ref().map(|(joint, _)| joint);
            let joint = joint.filter(|joint| joint.segments.contains(&at));
            let in_steps = |field: FieldId| joint.is_some_and(|it| it.steps.field == field);
            let is_hidden = joint.is_some_and(|joint| joint.hidden.contains(&at));
            let mut fields = segment.fields().iter();
            if segment.randomness() == Randomness::Random {
                draws *= values;
            } else if is_hidden || fields.any(|field| !told.contains(field) && !in_steps(*field)) {
                let fields = segment.fields();
                told_or_hashed.extend(fields.iter().filter(|field| !in_steps(**field)));
                let width = match fields[..] {
                    [field] if key.trend(at, field).is_some() => {
                        let slots = schema.slots(field);
                        Some((slots.end.abs_diff(slots.start) as f64 / values).max(1.0))
                    }
                    _ => None,
                };
                hashed.push(Hashed {
                    fields: fields.to_vec(),
                    values,
                    width,
                });
            }
        }
        told_or_hashed.sort_unstable();
        told_or_hashed.dedup();
        let changing = (0..schema.fields.len() as u16).map(FieldId);
        let changing = changing.filter(|field| is_changing(schema, *field, &told_or_hashed));
        Self {
            changing: changing.collect(),
            told,
            told_or_hashed,
            hashed,
            step,
            draws,
        }
    }

    /// The step of `record`, which is changed on the way and put back: a whole one, also where the table's times end within it.
    pub fn step(&self, record: &mut [i64], cache: &mut StepCache) -> RowStep {
        let Some((joint, bounds)) = &self.step else {
            return RowStep::default();
        };
        let mut window = |steps: &FieldSteps| {
            let window = steps.window(record, bounds.clone(), cache);
            (steps.field, window.start, window.end)
        };
        let finest = Some(window(&joint.steps));
        let told = match joint.hidden.is_empty() {
            true => finest,
            false => joint.told.as_ref().map(window),
        };
        RowStep([finest, told])
    }

    /// The timestamp that tells rows or cells apart in steps.
    pub(super) fn step_field(&self) -> Option<FieldId> {
        self.step.as_ref().map(|(joint, _)| joint.steps.field)
    }

    /// Rows or cells of different values of the field, or of different steps of it, are different.
    pub(super) fn tells(&self, field: FieldId) -> bool {
        self.told.contains(&field) || self.step_field() == Some(field)
    }

    /// Writes that agree in these fields are the same row.
    pub(super) fn is_told_by(&self, fields: &[FieldId]) -> bool {
        let told = self.told_or_hashed.iter();
        let step = self.step.as_ref().map(|(joint, _)| joint.steps.field);
        self.draws == 1.0
            && told
                .copied()
                .chain(step)
                .all(|field| fields.contains(&field))
    }

    /// A salt is drawn for each write: a row that is written again lies under another salt, and its old version stays.
    pub fn leaves_copies(&self) -> bool {
        self.draws > 1.0 && self.draws.is_finite()
    }

    /// Expected number of different rows whose writes satisfy `condition`, when `target` is known to be one of the writes. A short hash of what
    /// the key does not tell makes at most as many rows of each told value as it has values itself. The copies of a row under different
    /// random salts are rows of their own: m writes of one row leave k (1 - (1 - 1/k)^m) under k salts.
    pub fn rows(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        step: RowStep,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        self.counted(rows, condition, (step, self.draws), target, at)
    }

    /// The same with all copies of a row under random salts counted once: its newest version is what a reader wants.
    pub fn current_rows(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        step: RowStep,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        self.counted(rows, condition, (step, self.draws_of(true)), target, at)
    }

    fn draws_of(&self, is_current: bool) -> f64 {
        match is_current && self.leaves_copies() {
            true => 1.0,
            false => self.draws,
        }
    }

    /// Of the rows of which some write satisfies a condition, the part whose newest write does: the others have had other values since. Of copies
    /// under random salts each is a row, or the current one alone. `target` is known to be one of the writes.
    pub(super) fn newest(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        (step, is_current): (RowStep, bool),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let draws = self.draws_of(is_current);
        let changes = |field: &FieldId| self.changing.contains(field);
        let (equal, between) = (condition.equal.iter(), condition.between.iter());
        if !equal.clone().any(|(field, _)| changes(field))
            && !between.clone().any(|(field, ..)| changes(field))
        {
            return 1.0;
        }
        let equal: SmallVec<[_; 4]> = equal.filter(|it| !changes(&it.0)).copied().collect();
        let between: SmallVec<[_; 4]> = between.filter(|it| !changes(&it.0)).copied().collect();
        let (equal, between) = (&equal[..], &between[..]);
        let told = Condition { equal, between };
        let of_rows = |condition, draws| self.counted(rows, condition, (step, draws), target, at);
        let writes = |condition| of_rows(condition, f64::INFINITY);
        let [some, all] = [condition, told].map(|of| of_rows(of, draws));
        let [wanted, written] = [condition, told].map(writes);
        if some <= 0.0 || written <= all {
            return 1.0;
        }
        // The target's own write is the newest of its row as often as any other of it.
        let share = ((wanted - 1.0) / (written - 1.0)).clamp(0.0, 1.0);
        let newest = all * share + (1.0 - share) * all / written;
        (newest / some).min(1.0)
    }

    /// Room for rows that satisfy a condition, of which more is known than of `all`: values of what the key tells, as many as would be met as often as those
    /// of all are, times what is left of the rest. Infinite where none is met twice.
    pub(super) fn room(
        &self,
        rows: &(impl RowCounts + ?Sized),
        [own, all]: [Condition<'_>; 2],
        RowStep([_, step]): RowStep,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        if self.hashed.is_empty() {
            return f64::INFINITY;
        }
        let told = &self.told[..];
        let counted = |draws| rows.distinct(all, RowEquality { told, step, draws }, target, at);
        let [values, writes] = [self.draws, f64::INFINITY].map(counted);
        match values > 0.0 {
            true => values_met(values, writes) * self.hashes(own),
            false => f64::INFINITY,
        }
    }

    /// Values of what the key doesn't tell, among the rows that satisfy a condition; 1 where it tells all.
    fn hashes(&self, condition: Condition<'_>) -> f64 {
        let values = self.hashed.iter().map(|it| it.values_under(condition));
        values.product()
    }

    fn counted(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        (RowStep([finest, step]), draws): (RowStep, f64),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let identity = |told, step| RowEquality { told, step, draws };
        let all = identity(&self.told_or_hashed, finest);
        let finest = rows.distinct(condition, all, target, at);
        let hashes = self.hashes(condition);
        if self.hashed.is_empty() || hashes.is_infinite() || finest <= 0.0 {
            return finest;
        }
        let told = rows.distinct(condition, identity(&self.told, step), target, at);
        if told <= 0.0 {
            return finest;
        }
        // Equally likely hashes of so many different values.
        let kept = -libm::expm1(finest / told * libm::log1p(-1.0 / hashes));
        (told * hashes * kept).clamp(told, finest.max(told))
    }
}

/// Of how many equally likely values so many writes meet so many: n (1 - e^(-w / n)) of them. Infinite where all are different.
fn values_met(met: f64, writes: f64) -> f64 {
    // Writes of each: between 0, with all different, and those of each that was met.
    let (mut low, mut high) = (0.0, writes / met);
    for _ in 0..f64::MANTISSA_DIGITS {
        let of_each = f64::midpoint(low, high);
        match -libm::expm1(-of_each) * writes > met * of_each {
            true => low = of_each,
            false => high = of_each,
        }
    }
    writes / low
}

/// Each write draws a value of the field that nothing tells of which these are known.
fn is_changing(schema: &Schema, field: FieldId, known: &[FieldId]) -> bool {
    let of = schema.field(field);
    let moves = matches!(
        of.kind,
        FieldKind::Timestamp { .. } | FieldKind::Sequence { .. }
    );
    let mut parents = of.of.iter();
    !moves
        && of.column.is_none()
        && !known.contains(&field)
        && (of.of.is_empty() || parents.any(|parent| is_changing(schema, *parent, known)))
}

#[cfg(test)]
#[path = "row_identity_tests.rs"]
mod tests;
