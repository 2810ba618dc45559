//! How the checker words and collects its errors and lints. Must not know what is wrong.

use super::checker::Checker;
use super::plan::{KeyError, KeyNote};
use super::typed::type_name;
use crate::record::ValueType;
use std::ops::Range;

impl Checker<'_> {
    fn diagnostic(
        &self,
        span: &Range<usize>,
        message: String,
        label: &str,
        help: Option<String>,
    ) -> KeyError {
        let derived = self.texts.last().and_then(|(name, _)| name.clone());
        KeyError {
            derived,
            span: span.clone(),
            message,
            label: label.to_owned(),
            help,
        }
    }

    /// Reports an error; `None`, for `?`.
    pub fn error<T>(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        label: &str,
        help: Option<&str>,
    ) -> Option<T> {
        let error = self.diagnostic(span, message.into(), label, help.map(str::to_owned));
        // A derived field that is used twice is wrong once.
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
        None
    }

    /// Reports what is probably not meant.
    pub fn warning(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        label: &str,
        help: &str,
    ) {
        self.lint(true, span, message.into(), label, help);
    }

    /// Reports what is good to know.
    pub fn note(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        label: &str,
        help: &str,
    ) {
        self.lint(false, span, message.into(), label, help);
    }

    fn lint(
        &mut self,
        is_warning: bool,
        span: &Range<usize>,
        message: String,
        label: &str,
        help: &str,
    ) {
        let text = self.diagnostic(span, message, label, Some(help.to_owned()));
        let note = KeyNote { is_warning, text };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The text of a place, as written.
    pub fn written(&self, span: &Range<usize>) -> String {
        let text = self.texts.last().map_or("", |(_, text)| text);
        text.get(span.clone()).unwrap_or_default().trim().to_owned()
    }

    /// Arguments of a wrong type: what was found, what is expected.
    pub fn wrong_type<T>(
        &mut self,
        span: &Range<usize>,
        found: ValueType,
        expected: &str,
        help: Option<&str>,
    ) -> Option<T> {
        let text = self.written(span);
        let message = format!("`{text}` is {}, expected {expected}", type_name(found));
        self.error(span, message, &format!("expected {expected}"), help)
    }
}
