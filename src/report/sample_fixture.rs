//! Results made by hand, for tests of views: five strategies whose load lands like that of the usual keys, and small ones.
//!
//! The numbers are plausible, not simulated.

use crate::experiment::{
    Comparison, Curve, ExpectationResult, ExpectedBound, FoundValue, KeyMapBucket, Measure, Metric,
    OperationResult, Results, ScenarioInfo, StrategyResult,
};
use crate::metrics::{Counts, Series};
use std::collections::BTreeMap;

const BUCKETS: usize = 256;
const INTERVALS: usize = 60;
const REGIONS: usize = 32;
const SERVERS: usize = 8;
/// Rows of all servers in an interval of half a second.
const ROWS: f64 = 40_000.0;

/// A key bucket that starts at `start`, without labels.
pub fn bucket(start: &str) -> KeyMapBucket {
    let hex = start.bytes().map(|byte| format!("{byte:02x}")).collect();
    KeyMapBucket {
        start: start.to_owned(),
        hex,
        labels: Vec::new(),
    }
}

/// An exact number from five replicates.
pub fn number(mean: f64) -> Metric {
    Metric::Number(measure(mean))
}

/// A number that is not defined in any replicate.
pub fn undefined() -> Metric {
    Metric::Number(Measure::UNDEFINED)
}

fn measure(mean: f64) -> Measure {
    Measure {
        mean: Some(mean),
        merged: None,
        low: Some(mean * 0.99),
        high: Some(mean * 1.01),
        n: 5,
        censored: false,
        upper_bound: false,
    }
}

/// A strategy with a demand series by server, a second an interval, no warm-up, and nothing else.
pub fn strategy<R: AsRef<[u64]>>(name: &str, servers: u32, rows: &[R]) -> StrategyResult {
    let server_demand: Vec<Vec<u64>> = rows.iter().map(|rows| rows.as_ref().to_vec()).collect();
    let series = Series {
        interval_ms: 1_000.0,
        origin_ms: 0.0,
        window_start: 0,
        server_completed: server_demand.clone(),
        write_response_ms: Vec::new(),
        server_refused: server_demand
            .iter()
            .map(|rows| vec![0; rows.len()])
            .collect(),
        server_utilisation: server_demand
            .iter()
            .map(|rows| vec![0.5; rows.len()])
            .collect(),
        key_demand: server_demand
            .iter()
            .map(|rows| vec![rows.iter().sum()])
            .collect(),
        region_demand: vec![server_demand.iter().flatten().sum()],
        region_server: vec![0],
        events: Vec::new(),
        top_regions: vec![(1, 1.0)],
        server_read_demand: Vec::new(),
        server_read_work: Vec::new(),
        server_neighbour_work: Vec::new(),
        read_region_demand: Vec::new(),
        server_demand,
    };
    StrategyResult {
        name: name.to_owned(),
        title: String::new(),
        sweep: BTreeMap::new(),
        key: "be8(ts)".to_owned(),
        key_expanded: None,
        key_words: String::new(),
        further_keys: Vec::new(),
        copies: Vec::new(),
        parameters: BTreeMap::new(),
        servers,
        closed_loop: false,
        metrics: BTreeMap::new(),
        values: BTreeMap::new(),
        writes: Vec::new(),
        reads: Vec::new(),
        neighbours: Vec::new(),
        counts: Counts::default(),
        events: 0,
        verdict: String::new(),
        hot_copy: None,
        outlasting_step: None,
        mapped_copy: None,
        advice: String::new(),
        knee: None,
        entities: Vec::new(),
        series: Some(series),
        key_map: vec![bucket("")],
        region_starts: vec![String::new()],
        response_curve: Curve {
            points: Vec::new(),
            max_ms: None,
            censored_from: None,
        },
    }
}

/// Results of `strategies`, with nothing asked.
pub fn results(strategies: Vec<StrategyResult>) -> Results {
    Results {
        schema_version: 1,
        tool: "keyheat 0.1.0".to_owned(),
        scenario: ScenarioInfo {
            name: "five-keys".to_owned(),
            sha256: "9f2c41d07ab3".repeat(5) + "e1a4",
            question:
                "Which of five keys spreads 80,000 writes a second over eight region servers?"
                    .to_owned(),
            text: String::new(),
            overrides: Vec::new(),
        },
        seed: 7,
        replicates: 5,
        duration_s: 30.0,
        warmup_s: 4.0,
        sample_s: 0.5,
        sweep: Vec::new(),
        strategies,
        comparisons: Vec::new(),
        expectations: Vec::new(),
        warnings: Vec::new(),
        limits: Vec::new(),
        recommended: Vec::new(),
    }
}

/// Noise around 1, the same in every run.
fn noise(seed: usize, spread: f64) -> f64 {
    let mut x = seed as u64 ^ 0x9E37_79B9_7F4A_7C15;
    for _ in 0..3 {
        x ^= x >> 31;
        x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    1.0 + spread * ((x >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0)
}

/// A strategy whose key buckets get `share(interval, bucket)` of the rows, in 32 regions dealt to 8 servers.
fn spread_by(
    name: &str,
    share: impl Fn(usize, usize) -> f64,
    label: impl Fn(usize) -> Vec<String>,
) -> StrategyResult {
    let owner = |region: usize| (region + 5) % SERVERS;
    let mut key_demand = Vec::new();
    let mut rows = Vec::new();
    let mut region_demand = vec![0; REGIONS];
    let mut top_regions: Vec<(u64, f64)> = (1..=REGIONS as u64).map(|top| (top, 0.0)).collect();
    for interval in 0..INTERVALS {
        let weights: Vec<f64> = (0..BUCKETS)
            .map(|b| share(interval, b) * noise(interval * BUCKETS + b, 0.3))
            .collect();
        let total: f64 = weights.iter().sum();
        let cells: Vec<u64> = weights
            .iter()
            .map(|weight| (ROWS * weight / total).round() as u64)
            .collect();
        let mut servers = vec![0; SERVERS];
        let mut regions = vec![0; REGIONS];
        for (bucket, rows) in cells.iter().enumerate() {
            let region = bucket * REGIONS / BUCKETS;
            servers[owner(region)] += rows;
            region_demand[region] += rows;
            regions[region] += rows;
        }
        regions.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = regions.iter().sum();
        let mut held = 0;
        for ((_, share), rows) in top_regions.iter_mut().zip(regions) {
            held += rows;
            *share += held as f64 / all as f64 / INTERVALS as f64;
        }
        key_demand.push(cells);
        rows.push(servers);
    }
    let mut result = strategy(name, SERVERS as u32, &rows);
    let edge = |at: usize| {
        if at == 0 {
            String::new()
        } else {
            format!("\\x{:02X}", at * 256 / BUCKETS)
        }
    };
    result.key_map = (0..BUCKETS)
        .map(|b| KeyMapBucket {
            start: edge(b),
            hex: format!("{b:02x}"),
            labels: label(b),
        })
        .collect();
    result.region_starts = (0..REGIONS)
        .map(|region| edge(region * BUCKETS / REGIONS))
        .collect();
    if let Some(series) = result.series.as_mut() {
        series.interval_ms = 500.0;
        series.window_start = 8;
        series.key_demand = key_demand;
        series.region_demand = region_demand;
        series.top_regions = top_regions;
        series.region_server = (0..REGIONS).map(|region| owner(region) as u32).collect();
    }
    result
}

/// Metrics by hand: peak to mean, effective servers, share that completes, p99 in ms, class of hotspot.
fn measured(
    mut result: StrategyResult,
    peak: f64,
    effective: f64,
    done: f64,
    p99: f64,
    hotspot: &str,
) -> StrategyResult {
    let censored = p99 > 5_000.0;
    let percentile = |value: f64| Measure {
        merged: Some(value),
        censored,
        ..measure(value)
    };
    let response = [
        ("p50", 0.16),
        ("p90", 0.6),
        ("p99", 1.0),
        ("p999", 1.5),
        ("max", 2.1),
        ("mean", 0.2),
    ];
    let family = response
        .map(|(name, part)| (name.to_owned(), percentile(p99 * part)))
        .into();
    let numbers = [
        ("server_peak_to_mean", peak),
        ("server_max_share", peak / SERVERS as f64),
        ("effective_servers", effective),
        ("write_bytes", 134.0 + peak.round()),
        ("table_bytes", (134.0 + peak.round()) * 1e9),
        ("hot_time_fraction", if done < 0.99 { 1.0 } else { 0.0 }),
        ("write_throughput_per_sec", 80_000.0 * done),
        ("write_goodput_per_sec", 80_000.0 * done),
        ("write_goodput_fraction", done),
        (
            "refused_calls_fraction",
            if done < 0.5 { 0.62 } else { 0.0 },
        ),
        (
            "empty_region_fraction",
            if hotspot == "presplit-mismatch" {
                0.5
            } else {
                0.0
            },
        ),
        ("server_capacity_per_sec", 20_000.0),
    ];
    result.metrics = numbers
        .map(|(name, value)| (name.to_owned(), number(value)))
        .into();
    result
        .metrics
        .insert("write_response_ms".to_owned(), Metric::Family(family));
    result
        .metrics
        .insert("hotspot".to_owned(), Metric::Word(hotspot.to_owned()));
    let offered = 12_000_000;
    let completed = (offered as f64 * done) as u64;
    result.counts = Counts {
        offered,
        completed,
        failed: (offered - completed) / 3,
        in_flight: offered - completed - (offered - completed) / 3,
    };
    result.writes = vec![OperationResult {
        name: "points".to_owned(),
        counts: result.counts,
        metrics: BTreeMap::new(),
    }];
    let points = (0..=100)
        .map(|i| f64::from(i) * 0.05)
        .map(|x| (1.0 - 10f64.powf(-x), p99 * (0.02 + (x / 2.0).powf(1.5))));
    result.response_curve = Curve {
        points: points.collect(),
        max_ms: Some(p99 * 5.0),
        censored_from: censored.then_some(0.4),
    };
    result
}

/// Results of five strategies over thirty seconds, as a run of the usual keys would leave them.
pub fn five_keys() -> Results {
    // The front crosses a region of eight buckets in two intervals.
    let at_front = |interval: usize, bucket: usize| {
        let front = interval * 4;
        if (front..front + 4).contains(&bucket) {
            1.0
        } else {
            0.0
        }
    };
    let time = |bucket: usize, of: usize| {
        let ms = bucket * 30_000 / of;
        format!("2026-01-01 00:00:{:02}.{:03}", ms / 1000, ms % 1000)
    };
    let monotonic = spread_by("monotonic", at_front, |b| vec![time(b, 240)]);
    let metric = |bucket: usize| 300.0 * (bucket as f64 / BUCKETS as f64);
    let opentsdb = spread_by(
        "opentsdb",
        |_, b| 1.0 / ((b * 37 % 256) as f64 + 1.0).powf(0.8),
        |b| {
            vec![
                format!("metric {}", metric(b) as usize),
                "2026-01-01 00h".to_owned(),
            ]
        },
    );
    // Four salts of eight regions each, of which only one gets keys: regions 0, 9, 18 and 27.
    let salted = spread_by(
        "salted",
        |i, b| {
            if (b / 8).is_multiple_of(9) {
                0.6 + at_front(i % 2, b % 8)
            } else {
                0.0
            }
        },
        |b| vec![format!("salt {}", b / 64), time(b % 64, 64)],
    );
    let hashed = spread_by("hashed", |_, _| 1.0, |_| Vec::new());
    let reversed = spread_by(
        "reversed",
        |_, b| if b == 77 { 30.0 } else { 1.0 },
        |b| {
            vec![
                format!("'{}…'", b * 10 / 256),
                format!("'{:02}…'", b * 100 / 256),
            ]
        },
    );
    let mut results = results(vec![
        measured(monotonic, 8.0, 1.0, 0.249, 18_240.0, "moving"),
        measured(opentsdb, 2.1, 5.9, 0.82, 9_800.0, "static"),
        measured(salted, 2.0, 4.0, 0.97, 412.0, "presplit-mismatch"),
        measured(hashed, 1.02, 7.98, 1.0, 2.31, "none"),
        measured(reversed, 1.7, 6.8, 1.0, 7.9, "row"),
    ]);
    let verdicts = [
        "moving hotspot: one of 8 servers takes all writes at any time; 25 % of the offered load is served",
        "static hotspot: the server of metric 0 takes 26 % of the writes",
        "presplit-mismatch: the keys reach 4 of 32 regions, so 4 of 8 servers idle",
        "no hotspot: the writes spread evenly and half of the capacity is left",
        "row hotspot: the row of host 77 alone takes 10 % of the writes; no split helps",
    ];
    for (strategy, verdict) in results.strategies.iter_mut().zip(verdicts) {
        strategy.verdict = verdict.to_owned();
    }
    results.expectations = vec![
        ExpectationResult {
            sweep: Default::default(),
            ratio_to_sweep: Default::default(),
            strategy: "monotonic".to_owned(),
            metric: "server_max_share".to_owned(),
            ratio_to: None,
            record: None,
            value: FoundValue::Number(measure(0.98)),
            bound: ExpectedBound::Above(0.95),
            holds: true,
            because: Some("all series of a second are neighbours in the key space".to_owned()),
            issue: None,
            reason: None,
        },
        ExpectationResult {
            sweep: Default::default(),
            ratio_to_sweep: Default::default(),
            strategy: "hashed".to_owned(),
            metric: "write_throughput_per_sec".to_owned(),
            ratio_to: Some("monotonic".to_owned()),
            record: None,
            value: FoundValue::Number(measure(4.02)),
            bound: ExpectedBound::Above(5.0),
            holds: false,
            because: None,
            issue: None,
            reason: None,
        },
        ExpectationResult {
            sweep: Default::default(),
            ratio_to_sweep: Default::default(),
            strategy: "reversed".to_owned(),
            metric: "server_peak_to_mean".to_owned(),
            ratio_to: None,
            record: None,
            value: FoundValue::Number(measure(1.7)),
            bound: ExpectedBound::Below(1.2),
            holds: false,
            because: None,
            issue: Some("#12, one host writes too much".to_owned()),
            reason: None,
        },
    ];
    results.comparisons = ["opentsdb", "hashed"]
        .into_iter()
        .flat_map(compared)
        .collect();
    results
}

/// A strategy against the first: throughput, what is not known, and what hardly differs.
fn compared(strategy: &str) -> [Comparison; 3] {
    let open = Measure {
        censored: true,
        ..Measure::UNDEFINED
    };
    let near = Measure {
        mean: Some(1.01),
        low: Some(0.98),
        high: Some(1.04),
        ..measure(1.0)
    };
    [
        ("server_peak_to_mean", near, false),
        ("write_throughput_per_sec", measure(4.02), true),
        ("write_response_ms.p99", open, false),
    ]
    .map(|(metric, ratio, significant)| Comparison {
        strategy: strategy.to_owned(),
        sweep: Default::default(),
        baseline: "monotonic".to_owned(),
        metric: metric.to_owned(),
        ratio,
        significant,
    })
}
