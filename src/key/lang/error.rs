//! What is wrong with an expression, or merely worth knowing, and where.

use std::ops::Range;

/// Why an expression can't be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyError {
    /// Name of the derived field whose text `span` points into; `None`: the key's own text.
    pub derived: Option<String>,
    /// Byte range of the guilty sub-expression.
    pub span: Range<usize>,
    /// What was found; lower case, no final stop.
    pub message: String,
    /// Short text at the caret: what was expected.
    pub label: String,
    /// The next step.
    pub help: Option<String>,
}

impl KeyError {
    /// A mistake in the text that `span` points into.
    pub(crate) fn new(
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<Help>,
    ) -> Self {
        Self {
            derived: None,
            span,
            message: message.into(),
            label: label.into(),
            help: help.into().0,
        }
    }
}

/// The next step after a mistake, if it needs one.
pub(crate) struct Help(Option<String>);

/// The message says it all.
pub(crate) const NO_HELP: Help = Help(None);

impl<T: Into<String>> From<T> for Help {
    fn from(help: T) -> Self {
        Self(Some(help.into()))
    }
}

/// A lint of an expression that compiles (the language's own; those that need split points or a workload live in `layout`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNote {
    /// The key probably does not do what its author means; otherwise it is merely good to know.
    pub is_warning: bool,
    /// What it says, and where.
    pub text: KeyError,
}
