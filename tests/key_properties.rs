//! What is proved of a key when it is compiled holds for every key it writes; batches write the same keys.

use keyheat::key::{Environment, KeyPlan, Row, presets};
use keyheat::keyspace::KeyBatch;
use keyheat::random::{DrawKey, Seed, Stream};
use keyheat::record::{Field, FieldKind, RecordGenerator, Schema, TextValues, TimeUnit};
use keyheat::time::EpochNanos;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// 2026-01-01 to 2026-01-08, in nanoseconds.
const TIMES: (i64, i64) = (1_767_225_600_000_000_000, 1_767_830_400_000_000_000);

fn schema() -> Schema {
    let text = |values: &[&str]| {
        FieldKind::Text(TextValues::Listed(
            values.iter().map(|&v| v.to_owned()).collect(),
        ))
    };
    let generated = |length| {
        FieldKind::Text(TextValues::Generated {
            count: 5_000,
            length,
            alphabet: "abcdefghij".to_owned(),
        })
    };
    let int = |first, count| FieldKind::Int { first, count };
    let kinds = [
        (
            "ts",
            FieldKind::Timestamp {
                unit: TimeUnit::Millis,
                late: None,
            },
        ),
        (
            "ts_s",
            FieldKind::Timestamp {
                unit: TimeUnit::Seconds,
                late: None,
            },
        ),
        ("host", text(&["web1", "web12", "db3"])),
        ("city", text(&["Köln", "Łódź", "東京", "Rio"])),
        ("user", generated(7)),
        ("event", generated(5)),
        ("id", FieldKind::Sequence { first: 1 }),
        ("metric", int(1, 300)),
        ("small", int(-3, 9)),
        ("wide", int(i64::MIN, u64::MAX)),
        (
            "tags",
            FieldKind::Bytes {
                length: 12,
                count: Some(900),
            },
        ),
        ("company_id", text(&["10001", "77"])),
        (
            "stat_date",
            FieldKind::Digits {
                width: 8,
                first: 20_240_101,
                count: 300,
            },
        ),
        ("campaign_id", generated(6)),
        ("item_id", generated(9)),
        ("fid", generated(4)),
        (
            "lon",
            FieldKind::Double {
                min: -180.0,
                max: 180.0,
            },
        ),
        (
            "lat",
            FieldKind::Double {
                min: -90.0,
                max: 90.0,
            },
        ),
        ("span", int(0, 1 << 40)),
        ("domain", FieldKind::Domain { count: 500 }),
        ("path", generated(12)),
        (
            "caller",
            FieldKind::Digits {
                width: 11,
                first: 13_000_000_000,
                count: 1_000_000,
            },
        ),
        ("tenant", int(0, 500)),
        ("symbol", text(&["AAPL", "IBM"])),
    ];
    let field = |(name, kind)| Field::new(name, kind);
    Schema {
        fields: kinds.into_iter().map(field).collect(),
        time_range: (EpochNanos(TIMES.0), EpochNanos(TIMES.1)),
        sequence_span: 10_000_000,
    }
}

/// Records one after another.
fn records(schema: &Schema, count: u64) -> Vec<i64> {
    let generator = RecordGenerator::new(schema, Seed(7), 0);
    let draws = DrawKey::new(Seed(7), 0, Stream::Records, 0);
    let mut records = vec![0; count as usize * generator.width()];
    for (at, record) in records.chunks_exact_mut(generator.width()).enumerate() {
        let mut own = draws.at(at as u64);
        let time = EpochNanos(TIMES.0 + own.below((TIMES.1 - TIMES.0) as u64 + 1) as i64);
        generator.generate(own, own.below(10_000_000), time, &[], record);
    }
    records
}

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

/// Every key of `records` against everything that the plan claims.
fn check(plan: &KeyPlan, records: &[i64], slots: usize) {
    let count = records.len() / slots;
    let draws = DrawKey::new(Seed(3), 0, Stream::Keys, 0);
    let operations: Vec<u64> = (0..count as u64).map(|at| at * 31 + 5).collect();
    let indices: Vec<u64> = (0..count as u64).collect();
    let mut batch = KeyBatch::default();
    plan.write_batch(records, &operations, &indices, draws, &mut batch);
    assert_eq!(batch.len(), count);
    let buckets = plan.leading_buckets();
    for at in 0..count {
        let row = Row {
            record: &records[at * slots..(at + 1) * slots],
            index: indices[at],
            draws: draws.at(operations[at]),
        };
        let mut key = b"before".to_vec();
        plan.write(&row, &mut key);
        let key = key.strip_prefix(b"before").expect("writing only appends");
        let text = plan.text();
        let mut asked = vec![0; slots];
        for field in plan.fields() {
            asked[usize::from(field.0)] = row.record[usize::from(field.0)];
        }
        let mut alike = Vec::new();
        plan.write(
            &Row {
                record: &asked,
                ..row
            },
            &mut alike,
        );
        assert_eq!(alike, key, "{text}: it reads a field that it does not name");
        assert_eq!(batch.get(at), key, "{text}: batch and single differ");
        let (least, most) = plan.len_range();
        assert!(
            (least..=most).contains(&key.len()),
            "{text}: {} bytes, claimed {least} to {most}",
            key.len()
        );
        let mut after = key.to_vec();
        after.push(0);
        assert!(
            plan.may_reach(key, &after),
            "{text}: {key:02x?} was said to be unreachable"
        );
        assert!(
            plan.may_reach(&[], &after) && plan.may_reach(key, &[]),
            "{text}"
        );
        if let Some(buckets) = &buckets {
            assert!(
                buckets.iter().any(|bucket| key.starts_with(bucket)),
                "{text}: {key:02x?} is in no bucket"
            );
        }
        let (described, segments) = plan.describe(&row);
        assert_eq!(described.as_bytes(), key);
        for (segment, claimed) in segments.iter().zip(plan.segments()) {
            let bytes = &key[segment.bytes.clone()];
            let (least, most) = claimed.len_range();
            assert!(
                (least..=most).contains(&bytes.len()),
                "{}: {bytes:02x?}",
                segment.expression
            );
            for (position, &byte) in bytes.iter().enumerate() {
                assert!(
                    claimed.bytes_at(position).contains(byte),
                    "{}: byte {byte:02x} at {position} of {bytes:02x?}",
                    segment.expression
                );
            }
        }
    }
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
    "left(tags, 5) || right(tags, 4) || substr(tags, 3, 4) || hex(left(tags, 2)) || hex(be3(metric))",
    "md5(id) || md5_bytes(host) || sha1(host) || sha1_bytes(id) || sha256(id) || sha256_bytes(tags)",
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
        use keyheat::key::{Given, evaluate};
        let key = |expression: &str, value: Given| {
            evaluate(expression, &[("v".to_owned(), value)], Seed(1)).expect("compiles").key
        };
        for expression in ["sbe8(v)", "ordered8(v)"] {
            prop_assert_eq!(key(expression, Given::Int(a)).cmp(&key(expression, Given::Int(b))), a.cmp(&b));
        }
        prop_assert_eq!(key("desc(sbe8(v))", Given::Int(a)).cmp(&key("desc(sbe8(v))", Given::Int(b))), b.cmp(&a));
        let (p, q) = (a & i64::MAX, b & i64::MAX);
        for expression in ["be8(v)", "lpad(v, 19)"] {
            prop_assert_eq!(key(expression, Given::Int(p)).cmp(&key(expression, Given::Int(q))), p.cmp(&q));
        }
        prop_assert_eq!(key("be8(rev_ts(v))", Given::Int(p)).cmp(&key("be8(rev_ts(v))", Given::Int(q))), q.cmp(&p));
        prop_assert_eq!(Some(key("of8(v)", Given::Double(x)).cmp(&key("of8(v)", Given::Double(y)))), x.partial_cmp(&y));
    }
}
