//! What the text of a value means. Must not know where it stands.

use super::findings::shown;
use crate::text::{unhex, words};
use crate::time::EpochNanos;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

words! {
    /// What the values of a column are, in words for messages.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ValueKind {
        /// An integer of 64 bits.
        Int = "a whole number of 64 bits",
        /// A number with a fraction.
        Decimal = "a number such as 1234.56",
        /// `true` or `false`, in any case.
        Bool = "`true` or `false`",
        /// 36 characters: hexadecimal digits and hyphens.
        Uuid = "a uuid, 36 characters",
        /// ISO 8601, or a number of seconds, ms, us or ns since 1970.
        Time = "a time such as 2026-01-01T00:00:00Z, or a count since 1970",
        /// Any text.
        Text = "a text",
    }
}

/// A value by its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// See [`ValueKind::Int`].
    Int(i64),
    /// Finite.
    Decimal(f64),
    /// See [`ValueKind::Bool`].
    Bool(bool),
    /// Its 16 bytes.
    Uuid([u8; 16]),
    /// The instant, and whether its zone was given: else it is taken as UTC.
    Time(EpochNanos, bool),
    /// See [`ValueKind::Text`].
    Text(&'a str),
}

/// Reads the values of one column as one kind. Times of a column have one form, that of its first.
#[derive(Debug, Clone)]
pub struct ValueParser {
    kind: ValueKind,
    /// How the first time is written.
    time_form: Option<&'static str>,
}

/// How counted times are written: up to which number it is, and its nanoseconds. Times from 1973 (of ms and finer units) to 5138 are told apart.
const COUNTS: [(u64, i64, &str); 4] = [
    (100_000_000_000, 1_000_000_000, "seconds since 1970"),
    (100_000_000_000_000, 1_000_000, "ms since 1970"),
    (100_000_000_000_000_000, 1_000, "us since 1970"),
    (u64::MAX, 1, "ns since 1970"),
];

impl ValueKind {
    /// The narrowest kind that takes a text; whole numbers are never taken for times, nor such with leading zeros for numbers. O(length).
    pub fn of(text: &str) -> Self {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && !padded;
        if is_number && text.parse::<i64>().is_ok() {
            Self::Int
        } else if is_number && digits.contains('.') && decimal(text).is_some() {
            Self::Decimal
        } else if boolean(text).is_some() {
            Self::Bool
        } else if uuid(text).is_some() {
            Self::Uuid
        } else if !digits.bytes().all(|byte| byte.is_ascii_digit()) && iso(text).is_some() {
            Self::Time
        } else {
            Self::Text
        }
    }
}

impl ValueParser {
    /// Of a column of this kind.
    pub fn new(kind: ValueKind) -> Self {
        let time_form = None;
        Self { kind, time_form }
    }

    /// The value that a text stands for. O(length).
    ///
    /// # Errors
    /// It stands for none of the column's kind: what was found and what was expected.
    pub fn parse<'a>(&mut self, text: &'a str) -> Result<Value<'a>, String> {
        let trimmed = text.trim();
        let value = match self.kind {
            ValueKind::Int => trimmed.parse().ok().map(Value::Int),
            ValueKind::Decimal => decimal(trimmed).map(Value::Decimal),
            ValueKind::Bool => boolean(trimmed).map(Value::Bool),
            ValueKind::Uuid => uuid(trimmed).map(Value::Uuid),
            ValueKind::Time => return self.time(trimmed),
            ValueKind::Text => Some(Value::Text(text)),
        };
        value.ok_or_else(|| self.refused(text))
    }

    fn refused(&self, text: &str) -> String {
        format!("{} is not {}", shown(text), self.kind.name())
    }

    fn time(&mut self, text: &str) -> Result<Value<'static>, String> {
        let (form, time) = match counted(text) {
            Some((count, digits)) => {
                let fits = |(bound, ..): &&(u64, i64, &str)| count.unsigned_abs() < *bound;
                let (_, nanos, form) = COUNTS.iter().find(fits).unwrap_or(&COUNTS[3]);
                let part = format!("{digits:0<9.9}").parse::<i64>();
                let part = part.map_or(0, |part| part * (nanos / 1_000) / 1_000_000);
                let nanos = count
                    .checked_mul(*nanos)
                    .and_then(|it| it.checked_add(part));
                (*form, nanos.map(|nanos| (EpochNanos(nanos), true)))
            }
            None => ("ISO 8601", iso(text)),
        };
        let (at, zoned) = time.ok_or_else(|| self.refused(text))?;
        let first = *self.time_form.get_or_insert(form);
        if first != form {
            let text = shown(text);
            return Err(format!("{text} is {form}, the times before it are {first}"));
        }
        Ok(Value::Time(at, zoned))
    }
}

/// The whole number in front of the point, and the digits behind it, of what is not below zero.
fn counted(text: &str) -> Option<(i64, &str)> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = digits.is_empty() || !text.starts_with('-');
    let is_count = is_plain && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((whole.parse().ok().filter(|_| is_count)?, digits))
}

fn decimal(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(number)
}

fn boolean(text: &str) -> Option<bool> {
    let is = |word| text.eq_ignore_ascii_case(word);
    is("true").then_some(true).or(is("false").then_some(false))
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let hyphens = [8, 13, 18, 23].iter();
    if text.len() != 36 || !hyphens.copied().all(|at| text.as_bytes()[at] == b'-') {
        return None;
    }
    unhex(&text.replace('-', ""))?.try_into().ok()
}

/// The instant of a time in ISO 8601, and whether its zone is given.
fn iso(text: &str) -> Option<(EpochNanos, bool)> {
    let (at, zoned) = match text.parse::<Timestamp>() {
        Ok(at) => (at, true),
        Err(_) => {
            let bare = text.strip_suffix(" UTC");
            let time: DateTime = bare.unwrap_or(text).parse().ok()?;
            let at = time.to_zoned(TimeZone::UTC).ok()?.timestamp();
            (at, bare.is_some())
        }
    };
    let nanos = i64::try_from(at.as_nanosecond()).ok()?;
    Some((EpochNanos(nanos), zoned))
}
