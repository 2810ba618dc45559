//! Every index separator that HBase's own code computed, or refused, for `tests/data/hbase_midpoint.json`.

use keyheat::storage::{SeparatorError, separator};
use proptest::prelude::*;
use serde_json::Value;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// Number of separators, all of them equal, refusals included.
pub fn separators() -> usize {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../data/hbase_midpoint.json")).unwrap();
    for case in &cases {
        let row = |name: &str| bytes(case[name].as_str().unwrap());
        let expected = match case["error"].as_str() {
            Some(error) => {
                assert_eq!(error, "IllegalArgumentException");
                Err(SeparatorError::OutOfOrder)
            }
            None => Ok(case["mid_hex"].as_str().map(bytes)),
        };
        let found = separator(&row("left_hex"), &row("right_hex"));
        assert_eq!(found, expected, "{case}");
    }
    cases.len()
}

#[test]
fn separators_are_those_of_hbase() {
    assert_eq!(separators(), 20);
}

proptest! {
    #[test]
    fn a_separator_lies_between_its_rows_and_none_is_shorter(
        left in proptest::collection::vec(0u8..4, 0..6),
        right in proptest::collection::vec(0u8..4, 0..6),
    ) {
        prop_assume!(left < right);
        let found = separator(&left, &right).unwrap().unwrap();
        prop_assert!(left < found && found <= right);
        prop_assert!(found.len() <= right.len());
        // Nothing shorter lies between them.
        let shorter = &right[..found.len() - 1];
        prop_assert!(shorter <= left.as_slice());
    }
}
