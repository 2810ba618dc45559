//! Which values of a field a key tells apart, where it does not tell all of them. Must not know requests.

use super::code::Randomness;
use super::field_steps::{FieldSteps, StepCache, no_draws};
use super::plan::KeyPlan;
use super::run::{Row, Rows};
use super::segment::Segment;
use super::time_parts::TimeParts;
use crate::record::{FieldId, FieldKind, ValueGroups};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fields with more values are not gone through: a millisecond.
const LISTED: u64 = 1 << 14;

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
        let (mut numbers, mut steps, mut next) = (BTreeMap::new(), Vec::new(), times.start);
        while next < times.end {
            let made = self.made_of(
                segments.iter().map(|at| &self.segments()[*at]),
                (field, next),
                &mut record,
            );
            let number = numbers.len() as u32;
            steps.push((next, *numbers.entry(made).or_insert(number)));
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

    /// What segments make of a value of their only field.
    fn made_of<'a>(
        &self,
        segments: impl Iterator<Item = &'a Segment>,
        (field, slot): (FieldId, i64),
        record: &mut [i64],
    ) -> Vec<u8> {
        record[usize::from(field.0)] = slot;
        let (index, draws) = (0, no_draws());
        let row = Row {
            record,
            index,
            draws,
        };
        let mut bytes = Vec::new();
        for segment in segments {
            segment.code.write(&Rows::one(&row), &mut bytes);
            // No two values make the same by where one segment ends.
            bytes.push(bytes.len() as u8);
        }
        bytes
    }

    fn groups_of(&self, id: FieldId) -> Option<ValueGroups> {
        let field = self.schema().field(id);
        let comes_in_turn = matches!(
            field.kind,
            FieldKind::Timestamp { .. } | FieldKind::Sequence { .. }
        );
        let is_made = |it: &&Segment| it.fields() == [id] && it.randomness() != Randomness::Random;
        let segments = || self.segments().iter().filter(is_made);
        let count = field.count().filter(|count| *count <= LISTED)?;
        if comes_in_turn || segments().next().is_none() {
            return None;
        }
        let (first, mut record) = (field.kind.first_slot(), vec![0; self.schema().fields.len()]);
        let values: Vec<i64> = match &field.column {
            Some(column) => column
                .sorted
                .chunk_by(|a, b| a == b)
                .map(|it| it[0])
                .collect(),
            None => (0..count as i64)
                .map(|nth| first.saturating_add(nth))
                .collect(),
        };
        let mut numbers: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        let mut group = |slot: i64| {
            let (made, next) = (
                self.made_of(segments(), (id, slot), &mut record),
                numbers.len() as u32,
            );
            *numbers.entry(made).or_insert(next)
        };
        let of_values = values.iter().map(|slot| group(*slot)).collect();
        Some(ValueGroups::new(id, values, of_values))
    }
}
