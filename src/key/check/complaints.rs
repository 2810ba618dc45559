//! Words and collects the errors and lints of a key.

use crate::key::lang::{KeyError, KeyNote};
use crate::record::ValueType;
use std::ops::Range;

/// What has been found so far, and where in the key we are.
pub struct Complaints<'a> {
    pub errors: Vec<KeyError>,
    pub notes: Vec<KeyNote>,
    /// The key's own text, then those of the derived fields being expanded.
    pub texts: Vec<(Option<String>, &'a str)>,
    /// Behind a hash, where rows are in no order that anybody scans.
    pub scattered: bool,
    /// Inside the argument of a hash or of a padding, where order and width say nothing.
    pub hashing: usize,
}

impl<'a> Complaints<'a> {
    /// None yet, of a key as written.
    pub fn new(text: &'a str) -> Self {
        Self {
            errors: Vec::new(),
            notes: Vec::new(),
            texts: vec![(None, text)],
            scattered: false,
            hashing: 0,
        }
    }

    /// The derived field whose text is looked at.
    pub fn derived(&self) -> Option<String> {
        self.texts.last().and_then(|(name, _)| name.clone())
    }

    /// Reports an error; `None`, for `?`.
    pub fn error<T>(&mut self, error: KeyError) -> Option<T> {
        let error = self.here(error);
        // A derived field that is used twice is wrong once.
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
        None
    }

    /// Reports what is probably not meant, or what is good to know.
    pub fn lint(&mut self, is_warning: bool, text: KeyError) {
        let text = self.here(text);
        let note = KeyNote { is_warning, text };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn here(&self, text: KeyError) -> KeyError {
        let derived = self.derived();
        KeyError { derived, ..text }
    }

    /// The text of a place, as written.
    pub fn written(&self, span: &Range<usize>) -> String {
        let text = self.texts.last().map_or("", |(_, text)| text);
        text.get(span.clone()).unwrap_or_default().trim().to_owned()
    }
}

/// What messages call a type.
pub fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Int => "int",
        ValueType::Text => "text",
        ValueType::Bytes => "bytes",
        ValueType::Double => "double",
    }
}
