//! A few of many rows: of those that exist before the run, or of those that it will write. Must not know what they are looked at for.

use super::rate_profile::{PlaceInGap, RateTimes};
use super::row_source::RowSource;
use super::{Existing, ImportOrder, LoadModel, OperationBatch, OperationId, Workload, WriteId};
use crate::random::{DrawKey, Stream, lane_of};
use crate::record::RecordGenerator;
use crate::time::{SimDuration, SimTime};
use std::ops::Range;
use std::sync::Arc;

/// Most rows of an import ordered by a field that are sorted to find the first of them.
const MOST_SORTED: f64 = 1e6;

/// Of no more operations of a write the very times are looked at: 2 ms.
const MOST_OWN: u64 = 1 << 18;

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
    /// Those that are written one after another, in the middle of each table or write.
    Together,
}

impl ExistingSample {
    /// Appends `n` existing rows, or all of them, once, if there are no more than `n`. Their indices count within the rows of one `[existing]` table;
    /// their write is the one that they continue, or the first.
    pub fn take(
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
        (n, choice): (usize, Choice),
        batch: &mut OperationBatch,
    ) {
        let rows = workload.existing_rows(generator.schema());
        let draws = |lane| generator.draws(Stream::Sample, lane_of(lane));
        let len = |existing: &Existing| existing.rows.len(generator.schema());
        let numbers: Vec<u64> = match choice {
            Choice::Together => {
                let mut before = 0u64;
                let of_table = workload.existing.iter().flat_map(|existing| {
                    let share = len(existing) as f64 / rows as f64;
                    let first = before;
                    before = before.saturating_add(len(existing));
                    let numbers = middle((n as f64 * share).round() as u64, len(existing));
                    numbers.map(move |number| first + number)
                });
                of_table.collect()
            }
            Choice::Random if rows > n as u64 => {
                let key = draws("existing, at random");
                let mut numbers: Vec<u64> = (0..n as u64).map(|i| key.at(i).below(rows)).collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            }
            Choice::Spread | Choice::Random => {
                stratified_indices(n, rows, draws("existing")).collect()
            }
        };
        let mut numbers = numbers.into_iter().peekable();
        let mut before = 0u64;
        for existing in &workload.existing {
            let end = before.saturating_add(len(existing));
            if numbers.peek().is_some_and(|number| *number < end) {
                let mut rows = RowSource::of_existing(existing, workload, generator);
                let write = existing.write.unwrap_or(WriteId(0));
                while let Some(number) = numbers.next_if(|number| *number < end) {
                    let operation = OperationId::new(write, number - before);
                    let out = batch.push_record(operation, SimTime::ZERO, generator.width());
                    rows.record(number - before, SimTime::ZERO, &[], out);
                }
            }
            before = end;
        }
    }
}

/// Operations of the run itself.
#[derive(Debug)]
pub struct RunSample;

impl RunSample {
    /// Appends about `n` of the run's own operations, spread evenly over its writes by their volumes, and over each by number, or as they were chosen: write after
    /// write.
    ///
    /// Their fields are those that the run's operations of these numbers have. So are the times of beats, of constant arrivals, and of a write that has few
    /// operations; those of other Poisson arrivals lie anywhere in the gap in which an operation of that number is expected (the run's stray from it by a few
    /// square roots of the number), and those of closed loops, which nobody knows, are spread over the run, or over the time that an import takes. The rows of an import that is ordered by a field are sorted among themselves.
    /// No pass over the operations: O(n), O(n log n) for such an import.
    pub fn take(
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
        (n, choice): (usize, Choice),
        batch: &mut OperationBatch,
    ) {
        let schema = generator.schema();
        let volumes = workload.writes.iter();
        let volumes = volumes.map(|write| workload.estimated_operations(write, schema));
        let volumes: Vec<f64> = volumes.collect();
        let sum: f64 = volumes.iter().sum();
        if sum <= 0.0 {
            return;
        }
        let mut before = 0.0;
        for (at, volume) in volumes.into_iter().enumerate() {
            // Shares by rounding the running sum, so that they add up to n.
            let share = |volume: f64| (volume / sum * n as f64).round() as usize;
            let wanted = share(before + volume) - share(before);
            before += volume;
            sample_write(
                workload,
                WriteId(at as u8),
                volume,
                (wanted, choice),
                generator,
                batch,
            );
        }
    }
}

/// Appends `wanted` of the `volume` operations of a write.
fn sample_write(
    workload: &Workload,
    id: WriteId,
    volume: f64,
    (wanted, choice): (usize, Choice),
    generator: &Arc<RecordGenerator>,
    batch: &mut OperationBatch,
) {
    let write = &workload.writes[usize::from(id.0)];
    let volume = volume.round() as u64;
    let draws = generator.draws(Stream::Sample, lane_of(&write.name));
    let mut rows = RowSource::unsorted(workload, id, generator);
    let profile = write.load.rate_profile(workload.duration);
    let listed = write.load.import().and_then(|import| import.times.as_ref());
    let place = PlaceInGap::of(&write.load, &write.name, generator);
    let own = match (&write.load, &profile) {
        (LoadModel::Open { arrivals, .. }, Some(profile)) if volume <= MOST_OWN => {
            let lane = lane_of(&write.name);
            let times = RateTimes::new(profile.clone(), *arrivals, generator, lane);
            times.take(volume as usize).collect()
        }
        _ => Vec::new(),
    };
    // An import is done when its clients have put all its rows; what closed loops do else lasts as long as the run.
    let rate = workload.estimated_rate(write, generator.schema()).0;
    let written_by = SimDuration::from_nanos((volume as f64 / rate.max(1e-9) * 1e9) as u64);
    let written_by = written_by.min(workload.duration);
    let time = |number: u64| match (&profile, rows.clock()) {
        _ if listed.is_some() => listed?.get(number as usize).copied(),
        _ if (number as usize) < own.len() => Some(own[number as usize]),
        (Some(profile), _) => profile.time_by(number as f64 + place.at(number)),
        (None, Some(clock)) => {
            let time = SimTime::from_nanos(clock.turn(number).1);
            (time < SimTime::ZERO + workload.duration).then_some(time)
        }
        (None, None) => {
            let part = (number as f64 + place.at(number)) / volume as f64;
            Some(SimTime::ZERO + written_by.mul_f64(part))
        }
    };
    let numbers: Vec<u64> = match choice {
        Choice::Together => middle(wanted as u64, volume).collect(),
        Choice::Spread | Choice::Random => stratified_indices(wanted, volume, draws).collect(),
    };
    let timed: Vec<(u64, SimTime)> = numbers
        .into_iter()
        .filter_map(|number| Some((number, time(number)?)))
        .collect();
    let records: Vec<u64> = match write.load.import().map(|import| import.order) {
        Some(ImportOrder::By(field)) => {
            // The part that the run comes to may be any rows of all.
            let part = (volume as f64 / rows.len() as f64).min(1.0);
            let some = (timed.len() as f64 / part).min(MOST_SORTED) as usize;
            let some = stratified_indices(some, rows.len(), draws).collect();
            let mut sorted = rows.sorted_by_field(some, field);
            sorted.truncate((sorted.len() as f64 * part).round() as usize);
            sorted
        }
        _ => timed
            .iter()
            .map(|(number, _)| rows.written(*number))
            .collect(),
    };
    for (at, &record) in records.iter().enumerate() {
        let (number, time) = timed[at * timed.len() / records.len()];
        let out = batch.push_record(OperationId::new(id, number), time, generator.width());
        rows.record(record, time, &[], out);
    }
}

/// At most `n` numbers of `0..of`, those in its middle.
fn middle(n: u64, of: u64) -> Range<u64> {
    let n = n.min(of);
    (of - n) / 2..(of - n) / 2 + n
}

/// `n` numbers of `0..of`, ascending, one in each of n equal stretches; all numbers when there are no more than n.
fn stratified_indices(n: usize, of: u64, key: DrawKey) -> impl Iterator<Item = u64> {
    let n = n as u64;
    let at = move |i: u64| {
        if of <= n {
            return i;
        }
        // A fixed-point number in [i, i + 1) with 32 bits after the point, times of / n: every number is equally likely. Dividing what fits 64 bits is much
        // faster.
        let part = (u128::from(key.at(i).bits() >> 32) * u128::from(of)) >> 32;
        let point = u128::from(i) * u128::from(of) + part;
        match u64::try_from(point) {
            Ok(point) => point / n,
            Err(_) => (point / u128::from(n)) as u64,
        }
    };
    (0..n.min(of)).map(at)
}
