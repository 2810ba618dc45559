//! Keys parsed back: which bytes belong to which segment of an expression whose segments have fixed widths. Must not know where keys come from.

use super::describe::SegmentText;
use super::evaluate::evaluate;
use super::lang::KeyError;
use crate::keyspace::RowKey;
use crate::random::Seed;
use crate::record::{FieldValue, TimeUnit};
use std::collections::BTreeSet;
use std::ops::Range;

/// A segment of an expression and the bytes of every key that it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedSegment {
    /// What it writes: `metric` of `be3(metric)`; the whole segment where that is no number by itself.
    pub name: String,
    bytes: Range<usize>,
    is_number: bool,
}

/// The segments of an expression, whose fields are numbers or times in seconds.
///
/// # Errors
/// What is wrong with the expression, or which segment has no fixed width.
pub fn fixed_segments(text: &str) -> Result<Vec<FixedSegment>, String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    // Fields that are called as functions are, and those that a literal names, change nothing.
    let names: BTreeSet<&str> = text.split(|letter| !is_word(letter)).collect();
    let fields = names
        .iter()
        .map(|name| ((*name).to_owned(), FieldValue::Int(0)));
    let mut fields: Vec<(String, FieldValue)> = fields.collect();
    let faults = |fields: &[(String, FieldValue)]| {
        let errors = evaluate(text, fields, Seed(0)).err();
        errors.map_or(0, |errors| errors.len())
    };
    for at in 0..fields.len() {
        let as_number = faults(&fields);
        fields[at].1 = FieldValue::Time(0, TimeUnit::Seconds);
        if faults(&fields) >= as_number {
            fields[at].1 = FieldValue::Int(0);
        }
    }
    let segments = |values: i64| {
        let with = |(name, value): &(String, FieldValue)| match value {
            FieldValue::Int(_) => (name.clone(), FieldValue::Int(values)),
            _ => (name.clone(), value.clone()),
        };
        let fields: Vec<_> = fields.iter().map(with).collect();
        let told = |errors: Vec<KeyError>| errors[0].message.clone();
        evaluate(text, &fields, Seed(0))
            .map(|it| it.segments)
            .map_err(told)
    };
    let fixed = |(short, long): (SegmentText, SegmentText)| {
        if short.bytes != long.bytes {
            return Err(format!("`{}` has no fixed width", short.expression));
        }
        let inner = short.expression.strip_prefix("be");
        let inner = inner.and_then(|it| it.split_once('('));
        let inner = inner.and_then(|(_, inner)| inner.strip_suffix(')'));
        Ok(FixedSegment {
            is_number: inner.is_some(),
            name: inner.map_or(short.expression.clone(), str::to_owned),
            bytes: short.bytes,
        })
    };
    // Texts of these numbers have different lengths.
    let both = segments(0)?.into_iter().zip(segments(100)?);
    both.map(fixed).collect()
}

impl FixedSegment {
    /// What a key says here, of numbers that look like a time of this century that time; `None` when it ends before.
    pub fn value(&self, key: &RowKey) -> Option<String> {
        let bytes = key.as_bytes().get(self.bytes.clone())?;
        if !self.is_number || bytes.len() > 8 {
            return Some(RowKey::from(bytes).to_string());
        }
        let number = bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        // Seconds or milliseconds since 1970, of the years from 2001 to 2099.
        let seconds = match bytes.len() {
            8 => number / 1_000,
            _ => number,
        };
        let is_time =
            bytes.len().is_multiple_of(4) && (1_000_000_000..4_100_000_000).contains(&seconds);
        let time = jiff::Timestamp::from_second(seconds as i64).ok();
        Some(
            time.filter(|_| is_time)
                .map_or(number.to_string(), |it| it.to_string()),
        )
    }

    /// Whether all keys from `start` on and before `end` say the same here and in all segments before.
    pub fn is_shared(&self, start: &RowKey, end: &RowKey) -> bool {
        let mut after = RowKey::default();
        if let Some(prefix) = start.as_bytes().get(..self.bytes.end) {
            RowKey::write_after_prefix(prefix, &mut after.0);
        }
        !after.0.is_empty() && !end.0.is_empty() && *end <= after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_parsed_back_into_the_fields_of_fixed_widths() {
        let segments = fixed_segments(
            "salt(16, metric) || be3(metric) || be4(trunc(ts, '1h')) || x'00' || be3(tag_k)",
        )
        .unwrap();
        let names: Vec<&str> = segments.iter().map(|it| &it.name[..]).collect();
        assert_eq!(
            names,
            [
                "salt(16, metric)",
                "metric",
                "trunc(ts, '1h')",
                "x'00'",
                "tag_k"
            ]
        );
        // Shorter than a whole key: a split point.
        let key = RowKey(vec![7, 0, 0, 222, 0x69, 0xA6, 0x95, 0, 0, 0]);
        let values: Vec<Option<String>> = segments.iter().map(|it| it.value(&key)).collect();
        let told = [r"\x07", "222", "2026-03-03T08:00:00Z", r"\x00"].map(|it| Some(it.to_owned()));
        assert_eq!((&values[..4], &values[4]), (&told[..], &None));
        // 0x69A69500 is 1,772,524,800: 2026-03-03T08:00:00Z.
        assert_eq!(
            fixed_segments("text(id) || be1(n)").unwrap_err(),
            "`text(id)` has no fixed width"
        );
        assert!(fixed_segments("be3(metric) || ").is_err());
    }

    #[test]
    fn what_all_keys_of_a_region_say_is_shared() {
        let segments = fixed_segments("be1(a) || be1(b)").unwrap();
        let shared = |start: &[u8], end: &[u8]| {
            let [start, end] = [start, end].map(RowKey::from);
            segments
                .iter()
                .map(|it| it.is_shared(&start, &end))
                .collect::<Vec<bool>>()
        };
        assert_eq!(shared(&[3], &[4]), [true, false]);
        assert_eq!(shared(&[3], &[4, 0]), [false, false]);
        assert_eq!(shared(&[3, 1], &[3, 2]), [true, true]);
        assert_eq!(shared(&[3, 1], &[4]), [true, false]);
        assert_eq!(shared(&[0xFF], &[]), [false, false]);
    }
}
