//! What arithmetic leaves of an instant: whether the result follows time, and whether it still is one.

use crate::key::{KeyPlan, week_fixture};
use crate::record::{FieldKind, TimeUnit};

/// A week of instants in milliseconds and in seconds; `few` from 0 to 499; `many` from 0 to 2^40 - 1.
fn compiled(key: &str) -> Option<KeyPlan> {
    let int = |count| FieldKind::Int { first: 0, count };
    let instant = |unit| FieldKind::Timestamp { unit, late: None };
    let fields = [
        ("ts", instant(TimeUnit::Millis)),
        ("second", instant(TimeUnit::Seconds)),
        ("few", int(500)),
        ("many", int(1 << 40)),
        ("n", FieldKind::Sequence { first: 1 }),
    ];
    week_fixture::compile(key, fields, &[]).ok()
}

#[test]
fn a_number_follows_time_when_an_instant_decides_its_order() {
    let follows = |number: &str| {
        let plan = compiled(&format!("be8({number})")).unwrap();
        plan.segments()[0].follows_time()
    };
    for number in [
        "ts",
        "ts + 5",
        "5 + ts",
        "ts + few",
        "few + ts",
        "ts + second",
        "ts - 5",
        "5 - ts",
        "ts - few",
        "ts * 2",
        "2 * ts",
        "ts * (0 - 2)",
        "ts / 1000",
        "ts / (0 - 1000)",
        // More than any instant: nothing is cut off.
        "ts % 9000000000000",
        "pmod(ts, 9000000000000)",
        "rev_ts(ts)",
        "(0 - ts) + (0 - ts)",
    ] {
        assert!(follows(number), "{number}");
    }
    for number in [
        "few",
        "few + few",
        "ts + many",
        "many + ts",
        "ts - second",
        "ts - many",
        "ts * 0",
        "ts * few",
        "few * ts",
        "few * few",
        "few - 5",
        "0 * ts",
        "few / 7",
        "ts % 86400000",
        "pmod(ts, 86400000)",
        // One shrinks as the other grows.
        "rev_ts(ts) - 5000000000000 + ts",
        // Wraps: 2^63 is reached within the week.
        "ts * 6000000",
    ] {
        assert!(!follows(number), "{number}");
    }
}

#[test]
fn what_is_added_or_taken_off_leaves_an_instant_and_what_multiplies_does_not() {
    let is_instant = |number: &str| compiled(&format!("be8(trunc({number}, '1h'))")).is_some();
    for number in [
        "ts", "ts + 5", "5 + ts", "ts + few", "few + ts", "ts - 5", "ts - few",
    ] {
        assert!(is_instant(number), "{number}");
    }
    assert!(is_instant("ts % 9000000000000"));
    assert!(is_instant("pmod(ts, 9000000000000)"));
    assert!(is_instant("ts + n"));
    // Of two instants one may be a duration, but not two of the same kind.
    assert!(is_instant("few + 0 * few + ts"));
    for number in [
        "few",
        "5 - ts",
        "ts + ts",
        "ts - second",
        "ts * 1",
        "ts / 1",
        "ts % 86400000",
        "pmod(ts, 86400000)",
        "rev_ts(ts)",
        "snowflake(ts, 1, 2, 3)",
    ] {
        assert!(!is_instant(number), "{number}");
    }
}

#[test]
fn decimal_text_follows_time_while_its_width_stays() {
    let follows = |text: &str| compiled(text).unwrap().segments()[0].follows_time();
    assert!(follows("text(ts)"));
    // From one digit to four, and from the greatest absolute value to the least.
    assert!(!follows("text(n)"));
    assert!(!follows("text(0 - ts)"));
    assert!(follows("lpad(n, 4)"));
}
