//! How many different rows the writes of a table leave, when a later one may overwrite an earlier. Must not know keys: it is told what they tell apart.
//!
//! A cell is a value of everything that a key tells: told fields, a step of time, what is drawn. An origin holds a cell with a probability that `cells`
//! gives; origins are independent of each other, so a cell is empty with the product of theirs. The sum goes over classes of values that are about
//! equally likely, and over groups of steps.

use super::cells::{Pick, Shape, TOLD_MAX};
use super::collisions::REPEATED_MAX;
use super::field_shares::Of;
use super::population::{Item, Tally, items};
use super::row_history::{Flow, Window};
use super::{Condition, Population};
use crate::record::{FieldId, FieldKind};
use crate::time::SimTime;

/// Steps that are looked at one by one; of more, all but the first and the last are looked at in as many groups.
const GROUPS: f64 = 32.0;

/// Origins whose shapes are prepared once for a question; those of others each time they are needed.
const PREPARED: usize = 8;

/// What makes two records the same row: records that agree in all of it have the same key, and the later overwrites the earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Identity<'a> {
    /// Fields whose values the key tells.
    pub told: &'a [FieldId],
    /// A timestamp of which the key tells a step only (a day): the slots `low..high` of one step; all are taken to be as long.
    pub step: Option<(FieldId, i64, i64)>,
    /// Equally likely values of what the key draws for each write: 1 without draws, infinite when no two are alike.
    pub draws: f64,
}

impl Default for Identity<'_> {
    fn default() -> Self {
        Self {
            told: &[],
            step: None,
            draws: 1.0,
        }
    }
}

/// One question, prepared.
pub(super) struct Asked<'a> {
    pub(super) condition: Condition<'a>,
    pub(super) identity: Identity<'a>,
    pub(super) target: &'a [i64],
    pub(super) at: SimTime,
    shapes: [Option<Shape<'a>>; PREPARED],
}

impl Population {
    /// As [`Population::matching`], but of records that agree in `identity` only one counts: expected number of rows that a table holds whose key
    /// tells just that. Beats of `each` hold a cell for certain, unless they are late: then as chance has it, as drawn rows do by the laws of their
    /// fields. Rows of several writes that may agree are counted once. Once classes of values are there, no allocation;
    /// O(origins^2 x steps x classes), with at most 32 groups of steps and some 50 classes a field that no condition fixes; O(origins x classes)
    /// where two rows hardly ever share a cell.
    pub fn distinct(
        &self,
        condition: Condition<'_>,
        identity: Identity<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        if identity.told.len() > TOLD_MAX || identity.draws.is_infinite() {
            return self.matching(condition, target, at);
        }
        let asked = self.asked(condition, identity, target, at);
        let writes: f64 = (0..self.origins.len())
            .map(|origin| self.tally(origin, condition, target, at).rows)
            .sum();
        if self.repeated(&asked) <= REPEATED_MAX * writes {
            return self.matching(condition, target, at);
        }
        self.by_cells(&asked)
    }

    /// The same cell by cell.
    pub(super) fn by_cells(&self, asked: &Asked<'_>) -> f64 {
        let Asked {
            condition,
            target,
            at,
            ..
        } = *asked;
        let satisfied = items(condition).all(|item| item.holds(target));
        let (mut total, mut all_rows, mut surplus) = (0.0, 0.0, 0.0);
        for origin in 0..self.origins.len() {
            let tally = self.tally(origin, condition, target, at);
            let Some(shape) = self.shape_of(origin, asked).filter(|_| tally.rows > 0.0) else {
                continue;
            };
            let Tally { rows, others } = tally;
            // The target comes from an origin that can have it, in proportion to their rows.
            let own = asked.identity.told.iter().all(|field| {
                let fixed = self.origins[origin].fixed_slot(*field);
                fixed.is_none_or(|fixed| fixed == target[usize::from(field.0)])
            });
            let rows_like_it = if own { rows } else { 0.0 };
            all_rows += rows_like_it;
            if shape.unique {
                total += rows;
                surplus += rows_like_it * (1.0 + others - rows);
                continue;
            }
            total += self.held_cells(origin, &shape, asked);
            if satisfied && own {
                // The target's own cell is held for certain.
                surplus += rows * self.targets_cell_is_free(origin, asked);
            }
        }
        if !satisfied {
            return total;
        }
        if all_rows > 0.0 {
            total += surplus / all_rows;
        }
        total.max(1.0)
    }

    pub(super) fn asked<'a>(
        &'a self,
        condition: Condition<'a>,
        identity: Identity<'a>,
        target: &'a [i64],
        at: SimTime,
    ) -> Asked<'a> {
        let mut asked = Asked {
            condition,
            identity,
            target,
            at,
            shapes: [None; PREPARED],
        };
        for origin in 0..self.origins.len().min(PREPARED) {
            asked.shapes[origin] = self.shape(origin, &asked);
        }
        asked
    }

    pub(super) fn shape_of<'a>(&'a self, origin: usize, asked: &Asked<'a>) -> Option<Shape<'a>> {
        match asked.shapes.get(origin) {
            Some(shape) => *shape,
            None => self.shape(origin, asked),
        }
    }

    /// Cells that an origin holds and none before it.
    fn held_cells<'a>(&'a self, origin: usize, shape: &Shape<'a>, asked: &Asked<'a>) -> f64 {
        let Some((field, low, high)) = shape.step else {
            let window = shape.narrowed.window;
            return self.held_in(origin, shape, asked, |shape| {
                let own = shape.narrowed.window;
                // Lateness moves no row where time is of no account.
                let late = window.carried.and(own.late);
                (Window { late, ..own }, 1.0)
            });
        };
        let FieldKind::Timestamp { unit, late } = &self.generator.schema().field(field).kind else {
            return 0.0;
        };
        let start = self.nanos(*unit, low);
        let length = high.abs_diff(low).max(1) as f64 * unit.nanos() as f64;
        let (mut from, mut to) = self.origins[origin].history.span(asked.at);
        if let Some(late) = late {
            from -= late.up_to.as_nanos() as f64;
        }
        if let Some((low, high)) = shape.narrowed.window.carried {
            (from, to) = (from.max(low), to.min(high));
        }
        let first = ((from - start) / length).floor();
        let end = ((to - start) / length).ceil();
        let mut held = 0.0;
        let mut next = first;
        while next < end {
            let inner = ((end - first - 2.0) / GROUPS).ceil();
            let steps = if end - first <= GROUPS || next == first {
                1.0
            } else {
                inner.min(end - 1.0 - next).max(1.0)
            };
            let group = (start + next * length, start + (next + steps) * length);
            held += steps
                * self.held_in(origin, shape, asked, |shape| {
                    (shape.within(group, late.as_ref()), steps)
                });
            next += steps;
        }
        held
    }

    /// Mean over some steps of the cells of one that an origin holds and none before it.
    fn held_in<'a>(
        &'a self,
        origin: usize,
        shape: &Shape<'a>,
        asked: &Asked<'a>,
        window: impl Fn(&Shape<'a>) -> (Window<'a>, f64),
    ) -> f64 {
        let flow = |at: usize, shape: &Shape<'a>| {
            let (window, steps) = window(shape);
            self.origins[at].history.flow(window, steps, asked.at)
        };
        let mut flows = [Flow::default(); PREPARED];
        let prepared = flows.iter_mut().zip(&asked.shapes).take(origin);
        for (before, (prepared, shape)) in prepared.enumerate() {
            if let Some(shape) = shape {
                *prepared = flow(before, shape);
            }
        }
        let own = flow(origin, shape);
        let mut picks = [Pick::default(); TOLD_MAX];
        self.each_class(origin, shape, asked, 0, &mut picks, &mut |picks| {
            let mut new = self.cell(origin, shape, own, asked, picks);
            for before in 0..origin {
                let Some(other) = self.shape_of(before, asked) else {
                    continue;
                };
                if other.unique || !self.may_agree(before, origin, asked.identity) {
                    continue;
                }
                let flow = match flows.get(before) {
                    Some(flow) => *flow,
                    None => flow(before, &other),
                };
                new *= 1.0 - self.cell(before, &other, flow, asked, picks);
            }
            new
        }) * shape.left()
            * asked.identity.draws
    }

    /// Sums over the classes of values of the told fields from `nth` on.
    fn each_class<'a>(
        &'a self,
        origin: usize,
        shape: &Shape<'a>,
        asked: &Asked<'a>,
        nth: usize,
        picks: &mut [Pick; TOLD_MAX],
        of: &mut dyn FnMut(&[Pick; TOLD_MAX]) -> f64,
    ) -> f64 {
        let Some(field) = asked.identity.told.get(nth) else {
            return of(picks);
        };
        let Some(classes) = self.classes(origin, *field, shape.roles[nth]) else {
            picks[nth] = self.single(*field, shape.roles[nth]);
            return self.each_class(origin, shape, asked, nth + 1, picks, of);
        };
        let (mut sum, mut left) = (0.0, classes.count);
        for class in classes.classes {
            picks[nth] = Pick {
                share: class.share,
                single: false,
            };
            left -= class.values;
            sum += class.values * self.each_class(origin, shape, asked, nth + 1, picks, of);
        }
        if classes.even && left > 0.5 {
            // Values that no draw takes.
            picks[nth] = Pick::default();
            sum += left * self.each_class(origin, shape, asked, nth + 1, picks, of);
        }
        sum
    }

    /// The probability that no row but the target holds its cell, which may be one of `origin`.
    fn targets_cell_is_free<'a>(&'a self, origin: usize, asked: &Asked<'a>) -> f64 {
        let mut free = 1.0;
        for other in 0..self.origins.len() {
            let Some(shape) = self.shape_of(other, asked).filter(|shape| !shape.unique) else {
                continue;
            };
            if other != origin && !self.may_agree(other, origin, asked.identity) {
                continue;
            }
            let window = match shape.step {
                None => {
                    let window = shape.narrowed.window;
                    let late = window.carried.and(window.late);
                    Window { late, ..window }
                }
                Some((field, low, high)) => {
                    let FieldKind::Timestamp { unit, late } =
                        &self.generator.schema().field(field).kind
                    else {
                        continue;
                    };
                    let length = i128::from(high.abs_diff(low).max(1));
                    let slot = i128::from(asked.target[usize::from(field.0)]);
                    let into = (slot - i128::from(low)).rem_euclid(length);
                    let from = self.nanos(*unit, (slot - into) as i64);
                    let to = from + length as f64 * unit.nanos() as f64;
                    shape.within((from, to), late.as_ref())
                }
            };
            let mut picks = [Pick::default(); TOLD_MAX];
            let mut reached = true;
            for (nth, field) in asked.identity.told.iter().enumerate() {
                let slot = asked.target[usize::from(field.0)];
                let fixed = self.origins[other].fixed_slot(*field);
                reached &= fixed.is_none_or(|fixed| fixed == slot);
                picks[nth] = Pick {
                    share: self.targets_share(other, *field, shape.roles[nth], slot),
                    single: true,
                };
            }
            if reached {
                let flow = self.origins[other].history.flow(window, 1.0, asked.at);
                free *= 1.0 - self.cell(other, &shape, flow, asked, &picks);
            }
        }
        free
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

    /// The share of an origin's combinations, or of what is drawn, that a part of a condition leaves to choose from.
    pub(super) fn left_by(&self, origin: usize, nth: usize, item: Item, asked: &Asked<'_>) -> f64 {
        self.dependent(origin, nth, item, Of::Values, asked.condition, asked.target)
    }
}
