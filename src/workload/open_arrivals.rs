//! All operations that the run intends whatever happens, in order of time. Must not know what becomes of them.

use super::import_order::WrittenOrder;
use super::intended_times::{RateTimes, Turn, TurnTimes};
use super::rate_profile::RateProfile;
use super::row_source::RowSource;
use super::{Drive, OperationBatch, OperationId, Workload, WriteId};
use crate::random::lane_of;
use crate::record::{FieldId, FieldMask, RecordGenerator};
use crate::time::{EpochNanos, SimTime};
use std::sync::Arc;

/// The operations of all open-loop writes, merged; ties go to the write that comes first in the file. Each write has random streams of its own,
/// found by its name: adding one moves nothing in another.
#[derive(Debug)]
pub struct OpenArrivals {
    generator: Arc<RecordGenerator>,
    start: EpochNanos,
    writes: Vec<OpenWrite>,
}

/// One write, looking one operation ahead.
#[derive(Debug)]
struct OpenWrite {
    id: WriteId,
    rows: RowSource,
    order: WrittenOrder,
    times: Times,
    asked: FieldMask,
    made: u64,
    next: Option<Next>,
    /// Scratch space: what [`Next::number`] is of the operations that are being made.
    numbers: Vec<u64>,
}

#[derive(Debug)]
enum Times {
    Rate(RateTimes),
    Turns(TurnTimes),
}

/// The operation that comes next.
#[derive(Debug, Clone, Copy)]
struct Next {
    time: SimTime,
    index: u64,
    /// Of a turn its combination, else the number of its record.
    number: u64,
}

impl OpenArrivals {
    /// The arrivals of one replicate, whose records `generator` draws. O(combinations) for periodic writes, and what ordering an import takes.
    pub fn new(workload: &Workload, generator: Arc<RecordGenerator>) -> Self {
        let open = |at| OpenWrite::new(WriteId(at as u8), workload, &generator);
        Self {
            start: workload.start,
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
            let write = &mut self.writes[at];
            made += write.emit(
                max - made,
                |time| (time, at) < others,
                self.start,
                &self.generator,
                batch,
            );
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
    fn new(id: WriteId, workload: &Workload, generator: &RecordGenerator) -> Option<Self> {
        let write = &workload.writes[usize::from(id.0)];
        let duration = workload.duration;
        let mut rows = RowSource::of_write(workload, id, generator);
        let times = match &write.drive {
            Drive::Closed { .. } => return None,
            Drive::Open {
                rate,
                arrivals,
                profile,
                ..
            } => {
                let profile = RateProfile::new(*rate, profile, duration);
                let lane = lane_of(&write.name);
                Times::Rate(RateTimes::new(profile, *arrivals, generator, lane))
            }
            Drive::Beat(_) => Times::Turns(TurnTimes::new(rows.clock()?, duration)),
        };
        let mut this = Self {
            id,
            order: WrittenOrder::of_write(write, &mut rows, generator),
            rows,
            times,
            asked: FieldMask::ALL,
            made: 0,
            next: None,
            numbers: Vec::new(),
        };
        this.advance();
        Some(this)
    }

    #[inline]
    fn time(&self) -> Option<SimTime> {
        self.next.map(|next| next.time)
    }

    /// Passes over the next operation without making it.
    #[inline]
    fn advance(&mut self) {
        self.next = match &mut self.times {
            Times::Rate(_) if self.made == self.rows.len() => None,
            Times::Rate(times) => times.next().map(|time| Next {
                time,
                index: self.made,
                number: self.order.record(self.made),
            }),
            Times::Turns(turns) => turns.next().map(
                |Turn {
                     time,
                     index,
                     combination,
                 }| Next {
                    time,
                    index,
                    number: combination,
                },
            ),
        };
        self.made += 1;
    }

    /// Appends up to `max` operations, as long as their times are `due`, to `batch`; their number. Times first, then records: neither waits for the other.
    #[inline]
    fn emit(
        &mut self,
        max: usize,
        due: impl Fn(SimTime) -> bool,
        start: EpochNanos,
        generator: &RecordGenerator,
        batch: &mut OperationBatch,
    ) -> usize {
        if let Times::Rate(_) = self.times
            && !self.rows.is_finite()
        {
            return self.emit_run(max, due, generator, batch);
        }
        let first = batch.len();
        self.numbers.clear();
        while self.numbers.len() < max
            && let Some(Next {
                time,
                index,
                number,
            }) = self.next
            && due(time)
        {
            batch.push(OperationId::new(self.id, index), time);
            self.numbers.push(number);
            self.advance();
        }
        let width = generator.width();
        let indices = batch.indices[first..].iter().zip(&batch.intended[first..]);
        let slots = batch.records.len();
        batch.records.resize(slots + self.numbers.len() * width, 0);
        let records = batch.records[slots..].chunks_exact_mut(width.max(1));
        for (((index, time), number), out) in indices.zip(&self.numbers).zip(records) {
            let at = start.at(*time);
            match self.times {
                Times::Rate(_) => self.rows.record(*number, at, &[], generator, out),
                Times::Turns(_) => {
                    self.rows
                        .record_of(*index, *number, at, &[], generator, out);
                }
            }
        }
        self.numbers.len()
    }

    /// [`OpenWrite::emit`] for operations at a rate, whose indices follow each other.
    #[inline]
    fn emit_run(
        &mut self,
        max: usize,
        due: impl Fn(SimTime) -> bool,
        generator: &RecordGenerator,
        batch: &mut OperationBatch,
    ) -> usize {
        let (Times::Rate(times), Some(next)) = (&mut self.times, self.next) else {
            return 0;
        };
        let at = batch.len();
        let mut time = Some(next.time);
        while let Some(due_time) = time
            && batch.intended.len() - at < max
            && due(due_time)
        {
            batch.intended.push(due_time);
            time = times.next();
        }
        let count = batch.intended.len() - at;
        let indices = next.index..next.index + count as u64;
        self.made = indices.end + u64::from(time.is_some());
        self.next = time.map(|time| Next {
            time,
            index: indices.end,
            number: indices.end,
        });
        let operation = |index| OperationId::new(self.id, index).0;
        batch.operations.extend(indices.clone().map(operation));
        batch.indices.extend(indices.clone());
        batch.writes.resize(at + count, self.id);
        let slots = batch.records.len();
        batch.records.resize(slots + count * generator.width(), 0);
        let run = self
            .rows
            .run(indices.start, &batch.intended[at..], self.asked);
        generator.generate_run(run, self.rows.fixed(), &mut batch.records[slots..]);
        count
    }
}
