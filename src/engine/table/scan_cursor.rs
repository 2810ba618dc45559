//! Where one scan stands: its regions in turn, and of each its rows, batch by batch.

use super::keys::Keys;
use super::region_order::RegionOrder;
use super::routing::TableRouter;
use super::row_spread::{RowSpread, SpreadRange};
use crate::engine::numbers::NONE;
use crate::keyspace::KeyRange;
use crate::query::ScanRequest;

/// A scan under way. Its expected number of rows is made whole by one draw u in [0, 1): the first regions that hold an expected
/// number x of its rows hold floor(x + u) in all, which is x on average. How many rows lie before a key is thus the same whatever
/// the regions: a scan meets as many when they change under it.
#[derive(Debug, Clone, Copy)]
pub struct ScanCursor {
    range: SpreadRange,
    rows: f64,
    draw: f64,
    /// Most rows that a call returns.
    most: u64,
    /// Rows after which it stops.
    wanted: u64,
    /// Rows read so far.
    read: u64,
    /// Rows of the open region that have not been read.
    left: u64,
    /// Regions done so far.
    done: u32,
    /// The open region.
    region: u32,
    /// Of the order of regions that `range` and `done` are places in.
    version: u32,
    /// Its range in [`Keys`].
    keys: ScanKeys,
    reversed: bool,
    /// It stops when it has the rows that it wants; else at the end of its range.
    limited: bool,
    /// The next call is the first of the open region.
    opens: bool,
}

/// The range of a scan in [`Keys`], as long as regions may be divided.
#[derive(Debug, Clone, Copy)]
pub struct ScanKeys {
    pub start: u32,
    pub stop: u32,
}

impl ScanCursor {
    /// A scan that is about to open its first region.
    pub fn new(
        spread: &RowSpread,
        order: &RegionOrder,
        range: SpreadRange,
        request: &ScanRequest,
        most: u64,
        draw: f64,
        keys: ScanKeys,
    ) -> Self {
        let mut cursor = Self {
            range,
            rows: request.rows.max(0.0),
            draw,
            most,
            wanted: 0,
            read: 0,
            left: 0,
            done: 0,
            region: 0,
            version: order.version(),
            keys,
            reversed: request.reversed,
            limited: false,
            opens: true,
        };
        let all = cursor.rows_of(spread, range.count);
        cursor.wanted = all;
        if request.rows_read < request.rows && all > 0 {
            // A scan that stops early has met a row.
            cursor.wanted = ((request.rows_read + draw) as u64).clamp(1, all);
            cursor.limited = true;
        }
        cursor.open(spread, order);
        cursor
    }

    /// The open region.
    pub fn region(&self) -> u32 {
        self.region
    }

    /// Its range in [`Keys`].
    pub fn keys(&self) -> ScanKeys {
        self.keys
    }

    /// The next call is the first that asks for the open region.
    pub fn opens_region(&self) -> bool {
        self.opens
    }

    /// The places of the first and the last region, in key order, of those that it will visit. O(log regions).
    pub fn visited_places(&self, spread: &RowSpread) -> (u32, u32) {
        let visits = if self.limited {
            self.visits_for(spread, self.wanted)
        } else {
            self.range.count
        };
        let (first, last) = (self.visited(0), self.visited(visits - 1));
        (first.min(last), first.max(last))
    }

    /// Rows that the next call reads.
    pub fn call_rows(&self) -> u64 {
        self.left.min(self.most)
    }

    /// The reply to a call has come; how many rows there were.
    pub fn receive(&mut self) -> u64 {
        let rows = self.call_rows();
        self.read += rows;
        self.left -= rows;
        self.opens = false;
        rows
    }

    /// Goes to what comes next after a reply, by the regions of today ([`ScanCursor::follow`]): the next batch of the same region, or another region.
    /// False when it has all its rows.
    pub fn goes_on(&mut self, spread: &RowSpread, order: &RegionOrder) -> bool {
        if self.left > 0 {
            return true;
        }
        self.done += 1;
        if self.done == self.range.count || self.limited && self.read >= self.wanted {
            return false;
        }
        self.open(spread, order);
        true
    }

    /// Regions have been divided or merged since it was made, or last followed them.
    #[inline]
    pub fn is_behind(&self, order: &RegionOrder) -> bool {
        self.version != order.version()
    }

    /// It finds its place among the regions of today. A region that is no more goes on as those that hold its keys now: from the first on
    /// that has rows left. A region that is done is not, once it has been merged with one that has rows left.
    pub fn follow(
        &mut self,
        spread: &RowSpread,
        order: &RegionOrder,
        table: &TableRouter<'_>,
        keys: &Keys,
    ) {
        self.version = order.version();
        let (start, stop) = (keys.get(self.keys.start), keys.get(self.keys.stop));
        self.range = spread.range(start, stop, table, order);
        let place = order.place(self.region);
        if place != NONE {
            self.done = self.visit(place);
            return;
        }
        let KeyRange { start, end } = table.map.range(self.region);
        let heirs = spread.range(start.as_bytes(), end.as_bytes(), table, order);
        let ends = [heirs.first, heirs.first + heirs.count - 1].map(|place| self.visit(place));
        let (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        self.done = if self.opens {
            from
        } else {
            (from..to)
                .find(|&visit| self.rows_of(spread, visit + 1) > self.read)
                .unwrap_or(to)
        };
        self.open(spread, order);
    }

    fn open(&mut self, spread: &RowSpread, order: &RegionOrder) {
        self.region = order.region(self.visited(self.done));
        let rows = self.rows_of(spread, self.done + 1).min(self.wanted);
        // Rows that no key tells apart lie evenly over the regions, however many there are: fewer than before may be due.
        self.left = rows.saturating_sub(self.read);
        self.opens = true;
    }

    /// The visit that comes to a place, the nearest one of its range.
    fn visit(&self, place: u32) -> u32 {
        let last = self.range.first + self.range.count - 1;
        let place = place.clamp(self.range.first, last);
        if self.reversed {
            last - place
        } else {
            place - self.range.first
        }
    }

    /// The place of a visit.
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
