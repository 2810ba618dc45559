//! What splits and the balancer do, against what follows by hand from HBase's rules.

use super::figure::{Figure, hold};
use crate::configs::{START, closed, config, put, schema};
use crate::ran::shipped;
use keyheat::engine::{self, ClusterChanges, SimConfig};
use keyheat::keyspace::RowKey;
use keyheat::metrics::{MetricId, RunResult, SeriesEvent};
use keyheat::policy::{RegionPolicies, SplitPolicy};
use keyheat::record::DistributionShape;
use keyheat::time::{SimDuration, SimTime};
use keyheat::units::{Bandwidth, ByteSize, PerSecond};
use keyheat::workload::{Arrivals, LoadModel};
use std::sync::{Arc, LazyLock};

#[path = "../../../src/statistics/sample_median_fixture.rs"]
mod sample_median_fixture;
use sample_median_fixture::sample_median_error;

/// Of a row in a store file: 20 beside its parts, a key of 12, a family, a qualifier, a value of 100.
const ROW_BYTES: u64 = 20 + 12 + 1 + 1 + 100;

/// Rows written in a millisecond.
const RATE: u64 = 4;

const SEEDS: u64 = 24;

/// Keys that rise with time, into one region; its events are kept.
fn rising(load: LoadModel, seconds: f64, seed: u64) -> SimConfig {
    let schema = schema(64, DistributionShape::Uniform);
    let writes = vec![put(load)];
    let mut run = config(
        &schema,
        "be8(ts) || be4(id)",
        Vec::new(),
        writes,
        seconds,
        seed,
    );
    run.key_buckets = Arc::new(vec![RowKey(vec![1])]);
    run.changes = ClusterChanges {
        policies: RegionPolicies {
            split_policy: SplitPolicy::ConstantSize,
            ..RegionPolicies::none()
        },
        ..ClusterChanges::default()
    };
    run
}

fn events<'a>(result: &'a RunResult, kind: &'a str) -> impl Iterator<Item = &'a SeriesEvent> {
    let series = result.series.as_ref().expect("buckets ask for a series");
    series
        .events
        .iter()
        .filter(move |event| event.event.name() == kind)
}

/// Rows of the files that the first split found, oldest first, and the rows below its row. The memstore of a region that closes becomes a
/// last file, after the split row was chosen: it does not count.
fn first_split(result: &RunResult) -> (Vec<u64>, u64) {
    let split = events(result, "split").next().expect("a split");
    let before = |event: &&SeriesEvent| event.at_ms <= split.at_ms;
    assert_eq!(events(result, "compaction").filter(before).count(), 0);
    let mut files: Vec<u64> = Vec::new();
    for flush in events(result, "flush").filter(before) {
        files.push(flush.bytes.expect("a size") / ROW_BYTES);
        if flush.at_ms == split.at_ms {
            break;
        }
    }
    let row = RowKey::parse(split.row.as_deref().expect("a row")).expect("in the notation");
    let millis = u64::from_be_bytes(row.0[..8].try_into().expect("a time leads"));
    let start = START.0 as u64 / 1_000_000;
    (files, (millis - start) * RATE)
}

/// The share of a region's rows that a split leaves to the lower daughter. Files of rising keys follow each other in key order, and the
/// split row is the middle of the largest. The disk takes longer for a file than clients for the rows of the next, so that each is larger
/// than the one before.
pub static SPLITS: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    let sizes = [(100_000, 1), (200_000, 2), (400_000, 3)];
    sizes
        .map(|(max, files)| share_left_below(max, files))
        .into()
});

fn share_left_below(max_file_size: u64, files: usize) -> Figure {
    let (mut expected, mut measured, mut variance) = (0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let load = LoadModel::Open {
            rate: PerSecond(1_000.0 * RATE as f64),
            arrivals: Arrivals::Constant,
            profile: Vec::new(),
            import: None,
        };
        let mut run = rising(load, 3.0, seed);
        run.table.max_file_size = ByteSize(max_file_size);
        run.table.memstore_flush_size = ByteSize(208_000);
        run.table.memstore_block_multiplier = 100;
        run.table.compaction_bandwidth.low = Bandwidth(1.0);
        run.table.compaction_bandwidth.high = Bandwidth(1.0);
        run.cluster.disk_bandwidth = Bandwidth(370_000.0);
        let (rows, below) = first_split(&engine::run(&run));
        assert_eq!(rows.len(), files, "{rows:?}");
        let (&largest, older) = rows.split_last().expect("a file");
        assert!(older.iter().all(|&file| file < largest), "{rows:?}");
        let total = rows.iter().sum::<u64>() as f64;
        let half = largest as f64 / 2.0;
        expected += (older.iter().sum::<u64>() as f64 + half) / total;
        measured += below as f64 / total;
        // A full sample of 256 rows has been thinned to no fewer than 128.
        let error = sample_median_error(128, largest).expect("fewer than the file has");
        variance += (error.sd * largest as f64 / total).powi(2);
    }
    let runs = SEEDS as f64;
    Figure {
        what: format!("files when a region is split: {files}; rows left below, of all"),
        expected: expected / runs,
        measured: measured / runs,
        // Four standard errors of the mean; and the 30 rows that may be under way as a memstore is frozen, on either side of its end.
        allowed: 4.0 * variance.sqrt() / runs + 0.01,
    }
}

/// Splits of a rising key in 75 s, of 1,000 rows of 1,031 bytes a second, as HBase 2.6.1 did them: one server, `max_file_size` 8 MB,
/// flushes of 1 MB. A daughter can't split before the discharger's next tick, so that there is at most one split more than ticks; and where
/// compactions take all that is under 128 MB, the largest file is nearly all of the region, so that about half of it stays behind at each split.
pub static MEASURED_SPLITS: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    use SplitPolicy::{ConstantSize, Stepping};
    let runs = [
        (ConstantSize, 120, 128, 1.0),
        (Stepping, 120, 128, 1.0),
        (Stepping, 10, 128, 8.0),
        (ConstantSize, 1, 128, 19.0),
        (Stepping, 1, 128, 19.0),
        (ConstantSize, 1, 1, 23.0),
        (Stepping, 1, 1, 24.0),
    ];
    let figure = |(policy, discharger, least, measured): (SplitPolicy, u64, u64, f64)| {
        let what = format!(
            "splits under {policy:?}, discharger {discharger} s, compactions from {least} MB on"
        );
        let splits = (0..8).map(|seed| {
            let load = LoadModel::Open {
                rate: PerSecond(1_000.0),
                arrivals: Arrivals::Constant,
                profile: Vec::new(),
                import: None,
            };
            let mut run = rising(load, 75.0, seed);
            run.warmup = SimTime::ZERO;
            run.changes.policies.split_policy = policy.clone();
            run.cluster.servers = 1;
            run.cluster.split_offline = SimDuration::from_millis(400);
            run.table.value = ByteSize(1_031 - ROW_BYTES + 100);
            run.table.max_file_size = ByteSize(8 << 20);
            run.table.memstore_flush_size = ByteSize(1 << 20);
            run.table.min_compaction_size = ByteSize(least << 20);
            run.table.discharger_period = SimDuration::from_secs(discharger);
            events(&engine::run(&run), "split").count() as f64
        });
        let found = splits.sum::<f64>() / 8.0;
        // Where ticks limit the splits their number is certain. Else each region's greatest size is uniform within 12.5 % of 8 MB, a standard
        // deviation of 7.2 %: of n splits, 7.2 % of the root of n. Four of them, and the half split that a whole number hides.
        let jitter = if discharger == 1 {
            4.0 * 0.072 * measured.sqrt() + 0.5
        } else {
            0.0
        };
        Figure {
            what,
            expected: measured,
            measured: found,
            allowed: jitter,
        }
    };
    runs.map(figure).into()
});

#[test]
fn a_rising_key_splits_as_often_as_in_hbase() {
    hold(&MEASURED_SPLITS);
}

/// What a hot region among sixteen equal ones costs the stochastic balancer, with HBase's weights: 5 for the writes, 5 for the growth of its
/// memstore, 5 for its store files, and 5 for reads that are on one server, be it those of hbase:meta alone, of 602 in all. It starts from
/// 0.025 on.
pub static BALANCER_COST: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    let results = &shipped("balancer-counts").results;
    // The weights are HBase's, in single precision. 50 of 51 reads on the hot server, 1 on that of hbase:meta: squared distances from the mean
    // of eight servers, of those for all on one. Where both are one server, 5 points.
    let shared = (50.0f64.powi(2) + 1.0) / 51.0f64.powi(2) - 0.125;
    let read = 5.0 * (shared / 0.875).sqrt();
    let costs = [
        ("writes", "written", 20.0, 1e-3),
        ("no-meta", "written, without hbase:meta", 15.0, 1e-3),
        ("reads", "written and read", 15.0 + read, 5.0 - read + 1e-2),
        // Below 0.05 points, as the balancer starts from 15.05 on.
        ("spread-reads", "written, all regions read", 15.0, 0.05),
    ];
    let figure = |(strategy, done, points, allowed): (&str, &str, f64, f64)| {
        let mut found = results.strategies.iter();
        let found = found.find(|found| found.name == strategy);
        let values = &found.expect("a strategy of the file").values["balancer_cost"];
        let greatest = values.iter().flatten().copied().fold(0.0, f64::max);
        Figure {
            what: format!("one hot region of 16, {done}: cost that the balancer finds"),
            expected: points / 602.0,
            measured: greatest,
            allowed: allowed / 602.0,
        }
    };
    costs.map(figure).into()
});

/// Rising keys have one active region, which stays with its server at every split: more servers are no help.
pub static MORE_SERVERS: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    let throughput = |servers| {
        let mut run = rising(closed(200), 20.0, 5);
        run.cluster.servers = servers;
        run.table.max_file_size = ByteSize(4_000_000);
        run.table.memstore_flush_size = ByteSize(1_500_000);
        // HBase's 128 MB and 2 minutes, scaled as the sizes above.
        run.table.min_compaction_size = ByteSize(1_500_000);
        run.table.discharger_period = SimDuration::from_millis(45);
        let result = engine::run(&run);
        let splits = events(&result, "split").count();
        assert!(splits >= 5, "{splits} splits");
        result.metrics[MetricId::WriteThroughput].expect("rows are written")
    };
    let measured = throughput(16) / throughput(8);
    let what = "rising keys on 16 servers: times the throughput of 8".into();
    // Which rows a file's sample holds differs, and with it the time at which a region is split.
    vec![Figure::within(what, measured, 1.0, 0.05)]
});

#[test]
fn a_split_leaves_behind_the_older_files_and_half_of_the_largest_one() {
    hold(&SPLITS);
}

#[test]
fn the_balancer_finds_what_its_weights_give_one_hot_region() {
    hold(&BALANCER_COST);
}

#[test]
fn more_servers_do_not_help_rising_keys() {
    hold(&MORE_SERVERS);
}
