//! What the demand on regions would be on servers under other dealings of the same regions. Must not know where they were.
//!
//! Bounded whatever the run: of an interval the [`HEAVIEST`] regions that have most of it are dealt, and all others lie on the servers alike.
//! Each of these has less than 1 / 4,096 of the demand, so that a server's part of them strays from the mean by at most
//! sqrt(servers / 4,096) of it (one standard deviation): 4 % with eight servers. Of a long run every second interval is kept, or every
//! fourth, and so on.

use super::events::Servers;
use crate::random::{DrawKey, Draws, GAMMA, Permutation, Seed, Stream, shuffled};
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
#[derive(Debug, Default)]
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

/// How a region of the window comes to its place in a dealing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin {
    /// With all that were there when the window began.
    Dealt,
    /// It takes that of this region, which ends: a merged one the lower's.
    Parent(u32),
    /// The next server in turn opens it, as a balancer that evens out counts has it: the other daughter.
    Opened,
}

/// The regions that were there in the window, as they are dealt.
#[derive(Debug, Default)]
pub(super) struct DealtRegions {
    /// Of each region its table, and its place among those of the table.
    places: Vec<(u16, u32)>,
    /// Number of places by table: those dealt, and all.
    tables: Vec<(u32, u32)>,
}

impl DealtRegions {
    /// Of each region, in their order, the table that it belongs to; `None` for one that was not there.
    pub(super) fn new(regions: impl Iterator<Item = Option<(u16, Origin)>>) -> Self {
        let mut dealt = Self::default();
        for region in regions {
            let place = region.map_or((0, 0), |(table, origin)| {
                let at = usize::from(table);
                let known = dealt.tables.len().max(at + 1);
                dealt.tables.resize(known, (0, 0));
                let (first, all) = &mut dealt.tables[at];
                let place = match origin {
                    Origin::Parent(parent) => return dealt.places[parent as usize],
                    Origin::Dealt | Origin::Opened => *all,
                };
                *all += 1;
                *first += u32::from(matches!(origin, Origin::Dealt));
                (table, place)
            });
            dealt.places.push(place);
        }
        dealt
    }

    /// How a dealing lays each table's regions on so many servers.
    fn turns(&self, number: usize, servers: usize) -> Vec<Turns> {
        let key = |lane| DrawKey::new(SEED, number as u32, Stream::Placement, lane);
        let tables = (0u32..).zip(&self.tables).map(|(table, &(dealt, all))| {
            let turns = |places: u32| places.div_ceil(servers as u32);
            let later = turns(dealt)..turns(all);
            let later = later.map(|turn| key(table | (turn + 1) << 16));
            Turns {
                dealt: Dealt::new(dealt, servers as u64, key(table)),
                later: later
                    .map(|key| Permutation::new(servers as u64, key))
                    .collect(),
            }
        });
        tables.collect()
    }
}

/// Places that are dealt as one list; of more, each is dealt by itself: as no more than [`HEAVIEST`] of an interval count, the numbers that servers
/// get of these differ from those of a list by less than 1 - sqrt(1 - 4,096 / 65,536) = 3 % of their standard deviation.
const LISTED: u32 = 1 << 16;

/// The places of a table that are dealt before the window.
enum Dealt {
    /// The server of each.
    Listed(Box<[u32]>),
    Single {
        places: u32,
        servers: u64,
        draws: Draws,
    },
}

impl Dealt {
    fn new(places: u32, servers: u64, key: DrawKey) -> Self {
        if places > LISTED {
            return Self::Single {
                places,
                servers,
                draws: key.at(u64::from(places)),
            };
        }
        let turns = (0..servers as u32).cycle().take(places as usize);
        Self::Listed(shuffled(turns.collect(), &mut key.at(u64::from(places))))
    }

    fn places(&self) -> u32 {
        match self {
            Self::Listed(servers) => servers.len() as u32,
            Self::Single { places, .. } => *places,
        }
    }

    fn server(&self, place: u32) -> u32 {
        match self {
            Self::Listed(of_places) => of_places[place as usize],
            Self::Single { servers, draws, .. } => {
                // As many of SplitMix64's steps on.
                let of_place = u64::from(place).wrapping_mul(GAMMA);
                draws.salted(of_place).below(*servers) as u32
            }
        }
    }
}

/// In each turn every server gets a place.
struct Turns {
    dealt: Dealt,
    /// The order of servers in each turn that no place dealt is of.
    later: Vec<Permutation>,
}

impl Turns {
    fn server(&self, place: u32, servers: usize) -> usize {
        let dealt = self.dealt.places();
        if place < dealt {
            return self.dealt.server(place) as usize;
        }
        let (place, servers) = (u64::from(place), servers as u64);
        let later = (place / servers).checked_sub(u64::from(dealt).div_ceil(servers));
        let column = place % servers;
        later.map_or(column, |turn| self.later[turn as usize].at(column)) as usize
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
        let (mut dealing, mut turns) = (None, Vec::new());
        DealtPeaks::of(&weights, DEALINGS, |number, region, servers| {
            if dealing != Some((number, servers)) {
                dealing = Some((number, servers));
                turns = regions.turns(number, servers);
            }
            let (table, place) = regions.places[region as usize];
            let turns = turns.get(usize::from(table));
            turns.map_or(0, |turns| turns.server(place, servers))
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
        DealtRegions::new(std::iter::repeat_n(Some((0, Origin::Dealt)), count))
    }

    #[test]
    fn each_table_is_dealt_evenly_by_itself() {
        // Eight regions of the table, five that had ended, eight of a copy; eight servers, one busy region each of both.
        let tables = [(Some(0), 8), (None, 5), (Some(1), 8)];
        let tables = tables
            .into_iter()
            .flat_map(|(table, count): (Option<u16>, usize)| {
                std::iter::repeat_n(table.map(|it| (it, Origin::Dealt)), count)
            });
        let dealt = DealtRegions::new(tables);
        let mut loads = RegionLoads::new(8);
        let busy = (0..8).chain(13..21).map(|region| (region, 10));
        loads.add(0, 160, busy.collect());
        let peaks = loads.peaks(&dealt, |_| all(8)).unwrap();
        assert_eq!((peaks.low, peaks.high, peaks.best), (1.0, 1.0, 1.0));
    }

    #[test]
    fn of_a_split_one_daughter_stays_and_the_other_goes_where_fewest_are() {
        // Six regions on three servers; then each is divided, one after the other: 6 and 7 are those of region 0, and so on.
        let dealt = std::iter::repeat_n(Origin::Dealt, 6);
        let daughters = (0..6).flat_map(|parent| [Origin::Parent(parent), Origin::Opened]);
        let all = dealt.chain(daughters).map(|origin| Some((0, origin)));
        let dealt = DealtRegions::new(all);
        let mut varies = false;
        for number in 0..50 {
            let turns = &dealt.turns(number, 3)[0];
            let server = |region: usize| turns.server(dealt.places[region].1, 3);
            for split in 0..=6 {
                let mut counts = [0; 3];
                let there = (split..6).chain(6..6 + 2 * split);
                there.for_each(|region| counts[server(region)] += 1);
                let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
                assert!(most - least <= 1, "{counts:?} after {split} splits");
            }
            (0..6).for_each(|parent| assert_eq!(server(parent), server(6 + 2 * parent)));
            varies |= server(7) != 0;
        }
        assert!(varies);
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
    fn a_list_deals_evenly_and_single_places_go_anywhere_alike() {
        let numbers = |places: u32, deal: usize| {
            let turns = &regions(places as usize).turns(deal, 8)[0];
            let mut numbers = [0u32; 8];
            (0..places).for_each(|place| numbers[turns.server(place, 8)] += 1);
            numbers
        };
        assert_eq!(numbers(LISTED, 3), [LISTED / 8; 8]);
        let mut squares = 0.0;
        for deal in 0..50 {
            for number in numbers(80_000, deal) {
                let away = f64::from(number) - 10_000.0;
                squares += away * away;
            }
        }
        // Binomial: a variance of 80,000 x 1/8 x 7/8 = 8,750; 400 squares, of which 350 are free: its estimate strays by sqrt(2 / 350) = 7.6 %.
        let variance = squares / 400.0;
        assert!((variance / 8_750.0 - 1.0).abs() < 0.3, "{variance}");
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
