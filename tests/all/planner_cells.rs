//! Cells that reads meet, against tables held in memory: every cell looked at.

use crate::brute_force::requested::{Requested, keys};
use crate::brute_force::table::{A, D, DAY, HOUR, ROWS, TS, compiled, table};
use crate::schema_parts::read;
use keyheat::query::AccessPath;
use keyheat::record::{DerivedId, KnownField};
use keyheat::workload::{Newest, RangeExtent, Read, ReadRange};
use std::collections::BTreeSet;

const TS_KNOWN: KnownField = KnownField::Stored(TS);
const DAY_KNOWN: KnownField = KnownField::Derived(DerivedId(0));
const SENSOR: KnownField = KnownField::Stored(A);
const KIND: KnownField = KnownField::Stored(D);

/// Key, qualifier, known fields, length of a range of `ts` from the target's own on, and which records' cells are read for a target.
type Case = (
    &'static str,
    &'static str,
    &'static [KnownField],
    Option<i64>,
    AccessPath,
    fn(&[i64; 6], &[i64; 6], i64) -> bool,
);

const PERIOD: &str = "be4(ts % 86400000)";

fn is_sensors(of: &[i64; 6], other: &[i64; 6]) -> bool {
    of[0] == other[0]
}

fn in_range(of: &[i64; 6], other: &[i64; 6], length: i64) -> bool {
    (of[4]..of[4] + length).contains(&other[4])
}

/// Steps of a time that a range touches.
fn in_steps(of: &[i64; 6], other: &[i64; 6], length: i64, step: i64) -> bool {
    let steps = of[4].div_euclid(step)..=(of[4] + length - 1).div_euclid(step);
    steps.contains(&other[4].div_euclid(step))
}

#[rustfmt::skip]
const CASES: [Case; 12] = [
    // The whole row, one cell of it, a range of it and of the next one.
    ("be1(a) || day", PERIOD, &[SENSOR, DAY_KNOWN], None, AccessPath::Get, |of, it, _| is_sensors(of, it) && in_steps(of, it, 1, DAY)),
    ("be1(a) || day", PERIOD, &[SENSOR, TS_KNOWN], None, AccessPath::Get, |of, it, _| is_sensors(of, it) && in_range(of, it, 1)),
    ("be1(a) || day", PERIOD, &[SENSOR], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && in_range(of, it, length)),
    ("be1(a) || day", "desc(be4(ts % 86400000))", &[SENSOR], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && in_range(of, it, length)),
    // Cells of an hour each: those that the range touches.
    ("be1(a) || day", "be2(ts % 86400000 / 3600000)", &[SENSOR], Some(HOUR * 3 / 2), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && in_steps(of, it, length, HOUR)),
    // What leads is known, and the range lies behind it.
    ("be1(a) || day", "be1(d + 7) || be4(ts % 86400000)", &[SENSOR, KIND], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && of[3] == it[3] && in_range(of, it, length)),
    // Qualifiers that are not in the order of time: whole rows.
    ("be1(a) || day", "md5_bytes(be8(ts))", &[SENSOR], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && in_steps(of, it, length, DAY)),
    ("be1(a) || day", "text(ts % 86400000)", &[SENSOR], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && in_steps(of, it, length, DAY)),
    // What leads is not known.
    ("be1(a) || day", "be1(d + 7) || be4(ts % 86400000)", &[SENSOR], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| is_sensors(of, it) && in_steps(of, it, length, DAY)),
    // One wide row: a range of it, and one of a row of each day.
    ("be1(a)", "be8(ts)", &[SENSOR], Some(6 * HOUR), AccessPath::Get, |of, it, length| is_sensors(of, it) && in_range(of, it, length)),
    ("be1(a)", "be8(ts)", &[SENSOR, TS_KNOWN], None, AccessPath::Get, |of, it, _| is_sensors(of, it) && in_range(of, it, 1)),
    ("be8(trunc(ts, '1d'))", "be1(d + 7) || be8(ts)", &[KIND], Some(6 * HOUR), AccessPath::MultiGet, |of, it, length| of[3] == it[3] && in_range(of, it, length)),
];

fn asked(equal: &[KnownField], range: Option<i64>) -> Read {
    let mut asked = read();
    asked.equal = equal.to_vec();
    asked.equal.sort();
    asked.range = range.map(|length| ReadRange {
        field: TS_KNOWN,
        extent: RangeExtent::Span(length as u64),
    });
    asked
}

#[test]
fn cells_that_are_read_and_returned_are_those_of_a_table_that_is_looked_at() {
    for (key, qualifier, equal, range, path, is_read) in CASES {
        let plan = compiled(&format!("({key}) || ({qualifier})"));
        let asked = asked(equal, range);
        let mut paths = 0;
        for seed in 0..40 {
            let table = table(seed);
            let target = (seed as usize * 37) % ROWS;
            let requested =
                Requested::of_cells(key, qualifier, &asked, &table, table.target(target));
            let own = table.records[target];
            let written = keys(&plan, &table);
            let cells = |is_among: &dyn Fn(&[i64; 6]) -> bool| {
                let rows = (0..ROWS).filter(|row| is_among(&table.records[*row]));
                let written = rows.map(|row| &written[row]);
                written.collect::<BTreeSet<_>>().len() as f64
            };
            let read = cells(&|it| is_read(&own, it, range.unwrap_or(0)));
            let satisfies = |it: &[i64; 6]| {
                let known = equal.iter().all(|field| match field {
                    KnownField::Stored(field) => {
                        let at = usize::from(field.0);
                        own[at] == it[at]
                    }
                    KnownField::Derived(_) => in_steps(&own, it, 1, DAY),
                });
                known && range.is_none_or(|length| in_range(&own, it, length))
            };
            // Of a cell the newest write is left, which may have come behind the range.
            let is_newest = |row: usize| {
                let time = |row: usize| table.records[row][4];
                let mut later = (0..ROWS).filter(|other| time(*other) > time(row));
                later.all(|it| written[it] != written[row])
            };
            let rows = (0..ROWS).filter(|row| satisfies(&table.records[*row]) && is_newest(*row));
            let wanted = rows.map(|row| &written[row]).collect::<BTreeSet<_>>();
            let wanted = wanted.len() as f64;
            let found = [
                requested.requests.cells_read(),
                requested.requests.cells_returned,
            ];
            let differ = |(found, expected): (f64, f64)| (found - expected).abs() > 1e-6;
            assert!(
                !differ((found[0], read)) && !differ((found[1], wanted)),
                "{key} and {qualifier}: {found:?} for {read} and {wanted}: {}",
                requested.plan.words("")
            );
            // A row of each day that the range touches.
            paths += u32::from(requested.plan.path == path);
        }
        assert!(paths > 0, "{key} and {qualifier}: no {path:?}");
    }
}

/// Key, qualifier, how many of the newest cells are wanted, the path, and whether rows are read whole; otherwise as many cells as are wanted.
type NewestCase = (&'static str, &'static str, u32, AccessPath, bool);

#[rustfmt::skip]
const NEWEST: [NewestCase; 8] = [
    ("be1(a) || day", PERIOD, 3, AccessPath::Scan, true),
    ("be1(a) || day", "md5_bytes(be8(ts))", 12, AccessPath::Scan, true),
    ("be1(a) || day", "be1(d + 7) || be4(ts % 86400000)", 9, AccessPath::Scan, true),
    // The newest of a row come first: a reader asks for so many cells.
    ("be1(a) || day", "desc(be4(ts % 86400000))", 9, AccessPath::Scan, false),
    ("be1(a) || desc(be8(trunc(ts, '1d')))", "desc(be4(ts % 86400000))", 1, AccessPath::Scan, false),
    // One wide row, its oldest cell first, its newest first, and more wanted than there are.
    ("be1(a)", "be8(ts)", 5, AccessPath::Get, true),
    ("be1(a)", "desc(be8(ts))", 5, AccessPath::Get, false),
    ("be1(a)", "desc(be8(ts))", 400, AccessPath::Get, false),
];

#[test]
fn the_newest_cells_are_found_in_as_many_rows_as_hold_them() {
    for (key, qualifier, rows, path, is_whole) in NEWEST {
        let cell = compiled(&format!("({key}) || ({qualifier})"));
        let row = compiled(key);
        let mut asked = asked(&[SENSOR], None);
        let field = TS_KNOWN;
        asked.newest = Some(Newest { field, rows });
        for seed in 0..40 {
            let table = table(seed);
            let target = (seed as usize * 37) % ROWS;
            let requested =
                Requested::of_cells(key, qualifier, &asked, &table, table.target(target));
            let own = table.records[target];
            let [rows_of, cells_of] = [&row, &cell].map(|plan| keys(plan, &table));
            // Time, row and cell of each of the sensor's cells, newest first. Cells of one time come together, so a table
            // whose last one wanted is one of several is left out.
            let of_sensor = (0..ROWS).filter(|at| is_sensors(&own, &table.records[*at]));
            let cells = of_sensor.map(|at| (-table.records[at][4], &rows_of[at], &cells_of[at]));
            let cells: Vec<_> = cells.collect::<BTreeSet<_>>().into_iter().collect();
            let wanted = cells.len().min(rows as usize);
            if cells
                .get(wanted)
                .is_some_and(|next| next.0 == cells[wanted - 1].0)
            {
                continue;
            }
            let met: BTreeSet<&Vec<u8>> = cells[..wanted].iter().map(|cell| cell.1).collect();
            let whole = cells.iter().filter(|cell| met.contains(cell.1)).count();
            let read = if is_whole { whole } else { wanted };
            let requests = &requested.requests;
            let found = [
                requests.rows_returned,
                requests.rows_read(),
                requests.cells_returned,
                requests.cells_read(),
            ];
            let expected = [met.len(), met.len(), wanted, read].map(|count| count as f64);
            let differ = found
                .iter()
                .zip(expected)
                .any(|(found, expected)| (found - expected).abs() > 1e-6);
            assert!(
                !differ,
                "{key} and {qualifier}: {found:?} for {expected:?}: {}",
                requested.plan.words("")
            );
            assert_eq!(requested.plan.path, path, "{key} and {qualifier}");
        }
    }
}
