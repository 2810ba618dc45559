//! One segment of a key: what `||` joins, derived fields expanded, and all that is known of it and its neighbours.

use super::code::{Code, Drawn, Order, Randomness};
use super::digit::{Digit, told_fields};
use super::field_steps::no_draws;
use super::lang::{KeyError, KeyNote};
use super::run::{Row, Rows};
use crate::record::{ByteSet, ByteShape, FieldId};
use std::ops::Range;

/// A segment.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Its expression as written.
    pub expression: String,
    /// Name of the derived field whose text [`Segment::span`] points into; `None`: the key's own text.
    pub derived: Option<String>,
    /// Its place.
    pub span: Range<usize>,
    pub(super) is_literal: bool,
    /// Its values are of several lengths, and none begins with another one.
    pub(super) is_prefix_free: bool,
    /// What is left of a segment behind its beginning, which is the segment before it ([`super::KeyPlan::cut_where_known`]).
    pub is_rest: bool,
    pub(super) code: Code,
}

impl Segment {
    /// What segments can be one after another.
    pub(super) fn joined_shape(segments: &[Self]) -> ByteShape {
        ByteShape::joined(segments.iter().map(|segment| &segment.code.shape))
    }

    /// Shortest and longest length in bytes.
    pub fn len_range(&self) -> (usize, usize) {
        (self.code.shape.min, self.code.shape.max)
    }

    /// A literal that may show where the segment before it ends.
    fn is_delimiter(&self) -> bool {
        self.is_literal && self.code.shape.min > 0
    }

    /// The only bytes that it can be, if there is only one value (and it is short).
    pub fn constant(&self) -> Option<Vec<u8>> {
        self.code.shape.single()
    }

    /// Text, rather than bytes.
    pub fn is_text(&self) -> bool {
        self.code.is_text()
    }

    /// Byte values that can stand at a position of the segment, counted from its own start.
    pub fn bytes_at(&self, position: usize) -> ByteSet {
        self.code.shape.at(position)
    }

    /// Byte values that can stand anywhere in it.
    pub fn all_bytes(&self) -> ByteSet {
        self.code.shape.all()
    }

    /// How its values spread.
    pub fn randomness(&self) -> Randomness {
        self.code.facts.randomness
    }

    /// At most so many different values.
    pub fn cardinality(&self) -> Option<u64> {
        self.code.facts.cardinality
    }

    /// Among how many values its values lie: of a hash all that it can have, however few are hashed.
    pub fn space(&self) -> f64 {
        let space = self.code.facts.space();
        space.map_or(f64::INFINITY, |count| count.max(1) as f64)
    }

    /// How many values are drawn for it.
    pub fn draws(&self) -> f64 {
        match self.code.facts.drawn {
            Drawn::Nothing => 1.0,
            Drawn::Once(values) => values as f64,
            Drawn::More => f64::INFINITY,
        }
    }

    /// Fields it is made of, ascending.
    pub fn fields(&self) -> &[FieldId] {
        &self.code.facts.fields
    }

    /// The digit that it is made of, where that is all.
    pub fn digit(&self) -> Option<Digit> {
        let facts = &self.code.facts;
        let told = facts.told.first().filter(|_| facts.told.len() == 1);
        told.copied().filter(|_| facts.are_told)
    }

    /// The digits of several fields that it is made of, and of nothing else; none of a segment of one field.
    pub fn digits(&self) -> &[Digit] {
        let facts = &self.code.facts;
        match facts.are_told && facts.fields.len() > 1 {
            true => &facts.told,
            false => &[],
        }
    }

    /// Appends its bytes of a record, as if nothing were drawn for it.
    pub fn write(&self, record: &[i64], out: &mut Vec<u8>) {
        let row = Row::new(record, 0, no_draws());
        self.code.write(&Rows::one(&row), out);
    }

    /// Fields of which a hash in it is made, all of each: different values of them may have the same hash. Ascending.
    pub fn hashed_fields(&self) -> Vec<FieldId> {
        let mut digits = Vec::new();
        self.code.push_hashed(&mut digits);
        told_fields(digits.into_iter())
    }

    /// Falls as the operations' time rises.
    pub fn is_newest_first(&self) -> bool {
        self.code.facts.order == Order::Falling
    }

    /// Moves with the operations' time, up or down.
    pub fn follows_time(&self) -> bool {
        self.code.facts.order != Order::None
    }
}

/// Is the end of the segment known: fixed width, no value that begins with another, the last one, or followed by a literal that cannot occur in it?
pub(super) fn is_delimited(segments: &[Segment], index: usize) -> bool {
    let segment = &segments[index];
    let (min, max) = segment.len_range();
    min == max
        || segment.is_prefix_free
        || segments
            .get(index + 1)
            .is_none_or(|next| next.is_delimiter() && !segment.all_bytes().meets(next.bytes_at(0)))
}

/// Variable width followed by something else without a delimiter.
pub(super) fn lints(segments: &[Segment]) -> Vec<KeyNote> {
    let open = (0..segments.len()).filter(|index| !is_delimited(segments, *index));
    let note = |index: usize| {
        let (segment, behind) = (&segments[index], &segments[index + 1..]);
        let (min, max) = segment.len_range();
        let (expression, next) = (&segment.expression, &behind[0].expression);
        let (message, help) = if behind[0].is_delimiter() {
            // A number or a hash cannot contain a letter; a text can contain anything its values do.
            (
                format!("`{expression}` may contain the delimiter {next} that follows it"),
                "two records may get one key; use a delimiter that no value contains, such as x'00'".to_owned(),
            )
        } else {
            let rest = behind.iter().map(Segment::all_bytes);
            let rest = rest.fold(ByteSet::NONE, ByteSet::union);
            // What is behind ends where the key does: of a fixed width it tells where this ends.
            let is_fixed = |it: &Segment| it.len_range().0 == it.len_range().1;
            let may_clash = !behind.iter().all(is_fixed) && segment.all_bytes().meets(rest);
            let danger = match may_clash {
                true => "different records can get one key ('10' || '120' is '101' || '20')",
                false => "a prefix scan reads longer values as well",
            };
            let zero = match segment.is_text() {
                true => "x'00'",
                false => "a fixed width",
            };
            (
                format!("nothing separates `{expression}` from `{next}`: {danger}"),
                format!(
                    "put a delimiter between them ({zero}, '#'), or give it a fixed width: `lpad(x, {max})`"
                ),
            )
        };
        let label = format!("{min} to {max} bytes wide");
        let text = KeyError::new(&segment.span, message, label, help);
        let derived = segment.derived.clone();
        KeyNote {
            is_warning: true,
            text: KeyError { derived, ..text },
        }
    };
    open.map(note).collect()
}
