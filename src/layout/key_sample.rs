//! The rows of a strategy's table, or of one of its copies, in one replicate: sampled operations with their row keys, in key order. Must not
//! know regions.

use super::{EntityShare, Replicate};
use crate::key::{KeyPlan, Row};
use crate::keyspace::{KeyBatch, KeyRange, RowKey, leading_bits};
use crate::random::{DrawKey, Stream, mix};
use crate::record::{DistributionShape, FieldId, FieldKind, RecordGenerator, Schema};
use crate::scenario::{Presplit, Setup, Strategy};
use crate::storage::common_prefix;
use crate::workload::{
    Choice, EXISTING_LANE, Existing, ExistingSample, LoadModel, OperationBatch, Phase, RunSample,
    Workload, WriteId,
};
use std::ops::Range;
use std::sync::Arc;

const NANOS_PER_MS: i64 = 1_000_000;

/// Operations whose keys are kept for other strategies with the same key, some tens of bytes each.
const MOST_KEPT: usize = 1 << 18;

/// What is written and was written before, under one key, in one replicate.
#[derive(Clone, Copy)]
pub(super) struct KeyedTable<'a> {
    /// 0: the strategy's own table; c: its copy c - 1.
    pub number: u32,
    pub key: &'a Arc<KeyPlan>,
    /// The same with the strategy's qualifier behind it.
    pub cell_key: &'a Arc<KeyPlan>,
    pub presplit: &'a Presplit,
    /// Where the key stands in the scenario's text.
    pub key_span: &'a Range<usize>,
    pub strategy: &'a Strategy,
    pub replicate: &'a Replicate,
}

impl<'a> KeyedTable<'a> {
    /// The strategy's own table.
    pub fn of(strategy: &'a Strategy, replicate: &'a Replicate) -> Self {
        Self {
            number: 0,
            key: &strategy.key,
            cell_key: &strategy.cell_key,
            presplit: &strategy.presplit,
            key_span: &strategy.key_span,
            strategy,
            replicate,
        }
    }

    /// The strategy's own table, then its copies.
    pub fn all(
        strategy: &'a Strategy,
        replicate: &'a Replicate,
    ) -> impl Iterator<Item = Self> + Clone {
        let own = Self::of(strategy, replicate);
        let copies = (1..).zip(&strategy.copies).map(move |(number, copy)| Self {
            number,
            key: &copy.key,
            cell_key: &copy.cell_key,
            presplit: &copy.presplit,
            key_span: &copy.key_span,
            ..own
        });
        std::iter::once(own).chain(copies)
    }

    pub fn setup(&self) -> &'a Setup {
        &self.strategy.setup
    }

    /// What the key is written by: its expression with its parameters, and what derived fields in it stand for.
    pub fn written(&self) -> (Arc<KeyPlan>, Vec<(String, String)>) {
        (Arc::clone(self.key), self.setup().derived.clone())
    }

    /// About `operations` operations of the run.
    pub fn run(&self, operations: usize, choice: Choice) -> Arc<KeySample> {
        self.sampled(RunSample::take, (operations, choice), 0)
    }

    /// About `rows` of the writes that made what exists before the run, or all of them.
    pub fn existing(&self, rows: usize, choice: Choice) -> Arc<KeySample> {
        self.sampled(ExistingSample::take, (rows, choice), EXISTING_LANE)
    }

    /// The keys of a sample, which draw from this lane.
    fn sampled(
        &self,
        take: fn(&Workload, &Arc<RecordGenerator>, (usize, Choice), &mut OperationBatch),
        (operations, choice): (usize, Choice),
        lane: u32,
    ) -> Arc<KeySample> {
        let sampled = (lane, operations, choice);
        let find = || {
            let batch = self.replicate.once(sampled, || {
                let (workload, mut batch) = (&self.setup().workload, OperationBatch::default());
                let of = (operations, choice);
                take(workload, &self.replicate.generator, of, &mut batch);
                batch
            });
            self.keyed(batch, lane)
        };
        // Strategies are laid out in the first replicate; in others each has one run, which would hold the keys of all.
        match operations > MOST_KEPT || self.replicate.number > 0 {
            true => Arc::new(find()),
            false => self.replicate.once((sampled, self.written()), find),
        }
    }

    /// Writes and sorts the keys of these operations; those of the run draw from lane 0, those before it from [`EXISTING_LANE`]. O(n log n).
    pub fn keyed(&self, batch: Arc<OperationBatch>, lane: u32) -> KeySample {
        let Replicate { seed, number, .. } = *self.replicate;
        let draws = DrawKey::new(seed, number, Stream::Keys, lane);
        let mut keys = KeyBatch::default();
        let (operations, indices) = (&batch.operations, &batch.indices);
        self.key
            .write_batch(&batch.records, operations, indices, draws, &mut keys);
        let (order, alike) = sorted_order(&keys);
        KeySample {
            order,
            hottest: alike.iter().max().map_or(0, |most| *most as usize),
            alike,
            width: self.replicate.generator.width(),
            batch,
            draws,
            keys: Arc::new(keys),
        }
    }
}

/// Keys written from a sample of operations, and their order.
#[derive(Debug, Clone)]
pub(super) struct KeySample {
    /// The operations themselves.
    pub batch: Arc<OperationBatch>,
    /// Slots of a record.
    pub width: usize,
    draws: DrawKey,
    /// The keys, unsorted.
    pub keys: Arc<KeyBatch>,
    /// Positions in the sample, by key, then by position.
    order: Vec<u32>,
    /// How many have the same key, of key after key.
    alike: Vec<u32>,
    /// Operations whose key is the most frequent one.
    hottest: usize,
}

/// Samples of the rows before the run and of those that it writes.
pub(super) type Parts = [Arc<KeySample>; 2];

impl KeySample {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The positions of operations with one key, which ascend, of key after key.
    pub fn alike(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.order[..];
        self.alike.iter().map(move |many| {
            let (alike, behind) = rest.split_at(*many as usize);
            rest = behind;
            alike
        })
    }

    /// The operation of each position so many times.
    pub fn with_times(&self, times: &[u32]) -> Arc<Self> {
        let own = |at: &u32| std::iter::repeat_n(*at, times[*at as usize] as usize);
        let order = self.order.iter().flat_map(own).collect();
        let many = |alike: &[u32]| alike.iter().map(|at| times[*at as usize]).sum();
        let alike = self.alike().map(many).filter(|many| *many > 0).collect();
        Arc::new(Self {
            order,
            alike,
            hottest: self.hottest,
            width: self.width,
            batch: Arc::clone(&self.batch),
            draws: self.draws,
            keys: Arc::clone(&self.keys),
        })
    }

    /// The keys, sorted; repetitions stay.
    pub fn sorted(&self) -> Vec<&[u8]> {
        let order = self.order.iter();
        order.map(|&at| self.keys.get(at as usize)).collect()
    }

    /// Of each key in their order at which place it was written. Rows of several tables of existing rows were written side
    /// by side, from the start of each to its end. O(n log n).
    pub fn order_written(&self) -> Vec<u32> {
        // Indices ascend within the rows of one table.
        let mut progress: Vec<(f64, u32)> = Vec::with_capacity(self.len());
        for rows in self.batch.indices.chunk_by(|before, next| before < next) {
            let share = |at: usize| (at as f64 + 0.5) / rows.len() as f64;
            let first = progress.len();
            progress.extend((0..rows.len()).map(|at| (share(at), (first + at) as u32)));
        }
        progress.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut place = vec![0; progress.len()];
        for (written, (_, at)) in (0..).zip(progress) {
            place[at as usize] = written;
        }
        self.order.iter().map(|&at| place[at as usize]).collect()
    }

    /// Position in the sample of the key of that rank.
    pub fn at_rank(&self, rank: usize) -> usize {
        self.order[rank] as usize
    }

    /// The ranks of the operations whose keys lie in a range. O(log n).
    pub fn ranks_in(&self, range: &KeyRange) -> Range<usize> {
        let below = |end: &RowKey| {
            let is_below = |at: &u32| self.keys.get(*at as usize) < end.as_bytes();
            self.order.partition_point(is_below)
        };
        let end = match range.end.as_bytes() {
            [] => self.len(),
            _ => below(&range.end),
        };
        below(&range.start)..end
    }

    /// The operation's record.
    pub fn record(&self, at: usize) -> &[i64] {
        self.batch.record(at, self.width)
    }

    /// What the operation's key is written from.
    pub fn row(&self, at: usize) -> Row<'_> {
        let draws = self.draws.at(self.batch.operations[at]);
        Row::new(self.record(at), self.batch.indices[at], draws)
    }

    /// Mean length of a key in bytes; 0 for an empty sample.
    pub fn mean_key_bytes(&self) -> f64 {
        self.keys.mean_bytes()
    }

    /// Share of the operations whose key is the most frequent one; exact on the sample. In a sample of n a share below a few n-ths is
    /// noise: when all keys differ it is 1 / n.
    pub fn hottest_row_share(&self) -> f64 {
        self.hottest as f64 / self.keys.len().max(1) as f64
    }

    /// What the record of an operation has of a field.
    pub fn slot(&self, field: FieldId, at: usize) -> i64 {
        self.record(at)[usize::from(field.0)]
    }

    /// The `top` most frequent values of `field` among the operations at these positions, most frequent first, then by value.
    pub fn hottest_values(
        &self,
        schema: &Schema,
        field: FieldId,
        positions: &[usize],
        top: usize,
    ) -> Vec<EntityShare> {
        let share = |(slot, count)| EntityShare {
            field: schema.field(field).name.clone(),
            value: schema.display(field, slot),
            share: count as f64 / positions.len() as f64,
        };
        let mut slots = self.slots(field, positions);
        slots.truncate(top);
        slots.into_iter().map(share).collect()
    }

    /// The values of `field` among the operations at these positions with how many have each, most frequent first, then by value.
    pub fn slots(&self, field: FieldId, positions: &[usize]) -> Vec<(i64, usize)> {
        let mut slots: Vec<i64> = positions.iter().map(|&at| self.slot(field, at)).collect();
        slots.sort_unstable();
        let runs = slots.chunk_by(|a, b| a == b);
        let mut counts: Vec<(i64, usize)> = runs.map(|run| (run[0], run.len())).collect();
        counts.sort_unstable_by_key(|&(slot, count)| (std::cmp::Reverse(count), slot));
        counts
    }
}

/// A number of [0, 1) that a hash gives.
pub(super) fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

/// Where in each period the sampled write's combination of fields has its turn, from 0 to 1; `None` where writes don't come in turns.
pub(super) fn phase(sample: &KeySample, at: usize, setup: &Setup, is_run: bool) -> Option<f64> {
    let write = sample.batch.writes[at];
    let workload = &setup.workload;
    let periodic = workload.writes.get(usize::from(write.0));
    let periodic = periodic.and_then(|write| match &write.load {
        LoadModel::Periodic(periodic) => Some(periodic),
        _ => None,
    });
    let is_of = |it: &&Existing| it.write.unwrap_or(WriteId(0)) == write;
    let each = match is_run {
        true => periodic.map_or(&[][..], |periodic| &periodic.each),
        false => {
            let existing = workload.existing.iter().find(is_of);
            existing.map_or(&[][..], |existing| existing.rows.each())
        }
    };
    if each.is_empty() {
        return None;
    }
    let is_aligned = periodic.is_some_and(|periodic| periodic.phase == Phase::Aligned);
    let combination = each.iter().fold(0u64, |hash, field| {
        mix(mix(hash.wrapping_add(1)) ^ sample.slot(*field, at) as u64)
    });
    Some(if is_aligned { 0.0 } else { unit(combination) })
}

/// When the cells of a sampled write were written, in milliseconds: rows of the run at their intended time, existing ones within their
/// record's unit of time (a row a millisecond, when records have no time).
pub(super) fn written_at(sample: &KeySample, at: usize, setup: &Setup, is_run: bool) -> u64 {
    let start = setup.workload.start;
    if is_run {
        let time = start.at(sample.batch.intended[at]).0;
        return (time / NANOS_PER_MS).max(0) as u64;
    }
    let mut fields = setup.schema.fields.iter();
    let time = fields.position(|field| matches!(field.kind, FieldKind::Timestamp { .. }));
    if let Some(field) = time {
        let slot = sample.record(at)[field];
        let [first, next] = [slot, slot + 1].map(|slot| millis(&setup.schema, field, slot));
        let length = next.saturating_sub(first);
        if length <= 1 {
            return first;
        }
        let within = phase(sample, at, setup, false);
        let within = within.unwrap_or_else(|| unit(mix(sample.batch.indices[at] + 1)));
        return first + (within * length as f64) as u64;
    }
    let rows = setup.workload.existing_rows(&setup.schema);
    let before = rows.saturating_sub(sample.batch.indices[at]) as i64;
    (start.0 / NANOS_PER_MS).saturating_sub(before).max(0) as u64
}

/// A timestamp field's slot in milliseconds since the epoch; 0 of another field.
pub(super) fn millis(schema: &Schema, field: usize, slot: i64) -> u64 {
    let FieldKind::Timestamp { unit, .. } = schema.fields[field].kind else {
        return 0;
    };
    let millis = match unit.nanos() {
        nanos if nanos < NANOS_PER_MS => slot / (NANOS_PER_MS / nanos),
        nanos => slot.saturating_mul(nanos / NANOS_PER_MS),
    };
    millis.max(0) as u64
}

/// Positions by key, then by position, and how many have the same key, of key after key.
pub(super) fn sorted_order(keys: &KeyBatch) -> (Vec<u32>, Vec<u32>) {
    let first: &[u8] = if keys.is_empty() { &[] } else { keys.get(0) };
    let same = keys.iter().all(|key| key.len() == first.len());
    let length = same.then_some(first.len());
    let shared = |common: usize, key: &[u8]| common_prefix(&first[..common], key);
    let common = keys.iter().fold(first.len(), shared);
    let mut order: Vec<(u64, u32)> = (0..keys.len() as u32).map(|at| (0, at)).collect();
    let mut alike = Vec::with_capacity(order.len());
    let out = (&mut Vec::new(), &mut alike);
    sort_from((keys, length), common, &mut order, out);
    (order.into_iter().map(|(_, at)| at).collect(), alike)
}

/// Sorts positions, which ascend, of keys that agree in their first `start` bytes, word by word: comparing numbers is much faster than comparing bytes. Of keys of one
/// length that is known. Appends how many have the same key, of key after key, to the second of what is given.
fn sort_from(
    (keys, length): (&KeyBatch, Option<usize>),
    start: usize,
    order: &mut [(u64, u32)],
    (scratch, same): (&mut Vec<(u64, u32)>, &mut Vec<u32>),
) {
    const WORD: usize = 8;
    for (word, at) in order.iter_mut() {
        *word = leading_bits(&keys.get(*at as usize)[start..]);
    }
    sort_words(order, scratch);
    for alike in order.chunk_by_mut(|a, b| a.0 == b.0) {
        if alike.len() == 1 {
            same.push(1);
        } else {
            // Of words that agree, whose positions ascend, keys that end first come first; the others go on.
            let own = |at: u32| length.unwrap_or_else(|| keys.get(at as usize).len());
            let length_of = |at: u32| own(at).min(start + WORD + 1);
            if length.is_none() {
                alike.sort_by_key(|&(_, at)| length_of(at));
            }
            let ended = alike.partition_point(|&(_, at)| length_of(at) <= start + WORD);
            let (ended, longer) = alike.split_at_mut(ended);
            let equal = ended.chunk_by(|a, b| length_of(a.1) == length_of(b.1));
            same.extend(equal.map(|it| it.len() as u32));
            if !longer.is_empty() {
                sort_from((keys, length), start + WORD, longer, (scratch, same));
            }
        }
    }
}

/// Sorts words with their positions, which ascend: dealt by the first bits in which words differ, those that agree in them by the rest.
fn sort_words(words: &mut [(u64, u32)], scratch: &mut Vec<(u64, u32)>) {
    /// Fewer are compared.
    const FEW: usize = 128;
    /// Counters of as many values fit the processor's first cache.
    const DIGIT: u32 = 11;
    const VALUES: usize = 1 << DIGIT;
    let Some(&(first, _)) = words.first().filter(|_| words.len() > FEW) else {
        return words.sort_unstable();
    };
    let differ = words.iter().fold(0, |differ, it| differ | (it.0 ^ first));
    if differ == 0 {
        return;
    }
    let shift = (differ.ilog2() + 1).saturating_sub(2 * DIGIT);
    let digits = |word: u64| [shift, shift + DIGIT].map(|at| (word >> at) as usize % VALUES);
    let mut places = [[0u32; VALUES]; 2];
    for it in &*words {
        let digits = digits(it.0);
        (0..2).for_each(|at| places[at][digits[at]] += 1);
    }
    for places in &mut places {
        let mut before = 0;
        for place in places {
            before += std::mem::replace(place, before);
        }
    }
    if scratch.len() < words.len() {
        scratch.resize(words.len(), (0, 0));
    }
    let dealt = &mut scratch[..words.len()];
    let mut deal = |from: &[(u64, u32)], to: &mut [(u64, u32)], at: usize| {
        for it in from {
            let place = &mut places[at][digits(it.0)[at]];
            to[*place as usize] = *it;
            *place += 1;
        }
    };
    deal(words, dealt, 0);
    deal(dealt, words, 1);
    if shift > 0 {
        let alike = words.chunk_by_mut(|a, b| (a.0 ^ b.0) >> shift == 0);
        let alike = alike.filter(|alike| alike.len() > 1);
        alike.for_each(|alike| sort_words(alike, scratch));
    }
}

/// A field whose values carry unequal loads: by its own law, because it follows a field that does, or because a write fixes it.
pub(super) fn is_skewed(schema: &Schema, workload: &Workload, field: FieldId) -> bool {
    let own = schema.field(field);
    let mut fixed = workload.writes.iter().flat_map(|write| &write.with);
    let mut column = own.column.iter();
    column.any(|it| it.distinct < it.slots.len() as u64)
        || own.law.shape != DistributionShape::Uniform
        || !own.law.top.is_empty()
        || fixed.any(|(fixed, _)| *fixed == field)
        || (own.of.iter()).any(|parent| is_skewed(schema, workload, *parent))
}

/// A field whose values are things that can be hot: not an instant, a counter or a measured number.
pub(super) fn is_entity(schema: &Schema, field: FieldId) -> bool {
    let field = schema.field(field);
    let is_number = matches!(
        field.kind,
        FieldKind::Sequence { .. } | FieldKind::Double { .. }
    );
    !is_number && field.time_unit().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix;

    #[test]
    fn the_order_and_what_is_alike_are_those_of_the_whole_keys() {
        let mut keys = KeyBatch::default();
        for i in 0..9_000u64 {
            let tail = mix(i) % 40;
            let length = (mix(!i) % 20) as usize;
            keys.push_with(|bytes| {
                bytes.extend_from_slice(b"tenant");
                match i % 3 {
                    0 => bytes.extend_from_slice(&mix(i).to_be_bytes()),
                    1 => bytes.extend_from_slice(format!("{:016x}", mix(i % 1_000)).as_bytes()),
                    _ => bytes.extend_from_slice(&format!("{tail:020}").as_bytes()[20 - length..]),
                }
            });
        }
        let (order, alike) = sorted_order(&keys);
        let key = |at: &u32| (keys.get(*at as usize), *at);
        assert!(order.is_sorted_by(|a, b| key(a) < key(b)));
        assert_eq!(order.len(), 9_000);
        let same = order.chunk_by(|a, b| key(a).0 == key(b).0);
        let same = same.map(|it| it.len() as u32);
        assert_eq!(same.collect::<Vec<_>>(), alike);
        assert_eq!(sorted_order(&KeyBatch::default()), (Vec::new(), Vec::new()));
    }
}
