//! How many different keys so many writes make. Must not know sizes.
//!
//! A key that a write makes with probability p is among N writes with probability 1 - e^(-N p). Over the sampled writes, each of which
//! stands for 1 / p keys like its own, that gives N x mean((1 - e^(-N p)) / (N p)) different keys. A key's probability is the product of
//! those of its segments, as fields are drawn independently: of a value seen often, its share of the sample; of the rare ones, an equal
//! part of their share. Segments made of fields that others hold already add nothing.

use crate::key::{KeyPlan, Segment};
use crate::record::{FieldId, FieldKind};
use crate::scenario::Setup;
use crate::storage::equally_likely_values;
use crate::workload::ExistingRows;

/// Writes that a value must have had for its share to be read from them (50 %: one standard error of a count of 4; what counts is the
/// mean over all).
const OFTEN: usize = 4;

/// How many different keys there are among so many writes.
#[derive(Debug, Clone)]
pub(super) enum DistinctKeys {
    /// All of them: rows are written once by design.
    All,
    /// By the probability of the key of each sampled write, and at most so many.
    Drawn(Vec<f64>, f64),
}

impl DistinctKeys {
    /// From the keys of a sample of writes. `None` when the key's segments have no fixed places. O(n log n) for each segment.
    pub fn of(key: &KeyPlan, setup: &Setup, keys: &[&[u8]]) -> Option<Self> {
        if written_once(key, setup) {
            return Some(Self::All);
        }
        let (mut probabilities, mut most) = (vec![1.0; keys.len()], 1.0);
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        for (start, segment) in independent_segments(key)? {
            let end = start + segment.len_range().0;
            let value = |at: &u32| &keys[*at as usize][start..end];
            order.sort_unstable_by(|a, b| value(a).cmp(value(b)));
            let groups = || order.chunk_by(|a, b| value(a) == value(b));
            let (mut found, mut often, mut rare_draws) = (0usize, 0usize, 0usize);
            for group in groups() {
                found += 1;
                if group.len() >= OFTEN {
                    often += 1;
                } else {
                    rare_draws += group.len();
                }
            }
            let values = match segment.cardinality() {
                Some(known) => known as f64,
                None => equally_likely_values(keys.len() as f64, found as f64),
            };
            most *= values.max(found as f64);
            let rare_values = (values - often as f64).max((found - often) as f64);
            let draws = keys.len() as f64;
            for group in groups() {
                let share = if group.len() >= OFTEN {
                    group.len() as f64 / draws
                } else {
                    rare_draws as f64 / draws / rare_values
                };
                for at in group {
                    probabilities[*at as usize] *= share;
                }
            }
        }
        Some(Self::Drawn(probabilities, most))
    }

    /// Different keys among so many writes, if `found` were counted among `drawn`.
    pub fn scaled(&self, writes: f64, drawn: f64, found: f64) -> f64 {
        let scaled = self.among(writes) * found / self.among(drawn).max(1.0);
        match self {
            Self::All => writes,
            Self::Drawn(_, most) => scaled.min(writes).min(*most),
        }
    }

    /// Different keys among so many writes.
    fn among(&self, writes: f64) -> f64 {
        match self {
            Self::All => writes,
            Self::Drawn(probabilities, most) => {
                let kept = probabilities.iter().map(|p| {
                    let times = writes * p;
                    if times < 1e-9 {
                        1.0
                    } else {
                        -libm::expm1(-times) / times
                    }
                });
                (writes * kept.sum::<f64>() / probabilities.len().max(1) as f64).min(*most)
            }
        }
    }
}

/// Segments at fixed places, of which none is made of the others' fields: those of few fields first.
fn independent_segments(key: &KeyPlan) -> Option<Vec<(usize, &Segment)>> {
    let mut start = 0;
    let mut segments = Vec::new();
    for segment in key.segments() {
        let (least, most) = segment.len_range();
        if least != most {
            return None;
        }
        if segment.constant().is_none() {
            segments.push((start, segment));
        }
        start += most;
    }
    segments.sort_by_key(|(start, segment)| {
        let values = segment.cardinality().unwrap_or(u64::MAX);
        (segment.fields().len(), std::cmp::Reverse(values), *start)
    });
    let mut covered: Vec<FieldId> = Vec::new();
    segments.retain(|(_, segment)| {
        let fields = segment.fields();
        let new = fields.is_empty() || fields.iter().any(|field| !covered.contains(field));
        covered.extend(fields);
        new
    });
    Some(segments)
}

/// All existing rows are combinations of fields that the key holds, once or once in every period that its time tells apart.
fn written_once(key: &KeyPlan, setup: &Setup) -> bool {
    let (workload, schema) = (&setup.workload, &setup.schema);
    let fields = key.fields();
    let is_time =
        |field: &FieldId| matches!(schema.field(*field).kind, FieldKind::Timestamp { .. });
    let (first, last) = schema.time_range;
    let tick = key
        .segments()
        .iter()
        .filter(|segment| segment.fields().iter().any(is_time))
        .map(|segment| {
            let instants = segment.cardinality().map_or(f64::INFINITY, |n| n as f64);
            (last.0 - first.0) as f64 / instants.max(1.0)
        })
        .fold(f64::INFINITY, f64::min);
    let once = |rows: &ExistingRows| match rows {
        ExistingRows::Drawn { .. } => false,
        ExistingRows::Each { each, every, .. } => {
            let told_apart = every.is_none_or(|every| tick <= every.as_nanos() as f64);
            told_apart && each.iter().all(|field| fields.contains(field))
        }
    };
    !workload.existing.is_empty()
        && workload
            .existing
            .iter()
            .all(|existing| once(&existing.rows))
}
