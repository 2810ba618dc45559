//! What is counted of one write, read or neighbour, and the rates that follow. Must not know which operation it is.

use super::response_cells::ResponseCells;
use super::{Counts, MetricId, Response, Side};

/// Counters of one kind of operation.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    /// Operations of the cohort, those whose intended start lies in the window, that were completed within the deadline: nearly all, so that
    /// each costs one counter; those below count the others.
    good: u64,
    /// Of the whole run.
    counts: Counts,
    /// Of the cohort.
    cohort: Counts,
    /// Completed in the window, whenever intended.
    window_completed: u64,
    /// Of those: within the deadline.
    window_good: u64,
    /// When the last of all was completed, in nanoseconds; zero when none was.
    pub(super) last_completion: u64,
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
            last_completion: 0,
            cells: ResponseCells::new(longest),
            response: Response::new(longest),
        }
    }

    /// Operations of the whole run.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = self.counts;
        counts.completed += self.good;
        counts
    }

    /// Operations of the cohort.
    pub(super) fn cohort(&self) -> Counts {
        let mut cohort = self.cohort;
        cohort.completed += self.good;
        cohort
    }

    /// Counts an operation whose intended time has come.
    #[inline]
    pub(super) fn offered(&mut self, in_cohort: bool) {
        self.counts.offered += 1;
        self.cohort.offered += u64::from(in_cohort);
    }

    /// So many were offered in the whole run, and in the window: counted elsewhere.
    pub(super) fn set_offered(&mut self, all: u64, cohort: u64) {
        self.counts.offered = all;
        self.cohort.offered = cohort;
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

    /// The run has ended: nothing is counted any more, and `response` is complete.
    pub(super) fn settle(&mut self) {
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
            all.last_completion = all.last_completion.max(tally.last_completion);
            all.response.add(&tally.response);
        }
        all
    }

    /// Offered load, throughput and goodput a second, and the fractions of the cohort that came to a good end, failed, or did not end.
    /// `seconds` is the length of the window, `side` what operations they are.
    pub(super) fn rates(
        &self,
        side: Side,
        seconds: Option<f64>,
    ) -> impl Iterator<Item = (MetricId, Option<f64>)> + use<> {
        let cohort = self.cohort();
        let per_second = |count: u64| seconds.map(|seconds| count as f64 / seconds);
        let fraction =
            |count: u64| (cohort.offered > 0).then(|| count as f64 / cohort.offered as f64);
        let completed = self.good + self.window_completed;
        let rates = [
            (MetricId::WriteOffered, per_second(cohort.offered)),
            (MetricId::WriteThroughput, per_second(completed)),
            (
                MetricId::WriteGoodput,
                per_second(self.good + self.window_good),
            ),
            (MetricId::WriteGoodputFraction, fraction(self.good)),
            (MetricId::WriteFailedFraction, fraction(cohort.failed)),
            (
                MetricId::WriteUnfinishedFraction,
                fraction(cohort.in_flight),
            ),
        ];
        rates
            .into_iter()
            .map(move |(id, value)| (id.of(side), value))
    }
}
