//! Record n of a write, or of the rows written before the run: the one place that makes it. Must not know in which order they are written.

use super::combinations::Combinations;
use super::periodic_clock::PeriodicClock;
use super::{Beat, Drive, Existing, ImportRows, Phase, Workload, WriteId};
use crate::random::{DrawKey, Stream, lane_of};
use crate::record::{FieldId, FieldMask, OperationRun, RecordGenerator, Schema};
use crate::time::{EpochNanos, SimDuration, SimTime};
use std::sync::Arc;

/// The records of one origin: number `n` < `len()` can be made at any time, without the others. Where records have instants of their own, numbers
/// ascend with them.
#[derive(Debug, Clone)]
pub(super) struct RowSource {
    /// What the records combine; the other fields are drawn for each.
    combinations: Option<Combinations>,
    instants: Instants,
    len: u64,
    start: EpochNanos,
    draws: DrawKey,
    /// What the first record's sequence fields count.
    sequence: u64,
    /// Fields with given slots: first those that are fixed for all records, then those of the last record made.
    given: Vec<(FieldId, i64)>,
    fixed: usize,
}

/// The instants that records carry.
#[derive(Debug, Clone)]
enum Instants {
    /// Those at which they are written; combinations in their order.
    OfWriting,
    /// Spread evenly over so long before the run.
    Before(SimDuration),
    /// Turns of the combinations that end with the start of the run.
    TurnsBefore(PeriodicClock),
    /// Turns of the combinations from the start of the run on.
    Turns(Arc<PeriodicClock>),
}

/// Number of records that never end.
const ENDLESS: u64 = u64::MAX;

impl RowSource {
    /// The rows of an `[existing]` table.
    pub(super) fn of_existing(
        existing: &Existing,
        workload: &Workload,
        generator: &RecordGenerator,
    ) -> Self {
        let of = (&*existing.name, Stream::Existing, &*existing.with);
        Self::new(of, Some(&existing.rows), None, workload, generator)
    }

    /// The records of a write.
    pub(super) fn of_write(workload: &Workload, id: WriteId, generator: &RecordGenerator) -> Self {
        let write = &workload.writes[usize::from(id.0)];
        let rows = write.drive.import().map(|import| &import.rows);
        let turns = match &write.drive {
            Drive::Beat(beat) => Some(beat),
            Drive::Open { .. } | Drive::Closed { .. } => None,
        };
        let of = (&*write.name, Stream::Records, &*write.with);
        Self {
            sequence: workload.existing_rows_of(id, generator.schema()),
            ..Self::new(of, rows, turns, workload, generator)
        }
    }

    /// Records of that name, drawn for that purpose, with fixed fields: some `rows`, or `turns` of combinations, or as many as there are times.
    fn new(
        (name, purpose, fixed): (&str, Stream, &[(FieldId, i64)]),
        rows: Option<&ImportRows>,
        turns: Option<&Beat>,
        workload: &Workload,
        generator: &RecordGenerator,
    ) -> Self {
        let lane = lane_of(name);
        let clock = |turns: &Beat| PeriodicClock::new(turns, generator, lane);
        let (each, instants) = match (rows, turns) {
            (None, None) => (None, Instants::OfWriting),
            (None, Some(turns)) => (Some(&turns.each), Instants::Turns(Arc::new(clock(turns)))),
            (Some(ImportRows::Drawn { last, .. }), _) => match *last {
                SimDuration::ZERO => (None, Instants::OfWriting),
                last => (None, Instants::Before(last)),
            },
            (Some(ImportRows::Each { each, every, .. }), _) => {
                let before = |every| {
                    Instants::TurnsBefore(clock(&Beat {
                        each: each.clone(),
                        every,
                        phase: workload.beat_phase(name),
                        jitter: SimDuration::ZERO,
                    }))
                };
                (Some(each), every.map_or(Instants::OfWriting, before))
            }
        };
        Self {
            combinations: each.map(|each| Combinations::new(each, generator.schema())),
            instants,
            len: rows.map_or(ENDLESS, |rows| rows.len(generator.schema())),
            start: workload.start,
            draws: generator.draws(purpose, lane),
            sequence: 0,
            given: fixed.to_vec(),
            fixed: fixed.len(),
        }
    }

    /// Number of records.
    #[inline]
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// They end.
    pub(super) fn is_finite(&self) -> bool {
        self.len != ENDLESS
    }

    /// Fields fixed for all records.
    pub(super) fn fixed(&self) -> &[(FieldId, i64)] {
        &self.given[..self.fixed]
    }

    /// The combinations and how many make a period, when the records are turns before the run.
    pub(super) fn turns_before(&self) -> Option<(&Combinations, u64)> {
        match (&self.instants, &self.combinations) {
            (Instants::TurnsBefore(clock), Some(combinations)) => {
                Some((combinations, clock.count()))
            }
            _ => None,
        }
    }

    /// When combinations have their turns during the run.
    pub(super) fn clock(&self) -> Option<&Arc<PeriodicClock>> {
        match &self.instants {
            Instants::Turns(clock) => Some(clock),
            _ => None,
        }
    }

    /// The combination that a record holds, and nanoseconds from the start of the run to its own instant, if it has one.
    fn turn(&self, number: u64) -> (u64, Option<i64>) {
        match &self.instants {
            Instants::OfWriting => (number, None),
            Instants::Before(last) => {
                let back = u128::from(last.as_nanos()) * u128::from(self.len - number);
                (number, Some(-(back.div_ceil(u128::from(self.len)) as i64)))
            }
            Instants::TurnsBefore(clock) => {
                let (combination, time) = clock.turn_before(self.len - number);
                (combination, Some(time))
            }
            Instants::Turns(clock) => {
                let (combination, time) = clock.turn(number);
                (combination, Some(time as i64))
            }
        }
    }

    /// Writes record `number` < `len()`, with some slots `given`. `now` is the instant of records without one of their own.
    #[inline]
    pub(super) fn record(
        &mut self,
        number: u64,
        now: EpochNanos,
        given: &[(FieldId, i64)],
        generator: &RecordGenerator,
        out: &mut [i64],
    ) {
        let (combination, own) = self.turn(number);
        let at = own.map_or(now, |nanos| EpochNanos(self.start.0.saturating_add(nanos)));
        self.record_of(number, combination, at, given, generator, out);
    }

    /// As [`RowSource::record`], where the combination and the instant of a record are known.
    #[inline]
    pub(super) fn record_of(
        &mut self,
        number: u64,
        combination: u64,
        at: EpochNanos,
        given: &[(FieldId, i64)],
        generator: &RecordGenerator,
        out: &mut [i64],
    ) {
        self.given.truncate(self.fixed);
        if let Some(combinations) = &self.combinations {
            self.given
                .resize(self.fixed + combinations.width(), (FieldId(0), 0));
            combinations.write(combination, &mut self.given[self.fixed..]);
        }
        self.given.extend_from_slice(given);
        let (draws, sequence) = (self.draws.at(number), self.sequence + number);
        generator.generate(draws, sequence, at, &self.given, out);
    }

    /// Records from `first` on that are drawn one like the other, as [`RecordGenerator::generate_run`] takes them.
    pub(super) fn run<'a>(
        &self,
        first: u64,
        times: &'a [SimTime],
        asked: FieldMask,
    ) -> OperationRun<'a> {
        OperationRun {
            draws: self.draws,
            first,
            sequence: self.sequence + first,
            start: self.start,
            times,
            asked,
        }
    }
}

impl ImportRows {
    /// Number of records.
    pub fn len(&self, schema: &Schema) -> u64 {
        match self {
            Self::Drawn { records, .. } => *records,
            Self::Each { each, every, last } => {
                let count = Combinations::new(each, schema).count();
                every.map_or(count, |every| {
                    let turns = u128::from(count) * u128::from(last.as_nanos())
                        / u128::from(every.as_nanos().max(1));
                    turns.min(u128::from(u64::MAX)) as u64
                })
            }
        }
    }

    /// No records at all.
    pub fn is_empty(&self, schema: &Schema) -> bool {
        self.len(schema) == 0
    }
}

impl Workload {
    /// The phase of the beat of that name; spread when there is none.
    pub(super) fn beat_phase(&self, name: &str) -> Phase {
        let beats = self.writes.iter().find_map(|write| match &write.drive {
            Drive::Beat(beat) if write.name == name => Some(beat.phase),
            _ => None,
        });
        beats.unwrap_or(Phase::Spread)
    }
}
