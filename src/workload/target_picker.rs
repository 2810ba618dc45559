//! Which row one read asks for. Must not know when it does, nor what else the reader knows.

use super::marginals::{Marginal, Of};
use super::population::Population;
use super::table_rows::{PickedRow, TableRows};
use super::{PickDistribution, Read};
use crate::random::{Draws, hash_name};
use crate::record::{FieldId, FieldKind, ValueSampler, zipf_rank};
use crate::time::SimTime;
use smallvec::SmallVec;

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
    /// The r-th newest with a weight of r^-exponent, of this exponent.
    Latest(f64),
    /// Of a uniform instant of the last so many nanoseconds, of which this field tells.
    Last(f64, FieldId),
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
        let fixed = read.with.iter();
        let mut values: Vec<(FieldId, Value)> = fixed
            .map(|(field, slot)| (*field, Value::Fixed(*slot)))
            .collect();
        for (field, pick) in &read.pick {
            match pick {
                PickDistribution::Distribution(law) => {
                    let sampler = table.generator.sampler(*field, law);
                    values.extend(sampler.map(|sampler| (*field, Value::Drawn(sampler))));
                }
                PickDistribution::Latest { exponent } => recency = Recency::Latest(*exponent),
                PickDistribution::Last(last) => {
                    recency = Recency::Last(last.as_nanos() as f64, *field)
                }
            }
        }
        let fields: Vec<FieldId> = values.iter().map(|(field, _)| *field).collect();
        let replaced = values.into_iter().map(|(field, value)| Replaced {
            field,
            value,
            salt: hash_name(&table.generator.schema().field(field).name),
            index: table.index_of_parent(field, |id| fields.contains(&id)),
        });
        Self {
            replaced: replaced.collect(),
            origins: eligible(read, &table.population),
            recency,
            row_salt: hash_name("row of a target"),
            given: Vec::new(),
        }
    }

    /// The row that the target of one read at an instant is made of; `None` when there is none yet, or it is one by its recency.
    pub(super) fn row_of(&self, draws: Draws, at: SimTime, table: &TableRows) -> PickedRow {
        match self.recency {
            Recency::Any => self.any(&mut draws.salted(self.row_salt), at, table),
            Recency::Latest(_) | Recency::Last(..) => None,
        }
    }

    /// Asks for what the values that replace a row's are looked up in.
    pub(super) fn prefetch(&self, draws: Draws) {
        for replaced in &self.replaced {
            if let Value::Drawn(sampler) = &replaced.value {
                sampler.prefetch(draws.salted(replaced.salt));
            }
        }
    }

    /// Writes the target of one read at an instant to `out`, of the row that [`TargetPicker::row_of`] gives.
    pub(super) fn draw(
        &mut self,
        draws: Draws,
        at: SimTime,
        row: PickedRow,
        table: &mut TableRows,
        out: &mut [i64],
    ) {
        self.given.clear();
        for replaced in &self.replaced {
            let mut draws = draws.salted(replaced.salt);
            let mut given = (replaced.field, replaced.value.draw(&mut draws));
            if let Some(index) = replaced.index.map(|index| table.index(index)) {
                for _ in 0..DRAWS_MAX {
                    if let Some(parent) = index.any_parent(given.1, &mut draws) {
                        given = parent;
                        break;
                    }
                    given.1 = replaced.value.draw(&mut draws);
                }
            }
            self.given.push(given);
        }
        let mut draws = draws.salted(self.row_salt);
        match row.or_else(|| self.row(&mut draws, at, table)) {
            Some((origin, nth)) => table.write(origin, nth, at, &self.given, out),
            None => table.write_loose(draws, at, &self.given, out),
        }
    }

    /// The origin and number of a row that a target may be made of; `None` when there is no row yet.
    pub(super) fn row(&mut self, draws: &mut Draws, at: SimTime, table: &TableRows) -> PickedRow {
        match self.recency {
            Recency::Any => self.any(draws, at, table),
            Recency::Latest(exponent) => self.latest(exponent, draws, at, table),
            Recency::Last(nanos, field) => self.last(nanos, field, draws, at, table),
        }
    }

    #[inline(always)]
    fn any(&self, draws: &mut Draws, at: SimTime, table: &TableRows) -> PickedRow {
        any_of(draws, &self.candidates(at, table))
    }

    /// As [`TargetPicker::row_of`] for many targets of one instant: of [`TargetPicker::candidates`].
    pub(super) fn row_among(&self, draws: Draws, all: &Candidates) -> PickedRow {
        match self.recency {
            Recency::Any => any_of(&mut draws.salted(self.row_salt), all),
            Recency::Latest(_) | Recency::Last(..) => None,
        }
    }

    /// The origins that have rows, by how many of these can be a target.
    #[inline(always)]
    pub(super) fn candidates(&self, at: SimTime, table: &TableRows) -> Candidates {
        let mut all = Candidates::new();
        for &(origin, share) in &self.origins {
            let rows = table.rows(origin, at);
            // By way of i64, for which processors have an instruction.
            let weight = rows as i64 as f64 * share;
            all.push(Candidate {
                origin,
                rows,
                weight,
            });
        }
        all
    }

    /// Rows of the run are newer than existing ones; of several origins each has its part of any stretch of ranks.
    fn latest(
        &self,
        exponent: f64,
        draws: &mut Draws,
        at: SimTime,
        table: &TableRows,
    ) -> PickedRow {
        let existing = table.existing;
        let all = self.candidates(at, table);
        let of = |during: bool| {
            let some = all.iter().filter(|of| (of.origin >= existing) == during);
            some.copied().collect::<Candidates>()
        };
        let sum = |all: &[Candidate]| all.iter().map(|of| of.weight).sum::<f64>();
        let (old, new) = (of(false), of(true));
        let (before, during) = (sum(&old), sum(&new));
        let total = (before + during) as u64;
        if total == 0 {
            return None;
        }
        let rank = (zipf_rank(total, exponent, draws) - 1) as f64;
        let newer = rank < during;
        let (behind, group, all) = match newer {
            true => (rank, during, new),
            false => (rank - during, before, old),
        };
        let (_, of) = choose(draws, &all)?;
        let back = (behind * (of.rows as f64 / group)) as u64;
        Some((of.origin, of.rows - 1 - back.min(of.rows - 1)))
    }

    fn last(
        &mut self,
        nanos: f64,
        field: FieldId,
        draws: &mut Draws,
        at: SimTime,
        table: &TableRows,
    ) -> PickedRow {
        let instant = at.as_nanos() as f64 - nanos * draws.unit();
        let history = |origin: usize| &table.population.origins[origin].history;
        let densities = self.origins.iter().map(|&(origin, share)| {
            let rows = table.rows(origin, at);
            let density = history(origin).density_at(instant) * share;
            Candidate {
                origin,
                rows,
                weight: if rows > 0 { density } else { 0.0 },
            }
        });
        if let Some((_, of)) = choose(draws, &densities.collect::<Candidates>()) {
            let number = history(of.origin).number_at(instant) as u64;
            return Some((of.origin, number.min(of.rows - 1)));
        }
        // Nothing was written then: the instant stands, and the other fields are those of any row.
        if let FieldKind::Timestamp { unit, .. } = table.generator.schema().field(field).kind {
            self.given.push((field, unit.floor(table.epoch(instant))));
        }
        self.any(draws, at, table)
    }
}

pub(super) type Candidates = SmallVec<[Candidate; 4]>;

/// Rows of one origin that may be a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    origin: usize,
    rows: u64,
    weight: f64,
}

/// Any row of them.
fn any_of(draws: &mut Draws, all: &[Candidate]) -> PickedRow {
    let (left, of) = choose(draws, all)?;
    let nth = (left / of.weight * of.rows as i64 as f64) as i64 as u64;
    Some((of.origin, nth.min(of.rows - 1)))
}

/// One of them by weight, with the part of the weight before what is chosen of it; beyond the sum, which only rounding leads to, the last.
fn choose(draws: &mut Draws, all: &[Candidate]) -> Option<(f64, Candidate)> {
    let some = all.iter().filter(|of| of.weight > 0.0);
    let total: f64 = some.clone().map(|of| of.weight).sum();
    let (mut point, mut chosen) = (draws.unit() * total, None);
    for of in some {
        chosen = Some((point, *of));
        if point < of.weight {
            break;
        }
        point -= of.weight;
    }
    chosen
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
fn eligible(read: &Read, population: &Population) -> Vec<(usize, f64)> {
    let marginals = &population.marginals;
    let share = |origin: usize| {
        let shares = read.with.iter().map(|(field, slot)| {
            let slots = (*slot, slot.saturating_add(1));
            match marginals.of(origin, *field) {
                Marginal::Fixed(fixed) => f64::from(u8::from(fixed == slot)),
                _ => marginals.independent(origin, *field, slots, Of::Rows),
            }
        });
        let pickable = read.pick.iter().all(|(field, pick)| {
            let fixed = matches!(marginals.of(origin, *field), Marginal::Fixed(_));
            !(fixed && matches!(pick, PickDistribution::Distribution(_)))
        });
        if pickable { shares.product() } else { 0.0 }
    };
    let all = 0..population.origins.len();
    let shares: Vec<(usize, f64)> = all.clone().map(|origin| (origin, share(origin))).collect();
    match shares.iter().any(|(_, share)| *share > 0.0) {
        true => shares,
        false => all.map(|origin| (origin, 1.0)).collect(),
    }
}
