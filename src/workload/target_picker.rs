//! Which row one read asks for. Must not know when it does, nor what else the reader knows.

use super::table_rows::TableRows;
use super::{PickLaw, Read};
use crate::random::{Draws, hash_name};
use crate::record::{FieldId, FieldKind, Law, LawShape, ValueSampler, zipf_rank};
use crate::time::SimTime;

/// Draws of a value that no row has (a company without campaigns) before it is taken all the same.
const DRAWS_MAX: u32 = 16;

/// Draws the targets of one read: its row first, each of the table equally likely or by its recency, then what replaces fields of it.
#[derive(Debug)]
pub(super) struct TargetPicker {
    /// Origins that can hold a target, and the share of their rows that can be one.
    origins: Vec<(usize, f64)>,
    recency: Recency,
    replaced: Vec<Replaced>,
    row_salt: u64,
    given: Vec<(FieldId, i64)>,
}

#[derive(Debug, Clone, Copy)]
enum Recency {
    /// All rows alike.
    Any,
    /// The r-th newest with a weight of r^-exponent.
    Latest { exponent: f64 },
    /// Of a uniform instant of the last so many nanoseconds.
    Last { nanos: f64, field: FieldId },
}

/// A field of the target that is not the row's.
#[derive(Debug)]
struct Replaced {
    field: FieldId,
    value: Value,
    salt: u64,
    /// The field's parents by its values: one of them is given in its stead, so that all fields go together.
    index: Option<usize>,
}

#[derive(Debug)]
enum Value {
    Fixed(i64),
    Drawn(ValueSampler),
}

impl TargetPicker {
    /// The targets of `read`.
    pub(super) fn new(read: &Read, table: &mut TableRows) -> Self {
        let mut recency = Recency::Any;
        let mut values: Vec<(FieldId, Value)> = read
            .with
            .iter()
            .map(|(field, slot)| (*field, Value::Fixed(*slot)))
            .collect();
        for (field, pick) in &read.pick {
            match pick {
                PickLaw::Law(law) => {
                    let sampler = table.generator.sampler(*field, law);
                    values.extend(sampler.map(|sampler| (*field, Value::Drawn(sampler))));
                }
                PickLaw::Latest { exponent } => {
                    recency = Recency::Latest {
                        exponent: *exponent,
                    };
                }
                PickLaw::Last(last) => {
                    recency = Recency::Last {
                        nanos: last.as_nanos() as f64,
                        field: *field,
                    };
                }
            }
        }
        let replaced_fields: Vec<FieldId> = values.iter().map(|(field, _)| *field).collect();
        let replaced = values
            .into_iter()
            .map(|(field, value)| Replaced {
                field,
                value,
                salt: hash_name(&table.generator.schema().field(field).name),
                index: table.index_of_parent(field, &replaced_fields),
            })
            .collect();
        Self {
            origins: eligible(read, table),
            recency,
            replaced,
            row_salt: hash_name("row of a target"),
            given: Vec::new(),
        }
    }

    /// Writes the target of one read at an instant to `out`.
    pub(super) fn draw(
        &mut self,
        draws: Draws,
        at: SimTime,
        table: &mut TableRows,
        out: &mut [i64],
    ) {
        self.given.clear();
        for replaced in &self.replaced {
            let mut draws = draws.salted(replaced.salt);
            let mut given = (replaced.field, replaced.value.draw(&mut draws));
            if let Some(index) = replaced.index.map(|index| table.index(index)) {
                for _ in 0..DRAWS_MAX {
                    let mut parents = index.parents(given.1);
                    if parents.len() > 0 {
                        let nth = draws.below(parents.len() as u64) as usize;
                        given = (index.parent, parents.nth(nth).unwrap_or(given.1));
                        break;
                    }
                    given.1 = replaced.value.draw(&mut draws);
                }
            }
            self.given.push(given);
        }
        let mut draws = draws.salted(self.row_salt);
        match self.row(&mut draws, at, table) {
            Some((origin, nth)) => table.write(origin, nth, at, &self.given, out),
            None => table.write_loose(draws, at, &self.given, out),
        }
    }

    /// The origin and number of a row that a target may be made of; `None` when there is no row yet.
    pub(super) fn row(
        &mut self,
        draws: &mut Draws,
        at: SimTime,
        table: &TableRows,
    ) -> Option<(usize, u64)> {
        match self.recency {
            Recency::Any => self.any(draws, at, table),
            Recency::Latest { exponent } => self.latest(exponent, draws, at, table),
            Recency::Last { nanos, field } => self.last(nanos, field, draws, at, table),
        }
    }

    /// Rows of an origin that can be a target.
    fn weights<'a>(
        &'a self,
        at: SimTime,
        table: &'a TableRows,
    ) -> impl Iterator<Item = (usize, u64, f64)> + 'a {
        self.origins.iter().map(move |(origin, share)| {
            let rows = table.rows(*origin, at);
            (*origin, rows, rows as f64 * share)
        })
    }

    fn any(&self, draws: &mut Draws, at: SimTime, table: &TableRows) -> Option<(usize, u64)> {
        let weights = || {
            self.weights(at, table)
                .filter(|(_, _, weight)| *weight > 0.0)
        };
        let total: f64 = weights().map(|(_, _, weight)| weight).sum();
        let (point, (origin, rows, weight)) =
            weighted(draws.unit() * total, weights(), |(_, _, weight)| *weight)?;
        let nth = (point / weight * rows as f64) as u64;
        Some((origin, nth.min(rows - 1)))
    }

    /// Rows of the run are newer than existing ones; of several origins each has its part of any stretch of ranks.
    fn latest(
        &self,
        exponent: f64,
        draws: &mut Draws,
        at: SimTime,
        table: &TableRows,
    ) -> Option<(usize, u64)> {
        let existing = table.existing();
        let of = |during: bool| {
            let weights = self.weights(at, table);
            weights.filter(move |(origin, _, _)| (*origin >= existing) == during)
        };
        let sum = |during| of(during).map(|(_, _, weight)| weight).sum::<f64>();
        let (before, during) = (sum(false), sum(true));
        let total = (before + during) as u64;
        if total == 0 {
            return None;
        }
        let rank = (zipf_rank(total, exponent, draws) - 1) as f64;
        let (newer, behind, group) = if rank < during {
            (true, rank, during)
        } else {
            (false, rank - during, before)
        };
        let some = of(newer).filter(|(_, _, weight)| *weight > 0.0);
        let (_, (origin, rows, _)) =
            weighted(draws.unit() * group, some, |(_, _, weight)| *weight)?;
        let back = (behind * (rows as f64 / group)) as u64;
        Some((origin, rows - 1 - back.min(rows - 1)))
    }

    fn last(
        &mut self,
        nanos: f64,
        field: FieldId,
        draws: &mut Draws,
        at: SimTime,
        table: &TableRows,
    ) -> Option<(usize, u64)> {
        let instant = at.as_nanos() as f64 - nanos * draws.unit();
        let densities = || {
            self.origins.iter().filter_map(|(origin, share)| {
                let density = table.origins[*origin].history.density_at(instant) * share;
                let rows = table.rows(*origin, at);
                (rows > 0 && density > 0.0).then_some((*origin, rows, density))
            })
        };
        let total: f64 = densities().map(|(_, _, density)| density).sum();
        let point = draws.unit() * total;
        let Some((_, (origin, rows, _))) = weighted(point, densities(), |(_, _, of)| *of) else {
            // Nothing was written then: the instant stands, and the other fields are those of any row.
            if let FieldKind::Timestamp { unit, .. } = table.generator.schema().field(field).kind {
                self.given.push((field, unit.floor(table.epoch(instant))));
            }
            return self.any(draws, at, table);
        };
        let number = table.origins[origin].history.number_at(instant) as u64;
        Some((origin, number.min(rows - 1)))
    }
}

/// That of some weighted things in which a point of the sum of weights lies, with what is left of the point; beyond the sum, which only rounding
/// leads to, the last.
fn weighted<T>(
    mut point: f64,
    things: impl Iterator<Item = T>,
    weight: impl Fn(&T) -> f64,
) -> Option<(f64, T)> {
    let mut things = things.peekable();
    while let Some(thing) = things.next() {
        let weight = weight(&thing);
        if point < weight || things.peek().is_none() {
            return Some((point, thing));
        }
        point -= weight;
    }
    None
}

impl Value {
    fn draw(&self, draws: &mut Draws) -> i64 {
        match self {
            Self::Fixed(slot) => *slot,
            Self::Drawn(sampler) => sampler.draw(draws),
        }
    }
}

/// Origins whose rows can be a target: those with the fixed slots, and of others the share that has them. A picked field must not be fixed in the
/// origin. If nothing qualifies, everything does.
fn eligible(read: &Read, table: &TableRows) -> Vec<(usize, f64)> {
    let generator = &table.generator;
    let by_law = |field: FieldId, slot: i64, law: &Law| {
        let shares = generator.shares(field, law);
        shares.map_or(0.0, |shares| shares.share(slot))
    };
    let even = Law {
        shape: LawShape::Uniform,
        top: Vec::new(),
        ranked: true,
    };
    let share = |origin: usize| {
        let origin = &table.origins[origin];
        let fixed: f64 = read
            .with
            .iter()
            .map(|(field, slot)| match origin.fixed_slot(*field) {
                Some(fixed) => f64::from(u8::from(fixed == *slot)),
                None if origin.each.contains(field) => by_law(*field, *slot, &even),
                None => by_law(*field, *slot, &generator.schema().field(*field).law),
            })
            .product();
        let pickable = read.pick.iter().all(|(field, pick)| {
            !matches!(pick, PickLaw::Law(_)) || origin.fixed_slot(*field).is_none()
        });
        if pickable { fixed } else { 0.0 }
    };
    let shares: Vec<(usize, f64)> = (0..table.origins.len())
        .map(|origin| (origin, share(origin)))
        .filter(|(_, share)| *share > 0.0)
        .collect();
    if shares.is_empty() {
        return (0..table.origins.len())
            .map(|origin| (origin, 1.0))
            .collect();
    }
    shares
}
