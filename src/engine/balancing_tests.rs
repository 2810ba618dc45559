//! What the balancer is shown of the rows that regions serve, and what a run of it leads to.

use super::change_tests::{balanced, even, events_of, open};
use super::simulation::Simulation;
use super::{Neighbour, SimConfig};
use crate::policy::balance::{Balancer, LoadBalancer};
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
    let regions = 0..simulation.regions.len();
    let theirs = regions.filter(|&region| simulation.regions.get(region).table == 1);
    let seen: u64 = theirs
        .map(|region| simulation.rows_written(region) + simulation.master.loads.reads(region))
        .sum();
    let counts = simulation.finish().neighbours[0].counts;
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
    let result = super::run(&run);
    let found = events_of(&result, "balancer").next().expect("it ran");
    // One region on each server is best. Both have 5,000 rows by then, to within a hundred (sqrt(2 x 5,000)): 1.01 times the mean. Were reads
    // counted twice, it would be 10,000 and 5,000: 1.33.
    let detail = found.detail.as_deref().expect("a finding");
    assert!(detail.contains("at best 1.0"), "{detail}");
}
