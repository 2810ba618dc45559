//! Rows of tables that an import fills while it is asked of them.

use super::import_tests::drawn;
use super::materialised_table_fixture::{
    CAMPAIGN, COMPANY, ID, KIND, REGION, SEED, Sums, at, drawn_table, materialised, of, schema,
};
use super::*;
use crate::record::{FieldId, KnownField, RecordGenerator};
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table that is empty but for an import of so many rows a second.
fn filling(rows: ImportRows, order: ImportOrder, rate: f64) -> Workload {
    let import = Import {
        rows,
        order,
        times: None,
    };
    let load = LoadModel::Open {
        rate: PerSecond(rate),
        arrivals: Arrivals::Constant,
        profile: Vec::new(),
        import: Some(import),
    };
    Workload {
        existing: Vec::new(),
        writes: vec![Write {
            load,
            ..super::materialised_table_fixture::drawn("rows", rate, Vec::new(), &[])
        }],
        ..drawn_table()
    }
}

/// 6,000 campaigns by 4 kinds.
fn once() -> ImportRows {
    ImportRows::Each {
        each: vec![CAMPAIGN, KIND],
        every: None,
        last: SimDuration::ZERO,
    }
}

/// 24,000 of 24,000 combinations after 24 s, and half of them after 12 s; drawn with replacement these would be 24,000 (1 - 1 / e) = 15,171.
#[test]
fn combinations_that_are_imported_once_are_as_many_rows() {
    let workload = filling(once(), ImportOrder::Shuffled, 1_000.0);
    let equality = RowEquality {
        told: &[CAMPAIGN, KIND],
        ..RowEquality::default()
    };
    let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
    let table = |millis| materialised(&workload, &schema(None), at(millis));
    let done = table(25_000);
    done.compare_distinct(300, equality, company).are_equal();
    let half = table(12_000);
    half.compare_distinct(300, equality, company).agree();
    let all = half
        .population
        .distinct(Condition::default(), equality, &half.rows[0], at(12_000));
    // The target is one of those that are expected, and half a row is rounding.
    assert!((all - 12_000.0).abs() < 1.0, "{all}");
}

/// Ten clients that wait 2 ms for each of their rows put 5,000 a second: 24,000 take them 4.8 s of 30 s.
#[test]
fn an_import_of_clients_fills_the_table_at_their_pace() {
    let mut workload = filling(once(), ImportOrder::Time, 1_000.0);
    let import = workload.writes[0].load.import().cloned();
    workload.writes[0].load = LoadModel::Closed {
        clients: 10,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import,
    };
    let generator = Arc::new(RecordGenerator::new(&schema(None), SEED, 1));
    let population = Population::new(&workload, &generator);
    for (millis, rows) in [(2_400, 12_000.0), (4_800, 24_000.0), (20_000, 24_000.0)] {
        let found = population.rows(at(millis));
        assert!((found - rows).abs() < 1e-6 * rows, "{millis}: {found}");
    }
}

/// Fields that an import is sorted by: by number, by text, and by what another field decides.
const SORTED_BY: [FieldId; 3] = [CAMPAIGN, KIND, COMPANY];

/// Of 60,000 rows 36,000 are there. As few as 6,000 campaigns have rows, so that 1,000 reads meet a campaign's number with an error of about
/// 1 / sqrt(1,000 x 20) = 0.7 %; four times that is allowed.
#[test]
fn a_value_that_a_sorted_import_has_passed_has_all_of_its_rows_and_one_to_come_has_none() {
    for field in SORTED_BY {
        let workload = filling(drawn(60_000, 0), ImportOrder::By(field), 3_000.0);
        let table = materialised(&workload, &schema(None), at(12_000));
        let is_near = |sums: Sums| {
            let error = (sums.truth - sums.estimate).abs();
            assert!(error < 0.03 * sums.truth, "{field:?}: {sums:?}");
        };
        // Campaigns decide companies.
        for asked in [field, if field == COMPANY { CAMPAIGN } else { field }] {
            is_near(table.compare(1_000, |target| (vec![of(target, asked)], vec![])));
        }
        // Of what is told with it as many values are there as rows.
        let equality = RowEquality {
            told: &[field, REGION],
            ..RowEquality::default()
        };
        let region = |target: &[i64]| (vec![of(target, REGION)], vec![]);
        is_near(table.compare_distinct(300, equality, region));
    }
    let workload = filling(drawn(60_000, 0), ImportOrder::By(CAMPAIGN), 3_000.0);
    let table = materialised(&workload, &schema(None), at(12_000));
    let near = |target: &[i64]| {
        let (field, low) = of(target, CAMPAIGN);
        (vec![], vec![(field, low - 300, low + 300)])
    };
    table.compare(1_000, near).agree();
    // Before and behind those that are there.
    let of_campaigns = |low, high| {
        let between = [(CAMPAIGN, low, high)];
        let condition = Condition::of(&[], &between);
        let nobody = vec![0; table.rows[0].len()];
        table.population.writes(condition, &nobody, table.at)
    };
    assert_eq!(of_campaigns(6_900, 7_000), 0.0);
    assert!((of_campaigns(1_000, 7_000) - 36_000.0).abs() < 1.0);
}

#[test]
fn reads_ask_for_rows_that_a_sorted_import_has_written() {
    for field in SORTED_BY {
        let mut workload = filling(drawn(60_000, 0), ImportOrder::By(field), 3_000.0);
        workload.reads = vec![Read::planned("rows", vec![KnownField::Stored(field)])];
        let generator = Arc::new(RecordGenerator::new(&schema(None), SEED, 1));
        let (width, id) = (generator.width(), usize::from(ID.0));
        let mut written = OperationBatch::default();
        OpenArrivals::new(&workload, Arc::clone(&generator)).fill(&mut written, usize::MAX);
        let numbers = 0..written.operations.len();
        let times: BTreeMap<i64, SimTime> = numbers
            .map(|at| (written.record(at, width)[id], written.intended[at]))
            .collect();
        let mut reads = ReadBatch::default();
        ReadSource::new(&workload, generator).sample(ReadId(0), 500, &mut reads);
        for (record, now) in reads.records.chunks(width).zip(&reads.intended) {
            // Rows are counted in whole gaps of a third of a millisecond.
            let gap = SimDuration::from_nanos(333_334);
            assert!(times[&record[id]] <= *now + gap, "{field:?} at {now:?}");
        }
    }
}
