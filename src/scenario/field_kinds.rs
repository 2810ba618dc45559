//! `type` and its settings: what the values of a field are.

use super::diagnostic::Diagnostic;
use super::distributions::LAW;
use super::document::Value;
use super::reader::Reader;
use super::source;
use crate::record::{FieldKind, Late, TextValues, TimeUnit};
use crate::settings::{any_number, integer, json, number, table, text, time, word};
use std::path::Path;

const KINDS: [&str; 9] = [
    "int",
    "sequence",
    "digits",
    "text",
    "domain",
    "uuid",
    "bytes",
    "double",
    "timestamp",
];

crate::settings! {
    /// A field with a `type`, or one that is derived by an `expr`.
    pub(super) static FIELD("field", r#""anyOf": [{ "required": ["type"] }, { "required": ["expr"] }]"#) {
        /// int (`count`, `first`), sequence (counts up with every write), digits (zero-padded text of `width`), text (`values`, or `count` and
        /// `length`), domain, uuid, bytes (`length`), double (`min`, `max`), timestamp (`unit`, `late`).
        type = word(&KINDS),
        /// A derived field: an expression of the key language, expanded where it is named.
        expr = text(""),
        /// Number of different values.
        count = integer(1, i64::MAX),
        /// The least value.
        first = integer(-(1 << 62), 1 << 62).or("0"),
        /// Digits of a zero-padded number.
        width = integer(1, 18),
        /// Characters of a text (default 8), or bytes.
        length = integer(1, 1_024),
        /// The characters that texts are made of.
        alphabet = text(r#""minLength": 1"#).or("abcdefghijklmnopqrstuvwxyz0123456789"),
        /// The texts themselves, or a file with one a line.
        values = json(r#""anyOf": [{ "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string" } }, { "type": "string" }]"#),
        /// Of a double.
        min = any_number().or("0.0"),
        /// Of a double.
        max = any_number().or("1.0"),
        /// What a timestamp counts since 1970.
        unit = word(TimeUnit::WORDS).or("ms"),
        /// Some records come late.
        late = table(&LATE),
        /// How often each value comes: `"uniform"`, or a law. Ranks are dealt to values by chance, once a replicate.
        distribution = json("@distribution").with(&[&LAW]),
        /// One value for each combination of these fields, drawn once.
        of = json("@oneOrMoreFields"),
    }
}

crate::settings! {
    /// Some records come late.
    static LATE("", "") {
        /// Share of the records that are late.
        fraction = number("in 0 ..= 1", 0.0, 1.0, (true, true)).needs("0.02"),
        /// How late at most; any lateness up to it is equally likely.
        up_to = time().needs("\"2h\""),
    }
}

/// Reads the kind of a field; a complaint when there is none.
pub(super) fn read_kind(reader: &Reader<'_>, folder: &Path) -> Option<FieldKind> {
    if !reader.has("type") {
        reader.entry("type");
        if reader.misspelt("type") || reader.misspelt("expr") {
            return None;
        }
        let message = format!("{} has neither `type` nor `expr`", reader.name());
        let help = format!("types are {}", crate::text::either(&KINDS));
        reader.complain_of_table(
            Diagnostic::error(message)
                .label("what are its values?")
                .help(help),
        );
        return None;
    }
    let word = reader.word_node("type", &reader.entry("type")?.node, &KINDS)?;
    Some(match KINDS[word] {
        "int" => {
            let first = reader.value("first");
            FieldKind::Int {
                first,
                count: read_count(reader, 1 << 62)?,
            }
        }
        "sequence" => FieldKind::Sequence {
            first: reader.integer_or("first", 0, 1 << 62, 0),
        },
        "digits" => {
            let width: i64 = match reader.has("width") {
                true => reader.given("width")?,
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
        "text" => FieldKind::Text(read_texts(reader, folder)?),
        "domain" => FieldKind::Domain {
            count: read_count(reader, 1 << 40)?,
        },
        "uuid" => FieldKind::Uuid {
            count: reader
                .integer("count", 1, 1 << 62)
                .map(|count| count as u64),
        },
        "bytes" => {
            if !reader.has("length") {
                reader.missing("length", "16");
                return None;
            }
            let length: i64 = reader.given("length")?;
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
        "double" => {
            let (min, max): (f64, f64) = (reader.value("min"), reader.value("max"));
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
        _ => FieldKind::Timestamp {
            unit: reader.value("unit"),
            late: read_late(reader),
        },
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
    let (fraction, up_to) = (late.given("fraction"), late.given("up_to"));
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
                reader.refuse_key(
                    key,
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
    let length: i64 = reader.value_or("length", "8");
    let alphabet: String = reader.value("alphabet");
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
        reader.refuse_key("count", message, label);
        return None;
    }
    Some(TextValues::Generated {
        count,
        length: length as u16,
        alphabet,
    })
}
