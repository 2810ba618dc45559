//! The values of a read's `in` lists. Must not know what a list is for.

use super::table_rows::{TableRows, ValueIndex};
use super::target_picker::TargetPicker;
use super::{PickDistribution, Read, ReadBatch, Within, WithinValues};
use crate::random::{Draws, hash_name, mix};
use crate::record::{Field, FieldId, Schema, ValueSampler};
use crate::time::SimTime;
use std::sync::Arc;

/// Longest list; of more values that go with the target, these are the first.
pub const LIST_MAX: usize = 1 << 16;

/// One `in` list.
#[derive(Debug)]
pub(super) struct ValueList {
    field: FieldId,
    rule: Rule,
    salt: u64,
    /// Scratch space: the values so far, ascending.
    seen: Vec<i64>,
    record: Vec<i64>,
}

#[derive(Debug)]
enum Rule {
    /// The target's own value is the only one.
    Own,
    /// All values of a field.
    Domain { first: i64, count: u64 },
    /// The parents of a value that is known; those that do not go with other known values are left out.
    Related {
        index: usize,
        others: Vec<FieldId>,
        most: usize,
    },
    /// So many, of rows like the target unless the field is picked; then, or where these have too few values, by a law.
    Drawn {
        count: usize,
        of_rows: bool,
        law: Option<ValueSampler>,
    },
}

impl Within {
    /// Each of its values is that of a row which is there: of another row than the target's, any of those of which rows are asked for.
    pub fn is_of_rows(&self, read: &Read, schema: &Schema) -> bool {
        let known = |field: &FieldId| read.known_stored().any(|known| known == *field);
        let of = &schema.field(self.field).of;
        let is_own = known(&self.field) || !of.is_empty() && of.iter().all(known);
        let is_picked = read.picked_by_law().any(|field| field == self.field);
        let mut stored = read.known_stored();
        matches!(self.values, WithinValues::Count(_))
            && !(is_own || is_picked)
            && !stored.any(|known| ValueIndex::possible(schema, self.field, known))
    }
}

impl ValueList {
    /// The lists of `read`.
    pub(super) fn of(read: &Read, table: &mut TableRows) -> Vec<Self> {
        let lists = read.within.iter();
        lists.map(|within| Self::new(within, read, table)).collect()
    }

    fn new(within: &Within, read: &Read, table: &mut TableRows) -> Self {
        let generator = Arc::clone(&table.generator);
        let (schema, field) = (generator.schema(), within.field);
        let known = |field: &FieldId| read.known_stored().any(|known| known == *field);
        let Field { kind, law, of, .. } = schema.field(field);
        let picked = read.pick.iter().find_map(|(id, pick)| match pick {
            PickDistribution::Distribution(law) if *id == field => generator.sampler(field, law),
            _ => None,
        });
        let decided = !of.is_empty() && of.iter().all(known);
        let own = decided || known(&field);
        let mut related = read
            .known_stored()
            .filter(|id| ValueIndex::possible(schema, field, *id));
        let dependent = related.next().filter(|_| !own);
        let index = dependent.and_then(|dependent| table.index_of(field, dependent));
        let rule = match (within.values, index, kind.count()) {
            _ if own => Rule::Own,
            (values, Some(index), _) => Rule::Related {
                index,
                others: related.collect(),
                most: match values {
                    WithinValues::Count(count) => count as usize,
                    WithinValues::All => LIST_MAX,
                },
            },
            (WithinValues::Count(count), None, _) => Rule::Drawn {
                count: count as usize,
                of_rows: picked.is_none(),
                law: picked.or_else(|| generator.sampler(field, law)),
            },
            (WithinValues::All, None, Some(count)) => Rule::Domain {
                first: kind.first_slot(),
                count: count.min(LIST_MAX as u64),
            },
            (WithinValues::All, None, None) => Rule::Own,
        };
        Self {
            field,
            rule,
            salt: hash_name(&format!("in.{}", schema.field(field).name)),
            seen: Vec::new(),
            record: vec![0; generator.width()],
        }
    }

    /// Appends the list of one read, whose target is the last record of `batch`.
    pub(super) fn append(
        &mut self,
        draws: Draws,
        at: SimTime,
        picker: &mut TargetPicker,
        table: &mut TableRows,
        batch: &mut ReadBatch,
    ) {
        let mut draws = draws.salted(self.salt);
        let target = &batch.records[batch.records.len() - self.record.len()..];
        let slot_of = |field: FieldId| target[usize::from(field.0)];
        let own = slot_of(self.field);
        let out = &mut batch.within;
        let from = out.len();
        match &self.rule {
            Rule::Own => out.push(own),
            Rule::Domain { first, count } => {
                out.extend((0..*count).map(|at| first.wrapping_add(at as i64)));
            }
            Rule::Related {
                index,
                others,
                most,
            } => {
                let index = table.index(*index);
                let goes_along = |parent: i64| {
                    others.iter().all(|other| {
                        let value = table.generator.dependent_value(*other, |_| parent);
                        value.is_none_or(|value| value == slot_of(*other))
                    })
                };
                let parents = index.parents(slot_of(index.dependent));
                let others = parents.filter(|parent| *parent != own && goes_along(*parent));
                out.push(own);
                out.extend(others.take(LIST_MAX - 1));
                thin(out, from + 1, most - 1, &mut draws);
            }
            Rule::Drawn {
                count,
                of_rows,
                law,
            } => {
                let (record, field, mut nth) = (&mut self.record, usize::from(self.field.0), 0);
                let among = picker.candidates(at, table);
                let draws_of = |nth| draws.salted(mix(nth));
                // What the rows are made of comes from memory together.
                for nth in 1..*count as u64 {
                    table.prefetch(picker.row_among(draws_of(nth), &among));
                }
                let of_row = || {
                    nth += 1;
                    let draws = draws_of(nth);
                    let row = picker.row_among(draws, &among);
                    picker.draw(draws, at, row, table, record);
                    record[field]
                };
                out.push(own);
                self.seen.clear();
                self.seen.push(own);
                if *of_rows {
                    fill(&mut self.seen, out, *count, 4, of_row);
                }
                if let Some(law) = law {
                    fill(&mut self.seen, out, *count, 32, || law.draw(&mut draws));
                }
            }
        }
        batch.within_lens.push((batch.within.len() - from) as u32);
    }
}

/// Keeps a random `most` of the values from `from` on.
fn thin(values: &mut Vec<i64>, from: usize, most: usize, draws: &mut Draws) {
    let count = values.len() - from;
    if count <= most {
        return;
    }
    for at in 0..most {
        let other = at + draws.below((count - at) as u64) as usize;
        values.swap(from + at, from + other);
    }
    values.truncate(from + most);
}

/// Appends what `draw` gives, if it is not among those `seen`, until these are enough, or so many attempts for each wanted value were made.
fn fill(
    seen: &mut Vec<i64>,
    out: &mut Vec<i64>,
    count: usize,
    attempts: usize,
    mut draw: impl FnMut() -> i64,
) {
    for _ in 0..attempts * (count + 8) {
        if seen.len() >= count {
            return;
        }
        let value = draw();
        if let Err(place) = seen.binary_search(&value) {
            seen.insert(place, value);
            out.push(value);
        }
    }
}
