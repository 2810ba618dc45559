//! What the encoders write can be read back: a decoder of each block encoding, written from HBase's format and not from the
//! encoder, recovers every cell; so their sizes are sizes of something.

use keyheat::storage::{BlockEncoding, Cell, CellEncoder, CellType, FileFormat, StoreFile, Value};
use proptest::prelude::*;

const FAMILY: &str = "fam";

const KINDS: [CellType; 4] = [
    CellType::Put,
    CellType::Delete,
    CellType::DeleteColumn,
    CellType::DeleteFamily,
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    row: Vec<u8>,
    qualifier: Vec<u8>,
    timestamp: u64,
    kind: CellType,
    value: Vec<u8>,
}

impl Row {
    fn cell(&self) -> Cell<'_> {
        Cell {
            kind: self.kind,
            ..Cell::put(
                &self.row,
                &self.qualifier,
                self.timestamp,
                Value::Bytes(&self.value),
            )
        }
    }
}

/// One block: all cells with their values.
fn encode(encoding: BlockEncoding, rows: &[Row]) -> Vec<u8> {
    let mut encoder = CellEncoder::new(encoding, FAMILY);
    let mut out = Vec::new();
    for row in rows {
        let value = encoder.encode(&row.cell(), &mut out);
        out.extend_from_slice(&row.value[row.value.len() - value as usize..]);
    }
    out
}

/// Reads a block.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn int(&mut self) -> usize {
        u32::from_be_bytes(self.take(4).try_into().unwrap()) as usize
    }

    fn vint(&mut self) -> usize {
        let mut value = 0;
        for shift in 0.. {
            let byte = self.byte();
            value |= usize::from(byte & 0x7f) << (7 * shift);
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }
}

fn row_length(key: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([key[0], key[1]]))
}

/// A flat key and a value, apart.
fn row_of(key: &[u8], value: &[u8]) -> Row {
    let row_end = 2 + row_length(key);
    let family_end = row_end + 1 + usize::from(key[row_end]);
    assert_eq!(&key[row_end + 1..family_end], FAMILY.as_bytes());
    let time = key.len() - 9;
    Row {
        row: key[2..row_end].to_vec(),
        qualifier: key[family_end..time].to_vec(),
        timestamp: u64::from_be_bytes(key[time..time + 8].try_into().unwrap()),
        kind: KINDS
            .into_iter()
            .find(|&kind| kind as u8 == key[time + 8])
            .unwrap(),
        value: value.to_vec(),
    }
}

fn decode(encoding: BlockEncoding, block: &[u8]) -> Vec<Row> {
    let mut input = Input(block);
    let mut rows: Vec<Row> = Vec::new();
    let (mut key, mut value): (Vec<u8>, Vec<u8>) = Default::default();
    while !input.0.is_empty() {
        let first = rows.is_empty();
        match encoding {
            BlockEncoding::None => {
                let (key_length, value_length) = (input.int(), input.int());
                key = input.take(key_length).to_vec();
                value = input.take(value_length).to_vec();
            }
            BlockEncoding::Prefix => {
                let (rest, value_length, common) = (input.vint(), input.vint(), input.vint());
                key.truncate(common);
                key.extend_from_slice(input.take(rest));
                value = input.take(value_length).to_vec();
            }
            BlockEncoding::Diff => {
                let family = if first {
                    let length = input.byte();
                    input.take(usize::from(length)).to_vec()
                } else {
                    FAMILY.into()
                };
                let flags = input.byte();
                let before = key.clone();
                let (key_length, value_length, common) =
                    lengths(&mut input, flags, 1, 2, before.len(), value.len());
                key = coordinates(&mut input, &before, common, key_length, &family);
                let bytes = usize::from(flags >> 4 & 7) + 1;
                let mut number = [0; 8];
                number[..bytes].copy_from_slice(input.take(bytes));
                let mut number = i64::from_le_bytes(number);
                if flags & 1 << 7 != 0 {
                    number = -number;
                }
                if flags & 1 << 3 != 0 {
                    let time = before.len() - 9;
                    number =
                        i64::from_be_bytes(before[time..time + 8].try_into().unwrap()) - number;
                }
                key.extend_from_slice(&number.to_be_bytes());
                let kind = if flags & 1 << 2 == 0 {
                    input.byte()
                } else {
                    before[before.len() - 1]
                };
                key.push(kind);
                value = input.take(value_length).to_vec();
            }
            BlockEncoding::FastDiff => {
                let flags = input.byte();
                let before = key.clone();
                let (key_length, value_length, common) =
                    lengths(&mut input, flags, 1 << 3, 1 << 4, before.len(), value.len());
                if first {
                    key = input.take(key_length).to_vec();
                    value = input.take(value_length).to_vec();
                } else {
                    key = coordinates(&mut input, &before, common, key_length, FAMILY.as_bytes());
                    let shared = usize::from(flags & 7);
                    let time = before.len() - 9;
                    key.extend_from_slice(&before[time..time + shared]);
                    key.extend_from_slice(input.take(8 - shared));
                    let kind = if flags & 1 << 5 == 0 {
                        input.byte()
                    } else {
                        before[before.len() - 1]
                    };
                    key.push(kind);
                    if flags & 1 << 6 == 0 {
                        value = input.take(value_length).to_vec();
                    }
                }
            }
        }
        rows.push(row_of(&key, &value));
    }
    rows
}

/// Key length, value length, shared prefix.
fn lengths(
    input: &mut Input<'_>,
    flags: u8,
    same_key: u8,
    same_value: u8,
    key: usize,
    value: usize,
) -> (usize, usize, usize) {
    let key = if flags & same_key == 0 {
        input.vint()
    } else {
        key
    };
    let value = if flags & same_value == 0 {
        input.vint()
    } else {
        value
    };
    (key, value, input.vint())
}

/// Row, family and qualifier of a cell of which `common` bytes are those of the one before.
fn coordinates(
    input: &mut Input<'_>,
    before: &[u8],
    common: usize,
    key_length: usize,
    family: &[u8],
) -> Vec<u8> {
    let mut key = before[..common].to_vec();
    if common < 2 {
        key.extend_from_slice(input.take(2 - common));
    }
    let row_end = 2 + row_length(&key);
    if key.len() < row_end || before.is_empty() || common < row_end {
        key.extend_from_slice(input.take(row_end - key.len()));
        key.push(family.len() as u8);
        key.extend_from_slice(family);
    }
    key.extend_from_slice(input.take(key_length - 9 - key.len()));
    key
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    // Few letters, so that prefixes, whole rows and whole keys repeat; a long row needs both bytes of its length.
    let row = prop_oneof![
        8 => proptest::collection::vec(b'a'..b'd', 1..6),
        1 => Just(vec![b'a'; 300]),
        1 => Just(vec![b'a'; 301]),
    ];
    let qualifier = proptest::collection::vec(b'q'..b's', 0..4);
    let timestamp = prop_oneof![
        Just(1_767_225_600_000u64),
        1_767_225_600_000u64..1_767_225_900_000,
        0u64..70_000,
    ];
    let kind = proptest::sample::select(KINDS.to_vec());
    // Values repeat now and then.
    let value = (0usize..200, 0u8..3).prop_map(|(length, byte)| vec![byte; length / 8]);
    let row = (row, qualifier, timestamp, kind, value).prop_map(
        |(row, qualifier, timestamp, kind, value)| Row {
            row,
            qualifier,
            timestamp,
            kind,
            value,
        },
    );
    proptest::collection::vec(row, 1..40).prop_map(|mut rows| {
        rows.sort();
        rows
    })
}

proptest! {
    #[test]
    fn every_block_is_read_back(rows in rows()) {
        for encoding in BlockEncoding::ALL {
            let block = encode(encoding, &rows);
            prop_assert_eq!(&decode(encoding, &block), &rows, "{:?}", encoding);
        }
    }

    #[test]
    fn no_cell_takes_more_than_its_worst_case(rows in rows()) {
        let plain = encode(BlockEncoding::None, &rows).len();
        // Three vints of at most 2 bytes instead of two lengths of 4 bytes.
        prop_assert!(encode(BlockEncoding::Prefix, &rows).len() <= plain);
        // Flags, three vints and at most 8 bytes of timestamp and a type; the first cell of DIFF has the family in front instead of inside.
        for encoding in [BlockEncoding::Diff, BlockEncoding::FastDiff] {
            prop_assert!(encode(encoding, &rows).len() <= plain);
        }
    }
}

fn row(row: &[u8], qualifier: &str, timestamp: u64, value: usize) -> Row {
    Row {
        row: row.to_vec(),
        qualifier: qualifier.into(),
        timestamp,
        kind: CellType::Put,
        // No two in a row are equal.
        value: [&[qualifier.as_bytes()[2]][..], &timestamp.to_le_bytes()]
            .concat()
            .repeat(value)[..value]
            .to_vec(),
    }
}

#[test]
fn sizes_are_those_counted_by_hand() {
    // 8-byte rows that differ in the last byte, 3-byte family, timestamps a second apart.
    let rows = [
        row(b"user0017", "via", 1_767_225_600_000, 5),
        row(b"user0018", "via", 1_767_225_601_000, 5),
        row(b"user0018", "vix", 1_767_225_601_000, 5),
    ];
    let size = |encoding, n: usize| encode(encoding, &rows[..n]).len();
    let added = |encoding, n: usize| size(encoding, n) - size(encoding, n - 1);
    let key = 2 + 8 + 1 + 3 + 3 + 8 + 1;
    assert_eq!(size(BlockEncoding::None, 3), 3 * (8 + key + 5));
    assert_eq!(size(BlockEncoding::Prefix, 1), 3 + key + 5);
    // Shared: 2 + 7. Then the whole row, family and two letters of the qualifier: 2 + 8 + 4 + 2.
    assert_eq!(added(BlockEncoding::Prefix, 2), 3 + (key - 9) + 5);
    assert_eq!(added(BlockEncoding::Prefix, 3), 3 + (key - 16) + 5);
    // DIFF: family 1 + 3, flags, three vints, row 2 + 8, qualifier 3, timestamp in 6 bytes (below 2^48), type, value.
    assert_eq!(size(BlockEncoding::Diff, 1), 4 + 1 + 3 + 10 + 3 + 6 + 1 + 5);
    // Flags, shared length, one byte of the row, the qualifier, -1000 in 2 bytes, value.
    assert_eq!(added(BlockEncoding::Diff, 2), 1 + 1 + 1 + 3 + 2 + 5);
    // One letter of the qualifier, a difference of 0 in 1 byte.
    assert_eq!(added(BlockEncoding::Diff, 3), 1 + 1 + 1 + 1 + 5);
    assert_eq!(size(BlockEncoding::FastDiff, 1), 1 + 3 + key + 5);
    // 1,767,225,600,000 is 0x019B76DAA800, a second later 0x019B76DAAB E8: the last two bytes differ.
    assert_eq!(added(BlockEncoding::FastDiff, 2), 1 + 1 + 1 + 3 + 2 + 5);
    assert_eq!(added(BlockEncoding::FastDiff, 3), 1 + 1 + 1 + 1 + 5);
}

#[test]
fn a_store_file_starts_each_block_anew() {
    let mut file = StoreFile::new(FileFormat {
        encoding: BlockEncoding::FastDiff,
        ..FileFormat::of(FAMILY)
    });
    let cells = 3 * 65_536 / 131;
    let one = |i: u64| {
        let key = format!("user{i:07}");
        row(key.as_bytes(), "via", 1_767_225_600_000 + i, 97)
    };
    let rows: Vec<Row> = (0..cells).map(one).collect();
    rows.iter().for_each(|row| file.append(&row.cell()));
    // A block is closed before the next row once its rows have so many bytes.
    let in_block = 65_536_usize.div_ceil(20 + 11 + 3 + 3 + 97 + 1);
    let blocks = rows.chunks(in_block).map(|block| {
        let bytes = 33 + 6 + encode(BlockEncoding::FastDiff, block).len() + block.len();
        bytes as f64 + 4.0 * (bytes as f64 / 16_384.0).ceil()
    });
    let expected: f64 = blocks.sum();
    let size = file.finish();
    assert_eq!(size.cells, cells);
    assert_eq!(size.data_bytes as f64, expected);
    assert!(size.blocks >= 3);
}
