//! What is made of the records of a table: of all that there can be, or of some that are drawn. Must not know what makes it.

use super::made_values::{Met, classes_of};
use super::marginals::{Marginal, Of};
use super::population::Population;
use super::row_question::{MadeClass, Recipe, ToldField};
use super::values_together::LISTED_MAX;
use crate::random::{Draws, Stream, mix};
use crate::record::{FieldId, FieldKind, ShareClass};
use crate::time::SimTime;
use std::sync::Arc;

/// Records that are drawn where nothing is known of them: values that come once in ten thousand are met a dozen times (estimate: 40 ms).
const DRAWN: u64 = 131_072;

/// Where something is known, records of which all draws have what is known, and how many are drawn of each; fewer where most have to be drawn again.
const BASES: u64 = 16;
const DRAWN_OF_EACH: u64 = 8_192;
const FOUND_OF_EACH: u64 = 1_024;

/// So many draws for each that is wanted: of what fewer records have, no distribution is told.
const ATTEMPTS: u64 = 128;

/// Tells these draws from others that look at samples.
const LANE: u32 = 0x6d61_6465;
const INSTANTS: u64 = 0x6d61_6465_5f61_7400;

/// What is known of a record.
fn known_of(given: &[ToldField], record: &[i64]) -> u64 {
    let of_field = |(field, groups): &ToldField| {
        let slot = record[usize::from(field.0)];
        let group = groups.as_ref().and_then(|it| it.of(slot));
        group.map_or(slot, i64::from) as u64
    };
    let given = given.iter().map(of_field);
    given.fold(0, |hash: u64, it| mix(hash.rotate_left(1) ^ it))
}

fn hash_of(bytes: &[u8]) -> u64 {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, it| word << 8 | u64::from(*it));
    let words = bytes.chunks(8).map(word);
    words.fold(bytes.len() as u64, |hash, it| mix(hash.rotate_left(1) ^ it))
}

impl Population {
    /// Classes of what is made of a record, given what is known of it, among all records that the table gets; `None` where too few are alike in what is known.
    pub(super) fn made_classes(&self, recipe: Recipe<'_>) -> Option<Arc<[MadeClass]>> {
        let end = SimTime::ZERO + self.duration;
        // Origins whose values come about alike are looked at once, unless these are times and numbers.
        let mut origins: Vec<(usize, f64)> = Vec::new();
        for at in 0..self.origins.len() {
            let rows = self.origins[at].history.rows(end);
            let mut known = origins.iter_mut();
            let is_it = |of: &&mut (usize, f64)| {
                !self.moves(at, recipe.fields) && self.marginals.are_alike(of.0, at)
            };
            match known.find(is_it) {
                Some((_, all)) => *all += rows,
                None if rows > 0.0 && rows.is_finite() => origins.push((at, rows)),
                None => {}
            }
        }
        let all: f64 = origins.iter().map(|it| it.1).sum();
        origins.iter_mut().for_each(|it| it.1 /= all);
        match self.listed(recipe, &origins) {
            Some(values) => classes_of(values, 0.0),
            None => self.met(recipe, &origins)?.classes(),
        }
    }

    /// Some of the fields follow time or numbers.
    fn moves(&self, origin: usize, fields: &[FieldId]) -> bool {
        let moves = |field: &FieldId| {
            let marginal = self.marginals.of(origin, *field);
            matches!(marginal, Marginal::Instant { .. } | Marginal::Number { .. })
        };
        fields.iter().any(moves)
    }

    /// The values of all combinations of what decides them; `None` where these are too many.
    fn listed(&self, recipe: Recipe<'_>, origins: &[(usize, f64)]) -> Option<Vec<ShareClass>> {
        let given = recipe.given.iter().map(|it| it.0);
        let mut fields: Vec<FieldId> = recipe.fields.iter().copied().chain(given).collect();
        fields.sort_unstable();
        fields.dedup();
        let (mut all, mut made) = (Vec::<((u64, u64), f64)>::new(), Vec::new());
        let schema = self.marginals.generator.schema();
        for &(origin, weight) in origins {
            if self.moves(origin, &fields) {
                return None;
            }
            let deciders = fields.iter();
            let deciders = deciders.flat_map(|it| self.marginals.deciders(origin, *it));
            let mut roots: Vec<FieldId> = deciders.collect();
            roots.sort_unstable();
            roots.dedup();
            let counts = roots.iter().map(|it| schema.field(*it).count());
            let things = counts.map(|it| Some(it? as f64)).product::<Option<f64>>()?;
            if things + all.len() as f64 > LISTED_MAX {
                return None;
            }
            let of = (&roots[..], &fields[..]);
            let numbers = 0..things as u64;
            let marginals = &self.marginals;
            marginals.each_combination(origin, of, Of::Rows, numbers, |record, share| {
                made.clear();
                (recipe.write)(record, &mut made);
                let value = (known_of(recipe.given, record), hash_of(&made));
                all.push((value, weight * share));
            })?;
        }
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut values = Vec::new();
        for known in all.chunk_by(|a, b| a.0.0 == b.0.0) {
            let whole: f64 = known.iter().map(|it| it.1).sum();
            if whole > 0.0 {
                let same = known.chunk_by(|a, b| a.0 == b.0);
                values.extend(same.map(|it| ShareClass {
                    values: whole,
                    share: it.iter().map(|it| it.1).sum::<f64>() / whole,
                }));
            }
        }
        Some(values)
    }

    /// The values of records that are drawn; `None` where records that are alike in what is known are not found.
    fn met(&self, recipe: Recipe<'_>, origins: &[(usize, f64)]) -> Option<Met> {
        let generator = &self.marginals.generator;
        let key = generator.draws(Stream::Sample, LANE);
        let origin_of = |index: u64| {
            let mut at = key.at(index).salted(INSTANTS).unit();
            let found = origins.iter().find(|(_, part)| {
                at -= part;
                at < 0.0
            });
            found.or(origins.last()).map(|it| it.0)
        };
        let (mut record, mut made) = (vec![0; generator.width()], Vec::new());
        let mut hash = |record: &[i64]| {
            made.clear();
            (recipe.write)(record, &mut made);
            hash_of(&made)
        };
        if recipe.given.is_empty() && recipe.step.is_none() {
            let mut hashes = Vec::with_capacity(DRAWN as usize);
            for index in 0..DRAWN {
                self.draw(origin_of(index)?, &[], None, key.at(index), &mut record);
                hashes.push(hash(&record));
            }
            let mut met = Met {
                of_each: DRAWN as f64,
                ..Met::default()
            };
            met.add(hashes);
            return Some(met);
        }
        let mut met = Met::default();
        let mut index = 0;
        for _ in 0..BASES {
            let origin = origin_of(index)?;
            self.draw(origin, &[], None, key.at(index), &mut record);
            index += 1;
            let is_root = |of: &&ToldField| {
                let marginal = self.marginals.of(origin, of.0);
                of.1.is_none() && !matches!(marginal, Marginal::OfOthers { .. })
            };
            let slot_of = |field: FieldId| record[usize::from(field.0)];
            let roots = recipe.given.iter().filter(is_root);
            let kept: Vec<(FieldId, i64)> = roots.map(|it| (it.0, slot_of(it.0))).collect();
            let step = recipe.step.map(|(field, low, high)| {
                let length = high.saturating_sub(low).max(1);
                let into = i128::from(slot_of(field)) - i128::from(low);
                let low = slot_of(field) - into.rem_euclid(i128::from(length)) as i64;
                (field, low, low.saturating_add(length))
            });
            let within = step.and_then(|(field, low, high)| {
                let FieldKind::Timestamp { unit, .. } = self.marginals.kind(field) else {
                    return None;
                };
                Some((self.nanos(*unit, low), self.nanos(*unit, high)))
            });
            let known = known_of(recipe.given, &record);
            let is_certain = kept.len() == recipe.given.len();
            let wanted = match is_certain {
                true => DRAWN_OF_EACH,
                false => FOUND_OF_EACH,
            };
            met.of_each = wanted as f64;
            let (mut hashes, mut attempts) = (Vec::new(), 0);
            while (hashes.len() as u64) < wanted && attempts < wanted * ATTEMPTS {
                self.draw(origin, &kept, within, key.at(index), &mut record);
                (index, attempts) = (index + 1, attempts + 1);
                let slot_of = |field: FieldId| record[usize::from(field.0)];
                let is_in_step =
                    step.is_none_or(|(field, low, high)| (low..high).contains(&slot_of(field)));
                if is_in_step && (is_certain || known_of(recipe.given, &record) == known) {
                    hashes.push(hash(&record));
                }
            }
            if hashes.len() as u64 == wanted {
                met.add(hashes);
            }
        }
        (met.draws > 0.0).then_some(met)
    }

    /// Draws a record of an origin that has these values, and is due at some instant between those.
    fn draw(
        &self,
        at: usize,
        kept: &[(FieldId, i64)],
        within: Option<(f64, f64)>,
        draws: Draws,
        record: &mut [i64],
    ) {
        let (origin, generator) = (&self.origins[at], &self.marginals.generator);
        let mut own = draws.salted(INSTANTS);
        own.bits();
        let end = SimTime::ZERO + self.duration;
        let (from, to) = origin.history.span(end);
        let (from, to) = match within {
            Some((low, high)) if from.max(low) < to.min(high) => (from.max(low), to.min(high)),
            Some(within) => within,
            None => (from, to),
        };
        let instant = self.instant(from + own.unit() * (to - from));
        let number = own.below((origin.history.rows(end) as u64).max(1));
        let combined = origin.each.iter().map(|field| {
            let kind = self.marginals.kind(*field);
            let value = own.below(kind.count().unwrap_or(1)) as i64;
            (*field, kind.first_slot().wrapping_add(value))
        });
        let fixed: Vec<(FieldId, i64)> = combined
            .chain(origin.fixed.iter().copied())
            .chain(kept.iter().copied())
            .collect();
        generator.generate(draws, origin.sequence + number, instant, &fixed, record);
    }
}
