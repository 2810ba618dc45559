//! Flushes of memstores that grow old.

use crate::engine::master::change_tests::{ROW_BYTES, even, events_of, open};
use crate::engine::{ClusterChanges, SimConfig};
use crate::metrics::{RunResult, SeriesEvent};
use crate::time::{SimDuration, SimTime};
use crate::units::ByteSize;

/// A row every 50 s for 10,000 s, evenly over two regions.
fn slow_rows(interval: u64) -> SimConfig {
    let mut run = even(open(0.02), 2, 10_000_000, ClusterChanges::default());
    run.sample = SimDuration::from_secs(100);
    run.cluster.heap = ByteSize(1 << 30);
    run.table.memstore_flush_interval = SimDuration::from_secs(interval);
    run
}

#[test]
fn a_memstore_whose_oldest_row_is_an_interval_old_is_flushed_within_the_delay() {
    let result = crate::engine::run(&slow_rows(1_000));
    for region in 0..2 {
        let of_region = |flush: &&SeriesEvent| flush.region == Some(region);
        let flushes: Vec<f64> = events_of(&result, "flush")
            .filter(of_region)
            .map(|flush| flush.at_ms / 1e3)
            .collect();
        // One comes after 1,000 to 1,310 s, and the wait for a row: half of those every 50 s go elsewhere.
        assert!((6..=9).contains(&flushes.len()), "{flushes:?}");
        let gaps = flushes.windows(2).map(|pair| pair[1] - pair[0]);
        for gap in gaps.chain([flushes[0]]) {
            // Fifteen rows in a row go to the other region with a probability of 2^-15.
            assert!(
                (1_000.0..1_310.0 + 15.0 * 50.0).contains(&gap),
                "{flushes:?}"
            );
        }
    }
    let flushed: u64 = events_of(&result, "flush")
        .filter_map(|flush| flush.bytes)
        .sum();
    let (rows, counts) = (flushed / ROW_BYTES, result.writes.counts);
    assert!(
        rows < counts.completed && rows + 60 > counts.completed,
        "{rows} of {counts:?}"
    );
    // Regions have delays of their own: they are not flushed at the same times.
    let mut times: Vec<f64> = events_of(&result, "flush")
        .map(|flush| flush.at_ms)
        .collect();
    times.dedup();
    assert_eq!(times.len(), events_of(&result, "flush").count());
}

#[test]
fn runs_no_longer_than_the_interval_and_tables_without_one_flush_by_size_only() {
    for interval in [0, 10_000, 3_600_000] {
        let result = crate::engine::run(&slow_rows(interval));
        assert_eq!(events_of(&result, "flush").count(), 0, "{interval} s");
    }
}

#[test]
fn a_flush_for_size_comes_before_one_for_age() {
    // Some 100 rows a memstore, every 1,000 s: none gets 3,600 s old.
    let mut run = slow_rows(3_600);
    run.workload = even(open(0.2), 2, 10_000_000, ClusterChanges::default()).workload;
    run.table.memstore_flush_size = ByteSize(20_000);
    let aged = crate::engine::run(&run);
    run.table.memstore_flush_interval = SimDuration::ZERO;
    let sized = crate::engine::run(&run);
    let times = |result: &RunResult| -> Vec<f64> {
        events_of(result, "flush")
            .map(|flush| flush.at_ms)
            .collect()
    };
    assert!(times(&sized).len() > 10);
    assert_eq!(times(&aged), times(&sized));
    assert_eq!(aged.metrics, sized.metrics);
    assert!(run.duration > SimTime::ZERO + SimDuration::from_secs(3_600));
}
