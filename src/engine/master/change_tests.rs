//! What splits, merges, balancers and crashes do, step by step: small runs, looked at by what happened in them and where they end.

use super::knowledge::SYSTEM_REGIONS;
use super::living_tests::{config_of, millis, regions_are_sound};
use crate::cluster::{ClusterEvent, CrashTarget, FileRules, TimedEvent};
use crate::cluster::{Placement, TableSpec};
use crate::engine::numbers::NONE;
use crate::engine::simulation::Simulation;
use crate::engine::{ClusterChanges, SimConfig, StoredCells};
use crate::keyspace::RowKey;
use crate::metrics::{MetricId, RunResult, SeriesEvent};
use crate::policy::NormalizerSpec;
use crate::policy::balance::{Balancer, SimpleBalancer, StochasticBalancer};
use crate::policy::{NormalizerRules, RegionPolicies, SplitPolicy};
use crate::record::FieldKind;
use crate::statistics::sample_median_error;
use crate::time::SimDuration;
use crate::units::{ByteSize, PerSecond};
use crate::workload::{Arrivals, LoadModel, Think, Write, WriteKind};
use std::sync::Arc;

/// Of a row under an eight-byte key in a store file: 20 + 8 + 1 + 1 + 100.
pub const ROW_BYTES: u64 = 130;

fn put(load: LoadModel) -> Write {
    Write {
        name: "w".into(),
        kind: WriteKind::Put,
        load,
        with: Vec::new(),
        most_per_sec: f64::INFINITY,
    }
}

pub fn open(rate: f64) -> Write {
    put(LoadModel::Open {
        rate: PerSecond(rate),
        arrivals: Arrivals::Constant,
        profile: Vec::new(),
        import: None,
    })
}

fn closed(clients: u32) -> Write {
    put(LoadModel::Closed {
        clients,
        think: Think::Constant(SimDuration::ZERO),
        buffer: None,
        import: None,
    })
}

fn policies(policies: RegionPolicies) -> ClusterChanges {
    ClusterChanges {
        policies,
        ..ClusterChanges::default()
    }
}

fn splitting(split_policy: SplitPolicy) -> ClusterChanges {
    policies(RegionPolicies {
        split_policy,
        ..RegionPolicies::none()
    })
}

pub fn balanced(balancer: Balancer, period_millis: u64) -> ClusterChanges {
    policies(RegionPolicies {
        balancer,
        balancer_period: SimDuration::from_millis(period_millis),
        ..RegionPolicies::none()
    })
}

/// Rising keys into one region of `servers`; a flush makes 20,000 bytes of heap into a file, and every region above `max` bytes is split.
pub fn rising(write: Write, servers: u32, length: u64, max: u64) -> SimConfig {
    let changes = splitting(SplitPolicy::ConstantSize);
    let ids = FieldKind::Sequence { first: 0 };
    let mut run = config_of(ids, "be8(id)", vec![write], length, 5, changes);
    run.split_points = Arc::default();
    run.key_buckets = Arc::new(vec![RowKey(vec![1])]);
    run.cluster.servers = servers;
    run.table.max_file_size = ByteSize(max);
    run.table.discharger_period = SimDuration::from_millis(1);
    run
}

/// Even keys over `regions` regions on four servers, nothing that splits.
pub fn even(write: Write, regions: u64, length: u64, changes: ClusterChanges) -> SimConfig {
    let ids = FieldKind::Int {
        first: 0,
        count: 4_800,
    };
    let mut run = config_of(ids, "be8(id)", vec![write], length, 5, changes);
    let points = (1..regions).map(|region| RowKey((4_800 * region / regions).to_be_bytes().into()));
    run.split_points = Arc::new(points.collect());
    run.key_buckets = Arc::new(vec![RowKey(vec![1])]);
    run.cluster.servers = 4;
    run.table = TableSpec {
        // So that it can be said which server holds what.
        placement: Placement::InOrder,
        ..TableSpec::default()
    };
    run
}

fn at(millis_from_start: u64, event: ClusterEvent) -> TimedEvent {
    TimedEvent {
        at: millis(millis_from_start),
        event,
    }
}

pub fn events_of<'a>(
    result: &'a RunResult,
    kind: &'a str,
) -> impl Iterator<Item = &'a SeriesEvent> {
    let series = result.series.as_ref().expect("a series was asked for");
    series
        .events
        .iter()
        .filter(move |event| event.event.name() == kind)
}

#[test]
fn rising_keys_split_the_hot_region_again_and_again_on_the_same_server() {
    let run = rising(open(8_000.0), 3, 1_000, 100_000);
    let result = crate::engine::run(&run);
    let splits: Vec<_> = events_of(&result, "split").collect();
    assert!(splits.len() >= 5, "{} splits", splits.len());
    for pair in splits.windows(2) {
        assert_eq!(pair[1].region, pair[0].heirs.last().copied());
    }
    let series = result.series.as_ref().expect("a series");
    let busy: Vec<usize> = (0..3)
        .filter(|&server| series.server_demand.iter().any(|row| row[server] > 0))
        .collect();
    assert_eq!(busy.len(), 1, "one server takes all");
    for open in events_of(&result, "open") {
        assert_eq!(open.server, Some(busy[0] as u32));
    }
}

#[test]
fn a_rising_key_splits_once_between_two_ticks_of_the_discharger() {
    // 100,000 bytes are 769 rows, a tenth of a second of them, and the half that goes on has all of a quarter to grow by as much.
    let mut run = rising(open(8_000.0), 3, 1_000, 100_000);
    run.table.discharger_period = SimDuration::from_millis(250);
    let result = crate::engine::run(&run);
    let quarters: Vec<u32> = events_of(&result, "split")
        .map(|event| (event.at_ms / 250.0) as u32)
        .collect();
    assert_eq!(quarters, [0, 1, 2, 3]);
}

/// Memstores are not compressed, files are: a flush holds as many rows in a quarter of the bytes, and a region as many more before it splits.
#[test]
fn a_table_that_is_stored_in_a_quarter_of_its_bytes_splits_after_four_times_the_rows() {
    let split_after = |disk_ratio: f64| {
        let mut run = rising(open(8_000.0), 3, 1_000, 100_000);
        run.cells = Arc::new(StoredCells {
            files: vec![FileRules {
                disk_ratio,
                ..FileRules::default()
            }],
            ..StoredCells::default()
        });
        let result = crate::engine::run(&run);
        let split = events_of(&result, "split").next().expect("a split");
        let flushes = events_of(&result, "flush").filter(|flush| flush.at_ms <= split.at_ms);
        let bytes: Vec<u64> = flushes.filter_map(|flush| flush.bytes).collect();
        (bytes[0], bytes.len())
    };
    let (plain, packed) = (split_after(1.0), split_after(0.25));
    assert_eq!(packed.0, plain.0.div_ceil(4));
    // The same jitter, in whole flushes: the last of n exceeds the size, four times which 4 (n - 1) do not, and 4 n do.
    let flushes = 4 * (plain.1 - 1) + 1..=4 * plain.1;
    assert!(flushes.contains(&packed.1), "{plain:?}, {packed:?}");
    assert!(plain.1 >= 4, "{plain:?}");
}

#[test]
fn a_region_with_one_file_leaves_half_of_it_behind() {
    // Every flush exceeds the size.
    let run = rising(open(4_000.0), 3, 200, 9_000);
    let result = crate::engine::run(&run);
    let split = events_of(&result, "split").next().expect("a split");
    let flush = events_of(&result, "flush").next().expect("a flush");
    let row = RowKey::parse(split.row.as_deref().expect("a row")).expect("in the notation");
    let row = u64::from_be_bytes(row.0.try_into().expect("a whole key"));
    let rows = flush.bytes.expect("a size") / ROW_BYTES;
    // The whole file is in the sample, or at least 16 of its rows.
    let error = sample_median_error(16, rows).expect("more rows than samples");
    let found = row as f64 / rows as f64;
    // Four standard deviations.
    assert!(
        (found - 0.5).abs() < 4.0 * error.sd,
        "{found} of {rows} rows"
    );
    // The rows that came while it was written make a second file.
    assert!(split.bytes >= flush.bytes);
}

#[test]
fn more_servers_don_t_help_rising_keys() {
    let throughput = |servers| {
        let mut run = rising(closed(40), servers, 1_500, 100_000);
        run.warmup = millis(300);
        let result = crate::engine::run(&run);
        result.metrics[MetricId::WriteThroughput].expect("rows were written")
    };
    let (eight, sixteen) = (throughput(8), throughput(16));
    assert!(
        eight > 100.0 && (sixteen / eight - 1.0).abs() < 0.05,
        "{eight} {sixteen}"
    );
}

/// All writes to the first of 16 regions, for 200 s; balancer runs at 180 s, samples at 60, 120 and 180 s.
pub fn hotspot(balancer: Balancer) -> SimConfig {
    let changes = balanced(balancer, 180_000);
    let mut run = even(open(600.0), 16, 200_000, changes);
    let points = (1..16u64).map(|region| RowKey((10_000 + region).to_be_bytes().into()));
    run.split_points = Arc::new(points.collect());
    // Some 7 MB of heap a minute: two flushes. (A load of 1 MB in all can't be spread better, and costs nothing.)
    run.table.memstore_flush_size = ByteSize(8 << 20);
    run.cluster.heap = ByteSize(1 << 30);
    run.sample = SimDuration::from_secs(2);
    run
}

#[test]
fn the_simple_balancer_evens_counts_over_servers_that_join() {
    let changes = ClusterChanges {
        events: Arc::new(vec![at(100, ClusterEvent::AddServers(4))]),
        ..balanced(Balancer::Simple(SimpleBalancer { slop: 0.2 }), 2_000)
    };
    let run = even(open(500.0), 16, 4_500, changes);
    let mut simulation = Simulation::new(&run);
    simulation.work();
    regions_are_sound(&simulation);
    // Eighteen regions with those of the two system tables: two or three a server.
    let system =
        (0..SYSTEM_REGIONS).map(|which| simulation.master.system.serving(which, millis(4_500)));
    let system: Vec<u32> = system.flatten().collect();
    assert_eq!(system.len(), SYSTEM_REGIONS);
    for server in 0..8 {
        let users = simulation.tables.regions.on_server(server).count();
        assert_eq!(simulation.tables.regions.open_on(server) as usize, users);
        let all = users + system.iter().filter(|&&on| on == server).count();
        assert!((2..=3).contains(&all), "{all}");
    }
    let result = simulation.finish();
    // The first run finds servers without regions and moves half of all; the other finds nothing to do.
    assert_eq!(events_of(&result, "balancer").count(), 2);
    let moves: Vec<f64> = events_of(&result, "move")
        .map(|event| event.at_ms)
        .collect();
    // Each takes 3 ms, and HBase looks every 100 ms, before the turn 250 ms later, whether it is over.
    let expected: Vec<f64> = (0..8).map(|at| 2_000.0 + 100.0 * f64::from(at)).collect();
    assert_eq!(moves, expected);
}

#[test]
fn a_crash_loses_no_acknowledged_row_and_its_regions_open_elsewhere() {
    let changes = ClusterChanges {
        events: Arc::new(vec![
            at(200, ClusterEvent::Crash(CrashTarget::Server(2))),
            at(300, ClusterEvent::Crash(CrashTarget::Server(2))),
            at(400, ClusterEvent::Crash(CrashTarget::Server(9))),
        ]),
        ..ClusterChanges::default()
    };
    let run = even(open(8_000.0), 12, 2_000, changes);
    let mut simulation = Simulation::new(&run);
    simulation.work();
    regions_are_sound(&simulation);
    assert!((0..12).all(|region| simulation.tables.regions.is_open(region)));
    let stored: u64 = (0..12)
        .map(|region| {
            let in_memory = u64::from(simulation.stores.rows_held(region)) * ROW_BYTES;
            simulation.stores.bytes(region).0 + in_memory
        })
        .sum();
    let result = simulation.finish();
    let counts = result.writes.counts;
    assert_eq!(
        counts.offered,
        counts.completed + counts.failed + counts.in_flight
    );
    // A row that was synced when its server died, or is in flight, is stored once more than it is acknowledged, if at all.
    let rows = stored / ROW_BYTES;
    let more = u64::from(run.cluster.handlers) + counts.in_flight + counts.failed;
    assert!(
        rows >= counts.completed && rows <= counts.completed + more,
        "{rows} {counts:?}"
    );
    let detected: Vec<_> = events_of(&result, "crash-detected").collect();
    assert_eq!(detected.len(), 1);
    assert_eq!(
        detected[0].detail.as_deref(),
        Some("3 regions open elsewhere")
    );
    // 215 ms: detection; then what the server had in its log, at 200 MB/s, and the opening.
    let replayed = detected[0].bytes.unwrap_or(0);
    assert!(replayed > 0 && replayed.is_multiple_of(ROW_BYTES) && replayed < 1_600 * ROW_BYTES);
    let opened: Vec<_> = events_of(&result, "open").collect();
    let mut servers: Vec<_> = opened.iter().filter_map(|open| open.server).collect();
    servers.sort_unstable();
    assert_eq!(servers, [0, 1, 3], "round robin");
    let due = 215.0 + 3.0 + replayed as f64 / run.cluster.disk_bandwidth.0 * 1e3;
    assert!(opened.iter().all(|open| (open.at_ms - due).abs() < 1e-3));
    assert_eq!(events_of(&result, "impossible").count(), 2);
}

#[test]
fn the_last_server_never_dies() {
    let crash = |millis| at(millis, ClusterEvent::Crash(CrashTarget::Hottest));
    let changes = ClusterChanges {
        events: Arc::new(vec![crash(100), crash(200), crash(300), crash(400)]),
        ..ClusterChanges::default()
    };
    let mut run = even(open(2_000.0), 12, 600, changes);
    run.cluster.servers = 2;
    let mut simulation = Simulation::new(&run);
    simulation.work();
    assert_eq!(simulation.servers.live().len(), 1);
    regions_are_sound(&simulation);
    let result = simulation.finish();
    assert_eq!(events_of(&result, "crash").count(), 1);
    let last = events_of(&result, "impossible").last().expect("refused");
    let reason = last.detail.as_deref().expect("a reason");
    assert!(
        reason.ends_with("can't die: it is the last one"),
        "{reason}"
    );
}

#[test]
fn small_neighbours_merge_and_keep_their_rows() {
    let rules = NormalizerRules {
        target_count: Some(1),
        merge_min_age: SimDuration::ZERO,
        merge_min_mb: 0,
        merge_max_regions: 3,
        ..NormalizerRules::default()
    };
    let period = SimDuration::from_millis(300);
    let changes = policies(RegionPolicies {
        normalizer: Some(NormalizerSpec { rules, period }),
        ..RegionPolicies::none()
    });
    let run = even(open(2_000.0), 12, 500, changes);
    let mut simulation = Simulation::new(&run);
    simulation.work();
    regions_are_sound(&simulation);
    // Three at a time, two by two: eight merges leave four of twelve, each on the server of its first.
    let left = simulation.tables.in_key_order(0);
    assert_eq!(left, [13, 15, 17, 19]);
    assert!(
        left.iter()
            .all(|&region| simulation.tables.regions.is_open(region))
    );
    let servers: Vec<u32> = left
        .iter()
        .map(|&region| simulation.tables.regions.get(region).server)
        .collect();
    let firsts: Vec<u32> = [0, 3, 6, 9].map(|first| (servers[0] + first) % 4).into();
    assert_eq!(servers, firsts);
    let result = simulation.finish();
    assert_eq!(events_of(&result, "merge").count(), 8);
    assert_eq!(events_of(&result, "open").count(), 4);
    assert_eq!(result.writes.counts.failed, 0);
}

#[test]
fn an_operator_splits_where_he_likes_unless_splits_are_disabled() {
    let row = |id: u64| RowKey(id.to_be_bytes().into());
    let wanted: Arc<[RowKey]> = vec![row(100), row(300), row(1_200)].into();
    let changes = |split_policy| ClusterChanges {
        events: Arc::new(vec![at(50, ClusterEvent::Split(wanted.clone()))]),
        ..splitting(split_policy)
    };
    // Regions of 1,200 ids: two rows inside the first, one at the start of the second.
    let mut run = even(open(1_000.0), 4, 2_500, changes(SplitPolicy::ConstantSize));
    run.table.discharger_period = SimDuration::from_millis(1);
    let result = crate::engine::run(&run);
    let rows: Vec<_> = events_of(&result, "split")
        .filter_map(|event| event.row.clone())
        .collect();
    // The second one waits until the daughter's reference is compacted, and archived.
    assert_eq!(rows, [row(100).to_string(), row(300).to_string()]);
    let unsplit: Vec<_> = events_of(&result, "no-split-row").collect();
    assert_eq!((unsplit.len(), unsplit[0].region), (1, Some(1)));
    let run = even(open(1_000.0), 4, 2_500, changes(SplitPolicy::Disabled));
    let result = crate::engine::run(&run);
    assert_eq!(events_of(&result, "split").count(), 0);
    let reasons: Vec<_> = events_of(&result, "no-split-row")
        .filter_map(|event| event.detail.as_deref())
        .collect();
    assert_eq!(
        reasons, ["the split policy is `disabled`"; 2],
        "once a region"
    );
}

#[test]
fn a_region_of_one_row_is_reported_once() {
    let mut run = rising(open(4_000.0), 3, 1_000, 9_000);
    let ids = FieldKind::Int { first: 7, count: 1 };
    let writes = run.workload.writes.clone();
    let one = config_of(ids, "be8(id)", writes, 1_000, 5, run.changes.clone());
    run.generator = one.generator;
    run.key = one.key;
    let result = crate::engine::run(&run);
    assert!(events_of(&result, "flush").count() > 3);
    assert_eq!(events_of(&result, "split").count(), 0);
    assert_eq!(events_of(&result, "no-split-row").count(), 1);
}

#[test]
fn a_slow_server_gets_fast_again_when_the_last_slowness_ends() {
    let slow = |times, length| ClusterEvent::Slow {
        server: 1,
        times,
        length: SimDuration::from_millis(length),
    };
    let changes = ClusterChanges {
        events: Arc::new(vec![at(10, slow(3.0, 50)), at(40, slow(5.0, 100))]),
        ..ClusterChanges::default()
    };
    let result = crate::engine::run(&even(open(500.0), 4, 300, changes));
    let times: Vec<_> = events_of(&result, "slow")
        .map(|event| event.at_ms)
        .collect();
    assert_eq!(times, [10.0, 40.0, 140.0]);
}

#[test]
fn what_comes_too_late_does_not_cut_a_run_off() {
    let changes = ClusterChanges {
        events: Arc::new(vec![at(90_000, ClusterEvent::AddServers(1))]),
        ..balanced(Balancer::Stochastic(StochasticBalancer::default()), 300_000)
    };
    let run = even(open(500.0), 4, 300, changes);
    let mut simulation = Simulation::new(&run);
    simulation.work();
    assert!(simulation.tables.regions.get(0).serving != NONE);
    assert!(
        simulation.master.loads.due().is_none(),
        "nothing is sampled for a balancer that never runs"
    );
}
