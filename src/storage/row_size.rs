//! Bytes of a row: on the wire and in the WAL, in the memstore, in a client's write buffer. Must not know rows, only lengths.

/// Lengths in bytes of everything that a row's cells repeat or hold.
///
/// The row key, the family and the qualifier stand in *every* cell: HBase stores coordinates with each value.
/// ```
/// use keyheat_core::storage::RowSize;
/// // A 100-byte value under a 28-byte key, family `d`, qualifier `v`: a cell of 150 bytes takes 224 bytes of memstore.
/// let size = RowSize::new(1, ["v"], 100);
/// assert_eq!(size.cells(28), 150);
/// assert_eq!(size.memstore(28), 224);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSize {
    family: u64,
    /// Qualifier and value of each cell.
    cells: Vec<(u64, u64)>,
}

/// Bytes of a KeyValue besides row, family, qualifier and value: key length 4, value length 4, row length 2, family length 1,
/// timestamp 8, type 1 (`KeyValue.getKeyValueDataStructureSize`; no tags).
pub const CELL_STRUCTURE: u64 = 4 + 4 + 2 + 1 + 8 + 1;

/// Heap of the `KeyValue` object in the memstore and of its skip-list entry (`ClassSize`, compressed oops, MSLAB on).
const MEMSTORE_ENTRY: u64 = 32 + 40;

/// Heap of a mutation without its row and cells (`Mutation.MUTATION_OVERHEAD`): the object with its map of families.
const MUTATION: u64 = 104;

/// Of its one family: an entry of the map (`ClassSize.MAP_ENTRY`) and the list of its cells (`ARRAYLIST`).
const MUTATION_FAMILY: u64 = 40 + 40;

/// The time range of an increment's or an append's read: the object and a reference to it.
const TIME_RANGE: u64 = 32 + 4;

/// The `KeyValue` object of a cell.
const KEY_VALUE: u64 = 32;

/// Heap of an array of so many bytes: header and bytes, in steps of 8.
fn array(bytes: u64) -> u64 {
    (16 + bytes).next_multiple_of(8)
}

/// Kinds of mutation, by what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// The row's cells.
    Put,
    /// An amount of 8 bytes for each cell.
    Increment,
    /// The row's cells, their values to be added to those that are there.
    Append,
    /// A delete of the whole row: no cells.
    Delete,
}

impl RowSize {
    /// One cell for each qualifier, with values of `value` bytes; `family` is the length of the family's name.
    pub fn new<'a>(family: u64, qualifiers: impl IntoIterator<Item = &'a str>, value: u64) -> Self {
        let names = qualifiers.into_iter();
        Self::of_cells(family, names.map(|name| (name.len() as u64, value)))
    }

    /// Cells of these lengths of qualifiers and values.
    pub fn of_cells(family: u64, cells: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let cells = cells.into_iter().collect();
        Self { family, cells }
    }

    /// Number of cells.
    pub fn cell_count(&self) -> u64 {
        self.cells.len() as u64
    }

    fn each_cell(&self, key: u64) -> impl Iterator<Item = u64> + '_ {
        self.cells
            .iter()
            .map(move |(qualifier, value)| CELL_STRUCTURE + key + self.family + qualifier + value)
    }

    /// Bytes of all KeyValues of a row whose key has `key` bytes: 20 + row + family + qualifier + value each. What the WAL
    /// appends and, without encoding, what a store file holds.
    pub fn cells(&self, key: u64) -> u64 {
        self.each_cell(key).sum()
    }

    /// Bytes of all values.
    pub fn value_bytes(&self) -> u64 {
        self.cells.iter().map(|(_, value)| value).sum()
    }

    /// Heap that the row takes in a memstore: 72 + cell for each cell, rounded up to 8.
    pub fn memstore(&self, key: u64) -> u64 {
        self.each_cell(key)
            .map(|cell| (MEMSTORE_ENTRY + cell).next_multiple_of(8))
            .sum()
    }

    /// Heap that a mutation of the row counts for in a client's write buffer (`hbase.client.write.buffer` is compared with
    /// `Mutation.heapSize`; compressed oops): the mutation with its own copies of row and family, and every cell.
    pub fn mutation_heap(&self, mutation: Mutation, key: u64) -> u64 {
        const AMOUNT: u64 = 8;
        let values = self.cells.iter().map(|(_, value)| value);
        let amount = |(cell, value): (u64, &u64)| match mutation {
            Mutation::Increment => cell - value + AMOUNT,
            _ => cell,
        };
        let cells = self.each_cell(key).zip(values);
        let cells = cells.map(|cell| KEY_VALUE + array(amount(cell)));
        let references = 4 * self.cell_count();
        let family = MUTATION_FAMILY + array(self.family) + array(references) + cells.sum::<u64>();
        let heap = MUTATION
            + array(key)
            + match mutation {
                Mutation::Put => family,
                Mutation::Increment | Mutation::Append => family + TIME_RANGE,
                Mutation::Delete => 0,
            };
        heap.next_multiple_of(8)
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
    }

    #[test]
    fn the_memstore_rounds_each_cell_up_to_eight_bytes() {
        let size = RowSize::new(1, ["v", "w"], 3);
        // 20 + 5 + 1 + 1 + 3 = 30; 72 + 30 = 102, rounded to 104.
        assert_eq!(size.memstore(5), 2 * 104);
    }
}
