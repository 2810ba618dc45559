//! The state of one run and its event loop. Must not know what happens at an event: that is the other files' part.
//!
//! # Order
//! Events happen in the order of their [`Moment`]s: by time, then by insertion. The calls of open-loop operations are known
//! beforehand and those that are sent again when they are refused, so that only their arrival at the server matters: at
//! equal times they come after all events, first the operations, by their place in the file, then the others in the order in which
//! they were refused. What would happen at or after the run's end never happens.

use super::calls::Calls;
use super::closed_loop::ClosedLoop;
use super::copying::Copying;
use super::events::{Event, Travel};
use super::fan_out::FanOuts;
use super::keys::Keys;
use super::locating::LocationCaches;
use super::master::Master;
use super::neighbouring::Neighbours;
use super::open_loop::OpenLoop;
use super::placing::Placing;
use super::readers::Readers;
use super::reads::Reads;
use super::regions::Regions;
use super::retries::Pausing;
use super::row_weights::{RowWeights, longest_key};
use super::server_side::Server;
use super::storing::Stores;
use super::{AttemptDraws, Neighbour, SimConfig};
use crate::client::BackOff;
use crate::cluster::{LogPace, RowLocks, ServiceTimes};
use crate::event_queue::{EventQueue, Line, Moment};
use crate::metrics::{Recorder, RecorderConfig, RunResult};
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};
use crate::workload::{Drive, ReadDrive, Workload, Write, WriteKind};
use std::sync::atomic::{AtomicBool, Ordering};

/// One run.
#[derive(Debug)]
pub(super) struct Simulation<'a> {
    pub config: &'a SimConfig,
    /// Becomes true when somebody wants the run to end early.
    stop: &'a AtomicBool,
    pub now: SimTime,
    pub calls: Calls,
    pub servers: Vec<Server>,
    /// Of each server: rows that increments hold.
    pub locks: Vec<RowLocks>,
    pub placing: Placing<'a>,
    pub copying: Copying<'a>,
    /// Of all tables.
    pub regions: Regions,
    /// What client processes know of regions that opened after the start.
    pub caches: LocationCaches,
    /// Of the rows in flight.
    pub keys: Keys,
    /// What rows weigh.
    pub weights: RowWeights,
    /// Servers that died.
    pub dead: Vec<u32>,
    /// Of each server: its services and syncs take so many times as long; empty while no server was ever slow.
    pub slowness: Vec<f64>,
    /// Of the log of a server that is not slow.
    pub log_pace: Option<LogPace>,
    pub stores: Stores,
    pub master: Master,
    pub neighbours: Neighbours,
    pub fans: FanOuts,
    pub reads: Reads,
    pub readers: Readers,
    pub open: OpenLoop,
    pub closed: ClosedLoop,
    pub recorder: Recorder,
    /// Of each write.
    pub kinds: Vec<WriteKind>,
    /// One of them is an increment.
    pub some_increment: bool,
    pub service: ServiceTimes,
    pub service_draws: AttemptDraws,
    pub queue_draws: AttemptDraws,
    pub back_off: BackOff,
    pub back_off_draws: AttemptDraws,
    /// Calls that the end of a sync releases; kept for its memory.
    pub released: Vec<u32>,
    /// When the last operation was completed or given up.
    pub last_outcome: SimTime,
    /// One way.
    pub network: SimDuration,
    /// Calls that are sent again after a pause, by their arrival at the server.
    pub pausing: EventQueue<Pausing>,
    line: Line<Travel>,
    queue: EventQueue<Event>,
    sequence: u64,
    /// Some event would have happened at or after the end.
    pub cut_off: bool,
}

impl<'a> Simulation<'a> {
    pub fn new(config: &'a SimConfig) -> Self {
        let cluster = &config.cluster;
        let draws = |purpose| AttemptDraws::new(config.seed, config.replicate, purpose);
        let placing = Placing::new(config);
        let copies = Placing::of_copies(config);
        let mut regions = Regions::default();
        for (table, placing) in (0..).zip(std::iter::once(&placing).chain(&copies)) {
            placing.first_servers().iter().for_each(|&server| {
                regions.add_open(table, server);
            });
        }
        let kinds: Vec<_> = config
            .workload
            .writes
            .iter()
            .map(|write| write.kind)
            .collect();
        let tables = std::iter::once(&placing).chain(&copies);
        let own_regions = tables.map(|table| table.map.regions()).collect();
        let neighbours = Neighbours::new(config, &mut regions);
        let servers = config.servers_in_all();
        let recorder = Recorder::new(RecorderConfig {
            servers,
            servers_at_start: cluster.servers,
            own_regions,
            handlers: cluster.handlers,
            write_work: write_work(config),
            region_server: regions.servers().collect(),
            writes: config.workload.writes.len(),
            reads: config.workload.reads.len(),
            neighbours: names(&config.changes.neighbours),
            open_loop: is_open_loop(&config.workload),
            warmup: config.warmup,
            duration: config.duration,
            sample: config.sample,
            // Calls of open loops are told of as they reach their servers, those of clients at the latest then.
            lag: cluster.network,
            key_buckets: if config.key_buckets.is_empty() {
                0
            } else {
                config.key_buckets.len() + 1
            },
        });
        Self {
            config,
            stop: &NOBODY,
            now: SimTime::ZERO,
            calls: Calls::default(),
            servers: (0..cluster.servers.max(1))
                .map(|_| Server::new(cluster))
                .collect(),
            reads: Reads::new(config, &placing, &copies),
            readers: Readers::new(config),
            locks: vec![RowLocks::default(); servers as usize],
            placing,
            copying: Copying::new(copies),
            master: Master::new(config, &regions),
            regions,
            caches: LocationCaches::new(config),
            keys: if config.regions_may_divide() {
                Keys::of(longest_key(config))
            } else {
                Keys::default()
            },
            weights: RowWeights::new(config),
            dead: Vec::new(),
            slowness: Vec::new(),
            log_pace: cluster.wal.as_ref().map(LogPace::new),
            stores: Stores::new(config),
            neighbours,
            fans: FanOuts::default(),
            open: OpenLoop::new(config),
            closed: ClosedLoop::new(config),
            recorder,
            some_increment: kinds.contains(&WriteKind::Increment),
            kinds,
            service: ServiceTimes::new(&cluster.service),
            service_draws: draws(Stream::Service),
            queue_draws: draws(Stream::CallQueue),
            back_off: BackOff::new(config.client.pause, cluster.network),
            back_off_draws: draws(Stream::BackOff),
            released: Vec::new(),
            last_outcome: SimTime::ZERO,
            network: cluster.network,
            pausing: EventQueue::new(),
            line: Line::new(),
            queue: EventQueue::with_slots(slot_bits(servers)),
            sequence: 0,
            cut_off: false,
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
        self.start_readers();
        self.load_stores();
        self.start_balancing();
        self.await_timeline();
        self.start_neighbours();
        let end = self.config.duration;
        let mut until_look = EVENTS_BETWEEN_LOOKS;
        loop {
            until_look -= 1;
            if until_look == 0 {
                if self.is_stopped() {
                    return false;
                }
                until_look = EVENTS_BETWEEN_LOOKS;
            }
            let (line, queue) = (self.line.next(), self.queue.next());
            let event = line.at.min(queue.at);
            let first = self.open.next_time() + self.network;
            let again = self.pausing.next().at;
            let arrival = first.min(again);
            if arrival < event {
                if arrival >= end {
                    break;
                }
                self.now = arrival;
                if first <= again {
                    self.operation_arrives();
                } else {
                    self.arrives_again();
                }
                continue;
            }
            self.now = event;
            if line < queue {
                match self.line.pop() {
                    Some(Travel::Call(id)) => self.call_arrives(id),
                    Some(Travel::Reply(id)) => self.reply_arrives(id),
                    Some(Travel::Refusal(id)) => self.refusal_arrives(id, false),
                    Some(Travel::NotServing(id)) => self.refusal_arrives(id, true),
                    Some(Travel::PartCall(id)) => self.part_arrives(id),
                    Some(Travel::PartReply(id)) => self.part_reply_arrives(id),
                    Some(Travel::PartRefusal(id)) => self.part_refusal_arrives(id),
                    None => break,
                }
            } else {
                match self.queue.pop() {
                    Some((_, Event::Served(id))) => self.served(id),
                    Some((_, Event::Synced(server))) => self.synced(server),
                    Some((_, Event::Retried(id))) => self.rows_go_again(id, false),
                    Some((_, Event::LookedUp(id))) => self.rows_go_again(id, true),
                    Some((_, Event::Thought(client))) => self.client_is_ready(client),
                    Some((_, Event::ReadIntended)) => self.read_is_intended(),
                    Some((_, Event::ReaderThought(reader))) => self.reader_is_ready(reader),
                    Some((_, Event::PartAgain(id))) => self.part_goes_on(id, true),
                    Some((_, Event::PartContinues(id))) => self.part_goes_on(id, false),
                    Some((_, Event::NeighbourIntended(which))) => self.neighbour_is_intended(which),
                    Some((_, Event::DiskDone(server))) => self.disk_done(server),
                    Some((_, other)) => self.cluster_changes(other),
                    None => break,
                }
            }
        }
        self.send_the_rest()
    }

    /// Somebody wants the run to end early.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// What happens seldom.
    #[cold]
    fn cluster_changes(&mut self, event: Event) {
        match event {
            Event::FlushLooksAgain(region) => self.flush_looks_again(region),
            Event::MemstoreIsOld(region) => self.memstore_is_old(region),
            Event::ReferencesArchived(region) => self.references_are_archived(region),
            Event::RegionOpens(region) => self.region_opens(region),
            Event::MoveStarts => self.next_move_starts(),
            Event::BalancerRuns => self.balancer_runs(),
            Event::LoadsSampled => self.loads_are_sampled(),
            Event::NormalizerRuns => self.normalizer_runs(),
            Event::Happens(number) => self.event_happens(number),
            Event::SlownessEnds(server) => self.slowness_ends(server),
            Event::CrashDetected(server) => self.crash_is_detected(server),
            Event::Served(_)
            | Event::Synced(_)
            | Event::Retried(_)
            | Event::LookedUp(_)
            | Event::Thought(_)
            | Event::ReadIntended
            | Event::ReaderThought(_)
            | Event::PartAgain(_)
            | Event::PartContinues(_)
            | Event::NeighbourIntended(_)
            | Event::DiskDone(_) => debug_assert!(false, "handled by the event loop"),
        }
    }

    /// Table 0 is the table itself, c its copy c - 1.
    pub fn table(&self, number: usize) -> &Placing<'a> {
        number
            .checked_sub(1)
            .map_or(&self.placing, |copy| &self.copying.tables[copy])
    }

    /// Table 0 is the table itself, c its copy c - 1.
    pub fn table_mut(&mut self, number: u32) -> &mut Placing<'a> {
        match (number as usize).checked_sub(1) {
            None => &mut self.placing,
            Some(copy) => &mut self.copying.tables[copy],
        }
    }

    /// Events planned so far.
    pub fn events(&self) -> u64 {
        self.sequence
    }

    /// `event` will happen at `at`, unless the run ends before.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, event: Event) {
        if let Some(moment) = self.moment(at) {
            self.queue.push(moment, event);
        }
    }

    /// `event` will happen at a moment that was asked for before.
    #[inline]
    pub fn schedule_at(&mut self, moment: Moment, event: Event) {
        self.queue.push(moment, event);
    }

    /// When something that is sent now arrives; `None` when the run ends before.
    #[inline]
    pub fn arrival(&mut self) -> Option<SimTime> {
        self.within_run(self.now + self.network)
    }

    /// Something is sent over the network now.
    #[inline]
    pub fn travel(&mut self, what: Travel) {
        if let Some(moment) = self.moment(self.now + self.network) {
            self.line.push(moment, what);
        }
    }

    /// The next event of that time; `None` when the run ends before.
    #[inline]
    pub fn moment(&mut self, at: SimTime) -> Option<Moment> {
        let at = self.within_run(at)?;
        self.sequence += 1;
        Some(Moment {
            at,
            sequence: self.sequence,
        })
    }

    #[inline]
    fn within_run(&mut self, at: SimTime) -> Option<SimTime> {
        let within = at < self.config.duration;
        self.cut_off |= !within;
        within.then_some(at)
    }
}

/// Never becomes true.
static NOBODY: AtomicBool = AtomicBool::new(false);

/// Events after which a run looks whether it is to stop: often enough to end within a second where each event takes 100 µs, and too seldom to be
/// felt.
const EVENTS_BETWEEN_LOOKS: u32 = 4_096;

/// A queue slot in which a few events happen: servers have some ten thousand a second each.
fn slot_bits(servers: u32) -> u32 {
    (262_144 / servers.max(1)).max(1).ilog2().clamp(10, 14)
}

/// How long a write is expected to take a handler: its service and a sync of the log. Of a full write buffer, each row adds its own time.
fn write_work(config: &SimConfig) -> SimDuration {
    let (service, writes) = (&config.cluster.service, &config.workload.writes);
    let is_buffered =
        |write: &Write| matches!(&write.drive, Drive::Closed { buffer, .. } if buffer.is_some());
    if !writes.is_empty() && writes.iter().all(is_buffered) {
        return service.write_row;
    }
    let wal = config.cluster.wal.as_ref();
    let sync = wal.map_or(0, |wal| wal.sync.as_nanos());
    SimDuration::from_nanos(service.put.as_nanos() + sync)
}

fn names(neighbours: &[Neighbour]) -> Vec<String> {
    let names = neighbours.iter().map(|neighbour| neighbour.name.clone());
    names.collect()
}

/// Some operation starts whatever happens to the others.
fn is_open_loop(workload: &Workload) -> bool {
    let mut writes = workload.writes.iter();
    let mut reads = workload.reads.iter();
    writes.any(|write| !matches!(write.drive, Drive::Closed { .. }))
        || reads.any(|read| matches!(read.drive, Some(ReadDrive::Open { .. })))
}
