//! A few of many rows: of those that exist before the run, or of those that it will write. Must not know what they are looked at for.

use super::import_order::{WrittenOrder, sorted_by_field};
use super::intended_times::BeatTimes;
use super::rate_profile::RateProfile;
use super::row_plan::{RowPlan, RowSource};
use super::{
    Beat, Drive, Import, ImportOrder, OperationBatch, OperationId, Workload, Write, WriteId,
};
use crate::random::{DrawKey, Seed, Stream, lane_of};
use crate::record::{FieldId, RecordGenerator};
use crate::time::SimTime;

/// Most rows of an import ordered by a field that are sorted to find the first of them.
const MOST_SORTED: f64 = 1e6;

/// Lane of `Stream::Keys` for rows that were written before the run; the run's own operations use lane 0.
pub const EXISTING_LANE: u32 = 1;

/// Rows written before the run.
#[derive(Debug)]
pub struct ExistingSample;

/// How a few of many rows are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Spread evenly over all of them, each equally likely.
    Spread,
    /// Drawn without any order, less the few that were drawn twice. What counts how often rows meet by chance needs this: rows spread evenly meet
    /// less often.
    Random,
}

impl ExistingSample {
    /// Appends `n` existing rows, or all of them, once, if there are no more than `n`. Their indices count within the rows of one `[existing]` table;
    /// their write is the one that they continue, or the first.
    pub fn take(
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
        (n, choice): (usize, Choice),
        batch: &mut OperationBatch,
    ) {
        let rows = workload.existing_rows(generator.schema());
        let draws = |lane| DrawKey::new(seed, replicate, Stream::Sample, lane_of(lane));
        let numbers: Vec<u64> = match choice {
            Choice::Random if rows > n as u64 => {
                let key = draws("existing, at random");
                let mut numbers: Vec<u64> = (0..n as u64).map(|i| key.at(i).below(rows)).collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            }
            Choice::Spread | Choice::Random => {
                let spread = Spread::new(n, rows, draws("existing"));
                (0..spread.len()).map(|i| spread.at(i)).collect()
            }
        };
        let numbers = numbers.into_iter();
        Self::take_numbers(workload, generator, seed, replicate, numbers, batch);
    }

    /// Appends the rows of these numbers, ascending.
    fn take_numbers(
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
        numbers: impl Iterator<Item = u64>,
        batch: &mut OperationBatch,
    ) {
        let schema = generator.schema();
        let mut wanted = numbers.peekable();
        let mut before = 0u64;
        let mut scratch = Vec::new();
        for existing in &workload.existing {
            let source = RowSource {
                name: &existing.name,
                with: &existing.with,
                stream: Stream::Existing,
            };
            let len = existing.rows.len(schema);
            let write = existing.write.unwrap_or(WriteId(0));
            if wanted
                .peek()
                .is_some_and(|number| *number < before.saturating_add(len))
            {
                let plan = RowPlan::new(&existing.rows, source, workload, schema, seed, replicate);
                while let Some(number) =
                    wanted.next_if(|number| *number < before.saturating_add(len))
                {
                    let index = number - before;
                    let out = batch.push_record(
                        OperationId::new(write, index),
                        SimTime::ZERO,
                        generator.width(),
                    );
                    plan.record(index, 0, workload.start, generator, &mut scratch, out);
                }
            }
            before = before.saturating_add(len);
        }
    }
}

/// Operations of the run itself.
#[derive(Debug)]
pub struct RunSample;

impl RunSample {
    /// Appends about `n` of the run's own operations, spread evenly over its writes by their volumes, and over each by number: write after write.
    ///
    /// Their fields are those that the run's operations of these numbers have. So are the times of beats; those of other open loops are the times
    /// by which so many operations are expected (Poisson arrivals stray from them by a few square roots of their number), and those of
    /// closed loops, which nobody knows, are spread over the run. The rows of an import that is ordered by a field are sorted among themselves.
    /// No pass over the operations: O(n), O(n log n) for such an import.
    pub fn take(
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
        n: usize,
        batch: &mut OperationBatch,
    ) {
        let schema = generator.schema();
        let volumes: Vec<f64> = workload
            .writes
            .iter()
            .map(|write| workload.estimated_operations(write, schema))
            .collect();
        let sum: f64 = volumes.iter().sum();
        if sum <= 0.0 {
            return;
        }
        let mut before = 0.0;
        for (at, (write, volume)) in workload.writes.iter().zip(volumes).enumerate() {
            // Shares by rounding the running sum, so that they add up to n.
            let share = |volume: f64| (volume / sum * n as f64).round() as usize;
            let wanted = share(before + volume) - share(before);
            before += volume;
            let id = WriteId(at as u8);
            let lane = lane_of(&write.name);
            let sampled = SampledWrite {
                id,
                write,
                volume: volume.round() as u64,
                sequence: workload.existing_rows_of(id, schema),
                lane,
                records: DrawKey::new(seed, replicate, Stream::Records, lane),
                workload,
                generator,
                seed,
                replicate,
            };
            sampled.take(wanted, batch);
        }
    }
}

/// One write of the run.
struct SampledWrite<'a> {
    id: WriteId,
    write: &'a Write,
    /// Operations.
    volume: u64,
    /// What the first record's sequence fields count.
    sequence: u64,
    lane: u32,
    records: DrawKey,
    workload: &'a Workload,
    generator: &'a RecordGenerator,
    seed: Seed,
    replicate: u32,
}

impl SampledWrite<'_> {
    fn take(&self, wanted: usize, batch: &mut OperationBatch) {
        let numbers = Spread::new(wanted, self.volume, self.draws(Stream::Sample));
        let numbers = (0..numbers.len()).map(|i| numbers.at(i));
        match &self.write.drive {
            Drive::Open {
                rate,
                profile,
                import,
                ..
            } => {
                let profile = RateProfile::new(*rate, profile, self.workload.duration);
                let mut piece = 0;
                let timed = numbers.filter_map(|number| {
                    // In the middle of its expected gap.
                    let time = profile.time_of(number as f64 + 0.5, &mut piece)?;
                    Some((number, time))
                });
                self.drawn_or_imported(import.as_ref(), timed, batch);
            }
            Drive::Closed { import, .. } => {
                let timed = numbers.map(|number| {
                    let part = number as f64 / self.volume as f64;
                    let time = self.workload.duration.mul_f64(part);
                    (number, SimTime::from_nanos(time.as_nanos()))
                });
                self.drawn_or_imported(import.as_ref(), timed, batch);
            }
            Drive::Beat(beat) => self.beats(beat, numbers, batch),
        }
    }

    fn drawn_or_imported(
        &self,
        import: Option<&Import>,
        timed: impl Iterator<Item = (u64, SimTime)>,
        batch: &mut OperationBatch,
    ) {
        match import {
            Some(import) => self.imported(import, timed.collect(), batch),
            None => {
                for (number, time) in timed {
                    self.push(number, time, &self.write.with, batch);
                }
            }
        }
    }

    fn beats(&self, beat: &Beat, numbers: impl Iterator<Item = u64>, batch: &mut OperationBatch) {
        let Workload { duration, .. } = *self.workload;
        let schema = self.generator.schema();
        let times = BeatTimes::new(beat, duration, schema, self.seed, self.replicate, self.lane);
        let with = self.write.with.len();
        let mut fixed = self.write.with.clone();
        fixed.resize(with + times.combinations().width(), (FieldId(0), 0));
        for beat in numbers.filter_map(|number| times.at(number)) {
            times
                .combinations()
                .write(beat.combination, &mut fixed[with..]);
            self.push(beat.index, beat.time, &fixed, batch);
        }
    }

    fn imported(&self, import: &Import, timed: Vec<(u64, SimTime)>, batch: &mut OperationBatch) {
        let source = RowSource {
            name: &self.write.name,
            with: &self.write.with,
            stream: Stream::Records,
        };
        let schema = self.generator.schema();
        let (seed, replicate) = (self.seed, self.replicate);
        let plan = RowPlan::new(&import.rows, source, self.workload, schema, seed, replicate);
        let records = match import.order {
            ImportOrder::By(field) => {
                // The part that the run comes to may be any rows of all.
                let part = (self.volume as f64 / plan.len() as f64).min(1.0);
                let rows = (timed.len() as f64 / part).min(MOST_SORTED) as usize;
                let rows = Spread::new(rows, plan.len(), self.draws(Stream::Sample));
                let rows = (0..rows.len()).map(|i| rows.at(i)).collect();
                let mut sorted = sorted_by_field(rows, field, &plan, self.generator);
                sorted.truncate((sorted.len() as f64 * part).round() as usize);
                sorted
            }
            order => {
                let order =
                    WrittenOrder::new(order, &plan, self.generator, seed, replicate, self.lane);
                let numbers = timed.iter().map(|&(number, _)| number);
                numbers.map(|number| order.record(number)).collect()
            }
        };
        let mut scratch = Vec::new();
        for (at, &record) in records.iter().enumerate() {
            let (number, time) = timed[at * timed.len() / records.len()];
            let now = self.workload.start.at(time);
            let operation = OperationId::new(self.id, number);
            let out = batch.push_record(operation, time, self.generator.width());
            plan.record(
                record,
                self.sequence,
                now,
                self.generator,
                &mut scratch,
                out,
            );
        }
    }

    fn push(
        &self,
        number: u64,
        time: SimTime,
        fixed: &[(FieldId, i64)],
        batch: &mut OperationBatch,
    ) {
        let operation = OperationId::new(self.id, number);
        let out = batch.push_record(operation, time, self.generator.width());
        let draws = self.records.at(number);
        let now = self.workload.start.at(time);
        let sequence = self.sequence + number;
        self.generator.generate(draws, sequence, now, fixed, out);
    }

    fn draws(&self, stream: Stream) -> DrawKey {
        DrawKey::new(self.seed, self.replicate, stream, self.lane)
    }
}

/// `n` numbers of `0..of`, ascending, one in each of n equal stretches; all numbers when there are no more than n.
#[derive(Debug, Clone, Copy)]
struct Spread {
    n: u64,
    of: u64,
    key: DrawKey,
}

impl Spread {
    fn new(n: usize, of: u64, key: DrawKey) -> Self {
        Self {
            n: n as u64,
            of,
            key,
        }
    }

    fn len(&self) -> u64 {
        self.n.min(self.of)
    }

    fn at(&self, i: u64) -> u64 {
        if self.of <= self.n {
            return i;
        }
        // A fixed-point number in [i, i + 1) with 32 bits after the point, times of / n: every number is equally likely. Dividing what fits 64 bits is much
        // faster.
        let part = (u128::from(self.key.at(i).bits() >> 32) * u128::from(self.of)) >> 32;
        let point = u128::from(i) * u128::from(self.of) + part;
        match u64::try_from(point) {
            Ok(point) => point / self.n,
            Err(_) => (point / u128::from(self.n)) as u64,
        }
    }
}
