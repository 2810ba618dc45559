//! Every skew that HBase's own code computed (`DoubleArrayCost`), for `tests/data/hbase_balancer_cost.json`.

use keyheat::policy::balance::ArraySkew;
use serde_json::Value;

/// Number of skews, all of them equal with their bounds.
pub fn skews() -> usize {
    let text = include_str!("../../data/hbase_balancer_cost.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    for case in &cases {
        let number = |name: &str| case[name].as_f64().unwrap();
        let stats: Vec<f64> = serde_json::from_value(case["stats"].clone()).unwrap();
        let skew = ArraySkew::new(stats);
        let found = (skew.cost, (skew.min_skew, skew.max_skew));
        let expected = (number("cost"), (number("min_skew"), number("max_skew")));
        assert_eq!(found, expected, "{case}");
    }
    cases.len()
}

#[test]
fn skews_and_their_bounds_are_those_of_hbase() {
    assert_eq!(skews(), 19);
}
