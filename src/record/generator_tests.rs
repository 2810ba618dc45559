//! Records as a whole: what belongs to an operation, what to the values of other fields, what to time.

use super::*;
use crate::random::{DrawKey, Seed, Stream};
use crate::time::{EpochNanos, SimDuration, SimTime};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn law(shape: DistributionShape) -> Distribution {
    Distribution {
        shape,
        top: Vec::new(),
        ranked: false,
    }
}

fn field(name: &str, kind: FieldKind, of: &[&str]) -> (Field, Vec<String>) {
    let field = Field::new(name, kind);
    (field, of.iter().map(|name| (*name).to_owned()).collect())
}

fn schema(fields: Vec<(Field, Vec<String>)>) -> Schema {
    let names: Vec<String> = fields.iter().map(|(field, _)| field.name.clone()).collect();
    let id = |name: &String| {
        FieldId(
            names
                .iter()
                .position(|known| known == name)
                .expect("a field") as u16,
        )
    };
    Schema {
        fields: fields
            .iter()
            .map(|(field, of)| Field {
                of: of.iter().map(id).collect(),
                ..field.clone()
            })
            .collect(),
        time_range: (EpochNanos(0), EpochNanos(1)),
        sequence_span: 0,
    }
}

fn shop() -> Vec<(Field, Vec<String>)> {
    let mut customer = field(
        "customer",
        FieldKind::Int {
            first: 100,
            count: 300,
        },
        &[],
    );
    customer.0.law = law(DistributionShape::Zipf { exponent: 0.9 });
    let site = TextValues::Listed(["eu".into(), "us".into(), "ap".into()].into());
    vec![
        // A dependent field of a dependent field, before both.
        field(
            "manager",
            FieldKind::Int {
                first: 0,
                count: 1_000_000,
            },
            &["site", "branch"],
        ),
        field("site", FieldKind::Text(site), &["customer"]),
        customer,
        field(
            "branch",
            FieldKind::Digits {
                width: 4,
                first: 10,
                count: 50,
            },
            &[],
        ),
        field(
            "price",
            FieldKind::Double {
                min: -2.5,
                max: 4.0,
            },
            &[],
        ),
        field("token", FieldKind::Uuid { count: None }, &[]),
        field("number", FieldKind::Sequence { first: 1_000 }, &[]),
        field(
            "ts",
            FieldKind::Timestamp {
                unit: TimeUnit::Millis,
                late: None,
            },
            &[],
        ),
    ]
}

const NOW: EpochNanos = EpochNanos(1_767_225_600_123_456_789);

fn records(schema: &Schema, n: u64, fixed: &[(FieldId, i64)]) -> Vec<BTreeMap<String, i64>> {
    let generator = RecordGenerator::new(schema, Seed(5), 1);
    let draws = DrawKey::new(Seed(5), 1, Stream::Records, 0);
    let mut record = vec![0; generator.width()];
    (0..n)
        .map(|i| {
            generator.generate(draws.at(i), i, NOW, fixed, &mut record);
            schema
                .fields
                .iter()
                .map(|field| field.name.clone())
                .zip(record.iter().copied())
                .collect()
        })
        .collect()
}

#[test]
fn the_order_of_the_fields_in_the_file_changes_no_value() {
    let mut reversed = shop();
    reversed.reverse();
    assert_eq!(
        records(&schema(shop()), 500, &[]),
        records(&schema(reversed), 500, &[])
    );
}

#[test]
fn adding_or_fixing_a_field_moves_nothing_in_another() {
    let plain = schema(shop());
    let before = records(&plain, 500, &[]);
    let mut more = shop();
    more.insert(
        0,
        field("extra", FieldKind::Int { first: 0, count: 9 }, &[]),
    );
    for (old, mut new) in before.iter().zip(records(&schema(more), 500, &[])) {
        new.remove("extra");
        assert_eq!(*old, new);
    }
    let price = plain.find("price").expect("a field");
    for (old, mut new) in before.iter().zip(records(&plain, 500, &[(price, 77)])) {
        assert_eq!(new.insert("price".into(), old["price"]), Some(77));
        assert_eq!(*old, new);
    }
}

#[test]
fn a_dependent_field_has_one_value_for_each_combination() {
    let schema = schema(shop());
    let mut sites = BTreeMap::new();
    let mut managers = BTreeMap::new();
    for record in records(&schema, 20_000, &[]) {
        assert_eq!(
            *sites.entry(record["customer"]).or_insert(record["site"]),
            record["site"]
        );
        let parents = (record["site"], record["branch"]);
        assert_eq!(
            *managers.entry(parents).or_insert(record["manager"]),
            record["manager"]
        );
    }
    // 3 x 50 combinations share a million managers: that two of them meet has probability 0.011, and the seed is fixed.
    assert_eq!(managers.len(), 150);
    let distinct: std::collections::BTreeSet<i64> = managers.values().copied().collect();
    assert_eq!(distinct.len(), 150);
    for site in 0..3 {
        // 300 customers, a third each: 100 with a standard deviation of sqrt(300 * 1/3 * 2/3) = 8.2; five of them. Nearly all customers
        // are seen: the rarest comes 20,000 * 300^-0.9 / 7.7 = 15 times on average.
        let customers = sites.values().filter(|value| **value == site).count();
        assert!((58..=142).contains(&customers), "{customers}");
    }
}

#[test]
fn replicates_deal_other_values_but_the_same_law() {
    let schema = schema(shop());
    let hottest = |replicate| {
        let generator = RecordGenerator::new(&schema, Seed(5), replicate);
        let draws = DrawKey::new(Seed(5), replicate, Stream::Records, 0);
        let mut counts = [0u32; 300];
        let mut record = vec![0; generator.width()];
        for i in 0..20_000 {
            generator.generate(draws.at(i), i, NOW, &[], &mut record);
            counts[(record[2] - 100) as usize] += 1;
        }
        counts
            .iter()
            .enumerate()
            .max_by_key(|(_, count)| **count)
            .map(|(at, _)| at)
            .expect("300 values")
    };
    let hot: std::collections::BTreeSet<usize> = (0..8).map(hottest).collect();
    assert!(hot.len() >= 6, "{hot:?}");
}

#[test]
fn kinds_stay_in_their_ranges() {
    let records = records(&schema(shop()), 5_000, &[]);
    let mut tokens = std::collections::BTreeSet::new();
    for (i, record) in records.iter().enumerate() {
        assert!((100..400).contains(&record["customer"]));
        assert!((10..60).contains(&record["branch"]));
        assert!((-2.5..4.0).contains(&f64::from_bits(record["price"] as u64)));
        assert_eq!(record["number"], 1_000 + i as i64);
        assert_eq!(record["ts"], 1_767_225_600_123);
        assert!(record["token"] >= 0 && tokens.insert(record["token"]));
    }
}

#[test]
fn timestamps_round_down_to_their_unit_even_before_1970() {
    for (unit, at, expected) in [
        (TimeUnit::Seconds, 1_999_999_999, 1),
        (TimeUnit::Seconds, -1, -1),
        (TimeUnit::Millis, -1_000_001, -2),
        (TimeUnit::Micros, 1_999, 1),
        (TimeUnit::Nanos, -7, -7),
    ] {
        assert_eq!(unit.floor(EpochNanos(at)), expected, "{unit:?} {at}");
    }
}

#[test]
fn the_late_fraction_is_late_by_a_uniform_time() {
    let late = Late {
        fraction: 0.15,
        up_to: SimDuration::from_secs(7_200),
    };
    let kind = FieldKind::Timestamp {
        unit: TimeUnit::Nanos,
        late: Some(late),
    };
    let schema = schema(vec![field("ts", kind, &[])]);
    let n = 40_000u32;
    let delays: Vec<i64> = records(&schema, u64::from(n), &[])
        .iter()
        .map(|record| NOW.0 - record["ts"])
        .collect();
    assert!(
        delays
            .iter()
            .all(|delay| (0..=7_200_000_000_000).contains(delay))
    );
    let late: Vec<f64> = delays
        .iter()
        .filter(|delay| **delay > 0)
        .map(|delay| *delay as f64 / 7.2e12)
        .collect();
    // Binomial: standard deviation sqrt(0.15 * 0.85 / 40,000) = 0.0018; four of them.
    let fraction = late.len() as f64 / f64::from(n);
    assert!((fraction - 0.15).abs() < 4.0 * 0.001_8, "{fraction}");
    // Uniform in [0, 1]: mean 1/2, standard deviation of the mean sqrt(1/12 / 6,000) = 0.0037; four of them.
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((mean - 0.5).abs() < 4.0 * 0.003_8, "{mean}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_field_follows_those_that_it_depends_on(edges in prop::collection::vec((0usize..12, 0usize..12), 0..30), deal: u64) {
        // Edges from a greater to a lesser node have no cycle; names are then dealt to places.
        let order = crate::random::Permutation::new(12, DrawKey::new(Seed(deal), 0, Stream::Shuffle, 0));
        let place = |node: usize| order.at(node as u64) as usize;
        let mut fields: Vec<Field> = (0..12)
            .map(|at| field(&format!("f{at}"), FieldKind::Int { first: 0, count: 2 }, &[]).0)
            .collect();
        for (a, b) in edges {
            if a != b {
                fields[place(a.max(b))].of.push(FieldId(place(a.min(b)) as u16));
            }
        }
        let schema = Schema { fields, time_range: (EpochNanos(0), EpochNanos(0)), sequence_span: 0 };
        let order = schema.dependency_order();
        prop_assert_eq!(order.len(), 12);
        for (at, id) in order.iter().enumerate() {
            prop_assert!(schema.field(*id).of.iter().all(|parent| order[..at].contains(parent)));
        }
    }
}

#[test]
fn records_of_a_run_are_those_of_its_operations_one_by_one() {
    let mut fields = shop();
    let late = Late {
        fraction: 0.3,
        up_to: SimDuration::from_secs(50),
    };
    for (name, late) in [("seen", None), ("made", Some(late))] {
        let unit = TimeUnit::Millis;
        fields.push(field(name, FieldKind::Timestamp { unit, late }, &[]));
    }
    fields.push(field("number", FieldKind::Sequence { first: 9 }, &[]));
    fields.push(field("token", FieldKind::Uuid { count: None }, &[]));
    let generator = RecordGenerator::new(&schema(fields), Seed(5), 1);
    let draws = DrawKey::new(Seed(5), 1, Stream::Records, 3);
    let width = generator.width();
    // More than two chunks, and a part of one.
    let times: Vec<SimTime> = (0..150u64)
        .map(|i| SimTime::from_nanos(i * 7_300_000))
        .collect();
    let start = EpochNanos(1_000_000_000_000);
    let last = FieldId(width as u16 - 1);
    let some = FieldMask::new(generator.schema(), [FieldId(0), last]);
    let cases = [
        (vec![], FieldMask::ALL),
        (vec![(FieldId(2), 123)], FieldMask::ALL),
        (vec![(FieldId(2), 123)], some),
    ];
    for (fixed, asked) in cases {
        let run = OperationRun {
            draws,
            first: 40,
            sequence: 1_000,
            start,
            times: &times,
            asked,
        };
        let mut together = vec![0; width * times.len()];
        generator.generate_run(run, &fixed, &mut together);
        for (i, record) in together.chunks(width).enumerate() {
            let at = i as u64;
            let mut alone = vec![0; width];
            let time = start.at(times[i]);
            generator.generate(draws.at(40 + at), 1_000 + at, time, &fixed, &mut alone);
            for slot in (0..width).filter(|&slot| !asked.has(slot) && slot != 2) {
                alone[slot] = 0;
            }
            assert_eq!(record, alone, "{i}");
        }
    }
}
