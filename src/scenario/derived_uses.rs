//! Whether derived fields have the order that reads ask of them: only their compiled expressions can tell.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::SourcePlace;
use super::fields::Fields;
use crate::key::KeyPlan;
use crate::record::{DerivedId, FieldKind, Schema};

/// What a derived field must be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// A time, coarser or not: made of one timestamp, in its order.
    Time,
    /// Made of one timestamp or sequence, in its order.
    FollowsTime,
}

/// A place of the file where a derived field must have an order.
#[derive(Debug, Clone)]
pub(super) struct DerivedUse {
    field: DerivedId,
    place: SourcePlace,
    order: Order,
}

impl DerivedUse {
    pub(super) fn new(field: DerivedId, place: SourcePlace, order: Order) -> Self {
        Self {
            field,
            place,
            order,
        }
    }
}

/// Complains about uses that don't fit. `schema` has its bounds.
pub(super) fn check_uses(
    sink: &Diagnostics,
    uses: &[DerivedUse],
    fields: &Fields,
    schema: &Schema,
) {
    for DerivedUse {
        field,
        place,
        order,
    } in uses
    {
        let (name, expression) = &fields.derived[usize::from(field.0)];
        // What can't be compiled has its own complaint.
        let Some(plan) = compile(name, fields, schema) else {
            continue;
        };
        let of: Vec<_> = plan.fields().into_iter().collect();
        let follows_time = match of[..] {
            [id] if plan.leads_with_time() => match schema.field(id).kind {
                FieldKind::Timestamp { .. } => true,
                FieldKind::Sequence { .. } => *order == Order::FollowsTime,
                _ => false,
            },
            _ => false,
        };
        if follows_time {
            continue;
        }
        let (message, expected) = match order {
            Order::Time => ("is no time", "one timestamp, in its order"),
            Order::FollowsTime => (
                "does not follow time: nothing is its newest",
                "one timestamp or sequence, in its order",
            ),
        };
        let diagnostic = Diagnostic::error(format!("`{name}` {message}"))
            .label(format!("it is `{expression}`; expected {expected}"))
            .help("name the timestamp itself");
        sink.add(place, diagnostic);
    }
}

/// The derived field as a key of its own.
fn compile(name: &str, fields: &Fields, schema: &Schema) -> Option<KeyPlan> {
    let environment = fields.environment(schema);
    // Numbers are no keys: their 8 bytes are.
    let compile = |key: &str| KeyPlan::compile_despite(key, &environment, &fields.unreadable).ok();
    compile(name).or_else(|| compile(&format!("be8({name})")))
}
