//! Size of a store file's block index. Must not know the blocks themselves.

use super::store_file::{BLOCK_HEADER, with_checksums};

/// Size from which on a chunk of the index becomes a block of its own (HBase default, `hfile.index.block.max.size`).
const CHUNK: f64 = (128 << 10) as f64;

/// Block offset 8, size 4.
const ENTRY: f64 = 12.0;

/// Offset of each entry in a block that is not the root, for binary search.
const SECONDARY: f64 = 4.0;

/// Where the middle key stands, at the end of a root with leaves: offset 8, size 4, entry 4.
const MIDDLE: f64 = 16.0;

/// Bytes of the index of a file of `blocks` data blocks, whose entries' keys have `key_bytes` bytes on average: one level (the
/// root) up to 128 KB, else a root over leaves of 128 KB. Files whose root outgrows 128 KB (about 500 GB) get a third level in
/// HBase, which adds some thousandth to the index and is left out. `HFileBlockIndex.BlockIndexChunk`.
pub fn block_index_bytes(blocks: f64, key_bytes: f64) -> f64 {
    if blocks < 1.0 {
        return 0.0;
    }
    let root_entry = ENTRY + vint_bytes(key_bytes) + key_bytes;
    let leaf_entry = SECONDARY + ENTRY + key_bytes;
    // Number of entries, and the end of the last one.
    let leaf_frame = 2.0 * SECONDARY;
    if leaf_frame + blocks * leaf_entry < CHUNK {
        return with_checksums(BLOCK_HEADER + blocks * root_entry);
    }
    let in_leaf = ((CHUNK - leaf_frame) / leaf_entry).ceil().max(1.0);
    let leaves = blocks / in_leaf;
    let leaf = with_checksums(BLOCK_HEADER + leaf_frame + in_leaf * leaf_entry);
    leaves * leaf + with_checksums(BLOCK_HEADER + leaves * root_entry + MIDDLE)
}

/// Hadoop's `WritableUtils.getVIntSize` of a length.
fn vint_bytes(length: f64) -> f64 {
    match length {
        length if length <= 127.0 => 1.0,
        length if length <= 255.0 => 2.0,
        _ => 3.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_index_is_a_root_and_a_large_one_has_leaves() {
        assert_eq!(block_index_bytes(0.0, 20.0), 0.0);
        // 100 entries of 12 + 1 + 20, a header of 33, one checksum.
        assert_eq!(block_index_bytes(100.0, 20.0), 100.0 * 33.0 + 33.0 + 4.0);
        // Beyond (131,072 - 8) / 36 = 3,640.7 entries: leaves of 3,641, each with frame, header, 9 checksums (131,117 bytes in
        // chunks of 16 KB); the root has an entry for each.
        let leaf = 33.0 + 8.0 + 3_641.0 * 36.0 + 9.0 * 4.0;
        let root = 33.0 + 40.0 * 33.0 + 16.0 + 4.0;
        let found = block_index_bytes(40.0 * 3_641.0, 20.0);
        assert!((found - (40.0 * leaf + root)).abs() < 1e-6, "{found}");
    }

    #[test]
    fn an_index_grows_with_blocks_and_with_keys() {
        let mut before = 0.0;
        for blocks in [1.0, 2.0, 50.0, 3_000.0, 3_700.0, 20_000.0, 163_840.0] {
            let size = block_index_bytes(blocks, 24.0);
            assert!(size > before && block_index_bytes(blocks, 25.0) > size);
            before = size;
        }
    }
}
