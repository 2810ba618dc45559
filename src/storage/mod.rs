//! What rows weigh: HBase's KeyValue layout and memstore overhead. Must not know how many rows there are or where.

mod row_size;

pub use row_size::RowSize;
