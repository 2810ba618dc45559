//! The values of a read's `in` lists. Must not know what a list is for.

use super::table_rows::TableRows;
use super::target_picker::TargetPicker;
use super::value_index::ValueIndex;
use super::{PickLaw, Read, ReadBatch, WithinValues};
use crate::random::{Draws, hash_name, mix};
use crate::record::{FieldId, KnownField, ValueSampler};
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
    /// So many by a law.
    Drawn { sampler: ValueSampler, count: usize },
    /// So many, of rows like the target; where these have too few values, by the field's law.
    Rows {
        count: usize,
        law: Option<ValueSampler>,
    },
}

impl ValueList {
    /// The lists of `read`.
    pub(super) fn of(read: &Read, table: &mut TableRows) -> Vec<Self> {
        let generator = Arc::clone(&table.generator);
        let schema = generator.schema();
        let known: Vec<FieldId> = read
            .equal
            .iter()
            .filter_map(|field| match field {
                KnownField::Stored(id) => Some(*id),
                KnownField::Derived(_) => None,
            })
            .chain(read.with.iter().map(|(field, _)| *field))
            .collect();
        let mut list = |within: &super::Within| {
            let field = within.field;
            let possible = |id: &FieldId| ValueIndex::possible(schema, field, *id);
            let mut related = known.iter().copied().filter(possible);
            let picked = read.pick.iter().find_map(|(id, pick)| match pick {
                PickLaw::Law(law) if *id == field => generator.sampler(field, law),
                _ => None,
            });
            let of = &schema.field(field).of;
            let kind = &schema.field(field).kind;
            let decided = !of.is_empty() && of.iter().all(|parent| known.contains(parent));
            let own = decided || known.contains(&field);
            let dependent = related.next().filter(|_| !own);
            let index = dependent.and_then(|dependent| table.index_of(field, dependent));
            let most = match within.values {
                WithinValues::Count(count) => count as usize,
                WithinValues::All => LIST_MAX,
            };
            let rule = match (within.values, index, picked) {
                _ if own => Rule::Own,
                (_, Some(index), _) => Rule::Related {
                    index,
                    others: related.collect(),
                    most,
                },
                (WithinValues::Count(count), None, Some(sampler)) => Rule::Drawn {
                    sampler,
                    count: count as usize,
                },
                (WithinValues::Count(count), None, None) => Rule::Rows {
                    count: count as usize,
                    law: generator.sampler(field, &schema.field(field).law),
                },
                (WithinValues::All, None, _) => match kind.count() {
                    Some(count) => Rule::Domain {
                        first: kind.first_slot(),
                        count: count.min(LIST_MAX as u64),
                    },
                    None => Rule::Own,
                },
            };
            Self {
                field,
                rule,
                salt: hash_name(&format!("in.{}", schema.field(field).name)),
                seen: Vec::new(),
                record: vec![0; generator.width()],
            }
        };
        read.within.iter().map(&mut list).collect()
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
        let own = target[usize::from(self.field.0)];
        let from = batch.within.len();
        match &self.rule {
            Rule::Own => batch.within.push(own),
            Rule::Domain { first, count } => {
                let values = (0..*count).map(|at| first.wrapping_add(at as i64));
                batch.within.extend(values);
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
                        value.is_none_or(|value| value == target[usize::from(other.0)])
                    })
                };
                let parents = index.parents(target[usize::from(index.dependent.0)]);
                let others = parents.filter(|parent| *parent != own && goes_along(*parent));
                batch.within.push(own);
                batch.within.extend(others.take(LIST_MAX - 1));
                thin(&mut batch.within, from + 1, most - 1, &mut draws);
            }
            Rule::Drawn { sampler, count } => {
                let mut values = Distinct::new(&mut self.seen, own, *count, &mut batch.within);
                values.fill(32, || sampler.draw(&mut draws));
            }
            Rule::Rows { count, law } => {
                let (record, field) = (&mut self.record, usize::from(self.field.0));
                let mut values = Distinct::new(&mut self.seen, own, *count, &mut batch.within);
                let mut nth = 0;
                values.fill(4, || {
                    nth += 1;
                    let draws = draws.salted(mix(nth));
                    picker.draw(draws, at, table, record);
                    record[field]
                });
                if let Some(law) = law {
                    values.fill(32, || law.draw(&mut draws));
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

/// Up to `count` different values at the end of a list.
struct Distinct<'a> {
    seen: &'a mut Vec<i64>,
    out: &'a mut Vec<i64>,
    count: usize,
}

impl<'a> Distinct<'a> {
    fn new(seen: &'a mut Vec<i64>, own: i64, count: usize, out: &'a mut Vec<i64>) -> Self {
        seen.clear();
        seen.push(own);
        out.push(own);
        Self { seen, out, count }
    }

    /// Appends what `draw` gives, if it is new, until there are enough, or so many attempts for each wanted value were made.
    fn fill(&mut self, attempts: usize, mut draw: impl FnMut() -> i64) {
        for _ in 0..attempts * (self.count + 8) {
            if self.seen.len() >= self.count {
                return;
            }
            let value = draw();
            if let Err(place) = self.seen.binary_search(&value) {
                self.seen.insert(place, value);
                self.out.push(value);
            }
        }
    }
}
