//! The collecting reader: every key that is asked for is ticked off, every mistake goes to one list, and what was never asked for
//! is an unknown key.
//!
//! A default is given as the TOML text that a user could write, read by the same code, and noted: so `check --show` can't
//! print another default than the one that is used.

use super::diagnostic::Diagnostic;
use super::diagnostics::{Diagnostics, table_name};
use super::document;
use super::document::{Entry, Node, SourcePlace, TomlTable, Value};
use super::nearest::{nearest, suggest};
use crate::settings::{self, Shape};
use std::cell::RefCell;

crate::settings! {
    /// A table whose keys are names of the file.
    pub(super) static NAMES("", "") {}
}

/// Reads one table; an absent one reads as all defaults.
pub(super) struct Reader<'a> {
    pub(super) sink: &'a Diagnostics,
    pub(super) table: Option<&'a TomlTable>,
    pub(super) place: SourcePlace,
    /// Dotted; empty for the whole file.
    pub(super) path: String,
    /// What may stand in it.
    pub(super) spec: &'static settings::Table,
    asked: RefCell<Vec<&'a str>>,
    /// Unknown keys that were complained about already.
    misspelt: RefCell<Vec<&'a str>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        sink: &'a Diagnostics,
        table: Option<&'a TomlTable>,
        place: SourcePlace,
        path: impl Into<String>,
        spec: &'static settings::Table,
    ) -> Self {
        Self {
            sink,
            table,
            place,
            path: path.into(),
            spec,
            asked: RefCell::default(),
            misspelt: RefCell::default(),
        }
    }

    /// The table's name in messages.
    pub(super) fn name(&self) -> String {
        table_name(&self.path)
    }

    /// Asks for a key.
    pub(super) fn entry(&self, key: &'a str) -> Option<&'a Entry> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.table?.get(key)
    }

    /// Whether a key is there; doesn't ask for it.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.is_some_and(|table| table.get(key).is_some())
    }

    /// All entries: the table's keys are names.
    pub(super) fn entries(&self) -> &'a [Entry] {
        let entries = self.table.map_or(&[][..], |table| &table.entries);
        self.asked
            .borrow_mut()
            .extend(entries.iter().map(|entry| entry.key.as_str()));
        entries
    }

    /// Asks for a key that says nothing here, and complains when it is there; `label` says what it needs.
    pub(super) fn meaningless(&self, key: &'a str, label: &str) {
        if self.entry(key).is_some() {
            let message = format!("`{key}` has no meaning here");
            self.refuse_key(key, message, label);
        }
    }

    /// The place of a key, or of the table when it is absent.
    pub(super) fn place_of(&self, key: &str) -> SourcePlace {
        self.table
            .and_then(|table| table.get(key))
            .map_or_else(|| self.place.clone(), |entry| entry.place.clone())
    }

    /// The place of a key's value, or of the table when it is a default.
    pub(super) fn place_of_value(&self, key: &str) -> SourcePlace {
        let entry = self.table.and_then(|table| table.get(key));
        entry.map_or_else(|| self.place.clone(), |entry| entry.node.place.clone())
    }

    /// Complains about the value of a key.
    pub(super) fn refuse(&self, key: &str, message: impl Into<String>, label: impl Into<String>) {
        self.sink.error(&self.place_of_value(key), message, label);
    }

    /// Complains about a key, whatever its value.
    pub(super) fn refuse_key(
        &self,
        key: &str,
        message: impl Into<String>,
        label: impl Into<String>,
    ) {
        self.sink.error(&self.place_of(key), message, label);
    }

    /// Complains about the table as a whole.
    pub(super) fn refuse_table(&self, message: impl Into<String>, label: impl Into<String>) {
        self.sink.error(&self.place, message, label);
    }

    /// Adds a complaint about the value of a key.
    pub(super) fn complain(&self, key: &str, diagnostic: Diagnostic) {
        self.sink.add(&self.place_of_value(key), diagnostic);
    }

    /// Adds a complaint about a key, whatever its value.
    pub(super) fn complain_of_key(&self, key: &str, diagnostic: Diagnostic) {
        self.sink.add(&self.place_of(key), diagnostic);
    }

    /// Adds a complaint about the table as a whole.
    pub(super) fn complain_of_table(&self, diagnostic: Diagnostic) {
        self.sink.add(&self.place, diagnostic);
    }

    /// The dotted path of a key.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Complains about every key that nobody asked for.
    pub(super) fn finish(&self) {
        let asked = self.asked.borrow();
        self.sink.note_known(&self.path, &asked);
        for entry in self.table.map_or(&[][..], |table| &table.entries) {
            let key = entry.key.as_str();
            if asked.contains(&key) || self.misspelt.borrow().contains(&key) {
                continue;
            }
            let diagnostic = self.unknown(entry, suggest(&entry.key, asked.iter().copied()));
            if nearest(&entry.key, asked.iter().copied()).is_some() {
                self.sink.add(&entry.place, diagnostic);
            } else {
                let (place, path) = (&entry.place, self.path.as_str());
                self.sink.add_stray(place, diagnostic, path, &entry.key);
            }
        }
    }

    fn unknown(&self, entry: &Entry, help: Option<String>) -> Diagnostic {
        let message = format!("unknown key `{}` in {}", entry.key, self.name());
        let mut diagnostic = Diagnostic::error(message).label("unknown key");
        diagnostic.help = help;
        diagnostic
    }

    /// Whether a key that nobody asked for so far means `key`, which is missing; complains about it then.
    pub(super) fn misspelt(&self, key: &str) -> bool {
        let entries = self.table.map_or(&[][..], |table| &table.entries);
        let slip = entries.iter().find(|entry| {
            let found = entry.key.as_str();
            !self.asked.borrow().contains(&found)
                && !self.misspelt.borrow().contains(&found)
                && nearest(&entry.key, [key]).is_some()
        });
        if let Some(entry) = slip {
            let diagnostic = self.unknown(entry, Some(format!("did you mean `{key}`?")));
            self.sink.add(&entry.place, diagnostic);
            self.misspelt.borrow_mut().push(&entry.key);
        }
        slip.is_some()
    }

    /// Which of `keys` is there; asks for all of them. Complains when it isn't exactly one: `none` and `several` say what that makes the table.
    pub(super) fn one_of<const N: usize>(
        &self,
        keys: [&'a str; N],
        none: &str,
        several: &str,
    ) -> Option<&'a str> {
        for key in keys {
            self.entry(key);
        }
        let given: Vec<&str> = keys.into_iter().filter(|key| self.has(key)).collect();
        let (place, message) = match given[..] {
            [key] => return Some(key),
            [] if keys.iter().any(|key| self.misspelt(key)) => return None,
            [] => (self.place.clone(), none.to_owned()),
            [_, second, ..] => {
                let given = given.join("` and `");
                (self.place_of(second), format!("{several}: `{given}`"))
            }
        };
        let label = format!("expected exactly one of `{}`", keys.join("`, `"));
        self.sink.error(&place, message, label);
        None
    }

    /// A missing key that has no default, or the misspelt one that was meant.
    pub(super) fn missing(&self, key: &str, example: &str) {
        if self.misspelt(key) {
            return;
        }
        let message = format!("{} has no `{key}`", self.name());
        let diagnostic = Diagnostic::error(message)
            .label("required here")
            .help(format!("add `{key} = {example}`"));
        self.complain_of_table(diagnostic);
    }

    /// Notes a default, given in TOML syntax.
    pub(super) fn note_default(&self, key: &str, toml: &str) -> Node {
        let place = SourcePlace::Setting(format!("--set {}={toml}", self.path_of(key)).into());
        let node = document::parse_value(toml, &place).expect("defaults are valid TOML");
        self.sink.note_default(self.path_of(key), node.clone());
        node
    }

    pub(super) fn wrong_type(&self, key: &str, node: &Node, expected: &str) {
        let message = format!("`{}` is {}", self.path_of(key), node.value.kind());
        self.sink
            .error(&node.place, message, format!("expected {expected}"));
    }

    /// A sub-table; absent ones read as all defaults.
    pub(super) fn table(&self, key: &'a str) -> Reader<'a> {
        let path = self.path_of(key);
        let spec = match self.spec.get(key).map(|setting| setting.kind.shape) {
            Some(Shape::Table(table)) => table,
            _ => &NAMES,
        };
        match self.entry(key) {
            Some(entry) => self.table_of(key, &entry.node, &entry.place, path, spec),
            None => Reader::new(self.sink, None, self.place.clone(), path, spec),
        }
    }

    /// A node as a table.
    pub(super) fn table_of(
        &self,
        key: &str,
        node: &'a Node,
        place: &SourcePlace,
        path: String,
        spec: &'static settings::Table,
    ) -> Reader<'a> {
        let table = match &node.value {
            Value::Table(table) => Some(table),
            _ => {
                self.wrong_type(key, node, "a table");
                None
            }
        };
        Reader::new(self.sink, table, place.clone(), path, spec)
    }

    /// The tables under a key whose names the file chooses, at most so many; `what` they are in messages.
    pub(super) fn named(
        &self,
        key: &'a str,
        what: &str,
        most: usize,
        spec: &'static settings::Table,
    ) -> Vec<(&'a str, Reader<'a>)> {
        let table = self.table(key);
        let entries = table.entries();
        if let Some(beyond) = entries.get(most) {
            let message = format!("{} {what}s", entries.len());
            self.sink
                .error(&beyond.place, message, format!("at most {most}"));
        }
        let readers = entries.iter().take(most).map(|entry| {
            super::names::check(self.sink, what, &entry.key, &entry.place);
            let path = format!("{key}.{}", entry.key);
            let reader = table.table_of(&entry.key, &entry.node, &entry.place, path, spec);
            (entry.key.as_str(), reader)
        });
        readers
            .filter(|(_, reader)| reader.table.is_some())
            .collect()
    }

    /// The items of a list.
    pub(super) fn list(&self, key: &'a str) -> Option<&'a [Node]> {
        let entry = self.entry(key)?;
        match &entry.node.value {
            Value::Array(items) => Some(items),
            _ => {
                self.wrong_type(key, &entry.node, "a list");
                None
            }
        }
    }

    /// A list of texts, each with its place; a single text counts as a list of one when `single`.
    pub(super) fn texts(&self, key: &'a str, single: bool) -> Option<Vec<(&'a str, SourcePlace)>> {
        self.texts_of(key, &self.entry(key)?.node, single)
    }

    /// The same of a node.
    pub(super) fn texts_of<'n>(
        &self,
        key: &str,
        node: &'n Node,
        single: bool,
    ) -> Option<Vec<(&'n str, SourcePlace)>> {
        if let (Value::Text(text), true) = (&node.value, single) {
            return Some(vec![(text, node.place.clone())]);
        }
        let Value::Array(items) = &node.value else {
            self.wrong_type(
                key,
                node,
                if single {
                    "a name or a list of names"
                } else {
                    "a list of texts"
                },
            );
            return None;
        };
        let texts = items.iter().filter_map(|item| match &item.value {
            Value::Text(text) => Some((text.as_str(), item.place.clone())),
            _ => {
                self.wrong_type(key, item, "a text in quotes");
                None
            }
        });
        Some(texts.collect())
    }
}
