//! The records of an import, or of the rows written before the run, by number. Must not know in which order they are written.

use super::beat_clock::BeatClock;
use super::combinations::Combinations;
use super::{Drive, ImportRows, Phase, Workload};
use crate::random::{DrawKey, Seed, Stream, lane_of};
use crate::record::{FieldId, RecordGenerator, Schema};
use crate::time::{EpochNanos, SimDuration};

/// A finite set of records: number `r` of `len()` can be made at any time, without the others. Numbers ascend with the records' times.
#[derive(Debug, Clone)]
pub(super) struct RowPlan {
    form: Form,
    len: u64,
    start: EpochNanos,
    draws: DrawKey,
    with: Vec<(FieldId, i64)>,
}

#[derive(Debug, Clone)]
enum Form {
    Drawn { last: SimDuration },
    Once(Combinations),
    Beats(Combinations, BeatClock),
}

/// What the rows of a plan are called and how they are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSource<'a> {
    /// Name of the write or of the existing rows.
    pub(super) name: &'a str,
    /// Fixed fields.
    pub(super) with: &'a [(FieldId, i64)],
    /// What their fields are drawn from.
    pub(super) stream: Stream,
}

impl RowPlan {
    /// The plan of `rows`.
    pub(super) fn new(
        rows: &ImportRows,
        source: RowSource<'_>,
        workload: &Workload,
        schema: &Schema,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let lane = lane_of(source.name);
        let form = match rows {
            ImportRows::Drawn { last, .. } => Form::Drawn { last: *last },
            ImportRows::Each {
                each, every: None, ..
            } => Form::Once(Combinations::new(each, schema)),
            ImportRows::Each {
                each,
                every: Some(every),
                ..
            } => {
                let combinations = Combinations::new(each, schema);
                let phase = workload.beat_phase(source.name);
                let clock =
                    BeatClock::new(combinations.count(), *every, phase, seed, replicate, lane);
                Form::Beats(combinations, clock)
            }
        };
        Self {
            form,
            len: rows.len(schema),
            start: workload.start,
            draws: DrawKey::new(seed, replicate, source.stream, lane),
            with: source.with.to_vec(),
        }
    }

    /// Number of records.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The combinations and their clock, when the records are beats.
    pub(super) fn beats(&self) -> Option<(&Combinations, &BeatClock)> {
        match &self.form {
            Form::Beats(combinations, clock) => Some((combinations, clock)),
            Form::Drawn { .. } | Form::Once(_) => None,
        }
    }

    /// Fields fixed for all records.
    pub(super) fn fixed(&self) -> &[(FieldId, i64)] {
        &self.with
    }

    /// The records' own times, if they have any: of record `number`.
    fn at(&self, number: u64) -> Option<EpochNanos> {
        let back = self.len - number;
        let nanos = match &self.form {
            Form::Drawn { last } if *last == SimDuration::ZERO => return None,
            Form::Drawn { last } => {
                let product = u128::from(last.as_nanos()) * u128::from(back);
                -(product.div_ceil(u128::from(self.len)) as i64)
            }
            Form::Once(_) => return None,
            Form::Beats(_, clock) => clock.before(back).1,
        };
        Some(EpochNanos(self.start.0.saturating_add(nanos)))
    }

    /// Writes record `number` < `len()`. `sequence` is what the first record's sequence fields count; `now` is the time of records without a time of their
    /// own. `fixed` is scratch space.
    pub(super) fn record(
        &self,
        number: u64,
        sequence: u64,
        now: EpochNanos,
        generator: &RecordGenerator,
        fixed: &mut Vec<(FieldId, i64)>,
        out: &mut [i64],
    ) {
        self.record_with(number, sequence, now, &[], generator, fixed, out);
    }

    /// As [`RowPlan::record`], with some slots given instead.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn record_with(
        &self,
        number: u64,
        sequence: u64,
        now: EpochNanos,
        given: &[(FieldId, i64)],
        generator: &RecordGenerator,
        fixed: &mut Vec<(FieldId, i64)>,
        out: &mut [i64],
    ) {
        fixed.clear();
        fixed.extend_from_slice(&self.with);
        let with = fixed.len();
        let combination = match &self.form {
            Form::Drawn { .. } => None,
            Form::Once(combinations) => Some((combinations, number)),
            Form::Beats(combinations, clock) => Some((
                combinations,
                clock.combination(clock.before(self.len - number).0),
            )),
        };
        if let Some((combinations, combination)) = combination {
            fixed.resize(with + combinations.width(), (FieldId(0), 0));
            combinations.write(combination, &mut fixed[with..]);
        }
        fixed.extend_from_slice(given);
        let at = self.at(number).unwrap_or(now);
        generator.generate(self.draws.at(number), sequence + number, at, fixed, out);
    }
}

impl ImportRows {
    /// Number of records.
    pub fn len(&self, schema: &Schema) -> u64 {
        match self {
            Self::Drawn { records, .. } => *records,
            Self::Each { each, every, last } => {
                let count = Combinations::new(each, schema).count();
                match every {
                    None => count,
                    Some(every) => {
                        let beats = u128::from(count) * u128::from(last.as_nanos())
                            / u128::from(every.as_nanos().max(1));
                        beats.min(u128::from(u64::MAX)) as u64
                    }
                }
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
        self.writes
            .iter()
            .find_map(|write| match &write.drive {
                Drive::Beat(beat) if write.name == name => Some(beat.phase),
                _ => None,
            })
            .unwrap_or(Phase::Spread)
    }
}
