//! The key language as users meet it: presets, examples, errors.

use crate::schema_parts::degrees;
use keyheat::key::{Environment, KeyError, KeyPlan, evaluate, presets};
use keyheat::random::Seed;
use keyheat::record::{Field, FieldKind, FieldValue, Schema, TextValues, TimeUnit};
use keyheat::time::EpochNanos;
use std::collections::BTreeMap;

fn text(values: &[&str]) -> FieldKind {
    FieldKind::Text(TextValues::Listed(
        values.iter().map(|&value| value.to_owned()).collect(),
    ))
}

fn generated(length: u16) -> FieldKind {
    FieldKind::Text(TextValues::Generated {
        count: 5_000,
        length,
        alphabet: "abcdefghij".to_owned(),
    })
}

/// Fields of the presets and examples.
fn schema() -> Schema {
    let int = |first, count| FieldKind::Int { first, count };
    let timestamp = |unit| FieldKind::Timestamp { unit, late: None };
    Schema {
        fields: vec![
            Field::new("ts", timestamp(TimeUnit::Millis)),
            Field::new("ts_s", timestamp(TimeUnit::Seconds)),
            Field::new("host", text(&["web1", "web12", "db3"])),
            Field::new("user", generated(7)),
            Field::new("event", generated(5)),
            Field::new("id", FieldKind::Sequence { first: 1 }),
            Field::new("metric", int(1, 300)),
            Field::new(
                "tags",
                FieldKind::Bytes {
                    length: 12,
                    count: Some(900),
                },
            ),
            Field::new("company_id", text(&["10001", "77"])),
            Field::new(
                "stat_date",
                FieldKind::Digits {
                    width: 8,
                    first: 20_240_101,
                    count: 300,
                },
            ),
            Field::new("campaign_id", generated(6)),
            Field::new("item_id", generated(9)),
            Field::new("fid", generated(4)),
            degrees("lon", 180.0),
            degrees("lat", 90.0),
            Field::new("span", int(0, 1 << 40)),
            Field::new("domain", FieldKind::Domain { count: 500 }),
            Field::new("path", generated(12)),
            Field::new(
                "caller",
                FieldKind::Digits {
                    width: 11,
                    first: 13_000_000_000,
                    count: 1_000_000,
                },
            ),
            Field::new("tenant", int(0, 500)),
            Field::new("symbol", text(&["AAPL", "IBM"])),
            Field::new("type", int(0, 99)),
            Field::new("uid", int(0, 1_000_000_000)),
            Field::new("date8", int(20_190_101, 10_000)),
            Field::new("svc", int(-5, 70_000)),
            Field::new("region", text(&["eu", "us"])),
        ],
        // 2026-01-01 to 2026-01-08
        time_range: (
            EpochNanos(1_767_225_600_000_000_000),
            EpochNanos(1_767_830_400_000_000_000),
        ),
        sequence_span: 10_000_000,
    }
}

fn compile(key: &str) -> Result<KeyPlan, Vec<KeyError>> {
    compile_with(key, &[])
}

fn compile_with(key: &str, derived: &[(&str, &str)]) -> Result<KeyPlan, Vec<KeyError>> {
    let schema = schema();
    let derived: Vec<_> = derived
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    let parameters = BTreeMap::from([("buckets".to_owned(), 16)]);
    KeyPlan::compile(
        key,
        &Environment {
            schema: &schema,
            derived: &derived,
            parameters: &parameters,
        },
    )
}

#[test]
fn every_preset_compiles() {
    for preset in presets() {
        if let Err(errors) = compile(preset.key) {
            panic!("{}: {}: {errors:?}", preset.name, preset.key);
        }
        let qualifiers = preset.besides.iter().filter_map(|line| {
            let qualifier = line.strip_prefix("qualifier = \"")?;
            qualifier.strip_suffix('"')
        });
        for qualifier in qualifiers {
            if let Err(errors) = compile(qualifier) {
                panic!("{}: {qualifier}: {errors:?}", preset.name);
            }
        }
    }
    let mut names: Vec<_> = presets().iter().map(|preset| preset.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), presets().len());
}

/// `mod(fnv32(md5(datums_to_bytes(columns))), buckets)`, computed from CockroachDB's source.
#[test]
fn hash_sharded_keys_begin_as_cockroachdb_writes_them() {
    let file = include_str!("../data/cockroachdb_hash_shards.json");
    let file: serde_json::Value = serde_json::from_str(file).unwrap();
    let written = |key: &str, given: &[(String, FieldValue)]| {
        let key = evaluate(key, given, Seed(1)).unwrap().key;
        let digits = key.as_bytes().iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<String>()
    };
    let preset = presets()
        .iter()
        .find(|preset| preset.name == "hash-sharded");
    let preset = preset.unwrap().key;
    let mut by_preset = 0;
    for case in file["cases"].as_array().unwrap() {
        let (encoded, buckets) = (case["encoded"].as_str().unwrap(), &case["buckets"]);
        let shard = format!("be1(136 + pmod(fnv1_32(md5(x'{encoded}')), {buckets}))");
        assert_eq!(
            written(&shard, &[]),
            case["stored"].as_str().unwrap(),
            "{case}"
        );
        assert_eq!(
            written(&format!("md5_bytes(x'{encoded}')"), &[]),
            case["md5"].as_str().unwrap(),
            "{case}"
        );
        // The preset is for integers of six bytes, as milliseconds since 1970 are, and 16 buckets.
        if encoded.starts_with("fb") && encoded.len() == 14 && *buckets == 16 {
            let number = case["columns"][0].as_str().unwrap().parse().unwrap();
            let given = [("ts".to_owned(), FieldValue::Int(number))];
            let expected = format!("{}{encoded}", case["stored"].as_str().unwrap());
            assert_eq!(written(preset, &given), expected, "{case}");
            by_preset += 1;
        }
    }
    assert_eq!(by_preset, 1, "a case of six bytes in 16 buckets is known");
}

#[test]
fn presets_that_lead_with_time_are_the_baseline_and_traps() {
    let leads: Vec<_> = presets()
        .iter()
        .filter(|preset| compile(preset.key).is_ok_and(|plan| plan.leads_with_time()))
        .map(|preset| (preset.name, preset.trap))
        .collect();
    let expected = [
        ("time-first", false),
        ("reversed-time", true),
        ("uuid7", true),
        ("ulid", true),
        ("ksuid", true),
        ("snowflake", true),
        ("added-bucket", true),
        ("fixed-prefix", true),
        ("dated-shard", true),
    ];
    assert_eq!(leads, expected);
}

/// Known designs, as their users write them.
const EXAMPLES: &[&str] = &[
    "be1(random(buckets)) || be8(ts) || host",
    "substr(md5(company_id + stat_date),0,5) + company_id + stat_date + campaign_id",
    "left(md5(company_id || stat_date || campaign_id),5) || company_id || stat_date || campaign_id",
    "left(md5(company_id),5) || company_id || stat_date || campaign_id",
    "UPPER(MD5(id)) || ':' || to_char(ts,'yyMMdd') || ':' || text(id)",
    "text(java_hash(text(uid)) % 10) || '~' || text(99999999 - date8) || '~' || lpad(type,2) || '~' || lpad(uid,10)",
    "left(md5(uid),4) || reverse(text(uid))",
    "left(md5(id),2) || be8(id) || be8(rev_ts(ts))",
    "salt(32, be4(murmur3(host)) || be4(svc)) || be4(murmur3(host)) || be4(svc) || be8(rev_ts(ts)) || be8(span)",
    "region || '#' || host || '#' || be8(ts)",
    "delim('#', region, host, be8(ts))",
    "to_char(ts,'yyyyMMdd') || '.' || text(pmod(murmur3(item_id),200)+1) || '#' || item_id",
    "be1(pmod(murmur3(be4(uid)||be4(svc)||be4(type)) + random(8), 256)) || be4(uid)",
    "be8(tenant * 576460752303423488 + type * 8)",
    "to_char(ts, 'yyyy-MM-dd''T''HH:mm:ss.SSS')",
    "nth('abcd', bucket(4, id / 2)) || '-' || lpad(id, 8, '0')",
];

#[test]
fn examples_compile() {
    for key in EXAMPLES {
        if let Err(errors) = compile(key) {
            panic!("{key}: {errors:?}");
        }
    }
}

/// Errors and notes as one text: place, message, label, help.
fn shown(key: &str, derived: &[(&str, &str)]) -> String {
    let complaints: Vec<(&str, KeyError)> = match compile_with(key, derived) {
        Ok(plan) => {
            let title = |warning| if warning { "warning" } else { "note" };
            let notes = plan.notes.iter();
            notes
                .map(|note| (title(note.is_warning), note.text.clone()))
                .collect()
        }
        Err(errors) => errors.into_iter().map(|error| ("error", error)).collect(),
    };
    let mut text = format!("{key}\n");
    for (title, error) in complaints {
        let KeyError {
            derived: name,
            span,
            message,
            label,
            help,
        } = error;
        let source = match &name {
            Some(name) => derived
                .iter()
                .find(|(known, _)| known == name)
                .map_or("", |(_, text)| text),
            None => key,
        };
        let place = name.map_or(String::new(), |name| format!(" in {name}"));
        text.push_str(&format!(
            "  {title}{place}: {message}\n    `{}` <- {label}\n",
            &source[span]
        ));
        if let Some(help) = help {
            text.push_str(&format!("    help: {help}\n"));
        }
    }
    text
}

#[test]
fn mistakes_are_told_with_their_place_and_the_next_step() {
    let derived = [
        ("row", "be8(ts) || hots"),
        ("a", "b || 'x'"),
        ("b", "reverse(a)"),
        ("n", "id + 1"),
    ];
    let keys = [
        "",
        "be8(ts) || hots",
        "be8(tss) || md6(host)",
        "be8(ts) + host",
        "host + region",
        "be8(ts",
        "be8(ts)) || host",
        "be8(ts) host",
        "be8(ts), host",
        "host || \"#\" || region",
        "'it || host",
        "x'0g' || x'123'",
        "12monkeys || 1.5 || 9223372036854775808",
        "be1(metric) || be2(ts)",
        "lpad(id, 3) || host",
        "host / 2",
        "be8(id / (metric - 7))",
        "be8(id % 0)",
        "salt(300, host)",
        "salt(metric, host)",
        "nth('abcd', pmod(id, 5))",
        "to_char(ts, 'yyyy-M-d')",
        "to_char(id, 'yyyyMMdd')",
        "trunc(ts, '7 days')",
        "reverse(id)",
        "left(host)",
        "lon || host",
        "be8(pmod(id, metric - 1))",
        "be8(bit_reverse(svc))",
        "row || be4(row)",
        "a",
        "rpad(host, 40000)",
        "left(host, 0)",
        "bucket",
        "to_bytes(id) || HASH(host)",
    ];
    let found: String = keys.iter().map(|key| shown(key, &derived)).collect();
    snapbox::assert_data_eq!(found, snapbox::file!["../data/key_errors.txt"]);
}

#[test]
fn traps_are_noted() {
    let keys = [
        "be8(ts) || text(id)",
        "id || host",
        "be8(svc)",
        "be1(svc % 10)",
        "host || region",
        "host || 'w' || be8(ts)",
        "host || x'00' || be8(ts)",
        "salt(20, be8(ts)) || be8(ts)",
        "be1(bucket(16, region)) || be8(ts)",
        "md5(text(id)) || be8(id)",
        "md5(text(id)) || text(svc)",
        "be1(bucket(16, host)) || text(id)",
        "be1(abs32(java_hash(host)) % 10) || host",
    ];
    let found: String = keys.iter().map(|key| shown(key, &[])).collect();
    snapbox::assert_data_eq!(found, snapbox::file!["../data/key_notes.txt"]);
}

#[test]
fn deep_nesting_is_an_ordinary_error() {
    let deep =
        |open: &str, close: &str| format!("{}host{}", open.repeat(100_000), close.repeat(100_000));
    let chain = format!("be8(1{})", " + 1".repeat(100_000));
    for key in [
        deep("(", ")"),
        deep("upper(", ")"),
        deep("(", ""),
        format!("be8({}1)", "- ".repeat(100_000)),
        chain,
    ] {
        let errors = compile(&key).expect_err("too deep");
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "expression nested deeper than 64");
    }
    // 64 levels are fine, and so is any number of segments that fits a row.
    assert!(compile(&format!("{}host{}", "(".repeat(60), ")".repeat(60))).is_ok());
    assert!(compile(&["host"; 5_000].join("||")).is_ok());
}

#[test]
fn derived_fields_that_double_at_every_level_end_in_an_error() {
    let texts: Vec<(String, String)> = (1..40)
        .map(|level| (format!("d{level}"), format!("d{0} || d{0}", level - 1)))
        .collect();
    let mut derived = vec![("d0", "'x'")];
    derived.extend(
        texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    let errors = compile_with("d39", &derived).expect_err("2^39 parts");
    assert!(
        errors
            .iter()
            .any(|error| error.message.starts_with("key of more than 10000 parts")),
        "{errors:?}"
    );
}

#[test]
fn leading_buckets_are_listed_with_their_bytes() {
    let buckets = |key: &str| compile(key).expect("compiles").leading_buckets();
    let bytes = |values: &[&str]| {
        Some(
            values
                .iter()
                .map(|value| value.as_bytes().to_vec())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        buckets("be1(random(3)) || host"),
        bytes(&["\0", "\x01", "\x02"])
    );
    assert_eq!(
        buckets("salt(3, host) || host"),
        bytes(&["\0", "\x01", "\x02"])
    );
    assert_eq!(
        buckets("nth('dab', bucket(3, id)) || '-' || host"),
        bytes(&["a", "b", "d"])
    );
    assert_eq!(
        buckets("'p' || text(pmod(id, 11)) || '-'").map(|all| all.len()),
        Some(11)
    );
    assert_eq!(
        buckets("text(java_hash(host) % 2) || '~'"),
        bytes(&["-1", "0", "1"])
    );
    assert_eq!(
        buckets("upper(left(md5(host), 1)) || host").map(|all| all.concat()),
        Some(b"0123456789ABCDEF".to_vec())
    );
    assert_eq!(
        buckets("left(md5(host), 4) || host").map(|all| all.len()),
        Some(65_536)
    );
    assert_eq!(buckets("left(md5(host), 5) || host"), None);
    assert_eq!(buckets("be4(metric) || host"), None);
}

#[test]
fn regions_that_no_key_can_reach_are_proved() {
    let reach = |key: &str, start: &str, end: &str| {
        compile(key)
            .expect("compiles")
            .may_reach(start.as_bytes(), end.as_bytes())
    };
    // Upper-case digits never reach the upper regions of HexStringSplit, lower-case ones do.
    assert!(!reach("upper(md5(id)) || host", "a0000000", "b0000000"));
    assert!(reach("md5(id) || host", "a0000000", "b0000000"));
    assert!(!reach("md5(id)", "g", ""));
    // Four buckets on ten regions cut at bytes 1 to 9.
    let four = (0u8..10).filter(|&at| {
        let plan = compile("be1(random(4)) || be8(ts)").expect("compiles");
        let start = if at == 0 { vec![] } else { vec![at] };
        plan.may_reach(
            &start,
            if at == 9 { vec![] } else { vec![at + 1] }.as_slice(),
        )
    });
    assert_eq!(four.collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(!reach("be8(ts)", "\x00\x00\x02", ""));
    assert!(!reach("'user' || host", "userx", ""));
    // `web1:` lies behind `web12:`, as a colon does behind a 2; there is no such value as `web2` or `db12`.
    let of_host = "host || ':' || be8(ts)";
    for (start, end, reached) in [
        ("", "web12:", true),
        ("e", "web12:", false),
        ("web1", "web12:", false),
        ("web12:", "web13", true),
        ("web1:", "", true),
        ("web2", "", false),
        ("db12", "db3", false),
        ("db3:", "e", true),
    ] {
        assert_eq!(reach(of_host, start, end), reached, "{start}..{end}");
    }
    // One segment of two fields.
    let of_both = "upper(company_id || host) || be8(ts)";
    assert!(reach(of_both, "77DB3", "77DC"));
    assert!(!reach(of_both, "77DC", "77WEB1"));
}
