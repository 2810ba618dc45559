//! A mean over independent runs with its uncertainty. Must not know what was measured.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean of independent, identically distributed values with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Arithmetic mean.
    pub mean: f64,
    /// `mean -+ t(0.975, n - 1) s / sqrt(n)`, Student's t-interval; `None` when n < 2.
    pub interval: Option<(f64, f64)>,
    /// Number of values.
    pub n: u32,
}

impl Estimate {
    /// Of `values`; `None` when there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        // Taken from the first value, so that equal values have exactly that mean and an interval of no width.
        let origin = values[0];
        let shift = values.iter().map(|value| value - origin).sum::<f64>() / n;
        let interval = (values.len() >= 2).then(|| {
            let squares: f64 = values
                .iter()
                .map(|value| (value - origin - shift) * (value - origin - shift))
                .sum();
            let half = t_975(n - 1.0) * (squares / (n - 1.0) / n).sqrt();
            (origin + shift - half, origin + shift + half)
        });
        Some(Self {
            mean: origin + shift,
            interval,
            n: values.len() as u32,
        })
    }

    /// The same with mean and interval cut to `low ..= high`, the range that the quantity can have.
    pub fn clamped(self, low: f64, high: f64) -> Self {
        Self {
            mean: self.mean.clamp(low, high),
            interval: self
                .interval
                .map(|(from, to)| (from.clamp(low, high), to.clamp(low, high))),
            n: self.n,
        }
    }
}

/// The geometric mean of `value / baseline` over pairs, with its 95 % t-interval taken on logarithms: ratios of paired runs, where
/// twice and half are equally far from one. Pairs that are not both positive and finite are left out; `None` when none remains.
pub fn paired_ratio(pairs: impl Iterator<Item = (f64, f64)>) -> Option<Estimate> {
    let logs: Vec<f64> = pairs
        .filter(|&(value, baseline)| {
            value > 0.0 && baseline > 0.0 && value.is_finite() && baseline.is_finite()
        })
        .map(|(value, baseline)| libm::log(value / baseline))
        .collect();
    let log = Estimate::of(&logs)?;
    Some(Estimate {
        mean: libm::exp(log.mean),
        interval: log
            .interval
            .map(|(low, high)| (libm::exp(low), libm::exp(high))),
        n: log.n,
    })
}

/// The 97.5 % quantile of Student's t with `freedom` >= 1 degrees of freedom.
fn t_975(freedom: f64) -> f64 {
    let exact = StudentsT::new(0.0, 1.0, freedom)
        .expect("degrees of freedom are at least one")
        .inverse_cdf(0.975);
    // Rounded far below its use, so that the platform's logarithm can't show in a result.
    (exact * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_students_interval() {
        // Mean 3, s^2 = (4 + 1 + 0 + 9) / 3; t(0.975, 3) = 3.182446 by the tables.
        let found = Estimate::of(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!(found.mean, 3.0);
        let half = 3.182_446_305 * (14.0f64 / 3.0 / 4.0).sqrt();
        let (low, high) = found.interval.unwrap();
        assert!((low - (3.0 - half)).abs() < 1e-6 && (high - (3.0 + half)).abs() < 1e-6);
        assert_eq!(found.n, 4);
    }

    #[test]
    fn two_values_leave_a_wide_interval() {
        // t(0.975, 1) = 12.7062.
        let (low, high) = Estimate::of(&[10.0, 12.0]).unwrap().interval.unwrap();
        assert!((high - 11.0 - 12.706_204_7).abs() < 1e-5);
        assert!((11.0 - low - 12.706_204_7).abs() < 1e-5);
    }

    #[test]
    fn one_value_has_no_interval_and_equal_values_one_of_no_width() {
        assert_eq!(Estimate::of(&[0.1]).unwrap().interval, None);
        assert_eq!(
            Estimate::of(&[0.1, 0.1, 0.1]).unwrap(),
            Estimate {
                mean: 0.1,
                interval: Some((0.1, 0.1)),
                n: 3
            }
        );
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn intervals_are_cut_to_the_range_of_the_quantity() {
        let cut = Estimate {
            mean: 0.99,
            interval: Some((0.97, 1.01)),
            n: 3,
        }
        .clamped(0.0, 1.0);
        assert_eq!(cut.interval, Some((0.97, 1.0)));
    }

    #[test]
    fn paired_ratios_are_geometric_and_drop_undefined_pairs() {
        let found = paired_ratio([(8.0, 2.0), (3.0, 3.0), (5.0, 0.0), (f64::NAN, 1.0)].into_iter())
            .unwrap();
        assert!((found.mean - 2.0).abs() < 1e-12);
        assert_eq!(found.n, 2);
        // ln 4 and 0: half-width 12.7062 * ln(4) / 2.
        let half = 12.706_204_7 * 4.0f64.ln() / 2.0;
        assert!((found.interval.unwrap().1.ln() - 2.0f64.ln() - half).abs() < 1e-5);
        assert_eq!(paired_ratio(std::iter::empty()), None);
    }
}
