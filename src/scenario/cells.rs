//! `[family.x]`, and `family` and `cells` of `[write.x]`: what cells hold, how long they stay, and how they are stored.

use super::cluster::too_long_a_qualifier;
use super::expressions::compile;
use super::fields::Fields;
use super::prelude::*;
use super::reader::NAMES;
use super::writes::WRITE;
use crate::cluster::{
    CellSpec, FAMILY, Family, FamilySpec, TableSpec, VALUE, ValueSpec, WrittenCells,
};
use crate::key::Role;
use crate::keyspace::RowKey;
use crate::record::Schema;
use crate::settings::FromSource;
use crate::storage::Compression;
use crate::text::either;
use crate::units::ByteSize;
use crate::workload::{Write, WriteKind};

/// Most families of a table: each is a store of its own in every region, and HBase advises two or three (estimate).
const MOST_FAMILIES: usize = 16;

/// `hbase.client.keyvalue.maxsize`.
const MOST_VALUE: ByteSize = ByteSize(10 << 20);

/// Settings of `[table]` that describe its only family.
const OF_TABLE: [&str; 3] = ["family", "value", "block_encoding"];

/// What values are made of.
struct Values<'a> {
    fields: &'a Fields,
    schema: &'a Schema,
}

/// Whether the cells of some write are not those that `[table]` describes.
pub(super) fn are_declared(scenario: &Reader<'_>, writes: &[Write]) -> bool {
    let all = scenario.table("write");
    let mut writes = writes.iter();
    let has_cells = |write: &Write| {
        let of_write = all.node(&write.name).and_then(Node::table);
        of_write.is_some_and(|table| table.get("cells").is_some())
    };
    scenario.has("family")
        || writes.any(|write| write.kind == WriteKind::Delete || has_cells(write))
}

/// Reads the families, and the cells of each write; the names of the writes that name their cells. Times and sequences of the setup's schema are known.
pub(super) fn read_cells(
    scenario: &Reader<'_>,
    time: &TimeSpec,
    fields: &Fields,
    setup: &mut Setup,
) -> Vec<String> {
    let values = Values {
        fields,
        schema: &setup.schema,
    };
    let readers = read_families(scenario, time, &values, &mut setup.table);
    let mut named = Vec::new();
    let mut uses = vec![0; setup.table.families.len()];
    let all = scenario.table("write");
    for write in &setup.workload.writes {
        let Some(entry) = all.table.and_then(|table| table.get(&write.name)) else {
            continue;
        };
        let reader = all.table_at(entry, &WRITE);
        let family = read_family_of(&reader, &setup.table);
        let own = reader.has("cells");
        let compression = setup.table.families[family].spec.compression;
        named.extend(own.then(|| write.name.clone()));
        let cells = read_named_cells(&reader, write.kind, compression, &values);
        let mut written = match write.kind {
            WriteKind::Delete => marker(family),
            _ if cells.is_empty() => setup.table.cells_of(family),
            _ => WrittenCells { family, cells },
        };
        if write.kind == WriteKind::Increment {
            written.cells.iter_mut().for_each(|it| it.value.count());
        }
        uses[family] += usize::from(own);
        setup.written.push(written);
    }
    let writes = setup.written.iter();
    for (at, reader) in readers.iter().enumerate() {
        let of_family = writes.clone().filter(|written| written.family == at);
        let of_family = of_family.count();
        // A family all of whose writes say what they hold needs no value.
        let needed = of_family == 0 || of_family > uses[at];
        let spec = &setup.table.families[at].spec;
        if needed && let Some(diagnostic) = unknown(spec.compression, "value", &spec.value) {
            reader.complain("compression", diagnostic);
        }
    }
    named
}

/// Complains about a compression of bytes that nobody knows.
fn unknown(compression: Compression, key: &str, value: &ValueSpec) -> Option<Diagnostic> {
    let ValueSpec::Size {
        bytes,
        entropy: None,
    } = value
    else {
        return None;
    };
    let (word, bytes) = (compression.name(), ByteSize(*bytes));
    let diagnostic = Diagnostic::error(format!("`{word}` of bytes that nobody knows"));
    let help = format!(
        "write `{key} = {{ size = \"{bytes}\", entropy = 0.5 }}`: 1.0 can't be compressed, 0.0 is all zeros; or `{{ expr = ... }}`"
    );
    let label = format!("needs an entropy of `{key}`, or an expression");
    (compression != Compression::None).then(|| diagnostic.label(label).help(help))
}

/// What a delete writes: a marker without qualifier and value.
fn marker(family: usize) -> WrittenCells {
    let value = ValueSpec::Size {
        bytes: 0,
        entropy: Some(0.0),
    };
    let qualifier = String::new();
    WrittenCells {
        family,
        cells: vec![CellSpec { qualifier, value }],
    }
}

/// All `[family.x]` in place of the one that `[table]` describes, each with its reader; none where none is declared.
fn read_families<'a>(
    scenario: &Reader<'a>,
    time: &TimeSpec,
    values: &Values<'_>,
    spec: &mut TableSpec,
) -> Vec<Reader<'a>> {
    let all = scenario.table("family");
    let label = format!("at most {MOST_FAMILIES}: each is a store of its own in every region");
    let entries = all.at_most(all.entries(), MOST_FAMILIES, "families", label);
    let Some(first) = entries.first() else {
        // What is missing in `[table]` may be set in the family that it describes.
        let keys: Vec<&str> = FAMILY.all().map(|setting| setting.key).collect();
        let path = format!("family.{}", spec.family);
        scenario.sink.note_known(&path, &keys);
        return Vec::new();
    };
    let table = scenario.table("table");
    for key in OF_TABLE.into_iter().filter(|key| table.has(key)) {
        let message = format!("`table.{key}` beside `[family.{}]`", first.key);
        let diagnostic =
            Diagnostic::error(message).label("families that are declared have their own");
        let help = format!("set it in `[family.{}]`", first.key);
        table.complain_of_key(key, diagnostic.help(help));
    }
    scenario
        .sink
        .forget_defaults(&OF_TABLE.map(|key| table.path_of(key)));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut readers = Vec::new();
    let mut families = Vec::new();
    for entry in entries {
        let name = &entry.key;
        if !(1..=127).contains(&name.len()) || !name.chars().all(plain) {
            let message = format!("`{name}` is no name of a family");
            let label = "expected letters, digits, `_` and `-`, 127 at most";
            let help = "name it as in HBase without what follows the colon, which is a qualifier: `[family.d]`";
            let diagnostic = Diagnostic::error(message).label(label).help(help);
            scenario.sink.add(&entry.place, diagnostic);
        }
        let reader = all.table_at(entry, &FAMILY);
        let mut spec = FamilySpec::read_all(&reader);
        if let Some(entry) = reader.entry("value") {
            let value = read_value(&reader, "value", &entry.node, values);
            spec.value = value.unwrap_or(spec.value);
        } else {
            reader.note_default("value", "\"100B\"");
        }
        if let Some(ttl) = spec.ttl.filter(|ttl| *ttl < time.sample) {
            let label = format!("must be at least `time.sample`, {}", time.sample);
            let diagnostic = Diagnostic::error(format!("a `ttl` of {ttl}")).label(label);
            let help = "let cells live longer, or shorten `time.sample`: no interval shows what comes and goes within it";
            reader.complain("ttl", diagnostic.help(help));
        }
        reader.finish();
        readers.push(reader);
        let name = name.clone();
        families.push(Family { name, spec });
    }
    let first = &families[0];
    spec.family.clone_from(&first.name);
    spec.value = ByteSize(first.spec.value.bytes());
    spec.block_encoding = first.spec.block_encoding;
    spec.families = families;
    readers
}

/// The family that a write names, by its place; the first by default.
fn read_family_of(reader: &Reader<'_>, table: &TableSpec) -> usize {
    let Some(name) = reader.text("family") else {
        return 0;
    };
    let names = || table.families.iter().map(|family| family.name.as_str());
    let found = names().position(|known| known == name);
    if found.is_none() {
        let diagnostic = Diagnostic::error(format!("there is no family `{name}`"));
        let diagnostic = diagnostic.label("expected one that is declared");
        let names: Vec<&str> = names().collect();
        let declare = || format!("declare `[family.{name}]`, or name {}", either(&names));
        let help = slip(name, names.iter().copied()).unwrap_or_else(declare);
        reader.complain("family", diagnostic.help(help));
    }
    found.unwrap_or(0)
}

/// `cells` of a write; empty where none could be read.
fn read_named_cells(
    reader: &Reader<'_>,
    kind: WriteKind,
    compression: Compression,
    values: &Values<'_>,
) -> Vec<CellSpec> {
    let Some(entry) = reader.entry("cells") else {
        return Vec::new();
    };
    if kind == WriteKind::Delete {
        let label =
            "it marks all cells of its family, or the one that the strategy's `qualifier` says";
        reader.refuse_key("cells", "a delete writes no values", label);
    }
    let table = reader.table_at(entry, &NAMES);
    let cells = table.entries().iter().filter_map(|entry| {
        let (name, node) = (&entry.key, &entry.node);
        if name.len() > RowKey::MAX_LEN {
            reader.sink.add(&entry.place, too_long_a_qualifier(name));
        }
        let value = read_value(&table, name, node, values)?;
        if let Some(diagnostic) = unknown(compression, name, &value) {
            reader.sink.add(&node.place, diagnostic);
        }
        Some(CellSpec {
            qualifier: name.clone(),
            value,
        })
    });
    let cells: Vec<CellSpec> = cells.collect();
    if table.table.is_some_and(|table| table.entries.is_empty()) {
        reader.refuse("cells", "a write without cells", "expected at least one");
    }
    cells
}

/// A size, or a table of a size and an entropy, or of an expression.
fn read_value<'a>(
    reader: &Reader<'a>,
    key: &str,
    node: &'a Node,
    values: &Values<'_>,
) -> Option<ValueSpec> {
    let sized = |ByteSize(bytes): ByteSize, entropy| {
        let spec = ValueSpec::Size { bytes, entropy };
        if bytes > MOST_VALUE.0 {
            let message = format!("a value of {}", ByteSize(bytes));
            let label = format!("at most {MOST_VALUE} (`hbase.client.keyvalue.maxsize`)");
            reader.sink.error(&node.place, message, label);
        }
        spec
    };
    if !matches!(node.value, Value::Table(_)) {
        return reader.unit_node(key, node).map(|bytes| sized(bytes, None));
    }
    let table = reader.table_of(key, node, &node.place, &VALUE);
    table.read_with(|value| {
        let none = "a value without a `size`";
        if value.one_of(["size", "expr"], none, "a value with two meanings")? == "size" {
            return Some(sized(value.given("size")?, value.given("entropy")));
        }
        value.meaningless(
            "entropy",
            "needs `size`: an expression has bytes of its own",
        );
        let text = value.text("expr").zip(value.node("expr"))?;
        let plan = compile(reader.sink, Role::Value, text, values.fields, values.schema);
        plan.map(ValueSpec::Expr)
    })
}
