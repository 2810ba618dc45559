//! What the bytes of segments tell of fields, and what is known of derived fields by themselves.

use super::super::week_fixture;
use super::*;
use crate::key::StepCache;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldKind, KnownField, TextValues, TimeUnit};
use proptest::prelude::*;

const N: FieldId = FieldId(0);
const THOUSAND: FieldId = FieldId(1);
const SIGNED: FieldId = FieldId(3);
const HOST: FieldId = FieldId(4);
const TS: FieldId = FieldId(5);

const DERIVED: [(&str, &str); 4] = [
    ("day", "to_char(ts, 'yyyyMMdd')"),
    ("newest", "rev_ts(ts)"),
    ("salted", "bucket(7, host)"),
    ("joined", "host || be2(thousand)"),
];

fn compiled(key: &str) -> KeyPlan {
    let int = |first, count| FieldKind::Int { first, count };
    let listed = FieldKind::Text(TextValues::Listed(["a".to_owned(), "bc".to_owned()].into()));
    let fields = [
        ("n", int(0, 1_000_000)),
        ("thousand", int(0, 1_000)),
        ("more", int(0, 1_001)),
        ("signed", int(-5, 100)),
        ("host", listed),
        (
            "ts",
            FieldKind::Timestamp {
                unit: TimeUnit::Millis,
                late: None,
            },
        ),
    ];
    week_fixture::compile(key, fields, &DERIVED).unwrap()
}

#[test]
fn a_number_of_two_digits_tells_both_while_the_lower_one_fits() {
    let told = |key: &str| compiled(key).told_fields(0..1);
    assert_eq!(told("be8(n * 1000 + thousand)"), [N, THOUSAND]);
    assert_eq!(told("be8(thousand + 1000 * n)"), [N, THOUSAND]);
    assert_eq!(
        told("be8((n * 1000 + thousand) * 100 + signed)"),
        [N, THOUSAND, SIGNED]
    );
    // 0 and 1000 of the lower digit are 1 and 0 of the higher one.
    assert_eq!(told("be8(n * 1000 + more)"), []);
    assert_eq!(told("be8(n * 999 + thousand)"), []);
    assert_eq!(told("be8(n * thousand + more)"), []);
    assert_eq!(told("z2(n, thousand)"), [N, THOUSAND]);
    assert_eq!(told("reverse_bytes(be4(n))"), [N]);
}

#[test]
fn quotient_and_remainder_tell_a_number_together() {
    let told = |key: &str| compiled(key).told_fields(0..2);
    assert_eq!(told("be4(n / 100) || be1(n % 100)"), [N]);
    assert_eq!(told("be1(pmod(n, 100)) || be4(n / 100)"), [N]);
    assert_eq!(told("be4(n / 100) || be1(n % 101)"), [N]);
    assert_eq!(told("be4(n / 100) || be1(n % 99)"), []);
    assert_eq!(told("be4(n / 100) || be1(thousand % 100)"), []);
    assert_eq!(told("be4(n / 100) || be4(n / 100)"), []);
    assert_eq!(told("be1(n % 100) || be1(pmod(n, 100))"), []);
    // Joined within one segment as well.
    let text = compiled("text(lpad(n / 100, 4) || lpad(n % 100, 2))");
    assert_eq!(text.told_fields(0..1), [N]);
    // -5 / 10 and 5 / 10 are both 0.
    assert_eq!(told("sbe4(signed / 10) || be1(pmod(signed, 10))"), []);
    // In as many digits as there are, in whatever order.
    let all = |key: &str| compiled(key).told_fields(0..3);
    assert_eq!(all("be1(n / 10 % 10) || be1(n % 10) || be4(n / 100)"), [N]);
    assert_eq!(all("be1(n / 10 % 9) || be1(n % 10) || be4(n / 100)"), []);
    // One segment alone tells neither.
    assert_eq!(
        compiled("be4(n / 100) || be1(n % 100)").told_fields(0..1),
        []
    );
}

#[test]
fn identifiers_that_lead_with_time_are_known_so_far() {
    let mut known = Knowledge::default();
    let lead = |key: &str, known: &Knowledge| compiled(key).known_lead(0, known);
    for key in ["uuid7(ts)", "ulid(ts)", "ksuid(ts)"] {
        assert_eq!(lead(key, &known), None);
    }
    known.learn(KnownField::Stored(TS));
    assert_eq!(lead("uuid7(ts)", &known), Some(6));
    assert_eq!(lead("ulid(ts)", &known), Some(10));
    assert_eq!(lead("ksuid(ts)", &known), Some(4));
    assert_eq!(lead("uuid4()", &known), None);
    assert_eq!(lead("be8(ts)", &known), None);
}

/// n is 95, thousand 258, signed -2, host `bc`.
const RECORD: [i64; 6] = [95, 258, 3, -2, 1, 1_767_225_612_345];

#[test]
fn a_segment_with_one_draw_is_written_for_each_of_its_values() {
    let drawn = |key: &str, fields: &[FieldId], most: u64| {
        let mut known = Knowledge::default();
        for &field in fields {
            known.learn(KnownField::Stored(field));
        }
        let drawn = compiled(key).drawn(0, &known, most)?;
        let row = Row {
            record: &RECORD,
            index: 0,
            draws: DrawKey::new(Seed(1), 0, Stream::Keys, 0).at(0),
        };
        let written = drawn.iter().map(|segment| {
            let mut out = Vec::new();
            segment.write(&row, &mut out);
            out
        });
        Some(written.collect::<Vec<_>>())
    };
    let bytes = |values: &[&[u8]]| Some(values.iter().map(|value| value.to_vec()).collect());
    assert_eq!(drawn("be1(random(3))", &[], 3), bytes(&[&[0], &[1], &[2]]));
    assert_eq!(drawn("be1(random(3))", &[], 2), None);
    // 4 * 95 = 380.
    let sum = "be3(n * 4 + round_robin(2))";
    assert_eq!(drawn(sum, &[N], 9), bytes(&[&[0, 1, 124], &[0, 1, 125]]));
    assert_eq!(drawn(sum, &[THOUSAND], 9), None);
    let joined = "text(host || '-' || lpad(random(2), 2))";
    assert_eq!(drawn(joined, &[HOST], 2), bytes(&[b"bc-00", b"bc-01"]));
    // 0 and 1 in IEEE 754, the sign bit set.
    let doubles = bytes(&[&[0x80, 0, 0, 0], &[0xbf, 0x80, 0, 0]]);
    assert_eq!(drawn("of4(random(2))", &[], 2), doubles);
    // Nothing drawn, or more than one thing, or what has too many values.
    for key in [
        "be4(n)",
        "be4(random(2) * 5 + random(3))",
        "uuid4()",
        "uuid7(ts)",
        "hex(uuid4() || be1(random(3)))",
        "hex(be1(random(3)) || ksuid(ts))",
    ] {
        assert_eq!(drawn(key, &[N, TS], u64::MAX), None, "{key}");
    }
}

#[test]
fn a_step_ends_where_the_coarse_use_changes_or_the_bounds_end() {
    let window = |key: &str, bounds| {
        let steps = compiled(key).field_steps(0..1, N).unwrap();
        let mut record = RECORD;
        let window = steps.window(&mut record, bounds, &mut StepCache::default());
        assert_eq!((steps.field, record), (N, RECORD));
        window
    };
    for (bounds, expected) in [
        (0..1_000, 90..100),
        (0..100, 90..100),
        (0..98, 90..98),
        (93..98, 93..98),
        (95..96, 95..96),
    ] {
        assert_eq!(window("be4(n / 10)", bounds), expected);
    }
    // Steps of 10 and of 4.
    assert_eq!(
        window("hex(be4(trunc(n, 10)) || be4(n / 4))", 0..1_000),
        92..96
    );
}

proptest! {
    #[test]
    fn a_window_is_the_same_whatever_was_searched_before(
        searches in prop::collection::vec((0usize..2, 0i64..60, 0i64..60, 0i64..60), 1..40)
    ) {
        let keys = ["be4(n / 10)", "hex(be4(trunc(n, 25)))"].map(compiled);
        let steps = keys.each_ref().map(|key| key.field_steps(0..1, N).unwrap());
        let mut cache = StepCache::default();
        let mut record = RECORD;
        for (which, value, one, other) in searches {
            let bounds = one.min(other)..one.max(other) + 1;
            record[0] = value;
            let found = steps[which].window(&mut record, bounds.clone(), &mut cache);
            // A value outside the bounds is a bound itself.
            let step = [10, 25][which];
            let lower = (value / step * step).max(bounds.start.min(value));
            let upper = ((value / step + 1) * step).min(bounds.end.max(value + 1));
            prop_assert_eq!(found, lower..upper, "{} in {:?}", value, bounds);
        }
    }
}

#[test]
fn a_field_is_used_in_steps_when_it_is_used_nowhere_else() {
    let day = "to_char(ts, 'yyyyMMdd')";
    let (steps, exact) = (
        format!("md5({day} || host)"),
        format!("md5({day} || text(ts))"),
    );
    for (key, expected) in [
        (day, true),
        (&steps, true),
        (&exact, false),
        ("be8(ts)", false),
        ("host", true),
    ] {
        assert_eq!(compiled(key).is_coarse(0, TS), expected, "{key}");
    }
    let segment_steps = |key: &str, field| compiled(key).segment_steps(0, field).is_some();
    assert!(segment_steps("be4(n / 10)", N));
    assert!(segment_steps("be4(n / 10 + n)", N));
    assert!(segment_steps("uuid7(ts)", TS));
    // Another field or a draw decides as well.
    for key in [
        "be4(n / 10 + thousand)",
        "be4(n / 10 + random(5))",
        "hex(be4(n) || uuid4())",
    ] {
        assert!(!segment_steps(key, N), "{key}");
    }
}

#[test]
fn derived_fields_are_known_by_themselves() {
    let plan = compiled("be1(salted) || day || joined || be8(newest) || be8(ts)");
    let derivation = |at: u16| plan.derivation(DerivedId(at)).unwrap();
    let names: Vec<&str> = (0..4).map(|at| derivation(at).name()).collect();
    assert_eq!(names, DERIVED.map(|(name, _)| name));
    assert_eq!(derivation(0).fields(), [TS]);
    assert_eq!(derivation(3).fields(), [THOUSAND, HOST]);
    let follows = |at: u16| {
        derivation(at)
            .follows()
            .map(|(steps, rising)| (steps.field, rising))
    };
    assert_eq!(follows(0), Some((TS, true)));
    assert_eq!(follows(1), Some((TS, false)));
    assert_eq!(follows(2), None);
    assert_eq!(follows(3), None);
    // Which segments are a derived field, and nothing else: `joined` is two.
    let are = |at: u16| -> Vec<usize> {
        let segments = plan.segments().iter().enumerate();
        let is = segments.filter(|(_, segment)| derivation(at).is(segment));
        is.map(|(segment, _)| segment).collect()
    };
    assert_eq!(are(0), [1]);
    assert_eq!(are(3), [] as [usize; 0]);
    assert!(plan.derivation(DerivedId(4)).is_none());
}

#[test]
fn a_field_is_shown_by_few_values_as_far_as_the_key_uses_nothing_else_of_it() {
    let classes = |key: &str, first: usize, field: FieldId, most: usize| {
        let found = compiled(key).field_classes(first, field, 0..1_000_000, most);
        found.map(|(classes, values)| (classes.segments, values))
    };
    let eight = Some((0..2, (0..8).collect()));
    let hashed = "left(md5_bytes(host || be1(n % 8)), 2) || be1(n % 8) || be4(n)";
    assert_eq!(classes(hashed, 0, N, 100), eight);
    assert_eq!(classes(hashed, 0, N, 7), None);
    assert_eq!(classes(hashed, 2, N, 100), None);
    // 12 pairs of remainders of 4 and 6.
    assert_eq!(
        classes("be1(n % 4) || be1(n % 6)", 0, N, 100),
        Some((0..2, (0..12).collect()))
    );
    // The next segment has more values than are wanted together.
    assert_eq!(
        classes("be1(n % 4) || be1(n % 50)", 0, N, 49),
        Some((0..1, (0..4).collect()))
    );
    let by_hash = classes("be1(pmod(crc32(be4(n)), 16)) || be4(n)", 0, N, 100);
    assert_eq!(by_hash.map(|(_, values)| values.len()), Some(16));
    // Eight values lie a thousand apart: the first ones show one of them.
    assert_eq!(classes("be1(n / 1000 % 8)", 0, N, 100), None);
    let few = compiled("be1(n % 8)").field_classes(0, N, 0..5, 100);
    assert_eq!(few.map(|(_, values)| values.len()), Some(5));
}

#[test]
fn steps_of_a_range_are_compared_once_whichever_record_is_asked_for_first() {
    const DAY: i64 = 86_400_000;
    let plan = compiled("to_char(ts, 'MM-yyyy')");
    let steps = plan.joint_steps(0..1, TS).expect("months have steps").steps;
    let months = FieldSteps::new(TS, vec![plan.code(0).clone().in_order()]);
    // 2026-01-01, and the last ten minutes of a range that end within a day.
    let start = 1_767_225_600_000;
    let alike = |value: i64, range: &std::ops::Range<i64>, cache: &mut StepCache| {
        let mut record = [0, 0, 0, 0, 0, value];
        months.alike(&steps, &mut record, (range, range), cache)
    };
    // January, February and ten minutes of the first of March; 512 days and ten minutes are too many steps.
    let few = start..start + 59 * DAY + 600_000;
    let many = start..start + 512 * DAY + 600_000;
    let (first, last) = (start + 1, few.end - 1);
    for values in [[first, last], [last, first]] {
        let mut cache = StepCache::default();
        let found = values.map(|value| alike(value, &few, &mut cache));
        let expected = values.map(|value| match value == first {
            true => Some(31.0 * DAY as f64),
            false => Some(600_000.0),
        });
        assert_eq!(found, expected);
    }
    for values in [[first, many.end - 1], [many.end - 1, first]] {
        let mut cache = StepCache::default();
        assert_eq!(
            values.map(|value| alike(value, &many, &mut cache)),
            [None, None]
        );
        // What was found is remembered for the range, too many steps as well.
        assert_eq!(cache.ranges_compared(), 1);
    }
}
