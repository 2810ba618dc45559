//! Reads of rows of many cells, beside the same reads of a key under which each of these cells is a row: as many cells are read and wanted of the one as rows of
//! the other, where a server may stop within a row.

use keyheat::layout::{Layout, Replicate};
use keyheat::query::Expected;
use keyheat::scenario::Scenario;

/// What is expected of the only read of a table that starts at noon, under each of the keys.
fn expected<const KEYS: usize>(table: &str, read: &str, keys: [&str; KEYS]) -> [Expected; KEYS] {
    let strategies = keys.iter().zip(["a", "b", "c"]);
    let strategies = strategies.map(|(key, name)| format!("[strategy.{name}]\nkey = {key}\n"));
    let text = format!(
        "[time]\nstart = 2026-01-01T12:00:00Z\nduration = \"10s\"\n{table}\n[read.r]\n{read}\n\
         [table]\nsplit_policy = \"disabled\"\n{}",
        strategies.collect::<String>()
    );
    let scenario = Scenario::parse(&text, "wide").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    std::array::from_fn(|at| {
        let layout = Layout::of(&scenario.strategies[at], &firsts[at]);
        layout.reads[0].planned.plan.expected
    })
}

/// Twenty devices of four kinds with a reading every ten seconds each, for sixty days: 518,400 readings, of them 4,320 today.
fn devices(kind: &str) -> String {
    devices_of(kind, 60)
}

/// The same of so many days.
fn devices_of(kind: &str, days: u32) -> String {
    format!(
        "[field]\ndev = {{ type = \"int\", count = 20 }}\nkind = {{ type = \"int\", count = 4{kind} }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.put]\nrate = \"2/s\"\n[existing.put]\nlast = \"{days}d\""
    )
}

const ROWS: &str = "\"be4(dev) || be8(rev_ts(ts))\"";
const NEWEST_FIRST: &str =
    "\"be4(dev) || desc(be4(trunc(ts, '1d') / 1000))\"\nqualifier = \"desc(be4(ts % 86400000))\"";
const OLDEST_FIRST: &str =
    "\"be4(dev) || desc(be4(trunc(ts, '1d') / 1000))\"\nqualifier = \"be4(ts % 86400000)\"";

#[test]
fn each_scan_reads_its_own_newest_cells_and_those_that_it_filters_out() {
    let newest = "newest = { field = \"ts\", rows = 10 }";
    // Scans of ten cells each, of which every fourth is of the kind where one is asked for.
    for (known, cells, rows) in [
        ("", 200.0, 20.0),
        ("in = { dev = 5 }", 50.0, 5.0),
        ("equal = [\"dev\"]", 10.0, 1.0),
        ("equal = [\"dev\", \"kind\"]", 40.0, 1.0),
        ("equal = [\"kind\"]", 800.0, 20.0),
    ] {
        let read = format!("{known}\n{newest}");
        let keys = [ROWS, NEWEST_FIRST, OLDEST_FIRST];
        let [single, first, last] = expected(&devices(""), &read, keys);
        // That a reading is known to be there is 1 of 518,400 at least.
        for found in [single.rows_read, first.cells_read] {
            assert!((found / cells - 1.0).abs() < 1e-3, "{known}: {found}");
        }
        // The rest of today's rows is read, those of the run's ten seconds and the known one included.
        let found = last.cells_read / rows - 4_320.0;
        assert!((0.0..2.1).contains(&found), "{known}: {found}");
        assert!((last.rows_read - rows).abs() < 0.01, "{known}");
    }
}

#[test]
fn a_scan_of_wide_rows_reads_as_many_cells_of_each_as_are_asked_for() {
    // Of a thing's three rows of 333 cells each it reads 30 for ten where the newest come first, and all of them where the oldest do.
    let table = "[field]\nthing = { type = \"int\", count = 100 }\npart = { type = \"int\", count = 3 }\n\
                 ts = { type = \"timestamp\", unit = \"ms\" }\n[existing.w]\nrecords = 100_000\nlast = \"10000s\"";
    let found = expected(
        table,
        "equal = [\"thing\"]\nnewest = { field = \"ts\", rows = 10 }",
        [
            "\"be4(thing) || be1(part)\"\nqualifier = \"be8(rev_ts(ts))\"",
            "\"be4(thing) || be1(part)\"\nqualifier = \"be8(ts)\"",
        ],
    );
    // One scan of 1.2 ms, 1 us a row and 0.25 us a further cell, and 20 us to find the row behind each of the three.
    for (found, cells, seconds) in [
        (found[0], 30.0, 1.2e-3 + 3e-6 + 27.0 * 0.25e-6 + 3.0 * 20e-6),
        (found[1], 1_001.0, 1.2e-3 + 3e-6 + 998.0 * 0.25e-6),
    ] {
        assert_eq!(found.requests, 1.0);
        assert!((found.rows_read - 3.0).abs() < 0.01, "{found:?}");
        assert!((found.cells_read / cells - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.seconds / seconds - 1.0).abs() < 0.01, "{found:?}");
    }
}

#[test]
fn all_rows_are_sought_where_there_are_few_of_them() {
    // Twenty scans of today's rows take 20 x 1.2 ms and 20 x 9 further cells; one of all rows 1.2 ms, and of each 1 us, nine further cells, and 20 us to find the next one:
    // the sooner up to 980 rows, which are those of 49 days.
    let read = "newest = { field = \"ts\", rows = 10 }";
    for (days, requests) in [(45, 1.0), (53, 20.0)] {
        let [found] = expected(&devices_of("", days), read, [NEWEST_FIRST]);
        assert_eq!(found.requests, requests, "{days}: {found:?}");
        let rows = if requests > 1.0 {
            20.0
        } else {
            20.0 * f64::from(days + 1)
        };
        assert!((found.rows_read / rows - 1.0).abs() < 0.01, "{found:?}");
        assert!(
            (found.cells_read / (10.0 * rows) - 1.0).abs() < 0.01,
            "{found:?}"
        );
    }
}

#[test]
fn rows_without_a_wanted_cell_are_read_to_their_end() {
    let read = "equal = [\"kind\"]\nnewest = { field = \"ts\", rows = 10 }";
    let keys = [ROWS, NEWEST_FIRST, OLDEST_FIRST];
    let [single, first, last] = expected(&devices(", of = \"dev\""), read, keys);
    // A device of another kind has 518,400 rows, one of the kind ten that are read; the run adds one at most.
    let of_kind = (20.0 - single.rows_read / 518_400.0) / (1.0 - 10.0 / 518_400.0);
    assert!((1.0..20.0).contains(&of_kind), "{of_kind}");
    let close = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    };
    close(first.cells_read, single.rows_read);
    close(last.cells_read, single.rows_read + of_kind * 4_310.0);
}

#[test]
fn pages_read_rows_whole_whatever_they_filter_out() {
    // Rows of an hour, in no order of time within it: a fourth of the 100 cells a page by offset reads are of the kind.
    let table = "[field]\nacct = { type = \"int\", count = 50 }\nkind = { type = \"int\", count = 4 }\nseq = { type = \"sequence\" }\n\
                 ts = { type = \"timestamp\", unit = \"ms\" }\n[write.put]\nrate = \"5/s\"\n[existing.put]\nlast = \"2d\"";
    let read = "equal = [\"acct\", \"kind\"]\npage = { field = \"ts\", size = 20, number = 5, via = \"offset\" }";
    let [rows, cells] = expected(
        table,
        read,
        [
            "\"be4(acct) || be8(trunc(ts, '1h')) || be8(seq)\"",
            "\"be4(acct) || be8(trunc(ts, '1h'))\"\nqualifier = \"be8(seq)\"",
        ],
    );
    // Two hours of 360 cells, and what the hour has so far: at most one, and the known one.
    for found in [rows.rows_read, cells.cells_read] {
        assert!((720.0..=722.0).contains(&found), "{found}");
    }
}

#[test]
fn cells_of_a_list_are_wanted_wherever_they_lie() {
    let table = "[field]\nsrc = { type = \"int\", count = 200, distribution = { zipf = 0.8 } }\n\
                 dst = { type = \"int\", count = 200, distribution = { zipf = 0.8 } }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                 [write.edge]\nrate = \"20/s\"\n[existing.edge]\nrecords = 10_000\nlast = \"500s\"";
    let keys = [
        "\"be4(src) || be4(dst)\"",
        "\"be4(src)\"\nqualifier = \"be4(dst)\"",
    ];
    for values in ["20", "\"all\""] {
        let read = format!("equal = [\"src\"]\nin = {{ dst = {values} }}");
        let [rows, cells] = expected(table, &read, keys);
        // One row, and the same of it.
        assert!((cells.rows_read - 1.0).abs() < 1e-6);
        let (found, wanted) = (cells.cells_returned, rows.rows_returned);
        assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
        assert!(found > 5.0, "{found}");
    }
}

#[test]
fn the_newest_cells_lie_in_as_many_rows_as_so_many_draws_meet() {
    // All of a device's cells in a row, and a row for each of its four kinds.
    let keys = [
        "\"be4(dev)\"\nqualifier = \"be8(rev_ts(ts))\"",
        "\"be4(dev) || be4(kind)\"\nqualifier = \"be8(rev_ts(ts))\"",
    ];
    for newest in [1, 2, 3, 10] {
        let read = format!("equal = [\"dev\"]\nnewest = {{ field = \"ts\", rows = {newest} }}");
        let [one, four] = expected(&devices(""), &read, keys);
        let missed: f64 = (0..newest).map(|_| 0.75).product();
        for (found, rows) in [(one, 1.0), (four, 4.0 * (1.0 - missed))] {
            assert!(
                (found.rows_returned / rows - 1.0).abs() < 5e-3,
                "{newest}: {found:?}"
            );
            assert!((found.cells_returned / f64::from(newest) - 1.0).abs() < 1e-9);
        }
    }
}
