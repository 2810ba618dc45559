//! Targets whose fields are picked by a law of their own.

use super::fixture::{
    METRIC, NUMBER, SENSOR, SITE, START, TS, WIDTH, generator, open, records, workload, write,
};
use super::read_tests::{assert_fits, existing, filled, read, slots, source, with_reads};
use super::*;
use crate::record::{Distribution, DistributionShape};
use crate::time::{SimDuration, SimTime};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn zipf(exponent: f64) -> Distribution {
    Distribution {
        shape: DistributionShape::Zipf { exponent },
        top: Vec::new(),
        ranked: true,
    }
}

#[test]
fn a_picked_field_follows_its_law_and_takes_its_dependent_fields_along() {
    let mut picked = read("picked", &[SENSOR]);
    picked.pick = vec![(SENSOR, PickDistribution::Distribution(zipf(1.1)))];
    let mut workload = with_reads(workload(10_000, Vec::new()), vec![picked]);
    workload.existing = vec![existing(
        "old",
        ImportRows::Each {
            each: vec![SENSOR, METRIC],
            every: None,
            last: SimDuration::ZERO,
        },
    )];
    let batch = filled(&workload);
    let weights: Vec<f64> = (1..=23).map(|rank| f64::from(rank).powf(-1.1)).collect();
    let sum: f64 = weights.iter().sum();
    let mut counts = [0u64; 23];
    let sites: BTreeMap<i64, i64> = {
        let mut rows = OperationBatch::default();
        ExistingSample::take(&workload, &generator(), (100, Choice::Spread), &mut rows);
        let rows = records(&rows);
        rows.iter()
            .map(|row| (row[usize::from(SENSOR.0)], row[usize::from(SITE.0)]))
            .collect()
    };
    for record in batch.records.chunks(WIDTH) {
        let sensor = record[usize::from(SENSOR.0)];
        counts[(sensor - 100) as usize] += 1;
        assert_eq!(sites[&sensor], record[usize::from(SITE.0)]);
    }
    let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    assert_fits(&counts, &shares);
}

#[test]
fn a_picked_dependent_field_brings_one_of_its_parents() {
    let law = Distribution {
        shape: DistributionShape::Weights(vec![1.0, 5.0, 2.0, 2.0]),
        top: Vec::new(),
        ranked: true,
    };
    let mut picked = read("picked", &[SITE]);
    picked.pick = vec![(SITE, PickDistribution::Distribution(law))];
    let mut fixed = read("fixed", &[SITE]);
    fixed.with = vec![(SITE, 2)];
    let writes = vec![write("rows", open(1_000.0, Arrivals::Poisson))];
    let workload = with_reads(workload(8_000, writes), vec![picked, fixed]);
    let batch = filled(&workload);
    let generator = generator();
    let (mut counts, mut parents) = ([0u64; 4], BTreeSet::new());
    for at in 0..batch.operations.len() {
        let record = batch.target(at, WIDTH).record;
        let (sensor, site) = (record[usize::from(SENSOR.0)], record[usize::from(SITE.0)]);
        assert_eq!(generator.dependent_value(SITE, |_| sensor), Some(site));
        match batch.reads[at] {
            ReadId(0) => counts[site as usize] += 1,
            _ => {
                assert_eq!(site, 2);
                parents.insert(sensor);
            }
        }
    }
    let occurs = |site: i64| {
        (100..123).any(|sensor| generator.dependent_value(SITE, |_| sensor) == Some(site))
    };
    assert!((0..4).all(occurs), "the fixture has sensors at every site");
    assert_fits(&counts, &[0.1, 0.5, 0.2, 0.2]);
    let of_site =
        (100..123).filter(|sensor| generator.dependent_value(SITE, |_| *sensor) == Some(2));
    assert_eq!(parents.len(), of_site.count());
}

#[test]
fn the_latest_rows_are_asked_for_by_zipfs_law_of_their_recency() {
    let mut latest = read("latest", &[NUMBER]);
    latest.pick = vec![(NUMBER, PickDistribution::Latest { exponent: 1.2 })];
    latest.load = Some(ReadLoadModel::Closed {
        clients: 1,
        think: Think::Exponential(SimDuration::from_millis(3)),
    });
    let writes = vec![write("rows", open(100.0, Arrivals::Constant))];
    let mut workload = with_reads(workload(2_000, writes), vec![latest]);
    let rows = ImportRows::Drawn {
        records: 40,
        last: SimDuration::from_secs(9),
    };
    workload.existing = vec![Existing {
        write: Some(WriteId(0)),
        ..existing("rows", rows)
    }];
    let mut batch = ReadBatch::default();
    let mut source = source(&workload);
    // 40 existing rows and 60 of the run: numbers 500 to 599.
    for k in 0..40_000 {
        source.issue(
            ReadId(0),
            0,
            k,
            SimTime::from_nanos(600_000_000),
            &mut batch,
        );
    }
    let mut counts = [0u64; 100];
    for number in slots(&batch, NUMBER) {
        counts[(599 - number) as usize] += 1;
    }
    let weights: Vec<f64> = (1..=100).map(|rank| f64::from(rank).powf(-1.2)).collect();
    let sum: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    assert_fits(&counts, &shares);
    let thinking: f64 = (0..4_000)
        .map(|k| source.think(ReadId(0), 0, k).as_millis_f64())
        .sum();
    // Mean 3 ms, standard error 3 / sqrt(4000) = 0.047: four of them.
    assert!((thinking / 4_000.0 - 3.0).abs() < 0.19, "{thinking}");
}

#[test]
fn rows_of_the_last_while_are_spread_evenly_over_it() {
    let mut last = read("last", &[SENSOR, TS]);
    last.pick = vec![(TS, PickDistribution::Last(SimDuration::from_secs(4)))];
    let writes = vec![write("rows", open(5_000.0, Arrivals::Constant))];
    let mut workload = with_reads(workload(3_000, writes), vec![last]);
    workload.existing = vec![existing(
        "old",
        ImportRows::Drawn {
            records: 90_000,
            last: SimDuration::from_secs(3),
        },
    )];
    let batch = filled(&workload);
    let mut ages = [0u64; 40];
    for at in 0..batch.operations.len() {
        let target = batch.target(at, WIDTH);
        let age = START.0 + target.at.as_nanos() as i64 - target.record[usize::from(TS.0)];
        // A row lies up to a gap beside the instant that was drawn, and before the first row any row lends its fields.
        ages[(age / 100_000_000).clamp(0, 39) as usize] += 1;
    }
    assert_fits(&ages, &[1.0 / 40.0; 40]);
}
