//! When long reads ask for handlers. Must not know what they read.
//!
//! A scan takes one handler at a time: its call after the next is sent when the next is answered. What lasts longer than an interval is therefore asked for
//! in those that follow as well, one handler's time in each. All of it at once would be a server that is asked for many times what it can do while it is
//! idle.

use super::table::{Intervals, Table};

/// By how much the handler time that is asked for in an interval differs from that of the reads which begin there.
#[derive(Debug)]
pub(super) struct LongReads {
    intervals: Intervals,
    /// Intervals that the run may have.
    rows: usize,
    /// Reads that take a handler all the interval, less those of the interval before; by interval and server.
    handlers: Table<i64>,
    /// The intervals in which reads begin and end, in nanoseconds.
    ends: Table<i64>,
}

impl LongReads {
    /// None yet, in a run that ends at `end` at the latest.
    pub(super) fn new(intervals: Intervals, end: u64, servers: usize) -> Self {
        Self {
            intervals,
            rows: intervals.count(end),
            handlers: Table::new(servers),
            ends: Table::new(servers),
        }
    }

    /// A read that begins at `at` and takes longer than an interval, both in nanoseconds. O(1).
    #[cold]
    pub(super) fn add(&mut self, at: u64, server: usize, work: u64) {
        let end = at.saturating_add(work);
        let (first, last) = (self.intervals.index(at), self.intervals.index(end));
        let begun = self.intervals.start(first + 1) - at;
        *self.ends.cell(first, server) -= (work - begun) as i64;
        if first + 1 < self.rows {
            *self.handlers.cell(first + 1, server) += 1;
        }
        if last < self.rows {
            *self.handlers.cell(last, server) -= 1;
            *self.ends.cell(last, server) += (end - self.intervals.start(last)) as i64;
        }
    }

    /// Nothing more is added. O(rows).
    pub(super) fn close(&mut self) {
        self.handlers.settle(self.rows);
        for row in 1..self.rows {
            for server in 0..self.handlers.columns {
                *self.handlers.cell(row, server) += self.handlers.row(row - 1)[server];
            }
        }
    }

    /// The difference in an interval of `length`, in nanoseconds.
    pub(super) fn difference(&self, row: usize, server: usize, length: u64) -> i64 {
        let at = |table: &Table<i64>| table.row(row).get(server).copied().unwrap_or(0);
        at(&self.handlers) * length as i64 + at(&self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{SimDuration, SimTime};

    #[test]
    fn a_long_read_asks_for_one_handler_until_it_is_done() {
        // Intervals of 10, of a run of 50. Begun at 3, it takes 25: 7, 10 and 8. One of 99 from 12 on takes 8, and 10 up to the end.
        let intervals = Intervals::new(SimDuration::from_nanos(10), SimTime::from_nanos(0), 1);
        let mut reads = LongReads::new(intervals, 50, 2);
        reads.add(3, 1, 25);
        reads.add(12, 1, 99);
        reads.close();
        let asked = |row| reads.difference(row, 1, 10);
        let begun = [25, 99, 0, 0, 0];
        let found = [0, 1, 2, 3, 4].map(|row| begun[row] + asked(row));
        assert_eq!(found, [7, 10 + 8, 8 + 10, 10, 10]);
        assert!((0..5).all(|row| reads.difference(row, 0, 10) == 0));
    }
}
