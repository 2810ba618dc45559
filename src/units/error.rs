//! Why a text is no number with a unit. Must not know where the text stands.

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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Nothing there.
    #[error("an empty text is no {}", kind.name())]
    Empty {
        /// What was being read.
        kind: UnitKind,
    },
    /// No digits in front.
    #[error("`{found}` does not start with a number")]
    NoNumber {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
    },
    /// A bare number.
    #[error("`{found}` has no unit")]
    NoUnit {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
    },
    /// A unit that is not known.
    #[error("unknown unit `{unit}` in `{found}`")]
    UnknownUnit {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
        /// What stands behind the number.
        unit: String,
        /// The text with the unit that was probably meant.
        nearest: Option<String>,
    },
    /// Below zero.
    #[error("`{found}` is negative")]
    Negative {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
    },
    /// Zero, where that makes no sense.
    #[error("`{found}` is zero")]
    NotPositive {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
    },
    /// Beyond the greatest value.
    #[error("`{found}` is too large")]
    TooLarge {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
    },
    /// A fraction of the smallest unit.
    #[error("`{found}` is finer than {}", kind.smallest())]
    TooFine {
        /// What was being read.
        kind: UnitKind,
        /// The text.
        found: String,
    },
}

impl UnitKind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::ByteSize => "byte size",
            Self::Bandwidth => "bandwidth",
            Self::Rate => "rate",
        }
    }

    /// What was expected, with an example.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Duration => "expected a duration such as `\"2ms\"`",
            Self::ByteSize => "expected a byte size such as `\"64KB\"`",
            Self::Bandwidth => "expected a bandwidth such as `\"10MB/s\"`",
            Self::Rate => "expected a rate such as `\"40k/s\"`",
        }
    }

    /// The unit that a bare number most likely has.
    pub fn usual_unit(self) -> &'static str {
        match self {
            Self::Duration => "s",
            Self::ByteSize => "B",
            Self::Bandwidth => "MB/s",
            Self::Rate => "/s",
        }
    }

    fn smallest(self) -> &'static str {
        match self {
            Self::Duration => "a nanosecond",
            Self::ByteSize => "a byte",
            Self::Bandwidth => "a byte a second",
            Self::Rate => "can be told apart",
        }
    }

    fn units(self) -> &'static str {
        match self {
            Self::Duration => "units are `us`, `ms`, `s`, `m`, `h`, `d`",
            Self::ByteSize => {
                "units are `B`, `KB`, `MB`, `GB`, `TB` (powers of 1024; `KiB` ... are the same)"
            }
            Self::Bandwidth => "units are `B/s`, `KB/s`, `MB/s`, `GB/s` (powers of 1024)",
            Self::Rate => {
                "units are `/s` and `/min`, with `k` or `M` (powers of 1000) in front: `40k/s`"
            }
        }
    }
}

/// Units as other tools spell them.
const DURATIONS: [(&str, &[&str]); 6] = [
    (
        "us",
        &["usec", "usecs", "µs", "μs", "micros", "microseconds"],
    ),
    (
        "ms",
        &["msec", "msecs", "millis", "millisecond", "milliseconds"],
    ),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("m", &["min", "mins", "minute", "minutes"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
    ("d", &["day", "days"]),
];

impl UnitError {
    pub(super) fn unknown_unit(kind: UnitKind, found: &str, unit: &str) -> Self {
        let number = found.trim().strip_suffix(unit).unwrap_or_default();
        let nearest = nearest(kind, unit).map(|unit| format!("{number}{unit}"));
        Self::UnknownUnit {
            kind,
            found: found.to_owned(),
            unit: unit.to_owned(),
            nearest,
        }
    }

    /// What was being read.
    pub fn kind(&self) -> UnitKind {
        match *self {
            Self::Empty { kind }
            | Self::NoNumber { kind, .. }
            | Self::NoUnit { kind, .. }
            | Self::UnknownUnit { kind, .. }
            | Self::Negative { kind, .. }
            | Self::NotPositive { kind, .. }
            | Self::TooLarge { kind, .. }
            | Self::TooFine { kind, .. } => kind,
        }
    }

    /// The next step, where there is one to name.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoUnit { kind, found } => Some(format!(
                "did you mean `{}{}`?",
                found.trim(),
                kind.usual_unit()
            )),
            Self::UnknownUnit {
                nearest: Some(nearest),
                ..
            } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownUnit { unit, .. } if unit.starts_with(',') => {
                Some("write decimals with a point, and thousands without commas".to_owned())
            }
            Self::UnknownUnit { unit, .. } if unit.starts_with(['e', 'E']) => {
                Some("write the number out: no exponents".to_owned())
            }
            Self::UnknownUnit { kind, .. } | Self::NoNumber { kind, .. } => {
                Some(kind.units().to_owned())
            }
            Self::TooLarge { kind, .. } => Some(format!("at most {}", kind.greatest())),
            Self::Empty { .. }
            | Self::Negative { .. }
            | Self::NotPositive { .. }
            | Self::TooFine { .. } => None,
        }
    }
}

fn nearest(kind: UnitKind, unit: &str) -> Option<String> {
    let lower = unit.to_lowercase();
    match kind {
        UnitKind::Duration => {
            let known = DURATIONS
                .iter()
                .find(|(name, others)| *name == lower || others.contains(&lower.as_str()));
            known.map(|(name, _)| (*name).to_owned())
        }
        UnitKind::ByteSize => size(&lower).map(str::to_owned),
        UnitKind::Bandwidth => {
            let size = size(
                lower
                    .strip_suffix("/s")
                    .or_else(|| lower.strip_suffix("ps"))
                    .unwrap_or(&lower),
            )?;
            Some(format!("{size}/s"))
        }
        UnitKind::Rate => {
            let (multiple, period) = lower.split_once('/').unwrap_or((&lower, "s"));
            let multiple = match multiple.trim() {
                "" | "ops" | "rows" => "",
                "k" | "kops" => "k",
                "m" | "mops" => "M",
                _ => return None,
            };
            let period = match period.trim() {
                "s" | "sec" | "second" => "/s",
                "m" | "min" | "minute" => "/min",
                _ => return None,
            };
            Some(format!("{multiple}{period}"))
        }
    }
}

fn size(lower: &str) -> Option<&'static str> {
    Some(match lower {
        "b" | "byte" | "bytes" => "B",
        "k" | "kb" | "kib" => "KB",
        "m" | "mb" | "mib" => "MB",
        "g" | "gb" | "gib" => "GB",
        "t" | "tb" | "tib" => "TB",
        _ => return None,
    })
}
