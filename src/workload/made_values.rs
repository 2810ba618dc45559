//! How often what is made of fields of a record comes to each of its values: it is made of all records that there can be, or of some that are drawn, and
//! counted. Must not know what makes it.

use super::marginals::{Marginal, Of};
use super::population::Population;
use super::values_together::{LISTED_MAX, ToldField};
use crate::random::{DrawKey, Stream, mix};
use crate::record::{FieldId, FieldKind, ShareClass, share_classes};
use crate::time::SimTime;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Records that are drawn where nothing is known of them: values that come once in ten thousand are met a dozen times (estimate: 40 ms).
const DRAWN: u64 = 131_072;

/// Where something is known, records of which all draws have what is known, and how many are drawn of each; fewer where most have to be drawn again.
const BASES: u64 = 16;
const DRAWN_OF_EACH: u64 = 8_192;
const FOUND_OF_EACH: u64 = 1_024;

/// So many draws for each that is wanted: of what fewer records have, no distribution is told.
const ATTEMPTS: u64 = 128;

/// So many values that were met as often tell how often such values come.
const MANY: f64 = 32.0;

/// What values that were met less often are like is told by how many were met so often; those that were met more often come as often as they were met, within
/// a sixth.
const SELDOM: u64 = 40;
const ROUNDS: usize = 200;

/// Most classes of values, each of which takes a count of rows.
const CLASSES_MAX: usize = 24;

/// Tells these draws from others that look at samples.
const LANE: u32 = 0x6d61_6465;
const INSTANTS: u64 = 0x6d61_6465_5f61_7400;

/// What is made of a record, and what is known of this one.
#[derive(Clone, Copy)]
pub struct Recipe<'a> {
    /// Tells it from all else that is made of records of the table.
    pub name: &'a str,
    /// The fields that it is made of.
    pub fields: &'a [FieldId],
    /// Fields that are known, or groups of their values.
    pub given: &'a [ToldField],
    /// A known step of time: all are as long as this one.
    pub step: Option<(FieldId, i64, i64)>,
    /// Appends what is made of a record.
    pub write: &'a dyn Fn(&[i64], &mut Vec<u8>),
}

impl fmt::Debug for Recipe<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} given {:?}, {:?}", self.name, self.given, self.step)
    }
}

/// Values that are about equally likely: which part of all records has one of them, and how many equally likely ones there would be if all were as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MadeClass {
    pub part: f64,
    pub draws: f64,
}

/// The classes of what was asked for, once they are found.
#[derive(Debug)]
pub(super) struct MadeValues {
    name: String,
    given: Vec<ToldField>,
    step: Option<(FieldId, i64)>,
    pub(super) classes: OnceLock<Option<Arc<[MadeClass]>>>,
}

/// The length of steps says it all: one begins somewhere.
fn length_of(step: Option<(FieldId, i64, i64)>) -> Option<(FieldId, i64)> {
    step.map(|(field, low, high)| (field, high.saturating_sub(low)))
}

impl MadeValues {
    pub fn new(recipe: Recipe<'_>) -> Self {
        Self {
            name: recipe.name.to_owned(),
            given: recipe.given.to_vec(),
            step: length_of(recipe.step),
            classes: OnceLock::new(),
        }
    }

    pub fn is_of(&self, recipe: Recipe<'_>) -> bool {
        let groups = |of: &ToldField| of.1.as_ref().map(Arc::as_ptr);
        let mut pairs = self.given.iter().zip(recipe.given);
        self.name == recipe.name
            && self.step == length_of(recipe.step)
            && self.given.len() == recipe.given.len()
            && pairs.all(|(a, b)| a.0 == b.0 && groups(a) == groups(b))
    }
}

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

/// Classes of values, of which some may come so seldom that no two records have the same.
fn classes_of(values: Vec<ShareClass>, seldom: f64) -> Option<Arc<[MadeClass]>> {
    let mut classes = share_classes(values.into_iter());
    while classes.len() > CLASSES_MAX {
        let both = |pair: &[ShareClass]| {
            let values: f64 = pair.iter().map(|it| it.values).sum();
            let part: f64 = pair.iter().map(|it| it.values * it.share).sum();
            let share = part / values;
            ShareClass { values, share }
        };
        classes = classes.chunks(2).map(both).collect();
    }
    let all = seldom + classes.iter().map(|it| it.values * it.share).sum::<f64>();
    if all <= 0.0 {
        return None;
    }
    let class = |of: &ShareClass| MadeClass {
        part: of.values * of.share / all,
        draws: all / of.share,
    };
    let mut found: Vec<MadeClass> = classes.iter().map(class).collect();
    if seldom > 0.0 {
        found.push(MadeClass {
            part: seldom / all,
            draws: f64::INFINITY,
        });
    }
    Some(found.into())
}

/// How many values were met so often among so many draws of each of several records.
#[derive(Debug, Default)]
struct Met {
    values: BTreeMap<u64, f64>,
    of_each: f64,
    draws: f64,
}

impl Met {
    fn add(&mut self, mut hashes: Vec<u64>) {
        hashes.sort_unstable();
        for same in hashes.chunk_by(|a, b| a == b) {
            *self.values.entry(same.len() as u64).or_default() += 1.0;
        }
        self.draws += hashes.len() as f64;
    }

    /// Values that were met r times come as often as those that were met r + 1 times tell, where there are many of both (Good and Turing); how many were not
    /// met follows from those that were once and twice (Chao). Of those that were met seldom there are as many of each kind as most likely show what was met.
    fn classes(&self) -> Option<Arc<[MadeClass]>> {
        let met = |times: u64| self.values.get(&times).copied().unwrap_or(0.0);
        let class = |(times, values): (&u64, &f64)| {
            let next = met(times + 1);
            let often = match *values >= MANY && next >= MANY {
                true => (times + 1) as f64 * next / values,
                false => *times as f64,
            };
            ShareClass {
                values: *values,
                share: often,
            }
        };
        let (seldom, often) = (self.values.range(..SELDOM), self.values.range(SELDOM..));
        let mut all: Vec<ShareClass> = seldom.map(class).collect();
        let (once, twice) = (met(1), met(2));
        let mut endless = 0.0;
        if once >= MANY && twice > 0.0 {
            let values = once * once / (2.0 * twice);
            let share = once / values;
            all.push(ShareClass { values, share });
        } else if once >= MANY {
            // All that were met once may be such, and those that were not as well.
            all.retain(|it| it.share > 1.0);
            endless = once / self.draws;
        }
        all.extend(often.map(class));
        if endless == 0.0 {
            self.fit(&mut all);
        }
        // So often of so many draws; of all records together there are that many of each value.
        let (draws, of_each) = (self.draws, self.of_each);
        let scaled = all.into_iter().map(|it| ShareClass {
            values: it.values * of_each / draws,
            share: it.share / of_each,
        });
        classes_of(scaled.collect(), endless)
    }

    /// As many values of each kind as most likely are met as often as these were (Richardson and Lucy): each kind has of the values that were met so often its
    /// part of those that it is expected to have.
    fn fit(&self, kinds: &mut [ShareClass]) {
        // How likely a value of each kind is met once, twice and so on. Those that are met more often are as many as were met.
        kinds.sort_unstable_by(|a, b| a.share.total_cmp(&b.share));
        let open = kinds.partition_point(|it| it.share < SELDOM as f64 / 2.0);
        let near = kinds.partition_point(|it| it.share < SELDOM as f64 * 2.0);
        let kinds = &mut kinds[..near];
        let likely = kinds.iter().map(|of| {
            let mut probability = libm::exp(-of.share);
            let each = (1..SELDOM).map(|times| {
                probability *= of.share / times as f64;
                probability
            });
            each.collect::<Vec<f64>>()
        });
        let likely: Vec<Vec<f64>> = likely.collect();
        let met = |at: &usize| self.values.get(&(*at as u64 + 1)).copied().unwrap_or(0.0);
        let places = 0..SELDOM as usize - 1;
        let met: Vec<f64> = places.clone().map(|at| met(&at)).collect();
        for _ in 0..ROUNDS {
            let expected = |at: usize| {
                let of_each = kinds.iter().zip(&likely);
                of_each.map(|(of, likely)| of.values * likely[at]).sum()
            };
            let expected: Vec<f64> = places.clone().map(expected).collect();
            for (of, likely) in kinds[..open].iter_mut().zip(&likely) {
                let seen: f64 = likely.iter().sum();
                let part = |at: usize| match expected[at] > 0.0 {
                    true => likely[at] * met[at] / expected[at],
                    false => 0.0,
                };
                if seen > 0.0 {
                    of.values *= places.clone().map(part).sum::<f64>() / seen;
                }
            }
        }
    }
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
                self.draw((origin_of(index)?, &[], None), (key, index), &mut record);
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
            self.draw((origin, &[], None), (key, index), &mut record);
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
                self.draw((origin, &kept, within), (key, index), &mut record);
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
        (at, kept, within): (usize, &[(FieldId, i64)], Option<(f64, f64)>),
        (key, index): (DrawKey, u64),
        record: &mut [i64],
    ) {
        let (origin, generator) = (&self.origins[at], &self.marginals.generator);
        let draws = key.at(index);
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

#[cfg(test)]
#[path = "made_values_tests.rs"]
mod tests;
