//! Tests of comparing results.

use super::{
    ChangeVerdict, Measure, Metric, MetricChange, ParameterChange, Results, StrategyResult,
};
use std::collections::BTreeMap;

/// A strategy with the values of some metrics in each replicate.
fn strategy(name: &str, key: &str, values: &[(&str, &[f64])]) -> StrategyResult {
    let text = format!(
        r#"{{"name": "{name}", "title": "", "sweep": {{}}, "key": "{key}", "servers": 4, "metrics": {{}}, "values": {{}}, "writes": [], "reads": [],
            "neighbours": [], "counts": {{"offered": 0, "completed": 0, "failed": 0, "in_flight": 0}}, "verdict": "", "entities": [],
            "series": null, "key_map": [], "region_starts": [], "response_curve": {{"points": [], "max_ms": null, "censored_from": null}}}}"#
    );
    let mut strategy: StrategyResult = serde_json::from_str(&text).unwrap();
    for (metric, values) in values {
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let measure = Measure::of(&values, (f64::NEG_INFINITY, f64::INFINITY));
        match metric.split_once('.') {
            Some((family, part)) => {
                let members = BTreeMap::from([(part.to_owned(), measure)]);
                strategy
                    .metrics
                    .insert(family.to_owned(), Metric::Family(members));
            }
            None => {
                strategy
                    .metrics
                    .insert((*metric).to_owned(), Metric::Number(measure));
            }
        }
        strategy.values.insert((*metric).to_owned(), values);
    }
    strategy
}

fn results(seed: u64, strategies: Vec<StrategyResult>) -> Results {
    let text = format!(
        r#"{{"schema_version": 1, "tool": "keyheat 0.0.0", "scenario": {{"name": "s", "sha256": "00", "question": "", "text": "", "overrides": []}},
            "seed": {seed}, "replicates": 3, "duration_s": 10, "warmup_s": 1, "sample_s": 1, "strategies": [], "comparisons": [],
            "expectations": [], "warnings": []}}"#
    );
    let mut results: Results = serde_json::from_str(&text).unwrap();
    results.strategies = strategies;
    results
}

/// What comparing one metric's values says.
fn change(
    metric: &str,
    (old_seed, old): (u64, &[f64]),
    (seed, new): (u64, &[f64]),
) -> MetricChange {
    let before = results(old_seed, vec![strategy("a", "k", &[(metric, old)])]);
    let after = results(seed, vec![strategy("a", "k", &[(metric, new)])]);
    let found = before.compare(&after, &[]).unwrap();
    found.strategies[0].metrics[0].clone()
}

#[test]
fn results_are_identical_to_themselves() {
    let values: &[(&str, &[f64])] = &[
        ("server_max_share", &[0.3, 0.31, 0.29]),
        ("write_response_ms.p99", &[4.0, 5.0, 6.0]),
        ("table_bytes", &[1e9]),
    ];
    let same = results(7, vec![strategy("a", "k", values)]);
    let found = same.compare(&same, &[]).unwrap();
    assert!(found.paired);
    let metrics = &found.strategies[0].metrics;
    assert_eq!(metrics.len(), 3);
    assert!(
        metrics
            .iter()
            .all(|it| it.verdict == ChangeVerdict::Identical)
    );
    assert_eq!(found.strategies[0].rewrite, None);
}

#[test]
fn pairs_see_a_small_change_that_independent_runs_hide() {
    let (old, new): (&[f64], &[f64]) = (&[100.0, 200.0, 400.0], &[103.0, 206.1, 411.9]);
    let paired = change("write_response_ms.p99", (7, old), (7, new));
    assert_eq!(paired.verdict, ChangeVerdict::Worse);
    assert!(
        (paired.ratio.mean.unwrap() - 1.0301).abs() < 1e-4,
        "{paired:?}"
    );
    let apart = change("write_response_ms.p99", (7, old), (8, new));
    assert_eq!(apart.verdict, ChangeVerdict::NoSignificantDifference);
    assert!(
        (apart.ratio.mean.unwrap() - 1.0301).abs() < 1e-4,
        "{apart:?}"
    );
}

#[test]
fn what_is_certain_and_less_than_two_per_cent_is_about_the_same() {
    let old: &[f64] = &[100.0, 200.0, 400.0];
    let verdict = |factor: f64| {
        // One replicate is a thousandth off, so that the interval is no point.
        let new = [factor * 100.0, factor * 200.2, factor * 400.0];
        change("write_response_ms.p99", (7, old), (7, &new)).verdict
    };
    assert_eq!(verdict(1.019), ChangeVerdict::AboutTheSame);
    assert_eq!(verdict(1.0 / 1.019), ChangeVerdict::AboutTheSame);
    assert_eq!(verdict(1.021), ChangeVerdict::Worse);
    assert_eq!(verdict(1.0 / 1.021), ChangeVerdict::Better);
}

#[test]
fn better_and_worse_follow_the_catalogue() {
    let verdict = |metric, old: &[f64], new: &[f64]| change(metric, (7, old), (7, new)).verdict;
    let (low, high): (&[f64], &[f64]) = (&[10.0, 11.0, 12.0], &[20.0, 22.1, 23.9]);
    assert_eq!(
        verdict("write_throughput_per_sec", low, high),
        ChangeVerdict::Better
    );
    assert_eq!(
        verdict("write_throughput_per_sec", high, low),
        ChangeVerdict::Worse
    );
    assert_eq!(
        verdict("server_peak_to_mean", high, low),
        ChangeVerdict::Better
    );
    assert_eq!(verdict("regions_end", low, high), ChangeVerdict::Different);
    assert_eq!(
        verdict("key_bytes", &[8.0], &[9.0]),
        ChangeVerdict::OneValue
    );
}

#[test]
fn where_a_value_is_zero_the_difference_decides() {
    let none: &[f64] = &[0.0, 0.0, 0.0];
    let found = change(
        "write_failed_fraction",
        (7, none),
        (7, &[0.02, 0.03, 0.025]),
    );
    assert_eq!(
        (found.ratio.mean, found.verdict),
        (None, ChangeVerdict::Worse)
    );
    assert!((found.difference.mean.unwrap() - 0.025).abs() < 1e-12);
}

#[test]
fn lower_bounds_and_missing_metrics_are_not_compared() {
    let mut before = results(
        7,
        vec![strategy(
            "a",
            "k",
            &[("write_response_ms.p99", &[4.0, 5.0])],
        )],
    );
    let mut after = before.clone();
    after.strategies[0].values.clear();
    after.strategies[0].metrics.clear();
    let found = before.compare(&after, &[]).unwrap();
    assert_eq!(
        found.strategies[0].metrics[0].verdict,
        ChangeVerdict::Undefined
    );
    after = before.clone();
    after.strategies[0].values.insert(
        "write_response_ms.p99".to_owned(),
        vec![Some(9.0), Some(9.5)],
    );
    if let Some(Metric::Family(members)) = before.strategies[0].metrics.get_mut("write_response_ms")
    {
        members.get_mut("p99").unwrap().censored = true;
    }
    let found = before.compare(&after, &[]).unwrap();
    // Less than twice as much as 4 and more: that may be more or less.
    assert_eq!(
        found.strategies[0].metrics[0].verdict,
        ChangeVerdict::LowerBound
    );
}

#[test]
fn a_lower_bound_proves_what_lies_on_its_side() {
    let p99 = "write_response_ms.p99";
    let side = |values: &[f64], censored: bool| {
        let mut one = strategy("a", "k", &[(p99, values)]);
        if let Some(Metric::Family(members)) = one.metrics.get_mut("write_response_ms") {
            members.get_mut("p99").unwrap().censored = censored;
        }
        results(7, vec![one])
    };
    let verdict = |before: &Results, after: &Results| {
        let found = before.compare(after, &[]).unwrap();
        found.strategies[0].metrics[0].clone()
    };
    let (short, long) = (&[2.9, 3.0, 3.1], &[9_800.0, 9_870.0, 9_900.0]);
    let worse = verdict(&side(short, false), &side(long, true));
    assert_eq!(worse.verdict, ChangeVerdict::Worse);
    assert!(worse.ratio.censored && worse.ratio.high.is_none());
    let better = verdict(&side(long, true), &side(short, false));
    assert_eq!(better.verdict, ChangeVerdict::Better);
    assert!(better.ratio.upper_bound && better.ratio.low.is_none());
    // More than 3 ms against 9.8 s, and two bounds, say nothing; nor do two that are equal.
    for (before, after) in [
        (side(long, false), side(short, true)),
        (side(long, true), side(short, true)),
        (side(long, true), side(long, true)),
    ] {
        assert_eq!(verdict(&before, &after).verdict, ChangeVerdict::LowerBound);
    }
}

#[test]
fn a_changed_key_costs_a_rewrite_of_all_rows_of_the_old_table() {
    let old: &[(&str, &[f64])] = &[("table_rows", &[1_000.0]), ("table_bytes", &[70_000.0])];
    // The second run added more rows: 90 bytes a row count, not its total.
    let new: &[(&str, &[f64])] = &[("table_rows", &[1_100.0]), ("table_bytes", &[99_000.0])];
    let before = results(
        7,
        vec![strategy("a", "be8(ts)", old), strategy("b", "x", old)],
    );
    let after = results(
        7,
        vec![
            strategy("a", "salt(8, ts) || be8(ts)", new),
            strategy("c", "x", new),
        ],
    );
    let found = before.compare(&after, &[]).unwrap();
    let rewrite = found.strategies[0].rewrite.clone().unwrap();
    assert_eq!(rewrite.rows, Some(1_000.0));
    assert_eq!(
        (rewrite.bytes_read, rewrite.bytes_written),
        (Some(70_000.0), Some(90_000.0))
    );
    assert_eq!(
        (&found.only_before[..], &found.only_after[..]),
        (&["b".to_owned()][..], &["c".to_owned()][..])
    );
}

#[test]
fn copies_whose_key_stays_are_neither_read_nor_written_again() {
    let sizes: &[(&str, &[f64])] = &[("table_rows", &[100.0]), ("table_bytes", &[9_000.0])];
    let with = |key: &str, copies: &[(&str, f64)], buckets: i64| {
        let mut one = strategy("a", key, sizes);
        one.copies = copies.iter().map(|it| (it.0.to_owned(), it.1)).collect();
        one.parameters = BTreeMap::from([("buckets".to_owned(), buckets)]);
        results(7, vec![one])
    };
    let before = with("x", &[("tag", 4_000.0), ("bucket(buckets, y)", 1_000.0)], 8);
    // The table itself takes 4,000 bytes; under the other key it takes 5,000, and 3,800.
    let of = |copies: &[(&str, f64)], buckets| {
        let found = before.compare(&with("z", copies, buckets), &[]).unwrap();
        let rewrite = found.strategies[0].rewrite.clone().unwrap();
        [rewrite.bytes_read, rewrite.bytes_written].map(Option::unwrap)
    };
    assert_eq!(of(&[("tag", 4_000.0)], 8), [4_000.0, 5_000.0]);
    let both = [("tag", 4_000.0), ("bucket(buckets, y)", 1_200.0)];
    assert_eq!(of(&both, 8), [4_000.0, 3_800.0]);
    // More buckets change the copy that tells them.
    assert_eq!(of(&both, 16), [4_000.0, 5_000.0]);
    assert_eq!(of(&[("lang", 4_000.0)], 8), [4_000.0, 9_000.0]);
}

#[test]
fn strategies_of_other_names_are_paired_on_demand() {
    let values: &[(&str, &[f64])] = &[("server_max_share", &[0.3, 0.31])];
    let before = results(
        7,
        vec![strategy("a", "x", values), strategy("b", "y", values)],
    );
    let found = before
        .compare(&before, &[("a".to_owned(), "b".to_owned())])
        .unwrap();
    assert_eq!(found.strategies.len(), 1);
    assert!(found.strategies[0].rewrite.is_some());
    let error = before
        .compare(&before, &[("a".to_owned(), "z".to_owned())])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no strategy `z` in the second results; it has a, b"
    );
}

#[test]
fn a_key_that_changed_only_through_a_parameter_is_a_changed_key() {
    let sizes: &[(&str, &[f64])] = &[("table_rows", &[100.0]), ("table_bytes", &[5_000.0])];
    let with = |buckets: i64| {
        let mut one = strategy("a", "be1(random(buckets)) || be8(ts)", sizes);
        one.parameters = BTreeMap::from([("buckets".to_owned(), buckets), ("width".to_owned(), 4)]);
        results(7, vec![one])
    };
    let rewrite = |before: &Results, after: &Results| {
        let found = before.compare(after, &[]).unwrap();
        found.strategies[0].rewrite.clone()
    };
    assert_eq!(rewrite(&with(8), &with(8)), None);
    let found = rewrite(&with(8), &with(16)).unwrap();
    assert_eq!(
        found.parameters,
        [ParameterChange {
            name: "buckets".to_owned(),
            before: Some(8),
            after: Some(16),
        }]
    );
    assert_eq!(
        (found.rows, found.bytes_read, found.bytes_written),
        (Some(100.0), Some(5_000.0), Some(5_000.0))
    );
}
