//! Demand of writes, or of reads, on servers and regions, interval by interval, and how skewed it is: the same formulas for both.
//!
//! Must not know what a unit of demand is.

use super::MetricId;
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

    /// Sets the skew metrics, those of writes by their names; returns what chance alone would make of a perfect spread.
    pub(super) fn skew(
        &self,
        grid: &Grid,
        mut set: impl FnMut(MetricId, Option<f64>),
    ) -> Option<ExpectedPeak> {
        let even = self.server_skew(grid, &mut set);
        self.region_skew(grid, &mut set);
        self.dealt_skew(grid, &mut set);
        even
    }

    /// Spread over the servers, idle ones counted.
    fn server_skew(
        &self,
        grid: &Grid,
        set: &mut impl FnMut(MetricId, Option<f64>),
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
        let (measured, full) = (peaks.len(), grid.full.len());
        set(MetricId::IntervalsMeasured, Some(measured as f64));
        set(MetricId::IntervalsSkipped, Some((full - measured) as f64));

        let mut overall = vec![0u64; grid.servers as usize];
        for row in grid.window.clone() {
            overall
                .iter_mut()
                .zip(self.servers.row(row))
                .for_each(|(sum, &load)| *sum += u64::from(load));
        }
        let total = overall.iter().sum::<u64>();
        let most = overall.iter().max().filter(|_| total > 0);
        let share = most.map(|&most| most as f64 / total as f64);
        let peak = share.map(|share| share * n);
        set(MetricId::ServerPeakToMean, median(&peaks));
        set(MetricId::ServerPeakToMeanP95, quantile(&peaks, 0.95));
        set(MetricId::ServerPeakToMeanOverall, peak);
        set(MetricId::ServerMaxShare, median(&shares));
        set(MetricId::ServerMaxShareP95, quantile(&shares, 0.95));
        set(MetricId::ServerMaxShareOverall, share);
        let effective_overall = effective_number(overall.into_iter());
        set(MetricId::EffectiveServers, median(&effective));
        set(MetricId::EffectiveServersP95, quantile(&effective, 0.95));
        set(MetricId::EffectiveServersOverall, effective_overall);

        let even = median(&totals).and_then(|total| expected_peak(total, grid.servers_at_end()));
        set(MetricId::ServerPeakToMeanEven, even.map(|even| even.mean));
        even
    }

    fn region_skew(&self, grid: &Grid, set: &mut impl FnMut(MetricId, Option<f64>)) {
        let (mut shares, mut of_ranges, mut ginis) = (vec![], vec![], vec![]);
        for row in self.measured(grid) {
            // An operation far out of order counts its region in a later interval: this one may be left without any.
            let skew = self.regions.skews.get(row - grid.window.start);
            if let Some(skew) = skew.filter(|skew| skew.total > 0) {
                shares.push(skew.most as f64 / skew.total as f64);
                of_ranges.push(skew.most_in_range as f64 / skew.total as f64);
                ginis.extend(skew.gini);
            }
        }
        let share = median(&shares);
        set(MetricId::RegionMaxShare, share);
        set(MetricId::KeyRangeMaxShare, median(&of_ranges));
        set(MetricId::RegionGini, median(&ginis));
        let floor = share.map(|share| (share * f64::from(grid.servers_at_end())).max(1.0));
        set(MetricId::PlacementFloor, floor);

        let by_region = &self.regions.window;
        let total = by_region.iter().sum::<u64>();
        let of_all = |rows: u64| (total > 0).then(|| rows as f64 / total as f64);
        let most = by_region.iter().max().copied().unwrap_or(0);
        set(MetricId::RegionMaxShareOverall, of_all(most));
        let hottest_range = self.regions.hottest_range;
        set(MetricId::KeyRangeMaxShareOverall, of_all(hottest_range));
        // Regions that were divided or merged hold what they got before; if that is nothing, they are none of the window.
        let mut held: Vec<u64> = by_region.iter().copied().filter(|&load| load > 0).collect();
        let gini = gini(&mut held, self.regions.idle);
        set(MetricId::RegionGiniOverall, gini);
    }

    /// Spread over the servers under other dealings of the same regions.
    fn dealt_skew(&self, grid: &Grid, set: &mut impl FnMut(MetricId, Option<f64>)) {
        let measured: Vec<usize> = self.measured(grid).collect();
        let start = grid.window.start;
        let (loads, regions) = (&self.regions.loads, &self.regions.dealt);
        let peaks = loads.peaks(grid.servers_at_end(), regions, |interval| {
            measured.binary_search(&(start + interval)).is_ok()
        });
        let peaks = peaks.as_ref();
        set(MetricId::PlacementPeakMean, peaks.map(|peaks| peaks.mean));
        set(MetricId::PlacementPeakLow, peaks.map(|peaks| peaks.low));
        set(MetricId::PlacementPeakHigh, peaks.map(|peaks| peaks.high));
        set(MetricId::PlacementPeakBest, peaks.map(|peaks| peaks.best));
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
