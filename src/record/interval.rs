//! Which values an integer can take.
//!
//! Arithmetic wraps like Java's `long`: a bound that overflows makes every value possible.

/// `low ..= high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

impl Interval {
    /// Every `i64`.
    pub const ALL: Self = Self {
        low: i64::MIN,
        high: i64::MAX,
    };

    /// `low ..= high`.
    pub fn new(low: i64, high: i64) -> Self {
        debug_assert!(low <= high);
        Self { low, high }
    }

    /// One value.
    pub fn one(value: i64) -> Self {
        Self::new(value, value)
    }

    /// The value, if there is only one.
    pub fn single(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Is `value` possible?
    pub fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Is every value of `self` between `low` and `high`?
    pub fn within(self, low: i64, high: i64) -> bool {
        low <= self.low && self.high <= high
    }

    /// Number of values.
    pub fn count(self) -> u128 {
        (i128::from(self.high) - i128::from(self.low)) as u128 + 1
    }

    /// From exact bounds; all values when they leave 64 bits, as wrapping can then reach any.
    fn exact(low: i128, high: i128) -> Self {
        match (i64::try_from(low), i64::try_from(high)) {
            (Ok(low), Ok(high)) => Self { low, high },
            _ => Self::ALL,
        }
    }

    /// What `f`, monotone in each operand, makes of both.
    pub fn corners(self, other: Self, f: impl Fn(i128, i128) -> i128) -> Self {
        let ends = |interval: Self| [i128::from(interval.low), i128::from(interval.high)];
        let values = ends(self).map(|a| ends(other).map(|b| f(a, b)));
        let values = values.as_flattened();
        let low = values.iter().copied().fold(i128::MAX, i128::min);
        let high = values.iter().copied().fold(i128::MIN, i128::max);
        Self::exact(low, high)
    }

    /// `self % other` with the sign of `self`; `other` must not contain 0.
    pub fn remainder(self, other: Self) -> Self {
        let limit = i128::from(other.low)
            .abs()
            .max(i128::from(other.high).abs())
            - 1;
        if other.single().is_some() && self.low >= 0 && i128::from(self.high) <= limit {
            return self;
        }
        let low = i128::from(self.low).clamp(-limit, 0);
        let high = i128::from(self.high).clamp(0, limit);
        Self::exact(low, high)
    }

    /// The remainder in `0 .. other`; `other` is positive.
    pub fn pmod(self, other: Self) -> Self {
        if self.low >= 0 {
            return self.remainder(other);
        }
        Self::new(0, other.high - 1)
    }

    /// Absolute value, wrapping at the least `i64`.
    pub fn abs(self) -> Self {
        match (self.low, self.high) {
            (0.., _) | (i64::MIN, i64::MIN) => self,
            (i64::MIN, _) => Self::ALL,
            (low, ..=0) => Self::new(-self.high, -low),
            (low, high) => Self::new(0, high.max(-low)),
        }
    }
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.single() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}..={}", self.low, self.high),
        }
    }
}
