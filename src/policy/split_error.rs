//! Why a table can't be pre-split as asked: HBase's own refusals, word for word, and keyheat's. Must not decide anything.

use crate::keyspace::UnescapeError;
use crate::text::grouped;
use thiserror::Error;

/// A refusal. Those that HBase makes itself show its message, and name the Java exception.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SplitError {
    /// `RegionSplitter`: the range is empty or upside down.
    #[error("last row ({last}) is configured less than first row ({first})")]
    LastNotAboveFirst {
        /// As configured, or in `\xHH` notation.
        first: String,
        /// As configured, or in `\xHH` notation.
        last: String,
    },
    /// `NumberStringSplit`: fewer numbers than regions.
    #[error("split granularity ({regions}) is greater than the range ({range})")]
    TooFine {
        /// Asked for.
        regions: i64,
        /// Numbers in the range, both ends included.
        range: String,
    },
    /// `java.math.BigInteger` can't read a row.
    #[error("{0}")]
    NotANumber(String),
    /// An array of negative length; HBase's command line refuses fewer than 2 regions before it comes to this.
    #[error("{0}")]
    NegativeArraySize(i64),
    /// `Bytes.split`: no point asked for.
    #[error("num cannot be <= 0")]
    NoPoints,
    /// `Bytes.split`: equal, or upside down, once padded to one length with zeros.
    #[error("b <= a")]
    NotAscending,
    /// `Admin.createTable` with a range.
    #[error("Must create at least three regions")]
    FewerThanThree,
    /// `Admin.createTable` with a range.
    #[error("Start key must be smaller than end key")]
    StartNotBelowEnd,
    /// `Admin.createTable`.
    #[error("Empty split key must not be passed in the split keys.")]
    EmptyPoint,
    /// `Admin.createTable`.
    #[error("All split keys must be unique, found duplicate: {0}, {0}")]
    DuplicatePoint(String),
    /// `NumberStringSplit.split(start, end)`: an empty or zero end. HBase gives no message.
    #[error("the end of the range is empty or zero")]
    ZeroEnd,
    /// `Bytes.toBytesBinary`.
    #[error(transparent)]
    Notation(#[from] UnescapeError),
    /// The algorithm computes nothing without these.
    #[error("`{algorithm}` needs `first` and `last`")]
    RangeMissing {
        /// Its name.
        algorithm: &'static str,
    },
    /// The algorithm works on a row key, or on keys.
    #[error("`{algorithm}` needs {what}")]
    NeedsKeys {
        /// Its name.
        algorithm: &'static str,
        /// What it needs.
        what: &'static str,
    },
    /// Refused before anything is allocated.
    #[error("{} regions need about {} of memory; keyheat takes up to {}", grouped(i128::from(*.regions)), gibibytes(*.bytes), gibibytes(*.limit))]
    TooMuchMemory {
        /// Asked for.
        regions: u64,
        /// What they would need.
        bytes: u64,
        /// What keyheat gives them.
        limit: u64,
    },
}

impl SplitError {
    /// Simple name of the exception that HBase throws; `None` where the refusal is keyheat's own.
    pub fn java_class(&self) -> Option<&'static str> {
        match self {
            Self::LastNotAboveFirst { .. }
            | Self::NoPoints
            | Self::NotAscending
            | Self::FewerThanThree
            | Self::StartNotBelowEnd
            | Self::EmptyPoint
            | Self::DuplicatePoint(_)
            | Self::ZeroEnd => Some("IllegalArgumentException"),
            Self::TooFine { .. } => Some("IllegalStateException"),
            Self::NotANumber(_) => Some("NumberFormatException"),
            Self::NegativeArraySize(_) => Some("NegativeArraySizeException"),
            Self::Notation(_) => Some("StringIndexOutOfBoundsException"),
            Self::RangeMissing { .. } | Self::NeedsKeys { .. } | Self::TooMuchMemory { .. } => None,
        }
    }
}

/// `63 GiB`, whole unless below 10.
fn gibibytes(bytes: u64) -> String {
    let amount = bytes as f64 / (1u64 << 30) as f64;
    if amount < 10.0 && amount.fract() != 0.0 {
        format!("{amount:.1} GiB")
    } else {
        format!("{amount:.0} GiB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands_and_memory_has_a_digit_after_the_point_below_ten() {
        let quarter = 1 << 28;
        for (regions, quarters, expected) in [
            (37, 3, "37 regions need about 0.8 GiB"),
            (500, 6, "500 regions need about 1.5 GiB"),
            (4_500, 8, "4,500 regions need about 2 GiB"),
            (123_456, 42, "123,456 regions need about 10 GiB"),
            (7_123_456, 45, "7,123,456 regions need about 11 GiB"),
        ] {
            let error = SplitError::TooMuchMemory {
                regions,
                bytes: quarters * quarter,
                limit: 14 * quarter,
            };
            assert_eq!(
                error.to_string(),
                format!("{expected} of memory; keyheat takes up to 3.5 GiB")
            );
        }
    }
}
