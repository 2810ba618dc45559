//! What segments of a key make of several fields which it doesn't tell, such as a sum, or a prefix of joined texts: how many values there are among rows. Must
//! not know what else the key tells.

use crate::key::{KeyPlan, Segment};
use crate::record::{FieldId, Schema, ValueGroups};
use crate::workload::{Condition, Recipe, RowCounts, ToldField};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Parts of all rows, and as how many equally likely values each part's own are met.
pub(super) type Parts = SmallVec<[(f64, f64); 1]>;

/// The values of several segments together.
#[derive(Debug)]
pub(super) struct JoinedValues {
    /// Tells it from what other keys make.
    name: String,
    segments: Vec<Segment>,
    fields: Vec<FieldId>,
    /// Most values.
    values: f64,
    /// Fields that the key tells, or known groups of their values, as far as these have to do with its own.
    told: Vec<ToldField>,
    /// The slots of all fields that have to do with its own.
    relatives: Vec<(FieldId, Range<i64>)>,
    /// Those that follow from others, each after these.
    followers: Vec<(FieldId, Vec<FieldId>)>,
}

/// All values of so few combinations of fields are looked at.
const COMBINED_MAX: f64 = 262_144.0;

/// What decides a field.
fn roots_of(field: FieldId, schema: &Schema) -> Vec<FieldId> {
    let parents = &schema.field(field).of;
    match parents.is_empty() {
        true => vec![field],
        false => {
            let roots = parents.iter().flat_map(|it| roots_of(*it, schema));
            roots.collect()
        }
    }
}

fn roots_of_all(fields: &[FieldId], schema: &Schema) -> Vec<FieldId> {
    let roots = fields.iter().flat_map(|it| roots_of(*it, schema));
    let mut roots: Vec<FieldId> = roots.collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// So few combinations of values decide the fields that all of them are looked at.
pub(super) fn are_few(fields: &[FieldId], schema: &Schema) -> bool {
    let counts = roots_of_all(fields, schema).into_iter();
    let counts = counts.map(|it| Some(schema.field(it).count()? as f64));
    let things = counts.product::<Option<f64>>();
    things.is_some_and(|it| it <= COMBINED_MAX)
}

impl JoinedValues {
    /// Of these segments, beside the fields and groups that the key tells.
    pub fn of(
        (key, segments): (&KeyPlan, &[usize]),
        values: f64,
        (told, groups): (&[FieldId], &[Arc<ValueGroups>]),
        schema: &Schema,
    ) -> Self {
        let segments = segments.iter().map(|at| key.segments()[*at].clone());
        let segments: Vec<Segment> = segments.collect();
        let parts = segments.iter().map(|it| (&it.expression, it.is_rest));
        let parts: Vec<_> = parts.collect();
        let name = format!("{} {:?} {parts:?}", key.text(), key.parameters);
        let fields = segments.iter().flat_map(Segment::fields);
        let mut fields: Vec<FieldId> = fields.copied().collect();
        fields.sort_unstable();
        fields.dedup();
        let roots = roots_of_all(&fields, schema);
        let order = schema.dependency_order().into_iter();
        let is_near = |id: &FieldId| roots_of(*id, schema).iter().any(|it| roots.contains(it));
        let near: Vec<FieldId> = order.filter(is_near).collect();
        let followers = near.iter().map(|id| (*id, schema.field(*id).of.clone()));
        let whole = told.iter().map(|it| (*it, None));
        let groups = groups.iter().filter(|it| it.are_known());
        let groups = groups.map(|it| (it.field, Some(Arc::clone(it))));
        let told = whole
            .chain(groups)
            .filter(|it: &ToldField| near.contains(&it.0));
        Self {
            told: told.collect(),
            followers: followers.filter(|it| !it.1.is_empty()).collect(),
            relatives: near.into_iter().map(|it| (it, schema.slots(it))).collect(),
            name,
            segments,
            fields,
            values,
        }
    }

    /// Of rows that satisfy a condition and are alike in what the key tells: parts of them whose values are about equally likely.
    pub fn parts(
        &self,
        rows: &(impl RowCounts + ?Sized),
        condition: Condition<'_>,
        step: Option<(FieldId, i64, i64)>,
    ) -> Parts {
        let equal = condition.equal.iter().map(|it| (it.0, None));
        let alike = condition.alike.iter();
        let alike = alike.map(|(groups, _)| (groups.field, Some(Arc::clone(groups))));
        let asked = equal.chain(alike);
        let asked = asked.filter(|(field, _)| self.relatives.iter().any(|it| it.0 == *field));
        let mut given: Vec<ToldField> = self.told.iter().cloned().chain(asked).collect();
        let place = |of: &ToldField| (of.0, of.1.as_ref().map(Arc::as_ptr));
        given.sort_by_key(place);
        // Groups say nothing of a value that is known.
        given.dedup_by(|b, a| a.0 == b.0 && (a.1.is_none() || place(a) == place(b)));
        let whole = given.iter().filter(|it| it.1.is_none());
        let mut known: Vec<FieldId> = whole.map(|it| it.0).collect();
        for (field, of) in &self.followers {
            if of.iter().all(|it| known.contains(it)) {
                known.push(*field);
            }
        }
        let open = self.fields.iter().filter(|it| !known.contains(it));
        let inputs = open.map(|id| self.inputs(*id, condition)).product::<f64>();
        if inputs <= 1.0 {
            return [(1.0, 1.0)].into_iter().collect();
        }
        let write = |record: &[i64], out: &mut Vec<u8>| {
            for segment in &self.segments {
                let start = out.len();
                segment.write(record, out);
                out.extend((out.len() - start).to_le_bytes());
            }
        };
        let classes = rows.made(Recipe {
            name: &self.name,
            fields: &self.fields,
            given: &given,
            step: step.filter(|it| self.fields.contains(&it.0)),
            write: &write,
        });
        let most = self.values.min(inputs);
        // Values that come seldom are met as those of more values are than there can be. Of some of the inputs none comes that seldom.
        let some =
            |id: &FieldId| self.inputs(*id, condition) < self.inputs(*id, Condition::default());
        let is_part = self.fields.iter().any(some);
        let met = |draws: f64| match draws.is_finite() && !is_part {
            true => draws,
            false => draws.min(most),
        };
        match classes {
            Some(classes) => {
                let parts = classes.iter().map(|it| (it.part, met(it.draws)));
                parts.collect()
            }
            None => [(1.0, most)].into_iter().collect(),
        }
    }

    /// How many values of a field satisfy a condition.
    fn inputs(&self, id: FieldId, condition: Condition<'_>) -> f64 {
        let slots = self.relatives.iter().find(|it| it.0 == id);
        let slots = slots.map_or(0..1, |it| it.1.clone());
        let ranges = condition.between.iter().filter(|it| it.0 == id);
        let ranges = ranges.map(|(_, low, high)| *low..*high);
        let range = ranges.fold(slots, |a, b| a.start.max(b.start)..a.end.min(b.end));
        let alike = condition.alike.iter().filter(|it| it.0.field == id);
        let alike = alike.map(|(groups, at)| groups.of_groups[*at as usize].len() as f64);
        let values = match range.is_empty() {
            true => 1.0,
            false => range.end.abs_diff(range.start) as f64,
        };
        alike.fold(values, f64::min).max(1.0)
    }
}
