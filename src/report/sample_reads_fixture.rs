//! Reads for the results made by hand: what three reads pay under the usual five keys. The numbers are plausible, not simulated.

use super::sample_fixture as sample;
use crate::experiment::{Measure, ReadResult, Results};
use crate::metrics::Counts;
use std::collections::BTreeMap;

/// Path, words, calls, regions, rows read, rows returned, p99 in ms.
type Price = (&'static str, &'static str, f64, f64, f64, f64, Option<f64>);

const NEWEST: [Price; 5] = [
    (
        "table-scan",
        "the whole table",
        412.0,
        32.0,
        2.4e6,
        10.0,
        Some(9_412.0),
    ),
    (
        "scan",
        "1 scan of one region; 10 rows wanted, 10 read",
        1.0,
        1.0,
        10.0,
        10.0,
        Some(6.41),
    ),
    (
        "fan-out-scan",
        "4 scans, one a bucket; 10 rows wanted, 40 read",
        4.0,
        4.0,
        40.0,
        10.0,
        Some(8.93),
    ),
    (
        "scan",
        "1 scan of one region; 10 rows wanted, 10 read",
        1.02,
        1.01,
        10.0,
        10.0,
        Some(3.12),
    ),
    (
        "scan",
        "1 scan of one region; 10 rows wanted, 10 read",
        1.0,
        1.0,
        10.0,
        10.0,
        Some(3.87),
    ),
];

const BY_ID: [Price; 5] = [
    ("get", "1 Get", 1.0, 1.0, 1.0, 0.97, Some(2.03)),
    ("get", "1 Get", 1.0, 1.0, 1.0, 0.97, Some(2.61)),
    (
        "multi-get",
        "4 Gets, 3 of them in vain",
        3.1,
        4.0,
        0.97,
        0.97,
        Some(4.77),
    ),
    ("get", "1 Get", 1.0, 1.0, 1.0, 0.97, Some(1.98)),
    ("get", "1 Get", 1.0, 1.0, 1.0, 0.97, Some(1.99)),
];

const WHOLE_TABLE: Price = (
    "table-scan",
    "the whole table",
    412.0,
    32.0,
    2.4e6,
    8_000.0,
    None,
);

const REPORT: [Price; 5] = [
    (
        "scan",
        "1 scan of 3 regions",
        9.0,
        3.0,
        8_000.0,
        8_000.0,
        None,
    ),
    (
        "fan-out-scan",
        "300 scans, one a metric",
        300.0,
        32.0,
        8_000.0,
        8_000.0,
        None,
    ),
    (
        "fan-out-scan",
        "4 scans, one a bucket",
        12.0,
        5.0,
        8_000.0,
        8_000.0,
        None,
    ),
    WHOLE_TABLE,
    WHOLE_TABLE,
];

fn exact(mean: f64, replicates: u32) -> Measure {
    Measure {
        mean: Some(mean),
        merged: None,
        low: (replicates > 1).then_some(mean),
        high: (replicates > 1).then_some(mean),
        n: replicates,
        censored: false,
        upper_bound: false,
    }
}

fn read(name: &str, price: &Price, per_sec: f64) -> ReadResult {
    let (path, words, calls, regions, rows_read, rows_returned, p99) = *price;
    let issued = p99.is_some();
    let n = if issued { 5 } else { 1 };
    let slow = p99.is_some_and(|ms| ms > 1_000.0);
    let done = if slow { per_sec * 0.31 } else { per_sec };
    let offered = (per_sec * 150.0) as u64;
    let completed = (done * 150.0) as u64;
    let rates = [
        ("offered_per_sec", per_sec),
        ("throughput_per_sec", done),
        ("goodput_per_sec", done),
        ("goodput_fraction", done / per_sec),
        ("failed_fraction", 0.0),
        ("unfinished_fraction", 1.0 - done / per_sec),
    ];
    let family = |p99: f64| {
        let parts = [("p50", 0.21), ("p99", 1.0), ("max", 3.3)];
        let parts = parts.map(|(part, of)| {
            let value = p99 * of;
            let measure = Measure {
                merged: Some(value),
                censored: slow && part != "p50",
                ..exact(value, 5)
            };
            (part.to_owned(), measure)
        });
        BTreeMap::from(parts)
    };
    ReadResult {
        name: name.to_owned(),
        path: Some(path.to_owned()),
        words: words.to_owned(),
        copy: (name == "report" && calls == 9.0).then_some(1),
        calls_planned: exact(calls, n),
        calls: exact(calls, n),
        regions: exact(regions, n),
        rows_planned: exact(rows_read, n),
        rows_read: exact(rows_read, n),
        cells: None,
        closed_loop: false,
        rows_returned: exact(rows_returned, n),
        counts: if issued {
            Counts {
                offered,
                completed,
                failed: 0,
                in_flight: offered - completed,
            }
        } else {
            Counts::default()
        },
        metrics: match issued {
            true => rates
                .map(|(name, value)| (name.to_owned(), sample::number(value)))
                .into(),
            false => rates
                .map(|(name, _)| (name.to_owned(), sample::undefined()))
                .into(),
        },
        response_ms: p99.map(family),
    }
}

/// The five keys of [`sample::five_keys`], two reads that are issued and one that is only planned.
pub fn five_keys() -> Results {
    let mut results = sample::five_keys();
    for (at, strategy) in results.strategies.iter_mut().enumerate() {
        strategy.reads = vec![
            read("newest", &NEWEST[at], 50.0),
            read("by-id", &BY_ID[at], 400.0),
            read("report", &REPORT[at], 0.0),
        ];
    }
    results
}

/// The same without writes.
pub fn reads_only() -> Results {
    let mut results = five_keys();
    for strategy in &mut results.strategies {
        strategy.writes.clear();
        strategy
            .metrics
            .retain(|name, _| !name.starts_with("write_") && !name.starts_with("server_"));
        for (name, value) in [
            ("read_server_peak_to_mean", 1.37),
            ("read_server_max_share", 0.171),
            ("read_effective_servers", 7.1),
            ("read_throughput_per_sec", 449.0),
            ("read_offered_per_sec", 450.0),
        ] {
            let value = sample::number(value);
            strategy.metrics.insert(name.to_owned(), value);
        }
        if let Some(series) = strategy.series.as_mut() {
            series.server_read_demand = std::mem::take(&mut series.server_demand);
            series.read_region_demand = std::mem::take(&mut series.region_demand);
            series.server_demand = vec![vec![0; 8]; series.server_read_demand.len()];
            series.region_demand = vec![0; series.read_region_demand.len()];
            series.key_demand.iter_mut().for_each(|row| row.fill(0));
        }
    }
    results
}

/// Twelve strategies close to each other, whose titles are long.
pub fn many() -> Results {
    let mut results = five_keys();
    let first = results.strategies.clone();
    for index in 0..7 {
        let mut strategy = first[index % 5].clone();
        strategy.name = format!("variant-{index}");
        strategy.title = format!("Variant {index} of the key of {}", first[index % 5].name);
        for read in &mut strategy.reads {
            if let Some(p99) = read
                .response_ms
                .as_mut()
                .and_then(|family| family.get_mut("p99"))
            {
                p99.merged = p99.merged.map(|ms| ms * (1.0 + 0.02 * index as f64));
            }
        }
        results.strategies.push(strategy);
    }
    results
}
