//! Rows that several writes have in common because each counts the same sequence by itself. Must not know keys.

use super::marginals::Marginal;
use super::row_count::{Part, RowCount, Selection};
use super::row_history::Window;
use crate::record::FieldId;

impl RowCount<'_> {
    /// Rows of the selected writes that others of them write as well: those with numbers that both have come to, where nothing else is told that may differ. Of rows that are
    /// asked for by more than their numbers, none.
    pub(super) fn shared_numbers(&self) -> f64 {
        if self.selected.len() < 2
            || self.equality.step.is_some()
            || self.equality.draws.is_infinite()
        {
            return 0.0;
        }
        let ranges = self.selected.iter().map(|of| self.numbers(of));
        let Some(mut ranges) = ranges.collect::<Option<Vec<(f64, f64)>>>() else {
            return 0.0;
        };
        ranges.retain(|(low, high)| low < high);
        ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut end, mut shared) = (f64::NEG_INFINITY, 0.0);
        for (low, high) in ranges {
            shared += (high.min(end) - low).max(0.0);
            end = end.max(high);
        }
        shared / (self.equality.draws * self.equality.turns.values)
    }

    /// The numbers that an origin's rows have, of those that are asked for; `None` unless these and what is the same in all origins are all that is told of them.
    fn numbers(&self, of: &Selection<'_>) -> Option<(f64, f64)> {
        let (marginals, population) = (&self.population.marginals, self.population);
        let first = &self.selected[0];
        let mut own = None;
        for &field in self.equality.told {
            let of_field = |of: &Selection<'_>| marginals.of(of.origin, field);
            match (of_field(of), of_field(first)) {
                (Marginal::Number { first }, _) if own.is_none() => own = Some((field, *first)),
                (Marginal::Fixed(slot), Marginal::Fixed(other)) if slot == other => {}
                _ => return None,
            }
        }
        let (field, first): (FieldId, i64) = own?;
        let window = Window {
            numbers: of.window.numbers,
            ..Window::default()
        };
        if of.window != window || of.part != Part::ALL {
            return None;
        }
        let origin = &population.origins[of.origin];
        let low = first as f64 + origin.sequence as f64;
        let all = of
            .shape
            .present(Window::default(), self.at, &origin.history);
        let asked = self.condition.equal.iter().find(|it| it.0 == field);
        let asked = asked.map(|(_, slot)| (*slot as f64, *slot as f64 + 1.0));
        let between = self.condition.between.iter().find(|it| it.0 == field);
        let between = between.map(|(_, low, high)| (*low as f64, *high as f64));
        let (from, to) = asked
            .or(between)
            .unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Some((low.max(from), (low + all).min(to)))
    }
}
