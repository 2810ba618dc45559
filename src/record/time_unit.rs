//! What times count. Must not know fields.

use crate::time::EpochNanos;

crate::text::words! {
    /// Unit that a timestamp counts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TimeUnit {
        /// Seconds.
        Seconds = "s",
        /// Milliseconds.
        Millis = "ms",
        /// Microseconds.
        Micros = "us",
        /// Nanoseconds.
        Nanos = "ns",
    }
}

impl TimeUnit {
    /// Nanoseconds in one.
    pub const fn nanos(self) -> i64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Millis => 1_000_000,
            Self::Micros => 1_000,
            Self::Nanos => 1,
        }
    }

    /// Whole units from 1970 to `at`, rounded down.
    pub fn floor(self, at: EpochNanos) -> i64 {
        // A division by a constant in each arm is a multiplication.
        match self {
            Self::Seconds => at.0.div_euclid(1_000_000_000),
            Self::Millis => at.0.div_euclid(1_000_000),
            Self::Micros => at.0.div_euclid(1_000),
            Self::Nanos => at.0,
        }
    }
}
