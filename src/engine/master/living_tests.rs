//! What must hold whenever regions divide, merge and move, and servers die, join and slow down: for random runs, looked at where they end.

use crate::client::ClientSpec;
use crate::cluster::{ClusterEvent, CrashTarget, TimedEvent};
use crate::cluster::{ClusterSpec, Placement, TableSpec};
use crate::engine::numbers::NONE;
use crate::engine::one_field_fixture as one_field;
use crate::engine::simulation::Simulation;
use crate::engine::{ClosedLoops, ClusterChanges, SimConfig};
use crate::keyspace::RowKey;
use crate::policy::NormalizerSpec;
use crate::policy::balance::{Balancer, LoadBalancer, SimpleBalancer};
use crate::policy::{NormalizerRules, RegionPolicies, SplitPolicy};
use crate::random::Seed;
use crate::record::{Distribution, DistributionShape, Field, FieldKind, RecordGenerator};
use crate::time::{SimDuration, SimTime};
use crate::units::{Bandwidth, ByteSize, PerSecond};
use crate::workload::{Arrivals, LoadModel, Population, Think, Workload, Write, WriteKind};
use proptest::prelude::*;
use std::sync::Arc;

const IDS: u64 = 5_000;
/// Of a row under a two-byte key: 20 + 2 + 1 + 1 + 100.
const ROW_BYTES: u64 = 124;
/// And in a memstore: 72 more, rounded up to 8.
const ROW_HEAP: u64 = 200;

pub fn millis(millis: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(millis)
}

/// Two-byte keys, memstores of some hundred rows, regions of some thousand.
fn config(writes: Vec<Write>, length: u64, seed: u64, changes: ClusterChanges) -> SimConfig {
    let ids = FieldKind::Int {
        first: 0,
        count: IDS,
    };
    config_of(ids, "be2(id)", writes, length, seed, changes)
}

/// The same for other ids, under another key.
pub fn config_of(
    ids: FieldKind,
    key: &str,
    writes: Vec<Write>,
    length: u64,
    seed: u64,
    changes: ClusterChanges,
) -> SimConfig {
    let law = Distribution {
        shape: DistributionShape::Zipf { exponent: 0.7 },
        top: Vec::new(),
        ranked: true,
    };
    let schema = one_field::schema(Field {
        law,
        ..Field::new("id", ids)
    });
    let duration = SimDuration::from_millis(length);
    let workload = Workload {
        start: one_field::START,
        duration,
        writes,
        existing: Vec::new(),
        reads: Vec::new(),
        closed_loops: crate::workload::ClosedLoopLimits::default(),
        kept_for: None,
    };
    let generator = Arc::new(RecordGenerator::new(&schema, Seed(seed), 0));
    let population = Population::new(&workload, &generator);
    SimConfig {
        warmup: SimTime::ZERO,
        duration: SimTime::ZERO + duration,
        sample: SimDuration::from_millis(10),
        workload: Arc::new(workload),
        generator,
        key: one_field::compiled(key, &schema),
        split_points: Arc::new(vec![RowKey(vec![4, 0]), RowKey(vec![9])]),
        key_buckets: Arc::default(),
        mapped_table: 0,
        written: Arc::default(),
        cells: Arc::default(),
        copies: Arc::default(),
        reads: Arc::default(),
        population: Arc::new(population),
        cluster: ClusterSpec {
            servers: 3,
            handlers: 8,
            heap: ByteSize(1 << 20),
            split_offline: SimDuration::from_millis(4),
            move_offline: SimDuration::from_millis(3),
            failure_detection: SimDuration::from_millis(15),
            ..ClusterSpec::default()
        },
        table: TableSpec {
            max_file_size: ByteSize(60_000),
            memstore_flush_size: ByteSize(20_000),
            memstore_block_multiplier: 2,
            // So that it can be said which server holds what.
            placement: Placement::InOrder,
            ..TableSpec::default()
        },
        client: ClientSpec {
            processes: 3,
            pause: SimDuration::from_millis(1),
            ..ClientSpec::default()
        },
        closed: ClosedLoops::default(),
        changes,
        batch: 64,
    }
}

fn write() -> impl Strategy<Value = Write> {
    let open = (500.0..30_000.0f64).prop_map(|rate| LoadModel::Open {
        rate: PerSecond(rate),
        arrivals: Arrivals::Poisson,
        profile: Vec::new(),
        import: None,
    });
    let buffer = prop_oneof![
        Just(None),
        (1_000u64..40_000).prop_map(|bytes| Some(ByteSize(bytes)))
    ];
    let closed = (1u32..40, buffer).prop_map(|(clients, buffer)| LoadModel::Closed {
        clients,
        think: Think::Constant(SimDuration::ZERO),
        buffer,
        import: None,
    });
    let kind = prop_oneof![4 => Just(WriteKind::Put), 1 => Just(WriteKind::Increment)];
    (prop_oneof![open, closed], kind).prop_map(|(load, kind)| Write {
        name: "w".into(),
        kind,
        load,
        with: Vec::new(),
        most_per_sec: f64::INFINITY,
    })
}

fn event() -> impl Strategy<Value = TimedEvent> {
    let row = prop::collection::vec(any::<u8>(), 1..3).prop_map(RowKey);
    let event = prop_oneof![
        Just(ClusterEvent::Crash(CrashTarget::Hottest)),
        (0u32..4).prop_map(|server| ClusterEvent::Crash(CrashTarget::Server(server))),
        (0u32..3, 0.5..9.0f64).prop_map(|(server, times)| ClusterEvent::Slow {
            server,
            times,
            length: SimDuration::from_millis(20),
        }),
        (1u32..3).prop_map(ClusterEvent::AddServers),
        prop::collection::vec(row, 1..3).prop_map(|rows| ClusterEvent::Split(rows.into())),
    ];
    (1u64..120, event).prop_map(|(at, event)| TimedEvent {
        at: millis(at),
        event,
    })
}

fn changes() -> impl Strategy<Value = ClusterChanges> {
    let policy = prop_oneof![
        3 => Just(SplitPolicy::ConstantSize),
        2 => Just(SplitPolicy::Stepping),
        1 => Just(SplitPolicy::Disabled),
    ];
    let balancer = prop_oneof![
        Just(Balancer::None),
        Just(Balancer::Simple(SimpleBalancer { slop: 0.2 })),
        Just(Balancer::Load(LoadBalancer::default())),
    ];
    let normalizer = prop::option::weighted(0.3, 1u64..20).prop_map(|target| {
        target.map(|count| NormalizerSpec {
            rules: NormalizerRules {
                target_count: Some(count),
                merge_min_age: SimDuration::ZERO,
                merge_min_mb: 0,
                ..NormalizerRules::default()
            },
            period: SimDuration::from_millis(17),
        })
    });
    let events = prop::collection::vec(event(), 0..4);
    (policy, balancer, normalizer, events).prop_map(
        |(split_policy, balancer, normalizer, mut events)| {
            events.sort_by_key(|timed| timed.at);
            ClusterChanges {
                policies: RegionPolicies {
                    split_policy,
                    normalizer,
                    balancer,
                    balancer_period: SimDuration::from_millis(23),
                    ..RegionPolicies::none()
                },
                events: Arc::new(events),
                ..ClusterChanges::default()
            }
        },
    )
}

fn run() -> impl Strategy<Value = SimConfig> {
    let shape = (
        prop::collection::vec(write(), 1..3),
        10u64..150,
        0u64..1_000,
        changes(),
    );
    let cluster = (prop::bool::weighted(0.8), 1u32..30, 0u32..12);
    (shape, cluster).prop_map(|((mut writes, length, seed, changes), cluster)| {
        for (at, write) in writes.iter_mut().enumerate() {
            write.name = format!("w{at}");
        }
        let mut run = config(writes, length, seed, changes);
        let (wal, queue, retries) = cluster;
        if wal {
            run.cluster.wal.as_mut().expect("a log").bandwidth = Bandwidth(3e6);
        } else {
            run.cluster.wal = None;
        }
        run.cluster.call_queue_length = queue;
        run.client.retries = retries;
        run
    })
}

/// Regions tile the key space; those that are open are on live servers, and others of the table are gone.
pub fn regions_are_sound(simulation: &Simulation<'_>) {
    let regions = simulation.tables.in_key_order(0);
    let mut border = RowKey::default();
    for (at, &region) in regions.iter().enumerate() {
        let (start, end) = simulation.tables.range(region);
        assert_eq!(start, border, "no gap, no overlap");
        assert_eq!(end.0.is_empty(), at + 1 == regions.len());
        border = end;
        let state = simulation.tables.regions.get(region);
        assert!(!simulation.tables.regions.is_gone(region));
        assert!(
            state.serving == NONE || simulation.servers.is_alive(state.serving),
            "region {region} is open on {}",
            state.serving
        );
        assert!(state.writable == NONE || state.writable == state.serving);
    }
    for region in (0..simulation.tables.regions.len()).filter(|region| !regions.contains(region)) {
        assert!(simulation.tables.regions.is_gone(region));
    }
}

/// Bytes in files, and those of the rows in memstores (or snapshots), of all regions.
fn stored(simulation: &Simulation<'_>) -> u64 {
    let regions = 0..simulation.tables.regions.len();
    let sizes = regions.map(|region| simulation.stores.bytes(region));
    sizes
        .map(|(files, heap)| files + heap / ROW_HEAP * ROW_BYTES)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_changes_operations_are_conserved_and_regions_tile_the_key_space(run in run()) {
        let mut simulation = Simulation::new(&run);
        simulation.work();
        regions_are_sound(&simulation);
        let keys = u64::from(simulation.tables.keys.in_use());
        let stored = stored(&simulation);
        let died = (simulation.servers.live().len() as u32) < simulation.servers.count();
        let result = simulation.finish();
        let counts = result.writes.counts;
        prop_assert_eq!(counts.offered, counts.completed + counts.failed + counts.in_flight);
        prop_assert!(keys <= counts.in_flight, "{} keys are kept for {:?}", keys, counts);
        // Rows that are written and have no reply yet are in flight or failed. Bytes of a divided file are rounded.
        if !died {
            prop_assert!(
                stored + 100 >= counts.completed * ROW_BYTES && stored <= counts.offered * ROW_BYTES,
                "{} bytes for {:?}", stored, counts
            );
        }
    }

    #[test]
    fn how_many_operations_are_made_together_changes_nothing_in_a_living_cluster(run in run(), batch in 1usize..700) {
        let other = SimConfig { batch, ..run.clone() };
        let (one, other) = (crate::engine::run(&run), crate::engine::run(&other));
        prop_assert_eq!(one.writes.counts, other.writes.counts);
        prop_assert_eq!(one.metrics, other.metrics);
    }
}
