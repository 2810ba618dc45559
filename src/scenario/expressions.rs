//! Expressions of keys, qualifiers and values: compiled, and what is wrong with them told where they stand.

use super::fields::Fields;
use super::prelude::*;
use crate::key::{KeyError, KeyPlan, Role};
use crate::record::Schema;
use std::sync::Arc;

/// The plan of a text that stands at a node, over the fields of `schema`.
pub(super) fn compile(
    sink: &Diagnostics,
    role: Role,
    (text, node): (&str, &Node),
    fields: &Fields,
    schema: &Schema,
) -> Option<Arc<KeyPlan>> {
    let environment = fields.environment(schema);
    let compiled = KeyPlan::compile_despite(role, text, &environment, &fields.unreadable);
    let plan = match compiled {
        Ok(plan) => plan,
        Err(errors) => {
            for error in &errors {
                push(sink, error, node, fields, Diagnostic::error);
            }
            return None;
        }
    };
    sink.note_used(&plan.parameters);
    let notes = &plan.notes;
    for (at, note) in notes.iter().enumerate() {
        let mut earlier = notes[..at].iter();
        // Once a key is enough; values need not be told apart.
        if role == Role::Value || earlier.any(|it| it.text.message == note.text.message) {
            continue;
        }
        let severity = match note.is_warning {
            true => Diagnostic::warning,
            false => Diagnostic::note,
        };
        push(sink, &note.text, node, fields, severity);
    }
    Some(Arc::new(plan))
}

/// Ties a complaint of the key language to the file: to the key's own text, or to a derived field's.
pub(super) fn push(
    sink: &Diagnostics,
    error: &KeyError,
    node: &Node,
    fields: &Fields,
    severity: fn(String) -> Diagnostic,
) {
    let derived = error.derived.as_ref();
    let derived = derived.and_then(|name| fields.derived_nodes.get(fields.derived_at(name)?));
    let diagnostic = severity(error.message.clone()).label(error.label.clone());
    let place = sink.place_in(derived.unwrap_or(node), &error.span);
    sink.add(&place, diagnostic.hint(error.help.clone()));
}
