//! The lines of a file or of standard input, unpacked. Must not know what stands in them.

use super::findings::{DataError, Oddity, Warnings};
use crate::text::counted;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::Path;

/// Longest line: a longer one is no row (estimate: a hundred times a wide row).
pub(super) const LONGEST_LINE: usize = 4 << 20;

/// What a file's first bytes say it is.
#[derive(Clone, Copy)]
enum Content {
    Gzip,
    Zstd,
    /// UTF-8 with a byte order mark.
    Marked,
    Refused(&'static str),
}

const UTF_16: Content = Content::Refused("it is UTF-16\nsave it as UTF-8");
const PARQUET: Content = Content::Refused(if cfg!(feature = "parquet") {
    "it is a Parquet file, whose end says what is in it\nunpack it, and name the file"
} else {
    "it is a Parquet file, which this build does not read\nrun `cargo install --path . --features parquet`, or write it as CSV"
});

/// First bytes, and what they say.
const CONTENTS: [(&[u8], Content); 6] = [
    (b"\x1f\x8b", Content::Gzip),
    (b"\x28\xb5\x2f\xfd", Content::Zstd),
    (b"\xef\xbb\xbf", Content::Marked),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"PAR1", PARQUET),
];

/// Lines, one at a time.
pub struct Lines {
    /// As messages name it.
    pub file: String,
    reader: Box<dyn BufRead + Send>,
    /// What it is packed by; nothing: "".
    packing: &'static str,
    /// The last line that was read, with its end; the last one of a file may have none.
    pub line: String,
    /// Its number, from 1.
    pub number: u64,
    /// The file, whose position it shares with the reader, and its length.
    progress: Option<(File, u64)>,
}

impl Lines {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// It can't be opened, or is of a kind that is not read.
    pub fn open(path: &Path, shown: &str, warnings: &mut Warnings) -> Result<Self, DataError> {
        if shown == "-" {
            return Self::of(std::io::stdin(), "standard input", warnings);
        }
        let unread = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => error.to_string(),
        };
        let refuse = |error| DataError::of_file(shown, unread(error));
        let file = File::open(path).map_err(refuse)?;
        let metadata = file.metadata().map_err(refuse)?;
        if metadata.is_dir() {
            let found = "it is a folder\nname one of the files in it";
            return Err(DataError::of_file(shown, found));
        }
        let twin = file.try_clone().ok().filter(|_| metadata.is_file());
        let mut lines = Self::of(file, shown, warnings)?;
        lines.progress = twin.map(|file| (file, metadata.len()));
        Ok(lines)
    }

    /// The lines of some input, called `shown` in messages.
    pub(super) fn of(
        input: impl Read + Send + 'static,
        shown: &str,
        warnings: &mut Warnings,
    ) -> Result<Self, DataError> {
        let mut lines = Self {
            file: shown.to_owned(),
            reader: Box::new(BufReader::with_capacity(1 << 16, input)),
            packing: "",
            line: String::new(),
            number: 0,
            progress: None,
        };
        while let Some(content) = lines.recognise()? {
            let input = std::mem::replace(&mut lines.reader, Box::new(std::io::empty()));
            let (packing, unpacked): (_, Box<dyn Read + Send>) = match content {
                Content::Gzip => ("gzip", Box::new(MultiGzDecoder::new(input))),
                Content::Zstd => match zstd::Decoder::with_buffer(input) {
                    Ok(decoder) => ("zstd", Box::new(decoder)),
                    Err(error) => return Err(lines.unreadable(&error)),
                },
                Content::Marked => {
                    lines.reader = input;
                    lines.reader.consume(3);
                    return Ok(lines);
                }
                Content::Refused(found) => return Err(DataError::of_file(shown, found)),
            };
            lines.packing = packing;
            lines.reader = Box::new(BufReader::with_capacity(1 << 16, unpacked));
        }
        if lines.packing.is_empty() && [".gz", ".zst"].iter().any(|end| shown.ends_with(end)) {
            warnings.add(Oddity::NotPacked, shown, 1, None);
        }
        Ok(lines)
    }

    /// What the rest of the input is by its first bytes; they are read again.
    fn recognise(&mut self) -> Result<Option<Content>, DataError> {
        let mut head = Vec::new();
        let taken = self.reader.by_ref().take(8).read_to_end(&mut head);
        taken.map_err(|error| self.unreadable(&error))?;
        let found = CONTENTS.iter().find(|(start, _)| head.starts_with(start));
        let rest = std::mem::replace(&mut self.reader, Box::new(std::io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(rest));
        Ok(found.map(|(_, content)| *content))
    }

    fn unreadable(&self, error: &std::io::Error) -> DataError {
        let (packing, number) = (self.packing, self.number);
        let found = match (packing, error.kind()) {
            ("", _) => error.to_string(),
            (_, ErrorKind::UnexpectedEof) => {
                format!("the {packing} file ends in the middle, behind line {number}: is it whole?")
            }
            _ => format!("the {packing} file is damaged: {error}\ncopy it again"),
        };
        DataError::of_file(&self.file, found)
    }

    /// Reads the next line; false at the end of the file.
    ///
    /// # Errors
    /// The file is damaged, the line is too long; or, of this row alone, it is not UTF-8 or holds a zero byte.
    pub(super) fn next(&mut self) -> Result<bool, DataError> {
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        bytes.clear();
        let mut line = self.reader.by_ref().take(LONGEST_LINE as u64 + 1);
        let read = line.read_until(b'\n', &mut bytes);
        if read.map_err(|error| self.unreadable(&error))? == 0 {
            return Ok(false);
        }
        self.number += 1;
        let (file, number) = (&self.file, self.number);
        if bytes.len() > LONGEST_LINE {
            let found = "the line has more than 4 MB, which is no row";
            return Err(DataError::at(file, number, found));
        }
        if bytes.contains(&0) {
            let zeros = bytes.iter().filter(|byte| **byte == 0).count();
            let zeros = counted(zeros, "NUL byte");
            let found = format!("{zeros} in the row: was the file cut by a crash?");
            return Err(DataError::of_row(file, number, found));
        }
        self.line = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            let found = format!("byte {} of the line, {byte:#04x}, is not UTF-8", at + 1);
            DataError::of_row(file, number, found + "\nsave the file as UTF-8")
        })?;
        Ok(true)
    }

    /// Reads on to the next line that is not blank; false at the end of the file.
    ///
    /// # Errors
    /// As of any line.
    pub fn next_filled(&mut self) -> Result<bool, DataError> {
        while self.next()? {
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads on to the next block of bytes, which stands behind its length in four bytes, big-endian; false at the end of the file.
    ///
    /// # Errors
    /// The file is damaged, ends within a block, or a block has more than `most` bytes.
    pub fn next_block(&mut self, block: &mut Vec<u8>, most: usize) -> Result<bool, DataError> {
        self.number += 1;
        let refused = |lines: &Self, found: &str| {
            let found = format!("block {} {found}", lines.number);
            DataError::of_file(&lines.file, found)
        };
        let mut length = 4;
        for is_length in [true, false] {
            block.clear();
            let read = self.reader.by_ref().take(length as u64).read_to_end(block);
            read.map_err(|error| self.unreadable(&error))?;
            if is_length && block.is_empty() {
                return Ok(false);
            }
            if block.len() < length {
                return Err(refused(self, "is cut off: is the file whole?"));
            }
            if is_length {
                length = block
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            }
            if length > most {
                let found = format!("says that it has {length} bytes: expected at most {most}");
                return Err(refused(self, &found));
            }
        }
        Ok(true)
    }

    /// The part of the file that was read, in 0 ..= 1; `None` of what has no known length.
    pub fn part_read(&self) -> Option<f64> {
        let (file, length) = self.progress.as_ref()?;
        let position = (&mut &*file).stream_position().ok()?;
        Some(position as f64 / (*length).max(1) as f64)
    }
}
