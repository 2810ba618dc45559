//! Checks of the chart of a sweep: what its title says, and when there is none.

use super::sweep::draw;
use super::{Chart, Theme, Viewport};
use crate::experiment::{Results, SweptList};
use crate::report::sample_fixture as sample;
use serde_json::json;

/// Throughput of one strategy along the values of a setting, in two replicates that differ by 0.2 %.
fn along(path: &str, points: &[(u64, f64)]) -> Results {
    let template = sample::strategy("salted", 2, &[&[10, 10]]);
    let strategies = points.iter().map(|&(value, throughput)| {
        let mut strategy = template.clone();
        strategy.sweep = [(path.to_owned(), json!(value))].into();
        let name = "write_throughput_per_sec".to_owned();
        let values = vec![Some(throughput), Some(throughput * 1.002)];
        strategy.values.insert(name.clone(), values);
        strategy.metrics.insert(name, sample::number(throughput));
        strategy
    });
    let mut results = sample::results(strategies.collect());
    results.replicates = 2;
    results.sweep = vec![SweptList {
        path: path.to_owned(),
        values: points.iter().map(|(value, _)| json!(value)).collect(),
    }];
    results
}

fn drawn(results: &Results) -> Option<Chart> {
    draw(results, Viewport::Wide)
}

#[test]
fn the_title_names_the_knee_and_the_dip() {
    let points = [(2, 2e4), (4, 4e4), (8, 8e4), (12, 6e4), (16, 8e4)];
    let chart = drawn(&along("parameter.buckets", &points)).expect("a sweep");
    assert_eq!(
        chart.title,
        "Beyond buckets = 8 writes gain nothing, and 12 gives less than 8"
    );
    let rows = &chart.data[0].table.rows;
    let labels: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(labels, ["2", "4", "8", "12", "16"]);
    assert_eq!(rows[3][1..], ["60.0k [59.4k, 60.6k]"]);
}

#[test]
fn nothing_is_gained_only_where_the_replicates_exclude_a_gain() {
    let mut results = along("parameter.buckets", &[(6, 11e4), (8, 11e4), (16, 16e4)]);
    let name = "write_throughput_per_sec";
    let of = [[8e4, 14e4], [8e4, 14e4], [16e4, 16e4]];
    for (strategy, values) in results.strategies.iter_mut().zip(of) {
        let values = values.map(Some).to_vec();
        strategy.values.insert(name.to_owned(), values);
    }
    let chart = drawn(&results).expect("a sweep");
    assert_eq!(chart.title, "Beyond buckets = 6 no gain of writes is shown");
    // The logarithms of 2 and 8 / 7 are 0.413 on average, with a standard error of 0.280; of two values an interval has 12.7 of it.
    let told = crate::report::sweep_views::sentences(&results);
    let start = "salted: beyond parameter.buckets = 6 no gain of writes is shown; 16 gives 1.51× [";
    assert!(told[0].starts_with(start), "{told:?}");
}

#[test]
fn without_a_choice_or_of_servers_it_is_not_drawn() {
    assert_eq!(drawn(&sample::five_keys()), None);
    assert_eq!(drawn(&along("parameter.buckets", &[(2, 2e4)])), None);
    // Chart 6 shows what more servers give.
    let servers = along("cluster.servers", &[(2, 2e4), (4, 4e4)]);
    assert_eq!(drawn(&servers), None);
}

#[test]
fn what_is_not_known_of_each_strategy_is_marked() {
    let mut results = along("parameter.buckets", &[(2, 2e4), (4, 4e4)]);
    let name = "server_peak_to_mean".to_owned();
    for (strategy, peak) in [(0, sample::undefined()), (1, sample::number(1.5))] {
        let metrics = &mut results.strategies[strategy].metrics;
        metrics.insert(name.clone(), peak);
    }
    let named = |name: &str| {
        let mut strategies = results.strategies.clone();
        strategies
            .iter_mut()
            .for_each(|it| it.name = name.to_owned());
        strategies
    };
    results.strategies = ["one", "two", "three"].map(named).concat();
    let svg = drawn(&results).expect("a sweep").picture.svg(Theme::Light);
    let marks = svg.split("<text ").filter(|text| text.contains(">?<"));
    let heights = marks.filter_map(|text| text.split(" y=\"").nth(1)?.split('"').next());
    let heights: std::collections::BTreeSet<&str> = heights.collect();
    assert_eq!(heights.len(), 3, "{svg}");
}
