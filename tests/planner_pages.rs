//! Pages of a table held in memory: what lies behind a cursor is asked for, what it has passed is not, and an index names rows that exist.

mod planner_table;

use keyheat::query::{OverRead, Requests};
use keyheat::record::{FieldId, KnownField};
use keyheat::workload::{
    OperationId, Page, PageRows, PageVia, Read, ReadTarget, RowWrite, WriteId,
};
use planner_table::schema_parts::read;
use planner_table::{A, B, C, NOW, ROWS, TS, Table, asked_for, compiled, key_draws, keys, planned};
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_page_by_cursor_asks_for_what_lies_behind_it_and_for_nothing_before(
        which in 0..KEYS.len(),
        seed in 0u64..1_000,
        chosen in 0usize..ROWS,
        (size, number) in (1u32..5, 2u32..6),
    ) {
        let (text, known, field) = KEYS[which];
        let table = planner_table::table(seed);
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
        let sorted = plan.over_reads().iter().any(|over_read| matches!(over_read, OverRead::Sorted(_)));
        let steps = plan.over_reads().iter().any(|over_read| matches!(over_read, OverRead::Steps(_)));
        let value = |row: usize| table.records[row][usize::from(field.0)];
        for row in group {
            let asked = asked_for(&requests, &keys[row]);
            if sorted || value(row) < value(cursor) {
                prop_assert_eq!(asked, 1, "{}: row {} is missed\n{}", text, row, plan.words());
            } else if !steps && (row == cursor || value(row) > value(cursor)) {
                prop_assert_eq!(asked, 0, "{}: row {} has been passed\n{}", text, row, plan.words());
            }
        }
    }

    #[test]
    fn a_cursor_that_is_not_known_begins_where_as_many_rows_are_expected(
        seed in 0u64..1_000,
        chosen in 0usize..ROWS,
        (size, number) in (1u32..5, 2u32..4),
        which in 0usize..3,
    ) {
        let (text, known, field) = KEYS[which];
        let table = planner_table::table(seed);
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
                prop_assert_eq!(asked, usize::from(value(*row) < last), "{}: row {}\n{}", text, row, plan.words());
            }
        }
    }

    #[test]
    fn an_index_names_the_keys_of_rows(
        which in 0..KEYS.len(),
        seed in 0u64..1_000,
        chosen in 0usize..ROWS,
        size in 1u32..9,
    ) {
        let (text, known, field) = KEYS[which];
        let table = planner_table::table(seed);
        let key = compiled(text);
        let read = page(known, field, size, 2, PageVia::Index);
        let group = group(&table, known, field, chosen);
        let rows: Vec<usize> = group.into_iter().skip(size as usize).take(size as usize).collect();
        let named = Named::new(&table, &rows);
        let target = named.target(&table, chosen, true);
        let plan = planned(&key, &read, &table, target);
        let mut requests = Requests::default();
        plan.requests(&target, &table, &mut requests);
        let keys = keys(&key, &table);
        let gets: Vec<&[u8]> = requests.gets.iter().collect();
        let expected: Vec<&[u8]> = rows.iter().map(|row| keys[*row].as_slice()).collect();
        prop_assert_eq!(gets, expected, "{}", text);
        prop_assert_eq!(requests.rows_returned, rows.len() as f64);
    }
}
