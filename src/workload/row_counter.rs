//! Counts of rows for one who asks many questions of one table. Must not know what is asked.

use super::population::Population;
use super::row_count::RowCount;
use super::row_question::{Condition, RowEquality};
use super::row_shape::RowShape;
use crate::time::SimTime;
use std::cell::RefCell;
use std::sync::Arc;

/// The rows of a table as laws: what their number depends on beside values and times is worked out once for all questions of one shape.
#[derive(Debug)]
pub struct RowCounter {
    population: Arc<Population>,
    /// Of the questions so far.
    shapes: RefCell<Vec<RowShape>>,
}

impl RowCounter {
    pub fn new(population: &Arc<Population>) -> Self {
        Self {
            population: population.clone(),
            shapes: RefCell::default(),
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
        if condition.leaves_only(target, equality) {
            return 1.0;
        }
        let (population, shapes) = (&*self.population, &mut *self.shapes.borrow_mut());
        let mut known = shapes.iter();
        let place = known.position(|shape| shape.is_of(condition, equality));
        let place = place.unwrap_or_else(|| {
            shapes.push(RowShape::of(population, condition, equality));
            shapes.len() - 1
        });
        let shape = &shapes[place];
        RowCount::new((population, shape), (condition, equality), target, at).distinct()
    }
}
