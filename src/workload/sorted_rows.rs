//! How far an import has come that is sorted by a field: each value is there with all of its rows, with a part of them, or not at all. Must not know what a
//! key tells.

use super::marginals::{Marginal, ValueClasses};
use super::row_count::{Part, RowCount, Selection};
use super::row_history::{Window, both};
use super::row_question::items;
use super::row_shape::OriginShape;
use crate::record::FieldId;

impl RowCount<'_> {
    /// Puts into the window of an origin's rows where those of the condition lie, if they are sorted by a field that it decides, and gives the part of all
    /// values that is there where what is told decides it. Where nothing does, any row may be there.
    pub(super) fn sorted(&self, at: usize, shape: &OriginShape, window: &mut Window) -> Part {
        let (origin, marginals) = (&self.population.origins[at], &self.population.marginals);
        let part = origin.history.part(self.at);
        let Some(field) = origin.sorted_by.filter(|_| part < 1.0) else {
            return Part::ALL;
        };
        let (Marginal::Own { combined } | Marginal::OfOthers { combined, .. }) =
            marginals.of(at, field)
        else {
            return Part::ALL;
        };
        if self.equality.changing.contains(&field) {
            return Part::ALL;
        }
        let asked = items(self.condition).filter(|it| it.field == field && it.groups.is_none());
        let slots = asked.map(|it| it.slots()).reduce(both);
        let decided = || match marginals.of(at, field) {
            Marginal::OfOthers { .. } => {
                let slot = marginals.value_of_parents(at, field, self.condition)??;
                Some((slot, slot.saturating_add(1)))
            }
            _ => None,
        };
        if let Some(slots) = slots.or_else(decided) {
            let own = self.target[usize::from(field.0)];
            // Where it is not known which values come first, the target's has.
            let first = || {
                let is_own = (slots.0..slots.1).contains(&own);
                is_own.then(|| (0.0, marginals.share_in(at, field, slots)))
            };
            window.sorted = marginals.sorted_part(at, field, slots).or_else(first);
            return Part::ALL;
        }
        let mut filled = Part::ALL;
        if shape.tells_order {
            window.sorted = Some((0.0, part));
            filled.cut(*combined, part);
        }
        filled
    }

    /// The told field that an origin's rows are sorted by, with the values that have come so far.
    pub(super) fn come_so_far(&self, of: &Selection<'_>) -> Option<(FieldId, ValueClasses, f64)> {
        let (field, part) = (
            self.population.origins[of.origin].sorted_by?,
            of.filled.share(),
        );
        let is_told = self.equality.told.contains(&field) && part > 0.0 && part < 1.0;
        let marginals = &self.population.marginals;
        let classes = || marginals.sorted_classes(of.origin, field, part);
        Some((field, is_told.then(classes)??, part))
    }
}
