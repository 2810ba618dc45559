//! How the cells of a data block are written. Must not know how many bytes that takes.

use crate::text::words;
use serde::{Deserialize, Serialize};

words! {
    /// HBase's `DATA_BLOCK_ENCODING` of a column family. `ROW_INDEX_V1` saves no bytes and is left out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BlockEncoding {
        /// Every cell whole (HBase default).
        #[default]
        None = "none",
        /// The part of a cell's key that the cell before it has too is left out.
        Prefix = "prefix",
        /// The same without the family, with flags instead of repeated lengths and with differences of timestamps.
        Diff = "diff",
        /// The same, but timestamps lose the leading bytes that they share, and a repeated value is left out.
        FastDiff = "fast-diff",
    }
}
