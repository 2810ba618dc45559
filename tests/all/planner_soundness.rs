//! Access paths against tables held in memory: random keys, random reads, every row looked at.

use crate::brute_force::asked::Asked;
use crate::brute_force::rows;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn every_wanted_row_is_asked_for_once_and_all_others_are_declared(case in rows::cases()) {
        rows::compare(&case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_range_of_time_is_bounded_by_all_the_steps_that_follow_it(case in rows::ranges_of_time()) {
        rows::compare(&case)?;
    }

    #[test]
    fn rows_of_longer_values_are_counted(case in rows::longer_values()) {
        rows::compare_longer_values(&case)?;
    }
}

#[test]
fn a_time_that_is_known_in_hours_begins_no_key_of_milliseconds() {
    let segments = ["text(ts / 3600000)", "b", "uuid7(ts)"];
    let case = rows::case(&segments, Asked::equal(&["hour", "b"]), 333, 151);
    rows::compare(&case).expect("what is known in steps is asked for in steps");
}

#[test]
fn the_segments_of_the_soundness_test_all_compile() {
    rows::compile_all();
}
