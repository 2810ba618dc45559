//! Pages of random tables: what lies behind a cursor is asked for, what it has passed is not, and an index names rows that exist.

use crate::brute_force::Compared;
use crate::brute_force::table::schema_parts::read;
use crate::brute_force::table::{
    self, A, B, C, NOW, ROWS, TS, Table, asked_for, compiled, key_draws, keys, planned,
};
use keyheat::query::{OverRead, Requests};
use keyheat::record::{FieldId, KnownField};
use keyheat::workload::{
    OperationId, Page, PageRows, PageVia, Read, ReadTarget, RowWrite, WriteId,
};
use proptest::prelude::*;

/// Keys, the field that the reader knows, and the field that pages are sorted by.
const KEYS: [(&str, FieldId, FieldId); 12] = [
    ("lpad(a, 3) || be8(ts) || be4(n)", A, TS),
    ("lpad(a, 3) || be8(rev_ts(ts)) || be4(n)", A, TS),
    ("b || '#' || c || be4(n)", B, C),
    (
        "be1(random(3)) || lpad(a, 3) || be8(rev_ts(ts)) || be4(n)",
        A,
        TS,
    ),
    ("be1(random(3)) || lpad(a, 3) || be8(ts) || uuid4()", A, TS),
    ("salt(3, a) || be4(a) || desc(be8(ts)) || b", A, TS),
    ("be1(quad) || be8(ts) || be4(n)", A, TS),
    ("be1(quad) || be4(a) || day || be4(n)", A, TS),
    ("be4(a) || be8(trunc(ts, '6h')) || text(d) || be4(n)", A, TS),
    ("be4(a) || text(999999999 - ts / 86400000) || be4(n)", A, TS),
    ("be1(bucket(4, n)) || c || be4(n)", C, C),
    ("be8(ts) || be4(n)", B, TS),
];

fn page(known: FieldId, field: FieldId, size: u32, number: u32, via: PageVia) -> Read {
    Read {
        equal: vec![KnownField::Stored(known)],
        page: Some(Page {
            field: KnownField::Stored(field),
            size,
            number,
            via,
        }),
        ..read()
    }
}

/// The rows like the `chosen` one, greatest value first; of one value in the order of their numbers.
fn group(table: &Table, known: FieldId, field: FieldId, chosen: usize) -> Vec<usize> {
    let slot = |row: usize, field: FieldId| table.records[row][usize::from(field.0)];
    let mut rows: Vec<usize> = (0..ROWS)
        .filter(|row| slot(*row, known) == slot(chosen, known))
        .collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(slot(*row, field)), *row));
    rows
}

struct Named {
    records: Vec<i64>,
    writes: Vec<RowWrite>,
}

impl Named {
    fn new(table: &Table, rows: &[usize]) -> Self {
        let write = |row: &usize| RowWrite {
            index: *row as u64,
            draws: key_draws(*row as u64),
        };
        Self {
            records: rows.iter().flat_map(|row| table.records[*row]).collect(),
            writes: rows.iter().map(write).collect(),
        }
    }

    fn target<'a>(&'a self, table: &'a Table, chosen: usize, exact: bool) -> ReadTarget<'a> {
        ReadTarget {
            operation: OperationId::new(WriteId(0), chosen as u64),
            at: NOW,
            record: &table.records[chosen],
            within: &[],
            within_lens: &[],
            page: PageRows {
                records: &self.records,
                writes: &self.writes,
                exact,
            },
        }
    }
}

/// A key, a table and a page of the rows that are like the chosen one.
#[derive(Debug)]
pub struct Case {
    which: usize,
    seed: u64,
    chosen: usize,
    size: u32,
    number: u32,
}

fn drawn(
    keys: usize,
    sizes: std::ops::Range<u32>,
    numbers: std::ops::Range<u32>,
) -> impl Strategy<Value = Case> {
    let drawn = (0..keys, 0u64..1_000, 0..ROWS, sizes, numbers);
    drawn.prop_map(|(which, seed, chosen, size, number)| Case {
        which,
        seed,
        chosen,
        size,
        number,
    })
}

pub fn cursors() -> impl Strategy<Value = Case> {
    drawn(KEYS.len(), 1..5, 2..6)
}

pub fn expected_cursors() -> impl Strategy<Value = Case> {
    drawn(3, 1..5, 2..4)
}

pub fn indexes() -> impl Strategy<Value = Case> {
    drawn(KEYS.len(), 1..9, 2..3)
}

/// A page by cursor asks for what lies behind it and for nothing before.
pub fn compare_cursor(case: &Case) -> Result<Compared, TestCaseError> {
    let Case {
        which,
        seed,
        chosen,
        size,
        number,
    } = *case;
    let mut compared = Compared::default();
    let (text, known, field) = KEYS[which];
    let table = table::table(seed);
    let key = compiled(text);
    let read = page(known, field, size, number, PageVia::Cursor);
    let group = group(&table, known, field, chosen);
    let skipped = (size * (number - 1)) as usize;
    let cursor = group[skipped.min(group.len()) - 1];
    let named = Named::new(&table, &[cursor]);
    let target = named.target(&table, chosen, true);
    let plan = planned(&key, &read, &table, target);
    let mut requests = Requests::default();
    plan.requests(&target, &table, &mut requests);
    let keys = keys(&key, &table);
    let sorted = plan
        .over_reads()
        .iter()
        .any(|over_read| matches!(over_read, OverRead::Sorted(_)));
    let steps = plan
        .over_reads()
        .iter()
        .any(|over_read| matches!(over_read, OverRead::Steps(_)));
    let value = |row: usize| table.records[row][usize::from(field.0)];
    for row in group {
        let asked = asked_for(&requests, &keys[row]);
        compared.rows += 1;
        if sorted || value(row) < value(cursor) {
            compared.wanted += 1;
            prop_assert_eq!(
                asked,
                1,
                "{}: row {} is missed\n{}",
                text,
                row,
                plan.words()
            );
        } else if !steps && (row == cursor || value(row) > value(cursor)) {
            prop_assert_eq!(
                asked,
                0,
                "{}: row {} has been passed\n{}",
                text,
                row,
                plan.words()
            );
        }
    }
    Ok(compared)
}

/// A cursor that is not known begins where as many rows are expected.
pub fn compare_expected_cursor(case: &Case) -> Result<Compared, TestCaseError> {
    let Case {
        which,
        seed,
        chosen,
        size,
        number,
    } = *case;
    let mut compared = Compared::default();
    let (text, known, field) = KEYS[which];
    let table = table::table(seed);
    let key = compiled(text);
    let read = page(known, field, size, number, PageVia::Cursor);
    let named = Named::new(&table, &[]);
    let target = named.target(&table, chosen, false);
    let plan = planned(&key, &read, &table, target);
    let mut requests = Requests::default();
    plan.requests(&target, &table, &mut requests);
    let (keys, group) = (keys(&key, &table), group(&table, known, field, chosen));
    let value = |row: usize| table.records[row][usize::from(field.0)];
    let skipped = (size * (number - 1)) as usize;
    // The table's counts are exact, so the cursor has the value of the last row before the page.
    let last = value(group[skipped.min(group.len()) - 1]);
    for row in &group {
        let asked = asked_for(&requests, &keys[*row]);
        if value(*row) != last && skipped < group.len() {
            compared.rows += 1;
            compared.wanted += u64::from(value(*row) < last);
            prop_assert_eq!(
                asked,
                usize::from(value(*row) < last),
                "{}: row {}\n{}",
                text,
                row,
                plan.words()
            );
        }
    }
    Ok(compared)
}

/// An index names the keys of rows.
pub fn compare_index(case: &Case) -> Result<Compared, TestCaseError> {
    let Case {
        which,
        seed,
        chosen,
        size,
        number,
    } = *case;
    let mut compared = Compared::default();
    let (text, known, field) = KEYS[which];
    let table = table::table(seed);
    let key = compiled(text);
    let read = page(known, field, size, number, PageVia::Index);
    let group = group(&table, known, field, chosen);
    let rows: Vec<usize> = group
        .into_iter()
        .skip(size as usize)
        .take(size as usize)
        .collect();
    let named = Named::new(&table, &rows);
    let target = named.target(&table, chosen, true);
    let plan = planned(&key, &read, &table, target);
    let mut requests = Requests::default();
    plan.requests(&target, &table, &mut requests);
    let keys = keys(&key, &table);
    let gets: Vec<&[u8]> = requests.gets.iter().collect();
    let expected: Vec<&[u8]> = rows.iter().map(|row| keys[*row].as_slice()).collect();
    compared.rows += expected.len() as u64;
    compared.wanted += expected.len() as u64;
    prop_assert_eq!(gets, expected, "{}", text);
    prop_assert_eq!(requests.rows_returned, rows.len() as f64);
    Ok(compared)
}
