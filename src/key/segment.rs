//! One segment of a key: what `||` joins, derived fields expanded, and all that is known of it.

use super::check::{Bytes, Written};
use super::code::{Order, Randomness};
use super::values::{ByteSet, ByteShape};
use crate::record::FieldId;
use std::ops::Range;

/// A segment.
#[derive(Debug, Clone)]
pub struct Segment {
    pub(super) written: Written,
    pub(super) bytes: Bytes,
}

impl Segment {
    /// What segments can be one after another.
    pub(super) fn joined_shape(segments: &[Self]) -> ByteShape {
        let shapes = segments.iter().map(|segment| &segment.bytes.shape);
        shapes.fold(ByteShape::literal(b""), |before, shape| before.then(shape))
    }

    /// Its expression as written.
    pub fn expression(&self) -> &str {
        &self.written.expression
    }

    /// Name of the derived field whose text [`Segment::span`] points into; `None`: the key's own text.
    pub fn derived(&self) -> Option<&str> {
        self.written.derived.as_deref()
    }

    /// Its place.
    pub fn span(&self) -> Range<usize> {
        self.written.span.clone()
    }

    /// Shortest and longest length in bytes.
    pub fn len_range(&self) -> (usize, usize) {
        (self.bytes.shape.min, self.bytes.shape.max)
    }

    /// A literal as written: a delimiter, unless it is empty.
    pub fn is_literal(&self) -> bool {
        self.written.literal
    }

    /// The only bytes that it can be, if there is only one value (and it is short).
    pub fn constant(&self) -> Option<Vec<u8>> {
        self.bytes.shape.single()
    }

    /// Text, rather than bytes.
    pub fn is_text(&self) -> bool {
        self.bytes.is_text
    }

    /// Byte values that can stand at a position of the segment, counted from its own start.
    pub fn bytes_at(&self, position: usize) -> ByteSet {
        self.bytes.shape.at(position)
    }

    /// Byte values that can stand anywhere in it.
    pub fn all_bytes(&self) -> ByteSet {
        self.bytes.shape.all()
    }

    /// How its values spread.
    pub fn randomness(&self) -> Randomness {
        self.bytes.code.facts.randomness
    }

    /// At most so many different values.
    pub fn cardinality(&self) -> Option<u64> {
        self.bytes.code.facts.cardinality
    }

    /// Fields it is made of, ascending.
    pub fn fields(&self) -> &[FieldId] {
        &self.bytes.code.facts.fields
    }

    /// Moves with the operations' time, up or down.
    pub fn follows_time(&self) -> bool {
        self.bytes.code.facts.order != Order::None
    }
}
