//! Patterns against another calendar (jiff), and what is said of their order.

use super::*;
use crate::random::{DrawKey, Seed, Stream};
use jiff::Timestamp;
use jiff::tz::TimeZone;

const UNITS: [TimeUnit; 4] = [
    TimeUnit::Seconds,
    TimeUnit::Millis,
    TimeUnit::Micros,
    TimeUnit::Nanos,
];

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap()
}

fn written(text: &str, value: i64, unit: TimeUnit) -> String {
    let mut out = b"before ".to_vec();
    pattern(text).write(value, unit, &mut out);
    String::from_utf8(out.split_off(7)).unwrap()
}

/// Seconds: both sides of turns of months, years, centuries and 400 years, and any between the years 0 and 9999, but for the last day,
/// which jiff leaves to other time zones.
fn instants() -> Vec<i64> {
    let (first, last) = (-62_167_219_200, 253_402_207_200);
    let mut instants = vec![first, last, -1, 0, 11 * 3_600 + 3_599, 12 * 3_600];
    for year in [
        0, 4, 100, 400, 1582, 1899, 1900, 1970, 2000, 2023, 2024, 2100,
    ] {
        for month in 1..=12 {
            let turn = jiff::civil::date(year, month, 1);
            let turn = turn.to_zoned(TimeZone::UTC).unwrap();
            let turn = turn.timestamp().as_second();
            instants.extend([turn - 1, turn, turn + 86_399].map(|it| it.clamp(first, last)));
        }
    }
    let mut draws = DrawKey::new(Seed(17), 0, Stream::Sample, 0).at(0);
    let span = (last - first) as u64 + 1;
    instants.extend((0..2_000).map(|_| first + draws.below(span) as i64));
    instants
}

#[test]
fn dates_and_times_are_those_of_another_calendar() {
    for seconds in instants() {
        let other = Timestamp::from_second(seconds).unwrap();
        let other = other.to_zoned(TimeZone::UTC);
        let found = written(
            "yyyy yy MM MMM dd DDD EEE HH hh a mm ss",
            seconds,
            TimeUnit::Seconds,
        );
        let expected = other.strftime("%Y %y %m %b %d %j %a %H %I %p %M %S");
        assert_eq!(found, expected.to_string());
        assert_eq!(year(seconds, TimeUnit::Seconds), i64::from(other.year()));
    }
    let last = written("yyyy DDD EEE HHmmss", 253_402_300_799, TimeUnit::Seconds);
    assert_eq!(last, "9999 365 Fri 235959");
}

#[test]
fn every_unit_gives_the_same_instant_and_its_own_fraction() {
    // 1969-12-31T23:59:58.876543211Z and 2026-03-04T05:06:07.123456789Z.
    for (nanos, second, fraction) in [
        (-1_123_456_789_i64, "19691231235958", "876543211"),
        (1_772_600_767_123_456_789, "20260304050607", "123456789"),
    ] {
        for (unit, digits) in UNITS.into_iter().zip([0, 3, 6, 9]) {
            let value = nanos.div_euclid(unit.nanos());
            let known = &fraction[..digits];
            assert_eq!(written("yyyyMMddHHmmss", value, unit), second);
            let padded = format!("{known:0<9}");
            assert_eq!(written("SSSSSSSSS", value, unit), padded);
            assert_eq!(written("SS", value, unit), padded[..2]);
        }
    }
}

#[test]
fn literals_stand_for_themselves_and_quotes_hide_letters() {
    let text = "yyyy-MM'T'HH''ss''''/'day'";
    assert_eq!(written(text, 0, TimeUnit::Seconds), "1970-01T00'00''/day");
    assert_eq!(pattern(text).sets().len(), 19);
    assert_eq!(pattern("yyyyMMMDDDEEEhhaSSSSS").sets().len(), 22);
}

#[test]
fn only_patterns_from_the_year_down_without_a_gap_keep_order() {
    for kept in [
        "yyyy",
        "yyyyMM",
        "yyyy-MM-dd HH:mm:ss.SSS",
        "yyyyDDDHH",
        "'day 'yyyyMMdd",
    ] {
        assert!(pattern(kept).keeps_order(), "{kept}");
    }
    for lost in [
        "MM",
        "ddMM",
        "yyMMdd",
        "yyyydd",
        "yyyyMMDDD",
        "yyyyMMddhh",
        "yyyyMMMdd",
        "yyyyMMddHHss",
        "yyyyMMddHHmmSSS",
        "yyyyyyyyMM yyyy",
    ] {
        let keeps_order = Pattern::parse(lost).is_ok_and(|pattern| pattern.keeps_order());
        assert!(!keeps_order, "{lost}");
    }
    let short = pattern("yyMMdd");
    assert!(short.keeps_order_within(2000..=2099));
    assert!(!short.keeps_order_within(1999..=2000));
    assert!(!pattern("MMdd").keeps_order_within(2026..=2026));
    assert!(pattern("yyyyMM").keeps_order_within(1999..=2100));
}

#[test]
fn a_pattern_leads_with_the_year_behind_literals_only() {
    for (text, leads) in [
        ("yyyyMM", true),
        ("yy", true),
        ("'y'-yyMM", true),
        ("MMyyyy", false),
        ("HH", false),
        ("'yyyy'", false),
    ] {
        assert_eq!(pattern(text).leads_with_year(), leads, "{text}");
    }
}

#[test]
fn what_is_no_pattern_is_said() {
    for (text, reason) in [
        ("", "the pattern is empty"),
        ("yyyy'T", "a quoted literal is not closed"),
        ("yyyyM", "`M` has no fixed width"),
        ("yyy", "`yyy` has no fixed width"),
        ("ssssssssssssssss", "`ssssssssssss` has no fixed width"),
        ("SSSSSSSSSS", "`SSSSSSSSSS` has no fixed width"),
        ("aa", "`aa` has no fixed width"),
        (
            "YYYY",
            "`Y` is the week year, which differs from `y` around New Year",
        ),
        ("q", "`q` is not a pattern letter"),
        ("yyyy年", "only ASCII characters can stand in a pattern"),
    ] {
        assert_eq!(Pattern::parse(text).unwrap_err(), reason, "{text}");
    }
}

#[test]
fn each_place_of_a_pattern_takes_digits_letters_or_one_character() {
    let digit = ByteSet::range(b'0', b'9');
    let letter = ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'));
    let dash = ByteSet::one(b'-');
    let expected = [digit, digit, letter, letter, letter, dash, letter, letter];
    assert_eq!(pattern("yyMMM-a").sets(), expected);
}
