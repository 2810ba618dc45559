//! How often what is made of a record has each of its values, by how often each was met among records. Must not know what makes it, nor draw records.

use super::row_question::{MadeClass, Recipe, ToldField};
use crate::record::{FieldId, ShareClass, share_classes};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// So many values that were met as often tell how often such values come.
const MANY: f64 = 32.0;

/// What values that were met less often are like is told by how many were met so often; those that were met more often come as often as they were met, within
/// a tenth.
const SELDOM: u64 = 120;
const ROUNDS: usize = 200;

/// Most classes of values, each of which takes a count of rows.
const CLASSES_MAX: usize = 24;

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

/// Classes of values, of which some may come so seldom that no two records have the same.
pub(super) fn classes_of(values: Vec<ShareClass>, seldom: f64) -> Option<Arc<[MadeClass]>> {
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
pub(super) struct Met {
    pub values: BTreeMap<u64, f64>,
    pub of_each: f64,
    pub draws: f64,
}

impl Met {
    pub fn add(&mut self, mut hashes: Vec<u64>) {
        hashes.sort_unstable();
        for same in hashes.chunk_by(|a, b| a == b) {
            *self.values.entry(same.len() as u64).or_default() += 1.0;
        }
        self.draws += hashes.len() as f64;
    }

    /// Values that were met r times come as often as those that were met r + 1 times tell, where there are many of both (Good and Turing); how many were not
    /// met follows from those that were once and twice (Chao). Of those that were met seldom there are as many of each kind as most likely show what was met.
    pub fn classes(&self) -> Option<Arc<[MadeClass]>> {
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

#[cfg(test)]
#[path = "made_values_tests.rs"]
mod tests;
