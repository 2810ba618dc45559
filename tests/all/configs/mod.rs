//! Hand-made runs for tests and benchmarks: a table of ids and times, no scenario file.

#![allow(dead_code, reason = "each test uses its part of it")]

use keyheat::client::ClientSpec;
use keyheat::cluster::{ClusterSpec, TableSpec};
use keyheat::engine::{PlannedRead, SimConfig, TableCopy};
use keyheat::key::{Environment, KeyPlan};
use keyheat::keyspace::{KeyBatch, RowKey};
use keyheat::query::{Costs, PlanContext, plan};
use keyheat::random::{DrawKey, Seed, Stream};
use keyheat::record::{
    DistributionShape, Field, FieldId, FieldKind, KnownField, RecordGenerator, Schema, TimeUnit,
};
use keyheat::time::{EpochNanos, SimDuration, SimTime};
use keyheat::units::PerSecond;
use keyheat::workload::{
    Arrivals, Existing, ImportRows, LoadModel, Newest, Population, Read, ReadBatch, ReadId,
    ReadLoadModel, ReadSource, ReadTarget, Think, Workload, Write, WriteKind,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// 2026-01-01T00:00:00Z.
pub const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);

fn field(name: &str, kind: FieldKind, shape: DistributionShape) -> Field {
    let mut field = Field::new(name, kind);
    field.law.shape = shape;
    field
}

/// `id` in `0..ids` with that law, `metric` in `0..400`, `ts` in milliseconds.
pub fn schema(ids: u64, shape: DistributionShape) -> Schema {
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
                DistributionShape::Uniform,
            ),
            field(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Millis,
                    late: None,
                },
                DistributionShape::Uniform,
            ),
        ],
        time_range: (START, START.at(SimTime::from_nanos(1 << 50))),
        sequence_span: 1 << 40,
    }
}

/// A put with that drive.
pub fn put(load: LoadModel) -> Write {
    Write {
        name: "w".into(),
        kind: WriteKind::Put,
        load,
        with: Vec::new(),
        most_per_sec: f64::INFINITY,
    }
}

/// An open loop at that rate.
pub fn open(per_second: f64) -> LoadModel {
    LoadModel::Open {
        rate: PerSecond(per_second),
        arrivals: Arrivals::Poisson,
        profile: Vec::new(),
        import: None,
    }
}

/// A closed loop without think time.
pub fn closed(clients: u32) -> LoadModel {
    LoadModel::Closed {
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

/// The field of that name in [`schema`].
pub fn known(name: &str) -> KnownField {
    let fields = ["id", "metric", "ts"];
    let place = fields.iter().position(|field| *field == name);
    KnownField::Stored(FieldId(place.expect("a field of the schema") as u16))
}

/// A read by the values of these fields.
pub fn read(equal: &[&str], load: Option<ReadLoadModel>) -> Read {
    Read {
        load,
        ..Read::planned("r", equal.iter().map(|name| known(name)).collect())
    }
}

/// A read of so many of the newest rows.
pub fn newest(rows: u32, equal: &[&str], load: Option<ReadLoadModel>) -> Read {
    let field = known("ts");
    Read {
        newest: Some(Newest { field, rows }),
        ..read(equal, load)
    }
}

/// Reads at that rate.
pub fn read_rate(per_second: f64) -> Option<ReadLoadModel> {
    Some(ReadLoadModel::Open {
        rate: PerSecond(per_second),
        arrivals: Arrivals::Poisson,
        profile: Vec::new(),
    })
}

/// `run` on a table that holds `rows` rows of the last hour before it, with further copies, and with reads of the first table or copy
/// in turn, planned for it.
pub fn with_reads(
    run: SimConfig,
    rows: u64,
    copies: &[(&str, Vec<RowKey>)],
    reads: Vec<Read>,
) -> SimConfig {
    let schema = run.generator.schema();
    let environment = Environment {
        schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    let copies: Vec<TableCopy> = copies
        .iter()
        .map(|(key, split_points)| TableCopy {
            key: Arc::new(KeyPlan::compile(key, &environment).expect("the key compiles")),
            split_points: Arc::new(split_points.clone()),
        })
        .collect();
    let existing = Existing {
        name: "old".into(),
        write: None,
        rows: ImportRows::Drawn {
            records: rows,
            last: SimDuration::from_secs(3600),
        },
        with: Vec::new(),
    };
    let workload = Workload {
        existing: vec![existing],
        reads,
        ..(*run.workload).clone()
    };
    let population = Population::new(&workload, &run.generator);
    let mut source = ReadSource::new(&workload, run.generator.clone());
    let width = run.generator.width();
    let mut planned = Vec::new();
    for (at, read) in workload.reads.iter().enumerate() {
        let table = at % (copies.len() + 1);
        let key = table
            .checked_sub(1)
            .map_or(&run.key, |copy| &copies[copy].key);
        let mut batch = ReadBatch::default();
        source.sample(ReadId(at as u8), 64, &mut batch);
        let sample: Vec<ReadTarget<'_>> = (0..batch.operations.len())
            .map(|at| batch.target(at, width))
            .collect();
        let costs = Costs {
            get: 0.5e-3,
            absent: 0.0,
            scan: 0.8e-3,
            row: 1e-6,
            cell: 1e-7,
        };
        let context = PlanContext {
            schema,
            start: START,
            population: &population,
            sample: &sample,
            costs,
        };
        let rows = sorted_keys(key, &batch);
        let key_bytes: usize = rows.iter().map(<[u8]>::len).sum();
        let key_bytes = key_bytes as f64 / rows.len() as f64;
        let row = run.table.row_size();
        planned.push(PlannedRead {
            table,
            plan: Arc::new(plan(&key.into(), read, &context)),
            cell_bytes: row.cells(0) as f64 / row.cell_count() as f64 + key_bytes,
            get_work: SimDuration::from_nanos(1_000),
            row_sample: Arc::new(rows),
        });
    }
    SimConfig {
        workload: Arc::new(workload),
        population: Arc::new(population),
        copies: Arc::new(copies),
        reads: Arc::new(planned),
        ..run
    }
}

/// The keys of the targets of some reads.
fn sorted_keys(key: &KeyPlan, batch: &ReadBatch) -> KeyBatch {
    let operations: Vec<u64> = batch
        .operations
        .iter()
        .map(|operation| operation.0)
        .collect();
    let draws = DrawKey::new(Seed(1), 0, Stream::Keys, 0);
    let mut keys = KeyBatch::default();
    key.write_batch(&batch.records, &operations, &operations, draws, &mut keys);
    let mut order: Vec<&[u8]> = keys.iter().collect();
    order.sort_unstable();
    let mut sorted = KeyBatch::default();
    for key in order {
        sorted.push_with(|bytes| bytes.extend_from_slice(key));
    }
    sorted
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
        closed_loops: keyheat::workload::ClosedLoopLimits::default(),
        kept_for: None,
    };
    let generator = Arc::new(RecordGenerator::new(schema, Seed(seed), 0));
    let population = Population::new(&workload, &generator);
    SimConfig {
        warmup: SimTime::ZERO + duration.mul_f64(0.2),
        duration: SimTime::ZERO + duration,
        sample: duration.mul_f64(0.1),
        workload: Arc::new(workload),
        generator,
        key: Arc::new(plan),
        split_points: Arc::new(split_points),
        key_buckets: Arc::new(Vec::new()),
        mapped_table: 0,
        cluster: ClusterSpec::default(),
        table: TableSpec::default(),
        client: ClientSpec::default(),
        closed: keyheat::engine::ClosedLoops::default(),
        written: Arc::default(),
        cells: Arc::default(),
        copies: Arc::default(),
        reads: Arc::default(),
        population: Arc::new(population),
        changes: keyheat::engine::ClusterChanges::default(),
        batch: 512,
    }
}
