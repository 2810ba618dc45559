//! Scans of just the wanted rows ask for what all scans ask for.

use super::*;
use crate::key::{Environment, KeyPlan};
use crate::query::{Costs, PlanContext, plan};
use crate::record::{Field, FieldKind, KnownField, Schema, TimeUnit};
use crate::time::{EpochNanos, SimDuration};
use crate::workload::{OperationId, PageRows, Read};
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

#[test]
fn an_exact_scan_asks_for_what_any_scan_asks_for() {
    let int = |name| {
        let (first, count) = (0, 1_000);
        Field::new(name, FieldKind::Int { first, count })
    };
    let (unit, late) = (TimeUnit::Millis, None);
    let start = EpochNanos(0);
    let schema = Schema {
        fields: vec![
            int("id"),
            int("site"),
            Field::new("ts", FieldKind::Timestamp { unit, late }),
        ],
        time_range: (
            start,
            start.at(SimTime::ZERO + SimDuration::from_secs(3_600)),
        ),
        sequence_span: 0,
    };
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    let target = |record: &'static [i64]| ReadTarget {
        operation: OperationId(5),
        at: SimTime::ZERO,
        record,
        within: &[],
        within_lens: &[],
        page: PageRows::default(),
    };
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
        let compiled = KeyPlan::compile(key, &environment).expect("the key compiles");
        let context = PlanContext {
            schema: &schema,
            start,
            population: &Summed,
            sample: &targets,
            costs: Costs {
                get: 1e-3,
                scan: 1e-3,
                row: 1e-6,
                cell: 1e-7,
                absent: 0.0,
            },
        };
        let read = Read::planned("r", known);
        let exact = plan(&(&Arc::new(compiled)).into(), &read, &context);
        assert_eq!(exact.is_exact_scan, is_exact, "{key}");
        let mut any = exact.clone();
        any.is_exact_scan = false;
        for target in &targets {
            let asked = [&exact, &any].map(|plan| {
                let mut requests = Requests::default();
                plan.requests(target, &Summed, &mut requests);
                requests.scratch = None;
                format!("{requests:?}")
            });
            assert_eq!(asked[0], asked[1], "{key}");
        }
    }
}
