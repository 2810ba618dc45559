//! One key from values given by hand, by the same compiler.

use super::check::Environment;
use super::describe::{SegmentText, bytes_literal};
use super::lang::{KeyError, KeyNote};
use super::plan::KeyPlan;
use super::run::Row;
use crate::keyspace::RowKey;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{Field, FieldKind, FieldValue, Schema, TextValues, TimeUnit};
use crate::text::unhex;
use crate::time::EpochNanos;
use std::collections::BTreeMap;

/// A key, its segments and the lints of its expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// The key.
    pub key: RowKey,
    /// Its segments.
    pub segments: Vec<SegmentText>,
    /// Lints of the language.
    pub notes: Vec<KeyNote>,
}

/// Reads `name=value` or `name:type=value`. Without a type, an integer without leading zeros is an int, `x'..'` bytes, anything else
/// text; types are `int`, `text`, `bytes` (hexadecimal), `double`, and `s`, `ms`, `us`, `ns` for timestamps (a number or a date
/// and time). Says what is wrong otherwise.
pub fn parse_given(argument: &str) -> Result<(String, FieldValue), String> {
    let Some((name, value)) = argument.split_once('=') else {
        return Err(format!("`{argument}` is not of the form name=value"));
    };
    let (name, forced) = match name.split_once(':') {
        Some((name, forced)) => (name, Some(forced)),
        None => (name, None),
    };
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!(
            "`{name}` is not a name: letters, digits and `_`, not a digit first"
        ));
    }
    let mut units = TimeUnit::ALL.into_iter();
    let unit = units.find(|unit| forced == Some(unit.name()));
    let given = match (forced, unit) {
        (_, Some(unit)) => instant(value, unit)?,
        (None, _) => guess(value),
        (Some("text"), _) => FieldValue::Text(value.to_owned()),
        (Some("int"), _) => {
            integer(value).ok_or_else(|| format!("`{value}` is not an integer of 64 bits"))?
        }
        (Some("bytes"), _) => {
            let bytes = hexadecimal(value).or_else(|| unhex(value));
            FieldValue::Bytes(bytes.ok_or_else(|| format!("`{value}` is not hexadecimal"))?)
        }
        (Some("double"), _) => {
            let number = value.parse().ok().filter(|number: &f64| number.is_finite());
            FieldValue::Double(number.ok_or_else(|| format!("`{value}` is not a finite number"))?)
        }
        (Some(other), _) => {
            return Err(format!(
                "`{other}` is not a type: expected int, text, bytes, double, s, ms, us or ns"
            ));
        }
    };
    Ok((name.to_owned(), given))
}

fn integer(value: &str) -> Option<FieldValue> {
    let unsigned = || value.parse().map(FieldValue::Unsigned).ok();
    let signed = value.parse().map(FieldValue::Int).ok();
    signed.or_else(unsigned)
}

/// A count of a unit, or a date and time.
fn instant(value: &str, unit: TimeUnit) -> Result<FieldValue, String> {
    if let Ok(count) = value.parse() {
        return Ok(FieldValue::Time(count, unit));
    }
    let instant: jiff::Timestamp = value.parse().map_err(|_| {
        format!("`{value}` is neither an integer nor a date and time such as 2026-01-01T00:00:00Z")
    })?;
    let count = instant.as_nanosecond().div_euclid(unit.nanos().into());
    let count = i64::try_from(count).map_err(|_| format!("`{value}` is out of range"))?;
    Ok(FieldValue::Time(count, unit))
}

fn guess(value: &str) -> FieldValue {
    // `007`, `+7` and `-0` are not how numbers are written: they stay text.
    let as_written = |number: i128| number.to_string() == value;
    let number = integer(value).filter(|_| value.parse().is_ok_and(as_written));
    let known = number.or_else(|| hexadecimal(value).map(FieldValue::Bytes));
    known.unwrap_or_else(|| FieldValue::Text(value.to_owned()))
}

/// The bytes of `x'...'`.
fn hexadecimal(value: &str) -> Option<Vec<u8>> {
    unhex(value.strip_prefix("x'")?.strip_suffix('\'')?)
}

/// Compiles `text` with the given values as its only fields, and writes one key. `seed` is for `random`, `uuid4` and their like.
pub fn evaluate(
    text: &str,
    given: &[(String, FieldValue)],
    seed: Seed,
) -> Result<Evaluated, Vec<KeyError>> {
    let mut schema = Schema {
        fields: Vec::new(),
        time_range: (EpochNanos(0), EpochNanos(0)),
        sequence_span: 0,
    };
    let mut record = Vec::new();
    let mut derived = Vec::new();
    let mut times = Vec::new();
    for (name, value) in given {
        let mut literals = Vec::new();
        let (kind, slot) = match value {
            &FieldValue::Int(first) => (FieldKind::Int { first, count: 1 }, first),
            FieldValue::Unsigned(number) => {
                derived.push((name.clone(), number.to_string()));
                continue;
            }
            FieldValue::Text(text) => {
                let texts = TextValues::Listed([text.clone()].into());
                (FieldKind::Text(texts), 0)
            }
            FieldValue::Bytes(bytes) => {
                let Some(length @ 1..) = u16::try_from(bytes.len()).ok() else {
                    derived.push((name.clone(), bytes_literal(bytes)));
                    continue;
                };
                literals.push(bytes.clone());
                let count = Some(1);
                (FieldKind::Bytes { length, count }, Field::literal_slot(0))
            }
            &FieldValue::Double(min) => (FieldKind::Double { min, max: min }, min.to_bits() as i64),
            &FieldValue::Time(count, unit) => {
                let Some(nanos) = count.checked_mul(unit.nanos()) else {
                    return Err(vec![beyond_calendar(name, count, text)]);
                };
                times.push(EpochNanos(nanos));
                (FieldKind::Timestamp { unit, late: None }, count)
            }
        };
        schema.fields.push(Field {
            literals,
            ..Field::new(name, kind)
        });
        record.push(slot);
    }
    if let Some((first, last)) = times.iter().min().zip(times.iter().max()) {
        schema.time_range = (*first, *last);
    }
    let environment = Environment {
        schema: &schema,
        derived: &derived,
        parameters: &BTreeMap::new(),
    };
    let plan = KeyPlan::compile(text, &environment)?;
    let draws = DrawKey::new(seed, 0, Stream::Keys, 0).at(0);
    let (key, segments) = plan.describe(&Row::new(&record, 0, draws));
    Ok(Evaluated {
        key,
        segments,
        notes: plan.notes.clone(),
    })
}

fn beyond_calendar(name: &str, count: i64, text: &str) -> KeyError {
    let place = text.find(name).map(|at| at..at + name.len());
    let message = format!("timestamp {count} of `{name}` lies outside the years 1677 to 2262");
    let label = "out of range";
    let help = "is its unit right?";
    KeyError::new(&place.unwrap_or(0..text.len()), message, label, help)
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;
