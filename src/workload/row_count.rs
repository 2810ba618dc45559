//! How many different rows the writes of a table leave, when a later one may overwrite an earlier. Must not know keys: it is told what they tell apart.
//!
//! A cell is a value of everything that a key tells: told fields, a step of time, what is drawn. An origin holds a cell with a probability that follows
//! from three things: how many rows flow into the step ([`StepInflow`]), how many combinations share the cell, and which share of each one's rows falls
//! on it. Origins are independent of each other, so a cell is empty with the product of theirs. The sum goes over classes of values that are about
//! equally likely, and over groups of steps.

use super::kept_writes::InCell;
use super::marginals::{Marginal, Of, ValueClasses};
use super::population::Population;
use super::row_history::{RowOrigin, StepInflow, Window, both, ln_missed};
use super::row_question::{Condition, Item, RowEquality, items};
use super::row_shape::{FieldRole, OriginShape, RowShape, Telling};
use crate::record::{FieldId, Late, TimeUnit};
use crate::time::SimTime;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Steps of rows on time, and of late ones alone, that are looked at one by one; of more, all but the first and the last are looked at in as many groups.
const GROUPS: f64 = 32.0;

/// Expected repetitions, of all writes, below which every write counts as a row of its own.
///
/// The repetitions are what counting every write gets wrong, so this is the relative error: a twentieth of the 2 % that numbers of rows must keep to. The
/// target's own row is taken with twice that probability at most (it falls on great cells more often).
pub(super) const REPEATED_MAX: f64 = 1e-3;

/// A question about the rows of a table, and what it selects of each origin.
#[derive(Debug)]
pub(super) struct RowCount<'a> {
    pub(super) population: &'a Population,
    shape: &'a RowShape,
    pub(super) condition: Condition<'a>,
    pub(super) equality: RowEquality<'a>,
    pub(super) target: &'a [i64],
    pub(super) at: SimTime,
    /// Writes of a cell that count, its newest ones.
    pub(super) versions: u32,
    /// The target satisfies the condition.
    pub(super) satisfied: bool,
    /// Of the origins of which rows can satisfy the condition.
    pub(super) selected: SmallVec<[Selection<'a>; 3]>,
}

/// The rows of an origin that satisfy a condition, and how they fall on cells.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    /// Number of the origin.
    pub(super) origin: usize,
    pub(super) shape: &'a OriginShape,
    /// Their times and numbers.
    pub(super) window: Window,
    /// Of the origin's rows, those of the combinations and of the drawn values that are asked for.
    pub(super) part: Part,
    /// Of them those that satisfy the condition also in what changes; the others are writes of the same rows.
    kept: f64,
    /// Expected rows.
    pub(super) rows: f64,
    /// Expected other rows when one is known to be there.
    pub(super) others: f64,
    /// The part of the told fields' values that rows are there of already, where they are sorted by one of these.
    pub(super) filled: Part,
    /// The part of the told fields' values that it and the condition leave.
    left: Part,
    /// The values that it leaves of told fields, where those of all values don't tell what they are like.
    pub(super) ranges: Ranges,
    /// The share of what the target has in fields that go together, of the values that are listed for the condition.
    pub(super) own: SmallVec<[(FieldId, f64); 1]>,
    /// How many times as often as of all rows the newest write of the target's row has what is asked for.
    own_kept: f64,
}

/// A part of an origin: a share of its combinations, and a share of the rows of each by what is drawn for them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) combined: f64,
    pub(super) drawn: f64,
}

impl Part {
    pub(super) const ALL: Self = Self {
        combined: 1.0,
        drawn: 1.0,
    };

    /// Of the origin's rows.
    pub(super) fn share(self) -> f64 {
        self.combined * self.drawn
    }

    /// Of it, the share by a field that is combined or drawn.
    pub(super) fn cut(&mut self, combined: bool, share: f64) {
        match combined {
            true => self.combined *= share,
            false => self.drawn *= share,
        }
    }
}

/// A timestamp in steps of so many slots, one of which begins at `low`.
#[derive(Debug, Clone, Copy)]
struct Step {
    field: FieldId,
    unit: TimeUnit,
    late: Option<Late>,
    low: i64,
    slots: u64,
}

/// Fields with the values that a range of them leaves, and the share of these.
pub(super) type Ranges = SmallVec<[(FieldId, ValueClasses, f64); 1]>;

/// A value of each told field.
pub(super) type ValueShares = SmallVec<[ValueShare; 8]>;

/// A value of one told field.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueShare {
    /// Its share by the law that it is drawn by.
    pub share: f64,
    pub known: KnownValue,
}

/// Which value of a told field it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum KnownValue {
    /// Any of a class.
    Any,
    /// Any but those that other origins fix.
    Other,
    /// The one that goes with the other values.
    Decided,
    /// This one, or this group.
    Told(i64),
}

/// A value of a told field that another origin fixes, or its group, and its share among the rows of this one.
pub(super) type FixedValue = (FieldId, i64, f64);

/// What is made of a cell: of how the rows of some of the origins, by their numbers, fall on it.
type OfCell<'f> = dyn Fn(&[(usize, InCell)]) -> f64 + 'f;

/// How an origin's rows fall on a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Falling {
    /// Combinations that share the cell.
    combinations: f64,
    /// Of each one's rows, those that fall on it.
    share: f64,
    /// Probability that any can.
    reached: f64,
}

/// How an origin's rows fall on the target's cell.
#[derive(Debug, Default)]
pub(super) struct TargetsCell {
    inflow: StepInflow,
    falling: Falling,
    /// Logarithm of the probability that no row of one combination falls on it.
    missed: f64,
    pub(super) cell: InCell,
}

impl RowOrigin {
    /// Expected other rows of a part of those that are present when one of it is known to be there.
    pub(super) fn others(&self, present: f64, Part { combined, drawn }: Part) -> f64 {
        if !self.history.regular {
            return present * combined * drawn;
        }
        // Of each combination the rows come at a steady pace; the known one is among them.
        let of_one = present / self.combinations;
        let of_others = (self.combinations * combined - 1.0).max(0.0) * of_one;
        drawn * (of_others + size_biased(of_one) - 1.0)
    }
}

impl Step {
    /// In nanoseconds.
    fn length(&self) -> f64 {
        self.slots as f64 * self.unit.nanos() as f64
    }
}

impl<'a> RowCount<'a> {
    /// A question of that shape.
    pub(super) fn new(
        (population, shape): (&'a Population, &'a RowShape),
        (condition, equality): (Condition<'a>, RowEquality<'a>),
        target: &'a [i64],
        at: SimTime,
    ) -> Self {
        let mut count = Self {
            shape,
            population,
            condition,
            equality,
            target,
            at,
            versions: 1,
            satisfied: items(condition).all(|item| item.holds(target)),
            selected: SmallVec::new(),
        };
        count.selected = count.select_all();
        count
    }

    fn select_all(&self) -> SmallVec<[Selection<'a>; 3]> {
        let origins = self.shape.origins.iter().enumerate();
        let selected = origins.filter_map(|(at, shape)| self.select(at, shape));
        selected.collect()
    }

    /// Expected number of different rows; without a look at cells where hardly any two writes are the same row.
    pub(super) fn distinct(&mut self) -> f64 {
        self.distinct_by(|count| count.cells())
    }

    /// The same where `cells` says how many cells there are.
    pub(super) fn distinct_by(&mut self, cells: impl FnOnce(&Self) -> f64) -> f64 {
        if self.are_repeated() {
            return self.rows(cells(self));
        }
        self.equality.changing = &[];
        self.selected = self.select_all();
        let least = f64::from(u8::from(self.satisfied));
        (self.every_write() - self.shared_numbers()).max(least)
    }

    /// Writes are the same row more than hardly ever: then cells can be looked at.
    pub(super) fn are_repeated(&mut self) -> bool {
        let few = REPEATED_MAX * self.writes();
        self.repeated_at_most() > few && self.modelled().repeated() > few
    }

    /// What is asked for of an origin; `None` where none of its rows can satisfy the condition.
    fn select(&self, at: usize, shape: &'a OriginShape) -> Option<Selection<'a>> {
        let (population, origin) = (self.population, &self.population.origins[at]);
        let mut window = Window::default();
        let (mut part, mut kept) = (Part::ALL, 1.0);
        for (nth, item) in items(self.condition).enumerate() {
            let grouped = shape.grouped(item.field);
            let is_changing = self.equality.may_change(item);
            // Of what changes other values fall on the same cells, all of them or those of a group.
            let of_newest = !self.equality.changing.is_empty() && shape.is_of_newest(nth);
            let in_origin = |slots| population.marginals.share_in(at, item.field, slots);
            let mut around = |share: f64| {
                let of_group = || match grouped {
                    _ if of_newest => 1.0,
                    _ if !is_changing => share,
                    Some(grouped) => grouped.of_item(item, share, in_origin),
                    None => 1.0,
                };
                let all = self.whole_beside(at, shape, item, share);
                let all = all.unwrap_or_else(of_group);
                if all > 0.0 {
                    kept *= share / all;
                }
                all
            };
            match population.marginals.of(at, item.field) {
                Marginal::Fixed(slot) if item.has(*slot) => {}
                Marginal::Fixed(slot) if is_changing => {
                    if grouped.is_some_and(|it| !it.meets(item, *slot)) {
                        return None;
                    }
                    kept = 0.0;
                }
                Marginal::Fixed(_) => return None,
                Marginal::Instant { unit, late } => {
                    let nanos = |slot| population.nanos(*unit, slot);
                    let own = (nanos(item.low), nanos(item.high));
                    window.carried = Some(window.carried.map_or(own, |it| both(it, own)));
                    window.late = late.or(window.late);
                }
                Marginal::Number { first } => {
                    let before = i128::from(*first) + i128::from(origin.sequence);
                    let number = |slot: i64| (i128::from(slot) - before) as f64;
                    let numbers = (number(item.low), number(item.high));
                    window.numbers = Some(both(window.numbers.unwrap_or(numbers), numbers));
                }
                Marginal::Own { combined } => {
                    let share = population.marginals.share_of_item(at, item, Of::Rows);
                    part.cut(*combined, around(share));
                }
                Marginal::OfOthers { combined, .. } => {
                    part.cut(*combined, around(self.dependent(at, nth, item, Of::Rows)));
                }
            }
        }
        let filled = self.sorted(at, shape, &mut window);
        part.cut(true, filled.combined);
        part.cut(false, filled.drawn);
        let present = shape.present(window, self.at, &origin.history);
        let Part { combined, drawn } = part;
        let rows = present * combined * drawn;
        let others = match window.numbers.is_some() {
            true => drawn * combined * (size_biased(present) - 1.0),
            false => origin.others(present, part),
        };
        Some(Selection {
            origin: at,
            shape,
            window,
            part,
            kept,
            rows,
            others,
            filled,
            left: Part::ALL,
            ranges: Ranges::new(),
            own: SmallVec::new(),
            own_kept: 1.0,
        })
    }

    /// At least [`RowCount::repeated`], without a look at the values of fields: as if all cells of a step were one. Infinite where the condition may leave
    /// some of the told values only.
    pub(super) fn repeated_at_most(&self) -> f64 {
        let of_origin = |of: &Selection<'_>| match of.shape.unique {
            true => 0.0,
            false if of.shape.keeps_values => {
                let densest = self.densest(of);
                of.rows * densest / (self.equality.draws * self.equality.turns.taken_by(densest))
            }
            false => f64::INFINITY,
        };
        let sum: f64 = self.selected.iter().map(|of| of_origin(of).sqrt()).sum();
        0.5 * sum * sum
    }

    /// Most of an origin's rows that fall into one of its steps.
    fn densest(&self, of: &Selection<'_>) -> f64 {
        let history = &self.population.origins[of.origin].history;
        let densest = match of.shape.step {
            Telling::Nothing => f64::INFINITY,
            Telling::Slots(..) => of.shape.densest,
            Telling::Steps => self
                .step(of)
                .map_or(f64::INFINITY, |step| history.densest(step.length())),
        };
        (densest * of.part.share()).min(of.rows)
    }

    /// The timestamp that tells an origin's rows apart.
    fn step(&self, of: &Selection<'_>) -> Option<Step> {
        let (field, low, high) = match of.shape.step {
            Telling::Nothing => return None,
            Telling::Slots(field) => (field, 0, 1),
            Telling::Steps => self.equality.step?,
        };
        match self.population.marginals.of(of.origin, field) {
            Marginal::Instant { unit, late } => Some(Step {
                field,
                unit: *unit,
                late: *late,
                low,
                slots: high.abs_diff(low).max(1),
            }),
            _ => None,
        }
    }

    /// The same with which part of the told fields' values is left.
    pub(super) fn modelled(&mut self) -> &Self {
        for nth in 0..self.selected.len() {
            let of = &self.selected[nth];
            if !of.shape.unique {
                let is_apart = |field| of.shape.together.iter().all(|it| !it.values.has(field));
                let told = |it: &Item| {
                    let field = it.field;
                    !it.is_single() && self.equality.told.contains(&field) && is_apart(field)
                };
                let range = |item: Item| {
                    let (marginals, field) = (&self.population.marginals, item.field);
                    let (classes, whole) = match (of.shape.grouped(field), item.groups) {
                        (Some(grouped), _) => {
                            let share = |slots| marginals.share_in(of.origin, field, slots);
                            let own = marginals.share_of_item(of.origin, item, Of::Rows);
                            let whole = match self.equality.changing.contains(&field) {
                                true => grouped.of_item(item, own, share),
                                false => own,
                            };
                            (grouped.between(item, whole), whole)
                        }
                        (_, Some(_)) => marginals.classes_of_group(of.origin, item)?,
                        _ => marginals.classes_between(of.origin, field, item.slots(), 1)?,
                    };
                    Some((field, classes, whole))
                };
                let ranges = items(self.condition).filter(told).filter_map(range);
                let mut ranges: Ranges = ranges.collect();
                ranges.extend(self.come_so_far(of).filter(|it| is_apart(it.0)));
                let mut own = SmallVec::new();
                let mut own_kept = 1.0;
                for listed in self.listed_classes(of) {
                    ranges.push((listed.field, listed.classes, 1.0));
                    own.push((listed.field, listed.own));
                    own_kept *= listed.own_kept;
                }
                let left = self.left(of, &ranges);
                let of = &mut self.selected[nth];
                (of.left, of.ranges, of.own, of.own_kept) = (left, ranges, own, own_kept);
            }
        }
        self
    }

    /// The told fields, as the cells of an origin see them.
    pub(super) fn told(&self, of: &Selection<'_>) -> impl Iterator<Item = (FieldId, FieldRole)> {
        let told = self.equality.told.iter().copied();
        told.zip(of.shape.roles.iter().copied())
    }

    /// Expected writes, as if nothing were known of the target.
    fn writes(&self) -> f64 {
        self.selected.iter().map(|of| of.rows).sum()
    }

    /// Expected number of rows where no two writes are the same row.
    pub(super) fn every_write(&self) -> f64 {
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
        if of.shape.unique || left <= 0.0 {
            return 0.0;
        }
        let marginals = &self.population.marginals;
        let densest = self.densest(of);
        let turns = self.equality.turns.taken_by(densest);
        let mut of_fields = 1.0 / (left * self.equality.draws * turns);
        for (field, role) in self.told(of) {
            of_fields *= match (role, self.classes(of, field, role)) {
                (_, None) => 1.0,
                (FieldRole::Even, _) => 1.0 / marginals.count(field),
                (_, Some(classes)) => classes.squares,
            };
        }
        // Of the rows of all steps, none has more than the densest.
        of.rows * densest * of_fields
    }

    /// The selected origins that have rows, with their numbers among them.
    fn with_rows(&self) -> impl Iterator<Item = (usize, &Selection<'a>)> + Clone {
        let selected = self.selected.iter().enumerate();
        selected.filter(|(_, of)| of.rows > 0.0)
    }

    /// Expected number of different rows, when nothing is known of the target.
    pub(super) fn cells(&self) -> f64 {
        let held = self.with_rows().map(|(nth, of)| match of.shape.unique {
            true => of.rows * of.kept,
            false => self.held_cells(nth),
        });
        held.sum()
    }

    /// The same of which the target is one if it satisfies the condition.
    pub(super) fn rows(&self, total: f64) -> f64 {
        if !self.satisfied {
            return total;
        }
        // The target comes from an origin that can have it, in proportion to their rows.
        let own = self.with_rows();
        let own = own.filter(|(_, of)| self.can_hold_target(of));
        let rows: f64 = own.clone().map(|(_, of)| of.rows * of.kept).sum();
        if self.selected.iter().any(|of| of.kept < 1.0) {
            return total + if rows > 0.0 { self.own_newest() } else { 0.0 };
        }
        let surplus = own.map(|(nth, of)| {
            let missing = if of.shape.unique {
                1.0 + of.others - of.rows
            } else {
                let rivals = self.selected.iter().enumerate();
                let rivals = rivals.filter(|(at, it)| *at != nth && self.may_agree(it, of));
                let free = |(_, it)| match self.continues(of, it) || self.continues(it, of) {
                    false => 1.0 - self.targets_cell(it).cell.held,
                    true => {
                        let [both, own] =
                            [Some(it), None].map(|it| self.targets_cells(of, it).cell.held);
                        ((1.0 - both) / (1.0 - own).max(f64::MIN_POSITIVE)).min(1.0)
                    }
                };
                self.more_cells((nth, of)) * rivals.map(free).product::<f64>()
            };
            of.rows / rows * missing
        });
        (total + surplus.sum::<f64>()).max(1.0)
    }

    /// By how much more likely the target's row has what is asked for, as one write of it is known to have it: as often as that is the newest one, of all
    /// whose number is a Poisson one.
    fn own_newest(&self) -> f64 {
        let cells = self
            .with_rows()
            .map(|(_, of)| (self.targets_cell(of), of.kept * of.own_kept));
        let (mut free, mut due, mut kept) = (1.0, 0.0, 0.0);
        for (cell, part) in cells {
            free *= 1.0 - cell.cell.held;
            due += cell.cell.due;
            kept += cell.cell.due * part;
        }
        let held = 1.0 - free;
        if due <= 0.0 {
            return 1.0;
        }
        let (own, part) = ((held / due).min(1.0), kept / due);
        own + (1.0 - own) * part - held * part
    }

    /// An origin shares what is told of the target's value of every told field that it fixes.
    pub(super) fn can_hold_target(&self, of: &Selection<'_>) -> bool {
        self.equality.told.iter().all(|field| {
            let slot = self.target[usize::from(field.0)];
            let own = self.fixed(of, *field);
            own.is_none_or(|own| own == self.equality.told_of(*field, slot))
        })
    }

    /// What is told of the value that an origin fixes of a field.
    fn fixed(&self, of: &Selection<'_>, field: FieldId) -> Option<i64> {
        match self.population.marginals.of(of.origin, field) {
            Marginal::Fixed(slot) => Some(self.equality.told_of(field, *slot)),
            _ => None,
        }
    }

    /// How rows of an origin come into each of `steps` steps with these instants, or into the whole window where no time is told.
    fn inflow(
        &self,
        of: &Selection<'a>,
        span: Option<((f64, f64), Option<Late>)>,
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
        let all = history.inflow(window, steps, self.at);
        history.shared_by(self.equality.turns, all)
    }

    /// As many rows of an origin as of any come into each step between these instants.
    fn is_even(&self, of: &Selection<'_>, within: (f64, f64), late: Option<Late>) -> bool {
        let window = Window {
            carried: Some(both(of.window.carried.unwrap_or(within), within)),
            late,
            ..of.window
        };
        let history = &self.population.origins[of.origin].history;
        window.carried == Some(within) && history.is_even(window, self.at)
    }

    /// Cells that the `nth` of the origins holds and none before it.
    fn held_cells(&self, nth: usize) -> f64 {
        // Where only a part of the writes is asked for, all that fall on a cell count; so they do where several of its writes are kept.
        let kept_of = self.selected[nth].kept;
        let is_mixed = self.selected.iter().any(|it| it.kept != kept_of);
        self.over_cells(nth, is_mixed || self.versions > 1, &|involved| {
            let (mut new, mut due, mut kept) = (0.0, 0.0, 0.0);
            let (mut own, mut later) = (InCell::default(), InCell::default());
            for &(at, here) in involved {
                // Held by the first, which is the origin itself, and by none before it.
                match at.cmp(&nth) {
                    Ordering::Equal => (new, own) = (here.held, here),
                    Ordering::Less => new *= 1.0 - here.held,
                    Ordering::Greater => later = later.and(here),
                }
                due += here.due;
                kept += here.due * self.selected[at].kept;
            }
            if self.versions > 1 {
                new *= own.kept(later, self.versions);
            }
            match is_mixed && due > 0.0 {
                true => new * kept / due,
                false => new * kept_of,
            }
        })
    }

    /// The sum over the cells of the `nth` of the origins of what `each` makes of how its rows fall on one, and behind it those of its rivals by their number: of
    /// those before it, or of all.
    pub(super) fn over_cells(&self, nth: usize, are_all: bool, each: &OfCell<'_>) -> f64 {
        let of = &self.selected[nth];
        let rivals = self.selected.iter().enumerate();
        let rivals = rivals.filter(|(at, _)| *at < nth || are_all && *at > nth);
        let rivals = rivals.filter(|(_, it)| self.may_agree(it, of));
        let involved: SmallVec<[(usize, &Selection<'a>); 4]> =
            [(nth, of)].into_iter().chain(rivals).collect();
        let rivals: SmallVec<[&Selection<'a>; 4]> = involved[1..].iter().map(|it| it.1).collect();
        let others = self.values_apart(of, &rivals, are_all);
        let (mut last, mut held) = (SmallVec::new(), 0.0);
        let mut held_in = |span, steps| {
            let inflows = involved.iter().map(|(_, of)| self.inflow(of, span, steps));
            let inflows: SmallVec<[StepInflow; 4]> = inflows.collect();
            if last.len() == inflows.len() && inflows.iter().zip(&last).all(StepInflow::are_alike) {
                return held;
            }
            let new = self.each_class((of, &others), &mut ValueShares::new(), &|values| {
                let cells = involved.iter().zip(&inflows);
                let cells = cells.map(|((at, of), inflow)| (*at, self.cell(of, *inflow, values)));
                let mut cells: SmallVec<[(usize, InCell); 4]> = cells.collect();
                if let Some(at) = involved.iter().position(|(_, it)| self.continues(of, it)) {
                    // Turns that go on don't meet those of before by chance.
                    let both = self.cell(of, inflows[0].continued(inflows[at]), values);
                    let before = cells[at].1.held;
                    cells[0].1.held = match before < 1.0 {
                        true => ((both.held - before) / (1.0 - before)).max(0.0),
                        false => 0.0,
                    };
                }
                each(&cells)
            });
            last = inflows;
            let left = of.left.share() / of.filled.share();
            held = new * left * self.equality.draws * self.equality.turns.values;
            held
        };
        let Some(step) = self.step(of) else {
            return held_in(None, 1.0);
        };
        let population = self.population;
        let (start, length) = (population.nanos(step.unit, step.low), step.length());
        let (mut from, mut to) = population.origins[of.origin].history.span(self.at);
        let on_time = from;
        if let Some(late) = step.late {
            from -= late.up_to.as_nanos() as f64;
        }
        let window = of.window.carried;
        (from, to) = window.map_or((from, to), |window| both((from, to), window));
        let place = |instant: f64| ((instant - start) / length).floor();
        let first = place(from);
        // Rows that all carry one instant lie in one step, however far from the first one: a double tells no nanoseconds of years.
        let end = ((to - start) / length).ceil().max(first + 1.0);
        // All steps but the first and the last, in groups; in a single one where all are alike.
        let within = (start + (first + 1.0) * length, start + (end - 1.0) * length);
        let mut origins = involved.iter();
        let are_even = origins.all(|(_, of)| self.is_even(of, within, step.late));
        // Far fewer rows carry instants of before those at which any is on time.
        let on_time = place(on_time).clamp(first, end);
        let (mut sum, mut next) = (0.0, first);
        for (begin, end) in [(first, on_time), (on_time, end)] {
            let inner = match are_even {
                true => end - begin - 2.0,
                false if end - begin <= GROUPS => 1.0,
                false => ((end - begin - 2.0) / GROUPS).ceil(),
            };
            while next < end {
                let steps = match next == begin {
                    true => 1.0,
                    false => inner.min(end - 1.0 - next).max(1.0),
                };
                let group = (start + next * length, start + (next + steps) * length);
                sum += steps * held_in(Some((group, step.late)), steps);
                next += steps;
            }
        }
        sum
    }

    /// Cells of no other origin that an origin holds in addition, on average, where the target is one of its rows: the target's own, unless another row is there.
    /// Rows at a steady pace come no more often for that: the others of the target's combination lie in other cells less often.
    fn more_cells(&self, (nth, of): (usize, &Selection<'a>)) -> f64 {
        let cell = self.targets_cell(of);
        let (origin, share) = (&self.population.origins[of.origin], cell.falling.share);
        if of.window.numbers.is_some() {
            // So many rows have these numbers, and the target is one of them: the others alone fall as chance has it.
            let others = of.others / of.rows;
            return 1.0 - cell.cell.held * others - self.held_cells(nth) * (1.0 - others);
        }
        if !origin.history.regular || share <= 0.0 {
            return 1.0 - cell.cell.held;
        }
        let (stays, falls_back) = (cell.inflow.stays, cell.inflow.falls_back);
        // Late rows fall on a step as chance has it.
        let missed = |rows: f64| libm::exp(ln_missed(share * stays, rows / stays));
        let is_late = stays < 1.0 || falls_back > 0.0;
        // Rows of the target's combination in all steps and in its own, without and with one that is known to be there.
        let all = of.rows / (of.part.share() * origin.combinations);
        let here = stays * cell.inflow.due + falls_back * cell.inflow.due_later;
        let here = all.min(here / origin.combinations);
        let known = size_biased(all);
        let known_here = match is_late {
            true => 1.0 + (known - 1.0) * here / all,
            false => size_biased(here),
        };
        // In how many other steps these lie, and how many fewer there are in each.
        let elsewhere = all - here;
        let each = (self.densest(of) / (of.part.share() * origin.combinations)).min(elsewhere);
        let steps = elsewhere / each;
        let fewer = (elsewhere - (known - known_here)) / steps;
        let values = of.part.drawn / share;
        let mut lost = (values - 1.0) * (missed(known_here - 1.0) - missed(here));
        if elsewhere > 0.0 {
            lost += steps * values * (missed(each - fewer) - missed(each));
        }
        let rivals = match cell.falling.combinations > 1.0 {
            true => libm::exp((cell.falling.combinations - 1.0) * cell.missed),
            false => 1.0,
        };
        rivals * (libm::exp(cell.missed) - lost)
    }

    /// The rows of one are turns, or have numbers, that go on where those of the other end, and none of them is late.
    pub(super) fn continues(&self, of: &Selection<'a>, other: &Selection<'a>) -> bool {
        let is_late = |of: &Selection<'_>| self.step(of).is_some_and(|step| step.late.is_some());
        let origin = &self.population.origins[of.origin];
        let before = match self.equality.turns.run {
            Some(_) => origin.counts_on,
            None => origin.continues,
        };
        before == Some(other.origin) && !is_late(of) && of.window.late.is_none()
    }

    /// The target's cell, as the rows of an origin fall on it, which may be one of another origin.
    pub(super) fn targets_cell(&self, of: &Selection<'a>) -> TargetsCell {
        self.targets_cells(of, None)
    }

    /// The same of an origin and of one whose turns it continues, or that continue its.
    fn targets_cells(&self, of: &Selection<'a>, other: Option<&Selection<'a>>) -> TargetsCell {
        if of.shape.unique || !self.can_hold_target(of) {
            return TargetsCell::default();
        }
        let population = self.population;
        let slot_of = |field: FieldId| self.target[usize::from(field.0)];
        let span = self.step(of).map(|step| {
            let slot = i128::from(slot_of(step.field));
            let into = (slot - i128::from(step.low)).rem_euclid(i128::from(step.slots));
            let from = population.nanos(step.unit, (slot - into) as i64);
            ((from, from + step.length()), step.late)
        });
        let value = |(field, role)| ValueShare {
            share: match role {
                FieldRole::Given | FieldRole::Single | FieldRole::Even => 1.0,
                FieldRole::Combined | FieldRole::Drawn => self.share_of_target(of, field),
            },
            known: KnownValue::Told(self.equality.told_of(field, slot_of(field))),
        };
        let values: ValueShares = self.told(of).map(value).collect();
        let inflow = self.inflow(of, span, 1.0);
        let inflow = other.map_or(inflow, |it| inflow.continued(self.inflow(it, span, 1.0)));
        let falling = self.falling(of, &values);
        TargetsCell {
            inflow,
            cell: self.cell(of, inflow, &values),
            falling,
            missed: self.population.origins[of.origin].ln_missed(
                falling.share,
                inflow,
                falling.combinations,
            ),
        }
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
                [Marginal::Fixed(_), Marginal::Fixed(_)] => {
                    self.fixed(a, *field) == self.fixed(b, *field)
                }
                [Marginal::Fixed(one), _] | [_, Marginal::Fixed(one)] => drawable(*one),
                _ => true,
            }
        };
        !a.shape.unique && !b.shape.unique && self.equality.told.iter().all(agree)
    }

    /// How an origin's rows fall on a cell.
    fn cell(&self, of: &Selection<'_>, inflow: StepInflow, values: &[ValueShare]) -> InCell {
        if of.left.share() <= 0.0 {
            return InCell::default();
        }
        let falling = self.falling(of, values);
        let origin = &self.population.origins[of.origin];
        let missed = origin.ln_missed(falling.share, inflow, falling.combinations);
        let held = match falling.combinations < 1.0 {
            // Either one or none.
            true => -falling.reached * falling.combinations * libm::expm1(missed),
            false => -falling.reached * libm::expm1(falling.combinations * missed),
        };
        let on_time = inflow.stays * inflow.due;
        let rows = on_time + inflow.falls_back * inflow.due_later;
        let of_each = falling.share * rows / origin.combinations;
        let due = falling.reached * falling.combinations * of_each;
        InCell {
            held,
            due,
            reached: falling.reached * falling.combinations.min(1.0) * inflow.reached(),
            certain: match origin.history.regular && rows > 0.0 {
                true => falling.share * inflow.stays * on_time / rows,
                false => 0.0,
            },
        }
    }

    /// How an origin's rows fall on a cell.
    fn falling(&self, of: &Selection<'_>, values: &[ValueShare]) -> Falling {
        let marginals = &self.population.marginals;
        let origin = &self.population.origins[of.origin];
        let mut combinations = origin.combinations * of.part.combined / of.left.combined;
        let mut share = of.part.drawn / of.left.drawn / self.equality.draws;
        let mut reached = of.filled.share();
        for ((field, role), value) in self.told(of).zip(values) {
            match role {
                FieldRole::Single => {
                    reached *= match (self.fixed(of, field), value.known) {
                        (_, KnownValue::Any) => 1.0 / marginals.count(field),
                        (Some(_), KnownValue::Other) => 0.0,
                        (Some(own), KnownValue::Told(other)) if own != other => 0.0,
                        _ => 1.0,
                    }
                }
                FieldRole::Given => {}
                FieldRole::Even => combinations /= marginals.count(field),
                FieldRole::Combined => combinations *= value.share,
                FieldRole::Drawn => share *= value.share,
            }
        }
        Falling {
            combinations,
            share: share.min(1.0),
            reached,
        }
    }
}

/// Mean number of points in a window that holds one for certain, when points are evenly spaced and `mean` of them are expected in such a window.
fn size_biased(mean: f64) -> f64 {
    let (whole, part) = (mean.floor(), mean.fract());
    if mean <= 1.0 {
        return 1.0;
    }
    (whole * whole * (1.0 - part) + (whole + 1.0) * (whole + 1.0) * part) / mean
}
