//! How many different rows the writes of a table leave, when a later one may overwrite an earlier. Must not know keys: it is told what they tell apart.

use super::field_shares::{Of, is_drawn_from_others};
use super::population::{Tally, items};
use super::row_origin::RowOrigin;
use super::{Condition, Population};
use crate::record::{FieldId, FieldKind};
use crate::time::SimTime;

/// What makes two records the same row: records that agree in all of it have the same key, and the later overwrites the earlier.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Identity<'a> {
    /// Fields whose values the key tells.
    pub told: &'a [FieldId],
    /// A timestamp of which the key tells a step only (a day): the slots `low..high` of one step; all are taken to be as long.
    pub step: Option<(FieldId, i64, i64)>,
}

/// The different rows that one origin can have: places, each of which holds a row or not.
#[derive(Debug, Clone, Copy)]
struct Places {
    tally: Tally,
    /// Combinations of values; infinite when no two records agree.
    combinations: f64,
    /// Steps of time, by number: `first..end`.
    steps: (f64, f64),
    /// Places that hold a row.
    held: f64,
}

impl Population {
    /// As [`Population::matching`], but of records that agree in `identity` only one counts: expected number of rows that a table holds whose key
    /// tells just that. Beats of `each` hold a place for certain; drawn rows hold places by chance, as if all values of a field that no condition
    /// fixes were alike (rare ones are then met a little too often); lateness moves no row to a place of its own. Rows of several writes that may agree
    /// are counted once. O(origins^2 x conditions), no allocation.
    pub fn distinct(
        &self,
        condition: Condition<'_>,
        identity: Identity<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let places = |origin: usize| self.places(origin, condition, identity, target, at);
        let satisfied = items(condition).all(|item| item.holds(target));
        let (mut total, mut all_rows, mut surplus) = (0.0, 0.0, 0.0);
        for origin in 0..self.origins.len() {
            let own = places(origin);
            if own.held <= 0.0 {
                continue;
            }
            let mut new = own.held;
            for before in (0..origin).filter(|before| self.may_agree(*before, origin, identity)) {
                new *= 1.0 - own.share_held_by(places(before));
            }
            total += new;
            all_rows += own.tally.rows;
            // Given that the target is one of its rows, its place was free before with this probability.
            let free: f64 = (0..self.origins.len())
                .filter(|other| *other != origin && self.may_agree(*other, origin, identity))
                .map(|other| 1.0 - own.share_held_by(places(other)))
                .product();
            let Tally { rows, others, .. } = own.tally;
            surplus += rows * (1.0 + others - rows) * (1.0 - own.density()) * free;
        }
        if !satisfied {
            return total;
        }
        if all_rows > 0.0 {
            total += surplus / all_rows;
        }
        total.max(1.0)
    }

    fn places(
        &self,
        at_origin: usize,
        condition: Condition<'_>,
        identity: Identity<'_>,
        target: &[i64],
        at: SimTime,
    ) -> Places {
        let origin = &self.origins[at_origin];
        let schema = self.generator.schema();
        let tally = self.tally(at_origin, condition, target, at);
        let none = Places {
            tally,
            combinations: f64::INFINITY,
            steps: (0.0, 1.0),
            held: tally.rows,
        };
        if tally.rows <= 0.0 {
            return none;
        }
        let told = |field: FieldId| {
            identity.told.contains(&field)
                || identity.told.iter().any(|teller| {
                    // A fresh value for each combination of others tells them.
                    schema.field(*teller).kind.count().is_none()
                        && self.shares.roots(at_origin, *teller).contains(&field)
                })
        };
        let roots_told = |field: FieldId| {
            self.shares
                .roots(at_origin, field)
                .iter()
                .all(|root| told(*root))
        };
        let mut combinations = 1.0;
        let mut by_chance = !origin.history.regular() || tally.drawn < 1.0;
        let mut step = identity.step;
        for at in 0..schema.fields.len() {
            let field = FieldId(at as u16);
            if !told(field) || origin.fixed_slot(field).is_some() {
                continue;
            }
            let dependent = is_drawn_from_others(field, origin, schema);
            match (&schema.field(field).kind, schema.field(field).kind.count()) {
                (FieldKind::Timestamp { .. }, _) => step = Some((field, 0, 1)),
                _ if dependent && roots_told(field) => {}
                (_, Some(count)) => {
                    let fixed = items(condition)
                        .any(|item| item.field == field && item.high == item.low.saturating_add(1));
                    by_chance |= !fixed && !origin.each.contains(&field);
                    combinations *= count as f64;
                }
                (_, None) => return none,
            }
        }
        // What the condition leaves of them.
        for (nth, item) in items(condition).enumerate() {
            if origin.fixed_slot(item.field).is_some() {
                continue;
            }
            let Some(count) = schema.field(item.field).kind.count() else {
                continue;
            };
            if is_drawn_from_others(item.field, origin, schema) && roots_told(item.field) {
                combinations *= self.dependent(at_origin, nth, item, Of::Values, condition, target);
            } else if told(item.field) {
                combinations *= (item.high.abs_diff(item.low) as f64 / count as f64).min(1.0);
            }
        }
        let steps = step.map_or((0.0, 1.0), |step| self.steps(origin, condition, step, at));
        let places = combinations * (steps.1 - steps.0);
        // Combinations that are not told apart fall on the same places.
        let held = if places <= 0.0 {
            0.0
        } else if by_chance {
            -places * libm::expm1(-tally.rows / places)
        } else {
            tally.rows.min(places)
        };
        Places {
            tally,
            combinations,
            steps,
            held,
        }
    }

    /// The steps, from the one that `step` gives, into which an origin's rows and the condition reach.
    fn steps(
        &self,
        origin: &RowOrigin,
        condition: Condition<'_>,
        (field, low, high): (FieldId, i64, i64),
        at: SimTime,
    ) -> (f64, f64) {
        let FieldKind::Timestamp { unit, .. } = self.generator.schema().field(field).kind else {
            return (0.0, 1.0);
        };
        let (mut from, mut to) = origin.history.span(at);
        for item in items(condition).filter(|item| item.field == field) {
            from = from.max(self.nanos(unit, item.low));
            to = to.min(self.nanos(unit, item.high));
        }
        let (start, length) = (
            self.nanos(unit, low),
            high.abs_diff(low).max(1) as f64 * unit.nanos() as f64,
        );
        let first = ((from - start) / length).floor();
        let end = ((to - start) / length).ceil();
        (first, end.max(first))
    }

    /// Rows of two origins may be the same: no told field that one of them fixes has a value which the other cannot have.
    fn may_agree(&self, a: usize, b: usize, identity: Identity<'_>) -> bool {
        let schema = self.generator.schema();
        let (a, b) = (&self.origins[a], &self.origins[b]);
        identity.told.iter().all(|field| {
            let kind = &schema.field(*field).kind;
            let drawable = |slot: i64| {
                let ordinal = i128::from(slot) - i128::from(kind.first_slot());
                let count = kind.count().map_or(i128::MAX, i128::from);
                (0..count).contains(&ordinal)
            };
            match (a.fixed_slot(*field), b.fixed_slot(*field)) {
                (Some(one), Some(other)) => one == other,
                (Some(one), None) | (None, Some(one)) => drawable(one),
                (None, None) => true,
            }
        })
    }
}

impl Places {
    /// The share of the places that hold a row.
    fn density(&self) -> f64 {
        let places = self.combinations * (self.steps.1 - self.steps.0);
        if places > 0.0 && places.is_finite() {
            (self.held / places).min(1.0)
        } else {
            0.0
        }
    }

    /// The share of these places that hold a row of another origin too.
    fn share_held_by(&self, other: Places) -> f64 {
        let own_steps = self.steps.1 - self.steps.0;
        let shared = (self.steps.1.min(other.steps.1) - self.steps.0.max(other.steps.0)).max(0.0);
        let reached = (other.combinations / self.combinations).min(1.0);
        if own_steps > 0.0 && reached.is_finite() {
            shared / own_steps * reached * other.density()
        } else {
            0.0
        }
    }
}
