//! Numbers of different rows against rows that are really there.

use super::held_table::*;
use super::*;
use crate::record::{Field, FieldId};
use crate::time::SimDuration;

#[test]
fn beats_that_rewrite_the_row_of_a_step_are_one_row() {
    let schema = schema(None);
    let workload = beating_table(Phase::Spread);
    let held = held(&workload, &schema, at(26_000));
    // Steps of 10 s in slots of 1 ms; the run starts 3.5 s into one.
    let start = START.0 / 1_000_000;
    let step = (TS, start - 3_500, start + 6_500);
    let identity = Identity {
        told: &[CAMPAIGN, COMPANY],
        step: Some(step),
        ..Identity::default()
    };
    let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
    // Every step of 10 s holds a beat, of 20 s before the run and 26 s after it: the steps that reach into them.
    held.compare_distinct(300, identity, company).are_equal();
    let of_step = |target: &[i64]| {
        let ts = target[usize::from(TS.0)];
        let low = ts - (ts - step.1).rem_euclid(10_000);
        (vec![of(target, COMPANY)], vec![(TS, low, low + 10_000)])
    };
    held.compare_distinct(300, identity, of_step).agree();
    let row = |target: &[i64]| {
        let (equal, between) = of_step(target);
        (vec![equal[0], of(target, CAMPAIGN)], between)
    };
    held.compare_distinct(300, identity, row).are_equal();
    // Without time in the key, each combination is one row, however often it was written.
    let timeless = Identity {
        told: &[CAMPAIGN, COMPANY],
        step: None,
        ..Identity::default()
    };
    held.compare_distinct(300, timeless, company).are_equal();
    // With the very instant in it, each beat is.
    let exact = Identity {
        told: &[CAMPAIGN, COMPANY, TS],
        step: None,
        ..Identity::default()
    };
    held.compare_distinct(300, exact, company).agree();
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
    let held = held(&workload, &schema(None), at(20_000));
    let identity = Identity {
        told: &[CAMPAIGN],
        step: None,
        ..Identity::default()
    };
    for field in [CAMPAIGN, COMPANY, REGION] {
        let question = |target: &[i64]| (vec![of(target, field)], vec![]);
        held.compare_distinct(150, identity, question).are_equal();
    }
}

#[test]
fn drawn_rows_that_meet_by_chance_are_one() {
    let mut workload = drawn_table();
    workload.writes.clear();
    let held = held(&workload, &schema(None), at(0));
    // 120,000 rows over 6,000 campaigns x 5 steps of 8 s: about four a cell, unevenly by Zipf's law.
    let start = START.0 / 1_000_000;
    let identity = Identity {
        told: &[CAMPAIGN],
        step: Some((TS, start - 8_000, start)),
        ..Identity::default()
    };
    let campaign = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![]);
    held.compare_distinct(1_000, identity, campaign).agree();
    // And a sequence makes every row its own.
    let numbered = Identity {
        told: &[CAMPAIGN, ID],
        step: None,
        ..Identity::default()
    };
    held.compare_distinct(300, numbered, campaign).agree();
}

/// Beats of which a fraction is late by up to 12 s, held after 26 s.
fn late_beats(fraction: f64) -> Held {
    let late = crate::record::Late {
        fraction,
        up_to: secs(12),
    };
    let (workload, schema) = (beating_table(Phase::Spread), schema(Some(late)));
    held(&workload, &schema, at(26_000))
}

#[test]
fn late_beats_fall_on_steps_as_chance_has_it() {
    // Every beat is late by up to 12 s, steps are of 4 s like the beats: a step holds one with 1 - 1 / e, not for certain.
    for fraction in [1.0, 0.4] {
        let held = late_beats(fraction);
        let start = START.0 / 1_000_000;
        let identity = Identity {
            told: &[CAMPAIGN, COMPANY],
            step: Some((TS, start, start + 4_000)),
            ..Identity::default()
        };
        let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
        held.compare_distinct(300, identity, company).agree();
        let of_step = |target: &[i64]| {
            let ts = target[usize::from(TS.0)];
            let low = ts - (ts - start).rem_euclid(4_000);
            (vec![of(target, COMPANY)], vec![(TS, low, low + 4_000)])
        };
        held.compare_distinct(300, identity, of_step).agree();
        // A row by row question counts what the question of all counts.
        let row = |target: &[i64]| {
            let (equal, between) = of_step(target);
            (vec![equal[0], of(target, CAMPAIGN)], between)
        };
        held.compare_distinct(300, identity, row).are_equal();
    }
}

#[test]
fn one_row_questions_add_up_to_the_question_of_all() {
    let held = late_beats(1.0);
    let start = START.0 / 1_000_000;
    let identity = Identity {
        told: &[CAMPAIGN],
        step: Some((TS, start, start + 4_000)),
        ..Identity::default()
    };
    let window = [(TS, start + 8_000, start + 12_000)];
    // A target that satisfies neither adds nothing of its own.
    let target = vec![0; 8];
    let ask = |equal: &[(FieldId, i64)]| {
        let condition = Condition {
            equal,
            between: &window,
        };
        held.population
            .distinct(condition, identity, &target, held.at)
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
    let held = held(&workload, &schema(None), at(0));
    let rows = |told: &[FieldId], draws| {
        let identity = Identity {
            told,
            draws,
            ..Identity::default()
        };
        let target = &held.rows[0];
        let condition = Condition::default();
        held.population
            .distinct(condition, identity, target, held.at)
    };
    // 120,000 writes of 6,000 campaigns: 20 each, the rarest 8 (1 - 0.6 by Zipf's law).
    assert!((rows(&[CAMPAIGN], 1.0) - 6_000.0).abs() < 10.0);
    let two = rows(&[CAMPAIGN], 2.0);
    assert!(two > 11_700.0 && two < 12_000.0, "{two}");
    let many = rows(&[CAMPAIGN], 1e6);
    assert!(many > 119_000.0 && many <= 120_000.0, "{many}");
    assert_eq!(rows(&[CAMPAIGN], f64::INFINITY), 120_000.0);
}

#[test]
fn rows_that_hardly_ever_meet_are_counted_without_looking_at_cells() {
    let held = held(&drawn_table(), &schema(None), at(26_000));
    let target = &held.rows[100].clone();
    let start = START.0 / 1_000_000;
    let question = |identity: Identity<'_>, equal: &[(FieldId, i64)]| {
        let condition = Condition {
            equal,
            between: &[],
        };
        let population = &held.population;
        let asked = population.asked(condition, identity, target, held.at);
        let writes = held.rows_like(&(equal.to_vec(), Vec::new())).len() as f64;
        let bound = population.repeated(&asked);
        let answer = population.distinct(condition, identity, target, held.at);
        (bound / writes, answer, population.by_cells(&asked), writes)
    };
    let told = |told: &'static [FieldId], millis: i64, draws| Identity {
        told,
        step: (millis > 0).then_some((TS, start, start + millis)),
        draws,
    };
    let company = [of(target, COMPANY)];
    let mut exits = 0;
    for (identity, equal) in [
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
        let (bound, answer, by_cells, writes) = question(identity, equal);
        // What the cells lose is within the bound; the target itself is counted by either in its own way: up to one row.
        let lost = 1.0 - by_cells / writes;
        // The number of writes is a draw: four standard errors.
        let chance = 1.0 / writes + 4.0 / writes.sqrt();
        assert!(
            lost <= bound + chance,
            "{identity:?}: {lost} lost, at most {bound}"
        );
        let differs = (answer - by_cells).abs();
        if bound <= super::collisions::REPEATED_MAX {
            exits += 1;
            assert!(
                differs <= bound * writes + 1.0,
                "{identity:?}: {answer} for {by_cells}"
            );
        } else {
            assert_eq!(differs, 0.0, "{identity:?}");
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
    let held = held(&workload, &schema(None), at(0));
    let start = START.0 / 1_000_000;
    let identity = Identity {
        told: &[CAMPAIGN, KIND],
        step: Some((TS, start, start + 1)),
        ..Identity::default()
    };
    let target = &held.rows[0];
    let asked = held
        .population
        .asked(Condition::default(), identity, target, held.at);
    // Three rows a millisecond, 120,000 in all, of 6,000 campaigns by Zipf's law and three kinds.
    let repeated = held.population.repeated(&asked) / 120_000.0;
    assert!(
        (3e-4..super::collisions::REPEATED_MAX).contains(&repeated),
        "{repeated}"
    );
    let company = |target: &[i64]| (vec![of(target, COMPANY)], vec![]);
    held.compare_distinct(300, identity, company).agree();
    let kind = |target: &[i64]| (vec![of(target, KIND)], vec![]);
    held.compare_distinct(20, identity, kind).agree();
}
