//! Draws from Zipf's law over too many ranks for a table. Must not know what a rank stands for.

use crate::random::Draws;

/// Zipf's law over ranks `first ..= last`, weight `rank^-exponent`, by rejection-inversion (Hörmann and Derflinger 1996):
/// exact, no table, about 1.1 draws a sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Zipf {
    exponent: f64,
    first: f64,
    last: f64,
    /// The integral's value at the left edge, less the first rank's bar, and at the right edge.
    area: (f64, f64),
    /// A candidate this close to its rank is always accepted.
    squeeze: f64,
}

impl Zipf {
    /// The law over `first ..= last`, counted from 1; exponent > 0.
    pub(super) fn new(first: u64, last: u64, exponent: f64) -> Self {
        debug_assert!(first >= 1 && first <= last && exponent > 0.0);
        let mut zipf = Self {
            exponent,
            first: first as f64,
            last: last as f64,
            area: (0.0, 0.0),
            squeeze: 0.0,
        };
        let second = zipf.first + 1.0;
        zipf.area = (
            zipf.integral(zipf.first + 0.5) - zipf.weight(zipf.first),
            zipf.integral(zipf.last + 0.5),
        );
        zipf.squeeze = second - zipf.inverse(zipf.integral(second + 0.5) - zipf.weight(second));
        zipf
    }

    /// A rank in `first ..= last`.
    pub(super) fn sample(&self, draws: &mut Draws) -> u64 {
        loop {
            let area = self.area.1 + draws.unit() * (self.area.0 - self.area.1);
            let x = self.inverse(area);
            let rank = (x + 0.5).floor().clamp(self.first, self.last);
            if rank - x <= self.squeeze || area >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    fn integral(&self, x: f64) -> f64 {
        integral(x, self.exponent)
    }

    fn inverse(&self, area: f64) -> f64 {
        let t = (area * (1.0 - self.exponent)).max(-1.0);
        libm::exp(
            area * match t.abs() > 1e-8 {
                true => libm::log1p(t) / t,
                false => 1.0 - t * 0.5,
            },
        )
    }
}

/// `(x^(1-s) - 1) / (1 - s)`, or `ln x` at s = 1, without cancellation near it.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = libm::log(x);
    let power = (1.0 - exponent) * log;
    log * match power.abs() > 1e-8 {
        true => libm::expm1(power) / power,
        false => 1.0 + power * 0.5,
    }
}

/// Ranks that are added one by one before the Euler-Maclaurin formula takes over: its error is then below 1e-7 of one term.
const ADDED: u64 = 64;

/// The sum of `rank^-exponent` over `first ..= last`, counted from 1; zero when there are none. O(1).
pub(super) fn sum(first: u64, last: u64, exponent: f64) -> f64 {
    let weight = |rank: u64| libm::pow(rank as f64, -exponent);
    let from = first.max(ADDED);
    let added: f64 = (first..from.min(last.saturating_add(1))).map(weight).sum();
    if from > last {
        return added;
    }
    let (low, high) = (weight(from), weight(last));
    let slope = exponent * (low / from as f64 - high / last as f64) / 12.0;
    added + integral(last as f64, exponent) - integral(from as f64, exponent)
        + 0.5 * (low + high)
        + slope
}

#[cfg(test)]
mod tests {
    use super::Zipf;
    use crate::random::law_fixture::assert_same_law;
    use rand_distr::Distribution;

    #[test]
    fn ranks_are_those_of_rand_distr() {
        for exponent in [0.5, 0.99, 1.0, 1.7] {
            let ours = Zipf::new(1, 10_000, exponent);
            let theirs = rand_distr::Zipf::new(10_000.0, exponent).unwrap();
            assert_same_law(
                |draws| ours.sample(draws) as f64,
                |other| theirs.sample(other),
            );
        }
    }

    #[test]
    fn ranks_behind_a_first_one_are_those_that_rand_distr_draws_there() {
        let ours = Zipf::new(4, 1_000, 1.2);
        let theirs = rand_distr::Zipf::new(1_000.0, 1.2).unwrap();
        let behind = |other: &mut _| {
            let mut ranks = theirs.sample_iter(other);
            ranks.find(|rank| *rank >= 4.0).unwrap_or_default()
        };
        assert_same_law(|draws| ours.sample(draws) as f64, behind);
    }
}
