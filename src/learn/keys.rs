//! Parts of row keys that suit the columns of a file, for the designs that the template has. Must not judge them: runs do.

use super::fields::{LearntField, Role};
use super::survey::Survey;
use super::template::Values;
use crate::data::ValueKind;

/// Of so many rows one may be another's: two of a series in the same millisecond are no reason for another column (estimate).
const ONE_IN: usize = 1_000;

/// Of so many rows three may have values of their own in a column that readers ask for: others are measures (estimate).
const OWN_IN: f64 = 4.0;

/// A whole number that has a value of its own in more than one of so many rows may measure something (estimate).
const RARE_IN: f64 = 3.0;

/// A part of a key: its expression, and whether all its values have one length.
type Part = (String, bool);

/// What candidates are made of, and the names of the fields that readers may know.
pub fn key_parts(fields: &[LearntField], survey: &Survey) -> Values {
    let of_role = |role: Role| fields.iter().filter(move |it| it.role == role);
    let (time, identity) = (of_role(Role::Time).next(), of_role(Role::Identity).next());
    let parts = |fields: &[&LearntField]| -> Vec<Part> {
        fields.iter().map(|it| it.part.clone()).collect()
    };
    // Without a time, what comes one after another stands for it.
    let successive = || of_role(Role::Successive).max_by(|a, b| a.distinct.total_cmp(&b.distinct));
    let order = time.or_else(|| successive().filter(|_| identity.is_none()));
    // Numbers that rise as rows are made, such as those of orders, tell rows apart behind all else.
    let is_own = |it: &&LearntField| it.distinct * 2.0 > survey.rows as f64;
    let own = successive().filter(|it| time.is_some() && is_own(it));
    let counter = of_role(Role::Counter).next();
    let identity_or_own = identity.or(own).or(counter);
    // In front what readers ask for.
    let within = counter.and_then(|it| it.counts_within);
    let (entities, measure) = entities(fields, survey, &[order, identity_or_own], within);
    let last = identity_or_own.or(measure);
    let (times, ids) = (parts(order.as_slice()), parts(last.as_slice()));
    let entity = entities.first().copied();
    let entities = parts(&entities);
    let by_entity = [&entities[..], &times, &ids].concat();
    let usual = match (time, identity) {
        (None, Some(_)) => ids.clone(),
        _ => [&times[..], &entities, &ids].concat(),
    };
    let known = [&entities, &ids, &times]
        .into_iter()
        .find(|it| !it.is_empty());
    let led = match entities.is_empty() {
        true => &usual,
        false => &by_entity,
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
        let newest = [&entities[..], &[reversed], &ids].concat();
        values.insert("newest", joined(&newest));
    }
    if !values.contains_key("newest") || !values.contains_key("counter") {
        values.insert("random", String::new());
    }
    values
}

/// The fewest entities that tell rows apart beside what else is in the key, as far as any do: among as few, that `within` which another column counts, those that are called ids, and of more values. Others
/// are measures, or belong to the row: values that hardly come again, numbers that are fewer than things and below zero, and what is called an amount or a size. One of these is the second, where it is needed to tell rows apart.
fn entities<'a>(
    fields: &'a [LearntField],
    survey: &Survey,
    others: &[Option<&LearntField>],
    within: Option<usize>,
) -> (Vec<&'a LearntField>, Option<&'a LearntField>) {
    let others = others.iter().flatten();
    let others = others.filter_map(|other| fields.iter().position(|it| it.name == other.name));
    let others: Vec<usize> = others.filter(|at| *at < survey.width()).collect();
    let is_entity = |at: &usize| fields[*at].role == Role::Entity;
    let mut all: Vec<usize> = (0..survey.width()).filter(is_entity).collect();
    let is_id = |at: usize| {
        let name = &survey.columns[at].name;
        ["_id", "Id", "ID"].iter().any(|end| name.ends_with(end))
    };
    let by_values = |a: &usize, b: &usize| fields[*b].distinct.total_cmp(&fields[*a].distinct);
    let first = |at: usize| (within == Some(at), is_id(at));
    all.sort_by(|a, b| first(*b).cmp(&first(*a)).then(by_values(a, b)));
    let is_number = |at: usize| survey.columns[at].kind() == ValueKind::Int && !is_id(at);
    let is_measure = |at: &usize| {
        let column = &survey.columns[*at];
        // Numbers most of which came hardly twice, beside things that are more.
        let more = |of: &&usize| !is_number(**of) && fields[**of].distinct > fields[*at].distinct;
        let is_lesser = is_number(*at)
            && fields[*at].distinct * RARE_IN > column.rows() as f64
            && all.iter().any(|of| more(&of));
        let is_own = fields[*at].distinct * OWN_IN > column.rows() as f64 * (OWN_IN - 1.0);
        // Of many ids a short file has most once.
        let is_below_zero = column.integers.ends().is_some_and(|(least, _)| *least < 0);
        (is_own || is_lesser || column.is_measure()) && !is_id(*at) || is_below_zero
    };
    let (mut measures, known): (Vec<usize>, Vec<usize>) = all.iter().partition(|at| is_measure(at));
    match known.is_empty() {
        true => measures.clear(),
        false => all = known,
    }
    let pairs = all.iter().enumerate();
    let pairs = pairs.flat_map(|(at, a)| all[at + 1..].iter().map(|b| vec![*a, *b]));
    let sets = all.iter().map(|at| vec![*at]).chain(pairs);
    let allowed = survey.repeated(&[]) / ONE_IN;
    let lost = |set: &Vec<usize>| {
        let repeated = survey.repeated(&[&others[..], set].concat());
        repeated.saturating_sub(allowed)
    };
    let found = sets.min_by_key(lost).unwrap_or_default();
    measures.retain(|_| lost(&found) > 0);
    let measure = measures
        .iter()
        .min_by_key(|at| lost(&[&found[..], &[**at]].concat()));
    let field = |at: &usize| &fields[*at];
    (found.iter().map(field).collect(), measure.map(field))
}

/// One behind the other; a zero byte ends what has many lengths.
fn joined(parts: &[Part]) -> String {
    let mut key = String::new();
    for (at, (expression, has_one_length)) in parts.iter().enumerate() {
        key += expression;
        if at + 1 < parts.len() {
            key += match *has_one_length {
                true => " || ",
                false => " || x'00' || ",
            };
        }
    }
    key
}
