//! In which order an import's records are written. Must not know when.

use super::combinations::Combinations;
use super::row_source::RowSource;
use super::{Import, ImportOrder, ImportRows, Write};
use crate::random::{Permutation, Stream, lane_of};
use crate::record::{FieldId, FieldKind, RecordGenerator, Schema};
use crate::time::EpochNanos;

/// Which record is written `i`-th.
#[derive(Debug, Clone)]
pub(super) enum WrittenOrder {
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
pub(super) struct GroupedTurns {
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

impl WrittenOrder {
    /// The order of a write's records. O(1) but for `By`: O(n log n) in the combinations, or in the records when the field is drawn for each of them.
    pub(super) fn of_write(
        write: &Write,
        rows: &mut RowSource,
        generator: &RecordGenerator,
    ) -> Self {
        match write.drive.import().map(|import| import.order) {
            Some(ImportOrder::By(field)) if rows.len() > 1 => by_field(field, rows, generator),
            _ => Self::without_sorting(write, rows, generator),
        }
    }

    /// The same where it takes no sorting: an order by a field is any order, in which every record stands for one that is written then.
    pub(super) fn without_sorting(
        write: &Write,
        rows: &RowSource,
        generator: &RecordGenerator,
    ) -> Self {
        match write.drive.import() {
            Some(import) if import.order != ImportOrder::Time && rows.len() > 1 => {
                let draws = generator.draws(Stream::Shuffle, lane_of(&write.name));
                Self::Shuffled(Permutation::new(rows.len(), draws))
            }
            _ => Self::Time,
        }
    }

    /// The number of the record that is written `i`-th.
    #[inline]
    pub(super) fn record(&self, i: u64) -> u64 {
        match self {
            Self::Time => i,
            Self::Shuffled(order) => order.at(i),
            Self::Listed(list) => u64::from(list[i as usize]),
            Self::Periods(groups) => groups.record(i),
        }
    }
}

impl GroupedTurns {
    fn record(&self, i: u64) -> u64 {
        let group = self.groups[self.groups.partition_point(|group| group.from <= i) - 1];
        let at = i - group.from;
        let (periods, nth) = if at < group.partial {
            (0, group.places - group.partial + at)
        } else {
            let at = at - group.partial;
            (
                at / group.places + u64::from(self.partial > 0),
                at % group.places,
            )
        };
        let place = u64::from(self.places[group.first + nth as usize]);
        // Records count turns from the first of the incomplete period on.
        let skipped = if self.partial > 0 {
            self.period - self.partial
        } else {
            0
        };
        periods * self.period + place - skipped
    }
}

/// Numbers that sort as the field's values do: numbers by themselves, texts by their bytes.
fn sort_keys(slots: &[i64], field: FieldId, generator: &RecordGenerator) -> Vec<u64> {
    let schema = generator.schema();
    match schema.field(field).kind {
        FieldKind::Int { .. } | FieldKind::Sequence { .. } | FieldKind::Timestamp { .. } => {
            slots.iter().map(|slot| (*slot as u64) ^ 1 << 63).collect()
        }
        FieldKind::Double { .. } => slots
            .iter()
            .map(|slot| {
                let bits = *slot as u64;
                if bits >> 63 == 1 {
                    !bits
                } else {
                    bits | 1 << 63
                }
            })
            .collect(),
        _ => {
            let mut distinct = slots.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            let renderer = schema.text(field);
            let mut texts: Vec<(Vec<u8>, usize)> = distinct
                .iter()
                .enumerate()
                .map(|(at, slot)| {
                    let mut text = Vec::new();
                    renderer.write(*slot, &mut text);
                    (text, at)
                })
                .collect();
            texts.sort_unstable();
            let mut ranks = vec![0u64; distinct.len()];
            for (rank, (_, at)) in texts.iter().enumerate() {
                ranks[*at] = rank as u64;
            }
            let rank = |slot: &i64| {
                ranks[distinct
                    .binary_search(slot)
                    .expect("`distinct` holds every slot")]
            };
            slots.iter().map(rank).collect()
        }
    }
}

/// The values of `field` in these records, as numbers that sort like them.
fn keys_of(
    numbers: impl Iterator<Item = u64>,
    field: FieldId,
    rows: &mut RowSource,
    generator: &RecordGenerator,
) -> Vec<u64> {
    let mut record = vec![0; generator.width()];
    let slots: Vec<i64> = numbers
        .map(|number| {
            // Records without a time of their own are in order of time whatever the time is.
            rows.record(number, EpochNanos(0), &[], generator, &mut record);
            record[usize::from(field.0)]
        })
        .collect();
    sort_keys(&slots, field, generator)
}

/// These records in the order of an import by `field`. O(n log n).
pub(super) fn sorted_by_field(
    numbers: Vec<u64>,
    field: FieldId,
    rows: &mut RowSource,
    generator: &RecordGenerator,
) -> Vec<u64> {
    let keys = keys_of(numbers.iter().copied(), field, rows, generator);
    let mut order: Vec<(u64, u64)> = keys.into_iter().zip(numbers).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

fn by_field(field: FieldId, rows: &mut RowSource, generator: &RecordGenerator) -> WrittenOrder {
    if let Some((combinations, period)) = rows.turns_before()
        && period <= u64::from(u32::MAX)
        && rows.len() >= period
        && combinations.determine(field, generator.schema(), rows.fixed())
    {
        // The last period is complete: its records, one a combination, stand for all periods.
        let len = rows.len();
        let keys = keys_of(len - period..len, field, rows, generator);
        return WrittenOrder::Periods(grouped(&keys, len, period));
    }
    let keys = keys_of(0..rows.len(), field, rows, generator);
    let len = u32::try_from(keys.len()).expect("an order of so many rows takes too much memory");
    let mut list: Vec<u32> = (0..len).collect();
    list.sort_unstable_by_key(|number| (keys[*number as usize], *number));
    WrittenOrder::Listed(list)
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
                rows = rows.min(combinations.count());
            }
        }
        rows.saturating_mul(ROW_BYTES)
    }
}

fn grouped(keys: &[u64], records: u64, period: u64) -> GroupedTurns {
    let (complete, partial) = (records / period, records % period);
    let mut places: Vec<u32> = (0..period as u32).collect();
    places.sort_unstable_by_key(|place| (keys[*place as usize], *place));
    let (mut groups, mut from, mut first) = (Vec::new(), 0, 0);
    for run in places.chunk_by(|a, b| keys[*a as usize] == keys[*b as usize]) {
        let late = run
            .iter()
            .filter(|place| u64::from(**place) >= period - partial)
            .count() as u64;
        groups.push(Group {
            from,
            first,
            places: run.len() as u64,
            partial: late,
        });
        from += run.len() as u64 * complete + late;
        first += run.len();
    }
    GroupedTurns {
        places,
        groups,
        partial,
        period,
    }
}
