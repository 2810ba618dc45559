//! Blocks of a store file as they are written one behind the other. Must not know what is in them.

use super::Compression;

/// Header of every block: type 8, two sizes of 4, offset of the block before 8, checksum type 1, two sizes of 4.
pub(super) const BLOCK_HEADER: u64 = 33;

/// Bytes that each checksum of 4 covers (HBase default, `hbase.hstore.bytes.per.checksum`).
const PER_CHECKSUM: f64 = (16 << 10) as f64;

/// A block with the checksums of its header and content.
pub(super) fn on_disk(bytes: f64) -> f64 {
    bytes + 4.0 * (bytes / PER_CHECKSUM).ceil()
}

/// The file so far.
#[derive(Debug, Clone)]
pub(super) struct Output {
    compression: Compression,
    pub offset: u64,
    /// All blocks that HBase counts, with their headers, before they are compressed.
    pub uncompressed: u64,
}

impl Output {
    pub fn new(compression: Compression) -> Self {
        Self {
            compression,
            offset: 0,
            uncompressed: 0,
        }
    }

    /// Writes a block of so many bytes, whose `content` is asked for when it is to be compressed; returns its bytes on disk.
    pub fn write<C: AsRef<[u8]>>(&mut self, bytes: u64, content: impl FnOnce() -> C) -> u64 {
        let stored = match self.compression {
            Compression::None => bytes,
            compression => compression.stored_bytes(content().as_ref()),
        };
        let size = on_disk((BLOCK_HEADER + stored) as f64) as u64;
        self.offset += size;
        size
    }

    /// The same, counted.
    pub fn block<C: AsRef<[u8]>>(&mut self, bytes: u64, content: impl FnOnce() -> C) -> u64 {
        self.uncompressed += BLOCK_HEADER + bytes;
        self.write(bytes, content)
    }
}
