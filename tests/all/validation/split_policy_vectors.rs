//! Every threshold that follows from HBase's formulas, for `tests/data/hbase_split_policy.json`.

use keyheat::policy::{SplitPolicy, SplitSizes};
use serde_json::Value;

/// Number of thresholds, all of them equal.
pub fn thresholds() -> usize {
    let text = include_str!("../../data/hbase_split_policy.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    for case in &cases {
        let number = |name: &str| case[name].as_u64().unwrap();
        let policy = match case["policy"].as_str().unwrap() {
            "ConstantSize" => SplitPolicy::ConstantSize,
            "IncreasingToUpperBound" => SplitPolicy::Increasing,
            "Stepping" => SplitPolicy::Stepping,
            other => panic!("{other}"),
        };
        let sizes = SplitSizes {
            max_file_bytes: number("max_filesize"),
            flush_bytes: number("flush_size"),
        };
        let regions = number("regions_on_server") as u32;
        let found = policy.threshold(sizes, regions, number("jitter") as f64);
        assert_eq!(found, Some(number("split_above_bytes")), "{case}");
    }
    cases.len()
}

#[test]
fn thresholds_are_those_of_hbase() {
    assert_eq!(thresholds(), 27);
}
