//! The arithmetic of two integers, which wraps as Java's `long` does.

use crate::record::Interval;

/// What is made of two integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// The remainder from 0 on.
    Pmod,
}

impl Operator {
    /// As it is written in an expression.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Pmod => "pmod",
        }
    }

    /// Replaces each value of `left` by what the operator makes of it and the value of `right` at the same place.
    #[inline]
    pub fn apply(self, left: &mut [i64], right: &[i64]) {
        match self {
            Self::Add => each(left, right, i64::wrapping_add),
            Self::Subtract => each(left, right, i64::wrapping_sub),
            Self::Multiply => each(left, right, i64::wrapping_mul),
            Self::Divide => each(left, right, unless_zero(i64::wrapping_div)),
            Self::Remainder => each(left, right, unless_zero(i64::wrapping_rem)),
            Self::Pmod => each(left, right, unless_zero(i64::wrapping_rem_euclid)),
        }
    }

    /// What it makes of two values.
    pub fn of(self, left: i64, right: i64) -> i64 {
        let mut value = [left];
        self.apply(&mut value, &[right]);
        value[0]
    }

    /// What it makes of the values of two intervals; a divisor's does not hold 0, a modulus is positive.
    pub fn range(self, left: Interval, right: Interval) -> Interval {
        match self {
            Self::Add => left.corners(right, |a, b| a + b),
            Self::Subtract => left.corners(right, |a, b| a - b),
            Self::Multiply => left.corners(right, |a, b| a * b),
            // Divisors have one sign, so that the quotient is monotone in each operand.
            Self::Divide => left.corners(right, |a, b| a / b),
            Self::Remainder => left.remainder(right),
            Self::Pmod => left.pmod(right),
        }
    }
}

fn each(left: &mut [i64], right: &[i64], make: impl Fn(i64, i64) -> i64) {
    for (left, right) in left.iter_mut().zip(right) {
        *left = make(*left, *right);
    }
}

/// A divisor is 0 only for records from outside the fields' domains.
fn unless_zero(divide: impl Fn(i64, i64) -> i64) -> impl Fn(i64, i64) -> i64 {
    move |a, b| if b == 0 { 0 } else { divide(a, b) }
}

#[cfg(test)]
#[path = "operator_tests.rs"]
mod tests;
