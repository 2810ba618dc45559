//! How many rows a key's table has as the run writes: the planner's own counts, so that `explain`, `size` and results agree. Must not know
//! sizes.

use super::Replicate;
use crate::key::{Environment, KeyPlan, Randomness, StepCache};
use crate::query::{RowIdentity, RowStep};
use crate::record::{Field, FieldId, FieldKind};
use crate::scenario::Setup;
use crate::time::SimTime;
use crate::workload::{Condition, WriteId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Instants of the run at which rows are counted where its course matters; between two of them they grow in proportion to the writes.
const INSTANTS: u32 = 16;

/// Rows of one table by writes of the run.
#[derive(Debug, Clone)]
pub(super) struct RowGrowth {
    /// Writes of the run, and rows: ascending.
    points: Vec<(f64, f64)>,
}

impl RowGrowth {
    /// Of a key's table, found once for all who ask of a replicate.
    pub fn of(key: &Arc<KeyPlan>, setup: &Setup, replicate: &Replicate) -> Arc<Self> {
        Self::counted(INSTANTS, key, setup, replicate)
    }

    /// The same by counts at the start, in the middle and at the end of the run.
    pub fn roughly(key: &Arc<KeyPlan>, setup: &Setup, replicate: &Replicate) -> Arc<Self> {
        Self::counted(2, key, setup, replicate)
    }

    fn counted(
        instants: u32,
        key: &Arc<KeyPlan>,
        setup: &Setup,
        replicate: &Replicate,
    ) -> Arc<Self> {
        let asked = ("growth", instants, Arc::clone(key), setup.derived.clone());
        replicate.once(asked, || Self::find(instants, key, setup, replicate))
    }

    fn find(instants: u32, key: &KeyPlan, setup: &Setup, replicate: &Replicate) -> Self {
        let (workload, schema) = (&setup.workload, &setup.schema);
        let population = replicate.stored.as_ref();
        let identity = RowIdentity::of(key, schema);
        let mut record = some_record(setup, replicate);
        let step = identity.step(&mut record, &mut StepCache::default());
        let existing = population.rows(SimTime::ZERO);
        let mut rows = 0.0f64;
        let points = (0..=instants).map(|instant| {
            let passed = f64::from(instant) / f64::from(instants);
            let at = SimTime::ZERO + workload.duration.mul_f64(passed);
            let total = population.rows(at);
            let now = identity.rows(population, Condition::default(), step, &record, at);
            // The record is none of the table's: without rows there is none.
            rows = rows.max(now.min(total));
            ((total - existing).max(0.0), rows)
        });
        Self {
            points: points.collect(),
        }
    }

    /// Rows after so many writes of the run; of more than it was estimated to make, the others add as its last ones did.
    pub fn rows(&self, written: f64) -> f64 {
        let points = &self.points;
        let after = points.partition_point(|(writes, _)| *writes <= written);
        let to = after.min(points.len() - 1);
        let Some(from) = to.checked_sub(1) else {
            return points[0].1;
        };
        let ((before, rows), (until, more)) = (points[from], points[to]);
        if until <= before {
            return more;
        }
        rows + (more - rows) * (written - before) / (until - before)
    }
}

/// Of the writes that a table holds when the run ends: how many they are, and how many rows they make under a key, those under several random salts
/// counted once, and each counted.
pub fn rows_made(key: &KeyPlan, setup: &Setup, replicate: &Replicate) -> [f64; 3] {
    let (writes, all) = (replicate.population.as_ref(), Condition::default());
    of_rows(key, setup, replicate, |identity, step, (record, end)| {
        [
            writes.rows(end),
            identity.current_rows(writes, all, step, record, end),
            identity.rows(writes, all, step, record, end),
        ]
    })
}

/// Fields of which a key tells a hash with few values and nothing else, and the rows that a table has when the run ends, those under several random salts counted once,
/// under a key that tells them; `None` where there are no such fields. Of times a hash is taken to be meant so.
pub fn rows_without_collisions(
    key: &KeyPlan,
    setup: &Setup,
    replicate: &Replicate,
) -> Option<(Vec<FieldId>, f64)> {
    let segments = key.segments();
    let told = key.told_fields(0..segments.len());
    let is_left = |field: &FieldId| {
        let kind = &setup.schema.field(*field).kind;
        !told.contains(field) && !matches!(kind, FieldKind::Timestamp { .. })
    };
    let hashes = segments.iter();
    let hashes = hashes.filter(|it| it.randomness() == Randomness::Hashed);
    let fields = hashes.flat_map(|it| it.hashed_fields()).filter(is_left);
    let fields: BTreeSet<FieldId> = fields.collect();
    let environment = Environment {
        schema: &setup.schema,
        derived: &setup.derived,
        parameters: &key.parameters,
    };
    let with_all = |of: fn(&str) -> String| {
        let names = fields.iter().map(|it| of(&setup.schema.field(*it).name));
        let parts = segments.iter().map(|it| it.expression.clone());
        let all: Vec<String> = parts.chain(names).collect();
        KeyPlan::compile(&all.join(" || "), &environment).ok()
    };
    if fields.is_empty() {
        return None;
    }
    let told = with_all(|name| format!("md5_bytes(text({name}))"));
    let told = told.or_else(|| with_all(|name| format!("md5_bytes({name})")))?;
    let [_, rows, _] = rows_made(&told, setup, replicate);
    Some((fields.into_iter().collect(), rows))
}

/// How many writes of a row are kept, those under several random salts taken together, where its newest ones are, so many at most: a mean, when the run ends.
pub fn versions_of_current(most: u32, key: &KeyPlan, setup: &Setup, replicate: &Replicate) -> f64 {
    of_rows(key, setup, replicate, |identity, step, (record, end)| {
        let (writes, all) = (replicate.population.as_ref(), Condition::default());
        let alike = identity.alike(writes, all, (step, true));
        writes.versions_kept(most, alike, record, end)
    })
}

/// How many writes of a row, or of a cell, are kept under a key at the end of the run, where its newest ones are, so many at most: a mean.
pub(super) fn versions_kept(most: u32, key: &KeyPlan, setup: &Setup, replicate: &Replicate) -> f64 {
    of_rows(key, setup, replicate, |identity, step, (record, end)| {
        let (stored, all) = (replicate.stored.as_ref(), Condition::default());
        let alike = identity.alike(stored, all, (step, false));
        stored.versions_kept(most, alike, record, end)
    })
}

/// What a row of a write that appends finds in its cell, under a key: values of before the run, and of the run. Means.
pub(super) fn values_found(
    write: WriteId,
    key: &KeyPlan,
    setup: &Setup,
    replicate: &Replicate,
) -> [f64; 2] {
    of_rows(key, setup, replicate, |identity, step, (record, end)| {
        let (stored, all) = (replicate.stored.as_ref(), Condition::default());
        let alike = identity.alike(stored, all, (step, false));
        let of = (&setup.workload, write);
        stored.values_found(of, alike, record, end)
    })
}

/// What is asked of the rows, or cells, of a key at the end of the run: by what they are alike in, and by some record.
fn of_rows<T>(
    key: &KeyPlan,
    setup: &Setup,
    replicate: &Replicate,
    ask: impl FnOnce(&RowIdentity, RowStep, (&[i64], SimTime)) -> T,
) -> T {
    let identity = RowIdentity::of(key, &setup.schema);
    let mut record = some_record(setup, replicate);
    let step = identity.step(&mut record, &mut StepCache::default());
    let end = SimTime::ZERO + setup.workload.duration;
    ask(&identity, step, (&record, end))
}

/// A record of the run's start, for counts of all rows: its step of time is as good as any.
pub(super) fn some_record(setup: &Setup, replicate: &Replicate) -> Vec<i64> {
    let start = setup.workload.start.0;
    let slot = |field: &Field| match &field.kind {
        FieldKind::Timestamp { unit, .. } => start.div_euclid(unit.nanos()),
        kind => kind.first_slot(),
    };
    let mut record: Vec<i64> = setup.schema.fields.iter().map(slot).collect();
    record.resize(replicate.generator.width(), 0);
    record
}
