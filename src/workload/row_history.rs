//! How many rows of one origin, an `[existing]` table or a write, the table holds at an instant, and which instants they carry. Must not know what they hold.

use super::combinations::Combinations;
use super::rate_profile::RateProfile;
use super::row_question::Turns;
use super::{
    Arrivals, Existing, ImportOrder, ImportRows, LoadModel, Phase, Workload, Write, WriteId,
    WriteKind,
};
use crate::record::{FieldId, Late, Schema};
use crate::time::SimTime;

/// Of up to so many rows each number is looked at.
const FEW_ROWS: f64 = 32.0;

/// A Poisson number hardly ever strays by more than so many standard deviations.
const SPREAD: f64 = 4.0;

/// One origin of rows, as laws.
#[derive(Debug, Clone)]
pub(super) struct RowOrigin {
    pub(super) history: RowHistory,
    /// Fields that all its rows share.
    pub(super) fixed: Vec<(FieldId, i64)>,
    /// Fields of which its rows hold every combination equally often; the others are drawn.
    pub(super) each: Vec<FieldId>,
    /// Number of combinations; 1 without `each`.
    pub(super) combinations: f64,
    /// The field by whose values its rows are written, if they are sorted.
    pub(super) sorted_by: Option<FieldId>,
    /// What the sequence fields of its row 0 count.
    pub(super) sequence: u64,
    /// The origin whose turns its own continue, at the same pace.
    pub(super) continues: Option<usize>,
    /// The one whose rows have the numbers before its own.
    pub(super) counts_on: Option<usize>,
}

/// Rows numbered from 0. Times are nanoseconds since the start of the run, negative before it; a number of rows is an expectation: of
/// Poisson arrivals and of closed loops (whose volume is an estimate) the mean, of the others exact but for rounding.
#[derive(Debug, Clone)]
pub(super) struct RowHistory {
    /// The instants that rows carry, lateness apart.
    carried: RateProfile,
    /// Rows that carry the same instant, once a period: `carried` is their mean.
    aligned: Option<Aligned>,
    /// When they come into the table, if not at the instants that they carry. Then it is those that they are numbered by.
    written: Option<RateProfile>,
    /// Rows are written in the order of their numbers, not in one that has nothing to do with it.
    in_order: bool,
    /// Rows after which the origin stops; infinite if only the run ends it.
    most: f64,
    /// The rows of a combination are evenly spaced: always of turns, of those that come once and of rows before the run, of arrivals when they are constant.
    pub(super) regular: bool,
}

/// Rows that have their turns at the start of each period.
#[derive(Debug, Clone, Copy)]
struct Aligned {
    /// Rows of a period.
    rows: f64,
    every: f64,
    /// By how much they are late at most.
    jitter: f64,
}

/// What rows must be like in time and number; `None` is no condition.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Window {
    /// Instants `low..high` of a field of theirs.
    pub(super) carried: Option<(f64, f64)>,
    /// Lateness of that field.
    pub(super) late: Option<Late>,
    /// Numbers `low..high`.
    pub(super) numbers: Option<(f64, f64)>,
    /// Of rows that are sorted by a field: from which part of all to which, between 0 and 1, those with its values lie.
    pub(super) sorted: Option<(f64, f64)>,
}

/// How the rows of one of several equal steps of time come to carry it: means.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepInflow {
    /// Rows that are due in it.
    pub(super) due: f64,
    /// Probability that such a row carries an instant of the step.
    pub(super) stays: f64,
    /// Rows that are due after it, by no more than the greatest lateness.
    pub(super) due_later: f64,
    /// Probability that such a row carries an instant of the step.
    pub(super) falls_back: f64,
    /// They take cells in turn by their numbers, which follow one another.
    pub(super) turns: Option<Turns>,
}

impl StepInflow {
    /// That of turns which go on: none of them is late.
    pub(super) fn continued(self, by: Self) -> Self {
        Self {
            due: self.due + by.due,
            ..self
        }
    }

    /// The share of the cells, which rows take in turn, that any of them falls on.
    pub(super) fn reached(&self) -> f64 {
        self.turns.map_or(1.0, |turns| {
            let of = |rows: f64| match rows > 0.0 {
                true => turns.taken_by(rows * turns.values) / turns.values,
                false => 0.0,
            };
            (of(self.due) + of(self.due_later)).min(1.0)
        })
    }

    /// Logarithm of the probability that a cell is missed by all rows that take it in turn, of which each meets it with a probability of `share`; they are those of
    /// `alike` of so many combinations. Rows that come later take the cells behind those of the step's own, as far as there are any.
    fn ln_missed_in_turn(
        &self,
        turns: Turns,
        [combinations, alike]: [f64; 2],
        share: f64,
        is_known: bool,
    ) -> f64 {
        let missed_by =
            |share: f64, rows: f64| libm::expm1(alike * ln_missed(share, rows / combinations));
        let on_time = |rows: f64| missed_by(share * self.stays, rows);
        let own = self.missed_on_time(turns, on_time, is_known);
        let (late, share) = (self.due_later * turns.values, share * self.falls_back);
        if late * share <= 0.0 {
            return libm::log(own);
        }
        let taken = turns.taken_by(late);
        let later = 1.0 + taken / turns.values * missed_by(share, late / taken);
        let are_apart = turns.taken_by(self.due * turns.values) + taken <= turns.values;
        libm::log(match are_apart {
            true => own + later - 1.0,
            false => own * later,
        })
    }

    /// The probability that a cell is missed by those rows that are due in the step, of which one that is taken is missed with a probability of 1 + `of` so many.
    /// Their number is a Poisson one, unless it is known: the kink where all cells are reached lies within its spread.
    fn missed_on_time(&self, turns: Turns, of: impl Fn(f64) -> f64, is_known: bool) -> f64 {
        let missed = |rows: f64| {
            let reached = turns.taken_by(rows);
            1.0 + reached / turns.values * of(rows / reached)
        };
        let mean = self.due * turns.values;
        let spread = SPREAD * libm::sqrt(mean);
        if is_known || (mean - turns.values).abs() > spread.max(FEW_ROWS) {
            missed(mean)
        } else if mean <= FEW_ROWS {
            let (mut probability, mut rows, mut sum) = (libm::exp(-mean), 0.0, 0.0);
            while rows <= mean + spread.max(FEW_ROWS) {
                sum += probability * missed(rows);
                rows += 1.0;
                probability *= mean / rows;
            }
            sum
        } else {
            let steps = (-16..=16).map(|at| f64::from(at) / 16.0);
            let weigh = |at: f64| {
                (
                    libm::exp(-0.5 * SPREAD * SPREAD * at * at),
                    mean + at * spread,
                )
            };
            let [sum, weights] = steps
                .map(weigh)
                .fold([0.0; 2], |[sum, all], (weight, rows)| {
                    [sum + weight * missed(rows), all + weight]
                });
            sum / weights
        }
    }

    /// Two that differ by no more than rounding: numbers of rows are differences of running totals, which lose up to half of their digits.
    pub(super) fn are_alike((a, b): (&Self, &Self)) -> bool {
        let numbers = |of: &Self| [of.due, of.stays, of.due_later, of.falls_back];
        let mut pairs = numbers(a).into_iter().zip(numbers(b));
        pairs.all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs())
    }
}

impl RowOrigin {
    /// All origins of a workload: the existing tables in their order, then the writes in theirs.
    pub(super) fn all(workload: &Workload, schema: &Schema) -> Vec<Self> {
        let origin = |history, fixed: &[(FieldId, i64)], each: &[FieldId], sequence| Self {
            history,
            sorted_by: None,
            combinations: Combinations::new(each, schema).count as f64,
            // What is fixed is not combined.
            fixed: fixed
                .iter()
                .filter(|(field, _)| !each.contains(field))
                .copied()
                .collect(),
            each: each.to_vec(),
            sequence,
            continues: None,
            counts_on: None,
        };
        let existing = workload.existing.iter().map(|existing| {
            let phase = workload.beat_phase(&existing.name);
            let rows = existing.rows.newest(workload.kept_for);
            let history = RowHistory::of_existing(&rows, phase, schema);
            origin(history, &existing.with, rows.each(), 0)
        });
        let writes = workload.writes.iter().enumerate().map(|(at, write)| {
            let history = RowHistory::of_write(workload, write, schema);
            let sequence = workload.existing_rows_of(WriteId(at as u8), schema);
            let order = write.load.import().map(|import| import.order);
            let is_continued = |existing: &Existing| match (&existing.rows, &write.load) {
                (ImportRows::Each { each, every, .. }, LoadModel::Periodic(turns)) => {
                    let is_alike = *each == turns.each && *every == Some(turns.every);
                    let is_own = existing.name == write.name && existing.with == write.with;
                    is_alike && is_own && turns.jitter.as_nanos() == 0
                }
                _ => false,
            };
            let is_before = |existing: &Existing| existing.write == Some(WriteId(at as u8));
            Self {
                sorted_by: match order {
                    Some(ImportOrder::By(field)) => Some(field),
                    _ => None,
                },
                continues: workload.existing.iter().position(is_continued),
                counts_on: (sequence > 0)
                    .then(|| workload.existing.iter().rposition(is_before))
                    .flatten(),
                ..origin(history, &write.with, write.load.each(), sequence)
            }
        });
        existing.chain(writes).collect()
    }

    /// The slot that all rows have of a field, if they share it.
    pub(super) fn fixed_slot(&self, field: FieldId) -> Option<i64> {
        // Of two for one field the latter holds.
        let fixed = self.fixed.iter().rev().find(|(id, _)| *id == field);
        fixed.map(|(_, slot)| *slot)
    }

    /// Rows in the table at an instant.
    pub(super) fn present(&self, at: SimTime) -> f64 {
        self.history.rows_in(Window::default(), at)
    }

    /// Logarithm of the probability that no row of one combination falls on a cell, on which such a `share` of its rows falls, and those of so many combinations.
    pub(super) fn ln_missed(&self, share: f64, inflow: StepInflow, alike: f64) -> f64 {
        let due = inflow.due / self.combinations;
        let later = inflow.due_later / self.combinations;
        if let Some(turns) = inflow.turns {
            let alike = alike.max(1.0);
            let of = [self.combinations, alike];
            return inflow.ln_missed_in_turn(turns, of, share, self.history.regular) / alike;
        }
        if self.history.regular {
            return ln_missed(share * inflow.stays, due)
                + ln_missed(share * inflow.falls_back, later);
        }
        -share * (inflow.stays * due + inflow.falls_back * later)
    }
}

impl RowHistory {
    /// The history of rows written before the run.
    fn of_existing(rows: &ImportRows, phase: Phase, schema: &Schema) -> Self {
        let most = rows.len(schema) as f64;
        let at_start = || (RateProfile::even(most, 1.0, 0.0, (0.0, 1.0)), None);
        // Rows without an instant of their own carry the start of the run.
        let (carried, aligned) = own_instants(rows, phase, schema).unwrap_or_else(at_start);
        Self {
            carried,
            aligned,
            written: Some(RateProfile::even(most, 1.0, 0.0, (-1.0, 0.0))),
            in_order: true,
            most,
            regular: true,
        }
    }

    /// The history of a write.
    fn of_write(workload: &Workload, write: &Write, schema: &Schema) -> Self {
        let end = workload.duration.as_nanos() as f64;
        let (mut regular, mut aligned) = (false, None);
        let rate = match &write.load {
            LoadModel::Open {
                rate,
                profile,
                arrivals,
                ..
            } => {
                regular = *arrivals == Arrivals::Constant;
                RateProfile::new(*rate, profile, workload.duration)
            }
            LoadModel::Closed { .. } => {
                let rate = workload.estimated_rate(write, schema);
                RateProfile::new(rate, &[], workload.duration)
            }
            LoadModel::Periodic(periodic) => {
                let turns = Aligned {
                    rows: Combinations::new(&periodic.each, schema).count as f64,
                    every: periodic.every.as_nanos().max(1) as f64,
                    jitter: periodic.jitter.as_nanos() as f64,
                };
                regular = true;
                aligned = (periodic.phase == Phase::Aligned).then_some(turns);
                RateProfile::even(turns.rows, turns.every, turns.jitter, (0.0, end))
            }
        };
        let import = write.load.import();
        let own = import.and_then(|import| own_instants(&import.rows, Phase::Spread, schema));
        let (carried, written) = match own {
            None => (rate, None),
            Some((own, _)) => (own, Some(rate)),
        };
        Self {
            regular: regular || written.is_some() || !write.load.each().is_empty(),
            in_order: import.is_none_or(|import| import.order == ImportOrder::Time),
            most: match import {
                // No reader gets what a delete writes.
                _ if write.kind == WriteKind::Delete => 0.0,
                Some(import) => import.rows.len(schema) as f64,
                None => f64::INFINITY,
            },
            carried,
            aligned,
            written,
        }
    }

    /// Its rows carry instants that are evenly spaced, over more than one instant.
    pub(super) fn has_spread_turns(&self) -> bool {
        let (from, end) = self.carried.span;
        self.regular && self.aligned.is_none() && end - from > 1e3
    }

    /// Rows in the table at an instant.
    #[inline(always)]
    pub(super) fn rows(&self, at: SimTime) -> f64 {
        let at = at.as_nanos() as f64;
        match &self.written {
            Some(rate) => rate.operations_by(at).min(self.most),
            None => self.number_at(at),
        }
    }

    /// The same if in all parts of the order that rows are sorted in as many of them were there as in that of a window.
    fn rows_as_in(&self, window: Window, at: SimTime) -> f64 {
        let rows = self.rows(at);
        match window.sorted {
            Some((low, high)) if high > low => {
                ((rows - low * self.most) / (high - low)).clamp(0.0, self.most)
            }
            _ => rows,
        }
    }

    /// The share of all rows that is in the table.
    pub(super) fn part(&self, at: SimTime) -> f64 {
        (self.rows(at) / self.most.max(1.0)).min(1.0)
    }

    /// The same in whole rows, down but for rounding.
    pub(super) fn whole_rows(&self, at: SimTime) -> u64 {
        // By way of i64, for which processors have an instruction.
        (self.rows(at) + 1e-6) as i64 as u64
    }

    /// Rows whose carried instants are before `instant`, once all are written.
    pub(super) fn number_at(&self, instant: f64) -> f64 {
        let (from, end) = self.carried.span;
        let rows = match &self.aligned {
            Some(aligned) => aligned.before(instant.min(end), from),
            None => self.carried.operations_by(instant),
        };
        rows.min(self.most)
    }

    /// Instants that the rows in the table at `at` carry, lateness apart: from the first on up to before the last.
    pub(super) fn span(&self, at: SimTime) -> (f64, f64) {
        let (from, end) = self.carried.span;
        (from, end.min((at.as_nanos() as f64).max(1.0)))
    }

    /// Rows that carry an instant near this one, a nanosecond, once all are written; of aligned turns the mean over a period.
    pub(super) fn density_at(&self, instant: f64) -> f64 {
        // A difference over a microsecond, which is shorter than what changes in a profile.
        const STEP: f64 = 1e3;
        let rows = |instant| self.carried.operations_by(instant).min(self.most);
        (rows(instant + STEP) - rows(instant)) / STEP
    }

    /// Most rows that carry instants of any stretch of so many nanoseconds, lateness apart: it thins them out.
    pub(super) fn densest(&self, length: f64) -> f64 {
        match &self.aligned {
            Some(Aligned {
                rows,
                every,
                jitter,
            }) => rows * (((length + jitter) / every).floor() + 1.0),
            None => self.carried.peak * length,
        }
    }

    /// The instant by which `number` rows are expected to be due.
    pub(super) fn due_at(&self, number: f64) -> Option<SimTime> {
        self.carried.time_by(number)
    }

    /// Expected number of rows in the table at `at` that lie in a window.
    #[inline(always)]
    pub(super) fn rows_in(&self, window: Window, at: SimTime) -> f64 {
        match self.in_order && window.carried.is_none() && window.numbers.is_none() {
            true => self.rows(at),
            false => self.rows_of_window(window, at),
        }
    }

    fn rows_of_window(&self, window: Window, at: SimTime) -> f64 {
        let on_time = self.on_time(window, at);
        let (Some((low, high)), Some(late)) = (window.carried, self.lateness(window, at)) else {
            return on_time;
        };
        let up_to = late.up_to.as_nanos() as f64;
        // A row that is late by l carries x when it was due at x + l.
        let area = self.area(window, at);
        let until = |x: f64| (area(x + up_to) - area(x)) / up_to;
        let numbered = Window {
            carried: None,
            ..window
        };
        let delayed =
            (until(high) - until(low)) * self.on_time(numbered, at) / self.rows_as_in(window, at);
        (1.0 - late.fraction) * on_time + late.fraction * delayed
    }

    /// How rows come into each of `steps` equal steps that `window` is made of.
    pub(super) fn inflow(&self, window: Window, steps: f64, at: SimTime) -> StepInflow {
        let due = self.on_time(window, at) / steps;
        let (Some((low, high)), Some(late)) = (window.carried, self.lateness(window, at)) else {
            return StepInflow {
                due,
                stays: 1.0,
                ..StepInflow::default()
            };
        };
        let up_to = late.up_to.as_nanos() as f64;
        let length = (high - low) / steps;
        // A lateness drawn evenly up to `up_to` leaves a row in its step when it is less than what the step has passed.
        let stays = match length >= up_to {
            true => 1.0 - up_to / (2.0 * length),
            false => length / (2.0 * up_to),
        };
        let stays = 1.0 - late.fraction + late.fraction * stays;
        let back = (self.rows_in(window, at) / steps - due * stays).max(0.0);
        let end = 0.5 * (low + high) + 0.5 * length;
        let behind = Window {
            carried: Some((end, end + up_to)),
            ..window
        };
        let due_later = self.on_time(behind, at).max(back);
        StepInflow {
            due,
            stays,
            due_later,
            falls_back: if back > 0.0 { back / due_later } else { 0.0 },
            turns: None,
        }
    }

    /// What each of the cells gets that rows take in turn.
    pub(super) fn shared_by(&self, turns: Turns, of: StepInflow) -> StepInflow {
        // Rows in another order have any numbers.
        StepInflow {
            due: of.due / turns.values,
            due_later: of.due_later / turns.values,
            turns: (turns.run.is_some() && self.in_order).then_some(turns),
            ..of
        }
    }

    /// The rows in the table at `at` that lie in a window, which bounds the instants that they carry, are evenly spread over it, for certain.
    pub(super) fn is_even(&self, window: Window, at: SimTime) -> bool {
        let Some((low, high)) = window.carried else {
            return false;
        };
        let few = self.most.min(self.rows(at));
        let is_cut = self.number_at(low) < few && few < self.number_at(high);
        let by_instant = self.in_order && self.aligned.is_none() && window.numbers.is_none();
        by_instant
            && self.carried.is_even(low, high)
            && !is_cut
            && self.lateness(window, at).is_none()
    }

    /// The lateness of a window's rows, if any of them is late.
    fn lateness(&self, window: Window, at: SimTime) -> Option<Late> {
        let some = |late: &Late| late.fraction > 0.0 && late.up_to.as_nanos() > 0;
        let rows = self.rows_as_in(window, at);
        window.late.filter(|late| some(late) && rows > 0.0)
    }

    /// Rows in the table at `at` that lie in a window, as if none were late.
    fn on_time(&self, window: Window, at: SimTime) -> f64 {
        if self.in_order && window.carried.is_none() && window.numbers.is_none() {
            return self.rows(at);
        }
        let due = |(low, high)| (self.number_at(low), self.number_at(high));
        let due = window.carried.map_or((0.0, f64::INFINITY), due);
        let (low, high) = window.numbers.unwrap_or((0.0, f64::INFINITY));
        // What is asked of the order in which rows are written, and what of that in which they are numbered.
        let (mut written, mut numbered) = (
            (0.0, self.rows_as_in(window, at)),
            (low.max(0.0), high.min(self.most)),
        );
        match self.written.is_some() {
            true => numbered = both(numbered, due),
            false => written = both(written, due),
        }
        let length = |(low, high): (f64, f64)| (high - low).max(0.0);
        match self.in_order {
            true => length(both(written, numbered)),
            // Each order tells nothing of the other.
            false => length(written) * length(numbered) / self.most.max(1.0),
        }
    }

    /// Integral up to an instant of the number of rows in the table at `at` whose instants are before it; of aligned turns as if they were spread.
    fn area(&self, window: Window, at: SimTime) -> impl Fn(f64) -> f64 {
        let rows = self.rows_as_in(window, at);
        // Of rows that are numbered by their instants and written in another order, a share of any instant's is there.
        let (limit, share) = match self.written.is_some() && !self.in_order {
            true => (self.most, rows / self.most),
            false => (rows, 1.0),
        };
        let end = self.carried.instant_of(limit);
        move |x| share * (self.carried.area_by(x.min(end)) + limit * (x - end).max(0.0))
    }
}

/// What lies in both ranges.
pub(super) fn both<T: PartialOrd>(one: (T, T), other: (T, T)) -> (T, T) {
    let later = |a, b| if b > a { b } else { a };
    let earlier = |a, b| if b < a { b } else { a };
    (later(one.0, other.0), earlier(one.1, other.1))
}

/// Logarithm of the probability that all of `rows` evenly spaced rows, a mean, miss what each meets with a probability of `share`.
pub(super) fn ln_missed(share: f64, rows: f64) -> f64 {
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

/// The instants before the run that rows carry, if they have instants of their own.
fn own_instants(
    rows: &ImportRows,
    phase: Phase,
    schema: &Schema,
) -> Option<(RateProfile, Option<Aligned>)> {
    let len = rows.len(schema) as f64;
    match rows {
        ImportRows::Drawn { last, .. } => {
            let last = last.as_nanos() as f64;
            (last > 0.0).then(|| (RateProfile::even(len, last, 0.0, (-last, 0.0)), None))
        }
        ImportRows::Each { each, every, .. } => {
            let turns = Aligned {
                rows: Combinations::new(each, schema).count as f64,
                every: (*every)?.as_nanos().max(1) as f64,
                jitter: 0.0,
            };
            let from = -len / turns.rows * turns.every;
            let spread = RateProfile::even(turns.rows, turns.every, 0.0, (from, 0.0));
            Some((spread, (phase == Phase::Aligned).then_some(turns)))
        }
    }
}

impl Aligned {
    /// Rows before `x` that have their turns from `from` on.
    fn before(&self, x: f64, from: f64) -> f64 {
        let (whole, into) = ((x / self.every).floor(), x.rem_euclid(self.every));
        let current = match self.jitter > 0.0 {
            true => (into / self.jitter).min(1.0),
            false => f64::from(u8::from(into > 0.0)),
        };
        let periods = whole - (from / self.every).ceil() + current;
        self.rows * periods.max(0.0)
    }
}
