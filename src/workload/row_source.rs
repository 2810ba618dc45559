//! Record n of a write, or of the rows written before the run: the one place that makes it. Must not know in which order they are written.

use super::combinations::Combinations;
use super::periodic_clock::PeriodicClock;
use super::{Drive, Existing, ImportRows, Phase, Workload, WriteId};
use crate::random::{DrawKey, Stream, lane_of};
use crate::record::{AskedFields, FieldId, OperationRun, RecordGenerator, Schema};
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
        let none = Self::endless(
            &existing.name,
            Stream::Existing,
            &existing.with,
            workload,
            generator,
        );
        none.imported(
            &existing.rows,
            workload.beat_phase(&existing.name),
            generator,
            &existing.name,
        )
    }

    /// The records of a write.
    pub(super) fn of_write(workload: &Workload, id: WriteId, generator: &RecordGenerator) -> Self {
        let write = &workload.writes[usize::from(id.0)];
        let drawn = Self {
            sequence: workload.existing_rows_of(id, generator.schema()),
            ..Self::endless(
                &write.name,
                Stream::Records,
                &write.with,
                workload,
                generator,
            )
        };
        match (&write.drive, write.drive.import()) {
            (Drive::Beat(beat), _) => {
                let combinations = Combinations::new(&beat.each, generator.schema());
                let of = (generator, lane_of(&write.name));
                let clock = PeriodicClock::new(
                    combinations.count(),
                    beat.every,
                    beat.phase,
                    beat.jitter,
                    of,
                );
                Self {
                    combinations: Some(combinations),
                    instants: Instants::Turns(Arc::new(clock)),
                    ..drawn
                }
            }
            (_, Some(import)) => {
                drawn.imported(&import.rows, Phase::Spread, generator, &write.name)
            }
            (_, None) => drawn,
        }
    }

    fn endless(
        name: &str,
        purpose: Stream,
        fixed: &[(FieldId, i64)],
        workload: &Workload,
        generator: &RecordGenerator,
    ) -> Self {
        Self {
            combinations: None,
            instants: Instants::OfWriting,
            len: ENDLESS,
            start: workload.start,
            draws: generator.draws(purpose, lane_of(name)),
            sequence: 0,
            given: fixed.to_vec(),
            fixed: fixed.len(),
        }
    }

    /// The same draws for a finite set of rows.
    fn imported(
        self,
        rows: &ImportRows,
        phase: Phase,
        generator: &RecordGenerator,
        name: &str,
    ) -> Self {
        let schema = generator.schema();
        let (combinations, instants) = match rows {
            ImportRows::Drawn { last, .. } if *last > SimDuration::ZERO => {
                (None, Instants::Before(*last))
            }
            ImportRows::Drawn { .. } => (None, Instants::OfWriting),
            ImportRows::Each { each, every, .. } => {
                let combinations = Combinations::new(each, schema);
                let clock = |every| {
                    let of = (generator, lane_of(name));
                    PeriodicClock::new(combinations.count(), every, phase, SimDuration::ZERO, of)
                };
                let turns = every.map(|every| Instants::TurnsBefore(clock(every)));
                (Some(combinations), turns.unwrap_or(Instants::OfWriting))
            }
        };
        Self {
            combinations,
            instants,
            len: rows.len(schema),
            ..self
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
        asked: AskedFields,
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
