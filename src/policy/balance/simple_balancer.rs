//! HBase's balancer by region counts alone (`SimpleLoadBalancer`). Must not know loads, nor tables.

use super::region_counts::{region_counts, uneven_counts};
use super::{BalanceDecision, BalanceFinding, BalanceReason, BalancedRegion, RegionMove};
use crate::random::Draws;
use std::cmp::Reverse;

/// Its setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimpleBalancer {
    /// `hbase.regions.slop`.
    pub slop: f32,
}

impl SimpleBalancer {
    /// If a server is idle or a count lies beyond the slop, every server ends with floor or ceil of the mean. Servers above it shed their newest
    /// regions, newest first, which go round robin to the servers below it, shuffled; regions left over go one each to servers that have no
    /// more than the others. O(servers + regions x log regions).
    ///
    /// The regions of all tables are counted together, system tables' included: `hbase.master.loadbalance.bytable` is false by default, and
    /// `BaseLoadBalancer.balanceCluster` then hands over all of them as one table. What HBase does for several tables
    /// (`balanceOverall`) is left out: it may exchange which servers have one region more.
    pub fn decide(
        &self,
        regions: &[BalancedRegion],
        servers: u32,
        draws: &mut Draws,
    ) -> BalanceDecision {
        let counts = region_counts(regions.iter().map(|region| region.server), servers);
        let reason = uneven_counts(&counts, self.slop).unwrap_or(BalanceReason::Balanced);
        let found = regions.iter().map(|region| region.server);
        let mut placement: Vec<u32> = found.clone().collect();
        if reason.starts() {
            let mut newest_first: Vec<u32> = (0..regions.len() as u32).collect();
            newest_first.sort_by_key(|&index| (Reverse(regions[index as usize].created), index));
            level(&newest_first, &mut placement, servers, draws);
        }
        let after = region_counts(placement.iter().copied(), servers);
        let finding = BalanceFinding::Counts {
            before: bounds(&counts),
            after: bounds(&after),
        };
        BalanceDecision {
            moves: RegionMove::between(found, placement.into_iter()),
            reason,
            finding,
        }
    }
}

fn bounds(counts: &[u32]) -> (u32, u32) {
    let least = counts.iter().copied().min().unwrap_or(0);
    (least, counts.iter().copied().max().unwrap_or(0))
}

/// Levels the counts of regions that come newest first.
fn level(newest_first: &[u32], placement: &mut [u32], servers: u32, draws: &mut Draws) {
    let servers = servers as usize;
    let least = newest_first.len() / servers;
    let most = newest_first.len().div_ceil(servers);
    // Each server's regions, newest last, as positions in the order from newest to oldest.
    let mut regions: Vec<Vec<u32>> = vec![Vec::new(); servers];
    for (at, &region) in newest_first.iter().enumerate().rev() {
        regions[placement[region as usize] as usize].push(at as u32);
    }
    // What servers with more than `most` shed and, where that does not fill all others to `least`, one of each server that has more.
    let mut shed: Vec<u32> = Vec::new();
    for here in &mut regions {
        shed.extend(here.drain(most.min(here.len())..));
    }
    shed.sort_unstable();
    let missing = |here: &Vec<u32>| least.saturating_sub(here.len());
    let needed: usize = regions.iter().map(missing).sum();
    for here in &mut regions {
        if shed.len() < needed && here.len() > least {
            shed.extend(here.pop());
        }
    }
    // Round robin to the shuffled servers below `least`, then one each to those that have no more than `least`.
    let below = (0..servers).filter(|&it| missing(&regions[it]) > 0);
    let mut below: Vec<usize> = below.collect();
    for i in (1..below.len()).rev() {
        below.swap(i, draws.below(i as u64 + 1) as usize);
    }
    let mut shed = shed.into_iter();
    while !below.is_empty() {
        for &server in &below {
            regions[server].extend(shed.next());
        }
        below.retain(|&server| missing(&regions[server]) > 0);
    }
    for region in shed {
        let mut room = regions.iter_mut();
        room.find(|here| here.len() < most)
            .expect("regions / servers, rounded up, is room for all")
            .push(region);
    }
    for (server, here) in (0..).zip(regions) {
        for at in here {
            placement[newest_first[at as usize] as usize] = server;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::balance::{Balancer, RegionLoad};
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
        let balancer = Balancer::Simple(SimpleBalancer { slop: 0.2 });
        balancer.decide(&regions(places), servers, &mut draws)
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
            "1 to 5 regions a server, system tables included: starts for uneven region counts and moves 2 regions"
        );
        let idle = decide(&[(0, 0), (0, 0), (0, 1)], 3);
        assert_eq!(idle.reason, BalanceReason::IdleServer);
        assert_eq!(idle.moves[0].to, 2);
    }

    #[test]
    fn even_counts_and_single_servers_start_nothing() {
        let even = decide(&[(0, 0), (0, 1), (0, 1), (0, 2)], 3);
        assert_eq!(
            even.to_string(),
            "1 to 2 regions a server, system tables included: does not start"
        );
        assert_eq!(
            decide(&[(0, 0), (0, 0)], 1).reason,
            BalanceReason::FewServers
        );
    }

    #[test]
    fn the_regions_of_all_tables_count_together() {
        // Every table has one region more on server 0: 16 and 8 become 12 and 12, though each table alone is even enough.
        let places: Vec<(u32, u32)> = (0..8)
            .flat_map(|table| [(table, 0), (table, 0), (table, 1)])
            .collect();
        let decision = decide(&places, 2);
        assert_eq!(
            decision.finding,
            BalanceFinding::Counts {
                before: (8, 16),
                after: (12, 12)
            }
        );
        assert_eq!(decision.moves.len(), 4);
    }

    #[test]
    fn three_regions_of_system_tables_on_one_server_send_two_of_it_away() {
        // Sixteen regions on four servers, and three of system tables on the first: 7, 4, 4 and 4, of which the mean, 4.75, allows 3 to 6.
        let mut places: Vec<(u32, u32)> = (0..16).map(|region| (0, region % 4)).collect();
        places.extend([(1, 0), (2, 0), (3, 0)]);
        let decision = decide(&places, 4);
        assert_eq!(decision.reason, BalanceReason::RegionCounts);
        // Two leave it: floor of the mean is 4, ceil 5.
        assert_eq!(decision.moves.len(), 2);
        // On three servers each they would be even.
        for (at, place) in places[16..].iter_mut().enumerate() {
            place.1 = at as u32;
        }
        assert_eq!(decide(&places, 4).reason, BalanceReason::Balanced);
    }

    #[test]
    fn no_more_regions_leave_than_the_emptiest_servers_lack() {
        // 3, 3, 3 and 0 of nine: two make the least of 2, and one server keeps its third.
        let places = [0, 0, 0, 1, 1, 1, 2, 2, 2].map(|server| (0, server));
        assert_eq!(moved(&decide(&places, 4)), [(2, 3), (5, 3)]);
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
        fn a_started_run_leaves_floor_or_ceil_of_the_mean_on_every_server(
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
            let before = region_counts(regions.iter().map(|region| region.server), servers);
            if uneven_counts(&before, 0.2).is_some() {
                let (least, most) = bounds(&region_counts(placement.into_iter(), servers));
                prop_assert!(most - least <= 1, "{least} to {most}");
            } else {
                prop_assert!(decision.moves.is_empty());
            }
        }
    }
}
