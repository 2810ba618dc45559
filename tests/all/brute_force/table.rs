//! A small table that is held in memory, for tests of access paths.

use crate::schema_parts::START;
use keyheat::key::{Environment, KeyPlan};
use keyheat::random::{DrawKey, Draws, Seed, Stream};
use keyheat::record::{Field, FieldId, FieldKind, Schema, TextValues, TimeUnit};
use keyheat::time::{EpochNanos, SimTime};
use keyheat::workload::{
    Condition, OperationId, PageRows, ReadTarget, RowCounts, RowEquality, WriteId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

pub const HOUR: i64 = 3_600_000;
pub const DAY: i64 = 24 * HOUR;
pub const DAYS: i64 = 3;
pub const ROWS: usize = 500;
/// The read's instant: the end of the last day.
pub const NOW: SimTime = SimTime::from_nanos((DAYS * DAY) as u64 * 1_000_000);

pub const A: FieldId = FieldId(0);
pub const B: FieldId = FieldId(1);
pub const C: FieldId = FieldId(2);
pub const D: FieldId = FieldId(3);
pub const TS: FieldId = FieldId(4);
pub const N: FieldId = FieldId(5);

/// Derived fields and what they are, by our own arithmetic.
pub const DERIVED: [(&str, &str); 5] = [
    ("day", "to_char(ts, 'yyyyMMdd')"),
    ("hour", "trunc(ts, '1h')"),
    ("quad", "a / 4"),
    ("start", "left(b, 2)"),
    ("end", "right(c, 2)"),
];

pub fn derived_value(which: usize, record: &[i64]) -> i64 {
    match which {
        0 => record[4].div_euclid(DAY),
        1 => record[4].div_euclid(HOUR),
        2 => record[0] / 4,
        // Of x, x1, x12, y, ya, z9 and none.
        3 => [0, 1, 1, 2, 3, 4]
            .get(record[1] as usize)
            .copied()
            .unwrap_or(5),
        _ => record[2] % 100,
    }
}

pub fn schema() -> Schema {
    let texts = ["x", "x1", "x12", "y", "ya", "z9"].map(str::to_owned);
    let mut b = Field::new(
        "b",
        FieldKind::Text(TextValues::Listed(texts.to_vec().into())),
    );
    b.literals = vec![Vec::new()];
    let first = START.0 / 1_000_000;
    Schema {
        fields: vec![
            Field::new(
                "a",
                FieldKind::Int {
                    first: 0,
                    count: 25,
                },
            ),
            b,
            Field::new(
                "c",
                FieldKind::Digits {
                    width: 3,
                    first: 5,
                    count: 40,
                },
            ),
            Field::new(
                "d",
                FieldKind::Int {
                    first: -7,
                    count: 30,
                },
            ),
            Field::new(
                "ts",
                FieldKind::Timestamp {
                    unit: TimeUnit::Millis,
                    late: None,
                },
            ),
            Field::new(
                "n",
                FieldKind::Int {
                    first: 0,
                    count: 1_000_000,
                },
            ),
        ],
        time_range: (
            EpochNanos(first * 1_000_000),
            EpochNanos((first + DAYS * DAY) * 1_000_000),
        ),
        sequence_span: 0,
    }
}

/// Numbers of rows by looking at all of them.
pub struct Table {
    pub records: Vec<[i64; 6]>,
}

impl Table {
    /// The value of a stored field in a row.
    pub fn slot(&self, row: usize, field: FieldId) -> i64 {
        self.records[row][usize::from(field.0)]
    }

    /// The row that a read is for, without lists or a page.
    pub fn target(&self, row: usize) -> ReadTarget<'_> {
        ReadTarget {
            operation: OperationId::new(WriteId(0), row as u64),
            at: NOW,
            record: &self.records[row],
            within: &[],
            within_lens: &[],
            page: PageRows::default(),
        }
    }
}

impl RowCounts for Table {
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        _: &[i64],
        _: SimTime,
    ) -> f64 {
        let mut writes: BTreeMap<Vec<i64>, i32> = BTreeMap::new();
        for record in &self.records {
            let slot = |field: FieldId| record[usize::from(field.0)];
            let mut equal = condition.equal.iter();
            let mut between = condition.between.iter();
            let mut alike = condition.alike.iter();
            if equal.all(|(field, value)| slot(*field) == *value)
                && between.all(|(field, low, high)| (*low..*high).contains(&slot(*field)))
                && alike.all(|(groups, at)| groups.of(slot(groups.field)) == Some(*at))
            {
                let step = equality
                    .step
                    .map(|(field, low, high)| (slot(field) - low).div_euclid(high - low));
                let told = equality.told.iter().map(|field| slot(*field));
                *writes.entry(told.chain(step).collect()).or_default() += 1;
            }
        }
        // So many equally likely draws for each write.
        let rows = writes.values().map(|writes| match equality.draws {
            draws if draws.is_finite() => draws * (1.0 - (1.0 - 1.0 / draws).powi(*writes)),
            _ => f64::from(*writes),
        });
        rows.sum()
    }
}

pub fn table(seed: u64) -> Table {
    let key = DrawKey::new(Seed(seed), 0, Stream::Existing, 0);
    let first = START.0 / 1_000_000;
    let record = |row: usize| {
        let mut draws = key.at(row as u64);
        let b = draws.below(7) as i64;
        [
            draws.below(25) as i64,
            if b == 6 { Field::literal_slot(0) } else { b },
            5 + draws.below(40) as i64,
            draws.below(30) as i64 - 7,
            // Few minutes, so that rows share them.
            first + draws.below((DAYS * DAY / 60_000) as u64) as i64 * 60_000,
            row as i64,
        ]
    };
    Table {
        records: (0..ROWS).map(record).collect(),
    }
}

/// What the key of a row draws.
pub fn key_draws(row: u64) -> Draws {
    DrawKey::new(Seed(5), 0, Stream::Keys, 0).at(row)
}

/// The compiled key, which may use the derived fields.
pub fn compiled(text: &str) -> Arc<KeyPlan> {
    let (schema, parameters) = (schema(), BTreeMap::new());
    let derived = DERIVED.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let environment = Environment {
        schema: &schema,
        derived: &derived,
        parameters: &parameters,
    };
    let plan = KeyPlan::compile(text, &environment);
    Arc::new(plan.unwrap_or_else(|errors| panic!("{text}: {errors:?}")))
}
