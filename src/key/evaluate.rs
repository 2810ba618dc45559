//! One key from values given by hand, by the same compiler. Must not know scenarios.

use super::plan::{Environment, KeyError, KeyNote, KeyPlan, Row, SegmentText};
use crate::keyspace::RowKey;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{Field, FieldKind, Law, Schema, TextValues, TimeUnit};
use crate::time::EpochNanos;
use std::collections::BTreeMap;

/// A value given by hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// An integer.
    Int(i64),
    /// An integer above `i64::MAX`, which only `be8` takes.
    Unsigned(u64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A double.
    Double(f64),
    /// A timestamp: a count of a unit since 1970.
    Time(i64, TimeUnit),
}

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
pub fn parse_given(argument: &str) -> Result<(String, Given), String> {
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
    let int = |text: &str| {
        let signed = text.parse().map(Given::Int);
        signed
            .or_else(|_| text.parse().map(Given::Unsigned))
            .map_err(|_| format!("`{text}` is not an integer of 64 bits"))
    };
    let unit = |unit: TimeUnit| -> Result<Given, String> {
        if let Ok(count) = value.parse::<i64>() {
            return Ok(Given::Time(count, unit));
        }
        let instant: jiff::Timestamp = value.parse().map_err(|_| {
            format!(
                "`{value}` is neither an integer nor a date and time such as 2026-01-01T00:00:00Z"
            )
        })?;
        let nanos = instant.as_nanosecond();
        let tick = i128::from(1_000_000_000 / super::calendar::per_second(unit));
        i64::try_from(nanos.div_euclid(tick))
            .map(|count| Given::Time(count, unit))
            .map_err(|_| format!("`{value}` is out of range"))
    };
    let given = match forced {
        Some("int") => int(value)?,
        Some("text") => Given::Text(value.to_owned()),
        Some("bytes") => {
            let digits = value
                .strip_prefix("x'")
                .and_then(|rest| rest.strip_suffix('\''))
                .unwrap_or(value);
            Given::Bytes(unhex(digits).ok_or_else(|| format!("`{value}` is not hexadecimal"))?)
        }
        Some("double") => match value.parse::<f64>() {
            Ok(number) if number.is_finite() => Given::Double(number),
            _ => return Err(format!("`{value}` is not a finite number")),
        },
        Some("s") => unit(TimeUnit::Seconds)?,
        Some("ms") => unit(TimeUnit::Millis)?,
        Some("us") => unit(TimeUnit::Micros)?,
        Some("ns") => unit(TimeUnit::Nanos)?,
        Some(other) => {
            return Err(format!(
                "`{other}` is not a type: expected int, text, bytes, double, s, ms, us or ns"
            ));
        }
        None => guess(value),
    };
    Ok((name.to_owned(), given))
}

fn guess(value: &str) -> Given {
    if let Ok(number) = value.parse::<i64>()
        // `007`, `+7` and `-0` are not how numbers are written: they stay text.
        && number.to_string() == value
    {
        return Given::Int(number);
    }
    if let Ok(number) = value.parse::<u64>()
        && number.to_string() == value
    {
        return Given::Unsigned(number);
    }
    let hex = value
        .strip_prefix("x'")
        .and_then(|rest| rest.strip_suffix('\''));
    match hex.and_then(unhex) {
        Some(bytes) => Given::Bytes(bytes),
        None => Given::Text(value.to_owned()),
    }
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || digits.len() % 2 == 1 {
        return None;
    }
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok())
        .collect()
}

/// Compiles `text` with the given values as its only fields, and writes one key. `seed` is for `random`, `uuid4` and their like.
pub fn evaluate(
    text: &str,
    given: &[(String, Given)],
    seed: Seed,
) -> Result<Evaluated, Vec<KeyError>> {
    let mut schema = Schema {
        fields: Vec::new(),
        time_range: (EpochNanos(0), EpochNanos(0)),
        sequence_span: 0,
    };
    let mut record = Vec::new();
    let mut derived = Vec::new();
    let mut times: Option<(i64, i64)> = None;
    for (name, value) in given {
        let mut literals = Vec::new();
        let (kind, slot) = match value {
            Given::Int(number) => (
                FieldKind::Int {
                    first: *number,
                    count: 1,
                },
                *number,
            ),
            Given::Unsigned(number) => {
                derived.push((name.clone(), number.to_string()));
                continue;
            }
            Given::Text(text) => (
                FieldKind::Text(TextValues::Listed([text.clone()].into())),
                0,
            ),
            Given::Bytes(bytes) if bytes.is_empty() || bytes.len() > usize::from(u16::MAX) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                derived.push((name.clone(), format!("x'{hex}'")));
                continue;
            }
            Given::Bytes(bytes) => {
                literals.push(bytes.clone());
                (
                    FieldKind::Bytes {
                        length: bytes.len() as u16,
                        count: Some(1),
                    },
                    i64::MIN,
                )
            }
            Given::Double(number) => (
                FieldKind::Double {
                    min: *number,
                    max: *number,
                },
                number.to_bits() as i64,
            ),
            Given::Time(count, unit) => {
                let tick = 1_000_000_000 / super::calendar::per_second(*unit);
                let Some(nanos) = count.checked_mul(tick) else {
                    return Err(vec![beyond_calendar(name, *count, text)]);
                };
                times = Some(times.map_or((nanos, nanos), |(low, high)| {
                    (low.min(nanos), high.max(nanos))
                }));
                (
                    FieldKind::Timestamp {
                        unit: *unit,
                        late: None,
                    },
                    *count,
                )
            }
        };
        let law = Law::default();
        schema.fields.push(Field {
            name: name.clone(),
            kind,
            law,
            of: Vec::new(),
            literals,
        });
        record.push(slot);
    }
    if let Some((low, high)) = times {
        schema.time_range = (EpochNanos(low), EpochNanos(high));
    }
    let parameters = BTreeMap::new();
    let environment = Environment {
        schema: &schema,
        derived: &derived,
        parameters: &parameters,
    };
    let plan = KeyPlan::compile(text, &environment)?;
    let draws = DrawKey::new(seed, 0, Stream::Keys, 0).at(0);
    let (key, segments) = plan.describe(&Row {
        record: &record,
        index: 0,
        draws,
    });
    Ok(Evaluated {
        key,
        segments,
        notes: plan.notes().to_vec(),
    })
}

fn beyond_calendar(name: &str, count: i64, text: &str) -> KeyError {
    KeyError {
        derived: None,
        span: text
            .find(name)
            .map_or(0..text.len(), |at| at..at + name.len()),
        message: format!("timestamp {count} of `{name}` lies outside the years 1677 to 2262"),
        label: "out of range".to_owned(),
        help: Some("is its unit right?".to_owned()),
    }
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;
