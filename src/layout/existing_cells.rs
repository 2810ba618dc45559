//! The cells that exist, of writes of which several may have made one. Must not know regions.
//!
//! A store file has a row once that was written a thousand times, but for versions that are kept. So has a sample of all writes. One of a part of them meets by chance
//! what has been written often: each cell that it meets stands for as many as exist for one that is met, among those that say the same of all fields that the key tells.

use super::key_sample::{KeySample, KeyedTable, is_skewed};
use super::row_growth::{RowGrowth, some_record};
use crate::key::StepCache;
use crate::query::RowIdentity;
use crate::random::mix;
use crate::record::FieldId;
use crate::time::SimTime;
use crate::workload::{Choice, Condition, RowCounter};
use std::sync::Arc;

/// Part of the writes up to which it does not matter that they fall on cells that others have written.
const REPEATED: f64 = 1e-3;

impl KeyedTable<'_> {
    /// Cells that exist, as about so many of the writes that made them show: each by its newest write, and as often as there are versions of it. Rows, where no qualifier
    /// tells cells apart.
    pub fn existing_cells(&self, writes: usize) -> Arc<KeySample> {
        let (setup, sample) = (self.setup(), self.existing(writes, Choice::Spread));
        let exist = RowGrowth::roughly(self.cell_key, setup, self.replicate).rows(0.0);
        if exist > (1.0 - REPEATED) * self.replicate.stored.rows(SimTime::ZERO) {
            return sample;
        }
        let part = sample.len() as f64 / setup.workload.existing_rows(&setup.schema) as f64;
        let versions = setup.table.families.iter().map(|it| it.spec.versions);
        let versions = versions.max().unwrap_or(1);
        let cells = || match self.strategy.qualifier {
            None => Arc::clone(&sample),
            Some(_) => {
                let key = self.cell_key;
                Self { key, ..*self }.existing(writes, Choice::Spread)
            }
        };
        let newest = |writes: &[u32]| {
            let kept = writes.iter().rev().take(versions as usize);
            kept.map(|at| (*at, 1.0)).collect::<Vec<_>>()
        };
        let met = match part < 1.0 {
            true => self.cells_met(&sample, cells, part, f64::from(versions)),
            false => Some(cells().alike().flat_map(newest).collect()),
        };
        let Some(met) = met else {
            return sample;
        };
        let all: f64 = met.iter().map(|(_, cells)| cells).sum();
        let shown = all.min(sample.len() as f64).round();
        let (mut before, mut last, mut times) = (0.0, 0, vec![0; sample.len()]);
        for (at, cells) in met {
            before += cells;
            let until = (before / all * shown).round() as u32;
            times[at as usize] = until - last;
            last = until;
        }
        sample.with_times(&times)
    }

    /// The different cells that a sample of this part of the writes has met, in key order: the newest place of each, and for how many it stands. `None` where all cells
    /// are written as often: then writes tell how they lie.
    fn cells_met(
        &self,
        sample: &KeySample,
        cells: impl FnOnce() -> Arc<KeySample>,
        part: f64,
        versions: f64,
    ) -> Option<Vec<(u32, f64)>> {
        let (key, setup, replicate) = (self.cell_key, self.setup(), self.replicate);
        let (schema, workload) = (&setup.schema, &setup.workload);
        let fixed = workload.existing.iter().flat_map(|it| &it.with);
        let fixed = fixed.chain(workload.writes.iter().flat_map(|it| &it.with));
        let fixed: Vec<&(FieldId, i64)> = fixed.collect();
        let is_uneven = |field: &FieldId| {
            fixed.iter().any(|it| it.0 == *field) || is_skewed(schema, workload, *field)
        };
        if !key.fields().iter().any(is_uneven) {
            return None;
        }
        let told = key.told_fields(0..key.segments().len());
        let follows = |field: &FieldId| {
            let of = &schema.field(*field).of;
            !of.is_empty() && of.iter().all(|parent| told.contains(parent))
        };
        let asked = told.iter().filter(|field| {
            is_uneven(field) && schema.field(**field).count().is_some() && !follows(field)
        });
        // With what each value has of a law of its own.
        let law = |field: &FieldId| {
            let is_own = schema.field(*field).of.is_empty();
            let law = is_own.then(|| replicate.generator.shares(*field));
            (*field, law.flatten())
        };
        let asked: Vec<_> = asked.map(law).collect();
        let identity = RowIdentity::of(key, schema);
        let mut other = some_record(setup, replicate);
        let step = identity.step(&mut other, &mut StepCache::default());
        // A record that is none of those asked for: of the writes none is known.
        for (field, _) in &asked {
            other[usize::from(field.0)] = i64::MIN;
        }
        let counter = RowCounter::new(&replicate.stored);
        // Of a row that was written m times k (1 - (1 - 1 / k)^m) are expected under k random salts, and under one of them what one of k writes shows.
        let under = |salts, equal: &[(FieldId, i64)]| {
            let identity = identity.clone().salted(salts);
            let condition = Condition::of(equal, &[]);
            identity.rows(&counter, condition, step, &other, SimTime::ZERO)
        };
        // Such as have the same of each law together, to 0.4 % (eight bits behind the leading one), and the same values of other fields.
        let alike = |at: u32| {
            let (mut values, mut share) = (0, 1.0);
            for (field, law) in &asked {
                values = mix(values);
                let slot = sample.slot(*field, at as usize);
                match law {
                    Some(law) if !fixed.contains(&&(*field, slot)) => {
                        share *= law.share_between(slot, slot.saturating_add(1));
                    }
                    _ => values ^= mix(slot as u64),
                }
            }
            (values, share.to_bits() >> (f64::MANTISSA_DIGITS - 9))
        };
        let of_all = under(1.0 / part, &[]) * part;
        let mut found: Vec<(u32, f64)> = match of_all > (1.0 - REPEATED) * sample.len() as f64 {
            true => sample.alike().flatten().map(|at| (*at, 1.0)).collect(),
            false => {
                let cells = cells();
                let newest = cells.alike().filter_map(|it| it.last());
                newest.map(|at| (*at, 1.0)).collect()
            }
        };
        let slots = |(at, _): &(u32, f64)| {
            let at = *at as usize;
            (asked.iter()).map(move |(field, _)| (*field, sample.slot(*field, at)))
        };
        let mut first = 0;
        let same = found.chunk_by(|a, b| slots(a).eq(slots(b))).map(|same| {
            first += same.len();
            (alike(same[0].0), first - same.len()..first)
        });
        let mut classes: Vec<_> = same.collect();
        classes.sort_by_key(|(class, _)| *class);
        for class in classes.chunk_by(|a, b| a.0 == b.0) {
            let equal: Vec<_> = slots(&found[class[0].1.start]).collect();
            let cells = match versions > 1.0 {
                // As many writes as versions leave fewer by the square root of their number; this is right to a fifth of them, and where there are few or many writes.
                true => under(2.0 * versions, &equal).min(versions * under(1.0, &equal)),
                false => under(1.0, &equal),
            };
            // One that laws rule out, as no rounding should leave it, stands for itself.
            let stands_for = (cells / (under(1.0 / part, &equal) * part))
                .max(1.0)
                .min(versions / part);
            let places = class.iter().flat_map(|(_, same)| same.clone());
            places.for_each(|nth| found[nth].1 = stands_for);
        }
        Some(found)
    }
}
