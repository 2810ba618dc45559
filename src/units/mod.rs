//! Numbers with units, as scenario files write them (`"2ms"`, `"64KB"`, `"40k/s"`), and their parsers.
//!
//! Must not know where a number came from: errors say what was found and expected, not where.
//! Values are read exactly, as decimal fractions: `"0.3ms"` is 300,000 ns, not the nearest binary double.
//! Powers of 1024 for bytes, as HBase users mean them; powers of 1000 for rates.

mod decimal;
mod error;

pub use error::{UnitError, UnitKind};

use crate::time::SimDuration;
use decimal::Decimal;
use error::Fault;
use std::fmt;
use std::str::FromStr;

/// A number of bytes, at most [`ByteSize::MAX`]. In text, KB, MB, GB are powers of 1024, as HBase users mean them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ByteSize(pub u64);

/// Events per second, finite and >= 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct PerSecond(pub f64);

/// Bytes per second, finite and > 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Bandwidth(pub f64);

/// A unit's name, how many of the smallest it is, and how other tools spell it, in lower case.
type Unit = (&'static str, u64, &'static [&'static str]);

const TIMES: [Unit; 6] = [
    (
        "us",
        1_000,
        &["usec", "usecs", "µs", "μs", "micros", "microseconds"],
    ),
    (
        "ms",
        1_000_000,
        &["msec", "msecs", "millis", "millisecond", "milliseconds"],
    ),
    ("s", 1_000_000_000, &["sec", "secs", "second", "seconds"]),
    ("m", 60_000_000_000, &["min", "mins", "minute", "minutes"]),
    ("h", 3_600_000_000_000, &["hr", "hrs", "hour", "hours"]),
    ("d", 86_400_000_000_000, &["day", "days"]),
];
const SIZES: [Unit; 9] = [
    ("B", 1, &["byte", "bytes"]),
    ("KB", 1 << 10, &["k", "kib"]),
    ("MB", 1 << 20, &["m", "mib"]),
    ("GB", 1 << 30, &["g", "gib"]),
    ("TB", 1 << 40, &["t", "tib"]),
    ("KiB", 1 << 10, &[]),
    ("MiB", 1 << 20, &[]),
    ("GiB", 1 << 30, &[]),
    ("TiB", 1 << 40, &[]),
];
const MULTIPLES: [Unit; 3] = [
    ("", 1, &["ops", "rows"]),
    ("k", 1_000, &["kops"]),
    ("M", 1_000_000, &["mops"]),
];
const PERIODS: [Unit; 2] = [("s", 1, &["sec", "second"]), ("min", 60, &["m", "minute"])];

fn scale_of(units: &[Unit], name: &str) -> Option<u64> {
    let unit = units.iter().find(|unit| unit.0 == name);
    unit.map(|unit| unit.1)
}

/// The unit that somebody meant who wrote `name`, in lower case.
fn meant(units: &[Unit], name: &str) -> Option<&'static str> {
    let same =
        |(unit, _, others): &&Unit| unit.eq_ignore_ascii_case(name) || others.contains(&name);
    units.iter().find(same).map(|unit| unit.0)
}

impl UnitKind {
    /// What a number with this unit is multiplied with and divided by.
    fn scale(self, unit: &str) -> Option<(u64, u64)> {
        Some(match self {
            Self::Duration => (scale_of(&TIMES, unit)?, 1),
            Self::ByteSize => (scale_of(&SIZES, unit)?, 1),
            Self::Bandwidth => (scale_of(&SIZES, unit.strip_suffix("/s")?)?, 1),
            Self::Rate => {
                let (multiple, period) = unit.split_once('/')?;
                let multiple = scale_of(&MULTIPLES, multiple.trim_end())?;
                (multiple, scale_of(&PERIODS, period)?)
            }
        })
    }

    /// The unit that was probably meant.
    fn nearest(self, unit: &str) -> Option<String> {
        let unit = unit.to_lowercase();
        match self {
            Self::Duration => meant(&TIMES, &unit).map(str::to_owned),
            Self::ByteSize => meant(&SIZES, &unit).map(str::to_owned),
            Self::Bandwidth => {
                let size = unit.strip_suffix("/s").or(unit.strip_suffix("ps"));
                Some(format!("{}/s", meant(&SIZES, size.unwrap_or(&unit))?))
            }
            Self::Rate => {
                let (multiple, period) = unit.split_once('/').unwrap_or((&unit, "s"));
                let multiple = meant(&MULTIPLES, multiple.trim())?;
                Some(format!("{multiple}/{}", meant(&PERIODS, period.trim())?))
            }
        }
    }

    /// The unit that a bare number most likely has: the one that brings a time or a size nearest to a default, if there is one.
    pub fn unit_near(self, number: &str, default: Option<&str>) -> &'static str {
        let units = match self {
            // Less than a tenth is no part of a minute, an hour or a day.
            Self::Duration if number.starts_with("0.0") => &TIMES[..3],
            Self::Duration => &TIMES[..],
            Self::ByteSize => &SIZES[..],
            Self::Bandwidth | Self::Rate => &[],
        };
        let in_smallest = |text: &str, (name, scale, _): &Unit| {
            let number: f64 = text.strip_suffix(name)?.trim_end().parse().ok()?;
            (number > 0.0).then_some(number * *scale as f64)
        };
        let default =
            default.and_then(|text| units.iter().rev().find_map(|of| in_smallest(text, of)));
        let distance = |of: &&Unit| {
            let ratio = in_smallest(&format!("{number}{}", of.0), of)? / default?;
            Some(libm::fabs(libm::log(ratio)))
        };
        let near = units.iter().filter_map(|of| Some((distance(&of)?, of.0)));
        let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or(self.usual_unit(), |(_, unit)| unit)
    }

    /// The greatest that is read.
    fn greatest(self) -> String {
        match self {
            Self::Duration => SimDuration::LONGEST_WRITTEN.to_string(),
            Self::ByteSize => ByteSize::MAX.to_string(),
            Self::Bandwidth => format!("{}/s", ByteSize::MAX),
            Self::Rate => PerSecond::MAX.to_string(),
        }
    }

    /// Reads a number with a unit, of which `value` makes what is asked for.
    fn read<T>(
        self,
        text: &str,
        value: impl FnOnce(Decimal, (u64, u64)) -> Result<T, Fault>,
    ) -> Result<T, UnitError> {
        let read = || {
            let (number, unit) = decimal::split(text.trim())?;
            let scale = self.scale(unit);
            value(
                number,
                scale.ok_or_else(|| Fault::UnknownUnit(unit.to_owned()))?,
            )
        };
        let error = |fault| UnitError::new(self, text, fault);
        read().map_err(error)
    }
}

impl SimDuration {
    /// The longest that is read, a hundred years: calendar arithmetic in 64-bit nanoseconds stays far from its ends.
    pub const LONGEST_WRITTEN: Self = Self::from_secs(100 * 365 * 86_400);
}

impl ByteSize {
    /// 2^50 bytes (1,024 TB): beyond any server's heap, store or row.
    pub const MAX: Self = Self(1 << 50);
}

impl PerSecond {
    /// A billion a second: beyond any cluster.
    pub const MAX: Self = Self(1e9);
}

impl FromStr for SimDuration {
    type Err = UnitError;

    /// `us`, `ms`, `s`, `m`, `h`, `d`; a space before the unit is allowed; no finer than a nanosecond.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        UnitKind::Duration.read(text, |number, (scale, _)| {
            let nanos = number.times(scale, Self::LONGEST_WRITTEN.as_nanos(), true);
            nanos.map(Self::from_nanos)
        })
    }
}

impl FromStr for ByteSize {
    type Err = UnitError;

    /// `B`, `KB`, `MB`, `GB`, `TB` and `KiB` ... `TiB`, all powers of 1024; fractions are rounded to the nearest byte.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        UnitKind::ByteSize.read(text, |number, (scale, _)| {
            number.times(scale, Self::MAX.0, scale == 1).map(Self)
        })
    }
}

impl FromStr for Bandwidth {
    type Err = UnitError;

    /// A byte size `/s`; > 0.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        UnitKind::Bandwidth.read(text, |number, (scale, _)| {
            match number.times(scale, ByteSize::MAX.0, false)? {
                0 => Err(Fault::NotPositive),
                bytes => Ok(Self(bytes as f64)),
            }
        })
    }
}

impl FromStr for PerSecond {
    type Err = UnitError;

    /// A number, `k` or `M` (powers of 1000) or neither, and `/s` or `/min`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        UnitKind::Rate.read(text, |number, (multiple, period)| {
            let rate = number.to_f64() * multiple as f64 / period as f64;
            match rate > Self::MAX.0 {
                true => Err(Fault::TooLarge),
                false => Ok(Self(rate)),
            }
        })
    }
}

/// The greatest of these units, in their order, of which `value` is a multiple.
fn whole_unit(value: u64, units: &[Unit]) -> Option<&Unit> {
    let divides = |unit: &&Unit| value > 0 && value.is_multiple_of(unit.1);
    units.iter().rev().find(divides)
}

impl fmt::Display for SimDuration {
    /// The shortest text that reads back as the same length: `2ms`, `1.5s`, `1h`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.as_nanos();
        if nanos == 0 {
            return out.write_str("0s");
        }
        // Minutes and longer only when whole, so that 90 s stays 90s.
        let decimal = || TIMES[..3].iter().rev().find(|unit| nanos >= unit.1);
        let (unit, scale, _) = whole_unit(nanos, &TIMES[3..])
            .or_else(decimal)
            .unwrap_or(&TIMES[0]);
        write!(out, "{}{unit}", Decimal::quotient(nanos, *scale))
    }
}

impl fmt::Display for ByteSize {
    /// The largest unit that divides it: `64KB`, `100B`; reads back as the same size.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale, _) = whole_unit(self.0, &SIZES[..5]).unwrap_or(&SIZES[0]);
        write!(out, "{}{unit}", self.0 / scale)
    }
}

impl ByteSize {
    /// About how much, for messages: `63 GiB`, `1.5 KiB`.
    pub fn approximate(bytes: f64) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let (mut value, mut unit) = (bytes.max(0.0), 0);
        while value >= 1024.0 && unit + 1 < units.len() {
            value /= 1024.0;
            unit += 1;
        }
        let decimals = usize::from(value < 10.0 && value.fract() != 0.0);
        format!("{value:.decimals$} {}", units[unit])
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
        text.parse::<SimDuration>()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .as_nanos()
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
            match text.parse::<SimDuration>() {
                Ok(_) => assert_eq!(message, "", "{text}"),
                Err(error) => {
                    assert!(
                        !message.is_empty() && error.to_string().contains(message),
                        "{text}: {error}"
                    );
                    assert!(
                        error.help(None).unwrap_or_default().contains(help),
                        "{text}: {:?}",
                        error.help(None)
                    );
                }
            }
        }
    }

    #[test]
    fn a_bare_number_is_taken_to_be_near_the_default() {
        let near = |kind: UnitKind, number, default| kind.unit_near(number, Some(default));
        assert_eq!(near(UnitKind::Duration, "0.3", "0.3ms"), "ms");
        assert_eq!(near(UnitKind::Duration, "300", "0.3ms"), "us");
        assert_eq!(near(UnitKind::Duration, "5000", "5m"), "s");
        // 0.001 s is a hundredth of it, 1 us less than a thousandth; 60 ms would be near, and nobody writes 0.001 min.
        assert_eq!(near(UnitKind::Duration, "0.001", "100ms"), "s");
        assert_eq!(near(UnitKind::Duration, "0.5", "1m"), "m");
        assert_eq!(near(UnitKind::ByteSize, "16", "16GB"), "GB");
        assert_eq!(near(UnitKind::ByteSize, "65536", "64KB"), "B");
        assert_eq!(near(UnitKind::Rate, "60", "40k/s"), "/s");
        // Of nothing, and without a default, the usual one.
        assert_eq!(near(UnitKind::Duration, "0", "0.3ms"), "s");
        assert_eq!(UnitKind::Duration.unit_near("2", None), "s");
    }

    #[test]
    fn near_misses_of_other_units_are_named() {
        let help = |error: UnitError| error.help(None).unwrap_or_default();
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
            let _ = text.parse::<SimDuration>();
            let _ = text.parse::<ByteSize>();
            let _ = text.parse::<PerSecond>();
            let _ = text.parse::<Bandwidth>();
        }

        #[test]
        fn durations_and_sizes_read_back_as_written(value in 0..=SimDuration::LONGEST_WRITTEN.as_nanos(), shift in 0u32..50) {
            let length = SimDuration::from_nanos(value >> shift);
            prop_assert_eq!(length.to_string().parse(), Ok(length));
            let size = ByteSize((value % (ByteSize::MAX.0 >> shift)) << shift);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
        }
    }
}
