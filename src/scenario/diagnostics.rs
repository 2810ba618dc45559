//! Where complaints are collected, the keys that were asked for, and the defaults that were used.

use super::data::{Loaded, Request};
use super::diagnostic::{Diagnostic, Text};
use super::document::{Node, SourcePlace, Value};
use super::string_map::locate;
use crate::settings::Profile;
use crate::units::ByteSize;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Memory that one thing of a scenario may take: the clients of a write, the combinations of its fields, ...
pub(super) const MEMORY: f64 = (4u64 << 30) as f64;

/// What complaints are about.
#[derive(Debug, Default)]
pub(super) struct Origin {
    /// The scenario's text.
    pub(super) text: String,
    /// Where files of values are looked for.
    pub(super) folder: PathBuf,
    /// The rows that were read: once for all points and strategies.
    data: RefCell<Vec<(Request, Result<Loaded, Diagnostic>)>>,
    /// The parameters that expressions use, at whatever point and under whatever strategy.
    used: RefCell<BTreeSet<String>>,
}

/// What is read where something was complained about: nothing. `?` behind a complaint gives up what stands around it.
pub(super) type Refused = Option<std::convert::Infallible>;

/// Where mistakes and defaults are collected.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    pub(super) origin: Rc<Origin>,
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// Which of them begin at a place of the text, to find one among a hundred thousand.
    places: RefCell<BTreeMap<Option<usize>, Vec<usize>>>,
    defaults: RefCell<Vec<(String, Node)>>,
    /// Whose defaults are used.
    profile: Cell<&'static Profile>,
    /// Path and key of everything that some table may hold.
    known: RefCell<Vec<(String, String)>>,
    /// Complaints about keys that their table does not know, with the table's path.
    strays: RefCell<Vec<(usize, String, String)>>,
}

impl Diagnostics {
    /// No complaint yet, about a scenario's text; files of values are looked for in `folder`.
    pub(super) fn of(text: &str, folder: &Path) -> Self {
        let (text, folder) = (text.to_owned(), folder.to_owned());
        Self {
            origin: Rc::new(Origin {
                text,
                folder,
                ..Origin::default()
            }),
            ..Self::default()
        }
    }

    /// Another collection about the same text.
    pub(super) fn apart(&self) -> Self {
        Self {
            origin: Rc::clone(&self.origin),
            ..Self::default()
        }
    }

    /// The rows of a file that are asked for.
    pub(super) fn rows_of(&self, request: Request) -> Result<Loaded, Diagnostic> {
        let mut read = self.origin.data.borrow_mut();
        if let Some((_, loaded)) = read.iter().find(|(known, _)| *known == request) {
            return loaded.clone();
        }
        let loaded = request.load();
        read.push((request, loaded.clone()));
        loaded
    }

    /// Notes the parameters that an expression uses.
    pub(super) fn note_used(&self, parameters: &BTreeMap<String, i64>) {
        let mut used = self.origin.used.borrow_mut();
        used.extend(parameters.keys().cloned());
    }

    /// Whether an expression uses a parameter.
    pub(super) fn is_used(&self, parameter: &str) -> bool {
        self.origin.used.borrow().contains(parameter)
    }

    /// Takes over all complaints, but not the defaults.
    pub(super) fn append(&self, others: Self) {
        for diagnostic in others.into_parts().0 {
            self.push(diagnostic);
        }
    }

    /// Where a part of what a text means stands.
    pub(super) fn place_in(&self, node: &Node, part: &Range<usize>) -> SourcePlace {
        match (&node.place, &node.value) {
            (SourcePlace::File(raw), Value::Text(value)) => {
                SourcePlace::File(locate(&self.origin.text, raw, value, part))
            }
            (place, _) => place.clone(),
        }
    }

    /// Adds a complaint about what stands at `place`.
    pub(super) fn add(&self, place: &SourcePlace, diagnostic: Diagnostic) -> Refused {
        self.push(Self::placed(place, diagnostic));
        None
    }

    fn placed(place: &SourcePlace, diagnostic: Diagnostic) -> Diagnostic {
        match place {
            // The file as a whole has no line to show.
            SourcePlace::File(span) if *span == (0..0) => diagnostic,
            SourcePlace::File(span) => diagnostic.at(span.clone()),
            SourcePlace::Setting(option) => diagnostic.beside(option),
        }
    }

    /// Adds a complaint about a key that the table at `path` does not know, nor one like it: its help becomes the table that does, if
    /// there is one.
    pub(super) fn add_stray(
        &self,
        place: &SourcePlace,
        diagnostic: Diagnostic,
        path: &str,
        key: &str,
    ) {
        let at = self.push(Self::placed(place, diagnostic));
        let stray = (at, path.to_owned(), key.to_owned());
        self.strays.borrow_mut().push(stray);
    }

    /// Notes that the table at `path` may hold these keys.
    pub(super) fn note_known(&self, path: &str, keys: &[&str]) {
        let mut known = self.known.borrow_mut();
        known.extend(keys.iter().map(|key| (path.to_owned(), (*key).to_owned())));
    }

    /// Adds an error about what stands at `place`.
    pub(super) fn error(
        &self,
        place: &SourcePlace,
        message: impl Text,
        label: impl Text,
    ) -> Refused {
        self.add(place, Diagnostic::error(message).label(label))
    }

    /// Complains about what takes more memory than there is, if it does: `what` needs so many bytes.
    pub(super) fn refuse_memory(&self, place: &SourcePlace, what: &str, bytes: f64) -> bool {
        let refused = bytes > MEMORY;
        if refused {
            let need = ByteSize::approximate(bytes);
            let label = format!("keyheat takes up to {}", ByteSize::approximate(MEMORY));
            self.error(place, format!("{what} need about {need} of memory"), label);
        }
        refused
    }

    /// Adds a finished complaint, once, whatever helps: a strategy's overlay reads the whole file again. Its place among all.
    pub(super) fn push(&self, diagnostic: Diagnostic) -> usize {
        let mut all = self.diagnostics.borrow_mut();
        let mut places = self.places.borrow_mut();
        let start = diagnostic.span.as_ref().map(|span| span.start);
        let here = places.entry(start).or_default();
        let is_same = |at: &&usize| all[**at].message == diagnostic.message;
        if let Some(&earlier) = here.iter().find(is_same) {
            return earlier;
        }
        here.push(all.len());
        all.push(diagnostic);
        all.len() - 1
    }

    /// From now on a setting of which nothing is said is what this profile says.
    pub(super) fn set_profile(&self, profile: &'static Profile) {
        self.profile.set(profile);
    }

    /// Whose defaults are used.
    pub(super) fn profile(&self) -> &'static Profile {
        self.profile.get()
    }

    /// Notes a default that was used.
    pub(super) fn note_default(&self, path: String, node: Node) {
        #[cfg(test)]
        super::asked_fixture::default(&path, &node.value);
        self.defaults.borrow_mut().push((path, node));
    }

    /// Takes back the defaults of settings that have no meaning here after all.
    pub(super) fn forget_defaults(&self, paths: &[String]) {
        let mut defaults = self.defaults.borrow_mut();
        defaults.retain(|(path, _)| !paths.contains(path));
    }

    /// Number of errors so far.
    pub(super) fn errors(&self) -> usize {
        let diagnostics = self.diagnostics.borrow();
        diagnostics.iter().filter(|it| it.is_error()).count()
    }

    /// Everything, in the order of the file; what has no place comes first.
    pub(super) fn into_parts(self) -> (Vec<Diagnostic>, Vec<(String, Node)>) {
        let mut diagnostics = self.diagnostics.into_inner();
        let known = self.known.into_inner();
        for (at, path, key) in self.strays.into_inner() {
            let homes = homes_of(&known, &path, &key);
            if let Some(diagnostic) = diagnostics.get_mut(at).filter(|_| !homes.is_empty()) {
                diagnostic.help = Some(format!("`{key}` belongs to {}", homes.join(" or ")));
            }
        }
        diagnostics
            .sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| (span.start, span.end)));
        (diagnostics, self.defaults.into_inner())
    }
}

/// What messages call the table at a path.
pub(super) fn table_name(path: &str) -> String {
    match path {
        "" => "the scenario".to_owned(),
        "expect" | "event" => format!("`[[{path}]]`"),
        path => format!("`[{path}]`"),
    }
}

/// What messages call the tables that know a key which the one at `path` does not: one inside it alone, else the first of each kind.
fn homes_of(known: &[(String, String)], path: &str, key: &str) -> Vec<String> {
    let inside = |home: &&str| {
        let rest = home.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let homes = known.iter().filter(|(_, known)| known == key);
    let homes = homes.map(|(home, _)| home.as_str());
    if let Some(home) = homes.clone().find(inside) {
        return vec![table_name(home)];
    }
    let kind = |home: &str| home.split('.').next().map(str::to_owned);
    let mut kinds = BTreeSet::new();
    let first = homes.filter(|home| kinds.insert(kind(home)));
    first.map(table_name).collect()
}
