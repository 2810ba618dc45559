//! Access paths of known keys: each line is a key, what a reader knows, and the way in which the key serves it.
//!
//! Regenerate with `SNAPSHOTS=overwrite`, then read what changed.

use crate::schema_parts::{START, degrees, read};
use keyheat::key::{Environment, KeyPlan};
use keyheat::query::{Costs, PlanContext, Requests, plan};
use keyheat::record::{Field, FieldKind, Interval, KnownField, Schema, TextValues, TimeUnit};
use keyheat::time::{EpochNanos, SimTime};
use keyheat::workload::{
    Condition, OperationId, PageRows, RangeExtent, Read, ReadRange, ReadTarget, RowCounts,
    RowEquality, WriteId,
};
use keyheat::workload::{Within, WithinValues};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Independent fields, each value as likely as the others.
struct Uniform<'a> {
    schema: &'a Schema,
    rows: f64,
}

impl Uniform<'_> {
    fn values(&self, field: keyheat::record::FieldId) -> f64 {
        let Interval { low, high } = self.schema.domain(field).range;
        if let FieldKind::Double { .. } = self.schema.field(field).kind {
            return 1e15;
        }
        match self.schema.field(field).kind.count() {
            Some(count) => count as f64,
            None => (high - low) as f64 + 1.0,
        }
    }

    fn matching(&self, condition: Condition<'_>) -> f64 {
        let mut rows = self.rows;
        for (field, _) in condition.equal {
            rows /= self.values(*field);
        }
        for (field, low, high) in condition.between {
            rows *= ((high - low) as f64 / self.values(*field)).min(1.0);
        }
        for (groups, at) in condition.alike {
            rows *= groups.of_groups[*at as usize].len() as f64 / self.values(groups.field);
        }
        rows
    }
}

/// Rows of which the target's is one, if it satisfies the condition.
fn with_target(rows: f64, condition: Condition<'_>, target: &[i64]) -> f64 {
    let slot = |field: keyheat::record::FieldId| target[usize::from(field.0)];
    let mut groups = condition.alike.iter();
    let is_there = condition.equal.iter().all(|it| slot(it.0) == it.1)
        && (condition.between.iter())
            .all(|(field, low, high)| (*low..*high).contains(&slot(*field)))
        && groups.all(|(groups, at)| groups.of(slot(groups.field)) == Some(*at));
    match is_there {
        true => rows.max(1.0),
        false => rows,
    }
}

impl RowCounts for Uniform<'_> {
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        _: SimTime,
    ) -> f64 {
        let within = |field| {
            if condition.equal.iter().any(|(equal, _)| *equal == field) {
                return 1.0;
            }
            let mut alike = condition.alike.iter();
            if let Some((groups, at)) = alike.find(|(groups, _)| groups.field == field) {
                return groups.of_groups[*at as usize].len() as f64;
            }
            let mut bands = condition.between.iter();
            let band = bands.find(|(band, _, _)| *band == field);
            band.map_or(self.values(field), |(_, low, high)| (high - low) as f64)
        };
        let told: f64 = equality.told.iter().map(|field| within(*field)).product();
        let steps = equality.step.map_or(1.0, |(field, low, high)| {
            (within(field) / (high - low) as f64).max(1.0)
        });
        // Cells of the key that equally likely rows hit by chance.
        let cells = told * steps * equality.draws;
        let rows = self.matching(condition);
        let distinct = match cells.is_finite() {
            true => -cells * (-rows / cells).exp_m1(),
            false => rows,
        };
        with_target(distinct, condition, target)
    }
}

/// `host=` is known, `item*30` a list of so many, `ts~1000` a range of so many values.
fn question(text: &str, schema: &Schema) -> (Read, Vec<usize>) {
    let mut asked = read();
    let mut lens = Vec::new();
    let id = |name: &str| schema.find(name).expect("the field exists");
    for part in text.split_whitespace() {
        if let Some(name) = part.strip_suffix('=') {
            asked.equal.push(KnownField::Stored(id(name)));
        } else if let Some((name, count)) = part.split_once('*') {
            let count: u32 = count.parse().expect("a number");
            lens.push(count as usize);
            asked.within.push(Within {
                field: id(name),
                values: WithinValues::Count(count),
            });
        } else if let Some((name, span)) = part.split_once('~') {
            asked.range = Some(ReadRange {
                field: KnownField::Stored(id(name)),
                extent: RangeExtent::Span(span.parse().expect("a number")),
            });
        } else if let Some((name, rows)) = part.split_once('^') {
            asked.newest = Some(keyheat::workload::Newest {
                field: KnownField::Stored(id(name)),
                rows: rows.parse().expect("a number"),
            });
        }
    }
    (asked, lens)
}

#[test]
fn keys_of_the_literature_serve_their_reads_as_their_authors_say() {
    let schema = fields();
    let parameters = BTreeMap::new();
    let environment = Environment {
        schema: &schema,
        derived: &[],
        parameters: &parameters,
    };
    let rows = Uniform {
        schema: &schema,
        rows: 1e8,
    };
    let golden = include_str!("../data/planner_queries.txt");
    let mut found = String::new();
    let mut key = None;
    for line in golden.lines() {
        if line.is_empty() || line.starts_with('#') {
            let _ = writeln!(found, "{line}");
            continue;
        }
        if !line.starts_with(' ') {
            let plan = KeyPlan::compile(line, &environment);
            key = Some(Arc::new(
                plan.unwrap_or_else(|errors| panic!("{line}: {errors:?}")),
            ));
            let _ = writeln!(found, "{line}");
            continue;
        }
        let text = line.split("->").next().expect("a question").trim();
        let (asked, lens) = question(text, &schema);
        // A record from the middle of every domain, and for lists the values that follow.
        let record: Vec<i64> = (0..schema.fields.len() as u16)
            .map(|at| {
                let id = keyheat::record::FieldId(at);
                let kind = &schema.field(id).kind;
                match kind.count() {
                    Some(count) => kind.first_slot() + (count / 2) as i64,
                    None => {
                        let Interval { low, high } = schema.domain(id).range;
                        let [low, high] = [low, high].map(i128::from);
                        (low + (high - low) * 3 / 7 + 1) as i64
                    }
                }
            })
            .collect();
        let mut within = Vec::new();
        for (list, len) in asked.within.iter().zip(&lens) {
            let first = record[usize::from(list.field.0)];
            within.extend(first..first + *len as i64);
        }
        let within_lens: Vec<u32> = lens.iter().map(|len| *len as u32).collect();
        let target = ReadTarget {
            operation: OperationId::new(WriteId(0), 0),
            at: SimTime::ZERO,
            record: &record,
            within: &within,
            within_lens: &within_lens,
            page: PageRows::default(),
        };
        let context = PlanContext {
            schema: &schema,
            start: START,
            population: &rows,
            sample: &[target],
            costs: Costs {
                get: 0.5e-3,
                absent: 0.0,
                scan: 0.8e-3,
                row: 1e-6,
                cell: 1e-7,
                seek: 2e-5,
            },
        };
        let key = key.as_ref().expect("a key comes first");
        let plan = plan(&key.into(), &asked, &context);
        let mut requests = Requests::default();
        plan.requests(&target, &rows, &mut requests);
        assert!(!requests.is_empty());
        let _ = writeln!(
            found,
            "  {text} -> {}: {}",
            plan.path.name(),
            plan.words("")
        );
    }
    if std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite") {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/planner_queries.txt"
        );
        std::fs::write(path, &found).expect("the file can be written");
        return;
    }
    assert_eq!(found, golden);
}

/// Texts of different lengths.
fn listed(prefix: &str, count: u32) -> FieldKind {
    let values = (0..count)
        .map(|at| format!("{prefix}{at}"))
        .collect::<Vec<_>>();
    FieldKind::Text(TextValues::Listed(values.into()))
}

fn generated(count: u64, length: u16) -> FieldKind {
    FieldKind::Text(TextValues::Generated {
        count,
        length,
        alphabet: "abcdefghijklmnopqrstuvwxyz".to_owned(),
    })
}

/// The fields, over 90 days before the start.
fn fields() -> Schema {
    let int = |first: i64, count: u64| FieldKind::Int { first, count };
    let time = |unit| FieldKind::Timestamp { unit, late: None };
    let fields = vec![
        Field::new("company_id", listed("c", 20_000)),
        Field::new(
            "stat_date",
            FieldKind::Digits {
                width: 8,
                first: 20_251_201,
                count: 31,
            },
        ),
        Field::new("campaign_id", listed("k", 5_000)),
        Field::new("id", int(0, 100_000_000)),
        Field::new("ts", time(TimeUnit::Millis)),
        Field::new("sec", time(TimeUnit::Seconds)),
        Field::new("host", listed("h", 10_000)),
        Field::new("event", listed("e", 20)),
        Field::new("metric", int(0, 2_000)),
        Field::new("tags", listed("t", 10_000)),
        Field::new("user_id", int(0, 5_000_000)),
        Field::new("msg_id", int(1_000_000, 9_000_000)),
        Field::new("sensor", generated(10_000, 8)),
        Field::new("type", int(0, 100)),
        Field::new("date8", int(20_251_201, 31)),
        Field::new("uid", int(0, 1_000_000)),
        Field::new("domain", FieldKind::Domain { count: 50_000 }),
        Field::new("path", listed("p", 2_000)),
        Field::new("caller", generated(1_000_000, 11)),
        Field::new("symbol", listed("s", 5_000)),
        Field::new(
            "region",
            FieldKind::Text(TextValues::Listed(
                ["eu", "us", "ap", "af", "sa"].map(str::to_owned).into(),
            )),
        ),
        Field::new("app", listed("a", 300)),
        Field::new("svc", int(0, 40)),
        Field::new("span", int(0, 1_000_000_000)),
        degrees("lon", 180.0),
        degrees("lat", 90.0),
        Field::new("order_id", listed("o", 60_000)),
        Field::new("item_id", listed("i", 40_000)),
        Field::new("fid", listed("f", 30_000)),
    ];
    const DAYS: i64 = 86_400_000_000_000;
    Schema {
        fields,
        time_range: (EpochNanos(START.0 - 90 * DAYS), EpochNanos(START.0)),
        sequence_span: 0,
    }
}
