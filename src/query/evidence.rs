//! What the known beginning of a key says of the rows that share it. Must not know requests.

use super::candidates::{Candidate, Stop};
use super::dimension::values_given;
use super::question::Question;
use super::requests::Scratch;
use super::row_counts::RowCounts;
use super::row_identity::RowIdentity;
use crate::key::{FieldSteps, KeyPlan};
use crate::record::FieldId;
use crate::workload::{Condition, ReadTarget};
use std::ops::Range;

/// How many rows share a beginning.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    /// Fields that the beginning tells.
    pub told: Vec<FieldId>,
    /// Number fields that it tells in steps.
    pub steps: Vec<(FieldId, FieldSteps)>,
    /// Known fields that are only hashed into it.
    pub hashed: Vec<FieldId>,
    /// Share of the rows of other values that have the same hash by chance.
    pub chance: f64,
    /// A known part is made of fields that are not all known (a derived field is).
    pub unknown_parts: bool,
    /// The field whose range bounds the rows, and the steps in which the segment follows it.
    pub range: Option<(FieldId, Option<FieldSteps>)>,
    /// Combinations that share the rows of one beginning: values of hashes and draws.
    pub shared_by: f64,
}

impl Evidence {
    pub fn new(key: &KeyPlan, candidate: &Candidate, question: &Question) -> Self {
        let segments = candidate.stop.segments(key.segments().len());
        let given = |segment: usize| values_given(&candidate.dimensions, segment);
        let known =
            |field: &FieldId| candidate.known.knows(*field) && !candidate.coarse.contains(field);
        let plain: Vec<usize> = (0..segments)
            .filter(|segment| given(*segment).is_none())
            .collect();
        let told = key.jointly_injective_fields(plain.iter().copied());
        let mut told: Vec<FieldId> = told.into_iter().filter(known).collect();
        let mut steps: Vec<(FieldId, FieldSteps)> = Vec::new();
        let mut evidence = Self {
            told: Vec::new(),
            steps: Vec::new(),
            hashed: Vec::new(),
            chance: 1.0,
            unknown_parts: false,
            range: None,
            shared_by: 1.0,
        };
        let number = |field: &FieldId| !question.domain(*field).is_empty();
        for &segment in &plain {
            for field in key.segments()[segment].fields() {
                if told.contains(field)
                    || steps.iter().any(|(other, _)| other == field)
                    || !number(field)
                {
                    continue;
                }
                if let Some(grain) = plain_grain(key, &plain, *field) {
                    steps.push((*field, grain));
                }
            }
        }
        for &segment in &plain {
            let of = &key.segments()[segment];
            let redundant = of.fields().iter().all(|field| {
                told.contains(field)
                    || (steps.iter().any(|(other, _)| other == field)
                        && key.is_coarse(segment, *field))
            });
            if redundant {
                continue;
            }
            evidence.chance /= of.cardinality().unwrap_or(u64::MAX).max(1) as f64;
            for field in of.fields() {
                if !told.contains(field) && !evidence.hashed.contains(field) {
                    if known(field) {
                        evidence.hashed.push(*field);
                    } else if !steps.iter().any(|(other, _)| other == field) {
                        evidence.unknown_parts = true;
                    }
                }
            }
        }
        for segment in 0..segments {
            if let Some(count) = given(segment) {
                evidence.shared_by *= count as f64;
            }
        }
        if let Stop::Range {
            segments, field, ..
        } = candidate.stop
        {
            let exact = key.trend(segments, field).is_some_and(|trend| trend.exact);
            let grain = (!exact)
                .then(|| key.segment_steps(segments, field))
                .flatten();
            evidence.range = Some((field, grain));
        }
        if let Stop::Lead { segments, .. } = candidate.stop {
            for field in key.segments()[segments].fields() {
                let exact = key.trend(segments, *field).is_some_and(|trend| trend.exact);
                if exact && known(field) && !told.contains(field) {
                    told.push(*field);
                }
            }
        }
        evidence.told = told;
        evidence.steps = steps;
        evidence
    }

    /// That of the rows which share, besides what this tells, a step of a field.
    pub fn of_a_step(&self, field: FieldId, steps: FieldSteps) -> Self {
        Self {
            steps: vec![(field, steps)],
            hashed: Vec::new(),
            unknown_parts: false,
            range: None,
            ..self.clone()
        }
    }

    /// Expected number of rows that share the beginning of the combination in `scratch`.
    pub fn rows(
        &self,
        (question, identity): (&Question, &RowIdentity),
        rows: &impl RowCounts,
        target: &ReadTarget<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        let Scratch {
            record,
            equal,
            between,
            bands,
            grain,
            step,
            ..
        } = scratch;
        let slot = |field: &FieldId, record: &[i64]| (*field, record[usize::from(field.0)]);
        equal.clear();
        equal.extend(self.told.iter().map(|field| slot(field, record)));
        between.clear();
        for (field, steps) in &self.steps {
            let range = steps.window(record, question.domain(*field), grain);
            between.push((*field, range.start, range.end));
        }
        if let Some((field, steps)) = &self.range {
            let domain = question.domain(*field);
            let mut range = bands.of(*field).unwrap_or_else(|| domain.clone());
            if let Some(steps) = steps {
                let own = record[usize::from(field.0)];
                record[usize::from(field.0)] = range.end - 1;
                let end = steps.window(record, domain.clone(), grain).end;
                record[usize::from(field.0)] = range.start;
                let start = steps.window(record, domain, grain).start;
                record[usize::from(field.0)] = own;
                range = start..end;
            }
            narrow(between, *field, range);
        }
        let count = |equal: &[(FieldId, i64)]| {
            let condition = Condition { equal, between };
            identity.rows(rows, condition, *step, target.record, target.at)
        };
        let all = count(equal);
        let found = if self.unknown_parts {
            all * self.chance
        } else if self.hashed.is_empty() {
            all
        } else {
            equal.extend(self.hashed.iter().map(|field| slot(field, record)));
            let same = count(equal);
            same + (all - same).max(0.0) * self.chance
        };
        found / self.shared_by
    }
}

/// Cuts the range of a field down, or adds it.
fn narrow(between: &mut Vec<(FieldId, i64, i64)>, field: FieldId, range: Range<i64>) {
    match between.iter_mut().find(|(other, ..)| *other == field) {
        Some((_, low, high)) => {
            (*low, *high) = ((*low).max(range.start), (*high).min(range.end));
        }
        None => between.push((field, range.start, range.end)),
    }
}

/// The steps in which these segments use a field.
fn plain_grain(key: &KeyPlan, segments: &[usize], field: FieldId) -> Option<FieldSteps> {
    let grains = segments
        .iter()
        .filter(|segment| key.is_coarse(**segment, field))
        .filter_map(|segment| key.field_steps(*segment..*segment + 1, field));
    grains.reduce(FieldSteps::and)
}
