//! Dealings of regions, beside counting them and beside what real tables showed. Must not run a simulation.

use super::*;
use crate::random::{Seed, Stream, stream};
use proptest::prelude::*;

fn opened(
    placement: &Placement,
    regions: u32,
    growth: &[u32],
    servers: u32,
    replicate: u32,
) -> Vec<u32> {
    let mut draws = stream(Seed(5), replicate, Stream::Placement, 0);
    placement.opening_servers(regions, growth, servers, &mut draws)
}

fn counts(opened: &[u32], servers: u32) -> Vec<usize> {
    let of = |server| opened.iter().filter(|&&at| at == server).count();
    (0..servers).map(of).collect()
}

fn equal_neighbours(opened: &[u32]) -> f64 {
    let equal = opened.windows(2).filter(|pair| pair[0] == pair[1]).count();
    equal as f64 / (opened.len() - 1) as f64
}

/// The order in which `regions` regions of a table that began as one were split off, when all halve again and again in an order of chance.
fn doubling(regions: u32, replicate: u32) -> Vec<u32> {
    let mut draws = stream(Seed(9), replicate, Stream::Sample, 0);
    let mut order = Vec::new();
    let mut generation = vec![(0, regions)];
    while !generation.is_empty() {
        generation.shuffle(&mut draws);
        let mut next = Vec::new();
        for (from, to) in generation.drain(..).filter(|(from, to)| to - from > 1) {
            let middle = from.midpoint(to);
            order.push(middle);
            next.extend([(from, middle), (middle, to)]);
        }
        generation = next;
    }
    order
}

/// The same of so many salts, each of which is split at its growing end, all at one speed.
fn rising(regions: u32, salts: u32, replicate: u32) -> Vec<u32> {
    let mut draws = stream(Seed(9), replicate, Stream::Sample, 1);
    let first = |salt: u32| salt * regions / salts;
    let mut salted: Vec<u32> = (1..salts).map(first).collect();
    salted.shuffle(&mut draws);
    let mut ends: Vec<(f64, u32)> = Vec::new();
    for salt in 0..salts {
        let within = first(salt)..first(salt + 1);
        let count = f64::from(within.end - within.start);
        let time = |at: u32| f64::from(at - within.start) / count;
        ends.extend(
            within
                .clone()
                .skip(1)
                .map(|at| (time(at) + draws.random::<f64>() / count, at)),
        );
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    salted
        .into_iter()
        .chain(ends.into_iter().map(|(_, at)| at))
        .collect()
}

proptest! {
    #[test]
    fn every_server_has_as_many_regions_give_or_take_one(
        regions in 1u32..300, servers in 1u32..40, replicate in 0u32..1_000, presplit in 1u32..300,
    ) {
        let late: Vec<u32> = (presplit.min(regions)..regions).collect();
        for (placement, growth) in [
            (Placement::Dealt, &[][..]),
            (Placement::InOrder, &[]),
            (Placement::Grown, &[]),
            (Placement::Grown, &late),
        ] {
            let opened = opened(&placement, regions, growth, servers, replicate);
            prop_assert_eq!(opened.len(), regions as usize);
            let counts = counts(&opened, servers);
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            prop_assert!(most - least <= 1, "{:?}: {:?}", placement, counts);
        }
    }
}

#[test]
fn dealt_regions_lie_in_no_order_and_every_server_gets_each_as_often() {
    let (regions, servers, deals) = (12, 8, 4_000);
    let mut first = vec![0; 8];
    let mut equal = 0.0;
    for replicate in 0..deals {
        let opened = opened(&Placement::Dealt, regions, &[], servers, replicate);
        first[opened[5] as usize] += 1;
        equal += equal_neighbours(&opened);
    }
    // Each server gets region 5 in one of eight: 500 of 4,000, four standard errors of sqrt(500 x 7/8) = 21.
    assert!(
        first.iter().all(|count| (416..=584).contains(count)),
        "{first:?}"
    );
    // Four servers have two of twelve regions: of 66 pairs of regions 4 lie together, so 4/66 of the 11 neighbours. Of 4,000 deals the
    // mean has a standard error of about sqrt(0.06 x 0.94 / 11 / 4,000) = 0.0011.
    let equal = equal / f64::from(deals);
    assert!((equal - 4.0 / 66.0).abs() < 0.005, "{equal}");
}

#[test]
fn in_order_goes_round_from_a_server_that_is_drawn() {
    let found: Vec<Vec<u32>> = (0..40)
        .map(|replicate| opened(&Placement::InOrder, 11, &[], 4, replicate))
        .collect();
    for opened in &found {
        assert!(
            opened.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 4),
            "{opened:?}"
        );
    }
    // 40 draws miss one of four with 4 x 0.75^40 < 10^-4.
    assert!((0..4).all(|first| found.iter().any(|opened| opened[0] == first)));
}

#[test]
fn a_list_is_taken_as_it_is_and_copies_are_dealt() {
    let listed = Placement::Listed(Arc::new(vec![2, 0, 2]));
    assert_eq!(opened(&listed, 3, &[], 3, 0), [2, 0, 2]);
    assert_eq!(opened(&listed, 5, &[], 3, 0), [2, 0, 2, 2, 0]);
    assert_eq!(listed.of_table(0), &listed);
    assert_eq!(listed.of_table(1), &Placement::Dealt);
    assert_eq!(Placement::Grown.of_table(1), &Placement::Grown);
}

#[test]
fn daughters_stay_with_their_parent_until_counts_are_uneven() {
    // Two servers and two regions of the pre-split, each split once: counts are even without a move.
    let opened = opened(&Placement::Grown, 4, &[1, 3], 2, 0);
    assert_eq!((opened[0], opened[2]), (opened[1], opened[3]));
    assert_ne!(opened[0], opened[2]);
}

/// Three tables grown on a real HBase of eight servers: regions, and how many of their neighbours lay on one server.
#[test]
fn grown_tables_have_as_many_equal_neighbours_as_real_ones() {
    type History = fn(u32, u32) -> Vec<u32>;
    let tables: [(u32, f64, History); 3] = [
        (52, 22.0, doubling),
        (43, 6.0, |regions, replicate| rising(regions, 1, replicate)),
        (91, 41.0, |regions, replicate| rising(regions, 4, replicate)),
    ];
    for (regions, equal, history) in tables {
        let grown = (0..200).map(|replicate| {
            let growth = history(regions, replicate);
            equal_neighbours(&opened(&Placement::Grown, regions, &growth, 8, replicate))
        });
        let mean = grown.sum::<f64>() / 200.0;
        let neighbours = f64::from(regions - 1);
        // One table was measured: three standard deviations of a share of so many neighbours.
        let tolerance = 3.0 * (mean * (1.0 - mean) / neighbours).sqrt();
        let measured = equal / neighbours;
        assert!(
            (mean - measured).abs() < tolerance,
            "{regions} regions: {mean} and {measured}"
        );
    }
}
