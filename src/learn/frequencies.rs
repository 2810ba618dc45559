//! How often each value of a column comes, in bounded memory: exactly while the values are few, of a sample of the values and the heaviest ones beyond.
//! Must not know what the values mean.

use crate::random::hash_name;
use crate::statistics::Interval;
use std::collections::{BTreeMap, HashMap};

/// Values that are counted exactly, and as many that are watched because they may be heavy: at most 2^18 entries in 2^19 places of 41 bytes, and their
/// texts of 80 bytes each, 41 MB.
const MOST: usize = 1 << 17;

/// Of so many columns together, so that files of many columns take no more than 300 MB.
const MOST_OF_ALL: usize = 3 << 18;

/// Texts that are kept of the first values. Later ones are kept once they come again: those of a column of identities would fill the memory.
const NAMED: usize = 1_024;

/// Longest text that is kept, in bytes.
pub(super) const LONGEST_TEXT: usize = 64;

/// A watched value counts as heavy from so many times on what it may have missed at most: half of that is added, and so it is known to 1 in 8.
const SURE: u64 = 4;

/// Counts of values, by their hashes of 64 bits.
///
/// While there are at most `MOST` values, all are counted. Then only those whose hash begins with `level` zero bits, a uniform sample of the values
/// (Wegman's adaptive sampling; Flajolet, On adaptive sampling, Computing 43, 1990); the others are watched as by lossy counting (Manku and Motwani 2002): when
/// there are too many, the rarer half of them goes, and whatever is not there came at most `lost` times.
#[derive(Debug, Clone)]
pub struct Frequencies {
    values: HashMap<u64, Seen>,
    most: usize,
    level: u32,
    sampled: usize,
    lost: u64,
    /// Values that were counted.
    pub rows: u64,
}

#[derive(Debug, Clone)]
struct Seen {
    times: u64,
    /// It may have come so many times more before it was watched; 0 of what is sampled.
    missed: u64,
    text: Option<Box<str>>,
}

/// Values that came equally often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// How often each came.
    pub times: u64,
    /// How many of them were counted.
    pub values: u64,
    /// How many values each of them stands for: 1 where all were counted.
    pub weight: f64,
}

impl Default for Frequencies {
    fn default() -> Self {
        Self::holding(MOST)
    }
}

impl Frequencies {
    /// Of one of so many columns of a file.
    pub fn of_columns(columns: usize) -> Self {
        Self::holding((MOST_OF_ALL / columns.max(1)).clamp(NAMED, MOST))
    }

    /// Counts so many values exactly, and watches as many.
    pub(super) fn holding(most: usize) -> Self {
        Self {
            values: HashMap::new(),
            most,
            level: 0,
            sampled: 0,
            lost: 0,
            rows: 0,
        }
    }

    /// Counts a value, and gives its hash. O(length) amortised.
    pub fn add(&mut self, text: &str) -> u64 {
        let hash = hash_name(text);
        self.rows += 1;
        if let Some(seen) = self.values.get_mut(&hash) {
            seen.times += 1;
            seen.text.get_or_insert_with(|| kept(text));
            return hash;
        }
        let is_sampled = hash.leading_zeros() >= self.level;
        let seen = Seen {
            times: 1,
            missed: if is_sampled { 0 } else { self.lost },
            text: (self.values.len() < NAMED).then(|| kept(text)),
        };
        self.values.insert(hash, seen);
        self.sampled += usize::from(is_sampled);
        while self.sampled > self.most {
            self.level += 1;
            let hashes = self.values.keys();
            self.sampled = hashes.filter(|it| it.leading_zeros() >= self.level).count();
        }
        if self.values.len() - self.sampled > self.most {
            self.forget();
        }
        hash
    }

    /// Counts a value that was counted only so often as that part of it, once at least.
    pub(super) fn lessen(&mut self, hash: u64, part: f64) {
        if let Some(seen) = self.values.get_mut(&hash) {
            let left = ((seen.times as f64 * part).round() as u64).max(1);
            self.rows -= seen.times - left;
            seen.times = left;
        }
    }

    /// Drops the rarer half of what is watched.
    fn forget(&mut self) {
        let level = self.level;
        let is_watched = |hash: &u64| hash.leading_zeros() < level;
        let watched = self.values.iter().filter(|(hash, _)| is_watched(hash));
        let mut most: Vec<u64> = watched.map(|(_, seen)| seen.times + seen.missed).collect();
        let middle = most.len() / 2;
        self.lost = *most.select_nth_unstable(middle).1;
        let lost = self.lost;
        self.values
            .retain(|hash, seen| !is_watched(hash) || seen.times + seen.missed > lost);
    }

    /// How many different values there are: exact while all are counted.
    pub fn distinct(&self) -> Interval {
        let weight = self.weight();
        let sampled = self.sampled as f64;
        // Each value was sampled with probability 1 / weight.
        Interval::normal(sampled * weight, (sampled * weight * (weight - 1.0)).sqrt())
    }

    fn weight(&self) -> f64 {
        libm::ldexp(1.0, self.level as i32)
    }

    /// The values that came most often, with their texts, and how often: at most `count`. Only such whose text is known, of many values those that came
    /// twice or more.
    pub fn heaviest(&self, count: usize) -> Vec<(&str, u64)> {
        let known = self.values.values();
        let known = known.filter_map(|seen| Some((seen.text.as_deref()?, seen.times)));
        let mut known: Vec<(&str, u64)> = known.collect();
        known.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        known.truncate(count);
        known
    }

    /// How many values came how often, most often first: heavy ones as they are, of the others the sample.
    pub fn tallies(&self) -> Vec<Tally> {
        let sure = if self.level == 0 { 0 } else { SURE * self.lost };
        let mut values: BTreeMap<(u64, bool), u64> = BTreeMap::new();
        for (hash, seen) in &self.values {
            // What it may have missed it has missed half of on average.
            let times = seen.times + seen.missed / 2;
            let is_sure = times > sure;
            if is_sure || hash.leading_zeros() >= self.level {
                *values.entry((times, is_sure)).or_default() += 1;
            }
        }
        let tally = |(&(times, is_sure), &values): (&(u64, bool), &u64)| Tally {
            times,
            values,
            weight: if is_sure { 1.0 } else { self.weight() },
        };
        values.iter().rev().map(tally).collect()
    }
}

/// The beginning of a text, as far as it is kept.
pub(super) fn kept(text: &str) -> Box<str> {
    let mut ends = (0..=text.len().min(LONGEST_TEXT)).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_counted_exactly() {
        let mut found = Frequencies::default();
        for text in ["b", "a", "c", "a", "a", "b"] {
            found.add(text);
        }
        assert_eq!(found.distinct(), Interval::exact(3.0));
        assert_eq!(found.heaviest(2), [("a", 3), ("b", 2)]);
        let tally = |times| Tally {
            times,
            values: 1,
            weight: 1.0,
        };
        assert_eq!(found.tallies(), [3, 2, 1].map(tally));
    }

    #[test]
    fn of_many_values_the_heavy_ones_are_known_and_the_others_estimated() {
        let mut found = Frequencies::holding(1_000);
        // 40,000 values that come once, and three that come more often, one of them late.
        for row in 0..40_000 {
            found.add(&format!("rare {row}"));
            if row % 4 == 0 {
                found.add("first");
            }
            if row % 8 == 0 {
                found.add("second");
            }
            if row > 20_000 && row % 10 == 0 {
                found.add("late");
            }
        }
        assert!(found.values.len() <= 2_001);
        let distinct = found.distinct();
        // More than 500 are sampled: their number has a standard error below 1 / sqrt(500), 4.5 %; four of them.
        assert!(
            (distinct.value / 40_003.0 - 1.0).abs() < 0.18,
            "{distinct:?}"
        );
        let heaviest = found.heaviest(3);
        assert_eq!(heaviest[..2], [("first", 10_000), ("second", 5_000)]);
        // What came late may have lost what came while it was not watched.
        assert_eq!(heaviest[2].0, "late");
        assert!(heaviest[2].1 <= 1_999 && heaviest[2].1 + found.lost >= 1_999);
        let rows: f64 = found
            .tallies()
            .iter()
            .map(|it| (it.times * it.values) as f64 * it.weight)
            .sum();
        assert!((rows / found.rows as f64 - 1.0).abs() < 0.15, "{rows}");
    }
}
