//! What a whole key tells of a write: which writes make the same row. Must not know reads.

use crate::key::{Digit, FieldSteps, JointSteps, KeyPlan, Randomness, StepCache};
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

/// Of so many values on average, one in e^8 times none is there by chance; so many rounds find how many there are where that counts, to 4 % of one.
const FEW: f64 = 8.0;
const ROUNDS: u32 = 24;

/// What writes must agree in to make the same row under one key.
#[derive(Debug, Clone)]
pub struct RowIdentity {
    told: Vec<FieldId>,
    /// Told fields, and those that short hashes are made of.
    told_or_hashed: Vec<FieldId>,
    /// Segments that tell less than the fields that they are made of.
    hashed: Vec<Hashed>,
    /// What those are made of and the key does not tell.
    untold: Vec<Spread>,
    /// A timestamp used in steps, which of them are told (the others only hashed), and the slots among which steps are looked for.
    step: Option<(JointSteps, Range<i64>)>,
    /// Values of what is drawn for each write; infinite for identifiers that never come twice.
    draws: f64,
    /// Fields that the key does not tell, and that each write of a row may have another value of.
    changing: Vec<FieldId>,
}

/// A segment of which several values of its fields share one: a short hash, a remainder, a coarse step.
#[derive(Debug, Clone)]
struct Hashed {
    /// Places of its fields among those that the key does not tell.
    fields: Vec<usize>,
    /// What it is made of, where it tells that and nothing else.
    digit: Option<Digit>,
    /// Its values.
    values: f64,
    /// Neighbouring values of its field that share one, on average; `None` where those that do lie anywhere.
    width: Option<f64>,
    /// Each value of its fields has any of its values; of others, all values of the fields have as many as each other.
    is_hash: bool,
}

/// A field that segments are made of which tell less.
#[derive(Debug, Clone)]
struct Spread {
    field: FieldId,
    slots: Range<i64>,
    /// Some of these segments are no hashes, and some are.
    in_classes: bool,
    in_hashes: bool,
}

/// What the key makes of the fields that it does not tell, among the rows that satisfy a condition.
struct Untold {
    /// Values of those fields of which it has steps and remainders.
    values: f64,
    /// What it makes of these.
    classes: f64,
    /// Values of hashes, and what they are made of, in each class.
    hashes: f64,
    inputs: f64,
}

impl Untold {
    fn all(&self) -> f64 {
        self.classes * self.hashes
    }

    /// Expected number of its values where it is made of so many different values of its fields on average, of one at least.
    fn made_of(&self, different: f64) -> f64 {
        let ln_missed = |different: f64, hashes: f64, values: f64| {
            let of_each = different / self.values;
            // A value of the fields in steps is there with one other or none, or with several, each of a hash of its own.
            values
                * match of_each < 1.0 {
                    true => libm::log1p(-of_each / hashes),
                    false => of_each * libm::log1p(-1.0 / hashes),
                }
        };
        // By chance there may be none.
        let (mut all, mut some) = (different, 1.0);
        for _ in 0..if different < FEW { ROUNDS } else { 0 } {
            some = match all < self.values {
                true => -libm::expm1(ln_missed(all, 1.0, self.values)),
                false => -libm::expm1(-all),
            };
            all = different * some;
        }
        let missed = ln_missed(all, self.hashes, self.values / self.classes);
        let missed = missed.max(self.inputs * libm::log1p(-1.0 / self.hashes));
        self.classes * self.hashes * -libm::expm1(missed) / some
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
        let (mut hashed, mut untold, mut draws) = (Vec::new(), Vec::<Spread>::new(), 1.0);
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
                let mut fields = segment.fields().to_vec();
                fields.retain(|field| !told.contains(field));
                told_or_hashed.extend(fields.iter().filter(|field| !in_steps(**field)));
                let width = match fields[..] {
                    [field] if key.trend(at, field).is_some() => {
                        let slots = schema.slots(field);
                        Some((slots.end.abs_diff(slots.start) as f64 / values).max(1.0))
                    }
                    _ => None,
                };
                let digit = segment.digit();
                // A hash of few values, such as that of a step, has no more.
                let made_of = segment.cardinality().map_or(f64::INFINITY, |it| it as f64);
                let is_hashed = digit.is_none() && segment.randomness() == Randomness::Hashed;
                let is_hash = is_hashed && made_of >= values;
                let values = match is_hashed && !is_hash {
                    true => -values * libm::expm1(made_of * libm::log1p(-1.0 / values)),
                    false => values,
                };
                let places = fields.iter().map(|field| {
                    let known = untold.iter().position(|of| of.field == *field);
                    let at = known.unwrap_or_else(|| {
                        untold.push(Spread {
                            field: *field,
                            slots: schema.slots(*field),
                            in_classes: false,
                            in_hashes: false,
                        });
                        untold.len() - 1
                    });
                    untold[at].in_classes |= !is_hash;
                    untold[at].in_hashes |= is_hash;
                    at
                });
                hashed.push(Hashed {
                    fields: places.collect(),
                    digit,
                    values,
                    width,
                    is_hash,
                });
            }
        }
        told_or_hashed.sort_unstable();
        told_or_hashed.dedup();
        // Coarse steps say nothing beside finer ones.
        let digits: Vec<Digit> = hashed.iter().filter_map(|of: &Hashed| of.digit).collect();
        let is_told = |own: Digit| {
            let mut finer = digits.iter().filter(|it| it.field == own.field);
            finer.any(|it| *it != own && !it.is_periodic() && own.is_told_by(it))
        };
        hashed.retain(|of| !of.digit.is_some_and(is_told));
        // A hash of several fields may tell each of them.
        let several = hashed.iter().filter(|of| of.fields.len() > 1);
        let several = several.flat_map(|of| of.fields.iter().map(|at| untold[*at].field));
        let known: Vec<FieldId> = several.chain(told.iter().copied()).collect();
        let changing = (0..schema.fields.len() as u16).map(FieldId);
        let changing = changing.filter(|field| is_changing(schema, *field, &known));
        Self {
            changing: changing.collect(),
            told,
            told_or_hashed,
            hashed,
            untold,
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
        // Without what the key says nothing of.
        let says = |field: &FieldId| {
            !changes(field) || self.untold.iter().any(|untold| untold.field == *field)
        };
        let equal: SmallVec<[_; 4]> = equal.filter(|it| says(&it.0)).copied().collect();
        let between: SmallVec<[_; 4]> = between.filter(|it| says(&it.0)).copied().collect();
        let said = Condition {
            equal: &equal,
            between: &between,
        };
        // And with the steps that it tells of others.
        let kept = equal.iter().filter(|it| !changes(&it.0));
        let kept: SmallVec<[_; 4]> = kept.copied().collect();
        let single = equal.iter().filter(|it| changes(&it.0));
        let single = single.map(|(field, slot)| (*field, *slot, slot.saturating_add(1)));
        let near = between.iter().copied().chain(single);
        let near = near.filter_map(|(field, low, high)| match changes(&field) {
            true => self.whole_steps(field, low..high),
            false => Some((field, low, high)),
        });
        let near: SmallVec<[_; 4]> = near.collect();
        let told = Condition {
            equal: &kept,
            between: &near,
        };
        // Of a remainder or a short hash a row has one: as many rows as have those of the values that are asked for, and as many of the other writes, whose
        // values share them by chance, or are the rest of those that do.
        let [of_said, of_told] = [said, told].map(|of| self.untold(of, step));
        let alike = (of_said.all() / of_told.all()).min(1.0);
        let same = of_said.values / of_told.values;
        let others = match same < 1.0 {
            true => ((alike - same) / (1.0 - same)).max(0.0),
            false => alike,
        };
        // Rows and writes of each.
        let count = |part: &[(FieldId, i64, i64)]| {
            [condition, said, told].map(|of| {
                let mut between = SmallVec::<[_; 8]>::from(of.between);
                for (field, low, high) in part {
                    match between.iter_mut().find(|it| it.0 == *field) {
                        Some(own) => (own.1, own.2) = (own.1.max(*low), own.2.min(*high)),
                        None => between.push((*field, *low, *high)),
                    }
                }
                let of = Condition {
                    between: &between,
                    ..of
                };
                [draws, f64::INFINITY]
                    .map(|draws| self.counted(rows, of, (step, draws), target, at))
            })
        };
        // `own` is the part of the target's write in them, which is the newest of its row as often as any other of it.
        let newest = |[[some, wanted], [near, nearby], [all, written]]: [[f64; 2]; 3], own: f64| {
            // As many keys for each value as all have, of which some more may be met.
            let (of_all, with_all) = (all, written);
            let written = nearby + (with_all - nearby) * others;
            let keys = match alike < 1.0 {
                true => values_met(of_all, with_all) * alike,
                false => f64::INFINITY,
            };
            let met = match keys.is_finite() {
                true => -keys * libm::expm1(-written / keys),
                false => of_all.min(written),
            };
            let all = met.max(near);
            if written <= all {
                return some;
            }
            let share = ((wanted - own) / (written - own)).clamp(0.0, 1.0);
            (all * share + own * (1.0 - share) * all / written).min(some)
        };
        let (all, mut own, mut sum) = (count(&[]), 1.0, 0.0);
        if all[0][0] <= 0.0 {
            return 1.0;
        }
        // Where a write fixes what the key tells, its rows have more writes than others, and perhaps of one value.
        let mut rest = all;
        let mut parts: SmallVec<[SmallVec<[_; 2]>; 4]> = SmallVec::new();
        for fixed in rows.fixed() {
            let is_known = |field: &FieldId| condition.equal.iter().any(|it| it.0 == *field);
            let part = fixed.iter().filter(|it| !is_known(&it.0));
            let part = part.filter_map(|(field, slot)| match self.told.contains(field) {
                true => Some((*field, *slot, slot.saturating_add(1))),
                false => self.whole_steps(*field, *slot..slot.saturating_add(1)),
            });
            let part: SmallVec<[_; 2]> = part.collect();
            let outside = |(field, low, high): &(FieldId, i64, i64)| {
                let mut near = near.iter();
                near.any(|(of, from, to)| of == field && (high <= from || to <= low))
            };
            if part.is_empty() || parts.contains(&part) || part.iter().any(outside) {
                continue;
            }
            let of = count(&part);
            let is_own = part
                .iter()
                .all(|(field, low, high)| (*low..*high).contains(&target[usize::from(field.0)]));
            let of_target = if is_own { own } else { 0.0 };
            own -= of_target;
            sum += newest(of, of_target);
            for (rest, of) in rest.iter_mut().flatten().zip(of.as_flattened()) {
                *rest = (*rest - of).max(0.0);
            }
            parts.push(part);
        }
        ((sum + newest(rest, own)) / all[0][0]).min(1.0)
    }

    /// The whole steps that hold a range of a field, where the key tells these and nothing else of it.
    fn whole_steps(&self, field: FieldId, range: Range<i64>) -> Option<(FieldId, i64, i64)> {
        let place = self.untold.iter().position(|of| of.field == field)?;
        let steps = self.hashed.iter().filter(|of| of.fields == [place]);
        let steps = steps.filter_map(|of| of.digit?.whole_steps(&range));
        let steps = steps.reduce(|a, b| a.start.max(b.start)..a.end.min(b.end))?;
        Some((field, steps.start, steps.end))
    }

    /// Room for rows that satisfy a condition, of which more is known than of `all`: values of what the key tells, as many as would be met as often as those
    /// of all are, times what is left of the rest. Infinite where none is met twice.
    pub(super) fn room(
        &self,
        rows: &(impl RowCounts + ?Sized),
        [own, all]: [Condition<'_>; 2],
        of @ RowStep([_, step]): RowStep,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        if self.hashed.is_empty() {
            return f64::INFINITY;
        }
        let told = &self.told[..];
        let counted = |draws| rows.distinct(all, RowEquality { told, step, draws }, target, at);
        let [values, writes] = [self.draws, f64::INFINITY].map(counted);
        let untold = self.untold(own, of);
        match values > 0.0 {
            true => values_met(values, writes) * untold.all(),
            false => f64::INFINITY,
        }
    }

    /// What the key makes of what it doesn't tell, among the rows that satisfy a condition and are alike in what it tells.
    fn untold(&self, condition: Condition<'_>, RowStep([finest, told]): RowStep) -> Untold {
        let left = |Spread { field, slots, .. }: &Spread| {
            let own = |step: Option<(FieldId, i64, i64)>| step.filter(|step| step.0 == *field);
            let ranges = condition.between.iter().filter(|it| it.0 == *field);
            let ranges = ranges.map(|(_, low, high)| *low..*high);
            let range = ranges.fold(slots.clone(), |a, b| a.start.max(b.start)..a.end.min(b.end));
            if condition.equal.iter().any(|(known, _)| known == field) || range.is_empty() {
                return (0..1, 1.0);
            }
            // Of one step that is told, whichever it is.
            let range = match own(told) {
                Some((_, low, high)) if high - low < range.end - range.start => low..high,
                _ => range,
            };
            let values = range.end.abs_diff(range.start) as f64;
            // Known in steps, where it is hashed in steps only.
            let step = own(finest).filter(|_| !self.told_or_hashed.contains(field));
            let step = step.map_or(1.0, |(_, low, high)| high.abs_diff(low) as f64);
            (range, (values / step).max(1.0))
        };
        let left: SmallVec<[_; 4]> = self.untold.iter().map(left).collect();
        let values = |of_hashes: bool| {
            let fields = self.untold.iter().zip(&left);
            let fields = fields.filter(|(of, _)| {
                if of_hashes {
                    of.in_hashes
                } else {
                    of.in_classes
                }
            });
            fields.map(|(_, (_, values))| values).product()
        };
        let mut untold = Untold {
            values: values(false),
            classes: 1.0,
            hashes: 1.0,
            inputs: values(true),
        };
        let mut of_field: SmallVec<[f64; 4]> = left.iter().map(|_| 1.0).collect();
        for of in &self.hashed {
            let (range, _) = &left[of.fields[0]];
            let values: f64 = of.fields.iter().map(|at| left[*at].1).product();
            let values = match (of.is_hash && values > 1.0, of.digit, of.width) {
                (true, ..) => of.values,
                (_, Some(digit), _) => digit.values_in(range),
                // The whole of a step as often as not: no more than lies in it.
                (_, _, Some(width)) => (range.end.abs_diff(range.start) as f64 / width).max(1.0),
                _ => values,
            };
            let values = values.min(of.values);
            match (of.is_hash, &of.fields[..]) {
                (true, _) => untold.hashes *= values,
                (false, [field]) => of_field[*field] *= values,
                (false, _) => untold.classes *= values,
            }
            if !of.is_hash && of.fields.iter().all(|at| self.untold[*at].in_hashes) {
                untold.inputs /= values;
            }
        }
        // What is made of one field has no more values together than that.
        let of_fields = of_field.iter().zip(&left);
        let of_fields: f64 = of_fields.map(|(made, (_, own))| made.min(*own)).product();
        untold.classes = (untold.classes * of_fields).min(untold.values);
        untold
    }

    fn counted(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        (of @ RowStep([finest, step]), draws): (RowStep, f64),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let identity = |told, step| RowEquality { told, step, draws };
        let all = identity(&self.told_or_hashed, finest);
        let finest = rows.distinct(condition, all, target, at);
        let untold = self.untold(condition, of);
        if self.hashed.is_empty() || untold.all().is_infinite() || finest <= 0.0 {
            return finest;
        }
        let told = rows.distinct(condition, identity(&self.told, step), target, at);
        if told <= 0.0 {
            return finest;
        }
        if untold.all() <= 1.0 {
            return told;
        }
        (told * untold.made_of(finest / told)).clamp(told, finest.max(told))
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
