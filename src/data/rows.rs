//! The rows of a file, whatever its form. Must not know what the values mean.

use super::delimited::Delimited;
use super::findings::{DataError, DataWarning, Oddity, Warnings, shown};
use super::json_lines::JsonLines;
use super::lines::Lines;
#[cfg(feature = "parquet")]
use super::parquet_rows::ParquetRows;
use super::record::Record;
use super::values::ValueKind;
use crate::text::counted;
use std::io::Read;
use std::path::Path;

/// The rows of one file, one at a time; of any length in the memory of one row.
pub struct Rows {
    lines: Lines,
    form: Form,
    columns: Vec<String>,
    warnings: Warnings,
    rows: u64,
}

#[allow(clippy::large_enum_variant)]
enum Form {
    Delimited(Delimited),
    Json(JsonLines),
    #[cfg(feature = "parquet")]
    Parquet(ParquetRows),
}

/// Longest row key of HBase, and so the longest value that may be a part of one.
const LONGEST_VALUE: usize = i16::MAX as usize;

impl Rows {
    /// Opens a file and reads its header; `-` is standard input. What the file is, its content says, not its name.
    ///
    /// # Errors
    /// It can't be read, is empty, is of another kind, or has no header with a name for each column.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        Self::open_as(path, &path.display().to_string())
    }

    /// The same, called `shown` in messages; `-` is standard input.
    ///
    /// # Errors
    /// As of [`Rows::open`].
    pub fn open_as(path: &Path, shown: &str) -> Result<Self, DataError> {
        let mut warnings = Warnings::default();
        #[cfg(feature = "parquet")]
        if let Some((rows, columns)) = ParquetRows::open(path, shown)? {
            return Ok(Self {
                lines: Lines::of(std::io::empty(), shown, &mut warnings)?,
                form: Form::Parquet(rows),
                columns,
                warnings,
                rows: 0,
            });
        }
        let lines = Lines::open(path, shown, &mut warnings)?;
        Self::of(lines, warnings)
    }

    /// The same of bytes from anywhere, called `shown` in messages.
    ///
    /// # Errors
    /// As of a file.
    pub fn read(input: impl Read + Send + 'static, shown: &str) -> Result<Self, DataError> {
        let mut warnings = Warnings::default();
        let lines = Lines::of(input, shown, &mut warnings)?;
        Self::of(lines, warnings)
    }

    fn of(mut lines: Lines, mut warnings: Warnings) -> Result<Self, DataError> {
        if !lines.next_filled()? {
            let found = "the file is empty; expected a header with column names, or JSON objects";
            return Err(DataError::of_file(&lines.file, found));
        }
        let (form, columns) = if lines.line.trim_start().starts_with(['{', '[']) {
            let (reader, columns) = JsonLines::new(&mut lines)?;
            (Form::Json(reader), columns)
        } else {
            let mut reader = Delimited::new(&lines, &mut warnings);
            let mut header = Record::default();
            reader.read(&mut lines, &mut header, &mut warnings)?;
            (Form::Delimited(reader), column_names(&header, &lines.file)?)
        };
        Ok(Self {
            lines,
            form,
            columns,
            warnings,
            rows: 0,
        })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Reads the next row; false at the end of the file.
    ///
    /// # Errors
    /// The row can't be read, or the file can't any more; [`DataError::is_of_row`] tells them apart. A file without any row is an error.
    pub fn next(&mut self, record: &mut Record) -> Result<bool, DataError> {
        let there = match &mut self.form {
            Form::Json(json) if !json.ahead.is_empty() => true,
            #[cfg(feature = "parquet")]
            Form::Parquet(rows) => rows.read(&self.lines.file, record)?,
            _ => self.lines.next_filled()?,
        };
        if !there {
            return match self.rows {
                0 => Err(DataError::of_file(
                    &self.lines.file,
                    "the file has a header and no rows",
                )),
                _ => Ok(false),
            };
        }
        self.rows += 1;
        let (lines, warnings) = (&mut self.lines, &mut self.warnings);
        match &mut self.form {
            Form::Json(json) => json.read(lines, &self.columns, record, warnings)?,
            Form::Delimited(reader) => reader.read(lines, record, warnings)?,
            #[cfg(feature = "parquet")]
            Form::Parquet(_) => {}
        }
        let (found, expected) = (record.ends.len(), self.columns.len());
        if found != expected {
            let found = counted(found, "column");
            let found = format!("the row has {found}, the header {expected}");
            return Err(DataError::of_row(&self.lines.file, record.line, found));
        }
        if record.text.len() > LONGEST_VALUE {
            let long = |at: &usize| record.get(*at).is_some_and(|it| it.len() > LONGEST_VALUE);
            if let Some(at) = (0..found).find(long) {
                self.warn(Oddity::LongValue, record, at);
            }
        }
        Ok(true)
    }

    /// What was odd about the file so far.
    pub fn warnings(&self) -> &[DataWarning] {
        &self.warnings.list
    }

    /// Adds a warning about a value of a row.
    pub fn warn(&mut self, oddity: Oddity, record: &Record, column: usize) {
        let column = Some(self.columns[column].as_str());
        self.warnings
            .add(oddity, &self.lines.file, record.line, column);
    }

    /// An error about a value of a row: what was found, and what was expected.
    pub fn error(&self, record: &Record, column: usize, found: impl Into<String>) -> DataError {
        DataError {
            column: Some(self.columns[column].clone()),
            ..DataError::of_row(&self.lines.file, record.line, found)
        }
    }

    /// Rows that were read.
    pub fn count(&self) -> u64 {
        self.rows
    }

    /// The part of the file that was read, in 0 ..= 1; `None` of what has no known length.
    pub fn part_read(&self) -> Option<f64> {
        #[cfg(feature = "parquet")]
        if let Form::Parquet(rows) = &self.form {
            return Some(rows.part_read());
        }
        self.lines.part_read()
    }
}

/// The names of the columns that a header gives.
fn column_names(header: &Record, file: &str) -> Result<Vec<String>, DataError> {
    let mut names: Vec<String> = Vec::new();
    for at in 0..header.ends.len() {
        let number = || format!("column {}", at + 1);
        let name = header
            .get(at)
            .map_or_else(number, |name| name.trim().to_owned());
        let found = if ValueKind::of(&name) != ValueKind::Text {
            let name = shown(&name);
            format!("there is no header: {name} is a value, not the name of a column")
        } else if names.contains(&name) {
            format!("the header calls two columns {}", shown(&name))
        } else {
            names.push(name);
            continue;
        };
        return Err(DataError::at(file, header.line, found));
    }
    Ok(names)
}
