//! Counts of rows for one who asks many questions of one table. Must not know what is asked.

use super::drawn_count::DrawnCount;
use super::marginals::{Marginal, Of};
use super::population::Population;
use super::row_count::RowCount;
use super::row_history::RowOrigin;
use super::row_question::{Condition, MadeClass, Recipe, RowCounts, RowEquality, Turns, items};
use super::row_shape::RowShape;
use crate::record::FieldId;
use crate::time::SimTime;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// The rows of a table as laws: what their number depends on beside values and times is worked out once for all questions of one shape.
#[derive(Debug)]
pub struct RowCounter {
    population: Arc<Population>,
    /// Of the questions so far, with what was counted last of each.
    shapes: RefCell<Vec<(RowShape, Counted)>>,
    /// Rows of each origin at the instant that was asked of last.
    present: RefCell<(Option<SimTime>, Vec<f64>)>,
}

/// The last number of a shape that does not have the target among its rows, and what it follows from.
#[derive(Debug, Default)]
struct Counted {
    asked: (SimTime, Option<(FieldId, i64, i64)>, f64, Turns),
    target: Vec<i64>,
    between: Vec<(FieldId, i64, i64)>,
    /// Not looked at before a second question follows that asks for other single values at most, as those of an `in` list do.
    shares: Option<Shares>,
    rows: f64,
}

/// Combinations of classes of values in a step from which on the cells of all rows are not counted for each instant anew: of a field whose values are not alike (estimate).
const MANY_CLASSES: usize = 8;

/// Bits of what each part of a condition leaves of each origin's rows.
type Shares = SmallVec<[u64; 16]>;

impl Population {
    /// The shares that the parts of a condition leave of each origin's rows. Of questions that differ in single values alone, it is all that a number follows from
    /// which does not have the target among its rows; `None` where there is more, as for instants, where rows are sorted by a value, and for values whose parents
    /// the condition leaves open.
    fn shares(&self, condition: Condition<'_>) -> Option<Shares> {
        let (marginals, equal) = (&self.marginals, condition.equal.len());
        let mut shares = Shares::new();
        for origin in 0..self.origins.len() {
            if self.origins[origin].sorted_by.is_some() {
                return None;
            }
            for (nth, item) in items(condition).enumerate() {
                let share = match marginals.of(origin, item.field) {
                    Marginal::Fixed(slot) if item.has(*slot) => continue,
                    Marginal::Fixed(_) => {
                        // The origin has none of the rows.
                        shares.push(u64::MAX);
                        break;
                    }
                    Marginal::Own { .. } => marginals.share_of_item(origin, item, Of::Rows),
                    Marginal::OfOthers { .. } => {
                        f64::from(u8::from(marginals.decided(origin, item, condition)?))
                    }
                    Marginal::Instant { .. } | Marginal::Number { .. } if nth < equal => {
                        return None;
                    }
                    Marginal::Instant { .. } | Marginal::Number { .. } => continue,
                };
                shares.push(share.to_bits());
            }
        }
        Some(shares)
    }
}

impl RowCounts for Population {
    /// Expected number of rows that a table holds at an instant and that satisfy `condition`, when `target` (a record of the table) is known to be one of
    /// the writes: at least 1 if it satisfies the condition. Of records that agree in `equality` only one counts, as under a key that tells just that.
    ///
    /// Turns of `each` hold a cell for certain, unless they are late: then as chance has it, as drawn rows do by the laws of their
    /// fields. Rows of several writes that may agree are counted once. Once classes of values are there,
    /// O(origins^2 x steps x classes), with at most 32 groups of steps and some 50 classes a field that no condition fixes; O(origins)
    /// where two rows hardly ever share a cell.
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        if !equality.is_of_newest(condition) && condition.leaves_only(target, equality) {
            return 1.0;
        }
        let shape = RowShape::of(self, condition, equality);
        let mut count = RowCount::new((self, &shape), (condition, equality), target, at);
        count.distinct()
    }

    fn kept(
        &self,
        most: u32,
        asked: (Condition<'_>, RowEquality<'_>),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        self.writes_kept(most, asked, target, at)
    }

    fn turns(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> Option<f64> {
        self.turns_of(condition, target, at)
    }

    fn certainty(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64 {
        self.certainty_of(condition, target, at)
    }

    fn follow(&self, field: FieldId) -> bool {
        let is_drawn = |at| matches!(self.marginals.of(at, field), Marginal::OfOthers { .. });
        (0..self.origins.len()).all(is_drawn)
    }

    fn differ_in(&self, fields: &[FieldId]) -> bool {
        let schema = self.marginals.generator.schema();
        let (mut all, mut at) = (fields.to_vec(), 0);
        while let Some(field) = all.get(at) {
            all.extend(&schema.field(*field).of);
            at += 1;
        }
        let law = |of: &RowOrigin, id: FieldId| (of.fixed_slot(id), of.each.contains(&id));
        let mut pairs = self.origins.windows(2);
        pairs.any(|it| all.iter().any(|id| law(&it[0], *id) != law(&it[1], *id)))
    }

    fn made(&self, recipe: Recipe<'_>) -> Option<Arc<[MadeClass]>> {
        Population::made(self, recipe)
    }
}

impl RowCounter {
    pub fn new(population: &Arc<Population>) -> Self {
        Self {
            population: population.clone(),
            shapes: RefCell::default(),
            present: RefCell::new((None, vec![0.0; population.origins.len()])),
        }
    }
}

impl RowCounts for RowCounter {
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let (population, shapes) = (&*self.population, &mut *self.shapes.borrow_mut());
        let mut known = shapes.iter();
        let place = known.position(|(shape, _)| shape.is_of(condition, equality));
        let place = place.unwrap_or_else(|| {
            let shape = RowShape::of(population, condition, equality);
            shapes.push((shape, Counted::default()));
            shapes.len() - 1
        });
        let (shape, last) = &mut shapes[place];
        let shape = &*shape;
        if equality.is_of_newest(condition) {
            let of = (condition, equality);
            return RowCount::new((population, shape), of, target, at).distinct();
        }
        if shape.fixes_told && condition.leaves_only(target, equality) {
            return 1.0;
        }
        if shape.is_drawn {
            let present = &mut *self.present.borrow_mut();
            if present.0 != Some(at) {
                present.0 = Some(at);
                for (rows, origin) in present.1.iter_mut().zip(&population.origins) {
                    *rows = origin.present(at);
                }
            }
            let count = DrawnCount {
                population,
                shape,
                condition,
                equality,
                present: &present.1,
            };
            if let Some(rows) = count.distinct(target) {
                return rows;
            }
        }
        let asked = (at, equality.step, equality.draws, equality.turns);
        let has_target = items(condition).all(|item| item.holds(target));
        let is_alike = !has_target
            && last.asked == asked
            && last.target == target
            && last.between == condition.between;
        let shares = is_alike.then(|| population.shares(condition)).flatten();
        if shares.is_some() && last.shares == shares {
            return last.rows;
        }
        let count_at = |at| RowCount::new((population, shape), (condition, equality), target, at);
        let rows = count_at(at).distinct_by(|count| {
            let is_of_all = items(condition).next().is_none();
            if !is_of_all || count.classes_in_a_step() < MANY_CLASSES {
                return count.cells();
            }
            let mut count_at = |at| count_at(at).modelled().cells();
            population.cells_over_time(equality, at, &mut count_at)
        });
        if !has_target {
            (last.asked, last.shares, last.rows) = (asked, shares, rows);
            target.clone_into(&mut last.target);
            condition.between.clone_into(&mut last.between);
        }
        rows
    }

    fn kept(
        &self,
        most: u32,
        asked: (Condition<'_>, RowEquality<'_>),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        self.population.writes_kept(most, asked, target, at)
    }

    fn turns(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> Option<f64> {
        self.population.turns_of(condition, target, at)
    }

    fn certainty(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64 {
        self.population.certainty_of(condition, target, at)
    }

    fn follow(&self, field: FieldId) -> bool {
        self.population.follow(field)
    }

    fn differ_in(&self, fields: &[FieldId]) -> bool {
        self.population.differ_in(fields)
    }

    fn made(&self, recipe: Recipe<'_>) -> Option<Arc<[MadeClass]>> {
        self.population.made(recipe)
    }

    fn prefetch(&self, field: FieldId, slots: &[i64]) {
        self.population.prefetch(field, slots);
    }
}
