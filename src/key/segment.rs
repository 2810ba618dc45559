//! One segment of a key: what `||` joins, derived fields expanded, and all that is known of it.

use super::byte_set::ByteSet;
use super::bytes::Bytes;
use super::checker::Part;
use super::code::BytesCode;
use super::shape::Shape;
use super::typed::{Facts, Order, Spread};
use crate::record::FieldId;
use std::ops::Range;

/// A segment.
#[derive(Debug, Clone)]
pub struct Segment {
    expression: String,
    derived: Option<String>,
    span: Range<usize>,
    literal: bool,
    is_text: bool,
    pub(super) code: BytesCode,
    pub(super) shape: Shape,
    pub(super) facts: Facts,
}

impl Segment {
    /// From a part that is text or bytes.
    pub(super) fn new(part: Part) -> Option<Self> {
        let Part {
            typed,
            derived,
            span,
            text,
            literal,
        } = part;
        let Bytes {
            is_text,
            code,
            shape,
            facts,
        } = Bytes::from_typed(typed)?;
        Some(Self {
            expression: text,
            derived,
            span,
            literal,
            is_text,
            code,
            shape,
            facts,
        })
    }

    /// As written.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Name of the derived field whose text [`Segment::span`] points into; `None`: the key's own text.
    pub fn derived(&self) -> Option<&str> {
        self.derived.as_deref()
    }

    /// Its place.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Shortest and longest length in bytes.
    pub fn len_range(&self) -> (usize, usize) {
        (self.shape.min, self.shape.max)
    }

    /// A literal as written: a delimiter, unless it is empty.
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// The only bytes that it can be, if there is only one value (and it is short).
    pub fn constant(&self) -> Option<Vec<u8>> {
        self.shape.single()
    }

    /// Text, rather than bytes.
    pub fn is_text(&self) -> bool {
        self.is_text
    }

    /// Byte values that can stand at a position of the segment, counted from its own start.
    pub fn bytes_at(&self, position: usize) -> ByteSet {
        self.shape.at(position)
    }

    /// Byte values that can stand anywhere in it.
    pub fn all_bytes(&self) -> ByteSet {
        self.shape.all()
    }

    /// How its values spread.
    pub fn spread(&self) -> Spread {
        self.facts.spread
    }

    /// At most so many different values.
    pub fn cardinality(&self) -> Option<u64> {
        self.facts.cardinality
    }

    /// Fields it is made of, ascending.
    pub fn fields(&self) -> &[FieldId] {
        &self.facts.fields
    }

    /// Moves with the operations' time, up or down.
    pub fn follows_time(&self) -> bool {
        self.facts.order != Order::None
    }
}
