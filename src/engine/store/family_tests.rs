//! Stores of several families, and of cells that are followed, without calls: rows come when the test says so.

use super::store_tests::{Bench, ROW, small};
use crate::cluster::{Family, FamilySpec};
use crate::engine::config::StoredCells;
use crate::engine::one_field_fixture as one_field;
use crate::engine::table::rows::RowWeight;
use crate::engine::{ClusterChanges, ExistingRows, SimConfig};
use crate::keyspace::{KeyBatch, RowKey};
use crate::time::{SimDuration, SimTime};
use crate::units::{Bandwidth, ByteSize};
use std::sync::Arc;

const MB: u64 = 1 << 20;

/// Rows of a megabyte of heap and half of one in a file.
fn of_family(family: u8) -> RowWeight {
    RowWeight {
        memstore: MB as u32,
        left: MB as u32 / 2,
        stored: MB as u32 / 2,
        family,
        ..ROW
    }
}

/// Three families; a region is flushed at 128 MB: a third of it is 42.7 MB.
fn three_families() -> SimConfig {
    let mut config = small();
    config.table.memstore_flush_size = ByteSize(128 * MB);
    config.cluster.disk_bandwidth = Bandwidth(1e9);
    let family = |name: &str| Family {
        name: name.to_owned(),
        spec: FamilySpec::default(),
    };
    config.table.families = ["a", "b", "c"].map(family).to_vec();
    config
}

fn sizes(bench: &Bench<'_>, region: u32) -> Vec<Vec<u64>> {
    let store = bench.sim.stores.get(region).expect("it was written");
    let files = store.families.iter().map(|family| family.data.files());
    let bytes = files.map(|files| files.iter().map(|file| file.bytes / MB).collect());
    bytes.collect()
}

#[test]
fn a_flush_writes_the_large_families_and_leaves_the_others_in_memory() {
    let config = three_families();
    let mut bench = Bench::new(&config);
    for (family, rows) in [(1, 30), (2, 43), (0, 56)] {
        (0..rows).for_each(|row| bench.write_row(4, &of_family(family), row));
    }
    bench.run_for(60_000_000_000);
    assert_eq!(sizes(&bench, 4), [vec![28], vec![], vec![21]]);
    assert_eq!(bench.heap(4), 30 * MB);
    assert_eq!(bench.sim.stores.rows_held(4), 30);
    // Nothing is large: all that hold any are written.
    (0..5).for_each(|row| bench.write_row(4, &of_family(0), row));
    bench.sim.ask_flush(4);
    bench.run_for(60_000_000_000);
    assert_eq!(sizes(&bench, 4), [vec![28, 2], vec![15], vec![21]]);
    assert_eq!(bench.heap(4), 0);
    let candidate = bench.candidate(4).unwrap();
    // The largest store decides: 28 + 2.5 MB; no store has more than two files.
    assert_eq!(candidate.store_bytes, 61 * MB / 2);
    assert_eq!(candidate.store_files, 2);
}

#[test]
fn a_compaction_is_of_one_family_and_a_region_that_closes_and_splits_loses_nothing_of_any() {
    let config = three_families();
    let mut bench = Bench::new(&config);
    for _ in 0..3 {
        for (family, rows) in [(0, 100), (1, 29)] {
            (0..rows).for_each(|row| bench.write_row(0, &of_family(family), row));
        }
        bench.run_for(60_000_000_000);
    }
    // 129 MB each time: 100 of the first family; again, beside 29 of the second; 71 of it, beside 58, both of which are large.
    assert_eq!(sizes(&bench, 0), [vec![135], vec![29], vec![]]);
    assert_eq!(bench.heap(0), 58 * MB);
    let server = bench.server(0);
    bench.sim.tables.regions.close(0);
    bench.sim.close_store(0);
    let middle = RowKey(vec![1, 0, 0, 0, 50]);
    let (lower, upper) = bench.sim.tables.divide(0, &middle);
    bench.sim.split_store(0, lower, upper, &middle);
    for daughter in [lower, upper] {
        bench.sim.tables.open(daughter, server);
        bench.sim.open_store(daughter);
    }
    bench.run_for(60_000_000_000);
    let bytes = |region| bench.sim.stores.bytes(region);
    assert_eq!(bytes(lower).0 + bytes(upper).0, 3 * 129 * MB / 2);
    assert_eq!((bytes(lower).1, bytes(upper).1), (0, 0));
    assert_eq!(bench.sim.stores.heaps[server as usize + 1].heap, 0);
}

fn followed() -> SimConfig {
    let mut config = small();
    config.cells = Arc::new(StoredCells {
        follows: true,
        ..StoredCells::default()
    });
    config
}

#[test]
fn rows_written_again_are_in_each_flush_once_and_once_in_what_is_compacted() {
    let config = followed();
    let mut bench = Bench::new(&config);
    let heap = u64::from(ROW.memstore);
    let rows = (1 << 20) / heap + 1;
    for flush in 1..=3 {
        for row in 0..rows as u32 {
            bench.sim.clock.now = bench.sim.clock.now + SimDuration::from_nanos(1);
            bench.write_row(2, &ROW, row % 100);
        }
        assert_eq!(bench.heap(2), rows * heap);
        bench.run_for(1_000_000_000);
        let files = if flush < 3 { flush } else { 1 };
        assert_eq!(bench.files(2), vec![15_000; files]);
    }
    assert_eq!(bench.sim.stores.written.flushed, 45_000);
    assert_eq!(bench.sim.stores.written.compacted, 15_000);
}

#[test]
fn deleted_rows_leave_markers_until_a_compaction_of_all_files() {
    let mut config = followed();
    config.table.memstore_flush_size = ByteSize(1 << 30);
    let mut bench = Bench::new(&config);
    let server = bench.server(2);
    let marker = RowWeight {
        left: 25,
        stored: 25,
        is_delete: true,
        ..ROW
    };
    for flush in 0..3 {
        let weight = if flush == 1 { marker } else { ROW };
        // A hundred rows, then markers of the first sixty, then forty others.
        let rows = [0..100, 0..60, 200..240][flush].clone();
        rows.for_each(|row| bench.write_row(2, &weight, row));
        bench.sim.tables.regions.close(2);
        bench.sim.close_store(2);
        bench.sim.clock.now = bench.sim.clock.now + SimDuration::from_secs(1);
        if flush < 2 {
            bench.sim.tables.open(2, server);
            bench.sim.open_store(2);
        }
    }
    assert_eq!(bench.files(2), [15_000, 1_500, 6_000]);
    bench.sim.tables.open(2, server);
    bench.sim.open_store(2);
    bench.run_for(60_000_000_000);
    assert_eq!(bench.files(2), [40 * 150 + 40 * 150]);
}

#[test]
fn expired_files_go_when_a_compaction_is_chosen_and_a_due_major_compaction_empties_a_region() {
    let mut config = followed();
    config.table.families[0].spec.ttl = Some(SimDuration::from_secs(3_600));
    config.table.memstore_flush_size = ByteSize(1 << 30);
    let mut bench = Bench::new(&config);
    let server = bench.server(2);
    let hours = |hours: u64| SimTime::ZERO + SimDuration::from_secs(3_600 * hours);
    // Files of 10, 20 and 30 rows at 0, 10 and 20 hours; the third one asks for a compaction, by which the first two have expired.
    for flush in 0..3u64 {
        bench.sim.clock.now = hours(10 * flush);
        (0..10 * (flush + 1) as u32).for_each(|row| bench.write_row(2, &ROW, row));
        bench.sim.tables.regions.close(2);
        bench.sim.close_store(2);
        bench.sim.tables.open(2, server);
        bench.sim.open_store(2);
    }
    assert_eq!(bench.files(2), [4_500]);
    // Its period is of 3.5 to 10.5 days.
    for (day, left) in [(3, 4_500), (12, 0)] {
        bench.sim.clock.now = hours(24 * day);
        bench.sim.majors_are_checked();
        let now = bench.sim.clock.now;
        bench.run_until(now + SimDuration::from_secs(60));
        assert_eq!(bench.files(2), [left]);
    }
}

#[test]
fn at_the_start_a_store_holds_what_its_last_major_compaction_left() {
    let mut config = followed();
    let day = SimDuration::from_secs(86_400);
    config.table.families[0].spec.ttl = Some(day.mul_f64(30.0));
    // Regions start at multiples of ten: rows of 41 days, of 29, and half of each.
    let mut sample = KeyBatch::default();
    for key in [1u8, 2, 11, 12, 21, 22] {
        sample.push_with(|bytes| bytes.push(key));
    }
    let ago = |days: f64| -(day.mul_f64(days).as_nanos() as i64);
    config.changes.existing = Arc::new(vec![ExistingRows {
        rows: 600,
        bytes: 60_000,
        sample: Arc::new(sample),
        written_ns: Arc::new([41.0, 41.0, 29.0, 29.0, 41.0, 29.0].map(ago).to_vec()),
        ..ExistingRows::default()
    }]);
    let mut bench = Bench::new(&config);
    let files = [0, 1, 2].map(|region| bench.files(region));
    assert_eq!(files, [vec![], vec![20_000], vec![10_000]]);
    // All of it expires: a major compaction, which each store has within 10.5 days, leaves an empty file.
    bench.sim.clock.now = SimTime::ZERO + day.mul_f64(11.0);
    bench.sim.majors_are_checked();
    bench.run_for(1_000_000_000);
    assert_eq!([1, 2].map(|region| bench.files(region)), [[0], [0]]);
}

#[test]
fn cells_are_told_apart_only_in_runs_that_may_write_a_file() {
    let mut config = followed();
    config.changes = ClusterChanges::default();
    // A hundred seconds of 30 handlers / 1.5 ms are 2 M rows, of which 2^40 bytes of memstore are never full.
    config.duration = SimTime::ZERO + SimDuration::from_secs(100);
    config.table.memstore_flush_size = ByteSize(1 << 40);
    config.cluster.heap = ByteSize(1 << 42);
    assert!(!config.follows_cells());
    let with = |change: fn(&mut SimConfig)| {
        let mut config = config.clone();
        change(&mut config);
        config.follows_cells()
    };
    assert!(with(
        |config| config.table.memstore_flush_size = ByteSize(1 << 20)
    ));
    assert!(with(|config| config.cluster.heap = ByteSize(1 << 22)));
    assert!(with(
        |config| config.table.memstore_flush_interval = SimDuration::from_secs(99)
    ));
    assert!(!with(
        |config| config.table.memstore_flush_interval = SimDuration::ZERO
    ));
    assert!(with(
        |config| config.duration = SimTime::ZERO + SimDuration::from_secs(10_001)
    ));
}

#[test]
fn a_region_of_existing_rows_is_split_at_a_row_though_files_hold_cells() {
    let mut config = followed();
    let mut sample = KeyBatch::default();
    for key in [1u8, 2, 3, 4, 5] {
        sample.push_with(|bytes| bytes.push(key));
    }
    config.changes.existing = Arc::new(vec![ExistingRows {
        rows: 1_000,
        bytes: 100_000,
        sample: Arc::new(sample),
        ..ExistingRows::default()
    }]);
    // Existing rows are told by their keys, what is written by the keys of cells, with a qualifier of eight bytes behind them.
    let row = |cell: &str| {
        let mut config = config.clone();
        let mut cells = (*config.cells).clone();
        let schema = &config.generator.schema().clone();
        cells.keys = vec![one_field::compiled(cell, schema)];
        config.cells = Arc::new(cells);
        Bench::new(&config).sim.split_row(0)
    };
    assert_eq!(row("be1(id) || be8(id)"), Ok(RowKey(vec![3])));
    assert_eq!(row("be1(id)"), Ok(RowKey(vec![3])));
}
