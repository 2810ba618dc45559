//! The tree of compiled code: operations, their operands, and what is known of the values of each.

use super::facts::Facts;
use crate::key::formats::{Digest, DigestForm, Encoding, IntHash, Transform};
use crate::key::values::{Interval, Operator};
use crate::record::FieldText;
use std::sync::Arc;

/// An integer and the values it can take, or the bits of a double.
#[derive(Debug, Clone)]
pub struct IntCode {
    pub op: IntOp,
    pub ints: Vec<IntCode>,
    pub bytes: Vec<BytesCode>,
    pub range: Interval,
    pub facts: Facts,
}

/// How an integer comes about. Arithmetic wraps.
#[derive(Debug, Clone, Copy)]
pub enum IntOp {
    Const(i64),
    /// The record's slot.
    Slot(usize),
    /// Two operands; a divisor is never 0, a modulus is positive.
    Binary(Operator),
    /// Rounded down to a multiple of a positive step.
    Floor(i64),
    Abs,
    /// Java's `Math.abs(int)`.
    Abs32,
    /// The 63 low bits reversed.
    BitReverse63,
    BitReverse64,
    /// The bits of the double of an integer.
    ToDouble,
    /// The cell of a double within +- `limit`, which is cut into 2^bits cells.
    Cell {
        limit: f64,
        bits: u32,
    },
    /// A hash of bytes; whether they are text matters to Java's alone.
    Hash(IntHash),
    /// `|java_hash(x) % buckets|`
    Salt(i64),
    /// A draw below `values`; `skip` draws of the operation belong to others.
    Random {
        values: u64,
        skip: u32,
    },
    /// The operation's index within its write, modulo `values`.
    RoundRobin {
        values: u64,
    },
    /// Milliseconds, datacenter, worker and sequence.
    Snowflake,
}

/// Bytes; texts are their UTF-8.
#[derive(Debug, Clone)]
pub struct BytesCode {
    pub op: BytesOp,
    pub ints: Vec<IntCode>,
    pub bytes: Vec<BytesCode>,
    /// The bytes that it always writes for rows within the fields' domains. Of a field's text not even a fixed length is relied on.
    pub width: Option<usize>,
    pub facts: Facts,
}

/// How bytes come about.
#[derive(Debug, Clone)]
pub enum BytesOp {
    Literal(Box<[u8]>),
    /// A field's text, from the record's slot.
    Field(usize, Arc<FieldText>),
    Encode(Encoding),
    Map(Transform),
    /// The first `keep` bytes of a digest's form.
    Digest {
        digest: Digest,
        form: DigestForm,
        keep: usize,
    },
    Concat,
    /// An identifier made for each write; `skip` draws of the operation belong to others.
    Identifier {
        kind: Identifier,
        skip: u32,
    },
    /// The Morton code of two or three cells.
    Morton,
}

/// An identifier made for each write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identifier {
    Uuid4,
    /// It leads with milliseconds.
    Uuid7,
    /// It leads with milliseconds.
    Ulid,
    /// It leads with seconds since [`Identifier::KSUID_EPOCH`].
    Ksuid,
}

impl Identifier {
    /// KSUID's epoch in seconds.
    pub const KSUID_EPOCH: i64 = 1_400_000_000;

    /// Twitter's snowflake epoch in milliseconds.
    pub const SNOWFLAKE_EPOCH: i64 = 1_288_834_974_657;

    /// The leading bytes that are its time.
    pub fn lead(self) -> usize {
        match self {
            Self::Uuid4 => 0,
            // 48 bits of milliseconds.
            Self::Uuid7 => 6,
            // Ten characters of five bits.
            Self::Ulid => 10,
            Self::Ksuid => 4,
        }
    }
}

/// Any part of a tree.
#[derive(Debug, Clone, Copy)]
pub enum Node<'a> {
    Int(&'a IntCode),
    Bytes(&'a BytesCode),
}

impl<'a> Node<'a> {
    pub fn facts(self) -> &'a Facts {
        match self {
            Self::Int(code) => &code.facts,
            Self::Bytes(code) => &code.facts,
        }
    }

    /// Its direct operands.
    pub fn operands(self) -> impl Iterator<Item = Node<'a>> {
        let (ints, bytes) = match self {
            Self::Int(code) => (&code.ints, &code.bytes),
            Self::Bytes(code) => (&code.ints, &code.bytes),
        };
        let bytes = bytes.iter().map(Node::Bytes);
        ints.iter().map(Node::Int).chain(bytes)
    }

    /// Is there a part like that, itself included?
    pub fn any(self, wanted: &dyn Fn(Self) -> bool) -> bool {
        wanted(self) || self.operands().any(|operand| operand.any(wanted))
    }
}
