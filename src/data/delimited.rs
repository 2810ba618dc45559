//! Rows of values between commas, tabulators, semicolons or bars (RFC 4180). Must not know what the values mean.

use super::findings::{DataError, Oddity, Warnings};
use super::lines::{LONGEST_LINE, Lines};
use super::record::Record;

/// Reads one row after another.
pub(super) struct Delimited {
    delimiter: u8,
}

/// Where the next byte stands.
#[derive(Clone, Copy)]
enum Place {
    /// At the beginning of a value.
    Start,
    Plain,
    Quoted,
    /// Behind a quote that closes a value, or is the first of two.
    Closed,
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
        Self {
            delimiter: *most as u8,
        }
    }

    /// Reads the row that begins with the current line, and the lines that its quotes go on to.
    pub(super) fn read(
        &mut self,
        lines: &mut Lines,
        record: &mut Record,
        warnings: &mut Warnings,
    ) -> Result<(), DataError> {
        let (first, ends) = (lines.number, &mut record.ends);
        record.line = first;
        let mut text = std::mem::take(&mut record.text).into_bytes();
        text.clear();
        ends.clear();
        let (mut place, mut strays, mut text_behind) = (Place::Start, 0, false);
        loop {
            for (at, byte) in lines.line.bytes().enumerate() {
                place = match (place, byte) {
                    (Place::Quoted, b'"') => Place::Closed,
                    (Place::Start, b'"') => Place::Quoted,
                    (Place::Quoted, _) | (Place::Closed, b'"') => {
                        text.push(byte);
                        Place::Quoted
                    }
                    (_, b'\r' | b'\n') => {
                        if !lines.line[at..].trim_ascii().is_empty() {
                            let found = "a carriage return stands in the middle of the line";
                            return Err(DataError::of_row(&lines.file, lines.number, found));
                        }
                        break;
                    }
                    _ if byte == self.delimiter => {
                        ends.push(text.len());
                        Place::Start
                    }
                    _ => {
                        strays += usize::from(byte == b'"');
                        text_behind |= matches!(place, Place::Closed);
                        text.push(byte);
                        Place::Plain
                    }
                };
            }
            if !matches!(place, Place::Quoted) {
                break;
            }
            if text.len() > LONGEST_LINE || !lines.next()? {
                let found = format!("a quote is opened in this row and never closed\n{PAIR}");
                return Err(DataError::at(&lines.file, first, found));
            }
        }
        ends.push(text.len());
        let is_stray = strays % 2 == 1;
        if (is_stray || text_behind) && lines.number > first {
            let last = lines.number;
            let found = format!("the quotes of the row don't pair up to line {last}\n{PAIR}");
            return Err(DataError::of_row(&lines.file, first, found));
        }
        for (is_odd, oddity) in [
            (is_stray, Oddity::StrayQuote),
            (text_behind, Oddity::TextBehindQuote),
        ] {
            if is_odd {
                warnings.add(oddity, &lines.file, first, None);
            }
        }
        record.text = String::from_utf8(text).expect("quotes are left out of lines in UTF-8");
        Ok(())
    }
}
