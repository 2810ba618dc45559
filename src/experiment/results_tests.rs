//! `results.json` reads back as it was, and holds nothing that JSON can't.

use super::{
    Comparison, Curve, ExpectationResult, ExpectedBound, FoundValue, KeyMapBucket, Measure, Metric,
    OperationResult, Results, ScenarioInfo, StrategyResult,
};
use crate::metrics::{Counts, Series};
use std::collections::BTreeMap;

fn results() -> Results {
    let measure = Measure {
        mean: Some(0.1 + 0.2),
        merged: None,
        low: Some(1e-7),
        high: Some(123_456_789.123),
        n: 5,
        censored: false,
        upper_bound: false,
    };
    let family: BTreeMap<String, Measure> = [
        ("mean".to_owned(), measure),
        (
            "p99".to_owned(),
            Measure {
                merged: Some(2.0 / 3.0),
                low: None,
                high: None,
                censored: true,
                ..measure
            },
        ),
    ]
    .into();
    let metrics: BTreeMap<String, Metric> = [
        ("server_max_share".to_owned(), Metric::Number(measure)),
        ("region_gini".to_owned(), Metric::Number(Measure::UNDEFINED)),
        ("hotspot".to_owned(), Metric::Word("moving".to_owned())),
        ("write_response_ms".to_owned(), Metric::Family(family)),
    ]
    .into();
    let counts = Counts {
        offered: 10,
        completed: 6,
        failed: 1,
        in_flight: 3,
    };
    let series = Series {
        interval_ms: 100.0,
        origin_ms: -50.0,
        window_start: 1,
        server_demand: vec![vec![3, 1], vec![0, 6]],
        server_completed: vec![vec![3, 1], vec![0, 2]],
        write_response_ms: Vec::new(),
        server_refused: vec![vec![0, 0], vec![0, 4]],
        server_utilisation: vec![vec![0.25, 0.125], vec![0.0, 1.0]],
        key_demand: vec![vec![4], vec![6]],
        region_demand: vec![6, 4],
        top_regions: vec![(1, 0.75), (2, 1.0)],
        server_read_demand: vec![vec![2, 0], vec![7, 5]],
        server_read_work: Vec::new(),
        server_neighbour_work: Vec::new(),
        read_region_demand: vec![9, 5],
        region_server: vec![1, 0],
        events: Vec::new(),
    };
    let strategy = StrategyResult {
        name: "monotonic".into(),
        title: "Monotonic".into(),
        sweep: BTreeMap::new(),
        key: "be8(ts)".into(),
        key_expanded: None,
        key_words: String::new(),
        further_keys: Vec::new(),
        copies: Vec::new(),
        parameters: BTreeMap::from([("buckets".into(), 16)]),
        servers: 2,
        closed_loop: false,
        events: 0,
        metrics: metrics.clone(),
        values: BTreeMap::new(),
        writes: vec![OperationResult {
            name: "ingest".into(),
            counts,
            metrics,
        }],
        reads: vec![],
        neighbours: vec![],
        counts,
        verdict: "Moving hotspot.".into(),
        hot_copy: None,
        outlasting_step: None,
        mapped_copy: None,
        advice: "Put a salt in front.".into(),
        knee: None,
        entities: vec!["sensor 17: 9.8 %".into()],
        series: Some(series),
        key_map: vec![KeyMapBucket {
            start: r"a\x00".into(),
            hex: "6100".into(),
            labels: vec!["ts 00:00".into()],
        }],
        region_starts: vec![String::new(), r"\x80".into()],
        response_curve: Curve {
            points: vec![(0.0, 0.75), (0.9, 1.0 / 3.0)],
            max_ms: None,
            censored_from: Some(0.9),
        },
    };
    Results {
        schema_version: 1,
        tool: "keyheat 0.1.0".into(),
        scenario: ScenarioInfo {
            name: "five-keys".into(),
            sha256: "00".into(),
            question: "Which?".into(),
            text: "question = \"Which?\"\n".into(),
            overrides: vec!["seed=8".into()],
        },
        seed: u64::MAX,
        replicates: 5,
        duration_s: 20.0,
        warmup_s: 4.0,
        sample_s: 0.1,
        sweep: Vec::new(),
        strategies: vec![strategy],
        comparisons: vec![Comparison {
            sweep: Default::default(),
            strategy: "salted".into(),
            baseline: "monotonic".into(),
            metric: "makespan_ms".into(),
            ratio: Measure::UNDEFINED,
            significant: false,
        }],
        expectations: vec![ExpectationResult {
            sweep: Default::default(),
            ratio_to_sweep: Default::default(),
            strategy: "monotonic".into(),
            metric: "server_max_share".into(),
            ratio_to: None,
            record: None,
            value: FoundValue::Number(measure),
            bound: ExpectedBound::Between(0.1, 0.7),
            holds: true,
            because: None,
            issue: Some("#12".into()),
            reason: None,
        }],
        warnings: vec![],
        limits: Vec::new(),
        recommended: Vec::new(),
    }
}

#[test]
fn results_read_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.json");
    let results = results();
    results.save(&path).unwrap();
    let read = Results::load(&path).unwrap();
    assert_eq!(read, results);
    assert_eq!(read.to_json(), results.to_json());
}

#[test]
fn undefined_is_null_and_lists_of_numbers_stay_on_one_line() {
    let mut results = results();
    results.strategies[0].response_curve.max_ms = Some(f64::NAN);
    let text = results.to_json();
    assert!(!text.contains("NaN") && !text.contains("inf"));
    assert!(text.contains("\"max_ms\": null"));
    assert!(text.contains("\"server_demand\": [[3,1],[0,6]]"), "{text}");
    assert!(text.contains("\"region_gini\": {\n"), "{text}");
    assert!(text.starts_with(
        "{\n  \"schema_version\": 1,\n  \"tool\": \"keyheat 0.1.0\",\n  \"scenario\": {\n"
    ));
    assert!(text.ends_with("}\n"));
}

#[test]
fn other_files_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |text: &str| {
        let path = folder.path().join("x.json");
        std::fs::write(&path, text).unwrap();
        Results::load(&path).unwrap_err().to_string()
    };
    assert!(refusal("{").contains("not a results file"));
    assert!(refusal("{\"schema_version\": 1}").contains("not a results file"));
    assert!(refusal("{\"schema_version\": 2}").contains("schema version 2, expected 1"));
    assert!(
        Results::load(&folder.path().join("none"))
            .unwrap_err()
            .to_string()
            .contains("can't read")
    );
}
