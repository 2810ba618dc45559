//! How much of a law each value has: the probabilities behind the draws. Must not draw anything.

use super::normal::probability;
use super::sampler::Spread;
use super::{Distribution, Field, FieldColumn, FieldId, Schema};
use crate::prefetch::prefetch;
use crate::random::{DrawKey, Permutation, Seed, Stream, lane_of};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ranges of up to so many values of a permuted law without a table are summed value by value; of longer ones the expected share is given.
const SUMMED_MAX: u64 = 4_096;

/// Equal parts into which a normal law over too many values for a table is cut.
const SLICES: u64 = 64;

/// Values of about the same share: within a factor of 1.42 of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareClass {
    /// Number of them.
    pub values: f64,
    /// Mean share of one.
    pub share: f64,
}

/// Sorts values into classes: the greatest share last, values without one left out. O(values).
pub fn share_classes(all: impl Iterator<Item = ShareClass>) -> Vec<ShareClass> {
    let mut classes: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for of in all.filter(|of| of.share > 0.0) {
        // The exponent of the square: two classes an octave.
        let (values, sum) = classes
            .entry((of.share * of.share).to_bits() >> 52)
            .or_default();
        *values += of.values;
        *sum += of.values * of.share;
    }
    let class = |(values, sum)| ShareClass {
        values,
        share: sum / values,
    };
    classes.into_values().map(class).collect()
}

/// The shares of a field's values under one law, in one replicate: exactly what [`super::ValueSampler`] draws by. O(values) memory for laws that
/// draw from a table (up to 2^20 values that are not all alike), else O(1).
#[derive(Debug, Clone)]
pub struct ValueShares {
    first: i64,
    count: u64,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Uniform,
    /// As often as they stand in rows that exist.
    Column(Arc<FieldColumn>),
    /// Entry i is what the values `from ..` before value `from + i` have together.
    Table {
        from: u64,
        before: Vec<f64>,
    },
    Ranks(RankShares),
    Normal {
        mean: f64,
        sd: f64,
        weight: f64,
    },
}

/// The shares of ranks, from 0.
#[derive(Debug, Clone)]
struct RankShares {
    law: Distribution,
    count: u64,
    /// What the first ranks have together that have shares of their own, and what the others weigh together.
    given: f64,
    weight: f64,
    /// Which value has which rank, if they are not the same.
    order: Option<Permutation>,
}

impl Form {
    fn weighted(from: u64, weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().sum();
        let running = weights.iter().scan(0.0, |running, weight| {
            *running += weight;
            Some(if sum > 0.0 { *running / sum } else { 0.0 })
        });
        let before = std::iter::once(0.0).chain(running).collect();
        Self::Table { from, before }
    }
}

impl ValueShares {
    /// The shares of `law` over the values of a field; `None` for fields without a finite count of values. Ranks are dealt as for the field's own law.
    /// Values of rows that exist have their own shares.
    pub fn new(
        schema: &Schema,
        field: FieldId,
        law: &Distribution,
        seed: Seed,
        replicate: u32,
    ) -> Option<Self> {
        let Field { kind, name, .. } = schema.field(field);
        if let Some(column) = &schema.field(field).column {
            return Some(Self {
                first: 0,
                count: column.distinct,
                form: Form::Column(Arc::clone(column)),
            });
        }
        let (first, count) = (kind.first_slot(), kind.count()?);
        let ranks = DrawKey::new(seed, replicate, Stream::Ranks, lane_of(name));
        let form = match law.spread(count, first as f64, ranks) {
            Spread::Uniform => Form::Uniform,
            Spread::Weights(from, weights) => Form::weighted(from, &weights),
            Spread::Ranks(order) => Form::Ranks(RankShares::new(law, count, order)),
            Spread::Normal { mean, sd } => Form::Normal {
                mean,
                sd,
                weight: probability((-0.5 - mean) / sd, (count as f64 - 0.5 - mean) / sd),
            },
        };
        Some(Self { first, count, form })
    }

    /// The shares of values from slot `first` on that come in proportion to these weights.
    pub fn of_weights(first: i64, weights: &[f64]) -> Self {
        Self {
            first,
            count: weights.len() as u64,
            form: Form::weighted(0, weights),
        }
    }

    /// Asks for the share of a slot where it is looked up in a table.
    pub fn prefetch(&self, slot: i64) {
        if let Form::Table { from, before } = &self.form {
            let value = slot.wrapping_sub(self.first) as u64;
            let entry = before.get(value.wrapping_sub(*from) as usize);
            entry.into_iter().for_each(prefetch);
        }
    }

    /// The probability of the slots `low..high`. O(1), but for permuted laws over more than 2^20 values: those are summed up to 4,096 values, and beyond
    /// it each value counts as the mean.
    pub fn share_between(&self, low: i64, high: i64) -> f64 {
        if let Form::Column(column) = &self.form {
            return column.rows(low, high).len() as f64 / column.slots.len() as f64;
        }
        let offset = |slot: i64| match slot >= self.first {
            true => slot.abs_diff(self.first).min(self.count),
            false => 0,
        };
        let (low, high) = (offset(low), offset(high));
        match low < high {
            true => self.between(low, high),
            false => 0.0,
        }
    }

    /// All values in classes of about the same share. O(values) where they are tabulated, else O(log values).
    pub fn classes(&self) -> Vec<ShareClass> {
        let one = |share| ShareClass { values: 1.0, share };
        let even = |from: u64, to: u64, sum: f64| ShareClass {
            values: (to - from) as f64,
            share: sum / (to - from) as f64,
        };
        match &self.form {
            Form::Uniform => vec![even(0, self.count, 1.0)],
            Form::Column(column) => {
                let rows = column.slots.len() as f64;
                let values = column.sorted.chunk_by(|a, b| a == b);
                share_classes(values.map(|value| one(value.len() as f64 / rows)))
            }
            Form::Table { before, .. } => {
                share_classes(before.windows(2).map(|pair| one(pair[1] - pair[0])))
            }
            Form::Normal { .. } => {
                let part = u128::from(self.count);
                let at = |slice: u64| (part * u128::from(slice) / u128::from(SLICES)) as u64;
                let slices = (0..SLICES).map(|slice| (at(slice), at(slice + 1)));
                let some = slices.filter(|(from, to)| from < to);
                some.map(|(from, to)| even(from, to, self.between(from, to)))
                    .collect()
            }
            Form::Ranks(ranks) => {
                let (mut classes, mut from) = (Vec::new(), 0u64);
                while from < self.count {
                    let to = (from + (from / 2).max(1)).min(self.count);
                    classes.push(even(from, to, ranks.before(to) - ranks.before(from)));
                    from = to;
                }
                classes
            }
        }
    }

    /// The probability of values `low..high`, low < high <= count.
    fn between(&self, low: u64, high: u64) -> f64 {
        match &self.form {
            Form::Uniform | Form::Column(_) => (high - low) as f64 / self.count as f64,
            Form::Table { from, before } => {
                let at = |value: u64| {
                    before[(value.saturating_sub(*from) as usize).min(before.len() - 1)]
                };
                at(high) - at(low)
            }
            Form::Normal { mean, sd, weight } => {
                let z = |x: u64| (x as f64 - 0.5 - mean) / sd;
                probability(z(low), z(high)) / weight
            }
            Form::Ranks(ranks) => match &ranks.order {
                None => ranks.before(high) - ranks.before(low),
                Some(order) if high - low <= SUMMED_MAX => {
                    let shares = (low..high).map(|value| ranks.of(order.position(value)));
                    shares.sum()
                }
                Some(_) => (high - low) as f64 / self.count as f64,
            },
        }
    }
}

impl RankShares {
    fn new(law: &Distribution, count: u64, order: Option<Permutation>) -> Self {
        let weight = law.shape.weight_of(law.top.len() as u64, count, count);
        Self {
            law: law.clone(),
            count,
            given: law.top.iter().sum(),
            // Nothing weighs anything only behind an exhausted list of weights.
            weight: if weight > 0.0 { weight } else { 1.0 },
            order,
        }
    }

    /// The probability of one rank.
    fn of(&self, rank: u64) -> f64 {
        let by_shape =
            || (1.0 - self.given) * self.law.shape.weight(rank, self.count) / self.weight;
        let top = self.law.top.get(rank as usize);
        top.copied().unwrap_or_else(by_shape)
    }

    /// The probability of the ranks `0..end`.
    fn before(&self, end: u64) -> f64 {
        let top = self.law.top.len() as u64;
        let of_top: f64 = self.law.top.iter().take(end.min(top) as usize).sum();
        if end <= top {
            return of_top;
        }
        let weight = self.law.shape.weight_of(top, end, self.count);
        of_top + (1.0 - self.given) * weight / self.weight
    }
}
