//! Closed-loop clients: who waits, thinks, and goes on.
//!
//! The k-th operation of a client is the same under every strategy; only its time follows from the replies before it.

use super::write_buffers::WriteBuffers;
use crate::engine::config::SimConfig;
use crate::engine::numbers::NONE;
use crate::time::{SimDuration, SimTime};
use crate::workload::{
    ClosedSource, Drive, OperationBatch, OperationId, ReadDrive, ReadId, Think, WriteId, WriteKind,
};

/// A client starts at most one operation (or flush) in this time, so that a workload without any delay still ends.
pub const LEAST_CYCLE: SimDuration = SimDuration::from_nanos(1_000);
/// Clients that don't think start within this time, evenly, rather than all at one instant.
const STAGGER_NANOS: u64 = 1_000_000;

/// One client of a write or a read, which is named by `T`.
#[derive(Debug, Clone, Copy)]
pub struct Client<T> {
    pub of: T,
    /// Its number within its write or read.
    pub number: u32,
    /// Clients of the same write or read.
    pub clients: u32,
    /// Number of its next operation.
    pub next: u64,
    /// It has a think time.
    pub thinks: bool,
    /// Its next operation, or flush, starts no sooner.
    pub earliest: SimTime,
    /// Its place among the write buffers; [`NONE`] when it doesn't buffer.
    pub buffer: u32,
}

impl<T: Copy> Client<T> {
    /// The clients of one write or read, before their first operations.
    fn all(of: T, clients: u32, think: Think) -> impl Iterator<Item = Self> {
        let (Think::Constant(length) | Think::Exponential(length)) = think;
        (0..clients).map(move |number| Self {
            of,
            number,
            clients,
            next: 0,
            thinks: length > SimDuration::ZERO,
            earliest: SimTime::ZERO,
            buffer: NONE,
        })
    }

    /// When it starts: after its first think time, or staggered when it doesn't think.
    pub fn start(&self, think: SimDuration) -> SimTime {
        if self.thinks {
            return SimTime::ZERO + think;
        }
        SimTime::from_nanos(u64::from(self.number) * STAGGER_NANOS / u64::from(self.clients))
    }

    /// It learns now that it has to give up an operation: its next one starts no sooner than a further attempt could.
    pub fn fails(&mut self, next_attempt: SimTime) {
        self.earliest = self.earliest.max(next_attempt);
    }
}

/// All clients of closed loops.
#[derive(Debug)]
pub struct ClosedLoop {
    /// Of each write; `None` when it is open loop.
    sources: Vec<Option<ClosedSource>>,
    pub writers: Vec<Client<WriteId>>,
    pub readers: Vec<Client<ReadId>>,
    /// Slots of a record.
    width: usize,
    /// Operations whose keys have not been written yet, and their RPCs: a key isn't needed before the RPC reaches the network's other end, so those
    /// of one network delay are keyed and routed together.
    pub issued: OperationBatch,
    pub issued_rpcs: Vec<u32>,
}

impl ClosedLoop {
    /// Adds the buffers of those who have one.
    pub fn new(config: &SimConfig, buffers: &mut WriteBuffers) -> Self {
        let (mut writers, mut sources) = (Vec::new(), Vec::new());
        for (at, write) in config.workload.writes.iter().enumerate() {
            let Drive::Closed {
                clients,
                buffer,
                think,
                ..
            } = write.drive
            else {
                sources.push(None);
                continue;
            };
            let (id, generator) = (WriteId(at as u8), config.generator.clone());
            sources.push(ClosedSource::new(&config.workload, id, generator));
            // HBase's BufferedMutator takes no increments: they are sent one by one.
            let buffer = buffer.filter(|_| write.kind == WriteKind::Put);
            writers.extend(Client::all(id, clients, think).map(|client| Client {
                buffer: buffer.map_or(NONE, |capacity| buffers.add(capacity, clients)),
                ..client
            }));
        }
        let mut readers = Vec::new();
        for (at, read) in config.workload.reads.iter().enumerate() {
            if let Some(ReadDrive::Closed { clients, think }) = read.drive {
                readers.extend(Client::all(ReadId(at as u8), clients, think));
            }
        }
        Self {
            sources,
            writers,
            readers,
            width: config.generator.width(),
            issued: OperationBatch::default(),
            issued_rpcs: Vec::new(),
        }
    }

    /// A writer's next operation, issued `now`, is added to `issued`; `None` when its import has no more for it.
    #[inline]
    pub fn issue(
        &mut self,
        writer: u32,
        now: SimTime,
        issued: &mut OperationBatch,
    ) -> Option<OperationId> {
        let client = &mut self.writers[writer as usize];
        let source = self.sources[usize::from(client.of.0)].as_mut()?;
        let (number, next) = (client.number, client.next);
        let start = issued.records.len();
        issued.records.resize(start + self.width, 0);
        let operation = source.issue(number, next, now, &mut issued.records[start..]);
        match operation {
            Some(operation) => issued.push(operation, now),
            None => issued.records.truncate(start),
        }
        client.next += u64::from(operation.is_some());
        operation
    }

    /// The import that a writer takes part in has no more operations for it.
    pub fn has_ended(&self, client: &Client<WriteId>) -> bool {
        let source = self.sources[usize::from(client.of.0)].as_ref();
        source.is_none_or(|source| {
            let index = client.next * u64::from(source.clients()) + u64::from(client.number);
            source
                .operations()
                .is_some_and(|operations| index >= operations)
        })
    }

    /// For how long a writer thinks before its next operation.
    pub fn think(&self, client: &Client<WriteId>) -> SimDuration {
        let source = self.sources[usize::from(client.of.0)].as_ref();
        source.map_or(SimDuration::ZERO, |source| {
            source.think(client.number, client.next)
        })
    }
}
