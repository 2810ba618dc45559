//! A store file (HFile) as HBase writes it (`StoreFileWriter`, `HFileWriterImpl`, version 3), for its size: data blocks with what finds their cells, and
//! what is loaded when the file is opened. Must not know tables.

use super::block::Output;
use super::block_index::{IndexEntry, IndexWriter};
use super::bloom::{Bloom, BloomWriter};
use super::cell::put_vlong;
use super::cell_encoder::put_vint;
use super::separator::separator;
use super::{BlockEncoding, Cell, CellEncoder, CellType, Compression, Value, mvcc_bytes};
use std::ptr;

/// `FixedFileTrailer` of version 3.
const TRAILER: u64 = 4 << 10;

/// How a column family's store files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFormat<'a> {
    /// Name of the family, 1 to 127 bytes.
    pub family: &'a str,
    /// `DATA_BLOCK_ENCODING`.
    pub encoding: BlockEncoding,
    /// `COMPRESSION`.
    pub compression: Compression,
    /// `BLOOMFILTER`.
    pub bloom: Bloom,
    /// `BLOCKSIZE`: a data block is closed before the next cell when its cells, unencoded or encoded, have so many bytes. So neither an encoding nor
    /// a compression makes blocks fewer.
    pub block_size: u64,
}

impl<'a> FileFormat<'a> {
    /// HBase's defaults.
    pub fn of(family: &'a str) -> Self {
        Self {
            family,
            encoding: BlockEncoding::default(),
            compression: Compression::default(),
            bloom: Bloom::default(),
            block_size: 64 << 10,
        }
    }
}

/// What a store file weighs, in bytes on disk where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreFileSize {
    /// Cells in it.
    pub cells: u64,
    /// Data blocks.
    pub blocks: u64,
    /// All data blocks, with headers and checksums.
    pub data_bytes: u64,
    /// All blocks of the block index.
    pub index_bytes: u64,
    /// Their contents before compression.
    pub index_content_bytes: u64,
    /// Keys of the data blocks in it.
    pub index_key_bytes: u64,
    /// Entries of its root.
    pub index_entries: u64,
    /// Its levels: 1 is a root alone.
    pub index_levels: u32,
    /// Keys in the Bloom filter: rows, or rows with qualifiers.
    pub bloom_keys: u64,
    /// Both filters: chunks, and what finds them.
    pub bloom_bytes: u64,
    /// Where the part begins that is loaded when the file is opened: behind data blocks, chunks and all of the index but its root.
    pub load_on_open: u64,
    /// Contents and headers of all blocks but those of the index's upper levels, before compression, and the trailer (`totalUncompressedBytes`).
    pub uncompressed_bytes: u64,
    /// The file.
    pub file_bytes: u64,
}

/// A store file being written, for its size only. What is not to be compressed is counted, not made.
#[derive(Debug, Clone)]
pub struct StoreFile<'a> {
    format: FileFormat<'a>,
    encoder: CellEncoder<'a>,
    /// Of the data block being filled: its key in the index, its cells' bytes before encoding, after it, and, if they are to be compressed, themselves.
    index_key: Vec<u8>,
    unencoded: u64,
    encoded: u64,
    content: Vec<u8>,
    output: Output,
    index: IndexWriter,
    bloom: BloomWriter,
    /// Of the rows with a [`CellType::DeleteFamily`].
    deleted: BloomWriter,
    /// The largest cell, with its bytes.
    biggest: (u64, Cell<'a>),
    size: StoreFileSize,
    /// Reused.
    scratch: Vec<u8>,
}

impl<'a> StoreFile<'a> {
    /// An empty file.
    pub fn new(format: FileFormat<'a>) -> Self {
        Self {
            format,
            encoder: CellEncoder::new(format.encoding, format.family),
            index_key: Vec::new(),
            unencoded: 0,
            encoded: 0,
            content: Vec::new(),
            output: Output::new(format.compression),
            index: IndexWriter::new(),
            bloom: BloomWriter::new(format.bloom),
            deleted: BloomWriter::new(format.bloom.of_deleted_families()),
            biggest: (0, Cell::put(&[], &[], 0, Value::Bytes(&[]))),
            size: StoreFileSize::default(),
            scratch: Vec::new(),
        }
    }

    /// The file of these cells, which come in the order of a store (`CellComparatorImpl`): by row and qualifier, then the newest first; of one timestamp, what hides more
    /// first; of one type, the last written first.
    pub fn of(format: FileFormat<'a>, cells: impl IntoIterator<Item = Cell<'a>>) -> StoreFileSize {
        let mut file = Self::new(format);
        cells.into_iter().for_each(|cell| file.append(&cell));
        file.finish()
    }

    /// Appends a cell; cells come in their order.
    pub fn append(&mut self, cell: &Cell<'a>) {
        match self.format.bloom {
            Bloom::None => {}
            // Of a row one cell is enough.
            Bloom::Row if self.size.cells > 0 && ptr::eq(cell.row, self.encoder.last().row) => {}
            Bloom::Row => self.bloom.append(cell.row),
            Bloom::Rowcol => {
                self.scratch.clear();
                first_key(cell.row, "", cell.qualifier, &mut self.scratch);
                self.bloom.append(&self.scratch);
            }
        }
        if cell.kind == CellType::DeleteFamily {
            self.deleted.append(cell.row);
        }
        let full = self.format.block_size;
        if self.unencoded.max(self.encoded) >= full && !self.encoder.last().has_key_of(cell) {
            self.close_block();
            self.write_inline(false);
        }
        if self.unencoded == 0 {
            self.start_block(cell);
        }
        let mvcc = mvcc_bytes(cell.mvcc);
        let value = if self.format.compression == Compression::None {
            self.encoder.encode(cell, &mut self.encoded)
        } else {
            let before = self.content.len();
            let value = self.encoder.encode(cell, &mut self.content);
            self.encoded += (self.content.len() - before) as u64;
            if value > 0 {
                cell.value.write(&mut self.content);
            }
            put_vlong(&mut self.content, cell.mvcc);
            value
        };
        self.encoded += value + mvcc;
        let bytes = 8 + self.encoder.key_bytes(cell) as u64 + cell.value.bytes();
        self.unencoded += bytes + mvcc;
        if bytes > self.biggest.0 {
            self.biggest = (bytes, *cell);
        }
        self.size.cells += 1;
    }

    fn start_block(&mut self, cell: &Cell<'_>) {
        self.index_key.clear();
        self.index_key(cell);
        self.encoder.restart();
        self.content.clear();
        let id = self.format.encoding as u16;
        if self.format.encoding != BlockEncoding::None {
            // The encoding, and its cells' bytes before it, which differ little from block to block.
            self.content.extend_from_slice(&(id + 1).to_be_bytes());
            self.content
                .extend_from_slice(&(self.format.block_size as u32).to_be_bytes());
        }
    }

    /// The key of the entry for a block that starts with `cell`: a separator row alone, the row with a separating
    /// qualifier, or, for the first block and for another version of the same column, the whole key.
    fn index_key(&mut self, cell: &Cell<'_>) {
        let (last, out) = (self.encoder.last(), &mut self.index_key);
        let middle = |left: &[u8], right: &[u8]| separator(left, right).ok().flatten();
        if self.size.cells == 0 {
            self.encoder.flat_key(cell, 0, out);
        } else if let Some(row) = middle(last.row, cell.row) {
            first_key(&row, "", &[], out);
        } else if let Some(qualifier) = middle(last.qualifier, cell.qualifier) {
            first_key(cell.row, self.format.family, &qualifier, out);
        } else {
            self.encoder.flat_key(cell, 0, out);
        }
    }

    fn close_block(&mut self) {
        if self.unencoded == 0 {
            return;
        }
        const FRAME: u64 = 6;
        let frame = match self.format.encoding == BlockEncoding::None {
            true => 0,
            false => FRAME,
        };
        let offset = self.output.offset;
        let content = &self.content;
        let size = self.output.block(frame + self.encoded, || content);
        let key = self.index_key.clone();
        self.index.append(IndexEntry { key, offset, size });
        self.size.blocks += 1;
        self.size.data_bytes += size;
        (self.unencoded, self.encoded) = (0, 0);
    }

    /// Blocks of index and filters that stand among the data blocks.
    fn write_inline(&mut self, closing: bool) {
        self.index.write_leaf(closing, &mut self.output);
        self.bloom.write_chunks(closing, &mut self.output);
        self.deleted.write_chunks(closing, &mut self.output);
    }

    /// Closes the last block and writes what is loaded when the file is opened. A file without cells is not written.
    pub fn finish(mut self) -> StoreFileSize {
        if self.size.cells == 0 {
            return self.size;
        }
        self.close_block();
        self.write_inline(true);
        let output = &mut self.output;
        self.index.write_intermediate(output);
        self.size.load_on_open = output.offset;
        self.index.write_root(output);
        // The index of meta blocks, of which there are none.
        output.block(0, || []);
        let info = self.file_info();
        let output = &mut self.output;
        output.block(info.len() as u64, || info);
        self.bloom.write_meta(output);
        self.deleted.write_meta(output);
        StoreFileSize {
            index_bytes: self.index.disk_bytes,
            index_content_bytes: self.index.uncompressed,
            index_key_bytes: self.index.key_bytes,
            index_entries: self.index.root.len() as u64,
            index_levels: self.index.levels,
            bloom_keys: self.bloom.keys,
            bloom_bytes: self.bloom.disk_bytes + self.deleted.disk_bytes,
            uncompressed_bytes: output.uncompressed + TRAILER,
            file_bytes: output.offset + TRAILER,
            ..self.size
        }
    }

    /// Names and values, as a protocol buffer writes them. What depends on when the file was written stands for itself.
    fn file_info(&self) -> Vec<u8> {
        let flat_key = |cell| {
            let mut key = Vec::new();
            self.encoder.flat_key(cell, 0, &mut key);
            key
        };
        let (last, biggest) = (flat_key(self.encoder.last()), flat_key(&self.biggest.1));
        let long = self.encoder.last().timestamp.to_be_bytes();
        let times = [long, long].concat();
        let encoding = self.format.encoding.name().replace('-', "_").to_uppercase();
        let bloom = self.format.bloom.name().to_uppercase();
        let of_bloom: &[(&str, &[u8])] = &[
            ("BLOOM_FILTER_TYPE", bloom.as_bytes()),
            ("LAST_BLOOM_KEY", &self.bloom.last),
        ];
        let of_encoding: &[(&str, &[u8])] = &[("DATA_BLOCK_ENCODING", encoding.as_bytes())];
        let always: [(&str, &[u8]); 15] = [
            ("COMPACTION_EVENT_KEY", b"PBUF"),
            ("DELETE_FAMILY_COUNT", &self.deleted.keys.to_be_bytes()),
            ("EARLIEST_PUT_TS", &long),
            ("HISTORICAL", &[0]),
            ("KEY_VALUE_VERSION", &[0, 0, 0, 1]),
            ("MAJOR_COMPACTION_KEY", &[0]),
            ("MAX_MEMSTORE_TS_KEY", &[0; 8]),
            ("MAX_SEQ_ID_KEY", &self.size.cells.to_be_bytes()),
            ("TIMERANGE", &times),
            ("hfile.AVG_KEY_LEN", &(last.len() as u32).to_be_bytes()),
            ("hfile.AVG_VALUE_LEN", &[0; 4]),
            ("hfile.CREATE_TIME_TS", &long),
            ("hfile.KEY_OF_BIGGEST_CELL", &biggest),
            ("hfile.LASTKEY", &last),
            ("hfile.LEN_OF_BIGGEST_CELL", &self.biggest.0.to_be_bytes()),
        ];
        let bloom = if self.bloom.keys > 0 { of_bloom } else { &[] };
        let encoding = match self.format.encoding {
            BlockEncoding::None => &[],
            _ => of_encoding,
        };
        let field = |out: &mut Vec<u8>, tag: u8, bytes: &[u8]| {
            out.push(tag);
            put_vint(out, bytes.len() as u64);
            out.extend_from_slice(bytes);
        };
        let mut entries = Vec::new();
        for (name, value) in bloom.iter().chain(encoding).chain(&always) {
            let mut entry = Vec::new();
            field(&mut entry, 0x0A, name.as_bytes());
            field(&mut entry, 0x12, value);
            field(&mut entries, 0x0A, &entry);
        }
        let mut out = b"PBUF".to_vec();
        put_vint(&mut out, entries.len() as u64);
        out.extend(entries);
        out
    }
}

/// The key before all cells of a column, or of a row: latest timestamp, greatest type.
fn first_key(row: &[u8], family: &str, qualifier: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(row.len() as u16).to_be_bytes());
    out.extend_from_slice(row);
    out.push(family.len() as u8);
    out.extend_from_slice(family.as_bytes());
    out.extend_from_slice(qualifier);
    out.extend_from_slice(&i64::MAX.to_be_bytes());
    out.push(255);
}
