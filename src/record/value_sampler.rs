//! Draws single values of a field, apart from records. Must not know what they are drawn for.

use super::sampler::Sampler;
use super::{FieldId, Law, Schema};
use crate::random::{DrawKey, Draws, Seed, Stream, lane_of};

/// A law over the values of one field. Ranks belong to the same values as under the field's own law: what is written most is read most.
#[derive(Debug, Clone)]
pub struct ValueSampler {
    first: i64,
    sampler: Sampler,
}

impl ValueSampler {
    /// `None` for fields without a finite count of values. O(values) for tabulated laws.
    pub fn new(
        schema: &Schema,
        field: FieldId,
        law: &Law,
        seed: Seed,
        replicate: u32,
    ) -> Option<Self> {
        let (kind, name) = (&schema.field(field).kind, &schema.field(field).name);
        let first = kind.first_slot();
        let ranks = DrawKey::new(seed, replicate, Stream::Ranks, lane_of(name));
        Some(Self {
            first,
            sampler: Sampler::new(law, kind.count()?, first as f64, ranks),
        })
    }

    /// The slot of a value.
    #[inline]
    pub fn draw(&self, draws: &mut Draws) -> i64 {
        self.first.wrapping_add(self.sampler.sample(draws) as i64)
    }
}

/// Ranks of a popularity that changes: rank 1 is the most popular of `last`, weight `rank^-exponent`. O(1), no table.
pub fn zipf_rank(last: u64, exponent: f64, draws: &mut Draws) -> u64 {
    super::zipf::Zipf::new(1, last, exponent).sample(draws)
}
