//! Access paths against tables held in memory: random keys, random reads, every row looked at.

mod planner_table;

use keyheat::query::{OverRead, Requests};
use keyheat::record::{DerivedId, FieldId, KnownField};
use keyheat::time::SimDuration;
use keyheat::workload::{
    Newest, OperationId, Page, PageRows, PageVia, RangeExtent, Read, ReadRange, ReadTarget, Within,
    WithinValues, WriteId,
};
use planner_table::schema_parts::{START, read};
use planner_table::{
    A, B, C, D, DAY, DAYS, HOUR, N, NOW, ROWS, TS, asked_for, compiled, derived_value, in_scan,
    keys, planned, schema, table,
};
use proptest::prelude::*;

const SEGMENTS: [&str; 32] = [
    "be4(a)",
    "text(a)",
    "lpad(a, 3)",
    "b",
    "b || '#'",
    "b || x'00'",
    "upper(b)",
    "c",
    "reverse(c)",
    "sbe8(d)",
    "be8(ts)",
    "be8(rev_ts(ts))",
    "desc(be8(ts))",
    "day",
    "be8(hour)",
    "text(ts / 3600000)",
    "to_char(ts, 'HH')",
    "to_char(ts, 'yyMMddHH')",
    "left(md5(b), 2)",
    "left(md5(a || day), 1)",
    "md5_bytes(b)",
    "salt(3, a)",
    "salt(2, be8(ts))",
    "be1(random(3))",
    "be1(pmod(murmur3(b) + random(2), 5))",
    "be1(bucket(4, c))",
    "be1(round_robin(3))",
    "be8(bit_reverse(a))",
    "be1(quad)",
    "lpad(999 - a, 3)",
    "uuid7(ts)",
    "be4(a * 100 + pmod(d, 100))",
];

/// A read in pieces that shrink well.
#[derive(Debug, Clone)]
struct Asked {
    equal: Vec<u8>,
    list: Option<(u8, u32)>,
    range: Option<(u8, u64)>,
    order: Option<(u8, u32, u8)>,
}

fn known(which: u8) -> KnownField {
    match which % 8 {
        0 => KnownField::Stored(A),
        1 => KnownField::Stored(B),
        2 => KnownField::Stored(C),
        3 => KnownField::Stored(D),
        4 => KnownField::Stored(TS),
        other => KnownField::Derived(DerivedId(u16::from(other) - 5)),
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    (
        prop::collection::vec(0u8..8, 0..4),
        prop::option::of((0u8..3, 1u32..6)),
        prop::option::of((0u8..6, 1u64..9)),
        prop::option::of((0u8..3, 1u32..12, 0u8..3)),
    )
        .prop_map(|(equal, list, range, order)| Asked {
            equal,
            list,
            range,
            order,
        })
}

fn to_read(asked: &Asked) -> Read {
    let mut to = read();
    to.equal = asked.equal.iter().map(|which| known(*which)).collect();
    to.equal.sort();
    to.equal.dedup();
    let is_known = |field: FieldId| to.equal.contains(&KnownField::Stored(field));
    if let Some((which, count)) = asked.list {
        let field = [A, B, C][usize::from(which)];
        if !is_known(field) {
            to.within.push(Within {
                field,
                values: WithinValues::Count(count),
            });
        }
    }
    if let Some((which, length)) = asked.range {
        let span = RangeExtent::Span(length);
        let last = RangeExtent::Last {
            last: SimDuration::from_secs(length * 1_800),
            ago: SimDuration::from_secs(7_200),
        };
        let (field, extent) = match which {
            0 => (KnownField::Stored(A), span),
            1 => (KnownField::Stored(C), span),
            2 => (KnownField::Stored(TS), RangeExtent::Span(length * 600_000)),
            3 => (KnownField::Stored(TS), last),
            4 => (KnownField::Derived(DerivedId(0)), RangeExtent::Span(2)),
            _ => (KnownField::Derived(DerivedId(1)), last),
        };
        let base = match field {
            KnownField::Stored(field) => field,
            KnownField::Derived(_) => TS,
        };
        let listed = to.within.iter().any(|list| list.field == base);
        // One range a field: a derived field of it is another.
        let derived_too = to.equal.iter().any(|field| {
            matches!(field, KnownField::Derived(DerivedId(derived)) if (base == TS) == (*derived < 2))
        });
        if !is_known(base) && !listed && !derived_too {
            to.range = Some(ReadRange { field, extent });
        }
    }
    if let Some((which, rows, how)) = asked.order {
        let field = [
            KnownField::Stored(TS),
            KnownField::Stored(C),
            KnownField::Derived(DerivedId(0)),
        ][usize::from(which)];
        if how == 0 {
            to.newest = Some(Newest { field, rows });
        } else {
            to.page = Some(Page {
                field,
                size: rows,
                number: u32::from(how),
                via: PageVia::Offset,
            });
        }
    }
    to
}

/// Does a row satisfy the read? By arithmetic of our own.
fn satisfies(read: &Read, target: &ReadTarget<'_>, record: &[i64]) -> bool {
    let value = |field: KnownField, record: &[i64]| match field {
        KnownField::Stored(field) => record[usize::from(field.0)],
        KnownField::Derived(derived) => derived_value(usize::from(derived.0), record),
    };
    let equal = read
        .equal
        .iter()
        .all(|field| value(*field, record) == value(*field, target.record));
    let listed = read
        .within
        .iter()
        .all(|list| target.within.contains(&record[usize::from(list.field.0)]));
    let in_range = read.range.as_ref().is_none_or(|range| match range.extent {
        RangeExtent::Span(length) => {
            let own = value(range.field, target.record);
            (own..own + length as i64).contains(&value(range.field, record))
        }
        RangeExtent::Last { last, ago } => {
            let now = START.0 / 1_000_000 + DAYS * DAY;
            let end = now - (ago.as_secs_f64() * 1e3) as i64;
            let start = end - (last.as_secs_f64() * 1e3) as i64;
            match range.field {
                KnownField::Stored(_) => (start + 1..=end).contains(&record[4]),
                // Whole hours.
                KnownField::Derived(_) => ((start + 1).div_euclid(HOUR)..=end.div_euclid(HOUR))
                    .contains(&record[4].div_euclid(HOUR)),
            }
        }
    });
    equal && listed && in_range
}

/// The rows that a reader ends up with, newest first, by the field's value: each scan read in its order until it has enough.
fn first_rows(
    requests: &Requests,
    keys: &[Vec<u8>],
    matching: &[bool],
    value: impl Fn(usize) -> i64,
    enough: usize,
) -> Vec<i64> {
    let mut found = Vec::new();
    for (at, scan) in requests.scans.iter().enumerate() {
        let mut rows: Vec<usize> = (0..keys.len())
            .filter(|row| in_scan(requests, at, &keys[*row]))
            .collect();
        rows.sort_by_key(|row| &keys[*row]);
        if scan.reversed {
            rows.reverse();
        }
        let wanted = rows.into_iter().filter(|row| matching[*row]).take(enough);
        found.extend(wanted.map(&value));
    }
    found.sort_by_key(|value| std::cmp::Reverse(*value));
    found.truncate(enough);
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn every_wanted_row_is_asked_for_once_and_all_others_are_declared(
        segments in prop::collection::vec(0usize..SEGMENTS.len(), 1..6),
        unique in any::<bool>(),
        asked in asked(),
        seed in 0u64..1_000,
        chosen in 0usize..ROWS,
    ) {
        let mut text: Vec<&str> = segments.iter().map(|at| SEGMENTS[*at]).collect();
        if unique {
            text.push("be4(n)");
        }
        let text = format!("'k' || {}", text.join(" || "));
        let (schema, key) = (schema(), compiled(&text));
        let table = table(seed);
        let read = to_read(&asked);
        let record = table.records[chosen];
        let mut within = Vec::new();
        let mut within_lens = Vec::new();
        for list in &read.within {
            let WithinValues::Count(count) = list.values else { unreachable!("lists have lengths") };
            let domain = schema.field(list.field).kind.count().expect("it is counted") as i64;
            let first = schema.field(list.field).kind.first_slot();
            let own = record[usize::from(list.field.0)].max(first);
            let values = (0..i64::from(count)).map(|at| first + (own - first + at * 7).rem_euclid(domain));
            let mut values: Vec<i64> = values.collect();
            values.sort_unstable();
            values.dedup();
            within_lens.push(values.len() as u32);
            within.extend(values);
        }
        let target = ReadTarget {
            operation: OperationId::new(WriteId(0), chosen as u64),
            at: NOW,
            record: &record,
            within: &within,
            within_lens: &within_lens,
            page: PageRows::default(),
        };
        let plan = planned(&key, &read, &table, target);
        let mut requests = Requests::default();
        plan.requests(&target, &table, &mut requests);
        let keys = keys(&key, &table);
        let matching: Vec<bool> = table.records.iter().map(|row| satisfies(&read, &target, row)).collect();
        let declared = plan.over_reads().iter().any(|over_read| !matches!(over_read, OverRead::Sorted(_)));
        for (row, key) in keys.iter().enumerate() {
            let times = asked_for(&requests, key);
            prop_assert!(times <= 1, "{text}: row {row} is asked for {times} times\n{}", plan.words());
            if matching[row] {
                prop_assert!(times == 1, "{text}: wanted row {row} {:?} is missed\n{}", table.records[row], plan.words());
            } else if times == 1 {
                prop_assert!(declared, "{text}: row {row} {:?} is read for nothing\n{}", table.records[row], plan.words());
            }
        }
        // Rows in the order that is wanted.
        let order = match (&read.newest, &read.page) {
            (Some(newest), _) => Some((newest.field, newest.rows)),
            (None, Some(page)) => Some((page.field, page.size * page.number)),
            (None, None) => None,
        };
        if let Some((field, enough)) = order
            && !requests.scans.is_empty()
            && !plan.over_reads().iter().any(|over_read| matches!(over_read, OverRead::Sorted(_)))
        {
            let value = |row: usize| match field {
                KnownField::Stored(field) => table.records[row][usize::from(field.0)],
                KnownField::Derived(derived) => derived_value(usize::from(derived.0), &table.records[row]),
            };
            let in_steps = plan.over_reads().iter().any(|over_read| matches!(over_read, OverRead::Steps(_)));
            let mut newest: Vec<i64> = (0..ROWS).filter(|row| matching[*row]).map(value).collect();
            newest.sort_by_key(|value| std::cmp::Reverse(*value));
            newest.truncate(enough as usize);
            if !in_steps {
                let found = first_rows(&requests, &keys, &matching, value, enough as usize);
                prop_assert_eq!(found, newest, "{}: {}", text, plan.words());
            }
        }
        // Numbers of rows are exact where nothing is left to chance.
        let by_chance = ["md5", "salt", "random", "bucket", "round_robin", "uuid", "upper", "'HH'", "pmod"];
        let ambiguous = plan.over_reads().iter().any(|over_read| matches!(over_read, OverRead::LongerValues(_)));
        if unique && order.is_none() && !ambiguous && !by_chance.iter().any(|word| text.contains(word)) {
            let expected: f64 = requests.scans.iter().map(|scan| scan.rows).sum();
            let real = keys.iter().filter(|key| asked_for(&requests, key) == 1).count();
            if !requests.scans.is_empty() {
                prop_assert!((expected - real as f64).abs() < 1e-6, "{text}: {expected} rows expected, {real} there\n{}", plan.words());
            }
            let wanted = matching.iter().filter(|wanted| **wanted).count() as f64;
            prop_assert!((requests.rows_returned - wanted).abs() < 1e-6, "{text}: {} rows wanted, {wanted} there\n{}", requests.rows_returned, plan.words());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn rows_of_longer_values_are_counted(
        which in 0usize..4,
        seed in 0u64..1_000,
        chosen in 0usize..ROWS,
    ) {
        let (text, field) = [
            ("b || be4(n)", B),
            ("lpad(d + 7, 2) || text(a) || be4(n)", A),
            ("lpad(c, 3) || b || be4(n)", B),
            ("text(c) || b || be4(n)", C),
        ][which];
        let key = compiled(text);
        let table = table(seed);
        let mut read = read();
        let others = match which {
            1 => vec![D],
            2 => vec![C],
            _ => Vec::new(),
        };
        read.equal = others.into_iter().chain([field]).map(KnownField::Stored).collect();
        read.equal.sort();
        let target = ReadTarget {
            operation: OperationId::new(WriteId(0), chosen as u64),
            at: NOW,
            record: &table.records[chosen],
            within: &[],
            within_lens: &[],
            page: PageRows::default(),
        };
        let plan = planned(&key, &read, &table, target);
        let mut requests = Requests::default();
        plan.requests(&target, &table, &mut requests);
        let keys = keys(&key, &table);
        let real = keys.iter().filter(|key| asked_for(&requests, key) == 1).count() as f64;
        let expected: f64 = requests.scans.iter().map(|scan| scan.rows).sum();
        if !requests.scans.is_empty() {
            prop_assert!((expected - real).abs() < 1e-6, "{text}: {expected} for {real}\n{}", plan.words());
        }
    }
}

#[test]
fn the_segments_of_the_soundness_test_all_compile() {
    for text in SEGMENTS {
        compiled(&format!("'k' || {text}"));
    }
    assert_eq!(schema().find("n"), Some(N));
}
