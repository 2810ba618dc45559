//! What is wrong or odd about a file, with its place. Must not know how it was found.

use crate::text::{grouped, visible};
use std::fmt;

/// Why a file, or one row of it, can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataError {
    /// As the user named it.
    pub file: String,
    /// From 1.
    pub line: Option<u64>,
    /// A column's name.
    pub column: Option<String>,
    /// What was found, what was expected and, behind a line break, what to do.
    pub found: String,
    /// Only this row is unreadable: the next one may be read.
    pub is_of_row: bool,
}

/// Something odd that leaves a file readable: what it is, where it was seen first, how often.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DataWarning {
    pub oddity: Oddity,
    pub first: DataError,
    pub times: u64,
}

/// What may be odd about a file. Each is warned of once a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Oddity {
    #[error("the name promises gzip or zstd, the content is neither: it is read as plain text")]
    NotPacked,
    #[error("semicolons or bars separate the columns: decimal commas are not understood")]
    Delimiter,
    #[error("a quote stands alone inside a value and is kept in it: is the row whole?")]
    StrayQuote,
    #[error(
        "text stands behind a quote that closes a value, and is a part of it: is the quote doubled where it belongs to the value?"
    )]
    TextBehindQuote,
    #[error("a value is longer than 32,767 bytes: no row key of HBase can hold it")]
    LongValue,
    #[error("the value is of another JSON type than those before it, and taken as its text")]
    OtherType,
    #[error("the field comes up too late and is left out: one of the first 100 rows must have it")]
    LateColumn,
    #[error("a time without a zone is taken as UTC: write it as 2026-01-01T00:00:00Z if it is")]
    NoTimeZone,
}

/// Most characters of a value that a message repeats.
const SHOWN: usize = 60;

/// A value of a file, as messages show it: hidden characters escaped, long ones cut.
pub(super) fn shown(value: &str) -> String {
    let start: String = value.chars().take(SHOWN).collect();
    let cut = if start.len() < value.len() { "..." } else { "" };
    let start = visible(&start).replace('\n', "\\n");
    format!("`{start}{cut}`")
}

impl DataError {
    /// Of a whole file.
    pub fn of_file(file: &str, found: impl Into<String>) -> Self {
        let (file, found) = (file.to_owned(), found.into());
        let error = Self::default();
        Self {
            file,
            found,
            ..error
        }
    }

    /// Of a line, with which the file ends.
    pub fn at(file: &str, line: u64, found: impl Into<String>) -> Self {
        let line = Some(line);
        let error = Self::of_file(file, found);
        Self { line, ..error }
    }

    /// Of a row behind which others may be read.
    pub(super) fn of_row(file: &str, line: u64, found: impl Into<String>) -> Self {
        let is_of_row = true;
        let error = Self::at(file, line, found);
        Self { is_of_row, ..error }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {}", shown(column))?;
        }
        write!(f, ": {}", self.found)
    }
}

impl std::error::Error for DataError {}

impl fmt::Display for DataWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        match self.times {
            1 => Ok(()),
            times => write!(f, " (the first of {})", grouped(times.into())),
        }
    }
}

/// The oddities of a file so far.
#[derive(Debug, Default)]
pub struct Warnings {
    /// In the order in which they were met.
    pub list: Vec<DataWarning>,
}

impl Warnings {
    pub(super) fn add(&mut self, oddity: Oddity, file: &str, line: u64, column: Option<&str>) {
        if let Some(warning) = self.list.iter_mut().find(|it| it.oddity == oddity) {
            warning.times += 1;
            return;
        }
        let first = DataError {
            column: column.map(str::to_owned),
            ..DataError::at(file, line, oddity.to_string())
        };
        let times = 1;
        self.list.push(DataWarning {
            oddity,
            first,
            times,
        });
    }
}
