//! Sizes of tables told from samples, against tables that are encoded whole; and what must hold for any table.

use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::table_size::TableSample;
use super::tests::{SEED, fixed, strategy};
use super::{Layout, Replicate, StrategySample, TableSize, size_findings};
use crate::policy::SplitAlgorithm;
use crate::record::DistributionShape;
use crate::scenario::{Scenario, Strategy};
use crate::storage::BlockEncoding;
use std::sync::Arc;

/// 300,000 existing rows of an hour, and 120,000 written in a minute, of 5,000 sensors.
const EXISTING: u64 = 300_000;
const WRITTEN: f64 = 120_000.0;

fn tried(key: &str, sensor: DistributionShape) -> Strategy {
    strategy(
        key,
        fixed(Some(SplitAlgorithm::None), Vec::new()),
        sensor,
        EXISTING,
    )
}

fn table(strategy: &Strategy, rows: usize) -> TableSize {
    let replicate = Replicate::new(&strategy.setup, SEED, 0);
    TableSample::of(&KeyedTable::of(strategy, &replicate), rows, Encodings::All).size(WRITTEN)
}

#[test]
fn a_sample_tells_the_size_of_the_whole_table() {
    let mut wrong = Vec::new();
    for key in [
        "be8(ts) || be4(sensor)",
        "be4(sensor) || be8(ts)",
        "be1(bucket(16, sensor)) || be8(ts) || be4(sensor)",
        "md5_bytes(be4(sensor)) || be8(ts)",
        "md5(be4(sensor)) || be8(ts)",
        "md5_bytes(be4(sensor) || be8(ts))",
        "md5(be4(sensor) || be8(ts))",
    ] {
        let strategy = tried(key, DistributionShape::Uniform);
        let (whole, told) = (table(&strategy, usize::MAX), table(&strategy, 16_384));
        // Of 420,000 draws some share a row; 420,000 rows leave the sample 26 times as many.
        let rows = told.rows() / whole.rows();
        if (rows - 1.0).abs() > 0.02 {
            wrong.push(format!("{key}: {} rows for {}", told.rows(), whole.rows()));
        }
        for encoding in BlockEncoding::ALL {
            let (size, expected) = (told.under(encoding), whole.under(encoding));
            // Shared bytes are told to 2 x 0.08 (their own tests), timestamps to half a byte (rows of one sensor lie at random).
            let bytes = size.row_bytes - expected.row_bytes;
            let most = if encoding == BlockEncoding::None {
                0.01
            } else {
                0.66
            };
            if bytes.abs() > most {
                wrong.push(format!(
                    "{key}, {encoding:?}: {} for {}",
                    size.row_bytes, expected.row_bytes
                ));
            }
            // A separator is one byte longer than what its rows share; those of the sample's 30 to 41 blocks are all there is to tell
            // from, and are between 5 and 35 bytes long in entries of 47: 15 / sqrt(41) / 47 = 5 % for one standard error.
            let index = size.block_index_bytes / expected.block_index_bytes;
            if (index - 1.0).abs() > 3.0 * 0.05 {
                wrong.push(format!(
                    "{key}, {encoding:?}: index {} for {}",
                    size.block_index_bytes, expected.block_index_bytes
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_row_is_a_distinct_key() {
    // 420,000 writes of 5,000 sensors leave a row for each; so does a skewed law, for all but the rarest.
    let even = table(
        &tried("md5_bytes(be4(sensor))", DistributionShape::Uniform),
        16_384,
    );
    assert_eq!(even.rows().round(), 5_000.0);
    assert_eq!(even.writes, 420_000.0);
    let zipf = DistributionShape::Zipf { exponent: 1.0 };
    let skewed = tried("be4(sensor)", zipf);
    let (whole, told) = (table(&skewed, usize::MAX), table(&skewed, 16_384));
    // The rarest of 5,000 has 1 / (5,000 x 9.09) of 420,000 writes, 9.2.
    assert!(whole.rows() > 4_990.0, "{}", whole.rows());
    // The sample misses many of the rare ones; those it saw seldom stand for them.
    assert!(
        (told.rows() / whole.rows() - 1.0).abs() < 0.1,
        "{}",
        told.rows()
    );
}

#[test]
fn sizes_add_up_and_grow_with_rows() {
    let strategy = tried(
        "md5_bytes(be4(sensor)) || be8(ts)",
        DistributionShape::Uniform,
    );
    let replicate = Replicate::new(&strategy.setup, SEED, 0);
    let sample = TableSample::of(
        &KeyedTable::of(&strategy, &replicate),
        1 << 16,
        Encodings::All,
    );
    let mut before = 0.0;
    for written in [0.0, 120_000.0, 5e6, 3e9] {
        let size = sample.size(written);
        assert_eq!((size.key_bytes.min, size.key_bytes.max), (24, 24));
        let parts = size.key_part() + size.name_part() + size.structure_part() + size.value_bytes;
        assert!((parts - size.row_bytes).abs() < 1e-6);
        assert_eq!((size.row_bytes, size.name_part()), (146.0, 2.0));
        for size in &size.encoded {
            let parts = size.data_bytes + size.block_index_bytes + size.bloom_bytes;
            assert_eq!(size.table_bytes, parts);
            assert!(size.table_bytes > 0.0 && size.regions >= 1.0);
            // At best nothing is left but flags, lengths, a byte of key and of time, value and mvcc number.
            assert!(size.row_bytes > 105.0, "{size:?}");
        }
        let none = size.under(BlockEncoding::None);
        for encoding in BlockEncoding::ALL {
            assert!(size.under(encoding).table_bytes <= none.table_bytes);
        }
        assert!(size.rows() > before);
        before = size.rows();
    }
}

#[test]
fn findings_name_what_costs() {
    let mut strategies = [
        "md5_bytes(be4(sensor)) || be8(ts)",
        "md5(be4(sensor)) || be8(ts)",
        "be4(sensor)",
        "md5(be4(sensor)) || be8(ts)",
    ]
    .map(|key| tried(key, DistributionShape::Uniform));
    for (strategy, name) in strategies
        .iter_mut()
        .zip(["raw", "hex", "latest", "packed"])
    {
        strategy.name = name.into();
    }
    let packed = Arc::make_mut(&mut strategies[3].setup);
    packed.table.families[0].spec.block_encoding = BlockEncoding::FastDiff;
    let sizes: Vec<_> = strategies
        .iter()
        .map(|strategy| {
            let replicate = Replicate::new(&strategy.setup, SEED, 0);
            let layout = Layout::of(strategy, &replicate);
            StrategySample::of(strategy, || layout.regions.clone(), &replicate).planned_size()
        })
        .collect();
    // 16 GB x 0.4 / 128 MB; one region on eight servers.
    assert_eq!(sizes[0].memstore.full_memstores, 51.0);
    assert_eq!(sizes[0].memstore.written_regions, 1.0 / 8.0);
    // 72 + 146, rounded up to 224.
    assert_eq!(
        sizes[0].memstore.writes_per_flush,
        (134_217_728.0f64 / 224.0).floor()
    );
    let findings = size_findings(&sizes);
    assert!(
        findings[0].contains("`hex`: as hex text the MD5 costs 16 B a cell more"),
        "{findings:?}"
    );
    assert!(
        findings
            .iter()
            .any(|text| text.contains("`hex` has the largest table")),
        "{findings:?}"
    );
    assert!(
        findings.iter().any(|text| text
            .contains("`latest`: 84 writes fall on each cell, and only the newest is kept")),
        "{findings:?}"
    );
    // What is encoded is not compared with what is not.
    assert!(
        findings.iter().all(|text| !text.contains("`packed`")),
        "{findings:?}"
    );
}

/// Cells of 100 bytes under keys of 4: with the lengths, the family, the qualifier, the type and the time 100 + 4 + 20 + 1 + 1 = 126 bytes.
#[test]
fn a_row_has_the_columns_of_all_writes_that_fill_it() {
    let scenario = |existing: &str| {
        let cells = |of: &str| {
            let cells = of.chars().map(|it| format!("{it} = \"100B\""));
            cells.collect::<Vec<_>>().join(", ")
        };
        let text = format!(
            "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n[field]\nid = {{ type = \"int\", count = 100_000 }}\n\
             [write.order]\nrate = \"1/s\"\ncells = {{ {} }}\n[write.status]\nrate = \"1/s\"\ncells = {{ {} }}\n\
             [existing.order]\neach = [\"id\"]\n[existing.status]\n{existing}\n\
             [read.one]\nequal = [\"id\"]\n[strategy.only]\nkey = \"be4(id)\"\n",
            cells("abcdefgh"),
            cells("xy"),
        );
        Scenario::parse(&text, "columns").unwrap_or_else(|error| panic!("{error}"))
    };
    // All orders have a status; one in two of them does: a write meets each of 100,000 with the same probability, and ln 2 x 100,000 = 69,315 leave half without.
    // An order then has ln 2 writes of its two status cells on average: 8 + 2 x 0.693 = 9.386 cells are written for the 9 that it has.
    for (existing, cells, times) in [
        ("each = [\"id\"]", 10.0, 1.0),
        ("records = 69_315", 9.0, 9.386 / 9.0),
    ] {
        let scenario = scenario(existing);
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let table = KeyedTable::of(strategy, &replicate);
        let size = TableSample::of(&table, 16_384, Encodings::All).size(0.0);
        let layout = Layout::of(strategy, &Arc::new(replicate.clone()));
        let read = layout.reads[0].planned.plan.expected.cells_read;
        let family = &size.families[0];
        // Of so many rows that are sampled, a half is known to 0.5 / sqrt(16,384) = 0.4 % of a row, so two cells to 0.8 % of a cell.
        let bytes = size.row_bytes;
        assert!(
            (bytes - 126.0 * cells).abs() < 126.0 * 0.03,
            "{existing}: {bytes} bytes"
        );
        assert!(
            (family.cells_per_row - cells).abs() < 0.01,
            "{existing}: {} cells",
            family.cells_per_row
        );
        assert!((read - cells).abs() < 0.01, "{existing}: {read} cells read");
        assert!(
            (family.writes_per_cell - times).abs() < 0.01,
            "{existing}: {}",
            family.writes_per_cell
        );
    }
}

#[test]
fn rows_of_one_kind_have_none_of_the_columns_of_another() {
    let text = "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
                [field]\nkind = { type = \"text\", values = [\"a\", \"m\"] }\nid = { type = \"int\", count = 1_000_000 }\n\
                [write.attachment]\nrate = \"1/s\"\nwith = { kind = \"a\" }\ncells = { body = \"10KB\" }\n\
                [write.message]\nrate = \"1/s\"\nwith = { kind = \"m\" }\ncells = { who = \"10B\", why = \"10B\", how = \"10B\" }\n\
                [existing.attachment]\neach = [\"id\"]\n[existing.message]\neach = [\"id\"]\n\
                [read.attachment]\nequal = [\"id\"]\nwith = { kind = \"a\" }\n[read.message]\nequal = [\"id\"]\nwith = { kind = \"m\" }\n\
                [strategy.only]\nkey = \"kind || be4(id)\"\n";
    let scenario = Scenario::parse(text, "kinds").unwrap_or_else(|error| panic!("{error}"));
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let table = KeyedTable::of(strategy, &replicate);
    let size = TableSample::of(&table, 16_384, Encodings::All).size(0.0);
    // With 20 bytes of structure, the family and the key a cell has 26 bytes beside qualifier and value: a body 10,270, three short cells 117 together. Half of the
    // rows each: of those that are sampled, 0.5 / sqrt(16,384) of 10,153 bytes more or less is 40.
    let expected = (10_270.0 + 117.0) / 2.0;
    assert!(
        (size.row_bytes - expected).abs() < 3.0 * 40.0,
        "{}",
        size.row_bytes
    );
    assert!((size.families[0].cells_per_row - 2.0).abs() < 0.01);
    let layout = Layout::of(strategy, &Arc::new(replicate.clone()));
    let cells = [0, 1].map(|read: usize| layout.reads[read].planned.plan.expected.cells_read);
    assert_eq!(cells, [1.0, 3.0]);
}
