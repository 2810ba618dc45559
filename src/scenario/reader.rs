//! The collecting reader: every key that is asked for is ticked off, every mistake goes to one list, and what was never asked for
//! is an unknown key.
//!
//! A default is given as the TOML text that a user could write, read by the same code, and noted: so `check --show` can't
//! print another default than the one that is used.

use super::diagnostic::{Diagnostic, Text};
use super::diagnostics::{Diagnostics, Refused, table_name};
use super::document::{self, Entry, Node, SourcePlace, TomlTable, Value};
use super::names::{nearest, suggest};
use crate::settings::{self, Shape};
use std::cell::RefCell;

crate::settings! {
    /// A table whose keys are names of the file.
    pub(super) static NAMES("", "") {}
}

/// So many settings of a table are named where something else stands.
const NAMED_SETTINGS: usize = 5;

/// What stands somewhere in a file.
pub(super) trait Placed {
    fn place(&self) -> &SourcePlace;
}

impl Placed for Entry {
    fn place(&self) -> &SourcePlace {
        &self.place
    }
}

impl Placed for Node {
    fn place(&self) -> &SourcePlace {
        &self.place
    }
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
    /// Keys that may stand there, too: names of the file, and what is refused with advice.
    asked: RefCell<Vec<&'a str>>,
    /// Unknown keys that were complained about already.
    misspelt: RefCell<Vec<&'a str>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        sink: &'a Diagnostics,
        table: Option<&'a TomlTable>,
        place: SourcePlace,
        path: String,
        spec: &'static settings::Table,
    ) -> Self {
        Self {
            sink,
            table,
            place,
            path,
            spec,
            asked: RefCell::default(),
            misspelt: RefCell::default(),
        }
    }

    /// The whole file.
    pub(super) fn whole(
        sink: &'a Diagnostics,
        document: &'a TomlTable,
        spec: &'static settings::Table,
    ) -> Self {
        let place = SourcePlace::File(0..0);
        Self::new(sink, Some(document), place, String::new(), spec)
    }

    /// The table's name in messages.
    pub(super) fn name(&self) -> String {
        table_name(&self.path)
    }

    /// What stands under a key; doesn't ask for it.
    pub(super) fn node(&self, key: &str) -> Option<&'a Node> {
        #[cfg(test)]
        super::asked_fixture::keys(&self.path, &[key]);
        Some(&self.table?.get(key)?.node)
    }

    /// Asks for a key.
    pub(super) fn entry(&self, key: &'a str) -> Option<&'a Entry> {
        #[cfg(test)]
        super::asked_fixture::keys(&self.path, &[key]);
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.table?.get(key)
    }

    /// Whether a key is there; doesn't ask for it.
    pub(super) fn has(&self, key: &str) -> bool {
        self.node(key).is_some()
    }

    /// All entries: the table's keys are names.
    pub(super) fn entries(&self) -> &'a [Entry] {
        let entries = self.table.map_or(&[][..], |table| &table.entries);
        self.asked
            .borrow_mut()
            .extend(entries.iter().map(|entry| entry.key.as_str()));
        entries
    }

    /// The keys that may stand there: those that were asked for, and all declared settings but those of another choice.
    fn known(&self) -> Vec<&'a str> {
        let mut known = self.asked.borrow().clone();
        for setting in self.spec.all() {
            let fits = setting.kind.of.is_none_or(|(choice, words)| {
                let chosen = self.node(choice).map(|node| &node.value);
                matches!(chosen, Some(Value::Text(word)) if words.contains(&word.as_str()))
            });
            if fits && !known.contains(&setting.key) {
                known.push(setting.key);
            }
        }
        known
    }

    /// The first so many of these; complains about more of them.
    pub(super) fn at_most<'i, T: Placed>(
        &self,
        items: &'i [T],
        most: usize,
        what: &str,
        label: impl Text,
    ) -> &'i [T] {
        if let Some(beyond) = items.get(most) {
            let message = format!("{} {what}", items.len());
            self.sink.error(beyond.place(), message, label);
        }
        &items[..most.min(items.len())]
    }

    /// Asks for a key that says nothing here, and complains when it is there; `label` says what it needs.
    pub(super) fn meaningless(&self, key: &'a str, label: &str) -> Refused {
        if self.entry(key).is_some() {
            let message = format!("`{key}` has no meaning here");
            self.refuse_key(key, message, label);
        }
        None
    }

    /// The place of a key, or of the table when it is absent.
    pub(super) fn place_of(&self, key: &str) -> SourcePlace {
        let entry = self.table.and_then(|table| table.get(key));
        entry.map_or_else(|| self.place.clone(), |entry| entry.place.clone())
    }

    /// The place of a key's value, or of the table when it is a default.
    pub(super) fn place_of_value(&self, key: &str) -> SourcePlace {
        let node = self.node(key);
        node.map_or_else(|| self.place.clone(), |node| node.place.clone())
    }

    /// Complains about the value of a key.
    pub(super) fn refuse(&self, key: &str, message: impl Text, label: impl Text) -> Refused {
        self.complain(key, Diagnostic::error(message).label(label))
    }

    /// Complains about a key, whatever its value.
    pub(super) fn refuse_key(&self, key: &str, message: impl Text, label: impl Text) -> Refused {
        self.complain_of_key(key, Diagnostic::error(message).label(label))
    }

    /// Complains about the table as a whole.
    pub(super) fn refuse_table(&self, message: impl Text, label: &str) -> Refused {
        self.sink.error(&self.place, message, label)
    }

    /// Complains about a key whose value takes more memory than there is: `what` needs so many bytes.
    pub(super) fn refuse_memory(&self, key: &str, what: &str, bytes: f64) -> bool {
        let place = self.place_of_value(key);
        self.sink.refuse_memory(&place, what, bytes)
    }

    /// Adds a complaint about the value of a key.
    pub(super) fn complain(&self, key: &str, diagnostic: Diagnostic) -> Refused {
        self.sink.add(&self.place_of_value(key), diagnostic)
    }

    /// Adds a complaint about a key, whatever its value.
    pub(super) fn complain_of_key(&self, key: &str, diagnostic: Diagnostic) -> Refused {
        self.sink.add(&self.place_of(key), diagnostic)
    }

    /// The same of a table that has no place in this one, so that it is not offered for other keys.
    pub(super) fn refuse_section(&self, key: &'a str, diagnostic: Diagnostic) {
        self.complain_of_key(key, diagnostic);
        self.misspelt.borrow_mut().push(key);
    }

    /// Adds a complaint about the table as a whole.
    pub(super) fn complain_of_table(&self, diagnostic: Diagnostic) -> Refused {
        self.sink.add(&self.place, diagnostic)
    }

    /// The dotted path of a key.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Complains about every key that the table does not know.
    pub(super) fn finish(&self) {
        let known = self.known();
        #[cfg(test)]
        super::asked_fixture::keys(&self.path, &self.asked.borrow());
        self.sink.note_known(&self.path, &known);
        for entry in self.table.map_or(&[][..], |table| &table.entries) {
            let key = entry.key.as_str();
            if known.contains(&key) || self.misspelt.borrow().contains(&key) {
                continue;
            }
            let diagnostic = self.unknown(entry, suggest(key, known.iter().copied()));
            if nearest(key, known.iter().copied()).is_some() {
                self.sink.add(&entry.place, diagnostic);
            } else {
                self.sink
                    .add_stray(&entry.place, diagnostic, &self.path, key);
            }
        }
    }

    fn unknown(&self, entry: &Entry, help: Option<String>) -> Diagnostic {
        let message = format!("unknown key `{}` in {}", entry.key, self.name());
        Diagnostic::error(message).label("unknown key").hint(help)
    }

    /// Whether a key that the table does not know means `key`, which is missing; complains about it then.
    pub(super) fn misspelt(&self, key: &str) -> bool {
        let entries = self.table.map_or(&[][..], |table| &table.entries);
        let known = [self.known(), self.misspelt.borrow().clone()].concat();
        let slip = entries.iter().find(|entry| {
            !known.contains(&entry.key.as_str()) && nearest(&entry.key, [key]).is_some()
        });
        if let Some(entry) = slip {
            let diagnostic = self.unknown(entry, Some(format!("did you mean `{key}`?")));
            self.sink.add(&entry.place, diagnostic);
            self.misspelt.borrow_mut().push(&entry.key);
        }
        slip.is_some()
    }

    /// Which of `keys` is there. Complains when it isn't exactly one: `none` and `several` say what that makes the table.
    pub(super) fn one_of<const N: usize>(
        &self,
        keys: [&'a str; N],
        none: &str,
        several: &str,
    ) -> Option<&'a str> {
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

    /// Complains when a key is missing that has no default, or of the misspelt one that was meant.
    pub(super) fn missing(&self, key: &str, example: &str) -> Refused {
        if self.has(key) || self.misspelt(key) {
            return None;
        }
        let message = format!("{} has no `{key}`", self.name());
        let diagnostic = Diagnostic::error(message)
            .label("required here")
            .help(format!("add `{key} = {example}`"));
        self.complain_of_table(diagnostic)
    }

    /// Notes a default, given in TOML syntax.
    pub(super) fn note_default(&self, key: &str, toml: &str) -> Node {
        let place = SourcePlace::Setting(format!("--set {}={toml}", self.path_of(key)).into());
        let node = document::parse_value(toml, &place).expect("defaults are valid TOML");
        self.sink.note_default(self.path_of(key), node.clone());
        node
    }

    /// Complains about a value of another type: nothing is read.
    pub(super) fn wrong_type<T>(&self, key: &str, node: &Node, expected: &str) -> Option<T> {
        let message = format!("`{}` is {}", self.path_of(key), node.value.kind());
        let label = format!("expected {expected}");
        self.sink.error(&node.place, message, label);
        None
    }

    /// A sub-table; absent ones read as all defaults.
    pub(super) fn table(&self, key: &'a str) -> Reader<'a> {
        let spec = match self.spec.get(key).map(|setting| setting.kind.shape) {
            Some(Shape::Table(table)) => table,
            _ => &NAMES,
        };
        match self.entry(key) {
            Some(entry) => self.table_at(entry, spec),
            None => Reader::new(self.sink, None, self.place.clone(), self.path_of(key), spec),
        }
    }

    /// What is read from a sub-table, if there is one.
    pub(super) fn inside<T>(
        &self,
        key: &'a str,
        read: impl FnOnce(&Reader<'a>) -> Option<T>,
    ) -> Option<T> {
        self.table(key).read_with(read)
    }

    /// What is read from the table, if it is one.
    pub(super) fn read_with<T>(&self, read: impl FnOnce(&Self) -> Option<T>) -> Option<T> {
        self.table?;
        let found = read(self);
        self.finish();
        found
    }

    /// An entry as a table.
    pub(super) fn table_at(&self, entry: &'a Entry, spec: &'static settings::Table) -> Reader<'a> {
        self.table_of(&entry.key, &entry.node, &entry.place, spec)
    }

    /// A node as a table, which stands at `place`.
    pub(super) fn table_of(
        &self,
        key: &str,
        node: &'a Node,
        place: &SourcePlace,
        spec: &'static settings::Table,
    ) -> Reader<'a> {
        let table = match &node.value {
            Value::Table(table) => Some(table),
            _ => self.wrong_type(key, node, &a_table_of(spec)),
        };
        Reader::new(self.sink, table, place.clone(), self.path_of(key), spec)
    }

    /// One item of a list of tables.
    pub(super) fn item(
        &self,
        key: &str,
        at: usize,
        node: &'a Node,
        spec: &'static settings::Table,
    ) -> Reader<'a> {
        let mut item = self.table_of(key, node, &node.place, spec);
        item.path += &format!("[{at}]");
        item
    }

    /// The tables `[[key]]`, at most so many.
    pub(super) fn tables(
        &self,
        key: &'a str,
        most: usize,
        spec: &'static settings::Table,
    ) -> Vec<Reader<'a>> {
        let Some(entry) = self.entry(key) else {
            return Vec::new();
        };
        let Value::Array(items) = &entry.node.value else {
            let message = format!("`{key}` is {}", entry.node.value.kind());
            self.refuse_key(key, message, format!("expected `[[{key}]]`"));
            return Vec::new();
        };
        let items = self.at_most(items, most, &format!("{key}s"), format!("at most {most}"));
        let tables = items
            .iter()
            .map(|item| self.table_of(key, item, &item.place, spec));
        tables.filter(|table| table.table.is_some()).collect()
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
        let is_setting = |entry: &Entry| spec.settings.iter().any(|it| it.key == entry.key);
        let is_table = |entry: &Entry| matches!(entry.node.value, Value::Table(_));
        let mut entries = table.entries().iter();
        if entries.any(|entry| is_setting(entry) && !is_table(entry)) {
            let diagnostic = Diagnostic::error(format!("`[{key}]` has no name"))
                .label(format!("expected `[{key}.NAME]`"))
                .help(format!(
                    "each {what} has a name of its own, as in `[{key}.a]`"
                ));
            table.complain_of_table(diagnostic);
            return Vec::new();
        }
        let (what_all, label) = (format!("{what}s"), format!("at most {most}"));
        let entries = table.at_most(table.entries(), most, &what_all, label);
        let readers = entries.iter().map(|entry| {
            super::names::check(self.sink, what, &entry.key, &entry.place);
            (entry.key.as_str(), table.table_at(entry, spec))
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
            _ => self.wrong_type(key, &entry.node, "a list"),
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
            let expected = match single {
                true => "a name or a list of names",
                false => "a list of texts",
            };
            return self.wrong_type(key, node, expected);
        };
        let texts = items.iter().filter_map(|item| match &item.value {
            Value::Text(text) => Some((text.as_str(), item.place.clone())),
            _ => self.wrong_type(key, item, "a text in quotes"),
        });
        Some(texts.collect())
    }
}

/// ``a table such as `{ field = ..., rows = ... }` ``: with the first settings of what was expected.
fn a_table_of(spec: &settings::Table) -> String {
    let mut settings = spec.all();
    let named = settings.by_ref().take(NAMED_SETTINGS);
    let mut named: Vec<String> = named.map(|it| format!("{} = ...", it.key)).collect();
    if named.is_empty() {
        return "a table".to_owned();
    }
    named.extend(settings.next().map(|_| "...".to_owned()));
    format!("a table such as `{{ {} }}`", named.join(", "))
}
