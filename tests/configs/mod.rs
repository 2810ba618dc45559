//! Hand-made runs for tests and benchmarks: a table of ids and times, no scenario file.

#![allow(dead_code, reason = "each test uses its part of it")]

use keyheat::client::ClientSpec;
use keyheat::cluster::{ClusterSpec, TableSpec};
use keyheat::engine::SimConfig;
use keyheat::key::{Environment, KeyPlan};
use keyheat::keyspace::RowKey;
use keyheat::random::Seed;
use keyheat::record::{Field, FieldKind, Law, LawShape, RecordGenerator, Schema, TimeUnit};
use keyheat::time::{EpochNanos, SimDuration, SimTime};
use keyheat::units::PerSecond;
use keyheat::workload::{Arrivals, Drive, Population, Think, Workload, Write, WriteKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// 2026-01-01T00:00:00Z.
pub const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);

fn field(name: &str, kind: FieldKind, shape: LawShape) -> Field {
    let law = Law {
        shape,
        top: Vec::new(),
        ranked: false,
    };
    Field {
        name: name.into(),
        kind,
        law,
        of: Vec::new(),
        literals: Vec::new(),
    }
}

/// `id` in `0..ids` with that law, `metric` in `0..400`, `ts` in milliseconds.
pub fn schema(ids: u64, shape: LawShape) -> Schema {
    Schema {
        fields: vec![
            field(
                "id",
                FieldKind::Int {
                    first: 0,
                    count: ids,
                },
                shape,
            ),
            field(
                "metric",
                FieldKind::Int {
                    first: 0,
                    count: 400,
                },
                LawShape::Uniform,
            ),
            field(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Millis,
                    late: None,
                },
                LawShape::Uniform,
            ),
        ],
        time_range: (START, START.at(SimTime::from_nanos(1 << 50))),
        sequence_span: 1 << 40,
    }
}

/// A put with that drive.
pub fn put(drive: Drive) -> Write {
    Write {
        name: "w".into(),
        kind: WriteKind::Put,
        drive,
        with: Vec::new(),
    }
}

/// An open loop at that rate.
pub fn open(per_second: f64) -> Drive {
    Drive::Open {
        rate: PerSecond(per_second),
        arrivals: Arrivals::Poisson,
        profile: Vec::new(),
        import: None,
    }
}

/// A closed loop without think time.
pub fn closed(clients: u32) -> Drive {
    Drive::Closed {
        clients,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import: None,
    }
}

/// Split points that cut `be4(id)` into `regions` equal parts of `0..ids`.
pub fn even_ids(ids: u64, regions: u64) -> Vec<RowKey> {
    (1..regions)
        .map(|region| RowKey(((ids * region / regions) as u32).to_be_bytes().to_vec()))
        .collect()
}

/// A run of `seconds`, a fifth of it warm-up, with the default cluster and client.
pub fn config(
    schema: &Schema,
    key: &str,
    split_points: Vec<RowKey>,
    writes: Vec<Write>,
    seconds: f64,
    seed: u64,
) -> SimConfig {
    let environment = Environment {
        schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    let plan = KeyPlan::compile(key, &environment).expect("the key compiles");
    let duration = SimDuration::from_nanos((seconds * 1e9) as u64);
    let workload = Workload {
        start: START,
        duration,
        writes,
        existing: Vec::new(),
        reads: Vec::new(),
    };
    let generator = Arc::new(RecordGenerator::new(schema, Seed(seed), 0));
    let population = Population::new(&workload, &generator, Seed(seed), 0);
    SimConfig {
        seed: Seed(seed),
        replicate: 0,
        warmup: SimTime::ZERO + duration.mul_f64(0.2),
        duration: SimTime::ZERO + duration,
        sample: duration.mul_f64(0.1),
        workload: Arc::new(workload),
        generator,
        key: Arc::new(plan),
        split_points: Arc::new(split_points),
        key_buckets: Arc::new(Vec::new()),
        cluster: ClusterSpec::default(),
        table: TableSpec::default(),
        client: ClientSpec::default(),
        copies: Arc::default(),
        reads: Arc::default(),
        population: Arc::new(population),
        batch: 512,
    }
}
