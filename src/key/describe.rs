//! A written key in words.

use super::code::Randomness;
use super::digit::told_fields;
use super::plan::KeyPlan;
use super::run::{Row, Rows};
use super::segment::Segment;
use crate::keyspace::RowKey;
use crate::record::{FieldId, FieldKind, Schema};
use serde::Serialize;
use std::ops::Range;

/// One segment of a written key, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SegmentText {
    /// The segment's expression as written.
    pub expression: String,
    /// Its place in the key.
    pub bytes: Range<usize>,
    /// What it says: the fields it is made of with their values (`ts 2026-01-01T00:00:12Z`, `sensor 7`), or the bucket number.
    pub meaning: String,
}

impl KeyPlan {
    /// The key of `row`, cut into named segments.
    pub fn describe(&self, row: &Row<'_>) -> (RowKey, Vec<SegmentText>) {
        let mut key = Vec::new();
        let mut texts = Vec::new();
        for segment in self.segments() {
            let start = key.len();
            segment.code.write(&Rows::one(row), &mut key);
            texts.push(SegmentText {
                expression: segment.expression.clone(),
                bytes: start..key.len(),
                meaning: meaning(segment, &key[start..], row, self.schema()),
            });
        }
        (RowKey(key), texts)
    }
}

fn meaning(segment: &Segment, bytes: &[u8], row: &Row<'_>, schema: &Schema) -> String {
    let of_nothing = segment.fields().is_empty() && segment.randomness() != Randomness::Random;
    if of_nothing || segment.constant().is_some() {
        return "constant".to_owned();
    }
    let values = segment.fields().iter();
    let values = values.map(|&field| value(field, row, schema));
    let values = values.collect::<Vec<_>>().join(", ");
    let drawn = match segment.randomness() {
        Randomness::Plain if segment.fields().iter().all(|field| shows(segment, *field)) => {
            return values;
        }
        Randomness::Plain => format!("{}, of {values}", segment.expression),
        Randomness::Hashed => format!("hash of {values}"),
        Randomness::Random if values.is_empty() => "random".to_owned(),
        Randomness::Random => format!("{values}, then random"),
    };
    bucket(segment, bytes).unwrap_or(drawn)
}

/// Does the segment show the field's value, or follow it? A remainder does not.
fn shows(segment: &Segment, field: FieldId) -> bool {
    let facts = &segment.code.facts;
    facts.trend(field).is_some() || told_fields(facts.told.iter().copied()).contains(&field)
}

/// `bucket 3 of 16`: the number as written, in bytes or decimal digits, or the characters themselves, of few values that look like
/// the numbers or short words of buckets. The digest of few entities is a hash, not the number of a bucket.
fn bucket(segment: &Segment, bytes: &[u8]) -> Option<String> {
    const LONGEST_WORD: usize = 7;
    let count = segment.cardinality().filter(|count| *count <= 65_536)?;
    if segment.is_text() {
        let word = (bytes.len() <= LONGEST_WORD).then(|| bytes.escape_ascii())?;
        return Some(format!("bucket '{word}' of {count}"));
    }
    let length = Some(bytes.len()).filter(|length| *length <= 8)?;
    let number = |byte_at: &dyn Fn(usize) -> u8| {
        (0..length).fold(0u64, |number, at| number << 8 | u64::from(byte_at(at)))
    };
    // Numbers may start at 1. Bytes of a digest reach further than numbers of as many bytes as the count has.
    let greatest = number(&|at| segment.bytes_at(at).iter().last().unwrap_or(0));
    let low_bytes = u64::MAX >> 8 >> (count.leading_zeros() / 8 * 8);
    let number = number(&|at| bytes[at]);
    (number <= count && greatest <= count | low_bytes)
        .then(|| format!("bucket {number} of {count}"))
}

/// Bytes as an expression writes them.
pub(super) fn bytes_literal(bytes: &[u8]) -> String {
    format!("x'{}'", crate::text::hex(bytes))
}

/// `sensor 7`, `ts 2026-01-01T00:00:12Z`, `site eu`.
fn value(id: FieldId, row: &Row<'_>, schema: &Schema) -> String {
    let (slot, field) = (row.record[usize::from(id.0)], schema.field(id));
    let mut bytes = Vec::new();
    schema.write_text(id, slot, &mut bytes);
    let text = match field.kind {
        _ if field.time_unit().is_some() => schema.display(id, slot),
        FieldKind::Uuid { .. } | FieldKind::ListedUuid(_) | FieldKind::Bytes { .. } => {
            bytes_literal(&bytes)
        }
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    };
    format!("{} {text}", field.name)
}

#[cfg(test)]
#[path = "describe_tests.rs"]
mod tests;
