//! Every pre-split that HBase's own code computed, or refused, for `tests/data/hbase_splits.json`.
//!
//! `first`, `last` null are the algorithm's defaults. For `Bytes.split`, `n` is the number of interior points and all n + 2 rows
//! are listed; a note with "inclusive" tells which form was called.

use keyheat::keyspace::{RowKey, unescape};
use keyheat::policy::{
    NumberStringSplit, SplitAlgorithm, SplitError, create_table_points, split_bytes, uniform_points,
};
use serde_json::Value;

fn hex(key: &RowKey) -> String {
    key.as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn text<'a>(case: &'a Value, name: &str) -> Option<&'a str> {
    case[name].as_str()
}

fn bytes(case: &Value, name: &str) -> Vec<u8> {
    let hex = text(case, name).expect("a binary row has its bytes");
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn compute(case: &Value) -> Result<Vec<RowKey>, SplitError> {
    let (first, last) = (text(case, "first"), text(case, "last"));
    let n = case["n"].as_i64().unwrap();
    let note = text(case, "note").unwrap();
    match text(case, "algo").unwrap() {
        "HexStringSplit" => NumberStringSplit::hexadecimal(first, last)?.split(n),
        "DecimalStringSplit" => NumberStringSplit::decimal(first, last)?.split(n),
        "UniformSplit" => uniform_points(first, last, n),
        "Bytes.split" => {
            let inclusive = note.contains("inclusive") && !note.contains("exclusive");
            split_bytes(
                &bytes(case, "first_hex"),
                &bytes(case, "last_hex"),
                inclusive,
                n,
            )
        }
        "Admin.createTable" => {
            create_table_points(&bytes(case, "first_hex"), &bytes(case, "last_hex"), n)
        }
        "HexStringSplit.split(start,end)" => Ok(vec![
            NumberStringSplit::hexadecimal(None, None)?
                .split_between(first.unwrap(), last.unwrap())?,
        ]),
        "UniformSplit.split(start,end)" => {
            let (first, last) = (bytes(case, "first_hex"), bytes(case, "last_hex"));
            split_bytes(&first, &last, false, 1).map(|rows| vec![rows[1].clone()])
        }
        other => panic!("no such algorithm: {other}"),
    }
}

/// Number of pre-splits, all of them equal, refusals included.
pub fn pre_splits() -> usize {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../data/hbase_splits.json")).unwrap();
    for case in &cases {
        match (compute(case), case.get("splits_hex")) {
            (Ok(points), Some(expected)) => {
                let points: Vec<String> = points.iter().map(hex).collect();
                let expected: Vec<&str> = expected
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|point| point.as_str().unwrap())
                    .collect();
                assert_eq!(points, expected, "{case}");
            }
            (Err(error), None) => {
                assert_eq!(error.java_class(), text(case, "error"), "{case}");
                assert_eq!(
                    Some(error.to_string().as_str()),
                    text(case, "message"),
                    "{case}"
                );
            }
            (found, _) => panic!("{found:?} for {case}"),
        }
    }
    cases.len()
}

#[test]
fn every_case_of_hbase_is_reproduced_refusals_included() {
    assert_eq!(pre_splits(), 108);
}

#[test]
fn the_named_algorithms_reach_the_same_points() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../data/hbase_splits.json")).unwrap();
    let mut compared = 0;
    for case in &cases {
        let algorithm = match text(case, "algo").unwrap() {
            "HexStringSplit" => SplitAlgorithm::HexString,
            "DecimalStringSplit" => SplitAlgorithm::DecimalString,
            "UniformSplit" => SplitAlgorithm::Uniform,
            "Admin.createTable" => SplitAlgorithm::Bytes,
            _ => continue,
        };
        let found = algorithm.split_points(
            case["n"].as_i64().unwrap(),
            text(case, "first"),
            text(case, "last"),
        );
        assert_eq!(found, compute(case), "{case}");
        compared += 1;
    }
    assert_eq!(compared, 31 + 15 + 24 + 14);
    assert_eq!(SplitAlgorithm::None.split_points(1, None, None), Ok(vec![]));
}

#[test]
fn the_shell_command_reads_back_as_the_same_points() {
    let points: Vec<RowKey> = (1..=255u8)
        .map(|byte| RowKey(vec![byte, b'\'', 255 - byte]))
        .collect();
    let command = keyheat::policy::create_command("t", &[("d", vec![])], &[], &points);
    let list = command
        .strip_prefix("create 't', 'd', SPLITS => ['")
        .unwrap()
        .strip_suffix("']")
        .unwrap();
    let read: Vec<RowKey> = list
        .split("', '")
        .map(|point| RowKey(unescape(point).unwrap()))
        .collect();
    assert_eq!(read, points);
    // Nothing in it that Ruby's single quotes would change.
    assert!(!list.replace("', '", "").contains('\'') && !command.contains("\\\\"));
}
