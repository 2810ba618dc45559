//! Where one scan stands: its regions in turn, and of each its rows, batch by batch. Must not know servers or time.

use super::row_spread::{RowSpread, SpreadRange};
use crate::query::ScanRequest;

/// A scan under way. Its expected number of rows is made whole by one draw u in [0, 1): the first regions that hold an expected
/// number x of its rows hold floor(x + u) in all, which is x on average.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanCursor {
    range: SpreadRange,
    reversed: bool,
    rows: f64,
    draw: f64,
    /// Rows after which it stops.
    wanted: u64,
    /// Rows read so far.
    read: u64,
    /// Rows of the open region that have not been read.
    left: u64,
    /// Regions done so far.
    done: u32,
    /// Regions that it visits in all.
    visits: u32,
    /// The next call is the first of the open region.
    opens: bool,
}

/// What a scan does when a reply has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanStep {
    /// The next batch of the same region.
    Continues,
    /// Another region.
    Opens,
    /// It has all its rows.
    Ends,
}

impl ScanCursor {
    /// A scan that has opened its first region. O(log regions).
    pub fn new(spread: &RowSpread, range: SpreadRange, request: &ScanRequest, draw: f64) -> Self {
        let mut cursor = Self {
            range,
            reversed: request.reversed,
            rows: request.rows.max(0.0),
            draw,
            wanted: u64::MAX,
            read: 0,
            left: 0,
            done: 0,
            visits: range.count,
            opens: true,
        };
        let all = cursor.rows_of(spread, range.count);
        cursor.wanted = all;
        if request.rows_read < request.rows && all > 0 {
            // A scan that stops early has met a row.
            cursor.wanted = ((request.rows_read + draw) as u64).clamp(1, all);
            cursor.visits = cursor.visits_for(spread, cursor.wanted);
        }
        cursor.open(spread);
        cursor
    }

    /// The open region.
    pub fn region(&self) -> u32 {
        self.visited(self.done)
    }

    /// The next call is the first that asks for the open region.
    pub fn opens_region(&self) -> bool {
        self.opens
    }

    /// The first and the last region, in key order, of those that it visits.
    pub fn visited_regions(&self) -> (u32, u32) {
        let (first, last) = (self.visited(0), self.visited(self.visits - 1));
        (first.min(last), first.max(last))
    }

    /// Rows that the next call reads, given the most that a call returns.
    pub fn call_rows(&self, most: u64) -> u64 {
        self.left.min(most)
    }

    /// Rows that it has read so far.
    pub fn rows_read(&self) -> u64 {
        self.read
    }

    /// The reply to a call of at most `most` rows has come.
    pub fn advance(&mut self, spread: &RowSpread, most: u64) -> ScanStep {
        let rows = self.call_rows(most);
        self.read += rows;
        self.left -= rows;
        self.opens = self.left == 0;
        if !self.opens {
            return ScanStep::Continues;
        }
        self.done += 1;
        if self.done == self.visits {
            return ScanStep::Ends;
        }
        self.open(spread);
        ScanStep::Opens
    }

    fn open(&mut self, spread: &RowSpread) {
        self.left = self.rows_of(spread, self.done + 1).min(self.wanted) - self.read;
    }

    fn visited(&self, index: u32) -> u32 {
        let last = self.range.count - 1;
        self.range.first + if self.reversed { last - index } else { index }
    }

    /// Rows in the first `visits` regions that it comes to.
    fn rows_of(&self, spread: &RowSpread, visits: u32) -> u64 {
        let share = if visits == self.range.count {
            1.0
        } else if self.reversed {
            1.0 - spread.share(&self.range, self.range.count - visits)
        } else {
            spread.share(&self.range, visits)
        };
        (self.rows * share + self.draw) as u64
    }

    /// The least number of visits that meet `rows` rows.
    fn visits_for(&self, spread: &RowSpread, rows: u64) -> u32 {
        let (mut low, mut high) = (1, self.range.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.rows_of(spread, middle) >= rows {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}
