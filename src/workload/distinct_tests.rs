//! Numbers of different rows against rows that are really there.

use super::materialised_table_fixture::*;
use super::row_count::{REPEATED_MAX, RowCount};
use super::row_shape::RowShape;
use super::*;
use crate::record::{DistributionShape, Field, FieldColumn, FieldId, FieldKind, ValueGroups};
use crate::time::SimDuration;
use std::collections::BTreeMap;
use std::sync::Arc;

#[test]
fn beats_that_rewrite_the_row_of_a_step_are_one_row() {
    let schema = schema(None);
    let workload = beating_table(Phase::Spread);
    let table = materialised(&workload, &schema, at(26_000));
    // Steps of 10 s in slots of 1 ms; the run starts 3.5 s into one.
    let start = START.0 / 1_000_000;
    let step = (TS, start - 3_500, start + 6_500);
    let equality = RowEquality {
        told: &[CAMPAIGN, COMPANY],
        step: Some(step),
        ..RowEquality::default()
    };
    let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
    // Every step of 10 s holds a beat, of 20 s before the run and 26 s after it: the steps that reach into them.
    table.compare_distinct(300, equality, company).are_equal();
    let of_step = |target: &[i64]| {
        let ts = target[usize::from(TS.0)];
        let low = ts - (ts - step.1).rem_euclid(10_000);
        (vec![of(target, COMPANY)], vec![(TS, low, low + 10_000)])
    };
    table.compare_distinct(300, equality, of_step).agree();
    let row = |target: &[i64]| {
        let (equal, between) = of_step(target);
        (vec![equal[0], of(target, CAMPAIGN)], between)
    };
    table.compare_distinct(300, equality, row).are_equal();
    // Without time in the key, each combination is one row, however often it was written.
    let timeless = RowEquality {
        told: &[CAMPAIGN, COMPANY],
        step: None,
        ..RowEquality::default()
    };
    table.compare_distinct(300, timeless, company).are_equal();
    // With the very instant in it, each beat is.
    let exact = RowEquality {
        told: &[CAMPAIGN, COMPANY, TS],
        step: None,
        ..RowEquality::default()
    };
    table.compare_distinct(300, exact, company).agree();
}

#[test]
fn updates_of_existing_rows_add_none() {
    let workload = Workload {
        existing: vec![Existing {
            name: "items".into(),
            write: None,
            rows: ImportRows::Each {
                each: vec![CAMPAIGN],
                every: None,
                last: SimDuration::ZERO,
            },
            with: Vec::new(),
        }],
        ..drawn_table()
    };
    let table = materialised(&workload, &schema(None), at(20_000));
    let equality = RowEquality {
        told: &[CAMPAIGN],
        step: None,
        ..RowEquality::default()
    };
    for field in [CAMPAIGN, COMPANY, REGION] {
        let question = |target: &[i64]| (vec![of(target, field)], vec![]);
        table.compare_distinct(150, equality, question).are_equal();
    }
}

#[test]
fn drawn_rows_that_meet_by_chance_are_one() {
    let mut workload = drawn_table();
    workload.writes.clear();
    let table = materialised(&workload, &schema(None), at(0));
    // 120,000 rows over 6,000 campaigns x 5 steps of 8 s: about four a cell, unevenly by Zipf's law.
    let start = START.0 / 1_000_000;
    let equality = RowEquality {
        told: &[CAMPAIGN],
        step: Some((TS, start - 8_000, start)),
        ..RowEquality::default()
    };
    let campaign = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![]);
    table.compare_distinct(1_000, equality, campaign).agree();
    // And a sequence makes every row its own.
    let numbered = RowEquality {
        told: &[CAMPAIGN, ID],
        step: None,
        ..RowEquality::default()
    };
    table.compare_distinct(300, numbered, campaign).agree();
    // Frequent campaigns and rare ones are neighbours.
    for width in [100, 2_000] {
        let near = |target: &[i64]| {
            let (field, low) = of(target, CAMPAIGN);
            (vec![], vec![(field, low, low + width)])
        };
        table.compare_distinct(300, equality, near).agree();
    }
    // One number is one row, whatever else the key tells of it.
    let number = |target: &[i64]| (vec![of(target, ID)], vec![]);
    for told in [&[KIND][..], &[CAMPAIGN, KIND]] {
        let equality = RowEquality { told, ..numbered };
        table.compare_distinct(300, equality, number).are_equal();
    }
}

/// Beats of which a fraction is late by up to 12 s, held after 26 s.
fn late_beats(fraction: f64) -> MaterialisedTable {
    let late = crate::record::Late {
        fraction,
        up_to: secs(12),
    };
    let (workload, schema) = (beating_table(Phase::Spread), schema(Some(late)));
    materialised(&workload, &schema, at(26_000))
}

#[test]
fn late_beats_fall_on_steps_as_chance_has_it() {
    // Every beat is late by up to 12 s, steps are of 4 s like the beats: a step holds one with 1 - 1 / e, not for certain.
    for fraction in [1.0, 0.4] {
        let table = late_beats(fraction);
        let start = START.0 / 1_000_000;
        let equality = RowEquality {
            told: &[CAMPAIGN, COMPANY],
            step: Some((TS, start, start + 4_000)),
            ..RowEquality::default()
        };
        let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
        table.compare_distinct(300, equality, company).agree();
        let of_step = |target: &[i64]| {
            let ts = target[usize::from(TS.0)];
            let low = ts - (ts - start).rem_euclid(4_000);
            (vec![of(target, COMPANY)], vec![(TS, low, low + 4_000)])
        };
        table.compare_distinct(300, equality, of_step).agree();
        // A row by row question counts what the question of all counts.
        let row = |target: &[i64]| {
            let (equal, between) = of_step(target);
            (vec![equal[0], of(target, CAMPAIGN)], between)
        };
        table.compare_distinct(300, equality, row).are_equal();
    }
}

#[test]
fn one_row_questions_add_up_to_the_question_of_all() {
    let table = late_beats(1.0);
    let start = START.0 / 1_000_000;
    let equality = RowEquality {
        told: &[CAMPAIGN],
        step: Some((TS, start, start + 4_000)),
        ..RowEquality::default()
    };
    let window = [(TS, start + 8_000, start + 12_000)];
    // A target that satisfies neither adds nothing of its own.
    let target = vec![0; 8];
    let ask = |equal: &[(FieldId, i64)]| {
        let condition = Condition::of(equal, &window);
        table
            .population
            .distinct(condition, equality, &target, table.at)
    };
    let all = ask(&[]);
    let campaigns: f64 = (1_000..7_000).map(|slot| ask(&[(CAMPAIGN, slot)])).sum();
    let totals = ask(&[(CAMPAIGN, Field::literal_slot(0))]);
    assert!(
        (campaigns + totals - all).abs() < 1e-6 * all,
        "{campaigns} + {totals} for {all}"
    );
}

#[test]
fn random_salts_make_rows_of_their_own() {
    let mut workload = drawn_table();
    workload.writes.clear();
    let table = materialised(&workload, &schema(None), at(0));
    let rows = |told: &[FieldId], draws| {
        let equality = RowEquality {
            told,
            draws,
            ..RowEquality::default()
        };
        let target = &table.rows[0];
        let condition = Condition::default();
        table
            .population
            .distinct(condition, equality, target, table.at)
    };
    // 120,000 writes of 6,000 campaigns: 20 each, the rarest 8 (1 - 0.6 by Zipf's law).
    assert!((rows(&[CAMPAIGN], 1.0) - 6_000.0).abs() < 10.0);
    let two = rows(&[CAMPAIGN], 2.0);
    assert!(two > 11_700.0 && two < 12_000.0, "{two}");
    let many = rows(&[CAMPAIGN], 1e6);
    assert!(many > 119_000.0 && many <= 120_000.0, "{many}");
    assert_eq!(rows(&[CAMPAIGN], f64::INFINITY), 120_000.0);
}

/// Of n rows of a campaign under 16 salts 16 (1 - (15 / 16)^n) are expected.
#[test]
fn turns_of_a_combination_lie_under_as_many_salts_as_chance_has_it() {
    for (every, turns) in [(None, 1), (Some(secs(10)), 2), (Some(secs(2)), 10)] {
        let mut workload = drawn_table();
        workload.writes.clear();
        workload.existing[0].rows = ImportRows::Each {
            each: vec![CAMPAIGN],
            every,
            last: secs(if every.is_some() { 20 } else { 0 }),
        };
        let table = materialised(&workload, &schema(None), at(0));
        let target = &table.rows[0];
        let equal = [of(target, CAMPAIGN)];
        let condition = Condition::of(&equal, &[]);
        let equality = RowEquality {
            told: &[CAMPAIGN],
            draws: 16.0,
            ..RowEquality::default()
        };
        let found = table
            .population
            .distinct(condition, equality, target, table.at);
        let expected = 16.0 * (1.0 - (15.0f64 / 16.0).powi(turns));
        assert!(
            (found - expected).abs() < 1e-9,
            "{turns}: {found} {expected}"
        );
    }
}

#[test]
fn a_known_turn_is_one_of_those_that_come_at_a_steady_pace() {
    // Three turns of each campaign in the minute before the run; few writes in the run, of which some overwrite each other.
    let mut workload = drawn_table();
    workload.writes = vec![drawn("rows", 60.0, Vec::new(), &[])];
    workload.existing[0].rows = ImportRows::Each {
        each: vec![CAMPAIGN],
        every: Some(secs(20)),
        last: secs(60),
    };
    let table = materialised(&workload, &schema(None), at(26_000));
    let start = START.0 / 1_000_000;
    for step in [1_000, 5_000, 50_000] {
        let equality = RowEquality {
            told: &[CAMPAIGN],
            step: Some((TS, start, start + step)),
            ..RowEquality::default()
        };
        let campaign = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![]);
        table.compare_distinct(1_000, equality, campaign).agree();
    }
}

#[test]
fn rows_that_carry_the_start_of_the_run_are_one_for_each_value() {
    let mut workload = drawn_table();
    workload.writes.clear();
    workload.existing[0].rows = ImportRows::Drawn {
        records: 120_000,
        last: SimDuration::ZERO,
    };
    let table = materialised(&workload, &schema(None), at(0));
    let equality = RowEquality {
        told: &[CAMPAIGN, TS],
        ..RowEquality::default()
    };
    let all = |_: &[i64]| (vec![], vec![]);
    table.compare_distinct(20, equality, all).agree();
}

#[test]
fn a_range_of_unlike_values_has_the_rows_of_just_these() {
    let mut workload = drawn_table();
    workload.writes.clear();
    let mut schema = schema(None);
    for (ranked, width) in [(false, 5), (true, 5), (true, 400)] {
        // The most popular campaigns have thousands of writes, the rarest seven.
        let law = &mut schema.fields[usize::from(CAMPAIGN.0)].law;
        (law.ranked, law.shape) = (ranked, DistributionShape::Zipf { exponent: 1.0 });
        let table = materialised(&workload, &schema, at(0));
        let start = START.0 / 1_000_000;
        let equality = RowEquality {
            told: &[CAMPAIGN, KIND],
            step: Some((TS, start, start + 1_000)),
            ..RowEquality::default()
        };
        let near = |target: &[i64]| {
            let campaign = target[usize::from(CAMPAIGN.0)];
            (vec![], vec![(CAMPAIGN, campaign, campaign + width)])
        };
        table.compare_distinct(300, equality, near).agree();
    }
}

#[test]
fn rows_that_hardly_ever_meet_are_counted_without_looking_at_cells() {
    let table = materialised(&drawn_table(), &schema(None), at(26_000));
    let target = &table.rows[100].clone();
    let start = START.0 / 1_000_000;
    let question = |equality: RowEquality<'_>, equal: &[(FieldId, i64)]| {
        let condition = Condition::of(equal, &[]);
        let population = &table.population;
        let shape = RowShape::of(population, condition, equality);
        let about = (population, &shape);
        let mut by_cells = RowCount::new(about, (condition, equality), target, table.at);
        by_cells.modelled();
        let writes = table.rows_like(&(equal.to_vec(), Vec::new())).len() as f64;
        let bound = by_cells.repeated();
        let at_once = by_cells.repeated_at_most();
        assert!(bound <= at_once, "{equality:?}: {bound} of {at_once}");
        let answer = population.distinct(condition, equality, target, table.at);
        let rows = by_cells.rows(by_cells.cells());
        (bound / writes, answer, rows, writes)
    };
    let told = |told: &'static [FieldId], millis: i64, draws| RowEquality {
        told,
        step: (millis > 0).then_some((TS, start, start + millis)),
        draws,
        ..RowEquality::default()
    };
    let company = [of(target, COMPANY)];
    let mut exits = 0;
    for (equality, equal) in [
        (told(&[CAMPAIGN], 5_000, 1.0), &[][..]),
        (told(&[CAMPAIGN], 5_000, 1.0), &company),
        (told(&[CAMPAIGN, KIND], 1, 1.0), &[]),
        (told(&[CAMPAIGN, KIND], 1, 1.0), &company),
        (told(&[CAMPAIGN], 20, 1.0), &[]),
        (told(&[CAMPAIGN], 20, 1.0), &company),
        (told(&[COMPANY, KIND], 100, 1.0), &[]),
        (told(&[COMPANY], 1, 64.0), &[]),
        (told(&[], 0, 1e9), &[]),
        (told(&[CAMPAIGN], 0, 1e6), &company),
        (told(&[CAMPAIGN], 1, 1e4), &[]),
        (told(&[KIND], 20, 1e6), &[]),
        (told(&[], 1, 1e7), &[]),
    ] {
        let (bound, answer, by_cells, writes) = question(equality, equal);
        // What the cells lose is within the bound; the target itself is counted by either in its own way: up to one row.
        let lost = 1.0 - by_cells / writes;
        // The number of writes is a draw: four standard errors.
        let chance = 1.0 / writes + 4.0 / writes.sqrt();
        assert!(
            lost <= bound + chance,
            "{equality:?}: {lost} lost, at most {bound}"
        );
        let differs = (answer - by_cells).abs();
        if bound <= REPEATED_MAX {
            exits += 1;
            assert!(
                differs <= bound * writes + 1.0,
                "{equality:?}: {answer} for {by_cells}"
            );
        } else {
            assert_eq!(differs, 0.0, "{equality:?}");
        }
    }
    assert!(
        (3..10).contains(&exits),
        "{exits} of 13 are counted without"
    );
}

#[test]
fn what_is_counted_without_looking_at_cells_is_there() {
    let mut workload = drawn_table();
    workload.writes.clear();
    let table = materialised(&workload, &schema(None), at(0));
    let start = START.0 / 1_000_000;
    let equality = RowEquality {
        told: &[CAMPAIGN, KIND],
        step: Some((TS, start, start + 1)),
        ..RowEquality::default()
    };
    let target = &table.rows[0];
    let all = Condition::default();
    let shape = RowShape::of(&table.population, all, equality);
    let about = (&table.population, &shape);
    let mut count = RowCount::new(about, (all, equality), target, table.at);
    let count = count.modelled();
    // Three rows a millisecond, 120,000 in all, of 6,000 campaigns by Zipf's law and three kinds.
    let repeated = count.repeated() / 120_000.0;
    assert!((3e-4..REPEATED_MAX).contains(&repeated), "{repeated}");
    let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
    table.compare_distinct(300, equality, company).agree();
    let kind = |target: &[i64]| (vec![of(target, KIND)], vec![]);
    table.compare_distinct(20, equality, kind).agree();
}

#[test]
fn steps_at_one_rate_are_counted_at_a_time_as_they_are_one_by_one() {
    let schema = schema(None);
    let (mut even, mut told_again) = (drawn_table(), drawn_table());
    for (table, seconds) in [(&mut even, 0..0), (&mut told_again, 1..30)] {
        for write in &mut table.writes {
            if let LoadModel::Open { profile, .. } = &mut write.load {
                // The same rate, said in many points: no long stretch of it is known to be even.
                let points = seconds.clone().map(|second| ProfilePoint {
                    at: SimDuration::from_secs(second),
                    times: 1.0,
                });
                *profile = points.collect();
            }
        }
    }
    let tables = [even, told_again].map(|table| materialised(&table, &schema, at(26_000)));
    let start = START.0 / 1_000_000;
    for (told, millis, draws) in [
        (&[CAMPAIGN, TS][..], 0, 1.0),
        (&[CAMPAIGN], 40, 1.0),
        (&[CAMPAIGN], 5_000, 16.0),
        (&[KIND], 1_000, 1.0),
    ] {
        let equality = RowEquality {
            told,
            step: (millis > 0).then_some((TS, start, start + millis)),
            draws,
            ..RowEquality::default()
        };
        for target in tables[0].rows.iter().step_by(20_011) {
            let equal = [of(target, CAMPAIGN)];
            let condition = Condition::of(&equal, &[]);
            let counts = tables.each_ref().map(|table| {
                let shape = RowShape::of(&table.population, condition, equality);
                let about = (&table.population, &shape);
                let mut count = RowCount::new(about, (condition, equality), target, table.at);
                let count = count.modelled();
                count.rows(count.cells())
            });
            // Numbers of rows are differences of running totals, which lose up to half of their digits.
            let apart = (counts[0] - counts[1]).abs();
            assert!(apart <= 1e-8 * counts[1], "{equality:?}: {counts:?}");
        }
    }
}

#[test]
fn a_counter_counts_as_its_population_whatever_it_was_asked_before() {
    let table = materialised(&drawn_table(), &schema(None), at(26_000));
    let counter = RowCounter::new(&Arc::new(table.population.clone()));
    let start = START.0 / 1_000_000;
    for (nth, target) in table.rows.iter().step_by(9_973).enumerate() {
        let (campaign, kind) = (of(target, CAMPAIGN), of(target, KIND));
        let ts = target[usize::from(TS.0)];
        let another = of(&table.rows[nth], CAMPAIGN);
        for (equal, between) in [
            (&[campaign][..], &[][..]),
            (&[another], &[]),
            (&[campaign, kind], &[]),
            (&[kind, campaign], &[(TS, ts - 1_000, ts + 1)]),
            (&[], &[(KIND, 0, 1)]),
            (&[], &[(KIND, 0, 2)]),
        ] {
            for (told, step, draws) in [
                (&[CAMPAIGN, TS][..], None, 1.0),
                (&[CAMPAIGN], None, 1.0),
                (&[CAMPAIGN], Some((TS, start, start + 500)), 1.0),
                (&[CAMPAIGN], Some((TS, start, start + 20_000)), 4.0),
                (&[], None, f64::INFINITY),
            ] {
                let (condition, equality) = (
                    Condition::of(equal, between),
                    RowEquality {
                        told,
                        step,
                        draws,
                        ..RowEquality::default()
                    },
                );
                for instant in [table.at, at(13_000)] {
                    let counts = [
                        counter.distinct(condition, equality, target, instant),
                        table
                            .population
                            .distinct(condition, equality, target, instant),
                    ];
                    assert_eq!(
                        counts[0], counts[1],
                        "row {nth} at {instant:?}: {condition:?} {equality:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn values_of_a_list_count_as_each_does_alone() {
    let mut schema = schema(None);
    // So that values have equal shares, and nothing but what follows from them tells them apart.
    schema.fields[usize::from(CAMPAIGN.0)].law.shape = DistributionShape::Uniform;
    let table = materialised(&drawn_table(), &schema, at(26_000));
    let counter = RowCounter::new(&Arc::new(table.population.clone()));
    for target in table.rows.iter().step_by(70_001) {
        let ts = target[usize::from(TS.0)];
        let company = of(target, COMPANY);
        for between in [
            &[][..],
            &[(TS, ts - 1_000, ts + 1)],
            &[(TS, ts - 3_000, ts + 1)],
            &[(COMPANY, 50, 120)],
        ] {
            for instant in [table.at, at(13_000)] {
                // Among them the one that all rows of a write have.
                for campaign in (1_225..1_245).chain([of(target, CAMPAIGN).1]) {
                    let campaign = (CAMPAIGN, campaign);
                    for equal in [
                        &[campaign][..],
                        &[campaign, company],
                        &[campaign, (KIND, campaign.1 % 3)],
                        &[company, (KIND, campaign.1 % 3)],
                    ] {
                        let condition = Condition::of(equal, between);
                        let equality = RowEquality {
                            told: &[CAMPAIGN, KIND],
                            step: Some((TS, ts - 250, ts + 250)),
                            draws: 1.0,
                            ..RowEquality::default()
                        };
                        let counts = [
                            counter.distinct(condition, equality, target, instant),
                            table
                                .population
                                .distinct(condition, equality, target, instant),
                        ];
                        assert_eq!(counts[0], counts[1], "at {instant:?}: {condition:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn of_values_that_are_too_many_for_a_table_there_are_as_many_as_decide_them() {
    let (phone, mut schema, mut workload) = (FieldId(8), schema(None), drawn_table());
    let digits = FieldKind::Int {
        first: 0,
        count: 10_000_000_000,
    };
    for (name, parent) in [("phone", CAMPAIGN), ("line", COMPANY)] {
        schema.fields.push(Field {
            of: vec![parent],
            ..Field::new(name, digits.clone())
        });
    }
    workload.writes.clear();
    let table = materialised(&workload, &schema, at(0));
    for told in [&[phone][..], &[KIND, phone]] {
        let equality = RowEquality {
            told,
            ..RowEquality::default()
        };
        let all = |_: &[i64]| (vec![], vec![]);
        table.compare_distinct(20, equality, all).agree();
        for known in [phone, CAMPAIGN] {
            let equal = |target: &[i64]| (vec![of(target, known)], vec![]);
            table.compare_distinct(150, equality, equal).agree();
        }
    }
    // All rows of a company have its line.
    let equality = RowEquality {
        told: &[ID],
        ..RowEquality::default()
    };
    let line = |target: &[i64]| (vec![of(target, FieldId(9))], vec![]);
    table.compare_distinct(150, equality, line).agree();
}

#[test]
fn columns_of_one_file_go_together() {
    // 1,000 rows: each of 40 users buys in a few of 25 shops, and no two rows share an order.
    let (row, user, shop, amount, order) = (
        FieldId(8),
        FieldId(9),
        FieldId(10),
        FieldId(11),
        FieldId(12),
    );
    let mut schema = schema(None);
    let int = |count| FieldKind::Int { first: 0, count };
    schema.fields.push(Field::new("row", int(1_000)));
    let user_of = |row: i64| row * row / 50 % 40;
    let column = |name: &str, count: u64, value: &dyn Fn(i64) -> i64| Field {
        of: vec![row],
        column: Some(Arc::new(FieldColumn::new((0..1_000).map(value).collect()))),
        ..Field::new(name, int(count))
    };
    schema.fields.extend([
        column("user", 40, &user_of),
        column("shop", 25, &|row| (user_of(row) * 3 + row % 4) % 25),
        column("amount", 90, &|row| row * 7 % 90),
        column("order", 1_000, &|row| row),
    ]);
    let mut workload = drawn_table();
    workload.writes.clear();
    workload.existing[0].rows = ImportRows::Drawn {
        records: 3_000,
        last: secs(40),
    };
    let table = materialised(&workload, &schema, at(0));
    let keys: [&[FieldId]; 6] = [
        &[user, shop],
        &[shop, user, amount],
        &[order],
        &[user, order],
        &[amount, user],
        &[KIND, shop],
    ];
    // Also of steps of ten and remainders by four.
    let group = |field, count: i64, of: &dyn Fn(i64) -> i64| {
        let groups = (0..count).map(|slot| of(slot) as u32);
        Arc::new(ValueGroups::new(
            field,
            (0..count).collect(),
            groups.collect(),
        ))
    };
    let groups = [
        group(amount, 90, &|slot| slot / 10),
        group(user, 40, &|slot| slot % 4),
    ];
    for (told, groups) in keys
        .iter()
        .flat_map(|told| [(told, &[][..]), (told, &groups)])
    {
        let equality = RowEquality {
            told,
            groups,
            ..RowEquality::default()
        };
        let all = |_: &[i64]| (vec![], vec![]);
        table.compare_distinct(20, equality, all).agree();
        for known in [user, shop, amount] {
            let equal = |target: &[i64]| (vec![of(target, known)], vec![]);
            table.compare_distinct(300, equality, equal).agree();
        }
        let both = |target: &[i64]| (vec![of(target, user), of(target, shop)], vec![]);
        table.compare_distinct(300, equality, both).agree();
        let near = |target: &[i64]| {
            let low = target[usize::from(amount.0)];
            (vec![of(target, shop)], vec![(amount, low, low + 20)])
        };
        table.compare_distinct(300, equality, near).agree();
        let span = |target: &[i64]| {
            let (field, low) = of(target, amount);
            (vec![], vec![(field, low, low + 20)])
        };
        table.compare_distinct(300, equality, span).agree();
        if told.contains(&KIND) {
            continue;
        }
        // Of m of a cell's n rows of the file, 3 n writes are expected, and the newest has what is asked for with m / n: also the target's cell, of which
        // one write more is the target, and the newest with (1 - exp(-3 n)) / 3 n. Shares within an octave's half count as their mean: 1 %.
        let changing = [user, shop, amount].into_iter();
        let grouped = |field: &FieldId| groups.iter().find(|it| it.field == *field);
        let changing = changing.filter(|it| !told.contains(it) || grouped(it).is_some());
        let changing: Vec<FieldId> = changing.collect();
        let equality = RowEquality {
            changing: &changing,
            ..equality
        };
        let known: [&[FieldId]; 5] = [&[user], &[shop], &[amount], &[user, amount], &[shop, user]];
        for known in known {
            let (mut expected, mut counted) = (0.0, 0.0);
            for target in &table.rows[..300] {
                let mut cells: BTreeMap<Vec<i64>, [f64; 2]> = BTreeMap::new();
                let slot = |field: &FieldId, row: usize| {
                    let column = schema.field(*field).column.as_ref();
                    column.expect("a field of the file").slots[row]
                };
                for row in 0..1_000 {
                    let of_row = |field: &FieldId| equality.told_of(*field, slot(field, row));
                    let cell = told.iter().map(of_row).collect();
                    let [all, asked] = cells.entry(cell).or_default();
                    *all += 1.0;
                    let mut known = known.iter();
                    let is_asked = known.all(|it| slot(it, row) == target[usize::from(it.0)]);
                    *asked += f64::from(u8::from(is_asked));
                }
                let held = |all: f64| 1.0 - libm::exp(-3.0 * all);
                let newest = cells.values().map(|[all, asked]| held(*all) * asked / all);
                let own = |it: &FieldId| equality.told_of(*it, target[usize::from(it.0)]);
                let own: Vec<i64> = told.iter().map(own).collect();
                let [all, asked] = cells[&own];
                let (of_own, is_own) = (asked / all, held(all) / (3.0 * all));
                expected += newest.sum::<f64>() + is_own + (1.0 - is_own - held(all)) * of_own;
                let equal: Vec<_> = known.iter().map(|it| of(target, *it)).collect();
                let condition = Condition::of(&equal, &[]);
                counted += table
                    .population
                    .distinct(condition, equality, target, table.at);
            }
            assert!(
                (counted / expected - 1.0).abs() < 0.01,
                "{told:?} {known:?}: {counted} for {expected}"
            );
        }
    }
}

#[test]
fn late_rows_of_hours_hide_no_step_that_all_others_share() {
    // 30 steps of a second with three kinds each hold 118,800 rows, and 1,200 late ones lie anywhere in two hours before.
    let late = crate::record::Late {
        fraction: 0.01,
        up_to: secs(7_200),
    };
    let workload = Workload {
        writes: vec![drawn("rows", 4_000.0, Vec::new(), &[])],
        existing: Vec::new(),
        ..drawn_table()
    };
    let table = materialised(&workload, &schema(Some(late)), at(30_000));
    let start = START.0 / 1_000_000;
    let equality = RowEquality {
        told: &[KIND],
        step: Some((TS, start, start + 1_000)),
        ..RowEquality::default()
    };
    let sums = table.compare_distinct(1, equality, |_| (vec![], vec![]));
    // The late ones are a Poisson number, of a standard error of 35. As many steps for all would be 585 more.
    assert!((sums.truth - sums.estimate).abs() < 140.0, "{sums:?}");
}
