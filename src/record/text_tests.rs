//! Slots to bytes and back: distinct, inside the promised domain, the same as a user writes them.

use super::*;
use crate::time::EpochNanos;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn one(kind: FieldKind, literals: &[&str]) -> Schema {
    let law = Distribution::default();
    let literals = literals
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
    Schema {
        fields: vec![Field {
            name: "page".into(),
            kind,
            law,
            of: Vec::new(),
            literals,
            column: None,
        }],
        time_range: (EpochNanos(-1_500_000_000), EpochNanos(2_500_000_000)),
        sequence_span: 90,
    }
}

const ID: FieldId = FieldId(0);

fn bytes(schema: &Schema, slot: i64) -> Vec<u8> {
    let mut out = Vec::new();
    schema.write_text(ID, slot, &mut out);
    out
}

fn text(schema: &Schema, slot: i64) -> String {
    String::from_utf8(bytes(schema, slot)).expect("text")
}

/// All values are distinct, lie in the domain, and (texts) are parsed back.
fn assert_sound(schema: &Schema, slots: impl IntoIterator<Item = i64>) {
    let domain = schema.domain(ID);
    let renderer = schema.text(ID);
    let mut seen = BTreeSet::new();
    for slot in slots {
        let mut value = Vec::new();
        renderer.write(slot, &mut value);
        assert!(
            (domain.shape.min..=domain.shape.max).contains(&value.len()),
            "{value:?}"
        );
        for (at, &byte) in value.iter().enumerate() {
            assert!(domain.shape.at(at).contains(byte), "{value:?}");
        }
        if domain.value_type == ValueType::Text {
            let text = std::str::from_utf8(&value).expect("text");
            assert_eq!(schema.parse(ID, &FieldValue::Text(text.into())), Ok(slot));
        }
        assert!(seen.insert(value), "slot {slot} repeats a value");
    }
}

fn generated(count: u64, length: u16, alphabet: &str) -> FieldKind {
    FieldKind::Text(TextValues::Generated {
        count,
        length,
        alphabet: alphabet.into(),
    })
}

#[test]
fn generated_texts_are_distinct_and_found_again() {
    // All texts there are; some of them; more characters than 63 bits hold.
    assert_sound(&one(generated(27, 3, "abc"), &[]), 0..27);
    assert_sound(
        &one(generated(40_000, 6, "abcdefghijklmnopqrstuvwxyz"), &[]),
        0..40_000,
    );
    assert_sound(
        &one(generated(5_000, 40, "0123456789abcdef"), &[]),
        0..5_000,
    );
    assert_sound(&one(generated(1, 5, "x"), &[]), 0..1);
}

#[test]
fn domains_are_distinct_lower_case_names_with_several_labels() {
    let few = one(FieldKind::Domain { count: 20_000 }, &[]);
    assert_sound(&few, 0..20_000);
    let many = one(FieldKind::Domain { count: 3_000_000 }, &[]);
    assert_sound(&many, (0..3_000_000).step_by(101));
    let name = text(&many, 2_999_999);
    assert!(
        name.contains('.') && name.contains('-') && name.is_ascii(),
        "{name}"
    );
    // Names spread over all endings: none has half of them.
    let com = (0..20_000)
        .filter(|slot| text(&few, *slot).ends_with(".com"))
        .count();
    assert!((1_000..10_000).contains(&com), "{com}");
    for unknown in [
        "example.com",
        "www.green-books",
        "www.green-books0.de",
        "green-books99999999999999999999.de",
    ] {
        assert!(
            many.parse(ID, &FieldValue::Text(unknown.into())).is_err(),
            "{unknown}"
        );
    }
}

#[test]
fn fixed_length_bytes_are_distinct_at_every_length() {
    for (length, count) in [
        (1, 256),
        (2, 65_536),
        (7, 30_000),
        (8, 30_000),
        (13, 30_000),
    ] {
        assert_sound(
            &one(
                FieldKind::Bytes {
                    length,
                    count: Some(count),
                },
                &[],
            ),
            0..count as i64,
        );
    }
    assert_sound(
        &one(
            FieldKind::Bytes {
                length: 21,
                count: None,
            },
            &[],
        ),
        [0, 7, i64::MAX],
    );
}

#[test]
fn uuids_are_version_4_and_shown_with_hyphens() {
    let schema = one(
        FieldKind::Uuid {
            count: Some(10_000),
        },
        &[],
    );
    assert_sound(&schema, 0..10_000);
    let shown = schema.display(ID, 77);
    assert_eq!(shown.len(), 36);
    assert_eq!(shown.as_bytes()[14], b'4');
    assert!(b"89ab".contains(&shown.as_bytes()[19]));
}

#[test]
fn digits_are_padded_and_their_domain_knows_the_fixed_ones() {
    let kind = FieldKind::Digits {
        width: 5,
        first: 1_220,
        count: 30,
    };
    let schema = one(kind, &["", "x"]);
    assert_sound(&schema, 1_220..1_250);
    assert_eq!(text(&schema, 1_249), "01249");
    assert_eq!(bytes(&schema, Field::literal_slot(0)), b"");
    assert_eq!(
        schema.parse(ID, &FieldValue::Text("x".into())),
        Ok(Field::literal_slot(1))
    );
    assert_eq!(schema.parse(ID, &FieldValue::Int(1_230)), Ok(1_230));
    let domain = schema.domain(ID);
    assert_eq!((domain.shape.min, domain.shape.max), (0, 5));
    assert_eq!(domain.cardinality, Some(32));
    // `x` or the leading zero; then 1, then 2, then 2..=4, then any digit.
    let expected = ["0x", "1", "2", "234", "0123456789"];
    for (at, bytes) in expected.into_iter().enumerate() {
        assert_eq!(domain.shape.at(at), ByteSet::of(bytes.as_bytes()), "{at}");
    }
}

#[test]
fn a_text_outside_the_domain_is_refused_with_the_domain_and_offered_as_a_literal() {
    let listed = one(
        FieldKind::Text(TextValues::Listed(["eu".into(), "us".into()].into())),
        &[],
    );
    assert_sound(&listed, 0..2);
    let error = listed
        .parse(ID, &FieldValue::Text("ap".into()))
        .expect_err("outside");
    assert_eq!(
        error.to_string(),
        "`ap` is not a value of `page`, which is one of `eu`, `us`"
    );
    assert!(
        matches!(error, FieldValueError::Outside { literal: Some(bytes), .. } if bytes == b"ap")
    );
    let digits = one(
        FieldKind::Digits {
            width: 3,
            first: 0,
            count: 50,
        },
        &[],
    );
    for outside in ["050", "49", "+49", "0049", ""] {
        assert!(
            digits.parse(ID, &FieldValue::Text(outside.into())).is_err(),
            "{outside}"
        );
    }
}

#[test]
fn numbers_are_checked_against_their_domain() {
    let int = one(
        FieldKind::Int {
            first: -3,
            count: 10,
        },
        &[],
    );
    assert_eq!(int.domain(ID).range, Interval::new(-3, 6));
    assert_eq!(int.parse(ID, &FieldValue::Int(6)), Ok(6));
    let error = int.parse(ID, &FieldValue::Int(7)).expect_err("outside");
    assert_eq!(
        error.to_string(),
        "`7` is not a value of `page`, which is a whole number from -3 to 6"
    );
    let error = int
        .parse(ID, &FieldValue::Text("7".into()))
        .expect_err("another type");
    assert_eq!(
        error.to_string(),
        "`page` is a whole number from -3 to 6, not a text"
    );
    assert_eq!(text(&int, -3), "-3");

    let sequence = one(FieldKind::Sequence { first: 10 }, &[]);
    assert_eq!(sequence.domain(ID).range, Interval::new(10, 100));
    assert!(sequence.domain(ID).follows_time);
    assert!(sequence.parse(ID, &FieldValue::Int(9)).is_err());

    let double = one(FieldKind::Double { min: 0.0, max: 2.0 }, &[]);
    let slot = double.parse(ID, &FieldValue::Double(1.25)).expect("inside");
    assert_eq!(double.display(ID, slot), "1.25");
    assert!(double.parse(ID, &FieldValue::Double(f64::NAN)).is_err());
    assert!(double.parse(ID, &FieldValue::Int(2)).is_err());
}

#[test]
fn timestamps_are_given_and_shown_as_instants() {
    let schema = one(
        FieldKind::Timestamp {
            unit: TimeUnit::Millis,
            late: None,
        },
        &[],
    );
    let slot = schema
        .parse(
            ID,
            &FieldValue::Time(1_767_225_612_345_678_901, TimeUnit::Nanos),
        )
        .expect("an instant");
    assert_eq!(slot, 1_767_225_612_345);
    assert_eq!(schema.display(ID, slot), "2026-01-01T00:00:12.345Z");
    let domain = schema.domain(ID);
    assert_eq!(domain.range, Interval::new(-1_500, 2_500));
    assert_eq!(domain.time_unit, Some(TimeUnit::Millis));
    // No instant of the calendar: still shown.
    assert_eq!(schema.display(ID, i64::MAX), i64::MAX.to_string());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn digit_domains_hold_all_their_values(width in 1u8..6, first in 0u64..30_000, count in 1u64..3_000) {
        assert_sound(&one(FieldKind::Digits { width, first, count }, &[]), first as i64..(first + count) as i64);
    }
}
