//! Rows of Parquet files. Must not know what the values mean.

use super::findings::DataError;
use super::record::Record;
use crate::text::hex;
use jiff::Timestamp;
use parquet::basic::{ConvertedType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

/// Reads one row after another, in the memory of a page of each column.
pub(super) struct ParquetRows {
    rows: RowIter<'static>,
    /// Whether the values of a column have 16 bytes each, and are uuids.
    uuids: Vec<bool>,
    read: u64,
    all: u64,
}

impl ParquetRows {
    /// The rows of a file and the names of its columns but for nested ones; `None` where the file is of another kind, or none.
    pub(super) fn open(path: &Path, shown: &str) -> Result<Option<(Self, Vec<String>)>, DataError> {
        let Some(file) = parquet_file(path) else {
            return Ok(None);
        };
        let refuse = |error| refused(shown, &error);
        let reader = SerializedFileReader::new(file).map_err(refuse)?;
        let metadata = reader.metadata().file_metadata();
        let (root, all) = (metadata.schema(), metadata.num_rows() as u64);
        let columns = root.get_fields().iter().filter(|it| is_plain(it));
        let columns: Vec<TypePtr> = columns.cloned().collect();
        let is_uuid = |it: &TypePtr| {
            let Type::PrimitiveType {
                physical_type,
                type_length,
                ..
            } = &**it
            else {
                return false;
            };
            (physical_type, type_length) == (&PhysicalType::FIXED_LEN_BYTE_ARRAY, &16)
        };
        let uuids = columns.iter().map(is_uuid).collect();
        let names = columns.iter().map(|it| it.name().to_owned()).collect();
        let wanted = Type::group_type_builder(root.name()).with_fields(columns);
        let wanted = wanted.build().map_err(refuse)?;
        let rows = RowIter::from_file_into(Box::new(reader)).project(Some(wanted));
        let rows = rows.map_err(refuse)?;
        let read = 0;
        Ok(Some((
            Self {
                rows,
                uuids,
                read,
                all,
            },
            names,
        )))
    }

    /// Reads the next row; false behind the last. Lines are numbers of rows.
    pub(super) fn read(&mut self, shown: &str, record: &mut Record) -> Result<bool, DataError> {
        let Some(row) = self.rows.next() else {
            return Ok(false);
        };
        let row = row.map_err(|error| refused(shown, &error))?;
        self.read += 1;
        record.line = self.read;
        record.text.clear();
        record.ends.clear();
        for ((_, value), is_uuid) in row.get_column_iter().zip(&self.uuids) {
            match value {
                Field::Null => {}
                Field::Bytes(bytes) if *is_uuid => {
                    let digits = hex(bytes.data());
                    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
                    record.text.push_str(&parts.join("-"));
                }
                other => record.text.push_str(&text_of(other)),
            }
            record.ends.push(record.text.len());
        }
        Ok(true)
    }

    pub(super) fn part_read(&self) -> f64 {
        self.read as f64 / self.all.max(1) as f64
    }
}

fn refused(shown: &str, error: &ParquetError) -> DataError {
    DataError::of_file(shown, format!("the Parquet file can't be read: {error}"))
}

/// The file, if it is one that begins as Parquet does.
fn parquet_file(path: &Path) -> Option<File> {
    let is_file = std::fs::metadata(path).is_ok_and(|it| it.is_file());
    let mut file = File::open(path).ok().filter(|_| is_file)?;
    let mut head = [0; 4];
    file.read_exact(&mut head)
        .ok()
        .filter(|()| &head == b"PAR1")?;
    file.rewind().ok()?;
    Some(file)
}

fn is_plain(column: &TypePtr) -> bool {
    let info = column.get_basic_info();
    column.is_primitive()
        && info.repetition() != Repetition::REPEATED
        && info.converted_type() != ConvertedType::INTERVAL
}

/// A value as a CSV would have it.
fn text_of(value: &Field) -> String {
    let instant = |at: Result<Timestamp, jiff::Error>, count: &i64| {
        at.map_or_else(|_| count.to_string(), |at| at.to_string())
    };
    match value {
        Field::Str(text) => text.clone(),
        Field::Double(number) => number.to_string(),
        Field::Float(number) => number.to_string(),
        Field::TimestampMillis(ms) => instant(Timestamp::from_millisecond(*ms), ms),
        Field::TimestampMicros(us) => instant(Timestamp::from_microsecond(*us), us),
        Field::Bytes(bytes) => {
            let text = std::str::from_utf8(bytes.data());
            text.map_or_else(|_| hex(bytes.data()), str::to_owned)
        }
        other => other.to_string(),
    }
}
