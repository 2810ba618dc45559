//! The whole model, beside one scalar md-5 digest of 16 bytes in the same process: the bars are multiples of it.
//!
//! Times are per operation (overloaded: per attempt): divide a benchmark's time by the number in its throughput line.

#[path = "../tests/configs/mod.rs"]
mod configs;

use configs::{closed, config, even_ids, newest, open, put, read, read_rate, schema, with_reads};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use keyheat::engine::{self, SimConfig};
use keyheat::keyspace::RowKey;
use keyheat::record::LawShape;
use md5::{Digest, Md5};
use std::hint::black_box;
use std::sync::Arc;

const IDS: u64 = 100_000;

/// The five strategies: name, key, split points of about so many regions.
fn strategies(regions: u64) -> Vec<(&'static str, &'static str, Vec<RowKey>)> {
    let leading_bytes = |bytes: usize, count: u64| -> Vec<RowKey> {
        let range = 1u128 << (8 * bytes);
        let point = |at: u64| (range * u128::from(at) / u128::from(count)) as u64;
        (1..count)
            .map(|at| RowKey(point(at).to_be_bytes()[8 - bytes..].to_vec()))
            .collect()
    };
    let digits = |count: u64| -> Vec<RowKey> {
        (1..count)
            .map(|at| {
                RowKey(
                    format!(
                        "{:012}",
                        1_000_000_000_000 * u128::from(at) / u128::from(count)
                    )
                    .into_bytes(),
                )
            })
            .collect()
    };
    let metrics = |count: u64| -> Vec<RowKey> {
        let range = 400u128 << 24;
        (1..count)
            .map(|at| {
                RowKey(
                    ((range * u128::from(at) / u128::from(count)) as u64).to_be_bytes()[2..]
                        .to_vec(),
                )
            })
            .collect()
    };
    vec![
        ("raw", "be4(id) || be8(ts)", even_ids(IDS, regions)),
        (
            "opentsdb",
            "be3(metric) || be4(id * 16777) || be8(ts)",
            metrics(regions),
        ),
        (
            "salted",
            "be1(random(256)) || be4(id) || be8(ts)",
            leading_bytes(2, regions),
        ),
        (
            "md5",
            "md5_bytes(be4(id) || be8(ts)) || be4(id) || be8(ts)",
            leading_bytes(4, regions),
        ),
        (
            "reversed",
            "reverse(lpad(id, 12, '0')) || be8(ts)",
            digits(regions),
        ),
    ]
}

/// About `operations` operations at that utilisation of 16 (or so many) servers of about 20,000 puts/s.
fn run(
    key: &str,
    splits: Vec<RowKey>,
    servers: u32,
    utilisation: f64,
    operations: f64,
) -> SimConfig {
    let rate = utilisation * 20_000.0 * f64::from(servers);
    let schema = schema(IDS, LawShape::Zipf { exponent: 0.8 });
    let mut run = config(
        &schema,
        key,
        splits,
        vec![put(open(rate))],
        operations / rate,
        7,
    );
    run.cluster.servers = servers;
    run
}

fn whole_runs(c: &mut Criterion) {
    let mut group = c.benchmark_group("engine");
    group.sample_size(10);
    group.throughput(Throughput::Elements(1));
    group.bench_function("md5 digest of 16 bytes", |b| {
        let mut message = [7u8; 16];
        b.iter(|| {
            let digest = Md5::digest(black_box(message));
            message.copy_from_slice(&digest);
        });
    });
    let mut add = |name: BenchmarkId, run: SimConfig, attempts: bool| {
        let result = engine::run(&run);
        let refused = result.metrics["refused_calls_fraction"].unwrap_or(0.0);
        let counts = result.counts;
        let count = if attempts {
            counts.completed as f64 / (1.0 - refused)
        } else {
            counts.offered as f64
        };
        group.throughput(Throughput::Elements(count as u64));
        group.bench_with_input(name, &run, |b, run| b.iter(|| engine::run(black_box(run))));
    };
    for (name, key, splits) in strategies(160) {
        add(
            BenchmarkId::new("open loop, 16 servers, 160 regions", name),
            run(key, splits, 16, 0.5, 300_000.0),
            false,
        );
    }
    for utilisation in [0.3, 0.7] {
        let (_, key, splits) = strategies(160).swap_remove(0);
        add(
            BenchmarkId::new("open loop, raw, utilisation", utilisation),
            run(key, splits, 16, utilisation, 300_000.0),
            false,
        );
    }
    for (name, key, splits) in strategies(160) {
        if name == "raw" || name == "md5" {
            let mut run = run(key, splits, 16, 1.0, 300_000.0);
            let mut workload = (*run.workload).clone();
            workload.writes[0].drive = closed(1_000);
            run.workload = Arc::new(workload);
            add(
                BenchmarkId::new("closed loop, 1,000 clients", name),
                run,
                false,
            );
        }
    }
    // All rows on one of eight servers, at four times its capacity: refusals and retries.
    let overloaded = run("be8(ts) || be4(id)", Vec::new(), 8, 0.5, 400_000.0);
    add(
        BenchmarkId::from_parameter("overloaded, per attempt"),
        overloaded,
        true,
    );
    // Growth: enough operations that making a million regions counts little.
    for regions in [10, 10_000, 100_000, 1_000_000] {
        for at in [0, 3] {
            if at == 0 && regions > IDS {
                continue; // More regions than ids.
            }
            let (name, key, splits) = strategies(regions).swap_remove(at);
            add(
                BenchmarkId::new(format!("{regions} regions"), name),
                run(key, splits, 16, 0.5, 3_000_000.0),
                false,
            );
        }
    }
    for servers in [10, 1_000] {
        let (_, key, splits) = strategies(10_000).swap_remove(0);
        add(
            BenchmarkId::new("servers, 10,000 regions", servers),
            run(key, splits, servers, 0.5, 3_000_000.0),
            false,
        );
    }
    // Reads alone: a Get of one row, and a scan of sixteen buckets.
    let (_, row, splits) = strategies(160).swap_remove(0);
    let buckets = (1..16).map(|salt| RowKey(vec![salt])).collect();
    let scattered = "be1(random(16)) || be8(ts) || be4(id)";
    for (name, key, splits, read) in [
        (
            "Gets",
            row,
            splits,
            read(&["id", "ts"], read_rate(40_000.0)),
        ),
        (
            "scans of 16 buckets",
            scattered,
            buckets,
            newest(10, &[], read_rate(2_500.0)),
        ),
    ] {
        let schema = schema(IDS, LawShape::Zipf { exponent: 0.8 });
        let run = config(&schema, key, splits, Vec::new(), 2.0, 7);
        let run = with_reads(run, 1_000_000, &[], vec![read]);
        let reads = engine::run(&run).read_counts.offered;
        group.throughput(Throughput::Elements(reads));
        group.bench_with_input(BenchmarkId::new("reads", name), &run, |b, run| {
            b.iter(|| engine::run(black_box(run)));
        });
    }
    group.finish();
}

/// Two independent runs, one after the other and side by side.
fn two_threads(c: &mut Criterion) {
    let runs = [(); 2].map(|()| {
        let (_, key, splits) = strategies(160).swap_remove(0);
        run(key, splits, 16, 0.5, 300_000.0)
    });
    let mut group = c.benchmark_group("two runs");
    group.sample_size(10);
    group.bench_function("one thread", |b| {
        b.iter(|| runs.each_ref().map(|run| engine::run(black_box(run))));
    });
    group.bench_function("two threads", |b| {
        b.iter(|| {
            std::thread::scope(|scope| {
                runs.each_ref()
                    .map(|run| scope.spawn(|| engine::run(black_box(run))))
                    .map(|thread| thread.join().is_ok())
            })
        });
    });
    group.finish();
}

criterion_group!(benches, whole_runs, two_threads);
criterion_main!(benches);
