//! One complaint about a scenario, tied to a place in its text.

use std::ops::Range;

crate::text::words! {
    /// How bad it is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Severity {
        /// The scenario can't be used.
        Error = "error",
        /// It can, but probably does not say what its author means.
        Warning = "warning",
        /// Good to know.
        Note = "note",
    }
}

/// One complaint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What was found; lower case, no final stop, literals in backticks.
    pub message: String,
    /// Byte range in the scenario text; `None` when it has no place (an unreadable file, `--set`).
    pub span: Option<Range<usize>>,
    /// Short text at the caret: what was expected.
    pub label: String,
    /// The next step, without the word `help`.
    pub help: Option<String>,
}

/// What a message, a label or help is said with.
pub trait Text: Into<String> {}

impl<T: Into<String>> Text for T {}

impl Diagnostic {
    fn new(severity: Severity, message: impl Text) -> Self {
        Self {
            severity,
            message: message.into(),
            span: None,
            label: String::new(),
            help: None,
        }
    }

    /// An error without a place.
    pub fn error(message: impl Text) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning without a place.
    pub fn warning(message: impl Text) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A note without a place.
    pub fn note(message: impl Text) -> Self {
        Self::new(Severity::Note, message)
    }

    /// The same, at this byte range of the scenario's text.
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }

    /// The same with this text at the caret.
    pub fn label(mut self, label: impl Text) -> Self {
        self.label = label.into();
        self
    }

    /// The same with a next step.
    pub fn help(mut self, help: impl Text) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with a next step, if there is one.
    pub fn hint(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }

    /// The same, tied to an option of the command line.
    pub(super) fn beside(mut self, option: &str) -> Self {
        self.message = format!("`{option}`: {}", self.message);
        self
    }

    /// Whether the scenario can't be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
