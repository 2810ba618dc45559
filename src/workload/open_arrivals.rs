//! All operations that the run intends whatever happens, in order of time. Must not know what becomes of them.

use super::import_order::WrittenOrder;
use super::intended_times::{BeatTimes, RateTimes};
use super::rate_profile::RateProfile;
use super::row_plan::{RowPlan, RowSource};
use super::{Drive, OperationBatch, OperationId, Workload, Write, WriteId};
use crate::random::{DrawKey, Seed, Stream, lane_of};
use crate::record::{AskedFields, FieldId, OperationRun, RecordGenerator};
use crate::time::{EpochNanos, SimTime};
use std::sync::Arc;

/// The operations of all open-loop writes and beats, merged; ties go to the write that comes first in the file. Each write has random streams of its own,
/// found by its name: adding one moves nothing in another.
#[derive(Debug)]
pub struct OpenArrivals {
    generator: Arc<RecordGenerator>,
    start: EpochNanos,
    writes: Vec<OpenWrite>,
}

/// One write, looking one operation ahead.
#[derive(Debug)]
pub(super) struct OpenWrite {
    id: WriteId,
    draws: DrawKey,
    /// What the first record's sequence fields count.
    sequence: u64,
    with: usize,
    fixed: Vec<(FieldId, i64)>,
    asked: AskedFields,
    source: Source,
    next: Option<Next>,
    /// Scratch space: the combinations or records of the operations that are being made.
    numbers: Vec<u64>,
}

#[derive(Debug)]
enum Source {
    Rate {
        times: RateTimes,
        made: u64,
    },
    Import {
        times: RateTimes,
        made: u64,
        rows: Box<(RowPlan, WrittenOrder)>,
    },
    Beat(BeatTimes),
}

/// The operation that comes next: `number` is a beat's combination or an import's record.
#[derive(Debug, Clone, Copy)]
struct Next {
    time: SimTime,
    index: u64,
    number: u64,
}

impl OpenArrivals {
    /// The arrivals of one replicate. O(combinations) for beats, and what ordering an import takes.
    pub fn new(
        workload: &Workload,
        generator: Arc<RecordGenerator>,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let open = |(at, write)| {
            OpenWrite::new(
                WriteId(at as u8),
                write,
                workload,
                &generator,
                seed,
                replicate,
            )
        };
        let writes = workload
            .writes
            .iter()
            .enumerate()
            .filter_map(open)
            .collect();
        Self {
            start: workload.start,
            writes,
            generator,
        }
    }

    /// Only these fields, and those that they depend on, have to be drawn: others may be 0 in the records.
    pub fn asking_for(mut self, fields: impl IntoIterator<Item = FieldId>) -> Self {
        let asked = AskedFields::new(self.generator.schema(), fields);
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
    pub(super) fn new(
        id: WriteId,
        write: &Write,
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
    ) -> Option<Self> {
        let schema = generator.schema();
        let lane = lane_of(&write.name);
        let mut fixed = write.with.clone();
        let source = match &write.drive {
            Drive::Closed { .. } => return None,
            Drive::Open {
                rate,
                arrivals,
                profile,
                import,
            } => {
                let profile = RateProfile::new(*rate, profile, workload.duration);
                let times = RateTimes::new(profile, *arrivals, seed, replicate, lane);
                match import {
                    None => Source::Rate { times, made: 0 },
                    Some(import) => {
                        let rows = RowSource {
                            name: &write.name,
                            with: &write.with,
                            stream: Stream::Records,
                        };
                        let plan =
                            RowPlan::new(&import.rows, rows, workload, schema, seed, replicate);
                        let order = WrittenOrder::new(
                            import.order,
                            &plan,
                            generator,
                            seed,
                            replicate,
                            lane,
                        );
                        Source::Import {
                            times,
                            made: 0,
                            rows: Box::new((plan, order)),
                        }
                    }
                }
            }
            Drive::Beat(beat) => {
                fixed.resize(fixed.len() + beat.each.len(), (FieldId(0), 0));
                Source::Beat(BeatTimes::new(
                    beat,
                    workload.duration,
                    schema,
                    seed,
                    replicate,
                    lane,
                ))
            }
        };
        let mut this = Self {
            id,
            draws: DrawKey::new(seed, replicate, Stream::Records, lane),
            sequence: workload.existing_rows_of(id, schema),
            with: write.with.len(),
            fixed,
            asked: AskedFields::ALL,
            source,
            next: None,
            numbers: Vec::new(),
        };
        this.advance();
        Some(this)
    }

    #[inline]
    pub(super) fn time(&self) -> Option<SimTime> {
        self.next.map(|next| next.time)
    }

    /// Passes over the next operation without making it.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.next = match &mut self.source {
            Source::Rate { times, made } => times.next().map(|time| {
                *made += 1;
                Next {
                    time,
                    index: *made - 1,
                    number: 0,
                }
            }),
            Source::Import { times, made, rows } if *made < rows.0.len() => {
                times.next().map(|time| {
                    *made += 1;
                    Next {
                        time,
                        index: *made - 1,
                        number: rows.1.record(*made - 1),
                    }
                })
            }
            Source::Import { .. } => None,
            Source::Beat(beats) => beats.next().map(|beat| Next {
                time: beat.time,
                index: beat.index,
                number: beat.combination,
            }),
        };
    }

    /// Appends up to `max` operations, as long as their times are `due`, to `batch`; their number. Times first, then records: neither waits for the other.
    #[inline]
    pub(super) fn emit(
        &mut self,
        max: usize,
        due: impl Fn(SimTime) -> bool,
        start: EpochNanos,
        generator: &RecordGenerator,
        batch: &mut OperationBatch,
    ) -> usize {
        if let Source::Rate { .. } = self.source {
            return self.emit_run(max, due, start, generator, batch);
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
            match &self.source {
                Source::Import { rows, .. } => {
                    rows.0
                        .record(*number, self.sequence, at, generator, &mut self.fixed, out);
                    continue;
                }
                Source::Beat(beats) => beats
                    .combinations()
                    .write(*number, &mut self.fixed[self.with..]),
                Source::Rate { .. } => {}
            }
            generator.generate(
                self.draws.at(*index),
                self.sequence + index,
                at,
                &self.fixed,
                out,
            );
        }
        self.numbers.len()
    }

    /// [`OpenWrite::emit`] for operations at a rate, whose indices follow each other.
    #[inline]
    fn emit_run(
        &mut self,
        max: usize,
        due: impl Fn(SimTime) -> bool,
        start: EpochNanos,
        generator: &RecordGenerator,
        batch: &mut OperationBatch,
    ) -> usize {
        let (Source::Rate { times, made }, Some(next)) = (&mut self.source, self.next) else {
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
        *made = indices.end + u64::from(time.is_some());
        self.next = time.map(|time| Next {
            time,
            index: indices.end,
            number: 0,
        });
        let operation = |index| OperationId::new(self.id, index).0;
        batch.operations.extend(indices.clone().map(operation));
        batch.indices.extend(indices.clone());
        batch.writes.resize(at + count, self.id);
        let slots = batch.records.len();
        batch.records.resize(slots + count * generator.width(), 0);
        let run = OperationRun {
            draws: self.draws,
            first: indices.start,
            sequence: self.sequence + indices.start,
            start,
            times: &batch.intended[at..],
            asked: self.asked,
        };
        generator.generate_run(run, &self.fixed, &mut batch.records[slots..]);
        count
    }
}
