//! Decimal numbers read exactly, before their unit is known. Must not know any unit.

use super::{UnitError, UnitKind};
use std::fmt;

/// `digits` / 10^`decimals`, >= 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decimal {
    digits: u128,
    decimals: u32,
}

/// Why a decimal is not what its unit needs.
pub(super) enum Fault {
    TooLarge,
    TooFine,
}

impl Fault {
    pub(super) fn error(self, kind: UnitKind, found: &str) -> UnitError {
        let found = found.to_owned();
        match self {
            Self::TooLarge => UnitError::TooLarge { kind, found },
            Self::TooFine => UnitError::TooFine { kind, found },
        }
    }
}

/// Digits that a number may have: all that fit are exact.
const MAX_DIGITS: usize = 30;

/// Cuts `text` into its number and its unit, spaces trimmed.
pub(super) fn split(text: &str, kind: UnitKind) -> Result<(Decimal, &str), UnitError> {
    let trimmed = text.trim();
    let found = || text.to_owned();
    if trimmed.is_empty() {
        return Err(UnitError::Empty { kind });
    }
    if let Some(rest) = trimmed.strip_prefix('-')
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return Err(UnitError::Negative {
            kind,
            found: found(),
        });
    }
    let mut digits = String::new();
    let mut decimals = None;
    let mut end = 0;
    for (at, c) in trimmed.char_indices() {
        match c {
            '0'..='9' => {
                digits.push(c);
                decimals = decimals.map(|count: u32| count + 1);
            }
            '_' if trimmed[..at].ends_with(|c: char| c.is_ascii_digit()) => {}
            '.' if decimals.is_none() => decimals = Some(0),
            _ => break,
        }
        end = at + 1;
    }
    let unit = trimmed[end..].trim_start();
    if digits.is_empty() || trimmed[..end].ends_with(['_', '.']) || trimmed.starts_with('.') {
        return Err(UnitError::NoNumber {
            kind,
            found: found(),
        });
    }
    if unit.is_empty() {
        return Err(UnitError::NoUnit {
            kind,
            found: found(),
        });
    }
    let significant = digits.trim_start_matches('0');
    if significant.len() > MAX_DIGITS {
        let many_decimals = decimals.unwrap_or(0) as usize >= MAX_DIGITS / 2;
        let fault = if many_decimals {
            Fault::TooFine
        } else {
            Fault::TooLarge
        };
        return Err(fault.error(kind, text));
    }
    let digits = significant.parse().unwrap_or(0);
    let decimals = decimals.unwrap_or(0);
    if decimals as usize > MAX_DIGITS {
        return Err(Fault::TooFine.error(kind, text));
    }
    Ok((Decimal { digits, decimals }, unit))
}

impl Decimal {
    /// `value` / `scale` with a scale of the form 10^n x whole minutes; exact for values that divide.
    pub(super) fn quotient(value: u64, scale: u64) -> Self {
        let decimals = if scale == 1 { 0 } else { scale.ilog10() };
        if value.is_multiple_of(scale) {
            return Self {
                digits: u128::from(value / scale),
                decimals: 0,
            };
        }
        Self {
            digits: u128::from(value),
            decimals,
        }
    }

    /// `self` x `scale`, a whole number of at most `limit`.
    pub(super) fn whole_times(self, scale: u64, limit: u128) -> Result<u64, Fault> {
        let (whole, rest, _) = self.times(scale, limit)?;
        if rest == 0 {
            Ok(whole)
        } else {
            Err(Fault::TooFine)
        }
    }

    /// `self` x `scale`, rounded half up, at most `limit`.
    pub(super) fn rounded_times(self, scale: u64, limit: u128) -> Result<u64, Fault> {
        let (whole, rest, divisor) = self.times(scale, limit)?;
        Ok(whole + u64::from(rest >= divisor - rest && rest > 0))
    }

    fn times(self, scale: u64, limit: u128) -> Result<(u64, u128, u128), Fault> {
        let divisor = 10u128.pow(self.decimals);
        let product = self
            .digits
            .checked_mul(u128::from(scale))
            .ok_or(Fault::TooLarge)?;
        let (whole, rest) = (product / divisor, product % divisor);
        if whole > limit || (whole == limit && rest > 0) {
            return Err(Fault::TooLarge);
        }
        Ok((whole as u64, rest, divisor))
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
