//! What readers asked for, and which values they take: noted in tests, which compare it with the JSON Schema.

use super::document::{Node, Value};
use serde_json::{Value as Json, json};
use std::cell::RefCell;

/// Everything that was asked for on this thread.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Dotted path of every key that some table may hold.
    pub(super) keys: Vec<String>,
    /// Dotted path and default.
    pub(super) defaults: Vec<(String, Json)>,
    /// Dotted path, a value, and whether the reader takes it.
    pub(super) values: Vec<(String, Json, bool)>,
}

thread_local! {
    static ASKED: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// What is asked for while `read` runs.
pub(super) fn during(read: impl FnOnce()) -> Asked {
    ASKED.set(Some(Asked::default()));
    read();
    ASKED.take().unwrap_or_default()
}

fn note(note: impl FnOnce(&mut Asked)) {
    ASKED.with_borrow_mut(|asked| asked.as_mut().map(note));
}

fn values(path: &str, values: impl IntoIterator<Item = (Json, bool)>) {
    note(|asked| {
        let values = values.into_iter();
        let values = values.map(|(value, taken)| (path.to_owned(), value, taken));
        asked.values.extend(values);
    });
}

pub(super) fn keys(path: &str, keys: &[&str]) {
    note(|asked| {
        let prefix = if path.is_empty() { "" } else { "." };
        let keys = keys.iter().map(|key| format!("{path}{prefix}{key}"));
        asked.keys.extend(keys);
    });
}

pub(super) fn default(path: &str, value: &Value) {
    note(|asked| asked.defaults.push((path.to_owned(), json(value))));
}

pub(super) fn boolean(path: &str) {
    values(path, [(json!(true), true), (json!(1), false)]);
}

pub(super) fn text(path: &str) {
    values(path, [(json!(5), false), (json!(false), false)]);
}

pub(super) fn words(path: &str, words: &[&str]) {
    let known = words.iter().map(|word| (json!(word), true));
    values(path, known.chain([(json!("no-such-word"), false)]));
}

pub(super) fn integer(path: &str, least: i64, greatest: i64) {
    let outside = [least.checked_sub(1), greatest.checked_add(1)];
    let outside = outside
        .into_iter()
        .flatten()
        .map(|value| (json!(value), false));
    let inside = [least, greatest].map(|value| (json!(value), true));
    values(
        path,
        inside
            .into_iter()
            .chain(outside)
            .chain([(json!("5"), false), (json!(5.5), false)]),
    );
}

pub(super) fn number(path: &str, accepts: impl Fn(f64) -> bool) {
    let tried = [
        -1.0,
        0.0,
        0.001,
        0.5,
        1.0,
        1.5,
        9.5,
        10.5,
        99.5,
        100.5,
        999_999.5,
        1_000_000.5,
    ];
    let tried = tried.map(|value| (json!(value), accepts(value)));
    values(path, tried.into_iter().chain([(json!("0.5"), false)]));
}

pub(super) fn unit(path: &str, takes: impl Fn(&str) -> bool) {
    let tried = [
        "1us", "20ms", "1.5s", " 2 m ", "3h", "30d", "5w", "1e3s", "-1s", ".5s", "1_000s", "1.s",
        "5", "s", "", "100B", "64KB", "1.5MB", "10 GB", "1TB", "2KiB", "2MiB", "2GiB", "2TiB",
        "5kb", "5PB", "10MB/s", "1KiB/s", "10MB/min", "40k/s", "1.5M/s", "20/min", "0.5 /s",
        "60 k/s", "5/h", "5K/s",
    ];
    let tried = tried.map(|value| (json!(value), takes(value)));
    values(path, tried.into_iter().chain([(json!(5), false)]));
}

/// A value as an editor sees it: dates are texts.
fn json(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text),
        Value::Integer(value) => json!(*value as i64),
        Value::Float(value) => json!(value),
        Value::Boolean(value) => json!(value),
        Value::Datetime(value) => json!(value.to_string()),
        Value::Array(items) => items.iter().map(|Node { value, .. }| json(value)).collect(),
        Value::Table(table) => {
            let entries = table.entries.iter();
            entries
                .map(|entry| (entry.key.clone(), json(&entry.node.value)))
                .collect()
        }
    }
}
