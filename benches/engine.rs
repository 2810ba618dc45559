//! The whole model, beside one scalar md-5 digest of 16 bytes in the same process: the bars are multiples of it.
//!
//! Times are per operation (overloaded: per attempt). A filter measures what it names and makes nothing else.

#[path = "../tests/all/configs/mod.rs"]
mod configs;

use configs::{
    closed, config, even_ids, known, newest, open, put, read, read_rate, schema, with_reads,
};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use keyheat::engine::{self, SimConfig};
use keyheat::keyspace::RowKey;
use keyheat::metrics::{MetricId, RunResult};
use keyheat::record::{Distribution, DistributionShape, FieldId};
use keyheat::workload::{Page, PageVia, PickDistribution, Read, Within, WithinValues};
use md5::{Digest, Md5};
use std::cell::LazyCell;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const IDS: u64 = 100_000;

/// The five strategies.
const KEYS: [(&str, &str); 5] = [
    ("raw", "be4(id) || be8(ts)"),
    ("opentsdb", "be3(metric) || be4(id * 16777) || be8(ts)"),
    ("salted", "be1(random(256)) || be4(id) || be8(ts)"),
    ("md5", "md5_bytes(be4(id) || be8(ts)) || be4(id) || be8(ts)"),
    ("reversed", "reverse(lpad(id, 12, '0')) || be8(ts)"),
];

/// Split points of about so many equal regions under one of them.
fn split_points(strategy: &str, regions: u64) -> Vec<RowKey> {
    let equal = |range: u128, key: fn(u64) -> Vec<u8>| -> Vec<RowKey> {
        let point = |at: u64| (range * u128::from(at) / u128::from(regions)) as u64;
        (1..regions).map(|at| RowKey(key(point(at)))).collect()
    };
    match strategy {
        "raw" => even_ids(IDS, regions),
        "opentsdb" => equal(400 << 24, |point| point.to_be_bytes()[2..].to_vec()),
        "salted" => equal(1 << 16, |point| point.to_be_bytes()[6..].to_vec()),
        "md5" => equal(1 << 32, |point| point.to_be_bytes()[4..].to_vec()),
        _ => equal(1_000_000_000_000, |point| {
            format!("{point:012}").into_bytes()
        }),
    }
}

/// About `operations` operations at that utilisation of so many servers of about 20,000 puts/s.
fn run(
    key: &str,
    splits: Vec<RowKey>,
    servers: u32,
    utilisation: f64,
    operations: f64,
) -> SimConfig {
    let rate = utilisation * 20_000.0 * f64::from(servers);
    let schema = schema(IDS, DistributionShape::Zipf { exponent: 0.8 });
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

/// The same under one of the five strategies.
fn run_of(
    strategy: usize,
    regions: u64,
    servers: u32,
    utilisation: f64,
    operations: f64,
) -> SimConfig {
    let (name, key) = KEYS[strategy];
    run(
        key,
        split_points(name, regions),
        servers,
        utilisation,
        operations,
    )
}

/// A thousand clients without think times.
fn closed_run_of(strategy: usize) -> SimConfig {
    let mut run = run_of(strategy, 160, 16, 1.0, 300_000.0);
    let mut workload = (*run.workload).clone();
    workload.writes[0].load = closed(1_000);
    run.workload = Arc::new(workload);
    run
}

/// That read alone, of a million rows.
fn run_of_reads(key: &str, splits: Vec<RowKey>, read: Read) -> SimConfig {
    let schema = schema(IDS, DistributionShape::Zipf { exponent: 0.8 });
    let run = config(&schema, key, splits, Vec::new(), 2.0, 7);
    with_reads(run, 1_000_000, &[], vec![read])
}

/// Reads at one rate under a key that leads with the MD5 of an id: the key, what is asked for, and the rows from before the run.
fn reads_by_hash() -> [(&'static str, &'static str, Read, u64); 8] {
    let rate = read_rate(200_000.0);
    let own = "md5_bytes(be4(id)) || be4(id)";
    let history = "md5_bytes(be4(id)) || be4(id) || be8(ts)";
    let mut picked = read(&["id"], rate.clone());
    let law = Distribution {
        shape: DistributionShape::Zipf { exponent: 0.8 },
        ..Distribution::default()
    };
    picked.pick = vec![(FieldId(0), PickDistribution::Distribution(law))];
    let mut paged = read(&["id"], rate.clone());
    paged.page = Some(Page {
        via: PageVia::Cursor,
        field: known("ts"),
        size: 10,
        number: 3,
    });
    let mut several = read(&[], read_rate(12_500.0));
    several.within = vec![Within {
        field: FieldId(0),
        values: WithinValues::Count(16),
    }];
    let of_id = || read(&["id"], rate.clone());
    [
        ("Gets", own, of_id(), OLD),
        ("Gets of new rows", own, of_id(), 1),
        (
            "Gets of one moment",
            "md5_bytes(be4(id) || be8(ts)) || be4(id) || be8(ts)",
            read(&["id", "ts"], rate.clone()),
            OLD,
        ),
        ("Gets of a pick", own, picked, OLD),
        ("multi-Gets of 16 rows", own, several, OLD),
        ("scans", history, of_id(), OLD),
        ("scans of new rows", history, of_id(), 1),
        ("pages", history, paged, OLD),
    ]
}

/// Rows from before the run.
const OLD: u64 = 1_000_000;

/// Two seconds of such a read of rows from before the run, to which a thousand a second are added; of new ones, a hundred thousand.
fn run_by_hash(key: &str, read: Read, rows: u64) -> SimConfig {
    let schema = schema(1_000_000, DistributionShape::Zipf { exponent: 0.8 });
    let points = split_points("md5", 160);
    let rate = if rows == OLD { 1_000.0 } else { 100_000.0 };
    let mut run = config(&schema, key, points, vec![put(open(rate))], 2.0, 7);
    run.cluster.servers = 16;
    with_reads(run, rows, &[], vec![read])
}

fn writes(result: &RunResult) -> f64 {
    result.writes.counts.offered as f64
}

fn attempts(result: &RunResult) -> f64 {
    let refused = result.metrics[MetricId::RefusedCallsFraction].unwrap_or(0.0);
    result.writes.counts.completed as f64 / (1.0 - refused)
}

fn reads(result: &RunResult) -> f64 {
    result.reads.counts.offered as f64
}

/// Times whole runs; an iteration is one of the operations that `count` finds in a run's result. A run that is not asked for is not made.
fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: BenchmarkId,
    count: fn(&RunResult) -> f64,
    make: impl FnOnce() -> SimConfig,
) {
    let run = LazyCell::new(make);
    group.bench_function(name, |b| {
        let run = &*run;
        b.iter_custom(|operations| {
            let (mut time, mut done) = (Duration::ZERO, 0.0);
            while done < operations as f64 {
                let start = Instant::now();
                let result = engine::run(black_box(run));
                time += start.elapsed();
                done += count(&result);
            }
            time.mul_f64(operations as f64 / done)
        });
    });
}

fn whole_runs(c: &mut Criterion) {
    let mut group = c.benchmark_group("engine");
    group.sample_size(10);
    group.bench_function("md5 digest of 16 bytes", |b| {
        // Messages that don't hang on each other, as keys don't.
        b.iter(|| Md5::digest(black_box([7u8; 16])));
    });
    let group = &mut group;
    for (at, (name, _)) in KEYS.into_iter().enumerate() {
        let name = BenchmarkId::new("open loop, 16 servers, 160 regions", name);
        bench(group, name, writes, || run_of(at, 160, 16, 0.5, 300_000.0));
    }
    for utilisation in [0.3, 0.7] {
        let name = BenchmarkId::new("open loop, raw, utilisation", utilisation);
        bench(group, name, writes, || {
            run_of(0, 160, 16, utilisation, 300_000.0)
        });
    }
    for at in [0, 3] {
        let name = BenchmarkId::new("closed loop, 1,000 clients", KEYS[at].0);
        bench(group, name, writes, || closed_run_of(at));
    }
    // All rows on one of eight servers, at four times its capacity: refusals and retries.
    let name = BenchmarkId::from_parameter("overloaded, per attempt");
    bench(group, name, attempts, || {
        run("be8(ts) || be4(id)", Vec::new(), 8, 0.5, 400_000.0)
    });
    // Growth: enough operations that making a million regions counts little.
    for regions in [10, 10_000, 100_000, 1_000_000] {
        for at in [0, 3] {
            if at == 0 && regions > IDS {
                continue; // More regions than ids.
            }
            let name = BenchmarkId::new(format!("{regions} regions"), KEYS[at].0);
            bench(group, name, writes, || {
                run_of(at, regions, 16, 0.5, 3_000_000.0)
            });
        }
    }
    // Of a key that spreads every operation: the busiest id alone, even its rows of a millisecond, would be too much for one of a thousand
    // servers, and queues and refusals are no growth.
    for servers in [10, 1_000] {
        let name = BenchmarkId::new("servers, 10,000 regions", servers);
        bench(group, name, writes, || {
            let points = split_points("md5", 10_000);
            let key = "be4(random(4294967296)) || be4(id) || be8(ts)";
            run(key, points, servers, 0.5, 3_000_000.0)
        });
    }
    bench(group, BenchmarkId::new("reads", "Gets"), reads, || {
        let get = read(&["id", "ts"], read_rate(40_000.0));
        run_of_reads(KEYS[0].1, split_points("raw", 160), get)
    });
    for (name, key, read, rows) in reads_by_hash() {
        let name = BenchmarkId::new("reads by md5 of one in a million ids", name);
        bench(group, name, reads, || run_by_hash(key, read, rows));
    }
    let name = BenchmarkId::new("reads", "scans of 16 buckets");
    bench(group, name, reads, || {
        let buckets = (1..16).map(|salt| RowKey(vec![salt])).collect();
        let scan = newest(10, &[], read_rate(2_500.0));
        run_of_reads("be1(random(16)) || be8(ts) || be4(id)", buckets, scan)
    });
}

/// Two independent runs, one after the other and side by side.
fn two_threads(c: &mut Criterion) {
    let runs = LazyCell::new(|| [(); 2].map(|()| run_of(0, 160, 16, 0.5, 300_000.0)));
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
