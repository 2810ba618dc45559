//! Parts of row keys that suit the columns of a file, for the designs that the template has. Must not judge them: runs do.

use super::fields::{LearntField, Role};
use super::template::Values;

/// Columns that name what rows are about: two are a series' name and its place; more are rarely in a key (estimate).
const MOST_ENTITIES: usize = 2;

/// A part of a key: its expression, and whether all its values have one length.
type Part = (String, bool);

/// What candidates are made of, and the names of the fields that readers may know.
pub fn key_parts(fields: &[LearntField]) -> Values {
    let of_role = |role: Role| fields.iter().filter(move |it| it.role == role);
    let (time, identity) = (of_role(Role::Time).next(), of_role(Role::Identity).next());
    // The fewer values, the further in front, so that more rows are neighbours. A row's identity names it: then the finest entity will do.
    let mut entities: Vec<&LearntField> = of_role(Role::Entity).collect();
    entities.sort_by(|a, b| b.distinct.total_cmp(&a.distinct));
    entities.truncate(if identity.is_some() { 1 } else { MOST_ENTITIES });
    let entity = entities.first().copied();
    entities.reverse();
    let parts = |fields: &[&LearntField]| -> Vec<Part> {
        fields.iter().map(|it| it.part.clone()).collect()
    };
    // Without a time, what comes one after another stands for it.
    let successive = || of_role(Role::Successive).max_by(|a, b| a.distinct.total_cmp(&b.distinct));
    let order = time.or_else(|| successive().filter(|_| identity.is_none()));
    let (times, ids) = (parts(order.as_slice()), parts(identity.as_slice()));
    let entities = parts(&entities);
    let by_entity = [&entities[..], &times, &ids].concat();
    let usual = match (time, identity) {
        (None, Some(_)) => ids.clone(),
        _ => [&times[..], &entities, &ids].concat(),
    };
    let known = [&entities, &ids, &times]
        .into_iter()
        .find(|it| !it.is_empty());
    let led = if entities.is_empty() {
        &usual
    } else {
        &by_entity
    };
    let mut values = Values::from([
        ("usual", joined(&usual)),
        ("led", joined(led)),
        ("known", known.map_or_else(String::new, |it| joined(it))),
    ]);
    let named = [("time", time), ("identity", identity), ("entity", entity)];
    values.extend(
        named
            .into_iter()
            .filter_map(|(name, field)| Some((name, field?.name.clone()))),
    );
    if entity.is_some() {
        values.insert("by_entity", joined(&by_entity));
    }
    if let Some(identity) = identity.filter(|_| time.is_none()) {
        values.insert("by_id", identity.part.0.clone());
    }
    if let Some(counter) = identity.filter(|it| it.is_counter) {
        values.insert("counter", counter.name.clone());
    }
    if let (Some(time), Some(_)) = (time, entity) {
        let reversed = (format!("be8(rev_ts({}))", time.name), true);
        values.insert(
            "newest",
            joined(&[&entities[..], &[reversed], &ids].concat()),
        );
    }
    if !values.contains_key("newest") || !values.contains_key("counter") {
        values.insert("random", String::new());
    }
    values
}

/// One behind the other; a zero byte ends what has many lengths.
fn joined(parts: &[Part]) -> String {
    let mut key = String::new();
    for (at, (expression, has_one_length)) in parts.iter().enumerate() {
        key += expression;
        if at + 1 < parts.len() {
            key += if *has_one_length {
                " || "
            } else {
                " || x'00' || "
            };
        }
    }
    key
}
