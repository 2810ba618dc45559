//! The collecting reader: every key that is asked for is ticked off, every mistake goes to one list, and what was never
//! asked for is an unknown key. Must not know what any key means.
//!
//! A default is given as the TOML text that a user could write, read by the same code, and noted: so `check --show` can't
//! print another default than the one that is used.

use super::document::{Entry, Node, Place, Table, Value};
use super::nearest::{either, nearest, suggest};
use super::sink::{Sink, table_name};
use super::{Diagnostic, document};
use std::cell::RefCell;

/// Reads one table; an absent one reads as all defaults.
pub(super) struct Reader<'a> {
    pub(super) sink: &'a Sink,
    pub(super) table: Option<&'a Table>,
    pub(super) place: Place,
    /// Dotted; empty for the whole file.
    pub(super) path: String,
    asked: RefCell<Vec<&'a str>>,
    /// Unknown keys that were complained about already.
    misspelt: RefCell<Vec<&'a str>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        sink: &'a Sink,
        table: Option<&'a Table>,
        place: Place,
        path: impl Into<String>,
    ) -> Self {
        Self {
            sink,
            table,
            place,
            path: path.into(),
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
        self.asked.borrow_mut().push(key);
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
            self.sink.error(&self.place_of(key), message, label);
        }
    }

    /// The place of a key, or of the table when it is absent.
    pub(super) fn place_of(&self, key: &str) -> Place {
        self.table
            .and_then(|table| table.get(key))
            .map_or_else(|| self.place.clone(), |entry| entry.place.clone())
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
    pub(super) fn finish(self) {
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
        self.sink.add(&self.place, diagnostic);
    }

    /// Notes a default, given in TOML syntax.
    pub(super) fn note_default(&self, key: &str, toml: &str) -> Node {
        let place = Place::Setting(format!("--set {}={toml}", self.path_of(key)).into());
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
        match self.entry(key) {
            Some(entry) => self.table_of(key, &entry.node, &entry.place, path),
            None => Reader::new(self.sink, None, self.place.clone(), path),
        }
    }

    /// A node as a table.
    pub(super) fn table_of(
        &self,
        key: &str,
        node: &'a Node,
        place: &Place,
        path: String,
    ) -> Reader<'a> {
        match &node.value {
            Value::Table(table) => Reader::new(self.sink, Some(table), place.clone(), path),
            _ => {
                self.wrong_type(key, node, "a table");
                Reader::new(self.sink, None, place.clone(), path)
            }
        }
    }

    pub(super) fn read<T>(
        &self,
        key: &'a str,
        read: impl Fn(&Self, &Node) -> Option<T>,
    ) -> Option<T> {
        let entry = self.entry(key)?;
        read(self, &entry.node)
    }

    pub(super) fn read_or<T>(
        &self,
        key: &'a str,
        default: &str,
        read: impl Fn(&Self, &Node) -> Option<T>,
    ) -> T {
        let found = match self.entry(key) {
            Some(entry) => read(self, &entry.node),
            None => {
                return read(self, &self.note_default(key, default)).expect("defaults are valid");
            }
        };
        found.unwrap_or_else(|| {
            let node =
                document::parse_value(default, &self.place).expect("defaults are valid TOML");
            read(self, &node).expect("defaults are valid")
        })
    }

    /// A text.
    pub(super) fn text(&self, key: &'a str) -> Option<&'a str> {
        let entry = self.entry(key)?;
        #[cfg(test)]
        super::asked::text(&self.path_of(key));
        match &entry.node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong_type(key, &entry.node, "a text in quotes");
                None
            }
        }
    }

    /// A text with a default (not in quotes).
    pub(super) fn text_or(&self, key: &'a str, default: &str) -> String {
        if self.has(key) {
            self.text(key).unwrap_or(default).to_owned()
        } else {
            self.entry(key);
            self.note_default(key, &format!("{default:?}"));
            default.to_owned()
        }
    }

    fn boolean_node(&self, key: &str, node: &Node) -> Option<bool> {
        #[cfg(test)]
        super::asked::boolean(&self.path_of(key));
        if let Value::Boolean(value) = node.value {
            return Some(value);
        }
        self.wrong_type(key, node, "`true` or `false`");
        None
    }

    /// A boolean.
    pub(super) fn boolean(&self, key: &'a str) -> Option<bool> {
        self.read(key, |reader, node| reader.boolean_node(key, node))
    }

    /// A boolean with a default.
    pub(super) fn boolean_or(&self, key: &'a str, default: &str) -> bool {
        self.read_or(key, default, |reader, node| reader.boolean_node(key, node))
    }

    /// One of some words.
    pub(super) fn word_node<T: Copy>(
        &self,
        key: &str,
        node: &Node,
        words: &[(&str, T)],
    ) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        #[cfg(test)]
        super::asked::words(&self.path_of(key), &names);
        let Value::Text(text) = &node.value else {
            self.wrong_type(key, node, &either(&names));
            return None;
        };
        let found = words.iter().find(|(name, _)| name == text);
        if found.is_none() {
            let mut diagnostic =
                Diagnostic::error(format!("unknown `{}` `{text}`", self.path_of(key)));
            diagnostic.label = if names.len() <= 12 {
                format!("expected {}", either(&names))
            } else {
                String::new()
            };
            diagnostic.help =
                suggest(text, names.iter().copied()).filter(|help| help.starts_with("did"));
            self.sink.add(&node.place, diagnostic);
        }
        found.map(|&(_, value)| value)
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&self, key: &'a str, words: &[(&str, T)]) -> Option<T> {
        self.read(key, |reader, node| reader.word_node(key, node, words))
    }

    /// One of some words, with a default.
    pub(super) fn word_or<T: Copy>(&self, key: &'a str, words: &[(&str, T)], default: &str) -> T {
        self.read_or(key, &format!("{default:?}"), |reader, node| {
            reader.word_node(key, node, words)
        })
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
    pub(super) fn texts(&self, key: &'a str, single: bool) -> Option<Vec<(&'a str, Place)>> {
        let entry = self.entry(key)?;
        if let (Value::Text(text), true) = (&entry.node.value, single) {
            return Some(vec![(text, entry.node.place.clone())]);
        }
        let Value::Array(items) = &entry.node.value else {
            self.wrong_type(
                key,
                &entry.node,
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
