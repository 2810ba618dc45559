//! How uneven parts will be that a sample was cut into. Must not know what was sampled.

use super::quantile;
use crate::random::{DrawKey, Seed, Stream};

/// The greatest part over the mean part, with the interval that holds it in 95 of 100 samples.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PredictedPeak {
    /// Expectation, >= 1.
    pub mean: f64,
    /// The lower end, >= 1.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Random numbers that one prediction takes, about: ends of intervals are then known to a tenth of their distance, or better.
const DRAWS: usize = 4_000_000;

/// What the greatest share of the whole will be, when parts of a sample hold `counts` independent draws each; `None` without any.
///
/// Where a sample is cut at its order statistics, the true shares of the parts are spacings of order statistics: together a Dirichlet law of the
/// counts, each a Beta law (David and Nagaraja, "Order Statistics", 3rd ed., 2.5). That is also what parts are worth that are cut elsewhere, a priori
/// equally likely to be of any size. Shares are drawn as Gamma variables over their sum, by the cube of a normal variable (Wilson and Hilferty 1931:
/// upper percentiles to 1 % from one draw a part on). `cut_sd` is the standard deviation of where each cut lies, in draws.
pub fn predicted_peak(counts: &[f64], cut_sd: f64) -> Option<PredictedPeak> {
    let parts = counts.len();
    if counts.iter().sum::<f64>() <= 0.0 {
        return None;
    }
    let rounds = (DRAWS / parts).clamp(200, 4_000);
    let draws = DrawKey::new(Seed(0), 0, Stream::Sample, 1);
    let peaks: Vec<f64> = (0..rounds as u64)
        .map(|round| {
            let mut draw = draws.at(round);
            let (mut sum, mut greatest, mut cut) = (0.0, 0.0f64, 0.0);
            for (part, count) in counts.iter().enumerate() {
                // What holds next to nothing of the sample is as good as empty, and nothing is cut behind the last part.
                let count = count.max(1e-9);
                let spread = draw.standard_normal() / (3.0 * libm::sqrt(count));
                let root = (1.0 - 1.0 / (9.0 * count) + spread).max(0.0);
                let is_cut = cut_sd > 0.0 && part + 1 < parts;
                let end = match is_cut {
                    true => cut_sd * draw.standard_normal(),
                    false => 0.0,
                };
                let size = (count * root * root * root + end - cut).max(0.0);
                cut = end;
                sum += size;
                greatest = greatest.max(size);
            }
            greatest * parts as f64 / sum
        })
        .collect();
    Some(PredictedPeak {
        mean: peaks.iter().sum::<f64>() / rounds as f64,
        low: quantile(&peaks, 0.025)?,
        high: quantile(&peaks, 0.975)?,
    })
}

/// How many independent draws a sample needs for the greatest of so many equal parts to be `peak` times the mean on average. The excess falls as the
/// root of their number does, which is iterated.
pub fn sample_size_for(parts: u32, peak: f64) -> f64 {
    let n = f64::from(parts);
    let mut size = 1_000.0 * n;
    for _ in 0..4 {
        let found = predicted_peak(&vec![size / n; parts as usize], 0.0);
        let excess = found.map_or(0.0, |it| it.mean - 1.0) / (peak - 1.0);
        size *= excess * excess;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Beta, ContinuousCDF};

    /// True shares of the parts that `size` uniform numbers are cut into at their quantiles.
    fn spacings(seed: u64, size: usize, parts: usize) -> Vec<f64> {
        let mut draw = DrawKey::new(Seed(seed), 0, Stream::Records, 7).at(0);
        let mut sample: Vec<f64> = (0..size).map(|_| draw.unit()).collect();
        sample.sort_by(f64::total_cmp);
        let mut cuts = vec![0.0];
        cuts.extend((1..parts).map(|part| sample[part * size / parts]));
        cuts.push(1.0);
        cuts.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    fn even(size: usize, parts: usize) -> Vec<f64> {
        vec![size as f64 / parts as f64; parts]
    }

    #[test]
    fn the_greatest_part_lies_in_its_interval_in_95_of_100_samples() {
        // Of 200 samples 181 to 199 lie within an interval of 95 % in 99.8 % of cases.
        for (size, parts) in [(2_000, 2), (3_200, 3), (4_000, 16), (1_000, 100)] {
            let told = predicted_peak(&even(size, parts), 0.0).unwrap();
            let greatest = |seed| {
                let shares = spacings(seed, size, parts);
                shares.into_iter().fold(0.0, f64::max) * parts as f64
            };
            let found: Vec<f64> = (1..=200).map(greatest).collect();
            let inside = found
                .iter()
                .filter(|it| (told.low..=told.high).contains(it));
            let inside = inside.count();
            assert!(
                (181..=199).contains(&inside),
                "{size} {parts}: {inside} in {told:?}"
            );
            let mean = found.iter().sum::<f64>() / 200.0;
            // Four standard errors of the mean of 200.
            let error = 4.0 * (told.high - told.low) / 4.0 / 200f64.sqrt();
            assert!(
                (mean - told.mean).abs() < error,
                "{size} {parts}: {mean} {told:?}"
            );
        }
    }

    #[test]
    fn one_of_two_parts_follows_the_exact_beta_law() {
        // The greater of two parts exceeds x when either does: twice the upper tail of Beta(n / 2, n / 2).
        for half in [50.0, 5_000.0] {
            let told = predicted_peak(&[half, half], 0.0).unwrap();
            let law = Beta::new(half, half).unwrap();
            for (quantile, found) in [(0.025, told.low), (0.975, told.high)] {
                let exact = 2.0 * law.inverse_cdf(1.0 - (1.0 - quantile) / 2.0);
                // A quantile of 4,000 rounds lies within 0.01 of its probability in four standard errors: a tenth of the distance.
                let room = 0.1 * (told.high - 1.0);
                assert!(
                    (found - exact).abs() < room,
                    "{half} {quantile}: {found} {exact}"
                );
            }
        }
    }

    #[test]
    fn the_beta_law_of_order_statistics_tells_each_part() {
        // The oracle itself: shares of spacings are uniform in the cumulative Beta law; of 200 about 10 lie in either tail of 5 %,
        // 1 to 22 in 99.9 % of cases.
        let (size, parts) = (4_000, 16);
        let law = Beta::new(250.0, 4_001.0 - 250.0).unwrap();
        let share = |seed| law.cdf(spacings(seed, size, parts)[5]);
        let found: Vec<f64> = (1..=200).map(share).collect();
        let lower = found.iter().filter(|p| **p < 0.05).count();
        assert!((1..=22).contains(&lower), "{lower}");
        let upper = found.iter().filter(|p| **p > 0.95).count();
        assert!((1..=22).contains(&upper), "{upper}");
    }

    #[test]
    fn a_part_that_holds_more_of_the_sample_is_the_greatest() {
        // 3/6 of 60,000: 1.5 times the mean of three, by a standard error of 0.006.
        let told = predicted_peak(&[30_000.0, 15_000.0, 15_000.0], 0.0).unwrap();
        assert!((told.mean - 1.5).abs() < 0.001, "{told:?}");
        assert!((told.high - 1.5 - 1.96 * 0.00612).abs() < 0.002, "{told:?}");
        // Cuts that lie anywhere by 300 make it 300 wider: sd sqrt(0.00612^2 + (300 * 3 / 60000)^2).
        let wide = predicted_peak(&[30_000.0, 15_000.0, 15_000.0], 300.0).unwrap();
        assert!((wide.high - 1.5 - 1.96 * 0.0162).abs() < 0.004, "{wide:?}");
        assert_eq!(predicted_peak(&[], 0.0), None);
    }

    #[test]
    fn the_sample_that_is_said_to_be_needed_is_enough() {
        for parts in [2, 16, 200] {
            let size = sample_size_for(parts, 1.05);
            let told = predicted_peak(&even(size as usize, parts as usize), 0.0).unwrap();
            assert!((told.mean - 1.05).abs() < 0.001, "{parts}: {size} {told:?}");
        }
    }
}
