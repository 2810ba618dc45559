//! `[strategy.x]`: a key, and whatever else a candidate changes.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::{Entry, Node, SourcePlace, TomlTable, Value};
use super::draft::{ALL_OF_TABLE, Draft, SCENARIO, read_draft};
use super::model::{Copy, Setup, Strategy};
use super::placements::check_length;
use super::presplits::{Request, read_presplit, resolve, resolve_for_copy};
use super::reader::Reader;
use super::settings::merge;
use super::string_map::locate;
use crate::key::{Environment, KeyError, KeyPlan};
use crate::keyspace::RowKey;
use crate::settings::{json, text};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Most candidates of a scenario; each may re-read the whole file.
const MOST: usize = 256;

/// Most copies of a table (estimate).
const MOST_COPIES: usize = 16;

crate::settings! {
    /// A candidate row key. Any setting of `[table]` may stand beside it; all else is changed under `override`.
    pub(super) static STRATEGY("strategy", "") {
        /// In charts and on the page. Default: the name.
        title = text(""),
        /// An expression: segments joined by `||`, as in `salt(16, host) || host || x'00' || be8(ts)`. `keyheat key --help` lists the functions,
        /// `keyheat presets` known designs.
        key = text(r#""minLength": 1"#).needs("\"be8(ts)\""),
        /// Keys of further copies of the table: another order, written with every row, read where it is cheaper.
        copies = json(r#""type": "array", "maxItems": 16, "items": { "anyOf": [{ "type": "string", "minLength": 1 }, "@copy"] }"#).with(&[&COPY]),
    }
}

crate::settings! {
    pub(super) static COPY("copy", "") {
        /// The copy's key.
        key = text(r#""minLength": 1"#).needs("\"be8(ts)\""),
        /// Its own. Default: what the strategy's algorithm gives for this key; points that the strategy lists are not taken over.
        presplit = json("@presplit"),
    }
}

/// What all strategies of a run share, or what makes them comparable.
const SHARED: [&str; 9] = [
    "question",
    "seed",
    "replicates",
    "time",
    "strategy",
    "knee",
    "expect",
    "quick",
    "sweep",
];

/// Tables that a strategy can only change under `override`.
pub(super) fn overridable() -> impl Iterator<Item = &'static str> {
    let keys = SCENARIO.all().map(|setting| setting.key);
    keys.filter(|key| !SHARED.contains(key))
}

/// What a strategy is read from.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) text: &'a str,
    pub(super) folder: &'a Path,
    /// The whole file, overrides applied.
    pub(super) document: &'a TomlTable,
    /// The file without any strategy's overrides.
    pub(super) base: &'a Draft,
}

/// A strategy, and the fields that its key may name.
pub(super) struct ReadStrategy {
    pub(super) strategy: Strategy,
    pub(super) draft: Arc<Draft>,
}

/// A strategy's name with what it was read as: `None` when it could not be read.
pub(super) type Named = (String, Option<ReadStrategy>);

/// Reads all `[strategy.x]`; `None` stands for one that could not be read.
pub(super) fn read_strategies(scenario: &Reader<'_>, context: Context<'_>) -> Vec<Named> {
    let table = scenario.table("strategy");
    let entries = table.entries();
    if entries.is_empty() && !scenario.misspelt("strategy") {
        let diagnostic = Diagnostic::error("the scenario has no `[strategy.x]`")
            .label("nothing to compare")
            .help("add, for example, `[strategy.monotonic]` with `key = \"be8(ts)\"`");
        table.complain_of_table(diagnostic);
    }
    if entries.len() > MOST {
        table.sink.error(
            &entries[MOST].place,
            format!("{} strategies", entries.len()),
            format!("at most {MOST}"),
        );
    }
    let base = Arc::new(context.base.clone());
    let setup = Arc::new(context.base.setup.clone());
    let read = |entry: &Entry| {
        (
            entry.key.clone(),
            read_strategy(&table, entry, context, &base, &setup),
        )
    };
    entries.iter().take(MOST).map(read).collect()
}

fn read_strategy(
    table: &Reader<'_>,
    entry: &Entry,
    context: Context<'_>,
    base: &Arc<Draft>,
    setup: &Arc<Setup>,
) -> Option<ReadStrategy> {
    let sink = table.sink;
    super::names::check(sink, "strategy", &entry.key, &entry.place);
    let reader = Reader::new(
        sink,
        as_table(table, entry),
        entry.place.clone(),
        format!("strategy.{}", entry.key),
        &STRATEGY,
    );
    reader.table?;
    let title = reader
        .text("title")
        .map_or_else(|| entry.key.clone(), str::to_owned);
    let copies = read_copies(&reader, context.text);
    let key = reader
        .required_text("key")
        .zip(reader.table.and_then(|table| table.get("key")));
    let overlay = overlay(&reader);
    for section in overridable() {
        if let Some(entry) = reader.entry(section) {
            let diagnostic =
                Diagnostic::error(format!("unknown key `{section}` in {}", reader.name()))
                    .label("not a setting of the table")
                    .help(format!(
                        "write `override.{section}` to change it for one strategy"
                    ));
            sink.add(&entry.place, diagnostic);
        }
    }
    reader.finish();
    let (draft, setup) = match overlay {
        None => (base.clone(), setup.clone()),
        Some(overlay) => {
            let mut document = context.document.clone();
            for (place, diagnostic) in merge(&mut document, &overlay) {
                sink.add(&place, diagnostic);
            }
            // Defaults of an overlay are no defaults of the file.
            let own = Diagnostics::default();
            let draft = read_draft(&own, &document, context.text, context.folder);
            for diagnostic in own.into_parts().0 {
                sink.push(diagnostic);
            }
            let setup = Arc::new(draft.setup.clone());
            (Arc::new(draft), setup)
        }
    };
    let (text, key_entry) = key?;
    let copies: Vec<Option<Copy>> = copies
        .iter()
        .map(|copy| {
            let key = Arc::new(compile(sink, copy.text, copy.node, &draft, context.text)?);
            let presplit = match &copy.presplit {
                Some(own) => resolve(sink, own, &key),
                None => resolve_for_copy(&draft.presplit, &key),
            };
            Some(Copy {
                key,
                presplit,
                key_span: span_of(copy.node),
            })
        })
        .collect();
    let key = Arc::new(compile(sink, text, &key_entry.node, &draft, context.text)?);
    let presplit = resolve(sink, &draft.presplit, &key);
    check_length(sink, &draft.placement, &setup, &presplit);
    let strategy = Strategy {
        copies: copies.into_iter().collect::<Option<_>>()?,
        name: entry.key.clone(),
        title,
        key,
        presplit,
        setup,
        key_span: span_of(&key_entry.node),
    };
    Some(ReadStrategy { strategy, draft })
}

fn span_of(node: &Node) -> Range<usize> {
    match &node.place {
        SourcePlace::File(span) => span.clone(),
        SourcePlace::Setting(_) => 0..0,
    }
}

/// A further copy as the file asks for it.
struct CopyRequest<'a> {
    /// Its key.
    text: &'a str,
    /// Where the key stands.
    node: &'a Node,
    /// Its own pre-split; without one it follows from the strategy's.
    presplit: Option<Request>,
}

/// Further copies: keys in quotes, or tables of a key and a pre-split. `file` is the scenario's text.
fn read_copies<'a>(reader: &Reader<'a>, file: &str) -> Vec<CopyRequest<'a>> {
    let Some(items) = reader.list("copies") else {
        return Vec::new();
    };
    if items.len() > MOST_COPIES {
        reader.sink.error(
            &items[MOST_COPIES].place,
            format!("{} copies", items.len()),
            format!("at most {MOST_COPIES}: each is written with every row"),
        );
    }
    let request = |item: &'a Node| match &item.value {
        Value::Text(text) => Some(CopyRequest {
            text,
            node: item,
            presplit: None,
        }),
        Value::Table(table) => read_copy(reader, table, item, file),
        _ => {
            let expected = "a key in quotes, or a table of a `key` and its `presplit`";
            reader.wrong_type("copies", item, expected);
            None
        }
    };
    items.iter().take(MOST_COPIES).filter_map(request).collect()
}

/// `{ key = "...", presplit = ... }`.
fn read_copy<'a>(
    strategy: &Reader<'a>,
    table: &'a TomlTable,
    item: &Node,
    file: &str,
) -> Option<CopyRequest<'a>> {
    let path = strategy.path_of("copies");
    let reader = Reader::new(strategy.sink, Some(table), item.place.clone(), path, &COPY);
    let text = reader.required_text("key");
    let presplit = reader.has("presplit").then(|| read_presplit(&reader, file));
    reader.finish();
    Some(CopyRequest {
        text: text?,
        node: &table.get("key")?.node,
        presplit,
    })
}

/// Derived fields are checked even when no key uses them.
pub(super) fn check_derived(sink: &Diagnostics, draft: &Draft, file: &str) {
    let environment = environment(draft);
    for ((name, _), node) in draft.fields.derived.iter().zip(&draft.fields.derived_nodes) {
        // By its name, so that what is wrong inside is told from what makes it no key.
        for error in KeyPlan::compile_despite(name, &environment, &draft.fields.unreadable)
            .err()
            .unwrap_or_default()
        {
            if error.derived.is_some() {
                push(sink, &error, node, draft, file, Diagnostic::error);
            }
        }
    }
}

fn environment(draft: &Draft) -> Environment<'_> {
    Environment {
        schema: &draft.setup.schema,
        derived: &draft.fields.derived,
        parameters: &draft.fields.parameters,
    }
}

fn as_table<'a>(table: &Reader<'_>, entry: &'a Entry) -> Option<&'a TomlTable> {
    match &entry.node.value {
        Value::Table(inner) => Some(inner),
        other => {
            let message = format!("`strategy.{}` is {}", entry.key, other.kind());
            table
                .sink
                .error(&entry.node.place, message, "expected a table with a `key`");
            None
        }
    }
}

/// What the strategy changes, in the shape of the file; `None` when nothing.
fn overlay(reader: &Reader<'_>) -> Option<TomlTable> {
    let mut overlay = TomlTable::default();
    let overrides = reader.table("override");
    for entry in overrides.entries() {
        if SHARED.contains(&entry.key.as_str()) {
            let label = "the same for all strategies: what makes them comparable";
            reader.sink.error(
                &entry.place,
                format!("a strategy can't override `{}`", entry.key),
                label,
            );
        } else {
            overlay.entries.push(entry.clone());
        }
    }
    let own: Vec<Entry> = ALL_OF_TABLE
        .all()
        .filter_map(|setting| reader.entry(setting.key))
        .cloned()
        .collect();
    if let Some(first) = own.first() {
        let mut own = TomlTable {
            entries: own.clone(),
        };
        let place = first.place.clone();
        if let Some(Value::Table(table)) = overlay.get("table").map(|entry| &entry.node.value) {
            own.entries.extend(
                table
                    .entries
                    .iter()
                    .filter(|entry| own.get(&entry.key).is_none())
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        overlay.set(
            "table",
            place.clone(),
            Node {
                value: Value::Table(own),
                place,
            },
        );
    }
    (!overlay.entries.is_empty()).then_some(overlay)
}

fn compile(
    sink: &Diagnostics,
    text: &str,
    node: &Node,
    draft: &Draft,
    file: &str,
) -> Option<KeyPlan> {
    match KeyPlan::compile_despite(text, &environment(draft), &draft.fields.unreadable) {
        Ok(plan) => {
            let notes = plan.notes();
            for (at, note) in notes.iter().enumerate() {
                // Once a key is enough.
                if notes[..at]
                    .iter()
                    .any(|earlier| earlier.text.message == note.text.message)
                {
                    continue;
                }
                let severity = if note.is_warning {
                    Diagnostic::warning
                } else {
                    Diagnostic::note
                };
                push(sink, &note.text, node, draft, file, severity);
            }
            let longest = plan.len_range().1;
            if longest > RowKey::MAX_LEN {
                let message = format!("the key can have {longest} bytes");
                sink.error(
                    &node.place,
                    message,
                    format!("HBase takes rows of at most {} bytes", RowKey::MAX_LEN),
                );
                return None;
            }
            Some(plan)
        }
        Err(errors) => {
            for error in &errors {
                push(sink, error, node, draft, file, Diagnostic::error);
            }
            None
        }
    }
}

/// Ties a complaint of the key language to the file: to the key's own text, or to a derived field's.
fn push(
    sink: &Diagnostics,
    error: &KeyError,
    node: &Node,
    draft: &Draft,
    file: &str,
    severity: fn(String) -> Diagnostic,
) {
    let derived = error.derived.as_ref().and_then(|name| {
        let at = draft
            .fields
            .derived
            .iter()
            .position(|(derived, _)| derived == name)?;
        draft.fields.derived_nodes.get(at)
    });
    let node = derived.unwrap_or(node);
    let mut diagnostic = severity(error.message.clone()).label(error.label.clone());
    diagnostic.help.clone_from(&error.help);
    let place = match (&node.place, &node.value) {
        (SourcePlace::File(raw), Value::Text(value)) => {
            SourcePlace::File(locate(file, raw, value, &error.span))
        }
        (place, _) => place.clone(),
    };
    sink.add(&place, diagnostic);
}
