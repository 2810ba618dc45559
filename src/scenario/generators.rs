//! Record laws that are made ready once for all parts of a command. Must not know what is drawn by them.

use crate::random::Seed;
use crate::record::{RecordGenerator, Schema};
use std::sync::{Arc, Mutex, PoisonError};

/// The record laws of first replicates, which each part of a command asks for. Copies share them. Those of other replicates are not kept: their runs
/// alone ask for them.
#[derive(Debug, Clone, Default)]
pub struct Generators(Arc<Mutex<Vec<Arc<RecordGenerator>>>>);

/// What has been made ready is no difference.
impl PartialEq for Generators {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Generators {
    /// Those of one replicate.
    pub(super) fn of(&self, schema: &Schema, seed: Seed, replicate: u32) -> Arc<RecordGenerator> {
        let new = || Arc::new(RecordGenerator::new(schema, seed, replicate));
        if replicate > 0 {
            return new();
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|it| it.is_of(schema, seed, replicate));
        found.cloned().unwrap_or_else(|| {
            let made = new();
            known.push(Arc::clone(&made));
            made
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Field, FieldKind};
    use crate::time::EpochNanos;

    #[test]
    fn laws_of_first_replicates_are_made_once_for_each_schema_and_seed() {
        let schema = |count| Schema {
            fields: vec![Field::new("id", FieldKind::Int { first: 0, count })],
            time_range: (EpochNanos(0), EpochNanos(0)),
            sequence_span: 0,
        };
        let known = Generators::default();
        let of = |count, seed, replicate| known.clone().of(&schema(count), Seed(seed), replicate);
        let first = of(10, 1, 0);
        assert!(Arc::ptr_eq(&first, &of(10, 1, 0)));
        for other in [of(11, 1, 0), of(10, 2, 0), of(10, 1, 1)] {
            assert!(!Arc::ptr_eq(&first, &other));
        }
        assert!(!Arc::ptr_eq(&of(10, 1, 1), &of(10, 1, 1)));
    }
}
