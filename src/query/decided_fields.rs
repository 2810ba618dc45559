//! Which fields are decided by those that a key tells. Must not know what else it tells.

use crate::key::{Randomness, Segment};
use crate::record::{Field, FieldId, FieldKind, Schema};

/// Each combination of what the field is `of` has a value of its own.
fn is_own(field: &Field) -> bool {
    let kinds = matches!(
        field.kind,
        FieldKind::Uuid { .. } | FieldKind::Bytes { .. } | FieldKind::Double { .. }
    );
    kinds && field.kind.count().is_none()
}

/// Made of several fields whose parents have values of their own of each, it has so much room that hardly two of the parents' combinations meet in one value
/// of it: fewer than one, where there are at least as many values as pairs of them.
pub(super) fn tells_parents(segment: &Segment, schema: &Schema) -> bool {
    let fields = || segment.fields().iter().map(|id| schema.field(*id));
    let mut parents: Vec<FieldId> = fields().flat_map(|field| &field.of).copied().collect();
    parents.sort_unstable();
    parents.dedup();
    let count = |id: &FieldId| {
        schema
            .field(*id)
            .count()
            .map_or(f64::INFINITY, |it| it as f64)
    };
    let combinations: f64 = parents.iter().map(count).product();
    let are_own = fields().all(|field| is_own(field) && !field.of.is_empty());
    fields().len() > 1
        && are_own
        && segment.randomness() != Randomness::Random
        && segment.space() >= combinations * combinations
}

/// These fields, and those whose values follow from theirs.
pub(super) fn decided_by(told: &[FieldId], schema: &Schema) -> Vec<FieldId> {
    let mut all = told.to_vec();
    for id in schema.dependency_order() {
        let parents = &schema.field(id).of;
        if !parents.is_empty() && parents.iter().all(|it| all.contains(it)) {
            all.push(id);
        }
    }
    all
}

/// These fields, and those that they tell, as each combination of these has a value of its own.
pub(super) fn with_parents(mut told: Vec<FieldId>, schema: &Schema) -> Vec<FieldId> {
    let mut at = 0;
    while let Some(field) = told.get(at).map(|id| schema.field(*id)) {
        if is_own(field) {
            let new = field.of.iter().filter(|it| !told.contains(it));
            let new: Vec<FieldId> = new.copied().collect();
            told.extend(new);
        }
        at += 1;
    }
    told
}

/// The field's values follow time, one after another.
pub(super) fn moves(schema: &Schema, field: FieldId) -> bool {
    let kind = &schema.field(field).kind;
    matches!(
        kind,
        FieldKind::Timestamp { .. } | FieldKind::Sequence { .. }
    )
}

pub(super) fn is_sequence(schema: &Schema, field: FieldId) -> bool {
    matches!(schema.field(field).kind, FieldKind::Sequence { .. })
}

/// Each write draws a value of the field that nothing tells of which these are known.
pub(super) fn is_changing(schema: &Schema, field: FieldId, known: &[FieldId]) -> bool {
    let of = schema.field(field);
    let mut parents = of.of.iter();
    !moves(schema, field)
        && !known.contains(&field)
        && (of.of.is_empty() || parents.any(|parent| is_changing(schema, *parent, known)))
}
