//! What is counted of one write, read or neighbour, and the rates that follow. Must not know which operation it is.

use super::{Counts, Response};

/// Names of the rates of a [`Tally`], in the order of [`Tally::rates`].
pub(super) const WRITE_RATES: [&str; 6] = [
    "write_offered_per_sec",
    "write_throughput_per_sec",
    "write_goodput_per_sec",
    "write_goodput_fraction",
    "write_failed_fraction",
    "write_unfinished_fraction",
];
/// The same of reads.
pub(super) const READ_RATES: [&str; 6] = [
    "read_offered_per_sec",
    "read_throughput_per_sec",
    "read_goodput_per_sec",
    "read_goodput_fraction",
    "read_failed_fraction",
    "read_unfinished_fraction",
];
/// The same of neighbours.
pub(super) const NEIGHBOUR_RATES: [&str; 6] = [
    "neighbour_offered_per_sec",
    "neighbour_throughput_per_sec",
    "neighbour_goodput_per_sec",
    "neighbour_goodput_fraction",
    "neighbour_failed_fraction",
    "neighbour_unfinished_fraction",
];

/// Counters of one kind of operation.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    /// Of the whole run.
    pub(super) counts: Counts,
    /// Of the cohort whose intended start lies in the window.
    pub(super) cohort: Counts,
    /// Of the cohort: completed within the deadline.
    cohort_good: u64,
    /// Completed in the window, whenever intended.
    window_completed: u64,
    /// Of those: within the deadline.
    window_good: u64,
    /// When the last of them was completed, in nanoseconds; zero when none was.
    pub(super) last_completion: u64,
    pub(super) response: Response,
}

impl Tally {
    /// Nothing yet; see [`Response::new`].
    pub(super) fn new(longest: u64) -> Self {
        Self {
            counts: Counts::default(),
            cohort: Counts::default(),
            cohort_good: 0,
            window_completed: 0,
            window_good: 0,
            last_completion: 0,
            response: Response::new(longest),
        }
    }

    /// Counts a reply, all times in nanoseconds; whether it belongs to the cohort.
    #[inline]
    pub(super) fn completed(
        &mut self,
        intended: u64,
        finished: u64,
        warmup: u64,
        within_deadline: bool,
    ) -> bool {
        let good = u64::from(within_deadline);
        self.counts.completed += 1;
        self.last_completion = self.last_completion.max(finished);
        if finished >= warmup {
            self.window_completed += 1;
            self.window_good += good;
        }
        let in_cohort = intended >= warmup;
        if in_cohort {
            self.cohort.completed += 1;
            self.cohort_good += good;
            self.response.record(finished.saturating_sub(intended));
        }
        in_cohort
    }

    /// Counts an operation that was given up.
    pub(super) fn failed(&mut self, intended: u64, warmup: u64) {
        self.counts.failed += 1;
        if intended >= warmup {
            self.cohort.failed += 1;
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

    /// All of them together.
    pub(super) fn total<'a>(tallies: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::new(2);
        for tally in tallies {
            all.counts.add(&tally.counts);
            all.cohort.add(&tally.cohort);
            all.cohort_good += tally.cohort_good;
            all.window_completed += tally.window_completed;
            all.window_good += tally.window_good;
            all.last_completion = all.last_completion.max(tally.last_completion);
            all.response.add(&tally.response);
        }
        all
    }

    /// Offered load, throughput and goodput a second, and the fractions of the cohort that came to a good end, failed, or did not end.
    /// `seconds` is the length of the window.
    pub(super) fn rates(&self, seconds: Option<f64>) -> [Option<f64>; 6] {
        let cohort = self.cohort;
        let per_second = |count: u64| seconds.map(|seconds| count as f64 / seconds);
        let fraction =
            |count: u64| (cohort.offered > 0).then(|| count as f64 / cohort.offered as f64);
        [
            per_second(cohort.offered),
            per_second(self.window_completed),
            per_second(self.window_good),
            fraction(self.cohort_good),
            fraction(cohort.failed),
            fraction(cohort.in_flight),
        ]
    }
}
