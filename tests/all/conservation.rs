//! Conservation, termination and determinism over random small runs.

use crate::configs::{config, even_ids, newest, put, read, read_rate, schema, with_reads};
use keyheat::cluster::{LogSyncs, ServiceLaw, WalSpec};
use keyheat::engine::{self, Neighbour, SimConfig};
use keyheat::keyspace::RowKey;
use keyheat::metrics::RunResult;
use keyheat::record::DistributionShape;
use keyheat::time::SimDuration;
use keyheat::units::{Bandwidth, ByteSize, PerSecond};
use keyheat::workload::{
    Arrivals, Import, ImportOrder, ImportRows, LoadModel, Read, ReadLoadModel, Think, Write,
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
                times: None,
            })
        });
    prop_oneof![2 => Just(None), 1 => finite]
}

fn load() -> impl Strategy<Value = LoadModel> {
    let open =
        (1.0..200_000.0f64, prop::bool::ANY, import()).prop_map(|(rate, poisson, import)| {
            LoadModel::Open {
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
            LoadModel::Closed {
                clients,
                think,
                buffer,
                import,
            }
        });
    prop_oneof![open, closed]
}

fn write() -> impl Strategy<Value = Write> {
    (load(), prop::bool::weighted(0.3)).prop_map(|(load, increment)| Write {
        kind: if increment {
            WriteKind::Increment
        } else {
            WriteKind::Put
        },
        ..put(load)
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
        prop::option::of((
            nanos(1..900_000),
            1e5..1e8f64,
            prop_oneof![Just(LogSyncs::Pipelined), Just(LogSyncs::Single)],
        )),
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
            let schema = schema(IDS, DistributionShape::Zipf { exponent: 1.1 });
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
            run.cluster.service.distribution = [
                ServiceLaw::Constant,
                ServiceLaw::Exponential,
                ServiceLaw::Lognormal { cv: 2.0 },
            ][usize::from(service.0)];
            run.cluster.service.put = service.1;
            run.cluster.service.write_row = service.2;
            run.cluster.wal = service.3.map(|(sync, bandwidth, syncs)| WalSpec {
                sync,
                bandwidth: Bandwidth(bandwidth),
                syncs,
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
    let closed = (1u32..20, think)
        .prop_map(|(clients, think)| Some(ReadLoadModel::Closed { clients, think }));
    let load = prop_oneof![3 => open, 3 => closed, 1 => Just(None)];
    let fields = prop::sample::subsequence(vec!["id", "metric", "ts"], 0..=3);
    let one = (fields, load, prop::option::of(1u32..200)).prop_map(|(equal, load, rows)| {
        // The newest of rows of one instant is no question.
        match rows {
            Some(rows) if !equal.contains(&"ts") => newest(rows, &equal, load),
            _ => read(&equal, load),
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
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_is_completed_failed_or_in_flight_whatever_the_batch_size(run in run()) {
        let result = engine::run(&run);
        let of_writes = result.writes.each.iter().map(|write| &write.counts);
        for counts in of_writes.chain([&result.writes.counts]) {
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
    #![proptest_config(ProptestConfig { cases: 70, ..ProptestConfig::default() })]

    #[test]
    fn every_read_and_every_write_to_copies_is_completed_failed_or_in_flight(run in run_with_reads()) {
        let result = engine::run(&run);
        let of_reads = result.reads.each.iter().map(|read| &read.counts);
        let of_writes = result.writes.each.iter().map(|write| &write.counts);
        for counts in of_writes.chain([&result.writes.counts]).chain(of_reads) {
            prop_assert_eq!(counts.offered, counts.completed + counts.failed + counts.in_flight);
        }
        let again = engine::run(&SimConfig { batch: 7, ..run.clone() });
        prop_assert_eq!(text(&again), text(&result));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_of_a_neighbour_is_completed_failed_or_in_flight(run in run_with_neighbours()) {
        let result = engine::run(&run);
        let of_reads = result.reads.each.iter().map(|read| &read.counts);
        let of_neighbours = result.neighbours.each.iter().map(|neighbour| &neighbour.counts);
        for counts in of_neighbours.chain([&result.writes.counts]).chain(of_reads) {
            prop_assert_eq!(counts.offered, counts.completed + counts.failed + counts.in_flight);
        }
        let again = engine::run(&SimConfig { batch: 7, ..run.clone() });
        prop_assert_eq!(text(&again), text(&result));
    }
}
