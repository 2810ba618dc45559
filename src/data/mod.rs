//! Rows that exist, in files of people's own: CSV, TSV and JSON lines, plain or packed by gzip or zstd, and Parquet, read one row at a time.
//!
//! Answers: what a file's columns are called, what stands in the next row and on which line, what its text means as a number, a time or a `uuid`.
//! Must not know scenarios, nor what the rows are read for.

mod delimited;
mod findings;
mod json_lines;
mod lines;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod record;
mod rows;
#[cfg(test)]
mod rows_tests;
mod values;

pub use findings::{DataError, DataWarning, Oddity, Warnings};
pub use lines::Lines;
pub use record::Record;
pub use rows::Rows;
pub use values::{Value, ValueKind, ValueParser};
