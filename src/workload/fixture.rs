//! Small workloads for the tests of this room.

use super::*;
use crate::random::Seed;
use crate::record::{Field, FieldId, FieldKind, RecordGenerator, Schema, TextValues, TimeUnit};
use crate::time::{EpochNanos, SimDuration};
use crate::units::PerSecond;
use std::sync::Arc;

pub(super) const SENSOR: FieldId = FieldId(0);
pub(super) const METRIC: FieldId = FieldId(1);
pub(super) const SITE: FieldId = FieldId(2);
pub(super) const TS: FieldId = FieldId(3);
pub(super) const NUMBER: FieldId = FieldId(4);
pub(super) const LOAD: FieldId = FieldId(5);
pub(super) const WIDTH: usize = 6;

pub(super) const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);
pub(super) const SEED: Seed = Seed(4_711);

/// 23 sensors x 3 metrics, a site for each sensor, a time in nanoseconds, a running number from 500, a drawn load.
pub(super) fn schema() -> Schema {
    let sites = ["ulm", "essen", "bonn", "kiel"].map(str::to_owned).to_vec();
    let field = |name: &str, kind, of: &[FieldId]| Field {
        of: of.to_vec(),
        ..Field::new(name, kind)
    };
    Schema {
        fields: vec![
            field(
                "sensor",
                FieldKind::Int {
                    first: 100,
                    count: 23,
                },
                &[],
            ),
            field(
                "metric",
                FieldKind::Digits {
                    width: 2,
                    first: 7,
                    count: 3,
                },
                &[],
            ),
            field(
                "site",
                FieldKind::Text(TextValues::Listed(sites.into())),
                &[SENSOR],
            ),
            field(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Nanos,
                    late: None,
                },
                &[],
            ),
            field("number", FieldKind::Sequence { first: 500 }, &[]),
            field(
                "load",
                FieldKind::Int {
                    first: 0,
                    count: 12,
                },
                &[],
            ),
        ],
        time_range: (EpochNanos(0), START),
        sequence_span: 1 << 20,
    }
}

pub(super) fn generator() -> Arc<RecordGenerator> {
    Arc::new(RecordGenerator::new(&schema(), SEED, 2))
}

pub(super) fn write(name: &str, load: LoadModel) -> Write {
    Write {
        name: name.into(),
        kind: WriteKind::Put,
        load,
        with: Vec::new(),
        most_per_sec: f64::INFINITY,
    }
}

pub(super) fn workload(millis: u64, writes: Vec<Write>) -> Workload {
    Workload {
        start: START,
        duration: SimDuration::from_millis(millis),
        writes,
        existing: Vec::new(),
        reads: Vec::new(),
        closed_loops: super::ClosedLoopLimits::default(),
        kept_for: None,
    }
}

pub(super) fn open(rate: f64, arrivals: Arrivals) -> LoadModel {
    LoadModel::Open {
        rate: PerSecond(rate),
        arrivals,
        profile: Vec::new(),
        import: None,
    }
}

pub(super) fn periodic(every: u64, phase: Phase, jitter: u64) -> LoadModel {
    LoadModel::Periodic(Periodic {
        each: vec![SENSOR, METRIC],
        every: SimDuration::from_millis(every),
        phase,
        jitter: SimDuration::from_millis(jitter),
    })
}

pub(super) fn open_import(rows: ImportRows, order: ImportOrder) -> LoadModel {
    let import = Some(Import {
        rows,
        order,
        times: None,
    });
    LoadModel::Open {
        rate: PerSecond(1e5),
        arrivals: Arrivals::Constant,
        profile: Vec::new(),
        import,
    }
}

/// All operations of the open loops, asked for at once.
pub(super) fn all(workload: &Workload) -> OperationBatch {
    let mut batch = OperationBatch::default();
    OpenArrivals::new(workload, generator()).fill(&mut batch, usize::MAX);
    batch
}

pub(super) fn records(batch: &OperationBatch) -> Vec<Vec<i64>> {
    batch.records.chunks(WIDTH).map(<[i64]>::to_vec).collect()
}
