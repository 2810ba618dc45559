//! Whole runs whose memstores fill up: what clients wrote is stored, however slow the disks are, and every run ends.

use crate::cluster::RegionFile;
use crate::engine::SimConfig;
use crate::engine::client::read_tests::config;
use crate::engine::simulation::Simulation;
use crate::time::{SimDuration, SimTime};
use crate::units::{Bandwidth, ByteSize};
use crate::workload::{
    Import, ImportOrder, ImportRows, LoadModel, Think, Workload, Write, WriteKind,
};
use std::sync::Arc;

const ROWS: u64 = 20_000;

/// Sixty clients write [`ROWS`] rows of keys of one byte.
fn import() -> SimConfig {
    let config = config();
    let write = Write {
        name: "w".into(),
        kind: WriteKind::Put,
        load: LoadModel::Closed {
            clients: 60,
            think: Think::Constant(SimDuration::ZERO),
            buffer: None,
            import: Some(Import {
                rows: ImportRows::Drawn {
                    records: ROWS,
                    last: SimDuration::ZERO,
                },
                order: ImportOrder::Time,
                times: None,
            }),
        },
        with: Vec::new(),
        most_per_sec: f64::INFINITY,
    };
    let duration = SimDuration::from_secs(1_000);
    let workload = Workload {
        duration,
        writes: vec![write],
        reads: Vec::new(),
        ..(*config.workload).clone()
    };
    let mut config = SimConfig {
        workload: Arc::new(workload),
        reads: Arc::default(),
        duration: SimTime::ZERO + duration,
        ..config
    };
    config.table.value = ByteSize(100);
    config
}

/// Bytes of a row in a file, and its heap in a memstore.
fn row(config: &SimConfig) -> (u64, u64) {
    let size = config.table.row_size();
    (size.cells(1), size.memstore(1))
}

/// What is stored in the end: in memstores, in files.
fn stored(sim: &Simulation<'_>) -> (u64, u64) {
    let in_memory = sim.stores.memstores.iter().map(|memstore| memstore.bytes);
    let regions = 0..sim.tables.regions.len();
    let in_files =
        regions.filter_map(|region| Some(sim.stores.get(region)?.largest().file_bytes()));
    (in_memory.sum(), in_files.sum())
}

/// Runs to the end: everything was acknowledged, and everything acknowledged is stored. Returns the simulation in the end.
fn run(config: &SimConfig) -> Simulation<'_> {
    let mut sim = Simulation::new(config);
    sim.work();
    let (in_memory, in_files) = stored(&sim);
    assert_eq!(in_memory + in_files, ROWS * row(config).0);
    assert_eq!(sim.stores.written.flushed, in_files);
    assert!(
        sim.stores
            .servers
            .iter()
            .all(|server| server.waiting.is_empty())
    );
    for server in 0..config.cluster.servers {
        let heap = sim.stores.memstores.iter();
        let heap = heap.filter(|memstore| memstore.place == server + 1);
        let heap: u64 = heap.map(|memstore| memstore.heap).sum();
        assert_eq!(sim.stores.heaps[server as usize + 1].heap, heap);
    }
    sim
}

fn completed(sim: Simulation<'_>) -> u64 {
    sim.finish().writes.counts.completed
}

#[test]
fn rows_that_are_flushed_and_compacted_are_all_there() {
    let mut config = import();
    // 2,000 rows a region, flushes of about 100.
    config.table.memstore_flush_size = ByteSize(100 * row(&config).1);
    let sim = run(&config);
    let regions = 0..sim.tables.regions.len();
    let files: Vec<&[RegionFile]> = regions
        .filter_map(|region| Some(sim.stores.get(region)?.largest().files()))
        .collect();
    assert!(
        files.iter().all(|files| files.len() < 16),
        "compaction keeps up"
    );
    assert!(
        files
            .iter()
            .flat_map(|files| files.iter())
            .all(|file| !file.is_reference)
    );
    assert!(sim.stores.written.compacted > ROWS / 2 * row(&config).0);
    assert!(stored(&sim).1 > ROWS * 9 / 10 * row(&config).0);
    assert_eq!(completed(sim), ROWS);
}

#[test]
fn a_region_whose_disk_is_too_slow_refuses_writes_and_loses_none() {
    let mut config = import();
    config.split_points = Arc::default();
    config.table.memstore_flush_size = ByteSize(500 * row(&config).1);
    // Two thousand rows a second, of twenty thousand that the server could take.
    config.cluster.disk_bandwidth = Bandwidth(2_000.0 * row(&config).0 as f64);
    let sim = run(&config);
    let refused: u64 = sim.stores.get(0).map_or(0, |store| store.refused);
    assert!(refused > 100, "{refused}");
    assert_eq!(completed(sim), ROWS);
}

#[test]
fn a_server_whose_memstores_are_full_holds_its_writes_until_flushes_have_made_room() {
    let mut config = import();
    let (bytes, heap) = row(&config);
    // Room for 400 rows on each of four servers; regions ask for no flush before.
    config.cluster.heap = ByteSize(400 * heap * 5 / 2);
    config.cluster.disk_bandwidth = Bandwidth(500.0 * bytes as f64);
    config.table.compaction_bandwidth.low = Bandwidth(1.0);
    config.table.compaction_bandwidth.high = Bandwidth(1.0);
    let sim = run(&config);
    // Some server has a quarter of the rows, and writes 500 a second when it has room for no more than 400 (and what its handlers held).
    let least = (ROWS / 4 - 430) as f64 / 500.0;
    assert!(sim.clients.last_outcome.as_secs_f64() > least);
    assert_eq!(completed(sim), ROWS);
}
