//! `[strategy.x]`: a key, and whatever else a candidate changes.

use super::cluster::check_length;
use super::draft::{ALL_OF_TABLE, Draft, SCENARIO, read_draft};
use super::expressions::{compile, push};
use super::model::Copy;
use super::prelude::*;
use super::presplits::{Request, read_presplit, resolve, resolve_for_copy};
use super::settings::merge;
use super::sweeps::SHARED;
use crate::key::{KeyPlan, Role};
use crate::keyspace::RowKey;
use crate::settings::{json, text};
use std::sync::Arc;

/// What messages call the changes of a strategy.
pub(super) const OVERRIDE: &str = "`override`";

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
        /// What names a write's cell within its row, an expression as the key is: writes with one key are cells of one row, those with the same
        /// qualifier, too, its versions. Default: a write has the cells that it says, in every row the same.
        qualifier = text(r#""minLength": 1"#),
        /// Keys of further copies of the table: another order, written with every row, read where it is cheaper.
        copies = json(r#""type": "array", "maxItems": 16, "items": { "anyOf": [{ "type": "string", "minLength": 1 }, "@copy"] }"#).with(&[&COPY]),
    }

    /// A further copy of the table under another key.
    pub(super) static COPY("copy", "") {
        /// The key expression of the copy.
        key = text(r#""minLength": 1"#).needs("\"be8(ts)\""),
        /// Its own. Default: what the strategy's algorithm gives for this key; points that the strategy lists are not taken over.
        presplit = json("@presplit"),
    }
}

/// Whether it is what all strategies of a run share, or what makes them comparable.
fn is_shared(key: &str) -> bool {
    SHARED.contains(&key) || key == "strategy"
}

/// Tables that a strategy can only change under `override`.
pub(super) fn overridable() -> impl Iterator<Item = &'static str> {
    let keys = SCENARIO.all().map(|setting| setting.key);
    keys.filter(|key| !is_shared(key))
}

/// A strategy, and the fields that its key may name.
pub(super) struct ReadStrategy {
    pub(super) strategy: Strategy,
    pub(super) draft: Arc<Draft>,
}

/// A strategy's name with what it was read as: `None` when it could not be read.
pub(super) type Named = (String, Option<ReadStrategy>);

/// Reads all `[strategy.x]` of a document, `base` without their overrides; `None` stands for one that could not be read.
pub(super) fn read_strategies(
    scenario: &Reader<'_>,
    document: &TomlTable,
    base: &Draft,
) -> Vec<Named> {
    let table = scenario.table("strategy");
    let entries = table.entries();
    if entries.is_empty() && !scenario.misspelt("strategy") {
        let diagnostic = Diagnostic::error("the scenario has no `[strategy.x]`")
            .label("nothing to compare")
            .help("add, for example, `[strategy.monotonic]` with `key = \"be8(ts)\"`");
        table.complain_of_table(diagnostic);
    }
    let base = Arc::new(base.clone());
    let entries = table.at_most(entries, MOST, "strategies", format!("at most {MOST}"));
    let read = |entry| read_strategy(&table, entry, document, &base);
    let named = entries.iter().map(|entry| (entry.key.clone(), read(entry)));
    named.collect()
}

fn read_strategy<'a>(
    table: &Reader<'a>,
    entry: &'a Entry,
    document: &TomlTable,
    base: &Arc<Draft>,
) -> Option<ReadStrategy> {
    let (sink, name) = (table.sink, &entry.key);
    super::names::check(sink, "strategy", name, &entry.place);
    if !matches!(entry.node.value, Value::Table(_)) {
        let expected = "a table such as `{ key = \"md5_bytes(id)\" }`";
        return table.wrong_type(name, &entry.node, expected);
    }
    let reader = table.table_at(entry, &STRATEGY);
    let title = reader.text("title").unwrap_or(name).to_owned();
    let copies = read_copies(&reader);
    let key = reader.required_text("key").zip(reader.node("key"));
    let qualifier = reader.text("qualifier").zip(reader.node("qualifier"));
    let overlay = overlay(&reader);
    for section in overridable() {
        // `family` is a setting of the table as well.
        if ALL_OF_TABLE.get(section).is_none() && reader.has(section) {
            let message = format!("unknown key `{section}` in {}", reader.name());
            let diagnostic = Diagnostic::error(message).label("not a setting of the table");
            let help = format!("write `override.{section}` to change it for one strategy");
            reader.refuse_section(section, diagnostic.help(help));
        }
    }
    reader.finish();
    let draft = match overlay {
        None => Arc::clone(base),
        Some(overlay) => {
            let mut document = document.clone();
            for (place, diagnostic) in merge(&mut document, &overlay, OVERRIDE) {
                sink.add(&place, diagnostic);
            }
            // Defaults of an overlay are no defaults of the file.
            let own = sink.apart();
            let draft = read_draft(&own, &document);
            sink.append(own);
            Arc::new(draft)
        }
    };
    let compiled = |role, expression| {
        let Draft { fields, setup, .. } = &*draft;
        compile(sink, role, expression, fields, &setup.schema)
    };
    let mut setup = Arc::clone(&draft.setup);
    let qualified = qualifier.map(|qualifier| {
        check_qualified(&reader, &draft);
        name_cells(Arc::make_mut(&mut setup));
        let plan = compiled(Role::Qualifier, qualifier)?;
        Some((plan, qualifier.1))
    });
    let cell_key = |key: &Arc<KeyPlan>| match &qualified {
        Some(Some((qualifier, node))) => joined(sink, key, qualifier, node, &draft),
        _ => Some(Arc::clone(key)),
    };
    let (text, node) = key?;
    let copies = copies.into_iter().map(|(text, node, presplit)| {
        let key = compiled(Role::RowKey, (text, node))?;
        let presplit = match &presplit {
            Some(own) => resolve(sink, own, &key),
            None => resolve_for_copy(&draft.presplit, &key),
        };
        Some(Copy {
            cell_key: cell_key(&key)?,
            key,
            presplit,
            key_span: node.place.span(),
        })
    });
    // All of them are looked at before any is given up.
    let copies: Vec<Option<Copy>> = copies.collect();
    let key = compiled(Role::RowKey, (text, node))?;
    let cell_key = cell_key(&key)?;
    let presplit = resolve(sink, &draft.presplit, &key);
    check_length(sink, &draft.placement, &draft.setup, &presplit);
    let strategy = Strategy {
        copies: copies.into_iter().collect::<Option<_>>()?,
        name: name.clone(),
        title,
        qualifier: match qualified {
            Some(qualifier) => Some(qualifier?.0),
            None => None,
        },
        cell_key,
        key,
        presplit,
        setup,
        key_span: node.place.span(),
    };
    Some(ReadStrategy { strategy, draft })
}

/// Complains about what names cells beside the strategy's `qualifier`.
fn check_qualified(reader: &Reader<'_>, draft: &Draft) {
    if let Some(write) = draft.named_cells.first() {
        let message = format!("`qualifier` beside the `cells` of `[write.{write}]`");
        let label = "a write has one cell, which this names";
        let help = "leave out one of them; what the cell holds is the `value` of its family";
        let diagnostic = Diagnostic::error(message).label(label).help(help);
        reader.complain_of_key("qualifier", diagnostic);
    }
    if draft.setup.table.qualifiers.len() > 1 {
        let label = "a write has one cell, which this names";
        let message = "`qualifier` beside several `table.qualifiers`";
        reader.refuse_key("qualifier", message, label);
    }
}

/// Each write has one cell, whose name is the strategy's to say.
fn name_cells(setup: &mut Setup) {
    for written in &mut setup.written {
        written.cells.truncate(1);
        for cell in &mut written.cells {
            cell.qualifier.clear();
        }
    }
}

/// The key with the qualifier behind it.
fn joined(
    sink: &Diagnostics,
    key: &KeyPlan,
    qualifier: &KeyPlan,
    node: &Node,
    draft: &Draft,
) -> Option<Arc<KeyPlan>> {
    let text = format!("{} || {}", key.text(), qualifier.text());
    let plan = KeyPlan::compile(&text, &draft.environment());
    if plan.is_err() {
        // Each of them compiles: together they are too long.
        let longest = key.len_range().1 + qualifier.len_range().1;
        let message = format!("key and qualifier of up to {longest} bytes");
        let label = format!("together they have at most {}", RowKey::MAX_LEN);
        let help = "hash or cut long values: `left(s, n)`, `md5_bytes(s)`";
        let diagnostic = Diagnostic::error(message).label(label).help(help);
        sink.add(&node.place, diagnostic);
    }
    plan.ok().map(Arc::new)
}

/// Further copies: keys in quotes, or tables of a key and a pre-split. Each key with its place, and the copy's own pre-split.
fn read_copies<'a>(reader: &Reader<'a>) -> Vec<(&'a str, &'a Node, Option<Request>)> {
    let label = format!("at most {MOST_COPIES}: each is written with every row");
    let items = reader.list("copies").unwrap_or_default();
    let items = reader.at_most(items, MOST_COPIES, "copies", label);
    let request = |item: &'a Node| match &item.value {
        Value::Text(key) => Some((key.as_str(), item, None)),
        Value::Table(_) => {
            let table = reader.table_of("copies", item, &item.place, &COPY);
            table.read_with(|copy| {
                let key = copy.required_text("key");
                let presplit = copy.has("presplit").then(|| read_presplit(copy));
                Some((key?, copy.node("key")?, presplit))
            })
        }
        _ => {
            let expected = "a key in quotes, or a table of a `key` and its `presplit`";
            reader.wrong_type("copies", item, expected)
        }
    };
    items.iter().filter_map(request).collect()
}

/// Derived fields are checked even when no key uses them, and what they use counts as used.
pub(super) fn check_derived(sink: &Diagnostics, draft: &Draft) {
    let (fields, environment) = (&draft.fields, draft.environment());
    for ((name, _), node) in fields.derived.iter().zip(&fields.derived_nodes) {
        // By its name, so that what is wrong inside is told from what makes it no key.
        let unreadable = &fields.unreadable;
        match KeyPlan::check(Role::RowKey, name, &environment, unreadable) {
            Ok(parameters) => sink.note_used(&parameters),
            Err(errors) => {
                for error in errors.into_iter().filter(|error| error.derived.is_some()) {
                    push(sink, &error, node, fields, Diagnostic::error);
                }
            }
        }
    }
}

/// What the strategy changes, in the shape of the file; `None` when nothing.
fn overlay(reader: &Reader<'_>) -> Option<TomlTable> {
    let mut overlay = TomlTable::default();
    let overrides = reader.table("override");
    for entry in overrides.entries() {
        let key = entry.key.as_str();
        if is_shared(key) {
            let label = "the same for all strategies: what makes them comparable";
            overrides.refuse_key(key, format!("a strategy can't override `{key}`"), label);
        } else {
            overlay.entries.push(entry.clone());
        }
    }
    with_own_table(overlay, |key| reader.entry(key))
}

/// The same of a strategy that was read without complaint.
pub(super) fn changes(strategy: &TomlTable) -> Option<TomlTable> {
    let overrides = strategy.table("override").cloned().unwrap_or_default();
    with_own_table(overrides, |key| strategy.get(key))
}

/// The settings of the table that stand beside the key, laid over those of an override.
fn with_own_table<'a>(
    mut overlay: TomlTable,
    entry: impl Fn(&'static str) -> Option<&'a Entry>,
) -> Option<TomlTable> {
    let own = ALL_OF_TABLE.all().filter_map(|setting| entry(setting.key));
    let own: Vec<&Entry> = own.collect();
    if let Some(first) = own.first() {
        let place = first.place.clone();
        let mut table = overlay.table("table").cloned().unwrap_or_default();
        for entry in own {
            table.set(&entry.key, entry.place.clone(), entry.node.clone());
        }
        let value = Value::Table(table);
        overlay.set("table", place.clone(), Node { value, place });
    }
    (!overlay.entries.is_empty()).then_some(overlay)
}
