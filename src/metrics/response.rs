//! Response times of a cohort: histograms of what completed and of how long the unfinished have waited. Must not know whose they are.

use hdrhistogram::Histogram;

/// Ages leave a number open when taking them for true response times or for mere lower bounds makes more than this difference.
const OPEN_BEYOND: f64 = 1.1;

/// Response times of the operations whose intended start lies in the window. Failed ones have none: they are counted elsewhere.
#[derive(Debug, Clone)]
pub struct Response {
    /// Completed operations, in nanoseconds.
    pub completed: Histogram<u64>,
    /// Ages at the end of operations that were unfinished then: lower bounds.
    pub unfinished: Histogram<u64>,
    /// Exact sum over both, in nanoseconds.
    pub sum_nanos: u128,
}

/// A number of nanoseconds, or a lower bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nanos {
    /// The value, with the ages of unfinished operations taken for their response times.
    pub value: f64,
    /// Those ages leave it open: it is a lower bound.
    pub censored: bool,
}

impl Response {
    /// Nothing yet, with room for values up to `longest` (more when needed). Three significant digits.
    pub fn new(longest: u64) -> Self {
        let mut completed =
            Histogram::new_with_bounds(1, longest.max(2), 3).expect("1 < 2 <= longest, 3 digits");
        completed.auto(true);
        let unfinished = Histogram::new(3).expect("3 digits are allowed");
        Self {
            completed,
            unfinished,
            sum_nanos: 0,
        }
    }

    /// Counts a completed operation.
    #[inline]
    pub fn record(&mut self, nanos: u64) {
        self.completed
            .record(nanos)
            .expect("a resizing histogram takes every value");
        self.sum_nanos += u128::from(nanos);
    }

    /// Counts an operation that has waited for `age` and still does.
    pub fn record_unfinished(&mut self, age: u64) {
        self.unfinished
            .record(age)
            .expect("a resizing histogram takes every value");
        self.sum_nanos += u128::from(age);
    }

    /// Adds another cohort's.
    pub fn add(&mut self, other: &Self) {
        self.completed
            .add(&other.completed)
            .expect("resizing histograms can be added");
        self.unfinished
            .add(&other.unfinished)
            .expect("resizing histograms can be added");
        self.sum_nanos += other.sum_nanos;
    }

    /// Number of operations.
    pub fn count(&self) -> u64 {
        self.completed.len() + self.unfinished.len()
    }

    /// Both together, for several questions.
    pub fn combined(&self) -> CombinedResponse {
        let mut all = self.completed.clone();
        all.auto(true);
        all.add(&self.unfinished)
            .expect("a resizing histogram takes every value");
        let curve = if self.unfinished.is_empty() {
            Vec::new()
        } else {
            self.survival()
        };
        CombinedResponse {
            all,
            curve,
            sum_nanos: self.sum_nanos,
            greatest_age: self.unfinished.max(),
        }
    }

    /// The product-limit estimate of the share of operations that take longer than each recorded value (Kaplan and Meier 1958): unlike
    /// taking ages for response times, it gives each unfinished operation the prospects of those that had waited as long.
    fn survival(&self) -> Vec<(f64, f64)> {
        let mut ages = self
            .unfinished
            .iter_recorded()
            .map(|bar| (bar.value_iterated_to(), bar.count_at_value()))
            .peekable();
        let mut at_risk = self.count() as f64;
        let mut share = 1.0;
        let mut curve = Vec::new();
        for bar in self.completed.iter_recorded() {
            let value = bar.value_iterated_to();
            while let Some((_, gone)) = ages.next_if(|&(age, _)| age < value) {
                at_risk -= gone as f64;
            }
            let done = bar.count_at_value() as f64;
            share *= 1.0 - done / at_risk;
            at_risk -= done;
            curve.push((value as f64, share));
        }
        curve
    }
}

/// [`Response`] with what its quantiles need worked out.
#[derive(Debug)]
pub struct CombinedResponse {
    all: Histogram<u64>,
    /// (nanoseconds, share that takes longer), ascending; empty when nothing is unfinished.
    curve: Vec<(f64, f64)>,
    sum_nanos: u128,
    greatest_age: u64,
}

impl CombinedResponse {
    /// Operations.
    pub fn count(&self) -> u64 {
        self.all.len()
    }

    /// The least recorded value that at least `q` of the operations don't exceed (0 < q < 1), to three digits; `None` without
    /// operations. O(buckets).
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        if self.all.is_empty() {
            return None;
        }
        let value = self.all.value_at_quantile(q) as f64;
        let estimate = match self.curve.is_empty() {
            true => Some(value),
            // A rounding error's worth of slack: the share is a product of many factors.
            false => self
                .curve
                .iter()
                .find(|&&(_, longer)| longer <= 1.0 - q + 1e-12)
                .map(|&(nanos, _)| nanos),
        };
        Some(Nanos {
            value,
            censored: estimate.is_none_or(|nanos| nanos > value * OPEN_BEYOND),
        })
    }

    /// The exact mean; `None` without operations.
    pub fn mean(&self) -> Option<Nanos> {
        if self.all.is_empty() {
            return None;
        }
        let value = self.sum_nanos as f64 / self.all.len() as f64;
        Some(Nanos {
            value,
            censored: self
                .estimated_mean()
                .is_some_and(|mean| mean > value * OPEN_BEYOND),
        })
    }

    /// The greatest value, to three digits; censored when an unfinished operation holds it. `None` without operations.
    pub fn max(&self) -> Option<Nanos> {
        (!self.all.is_empty()).then(|| {
            let value = self.all.max();
            Nanos {
                value: value as f64,
                censored: self.greatest_age >= value,
            }
        })
    }

    /// Area under the survival curve up to the greatest value; `None` when nothing is unfinished.
    fn estimated_mean(&self) -> Option<f64> {
        if self.greatest_age == 0 {
            return None;
        }
        let (mut area, mut from, mut share) = (0.0, 0.0, 1.0);
        for &(value, longer) in &self.curve {
            area += (value - from) * share;
            (from, share) = (value, longer);
        }
        Some(area + (self.all.max() as f64 - from).max(0.0) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn close(found: Nanos, expected: f64) -> bool {
        (found.value / expected - 1.0).abs() < 1e-3
    }

    #[test]
    fn quantiles_are_within_three_digits_of_exact_ones() {
        let mut response = Response::new(1000 * MS);
        let values: Vec<u64> = (1..=1000u64).map(|i| i * i * 997).collect();
        values.iter().for_each(|&nanos| response.record(nanos));
        let combined = response.combined();
        for (q, at) in [(0.5, 500), (0.9, 900), (0.99, 990), (0.999, 999)] {
            let found = combined.quantile(q).unwrap();
            assert!(
                close(found, values[at - 1] as f64) && !found.censored,
                "{q}: {found:?}"
            );
        }
        let mean = values.iter().sum::<u64>() as f64 / 1000.0;
        assert_eq!(
            combined.mean().unwrap(),
            Nanos {
                value: mean,
                censored: false
            }
        );
        assert!(close(combined.max().unwrap(), values[999] as f64));
    }

    #[test]
    fn merged_quantiles_are_those_of_all_values_not_means_of_quantiles() {
        let (mut first, mut second) = (Response::new(10 * MS), Response::new(10 * MS));
        (0..90).for_each(|_| first.record(MS));
        (0..10).for_each(|_| second.record(9 * MS));
        first.add(&second);
        let combined = first.combined();
        assert!(close(combined.quantile(0.89).unwrap(), MS as f64));
        assert!(close(combined.quantile(0.91).unwrap(), 9.0 * MS as f64));
        assert_eq!(combined.mean().unwrap().value, 1.8 * MS as f64);
    }

    #[test]
    fn a_quantile_that_unfinished_operations_reach_is_a_lower_bound() {
        // One server serves a quarter of what arrives over 4 s, first come first served: the operation of time t is answered after
        // 3 t, or is unfinished with age 4 s - t. Three quarters are unfinished.
        let mut response = Response::new(4_000 * MS);
        for t in 0..4_000u64 {
            if t < 1_000 {
                response.record((3 * t + 1) * MS);
            } else {
                response.record_unfinished((4_000 - t) * MS);
            }
        }
        let combined = response.combined();
        assert!(combined.quantile(0.5).unwrap().censored);
        assert!(combined.quantile(0.99).unwrap().censored);
        assert!(combined.mean().unwrap().censored);
    }

    #[test]
    fn the_few_that_any_run_leaves_unfinished_censor_nothing() {
        // 200 a ms answered after 2 ms but one in 500 after 40 ms; the last ones are still waiting at the end.
        let mut response = Response::new(1_000 * MS);
        let mut index = 0u64;
        for t in 0..1_000u64 {
            for _ in 0..200 {
                index += 1;
                let takes = if index.is_multiple_of(500) { 40 } else { 2 };
                if t + takes <= 1_000 {
                    response.record(takes * MS)
                } else {
                    response.record_unfinished((1_000 - t) * MS)
                }
            }
        }
        assert!(response.unfinished.len() > 200);
        let combined = response.combined();
        for q in [0.5, 0.99, 0.999] {
            assert!(!combined.quantile(q).unwrap().censored, "{q}");
        }
        assert!(!combined.mean().unwrap().censored && !combined.max().unwrap().censored);
    }

    #[test]
    fn the_mean_that_ages_leave_open_is_the_area_under_the_survival_curve() {
        let mut response = Response::new(2_000);
        for nanos in [100, 100, 300] {
            response.record(nanos);
        }
        for age in [200, 400] {
            response.record_unfinished(age);
        }
        let combined = response.combined();
        // All five take longer than 0, three fifths than 100, and half of those two that were still watched at 300 than that.
        let expected = 100.0 + 200.0 * 0.6 + 100.0 * 0.3;
        assert!((combined.estimated_mean().unwrap() - expected).abs() < 1e-9);
        // The ages for response times give 220: 250 is beyond the tenth that is allowed.
        let mean = combined.mean().unwrap();
        assert_eq!((mean.value, mean.censored), (220.0, true));
    }

    fn cohort(completed: &[u64], ages: &[u64]) -> CombinedResponse {
        let mut response = Response::new(2_000);
        completed.iter().for_each(|&nanos| response.record(nanos));
        ages.iter().for_each(|&age| response.record_unfinished(age));
        response.combined()
    }

    #[test]
    fn an_operation_as_old_as_another_took_was_still_watched_then() {
        // All four take longer than 0, three quarters than 100, and two thirds of the three that were watched at 300 than that.
        let found = cohort(&[100, 300], &[300, 400]).estimated_mean().unwrap();
        assert!((found - (100.0 + 200.0 * 0.75 + 100.0 * 0.5)).abs() < 1e-9);
    }

    #[test]
    fn ages_leave_open_what_they_change_by_more_than_a_tenth() {
        // Ages for response times give a median of 1,000; of the three that were watched for longer, two thirds take longer than
        // that, and one third longer than the next.
        let median = |next| {
            cohort(&[1_000, next, 1_200], &[10, 20])
                .quantile(0.5)
                .unwrap()
        };
        for (next, censored) in [(1_100, false), (1_101, true)] {
            let value = 1_000.0;
            assert_eq!(median(next), Nanos { value, censored });
        }
        // The only completed one is all that is known of both: 1,100 against (900 + 1,100) / 2.
        let mean = |nanos| cohort(&[nanos], &[900]).mean().unwrap();
        assert_eq!((mean(1_100).value, mean(1_100).censored), (1_000.0, false));
        assert!(mean(1_101).censored);
        // Exactly half take longer than 100: that is the median, however long the others wait.
        let half = cohort(&[100, 100, 300], &[300]).quantile(0.5).unwrap();
        assert_eq!((half.value, half.censored), (100.0, false));
    }

    #[test]
    fn values_beyond_the_planned_longest_are_kept() {
        let mut response = Response::new(MS);
        response.record(7_000 * MS);
        response.record_unfinished(9_000 * MS);
        let combined = response.combined();
        assert!(close(combined.quantile(0.5).unwrap(), 7_000.0 * MS as f64));
        assert!(close(combined.max().unwrap(), 9_000.0 * MS as f64));
    }

    #[test]
    fn no_operations_have_no_quantiles() {
        let combined = Response::new(MS).combined();
        assert_eq!(combined.quantile(0.5), None);
        assert_eq!(combined.mean(), None);
        assert_eq!(combined.max(), None);
    }
}
