//! Response times of a cohort: histograms of what completed, of how long the unfinished have waited, and of how long the failed had waited
//! when they were given up. Must not know whose they are.
//!
//! A failed operation takes for ever: its response time is infinite. An unfinished one takes longer than its age.

use super::saved_response;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Ages leave a number open when taking them for true response times or for mere lower bounds makes more than this difference.
const OPEN_BEYOND: f64 = 1.1;

/// Response times of the operations whose intended start lies in the window, all of them: completed, unfinished or failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Response {
    /// Completed operations, in nanoseconds.
    #[serde(with = "saved_response")]
    pub completed: Histogram<u64>,
    /// Ages at the end of operations that were unfinished then: lower bounds.
    #[serde(with = "saved_response")]
    pub unfinished: Histogram<u64>,
    /// Ages of failed operations when they were given up.
    #[serde(with = "saved_response")]
    pub failed: Histogram<u64>,
    /// Exact sum over all three, in nanoseconds.
    pub sum_nanos: u128,
}

/// A number of nanoseconds, or a lower bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nanos {
    /// The value, with the ages of unfinished operations taken for their response times. Where a failed operation is reached, a lower bound of
    /// what is infinite.
    pub value: f64,
    /// It is a lower bound: failed operations reach it, or the ages of unfinished ones leave it open.
    pub censored: bool,
}

impl Response {
    /// Nothing yet, with room for values up to `longest` (more when needed). Three significant digits.
    pub fn new(longest: u64) -> Self {
        let mut completed =
            Histogram::new_with_bounds(1, longest.max(2), 3).expect("1 < 2 <= longest, 3 digits");
        completed.auto(true);
        let ages = Histogram::new(3).expect("3 digits are allowed");
        Self {
            completed,
            unfinished: ages.clone(),
            failed: ages,
            sum_nanos: 0,
        }
    }

    /// Counts a completed operation.
    #[inline]
    pub fn record(&mut self, nanos: u64) {
        record(&mut self.completed, nanos);
        self.sum_nanos += u128::from(nanos);
    }

    /// Counts an operation that has waited for `age` and still does.
    pub fn record_unfinished(&mut self, age: u64) {
        record(&mut self.unfinished, age);
        self.sum_nanos += u128::from(age);
    }

    /// Counts an operation that was given up at `age`.
    pub fn record_failed(&mut self, age: u64) {
        record(&mut self.failed, age);
        self.sum_nanos += u128::from(age);
    }

    /// Adds another cohort's.
    pub fn add(&mut self, other: &Self) {
        for (own, others) in [
            (&mut self.completed, &other.completed),
            (&mut self.unfinished, &other.unfinished),
            (&mut self.failed, &other.failed),
        ] {
            own.add(others).expect("resizing histograms can be added");
        }
        self.sum_nanos += other.sum_nanos;
    }

    /// Number of operations.
    pub fn count(&self) -> u64 {
        self.completed.len() + self.unfinished.len() + self.failed.len()
    }

    /// All of them together, for several questions.
    pub fn combined(&self) -> CombinedResponse {
        let mut finite = self.completed.clone();
        finite.auto(true);
        finite
            .add(&self.unfinished)
            .expect("a resizing histogram takes every value");
        CombinedResponse {
            finite,
            failed: self.failed.len(),
            curve: (!self.unfinished.is_empty()).then(|| self.survival()),
            sum_nanos: self.sum_nanos,
            greatest_age: self.unfinished.max(),
            given_up: self.failed.max(),
        }
    }

    /// The product-limit estimate of the share of operations that take longer than each recorded value (Kaplan and Meier 1958): unlike
    /// taking ages for response times, it gives each unfinished operation the prospects of those that had waited as long. Failed ones take
    /// longer than every value.
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

#[inline]
fn record(histogram: &mut Histogram<u64>, nanos: u64) {
    histogram
        .record(nanos)
        .expect("a resizing histogram takes every value");
}

/// [`Response`] with what its quantiles need worked out.
#[derive(Debug)]
pub struct CombinedResponse {
    /// Completed and unfinished operations.
    finite: Histogram<u64>,
    /// Number of failed operations.
    failed: u64,
    /// (nanoseconds, share that takes longer), ascending; `None` when nothing is unfinished, empty when nothing was completed.
    curve: Option<Vec<(f64, f64)>>,
    sum_nanos: u128,
    greatest_age: u64,
    /// The greatest age at which an operation was given up.
    given_up: u64,
}

impl CombinedResponse {
    /// Operations.
    pub fn count(&self) -> u64 {
        self.finite.len() + self.failed
    }

    /// The least recorded value that at least `q` of the operations don't exceed (0 <= q < 1), to three digits. Where failed operations reach
    /// it, which take for ever, the greatest age of any operation: a lower bound. `None` without operations. O(buckets).
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let rank = ((q * count as f64).ceil() as u64).max(1);
        if rank > self.finite.len() {
            return Some(Nanos {
                value: self.longest() as f64,
                censored: true,
            });
        }
        let value = match self.failed {
            0 => self.finite.value_at_quantile(q),
            _ => self.value_of_rank(rank),
        } as f64;
        let estimate = match &self.curve {
            None => Some(value),
            // A rounding error's worth of slack: the share is a product of many factors.
            Some(curve) => curve
                .iter()
                .find(|&&(_, longer)| longer <= 1.0 - q + 1e-12)
                .map(|&(nanos, _)| nanos),
        };
        Some(Nanos {
            value,
            censored: estimate.is_none_or(|nanos| nanos > value * OPEN_BEYOND),
        })
    }

    /// The value of the `rank`th shortest of the completed and unfinished operations, counted from one.
    fn value_of_rank(&self, rank: u64) -> u64 {
        let mut shorter = 0;
        let mut bars = self.finite.iter_recorded();
        let found = bars.find(|bar| {
            shorter += bar.count_at_value();
            shorter >= rank
        });
        found.map_or(self.finite.max(), |bar| bar.value_iterated_to())
    }

    /// The exact mean. With failed operations it is infinite: their ages when they were given up make a lower bound. `None` without
    /// operations.
    pub fn mean(&self) -> Option<Nanos> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let value = self.sum_nanos as f64 / count as f64;
        let open = || {
            self.estimated_mean()
                .is_some_and(|mean| mean > value * OPEN_BEYOND)
        };
        Some(Nanos {
            value,
            censored: self.failed > 0 || self.curve.as_ref().is_some_and(Vec::is_empty) || open(),
        })
    }

    /// The greatest value, to three digits; censored when an unfinished operation holds it, or one failed. `None` without operations.
    pub fn max(&self) -> Option<Nanos> {
        (self.count() > 0).then(|| Nanos {
            value: self.longest() as f64,
            censored: self.failed > 0
                || self.curve.is_some() && self.greatest_age >= self.finite.max(),
        })
    }

    /// The greatest age of any operation, to three digits: of a failed one that when it was given up.
    fn longest(&self) -> u64 {
        self.finite.max().max(self.given_up)
    }

    /// Area under the survival curve up to the greatest value; `None` when nothing is unfinished.
    fn estimated_mean(&self) -> Option<f64> {
        let curve = self.curve.as_ref()?;
        let (mut area, mut from, mut share) = (0.0, 0.0, 1.0);
        for &(value, longer) in curve {
            area += (value - from) * share;
            (from, share) = (value, longer);
        }
        Some(area + (self.finite.max() as f64 - from).max(0.0) * share)
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

    /// Six of ten took 1 to 6 ms, four were given up after 2 ms.
    fn four_of_ten_failed() -> Response {
        let mut response = Response::new(10 * MS);
        (1..=6).for_each(|nanos| response.record(nanos * MS));
        (0..4).for_each(|_| response.record_failed(2 * MS));
        response
    }

    #[test]
    fn failed_operations_take_for_ever() {
        let combined = four_of_ten_failed().combined();
        assert_eq!(combined.count(), 10);
        // Three of ten don't exceed 3 ms, six of ten 6 ms; the seventh takes for ever, and 6 ms is the most that anyone was seen to wait.
        for (q, expected, censored) in [
            (0.3, 3, false),
            (0.6, 6, false),
            (0.61, 6, true),
            (0.99, 6, true),
        ] {
            let found = combined.quantile(q).unwrap();
            assert!(
                close(found, (expected * MS) as f64) && found.censored == censored,
                "{q}: {found:?}"
            );
        }
        let mean = combined.mean().unwrap();
        assert_eq!(
            (mean.value, mean.censored),
            ((21 + 8) as f64 / 10.0 * MS as f64, true)
        );
        assert!(combined.max().unwrap().censored);
    }

    #[test]
    fn one_failed_operation_leaves_the_quantiles_below_it_alone() {
        let mut response = Response::new(10 * MS);
        (0..999).for_each(|_| response.record(2 * MS));
        response.record_failed(9 * MS);
        let combined = response.combined();
        assert!(!combined.quantile(0.99).unwrap().censored);
        assert!(!combined.quantile(0.999).unwrap().censored);
        let beyond = combined.quantile(0.9995).unwrap();
        assert!(close(beyond, 9.0 * MS as f64) && beyond.censored);
    }

    #[test]
    fn failed_operations_survive_every_value_of_the_curve() {
        let mut response = four_of_ten_failed();
        // Unfinished since nearly the longest time of all: six of eleven are known to have taken up to 6 ms, 6 / 11 < 0.6.
        response.record_unfinished(6 * MS);
        let combined = response.combined();
        assert!(!combined.quantile(0.5).unwrap().censored);
        assert!(combined.quantile(0.7).unwrap().censored);
    }

    #[test]
    fn where_nothing_was_completed_everything_is_a_lower_bound() {
        let mut unfinished = Response::new(MS);
        (1..=4).for_each(|age| unfinished.record_unfinished(age * MS));
        let mut failed = Response::new(MS);
        (0..4).for_each(|_| failed.record_failed(0));
        for (response, median) in [(unfinished, 2.0 * MS as f64), (failed, 0.0)] {
            let combined = response.combined();
            let half = combined.quantile(0.5).unwrap();
            assert!(
                (half.value - median).abs() <= 1e-3 * median && half.censored,
                "{half:?}"
            );
            assert!(combined.mean().unwrap().censored && combined.max().unwrap().censored);
        }
    }

    #[test]
    fn merged_cohorts_have_the_failures_of_both() {
        let mut response = four_of_ten_failed();
        response.add(&four_of_ten_failed());
        assert_eq!((response.count(), response.failed.len()), (20, 8));
        assert_eq!(response.sum_nanos, 2 * 29 * u128::from(MS));
    }

    #[test]
    fn no_operations_have_no_quantiles() {
        let combined = Response::new(MS).combined();
        assert_eq!(combined.quantile(0.5), None);
        assert_eq!(combined.mean(), None);
        assert_eq!(combined.max(), None);
    }
}
