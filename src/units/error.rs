//! Why a text is no number with a unit. Must not know where the text stands.

use std::fmt;

/// What was being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A length of time.
    Duration,
    /// A number of bytes.
    ByteSize,
    /// Bytes per second.
    Bandwidth,
    /// Events per second.
    Rate,
}

/// A text that is no number with a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    kind: UnitKind,
    /// The text.
    found: String,
    fault: Fault,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Empty,
    /// No digits in front.
    NoNumber,
    NoUnit,
    /// What stands behind the number.
    UnknownUnit(String),
    Negative,
    NotPositive,
    TooLarge,
    /// A fraction of the smallest unit.
    TooFine,
}

/// Of each kind: its name; what was expected, with an example; the unit that a bare number has where nothing else is known of it; the
/// smallest part of it; its units.
#[rustfmt::skip]
const WORDS: [[&str; 5]; 4] = [
    ["duration", "expected a duration such as `\"2ms\"`", "s", "a nanosecond", "units are `us`, `ms`, `s`, `m`, `h`, `d`"],
    ["byte size", "expected a byte size such as `\"64KB\"`", "B", "a byte",
     "units are `B`, `KB`, `MB`, `GB`, `TB` (powers of 1024; `KiB` ... are the same)"],
    ["bandwidth", "expected a bandwidth such as `\"10MB/s\"`", "MB/s", "a byte a second",
     "units are `B/s`, `KB/s`, `MB/s`, `GB/s` (powers of 1024)"],
    ["rate", "expected a rate such as `\"40k/s\"`", "/s", "can be told apart",
     "units are `/s` and `/min`, with `k` or `M` (powers of 1000) in front: `40k/s`"],
];

impl UnitKind {
    /// What it is called.
    fn name(self) -> &'static str {
        WORDS[self as usize][0]
    }

    /// What was expected, with an example.
    pub fn expected(self) -> &'static str {
        WORDS[self as usize][1]
    }

    /// The unit that a bare number has where nothing else is known of it.
    pub fn usual_unit(self) -> &'static str {
        WORDS[self as usize][2]
    }

    fn smallest(self) -> &'static str {
        WORDS[self as usize][3]
    }

    fn units(self) -> &'static str {
        WORDS[self as usize][4]
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, found, fault } = self;
        match fault {
            Fault::Empty => write!(out, "an empty text is no {}", kind.name()),
            Fault::NoNumber => write!(out, "`{found}` does not start with a number"),
            Fault::NoUnit => write!(out, "`{found}` has no unit"),
            Fault::UnknownUnit(unit) => write!(out, "unknown unit `{unit}` in `{found}`"),
            Fault::Negative => write!(out, "`{found}` is negative"),
            Fault::NotPositive => write!(out, "`{found}` is zero"),
            Fault::TooLarge => write!(out, "`{found}` is too large"),
            Fault::TooFine => write!(out, "`{found}` is finer than {}", kind.smallest()),
        }
    }
}

impl std::error::Error for UnitError {}

impl UnitError {
    pub(super) fn new(kind: UnitKind, found: &str, fault: Fault) -> Self {
        let found = found.to_owned();
        Self { kind, found, fault }
    }

    /// The next step, where there is one to name, for a setting with this default.
    pub fn help(&self, default: Option<&str>) -> Option<String> {
        let (kind, found) = (self.kind, self.found.trim());
        Some(match &self.fault {
            Fault::NoUnit => format!("did you mean `{found}{}`?", kind.unit_near(found, default)),
            Fault::UnknownUnit(unit) => match kind.nearest(unit) {
                Some(nearest) => {
                    let number = found.strip_suffix(unit.as_str()).unwrap_or_default();
                    format!("did you mean `{number}{nearest}`?")
                }
                None if unit.starts_with(',') => {
                    "write decimals with a point, and thousands without commas".to_owned()
                }
                None if unit.starts_with(['e', 'E']) => {
                    "write the number out: no exponents".to_owned()
                }
                None => kind.units().to_owned(),
            },
            Fault::NoNumber => kind.units().to_owned(),
            Fault::TooLarge => format!("at most {}", kind.greatest()),
            Fault::Empty | Fault::Negative | Fault::NotPositive | Fault::TooFine => return None,
        })
    }
}
