//! `type` and its settings: what the values of a field are.

use super::diagnostic::Diagnostic;
use super::distributions::LAW;
use super::document::Value;
use super::reader::Reader;
use super::source;
use crate::record::{FieldKind, Late, TextValues, TimeUnit};
use crate::settings::{any_number, integer, json, number, table, text, time, word};

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
    pub(super) static FIELD("field", r#""anyOf": [{ "required": ["type"] }, { "required": ["expr"] }]"#)
        with STORED with DERIVED {}
}

crate::settings! {
    /// A field that is derived from others.
    pub(super) static DERIVED("", "") {
        /// A derived field: an expression of the key language, expanded where it is named.
        expr = text(""),
    }
}

crate::settings! {
    /// A field that is stored.
    pub(super) static STORED("", "") {
        /// int (`count`, `first`), sequence (counts up with every write), digits (zero-padded text of `width`), text (`values`, or `count` and
        /// `length`), domain, uuid, bytes (`length`), double (`min`, `max`), timestamp (`unit`, `late`).
        type = word(&KINDS),
        /// Number of different values.
        count = integer(1, i64::MAX).needs("1_000").of("type", &["int", "digits", "text", "domain", "uuid", "bytes"]),
        /// The least value.
        first = integer(-(1 << 62), 1 << 62).or("0").of("type", &["int", "sequence", "digits"]),
        /// Digits of a zero-padded number.
        width = integer(1, 18).needs("8").of("type", &["digits"]),
        /// Characters of a text (default 8), or bytes.
        length = integer(1, 1_024).needs("16").of("type", &["text", "bytes"]),
        /// The characters that texts are made of.
        alphabet = text(r#""minLength": 1"#).or("abcdefghijklmnopqrstuvwxyz0123456789").of("type", &["text"]),
        /// The texts themselves, or a file with one a line.
        values = json(r#""anyOf": [{ "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string" } }, { "type": "string" }]"#)
            .of("type", &["text"]),
        /// Of a double.
        min = any_number().or("0.0").of("type", &["double"]),
        /// Of a double.
        max = any_number().or("1.0").of("type", &["double"]),
        /// What a timestamp counts since 1970.
        unit = word(TimeUnit::WORDS).or("ms").of("type", &["timestamp"]),
        /// Some records come late.
        late = table(&LATE).of("type", &["timestamp"]),
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

/// Values are numbered with 62 bits.
const MOST: i64 = 1 << 62;

/// Reads the kind of a field; a complaint when there is none.
pub(super) fn read_kind(reader: &Reader<'_>) -> Option<FieldKind> {
    let Some(entry) = reader.entry("type") else {
        if !reader.misspelt("type") && !reader.misspelt("expr") {
            let message = format!("{} has neither `type` nor `expr`", reader.name());
            let help = format!("types are {}", crate::text::either(&KINDS));
            let diagnostic = Diagnostic::error(message).label("what are its values?");
            reader.complain_of_table(diagnostic.help(help));
        }
        return None;
    };
    Some(
        match KINDS[reader.word_node("type", &entry.node, &KINDS)?] {
            "int" => FieldKind::Int {
                first: reader.value("first"),
                count: read_count(reader, MOST)?,
            },
            "sequence" => FieldKind::Sequence {
                first: reader.integer_or("first", 0, MOST, 0),
            },
            "digits" => {
                let width: u16 = reader.given("width")?;
                let all = 10i64.pow(width.into());
                let first = reader.integer_or("first", 0, all - 1, 0);
                let count = reader.integer_or("count", 1, all - first, all - first);
                FieldKind::Digits {
                    width: width as u8,
                    first: first as u64,
                    count: count as u64,
                }
            }
            "text" => FieldKind::Text(read_texts(reader)?),
            "domain" => FieldKind::Domain {
                count: read_count(reader, 1 << 40)?,
            },
            "uuid" => FieldKind::Uuid {
                count: reader.integer("count", 1, MOST).map(|count| count as u64),
            },
            "bytes" => {
                let length: u16 = reader.given("length")?;
                // `length` bytes have 256^length values.
                let most = if length >= 8 { MOST } else { 1 << (8 * length) };
                let count = reader.integer("count", 1, most).map(|count| count as u64);
                FieldKind::Bytes { length, count }
            }
            "double" => {
                let (min, max): (f64, f64) = (reader.value("min"), reader.value("max"));
                if min >= max {
                    let label = format!("must be greater than `min`, {min}");
                    reader.refuse_key("max", format!("`max` is {max}"), label);
                    return None;
                }
                FieldKind::Double { min, max }
            }
            _ => FieldKind::Timestamp {
                unit: reader.value("unit"),
                late: reader.inside("late", |late| {
                    let (fraction, up_to) = (late.given("fraction"), late.given("up_to"));
                    Some(Late {
                        fraction: fraction?,
                        up_to: up_to?,
                    })
                }),
            },
        },
    )
}

fn read_count(reader: &Reader<'_>, most: i64) -> Option<u64> {
    reader.require("count");
    reader.integer("count", 1, most).map(|count| count as u64)
}

fn read_texts(reader: &Reader<'_>) -> Option<TextValues> {
    if reader.has("values") {
        return read_values(reader).map(|values| TextValues::Listed(values.into()));
    }
    let count = read_count(reader, MOST);
    let length: u16 = reader.value_or("length", "8");
    let alphabet: String = reader.value("alphabet");
    let mut letters: Vec<u8> = alphabet.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    if !alphabet.is_ascii() || letters.len() < alphabet.len() || letters.is_empty() {
        let message = "an alphabet is made of distinct ASCII characters";
        reader.refuse_key("alphabet", message, "not so here");
        return None;
    }
    let most = libm::pow(letters.len() as f64, length.into());
    let count = count?;
    if count as f64 > most {
        let message = format!("{count} texts of {length} characters can't differ");
        let label = format!("{} characters make {most:.0} at most", letters.len());
        reader.refuse_key("count", message, label);
        return None;
    }
    Some(TextValues::Generated {
        count,
        length,
        alphabet,
    })
}

/// Texts that are listed, here or in a file.
fn read_values(reader: &Reader<'_>) -> Option<Vec<String>> {
    for key in ["count", "length", "alphabet"] {
        if reader.has(key) {
            let message = format!("{} has both `values` and `{key}`", reader.name());
            reader.refuse_key(key, message, "the values are listed already");
        }
    }
    let refuse = |message: String, label| {
        reader.refuse_key("values", message, label);
        None
    };
    let values = match &reader.node("values")?.value {
        Value::Text(path) => match source::read_values(&reader.sink.origin.folder.join(path)) {
            Ok(values) => values,
            Err(message) => return refuse(message, "expected a file with one value a line"),
        },
        _ => {
            let texts = reader.texts("values", false)?.into_iter();
            texts.map(|(text, _)| text.to_owned()).collect()
        }
    };
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("the value `{}` is listed twice", pair[0]);
        return refuse(message, "values are distinct");
    }
    if values.is_empty() {
        let message = format!("{} has no values", reader.name());
        return refuse(message, "expected at least one");
    }
    Some(values)
}
