//! Segments of written keys in words.

use super::super::{Environment, KeyPlan, Row};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{Field, FieldKind, Schema, TextValues, TimeUnit};
use crate::time::EpochNanos;
use std::collections::BTreeMap;

/// What the only segment of `key` says of the record of host `db3`, tenant 3, point 5.5, raw bytes 0, and the given `id`.
fn meaning(key: &str, id: i64) -> String {
    let int = |first, count| FieldKind::Int { first, count };
    let hosts = ["web1", "db3"].map(str::to_owned).to_vec();
    let second = FieldKind::Timestamp {
        unit: TimeUnit::Seconds,
        late: None,
    };
    let point = FieldKind::Double { min: 0.0, max: 9.0 };
    let raw = FieldKind::Bytes {
        length: 2,
        count: Some(1),
    };
    let mut raw = Field::new("raw", raw);
    raw.literals = vec![vec![0x0a, 0xff]];
    let schema = Schema {
        fields: vec![
            Field::new("id", int(0, 100_000)),
            Field::new("tenant", int(0, 500)),
            Field::new("host", FieldKind::Text(TextValues::Listed(hosts.into()))),
            Field::new("ts", second),
            Field::new("point", point),
            raw,
        ],
        time_range: (
            EpochNanos(1_767_225_600_000_000_000),
            EpochNanos(1_767_830_400_000_000_000),
        ),
        sequence_span: 1,
    };
    let parameters = BTreeMap::new();
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &parameters,
    };
    let plan = KeyPlan::compile(key, &environment).unwrap();
    let record = [id, 3, 1, 1_767_225_612, 5.5_f64.to_bits() as i64, i64::MIN];
    let (_, segments) = plan.describe(&Row {
        record: &record,
        index: 0,
        draws: DrawKey::new(Seed(1), 0, Stream::Keys, 0).at(0),
    });
    assert_eq!(segments.len(), 1);
    segments[0].meaning.clone()
}

#[test]
fn plain_segments_are_their_fields_with_their_values() {
    let long = format!("'{}'", "k".repeat(70));
    for constant in [
        "'k'",
        &long,
        "left('abc', 2)",
        "md5('abc')",
        "salt(9, 'abc')",
    ] {
        assert_eq!(meaning(constant, 5), "constant", "{constant}");
    }
    assert_eq!(meaning("be4(id)", 5), "id 5");
    assert_eq!(meaning("be8(ts)", 5), "ts 2026-01-01T00:00:12Z");
    assert_eq!(meaning("host", 5), "host db3");
    assert_eq!(meaning("of8(point)", 5), "point 5.5");
    assert_eq!(meaning("raw", 5), "raw x'0aff'");
    assert_eq!(meaning("be8(id * 500 + tenant)", 5), "id 5, tenant 3");
}

#[test]
fn what_neither_shows_a_field_nor_follows_it_is_what_it_writes() {
    // Of the days since 1970 the 20,454th, which 7 divides; 77 of ids in groups of 20 is in the fourth, from zero.
    assert_eq!(meaning("be1(ts / 86400 % 7)", 5), "bucket 0 of 7");
    assert_eq!(meaning("be1(id / 20 % 5)", 77), "bucket 3 of 5");
    assert_eq!(meaning("be8(id / 20)", 77), "id 77");
    assert_eq!(meaning("reverse(text(id))", 77), "id 77");
    assert_eq!(
        meaning("be8(id * id % 90_000)", 400),
        "be8(id * id % 90_000), of id 400"
    );
}

#[test]
fn few_hashed_values_are_buckets_and_many_are_hashes() {
    assert_eq!(meaning("salt(7, id)", 77), "bucket 5 of 7");
    assert_eq!(meaning("salt2(300, id)", 150), "bucket 271 of 300");
    assert_eq!(meaning("be8(bucket(16, id))", 77), "bucket 3 of 16");
    assert_eq!(meaning("left(md5(id), 2)", 77), "bucket '28' of 256");
    assert_eq!(meaning("md5(id)", 77), "hash of id 77");
    // 500 digests: too long for a bucket's word, or for its number, or a greater number than there are buckets.
    assert_eq!(meaning("left(md5(tenant), 8)", 77), "hash of tenant 3");
    assert_eq!(meaning("md5_bytes(tenant)", 77), "hash of tenant 3");
    // Some of these begin with a small number by chance.
    for row in 0..500 {
        let said = meaning("left(md5_bytes(be2(bucket(500, id))), 2)", row);
        assert!(said.starts_with("hash of id "), "{row}: {said}");
    }
    assert_eq!(
        meaning("be2(bucket(500, id))", 77).split(' ').next_back(),
        Some("500")
    );
}

#[test]
fn drawn_segments_say_so() {
    assert_eq!(meaning("be8(random(9000000000))", 5), "random");
    assert_eq!(
        meaning("be8(id * 1000000 + random(1000000))", 5),
        "id 5, then random"
    );
    assert!(meaning("be1(random(9))", 5).ends_with(" of 9"));
}
