//! Any row of the table, by its origin and number, and which of its values go together. Must not know which rows are wanted.

use super::population::Population;
use super::rate_profile::{PlaceInGap, RateTimes};
use super::row_source::RowSource;
use super::{
    Arrivals, EXISTING_LANE, Existing, LoadModel, OperationId, RowWrite, Workload, WriteId,
    WriteKind,
};
use crate::random::{DrawKey, Draws, Stream, lane_of};
use crate::record::{Field, FieldColumn, FieldId, RecordGenerator, Schema};
use crate::time::{EpochNanos, SimTime};
use std::sync::Arc;

/// The rows of the existing tables and of the run's writes: the very records that they hold. Only the instants of Poisson arrivals and of closed loops are
/// approximate, by the inverse of the rate, and so are those of jittered turns before the run.
#[derive(Debug)]
pub(super) struct TableRows {
    pub(super) generator: Arc<RecordGenerator>,
    /// What is expected of them.
    pub(super) population: Population,
    makers: Vec<RowMaker>,
    indexes: Vec<ValueIndex>,
    /// Number of origins that lie before the run: they come first.
    pub(super) existing: usize,
    start: EpochNanos,
}

/// An origin and the number of one of its rows.
pub(super) type PickedRow = Option<(usize, u64)>;

/// What makes the rows of one origin.
#[derive(Debug)]
struct RowMaker {
    rows: RowSource,
    /// Where in its gap each operation lies, unless its record has an instant of its own.
    place: PlaceInGap,
    /// When the first of them are intended, if that is known better than by their rate.
    drawn: Vec<SimTime>,
    /// The write whose operations its rows count as, and what their keys draw.
    write: WriteId,
    keys: DrawKey,
}

impl TableRows {
    pub(super) fn new(workload: &Workload, generator: Arc<RecordGenerator>) -> Self {
        let existing = workload.existing.iter().map(|existing| {
            let kept = Existing {
                rows: existing.rows.newest(workload.kept_for),
                ..existing.clone()
            };
            RowMaker {
                rows: RowSource::of_existing(&kept, workload, &generator),
                place: PlaceInGap::Offset(0.5),
                drawn: Vec::new(),
                write: existing.write.unwrap_or(WriteId(0)),
                keys: generator.draws(Stream::Keys, EXISTING_LANE),
            }
        });
        let writes = workload.writes.iter().enumerate().map(|(at, write)| {
            let id = WriteId(at as u8);
            RowMaker {
                rows: match workload.reads.is_empty() {
                    true => RowSource::unsorted(workload, id, &generator),
                    false => RowSource::of_write(workload, id, &generator),
                },
                place: PlaceInGap::of(&write.load, &write.name, &generator),
                drawn: Vec::new(),
                write: id,
                keys: generator.draws(Stream::Keys, 0),
            }
        });
        Self {
            makers: existing.chain(writes).collect(),
            indexes: Vec::new(),
            existing: workload.existing.len(),
            population: Population::new(workload, &generator),
            start: workload.start,
            generator,
        }
    }

    /// Number of writes.
    pub(super) fn writes(&self) -> usize {
        self.makers.len() - self.existing
    }

    /// The calendar instant so many nanoseconds after the start of the run.
    pub(super) fn epoch(&self, nanos: f64) -> EpochNanos {
        EpochNanos(self.start.0.saturating_add(nanos as i64))
    }

    /// With the very instants of the first `most` operations of each write with Poisson arrivals. O(most).
    pub(super) fn draw_times(&mut self, workload: &Workload, most: usize) {
        let writes = workload
            .writes
            .iter()
            .zip(&mut self.makers[self.existing..]);
        for (write, maker) in writes.filter(|(write, _)| write.kind != WriteKind::Delete) {
            if let LoadModel::Open {
                arrivals: Arrivals::Poisson,
                import: None,
                ..
            } = write.load
                && let Some(profile) = write.load.rate_profile(workload.duration)
            {
                let lane = lane_of(&write.name);
                let times = RateTimes::new(profile, Arrivals::Poisson, &self.generator, lane);
                maker.drawn = times.take(most).collect();
            }
        }
    }

    /// Rows of an origin in the table at an instant, rounded down.
    pub(super) fn rows(&self, origin: usize, at: SimTime) -> u64 {
        match &self.makers[origin].drawn[..] {
            drawn if drawn.last() >= Some(&at) => drawn.partition_point(|it| *it < at) as u64,
            _ => self.population.origins[origin].history.whole_rows(at),
        }
    }

    /// Which values of `parent` go with those of `dependent`, as a number for [`TableRows::index`]; `None` where that is not
    /// [`ValueIndex::possible`]. O(values) when it is first asked for.
    pub(super) fn index_of(&mut self, parent: FieldId, dependent: FieldId) -> Option<usize> {
        let known = |index: &ValueIndex| (index.parent, index.dependent) == (parent, dependent);
        self.indexes.iter().position(known).or_else(|| {
            let index = ValueIndex::new(&self.generator, parent, dependent)?;
            self.indexes.push(index);
            Some(self.indexes.len() - 1)
        })
    }

    /// The same for the only parent of a field, unless that is known.
    pub(super) fn index_of_parent(
        &mut self,
        field: FieldId,
        known: impl Fn(FieldId) -> bool,
    ) -> Option<usize> {
        match self.generator.schema().field(field).of[..] {
            [parent] if !known(parent) => self.index_of(parent, field),
            _ => None,
        }
    }

    pub(super) fn index(&self, number: usize) -> &ValueIndex {
        &self.indexes[number]
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
        let maker = &mut self.makers[origin];
        let history = &self.population.origins[origin].history;
        let at = match maker.rows.have_instants() {
            true => now,
            false => {
                let drawn = maker.drawn.get(nth as usize).copied();
                let due = drawn.or_else(|| history.due_at(nth as f64 + maker.place.at(nth)));
                due.map_or(now, |at| at.min(now))
            }
        };
        let number = maker.rows.written(nth);
        maker.rows.record(number, at, given, out);
    }

    /// Asks for what a row is looked up in ([`RecordGenerator::prefetch`]).
    pub(super) fn prefetch(&self, row: PickedRow) {
        if let Some((origin, nth)) = row {
            let RowMaker { rows, .. } = &self.makers[origin];
            self.generator.prefetch(rows.draws_of(rows.written(nth)));
        }
    }

    /// What the key of the `nth` row of an origin draws.
    pub(super) fn write_of(&self, origin: usize, nth: u64) -> RowWrite {
        let RowMaker { write, keys, .. } = &self.makers[origin];
        RowWrite {
            index: nth,
            draws: keys.at(OperationId::new(*write, nth).0),
        }
    }

    /// A record that is no row: drawn for its own sake at `now`.
    pub(super) fn write_loose(
        &mut self,
        draws: Draws,
        now: SimTime,
        given: &[(FieldId, i64)],
        out: &mut [i64],
    ) {
        let at = self.start.at(now);
        self.generator.generate(draws, 0, at, given, out);
    }
}

/// Indexes are built over at most so many values of the parent, and as many of the dependent field: 8 bytes a value, 128 MB and a second at most. Beyond,
/// an `"all"` list holds the first [`super::LIST_MAX`] values of its field, whatever they go with, and picks of a dependent field leave its parent as it
/// is.
pub const INDEXED_MAX: u64 = 1 << 23;

/// The parents of every value of a dependent field that has one parent.
#[derive(Debug, Clone)]
pub(super) struct ValueIndex {
    pub(super) parent: FieldId,
    pub(super) dependent: FieldId,
    parent_first: i64,
    dependent_first: i64,
    /// End of each dependent value's parents.
    ends: Vec<u32>,
    /// Parents' ordinals, value after value, ascending.
    parents: Vec<u32>,
    /// What tells both, of values in rows that exist.
    column: Option<Arc<FieldColumn>>,
}

impl ValueIndex {
    /// The fields can be indexed: `dependent` is `of` the `parent` alone, and neither has too many values.
    pub(super) fn possible(schema: &Schema, parent: FieldId, dependent: FieldId) -> bool {
        let small = |field| {
            let count = schema.field(field).kind.count();
            count.is_some_and(|count| count <= INDEXED_MAX)
        };
        let Field { of, column, .. } = schema.field(dependent);
        *of == [parent] && (column.is_some() || small(parent) && small(dependent))
    }

    /// The index of two fields; `None` where it is not [`ValueIndex::possible`]. O(values).
    pub(super) fn new(
        generator: &RecordGenerator,
        parent: FieldId,
        dependent: FieldId,
    ) -> Option<Self> {
        if !Self::possible(generator.schema(), parent, dependent) {
            return None;
        }
        let schema = generator.schema();
        let (of, by) = (&schema.field(parent).kind, &schema.field(dependent).kind);
        let (parent_first, dependent_first) = (of.first_slot(), by.first_slot());
        let mut index = Self {
            parent,
            dependent,
            parent_first,
            dependent_first,
            ends: Vec::new(),
            parents: Vec::new(),
            column: schema.field(dependent).column.clone(),
        };
        if index.column.is_some() {
            return Some(index);
        }
        let values = by.count().unwrap_or(0) as usize;
        let value_of: Vec<u32> = (0..of.count().unwrap_or(0))
            .map(|at| {
                let slot = parent_first.wrapping_add(at as i64);
                let value = generator.dependent_value(dependent, |_| slot).unwrap_or(0);
                value.wrapping_sub(dependent_first) as u32
            })
            .collect();
        // A counting sort: stable, so that parents ascend.
        let mut ends = vec![0u32; values];
        for value in &value_of {
            ends[*value as usize] += 1;
        }
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        let mut parents = vec![0; value_of.len()];
        for (at, value) in value_of.iter().enumerate() {
            let end = &mut ends[*value as usize];
            parents[*end as usize] = at as u32;
            *end += 1;
        }
        (index.ends, index.parents) = (ends, parents);
        Some(index)
    }

    /// The slots of the parents of a dependent value, ascending.
    pub(super) fn parents(&self, slot: i64) -> impl ExactSizeIterator<Item = i64> + '_ {
        let value = usize::try_from(slot.wrapping_sub(self.dependent_first));
        let value = value.ok().filter(|value| *value < self.ends.len());
        let range = value.map_or(0..0, |value| {
            let start = value.checked_sub(1).map_or(0, |before| self.ends[before]);
            start as usize..self.ends[value] as usize
        });
        let column = self.column.as_ref();
        let own = || &self.parents[range];
        let parents = column.map_or_else(own, |it| it.rows(slot, slot.saturating_add(1)));
        parents
            .iter()
            .map(|at| self.parent_first.wrapping_add(i64::from(*at)))
    }

    /// The parent field and one of the values with which a dependent value goes, each as likely.
    pub(super) fn any_parent(&self, slot: i64, draws: &mut Draws) -> Option<(FieldId, i64)> {
        let mut parents = self.parents(slot);
        let count = parents.len() as u64;
        let nth = (count > 0).then(|| draws.below(count))?;
        Some((self.parent, parents.nth(nth as usize)?))
    }
}
