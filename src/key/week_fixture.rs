//! Keys of a week's records that the tests of this room compile.

use super::{Environment, KeyError, KeyPlan};
use crate::record::{Field, FieldKind, Schema};
use crate::time::EpochNanos;
use std::collections::BTreeMap;

/// `key` over these fields and derived ones, from 2026-01-01 to 2026-01-08.
pub(super) fn compile(
    key: &str,
    fields: impl IntoIterator<Item = (&'static str, FieldKind)>,
    derived: &[(&str, &str)],
) -> Result<KeyPlan, Vec<KeyError>> {
    let field = |(name, kind)| Field::new(name, kind);
    let schema = Schema {
        fields: fields.into_iter().map(field).collect(),
        time_range: (
            EpochNanos(1_767_225_600_000_000_000),
            EpochNanos(1_767_830_400_000_000_000),
        ),
        sequence_span: 1_000,
    };
    let owned = |&(name, text): &(&str, &str)| (name.to_owned(), text.to_owned());
    let derived: Vec<_> = derived.iter().map(owned).collect();
    let environment = Environment {
        schema: &schema,
        derived: &derived,
        parameters: &BTreeMap::new(),
    };
    KeyPlan::compile(key, &environment)
}
