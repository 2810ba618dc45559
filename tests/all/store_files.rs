//! Store files and mutations that HBase itself wrote: `data/hfiles.json` says how each was made; `data/hfiles_more.json` adds Zstandard, and Bloom
//! filters under compression.

use keyheat::storage::{
    BlockEncoding, Bloom, Cell, CellType, Compression, FileFormat, Mutation, RowSize, StoreFile,
    StoreFileSize, Value as CellValue, block_index,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// 2026-01-01T00:00:00Z in seconds.
const HOUR: u64 = 1_767_225_600;

/// A cell with its own bytes.
struct Stored {
    row: Vec<u8>,
    qualifier: Vec<u8>,
    seconds: u64,
    kind: CellType,
    value: Vec<u8>,
}

fn put(row: Vec<u8>, qualifier: Vec<u8>, seconds: u64, value: Vec<u8>) -> Stored {
    Stored {
        row,
        qualifier,
        seconds,
        kind: CellType::Put,
        value,
    }
}

/// The lowest `bytes` bytes, highest first.
fn be(number: u64, bytes: usize) -> Vec<u8> {
    number.to_be_bytes()[8 - bytes..].to_vec()
}

/// OpenTSDB's cells of 100 series in an hour.
fn points(points: u64) -> Vec<Vec<Stored>> {
    let row = |series| [be(1, 3), be(HOUR, 4), be(1, 3), be(series, 3)].concat();
    let point = |series: u64, i: u64| {
        let second = 3_600 / points * i;
        let value = be(1_000 + 10 * series + 7_919 * i % 50, 4);
        put(row(series), be(second << 4 | 3, 2), HOUR + second, value)
    };
    let series = 0..100u64;
    series
        .map(|series| (0..points).map(|i| point(series, i)).collect())
        .collect()
}

/// What OpenTSDB's compaction makes of a row.
fn compacted(row: &[Stored]) -> Stored {
    let joined = |part: fn(&Stored) -> &Vec<u8>| row.iter().flat_map(part).copied().collect();
    let mut value: Vec<u8> = joined(|cell| &cell.value);
    value.push(0);
    let qualifier = joined(|cell| &cell.qualifier);
    put(row[0].row.clone(), qualifier, HOUR + 3_599, value)
}

fn names(qualifier: &str) -> Vec<Stored> {
    let cell = |n: u64| {
        let seconds = HOUR + 3_600 * (n % 240);
        let row = [be(n / 240, 4), be(seconds, 4)].concat();
        put(row, qualifier.into(), seconds, be(n % 1_000, 8))
    };
    (0..240_000).map(cell).collect()
}

fn tombstones() -> Vec<Stored> {
    let mut cells = Vec::new();
    for row in 0..10_000 {
        let deletes = [(CellType::DeleteFamily, ""), (CellType::DeleteColumn, "q")];
        if let Some(&(kind, qualifier)) = deletes.get(row as usize % 10) {
            let marker = put(be(row, 8), qualifier.into(), HOUR + 9, Vec::new());
            cells.push(Stored { kind, ..marker });
        }
        let version = |v| put(be(row, 8), b"q".to_vec(), HOUR + v, be(3 * row + v, 8));
        cells.extend([3, 2, 1].map(version));
    }
    cells
}

/// Family and cells of a table.
fn table(name: &str) -> (&'static str, Vec<Stored>) {
    let whole = |rows: Vec<Vec<Stored>>| rows.into_iter().flatten().collect();
    let joined = |rows: Vec<Vec<Stored>>| rows.iter().map(|row| compacted(row)).collect();
    match name {
        "opentsdb-3600-cells" => ("t", whole(points(3_600))),
        "opentsdb-3600-compacted" => ("t", joined(points(3_600))),
        "opentsdb-60-cells" => ("t", whole(points(60))),
        "opentsdb-60-compacted" => ("t", joined(points(60))),
        "names-d" => ("d", names("via")),
        "names-metrics" => ("metrics", names("myVeryImportantAttribute")),
        "versions-and-tombstones" => ("d", tombstones()),
        other => panic!("{other}"),
    }
}

fn write(format: FileFormat<'_>, cells: &[Stored], mvcc: impl Fn(u64) -> u64) -> StoreFileSize {
    let cells = (1..).zip(cells).map(|(number, cell)| Cell {
        kind: cell.kind,
        mvcc: mvcc(number),
        ..Cell::put(
            &cell.row,
            &cell.qualifier,
            1_000 * cell.seconds,
            CellValue::Bytes(&cell.value),
        )
    });
    StoreFile::of(format, cells)
}

fn vectors(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn hbase() -> Value {
    vectors(include_str!("../data/hfiles.json"))
}

fn number(case: &Value, name: &str) -> u64 {
    case[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name} of {case}"))
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} of {case}"))
}

fn word(words: &[&str], case: &Value, name: &str) -> usize {
    let word = text(case, name).replace('_', "-");
    words.iter().position(|it| *it == word).unwrap()
}

/// Compares a file in all that its trailer says; returns how far its length is off.
fn difference(case: &Value, family: &str, cells: &[Stored]) -> f64 {
    let format = FileFormat {
        family,
        encoding: BlockEncoding::ALL[word(BlockEncoding::WORDS, case, "encoding")],
        compression: Compression::ALL[word(Compression::WORDS, case, "compression")],
        bloom: Bloom::ALL[word(Bloom::WORDS, case, "bloom")],
        block_size: number(case, "block_size"),
    };
    let mvcc = text(case, "mvcc");
    let size = write(format, cells, |number| match mvcc {
        "zero" => 0,
        "counting" => number,
        _ => 1_000_000_000 + number,
    });
    let plain = [
        (size.cells, "cells"),
        (size.uncompressed_bytes, "uncompressed_bytes"),
        (size.index_content_bytes, "index_bytes"),
        (size.index_entries, "index_entries"),
        (u64::from(size.index_levels), "index_levels"),
    ];
    for (found, name) in plain {
        assert_eq!(found, number(case, name), "{name} of {case}");
    }
    let off = |found: u64, name: &str| found as f64 / number(case, name) as f64 - 1.0;
    let file = off(size.file_bytes, "file_bytes");
    let data = off(size.load_on_open, "data_bytes");
    let most = match format.compression {
        Compression::None => 0.0,
        // Written by other releases of the same codecs; Snappy by another program, which looks for matches as the original does.
        Compression::Lz4 | Compression::Gz => 0.002,
        Compression::Zstd => 0.004,
        Compression::Snappy => 0.008,
    };
    assert!(
        file.abs() <= most && data.abs() <= most,
        "{file:+.5}, {data:+.5}: {case}"
    );
    file
}

/// Number of files; the worst of each compression.
fn compare(files: &Value) -> (usize, BTreeMap<String, f64>) {
    let files = files["files"].as_array().unwrap();
    let mut tables: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for case in files {
        tables.entry(text(case, "table")).or_default().push(case);
    }
    let mut worst: BTreeMap<String, f64> = BTreeMap::new();
    std::thread::scope(|scope| {
        let compared = tables.iter().map(|(name, cases)| {
            scope.spawn(move || {
                let (family, cells) = table(name);
                let off = |case: &&Value| {
                    let compression = text(case, "compression").to_owned();
                    (compression, difference(case, family, &cells))
                };
                cases.iter().map(off).collect::<Vec<_>>()
            })
        });
        for compared in compared.collect::<Vec<_>>() {
            for (compression, off) in compared.join().unwrap() {
                let worst = worst.entry(compression).or_default();
                *worst = worst.max(off.abs());
            }
        }
    });
    (files.len(), worst)
}

#[test]
fn store_files_weigh_what_hbase_wrote() {
    let (files, worst) = compare(&hbase());
    assert_eq!(files, 80);
    assert_eq!(worst["none"], 0.0);
}

#[test]
fn store_files_of_zstandard_and_of_filters_weigh_what_hbase_wrote() {
    let (files, worst) = compare(&vectors(include_str!("../data/hfiles_more.json")));
    assert_eq!(files, 57);
    assert!(worst["zstd"] > 0.0);
}

/// 3,600 points of one series and hour, by the arithmetic of KeyValues.
#[test]
fn an_hour_of_points_takes_144_kb_as_cells_and_22_kb_compacted() {
    let row = points(3_600).swap_remove(0);
    let size = RowSize::new(1, ["qq"], 4);
    let key_values = 3_600 * size.cells(13);
    assert_eq!(key_values, 144_000);
    let plain = FileFormat {
        bloom: Bloom::None,
        ..FileFormat::of("t")
    };
    let appended = write(plain, &row, |_| 0);
    // A byte of mvcc each; blocks of 1,599, 1,599 and 402 cells of 41 B, with a header of 33 B and 5, 5 and 2 checksums of 4.
    assert_eq!(appended.data_bytes, 147_600 + 3 * 33 + 4 * (5 + 5 + 2));
    assert_eq!((appended.blocks, appended.data_bytes), (3, 147_747));
    // In a table of many rows blocks are full: 53 B each 65,559.
    let all: Vec<Stored> = points(3_600).into_iter().flatten().collect();
    let mean = write(plain, &all, |_| 0).data_bytes as f64 / 100.0;
    assert!((mean - 147_720.0).abs() < 1.0, "{mean}");
    let hour = compacted(&row);
    let one = write(plain, std::slice::from_ref(&hour), |_| 0);
    // 20 + 13 + 1 + 2 x 3,600 + 4 x 3,600 + 1, with mvcc, a header and two checksums.
    assert_eq!(one.data_bytes, 21_635 + 1 + 33 + 4 * 2);
    // 60 points of it: 2,400 B as cells, 20 + 13 + 1 + 6 x 60 + 1 compacted.
    let minutes = points(60).swap_remove(0);
    let appended = write(plain, &minutes, |_| 0);
    assert_eq!(appended.data_bytes, 60 * 41 + 33 + 4);
    let one = write(plain, &[compacted(&minutes)], |_| 0);
    assert_eq!(one.data_bytes, 395 + 1 + 33 + 4);
}

#[test]
fn a_stated_entropy_is_about_what_compression_leaves() {
    let rows: Vec<[u8; 4]> = (0..3_000u32).map(u32::to_be_bytes).collect();
    for entropy in [0.0, 0.25, 0.5, 0.9, 1.0] {
        for compression in &Compression::ALL[1..] {
            let format = FileFormat {
                compression: *compression,
                bloom: Bloom::None,
                ..FileFormat::of("d")
            };
            let file = |bytes| {
                let cells = (0..).zip(&rows).map(|(number, row)| {
                    let value = CellValue::Stated {
                        bytes,
                        entropy,
                        number,
                    };
                    Cell::put(row, b"v", 1_000 * HOUR, value)
                });
                StoreFile::of(format, cells).data_bytes as f64
            };
            // What cells take besides their values is in both, but worse to compress between long values (at most their 28 bytes of 1,000); a
            // run of zeros costs snappy 3 bytes of 64.
            let left = (file(1_000) - file(0)) / 3e6;
            let most = 0.028 + 3.0 / 64.0 * (1.0 - entropy);
            assert!(
                (left - entropy).abs() < most,
                "{compression:?}: {left} for {entropy}"
            );
        }
    }
}

#[test]
fn an_index_in_closed_form_is_that_of_the_blocks() {
    let (family, cells) = table("names-metrics");
    for block_size in [512, 4_096, 65_536] {
        let format = FileFormat {
            block_size,
            ..FileFormat::of(family)
        };
        let size = write(format, &cells, |_| 0);
        let key_bytes = size.index_key_bytes as f64 / size.blocks as f64;
        let (bytes, levels) = block_index(size.blocks as f64, key_bytes);
        assert_eq!(levels, size.index_levels);
        let off = bytes / size.index_bytes as f64 - 1.0;
        // The last leaf is not full.
        assert!(off.abs() < 0.002, "{off:+.5}");
    }
}

#[test]
fn mutations_take_the_heap_that_hbase_says() {
    let vectors = hbase();
    let cases = vectors["mutation_heap"].as_array().unwrap();
    assert_eq!(cases.len(), 60);
    for case in cases {
        let qualifier = "q".repeat(number(case, "qualifier_bytes") as usize);
        let cells = vec![qualifier.as_str(); number(case, "cells") as usize];
        let size = RowSize::new(1, cells, number(case, "value_bytes"));
        for (mutation, name) in [
            (Mutation::Put, "put_heap"),
            (Mutation::Increment, "increment_heap"),
            (Mutation::Append, "append_heap"),
            (Mutation::Delete, "delete_heap"),
        ] {
            let found = size.mutation_heap(mutation, number(case, "row_bytes"));
            assert_eq!(found, number(case, name), "{mutation:?} of {case}");
        }
    }
}
