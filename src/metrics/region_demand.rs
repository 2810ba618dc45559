//! Demand by region: counters of the few intervals that are still open, a summary of each closed one. Must not know servers.

use super::dealings::{DealtRegions, Origin, RegionLoads};
use super::table::Intervals;
use crate::prefetch::prefetch;
use crate::statistics::gini_of_runs;
use crate::time::SimDuration;

/// Bytes that the open intervals may take, and how many there may be: 64 up to 250,000 regions, 16 at a million.
const OPEN_BYTES: usize = 64 << 20;
const MOST_OPEN: usize = 64;
/// Loads below this are counted by value instead of sorted.
const COUNTED_LOADS: usize = 1 << 12;

/// Rows by region and open interval, u32 each: 4 bytes a region and open interval.
///
/// Times need not come in order: an interval stays open until one comes that is [`RegionDemand::open`] intervals later. A row that is
/// later still is counted in the oldest open interval, so that no row is ever lost.
#[derive(Debug, Default)]
pub(super) struct RegionDemand {
    /// All that have been, neighbours' included.
    regions: Vec<Region>,
    /// How many there were at the start.
    at_start: usize,
    /// How many belong to the table and its copies, from each interval on.
    own: Vec<(usize, u64)>,
    /// Regions that take over the range of another one, or a part of it: (heir, parent), in order.
    heirs: Vec<(u32, u32)>,
    /// Scratch: rows of an interval by range; empty until a region is divided.
    by_range: Vec<u64>,
    /// Counters of a row, those of regions to come included.
    stride: usize,
    open: usize,
    /// The oldest open interval.
    oldest: usize,
    /// Ring of `open` rows; interval i lives in row i mod `open`.
    counters: Vec<u32>,
    window_start: usize,
    /// Summaries of the window's intervals, in order.
    closed: Vec<RegionSkew>,
    /// Where the next row is counted.
    row: usize,
    frequencies: Vec<u32>,
    large: Vec<u64>,
    tops: Option<TopRegions>,
    loads: RegionLoads,
}

#[derive(Debug, Clone, Copy)]
struct Region {
    /// It belongs to the table or a copy, and has not been divided or merged.
    alive: bool,
    /// 0 for the table itself, c for copy c - 1; `None` for those of neighbours, and of those that had been divided or merged before the window.
    table: Option<u16>,
    /// How it comes to its place in other dealings.
    origin: Origin,
    /// That of the regions at the start whose range it lies in; of a merged one, the lower's.
    range: u32,
    /// Any row of the run, warm-up included, fell into it.
    reached: bool,
    /// Rows of the window.
    window: u64,
}

/// What is left when all intervals are closed.
#[derive(Debug)]
pub(super) struct ClosedRegions {
    /// Summaries of the window's intervals, in order.
    pub(super) skews: Vec<RegionSkew>,
    /// Rows of the window, by region.
    pub(super) window: Vec<u64>,
    /// Rows of the window in the hottest of the ranges that were regions at the start.
    pub(super) hottest_range: u64,
    /// Regions of the table and its copies at the end, and how many of them any row of the run, warm-up included, fell into: a daughter
    /// is taken to hold rows of its parent, as it got half of them.
    pub(super) alive: u64,
    /// See `alive`.
    pub(super) reached: u64,
    /// How many of the `alive` ones no row of the window fell into.
    pub(super) idle: u64,
    /// Shares of the hottest regions in the window; empty unless asked for.
    pub(super) tops: Vec<(u64, f64)>,
    /// Loads of regions in intervals of the window.
    pub(super) loads: RegionLoads,
    /// The regions that were there in the window.
    pub(super) dealt: DealtRegions,
}

/// One interval's spread over the regions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RegionSkew {
    /// All rows.
    pub(super) total: u64,
    /// Rows of the hottest region.
    pub(super) most: u64,
    /// Rows of the hottest of the ranges that were regions at the start.
    pub(super) most_in_range: u64,
    /// Gini over all regions; `None` when undefined.
    pub(super) gini: Option<f64>,
}

impl RegionDemand {
    /// The first of `regions` regions belong to the table and its copies: `own` says how many to each. Rows may come so far behind others as `lag` says: all
    /// intervals that they may belong to stay open, as far as memory allows. `tops`: the shares of the hottest regions are wanted as well,
    /// of intervals with at least so much demand.
    pub(super) fn new(
        servers: u32,
        regions: usize,
        own: &[u32],
        intervals: &Intervals,
        lag: SimDuration,
        tops: Option<u64>,
    ) -> Self {
        let tables = (0u16..).zip(own);
        let own_tables =
            tables.flat_map(|(table, &count)| std::iter::repeat_n(table, count as usize));
        let region = |(range, table): (u32, Option<u16>)| Region {
            alive: table.is_some(),
            table,
            origin: Origin::Dealt,
            range,
            reached: false,
            window: 0,
        };
        let tables = own_tables.map(Some).chain(std::iter::repeat(None));
        let own = own.iter().map(|&count| count as usize).sum();
        let most = (OPEN_BYTES / 4 / regions.max(1)).clamp(2, MOST_OPEN);
        let open = intervals.spanned(lag).min(most);
        Self {
            regions: (0..regions as u32).zip(tables).map(region).collect(),
            at_start: regions,
            own: vec![(0, own as u64)],
            stride: regions,
            open,
            counters: vec![0; open * regions],
            window_start: intervals.window_start(),
            frequencies: vec![0; COUNTED_LOADS],
            tops: tops.map(|least| TopRegions::new(own, least)),
            loads: RegionLoads::new(servers),
            ..Self::default()
        }
    }

    /// The next rows belong to interval `index`.
    #[cold]
    pub(super) fn turn_to(&mut self, index: usize) {
        while index >= self.oldest + self.open {
            self.close_oldest();
        }
        self.row = index.max(self.oldest) % self.open * self.stride;
    }

    /// In `interval`, `heirs` take the ranges of `parents`, if there are any. Regions are numbered in the order in which they come.
    pub(super) fn inherit(&mut self, interval: usize, parents: &[u32], heirs: &[u32]) {
        let first = parents.first();
        // Of what has no demand by region there are none.
        let Some(first) = first.and_then(|&first| self.regions.get(first as usize)) else {
            return;
        };
        let heir = Region {
            alive: true,
            reached: false,
            window: 0,
            ..*first
        };
        for (at, &number) in heirs.iter().enumerate() {
            let origin = match at {
                _ if interval < self.window_start => Origin::Dealt,
                0 => Origin::Parent(parents[0]),
                _ => Origin::Opened,
            };
            self.add_region(Region { origin, ..heir });
            debug_assert_eq!(number as usize + 1, self.regions.len());
            self.heirs
                .extend(parents.iter().map(|&parent| (number, parent)));
        }
        for &parent in parents {
            let parent = &mut self.regions[parent as usize];
            parent.alive = false;
            parent.table = parent.table.filter(|_| interval >= self.window_start);
        }
        self.by_range.resize(self.at_start, 0);
        let (_, before) = self.own[self.own.len() - 1];
        let now = (before + heirs.len() as u64).saturating_sub(parents.len() as u64);
        self.own.push((interval, now));
        if let Some(tops) = &mut self.tops {
            tops.grow(now);
        }
    }

    /// One more region, numbered after all others. Amortised O(1).
    fn add_region(&mut self, region: Region) {
        if self.regions.len() == self.stride {
            let wider = (2 * self.stride).max(16);
            let mut counters = vec![0; self.open * wider];
            let old = self.counters.chunks(self.stride.max(1));
            for (new, old) in counters.chunks_mut(wider).zip(old) {
                new[..old.len()].copy_from_slice(old);
            }
            self.row = self.row / self.stride.max(1) * wider;
            self.counters = counters;
            self.stride = wider;
        }
        self.regions.push(region);
    }

    /// Counts a row.
    pub(super) fn add(&mut self, region: u32) {
        self.counters[self.row + region as usize] += 1;
    }

    /// Asks for where the next row of a region is counted.
    pub(super) fn prefetch(&self, region: u32) {
        prefetch(&self.counters[self.row + region as usize]);
    }

    /// Closes all intervals before `end`.
    pub(super) fn finish(&mut self, end: usize) -> ClosedRegions {
        while self.oldest < end {
            self.close_oldest();
        }
        for &(heir, parent) in &self.heirs {
            self.regions[heir as usize].reached |= self.regions[parent as usize].reached;
        }
        let mut by_range = vec![0; self.at_start];
        for region in &self.regions {
            by_range[region.range as usize] += region.window;
        }
        let alive = |counts: fn(&Region) -> bool| {
            let alive = self.regions.iter().filter(|region| region.alive);
            alive.filter(|region| counts(region)).count() as u64
        };
        ClosedRegions {
            hottest_range: by_range.into_iter().max().unwrap_or(0),
            alive: alive(|_| true),
            reached: alive(|region| region.reached),
            idle: alive(|region| region.window == 0),
            skews: std::mem::take(&mut self.closed),
            window: self.regions.iter().map(|region| region.window).collect(),
            loads: std::mem::take(&mut self.loads),
            dealt: DealtRegions::new(self.regions.iter().map(|it| Some((it.table?, it.origin)))),
            tops: self.tops.as_ref().map_or(Vec::new(), TopRegions::shares),
        }
    }

    fn close_oldest(&mut self) {
        let from = self.oldest % self.open * self.stride;
        let row = &mut self.counters[from..from + self.regions.len()];
        let in_window = self.oldest >= self.window_start;
        let from_start = self.oldest.saturating_sub(self.window_start);
        let mut loads = (in_window && self.loads.wants(from_start)).then(Vec::new);
        let (mut total, mut most, mut busy) = (0u64, 0u32, 0u64);
        self.large.clear();
        for (number, (count, region)) in (0u32..).zip(row.iter_mut().zip(&mut self.regions)) {
            let load = std::mem::take(count);
            if load == 0 {
                continue;
            }
            region.reached = true;
            if in_window {
                region.window += u64::from(load);
                total += u64::from(load);
                most = most.max(load);
                busy += 1;
                if let Some(rows) = self.by_range.get_mut(region.range as usize) {
                    *rows += u64::from(load);
                }
                if let Some(loads) = &mut loads {
                    loads.push((number, load));
                }
                match self.frequencies.get_mut(load as usize) {
                    Some(frequency) => *frequency += 1,
                    None => self.large.push(u64::from(load)),
                }
            }
        }
        if let Some(loads) = loads {
            self.loads.add(from_start, total, loads);
        }
        if in_window {
            // A region that ended in this interval may have been busy as well as its heirs.
            let after = self.own.partition_point(|&(from, _)| from <= self.oldest);
            let (_, own) = self.own[after.max(1) - 1];
            let idle = own.saturating_sub(busy);
            self.large.sort_unstable();
            let small = &mut self.frequencies[..(most as usize + 1).min(COUNTED_LOADS)];
            // Loads with the number of regions that have each, ascending.
            let counted = small.iter().enumerate();
            let counted = counted.filter(|&(_, &holders)| holders > 0);
            let counted = counted.map(|(load, &holders)| (load as u64, u64::from(holders)));
            let held = counted.chain(self.large.iter().map(|&load| (load, 1)));
            if let Some(tops) = &mut self.tops {
                tops.add(total, held.clone().rev());
            }
            self.closed.push(RegionSkew {
                total,
                most: u64::from(most),
                most_in_range: self.by_range.iter().max().copied().unwrap_or(most.into()),
                gini: gini_of_runs(held, idle),
            });
            small.fill(0);
        }
        self.by_range.fill(0);
        self.oldest += 1;
    }
}

/// Ratio of neighbouring numbers of regions, where they are far enough apart.
const STEP: f64 = 1.1;

/// The share of the k hottest regions of an interval, for k up to all of them, log-spaced.
#[derive(Debug, Clone, Default)]
pub(super) struct TopRegions {
    /// Numbers of regions, ascending, with the sum of their shares.
    tops: Vec<(u64, f64)>,
    /// As many as there were at any time.
    regions: u64,
    intervals: u64,
    least: u64,
}

impl TopRegions {
    /// Of so many regions, over intervals with a demand of at least `least`.
    pub(super) fn new(regions: usize, least: u64) -> Self {
        let mut tops = Self {
            least,
            ..Self::default()
        };
        tops.grow(regions as u64);
        tops
    }

    /// From some interval on there are so many regions: in all before, fewer took everything.
    pub(super) fn grow(&mut self, regions: u64) {
        self.regions = self.regions.max(regions);
        self.extend(regions);
    }

    /// Shares of fewer regions than these are summed.
    fn extend(&mut self, regions: u64) {
        loop {
            let next = match self.tops.last() {
                Some(&(top, _)) => (top + 1).max((top as f64 * STEP) as u64),
                None => 1,
            };
            if next >= regions {
                return;
            }
            self.tops.push((next, self.intervals as f64));
        }
    }

    /// Adds an interval of this total by its loads above zero with the number of regions that have each, greatest load first.
    /// O(loads + log regions).
    pub(super) fn add(&mut self, total: u64, loads: impl Iterator<Item = (u64, u64)> + Clone) {
        if total < self.least.max(1) {
            return;
        }
        // In an interval in which regions end they and their heirs are busy: more than there are at any time.
        self.extend(loads.clone().map(|(_, regions)| regions).sum());
        self.intervals += 1;
        let mut tops = self.tops.iter_mut().peekable();
        let (mut counted, mut held) = (0, 0);
        for (load, regions) in loads {
            while let Some((top, sum)) = tops.next_if(|(top, _)| *top <= counted + regions) {
                *sum += (held + load * (*top - counted)) as f64 / total as f64;
            }
            counted += regions;
            held += load * regions;
        }
        // The others are idle.
        tops.for_each(|(_, sum)| *sum += 1.0);
    }

    /// Mean shares, ending in that of all regions; empty when no interval had enough demand.
    pub(super) fn shares(&self) -> Vec<(u64, f64)> {
        if self.intervals == 0 {
            return Vec::new();
        }
        let mean = |&(top, sum): &(u64, f64)| (top, sum / self.intervals as f64);
        let tops = self.tops.iter().filter(|(top, _)| *top < self.regions);
        tops.map(mean).chain([(self.regions, 1.0)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::gini;
    use crate::time::SimTime;

    /// Three intervals are open.
    const LAG: SimDuration = SimDuration::from_nanos(19);

    fn demand(regions: usize, warmup: u64) -> RegionDemand {
        RegionDemand::new(
            4,
            regions,
            &[regions as u32],
            &Intervals::new(SimDuration::from_nanos(10), SimTime::from_nanos(warmup), 1),
            LAG,
            Some(2),
        )
    }

    #[test]
    fn closed_intervals_are_summarised_and_the_warm_up_only_marks_regions() {
        let mut demand = demand(4, 10);
        demand.turn_to(0);
        demand.add(3);
        demand.turn_to(1);
        for _ in 0..5 {
            demand.add(0);
        }
        for _ in 0..COUNTED_LOADS + 7 {
            demand.add(2);
        }
        demand.turn_to(2);
        demand.add(2);
        let ClosedRegions {
            skews,
            window,
            alive,
            reached,
            idle,
            tops,
            hottest_range,
            ..
        } = demand.finish(3);
        assert_eq!(hottest_range, COUNTED_LOADS as u64 + 8);
        let large = (COUNTED_LOADS + 7) as u64;
        assert_eq!(
            skews[0],
            RegionSkew {
                total: large + 5,
                most: large,
                most_in_range: large,
                gini: gini(&mut [large, 5], 2)
            }
        );
        assert_eq!(
            skews[1],
            RegionSkew {
                total: 1,
                most: 1,
                most_in_range: 1,
                gini: Some(1.0)
            }
        );
        assert_eq!(window, [5, 0, large + 1, 0]);
        assert_eq!((alive, reached, idle), (4, 3, 2));
        // The second interval has too little; small and large loads are both counted.
        let share = large as f64 / (large + 5) as f64;
        assert_eq!(tops, [(1, share), (2, 1.0), (3, 1.0), (4, 1.0)]);
    }

    #[test]
    fn daughters_are_counted_from_their_interval_on_and_inherit_rows() {
        // Two regions of the table and one of a neighbour.
        let intervals = Intervals::new(SimDuration::from_nanos(10), SimTime::ZERO, 1);
        let mut demand = RegionDemand::new(2, 3, &[2], &intervals, LAG, None);
        demand.turn_to(0);
        demand.add(1);
        demand.inherit(1, &[1], &[3, 4]);
        demand.turn_to(1);
        for region in [0, 4, 4, 4] {
            demand.add(region);
        }
        demand.inherit(2, &[0, 3], &[5]);
        demand.turn_to(2);
        demand.add(5);
        let closed = demand.finish(3);
        assert_eq!((closed.alive, closed.reached, closed.idle), (2, 2, 0));
        assert_eq!(closed.window, [1, 1, 0, 0, 3, 1]);
        // One busy region of two, two of three, then one of two.
        assert_eq!(closed.skews[2].gini, Some(1.0));
        assert_eq!(closed.skews[0].gini, Some(1.0));
        assert_eq!(closed.skews[1].gini, gini(&mut [1, 3], 1));
        // The merged region counts where its lower half began; what its upper half had stays there.
        let in_range: Vec<u64> = closed.skews.iter().map(|skew| skew.most_in_range).collect();
        assert_eq!((in_range, closed.hottest_range), (vec![1, 3, 1], 4));
    }

    #[test]
    fn a_range_that_is_split_stays_one_range() {
        // Region 1 of two takes three of four rows, before it is split and after: by halves then.
        let mut demand = demand(2, 0);
        demand.turn_to(0);
        for region in [0, 1, 1, 1] {
            demand.add(region);
        }
        demand.inherit(1, &[1], &[2, 3]);
        demand.inherit(1, &[3], &[4, 5]);
        demand.turn_to(1);
        for region in [0, 2, 4, 5] {
            demand.add(region);
        }
        let closed = demand.finish(2);
        let most: Vec<(u64, u64)> = closed
            .skews
            .iter()
            .map(|it| (it.most, it.most_in_range))
            .collect();
        assert_eq!((most, closed.hottest_range), (vec![(3, 3), (1, 3)], 6));
    }

    #[test]
    fn counters_keep_their_place_when_daughters_need_more_room() {
        let mut demand = demand(20, 0);
        demand.turn_to(0);
        for region in [3, 19, 19] {
            demand.add(region);
        }
        demand.turn_to(1);
        for region in [7; 4] {
            demand.add(region);
        }
        demand.inherit(1, &[7], &[20, 21]);
        // Counted where the last row was, in a wider row now.
        assert_eq!(demand.counters[demand.row + 7], 4);
        for region in [20, 21, 21] {
            demand.add(region);
        }
        let closed = demand.finish(2);
        let counted = [3, 7, 19, 20, 21].map(|region| closed.window[region]);
        assert_eq!(counted, [1, 4, 2, 1, 2]);
        assert_eq!(closed.window.iter().sum::<u64>(), 10);
        assert_eq!((closed.skews[0].total, closed.skews[1].total), (3, 7));
    }

    #[test]
    fn shares_of_the_hottest_regions_are_taken_from_small_loads_too() {
        let mut demand = demand(4, 0);
        demand.turn_to(0);
        for region in [0, 1, 1, 1, 3, 3, 3, 3, 3, 3] {
            demand.add(region);
        }
        let closed = demand.finish(1);
        assert_eq!(closed.tops, [(1, 0.6), (2, 0.9), (3, 1.0), (4, 1.0)]);
    }

    #[test]
    fn rows_out_of_order_find_their_interval_and_very_late_ones_are_not_lost() {
        let mut demand = demand(2, 0);
        demand.turn_to(1);
        demand.add(0);
        demand.turn_to(0);
        demand.add(1);
        demand.add(1);
        demand.turn_to(4);
        demand.add(0);
        // Intervals 0 and 1 are closed by now: the row counts in interval 2.
        demand.turn_to(0);
        demand.add(1);
        let ClosedRegions { skews, window, .. } = demand.finish(5);
        let totals: Vec<u64> = skews.iter().map(|skew| skew.total).collect();
        assert_eq!(totals, [2, 1, 1, 0, 1]);
        assert_eq!(skews[0].most, 2);
        assert_eq!(window, [2, 3]);
    }
}

#[cfg(test)]
mod top_regions_tests {
    use super::*;

    #[test]
    fn shares_are_means_over_intervals_of_the_hottest_of_each() {
        let mut tops = TopRegions::new(5, 10);
        // 7, 4, 4, 1 of 16; then 10 of 10, whichever region that is; then too few.
        tops.add(16, [(7, 1), (4, 2), (1, 1)].into_iter());
        tops.add(10, [(10, 1)].into_iter());
        tops.add(9, [(9, 1)].into_iter());
        let expected = [7.0, 11.0, 15.0, 16.0, 16.0].map(|held| (held / 16.0 + 1.0) / 2.0);
        let shares = tops.shares();
        assert_eq!(shares.len(), 5);
        for ((top, share), (index, expected)) in
            shares.into_iter().zip(expected.into_iter().enumerate())
        {
            assert_eq!(top, index as u64 + 1);
            assert!((share - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn regions_that_come_later_share_what_fewer_had_before() {
        let mut tops = TopRegions::new(1, 10);
        tops.add(20, [(20, 1)].into_iter());
        for regions in 2..=4 {
            tops.grow(regions);
        }
        tops.add(20, [(8, 1), (5, 2), (2, 1)].into_iter());
        let expected = [
            (1, 14.0 / 20.0),
            (2, 16.5 / 20.0),
            (3, 19.0 / 20.0),
            (4, 1.0),
        ];
        let shares = tops.shares();
        assert_eq!(shares.len(), expected.len());
        for ((top, share), (expected_top, expected)) in shares.into_iter().zip(expected) {
            assert_eq!(top, expected_top);
            assert!((share - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn parents_and_heirs_that_were_busy_in_one_interval_are_told_apart_whenever_more_regions_come()
    {
        let shares = |early: bool| {
            let mut tops = TopRegions::new(1, 10);
            tops.grow(if early { 4 } else { 2 });
            // The only region, then its daughters.
            tops.add(20, [(10, 1), (6, 1), (4, 1)].into_iter());
            let before = tops.shares();
            tops.grow(4);
            (before, tops.shares())
        };
        let (before, after) = shares(false);
        assert_eq!(before, [(1, 0.5), (2, 1.0)]);
        assert_eq!(after, [(1, 0.5), (2, 0.8), (3, 1.0), (4, 1.0)]);
        assert_eq!(shares(true).1, after);
    }

    #[test]
    fn many_regions_have_few_log_spaced_points_that_end_in_all_of_them() {
        let mut tops = TopRegions::new(1_000_000, 0);
        tops.add(1, [(1, 1)].into_iter());
        let shares = tops.shares();
        assert!(shares.len() < 150 && shares.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(
            (shares[0].0, shares[9].0, shares.last().unwrap().0),
            (1, 10, 1_000_000)
        );
        assert_eq!(TopRegions::new(0, 0).shares(), []);
    }
}
