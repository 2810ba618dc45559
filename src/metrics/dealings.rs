//! What the demand on regions would be on servers under other dealings of the same regions. Must not know where they were.
//!
//! Bounded whatever the run: of an interval the [`HEAVIEST`] regions that have most of it are dealt, and all others lie on the servers alike.
//! Each of these has less than 1 / 4,096 of the demand, so that a server's part of them strays from the mean by at most
//! sqrt(servers / 4,096) of it (one standard deviation): 4 % with eight servers. Of a long run every second interval is kept, or every
//! fourth, and so on.

use super::events::Servers;
use crate::random::{DrawKey, Permutation, Seed, Stream};
use crate::statistics::{DealtPeaks, IntervalWeights};

/// Dealings that peaks are taken of: their mean has a standard error of a fourteenth of their standard deviation (1 / sqrt(200)).
const DEALINGS: usize = 200;

/// Regions of an interval that are dealt.
const HEAVIEST: usize = 4_096;

/// Loads that are kept of a run: 200 dealings of them are 13 million additions (estimate of what a run may spend on it: a quarter of a second).
const MOST_LOADS: usize = 1 << 16;

/// Servers times intervals that are kept, and servers times loads: about as much work again.
const MOST_SUMS: usize = 1 << 18;
const MOST_TRIALS: usize = 1 << 28;

/// The same dealings in all runs, so that equal regions compare exactly.
const SEED: Seed = Seed(0);

/// Regions that had demand in some intervals of the window.
#[derive(Debug)]
pub(super) struct RegionLoads {
    /// Every so many intervals one is kept.
    every: usize,
    kept: Vec<IntervalLoads>,
    /// Loads in them.
    loads: usize,
    most_loads: usize,
    most_intervals: usize,
}

/// One interval.
#[derive(Debug, Clone, PartialEq)]
struct IntervalLoads {
    /// From the start of the window.
    interval: usize,
    total: u64,
    /// The heaviest regions with their loads, in no order.
    loads: Vec<(u32, u32)>,
}

/// The regions that were there in the window, as they are dealt.
#[derive(Debug, Default)]
pub(super) struct DealtRegions {
    /// Of each region its table, and its place among those of the table.
    places: Vec<(u16, u32)>,
    /// Number of regions by table.
    tables: Vec<u32>,
}

impl DealtRegions {
    /// Of each region, in their order, the table that it belongs to; `None` for one that was not there.
    pub(super) fn new(table_of: impl Iterator<Item = Option<u16>>) -> Self {
        let mut regions = Self::default();
        for table in table_of {
            let table = table.map_or(0, |table| {
                let needed = usize::from(table) + 1;
                let known = regions.tables.len().max(needed);
                regions.tables.resize(known, 0);
                regions.tables[usize::from(table)] += 1;
                table
            });
            let count = regions.tables.get(usize::from(table)).copied();
            let place = count.unwrap_or(0).saturating_sub(1);
            regions.places.push((table, place));
        }
        regions
    }
}

impl RegionLoads {
    pub(super) fn new(servers: u32) -> Self {
        let servers = servers.max(1) as usize;
        Self {
            every: 1,
            kept: Vec::new(),
            loads: 0,
            most_loads: MOST_LOADS.min(MOST_TRIALS / servers),
            most_intervals: (MOST_SUMS / servers).max(1),
        }
    }

    /// Whether the loads of this interval of the window are wanted.
    pub(super) fn wants(&self, interval: usize) -> bool {
        interval.is_multiple_of(self.every)
    }

    /// Adds an interval by its loads above zero.
    pub(super) fn add(&mut self, interval: usize, total: u64, mut loads: Vec<(u32, u32)>) {
        if loads.len() > HEAVIEST {
            // Of equal ones the first regions.
            loads.select_nth_unstable_by_key(HEAVIEST, |&(region, load)| {
                (std::cmp::Reverse(load), region)
            });
            loads.truncate(HEAVIEST);
            loads.shrink_to_fit();
        }
        self.loads += loads.len();
        self.kept.push(IntervalLoads {
            interval,
            total,
            loads,
        });
        while self.kept.len() > 1
            && (self.loads > self.most_loads || self.kept.len() > self.most_intervals)
        {
            self.every *= 2;
            let every = self.every;
            self.kept.retain(|kept| kept.interval.is_multiple_of(every));
            self.loads = self.kept.iter().map(|kept| kept.loads.len()).sum();
        }
    }

    /// Peaks of the regions dealt to the servers that serve, over those kept intervals that are `measured`. Every dealing gives each server as
    /// many regions of a table, give or take one; where servers join or die, all are dealt anew. `None` without any demand.
    pub(super) fn peaks(
        &self,
        regions: &DealtRegions,
        measured: impl Fn(usize) -> Option<Servers>,
    ) -> Option<DealtPeaks> {
        let kept = self.kept.iter().filter(|kept| kept.total > 0);
        let weight = |&(region, load): &(u32, u32)| (region, f64::from(load));
        let weights = kept.filter_map(|kept| {
            let servers = measured(kept.interval)?;
            Some(IntervalWeights {
                bins: servers.serving as usize,
                all_bins: servers.joined as usize,
                total: kept.total as f64,
                things: kept.loads.iter().map(weight).collect(),
            })
        });
        let weights: Vec<IntervalWeights> = weights.collect();
        let (mut dealing, mut orders) = (None, Vec::new());
        DealtPeaks::of(&weights, DEALINGS, |number, region, servers| {
            if dealing != Some(number) {
                dealing = Some(number);
                let tables = (0u32..).zip(&regions.tables).map(|(table, &regions)| {
                    let key = DrawKey::new(SEED, number as u32, Stream::Placement, table);
                    Permutation::new(u64::from(regions.max(1)), key)
                });
                orders = tables.collect();
            }
            let (table, place) = regions.places[region as usize];
            let order = orders.get(usize::from(table));
            let place = order.map_or(0, |order| order.at(u64::from(place)));
            place as usize % servers
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn all(servers: u32) -> Option<Servers> {
        Some(Servers {
            joined: servers,
            serving: servers,
        })
    }

    fn regions(count: usize) -> DealtRegions {
        DealtRegions::new(std::iter::repeat_n(Some(0), count))
    }

    #[test]
    fn each_table_is_dealt_evenly_by_itself() {
        // Eight regions of the table, five that had ended, eight of a copy; eight servers, one busy region each of both.
        let tables = [(Some(0), 8), (None, 5), (Some(1), 8)];
        let tables = tables
            .into_iter()
            .flat_map(|(table, count)| std::iter::repeat_n(table, count));
        let dealt = DealtRegions::new(tables);
        let mut loads = RegionLoads::new(8);
        let busy = (0..8).chain(13..21).map(|region| (region, 10));
        loads.add(0, 160, busy.collect());
        let peaks = loads.peaks(&dealt, |_| all(8)).unwrap();
        assert_eq!((peaks.low, peaks.high, peaks.best), (1.0, 1.0, 1.0));
    }

    #[test]
    fn a_million_regions_and_long_runs_keep_a_bounded_part_that_tells_the_same() {
        let count = 1_000_000;
        let mut loads = RegionLoads::new(8);
        // One region has half of the demand, all others share the rest.
        for interval in 0..40 {
            if loads.wants(interval) {
                let others = (1..count).map(|region| (region, 1));
                loads.add(
                    interval,
                    2 * u64::from(count - 1),
                    std::iter::once((0, count - 1)).chain(others).collect(),
                );
            }
        }
        assert!(loads.kept.len() <= 16 && loads.loads <= MOST_LOADS);
        let peaks = loads.peaks(&regions(count as usize), |_| all(8)).unwrap();
        // 8 x (1/2 + 1/16), and what chance adds or takes of the 4,095 others that are dealt: 512 on each server with a standard deviation of 21,
        // each a two millionth: four of those are 8 x 84 / 2,000,000. The best placement keeps all of them off the hot server.
        for peak in [peaks.low, peaks.mean, peaks.high] {
            assert!((peak - 4.5).abs() < 0.000_4, "{peaks:?}");
        }
        let best = 4.5 - 8.0 * 512.0 / 2_000_000.0;
        assert!((peaks.best - best).abs() < 0.000_1, "{peaks:?}");
        let mut long = RegionLoads::new(50_000);
        for interval in (0..600).filter(|interval| interval % 3 > 0) {
            if long.wants(interval) {
                long.add(interval, 5, vec![(0, 5)]);
            }
        }
        assert!(long.kept.len() * 50_000 <= MOST_SUMS);
        assert_eq!(
            long.peaks(&regions(1), |_| all(50_000)).unwrap().best,
            50_000.0
        );
    }

    #[test]
    fn only_measured_intervals_with_demand_count() {
        let mut loads = RegionLoads::new(2);
        loads.add(0, 2, vec![(0, 1), (1, 1)]);
        loads.add(1, 0, Vec::new());
        loads.add(2, 2, vec![(0, 2)]);
        let best = |measured: fn(usize) -> bool| {
            loads
                .peaks(&regions(2), |at| all(2).filter(|_| measured(at)))
                .map(|peaks| peaks.best)
        };
        assert_eq!(
            (best(|at| at == 0), best(|at| at == 2)),
            (Some(1.0), Some(2.0))
        );
        assert_eq!(best(|at| at == 1), None);
    }
}
