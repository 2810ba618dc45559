//! How many rows of the table satisfy a condition: from the fields' laws and the history, for tables of any size. Must not know
//! keys, nor hold rows, nor tell which of them are the same.

use super::Workload;
use super::marginals::{Marginal, Marginals, Of};
use super::row_history::{RowOrigin, Window, both};
use crate::record::{FieldId, RecordGenerator, TimeUnit};
use crate::time::{EpochNanos, SimTime};
use std::sync::Arc;

/// What rows must be like; all parts together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Condition<'a> {
    /// Fields with exactly these slots.
    pub equal: &'a [(FieldId, i64)],
    /// Fields (numbers) whose slots lie in `low..high`.
    pub between: &'a [(FieldId, i64, i64)],
}

/// The rows of the table at any instant of the run, as laws.
///
/// A row here is one operation of a write, or one row of an `[existing]` table. Whether a later one overwrites an earlier is the key's matter:
/// [`Population::distinct`] takes what the key tells them apart by. Counts are
/// expectations over what a replicate leaves open (which operation drew which value) given what it has decided (which value has which rank, which value
/// of a dependent field belongs to which of its parents): independent fields multiply, dependent ones follow their parents, combinations of `each` exist
/// exactly once, or once a period.
#[derive(Debug, Clone)]
pub struct Population {
    start: EpochNanos,
    pub(super) origins: Vec<RowOrigin>,
    pub(super) marginals: Marginals,
}

/// One question, and what it selects of each origin; everything that counts it is found once.
#[derive(Debug)]
pub(super) struct CountQuery<'a> {
    pub(super) population: &'a Population,
    pub(super) condition: Condition<'a>,
    pub(super) target: &'a [i64],
    pub(super) at: SimTime,
    /// The target satisfies the condition.
    pub(super) satisfied: bool,
    /// Of each origin; `None` where none of its rows can satisfy the condition.
    pub(super) selected: Vec<Option<Selection<'a>>>,
}

/// The rows of an origin that satisfy a condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selection<'a> {
    /// Their times and numbers.
    pub(super) window: Window<'a>,
    /// Of the origin's rows, those of the combinations and of the drawn values that are asked for.
    pub(super) part: Part,
    /// Expected rows.
    pub(super) rows: f64,
    /// Expected other rows when one is known to be there.
    pub(super) others: f64,
}

/// A part of an origin: a share of its combinations, and a share of the rows of each by what is drawn for them.
#[derive(Debug, Clone, Copy)]
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

impl Population {
    /// Prepares the laws; what takes a pass over values is computed when it is first asked for.
    pub fn new(workload: &Workload, generator: &Arc<RecordGenerator>) -> Self {
        let origins = RowOrigin::all(workload, generator.schema());
        Self {
            marginals: Marginals::new(&origins, generator),
            origins,
            start: workload.start,
        }
    }

    /// Rows of the table at an instant: the existing ones and those written so far.
    pub fn rows(&self, at: SimTime) -> f64 {
        let rows = self.origins.iter().map(|origin| origin.history.rows(at));
        rows.sum()
    }

    /// Nanoseconds from the start of the run to the start of a timestamp's slot.
    pub(super) fn nanos(&self, unit: TimeUnit, slot: i64) -> f64 {
        let nanos = i128::from(slot) * i128::from(unit.nanos());
        (nanos - i128::from(self.start.0)) as f64
    }
}

impl<'a> CountQuery<'a> {
    pub(super) fn new(
        population: &'a Population,
        condition: Condition<'a>,
        target: &'a [i64],
        at: SimTime,
    ) -> Self {
        let mut query = Self {
            population,
            condition,
            target,
            at,
            satisfied: items(condition).all(|item| item.holds(target)),
            selected: Vec::new(),
        };
        let origins = 0..population.origins.len();
        query.selected = origins.map(|origin| query.select(origin)).collect();
        query
    }

    /// Expected rows of all origins, as if nothing were known of the target.
    pub(super) fn written(&self) -> f64 {
        self.selected.iter().flatten().map(|of| of.rows).sum()
    }

    /// Expected rows, of which the target is one if it satisfies the condition.
    pub(super) fn rows(&self) -> f64 {
        let rows = self.written();
        if !self.satisfied {
            return rows;
        }
        if rows <= 0.0 {
            return 1.0;
        }
        // The target comes from an origin with the probability of the origin's share of such rows.
        let selected = self.selected.iter().flatten();
        let surplus = selected.map(|of| of.rows / rows * (1.0 + of.others - of.rows));
        (rows + surplus.sum::<f64>()).max(1.0)
    }

    fn select(&self, at: usize) -> Option<Selection<'a>> {
        let (population, origin) = (self.population, &self.population.origins[at]);
        let mut window = Window::default();
        let mut part = Part::ALL;
        for (nth, item) in items(self.condition).enumerate() {
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
            window,
            part,
            rows,
            others,
        })
    }

    /// The share of an origin's rows, or of the combinations of its values, that satisfy the `nth` part of the condition, on a dependent field, given the
    /// parts that come before it.
    pub(super) fn dependent(&self, at: usize, nth: usize, item: Item, of: Of) -> f64 {
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
        let related = |other: &Item| {
            let of = marginals.roots(at, other.field);
            origins[at].fixed_slot(other.field).is_none()
                && (roots.contains(&other.field) || of.iter().any(|root| roots.contains(root)))
        };
        let before = items(self.condition).take(nth).filter(related);
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
}

/// One field's part of a condition: slots `low..high`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) field: FieldId,
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Item {
    pub(super) fn slots(self) -> (i64, i64) {
        (self.low, self.high)
    }

    pub(super) fn holds(self, record: &[i64]) -> bool {
        (self.low..self.high).contains(&record[usize::from(self.field.0)])
    }
}

pub(super) fn items<'a>(condition: Condition<'a>) -> impl Iterator<Item = Item> + Clone + 'a {
    let item = |(field, low, high)| Item { field, low, high };
    let equal = condition.equal.iter();
    let equal = equal.map(|(field, slot)| (*field, *slot, slot.saturating_add(1)));
    let all = equal.chain(condition.between.iter().copied());
    all.map(item)
}

/// Mean number of points in a window that holds one for certain, when points are evenly spaced and `mean` of them are expected in such a window.
fn size_biased(mean: f64) -> f64 {
    let (whole, part) = (mean.floor(), mean.fract());
    if mean <= 1.0 {
        return 1.0;
    }
    (whole * whole * (1.0 - part) + (whole + 1.0) * (whole + 1.0) * part) / mean
}
