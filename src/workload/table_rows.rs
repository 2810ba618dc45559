//! Any row of the table, by its origin and number. Must not know which rows are wanted.

use super::population::Population;
use super::rate_profile::RateTimes;
use super::row_source::RowSource;
use super::value_index::ValueIndex;
use super::{Drive, EXISTING_LANE, OperationId, RowWrite, Workload, WriteId};
use crate::random::{DrawKey, Draws, Stream, lane_of};
use crate::record::{FieldId, RecordGenerator};
use crate::time::{EpochNanos, SimTime};
use std::sync::Arc;

/// The rows of the existing tables and of the run's writes: the very records that they hold. Only the instants of Poisson arrivals and of closed loops are
/// approximate, by the inverse of the rate, and so are those of jittered turns before the run; and which row of an import ordered by a field comes when.
#[derive(Debug)]
pub(super) struct TableRows {
    pub(super) generator: Arc<RecordGenerator>,
    /// What is expected of them.
    pub(super) population: Population,
    makers: Vec<RowMaker>,
    indexes: Vec<ValueIndex>,
    existing: usize,
    start: EpochNanos,
}

/// What makes the rows of one origin.
#[derive(Debug)]
struct RowMaker {
    rows: RowSource,
    /// Where in its gap each operation lies.
    place: f64,
    /// The write whose operations its rows count as, and what their keys draw.
    write: WriteId,
    keys: DrawKey,
}

impl TableRows {
    pub(super) fn new(workload: &Workload, generator: Arc<RecordGenerator>) -> Self {
        let existing = workload.existing.iter().map(|existing| RowMaker {
            rows: RowSource::of_existing(existing, workload, &generator),
            place: 0.5,
            write: existing.write.unwrap_or(WriteId(0)),
            keys: generator.draws(Stream::Keys, EXISTING_LANE),
        });
        let writes = workload.writes.iter().enumerate().map(|(at, write)| {
            let id = WriteId(at as u8);
            RowMaker {
                rows: RowSource::unsorted(workload, id, &generator),
                place: match &write.drive {
                    Drive::Open {
                        arrivals,
                        import: None,
                        ..
                    } => RateTimes::place_in_gap(*arrivals, &generator, lane_of(&write.name)),
                    _ => 0.5,
                },
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

    /// Number of origins that lie before the run: they come first.
    pub(super) fn existing(&self) -> usize {
        self.existing
    }

    /// Number of writes.
    pub(super) fn writes(&self) -> usize {
        self.makers.len() - self.existing
    }

    /// The calendar instant so many nanoseconds after the start of the run.
    pub(super) fn epoch(&self, nanos: f64) -> EpochNanos {
        EpochNanos(self.start.0.saturating_add(nanos as i64))
    }

    /// Rows of an origin in the table at an instant, rounded down.
    #[inline]
    pub(super) fn rows(&self, origin: usize, at: SimTime) -> u64 {
        self.population.origins[origin].history.rows(at) as u64
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
        let due = self.population.origins[origin]
            .history
            .due_at(nth as f64 + maker.place);
        let at = due.map_or(now, |at| at.min(now));
        let number = maker.rows.written(nth);
        maker.rows.record(number, at, given, &self.generator, out);
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
