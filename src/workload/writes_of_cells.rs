//! What the writes of a table leave of each cell: versions, or values one behind the other. Must not know keys.

use super::kept_writes::{InCell, kept_of};
use super::population::Population;
use super::row_count::{Part, RowCount};
use super::row_question::{Condition, RowEquality};
use super::row_shape::RowShape;
use super::spec::{Workload, WriteId, WriteKind};
use crate::time::SimTime;

impl Population {
    /// How many writes are kept of a row at an instant, where so many are at most: a mean, of writes that fall on cells as chance has it. As many as may be where
    /// two rows hardly ever share a cell. `target` is any record.
    pub fn versions_kept(
        &self,
        most: u32,
        equality: RowEquality<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let all = Condition::default();
        let shape = RowShape::of(self, all, equality);
        let mut count = RowCount::new((self, &shape), (all, equality), target, at);
        if !count.are_repeated() {
            return f64::from(most);
        }
        let rows = count.cells();
        count.versions = most;
        count.cells() / rows
    }

    /// How many writes are kept of all rows that satisfy a condition, so many of each at most, when `target` is known to be one of the writes.
    pub(super) fn writes_kept(
        &self,
        most: u32,
        (condition, equality): (Condition<'_>, RowEquality<'_>),
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let shape = RowShape::of(self, condition, equality);
        let mut count = RowCount::new((self, &shape), (condition, equality), target, at);
        if !count.are_repeated() {
            return count.every_write();
        }
        count.versions = most;
        let kept = count.cells();
        if !count.satisfied {
            return kept;
        }
        let own = count.selected.iter();
        let own = own.filter(|of| of.rows > 0.0 && count.can_hold_target(of));
        let rows: f64 = own.clone().map(|of| of.rows).sum();
        let all = |but: f64| {
            let cells = count.selected.iter().map(|of| count.targets_cell(of).cell);
            let all = cells.fold(InCell::default(), InCell::and);
            let due = (all.due - but).max(0.0);
            InCell { due, ..all }
        };
        let most = f64::from(most);
        // The target, and others of its cell beside it.
        let surplus = own.map(|of| {
            let others = match of.shape.unique {
                true => InCell::default(),
                false => all(count.targets_cell(of).cell.certain),
            };
            let without = match of.shape.unique {
                true => of.rows - of.others,
                false => kept_of(most, all(0.0)),
            };
            of.rows / rows * (1.0 + kept_of(most - 1.0, others) - without)
        });
        (kept + surplus.sum::<f64>()).max(1.0)
    }

    /// How many combinations have their turns, once in each period and anywhere in it, of all whose rows satisfy a condition; `None` where rows come
    /// otherwise.
    pub(super) fn turns_of(
        &self,
        condition: Condition<'_>,
        target: &[i64],
        at: SimTime,
    ) -> Option<f64> {
        let every_write = RowEquality::default();
        let shape = RowShape::of(self, condition, every_write);
        let count = RowCount::new((self, &shape), (condition, every_write), target, at);
        let mut some = count.selected.iter().filter(|of| of.rows > 0.0);
        let first = some.next()?;
        let origin = &self.origins[first.origin];
        let is_drawn = origin.each.is_empty() || first.part.drawn < 1.0;
        let are_turns = !is_drawn && origin.history.has_spread_turns();
        (are_turns && some.all(|of| count.continues(of, first)))
            .then_some(origin.combinations * first.part.combined)
    }

    /// With which probability each of the writes that could satisfy a condition does: those of combinations that take turns do for certain, but for the turn that begins
    /// or ends within a range of time, and of drawn rows as many as their share says.
    pub(super) fn certainty_of(
        &self,
        condition: Condition<'_>,
        target: &[i64],
        at: SimTime,
    ) -> f64 {
        let every_write = RowEquality::default();
        let shape = RowShape::of(self, condition, every_write);
        let count = RowCount::new((self, &shape), (condition, every_write), target, at);
        let certain = count.selected.iter().map(|of| {
            let (origin, Part { combined, drawn }) = (&self.origins[of.origin], of.part);
            match (origin.history.regular, origin.each.is_empty()) {
                (false, _) => 0.0,
                (true, true) => of.rows * combined * drawn,
                (true, false) => {
                    let combinations = origin.combinations * combined;
                    let turns = (of.rows / (combinations * drawn)).fract();
                    of.rows * drawn - combinations * drawn * drawn * turns * (1.0 - turns)
                }
            }
        });
        let rows: f64 = count.selected.iter().map(|of| of.rows).sum();
        match rows > 0.0 {
            true => (certain.sum::<f64>() / rows).clamp(0.0, 1.0),
            false => 1.0,
        }
    }

    /// What a row of a write that appends, of this workload, finds in its cell when it comes in the run: values of before the run, and of the run. Means, over
    /// the rows of that write until `end`: what is written often is met often. A put begins a value anew, and of two rows of the run each comes first as
    /// often as not. `target` is any record.
    pub fn values_found(
        &self,
        (workload, write): (&Workload, WriteId),
        equality: RowEquality<'_>,
        target: &[i64],
        end: SimTime,
    ) -> [f64; 2] {
        let all = Condition::default();
        let shape = RowShape::of(self, all, equality);
        let mut count = RowCount::new((self, &shape), (all, equality), target, end);
        let before = workload.existing.len();
        let origin = before + usize::from(write.0);
        let own = count.selected.iter().position(|of| of.origin == origin);
        let is_met = count.are_repeated();
        let is_met = |at: &usize| is_met && !count.selected[*at].shape.unique;
        let Some(own) = own.filter(is_met) else {
            return [0.0; 2];
        };
        let is_put = |origin: usize| {
            let write = match workload.existing.get(origin) {
                Some(rows) => rows.write,
                None => Some(WriteId((origin - before) as u8)),
            };
            let kind = write.map(|it| workload.writes[usize::from(it.0)].kind);
            kind.is_some_and(|kind| kind != WriteKind::Append)
        };
        let found = |involved: &[(usize, InCell)], is_of_run: usize| {
            // Appended and put, before the run and in it.
            let mut due = [[0.0; 2]; 2];
            for (at, here) in involved {
                let origin = count.selected[*at].origin;
                due[usize::from(origin >= before)][usize::from(is_put(origin))] += match *at == own
                {
                    // Of its own rows one is known to be there.
                    true => (here.due / here.reached - here.certain).max(0.0),
                    false => here.due,
                };
            }
            let [appended, put] = due[is_of_run];
            match is_of_run {
                0 => (appended + put) * since_put(put) * since_put(due[1][1]),
                _ => (appended + put) / 2.0 * since_put(put / 2.0),
            }
        };
        let rows = count.over_cells(own, true, &|involved| involved[0].1.due);
        [0, 1].map(|part| {
            let sum = count.over_cells(own, true, &|involved| match involved[0].1 {
                of if of.due > 0.0 => of.due * found(involved, part),
                _ => 0.0,
            });
            if rows > 0.0 { sum / rows } else { 0.0 }
        })
    }
}

/// The part of a time that has passed since the last of so many instants in it, of as many as are expected: all of it where there is none.
fn since_put(instants: f64) -> f64 {
    match instants > 0.0 {
        true => -libm::expm1(-instants) / instants,
        false => 1.0,
    }
}
