//! A value that was estimated from counts, with its 95 % confidence interval. Must not know what was counted.

/// Standard deviations on either side that hold 95 % of a normal law.
pub const Z_975: f64 = 1.959_963_985;

/// An estimate with its 95 % confidence interval: `low <= value <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// What is known exactly.
    pub fn exact(value: f64) -> Self {
        Self::normal(value, 0.0)
    }

    /// A normal law around the value.
    pub fn normal(value: f64, deviation: f64) -> Self {
        Self {
            value,
            low: value - Z_975 * deviation,
            high: value + Z_975 * deviation,
        }
    }

    /// A value > 0 whose logarithm has that standard deviation.
    pub fn log_normal(value: f64, deviation: f64) -> Self {
        let factor = libm::exp(Z_975 * deviation);
        Self {
            value,
            low: value / factor,
            high: value * factor,
        }
    }

    /// The fraction `hits / of` of independent trials: Wilson's score interval (1927). `of` > 0.
    pub fn fraction(hits: u64, of: u64) -> Self {
        let (n, value) = (of as f64, hits as f64 / of as f64);
        let z2 = Z_975 * Z_975;
        let centre = (value + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let spread = (value * (1.0 - value) / n + z2 / (4.0 * n * n)).sqrt();
        let half = Z_975 * spread / (1.0 + z2 / n);
        Self {
            value,
            low: (centre - half).clamp(0.0, value),
            high: (centre + half).clamp(value, 1.0),
        }
    }

    /// Whether it holds a value.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_have_wilsons_interval() {
        // 10 of 100: (0.1 + 0.0192 -+ 1.96 sqrt(0.0009 + 0.000096)) / 1.0384, worked by hand.
        let found = Interval::fraction(10, 100);
        assert!((found.low - 0.0552).abs() < 1e-4 && (found.high - 0.1744).abs() < 1e-4);
        let none = Interval::fraction(0, 100);
        assert_eq!((none.value, none.low), (0.0, 0.0));
        // z^2 / (n + z^2).
        assert!((none.high - 0.0370).abs() < 1e-4);
        assert_eq!(Interval::fraction(5, 5).high, 1.0);
    }

    #[test]
    fn logarithms_have_a_symmetric_interval() {
        let found = Interval::log_normal(10.0, 0.5);
        assert!((found.low * found.high - 100.0).abs() < 1e-9 && found.contains(26.0));
        assert!(!found.contains(27.0));
    }
}
