//! Files that were observed, and what is wrong with them. Must not know any format.

use flate2::read::MultiGzDecoder;
use std::fmt::Display;
use std::io::Read;

/// Most bytes that are read of a file, unpacked: a list of a million regions (estimate).
const MOST_BYTES: u64 = 1 << 30;

/// Bytes by which a format is recognised, unpacked.
const HEAD: u64 = 1 << 16;

/// A file that was observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedFile {
    /// As messages call it.
    pub name: String,
    /// What stands in it; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// Why a file can't be used, and what to do about it behind a line break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ObservedError(pub(super) String);

/// The first bytes, those of a gzip file unpacked (it begins with 1F 8B: RFC 1952), and how reading them ended.
fn unpacked(bytes: &[u8], most: u64) -> (String, std::io::Result<usize>) {
    let mut plain = Vec::new();
    let ended = match bytes.starts_with(&[0x1F, 0x8B]) {
        true => MultiGzDecoder::new(bytes)
            .take(most)
            .read_to_end(&mut plain),
        false => bytes.take(most).read_to_end(&mut plain),
    };
    (String::from_utf8_lossy(&plain).into_owned(), ended)
}

impl ObservedFile {
    /// What the bytes say; `name` is what messages call the file.
    ///
    /// # Errors
    /// A broken gzip file; more than a gigabyte.
    pub fn new(name: &str, bytes: &[u8]) -> Result<Self, ObservedError> {
        let (text, ended) = unpacked(bytes, MOST_BYTES);
        let name = name.to_owned();
        let file = Self { name, text };
        match ended {
            Err(error) => {
                let found = format!("the gzip file is damaged, or ends too early: {error}");
                Err(file.error(None, found, "copy it again, or write it anew"))
            }
            Ok(length) if length as u64 == MOST_BYTES => {
                let found = "it has a gigabyte, and no list of regions is so long";
                Err(file.error(None, found, "is it the right file?"))
            }
            Ok(_) => Ok(file),
        }
    }

    /// What a file says first, as far as it can be unpacked: enough to recognise a format.
    pub fn head(bytes: &[u8]) -> String {
        unpacked(bytes, HEAD).0
    }

    /// Found at a line from 1, or of no one in particular; `help` is the next step.
    pub(super) fn error(
        &self,
        line: impl Into<Option<usize>>,
        found: impl Display,
        help: &str,
    ) -> ObservedError {
        ObservedError(format!("{}: {found}\n{help}", self.place(line)))
    }

    /// The file, and a line of it.
    pub(super) fn place(&self, line: impl Into<Option<usize>>) -> String {
        match line.into() {
            Some(line) => format!("`{}`, line {line}", self.name),
            None => format!("`{}`", self.name),
        }
    }

    /// Its lines with their numbers from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}
