//! How many different rows there are where all fields of a question are drawn by their laws: the sums of `row_count` in fewer steps.

use super::population::Population;
use super::row_count::{Part, REPEATED_MAX};
use super::row_history::StepInflow;
use super::row_question::{Condition, Item, RowEquality, Turns, items};
use super::row_shape::{RowShape, Telling};

/// A question whose conditions are on fields that the rows of all origins draw by their laws ([`RowShape::is_drawn`]).
pub(super) struct DrawnCount<'a> {
    pub(super) population: &'a Population,
    pub(super) shape: &'a RowShape,
    pub(super) condition: Condition<'a>,
    pub(super) equality: RowEquality<'a>,
    /// Rows of each origin.
    pub(super) present: &'a [f64],
}

impl DrawnCount<'_> {
    /// As [`RowCount::distinct`], in fewer steps; `None` where these don't tell.
    pub(super) fn distinct(&self, target: &[i64]) -> Option<f64> {
        let marginals = &self.population.marginals;
        let share = |item: Item<'_>| marginals.by_law(item.field, item.slots());
        let share: f64 = items(self.condition).map(share).product();
        let origins = || self.population.origins.iter().zip(self.present);
        let Turns { values, run } = self.equality.turns;
        if run.is_some() {
            return None;
        }
        let values = self.equality.draws * values;
        let (mut writes, mut roots) = (0.0, 0.0);
        for (of, present) in self.shape.origins.iter().zip(self.present) {
            let densest = match of.step {
                Telling::Nothing => f64::INFINITY,
                Telling::Slots(..) => of.densest,
                Telling::Steps => return None,
            };
            let rows = present * share;
            writes += rows;
            if !of.unique {
                roots += (rows * (densest * share).min(rows) / values).sqrt();
            }
        }
        if 0.5 * roots * roots <= REPEATED_MAX * writes {
            if !items(self.condition).all(|item| item.holds(target)) {
                return Some(writes);
            }
            let drawn = Part {
                drawn: share,
                ..Part::ALL
            };
            let surplus = origins().filter(|(_, present)| **present * share > 0.0);
            let surplus = surplus.map(|(origin, present)| {
                let rows = present * share;
                rows / writes * (1.0 + origin.others(*present, drawn) - rows)
            });
            return Some((writes + surplus.sum::<f64>()).max(1.0));
        }
        let equality = self.equality;
        if !self.shape.fixes_told || equality.step.is_some() || values != 1.0 {
            return None;
        }
        let missed = origins().map(|(origin, present)| {
            let inflow = StepInflow {
                due: *present,
                stays: 1.0,
                ..StepInflow::default()
            };
            let all = origin.combinations;
            all * origin.ln_missed(share.min(1.0), inflow, all)
        });
        // Held by one of them at least.
        Some(-libm::expm1(missed.sum()))
    }
}
