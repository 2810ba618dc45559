//! Tables that are held in memory, for the tests of their laws.

use super::row_source::RowSource;
use super::*;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{
    Distribution, DistributionShape, Field, FieldId, FieldKind, Late, RecordGenerator, Schema,
    TextValues, TimeUnit,
};
use crate::time::{EpochNanos, SimDuration, SimTime};
use crate::units::PerSecond;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) const CAMPAIGN: FieldId = FieldId(0);
pub(super) const COMPANY: FieldId = FieldId(1);
pub(super) const REGION: FieldId = FieldId(2);
pub(super) const KIND: FieldId = FieldId(3);
pub(super) const TS: FieldId = FieldId(4);
pub(super) const ID: FieldId = FieldId(5);
pub(super) const COST: FieldId = FieldId(6);
pub(super) const UUID: FieldId = FieldId(7);

pub(super) const SEED: Seed = Seed(90_210);
pub(super) const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);

/// 6,000 campaigns of 300 companies in 7 regions; four kinds, unevenly; times in ms of which 8 % are late by up to 5 s.
pub(super) fn schema(late: Option<Late>) -> Schema {
    let law = |shape, top: &[f64]| Distribution {
        shape,
        top: top.to_vec(),
        ranked: false,
    };
    let field = |name: &str, kind, law, of: &[FieldId]| Field {
        law,
        of: of.to_vec(),
        ..Field::new(name, kind)
    };
    let zipf = |exponent| law(DistributionShape::Zipf { exponent }, &[]);
    let int = |first, count| FieldKind::Int { first, count };
    let kinds = ["view", "click", "buy", "void"].map(str::to_owned).to_vec();
    let campaign = FieldKind::Digits {
        width: 8,
        first: 1_000,
        count: 6_000,
    };
    Schema {
        fields: vec![
            Field {
                literals: vec![Vec::new()],
                ..field("campaign", campaign, zipf(0.6), &[])
            },
            field("company", int(50, 300), zipf(0.8), &[CAMPAIGN]),
            field(
                "region",
                int(0, 7),
                law(DistributionShape::Uniform, &[]),
                &[COMPANY],
            ),
            field(
                "kind",
                FieldKind::Text(TextValues::Listed(kinds.into())),
                law(DistributionShape::Weights(vec![6.0, 3.0, 1.0, 0.0]), &[]),
                &[],
            ),
            field(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Millis,
                    late,
                },
                law(DistributionShape::Uniform, &[]),
                &[],
            ),
            field(
                "id",
                FieldKind::Sequence { first: 7 },
                law(DistributionShape::Uniform, &[]),
                &[],
            ),
            field(
                "cost",
                int(0, 5_000),
                law(
                    DistributionShape::Normal {
                        mean: 1_800.0,
                        sd: 700.0,
                    },
                    &[],
                ),
                &[CAMPAIGN],
            ),
            field(
                "uuid",
                FieldKind::Uuid { count: None },
                law(DistributionShape::Uniform, &[]),
                &[],
            ),
        ],
        time_range: (EpochNanos(0), START),
        sequence_span: 1 << 20,
    }
}

pub(super) fn secs(secs: u64) -> SimDuration {
    SimDuration::from_secs(secs)
}

pub(super) fn at(millis: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(millis)
}

pub(super) fn drawn(
    name: &str,
    rate: f64,
    profile: Vec<ProfilePoint>,
    with: &[(FieldId, i64)],
) -> Write {
    Write {
        name: name.into(),
        kind: WriteKind::Put,
        load: LoadModel::Open {
            rate: PerSecond(rate),
            arrivals: Arrivals::Poisson,
            profile,
            import: None,
        },
        with: with.to_vec(),
        most_per_sec: f64::INFINITY,
    }
}

/// 120,000 rows over 40 s before the run and a write that goes on at 4,000/s and doubles between seconds 5 and 15.
pub(super) fn drawn_table() -> Workload {
    let point = |at, times| ProfilePoint {
        at: secs(at),
        times,
    };
    Workload {
        start: START,
        duration: secs(30),
        writes: vec![
            drawn("rows", 4_000.0, vec![point(5, 1.0), point(15, 2.0)], &[]),
            drawn("hot", 900.0, Vec::new(), &[(CAMPAIGN, 1_234)]),
        ],
        existing: vec![Existing {
            name: "rows".into(),
            write: Some(WriteId(0)),
            rows: ImportRows::Drawn {
                records: 120_000,
                last: secs(40),
            },
            with: Vec::new(),
        }],
        reads: Vec::new(),
        closed_loops: super::ClosedLoopLimits::default(),
        kept_for: None,
    }
}

/// A table that is held in memory.
pub(super) struct MaterialisedTable {
    pub(super) population: Population,
    pub(super) rows: Vec<Vec<i64>>,
    /// The same, field by field.
    columns: Vec<Vec<i64>>,
    pub(super) at: SimTime,
}

pub(super) fn materialised(workload: &Workload, schema: &Schema, at: SimTime) -> MaterialisedTable {
    let generator = Arc::new(RecordGenerator::new(schema, SEED, 1));
    let width = generator.width();
    let mut rows = Vec::new();
    let mut record = vec![0; width];
    for existing in &workload.existing {
        let mut source = RowSource::of_existing(existing, workload, &generator);
        for number in 0..source.len() {
            source.record(number, SimTime::ZERO, &[], &mut record);
            rows.push(record.clone());
        }
    }
    let mut batch = OperationBatch::default();
    OpenArrivals::new(workload, Arc::clone(&generator)).fill(&mut batch, usize::MAX);
    let written = batch.intended.partition_point(|time| *time < at);
    rows.extend((0..written).map(|row| batch.record(row, width).to_vec()));
    let column = |field: usize| rows.iter().map(|row| row[field]).collect();
    MaterialisedTable {
        population: Population::new(workload, &generator),
        columns: (0..width).map(column).collect(),
        rows,
        at,
    }
}

pub(super) type Question = (Vec<(FieldId, i64)>, Vec<(FieldId, i64, i64)>);

impl MaterialisedTable {
    /// Numbers of the rows that satisfy a condition.
    pub(super) fn rows_like(&self, (equal, between): &Question) -> Vec<usize> {
        let equal = equal.iter().map(|(field, slot)| (*field, *slot, slot + 1));
        let mut rows: Option<Vec<usize>> = None;
        for (field, low, high) in equal.chain(between.iter().copied()) {
            let column = &self.columns[usize::from(field.0)];
            let holds = |row: &usize| (low..high).contains(&column[*row]);
            rows = Some(match rows {
                None => (0..column.len()).filter(holds).collect(),
                Some(rows) => rows.into_iter().filter(holds).collect(),
            });
        }
        rows.unwrap_or_else(|| (0..self.rows.len()).collect())
    }

    pub(super) fn estimate(&self, (equal, between): &Question, target: &[i64]) -> f64 {
        let condition = Condition::of(equal, between);
        self.population.writes(condition, target, self.at)
    }

    pub(super) fn now(&self, unit_millis: i64) -> i64 {
        (START.0 / 1_000_000 + self.at.as_nanos() as i64 / 1_000_000) / unit_millis
    }

    /// Asks as many targets, each row equally likely, and compares the sums of true and estimated numbers.
    pub(super) fn compare(&self, targets: u64, question: impl Fn(&[i64]) -> Question) -> Sums {
        self.compare_by(
            targets,
            question,
            |question| self.rows_like(question).len(),
            |question, target| self.estimate(question, target),
        )
    }

    /// The same for rows that agree in nothing of their equality.
    pub(super) fn compare_distinct(
        &self,
        targets: u64,
        equality: RowEquality<'_>,
        question: impl Fn(&[i64]) -> Question,
    ) -> Sums {
        let cell = |row: usize| -> Vec<i64> {
            let told = equality
                .told
                .iter()
                .map(|field| equality.told_of(*field, self.rows[row][usize::from(field.0)]));
            let step = equality.step.map(|(field, low, high)| {
                (self.rows[row][usize::from(field.0)] - low).div_euclid(high - low)
            });
            told.chain(step).collect()
        };
        let distinct = |question: &Question| {
            let cells: BTreeSet<Vec<i64>> =
                self.rows_like(question).into_iter().map(cell).collect();
            cells.len()
        };
        self.compare_by(targets, question, distinct, |(equal, between), target| {
            let condition = Condition::of(equal, between);
            self.population
                .distinct(condition, equality, target, self.at)
        })
    }

    pub(super) fn compare_by(
        &self,
        targets: u64,
        question: impl Fn(&[i64]) -> Question,
        count: impl Fn(&Question) -> usize,
        estimate: impl Fn(&Question, &[i64]) -> f64,
    ) -> Sums {
        let draws = DrawKey::new(SEED, 0, Stream::Sample, 77);
        let mut asked: BTreeMap<Question, (f64, f64, usize)> = BTreeMap::new();
        for nth in 0..targets {
            let row = draws.at(nth).below(self.rows.len() as u64) as usize;
            let target = &self.rows[row];
            let question = question(target);
            let estimate = estimate(&question, target);
            let entry = asked.entry(question);
            let (times, sum, _) = entry.or_insert_with_key(|question| (0.0, 0.0, count(question)));
            *times += 1.0;
            *sum += estimate;
        }
        let mut sums = Sums::default();
        for (times, estimate, count) in asked.values() {
            sums.truth += times * *count as f64;
            sums.estimate += estimate;
            // A number of independent rows scatters by its root; what is asked more than once scatters together.
            sums.variance += times * estimate;
        }
        sums
    }
}

#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) truth: f64,
    pub(super) estimate: f64,
    pub(super) variance: f64,
}

impl Sums {
    /// Within four standard errors, and within 2 %.
    #[track_caller]
    pub(super) fn agree(&self) {
        let error = (self.truth - self.estimate).abs();
        assert!(error < 4.0 * self.variance.sqrt(), "{self:?}");
        assert!(error < 0.02 * self.truth, "{self:?}");
    }

    /// The very same.
    #[track_caller]
    pub(super) fn are_equal(&self) {
        assert!(
            (self.truth - self.estimate).abs() < 1e-6 * self.truth,
            "{self:?}"
        );
    }
}

pub(super) fn of(target: &[i64], field: FieldId) -> (FieldId, i64) {
    (field, target[usize::from(field.0)])
}

/// Each campaign beats every 4 s, each company too with an own kind of row, and both have done so for 20 s.
pub(super) fn beating_table(phase: Phase) -> Workload {
    let periodic = |each: FieldId| {
        LoadModel::Periodic(Periodic {
            each: vec![each],
            every: secs(4),
            phase,
            jitter: SimDuration::ZERO,
        })
    };
    let write = |name: &str, each, with: &[(FieldId, i64)]| Write {
        name: name.into(),
        kind: WriteKind::Put,
        load: periodic(each),
        with: with.to_vec(),
        most_per_sec: f64::INFINITY,
    };
    let existing = |name: &str, each, with: &[(FieldId, i64)], write| Existing {
        name: name.into(),
        write: Some(WriteId(write)),
        rows: ImportRows::Each {
            each: vec![each],
            every: Some(secs(4)),
            last: secs(20),
        },
        with: with.to_vec(),
    };
    let total = [(CAMPAIGN, Field::literal_slot(0))];
    Workload {
        start: START,
        duration: secs(30),
        writes: vec![
            write("campaigns", CAMPAIGN, &[]),
            write("totals", COMPANY, &total),
        ],
        existing: vec![
            existing("campaigns", CAMPAIGN, &[], 0),
            existing("totals", COMPANY, &total, 1),
        ],
        reads: Vec::new(),
        closed_loops: super::ClosedLoopLimits::default(),
        kept_for: None,
    }
}
