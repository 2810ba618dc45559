//! Checks of the chart of knees: its title, its numbers, its rings, and when there is none.

use super::knee::draw;
use super::{Chart, Theme, Viewport};
use crate::experiment::{
    KneeFinding, KneeLimit, KneeOutcome, KneeProbe, KneeReplicate, KneeResult, LimitBound, Results,
    StrategyResult,
};
use crate::report::sample_fixture as sample;

/// A strategy that keeps p99 below 20 ms up to a load, and is swamped at twice that.
fn sustaining(name: &str, knee: f64) -> StrategyResult {
    let probe = |per_sec: f64, p99: f64, censored: bool| {
        let finding = |value, censored, holds| KneeFinding {
            value: Some(value),
            censored,
            holds,
        };
        let findings = [
            finding(p99, censored, p99 < 20.0),
            finding(0.999, false, true),
        ];
        KneeProbe {
            per_sec,
            findings: findings.to_vec(),
        }
    };
    let limit = |metric: &str, bound| KneeLimit {
        metric: metric.to_owned(),
        bound,
    };
    let replicate = KneeReplicate {
        held_per_sec: Some(knee),
        broken_per_sec: Some(2.0 * knee),
        probes: vec![probe(2.0 * knee, 900.0, true), probe(knee, 7.0, false)],
    };
    let mut strategy = sample::strategy(name, 2, &[&[10, 10]]);
    let path = "knee_per_sec".to_owned();
    strategy.metrics.insert(path, sample::number(knee));
    strategy.knee = Some(KneeResult {
        vary: "write.ingest.rate".to_owned(),
        limits: vec![
            limit("write_response_ms.p99", LimitBound::Below(20.0)),
            limit("write_goodput_fraction", LimitBound::Above(0.99)),
        ],
        from_per_sec: 500.0,
        to_per_sec: 240e3,
        precision: 0.01,
        outcome: KneeOutcome::Found,
        binding: vec!["write_response_ms.p99".to_owned()],
        sentence: String::new(),
        replicates: vec![replicate.clone(), replicate],
    });
    strategy
}

fn drawn(results: &Results) -> Option<Chart> {
    draw(results, Viewport::Wide)
}

#[test]
fn every_run_of_the_search_is_a_dot_of_each_limit() {
    let strategies = vec![sustaining("time", 20_900.0), sustaining("hashed", 80_900.0)];
    let chart = drawn(&sample::results(strategies)).expect("two knees");
    assert_eq!(chart.title, "hashed sustains 80.9k writes/s, time 20.9k");
    assert_eq!(chart.data.len(), 2);
    // Two strategies, two replicates, two loads.
    let rows = chart.data[0].table.rows.iter();
    let told = rows.map(|row| (row[0].as_str(), row[1].as_str()));
    let told: Vec<(&str, &str)> = told.collect();
    assert_eq!(told.len(), 8);
    assert_eq!(told[0], ("time at 20\u{a0}900", "7.00\u{a0}ms"));
    assert_eq!(told[7], ("hashed at 161\u{a0}800", ">\u{a0}900\u{a0}ms"));
    // Lower bounds are rings, of the first limit only.
    let is_ring = |line: &&str| line.starts_with("<circle") && line.contains("fill=\"none\"");
    assert_eq!(
        chart
            .picture
            .svg(Theme::Light)
            .lines()
            .filter(is_ring)
            .count(),
        4
    );
}

#[test]
fn without_a_search_it_is_not_drawn() {
    assert_eq!(drawn(&sample::five_keys()), None);
}
