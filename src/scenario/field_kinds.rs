//! `type` and its settings: what the values of a field are. Must not know how often each comes.

use super::document::Value;
use super::reader::Reader;
use super::{Diagnostic, source};
use crate::record::{FieldKind, Late, TextValues, TimeUnit};
use std::path::Path;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

#[derive(Clone, Copy)]
enum Kind {
    Int,
    Sequence,
    Digits,
    Text,
    Domain,
    Uuid,
    Bytes,
    Double,
    Timestamp,
}

const KINDS: [(&str, Kind); 9] = [
    ("int", Kind::Int),
    ("sequence", Kind::Sequence),
    ("digits", Kind::Digits),
    ("text", Kind::Text),
    ("domain", Kind::Domain),
    ("uuid", Kind::Uuid),
    ("bytes", Kind::Bytes),
    ("double", Kind::Double),
    ("timestamp", Kind::Timestamp),
];

const TIME_UNITS: [(&str, TimeUnit); 4] = [
    ("s", TimeUnit::Seconds),
    ("ms", TimeUnit::Millis),
    ("us", TimeUnit::Micros),
    ("ns", TimeUnit::Nanos),
];

/// Reads the kind of a field; a complaint when there is none.
pub(super) fn read_kind(reader: &Reader<'_>, folder: &Path) -> Option<FieldKind> {
    if !reader.has("type") {
        reader.entry("type");
        if reader.misspelt("type") || reader.misspelt("expr") {
            return None;
        }
        let message = format!("{} has neither `type` nor `expr`", reader.name());
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let help = format!("types are {}", super::nearest::either(&names));
        reader.sink.add(
            &reader.place,
            Diagnostic::error(message)
                .label("what are its values?")
                .help(help),
        );
        return None;
    }
    Some(match reader.word("type", &KINDS)? {
        Kind::Int => {
            let first = reader.integer_or("first", -(1 << 62), 1 << 62, 0);
            FieldKind::Int {
                first,
                count: read_count(reader, 1 << 62)?,
            }
        }
        Kind::Sequence => FieldKind::Sequence {
            first: reader.integer_or("first", 0, 1 << 62, 0),
        },
        Kind::Digits => {
            let width = match reader.has("width") {
                true => reader.integer("width", 1, 18)?,
                false => {
                    reader.missing("width", "8");
                    return None;
                }
            };
            let all = 10i64.pow(width as u32);
            let first = reader.integer_or("first", 0, all - 1, 0);
            let count = reader.integer_or("count", 1, all - first, all - first);
            FieldKind::Digits {
                width: width as u8,
                first: first as u64,
                count: count as u64,
            }
        }
        Kind::Text => FieldKind::Text(read_texts(reader, folder)?),
        Kind::Domain => FieldKind::Domain {
            count: read_count(reader, 1 << 40)?,
        },
        Kind::Uuid => FieldKind::Uuid {
            count: reader
                .integer("count", 1, 1 << 62)
                .map(|count| count as u64),
        },
        Kind::Bytes => {
            if !reader.has("length") {
                reader.missing("length", "16");
                return None;
            }
            let length = reader.integer("length", 1, 1_024)?;
            // `length` bytes have 256^length values.
            let most = if length >= 8 {
                1 << 62
            } else {
                1i64 << (8 * length)
            };
            FieldKind::Bytes {
                length: length as u16,
                count: reader.integer("count", 1, most).map(|count| count as u64),
            }
        }
        Kind::Double => {
            let min = reader.number_or("min", "a finite number", |_| true, "0.0");
            let max = reader.number_or("max", "a finite number", |_| true, "1.0");
            if min >= max {
                let place = reader.place_of("max");
                reader.sink.error(
                    &place,
                    format!("`max` is {max}"),
                    format!("must be greater than `min`, {min}"),
                );
                return None;
            }
            FieldKind::Double { min, max }
        }
        Kind::Timestamp => {
            let unit = reader.word_or("unit", &TIME_UNITS, "ms");
            FieldKind::Timestamp {
                unit,
                late: read_late(reader),
            }
        }
    })
}

fn read_count<'a>(reader: &Reader<'a>, most: i64) -> Option<u64> {
    if !reader.has("count") {
        reader.entry("count");
        reader.missing("count", "1_000");
        return None;
    }
    reader.integer("count", 1, most).map(|count| count as u64)
}

fn read_late(reader: &Reader<'_>) -> Option<Late> {
    if !reader.has("late") {
        reader.entry("late");
        return None;
    }
    let late = reader.table("late");
    late.table?;
    let fraction = late.number("fraction", "in 0 ..= 1", |share| {
        (0.0..=1.0).contains(&share)
    });
    let up_to = late.duration("up_to");
    if !late.has("fraction") {
        late.missing("fraction", "0.02");
    }
    if !late.has("up_to") {
        late.missing("up_to", "\"2h\"");
    }
    late.finish();
    Some(Late {
        fraction: fraction?,
        up_to: up_to?,
    })
}

fn read_texts(reader: &Reader<'_>, folder: &Path) -> Option<TextValues> {
    if reader.has("values") {
        for key in ["count", "length", "alphabet"] {
            if reader.entry(key).is_some() {
                let label = "the values are listed already";
                reader.sink.error(
                    &reader.place_of(key),
                    format!("{} has both `values` and `{key}`", reader.name()),
                    label,
                );
            }
        }
        let place = reader.place_of("values");
        let values = match &reader.entry("values")?.node.value {
            Value::Text(path) => match source::read_values(&folder.join(path)) {
                Ok(values) => values,
                Err(message) => {
                    reader
                        .sink
                        .error(&place, message, "expected a file with one value a line");
                    return None;
                }
            },
            _ => reader
                .texts("values", false)?
                .into_iter()
                .map(|(text, _)| text.to_owned())
                .collect(),
        };
        let mut sorted: Vec<&String> = values.iter().collect();
        sorted.sort();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some(pair) = twice {
            reader.sink.error(
                &place,
                format!("the value `{}` is listed twice", pair[0]),
                "values are distinct",
            );
            return None;
        }
        if values.is_empty() {
            reader.sink.error(
                &place,
                format!("{} has no values", reader.name()),
                "expected at least one",
            );
            return None;
        }
        return Some(TextValues::Listed(values.into()));
    }
    reader.entry("values");
    let count = read_count(reader, 1 << 62);
    let length = reader.integer_or("length", 1, 1_024, 8);
    let alphabet = reader.text_or("alphabet", LETTERS);
    let mut letters: Vec<u8> = alphabet.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    if !alphabet.is_ascii() || letters.len() < alphabet.len() || letters.is_empty() {
        let place = reader.place_of("alphabet");
        reader.sink.error(
            &place,
            "an alphabet is made of distinct ASCII characters",
            "not so here",
        );
        return None;
    }
    let most = libm::pow(letters.len() as f64, length as f64);
    let count = count?;
    if count as f64 > most {
        let message = format!("{count} texts of {length} characters can't differ");
        let label = format!("{} characters make {most:.0} at most", letters.len());
        reader.sink.error(&reader.place_of("count"), message, label);
        return None;
    }
    Some(TextValues::Generated {
        count,
        length: length as u16,
        alphabet,
    })
}
