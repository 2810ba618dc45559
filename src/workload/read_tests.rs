//! The reads that are intended: times, targets and lists.

use super::fixture::{LOAD, METRIC, SENSOR, SITE, START, TS, WIDTH, generator, periodic};
use super::fixture::{all, open, records, workload, write};
use super::pick_tests::zipf;
use super::*;
use crate::record::{FieldId, KnownField};
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::{BTreeMap, BTreeSet};

/// A right source fails one test in a million; seeds are fixed, so a pass is a pass for good.
const SIGNIFICANCE: f64 = 1e-6;

pub(super) fn read(name: &str, equal: &[FieldId]) -> Read {
    let equal = equal.iter().copied().map(KnownField::Stored).collect();
    Read {
        load: Some(ReadLoadModel::Open {
            rate: PerSecond(2_000.0),
            arrivals: Arrivals::Poisson,
            profile: Vec::new(),
        }),
        ..Read::planned(name, equal)
    }
}

pub(super) fn existing(name: &str, rows: ImportRows) -> Existing {
    Existing {
        name: name.into(),
        write: None,
        rows,
        with: Vec::new(),
    }
}

pub(super) fn with_reads(mut workload: Workload, reads: Vec<Read>) -> Workload {
    workload.reads = reads;
    workload
}

pub(super) fn source(workload: &Workload) -> ReadSource {
    ReadSource::new(workload, generator())
}

pub(super) fn filled(workload: &Workload) -> ReadBatch {
    let mut batch = ReadBatch::default();
    source(workload).fill(&mut batch, usize::MAX);
    batch
}

pub(super) fn slots(batch: &ReadBatch, field: FieldId) -> Vec<i64> {
    let records = batch.records.chunks(WIDTH);
    records.map(|record| record[usize::from(field.0)]).collect()
}

/// Chi-square of counts in cells against their probabilities.
#[track_caller]
pub(super) fn assert_fits(counts: &[u64], probabilities: &[f64]) {
    let total: u64 = counts.iter().sum();
    let statistic: f64 = counts
        .iter()
        .zip(probabilities)
        .map(|(count, probability)| {
            let expected = probability * total as f64;
            assert!(expected > 5.0, "a cell expects only {expected}");
            (*count as f64 - expected).powi(2) / expected
        })
        .sum();
    let critical = ChiSquared::new((counts.len() - 1) as f64)
        .expect("positive")
        .inverse_cdf(1.0 - SIGNIFICANCE);
    assert!(
        statistic < critical,
        "{statistic} >= {critical}: {counts:?}"
    );
}

fn three_reads() -> Workload {
    let mut newest = read("newest", &[SENSOR]);
    newest.pick = vec![(TS, PickDistribution::Latest { exponent: 0.9 })];
    newest.within = vec![Within {
        field: METRIC,
        values: WithinValues::Count(2),
    }];
    let mut steady = read("steady", &[SENSOR, METRIC]);
    steady.load = Some(ReadLoadModel::Open {
        rate: PerSecond(500.0),
        arrivals: Arrivals::Constant,
        profile: vec![
            ProfilePoint {
                at: SimDuration::ZERO,
                times: 0.0,
            },
            ProfilePoint {
                at: SimDuration::from_secs(1),
                times: 2.0,
            },
        ],
    });
    let mut unissued = read("unissued", &[LOAD]);
    unissued.load = None;
    let writes = vec![
        write("rows", open(3_000.0, Arrivals::Poisson)),
        write("beats", periodic(300, Phase::Spread, 7)),
    ];
    let mut workload = with_reads(workload(2_000, writes), vec![newest, unissued, steady]);
    workload.existing = vec![existing(
        "old",
        ImportRows::Drawn {
            records: 5_000,
            last: SimDuration::from_secs(60),
        },
    )];
    workload
}

#[test]
fn existing_rows_without_an_instant_carry_the_start_of_the_run() {
    let mut workload = with_reads(workload(1_000, vec![]), vec![read("old", &[TS])]);
    let rows = ImportRows::Drawn {
        records: 50,
        last: SimDuration::ZERO,
    };
    workload.existing = vec![existing("old", rows)];
    let slots = slots(&filled(&workload), TS);
    assert!(slots.len() > 1_000 && slots.iter().all(|ts| *ts == START.0));
}

#[test]
fn the_size_of_batches_and_the_other_reads_change_nothing() {
    let workload = three_reads();
    let whole = filled(&workload);
    for n in [1, 7, 256] {
        let (mut source, mut batch) = (source(&workload), ReadBatch::default());
        let mut before = usize::MAX;
        while batch.operations.len() != before {
            before = batch.operations.len();
            source.fill(&mut batch, n);
        }
        assert_eq!(batch, whole);
    }
    // Alone, the steady read asks for the same at the same times; it is then the workload's first.
    let mut alone = workload.clone();
    alone.reads = vec![workload.reads[2].clone()];
    let alone = filled(&alone);
    let steady: Vec<usize> = (0..whole.operations.len())
        .filter(|at| whole.reads[*at] == ReadId(2))
        .collect();
    assert_eq!(alone.operations.len(), steady.len());
    for (at, among) in steady.iter().enumerate() {
        assert_eq!(alone.intended[at], whole.intended[*among]);
        assert_eq!(
            alone.target(at, WIDTH).record,
            whole.target(*among, WIDTH).record
        );
    }
}

#[test]
fn open_reads_come_in_order_of_time_at_their_rates_and_are_numbered_after_the_writes() {
    let workload = three_reads();
    let batch = filled(&workload);
    assert!(batch.intended.is_sorted());
    let count = |read| batch.reads.iter().filter(|id| **id == ReadId(read)).count();
    assert_eq!(count(1), 0);
    // A ramp from 0 to 1,000/s in the first second, then steady: 500 + 1,000, and the first gap's part.
    assert!(count(2).abs_diff(1_500) <= 1, "{}", count(2));
    // Poisson with mean 4,000: standard deviation 63.
    assert!(count(0).abs_diff(4_000) < 4 * 64, "{}", count(0));
    for at in 0..batch.operations.len() {
        let (operation, read) = (batch.operations[at], batch.reads[at]);
        assert_eq!(operation.write(), WriteId(2 + read.0));
        let number = batch.reads[..at].iter().filter(|id| **id == read).count();
        assert_eq!(operation.index(), number as u64);
    }
}

#[test]
fn a_target_is_a_row_of_the_table_and_each_is_equally_likely() {
    // Constant arrivals and beats carry known instants: a target is then a row bit by bit.
    let writes = vec![
        write("rows", open(150.0, Arrivals::Constant)),
        write("beats", periodic(300, Phase::Spread, 7)),
    ];
    let mut ask = read("any", &[SENSOR]);
    ask.load = Some(ReadLoadModel::Closed {
        clients: 3,
        think: Think::Constant(SimDuration::ZERO),
    });
    let mut workload = with_reads(workload(2_000, writes), vec![ask]);
    workload.existing = vec![existing(
        "old",
        ImportRows::Drawn {
            records: 200,
            last: SimDuration::from_secs(9),
        },
    )];
    let mut rows = ReadBatch::default();
    let mut source = source(&workload);
    let now = SimTime::from_nanos(1_500_000_000);
    for number in 0..60_000u64 {
        source.issue(ReadId(0), (number % 3) as u32, number / 3, now, &mut rows);
    }
    let mut counts: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for target in rows.records.chunks(WIDTH) {
        *counts.entry(target.to_vec()).or_default() += 1;
    }
    let written = all(&workload);
    // Of jittered beats those are rows that were due before.
    let mut there: BTreeSet<Vec<i64>> = records(&written)
        .into_iter()
        .zip(&written.intended)
        .filter(|(_, time)| **time < now + SimDuration::from_millis(7))
        .map(|(record, _)| record)
        .collect();
    let mut old = OperationBatch::default();
    ExistingSample::take(&workload, &generator(), (200, Choice::Spread), &mut old);
    there.extend(records(&old));
    for target in counts.keys() {
        assert!(there.contains(target), "{target:?} is no row");
    }
    // 200 existing rows, 225 at the rate, and 69 combinations x 5 beats less the last ones' jitter.
    assert!(
        counts.len().abs_diff(200 + 225 + 345) <= 2,
        "{}",
        counts.len()
    );
    let counts: Vec<u64> = counts.into_values().collect();
    assert_fits(&counts, &vec![1.0 / counts.len() as f64; counts.len()]);
}

#[test]
fn rows_of_the_run_can_be_asked_for_once_they_are_written() {
    let mut workload = three_reads();
    workload.existing.clear();
    workload.reads = vec![read("any", &[SENSOR])];
    let batch = filled(&workload);
    for at in 0..batch.operations.len() {
        let target = batch.target(at, WIDTH);
        let carried = target.record[usize::from(TS.0)] - START.0;
        assert!(carried >= 0 && carried as u64 <= target.at.as_nanos() + 7_000_000);
    }
}

#[test]
fn lists_hold_different_values_the_targets_own_first() {
    let mut drawn = read("drawn", &[METRIC]);
    drawn.within = vec![
        Within {
            field: SENSOR,
            values: WithinValues::Count(9),
        },
        Within {
            field: LOAD,
            values: WithinValues::Count(40),
        },
    ];
    drawn.pick = vec![(SENSOR, PickDistribution::Distribution(zipf(0.8)))];
    let mut every = read("every", &[SITE]);
    every.within = vec![
        Within {
            field: SENSOR,
            values: WithinValues::All,
        },
        Within {
            field: METRIC,
            values: WithinValues::All,
        },
    ];
    let mut some = read("some", &[SITE]);
    some.within = vec![Within {
        field: SENSOR,
        values: WithinValues::Count(2),
    }];
    let writes = vec![write("rows", open(900.0, Arrivals::Poisson))];
    let workload = with_reads(workload(800, writes), vec![drawn, every, some]);
    let batch = filled(&workload);
    let generator = generator();
    let mut seen = [0; 3];
    for at in 0..batch.operations.len() {
        let target = batch.target(at, WIDTH);
        let own = |field: FieldId| target.record[usize::from(field.0)];
        let site = |sensor: i64| generator.dependent_value(SITE, |_| sensor);
        seen[usize::from(batch.reads[at].0)] += 1;
        match batch.reads[at] {
            ReadId(0) => {
                // There are only twelve loads, as many as a list can hold.
                assert_eq!(target.within_lens, [9, 12]);
                assert_eq!(target.within[0], own(SENSOR));
                assert_eq!(target.within[9], own(LOAD));
                let sensors: BTreeSet<i64> = target.within[..9].iter().copied().collect();
                assert_eq!(sensors.len(), 9);
                assert!(sensors.iter().all(|sensor| (100..123).contains(sensor)));
            }
            ReadId(1) => {
                let of_site: BTreeSet<i64> = (100..123)
                    .filter(|sensor| site(*sensor) == Some(own(SITE)))
                    .collect();
                let list = &target.within[..target.within_lens[0] as usize];
                assert_eq!(list[0], own(SENSOR));
                assert_eq!(list.iter().copied().collect::<BTreeSet<_>>(), of_site);
                assert_eq!(list.len(), of_site.len());
                assert_eq!(target.within[list.len()..], [7, 8, 9]);
            }
            _ => {
                let list = target.within;
                assert_eq!(list[0], own(SENSOR));
                assert!(list.len() <= 2 && list.iter().all(|s| site(*s) == Some(own(SITE))));
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
}

#[test]
fn targets_for_costing_are_spread_over_the_run_also_of_reads_that_are_not_issued() {
    let workload = three_reads();
    let mut batch = ReadBatch::default();
    source(&workload).sample(ReadId(1), 40, &mut batch);
    assert_eq!(batch.operations.len(), 40);
    let first = SimTime::from_nanos(25_000_000);
    assert_eq!(
        (batch.intended[0], batch.intended[39]),
        (first, SimTime::from_nanos(1_975_000_000))
    );
    let loads: BTreeSet<i64> = slots(&batch, LOAD).into_iter().collect();
    assert!(loads.len() > 6, "{loads:?}");
    // A table without a row is asked for one all the same.
    let mut empty = with_reads(
        self::workload(1_000, Vec::new()),
        vec![read("any", &[SENSOR])],
    );
    empty.reads[0].with = vec![(SENSOR, 111)];
    let mut batch = ReadBatch::default();
    source(&empty).sample(ReadId(0), 3, &mut batch);
    assert_eq!(slots(&batch, SENSOR), [111; 3]);
}
