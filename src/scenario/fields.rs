//! `[field]` and `[parameter]`: what a record is made of.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::distributions::read_law;
use super::document::{Entry, Node, SourcePlace, Value};
use super::field_kinds::{FIELD, read_kind};
use super::nearest::suggest;
use super::reader::Reader;
use crate::key::expanded_sizes;
use crate::record::{
    DerivedId, Field, FieldId, FieldKind, GivenValue, GivenValueError, KnownField, Law, Schema,
};
use crate::text::grouped;
use crate::time::EpochNanos;
use crate::units::ByteSize;
use std::collections::BTreeMap;
use std::path::Path;

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
}

impl Fields {
    fn is_unreadable(&self, name: &str) -> bool {
        self.unreadable.iter().any(|unreadable| unreadable == name)
    }
}

/// Most fields of a record, stored and derived (estimate: ten times what a wide table's key and reads are made of).
const MOST_FIELDS: usize = 1_000;

/// Parts of a derived field, and of all together, those inside others expanded: what is read at once (estimate: far more than anybody writes).
const MOST_PARTS: u64 = 10_000;
const MOST_PARTS_OF_ALL: u64 = 100_000;

/// Memory that the laws of one field may take.
const LAW_MEMORY: u64 = 4 << 30;

/// Reads `[parameter]` and `[field]`. `folder` is where files of values are looked for.
pub(super) fn read_fields<'a>(scenario: &Reader<'a>, folder: &Path) -> Fields {
    let mut unreadable = Vec::new();
    let parameters = read_parameters(&scenario.table("parameter"), &mut unreadable);
    let fields = scenario.table("field");
    if fields.entries().is_empty() && !scenario.misspelt("field") {
        fields.complain_of_table(
            Diagnostic::error("the scenario has no `[field]`")
                .label("a record needs at least one field")
                .help("add `[field]` with, for example, `ts = { type = \"timestamp\" }`"),
        );
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
    };
    let mut parents = Vec::new();
    let entries = fields.entries();
    if entries.len() > MOST_FIELDS {
        fields.sink.error(
            &entries[MOST_FIELDS].place,
            format!("{} fields", entries.len()),
            format!("at most {}", grouped(MOST_FIELDS as i128)),
        );
        let others = entries[MOST_FIELDS..].iter();
        found
            .unreadable
            .extend(others.map(|entry| entry.key.clone()));
    }
    for entry in entries.iter().take(MOST_FIELDS) {
        check_identifier(fields.sink, "field", entry);
        if found.parameters.contains_key(&entry.key) {
            fields.sink.error(
                &entry.place,
                format!("`{}` is a parameter, too", entry.key),
                "expressions could mean either",
            );
        }
        let reader = fields.table_of(
            &entry.key,
            &entry.node,
            &entry.place,
            format!("field.{}", entry.key),
            &FIELD,
        );
        if reader.table.is_none() {
            found.unreadable.push(entry.key.clone());
            continue;
        }
        if reader.has("expr") {
            if let Some(text) = reader.text("expr") {
                found.derived.push((entry.key.clone(), text.to_owned()));
                found.derived_nodes.push(
                    reader
                        .table
                        .and_then(|table| table.get("expr"))
                        .expect("just read")
                        .node
                        .clone(),
                );
            } else {
                found.unreadable.push(entry.key.clone());
            }
            reader.finish();
            continue;
        }
        let kind = read_kind(&reader, folder);
        let law = match &kind {
            Some(kind) => read_law(&reader, kind),
            None => {
                reader.entry("distribution");
                Law::default()
            }
        };
        let of = reader.texts("of", true).unwrap_or_default();
        if kind.is_some() {
            reader.finish();
        }
        if kind.is_none() {
            found.unreadable.push(entry.key.clone());
        }
        let kind = kind.unwrap_or(FieldKind::Int { first: 0, count: 1 });
        check_memory(fields.sink, entry, &kind, !of.is_empty());
        found.schema.fields.push(Field {
            law,
            ..Field::new(&entry.key, kind)
        });
        parents.push(of);
    }
    if found.schema.fields.len() > usize::from(u16::MAX) {
        fields.refuse_table("more than 65,535 fields", "");
        found.schema.fields.truncate(usize::from(u16::MAX));
        parents.truncate(usize::from(u16::MAX));
    }
    resolve_parents(fields.sink, &mut found, &parents);
    refuse_endless(fields.sink, &mut found);
    found
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
    sink.add(
        &node.place,
        Diagnostic::error(format!(
            "`{name}` has {parts} parts, the derived fields inside it expanded"
        ))
        .label(format!(
            "at most {}, and {} in all derived fields",
            grouped(i128::from(MOST_PARTS)),
            grouped(i128::from(MOST_PARTS_OF_ALL))
        ))
        .help("derived fields that use others twice double at every level"),
    );
    let (mut derived, mut nodes) = (Vec::new(), Vec::new());
    let pairs = found.derived.drain(..).zip(found.derived_nodes.drain(..));
    for (at, (field, node)) in pairs.enumerate() {
        if fits[at] {
            derived.push(field);
            nodes.push(node);
        } else {
            found.unreadable.push(field.0);
        }
    }
    (found.derived, found.derived_nodes) = (derived, nodes);
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
    let mut chars = entry.key.chars();
    let starts = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') && entry.key.len() <= 64 {
        return;
    }
    let label = "expected a letter, then letters, digits and `_`, 64 at most";
    sink.error(
        &entry.place,
        format!("`{}` is no name of a {what}", entry.key),
        label,
    );
}

/// Laws but the uniform one may be tabulated with 16 bytes a value: a rank and a share.
fn check_memory(sink: &Diagnostics, entry: &Entry, kind: &FieldKind, dependent: bool) {
    let Some(count) = kind.count() else { return };
    let tabulated = match &entry.node.value {
        Value::Table(table) => table.get("distribution").is_some(),
        _ => false,
    };
    let bytes = count as f64 * 16.0;
    if tabulated && !dependent && bytes > LAW_MEMORY as f64 {
        let need = ByteSize::approximate(bytes);
        let message = format!(
            "{} values with a distribution need about {need} of memory",
            grouped(count.into())
        );
        let label = format!(
            "keyheat takes up to {}",
            ByteSize::approximate(LAW_MEMORY as f64)
        );
        sink.error(&entry.place, message, label);
    }
}

fn resolve_parents(sink: &Diagnostics, fields: &mut Fields, parents: &[Vec<(&str, SourcePlace)>]) {
    for (at, names) in parents.iter().enumerate() {
        let kind = &fields.schema.fields[at].kind;
        if let (Some((_, place)), FieldKind::Sequence { .. } | FieldKind::Timestamp { .. }) =
            (names.first(), kind)
        {
            let name = &fields.schema.fields[at].name;
            let label = "only values that are drawn can be drawn once";
            sink.error(
                place,
                format!("`{name}` follows the run: it depends on no field"),
                label,
            );
            continue;
        }
        let ids = names
            .iter()
            .filter_map(|(name, place)| find(sink, fields, name, place))
            .collect();
        fields.schema.fields[at].of = ids;
    }
    // What `dependency_order` can't place behind its parents lies in, or behind, a cycle.
    for (at, names) in parents.iter().enumerate() {
        if in_cycle(&fields.schema, FieldId(at as u16)) {
            let name = &fields.schema.fields[at].name;
            sink.error(
                &names[0].1,
                format!("`{name}` depends on itself"),
                "a cycle of `of`",
            );
            fields.schema.fields[at].of.clear();
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
    if fields.is_unreadable(name) {
        return None;
    }
    if let Some(id) = fields.schema.find(name) {
        return Some(id);
    }
    let diagnostic = match fields.derived.iter().any(|(derived, _)| derived == name) {
        true => Diagnostic::error(format!("`{name}` is derived"))
            .label("expected a field with a `type`"),
        false => {
            let mut diagnostic =
                Diagnostic::error(format!("unknown field `{name}`")).label("no such `[field]`");
            diagnostic.help = suggest(
                name,
                fields.schema.fields.iter().map(|field| field.name.as_str()),
            );
            diagnostic
        }
    };
    sink.add(place, diagnostic);
    None
}

/// The field of that name, stored or derived, or a complaint.
pub(super) fn find_known(
    sink: &Diagnostics,
    fields: &Fields,
    name: &str,
    place: &SourcePlace,
) -> Option<KnownField> {
    if fields.is_unreadable(name) {
        return None;
    }
    if let Some(id) = fields.schema.find(name) {
        return Some(KnownField::Stored(id));
    }
    let derived = fields.derived.iter().position(|(known, _)| known == name);
    if let Some(at) = derived {
        return Some(KnownField::Derived(DerivedId(at as u16)));
    }
    let mut diagnostic =
        Diagnostic::error(format!("unknown field `{name}`")).label("no such `[field]`");
    let stored = fields.schema.fields.iter().map(|field| field.name.as_str());
    let derived = fields.derived.iter().map(|(name, _)| name.as_str());
    diagnostic.help = suggest(name, stored.chain(derived));
    sink.add(place, diagnostic);
    None
}

/// The slot of a value that the file gives; a text from outside the field's domain becomes a literal of the schema.
pub(super) fn given(
    sink: &Diagnostics,
    schema: &mut Schema,
    id: FieldId,
    node: &Node,
) -> Option<i64> {
    let value = match &node.value {
        Value::Integer(value) if i64::try_from(*value).is_ok() => GivenValue::Int(*value as i64),
        Value::Float(value) if value.is_finite() => GivenValue::Float(*value),
        Value::Text(text) => GivenValue::Text(text),
        Value::Datetime(datetime) => {
            GivenValue::Instant(super::clock::instant(sink, datetime, &node.place)?)
        }
        other => {
            sink.error(
                &node.place,
                format!("a field can't be {}", other.kind()),
                "expected a number, a text or a date",
            );
            return None;
        }
    };
    match schema.parse(id, value) {
        Ok(slot) => Some(slot),
        Err(GivenValueError::Outside {
            literal: Some(bytes),
            ..
        }) => {
            let literals = &mut schema.fields[usize::from(id.0)].literals;
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
