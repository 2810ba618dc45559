//! All clients of a run, and what they have in common; those of closed loops, which wait, think, and go on.
//!
//! The k-th operation of a closed-loop client is the same under every strategy; only its time, and what sequences count by then, follow from the replies
//! before it.

use super::neighbours::Neighbours;
use super::open_loop::OpenLoop;
use super::reads::Reads;
use super::write_buffers::{BufferedRow, WriteBuffer};
use crate::client::BackOff;
use crate::engine::config::SimConfig;
use crate::engine::numbers::NONE;
use crate::engine::rpc::AttemptDraws;
use crate::engine::table::tables::Tables;
use crate::keyspace::RowKey;
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};
use crate::workload::{
    ClosedSource, LoadModel, OperationBatch, OperationId, ReadId, ReadLoadModel, Think, WriteId,
};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use std::sync::Arc;

/// A client starts at most one operation (or flush) in this time, so that a workload without any delay still ends.
pub const LEAST_CYCLE: SimDuration = SimDuration::from_nanos(1_000);
/// Of regions that have one of a thousand operations so many meet one with a probability of 1 - e^-10.
const MOST_LEFT_OUT: u32 = 10_000;

/// What a closed-loop client does again and again.
#[derive(Debug, Clone, Copy)]
pub enum Task {
    Write(WriteId),
    Read(ReadId),
}

/// A client of a closed loop.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    pub task: Task,
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

impl Client {
    /// The clients of one write or read, before their first operations.
    fn all(task: Task, clients: u32, think: Think) -> impl Iterator<Item = Self> {
        let (Think::Constant(length) | Think::Exponential(length)) = think;
        (0..clients).map(move |number| Self {
            task,
            number,
            clients,
            next: 0,
            thinks: length > SimDuration::ZERO,
            earliest: SimTime::ZERO,
            buffer: NONE,
        })
    }

    /// When it starts: after its first think time, or within a time when it doesn't think.
    pub fn start(&self, think: SimDuration, within: SimDuration) -> SimTime {
        if self.thinks {
            return SimTime::ZERO + think;
        }
        let nanos = u128::from(within.as_nanos()) * u128::from(self.number);
        SimTime::from_nanos((nanos / u128::from(self.clients)) as u64)
    }
}

/// The closed-loop writes.
#[derive(Debug)]
pub struct ClosedWrites {
    /// Of each write; `None` when it is open loop.
    sources: Vec<Option<ClosedSource>>,
    /// Slots of a record.
    width: usize,
    /// Clients take the operations of a write in their order, not each its own.
    in_order: bool,
}

impl ClosedWrites {
    fn source(&self, write: WriteId) -> Option<&ClosedSource> {
        self.sources[usize::from(write.0)].as_ref()
    }

    /// A writer's next operation, issued `now`, is added to `issued`; `None` when its import has no more for it.
    pub fn issue(
        &mut self,
        client: &mut Client,
        now: SimTime,
        issued: &mut OperationBatch,
    ) -> Option<OperationId> {
        let Task::Write(write) = client.task else {
            return None;
        };
        let source = self.sources[usize::from(write.0)].as_mut()?;
        let start = issued.records.len();
        issued.records.resize(start + self.width, 0);
        let records = &mut issued.records[start..];
        let operation = match self.in_order {
            true => Some(source.issue_in_order(now, records)),
            false => source.issue(client.number, client.next, now, records),
        };
        match operation {
            Some(operation) => issued.push(operation, now),
            None => issued.records.truncate(start),
        }
        client.next += u64::from(operation.is_some());
        operation
    }
}

/// The clients of the workload, and those of neighbours.
#[derive(Debug)]
pub struct Clients {
    pub(super) open: OpenLoop,
    /// Those of closed loops: the writers, then the readers.
    pub(super) closed: Vec<Client>,
    pub(super) writes: ClosedWrites,
    pub(super) buffers: Vec<WriteBuffer>,
    pub(super) reads: Reads,
    pub(super) neighbours: Neighbours,
    /// Of each write: it increments.
    pub(super) increments: Vec<bool>,
    pub(super) back_off: BackOff,
    pub(super) back_off_draws: AttemptDraws,
    /// When the last operation was completed or given up.
    pub last_outcome: SimTime,
    /// Operations of closed loops whose keys have not been written yet, and their RPCs, one a table: a key isn't needed before the RPC reaches the
    /// network's other end, so those of one network delay are keyed and routed together.
    pub(super) issued: OperationBatch,
    pub(super) issued_rpcs: Vec<u32>,
    /// Operations whose rows are put into a buffer together, or one whose region is looked for; kept for its memory.
    pub(super) buffered: OperationBatch,
    /// See [`crate::engine::ClosedLoops::regions`].
    regions: Arc<Vec<bool>>,
    /// Where regions are chosen, the writes of all clients, of which each operation takes one by chance: no write comes more often as its rows are free.
    mix: Vec<Task>,
    mix_draws: Xoshiro256PlusPlus,
    /// RPCs that are sent together; kept for its memory.
    pub(super) sent: Vec<u32>,
}

impl Clients {
    /// Adds the regions of neighbours to those of the tables.
    pub fn new(config: &SimConfig, tables: &mut Tables<'_>) -> Self {
        let (workload, generator) = (&config.workload, &config.generator);
        let (mut closed, mut buffers, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (id, write) in (0..).map(WriteId).zip(&workload.writes) {
            sources.push(ClosedSource::new(workload, id, generator.clone()));
            if let &LoadModel::Closed {
                clients,
                buffer,
                think,
                ..
            } = &write.load
            {
                // HBase's BufferedMutator takes no increments: they are sent one by one.
                let buffer = buffer.filter(|_| !write.kind.reads_first());
                closed.extend(
                    Client::all(Task::Write(id), clients, think).map(|client| Client {
                        buffer: buffer.map_or(NONE, |capacity| {
                            buffers.push(WriteBuffer::new(capacity.0));
                            (buffers.len() - 1) as u32
                        }),
                        ..client
                    }),
                );
            }
        }
        tables.first_reader = closed.len() as u32;
        let mix: Vec<Task> = match config.closed.regions.is_empty() {
            true => Vec::new(),
            false => closed.iter().map(|client| client.task).collect(),
        };
        for (id, read) in (0..).map(ReadId).zip(&workload.reads) {
            if let Some(ReadLoadModel::Closed { clients, think }) = read.load {
                closed.extend(Client::all(Task::Read(id), clients, think));
            }
        }
        let writes = workload.writes.iter();
        Self {
            open: OpenLoop::new(config),
            closed,
            writes: ClosedWrites {
                sources,
                width: generator.width(),
                in_order: !config.closed.regions.is_empty(),
            },
            buffers,
            reads: Reads::new(config, &tables.routers),
            neighbours: Neighbours::new(config, tables),
            increments: writes.map(|write| write.kind.reads_first()).collect(),
            back_off: BackOff::new(config.client.pause, config.cluster.network),
            back_off_draws: AttemptDraws::new(generator, Stream::BackOff),
            last_outcome: SimTime::ZERO,
            issued: OperationBatch::default(),
            issued_rpcs: Vec::new(),
            buffered: OperationBatch::default(),
            regions: Arc::clone(&config.closed.regions),
            mix,
            mix_draws: generator.sequence(Stream::Sample, 0),
            sent: Vec::new(),
        }
    }

    /// Servers and regions are too many to stay in the caches.
    pub fn read_ahead(&self) -> bool {
        self.open.reads_ahead
    }

    /// When the next open-loop write is sent; [`SimTime::MAX`] when there is none.
    pub fn next_open(&self) -> SimTime {
        self.open.next_time()
    }

    /// Some operation has been completed or given up at `at`.
    pub(super) fn outcome(&mut self, at: SimTime) {
        self.last_outcome = self.last_outcome.max(at);
    }

    /// An operation of a write increments its row.
    pub(super) fn increments(&self, operation: OperationId) -> bool {
        self.increments[usize::from(operation.write().0)]
    }

    /// A writer's next operation that goes to a region that counts is issued `now`; `None` when its import has no more for it. Where none of so many
    /// does, as none of their time goes there, all count from then on.
    pub(super) fn issue(
        &mut self,
        at: u32,
        now: SimTime,
        tables: &mut Tables<'_>,
    ) -> Option<OperationId> {
        let client = &mut self.closed[at as usize];
        for _ in 0..MOST_LEFT_OUT {
            if self.regions.is_empty() {
                break;
            }
            client.task = self.mix[self.mix_draws.random_range(0..self.mix.len())];
            self.buffered.clear();
            let operation = self.writes.issue(client, now, &mut self.buffered);
            let (regions, mut counts) = (&self.regions, false);
            tables.routers[0].route(&self.buffered, |_, _, row, _| {
                counts = regions[row.region as usize];
            });
            if counts {
                self.issued.append(&self.buffered);
                return operation;
            }
        }
        self.regions = Arc::default();
        self.writes.issue(client, now, &mut self.issued)
    }

    /// The import that a client takes part in has no more operations.
    pub(super) fn has_ended(&self, client: &Client) -> bool {
        let Task::Write(write) = client.task else {
            return false;
        };
        self.writes.source(write).is_none_or(ClosedSource::is_done)
    }

    /// For how long a client thinks before its next operation.
    pub(super) fn think(&self, client: &Client) -> SimDuration {
        let Client { number, next, .. } = *client;
        let think = match client.task {
            Task::Write(write) => {
                let source = self.writes.source(write);
                source.map(|source| source.think(number, next))
            }
            Task::Read(read) => {
                let source = self.reads.source.as_ref();
                source.map(|source| source.think(read, number, next))
            }
        };
        think.unwrap_or(SimDuration::ZERO)
    }

    /// A client learns now that it has to give up an operation: its next one starts no sooner than a further attempt could.
    pub(super) fn fails(&mut self, at: u32, now: SimTime) {
        let client = &mut self.closed[at as usize];
        client.earliest = client.earliest.max(now + self.back_off.least);
    }

    /// The write buffer of a client that has one.
    pub fn buffer(&mut self, client: u32) -> &mut WriteBuffer {
        let buffer = self.closed[client as usize].buffer;
        &mut self.buffers[buffer as usize]
    }

    /// Rows in buffers and flushes that have neither a reply nor failed.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        self.buffers.iter().flat_map(WriteBuffer::unfinished_rows)
    }

    /// Neighbours in key order are no more: one has been divided at `row`, or two have become one. Those who look ahead find their regions again.
    pub fn regions_change(
        &mut self,
        gone: &[u32],
        heirs: &[u32],
        row: Option<&RowKey>,
        tables: &Tables<'_>,
    ) {
        let table = tables.regions.get(gone[0]).table as usize;
        self.reads.regions_change(table, gone, heirs, row);
        self.open.route_again(table, tables, gone);
    }
}
