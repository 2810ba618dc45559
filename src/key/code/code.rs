//! Compiled sub-expressions: checked, with names resolved and ranges proved. Must not hold anything that could fail.

use super::calendar::Pattern;
use super::interval::Interval;
use crate::record::{FieldText, TimeUnit};
use std::sync::Arc;

/// An integer and the values it can take.
#[derive(Debug, Clone)]
pub(super) struct IntCode {
    pub op: IntOp,
    pub range: Interval,
}

/// How an integer comes about. Arithmetic wraps.
#[derive(Debug, Clone)]
pub(super) enum IntOp {
    Const(i64),
    /// The record's slot.
    Slot(usize),
    Add(Box<IntCode>, Box<IntCode>),
    Subtract(Box<IntCode>, Box<IntCode>),
    Multiply(Box<IntCode>, Box<IntCode>),
    /// The divisor is never 0.
    Divide(Box<IntCode>, Box<IntCode>),
    /// The divisor is never 0.
    Remainder(Box<IntCode>, Box<IntCode>),
    /// The modulus is positive.
    Pmod(Box<IntCode>, Box<IntCode>),
    /// Rounded down to a multiple of a positive step.
    Floor(Box<IntCode>, i64),
    Abs(Box<IntCode>),
    /// Java's `Math.abs(int)`.
    Abs32(Box<IntCode>),
    /// The 63 low bits reversed.
    BitReverse63(Box<IntCode>),
    BitReverse64(Box<IntCode>),
    /// A hash of the operand's bytes; their type matters to `java_hash`.
    Hash(IntHash, Box<BytesCode>),
    /// `|java_hash(x) % buckets|`
    Salt {
        buckets: i64,
        of: Box<BytesCode>,
    },
    /// A draw below `values`; `skip` draws of the operation belong to others.
    Random {
        values: u64,
        skip: u32,
    },
    /// The operation's index within its write, modulo `values`.
    RoundRobin {
        values: u64,
    },
    Snowflake {
        millis: Box<IntCode>,
        datacenter: Box<IntCode>,
        worker: Box<IntCode>,
        sequence: Box<IntCode>,
    },
}

/// A hash with an integer as its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntHash {
    Murmur3 {
        seed: u32,
    },
    Murmur3Wide,
    Crc32,
    Fnv1,
    Fnv1a,
    Fnv1aWide,
    /// `String.hashCode`
    JavaText,
    /// `Arrays.hashCode(byte[])`
    JavaBytes,
}

/// A double.
#[derive(Debug, Clone)]
pub(super) enum DoubleCode {
    /// The record's slot.
    Slot(usize),
    Int(Box<IntCode>),
}

/// Bytes, appended to the buffer; texts are their UTF-8.
#[derive(Debug, Clone)]
pub(super) enum BytesCode {
    Literal(Box<[u8]>),
    /// A field's text, from the record's slot.
    Field(usize, Arc<FieldText>),
    Int(IntEncoding, Box<IntCode>),
    Double(DoubleEncoding, Box<DoubleCode>),
    Map(Transform, Box<BytesCode>),
    /// MD5 of the operand, cut to `keep` bytes; `site` numbers the MD5s of a plan, inner ones first.
    Md5 {
        site: usize,
        form: DigestForm,
        keep: usize,
        of: Box<BytesCode>,
    },
    Concat(Vec<BytesCode>),
    Uuid4 {
        skip: u32,
    },
    Uuid7 {
        millis: Box<IntCode>,
        skip: u32,
    },
    Ulid {
        millis: Box<IntCode>,
        skip: u32,
    },
    Ksuid {
        seconds: Box<IntCode>,
        skip: u32,
    },
    /// Morton code of two or three coordinates.
    Morton(Vec<Coordinate>),
}

/// A coordinate of a Morton code: an integer, or degrees within +- `limit` cut into 2^bits cells.
#[derive(Debug, Clone)]
pub(super) enum Coordinate {
    Cell(IntCode),
    Degrees {
        value: DoubleCode,
        limit: f64,
        bits: u32,
    },
}

/// Raw or as hexadecimal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DigestForm {
    Raw,
    Hex,
}

/// Bytes of an integer, which fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum IntEncoding {
    /// The low bytes, big-endian.
    BigEndian(u8),
    /// The same, sign bit flipped.
    Ordered(u8),
    /// HBase's `OrderedBytes` with its header byte.
    HBaseOrdered,
    /// Decimal text.
    Decimal,
    /// Decimal text, padded on the left.
    Padded { width: usize, pad: u8 },
    /// One of these texts, by index.
    Nth(Vec<Box<[u8]>>),
    /// A timestamp's date and time in UTC.
    Calendar(Pattern, TimeUnit),
}

/// Bytes of a double.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DoubleEncoding {
    Float,
    Double,
    OrderedFloat,
    OrderedDouble,
}

/// What is made of bytes in place. Characters are UTF-8 sequences for texts, single bytes otherwise.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Transform {
    LeftBytes(usize),
    LeftChars(usize),
    RightBytes(usize),
    RightChars(usize),
    /// From a position (from 1; negative: from the end), at most so many.
    SubstrBytes(i64, usize),
    SubstrChars(i64, usize),
    /// ASCII letters only.
    Upper,
    Lower,
    ReverseBytes,
    ReverseChars,
    ReverseDomain,
    /// Every byte ^ 0xFF.
    Invert,
    Hex,
    PadLeft {
        width: usize,
        pad: u8,
    },
    PadRight {
        width: usize,
        pad: u8,
    },
    Sha1(DigestForm),
    Sha256(DigestForm),
    Sha512(DigestForm),
}
