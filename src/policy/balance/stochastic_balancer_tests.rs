//! The stochastic balancer: what starts it, what it finds, and that no step ever costs more.

use super::*;
use crate::policy::balance::{Balancer, RegionLoad, RegionMove};
use crate::random::{DrawKey, Seed, Stream};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn draws(lane: u32) -> Draws {
    DrawKey::new(Seed(3), 0, Stream::Sample, lane).at(5)
}

/// `count` regions of one table dealt to servers in turn, the loads of the hot ones given.
fn dealt(count: u32, servers: u32, hot: &[(u32, RegionLoad)]) -> Vec<BalancedRegion> {
    let mut regions: Vec<BalancedRegion> = (0..count)
        .map(|index| BalancedRegion {
            server: index % servers,
            table: 0,
            created: u64::from(index),
            load: RegionLoad::default(),
            demand: 0.0,
        })
        .collect();
    for &(region, load) in hot {
        regions[region as usize].load = load;
    }
    regions
}

const WRITES: RegionLoad = RegionLoad {
    reads: 0.0,
    writes: 90_000.0,
    memstore_mb: 13.0,
    store_file_mb: 700.0,
};

const READS_TOO: RegionLoad = RegionLoad {
    reads: 5_000.0,
    ..WRITES
};

fn costs(decision: &BalanceDecision) -> (Imbalance, Imbalance) {
    match &decision.finding {
        BalanceFinding::Cost { before, after } => (**before, **after),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pure_write_hotspot_over_equal_counts_does_not_start_it_without_any_reads() {
    let regions = dealt(16, 8, &[(3, WRITES)]);
    let decision = StochasticBalancer::default().decide(&regions, 8, &mut draws(0));
    assert_eq!(decision.reason, BalanceReason::Balanced);
    assert_eq!(
        decision.to_string(),
        "15/602 = 0.0249 < 0.025: does not start"
    );
}

/// Sixteen regions of one table on four servers, the first of them hot, and two system tables of one region each, the first of which has 60
/// reads from sample to sample.
fn beside_meta(hot: RegionLoad, cold: RegionLoad) -> Vec<BalancedRegion> {
    let mut regions = dealt(16, 4, &[]);
    for region in &mut regions {
        region.load = cold;
    }
    regions[0].load = hot;
    for (table, reads) in [(1, 60.0), (2, 0.0)] {
        regions.push(BalancedRegion {
            server: table,
            table,
            created: 0,
            load: RegionLoad {
                reads,
                ..RegionLoad::default()
            },
            demand: 0.0,
        });
    }
    regions
}

#[test]
fn the_reads_of_meta_lift_a_pure_write_hotspot_over_the_threshold_and_it_stays() {
    let files = |store_file_mb| RegionLoad {
        store_file_mb,
        ..RegionLoad::default()
    };
    let hot = |store_file_mb| RegionLoad {
        store_file_mb,
        ..WRITES
    };
    let none = RegionLoad::default();
    // What HBase 2.6.1 said of such a cluster. Reads cost 5 wherever meta lies: nobody else reads. Of store files a server with the share p
    // costs 5 (4 p - 1) / 3. 3 x 12 + 140 of 320 MB: p = 0.55, 2 points; 3 x 4 + 260 of 320: p = 0.85, 4 points; all: 5.
    for (hot, cold, expected) in [
        (none, none, "5/602 = 0.0083 < 0.025: does not start"),
        (hot(0.0), none, "15/602 = 0.0249 < 0.025: does not start"),
        (hot(140.0), files(12.0), "17/602 = 0.0282 >= 0.025: starts"),
        (hot(260.0), files(4.0), "19/602 = 0.0315 >= 0.025: starts"),
        (hot(700.0), none, "20/602 = 0.0332 >= 0.025: starts"),
    ] {
        let regions = beside_meta(hot, cold);
        let balancer = StochasticBalancer::default();
        let decision = balancer.decide(&regions, 4, &mut draws(0));
        let words = decision.to_string();
        assert!(words.starts_with(expected), "{words}");
        // One region's move costs 7/18 of a point. Taking one of 12 MB off the hot server leaves 164, 60, 48 and 48 MB, whose cost of 0.352
        // saves 5 x (0.4 - 0.352) = 0.24; smaller files save less.
        assert_eq!(decision.moves, [], "{words}");
    }
}

#[test]
fn a_balancer_that_starts_evens_store_files_and_leaves_all_writes_on_one_server() {
    // Cold regions that differ: 30 MB each beside the hot one, 2 MB elsewhere. 230 of 254 MB lie on the hot server; without one of the
    // 30 MB it is 200, and the cost falls from 0.87 to 0.72: 0.75 points, of which the move takes 0.39.
    let files = |store_file_mb| RegionLoad {
        store_file_mb,
        ..RegionLoad::default()
    };
    let hot = RegionLoad {
        store_file_mb: 140.0,
        ..WRITES
    };
    let mut regions = beside_meta(hot, files(2.0));
    for region in [4, 8, 12] {
        regions[region].load = files(30.0);
    }
    let decision = StochasticBalancer::default().decide(&regions, 4, &mut draws(0));
    assert!(!decision.moves.is_empty());
    let (before, after) = costs(&decision);
    assert!(after.points() < before.points());
    for function in [
        CostFunction::ReadRequest,
        CostFunction::WriteRequest,
        CostFunction::MemstoreSize,
    ] {
        assert_eq!(
            (
                before.costs[function as usize],
                after.costs[function as usize]
            ),
            (1.0, 1.0)
        );
    }
}

#[test]
fn many_reads_that_are_spread_evenly_keep_it_from_starting() {
    // 20,000 reads of each of eight servers in fifteen samples, 1,500 from one to the next, and 64 of meta: (n p - 1) / (n - 1) for a server
    // with 1,564 of 12,064 is 64 / 12,064 = 0.0053, below the hundredth that is left to 15.05 points.
    let mut regions = dealt(16, 8, &[]);
    for region in &mut regions {
        region.load.reads = 750.0;
    }
    regions[3].load = RegionLoad {
        reads: 750.0 + 64.0,
        ..WRITES
    };
    let decide = |regions: &[BalancedRegion]| {
        let decision = StochasticBalancer::default().decide(regions, 8, &mut draws(0));
        (costs(&decision).0, decision.to_string())
    };
    let (found, words) = decide(&regions);
    assert!((found.costs[CostFunction::ReadRequest as usize] - 64.0 / 12_064.0).abs() < 1e-12);
    assert_eq!(words, "15.03/602 = 0.0249 < 0.025: does not start");
    // Twice as uneven, 128 of 12,128: 15.0528 points.
    regions[3].load.reads += 64.0;
    let (_, words) = decide(&regions);
    assert!(
        words.starts_with("15.05/602 = 0.0250 >= 0.025: starts"),
        "{words}"
    );
}

#[test]
fn a_walk_takes_800_steps_for_each_region_and_server_and_a_million_at_most() {
    let balancer = StochasticBalancer::default();
    // What HBase 2.6.1 tried for sixteen regions and two of system tables on four servers.
    assert_eq!(balancer.steps(18, 4), 57_600);
    assert_eq!(balancer.steps(10_000, 40), 1_000_000);
}

#[test]
fn with_its_reads_it_starts_and_moving_the_hot_region_cures_nothing() {
    let regions = dealt(16, 8, &[(3, READS_TOO)]);
    let decision = StochasticBalancer::default().decide(&regions, 8, &mut draws(0));
    assert_eq!(decision.reason, BalanceReason::Cost);
    let (before, after) = costs(&decision);
    assert_eq!(before.to_string(), "20/602 = 0.0332 >= 0.025");
    assert_eq!(before, after);
    assert_eq!(
        decision.to_string(),
        "20/602 = 0.0332 >= 0.025: starts for its cost and finds nothing better"
    );
}

#[test]
fn two_hot_regions_of_one_server_are_parted() {
    let regions = dealt(16, 8, &[(3, READS_TOO), (11, READS_TOO)]);
    let decision = StochasticBalancer::default().decide(&regions, 8, &mut draws(0));
    let server = |region: u32| {
        let moved = decision.moves.iter().find(|moved| moved.region == region);
        moved.map_or(3, |moved| moved.to)
    };
    assert_ne!(server(3), server(11));
    let (before, after) = costs(&decision);
    // Half of the load on each of two of eight servers: sqrt(6/7 / 2) of the worst, 20 points of it before.
    let parted = (3.0f64 / 7.0).sqrt();
    assert!((before.points() - 20.0).abs() < 1e-9);
    assert!((after.costs[CostFunction::WriteRequest as usize] - parted).abs() < 1e-3);
    assert!(decision.moves.len() <= 2);
}

#[test]
fn an_empty_server_gets_its_share_of_regions() {
    // Four servers with four regions each, and a new one.
    let regions = dealt(16, 4, &[]);
    let decision = StochasticBalancer::default().decide(&regions, 5, &mut draws(1));
    assert_eq!(decision.reason, BalanceReason::IdleServer);
    let there = decision.moves.iter().filter(|moved| moved.to == 4).count();
    // Floor of 16 / 5.
    assert_eq!(there, 3, "{:?}", decision.moves);
}

#[test]
fn two_servers_are_enough_and_share_the_regions() {
    let regions = dealt(6, 1, &[]);
    let decision = StochasticBalancer::default().decide(&regions, 2, &mut draws(0));
    assert_eq!(decision.reason, BalanceReason::IdleServer);
    assert_eq!(decision.moves.len(), 3);
}

#[test]
fn steps_between_the_fullest_and_the_emptiest_server_are_as_many_as_the_counts_cost() {
    let steps = 20_000;
    // Twelve regions of one table on four servers, the sum of the counts' squared distances from 3, and the pairs of a fullest server with
    // an emptiest one.
    for (counts, squares, extremes) in [
        ([6, 2, 2, 2], 12.0, &[(0, 1), (0, 2), (0, 3)][..]),
        ([2, 6, 3, 1], 14.0, &[(1, 3)][..]),
    ] {
        let mut regions = dealt(12, 4, &[(7, WRITES)]);
        regions[7].load.writes = 0.0;
        regions[7].load.store_file_mb = 0.0;
        let servers = (0..4u32).flat_map(|at| vec![at; counts[at as usize] as usize]);
        for (region, server) in regions.iter_mut().zip(servers) {
            region.server = server;
        }
        let cluster = ClusterCosts::new(&regions, 4, StochasticBalancer::default().weights);
        // All twelve on one server have 9^2 + 3 x 3^2 = 108. The table's counts cost as much, the one memstore 1.
        let skew = (squares / 108.0f64).sqrt();
        let levelling = skew / (2.0 * skew + 1.0);
        let (mut found, mut moves) = (BTreeMap::new(), 0);
        let mut draws = draws(6);
        for _ in 0..steps {
            let step = next_step(&cluster, &mut draws).unwrap();
            let (from, to) = match step {
                Step::Move { region, to } => {
                    let from = regions[region as usize].server;
                    assert!(counts[from as usize] >= counts[to as usize], "{step:?}");
                    moves += 1;
                    (from, to)
                }
                Step::Swap { a, b } => (regions[a as usize].server, regions[b as usize].server),
            };
            *found.entry((from.min(to), from.max(to))).or_insert(0) += 1;
        }
        // Four standard errors.
        let agrees = |found: i32, share: f64| {
            let found = f64::from(found) / f64::from(steps);
            (found - share).abs() < 4.0 * (share * (1.0 - share) / f64::from(steps)).sqrt()
        };
        assert!(agrees(moves, 0.5), "{moves}");
        assert_eq!(found.len(), 6);
        for (pair, times) in found {
            let extreme = match extremes.contains(&pair) {
                true => levelling / extremes.len() as f64,
                false => 0.0,
            };
            assert!(
                agrees(times, extreme + (1.0 - levelling) / 6.0),
                "{pair:?}: {times} in {counts:?}"
            );
        }
    }
}

#[test]
fn counts_beyond_the_slop_start_it_and_within_it_do_not() {
    let balancer = StochasticBalancer::default();
    let mut regions = dealt(40, 4, &[]);
    for region in [0, 4] {
        regions[region].server = 1;
    }
    // 8, 12, 10, 10: within a fifth of 10, and a cost of (500 + 35) x 0.0816 = 43.7 is far over the threshold all the same.
    let decision = balancer.decide(&regions, 4, &mut draws(2));
    assert_eq!(decision.reason, BalanceReason::Cost);
    let (before, after) = costs(&decision);
    assert!((before.points() - 535.0 * 0.0816496580927726).abs() < 1e-9);
    assert!(after.costs[CostFunction::RegionCountSkew as usize] < 1e-9);
    regions[8].server = 1;
    let decision = balancer.decide(&regions, 4, &mut draws(2));
    assert_eq!(decision.reason, BalanceReason::RegionCounts);
    let decision = Balancer::Stochastic(balancer).decide(&regions[..1], 1, &mut draws(2));
    assert_eq!(decision.reason, BalanceReason::FewServers);
}

#[test]
fn equal_draws_give_equal_decisions() {
    let regions = dealt(30, 6, &[(3, READS_TOO), (9, READS_TOO), (4, WRITES)]);
    let balancer = StochasticBalancer::default();
    let decide = || balancer.decide(&regions, 6, &mut draws(4));
    assert_eq!(decide(), decide());
}

prop_compose! {
    fn any_region()(
        server in 0u32..4,
        table in 0u32..3,
        reads in 0u32..1_000,
        writes in 0u32..1_000,
        memstore in 0u32..9,
        files in 0u32..90,
    ) -> BalancedRegion {
        // Binary fractions: their sums don't depend on the order, so a whole one is whole however it is added.
        BalancedRegion {
            server,
            table,
            created: 0,
            load: RegionLoad {
                reads: f64::from(reads),
                writes: f64::from(writes) / 8.0,
                memstore_mb: f64::from(memstore) / 4.0,
                store_file_mb: f64::from(files),
            },
            demand: 0.0,
        }
    }
}

fn moved(regions: &[BalancedRegion], moves: &[RegionMove]) -> Vec<BalancedRegion> {
    let mut regions = regions.to_vec();
    for step in moves {
        assert_eq!(regions[step.region as usize].server, step.from);
        regions[step.region as usize].server = step.to;
    }
    regions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_decision_costs_less_and_its_costs_are_those_of_the_placement_it_leads_to(
        regions in proptest::collection::vec(any_region(), 1..25),
        lane in 0u32..9,
    ) {
        let balancer = StochasticBalancer { steps_per_region: 40, ..StochasticBalancer::default() };
        let decision = balancer.decide(&regions, 5, &mut draws(lane));
        let (before, after) = costs(&decision);
        prop_assert_eq!(before, balancer.imbalance_of(&ClusterCosts::new(&regions, 5, balancer.weights)));
        prop_assert!(decision.moves.iter().all(|step| step.to < 5 && step.to != step.from));
        prop_assert!(after.points() < before.points() || decision.moves.is_empty());
        let afresh = balancer.imbalance_of(&ClusterCosts::new(&moved(&regions, &decision.moves), 5, balancer.weights));
        for function in CostFunction::ALL {
            if function == CostFunction::Move {
                let expected = decision.moves.len() as f64 / regions.len() as f64;
                prop_assert!((after.costs[function as usize] - expected).abs() < 1e-12);
            } else {
                // Squares of up to 1e8 cancel to within 1e-8, under a root.
                prop_assert!((after.costs[function as usize] - afresh.costs[function as usize]).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn a_step_evaluated_is_the_step_taken_and_taking_it_back_restores_the_cost(
        regions in proptest::collection::vec(any_region(), 2..25),
        picks in proptest::collection::vec((0usize..25, 0usize..25, any::<bool>()), 1..30),
    ) {
        let mut cluster = ClusterCosts::new(&regions, 5, StochasticBalancer::default().weights);
        let mut server: Vec<u32> = regions.iter().map(|region| region.server).collect();
        for (a, b, swap) in picks {
            let (a, b) = (a % regions.len(), b % regions.len());
            let to = (server[a] + 1 + b as u32 % 4) % 5;
            let step = match swap && server[a] != server[b] {
                true => Step::Swap { a: a as u32, b: b as u32 },
                false => Step::Move { region: a as u32, to },
            };
            let (before, expected) = (cluster.points(), cluster.points_after(step));
            let back = cluster.take(step);
            // 602 points of costs that are right to 1e-6: squares of up to 1e8 cancel to within 1e-8, and a root of them is taken.
            prop_assert!((cluster.points() - expected).abs() < 602.0 * 1e-4);
            cluster.take(back);
            prop_assert!((cluster.points() - before).abs() < 602.0 * 1e-4);
            cluster.take(step);
            match step {
                Step::Move { to, .. } => server[a] = to,
                Step::Swap { .. } => server.swap(a, b),
            }
            // Every region is on exactly one server, where it says it is.
            let total: usize = (0..5).map(|server| cluster.regions_of(server).len()).sum();
            prop_assert_eq!(total, regions.len());
            for (region, &server) in server.iter().enumerate() {
                prop_assert!(cluster.regions_of(server).contains(&(region as u32)));
            }
        }
    }
}
