//! Writing row keys and finding their regions, in batches as the engine does it: the five keys of the metric-series scenario at
//! 160, 10,000 and 1,000,000 regions.
//!
//! Read every figure as a multiple of `md5_digest/16_bytes`, one scalar MD5 digest of 16 bytes timed in the same process, so that
//! it holds on any machine. Bars for `key_and_route`, per key: at most 0.4 at 160 regions; from 10 to 10,000 regions at most
//! 1.25 times as much, from 10 to 1,000,000 at most 3 times.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use keyheat::key::{Environment, KeyPlan};
use keyheat::keyspace::{KeyBatch, Router, RowKey};
use keyheat::policy::quantile_points;
use keyheat::random::{DrawKey, Seed, Stream, mix};
use keyheat::record::{Distribution, Field, FieldId, FieldKind, RecordGenerator, Schema, TimeUnit};
use keyheat::time::{EpochNanos, SimDuration};
use keyheat::units::PerSecond;
use keyheat::workload::{
    Arrivals, ClosedLoopLimits, LoadModel, OpenArrivals, OperationBatch, Workload, Write, WriteKind,
};
use md5::{Digest, Md5};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// Keys that are written and routed together.
const BATCH: usize = 1_024;

/// Operations that the benchmark walks through: more than a branch predictor learns.
const OPERATIONS: usize = 64 * BATCH;

/// Rows that split points are taken from, more than there are regions.
const ROWS: usize = 1_500_000;

const REGIONS: [u32; 4] = [10, 160, 10_000, 1_000_000];

const STRATEGIES: [(&str, &str); 5] = [
    ("monotonic", "row"),
    ("opentsdb", "be3(metric) || be4(trunc(ts, '1h')) || tags"),
    ("salted", "be1(random(16)) || row"),
    ("hashed", "md5_bytes(be3(metric) || tags) || be4(ts)"),
    (
        "reversed",
        "reverse(lpad(metric * 1000 + host, 10, '0')) || be4(ts)",
    ),
];

/// Two days from 2026-01-01, so that even the key with whole hours has a million different values.
const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);
const SPAN_NANOS: u64 = 48 * 3_600 * 1_000_000_000;

fn schema() -> Schema {
    let field = |name: &str, kind, of: &[u16]| Field {
        name: name.into(),
        kind,
        law: Distribution::default(),
        of: of.iter().map(|&id| FieldId(id)).collect(),
        literals: Vec::new(),
        column: None,
    };
    Schema {
        fields: vec![
            field(
                "metric",
                FieldKind::Int {
                    first: 1,
                    count: 300,
                },
                &[],
            ),
            field(
                "host",
                FieldKind::Int {
                    first: 1,
                    count: 1_000,
                },
                &[],
            ),
            field("dc", FieldKind::Int { first: 1, count: 3 }, &[1]),
            field(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Seconds,
                    late: None,
                },
                &[],
            ),
        ],
        time_range: (START, EpochNanos(START.0 + SPAN_NANOS as i64)),
        sequence_span: 0,
    }
}

fn compile(schema: &Schema, text: &str) -> KeyPlan {
    let derived = [
        (
            "tags".to_owned(),
            "x'000001' || be3(dc) || x'000002' || be3(host)".to_owned(),
        ),
        (
            "row".to_owned(),
            "be4(ts) || be3(metric) || tags".to_owned(),
        ),
    ];
    let environment = Environment {
        schema,
        derived: &derived,
        parameters: &BTreeMap::new(),
    };
    KeyPlan::compile(text, &environment).expect("the five keys are right")
}

/// Records of operations `from .. from + count`, their times drawn evenly over the two days.
struct Operations {
    records: Vec<i64>,
    numbers: Vec<u64>,
    width: usize,
}

impl Operations {
    fn new(generator: &RecordGenerator, from: u64, count: usize) -> Self {
        let width = generator.width();
        let draws = DrawKey::new(Seed(7), 0, Stream::Records, 0);
        let numbers: Vec<u64> = (from..from + count as u64).collect();
        let mut records = vec![0; width * count];
        for (record, &number) in records.chunks_mut(width).zip(&numbers) {
            let at = EpochNanos(START.0 + (mix(number) % SPAN_NANOS) as i64);
            generator.generate(draws.at(number), 0, at, &[], record);
        }
        Self {
            records,
            numbers,
            width,
        }
    }

    fn write(&self, plan: &KeyPlan, from: usize, count: usize, keys: &mut KeyBatch) {
        let records = &self.records[from * self.width..(from + count) * self.width];
        let numbers = &self.numbers[from..from + count];
        plan.write_batch(
            records,
            numbers,
            numbers,
            DrawKey::new(Seed(7), 0, Stream::Keys, 0),
            keys,
        );
    }
}

fn md5_digest(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("md5_digest");
    group.throughput(Throughput::Elements(1));
    let mut message = [7u8; 16];
    group.bench_function("16_bytes", |bencher| {
        bencher.iter(|| {
            message[0] = message[0].wrapping_add(1);
            Md5::digest(black_box(message))
        });
    });
    group.finish();
}

fn key_and_route(criterion: &mut Criterion) {
    let schema = schema();
    let generator = RecordGenerator::new(&schema, Seed(7), 0);
    let operations = Operations::new(&generator, 0, OPERATIONS);
    let rows = Operations::new(&generator, OPERATIONS as u64, ROWS);
    let mut group = criterion.benchmark_group("key_and_route");
    group.throughput(Throughput::Elements(OPERATIONS as u64));
    for (name, text) in STRATEGIES {
        let plan = compile(&schema, text);
        // Only for the benchmarks that the command line asks for.
        let sorted = LazyCell::new(|| {
            let mut keys = KeyBatch::default();
            rows.write(&plan, 0, ROWS, &mut keys);
            let mut sorted: Vec<Vec<u8>> = keys.iter().map(<[u8]>::to_vec).collect();
            sorted.sort_unstable();
            sorted
        });
        group.bench_function(BenchmarkId::new(name, "key alone"), |bencher| {
            let mut keys = KeyBatch::default();
            bencher.iter(|| {
                for from in (0..OPERATIONS).step_by(BATCH) {
                    keys.clear();
                    operations.write(&plan, from, BATCH, &mut keys);
                }
                keys.len()
            });
        });
        for regions in REGIONS {
            let router = LazyCell::new(|| {
                let sorted: Vec<&[u8]> = sorted.iter().map(Vec::as_slice).collect();
                Router::new(&quantile_points(&sorted, regions))
            });
            group.bench_function(BenchmarkId::new(name, regions), |bencher| {
                let (mut keys, mut found) = (KeyBatch::default(), Vec::new());
                bencher.iter(|| {
                    let mut sum = 0u64;
                    for from in (0..OPERATIONS).step_by(BATCH) {
                        keys.clear();
                        found.clear();
                        operations.write(&plan, from, BATCH, &mut keys);
                        router.locate_batch(&keys, &mut found);
                        sum += u64::from(found[BATCH - 1]);
                    }
                    sum
                });
            });
        }
    }
    group.finish();
}

/// Times and records of an open-loop write.
fn arrivals(criterion: &mut Criterion) {
    let schema = schema();
    let write = Write {
        name: "points".into(),
        kind: WriteKind::Put,
        load: LoadModel::Open {
            rate: PerSecond(80_000.0),
            arrivals: Arrivals::Poisson,
            profile: Vec::new(),
            import: None,
        },
        with: Vec::new(),
        most_per_sec: f64::INFINITY,
    };
    let workload = Workload {
        start: START,
        duration: SimDuration::from_secs(48 * 3_600),
        writes: vec![write],
        existing: Vec::new(),
        reads: Vec::new(),
        closed_loops: ClosedLoopLimits::default(),
        kept_for: None,
    };
    let generator = Arc::new(RecordGenerator::new(&schema, Seed(7), 0));
    let mut group = criterion.benchmark_group("arrivals");
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function("four_fields", |bencher| {
        let mut arrivals = OpenArrivals::new(&workload, Arc::clone(&generator));
        let mut batch = OperationBatch::default();
        bencher.iter(|| {
            batch.clear();
            arrivals.fill(&mut batch, BATCH)
        });
    });
    group.finish();
}

/// The i-th key of a kind.
type Shape = fn(u64) -> Vec<u8>;

fn route(criterion: &mut Criterion) {
    let shapes: [(&str, Shape); 3] = [
        ("random_16_bytes", |i| {
            [mix(i), mix(!i)].map(u64::to_be_bytes).concat()
        }),
        ("prefix_and_12_digits", |i| {
            format!("tenant0001/metric/{:012}", mix(i) % 1_000_000_000_000).into_bytes()
        }),
        ("64_tenants", |i| {
            format!(
                "tenant-name-{:08}/{:012}",
                mix(i) % 8 * (mix(!i) % 8),
                mix(i ^ 5) % 1_000_000_000_000
            )
            .into_bytes()
        }),
    ];
    let mut group = criterion.benchmark_group("route");
    group.throughput(Throughput::Elements(OPERATIONS as u64));
    for (name, shape) in shapes {
        let mut keys = KeyBatch::default();
        for i in 0..OPERATIONS as u64 {
            keys.push_with(|bytes| bytes.extend_from_slice(&shape(i)));
        }
        for regions in REGIONS {
            let router = LazyCell::new(|| {
                let mut points: Vec<RowKey> = (1..u64::from(regions))
                    .map(|i| RowKey(shape(i << 32)))
                    .collect();
                points.sort();
                points.dedup();
                Router::new(&points)
            });
            group.bench_function(BenchmarkId::new(name, regions), |bencher| {
                let mut found = Vec::new();
                bencher.iter(|| {
                    found.clear();
                    router.locate_batch(&keys, &mut found);
                    found.len()
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = md5_digest, arrivals, route, key_and_route
}
criterion_main!(benches);
