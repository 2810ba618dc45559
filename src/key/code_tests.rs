//! What is said of a segment's trend, expression by expression.

use super::Trend;
use crate::key::{Environment, KeyPlan};
use crate::record::{Field, FieldKind, Schema, TextValues, TimeUnit};
use crate::time::EpochNanos;
use std::collections::BTreeMap;

const UP: Option<Trend> = known(true, true);
const DOWN: Option<Trend> = known(false, true);
const UP_COARSE: Option<Trend> = known(true, false);
const DOWN_COARSE: Option<Trend> = known(false, false);

const fn known(rising: bool, exact: bool) -> Option<Trend> {
    Some(Trend { rising, exact })
}

/// 2026-01-01 to 2026-01-08; `n` from 0 to 999, `d` from -3 to 5, `m` from 10 to 99.
fn schema() -> Schema {
    let int = |first, count| FieldKind::Int { first, count };
    let millis = FieldKind::Timestamp {
        unit: TimeUnit::Millis,
        late: None,
    };
    let listed = FieldKind::Text(TextValues::Listed(["a".to_owned(), "bc".to_owned()].into()));
    let day = FieldKind::Digits {
        width: 8,
        first: 20_260_101,
        count: 300,
    };
    let other = FieldKind::Digits {
        width: 8,
        first: 20_250_101,
        count: 200,
    };
    let zone = FieldKind::Text(TextValues::Listed(
        ["ab".to_owned(), "cd".to_owned()].into(),
    ));
    let fields = [
        ("ts", millis),
        ("n", int(0, 1_000)),
        ("d", int(-3, 9)),
        ("m", int(10, 90)),
        ("day", day),
        ("host", listed),
        ("other", other),
        ("zone", zone),
    ];
    let field = |(name, kind)| Field::new(name, kind);
    Schema {
        fields: fields.into_iter().map(field).collect(),
        time_range: (
            EpochNanos(1_767_225_600_000_000_000),
            EpochNanos(1_767_830_400_000_000_000),
        ),
        sequence_span: 1_000,
    }
}

fn trend(key: &str, field: &str) -> Option<Trend> {
    let (schema, parameters) = (schema(), BTreeMap::new());
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &parameters,
    };
    let plan = KeyPlan::compile(key, &environment).unwrap_or_else(|errors| {
        panic!("{key}: {errors:?}");
    });
    assert_eq!(plan.segments().len(), 1, "{key}");
    plan.trend(0, schema.find(field).unwrap())
}

fn check(field: &str, expected: &[(&str, Option<Trend>)]) {
    for (key, expected) in expected {
        assert_eq!(trend(key, field), *expected, "{key}");
    }
}

#[test]
fn arithmetic_follows_the_field_or_turns_it_round() {
    check(
        "n",
        &[
            ("be8(n)", UP),
            ("be8(n + m)", UP),
            ("be8(m + n)", UP),
            ("be8(n + n)", UP),
            ("be8(m)", None),
            ("be8(n - 2000 + 5000)", UP),
            ("be8(5000 - n)", DOWN),
            ("be8(5000 + n - (0 - n))", UP),
            ("be8(n + (5000 - n))", None),
            ("be8(5000 + n - n)", None),
            ("be8(n * 3)", UP),
            ("be8(m * n)", UP),
            ("sbe8(n * -3)", DOWN),
            ("sbe8(n * d)", None),
            ("be8(n * n)", None),
            ("be8(n / 1)", UP),
            ("be8(n / 7)", UP_COARSE),
            ("be8(n / m)", UP_COARSE),
            ("be8(n / (n + 1))", None),
            ("sbe8(n / (0 - 7))", None),
            ("be8(n + n / 7)", UP),
            ("be8(n / 7 + n / 3)", UP_COARSE),
            ("be8(5000 / (n + 1))", None),
            ("be8((5000 - n) / 7)", DOWN_COARSE),
            ("be8(n % 1000)", UP),
            ("be8(n % 999)", None),
            ("be8(pmod(n, 1000))", UP),
            ("be8(pmod(n, 999))", None),
            ("be8(abs(n))", UP),
            ("be8(trunc(n, 4))", UP_COARSE),
            ("be8(trunc(n, 1))", UP),
            ("be8(LONG_MAX - n)", DOWN),
            // What is left of a number without its remainder.
            ("sbe8(n - n % 7)", UP_COARSE),
            ("sbe8(n - (n + 1) % 7)", UP_COARSE),
            ("sbe8(5 - n * 3 + n * 3 % 21)", None),
            ("sbe8(n - n % 7 % 3)", None),
            ("sbe8(n % 7 - n)", None),
        ],
    );
    check(
        "d",
        &[
            ("be8(abs(d))", None),
            // What wraps may be anywhere.
            ("sbe8(LONG_MAX + d)", None),
            ("sbe8(d * m)", UP),
        ],
    );
    // A factor of 0 leaves nothing of the field.
    check("m", &[("be8(m * n)", None), ("sbe8(m * (d - 5))", None)]);
}

#[test]
fn encodings_keep_the_order_that_they_can() {
    check(
        "d",
        &[
            ("be8(d)", None),
            ("be8(d + 3)", UP),
            ("be8(d - 6)", UP),
            ("be8(d - 5)", None),
            ("sbe8(d)", UP),
            ("ordered8(d)", UP),
            ("text(d + 3)", UP),
            ("text(d)", None),
            ("lpad(d, 5)", None),
            ("lpad(d + 3, 5)", UP),
            ("lpad(d + 3, 5, 'x')", None),
            ("lpad(text(d + 3), 5)", UP),
            ("lpad(text(d), 5)", None),
            ("upper(hex(be4(d + 3)))", UP),
            ("lower(upper(hex(be4(d + 3))))", UP),
            ("upper(nth('aAbBcCdDe', d + 3))", None),
            ("nth('abcdefghi', d + 3)", UP),
            ("nth('abcdefgih', d + 3)", None),
            ("nth('abcdefghh', d + 3)", None),
        ],
    );
    check("n", &[("text(n)", None), ("text(n + 1000)", UP)]);
    check(
        "ts",
        &[
            ("to_char(ts, 'yyyyMMdd')", UP_COARSE),
            ("to_char(ts, 'yyMMdd')", UP_COARSE),
            ("to_char(ts, 'ddMMyyyy')", None),
            ("be8(snowflake(ts, 3, n / 100, m))", UP),
            ("be8(snowflake(ts, 3, 4, pmod(ts, 4096)))", None),
            ("uuid7(ts)", UP),
            ("ulid(ts)", UP),
            ("ksuid(ts)", UP_COARSE),
            ("uuid4()", None),
        ],
    );
}

#[test]
fn transformed_bytes_follow_while_their_lead_is_kept() {
    check(
        "n",
        &[
            ("hex(be8(n))", UP),
            ("hex(be8(9000 - n))", DOWN),
            ("left(be8(n), 7)", UP_COARSE),
            ("left(hex(be8(n)), 9)", UP_COARSE),
            ("substr(be8(n), 0, 3)", UP_COARSE),
            ("substr(be8(n), 1, 3)", UP_COARSE),
            ("substr(be8(n), 2, 3)", None),
            ("right(be8(n), 3)", None),
            ("reverse_bytes(be8(n))", None),
            ("desc(be8(n))", DOWN),
            ("md5(n)", None),
            ("hex(be4(n) || be4(m))", UP),
            ("hex(be4(m) || be4(n))", UP),
            // The first part that tells all values apart decides.
            ("hex(be4(n) || desc(be4(n)))", UP),
            ("hex(be4(n / 7) || be4(n))", UP),
            ("hex(be4(n / 7) || desc(be4(n)))", None),
        ],
    );
    check(
        "day",
        &[
            ("day", UP),
            ("desc(day)", DOWN),
            ("rpad(day, 9)", UP),
            ("other", None),
        ],
    );
    // Another field of the same key says nothing of it.
    let (schema, parameters) = (schema(), BTreeMap::new());
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &parameters,
    };
    let plan = KeyPlan::compile("day || other", &environment).unwrap();
    let day = schema.find("day").unwrap();
    assert_eq!([0, 1].map(|segment| plan.trend(segment, day)), [UP, None]);
    check("host", &[("host", None)]);
    check("zone", &[("zone", None)]);
}
