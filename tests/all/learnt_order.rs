//! `keyheat learn`: in what order rows and values come, whatever chance does to neighbours, and what that makes of the draft.

use crate::learn::{drafted, file, mixed};
use crate::workplace::{Workplace, assert_tells};

/// 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;

#[test]
fn bursts_are_told_with_a_profile_that_a_run_takes() {
    // 100 minutes: ten rows a second in the first minute of every ten, else one in two seconds.
    let minute = |minute: i64| {
        let (rows, every) = if minute % 10 == 0 {
            (600, 100)
        } else {
            (30, 2_000)
        };
        (0..rows).map(move |at| (START + minute * 60) * 1_000 + at * every)
    };
    let times: Vec<i64> = (0..100).flat_map(minute).collect();
    let row = |at: i64| format!("{},{}", at % 97, times[at as usize]);
    let (text, ..) = drafted("b.csv", &file("id,at", times.len() as i64, row));
    let profile = "# profile = [{ at = \"9.9s\", times = 1 }, { at = \"9.9s\", times = 6.90 }]";
    assert_tells(
        &text,
        &[
            "the busiest minute had 10.0 a second, 6.9× the mean",
            profile,
        ],
    );
    let place = Workplace::new().with("b.toml", &text.replace(profile, &profile[2..]));
    place.keyheat("check b.toml").success();
    // What comes evenly has none.
    let (text, ..) = drafted(
        "e.csv",
        &file("id,at", 6_000, |at| format!("{},{}", at % 97, START + at)),
    );
    assert!(!text.contains("burst"), "{text}");
}

#[test]
fn whole_seconds_are_finer_in_a_run_that_is_faster() {
    // 20 rows a second of 200 hosts: of a host hardly two in one second.
    let row = |at: i64| format!("h{:03},{}", mixed(at) % 200, START + at / 20);
    let (text, ..) = drafted("h.csv", &file("host,at", 20_000, row));
    assert_tells(
        &text,
        &[
            "at = { type = \"timestamp\", unit = \"ms\" }",
            "whole seconds in the file",
        ],
    );
}
