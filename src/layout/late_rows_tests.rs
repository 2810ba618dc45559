//! Rows of keys that tell parts of times of which some are late: as few as whole times make, where no part comes again.

use super::Replicate;
use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::table_size::TableSample;
use crate::scenario::Scenario;

/// Rows from before a run of three seconds with 4,000 writes each, and those that it adds: a fifth of the writes is up to half a minute late.
fn rows(key: &str) -> [f64; 2] {
    let text = format!(
        "[time]\nduration = \"3s\"\n\
         [field]\nts = {{ type = \"timestamp\", unit = \"ms\", late = {{ fraction = 0.2, up_to = \"30s\" }} }}\n\
         [write.w]\nrate = \"4k/s\"\n[existing.w]\nlast = \"20s\"\n[strategy.s]\nkey = \"{key}\"\n"
    );
    let scenario = Scenario::parse(&text, "late").unwrap_or_else(|error| panic!("{error}"));
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let table = KeyedTable::of(strategy, &replicate);
    let size = TableSample::of(&table, 1_024, Encodings::Own).size(12_000.0);
    [size.existing_rows, size.written_rows]
}

#[test]
fn parts_of_late_times_that_do_not_come_again_make_the_rows_of_whole_times() {
    let near = |[old, new]: [f64; 2], [whole, run]: [f64; 2], key: &str| {
        assert!((old / whole - 1.0).abs() < 1e-6, "{key}: {old} {whole}");
        assert!((new / run - 1.0).abs() < 1e-6, "{key}: {new} {run}");
    };
    // Exported writes of a seed have 28,556 different times before the run, and 3,269 more in it. Of such a number the root of it is one standard deviation at most.
    let whole = rows("be8(ts)");
    assert!(
        (28_556.0 - 3.0 * 169.0..28_556.0 + 3.0 * 169.0).contains(&whole[0]),
        "{whole:?}"
    );
    assert!(
        (3_269.0 - 3.0 * 57.0..3_269.0 + 3.0 * 57.0).contains(&whole[1]),
        "{whole:?}"
    );
    for key in [
        "be4(ts % 600000)",
        "be4(murmur3(ts))",
        "right(text(ts), 6)",
        "to_char(ts, 'HHmmssSSS')",
        "be1(pmod(murmur3(ts), 4)) || be4(ts % 600000)",
    ] {
        near(rows(key), whole, key);
    }
    let seconds = rows("be8(ts / 1000)");
    for key in ["be4(ts % 600000 / 1000)", "to_char(ts, 'HHmmss')"] {
        near(rows(key), seconds, key);
    }
}
