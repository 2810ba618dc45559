//! All combinations of the values of some fields, by number, and when each has its turn in a periodic write. Must not know what they are written for.

use super::{Periodic, Phase};
use crate::random::{DrawKey, Permutation, Stream, hash_name};
use crate::record::{FieldId, RecordGenerator, Schema};
use crate::time::{SimDuration, SimTime};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The combinations of `each`: the last field changes fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Combinations {
    /// Field, slot of its first value, number of values.
    fields: Vec<(FieldId, i64, u64)>,
    /// Number of combinations, >= 1.
    pub(super) count: u64,
}

impl Combinations {
    /// The combinations of the fields' values; a field without a finite count has one value.
    pub(super) fn new(each: &[FieldId], schema: &Schema) -> Self {
        let fields: Vec<(FieldId, i64, u64)> = each
            .iter()
            .map(|id| {
                let kind = &schema.field(*id).kind;
                (*id, kind.first_slot(), kind.count().unwrap_or(1).max(1))
            })
            .collect();
        let count = fields.iter().fold(1u64, |product, (_, _, count)| {
            product.saturating_mul(*count)
        });
        Self { fields, count }
    }

    /// Number of fields in a combination.
    pub(super) fn width(&self) -> usize {
        self.fields.len()
    }

    /// Writes the slots of combination `number` < count to `out` (`width()` long).
    pub(super) fn write(&self, number: u64, out: &mut [(FieldId, i64)]) {
        let mut rest = number;
        for (at, (field, first, count)) in self.fields.iter().enumerate().rev() {
            // The first field needs no division: what is left is its value.
            let value = if at == 0 { rest } else { rest % count };
            if at > 0 {
                rest /= count;
            }
            out[at] = (*field, first.wrapping_add(value as i64));
        }
    }

    /// A combination, or what is `fixed` for all records, determines the field's value: it is one of them, or depends on such fields only.
    pub(super) fn determine(
        &self,
        field: FieldId,
        schema: &Schema,
        fixed: &[(FieldId, i64)],
    ) -> bool {
        let known = |id: &FieldId| {
            self.fields.iter().any(|(field, _, _)| field == id)
                || fixed.iter().any(|(field, _)| field == id)
        };
        let of = &schema.field(field).of;
        known(&field)
            || (!of.is_empty()
                && of
                    .iter()
                    .all(|parent| self.determine(*parent, schema, fixed)))
    }
}

/// Up to so many combinations the order in a period is kept as a list, which is read in sequence.
const LISTED_MAX: u64 = 1 << 20;

/// A sequence of turns, period after period. Turn `b` is place `b mod count` of period `b / count`; negative turns lie before the run.
#[derive(Debug, Clone)]
pub(super) struct PeriodicClock {
    count: u64,
    every: u64,
    phase: Phase,
    order: Order,
    /// By how much turns are late at most, and what tells by how much each is.
    jitter: u64,
    draws: DrawKey,
    /// Tells these draws from those of the order.
    salt: u64,
}

#[derive(Debug, Clone)]
enum Order {
    Listed(Vec<u32>),
    Computed(Permutation),
}

impl PeriodicClock {
    /// The clock of all combinations of `turns`; `lane` is the write's. O(combinations) up to a million, else O(1).
    pub(super) fn new(turns: &Periodic, generator: &RecordGenerator, lane: u32) -> Self {
        let count = Combinations::new(&turns.each, generator.schema()).count;
        let draws = generator.draws(Stream::Beats, lane);
        let permutation = Permutation::new(count, draws);
        let place = |place| permutation.at(place) as u32;
        Self {
            count,
            every: turns.every.as_nanos().max(1),
            phase: turns.phase,
            order: match count <= LISTED_MAX {
                true => Order::Listed((0..count).map(place).collect()),
                false => Order::Computed(permutation),
            },
            jitter: turns.jitter.as_nanos(),
            draws,
            salt: hash_name("jitter"),
        }
    }

    /// Combinations, which is turns a period.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The combination at a place of every period: a random order, the same in all.
    fn combination(&self, place: u64) -> u64 {
        match &self.order {
            Order::Listed(list) => u64::from(list[place as usize]),
            Order::Computed(permutation) => permutation.at(place),
        }
    }

    /// Nanoseconds into its period at which a place has its turn, lateness apart.
    fn offset(&self, place: u64) -> u64 {
        match self.phase {
            Phase::Spread => match self.every.checked_mul(place) {
                Some(product) => product / self.count,
                None => {
                    (u128::from(self.every) * u128::from(place) / u128::from(self.count)) as u64
                }
            },
            Phase::Aligned => 0,
        }
    }

    /// Nanoseconds by which turn `index` is late.
    fn lateness(&self, index: u64) -> u64 {
        if self.jitter == 0 {
            return 0;
        }
        let mut draws = self.draws.at(index).salted(self.salt);
        draws.below(self.jitter.saturating_add(1))
    }

    /// The combination of turn `index`.
    pub(super) fn combination_of(&self, index: u64) -> u64 {
        self.combination(index % self.count)
    }

    /// Combination and time (nanoseconds since the start of the run) of turn `index`.
    pub(super) fn turn(&self, index: u64) -> (u64, u64) {
        let (period, place) = (index / self.count, index % self.count);
        let time = period
            .saturating_mul(self.every)
            .saturating_add(self.offset(place))
            .saturating_add(self.lateness(index));
        (self.combination(place), time)
    }

    /// The same of turn `-back`, `back` >= 1, before the run, lateness apart.
    pub(super) fn turn_before(&self, back: u64) -> (u64, i64) {
        let period = back.div_ceil(self.count);
        let place = period * self.count - back;
        let start = -i128::from(period) * i128::from(self.every);
        let time = (start + i128::from(self.offset(place))) as i64;
        (self.combination(place), time)
    }
}

/// The turns of a periodic write, in order of time.
#[derive(Debug, Clone)]
pub(super) struct TurnTimes {
    clock: Arc<PeriodicClock>,
    /// The next turn, lateness apart: its period's start in nanoseconds, its place, its index.
    period: u64,
    place: u64,
    index: u64,
    end: u64,
    /// Turns that are late and may still be overtaken by a later one that is less so: time and index.
    waiting: BinaryHeap<Reverse<(u64, u64)>>,
}

impl TurnTimes {
    /// The turns up to `duration`.
    pub(super) fn new(clock: &Arc<PeriodicClock>, duration: SimDuration) -> Self {
        Self {
            clock: Arc::clone(clock),
            period: 0,
            place: 0,
            index: 0,
            end: duration.as_nanos(),
            waiting: BinaryHeap::new(),
        }
    }

    /// The next turn in order of time, then of number (as if none were late, from 0): both; `None` at the end of the run.
    pub(super) fn next(&mut self) -> Option<(SimTime, u64)> {
        let (time, index) = match self.clock.jitter {
            0 => (self.due()?, self.step()),
            _ => self.next_jittered()?,
        };
        (time < self.end).then(|| (SimTime::from_nanos(time), index))
    }

    /// Time of the next turn, lateness apart.
    fn due(&self) -> Option<u64> {
        let time = self.period.saturating_add(self.clock.offset(self.place));
        (time < self.end).then_some(time)
    }

    /// Passes over the next turn, of which it gives the number.
    fn step(&mut self) -> u64 {
        self.place += 1;
        if self.place == self.clock.count {
            self.place = 0;
            self.period = self.period.saturating_add(self.clock.every);
        }
        self.index += 1;
        self.index - 1
    }

    fn next_jittered(&mut self) -> Option<(u64, u64)> {
        loop {
            let due = self.due();
            if let Some(&Reverse((time, index))) = self.waiting.peek()
                // Every turn to come is at its time or later; one at the same time has a greater index.
                && due.is_none_or(|due| time <= due)
            {
                self.waiting.pop();
                return Some((time, index));
            }
            let late = due?.saturating_add(self.clock.lateness(self.index));
            let index = self.step();
            self.waiting.push(Reverse((late, index)));
        }
    }
}
