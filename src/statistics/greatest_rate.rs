//! What is counted most, less what chance adds to it. Must not know what is counted.

/// Counts of equal rates differ by more with a probability of about 5 % (2.5 % of two, less of many).
const BY_CHANCE: f64 = 2.0;

/// The expected count of what has the greatest rate of all, from their counts in descending order; 0 without any.
///
/// Of k equal rates the greatest count is chance: sqrt(2 ln k) standard deviations above the mean, about. As many of the greatest counts are taken for those of one rate
/// as differ by no more than chance makes them: sum (count - mean)^2 / mean has a mean of k - 1 then, and a variance of twice that (Fisher's
/// index of dispersion). Their mean is the rate. O(those).
pub fn greatest_rate(counts: impl IntoIterator<Item = u64>) -> f64 {
    let (mut sum, mut squares, mut rate) = (0.0, 0.0, 0.0);
    for (of, count) in (1u32..).zip(counts) {
        let (count, freedom) = (count as f64, f64::from(of - 1));
        sum += count;
        squares += count * count;
        let mean = sum / f64::from(of);
        let spread = squares / mean - sum;
        if spread > freedom + BY_CHANCE * (2.0 * freedom).sqrt() {
            break;
        }
        rate = mean;
    }
    rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    /// Counts of so many draws of numbers with these weights, descending.
    fn counts(weights: &[f64], draws: u64, seed: u64) -> Vec<u64> {
        let key = DrawKey::new(Seed(seed), 0, Stream::Sample, 1);
        let all: f64 = weights.iter().sum();
        let mut counts = vec![0; weights.len()];
        for at in 0..draws {
            let mut left = key.at(at).unit() * all;
            let drawn = weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            counts[drawn.unwrap_or(0)] += 1;
        }
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }

    /// The mean over 50 samples, in the greatest expected count.
    fn of_expected(weights: &[f64], draws: u64) -> f64 {
        let all: f64 = weights.iter().sum();
        let expected = draws as f64 * weights.iter().copied().fold(0.0, f64::max) / all;
        let found = (0..50).map(|seed| greatest_rate(counts(weights, draws, seed)));
        found.sum::<f64>() / 50.0 / expected
    }

    #[test]
    fn chance_makes_none_of_equal_rates_the_greatest() {
        // 64 of about 47: the greatest is 35 % above them.
        let weights = [1.0; 64];
        let raw = counts(&weights, 3_000, 1)[0] as f64 / (3_000.0 / 64.0);
        assert!(raw > 1.25, "{raw}");
        for (weights, draws) in [(64, 3_000), (16, 300), (8, 8_000), (2, 1_000)] {
            let found = of_expected(&vec![1.0; weights], draws);
            assert!((found - 1.0).abs() < 0.03, "{weights} {draws}: {found}");
        }
    }

    #[test]
    fn equal_ones_above_many_others_are_told_from_them() {
        let mut weights = vec![1.0; 1_000];
        weights[..8].fill(40.0);
        // Eight of 606, the greatest 6 % above that; then of 61, 18 %.
        for (draws, tolerance) in [(20_000, 0.01), (2_000, 0.03)] {
            let found = of_expected(&weights, draws);
            assert!((found - 1.0).abs() < tolerance, "{draws}: {found}");
        }
    }

    #[test]
    fn what_is_greater_than_by_chance_counts_alone() {
        assert_eq!(greatest_rate([]), 0.0);
        assert_eq!(greatest_rate([7]), 7.0);
        assert_eq!(greatest_rate([1, 1, 1, 1]), 1.0);
        // (500 - 400)^2 / 900 = 11 is far from 1, (500 - 480)^2 / 980 = 0.4 is not.
        assert_eq!(greatest_rate([500, 400, 300]), 500.0);
        assert_eq!(greatest_rate([500, 480, 300]), 490.0);
        // Ranks of a Zipf law of exponent 1: each is twice, three times less.
        let zipf: Vec<f64> = (1..=10_000).map(|rank| 1.0 / f64::from(rank)).collect();
        let found = of_expected(&zipf, 10_000);
        assert!((found - 1.0).abs() < 0.02, "{found}");
    }
}
