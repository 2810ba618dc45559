//! One law made ready to draw from: which of `count` values comes. Must not know what the values look like.

use super::alias_table::AliasTable;
use super::normal::{TruncatedNormal, probability};
use super::zipf::Zipf;
use super::{Law, LawShape};
use crate::random::{DrawKey, Draws, Permutation};

/// Laws over at most so many values are tabulated (8 bytes a value, one draw a sample, the order of ranks for free); above
/// it a table misses the caches on every draw and costs more than computing.
pub(super) const TABLE_MAX: u64 = 1 << 20;

/// Standard deviations on either side beyond which a normal law is cut: 2e-19 of it lies there.
const NORMAL_REACH: f64 = 9.0;

/// Draws numbers in `0..count` by a [`Law`].
#[derive(Debug, Clone)]
pub(super) enum Sampler {
    /// All alike.
    Uniform { count: u64 },
    /// Entry i is value `from + i`.
    Table { from: u64, table: AliasTable },
    /// Over more values than a table holds, by rank.
    Ranks {
        ranks: Box<Ranks>,
        order: Option<Box<Permutation>>,
    },
    /// A normal law over more values than a table holds.
    Normal {
        law: Box<TruncatedNormal>,
        last: u64,
    },
}

/// Draws ranks (from 0): the first ones by their given shares, the others by the shape.
#[derive(Debug, Clone)]
pub(super) struct Ranks {
    top_share: f64,
    top: Option<AliasTable>,
    shape: Shape,
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

impl Sampler {
    /// The sampler of `law` over `count` >= 1 values, of which value i is the number `first + i` (what a normal law's mean refers to);
    /// `ranks` deals ranks to values.
    pub(super) fn new(law: &Law, count: u64, first: f64, ranks: DrawKey) -> Self {
        match law.shape {
            LawShape::Normal { mean, sd } => normal(mean - first, sd, count),
            LawShape::Uniform if law.top.is_empty() => Self::Uniform { count },
            _ if count <= TABLE_MAX => {
                let table = AliasTable::new(&value_weights(law, count, ranks));
                Self::Table { from: 0, table }
            }
            _ => Self::Ranks {
                ranks: Box::new(Ranks::new(law, count)),
                order: (!law.ranked).then(|| Box::new(Permutation::new(count, ranks))),
            },
        }
    }

    /// A value in `0..count`.
    #[inline]
    pub(super) fn sample(&self, draws: &mut Draws) -> u64 {
        match self {
            Self::Uniform { count } => draws.below(*count),
            Self::Table { from, table } => from + table.sample(draws.bits()),
            Self::Ranks { .. } | Self::Normal { .. } => self.computed(draws),
        }
    }

    /// Laws without a table; kept apart so that the short ones stay short.
    #[inline(never)]
    fn computed(&self, draws: &mut Draws) -> u64 {
        match self {
            Self::Ranks { ranks, order } => {
                let rank = ranks.sample(draws);
                order.as_ref().map_or(rank, |order| order.at(rank))
            }
            Self::Normal { law, last } => {
                ((law.sample(draws) + 0.5).floor().max(0.0) as u64).min(*last)
            }
            Self::Uniform { .. } | Self::Table { .. } => self.sample(draws),
        }
    }
}

/// A rounded normal law over `0..count`.
fn normal(mean: f64, sd: f64, count: u64) -> Sampler {
    let last = count - 1;
    match normal_weights(mean, sd, count) {
        Some((from, weights)) => Sampler::Table {
            from,
            table: AliasTable::new(&weights),
        },
        None => Sampler::Normal {
            law: Box::new(TruncatedNormal::new(mean, sd, -0.5, last as f64 + 0.5)),
            last,
        },
    }
}

/// The first value that a rounded normal law reaches, and the weights from there on; `None` when they are too many for a table.
pub(super) fn normal_weights(mean: f64, sd: f64, count: u64) -> Option<(u64, Vec<f64>)> {
    let last = count - 1;
    let from = (mean - NORMAL_REACH * sd).floor().clamp(0.0, last as f64) as u64;
    let to = ((mean + NORMAL_REACH * sd).ceil().clamp(0.0, last as f64) as u64).min(last);
    let z = |x: f64| (x - mean) / sd;
    (to - from < TABLE_MAX).then(|| {
        let weight = |value: u64| probability(z(value as f64 - 0.5), z(value as f64 + 0.5));
        (from, (from..=to).map(weight).collect())
    })
}

/// Ranks of a hotspot's hot part: at least one, and one must stay cold.
pub(super) fn hot_ranks(keys: f64, count: u64) -> u64 {
    ((keys * count as f64).round() as u64).clamp(1, (count - 1).max(1))
}

/// Weight of every value of `0..count`; `ranks` deals ranks to values.
pub(super) fn value_weights(law: &Law, count: u64, ranks: DrawKey) -> Vec<f64> {
    let by_rank = rank_weights(law, count);
    if law.ranked {
        return by_rank;
    }
    let order = Permutation::new(count, ranks);
    let mut by_value = vec![0.0; by_rank.len()];
    for (rank, weight) in by_rank.iter().enumerate() {
        by_value[order.at(rank as u64) as usize] = *weight;
    }
    by_value
}

/// Weight of every rank of `0..count`; sums to 1 but for rounding when there is a `top`.
fn rank_weights(law: &Law, count: u64) -> Vec<f64> {
    let shape = |rank: u64| match &law.shape {
        LawShape::Uniform | LawShape::Normal { .. } => 1.0,
        LawShape::Zipf { exponent } => libm::pow((rank + 1) as f64, -exponent),
        LawShape::Hotspot { keys, load } => {
            let hot = hot_ranks(*keys, count);
            if rank < hot {
                load / hot as f64
            } else {
                (1.0 - load) / (count - hot) as f64
            }
        }
        LawShape::Weights(weights) => usize::try_from(rank)
            .ok()
            .and_then(|rank| weights.get(rank))
            .copied()
            .unwrap_or(0.0),
    };
    let mut weights: Vec<f64> = (0..count).map(shape).collect();
    let (top, others) = weights.split_at_mut(law.top.len().min(count as usize));
    if !top.is_empty() {
        let given: f64 = law.top.iter().take(top.len()).sum();
        let sum: f64 = others.iter().sum();
        let even = 1.0 / others.len() as f64;
        for weight in others {
            *weight = (1.0 - given) * if sum > 0.0 { *weight / sum } else { even };
        }
        top.copy_from_slice(&law.top[..top.len()]);
    }
    weights
}

impl Ranks {
    /// For `count` > [`TABLE_MAX`], which is more than any list of shares or weights in a file.
    fn new(law: &Law, count: u64) -> Self {
        let from = law.top.len() as u64;
        let shape = match &law.shape {
            LawShape::Zipf { exponent } => Shape::Zipf(Zipf::new(from + 1, count, *exponent)),
            LawShape::Hotspot { keys, load } => {
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
            LawShape::Weights(weights)
                if weights
                    .iter()
                    .skip(law.top.len())
                    .any(|weight| *weight > 0.0) =>
            {
                let mut weights = weights.clone();
                weights[..law.top.len()].fill(0.0);
                Shape::Weights(AliasTable::new(&weights))
            }
            LawShape::Weights(_) | LawShape::Uniform | LawShape::Normal { .. } => Shape::Uniform {
                from,
                count: count - from,
            },
        };
        let top = (!law.top.is_empty()).then(|| AliasTable::new(&law.top));
        Self {
            top_share: law.top.iter().sum(),
            top,
            shape,
        }
    }

    #[inline]
    fn sample(&self, draws: &mut Draws) -> u64 {
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
