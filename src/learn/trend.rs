//! Whether values come one after another, in rising or falling order, each for some rows in turn. Must not know what they mean.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Fewest rows that say so: that many of two values that come by chance are hardly ever sorted (estimate).
pub const LEAST_ROWS: u64 = 30;

/// Of so many rows one may be late; and so long, of the rows, the greatest value has not come yet: one that has half of the rows by chance is there at once.
/// A value that comes back is not late where that is within this part of the rows so far: an order is paid soon after it is made (estimate).
const ONE_IN: u64 = 10;

/// The farthest value is noted this often while the rows double in number.
const NOTED: u64 = 16;

/// Values in the order of the rows.
#[derive(Debug, Default)]
pub struct Trend<T> {
    rows: u64,
    rising: Steps<T>,
    falling: Steps<T>,
}

/// Rows that go beyond all before them, or stay at the farthest.
#[derive(Debug, Default)]
struct Steps<T> {
    end: Option<T>,
    beyond: u64,
    /// Rows whose values were not reached before the last tenth of the rows so far, or are the farthest.
    recent: u64,
    last: u64,
    /// The farthest values after so many rows; the first is the one that recent values go beyond.
    noted: VecDeque<(u64, T)>,
}

impl<T: Clone> Steps<T> {
    /// Notes the farthest value of so many rows, and forgets those that no longer count.
    fn note(&mut self, rows: u64) {
        let last = self.noted.back().map_or(0, |(row, _)| *row);
        if rows >= last + (last / NOTED).max(1) {
            self.noted.extend(self.end.clone().map(|end| (rows, end)));
        }
        let is_long_ago = |row: u64| (rows - row) * ONE_IN >= rows;
        while self.noted.get(1).is_some_and(|(row, _)| is_long_ago(*row)) {
            self.noted.pop_front();
        }
    }
}

impl<T> Trend<T> {
    /// The value of the next row. O(length).
    pub fn add<V: ?Sized + Ord + ToOwned<Owned = T>>(&mut self, value: &V)
    where
        T: Borrow<V> + Clone,
    {
        let directions = [
            (&mut self.rising, Ordering::Greater),
            (&mut self.falling, Ordering::Less),
        ];
        for (steps, beyond) in directions {
            let order = steps.end.as_ref().map(|end| value.cmp(end.borrow()));
            if order.is_none_or(|it| it == beyond) {
                steps.end = Some(value.to_owned());
                (steps.beyond, steps.last) = (steps.beyond + 1, self.rows);
            }
            let since = steps.noted.front().map(|(_, end)| value.cmp(end.borrow()));
            let is_recent = since.is_none_or(|it| it == beyond) || order == Some(Ordering::Equal);
            steps.recent += u64::from(is_recent);
            steps.note(self.rows);
        }
        self.rows += 1;
    }

    /// Least and greatest.
    pub fn ends(&self) -> Option<(&T, &T)> {
        self.falling.end.as_ref().zip(self.rising.end.as_ref())
    }

    /// Whether most rows go beyond all before them.
    pub fn is_strict(&self) -> bool {
        self.rising.beyond.max(self.falling.beyond) * 2 > self.rows
    }

    /// Whether each of so many values has its turn, and hardly any comes back but soon.
    pub fn is_successive(&self, distinct: f64) -> bool {
        let comes_in_turn = |steps: &Steps<T>| {
            let others = self.rows - steps.recent;
            others * ONE_IN <= self.rows
                && steps.last * ONE_IN >= self.rows
                && steps.beyond as f64 * 2.0 >= distinct
        };
        self.rows >= LEAST_ROWS
            && distinct >= 2.0
            && (comes_in_turn(&self.rising) || comes_in_turn(&self.falling))
    }
}
