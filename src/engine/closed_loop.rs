//! Closed-loop clients: who waits, thinks, and goes on. Must not know what happens to calls meanwhile.
//!
//! The k-th operation of a client is the same under every strategy; only its time follows from the replies before it. A
//! record can be drawn when it is issued, and its key isn't needed before the call reaches the network's other end: so
//! the calls of one network delay are keyed and routed together.

use super::SimConfig;
use super::calls::{Call, NONE};
use super::events::{Event, Travel};
use super::flushing::Flushing;
use super::placing::Unplaced;
use super::simulation::Simulation;
use crate::client::BufferedRow;
use crate::time::{SimDuration, SimTime};
use crate::workload::{ClosedSource, Drive, Think, WriteId, WriteKind};

/// A client starts at most one operation (or flush) in this time, so that a workload without any delay still ends.
pub(super) const LEAST_CYCLE: SimDuration = SimDuration::from_nanos(1_000);
/// Clients that don't think start within this time, evenly, rather than all at one instant.
const STAGGER_NANOS: u64 = 1_000_000;

/// One client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client {
    pub write: WriteId,
    /// Its place in [`Flushing::buffers`](super::flushing::Flushing); [`NONE`] when it doesn't buffer.
    pub buffer: u32,
    /// Its number within its write.
    pub number: u32,
    /// Number of its next operation.
    pub next: u64,
    /// It has a think time.
    pub thinks: bool,
    /// Its next operation, or flush, starts no sooner.
    pub earliest: SimTime,
}

/// All clients.
#[derive(Debug)]
pub(super) struct ClosedLoop {
    /// Of each write; `None` when it is open loop.
    pub sources: Vec<Option<ClosedSource>>,
    pub clients: Vec<Client>,
    pub flushing: Flushing,
    /// Operations whose keys have not been written yet, and their calls.
    issued: Unplaced,
    issued_calls: Vec<u32>,
}

impl ClosedLoop {
    pub fn new(config: &SimConfig) -> Self {
        let mut clients = Vec::new();
        let mut flushing = Flushing::default();
        let mut sources = Vec::new();
        for (at, write) in config.workload.writes.iter().enumerate() {
            let Drive::Closed {
                clients: count,
                buffer,
                think,
                ..
            } = &write.drive
            else {
                sources.push(None);
                continue;
            };
            let id = WriteId(at as u8);
            let generator = config.generator.clone();
            sources.push(ClosedSource::new(
                &config.workload,
                id,
                generator,
                config.seed,
                config.replicate,
            ));
            // HBase's BufferedMutator takes no increments: they are sent one by one.
            let buffer = buffer.filter(|_| write.kind == WriteKind::Put);
            clients.extend((0..*count).map(|number| Client {
                write: id,
                buffer: buffer.map_or(NONE, |capacity| flushing.add(capacity, *count)),
                number,
                next: 0,
                earliest: SimTime::ZERO,
                thinks: !is_nothing(*think),
            }));
        }
        Self {
            sources,
            clients,
            flushing,
            issued: Unplaced::default(),
            issued_calls: Vec::new(),
        }
    }

    /// The client (which may be [`NONE`]) has a write buffer.
    #[inline]
    pub fn buffers_of(&self, client: u32) -> bool {
        client != NONE && self.clients[client as usize].buffer != NONE
    }

    /// Rows in buffers and flushes that have neither a reply nor failed.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        self.flushing.unfinished_rows()
    }

    /// The import that the client takes part in has no more operations for it, and its buffer is empty.
    fn has_ended(&self, client: &Client) -> bool {
        let source = self.sources[usize::from(client.write.0)].as_ref();
        source.is_none_or(|source| {
            let index = client.next * u64::from(source.clients()) + u64::from(client.number);
            source
                .operations()
                .is_some_and(|operations| index >= operations)
        })
    }

    fn think(&self, client: &Client) -> SimDuration {
        let source = self.sources[usize::from(client.write.0)].as_ref();
        source.map_or(SimDuration::ZERO, |source| {
            source.think(client.number, client.next)
        })
    }
}

/// When one of `clients` that don't think starts.
pub(super) fn staggered(number: u32, clients: u32) -> SimTime {
    SimTime::from_nanos(u64::from(number) * STAGGER_NANOS / u64::from(clients))
}

pub(super) fn is_nothing(think: Think) -> bool {
    match think {
        Think::Constant(length) | Think::Exponential(length) => length == SimDuration::ZERO,
    }
}

impl Simulation<'_> {
    /// All clients start: after their first think time, or staggered when they don't think.
    pub(super) fn start_clients(&mut self) {
        for at in 0..self.closed.clients.len() {
            let client = self.closed.clients[at];
            let Drive::Closed { clients, think, .. } =
                &self.config.workload.writes[usize::from(client.write.0)].drive
            else {
                continue;
            };
            let start = if is_nothing(*think) {
                staggered(client.number, *clients)
            } else {
                SimTime::ZERO + self.closed.think(&client)
            };
            self.schedule(start, Event::Thought(at as u32));
        }
    }

    /// A client's next operation is due now.
    pub(super) fn client_is_ready(&mut self, at: u32) {
        if self.closed.clients[at as usize].buffer != NONE {
            return self.fill_buffer(at);
        }
        if !self.copying.is_empty() {
            return self.client_writes_copies(at);
        }
        let now = self.now;
        let closed = &mut self.closed;
        let client = &mut closed.clients[at as usize];
        let Some(source) = &mut closed.sources[usize::from(client.write.0)] else {
            return;
        };
        let (number, next) = (client.number, client.next);
        let issue = |record: &mut [i64]| source.issue(number, next, now, record);
        let Some(operation) = closed.issued.push(self.config.generator.width(), issue) else {
            return;
        };
        client.next += 1;
        client.earliest = now + LEAST_CYCLE;
        let call = Call::of_client(operation, now, at);
        let id = self.calls.insert(call);
        self.closed.issued_calls.push(id);
        self.travel(Travel::Call(id));
    }

    /// Writes and routes the keys of all operations that were issued meanwhile.
    pub(super) fn place_issued(&mut self) {
        let closed = &mut self.closed;
        let (calls, recorder, keys) = (&mut self.calls, &mut self.recorder, &mut self.keys);
        let (regions, weights, kinds) = (&self.regions, &self.weights, &self.kinds);
        let (service, draws) = (self.service, self.service_draws);
        let ids = &closed.issued_calls;
        self.placing
            .place_all(&closed.issued, |at, operation, place, key| {
                let call = calls.get_mut(ids[at]);
                let server = regions.get(place.region).server;
                call.region = place.region;
                call.server = server;
                call.bytes = weights.of(place.key_length).bytes;
                call.detail = if kinds[usize::from(operation.write().0)] == WriteKind::Increment {
                    place.row
                } else {
                    service.write(1, draws.at(operation, 0)).as_nanos()
                };
                call.key = keys.insert(key);
                call.key_length = place.key_length;
                recorder.offered(
                    call.intended,
                    operation.write(),
                    place.region,
                    server,
                    place.key_bucket,
                );
            });
        if self.regions.changed() {
            for at in 0..self.closed.issued_calls.len() {
                let id = self.closed.issued_calls[at];
                let call = self.calls.get(id);
                let process = self.process_of(call.operation, call.client);
                self.calls.get_mut(id).server = self.server_for(call.region, process);
            }
        }
        self.closed.issued.clear();
        self.closed.issued_calls.clear();
    }

    /// A client learns now that it has to give up an operation: its next one starts no sooner than a further attempt could.
    pub(super) fn client_fails(&mut self, at: u32) {
        let client = &mut self.closed.clients[at as usize];
        client.earliest = client.earliest.max(self.now + self.back_off.least());
    }

    /// A call of a client is over; the last one of a flush ends the flush.
    pub(super) fn client_call_ends(&mut self, at: u32) {
        let client = self.closed.clients[at as usize];
        if client.buffer == NONE || self.closed.flushing.call_ends(client.buffer) {
            self.client_thinks(at);
        }
    }

    /// A client goes on after its think time.
    pub(super) fn client_thinks(&mut self, at: u32) {
        let client = self.closed.clients[at as usize];
        if self.closed.has_ended(&client) {
            return;
        }
        let ready = (self.now + self.closed.think(&client)).max(client.earliest);
        if ready == self.now {
            self.client_is_ready(at);
        } else {
            self.schedule(ready, Event::Thought(at));
        }
    }
}
