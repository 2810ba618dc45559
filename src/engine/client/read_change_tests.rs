//! Reads of regions that are divided, and that lose their server: they end, and find the rows that they would have found.

use super::read_tests::{all, config, gets, run, scans, with_rows};
use crate::cluster::{ClusterEvent, CrashTarget, TimedEvent};
use crate::engine::SimConfig;
use crate::keyspace::RowKey;
use crate::metrics::{MetricId, RunResult};
use crate::policy::balance::{Balancer, SimpleBalancer};
use crate::policy::{NormalizerRules, NormalizerSpec, SplitPolicy};
use crate::query::{Requests, ScanRequest};
use crate::time::{SimDuration, SimTime};
use proptest::prelude::*;
use std::sync::Arc;

/// What happens after so many microseconds.
#[derive(Debug, Clone, Copy)]
enum Change {
    Split(u64, u8),
    Crash(u64, u32),
}

/// Splits take 30 ms, crashes are noticed after 20 ms.
fn changing(mut config: SimConfig, changes: &[Change]) -> SimConfig {
    config.duration = SimTime::ZERO + SimDuration::from_secs(60);
    config.cluster.split_offline = SimDuration::from_millis(30);
    config.cluster.failure_detection = SimDuration::from_millis(20);
    config.changes.policies.split_policy = SplitPolicy::ConstantSize;
    let event = |change: &Change| match *change {
        Change::Split(at, row) => (at, ClusterEvent::Split(Arc::new([RowKey(vec![row])]))),
        Change::Crash(at, server) => (at, ClusterEvent::Crash(CrashTarget::Server(server))),
    };
    let timed = changes.iter().map(event).map(|(micros, event)| TimedEvent {
        at: SimTime::from_nanos(micros * 1_000),
        event,
    });
    let mut events: Vec<TimedEvent> = timed.collect();
    events.sort_by_key(|timed| timed.at);
    config.changes.events = Arc::new(events);
    config
}

fn millis(result: &RunResult) -> f64 {
    let response = result.reads.each[0].response.combined().max();
    response.expect("a read ended").value / 1e6
}

fn measure(result: &RunResult, id: MetricId) -> f64 {
    result.reads.each[0].metrics[id].expect("reads ended")
}

fn table() -> SimConfig {
    with_rows(config(), [20, 22, 23, 24, 25, 26, 40, 41, 42, 43, 44])
}

/// A pause of 100 ms, with a jitter of 1 %, in which the regions open, and a few calls of some milliseconds.
#[track_caller]
fn assert_paused_once(result: &RunResult) {
    let millis = millis(result);
    assert!((100.0..130.0).contains(&millis), "{millis} ms");
}

#[test]
fn a_scan_goes_on_where_it_stands_when_its_region_is_divided() {
    // The first call, under way as the region goes, reads 20 to 24; the second is refused.
    let config = changing(table(), &[Change::Split(1_000, 25)]);
    let result = run(&config, &[scans(&[(20, 44, all(10.0))])]);
    assert_eq!(result.reads.each[0].counts.completed, 1);
    assert_eq!(measure(&result, MetricId::RowsRead), 10.0);
    assert_paused_once(&result);
}

#[test]
fn gets_of_a_region_that_is_divided_find_the_daughters_by_their_keys() {
    let config = changing(table(), &[Change::Split(10, 25), Change::Split(10, 43)]);
    let result = run(&config, &[gets([21, 26, 29, 41, 44])]);
    assert_eq!(result.reads.each[0].counts.completed, 1);
    assert_eq!(measure(&result, MetricId::RowsRead), 5.0);
    // Two servers, one call each: attempts again are no further calls.
    assert_eq!(measure(&result, MetricId::Calls), 2.0);
    assert_paused_once(&result);
}

#[test]
fn of_a_multi_get_only_the_gets_of_a_region_that_is_away_are_sent_again() {
    // Regions 0, 4 and 8 are on one server; 4 is split as the call comes.
    let config = changing(table(), &[Change::Split(10, 45)]);
    let away = run(&config, &[gets([3, 41, 85])]);
    assert_paused_once(&away);
    assert_eq!(measure(&away, MetricId::Calls), 1.0);
    let here = run(&config, &[gets([3, 85])]);
    assert!(millis(&here) < 3.0, "{}", millis(&here));
}

#[test]
fn calls_of_a_server_that_dies_are_sent_to_where_its_regions_open() {
    // Before they come, while handlers work on them, and between two calls of a scan.
    for micros in [100, 700, 3_000, 6_000] {
        for server in 0..4 {
            let config = changing(table(), &[Change::Crash(micros, server)]);
            let requests = [scans(&[(20, 50, all(11.0))]), gets([3, 41, 85, 55])];
            let result = run(&config, &requests);
            assert_eq!(result.reads.each[0].counts.completed, 2);
            assert_eq!(measure(&result, MetricId::RowsRead), (11.0 + 4.0) / 2.0);
        }
    }
}

fn request() -> impl Strategy<Value = Requests> {
    let scan = (0u8..100, 1u8..60, 0.0..30.0f64, 0.0..=1.0f64, any::<bool>());
    let scan = scan.prop_map(|(start, length, rows, share, reversed)| {
        let stop = start + length;
        let request = ScanRequest {
            rows,
            rows_read: rows * share,
            reversed,
        };
        (start, if stop >= 100 { 0 } else { stop }, request)
    });
    prop_oneof![
        prop::collection::vec(0u8..100, 1..9).prop_map(gets),
        prop::collection::vec(scan, 1..5).prop_map(|ranges| scans(&ranges)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_end_and_read_as_many_rows_whatever_becomes_of_regions_and_servers(
        requests in prop::collection::vec(request(), 1..8),
        sampled in prop::collection::btree_set(0u8..100, 0..40),
        splits in prop::collection::vec((0u64..60_000, 1u8..100), 0..8),
        crashes in prop::sample::subsequence(vec![0u32, 1, 2, 3], 0..3),
        crashed in prop::collection::vec(0u64..60_000, 3),
        merges in prop::option::of((5u64..40, 2usize..6)),
        moves in prop::option::of((5u64..40, 1u32..5)),
        fan_out in 1u32..5,
    ) {
        let mut still = with_rows(config(), sampled);
        still.client.fan_out = fan_out;
        let splits = splits.into_iter().map(|(at, row)| Change::Split(at, row));
        let crashes = crashes.into_iter().zip(crashed).map(|(server, at)| Change::Crash(at, server));
        let changes: Vec<_> = splits.chain(crashes).collect();
        let before = run(&still, &requests);
        let mut changing = changing(still, &changes);
        // Merges every few milliseconds of whatever is open, and moves to servers that join.
        changing.cluster.move_offline = SimDuration::from_millis(3);
        changing.changes.policies.normalizer = merges.map(|(millis, merge_max_regions)| NormalizerSpec {
            rules: NormalizerRules {
                merge_min_age: SimDuration::ZERO,
                merge_min_mb: 0,
                merge_min_regions: 2,
                merge_max_regions,
                ..NormalizerRules::default()
            },
            period: SimDuration::from_millis(millis),
        });
        if let Some((millis, join)) = moves {
            changing.changes.policies.balancer = Balancer::Simple(SimpleBalancer { slop: 0.0 });
            changing.changes.policies.balancer_period = SimDuration::from_millis(millis);
            let mut events = changing.changes.events.to_vec();
            events.insert(0, TimedEvent { at: SimTime::ZERO, event: ClusterEvent::AddServers(join) });
            changing.changes.events = Arc::new(events);
        }
        let after = run(&changing, &requests);
        prop_assert_eq!(after.reads.each[0].counts.completed, requests.len() as u64);
        prop_assert_eq!(measure(&after, MetricId::RowsRead), measure(&before, MetricId::RowsRead));
    }
}
