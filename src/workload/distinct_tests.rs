//! Numbers of different rows against rows that are really there.

use super::held_table::*;
use super::*;
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
    };
    held.compare_distinct(300, timeless, company).are_equal();
    // With the very instant in it, each beat is.
    let exact = Identity {
        told: &[CAMPAIGN, COMPANY, TS],
        step: None,
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
    };
    let campaign = |target: &[i64]| (vec![of(target, CAMPAIGN)], vec![]);
    held.compare_distinct(1_000, identity, campaign).agree();
    // And a sequence makes every row its own.
    let numbered = Identity {
        told: &[CAMPAIGN, ID],
        step: None,
    };
    held.compare_distinct(300, numbered, campaign).agree();
}
