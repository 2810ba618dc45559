//! Other tables on the same servers: closed forms on idle servers, and what a hot table does to them.

use crate::configs::{config, even_ids, open, put, schema};
use keyheat::cluster::ServiceLaw;
use keyheat::engine::{self, Neighbour, SimConfig};
use keyheat::metrics::{MetricId, RunResult};
use keyheat::record::DistributionShape;
use keyheat::time::SimDuration;
use std::sync::Arc;

const IDS: u64 = 1 << 12;

fn neighbour(write_rate: f64, read_rate: f64) -> Neighbour {
    Neighbour {
        name: "orders".to_owned(),
        regions: 24,
        write_rate,
        read_rate,
        hottest: None,
    }
}

/// A table of 32 regions on eight servers of ten handlers, without write-ahead log: a server takes 33,333 puts a second.
fn run(writes_per_sec: f64, key: &str, neighbours: &[Neighbour], seconds: f64) -> SimConfig {
    let mut run = config(
        &schema(IDS, DistributionShape::Uniform),
        key,
        even_ids(IDS, 32),
        vec![put(open(writes_per_sec))],
        seconds,
        11,
    );
    run.cluster.handlers = 10;
    run.cluster.wal = None;
    run.changes.neighbours = Arc::new(neighbours.to_vec());
    run
}

fn quantile_ms(result: &RunResult, q: f64) -> f64 {
    let response = result.neighbours.each[0].response.combined();
    let found = response.quantile(q).expect("operations were completed");
    assert!(!found.censored);
    found.value / 1e6
}

#[test]
fn on_idle_servers_a_call_takes_its_service_time_and_the_network() {
    // Of puts of 0.3 ms, of Gets of 1.2 ms, each with 0.25 ms of network each way.
    for (writes, reads, service) in [(4_000.0, 0.0, 0.3), (0.0, 4_000.0, 1.2)] {
        let result = engine::run(&run(1.0, "be4(id)", &[neighbour(writes, reads)], 10.0));
        let n = result.neighbours.each[0].response.count() as f64;
        assert!(n > 30_000.0, "{n} operations");
        let mean = result.neighbours.each[0].response.combined().mean();
        let mean = mean.expect("operations were completed").value / 1e6 - 0.5;
        // Four standard errors of a mean of exponential times.
        assert!(
            (mean - service).abs() < 4.0 * service / n.sqrt(),
            "mean {mean}, expected {service}"
        );
        // The quantile of an exponential has a standard error of service sqrt(q / (1 - q) / n); the histogram keeps three digits.
        let expected = 0.5 + service * 100f64.ln();
        let error = service * (0.99 / 0.01 / n).sqrt();
        let p99 = quantile_ms(&result, 0.99);
        assert!(
            (p99 - expected).abs() < 4.0 * error + 1e-3 * expected,
            "p99 {p99}, expected {expected}"
        );
    }
}

#[test]
fn puts_of_neighbours_wait_for_the_same_log() {
    let mut run = run(1.0, "be4(id)", &[neighbour(100.0, 0.0)], 20.0);
    run.cluster.wal = keyheat::cluster::ClusterSpec::default().wal;
    run.cluster.service.distribution = ServiceLaw::Constant;
    // The log idles: a put waits for one sync of 1.2 ms.
    let p50 = quantile_ms(&engine::run(&run), 0.5);
    assert!((p50 - (0.5 + 0.3 + 1.2)).abs() < 2e-3, "{p50}");
}

#[test]
fn a_hot_table_beyond_the_capacity_of_its_server_is_felt_beside_it_and_a_spread_one_is_not() {
    let capacity = 33_333.0;
    let p99 = |key: &str, load: f64| {
        let neighbours = [neighbour(400.0, 1_200.0)];
        let run = run(load * capacity, key, &neighbours, 4.0);
        let response = engine::run(&run).neighbours.each[0].response.combined();
        let found = response.quantile(0.99).expect("operations were completed");
        // Beside the overloaded server it is at least so much: refused calls still wait at the end.
        assert!(!found.censored || load > 1.0 && key != "be4(id)");
        found.value / 1e6
    };
    // All rows of one region, or of all.
    let (hot, spread) = ("x'00' || be4(id)", "be4(id)");
    let (beyond, apart) = (p99(hot, 1.2), p99(spread, 1.2));
    assert!(beyond > 5.0 * apart, "{beyond} and {apart} ms");
    let (below, apart) = (p99(hot, 0.8), p99(spread, 0.8));
    assert!(below < 2.0 * apart, "{below} and {apart} ms");
}

#[test]
fn the_share_of_the_hottest_region_lies_on_its_server_and_skews_no_metric_of_the_table() {
    let mut hot = neighbour(0.0, 8_000.0);
    hot.hottest = Some(0.6);
    let with = engine::run(&run(2_000.0, "be4(id)", &[hot.clone()], 4.0));
    let without = engine::run(&run(2_000.0, "be4(id)", &[], 4.0));
    for id in [
        MetricId::ServerPeakToMean,
        MetricId::RegionGini,
        MetricId::RegionsStart,
        MetricId::EmptyRegionFraction,
        MetricId::WriteOffered,
    ] {
        assert_eq!(with.metrics[id], without.metrics[id], "{id:?}");
    }
    // 0.6 + 0.4 x 2/23 of the load on the busiest server of three regions each, but the table's own eighth.
    let share = 0.6 + 0.4 * 2.0 / 23.0;
    let expected = 8_000.0 * share * 1.2e-3 / 10.0 + 2_000.0 / 8.0 * 0.3e-3 / 10.0;
    let busiest = with.metrics[MetricId::UtilisationMax].expect("a window");
    // Offered load and work vary by 1/sqrt(n) of 17,000 calls of exponential length: 4 sqrt(2 / 17,000) = 4.4 %.
    assert!(
        (busiest / expected - 1.0).abs() < 0.044,
        "{busiest}, expected {expected}"
    );
    assert!(without.neighbours.each.is_empty());
    assert!(
        !without
            .metrics
            .ids()
            .any(|id| id == MetricId::NeighbourFailedFraction)
    );
}

#[test]
fn neighbours_meet_the_same_operations_beside_every_key_and_every_other_neighbour() {
    let offered = |key: &str, neighbours: &[Neighbour]| {
        let result = engine::run(&run(500.0, key, neighbours, 1.0));
        let orders = neighbours.iter().position(|one| one.name == "orders");
        result.neighbours.each[orders.expect("it is there")]
            .counts
            .offered
    };
    let orders = neighbour(3_000.0, 1_000.0);
    let users = Neighbour {
        name: "users".to_owned(),
        ..neighbour(10.0, 10.0)
    };
    let alone = offered("be4(id)", std::slice::from_ref(&orders));
    assert!((3_700..4_300).contains(&alone), "{alone}");
    assert_eq!(offered("be8(ts)", std::slice::from_ref(&orders)), alone);
    assert_eq!(offered("be4(id)", &[users, orders]), alone);
}

#[test]
fn neighbours_don_t_keep_a_run_of_imports_from_ending() {
    use keyheat::workload::{Import, ImportOrder, ImportRows, LoadModel, Think};
    let import = Import {
        rows: ImportRows::Drawn {
            records: 5_000,
            last: SimDuration::from_secs(60),
        },
        order: ImportOrder::Shuffled,
        times: None,
    };
    let mut run = run(1.0, "be4(id)", &[neighbour(2_000.0, 2_000.0)], 60.0);
    run.warmup = keyheat::time::SimTime::ZERO;
    let mut workload = (*run.workload).clone();
    workload.writes = vec![put(LoadModel::Closed {
        clients: 40,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import: Some(import),
    })];
    run.workload = Arc::new(workload);
    let result = engine::run(&run);
    assert_eq!(result.writes.counts.completed, 5_000);
    // Forty clients make about 40 / 0.8 ms = 50,000 rows a second: 0.1 s, not 60 s of neighbours.
    let offered = result.neighbours.each[0].counts.offered;
    assert!((200..1_200).contains(&offered), "{offered}");
    let rate = result.metrics[MetricId::WriteThroughput].expect("a window");
    assert!(rate > 20_000.0, "{rate}");
}
