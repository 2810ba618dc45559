//! How the times of a column follow the order of the rows: rate, late rows, hours of the day. Must not know what the rows are.

use super::bursts::{Bursts, SECOND};
use crate::statistics::Interval;

/// The row up to which the clock is found: the first one may be late, and so far back that the rate would be too low. 64 late rows in a row don't come.
const ANCHOR: u64 = 64;

/// Nanoseconds.
const HOUR: i64 = 3_600 * SECOND;

/// Times in nanoseconds since 1970, in the order of the rows.
#[derive(Debug, Default)]
pub struct TimeOrder {
    rows: u64,
    /// Least time.
    pub first: i64,
    /// Greatest time.
    pub last: i64,
    /// The last row that was not late.
    newest: u64,
    /// Such a row near the beginning, and its time.
    anchor: (u64, i64),
    late: u64,
    /// Rows that are not after any before them.
    falling: u64,
    lag: f64,
    /// How far a row was behind the greatest time before it, at most.
    pub greatest_lag: i64,
    hours: [u64; 24],
    /// Those of them before the anchor's time, and all up to its row.
    early: [u64; 24],
    /// All times are multiples of it.
    grain: i64,
    /// How evenly they come.
    pub bursts: Bursts,
}

/// Rows that come after later ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lateness {
    /// Their part of all rows.
    pub fraction: Interval,
    /// How late they are at most, in seconds, if all are equally likely up to there: the greatest, or twice the mean where that is far off.
    pub up_to: f64,
    /// Whether the greatest is.
    pub is_even: bool,
}

impl TimeOrder {
    /// The time of the next row. O(1).
    pub fn add(&mut self, at: i64) {
        if self.rows == 0 {
            (self.first, self.last, self.anchor) = (at, at, (0, at));
        }
        if at >= self.last {
            (self.last, self.newest) = (at, self.rows);
        } else {
            self.late += 1;
            let lag = self.last.saturating_sub(at);
            self.lag += lag as f64;
            self.greatest_lag = self.greatest_lag.max(lag);
        }
        self.falling += u64::from(at <= self.first);
        if self.rows == ANCHOR {
            self.anchor = (self.newest, self.last);
        }
        self.first = self.first.min(at);
        let hour = at.div_euclid(HOUR).rem_euclid(24) as usize;
        self.hours[hour] += 1;
        self.early[hour] += u64::from(self.rows <= ANCHOR || at < self.anchor.1);
        self.grain = greatest_divisor(self.grain, at);
        self.bursts.add(at);
        self.rows += 1;
    }

    /// Whether most rows come in the order of their times.
    pub fn is_in_order(&self) -> bool {
        self.late * 2 < self.rows
    }

    /// Whether most rows come in that order, or in the opposite one: the file is sorted by time.
    pub fn is_sorted(&self) -> bool {
        self.is_in_order() || self.falling * 2 > self.rows
    }

    /// The greatest divisor of so many nanoseconds that all times are multiples of.
    pub fn step(&self, most: i64) -> i64 {
        greatest_divisor(self.grain, most)
    }

    /// The greatest unit that all times are multiples of, in nanoseconds: a second, or 1e6, 1e3, 1.
    pub fn unit(&self) -> i64 {
        let mut units = [SECOND, 1_000_000, 1_000].into_iter();
        units.find(|unit| self.grain % unit == 0).unwrap_or(1)
    }

    /// From the first to the last time, in seconds.
    pub fn span(&self) -> f64 {
        (self.last as f64 - self.first as f64) / SECOND as f64
    }

    /// Rows a second, if they arrive independently, or in bursts that do: between a row near the beginning and the last one, neither of them late, the gaps add up to a Gamma law;
    /// both times are rounded down to the unit, and their difference varies by the square of it / 6. `None` without any time between rows.
    pub fn rate(&self) -> Option<Interval> {
        let (row, at) = self.anchor;
        let (gaps, time) = match self.is_in_order() {
            true => (self.newest - row, self.last - at),
            false => (self.rows.saturating_sub(1), self.last - self.first),
        };
        if gaps == 0 || time <= 0 {
            return None;
        }
        let (gaps, time, unit) = (gaps as f64, time as f64, self.unit() as f64);
        let rounding = unit * unit / (6.0 * time * time);
        let rate = gaps * SECOND as f64 / time;
        let dispersion = self.bursts.found().map_or(1.0, |it| it.dispersion);
        let variance = dispersion / gaps + rounding;
        Some(Interval::log_normal(rate, variance.sqrt()))
    }

    /// `None` where no row is late, or the rows are in another order.
    pub fn lateness(&self) -> Option<Lateness> {
        if self.late == 0 || !self.is_in_order() {
            return None;
        }
        let twice_the_mean = 2.0 * self.lag / self.late as f64;
        // Of an even law the mean is half of the greatest: 40 % leaves room for chance from a few late rows on.
        let greatest = self.greatest_lag as f64;
        let is_even = twice_the_mean >= 0.8 * greatest;
        let up_to = if is_even { greatest } else { twice_the_mean };
        Some(Lateness {
            fraction: Interval::fraction(self.late, self.rows),
            up_to: up_to / SECOND as f64,
            is_even,
        })
    }

    /// Rows a second in each hour of the day (UTC), over the time that the rows span, from the anchor on where they are in order: before it there are none but
    /// late ones. `None` where they span less than a day.
    pub fn by_hour(&self) -> Option<[Interval; 24]> {
        let (start, early) = match self.is_in_order() {
            true => (self.anchor.1, self.early),
            false => (self.first, [0; 24]),
        };
        (self.last - start >= 24 * HOUR).then(|| {
            std::array::from_fn(|hour| {
                // Time of this hour before an instant.
                let before = |at: i64| {
                    let shifted = at - hour as i64 * HOUR;
                    shifted.div_euclid(24 * HOUR) * HOUR + shifted.rem_euclid(24 * HOUR).min(HOUR)
                };
                let seconds = (before(self.last) - before(start)) as f64 / SECOND as f64;
                let rows = (self.hours[hour] - early[hour]) as f64;
                Interval::log_normal(rows / seconds, 1.0 / rows.max(1.0).sqrt())
            })
        })
    }
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    match b {
        0 => a.abs(),
        _ => greatest_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seconds: impl IntoIterator<Item = i64>) -> TimeOrder {
        let mut found = TimeOrder::default();
        seconds.into_iter().for_each(|at| found.add(at * SECOND));
        found
    }

    #[test]
    fn rows_behind_the_greatest_time_are_late() {
        let found = of([10, 20, 15, 30, 12, 40, 40]);
        let lateness = found.lateness().unwrap();
        assert_eq!(lateness.fraction, Interval::fraction(2, 7));
        // 5 and 18 s: twice their mean is 23 s, more than the greatest.
        assert_eq!((lateness.up_to, lateness.is_even), (18.0, true));
        assert_eq!(found.unit(), SECOND);
        // Six gaps in 30 s.
        assert!((found.rate().unwrap().value - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_late_first_row_does_not_lower_the_rate() {
        let found = of(std::iter::once(0).chain(10_000..12_000));
        assert!((found.rate().unwrap().value - 1.0).abs() < 1e-3);
    }

    #[test]
    fn rows_in_another_order_have_a_rate_and_no_lateness() {
        let found = of((0..1_000).rev());
        assert!(!found.is_in_order() && found.lateness().is_none());
        assert!((found.rate().unwrap().value - 1.0).abs() < 1e-9);
    }

    #[test]
    fn hours_count_as_often_as_they_were_passed() {
        // A day and a half from 06:00 on, a row a minute from 06:00 to 18:00, else every two minutes.
        let start = 6 * 60;
        let rows =
            (start..start + 36 * 60).filter(|at| (6..18).contains(&(at / 60 % 24)) || at % 2 == 0);
        let found = of(rows.map(|at| at * 60)).by_hour().unwrap();
        assert!(
            (found[12].value - 1.0 / 60.0).abs() < 1e-4,
            "{:?}",
            found[12]
        );
        assert!((found[3].value - 0.5 / 60.0).abs() < 1e-4, "{:?}", found[3]);
    }
}
