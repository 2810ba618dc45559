//! The kinds of access paths. Must not know how one is chosen.

/// Ways to serve a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessPath {
    /// One row by its key.
    Get,
    /// Several rows by their keys.
    MultiGet,
    /// One range of keys.
    Scan,
    /// Several ranges of keys.
    FanOutScan,
    /// One whole bucket.
    BucketScan,
    /// Everything.
    TableScan,
}

impl AccessPath {
    /// Its name in results and expectations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::MultiGet => "multi-get",
            Self::Scan => "scan",
            Self::FanOutScan => "fan-out-scan",
            Self::BucketScan => "bucket-scan",
            Self::TableScan => "table-scan",
        }
    }
}
