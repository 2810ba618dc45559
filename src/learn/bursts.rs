//! How evenly rows come over time: counts in bins of a usual length. Must not know the order of the rows.

use std::collections::BTreeMap;

/// Nanoseconds.
pub const SECOND: i64 = 1_000_000_000;

/// Lengths of bins in seconds, with their names.
const LENGTHS: [(i64, &str); 7] = [
    (1, "second"),
    (10, "ten seconds"),
    (60, "minute"),
    (600, "ten minutes"),
    (3_600, "hour"),
    (86_400, "day"),
    (864_000, "ten days"),
];

/// Bins with rows that are kept: where there are more, they are made longer.
const MOST_BINS: usize = 4_096;

/// Bins that a file has at least where they are told: of fewer the busiest is no burst but a part of it (estimate).
const LEAST_BINS: f64 = 50.0;

/// The busiest bin has so many times the mean at least (estimate), and counts vary more than chance makes them, by so many standard errors.
const LEAST_TIMES: f64 = 2.0;
const SURE: f64 = 6.0;

/// Rows in bins.
#[derive(Debug, Default)]
pub struct Bursts {
    /// Of [`LENGTHS`].
    length: usize,
    counts: BTreeMap<i64, u64>,
}

/// Rows that come in bursts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// How long a time is meant.
    pub length: &'static str,
    /// Rows a second in the busiest of them.
    pub rate: f64,
    /// The same by the mean.
    pub times: f64,
    /// The variance of the counts by their mean: 1 where rows come independently.
    pub dispersion: f64,
}

impl Bursts {
    /// The time of the next row, in nanoseconds. O(log bins).
    pub fn add(&mut self, at: i64) {
        let bin = at.div_euclid(LENGTHS[self.length].0 * SECOND);
        *self.counts.entry(bin).or_default() += 1;
        while self.counts.len() > MOST_BINS && self.length + 1 < LENGTHS.len() {
            self.counts = self.merged(self.length + 1);
            self.length += 1;
        }
    }

    fn merged(&self, length: usize) -> BTreeMap<i64, u64> {
        let factor = LENGTHS[length].0 / LENGTHS[self.length].0;
        let mut merged = BTreeMap::new();
        for (bin, count) in &self.counts {
            *merged.entry(bin.div_euclid(factor)).or_default() += count;
        }
        merged
    }

    /// How the rows come, if not evenly: in the longest bins of which there are many.
    pub fn found(&self) -> Option<Burst> {
        let (first, last) = self.counts.keys().next().zip(self.counts.keys().last())?;
        let span = (last - first + 1) as f64 * LENGTHS[self.length].0 as f64;
        let is_many = |length: &usize| span / LENGTHS[*length].0 as f64 >= LEAST_BINS;
        let length = (self.length..LENGTHS.len()).rev().find(is_many)?;
        let (seconds, name) = LENGTHS[length];
        let counts = self.merged(length);
        let bins = (span / seconds as f64).max(counts.len() as f64);
        let counts = || counts.values().map(|count| *count as f64);
        let mean = counts().sum::<f64>() / bins;
        // Bins without rows are not there.
        let squares = counts().map(|count| count * count).sum::<f64>();
        let dispersion = (squares / bins - mean * mean) / mean;
        let times = counts().fold(0.0, f64::max) / mean;
        let is_sure = dispersion > 1.0 + SURE * (2.0 / (bins - 1.0)).sqrt();
        (is_sure && times >= LEAST_TIMES).then_some(Burst {
            length: name,
            rate: times * mean / seconds as f64,
            times,
            dispersion,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: impl Iterator<Item = i64>) -> Option<Burst> {
        let mut found = Bursts::default();
        rows.for_each(|at| found.add(at * SECOND / 100));
        found.found()
    }

    #[test]
    fn the_busiest_minute_of_every_ten_is_found() {
        // 100 minutes; ten rows a second in the first of every ten, else one every two seconds.
        let rows = (0..600_000).filter(|at| match at / 6_000 % 10 {
            0 => at % 10 == 0,
            _ => at % 200 == 0,
        });
        let found = of(rows).unwrap();
        assert_eq!((found.length, found.rate), ("minute", 10.0));
        // 600 rows for a mean of (600 + 9 * 30) / 10.
        assert!((found.times - 600.0 / 87.0).abs() < 1e-9);
        // The variance is 87 * 87 less than (600^2 + 9 * 30^2) / 10.
        assert!((found.dispersion - (36_810.0 - 7_569.0) / 87.0).abs() < 1e-6);
    }

    #[test]
    fn what_comes_evenly_or_by_chance_has_no_bursts() {
        assert_eq!(of((0..600_000).step_by(50)), None);
        let by_chance = (0..600_000_u64).filter(|at| crate::random::mix(*at).is_multiple_of(300));
        assert_eq!(of(by_chance.map(|at| at as i64)), None);
    }
}
