//! `[field]` and `[parameter]`: what a record is made of, and how often each value comes.

use super::file_fields::{DataFile, FILE_SETTINGS, FromFile, read_files};
use super::prelude::*;
use super::source;
use crate::key::{Environment, expanded_sizes};
use crate::record::{
    DerivedId, Distribution, DistributionShape, Field, FieldId, FieldKind, FieldValue,
    FieldValueError, KnownField, Late, Schema, TextValues, TimeUnit,
};
use crate::settings::{Kind, any_number, boolean, integer, json, number, table, text, time, word};
use crate::text::{counted, grouped, nearest, verb};
use crate::time::EpochNanos;
use std::collections::BTreeMap;

/// What a derived field must be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// A time, coarser or not: made of one timestamp, in its order.
    Time,
    /// Made of one timestamp or sequence, in its order.
    FollowsTime,
    /// In any order, but with nothing in it that is drawn: readers know its value.
    Known,
}

/// The fields and parameters of a scenario.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    /// Times and sequences are not yet known.
    pub(super) schema: Schema,
    /// Name and expression of each derived field, in file order.
    pub(super) derived: Vec<(String, String)>,
    /// The nodes of their expressions.
    pub(super) derived_nodes: Vec<Node>,
    /// `[parameter]`.
    pub(super) parameters: BTreeMap<String, i64>,
    /// Names whose field or parameter could not be read, and has been complained about: what refers to them is right as far as
    /// anybody can tell.
    pub(super) unreadable: Vec<String>,
    /// Places of the file where a derived field must have an order, which only its compiled expression can tell.
    pub(super) uses: Vec<(DerivedId, SourcePlace, Order)>,
    /// `[data.x]`, in file order.
    pub(super) files: Vec<DataFile>,
}

impl Fields {
    /// What expressions over records of `schema` may name.
    pub(super) fn environment<'a>(&'a self, schema: &'a Schema) -> Environment<'a> {
        Environment {
            schema,
            derived: &self.derived,
            parameters: &self.parameters,
        }
    }

    /// The place of a derived field among them.
    pub(super) fn derived_at(&self, name: &str) -> Option<usize> {
        self.derived.iter().position(|(derived, _)| derived == name)
    }
}

/// Most fields of a record, stored and derived (estimate: ten times what a wide table's key and reads are made of).
pub const MOST_FIELDS: usize = 1_000;

/// Parts of a derived field, and of all together, those inside others expanded: what is read at once (estimate: far more than anybody writes).
const MOST_PARTS: u64 = 10_000;
const MOST_PARTS_OF_ALL: u64 = 100_000;

/// Reads `[parameter]` and `[field]`.
pub(super) fn read_fields(scenario: &Reader<'_>) -> Fields {
    let mut unreadable = Vec::new();
    let parameters = read_parameters(&scenario.table("parameter"), &mut unreadable);
    let fields = scenario.table("field");
    let entries = fields.entries();
    if entries.is_empty() && !scenario.misspelt("field") {
        let diagnostic = Diagnostic::error("the scenario has no `[field]`")
            .label("a record needs at least one field")
            .help("add `[field]` with, for example, `ts = { type = \"timestamp\" }`");
        fields.complain_of_table(diagnostic);
    }
    let mut found = Fields {
        schema: Schema {
            fields: Vec::new(),
            time_range: (EpochNanos(0), EpochNanos(0)),
            sequence_span: 0,
        },
        derived: Vec::new(),
        derived_nodes: Vec::new(),
        parameters,
        unreadable,
        uses: Vec::new(),
        files: Vec::new(),
    };
    let mut from_files = Vec::new();
    let mut parents = Vec::new();
    let label = format!("at most {}", grouped(MOST_FIELDS as i128));
    let read = fields.at_most(entries, MOST_FIELDS, "fields", label);
    let others = entries[read.len()..].iter();
    found
        .unreadable
        .extend(others.map(|entry| entry.key.clone()));
    for entry in read {
        check_identifier(fields.sink, "field", entry);
        if found.parameters.contains_key(&entry.key) {
            let message = format!("`{}` is a parameter, too", entry.key);
            fields.refuse_key(&entry.key, message, "expressions could mean either");
        }
        if !read_field(&fields, entry, &mut found, &mut parents, &mut from_files) {
            found.unreadable.push(entry.key.clone());
        }
    }
    resolve_parents(fields.sink, &mut found, &parents);
    found.files = read_files(scenario, &mut found.schema, &from_files);
    let unread = from_files.iter().map(|it| found.schema.field(it.field));
    let unread = unread.filter(|field| field.column.is_none());
    found
        .unreadable
        .extend(unread.map(|field| field.name.clone()));
    refuse_endless(fields.sink, &mut found);
    found
}

/// Whether the field could be read. The `parents` of a stored one are the fields that it depends on.
fn read_field<'a>(
    fields: &Reader<'a>,
    entry: &'a Entry,
    found: &mut Fields,
    parents: &mut Vec<Vec<(&'a str, SourcePlace)>>,
    from_files: &mut Vec<FromFile<'a>>,
) -> bool {
    let is_derived = matches!(&entry.node.value, Value::Table(it) if it.get("expr").is_some());
    let spec = if is_derived { &DERIVED } else { &STORED };
    let reader = fields.table_at(entry, spec);
    if reader.table.is_none() {
        return false;
    }
    if let Some(expression) = reader.node("expr") {
        let text = reader.text("expr");
        if let Some(text) = text {
            found.derived.push((entry.key.clone(), text.to_owned()));
            found.derived_nodes.push(expression.clone());
        }
        reader.finish();
        return text.is_some();
    }
    if reader.has("from") {
        for setting in STORED.settings {
            if !FILE_SETTINGS.contains(&setting.key) {
                reader.meaningless(setting.key, "the values are those of the file");
            }
        }
        let id = FieldId(found.schema.fields.len() as u16);
        let from_file = FromFile::read(reader, id, &entry.key);
        let read = from_file.is_some();
        from_files.extend(from_file);
        let kind = FieldKind::Int { first: 0, count: 1 };
        found.schema.fields.push(Field::new(&entry.key, kind));
        parents.push(Vec::new());
        return read;
    }
    let kind = read_kind(&reader);
    let law = kind.as_ref().map(|kind| read_distribution(&reader, kind));
    let of = reader.texts("of", true).unwrap_or_default();
    let read = kind.is_some();
    if read {
        reader.finish();
    }
    let kind = kind.unwrap_or(FieldKind::Int { first: 0, count: 1 });
    let field = Field::new(&entry.key, kind);
    let law = law.unwrap_or_default();
    found.schema.fields.push(Field { law, ..field });
    parents.push(of);
    read
}

/// Complains about the first derived field with which all are too large, and leaves out what is: derived fields that use others twice double at
/// every level.
fn refuse_endless(sink: &Diagnostics, found: &mut Fields) {
    let sizes = expanded_sizes(&found.derived);
    let mut all = 0_u64;
    let fits: Vec<bool> = sizes
        .iter()
        .map(|&size| {
            let fits = size <= MOST_PARTS.min(MOST_PARTS_OF_ALL - all);
            all += if fits { size } else { 0 };
            fits
        })
        .collect();
    let Some(first) = fits.iter().position(|fits| !fits) else {
        return;
    };
    let parts = match sizes[first] {
        u64::MAX => "more than 10^19".to_owned(),
        parts => grouped(i128::from(parts)),
    };
    let (name, node) = (&found.derived[first].0, &found.derived_nodes[first]);
    let message = format!("`{name}` has {parts} parts, the derived fields inside it expanded");
    let most = [MOST_PARTS, MOST_PARTS_OF_ALL].map(|most| grouped(most.into()));
    let diagnostic = Diagnostic::error(message)
        .label(format!(
            "at most {}, and {} in all derived fields",
            most[0], most[1]
        ))
        .help("derived fields that use others twice double at every level");
    sink.add(&node.place, diagnostic);
    for at in (0..fits.len()).rev().filter(|at| !fits[*at]) {
        found.unreadable.push(found.derived.remove(at).0);
        found.derived_nodes.remove(at);
    }
}

fn read_parameters(table: &Reader<'_>, unreadable: &mut Vec<String>) -> BTreeMap<String, i64> {
    let mut parameters = BTreeMap::new();
    for entry in table.entries() {
        check_identifier(table.sink, "parameter", entry);
        let (message, label) = match entry.node.value {
            Value::Integer(value) if i64::try_from(value).is_ok() => {
                parameters.insert(entry.key.clone(), value as i64);
                continue;
            }
            Value::Integer(_) => ("a parameter has 64 bits".to_owned(), "too large"),
            _ => (
                format!("`parameter.{}` is {}", entry.key, entry.node.value.kind()),
                "expected an integer",
            ),
        };
        table.sink.error(&entry.node.place, message, label);
        unreadable.push(entry.key.clone());
    }
    parameters
}

fn check_identifier(sink: &Diagnostics, what: &str, entry: &Entry) {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let other = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &entry.key;
    if !name.starts_with(first) || !name.chars().all(other) || name.len() > 64 {
        let label = "expected a letter, then letters, digits and `_`, 64 at most";
        let message = format!("`{name}` is no name of a {what}");
        sink.error(&entry.place, message, label);
    }
}

fn resolve_parents(sink: &Diagnostics, fields: &mut Fields, parents: &[Vec<(&str, SourcePlace)>]) {
    for (at, names) in parents.iter().enumerate() {
        let Field { name, kind, .. } = &fields.schema.fields[at];
        let follows_run = matches!(
            kind,
            FieldKind::Sequence { .. } | FieldKind::Timestamp { .. }
        );
        if let Some((_, place)) = names.first().filter(|_| follows_run) {
            let label = "only values that are drawn can be drawn once";
            let message = format!("`{name}` follows the run: it depends on no field");
            sink.error(place, message, label);
            continue;
        }
        let ids = names.iter();
        let ids = ids.filter_map(|(name, place)| find(sink, fields, name, place));
        fields.schema.fields[at].of = ids.collect();
    }
    // What `dependency_order` can't place behind its parents lies in, or behind, a cycle.
    for (at, names) in parents.iter().enumerate() {
        if in_cycle(&fields.schema, FieldId(at as u16)) {
            let field = &mut fields.schema.fields[at];
            let message = format!("`{}` depends on itself", field.name);
            sink.error(&names[0].1, message, "a cycle of `of`");
            field.of.clear();
        }
    }
}

fn in_cycle(schema: &Schema, start: FieldId) -> bool {
    let mut seen = vec![false; schema.fields.len()];
    let mut open = schema.field(start).of.clone();
    while let Some(id) = open.pop() {
        if id == start {
            return true;
        }
        if !std::mem::replace(&mut seen[usize::from(id.0)], true) {
            open.extend(&schema.field(id).of);
        }
    }
    false
}

/// The stored field of that name, or a complaint (one about its own table may have been made already).
pub(super) fn find(
    sink: &Diagnostics,
    fields: &Fields,
    name: &str,
    place: &SourcePlace,
) -> Option<FieldId> {
    match find_known(sink, fields, name, place, false)? {
        KnownField::Stored(id) => Some(id),
        KnownField::Derived(_) => {
            let label = "expected a field with a `type`";
            sink.error(place, format!("`{name}` is derived"), label);
            None
        }
    }
}

/// The field of that name, or a complaint with the nearest name; those of derived fields are near when they are asked for.
pub(super) fn find_known(
    sink: &Diagnostics,
    fields: &Fields,
    name: &str,
    place: &SourcePlace,
    derived: bool,
) -> Option<KnownField> {
    if fields.unreadable.iter().any(|it| it == name) {
        return None;
    }
    let as_derived = |at| KnownField::Derived(DerivedId(at as u16));
    let stored = fields.schema.find(name).map(KnownField::Stored);
    let found = stored.or_else(|| fields.derived_at(name).map(as_derived));
    if found.is_none() {
        let stored = fields.schema.fields.iter().map(|field| field.name.as_str());
        let derived = fields.derived.iter().filter(|_| derived);
        let known = stored.chain(derived.map(|(name, _)| name.as_str()));
        let diagnostic = Diagnostic::error(format!("unknown field `{name}`"));
        let diagnostic = diagnostic.label("no such `[field]`");
        sink.add(place, diagnostic.hint(suggest(name, known)));
    }
    found
}

/// The slot of a value that the file gives; a text from outside the field's domain becomes a literal of the schema.
pub(super) fn given(
    sink: &Diagnostics,
    schema: &mut Schema,
    id: FieldId,
    node: &Node,
) -> Option<i64> {
    let value = match &node.value {
        Value::Integer(value) if i64::try_from(*value).is_ok() => FieldValue::Int(*value as i64),
        Value::Float(value) if value.is_finite() => FieldValue::Double(*value),
        Value::Text(text) => FieldValue::Text(text.clone()),
        Value::Datetime(datetime) => {
            let instant = super::clock::instant(sink, datetime, &node.place)?;
            FieldValue::Time(instant.0, TimeUnit::Nanos)
        }
        other => {
            let message = format!("a field can't be {}", other.kind());
            sink.error(&node.place, message, "expected a number, a text or a date");
            return None;
        }
    };
    match schema.parse(id, &value) {
        Ok(slot) => Some(slot),
        Err(FieldValueError::Outside {
            literal: Some(bytes),
            ..
        }) => {
            let field = &mut schema.fields[usize::from(id.0)];
            if let (FieldKind::Text(TextValues::Listed(texts)), FieldValue::Text(text)) =
                (&field.kind, &value)
                && let Some(near) = nearest(text, texts.iter().map(String::as_str))
                && is_slip(text, near)
            {
                let message = format!("`{text}` is none of the values of `{}`", field.name);
                let diagnostic = Diagnostic::warning(message).label("a value of its own");
                let help = format!("did you mean `{near}`?");
                sink.add(&node.place, diagnostic.help(help));
            }
            let literals = &mut field.literals;
            let at = u16::try_from(literals.len()).ok()?;
            literals.push(bytes);
            Some(Field::literal_slot(at))
        }
        Err(error) => {
            sink.error(&node.place, error.to_string(), "not a value of the field");
            None
        }
    }
}

/// Whether a text that is near to another is more likely misspelt than another of its kind, such as a region or a tenant with another number.
fn is_slip(text: &str, near: &str) -> bool {
    let letters = |text: &str| text.replace(|c: char| !c.is_alphabetic(), "");
    text.len() >= 4 && letters(text) == text && letters(near) == near
}

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

    /// A field that is derived from others.
    pub(super) static DERIVED("", "") {
        /// A derived field: an expression of the key language, expanded where it is named.
        expr = text(""),
    }

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
        /// The least value of a double.
        min = any_number().or("0.0").of("type", &["double"]),
        /// What a double stays below.
        max = any_number().or("1.0").of("type", &["double"]),
        /// What a timestamp counts since 1970.
        unit = word(TimeUnit::WORDS).or("ms").of("type", &["timestamp"]),
        /// Some records come late.
        late = table(&LATE).of("type", &["timestamp"]),
        /// How often each value comes: `"uniform"`, or a law. Ranks are dealt to values by chance, once a replicate.
        distribution = json("@distribution").with(&[&LAW]),
        /// One value for each combination of these fields, drawn once.
        of = json("@oneOrMoreFields"),
        /// The rows that exist, `[data.x]`, whose values it has: int, text, uuid, double or timestamp. All fields from one file are those of one row.
        from = text(r#""minLength": 1"#),
        /// The file's column. Default: the field's name.
        column = text(r#""minLength": 1"#),
        /// No value may stand in two rows of the file.
        unique = boolean(),
    }

    /// Some records come late.
    static LATE("", "") {
        /// Share of the records that are late.
        fraction = number("in 0 ..= 1", 0.0, 1.0, (true, true)).needs("0.02"),
        /// How late at most; any lateness up to it is equally likely.
        up_to = time().needs("\"2h\""),
    }
}

/// Values are numbered with 62 bits.
const MOST_VALUES: i64 = 1 << 62;

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
                count: read_count(reader, MOST_VALUES)?,
            },
            "sequence" => FieldKind::Sequence {
                first: reader.integer_or("first", 0, MOST_VALUES, 0),
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
                count: count_of(reader, MOST_VALUES),
            },
            "bytes" => {
                let length: u16 = reader.given("length")?;
                // `length` bytes have 256^length values.
                let most = match length >= 8 {
                    true => MOST_VALUES,
                    false => 1 << (8 * length),
                };
                let count = count_of(reader, most);
                FieldKind::Bytes { length, count }
            }
            "double" => {
                let (min, max): (f64, f64) = (reader.value("min"), reader.value("max"));
                if min >= max {
                    let label = format!("must be greater than `min`, {min}");
                    reader.refuse_key("max", format!("`max` is {max}"), label)?;
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

/// `count`, which must be said.
fn read_count(reader: &Reader<'_>, most: i64) -> Option<u64> {
    reader.require("count");
    count_of(reader, most)
}

fn count_of(reader: &Reader<'_>, most: i64) -> Option<u64> {
    reader.integer("count", 1, most).map(|count| count as u64)
}

fn read_texts(reader: &Reader<'_>) -> Option<TextValues> {
    if reader.has("values") {
        return read_values(reader).map(|values| TextValues::Listed(values.into()));
    }
    let count = read_count(reader, MOST_VALUES);
    let length: u16 = reader.value_or("length", "8");
    let alphabet: String = reader.value("alphabet");
    let mut letters: Vec<u8> = alphabet.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    if !alphabet.is_ascii() || letters.len() < alphabet.len() || letters.is_empty() {
        let message = "an alphabet is made of distinct ASCII characters";
        reader.refuse_key("alphabet", message, "not so here")?;
    }
    let most = libm::pow(letters.len() as f64, length.into());
    let count = count?;
    if count as f64 > most {
        let message = format!(
            "{count} texts of {} can't differ",
            counted(length, "character")
        );
        let label = format!(
            "{} {} {most:.0} at most",
            counted(letters.len(), "character"),
            verb(letters.len(), ["makes", "make"])
        );
        reader.refuse_key("count", message, label)?;
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

/// Reads a field's `distribution`.
pub(super) fn read_distribution(field: &Reader<'_>, kind: &FieldKind) -> Distribution {
    let Some(entry) = field.entry("distribution") else {
        return Distribution::default();
    };
    if kind.count().is_none() && !matches!(kind, FieldKind::Double { .. }) {
        let message = format!("{} can't have a distribution", field.name());
        let label = "only fields with a `count` (and doubles) have a distribution";
        field.refuse_key("distribution", message, label);
        return Distribution::default();
    }
    read_distribution_entry(field, entry, kind)
}

/// Reads a law of a field of this kind, which has one.
pub(super) fn read_distribution_entry<'a>(
    reader: &Reader<'a>,
    entry: &'a Entry,
    kind: &FieldKind,
) -> Distribution {
    let Entry { key, node, .. } = entry;
    let law = match &node.value {
        Value::Text(text) if text == "uniform" => None,
        Value::Table(_) => {
            let law = reader.table_of(key, node, &node.place, &LAW);
            law.read_with(|law| read_table(law, kind))
        }
        _ => {
            let label = "expected `\"uniform\"`, `{ zipf = 0.99 }`, `{ hotspot = { keys = 0.2, load = 0.8 } }`, \
                         `{ weights = [3, 1] }` or `{ normal = { mean = 50, sd = 9 } }`";
            reader.refuse(key, "this is no distribution", label);
            None
        }
    };
    law.unwrap_or_default()
}

crate::settings! {
    /// How often values come: one law, and shares of the first ranks.
    pub(super) static LAW("law", "") {
        /// The share of rank r is proportional to r^-s.
        ///
        /// The upper end keeps r^-s a normal number for every rank.
        zipf = ZIPF,
        /// A share of the keys takes a share of the load.
        hotspot = table(&HOTSPOT),
        /// One weight for each value, in their order.
        weights = json(r#""type": "array", "minItems": 1, "items": { "type": "number", "minimum": 0 }"#),
        /// A bell over the values.
        normal = table(&NORMAL),
        /// The shares of the first ranks; the law deals the rest.
        top = json(r#""type": "array", "items": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }"#),
        /// Rank 1 is the first value, and so on, as `weights` have it anyway, instead of being dealt by chance.
        ranked = boolean(),
    }
}

pub(super) const ZIPF: Kind = number("greater than 0, and at most 10", 0.0, 10.0, (false, true));
const SHARE: Kind = number("in (0, 1)", 0.0, 1.0, (false, false));

crate::settings! {
    /// A share of the keys takes a share of the load.
    static HOTSPOT("", "") {
        /// The share of the keys.
        keys = SHARE.needs("0.2"),
        /// The share of the load that they take.
        load = SHARE.needs("0.2"),
    }

    /// A bell over the values.
    static NORMAL("", "") {
        /// The mean of the values.
        mean = any_number().needs("50.0"),
        /// Their standard deviation.
        sd = number("greater than 0", 0.0, f64::INFINITY, (false, false)).needs("50.0"),
    }
}

const SHAPES: [&str; 4] = ["zipf", "hotspot", "weights", "normal"];

fn read_table(reader: &Reader<'_>, kind: &FieldKind) -> Option<Distribution> {
    let given = SHAPES.into_iter().filter(|shape| reader.has(shape));
    let given: Vec<&str> = given.collect();
    if let [first, second, ..] = given[..] {
        let label = format!("`{first}` is given, too: a field has one law");
        reader.refuse_key(second, format!("{} has two laws", reader.name()), label);
    }
    // Of several laws the last one is as good as any: the first complaint stands.
    let zipf = reader
        .given("zipf")
        .map(|exponent| DistributionShape::Zipf { exponent });
    let hotspot = reader.inside("hotspot", |hotspot| {
        let (keys, load) = hotspot.given("keys").zip(hotspot.given("load"))?;
        Some(DistributionShape::Hotspot { keys, load })
    });
    let weights = read_weights(reader, kind).map(DistributionShape::Weights);
    let normal = reader.inside("normal", |normal| read_normal(normal, kind));
    let top = read_top(reader, kind).unwrap_or_default();
    let in_order = weights.is_some();
    let ranked = reader.given("ranked").unwrap_or(in_order);
    let shape = normal.or(weights).or(hotspot).or(zipf);
    let shape = shape.unwrap_or(DistributionShape::Uniform);
    let has_ranks = kind.count().is_some();
    let on_ranks = !matches!(shape, DistributionShape::Normal { .. }) && has_ranks;
    for key in ["top", "ranked"] {
        if !on_ranks {
            reader.meaningless(key, "a law over values has no ranks");
        }
    }
    if !has_ranks
        && !matches!(
            shape,
            DistributionShape::Normal { .. } | DistributionShape::Uniform
        )
    {
        let label = "expected `normal` or `\"uniform\"`";
        reader.refuse_table("a double has no ranks", label)?;
    }
    Some(Distribution { shape, top, ranked })
}

/// A list of numbers of a domain.
fn numbers(
    reader: &Reader<'_>,
    key: &'static str,
    domain: &str,
    accepts: fn(f64) -> bool,
) -> Option<Vec<f64>> {
    let items = reader.list(key)?.iter();
    let number = |item| reader.number_node(key, item, domain, accepts);
    items.map(number).collect()
}

fn read_weights(reader: &Reader<'_>, kind: &FieldKind) -> Option<Vec<f64>> {
    let accepts = |weight| (0.0..=1e12).contains(&weight);
    let weights = numbers(reader, "weights", "at least 0", accepts)?;
    let given = weights.len() as u64;
    let count = kind.count();
    let message = |count| {
        format!(
            "{} for {}",
            counted(given, "weight"),
            counted(count, "value")
        )
    };
    let (message, label) = match count.filter(|&count| given > count) {
        _ if weights.iter().all(|&weight| weight == 0.0) => {
            let label = "expected a weight for each rank, not all zero";
            ("all weights are zero".to_owned(), label)
        }
        Some(count) => (message(count), "at most one for each value"),
        None => {
            if let Some(count) = count.filter(|&count| given < count) {
                let diagnostic = Diagnostic::note(message(count)).label("the others never come");
                reader.complain("weights", diagnostic);
            }
            return Some(weights);
        }
    };
    reader.refuse_key("weights", message, label);
    None
}

fn read_top(reader: &Reader<'_>, kind: &FieldKind) -> Option<Vec<f64>> {
    let accepts = |share| share > 0.0 && share < 1.0;
    let top = numbers(reader, "top", "in (0, 1)", accepts)?;
    let sum: f64 = top.iter().sum();
    if sum >= 1.0 {
        let label = "must leave a share for the other ranks";
        reader.refuse_key("top", format!("the shares of `top` sum to {sum}"), label)?;
    }
    if kind.count().is_some_and(|count| top.len() as u64 >= count) {
        let label = "expected fewer shares than values";
        reader.refuse_key("top", "`top` leaves no rank for the rest", label)?;
    }
    Some(top)
}

/// A bell that reaches less than this part of a field's values is noted: it is likely to be meant in other units (estimate).
const LEAST_REACHED: f64 = 1e-3;

fn read_normal(normal: &Reader<'_>, kind: &FieldKind) -> Option<DistributionShape> {
    let (mean, sd): (f64, f64) = normal.given("mean").zip(normal.given("sd"))?;
    let (least, greatest) = match kind {
        FieldKind::Double { min, max } => (*min, *max),
        _ => {
            let first = kind.first_slot() as f64;
            (first, first + kind.count().unwrap_or(1) as f64)
        }
    };
    // Values outside the domain are drawn again: a mean far outside would draw for ever.
    if mean < least - sd || mean > greatest + sd {
        let label =
            format!("values are {least} to {greatest}; expected a mean within one `sd` of them");
        normal.refuse_key("mean", format!("`mean` is {mean}"), label)?;
    }
    // Nearly all values of a bell lie within three standard deviations of its mean.
    let reached = (mean + 3.0 * sd).min(greatest) - (mean - 3.0 * sd).max(least);
    if kind.count().is_some() && reached < LEAST_REACHED * (greatest - least) {
        let message =
            format!("{mean} ± 3 × {sd} reaches hardly any of the values {least} to {greatest}");
        let label = "`mean` and `sd` are in the field's own values, not parts of them";
        normal.complain("sd", Diagnostic::note(message).label(label));
    }
    Some(DistributionShape::Normal { mean, sd })
}
