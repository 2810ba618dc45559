//! What an experiment takes before it is run: memory, time, and the setting that makes it large. Must not know the machine.
//!
//! Operations, attempts of refused calls, and counters are estimated from the scenario and the predicted shares of the regions, and each costs a
//! constant. Three things are timed, because scenarios differ by a factor of ten and more in them: to draw a record and write its key, to find what a
//! read asks for and how many rows it will meet, and to lay a strategy out. The constants were measured on a release build on one thread (user time and
//! resident size of scenarios that differ in one thing each, 2 replicates); they hold within a factor of two on the machine that they were measured on.

use super::experiment_runs::{TYPICAL_RUNS, has_capacity};
use crate::client::attempts;
use crate::cluster::{idle_put, server_capacity_per_second};
use crate::engine::{MOST_DRAWN, locks_rows, saturating_rows, scanner_rows};
use crate::keyspace::{KeyBatch, KeyRange};
use crate::layout::{Layout, ReadForecast, Replicate};
use crate::query::{AccessPlan, Requests};
use crate::random::{DrawKey, Seed, Stream};
use crate::scenario::{Knee, Scenario, Setup, Strategy, TimeSpec, VariedLoad};
use crate::text::{counted, verb};
use crate::workload::{
    Choice, LoadModel, OperationBatch, ReadBatch, ReadId, ReadLoadModel, RowCounter, RunSample,
};
use std::sync::Arc;

/// Nanoseconds of a write that a server serves, its record and key apart: timed, routed, served, counted.
const SERVED_NS: f64 = 100.0;
/// Operations whose records and keys are timed.
const TIMED_OPERATIONS: usize = 1_024;
/// Gets that show how many of a read's one row has: a share of a tenth is then known to a tenth of it (sqrt(0.1 x 0.9 / 1,024)).
const GETS: usize = 1_024;
/// Nanoseconds of an attempt that a server refuses, until its client has learnt of it.
const REFUSED_NS: f64 = 130.0;
/// Nanoseconds of a row that waits in a write buffer and goes in a call of many, its record and key apart.
const BUFFERED_ROW_NS: f64 = 40.0;
/// Numbers of rows of the reads whose targets and requests are timed, about; and such reads at least.
const TIMED_COUNTS: f64 = 64.0;
const LEAST_TIMED: f64 = 2.0;
/// Nanoseconds of a read, its target and requests apart, and of each of its calls; of a row of a copy and of a neighbour's operation, which are served
/// by the same code.
const READ_NS: f64 = 500.0;
const PART_NS: f64 = 250.0;
/// Nanoseconds of a client in each run, its operations apart: many clients don't fit the processor's caches.
const CLIENT_NS: f64 = 800.0;
/// Nanoseconds of a region in each run, and in each interval of it.
const REGION_NS: f64 = 800.0;
const REGION_INTERVAL_NS: f64 = 10.0;
/// Nanoseconds of a server's counters of an interval.
const CELL_NS: f64 = 45.0;
/// What the layout of a further replicate takes of the first one's: lints, key buckets and the map's labels are the first one's.
const FURTHER_LAYOUT: f64 = 0.7;
/// Nanoseconds of the views of a scenario and of each strategy.
const VIEWS_NS: f64 = 60e6;

/// Bytes of the program itself, and of what each thread lays out, weighs and draws beside its run.
const BASE_BYTES: f64 = 20e6;
const VIEW_BYTES: f64 = 40e6;
/// What advice leaves of a limit: two processes of the same work differ by so much.
const MARGIN: f64 = 0.95;
/// Bytes of an open-loop operation in flight, its place in a queue included.
const IN_FLIGHT_BYTES: f64 = 170.0;
/// Bytes of a client with its operation, and of a row that fits its write buffer.
const CLIENT_BYTES: f64 = 260.0;
const BUFFERED_ROW_BYTES: f64 = 64.0;
/// What a row takes of a write buffer beside its bytes (HBase's mutations, roughly).
const BUFFERED_HEAP: f64 = 300.0;
/// Bytes of the counters of a server in an interval, and of the region's in a run; of a region that all runs share.
const CELL_BYTES: f64 = 56.0;
const REGION_BYTES: f64 = 120.0;
const SHARED_REGION_BYTES: f64 = 200.0;

/// After so many rounds what attempts make of their own chance changes it no more, but where servers have hardly too much to do (measured: a key that
/// rises, at 1.2 and 2.4 times what a server can do, has 2.8 and 2.9 refusals before each row that is written).
const ROUNDS: usize = 10;

/// Clients of a handler of a saturating run (see [`crate::engine::saturating`]).
const SATURATING_CLIENTS: f64 = 10.0;

/// The first replicates of all strategies at the first point of a sweep, and their layouts.
#[derive(Debug)]
pub struct FirstLayouts {
    replicates: Vec<Arc<Replicate>>,
    /// In the order of the strategies.
    pub layouts: Vec<Layout>,
    /// Nanoseconds that each layout took.
    nanos: Vec<f64>,
}

impl FirstLayouts {
    /// Lays all strategies out; `clock` tells nanoseconds since any moment.
    pub fn of(scenario: &Scenario, clock: impl Fn() -> f64 + Sync) -> Self {
        let timed = Replicate::firsts(&scenario.strategies, scenario.seed, |strategy, first| {
            let start = clock();
            let layout = Layout::with_sample(strategy, first, (Layout::SAMPLE, GETS));
            (Arc::clone(first), (layout, clock() - start))
        });
        let (replicates, timed): (_, Vec<(Layout, f64)>) = timed.into_iter().unzip();
        let (layouts, nanos) = timed.into_iter().unzip();
        Self {
            replicates,
            layouts,
            nanos,
        }
    }
}

/// What an experiment takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Runs, those of a bisection for a knee by their typical number.
    pub runs: u64,
    /// Runs that are made at a time.
    pub threads: usize,
    /// Processor time of all runs in seconds.
    cpu_secs: f64,
    /// Bytes that all runs share.
    shared_bytes: f64,
    /// Bytes of the largest run, by what takes them.
    parts: Parts,
    /// Simulated seconds of each run.
    duration: f64,
    /// Seconds of an interval.
    sample: f64,
}

/// What takes the memory of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Intervals,
    InFlight,
    Clients,
    Buffers,
    Regions,
}

type Parts = [(Part, f64); 5];

/// What one run takes.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    nanos: f64,
    intervals: f64,
    in_flight: f64,
    clients: f64,
    buffers: f64,
    regions: f64,
}

impl Run {
    fn bytes(&self) -> Parts {
        [
            (Part::Intervals, self.intervals * CELL_BYTES),
            (Part::InFlight, self.in_flight * IN_FLIGHT_BYTES),
            (Part::Clients, self.clients * CLIENT_BYTES),
            (Part::Buffers, self.buffers * BUFFERED_ROW_BYTES),
            (Part::Regions, self.regions * REGION_BYTES),
        ]
    }
}

fn sum(parts: &Parts) -> f64 {
    parts.iter().map(|(_, bytes)| bytes).sum()
}

impl Forecast {
    /// That of a scenario with these first layouts, on so many threads at most; `clock` tells nanoseconds since any moment.
    pub fn of(
        scenario: &Scenario,
        first: &FirstLayouts,
        threads: usize,
        clock: impl Fn() -> f64,
    ) -> Self {
        let time = &scenario.time;
        let replicates = u64::from(scenario.replicates);
        let strategies = scenario.strategies_at(0).iter().enumerate();
        let timed: Vec<Timed> = strategies
            .map(|(at, strategy)| Timed {
                row: row_nanos(strategy, scenario.seed, &clock),
                reads: read_nanos(strategy, &first.replicates[at], &first.layouts[at], &clock),
            })
            .collect();
        let further = (replicates - 1) as f64 * FURTHER_LAYOUT;
        let layouts = first.nanos.iter().sum::<f64>() * (1.0 + further);
        let mut found = Self {
            runs: 0,
            threads: 0,
            cpu_secs: (VIEWS_NS + layouts * scenario.point_count() as f64) / 1e9,
            shared_bytes: BASE_BYTES,
            parts: Run::default().bytes(),
            duration: time.duration.as_secs_f64(),
            sample: time.sample.as_secs_f64(),
        };
        let mut jobs = 0;
        for point in 0..scenario.point_count() {
            let strategies = scenario.strategies_at(point);
            for ((strategy, layout), timed) in strategies.iter().zip(&first.layouts).zip(&timed) {
                let load = Load::new(strategy, layout, timed, time);
                let saturating = || (saturating(strategy, timed.row, time), 1, 1);
                let probes = |knee: &Knee| {
                    let probe = load.run(Some((knee.load, knee.to.0)));
                    (probe, replicates, TYPICAL_RUNS)
                };
                // Each kind of run with the number of its jobs, and of the runs of a job.
                let kinds = [
                    Some((load.run(None), replicates, 1)),
                    has_capacity(strategy).then(saturating),
                    strategy.setup.knee.as_ref().map(probes),
                ];
                for (run, of_kind, each) in kinds.into_iter().flatten() {
                    jobs += of_kind;
                    found.runs += of_kind * each;
                    found.cpu_secs += run.nanos * (of_kind * each) as f64 / 1e9;
                    if sum(&run.bytes()) > sum(&found.parts) {
                        found.parts = run.bytes();
                    }
                }
                found.cpu_secs += VIEWS_NS / 1e9;
                found.shared_bytes += layout.regions.len() as f64 * SHARED_REGION_BYTES;
            }
        }
        let jobs = usize::try_from(jobs).unwrap_or(usize::MAX);
        found.threads = threads.min(jobs).max(1);
        found.shared_bytes += VIEW_BYTES * found.threads as f64;
        found
    }

    /// The same for a process that has had so many bytes already when it had made the first layouts, which every run needs as well.
    pub fn beside(mut self, bytes: f64) -> Self {
        self.shared_bytes += (bytes - BASE_BYTES).max(0.0);
        self
    }

    /// Bytes at a time.
    pub fn bytes(&self) -> f64 {
        self.shared_bytes + self.threads as f64 * sum(&self.parts)
    }

    /// Seconds on a clock, as long as there is a processor for each thread.
    pub fn secs(&self) -> f64 {
        self.cpu_secs / self.threads as f64
    }

    /// What makes it take so much memory, and what would fit `most` bytes.
    pub fn less_memory(&self, most: f64) -> String {
        let all = sum(&self.parts);
        let room = MARGIN * most - self.shared_bytes;
        if self.threads > 1 && all < room {
            let threads = (room / all) as usize;
            return format!("with `--threads {}` it would fit", threads.max(1));
        }
        let largest = self.parts.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let (part, bytes) = largest.copied().unwrap_or((Part::Regions, 0.0));
        // What the others take stays; half of the room where they leave none.
        let left = (room / self.threads as f64 - (all - bytes)).max(room.max(0.0) / 2.0);
        let factor = bytes / left.max(1.0);
        let count = |bytes_of_each: f64| bytes / bytes_of_each / factor;
        match part {
            Part::Intervals => {
                let sample = rounded(self.sample * factor, f64::ceil, (1e3, "ms"));
                format!("intervals x servers take most: `time.sample` = \"{sample}\" would fit")
            }
            Part::InFlight => {
                let most = count(IN_FLIGHT_BYTES) as u64;
                format!("operations in flight take most: `client.max_in_flight` = {most} would fit")
            }
            Part::Clients => {
                let fit = count(CLIENT_BYTES);
                format!("clients take most: {fit:.0} of them would fit")
            }
            Part::Buffers => {
                format!("write buffers take most: a `buffer` {factor:.0} times smaller would fit")
            }
            Part::Regions => {
                let fit = count(REGION_BYTES);
                format!("regions take most: {fit:.0} of them would fit")
            }
        }
    }

    /// What makes it take so much time, and what would fit `most` seconds.
    pub fn less_time(&self, most: f64) -> String {
        let factor = self.secs() / most.max(1e-3);
        let long = rounded(self.duration, f64::ceil, (1e3, "ms"));
        let shorter = rounded(self.duration / factor, f64::floor, (1e6, "us"));
        let runs = counted(self.runs, "run");
        let take = verb(self.runs as usize, ["takes", "take"]);
        format!(
            "{runs} of {long} each {take} it: `time.duration` = \"{shorter}\" would fit, or fewer `replicates` and a lower rate"
        )
    }
}

/// A length that TOML takes, rounded up or down: in minutes, in seconds, or in such a part of one of which there are so many.
fn rounded(secs: f64, round: fn(f64) -> f64, (parts, part): (f64, &str)) -> String {
    match secs {
        s if s < 1.0 => format!("{:.0}{part}", round(s * parts).max(1.0)),
        s if s < 600.0 => format!("{:.0}s", round(s)),
        s => format!("{:.0}m", round(s / 60.0)),
    }
}

/// What was timed of a strategy, in nanoseconds.
struct Timed {
    /// To draw a record and write its key.
    row: f64,
    /// To draw the target of each read, in the workload's order, and find what it asks for.
    reads: Vec<f64>,
}

/// Nanoseconds of drawing a record and writing its key, copies included: timed here, the lesser of two passes.
fn row_nanos(strategy: &Strategy, seed: Seed, clock: impl Fn() -> f64) -> f64 {
    let setup = &strategy.setup;
    let generator = setup.generator(seed, 0);
    let pass = || {
        let (mut batch, mut keys) = (OperationBatch::default(), KeyBatch::default());
        let start = clock();
        RunSample::take(
            &setup.workload,
            &generator,
            (TIMED_OPERATIONS, Choice::Spread),
            &mut batch,
        );
        let draws = DrawKey::new(seed, 0, Stream::Keys, 0);
        for key in strategy.keys() {
            let (operations, indices) = (&batch.operations, &batch.indices);
            key.write_batch(&batch.records, operations, indices, draws, &mut keys);
        }
        (clock() - start) / batch.operations.len().max(1) as f64
    };
    pass().min(pass())
}

/// Nanoseconds of drawing a target of each read, finding what it asks for and counting the rows that it will meet: timed here, the lesser of two passes over
/// different targets, since what a read has found serves those that ask alike.
fn read_nanos(
    strategy: &Strategy,
    replicate: &Replicate,
    layout: &Layout,
    clock: impl Fn() -> f64,
) -> Vec<f64> {
    let workload = &strategy.setup.workload;
    let width = replicate.generator.width();
    // As a run counts.
    let (mut requests, counter) = (Requests::default(), RowCounter::new(&replicate.population));
    let mut pass = |read: ReadId, (plan, counts): (&AccessPlan, f64), parity: u64| {
        let mut batch = ReadBatch::default();
        let start = clock();
        let reads = (TIMED_COUNTS / counts).max(LEAST_TIMED) as usize;
        let numbers = (0..reads as u64).map(|number| 2 * number + parity);
        replicate.with_reads(workload, |source| {
            source.sample_of(read, numbers, 2 * reads, &mut batch);
        });
        for at in 0..batch.operations.len() {
            let target = batch.target(at, width);
            plan.requests(&target, &counter, &mut requests);
        }
        (clock() - start) / reads as f64
    };
    let nanos = |(at, forecast): (usize, &ReadForecast)| {
        let read = ReadId(at as u8);
        let asked = (&*forecast.planned.plan, forecast.counts);
        pass(read, asked, 0).min(pass(read, asked, 1))
    };
    layout.reads.iter().enumerate().map(nanos).collect()
}

/// What a strategy's runs are asked for.
struct Load<'a> {
    strategy: &'a Strategy,
    setup: &'a Setup,
    layout: &'a Layout,
    timed: &'a Timed,
    /// Of a run, and of an interval.
    secs: f64,
    sample: f64,
    /// The greatest share of the rows that one server gets at a time.
    share: f64,
    /// Rows a second that the cluster takes when one server gets that share of them.
    limit: f64,
}

/// The load that a bisection varies, and the greatest that it tries.
type Varied = Option<(VariedLoad, f64)>;

impl<'a> Load<'a> {
    fn new(strategy: &'a Strategy, layout: &'a Layout, timed: &'a Timed, time: &TimeSpec) -> Self {
        let setup = &*strategy.setup;
        let share = greatest_share(strategy, layout);
        let of_server = server_capacity_per_second(&setup.cluster, &setup.table);
        Self {
            strategy,
            setup,
            layout,
            timed,
            secs: time.duration.as_secs_f64(),
            sample: time.sample.as_secs_f64(),
            share,
            limit: of_server / strategy.rows_per_write() / share,
        }
    }

    /// One replicate, or one run of a bisection: with the varied load at what the servers can do, or at the greatest that is tried.
    fn run(&self, varied: Varied) -> Run {
        let regions = self.layout.regions.len() as f64;
        let intervals = (self.secs / self.sample).max(1.0);
        let cells = intervals * f64::from(self.setup.cluster.servers);
        let mut run = Run {
            nanos: cells * CELL_NS + regions * (REGION_NS + intervals * REGION_INTERVAL_NS),
            intervals: cells,
            regions,
            ..Run::default()
        };
        let written = self.writes(&mut run, varied);
        let read = self.reads(&mut run, varied);
        // Reads and writes share the handlers of the busiest server: what it is asked for beyond one server's work goes unserved, of both alike.
        let busy = written / (self.limit * self.secs) + read.busy;
        let unserved = 1.0 - 1.0 / busy.max(1.0);
        // With copies each row goes as a part of its own.
        let attempt = match self.strategy.copies.is_empty() {
            true => REFUSED_NS,
            false => PART_NS,
        };
        self.refusals(&mut run, written, unserved, attempt);
        self.refusals(&mut run, read.issued, unserved, PART_NS);
        run.nanos += read.calls * (1.0 - unserved) * PART_NS;
        let rates = self.setup.changes.neighbours.iter();
        let others: f64 = rates.map(|one| one.write_rate + one.read_rate).sum();
        run.nanos += others * self.secs * PART_NS + run.clients * CLIENT_NS;
        run
    }

    /// Attempts of operations of which a share goes unserved: who is refused waits for its next attempt, fails at its deadline, or at once beyond
    /// the limit of operations in flight; those that are served then have met refusals before.
    fn refusals(&self, run: &mut Run, operations: f64, unserved: f64, attempt_nanos: f64) {
        let (client, secs) = (&self.setup.client, self.secs);
        let age = secs.min(client.deadline.as_secs_f64());
        let in_flight = operations * unserved * age / secs.max(1e-9);
        let in_flight = in_flight.min(client.max_in_flight as f64);
        let tries = attempts(client, self.setup.cluster.network, age / 2.0);
        let refused = in_flight * (secs / age.max(1e-9)) * tries;
        let served = operations * (1.0 - unserved);
        let tries = attempts(client, self.setup.cluster.network, age);
        let contested = served * refusals_before(refused / served.max(1.0), tries);
        run.in_flight += in_flight;
        run.nanos += (refused + contested) * attempt_nanos;
    }

    /// Operations of the open loops, and of the closed ones that send rows singly; time of all writes but that of refused attempts.
    fn writes(&self, run: &mut Run, varied: Varied) -> f64 {
        let (setup, secs, row_nanos) = (self.setup, self.secs, self.timed.row);
        let cluster = &setup.cluster;
        let copies = self.strategy.copies.len() as f64;
        let mut offered = 0.0;
        for (at, write) in setup.workload.writes.iter().enumerate() {
            let operations = match varied {
                Some((load, most)) if load == VariedLoad::Write(at) => most.min(self.limit) * secs,
                _ => setup.workload.estimated_operations(write, &setup.schema),
            };
            let LoadModel::Closed {
                clients,
                think,
                buffer,
                import,
            } = &write.load
            else {
                offered += operations;
                continue;
            };
            let rows = import.as_ref().map_or(f64::INFINITY, |_| operations);
            let clients = f64::from(*clients);
            run.clients += clients;
            if let Some(buffer) = buffer {
                let row = row_bytes(setup);
                let bandwidth = cluster.wal.as_ref().map_or(1e9, |wal| wal.bandwidth.0);
                let most = bandwidth / row / self.share * secs;
                let thought = clients * secs / think.mean().as_secs_f64().max(1e-9);
                run.buffers += clients * buffer.0 as f64 / (row + BUFFERED_HEAP);
                let each = (copies + 1.0) * BUFFERED_ROW_NS + row_nanos;
                run.nanos += most.min(thought).min(rows) * each;
                continue;
            }
            let most = clients * secs / (think.mean() + idle_put(cluster)).as_secs_f64().max(1e-6);
            offered += most.min(rows).min(self.limit * secs);
            let queued = f64::from(cluster.call_queues) * f64::from(cluster.call_queue_length);
            let room = (f64::from(cluster.handlers) + queued) / self.share;
            let waiting = (clients - room).max(0.0);
            run.nanos += waiting * attempts(&setup.client, cluster.network, secs) * REFUSED_NS;
        }
        let parts = if copies > 0.0 { copies + 1.0 } else { 0.0 };
        run.nanos += offered * (SERVED_NS + row_nanos + parts * PART_NS);
        offered
    }

    /// What the reads ask for; the time that they take but for that of their calls.
    fn reads(&self, run: &mut Run, varied: Varied) -> ReadLoad {
        let (layout, cluster) = (self.layout, &self.setup.cluster);
        let service = &cluster.service;
        let base = service.get.max(service.scan).as_secs_f64();
        let servers = f64::from(cluster.servers);
        let mut load = ReadLoad::default();
        let forecasts = layout.reads.iter().zip(&self.timed.reads);
        let reads = self.setup.workload.reads.iter().zip(forecasts).enumerate();
        for (at, (read, (forecast, nanos))) in reads {
            let rows = forecast.rows_read;
            let cells = forecast.cells_read.max(forecast.rows_read);
            let batch = scanner_rows(cells / rows.max(1.0) * forecast.planned.cell_bytes);
            let calls = forecast.requests.max(forecast.regions) + rows / batch as f64;
            let work = base * calls
                + rows * service.scan_row.as_secs_f64()
                + (cells - rows) * service.scan_cell.as_secs_f64()
                + forecast.planned.plan.expected.seconds_of_seeks;
            let hottest_row = forecast.hot_rows.first().map_or(0.0, |&(_, share)| share);
            let even = 1.0 / servers.min(forecast.table_regions.max(1) as f64);
            // A read of a few regions that take most writes is one of the newest rows under a key that follows time.
            let newest = match forecast.regions < servers {
                true => forecast.write_share,
                false => 0.0,
            };
            let share = hottest_row.max(newest).max(even);
            let most = f64::from(cluster.handlers) / (work * share).max(1e-9);
            let rate = match (&read.load, varied) {
                (None, _) => continue,
                (_, Some((varied, to))) if varied == VariedLoad::Read(at) => to.min(most),
                (Some(ReadLoadModel::Open { rate, .. }), _) => rate.0,
                (Some(ReadLoadModel::Closed { clients, think }), _) => {
                    let there_and_back = 2.0 * cluster.network.as_secs_f64();
                    let trip = think.mean().as_secs_f64() + base + there_and_back;
                    run.clients += f64::from(*clients);
                    (f64::from(*clients) / trip.max(1e-6)).min(most)
                }
            };
            let issued = rate * self.secs;
            load.issued += issued;
            load.calls += issued * calls;
            load.busy += rate / most;
            run.nanos += issued * (READ_NS + nanos);
        }
        load
    }
}

/// What the reads of a run ask for.
#[derive(Default)]
struct ReadLoad {
    /// Reads, and their calls if all were served.
    issued: f64,
    calls: f64,
    /// Handler time that they ask of the busiest server, in what it has.
    busy: f64,
}

/// A saturating run.
fn saturating(strategy: &Strategy, row_nanos: f64, time: &TimeSpec) -> Run {
    let setup = &strategy.setup;
    let clients = f64::from(setup.cluster.handlers) * SATURATING_CLIENTS;
    let writes = setup.workload.writes.iter();
    let buffers = writes.filter_map(|write| match &write.load {
        LoadModel::Closed { buffer, .. } => buffer.map(|buffer| buffer.0 as f64),
        LoadModel::Open { .. } | LoadModel::Periodic(_) => None,
    });
    let rows_of_call = buffers.fold(0.0, f64::max) / (row_bytes(setup) + BUFFERED_HEAP);
    let each = match rows_of_call > 1.0 {
        true => BUFFERED_ROW_NS,
        false => SERVED_NS,
    };
    let shortest = strategy.key.len_range().0 as u64;
    let (cluster, table) = (&setup.cluster, &setup.table);
    let rows = rows_of_call.max(1.0);
    let length = setup.workload.imported_by(&setup.schema);
    let length = length.min(time.duration);
    let rows = saturating_rows(cluster, table, shortest, length, rows);
    // Those that go to other servers are drawn as well.
    let servers = f64::from(cluster.servers.max(1));
    let drawn = match locks_rows(&setup.workload.writes) {
        true => rows.max((rows * servers).min(MOST_DRAWN)),
        false => rows,
    };
    Run {
        nanos: rows * each + drawn * row_nanos,
        clients,
        buffers: clients * rows_of_call,
        regions: 1.0,
        ..Run::default()
    }
}

/// Bytes of a row, roughly: a KeyValue takes 20 bytes besides row, family, qualifier and value, and the rest is that of a key of 24 bytes.
fn row_bytes(setup: &Setup) -> f64 {
    let cell = 45 + setup.table.value.0;
    (setup.table.qualifiers.len().max(1) as u64 * cell) as f64
}

/// The greatest share of the rows that one server gets at a time, at least.
fn greatest_share(strategy: &Strategy, layout: &Layout) -> f64 {
    if strategy.gathers_a_moment_under(&strategy.key, layout.points(0)) {
        return 1.0;
    }
    let servers = f64::from(strategy.setup.cluster.servers);
    let shares = layout.regions.iter().map(|region| region.write_share);
    let copies = layout.run.copies.iter().map(|copy| {
        let is_reached = |it: &KeyRange| copy.key.may_reach(it.start.as_bytes(), it.end.as_bytes());
        let reached = KeyRange::between(&copy.split_points).filter(is_reached);
        1.0 / servers.min(reached.count().max(1) as f64)
    });
    shares.chain(copies).fold(1.0 / servers, f64::max)
}

/// Refusals that an operation meets on average before it is served, where `unserved` are those of others for each that is served. All attempts have the same
/// chance, which is the less the more there are; after so many `tries` there is no time left.
fn refusals_before(unserved: f64, tries: f64) -> f64 {
    let (unserved, mut before) = (unserved.min(1e6), 0.0);
    for _ in 0..ROUNDS {
        let refused = 1.0 - 1.0 / (1.0 + unserved + before);
        let all_refused = libm::pow(refused, tries);
        before = refused / (1.0 - refused) - tries * all_refused / (1.0 - all_refused);
    }
    before
}

#[cfg(test)]
mod tests {
    use super::refusals_before;

    #[test]
    fn who_is_served_in_an_overload_was_refused_before() {
        assert_eq!(refusals_before(0.0, 9.0), 0.0);
        // As measured, of 1.5 and 7 refusals of others for each that is served, where there is time for nine attempts.
        for (unserved, measured) in [(1.5, 2.8), (7.0, 2.9)] {
            let found = refusals_before(unserved, 9.0);
            assert!(
                (found / measured - 1.0_f64).abs() < 0.25,
                "{found} {measured}"
            );
        }
        assert!(refusals_before(0.01, 9.0) < 0.5);
    }
}
