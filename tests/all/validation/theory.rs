//! The engine against closed forms. Runs of a few seconds; `KEYHEAT_THEORY=full` asks for 20 replicates of two million
//! operations after a warm-up of 50,000 service times.

use super::closed_forms::{Expected, m_d_1, m_m_c, machine_repairman, slowest_gamma};
use super::figure::{Figure, hold};
use crate::configs::{
    closed, config, even_ids, newest, open, put, read, read_rate, schema, with_reads,
};
use keyheat::cluster::{LogSyncs, ServiceLaw};
use keyheat::engine::{self, SimConfig};
use keyheat::keyspace::RowKey;
use keyheat::metrics::{MetricId, RunResult};
use keyheat::random::Seed;
use keyheat::record::{DistributionShape, RecordGenerator};
use keyheat::time::{SimDuration, SimTime};
use keyheat::units::ByteSize;
use keyheat::workload::{LoadModel, Read, Think, Write, WriteKind};
use std::sync::{Arc, LazyLock};

/// Mean service time in seconds.
const SERVICE: f64 = 1e-3;

/// How much is simulated for a closed form.
struct Effort {
    replicates: u32,
    operations: f64,
    /// In mean service times.
    warmup: f64,
}

/// Whether much more is to be simulated than a test can.
pub fn full() -> bool {
    std::env::var("KEYHEAT_THEORY").is_ok_and(|value| value == "full")
}

fn effort(handlers: u32) -> Effort {
    if full() {
        Effort {
            replicates: 20,
            operations: 2e6,
            warmup: 50_000.0,
        }
    } else {
        // The relaxation time of M/M/c at 0.95 is below 1 / (c (1 - sqrt(rho))^2), 1,560 / c service times.
        Effort {
            replicates: 12,
            operations: 150_000.0,
            warmup: 20_000.0 / f64::from(handlers),
        }
    }
}

/// Mean over replicates and its standard error.
fn estimate(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// The mean of `values` may be four of its standard errors and the grain of its histogram away.
fn within_four_standard_errors(what: String, values: &[f64], expected: f64, grain: f64) -> Figure {
    let (measured, error) = estimate(values);
    Figure {
        what,
        expected,
        measured,
        allowed: 4.0 * error + grain,
    }
}

/// One server of `handlers` with one unlimited queue, no network, no WAL.
fn bare_server(
    handlers: u32,
    law: ServiceLaw,
    load: LoadModel,
    effort: &Effort,
    rate: f64,
    (seed, replicate): (u64, u32),
) -> SimConfig {
    let warmup = effort.warmup * SERVICE;
    let length = warmup + effort.operations / rate;
    let mut run = config(
        &schema(1_000, DistributionShape::Uniform),
        "be4(id)",
        vec![],
        vec![put(load)],
        length,
        seed,
    );
    let generator = RecordGenerator::new(run.generator.schema(), Seed(seed), replicate);
    run.generator = Arc::new(generator);
    run.warmup = SimTime::from_nanos((warmup * 1e9) as u64);
    run.sample = SimDuration::from_nanos(((length - warmup) * 0.1e9) as u64);
    run.cluster.servers = 1;
    run.cluster.handlers = handlers;
    run.cluster.call_queues = 1;
    run.cluster.call_queue_length = u32::MAX;
    run.cluster.network = SimDuration::ZERO;
    run.cluster.wal = None;
    run.cluster.service.distribution = law;
    run.cluster.service.put = SimDuration::from_nanos((SERVICE * 1e9) as u64);
    run
}

fn open_queue(
    name: &str,
    handlers: u32,
    law: ServiceLaw,
    theory: impl Fn(f64) -> Expected,
) -> Vec<Figure> {
    let mut figures = Vec::new();
    for rho in [0.5, 0.8, 0.95] {
        let effort = effort(handlers);
        let rate = rho * f64::from(handlers) / SERVICE;
        let (mut means, mut tails) = (Vec::new(), Vec::new());
        for replicate in 0..effort.replicates {
            let run = bare_server(handlers, law, open(rate), &effort, rate, (11, replicate));
            let response = engine::run(&run).writes.response.combined();
            means.push(response.mean().expect("operations").value / 1e9 / SERVICE);
            tails.push(response.quantile(0.99).expect("operations").value / 1e9 / SERVICE);
        }
        let expected = theory(rho);
        figures.push(within_four_standard_errors(
            format!("{name} at {rho}: mean"),
            &means,
            expected.mean,
            0.0,
        ));
        // The histogram keeps three digits: a value stands for up to 0.1 % less.
        figures.push(within_four_standard_errors(
            format!("{name} at {rho}: p99"),
            &tails,
            expected.p99,
            1e-3 * expected.p99,
        ));
    }
    figures
}

pub static M_M_1: LazyLock<Vec<Figure>> =
    LazyLock::new(|| open_queue("M/M/1", 1, ServiceLaw::Exponential, |rho| m_m_c(1, rho)));

#[test]
fn one_handler_with_exponential_service_is_m_m_1() {
    hold(&M_M_1);
}

pub static M_D_1: LazyLock<Vec<Figure>> =
    LazyLock::new(|| open_queue("M/D/1", 1, ServiceLaw::Constant, m_d_1));

#[test]
fn one_handler_with_constant_service_is_m_d_1() {
    hold(&M_D_1);
}

pub static M_M_30: LazyLock<Vec<Figure>> =
    LazyLock::new(|| open_queue("M/M/30", 30, ServiceLaw::Exponential, |rho| m_m_c(30, rho)));

#[test]
fn thirty_handlers_with_exponential_service_are_m_m_30() {
    hold(&M_M_30);
}

fn repairman() -> Vec<Figure> {
    let mut figures = Vec::new();
    for (clients, handlers, think) in [(20, 3, 4.0), (200, 30, 5.0), (7, 1, 10.0)] {
        let effort = effort(handlers);
        let expected = machine_repairman(clients, handlers, think);
        let mean = SimDuration::from_nanos((think * SERVICE * 1e9) as u64);
        let load = LoadModel::Closed {
            clients,
            think: Think::Exponential(mean),
            buffer: None,
            import: None,
        };
        let throughput: Vec<f64> = (0..effort.replicates)
            .map(|replicate| {
                let rate = expected / SERVICE;
                let run = bare_server(
                    handlers,
                    ServiceLaw::Exponential,
                    load.clone(),
                    &effort,
                    rate,
                    (12, replicate),
                );
                let result = engine::run(&run);
                result.metrics[MetricId::WriteThroughput].expect("a rate") * SERVICE
            })
            .collect();
        let name = format!("{clients} clients, {handlers} handlers");
        figures.push(within_four_standard_errors(
            name,
            &throughput,
            expected,
            0.0,
        ));
    }
    figures
}

pub static REPAIRMAN: LazyLock<Vec<Figure>> = LazyLock::new(repairman);

#[test]
fn a_closed_loop_with_exponential_think_times_is_the_machine_repairman() {
    hold(&REPAIRMAN);
}

/// Reads of a table of `salts` random salts, a region each, on eight servers that are nearly idle.
fn salted_reads(salts: u32, reads: Vec<Read>, reads_per_sec: f64) -> SimConfig {
    let splits = (1..salts).map(|salt| RowKey(vec![salt as u8])).collect();
    let key = format!("be1(random({salts})) || be8(ts) || be4(id)");
    // The p99 of n reads has a standard error of sqrt(0.01 * 0.99 / n) over the density, which is about 0.01 a mean service time for
    // a maximum of exponential ones: 0.03 of 100,000 reads, or 0.5 % of the least quantile asked for (6.0). Four are 2 %.
    let mut run = config(
        &schema(1_000, DistributionShape::Uniform),
        &key,
        splits,
        Vec::new(),
        100_000.0 / reads_per_sec,
        16,
    );
    run.warmup = SimTime::ZERO;
    run.cluster.handlers = 200;
    // Rows that a scan reads beyond the first would add to the law.
    run.cluster.service.scan_row = SimDuration::ZERO;
    run.cluster.network = SimDuration::from_nanos(250_000);
    with_reads(run, 1_000_000, &[], reads)
}

/// The p99 of the run's reads less the network, in units of `base`.
fn p99_of_reads(run: &SimConfig, result: &RunResult, base: SimDuration) -> f64 {
    assert_eq!(result.reads.counts.failed, 0);
    let p99 = result.reads.response.combined().quantile(0.99);
    let nanos = p99.expect("reads ended").value - 2.0 * run.cluster.network.as_nanos() as f64;
    nanos / base.as_nanos() as f64
}

fn fan_out() -> Vec<Figure> {
    let mut figures = Vec::new();
    for k in [4, 16, 64] {
        let reads = vec![newest(10, &[], read_rate(1_000.0))];
        let run = salted_reads(k, reads, 1_000.0);
        let result = engine::run(&run);
        let found = p99_of_reads(&run, &result, run.cluster.service.scan);
        // P(all of k are below t) = (1 - e^-t)^k = 0.99.
        let expected = -(1.0 - 0.99f64.powf(1.0 / f64::from(k))).ln();
        figures.push(Figure::within(
            format!("{k} scans: p99"),
            found,
            expected,
            0.02,
        ));
        let costs = [MetricId::Calls, MetricId::RowsRead]
            .map(|id| result.reads.each[0].metrics[id].unwrap());
        let (calls, rows) = (f64::from(k), 10.0 * f64::from(k));
        assert!(
            costs[0] == calls && (costs[1] / rows - 1.0).abs() < 1e-3,
            "{costs:?}"
        );
    }
    figures
}

pub static FAN_OUT: LazyLock<Vec<Figure>> = LazyLock::new(fan_out);

#[test]
fn a_fan_out_scan_is_as_slow_as_the_slowest_of_its_scans() {
    hold(&FAN_OUT);
}

fn multi_get() -> Vec<Figure> {
    let mut figures = Vec::new();
    for k in [4, 16, 64] {
        let reads = vec![read(&["ts", "id"], read_rate(1_000.0))];
        let run = salted_reads(k, reads, 1_000.0);
        let result = engine::run(&run);
        let found = p99_of_reads(&run, &result, run.cluster.service.get);
        let servers = k.min(8);
        let expected = slowest_gamma(servers, k / servers, 0.99);
        let what = format!("{k} Gets on {servers} servers: p99");
        figures.push(Figure::within(what, found, expected, 0.02));
    }
    figures
}

pub static MULTI_GET: LazyLock<Vec<Figure>> = LazyLock::new(multi_get);

#[test]
fn a_multi_get_is_as_slow_as_the_server_with_the_slowest_sum_of_gets() {
    hold(&MULTI_GET);
}

fn throughput(run: &SimConfig) -> f64 {
    engine::run(run).metrics[MetricId::WriteThroughput].expect("a rate")
}

/// The law of a closed loop: everybody waits for the hot server, so that all together get its capacity over its share.
fn hot_server() -> Vec<Figure> {
    let mut figures = Vec::new();
    for share in [0.25, 0.4, 0.9] {
        let mut weights = vec![(1.0 - share) / 7.0; 8];
        weights[5] = share;
        let schema = schema(8, DistributionShape::Weights(weights));
        let run = config(
            &schema,
            "be4(id) || be8(ts)",
            even_ids(8, 8),
            vec![put(closed(1_000))],
            6.0,
            13,
        );
        let capacity = throughput(&engine::saturating(&run, None));
        let found = throughput(&run);
        let what = format!("hot server with {share} of the writes: throughput / capacity");
        figures.push(Figure::within(what, found / capacity, 1.0 / share, 0.02));
    }
    figures
}

pub static HOT_SERVER: LazyLock<Vec<Figure>> = LazyLock::new(hot_server);

#[test]
fn one_hot_server_holds_back_a_thousand_clients() {
    hold(&HOT_SERVER);
}

/// Four salts on four regions of four servers give four times the throughput; k on eight give k / ceil(k / 8).
fn buckets() -> Vec<Figure> {
    let mut figures = Vec::new();
    let capacity = |buckets: u64, servers: u32| {
        let schema = schema(buckets, DistributionShape::Uniform);
        let splits = even_ids(buckets, buckets);
        let mut run = config(
            &schema,
            "be4(id) || be8(ts)",
            splits,
            vec![put(closed(1_600))],
            4.0,
            14,
        );
        run.cluster.servers = servers;
        throughput(&run)
    };
    let one = capacity(1, 8);
    for (buckets, servers, times) in [
        (4, 4, 4.0),
        (4, 8, 4.0),
        (8, 8, 8.0),
        (12, 8, 6.0),
        (16, 8, 8.0),
    ] {
        let found = capacity(buckets, servers) / one;
        let what = format!("{buckets} buckets on {servers} servers: times one server");
        figures.push(Figure::within(what, found, times, 0.03));
    }
    figures
}

pub static BUCKETS: LazyLock<Vec<Figure>> = LazyLock::new(buckets);

#[test]
fn equal_buckets_give_the_throughput_of_the_fullest_server() {
    hold(&BUCKETS);
}

/// HBase's published rates, which the default WAL is an estimate for.
fn group_commit() -> Vec<Figure> {
    let mut figures = Vec::new();
    for (value, published) in [(100, 20_000.0), (1_000, 10_000.0)] {
        let mut run = config(
            &schema(1_000, DistributionShape::Uniform),
            "be4(id) || be8(ts)",
            vec![],
            vec![put(open(1.0))],
            1.0,
            15,
        );
        run.table.value = ByteSize(value);
        run.workload = Arc::new((*run.workload).clone());
        let found = throughput(&engine::saturating(&run, None));
        let what = format!("values of {value} bytes: puts a second and server");
        // A put of 100 bytes waits for a log that is writing another one for at most 14 us of its 1.5 ms. One of 1,000 bytes takes
        // 1,034 bytes of 10 MiB a second: 10,141 puts.
        figures.push(Figure::within(what, found, published, 0.02));
    }
    figures
}

pub static GROUP_COMMIT: LazyLock<Vec<Figure>> = LazyLock::new(group_commit);

#[test]
fn group_commit_gives_about_the_published_rates() {
    hold(&GROUP_COMMIT);
}

/// One server of 30 handlers, a put of 0.1 ms, a log sync of 10 ms, 0.1 ms of network: what HBase 2.6.1 was measured with.
fn slow_log(clients: u32, kind: WriteKind, syncs: LogSyncs) -> RunResult {
    let write = Write {
        kind,
        ..put(closed(clients))
    };
    let ids = if kind == WriteKind::Increment {
        1
    } else {
        1_000
    };
    let schema = schema(ids, DistributionShape::Uniform);
    let mut run = config(&schema, "be4(id)", vec![], vec![write], 11.0, 16);
    run.warmup = SimTime::from_nanos(1_000_000_000);
    let cluster = &mut run.cluster;
    (cluster.servers, cluster.handlers) = (1, 30);
    cluster.network = SimDuration::from_nanos(100_000);
    cluster.service.put = SimDuration::from_nanos(100_000);
    let wal = cluster.wal.as_mut().expect("a log");
    (wal.sync, wal.syncs) = (SimDuration::from_millis(10), syncs);
    engine::run(&run)
}

/// Each handler is held for 10.1 ms while syncs are pipelined, and for two syncs while one is sent at a time: half of the handlers wait for
/// the one under way, the others for the next.
fn log_syncs() -> Vec<Figure> {
    use LogSyncs::{Pipelined, Single};
    use WriteKind::{Increment, Put};
    let mut figures = Vec::new();
    for (clients, kind, syncs, per_sec) in [
        (60, Put, Pipelined, 30.0 / 10.1e-3),
        (60, Put, Single, 30.0 / 20e-3),
        // A put and its sync, and the network there and back.
        (1, Put, Pipelined, 1.0 / 10.3e-3),
        // The row is held over the sync.
        (8, Increment, Pipelined, 1.0 / 10.1e-3),
    ] {
        let result = slow_log(clients, kind, syncs);
        let found = result.metrics[MetricId::WriteThroughput].expect("a rate");
        let what = format!("{clients} clients, {kind:?}, {syncs:?}: operations a second");
        // Edits of 120 bytes are written in 11 us, 0.1 % of 10.1 ms; in the window of 10 s one operation more or less is 0.1 % of 970, and the
        // mean of as many exponential times of 0.1 ms is within 4 / sqrt(970) x 0.1 / 10.3 = 0.1 %. A handler whose queue is empty idles until a
        // client has its reply and calls again, 0.2 ms: up to 2 %.
        let idle = if clients == 60 { 0.02 } else { 0.0 };
        figures.push(Figure::within(what, found, per_sec, 0.004 + idle));
        if clients == 60 {
            let p50 = result.writes.response.combined().quantile(0.5);
            let what = format!("60 clients, {syncs:?}: p50 in ms");
            let p50 = p50.expect("operations").value / 1e6;
            // Half of the calls wait while the other half is held: two turns. One turn more or less would be half of it.
            figures.push(Figure::within(what, p50, 60e3 / per_sec, 0.1));
        }
    }
    figures
}

pub static LOG_SYNCS: LazyLock<Vec<Figure>> = LazyLock::new(log_syncs);

#[test]
fn a_log_sync_is_a_delay_unless_one_is_sent_at_a_time() {
    hold(&LOG_SYNCS);
}
