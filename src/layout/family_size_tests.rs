//! Sizes of rows with many cells, against HBase's own files and by arithmetic.

use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::table_size::TableSample;
use super::{Layout, Replicate, StrategySample, TableSize, size_findings, stored_cells};
use crate::random::Seed;
use crate::scenario::Scenario;
use crate::storage::BlockEncoding;
use serde_json::Value;

/// A file without a run to speak of: rows that exist.
fn scenario(text: &str) -> Scenario {
    let time = "[time]\nstart = 2026-01-01T01:00:00Z\nduration = \"2ms\"\nwarmup = \"1ms\"\nsample = \"1ms\"\n";
    let text = format!("{time}{text}");
    Scenario::parse(&text, "cells").unwrap_or_else(|error| panic!("{error}"))
}

fn existing(text: &str) -> TableSize {
    let scenario = scenario(text);
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let size = StrategySample::of(strategy, Default::default, &replicate).size(0.0);
    size.tables.into_iter().next().unwrap()
}

/// `points` of an hour and of each of so many series, as `tests/all/store_files.rs` has 100.
fn opentsdb(series: u32, points: u32, family: &str, write: &str, strategy: &str) -> TableSize {
    let every = 3_600 / points;
    existing(&format!(
        "[field]\nseries = {{ type = \"int\", count = {series} }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
         [existing.points]\neach = [\"series\"]\nevery = \"{every}s\"\nlast = \"1h\"\n{write}\n\
         [family.t]\n{family}\n\
         [strategy.cells]\nkey = \"x'000001' || be4(trunc(ts, '1h')) || x'000001' || be3(series)\"\n{strategy}\n"
    ))
}

const VALUE: &str = "value = { expr = \"be4(1000 + 10 * series + ts % 3600 * 7919 % 50)\" }";
const POINTS: &str = "[write.points]\nrate = \"1/s\"";

fn cells(series: u32, points: u32, family: &str) -> TableSize {
    let qualifier = "qualifier = \"be2(ts % 3600 * 16 + 3)\"";
    opentsdb(
        series,
        points,
        &format!("{VALUE}\n{family}"),
        POINTS,
        qualifier,
    )
}

/// The data blocks of the file that HBase wrote of a table.
fn data_bytes(table: &str, encoding: &str, compression: &str) -> f64 {
    let more = compression == "zstd";
    let text = match more {
        true => include_str!("../../tests/data/hfiles_more.json"),
        false => include_str!("../../tests/data/hfiles.json"),
    };
    let files: Value = serde_json::from_str(text).unwrap();
    let plain = [
        ("table", table),
        ("encoding", encoding),
        ("compression", compression),
        ("bloom", "none"),
        ("mvcc", "zero"),
    ];
    let is_it = |file: &&Value| {
        let words = plain
            .iter()
            .all(|(key, word)| file[key].as_str() == Some(word));
        words && file["block_size"] == 65_536
    };
    let mut found = files["files"].as_array().unwrap().iter().filter(is_it);
    let file = found
        .next()
        .unwrap_or_else(|| panic!("{table} {encoding} {compression}"));
    file["data_bytes"].as_f64().unwrap()
}

/// Complains where a table under some encoding is not as large as HBase's file of it.
fn compare(
    (size, rows): (&TableSize, f64),
    table: &str,
    compression: &str,
    most: f64,
    wrong: &mut Vec<String>,
) {
    for encoding in BlockEncoding::ALL {
        let word = encoding.name().replace('-', "_");
        let (found, expected) = (
            rows * size.under(encoding).row_bytes,
            data_bytes(table, &word, compression),
        );
        let off = found / expected - 1.0;
        if off.abs() > most {
            wrong.push(format!(
                "{table} {word} {compression}: {found} for {expected}, {off:.4}"
            ));
        }
    }
}

#[test]
fn an_hour_of_points_as_cells_weighs_what_hbase_writes() {
    let mut wrong = Vec::new();
    for (compression, most) in [("none", 0.01), ("gz", 0.03), ("zstd", 0.03)] {
        let size = cells(
            100,
            3_600,
            &format!("compression = \"{compression}\"\nbloom = \"none\""),
        );
        // 20 + key 13 + family 1 + qualifier 2 + value 4 = 40 B, 3,600 times; with a byte of mvcc each 147,600 B, and 2.25 blocks of
        // 33 B and five checksums of 4 B: 147,720 B.
        // The run is in the next hour, and a row of it is taken for known.
        assert!((100.0..=101.0).contains(&size.rows()), "{}", size.rows());
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
        assert!(close(size.cells_per_row, 3_600.0), "{}", size.cells_per_row);
        assert_eq!(size.cell_bytes, 40.0);
        assert!(close(size.row_bytes, 144_000.0), "{}", size.row_bytes);
        if compression == "none" {
            let row = size.under(BlockEncoding::None).row_bytes;
            assert!((row - 147_720.0).abs() < 30.0, "{row}");
        }
        compare(
            (&size, 100.0),
            "opentsdb-3600-cells",
            compression,
            most,
            &mut wrong,
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn points_may_be_few_appended_or_compacted() {
    let append = "[write.points]\nrate = \"1/s\"\nkind = \"append\"";
    for points in [60.0, 3_600.0] {
        let size = cells(100, points as u32, "");
        assert!(
            (size.row_bytes / (40.0 * points) - 1.0).abs() < 1e-3,
            "{}",
            size.row_bytes
        );
        // An append adds 2 bytes of offset and 4 of value to the one cell of the row: 20 + 13 + 1 + 3 + 6 a point.
        let size = opentsdb(
            100,
            points as u32,
            "value = { expr = \"be2(ts % 3600 * 16 + 3) || be4(series)\" }",
            append,
            "qualifier = \"x'050000'\"",
        );
        assert_eq!(size.cells_per_row, 1.0);
        // The 101st row takes a hundredth of the writes from each.
        assert!(
            (size.row_bytes / (37.0 + 6.0 * points) - 1.0).abs() < 0.01,
            "appended: {}",
            size.row_bytes
        );
    }
    // Compacted: all qualifiers joined, all values and a byte: 20 + 13 + 1 + 7,200 + 14,401.
    let name = "lpad(series % 10, 7200, 'q')";
    let size = opentsdb(
        100,
        1,
        "value = \"14401B\"",
        POINTS,
        &format!("qualifier = \"{name}\""),
    );
    assert_eq!((size.cells_per_row, size.row_bytes), (1.0, 21_635.0));
}

#[test]
fn rows_of_many_cells_are_told_from_a_few_whole_ones() {
    // 18 million cells of 5,000 rows: 145 of them are made.
    for compression in ["none"] {
        let family = format!("compression = \"{compression}\"");
        let (whole, told) = (cells(100, 3_600, &family), cells(5_000, 3_600, &family));
        assert!(
            (5_000.0..=5_001.0).contains(&told.rows()),
            "{}",
            told.rows()
        );
        // Cells that a hash of the second tells are counted as such (36 % collide) until the key itself tells the second.
        let cells = told.cells_per_row / 3_600.0;
        assert!((0.6..1.01).contains(&cells), "{cells}");
        for encoding in BlockEncoding::ALL {
            let of_cell = |size: &TableSize| size.under(encoding).row_bytes / size.cells_per_row;
            let (found, expected) = (of_cell(&told), of_cell(&whole));
            // Seconds that are missing make qualifiers and times differ in a byte more now and then.
            assert!(
                (found / expected - 1.0).abs() < 0.05,
                "{compression} {encoding:?}: {found} for {expected}"
            );
        }
    }
}

#[test]
fn long_names_weigh_what_hbase_writes() {
    let mut wrong = Vec::new();
    for (table, family, qualifier) in [
        ("names-d", "d", "via"),
        ("names-metrics", "metrics", "myVeryImportantAttribute"),
    ] {
        let size = existing(&format!(
            "[field]\nuser = {{ type = \"int\", count = 1000 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
                 [existing.rows]\neach = [\"user\"]\nevery = \"1h\"\nlast = \"10d\"\n[write.rows]\nrate = \"1/s\"\n\
                 [table]\nqualifiers = [\"{qualifier}\"]\n\
                 [family.{family}]\nbloom = \"none\"\nvalue = {{ expr = \"be8((240 * user + trunc(ts, '1h') / 3600) % 1000)\" }}\n\
                 [strategy.names]\nkey = \"be4(user) || be4(trunc(ts, '1h'))\"\n"
        ));
        assert!(
            (size.rows() / 240_000.0 - 1.0).abs() < 0.01,
            "{}",
            size.rows()
        );
        compare((&size, 240_000.0), table, "none", 0.01, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn versions_and_a_time_to_live_bound_a_table() {
    let table = |family: &str, last: &str| {
        existing(&format!(
            "[field]\nid = {{ type = \"int\", count = 1000 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
             [existing.rows]\neach = [\"id\"]\nevery = \"1h\"\nlast = \"{last}\"\n[write.rows]\nrate = \"1/s\"\n\
             [family.d]\n{family}\n[strategy.rows]\nkey = \"be4(id)\"\n[strategy.times]\nkey = \"be4(ts) || be4(id)\"\n"
        ))
    };
    // 24 writes of each of 1,000 rows, of which three versions stay.
    let kept = |versions: u32| {
        let size = table(&format!("versions = {versions}"), "1d");
        assert_eq!(size.rows(), 1_000.0);
        size.cells_per_row
    };
    assert_eq!([1, 3, 100].map(kept), [1.0, 3.0, 24.0]);
}

/// A KeyValue of 1,000 B under a key of 8 is 1,030 B. Of the value a quarter is chance, which no codec takes back: 250 B; zeros, the key and the times
/// next to nothing, and a Bloom filter 1.2 B.
#[test]
fn a_run_stores_as_many_bytes_on_disk_as_its_family_takes_compressed() {
    let ratio = |family: &str| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 100_000_000 }}\n[write.rows]\nrate = \"1M/s\"\n\
             [family.d]\nvalue = {{ size = \"1000B\", entropy = 0.25 }}\n{family}\n[strategy.rows]\nkey = \"be8(id)\"\n"
        ));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        stored_cells(strategy, &replicate).files[0].disk_ratio
    };
    assert_eq!(ratio(""), 1.0);
    let found = ratio("compression = \"zstd\"");
    assert!((0.245..0.28).contains(&found), "{found}");
}

/// As many regions as the rows of all 96 days made, of 3 MB of KeyValues each: those all of whose rows are older than 30 days and the 3.8 since the last
/// major compaction are empty, behind a salt as well.
#[test]
fn regions_whose_rows_have_all_expired_are_counted() {
    let regions = |key: &str, presplit: &str| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 1_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.rows]\nrate = \"1/s\"\n[existing.rows]\nlast = \"96d\"\nrecords = 768_000\n\
             [family.d]\nttl = \"30d\"\n[table]\nmax_file_size = \"4MB\"\nmemstore_flush_size = \"1MB\"\n{presplit}\n\
             [strategy.rows]\nkey = \"{key}\"\n"
        ));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let layout = Layout::of(strategy, &replicate);
        (layout.regions.len(), layout.expired_regions)
    };
    let buckets = "presplit = { algorithm = \"buckets\" }";
    // 768,000 rows of 135 B: 99 MB, 32 regions of 3.1 MB and 3 days; 62.2 days are 20 of them.
    assert_eq!(regions("be8(ts) || be4(id)", ""), (32, 20));
    // Two salts: 16 regions each, of 6 days: 10 of them.
    assert_eq!(
        regions("be1(random(2)) || be8(ts) || be4(id)", buckets),
        (32, 20)
    );
    // A hash: 35 MB that are there at a time, 16 regions of 2.2 MB.
    assert_eq!(regions("md5_bytes(be4(id) || be8(ts))", ""), (16, 0));
}

/// Rows of 96 days, half of them in a family that forgets after 30: its stores were compacted whole 3.79 days ago on average, so that 33.79 days are there, and
/// the run gets all that the oldest may hold, 40.5 days, to cut each by its own age.
#[test]
fn what_a_time_to_live_leaves_is_cut_once() {
    let existing = |families: &str| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 1_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.a]\nrate = \"1/s\"\nfamily = \"a\"\n[existing.a]\nlast = \"96d\"\nrecords = 400_000\n{families}\n\
             [strategy.rows]\nkey = \"be4(id) || be8(ts)\"\n"
        ));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let size = StrategySample::of(strategy, Default::default, &replicate).size(0.0);
        let rows = Layout::of(strategy, &replicate).run.existing[0].clone();
        let day = 86_400e9;
        let left = |days: f64| {
            let kept = rows
                .written_ns
                .iter()
                .filter(|ns| **ns as f64 >= -days * day);
            kept.count() as f64 / rows.sample.len() as f64
        };
        let whole = rows.bytes as f64;
        // Of 65,536 sampled rows at least 23,000 are left, and their number is known to 0.7 % (one standard error).
        let close = |found: f64, expected: f64| {
            assert!(
                (found / expected - 1.0).abs() < 0.025,
                "{found} for {expected}"
            );
        };
        let sizes = &size.tables[0].families;
        match &rows.family_shares[..] {
            [] => {
                close(whole, sizes[0].chosen().table_bytes * 40.5 / 33.79);
                close(whole * left(33.79), sizes[0].chosen().table_bytes);
                assert!(rows.written_ns.iter().all(|ns| *ns as f64 >= -40.51 * day));
            }
            shares => {
                close(
                    whole * shares[0] * left(33.79),
                    sizes[0].chosen().table_bytes,
                );
                close(whole * shares[1], sizes[1].chosen().table_bytes);
            }
        }
    };
    existing("[family.a]\nttl = \"30d\"");
    existing(
        "[family.a]\nttl = \"30d\"\n[family.b]\n[write.b]\nrate = \"1/s\"\nfamily = \"b\"\n[existing.b]\nlast = \"96d\"\nrecords = 400_000",
    );
}

/// Of a table of 240,000 rows, so many a thing, that is told from 29,000 of them, bytes of a row against the same table encoded whole, by encoding.
fn told_against_whole((of_thing, rows): (u64, &str), key: &str) -> [f64; 4] {
    let things = 240_000 / of_thing;
    let scenario = scenario(&format!(
        "[field]\nid = {{ type = \"int\", count = {things} }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [existing.rows]\n{rows}\nlast = \"{of_thing}m\"\n[write.rows]\nrate = \"1/s\"\n[family.d]\ncompression = \"zstd\"\n\
         value = {{ expr = \"be8(id * 77 + ts / 60000 % 1000)\" }}\n[strategy.rows]\nkey = \"{key}\"\n"
    ));
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let table = KeyedTable::of(strategy, &replicate);
    let size = |rows| TableSample::of(&table, rows, Encodings::All).size(0.0);
    let (whole, told) = (size(usize::MAX), size(29_000));
    assert!(whole.families[0].is_whole && !told.families[0].is_whole);
    BlockEncoding::ALL
        .map(|encoding| told.under(encoding).row_bytes / whole.under(encoding).row_bytes)
}

/// Many rows of a thing in turns, or a few at random. 29,000 rows are 20 blocks; they stand for the table to the 3 % of HBase's own files.
#[test]
fn compressed_rows_of_a_sample_weigh_what_those_of_the_table_do() {
    let mut wrong = Vec::new();
    for shape in [
        (240, "each = [\"id\"]\nevery = \"1m\""),
        (10, "records = 240_000"),
    ] {
        for key in [
            "be4(id) || be8(ts)",
            "be8(ts) || be4(id)",
            "be1(bucket(16, id)) || be8(ts) || be4(id)",
            "md5_bytes(id) || be8(ts)",
            "lpad(id, 10, '0') || '#' || to_char(ts, 'yyyyMMddHHmmss')",
            "md5_bytes(be4(id) || be8(ts))",
        ] {
            let found = told_against_whole(shape, key);
            if found.iter().any(|ratio| (ratio - 1.0).abs() > 0.03) {
                wrong.push(format!("{shape:?} {key}: {found:.3?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tables of a thousand million rows, by five seeds. What their neighbours weigh was measured apart: a program of its own wrote some 100,000 KeyValues that stand side by
/// side, in blocks of 64 KB, and compressed them by zstd 1.5.7 and snappy; of HBase's own files it makes the bytes. Three such pieces differ by 1 %.
#[test]
fn rows_of_a_large_table_weigh_what_neighbours_made_apart_do() {
    let minutes = "[existing.rows]\neach = [\"id\"]\nevery = \"1m\"\nlast = \"1000m\"";
    let value = "{ expr = \"be8(id * 77 + ts / 60000 % 1000)\" }";
    let random = "{ size = \"8B\", entropy = 0.5 }";
    // By encoding: none, prefix, diff, fast-diff.
    let tables = [
        (
            "be4(id) || be8(ts)",
            value,
            "zstd",
            [8.087, 8.704, 5.099, 8.675],
        ),
        (
            "be4(id) || be8(ts)",
            value,
            "snappy",
            [14.560, 13.441, 8.288, 12.296],
        ),
        (
            "lpad(id, 10, '0') || '#' || to_char(ts, 'yyyyMMddHHmmss')",
            value,
            "snappy",
            [13.591, 10.765, 6.061, 9.984],
        ),
        (
            "md5_bytes(id) || be8(ts)",
            value,
            "snappy",
            [14.814, 13.534, 8.385, 12.378],
        ),
        (
            "md5_bytes(be4(id) || be8(ts))",
            random,
            "zstd",
            [23.123, 22.892, 24.515, 24.722],
        ),
        (
            "md5_bytes(be4(id) || be8(ts))",
            random,
            "snappy",
            [30.443, 29.211, 26.836, 27.346],
        ),
    ];
    let mut wrong = Vec::new();
    for (key, value, compression, expected) in tables {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 1_000_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             {minutes}\n[write.rows]\nrate = \"1/s\"\n[family.d]\nvalue = {value}\ncompression = \"{compression}\"\n\
             [strategy.rows]\nkey = \"{key}\"\n"
        ));
        let strategy = &scenario.strategies[0];
        for seed in 1..=5 {
            let replicate = Replicate::new(&strategy.setup, Seed(seed), 0);
            let size = StrategySample::of(strategy, Default::default, &replicate).size(0.0);
            for (encoding, expected) in BlockEncoding::ALL.into_iter().zip(expected) {
                let off = size.tables[0].under(encoding).row_bytes / expected - 1.0;
                if off.abs() > 0.03 {
                    wrong.push(format!(
                        "{key} {compression} {encoding:?} by seed {seed}: {off:.3}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same of cells of rows that cover an hour, 60 or 3,600 in each: in turns, all at the start of their period or each at a time of its own, or at any time. Three
/// pieces of 60 and of 1,500 rows that were made apart differ by 2 %.
#[test]
fn cells_of_hours_weigh_what_cells_made_apart_do() {
    let each = |series: u32, every: &str, write: &str| {
        format!(
            "[field]\nseries = {{ type = \"int\", count = {series} }}\nnoise = {{ type = \"int\", count = 50 }}\n\
             ts = {{ type = \"timestamp\", unit = \"s\" }}\n[existing.points]\nlast = \"24h\"\n{every}\n[write.points]\n{write}\n"
        )
    };
    let rate = "rate = \"1/s\"";
    let aligned = "each = [\"series\"]\nevery = \"60s\"\nphase = \"aligned\"";
    let turns = |every: &str| format!("each = [\"series\"]\nevery = \"{every}\"");
    // By encoding: none, prefix, diff, fast-diff.
    let tables = [
        (
            each(5_000, &turns("1s"), rate),
            "snappy",
            [11.148, 8.700, 4.206, 7.283],
        ),
        (
            each(100_000, &turns("60s"), rate),
            "snappy",
            [13.493, 11.314, 6.258, 9.530],
        ),
        (
            each(100_000, &turns("60s"), rate),
            "zstd",
            [7.685, 6.465, 4.044, 7.408],
        ),
        (
            each(100_000, "", aligned),
            "zstd",
            [2.893, 1.739, 1.695, 2.038],
        ),
        (
            each(100_000, "records = 144_000_000", rate),
            "zstd",
            [9.072, 7.572, 7.173, 7.469],
        ),
    ];
    let mut wrong = Vec::new();
    for (table, compression, expected) in tables {
        let size = existing(&format!(
            "{table}[family.t]\nvalue = {{ expr = \"be4(1000 + 10 * series + noise)\" }}\ncompression = \"{compression}\"\n\
             [strategy.cells]\nkey = \"x'000001' || be4(trunc(ts, '1h')) || x'000001' || be3(series)\"\nqualifier = \"be2(ts % 3600 * 16 + 3)\"\n"
        ));
        for (encoding, expected) in BlockEncoding::ALL.into_iter().zip(expected) {
            let off =
                size.under(encoding).row_bytes / size.families[0].cells_per_row / expected - 1.0;
            if off.abs() > 0.03 {
                wrong.push(format!("{table} {compression} {encoding:?}: {off:.3}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same behind things by Zipf's law, seven rows of the rarest and seven million of the most frequent: 60 pieces of two blocks each around rows of any of them, three times,
/// by which such means differ by 1 %.
#[test]
fn rows_of_unlike_things_weigh_what_rows_made_apart_do() {
    let tables = [
        ("zstd", [18.213, 19.116, 19.664, 19.873]),
        ("snappy", [24.940, 24.379, 21.971, 22.072]),
    ];
    let mut wrong = Vec::new();
    for (compression, expected) in tables {
        let size = existing(&format!(
            "[field]\nid = {{ type = \"int\", count = 1_000_000, distribution = {{ zipf = 1.0 }} }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [existing.rows]\nlast = \"30d\"\nrecords = 100_000_000\n[write.rows]\nrate = \"1/s\"\n\
             [family.d]\nvalue = {{ size = \"20B\", entropy = 0.5 }}\ncompression = \"{compression}\"\n\
             [strategy.rows]\nkey = \"be4(id) || be8(ts)\"\n"
        ));
        for (encoding, expected) in BlockEncoding::ALL.into_iter().zip(expected) {
            let off = size.under(encoding).row_bytes / expected - 1.0;
            if off.abs() > 0.03 {
                wrong.push(format!("{compression} {encoding:?}: {off:.3}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The timestamps of cells have milliseconds also where keys tell seconds: ten random bits of each, 3.5 % of such a table under FAST_DIFF and SNAPPY.
#[test]
fn timestamps_are_finer_than_the_times_of_keys() {
    let size = existing(
        "[field]\nid = { type = \"int\", count = 10_000_000 }\nts = { type = \"timestamp\", unit = \"s\" }\n\
         [existing.rows]\nlast = \"30d\"\nrecords = 100_000_000\n[write.rows]\nrate = \"1/s\"\n\
         [family.d]\nvalue = { size = \"20B\", entropy = 0.5 }\ncompression = \"snappy\"\n\
         [strategy.rows]\nkey = \"be4(id) || be4(ts)\"\n",
    );
    let found = size.under(BlockEncoding::FastDiff).row_bytes;
    assert!((found / 24.026 - 1.0).abs() < 0.01, "{found}");
}

/// 20 + 4 + 1 + 1 + 100 B.
#[test]
fn rows_of_a_table_that_a_run_only_deletes_from_are_puts() {
    let size = existing(
        "[field]\nid = { type = \"int\", count = 1000 }\n[existing.rows]\neach = [\"id\"]\n\
         [write.gone]\nkind = \"delete\"\nrate = \"1/s\"\n[family.d]\nvalue = \"100B\"\n[strategy.rows]\nkey = \"be4(id)\"\n",
    );
    assert_eq!(size.row_bytes, 126.0);
}

/// 300 x 1,000 rows of 3,600 cells of 41 B, mvcc number included: 1,599 of them are the first to reach 64 KB, so that nearly each block begins within a row and its entry says the
/// whole of it: 12 + 4 of place, 2 + 13 of the row, 1 + 1 of the family, 8 + 1 of time and type, and one or two of a qualifier that separates it from the cell before: 43 or 44 B.
/// Blocks of the index, and the levels above them, add less than 1 %.
#[test]
fn entries_of_blocks_that_begin_within_a_row_say_the_whole_row() {
    let size = existing(
        "[field]\nmetric = { type = \"int\", count = 300 }\nhost = { type = \"int\", count = 1000 }\nts = { type = \"timestamp\", unit = \"s\" }\n\
         [existing.points]\neach = [\"metric\", \"host\"]\nevery = \"1s\"\nlast = \"1h\"\n[write.points]\nrate = \"1/s\"\n\
         [family.t]\nvalue = \"4B\"\n\
         [strategy.cells]\nkey = \"be3(metric) || be4(trunc(ts, '1h')) || x'000001' || be3(host)\"\nqualifier = \"be2(ts % 3600 * 16)\"\n",
    );
    let blocks = size.cells() / 1_599.0;
    let entry = size.chosen.block_index_bytes / blocks;
    assert!((43.0..44.5).contains(&entry), "{entry}");
}

/// A counter is a long, 20 + 4 of the key + 1 + 1 + 8 = 34 B; an appended cell 20 + 4 + 1 + 1 + 3,600 x 8 B, and a put one of its 3,600 versions of 8. In a memstore increments and
/// appends replace what was there but for the last value before theirs, so that the heap of two cells, 72 B more each and rounded up to 8, is filled by all of them together.
#[test]
fn counters_and_appended_cells_are_two_cells_of_a_memstore() {
    let told = |kind: &str, value: &str| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 1000 }}\n[write.rows]\nrate = \"1/s\"\nkind = \"{kind}\"\n\
             [existing.rows]\neach = [\"id\"]\nevery = \"1s\"\nlast = \"1h\"\n[family.d]\nvalue = \"{value}\"\n\
             [strategy.rows]\nkey = \"be4(id)\"\n"
        ));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let size = StrategySample::of(strategy, Default::default, &replicate).size(0.0);
        (size.tables[0].row_bytes, size.memstore.writes_per_flush)
    };
    let flush = |heap: f64| 134_217_728.0 / heap;
    for (kind, value, row, heap) in [
        ("put", "8B", 34.0, 112.0),
        ("increment", "100B", 34.0, 2.0 * 112.0 / 3_600.0),
        ("append", "8B", 26.0 + 28_800.0, 2.0 * 28_904.0 / 3_600.0),
    ] {
        let (row_bytes, writes) = told(kind, value);
        // A write of the run is a 3,600,000th more.
        assert!((row_bytes / row - 1.0).abs() < 1e-4, "{kind}: {row_bytes}");
        assert!(
            (writes / flush(heap) - 1.0).abs() < 1e-4,
            "{kind}: {writes}"
        );
    }
}

/// A write a second on each cell, for ten seconds.
#[test]
fn only_what_more_writes_fall_on_than_a_family_keeps_is_lost() {
    let family = |name: &str, versions: u32, seconds: u32| {
        format!(
            "[family.{name}]\nversions = {versions}\n[write.{name}]\nrate = \"1/s\"\nfamily = \"{name}\"\n\
             [existing.{name}]\neach = [\"id\"]\nevery = \"1s\"\nlast = \"{seconds}s\"\n"
        )
    };
    let lost = |families: &[String]| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 2000 }}\n{}[strategy.rows]\nkey = \"be4(id)\"\n",
            families.concat()
        ));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let size = StrategySample::of(strategy, Default::default, &replicate).planned_size();
        let found = size_findings(&[size]).into_iter();
        found
            .filter(|text| text.contains("fall on each cell"))
            .collect::<String>()
    };
    assert_eq!(lost(&[family("a", 30, 10)]), "");
    assert_eq!(lost(&[family("a", 10, 10)]), "");
    let told = lost(&[family("a", 3, 10)]);
    assert!(
        told.contains("10 writes fall on each cell, and only the newest 3 are kept"),
        "{told}"
    );
    let told = lost(&[family("a", 9, 10), family("b", 30, 20)]);
    let of_a = "10 writes fall on each cell of family `a`, and only the newest 9 are kept";
    assert!(told.contains(of_a), "{told}");
}

/// Twenty rows, to each of which 10 puts of 500 B and 40 appends of 30 B fall. In cells of their own a put leaves 20 + 4 + 1 + 3 + 500 = 528 B, and the appends 28 + 40 x 30 = 1,228 B.
/// By the hour the puts of 100 hours are in 2,000 rows, those appended of the last one in 20 of them: 528 + 4 + 20 / 2,000 x 1,232 B. In one cell, 20 times each in the run, a put begins a
/// value anew: of its 30 B, as both write here, and one time 30 B. An append of the run writes the 40 of before and its own, by the hour its own alone, and in one cell that of the put before
/// it, of one append that came since on average, and its own.
#[test]
fn only_cells_that_are_appended_to_grow_and_only_by_what_is_appended() {
    let told = |cells: [&str; 2], rate: &str, existing: &str, key: &str| {
        let scenario = scenario(&format!(
            "[field]\nid = {{ type = \"int\", count = 20 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
             [write.doc]\nrate = \"{rate}\"\ncells = {{ {} }}\n\
             [write.event]\nrate = \"{rate}\"\nkind = \"append\"\ncells = {{ {} = \"30B\" }}\n\
             {existing}[strategy.rows]\nkey = \"{key}\"\n",
            cells[0], cells[1]
        ));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let size = StrategySample::of(strategy, Default::default, &replicate).planned_size();
        let appended = stored_cells(strategy, &replicate).values[1].written();
        (size.tables[0].row_bytes, appended)
    };
    let before = |puts: u32| {
        format!(
            "[existing.doc]\nrecords = {puts}\nlast = \"100h\"\n[existing.event]\nrecords = 800\nlast = \"1h\"\n"
        )
    };
    let hour = "be4(id) || be4(trunc(ts, '1h'))";
    for (cells, rate, existing, key, row, values) in [
        (
            ["doc = \"500B\"", "log"],
            "0.1/s",
            before(200),
            "be4(id)",
            528.0 + 1_228.0,
            41.0,
        ),
        (
            ["doc = \"500B\"", "log"],
            "0.1/s",
            before(200_000),
            hour,
            532.0 + 0.01 * 1_232.0,
            1.0,
        ),
        (
            ["log = \"30B\"", "log"],
            "200k/s",
            String::new(),
            "be4(id)",
            28.0 + 60.0,
            3.0,
        ),
    ] {
        let (bytes, appended) = told(cells, rate, &existing, key);
        // The write of the run is in the next hour: a row more of 20.
        assert!((bytes / row - 1.0).abs() < 0.05, "{key} {cells:?}: {bytes}");
        assert!(
            (appended / values - 1.0).abs() < 0.05,
            "{key} {cells:?}: {appended}"
        );
    }
}

/// Twenty cells of 3,540 points each by the second get 60 more: the k-th of them writes 3,540 + k, 3,570.5 on average. A run that begins half an hour after the last cell did
/// finds 1,800 points in it, however many the one before has. Of 2,000 writes of the run that fall on 20 documents as chance has it, 900 on each of two and 11.1 on each of eighteen, one
/// finds half of those of its own: 0.9 x 450 + 0.1 x 5.56 = 405.6.
#[test]
fn an_append_writes_all_that_it_finds_in_its_own_cell() {
    let seconds = "each = [\"id\"]\nevery = \"1s\"\n";
    let hour = "be4(trunc(ts, '1h')) || be4(id)";
    let skewed = ", distribution = { hotspot = { keys = 0.1, load = 0.9 } }";
    for (start, field, load, existing, key, right) in [
        (
            "00:59",
            "",
            seconds,
            "[existing.point]\nlast = \"59m\"",
            hour,
            3_570.5,
        ),
        (
            "01:30",
            "",
            seconds,
            "[existing.point]\nlast = \"90m\"",
            hour,
            1_830.5,
        ),
        (
            "01:30",
            "",
            seconds,
            "[existing.point]\nlast = \"90m\"",
            "be4(id)",
            5_430.5,
        ),
        ("00:00", skewed, "rate = \"33.33/s\"", "", "be4(id)", 406.6),
    ] {
        let text = format!(
            "[time]\nstart = 2026-01-01T{start}:00Z\nduration = \"60s\"\nwarmup = \"10s\"\nsample = \"10s\"\n[field]\nid = {{ type = \"int\", count = 20{field} }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
             [write.point]\nkind = \"append\"\n{load}\n{existing}\n[strategy.rows]\nkey = \"{key}\"\n"
        );
        let scenario = Scenario::parse(&text, "cells").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let written = stored_cells(strategy, &replicate).values[0].written();
        // Classes of values are as near.
        assert!(
            (written / right - 1.0).abs() < 0.005,
            "{start} {key}: {written}, {right}"
        );
    }
}

/// Of 200,000 rows a tenth has 900,000 of a million writes, 45 each, and keeps as many versions of all as there may be. On each of the others a Poisson number of
/// them falls, 0.5556 on average: none on 57.375 % of the rows, one on 31.875 %, two on 8.854 %. 42.625 of 100 are there, with 2 x 42.625 - 31.875 = 53.37 writes
/// where two are kept, and with 3 x 42.625 - 2 x 31.875 - 8.854 = 55.27 where three are. Rows that have their turns are written six times each.
#[test]
fn versions_are_kept_of_each_cell_not_of_the_mean_one() {
    let skewed = "distribution = { hotspot = { keys = 0.1, load = 0.9 } }";
    let drawn = "records = 1_000_000";
    let turns = "each = [\"id\"]\nevery = \"10m\"\nlast = \"1h\"";
    let cold = 180_000.0;
    let rows = 20_000.0 + 0.426_247 * cold;
    for (field, rows_before, versions, right) in [
        (skewed, drawn, 2, (40_000.0 + 0.533_741 * cold) / rows),
        (skewed, drawn, 3, (60_000.0 + 0.552_693 * cold) / rows),
        ("first = 1", turns, 4, 4.0),
        ("first = 1", turns, 9, 6.0),
    ] {
        let size = existing(&format!(
            "[field]\nid = {{ type = \"int\", count = 200_000, {field} }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
             [write.w]\nrate = \"1/s\"\ncells = {{ n = \"8B\" }}\n[existing.w]\n{rows_before}\n\
             [family.d]\nversions = {versions}\n[strategy.rows]\nkey = \"be4(id)\"\n"
        ));
        let kept = size.families[0].cells_per_row;
        // A million draws scatter by a thousandth; classes of values are as near.
        assert!(
            (kept / right - 1.0).abs() < 0.005,
            "{field} {versions}: {kept}, {right}"
        );
    }
}
