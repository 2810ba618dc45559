//! What becomes of rows in memstores and files, to the byte and the nanosecond, without calls: rows come when the test says so.

use super::region_stores::{FlushState, Store};
use super::stores::BytesWritten;
use crate::cluster::RegionFile;
use crate::engine::client::read_tests::config;
use crate::engine::numbers::NONE;
use crate::engine::simulation::Simulation;
use crate::engine::table::rows::{Keys, RowWeight};
use crate::engine::{ExistingRows, SimConfig};
use crate::keyspace::{KeyBatch, RowKey};
use crate::policy::{NoSplitRow, SplitCandidate};
use crate::random::Seed;
use crate::record::RecordGenerator;
use crate::statistics::sample_median_error;
use crate::time::{SimDuration, SimTime};
use crate::units::{Bandwidth, ByteSize};
use std::sync::Arc;

/// Of a row: heap in the memstore, bytes in a file.
const HEAP: u64 = 224;
const BYTES: u64 = 150;
/// 4,682 rows are the first to exceed it.
const FLUSH: u64 = 1 << 20;
const ROWS: u64 = FLUSH / HEAP + 1;
pub const ROW: RowWeight = RowWeight {
    logged: BYTES as u32,
    left: BYTES as u32,
    stored: BYTES as u32,
    buffered: 0,
    memstore: HEAP as u32,
    family: 0,
    salt: 0,
    is_delete: false,
};

pub fn small() -> SimConfig {
    let mut config = config();
    config.table.memstore_flush_size = ByteSize(FLUSH);
    config.table.compaction_bandwidth.low = Bandwidth(1e9);
    config.table.compaction_bandwidth.high = Bandwidth(2e9);
    config.cluster.disk_bandwidth = Bandwidth(1e6);
    config.duration = SimTime::from_nanos(u64::MAX / 2);
    config
}

/// A simulation in which nothing happens by itself but what disks do and held flushes.
pub struct Bench<'a> {
    pub sim: Simulation<'a>,
    /// Rows so far: their keys rise.
    rows: u32,
}

impl<'a> Bench<'a> {
    pub fn new(config: &'a SimConfig) -> Self {
        let mut sim = Simulation::new(config);
        sim.tables.keys = Keys::of(8);
        (sim.stores.samples, sim.stores.looks_at_rows) = (true, true);
        sim.load_stores();
        Self { sim, rows: 0 }
    }

    /// A row whose key starts with `first`, and rises.
    fn write_key(&mut self, region: u32, first: u8, number: u32) {
        self.write_weight(region, &ROW, first, number);
    }

    /// A row of that weight whose key lies in the region.
    pub fn write_row(&mut self, region: u32, weight: &RowWeight, number: u32) {
        self.write_weight(region, weight, region as u8 * 10 + 1, number);
    }

    fn write_weight(&mut self, region: u32, weight: &RowWeight, first: u8, number: u32) {
        let mut key = vec![first];
        key.extend(number.to_be_bytes());
        let slot = self.sim.tables.keys.insert(&key);
        self.sim.memstore_takes(region, weight, slot);
        self.sim.tables.keys.remove(slot);
    }

    fn write(&mut self, region: u32, rows: u64) {
        for _ in 0..rows {
            self.rows += 1;
            self.write_key(region, region as u8 * 10 + 1, self.rows);
        }
    }

    /// Everything happens that happens by then.
    pub fn run_until(&mut self, until: SimTime) {
        loop {
            let stores = &self.sim.stores;
            let servers = stores.servers.iter().zip(0..);
            let end =
                servers.filter_map(|(server, number)| Some((server.disk.next_end()?, number)));
            let end = end.min();
            let regions = 0..self.sim.tables.regions.len();
            let held = regions.filter_map(|region| match stores.get(region)?.flush {
                FlushState::Held { until, .. } => Some((until, region)),
                _ => None,
            });
            match (end, held.min()) {
                (Some((at, server)), look)
                    if at <= until && look.is_none_or(|look| at <= look.0) =>
                {
                    self.sim.clock.now = at;
                    self.sim.disk_done(server);
                }
                (_, Some((at, region))) if at <= until => {
                    self.sim.clock.now = at;
                    self.sim.flush_looks_again(region);
                }
                _ => break,
            }
        }
        self.sim.clock.now = until;
    }

    pub fn run_for(&mut self, nanos: u64) {
        self.run_until(self.sim.clock.now + SimDuration::from_nanos(nanos));
    }

    pub fn run_to_the_end(&mut self) {
        self.run_until(SimTime::MAX - SimDuration::from_nanos(1));
    }

    pub fn candidate(&self, region: u32) -> Option<SplitCandidate> {
        let now = self.sim.clock.now;
        self.sim.stores.split_candidate(region, now)
    }

    pub fn heap(&self, region: u32) -> u64 {
        self.sim.stores.bytes(region).1
    }

    /// Bytes of a region's files, oldest first.
    pub fn files(&self, region: u32) -> Vec<u64> {
        let store = self.sim.stores.get(region);
        let files = store.map(|store| store.families[0].data.files());
        let files = files.unwrap_or_default();
        files.iter().map(|file| file.bytes).collect()
    }

    pub fn server(&self, region: u32) -> u32 {
        self.sim.tables.regions.get(region).server
    }

    fn is_writable(&self, region: u32) -> bool {
        self.sim.tables.regions.get(region).writable != NONE
    }
}

/// How long the disk takes for so many rows, alone.
fn nanos(rows: u64) -> u64 {
    rows * BYTES * 1_000
}

#[test]
fn a_flush_starts_with_the_row_that_exceeds_the_flush_size_and_its_heap_counts_until_it_is_written()
{
    let config = small();
    let mut bench = Bench::new(&config);
    bench.write(3, ROWS - 1);
    bench.run_for(nanos(ROWS));
    assert!(bench.files(3).is_empty());
    bench.write(3, 1);
    bench.run_for(nanos(ROWS) - 1);
    assert_eq!((bench.files(3), bench.heap(3)), (vec![], ROWS * HEAP));
    // What comes meanwhile stays.
    bench.write(3, 5);
    bench.run_for(1);
    assert_eq!(
        (bench.files(3), bench.heap(3)),
        (vec![ROWS * BYTES], 5 * HEAP)
    );
    // The next flush is of those rows as well.
    bench.write(3, ROWS - 5);
    bench.run_to_the_end();
    assert_eq!((bench.files(3), bench.heap(3)), (vec![ROWS * BYTES; 2], 0));
    let server = bench.server(3) as usize;
    assert_eq!(bench.sim.stores.heaps[server + 1].heap, 0);
    assert_eq!(bench.sim.stores.written.flushed, 2 * ROWS * BYTES);
}

#[test]
fn a_server_has_two_flushers_and_a_queue() {
    let config = small();
    let mut bench = Bench::new(&config);
    // Ten regions on four servers: 0, 4 and 8 are on one.
    for region in [4, 0, 8] {
        bench.write(region, ROWS);
    }
    bench.run_for(2 * nanos(ROWS));
    assert_eq!((bench.files(0).len(), bench.files(4).len()), (1, 1));
    assert_eq!(bench.files(8).len(), 0);
    bench.run_for(nanos(ROWS));
    assert_eq!(bench.files(8).len(), 1);
}

#[test]
fn a_region_refuses_writes_above_four_flush_sizes_until_a_flush_has_ended() {
    let config = small();
    let mut bench = Bench::new(&config);
    let most = 4 * FLUSH / HEAP;
    bench.write(7, most);
    assert!(bench.is_writable(7));
    bench.write(7, 1);
    assert!(!bench.is_writable(7));
    // Rows that handlers work on still come in.
    bench.write(7, 10);
    bench.run_for(nanos(ROWS) - 1);
    assert!(!bench.is_writable(7));
    bench.run_for(1);
    assert!(bench.is_writable(7));
    assert_eq!(bench.heap(7), (most + 11 - ROWS) * HEAP);
    // The next row asks for the next flush, of all of it.
    bench.write(7, 1);
    bench.run_to_the_end();
    assert_eq!(bench.files(7), [ROWS * BYTES, (most + 12 - ROWS) * BYTES]);
}

#[test]
fn three_files_are_compacted_into_one_and_no_byte_is_lost() {
    let config = small();
    let mut bench = Bench::new(&config);
    for _ in 0..3 {
        bench.write(2, ROWS);
        bench.run_for(nanos(ROWS));
    }
    assert_eq!(bench.files(2), [ROWS * BYTES; 3]);
    bench.run_for(nanos(3 * ROWS) - 1);
    assert_eq!(bench.files(2).len(), 3);
    bench.run_for(1);
    assert_eq!(bench.files(2), [3 * ROWS * BYTES]);
    let written = BytesWritten {
        flushed: 3 * ROWS * BYTES,
        compacted: 3 * ROWS * BYTES,
        of_references: 0,
    };
    assert_eq!(bench.sim.stores.written, written);
}

#[test]
fn a_flush_is_held_above_the_blocking_number_of_files_for_ninety_seconds() {
    let mut config = small();
    config.cluster.disk_bandwidth = Bandwidth(1e12);
    config.table.blocking_store_files = 4;
    let mut bench = Bench::new(&config);
    // A compaction that takes 1,000 s: references go first, and a store above the blocking number is not slowed down.
    bench.write(1, 1);
    let server = bench.server(1);
    let reference = RegionFile {
        bytes: 1_000_000_000_000_000,
        rows: 1,
        is_reference: true,
        major_due_ns: i64::MAX,
        ..RegionFile::default()
    };
    let store = bench.sim.stores.store(1);
    store.families[0].data.add_file(reference);
    let (stores, clock) = (&mut bench.sim.stores, &mut bench.sim.clock);
    stores.files_changed(server, 0, 1, clock);
    stores.ask_compactions(1, false, clock);
    bench.write(1, ROWS - 1);
    for files in 2..=5 {
        bench.run_for(1_000_000);
        assert_eq!(bench.files(1).len(), files);
        bench.write(1, ROWS);
    }
    bench.run_for(1_000_000);
    assert_eq!(bench.files(1).len(), 5);
    bench.run_for(90_000_000_000);
    assert_eq!((bench.files(1).len(), bench.heap(1)), (5, ROWS * HEAP));
    // It looks again every 0.9 s.
    bench.run_for(900_000_000);
    assert_eq!((bench.files(1).len(), bench.heap(1)), (6, 0));
}

#[test]
fn a_full_server_flushes_its_largest_memstores_and_makes_writes_wait() {
    let mut config = small();
    // Room for 1,000 rows on a server, forced flushes from 950 on.
    config.cluster.heap = ByteSize(1_000 * HEAP * 5 / 2);
    let mut bench = Bench::new(&config);
    let server = bench.server(0);
    assert_eq!((bench.server(4), bench.server(8)), (server, server));
    bench.write(0, 200);
    bench.write(4, 500);
    bench.write(8, 249);
    let flushing = |bench: &Bench<'_>| bench.sim.stores.servers[server as usize].flushing;
    assert_eq!(flushing(&bench), 0);
    bench.write(8, 1);
    // The largest two.
    assert_eq!(flushing(&bench), 2);
    bench.write(0, 49);
    assert!(!bench.sim.stores.block(server));
    bench.write(0, 1);
    assert!(bench.sim.stores.block(server));
    // Both write half as fast: 250 rows each by then.
    bench.run_for(2 * nanos(250));
    assert!(!bench.sim.stores.block(server));
    assert_eq!((bench.files(8), bench.heap(8)), (vec![250 * BYTES], 0));
    assert_eq!((bench.files(4), bench.heap(4)), (vec![], 500 * HEAP));
    bench.run_to_the_end();
    assert_eq!((bench.heap(0), bench.heap(4)), (250 * HEAP, 0));
}

#[test]
fn a_region_that_closes_leaves_files_only_and_its_daughters_take_all_of_them() {
    let config = small();
    let mut bench = Bench::new(&config);
    bench.write(0, ROWS + 7);
    bench.run_for(1_000);
    let server = bench.server(0);
    bench.sim.tables.regions.close(0);
    bench.sim.close_store(0);
    assert_eq!(bench.files(0), [ROWS * BYTES, 7 * BYTES]);
    let one = &bench.sim.stores.servers[server as usize];
    assert_eq!((one.flushing, one.disk.next_end()), (0, None));
    assert_eq!(bench.sim.stores.heaps[server as usize + 1].heap, 0);
    // A handler still worked on it.
    bench.write(0, 1);
    let middle = RowKey(vec![1, 0, 0, 8, 0]);
    let (lower, upper) = bench.sim.tables.divide(0, &middle);
    bench.sim.split_store(0, lower, upper, &middle);
    for daughter in [lower, upper] {
        bench.sim.tables.open(daughter, server);
        bench.sim.open_store(daughter);
    }
    assert_eq!(bench.heap(0) + bench.heap(lower) + bench.heap(upper), 0);
    let (below, above): (u64, u64) = (
        bench.files(lower).iter().sum(),
        bench.files(upper).iter().sum(),
    );
    assert_eq!(below + above, (ROWS + 8) * BYTES);
    // References are compacted at once, however few.
    bench.run_to_the_end();
    assert_eq!((bench.files(lower).len(), bench.files(upper).len()), (1, 1));
    assert_eq!(bench.sim.stores.written.of_references, below + above);
    let candidate = bench.candidate(upper).unwrap();
    assert!(!candidate.has_references);
}

#[test]
fn what_a_dead_server_had_not_flushed_becomes_a_file_when_the_region_opens() {
    let config = small();
    let mut bench = Bench::new(&config);
    let server = bench.server(5);
    bench.write(5, ROWS + 7);
    bench.run_for(1_000);
    bench.write(9, 3);
    bench.sim.tables.regions.close(5);
    bench.sim.tables.regions.close(9);
    let lost = bench.sim.lose_memstores(server, &[5, 9]);
    assert_eq!(lost, (ROWS + 10) * BYTES);
    assert_eq!((bench.files(5), bench.heap(5)), (vec![], 0));
    bench.sim.tables.open(5, 0);
    bench.sim.open_store(5);
    assert_eq!(bench.files(5), [(ROWS + 7) * BYTES]);
    // Its rows are there for a split.
    assert!(bench.sim.split_row(5).is_ok());
    bench.run_to_the_end();
    assert!(bench.files(9).is_empty());
}

/// A region with flush files of so many rows each (compacted never) is split. Returns the share of its rows that the lower daughter gets.
fn share_left_behind(files: &[u64], seed: u64) -> f64 {
    let mut config = small();
    let (schema, seed) = (config.generator.schema(), Seed(seed));
    config.generator = Arc::new(RecordGenerator::new(schema, seed, 0));
    config.cluster.disk_bandwidth = Bandwidth(1e12);
    config.table.compaction_bandwidth.low = Bandwidth(1.0);
    config.table.compaction_bandwidth.high = Bandwidth(1.0);
    let mut bench = Bench::new(&config);
    let server = bench.server(0);
    for &rows in files {
        // A region that moves leaves a file.
        bench.write(0, rows);
        bench.sim.tables.regions.close(0);
        bench.sim.close_store(0);
        bench.sim.tables.open(0, server);
        bench.sim.open_store(0);
    }
    let flushed: Vec<u64> = files.iter().map(|rows| rows * BYTES).collect();
    assert_eq!(bench.files(0), flushed);
    let row = bench.sim.split_row(0).unwrap();
    bench.sim.tables.regions.close(0);
    bench.sim.close_store(0);
    let (lower, upper) = bench.sim.tables.divide(0, &row);
    bench.sim.split_store(0, lower, upper, &row);
    let bytes = |region| bench.files(region).iter().sum::<u64>();
    assert_eq!(bytes(lower) + bytes(upper), flushed.iter().sum::<u64>());
    // Keys are one byte and the number of the row, from 1 on.
    let number = u32::from_be_bytes(row.0[1..].try_into().unwrap());
    let below = f64::from(number - 1) / files.iter().sum::<u64>() as f64;
    let stored = bytes(lower) as f64 / flushed.iter().sum::<u64>() as f64;
    // The daughters' bytes are divided by samples: the largest file's middle is its sample's, the others lie wholly on one side.
    assert!((stored - below).abs() < 0.12, "{stored} {below}");
    below
}

#[test]
fn a_split_leaves_the_older_files_and_half_of_the_largest_behind() {
    // Rising keys: rows of one file lie above those of the older ones. Forty runs each; 256 rows sampled of each file.
    for files in [&[4_600][..], &[2_000, 4_600], &[2_500, 1_800, 4_400, 3_000]] {
        let total: u64 = files.iter().sum();
        let largest = *files.iter().max().unwrap();
        let place = files.iter().position(|&rows| rows == largest).unwrap();
        let older: u64 = files[..place].iter().sum();
        let error = sample_median_error(256, largest).unwrap();
        let share = |of_largest: f64| (older as f64 + of_largest * largest as f64) / total as f64;
        let (mean, sd) = (share(error.mean), error.sd * largest as f64 / total as f64);
        let runs = 40;
        let found: f64 = (0..runs).map(|seed| share_left_behind(files, seed)).sum();
        let found = found / runs as f64;
        // Four standard errors.
        assert!(
            (found - mean).abs() < 4.0 * sd / (runs as f64).sqrt(),
            "{files:?}: {found} {mean}"
        );
        assert!((mean - share(0.5)).abs() < 0.003);
    }
}

#[test]
fn existing_rows_are_one_file_a_region_in_proportion_to_the_sampled_keys() {
    let mut config = small();
    let mut sample = KeyBatch::default();
    // Regions start at multiples of ten: 3, 0, 5 and 1 keys.
    for key in [1u8, 5, 9, 20, 21, 22, 23, 29, 95] {
        sample.push_with(|bytes| bytes.push(key));
    }
    let existing = ExistingRows {
        rows: 1_000,
        bytes: 100_003,
        sample: Arc::new(sample),
        ..ExistingRows::default()
    };
    config.changes.existing = Arc::new(vec![existing]);
    let bench = Bench::new(&config);
    // Whole numbers that add up: 100,003 x 3/9, 8/9.
    assert_eq!(
        (bench.files(0), bench.files(2)),
        (vec![33_334], vec![55_557])
    );
    assert_eq!((bench.files(9), bench.files(1)), (vec![11_112], vec![]));
    let candidate = bench.candidate(2).unwrap();
    assert_eq!((candidate.store_bytes, candidate.store_files), (55_557, 1));
    assert!(bench.candidate(1).is_none());
    let file = &bench.sim.stores.get(2).unwrap().families[0].data.files()[0];
    let sample = file.sample.as_ref().map(|sample| sample.sorted());
    assert_eq!(sample, Some(vec![&[20u8][..], &[21], &[22], &[23], &[29]]));
}

#[test]
fn a_region_of_one_row_and_one_without_files_have_no_split_row() {
    let config = small();
    let mut bench = Bench::new(&config);
    assert_eq!(bench.sim.split_row(0), Err(NoSplitRow::NoFile));
    for _ in 0..ROWS {
        bench.write_key(0, 1, 77);
    }
    assert_eq!(bench.sim.split_row(0), Err(NoSplitRow::NoFile));
    bench.run_to_the_end();
    let found = bench.sim.split_row(0);
    assert!(
        matches!(found, Err(NoSplitRow::OneRow { end: "first", .. })),
        "{found:?}"
    );
}

#[test]
fn a_region_that_was_never_written_takes_forty_bytes() {
    let stores = size_of::<crate::cluster::Memstore>() + size_of::<Option<Box<Store>>>();
    assert_eq!(stores, 40);
}
