//! Conservation, termination and determinism over random small runs.

mod configs;

use configs::{closed, config, even_ids, newest, open, put, read, read_rate, schema, with_reads};
use keyheat::cluster::{ServiceLaw, WalSpec};
use keyheat::engine::{self, Neighbour, SimConfig};
use keyheat::keyspace::RowKey;
use keyheat::metrics::RunResult;
use keyheat::record::LawShape;
use keyheat::time::{SimDuration, SimTime};
use keyheat::units::{Bandwidth, ByteSize, PerSecond};
use keyheat::workload::{
    Arrivals, Drive, Import, ImportOrder, ImportRows, Read, ReadDrive, Think, Workload, Write,
    WriteKind,
};
use proptest::prelude::*;
use std::sync::Arc;

const IDS: u64 = 64;

fn nanos(range: std::ops::Range<u64>) -> impl Strategy<Value = SimDuration> {
    prop_oneof![1 => Just(SimDuration::ZERO), 3 => range.prop_map(SimDuration::from_nanos)]
}

fn import() -> impl Strategy<Value = Option<Import>> {
    let finite = (
        0u64..400,
        prop_oneof![Just(ImportOrder::Time), Just(ImportOrder::Shuffled)],
    )
        .prop_map(|(records, order)| {
            Some(Import {
                rows: ImportRows::Drawn {
                    records,
                    last: SimDuration::from_secs(9),
                },
                order,
            })
        });
    prop_oneof![2 => Just(None), 1 => finite]
}

fn drive() -> impl Strategy<Value = Drive> {
    let open =
        (1.0..200_000.0f64, prop::bool::ANY, import()).prop_map(|(rate, poisson, import)| {
            Drive::Open {
                rate: PerSecond(rate),
                arrivals: if poisson {
                    Arrivals::Poisson
                } else {
                    Arrivals::Constant
                },
                profile: Vec::new(),
                import,
            }
        });
    let think = (prop::bool::ANY, nanos(1_000..3_000_000)).prop_map(|(random, mean)| {
        if random {
            Think::Exponential(mean)
        } else {
            Think::Constant(mean)
        }
    });
    let buffer = prop_oneof![
        Just(None),
        (0u64..20_000).prop_map(|bytes| Some(ByteSize(bytes)))
    ];
    let closed =
        (1u32..60, think, buffer, import()).prop_map(|(clients, think, buffer, import)| {
            Drive::Closed {
                clients,
                think,
                buffer,
                import,
            }
        });
    prop_oneof![open, closed]
}

fn write() -> impl Strategy<Value = Write> {
    (drive(), prop::bool::weighted(0.3)).prop_map(|(drive, increment)| Write {
        kind: if increment {
            WriteKind::Increment
        } else {
            WriteKind::Put
        },
        ..put(drive)
    })
}

/// Runs of up to 20 ms: overloaded or idle, with queues of any length, with retries that succeed, fail or come too late.
fn run() -> impl Strategy<Value = SimConfig> {
    let cluster = (
        1u32..5,
        1u32..6,
        1u32..4,
        prop_oneof![0u32..6, Just(u32::MAX)],
        nanos(1..400_000),
    );
    let service = (
        0u8..3,
        nanos(100..500_000),
        nanos(1..9_000),
        prop::option::of((nanos(1..900_000), 1e5..1e8f64)),
    );
    let client = (
        nanos(1..2_000_000),
        0u32..6,
        nanos(1..30_000_000),
        prop_oneof![1u64..40, Just(u64::MAX)],
    );
    let shape = (
        prop::collection::vec(write(), 1..4),
        1u64..12,
        1u64..20,
        0u64..1000,
    );
    (cluster, service, client, shape).prop_map(
        |(cluster, service, client, (mut writes, regions, millis, seed))| {
            for (at, write) in writes.iter_mut().enumerate() {
                write.name = format!("w{at}");
            }
            let schema = schema(IDS, LawShape::Zipf { exponent: 1.1 });
            let splits = even_ids(IDS, regions);
            let mut run = config(
                &schema,
                "be4(id) || be8(ts)",
                splits,
                writes,
                millis as f64 / 1e3,
                seed,
            );
            run.cluster.servers = cluster.0;
            run.cluster.handlers = cluster.1;
            run.cluster.call_queues = cluster.2.min(cluster.1);
            run.cluster.call_queue_length = cluster.3;
            run.cluster.network = cluster.4;
            run.cluster.service.law = [
                ServiceLaw::Constant,
                ServiceLaw::Exponential,
                ServiceLaw::Lognormal { cv: 2.0 },
            ][usize::from(service.0)];
            run.cluster.service.put = service.1;
            run.cluster.service.write_row = service.2;
            run.cluster.wal = service.3.map(|(sync, bandwidth)| WalSpec {
                sync,
                bandwidth: Bandwidth(bandwidth),
            });
            run.client.pause = client.0;
            run.client.retries = client.1;
            run.client.deadline = client.2;
            run.client.max_in_flight = client.3;
            run.key_buckets = Arc::new(even_ids(IDS, 4));
            run
        },
    )
}

/// Reads by any part of the key, of single rows, prefixes or the whole table, open and closed loops.
fn reads() -> impl Strategy<Value = Vec<Read>> {
    let open = (1.0..40_000.0f64).prop_map(read_rate);
    // Clients that hardly wait would send millions of reads over a network without delay.
    let think = (prop::bool::ANY, nanos(200_000..3_000_000)).prop_map(|(random, mean)| {
        if random {
            Think::Exponential(mean)
        } else {
            Think::Constant(mean)
        }
    });
    let closed =
        (1u32..20, think).prop_map(|(clients, think)| Some(ReadDrive::Closed { clients, think }));
    let drive = prop_oneof![3 => open, 3 => closed, 1 => Just(None)];
    let fields = prop::sample::subsequence(vec!["id", "metric", "ts"], 0..=3);
    let one = (fields, drive, prop::option::of(1u32..200)).prop_map(|(equal, drive, rows)| {
        // The newest of rows of one instant is no question.
        match rows {
            Some(rows) if !equal.contains(&"ts") => newest(rows, &equal, drive),
            _ => read(&equal, drive),
        }
    });
    prop::collection::vec(one, 0..4)
}

/// [`run`] with reads and up to two further copies.
fn run_with_reads() -> impl Strategy<Value = SimConfig> {
    let service = (
        nanos(100..500_000),
        nanos(100..900_000),
        nanos(1..20_000),
        0.0..1.0f64,
    );
    let shape = (0usize..3, 0u64..3_000, 1u32..9, 0u64..300_000);
    (run(), reads(), service, shape).prop_map(
        |(mut run, mut reads, service, (copies, rows, fan_out, value))| {
            for (at, read) in reads.iter_mut().enumerate() {
                read.name = format!("r{at}");
            }
            let copies = [
                (
                    "be1(random(5)) || be8(ts) || be4(id)",
                    vec![RowKey(vec![2])],
                ),
                ("be8(ts) || be4(metric)", Vec::new()),
            ][..copies]
                .to_vec();
            run.client.fan_out = fan_out;
            run.table.value = ByteSize(value);
            run.cluster.service.get = service.0;
            run.cluster.service.scan = service.1;
            run.cluster.service.disk_read = service.2;
            run.cluster.service.cache_hit = service.3;
            with_reads(run, rows, &copies, reads)
        },
    )
}

/// [`run_with_reads`] with up to two neighbours.
fn run_with_neighbours() -> impl Strategy<Value = SimConfig> {
    let neighbour = (
        1u32..9,
        prop_oneof![Just(0.0), 1.0..30_000.0f64],
        prop_oneof![Just(0.0), 1.0..30_000.0f64],
        prop::option::of(0.0..=1.0f64),
    );
    let neighbours = prop::collection::vec(neighbour, 1..3);
    (run_with_reads(), neighbours).prop_map(|(mut run, neighbours)| {
        let named = (0..)
            .zip(neighbours)
            .map(|(at, (regions, write_rate, read_rate, hottest))| {
                let name = format!("n{at}");
                Neighbour {
                    name,
                    regions,
                    write_rate,
                    read_rate,
                    hottest,
                }
            });
        run.changes.neighbours = Arc::new(named.collect());
        run
    })
}

/// All of a result but nothing of how it was reached.
fn text(result: &RunResult) -> String {
    format!("{result:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_is_completed_failed_or_in_flight_whatever_the_batch_size(run in run()) {
        let result = engine::run(&run);
        for counts in result.write_counts.iter().chain([&result.counts]) {
            prop_assert_eq!(counts.offered, counts.completed + counts.failed + counts.in_flight);
        }
        let expected = text(&result);
        for batch in [1, 7] {
            let again = engine::run(&SimConfig { batch, ..run.clone() });
            prop_assert_eq!(&text(&again), &expected, "batch {}", batch);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn every_read_and_every_write_to_copies_is_completed_failed_or_in_flight(run in run_with_reads()) {
        let result = engine::run(&run);
        let of_reads = result.reads.iter().map(|read| &read.counts);
        for counts in result.write_counts.iter().chain([&result.counts]).chain(of_reads) {
            prop_assert_eq!(counts.offered, counts.completed + counts.failed + counts.in_flight);
        }
        let again = engine::run(&SimConfig { batch: 7, ..run.clone() });
        prop_assert_eq!(text(&again), text(&result));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_of_a_neighbour_is_completed_failed_or_in_flight(run in run_with_neighbours()) {
        let result = engine::run(&run);
        let of_reads = result.reads.iter().map(|read| &read.counts);
        let of_neighbours = result.neighbours.iter().map(|neighbour| &neighbour.counts);
        for counts in of_neighbours.chain([&result.counts]).chain(of_reads) {
            prop_assert_eq!(counts.offered, counts.completed + counts.failed + counts.in_flight);
        }
        let again = engine::run(&SimConfig { batch: 7, ..run.clone() });
        prop_assert_eq!(text(&again), text(&result));
    }
}

#[test]
fn a_write_to_copies_is_one_operation_that_the_slowest_copy_ends() {
    let schema = schema(IDS, LawShape::Uniform);
    let run = |copies: usize, drive: Drive| {
        let mut run = config(
            &schema,
            "be4(id)",
            even_ids(IDS, 4),
            vec![put(drive)],
            1.0,
            8,
        );
        run.warmup = SimTime::ZERO;
        run.cluster.servers = 8;
        let copies = vec![("be4(metric)", Vec::new()); copies];
        engine::run(&with_reads(run, 0, &copies, Vec::new()))
    };
    let (one, three) = (run(0, open(2_000.0)), run(2, open(2_000.0)));
    assert_eq!(one.counts.offered, three.counts.offered);
    assert!(three.counts.in_flight < 20, "{:?}", three.counts);
    let mean = |result: &RunResult| {
        let response = result.response.combined().mean();
        response.expect("operations").value / 1e6
    };
    // A row waits for its service and for about one sync; the slowest of three exponential services is 1 + 1/2 + 1/3 times
    // as long as one: 0.25 ms more of 0.3 ms.
    assert!(
        mean(&three) > mean(&one) + 0.2,
        "{} and {} ms",
        mean(&three),
        mean(&one)
    );
    // Rows of copies wait in the write buffer and are flushed alike: an import of so many ends with so many.
    let buffered = run(
        2,
        Drive::Closed {
            clients: 3,
            think: Think::Constant(SimDuration::ZERO),
            buffer: Some(ByteSize(10_000)),
            import: drawn(997),
        },
    );
    let counts = buffered.counts;
    assert_eq!((counts.offered, counts.completed), (997, 997), "{counts:?}");
}

#[test]
fn the_same_reads_are_offered_under_every_key() {
    let schema = schema(IDS, LawShape::Uniform);
    let offered = |key: &str| {
        let run = config(
            &schema,
            key,
            even_ids(IDS, 4),
            vec![put(open(3_000.0))],
            0.5,
            6,
        );
        let reads = vec![read(&["id"], read_rate(700.0))];
        engine::run(&with_reads(run, 500, &[], reads))
            .read_counts
            .offered
    };
    assert!(offered("be4(id) || be8(ts)") > 200);
    assert_eq!(offered("be4(id) || be8(ts)"), offered("be8(ts) || be4(id)"));
}

/// The finite imports of a run, all of whose operations end well before its duration.
fn imports(writes: Vec<Write>) -> SimConfig {
    config(
        &schema(IDS, LawShape::Uniform),
        "be4(id) || be8(ts)",
        even_ids(IDS, 4),
        writes,
        60.0,
        5,
    )
}

fn drawn(records: u64) -> Option<Import> {
    let rows = ImportRows::Drawn {
        records,
        last: SimDuration::from_secs(3600),
    };
    Some(Import {
        rows,
        order: ImportOrder::Shuffled,
    })
}

#[test]
fn a_run_of_finite_imports_ends_when_the_last_reply_has_come() {
    let closed = Drive::Closed {
        clients: 7,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import: drawn(1001),
    };
    let buffered = Drive::Closed {
        clients: 3,
        think: Think::Constant(SimDuration::ZERO),
        buffer: Some(ByteSize(10_000)),
        import: drawn(997),
    };
    let open = Drive::Open {
        rate: PerSecond(5_000.0),
        arrivals: Arrivals::Constant,
        profile: vec![],
        import: drawn(503),
    };
    let mut run = imports(vec![put(closed), put(buffered), put(open)]);
    run.warmup = SimTime::ZERO;
    let result = engine::run(&run);
    let completed: Vec<_> = result
        .write_counts
        .iter()
        .map(|counts| counts.completed)
        .collect();
    assert_eq!(completed, [1001, 997, 503]);
    assert_eq!(result.counts.in_flight + result.counts.failed, 0);
    // 503 operations at 5,000/s take 0.1 s, and the others less: the run doesn't last for its 60 s.
    let makespan = result.metrics["makespan_ms"].expect("the import was made");
    assert!((100.0..400.0).contains(&makespan), "{makespan} ms");
}

#[test]
fn nothing_takes_any_time_and_the_run_still_ends() {
    let mut run = config(
        &schema(IDS, LawShape::Uniform),
        "be4(id)",
        vec![],
        vec![put(closed(3))],
        0.01,
        1,
    );
    run.cluster.network = SimDuration::ZERO;
    run.cluster.service.put = SimDuration::ZERO;
    run.cluster.wal = None;
    let result = engine::run(&run);
    // One operation a client and microsecond; the clients start a third of a millisecond apart.
    assert_eq!(result.counts.offered, 10_000 + 9_667 + 9_334);
    run.cluster.call_queue_length = 0;
    run.cluster.handlers = 1;
    run.cluster.service.put = SimDuration::from_secs(1);
    run.client.pause = SimDuration::ZERO;
    run.client.retries = u32::MAX;
    let result = engine::run(&run);
    assert_eq!(result.counts.in_flight, result.counts.offered);
}

#[test]
fn an_open_loop_beyond_the_limit_in_flight_fails_at_once() {
    let mut run = config(
        &schema(IDS, LawShape::Uniform),
        "be4(id)",
        vec![],
        vec![put(open(10_000.0))],
        1.0,
        2,
    );
    run.cluster.servers = 1;
    run.cluster.handlers = 1;
    run.cluster.service.put = SimDuration::from_millis(10);
    run.cluster.call_queue_length = u32::MAX;
    run.client.max_in_flight = 50;
    let result = engine::run(&run);
    assert_eq!(result.counts.in_flight, 50);
    // One handler and a mean of 10 ms and a sync each: fewer than 200 of 10,000 in a second.
    assert!(result.counts.completed < 200, "{:?}", result.counts);
    assert!(result.counts.failed > 9_000, "{:?}", result.counts);
}

#[test]
fn increments_of_one_row_wait_for_each_other_and_puts_do_not() {
    let rate = |kind| {
        let write = Write {
            kind,
            ..put(closed(40))
        };
        let mut run = config(
            &schema(1, LawShape::Uniform),
            "be4(id)",
            vec![],
            vec![write],
            4.0,
            3,
        );
        run.cluster.service.law = ServiceLaw::Constant;
        let result = engine::run(&run);
        result.metrics["write_throughput_per_sec"].expect("operations were completed")
    };
    // One after another: 0.3 ms of service and 0.7 ms of sync each.
    let increments = rate(WriteKind::Increment);
    assert!((increments - 1_000.0).abs() < 2.0, "{increments}");
    assert!(rate(WriteKind::Put) > 10.0 * increments);
}

#[test]
fn a_refused_flush_gives_up_the_rows_that_are_too_late_and_keeps_the_others() {
    let buffered = Drive::Closed {
        clients: 12,
        think: Think::Constant(SimDuration::from_nanos(200_000)),
        buffer: Some(ByteSize(4_000)),
        import: None,
    };
    let mut run = config(
        &schema(IDS, LawShape::Uniform),
        "be4(id)",
        even_ids(IDS, 3),
        vec![put(buffered)],
        2.0,
        4,
    );
    run.cluster.servers = 2;
    run.cluster.handlers = 1;
    run.cluster.call_queues = 1;
    run.cluster.call_queue_length = 1;
    run.client.pause = SimDuration::from_nanos(500_000);
    run.client.deadline = SimDuration::from_nanos(6_000_000);
    let result = engine::run(&run);
    let counts = result.counts;
    assert!(
        counts.failed > 100 && counts.completed > 1_000,
        "{counts:?}"
    );
    assert_eq!(
        counts.offered,
        counts.completed + counts.failed + counts.in_flight
    );
}

#[test]
fn the_same_rows_are_offered_under_every_key_in_an_open_loop() {
    let schema = schema(IDS, LawShape::Uniform);
    let offered = |key: &str, servers| {
        let mut run = config(
            &schema,
            key,
            even_ids(IDS, 4),
            vec![put(open(30_000.0))],
            0.5,
            6,
        );
        run.cluster.servers = servers;
        engine::run(&run).counts.offered
    };
    assert_eq!(
        offered("be4(id) || be8(ts)", 4),
        offered("be8(ts) || be4(id)", 1)
    );
}

#[test]
fn a_saturated_server_completes_what_its_handlers_and_its_log_allow() {
    let schema = schema(IDS, LawShape::Uniform);
    let mut run = config(
        &schema,
        "be4(id)",
        even_ids(IDS, 4),
        vec![put(open(100.0))],
        1.0,
        7,
    );
    run.cluster.wal = None;
    let alone: SimConfig = engine::saturating(&run);
    assert_eq!((alone.cluster.servers, alone.split_points.len()), (1, 0));
    let Workload { writes, .. } = &*alone.workload;
    assert!(matches!(
        writes[0].drive,
        Drive::Closed { clients: 300, .. }
    ));
    let capacity =
        engine::run(&alone).metrics["write_throughput_per_sec"].expect("operations were completed");
    // 30 handlers, 0.3 ms each; 20,000 exponential service times: four standard errors are 4 / sqrt(20,000) = 2.8 %.
    assert!((capacity / 100_000.0 - 1.0).abs() < 0.028, "{capacity}");
}
