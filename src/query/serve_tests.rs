//! What is asked for in fewer steps is what is asked for in all of them.

use super::*;
use crate::key::{Environment, KeyPlan};
use crate::query::{Costs, PlanContext, plan};
use crate::record::{Field, FieldKind, KnownField, Schema, TimeUnit};
use crate::time::{EpochNanos, SimDuration};
use crate::workload::{OperationId, PageRows, Read, Within, WithinValues};
use std::collections::BTreeMap;
use std::sync::Arc;

/// As many rows as the values that are asked for add up to.
struct Summed;

impl RowCounts for Summed {
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        _: &[i64],
        _: SimTime,
    ) -> f64 {
        let values = condition.equal.iter().map(|(_, slot)| *slot as f64);
        values.sum::<f64>() * 1.5 + equality.told.len() as f64
    }
}

/// An id and a site of a thousand values each, and a timestamp.
fn schema() -> Schema {
    let int = |name| {
        let (first, count) = (0, 1_000);
        Field::new(name, FieldKind::Int { first, count })
    };
    let (unit, late) = (TimeUnit::Millis, None);
    let start = EpochNanos(0);
    let end = start.at(SimTime::ZERO + SimDuration::from_secs(3_600));
    Schema {
        fields: vec![
            int("id"),
            int("site"),
            Field::new("ts", FieldKind::Timestamp { unit, late }),
        ],
        time_range: (start, end),
        sequence_span: 0,
    }
}

/// The best plan of a read under a key for some targets, where a Get takes so many seconds.
fn planned(
    (key, get): (&str, f64),
    read: &Read,
    schema: &Schema,
    targets: &[ReadTarget<'_>],
) -> AccessPlan {
    let environment = Environment {
        schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    let compiled = KeyPlan::compile(key, &environment).expect("the key compiles");
    let context = PlanContext {
        schema,
        start: EpochNanos(0),
        population: &Summed,
        sample: targets,
        costs: Costs {
            get,
            scan: 1e-3,
            row: 1e-6,
            cell: 1e-7,
            seek: 2e-5,
            absent: 0.0,
        },
    };
    plan(&(&Arc::new(compiled)).into(), read, &context)
}

/// Two plans ask for the same of each target.
fn ask_alike(plans: [&AccessPlan; 2], targets: &[ReadTarget<'_>], key: &str) {
    for target in targets {
        let asked = plans.map(|plan| {
            let mut requests = Requests::default();
            plan.requests(target, &Summed, &mut requests);
            requests.scratch = None;
            format!("{requests:?}")
        });
        assert_eq!(asked[0], asked[1], "{key}");
    }
}

fn target(record: &'static [i64]) -> ReadTarget<'static> {
    ReadTarget {
        operation: OperationId(5),
        at: SimTime::ZERO,
        record,
        within: &[],
        within_lens: &[],
        page: PageRows::default(),
    }
}

#[test]
fn gets_whose_keys_are_written_together_are_those_written_one_by_one() {
    let schema = schema();
    let targets = [&[7, 3, 5_000][..], &[0, 0, 0]].map(|record| ReadTarget {
        within: &[7, 11, 0, 999],
        within_lens: &[4],
        ..target(record)
    });
    let mut read = Read::planned("r", vec![KnownField::Stored(FieldId(1))]);
    read.within = vec![Within {
        field: FieldId(0),
        values: WithinValues::Count(4),
    }];
    for (key, together) in [
        ("md5_bytes(be4(id)) || be4(id)", true),
        ("be1(id % 4) || be4(site) || be4(id)", true),
        // Of no one width; salts are given beside the values.
        ("md5_bytes(be4(id)) || text(id)", false),
        ("be1(random(4)) || be4(id)", false),
    ] {
        let at_once = planned((key, 1e-9), &read, &schema, &targets);
        assert_eq!(at_once.gets_together, together, "{key}");
        let mut one_by_one = at_once.clone();
        one_by_one.gets_together = false;
        ask_alike([&at_once, &one_by_one], &targets, key);
    }
}

#[test]
fn an_exact_scan_asks_for_what_any_scan_asks_for() {
    let schema = schema();
    let targets = [&[7, 3, 5_000], &[0, 0, 0], &[999, 12, 1]].map(|record| target(record));
    let [id, site] = [0, 1].map(|field| KnownField::Stored(FieldId(field)));
    for (key, known, is_exact) in [
        ("be4(id) || be8(ts)", vec![id], true),
        ("md5_bytes(be4(id)) || be4(id) || be8(ts)", vec![id], true),
        (
            "be4(site) || be4(id) || be4(ts / 60000)",
            vec![id, site],
            true,
        ),
        ("be4(id) || be4(site) || be8(ts)", vec![id, site], true),
        // Rows of other sites are read as well; other ids share the hash; old versions lie under other salts.
        ("be4(id) || be8(ts)", vec![id, site], false),
        ("left(md5_bytes(be4(id)), 1) || be8(ts)", vec![id], false),
        ("be4(id) || be1(random(4)) || be8(ts)", vec![id], false),
    ] {
        let exact = planned((key, 1e-3), &Read::planned("r", known), &schema, &targets);
        assert_eq!(exact.is_exact_scan, is_exact, "{key}");
        let mut any = exact.clone();
        any.is_exact_scan = false;
        ask_alike([&exact, &any], &targets, key);
    }
}
