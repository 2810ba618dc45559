//! `[field]` and `[parameter]`: what a record is made of.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::distributions::read_law;
use super::document::{Entry, Node, SourcePlace, Value};
use super::field_kinds::{DERIVED, STORED, read_kind};
use super::nearest::suggest;
use super::reader::Reader;
use crate::key::{Environment, expanded_sizes};
use crate::record::{
    DerivedId, Field, FieldId, FieldKind, GivenValue, GivenValueError, KnownField, Schema,
};
use crate::text::grouped;
use crate::time::EpochNanos;
use std::collections::BTreeMap;

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

    /// The names of the stored fields.
    fn stored_names(&self) -> impl Iterator<Item = &str> {
        self.schema.fields.iter().map(|field| field.name.as_str())
    }
}

/// Most fields of a record, stored and derived (estimate: ten times what a wide table's key and reads are made of).
const MOST_FIELDS: usize = 1_000;

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
    };
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
        if !read_field(&fields, entry, &mut found, &mut parents) {
            found.unreadable.push(entry.key.clone());
        }
    }
    resolve_parents(fields.sink, &mut found, &parents);
    refuse_endless(fields.sink, &mut found);
    found
}

/// Whether the field could be read. The `parents` of a stored one are the fields that it depends on.
fn read_field<'a>(
    fields: &Reader<'a>,
    entry: &'a Entry,
    found: &mut Fields,
    parents: &mut Vec<Vec<(&'a str, SourcePlace)>>,
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
    let kind = read_kind(&reader);
    let law = kind.as_ref().map(|kind| read_law(&reader, kind));
    let of = reader.texts("of", true).unwrap_or_default();
    if let Some(kind) = &kind {
        reader.finish();
        check_memory(&reader, entry, kind, !of.is_empty());
    }
    let read = kind.is_some();
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
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let other = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &entry.key;
    if !name.starts_with(first) || !name.chars().all(other) || name.len() > 64 {
        let label = "expected a letter, then letters, digits and `_`, 64 at most";
        sink.error(
            &entry.place,
            format!("`{name}` is no name of a {what}"),
            label,
        );
    }
}

/// Laws but the uniform one may be tabulated with 16 bytes a value: a rank and a share.
fn check_memory(field: &Reader<'_>, entry: &Entry, kind: &FieldKind, dependent: bool) {
    if let Some(count) = kind
        .count()
        .filter(|_| field.has("distribution") && !dependent)
    {
        let what = format!("{} values with a distribution", grouped(count.into()));
        field
            .sink
            .refuse_memory(&entry.place, &what, count as f64 * 16.0);
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
    match find_among(sink, fields, name, place, fields.stored_names())? {
        KnownField::Stored(id) => Some(id),
        KnownField::Derived(_) => {
            let label = "expected a field with a `type`";
            sink.error(place, format!("`{name}` is derived"), label);
            None
        }
    }
}

/// The field of that name, stored or derived, or a complaint.
pub(super) fn find_known(
    sink: &Diagnostics,
    fields: &Fields,
    name: &str,
    place: &SourcePlace,
) -> Option<KnownField> {
    let derived = fields.derived.iter().map(|(name, _)| name.as_str());
    find_among(
        sink,
        fields,
        name,
        place,
        fields.stored_names().chain(derived),
    )
}

/// The field of that name, or a complaint with the nearest of the `known` names.
fn find_among<'n>(
    sink: &Diagnostics,
    fields: &Fields,
    name: &str,
    place: &SourcePlace,
    known: impl Iterator<Item = &'n str>,
) -> Option<KnownField> {
    if fields.is_unreadable(name) {
        return None;
    }
    let derived = || {
        fields
            .derived_at(name)
            .map(|at| KnownField::Derived(DerivedId(at as u16)))
    };
    let found = fields
        .schema
        .find(name)
        .map(KnownField::Stored)
        .or_else(derived);
    if found.is_none() {
        let diagnostic =
            Diagnostic::error(format!("unknown field `{name}`")).label("no such `[field]`");
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
        Value::Integer(value) if i64::try_from(*value).is_ok() => GivenValue::Int(*value as i64),
        Value::Float(value) if value.is_finite() => GivenValue::Float(*value),
        Value::Text(text) => GivenValue::Text(text),
        Value::Datetime(datetime) => {
            GivenValue::Instant(super::clock::instant(sink, datetime, &node.place)?)
        }
        other => {
            let message = format!("a field can't be {}", other.kind());
            sink.error(&node.place, message, "expected a number, a text or a date");
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
