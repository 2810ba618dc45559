//! How uneven a perfect spread looks by chance: the fullest of n bins after S balls. Must not know what balls are.

/// Distribution of the fullest bin's load over the mean load.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ExpectedPeak {
    /// Expectation, >= 1.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// What no spread beats: 1, or more where bins that the mean counts can take nothing.
    #[serde(default = "one")]
    pub least: f64,
}

fn one() -> f64 {
    1.0
}

/// Peak-to-mean of `balls` thrown independently and evenly into `bins`, the mean being that over `all_bins`; `None` without balls or bins.
///
/// The loads are replaced by independent Poisson variables of mean m = balls / bins, so that P(max <= k) = F(k)^n
/// (Poissonisation: Raab and Steger, "Balls into bins: a simple and tight analysis", 1998). Conditioning on the sum lowers every
/// load's variance by 1 - 1/n and correlates the loads by -1/(n - 1); both leave the expected distance of the maximum from the mean
/// as it is. O(sqrt(m)).
pub fn expected_peak(balls: f64, bins: u32, all_bins: u32) -> Option<ExpectedPeak> {
    let n = f64::from(bins);
    let least = f64::from(all_bins) / n;
    if balls.is_nan() || balls <= 0.0 || bins == 0 {
        return None;
    }
    if bins == 1 {
        return Some(ExpectedPeak {
            mean: least,
            sd: 0.0,
            least,
        });
    }
    let m = balls / n;
    // Twelve standard deviations and forty more for small means: the mass outside is below 1e-15 for any number of bins in memory.
    let reach = 12.0 * m.sqrt() + 40.0;
    let first = (m - reach).max(0.0).floor();
    let last = (m + reach).ceil();
    let mut mass = libm::exp(first * libm::log(m) - m - libm::lgamma(first + 1.0));
    let mut cumulative = mass;
    let mut k = first;
    let (mut mean, mut square) = (0.0, 0.0);
    let mut below = 0.0;
    while k <= last {
        let at_most = libm::pow(cumulative.min(1.0), n);
        let here = at_most - below;
        mean += here * (k - m);
        square += here * (k - m) * (k - m);
        below = at_most;
        k += 1.0;
        mass *= m / k;
        cumulative += mass;
    }
    let variance = (square - mean * mean).max(0.0);
    Some(ExpectedPeak {
        mean: least * (1.0 + (mean / m).max(0.0)),
        sd: least * variance.sqrt() / m,
        least,
    })
}

/// Of how many equally likely values so many writes meet so many: n (1 - e^(-w / n)) of them. Infinite where all are different.
pub fn values_met(met: f64, writes: f64) -> f64 {
    // Writes of each: between 0, with all different, and those of each that was met.
    let (mut low, mut high) = (0.0, writes / met);
    for _ in 0..f64::MANTISSA_DIGITS {
        let of_each = f64::midpoint(low, high);
        match -libm::expm1(-of_each) * writes > met * of_each {
            true => low = of_each,
            false => high = of_each,
        }
    }
    writes / low
}

/// Of values of which a number of writes that is left to chance, so many on average, meets so many: how many just so many writes (>= 1) meet.
pub fn met_by_just(writes: f64, met: f64) -> f64 {
    let values = values_met(met, writes).max(1.0);
    match values.is_finite() {
        true => -libm::expm1(writes * libm::log1p(-1.0 / values)) * values,
        false => writes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    fn simulated(balls: u64, bins: u32, rounds: u64) -> (f64, f64) {
        let key = DrawKey::new(Seed(3), 0, Stream::Sample, bins);
        let (mut sum, mut square) = (0.0, 0.0);
        for round in 0..rounds {
            let mut draws = key.at(round);
            let mut loads = vec![0u64; bins as usize];
            for _ in 0..balls {
                loads[draws.below(u64::from(bins)) as usize] += 1;
            }
            let peak = *loads.iter().max().unwrap() as f64 * f64::from(bins) / balls as f64;
            sum += peak;
            square += peak * peak;
        }
        let mean = sum / rounds as f64;
        (mean, (square / rounds as f64 - mean * mean).sqrt())
    }

    #[test]
    fn a_known_number_of_writes_meets_more_values_than_one_that_is_left_to_chance() {
        for values in [1.0f64, 2.0, 7.0, 1e6] {
            let (mut missed, mut writes) = (1.0, 0.0);
            for _ in 0..20 {
                missed *= 1.0 - 1.0 / values;
                writes += 1.0;
                let by_chance = values * (1.0 - (-writes / values).exp());
                let found = met_by_just(writes, by_chance);
                let expected = values * (1.0 - missed);
                assert!(
                    (found / expected - 1.0).abs() < 1e-6,
                    "{values} {writes}: {found}"
                );
            }
        }
        // All different, as well as where rounding brings more.
        assert_eq!([3.0, 3.1].map(|met| met_by_just(3.0, met)), [3.0; 2]);
    }

    #[test]
    fn the_expected_peak_agrees_with_simulated_throws() {
        for (balls, bins) in [(1_000, 2), (400, 8), (5_000, 8), (3_000, 40)] {
            let expected = expected_peak(balls as f64, bins, bins).unwrap();
            let rounds = 2_000;
            let (mean, sd) = simulated(balls, bins, rounds);
            let error = 4.0 * sd / (rounds as f64).sqrt();
            // Four standard errors of the simulation, and 2 % of the excess for the approximation itself.
            let tolerance = error + 0.02 * (expected.mean - 1.0);
            assert!(
                (expected.mean - mean).abs() < tolerance,
                "{balls} in {bins}: {} and {mean}",
                expected.mean
            );
            // A load's variance under Poisson is larger by n / (n - 1), and the sum of all moves with it: an upper bound, of the
            // right size for more than a few bins.
            assert!(
                expected.sd > 0.9 * sd && expected.sd < 2.0 * sd,
                "{balls} in {bins}: {} and {sd}",
                expected.sd
            );
        }
    }

    #[test]
    fn few_balls_or_bins_are_no_trouble() {
        assert_eq!(expected_peak(0.0, 8, 8), None);
        assert_eq!(
            expected_peak(100.0, 1, 3),
            Some(ExpectedPeak {
                mean: 3.0,
                sd: 0.0,
                least: 3.0
            })
        );
        let one = expected_peak(1.0, 8, 8).unwrap();
        assert!(one.mean.is_finite() && one.mean > 1.0);
    }

    #[test]
    fn the_loads_of_many_balls_are_normal() {
        let mean = 1e9 / 8.0_f64;
        let peak = expected_peak(1e9, 8, 8).unwrap();
        // Of eight normal variables the greatest is 1.42360 +- 0.61065 standard deviations above the mean (Teichroew, "Tables of expected
        // values of order statistics", 1956); the skewness of a Poisson variable of this mean moves that by less than 1e-4.
        assert!(((peak.mean - 1.0) * mean.sqrt() - 1.423_60).abs() < 1e-3);
        assert!((peak.sd * mean.sqrt() - 0.610_65).abs() < 1e-3);
    }
}
