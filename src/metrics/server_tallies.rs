//! What is counted of each server in each interval, apart from demand of reads and refused rows. Must not know which operation a call belongs
//! to.

use super::intervals::{Cursor, Intervals};
use super::table::Table;

/// What is counted of one server in one interval: side by side, so that an event waits for one place of memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ServerTally {
    /// Of all handlers, in nanoseconds.
    pub(super) busy: u64,
    pub(super) demand: u32,
    pub(super) completed: u32,
    pub(super) calls: u32,
    pub(super) refused: u32,
}

/// Counters by interval and server, while the run lasts. Times are nanoseconds, and may come in any order.
#[derive(Debug)]
pub(super) struct ServerTallies {
    intervals: Intervals,
    tallies: Table<ServerTally>,
    finished_at: Cursor,
    arrived_at: Cursor,
    busy_at: Cursor,
}

impl ServerTallies {
    /// Nothing yet, of so many servers.
    pub(super) fn new(intervals: Intervals, servers: usize) -> Self {
        Self {
            intervals,
            tallies: Table::new(servers),
            finished_at: Cursor::default(),
            arrived_at: Cursor::default(),
            busy_at: Cursor::default(),
        }
    }

    /// Makes sure that an interval exists.
    pub(super) fn reach(&mut self, interval: usize) {
        self.tallies.reach(interval);
    }

    /// Demand of a row, in an interval that exists.
    #[inline(always)]
    pub(super) fn demanded(&mut self, interval: usize, server: u32) {
        self.tallies.cell(interval, server as usize).demand += 1;
    }

    /// Goes with a cursor to the interval of `nanos`.
    #[cold]
    fn go(&mut self, cursor: fn(&mut Self) -> &mut Cursor, nanos: u64) -> usize {
        let intervals = self.intervals;
        let interval = cursor(self).go(&intervals, nanos);
        self.tallies.reach(interval);
        interval
    }

    /// Replies to so many operations reached their clients at `finished`.
    #[inline(always)]
    pub(super) fn completed(&mut self, server: u32, finished: u64, operations: u32) {
        let interval = match self.finished_at.here(finished) {
            Some(interval) => interval,
            None => self.go(|this| &mut this.finished_at, finished),
        };
        self.tallies.cell(interval, server as usize).completed += operations;
    }

    /// A call reached the server at `at` (taken or refused).
    #[inline(always)]
    pub(super) fn call_arrived(&mut self, server: u32, at: u64, refused: bool) {
        let interval = match self.arrived_at.here(at) {
            Some(interval) => interval,
            None => self.go(|this| &mut this.arrived_at, at),
        };
        let tally = self.tallies.cell(interval, server as usize);
        tally.calls += 1;
        tally.refused += u32::from(refused);
    }

    /// Start of the interval that holds `at`.
    pub(super) fn interval_start(&mut self, at: u64) -> u64 {
        if self.busy_at.here(at).is_none() {
            self.go(|this| &mut this.busy_at, at);
        }
        self.busy_at.start()
    }

    /// Handlers were busy for `nanos` in all, in the interval that holds `at`.
    #[inline]
    pub(super) fn busy(&mut self, server: u32, at: u64, nanos: u64) {
        let interval = match self.busy_at.here(at) {
            Some(interval) => interval,
            None => self.go(|this| &mut this.busy_at, at),
        };
        self.tallies.cell(interval, server as usize).busy += nanos;
    }

    /// A handler was busy during `[from, to)`, perhaps over several intervals.
    #[inline]
    pub(super) fn busy_during(&mut self, server: u32, from: u64, to: u64) {
        if from >= self.interval_start(to) {
            self.busy(server, to, to.saturating_sub(from));
        } else {
            self.busy_over(server, from, to);
        }
    }

    #[cold]
    fn busy_over(&mut self, server: u32, mut from: u64, to: u64) {
        while from < to {
            let end = self.intervals.start(self.intervals.index(from) + 1);
            self.busy(server, from, end.min(to) - from);
            from = end;
        }
    }

    /// Counters of an interval, by server; empty when nothing was counted so late.
    pub(super) fn row(&self, interval: usize) -> &[ServerTally] {
        self.tallies.row(interval)
    }

    /// One of the counters.
    pub(super) fn part<U>(&self, part: impl FnMut(&ServerTally) -> U) -> Table<U> {
        self.tallies.part(part)
    }
}
