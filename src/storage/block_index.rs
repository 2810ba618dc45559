//! The block index of a store file: which key each data block begins with, in as many levels as it takes (`HFileBlockIndex.BlockIndexWriter`).
//! Must not know the blocks themselves.

use super::block::{BLOCK_HEADER, Output, on_disk};
use super::cell::{mvcc_bytes, put_vlong};

/// Size from which on a chunk of the index becomes a block of its own (HBase default, `hfile.index.block.max.size`).
const CHUNK: f64 = (128 << 10) as f64;

/// Entries that a level has at least (HBase default, `hfile.index.block.min.entries`).
const LEAST_ENTRIES: usize = 16;

/// Block offset 8, size 4.
const ENTRY: f64 = 12.0;

/// Offset of each entry in a block that is not the root, for binary search.
const SECONDARY: f64 = 4.0;

/// Number of entries in front, and the end of the last one.
const FRAME: f64 = 2.0 * SECONDARY;

/// Where the middle key stands, at the end of a root with leaves: offset 8, size 4, entry 4.
const MIDDLE: f64 = 16.0;

/// A block, by its first key.
#[derive(Debug, Clone)]
pub(super) struct IndexEntry {
    pub key: Vec<u8>,
    pub offset: u64,
    pub size: u64,
}

/// An index being written.
#[derive(Debug, Clone, Default)]
pub(super) struct IndexWriter {
    /// Entries of the leaf that is being filled, and its bytes.
    leaf: Vec<IndexEntry>,
    leaf_bytes: f64,
    pub root: Vec<IndexEntry>,
    pub levels: u32,
    /// Contents of all its blocks.
    pub uncompressed: u64,
    /// All its blocks.
    pub disk_bytes: u64,
    /// Keys of the data blocks.
    pub key_bytes: u64,
}

impl IndexWriter {
    pub fn new() -> Self {
        Self {
            levels: 1,
            leaf_bytes: FRAME,
            ..Self::default()
        }
    }

    pub fn append(&mut self, entry: IndexEntry) {
        self.key_bytes += entry.key.len() as u64;
        self.leaf_bytes += leaf_entry(entry.key.len() as f64);
        self.leaf.push(entry);
    }

    /// Writes the leaf if it is full, or what there is of it; entries of a file without full leaves become the root.
    pub fn write_leaf(&mut self, closing: bool, output: &mut Output) {
        if closing && self.root.is_empty() {
            self.root = std::mem::take(&mut self.leaf);
        } else if self.leaf_bytes >= CHUNK || (closing && !self.leaf.is_empty()) {
            let leaf = std::mem::take(&mut self.leaf);
            self.leaf_bytes = FRAME;
            self.levels = 2;
            let before = self.uncompressed;
            let leaf = self.write(&leaf, output);
            output.uncompressed += BLOCK_HEADER + self.uncompressed - before;
            self.root.push(leaf);
        }
    }

    fn write(&mut self, chunk: &[IndexEntry], output: &mut Output) -> IndexEntry {
        let content = leaf_block(chunk);
        let bytes = content.len() as u64;
        let offset = output.offset;
        let size = output.write(bytes, || content);
        self.uncompressed += bytes;
        self.disk_bytes += size;
        let key = chunk[0].key.clone();
        IndexEntry { key, offset, size }
    }

    /// Writes the levels between root and leaves; what follows is loaded when the file is opened.
    pub fn write_intermediate(&mut self, output: &mut Output) {
        let entry = |entry: &IndexEntry| root_entry(entry.key.len() as f64);
        while self.root.iter().map(entry).sum::<f64>() > CHUNK && self.root.len() > LEAST_ENTRIES {
            let below = std::mem::take(&mut self.root);
            let (mut start, mut bytes) = (0, 0.0);
            for at in 0..below.len() {
                bytes += entry(&below[at]);
                if (at >= LEAST_ENTRIES && bytes >= CHUNK) || at + 1 == below.len() {
                    let parent = self.write(&below[start..=at], output);
                    self.root.push(parent);
                    (start, bytes) = (at + 1, 0.0);
                }
            }
            self.levels += 1;
        }
    }

    pub fn write_root(&mut self, output: &mut Output) {
        let mut content = root_block(&self.root);
        if self.levels > 1 {
            content.resize(content.len() + MIDDLE as usize, 0);
        }
        self.uncompressed += content.len() as u64;
        self.disk_bytes += output.write(content.len() as u64, || content);
    }
}

/// Bytes of an entry in a block that is not the root.
fn leaf_entry(key: f64) -> f64 {
    SECONDARY + ENTRY + key
}

/// Bytes of an entry in a root, where a vint says how long its key is.
pub(super) fn root_entry(key: f64) -> f64 {
    ENTRY + mvcc_bytes(key.ceil() as u64) as f64 + key
}

/// Content of a root.
pub(super) fn root_block(entries: &[IndexEntry]) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        out.extend_from_slice(&entry.offset.to_be_bytes());
        out.extend_from_slice(&(entry.size as u32).to_be_bytes());
        put_vlong(&mut out, entry.key.len() as u64);
        out.extend_from_slice(&entry.key);
    }
    out
}

/// Content of any other block of the index.
fn leaf_block(entries: &[IndexEntry]) -> Vec<u8> {
    let mut out = (entries.len() as u32).to_be_bytes().to_vec();
    let mut end = 0u32;
    for entry in entries {
        out.extend_from_slice(&end.to_be_bytes());
        end += ENTRY as u32 + entry.key.len() as u32;
    }
    out.extend_from_slice(&end.to_be_bytes());
    for entry in entries {
        out.extend_from_slice(&entry.offset.to_be_bytes());
        out.extend_from_slice(&(entry.size as u32).to_be_bytes());
        out.extend_from_slice(&entry.key);
    }
    out
}

/// Bytes on disk, uncompressed, and levels of the index of a file of `blocks` data blocks, whose keys have `key_bytes` bytes on average.
pub fn block_index(blocks: f64, key_bytes: f64) -> (f64, u32) {
    if blocks <= 0.0 {
        return (0.0, 1);
    }
    // However little is in it, a file that is there has a block.
    let blocks = blocks.max(1.0);
    let (root_entry, leaf_entry) = (root_entry(key_bytes), leaf_entry(key_bytes));
    let block = |bytes: f64| on_disk(BLOCK_HEADER as f64 + bytes);
    let (mut entries, mut bytes, mut levels) = (blocks, 0.0, 1);
    let mut in_block = ((CHUNK - FRAME) / leaf_entry).ceil();
    let mut is_root = FRAME + blocks * leaf_entry < CHUNK;
    while !is_root {
        entries /= in_block;
        bytes += entries * block(FRAME + in_block * leaf_entry);
        levels += 1;
        in_block = (CHUNK / root_entry).ceil().max(LEAST_ENTRIES as f64 + 1.0);
        is_root = entries * root_entry <= CHUNK || entries <= LEAST_ENTRIES as f64;
    }
    let middle = if levels > 1 { MIDDLE } else { 0.0 };
    (bytes + block(entries * root_entry + middle), levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_index_is_a_root_and_a_large_one_has_leaves() {
        assert_eq!(block_index(0.0, 20.0), (0.0, 1));
        // 100 entries of 12 + 1 + 20, a header of 33, one checksum.
        assert_eq!(block_index(100.0, 20.0), (100.0 * 33.0 + 33.0 + 4.0, 1));
        // Beyond (131,072 - 8) / 36 = 3,640.7 entries: leaves of 3,641, each with frame, header, 9 checksums (131,117 bytes in
        // chunks of 16 KB); the root has an entry for each.
        let leaf = 33.0 + 8.0 + 3_641.0 * 36.0 + 9.0 * 4.0;
        let root = 33.0 + 40.0 * 33.0 + 16.0 + 4.0;
        let (found, levels) = block_index(40.0 * 3_641.0, 20.0);
        assert!((found - (40.0 * leaf + root)).abs() < 1e-6, "{found}");
        assert_eq!(levels, 2);
    }

    #[test]
    fn a_root_that_outgrows_a_chunk_gets_a_level_below_it() {
        // 131,072 / 33 = 3,971.9: the root holds 3,971 leaves.
        let leaves = |leaves: f64| block_index(leaves * 3_641.0, 20.0);
        assert_eq!(leaves(3_971.0).1, 2);
        let (bytes, levels) = leaves(2.0 * 3_972.0);
        assert_eq!(levels, 3);
        let intermediate = on_disk(33.0 + 8.0 + 3_972.0 * 36.0);
        let root = on_disk(33.0 + 2.0 * 33.0 + 16.0);
        let lower = 2.0 * 3_972.0 * on_disk(33.0 + 8.0 + 3_641.0 * 36.0);
        assert!((bytes - (lower + 2.0 * intermediate + root)).abs() < 1e-6);
    }

    #[test]
    fn an_index_grows_with_blocks_and_with_keys() {
        let mut before = 0.0;
        for blocks in [1.0, 2.0, 50.0, 3_000.0, 3_700.0, 20_000.0, 163_840.0] {
            let size = block_index(blocks, 24.0).0;
            assert!(size > before && block_index(blocks, 25.0).0 > size);
            before = size;
        }
    }
}
