//! Values as people write and read them, to slots and back. Must not know TOML.

use super::{Field, FieldId, FieldKind, Schema, TextValues};
use crate::text::{hex, unhex};
use crate::time::EpochNanos;

/// A value that a user gives for a field, typed as the file typed it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GivenValue<'a> {
    /// A whole number.
    Int(i64),
    /// A text; for `uuid` and `bytes` in hexadecimal.
    Text(&'a str),
    /// A date and time.
    Instant(EpochNanos),
    /// A number with a fraction.
    Float(f64),
}

/// Why a given value is no slot of the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GivenValueError {
    /// Another type than the field's.
    #[error("`{field}` is {expected}, not {found}")]
    Type {
        /// The field's name.
        field: String,
        /// What it takes.
        expected: String,
        /// What was given.
        found: &'static str,
    },
    /// The right type, but none of the field's values.
    #[error("`{value}` is not a value of `{field}`, which is {domain}")]
    Outside {
        /// The field's name.
        field: String,
        /// What was given.
        value: String,
        /// What the field's values are.
        domain: String,
        /// What the caller may add to [`Field::literals`] to allow it all the same; `None` for numbers.
        literal: Option<Vec<u8>>,
    },
}

impl Schema {
    /// The slot of a value that a user gives. Literals already in the schema are found. A timestamp may lie outside the scenario's times.
    pub fn parse(&self, id: FieldId, given: GivenValue<'_>) -> Result<i64, GivenValueError> {
        let field = self.field(id);
        let wrong_type = || GivenValueError::Type {
            field: field.name.clone(),
            expected: field.kind.describe(),
            found: given.kind(),
        };
        let outside = |literal: Option<Vec<u8>>| GivenValueError::Outside {
            field: field.name.clone(),
            value: given.to_string(),
            domain: field.kind.describe(),
            literal,
        };
        match (&field.kind, given) {
            (FieldKind::Int { first, count }, GivenValue::Int(number)) => {
                let inside = number >= *first && number.abs_diff(*first) < *count;
                if inside {
                    Ok(number)
                } else {
                    Err(outside(None))
                }
            }
            (FieldKind::Sequence { first }, GivenValue::Int(number)) => {
                if number >= *first {
                    Ok(number)
                } else {
                    Err(outside(None))
                }
            }
            (FieldKind::Digits { first, count, .. }, GivenValue::Int(number)) => {
                let inside = u64::try_from(number)
                    .is_ok_and(|n| n.checked_sub(*first).is_some_and(|at| at < *count));
                if inside {
                    Ok(number)
                } else {
                    Err(outside(None))
                }
            }
            (FieldKind::Timestamp { unit, .. }, GivenValue::Instant(at)) => Ok(unit.floor(at)),
            (FieldKind::Timestamp { .. }, GivenValue::Int(number)) => Ok(number),
            (FieldKind::Double { min, max }, GivenValue::Float(number)) => {
                if (*min..*max).contains(&number) {
                    Ok((number + 0.0).to_bits() as i64)
                } else {
                    Err(outside(None))
                }
            }
            (FieldKind::Double { .. }, GivenValue::Int(number)) => {
                self.parse(id, GivenValue::Float(number as f64))
            }
            (
                FieldKind::Digits { .. } | FieldKind::Text(_) | FieldKind::Domain { .. },
                GivenValue::Text(text),
            ) => literal_slot(field, text.as_bytes())
                .or_else(|| self.text(id).ordinal(text).map(|ordinal| ordinal as i64))
                .ok_or_else(|| outside(Some(text.as_bytes().to_vec()))),
            (FieldKind::Uuid { .. }, GivenValue::Text(text)) => {
                match unhex(&text.replace('-', "")) {
                    Some(bytes) if bytes.len() == 16 => {
                        literal_slot(field, &bytes).ok_or_else(|| outside(Some(bytes)))
                    }
                    _ => Err(outside(None)),
                }
            }
            (FieldKind::Bytes { length, .. }, GivenValue::Text(text)) => match unhex(text) {
                Some(bytes) if bytes.len() == usize::from(*length) => {
                    literal_slot(field, &bytes).ok_or_else(|| outside(Some(bytes)))
                }
                _ => Err(outside(None)),
            },
            _ => Err(wrong_type()),
        }
    }

    /// A value for people: numbers in decimal, timestamps in RFC 3339, `uuid`s with hyphens, `bytes` in hexadecimal, texts as they are
    /// (an empty one as `''`).
    pub fn display(&self, id: FieldId, slot: i64) -> String {
        let field = self.field(id);
        if let FieldKind::Timestamp { unit, .. } = &field.kind {
            return jiff::Timestamp::from_nanosecond(i128::from(slot) * i128::from(unit.nanos()))
                .map_or_else(|_| slot.to_string(), |at| at.to_string());
        }
        let mut bytes = Vec::new();
        self.write_text(id, slot, &mut bytes);
        match &field.kind {
            _ if bytes.is_empty() => "''".to_owned(),
            FieldKind::Uuid { .. } if bytes.len() == 16 => {
                let digits = hex(&bytes);
                [
                    &digits[..8],
                    &digits[8..12],
                    &digits[12..16],
                    &digits[16..20],
                    &digits[20..],
                ]
                .join("-")
            }
            FieldKind::Uuid { .. } | FieldKind::Bytes { .. } => hex(&bytes),
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

impl GivenValue<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "a whole number",
            Self::Text(_) => "a text",
            Self::Instant(_) => "a date and time",
            Self::Float(_) => "a number with a fraction",
        }
    }
}

impl std::fmt::Display for GivenValue<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Instant(at) => {
                write!(
                    f,
                    "{}",
                    jiff::Timestamp::from_nanosecond(i128::from(at.0)).unwrap_or_default()
                )
            }
            Self::Float(number) => write!(f, "{number}"),
        }
    }
}

impl FieldKind {
    /// Its values in words, for messages: "a whole number from 1 to 300".
    pub fn describe(&self) -> String {
        match self {
            Self::Int { first, count } => {
                format!(
                    "a whole number from {first} to {}",
                    first.saturating_add_unsigned(count - 1)
                )
            }
            Self::Sequence { first } => format!("a whole number from {first} on"),
            Self::Digits {
                width,
                first,
                count,
            } => {
                let (width, last) = (usize::from(*width), first + (count - 1));
                format!("{width} digits from `{first:0width$}` to `{last:0width$}`")
            }
            Self::Text(TextValues::Listed(values)) if values.len() <= 8 => {
                let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Self::Text(TextValues::Listed(values)) => {
                format!("one of {} listed texts", values.len())
            }
            Self::Text(TextValues::Generated { count, length, .. }) => {
                format!("one of {count} generated texts of {length} characters")
            }
            Self::Domain { count } => format!("one of {count} generated domain names"),
            Self::Uuid { count: None } => "a fresh uuid".to_owned(),
            Self::Uuid { count: Some(count) } => format!("one of {count} generated uuids"),
            Self::Bytes {
                length,
                count: None,
            } => format!("{length} fresh bytes, given in hexadecimal"),
            Self::Bytes {
                length,
                count: Some(count),
            } => {
                format!("one of {count} generated strings of {length} bytes, given in hexadecimal")
            }
            Self::Double { min, max } => format!("a number from {min} to below {max}"),
            Self::Timestamp { .. } => "a date and time such as 2026-01-01T00:00:00Z".to_owned(),
        }
    }
}

fn literal_slot(field: &Field, bytes: &[u8]) -> Option<i64> {
    let at = field.literals.iter().position(|literal| literal == bytes)?;
    u16::try_from(at).ok().map(Field::literal_slot)
}
