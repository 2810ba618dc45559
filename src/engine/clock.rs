//! The clock of a run and what it waits for: events, what is on the network, and RPCs that back off.
//!
//! # Order
//! Events happen in the order of their [`Moment`]s: by time, then by insertion. The calls of open-loop operations are known
//! beforehand and those that are sent again when they are refused, so that only their arrival at the server matters: at
//! equal times they come after all events, first the operations, by their place in the file, then the others in the order in which
//! they were refused. What would happen at or after the run's end never happens.

use crate::event_queue::{EventQueue, Line, Moment};
use crate::time::{SimDuration, SimTime};
use crate::workload::OperationId;

/// What happens after a time that varies.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// The service of this RPC ends; no write-ahead log holds it up.
    Served(u32),
    /// A sync of this server's log may be acknowledged.
    Synced(u32),
    /// This RPC, which was refused, is sent again.
    SentAgain(u32),
    /// This RPC of a scan sends its next call.
    ScanGoesOn(u32),
    /// This closed-loop client has done thinking.
    ThinkEnded(u32),
    /// The intended time of the next operation of this source of a neighbour.
    NeighbourDue(u32),
    /// The job that was to end first on this server's disk ends.
    DiskDone(u32),
    /// Something seldom happens to the cluster.
    Cluster(ClusterStep),
}

/// What happens to the cluster.
#[derive(Debug, Clone, Copy)]
pub enum ClusterStep {
    /// The held flush of this region looks again.
    FlushRechecked(u32),
    /// The oldest row of this region's memstore is so old that it is flushed.
    FlushByAge(u32),
    /// The references that this region has compacted are archived.
    ReferencesArchived(u32),
    /// This region opens.
    RegionOpens(u32),
    /// Servers look which stores are due for a major compaction.
    MajorsChecked,
    /// The next move that the balancer wants starts.
    MoveStarts,
    /// The balancer runs.
    BalancerRuns,
    /// Servers report the loads of their regions.
    LoadsSampled,
    /// The normalizer runs.
    NormalizerRuns,
    /// This event of the scenario happens.
    ScenarioEvent(u32),
    /// This server is as fast as ever again.
    SlownessEnds(u32),
    /// The master learns that this server has died.
    CrashDetected(u32),
}

/// What is on the network: it takes the same time for all.
#[derive(Debug, Clone, Copy)]
pub enum NetworkMessage {
    /// An RPC on its way to its server.
    Call(u32),
    /// Its reply.
    Reply(u32),
    /// Its refusal.
    Refusal(u32),
}

/// What has to be known of a row that is written by itself while its RPC, which was refused, is under way to its client and back.
///
/// All that happens to it until it is back at its server is known when it is refused: the way of the refusal, the pause, the way of the next
/// attempt. So it takes one event; and as an overload makes millions of calls pause, they are kept in a queue of their own, where the next ones
/// lie side by side.
#[derive(Debug, Clone, Copy)]
pub struct BackedOffRpc {
    pub operation: OperationId,
    pub intended: SimTime,
    pub detail: u64,
    pub region: u32,
    pub key: u32,
    pub client: u32,
    pub key_length: u16,
    pub attempt: NextAttempt,
}

/// How the next attempt of an RPC goes, in two bytes.
#[derive(Debug, Clone, Copy)]
pub struct NextAttempt(u16);

impl NextAttempt {
    /// It comes after so many failures (< 2^15); its client looks its region up before, or not.
    pub fn new(failures: u16, looks_up: bool) -> Self {
        Self(failures << 1 | u16::from(looks_up))
    }

    /// Attempts that failed before it.
    pub fn failures(self) -> u16 {
        self.0 >> 1
    }

    /// The client looks its region up before.
    pub fn looks_up(self) -> bool {
        self.0 & 1 > 0
    }
}

/// What comes next.
#[derive(Debug, Clone, Copy)]
pub enum Next {
    /// Something reaches the other end of the network.
    Message(NetworkMessage),
    Event(Event),
    /// The intended time of the next open-loop read.
    ReadDue,
    /// The next open-loop operation reaches its server.
    Operation,
    /// The next RPC that backed off does.
    BackedOff,
    /// The run is over.
    Nothing,
}

/// The time, and all that is still to happen.
#[derive(Debug)]
pub struct Clock {
    pub now: SimTime,
    /// The run ends then.
    pub end: SimTime,
    /// How long something is on the network, one way.
    pub network: SimDuration,
    /// Something would have happened at or after the end.
    pub cut_off: bool,
    line: Line<NetworkMessage>,
    queue: EventQueue<Event>,
    /// When the next open-loop read is due: there is one at a time, which needs no place in the queue.
    read_due: Moment,
    backed_off: EventQueue<BackedOffRpc>,
    sequence: u64,
}

impl Clock {
    /// Events planned so far.
    pub fn events(&self) -> u64 {
        self.sequence
    }

    /// Time zero of a run with so many servers.
    pub fn new(end: SimTime, network: SimDuration, servers: u32) -> Self {
        Self {
            now: SimTime::ZERO,
            end,
            network,
            cut_off: false,
            line: Line::default(),
            queue: EventQueue::with_slots(slot_bits(servers)),
            read_due: Moment::NEVER,
            backed_off: EventQueue::default(),
            sequence: 0,
        }
    }

    /// Goes to the time of what comes next, given when the next open-loop operation is sent.
    #[inline(always)]
    pub fn go_on(&mut self, operation: SimTime) -> Next {
        let (line, queue, read) = (self.line.next(), self.queue.next(), self.read_due);
        let event = line.at.min(queue.at).min(read.at);
        let first = operation + self.network;
        let again = self.backed_off.next().at;
        let arrival = first.min(again);
        if arrival < event {
            if arrival >= self.end {
                return Next::Nothing;
            }
            self.now = arrival;
            return match first <= again {
                true => Next::Operation,
                false => Next::BackedOff,
            };
        }
        self.now = event;
        let next = if line < queue.min(read) {
            self.line.pop().map(Next::Message)
        } else if read < queue {
            self.read_due = Moment::NEVER;
            Some(Next::ReadDue)
        } else {
            self.queue.pop().map(|(_, event)| Next::Event(event))
        };
        next.unwrap_or(Next::Nothing)
    }

    /// The next event, unless one that is scheduled until then comes before it.
    pub fn next_event(&self) -> Option<Event> {
        self.queue.first().copied()
    }

    /// `event` will happen at `at`, unless the run ends before.
    pub fn schedule(&mut self, at: SimTime, event: Event) {
        if let Some(moment) = self.moment(at) {
            self.queue.push(moment, event);
        }
    }

    /// The next open-loop read is due at `at`, unless the run ends before. The one before it has been due.
    pub fn await_read(&mut self, at: SimTime) {
        self.read_due = self.moment(at).unwrap_or(Moment::NEVER);
    }

    /// `event` will happen at a moment that was asked for before.
    pub fn schedule_at(&mut self, moment: Moment, event: Event) {
        self.queue.push(moment, event);
    }

    /// `step` will happen to the cluster at `at`, unless the run ends before; then a workload that ends by itself still may.
    pub fn await_step(&mut self, at: SimTime, step: ClusterStep) {
        if at < self.end {
            self.schedule(at, Event::Cluster(step));
        }
    }

    /// The same after a `pause`.
    pub fn await_after(&mut self, pause: SimDuration, step: ClusterStep) {
        self.await_step(self.now + pause, step);
    }

    /// Something is sent over the network now.
    pub fn travel(&mut self, what: NetworkMessage) {
        if let Some(moment) = self.moment(self.now + self.network) {
            self.line.push(moment, what);
        }
    }

    /// An RPC is sent again at `at`; false when the run ends before it is at its server.
    pub fn back_off(&mut self, at: SimTime, rpc: BackedOffRpc) -> bool {
        let moment = self.moment(at + self.network);
        if let Some(moment) = moment {
            self.backed_off.push(moment, rpc);
        }
        moment.is_some()
    }

    /// The RPC that has backed off and is at its server now.
    pub fn next_backed_off(&mut self) -> Option<BackedOffRpc> {
        self.backed_off.pop().map(|(_, rpc)| rpc)
    }

    /// All RPCs that back off.
    pub fn backed_off(&self) -> impl Iterator<Item = &BackedOffRpc> {
        self.backed_off.iter()
    }

    /// When something that is sent now arrives; `None` when the run ends before.
    pub fn arrival(&mut self) -> Option<SimTime> {
        self.within_run(self.now + self.network)
    }

    /// The next event of that time; `None` when the run ends before.
    pub fn moment(&mut self, at: SimTime) -> Option<Moment> {
        let at = self.within_run(at)?;
        self.sequence += 1;
        Some(Moment {
            at,
            sequence: self.sequence,
        })
    }

    fn within_run(&mut self, at: SimTime) -> Option<SimTime> {
        let within = at < self.end;
        self.cut_off |= !within;
        within.then_some(at)
    }
}

/// A queue slot in which a few events happen: servers have some ten thousand a second each.
fn slot_bits(servers: u32) -> u32 {
    (262_144 / servers.max(1)).max(1).ilog2().clamp(10, 14)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_queues_hold_is_small() {
        assert_eq!(size_of::<Event>(), 8);
        assert_eq!(size_of::<NetworkMessage>(), 8);
        assert!(size_of::<BackedOffRpc>() <= 40);
    }

    #[test]
    fn a_next_attempt_keeps_both_of_what_it_was_told() {
        for (failures, looks_up) in [(0, true), (7, false), (30_001, true)] {
            let attempt = NextAttempt::new(failures, looks_up);
            assert_eq!(
                (attempt.failures(), attempt.looks_up()),
                (failures, looks_up)
            );
        }
    }
}
