//! A sweep runs every combination of its values, and its expectations hold of the points that they name.

use crate::ran::shipped;
use keyheat::experiment::{Experiment, Results, point_label};
use keyheat::scenario::Scenario;

/// Two settings of two and three values, two keys, milliseconds of runs: six intervals, one more than an expectation needs.
const SMALL: &str = r#"
replicates = 4
[time]
duration = "700ms"
warmup = "100ms"
sample = "100ms"
[cluster]
servers = 2
[parameter]
buckets = 5
[field]
user = { type = "int", count = 1_000 }
ts = { type = "timestamp", unit = "ms" }
[write.events]
rate = "2k/s"
[sweep]
cluster.servers = [2, 3]
parameter.buckets = [2, 4, 6]
[strategy.plain]
key = "be8(ts) || be4(user)"
[strategy.salted]
key = "be1(random(buckets)) || be8(ts) || be4(user)"
presplit = { algorithm = "buckets" }
"#;

fn scenario(more: &str) -> Scenario {
    let text = format!("{SMALL}{more}");
    Scenario::parse(&text, "small").unwrap_or_else(|error| panic!("{error}"))
}

fn run(scenario: &Scenario, threads: usize) -> Results {
    Experiment::new(scenario).threads(threads).run(|_| {})
}

#[test]
fn every_combination_is_a_point_and_the_last_list_counts_fastest() {
    let scenario = scenario("");
    assert_eq!(scenario.point_count(), 6);
    let results = run(&scenario, 0);
    let found: Vec<String> = results
        .strategies
        .iter()
        .map(|it| format!("{} {}", point_label(&it.sweep), it.name))
        .collect();
    let mut expected = Vec::new();
    for servers in [2, 3] {
        for buckets in [2, 4, 6] {
            for name in ["plain", "salted"] {
                expected.push(format!(
                    "cluster.servers = {servers}, parameter.buckets = {buckets} {name}"
                ));
            }
        }
    }
    assert_eq!(found, expected);
    let servers: Vec<u32> = results.strategies.iter().map(|it| it.servers).collect();
    assert_eq!(servers, [2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
    // A region for each bucket.
    let regions: Vec<usize> = results
        .strategies
        .iter()
        .map(|it| it.region_starts.len())
        .collect();
    assert_eq!(regions, [1, 2, 1, 4, 1, 6, 1, 2, 1, 4, 1, 6]);
}

#[test]
fn a_point_is_what_its_values_set_by_hand_give() {
    let swept = run(&scenario(""), 0);
    let by_hand = SMALL
        .replace("servers = 2\n", "servers = 3\n")
        .replace("buckets = 5", "buckets = 4");
    let (head, tail) = by_hand.split_once("[sweep]").expect("there is one");
    let (_, tail) = tail.split_once("[strategy.plain]").expect("there is one");
    let text = format!("{head}[strategy.plain]{tail}");
    let alone = Scenario::parse(&text, "small").unwrap_or_else(|error| panic!("{error}"));
    let alone = run(&alone, 0);
    // (3, 4) is the fifth of six points of two strategies each.
    for (point, alone) in swept.strategies[8..10].iter().zip(&alone.strategies) {
        assert_eq!(point.values, alone.values, "{}", alone.name);
        assert_eq!(point.counts, alone.counts, "{}", alone.name);
    }
}

#[test]
fn results_of_a_sweep_are_the_same_on_any_number_of_threads() {
    let scenario = scenario("");
    assert!(run(&scenario, 1).to_json() == run(&scenario, 2).to_json());
}

#[test]
fn an_expectation_holds_of_the_points_that_it_names() {
    let results = run(
        &scenario(
            r#"
[[expect]]
strategy = "salted"
metric = "server_max_share"
below = 0.9
at = { parameter.buckets = 6 }
[[expect]]
strategy = "salted"
metric = "server_max_share"
below = 0.9
ratio_to = { at = { parameter.buckets = 2 } }
at = { cluster.servers = 3, parameter.buckets = 6 }
[[expect]]
strategy = "plain"
metric = "server_max_share"
below = 0.9
"#,
        ),
        0,
    );
    let told: Vec<(String, String, bool)> = results
        .expectations
        .iter()
        .map(|it| {
            (
                point_label(&it.sweep),
                point_label(&it.ratio_to_sweep),
                it.holds,
            )
        })
        .collect();
    let at = |servers: u32, buckets: u32| {
        format!("cluster.servers = {servers}, parameter.buckets = {buckets}")
    };
    let none = String::new;
    assert_eq!(
        told,
        [
            (at(2, 6), none(), true),
            (at(3, 6), none(), true),
            (at(3, 6), at(3, 2), true),
            (at(2, 2), none(), false),
            (at(2, 4), none(), false),
            (at(2, 6), none(), false),
            (at(3, 2), none(), false),
            (at(3, 4), none(), false),
            (at(3, 6), none(), false),
        ]
    );
}

#[test]
fn the_shipped_sweep_finds_the_knee_and_the_dip() {
    let findings = shipped("bucket-sweep").results.sweep_findings();
    assert_eq!(findings.len(), 2, "{findings:?}");
    for finding in findings {
        let dips: Vec<(&str, &str)> = finding
            .dips
            .iter()
            .map(|dip| (dip.value.as_str(), dip.than.as_str()))
            .collect();
        assert_eq!(finding.knee, "8", "{finding:?}");
        assert_eq!(dips, [("12", "8")], "{finding:?}");
    }
}
