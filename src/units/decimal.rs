//! Decimal numbers read exactly, before their unit is known. Must not know any unit.

use super::error::Fault;
use std::fmt;

/// `digits` / 10^`decimals`, >= 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decimal {
    digits: u128,
    decimals: u32,
}

/// Digits that a number may have: all that fit are exact.
const MAX_DIGITS: usize = 30;

/// Cuts a text without spaces around it into its number and its unit.
pub(super) fn split(text: &str) -> Result<(Decimal, &str), Fault> {
    if text.is_empty() {
        return Err(Fault::Empty);
    }
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if text.strip_prefix('-').is_some_and(number) {
        return Err(Fault::Negative);
    }
    let (mut digits, mut decimals, mut end) = (String::new(), None, 0);
    for (at, c) in text.char_indices() {
        match c {
            '0'..='9' => {
                digits.push(c);
                decimals = decimals.map(|count: u32| count + 1);
            }
            '_' if text[..at].ends_with(|c: char| c.is_ascii_digit()) => {}
            '.' if decimals.is_none() => decimals = Some(0),
            _ => break,
        }
        end = at + 1;
    }
    let unit = text[end..].trim_start();
    if digits.is_empty() || text[..end].ends_with(['_', '.']) || text.starts_with('.') {
        return Err(Fault::NoNumber);
    }
    if unit.is_empty() {
        return Err(Fault::NoUnit);
    }
    let decimals = decimals.unwrap_or(0);
    let significant = digits.trim_start_matches('0');
    if significant.len() > MAX_DIGITS && (decimals as usize) < MAX_DIGITS / 2 {
        return Err(Fault::TooLarge);
    }
    if significant.len().max(decimals as usize) > MAX_DIGITS {
        return Err(Fault::TooFine);
    }
    let digits = significant.parse().unwrap_or(0);
    Ok((Decimal { digits, decimals }, unit))
}

impl Decimal {
    /// `value` / `scale` with a scale of the form 10^n x whole minutes; exact for values that divide.
    pub(super) fn quotient(value: u64, scale: u64) -> Self {
        let (digits, decimals) = match value.is_multiple_of(scale) {
            true => (value / scale, 0),
            false => (value, scale.ilog10()),
        };
        Self {
            digits: digits.into(),
            decimals,
        }
    }

    /// `self` x `scale`, at most `limit`: rounded half up, unless it must be `whole`.
    pub(super) fn times(self, scale: u64, limit: u64, whole: bool) -> Result<u64, Fault> {
        let divisor = 10u128.pow(self.decimals);
        let product = self.digits.checked_mul(scale.into());
        let product = product.ok_or(Fault::TooLarge)?;
        let (value, rest) = (product / divisor, product % divisor);
        if value > limit.into() || (value == limit.into() && rest > 0) {
            return Err(Fault::TooLarge);
        }
        if whole && rest > 0 {
            return Err(Fault::TooFine);
        }
        Ok(value as u64 + u64::from(rest > 0 && rest >= divisor - rest))
    }

    /// The nearest double.
    pub(super) fn to_f64(self) -> f64 {
        // The decimal text itself is parsed: correctly rounded, unlike a division of two doubles.
        format!("{}e-{}", self.digits, self.decimals)
            .parse()
            .unwrap_or(f64::INFINITY)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let divisor = 10u128.pow(self.decimals);
        write!(out, "{}", self.digits / divisor)?;
        let rest = self.digits % divisor;
        if rest > 0 {
            let text = format!("{rest:0width$}", width = self.decimals as usize);
            write!(out, ".{}", text.trim_end_matches('0'))?;
        }
        Ok(())
    }
}
