//! The operations of writes: all that open loops intend whatever happens, in order of time, and what a client of a closed loop does next.
//! Must not know what becomes of them.

use super::combinations::TurnTimes;
use super::rate_profile::RateTimes;
use super::row_source::RowSource;
use super::{LoadModel, OperationId, Think, Workload, Write, WriteId};
use crate::random::{DrawKey, Draws, Stream, lane_of};
use crate::record::{FieldId, FieldMask, RecordGenerator};
use crate::time::{SimDuration, SimTime};
use std::sync::Arc;

/// Operations in the order of their intended times, column by column; reused, so that a warm batch allocates nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationBatch {
    /// [`OperationId`]s as numbers, which is how keys' draws are addressed.
    pub operations: Vec<u64>,
    /// Index of each within its write.
    pub indices: Vec<u64>,
    /// Write of each.
    pub writes: Vec<WriteId>,
    /// Intended start of each. For rows of a sample that were written before the run: its start.
    pub intended: Vec<SimTime>,
    /// All records, one after another.
    pub records: Vec<i64>,
}

impl OperationBatch {
    /// Forgets all operations, keeps the memory.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.indices.clear();
        self.writes.clear();
        self.intended.clear();
        self.records.clear();
    }

    /// The record of the `at`-th operation, of `width` slots.
    pub fn record(&self, at: usize, width: usize) -> &[i64] {
        &self.records[at * width..][..width]
    }

    /// Appends the operations of another batch.
    pub fn append(&mut self, other: &Self) {
        self.operations.extend_from_slice(&other.operations);
        self.indices.extend_from_slice(&other.indices);
        self.writes.extend_from_slice(&other.writes);
        self.intended.extend_from_slice(&other.intended);
        self.records.extend_from_slice(&other.records);
    }

    /// Appends an operation; its record is the caller's to append.
    #[inline]
    pub fn push(&mut self, operation: OperationId, intended: SimTime) {
        self.operations.push(operation.0);
        self.indices.push(operation.index());
        self.writes.push(operation.write());
        self.intended.push(intended);
    }

    /// Appends an operation; its record of `width` slots is the caller's to fill.
    pub(super) fn push_record(
        &mut self,
        operation: OperationId,
        intended: SimTime,
        width: usize,
    ) -> &mut [i64] {
        self.push(operation, intended);
        let start = self.records.len();
        self.records.resize(start + width, 0);
        &mut self.records[start..]
    }
}

/// The operations of all open-loop writes, merged; ties go to the write that comes first in the file. Each write has random streams of its own,
/// found by its name: adding one moves nothing in another.
#[derive(Debug)]
pub struct OpenArrivals {
    generator: Arc<RecordGenerator>,
    writes: Vec<OpenWrite>,
}

/// One write, looking one operation ahead.
#[derive(Debug)]
struct OpenWrite {
    id: WriteId,
    rows: RowSource,
    times: Times,
    asked: FieldMask,
    /// Time and index of the next operation.
    next: Option<(SimTime, u64)>,
}

#[derive(Debug)]
enum Times {
    Rate(RateTimes),
    Turns(TurnTimes),
    /// These, as long as the run lasts.
    Listed(Arc<[SimTime]>, SimTime),
}

impl OpenArrivals {
    /// The arrivals of one replicate, whose records `generator` draws. O(combinations) for periodic writes, and what ordering an import takes.
    pub fn new(workload: &Workload, generator: Arc<RecordGenerator>) -> Self {
        let open = |at| OpenWrite::new(WriteId(at as u8), workload, &generator);
        Self {
            writes: (0..workload.writes.len()).filter_map(open).collect(),
            generator,
        }
    }

    /// Only these fields, and those that they depend on, have to be drawn: others may be 0 in the records.
    pub fn asking_for(mut self, fields: impl IntoIterator<Item = FieldId>) -> Self {
        let asked = FieldMask::new(self.generator.schema(), fields);
        self.writes.iter_mut().for_each(|write| write.asked = asked);
        self
    }

    /// Intended time of the next operation; `None` when all are made.
    pub fn peek(&self) -> Option<SimTime> {
        self.writes.iter().filter_map(OpenWrite::time).min()
    }

    /// Appends up to `max` operations to `batch`; fewer (their number is returned) only when the run has no more. How many are asked for at a time
    /// changes nothing.
    pub fn fill(&mut self, batch: &mut OperationBatch, max: usize) -> usize {
        let mut made = 0;
        while made < max {
            let Some((at, others)) = self.earliest() else {
                break;
            };
            let due = |time| (time, at) < others;
            made += self.writes[at].emit(max - made, due, batch);
        }
        made
    }

    /// The write whose operation comes next, and when one of another write does.
    fn earliest(&self) -> Option<(usize, (SimTime, usize))> {
        let mut first = (SimTime::MAX, usize::MAX);
        let mut second = first;
        for (at, write) in self.writes.iter().enumerate() {
            if let Some(time) = write.time() {
                if (time, at) < first {
                    second = first;
                    first = (time, at);
                } else if (time, at) < second {
                    second = (time, at);
                }
            }
        }
        (first.1 != usize::MAX).then_some((first.1, second))
    }
}

impl OpenWrite {
    /// The write's operations; `None` for a closed loop.
    fn new(id: WriteId, workload: &Workload, generator: &Arc<RecordGenerator>) -> Option<Self> {
        let Write { name, load, .. } = &workload.writes[usize::from(id.0)];
        let duration = workload.duration;
        let rows = match load {
            LoadModel::Closed { .. } => return None,
            LoadModel::Open { .. } | LoadModel::Periodic(_) => {
                RowSource::of_write(workload, id, generator)
            }
        };
        let listed = load.import().and_then(|import| import.times.as_ref());
        let mut times = match (load, listed) {
            (_, Some(times)) => Times::Listed(Arc::clone(times), SimTime::ZERO + duration),
            (LoadModel::Open { arrivals, .. }, None) => {
                let profile = load.rate_profile(duration)?;
                Times::Rate(RateTimes::new(profile, *arrivals, generator, lane_of(name)))
            }
            _ => Times::Turns(TurnTimes::new(rows.clock()?, duration)),
        };
        Some(Self {
            id,
            next: match &mut times {
                Times::Rate(times) => times.nth(0, rows.len()),
                Times::Turns(turns) => turns.next(),
                Times::Listed(times, end) => listed_time(times, *end, 0),
            },
            rows,
            times,
            asked: FieldMask::ALL,
        })
    }

    fn time(&self) -> Option<SimTime> {
        self.next.map(|(time, _)| time)
    }

    /// Appends up to `max` operations, as long as their times are `due`, to `batch`; their number. Times first, then records: neither waits for the other.
    fn emit(
        &mut self,
        max: usize,
        due: impl Fn(SimTime) -> bool,
        batch: &mut OperationBatch,
    ) -> usize {
        let (first, len) = (batch.operations.len(), self.rows.len());
        let next = self.next;
        self.next = match &mut self.times {
            Times::Rate(times) => batch.take(max, due, next, |index| times.nth(index + 1, len)),
            Times::Turns(turns) => batch.take(max, due, next, |_| turns.next()),
            Times::Listed(times, end) => {
                batch.take(max, due, next, |index| listed_time(times, *end, index + 1))
            }
        };
        let indices = &batch.indices[first..];
        let operation = |index: &u64| OperationId::new(self.id, *index).0;
        batch.operations.extend(indices.iter().map(operation));
        batch.writes.resize(batch.indices.len(), self.id);
        let slots = batch.records.len();
        let end = slots + indices.len() * self.rows.generator.width();
        batch.records.resize(end, 0);
        let (times, out) = (&batch.intended[first..], &mut batch.records[slots..]);
        self.rows.records(indices, times, self.asked, out);
        indices.len()
    }
}

/// The time of operation `index`, and the index; `None` where the list or the run has ended.
fn listed_time(times: &[SimTime], end: SimTime, index: u64) -> Option<(SimTime, u64)> {
    let time = times.get(index as usize).filter(|time| **time < end)?;
    Some((*time, index))
}

impl OperationBatch {
    /// Appends the times and indices of up to `max` operations that are `due`, of which `next` is the first; what comes after them.
    fn take(
        &mut self,
        max: usize,
        due: impl Fn(SimTime) -> bool,
        mut next: Option<(SimTime, u64)>,
        mut after: impl FnMut(u64) -> Option<(SimTime, u64)>,
    ) -> Option<(SimTime, u64)> {
        let mut room = max;
        while room > 0
            && let Some((time, index)) = next
            && due(time)
        {
            self.intended.push(time);
            self.indices.push(index);
            next = after(index);
            room -= 1;
        }
        next
    }
}

/// The operations of one closed-loop write: operation `k` of a client has the same fields under every strategy, timestamps and sequences apart, which
/// follow the time of its issue. The clients of an import share its records: whoever is ready takes the next one.
#[derive(Debug)]
pub struct ClosedSource {
    id: WriteId,
    /// Number of clients.
    pub clients: u32,
    think: Think,
    thinking: DrawKey,
    rows: RowSource,
    /// Records that its clients have taken: what the next one's sequence fields count.
    taken: u64,
}

impl ClosedSource {
    /// The source of a write; `None` unless it is a closed loop.
    pub fn new(workload: &Workload, id: WriteId, generator: Arc<RecordGenerator>) -> Option<Self> {
        let write = &workload.writes[usize::from(id.0)];
        let LoadModel::Closed { clients, think, .. } = &write.load else {
            return None;
        };
        Some(Self {
            id,
            clients: *clients,
            think: *think,
            thinking: generator.draws(Stream::Think, lane_of(&write.name)),
            rows: RowSource::of_write(workload, id, &generator),
            taken: 0,
        })
    }

    /// It is an import, and its clients have taken all records.
    pub fn is_done(&self) -> bool {
        self.rows.is_finite() && self.taken >= self.rows.len()
    }

    /// Writes the record of the `k`-th operation of `client`, issued `now`, to `out`; `None` when the import has no more.
    pub fn issue(
        &mut self,
        client: u32,
        k: u64,
        now: SimTime,
        out: &mut [i64],
    ) -> Option<OperationId> {
        let taken = self.taken;
        if taken >= self.rows.len() {
            return None;
        }
        self.taken += 1;
        if !self.rows.is_finite() {
            let index = self.index(client, k);
            self.rows.issued((index, taken), now, out);
            return Some(OperationId::new(self.id, index));
        }
        let record = self.rows.written(taken);
        self.rows.record(record, now, &[], out);
        Some(OperationId::new(self.id, taken))
    }

    /// The same of the operation that is next in the order of them all, whichever client issues it; of no import.
    pub fn issue_in_order(&mut self, now: SimTime, out: &mut [i64]) -> OperationId {
        let index = self.taken;
        self.taken += 1;
        self.rows.issued((index, index), now, out);
        OperationId::new(self.id, index)
    }

    /// Time that `client` thinks before its `k`-th operation.
    pub fn think(&self, client: u32, k: u64) -> SimDuration {
        self.think.time(self.thinking.at(self.index(client, k)))
    }

    fn index(&self, client: u32, k: u64) -> u64 {
        k * u64::from(self.clients) + u64::from(client)
    }
}

impl Think {
    /// The time that a client thinks once.
    pub(super) fn time(self, mut draws: Draws) -> SimDuration {
        match self {
            Self::Constant(length) => length,
            Self::Exponential(mean) => mean.mul_f64(draws.exponential()),
        }
    }
}
