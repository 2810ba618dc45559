//! Open loops and beats: when, which, and that nothing but the file decides it.

use super::fixture::*;
use super::*;
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn ramp() -> LoadModel {
    let points = [
        (0, 0.5),
        (400, 2.0),
        (600, 2.0),
        (600, 0.0),
        (700, 0.0),
        (700, 1.0),
    ];
    let profile = points
        .map(|(at, times)| ProfilePoint {
            at: SimDuration::from_millis(at),
            times,
        })
        .to_vec();
    LoadModel::Open {
        rate: PerSecond(100_000.0),
        arrivals: Arrivals::Poisson,
        profile,
        import: None,
    }
}

#[test]
fn constant_arrivals_are_equal_gaps_without_drift() {
    let batch = all(&workload(
        3_000,
        vec![write("a", open(700.0, Arrivals::Constant))],
    ));
    assert_eq!(batch.operations.len(), 2_100);
    for pair in batch.intended.windows(2) {
        // 1/700 s, rounded to nanoseconds on both sides.
        assert!(pair[1].since(pair[0]).as_nanos().abs_diff(1_428_571) <= 1);
    }
}

#[test]
fn poisson_counts_follow_the_profile() {
    let batch = all(&workload(1_000, vec![write("a", ramp())]));
    // Area by tenths of a second: the ramp rises by 0.375 a tenth from 0.5 to 2.
    let expected = [
        6_875.0, 10_625.0, 14_375.0, 18_125.0, 20_000.0, 20_000.0, 0.0, 10_000.0, 10_000.0,
        10_000.0,
    ];
    let mut counts = [0.0f64; 10];
    for time in &batch.intended {
        counts[(time.as_nanos() / 100_000_000) as usize] += 1.0;
    }
    for (seen, expected) in counts.iter().zip(expected) {
        // Poisson: the standard deviation is the root of the mean; four of them.
        assert!(
            (seen - expected).abs() <= 4.0 * f64::sqrt(expected),
            "{counts:?}"
        );
    }
}

#[test]
fn poisson_gaps_are_exponential() {
    let batch = all(&workload(
        2_000,
        vec![write("a", open(50_000.0, Arrivals::Poisson))],
    ));
    let gaps: Vec<f64> = batch
        .intended
        .windows(2)
        .map(|pair| pair[1].since(pair[0]).as_secs_f64() * 50_000.0)
        .collect();
    let n = gaps.len() as f64;
    for (beyond, share) in [(0.5, 0.606_531), (1.0, 0.367_879), (3.0, 0.049_787)] {
        let seen = gaps.iter().filter(|gap| **gap > beyond).count() as f64 / n;
        // Binomial, four standard deviations.
        assert!(
            (seen - share).abs() < 4.0 * (share * (1.0 - share) / n).sqrt(),
            "{beyond}: {seen}"
        );
    }
}

#[test]
fn a_beat_hits_every_combination_once_in_every_period() {
    for (phase, jitter) in [
        (Phase::Spread, 0),
        (Phase::Aligned, 0),
        (Phase::Spread, 130),
        (Phase::Aligned, 90),
    ] {
        let batch = all(&workload(
            500,
            vec![write("b", periodic(100, phase, jitter))],
        ));
        let mut beats: BTreeMap<(u64, i64, i64), u32> = BTreeMap::new();
        let mut phases: BTreeMap<(i64, i64), u64> = BTreeMap::new();
        for (i, record) in records(&batch).iter().enumerate() {
            let period = batch.indices[i] / 69;
            *beats.entry((period, record[0], record[1])).or_default() += 1;
            assert_eq!(
                record[TS.0 as usize],
                START.0 + batch.intended[i].as_nanos() as i64
            );
            assert_eq!(record[NUMBER.0 as usize], 500 + batch.indices[i] as i64);
            if jitter == 0 {
                let offset = batch.intended[i].as_nanos() - period * 100_000_000;
                assert_eq!(
                    *phases.entry((record[0], record[1])).or_insert(offset),
                    offset
                );
            }
            let base = match phase {
                Phase::Spread => period * 100_000_000 + batch.indices[i] % 69 * 100_000_000 / 69,
                Phase::Aligned => period * 100_000_000,
            };
            let moved = batch.intended[i].as_nanos() - base;
            assert!(moved <= jitter * 1_000_000);
        }
        assert!(beats.values().all(|count| *count == 1));
        // Jitter carries some beats beyond the end.
        let complete = beats.keys().filter(|(period, _, _)| *period < 3).count();
        assert_eq!(complete, 3 * 69);
        if jitter == 0 {
            assert_eq!(batch.operations.len(), 5 * 69);
        }
    }
}

#[test]
fn spread_beats_are_not_in_the_order_of_their_values() {
    let batch = all(&workload(
        100,
        vec![write("b", periodic(100, Phase::Spread, 0))],
    ));
    let sensors: Vec<i64> = records(&batch).iter().map(|record| record[0]).collect();
    let ascents = sensors.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    // 68 neighbours of a random order: about half ascend, standard deviation sqrt(69 / 12) = 2.4; five of them, and ties.
    assert!((22..=50).contains(&ascents), "{ascents}");
}

#[test]
fn fields_fixed_by_the_write_are_fixed_in_every_record() {
    let mut tenant = write("a", open(5_000.0, Arrivals::Poisson));
    tenant.with = vec![(SENSOR, 103), (LOAD, 99)];
    let mut totals = write("b", periodic(50, Phase::Spread, 0));
    totals.with = vec![(LOAD, -5)];
    let batch = all(&workload(200, vec![tenant, totals]));
    for (record, write) in records(&batch).iter().zip(&batch.writes) {
        match write {
            WriteId(0) => assert_eq!((record[0], record[5]), (103, 99)),
            _ => assert_eq!(record[5], -5),
        }
    }
}

#[test]
fn operations_of_all_writes_come_in_order_of_time_and_file() {
    let writes = vec![
        write("a", periodic(20, Phase::Aligned, 0)),
        write("b", ramp()),
        write("c", periodic(40, Phase::Aligned, 0)),
        write("d", periodic(30, Phase::Spread, 75)),
    ];
    let batch = all(&workload(300, writes));
    let keys: Vec<(SimTime, WriteId)> = batch
        .intended
        .iter()
        .copied()
        .zip(batch.writes.iter().copied())
        .collect();
    assert!(keys.is_sorted());
    assert!(
        keys.iter()
            .all(|(time, _)| *time < SimTime::from_nanos(300_000_000))
    );
    for (operation, (index, write)) in batch
        .operations
        .iter()
        .zip(batch.indices.iter().zip(&batch.writes))
    {
        assert_eq!(OperationId(*operation), OperationId::new(*write, *index));
    }
}

#[test]
fn another_write_moves_nothing_in_the_others() {
    let first = write("a", open(9_000.0, Arrivals::Poisson));
    let second = write("b", periodic(70, Phase::Spread, 20));
    let import = write(
        "new",
        open_import(
            ImportRows::Drawn {
                records: 900,
                last: SimDuration::ZERO,
            },
            ImportOrder::Shuffled,
        ),
    );
    let before = all(&workload(300, vec![first.clone(), second.clone()]));
    let after = all(&workload(300, vec![import, first, second]));
    let rows = |batch: &OperationBatch, shift: u8| -> Vec<(u8, u64, SimTime, Vec<i64>)> {
        (0..batch.operations.len())
            .filter(|at| batch.writes[*at].0 >= shift)
            .map(|at| {
                (
                    batch.writes[at].0 - shift,
                    batch.indices[at],
                    batch.intended[at],
                    batch.record(at, WIDTH).to_vec(),
                )
            })
            .collect()
    };
    assert_eq!(rows(&before, 0), rows(&after, 1));
}

#[test]
fn an_operation_has_the_same_fields_whatever_its_time() {
    let slow = all(&workload(
        300,
        vec![write("a", open(3_000.0, Arrivals::Poisson))],
    ));
    let fast = all(&workload(
        300,
        vec![write("a", open(7_000.0, Arrivals::Constant))],
    ));
    for (a, b) in records(&slow).iter().zip(records(&fast)) {
        assert_eq!((&a[..3], &a[4..]), (&b[..3], &b[4..]));
    }
}

#[test]
fn the_mean_intended_rate_counts_profiles_beats_and_finite_imports() {
    let rows = ImportRows::Drawn {
        records: 600,
        last: SimDuration::ZERO,
    };
    let writes = vec![
        write("a", ramp()),
        write("b", periodic(100, Phase::Spread, 0)),
        write("c", open_import(rows, ImportOrder::Time)),
    ];
    // 120,000 from the ramp, 690 beats and 600 records in a second.
    let offered = workload(1_000, writes.clone())
        .offered_per_sec(&schema())
        .expect("open");
    assert!((offered - 121_290.0).abs() < 1e-3, "{offered}");
    let closed = LoadModel::Closed {
        clients: 3,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import: None,
    };
    let mixed = workload(1_000, [writes, vec![write("d", closed)]].concat());
    assert_eq!(mixed.offered_per_sec(&schema()), None);
}

fn any_drive() -> impl Strategy<Value = LoadModel> {
    let last = SimDuration::from_millis(400);
    let every = Some(SimDuration::from_millis(90));
    prop_oneof![
        (1.0f64..20_000.0).prop_map(|rate| open(rate, Arrivals::Poisson)),
        (1.0f64..20_000.0).prop_map(|rate| open(rate, Arrivals::Constant)),
        Just(ramp()),
        (5u64..80, 0u64..120).prop_map(|(every, jitter)| periodic(every, Phase::Spread, jitter)),
        (5u64..80, 0u64..120).prop_map(|(every, jitter)| periodic(every, Phase::Aligned, jitter)),
        Just(open_import(
            ImportRows::Drawn { records: 700, last },
            ImportOrder::Shuffled
        )),
        Just(open_import(
            ImportRows::Each {
                each: vec![SENSOR],
                every,
                last
            },
            ImportOrder::By(SITE)
        )),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_size_of_batches_never_changes_anything(
        drives in prop::collection::vec(any_drive(), 1..4),
        sizes in prop::collection::vec(1usize..300, 1..6),
    ) {
        let writes = drives.into_iter().enumerate().map(|(at, load)| write(&format!("w{at}"), load)).collect();
        let workload = workload(100, writes);
        let whole = all(&workload);
        let mut arrivals = OpenArrivals::new(&workload, generator());
        let mut pieces = OperationBatch::default();
        for size in sizes.iter().cycle() {
            let next = arrivals.peek();
            let before = pieces.operations.len();
            let made = arrivals.fill(&mut pieces, *size);
            prop_assert_eq!(pieces.operations.len(), before + made);
            prop_assert_eq!(next, pieces.intended.get(before).copied());
            if made < *size {
                break;
            }
        }
        prop_assert_eq!(arrivals.peek(), None);
        prop_assert_eq!(pieces, whole);
    }
}
