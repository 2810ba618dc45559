//! What rows weigh: HBase's KeyValue layout, memstore overhead, and store files with their block encodings, compression, index
//! and Bloom filter, and which cells of a store scans see and compactions keep.
//!
//! Must not know how many rows a table has or where its keys come from: whoever asks brings cells, or sorted keys and counts.

mod block;
mod block_encoding;
mod block_index;
mod bloom;
mod cell;
mod cell_encoder;
mod compression;
mod retention;
mod row_size;
mod separator;
mod shared_prefixes;
mod store_file;

pub use block_encoding::BlockEncoding;
pub use block_index::block_index;
pub use bloom::Bloom;
pub use cell::{Cell, CellType, Value, mvcc_bytes};
pub use cell_encoder::CellEncoder;
pub use compression::Compression;
pub use retention::Retention;
pub use row_size::{CELL_STRUCTURE, Mutation, RowSize};
pub use separator::common_prefix;
pub use separator::{SeparatorError, separator};
pub use shared_prefixes::SharedPrefixes;
pub use store_file::{FileFormat, StoreFile, StoreFileSize};
