//! Rows as JSON objects, one a line. Must not know what the values mean.

use super::findings::{DataError, Oddity, Warnings};
use super::lines::Lines;
use super::record::Record;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::mem::Discriminant;

/// Rows that columns are taken from.
const AHEAD: usize = 100;

/// A row's line and its fields, or what is wrong with it.
type Row = Result<(u64, Map<String, Value>), DataError>;

/// Reads one row after another.
#[derive(Default)]
pub(super) struct JsonLines {
    /// Rows that were read ahead, to learn the columns, each with its line.
    pub(super) ahead: VecDeque<Row>,
    /// The JSON type that each column's values have.
    types: Vec<Option<Discriminant<Value>>>,
}

impl JsonLines {
    /// The reader of a file whose first row is the current line, and its columns: the fields of its first rows in the order in which they first come
    /// up, those of one row by name.
    pub(super) fn new(lines: &mut Lines) -> Result<(Self, Vec<String>), DataError> {
        if lines.line.trim_start().starts_with('[') {
            let found = "the file is one JSON array, not an object a line\nrun `jq -c '.[]' FILE`";
            return Err(DataError::at(&lines.file, lines.number, found));
        }
        let mut reader = Self::default();
        let mut columns: Vec<String> = Vec::new();
        let mut there = Ok(true);
        while there == Ok(true) {
            let row = parse(lines);
            for name in row.iter().flat_map(|(_, object)| object.keys()) {
                if !columns.contains(name) {
                    columns.push(name.clone());
                }
            }
            reader.ahead.push_back(row);
            if reader.ahead.len() == AHEAD {
                break;
            }
            there = lines.next_filled();
        }
        reader.types = vec![None; columns.len()];
        Ok((reader, columns))
    }

    /// Reads a row that was read ahead, or that of the current line.
    pub(super) fn read(
        &mut self,
        lines: &Lines,
        columns: &[String],
        record: &mut Record,
        warnings: &mut Warnings,
    ) -> Result<(), DataError> {
        let row = self.ahead.pop_front().unwrap_or_else(|| parse(lines));
        let (line, object) = row?;
        record.line = line;
        record.text.clear();
        record.ends.clear();
        for (column, known) in columns.iter().zip(&mut self.types) {
            let value = object.get(column).filter(|value| !value.is_null());
            if let Some(value) = value {
                let found = std::mem::discriminant(value);
                if *known.get_or_insert(found) != found {
                    warnings.add(Oddity::OtherType, &lines.file, line, Some(column));
                }
                match value {
                    Value::String(text) => record.text.push_str(text),
                    other => record.text.push_str(&other.to_string()),
                }
            }
            record.ends.push(record.text.len());
        }
        if let Some(name) = object.keys().find(|name| !columns.contains(name)) {
            warnings.add(Oddity::LateColumn, &lines.file, line, Some(name));
        }
        Ok(())
    }
}

/// The object of the current line.
fn parse(lines: &Lines) -> Row {
    let object = serde_json::from_str(&lines.line).map_err(|error| {
        let found = format!("the line is no JSON object: {error}");
        DataError::of_row(&lines.file, lines.number, found)
    });
    Ok((lines.number, object?))
}
