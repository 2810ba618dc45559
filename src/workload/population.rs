//! How many rows of the table satisfy a condition: from the fields' laws and the history, for tables of any size. Must not know
//! keys, nor hold rows.

use super::Workload;
use super::field_shares::{FieldShares, Of, is_drawn_from_others};
use super::row_history::Window;
use super::row_origin::RowOrigin;
use crate::random::Seed;
use crate::record::{FieldId, FieldKind, RecordGenerator, TimeUnit};
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
    pub(super) generator: Arc<RecordGenerator>,
    start: EpochNanos,
    pub(super) origins: Vec<RowOrigin>,
    pub(super) shares: FieldShares,
}

/// Rows of one origin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    /// Expected rows.
    pub(super) rows: f64,
    /// Expected other rows when one is known to be there.
    pub(super) others: f64,
}

/// The part of an origin's rows that satisfy a condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Narrowed<'a> {
    /// Their times and numbers.
    pub(super) window: Window<'a>,
    /// Share of the origin's combinations.
    pub(super) combined: f64,
    /// Share of the rows by what is drawn for each.
    pub(super) drawn: f64,
}

impl Population {
    /// Prepares the shares of values; what takes a pass over values is computed when it is first asked for.
    pub fn new(
        workload: &Workload,
        generator: &Arc<RecordGenerator>,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let schema = generator.schema();
        let origins = RowOrigin::all(workload, schema);
        Self {
            shares: FieldShares::new(&origins, schema, seed, replicate),
            origins,
            start: workload.start,
            generator: Arc::clone(generator),
        }
    }

    /// Rows of the table at an instant: the existing ones and those written so far.
    pub fn rows(&self, at: SimTime) -> f64 {
        let rows = self.origins.iter().map(|origin| origin.history.rows(at));
        rows.sum()
    }

    /// Expected number of rows that satisfy `condition` at an instant, when `target` (a record of the table) is known to be
    /// one of the rows: at least 1 if it satisfies the condition. O(origins x conditions), no allocation once the shares are there.
    pub fn matching(&self, condition: Condition<'_>, target: &[i64], at: SimTime) -> f64 {
        let satisfied = items(condition).all(|item| item.holds(target));
        let tallies =
            || (0..self.origins.len()).map(|origin| self.tally(origin, condition, target, at));
        let rows: f64 = tallies().map(|tally| tally.rows).sum();
        if !satisfied {
            return rows;
        }
        if rows <= 0.0 {
            return 1.0;
        }
        // The target comes from an origin with the probability of the origin's share of such rows.
        let surplus: f64 = tallies()
            .map(|tally| tally.rows / rows * (1.0 + tally.others - tally.rows))
            .sum();
        (rows + surplus).max(1.0)
    }

    /// Nanoseconds from the start of the run to the start of a timestamp's slot.
    pub(super) fn nanos(&self, unit: TimeUnit, slot: i64) -> f64 {
        let nanos = i128::from(slot) * i128::from(unit.nanos());
        (nanos - i128::from(self.start.0)) as f64
    }

    pub(super) fn tally(
        &self,
        at_origin: usize,
        condition: Condition<'_>,
        target: &[i64],
        at: SimTime,
    ) -> Tally {
        let origin = &self.origins[at_origin];
        let Some(narrowed) = self.narrowed(at_origin, condition, target) else {
            return Tally::default();
        };
        let Narrowed {
            window,
            combined,
            drawn,
        } = narrowed;
        let present = origin.history.rows_in(window, at);
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
        Tally { rows, others }
    }

    /// What a condition says of the rows of an origin; `None` when none of them can satisfy it.
    pub(super) fn narrowed(
        &self,
        at_origin: usize,
        condition: Condition<'_>,
        target: &[i64],
    ) -> Option<Narrowed<'_>> {
        let origin = &self.origins[at_origin];
        let schema = self.generator.schema();
        let mut window = Window::default();
        // Shares of the combinations, and of what is drawn for each row.
        let (mut combined, mut drawn) = (1.0, 1.0);
        for (nth, item) in items(condition).enumerate() {
            let Item { field, low, high } = item;
            if let Some(slot) = origin.fixed_slot(field) {
                if slot < low || slot >= high {
                    return None;
                }
                continue;
            }
            match &schema.field(field).kind {
                FieldKind::Timestamp { unit, late } => {
                    let (low, high) = (self.nanos(*unit, low), self.nanos(*unit, high));
                    window.carried = Some(match window.carried {
                        None => (low, high),
                        Some((from, to)) => (low.max(from), high.min(to)),
                    });
                    window.late = late.as_ref().or(window.late);
                }
                FieldKind::Sequence { first } => {
                    let number = |slot: i64| {
                        (i128::from(slot) - i128::from(*first)) as f64 - origin.sequence as f64
                    };
                    let (low, high) = (number(low), number(high));
                    window.numbers = Some(match window.numbers {
                        None => (low, high),
                        Some((from, to)) => (low.max(from), high.min(to)),
                    });
                }
                _ if is_drawn_from_others(field, origin, schema) => {
                    let share = self.dependent(at_origin, nth, item, Of::Rows, condition, target);
                    let roots = self.shares.roots(at_origin, field);
                    if roots.iter().all(|root| origin.each.contains(root)) {
                        combined *= share;
                    } else {
                        drawn *= share;
                    }
                }
                _ => {
                    let share =
                        self.shares
                            .independent(origin, field, (low, high), Of::Rows, schema);
                    if origin.each.contains(&field) {
                        combined *= share;
                    } else {
                        drawn *= share;
                    }
                }
            }
        }
        Some(Narrowed {
            window,
            combined,
            drawn,
        })
    }

    /// The share of an origin's rows, or of the combinations of its values, that satisfy the `nth` part of the condition, on a dependent field, given the
    /// parts that come before it.
    pub(super) fn dependent(
        &self,
        at_origin: usize,
        nth: usize,
        item: Item,
        of: Of,
        condition: Condition<'_>,
        target: &[i64],
    ) -> f64 {
        let origin = &self.origins[at_origin];
        let schema = self.generator.schema();
        let known = |id: FieldId| {
            origin.fixed_slot(id).or_else(|| {
                condition
                    .equal
                    .iter()
                    .find(|(field, _)| *field == id)
                    .map(|(_, slot)| *slot)
            })
        };
        let parents = &schema.field(item.field).of;
        if parents.iter().all(|parent| known(*parent).is_some()) {
            let value = self
                .generator
                .dependent_value(item.field, |parent| known(parent).unwrap_or(0));
            return f64::from(u8::from(
                value.is_none_or(|value| (item.low..item.high).contains(&value)),
            ));
        }
        let slots = (item.low, item.high);
        let roots = self.shares.roots(at_origin, item.field);
        let related = |other: &Item| {
            origin.fixed_slot(other.field).is_none()
                && (roots.contains(&other.field)
                    || self
                        .shares
                        .roots(at_origin, other.field)
                        .iter()
                        .any(|root| roots.contains(root)))
        };
        let tabulated = || {
            self.shares.tabulated(
                &self.origins,
                at_origin,
                item.field,
                slots,
                of,
                &self.generator,
            )
        };
        let before = items(condition).take(nth).filter(|other| related(other));
        let root_known = roots.iter().any(|root| known(*root).is_some());
        if before.clone().next().is_none()
            && !root_known
            && let Some(share) = tabulated()
        {
            return share;
        }
        // What the target's own parents contribute, and for all others independence.
        let own: f64 = roots
            .iter()
            .filter(|root| known(**root).is_none())
            .map(|root| {
                let slot = target[usize::from(root.0)];
                self.shares
                    .independent(origin, *root, (slot, slot.saturating_add(1)), of, schema)
            })
            .product();
        let by_law = self.shares.by_law(item.field, slots, schema);
        if !item.holds(target) || !before.clone().all(|other| other.holds(target)) {
            return by_law;
        }
        // The condition on related fields before this one has left a share of the parents, of which the target's are a greater part.
        let left: f64 = before
            .filter(|other| !roots.contains(&other.field))
            .map(|other| {
                self.shares
                    .by_law(other.field, (other.low, other.high), schema)
            })
            .product();
        let own = own / (own + (1.0 - own) * left).max(f64::MIN_POSITIVE);
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
    pub(super) fn holds(self, record: &[i64]) -> bool {
        (self.low..self.high).contains(&record[usize::from(self.field.0)])
    }
}

pub(super) fn items<'a>(condition: Condition<'a>) -> impl Iterator<Item = Item> + Clone + 'a {
    let equal = condition.equal.iter().map(|(field, slot)| Item {
        field: *field,
        low: *slot,
        high: slot.saturating_add(1),
    });
    let between = condition.between.iter().map(|(field, low, high)| Item {
        field: *field,
        low: *low,
        high: *high,
    });
    equal.chain(between)
}

/// Mean number of points in a window that holds one for certain, when points are evenly spaced and `mean` of them are expected in such a window.
fn size_biased(mean: f64) -> f64 {
    let (whole, part) = (mean.floor(), mean.fract());
    if mean <= 1.0 {
        return 1.0;
    }
    (whole * whole * (1.0 - part) + (whole + 1.0) * (whole + 1.0) * part) / mean
}
