//! What is proved of functions before any value is known: ranges, bytes at each place, order in time, numbers of values.

use crate::key::{Environment, KeyError, KeyPlan, Randomness, Row};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{ByteSet, Field, FieldKind, Schema, TimeUnit};
use crate::time::EpochNanos;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Midnight of 2026-01-01 and of 2026-01-08, in seconds.
const WEEK: RangeInclusive<i64> = 1_767_225_600..=1_767_830_400;

/// A key of the integer `v` and of an instant in milliseconds, `ts`, and in seconds, `second`.
fn checked(
    key: &str,
    v: RangeInclusive<i64>,
    seconds: RangeInclusive<i64>,
) -> Result<KeyPlan, Vec<KeyError>> {
    let instant = |unit| FieldKind::Timestamp { unit, late: None };
    let (first, count) = (*v.start(), v.end().abs_diff(*v.start()) + 1);
    let nanos = |seconds: i64| EpochNanos(1_000_000_000 * seconds);
    let schema = Schema {
        fields: vec![
            Field::new("v", FieldKind::Int { first, count }),
            Field::new("ts", instant(TimeUnit::Millis)),
            Field::new("second", instant(TimeUnit::Seconds)),
        ],
        time_range: (nanos(*seconds.start()), nanos(*seconds.end())),
        sequence_span: 1,
    };
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    KeyPlan::compile(key, &environment)
}

fn compiled(key: &str, v: RangeInclusive<i64>, seconds: RangeInclusive<i64>) -> KeyPlan {
    checked(key, v, seconds).unwrap_or_else(|errors| panic!("{key}: {errors:?}"))
}

/// The byte values that can stand at a place of the first segment.
fn bytes_at(key: &str, v: RangeInclusive<i64>, place: usize) -> ByteSet {
    compiled(key, v, WEEK).segments()[0].bytes_at(place)
}

fn digits(first: u8, last: u8) -> ByteSet {
    ByteSet::range(b'0' + first, b'0' + last)
}

#[test]
fn messages_tell_which_values_a_number_takes() {
    let least = i64::from(i32::MIN);
    // 343 to 4343 milliseconds after the epoch of snowflakes.
    let seconds = 1_288_834_975..=1_288_834_979;
    let flakes = format!(
        "{}..={}",
        343_i64 << 22 | 3 << 17 | 6 << 12 | 300,
        4_343_i64 << 22 | 5 << 17 | 8 << 12 | 500
    );
    let cases = [
        ("abs32(v)", least..=least, "-2147483648"),
        // Also of the next one, 2147483647.
        ("abs32(v)", least..=5, "-2147483648..=2147483647"),
        ("abs32(v)", least + 1..=5, "0..=2147483647"),
        ("snowflake(ts, v, v + 3, v * 100)", 3..=5, &flakes),
        // Of absolute values only that of the least integer is negative, and so is its remainder.
        ("abs(v) % 1000", i64::MIN..=5, "-808..=999"),
        ("abs(v) % -1000", i64::MIN..=5, "-808..=999"),
        ("abs32(v) % 1000", least..=5, "-648..=999"),
        ("abs(v) % 1000", -1_200..=-300, "0..=999"),
    ];
    for (number, v, takes) in cases {
        let errors = checked(&format!("sbe1({number})"), v, seconds.clone()).unwrap_err();
        assert_eq!(
            errors[0].message,
            format!("`{number}` takes {takes}, but `sbe1` holds -128 to 127 there")
        );
    }
}

#[test]
fn no_byte_that_a_value_can_have_is_left_out() {
    let keys = ["be2(v)", "text(v)", "lpad(v, 4)"];
    for range in [-5..=-3, -5..=0, -5..=4, 0..=4, -9..=-2, -9..=12, 8..=123] {
        for (key, place) in keys.iter().flat_map(|key| (0..4).map(move |at| (*key, at))) {
            let claimed = bytes_at(key, range.clone(), place);
            for value in range.clone() {
                let decimal = value.to_string();
                let bytes = match key {
                    "be2(v)" => (value as i16).to_be_bytes().to_vec(),
                    "text(v)" => decimal.into_bytes(),
                    _ => format!("{decimal:0>4}").into_bytes(),
                };
                let byte = bytes.get(place);
                assert!(
                    byte.is_none_or(|&byte| claimed.contains(byte)),
                    "{key} of {value} in {range:?}: {byte:?} at {place}"
                );
            }
        }
    }
}

#[test]
fn bytes_that_no_value_has_are_left_out() {
    let one = ByteSet::one;
    let cases = [
        ("be2(v)", -5..=-3, 0, one(0xff)),
        ("be2(v)", -5..=-3, 1, ByteSet::range(0xfb, 0xfd)),
        ("text(v)", 10..=12, 0, one(b'1')),
        ("text(v)", 10..=12, 1, digits(0, 2)),
        ("text(v)", 0..=12, 0, digits(0, 9)),
        ("text(v)", -2..=12, 0, digits(0, 9).union(one(b'-'))),
        ("lpad(v, 4)", 10..=12, 2, one(b'1')),
        ("lpad(v, 4, ' ')", 10..=12, 1, one(b' ')),
        (
            "lpad(v, 4, 'x')",
            10..=12,
            1,
            digits(0, 9).union(ByteSet::of(b"-x")),
        ),
        ("uuid4()", 0..=0, 6, ByteSet::range(0x40, 0x4f)),
        ("uuid4()", 0..=0, 8, ByteSet::range(0x80, 0xbf)),
        ("uuid7(ts)", 0..=0, 6, ByteSet::range(0x70, 0x7f)),
        // Of 62 and 63 bits.
        ("z2(v, v)", 0..=5, 0, ByteSet::range(0, 0x3f)),
        ("z3(v, v, v)", 0..=5, 0, ByteSet::range(0, 0x7f)),
        ("be1(abs(v) % 3)", -9..=-2, 0, ByteSet::range(0, 2)),
        ("to_char(ts, 'yyyyMMdd')", 0..=0, 6, one(b'0')),
        (
            "to_char(ts, 'yyyyMMdd')",
            0..=0,
            7,
            ByteSet::range(b'1', b'8'),
        ),
        ("to_char(ts, 'yyyyMMddHH')", 0..=0, 8, digits(0, 9)),
        // Before 2100.
        ("to_char(ts, 'yyyy-MM')", 0..=0, 1, one(b'0')),
        ("to_char(ts, 'yyyy-MM')", 0..=0, 4, one(b'-')),
    ];
    for (key, v, place, expected) in cases {
        assert_eq!(bytes_at(key, v, place), expected, "{key}: {place}");
    }
    // 259 to 261 are 0103 to 0105.
    let hex = [digits(0, 0), digits(1, 1), digits(0, 0), digits(3, 5)];
    assert_eq!(
        [0, 1, 2, 3].map(|place| bytes_at("hex(be2(v))", 259..=261, place)),
        hex
    );
    let plan = compiled("hex(x'0f1e2d3c')", 0..=0, WEEK);
    assert_eq!(plan.segments()[0].constant(), Some(b"0f1e2d3c".to_vec()));
    // Within 256 seconds only the last of KSUID's four bytes of time changes.
    let start = 1_400_000_000 + 0x1234_5600;
    let plan = compiled("ksuid(ts)", 0..=0, start + 3..=start + 77);
    let time = [0, 1, 2, 3].map(|place| plan.segments()[0].bytes_at(place));
    assert_eq!(
        time,
        [one(0x12), one(0x34), one(0x56), ByteSet::range(3, 77)]
    );
}

#[test]
fn a_function_follows_time_while_it_keeps_the_order_of_instants() {
    let (past, until_1970, around_1970, since_1970) = (-9..=-3, -9..=0, -9..=4, 0..=4);
    let cases = [
        ("be8(second)", past.clone(), true),
        ("be8(second)", until_1970, false),
        ("be8(second)", around_1970, false),
        ("be8(second)", since_1970.clone(), true),
        ("lpad(ts, 20)", since_1970.clone(), true),
        ("lpad(ts, 20, ' ')", since_1970.clone(), true),
        // Letters sort behind digits, the greater of two negative numbers has the smaller digits.
        ("lpad(ts, 20, 'x')", since_1970, false),
        ("lpad(ts, 20)", past, false),
        ("right(be8(ts), 8)", WEEK, true),
        ("right(be8(ts), 7)", WEEK, false),
        ("rpad(to_char(ts, 'yyyyMMdd'), 9)", WEEK, true),
        ("to_char(ts, 'yyyyMMdd')", WEEK, true),
        ("to_char(ts, 'yyMMdd')", WEEK, true),
        ("to_char(ts, 'ddMMyyyy')", WEEK, false),
        ("desc(be8(ts))", WEEK, true),
        // The first part that varies decides.
        ("hex(be8(ts) || uuid4())", WEEK, true),
        ("hex('k' || be8(ts))", WEEK, true),
        ("hex(uuid4() || be8(ts))", WEEK, false),
        ("be8(snowflake(ts, 1, 2, 3))", WEEK, true),
        ("uuid7(ts)", WEEK, true),
        // An hour before the least integer is a great one.
        (
            "sbe8(trunc(ts - LONG_MAX - 1767225600000, '1h'))",
            WEEK,
            false,
        ),
        (
            "sbe8(trunc(ts - LONG_MAX - 1767222000000, '1h'))",
            WEEK,
            true,
        ),
    ];
    for (key, seconds, expected) in cases {
        let plan = compiled(key, 0..=0, seconds.clone());
        assert_eq!(
            plan.segments()[0].follows_time(),
            expected,
            "{key}: {seconds:?}"
        );
    }
}

#[test]
fn identifiers_are_drawn_and_without_number() {
    for key in ["uuid4()", "uuid7(ts)", "ulid(ts)", "ksuid(ts)"] {
        let plan = compiled(key, 0..=0, WEEK);
        let segment = &plan.segments()[0];
        let found = (segment.randomness(), segment.cardinality());
        assert_eq!(found, (Randomness::Random, None), "{key}");
    }
}

#[test]
fn truncated_numbers_are_counted() {
    // Eight midnights from the first day to the eighth.
    let days = compiled("be8(trunc(ts, '1d'))", 0..=0, WEEK);
    assert_eq!(days.segments()[0].cardinality(), Some(8));
    let tens = compiled("be8(trunc(v, 10))", 3..=99, WEEK);
    assert_eq!(tens.segments()[0].cardinality(), Some(10));
    let plan = compiled("salt(16, trunc(ts, '1d'))", 0..=0, WEEK);
    let warnings: Vec<_> = plan.notes.iter().map(|note| &note.text).collect();
    assert_eq!(
        warnings[0].message,
        "`trunc(ts, '1d')` has 8 values for 16 buckets"
    );
    assert_eq!(warnings[0].label, "at least 8 buckets stay empty");
}

#[test]
fn texts_of_other_scripts_are_measured_in_bytes() {
    let lengths = |key: &str| compiled(key, 0..=0, WEEK).len_range();
    // Two characters of three bytes and up to five of padding.
    assert_eq!(lengths("lpad('añ', 5)"), (5, 8));
    assert_eq!(lengths("rpad('añ', 5)"), (5, 8));
    // A character has one byte to four.
    assert_eq!(lengths("left('😀😀😀', 2)"), (2, 8));
    assert_eq!(lengths("right('😀😀😀', 2)"), (2, 8));
}

#[test]
fn a_sign_is_no_delimiter_of_numbers_that_can_be_negative() {
    let ambiguous = |v: RangeInclusive<i64>| {
        let plan = compiled("text(v) || '-' || uuid4()", v, WEEK);
        let mut notes = plan.notes.iter();
        notes.any(|note| note.text.message.contains("may contain the delimiter"))
    };
    assert!(!ambiguous(0..=12));
    assert!(ambiguous(-1..=12));
}

#[test]
fn round_robin_counts_the_operations_of_a_write() {
    let plan = compiled("be1(round_robin(9))", 0..=0, WEEK);
    let key = |index: u64| {
        let draws = DrawKey::new(Seed(1), 0, Stream::Keys, 0).at(0);
        let (key, _) = plan.describe(&Row {
            record: &[0, 0, 0],
            index,
            draws,
        });
        key.as_bytes().to_vec()
    };
    assert_eq!([0, 8, 9, 13].map(key), [[0], [8], [0], [4]]);
}
