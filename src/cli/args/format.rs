//! How results are printed, the same words for every command. Must not know what is printed.

use crate::report;
use clap::ValueEnum;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    /// For eyes
    Table,
    /// For a pull request
    Markdown,
    /// A number a row
    Csv,
    /// Everything
    Json,
}

impl ResultFormat {
    /// The same in the library's words.
    pub fn in_report(self) -> report::Format {
        match self {
            Self::Table => report::Format::Table,
            Self::Markdown => report::Format::Markdown,
            Self::Csv => report::Format::Csv,
            Self::Json => report::Format::Json,
        }
    }
}
