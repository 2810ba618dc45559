//! The rows of a table of any size, as laws. Must not know keys, nor hold rows, nor what is asked of them.

use super::Workload;
use super::cells_over_time::CellsOverTime;
use super::made_values::MadeValues;
use super::marginals::Marginals;
use super::row_history::RowOrigin;
use super::row_question::{MadeClass, Recipe, RowEquality, ToldField};
use super::values_together::ValuesTogether;
use crate::record::{FieldId, RecordGenerator, TimeUnit};
use crate::time::{EpochNanos, SimDuration, SimTime};
use std::sync::{Arc, Mutex, PoisonError};

/// The rows of the table at any instant of the run, as laws.
///
/// A row here is one operation of a write, or one row of an `[existing]` table. Whether a later one overwrites an earlier is the key's matter:
/// [`RowCounts::distinct`](super::RowCounts::distinct) takes what the key tells them apart by. Counts are
/// expectations over what a replicate leaves open (which operation drew which value) given what it has decided (which value has which rank, which value
/// of a dependent field belongs to which of its parents): independent fields multiply, dependent ones follow their parents, combinations of `each` exist
/// exactly once, or once a period.
#[derive(Debug, Clone)]
pub struct Population {
    start: EpochNanos,
    pub(super) duration: SimDuration,
    pub(super) origins: Vec<RowOrigin>,
    pub(super) marginals: Marginals,
    /// What fields have together that was asked for, with the first of the origins whose values come about so.
    together: Arc<Mutex<Vec<TogetherInOrigin>>>,
    /// Cells of all rows where counting them takes long, for all who ask.
    over_time: Arc<Mutex<Vec<Arc<CellsOverTime>>>>,
    /// How often what is made of several fields has each of its values.
    made: Arc<Mutex<Vec<Arc<MadeValues>>>>,
}

type TogetherInOrigin = (usize, Arc<ValuesTogether>);

impl Population {
    /// Prepares the laws; what takes a pass over values is computed when it is first asked for.
    pub fn new(workload: &Workload, generator: &Arc<RecordGenerator>) -> Self {
        let origins = RowOrigin::all(workload, generator.schema());
        Self {
            marginals: Marginals::new(&origins, generator),
            origins,
            start: workload.start,
            duration: workload.duration,
            together: Arc::default(),
            over_time: Arc::default(),
            made: Arc::default(),
        }
    }

    /// What fields have together among the rows of an origin, worked out once for all origins that are alike.
    pub(super) fn together(
        &self,
        origin: usize,
        fields: &[ToldField],
        asked: &[ToldField],
    ) -> Option<Arc<ValuesTogether>> {
        let mut known = self.together.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(of, it): &&TogetherInOrigin| {
            self.marginals.are_alike(*of, origin) && it.is_of(fields, asked)
        };
        if let Some((_, found)) = known.iter().find(is_it) {
            return Some(Arc::clone(found));
        }
        let found = ValuesTogether::of(&self.marginals, origin, fields, asked)?;
        let found = Arc::new(found);
        known.push((origin, Arc::clone(&found)));
        Some(found)
    }

    /// The number of cells of all rows at an instant: `count` counts them at any.
    pub(super) fn cells_over_time(
        &self,
        equality: RowEquality<'_>,
        at: SimTime,
        count: &mut impl FnMut(SimTime) -> f64,
    ) -> f64 {
        let mut known = self
            .over_time
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let own = known.iter().find(|it| it.is_of(equality)).cloned();
        let own = own.unwrap_or_else(|| {
            let new = Arc::new(CellsOverTime::new(equality, self.duration));
            known.push(Arc::clone(&new));
            new
        });
        drop(known);
        own.at(at, count)
    }

    /// Classes of what is made of several fields, found once for all who ask.
    pub(super) fn made(&self, recipe: Recipe<'_>) -> Option<Arc<[MadeClass]>> {
        let mut known = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.iter().find(|it| it.is_of(recipe)).cloned();
        let own = own.unwrap_or_else(|| {
            let new = Arc::new(MadeValues::new(recipe));
            known.push(Arc::clone(&new));
            new
        });
        drop(known);
        let classes = own.classes.get_or_init(|| self.made_classes(recipe));
        classes.clone()
    }

    /// Rows of the table at an instant: the existing ones and those written so far.
    pub fn rows(&self, at: SimTime) -> f64 {
        let rows = self.origins.iter().map(|origin| origin.history.rows(at));
        rows.sum()
    }

    /// Asks for what rows with values of a field are counted by, as far as it is there.
    pub fn prefetch(&self, field: FieldId, slots: &[i64]) {
        for slot in slots {
            self.marginals.generator.prefetch_share(field, *slot);
        }
    }

    /// The instant so many nanoseconds after the start of the run.
    pub(super) fn instant(&self, nanos: f64) -> EpochNanos {
        EpochNanos(self.start.0.saturating_add(nanos as i64))
    }

    /// Nanoseconds from the start of the run to the start of a timestamp's slot.
    pub(super) fn nanos(&self, unit: TimeUnit, slot: i64) -> f64 {
        let nanos = i128::from(slot) * i128::from(unit.nanos());
        (nanos - i128::from(self.start.0)) as f64
    }
}
