//! How many rows of one origin the table holds at an instant, and which instants they carry. Must not know their fields.

use super::combinations::Combinations;
use super::rate_profile::RateProfile;
use super::{Beat, Drive, Import, ImportOrder, ImportRows, Phase, Workload, Write};
use crate::record::{Late, Schema};
use crate::time::SimTime;
use crate::units::PerSecond;

/// Rows numbered from 0 in the order of the instants that they carry. Times are nanoseconds since the start of the run, negative before it; a number of rows
/// is an expectation: of Poisson arrivals and of closed loops (whose volume is an estimate) the mean, of the others exact but for rounding.
#[derive(Debug, Clone)]
pub(super) struct RowHistory {
    carried: Carried,
    written: Written,
    /// Rows after which the origin stops; infinite if only the run ends it.
    most: f64,
    /// Carried instants are evenly spaced: always of beats and of rows before the run, of arrivals when they are constant.
    regular: bool,
}

/// The instants that rows carry, lateness apart.
#[derive(Debug, Clone)]
enum Carried {
    /// All the start of the run.
    Start,
    /// Spread evenly over so long before the run.
    Before { nanos: f64 },
    /// Of every combination one in each period.
    Beats(Beats),
    /// Those at which they are written.
    Written,
}

/// When rows come into the table.
#[derive(Debug, Clone)]
enum Written {
    /// Before the run.
    Before,
    /// During the run, in the order of their numbers, or in an order that has nothing to do with it.
    Rate { rate: RateProfile, in_order: bool },
    /// When they beat.
    Beats(Beats),
}

/// Beats of all combinations together.
#[derive(Debug, Clone, Copy)]
struct Beats {
    combinations: f64,
    every: f64,
    aligned: bool,
    /// Length of the jitter.
    jitter: f64,
    /// First instant: negative for beats before the run.
    from: f64,
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
pub(super) struct Flow {
    /// Rows that are due in it.
    pub(super) due: f64,
    /// Probability that such a row carries an instant of the step.
    pub(super) stays: f64,
    /// Rows that are due after it, by no more than the greatest lateness.
    pub(super) due_later: f64,
    /// Probability that such a row carries an instant of the step.
    pub(super) falls_back: f64,
}

impl RowHistory {
    /// The history of rows written before the run.
    pub(super) fn of_existing(rows: &ImportRows, phase: Phase, schema: &Schema) -> Self {
        Self {
            carried: carried(rows, phase, schema, Carried::Start),
            written: Written::Before,
            most: rows.len(schema) as f64,
            regular: true,
        }
    }

    /// The history of a write.
    pub(super) fn of_write(workload: &Workload, write: &Write, schema: &Schema) -> Self {
        let imported = |import: &Option<Import>| match import {
            Some(Import { rows, order }) => (
                carried(rows, Phase::Spread, schema, Carried::Written),
                rows.len(schema) as f64,
                *order == ImportOrder::Time,
            ),
            None => (Carried::Written, f64::INFINITY, true),
        };
        match &write.drive {
            Drive::Open {
                rate,
                profile,
                import,
                arrivals,
            } => {
                let (carried, most, in_order) = imported(import);
                let rate = RateProfile::new(*rate, profile, workload.duration);
                Self {
                    regular: *arrivals == super::Arrivals::Constant
                        || !matches!(carried, Carried::Written),
                    carried,
                    written: Written::Rate { rate, in_order },
                    most,
                }
            }
            Drive::Closed { import, .. } => {
                let (carried, most, in_order) = imported(import);
                let volume = workload.estimated_operations(write, schema);
                let rate = PerSecond(volume / workload.duration.as_secs_f64().max(1e-9));
                let rate = RateProfile::new(rate, &[], workload.duration);
                Self {
                    regular: !matches!(carried, Carried::Written),
                    carried,
                    written: Written::Rate { rate, in_order },
                    most,
                }
            }
            Drive::Beat(beat) => Self {
                carried: Carried::Written,
                written: Written::Beats(Beats::of(beat, schema)),
                most: f64::INFINITY,
                regular: true,
            },
        }
    }

    /// Rows in the table at an instant.
    pub(super) fn rows(&self, at: SimTime) -> f64 {
        let at = at.as_nanos() as f64;
        match &self.written {
            Written::Before => self.most,
            Written::Rate { rate, .. } => rate.operations_by(at).min(self.most),
            Written::Beats(beats) => beats.until(at),
        }
    }

    /// Carried instants are evenly spaced.
    pub(super) fn regular(&self) -> bool {
        self.regular
    }

    /// Rows whose carried instants are before `instant`, once all are written.
    fn numbers_until(&self, instant: f64) -> f64 {
        match (&self.carried, &self.written) {
            (Carried::Start, _) => {
                if instant > 0.0 {
                    self.most
                } else {
                    0.0
                }
            }
            (Carried::Before { nanos }, _) => {
                self.most * ((instant + nanos) / nanos).clamp(0.0, 1.0)
            }
            (Carried::Beats(beats), _) => beats.until(instant.min(0.0)).min(self.most),
            (Carried::Written, Written::Rate { rate, .. }) => {
                rate.operations_by(instant).min(self.most)
            }
            (Carried::Written, Written::Beats(beats)) => beats.until(instant),
            (Carried::Written, Written::Before) => self.most,
        }
    }

    /// Instants that the rows in the table at `at` carry, lateness apart: from the first on up to before the last.
    pub(super) fn span(&self, at: SimTime) -> (f64, f64) {
        match &self.carried {
            Carried::Start => (0.0, 1.0),
            Carried::Before { nanos } => (-nanos, 0.0),
            Carried::Beats(beats) => (beats.from, 0.0),
            Carried::Written => (0.0, at.as_nanos() as f64),
        }
    }

    /// The number of the row that carries an instant, or that came last before it.
    pub(super) fn number_at(&self, instant: f64) -> f64 {
        self.numbers_until(instant)
    }

    /// Rows that carry an instant near this one, a nanosecond, once all are written; of aligned beats the mean over a period.
    pub(super) fn density_at(&self, instant: f64) -> f64 {
        let beats = |beats: &Beats, end: f64| {
            let inside = (beats.from..end).contains(&instant);
            f64::from(u8::from(inside)) * beats.combinations / beats.every
        };
        match (&self.carried, &self.written) {
            (Carried::Start, _) | (Carried::Written, Written::Before) => 0.0,
            (Carried::Before { nanos }, _) => {
                f64::from(u8::from((-nanos..0.0).contains(&instant))) * self.most / nanos
            }
            (Carried::Beats(before), _) => beats(before, 0.0),
            (Carried::Written, Written::Beats(during)) => beats(during, f64::INFINITY),
            (Carried::Written, Written::Rate { .. }) => {
                // A difference over a microsecond, which is shorter than what changes in a profile.
                const STEP: f64 = 1e3;
                (self.numbers_until(instant + STEP) - self.numbers_until(instant)) / STEP
            }
        }
    }

    /// Most rows that carry instants of any stretch of so many nanoseconds, lateness apart: it thins them out.
    pub(super) fn densest(&self, length: f64) -> f64 {
        let beats = |beats: &Beats| {
            let of_one = if beats.aligned {
                ((length + beats.jitter) / beats.every).floor() + 1.0
            } else {
                length / beats.every
            };
            beats.combinations * of_one
        };
        match (&self.carried, &self.written) {
            (Carried::Start, _) | (Carried::Written, Written::Before) => self.most,
            (Carried::Before { nanos }, _) => self.most * (length / nanos).min(1.0),
            (Carried::Beats(before), _) => beats(before),
            (Carried::Written, Written::Beats(during)) => beats(during),
            (Carried::Written, Written::Rate { rate, .. }) => rate.peak() * length,
        }
    }

    /// The instant by which `number` rows are expected, where rows are written at a rate and carry the instants at which they are.
    pub(super) fn written_at(&self, number: f64) -> Option<SimTime> {
        match (&self.carried, &self.written) {
            (Carried::Written, Written::Rate { rate, .. }) => rate.time_by(number),
            _ => None,
        }
    }

    /// Expected number of rows in the table at `at` that lie in a window.
    pub(super) fn rows_in(&self, window: Window<'_>, at: SimTime) -> f64 {
        let rows = self.rows(at);
        let (first, last) = window
            .numbers
            .map_or((0.0, f64::INFINITY), |(low, high)| (low.max(0.0), high));
        let Some((low, high)) = window.carried else {
            return self.present(first, last, rows);
        };
        let on_time = self.present(
            self.numbers_until(low).max(first),
            self.numbers_until(high).min(last),
            rows,
        );
        match window.late {
            Some(late) if late.fraction > 0.0 && late.up_to.as_nanos() > 0 && rows > 0.0 => {
                let up_to = late.up_to.as_nanos() as f64;
                // A row that is late by l carries x when it was due at x + l.
                let until = |x: f64| (self.area(x + up_to, at) - self.area(x, at)) / up_to;
                let mut delayed = until(high) - until(low);
                if window.numbers.is_some() {
                    delayed *= self.present(first, last, rows) / rows;
                }
                (1.0 - late.fraction) * on_time + late.fraction * delayed
            }
            _ => on_time,
        }
    }

    /// How rows come into each of `steps` equal steps that `window` is made of.
    pub(super) fn flow(&self, window: Window<'_>, steps: f64, at: SimTime) -> Flow {
        let of_instants = |carried: (f64, f64)| {
            let carried = Some(carried);
            self.rows_in(
                Window {
                    carried,
                    late: None,
                    ..window
                },
                at,
            )
        };
        let late = window
            .late
            .filter(|late| late.fraction > 0.0 && late.up_to.as_nanos() > 0 && self.rows(at) > 0.0);
        let (Some((low, high)), Some(late)) = (window.carried, late) else {
            let due = self.rows_in(
                Window {
                    late: None,
                    ..window
                },
                at,
            );
            return Flow {
                due: due / steps,
                stays: 1.0,
                ..Flow::default()
            };
        };
        let up_to = late.up_to.as_nanos() as f64;
        let due = of_instants((low, high)) / steps;
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
        let due_later = of_instants((end, end + up_to)).max(back);
        Flow {
            due,
            stays,
            due_later,
            falls_back: if back > 0.0 { back / due_later } else { 0.0 },
        }
    }

    /// Rows with numbers `low..high` among the `rows` that are in the table.
    fn present(&self, low: f64, high: f64, rows: f64) -> f64 {
        match &self.written {
            Written::Rate {
                in_order: false, ..
            } if self.most > 0.0 => (high.min(self.most) - low).max(0.0) * rows / self.most,
            _ => (high.min(rows) - low).max(0.0),
        }
    }

    /// Integral up to `x` of the number of rows in the table at `at` whose instants are before it.
    fn area(&self, x: f64, at: SimTime) -> f64 {
        let rows = self.rows(at);
        let share = if self.most.is_finite() && self.most > 0.0 {
            rows / self.most
        } else {
            1.0
        };
        let end = at.as_nanos() as f64;
        match (&self.carried, &self.written) {
            (Carried::Start, _) => rows * x.max(0.0),
            (Carried::Before { nanos }, _) => share * self.most * ramp_area(x + nanos, *nanos),
            (Carried::Beats(beats), _) => rows * ramp_area(x - beats.from, -beats.from),
            (Carried::Written, Written::Rate { rate, .. }) => {
                let end = match rate.time_by(self.most) {
                    Some(full) if self.most.is_finite() => end.min(full.as_nanos() as f64),
                    _ => end,
                };
                rate.area_by(x.min(end)) + rows * (x - end).max(0.0)
            }
            (Carried::Written, Written::Beats(_)) => rows * ramp_area(x, end.max(1.0)),
            (Carried::Written, Written::Before) => rows * x.max(0.0),
        }
    }
}

/// Integral up to `x` of a ramp from 0 at 0 to 1 at `length`, which stays there.
fn ramp_area(x: f64, length: f64) -> f64 {
    let on_ramp = x.clamp(0.0, length);
    on_ramp * on_ramp / (2.0 * length) + (x - length).max(0.0)
}

fn carried(rows: &ImportRows, phase: Phase, schema: &Schema, without: Carried) -> Carried {
    match rows {
        ImportRows::Drawn { last, .. } if last.as_nanos() > 0 => Carried::Before {
            nanos: last.as_nanos() as f64,
        },
        ImportRows::Each {
            each,
            every: Some(every),
            ..
        } => {
            let combinations = Combinations::new(each, schema).count() as f64;
            let every = every.as_nanos().max(1) as f64;
            Carried::Beats(Beats {
                combinations,
                every,
                aligned: phase == Phase::Aligned,
                jitter: 0.0,
                from: -(rows.len(schema) as f64) / combinations * every,
            })
        }
        ImportRows::Drawn { .. } | ImportRows::Each { every: None, .. } => without,
    }
}

impl Beats {
    fn of(beat: &Beat, schema: &Schema) -> Self {
        Self {
            combinations: Combinations::new(&beat.each, schema).count() as f64,
            every: beat.every.as_nanos().max(1) as f64,
            aligned: beat.phase == Phase::Aligned,
            jitter: beat.jitter.as_nanos() as f64,
            from: 0.0,
        }
    }

    /// Beats before `x`, of all combinations: of spread ones the mean over the order in which they beat.
    fn until(&self, x: f64) -> f64 {
        let passed = x - self.from;
        if passed <= 0.0 {
            return 0.0;
        }
        let periods = if self.aligned {
            let (whole, into) = ((x / self.every).floor(), x.rem_euclid(self.every));
            let since = whole - (self.from / self.every).ceil();
            let current = if self.jitter > 0.0 {
                (into / self.jitter).min(1.0)
            } else if into > 0.0 {
                1.0
            } else {
                0.0
            };
            (since + current).max(0.0)
        } else if passed < self.jitter {
            passed * passed / (2.0 * self.jitter) / self.every
        } else {
            (passed - 0.5 * self.jitter) / self.every
        };
        self.combinations * periods
    }
}
