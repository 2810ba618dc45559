//! A function of the language, and a call of it whose arguments have been checked: what the builders of all functions share.

use crate::key::check::complaints::{Complaints, type_name};
use crate::key::code::Code;
use crate::key::lang::KeyError;
use crate::keyspace::RowKey;
use crate::record::{Interval, Schema, ValueType};
use std::ops::{Range, RangeInclusive};

/// A function of the language.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name; calls ignore case.
    pub name: &'static str,
    /// A call.
    pub usage: &'static str,
    /// What it gives.
    pub summary: &'static str,
    pub(in crate::key::check) arguments: &'static [Argument],
    /// Makes a value of checked arguments. Without it, a call gives several parts of a key, as `delim` does.
    pub(in crate::key::check) build: Option<Build>,
}

pub type Build = fn(&mut Call<'_, '_>) -> Option<Code>;

/// How an argument is checked before a function is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Value,
    /// A value that may be left out.
    Optional,
    /// A value that is hashed, or padded: its own order and width say nothing.
    Unordered,
    /// A text in quotes, which is no value.
    Literal,
    /// A value, or an integer of 64 bits without a sign, which stands for its bytes.
    Wide,
}

impl Function {
    /// Least and greatest number of arguments.
    pub(in crate::key::check) fn arity(&self) -> (usize, usize) {
        let optional = |kind: &&Argument| **kind == Argument::Optional;
        let most = self.arguments.len();
        (most - self.arguments.iter().filter(optional).count(), most)
    }

    /// How it is called and what it gives.
    pub(in crate::key::check) fn help(&self) -> String {
        format!("`{}`: {}", self.usage, self.summary)
    }
}

/// A call whose arguments have been checked.
pub struct Call<'a, 'b> {
    pub function: &'static Function,
    /// The arguments (`None`: something is wrong with it, as has been said) and their places.
    pub values: Vec<(Option<Code>, Range<usize>)>,
    pub span: &'a Range<usize>,
    pub complaints: &'a mut Complaints<'b>,
    /// Draws of each operation that belong to others.
    pub draws: &'a mut u32,
    pub schema: &'a Schema,
}

impl Call<'_, '_> {
    /// Takes the value of an argument.
    pub fn value(&mut self, at: usize) -> Option<Code> {
        self.values[at].0.take()
    }

    /// The argument as written.
    pub fn written(&self, at: usize) -> String {
        self.complaints.written(&self.values[at].1)
    }

    /// Reports an error in an argument.
    pub fn refuse<T>(
        &mut self,
        at: usize,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        let error = KeyError::new(&self.values[at].1, message, label, help);
        self.complaints.error(error)
    }

    /// Reports a value of another type than is expected.
    pub fn wrong_type<T>(
        &mut self,
        at: usize,
        found: &Code,
        expected: &str,
        help: &str,
    ) -> Option<T> {
        let (text, found) = (self.written(at), type_name(found.value_type));
        let message = format!("`{text}` is {found}, expected {expected}");
        self.refuse(at, message, format!("expected {expected}"), help)
    }

    /// Warns of the whole call.
    pub fn warn(&mut self, message: impl Into<String>, label: impl Into<String>, help: &str) {
        let text = KeyError::new(self.span, message, label, help);
        self.complaints.lint(true, text);
    }

    /// The argument as an integer.
    pub fn int(&mut self, at: usize) -> Option<Code> {
        let value = self.value(at)?;
        match value.value_type {
            ValueType::Int => Some(value),
            _ => self.wrong_type(at, &value, "int", &self.function.help()),
        }
    }

    /// The argument as an integer within a range.
    pub fn int_within(&mut self, at: usize, held: (i64, i64), help: &str) -> Option<Code> {
        let value = self.int(at)?;
        self.require(at, value.range, held, help)?;
        Some(value)
    }

    /// The argument as text or bytes.
    pub fn bytes(&mut self, at: usize) -> Option<Code> {
        let value = self.value(at)?;
        if !value.is_number() {
            return Some(value);
        }
        let written = self.written(at);
        let help = format!("make text of it first: `text({written})` or `lpad({written}, n)`");
        self.wrong_type(at, &value, "text or bytes", &help)
    }

    /// The argument as text.
    pub fn text(&mut self, at: usize, help: &str) -> Option<Code> {
        let bytes = self.bytes(at)?;
        match bytes.is_text() {
            true => Some(bytes),
            false => self.wrong_type(at, &bytes, "text", help),
        }
    }

    /// The argument as text or bytes; integers as their decimal text.
    pub fn hashable(&mut self, at: usize) -> Option<Code> {
        let value = self.value(at)?;
        match value.value_type {
            ValueType::Double => {
                let help = "encode doubles first: `f8(x)`";
                self.wrong_type(at, &value, "int, text or bytes", help)
            }
            _ => value.into_bytes(),
        }
    }

    /// The argument as an integer that is the same in every record.
    pub fn constant(&mut self, at: usize) -> Option<i64> {
        self.int(at)?.as_constant().or_else(|| {
            let message = format!("`{}` is not a constant", self.written(at));
            let expected = "expected a number or a parameter";
            self.refuse(at, message, expected, self.function.help())
        })
    }

    /// The argument as a constant within a range, by what it means.
    pub fn constant_within(
        &mut self,
        at: usize,
        range: RangeInclusive<i64>,
        what: &str,
    ) -> Option<i64> {
        let value = self.constant(at)?;
        if range.contains(&value) {
            return Some(value);
        }
        let (name, low, high) = (self.function.name, range.start(), range.end());
        let message = format!("{what} of `{name}` is {value}, expected {low} to {high}");
        self.refuse(at, message, "out of range", self.function.help())
    }

    /// The argument as a constant that bytes of a key are counted by.
    pub fn length(&mut self, at: usize, what: &str) -> Option<usize> {
        let length = self.constant_within(at, 0..=RowKey::MAX_LEN as i64, what)?;
        Some(length as usize)
    }

    /// Refuses an integer argument that leaves a range.
    pub fn require(
        &mut self,
        at: usize,
        found: Interval,
        (low, high): (i64, i64),
        help: &str,
    ) -> Option<()> {
        if found.within(low, high) {
            return Some(());
        }
        let (written, name) = (self.written(at), self.function.name);
        let message =
            format!("`{written}` takes {found}, but `{name}` holds {low} to {high} there");
        self.refuse(at, message, format!("takes {found}"), help)
    }

    /// Reserves draws of each operation; how many belong to others before them.
    pub fn take_draws(&mut self, count: u32) -> u32 {
        *self.draws += count;
        *self.draws - count
    }
}
