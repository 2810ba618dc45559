//! A few of many rows: of those that exist before the run, or of those that it will write. Must not know what they are looked at for.

use super::open_arrivals::OpenWrite;
use super::row_plan::{RowPlan, RowSource};
use super::{ClosedSource, Drive, OperationBatch, OperationId, Workload, WriteId};
use crate::random::{DrawKey, Seed, Stream, lane_of};
use crate::record::RecordGenerator;
use crate::time::SimTime;
use std::sync::Arc;

/// Rows written before the run.
#[derive(Debug)]
pub struct ExistingSample;

impl ExistingSample {
    /// Appends `n` existing rows, spread evenly over all of them, each equally likely; or all of them, once, if there are no more than `n`. Their indices
    /// count within the rows of one `[existing]` table; their write is the one that they continue, or the first.
    pub fn take(
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
        n: usize,
        batch: &mut OperationBatch,
    ) {
        let rows = workload.existing_rows(generator.schema());
        let numbers = Spread::new(
            n,
            rows,
            DrawKey::new(seed, replicate, Stream::Sample, lane_of("existing")),
        );
        let wanted = (0..numbers.len()).map(|i| numbers.at(i));
        Self::take_numbers(workload, generator, seed, replicate, wanted, batch);
    }

    /// As [`ExistingSample::take`], but drawn without any order: `n` numbers, less the few that were drawn twice. What counts how often rows
    /// meet by chance needs this: rows spread evenly meet less often.
    pub fn take_at_random(
        workload: &Workload,
        generator: &RecordGenerator,
        seed: Seed,
        replicate: u32,
        n: usize,
        batch: &mut OperationBatch,
    ) {
        let rows = workload.existing_rows(generator.schema());
        if rows <= n as u64 {
            return Self::take_numbers(workload, generator, seed, replicate, 0..rows, batch);
        }
        let key = DrawKey::new(
            seed,
            replicate,
            Stream::Sample,
            lane_of("existing, at random"),
        );
        let number = |i| (u128::from(key.at(i).bits()) * u128::from(rows) >> 64) as u64;
        let mut numbers: Vec<u64> = (0..n as u64).map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self::take_numbers(
            workload,
            generator,
            seed,
            replicate,
            numbers.into_iter(),
            batch,
        );
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
    /// Appends about `n` of the run's own operations, spread evenly over its time and over its writes by their volumes: write after write, each in order of
    /// time. Those of open loops and beats are the very operations that the run intends, which takes a pass over their times; so are an import's. Of
    /// other closed loops, whose times nobody knows, the fields are right if the run gets so far, and the times are spread over its duration.
    pub fn take(
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
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
        for (at, write) in workload.writes.iter().enumerate() {
            // Shares by rounding the running sum, so that they add up to n.
            let share = |volume: f64| (volume / sum * n as f64).round() as usize;
            let wanted = share(before + volumes[at]) - share(before);
            before += volumes[at];
            let id = WriteId(at as u8);
            let key = DrawKey::new(seed, replicate, Stream::Sample, lane_of(&write.name));
            if let Drive::Closed { .. } = write.drive {
                if let Some(mut source) =
                    ClosedSource::new(workload, id, Arc::clone(generator), seed, replicate)
                {
                    closed(
                        &mut source,
                        volumes[at],
                        wanted,
                        workload,
                        key,
                        batch,
                        generator.width(),
                    );
                }
            } else if let Some(mut source) =
                OpenWrite::new(id, write, workload, generator, seed, replicate)
            {
                let step = volumes[at] / wanted.max(1) as f64;
                let mut taken = 0;
                while taken < wanted && source.time().is_some() {
                    let target = (taken as f64 + key.at(taken as u64).unit()) * step;
                    if source.progress() >= target {
                        taken += source.emit(1, |_| true, workload.start, generator, batch);
                    } else {
                        source.advance();
                    }
                }
            }
        }
    }
}

fn closed(
    source: &mut ClosedSource,
    volume: f64,
    wanted: usize,
    workload: &Workload,
    key: DrawKey,
    batch: &mut OperationBatch,
    width: usize,
) {
    let clients = u64::from(source.clients().max(1));
    let operations = (volume as u64).max(1);
    let numbers = Spread::new(wanted, operations, key);
    let mut record = vec![0; width];
    for i in 0..numbers.len() {
        let index = numbers.at(i);
        let now = workload.duration.mul_f64(index as f64 / operations as f64);
        let now = SimTime::from_nanos(now.as_nanos());
        if let Some(operation) =
            source.issue((index % clients) as u32, index / clients, now, &mut record)
        {
            batch
                .push_record(operation, now, width)
                .copy_from_slice(&record);
        }
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
        // A fixed-point number in [i, i + 1) with 32 bits after the point, times of / n: every number is equally likely.
        let point = u128::from(i) << 32 | u128::from(self.key.at(i).bits() >> 32);
        ((point * u128::from(self.of) / u128::from(self.n)) >> 32) as u64
    }
}
