//! What a count of rows depends on beside values and times: of each origin, what the fields that are asked for and told have to do with its rows. Must
//! not know values.

use super::marginals::{GroupShares, Marginal, ValueClasses};
use super::population::Population;
use super::row_history::{RowHistory, RowOrigin, Window};
use super::row_question::{Condition, Item, RowEquality, ToldField, items};
use super::values_together::ValuesTogether;
use crate::record::{FieldId, ValueGroups};
use crate::time::SimTime;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a told field has to do with which cell a row falls on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FieldRole {
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

/// How a part of the condition leaves some of the told fields' values only.
#[derive(Debug, Clone, Copy)]
pub(super) enum Narrowing {
    /// Other told fields decide its field.
    Follows,
    /// Its field is told: a range of it is asked for.
    Told,
}

/// The timestamp that tells an origin's rows apart.
#[derive(Debug, Clone, Copy)]
pub(super) enum Telling {
    Nothing,
    /// One of the told fields.
    Slots(FieldId),
    /// Another, by its steps.
    Steps,
}

/// Told fields whose values go together, and the parts of the condition, by their numbers, on fields that go with them.
#[derive(Debug)]
pub(super) struct Together {
    pub values: Arc<ValuesTogether>,
    pub asked: SmallVec<[usize; 4]>,
    /// One of these is on a field that changes from write to write of a row: all are asked of the newest one.
    pub is_changing: bool,
    pub combined: bool,
    /// The share of what single values were asked for, and their classes, by their place.
    pub classes: RefCell<BTreeMap<usize, (f64, ValueClasses)>>,
}

/// One origin's part of a shape.
#[derive(Debug)]
pub(super) struct OriginShape {
    /// Of the told fields, in their order.
    pub roles: SmallVec<[FieldRole; 8]>,
    pub step: Telling,
    /// Most rows of one slot of a told timestamp.
    pub densest: f64,
    /// No two rows agree.
    pub unique: bool,
    /// No part of the condition may leave some of the told values only.
    pub keeps_values: bool,
    /// The condition and what is told decide the field that rows are sorted by.
    pub tells_order: bool,
    /// Parts of the condition that may, by their numbers, and whether their fields are combined.
    pub narrowings: Vec<(usize, bool, Narrowing)>,
    /// Told fields whose values go together: the first has their values in a cell, and decides the others'.
    pub together: SmallVec<[Together; 1]>,
    /// Of told fields of which groups of values are told.
    grouped: SmallVec<[Arc<GroupShares>; 1]>,
    /// The window and the instant that were asked of last, and the rows there.
    last: Cell<Option<(Window, SimTime, f64)>>,
}

/// The shape of a question.
#[derive(Debug)]
pub(super) struct RowShape {
    /// Fields of which one slot is asked for, and those of ranges with whether it is one.
    equal: SmallVec<[FieldId; 4]>,
    between: SmallVec<[(FieldId, bool); 2]>,
    alike: SmallVec<[Arc<ValueGroups>; 1]>,
    told: SmallVec<[FieldId; 4]>,
    changing: SmallVec<[FieldId; 4]>,
    groups: SmallVec<[Arc<ValueGroups>; 1]>,
    step: Option<FieldId>,
    is_unique: bool,
    /// Each part of the condition asks for one slot of a field that the rows of all origins draw by its law, and none of them are sorted.
    pub is_drawn: bool,
    /// No two rows that satisfy the condition tell different values of fields.
    pub fixes_told: bool,
    /// Of all origins.
    pub origins: Vec<OriginShape>,
}

fn range(&(field, low, high): &(FieldId, i64, i64)) -> (FieldId, bool) {
    (field, high == low.saturating_add(1))
}

impl RowShape {
    /// The shape of a question about the rows of a table.
    pub(super) fn of(
        population: &Population,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
    ) -> Self {
        let origins = 0..population.origins.len();
        let is_drawn = |field: FieldId, origin: usize| {
            let marginal = population.marginals.of(origin, field);
            matches!(marginal, Marginal::Own { combined: false })
        };
        let mut all = population.origins.iter();
        let are_sorted = all.any(|origin| origin.sorted_by.is_some());
        let mut asked = items(condition);
        // Rows of several that count the same numbers, each from the first, are not apart.
        let from_first = |&(at, origin): &(usize, &RowOrigin), field: FieldId| {
            let marginal = population.marginals.of(at, field);
            origin.sequence == 0 && matches!(marginal, Marginal::Number { .. })
        };
        let are_shared = equality.told.iter().any(|field| {
            let all = population.origins.iter().enumerate();
            all.filter(|of| from_first(of, *field)).count() > 1
        });
        let is_drawn = !are_sorted
            && !are_shared
            && asked.all(|item| {
                item.is_single() && origins.clone().all(|origin| is_drawn(item.field, origin))
            });
        let mut told = equality.told.iter();
        let equal = condition.equal.iter();
        let is_given = |field: &FieldId| equal.clone().any(|(known, _)| known == field);
        Self {
            is_drawn,
            fixes_told: told.all(is_given),
            equal: condition.equal.iter().map(|(field, _)| *field).collect(),
            between: condition.between.iter().map(range).collect(),
            alike: condition.alike.iter().map(|(of, _)| of.clone()).collect(),
            told: equality.told.into(),
            changing: equality.changing.into(),
            groups: equality.groups.into(),
            step: equality.step.map(|(field, ..)| field),
            is_unique: equality.draws.is_infinite(),
            origins: origins
                .map(|origin| OriginShape::of(population, origin, condition, equality))
                .collect(),
        }
    }

    /// A question has this shape.
    pub(super) fn is_of(&self, condition: Condition<'_>, equality: RowEquality<'_>) -> bool {
        let mut groups = self.groups.iter().zip(equality.groups);
        self.told[..] == *equality.told
            && self.changing[..] == *equality.changing
            && self.groups.len() == equality.groups.len()
            && groups.all(|(a, b)| Arc::ptr_eq(a, b))
            && self.step == equality.step.map(|(field, ..)| field)
            && self.is_unique == equality.draws.is_infinite()
            && (self.equal.len(), self.between.len())
                == (condition.equal.len(), condition.between.len())
            && (self.alike.iter().map(Arc::as_ptr))
                .eq(condition.alike.iter().map(|(of, _)| Arc::as_ptr(of)))
            && self
                .equal
                .iter()
                .zip(condition.equal)
                .all(|(known, (field, _))| known == field)
            && self
                .between
                .iter()
                .zip(condition.between)
                .all(|(known, it)| *known == range(it))
    }
}

impl OriginShape {
    /// The shares of the groups of a field's values that are told.
    pub(super) fn grouped(&self, field: FieldId) -> Option<&GroupShares> {
        let mut grouped = self.grouped.iter();
        grouped.find(|it| it.groups.field == field).map(|it| &**it)
    }

    /// The `nth` part of a condition is asked of the newest writes of cells that others fall on as well.
    pub(super) fn is_of_newest(&self, nth: usize) -> bool {
        let mut together = self.together.iter();
        together.any(|it| it.is_changing && it.asked.contains(&nth))
    }

    /// Rows of the origin that lie in a window at an instant.
    pub(super) fn present(&self, window: Window, at: SimTime, history: &RowHistory) -> f64 {
        if window.carried.is_none() && window.numbers.is_none() {
            return history.rows_in(window, at);
        }
        if let Some((_, _, rows)) = self.last.get().filter(|it| (it.0, it.1) == (window, at)) {
            return rows;
        }
        let rows = history.rows_in(window, at);
        self.last.set(Some((window, at, rows)));
        rows
    }

    fn of(
        population: &Population,
        at: usize,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
    ) -> Self {
        let (marginals, told) = (&population.marginals, equality.told);
        let schema = marginals.generator.schema();
        let counted = |field: FieldId| schema.field(field).count();
        let is_told = |field: FieldId| told.contains(&field);
        let grouped = equality.groups.iter();
        let is_grouped = |field: FieldId| grouped.clone().any(|it| it.field == field);
        let given = |field: FieldId| {
            let mut items = items(condition);
            items.any(|item| item.field == field && item.is_single())
        };
        let stays = |field: FieldId| !equality.changing.contains(&field);
        let is_known =
            |field: FieldId| given(field) && stays(field) || is_told(field) && !is_grouped(field);
        let is_decided = |field: &FieldId| grouped.clone().any(|it| it.decides.contains(field));
        let is_known = |field: FieldId| is_known(field) || is_decided(&field);
        let follows = |field: FieldId| {
            let of_others = matches!(marginals.of(at, field), Marginal::OfOthers { .. });
            of_others && is_decided(&field) || marginals.follows(at, field, &is_known)
        };
        let is_instant =
            |field: &FieldId| matches!(marginals.of(at, *field), Marginal::Instant { .. });
        let sorted_by = population.origins[at].sorted_by;
        let mut shape = Self {
            roles: SmallVec::new(),
            step: Telling::Nothing,
            densest: f64::INFINITY,
            unique: equality.draws.is_infinite(),
            keeps_values: true,
            tells_order: sorted_by.is_some_and(|field| is_known(field) || follows(field)),
            narrowings: Vec::new(),
            together: SmallVec::new(),
            grouped: grouped
                .clone()
                .map(|it| marginals.grouped(at, it))
                .collect(),
            last: Cell::new(None),
        };
        if let Some(field) = told.iter().rev().find(|field| is_instant(field)) {
            shape.step = Telling::Slots(*field);
            if let Marginal::Instant { unit, .. } = marginals.of(at, *field) {
                let history = &population.origins[at].history;
                shape.densest = history.densest(unit.nanos() as f64);
            }
        } else if equality.step.is_some_and(|(field, ..)| is_instant(&field)) {
            shape.step = Telling::Steps;
        }
        for &field in told {
            shape.roles.push(match marginals.of(at, field) {
                Marginal::Fixed(_) => FieldRole::Single,
                Marginal::Instant { .. } => FieldRole::Given,
                Marginal::OfOthers { .. } if follows(field) => FieldRole::Single,
                _ if counted(field).is_none() => {
                    shape.unique = true;
                    FieldRole::Given
                }
                _ if given(field) => FieldRole::Given,
                Marginal::Own { combined: true } if !is_grouped(field) => FieldRole::Even,
                Marginal::Own { combined: true } => FieldRole::Combined,
                Marginal::OfOthers { combined: true, .. } => FieldRole::Combined,
                _ => FieldRole::Drawn,
            });
        }
        shape.join(population, at, condition, equality);
        for (nth, item) in items(condition).enumerate() {
            let (Marginal::Own { combined } | Marginal::OfOthers { combined, .. }) =
                marginals.of(at, item.field)
            else {
                continue;
            };
            let is_of_others = matches!(marginals.of(at, item.field), Marginal::OfOthers { .. });
            shape.keeps_values &= item.is_single() && !is_of_others;
            let mut together = shape.together.iter();
            if !is_of_others && counted(item.field).is_none()
                || together.any(|it| it.asked.contains(&nth))
            {
                continue;
            }
            // What each write of a cell may have another value of follows only as far as its group does.
            if follows(item.field) && (stays(item.field) || item.groups.is_some()) {
                shape.narrowings.push((nth, *combined, Narrowing::Follows));
            } else if is_told(item.field) && !item.is_single() {
                shape.narrowings.push((nth, *combined, Narrowing::Told));
            }
        }
        shape
    }

    /// Finds told fields that the same things decide, in the rows of all origins alike.
    fn join(
        &mut self,
        population: &Population,
        at: usize,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
    ) {
        let marginals = &population.marginals;
        let marginal = |origin, field| match marginals.of(origin, field) {
            Marginal::Own { combined } => Some((false, *combined)),
            Marginal::OfOthers { combined, .. } => Some((true, *combined)),
            _ => None,
        };
        let comes_by = |origin, field| (marginal(origin, field), marginals.deciders(origin, field));
        // Whether they are combined or drawn, the same things decide them.
        let goes_by = |origin, field| {
            let (marginal, deciders) = comes_by(origin, field);
            (marginal.map(|it| it.0), deciders)
        };
        let is_asked = |item: &Item, roots: &[FieldId]| {
            let mut own = marginals.deciders(at, item.field).into_iter();
            own.any(|root| roots.contains(&root))
        };
        let changes = |item: &Item| equality.changing.contains(&item.field);
        let is_changing = |roots: &[FieldId]| {
            let mut asked = items(condition).filter(|it| is_asked(it, roots));
            marginals.are_of_file(roots) && asked.any(|it| changes(&it))
        };
        let mut joined: Vec<(Vec<FieldId>, bool, Vec<ToldField>)> = Vec::new();
        for (&field, role) in equality.told.iter().zip(&self.roles) {
            let mut origins = 0..population.origins.len();
            let groups = equality.groups.iter().find(|it| it.field == field);
            let (Some((_, combined)), mut roots) = comes_by(at, field) else {
                continue;
            };
            let is_open = match role {
                FieldRole::Single => false,
                FieldRole::Given => is_changing(&roots),
                _ => true,
            };
            if !is_open
                || groups.is_some_and(|it| !it.are_known())
                || origins.any(|other| goes_by(other, field) != goes_by(at, field))
            {
                continue;
            }
            // What several told fields decide together has a part of their combinations.
            let decided = items(condition).filter(|item| !changes(item));
            let decided = decided.filter(|it| marginal(at, it.field).is_some_and(|it| it.0));
            let deciders = decided.map(|item| marginals.deciders(at, item.field));
            let with_own = deciders.filter(|all| all.iter().any(|root| roots.contains(root)));
            let with_own: Vec<FieldId> = with_own.flatten().collect();
            roots.extend(with_own);
            roots.sort_unstable();
            roots.dedup();
            let (mut told, own) = (vec![(field, groups.cloned())], roots.clone());
            joined.retain_mut(|(others, with, fields)| {
                let meets = *with == combined && roots.iter().any(|root| others.contains(root));
                if meets {
                    roots.extend(others.iter().filter(|it| !own.contains(it)));
                    told.append(fields);
                }
                !meets
            });
            joined.push((roots, combined, told));
        }
        let of_roots: Vec<Vec<FieldId>> = joined.iter().map(|it| it.0.clone()).collect();
        for (roots, combined, told) in joined {
            let has = |field: FieldId| told.iter().any(|it| it.0 == field);
            let is_changing = is_changing(&roots);
            let asked = items(condition).enumerate();
            let asked = asked.filter(|(_, item)| is_asked(item, &roots));
            // Else all writes of a row count that has other values.
            let asked = asked.filter(|it| is_changing || !changes(&it.1));
            let beside = asked
                .clone()
                .map(|(_, item)| (item.field, item.groups.cloned()));
            let beside = beside.filter(|(id, groups)| is_changing || groups.is_some() || !has(*id));
            let beside: Vec<ToldField> = beside.collect();
            let asked: SmallVec<[usize; 4]> = asked.map(|(nth, _)| nth).collect();
            let depends = |field| marginal(at, field) == Some((true, combined));
            let depend = told.iter().any(|it| depends(it.0));
            // Where what is told decides what is asked for, only some of its values have it, and each has all of its rows there.
            let parts = of_roots.iter();
            let parts = parts.filter(|all| all.iter().any(|root| roots.contains(root)));
            let is_whole = parts.count() == 1;
            let decide = is_whole
                && beside.iter().any(|(field, _)| {
                    let mut origins = 0..population.origins.len();
                    depends(*field) && origins.all(|it| goes_by(it, *field) == goes_by(at, *field))
                });
            // One field by itself has its values in a table, unless they are too many.
            let is_one = told.len() + beside.len() < 2
                && (asked.is_empty() || !is_changing && told[0].1.is_none());
            let is_column = |field| marginals.generator.schema().field(field).column.is_some();
            let is_in_table = |field| is_column(field) || marginals.countable(at, field).is_some();
            if !depend && !decide || is_one && is_in_table(told[0].0) {
                continue;
            }
            let Some(values) = population.together(at, &told, &beside) else {
                continue;
            };
            if !depend && !values.are_listed() {
                continue;
            }
            for (field, role) in equality.told.iter().zip(&mut self.roles) {
                *role = match (has(*field), *field == values.first(), combined) {
                    (false, ..) => *role,
                    (_, false, _) => FieldRole::Single,
                    (.., true) => FieldRole::Combined,
                    (.., false) => FieldRole::Drawn,
                };
            }
            self.together.push(Together {
                values,
                is_changing,
                asked,
                combined,
                classes: RefCell::default(),
            });
        }
    }
}
