//! How many writes of a table may fall on a row that another one has written: a bound, from sums of squared shares. Must not go through
//! steps or classes one by one more than once a field.

use super::Population;
use super::cells::{Role, Shape};
use super::distinct_rows::Asked;
use crate::record::FieldKind;

/// Expected repetitions, of all writes, below which every write counts as a row of its own.
///
/// The repetitions are what counting every write gets wrong, so this is the relative error: a twentieth of the 2 % that numbers of rows must keep to. The
/// target's own row is taken with twice that probability at most (it falls on great cells more often).
pub(super) const REPEATED_MAX: f64 = 1e-3;

impl Population {
    /// At least the expected number of writes that fall on a cell which another one holds; 0 where every origin's rows are unique.
    ///
    /// A cell in which `l` writes are expected is held with 1 - exp(-l) >= l - l^2 / 2, or with more, so an origin loses at most q / 2 of its writes,
    /// q being the sum of all cells' l^2; two origins a and b lose to each other at most the sum of `l_a` x `l_b`, which is at most the root of
    /// `q_a` x `q_b` (Cauchy and Schwarz). Together that is half the square of the sum of all roots of q.
    pub(super) fn repeated(&self, asked: &Asked<'_>) -> f64 {
        let roots = (0..self.origins.len()).map(|origin| {
            let shape = self.shape_of(origin, asked);
            let shape = shape.filter(|shape| !shape.unique && shape.left() > 0.0);
            shape.map_or(0.0, |shape| self.squares(origin, &shape, asked).sqrt())
        });
        let sum: f64 = roots.sum();
        0.5 * sum * sum
    }

    /// The sum over an origin's cells of the squared number of writes expected in each, or more: time and the told fields are independent of each
    /// other there, so that it is a product.
    fn squares(&self, at: usize, shape: &Shape<'_>, asked: &Asked<'_>) -> f64 {
        let (origin, schema) = (&self.origins[at], self.generator.schema());
        let narrowed = shape.narrowed;
        let share = narrowed.combined * narrowed.drawn;
        let rows = origin.history.rows_in(narrowed.window, asked.at) * share;
        // Of the rows of all steps, none has more than the densest.
        let densest = shape.step.map_or(rows, |(field, low, high)| {
            let FieldKind::Timestamp { unit, .. } = &schema.field(field).kind else {
                return rows;
            };
            let length = high.abs_diff(low).max(1) as f64 * unit.nanos() as f64;
            rows.min(origin.history.densest(length) * share)
        });
        let mut of_fields = 1.0 / (shape.left() * asked.identity.draws);
        for (field, role) in asked.identity.told.iter().zip(shape.roles) {
            of_fields *= match (role, self.classes(at, *field, role)) {
                (_, None) => 1.0,
                (Role::Even, Some(classes)) => 1.0 / classes.count,
                (_, Some(classes)) => {
                    let square = classes
                        .classes
                        .iter()
                        .map(|of| of.values * of.share * of.share);
                    square.sum()
                }
            };
        }
        rows * densest * of_fields
    }
}
