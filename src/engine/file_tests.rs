//! Which store files whole runs write, and when: how full a split leaves a region, and flushes of memstores that grow old.

use super::change_tests::{ROW_BYTES, even, events_of, open, rising};
use super::{ClusterChanges, SimConfig};
use crate::keyspace::RowKey;
use crate::metrics::{RunResult, SeriesEvent};
use crate::random::Seed;
use crate::statistics::sample_median_error;
use crate::time::{SimDuration, SimTime};
use crate::units::{Bandwidth, ByteSize};

const SEEDS: u64 = 24;

/// Rows of the files that the first split found, oldest first, and the rows below its row. The memstore of a region that closes becomes a
/// last file, after the split row was chosen: it does not count.
fn first_split(result: &RunResult) -> (Vec<u64>, u64) {
    let split = events_of(result, "split").next().expect("a split");
    let row = RowKey::parse(split.row.as_deref().expect("a row")).expect("in the notation");
    let until = |event: &&SeriesEvent| event.at_ms <= split.at_ms;
    assert_eq!(events_of(result, "compaction").filter(until).count(), 0);
    let mut files: Vec<u64> = Vec::new();
    for flush in events_of(result, "flush").filter(until) {
        files.push(flush.bytes.expect("a size") / ROW_BYTES);
        if flush.at_ms == split.at_ms {
            break;
        }
    }
    let below = u64::from_be_bytes(row.0.try_into().expect("a whole key"));
    (files, below)
}

#[test]
fn a_split_leaves_behind_the_older_files_and_half_of_the_largest_one() {
    // Keys rise, so that files follow each other in key order. The disk takes longer for a file than clients for the rows of the next one,
    // so that each is larger than the one before: 1,000, 1,400, 2,000 rows.
    for (max, files) in [(100_000, 1), (200_000, 2), (400_000, 3)] {
        let (mut off, mut variance) = (0.0, 0.0);
        for seed in 0..SEEDS {
            let mut run = rising(open(4_000.0), 3, 3_000, max);
            run.seed = Seed(seed);
            run.table.memstore_flush_size = ByteSize(208_000);
            run.table.memstore_block_multiplier = 100;
            run.table.compaction_bandwidth.low = Bandwidth(1.0);
            run.table.compaction_bandwidth.high = Bandwidth(1.0);
            run.cluster.heap = ByteSize(1 << 30);
            run.cluster.disk_bandwidth = Bandwidth(370_000.0);
            let (rows, below) = first_split(&super::run(&run));
            assert_eq!(rows.len(), files, "{rows:?}");
            let (largest, older) = rows.split_last().expect("a file");
            assert!(older.iter().all(|file| file < largest), "{rows:?}");
            let (older, total) = (
                older.iter().sum::<u64>() as f64,
                rows.iter().sum::<u64>() as f64,
            );
            let largest = *largest as f64;
            off += (below as f64 - (older + largest / 2.0)) / total;
            // A full sample of 256 rows has been thinned to no fewer than 128.
            let error = sample_median_error(128, largest as u64).expect("fewer than the file has");
            variance += (error.sd * largest / total).powi(2);
        }
        // Four standard errors of the mean; and the 30 rows that may be under way as a memstore is frozen, on either side of its end.
        let (mean, most) = (
            off / SEEDS as f64,
            4.0 * variance.sqrt() / SEEDS as f64 + 0.01,
        );
        assert!(
            mean.abs() < most,
            "{files} files: {mean} off, at most {most}"
        );
    }
}

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
    let result = super::run(&slow_rows(1_000));
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
    let (rows, counts) = (flushed / ROW_BYTES, result.counts);
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
        let result = super::run(&slow_rows(interval));
        assert_eq!(events_of(&result, "flush").count(), 0, "{interval} s");
    }
}

#[test]
fn a_flush_for_size_comes_before_one_for_age() {
    // Some 100 rows a memstore, every 1,000 s: none gets 3,600 s old.
    let mut run = slow_rows(3_600);
    run.workload = even(open(0.2), 2, 10_000_000, ClusterChanges::default()).workload;
    run.table.memstore_flush_size = ByteSize(20_000);
    let aged = super::run(&run);
    run.table.memstore_flush_interval = SimDuration::ZERO;
    let sized = super::run(&run);
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
