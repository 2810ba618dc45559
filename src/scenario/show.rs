//! A document as TOML again, with the defaults that were used.

use super::document::{Entry, Node, SourcePlace, TomlTable, Value};
use crate::text::is_hidden;
use std::fmt::Write;

/// Tables whose children are tables of their own, with their own header.
const NAMED: [&str; 4] = ["write", "existing", "read", "neighbour"];

/// The order in which a reader wants to know.
const ORDER: [&str; 16] = [
    "time",
    "parameter",
    "field",
    "write",
    "existing",
    "read",
    "cluster",
    "table",
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
    for entry in document
        .entries
        .iter()
        .filter(|entry| !is_section(&entry.node))
    {
        line(&mut out, entry);
    }
    let mut sections: Vec<&Entry> = document
        .entries
        .iter()
        .filter(|entry| is_section(&entry.node))
        .collect();
    // The order of the sort is stable: tables that are not listed keep theirs, at the end.
    sections.sort_by_key(|entry| {
        ORDER
            .iter()
            .position(|key| *key == entry.key)
            .unwrap_or(ORDER.len())
    });
    for entry in sections {
        section(&mut out, entry);
    }
    out
}

/// Every setting of a table as `path=value`.
pub(super) fn settings(table: &TomlTable) -> Vec<String> {
    let mut all = Vec::new();
    for entry in &table.entries {
        let path = key(&entry.key);
        match &entry.node.value {
            Value::Table(inner) => all.extend(
                settings(inner)
                    .iter()
                    .map(|setting| format!("{path}.{setting}")),
            ),
            _ => all.push(format!("{path}={}", value(&entry.node.value))),
        }
    }
    all
}

fn descend<'a>(table: &'a mut TomlTable, key: &str) -> Option<&'a mut TomlTable> {
    if table.get(key).is_none() {
        let place = SourcePlace::File(0..0);
        table.set(
            key,
            place.clone(),
            Node {
                value: Value::Table(TomlTable::default()),
                place,
            },
        );
    }
    match &mut table.get_mut(key)?.node.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

fn is_section(node: &Node) -> bool {
    match &node.value {
        Value::Table(_) => true,
        Value::Array(items) => {
            !items.is_empty()
                && items
                    .iter()
                    .all(|item| matches!(item.value, Value::Table(_)))
        }
        _ => false,
    }
}

fn section(out: &mut String, entry: &Entry) {
    let name = key(&entry.key);
    match &entry.node.value {
        Value::Array(items) => {
            for item in items {
                let _ = writeln!(out, "\n[[{name}]]");
                if let Value::Table(table) = &item.value {
                    table.entries.iter().for_each(|entry| line(out, entry));
                }
            }
        }
        Value::Table(table) => {
            let named = NAMED.contains(&entry.key.as_str()) || entry.key == "strategy";
            let is_own = |inner: &&Entry| {
                let table = matches!(inner.node.value, Value::Table(_));
                table && (named || (entry.key == "cluster"))
            };
            let plain: Vec<&Entry> = table
                .entries
                .iter()
                .filter(|inner| !is_own(inner))
                .collect();
            if !plain.is_empty() || table.entries.is_empty() {
                let _ = writeln!(out, "\n[{name}]");
            }
            for inner in plain {
                line(out, inner);
            }
            for inner in table.entries.iter().filter(is_own) {
                let _ = writeln!(out, "\n[{name}.{}]", key(&inner.key));
                if let Value::Table(table) = &inner.node.value {
                    table.entries.iter().for_each(|entry| line(out, entry));
                }
            }
        }
        _ => {}
    }
}

fn line(out: &mut String, entry: &Entry) {
    let _ = writeln!(out, "{} = {}", key(&entry.key), value(&entry.node.value));
}

fn key(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if bare { key.to_owned() } else { quoted(key) }
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
            let entries: Vec<String> = table
                .entries
                .iter()
                .map(|entry| format!("{} = {}", key(&entry.key), value(&entry.node.value)))
                .collect();
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
