//! What is counted of one write, read or neighbour, in a run. Must not know which operation it is.

use super::response_cells::ResponseCells;
use super::{Counts, Response};

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

    /// Operations that were completed or given up so far.
    pub(super) fn ended(&self) -> u64 {
        self.good + self.counts.completed + self.counts.failed
    }

    /// When the last operation was completed, in milliseconds.
    pub(super) fn makespan_ms(&self) -> Option<f64> {
        (self.last_completion > 0).then_some(self.last_completion as f64 / 1e6)
    }

    /// Of the operations of the cohort.
    pub(super) fn fraction(&self, count: u64) -> Option<f64> {
        let offered = self.cohort.offered;
        (offered > 0).then(|| count as f64 / offered as f64)
    }
}
