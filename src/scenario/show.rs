//! A document as TOML again, with the defaults that were used.

use super::document::{Entry, Node, Path, SourcePlace, TomlTable, Value};
use crate::text::is_hidden;
use std::fmt::Write;

/// Tables whose children are tables of their own, with their own header.
const NESTED: &[&str] = &[
    "write",
    "family",
    "existing",
    "read",
    "neighbour",
    "strategy",
    "cluster",
];

/// The order in which a reader wants to know.
const ORDER: [&str; 17] = [
    "time",
    "parameter",
    "field",
    "write",
    "existing",
    "read",
    "cluster",
    "table",
    "family",
    "client",
    "balancer",
    "event",
    "neighbour",
    "sweep",
    "strategy",
    "knee",
    "expect",
];

/// The document with `defaults` (dotted path, value) filled in where it says nothing, as TOML that reads as the same scenario.
pub(super) fn show(document: &TomlTable, defaults: &[(String, Node)]) -> String {
    let mut document = document.clone();
    for (path, node) in defaults {
        let mut keys: Vec<&str> = path.split('.').collect();
        let Some(last) = keys.pop() else { continue };
        let mut table = Some(&mut document);
        for key in keys {
            table = table.and_then(|table| descend(table, key));
        }
        if let Some(table) = table.filter(|table| table.get(last).is_none()) {
            table.set(last, node.place.clone(), node.clone());
        }
    }
    let mut out = String::new();
    let all = document.entries.iter();
    let (mut sections, plain): (Vec<&Entry>, Vec<_>) =
        all.partition(|entry| is_section(&entry.node));
    for entry in plain {
        line(&mut out, entry);
    }
    // The sort is stable: tables that are not listed keep their order, at the end.
    let place = |key: &str| ORDER.iter().position(|known| *known == key);
    sections.sort_by_key(|entry| place(&entry.key).unwrap_or(ORDER.len()));
    for entry in sections {
        section(&mut out, entry);
    }
    out
}

/// Every setting of a table as `path=value`.
pub(super) fn settings(table: &TomlTable) -> Vec<String> {
    let setting = |(keys, entry): (Path, &Entry)| {
        let keys: Vec<String> = keys.iter().map(|(name, _)| key(name)).collect();
        format!("{}={}", keys.join("."), value(&entry.node.value))
    };
    let leaves = table.leaves(&|_| false);
    leaves.into_iter().map(setting).collect()
}

fn descend<'a>(table: &'a mut TomlTable, key: &str) -> Option<&'a mut TomlTable> {
    if table.get(key).is_none() {
        let place = SourcePlace::File(0..0);
        table.set(key, place.clone(), Node::empty_table(place));
    }
    match table.value_mut(key) {
        Some(Value::Table(table)) => Some(table),
        _ => None,
    }
}

fn is_section(node: &Node) -> bool {
    match &node.value {
        Value::Table(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(|it| it.table().is_some()),
        _ => false,
    }
}

fn section(out: &mut String, entry: &Entry) {
    let name = key(&entry.key);
    if let Value::Array(items) = &entry.node.value {
        for table in items.iter().filter_map(Node::table) {
            lines(out, &format!("[[{name}]]"), &table.entries);
        }
    }
    let Some(table) = entry.node.table() else {
        return;
    };
    let nested = NESTED.contains(&entry.key.as_str());
    let all = table.entries.iter();
    let (own, plain): (Vec<&Entry>, Vec<_>) =
        all.partition(|it| nested && it.node.table().is_some());
    if !plain.is_empty() || table.entries.is_empty() {
        lines(out, &format!("[{name}]"), plain);
    }
    for inner in own {
        let entries = inner.node.table().map_or(&[][..], |table| &table.entries);
        lines(out, &format!("[{name}.{}]", key(&inner.key)), entries);
    }
}

/// A header with what stands under it.
fn lines<'a>(out: &mut String, header: &str, entries: impl IntoIterator<Item = &'a Entry>) {
    let _ = writeln!(out, "\n{header}");
    entries.into_iter().for_each(|entry| line(out, entry));
}

fn line(out: &mut String, entry: &Entry) {
    let _ = writeln!(out, "{}", assignment(entry));
}

fn assignment(entry: &Entry) -> String {
    format!("{} = {}", key(&entry.key), value(&entry.node.value))
}

fn key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => quoted(key),
    }
}

/// A value as TOML.
pub(super) fn value(node: &Value) -> String {
    match node {
        Value::Text(text) => quoted(text),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) if value.is_nan() => "nan".to_owned(),
        Value::Float(value) if value.is_infinite() => {
            if *value > 0.0 { "inf" } else { "-inf" }.to_owned()
        }
        // Debug writes a fraction or an exponent always: TOML would read an integer without.
        Value::Float(value) => format!("{value:?}"),
        Value::Boolean(value) => value.to_string(),
        Value::Datetime(value) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| value(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(table) if table.entries.is_empty() => "{}".to_owned(),
        Value::Table(table) => {
            let entries: Vec<String> = table.entries.iter().map(assignment).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let literal = !text.contains('\'') && !text.contains(|c: char| c.is_control() || is_hidden(c));
    if text.contains(['\\', '"']) && literal {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_hidden(c) => {
                let _ = write!(out, "\\U{:08X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
