//! How many rows of one origin the table holds at an instant, and which instants they carry. Must not know their fields.

use super::combinations::Combinations;
use super::rate_profile::RateProfile;
use super::{Arrivals, Beat, Drive, Import, ImportOrder, ImportRows, Phase, Workload, Write};
use crate::record::{Late, Schema};
use crate::time::SimTime;
use crate::units::PerSecond;

/// Rows numbered from 0 in the order of the instants that they carry. Times are nanoseconds since the start of the run, negative before it; a number of rows
/// is an expectation: of Poisson arrivals and of closed loops (whose volume is an estimate) the mean, of the others exact but for rounding.
#[derive(Debug, Clone)]
pub(super) struct RowHistory {
    /// The instants that rows carry, lateness apart.
    carried: Intensity,
    written: Written,
    /// Rows are written in the order of their numbers, not in one that has nothing to do with it.
    in_order: bool,
    /// Rows after which the origin stops; infinite if only the run ends it.
    most: f64,
    /// Carried instants are evenly spaced: always of turns and of rows before the run, of arrivals when they are constant.
    regular: bool,
}

/// Rows over time.
#[derive(Debug, Clone)]
enum Intensity {
    Rate(RateProfile),
    Periodic(Turns),
}

/// As many rows in every period.
#[derive(Debug, Clone, Copy)]
struct Turns {
    /// Rows of a period.
    rows: f64,
    every: f64,
    /// All at its start, not spread over it.
    aligned: bool,
    /// Length of the jitter.
    jitter: f64,
    /// First instant, and the one after the last.
    from: f64,
    end: f64,
}

/// When rows come into the table.
#[derive(Debug, Clone)]
enum Written {
    Before,
    /// At the instants that they carry.
    AsCarried,
    Rate(RateProfile),
}

/// What rows must be like in time and number; `None` is no condition.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Window<'a> {
    /// Instants `low..high` of a field of theirs.
    pub(super) carried: Option<(f64, f64)>,
    /// Lateness of that field.
    pub(super) late: Option<&'a Late>,
    /// Numbers `low..high`.
    pub(super) numbers: Option<(f64, f64)>,
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
}

impl StepInflow {
    /// Two that differ by no more than rounding: numbers of rows are differences of running totals, which lose up to half of their digits.
    pub(super) fn are_alike((a, b): (&Self, &Self)) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs();
        near(a.due, b.due)
            && near(a.stays, b.stays)
            && near(a.due_later, b.due_later)
            && near(a.falls_back, b.falls_back)
    }
}

impl Window<'_> {
    /// The same rows, as if none were late.
    fn on_time(self) -> Self {
        Self { late: None, ..self }
    }
}

impl RowHistory {
    /// The history of rows written before the run.
    pub(super) fn of_existing(rows: &ImportRows, phase: Phase, schema: &Schema) -> Self {
        let most = rows.len(schema) as f64;
        // Rows without an instant of their own carry the start of the run.
        let at_start = Turns {
            rows: most,
            every: f64::INFINITY,
            aligned: true,
            jitter: 0.0,
            from: 0.0,
            end: 1.0,
        };
        Self {
            carried: Intensity::Periodic(own_instants(rows, phase, schema).unwrap_or(at_start)),
            written: Written::Before,
            in_order: true,
            most,
            regular: true,
        }
    }

    /// The history of a write.
    pub(super) fn of_write(workload: &Workload, write: &Write, schema: &Schema) -> Self {
        let (rate, regular) = match &write.drive {
            Drive::Open {
                rate,
                profile,
                arrivals,
                ..
            } => {
                let rate = RateProfile::new(*rate, profile, workload.duration);
                (rate, *arrivals == Arrivals::Constant)
            }
            Drive::Closed { .. } => {
                let volume = workload.estimated_operations(write, schema);
                let rate = PerSecond(volume / workload.duration.as_secs_f64().max(1e-9));
                (RateProfile::new(rate, &[], workload.duration), false)
            }
            Drive::Beat(beat) => {
                return Self {
                    carried: Intensity::Periodic(Turns::of(beat, schema)),
                    written: Written::AsCarried,
                    in_order: true,
                    most: f64::INFINITY,
                    regular: true,
                };
            }
        };
        let import = write.drive.import();
        let own = import.and_then(|import| own_instants(&import.rows, Phase::Spread, schema));
        let in_order = |import: &Import| import.order == ImportOrder::Time;
        let rows = |import: &Import| import.rows.len(schema) as f64;
        Self {
            regular: regular || own.is_some(),
            in_order: import.is_none_or(in_order),
            most: import.map_or(f64::INFINITY, rows),
            written: match own {
                None => Written::AsCarried,
                Some(_) => Written::Rate(rate.clone()),
            },
            carried: own.map_or(Intensity::Rate(rate), Intensity::Periodic),
        }
    }

    /// Rows in the table at an instant.
    pub(super) fn rows(&self, at: SimTime) -> f64 {
        let at = at.as_nanos() as f64;
        match &self.written {
            Written::Before => self.most,
            Written::AsCarried => self.number_at(at),
            Written::Rate(rate) => rate.operations_by(at).min(self.most),
        }
    }

    /// Carried instants are evenly spaced.
    pub(super) fn regular(&self) -> bool {
        self.regular
    }

    /// Rows whose carried instants are before `instant`, once all are written: the number of the first one that carries it or a later one.
    pub(super) fn number_at(&self, instant: f64) -> f64 {
        let rows = match &self.carried {
            Intensity::Rate(rate) => rate.operations_by(instant),
            Intensity::Periodic(turns) => turns.until(instant),
        };
        rows.min(self.most)
    }

    /// Instants that the rows in the table at `at` carry, lateness apart: from the first on up to before the last.
    pub(super) fn span(&self, at: SimTime) -> (f64, f64) {
        let at = at.as_nanos() as f64;
        match &self.carried {
            Intensity::Rate(_) => (0.0, at),
            Intensity::Periodic(turns) => (turns.from, turns.end.min(at.max(1.0))),
        }
    }

    /// Rows that carry an instant near this one, a nanosecond, once all are written; of aligned turns the mean over a period.
    pub(super) fn density_at(&self, instant: f64) -> f64 {
        match &self.carried {
            Intensity::Rate(_) => {
                // A difference over a microsecond, which is shorter than what changes in a profile.
                const STEP: f64 = 1e3;
                (self.number_at(instant + STEP) - self.number_at(instant)) / STEP
            }
            Intensity::Periodic(turns) if (turns.from..turns.end).contains(&instant) => {
                turns.rows / turns.every
            }
            Intensity::Periodic(_) => 0.0,
        }
    }

    /// Most rows that carry instants of any stretch of so many nanoseconds, lateness apart: it thins them out.
    pub(super) fn densest(&self, length: f64) -> f64 {
        match &self.carried {
            Intensity::Rate(rate) => rate.peak() * length,
            Intensity::Periodic(turns) if turns.aligned => {
                turns.rows * (((length + turns.jitter) / turns.every).floor() + 1.0)
            }
            Intensity::Periodic(turns) => turns.rows * (length / turns.every),
        }
    }

    /// The instant by which `number` rows are expected, where rows are written at a rate and carry the instants at which they are.
    pub(super) fn written_at(&self, number: f64) -> Option<SimTime> {
        match &self.carried {
            Intensity::Rate(rate) => rate.time_by(number),
            Intensity::Periodic(_) => None,
        }
    }

    /// Expected number of rows in the table at `at` that lie in a window.
    pub(super) fn rows_in(&self, window: Window<'_>, at: SimTime) -> f64 {
        let rows = self.rows(at);
        let numbers = window.numbers.unwrap_or((0.0, f64::INFINITY));
        let (first, last) = (numbers.0.max(0.0), numbers.1);
        let Some((low, high)) = window.carried else {
            return self.present(first, last, rows);
        };
        let (from, to) = (
            self.number_at(low).max(first),
            self.number_at(high).min(last),
        );
        let on_time = self.present(from, to, rows);
        let Some(late) = self.lateness(window, at) else {
            return on_time;
        };
        let up_to = late.up_to.as_nanos() as f64;
        // A row that is late by l carries x when it was due at x + l.
        let until = |x: f64| (self.area(x + up_to, at) - self.area(x, at)) / up_to;
        let mut delayed = until(high) - until(low);
        if window.numbers.is_some() {
            delayed *= self.present(first, last, rows) / rows;
        }
        (1.0 - late.fraction) * on_time + late.fraction * delayed
    }

    /// How rows come into each of `steps` equal steps that `window` is made of.
    pub(super) fn inflow(&self, window: Window<'_>, steps: f64, at: SimTime) -> StepInflow {
        let due = self.rows_in(window.on_time(), at) / steps;
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
        let stays = if length >= up_to {
            1.0 - up_to / (2.0 * length)
        } else {
            length / (2.0 * up_to)
        };
        let stays = 1.0 - late.fraction + late.fraction * stays;
        let back = (self.rows_in(window, at) / steps - due * stays).max(0.0);
        let end = 0.5 * (low + high) + 0.5 * length;
        let behind = Window {
            carried: Some((end, end + up_to)),
            ..window.on_time()
        };
        let due_later = self.rows_in(behind, at).max(back);
        StepInflow {
            due,
            stays,
            due_later,
            falls_back: if back > 0.0 { back / due_later } else { 0.0 },
        }
    }

    /// The lateness of a window's rows, if any of them is late.
    fn lateness<'a>(&self, window: Window<'a>, at: SimTime) -> Option<&'a Late> {
        let some = |late: &&Late| late.fraction > 0.0 && late.up_to.as_nanos() > 0;
        window.late.filter(|late| some(late) && self.rows(at) > 0.0)
    }

    /// Rows with numbers `low..high` among the `rows` that are in the table.
    fn present(&self, low: f64, high: f64, rows: f64) -> f64 {
        if self.in_order || self.most <= 0.0 {
            return (high.min(rows) - low).max(0.0);
        }
        (high.min(self.most) - low).max(0.0) * rows / self.most
    }

    /// Integral up to `x` of the number of rows in the table at `at` whose instants are before it.
    fn area(&self, x: f64, at: SimTime) -> f64 {
        let rows = self.rows(at);
        let now = at.as_nanos() as f64;
        match &self.carried {
            Intensity::Rate(rate) => {
                let full = rate.time_by(self.most);
                let end = full.map_or(now, |full| now.min(full.as_nanos() as f64));
                rate.area_by(x.min(end)) + rows * (x - end).max(0.0)
            }
            Intensity::Periodic(turns) => {
                let length = turns.end.min(now) - turns.from;
                rows * ramp_area(x - turns.from, length.max(1.0))
            }
        }
    }
}

/// Integral up to `x` of a ramp from 0 at 0 to 1 at `length`, which stays there.
fn ramp_area(x: f64, length: f64) -> f64 {
    let on_ramp = x.clamp(0.0, length);
    on_ramp * on_ramp / (2.0 * length) + (x - length).max(0.0)
}

/// The instants before the run that rows carry, if they have instants of their own.
fn own_instants(rows: &ImportRows, phase: Phase, schema: &Schema) -> Option<Turns> {
    let before = |rows, every: f64, aligned, from| Turns {
        rows,
        every,
        aligned,
        jitter: 0.0,
        from,
        end: 0.0,
    };
    let len = rows.len(schema) as f64;
    match rows {
        ImportRows::Drawn { last, .. } => {
            let nanos = last.as_nanos() as f64;
            (nanos > 0.0).then(|| before(len, nanos, false, -nanos))
        }
        ImportRows::Each { each, every, .. } => {
            let combinations = Combinations::new(each, schema).count() as f64;
            let every = (*every)?.as_nanos().max(1) as f64;
            let from = -len / combinations * every;
            Some(before(combinations, every, phase == Phase::Aligned, from))
        }
    }
}

impl Turns {
    fn of(beat: &Beat, schema: &Schema) -> Self {
        Self {
            rows: Combinations::new(&beat.each, schema).count() as f64,
            every: beat.every.as_nanos().max(1) as f64,
            aligned: beat.phase == Phase::Aligned,
            jitter: beat.jitter.as_nanos() as f64,
            from: 0.0,
            end: f64::INFINITY,
        }
    }

    /// Rows before `x`: of spread ones the mean over the order in which combinations have their turns.
    fn until(&self, x: f64) -> f64 {
        let x = x.min(self.end);
        let passed = x - self.from;
        if passed <= 0.0 {
            return 0.0;
        }
        let periods = if self.aligned {
            let (whole, into) = ((x / self.every).floor(), x.rem_euclid(self.every));
            let since = whole - (self.from / self.every).ceil();
            let current = if self.jitter > 0.0 {
                (into / self.jitter).min(1.0)
            } else {
                f64::from(u8::from(into > 0.0))
            };
            (since + current).max(0.0)
        } else if passed < self.jitter {
            passed * passed / (2.0 * self.jitter) / self.every
        } else {
            (passed - 0.5 * self.jitter) / self.every
        };
        self.rows * periods
    }
}
