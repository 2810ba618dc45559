//! What a family's Bloom filter spares a Get that nothing in memory serves: of a row that is not there, and of a column that its row has not.

use keyheat::experiment::Experiment;
use keyheat::scenario::Scenario;

/// Milliseconds that a Get of a point from four salts takes under filters of none, rows, rows with qualifiers.
///
/// 0.25 ms to the server and as much back, 1 ms each of four Gets, and 4 ms of disk for each that passes the filter; nothing waits, and no other time is
/// drawn. (Rows of a scan take long, so that no scan of the table is cheaper.) 50 reads a second for 10 s; of each at most four blocks are read by chance, each with 1/4: a standard error of 4 ms sqrt(4 x 3/16 / 500) = 0.155 ms.
fn milliseconds(key: &str, rest: &str) -> [f64; 3] {
    let scenario = Scenario::parse(
        &format!(
            "replicates = 1\n[time]\nstart = 2026-01-01T00:30:00Z\nduration = \"11s\"\nwarmup = \"1s\"\nsample = \"1s\"\n\
             [cluster]\nservers = 1\nservice = {{ distribution = \"constant\", get = \"1ms\", scan_row = \"10us\", scan_cell = \"0us\", cache_hit = 0.0, disk_read = \"4ms\" }}\n\
             [field]\nsensor = {{ type = \"int\", count = 2000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.points]\neach = [\"sensor\"]\nevery = \"1s\"\n[existing.points]\nlast = \"25m\"\n\
             [read.point]\nequal = [\"sensor\", \"ts\"]\nrate = \"50/s\"\n\
             [family.d]\nvalue = \"8B\"\n[sweep]\nfamily.d.bloom = [\"none\", \"row\", \"rowcol\"]\n\
             [table]\npresplit = {{ algorithm = \"none\" }}\n[strategy.salted]\nkey = \"be1(random(4)) || {key}\"\n{rest}\n"
        ),
        "filters",
    );
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let results = Experiment::new(&scenario).run(|_| {});
    let times = results.strategies.iter().map(|point| {
        let measured = point.measure("read.point.response_ms.mean");
        measured.and_then(|it| it.mean).unwrap()
    });
    times.collect::<Vec<_>>().try_into().unwrap()
}

#[track_caller]
fn assert_close(found: [f64; 3], expected: [f64; 3]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(
            (found - expected).abs() < 4.0 * 0.155,
            "{found}, expected {expected}"
        );
    }
}

const ALL: f64 = 0.5 + 4.0 + 4.0 * 4.0;
const ONE: f64 = 0.5 + 4.0 + 4.0;

/// All four salts have a row of the hour, and one of them the point: a filter of rows lets all Gets pass, one of columns one of them.
#[test]
fn a_get_of_a_column_that_its_row_has_not_passes_a_filter_of_rows_and_not_one_of_columns() {
    let found = milliseconds(
        "be4(sensor) || be8(trunc(ts, '1h'))",
        "qualifier = \"be4(ts % 3600000)\"",
    );
    assert_close(found, [ALL, ALL, ONE]);
}

/// One of four rows is there. A Get of a whole row names no column, so that a filter of columns knows nothing of it.
#[test]
fn a_get_of_a_row_that_is_not_there_passes_a_filter_of_columns_and_not_one_of_rows() {
    let found = milliseconds("be4(sensor) || be8(ts)", "");
    assert_close(found, [ALL, ONE, ALL]);
}
