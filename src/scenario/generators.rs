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
