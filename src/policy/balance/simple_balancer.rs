//! HBase's balancer by region counts alone (`SimpleLoadBalancer`). Must not know loads.

use super::region_counts::{MIN_SERVERS, SLOP, has_idle_server, has_sloppy_server, region_counts};
use super::{BalanceDecision, BalanceFinding, BalanceReason, BalancedRegion, RegionMove};
use crate::random::Draws;
use std::cmp::Reverse;

/// Its setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimpleBalancer {
    /// `hbase.regions.slop`, and `hbase.regions.overallSlop` for the regions of all tables together.
    pub slop: f32,
}

impl Default for SimpleBalancer {
    /// HBase's.
    fn default() -> Self {
        Self { slop: SLOP }
    }
}

impl SimpleBalancer {
    /// Table by table: if a server is idle or a count lies beyond the slop, of this table or of all together, every server ends with
    /// floor or ceil of the table's mean. Servers above it shed their newest regions, newest first, which go round robin to the servers
    /// below it, shuffled; regions left over go to the servers with fewest regions of all tables, as does one of each server that has
    /// one more of this table than another and at least two more of all (what `balanceOverall` does). O(tables x servers x log servers
    /// + regions x log regions).
    pub fn decide(
        &self,
        regions: &[BalancedRegion],
        servers: u32,
        draws: &mut Draws,
    ) -> BalanceDecision {
        if servers < MIN_SERVERS {
            return BalanceDecision::none(BalanceReason::FewServers, BalanceFinding::Nothing);
        }
        let mut overall = region_counts(regions.iter().map(|region| region.server), servers);
        let found = bounds(&overall);
        let mut placement: Vec<u32> = regions.iter().map(|region| region.server).collect();
        let mut by_table: Vec<u32> = (0..regions.len() as u32).collect();
        by_table.sort_by_key(|&index| {
            let region = &regions[index as usize];
            (region.table, Reverse(region.created), index)
        });
        let mut reason = BalanceReason::Balanced;
        for table in
            by_table.chunk_by(|&a, &b| regions[a as usize].table == regions[b as usize].table)
        {
            let counts = region_counts(
                table.iter().map(|&index| placement[index as usize]),
                servers,
            );
            let due = if has_idle_server(&counts) {
                BalanceReason::IdleServer
            } else if has_sloppy_server(&counts, self.slop)
                || has_sloppy_server(&overall, self.slop)
            {
                BalanceReason::RegionCounts
            } else {
                continue;
            };
            if !reason.starts() {
                reason = due;
            }
            level(table, &mut placement, &mut overall, draws);
        }
        let moves = regions.iter().zip(&placement).enumerate();
        let moves = moves
            .filter(|(_, (region, to))| region.server != **to)
            .map(|(index, (region, &to))| RegionMove {
                region: index as u32,
                from: region.server,
                to,
            })
            .collect();
        let finding = BalanceFinding::Counts {
            before: found,
            after: bounds(&overall),
        };
        BalanceDecision {
            moves,
            reason,
            finding,
        }
    }
}

fn bounds(counts: &[u32]) -> (u32, u32) {
    let least = counts.iter().copied().min().unwrap_or(0);
    (least, counts.iter().copied().max().unwrap_or(0))
}

/// Levels one table, whose regions come newest first.
fn level(table: &[u32], placement: &mut [u32], overall: &mut [u32], draws: &mut Draws) {
    let mut levelling = Levelling::new(table, placement, overall);
    let shed = levelling.shed();
    levelling.hand_out(shed, draws);
    levelling.level_overall();
    for (server, here) in levelling.regions.into_iter().enumerate() {
        for at in here {
            placement[table[at as usize] as usize] = server as u32;
        }
    }
}

/// One table between its first placement and the next.
struct Levelling<'a> {
    /// Each server's regions of the table, newest last, as positions in the table's regions from newest to oldest.
    regions: Vec<Vec<u32>>,
    /// Each server's regions of all tables.
    overall: &'a mut [u32],
    /// Floor and ceil of the table's mean.
    least: usize,
    most: usize,
}

impl<'a> Levelling<'a> {
    fn new(table: &[u32], placement: &[u32], overall: &'a mut [u32]) -> Self {
        let mut regions = vec![Vec::new(); overall.len()];
        for (at, &region) in table.iter().enumerate().rev() {
            regions[placement[region as usize] as usize].push(at as u32);
        }
        Self {
            least: table.len() / overall.len(),
            most: table.len().div_ceil(overall.len()),
            regions,
            overall,
        }
    }

    fn take(&mut self, server: usize) -> Option<u32> {
        let region = self.regions[server].pop()?;
        self.overall[server] -= 1;
        Some(region)
    }

    fn put(&mut self, region: u32, server: usize) {
        self.regions[server].push(region);
        self.overall[server] += 1;
    }

    fn missing(&self, server: usize) -> usize {
        self.least.saturating_sub(self.regions[server].len())
    }

    /// What servers with more than `most` shed and, where that does not fill all others to `least`, one of each server that has more.
    fn shed(&mut self) -> Vec<u32> {
        let mut shed = Vec::new();
        for server in 0..self.regions.len() {
            while self.regions[server].len() > self.most {
                shed.extend(self.take(server));
            }
        }
        shed.sort_unstable();
        let needed: usize = (0..self.regions.len())
            .map(|server| self.missing(server))
            .sum();
        for server in 0..self.regions.len() {
            if shed.len() < needed && self.regions[server].len() > self.least {
                shed.extend(self.take(server));
            }
        }
        shed
    }

    /// Round robin to the shuffled servers below `least`, then one each to those with fewest regions of all tables.
    fn hand_out(&mut self, shed: Vec<u32>, draws: &mut Draws) {
        let mut below: Vec<usize> = (0..self.regions.len())
            .filter(|&server| self.missing(server) > 0)
            .collect();
        for i in (1..below.len()).rev() {
            below.swap(i, draws.below(i as u64 + 1) as usize);
        }
        let mut shed = shed.into_iter();
        while !below.is_empty() {
            for &server in &below {
                if let Some(region) = shed.next() {
                    self.put(region, server);
                }
            }
            below.retain(|&server| self.missing(server) > 0);
        }
        for region in shed {
            let room = (0..self.regions.len()).filter(|&at| self.regions[at].len() < self.most);
            let server = room.min_by_key(|&server| self.overall[server]);
            self.put(
                region,
                server.expect("regions / servers, rounded up, is room for all"),
            );
        }
    }

    /// One region of a server with `most` to one with `least`, while the first has two more regions of all tables.
    fn level_overall(&mut self) {
        loop {
            let servers = 0..self.regions.len();
            let full = servers
                .clone()
                .filter(|&at| self.regions[at].len() > self.least);
            let spare = servers.filter(|&at| self.regions[at].len() < self.most);
            let (Some(from), Some(to)) = (
                full.max_by_key(|&server| (self.overall[server], Reverse(server))),
                spare.min_by_key(|&server| self.overall[server]),
            ) else {
                return;
            };
            if self.overall[from] < self.overall[to] + 2 {
                return;
            }
            match self.take(from) {
                Some(region) => self.put(region, to),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::balance::RegionLoad;
    use crate::random::{DrawKey, Seed, Stream};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn regions(places: &[(u32, u32)]) -> Vec<BalancedRegion> {
        let region = |(at, &(table, server)): (usize, &(u32, u32))| BalancedRegion {
            server,
            table,
            created: 1_000 + at as u64,
            load: RegionLoad::default(),
            demand: 0.0,
        };
        places.iter().enumerate().map(region).collect()
    }

    fn decide(places: &[(u32, u32)], servers: u32) -> BalanceDecision {
        decide_drawn(places, servers, 7)
    }

    fn decide_drawn(places: &[(u32, u32)], servers: u32, number: u64) -> BalanceDecision {
        let mut draws = DrawKey::new(Seed(1), 0, Stream::Sample, 0).at(number);
        SimpleBalancer::default().decide(&regions(places), servers, &mut draws)
    }

    /// The regions that move, and where to.
    fn moved(decision: &BalanceDecision) -> Vec<(u32, u32)> {
        let moves = decision.moves.iter();
        moves.map(|moved| (moved.region, moved.to)).collect()
    }

    #[test]
    fn the_newest_regions_leave_the_fullest_server() {
        let decision = decide(&[(0, 0), (0, 0), (0, 0), (0, 0), (0, 1), (0, 0)], 2);
        let expected = [3, 5].map(|region| RegionMove {
            region,
            from: 0,
            to: 1,
        });
        assert_eq!(decision.moves, expected);
        assert_eq!(
            decision.to_string(),
            "1 to 5 regions a server: starts for uneven region counts and moves 2 regions"
        );
        let idle = decide(&[(0, 0), (0, 0), (0, 1)], 3);
        assert_eq!(idle.reason, BalanceReason::IdleServer);
        assert_eq!(idle.moves[0].to, 2);
    }

    #[test]
    fn even_counts_and_single_servers_start_nothing() {
        let even = decide(&[(0, 0), (0, 1), (0, 1), (0, 2)], 3);
        assert_eq!(even.to_string(), "1 to 2 regions a server: does not start");
        assert_eq!(
            decide(&[(0, 0), (0, 0)], 1).reason,
            BalanceReason::FewServers
        );
    }

    #[test]
    fn tables_that_are_even_alone_are_levelled_together() {
        // Every table has one region more on server 0: 16 and 8, where 9 to 15 is even enough.
        let places: Vec<(u32, u32)> = (0..8)
            .flat_map(|table| [(table, 0), (table, 0), (table, 1)])
            .collect();
        let decision = decide(&places, 2);
        assert_eq!(
            decision.finding,
            BalanceFinding::Counts {
                before: (8, 16),
                after: (9, 15)
            }
        );
        assert_eq!(decision.moves.len(), 1);
    }

    #[test]
    fn no_more_regions_leave_than_the_emptiest_servers_lack() {
        // 3, 3, 3 and 0 of nine: two make the least of 2, and one server keeps its third.
        let places = [0, 0, 0, 1, 1, 1, 2, 2, 2].map(|server| (0, server));
        assert_eq!(moved(&decide(&places, 4)), [(2, 3), (5, 3)]);
    }

    #[test]
    fn a_server_with_two_more_regions_of_all_tables_gives_one_more_away() {
        // 3 and 0 become 2 and 1, and that is all.
        assert_eq!(moved(&decide(&[(0, 0); 3], 2)), [(2, 1)]);
        // With one of another table that makes 3 and 1, so that 1 and 2 are left.
        let decision = decide(&[(0, 0), (0, 0), (0, 0), (1, 0)], 2);
        assert_eq!(moved(&decision), [(1, 1), (2, 1)]);
        assert_eq!(
            decision.finding,
            BalanceFinding::Counts {
                before: (0, 4),
                after: (2, 2)
            }
        );
    }

    #[test]
    fn the_reason_is_that_of_the_first_table_that_is_levelled() {
        let table = |table, counts: [usize; 2]| {
            [vec![(table, 0); counts[0]], vec![(table, 1); counts[1]]].concat()
        };
        let reason = |tables: [[usize; 2]; 2]| {
            let places = [table(0, tables[0]), table(1, tables[1])].concat();
            decide(&places, 2).reason
        };
        assert_eq!(reason([[3, 0], [5, 1]]), BalanceReason::IdleServer);
        assert_eq!(reason([[5, 1], [3, 0]]), BalanceReason::RegionCounts);
    }

    #[test]
    fn servers_that_lack_regions_come_in_every_order() {
        // 6 orders of three servers; that 200 draws leave one of them out has a chance of 6 (5/6)^200 = 1e-15.
        let orders: BTreeSet<_> = (0..200)
            .map(|number| moved(&decide_drawn(&[(0, 0); 4], 4, number)))
            .collect();
        assert_eq!(orders.len(), 6, "{orders:?}");
        for order in orders {
            let (regions, mut servers): (Vec<u32>, Vec<u32>) = order.into_iter().unzip();
            servers.sort_unstable();
            assert_eq!((regions, servers), (vec![1, 2, 3], vec![1, 2, 3]));
        }
    }

    proptest! {
        #[test]
        fn a_started_run_leaves_floor_or_ceil_of_every_table_on_every_server(
            places in proptest::collection::vec((0u32..3, 0u32..5), 1..60),
            servers in 5u32..8,
        ) {
            let regions = regions(&places);
            let decision = decide(&places, servers);
            let mut placement: Vec<u32> = places.iter().map(|place| place.1).collect();
            for moved in &decision.moves {
                prop_assert_eq!(moved.from, placement[moved.region as usize]);
                prop_assert!(moved.from != moved.to && moved.to < servers);
                placement[moved.region as usize] = moved.to;
            }
            for table in 0..3 {
                let here = regions.iter().zip(&placement).filter(|(region, _)| region.table == table);
                let counts = region_counts(here.map(|(_, &server)| server), servers);
                let before = region_counts(
                    regions.iter().filter(|region| region.table == table).map(|region| region.server),
                    servers,
                );
                if has_sloppy_server(&before, SLOP) || has_idle_server(&before) {
                    let (least, most) = bounds(&counts);
                    prop_assert!(most - least <= 1, "{counts:?}");
                }
            }
        }
    }
}
