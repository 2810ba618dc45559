//! What the bytes of segments tell of fields, and what is known of derived fields by themselves.

use super::super::week_schema;
use super::*;
use crate::record::{FieldKind, KnownField, TextValues, TimeUnit};

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
    let listed = FieldKind::Text(TextValues::Listed(vec!["a".to_owned(), "bc".to_owned()]));
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
    week_schema::compile(key, fields, &DERIVED).unwrap()
}

#[test]
fn a_number_of_two_digits_tells_both_while_the_lower_one_fits() {
    let told = |key: &str| compiled(key).told_fields(0);
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
    let told = |key: &str| compiled(key).told_together(0..2);
    assert_eq!(told("be4(n / 100) || be1(n % 100)"), [N]);
    assert_eq!(told("be1(pmod(n, 100)) || be4(n / 100)"), [N]);
    assert_eq!(told("be4(n / 100) || be1(n % 101)"), [N]);
    assert_eq!(told("be4(n / 100) || be1(n % 99)"), []);
    assert_eq!(told("be4(n / 100) || be1(thousand % 100)"), []);
    assert_eq!(told("be4(n / 100) || be4(n / 100)"), []);
    assert_eq!(told("be1(n % 100) || be1(pmod(n, 100))"), []);
    // -5 / 10 and 5 / 10 are both 0.
    assert_eq!(told("sbe4(signed / 10) || be1(pmod(signed, 10))"), []);
    // One segment alone tells neither.
    assert_eq!(
        compiled("be4(n / 100) || be1(n % 100)").told_together(0..1),
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

#[test]
fn derived_fields_are_known_by_themselves() {
    let plan = compiled("be1(salted) || day || joined || be8(newest) || be8(ts)");
    let derivation = |at: u16| plan.derivation(DerivedId(at)).unwrap();
    let names: Vec<&str> = (0..4).map(|at| derivation(at).name()).collect();
    assert_eq!(names, DERIVED.map(|(name, _)| name));
    assert_eq!(derivation(0).fields(), [TS]);
    assert_eq!(derivation(3).fields(), [THOUSAND, HOST]);
    assert_eq!(derivation(2).cardinality(), Some(2));
    assert_eq!(derivation(3).cardinality(), Some(2_000));
    let follows = |at: u16| {
        derivation(at)
            .follows()
            .map(|(grain, rising)| (grain.field(), rising))
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
