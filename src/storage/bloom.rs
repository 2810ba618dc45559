//! Bloom filters as store files hold them: chunks among the data blocks, and what finds them in a block of its own. Must not know cells.

use super::block::{BLOCK_HEADER, Output, on_disk};
use super::block_index::{IndexEntry, root_block, root_entry};
use crate::random::mix;
use crate::text::words;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

words! {
    /// HBase's `BLOOMFILTER` of a column family: which keys its filter knows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Bloom {
        /// No filter.
        None = "none",
        /// Rows (HBase default).
        #[default]
        Row = "row",
        /// Rows with their qualifiers.
        Rowcol = "rowcol",
    }
}

/// Bytes of a chunk (HBase default, `io.storefile.bloom.block.size`).
const CHUNK: u64 = 128 << 10;

/// Class of the comparator that the filter of rows with qualifiers names.
const COMPARATOR: &[u8] = b"org.apache.hadoop.hbase.CellComparatorImpl";

/// Keys of a chunk, and how many bits each sets.
#[derive(Debug, Clone, Copy)]
struct Shape {
    most_keys: u64,
    hashes: u64,
}

impl Bloom {
    /// The filter of rows whose family was deleted, which stands beside this one unless it knows qualifiers.
    pub(super) fn of_deleted_families(self) -> Self {
        match self {
            Bloom::Rowcol => Bloom::None,
            Bloom::None | Bloom::Row => Bloom::Row,
        }
    }

    /// `BloomFilterUtil.createBySize` for the error rate of 0.01 (`io.storefile.bloom.error.rate`). To look up a column asks for its row
    /// as well, so that each of the two may be wrong half as often (`BloomFilterFactory.createGeneralBloomAtWrite`).
    fn shape(self) -> Shape {
        let rate = f64::from(0.01f32);
        let error = match self {
            Bloom::Rowcol => f64::from((1.0 - (1.0 - rate).sqrt()) as f32),
            Bloom::None | Bloom::Row => rate,
        };
        let bits = (8 * CHUNK) as f64;
        let ideal = (bits * (LN_2 * LN_2 / -libm::log(error))) as u64;
        let hashes = (LN_2 * (8 * CHUNK / ideal) as f64).ceil();
        let full = -bits / hashes * libm::log(1.0 - libm::exp(libm::log(error) / hashes));
        Shape {
            most_keys: full as u64,
            hashes: hashes as u64,
        }
    }

    /// Bytes on disk of a filter of so many keys, whose first keys of chunks have so many bytes: a codec can do nothing about its bits.
    pub fn bytes(self, keys: f64, key_bytes: f64) -> f64 {
        if self == Bloom::None || keys <= 0.0 {
            return 0.0;
        }
        let shape = self.shape();
        let full = (keys / shape.most_keys as f64).floor();
        let rest = (keys - full * shape.most_keys as f64).round() as u64;
        let block = |bytes: u64| on_disk((BLOCK_HEADER + bytes) as f64);
        let (last, chunks) = match rest {
            0 => (0.0, full),
            rest => (block(shape.folded(rest)), full + 1.0),
        };
        let meta = block(self.meta_frame().len() as u64) + chunks * root_entry(key_bytes);
        full * block(CHUNK) + last + meta
    }

    /// What stands before the chunks' index: version, bytes, number and kind of hashes, keys, keys that it is made for, chunks, comparator.
    fn meta_frame(self) -> Vec<u8> {
        let mut out = vec![0; 4 + 8 + 4 + 4 + 8 + 8 + 4];
        let comparator = match self == Bloom::Rowcol {
            true => COMPARATOR,
            false => &[],
        };
        out.push(comparator.len() as u8);
        out.extend_from_slice(comparator);
        out
    }
}

impl Shape {
    /// Bytes of a chunk of so many keys: halved as long as it stays at most half full (`BloomFilterChunk.compactBloom`).
    fn folded(self, keys: u64) -> u64 {
        let (mut bytes, mut most) = (CHUNK, self.most_keys);
        while bytes.is_multiple_of(2) && most > 2 * keys {
            bytes /= 2;
            most /= 2;
        }
        bytes
    }
}

/// A filter being written. Which bits its keys set is drawn, not hashed: it tells only how little a codec can do about them.
#[derive(Debug, Clone)]
pub(super) struct BloomWriter {
    bloom: Bloom,
    shape: Shape,
    /// Different keys so far.
    pub keys: u64,
    /// The last one.
    pub last: Vec<u8>,
    /// First key and number of keys of chunks that are to be written, the one that is being filled last.
    chunks: Vec<(Vec<u8>, u64)>,
    written: Vec<IndexEntry>,
    /// Of its chunks and, at the end, of what finds them.
    pub disk_bytes: u64,
}

impl BloomWriter {
    pub fn new(bloom: Bloom) -> Self {
        Self {
            bloom,
            shape: bloom.shape(),
            keys: 0,
            last: Vec::new(),
            chunks: Vec::new(),
            written: Vec::new(),
            disk_bytes: 0,
        }
    }

    /// Keys come in ascending order, with repetitions.
    pub fn append(&mut self, key: &[u8]) {
        if self.bloom == Bloom::None || (self.keys > 0 && self.last == key) {
            return;
        }
        self.keys += 1;
        self.last.clear();
        self.last.extend_from_slice(key);
        match self.chunks.last_mut() {
            Some((_, keys)) if *keys < self.shape.most_keys => *keys += 1,
            _ => self.chunks.push((key.to_vec(), 1)),
        }
    }

    /// Writes the chunks that are full, or all that there are.
    pub fn write_chunks(&mut self, closing: bool, output: &mut Output) {
        let most = self.shape.most_keys;
        let is_full = |(_, keys): &&(_, u64)| closing || *keys == most;
        let full = self.chunks.iter().filter(is_full).count();
        for (key, keys) in self.chunks.drain(..full) {
            let bytes = self.shape.folded(keys);
            let offset = output.offset;
            let size = output.block(bytes, || bits(bytes, keys * self.shape.hashes));
            self.written.push(IndexEntry { key, offset, size });
            self.disk_bytes += size;
        }
    }

    /// Writes what is loaded when the file is opened.
    pub fn write_meta(&mut self, output: &mut Output) {
        if self.keys > 0 {
            let mut meta = self.bloom.meta_frame();
            meta.extend(root_block(&self.written));
            self.disk_bytes += output.block(meta.len() as u64, || meta);
        }
    }
}

/// So many bytes, with a bit set at random so often.
fn bits(bytes: u64, times: u64) -> Vec<u8> {
    let mut out = vec![0u8; bytes as usize];
    for i in 0..times {
        let at = mix(i) % (8 * bytes);
        out[(at / 8) as usize] |= 1 << (at % 8);
    }
    out
}
