//! The bytes of one cell in a data block, under each block encoding. Must not know blocks.
//!
//! A cell's *flat key* is `2 row length | row | 1 family length | family | qualifier | 8 timestamp | 1 type`. A *vint* holds 7 bits
//! a byte, lowest first, the top bit set in all bytes but the last (`ByteBufferUtils.putCompressedInt`). After every cell HBase
//! appends its mvcc number ([`super::mvcc_bytes`]), which is no part of this.
//!
//! | encoding | bytes of a cell |
//! |---|---|
//! | none | 4 key length, 4 value length, flat key, value |
//! | prefix | vint of the key's length without the shared prefix, vint of the value's length, vint of the prefix shared with the flat key before it (timestamp and type included), rest of the flat key, value |
//! | diff | 1 flag; vint key length and vint value length unless equal to those before; vint shared prefix (up to the qualifier's end); rest of row length and row, qualifier from where it differs; timestamp or its difference to the one before, whichever is shorter, lowest byte first, 1 to 8 bytes; type unless equal; value. The first cell of a block has family length and family in front |
//! | fast-diff | as diff, but the timestamp loses the leading bytes (at most 7) that it shares with the one before, and a value equal to the one before is left out. The first cell of a block is flag, three vints, flat key, value |
//!
//! Two rows of different lengths share nothing but the high byte of the length: with keys of many lengths no encoding finds the
//! prefixes. Source: HBase's `PrefixKeyDeltaEncoder`, `DiffKeyDeltaEncoder`, `FastDiffDeltaEncoder`.

use super::separator::common_prefix;
use super::{BlockEncoding, Cell, CellType, Value};

const ROW_LENGTH: usize = 2;
const FAMILY_LENGTH: usize = 1;
const TIMESTAMP: usize = 8;
const TYPE: usize = 1;

/// Writes the cells of one data block after another.
#[derive(Debug, Clone)]
pub struct CellEncoder {
    encoding: BlockEncoding,
    family: Vec<u8>,
    /// The cell before, if any; of its block only once `started`.
    row: Vec<u8>,
    qualifier: Vec<u8>,
    timestamp: u64,
    kind: CellType,
    value_bytes: u64,
    /// Of its value: the number, or the bytes if FAST_DIFF may compare them.
    value_number: Option<u64>,
    value: Vec<u8>,
    started: bool,
}

impl CellEncoder {
    /// An encoder at the start of a block of a store with this family (1 to 127 bytes).
    pub fn new(encoding: BlockEncoding, family: &str) -> Self {
        Self {
            encoding,
            family: family.as_bytes().to_vec(),
            row: Vec::new(),
            qualifier: Vec::new(),
            timestamp: 0,
            kind: CellType::Put,
            value_bytes: 0,
            value_number: None,
            value: Vec::new(),
            started: false,
        }
    }

    /// A new block starts: nothing is shared with what was before.
    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Bytes of the flat key.
    pub fn key_bytes(&self, cell: &Cell<'_>) -> usize {
        ROW_LENGTH
            + cell.row.len()
            + FAMILY_LENGTH
            + self.family.len()
            + cell.qualifier.len()
            + TIMESTAMP
            + TYPE
    }

    /// Appends all bytes of `cell` that stand before its value; returns how many bytes of the value follow: all, or none when the
    /// encoding leaves it out. O(key length), allocates only to grow its buffers.
    pub fn encode(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> u64 {
        let value = match self.encoding {
            BlockEncoding::None => self.whole(cell, out),
            BlockEncoding::Prefix => self.prefix(cell, out),
            BlockEncoding::Diff => self.diff(cell, out),
            BlockEncoding::FastDiff => self.fast_diff(cell, out),
        };
        if !self.started || self.row != cell.row {
            self.row.clear();
            self.row.extend_from_slice(cell.row);
        }
        self.qualifier.clear();
        self.qualifier.extend_from_slice(cell.qualifier);
        self.timestamp = cell.timestamp;
        self.kind = cell.kind;
        self.value_bytes = cell.value.bytes();
        self.value_number = cell.value.number();
        if let (BlockEncoding::FastDiff, Value::Bytes(value)) = (self.encoding, cell.value) {
            self.value.clear();
            self.value.extend_from_slice(value);
        }
        self.started = true;
        value
    }

    fn whole(&self, cell: &Cell<'_>, out: &mut Vec<u8>) -> u64 {
        out.extend_from_slice(&(self.key_bytes(cell) as u32).to_be_bytes());
        out.extend_from_slice(&(cell.value.bytes() as u32).to_be_bytes());
        self.flat_key(cell, out);
        cell.value.bytes()
    }

    fn prefix(&self, cell: &Cell<'_>, out: &mut Vec<u8>) -> u64 {
        let shared = self.shared_with_time(cell);
        put_vint(out, (self.key_bytes(cell) - shared) as u64);
        put_vint(out, cell.value.bytes());
        put_vint(out, shared as u64);
        let start = out.len();
        self.flat_key(cell, out);
        out.drain(start..start + shared);
        cell.value.bytes()
    }

    fn diff(&self, cell: &Cell<'_>, out: &mut Vec<u8>) -> u64 {
        const SAME_TYPE: u8 = 1 << 2;
        const TIMESTAMP_IS_DIFFERENCE: u8 = 1 << 3;
        const NEGATIVE: u8 = 1 << 7;
        const LENGTH_SHIFT: u32 = 4;
        let mut flags = 0;
        let mut number = cell.timestamp;
        if self.started {
            if self.kind == cell.kind {
                flags = SAME_TYPE;
            }
            let difference = self.timestamp.abs_diff(cell.timestamp);
            if bytes_of(difference) < bytes_of(number) {
                number = difference;
                flags |= TIMESTAMP_IS_DIFFERENCE;
                if self.timestamp < cell.timestamp {
                    flags |= NEGATIVE;
                }
            }
        } else {
            out.push(self.family.len() as u8);
            out.extend_from_slice(&self.family);
        }
        let length = bytes_of(number);
        let place = out.len();
        out.push(flags | (length as u8 - 1) << LENGTH_SHIFT);
        let same = self.put_lengths(cell, [1 << 0, 1 << 1], out);
        out[place] |= same;
        self.put_row_and_qualifier(cell, out);
        out.extend_from_slice(&number.to_le_bytes()[..length]);
        if flags & SAME_TYPE == 0 {
            out.push(cell.kind as u8);
        }
        cell.value.bytes()
    }

    fn fast_diff(&self, cell: &Cell<'_>, out: &mut Vec<u8>) -> u64 {
        const SAME_TYPE: u8 = 1 << 5;
        const SAME_VALUE: u8 = 1 << 6;
        if !self.started {
            out.push(0);
            put_vint(out, self.key_bytes(cell) as u64);
            put_vint(out, cell.value.bytes());
            put_vint(out, 0);
            self.flat_key(cell, out);
            return cell.value.bytes();
        }
        let (bytes, before) = (cell.timestamp.to_be_bytes(), self.timestamp.to_be_bytes());
        let shared = common_prefix(&bytes, &before).min(TIMESTAMP - 1);
        let place = out.len();
        out.push(shared as u8);
        if self.kind == cell.kind {
            out[place] |= SAME_TYPE;
        }
        let same_value = self.has_value(cell);
        if same_value {
            out[place] |= SAME_VALUE;
        }
        let same = self.put_lengths(cell, [1 << 3, 1 << 4], out);
        out[place] |= same;
        self.put_row_and_qualifier(cell, out);
        out.extend_from_slice(&bytes[shared..]);
        if self.kind != cell.kind {
            out.push(cell.kind as u8);
        }
        if same_value { 0 } else { cell.value.bytes() }
    }

    /// The last cell without its value.
    pub(super) fn last(&self) -> Cell<'_> {
        Cell {
            kind: self.kind,
            ..Cell::put(
                &self.row,
                &self.qualifier,
                self.timestamp,
                Value::Bytes(&[]),
            )
        }
    }

    /// The cell before has the value of this one.
    fn has_value(&self, cell: &Cell<'_>) -> bool {
        self.value_bytes == cell.value.bytes()
            && match cell.value {
                _ if self.value_bytes == 0 => true,
                Value::Bytes(value) => self.value_number.is_none() && self.value == value,
                Value::Stated { .. } => self.value_number == cell.value.number(),
            }
    }

    /// Appends the flat key.
    pub(super) fn flat_key(&self, cell: &Cell<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&(cell.row.len() as u16).to_be_bytes());
        out.extend_from_slice(cell.row);
        out.push(self.family.len() as u8);
        out.extend_from_slice(&self.family);
        out.extend_from_slice(cell.qualifier);
        out.extend_from_slice(&cell.timestamp.to_be_bytes());
        out.push(cell.kind as u8);
    }

    /// Bytes that the flat key shares with the one before, up to the qualifier's end; 0 at the start of a block.
    fn shared(&self, cell: &Cell<'_>) -> usize {
        if !self.started {
            return 0;
        }
        let length = (cell.row.len() as u16).to_be_bytes();
        let before = (self.row.len() as u16).to_be_bytes();
        if length != before {
            return common_prefix(&length, &before);
        }
        let row = common_prefix(cell.row, &self.row);
        if row < cell.row.len() {
            return ROW_LENGTH + row;
        }
        let family = FAMILY_LENGTH + self.family.len();
        ROW_LENGTH + row + family + common_prefix(cell.qualifier, &self.qualifier)
    }

    /// The same with timestamp and type, which are compared when all before them is equal.
    fn shared_with_time(&self, cell: &Cell<'_>) -> usize {
        let shared = self.shared(cell);
        let same = self.qualifier.len() == cell.qualifier.len();
        if !same || shared + TIMESTAMP + TYPE < self.key_bytes(cell) {
            return shared;
        }
        let bytes = cell.timestamp.to_be_bytes();
        match common_prefix(&bytes, &self.timestamp.to_be_bytes()) {
            TIMESTAMP if self.kind == cell.kind => shared + TIMESTAMP + TYPE,
            time => shared + time,
        }
    }

    /// The lengths of key and value, each unless it is that of the cell before; flags that say which of them are.
    fn put_lengths(&self, cell: &Cell<'_>, flags: [u8; 2], out: &mut Vec<u8>) -> u8 {
        let length = |cell: &Cell<'_>| cell.row.len() + cell.qualifier.len();
        let key = self.row.len() + self.qualifier.len() == length(cell);
        let same = [key, self.value_bytes == cell.value.bytes()];
        let lengths = [self.key_bytes(cell) as u64, cell.value.bytes()];
        let mut set = 0;
        for at in 0..2 {
            match self.started && same[at] {
                true => set |= flags[at],
                false => put_vint(out, lengths[at]),
            }
        }
        set
    }

    /// The shared prefix's length, what is left of row length and row, and of the qualifier. The family is known.
    fn put_row_and_qualifier(&self, cell: &Cell<'_>, out: &mut Vec<u8>) {
        let shared = self.shared(cell);
        put_vint(out, shared as u64);
        let row_end = ROW_LENGTH + cell.row.len();
        if shared < row_end {
            let length = (cell.row.len() as u16).to_be_bytes();
            out.extend_from_slice(&length[shared.min(ROW_LENGTH)..]);
            out.extend_from_slice(&cell.row[shared.saturating_sub(ROW_LENGTH)..]);
            out.extend_from_slice(cell.qualifier);
        } else {
            let family_end = row_end + FAMILY_LENGTH + self.family.len();
            out.extend_from_slice(&cell.qualifier[shared - family_end..]);
        }
    }
}

/// 7 bits a byte, lowest first.
pub(super) fn put_vint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes that a number needs, at least 1.
fn bytes_of(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}
