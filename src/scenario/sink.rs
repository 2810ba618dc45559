//! Where complaints are collected, and the defaults that were used. Must not know what is complained about.

use super::Diagnostic;
use super::document::{Node, Place};
use std::cell::RefCell;

/// Where mistakes and defaults are collected.
#[derive(Debug, Default)]
pub(super) struct Sink {
    diagnostics: RefCell<Vec<Diagnostic>>,
    defaults: RefCell<Vec<(String, Node)>>,
}

impl Sink {
    /// Adds a complaint about what stands at `place`.
    pub(super) fn add(&self, place: &Place, diagnostic: Diagnostic) {
        let diagnostic = match place {
            // The file as a whole has no line to show.
            Place::File(span) if *span == (0..0) => diagnostic,
            Place::File(span) => diagnostic.at(span.clone()),
            Place::Setting(text) => {
                let message = format!("`--set {text}`: {}", diagnostic.message);
                Diagnostic {
                    message,
                    ..diagnostic
                }
            }
        };
        self.push(diagnostic);
    }

    /// Adds an error about what stands at `place`.
    pub(super) fn error(
        &self,
        place: &Place,
        message: impl Into<String>,
        label: impl Into<String>,
    ) {
        self.add(place, Diagnostic::error(message).label(label));
    }

    /// Adds a finished complaint, once.
    pub(super) fn push(&self, diagnostic: Diagnostic) {
        let mut all = self.diagnostics.borrow_mut();
        if !all.contains(&diagnostic) {
            all.push(diagnostic);
        }
    }

    /// Notes a default that was used.
    pub(super) fn note_default(&self, path: String, node: Node) {
        self.defaults.borrow_mut().push((path, node));
    }

    /// Number of errors so far.
    pub(super) fn errors(&self) -> usize {
        self.diagnostics
            .borrow()
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .count()
    }

    /// Everything, in the order of the file; what has no place comes first.
    pub(super) fn into_parts(self) -> (Vec<Diagnostic>, Vec<(String, Node)>) {
        let mut diagnostics = self.diagnostics.into_inner();
        diagnostics
            .sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| (span.start, span.end)));
        (diagnostics, self.defaults.into_inner())
    }
}
