//! What the library predicts against what a real HBase did: `tests/hbase/measured.jsonl`, which the harness of `tests/hbase` writes. A fault in the
//! model breaks this without any Java.
//!
//! `KEYHEAT_MEASURED=FILE cargo test --test all real_hbase` judges another measurement: what chance and the machine's speed have no part in.

mod chapter;
mod chart;
mod predictions;
mod tolerances;

pub use chapter::chapter;

use predictions::PREDICTIONS;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tolerances::{Tolerance, rounded, tolerance};

/// Quantities that are measured at least.
const LEAST_QUANTITIES: usize = 550;

/// One line of a measurement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    kind: String,
    value: Value,
    /// Numbers measurements of the same quantity.
    #[allow(dead_code)]
    repeat: u32,
    #[allow(dead_code)]
    date: String,
    #[allow(dead_code)]
    hbase: String,
    #[allow(dead_code)]
    java: u32,
    /// Of the scenario's text; none of what was entered from notes of a measurement under the same settings.
    scenario_sha256: Option<String>,
    /// Who measured it; none is the harness.
    #[allow(dead_code)]
    source: Option<String>,
    /// Why the prediction is known to be another.
    differs: Option<String>,
}

/// A quantity with its prediction and all that was measured of it.
struct Compared {
    id: String,
    tolerance: &'static Tolerance,
    predicted: Value,
    /// The mean of numbers.
    measured: Value,
    agrees: bool,
    differs: Option<String>,
}

impl Compared {
    /// It agrees, whatever chance makes of a run.
    fn is_close(&self) -> bool {
        self.tolerance.allows(&self.predicted, &self.measured, 0.0)
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hbase")
}

/// The lines of the committed file, or of the one that the environment names.
fn measured() -> Vec<Line> {
    let named = std::env::var_os("KEYHEAT_MEASURED").map(PathBuf::from);
    let file = named.unwrap_or_else(|| folder().join("measured.jsonl"));
    let text = std::fs::read_to_string(&file);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = text.lines().enumerate().map(|(at, line)| {
        serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("{}:{}: {error}", file.display(), at + 1))
    });
    lines.collect()
}

/// Every quantity that was measured, beside its prediction; fails when nothing predicts it, or when it was measured of another scenario.
fn compared(lines: &[Line]) -> Vec<Compared> {
    let mut by_id: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        by_id.entry(&line.id).or_default().push(line);
    }
    let compared = by_id.into_iter().filter_map(|(id, lines)| {
        let Some(prediction) = PREDICTIONS.get(id) else {
            panic!("`{id}` was measured, and nothing predicts it");
        };
        for line in &lines {
            assert_eq!(line.kind, prediction.tolerance.kind, "{id}: its kind");
            let of_another = matches!((&line.scenario_sha256, &prediction.scenario_sha256),
                (Some(measured), Some(predicted)) if measured != predicted);
            assert!(
                !of_another,
                "{id} was measured of another text of its scenario: measure it again"
            );
        }
        if prediction.value.is_null() {
            return None;
        }
        let values: Vec<&Value> = lines.iter().map(|line| &line.value).collect();
        let (measured, repeated) = mean(&values);
        // What was measured is the mean of so many runs.
        let by_chance = prediction.deviation / (values.len() as f64).sqrt();
        let deviation = repeated.max(by_chance);
        Some(Compared {
            id: id.to_owned(),
            tolerance: prediction.tolerance,
            agrees: prediction
                .tolerance
                .allows(&prediction.value, &measured, deviation),
            predicted: prediction.value.clone(),
            measured,
            differs: lines.iter().find_map(|line| line.differs.clone()),
        })
    });
    compared.collect()
}

/// The mean of what was measured and the standard deviation of one measurement, 0 of a single one; of what is no number the first, which all
/// others have to equal.
fn mean(values: &[&Value]) -> (Value, f64) {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    let Some(numbers) = numbers else {
        assert!(
            values.iter().all(|value| *value == values[0]),
            "measured twice, and not equal: {values:?}"
        );
        return (values[0].clone(), 0.0);
    };
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let deviation = match numbers.len() {
        1 => 0.0,
        _ => (squares / (n - 1.0)).sqrt(),
    };
    (rounded(mean), deviation)
}

fn told(quantities: &[&Compared]) -> String {
    let line = |it: &&Compared| {
        let (id, kind) = (&it.id, it.tolerance.kind);
        format!(
            "{id} ({kind}): predicted {}, measured {}",
            it.predicted, it.measured
        )
    };
    quantities.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_measured_quantity_is_predicted() {
    let all = compared(&measured());
    let fresh = std::env::var_os("KEYHEAT_MEASURED").is_some();
    let wrong: Vec<&Compared> = all
        .iter()
        .filter(|it| !it.agrees && it.differs.is_none())
        .filter(|it| !fresh || it.tolerance.is_deterministic())
        .filter(|it| !fresh || !is_known_to_differ(&it.id))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} are not within their tolerance:\n{}",
        wrong.len(),
        all.len(),
        told(&wrong)
    );
    let count = all.len();
    assert!(
        fresh || count >= LEAST_QUANTITIES,
        "only {count} quantities"
    );
}

/// Whether the committed measurement says of a quantity why it differs.
fn is_known_to_differ(id: &str) -> bool {
    let file = folder().join("measured.jsonl");
    let text = std::fs::read_to_string(file).expect("the measurement is committed");
    let lines = text.lines().map(serde_json::from_str::<Line>);
    lines
        .flatten()
        .any(|line| line.id == id && line.differs.is_some())
}

#[test]
fn what_is_known_to_differ_still_differs() {
    if std::env::var_os("KEYHEAT_MEASURED").is_some() {
        return;
    }
    let all = compared(&measured());
    let agreeing: Vec<&Compared> = all
        .iter()
        .filter(|it| it.agrees && it.differs.is_some())
        .collect();
    assert!(
        agreeing.is_empty(),
        "these agree now: take `differs` out of their lines\n{}",
        told(&agreeing)
    );
}

/// Predictions are committed before what they predict is measured: the history of this file and of `measured.jsonl` tells which came first.
#[test]
fn the_committed_predictions_are_those_of_the_library() {
    let lines = PREDICTIONS.iter().map(|(id, prediction)| {
        let kind = prediction.tolerance.kind;
        let predicted = &prediction.value;
        serde_json::json!({ "id": id, "kind": kind, "predicted": predicted }).to_string() + "\n"
    });
    let text: String = lines.collect();
    let file = folder().join("predicted.jsonl");
    snapbox::assert_data_eq!(text, snapbox::Data::read_from(&file, None).raw());
}

#[test]
fn repeated_measurements_widen_what_is_allowed() {
    let values = [100.0, 110.0, 120.0].map(Value::from);
    let (measured, deviation) = mean(&values.each_ref());
    assert_eq!((measured.as_f64(), deviation), (Some(110.0), 10.0));
    let throughput = tolerance("throughput");
    // 6 % of 135 are 8.1, three standard deviations 30.
    assert!(throughput.allows(&Value::from(135.0), &measured, deviation));
    assert!(!throughput.allows(&Value::from(135.0), &measured, 0.0));
    assert!(!throughput.allows(&Value::from(141.0), &measured, deviation));
}
