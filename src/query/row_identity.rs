//! What a whole key tells of a write: which writes make the same row. Must not know reads.

use super::decided_fields::{
    decided_by, is_changing, is_sequence, moves, tells_parents, with_parents,
};
use super::joined_values::{JoinedValues, Parts, are_few};
use super::made::{DigitsTogether, Form, Made, MadeOf, Untold, digits_together, recurring};
use super::recurring_time::{Recurring, count_of_steps, even_steps, steps_of};
use super::unchanging::Unchanging;
use crate::key::{Digit, FieldSteps, JointSteps, KeyPlan, Randomness, StepCache};
use crate::record::{FieldId, FieldKind, Schema, ValueGroups};
use crate::statistics::values_met;
use crate::time::SimTime;
use crate::workload::{Condition, RowCounts, RowEquality, Turns};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Steps of time are looked for so far beyond the table's times, within which they may end: two years.
const LONGEST_STEP: i64 = 2 * 366 * 86_400 * 1_000_000_000;

/// Of so many values for each place by chance, hardly any place is left without: e^-8 of them.
const MANY_VALUES: f64 = 8.0;

impl RowStep {
    /// The timestamp that the key tells in steps, and the slots of this one.
    pub fn window(self) -> Option<(FieldId, Range<i64>)> {
        self.0[0].map(|(field, start, end)| (field, start..end))
    }
}

/// What writes must agree in to make the same row under one key.
#[derive(Debug, Clone)]
pub struct RowIdentity {
    /// All fields that the key uses, and those of which it tells all.
    fields: Vec<FieldId>,
    whole: Vec<FieldId>,
    /// These, and fields of which it tells groups of values.
    told: Vec<FieldId>,
    groups: Vec<Arc<ValueGroups>>,
    /// What long hashes beside these would tell.
    hashed: Option<(Vec<FieldId>, Vec<Arc<ValueGroups>>)>,
    /// What segments tell besides.
    made: Vec<Made>,
    /// Digits of one time, or of one number, together.
    digits: Vec<DigitsTogether>,
    /// What they make of several fields together.
    joined: Option<Arc<JoinedValues>>,
    /// A timestamp used in steps, which of them are told (the others only hashed), and the slots among which steps are looked for.
    step: Option<(JointSteps, Range<i64>)>,
    /// A timestamp of which parts are told that may come again.
    recurring: Option<Recurring>,
    /// Values of what is drawn for each write; infinite for identifiers that never come twice.
    draws: f64,
    /// No row is written again: the key tells what each write has another value of.
    is_once: bool,
    /// Fields that the key does not tell, and that each write of a row may have another value of.
    changing: Vec<FieldId>,
}

/// The step of one record: of what is told or hashed, and of what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowStep([Option<(FieldId, i64, i64)>; 2]);

impl RowIdentity {
    /// Of a key over the fields of `schema`.
    pub fn of(key: &KeyPlan, schema: &Schema) -> Self {
        let telling = key.telling_segments(0..key.segments().len());
        let mut told = key.told_fields(telling.iter().copied());
        let segments = telling.iter().map(|at| &key.segments()[*at]);
        let places = segments.filter(|it| tells_parents(it, schema));
        told.extend(places.flat_map(|segment| segment.fields()));
        told.sort_unstable();
        told.dedup();
        let told = with_parents(told, schema);
        let decided = decided_by(&told, schema);
        let groups = key.value_groups();
        let step = key.fields().into_iter().find_map(|field| {
            let FieldKind::Timestamp { unit, .. } = schema.field(field).kind else {
                return None;
            };
            (!told.contains(&field)).then_some((field, unit))
        });
        let step = step.and_then(|(field, unit)| {
            let joint = key.joint_steps(telling.iter().copied(), field)?;
            let (times, far) = (schema.slots(field), LONGEST_STEP / unit.nanos());
            let bounds = times.start.saturating_sub(far)..times.end.saturating_add(far);
            Some((joint, bounds))
        });
        let (mut made, mut draws) = (Vec::<Made>::new(), 1.0);
        for &at in &telling {
            let segment = &key.segments()[at];
            let values = segment.space();
            let joint = step.as_ref().map(|(joint, _)| joint);
            let joint = joint.filter(|joint| joint.segments.contains(&at));
            let in_steps = |field: FieldId| joint.is_some_and(|it| it.steps.field == field);
            let is_hidden = joint.is_some_and(|joint| joint.hidden.contains(&at));
            let is_grouped = |field: FieldId| {
                let mut groups = groups.iter();
                groups.any(|it| it.field == field || it.decides.contains(&field))
            };
            let left = segment.fields().iter().copied();
            let left: Vec<FieldId> = left.filter(|field| !decided.contains(field)).collect();
            if segment.randomness() == Randomness::Random {
                // Of each value of what is told it has no more than are drawn.
                draws *= match left.is_empty() {
                    true => values.min(segment.draws()),
                    false => values,
                };
                continue;
            }
            let is_known = matches!(segment.fields(), [field] if is_grouped(*field));
            if is_known || !is_hidden && left.iter().all(|field| in_steps(*field)) {
                continue;
            }
            // A number that is made of digits of several fields tells each of them.
            if !segment.digits().is_empty() {
                let is_open = |it: &&Digit| left.contains(&it.field) && !is_grouped(it.field);
                let open = segment.digits().iter().filter(is_open);
                let open = open.filter(|it| is_hidden || !in_steps(it.field));
                made.extend(open.map(|digit| {
                    let slots = schema.slots(digit.field);
                    Made {
                        values: digit.values_in(&slots),
                        fields: vec![(digit.field, slots, in_steps(digit.field))],
                        form: Form::Digit(*digit),
                        in_turn: moves(schema, digit.field),
                        is_counted: is_sequence(schema, digit.field),
                        joined: None,
                    }
                }));
                continue;
            }
            let parts = left.first().and_then(|field| key.time_parts(*field));
            let parts = parts.filter(|it| it.segments.contains(&at));
            let is_parts = |of: &Made| matches!(of.form, Form::Parts(_));
            if parts.is_some() && made.iter().any(is_parts) {
                continue;
            }
            // A hash of few values, such as that of a step, has no more.
            let made_of = segment.cardinality().map_or(f64::INFINITY, |it| it as f64);
            // Of what has a value for each of its parents, it deals these out as a hash does.
            let of_others = |id: &FieldId| !schema.field(*id).of.is_empty();
            let is_place = left.len() > 1 && left.iter().all(of_others);
            let is_hash = segment.randomness() == Randomness::Hashed || is_place;
            let steps = match left[..] {
                [field] if key.trend(at, field).is_some() => Some(schema.slots(field)),
                _ => None,
            };
            // Numbers, times and steps of these come one after another, so that hashes of all of them meet by chance, not in turn.
            let numbers = match left[..] {
                _ if left.iter().any(|field| in_steps(*field)) => made_of,
                [field] if moves(schema, field) => {
                    let Range { start, end } = schema.slots(field);
                    end.abs_diff(start) as f64
                }
                _ => f64::INFINITY,
            };
            let (form, values) = match (parts, segment.digit(), steps) {
                (Some(parts), ..) => (Form::Parts(parts.clone()), f64::INFINITY),
                (_, Some(digit), _) => (Form::Digit(digit), values),
                _ if is_hash && made_of >= values.min(numbers) => (Form::Hash, values),
                _ if is_hash => (Form::Other, hashed(values, made_of)),
                (.., Some(slots)) => {
                    let beside_others = || {
                        let is_coarse = key.is_coarse(at, left[0]);
                        key.field_steps(at..at + 1, left[0]).filter(|_| is_coarse)
                    };
                    let steps = key.segment_steps(at, left[0]).or_else(beside_others);
                    let even = steps.as_ref();
                    let even = even.and_then(|it| even_steps(it, &slots, schema));
                    // Beside what is told of others it has no more values than the field has steps.
                    let count = match (even, &steps) {
                        (Some((begin, length)), _) => Some(steps_of(&slots, begin, length)),
                        (None, Some(steps)) => count_of_steps(steps, &slots, schema),
                        (None, None) => None,
                    };
                    let values = count.map_or(values, |count| values.min(count));
                    let width = slots.end.abs_diff(slots.start) as f64 / values;
                    let width = even.map_or(width.max(1.0), |(_, length)| length as f64);
                    (Form::Steps(width, even), values)
                }
                _ => (Form::Other, values),
            };
            let fields = left.iter();
            let fields = fields
                .map(|it| (*it, schema.slots(*it), in_steps(*it)))
                .collect();
            let in_turn =
                !matches!(form, Form::Hash) && left.iter().all(|field| moves(schema, *field));
            let is_double = matches!(left[..], [it] if matches!(schema.field(it).kind, FieldKind::Double { .. }));
            let is_of_several = segment.fields().len() > 1;
            let is_joined = match form {
                Form::Hash => is_of_several && are_few(segment.fields(), schema),
                Form::Other => is_of_several || is_double,
                _ => is_double,
            };
            made.push(Made {
                fields,
                form,
                values,
                in_turn,
                is_counted: left.iter().all(|field| is_sequence(schema, *field)),
                joined: (is_joined && !in_turn).then_some(at),
            });
        }
        // Coarse steps say nothing beside finer ones.
        let digit = |of: &Made| match of.form {
            Form::Digit(digit) => Some(digit),
            _ => None,
        };
        let digits: Vec<Digit> = made.iter().filter_map(digit).collect();
        let is_told = |own: Digit| {
            let mut finer = digits.iter().filter(|it| it.field == own.field);
            finer.any(|it| *it != own && !it.is_periodic() && own.is_told_by(it))
        };
        made.retain(|of| !digit(of).is_some_and(is_told));
        // A hash of several fields may tell each of them, where it has no fewer values than they have together.
        let together = |of: &Made| {
            let counts = of.fields.iter().map(|it| schema.field(it.0).count());
            counts
                .map(|count| count.map_or(0.0, |it| it as f64))
                .product::<f64>()
        };
        let several = made.iter();
        let is_any = |of: &Made| of.joined.is_none() || matches!(of.form, Form::Hash);
        let several = several.filter(|of| of.fields.len() > 1 && is_any(of));
        let several = several.filter(|of| of.values >= together(of));
        let several = several.flat_map(|of| of.fields.iter().map(|it| it.0));
        let known: Vec<FieldId> = several.chain(told.iter().copied()).collect();
        let changing = (0..schema.fields.len() as u16).map(FieldId);
        let changing = changing.filter(|field| is_changing(schema, *field, &known));
        let mut changing: Vec<FieldId> = changing.collect();
        let is_joined = |of: &Made| of.joined.is_some();
        let (joined, mut made): (Vec<Made>, Vec<Made>) = made.into_iter().partition(is_joined);
        let joined = (!joined.is_empty()).then(|| {
            let segments: Vec<usize> = joined.iter().filter_map(|of| of.joined).collect();
            let values = joined.iter().map(|of| of.values).product();
            let told = (&told[..], groups);
            Arc::new(JoinedValues::of((key, &segments), values, told, schema))
        });
        // Of fields with too many values to go through, groups are alike.
        let (mut groups, mut known_together) = (groups.to_vec(), Vec::new());
        for &field in &changing {
            let is_own = |of: &Made| matches!(of.fields[..], [(of, ..)] if of == field);
            let own: Vec<&Made> = made.iter().filter(|of| is_own(of)).collect();
            // What has another value in each write has any of its groups in each, as if they were drawn.
            let is_open = schema.field(field).count().is_none();
            if own.is_empty() || is_open || groups.iter().any(|it| it.field == field) {
                continue;
            }
            let steps = |of: &Made| match &of.form {
                Form::Digit(digit) => digit.steps(),
                Form::Steps(_, even) => *even,
                _ => None,
            };
            let others = own.iter().filter(|of| steps(of).is_none());
            // Values that share what is told are apart by what is told of fields that follow from them.
            let follows = |it: &FieldId| schema.follows(*it, field);
            let told = told.iter().copied().filter(follows);
            let told = told.filter_map(|it| Some((it, schema.field(it).count()? as f64)));
            let grouped = groups.iter().map(|it| (it.field, it.count));
            let followers = told.chain(grouped.filter(|it| follows(&it.0)));
            let (decides, counts): (Vec<FieldId>, Vec<f64>) = followers.unzip();
            let by_followers: f64 = counts.iter().product();
            let own_values = own.iter().map(|of| of.values).product::<f64>();
            let slots = schema.slots(field);
            let slots = slots.end.abs_diff(slots.start) as f64;
            // Where many values share everything that is told, each part of it comes with each other one all the same.
            let (decides, by_followers) = match own_values * by_followers * MANY_VALUES < slots {
                true => (Vec::new(), 1.0),
                false => (decides, by_followers),
            };
            let in_each = others.map(|of| of.values).product::<f64>() * by_followers;
            let all = own_values * by_followers;
            if all >= slots {
                // There are as many as the field has values: two halves of a number tell it.
                known_together.push(field);
                made.retain(|of| !is_own(of));
                continue;
            }
            let steps = own.iter().find_map(|of| steps(of));
            groups.retain(|it| !decides.contains(&it.field));
            let alike = ValueGroups::alike(field, all, steps, in_each);
            groups.push(Arc::new(alike.deciding(decides)));
            made.retain(|of| !is_own(of));
        }
        changing.retain(|field| !known_together.contains(field));
        let mut all: Vec<FieldId> = groups.iter().map(|it| it.field).collect();
        let is_decided = |id: &&FieldId| groups.iter().any(|it| it.decides.contains(id));
        all.extend(
            told.iter()
                .filter(|id| !is_decided(id))
                .chain(&known_together),
        );
        let recurring = recurring(&made);
        let mut hashes = made.iter().filter(|of| matches!(of.form, Form::Hash));
        let in_full = hashes.clone().flat_map(|of| &of.fields);
        let in_full = in_full.filter(|it| !it.2).map(|it| it.0);
        let mut hashed = with_parents(in_full.collect(), schema);
        let apart = groups.iter().filter(|it| !hashed.contains(&it.field));
        let apart = apart.cloned().collect();
        hashed.extend(&all);
        for fields in [&mut all, &mut hashed] {
            fields.sort_unstable();
            fields.dedup();
        }
        let is_fresh = |field: &FieldId| {
            let of = schema.field(*field);
            let is_number = matches!(
                of.kind,
                FieldKind::Timestamp { .. } | FieldKind::Double { .. }
            );
            !is_number && of.count().is_none() && of.of.is_empty() && of.literals.is_empty()
        };
        Self {
            is_once: draws.is_infinite() || told.iter().any(is_fresh),
            fields: key.fields(),
            whole: told,
            told: all,
            groups,
            hashed: hashes.next().map(|_| (hashed, apart)),
            digits: digits_together(&made),
            made,
            joined,
            step,
            recurring,
            draws,
            changing,
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
        self.whole.contains(&field) || self.step_field() == Some(field)
    }

    /// Rows or cells of different values of the field are different.
    pub(super) fn tells_all_of(&self, field: FieldId) -> bool {
        self.whole.contains(&field)
    }

    /// The key tells values of the field, or groups of them.
    pub(super) fn tells_some_of(&self, field: FieldId) -> bool {
        self.whole.contains(&field) || self.told.contains(&field)
    }

    /// Writes of one row may have different values of the field.
    pub(super) fn may_change(&self, field: FieldId) -> bool {
        self.changing.contains(&field)
    }

    /// Writes that differ in the field make different rows.
    pub(super) fn parts(&self, field: FieldId) -> bool {
        self.is_once || self.tells_all_of(field)
    }

    /// Writes that agree in these fields are the same row, and the fields those that it has had from its first write on.
    pub(super) fn is_told_by(&self, fields: &[FieldId]) -> bool {
        let keeps = |field: &FieldId| !self.changing.contains(field);
        self.draws == 1.0
            && self.fields.iter().all(|field| fields.contains(field))
            && fields.iter().all(keeps)
    }

    /// A salt is drawn for each write: a row that is written again lies under another salt, and its old version stays.
    pub fn leaves_copies(&self) -> bool {
        self.draws > 1.0 && self.draws.is_finite()
    }

    /// The same with one of so many random salts before each write's row.
    pub fn salted(mut self, salts: f64) -> Self {
        self.draws *= salts;
        self
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

    /// What rows that satisfy a condition are alike in, as far as writes show it; copies under random salts count once where only the current one does.
    pub fn alike(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        (step, is_current): (RowStep, bool),
    ) -> RowEquality<'_> {
        let values = self.values_of(rows, condition, step);
        let of = (step, self.draws_of(is_current) * values);
        self.equality(condition, of, |values, _| values)
    }

    /// The condition is on what only the newest write of a row has.
    pub(super) fn asks_of_newest(&self, condition: Condition<'_>) -> bool {
        let (equal, between) = (condition.equal.iter(), condition.between.iter());
        let fields = equal.map(|it| it.0).chain(between.map(|it| it.0));
        let mut fields = fields.chain(condition.alike.iter().map(|it| it.0.field));
        fields.any(|field| self.changing.contains(&field))
    }

    fn draws_of(&self, is_current: bool) -> f64 {
        match is_current && self.leaves_copies() {
            true => 1.0,
            false => self.draws,
        }
    }

    /// Of `counted` rows of which some write satisfies a condition, those whose newest write does: the others have had other values since. Of copies
    /// under random salts each is a row, or the current one alone. `target` is known to be one of the writes.
    pub(super) fn newest(
        &self,
        counted: f64,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        (step, is_current): (RowStep, bool),
        (target, at): (&[i64], SimTime),
    ) -> f64 {
        if !self.asks_of_newest(condition) {
            return counted;
        }
        let newest = |(part, values): &(f64, f64)| {
            let of = (step, self.draws_of(is_current) * values);
            part * self.newest_of(rows, condition, of, (target, at))
        };
        // Rows have any values of what changes: what is made of it is no more certain for what is asked for.
        let all = Unchanging::of(condition, &self.changing);
        let parts = self.joined_parts(rows, all.condition(), step);
        parts.iter().map(newest).sum::<f64>().min(counted)
    }

    /// The same of rows with so many values of what is drawn.
    fn newest_of(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        of: (RowStep, f64),
        (target, at): (&[i64], SimTime),
    ) -> f64 {
        let newest_of = |equality| {
            let changing = &self.changing;
            rows.distinct(
                condition,
                RowEquality {
                    changing,
                    ..equality
                },
                target,
                at,
            )
        };
        if self.hashed.is_none() {
            let newest = newest_of(self.equality(condition, of, hashed));
            let bounds = self.no_more_than(condition, of).map(newest_of);
            return bounds.fold(newest, f64::min);
        }
        let all = Unchanging::of(condition, &self.changing);
        let all = all.condition();
        // The hash of what changes is that of any of its values in each write: all rows have as large a part of what is asked for.
        let equality = self.equality(all, of, hashed);
        let newest = newest_of(equality);
        // As many fewer as of all rows: as often as different things have the same hash.
        let by_chance = rows.distinct(all, equality, target, at);
        let met = self.counted_of(rows, all, of, target, at);
        newest * (met / by_chance).min(1.0)
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
        if self.made.is_empty() && self.groups.is_empty() && self.joined.is_none() {
            return f64::INFINITY;
        }
        let whole = RowEquality {
            told: &self.whole,
            step,
            ..RowEquality::default()
        };
        let counted = |draws| rows.distinct(all, RowEquality { draws, ..whole }, target, at);
        let [values, writes] = [self.draws, f64::INFINITY].map(counted);
        let left = |groups: &Arc<ValueGroups>| {
            let equal = own.equal.iter().find(|it| it.0 == groups.field);
            let equal = equal.map(|(_, slot)| (*slot, slot.saturating_add(1)));
            let between = own.between.iter().find(|it| it.0 == groups.field);
            let slots = equal.or(between.map(|(_, low, high)| (*low, *high)));
            slots.map_or(groups.count, |it| groups.met(it))
        };
        let groups: f64 = self.groups.iter().map(left).product();
        match values > 0.0 {
            true => {
                values_met(values, writes)
                    * groups
                    * {
                        let Untold { values, turns } =
                            self.untold(own, (of, |_: &Made| false), hashed);
                        values * turns.values
                    }
                    * self.values_of(rows, own, of)
            }
            false => f64::INFINITY,
        }
    }

    /// How many values there are of what segments tell besides, by a `hash` of so many values of so many things, among the rows that satisfy a condition and are
    /// alike in what the key tells: those that come by chance, and those that come in turn.
    fn untold(
        &self,
        condition: Condition<'_>,
        (RowStep([finest, told]), is_told): (RowStep, impl Fn(&Made) -> bool),
        hash: impl Fn(f64, f64) -> f64,
    ) -> Untold {
        let left = |(field, slots, is_coarse): &(FieldId, Range<i64>, bool)| {
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
            let alike = condition.alike.iter().find(|it| it.0.field == *field);
            // Steps that a range begins or ends within are among them.
            let (low, length) = match own(finest).filter(|_| *is_coarse) {
                Some((_, low, high)) => (low, (high - low).max(1)),
                None => (0, 1),
            };
            let values = match alike {
                Some((groups, at)) => groups.of_groups[*at as usize].len() as f64 / length as f64,
                None => {
                    let [first, last] = [range.start, range.end - 1]
                        .map(|slot| i128::from(slot) - i128::from(low))
                        .map(|after| after.div_euclid(i128::from(length)));
                    (last - first + 1) as f64
                }
            };
            let groups = self.groups.iter().find(|it| it.field == *field);
            let groups = groups.map_or(1.0, |it| it.count);
            (range, (values / groups).max(1.0))
        };
        let mut all = 1.0;
        let mut of_field = SmallVec::<[MadeOf; 2]>::new();
        for of in self.made.iter().filter(|of| !is_told(of)) {
            let fields: SmallVec<[_; 2]> = of.fields.iter().map(left).collect();
            let (range, inputs) = (&fields[0].0, fields.iter().map(|it| it.1).product::<f64>());
            let values = match &of.form {
                Form::Hash if inputs <= 1.0 => 1.0,
                Form::Hash => hash(of.values, inputs),
                Form::Digit(digit) => digit.values_in(range),
                // The whole of a step as often as not: no more than lies in it.
                Form::Steps(width, _) => (range.end.abs_diff(range.start) as f64 / width).max(1.0),
                Form::Parts(parts) => parts.values_in(range),
                Form::Other => inputs,
            };
            let (values, field) = (values.min(of.values), of.fields[0].0);
            if fields.len() > 1 {
                all *= values;
                continue;
            }
            let at = of_field.iter().position(|it| it.field == field);
            let at = at.unwrap_or_else(|| {
                of_field.push(MadeOf {
                    field,
                    values: [1.0; 2],
                    most: inputs,
                    is_counted: of.is_counted,
                    is_met: false,
                    steps: None,
                    run: 1.0,
                    together: None,
                });
                of_field.len() - 1
            });
            let known = &mut of_field[at];
            known.is_met |= of.is_counted || matches!(of.form, Form::Hash);
            known.values[usize::from(of.in_turn)] *= values;
            known.most = known.most.max(inputs);
            match &of.form {
                Form::Digit(digit) => match digit.steps() {
                    Some((_, width)) => known.steps = Some([values, width as f64]),
                    None => known.run = digit.run() as f64,
                },
                Form::Steps(width, _) => known.steps = Some([values, *width]),
                _ => {}
            }
        }
        // What is made of one field has no more values together than that.
        let mut found = Untold {
            values: all,
            turns: Turns::NONE,
        };
        for of in &mut of_field {
            if let Some(together) = self.digits.iter().find(|it| it.field == of.field) {
                of.values[1] = of.values[1].min(together.values);
                of.together = together.run;
            }
            let in_turn = of.values[1].min(of.most);
            // Hashes, and numbers that come once, meet others by chance, of all values that there are.
            found.values *= match of.is_met && in_turn == 1.0 {
                true => of.values[0],
                false => of.values[0].min(of.most / in_turn),
            };
            found.turns.values *= in_turn;
        }
        let mut in_turn = of_field.iter().filter(|of| of.values[1] > 1.0);
        if let (Some(of), None) = (in_turn.next(), in_turn.next()) {
            found.turns.run = of.is_counted.then(|| of.run());
        }
        found
    }

    /// What rows that satisfy a condition are alike in. What segments tell besides has any of its values in each write, as if it were drawn, or the next one.
    fn equality(
        &self,
        condition: Condition<'_>,
        (of @ RowStep([_, step]), draws): (RowStep, f64),
        hash: impl Fn(f64, f64) -> f64,
    ) -> RowEquality<'_> {
        match self.parts_of(step).filter(|own| own.is_once) {
            Some(own) => self.in_steps(own, condition, (of, draws), hash),
            None => self.beside(|_| false, condition, (of, draws), hash),
        }
    }

    /// Parts of a time, of whose steps the one that is told is made.
    fn parts_of(&self, told: Option<(FieldId, i64, i64)>) -> Option<Recurring> {
        let is_whole = |own: &Recurring| told.is_none_or(|it| own.is_within(it));
        self.recurring.filter(is_whole)
    }

    /// The same where parts of a time are told apart by their steps.
    fn in_steps(
        &self,
        recurring: Recurring,
        condition: Condition<'_>,
        of: (RowStep, f64),
        hash: impl Fn(f64, f64) -> f64,
    ) -> RowEquality<'_> {
        // A whole value tells all that is made of it.
        let is_told = |of: &Made| of.is_of(recurring.field) && (of.in_turn || recurring.slots == 1);
        RowEquality {
            step: Some(recurring.step()),
            ..self.beside(is_told, condition, of, hash)
        }
    }

    /// The same without what is told otherwise.
    fn beside(
        &self,
        is_told: impl Fn(&Made) -> bool,
        condition: Condition<'_>,
        (of @ RowStep([_, step]), draws): (RowStep, f64),
        hash: impl Fn(f64, f64) -> f64,
    ) -> RowEquality<'_> {
        let Untold { values, turns } = self.untold(condition, (of, is_told), hash);
        RowEquality {
            told: &self.told,
            groups: &self.groups,
            changing: &[],
            step,
            draws: draws * values,
            turns,
        }
    }

    /// There are no more rows than steps of which a key tells parts, of which some may be over, and of which late times meet few.
    fn no_more_than(
        &self,
        condition: Condition<'_>,
        of: (RowStep, f64),
    ) -> impl Iterator<Item = RowEquality<'_>> {
        let [finest, known] = of.0.0;
        let recurring = self.parts_of(known);
        let own = recurring.map(|own| self.in_steps(own, condition, of, hashed));
        let hidden = recurring.zip(finest);
        let hidden = hidden.filter(|(own, it)| finest != known && own.field == it.0);
        let hidden = hidden.map(|(own, it)| RowEquality {
            step: Some(it),
            ..self.beside(
                |of| of.in_turn && of.is_coarse(own.field),
                condition,
                of,
                hashed,
            )
        });
        own.into_iter().chain(hidden)
    }

    /// What segments make of several fields together, of rows that satisfy a condition: parts of these, and as how many values those of each are met.
    fn joined_parts(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        RowStep([_, step]): RowStep,
    ) -> Parts {
        match &self.joined {
            Some(joined) => joined.parts(rows, condition, step),
            None => [(1.0, 1.0)].into_iter().collect(),
        }
    }

    /// So many equally likely values of it are met as often.
    fn values_of(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        step: RowStep,
    ) -> f64 {
        let parts = self.joined_parts(rows, condition, step);
        let met: f64 = parts.iter().map(|(part, values)| part / values).sum();
        1.0 / met
    }

    fn counted(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        (step, draws): (RowStep, f64),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let count = |(part, values): &(f64, f64)| {
            part * self.counted_of(rows, condition, (step, draws * values), target, at)
        };
        self.joined_parts(rows, condition, step)
            .iter()
            .map(count)
            .sum()
    }

    fn counted_of(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        of: (RowStep, f64),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let count = |equality| rows.distinct(condition, equality, target, at);
        let mut found = count(self.equality(condition, of, |values, _| values));
        let bounds = self.no_more_than(condition, of).map(count);
        found = bounds.fold(found, f64::min);
        let time = self.parts_of(of.0.0[1]);
        let time = time.filter(|own| own.is_once && own.slots == 1);
        let hashes = self.made.iter().filter(|of| matches!(of.form, Form::Hash));
        let mut of_hashes = hashes.flat_map(|of| &of.fields);
        let are_told = of_hashes.all(|it| time.is_some_and(|own| own.field == it.0));
        let Some((told, groups)) = &self.hashed else {
            return found;
        };
        if are_told || found <= 0.0 {
            return found;
        }
        // As many of them have a row as so many different things meet by chance, not writes.
        let things = count(RowEquality {
            told,
            groups,
            step: of.0.0[0],
            ..self.equality(condition, of, |_, _| 1.0)
        });
        let all = values_met(found, rows.writes(condition, target, at));
        match all.is_finite() {
            true => (-all * libm::expm1(-things / all)).max(things.min(1.0)),
            false => things,
        }
        .min(found)
    }
}

/// How many values hashes have of so many things, of those that they can have.
fn hashed(values: f64, things: f64) -> f64 {
    match values.is_finite() {
        true => -values * libm::expm1(things * libm::log1p(-1.0 / values)),
        false => things,
    }
}

#[cfg(test)]
#[path = "row_identity_tests.rs"]
mod tests;
