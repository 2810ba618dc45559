//! Counters by sample interval and column, and the grid of intervals that a run is cut into. Must not know what is counted.

use crate::time::{SimDuration, SimTime};

/// One row of counters an interval in one flat array, grown on demand.
#[derive(Debug, Clone)]
pub(super) struct Table<T> {
    /// Counters of a row.
    pub(super) columns: usize,
    cells: Vec<T>,
}

impl<T: Copy + Default + std::ops::AddAssign> Table<T> {
    /// No rows yet.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns,
            cells: Vec::new(),
        }
    }

    /// A counter; the table grows to hold it.
    #[inline(always)]
    pub(super) fn cell(&mut self, row: usize, column: usize) -> &mut T {
        let at = row * self.columns + column;
        if at >= self.cells.len() {
            self.grow(row);
        }
        &mut self.cells[at]
    }

    #[cold]
    fn grow(&mut self, row: usize) {
        self.cells.resize((row + 1) * self.columns, T::default());
    }

    /// A row; empty when nothing was counted so late.
    pub(super) fn row(&self, index: usize) -> &[T] {
        self.cells
            .get(index * self.columns..(index + 1) * self.columns)
            .unwrap_or(&[])
    }

    /// Leaves exactly `rows` rows: further ones are added to the last (what happens at the very end belongs to the interval that ends
    /// there), missing ones are empty.
    pub(super) fn settle(&mut self, rows: usize) {
        let kept = rows * self.columns;
        for at in kept..self.cells.len() {
            let amount = self.cells[at];
            if let Some(last) = kept.checked_sub(self.columns) {
                self.cells[last + at % self.columns] += amount;
            }
        }
        self.cells.resize(kept, T::default());
    }
}

/// Intervals of equal length; one of them starts exactly when the measurement window does, the very first may be shorter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Intervals {
    sample: u64,
    /// How much of interval 0 would lie before the start of the run.
    shift: u64,
    warmup: u64,
}

/// Remembers the interval of the last instant that was asked for: most questions need no division.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    /// Start of the interval in which it stands.
    pub(super) start: u64,
    length: u64,
    index: usize,
}

impl Intervals {
    /// Intervals of length `sample`, `group` of which make one of the series; the window starts on a boundary of both.
    pub(super) fn new(sample: SimDuration, warmup: SimTime, group: u64) -> Self {
        let sample = sample.as_nanos().max(1);
        let warmup = warmup.as_nanos();
        let coarse = sample * group;
        Self {
            sample,
            shift: (coarse - warmup % coarse) % coarse,
            warmup,
        }
    }

    /// The same grid with `group` intervals in one.
    pub(super) fn grouped(self, group: u64) -> Self {
        let sample = self.sample * group;
        Self { sample, ..self }
    }

    /// The interval that holds `nanos`.
    pub(super) fn index(&self, nanos: u64) -> usize {
        ((nanos + self.shift) / self.sample) as usize
    }

    /// In how many intervals instants may lie that are at most so far apart.
    pub(super) fn spanned(&self, length: SimDuration) -> usize {
        (length.as_nanos() / self.sample) as usize + 2
    }

    /// The first interval of the window.
    pub(super) fn window_start(&self) -> usize {
        self.index(self.warmup)
    }

    /// Start of an interval in nanoseconds; zero for those that would start before the run.
    pub(super) fn start(&self, index: usize) -> u64 {
        (index as u64 * self.sample).saturating_sub(self.shift)
    }

    /// Length of an interval in a run that ends at `end`.
    pub(super) fn length(&self, index: usize, end: u64) -> u64 {
        let end = self.start(index + 1).min(end);
        end.saturating_sub(self.start(index))
    }

    /// Number of intervals that a run ending at `end` touches.
    pub(super) fn count(&self, end: u64) -> usize {
        (end + self.shift).div_ceil(self.sample) as usize
    }

    /// Where interval 0 would start, in milliseconds; not positive.
    pub(super) fn origin_ms(&self) -> f64 {
        -(self.shift as f64) / 1e6
    }
}

impl Cursor {
    /// The interval of `nanos`.
    #[inline(always)]
    pub(super) fn to(&mut self, intervals: &Intervals, nanos: u64) -> usize {
        if nanos.wrapping_sub(self.start) >= self.length {
            self.go(intervals, nanos);
        }
        self.index
    }

    #[cold]
    fn go(&mut self, intervals: &Intervals, nanos: u64) {
        self.index = intervals.index(nanos);
        self.start = intervals.start(self.index);
        self.length = intervals.start(self.index + 1) - self.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_at_the_very_end_belongs_to_the_last_interval() {
        let mut table = Table::<u32>::new(2);
        *table.cell(1, 0) += 5;
        *table.cell(2, 1) += 3;
        table.settle(2);
        assert_eq!(table.row(1), [5, 3]);
        assert!(table.row(2).is_empty());
        table.settle(3);
        assert_eq!(table.row(2), [0, 0]);
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn the_window_starts_on_a_boundary() {
        let warmup = SimTime::from_nanos(5 * SECOND / 2);
        let intervals = Intervals::new(SimDuration::from_secs(1), warmup, 1);
        // [0, 0.5), [0.5, 1.5), [1.5, 2.5), [2.5, ...
        assert_eq!(intervals.window_start(), 3);
        assert_eq!(intervals.start(3), 5 * SECOND / 2);
        assert_eq!(intervals.length(0, 10 * SECOND), SECOND / 2);
        assert_eq!(intervals.count(10 * SECOND), 11);
        assert_eq!(intervals.length(10, 10 * SECOND), SECOND / 2);
        assert_eq!(intervals.origin_ms(), -500.0);
    }

    #[test]
    fn a_cursor_agrees_with_the_division() {
        let intervals = Intervals::new(SimDuration::from_nanos(7), SimTime::from_nanos(10), 3);
        assert_eq!(intervals.window_start() % 3, 0);
        let mut cursor = Cursor::default();
        for nanos in [0, 3, 2, 50, 9, 10, 11, 17, 16, 1000, 5] {
            let interval = cursor.to(&intervals, nanos);
            assert_eq!(interval, intervals.index(nanos), "{nanos}");
            assert_eq!(cursor.start, intervals.start(interval), "{nanos}");
        }
    }
}
