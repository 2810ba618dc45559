//! How many of the writes of a cell are kept, where its newest ones are. Must not know what tells cells apart.

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
    // Hundreds are as many as they are expected to be, but for a few percent.
    if due > 500.0 || most > due + 8.0 * due.sqrt() + 20.0 {
        return due.min(most);
    }
    // Where all of them fall on the cell as well.
    let share = certain.min(1.0 - 1e-12);
    let of_some = |trials: f64| {
        let none = match trials.is_finite() {
            true => trials * libm::log1p(-share),
            false => -due,
        };
        let (mut number, mut chance, mut kept) = (0.0, libm::exp(none), most);
        while number < most && number <= trials {
            kept -= (most - number) * chance;
            let more = match trials.is_finite() {
                true => (trials - number) * share / (1.0 - share),
                false => due,
            };
            number += 1.0;
            chance *= more / number;
        }
        kept
    };
    let kept = match share > 0.0 {
        true => {
            let (whole, part) = ((due / share).floor(), (due / share).fract());
            (1.0 - part) * of_some(whole) + part * of_some(whole + 1.0)
        }
        false => of_some(f64::INFINITY),
    };
    kept.min(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a Poisson number with a mean of 2 two are kept of 2 - 2 e^-2 - 2 e^-2 = 1.459, of four that fall on it with 1/2 each 2 - 2/16 - 4/16 = 1.625, and of just two or
    /// three all of them.
    #[test]
    fn of_numbers_that_scatter_fewer_are_kept_than_of_their_mean() {
        for (most, due, certain, right) in [
            (2.0, 2.0, 0.0, 1.458_659),
            (2.0, 2.0, 0.5, 1.625),
            (2.0, 2.0, 1.0, 2.0),
            (3.0, 2.5, 1.0, 2.5),
            (2.0, 2.5, 1.0, 2.0),
            (1e9, 2.5, 0.0, 2.5),
        ] {
            let of = InCell {
                due,
                certain,
                ..InCell::default()
            };
            let kept = kept_of(most, of);
            assert!((kept - right).abs() < 1e-6, "{most} of {due}: {kept}");
        }
    }
}
