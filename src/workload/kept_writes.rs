//! How many of the writes of a cell are kept, where its newest ones are. Must not know what tells cells apart.

use crate::statistics::mean_of_least;

/// How many of an origin's rows are in a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InCell {
    /// Probability that any is, which may be one of another origin.
    pub held: f64,
    /// Expected rows that fall on it.
    pub due: f64,
    /// Probability that any can.
    pub reached: f64,
    /// Of rows that come for certain, which share of them falls on it; 0 of others.
    pub certain: f64,
}

impl InCell {
    /// Those of both together.
    pub fn and(self, other: Self) -> Self {
        let due = self.due + other.due;
        let certain = self.certain * self.due + other.certain * other.due;
        Self {
            due,
            certain: if due > 0.0 { certain / due } else { 0.0 },
            ..self
        }
    }

    /// How many writes are kept of a cell that these hold, and on which others fall as well, where so many are at most: a mean.
    pub fn kept(self, others: Self, most: u32) -> f64 {
        if self.held <= 0.0 {
            return 1.0;
        }
        let [held, due] = [self.held, self.due].map(|it| it / self.reached);
        let most = f64::from(most);
        let all = kept_of(most, Self { due, ..self }.and(others));
        let kept = (all - (1.0 - held) * kept_of(most, others)) / held;
        kept.clamp(1.0, most)
    }
}

/// The mean of what is kept of so many at most: of a binomial number of those that come for certain, else of a Poisson number.
pub(super) fn kept_of(most: f64, InCell { due, certain, .. }: InCell) -> f64 {
    mean_of_least(most, due, certain)
}
