//! What the balancer is shown of the rows that regions serve, and what a run of it leads to.

use super::change_tests::{balanced, even, events_of, hotspot, open};
use crate::cluster::Neighbour;
use crate::engine::SimConfig;
use crate::engine::simulation::Simulation;
use crate::metrics::RunResult;
use crate::policy::balance::{Balancer, LoadBalancer, StochasticBalancer};
use crate::time::SimDuration;
use crate::units::PerSecond;
use std::sync::Arc;

/// Ten seconds of neighbours on four servers, hardly anything of the table itself, and a balancer by load that runs just before the end
/// and never moves anything.
fn neighbours(neighbours: Vec<Neighbour>) -> SimConfig {
    let still = Balancer::Load(LoadBalancer { min_gain: 1.0 });
    let mut run = even(open(1.0), 4, 10_000, balanced(still, 9_999));
    run.changes.neighbours = Arc::new(neighbours);
    run
}

fn neighbour(name: &str, regions: u32, write_rate: f64, read_rate: f64) -> Neighbour {
    Neighbour {
        name: name.to_owned(),
        regions,
        write_rate,
        read_rate,
        hottest: None,
    }
}

#[test]
fn the_balancer_counts_every_row_that_was_served_once() {
    let run = neighbours(vec![neighbour("both", 4, 1_000.0, 1_000.0)]);
    let mut simulation = Simulation::new(&run);
    simulation.work();
    let regions = 0..simulation.tables.regions.len();
    let theirs = regions.filter(|&region| simulation.tables.regions.get(region).table == 1);
    let seen: u64 = theirs
        .map(|region| {
            simulation.stores.rows_written(region) + simulation.master.loads.reads(region)
        })
        .sum();
    let counts = simulation.finish().neighbours.each[0].counts;
    // 20,000 operations of one row, 5,000 a region. A reply that is on its way at the end was served and is not completed.
    assert!(counts.completed > 19_000, "{counts:?}");
    let served = counts.completed..=counts.completed + counts.in_flight;
    assert!(served.contains(&seen), "{seen} rows seen, {counts:?}");
}

#[test]
fn a_balancer_by_load_weighs_a_row_read_like_a_row_written() {
    let mut run = neighbours(vec![
        neighbour("writes", 1, 500.0, 0.0),
        neighbour("reads", 1, 0.0, 500.0),
    ]);
    run.cluster.servers = 2;
    let result = crate::engine::run(&run);
    let found = events_of(&result, "balancer").next().expect("it ran");
    // One region on each server is best. Both have 5,000 rows by then, to within a hundred (sqrt(2 x 5,000)): 1.01 times the mean. Were reads
    // counted twice, it would be 10,000 and 5,000: 1.33.
    let detail = found.detail.as_deref().expect("a finding");
    assert!(detail.contains("at best 1.0"), "{detail}");
}

fn stochastic() -> Balancer {
    Balancer::Stochastic(StochasticBalancer::default())
}

fn findings(result: &RunResult) -> Vec<&str> {
    events_of(result, "balancer")
        .filter_map(|event| event.detail.as_deref())
        .collect()
}

/// Rows offered to each server from beginning to end: those of writes, as far as only the hot region takes any.
#[track_caller]
fn assert_one_server_takes_all(result: &RunResult) {
    let series = result.series.as_ref().expect("a series");
    let mut sums = vec![0; series.server_demand[0].len()];
    for row in &series.server_demand {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, rows)| *sum += rows);
    }
    let busy = sums.iter().filter(|&&sum| sum > 0).count();
    assert_eq!(busy, 1, "{sums:?}");
}

#[test]
fn the_reads_of_meta_start_the_balancer_of_a_pure_write_hotspot_which_stays() {
    // 5 points each for the writes, the memstore and the store files, which are all on one server, and for the reads of meta: nobody else
    // reads. Cold regions have no files: there is nothing to gain.
    let result = crate::engine::run(&hotspot(stochastic()));
    assert_eq!(
        findings(&result),
        ["20/602 = 0.0332 >= 0.025: starts for its cost and finds nothing better"]
    );
    assert_eq!(events_of(&result, "move").count(), 0);
    assert_one_server_takes_all(&result);
}

#[test]
fn without_reads_of_meta_a_pure_write_hotspot_does_not_start_the_balancer() {
    let mut run = hotspot(stochastic());
    run.changes.policies.meta_reads = PerSecond(0.0);
    let result = crate::engine::run(&run);
    assert_eq!(
        findings(&result),
        ["15/602 = 0.0249 < 0.025: does not start"]
    );
}

#[test]
fn reads_on_the_hot_server_alone_start_the_balancer() {
    let stochastic = Balancer::Stochastic(StochasticBalancer::default());
    let mut run = hotspot(stochastic);
    run.changes.policies.meta_reads = PerSecond(0.0);
    let mut simulation = Simulation::new(&run);
    // As if its clients had read as much: what a Get does to the counters.
    simulation.master.loads.read(0, 30_000);
    simulation.work();
    let server = simulation.tables.regions.get(0).server;
    let result = simulation.finish();
    let found = events_of(&result, "balancer").next().expect("it ran");
    let detail = found.detail.as_deref().expect("a finding");
    assert!(
        detail.starts_with("20/602 = 0.0332 >= 0.025: starts for its cost"),
        "{detail}"
    );
    // Wherever the hot region is now: one server takes everything.
    let series = result.series.as_ref().expect("a series");
    let last = series
        .server_demand
        .iter()
        .rev()
        .find(|row| row.iter().sum::<u64>() > 100);
    let last = last.expect("rows were offered");
    assert_eq!(last[server as usize], last.iter().sum::<u64>());
}

/// The hotspot, beside a neighbour that is read evenly: 600 Gets a second on four regions, one on each server.
fn beside_spread_reads(balancer: Balancer) -> SimConfig {
    let mut run = hotspot(balancer);
    run.changes.neighbours = Arc::new(vec![neighbour("read", 4, 0.0, 600.0)]);
    run
}

#[test]
fn many_reads_spread_over_the_servers_keep_the_balancer_from_starting() {
    let result = crate::engine::run(&beside_spread_reads(stochastic()));
    let found = findings(&result);
    // 108,000 reads in the three minutes before it runs: Poisson counts of four servers cost 1 / sqrt(108,000) = 0.003 on average, the 180
    // reads of meta 0.0017: 0.018 points in all, and hardly ever the 0.05 that are left to 15.05.
    let [only] = found[..] else {
        panic!("{found:?}");
    };
    assert!(
        only.starts_with("15.0") && only.ends_with("does not start"),
        "{only}"
    );
    assert_one_server_takes_all(&result);
}

#[test]
fn a_balancer_that_does_not_start_changes_nothing() {
    // Whether it is off, does not start, or has no reads of meta to look at.
    let run = |balancer, meta_reads| {
        let mut run = beside_spread_reads(balancer);
        run.changes.policies.meta_reads = PerSecond(meta_reads);
        let result = crate::engine::run(&run);
        let mut found = serde_json::to_value(&result).expect("results are written as JSON");
        // The runs of the balancer are events themselves.
        found["events"].take();
        let metrics = found["metrics"].as_object_mut().expect("by name");
        metrics.retain(|name, _| !name.starts_with("balancer_"));
        let events = found["series"]["events"].as_array_mut().expect("a list");
        events.retain(|event| event["event"] != "balancer");
        found
    };
    let off = run(Balancer::None, 1.0);
    assert_eq!(off, run(stochastic(), 1.0));
    assert_eq!(off, run(stochastic(), 0.0));
}

#[test]
fn loads_reach_the_balancer_as_often_as_it_is_set() {
    // Everything thirty times as fast. Nothing is flushed in 6 s: no store files.
    let mut run = hotspot(stochastic());
    run.duration = super::living_tests::millis(7_000);
    run.changes.policies.balancer_period = SimDuration::from_secs(6);
    let cost = |run: &SimConfig| findings(&crate::engine::run(run)).join(" ");
    assert_eq!(cost(&run), "0/602 = 0.0000 < 0.025: does not start");
    // Samples at 0, 2, 4 and 6 s see two reads of meta and 1,200 rows each time, and a memstore below 1 MB, which is reported as 0.
    run.changes.policies.balancer_samples = SimDuration::from_secs(2);
    assert_eq!(cost(&run), "10/602 = 0.0166 < 0.025: does not start");
}
