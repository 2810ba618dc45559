//! What the fuzz targets hand their bytes to; `tests/all/fuzz_seeds.rs` hands it the seeds in every run of the tests.

pub mod key_claims;

use keyheat::key::{Environment, KeyPlan, evaluate};
use keyheat::keyspace::{escape, unescape};
use keyheat::policy::{SplitAlgorithm, SplitError};
use keyheat::random::Seed;
use keyheat::record::{Field, FieldKind, FieldValue, Schema, TextValues};
use keyheat::scenario::Scenario;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What every key of the `key` target is written for: a field of each of its types besides those of `key_claims`.
static ROWS: LazyLock<(Schema, Vec<i64>)> = LazyLock::new(|| {
    let mut schema = key_claims::schema();
    let listed = ["", "häuser", "x1", "x12"].map(str::to_owned);
    let kinds = [
        (
            "i",
            FieldKind::Int {
                first: i64::MIN,
                count: u64::MAX,
            },
        ),
        (
            "t",
            FieldKind::Text(TextValues::Listed(listed.to_vec().into())),
        ),
        (
            "b",
            FieldKind::Bytes {
                length: 3,
                count: Some(900),
            },
        ),
        (
            "d",
            FieldKind::Double {
                min: -0.5,
                max: 1e300,
            },
        ),
    ];
    let fields = kinds.into_iter();
    schema
        .fields
        .extend(fields.map(|(name, kind)| Field::new(name, kind)));
    let records = key_claims::records(&schema, 8);
    (schema, records)
});

/// A scenario's text: any is a scenario, or refused with a reason that can be shown.
pub fn scenario(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Err(error) = Scenario::parse(text, "fuzz") {
        assert!(!error.diagnostics.is_empty());
        assert!(!error.to_string().is_empty());
    }
}

/// A key expression over a field of each type: any is a key, or refused. Compiled for many values of
/// each field, it can't fail for any of them, and its keys are what the plan claims.
pub fn key(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let fields = [
        ("i", FieldValue::Int(-7)),
        ("t", FieldValue::Text("häuser".to_owned())),
        ("b", FieldValue::Bytes(vec![0, 255, 39])),
        ("d", FieldValue::Double(-0.5)),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    if let Err(errors) = evaluate(text, &fields, Seed(1)) {
        assert!(!errors.is_empty());
    }
    let (schema, records) = &*ROWS;
    let environment = Environment {
        schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    match KeyPlan::compile(text, &environment) {
        Ok(plan) => key_claims::check(&plan, records, schema.fields.len()),
        Err(errors) => assert!(!errors.is_empty()),
    }
}

/// Split points: a first byte for the algorithm, a second for the regions, then the first and the last row, apart by a line feed. What is
/// computed is in order and reads back from its notation.
pub fn splits(data: &[u8]) {
    let [algorithm, regions, rows @ ..] = data else {
        return;
    };
    let algorithms = [
        SplitAlgorithm::HexString,
        SplitAlgorithm::DecimalString,
        SplitAlgorithm::Uniform,
        SplitAlgorithm::Bytes,
    ];
    let algorithm = algorithms[usize::from(*algorithm) % algorithms.len()];
    let Ok(rows) = std::str::from_utf8(rows) else {
        return;
    };
    let (first, last) = match rows.split_once('\n') {
        Some((first, last)) => (Some(first), Some(last)),
        None => (None, None),
    };
    let points: Result<_, SplitError> =
        algorithm.split_points(i64::from(*regions) - 2, first, last);
    let Ok(points) = points else {
        return;
    };
    for point in &points {
        let bytes = point.as_bytes();
        assert_eq!(unescape(&escape(bytes)).as_deref(), Ok(bytes));
    }
}
