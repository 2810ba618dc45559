//! Any row of the table, by its origin and number. Must not know which rows are wanted.

use super::beat_clock::{BeatClock, BeatJitter};
use super::combinations::Combinations;
use super::intended_times::RateTimes;
use super::row_origin::RowOrigin;
use super::row_plan::{RowPlan, RowSource};
use super::{
    Arrivals, Drive, EXISTING_LANE, Import, ImportOrder, OperationId, RowWrite, Workload, Write,
    WriteId,
};
use crate::random::{DrawKey, Permutation, Seed, Stream, lane_of};
use crate::record::{FieldId, RecordGenerator};
use crate::time::{EpochNanos, SimTime};
use std::sync::Arc;

/// The rows of the existing tables and of the run's writes: the very records that they hold. Only the instants of Poisson arrivals and of closed loops are
/// approximate, by the inverse of the rate, and so are those of jittered beats before the run.
#[derive(Debug)]
pub(super) struct TableRows {
    pub(super) generator: Arc<RecordGenerator>,
    pub(super) origins: Vec<RowOrigin>,
    makers: Vec<RowMaker>,
    existing: usize,
    /// Of each origin, the write whose operations its rows count as, and what their keys draw.
    keys: Vec<(WriteId, DrawKey)>,
    start: EpochNanos,
    fixed: Vec<(FieldId, i64)>,
}

#[derive(Debug)]
enum RowMaker {
    Plan {
        plan: RowPlan,
        /// Which record is written i-th; `None`: the i-th.
        order: Option<Permutation>,
    },
    Drawn {
        draws: DrawKey,
        /// Where in its gap each operation lies.
        place: f64,
    },
    Beats {
        draws: DrawKey,
        combinations: Combinations,
        clock: BeatClock,
        jitter: Option<BeatJitter>,
    },
}

impl TableRows {
    pub(super) fn new(
        workload: &Workload,
        generator: Arc<RecordGenerator>,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let schema = generator.schema();
        let existing = workload.existing.iter().map(|existing| {
            let source = RowSource {
                name: &existing.name,
                with: &existing.with,
                stream: Stream::Existing,
            };
            RowMaker::Plan {
                plan: RowPlan::new(&existing.rows, source, workload, schema, seed, replicate),
                order: None,
            }
        });
        let writes = workload
            .writes
            .iter()
            .map(|write| RowMaker::of_write(write, workload, &generator, seed, replicate));
        let draws = |lane| DrawKey::new(seed, replicate, Stream::Keys, lane);
        let (before, during) = (draws(EXISTING_LANE), draws(0));
        let continued = workload
            .existing
            .iter()
            .map(|existing| (existing.write.unwrap_or(WriteId(0)), before));
        let written = (0..workload.writes.len()).map(|at| (WriteId(at as u8), during));
        Self {
            keys: continued.chain(written).collect(),
            makers: existing.chain(writes).collect(),
            existing: workload.existing.len(),
            origins: RowOrigin::all(workload, schema),
            start: workload.start,
            generator,
            fixed: Vec::new(),
        }
    }

    /// Number of origins that lie before the run: they come first.
    pub(super) fn existing(&self) -> usize {
        self.existing
    }

    /// The calendar instant so many nanoseconds after the start of the run.
    pub(super) fn epoch(&self, nanos: f64) -> EpochNanos {
        EpochNanos(self.start.0.saturating_add(nanos as i64))
    }

    /// Rows of an origin in the table at an instant, rounded down.
    #[inline]
    pub(super) fn rows(&self, origin: usize, at: SimTime) -> u64 {
        self.origins[origin].history.rows(at) as u64
    }

    /// The `nth` row that an origin has written, at `now` unless its own instant is known, with some slots `given`.
    pub(super) fn write(
        &mut self,
        origin: usize,
        nth: u64,
        now: SimTime,
        given: &[(FieldId, i64)],
        out: &mut [i64],
    ) {
        let RowOrigin {
            history, sequence, ..
        } = &self.origins[origin];
        let by_rate = |place: f64| {
            history
                .written_at(nth as f64 + place)
                .map_or(now, |at| at.min(now))
        };
        let fixed = &mut self.fixed;
        let (draws, at) = match &self.makers[origin] {
            RowMaker::Plan { plan, order } => {
                let number = order.as_ref().map_or(nth, |order| order.at(nth));
                let at = self.start.at(by_rate(0.5));
                let generator = &self.generator;
                plan.record_with(number, *sequence, at, given, generator, fixed, out);
                return;
            }
            RowMaker::Drawn { draws, place } => {
                fixed.clear();
                fixed.extend_from_slice(&self.origins[origin].fixed);
                (draws.at(nth), by_rate(*place))
            }
            RowMaker::Beats {
                draws,
                combinations,
                clock,
                jitter,
            } => {
                let (period, place) = (nth / clock.count(), nth % clock.count());
                fixed.clear();
                fixed.extend_from_slice(&self.origins[origin].fixed);
                let with = fixed.len();
                fixed.resize(with + combinations.width(), (FieldId(0), 0));
                combinations.write(clock.combination(place), &mut fixed[with..]);
                let late = jitter.map_or(0, |jitter| jitter.at(nth));
                let nanos = period
                    .saturating_mul(clock.every())
                    .saturating_add(clock.offset(place) + late);
                (draws.at(nth), SimTime::from_nanos(nanos))
            }
        };
        fixed.extend_from_slice(given);
        let at = self.start.at(at);
        self.generator
            .generate(draws, sequence + nth, at, fixed, out);
    }

    /// What the key of the `nth` row of an origin draws.
    pub(super) fn write_of(&self, origin: usize, nth: u64) -> RowWrite {
        let (write, draws) = self.keys[origin];
        RowWrite {
            index: nth,
            draws: draws.at(OperationId::new(write, nth).0),
        }
    }

    /// A record that is no row: drawn for its own sake at `now`.
    pub(super) fn write_loose(
        &mut self,
        draws: crate::random::Draws,
        now: SimTime,
        given: &[(FieldId, i64)],
        out: &mut [i64],
    ) {
        let at = self.start.at(now);
        self.generator.generate(draws, 0, at, given, out);
    }
}

impl RowMaker {
    fn of_write(
        write: &Write,
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let lane = lane_of(&write.name);
        let schema = generator.schema();
        let draws = DrawKey::new(seed, replicate, Stream::Records, lane);
        match &write.drive {
            Drive::Beat(beat) => {
                let combinations = Combinations::new(&beat.each, schema);
                let count = combinations.count();
                Self::Beats {
                    draws,
                    clock: BeatClock::new(count, beat.every, beat.phase, seed, replicate, lane),
                    combinations,
                    jitter: BeatJitter::new(beat.jitter, seed, replicate, lane),
                }
            }
            Drive::Open {
                import: Some(import),
                ..
            }
            | Drive::Closed {
                import: Some(import),
                ..
            } => {
                let Import { rows, order } = import;
                let source = RowSource {
                    name: &write.name,
                    with: &write.with,
                    stream: Stream::Records,
                };
                let plan = RowPlan::new(rows, source, workload, schema, seed, replicate);
                // An order by a field takes sorting all records: any of them then stands for one that is written.
                let order = (*order != ImportOrder::Time && plan.len() > 0).then(|| {
                    let key = DrawKey::new(seed, replicate, Stream::Shuffle, lane);
                    Permutation::new(plan.len(), key)
                });
                Self::Plan { plan, order }
            }
            Drive::Open { arrivals, .. } => Self::Drawn {
                draws,
                place: RateTimes::place_in_gap(*arrivals, seed, replicate, lane),
            },
            Drive::Closed { .. } => Self::Drawn {
                draws,
                place: RateTimes::place_in_gap(Arrivals::Poisson, seed, replicate, lane),
            },
        }
    }
}
