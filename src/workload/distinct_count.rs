//! How many different rows the writes of a table leave, when a later one may overwrite an earlier. Must not know keys: it is told what they tell apart.
//!
//! A cell is a value of everything that a key tells: told fields, a step of time, what is drawn. An origin holds a cell with a probability that follows
//! from three things: how many rows flow into the step ([`StepInflow`]), how many combinations share the cell, and which share of each one's rows falls
//! on it. Origins are independent of each other, so a cell is empty with the product of theirs. The sum goes over classes of values that are about
//! equally likely, and over groups of steps.

use super::marginals::{Marginal, Of};
use super::population::{Condition, CountQuery, Part, Population, items};
use super::row_history::{StepInflow, Window, both};
use crate::record::{FieldId, Late, ShareClass, TimeUnit};
use crate::time::SimTime;

/// Steps that are looked at one by one; of more, all but the first and the last are looked at in as many groups.
const GROUPS: f64 = 32.0;

/// Expected repetitions, of all writes, below which every write counts as a row of its own.
///
/// The repetitions are what counting every write gets wrong, so this is the relative error: a twentieth of the 2 % that numbers of rows must keep to. The
/// target's own row is taken with twice that probability at most (it falls on great cells more often).
pub(super) const REPEATED_MAX: f64 = 1e-3;

/// What makes two records the same row: records that agree in all of it have the same key, and the later overwrites the earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowEquality<'a> {
    /// Fields whose values the key tells.
    pub told: &'a [FieldId],
    /// A timestamp of which the key tells a step only (a day): the slots `low..high` of one step; all are taken to be as long.
    pub step: Option<(FieldId, i64, i64)>,
    /// Equally likely values of what the key draws for each write: 1 without draws, infinite when no two are alike.
    pub draws: f64,
}

impl Default for RowEquality<'_> {
    fn default() -> Self {
        Self {
            told: &[],
            step: None,
            draws: 1.0,
        }
    }
}

/// A question and what makes two of its rows the same.
#[derive(Debug)]
pub(super) struct DistinctCount<'a> {
    query: &'a CountQuery<'a>,
    equality: RowEquality<'a>,
    /// Of each origin; `None` where none of its rows satisfies the condition.
    models: Vec<Option<CellModel<'a>>>,
}

/// How the rows of one origin fall on cells.
#[derive(Debug, Clone)]
struct CellModel<'a> {
    /// No two rows agree.
    unique: bool,
    /// Of the told fields, in their order.
    roles: Vec<FieldRole>,
    /// The timestamp that is told.
    step: Option<Step<'a>>,
    /// The part of the told fields' values that the condition leaves.
    left: Part,
}

/// What a told field has to do with which cell a row falls on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FieldRole {
    /// Nothing: the condition fixes it, or it is the time of the step.
    Given,
    /// One value in each cell that the origin can hold: all rows share it, or other told fields decide it.
    Single,
    /// Every combination has each value as often.
    Even,
    /// Each value has a share of the combinations.
    Combined,
    /// Each value has a share of every combination's rows.
    Drawn,
}

/// A timestamp in steps of so many slots, one of which begins at `low`.
#[derive(Debug, Clone, Copy)]
struct Step<'a> {
    field: FieldId,
    unit: TimeUnit,
    late: Option<&'a Late>,
    low: i64,
    slots: u64,
}

/// A value of one told field.
#[derive(Debug, Clone, Copy)]
struct ValueShare {
    /// Its share by the law that it is drawn by.
    share: f64,
    /// It is one certain value, not any of a class.
    single: bool,
}

impl Population {
    /// Expected number of rows that a table holds at an instant and that satisfy `condition`, when `target` (a record of the table) is known to be one of
    /// the writes: at least 1 if it satisfies the condition. Of records that agree in `equality` only one counts, as under a key that tells just that.
    ///
    /// Turns of `each` hold a cell for certain, unless they are late: then as chance has it, as drawn rows do by the laws of their
    /// fields. Rows of several writes that may agree are counted once. Once classes of values are there,
    /// O(origins^2 x steps x classes), with at most 32 groups of steps and some 50 classes a field that no condition fixes; O(origins)
    /// where two rows hardly ever share a cell.
    pub fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let query = CountQuery::new(self, condition, target, at);
        match DistinctCount::new(&query, equality).filter(DistinctCount::is_worth_while) {
            Some(distinct) => distinct.rows(),
            None => query.rows(),
        }
    }
}

impl Step<'_> {
    /// In nanoseconds.
    fn length(&self) -> f64 {
        self.slots as f64 * self.unit.nanos() as f64
    }
}

impl<'a> DistinctCount<'a> {
    /// `None` where no two rows can agree.
    pub(super) fn new(query: &'a CountQuery<'a>, equality: RowEquality<'a>) -> Option<Self> {
        if equality.draws.is_infinite() {
            return None;
        }
        let mut count = Self {
            query,
            equality,
            models: Vec::new(),
        };
        let origins = 0..query.selected.len();
        count.models = origins.map(|origin| count.model(origin)).collect();
        Some(count)
    }

    fn model(&self, at: usize) -> Option<CellModel<'a>> {
        self.query.selected[at]?;
        let (marginals, told) = (&self.query.population.marginals, self.equality.told);
        let counted = |field: FieldId| marginals.kind(field).count();
        let is_told = |field: FieldId| {
            // A fresh value for each combination of others tells them.
            let tells = |teller: &FieldId| {
                counted(*teller).is_none() && marginals.roots(at, *teller).contains(&field)
            };
            told.contains(&field) || told.iter().any(tells)
        };
        let follows = |field: FieldId| {
            matches!(marginals.of(at, field), Marginal::OfOthers { .. })
                && marginals.roots(at, field).iter().all(|root| is_told(*root))
        };
        let step = |(field, low, high): (FieldId, i64, i64)| match marginals.of(at, field) {
            Marginal::Instant { unit, late } => Some(Step {
                field,
                unit: *unit,
                late: late.as_ref(),
                low,
                slots: high.abs_diff(low).max(1),
            }),
            _ => None,
        };
        let mut model = CellModel {
            unique: false,
            roles: Vec::with_capacity(told.len()),
            step: self.equality.step.and_then(step),
            left: Part::ALL,
        };
        for &field in told {
            let mut asked = items(self.query.condition);
            let given =
                asked.any(|item| item.field == field && item.high == item.low.saturating_add(1));
            model.roles.push(match marginals.of(at, field) {
                Marginal::Fixed(_) => FieldRole::Single,
                Marginal::Instant { .. } => {
                    model.step = step((field, 0, 1));
                    FieldRole::Given
                }
                Marginal::OfOthers { .. } if follows(field) => FieldRole::Single,
                _ if counted(field).is_none() => {
                    model.unique = true;
                    FieldRole::Given
                }
                _ if given => FieldRole::Given,
                Marginal::Own { combined: true } => FieldRole::Even,
                Marginal::OfOthers { combined: true, .. } => FieldRole::Combined,
                _ => FieldRole::Drawn,
            });
        }
        for (nth, item) in items(self.query.condition).enumerate() {
            let (Some(count), Marginal::Own { combined } | Marginal::OfOthers { combined, .. }) =
                (counted(item.field), marginals.of(at, item.field))
            else {
                continue;
            };
            let width = item.high.abs_diff(item.low) as f64;
            if follows(item.field) {
                let share = self.query.dependent(at, nth, item, Of::Values);
                model.left.cut(*combined, share);
            } else if is_told(item.field) && width > 1.0 {
                model.left.cut(*combined, (width / count as f64).min(1.0));
            }
        }
        Some(model)
    }

    /// The told fields, as the cells of an origin see them.
    fn told(&self, model: &CellModel<'_>) -> impl Iterator<Item = (FieldId, FieldRole)> {
        let told = self.equality.told.iter().copied();
        told.zip(model.roles.iter().copied())
    }

    /// Enough rows may fall on cells which others hold.
    pub(super) fn is_worth_while(&self) -> bool {
        self.repeated() > REPEATED_MAX * self.query.written()
    }

    /// At least the expected number of writes that fall on a cell which another one holds; 0 where every origin's rows are unique.
    ///
    /// A cell in which `l` writes are expected is held with 1 - exp(-l) >= l - l^2 / 2, or with more, so an origin loses at most q / 2 of its writes,
    /// q being the sum of all cells' l^2; two origins a and b lose to each other at most the sum of `l_a` x `l_b`, which is at most the root of
    /// `q_a` x `q_b` (Cauchy and Schwarz). Together that is half the square of the sum of all roots of q.
    pub(super) fn repeated(&self) -> f64 {
        let roots = (0..self.models.len()).map(|origin| self.squares(origin).sqrt());
        let sum: f64 = roots.sum();
        0.5 * sum * sum
    }

    /// The sum over an origin's cells of the squared number of writes expected in each, or more: time and the told fields are independent of each
    /// other there, so that it is a product.
    fn squares(&self, at: usize) -> f64 {
        let (Some(model), Some(selection)) = (&self.models[at], &self.query.selected[at]) else {
            return 0.0;
        };
        let left = model.left.share();
        if model.unique || left <= 0.0 {
            return 0.0;
        }
        let history = &self.query.population.origins[at].history;
        // Of the rows of all steps, none has more than the densest.
        let of_a_step = |step: Step<'_>| history.densest(step.length()) * selection.part.share();
        let densest = model.step.map_or(f64::INFINITY, of_a_step);
        let mut of_fields = 1.0 / (left * self.equality.draws);
        for (field, role) in self.told(model) {
            of_fields *= match (role, self.classes(at, field, role)) {
                (_, None) => 1.0,
                (FieldRole::Even, _) => 1.0 / self.query.population.marginals.count(field),
                (_, Some(classes)) => {
                    let squares = classes.iter().map(|of| of.values * of.share * of.share);
                    squares.sum::<f64>()
                }
            };
        }
        selection.rows * densest.min(selection.rows) * of_fields
    }

    /// Expected number of different rows, of which the target is one if it satisfies the condition.
    pub(super) fn rows(&self) -> f64 {
        let origins = 0..self.models.len();
        let free: Vec<f64> = match self.query.satisfied {
            true => origins.map(|at| self.free_of_targets_cell(at)).collect(),
            false => Vec::new(),
        };
        let (mut total, mut all_rows, mut surplus) = (0.0, 0.0, 0.0);
        for (at, selection) in self.query.selected.iter().enumerate() {
            let (Some(model), Some(selection)) = (&self.models[at], selection) else {
                continue;
            };
            if selection.rows <= 0.0 {
                continue;
            }
            // The target comes from an origin that can have it, in proportion to their rows.
            let own = self.can_hold_target(at);
            if own {
                all_rows += selection.rows;
            }
            if model.unique {
                total += selection.rows;
                if own {
                    surplus += selection.rows * (1.0 + selection.others - selection.rows);
                }
                continue;
            }
            total += self.held_cells(at, model);
            if own && self.query.satisfied {
                // The target's own cell is held for certain: what is missing to that is that no row but the target holds it.
                let others =
                    (0..free.len()).filter(|other| *other == at || self.may_agree(*other, at));
                surplus += selection.rows * others.map(|other| free[other]).product::<f64>();
            }
        }
        if !self.query.satisfied {
            return total;
        }
        if all_rows > 0.0 {
            total += surplus / all_rows;
        }
        total.max(1.0)
    }

    /// An origin shares the target's value of every told field that it fixes.
    fn can_hold_target(&self, origin: usize) -> bool {
        self.equality.told.iter().all(|field| {
            let slot = self.query.target[usize::from(field.0)];
            match self.query.population.marginals.of(origin, *field) {
                Marginal::Fixed(fixed) => *fixed == slot,
                _ => true,
            }
        })
    }

    /// How rows of an origin come into each of `steps` steps with these instants, or into the whole window where no time is told.
    fn inflow(
        &self,
        at: usize,
        span: Option<((f64, f64), Option<&'a Late>)>,
        steps: f64,
    ) -> StepInflow {
        let Some(selection) = &self.query.selected[at] else {
            return StepInflow::default();
        };
        let own = selection.window;
        let window = match span {
            // Lateness moves no row where time is of no account.
            None => Window {
                late: own.carried.and(own.late),
                ..own
            },
            Some((instants, late)) => Window {
                carried: Some(both(own.carried.unwrap_or(instants), instants)),
                late,
                ..own
            },
        };
        let history = &self.query.population.origins[at].history;
        history.inflow(window, steps, self.query.at)
    }

    /// Cells that an origin holds and none before it.
    fn held_cells(&self, at: usize, model: &CellModel<'a>) -> f64 {
        let rivals = (0..at).filter(|before| self.may_agree(*before, at));
        let involved: Vec<usize> = [at].into_iter().chain(rivals).collect();
        let (mut last, mut held) = (Vec::new(), 0.0);
        let mut held_in = |span, steps| {
            let inflow = |at: &usize| self.inflow(*at, span, steps);
            let inflows: Vec<StepInflow> = involved.iter().map(inflow).collect();
            if last.len() == inflows.len() && inflows.iter().zip(&last).all(StepInflow::are_alike) {
                return held;
            }
            let new = self.each_class(at, model, &mut Vec::new(), &|values| {
                let cells = involved.iter().zip(&inflows);
                let cells = cells.map(|(at, inflow)| self.cell(*at, *inflow, values));
                // Held by the first, which is the origin itself, and by none of the others.
                let new = cells.reduce(|new, rival| new * (1.0 - rival));
                new.unwrap_or(0.0)
            });
            last = inflows;
            held = new * model.left.share() * self.equality.draws;
            held
        };
        let Some(step) = model.step else {
            return held_in(None, 1.0);
        };
        let population = self.query.population;
        let (start, length) = (population.nanos(step.unit, step.low), step.length());
        let (mut from, mut to) = population.origins[at].history.span(self.query.at);
        if let Some(late) = step.late {
            from -= late.up_to.as_nanos() as f64;
        }
        let window = self.query.selected[at].and_then(|selection| selection.window.carried);
        (from, to) = window.map_or((from, to), |window| both((from, to), window));
        let first = ((from - start) / length).floor();
        let end = ((to - start) / length).ceil();
        let inner = ((end - first - 2.0) / GROUPS).ceil();
        let (mut sum, mut next) = (0.0, first);
        while next < end {
            let steps = if end - first <= GROUPS || next == first {
                1.0
            } else {
                inner.min(end - 1.0 - next).max(1.0)
            };
            let group = (start + next * length, start + (next + steps) * length);
            sum += steps * held_in(Some((group, step.late)), steps);
            next += steps;
        }
        sum
    }

    /// The classes of a told field's values among an origin's rows; `None` when there is one value in a cell for certain.
    fn classes(&self, at: usize, field: FieldId, role: FieldRole) -> Option<&'a [ShareClass]> {
        let several = !matches!(role, FieldRole::Given | FieldRole::Single);
        several.then(|| self.query.population.marginals.classes(at, field))
    }

    /// Sums over the classes of values of the told fields behind those that have `values`.
    fn each_class(
        &self,
        at: usize,
        model: &CellModel<'a>,
        values: &mut Vec<ValueShare>,
        of: &dyn Fn(&[ValueShare]) -> f64,
    ) -> f64 {
        let Some((field, role)) = self.told(model).nth(values.len()) else {
            return of(values);
        };
        let mut sum_of = |share: f64, single: bool| {
            values.push(ValueShare { share, single });
            let sum = self.each_class(at, model, values, of);
            values.pop();
            sum
        };
        let marginals = &self.query.population.marginals;
        let Some(classes) = self.classes(at, field, role) else {
            // As the rows of others see it.
            return match marginals.of(at, field) {
                Marginal::Fixed(slot) => {
                    let share = marginals.by_law(field, (*slot, slot.saturating_add(1)));
                    sum_of(share, true)
                }
                _ => sum_of(1.0, true),
            };
        };
        let (mut sum, mut left) = (0.0, marginals.count(field));
        for class in classes {
            left -= class.values;
            sum += class.values * sum_of(class.share, false);
        }
        if role == FieldRole::Even && left > 0.5 {
            // Values that no draw takes.
            sum += left * sum_of(0.0, false);
        }
        sum
    }

    /// The probability that no row of an origin but the target holds the target's cell, which may be one of another origin.
    fn free_of_targets_cell(&self, at: usize) -> f64 {
        let model = self.models[at].as_ref().filter(|model| !model.unique);
        let Some(model) = model.filter(|_| self.can_hold_target(at)) else {
            return 1.0;
        };
        let population = self.query.population;
        let slot_of = |field: FieldId| self.query.target[usize::from(field.0)];
        let span = model.step.map(|step| {
            let slot = i128::from(slot_of(step.field));
            let into = (slot - i128::from(step.low)).rem_euclid(i128::from(step.slots));
            let from = population.nanos(step.unit, (slot - into) as i64);
            ((from, from + step.length()), step.late)
        });
        let value = |(field, role)| ValueShare {
            share: match role {
                FieldRole::Given | FieldRole::Single | FieldRole::Even => 1.0,
                FieldRole::Combined | FieldRole::Drawn => {
                    population.marginals.share_of(at, field, slot_of(field))
                }
            },
            single: true,
        };
        let values: Vec<ValueShare> = self.told(model).map(value).collect();
        1.0 - self.cell(at, self.inflow(at, span, 1.0), &values)
    }

    /// Rows of two origins may be the same: neither's are all unique, and no told field that one of them fixes has a value which the other cannot have.
    fn may_agree(&self, a: usize, b: usize) -> bool {
        let several = |at: usize| self.models[at].as_ref().is_some_and(|model| !model.unique);
        let marginals = &self.query.population.marginals;
        several(a)
            && several(b)
            && self.equality.told.iter().all(|field| {
                let drawable = |slot: i64| {
                    let kind = marginals.kind(*field);
                    let ordinal = i128::from(slot) - i128::from(kind.first_slot());
                    let count = kind.count().map_or(i128::MAX, i128::from);
                    (0..count).contains(&ordinal)
                };
                match (marginals.of(a, *field), marginals.of(b, *field)) {
                    (Marginal::Fixed(one), Marginal::Fixed(other)) => one == other,
                    (Marginal::Fixed(one), _) | (_, Marginal::Fixed(one)) => drawable(*one),
                    _ => true,
                }
            })
    }

    /// The probability that an origin holds a cell, which may be one of another origin.
    fn cell(&self, at: usize, inflow: StepInflow, values: &[ValueShare]) -> f64 {
        let (Some(model), Some(selection)) = (&self.models[at], &self.query.selected[at]) else {
            return 0.0;
        };
        if model.left.share() <= 0.0 {
            return 0.0;
        }
        let marginals = &self.query.population.marginals;
        let origin = &self.query.population.origins[at];
        // Combinations that share the cell, and the share of each one's rows that fall on it.
        let mut combinations = origin.combinations * selection.part.combined / model.left.combined;
        let mut share = selection.part.drawn / model.left.drawn / self.equality.draws;
        let mut reached = 1.0;
        for ((field, role), value) in self.told(model).zip(values) {
            match role {
                FieldRole::Single if !value.single => reached /= marginals.count(field),
                FieldRole::Given | FieldRole::Single => {}
                FieldRole::Even => combinations /= marginals.count(field),
                FieldRole::Combined => combinations *= value.share,
                FieldRole::Drawn => share *= value.share,
            }
        }
        let share = share.min(1.0);
        let due = inflow.due / origin.combinations;
        let later = inflow.due_later / origin.combinations;
        let missed = if origin.history.regular() {
            ln_missed(share * inflow.stays, due) + ln_missed(share * inflow.falls_back, later)
        } else {
            -share * (inflow.stays * due + inflow.falls_back * later)
        };
        -reached * libm::expm1(combinations * missed)
    }
}

/// Logarithm of the probability that all of `rows` evenly spaced rows, a mean, miss what each meets with a probability of `share`.
fn ln_missed(share: f64, rows: f64) -> f64 {
    if share <= 0.0 || rows <= 0.0 {
        return 0.0;
    }
    let whole = rows.floor();
    let last = libm::log1p(-share * (rows - whole));
    match whole > 0.0 {
        true => whole * libm::log1p(-share) + last,
        false => last,
    }
}
