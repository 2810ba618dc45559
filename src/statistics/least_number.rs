//! The mean of a number that counts up to a limit only.

/// The mean of min(`most`, k), where k is a binomial number of this mean of things that are there with the probability `share` each: Poisson's at a share of 0, just its mean
/// at 1.
pub fn mean_of_least(most: f64, mean: f64, share: f64) -> f64 {
    // Hundreds are as many as they are expected to be, but for a few percent.
    if mean > 500.0 || (most - mean).abs() > 8.0 * mean.sqrt() + 20.0 {
        return mean.min(most);
    }
    // Where all of them are there as well.
    let share = share.min(1.0 - 1e-12);
    let of_some = |trials: f64| {
        let none = match trials.is_finite() {
            true => trials * libm::log1p(-share),
            false => -mean,
        };
        let (mut number, mut chance, mut least) = (0.0, libm::exp(none), most);
        while number < most && number <= trials {
            least -= (most - number) * chance;
            let more = match trials.is_finite() {
                true => (trials - number) * share / (1.0 - share),
                false => mean,
            };
            number += 1.0;
            chance *= more / number;
        }
        least
    };
    let least = match share > 0.0 {
        true => {
            let (whole, part) = ((mean / share).floor(), (mean / share).fract());
            (1.0 - part) * of_some(whole) + part * of_some(whole + 1.0)
        }
        false => of_some(f64::INFINITY),
    };
    least.min(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a Poisson number with a mean of 2 the least of it and 2 is 2 - 2 e^-2 - 2 e^-2 = 1.459, of four that are there with 1/2 each 2 - 2/16 - 4/16 = 1.625, and of just two or
    /// three all of them.
    #[test]
    fn of_numbers_that_scatter_the_least_is_less_than_that_of_their_mean() {
        for (most, mean, share, right) in [
            (2.0, 2.0, 0.0, 1.458_659),
            (2.0, 2.0, 0.5, 1.625),
            (2.0, 2.0, 1.0, 2.0),
            (3.0, 2.5, 1.0, 2.5),
            (2.0, 2.5, 1.0, 2.0),
            (1e9, 2.5, 0.0, 2.5),
        ] {
            let found = mean_of_least(most, mean, share);
            assert!((found - right).abs() < 1e-6, "{most} of {mean}: {found}");
        }
    }
}
