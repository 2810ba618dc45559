//! Which rows an access path reads that nobody wants. Must not know how many.

use super::access_plan::{AccessPlan, OverRead};
use super::candidates::Stop;
use super::dimension::{Dimension, values_given};
use crate::record::{DerivedId, FieldId};

impl AccessPlan {
    /// For a path that uses so many segments as a whole .
    pub(super) fn find_over_reads(&self, segments: usize) -> Vec<OverRead> {
        let mut found = Vec::new();
        let mut add = |over_read: OverRead| {
            if !found.contains(&over_read) {
                found.push(over_read);
            }
        };
        let told = |field| self.evidence.told.contains(&field);
        // What the reader knows and the used part of the key does not tell.
        for &field in self.question.known.stored() {
            if !told(field) {
                add(self.untold(segments, field));
            }
        }
        for &field in &self.question.lists {
            let bound = self.dimensions.iter().any(
                |dimension| matches!(dimension, Dimension::List { field: list, .. } if *list == field),
            );
            if !(bound && told(field)) {
                add(OverRead::Filter(self.name(field).to_owned()));
            }
        }
        for band in &self.question.bands {
            let field = band.field;
            let by_values = self.dimensions.iter().any(
                |dimension| matches!(dimension, Dimension::Values { field: bound } if *bound == field),
            );
            if let Some(derived) = band.derived
                && self.tells_derived(segments, derived)
            {
                continue;
            }
            match &self.evidence.range {
                _ if by_values && told(field) => {}
                Some((range, None)) if *range == field => {}
                Some((range, Some(_))) if *range == field => {
                    add(OverRead::Steps(self.name(field).to_owned()));
                }
                _ => add(self.untold(segments, field)),
            }
        }
        for derived in &self.question.derived {
            if !self.tells_derived(segments, *derived)
                && let Some(derivation) = self.key.derivation(*derived)
            {
                add(OverRead::Filter(derivation.name().to_owned()));
            }
        }
        for segment in 0..segments {
            if !self.key.is_delimited(segment) {
                let expression = self.key.segments()[segment].expression();
                add(OverRead::LongerValues(expression.to_owned()));
            }
        }
        if let Some(order) = self.question.order
            && self.stop != Stop::Key
        {
            let name = self.name(order.field).to_owned();
            match &self.ordered {
                None => add(OverRead::Sorted(name)),
                Some(ordered) if ordered.steps.is_some() => add(OverRead::Steps(name)),
                Some(_) => {}
            }
        }
        found
    }

    /// Is the derived field itself among the segments that are used, the one with the range included?
    fn tells_derived(&self, segments: usize, derived: DerivedId) -> bool {
        let used = segments + usize::from(self.evidence.range.is_some());
        let given = |segment| values_given(&self.dimensions, segment).is_some();
        self.key.derivation(derived).is_some_and(|derivation| {
            (0..used).any(|segment| derivation.is(&self.key.segments()[segment]) && !given(segment))
        })
    }

    /// What is read for want of knowing a field for certain: whole steps of it, other values of the same hash, or anything.
    fn untold(&self, segments: usize, field: FieldId) -> OverRead {
        let name = || self.name(field).to_owned();
        if self.evidence.steps.iter().any(|(step, _)| *step == field) {
            return OverRead::Steps(name());
        }
        let of = |segment: &usize| &self.key.segments()[*segment];
        let hashed = (0..segments)
            .filter(|segment| {
                self.evidence.hashed.contains(&field) && of(segment).fields().contains(&field)
            })
            .max_by_key(|segment| of(segment).cardinality().unwrap_or(u64::MAX));
        match hashed {
            Some(segment) => OverRead::SharedHash(of(&segment).expression().to_owned()),
            None => OverRead::Filter(name()),
        }
    }
}
