//! The reads that are intended: which, when, asking for which records. Must not know keys: all strategies meet the same reads.

use super::page_rows::{PageFinder, RowList};
use super::rate_profile::{RateProfile, RateTimes};
use super::table_rows::{PickedRow, TableRows};
use super::target_picker::TargetPicker;
use super::value_lists::ValueList;
use super::{OperationId, Read, ReadBatch, ReadId, ReadLoadModel, Think, Workload};
use crate::random::{DrawKey, Draws, Stream, lane_of};
use crate::record::{FieldId, KnownField, RecordGenerator, Schema};
use crate::time::{SimDuration, SimTime};
use std::cmp::Reverse;
use std::sync::Arc;

/// Makes the targets of reads: each row of the table equally likely (the existing ones and those written in the run before the read's
/// instant), changed by the read's `pick`, `with` and `in`.
///
/// Which rows have been written before an instant follows from the rates; rows of Poisson arrivals, unless their times are drawn, and closed loops carry the
/// instant at which so many are expected. What a read asks for belongs to the read and its number, whatever else is read or written.
#[derive(Debug)]
pub struct ReadSource {
    table: TableRows,
    duration: SimDuration,
    /// One for all: reads that ask alike are planned with the same targets.
    sampling: DrawKey,
    row_lists: Vec<RowList>,
    reads: Vec<Prepared>,
    /// What the reads of one batch are made of; kept for its memory.
    picked: Vec<(Draws, PickedRow)>,
}

/// One read.
#[derive(Debug)]
struct Prepared {
    id: ReadId,
    draws: DrawKey,
    thinking: DrawKey,
    /// Times of an open loop, and the next of them.
    times: Option<RateTimes>,
    next: Option<SimTime>,
    made: u64,
    clients: u32,
    think: Think,
    picker: TargetPicker,
    /// Of these fields, the target's values decide most of what a read costs.
    telling: Vec<FieldId>,
    lists: Vec<ValueList>,
    pages: Option<PageFinder>,
}

impl ReadSource {
    /// Prepares the reads of a replicate. O(combinations) for beats, O(values) where a list or a pick needs to know which values go together.
    pub fn new(workload: &Workload, generator: Arc<RecordGenerator>) -> Self {
        let mut table = TableRows::new(workload, Arc::clone(&generator));
        let mut row_lists = Vec::new();
        let mut prepare = |(at, read): (usize, &Read)| {
            // Names of reads and writes may be the same.
            let lane = lane_of(&format!("read.{}", read.name));
            let (mut times, mut clients, mut think) = (None, 1, Think::Constant(SimDuration::ZERO));
            match &read.load {
                Some(ReadLoadModel::Open {
                    rate,
                    arrivals,
                    profile,
                }) => {
                    let profile = RateProfile::new(*rate, profile, workload.duration);
                    times = Some(RateTimes::new(profile, *arrivals, &generator, lane));
                }
                Some(ReadLoadModel::Closed {
                    clients: number,
                    think: of_each,
                }) => (clients, think) = (*number, *of_each),
                None => {}
            }
            let end = SimTime::ZERO + workload.duration;
            Prepared {
                id: ReadId(at as u8),
                draws: generator.draws(Stream::Reads, lane),
                thinking: generator.draws(Stream::Think, lane),
                next: times.as_mut().and_then(RateTimes::next),
                times,
                made: 0,
                clients,
                think,
                picker: TargetPicker::new(read, &mut table),
                telling: telling(read, generator.schema()),
                lists: ValueList::of(read, &mut table),
                pages: PageFinder::new(read, end, &mut table, &mut row_lists),
            }
        };
        let reads = workload.reads.iter().enumerate();
        Self {
            duration: workload.duration,
            sampling: generator.draws(Stream::Sample, lane_of("read targets")),
            reads: reads.map(&mut prepare).collect(),
            row_lists,
            table,
            picked: Vec::new(),
        }
    }

    /// With rows of Poisson arrivals as they are written, of the first `most` operations of each write: readers find just these. O(most).
    pub fn at_drawn_times(mut self, workload: &Workload, most: usize) -> Self {
        self.table.draw_times(workload, most);
        self
    }

    /// Appends the next open-loop reads, in the order of their times (of the same time: in file order), at least one and at most `n`, until there are none.
    /// How many are asked for at a time changes nothing.
    pub fn fill(&mut self, batch: &mut ReadBatch, n: usize) {
        let first = batch.operations.len();
        self.picked.clear();
        for _ in 0..n.max(1) {
            let open = self.reads.iter_mut().filter(|read| read.next.is_some());
            let Some(read) = open.min_by_key(|read| read.next) else {
                break;
            };
            let time = read.next.unwrap_or_default();
            let index = read.made;
            read.made += 1;
            read.next = read.times.as_mut().and_then(RateTimes::next);
            let draws = read.draws.at(index);
            let row = read.picker.row_of(draws, time, &self.table);
            self.table.prefetch(row);
            read.picker.prefetch(draws);
            self.picked.push((draws, row));
            read.name(index, time, &self.table, batch);
        }
        for (at, (draws, row)) in (first..).zip(&self.picked) {
            let read = &mut self.reads[usize::from(batch.reads[at].0)];
            let time = batch.intended[at];
            read.append(*draws, time, *row, &mut self.table, &self.row_lists, batch);
        }
    }

    /// Appends the `k`-th read of a closed-loop client, which starts at `now`.
    pub fn issue(
        &mut self,
        read: ReadId,
        client: u32,
        k: u64,
        now: SimTime,
        batch: &mut ReadBatch,
    ) {
        let read = &mut self.reads[usize::from(read.0)];
        let index = read.index(client, k);
        let draws = read.draws.at(index);
        read.name(index, now, &self.table, batch);
        read.append(draws, now, None, &mut self.table, &self.row_lists, batch);
    }

    /// Time that a closed-loop client thinks before its `k`-th read.
    pub fn think(&self, read: ReadId, client: u32, k: u64) -> SimDuration {
        let read = &self.reads[usize::from(read.0)];
        read.think.time(read.thinking.at(read.index(client, k)))
    }

    /// Appends `n` targets of one read, spread evenly over the run: what plans are costed with, also of reads that are not issued. Reads whose
    /// targets follow the same laws have the same ones, so that what is expected of them can be compared.
    pub fn sample(&mut self, read: ReadId, n: usize, batch: &mut ReadBatch) {
        self.sample_of(read, 0..n as u64, n, batch);
    }

    /// Appends of these `n` targets those with the given numbers.
    pub fn sample_of(
        &mut self,
        read: ReadId,
        numbers: impl IntoIterator<Item = u64>,
        n: usize,
        batch: &mut ReadBatch,
    ) {
        let read = &mut self.reads[usize::from(read.0)];
        for at in numbers {
            let (draws, now) = (self.sampling.at(at), instant(at, n, self.duration));
            read.name(at, now, &self.table, batch);
            read.append(draws, now, None, &mut self.table, &self.row_lists, batch);
        }
    }

    /// The numbers of `n` targets of each of the `reads` that it makes ([`Self::sample`]) in an order of which every k-th one stands for all: those that ask
    /// for the same lie together, in the order of their times.
    pub fn arranged(&mut self, reads: &[Read], n: usize) -> Vec<Arc<Vec<u32>>> {
        let mut found: Vec<Arc<Vec<u32>>> = Vec::with_capacity(reads.len());
        for (at, read) in reads.iter().enumerate() {
            let has_same_targets = |&other: &usize| {
                let same_rows =
                    (&reads[other].with, &reads[other].pick) == (&read.with, &read.pick);
                same_rows && self.reads[other].telling == self.reads[at].telling
            };
            found.push(match (0..at).find(has_same_targets) {
                Some(other) => Arc::clone(&found[other]),
                None => Arc::new(self.arrange(at, n)),
            });
        }
        found
    }

    fn arrange(&mut self, read: usize, n: usize) -> Vec<u32> {
        let read = &mut self.reads[read];
        let mut record = vec![0; self.table.generator.width()];
        let mut slots = Vec::with_capacity(n * read.telling.len());
        if read.telling.is_empty() {
            return (0..n as u32).collect();
        }
        for at in 0..n as u64 {
            let (draws, now) = (self.sampling.at(at), instant(at, n, self.duration));
            read.picker
                .draw(draws, now, None, &mut self.table, &mut record);
            slots.extend(read.telling.iter().map(|id| record[usize::from(id.0)]));
        }
        arranged(&slots, read.telling.len())
    }
}

/// When the `at`-th of `n` targets is asked for.
fn instant(at: u64, n: usize, duration: SimDuration) -> SimTime {
    SimTime::ZERO + duration.mul_f64((at as f64 + 0.5) / n as f64)
}

/// The counted fields of which a reader knows values, or something that is derived: those of the fewest values first.
fn telling(read: &Read, schema: &Schema) -> Vec<FieldId> {
    let range = read.range.iter().map(|range| range.field);
    let known: Vec<KnownField> = read.equal.iter().copied().chain(range).collect();
    let derived = |field: &KnownField| matches!(field, KnownField::Derived(_));
    let mut fields: Vec<(u64, FieldId)> = (0..schema.fields.len() as u16)
        .map(FieldId)
        .filter(|id| {
            known.contains(&KnownField::Stored(*id))
                || read.within.iter().any(|within| within.field == *id)
                || known.iter().any(derived)
        })
        .filter_map(|id| Some((schema.field(id).kind.count()?, id)))
        .collect();
    fields.sort_unstable();
    fields.into_iter().map(|(_, id)| id).collect()
}

impl Prepared {
    fn index(&self, client: u32, k: u64) -> u64 {
        k * u64::from(self.clients) + u64::from(client)
    }

    /// Appends the number of one read.
    fn name(&self, index: u64, at: SimTime, table: &TableRows, batch: &mut ReadBatch) {
        let operation = OperationId::of_read(self.id, table.writes(), index);
        batch.operations.push(operation);
        batch.reads.push(self.id);
        batch.intended.push(at);
    }

    /// Appends what it asks for.
    fn append(
        &mut self,
        draws: Draws,
        at: SimTime,
        row: PickedRow,
        table: &mut TableRows,
        row_lists: &[RowList],
        batch: &mut ReadBatch,
    ) {
        let start = batch.records.len();
        batch.records.resize(start + table.generator.width(), 0);
        self.picker
            .draw(draws, at, row, table, &mut batch.records[start..]);
        for list in &mut self.lists {
            list.append(draws, at, &mut self.picker, table, batch);
        }
        batch.within_ends.push(batch.within.len() as u32);
        batch.within_lens_ends.push(batch.within_lens.len() as u32);
        batch.page_exact.push(false);
        if let Some(pages) = &mut self.pages {
            pages.append(draws, at, &mut self.picker, table, row_lists, batch);
        }
        batch.page_ends.push(batch.page_writes.len() as u32);
    }
}

/// Targets of one value that are told apart from the others: from so many on, every k-th of all meets each of them.
const STRATUM: usize = 64;

/// The numbers of targets, `0..slots.len() / width`, with those together whose slots are the same: for each value of the first slot that many have, from
/// the more frequent values to the rarer ones (in powers of two: values that are equally likely stay in their order), its targets by the next
/// slot, and so on; then all others. Those of one group come by number. O(n log n) for each slot.
fn arranged(slots: &[i64], width: usize) -> Vec<u32> {
    let targets = slots.len() / width.max(1);
    let mut numbers: Vec<u32> = (0..targets as u32).collect();
    arrange(&mut numbers, slots, width, 0);
    numbers
}

fn arrange(numbers: &mut [u32], slots: &[i64], width: usize, at: usize) {
    if at == width || numbers.len() < STRATUM {
        return numbers.sort_unstable();
    }
    let pair = |number: &u32| (slots[*number as usize * width + at], *number);
    let mut pairs: Vec<(i64, u32)> = numbers.iter().map(pair).collect();
    pairs.sort_unstable();
    let groups = pairs.chunk_by(|a, b| a.0 == b.0);
    let (mut frequent, rare): (Vec<_>, Vec<_>) = groups.partition(|it| it.len() >= STRATUM);
    frequent.sort_by_key(|group| Reverse(group.len().ilog2()));
    let mut rest = numbers;
    let mut take = |groups: &[&[(i64, u32)]]| {
        let all = groups.iter().map(|group| group.len()).sum();
        let (own, others) = std::mem::take(&mut rest).split_at_mut(all);
        let taken = groups.iter().copied().flatten();
        own.iter_mut()
            .zip(taken)
            .for_each(|(place, it)| *place = it.1);
        rest = others;
        own
    };
    // Groups about as large stand by value, as they do among the pairs.
    for group in frequent {
        arrange(take(&[group]), slots, width, at + 1);
    }
    take(&rare).sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_values_come_first_each_with_its_targets_together_and_rare_ones_in_the_order_of_time()
     {
        // Value 7 has 600 targets of 1,000, value 3 has 300, and 100 have values of their own.
        let value = |n: i64| match n % 10 {
            0..6 => 7,
            6..9 => 3,
            _ => 1_000 - n,
        };
        let slots: Vec<i64> = (0..1_000).flat_map(|n| [value(n), n % 2]).collect();
        let found = arranged(&slots, 2);
        let values: Vec<(i64, i64)> = found
            .iter()
            .map(|n| (value(i64::from(*n)), i64::from(*n) % 2))
            .collect();
        assert!(values[..300].iter().all(|pair| *pair == (7, 0)));
        assert!(values[300..600].iter().all(|pair| *pair == (7, 1)));
        assert!(values[600..900].iter().all(|(value, _)| *value == 3));
        let rare: Vec<u32> = (0..100).map(|n| 10 * n + 9).collect();
        assert_eq!(found[900..], rare);
        assert!(found[..300].is_sorted() && found[300..600].is_sorted());
    }

    #[test]
    fn equally_likely_values_stay_in_their_order() {
        // 65 to 127 targets each: one power of two.
        let slots: Vec<i64> = (0..20)
            .flat_map(|value| std::iter::repeat_n(value, 65 + 3 * value as usize))
            .collect();
        let found = arranged(&slots, 1);
        assert!(found.is_sorted());
        assert_eq!(arranged(&[], 0), Vec::<u32>::new());
    }
}
