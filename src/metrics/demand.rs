//! Demand of writes, or of reads, on servers and regions, interval by interval, and how skewed it is: the same formulas for both.
//!
//! Must not know what a unit of demand is.

use super::Scalars;
use super::intervals::Intervals;
use super::region_demand::{ClosedRegions, RegionDemand};
use super::table::Table;
use crate::statistics::{ExpectedPeak, effective_number, expected_peak, gini, median, quantile};
use crate::time::SimDuration;
use std::ops::Range;

/// Skew of an interval is measured from this many operations a server on: with fewer, chance alone makes a peak of 1.5.
pub const OPERATIONS_PER_SERVER: u64 = 10;

/// Counters of demand while the run lasts.
#[derive(Debug)]
pub(super) struct Demand {
    /// By interval and server.
    servers: Table<u32>,
    regions: RegionDemand,
}

impl Demand {
    /// `series`: what charts need is kept as well.
    /// The first of `regions` belong to the table and its copies: `own` says how many to each.
    pub(super) fn new(
        servers: u32,
        regions: usize,
        own: &[u32],
        intervals: &Intervals,
        lag: SimDuration,
        series: bool,
    ) -> Self {
        let tops = series.then_some(OPERATIONS_PER_SERVER * u64::from(servers));
        Self {
            servers: Table::new(servers as usize),
            regions: RegionDemand::new(servers, regions, own, intervals, lag, tops),
        }
    }

    /// What is added next belongs to `interval`.
    pub(super) fn turn_to(&mut self, interval: usize) {
        self.servers.reach(interval);
        self.regions.turn_to(interval);
    }

    /// Counts one unit in `interval`, the one that was turned to last.
    #[inline]
    pub(super) fn add(&mut self, interval: usize, region: u32, server: u32) {
        self.servers.add(interval, server as usize, 1);
        self.regions.add(region);
    }

    /// Counts one unit of a region in the interval that was turned to last; its server is counted elsewhere: see [`Demand::set_servers`].
    #[inline]
    pub(super) fn add_region(&mut self, region: u32) {
        self.regions.add(region);
    }

    /// In `interval`, `heirs` take the ranges of `parents`; regions are numbered in the order in which they come.
    pub(super) fn inherit(&mut self, interval: usize, parents: &[u32], heirs: &[u32]) {
        self.regions.inherit(interval, parents, heirs);
    }

    /// What was counted elsewhere, by interval and server.
    pub(super) fn set_servers(&mut self, servers: Table<u32>) {
        self.servers = servers;
    }

    /// Units of a region in the interval that was turned to last.
    #[inline]
    pub(super) fn so_far(&self, region: u32) -> u32 {
        self.regions.so_far(region)
    }

    /// Cuts everything to `rows` intervals and closes it.
    pub(super) fn close(mut self, rows: usize) -> ClosedDemand {
        self.servers.settle(rows);
        ClosedDemand {
            servers: self.servers,
            regions: self.regions.finish(rows),
        }
    }
}

/// The intervals that measures rest on.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Number of servers, all that ever joined.
    pub(super) servers: u32,
    /// How many had joined, in each interval.
    pub(super) joined: Vec<u32>,
    /// All of the window's intervals.
    pub(super) window: Range<usize>,
    /// The window's intervals of full length; a window shorter than one keeps its only one.
    pub(super) full: Range<usize>,
}

impl Grid {
    /// Servers that had joined by an interval.
    fn servers_in(&self, row: usize) -> u32 {
        self.joined.get(row).copied().unwrap_or(self.servers)
    }

    /// Servers at the end of the window: what measures of the whole window are relative to.
    fn servers_at_end(&self) -> u32 {
        self.servers_in(self.window.end.saturating_sub(1))
    }

    /// The least demand of an interval for a statement about skew.
    fn least(&self, row: usize) -> u64 {
        OPERATIONS_PER_SERVER * u64::from(self.servers_in(row))
    }
}

/// Demand of a finished run.
#[derive(Debug)]
pub(super) struct ClosedDemand {
    /// By interval and server.
    pub(super) servers: Table<u32>,
    pub(super) regions: ClosedRegions,
}

/// What the skew metrics are called. Three names: median over intervals, 95th percentile over intervals, of the window's totals; two: median
/// and totals.
#[derive(Debug)]
pub(super) struct SkewNames {
    peak: [&'static str; 3],
    share: [&'static str; 3],
    effective: [&'static str; 3],
    even: &'static str,
    measured: &'static str,
    skipped: &'static str,
    region_share: [&'static str; 2],
    range_share: [&'static str; 2],
    region_gini: [&'static str; 2],
    placement_floor: &'static str,
    /// Over dealings of the regions: mean, 5th and 95th percentile, and the best.
    placement_peak: [&'static str; 4],
}

/// Demand of writes.
pub(super) const WRITES: SkewNames = SkewNames {
    peak: [
        "server_peak_to_mean",
        "server_peak_to_mean_p95",
        "server_peak_to_mean_overall",
    ],
    share: [
        "server_max_share",
        "server_max_share_p95",
        "server_max_share_overall",
    ],
    effective: [
        "effective_servers",
        "effective_servers_p95",
        "effective_servers_overall",
    ],
    even: "server_peak_to_mean_even",
    measured: "intervals_measured",
    skipped: "intervals_skipped",
    region_share: ["region_max_share", "region_max_share_overall"],
    range_share: ["key_range_max_share", "key_range_max_share_overall"],
    region_gini: ["region_gini", "region_gini_overall"],
    placement_floor: "placement_floor",
    placement_peak: [
        "placement_peak_mean",
        "placement_peak_low",
        "placement_peak_high",
        "placement_peak_best",
    ],
};

/// Demand of reads.
pub(super) const READS: SkewNames = SkewNames {
    peak: [
        "read_server_peak_to_mean",
        "read_server_peak_to_mean_p95",
        "read_server_peak_to_mean_overall",
    ],
    share: [
        "read_server_max_share",
        "read_server_max_share_p95",
        "read_server_max_share_overall",
    ],
    effective: [
        "read_effective_servers",
        "read_effective_servers_p95",
        "read_effective_servers_overall",
    ],
    even: "read_server_peak_to_mean_even",
    measured: "read_intervals_measured",
    skipped: "read_intervals_skipped",
    region_share: ["read_region_max_share", "read_region_max_share_overall"],
    range_share: [
        "read_key_range_max_share",
        "read_key_range_max_share_overall",
    ],
    region_gini: ["read_region_gini", "read_region_gini_overall"],
    placement_floor: "read_placement_floor",
    placement_peak: [
        "read_placement_peak_mean",
        "read_placement_peak_low",
        "read_placement_peak_high",
        "read_placement_peak_best",
    ],
};

/// What servers are asked for in all: the handler time of writes and reads together, on the server that has most of it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HottestServer {
    /// Its handler time over the mean, median over intervals.
    pub peak: f64,
    /// What chance would make of a perfect spread of as many writes and reads, each kind of equal weights.
    pub even: Option<ExpectedPeak>,
    /// Share of reads in its handler time, median over intervals.
    pub read_share: f64,
}

impl ClosedDemand {
    /// The full intervals with enough demand for a statement about skew.
    fn measured<'a>(&'a self, grid: &'a Grid) -> impl Iterator<Item = usize> + 'a {
        grid.full
            .clone()
            .filter(move |&row| sum(self.servers.row(row)) >= grid.least(row))
    }

    /// Adds the skew metrics under their names; returns what chance alone would make of a perfect spread.
    pub(super) fn skew(
        &self,
        grid: &Grid,
        names: &SkewNames,
        metrics: &mut Scalars,
    ) -> Option<ExpectedPeak> {
        let even = self.server_skew(grid, names, metrics);
        self.region_skew(grid, names, metrics);
        self.dealt_skew(grid, names, metrics);
        even
    }

    /// Spread over the servers, idle ones counted.
    fn server_skew(
        &self,
        grid: &Grid,
        names: &SkewNames,
        metrics: &mut Scalars,
    ) -> Option<ExpectedPeak> {
        let n = f64::from(grid.servers_at_end());
        let (mut peaks, mut shares, mut effective, mut totals) = (vec![], vec![], vec![], vec![]);
        for row in self.measured(grid) {
            let n = f64::from(grid.servers_in(row));
            let loads = self.servers.row(row);
            let total = sum(loads) as f64;
            let most = loads.iter().max().map_or(0.0, |&most| f64::from(most));
            peaks.push(most * n / total);
            shares.push(most / total);
            effective.extend(effective_number(loads.iter().map(|&load| u64::from(load))));
            totals.push(total);
        }
        metrics.insert(names.measured, Some(peaks.len() as f64));
        metrics.insert(names.skipped, Some((grid.full.len() - peaks.len()) as f64));

        let mut overall = vec![0u64; grid.servers as usize];
        for row in grid.window.clone() {
            overall
                .iter_mut()
                .zip(self.servers.row(row))
                .for_each(|(sum, &load)| *sum += u64::from(load));
        }
        let total = overall.iter().sum::<u64>();
        let share = overall
            .iter()
            .max()
            .filter(|_| total > 0)
            .map(|&most| most as f64 / total as f64);
        for (names, values, overall) in [
            (names.peak, peaks, share.map(|share| share * n)),
            (names.share, shares, share),
            (
                names.effective,
                effective,
                effective_number(overall.into_iter()),
            ),
        ] {
            metrics.insert(names[0], median(&values));
            metrics.insert(names[1], quantile(&values, 0.95));
            metrics.insert(names[2], overall);
        }

        let even = median(&totals).and_then(|total| expected_peak(total, grid.servers_at_end()));
        metrics.insert(names.even, even.map(|even| even.mean));
        even
    }

    fn region_skew(&self, grid: &Grid, names: &SkewNames, metrics: &mut Scalars) {
        let (mut shares, mut of_ranges, mut ginis) = (vec![], vec![], vec![]);
        for row in self.measured(grid) {
            // An operation far out of order counts its region in a later interval: this one may be left without any.
            if let Some(skew) = self
                .regions
                .skews
                .get(row - grid.window.start)
                .filter(|skew| skew.total > 0)
            {
                shares.push(skew.most as f64 / skew.total as f64);
                of_ranges.push(skew.most_in_range as f64 / skew.total as f64);
                ginis.extend(skew.gini);
            }
        }
        let share = median(&shares);
        metrics.insert(names.region_share[0], share);
        metrics.insert(names.range_share[0], median(&of_ranges));
        metrics.insert(names.region_gini[0], median(&ginis));
        let floor = share.map(|share| (share * f64::from(grid.servers_at_end())).max(1.0));
        metrics.insert(names.placement_floor, floor);

        let by_region = &self.regions.window;
        let total = by_region.iter().sum::<u64>();
        let most = by_region.iter().max().copied().unwrap_or(0);
        metrics.insert(
            names.region_share[1],
            (total > 0).then(|| most as f64 / total as f64),
        );
        metrics.insert(
            names.range_share[1],
            (total > 0).then(|| self.regions.hottest_range as f64 / total as f64),
        );
        // Regions that were divided or merged hold what they got before; if that is nothing, they are none of the window.
        let mut held: Vec<u64> = by_region.iter().copied().filter(|&load| load > 0).collect();
        metrics.insert(names.region_gini[1], gini(&mut held, self.regions.idle));
    }

    /// Spread over the servers under other dealings of the same regions.
    fn dealt_skew(&self, grid: &Grid, names: &SkewNames, metrics: &mut Scalars) {
        let measured: Vec<usize> = self.measured(grid).collect();
        let start = grid.window.start;
        let (loads, regions) = (&self.regions.loads, &self.regions.dealt);
        let peaks = loads.peaks(grid.servers_at_end(), regions, |interval| {
            measured.binary_search(&(start + interval)).is_ok()
        });
        let values = peaks.map(|peaks| [peaks.mean, peaks.low, peaks.high, peaks.best]);
        for (at, name) in names.placement_peak.into_iter().enumerate() {
            metrics.insert(name, values.map(|values| values[at]));
        }
    }

    /// From which interval on, counted from the start of the run, every interval with enough demand has a peak-to-mean below `bound`:
    /// `None` when the last one has not, or none has enough demand.
    pub(super) fn relieved_from(&self, grid: &Grid, bound: f64) -> Option<usize> {
        let mut relieved = None;
        for row in (0..grid.full.end).rev() {
            let loads = self.servers.row(row);
            let total = sum(loads);
            if total < grid.least(row) {
                continue;
            }
            let most = loads.iter().max().map_or(0.0, |&most| f64::from(most));
            if most * f64::from(grid.servers_in(row)) / total as f64 >= bound {
                break;
            }
            relieved = Some(row);
        }
        relieved
    }

    /// The server that these writes and `reads` ask for most handler time; `None` when no interval has enough of them. A write is expected to
    /// take `write_nanos` of a handler, reads take `read_nanos`, by interval and server.
    pub(super) fn hottest_with(
        &self,
        reads: &Self,
        (write_nanos, read_nanos): (u64, &Table<u64>),
        grid: &Grid,
    ) -> Option<HottestServer> {
        let (mut peaks, mut read_shares, mut equal) = (vec![], vec![], vec![]);
        for row in grid.full.clone() {
            let (writes, of_reads) = (self.servers.row(row), read_nanos.row(row));
            let (written, read) = (sum(writes), sum(reads.servers.row(row)));
            if written + read < grid.least(row) {
                continue;
            }
            let both = writes
                .iter()
                .zip(of_reads)
                .map(|(&written, &read)| (u64::from(written) * write_nanos + read, read));
            let total: f64 = both.clone().map(|(both, _)| both as f64).sum();
            if let Some((most, read_most)) = both.max().filter(|_| total > 0.0) {
                let n = f64::from(grid.servers_in(row));
                peaks.push(most as f64 * n / total);
                read_shares.push(read_most as f64 / (most as f64).max(1.0));
                // As many operations of equal weights would vary as these do: (sum of weights)^2 / sum of their squares.
                let read_in_all: f64 = of_reads.iter().map(|&nanos| nanos as f64).sum();
                let squares = written as f64 * (write_nanos as f64) * (write_nanos as f64)
                    + read_in_all * read_in_all / (read as f64).max(1.0);
                equal.push(total * total / squares);
            }
        }
        Some(HottestServer {
            peak: median(&peaks)?,
            even: expected_peak(median(&equal)?, grid.servers_at_end()),
            read_share: median(&read_shares)?,
        })
    }
}

/// Sum of counters.
pub(super) fn sum(row: &[u32]) -> u64 {
    row.iter().map(|&count| u64::from(count)).sum()
}
