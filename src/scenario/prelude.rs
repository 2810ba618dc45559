//! What every file that reads a part of a scenario needs: the document, the one who reads it, and where complaints go.

pub(super) use super::diagnostic::Diagnostic;
pub(super) use super::diagnostics::Diagnostics;
pub(super) use super::document::{Entry, Node, SourcePlace, TomlTable, Value};
pub(super) use super::model::{Presplit, Setup, Strategy, TimeSpec};
pub(super) use super::names::{slip, suggest};
pub(super) use super::reader::Reader;
