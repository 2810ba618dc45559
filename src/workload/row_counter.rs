//! Counts of rows for one who asks many questions of one table. Must not know what is asked.

use super::drawn_count::DrawnCount;
use super::population::Population;
use super::row_count::{HeldCells, RowCount};
use super::row_question::{Condition, RowEquality};
use super::row_shape::RowShape;
use crate::time::SimTime;
use std::cell::RefCell;
use std::sync::Arc;

/// The rows of a table as laws: what their number depends on beside values and times is worked out once for all questions of one shape.
#[derive(Debug)]
pub struct RowCounter {
    population: Arc<Population>,
    /// Of the questions so far, with what was counted last of each.
    shapes: RefCell<Vec<(RowShape, HeldCells)>>,
    /// Rows of each origin at the instant that was asked of last.
    present: RefCell<(Option<SimTime>, Vec<f64>)>,
}

impl RowCounter {
    pub fn new(population: &Arc<Population>) -> Self {
        Self {
            population: population.clone(),
            shapes: RefCell::default(),
            present: RefCell::new((None, vec![0.0; population.origins.len()])),
        }
    }

    /// As [`Population::distinct`].
    pub fn distinct(
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
            shapes.push((shape, HeldCells::default()));
            shapes.len() - 1
        });
        let (shape, held) = &mut shapes[place];
        let shape = &*shape;
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
        RowCount::new((population, shape), (condition, equality), target, at).distinct(held)
    }
}
