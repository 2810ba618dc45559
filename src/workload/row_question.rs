//! What is asked of the rows of a table: which of them, and what makes two of them the same. Must not know the table.

use crate::record::{FieldId, ValueGroups};
use crate::time::SimTime;
use std::fmt;
use std::sync::Arc;

/// What rows must be like; all parts together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Condition<'a> {
    /// Fields with exactly these slots.
    pub equal: &'a [(FieldId, i64)],
    /// Fields (numbers) whose slots lie in `low..high`.
    pub between: &'a [(FieldId, i64, i64)],
    /// Fields with any value of one of these groups.
    pub alike: &'a [(Arc<ValueGroups>, u32)],
}

/// What makes two records the same row: records that agree in all of it have the same key, and the later overwrites the earlier.
#[derive(Debug, Clone, Copy)]
pub struct RowEquality<'a> {
    /// Fields whose values the key tells.
    pub told: &'a [FieldId],
    /// Of some of these it tells groups of values only.
    pub groups: &'a [Arc<ValueGroups>],
    /// Fields that each write of a row has another value of: rows have those of their newest write. Of others, and where none are named, any write counts.
    pub changing: &'a [FieldId],
    /// A timestamp of which the key tells a step only (a day): the slots `low..high` of one step; all are taken to be as long.
    pub step: Option<(FieldId, i64, i64)>,
    /// Equally likely values of what the key draws for each write: 1 without draws, infinite when no two are alike.
    pub draws: f64,
    /// Values of what it makes of time or of numbers, which rows that come one after another take in turn.
    pub turns: Turns,
}

/// Values that rows which come one after another take in turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turns {
    /// How many there are; 1 without any.
    pub values: f64,
    /// They follow from the rows' numbers, of which so many in a row have the same one; `None` where they follow from time.
    pub run: Option<f64>,
}

impl Default for Turns {
    fn default() -> Self {
        Self::NONE
    }
}

impl Turns {
    pub const NONE: Self = Self {
        values: 1.0,
        run: None,
    };

    /// How many of the values so many rows with numbers in a row have, wherever these begin.
    pub(super) fn taken_by(self, rows: f64) -> f64 {
        let runs = self
            .run
            .map_or(f64::INFINITY, |run| 1.0 + (rows - 1.0).max(0.0) / run);
        self.values.min(runs)
    }
}

impl RowEquality<'_> {
    /// The condition is on what only the newest write of a row has.
    pub(super) fn is_of_newest(&self, condition: Condition<'_>) -> bool {
        items(condition).any(|item| self.changing.contains(&item.field))
    }

    /// Writes of a row may differ in what is asked for, unless it is a group that what is told decides.
    pub(super) fn may_change(&self, item: Item<'_>) -> bool {
        let mut groups = self.groups.iter();
        self.changing.contains(&item.field)
            && !(item.groups.is_some() && groups.any(|it| it.decides.contains(&item.field)))
    }

    /// What the key tells of a told field: its value, or the number of the group that holds it.
    pub(super) fn told_of(&self, field: FieldId, slot: i64) -> i64 {
        let mut groups = self.groups.iter();
        let group = groups
            .find(|it| it.field == field)
            .and_then(|it| it.of(slot));
        group.map_or(slot, i64::from)
    }
}

impl Default for RowEquality<'_> {
    fn default() -> Self {
        Self {
            told: &[],
            groups: &[],
            changing: &[],
            step: None,
            draws: 1.0,
            turns: Turns::NONE,
        }
    }
}

/// One field's part of a condition: slots `low..high`, or the values of groups with such numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'a> {
    pub field: FieldId,
    pub low: i64,
    pub high: i64,
    pub groups: Option<&'a Arc<ValueGroups>>,
}

impl Item<'_> {
    pub fn of((field, low, high): (FieldId, i64, i64)) -> Self {
        Self {
            field,
            low,
            high,
            groups: None,
        }
    }

    pub fn slots(self) -> (i64, i64) {
        (self.low, self.high)
    }

    /// One slot is asked for.
    pub fn is_single(self) -> bool {
        self.groups.is_none() && self.high == self.low.saturating_add(1)
    }

    /// It is asked for this slot of the field.
    pub fn has(self, slot: i64) -> bool {
        let it = match self.groups {
            Some(groups) => groups.of(slot).map(i64::from),
            None => Some(slot),
        };
        it.is_some_and(|it| (self.low..self.high).contains(&it))
    }

    pub fn holds(self, record: &[i64]) -> bool {
        self.has(record[usize::from(self.field.0)])
    }
}

/// The parts of a condition.
pub(super) fn items<'a>(condition: Condition<'a>) -> impl Iterator<Item = Item<'a>> + Clone {
    let equal = condition.equal.iter();
    let equal = equal.map(|(field, slot)| (*field, *slot, slot.saturating_add(1)));
    let all = equal.chain(condition.between.iter().copied());
    let alike = condition.alike.iter().map(|(groups, at)| Item {
        groups: Some(groups),
        ..Item::of((groups.field, i64::from(*at), i64::from(*at) + 1))
    });
    all.map(Item::of).chain(alike)
}

impl<'a> Condition<'a> {
    /// Of single values and ranges of fields.
    pub fn of(equal: &'a [(FieldId, i64)], between: &'a [(FieldId, i64, i64)]) -> Self {
        Self {
            equal,
            between,
            alike: &[],
        }
    }

    /// `target` satisfies it, and whatever else does is the same row.
    pub(super) fn leaves_only(&self, target: &[i64], equality: RowEquality<'_>) -> bool {
        let fixed = |field: &FieldId| self.equal.iter().any(|(known, _)| known == field);
        let within = |(field, low, high)| {
            let inside =
                |other: &(FieldId, i64, i64)| other.0 == field && other.1 >= low && other.2 <= high;
            fixed(&field) || self.between.iter().any(inside)
        };
        equality.draws * equality.turns.values == 1.0
            && equality.told.iter().all(fixed)
            && equality.step.is_none_or(within)
            && items(*self).all(|item| item.holds(target))
    }
}

/// A told field, and the groups of its values, where only these are told.
pub type ToldField = (FieldId, Option<Arc<ValueGroups>>);

/// What is made of a record, and what is known of this one.
#[derive(Clone, Copy)]
pub struct Recipe<'a> {
    /// Tells it from all else that is made of records of the table.
    pub name: &'a str,
    /// The fields that it is made of.
    pub fields: &'a [FieldId],
    /// Fields that are known, or groups of their values.
    pub given: &'a [ToldField],
    /// A known step of time: all are as long as this one.
    pub step: Option<(FieldId, i64, i64)>,
    /// Appends what is made of a record.
    pub write: &'a dyn Fn(&[i64], &mut Vec<u8>),
}

impl fmt::Debug for Recipe<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} given {:?}, {:?}", self.name, self.given, self.step)
    }
}

/// Values that are about equally likely: which part of all records has one of them, and how many equally likely ones there would be if all were as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MadeClass {
    pub part: f64,
    pub draws: f64,
}

/// Numbers of rows of a table: from laws ([`super::Population`]), or from rows held in memory.
pub trait RowCounts {
    /// Expected number of rows that satisfy `condition` at an instant, those that are equal counted once, when `target` is known to be one of the writes.
    fn distinct(
        &self,
        condition: Condition<'_>,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64;

    /// The same of all writes, the same row or not.
    fn writes(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64 {
        let each = RowEquality {
            draws: f64::INFINITY,
            ..RowEquality::default()
        };
        self.distinct(condition, each, target, at)
    }

    /// The writes of such rows, the newest of each, so many at most.
    fn kept(
        &self,
        _most: u32,
        (condition, equality): (Condition<'_>, RowEquality<'_>),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        self.distinct(condition, equality, target, at)
    }

    /// How many of those who write such rows take turns in each period, at instants of their own; `None` where rows come otherwise.
    fn turns(&self, _condition: Condition<'_>, _target: &[i64], _at: SimTime) -> Option<f64> {
        None
    }

    /// With which probability each of the writes that could satisfy a condition does: 1 where their number is known, 0 where any of a great many may.
    fn certainty(&self, _condition: Condition<'_>, _target: &[i64], _at: SimTime) -> f64 {
        1.0
    }

    /// Do all rows have the value of a field that is drawn for those of other fields?
    fn follow(&self, _field: FieldId) -> bool {
        true
    }

    /// Rows of several origins come to values of any of these fields otherwise, so that there may be more rows with a value of it at some times than at others.
    fn differ_in(&self, _fields: &[FieldId]) -> bool {
        false
    }

    /// Classes of the values of what is made of several fields, given what is known of them; `None` where nobody knows.
    fn made(&self, _recipe: Recipe<'_>) -> Option<Arc<[MadeClass]>> {
        None
    }

    /// Asks for what rows with values of a field are counted by, where that is in a table.
    fn prefetch(&self, _field: FieldId, _slots: &[i64]) {}
}
