//! What a whole key tells of a write: which writes make the same row. Must not know reads.

use super::row_counts::RowCounts;
use crate::key::{FieldSteps, KeyPlan, Randomness, StepCache};
use crate::record::{FieldId, FieldKind, Schema};
use crate::time::SimTime;
use crate::workload::{Condition, RowEquality};

/// Steps of time are as long as this at most: two years.
const LONGEST_STEP: i64 = 2 * 366 * 86_400 * 1_000_000_000;

/// What writes must agree in to make the same row under one key.
#[derive(Debug, Clone)]
pub struct RowIdentity {
    told: Vec<FieldId>,
    /// Told fields, and those that short hashes are made of.
    told_or_hashed: Vec<FieldId>,
    /// Values of the short hashes; 1 without.
    hashes: f64,
    /// A timestamp told in steps, and the slots in which a step is looked for on either side.
    step: Option<(FieldId, FieldSteps, i64)>,
    /// Values of what is drawn for each write; infinite for identifiers that never come twice.
    draws: f64,
}

/// The step of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowStep(Option<(FieldId, i64, i64)>);

impl RowIdentity {
    /// Of a key over the fields of `schema`.
    pub fn of(key: &KeyPlan, schema: &Schema) -> Self {
        let segments = key.segments();
        let all = 0..segments.len();
        let random = |segment: &usize| segments[*segment].randomness() == Randomness::Random;
        let told = key.jointly_injective_fields(all.clone());
        let is_time = |field: &FieldId| {
            matches!(schema.field(*field).kind, FieldKind::Timestamp { .. })
                && !told.contains(field)
        };
        let step = key.fields().into_iter().find(is_time).and_then(|field| {
            let coarse = all
                .clone()
                .filter(|segment| key.is_coarse(*segment, field))
                .filter_map(|segment| key.field_steps(segment..segment + 1, field));
            let FieldKind::Timestamp { unit, .. } = schema.field(field).kind else {
                return None;
            };
            let far = LONGEST_STEP / unit.nanos();
            coarse
                .reduce(FieldSteps::and)
                .map(|grain| (field, grain, far))
        });
        let mut told_or_hashed = told.clone();
        let (mut hashes, mut draws) = (1.0, 1.0);
        for segment in all {
            let of = &segments[segment];
            let values = || of.cardinality().map_or(f64::INFINITY, |count| count as f64);
            if random(&segment) {
                draws *= values();
                continue;
            }
            let in_steps = |field: &FieldId| {
                step.as_ref().is_some_and(|(other, ..)| other == field)
                    && key.is_coarse(segment, *field)
            };
            let mut new = of.fields().iter().copied();
            if new.any(|field| !told.contains(&field) && !in_steps(&field)) {
                hashes *= values();
                told_or_hashed.extend(of.fields());
            }
        }
        told_or_hashed.sort_unstable();
        told_or_hashed.dedup();
        Self {
            told,
            told_or_hashed,
            hashes,
            step,
            draws,
        }
    }

    /// The step of `record`, which is changed on the way and put back; `domain` gives the slots that a field can have.
    pub fn step(&self, record: &mut [i64], buffers: &mut StepCache) -> RowStep {
        RowStep(self.step.as_ref().map(|(field, grain, far)| {
            let own = record[usize::from(field.0)];
            // A whole step, also where the table's times end within it.
            let bounds = own.saturating_sub(*far)..own.saturating_add(*far);
            let window = grain.window(record, bounds, buffers);
            (*field, window.start, window.end)
        }))
    }

    /// A salt is drawn for each write: a row that is written again lies under another salt, and its old version stays.
    pub fn leaves_copies(&self) -> bool {
        self.draws > 1.0 && self.draws.is_finite()
    }

    /// Expected number of different rows whose writes satisfy `condition`, when `target` is known to be one of the writes. A short hash of what
    /// the key does not tell makes at most as many rows of each told value as it has values itself. The copies of a row under different
    /// random salts are rows of their own: m writes of one row leave k (1 - (1 - 1/k)^m) under k salts.
    pub fn rows<R: RowCounts + ?Sized>(
        &self,
        rows: &R,
        condition: Condition<'_>,
        step: RowStep,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        self.counted(rows, condition, (step, self.draws), target, at)
    }

    /// The same with all copies of a row under random salts counted once: its newest version is what a reader wants.
    pub fn current_rows<R: RowCounts + ?Sized>(
        &self,
        rows: &R,
        condition: Condition<'_>,
        step: RowStep,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let draws = match self.leaves_copies() {
            true => 1.0,
            false => self.draws,
        };
        self.counted(rows, condition, (step, draws), target, at)
    }

    fn counted<R: RowCounts + ?Sized>(
        &self,
        rows: &R,
        condition: Condition<'_>,
        (step, draws): (RowStep, f64),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let identity = |told| RowEquality {
            told,
            step: step.0,
            draws,
        };
        let finest = rows.distinct(condition, identity(&self.told_or_hashed), target, at);
        if self.hashes <= 1.0 || self.hashes.is_infinite() || finest <= 0.0 {
            return finest;
        }
        let told = rows.distinct(condition, identity(&self.told), target, at);
        if told <= 0.0 {
            return finest;
        }
        // Equally likely hashes of so many different values.
        let kept = -libm::expm1(finest / told * libm::log1p(-1.0 / self.hashes));
        (told * self.hashes * kept).clamp(told, finest.max(told))
    }
}
