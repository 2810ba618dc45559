//! Mean response time and throughput from the start of the run, the warm-up included, in a fixed number of slots: whether they had settled
//! when the measurement began. Must not judge by anything else.

use crate::statistics::{Settling, settling};

/// Slots of a run: fifty batches of five, so that the end of a transient is found to 2 % of the run.
const SLOTS: u64 = 250;

/// More than this part of the slots without a completion is too little to judge by.
const MOST_EMPTY: f64 = 0.1;

/// Counters of one kind of operation.
#[derive(Debug, Clone)]
pub(super) struct WarmUp {
    /// Length of a slot in nanoseconds.
    length: u64,
    slots: Vec<Slot>,
    /// The slot of the last completion.
    at: usize,
    start: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    completed: u64,
    /// Of their response times, in nanoseconds.
    sum: u64,
}

impl WarmUp {
    /// Of a run that is planned to last `duration` nanoseconds.
    pub(super) fn new(duration: u64) -> Self {
        Self {
            length: duration.div_ceil(SLOTS).max(1),
            slots: vec![Slot::default(); SLOTS as usize],
            at: 0,
            start: 0,
        }
    }

    /// Counts operations that were completed at `finished`; `responses` is the sum of their response times.
    pub(super) fn completed(&mut self, finished: u64, operations: u32, responses: u64) {
        if finished.wrapping_sub(self.start) >= self.length {
            self.at = ((finished / self.length) as usize).min(self.slots.len() - 1);
            self.start = self.at as u64 * self.length;
        }
        let slot = &mut self.slots[self.at];
        slot.completed += u64::from(operations);
        slot.sum += responses;
    }

    /// From the end of the warm-up until response times had settled, and `with_throughput` the number of completions too; zero when they
    /// had before. Up to the middle of the run when they had not by then. All in nanoseconds; `None` when too little was completed.
    pub(super) fn unsettled(&self, warm_up: u64, with_throughput: bool) -> Option<u64> {
        let empty = self.slots.iter().filter(|slot| slot.completed == 0).count();
        if empty as f64 > MOST_EMPTY * self.slots.len() as f64 {
            return None;
        }
        // Where nothing was completed nothing new was seen.
        let mut last = self.slots.iter().find_map(Slot::mean)?;
        let responses = self.slots.iter().map(|slot| {
            last = slot.mean().unwrap_or(last);
            last
        });
        let mut series: Vec<Vec<f64>> = vec![responses.collect()];
        if with_throughput {
            let completed = self.slots.iter().map(|slot| slot.completed as f64);
            series.push(completed.collect());
        }
        let measured = warm_up.div_ceil(self.length) as usize;
        let mut unsettled = 0;
        for observations in series {
            let end = match settling(&observations, measured)? {
                Settling::Before => continue,
                Settling::At(end) => end as u64,
                Settling::Never => SLOTS / 2,
            };
            unsettled = unsettled.max((end * self.length).saturating_sub(warm_up));
        }
        Some(unsettled)
    }
}

impl Slot {
    fn mean(&self) -> Option<f64> {
        (self.completed > 0).then(|| self.sum as f64 / self.completed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    /// 40 completions a slot of 8 ns; response times of 100 ns, and 300 before `slow_until`.
    fn run(slow_until: u64) -> WarmUp {
        run_without(0..0, slow_until)
    }

    /// The same without the completions of some time.
    fn run_without(gap: Range<u64>, slow_until: u64) -> WarmUp {
        let mut run = WarmUp::new(2_000);
        for nanos in (0..2_000).filter(|nanos| !gap.contains(nanos)) {
            let response = if nanos < slow_until { 300 } else { 100 };
            (0..5).for_each(|at| run.completed(nanos, 1, response + at + nanos % 7));
        }
        run
    }

    #[test]
    fn slow_responses_behind_the_warm_up_are_unsettled() {
        assert_eq!(run(320).unsettled(0, false), Some(320));
        assert_eq!(run(320).unsettled(100, true), Some(220));
        assert_eq!(run(320).unsettled(320, false), Some(0));
        assert_eq!(run(0).unsettled(0, true), Some(0));
        // The fourth slot is empty.
        assert_eq!(run_without(24..32, 320).unsettled(0, false), Some(320));
    }

    #[test]
    fn what_grows_all_along_has_not_settled_by_the_middle_of_the_run() {
        let mut run = WarmUp::new(2_000);
        (0..2_000).for_each(|nanos| run.completed(nanos, 1, 1_000 + 4 * nanos + nanos % 7));
        assert_eq!(run.unsettled(100, false), Some(900));
    }

    #[test]
    fn completions_out_of_order_find_their_slot_and_later_ones_the_last() {
        let mut run = WarmUp::new(2_000);
        for (finished, response) in [(41, 30), (3, 20), (47, 50), (2_500, 7)] {
            run.completed(finished, 1, response);
        }
        let slots = [0, 5, 249].map(|at| (run.slots[at].completed, run.slots[at].sum));
        assert_eq!(slots, [(1, 20), (2, 80), (1, 7)]);
    }

    #[test]
    fn few_completions_say_nothing_and_a_few_gaps_do_not_matter() {
        let mut run = WarmUp::new(2_000);
        (0..225).for_each(|slot| run.completed(8 * slot, 1, 50));
        assert_eq!(run.unsettled(0, false), Some(0));
        let mut sparse = WarmUp::new(2_000);
        (0..224).for_each(|slot| sparse.completed(8 * slot, 1, 50));
        assert_eq!(sparse.unsettled(0, false), None);
    }

    #[test]
    fn clients_that_start_slowly_are_seen_in_the_throughput() {
        let mut run = WarmUp::new(2_000);
        for slot in 0..250 {
            let completed = if slot < 50 { 10 } else { 20 };
            (0..completed).for_each(|_| run.completed(8 * slot, 1, 50));
        }
        assert_eq!(run.unsettled(80, false), Some(0));
        assert_eq!(run.unsettled(80, true), Some(320));
    }
}
