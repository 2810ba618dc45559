//! For tests: records of one field, and a key of it.

use crate::key::{Environment, KeyPlan};
use crate::record::{Field, Schema};
use crate::time::{EpochNanos, SimTime};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The calendar starts at the epoch.
pub(super) const START: EpochNanos = EpochNanos(0);

pub(super) fn schema(field: Field) -> Schema {
    Schema {
        fields: vec![field],
        time_range: (START, START.at(SimTime::from_nanos(1 << 50))),
        sequence_span: 1 << 40,
    }
}

pub(super) fn compiled(key: &str, schema: &Schema) -> Arc<KeyPlan> {
    let environment = Environment {
        schema,
        derived: &[],
        parameters: &BTreeMap::new(),
    };
    Arc::new(KeyPlan::compile(key, &environment).expect("the key compiles"))
}
