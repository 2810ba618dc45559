//! What becomes of a read that asks for given keys and ranges, to the nanosecond: constant service times, idle or full servers.

use crate::client::ClientSpec;
use crate::cluster::{ClusterSpec, Placement, ServiceLaw, ServiceSpec, TableSpec};
use crate::engine::numbers::NONE;
use crate::engine::one_field_fixture as one_field;
use crate::engine::simulation::Simulation;
use crate::engine::{PlannedRead, SimConfig, TableCopy};
use crate::keyspace::{KeyBatch, RowKey};
use crate::metrics::{MetricId, RunResult};
use crate::query::{Costs, PlanContext, Requests, ScanRequest, plan};
use crate::random::Seed;
use crate::record::{Field, FieldId, FieldKind, KnownField, RecordGenerator};
use crate::time::{SimDuration, SimTime};
use crate::units::ByteSize;
use crate::workload::{OperationId, Population, Read, ReadId, Workload};
use std::sync::Arc;

const MICROS: u64 = 1_000;
/// Both ways.
const NETWORK: u64 = 500 * MICROS;
/// A cell of the table: 20 + a key of 1 byte + `d` + `v` + 500 KB, of which four fit into a call.
const TABLE_CELL: f64 = 512_023.0;
const GET: u64 = 1_000 * MICROS;
const SCAN: u64 = 2_000 * MICROS;
const SCAN_ROW: u64 = 7 * MICROS;
const DISK: u64 = 30_000 * MICROS;

/// One-byte keys; a region for every ten of them, dealt to four servers; a call of a scanner returns four rows.
pub fn config() -> SimConfig {
    let ids = FieldKind::Int {
        first: 0,
        count: 100,
    };
    let start = one_field::START;
    let schema = one_field::schema(Field::new("id", ids));
    let key = one_field::compiled("be1(id)", &schema);
    let read = Read::planned("r", vec![KnownField::Stored(FieldId(0))]);
    let workload = Workload {
        start,
        duration: SimDuration::from_secs(10),
        writes: Vec::new(),
        existing: Vec::new(),
        reads: vec![read.clone()],
        closed_loops: crate::workload::ClosedLoopLimits::default(),
        kept_for: None,
    };
    let generator = Arc::new(RecordGenerator::new(&schema, Seed(3), 0));
    let population = Population::new(&workload, &generator);
    let context = PlanContext {
        schema: &schema,
        start,
        population: &population,
        sample: &[],
        costs: Costs {
            get: 1e-3,
            absent: 0.0,
            scan: 1e-3,
            row: 1e-6,
            cell: 1e-7,
        },
    };
    let planned = PlannedRead {
        table: 0,
        plan: Arc::new(plan(&(&key).into(), &read, &context)),
        cell_bytes: TABLE_CELL,
        get_work: SimDuration::from_nanos(1_000),
        row_sample: Arc::default(),
    };
    SimConfig {
        warmup: SimTime::ZERO,
        duration: SimTime::ZERO + workload.duration,
        sample: SimDuration::from_secs(1),
        workload: Arc::new(workload),
        generator,
        key,
        split_points: Arc::new((1..10).map(|region| RowKey(vec![region * 10])).collect()),
        key_buckets: Arc::default(),
        mapped_table: 0,
        written: Arc::default(),
        cells: Arc::default(),
        copies: Arc::default(),
        reads: Arc::new(vec![planned]),
        population: Arc::new(population),
        cluster: ClusterSpec {
            servers: 4,
            service: ServiceSpec {
                distribution: ServiceLaw::Constant,
                get: SimDuration::from_nanos(GET),
                scan: SimDuration::from_nanos(SCAN),
                scan_row: SimDuration::from_nanos(SCAN_ROW),
                disk_read: SimDuration::from_nanos(DISK),
                ..ClusterSpec::default().service
            },
            ..ClusterSpec::default()
        },
        table: TableSpec {
            value: ByteSize(500 << 10),
            // So that it can be said which server holds what.
            placement: Placement::InOrder,
            ..TableSpec::default()
        },
        client: ClientSpec::default(),
        closed: crate::engine::ClosedLoops::default(),
        changes: crate::engine::ClusterChanges::default(),
        batch: 512,
    }
}

/// `rows` sorted keys as the sample of the table's rows.
pub fn with_rows(mut config: SimConfig, rows: impl IntoIterator<Item = u8>) -> SimConfig {
    let mut sample = KeyBatch::default();
    rows.into_iter()
        .for_each(|row| sample.push_with(|bytes| bytes.push(row)));
    let read = PlannedRead {
        row_sample: Arc::new(sample),
        ..config.reads[0].clone()
    };
    config.reads = Arc::new(vec![read]);
    config
}

pub fn gets(keys: impl IntoIterator<Item = u8>) -> Requests {
    let mut requests = Requests::default();
    requests.row_cells = 1.0;
    for key in keys {
        requests.gets.push_with(|bytes| bytes.push(key));
    }
    requests.gets_found = requests.gets.len() as f64;
    requests
}

/// Scans of `[start, stop)`; a stop of 0 is the end of the key space.
pub fn scans(ranges: &[(u8, u8, ScanRequest)]) -> Requests {
    let mut requests = Requests::default();
    requests.row_cells = 1.0;
    for (start, stop, scan) in ranges {
        requests.starts.push_with(|bytes| bytes.push(*start));
        requests
            .stops
            .push_with(|bytes| bytes.extend((*stop > 0).then_some(*stop)));
        requests.scans.push(*scan);
    }
    requests
}

pub fn all(rows: f64) -> ScanRequest {
    ScanRequest {
        rows,
        rows_read: rows,
        reversed: false,
    }
}

/// Runs these reads, which all start at time zero.
pub fn run(config: &SimConfig, reads: &[Requests]) -> RunResult {
    let mut simulation = Simulation::new(config);
    for (index, requests) in (0..).zip(reads) {
        let operation = OperationId::of_read(ReadId(0), 0, index);
        simulation.clients.reads.in_flight += 1;
        simulation.start_read(ReadId(0), operation, NONE, requests);
    }
    simulation.work();
    let (read, ended) = (reads.len() as u64, simulation.clients.reads.in_flight);
    let parts = simulation.rpcs.iter().count();
    let result = simulation.finish();
    let counts = result.reads.each[0].counts;
    assert_eq!(counts.offered, read);
    assert_eq!(counts.in_flight, ended, "of {counts:?}");
    assert_eq!(
        counts.offered,
        counts.completed + counts.failed + counts.in_flight
    );
    assert!(parts == 0 || ended > 0, "{parts} parts are left behind");
    result
}

/// Of a single read: calls, regions, rows read, and its response time within the histogram's three digits.
#[track_caller]
fn assert_read(result: &RunResult, calls: u32, regions: u32, rows_read: f64, nanos: u64) {
    let read = &result.reads.each[0];
    assert_eq!(read.counts.completed, 1, "{:?}", read.counts);
    let found = [MetricId::Calls, MetricId::Regions, MetricId::RowsRead]
        .map(|id| read.metrics[id].expect("a mean"));
    assert_eq!(found, [f64::from(calls), f64::from(regions), rows_read]);
    let response = read.response.combined().mean().expect("one read").value;
    assert!(
        (response / nanos as f64 - 1.0).abs() < 1e-3,
        "{response} ns, expected {nanos}"
    );
}

#[test]
fn a_multi_get_is_one_call_a_server_and_lasts_as_long_as_the_fullest_server() {
    // Regions 0, 4 and 8 are on one server, 1 and 5 on the next, 7 on another.
    let requests = gets([3, 4, 41, 85, 15, 55, 77]);
    assert_read(&run(&config(), &[requests]), 3, 6, 7.0, NETWORK + 4 * GET);
    assert_read(&run(&config(), &[gets([99])]), 1, 1, 1.0, NETWORK + GET);
}

#[test]
fn gets_that_find_no_row_are_not_read_from_disk() {
    let mut cold = config();
    cold.cluster.service.cache_hit = 0.0;
    let found = gets([1, 2]);
    assert_read(&run(&cold, &[found]), 1, 1, 2.0, NETWORK + 2 * (GET + DISK));
    let mut missed = gets([1, 2]);
    missed.gets_found = 0.0;
    assert_read(&run(&cold, &[missed]), 1, 1, 0.0, NETWORK + 2 * GET);
}

#[test]
fn further_cells_of_a_row_take_time_and_fill_calls() {
    let mut wide = config();
    wide.cluster.service.scan_cell = SimDuration::from_nanos(100);
    let with_cells = |row_cells, mut requests: Requests| {
        (requests.row_cells, requests.cells_returned) = (row_cells, 7.0);
        requests
    };
    let found = with_cells(601.0, gets([1, 2]));
    let result = run(&wide, &[found]);
    assert_read(&result, 1, 1, 2.0, NETWORK + 2 * (GET + 600 * 100));
    let cells = [
        MetricId::CellsRead,
        MetricId::BytesRead,
        MetricId::CellsReturned,
    ];
    let cells = cells.map(|id| result.reads.each[0].metrics[id].unwrap());
    assert_eq!(cells, [1_202.0, 1_202.0 * TABLE_CELL, 7.0]);
    // Two cells of a row take half of a call's bytes, so that two rows fit into one.
    let table = with_rows(wide, [20, 22, 23, 24]);
    let scanned = with_cells(2.0, scans(&[(20, 30, all(4.0))]));
    let rows = 2 * SCAN_ROW + 4 * 100;
    assert_read(
        &run(&table, &[scanned]),
        2,
        1,
        4.0,
        2 * (NETWORK + SCAN) + rows,
    );
}

#[test]
fn a_scan_asks_region_by_region_batch_by_batch() {
    // Six rows in region 2, none in region 3, five in region 4; the scan stops before the last of them.
    let table = with_rows(config(), [20, 22, 23, 24, 25, 26, 40, 41, 42, 43, 44]);
    let requests = scans(&[(20, 44, all(10.0))]);
    // Batches of 4 and 2; an empty one; 4.
    let rows = (3 + 1 + 3) * SCAN_ROW;
    let result = run(&table, &[requests]);
    assert_read(&result, 4, 3, 10.0, 4 * (NETWORK + SCAN) + rows);
    // A stop at a region's start doesn't ask that region; the end of the key space asks the last one.
    let requests = scans(&[(20, 30, all(6.0))]);
    assert_read(
        &run(&table, &[requests]),
        2,
        1,
        6.0,
        2 * (NETWORK + SCAN) + 4 * SCAN_ROW,
    );
    let requests = scans(&[(45, 0, all(0.0))]);
    assert_read(&run(&table, &[requests]), 6, 6, 0.0, 6 * (NETWORK + SCAN));
}

#[test]
fn a_scan_that_has_its_rows_stops_and_a_reversed_one_begins_at_the_end() {
    let table = with_rows(config(), [20, 22, 23, 24, 25, 26, 40, 41, 42, 43, 44]);
    let limited = |rows_read, reversed| ScanRequest {
        rows: 11.0,
        rows_read,
        reversed,
    };
    // Forward: the five rows are in region 2. Reversed: three in the same region, or all of region 4, none in 3, two of 2.
    for (rows, reversed, calls, regions, further) in [
        (5.0, false, 2, 1, 3),
        (3.0, true, 1, 1, 2),
        (7.0, true, 4, 3, 3 + 1),
        (7.0, false, 4, 3, 3 + 1),
    ] {
        let requests = scans(&[(20, 50, limited(rows, reversed))]);
        let expected = u64::from(calls) * (NETWORK + SCAN) + further * SCAN_ROW;
        assert_read(&run(&table, &[requests]), calls, regions, rows, expected);
    }
}

#[test]
fn a_scan_without_a_sample_finds_its_rows_evenly_spread() {
    let requests = scans(&[(0, 50, all(15.0))]);
    assert_read(
        &run(&config(), &[requests]),
        5,
        5,
        15.0,
        5 * (NETWORK + SCAN) + 10 * SCAN_ROW,
    );
}

#[test]
fn fractions_of_rows_become_whole_rows_that_are_right_on_average() {
    let reads: Vec<_> = (0..4_000).map(|_| scans(&[(0, 20, all(0.3))])).collect();
    let mut idle = config();
    idle.cluster.handlers = 4_000;
    let result = run(&idle, &reads);
    let mean = result.reads.each[0].metrics[MetricId::RowsRead].expect("reads ended");
    // Bernoulli: a standard error of sqrt(0.3 * 0.7 / 4,000) = 0.0072; four of them.
    assert!((mean - 0.3).abs() < 4.0 * 0.0072, "{mean}");
}

#[test]
fn scans_of_one_read_are_made_side_by_side_up_to_the_limit_of_the_client() {
    let ranges: Vec<_> = (0..8u8)
        .map(|at| (at * 10, at * 10 + 10, all(3.0)))
        .collect();
    let one = NETWORK + SCAN + 2 * SCAN_ROW;
    for (fan_out, rounds) in [(64, 1), (8, 1), (3, 3), (1, 8)] {
        let mut config = config();
        config.client.fan_out = fan_out;
        assert_read(&run(&config, &[scans(&ranges)]), 8, 8, 24.0, rounds * one);
    }
}

#[test]
fn a_scan_misses_the_cache_at_most_once_a_call() {
    let mut cold = with_rows(config(), [20, 22, 23, 24, 25, 26]);
    cold.cluster.service.cache_hit = 0.0;
    let expected = 2 * (NETWORK + SCAN + DISK) + 4 * SCAN_ROW;
    let requests = scans(&[(20, 30, all(6.0))]);
    assert_read(&run(&cold, &[requests]), 2, 1, 6.0, expected);
}

/// One handler a server and no call queue: of two calls at one time the second is refused.
fn refusing() -> SimConfig {
    let mut config = config();
    config.cluster.handlers = 1;
    config.cluster.call_queues = 1;
    config.cluster.call_queue_length = 0;
    config.client.pause = SimDuration::from_millis(100);
    config
}

#[test]
fn a_refused_part_is_sent_again_after_a_pause_and_the_read_waits_for_it() {
    let requests = scans(&[(0, 10, all(1.0)), (40, 50, all(1.0)), (10, 20, all(1.0))]);
    let result = run(&refusing(), &[requests]);
    let read = &result.reads.each[0];
    assert_eq!((read.counts.completed, read.counts.failed), (1, 0));
    // Attempts again are no further calls.
    assert_eq!(read.metrics[MetricId::Calls], Some(3.0));
    let response = read.response.combined().mean().expect("one read").value;
    let least = (NETWORK + 100_000 * MICROS + NETWORK + SCAN) as f64;
    // The pause has a jitter of up to 1 %.
    assert!(
        (least * 0.999..least * 1.012).contains(&response),
        "{response}"
    );
}

#[test]
fn a_part_without_retries_or_time_left_fails_its_read_and_starts_nothing_more() {
    let requests = || scans(&[(0, 10, all(9.0)), (40, 50, all(1.0)), (10, 20, all(1.0))]);
    let mut impatient = refusing();
    impatient.client.retries = 0;
    let mut late = refusing();
    late.client.deadline = SimDuration::from_millis(50);
    for config in [impatient, late] {
        for fan_out in [2, 64] {
            let mut config = config.clone();
            config.client.fan_out = fan_out;
            let result = run(&config, &[requests()]);
            let counts = result.reads.each[0].counts;
            assert_eq!((counts.completed, counts.failed), (0, 1), "{counts:?}");
        }
    }
}

#[test]
fn a_read_of_nothing_is_over_at_once() {
    let result = run(&config(), &[Requests::default()]);
    assert_eq!(result.reads.each[0].counts.completed, 1);
    assert_eq!(result.reads.each[0].metrics[MetricId::Calls], Some(0.0));
}

#[test]
fn a_scan_of_a_table_of_any_size_goes_call_by_call_and_does_not_hold_up_the_run() {
    let mut config = config();
    let points = (1..10_000u16).map(|point| RowKey(point.to_be_bytes().to_vec()));
    config.split_points = Arc::new(points.collect());
    config.table.value = ByteSize(100);
    let whole = || scans(&[(0, 0, all(1e9))]);
    let result = run(&config, &[whole()]);
    assert_eq!(result.reads.each[0].counts.in_flight, 1);
    // Nothing takes any time: a microsecond a call.
    config.cluster.network = SimDuration::ZERO;
    config.cluster.service.scan = SimDuration::ZERO;
    config.cluster.service.scan_row = SimDuration::ZERO;
    config.duration = SimTime::from_nanos(10_000_000);
    let result = run(&config, &[whole()]);
    assert_eq!(result.reads.each[0].counts.in_flight, 1);
}

#[test]
fn reads_of_a_copy_ask_the_regions_of_that_copy() {
    let mut config = config();
    let copy = |points: Vec<u8>| TableCopy {
        key: config.key.clone(),
        split_points: Arc::new(
            points
                .into_iter()
                .map(|point| RowKey(vec![point]))
                .collect(),
        ),
    };
    config.copies = Arc::new(vec![copy(vec![50]), copy(vec![30, 60])]);
    let read = PlannedRead {
        table: 2,
        ..config.reads[0].clone()
    };
    config.reads = Arc::new(vec![read]);
    let requests = scans(&[(0, 0, all(6.0))]);
    assert_read(
        &run(&config, &[requests]),
        3,
        3,
        6.0,
        3 * (NETWORK + SCAN + SCAN_ROW),
    );
}
