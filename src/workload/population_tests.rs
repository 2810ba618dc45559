//! Numbers of rows by law against rows that are really there.

use super::materialised_table_fixture::*;
use super::*;
use crate::record::{FieldId, Late};
use crate::time::SimDuration;
use crate::units::PerSecond;

#[test]
fn an_entitys_rows_of_a_time_window_are_counted() {
    let table = materialised(&drawn_table(), &schema(None), at(21_700));
    let now = table.now(1);
    for (low, high) in [(now - 9_000, now), (now - 45_000, now - 12_000)] {
        let window = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![(TS, low, high)]);
        table.compare(500, window).agree();
    }
}

#[test]
fn a_range_from_the_target_on_holds_the_target() {
    let table = materialised(&drawn_table(), &schema(None), at(21_700));
    let ranges = |target: &[i64]| {
        let ts = target[usize::from(TS.0)];
        (vec![of(target, COMPANY)], vec![(TS, ts, ts + 400)])
    };
    table.compare(800, ranges).agree();
}

#[test]
fn a_dependent_fields_rows_are_those_of_its_parents() {
    let table = materialised(&drawn_table(), &schema(None), at(25_000));
    table
        .compare(300, |target| (vec![of(target, COMPANY)], vec![]))
        .agree();
    table
        .compare(60, |target| (vec![of(target, REGION)], vec![]))
        .agree();
    let both = |target: &[i64]| (vec![of(target, COMPANY), of(target, KIND)], vec![]);
    table.compare(300, both).agree();
    let chain = |target: &[i64]| (vec![of(target, COMPANY), of(target, REGION)], vec![]);
    table.compare(300, chain).agree();
    let parent = |target: &[i64]| (vec![of(target, CAMPAIGN), of(target, COMPANY)], vec![]);
    table.compare(300, parent).agree();
}

#[test]
fn two_fields_of_one_parent_hold_together() {
    let table = materialised(&drawn_table(), &schema(None), at(25_000));
    let near = |target: &[i64]| {
        let cost = target[usize::from(COST.0)];
        (vec![of(target, COMPANY)], vec![(COST, cost, cost + 60)])
    };
    let sums = table.compare(1_000, near);
    // Campaigns get their company and cost once a replicate: beside the target's own there are some four, which scatter by their root, 40 % of all five; the
    // 300 companies count by their size like about a hundred: 4 %, and four standard errors of it. Without its own it would be 20 % less.
    let error = (sums.truth - sums.estimate).abs() / sums.truth;
    assert!(error < 0.16, "{sums:?}");
}

#[test]
fn enumerations_and_lists_are_counted() {
    let table = materialised(&drawn_table(), &schema(None), at(12_345));
    table
        .compare(40, |target| (vec![of(target, KIND)], vec![]))
        .agree();
    let costs = |target: &[i64]| (vec![of(target, KIND)], vec![(COST, 1_000, 1_900)]);
    table.compare(40, costs).agree();
    // A list is asked value by value: the others are not the target's.
    let others = |target: &[i64]| {
        let next = 1_000 + (target[usize::from(CAMPAIGN.0)] * 7 + 13) % 6_000;
        (vec![(CAMPAIGN, next)], vec![])
    };
    table.compare(1_000, others).agree();
}

#[test]
fn a_row_with_a_fresh_value_or_a_number_is_one() {
    let table = materialised(&drawn_table(), &schema(None), at(20_000));
    table
        .compare(200, |target| (vec![of(target, UUID)], vec![]))
        .are_equal();
    let fields = |target: &[i64]| (vec![of(target, UUID), of(target, CAMPAIGN)], vec![]);
    table.compare(200, fields).are_equal();
    // Both writes and the existing rows count from their own first row.
    let numbered = |target: &[i64]| {
        let id = target[usize::from(ID.0)];
        (vec![], vec![(ID, id, id + 100)])
    };
    table.compare(400, numbered).agree();
}

#[test]
fn late_rows_carry_the_time_that_they_should_have_had() {
    let late = Late {
        fraction: 0.3,
        up_to: secs(8),
    };
    let table = materialised(&drawn_table(), &schema(Some(late)), at(20_000));
    let now = table.now(1);
    let windows = [
        (now - 1_500, now),
        (now - 9_000, now - 3_000),
        (now - 30_000, now - 15_000),
        (now - 70_000, now - 52_000),
    ];
    for (low, high) in windows {
        let window = |target: &[i64]| (vec![of(target, KIND)], vec![(TS, low, high)]);
        let sums = table.compare(12, window);
        assert!(
            (sums.truth - sums.estimate).abs() < 4.0 * (12.0 * sums.variance).sqrt(),
            "{sums:?}"
        );
        let error = (sums.truth - sums.estimate).abs() / sums.truth;
        // Four standard errors of some 1,000 rows in the narrowest window.
        assert!(error < 0.12, "{low}..{high}: {sums:?}");
    }
}

#[test]
fn beats_are_counted_for_each_combination_and_another_kind_of_row_besides() {
    let schema = schema(None);
    for (phase, millis) in [(Phase::Spread, 16_000), (Phase::Aligned, 17_500)] {
        let table = materialised(&beating_table(phase), &schema, at(millis));
        let all = table.population.rows(table.at);
        assert!((all - table.rows.len() as f64).abs() < 1.0, "{all}");
        // Ten whole periods up to second 16: exact, whatever the order.
        let entity = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
        table.compare(500, entity).are_equal();
        let campaign = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![]);
        table.compare(500, campaign).are_equal();
        let now = table.now(1);
        // Two periods of 4 s, whose ends cut aligned beats nowhere.
        let window = |target: &[i64]| {
            (
                vec![of(target, COMPANY)],
                vec![(TS, now - 9_000, now - 1_000)],
            )
        };
        table.compare(500, window).are_equal();
        // One and a half: of a spread beat the half is a matter of chance.
        let window = |target: &[i64]| {
            (
                vec![of(target, COMPANY)],
                vec![(TS, now - 8_100, now - 2_100)],
            )
        };
        table.compare(500, window).agree();
    }
}

#[test]
fn every_combination_of_existing_rows_is_there_once() {
    let workload = Workload {
        writes: vec![],
        existing: vec![Existing {
            name: "all".into(),
            write: None,
            rows: ImportRows::Each {
                each: vec![CAMPAIGN, KIND],
                every: None,
                last: SimDuration::ZERO,
            },
            with: Vec::new(),
        }],
        ..drawn_table()
    };
    let table = materialised(&workload, &schema(None), at(1_000));
    assert_eq!(table.rows.len(), 24_000);
    let fields: [&[FieldId]; 4] = [&[CAMPAIGN], &[CAMPAIGN, KIND], &[COMPANY, KIND], &[REGION]];
    for equal in fields {
        let question = |target: &[i64]| {
            (
                equal.iter().map(|field| of(target, *field)).collect(),
                vec![],
            )
        };
        table.compare(200, question).are_equal();
    }
}

#[test]
fn ten_thousand_counted_rows_are_enough_for_two_percent() {
    // A number of rows with mean m scatters by its root: two standard errors are 2 % from m = (2 / 0.02)^2 = 10,000 on, four from 40,000 on. Here the
    // same question is put to tables that differ in nothing but their size.
    let schema = schema(None);
    for records in [2_000u64, 20_000, 200_000] {
        let mut workload = drawn_table();
        workload.writes.clear();
        workload.existing[0].rows = ImportRows::Drawn {
            records,
            last: secs(40),
        };
        let table = materialised(&workload, &schema, at(0));
        let question = (
            vec![(KIND, table.rows[0][usize::from(KIND.0)])],
            vec![(TS, table.now(1) - 30_000, table.now(1))],
        );
        let (truth, estimate) = (
            table.rows_like(&question).len() as f64,
            table.estimate(&question, &table.rows[0]),
        );
        let error = (truth - estimate).abs() / estimate;
        assert!(
            error < 4.0 / estimate.sqrt(),
            "{records}: {truth} {estimate}"
        );
        assert!(estimate < 40_000.0 || error < 0.02, "{truth} {estimate}");
    }
}

/// An import of 100,000 rows in this order at 5,000 a second, of which half are there after 10 s.
fn half_imported(order: ImportOrder, last: SimDuration, late: Option<Late>) -> MaterialisedTable {
    let mut workload = drawn_table();
    workload.existing.clear();
    workload.writes.truncate(1);
    workload.writes[0].load = LoadModel::Open {
        rate: PerSecond(5_000.0),
        arrivals: Arrivals::Constant,
        profile: Vec::new(),
        import: Some(Import {
            rows: ImportRows::Drawn {
                records: 100_000,
                last,
            },
            order,
            times: None,
        }),
    };
    materialised(&workload, &schema(late), at(10_000))
}

#[test]
fn rows_of_a_shuffled_import_are_there_at_once_where_they_carry_the_time_of_writing() {
    let table = half_imported(ImportOrder::Shuffled, SimDuration::ZERO, None);
    let now = table.now(1);
    for (low, high) in [(now - 10_000, now), (now - 4_000, now - 1_000)] {
        let window = |_: &[i64]| (vec![], vec![(TS, low, high)]);
        table.compare(1, window).are_equal();
    }
    // Their numbers say nothing of when they are written: of any, half are there.
    let question = (vec![], vec![(ID, 20_007, 60_007)]);
    let (truth, estimate) = (
        table.rows_like(&question).len() as f64,
        table.estimate(&question, &table.rows[0]),
    );
    // Four standard errors of 40,000 rows of which each is there by chance.
    assert!((truth - estimate).abs() < 400.0, "{truth} {estimate}");
}

#[test]
fn rows_of_an_ordered_import_that_are_late_are_those_of_its_first_part() {
    let late = Late {
        fraction: 0.5,
        up_to: secs(6),
    };
    let table = half_imported(ImportOrder::Time, secs(40), Some(late));
    let start = START.0 / 1_000_000;
    // The rows of seconds -40 to -20 are there.
    for (low, high) in [(-46_000, -38_000), (-30_000, -24_000), (-23_000, -17_000)] {
        let question = (vec![], vec![(TS, start + low, start + high)]);
        let truth = table.rows_like(&question).len() as f64;
        let estimate = table.estimate(&question, &table.rows[0]);
        // Four standard errors of rows of which half are late.
        let error = 4.0 * (0.25 * truth).sqrt();
        assert!(
            (truth - estimate).abs() < error,
            "{low}..{high}: {truth} {estimate}"
        );
    }
}
