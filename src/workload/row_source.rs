//! Record n of a write, or of the rows written before the run, and which is written when: the one place that makes it.

use super::combinations::{Combinations, PeriodicClock};
use super::{
    Existing, Import, ImportOrder, ImportRows, LoadModel, Periodic, Phase, Workload, WriteId,
};
use crate::random::{DrawKey, Draws, Permutation, Stream, lane_of};
use crate::record::{FieldId, FieldKind, FieldMask, OperationRun, RecordGenerator, Schema};
use crate::time::{EpochNanos, SimDuration, SimTime};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The records of one origin: number `n` < `len()` can be made at any time, without the others. Where records have instants of their own, numbers
/// ascend with them.
#[derive(Debug, Clone)]
pub(super) struct RowSource {
    pub(super) generator: Arc<RecordGenerator>,
    /// What the records combine; the other fields are drawn for each.
    combinations: Option<Combinations>,
    instants: Instants,
    order: WrittenOrder,
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
    /// Spread over so long before the run: in as many equal gaps as there are records, each anywhere in its own.
    Before(SimDuration, DrawKey),
    /// Turns of the combinations that end with the start of the run.
    TurnsBefore(PeriodicClock),
    /// Turns of the combinations from the start of the run on.
    Turns(Arc<PeriodicClock>),
}

/// Which record is written `i`-th.
#[derive(Debug, Clone)]
enum WrittenOrder {
    /// The records' own order.
    Time,
    /// A random order of all.
    Shuffled(Permutation),
    /// A list: 4 bytes a record.
    Listed(Vec<u32>),
    /// Turns by a field that each combination has one value of: 8 bytes a combination.
    Periods(GroupedTurns),
}

/// Groups of combinations with one value; in each, period after period.
#[derive(Debug, Clone)]
struct GroupedTurns {
    /// Places of the clock, group after group, ascending within each.
    places: Vec<u32>,
    groups: Vec<Group>,
    /// Turns of the first, incomplete period: those at the last places.
    partial: u64,
    /// Places in a period.
    period: u64,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    /// First record written.
    from: u64,
    /// First of its places, and how many.
    first: usize,
    places: u64,
    /// How many of the places take part in the incomplete period.
    partial: u64,
}

/// Number of records that never end.
const ENDLESS: u64 = u64::MAX;

impl RowSource {
    /// The rows of an `[existing]` table.
    pub(super) fn of_existing(
        existing: &Existing,
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
    ) -> Self {
        let of = (&*existing.name, Stream::Existing, &*existing.with);
        Self::new(of, Some(&existing.rows), None, workload, generator)
    }

    /// The records of a write. O(1) unless an import is ordered by a field: then O(n log n) in the combinations, or in the records when the
    /// field is drawn for each of them.
    pub(super) fn of_write(
        workload: &Workload,
        id: WriteId,
        generator: &Arc<RecordGenerator>,
    ) -> Self {
        let mut rows = Self::unsorted(workload, id, generator);
        let import = workload.writes[usize::from(id.0)].load.import();
        match import.map(|import| import.order) {
            Some(ImportOrder::By(field)) if rows.len > 1 => {
                rows.order = rows.by_field(field);
                rows
            }
            _ => rows,
        }
    }

    /// The same without sorting: an order by a field is any order, in which every record stands for one that is written then.
    pub(super) fn unsorted(
        workload: &Workload,
        id: WriteId,
        generator: &Arc<RecordGenerator>,
    ) -> Self {
        let write = &workload.writes[usize::from(id.0)];
        let import = write.load.import();
        let turns = match &write.load {
            LoadModel::Periodic(periodic) => Some(periodic),
            LoadModel::Open { .. } | LoadModel::Closed { .. } => None,
        };
        let of = (&*write.name, Stream::Records, &*write.with);
        let rows = import.map(|import| &import.rows);
        let mut rows = Self::new(of, rows, turns, workload, generator);
        rows.sequence = workload.existing_rows_of(id, generator.schema());
        if import.is_some_and(|import| import.order != ImportOrder::Time) && rows.len > 1 {
            let draws = generator.draws(Stream::Shuffle, lane_of(&write.name));
            rows.order = WrittenOrder::Shuffled(Permutation::new(rows.len, draws));
        }
        rows
    }

    /// Records of that name, drawn for that purpose, with fixed fields: some `rows`, or `turns` of combinations, or as many as there are times.
    fn new(
        (name, purpose, fixed): (&str, Stream, &[(FieldId, i64)]),
        rows: Option<&ImportRows>,
        turns: Option<&Periodic>,
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
    ) -> Self {
        let lane = lane_of(name);
        let clock = |turns: &Periodic| PeriodicClock::new(turns, generator, lane);
        let (each, instants) = match (rows, turns) {
            (None, None) => (None, Instants::OfWriting),
            (None, Some(turns)) => (Some(&turns.each), Instants::Turns(Arc::new(clock(turns)))),
            (Some(ImportRows::Drawn { last, .. }), _) => match *last {
                SimDuration::ZERO => (None, Instants::OfWriting),
                last => (
                    None,
                    Instants::Before(last, generator.draws(Stream::Gaps, lane)),
                ),
            },
            (Some(ImportRows::Each { each, every, .. }), _) => {
                let before = |every| {
                    Instants::TurnsBefore(clock(&Periodic {
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
            generator: Arc::clone(generator),
            order: WrittenOrder::Time,
            len: rows.map_or(ENDLESS, |rows| rows.len(generator.schema())),
            start: workload.start,
            draws: generator.draws(purpose, lane),
            sequence: 0,
            given: fixed.to_vec(),
            fixed: fixed.len(),
        }
    }

    /// Number of records.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// They end.
    pub(super) fn is_finite(&self) -> bool {
        self.len != ENDLESS
    }

    /// When combinations have their turns during the run.
    pub(super) fn clock(&self) -> Option<&Arc<PeriodicClock>> {
        match &self.instants {
            Instants::Turns(clock) => Some(clock),
            _ => None,
        }
    }

    /// They carry instants of their own, whenever they are written.
    pub(super) fn have_instants(&self) -> bool {
        !matches!(self.instants, Instants::OfWriting)
    }

    /// The combination that a record holds, and nanoseconds from the start of the run to its own instant, if it has one.
    fn turn(&self, number: u64) -> (u64, Option<i64>) {
        match &self.instants {
            Instants::OfWriting => (number, None),
            Instants::Before(last, gaps) => {
                // In parts of a nanosecond, as many as there are records.
                let last = u128::from(last.as_nanos());
                let into = (u128::from(gaps.at(number).bits()) * last) >> 64;
                let back = last * u128::from(self.len - number) - into;
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

    /// The number of the record that is written `i`-th.
    #[inline]
    pub(super) fn written(&self, i: u64) -> u64 {
        match &self.order {
            WrittenOrder::Time => i,
            WrittenOrder::Shuffled(order) => order.at(i),
            WrittenOrder::Listed(list) => u64::from(list[i as usize]),
            WrittenOrder::Periods(groups) => groups.record(i),
        }
    }

    /// What the drawn fields of a record are drawn by.
    pub(super) fn draws_of(&self, number: u64) -> Draws {
        self.draws.at(number)
    }

    /// Writes record `number` < `len()`, with some slots `given`. `now` is the instant of records without one of their own.
    #[inline]
    pub(super) fn record(
        &mut self,
        number: u64,
        now: SimTime,
        given: &[(FieldId, i64)],
        out: &mut [i64],
    ) {
        let (combination, own) = self.turn(number);
        let now = || self.start.at(now);
        let at = own.map_or_else(now, |own| EpochNanos(self.start.0.saturating_add(own)));
        self.record_of((number, number, combination), at, given, out);
    }

    /// Writes record `number` of endless ones that are drawn, the `taken`-th that is written, which is what sequences count.
    pub(super) fn issued(&mut self, (number, taken): (u64, u64), now: SimTime, out: &mut [i64]) {
        self.record_of((number, taken, number), self.start.at(now), &[], out);
    }

    /// As [`RowSource::record`], where what sequences count, the combination and the instant of a record are known.
    fn record_of(
        &mut self,
        (number, taken, combination): (u64, u64, u64),
        at: EpochNanos,
        given: &[(FieldId, i64)],
        out: &mut [i64],
    ) {
        self.given.truncate(self.fixed);
        if let Some(combinations) = &self.combinations {
            let end = self.fixed + combinations.width();
            self.given.resize(end, (FieldId(0), 0));
            combinations.write(combination, &mut self.given[self.fixed..]);
        }
        self.given.extend_from_slice(given);
        let (draws, sequence) = (self.draws_of(number), self.sequence + taken);
        self.generator
            .generate(draws, sequence, at, &self.given, out);
    }

    /// Writes the records that are written with these indices at these times, one after another; of endless ones that are drawn only the fields
    /// `asked` for.
    pub(super) fn records(
        &mut self,
        indices: &[u64],
        times: &[SimTime],
        asked: FieldMask,
        out: &mut [i64],
    ) {
        if let (Instants::OfWriting, true, Some(&first)) =
            (&self.instants, self.len == ENDLESS, indices.first())
        {
            let run = OperationRun {
                draws: self.draws,
                first,
                sequence: self.sequence + first,
                start: self.start,
                times,
                asked,
            };
            return self
                .generator
                .generate_run(run, &self.given[..self.fixed], out);
        }
        let records = out.chunks_exact_mut(self.generator.width().max(1));
        for ((&index, time), out) in indices.iter().zip(times).zip(records) {
            match &self.instants {
                Instants::Turns(clock) => {
                    let turn = (index, index, clock.combination_of(index));
                    self.record_of(turn, self.start.at(*time), &[], out);
                }
                _ => self.record(self.written(index), *time, &[], out),
            }
        }
    }

    /// The values of `field` in these records, as numbers that sort like them.
    fn sort_keys(&mut self, numbers: impl Iterator<Item = u64>, field: FieldId) -> Vec<u64> {
        let generator = Arc::clone(&self.generator);
        let mut record = vec![0; generator.width()];
        let slot = |number| {
            // Records without a time of their own are in order of time whatever the time is.
            self.record(number, SimTime::ZERO, &[], &mut record);
            record[usize::from(field.0)]
        };
        let slots: Vec<i64> = numbers.map(slot).collect();
        sortable(&slots, field, generator.schema())
    }

    /// These records in the order of an import by `field`. O(n log n).
    pub(super) fn sorted_by_field(&mut self, numbers: Vec<u64>, field: FieldId) -> Vec<u64> {
        let keys = self.sort_keys(numbers.iter().copied(), field);
        let mut order: Vec<(u64, u64)> = keys.into_iter().zip(numbers).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, number)| number).collect()
    }

    fn by_field(&mut self, field: FieldId) -> WrittenOrder {
        if let (Instants::TurnsBefore(clock), Some(combinations)) =
            (&self.instants, &self.combinations)
            && let (len, period) = (self.len, clock.count())
            && (period..).contains(&len)
            && period <= u64::from(u32::MAX)
            && combinations.determine(field, self.generator.schema(), &self.given[..self.fixed])
        {
            // The last period is complete: its records, one a combination, stand for all periods.
            let keys = self.sort_keys(len - period..len, field);
            return WrittenOrder::Periods(GroupedTurns::new(&keys, len, period));
        }
        let keys = self.sort_keys(0..self.len, field);
        WrittenOrder::Listed(ascending(&keys))
    }
}

/// The numbers of keys in ascending order, those of equal ones by number.
fn ascending(keys: &[u64]) -> Vec<u32> {
    let len = u32::try_from(keys.len()).expect("an order of so many rows takes too much memory");
    let mut list: Vec<u32> = (0..len).collect();
    list.sort_unstable_by_key(|number| (keys[*number as usize], *number));
    list
}

/// Numbers that sort as the field's values do: numbers by themselves, texts by their bytes.
pub(super) fn sortable(slots: &[i64], field: FieldId, schema: &Schema) -> Vec<u64> {
    const SIGN: u64 = 1 << 63;
    let each = |key: fn(u64) -> u64| slots.iter().map(|slot| key(*slot as u64)).collect();
    match schema.field(field).kind {
        FieldKind::Int { .. } | FieldKind::Sequence { .. } | FieldKind::Timestamp { .. } => {
            each(|slot| slot ^ SIGN)
        }
        FieldKind::Double { .. } => each(|bits| if bits >= SIGN { !bits } else { bits | SIGN }),
        _ => {
            let renderer = schema.text(field);
            let text = |slot: &i64| {
                let mut text = Vec::new();
                renderer.write(*slot, &mut text);
                text
            };
            let mut ranks: BTreeMap<i64, u64> = slots.iter().map(|slot| (*slot, 0)).collect();
            let mut texts: Vec<(Vec<u8>, i64)> =
                ranks.keys().map(|slot| (text(slot), *slot)).collect();
            texts.sort_unstable();
            for (rank, (_, slot)) in texts.iter().enumerate() {
                ranks.insert(*slot, rank as u64);
            }
            slots.iter().map(|slot| ranks[slot]).collect()
        }
    }
}

impl GroupedTurns {
    fn new(keys: &[u64], records: u64, period: u64) -> Self {
        let (complete, partial) = (records / period, records % period);
        let places = ascending(keys);
        let (mut groups, mut from, mut first) = (Vec::new(), 0, 0);
        for run in places.chunk_by(|a, b| keys[*a as usize] == keys[*b as usize]) {
            let takes_part = |place: &&u32| u64::from(**place) >= period - partial;
            let partial = run.iter().filter(takes_part).count() as u64;
            let places = run.len() as u64;
            groups.push(Group {
                from,
                first,
                places,
                partial,
            });
            from += places * complete + partial;
            first += run.len();
        }
        Self {
            places,
            groups,
            partial,
            period,
        }
    }

    fn record(&self, i: u64) -> u64 {
        let group = self.groups[self.groups.partition_point(|group| group.from <= i) - 1];
        let at = i - group.from;
        let incomplete = u64::from(self.partial > 0);
        let (periods, nth) = match at.checked_sub(group.partial) {
            None => (0, group.places - group.partial + at),
            Some(at) => (at / group.places + incomplete, at % group.places),
        };
        let place = u64::from(self.places[group.first + nth as usize]);
        // Records count turns from the first of the incomplete period on.
        periods * self.period + place - incomplete * (self.period - self.partial)
    }
}

impl ImportRows {
    /// Number of records.
    pub fn len(&self, schema: &Schema) -> u64 {
        match self {
            Self::Drawn { records, .. } => *records,
            Self::Each { each, every, last } => {
                let count = Combinations::new(each, schema).count;
                every.map_or(count, |every| {
                    let turns = u128::from(count) * u128::from(last.as_nanos())
                        / u128::from(every.as_nanos().max(1));
                    turns.min(u128::from(u64::MAX)) as u64
                })
            }
        }
    }

    /// Those of them that were written at most so long before the run; all where that is not said.
    pub fn newest(&self, kept_for: Option<SimDuration>) -> Self {
        let mut rows = self.clone();
        if let Some(kept) = kept_for.filter(|kept| *kept < self.last()) {
            match &mut rows {
                Self::Drawn { records, last } => {
                    let kept_records = u128::from(*records) * u128::from(kept.as_nanos());
                    *records = (kept_records / u128::from(last.as_nanos())) as u64;
                    *last = kept;
                }
                Self::Each { last, .. } => *last = kept,
            }
        }
        rows
    }

    /// How far back they reach.
    pub fn last(&self) -> SimDuration {
        match self {
            Self::Drawn { last, .. } | Self::Each { last, .. } => *last,
        }
    }

    /// Fields of which they hold every combination as often.
    pub fn each(&self) -> &[FieldId] {
        match self {
            Self::Drawn { .. } => &[],
            Self::Each { each, .. } => each,
        }
    }
}

impl Import {
    /// Bytes that putting its rows in order takes, when that is by a field: 24 a row, for its value, its sort key and its number;
    /// of turns with one value a combination, of one period's rows.
    pub fn order_bytes(&self, schema: &Schema, with: &[(FieldId, i64)]) -> u64 {
        const ROW_BYTES: u64 = 24;
        let ImportOrder::By(field) = self.order else {
            return 0;
        };
        let mut rows = self.rows.len(schema);
        if let ImportRows::Each {
            each,
            every: Some(_),
            ..
        } = &self.rows
        {
            let combinations = Combinations::new(each, schema);
            if combinations.determine(field, schema, with) {
                rows = rows.min(combinations.count);
            }
        }
        rows.saturating_mul(ROW_BYTES)
    }
}

impl Workload {
    /// The phase of the beat of that name; spread when there is none.
    pub(super) fn beat_phase(&self, name: &str) -> Phase {
        let beats = self.writes.iter().find_map(|write| match &write.load {
            LoadModel::Periodic(periodic) if write.name == name => Some(periodic.phase),
            _ => None,
        });
        beats.unwrap_or(Phase::Spread)
    }
}
