//! The sorted space of row keys: keys as bytes, their `\xHH` notation, ranges, and the router that
//! finds the region of a key.
//!
//! Must not know what a key means, nor which server serves a region. Keys compare as unsigned bytes;
//! a prefix sorts before its extensions (HBase's order).

mod bit_squeeze;
mod key_batch;
mod key_range;
mod notation;
mod router;
mod row_key;

pub use key_batch::KeyBatch;
pub use key_range::KeyRange;
pub use notation::{UnescapeError, escape, unescape};
pub use router::Router;
pub use row_key::{RowKey, leading_bits};
