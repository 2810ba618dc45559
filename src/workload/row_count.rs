//! How many different rows the writes of a table leave, when a later one may overwrite an earlier. Must not know keys: it is told what they tell apart.
//!
//! A cell is a value of everything that a key tells: told fields, a step of time, what is drawn. An origin holds a cell with a probability that follows
//! from three things: how many rows flow into the step ([`StepInflow`]), how many combinations share the cell, and which share of each one's rows falls
//! on it. Origins are independent of each other, so a cell is empty with the product of theirs. The sum goes over classes of values that are about
//! equally likely, and over groups of steps.

use super::marginals::{Marginal, Of, ValueClasses};
use super::population::Population;
use super::row_history::{StepInflow, Window, both};
use crate::record::{FieldColumn, FieldId, Late, TimeUnit};
use crate::time::SimTime;
use smallvec::SmallVec;

/// What rows must be like; all parts together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Condition<'a> {
    /// Fields with exactly these slots.
    pub equal: &'a [(FieldId, i64)],
    /// Fields (numbers) whose slots lie in `low..high`.
    pub between: &'a [(FieldId, i64, i64)],
}

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

/// A question about the rows of a table, and what it selects of each origin.
#[derive(Debug)]
pub(super) struct RowCount<'a> {
    population: &'a Population,
    condition: Condition<'a>,
    /// Its parts.
    items: SmallVec<[Item; 4]>,
    equality: RowEquality<'a>,
    target: &'a [i64],
    at: SimTime,
    /// The target satisfies the condition.
    satisfied: bool,
    /// Of the origins of which rows can satisfy the condition.
    selected: SmallVec<[Selection<'a>; 3]>,
}

/// The rows of an origin that satisfy a condition, and how they fall on cells.
#[derive(Debug)]
struct Selection<'a> {
    /// Number of the origin.
    origin: usize,
    /// Their times and numbers.
    window: Window<'a>,
    /// Of the origin's rows, those of the combinations and of the drawn values that are asked for.
    part: Part,
    /// Expected rows.
    rows: f64,
    /// Expected other rows when one is known to be there.
    others: f64,
    /// No two rows agree.
    unique: bool,
    /// Of the told fields, in their order.
    roles: Roles,
    /// The timestamp that tells them apart.
    step: Option<Step<'a>>,
    /// The part of the told fields' values that the condition leaves.
    left: Part,
}

/// A part of an origin: a share of its combinations, and a share of the rows of each by what is drawn for them.
#[derive(Debug, Clone, Copy)]
struct Part {
    combined: f64,
    drawn: f64,
}

impl Part {
    const ALL: Self = Self {
        combined: 1.0,
        drawn: 1.0,
    };

    /// Of the origin's rows.
    fn share(self) -> f64 {
        self.combined * self.drawn
    }

    /// Of it, the share by a field that is combined or drawn.
    fn cut(&mut self, combined: bool, share: f64) {
        match combined {
            true => self.combined *= share,
            false => self.drawn *= share,
        }
    }
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

/// What each told field has to do with cells.
type Roles = SmallVec<[FieldRole; 8]>;

/// A value of each told field.
type ValueShares = SmallVec<[ValueShare; 8]>;

/// A value of one told field.
#[derive(Debug, Clone, Copy)]
struct ValueShare {
    /// Its share by the law that it is drawn by.
    share: f64,
    /// It is one certain value, not any of a class.
    single: bool,
}

/// One field's part of a condition: slots `low..high`.
#[derive(Debug, Clone, Copy)]
struct Item {
    field: FieldId,
    low: i64,
    high: i64,
}

impl Item {
    fn slots(self) -> (i64, i64) {
        (self.low, self.high)
    }

    fn holds(self, record: &[i64]) -> bool {
        (self.low..self.high).contains(&record[usize::from(self.field.0)])
    }
}

fn items<'a>(condition: Condition<'a>) -> impl Iterator<Item = Item> + Clone + 'a {
    let item = |(field, low, high)| Item { field, low, high };
    let equal = condition.equal.iter();
    let equal = equal.map(|(field, slot)| (*field, *slot, slot.saturating_add(1)));
    let all = equal.chain(condition.between.iter().copied());
    all.map(item)
}

impl Condition<'_> {
    /// `target` satisfies it, and whatever else does is the same row.
    fn leaves_only(&self, target: &[i64], equality: RowEquality<'_>) -> bool {
        let fixed = |field: &FieldId| self.equal.iter().any(|(known, _)| known == field);
        let within = |(field, low, high)| {
            let inside =
                |other: &(FieldId, i64, i64)| other.0 == field && other.1 >= low && other.2 <= high;
            fixed(&field) || self.between.iter().any(inside)
        };
        equality.draws == 1.0
            && equality.told.iter().all(fixed)
            && equality.step.is_none_or(within)
            && items(*self).all(|item| item.holds(target))
    }
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
        if condition.leaves_only(target, equality) {
            return 1.0;
        }
        let mut count = RowCount::new(self, condition, equality, target, at);
        let few = REPEATED_MAX * count.writes();
        if count.repeated_at_most() <= few || count.modelled().repeated() <= few {
            return count.every_write();
        }
        count.rows()
    }
}

impl Step<'_> {
    /// In nanoseconds.
    fn length(&self) -> f64 {
        self.slots as f64 * self.unit.nanos() as f64
    }
}

impl<'a> RowCount<'a> {
    pub(super) fn new(
        population: &'a Population,
        condition: Condition<'a>,
        equality: RowEquality<'a>,
        target: &'a [i64],
        at: SimTime,
    ) -> Self {
        let mut count = Self {
            population,
            condition,
            items: items(condition).collect(),
            equality,
            target,
            at,
            satisfied: true,
            selected: SmallVec::new(),
        };
        count.satisfied = count.items.iter().all(|item| item.holds(target));
        for origin in 0..population.origins.len() {
            let selection = count.select(origin);
            count.selected.extend(selection);
        }
        count
    }

    /// What is asked for of an origin; `None` where none of its rows can satisfy the condition.
    fn select(&self, at: usize) -> Option<Selection<'a>> {
        let (population, origin) = (self.population, &self.population.origins[at]);
        let mut window = Window::default();
        let mut part = Part::ALL;
        for (nth, &item) in self.items.iter().enumerate() {
            match population.marginals.of(at, item.field) {
                Marginal::Fixed(slot) if (item.low..item.high).contains(slot) => {}
                Marginal::Fixed(_) => return None,
                Marginal::Instant { unit, late } => {
                    let nanos = |slot| population.nanos(*unit, slot);
                    let instants = (nanos(item.low), nanos(item.high));
                    window.carried = Some(both(window.carried.unwrap_or(instants), instants));
                    window.late = late.as_ref().or(window.late);
                }
                Marginal::Number { first } => {
                    let before = i128::from(*first) + i128::from(origin.sequence);
                    let number = |slot: i64| (i128::from(slot) - before) as f64;
                    let numbers = (number(item.low), number(item.high));
                    window.numbers = Some(both(window.numbers.unwrap_or(numbers), numbers));
                }
                Marginal::Own { combined } => {
                    let marginals = &population.marginals;
                    let share = marginals.independent(at, item.field, item.slots(), Of::Rows);
                    part.cut(*combined, share);
                }
                Marginal::OfOthers { combined, .. } => {
                    part.cut(*combined, self.dependent(at, nth, item, Of::Rows));
                }
            }
        }
        let present = origin.history.rows_in(window, self.at);
        let Part { combined, drawn } = part;
        let rows = present * combined * drawn;
        let others = if window.numbers.is_some() {
            drawn * combined * (size_biased(present) - 1.0)
        } else if origin.history.regular() {
            // Of each combination the rows come at a steady pace; the target's own is among them.
            let of_one = present / origin.combinations;
            let of_others = (origin.combinations * combined - 1.0).max(0.0) * of_one;
            drawn * (of_others + size_biased(of_one) - 1.0)
        } else {
            rows
        };
        Some(Selection {
            origin: at,
            window,
            part,
            rows,
            others,
            unique: self.equality.draws.is_infinite(),
            roles: Roles::new(),
            step: self.step(at),
            left: Part::ALL,
        })
    }

    /// At least [`RowCount::repeated`], without a look at the values of fields: as if all cells of a step were one. Infinite where the condition may leave
    /// some of the told values only.
    pub(super) fn repeated_at_most(&self) -> f64 {
        let marginals = &self.population.marginals;
        let of_origin = |of: &Selection<'_>| {
            let whole = |item: &Item| match marginals.of(of.origin, item.field) {
                Marginal::Own { .. } => item.high == item.low.saturating_add(1),
                Marginal::OfOthers { .. } => false,
                _ => true,
            };
            match of.unique {
                true => 0.0,
                false if self.items.iter().all(whole) => {
                    of.rows * self.densest(of) * (1.0 / self.equality.draws)
                }
                false => f64::INFINITY,
            }
        };
        let sum: f64 = self.selected.iter().map(|of| of_origin(of).sqrt()).sum();
        0.5 * sum * sum
    }

    /// Most of an origin's rows that fall into one of its steps.
    fn densest(&self, of: &Selection<'_>) -> f64 {
        let history = &self.population.origins[of.origin].history;
        let of_a_step = |step: Step<'_>| history.densest(step.length()) * of.part.share();
        of.step.map_or(f64::INFINITY, of_a_step).min(of.rows)
    }

    /// The timestamp that tells an origin's rows apart: one of the told fields, or steps of another.
    fn step(&self, at: usize) -> Option<Step<'a>> {
        let step =
            |(field, low, high): (FieldId, i64, i64)| match self.population.marginals.of(at, field)
            {
                Marginal::Instant { unit, late } => Some(Step {
                    field,
                    unit: *unit,
                    late: late.as_ref(),
                    low,
                    slots: high.abs_diff(low).max(1),
                }),
                _ => None,
            };
        let told = self.equality.told.iter().rev();
        told.map(|field| (*field, 0, 1))
            .chain(self.equality.step)
            .find_map(step)
    }

    /// The same with how the rows of each origin fall on cells.
    pub(super) fn modelled(&mut self) -> &Self {
        for nth in 0..self.selected.len() {
            if !self.selected[nth].unique {
                let (roles, left, unique) = self.model(self.selected[nth].origin);
                let of = &mut self.selected[nth];
                (of.roles, of.left, of.unique) = (roles, left, unique);
            }
        }
        self
    }

    /// The share of an origin's rows, or of the combinations of its values, that satisfy the `nth` part of the condition, on a dependent field, given the
    /// parts that come before it.
    fn dependent(&self, at: usize, nth: usize, item: Item, of: Of) -> f64 {
        let Population {
            origins, marginals, ..
        } = self.population;
        let known = |id: FieldId| {
            let mut equal = self.condition.equal.iter();
            let asked = || equal.find(|(field, _)| *field == id).map(|(_, slot)| *slot);
            origins[at].fixed_slot(id).or_else(asked)
        };
        let parents = &marginals.generator.schema().field(item.field).of;
        if parents.iter().all(|parent| known(*parent).is_some()) {
            let slot_of = |parent| known(parent).unwrap_or(0);
            let value = marginals.generator.dependent_value(item.field, slot_of);
            let holds = value.is_none_or(|value| (item.low..item.high).contains(&value));
            return f64::from(u8::from(holds));
        }
        let roots = marginals.roots(at, item.field);
        let schema = marginals.generator.schema();
        let column = |item: &Item| schema.field(item.field).column.as_deref();
        if column(&item).is_some() {
            // Rows of one file go together.
            let mut asked: SmallVec<[(&FieldColumn, Item); 4]> = SmallVec::new();
            for item in &self.items[..=nth] {
                let of_file = marginals.roots(at, item.field) == roots;
                asked.extend(
                    column(item)
                        .filter(|_| of_file)
                        .map(|column| (column, *item)),
                );
            }
            let before = match &asked[..asked.len() - 1] {
                [] => asked[0].0.slots.len() as f64,
                before => rows_with(before),
            };
            return if before > 0.0 {
                rows_with(&asked) / before
            } else {
                0.0
            };
        }
        let related = |other: &Item| {
            let of = marginals.roots(at, other.field);
            origins[at].fixed_slot(other.field).is_none()
                && (roots.contains(&other.field) || of.iter().any(|root| roots.contains(root)))
        };
        let before = self.items[..nth].iter().filter(|other| related(other));
        let root_known = roots.iter().any(|root| known(*root).is_some());
        if before.clone().next().is_none()
            && !root_known
            && let Some(share) = marginals.tabulated(at, item.field, item.slots(), of)
        {
            return share;
        }
        let by_law = marginals.by_law(item.field, item.slots());
        if !item.holds(self.target) || !before.clone().all(|other| other.holds(self.target)) {
            return by_law;
        }
        // What the target's own parents contribute, and for all others independence.
        let unknown = roots.iter().filter(|root| known(**root).is_none());
        let own = unknown.map(|root| {
            let slot = self.target[usize::from(root.0)];
            marginals.independent(at, *root, (slot, slot.saturating_add(1)), of)
        });
        let own: f64 = own.product();
        // The condition on related fields before this one has left a share of the parents, of which the target's are a greater part.
        let before = before.filter(|other| !roots.contains(&other.field));
        let left = before.map(|other| marginals.by_law(other.field, other.slots()));
        let own = own / (own + (1.0 - own) * left.product::<f64>()).max(f64::MIN_POSITIVE);
        own + (1.0 - own) * by_law
    }

    /// How the rows of an origin fall on cells: the roles of the told fields, the part of their values that the condition leaves, and whether no two rows
    /// agree.
    fn model(&self, at: usize) -> (Roles, Part, bool) {
        let (mut roles, mut left, mut unique) = (Roles::new(), Part::ALL, false);
        let (marginals, told) = (&self.population.marginals, self.equality.told);
        let schema = marginals.generator.schema();
        let counted = |field: FieldId| schema.field(field).count();
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
        for &field in told {
            let mut asked = self.items.iter();
            let given =
                asked.any(|item| item.field == field && item.high == item.low.saturating_add(1));
            roles.push(match marginals.of(at, field) {
                Marginal::Fixed(_) => FieldRole::Single,
                Marginal::Instant { .. } => FieldRole::Given,
                Marginal::OfOthers { .. } if follows(field) => FieldRole::Single,
                _ if counted(field).is_none() => {
                    unique = true;
                    FieldRole::Given
                }
                _ if given => FieldRole::Given,
                Marginal::Own { combined: true } => FieldRole::Even,
                Marginal::OfOthers { combined: true, .. } => FieldRole::Combined,
                _ => FieldRole::Drawn,
            });
        }
        for (nth, &item) in self.items.iter().enumerate() {
            let (Some(count), Marginal::Own { combined } | Marginal::OfOthers { combined, .. }) =
                (counted(item.field), marginals.of(at, item.field))
            else {
                continue;
            };
            let width = item.high.abs_diff(item.low) as f64;
            if follows(item.field) {
                let share = self.dependent(at, nth, item, Of::Values);
                left.cut(*combined, share);
            } else if is_told(item.field) && width > 1.0 {
                left.cut(*combined, (width / count as f64).min(1.0));
            }
        }
        (roles, left, unique)
    }

    /// The told fields, as the cells of an origin see them.
    fn told(&self, of: &Selection<'_>) -> impl Iterator<Item = (FieldId, FieldRole)> {
        let told = self.equality.told.iter().copied();
        told.zip(of.roles.iter().copied())
    }

    /// Expected writes, as if nothing were known of the target.
    fn writes(&self) -> f64 {
        self.selected.iter().map(|of| of.rows).sum()
    }

    /// Expected number of rows where no two writes are the same row.
    fn every_write(&self) -> f64 {
        let some = || self.selected.iter().filter(|of| of.rows > 0.0);
        let writes: f64 = some().map(|of| of.rows).sum();
        if !self.satisfied {
            return writes;
        }
        let surplus = some().map(|of| of.rows / writes * (1.0 + of.others - of.rows));
        (writes + surplus.sum::<f64>()).max(1.0)
    }

    /// At least the expected number of writes that fall on a cell which another one holds; 0 where every origin's rows are unique.
    ///
    /// A cell in which `l` writes are expected is held with 1 - exp(-l) >= l - l^2 / 2, or with more, so an origin loses at most q / 2 of its writes,
    /// q being the sum of all cells' l^2; two origins a and b lose to each other at most the sum of `l_a` x `l_b`, which is at most the root of
    /// `q_a` x `q_b` (Cauchy and Schwarz). Together that is half the square of the sum of all roots of q.
    pub(super) fn repeated(&self) -> f64 {
        let roots = self.selected.iter().map(|of| self.squares(of).sqrt());
        let sum: f64 = roots.sum();
        0.5 * sum * sum
    }

    /// The sum over an origin's cells of the squared number of writes expected in each, or more: time and the told fields are independent of each
    /// other there, so that it is a product.
    fn squares(&self, of: &Selection<'_>) -> f64 {
        let left = of.left.share();
        if of.unique || left <= 0.0 {
            return 0.0;
        }
        let marginals = &self.population.marginals;
        let mut of_fields = 1.0 / (left * self.equality.draws);
        for (field, role) in self.told(of) {
            of_fields *= match (role, self.classes(of, field, role)) {
                (_, None) => 1.0,
                (FieldRole::Even, _) => 1.0 / marginals.count(field),
                (_, Some(classes)) => classes.squares,
            };
        }
        // Of the rows of all steps, none has more than the densest.
        of.rows * self.densest(of) * of_fields
    }

    /// Expected number of different rows, of which the target is one if it satisfies the condition.
    pub(super) fn rows(&self) -> f64 {
        let some = self
            .selected
            .iter()
            .enumerate()
            .filter(|(_, of)| of.rows > 0.0);
        let held = some.clone().map(|(nth, of)| match of.unique {
            true => of.rows,
            false => self.held_cells(nth),
        });
        let total = held.sum::<f64>();
        if !self.satisfied {
            return total;
        }
        // The target comes from an origin that can have it, in proportion to their rows.
        let own = some.filter(|(_, of)| self.can_hold_target(of));
        let rows: f64 = own.clone().map(|(_, of)| of.rows).sum();
        let mut free: SmallVec<[f64; 4]> = SmallVec::new();
        if !self.selected.iter().all(|of| of.unique) {
            free.extend(self.selected.iter().map(|of| self.free_of_targets_cell(of)));
        }
        let surplus = own.map(|(nth, of)| {
            let missing = if of.unique {
                1.0 + of.others - of.rows
            } else {
                // The target's own cell is held for certain: what is missing to that is that no row but the target holds it.
                let others = self.selected.iter().zip(&free).enumerate();
                let others = others.filter(|(at, (it, _))| *at == nth || self.may_agree(it, of));
                others.map(|(_, (_, free))| free).product::<f64>()
            };
            of.rows / rows * missing
        });
        (total + surplus.sum::<f64>()).max(1.0)
    }

    /// An origin shares the target's value of every told field that it fixes.
    fn can_hold_target(&self, of: &Selection<'_>) -> bool {
        self.equality.told.iter().all(|field| {
            let slot = self.target[usize::from(field.0)];
            match self.population.marginals.of(of.origin, *field) {
                Marginal::Fixed(fixed) => *fixed == slot,
                _ => true,
            }
        })
    }

    /// How rows of an origin come into each of `steps` steps with these instants, or into the whole window where no time is told.
    fn inflow(
        &self,
        of: &Selection<'a>,
        span: Option<((f64, f64), Option<&'a Late>)>,
        steps: f64,
    ) -> StepInflow {
        let own = of.window;
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
        let history = &self.population.origins[of.origin].history;
        history.inflow(window, steps, self.at)
    }

    /// Cells that the `nth` of the origins holds and none before it.
    fn held_cells(&self, nth: usize) -> f64 {
        let of = &self.selected[nth];
        let rivals = self.selected[..nth].iter();
        let rivals = rivals.filter(|before| self.may_agree(before, of));
        let involved: SmallVec<[&Selection<'a>; 4]> = [of].into_iter().chain(rivals).collect();
        let (mut last, mut held) = (SmallVec::new(), 0.0);
        let mut held_in = |span, steps| {
            let inflows = involved.iter().map(|of| self.inflow(of, span, steps));
            let inflows: SmallVec<[StepInflow; 4]> = inflows.collect();
            if last.len() == inflows.len() && inflows.iter().zip(&last).all(StepInflow::are_alike) {
                return held;
            }
            let new = self.each_class(of, &mut ValueShares::new(), &|values| {
                let cells = involved.iter().zip(&inflows);
                let cells = cells.map(|(of, inflow)| self.cell(of, *inflow, values));
                // Held by the first, which is the origin itself, and by none of the others.
                let new = cells.reduce(|new, rival| new * (1.0 - rival));
                new.unwrap_or(0.0)
            });
            last = inflows;
            held = new * of.left.share() * self.equality.draws;
            held
        };
        let Some(step) = of.step else {
            return held_in(None, 1.0);
        };
        let population = self.population;
        let (start, length) = (population.nanos(step.unit, step.low), step.length());
        let (mut from, mut to) = population.origins[of.origin].history.span(self.at);
        if let Some(late) = step.late {
            from -= late.up_to.as_nanos() as f64;
        }
        let window = of.window.carried;
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
    fn classes(
        &self,
        of: &Selection<'_>,
        field: FieldId,
        role: FieldRole,
    ) -> Option<&'a ValueClasses> {
        let several = !matches!(role, FieldRole::Given | FieldRole::Single);
        several.then(|| self.population.marginals.classes(of.origin, field))
    }

    /// Sums over the classes of values of the told fields behind those that have `values`.
    fn each_class(
        &self,
        of: &Selection<'_>,
        values: &mut ValueShares,
        each: &dyn Fn(&[ValueShare]) -> f64,
    ) -> f64 {
        let Some((field, role)) = self.told(of).nth(values.len()) else {
            return each(values);
        };
        let mut sum_of = |share: f64, single: bool| {
            values.push(ValueShare { share, single });
            let sum = self.each_class(of, values, each);
            values.pop();
            sum
        };
        let marginals = &self.population.marginals;
        let Some(classes) = self.classes(of, field, role) else {
            // As the rows of others see it.
            return match marginals.of(of.origin, field) {
                Marginal::Fixed(slot) => {
                    let share = marginals.by_law(field, (*slot, slot.saturating_add(1)));
                    sum_of(share, true)
                }
                _ => sum_of(1.0, true),
            };
        };
        let (mut sum, mut left) = (0.0, marginals.count(field));
        for class in &classes.classes {
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
    fn free_of_targets_cell(&self, of: &Selection<'a>) -> f64 {
        if of.unique || !self.can_hold_target(of) {
            return 1.0;
        }
        let population = self.population;
        let slot_of = |field: FieldId| self.target[usize::from(field.0)];
        let span = of.step.map(|step| {
            let slot = i128::from(slot_of(step.field));
            let into = (slot - i128::from(step.low)).rem_euclid(i128::from(step.slots));
            let from = population.nanos(step.unit, (slot - into) as i64);
            ((from, from + step.length()), step.late)
        });
        let value = |(field, role)| ValueShare {
            share: match role {
                FieldRole::Given | FieldRole::Single | FieldRole::Even => 1.0,
                FieldRole::Combined | FieldRole::Drawn => {
                    population
                        .marginals
                        .share_of(of.origin, field, slot_of(field))
                }
            },
            single: true,
        };
        let values: ValueShares = self.told(of).map(value).collect();
        1.0 - self.cell(of, self.inflow(of, span, 1.0), &values)
    }

    /// Rows of two origins may be the same: neither's are all unique, and no told field that one of them fixes has a value which the other cannot have.
    fn may_agree(&self, a: &Selection<'_>, b: &Selection<'_>) -> bool {
        let marginals = &self.population.marginals;
        let agree = |field: &FieldId| {
            let drawable = |slot: i64| {
                let kind = marginals.kind(*field);
                let ordinal = i128::from(slot) - i128::from(kind.first_slot());
                let count = kind.count().map_or(i128::MAX, i128::from);
                (0..count).contains(&ordinal)
            };
            match [a, b].map(|of| marginals.of(of.origin, *field)) {
                [Marginal::Fixed(one), Marginal::Fixed(other)] => one == other,
                [Marginal::Fixed(one), _] | [_, Marginal::Fixed(one)] => drawable(*one),
                _ => true,
            }
        };
        !a.unique && !b.unique && self.equality.told.iter().all(agree)
    }

    /// The probability that an origin holds a cell, which may be one of another origin.
    fn cell(&self, of: &Selection<'_>, inflow: StepInflow, values: &[ValueShare]) -> f64 {
        if of.left.share() <= 0.0 {
            return 0.0;
        }
        let marginals = &self.population.marginals;
        let origin = &self.population.origins[of.origin];
        // Combinations that share the cell, and the share of each one's rows that fall on it.
        let mut combinations = origin.combinations * of.part.combined / of.left.combined;
        let mut share = of.part.drawn / of.left.drawn / self.equality.draws;
        let mut reached = 1.0;
        for ((field, role), value) in self.told(of).zip(values) {
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
        if combinations < 1.0 {
            // Either one or none.
            return -reached * combinations * libm::expm1(missed);
        }
        -reached * libm::expm1(combinations * missed)
    }
}

/// Most rows of a file that are looked through for one share (estimate: 1.6 % of error where half of them satisfy all conditions, 10 us).
const SCANNED_MAX: usize = 4_096;

/// Number of a file's rows that satisfy all conditions: of the column with the fewest rows, these are looked through, or so many of them that are evenly
/// spaced.
fn rows_with(conditions: &[(&FieldColumn, Item)]) -> f64 {
    let rows = |(column, item): &(&'_ FieldColumn, Item)| column.rows(item.low, item.high).len();
    let Some((fewest, item)) = conditions.iter().min_by_key(|it| rows(it)) else {
        return 0.0;
    };
    let candidates = fewest.rows(item.low, item.high);
    let step = candidates.len().div_ceil(SCANNED_MAX).max(1);
    let looked_at = candidates.iter().step_by(step);
    let part = looked_at.len() as f64 / candidates.len().max(1) as f64;
    let holds = |row: &&u32| {
        conditions
            .iter()
            .all(|(column, item)| (item.low..item.high).contains(&column.slots[**row as usize]))
    };
    looked_at.filter(holds).count() as f64 / part.max(f64::MIN_POSITIVE)
}

/// Mean number of points in a window that holds one for certain, when points are evenly spaced and `mean` of them are expected in such a window.
fn size_biased(mean: f64) -> f64 {
    let (whole, part) = (mean.floor(), mean.fract());
    if mean <= 1.0 {
        return 1.0;
    }
    (whole * whole * (1.0 - part) + (whole + 1.0) * (whole + 1.0) * part) / mean
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
