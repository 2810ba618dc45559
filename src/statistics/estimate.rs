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
            let squares = values.iter().map(|value| squared(value - origin - shift));
            let half = t_975(n - 1.0) * (squares.sum::<f64>() / (n - 1.0) / n).sqrt();
            (origin + shift - half, origin + shift + half)
        });
        Some(Self {
            mean: origin + shift,
            interval,
            n: values.len() as u32,
        })
    }

    /// Of every k-th value of `population` independent ones in an order that puts like ones together: the mean varies as that of the whole
    /// population does, s^2 / population, and by what neighbours differ, `sum (x[i + 1] - x[i])^2 / (2 n (n - 1))` (the estimator of successive
    /// differences: Wolter, Introduction to Variance Estimation, 2nd ed., 8.2.1). `None` when there are none.
    pub fn of_every_kth(values: &[f64], population: usize) -> Option<Self> {
        let independent = Self::of(values)?;
        let n = values.len() as f64;
        let interval = (values.len() >= 2).then(|| {
            let squares = values.iter().map(|value| squared(value - independent.mean));
            let all = squares.sum::<f64>() / (n - 1.0) / population.max(values.len()) as f64;
            let steps = values.windows(2).map(|pair| squared(pair[1] - pair[0]));
            let among = steps.sum::<f64>() / (2.0 * n * (n - 1.0));
            let half = t_975(n - 1.0) * (all + among).sqrt();
            (independent.mean - half, independent.mean + half)
        });
        Some(Self {
            interval,
            ..independent
        })
    }

    /// The same with mean and interval cut to `low ..= high`, the range that the quantity can have.
    pub fn clamped(self, low: f64, high: f64) -> Self {
        self.map(|value| value.clamp(low, high))
    }

    /// The same of an ascending function of the quantity.
    fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self {
            mean: of(self.mean),
            interval: self.interval.map(|(low, high)| (of(low), of(high))),
            n: self.n,
        }
    }
}

/// The geometric mean of `value / baseline` over pairs, with its 95 % t-interval taken on logarithms: ratios of paired runs, where
/// twice and half are equally far from one. Pairs that are not both positive and finite are left out; `None` when none remains.
pub fn paired_ratio(pairs: impl Iterator<Item = (f64, f64)>) -> Option<Estimate> {
    let is_ratio = |value: &f64| *value > 0.0 && value.is_finite();
    let pairs = pairs.filter(|(value, baseline)| is_ratio(value) && is_ratio(baseline));
    let logs = pairs.map(|(value, baseline)| libm::log(value / baseline));
    Some(Estimate::of(&logs.collect::<Vec<f64>>())?.map(libm::exp))
}

/// Mean of `values` less mean of `others`, of independent runs whose spreads may differ: Welch's t-interval with Satterthwaite's degrees
/// of freedom. `None` when either is empty; without an interval when either has one value.
pub fn unpaired_difference(values: &[f64], others: &[f64]) -> Option<Estimate> {
    let (value, other) = (Estimate::of(values)?, Estimate::of(others)?);
    let difference = value.mean - other.mean;
    let n = value.n.min(other.n);
    let interval = (n >= 2).then(|| {
        let (a, b) = (variance_of_mean(values), variance_of_mean(others));
        if a + b <= 0.0 {
            return (difference, difference);
        }
        let freedom =
            (a + b) * (a + b) / (a * a / f64::from(value.n - 1) + b * b / f64::from(other.n - 1));
        let half = t_975(freedom.max(1.0)) * (a + b).sqrt();
        (difference - half, difference + half)
    });
    Some(Estimate {
        mean: difference,
        interval,
        n,
    })
}

/// The geometric mean of `values` over that of `others`, of independent runs: [`unpaired_difference`] of their logarithms. `None` unless all are
/// positive and finite.
pub fn unpaired_ratio(values: &[f64], others: &[f64]) -> Option<Estimate> {
    let logs = |values: &[f64]| -> Option<Vec<f64>> {
        let log = |value: &f64| (*value > 0.0 && value.is_finite()).then(|| libm::log(*value));
        values.iter().map(log).collect()
    };
    Some(unpaired_difference(&logs(values)?, &logs(others)?)?.map(libm::exp))
}

/// Squared standard error of the mean of two values or more.
fn variance_of_mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| squared(value - mean)).sum();
    squares / (n - 1.0) / n
}

fn squared(value: f64) -> f64 {
    value * value
}

/// The 97.5 % quantile of Student's t with `freedom` >= 1 degrees of freedom.
fn t_975(freedom: f64) -> f64 {
    t_quantile(0.975, freedom)
}

/// The quantile of Student's t with `freedom` >= 1 degrees of freedom at `probability`, in (0, 1).
pub(super) fn t_quantile(probability: f64, freedom: f64) -> f64 {
    let exact = StudentsT::new(0.0, 1.0, freedom)
        .expect("degrees of freedom are at least one")
        .inverse_cdf(probability);
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
    fn of_ordered_values_only_what_neighbours_differ_by_and_what_the_population_varies_by_counts() {
        // 100 ones before 100 threes, of a population of 4 x 200: s^2 = 200 / 199, and one step of 2.
        let values: Vec<f64> = (0..200)
            .map(|at| if at < 100 { 1.0 } else { 3.0 })
            .collect();
        let found = Estimate::of_every_kth(&values, 800).unwrap();
        let half = t_975(199.0) * (200.0f64 / 199.0 / 800.0 + 4.0 / (2.0 * 200.0 * 199.0)).sqrt();
        let (low, high) = found.interval.unwrap();
        assert!((low - (2.0 - half)).abs() < 1e-12 && (high - (2.0 + half)).abs() < 1e-12);
        assert_eq!((found.mean, found.n), (2.0, 200));
        let even = Estimate::of_every_kth(&[0.1; 3], 9).unwrap();
        assert_eq!((even.mean, even.interval), (0.1, Some((0.1, 0.1))));
        assert_eq!(Estimate::of_every_kth(&[5.0], 9).unwrap().interval, None);
        assert_eq!(Estimate::of_every_kth(&[], 9), None);
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
    fn independent_runs_have_welchs_interval() {
        // Means 4 and 2 of three and two values, whose squared standard errors are 4 / 3 and 1.
        let found = unpaired_difference(&[2.0, 4.0, 6.0], &[1.0, 3.0]).unwrap();
        assert_eq!((found.mean, found.n), (2.0, 2));
        let freedom = (7.0f64 / 3.0).powi(2) / ((4.0f64 / 3.0).powi(2) / 2.0 + 1.0);
        let half = t_975(freedom) * (7.0f64 / 3.0).sqrt();
        assert!((found.interval.unwrap().1 - 2.0 - half).abs() < 1e-9);
        assert_eq!(
            unpaired_difference(&[5.0, 5.0], &[3.0, 3.0])
                .unwrap()
                .interval,
            Some((2.0, 2.0))
        );
        // Only the others vary: squared standard error 1 at one degree of freedom.
        let (low, high) = unpaired_difference(&[7.0, 7.0], &[1.0, 3.0])
            .unwrap()
            .interval
            .unwrap();
        assert!((5.0 - low - t_975(1.0)).abs() < 1e-9 && (high - 5.0 - t_975(1.0)).abs() < 1e-9);
        assert_eq!(
            unpaired_difference(&[5.0], &[3.0, 4.0]).unwrap().interval,
            None
        );
        assert_eq!(unpaired_difference(&[], &[3.0]), None);
    }

    #[test]
    fn ratios_of_independent_runs_are_geometric_and_need_positive_values() {
        let found = unpaired_ratio(&[2.0, 8.0], &[1.0, 4.0, 2.0]).unwrap();
        assert!((found.mean - 2.0).abs() < 1e-12);
        assert_eq!(unpaired_ratio(&[2.0, 0.0], &[1.0]), None);
    }

    #[test]
    fn of_equal_laws_one_comparison_in_twenty_is_flagged() {
        use rand::{RngExt, SeedableRng};
        let mut draws = rand::rngs::ChaCha8Rng::seed_from_u64(11);
        // Sums of twelve uniform draws are nearly normal.
        let mut runs = |n: usize| -> Vec<f64> {
            let mut one = || 20.0 + (0..12).map(|_| draws.random::<f64>()).sum::<f64>();
            (0..n).map(|_| one()).collect()
        };
        let flagged = (0..4_000).filter(|_| {
            let (low, high) = unpaired_ratio(&runs(5), &runs(7))
                .unwrap()
                .interval
                .unwrap();
            low > 1.0 || high < 1.0
        });
        // 5 % of 4,000 within 4 standard errors of sqrt(4,000 x 0.05 x 0.95) = 13.8.
        let flagged = flagged.count();
        assert!((145..=255).contains(&flagged), "{flagged}");
    }

    #[test]
    fn paired_ratios_are_geometric_and_drop_undefined_pairs() {
        let pairs = [
            (8.0, 2.0),
            (0.0, 7.0),
            (3.0, 3.0),
            (5.0, 0.0),
            (f64::NAN, 1.0),
        ];
        let found = paired_ratio(pairs.into_iter()).unwrap();
        assert!((found.mean - 2.0).abs() < 1e-12);
        assert_eq!(found.n, 2);
        // ln 4 and 0: half-width 12.7062 * ln(4) / 2.
        let half = 12.706_204_7 * 4.0f64.ln() / 2.0;
        assert!((found.interval.unwrap().1.ln() - 2.0f64.ln() - half).abs() < 1e-5);
        assert_eq!(paired_ratio(std::iter::empty()), None);
    }
}
