//! What is proved of a key when it is compiled holds for every key it writes; batches write the same keys.

use crate::fuzz_seeds::targets::key_claims::{check, records, schema};
use keyheat::key::{Environment, KeyPlan, presets};
use keyheat::random::Seed;
use keyheat::record::Schema;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn compile(key: &str, schema: &Schema) -> Option<KeyPlan> {
    let parameters = BTreeMap::new();
    KeyPlan::compile(
        key,
        &Environment {
            schema,
            derived: &[],
            parameters: &parameters,
        },
    )
    .ok()
}

/// Expressions that between them use every function.
const FAMILIES: &[&str] = &[
    "be1(metric % 250) || be2(metric) || be3(metric) || be5(span) || be6(span) || be7(span) || be8(wide)",
    "sbe1(small) || sbe2(small) || sbe4(small) || sbe8(wide) || ordered8(wide) || be4(small)",
    "f4(lon) || f8(lat) || of4(lat) || of8(lon) || of8(metric)",
    "text(small) || ':' || text(wide) || ':' || lpad(metric, 5, 'x') || lpad(small, 4) || lpad(host, 6, ' ') || rpad(host, 6)",
    "lpad(city, 9, '.') || rpad(city, 8, x'00') || left(city, 2) || right(city, 1) || substr(city, 2, 2) || reverse(city)",
    "left(host, 3) || right(host, 2) || substr(host, -3, 2) || substr(host, 0, 2) || substr(user, 3) || upper(host) || lower(city)",
    "reverse(host) || reverse_bytes(be8(id)) || reverse_domain(domain) || desc(host) || hex(tags) || nth('añb', pmod(id, 3))",
    "left(tags, 5) || right(tags, 4) || substr(tags, 3, 4) || hex(left(tags, 2)) || hex(be3(metric)) || unhex(md5(host)) || unhex(left(md5(id), 5)) || unhex(text(id))",
    "md5(id) || md5_bytes(host) || sha1(host) || sha1_bytes(id) || sha256(id) || sha256_bytes(tags) || sha512(tags) || sha512_bytes(id)",
    "left(md5(md5(host)), 7) || left(md5_bytes(md5_bytes(id)), 3) || substr(md5(user || host || domain || path || path || path || path), 0, 9)",
    "be4(murmur3(host)) || be4(murmur3(id, 7)) || sbe8(murmur3_128(tags)) || be4(crc32(user)) || be4(fnv1_32(id)) || be4(fnv1a_32(id))",
    "sbe8(fnv1a_64(city)) || sbe4(java_hash(city)) || sbe4(java_hash(tags)) || sbe4(abs32(java_hash(host)))",
    "salt(7, host) || salt2(300, id) || be1(bucket(16, user)) || be1(random(9)) || be2(round_robin(300)) || be1(random(256))",
    "be8(trunc(ts, '10m')) || be8(trunc(small, 4)) || to_char(ts, 'yyyyMMddHHmmssSSS') || to_char(ts_s, 'EEE dd MMM yy hha DDD')",
    "be8(rev_ts(ts)) || uuid4() || uuid7(ts) || ulid(ts_s) || ksuid(ts) || be8(snowflake(ts, 3, small + 4, pmod(id, 4096)))",
    "z2(lon, lat) || z3(lon, lat, metric) || z2(metric, tenant) || be8(bit_reverse(id)) || be8(bit_reverse64(wide))",
    "be8(wide / 7) || be8(wide % 1000) || be8(abs(small)) || be8(metric * -3) || be8(-small) || be8(LONG_MAX - ts) || be8(wide + 1)",
    "nth('abcd', random(4)) || '-' || lpad(id, 8)",
    "upper(left(md5(id), 1)) || be8(id)",
    "text(java_hash(user) % 10) || '~' || user",
    "'p' || text(bucket(12, id) + 3) || '/' || text(id)",
    "salt(1, host) || host || be8(ts)",
    "'p' || nth('ab', bucket(1, id)) || '-' || substr(host, 3, 3)",
    // All of one width: written column by column.
    "'#' || lpad(metric, 5, 'x') || lpad(metric, 4) || be2(metric)",
];

#[test]
fn claims_hold_and_batches_agree_for_every_function_and_preset() {
    let schema = schema();
    let records = records(&schema, 157);
    for key in FAMILIES
        .iter()
        .copied()
        .chain(presets().iter().map(|preset| preset.key))
    {
        let Some(plan) = compile(key, &schema) else {
            panic!("{key} does not compile")
        };
        check(&plan, &records, schema.fields.len());
    }
}

/// Integer expressions over fields whose extremes are near.
fn int_expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("small".to_owned()),
        Just("metric".to_owned()),
        Just("wide".to_owned()),
        Just("ts".to_owned()),
        Just("random(5)".to_owned()),
        (-9i64..9).prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (pair, prop::sample::select(&["+", "-", "*", "/", "%"]))
                .prop_map(|((a, b), sign)| format!("({a} {sign} {b})")),
            (inner.clone(), 1i64..400).prop_map(|(a, n)| format!("pmod({a}, {n})")),
            (inner.clone(), 1i64..400).prop_map(|(a, n)| format!("trunc({a}, {n})")),
            (
                inner.clone(),
                prop::sample::select(&[
                    "abs",
                    "abs32",
                    "bit_reverse",
                    "bit_reverse64",
                    "rev_ts",
                    "-"
                ])
            )
                .prop_map(|(a, f)| format!("{f}({a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn ranges_of_integers_hold(expression in int_expression()) {
        let schema = schema();
        let records = records(&schema, 40);
        // The byte sets of the encodings are cut from the proved range: a value outside shows.
        for key in [format!("sbe8({expression})"), format!("text({expression})"), format!("be2({expression})"), format!("lpad({expression}, 9)")] {
            if let Some(plan) = compile(&key, &schema) {
                check(&plan, &records, schema.fields.len());
            }
        }
    }

    #[test]
    fn any_text_gives_a_plan_or_errors_with_places_inside_it(text in "[a-z0-9'|+*/%(), \\-xé]{0,40}|\\PC{0,30}") {
        let schema = schema();
        let parameters = BTreeMap::new();
        if let Err(errors) = KeyPlan::compile(&text, &Environment { schema: &schema, derived: &[], parameters: &parameters }) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(text.get(error.span.clone()).is_some(), "{error:?}");
            }
        }
    }

    #[test]
    fn order_is_kept_by_the_encodings_that_promise_it(a in any::<i64>(), b in any::<i64>(), x in -1e300f64..1e300, y in -1e300f64..1e300) {
        use keyheat::key::evaluate;
        use keyheat::record::FieldValue;
        let key = |expression: &str, value: FieldValue| {
            evaluate(expression, &[("v".to_owned(), value)], Seed(1)).expect("compiles").key
        };
        for expression in ["sbe8(v)", "ordered8(v)"] {
            prop_assert_eq!(key(expression, FieldValue::Int(a)).cmp(&key(expression, FieldValue::Int(b))), a.cmp(&b));
        }
        prop_assert_eq!(key("desc(sbe8(v))", FieldValue::Int(a)).cmp(&key("desc(sbe8(v))", FieldValue::Int(b))), b.cmp(&a));
        let (p, q) = (a & i64::MAX, b & i64::MAX);
        for expression in ["be8(v)", "lpad(v, 19)"] {
            prop_assert_eq!(key(expression, FieldValue::Int(p)).cmp(&key(expression, FieldValue::Int(q))), p.cmp(&q));
        }
        prop_assert_eq!(key("be8(rev_ts(v))", FieldValue::Int(p)).cmp(&key("be8(rev_ts(v))", FieldValue::Int(q))), q.cmp(&p));
        prop_assert_eq!(Some(key("of8(v)", FieldValue::Double(x)).cmp(&key("of8(v)", FieldValue::Double(y)))), x.partial_cmp(&y));
    }
}
