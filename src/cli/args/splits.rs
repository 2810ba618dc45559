//! The arguments of `keyheat splits`. Must not know how split points are computed.

use crate::policy;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct SplitsArguments {
    /// The algorithm
    #[arg(value_name = "ALGORITHM")]
    pub algorithm: SplitAlgorithm,
    /// Number of regions
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub regions: i64,
    /// First row: digits for the string algorithms, `\xHH` notation for the others
    #[arg(long, value_name = "ROW")]
    pub first: Option<String>,
    /// Last row
    #[arg(long, value_name = "ROW")]
    pub last: Option<String>,
    /// How the split points are written
    #[arg(long, value_name = "FORMAT", default_value = "escaped")]
    pub format: SplitsFormat,
}

/// HBase's split algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitAlgorithm {
    /// HexStringSplit: for keys that start with lower-case hex digits
    HexString,
    /// DecimalStringSplit: for keys that start with decimal digits
    DecimalString,
    /// UniformSplit: for keys that start with evenly spread bytes
    Uniform,
    /// `Admin.createTable(table, first, last, regions)`, which uses `Bytes.split`
    Bytes,
}

impl SplitAlgorithm {
    /// The same in the library's words.
    pub fn in_policy(self) -> policy::SplitAlgorithm {
        match self {
            Self::HexString => policy::SplitAlgorithm::HexString,
            Self::DecimalString => policy::SplitAlgorithm::DecimalString,
            Self::Uniform => policy::SplitAlgorithm::Uniform,
            Self::Bytes => policy::SplitAlgorithm::Bytes,
        }
    }
}

/// How split points are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitsFormat {
    /// One a line in HBase's `\xHH` notation
    Escaped,
    /// One a line in lower-case hex
    Hex,
    /// `{"algorithm","regions","splits_hex"}`
    Json,
    /// A `create` command that the HBase shell takes as it is
    HbaseShell,
}
