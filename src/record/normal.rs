//! Draws from a normal law cut off at both ends of a domain. Must not know what its numbers stand for.

use crate::random::Draws;

/// Attempts before a sample settles for the end of the domain that is nearest to the mean: only a mean dozens of
/// standard deviations outside the domain ever needs so many.
const MAX_ATTEMPTS: u32 = 1_000;

/// A normal law, redrawn outside `low ..= high`.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedNormal {
    mean: f64,
    sd: f64,
    low: f64,
    high: f64,
}

impl TruncatedNormal {
    /// The law between `low` < `high`; sd > 0.
    pub(super) fn new(mean: f64, sd: f64, low: f64, high: f64) -> Self {
        Self {
            mean,
            sd,
            low,
            high,
        }
    }

    /// A number in `low ..= high`.
    pub(super) fn sample(&self, draws: &mut Draws) -> f64 {
        let nearest = self.mean.clamp(self.low, self.high);
        // A domain wider than a few standard deviations is hit by most normal draws; a narrower one by most uniform ones,
        // which are accepted in proportion to the density.
        let wide = self.high - self.low > 3.0 * self.sd;
        for _ in 0..MAX_ATTEMPTS {
            if wide {
                let x = self.mean + self.sd * draws.standard_normal();
                if (self.low..=self.high).contains(&x) {
                    return x;
                }
            } else {
                let x = self.low + (self.high - self.low) * draws.unit();
                if draws.unit() < libm::exp(self.exponent(x) - self.exponent(nearest)) {
                    return x;
                }
            }
        }
        nearest
    }

    fn exponent(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.sd;
        -0.5 * z * z
    }
}

/// Probability that a standard normal number lies in `low .. high`, without cancellation in either tail.
pub(super) fn probability(low: f64, high: f64) -> f64 {
    let upper = |z: f64| 0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2);
    match low > 0.0 {
        true => upper(low) - upper(high),
        false => upper(-high) - upper(-low),
    }
}

#[cfg(test)]
mod tests {
    use super::TruncatedNormal;
    use crate::random::law_fixture::assert_same_law;
    use rand_distr::{Distribution, Normal};

    /// Of wide and narrow domains, and of one beside the mean.
    #[test]
    fn numbers_are_those_of_rand_distr_redrawn_outside_the_domain() {
        for (mean, sd, low, high) in [
            (50.0, 10.0, -1e3, 1e3),
            (0.0, 1.0, -0.5, 1.0),
            (3.0, 2.0, 4.0, 20.0),
        ] {
            let ours = TruncatedNormal::new(mean, sd, low, high);
            let theirs = Normal::new(mean, sd).unwrap();
            let inside = |other: &mut _| {
                let mut numbers = theirs.sample_iter(other);
                numbers
                    .find(|x| (low..=high).contains(x))
                    .unwrap_or_default()
            };
            assert_same_law(|draws| ours.sample(draws), inside);
        }
    }
}
