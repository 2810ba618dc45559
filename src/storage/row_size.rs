//! Bytes of a row: on the wire and in the WAL, in the memstore, in a client's write buffer. Must not know rows, only lengths.

/// Lengths in bytes of everything that a row's cells repeat or hold.
///
/// The row key, the family and the qualifier stand in *every* cell: HBase stores coordinates with each value.
/// ```
/// use keyheat::storage::RowSize;
/// // A 100-byte value under a 28-byte key, family `d`, qualifier `v`: a cell of 150 bytes takes 224 bytes of memstore.
/// let size = RowSize::new(1, ["v"], 100);
/// assert_eq!(size.cells(28), 150);
/// assert_eq!(size.memstore(28), 224);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSize {
    family: u64,
    /// Of each cell.
    qualifiers: Vec<u64>,
    value: u64,
}

/// Bytes of a KeyValue besides row, family, qualifier and value: key length 4, value length 4, row length 2, family length 1,
/// timestamp 8, type 1 (`KeyValue.getKeyValueDataStructureSize`; no tags).
pub const CELL_STRUCTURE: u64 = 4 + 4 + 2 + 1 + 8 + 1;

/// Heap of the `KeyValue` object in the memstore and of its skip-list entry (`ClassSize`, compressed oops, MSLAB on).
const MEMSTORE_ENTRY: u64 = 32 + 40;

/// Heap of an empty `Put` with one family: the mutation, its family map, one map entry and the list of its cells
/// (`Mutation.MUTATION_OVERHEAD`, `ClassSize.TREEMAP`, `MAP_ENTRY`, `ARRAYLIST`; compressed oops; rounded, estimate).
const MUTATION: u64 = 200;

/// Heap of one cell's `KeyValue` object and the header of its byte array (estimate: 48 + 16), and its list reference (4).
const MUTATION_CELL: u64 = 68;

impl RowSize {
    /// One cell for each qualifier, with values of `value` bytes; `family` is the length of the family's name.
    pub fn new<'a>(family: u64, qualifiers: impl IntoIterator<Item = &'a str>, value: u64) -> Self {
        Self {
            family,
            qualifiers: qualifiers
                .into_iter()
                .map(|name| name.len() as u64)
                .collect(),
            value,
        }
    }

    /// Number of cells.
    pub fn cell_count(&self) -> u64 {
        self.qualifiers.len() as u64
    }

    fn each_cell(&self, key: u64) -> impl Iterator<Item = u64> + '_ {
        self.qualifiers
            .iter()
            .map(move |qualifier| CELL_STRUCTURE + key + self.family + qualifier + self.value)
    }

    /// Bytes of all KeyValues of a row whose key has `key` bytes: 20 + row + family + qualifier + value each. What the WAL
    /// appends and, without encoding, what a store file holds.
    pub fn cells(&self, key: u64) -> u64 {
        self.each_cell(key).sum()
    }

    /// Mean bytes of a cell of that row; 0 without cells.
    pub fn mean_cell(&self, key: f64) -> f64 {
        if self.qualifiers.is_empty() {
            return 0.0;
        }
        let qualifiers: u64 = self.qualifiers.iter().sum();
        (CELL_STRUCTURE + self.family + self.value) as f64
            + key
            + qualifiers as f64 / self.qualifiers.len() as f64
    }

    /// Heap that the row takes in a memstore: 72 + cell for each cell, rounded up to 8.
    pub fn memstore(&self, key: u64) -> u64 {
        self.each_cell(key)
            .map(|cell| (MEMSTORE_ENTRY + cell).next_multiple_of(8))
            .sum()
    }

    /// Heap that the row counts for in a client's write buffer (`hbase.client.write.buffer` is compared with
    /// `Mutation.heapSize`): the mutation, its own copy of the key, and every cell. An estimate to about 10 %: Java's object
    /// layout is not part of HBase's contract.
    pub fn mutation_heap(&self, key: u64) -> u64 {
        let cells: u64 = self
            .each_cell(key)
            .map(|cell| MUTATION_CELL + cell.next_multiple_of(8))
            .sum();
        MUTATION + key.next_multiple_of(8) + cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_repeats_the_row_key() {
        let narrow = RowSize::new(1, ["v"], 10);
        let wide = RowSize::new(1, ["a", "bb", "ccc"], 10);
        assert_eq!(narrow.cells(16), 20 + 16 + 1 + 1 + 10);
        assert_eq!(wide.cells(16), 3 * (20 + 16 + 1 + 10) + 6);
        // A salt of one byte costs a byte a cell.
        assert_eq!(wide.cells(17) - wide.cells(16), 3);
        assert_eq!(wide.mean_cell(16.0), wide.cells(16) as f64 / 3.0);
    }

    #[test]
    fn the_memstore_rounds_each_cell_up_to_eight_bytes() {
        let size = RowSize::new(1, ["v", "w"], 3);
        // 20 + 5 + 1 + 1 + 3 = 30; 72 + 30 = 102, rounded to 104.
        assert_eq!(size.memstore(5), 2 * 104);
        assert!(size.mutation_heap(5) > size.memstore(5));
    }
}
