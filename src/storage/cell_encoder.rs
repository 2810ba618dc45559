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
use super::{BlockEncoding, Cell, Value};
use std::ptr;

const ROW_LENGTH: usize = 2;
const FAMILY_LENGTH: usize = 1;
const TIMESTAMP: usize = 8;
const TYPE: usize = 1;

/// Writes the cells of one data block after another.
#[derive(Debug, Clone)]
pub struct CellEncoder<'a> {
    encoding: BlockEncoding,
    family: &'a str,
    /// The cell before, if any; of its block only once `started`.
    last: Cell<'a>,
    started: bool,
}

impl<'a> CellEncoder<'a> {
    /// An encoder at the start of a block of a store with this family (1 to 127 bytes).
    pub fn new(encoding: BlockEncoding, family: &'a str) -> Self {
        Self {
            encoding,
            family,
            last: Cell::put(&[], &[], 0, Value::Bytes(&[])),
            started: false,
        }
    }

    /// A new block starts: nothing is shared with what was before.
    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Bytes of the flat key.
    pub fn key_bytes(&self, cell: &Cell<'_>) -> usize {
        let names = FAMILY_LENGTH + self.family.len() + cell.qualifier.len();
        ROW_LENGTH + cell.row.len() + names + TIMESTAMP + TYPE
    }

    /// Appends all bytes of `cell` that stand before its value; returns how many bytes of the value follow: all, or none when the
    /// encoding leaves it out. O(key length).
    pub fn encode(&mut self, cell: &Cell<'a>, out: &mut impl Bytes) -> u64 {
        let mut value = cell.value.bytes();
        match self.encoding {
            BlockEncoding::None => self.whole(cell, out),
            BlockEncoding::Prefix => self.prefix(cell, out),
            BlockEncoding::Diff => self.diff(cell, out),
            BlockEncoding::FastDiff => {
                if self.fast_diff(cell, out) {
                    value = 0;
                }
            }
        }
        self.last = *cell;
        self.started = true;
        value
    }

    fn whole(&self, cell: &Cell<'_>, out: &mut impl Bytes) {
        out.extend(&(self.key_bytes(cell) as u32).to_be_bytes());
        out.extend(&(cell.value.bytes() as u32).to_be_bytes());
        self.flat_key(cell, 0, out);
    }

    fn prefix(&self, cell: &Cell<'_>, out: &mut impl Bytes) {
        let shared = self.shared_with_time(cell);
        put_vint(out, (self.key_bytes(cell) - shared) as u64);
        put_vint(out, cell.value.bytes());
        put_vint(out, shared as u64);
        self.flat_key(cell, shared, out);
    }

    fn diff(&self, cell: &Cell<'_>, out: &mut impl Bytes) {
        const SAME_TYPE: u8 = 1 << 2;
        const TIMESTAMP_IS_DIFFERENCE: u8 = 1 << 3;
        const NEGATIVE: u8 = 1 << 7;
        const LENGTH_SHIFT: u32 = 4;
        let mut flags = 0;
        let mut number = cell.timestamp;
        if self.started {
            if self.last.kind == cell.kind {
                flags = SAME_TYPE;
            }
            let difference = self.last.timestamp.abs_diff(cell.timestamp);
            if bytes_of(difference) < bytes_of(number) {
                number = difference;
                flags |= TIMESTAMP_IS_DIFFERENCE;
                if self.last.timestamp < cell.timestamp {
                    flags |= NEGATIVE;
                }
            }
        } else {
            out.extend(&[self.family.len() as u8]);
            out.extend(self.family.as_bytes());
        }
        let length = bytes_of(number);
        flags |= (length as u8 - 1) << LENGTH_SHIFT;
        self.put_lengths(flags, [1 << 0, 1 << 1], cell, out);
        self.put_row_and_qualifier(cell, out);
        out.extend(&number.to_le_bytes()[..length]);
        if flags & SAME_TYPE == 0 {
            out.extend(&[cell.kind as u8]);
        }
    }

    /// The value is left out.
    fn fast_diff(&self, cell: &Cell<'_>, out: &mut impl Bytes) -> bool {
        const SAME_TYPE: u8 = 1 << 5;
        const SAME_VALUE: u8 = 1 << 6;
        if !self.started {
            out.extend(&[0]);
            put_vint(out, self.key_bytes(cell) as u64);
            put_vint(out, cell.value.bytes());
            put_vint(out, 0);
            self.flat_key(cell, 0, out);
            return false;
        }
        let [bytes, before] = [cell, &self.last].map(|it| it.timestamp.to_be_bytes());
        let shared = common_prefix(&bytes, &before).min(TIMESTAMP - 1);
        let mut flags = shared as u8;
        if self.last.kind == cell.kind {
            flags |= SAME_TYPE;
        }
        let same_value = cell.value.is_same(&self.last.value);
        if same_value {
            flags |= SAME_VALUE;
        }
        self.put_lengths(flags, [1 << 3, 1 << 4], cell, out);
        self.put_row_and_qualifier(cell, out);
        out.extend(&bytes[shared..]);
        if self.last.kind != cell.kind {
            out.extend(&[cell.kind as u8]);
        }
        same_value
    }

    /// The last cell.
    pub(super) fn last(&self) -> &Cell<'a> {
        &self.last
    }

    /// Appends the flat key but for so many leading bytes.
    pub(super) fn flat_key(&self, cell: &Cell<'_>, mut left_out: usize, out: &mut impl Bytes) {
        let parts: [&[u8]; 7] = [
            &(cell.row.len() as u16).to_be_bytes(),
            cell.row,
            &[self.family.len() as u8],
            self.family.as_bytes(),
            cell.qualifier,
            &cell.timestamp.to_be_bytes(),
            &[cell.kind as u8],
        ];
        for part in parts {
            let from = left_out.min(part.len());
            out.extend(&part[from..]);
            left_out -= from;
        }
    }

    /// Bytes that the flat key shares with the one before, up to the qualifier's end; 0 at the start of a block.
    fn shared(&self, cell: &Cell<'_>) -> usize {
        if !self.started {
            return 0;
        }
        let [length, before] = [cell, &self.last].map(|it| (it.row.len() as u16).to_be_bytes());
        if length != before {
            return common_prefix(&length, &before);
        }
        let row = match ptr::eq(cell.row, self.last.row) {
            true => cell.row.len(),
            false => common_prefix(cell.row, self.last.row),
        };
        if row < cell.row.len() {
            return ROW_LENGTH + row;
        }
        let family = FAMILY_LENGTH + self.family.len();
        ROW_LENGTH + row + family + common_prefix(cell.qualifier, self.last.qualifier)
    }

    /// The same with timestamp and type, which are compared when all before them is equal.
    fn shared_with_time(&self, cell: &Cell<'_>) -> usize {
        let shared = self.shared(cell);
        let same = self.last.qualifier.len() == cell.qualifier.len();
        if !same || shared + TIMESTAMP + TYPE < self.key_bytes(cell) {
            return shared;
        }
        let [bytes, before] = [cell, &self.last].map(|it| it.timestamp.to_be_bytes());
        match common_prefix(&bytes, &before) {
            TIMESTAMP if self.last.kind == cell.kind => shared + TIMESTAMP + TYPE,
            time => shared + time,
        }
    }

    /// Flags, with those that say which of the lengths of key and value are those of the cell before, and the other lengths.
    fn put_lengths(&self, flags: u8, same: [u8; 2], cell: &Cell<'_>, out: &mut impl Bytes) {
        let lengths = |it: &Cell<'_>| [self.key_bytes(it) as u64, it.value.bytes()];
        let (lengths, before) = (lengths(cell), lengths(&self.last));
        let is_same = [0, 1].map(|at| self.started && lengths[at] == before[at]);
        let set = (0..2).filter(|at| is_same[*at]).map(|at| same[at]);
        out.extend(&[set.fold(flags, |all, flag| all | flag)]);
        for at in (0..2).filter(|at| !is_same[*at]) {
            put_vint(out, lengths[at]);
        }
    }

    /// The shared prefix's length, what is left of row length and row, and of the qualifier. The family is known.
    fn put_row_and_qualifier(&self, cell: &Cell<'_>, out: &mut impl Bytes) {
        let shared = self.shared(cell);
        put_vint(out, shared as u64);
        let row_end = ROW_LENGTH + cell.row.len();
        if shared < row_end {
            let length = (cell.row.len() as u16).to_be_bytes();
            out.extend(&length[shared.min(ROW_LENGTH)..]);
            out.extend(&cell.row[shared.saturating_sub(ROW_LENGTH)..]);
            out.extend(cell.qualifier);
        } else {
            let family_end = row_end + FAMILY_LENGTH + self.family.len();
            out.extend(&cell.qualifier[shared - family_end..]);
        }
    }
}

/// Where encoded bytes go.
pub trait Bytes {
    /// Appends them.
    fn extend(&mut self, bytes: &[u8]);
}

impl Bytes for Vec<u8> {
    fn extend(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// How many they are.
impl Bytes for u64 {
    fn extend(&mut self, bytes: &[u8]) {
        *self += bytes.len() as u64;
    }
}

/// 7 bits a byte, lowest first.
pub(super) fn put_vint(out: &mut impl Bytes, mut value: u64) {
    while value > 0x7f {
        out.extend(&[value as u8 | 0x80]);
        value >>= 7;
    }
    out.extend(&[value as u8]);
}

/// Bytes that a number needs, at least 1.
fn bytes_of(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}
