//! How many cells a whole table has at any instant, from few instants at which they are counted: straight lines between these, as far as they hold. Must not
//! know how cells are counted.

use super::row_question::{RowEquality, Turns};
use crate::record::{FieldId, ValueGroups};
use crate::time::{SimDuration, SimTime};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Parts of the run that are looked at apart from each other, and how often one is halved at most.
const PARTS: u64 = 8;
const HALVINGS: u32 = 3;

/// Places in a stretch, as parts of it, at which a straight line is compared with what is counted: at no even distances, which what comes at regular
/// intervals may meet.
const COMPARED: [f64; 3] = [0.191, 0.5, 0.764];

/// Greatest relative distance of the line there: half of what numbers of rows leave out anyway (`REPEATED_MAX`). Rows that fall together within a second make
/// steps of about a tenth of it.
const STRAIGHT: f64 = 5e-4;

/// Numbers of cells under one equality of records. What is found at an instant doesn't follow from what was asked before.
#[derive(Debug)]
pub(super) struct CellsOverTime {
    of: OfAll,
    duration: SimDuration,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// By nanoseconds since the start.
    known: BTreeMap<u64, f64>,
    /// Whether a line holds from an instant on for so long.
    straight: BTreeMap<(u64, u64), bool>,
}

/// What cells depend on besides the instant.
#[derive(Debug)]
struct OfAll {
    told: Vec<FieldId>,
    groups: Vec<Arc<ValueGroups>>,
    changing: Vec<FieldId>,
    steps: Steps,
    draws: f64,
    turns: Turns,
}

/// A timestamp in steps: where one begins within the first so many slots, and their length.
type Steps = Option<(FieldId, i64, i64)>;

fn steps(of: RowEquality<'_>) -> Steps {
    let (field, low, high) = of.step?;
    let slots = high.saturating_sub(low).max(1);
    Some((field, low.rem_euclid(slots), slots))
}

impl CellsOverTime {
    pub fn new(of: RowEquality<'_>, duration: SimDuration) -> Self {
        Self {
            of: OfAll {
                told: of.told.to_vec(),
                groups: of.groups.to_vec(),
                changing: of.changing.to_vec(),
                steps: steps(of),
                draws: of.draws,
                turns: of.turns,
            },
            duration,
            found: Mutex::default(),
        }
    }

    pub fn is_of(&self, of: RowEquality<'_>) -> bool {
        let (own, mut groups) = (&self.of, self.of.groups.iter().zip(of.groups));
        own.told == of.told
            && own.changing == of.changing
            && own.groups.len() == of.groups.len()
            && groups.all(|(a, b)| Arc::ptr_eq(a, b))
            && (own.steps, own.draws, own.turns) == (steps(of), of.draws, of.turns)
    }

    /// The number at an instant; `count` counts it at any. At most 285 instants are counted in all, besides those around which no line holds.
    pub fn at(&self, at: SimTime, count: &mut impl FnMut(SimTime) -> f64) -> f64 {
        let nanos = at.as_nanos();
        let part = self.duration.as_nanos().div_ceil(PARTS).max(1);
        if nanos >= part * PARTS {
            return count(at);
        }
        let (mut from, mut length) = (nanos / part * part, part);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..=HALVINGS {
            if found.is_straight(from, length, count) {
                let [first, last] = [from, from + length].map(|end| found.known[&end]);
                return line(first, last, (nanos - from) as f64 / length as f64);
            }
            let half = length / 2;
            (from, length) = match nanos >= from + half {
                true => (from + half, length - half),
                false => (from, half),
            };
        }
        drop(found);
        count(at)
    }
}

impl Found {
    fn is_straight(
        &mut self,
        from: u64,
        length: u64,
        count: &mut impl FnMut(SimTime) -> f64,
    ) -> bool {
        if let Some(known) = self.straight.get(&(from, length)) {
            return *known;
        }
        let mut at = |nanos: u64| {
            let known = self.known.entry(nanos);
            *known.or_insert_with(|| count(SimTime::from_nanos(nanos)))
        };
        let [first, last] = [from, from + length].map(&mut at);
        let is_near = |part: &f64| {
            let counted = count(SimTime::from_nanos(from + (part * length as f64) as u64));
            (line(first, last, *part) - counted).abs() <= STRAIGHT * counted
        };
        let holds = COMPARED.iter().all(is_near);
        self.straight.insert((from, length), holds);
        holds
    }
}

fn line(first: f64, last: f64, part: f64) -> f64 {
    first + (last - first) * part
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn found(cells: fn(f64) -> f64) -> (f64, usize) {
        let duration = SimDuration::from_millis(8_000);
        let over_time = CellsOverTime::new(RowEquality::default(), duration);
        let counted = Cell::new(0);
        let mut count = |at: SimTime| {
            counted.set(counted.get() + 1);
            cells(at.as_secs_f64())
        };
        // 997 instants at no even distances from any other.
        let instants = (0..997_u64).map(|k| SimTime::from_nanos(k * 7_919_993 % 8_000_000_000));
        let off = instants.map(|at| {
            let exact = cells(at.as_secs_f64());
            (over_time.at(at, &mut count) / exact - 1.0).abs()
        });
        (off.fold(0.0, f64::max), counted.get())
    }

    #[test]
    fn cells_that_fill_up_are_counted_at_few_instants() {
        let (off, counted) = found(|t| 1e6 * (1.0 + 0.3 * (1.0 - (-t / 4.0).exp())));
        // The curve is bent by 0.3e6 / 16 = 18,750 a square second and less: over a second it is off a line by an eighth of that, 2,344, and over a quarter by
        // 146, a part of 1.4e-4. So three halvings are more than enough: at most 8 x (1 + 2 + 4) stretches, each compared at three places.
        assert!(off <= 1.05 * STRAIGHT, "{off}");
        assert!(counted <= 33 + 3 * 8 * 7, "{counted}");
    }

    #[test]
    fn a_sudden_growth_is_seen_where_it_comes() {
        // All rows of a second come in its first twentieth.
        let (off, _) = found(|t| 1e5 + 1e4 * (t.floor() + (t.fract() * 20.0).min(1.0)));
        assert!(off <= STRAIGHT, "{off}");
    }
}
