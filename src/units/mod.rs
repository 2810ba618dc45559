//! Numbers with units, as scenario files write them (`"2ms"`, `"64KB"`, `"40k/s"`), and their parsers.
//!
//! Must not know where a number came from: errors say what was found and expected, not where.
//! Values are read exactly, as decimal fractions: `"0.3ms"` is 300,000 ns, not the nearest binary double.
//! Powers of 1024 for bytes, as HBase users mean them; powers of 1000 for rates.

mod decimal;
mod error;

pub use error::{UnitError, UnitKind};

use decimal::Decimal;
use std::fmt;
use std::str::FromStr;

/// A length of time in nanoseconds, at most [`Nanos::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Nanos(pub u64);

/// A number of bytes, at most [`ByteSize::MAX`]. In text, KB, MB, GB are powers of 1024, as HBase users mean them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ByteSize(pub u64);

/// Events per second, finite and >= 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct PerSecond(pub f64);

/// Bytes per second, finite and > 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Bandwidth(pub f64);

const TIMES: [(&str, u64); 6] = [
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];
const SIZES: [(&str, u64); 9] = [
    ("B", 1),
    ("KB", 1 << 10),
    ("MB", 1 << 20),
    ("GB", 1 << 30),
    ("TB", 1 << 40),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];
const MULTIPLES: [(&str, u64); 3] = [("", 1), ("k", 1_000), ("M", 1_000_000)];
const PERIODS: [(&str, u64); 2] = [("/s", 1), ("/min", 60)];

impl UnitKind {
    /// The greatest that is read.
    fn greatest(self) -> String {
        match self {
            Self::Duration => Nanos::MAX.to_string(),
            Self::ByteSize => ByteSize::MAX.to_string(),
            Self::Bandwidth => format!("{}/s", ByteSize::MAX),
            Self::Rate => PerSecond::MAX.to_string(),
        }
    }
}

impl Nanos {
    /// A hundred years: calendar arithmetic in 64-bit nanoseconds stays far from its ends.
    pub const MAX: Self = Self(100 * 365 * 86_400_000_000_000);
}

impl ByteSize {
    /// 2^50 bytes (1,024 TB): beyond any server's heap, store or row.
    pub const MAX: Self = Self(1 << 50);
}

impl PerSecond {
    /// A billion a second: beyond any cluster.
    pub const MAX: Self = Self(1e9);
}

impl FromStr for Nanos {
    type Err = UnitError;

    /// `us`, `ms`, `s`, `m`, `h`, `d`; a space before the unit is allowed; no finer than a nanosecond.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let kind = UnitKind::Duration;
        let (number, unit) = decimal::split(text, kind)?;
        let scale =
            lookup(&TIMES, unit).ok_or_else(|| UnitError::unknown_unit(kind, text, unit))?;
        let nanos = number
            .whole_times(scale, u128::from(Self::MAX.0))
            .map_err(|fault| fault.error(kind, text))?;
        Ok(Self(nanos))
    }
}

impl FromStr for ByteSize {
    type Err = UnitError;

    /// `B`, `KB`, `MB`, `GB`, `TB` and `KiB` ... `TiB`, all powers of 1024; fractions are rounded to the nearest byte.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let kind = UnitKind::ByteSize;
        let (number, unit) = decimal::split(text, kind)?;
        let scale =
            lookup(&SIZES, unit).ok_or_else(|| UnitError::unknown_unit(kind, text, unit))?;
        let limit = u128::from(Self::MAX.0);
        let bytes = match scale {
            1 => number.whole_times(1, limit),
            _ => number.rounded_times(scale, limit),
        };
        Ok(Self(bytes.map_err(|fault| fault.error(kind, text))?))
    }
}

impl FromStr for Bandwidth {
    type Err = UnitError;

    /// A byte size `/s`; > 0.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let kind = UnitKind::Bandwidth;
        let (number, unit) = decimal::split(text, kind)?;
        let size = unit
            .strip_suffix("/s")
            .and_then(|size| lookup(&SIZES, size));
        let scale = size.ok_or_else(|| UnitError::unknown_unit(kind, text, unit))?;
        let limit = u128::from(ByteSize::MAX.0);
        let bytes = number
            .rounded_times(scale, limit)
            .map_err(|fault| fault.error(kind, text))?;
        if bytes == 0 {
            return Err(UnitError::NotPositive {
                kind,
                found: text.to_owned(),
            });
        }
        Ok(Self(bytes as f64))
    }
}

impl FromStr for PerSecond {
    type Err = UnitError;

    /// A number, `k` or `M` (powers of 1000) or neither, and `/s` or `/min`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let kind = UnitKind::Rate;
        let (number, unit) = decimal::split(text, kind)?;
        let split = unit.find('/').unwrap_or(unit.len());
        let scale =
            lookup(&MULTIPLES, unit[..split].trim_end()).zip(lookup(&PERIODS, &unit[split..]));
        let (multiple, period) = scale.ok_or_else(|| UnitError::unknown_unit(kind, text, unit))?;
        let rate = number.to_f64() * multiple as f64 / period as f64;
        if rate > Self::MAX.0 {
            return Err(UnitError::TooLarge {
                kind,
                found: text.to_owned(),
            });
        }
        Ok(Self(rate))
    }
}

fn lookup(units: &[(&str, u64)], unit: &str) -> Option<u64> {
    units
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|&(_, scale)| scale)
}

impl fmt::Display for Nanos {
    /// The shortest text that reads back as the same length: `2ms`, `1.5s`, `1h`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Minutes and longer only when whole, so that 90 s stays 90s.
        let whole = TIMES
            .iter()
            .rev()
            .take(3)
            .find(|(_, scale)| self.0 > 0 && self.0.is_multiple_of(*scale));
        let decimal = TIMES[..3]
            .iter()
            .rev()
            .find(|(_, scale)| self.0 >= *scale)
            .unwrap_or(&TIMES[0]);
        let (unit, scale) = if self.0 == 0 {
            ("s", TIMES[2].1)
        } else {
            *whole.unwrap_or(decimal)
        };
        write!(out, "{}{unit}", Decimal::quotient(self.0, scale))
    }
}

impl fmt::Display for ByteSize {
    /// The largest unit that divides it: `64KB`, `100B`; reads back as the same size.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = SIZES[..5]
            .iter()
            .rev()
            .find(|(_, scale)| self.0 > 0 && self.0.is_multiple_of(*scale));
        let (unit, scale) = *whole.unwrap_or(&SIZES[0]);
        write!(out, "{}{unit}", self.0 / scale)
    }
}

impl ByteSize {
    /// About how much, for messages: `63 GiB`, `1.5 KiB`.
    pub fn approximate(bytes: f64) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = bytes.max(0.0);
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < units.len() {
            value /= 1024.0;
            unit += 1;
        }
        if value >= 10.0 || value.fract() == 0.0 {
            format!("{value:.0} {}", units[unit])
        } else {
            format!("{value:.1} {}", units[unit])
        }
    }
}

impl fmt::Display for PerSecond {
    /// `40k/s`, `0.5/s`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, multiple) = match self.0 {
            rate if rate >= 1e6 => (1e6, "M"),
            rate if rate >= 1e3 => (1e3, "k"),
            _ => (1.0, ""),
        };
        write!(out, "{}{multiple}/s", self.0 / scale)
    }
}

impl fmt::Display for Bandwidth {
    /// `10MB/s`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/s", ByteSize(self.0 as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nanos(text: &str) -> u64 {
        text.parse::<Nanos>()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .0
    }

    fn bytes(text: &str) -> u64 {
        text.parse::<ByteSize>()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .0
    }

    fn rate(text: &str) -> f64 {
        text.parse::<PerSecond>()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .0
    }

    #[test]
    fn durations_are_exact_decimal_fractions() {
        assert_eq!(nanos("2ms"), 2_000_000);
        assert_eq!(nanos("0.3ms"), 300_000);
        assert_eq!(nanos("5us"), 5_000);
        assert_eq!(nanos("0.007us"), 7);
        assert_eq!(nanos("1.5 h"), 5_400_000_000_000);
        assert_eq!(nanos("30d"), 30 * 86_400 * 1_000_000_000);
        assert_eq!(nanos("10m"), 600_000_000_000);
        assert_eq!(nanos("0s"), 0);
        assert_eq!(nanos("1_000s"), 1_000_000_000_000);
    }

    #[test]
    fn byte_sizes_are_powers_of_1024() {
        assert_eq!(bytes("64KB"), 65_536);
        assert_eq!(bytes("2MiB"), 2 << 20);
        assert_eq!(bytes("10GB"), 10 << 30);
        assert_eq!(bytes("1.5KB"), 1_536);
        assert_eq!(bytes("0.1KB"), 102);
        assert_eq!("10MB/s".parse(), Ok(Bandwidth(10_485_760.0)));
    }

    #[test]
    fn rates_are_powers_of_1000() {
        assert_eq!(rate("40k/s"), 40_000.0);
        assert_eq!(rate("20/min"), 20.0 / 60.0);
        assert_eq!(rate("1.5M/s"), 1_500_000.0);
        assert_eq!(rate("60 k/s"), 60_000.0);
        assert_eq!(rate("0.1/s"), 0.1);
    }

    #[test]
    fn errors_say_what_was_found_and_how_to_write_it() {
        let cases = [
            (
                "2msec",
                "unknown unit `msec` in `2msec`",
                "did you mean `2ms`?",
            ),
            ("2", "`2` has no unit", "did you mean `2s`?"),
            ("", "an empty text is no duration", ""),
            ("-2ms", "`-2ms` is negative", ""),
            ("soon", "`soon` does not start with a number", ""),
            ("NaNs", "`NaNs` does not start with a number", ""),
            (
                "2e3ms",
                "unknown unit `e3ms` in `2e3ms`",
                "write the number out: no exponents",
            ),
            (
                "1,5s",
                "unknown unit `,5s` in `1,5s`",
                "write decimals with a point, and thousands without commas",
            ),
            ("0.0001us", "`0.0001us` is finer than a nanosecond", ""),
            ("101d", "", ""),
            ("36500.5d", "`36500.5d` is too large", "at most 36500d"),
            (
                "99999999999999999999999999999999999999999999d",
                "too large",
                "at most 36500d",
            ),
            ("1.2.3s", "unknown unit `.3s` in `1.2.3s`", ""),
            ("2S", "unknown unit `S` in `2S`", "did you mean `2s`?"),
            (
                "3 weeks",
                "unknown unit `weeks` in `3 weeks`",
                "units are `us`, `ms`, `s`, `m`, `h`, `d`",
            ),
        ];
        for (text, message, help) in cases {
            match text.parse::<Nanos>() {
                Ok(_) => assert_eq!(message, "", "{text}"),
                Err(error) => {
                    assert!(
                        !message.is_empty() && error.to_string().contains(message),
                        "{text}: {error}"
                    );
                    assert!(
                        error.help().unwrap_or_default().contains(help),
                        "{text}: {:?}",
                        error.help()
                    );
                }
            }
        }
    }

    #[test]
    fn near_misses_of_other_units_are_named() {
        let help = |error: UnitError| error.help().unwrap_or_default();
        assert_eq!(
            help("64kb".parse::<ByteSize>().unwrap_err()),
            "did you mean `64KB`?"
        );
        assert_eq!(
            help("64".parse::<ByteSize>().unwrap_err()),
            "did you mean `64B`?"
        );
        assert_eq!(
            help("40K/s".parse::<PerSecond>().unwrap_err()),
            "did you mean `40k/s`?"
        );
        assert_eq!(
            help("40k".parse::<PerSecond>().unwrap_err()),
            "did you mean `40k/s`?"
        );
        assert_eq!(
            help("9/m".parse::<PerSecond>().unwrap_err()),
            "did you mean `9/min`?"
        );
        assert_eq!(
            help("10MB".parse::<Bandwidth>().unwrap_err()),
            "did you mean `10MB/s`?"
        );
        assert!("0MB/s".parse::<Bandwidth>().is_err());
        assert!("0.5B".parse::<ByteSize>().is_err());
        assert!("2M/s".parse::<Bandwidth>().is_err());
        assert!("1000001k/s".parse::<PerSecond>().is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,24}") {
            let _ = text.parse::<Nanos>();
            let _ = text.parse::<ByteSize>();
            let _ = text.parse::<PerSecond>();
            let _ = text.parse::<Bandwidth>();
        }

        #[test]
        fn durations_and_sizes_read_back_as_written(value in 0..=Nanos::MAX.0, shift in 0u32..50) {
            prop_assert_eq!(Nanos(value >> shift).to_string().parse(), Ok(Nanos(value >> shift)));
            let size = ByteSize((value % (ByteSize::MAX.0 >> shift)) << shift);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
        }
    }
}
