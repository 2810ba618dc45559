//! What rows weigh: HBase's KeyValue layout, memstore overhead, and store files with their block encodings, index
//! and Bloom filter.
//!
//! Must not know how many rows a table has or where its keys come from: whoever asks brings cells, or sorted keys and counts.

mod block_encoding;
mod block_index;
mod cell_encoder;
mod row_size;
mod separator;
mod shared_prefixes;
mod store_file;

pub use block_encoding::BlockEncoding;
pub use block_index::block_index_bytes;
pub use cell_encoder::{Cell, CellEncoder};
pub use row_size::{CELL_STRUCTURE, Mutation, RowSize};
pub use separator::{SeparatorError, separator};
pub use shared_prefixes::SharedPrefixes;
pub use store_file::{StoreFile, StoreFileSize, bloom_bytes};
