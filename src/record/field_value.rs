//! Values as people write and read them, to slots and back. Must not know TOML.

use super::{Field, FieldId, FieldKind, Schema, TextValues, TimeUnit};
use crate::text::{counted, hex, unhex};
use crate::time::EpochNanos;

/// A value that a user gives for a field, typed as the user typed it.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// An integer.
    Int(i64),
    /// An integer above `i64::MAX`, which only `be8` takes.
    Unsigned(u64),
    /// A text; for `uuid` and `bytes` in hexadecimal.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A number with a fraction.
    Double(f64),
    /// An instant: a count of a unit since 1970.
    Time(i64, TimeUnit),
}

/// Why a given value is no slot of the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldValueError {
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
    pub fn parse(&self, id: FieldId, given: &FieldValue) -> Result<i64, FieldValueError> {
        let field = self.field(id);
        let literal_or = |bytes: Vec<u8>, ordinal: Option<u64>| {
            let literal = field.literals.iter().position(|literal| *literal == bytes);
            let literal = literal.and_then(|at| u16::try_from(at).ok());
            let slot = literal.map(Field::literal_slot);
            slot.or(ordinal.map(|it| it as i64)).ok_or(Some(bytes))
        };
        let raw = |digits: &str, length: u16| {
            let bytes = unhex(digits).filter(|bytes| bytes.len() == usize::from(length));
            bytes.map_or(Err(None), |bytes| literal_or(bytes, None))
        };
        // The slot, or else what the value would be as a literal.
        let slot = match (&field.kind, given) {
            (FieldKind::Timestamp { unit, .. }, FieldValue::Time(count, of)) => {
                Ok(unit.floor(EpochNanos(count.saturating_mul(of.nanos()))))
            }
            (FieldKind::Int { .. }, FieldValue::Time(count, of)) if field.time_unit().is_some() => {
                let at = EpochNanos(count.saturating_mul(of.nanos()));
                let number = field.time_unit().map_or(at.0, |unit| unit.floor(at));
                return self.parse(id, &FieldValue::Int(number));
            }
            (FieldKind::Timestamp { .. }, FieldValue::Int(number)) => Ok(*number),
            (
                FieldKind::Int { .. } | FieldKind::Sequence { .. } | FieldKind::Digits { .. },
                FieldValue::Int(number),
            ) => {
                let (first, count) = (field.kind.first_slot(), field.kind.count());
                let near = count.is_none_or(|count| number.abs_diff(first) < count);
                (*number >= first && near).then_some(*number).ok_or(None)
            }
            (FieldKind::Double { min, max }, FieldValue::Double(number)) => {
                let inside = (*min..*max).contains(number);
                inside.then(|| (number + 0.0).to_bits() as i64).ok_or(None)
            }
            (FieldKind::Double { .. }, FieldValue::Int(number)) => {
                return self.parse(id, &FieldValue::Double(*number as f64));
            }
            (
                FieldKind::Digits { .. } | FieldKind::Text(_) | FieldKind::Domain { .. },
                FieldValue::Text(text),
            ) => literal_or(text.as_bytes().to_vec(), self.text(id).ordinal(text)),
            (_, FieldValue::Bytes(bytes)) => {
                return self.parse(id, &FieldValue::Text(hex(bytes)));
            }
            (FieldKind::ListedUuid(values), FieldValue::Text(text)) => {
                let bytes = unhex(&text.replace('-', "")).unwrap_or_default();
                let listed = values.iter().position(|value| value[..] == bytes);
                literal_or(bytes, listed.map(|at| at as u64))
            }
            (FieldKind::Uuid { .. }, FieldValue::Text(text)) => raw(&text.replace('-', ""), 16),
            (FieldKind::Bytes { length, .. }, FieldValue::Text(text)) => raw(text, *length),
            _ => {
                return Err(FieldValueError::Type {
                    field: field.name.clone(),
                    expected: field.kind.describe(),
                    found: given.kind(),
                });
            }
        };
        slot.map_err(|literal| FieldValueError::Outside {
            field: field.name.clone(),
            value: given.to_string(),
            domain: field.kind.describe(),
            literal,
        })
    }

    /// A value for people: numbers in decimal, timestamps in RFC 3339, `uuid`s with hyphens, `bytes` in hexadecimal, texts as they are
    /// (an empty one as `''`).
    pub fn display(&self, id: FieldId, slot: i64) -> String {
        let field = self.field(id);
        if let Some(unit) = field.time_unit() {
            let nanos = i128::from(slot) * i128::from(unit.nanos());
            let instant = jiff::Timestamp::from_nanosecond(nanos);
            return instant.map_or_else(|_| slot.to_string(), |at| at.to_string());
        }
        let mut bytes = Vec::new();
        self.write_text(id, slot, &mut bytes);
        match &field.kind {
            _ if bytes.is_empty() => "''".to_owned(),
            FieldKind::Uuid { .. } | FieldKind::ListedUuid(_) | FieldKind::Bytes { .. } => {
                let mut digits = hex(&bytes);
                if !matches!(field.kind, FieldKind::Bytes { .. }) && bytes.len() == 16 {
                    [20, 16, 12, 8]
                        .into_iter()
                        .for_each(|at| digits.insert(at, '-'));
                }
                digits
            }
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

impl FieldValue {
    fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) | Self::Unsigned(_) => "a whole number",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::Time(..) => "a date and time",
            Self::Double(_) => "a number with a fraction",
        }
    }
}

impl std::fmt::Display for FieldValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Unsigned(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => f.write_str(&hex(bytes)),
            Self::Time(count, unit) => {
                let nanos = i128::from(*count) * i128::from(unit.nanos());
                let instant = jiff::Timestamp::from_nanosecond(nanos);
                write!(f, "{}", instant.unwrap_or_default())
            }
            Self::Double(number) => write!(f, "{number}"),
        }
    }
}

impl FieldKind {
    /// Its values in words, for messages: "a whole number from 1 to 300".
    pub fn describe(&self) -> String {
        match self {
            Self::Int { first, count } => {
                let last = first.saturating_add_unsigned(count - 1);
                format!("a whole number from {first} to {last}")
            }
            Self::Sequence { first } => format!("a whole number from {first} on"),
            Self::Digits {
                width,
                first,
                count,
            } => {
                let (width, last) = (usize::from(*width), first + (count - 1));
                format!(
                    "{} from `{first:0width$}` to `{last:0width$}`",
                    counted(width, "digit")
                )
            }
            Self::Text(TextValues::Listed(values)) if values.len() <= 8 => {
                let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Self::Text(TextValues::Listed(values)) => {
                format!("one of {} listed texts", values.len())
            }
            Self::Text(TextValues::Generated { count, length, .. }) => {
                format!(
                    "one of {count} generated texts of {}",
                    counted(length, "character")
                )
            }
            Self::Domain { count } => format!("one of {count} generated domain names"),
            Self::ListedUuid(values) => format!("one of {} listed uuids", values.len()),
            Self::Uuid { count: None } => "a fresh uuid".to_owned(),
            Self::Uuid { count: Some(count) } => format!("one of {count} generated uuids"),
            Self::Bytes {
                length,
                count: None,
            } => format!("{}, given in hexadecimal", counted(length, "fresh byte")),
            Self::Bytes {
                length,
                count: Some(count),
            } => {
                format!(
                    "one of {count} generated strings of {}, given in hexadecimal",
                    counted(length, "byte")
                )
            }
            Self::Double { min, max } => format!("a number from {min} to below {max}"),
            Self::Timestamp { .. } => "a date and time such as 2026-01-01T00:00:00Z".to_owned(),
        }
    }
}
