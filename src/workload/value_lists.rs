//! The values of a read's `in` lists. Must not know what a list is for.

use super::table_rows::TableRows;
use super::target_picker::TargetPicker;
use super::value_index::ValueIndex;
use super::{PickLaw, Read, ReadBatch, WithinValues};
use crate::random::{Draws, Seed, hash_name};
use crate::record::{FieldId, KnownField, ValueSampler};
use crate::time::SimTime;

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
    /// So many, of rows like the target.
    Rows { count: usize },
}

impl ValueList {
    /// The lists of `read`; indexes that they need are added to `indexes`.
    pub(super) fn of(
        read: &Read,
        table: &TableRows,
        indexes: &mut Vec<ValueIndex>,
        seed: Seed,
        replicate: u32,
    ) -> Vec<Self> {
        let schema = table.generator.schema();
        let known: Vec<FieldId> = read
            .equal
            .iter()
            .filter_map(|field| match field {
                KnownField::Stored(id) => Some(*id),
                KnownField::Derived(_) => None,
            })
            .chain(read.with.iter().map(|(field, _)| *field))
            .collect();
        let list = |within: &super::Within| {
            let field = within.field;
            let mut related = known
                .iter()
                .copied()
                .filter(|id| ValueIndex::possible(schema, field, *id));
            let picked = read.pick.iter().find_map(|(id, pick)| match pick {
                PickLaw::Law(law) if *id == field => {
                    ValueSampler::new(schema, field, law, seed, replicate)
                }
                _ => None,
            });
            let of = &schema.field(field).of;
            let kind = &schema.field(field).kind;
            let decided = !of.is_empty() && of.iter().all(|parent| known.contains(parent));
            let most = match within.values {
                WithinValues::Count(count) => count as usize,
                WithinValues::All => LIST_MAX,
            };
            let rule = match (within.values, related.next(), picked) {
                _ if decided || known.contains(&field) => Rule::Own,
                (_, Some(dependent), _) => Rule::Related {
                    index: ValueIndex::find_or_add(indexes, &table.generator, field, dependent),
                    others: related.collect(),
                    most,
                },
                (WithinValues::Count(count), None, Some(sampler)) => Rule::Drawn {
                    sampler,
                    count: count as usize,
                },
                (WithinValues::Count(count), None, None) => Rule::Rows {
                    count: count as usize,
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
                record: vec![0; table.generator.width()],
            }
        };
        read.within.iter().map(list).collect()
    }

    /// Appends the list of one read, whose target is the last record of `batch`.
    pub(super) fn append(
        &mut self,
        draws: Draws,
        at: SimTime,
        picker: &mut TargetPicker,
        table: &mut TableRows,
        indexes: &[ValueIndex],
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
                let index = &indexes[*index];
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
                fill_distinct(&mut self.seen, own, *count, &mut batch.within, || {
                    sampler.draw(&mut draws)
                });
            }
            Rule::Rows { count } => {
                let (record, field) = (&mut self.record, usize::from(self.field.0));
                let mut nth = 0;
                fill_distinct(&mut self.seen, own, *count, &mut batch.within, || {
                    nth += 1;
                    picker.draw(
                        draws.salted(crate::random::mix(nth)),
                        at,
                        table,
                        indexes,
                        record,
                    );
                    record[field]
                });
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

/// Appends `own` and other values that `draw` gives, up to `count` different ones; fewer when it hardly finds new ones.
fn fill_distinct(
    seen: &mut Vec<i64>,
    own: i64,
    count: usize,
    out: &mut Vec<i64>,
    mut draw: impl FnMut() -> i64,
) {
    seen.clear();
    let mut value = own;
    let mut attempts = 32 * count + 256;
    loop {
        if let Err(place) = seen.binary_search(&value) {
            seen.insert(place, value);
            out.push(value);
        }
        attempts -= 1;
        if seen.len() == count || attempts == 0 {
            return;
        }
        value = draw();
    }
}
