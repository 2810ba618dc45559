//! How the rows of a range lie over the regions that it crosses, and where one scan stands among them: its regions in turn, and of each its rows,
//! batch by batch.

use super::rows::{Keys, TableRouter};
use crate::engine::numbers::NONE;
use crate::keyspace::{KeyBatch, KeyRange, RowKey, leading_bits};
use crate::query::ScanRequest;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// The regions of a table in key order, each with its place, and a sorted sample of the table's row keys, cut at their borders.
#[derive(Debug)]
pub struct RowSpread {
    sample: Arc<KeyBatch>,
    /// The beginning of each key of the sample: most comparisons need no more.
    leads: Vec<u64>,
    /// By place.
    regions: Vec<u32>,
    /// By number; [`NONE`] for regions that are no more, or of other tables.
    places: Vec<u32>,
    /// Of each place, and the end: how many keys of the sample lie before its start.
    borders: Vec<u32>,
    /// Changes so far: places of an earlier version may be those of other regions.
    version: u32,
}

/// The regions that a range crosses, and how its rows lie over them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadRange {
    /// The place of the first region.
    first: u32,
    /// Number of regions, >= 1.
    count: u32,
    /// Keys of the sample in the range: from, to.
    keys: (u32, u32),
}

impl RowSpread {
    /// O(regions x log of the sample).
    pub fn new(sample: &Arc<KeyBatch>, table: &TableRouter<'_>) -> Self {
        let regions: Vec<u32> = table.map.in_key_order().collect();
        let starts = regions.iter().map(|&region| table.map.start(region));
        let borders = starts.map(|start| sample.below(start) as u32);
        let mut spread = Self {
            borders: borders.chain([sample.len() as u32]).collect(),
            leads: sample.iter().map(leading_bits).collect(),
            sample: sample.clone(),
            regions,
            places: Vec::new(),
            version: 0,
        };
        spread.number_from(0);
        spread
    }

    /// Regions from a place on have come to lie where they are.
    fn number_from(&mut self, place: u32) {
        let regions = &self.regions[place as usize..];
        let numbers = regions.iter().fold(0, |most, &region| most.max(region + 1));
        let numbers = self.places.len().max(numbers as usize);
        self.places.resize(numbers, NONE);
        for (place, &region) in (place..).zip(regions) {
            self.places[region as usize] = place;
        }
    }

    /// Neighbours in key order are no more, and their heirs take their places: the daughters of one that has been divided at `row`, or what two have
    /// become. O(regions): an eighth of a millisecond for 100,000.
    pub fn replace(&mut self, gone: &[u32], heirs: &[u32], row: Option<&RowKey>) {
        let place = self.place(gone[0]);
        for &region in gone {
            self.places[region as usize] = NONE;
        }
        let (first, end) = (place as usize, place as usize + gone.len());
        self.regions.splice(first..end, heirs.iter().copied());
        let border = row.map(|row| self.sample.below(row.as_bytes()) as u32);
        self.borders.splice(first + 1..end, border);
        self.number_from(place);
        self.version += 1;
    }

    /// The place of a region of the table; [`NONE`] once it has been split or merged.
    pub fn place(&self, region: u32) -> u32 {
        self.places[region as usize]
    }

    /// The range `[start, stop)`, an empty `stop` being the end of the key space. A range without keys lies in the region of `start`.
    pub fn range(&self, start: &[u8], stop: &[u8], table: &TableRouter<'_>) -> SpreadRange {
        let (regions, keys) = (self.regions.len() as u32, self.sample.len() as u32);
        let first = self.place(table.map.locate(start));
        let borders = &self.borders[first as usize..];
        let is_from = |key| {
            let lead = leading_bits(key);
            move |at| self.is_from(at, lead, key)
        };
        // Without branches, every other of which would be guessed wrong; then past those that begin alike.
        let (lead, leads) = (
            leading_bits(start),
            &self.leads[borders[0] as usize..borders[1] as usize],
        );
        let below = leads.partition_point(|&it| it < lead) as u32;
        let from = least_near(borders[0] + below..borders[1], is_from(start));
        let next = self.regions.get(first as usize + 1);
        // Most ranges end in the region where they start.
        let (last, to) = if stop.is_empty() {
            (regions - 1, keys)
        } else if next.is_none_or(|&next| stop <= table.map.start(next)) {
            (first, least_near(from..borders[1], is_from(stop)))
        } else {
            let region = table.map.locate(stop);
            let is_before = table.map.start(region) == stop;
            let last = self.place(region) - u32::from(is_before);
            (last, least_near(from..keys, is_from(stop)))
        };
        SpreadRange {
            first,
            count: last - first + 1,
            keys: (from, to),
        }
    }

    /// The `at`-th key of the sample is `key`, which begins with `lead`, or lies behind it.
    fn is_from(&self, at: u32, lead: u64, key: &[u8]) -> bool {
        match self.leads[at as usize].cmp(&lead) {
            Ordering::Equal => self.sample.get(at as usize) >= key,
            order => order.is_gt(),
        }
    }

    /// Share of the range's rows that lie in the first `regions` (1..=count) of its regions in key order: by the sample, or
    /// evenly when it has no key in the range. 1 for all regions. O(1).
    fn share(&self, range: &SpreadRange, regions: u32) -> f64 {
        let (from, to) = range.keys;
        if from == to {
            return f64::from(regions) / f64::from(range.count);
        }
        let border = self.borders[(range.first + regions) as usize];
        f64::from(border.clamp(from, to) - from) / f64::from(to - from)
    }
}

/// The least number of a range from which on something holds; its end when it does nowhere.
fn least(Range { mut start, mut end }: Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    while start < end {
        let middle = start.midpoint(end);
        match holds(middle) {
            true => end = middle,
            false => start = middle + 1,
        }
    }
    start
}

/// The same in fewer steps where it lies near the start.
fn least_near(Range { mut start, end }: Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    let mut step = 1;
    while start + step <= end && !holds(start + step - 1) {
        start += step;
        step *= 2;
    }
    least(start..end.min(start + step - 1), holds)
}

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
    /// Of the regions that `range` and `done` are places of.
    version: u32,
    /// Start and stop of its range in [`Keys`], as long as regions may be divided.
    keys: [u32; 2],
    reversed: bool,
    /// It stops when it has the rows that it wants; else at the end of its range.
    limited: bool,
    /// The next call is the first of the open region.
    opens: bool,
}

impl ScanCursor {
    /// A scan that is about to open its first region.
    pub fn new(
        spread: &RowSpread,
        range: SpreadRange,
        request: &ScanRequest,
        most: u64,
        draw: f64,
        keys: [u32; 2],
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
            version: spread.version,
            keys,
            reversed: request.reversed,
            limited: false,
            opens: true,
        };
        let all = cursor.rows_of(spread, range.count);
        cursor.wanted = all;
        if request.rows_read < request.rows && all > 0 {
            // A scan that stops early has met a row.
            cursor.wanted = ((request.rows_read + draw) as i64 as u64).clamp(1, all);
            cursor.limited = true;
        }
        cursor.open(spread);
        cursor
    }

    /// The open region.
    pub fn region(&self) -> u32 {
        self.region
    }

    /// Start and stop of its range in [`Keys`].
    pub fn keys(&self) -> [u32; 2] {
        self.keys
    }

    /// The next call is the first that asks for the open region.
    pub fn opens_region(&self) -> bool {
        self.opens
    }

    /// The places of the first and the last region, in key order, of those that it will visit. O(log regions).
    pub fn visited_places(&self, spread: &RowSpread) -> (u32, u32) {
        let visits = match self.limited {
            // The least number of visits that meet its rows.
            true => least(1..self.range.count, |visits| {
                self.rows_of(spread, visits) >= self.wanted
            }),
            false => self.range.count,
        };
        let (first, last) = (self.mirrored(0), self.mirrored(visits - 1));
        let start = self.range.first;
        (start + first.min(last), start + first.max(last))
    }

    /// Calls of its first `visits` visits, which are all that it makes as long as regions stay: each region is opened by one, and asked again as often as its rows take. O(visits) where
    /// one call can't hold all rows.
    pub fn calls(&self, spread: &RowSpread, visits: u32) -> u64 {
        if self.wanted <= self.most {
            return u64::from(visits);
        }
        let mut before = 0;
        let calls = (1..=visits).map(|visit| {
            let until = self.rows_of(spread, visit).min(self.wanted);
            let rows = until.saturating_sub(before);
            before = until;
            rows.div_ceil(self.most).max(1)
        });
        calls.sum()
    }

    /// Rows that the next call reads.
    pub fn call_rows(&self) -> u64 {
        self.left.min(self.most)
    }

    /// Calls that the rest of the open region takes, and its rows.
    pub fn of_region(&self) -> (u64, u64) {
        (self.left.div_ceil(self.most.max(1)).max(1), self.left)
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
    pub fn goes_on(&mut self, spread: &RowSpread) -> bool {
        if self.left > 0 {
            return true;
        }
        self.done += 1;
        if self.done == self.range.count || self.limited && self.read >= self.wanted {
            return false;
        }
        self.open(spread);
        true
    }

    /// Finds its place among the regions of today, if some have been divided or merged since it was made, or last followed them. A region that is no
    /// more goes on as those that hold its keys now: from the first on that has rows left. A region that is done is not, once it has been merged
    /// with one that has rows left.
    pub fn follow(&mut self, spread: &RowSpread, table: &TableRouter<'_>, keys: &Keys) {
        if self.version != spread.version {
            self.find_place(spread, table, keys);
        }
    }

    fn find_place(&mut self, spread: &RowSpread, table: &TableRouter<'_>, keys: &Keys) {
        self.version = spread.version;
        let [start, stop] = self.keys.map(|key| keys.get(key));
        self.range = spread.range(start, stop, table);
        let place = spread.place(self.region);
        if place != NONE {
            self.done = self.visit(place);
            return;
        }
        let KeyRange { start, end } = table.map.range(self.region);
        let heirs = spread.range(start.as_bytes(), end.as_bytes(), table);
        let ends = [heirs.first, heirs.first + heirs.count - 1].map(|place| self.visit(place));
        let (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        self.done = if self.opens {
            from
        } else {
            (from..to)
                .find(|&visit| self.rows_of(spread, visit + 1) > self.read)
                .unwrap_or(to)
        };
        self.open(spread);
    }

    fn open(&mut self, spread: &RowSpread) {
        let place = self.range.first + self.mirrored(self.done);
        self.region = spread.regions[place as usize];
        let rows = self.rows_of(spread, self.done + 1).min(self.wanted);
        // Rows that no key tells apart lie evenly over the regions, however many there are: fewer than before may be due.
        self.left = rows.saturating_sub(self.read);
        self.opens = true;
    }

    /// The visit that comes to a place, the nearest one of its range.
    fn visit(&self, place: u32) -> u32 {
        let place = place.saturating_sub(self.range.first);
        self.mirrored(place.min(self.range.count - 1))
    }

    /// The visit that comes to a place of its range, counted from the range's first, and the place of a visit.
    fn mirrored(&self, at: u32) -> u32 {
        match self.reversed {
            true => self.range.count - 1 - at,
            false => at,
        }
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
        // By way of i64, for which processors have an instruction.
        (self.rows * share + self.draw) as i64 as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_list_that_is_changed_alike(
            first in 0u32..5,
            count in 1u32..6,
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0u32..3), 0..40),
        ) {
            let mut list: Vec<u32> = (first..first + count).collect();
            let mut spread = RowSpread {
                sample: Arc::default(),
                leads: Vec::new(),
                regions: list.clone(),
                places: Vec::new(),
                borders: vec![0; count as usize + 1],
                version: 0,
            };
            spread.number_from(0);
            let mut next = first + count;
            for (divides, which, skipped) in steps {
                // Other tables take numbers, too.
                next += skipped;
                let before = spread.version;
                if divides {
                    let at = which.index(list.len());
                    spread.replace(&[list[at]], &[next, next + 1], Some(&RowKey::default()));
                    prop_assert_eq!(spread.place(list[at]), NONE);
                    list.splice(at..=at, [next, next + 1]);
                    next += 2;
                } else if list.len() > 1 {
                    let at = which.index(list.len() - 1);
                    spread.replace(&list[at..=at + 1], &[next], None);
                    prop_assert_eq!(spread.place(list[at + 1]), NONE);
                    list.splice(at..=at + 1, [next]);
                    next += 1;
                } else {
                    continue;
                }
                prop_assert_eq!(spread.version, before + 1);
                prop_assert_eq!((spread.regions.len(), spread.borders.len()), (list.len(), list.len() + 1));
                for (place, &region) in (0..).zip(&list) {
                    prop_assert_eq!((spread.regions[place as usize], spread.place(region)), (region, place));
                }
            }
        }
    }
}
