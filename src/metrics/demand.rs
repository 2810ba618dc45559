//! Demand of writes, or of reads, on servers and regions, interval by interval, and how skewed it is: the same formulas for both.
//!
//! Must not know what a unit of demand is.

use super::events::Servers;
use super::hotspot::Peak;
use super::region_demand::{ClosedRegions, RegionDemand};
use super::table::Table;
use crate::statistics::{
    DealtPeaks, ExpectedPeak, effective_number, expected_peak, gini, weighted_median,
};
use std::ops::Range;

/// Skew of an interval is measured from this many operations a server on: with fewer, chance alone makes a peak of 1.5.
pub const OPERATIONS_PER_SERVER: u64 = 10;

/// Counters of demand while the run lasts.
#[derive(Debug)]
pub(super) struct Demand {
    /// By interval and server.
    pub(super) servers: Table<u32>,
    pub(super) regions: RegionDemand,
    /// The interval of the last unit.
    interval: usize,
}

impl Demand {
    /// None yet.
    pub(super) fn new(servers: u32, regions: RegionDemand) -> Self {
        Self {
            servers: Table::new(servers as usize),
            regions,
            interval: 0,
        }
    }

    /// Counts one unit.
    #[inline(always)]
    pub(super) fn add(&mut self, interval: usize, region: u32, server: u32) {
        if interval != self.interval {
            self.interval = interval;
            self.regions.turn_to(interval);
        }
        *self.servers.cell(interval, server as usize) += 1;
        self.regions.add(region);
    }

    /// Cuts everything to `rows` intervals and closes it.
    pub(super) fn close(&mut self, rows: usize, together: f64) -> ClosedDemand {
        let mut servers = std::mem::replace(&mut self.servers, Table::new(0));
        servers.settle(rows);
        ClosedDemand {
            servers,
            regions: self.regions.finish(rows),
            together,
        }
    }
}

/// The intervals that measures rest on.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Of each interval.
    pub(super) servers: Vec<Servers>,
    /// All of the window's intervals.
    pub(super) window: Range<usize>,
    /// The window's intervals of full length; a window shorter than one keeps its only one.
    pub(super) full: Range<usize>,
    /// By interval and server: it has no handler left, or refuses.
    pub(super) overloaded: Vec<Vec<bool>>,
}

impl Grid {
    /// Servers that had joined by the middle of the window, of `all` that ever join: what measures of the whole window are relative to.
    fn servers_midway(&self, all: usize) -> u32 {
        let middle = self.window.start.midpoint(self.window.end);
        self.servers.get(middle).map_or(all as u32, |it| it.joined)
    }

    /// What chance makes of a perfect spread of so much demand, over the median number of servers that serve in these intervals.
    fn even(&self, rows: &[usize], balls: f64) -> Option<ExpectedPeak> {
        let mut servers: Vec<Servers> = rows.iter().map(|&row| self.servers[row]).collect();
        servers.sort_by_key(|it| it.serving);
        let servers = servers.get(servers.len() / 2)?;
        expected_peak(balls, servers.serving, servers.joined)
    }

    /// The least demand of an interval for a statement about skew.
    fn least(&self, row: usize) -> u64 {
        OPERATIONS_PER_SERVER * u64::from(self.servers[row].joined)
    }

    /// Peak-to-mean of loads in an interval.
    fn peak(&self, row: usize, most: u32, total: u64) -> f64 {
        f64::from(most) * f64::from(self.servers[row].joined) / total as f64
    }
}

/// Demand of a finished run.
#[derive(Debug)]
pub(super) struct ClosedDemand {
    /// By interval and server.
    pub(super) servers: Table<u32>,
    pub(super) regions: ClosedRegions,
    /// How many units go to one region together, mean over units: chance deals out so many at once.
    together: f64,
}

/// What an interval shows, and its demand: an interval counts by what it carries.
type Weighed = (f64, f64);

/// How demand spreads over servers and regions: what the metrics of skew are worked out from.
#[derive(Debug, Default)]
pub(super) struct Spread {
    /// Servers that had joined by the middle of the window.
    pub(super) servers: f64,
    /// Intervals with too little demand.
    pub(super) skipped: usize,
    /// Of the measured ones: demand of the hottest server over the mean, idle servers counted.
    pub(super) peaks: Vec<Weighed>,
    /// Of those in which the hottest server is overloaded and has the demand of a hotspot: the same.
    pub(super) hot_peaks: Vec<Weighed>,
    /// Share of the hottest server.
    pub(super) shares: Vec<Weighed>,
    /// Servers that take part.
    pub(super) effective: Vec<Weighed>,
    /// Of the whole window.
    pub(super) share_overall: Option<f64>,
    pub(super) effective_overall: Option<f64>,
    /// What chance alone would make of a perfect spread.
    pub(super) even: Option<ExpectedPeak>,
    /// Of the measured intervals: share of the hottest region.
    pub(super) region_shares: Vec<Weighed>,
    /// Share of the hottest of the ranges that were regions at the start.
    pub(super) range_shares: Vec<Weighed>,
    pub(super) ginis: Vec<Weighed>,
    /// Of the whole window.
    pub(super) region_share_overall: Option<f64>,
    pub(super) range_share_overall: Option<f64>,
    pub(super) gini_overall: Option<f64>,
    /// Under other dealings of the same regions.
    pub(super) dealt: Option<DealtPeaks>,
}

impl Spread {
    /// Share of the intervals in which the hottest server is overloaded and has the demand of a hotspot; `None` without intervals.
    pub(super) fn hot_time(&self) -> Option<f64> {
        let intervals = (self.peaks.len() + self.skipped) as f64;
        (intervals > 0.0).then(|| self.hot_peaks.len() as f64 / intervals)
    }
}

/// What servers are asked for in all: the handler time of writes and reads together, on the server that has most of it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HottestServer {
    /// Its handler time over the mean, weighted median over intervals.
    pub peak: f64,
    /// What chance would make of a perfect spread of as many writes and reads, by how long each takes.
    pub even: Option<ExpectedPeak>,
    /// Share of reads in its handler time, weighted median over intervals.
    pub read_share: f64,
}

impl ClosedDemand {
    /// The full intervals with enough demand for a statement about skew.
    fn measured(&self, grid: &Grid) -> Vec<usize> {
        let is_measured = |&row: &usize| sum(self.servers.row(row)) >= grid.least(row);
        grid.full.clone().filter(is_measured).collect()
    }

    /// How it spreads.
    pub(super) fn spread(&self, grid: &Grid) -> Spread {
        let measured = self.measured(grid);
        let (mut found, mut totals) = (Spread::default(), Vec::new());
        for &row in &measured {
            let loads = self.servers.row(row);
            let (total, most) = (sum(loads), greatest(loads));
            let peak = grid.peak(row, most, total);
            let mut servers = loads.iter().zip(&grid.overloaded[row]);
            let is_overloaded = servers.any(|(load, overloaded)| *load == most && *overloaded);
            let is_hot = || {
                let even = grid.even(&[row], total as f64 / self.together);
                Peak { value: peak, even }.is_hot()
            };
            let weight = total as f64;
            let hot_peaks = &mut found.hot_peaks;
            hot_peaks.extend((is_overloaded && is_hot()).then_some((peak, weight)));
            found.peaks.push((peak, weight));
            found.shares.push((f64::from(most) / weight, weight));
            let takes_part = effective_number(loads.iter().map(|&load| u64::from(load)));
            found.effective.extend(takes_part.map(|it| (it, weight)));
            totals.push((weight, weight));
            // An operation far out of order counts its region in a later interval: this one may be left without any.
            let skew = self.regions.skews.get(row - grid.window.start);
            if let Some(skew) = skew.filter(|skew| skew.total > 0) {
                let (weight, in_range) = (skew.total as f64, skew.most_in_range as f64);
                let of_region = (skew.most as f64 / weight, weight);
                found.region_shares.push(of_region);
                found.range_shares.push((in_range / weight, weight));
                found.ginis.extend(skew.gini.map(|it| (it, weight)));
            }
        }
        let mut overall = vec![0u64; self.servers.columns];
        for row in grid.window.clone() {
            let loads = overall.iter_mut().zip(self.servers.row(row));
            loads.for_each(|(sum, &load)| *sum += u64::from(load));
        }
        let servers = grid.servers_midway(overall.len());
        let by_region = &self.regions.window;
        // Regions that were divided or merged hold what they got before; if that is nothing, they are none of the window.
        let mut held: Vec<u64> = by_region.iter().copied().filter(|&load| load > 0).collect();
        let (start, loads) = (grid.window.start, &self.regions.loads);
        Spread {
            servers: f64::from(servers),
            skipped: grid.full.len() - measured.len(),
            share_overall: share(overall.iter().max(), &overall),
            effective_overall: effective_number(overall.into_iter()),
            even: weighted_median(&totals)
                .and_then(|total| grid.even(&measured, total / self.together)),
            region_share_overall: share(by_region.iter().max(), by_region),
            range_share_overall: share(Some(&self.regions.hottest_range), by_region),
            gini_overall: gini(&mut held, self.regions.idle),
            dealt: loads.peaks(&self.regions.dealt, |interval| {
                let measured = measured.binary_search(&(start + interval)).ok();
                measured.map(|_| grid.servers[start + interval])
            }),
            ..found
        }
    }

    /// From which interval on, counted from the start of the run, every interval with enough demand has a peak-to-mean below `bound`:
    /// `None` when the last one has not, or none has enough demand.
    pub(super) fn relieved_from(&self, grid: &Grid, bound: f64) -> Option<usize> {
        let loads = |row: usize| self.servers.row(row);
        let peak = |row: usize| grid.peak(row, greatest(loads(row)), sum(loads(row)));
        let measured = (0..grid.full.end).rev();
        let measured = measured.filter(|&row| sum(loads(row)) >= grid.least(row));
        measured.take_while(|&row| peak(row) < bound).last()
    }

    /// The server that these writes and `reads` ask for most handler time; `None` when no interval has enough of them. A write is expected to
    /// take `write_nanos` of a handler, reads take `read_nanos`, by interval and server, with so much as the sum of their `squares` by interval.
    pub(super) fn hottest_with(
        &self,
        reads: &Self,
        (write_nanos, read_nanos, squares): (u64, &Table<u64>, &Table<f64>),
        grid: &Grid,
    ) -> Option<HottestServer> {
        let (mut rows, mut peaks, mut read_shares, mut equal) = (vec![], vec![], vec![], vec![]);
        for row in grid.full.clone() {
            let (writes, of_reads) = (self.servers.row(row), read_nanos.row(row));
            let (written, read) = (sum(writes), sum(reads.servers.row(row)));
            if written + read < grid.least(row) {
                continue;
            }
            let both = writes.iter().zip(of_reads);
            let both =
                both.map(|(&written, &read)| (u64::from(written) * write_nanos + read, read));
            let total: f64 = both.clone().map(|(both, _)| both as f64).sum();
            if let Some((most, read_most)) = both.max().filter(|_| total > 0.0) {
                rows.push(row);
                peaks.push((
                    most as f64 * f64::from(grid.servers[row].joined) / total,
                    total,
                ));
                read_shares.push((read_most as f64 / (most as f64).max(1.0), total));
                // As many operations of equal weights would vary as these do: (sum of weights)^2 / sum of their squares.
                let squares = written as f64 * (write_nanos as f64) * (write_nanos as f64)
                    + squares.row(row)[0] * reads.together;
                equal.push((total * total / squares, total));
            }
        }
        Some(HottestServer {
            peak: weighted_median(&peaks)?,
            even: grid.even(&rows, weighted_median(&equal)?),
            read_share: weighted_median(&read_shares)?,
        })
    }
}

/// The part of all loads that one of them is.
fn share(part: Option<&u64>, all: &[u64]) -> Option<f64> {
    let total: u64 = all.iter().sum();
    let part = part.filter(|_| total > 0)?;
    Some(*part as f64 / total as f64)
}

/// Sum of counters.
pub(super) fn sum(row: &[u32]) -> u64 {
    row.iter().map(|&count| u64::from(count)).sum()
}

fn greatest(row: &[u32]) -> u32 {
    row.iter().max().copied().unwrap_or(0)
}
