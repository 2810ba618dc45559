//! Response times of a cohort: histograms of what completed, of how long the unfinished have waited, and of how long the failed had waited
//! when they were given up. Must not know whose they are.
//!
//! A failed operation takes for ever: its response time is infinite. An unfinished one takes longer than its age.

use hdrhistogram::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Ages leave a number open when taking them for true response times or for mere lower bounds makes more than this difference.
const OPEN_BEYOND: f64 = 1.1;

/// Response times of the operations whose intended start lies in the window, all of them: completed, unfinished or failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Response {
    /// Completed operations, in nanoseconds.
    #[serde(serialize_with = "write_bars", deserialize_with = "read_bars")]
    pub completed: Histogram<u64>,
    /// Ages at the end of operations that were unfinished then: lower bounds.
    #[serde(serialize_with = "write_bars", deserialize_with = "read_bars")]
    pub unfinished: Histogram<u64>,
    /// Ages of failed operations when they were given up.
    #[serde(serialize_with = "write_bars", deserialize_with = "read_bars")]
    pub failed: Histogram<u64>,
    /// Exact sum over all three, in nanoseconds.
    pub sum_nanos: u128,
    /// More and more operations were in flight, so that those that came later wait longer: what completed ones took says nothing of the unfinished ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub piles_up: bool,
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
            piles_up: false,
        }
    }

    /// Counts a completed operation.
    pub fn record(&mut self, nanos: u64) {
        self.completed += nanos;
        self.sum_nanos += u128::from(nanos);
    }

    /// Counts an operation that has waited for `age` and still does.
    pub fn record_unfinished(&mut self, age: u64) {
        self.unfinished += age;
        self.sum_nanos += u128::from(age);
    }

    /// Counts an operation that was given up at `age`.
    pub fn record_failed(&mut self, age: u64) {
        self.failed += age;
        self.sum_nanos += u128::from(age);
    }

    /// Adds another cohort's.
    pub fn add(&mut self, other: &Self) {
        self.completed += &other.completed;
        self.unfinished += &other.unfinished;
        self.failed += &other.failed;
        self.sum_nanos += other.sum_nanos;
        self.piles_up |= other.piles_up;
    }

    /// Number of operations.
    pub fn count(&self) -> u64 {
        self.completed.len() + self.unfinished.len() + self.failed.len()
    }

    /// All of them together, for several questions.
    pub fn combined(&self) -> CombinedResponse {
        let mut finite = self.completed.clone();
        finite.auto(true);
        finite += &self.unfinished;
        let piles_up = self.piles_up && !self.unfinished.is_empty();
        CombinedResponse {
            finite,
            completed: piles_up.then(|| self.completed.clone()),
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
        let ages = self.unfinished.iter_recorded();
        let ages = ages.map(|bar| (bar.value_iterated_to(), bar.count_at_value()));
        let mut ages = ages.peekable();
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
    /// Completed and unfinished operations.
    finite: Histogram<u64>,
    /// The completed ones, where the unfinished ones may take however long: operations pile up.
    completed: Option<Histogram<u64>>,
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
            _ => value_of_rank(&self.finite, rank),
        } as f64;
        let estimate = match &self.curve {
            None => Some(value),
            // A rounding error's worth of slack: the share is a product of many factors.
            Some(curve) => curve
                .iter()
                .find(|&&(_, longer)| longer <= 1.0 - q + 1e-12)
                .map(|&(nanos, _)| nanos),
        };
        // As if the unfinished ones never ended.
        let longest = match &self.completed {
            None => estimate,
            Some(completed) => {
                let is_reached = rank <= completed.len();
                is_reached.then(|| value_of_rank(completed, rank) as f64)
            }
        };
        let is_open = |nanos: Option<f64>| nanos.is_none_or(|nanos| nanos > value * OPEN_BEYOND);
        Some(Nanos {
            value,
            censored: is_open(estimate) || is_open(longest),
        })
    }

    /// The exact mean. With failed operations it is infinite: their ages when they were given up make a lower bound. `None` without
    /// operations.
    pub fn mean(&self) -> Option<Nanos> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let value = self.sum_nanos as f64 / count as f64;
        // Where operations pile up, those that are unfinished take as long again as any has so far, or longer.
        let further = |completed: &Histogram<u64>| {
            let unfinished = self.finite.len() - completed.len();
            unfinished as f64 / count as f64 * self.finite.max() as f64
        };
        let further = self.completed.as_ref().map_or(0.0, further);
        let open = || {
            let estimate = self.estimated_mean().unwrap_or(value);
            estimate.max(value + further) > value * OPEN_BEYOND
        };
        Some(Nanos {
            value,
            censored: self.failed > 0 || self.curve.as_ref().is_some_and(Vec::is_empty) || open(),
        })
    }

    /// The greatest value, to three digits; censored when an unfinished operation holds it, operations pile up, or one failed. `None` without operations.
    pub fn max(&self) -> Option<Nanos> {
        (self.count() > 0).then(|| Nanos {
            value: self.longest() as f64,
            censored: self.failed > 0
                || self.completed.is_some()
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

/// The value of the `rank`th shortest, counted from one.
fn value_of_rank(values: &Histogram<u64>, rank: u64) -> u64 {
    let mut shorter = 0;
    let found = values.iter_recorded().find(|bar| {
        shorter += bar.count_at_value();
        shorter >= rank
    });
    found.map_or(values.max(), |bar| bar.value_iterated_to())
}

/// Operations of the whole run: offered = completed + failed + in_flight, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Intended.
    pub offered: u64,
    /// Replied to.
    pub completed: u64,
    /// Given up after the last retry, past the deadline, or at once when too many were in flight.
    pub failed: u64,
    /// Still waiting at the end.
    pub in_flight: u64,
}

impl Counts {
    /// Adds another run's or write's.
    pub fn add(&mut self, other: &Self) {
        self.offered += other.offered;
        self.completed += other.completed;
        self.failed += other.failed;
        self.in_flight += other.in_flight;
    }
}

/// Counters of one kind of operation.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    /// Operations of the cohort, those whose intended start lies in the window, that were completed within the deadline: nearly all, so that
    /// each costs one counter. The others are counted below, and all of them once the run has ended.
    pub(super) good: u64,
    /// Of the whole run.
    pub(super) counts: Counts,
    /// Of the cohort.
    pub(super) cohort: Counts,
    /// Completed in the window, whenever intended.
    pub(super) window_completed: u64,
    /// Of those: within the deadline.
    pub(super) window_good: u64,
    /// The same of the whole run.
    pub(super) all_good: u64,
    /// When the last of all was completed, in nanoseconds; zero when none was.
    last_completion: u64,
    /// Response times that [`Tally::settle`] moves to `response`.
    cells: ResponseCells,
    pub(super) response: Response,
}

impl Tally {
    /// Nothing yet; see [`Response::new`].
    pub(super) fn new(longest: u64) -> Self {
        Self {
            good: 0,
            counts: Counts::default(),
            cohort: Counts::default(),
            window_completed: 0,
            window_good: 0,
            all_good: 0,
            last_completion: 0,
            cells: ResponseCells::new(longest),
            response: Response::new(longest),
        }
    }

    /// Counts a reply, all times in nanoseconds, `intended` <= `finished`; whether it belongs to the cohort.
    #[inline]
    pub(super) fn completed(
        &mut self,
        intended: u64,
        finished: u64,
        warmup: u64,
        within_deadline: bool,
    ) -> bool {
        self.last_completion = self.last_completion.max(finished);
        let in_cohort = intended >= warmup;
        if in_cohort {
            let nanos = finished.saturating_sub(intended);
            if self.cells.count(nanos) {
                self.response.sum_nanos += u128::from(nanos);
            } else {
                self.response.record(nanos);
            }
        }
        if in_cohort && within_deadline {
            self.good += 1;
        } else {
            self.completed_otherwise(in_cohort, finished >= warmup, within_deadline);
        }
        in_cohort
    }

    #[cold]
    fn completed_otherwise(&mut self, in_cohort: bool, in_window: bool, within_deadline: bool) {
        self.counts.completed += 1;
        self.cohort.completed += u64::from(in_cohort);
        self.window_completed += u64::from(in_window);
        self.window_good += u64::from(in_window && within_deadline);
        self.all_good += u64::from(within_deadline);
    }

    /// Counts an operation that was given up at `at`.
    pub(super) fn failed(&mut self, intended: u64, at: u64, warmup: u64) {
        self.counts.failed += 1;
        if intended >= warmup {
            self.cohort.failed += 1;
            self.response.record_failed(at.saturating_sub(intended));
        }
    }

    /// Counts an operation in flight at the end.
    pub(super) fn unfinished(&mut self, intended: u64, end: u64, warmup: u64) {
        self.counts.in_flight += 1;
        if intended >= warmup {
            self.cohort.in_flight += 1;
            self.response
                .record_unfinished(end.saturating_sub(intended));
        }
    }

    /// The run has ended, and so many operations were offered in all and in the window: nothing is counted any more, and `counts`, `cohort`
    /// and `response` are complete.
    pub(super) fn settle(&mut self, offered: u64, offered_in_window: u64) {
        for (counts, offered) in [
            (&mut self.counts, offered),
            (&mut self.cohort, offered_in_window),
        ] {
            counts.offered = offered;
            counts.completed += self.good;
        }
        self.window_completed += self.good;
        self.window_good += self.good;
        self.all_good += self.good;
        self.cells.settle(&mut self.response);
    }

    /// All of them together, which have been settled.
    pub(super) fn total<'a>(tallies: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::new(2);
        for tally in tallies {
            all.counts.add(&tally.counts);
            all.cohort.add(&tally.cohort);
            all.good += tally.good;
            all.window_completed += tally.window_completed;
            all.window_good += tally.window_good;
            all.all_good += tally.all_good;
            all.last_completion = all.last_completion.max(tally.last_completion);
            all.response.add(&tally.response);
        }
        all
    }

    /// Operations that were completed or given up so far.
    pub(super) fn ended(&self) -> u64 {
        self.good + self.counts.completed + self.counts.failed
    }

    /// When the last operation was completed, in milliseconds.
    pub(super) fn makespan_ms(&self) -> Option<f64> {
        (self.last_completion > 0).then_some(self.last_completion as f64 / 1e6)
    }

    /// The seconds from the start to the last reply, once nothing is in flight any more.
    pub(super) fn seconds_until_done(&self) -> Option<f64> {
        let makespan = self.makespan_ms().filter(|_| self.counts.in_flight == 0);
        Some(makespan? / 1e3)
    }

    /// Of the operations of the cohort.
    pub(super) fn fraction(&self, count: u64) -> Option<f64> {
        let offered = self.cohort.offered;
        (offered > 0).then(|| count as f64 / offered as f64)
    }
}

/// Counts by the cells that HdrHistogram has for three significant digits: 2,048 of width 1, then 1,024 for each further power of two
/// (`Histogram::index_for`). Counting here costs a quarter of recording there, of which a run does one an operation; the cells come out the same.
#[derive(Debug, Clone)]
pub(super) struct ResponseCells {
    counts: Vec<u64>,
}

impl ResponseCells {
    /// Nothing yet, with room for values up to `longest`.
    pub(super) fn new(longest: u64) -> Self {
        Self {
            counts: vec![0; cell_of(longest) + 1],
        }
    }

    /// Counts a value; false when it is too long.
    #[inline(always)]
    pub(super) fn count(&mut self, nanos: u64) -> bool {
        let count = self.counts.get_mut(cell_of(nanos));
        count.map(|count| *count += 1).is_some()
    }

    /// Moves what was counted to the histogram of completed operations.
    pub(super) fn settle(&mut self, response: &mut Response) {
        for (cell, count) in self.counts.iter_mut().enumerate() {
            let count = std::mem::take(count);
            if count > 0 {
                let moved = response.completed.record_n(least_of(cell), count);
                moved.expect("a resizing histogram takes every value");
            }
        }
    }
}

#[inline(always)]
fn cell_of(value: u64) -> usize {
    let octave = (value | 0x7FF).ilog2() - 10;
    ((octave as usize) << 10) + (value >> octave) as usize
}

/// The least value of a cell.
fn least_of(cell: usize) -> u64 {
    let octave = (cell >> 10).saturating_sub(1);
    ((cell - (octave << 10)) as u64) << octave
}

/// Writes a histogram's bars, `[step, count, step, count, ...]`: each step leads from the last bar's highest value to the next one's.
fn write_bars<S: Serializer>(histogram: &Histogram<u64>, to: S) -> Result<S::Ok, S::Error> {
    let mut last = 0;
    let bars = histogram.iter_recorded().flat_map(|bar| {
        let step = bar.value_iterated_to() - last;
        last += step;
        [step, bar.count_at_value()]
    });
    to.collect_seq(bars)
}

/// Reads a histogram from its bars.
fn read_bars<'de, D: Deserializer<'de>>(from: D) -> Result<Histogram<u64>, D::Error> {
    let bars = Vec::<u64>::deserialize(from)?;
    let mut histogram = Histogram::new(3).expect("3 digits are allowed");
    let (mut last, mut total) = (None, 0u64);
    for bar in bars.chunks(2) {
        let &[step, count] = bar else {
            return Err(D::Error::custom("a bar without a count"));
        };
        let value = last.unwrap_or(0u64).checked_add(step);
        let value = value.filter(|value| last.is_none_or(|last| *value > last));
        let value = value.ok_or_else(|| D::Error::custom("bars that do not ascend"))?;
        let all = total.checked_add(count);
        total = all.ok_or_else(|| D::Error::custom("more than 2^64 operations"))?;
        histogram.record_n(value, count).map_err(D::Error::custom)?;
        last = Some(value);
    }
    Ok(histogram)
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
    fn where_operations_pile_up_those_that_ended_say_nothing_of_the_others() {
        // One server serves five sixths of what arrives over 6 s, first come first served: the operation of time t is answered after t / 5. From 1 s on,
        // 4 s are answered after 200 to 1,000 ms, and the last second is unfinished, with ages that are all less than that.
        let cohort = |piles_up| {
            let mut response = Response::new(6_000 * MS);
            response.piles_up = piles_up;
            for t in 1_000..6_000u64 {
                match t < 5_000 {
                    true => response.record(t / 5 * MS),
                    false => response.record_unfinished((6_000 - t) * MS),
                }
            }
            response.combined()
        };
        let [steady, growing] = [false, true].map(cohort);
        assert!(!steady.quantile(0.99).unwrap().censored);
        assert!(growing.quantile(0.99).unwrap().censored && growing.max().unwrap().censored);
        assert!(growing.mean().unwrap().censored);
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

#[cfg(test)]
mod response_cells_tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_through_cells_is_as_if_recorded_at_once(
            longest in 2u64..1 << 40,
            values in prop::collection::vec((0u32..64, any::<u64>()), 0..300),
        ) {
            let mut cells = ResponseCells::new(longest);
            let (mut through, mut at_once) = (Response::new(longest), Response::new(longest));
            for (shift, bits) in values {
                let value = (bits >> shift) % longest;
                prop_assert!(cells.count(value));
                at_once.record(value);
            }
            cells.settle(&mut through);
            cells.settle(&mut through);
            let (through, at_once) = (&through.completed, &at_once.completed);
            let bars = |of: &hdrhistogram::Histogram<u64>| -> Vec<_> {
                of.iter_recorded().map(|bar| (bar.value_iterated_to(), bar.count_at_value())).collect()
            };
            prop_assert_eq!(bars(through), bars(at_once));
            prop_assert_eq!((through.max(), through.min(), through.len()), (at_once.max(), at_once.min(), at_once.len()));
            for q in [0.0, 0.01, 0.5, 0.99, 1.0] {
                prop_assert_eq!(through.value_at_quantile(q), at_once.value_at_quantile(q));
            }
        }
    }

    #[test]
    fn cells_follow_each_other_without_gaps_and_longer_values_are_left_to_the_histogram() {
        for cell in 0..40_000 {
            let least = least_of(cell);
            assert_eq!(cell_of(least), cell);
            assert_eq!(cell_of(least_of(cell + 1) - 1), cell);
        }
        let mut cells = ResponseCells::new(5_001);
        assert!(cells.count(5_003), "5,000 to 5,003 are one cell");
        assert!(!cells.count(5_004));
    }
}

#[cfg(test)]
mod saved_response_tests {
    use super::super::Response;
    use proptest::prelude::*;

    fn again(response: &Response) -> Response {
        let text = serde_json::to_string(response).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    proptest! {
        #[test]
        fn response_times_are_read_as_they_were_written(
            completed in prop::collection::vec((0u32..62, any::<u64>()), 0..200),
            unfinished in prop::collection::vec((0u32..62, any::<u64>()), 0..50),
            failed in prop::collection::vec((0u32..62, any::<u64>()), 0..50),
            room in 0u64..1 << 40,
        ) {
            let value = |&(bits, of): &(u32, u64)| of & ((1 << bits) - 1);
            let mut response = Response::new(room);
            completed.iter().for_each(|of| response.record(value(of)));
            unfinished.iter().for_each(|of| response.record_unfinished(value(of)));
            failed.iter().for_each(|of| response.record_failed(value(of)));
            let read = again(&response);
            prop_assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(&response).unwrap());
            prop_assert_eq!(read.sum_nanos, response.sum_nanos);
            let (read, written) = (read.combined(), response.combined());
            prop_assert_eq!(read.mean(), written.mean());
            prop_assert_eq!(read.max(), written.max());
            for q in [0.001, 0.5, 0.9, 0.99, 0.999] {
                prop_assert_eq!(read.quantile(q), written.quantile(q));
            }
        }
    }

    #[test]
    fn what_was_read_goes_on_counting_and_merging() {
        let mut first = Response::new(5_000);
        (0..40).for_each(|_| first.record(3_000));
        let mut second = again(&first);
        second.record(77_000_000);
        second.add(&first);
        assert_eq!(second.count(), 81);
        assert_eq!(
            second.combined().mean().unwrap().value,
            (80 * 3_000 + 77_000_000) as f64 / 81.0
        );
    }

    #[test]
    fn bars_that_are_no_histogram_are_refused() {
        for (bars, reason) in [
            ("[3]", "a bar without a count"),
            ("[3, 1, 0, 2]", "bars that do not ascend"),
            ("[3, 1, 18446744073709551615, 2]", "bars that do not ascend"),
            (
                "[3, 1, 9, 18446744073709551615]",
                "more than 2^64 operations",
            ),
        ] {
            let text = format!(
                r#"{{"completed": {bars}, "unfinished": [], "failed": [], "sum_nanos": 3}}"#
            );
            let error = serde_json::from_str::<Response>(&text).unwrap_err();
            assert!(error.to_string().contains(reason), "{bars}: {error}");
        }
    }
}
