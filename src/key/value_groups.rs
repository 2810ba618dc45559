//! Which values of a field a key tells apart, where it does not tell all of them. Must not know requests.

use super::code::{Code, Op, Randomness};
use super::field_steps::{FieldSteps, StepCache, no_draws};
use super::operator::Operator;
use super::plan::KeyPlan;
use super::time_parts::TimeParts;
use crate::record::{FieldId, FieldKind, ValueGroups};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps of a table's time that are gone through for one segment: more than a year of days.
const STEPS: u64 = 512;

impl KeyPlan {
    /// Of the fields that a key tells in part, those of which segments are made and of nothing else: what these tell together. Not of time and sequences, whose values
    /// come one after another.
    pub fn value_groups(&self) -> &[Arc<ValueGroups>] {
        self.groups.get_or_init(|| {
            let told = self.told_fields(0..self.segments().len());
            let fields = self.fields().into_iter();
            let untold = fields.filter(|field| !told.contains(field));
            untold
                .filter_map(|it| self.groups_of(it))
                .map(Arc::new)
                .collect()
        })
    }

    /// Of a timestamp, those segments made of nothing else that stay the same in steps of which the table's time has a few hundred.
    pub fn time_parts(&self, field: FieldId) -> Option<&TimeParts> {
        let parts = self.parts.get_or_init(|| {
            let is_time =
                |it: &FieldId| matches!(self.schema().field(*it).kind, FieldKind::Timestamp { .. });
            self.fields()
                .into_iter()
                .find(is_time)
                .and_then(|it| self.parts_of(it))
        });
        parts.as_ref().filter(|it| it.field == field)
    }

    fn parts_of(&self, field: FieldId) -> Option<TimeParts> {
        let times = self.schema().slots(field);
        let (mut record, mut cache) = (vec![0; self.schema().fields.len()], StepCache::default());
        let middle = times.start.midpoint(times.end);
        let (mut segments, mut joint) = (Vec::new(), None::<FieldSteps>);
        for (at, segment) in self.segments().iter().enumerate() {
            let steps = self.field_steps(at..at + 1, field);
            let Some(steps) = steps.filter(|_| segment.fields() == [field]) else {
                continue;
            };
            let step = steps.window_of(middle, &mut record, times.clone(), &mut cache);
            let least = times.end.abs_diff(times.start) / STEPS;
            if step.end.abs_diff(step.start) > least {
                segments.push(at);
                joint = Some(joint.map_or(steps.clone(), |all| all.and(steps)));
            }
        }
        let made = segments.iter().map(|at| self.segments()[*at].code.clone());
        let made = FieldSteps::new(field, made.collect());
        let (mut numbers, mut steps, mut next) = (BTreeMap::new(), Vec::new(), times.start);
        while next < times.end {
            let mut of_value = Vec::new();
            record[usize::from(field.0)] = next;
            made.write(&record, no_draws(), &mut of_value);
            let number = numbers.len() as u32;
            steps.push((next, *numbers.entry(of_value).or_insert(number)));
            next = joint
                .as_ref()?
                .window(&mut record, times.clone(), &mut cache)
                .end;
        }
        Some(TimeParts {
            field,
            segments,
            steps,
        })
    }

    fn groups_of(&self, id: FieldId) -> Option<ValueGroups> {
        let segments = self.segments().iter();
        let segments = segments.filter(|it| it.randomness() != Randomness::Random);
        let mut made = Vec::new();
        segments.for_each(|it| push_parts(&it.code, &mut made));
        made.retain(|of| of.facts.fields[..] == [id]);
        let made = made.into_iter().map(Code::in_order).collect();
        FieldSteps::new(id, made).groups(self.schema())
    }
}

/// What tells as much as a code does: of a number that is made of digits of several fields, these.
fn push_parts(code: &Code, parts: &mut Vec<Code>) {
    let facts = &code.facts;
    if facts.fields.len() < 2 || !facts.are_told {
        return parts.push(code.clone());
    }
    let is_sum = matches!(code.op, Op::Binary(Operator::Add));
    let digits = is_sum.then(|| code.two_digits()).flatten();
    match (digits, code.without_constant()) {
        _ if !code.is_number() => code.operands.iter().for_each(|it| push_parts(it, parts)),
        (Some((high, low)), _) => [high, low].into_iter().for_each(|it| push_parts(it, parts)),
        (None, Some(only)) => push_parts(only, parts),
        (None, None) => parts.push(code.clone()),
    }
}
