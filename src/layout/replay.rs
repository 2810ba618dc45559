//! The operations of one strategy as its clients would send them to a real store: keys and ranges in the order of their times. Must not know
//! how they are written down.

use super::key_sample::{KeySample, KeyedTable, written_at};
use super::{Layout, Replicate};
use crate::cluster::ValueSpec;
use crate::key::{KeyPlan, Row};
use crate::keyspace::{KeyBatch, RowKey};
use crate::query::Requests;
use crate::random::{DrawKey, Stream};
use crate::scenario::Strategy;
use crate::time::{SimDuration, SimTime};
use crate::workload::{
    Choice, ClosedSource, OpenArrivals, OperationBatch, ReadBatch, ReadId, ReadLoadModel,
    ReadSource, WriteId,
};
use either::Either;
use serde::Serialize;
use std::iter::Peekable;
use std::sync::Arc;

/// Operations that are made and keyed together.
const BATCH: usize = 256;

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// When it is intended. Of a closed loop, whose times nobody knows beforehand: when about so many operations are done.
    pub at: SimTime,
    /// The client of a closed loop, from 0; none of an open loop.
    pub client: Option<u32>,
    /// What it asks the store for.
    pub asks: Asks,
}

/// A row that exists before the run.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistingRow {
    /// The write whose cells it has.
    pub write: WriteId,
    /// When it was written, in milliseconds since 1970: its cells' timestamp.
    pub written_ms: u64,
    /// Of the table and its copies, in their order.
    pub keys: Vec<RowKey>,
    /// As [`Asks::Write`] has them.
    pub parts: Vec<Vec<u8>>,
}

/// What an operation asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Asks {
    /// A row is written to the table and its copies, in their order.
    Write {
        write: WriteId,
        keys: Vec<RowKey>,
        /// What its cells have of its own: the qualifier, where the strategy says it, then each value that is an expression, in the order of the cells.
        parts: Vec<Vec<u8>>,
    },
    /// Rows are got, and ranges scanned, of the table or of one of its copies.
    Read {
        read: ReadId,
        /// 0: the table itself; c: its copy c - 1.
        table: usize,
        gets: Vec<RowKey>,
        scans: Vec<ScanRange>,
    },
}

/// One scan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScanRange {
    /// Empty at the start of the table.
    pub start: RowKey,
    /// Exclusive; empty at the end of the table.
    pub stop: RowKey,
    /// From its stop key down.
    pub reversed: bool,
}

/// The operations of a strategy in one replicate, in the order of their times; those of a closed loop never end.
pub struct Replay<'a> {
    sources: Vec<Source<'a>>,
}

impl<'a> Replay<'a> {
    /// All that the replicate writes and reads in its run. Readers know the times at which rows are written among the first `exact` operations.
    pub fn new(
        strategy: &'a Strategy,
        replicate: &'a Replicate,
        layout: &'a Layout,
        exact: usize,
    ) -> Self {
        let workload = &strategy.setup.workload;
        let (generator, schema) = (&replicate.generator, &strategy.setup.schema);
        let keyed = |source| {
            let writes = Writes {
                source,
                width: generator.width(),
                batch: OperationBatch::default(),
                tables: Table::all(strategy, replicate),
                strategy,
                next: 0,
            };
            Either::Left(writes).peekable()
        };
        let open = OpenArrivals::new(workload, Arc::clone(generator));
        let mut sources = vec![keyed(WriteSource::Open(open))];
        for (at, write) in workload.writes.iter().enumerate() {
            let id = WriteId(at as u8);
            if let Some(source) = ClosedSource::new(workload, id, Arc::clone(generator)) {
                let least = 1.0 / workload.duration.as_secs_f64();
                sources.push(keyed(WriteSource::Closed {
                    source: Box::new(source),
                    pace: workload.estimated_rate(write, schema).0.max(least),
                    made: 0,
                }));
            }
        }
        let reads = |closed| {
            let source = ReadSource::new(workload, Arc::clone(generator));
            let source = source.at_drawn_times(workload, exact);
            let reads = Reads {
                source,
                closed,
                replicate,
                layout,
                made: 0,
                batch: ReadBatch::default(),
                next: 0,
                requests: Requests::default(),
            };
            Either::Right(reads).peekable()
        };
        if workload.reads.iter().any(|read| read.load.is_some()) {
            sources.push(reads(None));
        }
        for (at, read) in workload.reads.iter().enumerate() {
            if let Some(ReadLoadModel::Closed { clients, think }) = read.load {
                let cycle = think.mean() + workload.closed_loops.idle_response;
                sources.push(reads(Some((ReadId(at as u8), clients, cycle))));
            }
        }
        Self { sources }
    }

    /// At most `rows` of the rows that exist before the run, spread over all of them.
    pub fn existing(strategy: &Strategy, replicate: &Replicate, rows: usize) -> Vec<ExistingRow> {
        let tables = KeyedTable::all(strategy, replicate);
        let tables = tables.map(|table| table.existing(rows, Choice::Spread));
        let tables: Vec<Arc<KeySample>> = tables.collect();
        let row = |at: usize| {
            let keys = tables.iter().map(|table| table.keys.get(at).into());
            let keys: Vec<RowKey> = keys.collect();
            let write = tables[0].batch.writes[at];
            ExistingRow {
                write,
                written_ms: written_at(&tables[0], at, &strategy.setup, false),
                parts: own_parts(strategy, write, &tables[0].row(at), &keys[0]),
                keys,
            }
        };
        (0..tables[0].len()).map(row).collect()
    }
}

impl Iterator for Replay<'_> {
    type Item = Replayed;

    fn next(&mut self) -> Option<Replayed> {
        let sources = self.sources.iter_mut();
        let ready = sources.filter_map(|source| Some((source.peek()?.at, source)));
        let (_, first) = ready.min_by_key(|(at, _)| *at)?;
        first.next()
    }
}

/// One stream of operations.
type Source<'a> = Peekable<Either<Writes<'a>, Reads<'a>>>;

/// A table that rows are written to.
struct Table<'a> {
    key: &'a KeyPlan,
    draws: DrawKey,
    keys: KeyBatch,
}

impl<'a> Table<'a> {
    /// The table itself, then its copies.
    fn all(strategy: &'a Strategy, replicate: &Replicate) -> Vec<Self> {
        let copies = strategy.copies.iter().map(|copy| &copy.key);
        let keys = std::iter::once(&strategy.key).chain(copies);
        let table = |(number, key): (u32, &'a Arc<KeyPlan>)| Self {
            key,
            draws: replicate.generator.draws(Stream::Keys, number),
            keys: KeyBatch::default(),
        };
        (0..).zip(keys).map(table).collect()
    }

    fn key(&mut self, batch: &OperationBatch) {
        let (operations, indices) = (&batch.operations, &batch.indices);
        let (records, draws) = (&batch.records, self.draws);
        self.keys.clear();
        self.key
            .write_batch(records, operations, indices, draws, &mut self.keys);
    }
}

/// What a write has of its own besides its key: see [`Asks::Write`].
fn own_parts(strategy: &Strategy, write: WriteId, row: &Row<'_>, key: &RowKey) -> Vec<Vec<u8>> {
    let written = strategy.setup.written.get(usize::from(write.0));
    let cells = written.into_iter().flat_map(|written| &written.cells);
    let made = |plan: &KeyPlan| {
        let mut bytes = Vec::new();
        plan.write(row, &mut bytes);
        bytes
    };
    let name = strategy.qualifier.as_ref();
    let name = name.map(|_| made(&strategy.cell_key).split_off(key.as_bytes().len()));
    let values = cells.filter_map(|cell| match &cell.value {
        ValueSpec::Expr(plan) => Some(made(plan)),
        ValueSpec::Size { .. } => None,
    });
    name.into_iter().chain(values).collect()
}

/// Where operations of writes come from.
enum WriteSource {
    Open(OpenArrivals),
    Closed {
        source: Box<ClosedSource>,
        /// Operations a second.
        pace: f64,
        made: u64,
    },
}

impl WriteSource {
    fn fill(&mut self, batch: &mut OperationBatch, width: usize) {
        let (source, pace, made) = match self {
            Self::Open(arrivals) => {
                arrivals.fill(batch, BATCH);
                return;
            }
            Self::Closed { source, pace, made } => (source, *pace, made),
        };
        let clients = u64::from(source.clients);
        let mut record = vec![0; width];
        for index in *made..*made + BATCH as u64 {
            let now = SimTime::from_nanos((index as f64 / pace * 1e9) as u64);
            let (client, k) = ((index % clients) as u32, index / clients);
            let Some(operation) = source.issue(client, k, now, &mut record) else {
                break;
            };
            batch.push(operation, now);
            batch.records.extend_from_slice(&record);
        }
        *made += BATCH as u64;
    }

    fn client(&self, index: u64) -> Option<u32> {
        match self {
            Self::Open(_) => None,
            Self::Closed { source, .. } => Some((index % u64::from(source.clients)) as u32),
        }
    }
}

/// Writes with their keys.
struct Writes<'a> {
    source: WriteSource,
    width: usize,
    batch: OperationBatch,
    tables: Vec<Table<'a>>,
    strategy: &'a Strategy,
    next: usize,
}

impl Iterator for Writes<'_> {
    type Item = Replayed;

    fn next(&mut self) -> Option<Replayed> {
        if self.next == self.batch.operations.len() {
            self.next = 0;
            self.batch.clear();
            self.source.fill(&mut self.batch, self.width);
            let tables = self.tables.iter_mut();
            tables.for_each(|table| table.key(&self.batch));
        }
        let at = self.next;
        self.next += 1;
        let intended = *self.batch.intended.get(at)?;
        let (write, index) = (self.batch.writes[at], self.batch.indices[at]);
        let tables = self.tables.iter();
        let keys: Vec<RowKey> = tables.map(|table| table.keys.get(at).into()).collect();
        let draws = self.tables[0].draws.at(self.batch.operations[at]);
        let row = Row::new(self.batch.record(at, self.width), index, draws);
        Some(Replayed {
            at: intended,
            client: self.source.client(index),
            asks: Asks::Write {
                write,
                parts: own_parts(self.strategy, write, &row, &keys[0]),
                keys,
            },
        })
    }
}

/// Reads with what their access paths ask for: all open ones, or those of one closed loop.
struct Reads<'a> {
    source: ReadSource,
    /// The read, its clients, and how long each takes from one to the next.
    closed: Option<(ReadId, u32, SimDuration)>,
    replicate: &'a Replicate,
    layout: &'a Layout,
    made: u64,
    batch: ReadBatch,
    next: usize,
    requests: Requests,
}

impl Reads<'_> {
    fn fill(&mut self) {
        self.next = 0;
        self.batch.clear();
        let Some((read, clients, cycle)) = self.closed else {
            return self.source.fill(&mut self.batch, BATCH);
        };
        let k = self.made / u64::from(clients);
        let now = SimTime::ZERO + cycle.mul_f64(k as f64);
        for client in 0..clients {
            self.source.issue(read, client, k, now, &mut self.batch);
        }
        self.made += u64::from(clients);
    }
}

impl Iterator for Reads<'_> {
    type Item = Replayed;

    fn next(&mut self) -> Option<Replayed> {
        if self.next == self.batch.operations.len() {
            self.fill();
        }
        let at = self.next;
        self.next += 1;
        let read = *self.batch.reads.get(at)?;
        let target = self.batch.target(at, self.replicate.generator.width());
        let planned = &self.layout.reads[usize::from(read.0)].planned;
        let requests = &mut self.requests;
        let population = self.replicate.population.as_ref();
        planned.plan.requests(&target, population, requests);
        let ranges = requests.starts.iter().zip(requests.stops.iter());
        let scans = ranges
            .zip(&requests.scans)
            .map(|((start, stop), scan)| ScanRange {
                start: start.into(),
                stop: stop.into(),
                reversed: scan.reversed,
            });
        Some(Replayed {
            at: target.at,
            client: self.closed.map(|_| at as u32),
            asks: Asks::Read {
                read,
                table: planned.table,
                gets: requests.gets.iter().map(RowKey::from).collect(),
                scans: scans.collect(),
            },
        })
    }
}
