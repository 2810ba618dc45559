//! One run: its components, and the loop that lets one thing happen after the other.

use super::client::clients::Clients;
use super::clock::{Clock, ClusterStep, Event, NetworkMessage, Next};
use super::config::SimConfig;
use super::master::knowledge::Master;
use super::rpc::{OperationKind, Rpcs};
use super::server::servers::Servers;
use super::store::stores::Stores;
use super::table::tables::Tables;
use crate::metrics::{Recorder, RecorderConfig, RunResult, SeriesEvent};
use crate::time::{SimDuration, SimTime};
use crate::workload::{LoadModel, ReadLoadModel, Workload, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// One run.
#[derive(Debug)]
pub struct Simulation<'a> {
    pub config: &'a SimConfig,
    /// Becomes true when somebody wants the run to end early.
    stop: &'a AtomicBool,
    pub clock: Clock,
    pub tables: Tables<'a>,
    pub rpcs: Rpcs,
    pub clients: Clients,
    pub servers: Servers,
    pub stores: Stores,
    pub master: Master,
    pub recorder: Recorder,
    /// RPCs that the end of a sync releases; kept for its memory.
    pub released: Vec<u32>,
}

impl<'a> Simulation<'a> {
    pub fn new(config: &'a SimConfig) -> Self {
        let (cluster, workload) = (&config.cluster, &config.workload);
        let mut tables = Tables::new(config);
        let clients = Clients::new(config, &mut tables);
        let servers = config.servers_in_all();
        let recorder = Recorder::new(RecorderConfig {
            servers,
            servers_at_start: cluster.servers,
            own_regions: tables
                .routers
                .iter()
                .map(|table| table.map.regions())
                .collect(),
            handlers: cluster.handlers,
            write_work: write_work(config),
            region_server: tables.regions.servers().collect(),
            imports: workload.writes.iter().map(is_finite).collect(),
            reads: workload.reads.len(),
            neighbours: config.changes.neighbours.len(),
            open_loop: is_open_loop(workload),
            warmup: config.warmup,
            duration: config.duration,
            sample: config.sample,
            // Calls of open loops are told of as they reach their servers, those of clients at the latest then.
            lag: cluster.network,
            key_buckets: match config.key_buckets.len() {
                0 => 0,
                marks => marks + 1,
            },
        });
        Self {
            config,
            stop: &NOBODY,
            clock: Clock::new(config.duration, cluster.network, servers),
            master: Master::new(config, &tables.regions),
            stores: Stores::new(config, &tables),
            tables,
            rpcs: Rpcs::default(),
            clients,
            servers: Servers::new(config),
            recorder,
            released: Vec::new(),
        }
    }

    /// The same run, which ends early when `stop` becomes true.
    pub fn stopped_by(self, stop: &'a AtomicBool) -> Self {
        Self { stop, ..self }
    }

    /// Runs to the end; `None` when it was stopped before.
    pub fn run(mut self) -> Option<RunResult> {
        self.work().then(|| self.finish())
    }

    /// Lets everything happen that happens before the end; false when it was stopped before.
    pub fn work(&mut self) -> bool {
        self.refill();
        self.start_clients();
        self.await_next_read();
        self.load_stores();
        self.start_balancing();
        self.await_timeline();
        self.start_neighbours();
        let mut until_look = EVENTS_BETWEEN_LOOKS;
        loop {
            until_look -= 1;
            if until_look == 0 {
                if self.is_stopped() {
                    return false;
                }
                until_look = EVENTS_BETWEEN_LOOKS;
            }
            match self.clock.go_on(self.clients.next_open()) {
                Next::Operation => self.operation_arrives(),
                Next::BackedOff => self.arrives_again(),
                Next::Message(NetworkMessage::Call(id)) => self.call_arrives(id),
                Next::Message(NetworkMessage::Reply(id)) => self.reply_arrives(id),
                Next::Message(NetworkMessage::Refusal(id)) => self.refusal_arrives(id),
                Next::Event(event) => self.happen(event),
                Next::ReadDue => self.read_is_due(),
                Next::Nothing => break,
            }
        }
        self.send_the_rest()
    }

    #[inline(always)]
    fn happen(&mut self, event: Event) {
        match event {
            Event::Served(id) => self.served(id),
            Event::Synced(server) => self.synced(server),
            Event::SentAgain(id) => self.send_next(id, false),
            Event::ScanGoesOn(id) => self.send_next(id, true),
            Event::ThinkEnded(client) => self.client_is_ready(client),
            Event::NeighbourDue(source) => self.neighbour_is_due(source),
            Event::DiskDone(server) => self.disk_done(server),
            Event::Cluster(step) => self.cluster_changes(step),
        }
    }

    /// What happens seldom.
    #[cold]
    fn cluster_changes(&mut self, step: ClusterStep) {
        match step {
            ClusterStep::FlushRechecked(region) => self.flush_looks_again(region),
            ClusterStep::FlushByAge(region) => self.memstore_is_old(region),
            ClusterStep::ReferencesArchived(region) => {
                self.split_as_asked(region);
            }
            ClusterStep::RegionOpens(region) => self.region_opens(region),
            ClusterStep::MajorsChecked => self.majors_are_checked(),
            ClusterStep::MoveStarts => self.next_move_starts(),
            ClusterStep::BalancerRuns => self.balancer_runs(),
            ClusterStep::LoadsSampled => self.loads_are_sampled(),
            ClusterStep::NormalizerRuns => self.normalizer_runs(),
            ClusterStep::ScenarioEvent(number) => self.scenario_event(number),
            ClusterStep::SlownessEnds(server) => self.slowness_ends(server),
            ClusterStep::CrashDetected(server) => self.crash_is_detected(server),
        }
    }

    /// Somebody wants the run to end early.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Something happens to regions or servers now.
    pub fn happens(&mut self, what: SeriesEvent) {
        self.recorder.happened(self.clock.now, what);
    }

    /// Accounts for what has not ended.
    pub fn finish(mut self) -> RunResult {
        self.route_issued();
        let workload = &self.config.workload;
        let finite = workload.writes.iter().all(is_finite)
            && workload.reads.iter().all(|read| read.load.is_none());
        let end = if finite && !self.clock.cut_off {
            // A run of no length has no rates.
            self.clients.last_outcome.max(SimTime::from_nanos(1))
        } else {
            self.config.duration
        };
        let recorder = &mut self.recorder;
        recorder.busiest_log = self.servers.busiest_log();
        for rpc in self.rpcs.iter() {
            if rpc.is_held() {
                recorder.busy(rpc.server, rpc.taken, end);
            }
        }
        let alone = self.rpcs.alone().map(|rpc| (rpc.operation, rpc.intended));
        let backed_off = self.clock.backed_off();
        let backed_off = backed_off.map(|rpc| (rpc.operation, rpc.intended));
        let buffered = self.clients.unfinished_rows();
        let buffered = buffered.map(|row| (row.operation, row.put));
        for (operation, intended) in alone.chain(backed_off).chain(buffered) {
            recorder.unfinished(operation.write(), intended, end);
        }
        for owner in self.rpcs.operations().filter(|owner| !owner.failed) {
            // The rows of a flush end one by one.
            if !matches!(owner.kind, OperationKind::Flush) {
                recorder.unfinished(owner.recorded(), owner.intended, end);
            }
        }
        RunResult {
            events: self.clock.events(),
            ..self.recorder.finish(end)
        }
    }
}

/// Never becomes true.
static NOBODY: AtomicBool = AtomicBool::new(false);

/// Events after which a run looks whether it is to stop: often enough to end within a second where each event takes 100 µs, and too seldom to be
/// felt.
const EVENTS_BETWEEN_LOOKS: u32 = 4_096;

/// How long a write is expected to take a handler: its service and a sync of the log. Of a full write buffer, each row adds its own time.
fn write_work(config: &SimConfig) -> SimDuration {
    let (service, writes) = (&config.cluster.service, &config.workload.writes);
    let is_buffered =
        |write: &Write| matches!(&write.load, LoadModel::Closed { buffer, .. } if buffer.is_some());
    if !writes.is_empty() && writes.iter().all(is_buffered) {
        return service.write_row;
    }
    let wal = config.cluster.wal.as_ref();
    let sync = wal.map_or(0, |wal| wal.sync.as_nanos());
    SimDuration::from_nanos(service.put.as_nanos() + sync)
}

/// Some operation starts whatever happens to the others.
fn is_open_loop(workload: &Workload) -> bool {
    let mut writes = workload.writes.iter();
    let mut reads = workload.reads.iter();
    writes.any(|write| !matches!(write.load, LoadModel::Closed { .. }))
        || reads.any(|read| matches!(read.load, Some(ReadLoadModel::Open { .. })))
}

/// Ends by itself.
fn is_finite(write: &Write) -> bool {
    write.load.import().is_some()
}
