//! What a compiled key claims of itself, asked of every key that it writes; with records to write.

use keyheat::key::{KeyPlan, Row};
use keyheat::keyspace::KeyBatch;
use keyheat::random::{DrawKey, Seed, Stream};
use keyheat::record::{Field, FieldKind, RecordGenerator, Schema, TextValues, TimeUnit};
use keyheat::time::EpochNanos;

/// 2026-01-01 to 2026-01-08, in nanoseconds.
pub const TIMES: (i64, i64) = (1_767_225_600_000_000_000, 1_767_830_400_000_000_000);

/// Fields of every type, wide enough that what a key may do with them has to be proved.
pub fn schema() -> Schema {
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
pub fn records(schema: &Schema, count: u64) -> Vec<i64> {
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

/// Every key of `records` against everything that the plan claims.
pub fn check(plan: &KeyPlan, records: &[i64], slots: usize) {
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
