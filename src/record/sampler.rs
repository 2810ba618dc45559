//! Laws made ready to draw from: which of `count` values comes. Must not know what the values look like.

use super::alias_table::AliasTable;
use super::normal::{TruncatedNormal, probability};
use super::zipf::{self, Zipf};
use super::{Distribution, DistributionShape, Field, FieldId, Schema};
use crate::random::{DrawKey, Draws, Permutation, Seed, Stream, lane_of};

/// Laws over at most so many values are tabulated (8 bytes a value, one draw a sample, the order of ranks for free); above
/// it a table misses the caches on every draw and costs more than computing.
const TABLE_MAX: u64 = 1 << 20;

/// Standard deviations on either side beyond which a normal law is cut: 2e-19 of it lies there.
const NORMAL_REACH: f64 = 9.0;

/// A law over the values of one field. Ranks belong to the same values as under the field's own law: what is written most is read most.
#[derive(Debug, Clone)]
pub struct ValueSampler {
    pub(super) first: i64,
    pub(super) sampler: Sampler,
}

/// Draws numbers in `0..count` by a [`Distribution`].
#[derive(Debug, Clone)]
pub(super) enum Sampler {
    /// All alike.
    Uniform { count: u64 },
    /// Entry i is value `from + i`.
    Table { from: u64, table: AliasTable },
    /// Over more values than a table holds, by rank.
    Ranks(Box<Ranks>),
    /// A normal law over more values than a table holds.
    Normal {
        law: Box<TruncatedNormal>,
        last: u64,
    },
}

/// Draws ranks (from 0): the first ones by their given shares, the others by the shape; and deals them to values.
#[derive(Debug, Clone)]
pub(super) struct Ranks {
    top_share: f64,
    top: Option<AliasTable>,
    shape: Shape,
    order: Option<Permutation>,
}

#[derive(Debug, Clone)]
enum Shape {
    Uniform {
        from: u64,
        count: u64,
    },
    Zipf(Zipf),
    Hotspot {
        load: f64,
        hot: (u64, u64),
        cold: (u64, u64),
    },
    Weights(AliasTable),
}

/// How a law shares out values.
pub(super) enum Spread {
    Uniform,
    /// By weights of the values from one on: few enough for a table.
    Weights(u64, Vec<f64>),
    /// By rank, dealt to values in this order, if not in their own.
    Ranks(Option<Permutation>),
    /// By a rounded normal law.
    Normal {
        mean: f64,
        sd: f64,
    },
}

impl Distribution {
    /// How it shares out `count` >= 1 values, of which value i is the number `first + i` (what a normal law's mean refers to); `ranks` deals
    /// ranks to values.
    pub(super) fn spread(&self, count: u64, first: f64, ranks: DrawKey) -> Spread {
        let order = || (!self.ranked).then(|| Permutation::new(count, ranks));
        match self.shape {
            DistributionShape::Normal { mean, sd } => normal_spread(mean - first, sd, count),
            DistributionShape::Uniform if self.top.is_empty() => Spread::Uniform,
            _ if count > TABLE_MAX => Spread::Ranks(order()),
            _ => {
                let mut weights = self.rank_weights(count);
                if let Some(order) = order() {
                    let by_rank = weights.clone();
                    for (rank, weight) in by_rank.into_iter().enumerate() {
                        weights[order.at(rank as u64) as usize] = weight;
                    }
                }
                Spread::Weights(0, weights)
            }
        }
    }

    /// Weight of every rank of `0..count`; sums to 1 but for rounding when there is a `top`.
    fn rank_weights(&self, count: u64) -> Vec<f64> {
        let weights = (0..count).map(|rank| self.shape.weight(rank, count));
        let mut weights: Vec<f64> = weights.collect();
        let (top, others) = weights.split_at_mut(self.top.len().min(count as usize));
        if !top.is_empty() {
            top.copy_from_slice(&self.top[..top.len()]);
            let given: f64 = top.iter().sum();
            let sum: f64 = others.iter().sum();
            let even = 1.0 / others.len() as f64;
            for weight in others {
                *weight = (1.0 - given) * if sum > 0.0 { *weight / sum } else { even };
            }
        }
        weights
    }
}

/// A rounded normal law: the weights from the first value on that it reaches, unless they are too many for a table.
fn normal_spread(mean: f64, sd: f64, count: u64) -> Spread {
    let last = count - 1;
    let from = (mean - NORMAL_REACH * sd).floor().clamp(0.0, last as f64) as u64;
    let to = ((mean + NORMAL_REACH * sd).ceil().clamp(0.0, last as f64) as u64).min(last);
    if to - from >= TABLE_MAX {
        return Spread::Normal { mean, sd };
    }
    let z = |x: f64| (x - mean) / sd;
    let weight = |value: u64| probability(z(value as f64 - 0.5), z(value as f64 + 0.5));
    Spread::Weights(from, (from..=to).map(weight).collect())
}

impl DistributionShape {
    /// Weight of a rank of `0..count`.
    pub(super) fn weight(&self, rank: u64, count: u64) -> f64 {
        match self {
            Self::Uniform | Self::Normal { .. } => 1.0,
            Self::Zipf { exponent } => libm::pow((rank + 1) as f64, -exponent),
            Self::Hotspot { keys, load } => match hot_ranks(*keys, count) {
                hot if rank < hot => load / hot as f64,
                hot => (1.0 - load) / (count - hot) as f64,
            },
            Self::Weights(weights) => weights.get(rank as usize).copied().unwrap_or(0.0),
        }
    }

    /// Weight of the ranks `from..to` of `0..count`.
    pub(super) fn weight_of(&self, from: u64, to: u64, count: u64) -> f64 {
        match self {
            Self::Uniform | Self::Normal { .. } => (to - from) as f64,
            Self::Zipf { exponent } => zipf::sum(from + 1, to, *exponent),
            Self::Hotspot { keys, load } => {
                let hot = hot_ranks(*keys, count);
                let hot_part = to.min(hot).saturating_sub(from) as f64;
                let cold_part = to.saturating_sub(from.max(hot)) as f64;
                load * hot_part / hot as f64 + (1.0 - load) * cold_part / (count - hot) as f64
            }
            Self::Weights(weights) => weights.iter().take(to as usize).skip(from as usize).sum(),
        }
    }
}

/// Ranks of a hotspot's hot part: at least one, and one must stay cold.
fn hot_ranks(keys: f64, count: u64) -> u64 {
    ((keys * count as f64).round() as u64).clamp(1, (count - 1).max(1))
}

impl ValueSampler {
    /// `None` for fields without a finite count of values. O(values) for tabulated laws.
    pub fn new(
        schema: &Schema,
        field: FieldId,
        law: &Distribution,
        seed: Seed,
        replicate: u32,
    ) -> Option<Self> {
        let Field { kind, name, .. } = schema.field(field);
        let first = kind.first_slot();
        let ranks = DrawKey::new(seed, replicate, Stream::Ranks, lane_of(name));
        let sampler = Sampler::new(law, kind.count()?, first as f64, ranks);
        Some(Self { first, sampler })
    }

    /// Asks for the table entry that decides what is drawn.
    pub fn prefetch(&self, mut draws: Draws) {
        if let Sampler::Table { table, .. } = &self.sampler {
            table.prefetch(draws.bits());
        }
    }

    /// The slot of a value.
    #[inline]
    pub fn draw(&self, draws: &mut Draws) -> i64 {
        self.first.wrapping_add(self.sampler.sample(draws) as i64)
    }
}

/// Ranks of a popularity that changes: rank 1 is the most popular of `last`, weight `rank^-exponent`. O(1), no table.
pub fn zipf_rank(last: u64, exponent: f64, draws: &mut Draws) -> u64 {
    Zipf::new(1, last, exponent).sample(draws)
}

impl Sampler {
    /// The sampler of `law` over values, as [`Distribution::spread`] takes them.
    pub(super) fn new(law: &Distribution, count: u64, first: f64, ranks: DrawKey) -> Self {
        match law.spread(count, first, ranks) {
            Spread::Uniform => Self::Uniform { count },
            Spread::Weights(from, weights) => Self::Table {
                from,
                table: AliasTable::new(&weights),
            },
            Spread::Ranks(order) => Self::Ranks(Box::new(Ranks::new(law, count, order))),
            Spread::Normal { mean, sd } => {
                let last = count - 1;
                let law = Box::new(TruncatedNormal::new(mean, sd, -0.5, last as f64 + 0.5));
                Self::Normal { law, last }
            }
        }
    }

    /// A value in `0..count`.
    #[inline]
    pub(super) fn sample(&self, draws: &mut Draws) -> u64 {
        match self {
            Self::Uniform { count } => draws.below(*count),
            Self::Table { from, table } => from + table.sample(draws.bits()),
            Self::Ranks(ranks) => ranks.sample(draws),
            Self::Normal { law, last } => rounded(law, draws).min(*last),
        }
    }
}

/// Kept apart, as [`Ranks::sample`] is, so that drawing from a table stays short.
#[inline(never)]
fn rounded(law: &TruncatedNormal, draws: &mut Draws) -> u64 {
    (law.sample(draws) + 0.5).floor().max(0.0) as u64
}

impl Ranks {
    /// For `count` > [`TABLE_MAX`], which is more than any list of shares or weights in a file.
    fn new(law: &Distribution, count: u64, order: Option<Permutation>) -> Self {
        let from = law.top.len() as u64;
        let shape = match &law.shape {
            DistributionShape::Zipf { exponent } => {
                Shape::Zipf(Zipf::new(from + 1, count, *exponent))
            }
            DistributionShape::Hotspot { keys, load } => {
                let hot = hot_ranks(*keys, count);
                let left = hot.saturating_sub(from);
                let cold = from.max(hot);
                // Of the hot part only the ranks that have no share of their own take part.
                let hot_load = load * left as f64 / hot as f64;
                let cold_load = (1.0 - load) * (count - cold) as f64 / (count - hot) as f64;
                Shape::Hotspot {
                    load: hot_load / (hot_load + cold_load),
                    hot: (from, left.max(1)),
                    cold: (cold, count - cold),
                }
            }
            DistributionShape::Weights(weights)
                if weights.iter().skip(law.top.len()).any(|it| *it > 0.0) =>
            {
                let mut weights = weights.clone();
                weights[..law.top.len()].fill(0.0);
                Shape::Weights(AliasTable::new(&weights))
            }
            DistributionShape::Weights(_)
            | DistributionShape::Uniform
            | DistributionShape::Normal { .. } => Shape::Uniform {
                from,
                count: count - from,
            },
        };
        Self {
            top_share: law.top.iter().sum(),
            top: (!law.top.is_empty()).then(|| AliasTable::new(&law.top)),
            shape,
            order,
        }
    }

    #[inline(never)]
    fn sample(&self, draws: &mut Draws) -> u64 {
        let rank = self.rank(draws);
        self.order.as_ref().map_or(rank, |order| order.at(rank))
    }

    fn rank(&self, draws: &mut Draws) -> u64 {
        if let Some(top) = &self.top
            && draws.unit() < self.top_share
        {
            return top.sample(draws.bits());
        }
        match &self.shape {
            Shape::Uniform { from, count } => from + draws.below(*count),
            Shape::Zipf(zipf) => zipf.sample(draws) - 1,
            Shape::Hotspot { load, hot, cold } => {
                let (from, count) = if draws.unit() < *load { *hot } else { *cold };
                from + draws.below(count)
            }
            Shape::Weights(table) => table.sample(draws.bits()),
        }
    }
}
