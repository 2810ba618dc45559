//! Small runs whose outcome is known beforehand: how they end, what they offer, and what they can't exceed.

use crate::configs::{closed, config, even_ids, open, put, read, read_rate, schema, with_reads};
use keyheat::cluster::{LogSyncs, ServiceLaw};
use keyheat::engine::{self, SimConfig};
use keyheat::metrics::{MetricId, RunResult};
use keyheat::record::DistributionShape;
use keyheat::time::{SimDuration, SimTime};
use keyheat::units::{ByteSize, PerSecond};
use keyheat::workload::{
    Arrivals, Import, ImportOrder, ImportRows, LoadModel, Think, Workload, Write, WriteKind,
};
use std::sync::atomic::{AtomicBool, Ordering};

const IDS: u64 = 64;

#[test]
fn a_write_to_copies_is_one_operation_that_the_slowest_copy_ends() {
    let schema = schema(IDS, DistributionShape::Uniform);
    let run = |copies: usize, load: LoadModel| {
        let mut run = config(
            &schema,
            "be4(id)",
            even_ids(IDS, 4),
            vec![put(load)],
            1.0,
            8,
        );
        run.warmup = SimTime::ZERO;
        run.cluster.servers = 8;
        let copies = vec![("be4(metric)", Vec::new()); copies];
        engine::run(&with_reads(run, 0, &copies, Vec::new()))
    };
    let (one, three) = (run(0, open(2_000.0)), run(2, open(2_000.0)));
    assert_eq!(one.writes.counts.offered, three.writes.counts.offered);
    assert!(
        three.writes.counts.in_flight < 20,
        "{:?}",
        three.writes.counts
    );
    let mean = |result: &RunResult| {
        let response = result.writes.response.combined().mean();
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
        LoadModel::Closed {
            clients: 3,
            think: Think::Constant(SimDuration::ZERO),
            buffer: Some(ByteSize(10_000)),
            import: drawn(997),
        },
    );
    let counts = buffered.writes.counts;
    assert_eq!((counts.offered, counts.completed), (997, 997), "{counts:?}");
}

#[test]
fn the_same_reads_are_offered_under_every_key() {
    let schema = schema(IDS, DistributionShape::Uniform);
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
            .reads
            .counts
            .offered
    };
    assert!(offered("be4(id) || be8(ts)") > 200);
    assert_eq!(offered("be4(id) || be8(ts)"), offered("be8(ts) || be4(id)"));
}

/// The finite imports of a run, all of whose operations end well before its duration.
fn imports(writes: Vec<Write>) -> SimConfig {
    config(
        &schema(IDS, DistributionShape::Uniform),
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
        times: None,
    })
}

#[test]
fn a_run_of_finite_imports_ends_when_the_last_reply_has_come() {
    let closed = LoadModel::Closed {
        clients: 7,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import: drawn(1001),
    };
    let buffered = LoadModel::Closed {
        clients: 3,
        think: Think::Constant(SimDuration::ZERO),
        buffer: Some(ByteSize(10_000)),
        import: drawn(997),
    };
    let open = LoadModel::Open {
        rate: PerSecond(5_000.0),
        arrivals: Arrivals::Constant,
        profile: vec![],
        import: drawn(503),
    };
    let mut run = imports(vec![put(closed), put(buffered), put(open)]);
    run.warmup = SimTime::ZERO;
    let result = engine::run(&run);
    let completed: Vec<_> = result
        .writes
        .each
        .iter()
        .map(|write| write.counts.completed)
        .collect();
    assert_eq!(completed, [1001, 997, 503]);
    assert_eq!(
        result.writes.counts.in_flight + result.writes.counts.failed,
        0
    );
    // 503 operations at 5,000/s take 0.1 s, and the others less: the run doesn't last for its 60 s.
    let makespan = result.metrics[MetricId::Makespan].expect("the import was made");
    assert!((100.0..400.0).contains(&makespan), "{makespan} ms");
}

#[test]
fn nothing_takes_any_time_and_the_run_still_ends() {
    let mut run = config(
        &schema(IDS, DistributionShape::Uniform),
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
    assert_eq!(result.writes.counts.offered, 10_000 + 9_667 + 9_334);
    run.cluster.call_queue_length = 0;
    run.cluster.handlers = 1;
    run.cluster.service.put = SimDuration::from_secs(1);
    run.client.pause = SimDuration::ZERO;
    run.client.retries = u32::MAX;
    let result = engine::run(&run);
    assert_eq!(result.writes.counts.in_flight, result.writes.counts.offered);
}

#[test]
fn an_open_loop_beyond_the_limit_in_flight_fails_at_once() {
    let mut run = config(
        &schema(IDS, DistributionShape::Uniform),
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
    assert_eq!(result.writes.counts.in_flight, 50);
    // One handler and a mean of 10 ms and a sync each: fewer than 200 of 10,000 in a second.
    assert!(
        result.writes.counts.completed < 200,
        "{:?}",
        result.writes.counts
    );
    assert!(
        result.writes.counts.failed > 9_000,
        "{:?}",
        result.writes.counts
    );
}

#[test]
fn increments_of_one_row_wait_for_each_other_and_puts_do_not() {
    let rate = |kind| {
        let write = Write {
            kind,
            ..put(closed(40))
        };
        let mut run = config(
            &schema(1, DistributionShape::Uniform),
            "be4(id)",
            vec![],
            vec![write],
            4.0,
            3,
        );
        run.cluster.service.distribution = ServiceLaw::Constant;
        let result = engine::run(&run);
        result.metrics[MetricId::WriteThroughput].expect("operations were completed")
    };
    // One after another, as the row is held over the sync: 0.3 ms of service and 1.2 ms of sync each.
    let increments = rate(WriteKind::Increment);
    assert!((increments - 1e3 / 1.5).abs() < 2.0, "{increments}");
    assert!(rate(WriteKind::Put) > 10.0 * increments);
}

#[test]
fn a_refused_flush_gives_up_the_rows_that_are_too_late_and_keeps_the_others() {
    let buffered = LoadModel::Closed {
        clients: 12,
        think: Think::Constant(SimDuration::from_nanos(200_000)),
        buffer: Some(ByteSize(4_000)),
        import: None,
    };
    let mut run = config(
        &schema(IDS, DistributionShape::Uniform),
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
    let counts = result.writes.counts;
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
    let schema = schema(IDS, DistributionShape::Uniform);
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
        engine::run(&run).writes.counts.offered
    };
    assert_eq!(
        offered("be4(id) || be8(ts)", 4),
        offered("be8(ts) || be4(id)", 1)
    );
}

#[test]
fn a_refused_client_asks_again_after_100_microseconds_at_least() {
    let schema = schema(IDS, DistributionShape::Uniform);
    const CLIENTS: u32 = 100;
    for (buffer, retries) in [(None, 0), (Some(ByteSize(1)), 0), (None, 3)] {
        let load = LoadModel::Closed {
            clients: CLIENTS,
            think: Think::Constant(SimDuration::ZERO),
            buffer,
            import: None,
        };
        let mut run = config(&schema, "be4(id)", Vec::new(), vec![put(load)], 0.05, 6);
        run.cluster.network = SimDuration::ZERO;
        (run.cluster.handlers, run.cluster.call_queues) = (1, 1);
        run.cluster.call_queue_length = 1;
        run.client.pause = SimDuration::ZERO;
        run.client.retries = retries;
        let counts = engine::run(&run).writes.counts;
        // Nearly every attempt is refused, and each refused one costs its client 100 µs of the 50 ms.
        let refused = u64::from(CLIENTS) * 500 / u64::from(retries + 1);
        let most = refused + u64::from(CLIENTS) + counts.completed;
        assert!(counts.offered <= most, "{buffer:?}: {counts:?}");
        assert!(counts.failed > refused / 2, "{buffer:?}: {counts:?}");
    }
}

#[test]
fn a_run_that_is_to_stop_has_no_result() {
    let schema = schema(IDS, DistributionShape::Uniform);
    let writes = vec![put(open(100_000.0))];
    let run = config(&schema, "be4(id)", Vec::new(), writes, 1.0, 6);
    let stop = AtomicBool::new(true);
    assert!(engine::run_unless(&run, &stop).is_none());
    stop.store(false, Ordering::Relaxed);
    assert!(engine::run_unless(&run, &stop).is_some());
}

#[test]
fn clients_of_a_saturating_run_pause_when_they_are_refused() {
    let schema = schema(IDS, DistributionShape::Uniform);
    let writes = vec![put(open(20.0))];
    let mut run = config(&schema, "be4(id)", Vec::new(), writes, 1.0, 6);
    (run.client.retries, run.client.pause) = (0, SimDuration::ZERO);
    let client = engine::saturating(&run, None).client;
    assert_eq!(client.retries, 15);
    assert_eq!(client.pause, SimDuration::from_millis(1));
    (run.client.retries, run.client.pause) = (40, SimDuration::from_secs(1));
    let client = engine::saturating(&run, None).client;
    assert_eq!((client.retries, client.pause), (40, run.client.pause));
}

#[test]
fn a_saturated_server_completes_what_its_handlers_and_its_log_allow() {
    let schema = schema(IDS, DistributionShape::Uniform);
    let mut run = config(
        &schema,
        "be4(id)",
        even_ids(IDS, 4),
        vec![put(open(100.0))],
        1.0,
        7,
    );
    run.cluster.wal = None;
    let alone: SimConfig = engine::saturating(&run, None);
    assert_eq!((alone.cluster.servers, alone.split_points.len()), (1, 0));
    let Workload { writes, .. } = &*alone.workload;
    assert!(matches!(
        writes[0].load,
        LoadModel::Closed { clients: 300, .. }
    ));
    let capacity =
        engine::run(&alone).metrics[MetricId::WriteThroughput].expect("operations were completed");
    // 30 handlers, 0.3 ms each; 20,000 exponential service times: four standard errors are 4 / sqrt(20,000) = 2.8 %.
    assert!((capacity / 100_000.0 - 1.0).abs() < 0.028, "{capacity}");
}

/// A row of 1,000 B under a key of 12 takes 1,034 B of a log of 10 MiB/s: 10,141 a second. Thirty handlers would do 30 / 1.6 ms = 18.8k with a put of 1 ms and syncs of 0.5 ms, and 20k with 0.3 ms
/// and 1.2 ms. Calls come in groups: one of ten leaves a log with syncs of 1.2 ms, one at a time, idle for 0.2 of 3 ms.
#[test]
fn the_log_of_a_saturated_server_is_full_whatever_the_law_of_its_service_times() {
    let schema = schema(IDS, DistributionShape::Uniform);
    let writes = vec![put(open(100.0))];
    let mut run = config(&schema, "be4(id) || be8(ts)", Vec::new(), writes, 1.0, 8);
    run.table.value = ByteSize(1_000);
    let laws = [
        ServiceLaw::Constant,
        ServiceLaw::Exponential,
        ServiceLaw::Lognormal { cv: 0.5 },
    ];
    for law in laws {
        for (put, sync, syncs) in [
            (1_000, 500, LogSyncs::Single),
            (100, 1_200, LogSyncs::Single),
            (1_000, 500, LogSyncs::Pipelined),
            (300, 1_200, LogSyncs::Pipelined),
        ] {
            let micros = |micros: u64| SimDuration::from_nanos(1_000 * micros);
            run.cluster.service.distribution = law;
            run.cluster.service.put = micros(put);
            let wal = run.cluster.wal.as_mut().expect("a log");
            (wal.sync, wal.syncs) = (micros(sync), syncs);
            let run = engine::saturating(&run, None);
            let found = engine::run(&run).metrics[MetricId::WriteThroughput].expect("a rate");
            assert!(
                (found / 10_141.0 - 1.0).abs() < 0.05,
                "{law:?} {put} {sync} {syncs:?}: {found}"
            );
        }
    }
}
