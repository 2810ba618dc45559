//! Pages of random tables: what lies behind a cursor is asked for, what it has passed is not, and an index names rows that exist.

use crate::brute_force::Compared;
use crate::brute_force::requested::Requested;
use crate::brute_force::table::{A, B, C, D, ROWS, TS, Table, key_draws, table};
use crate::schema_parts::read;
use keyheat::record::{FieldId, KnownField};
use keyheat::workload::{Page, PageRows, PageVia, Read, ReadTarget, RowWrite};
use proptest::prelude::*;

/// Keys, the field that the reader knows, and the field that pages are sorted by.
const KEYS: [(&str, FieldId, FieldId); 20] = [
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
    (
        "lpad(a, 3) || be8(snowflake(ts, 1, 1, n % 4096)) || be4(n)",
        A,
        TS,
    ),
    (
        "lpad(a, 3) || desc(be8(ts * 4096 + n % 4096)) || be4(n)",
        A,
        TS,
    ),
    // Buckets of what pages are sorted by, and a time that is cut in two.
    (
        "be1(ts / 3600000 % 4) || be4(a) || be8(ts) || be4(n)",
        A,
        TS,
    ),
    (
        "be1(bucket(4, be8(ts))) || be4(a) || be8(ts) || be4(n)",
        A,
        TS,
    ),
    (
        "be4(a) || be4(ts / 86400000) || be4(ts % 86400000) || be4(n)",
        A,
        TS,
    ),
    // Numbers of both signs.
    ("be4(a) || be4(d) || be4(n)", A, D),
    ("be4(0 - d) || be4(n)", C, D),
    ("be1(random(3)) || desc(be4(d)) || be4(n)", C, D),
];

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

/// A case with its table.
struct Paged<'a> {
    case: &'a Case,
    text: &'static str,
    known: FieldId,
    field: FieldId,
    table: Table,
    /// The rows like the chosen one, greatest value first; of one value in the order of their numbers.
    group: Vec<usize>,
}

impl<'a> Paged<'a> {
    fn new(case: &'a Case) -> Self {
        let (text, known, field) = KEYS[case.which];
        let table = table(case.seed);
        let alike = |row: &usize| table.slot(*row, known) == table.slot(case.chosen, known);
        let mut group: Vec<usize> = (0..ROWS).filter(alike).collect();
        group.sort_by_key(|row| (std::cmp::Reverse(table.slot(*row, field)), *row));
        Self {
            case,
            text,
            known,
            field,
            table,
            group,
        }
    }

    /// The value that pages are sorted by.
    fn value(&self, row: usize) -> i64 {
        self.table.slot(row, self.field)
    }

    /// Number of rows before the page.
    fn skipped(&self) -> usize {
        (self.case.size * (self.case.number - 1)) as usize
    }

    /// The last row before the page, or of all.
    fn cursor(&self) -> usize {
        self.group[self.skipped().min(self.group.len()) - 1]
    }

    /// What the page asks for when the reader knows these rows: the last before it, or its own; `None`: nothing is known.
    fn requested(&self, via: PageVia, rows: Option<&[usize]>) -> Requested {
        let read = Read {
            equal: vec![KnownField::Stored(self.known)],
            page: Some(Page {
                field: KnownField::Stored(self.field),
                size: self.case.size,
                number: self.case.number,
                via,
            }),
            ..read()
        };
        let named = rows.unwrap_or_default();
        let records: Vec<i64> = named
            .iter()
            .flat_map(|row| self.table.records[*row])
            .collect();
        let write = |row: &usize| RowWrite {
            index: *row as u64,
            draws: key_draws(*row as u64),
        };
        let writes: Vec<RowWrite> = named.iter().map(write).collect();
        let target = ReadTarget {
            page: PageRows {
                records: &records,
                writes: &writes,
                exact: rows.is_some(),
            },
            ..self.table.target(self.case.chosen)
        };
        Requested::new(self.text, &read, &self.table, target)
    }

    /// A row is asked for once when it is `expected`, else never.
    fn check(
        &self,
        requested: &Requested,
        row: usize,
        expected: bool,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(
            requested.times(row),
            usize::from(expected),
            "{}: row {}\n{}",
            self.text,
            row,
            requested.plan.words("")
        );
        Ok(())
    }
}

/// A page by cursor asks for what lies behind it and for nothing before.
pub fn compare_cursor(case: &Case) -> Result<Compared, TestCaseError> {
    let mut compared = Compared::default();
    let paged = Paged::new(case);
    let cursor = paged.cursor();
    let requested = paged.requested(PageVia::Cursor, Some(&[cursor]));
    let (sorted, steps) = (requested.is_sorted(), requested.has_steps());
    let last = paged.value(cursor);
    for &row in &paged.group {
        let value = paged.value(row);
        compared.rows += 1;
        if sorted || value < last {
            compared.wanted += 1;
            paged.check(&requested, row, true)?;
        } else if !steps && (row == cursor || value > last) {
            paged.check(&requested, row, false)?;
        }
    }
    Ok(compared)
}

/// A cursor that is not known begins where as many rows are expected.
pub fn compare_expected_cursor(case: &Case) -> Result<Compared, TestCaseError> {
    let mut compared = Compared::default();
    let paged = Paged::new(case);
    let requested = paged.requested(PageVia::Cursor, None);
    if paged.skipped() >= paged.group.len() {
        return Ok(compared);
    }
    // The table's counts are exact, so the cursor has the value of the last row before the page.
    let last = paged.value(paged.cursor());
    for &row in &paged.group {
        let value = paged.value(row);
        if value != last {
            compared.rows += 1;
            compared.wanted += u64::from(value < last);
            paged.check(&requested, row, value < last)?;
        }
    }
    Ok(compared)
}

/// An index names the keys of rows.
pub fn compare_index(case: &Case) -> Result<Compared, TestCaseError> {
    let paged = Paged::new(case);
    let behind = paged.group.iter().skip(paged.skipped());
    let rows: Vec<usize> = behind.take(case.size as usize).copied().collect();
    let requested = paged.requested(PageVia::Index, Some(&rows));
    let Requested { requests, keys, .. } = &requested;
    let gets: Vec<&[u8]> = requests.gets.iter().collect();
    let expected: Vec<&[u8]> = rows.iter().map(|row| keys[*row].as_slice()).collect();
    prop_assert_eq!(gets, expected, "{}", paged.text);
    prop_assert_eq!(requests.rows_returned, rows.len() as f64);
    Ok(Compared {
        rows: rows.len() as u64,
        wanted: rows.len() as u64,
        ..Compared::default()
    })
}
