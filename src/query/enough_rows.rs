//! Of rows whose number is left to chance, how many a read gets, and how many it reads until it has enough. Must not know requests.

use crate::statistics::mean_of_least;

/// How many rows are wanted: a number that is left to chance.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedRows {
    /// Probability that the target is one of them.
    pub own: f64,
    /// The others, on average.
    pub others: f64,
    /// With which probability each of those that could be wanted is: their number is known at 1, and Poisson's at 0.
    pub share: f64,
}

impl WantedRows {
    /// Those of one of several scans, which has such a part of them.
    pub fn part(self, part: f64) -> Self {
        Self {
            own: self.own * part,
            others: self.others * part,
            ..self
        }
    }

    /// How many of a page there are, on average, behind those that are skipped.
    pub fn of_page(self, skipped: f64, size: f64) -> f64 {
        (self.at_most(skipped + size) - self.at_most(skipped)).max(0.0)
    }

    /// The mean of their number, or of `most` where there are more.
    fn at_most(self, most: f64) -> f64 {
        let beside = |certain: f64| {
            let others = mean_of_least((most - certain).max(0.0), self.others, self.share);
            others + certain.min(most)
        };
        self.own * beside(1.0) + (1.0 - self.own) * beside(0.0)
    }

    /// Of `rows` that are read one after another, how many it takes on average to find `enough` of them, which lie anywhere among these. The n-th of w comes after
    /// n (rows + 1) / (w + 1), and all are read where there are fewer.
    pub fn rows_until(self, enough: f64, rows: f64) -> f64 {
        let Self { own, others, .. } = self;
        // How many there are is the less left to chance the more of all are wanted.
        let density = (own + others) / rows;
        if density > 1.0 - PASSED_OVER {
            return self.at_most(enough).min(rows);
        }
        let read = |certain: f64| {
            let as_many = enough / (others + certain + 1.0);
            let by_chance = part_until(enough, others, certain);
            let part = density * as_many + (1.0 - density) * by_chance;
            (part * (rows + 1.0)).min(rows)
        };
        own * read(1.0) + (1.0 - own) * read(0.0)
    }
}

/// Of `rows` that are read one after another, how many it takes on average to find `enough` of the `wanted` ones, of which each period has as many as there are
/// `turns`: of these the n-th of w comes after n (rows + 1) / (w + 1) of the period's rows.
pub(super) fn turns_until(enough: f64, rows: f64, [turns, wanted]: [f64; 2]) -> f64 {
    let of_period = rows * turns / wanted;
    // Shares of combinations are whole numbers of them but for rounding.
    let whole = ((enough - 1.0) / turns + PASSED_OVER).floor().max(0.0);
    let last = (enough - whole * turns) / (turns + 1.0);
    (whole * of_period + last * (of_period + 1.0)).min(rows)
}

/// Beyond so many their number is taken for its mean: within 1 %, as the mean of 1 / k is that of 1 over the mean by as much.
const MOST_SUMMED: f64 = 100.0;

/// The mean of min(1, n / (k + 1)), where k is `certain` and besides what Poisson's law of that mean gives: the part of the rows that is read until `enough` of k
/// are found.
fn part_until(enough: f64, mean: f64, certain: f64) -> f64 {
    if enough.max(mean) > MOST_SUMMED {
        return (enough / (mean + certain)).min(1.0);
    }
    let (mut probability, mut left) = (libm::exp(-mean), 1.0);
    let (mut part, mut count) = (0.0, 0.0);
    while left > PASSED_OVER {
        part += probability * (enough / (count + certain + 1.0)).min(1.0);
        left -= probability;
        count += 1.0;
        probability *= mean / count;
    }
    part
}

/// What is rarer is left out: numbers of rows, and rows that are not wanted.
pub(super) const PASSED_OVER: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wanted_row_that_is_there_lies_anywhere_and_further_ones_come_by_chance() {
        let rows = 1_000_000.0;
        let rows_until = |enough: f64, rows: f64, [own, others]: [f64; 2]| {
            let share = 0.0;
            WantedRows { own, others, share }.rows_until(enough, rows)
        };
        let close = |found: f64, expected: f64| {
            assert!(
                (found / expected - 1.0).abs() < 1e-4,
                "{found}, expected {expected}"
            );
        };
        // One row alone is found half-way, and what is not there after all rows.
        close(rows_until(1.0, rows, [1.0, 0.0]), rows / 2.0);
        assert_eq!(rows_until(1.0, rows, [0.0, 0.0]), rows);
        for others in [0.3, 1.24, 20.0] {
            // The mean of 1 / (k + 2) over Poisson's law, by integrating t e^(-others (1 - t)) from 0 to 1, and that of 1 / (k + 1).
            let rest = libm::exp(-others);
            let beside = (others - 1.0 + rest) / (others * others);
            close(rows_until(1.0, rows, [1.0, others]), rows * beside);
            close(
                rows_until(1.0, rows, [0.0, others]),
                rows * (1.0 - rest) / others,
            );
        }
        // Of ten thousand rows every hundredth is wanted: 20 of them after 20 * 10,001 / 101, but for what chance adds, 1 / 100.
        let found = rows_until(20.0, 10_000.0, [1.0, 99.0]);
        assert!(
            (1.0..1.02).contains(&(found / (20.0 * 10_001.0 / 101.0))),
            "{found}"
        );
    }

    #[test]
    fn where_all_rows_are_wanted_as_many_are_read_as_there_are_of_those_that_are_enough() {
        let read = |share: f64, enough: f64, others: f64| {
            let wanted = WantedRows {
                own: 1.0,
                others,
                share,
            };
            wanted.rows_until(enough, 1.0 + others)
        };
        // Of 500 rows 10 are enough, and the 5 that there are where these are not.
        for share in [0.0, 1.0] {
            assert!((read(share, 10.0, 499.0) - 10.0).abs() < 1e-9);
        }
        assert!((read(1.0, 10.0, 4.0) - 5.0).abs() < 1e-9);
        // Two of one row and a Poisson number of others with a mean of 1: 1 + (1 - 1/e).
        let found = read(0.0, 2.0, 1.0);
        assert!((found - 2.0 + (-1.0f64).exp()).abs() < 1e-9, "{found}");
    }
}
