//! What a row weighs, by the length of its key.

use crate::cluster::TableSpec;
use crate::engine::config::SimConfig;
use crate::storage::RowSize;

/// What one row weighs.
#[derive(Debug, Clone, Copy)]
pub struct RowWeight {
    /// Bytes in the write-ahead log, and in store files without encoding: its KeyValues.
    pub bytes: u32,
    /// Heap in a client's write buffer.
    pub buffered: u32,
    /// Heap in a memstore.
    pub memstore: u32,
}

/// The rows of a run, for every length that a key of the table or of a copy may have.
#[derive(Debug)]
pub struct RowWeights(Vec<RowWeight>);

impl RowWeights {
    pub fn new(config: &SimConfig) -> Self {
        let size = row_size(&config.table);
        let weight = |key| RowWeight {
            bytes: size.cells(key) as u32,
            buffered: size.mutation_heap(key) as u32,
            memstore: size.memstore(key) as u32,
        };
        Self((0..=longest_key(config) as u64).map(weight).collect())
    }

    /// A row whose key has so many bytes.
    #[inline]
    pub fn of(&self, key_length: u16) -> &RowWeight {
        &self.0[usize::from(key_length)]
    }
}

/// Bytes of the longest key of the table and its copies.
pub fn longest_key(config: &SimConfig) -> usize {
    let copies = config.copies.iter().map(|copy| &copy.key);
    let keys = std::iter::once(&config.key).chain(copies);
    keys.map(|key| key.len_range().1).max().unwrap_or(0)
}

/// What a table's rows weigh.
pub fn row_size(table: &TableSpec) -> RowSize {
    RowSize::new(
        table.family.len() as u64,
        table.qualifiers.iter().map(String::as_str),
        table.value.0,
    )
}
