//! Simulated clusters with known times stand for real ones.

use super::calibration::Calibration;
use super::experiment_runs::Experiment;
use crate::observed::{MeasuredReplay, ObservedFile};
use crate::scenario::{Options, Scenario};
use crate::text::hex;
use serde_json::json;

const SCENARIO: &str = r#"
replicates = 2
[time]
duration = "6s"
warmup = "1s"
sample = "1s"
[cluster]
servers = 2
handlers = 8
network = "0.1ms"
service.put = "3ms"
service.get = "3ms"
wal = { sync = "0.5ms", bandwidth = "100MB/s" }
[balancer]
policy = "none"
[field]
id = { type = "int", count = 100_000 }
[write.put]
rate = "200/s"
[table]
presplit = { algorithm = "uniform", regions = 4 }
split_policy = "disabled"
placement = "in-order"
[strategy.hashed]
key = "md5_bytes(id)"
"#;

fn scenario(sets: &[&str]) -> Scenario {
    let options = Options {
        sets: sets.iter().map(|it| (*it).to_owned()).collect(),
        ..Options::default()
    };
    Scenario::parse_with(SCENARIO, "circle", &options).unwrap_or_else(|error| panic!("{error}"))
}

/// What the script would write on a cluster as `sets` say, where regions lie in the order of their keys.
fn measured(seed: u64, sets: &[&str]) -> MeasuredReplay {
    let mut scenario = scenario(sets);
    scenario.seed = crate::random::Seed(seed);
    let runs = Experiment::new(&scenario).start().unwrap();
    let configs = runs.replicate_configs();
    let run = &runs.make(&configs[..1])[0];
    let times = |side: &crate::metrics::SideRun| {
        let response = side.response.combined();
        let ms = |q: f64| response.quantile(q).unwrap().value / 1e6;
        let mean = response.mean().unwrap().value / 1e6;
        json!({ "mean": mean, "p10": ms(0.1), "p25": ms(0.25), "p50": ms(0.5), "p75": ms(0.75), "p90": ms(0.9), "p99": ms(0.99) })
    };
    let series = run.series.as_ref().unwrap();
    let points = configs[0]
        .split_points
        .iter()
        .map(|point| hex(point.as_bytes()));
    let regions: Vec<_> = std::iter::once(String::new())
        .chain(points)
        .zip(&series.region_demand)
        .enumerate()
        .map(|(at, (start, writes))| json!({ "start_hex": start, "server": format!("rs{}", at % 2), "reads": 0, "writes": writes, "moved": false }))
        .collect();
    let none = json!({ "offered": 0, "failed": 0, "unfinished": 0, "throughput_per_sec": 0.0, "response_ms": null });
    let text = json!({
        "schema_version": 1, "scenario": { "name": "circle", "sha256": scenario.sha256, "overrides": [] }, "strategy": "hashed", "servers": 2,
        "from_s": 1.0, "to_s": 6.0, "operations": { "asked": 1200, "sent": 1200 }, "cut_short": null, "late_ms": null,
        "writes": { "offered": 1000, "failed": 0, "unfinished": 0, "throughput_per_sec": 200.0, "response_ms": times(&run.writes) },
        "reads": none, "regions": regions,
    });
    let file = ObservedFile::new("m", text.to_string().as_bytes());
    MeasuredReplay::read(&file.unwrap()).unwrap()
}

fn calibrated(seed: u64, sets: &[&str]) -> Calibration {
    Calibration::of(&scenario(&[]), "hashed", &measured(seed, sets), 0)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn times_of_a_simulated_cluster_lie_in_their_intervals() {
    // Far from the scenario's, quiet (20 % busy) and busy (75 %).
    let (mut inside, mut all) = (0, 0);
    for (put, sync) in [(16.0, "1.5ms"), (60.0, "4ms")] {
        for seed in 1..=6 {
            let sets = [
                format!("cluster.service.put={put}ms"),
                format!("cluster.wal.sync={sync}"),
            ];
            let found = calibrated(seed, &[&sets[0], &sets[1]]);
            let time = &found.times[0];
            assert_eq!(time.path, "cluster.service.put");
            // 1,000 operations: 1.14 / sqrt(1000) = 3.6 % a standard error, 2.13 of them 7.7 % to each side while they don't wait for each other, and a
            // width that 16 replicates know to 18 %; queues tell more of it, and less.
            let width = (time.high_ms / time.low_ms).ln();
            assert!((0.05..0.4).contains(&width), "{time:?}");
            inside += usize::from((time.low_ms..=time.high_ms).contains(&put));
            all += 1;
        }
    }
    // Binomial: 11.4 of 12, and fewer than 9 once in 5,000 times.
    assert!(inside >= 9, "{inside} of {all}");
}

#[test]
fn of_constant_times_only_the_sum_is_known_and_said_so() {
    let constant = "cluster.service.distribution=constant";
    let observed = measured(
        3,
        &["cluster.service.put=16ms", "cluster.wal.sync=2ms", constant],
    );
    let found = Calibration::of(&scenario(&[constant]), "hashed", &observed, 0)
        .unwrap_or_else(|error| panic!("{error}"));
    let [time] = &found.times[..] else {
        panic!("{found:?}");
    };
    // The log keeps its 0.5 ms: the others are the put's. A tenth of a millisecond is a share of a batch's sync.
    assert!((time.ms - 17.5).abs() < 0.3, "{time:?}");
    assert!(
        found.untold[0].contains("can't be told from"),
        "{:?}",
        found.untold
    );
}

#[test]
fn what_times_do_not_explain_is_named() {
    let mut observed = measured(1, &["cluster.service.put=16ms"]);
    // All regions on one server, and a tail that no exponential law has.
    for region in &mut observed.regions {
        region.server = "rs1".to_owned();
    }
    let times = observed.writes.response_ms.as_mut().unwrap();
    times.p99 *= 10.0;
    let found = Calibration::of(&scenario(&[]), "hashed", &observed, 0)
        .unwrap_or_else(|error| panic!("{error}"));
    let all = found.unexplained.join("\n");
    assert!(all.contains("Placement: `rs1` has 4 of 4 regions"), "{all}");
    assert!(all.contains("table.placement = [0, 0, 0, 0]"), "{all}");
    assert!(all.contains("The longest of the writes"), "{all}");
    // One region with half of the requests.
    let total: u64 = observed.regions.iter().map(|it| it.writes).sum();
    observed.regions[2].writes = total;
    let found = Calibration::of(&scenario(&[]), "hashed", &observed, 0)
        .unwrap_or_else(|error| panic!("{error}"));
    let all = found.unexplained.join("\n");
    assert!(
        all.contains("a hot row that the scenario does not have"),
        "{all}"
    );
}

#[test]
fn where_nothing_fits_no_time_is_told() {
    // 200 puts a second of 120 ms want 24 handlers of 16: response times are those of a queue that grows, and 40 such times are no fit of any service.
    let mut observed = measured(1, &["cluster.service.put=16ms"]);
    let calibrated = |observed: &MeasuredReplay| {
        Calibration::of(&scenario(&[]), "hashed", observed, 0)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let times = observed.writes.response_ms.as_mut().unwrap();
    for time in [
        &mut times.p10,
        &mut times.p50,
        &mut times.p75,
        &mut times.p90,
        &mut times.p99,
    ] {
        *time += 2_000.0;
    }
    times.p90 += 8_000.0;
    let found = calibrated(&observed);
    assert_eq!(found.times, [], "{found:?}");
    assert!(found.untold[0].contains("none are found"), "{found:?}");
    assert!(found.quantities.iter().all(|it| it.fitted.is_none()));
    // A table of one region, where four are simulated.
    let mut observed = measured(1, &["cluster.service.put=16ms"]);
    observed.regions.truncate(1);
    let found = calibrated(&observed);
    assert_eq!(found.times, [], "{found:?}");
    assert!(found.untold[0].contains("Nothing is fitted"), "{found:?}");
}

#[test]
fn settings_are_a_part_of_a_scenario() {
    let found = calibrated(2, &["cluster.service.put=16ms", "cluster.wal.sync=1.5ms"]);
    let settings = found.settings();
    assert!(
        settings.contains("[cluster.service]\nput = \"1"),
        "{settings}"
    );
    assert!(settings.contains("[cluster.wal]\nsync = \""), "{settings}");
    let text = SCENARIO
        .replace("service.put = \"3ms\"\nservice.get = \"3ms\"\n", "")
        .replace("wal = {", "# wal = {");
    let text = text.replace("[balancer]", &format!("{settings}\n[balancer]"));
    let again = Scenario::parse(&text, "circle").unwrap_or_else(|error| panic!("{error}"));
    let put = again.strategies[0]
        .setup
        .cluster
        .service
        .put
        .as_millis_f64();
    assert!((put - found.times[0].ms).abs() < 0.001);
}

#[test]
fn gets_count_beside_writes_and_scans_do_not() {
    // 1,000 writes, 250 a region, and 200 reads a second, of which the cluster counted 850 of 1,000 in the first region: 1,100 of its 2,000 requests.
    for (key, is_get) in [("id", true), ("ts", false)] {
        let read = "[read.r]\nequal = [\"id\"]\nrate = \"200/s\"\n[table]";
        let text = SCENARIO.replace("[table]", read);
        let text = text.replace(
            "[write",
            "ts = { type = \"timestamp\", unit = \"ms\" }\n[write",
        );
        let text = text.replace("md5_bytes(id)", &format!("md5_bytes({key}) || be4(id)"));
        let scenario = Scenario::parse(&text, "circle").unwrap_or_else(|error| panic!("{error}"));
        let mut observed = measured(1, &[]);
        observed.scenario.sha256.clone_from(&scenario.sha256);
        for (at, region) in observed.regions.iter_mut().enumerate() {
            (region.writes, region.reads) = (250, if at == 0 { 850 } else { 50 });
        }
        let found = Calibration::of(&scenario, "hashed", &observed, 0);
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.are_writes_alone, !is_get);
        let share = if is_get { 0.55 } else { 0.25 };
        assert!(
            (found.regions[0].measured - share).abs() < 1e-9,
            "{:?}",
            found.regions
        );
        let all = found.unexplained.join("\n");
        assert_eq!(
            all.contains("a hot row that the scenario does not have"),
            is_get,
            "{all}"
        );
    }
}
