//! What a block weighs once it is compressed, by really compressing it. Must not know what is in it.

use crate::text::words;
use flate2::read::DeflateEncoder;
// Only for its feature: zlib is built in, not taken from the system.
use libz_sys as _;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io;

words! {
    /// HBase's `COMPRESSION` of a column family.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Compression {
        /// Blocks as they are (HBase default).
        #[default]
        None = "none",
        /// Google's Snappy.
        Snappy = "snappy",
        /// LZ4's fast compressor.
        Lz4 = "lz4",
        /// Zstandard, level 3.
        Zstd = "zstd",
        /// gzip, level 6.
        Gz = "gz",
    }
}

/// Input that Hadoop's `BlockCompressorStream` takes at once is a buffer of 256 KB (`io.compression.codec.*.buffersize`) without what a codec may add to
/// what it can't compress.
const BUFFER: usize = 256 << 10;

const FITS: &str = "memory is all that a codec lacks";

thread_local! {
    /// To make its tables takes longer than to compress a block.
    static ZSTD: RefCell<zstd::bulk::Compressor<'static>> =
        RefCell::new(zstd::bulk::Compressor::new(3).expect(FITS));
}

impl Compression {
    /// Bytes of a block's content on disk. Snappy, LZ4 and Zstandard are framed as Hadoop's `BlockCompressorStream` does: 4 bytes for
    /// the content's length, and for each piece of it 4 for its length when compressed. gzip is a file of its own in each block: a header
    /// of 10 bytes and a trailer of 8. (Hadoop's native codec of Zstandard, which HBase takes where none is named, leaves those 8 bytes out.)
    pub fn stored_bytes(self, content: &[u8]) -> u64 {
        let framed = |growth: usize, compressed: &dyn Fn(&[u8]) -> usize| {
            let pieces = content.chunks(BUFFER - growth);
            4 + pieces.map(|piece| 4 + compressed(piece)).sum::<usize>()
        };
        let bytes = match self {
            Compression::None => content.len(),
            Compression::Snappy => framed(BUFFER / 6 + 32, &|piece| {
                let mut encoder = snap::raw::Encoder::new();
                encoder.compress_vec(piece).expect(FITS).len()
            }),
            Compression::Lz4 => framed(BUFFER / 255 + 16, &|piece| {
                lz4::block::compress(piece, None, false).expect(FITS).len()
            }),
            Compression::Zstd => framed(BUFFER >> 8, &|piece| {
                let compressed = ZSTD.with_borrow_mut(|zstd| zstd.compress(piece));
                compressed.expect(FITS).len()
            }),
            Compression::Gz => {
                let level = flate2::Compression::new(6);
                let mut deflated = DeflateEncoder::new(content, level);
                let bytes = io::copy(&mut deflated, &mut io::sink());
                10 + bytes.expect(FITS) as usize + 8
            }
        };
        bytes as u64
    }
}
