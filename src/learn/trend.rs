//! Whether values come one after another, in rising or falling order, each for some rows in turn. Must not know what they mean.

use std::borrow::Borrow;
use std::cmp::Ordering;

/// Fewest rows that say so: that many of two values that come by chance are hardly ever sorted (estimate).
pub const LEAST_ROWS: u64 = 30;

/// Of so many rows one may be late; and so long, of the rows, the greatest value has not come yet: one that has half of the rows by chance is there at once.
const ONE_IN: u64 = 10;

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
    at_end: u64,
    last: u64,
}

impl<T> Trend<T> {
    /// The value of the next row. O(length).
    pub fn add<V: ?Sized + Ord + ToOwned<Owned = T>>(&mut self, value: &V)
    where
        T: Borrow<V>,
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
            } else if order == Some(Ordering::Equal) {
                steps.at_end += 1;
            }
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

    /// Whether each of so many values has its turn, and hardly any comes back.
    pub fn is_successive(&self, distinct: f64) -> bool {
        let comes_in_turn = |steps: &Steps<T>| {
            let others = self.rows - steps.beyond - steps.at_end;
            others * ONE_IN <= self.rows
                && steps.last * ONE_IN >= self.rows
                && steps.beyond as f64 * 2.0 >= distinct
        };
        self.rows >= LEAST_ROWS
            && distinct >= 2.0
            && (comes_in_turn(&self.rising) || comes_in_turn(&self.falling))
    }
}
