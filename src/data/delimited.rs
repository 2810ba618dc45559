//! Rows of values between commas, tabulators, semicolons or bars (RFC 4180). Must not know what the values mean.

use super::findings::{DataError, Oddity, Warnings};
use super::lines::{LONGEST_LINE, Lines};
use super::record::Record;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// Reads one row after another.
pub(super) struct Delimited {
    core: Reader,
}

/// What separates columns, the usual one first.
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

const PAIR: &str = "close the quote, or double it where it is a part of the value";

impl Delimited {
    /// For a file whose header is the current line: what separates columns is what stands in it most often.
    pub(super) fn new(lines: &Lines, warnings: &mut Warnings) -> Self {
        let often = |delimiter: &&char| lines.line.matches(**delimiter).count();
        let most = DELIMITERS.iter().rev().max_by_key(often).unwrap_or(&',');
        if matches!(most, ';' | '|') {
            warnings.add(Oddity::Delimiter, &lines.file, lines.number, None);
        }
        let core = ReaderBuilder::new().delimiter(*most as u8).build();
        Self { core }
    }

    /// Reads the row that begins with the current line, and the lines that its quotes go on to.
    pub(super) fn read(
        &mut self,
        lines: &mut Lines,
        record: &mut Record,
        warnings: &mut Warnings,
    ) -> Result<(), DataError> {
        self.core.reset();
        let (first, ends) = (lines.number, &mut record.ends);
        record.line = first;
        let mut text = std::mem::take(&mut record.text).into_bytes();
        let (mut length, mut columns, mut quotes) = (0, 0, 0);
        loop {
            if !lines.line.ends_with('\n') {
                // The last of the file.
                lines.line.push('\n');
            }
            let line = lines.line.as_bytes();
            quotes += line.iter().filter(|byte| **byte == b'"').count();
            // A line has no more text than bytes, nor more columns.
            text.resize(length + line.len(), 0);
            ends.resize(columns + line.len() + 1, 0);
            let (text, ends) = (&mut text[length..], &mut ends[columns..]);
            let (result, read, written, ended) = self.core.read_record(line, text, ends);
            length += written;
            columns += ended;
            if result != ReadRecordResult::Record {
                if length > LONGEST_LINE || !lines.next()? {
                    let found = format!("a quote is opened in this row and never closed\n{PAIR}");
                    return Err(DataError::at(&lines.file, first, found));
                }
                continue;
            }
            if !line[read..].trim_ascii().is_empty() {
                let found = "a carriage return stands in the middle of the line";
                return Err(DataError::of_row(&lines.file, lines.number, found));
            }
            break;
        }
        if quotes % 2 == 1 && lines.number > first {
            let last = lines.number;
            let found = format!("the quotes of the row don't pair up to line {last}\n{PAIR}");
            return Err(DataError::of_row(&lines.file, first, found));
        }
        if quotes % 2 == 1 {
            warnings.add(Oddity::StrayQuote, &lines.file, first, None);
        }
        text.truncate(length);
        ends.truncate(columns);
        record.text = String::from_utf8(text).expect("quotes are left out of lines in UTF-8");
        Ok(())
    }
}
