//! A store file (HFile) as cells are appended to it: data blocks and what the index holds for them. Must not know tables.

use super::separator::{common_prefix, separator};
use super::{BlockEncoding, Cell, CellEncoder};

/// Size of a data block: it is closed before the next cell when its cells, unencoded or encoded, have so many bytes (HBase default,
/// `BLOCKSIZE`; `HFileWriterImpl.checkBlockBoundary`). So an encoding makes blocks smaller, not fewer.
const BLOCK: u64 = 64 << 10;

/// Header of every block: type 8, two sizes of 4, offset of the block before 8, checksum type 1, two sizes of 4.
pub(super) const BLOCK_HEADER: f64 = 33.0;

/// Bytes that each checksum of 4 covers (HBase default, `hbase.hstore.bytes.per.checksum`).
const PER_CHECKSUM: f64 = (16 << 10) as f64;

/// In front of the cells of an encoded block: the encoding's number 2, their unencoded size 4.
const ENCODED_FRAME: u64 = 6;

/// Timestamp and type at the end of an index entry's key.
const TIMESTAMP_AND_TYPE: usize = 9;

/// Bytes of a cell's mvcc number, which follows it in a store file: Hadoop's vlong. Compactions set numbers that are older than
/// five days to 0 (`hbase.hstore.compaction.keep.seqId.period`), which takes 1 byte.
pub fn mvcc_bytes(number: u64) -> u64 {
    match number {
        0..=127 => 1,
        _ => 9 - u64::from(number.leading_zeros()) / 8,
    }
}

/// Bytes of a ROW Bloom filter for so many rows: -ln(e) / ln(2)^2 bits each, with HBase's default error rate e of 0.01
/// (`io.storefile.bloom.error.rate`).
pub fn bloom_bytes(rows: f64) -> f64 {
    const BITS_PER_ROW: f64 = 9.585_058;
    rows * BITS_PER_ROW / 8.0
}

/// A block with the checksums of its header and its data.
pub(super) fn with_checksums(bytes: f64) -> f64 {
    bytes + 4.0 * (bytes / PER_CHECKSUM).ceil()
}

/// What a store file weighs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StoreFileSize {
    /// Cells in it.
    pub cells: u64,
    /// Data blocks.
    pub blocks: u64,
    /// All data blocks with headers and checksums.
    pub data_bytes: f64,
    /// Keys of all entries of the block index, without offsets and sizes.
    pub index_key_bytes: u64,
}

/// A store file being written, for its size only: cells are encoded, values counted.
#[derive(Debug, Clone)]
pub struct StoreFile {
    encoding: BlockEncoding,
    family_bytes: usize,
    encoder: CellEncoder,
    /// Encoded bytes of a cell before its value, reused.
    scratch: Vec<u8>,
    unencoded: u64,
    encoded: u64,
    /// Last cell's row and qualifier.
    last: Option<(Vec<u8>, Vec<u8>)>,
    size: StoreFileSize,
}

impl StoreFile {
    /// An empty file of a family of 1 to 127 bytes.
    pub fn new(encoding: BlockEncoding, family: &str) -> Self {
        Self {
            encoding,
            family_bytes: family.len(),
            encoder: CellEncoder::new(encoding, family),
            scratch: Vec::new(),
            unencoded: 0,
            encoded: 0,
            last: None,
            size: StoreFileSize::default(),
        }
    }

    /// Appends a cell; cells come in ascending order of (row, qualifier).
    pub fn append(&mut self, cell: &Cell<'_>) {
        if self.unencoded >= BLOCK || self.encoded >= BLOCK {
            self.close_block();
        }
        if self.unencoded == 0 {
            self.size.index_key_bytes += self.index_key_bytes(cell) as u64;
            self.encoder.restart();
        }
        self.scratch.clear();
        let value = self.encoder.encode(cell, &mut self.scratch);
        let mvcc = mvcc_bytes(0);
        self.encoded += self.scratch.len() as u64 + value + mvcc;
        self.unencoded += 8 + self.encoder.key_bytes(cell) as u64 + cell.value_bytes + mvcc;
        self.size.cells += 1;
        let (row, qualifier) = self.last.get_or_insert_default();
        row.clear();
        row.extend_from_slice(cell.row);
        qualifier.clear();
        qualifier.extend_from_slice(cell.qualifier);
    }

    /// Closes the last block.
    pub fn finish(mut self) -> StoreFileSize {
        self.close_block();
        self.size
    }

    fn close_block(&mut self) {
        if self.unencoded == 0 {
            return;
        }
        let frame = match self.encoding {
            BlockEncoding::None => 0,
            _ => ENCODED_FRAME,
        };
        self.size.blocks += 1;
        self.size.data_bytes += with_checksums(BLOCK_HEADER + (frame + self.encoded) as f64);
        self.unencoded = 0;
        self.encoded = 0;
    }

    /// Bytes of the key of the entry for a block that starts with `cell`: a separator row alone, the row with a separating
    /// qualifier, or, for the first block and for another version of the same cell, the whole key.
    fn index_key_bytes(&self, cell: &Cell<'_>) -> usize {
        let row_only = |row: usize| 2 + row + 1 + TIMESTAMP_AND_TYPE;
        let with_qualifier =
            |qualifier: usize| row_only(cell.row.len()) + self.family_bytes + qualifier;
        let whole = with_qualifier(cell.qualifier.len());
        let Some((row, qualifier)) = &self.last else {
            return whole;
        };
        match separator(row, cell.row) {
            Ok(Some(row)) => row_only(row.len()),
            _ if qualifier == cell.qualifier => whole,
            _ => with_qualifier(common_prefix(qualifier, cell.qualifier) + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(encoding: BlockEncoding, rows: u32, qualifiers: &[&str]) -> StoreFileSize {
        let mut file = StoreFile::new(encoding, "dd");
        for row in 0..rows {
            let row = format!("user{row:06}").into_bytes();
            for qualifier in qualifiers {
                file.append(&Cell {
                    row: &row,
                    qualifier: qualifier.as_bytes(),
                    timestamp: 1_767_225_600_000,
                    value_bytes: 100,
                });
            }
        }
        file.finish()
    }

    #[test]
    fn blocks_close_with_the_cell_that_fills_them_and_are_no_fewer_when_encoded() {
        // 20 + 10 + 2 + 1 + 100 bytes and an mvcc number: 134. Block 0 ends with cell 490 (65,660 >= 65,536).
        let plain = file(BlockEncoding::None, 1_000, &["v"]);
        assert_eq!((plain.cells, plain.blocks), (1_000, 3));
        let blocks = [490.0f64, 490.0, 20.0].map(|cells| with_checksums(33.0 + cells * 134.0));
        assert_eq!(plain.data_bytes, blocks.iter().sum::<f64>());
        for encoding in BlockEncoding::ALL {
            let encoded = file(encoding, 1_000, &["v"]);
            assert_eq!(encoded.blocks, 3);
            assert_eq!(encoded.index_key_bytes, plain.index_key_bytes);
            assert!(encoding == BlockEncoding::None || encoded.data_bytes < plain.data_bytes);
        }
    }

    #[test]
    fn index_keys_are_separators_but_the_first() {
        let size = file(BlockEncoding::None, 1_000, &["v"]);
        // The first cell whole: 2 + 10 + 1 + 2 + 1 + 9; then user00049 (between ...489 and ...490) and user00098.
        assert_eq!(size.index_key_bytes, 25 + (12 + 9) + (12 + 9));
        // A row of more than a block: the next entry names the row and a separating qualifier.
        let mut wide = StoreFile::new(BlockEncoding::None, "dd");
        for qualifier in ["alpha", "beta"] {
            wide.append(&Cell {
                row: b"row",
                qualifier: qualifier.as_bytes(),
                timestamp: 1,
                value_bytes: 70_000,
            });
        }
        assert_eq!(
            wide.finish().index_key_bytes,
            (12 + 3 + 2 + 5) + (12 + 3 + 2 + 1)
        );
    }

    #[test]
    fn mvcc_numbers_are_vlongs() {
        let sizes = [0, 127, 128, 255, 256, 1 << 24, u64::MAX >> 1].map(mvcc_bytes);
        assert_eq!(sizes, [1, 1, 2, 2, 3, 5, 9]);
    }
}
