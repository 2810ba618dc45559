//! The reader's numbers: plain ones in a range, and those with a unit. Must not know what they count.

use super::Diagnostic;
use super::document::{Node, Value};
use super::reader::Reader;
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize, Nanos, PerSecond, UnitError, UnitKind, grouped};
use std::str::FromStr;

/// A type that is written as a number with a unit.
pub(super) trait Unit: FromStr<Err = UnitError> {
    const KIND: UnitKind;
}

impl Unit for Nanos {
    const KIND: UnitKind = UnitKind::Duration;
}
impl Unit for ByteSize {
    const KIND: UnitKind = UnitKind::ByteSize;
}
impl Unit for Bandwidth {
    const KIND: UnitKind = UnitKind::Bandwidth;
}
impl Unit for PerSecond {
    const KIND: UnitKind = UnitKind::Rate;
}

impl<'a> Reader<'a> {
    /// A node as an integer in `least ..= greatest`.
    pub(super) fn integer_node(
        &self,
        key: &str,
        node: &Node,
        least: i64,
        greatest: i64,
    ) -> Option<i64> {
        #[cfg(test)]
        super::asked::integer(&self.path_of(key), least, greatest);
        let Value::Integer(value) = node.value else {
            self.wrong_type(key, node, "an integer");
            return None;
        };
        match i64::try_from(value) {
            Ok(value) if (least..=greatest).contains(&value) => Some(value),
            _ => {
                let message = format!("`{}` is {}", self.path_of(key), grouped(value));
                // Limits beyond any use are not worth naming to somebody who is below the other end.
                let label = match value < i128::from(least) {
                    true if greatest > 1 << 40 => format!("must be at least {least}"),
                    false if least < -(1 << 40) => {
                        format!("must be at most {}", grouped(greatest as i128))
                    }
                    _ => format!(
                        "must be in {} ..= {}",
                        grouped(least.into()),
                        grouped(greatest.into())
                    ),
                };
                self.sink.error(&node.place, message, label);
                None
            }
        }
    }

    /// An integer in `least ..= greatest`.
    pub(super) fn integer(&self, key: &'a str, least: i64, greatest: i64) -> Option<i64> {
        self.read(key, |reader, node| {
            reader.integer_node(key, node, least, greatest)
        })
    }

    /// An integer with a default.
    pub(super) fn integer_or(&self, key: &'a str, least: i64, greatest: i64, default: i64) -> i64 {
        self.read_or(key, &default.to_string(), |reader, node| {
            reader.integer_node(key, node, least, greatest)
        })
    }

    /// A finite number that `accepts`; `domain` says which.
    pub(super) fn number_node(
        &self,
        key: &str,
        node: &Node,
        domain: &str,
        accepts: impl Fn(f64) -> bool,
    ) -> Option<f64> {
        #[cfg(test)]
        super::asked::number(&self.path_of(key), &accepts);
        let value = match node.value {
            Value::Integer(value) => value as f64,
            Value::Float(value) => value,
            _ => {
                self.wrong_type(key, node, "a number");
                return None;
            }
        };
        if value.is_finite() && accepts(value) {
            return Some(value);
        }
        self.sink.error(
            &node.place,
            format!("`{}` is {}", self.path_of(key), shown(value)),
            format!("must be {domain}"),
        );
        None
    }

    /// A finite number that `accepts`; `domain` says which.
    pub(super) fn number(
        &self,
        key: &'a str,
        domain: &str,
        accepts: impl Fn(f64) -> bool + Copy,
    ) -> Option<f64> {
        self.read(key, |reader, node| {
            reader.number_node(key, node, domain, accepts)
        })
    }

    /// A finite number with a default.
    pub(super) fn number_or(
        &self,
        key: &'a str,
        domain: &str,
        accepts: impl Fn(f64) -> bool + Copy,
        default: &str,
    ) -> f64 {
        self.read_or(key, default, |reader, node| {
            reader.number_node(key, node, domain, accepts)
        })
    }

    fn unit_node<T: Unit>(&self, key: &str, node: &Node) -> Option<T> {
        let expected = T::KIND.expected();
        #[cfg(test)]
        super::asked::unit::<T>(&self.path_of(key));
        match &node.value {
            Value::Text(text) => match text.parse() {
                Ok(value) => Some(value),
                Err(error) => {
                    let mut diagnostic = Diagnostic::error(error.to_string()).label(expected);
                    diagnostic.help = error.help();
                    self.sink.add(&node.place, diagnostic);
                    None
                }
            },
            Value::Integer(_) | Value::Float(_) => {
                let number = match node.value {
                    Value::Integer(value) => value.to_string(),
                    Value::Float(value) => value.to_string(),
                    _ => String::new(),
                };
                let diagnostic = Diagnostic::error(format!("`{}` has no unit", self.path_of(key)))
                    .label(expected);
                let text = format!("{number}{}", T::KIND.usual_unit());
                let diagnostic = match text.parse::<T>() {
                    Ok(_) => diagnostic.help(format!("write the unit: `{key} = \"{text}\"`")),
                    Err(_) => diagnostic,
                };
                self.sink.add(&node.place, diagnostic);
                None
            }
            _ => {
                let expected = expected.strip_prefix("expected ").unwrap_or(expected);
                self.wrong_type(key, node, expected);
                None
            }
        }
    }

    /// A number with a unit.
    pub(super) fn unit<T: Unit>(&self, key: &'a str) -> Option<T> {
        self.read(key, |reader, node| reader.unit_node(key, node))
    }

    /// A number with a unit and a default.
    pub(super) fn unit_or<T: Unit>(&self, key: &'a str, default: &str) -> T {
        self.read_or(key, &format!("{default:?}"), |reader, node| {
            reader.unit_node(key, node)
        })
    }

    /// A length of time.
    pub(super) fn duration(&self, key: &'a str) -> Option<SimDuration> {
        self.unit::<Nanos>(key)
            .map(|nanos| SimDuration::from_nanos(nanos.0))
    }

    /// A length of time with a default.
    pub(super) fn duration_or(&self, key: &'a str, default: &str) -> SimDuration {
        SimDuration::from_nanos(self.unit_or::<Nanos>(key, default).0)
    }

    /// A length of time > 0.
    pub(super) fn positive_duration(&self, key: &'a str) -> Option<SimDuration> {
        let value = self.duration(key)?;
        if value == SimDuration::ZERO {
            let place = self.table?.get(key)?.node.place.clone();
            self.sink.error(
                &place,
                format!("`{}` is zero", self.path_of(key)),
                "must be longer than zero",
            );
            return None;
        }
        Some(value)
    }
}

/// As it was probably written: a number of hundreds of digits by its exponent.
fn shown(value: f64) -> String {
    if value.is_finite() && value.abs() >= 1e15 {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}
