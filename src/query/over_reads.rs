//! Which rows an access path reads that nobody wants. Must not know how many.

use super::access_plan::{AccessPlan, OverRead};
use super::candidates::Stop;
use super::dimension::Dimension;
use crate::key::Knowledge;

impl AccessPlan {
    /// For a path that uses so many segments as a whole and knows these fields in each combination.
    pub(super) fn find_over_reads(&self, segments: usize, known: &Knowledge) -> Vec<OverRead> {
        let mut found = Vec::new();
        let mut add = |over_read: OverRead| {
            if !found.contains(&over_read) {
                found.push(over_read);
            }
        };
        let _ = known;
        let told = |field| self.evidence.told.contains(&field);
        // What the reader knows and the used part of the key does not tell.
        for &field in self.question.known.stored() {
            if !told(field) {
                add(self.untold(
                    OverRead::Filter(self.name(field).to_owned()),
                    segments,
                    field,
                ));
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
            let name = || self.name(field).to_owned();
            let by_values = self.dimensions.iter().any(
                |dimension| matches!(dimension, Dimension::Values { field: bound } if *bound == field),
            );
            match &self.evidence.range {
                _ if by_values && told(field) => {}
                Some((range, None)) if *range == field => {}
                Some((range, Some(_))) if *range == field => add(OverRead::Steps(name())),
                _ if self.evidence.steps.iter().any(|(step, _)| *step == field) => {
                    add(OverRead::Steps(name()));
                }
                _ => add(OverRead::Filter(name())),
            }
        }
        if self.question.shares < 1.0 {
            add(OverRead::Filter("a derived field".to_owned()));
        }
        for segment in 0..segments {
            if !self.key.is_delimited(segment) {
                let expression = self.key.segments()[segment].expression();
                add(OverRead::LongerValues(expression.to_owned()));
            }
        }
        if self.question.order.is_some() && self.ordered.is_none() && self.stop != Stop::Key {
            if let Some(order) = self.question.order {
                add(OverRead::Sorted(self.name(order.field).to_owned()));
            }
        }
        found
    }

    /// A known field that is hashed into the used part is told but for chance.
    fn untold(
        &self,
        otherwise: OverRead,
        segments: usize,
        field: crate::record::FieldId,
    ) -> OverRead {
        let hashed = (0..segments).find(|segment| {
            self.evidence.hashed.contains(&field)
                && self.key.segments()[*segment].fields().contains(&field)
        });
        match hashed {
            Some(segment) => {
                OverRead::SharedHash(self.key.segments()[segment].expression().to_owned())
            }
            None => otherwise,
        }
    }
}
