//! The rows of a strategy's table, or of one of its copies, in one replicate: samples of them with their keys. Must not know regions.

use super::Replicate;
use super::key_sample::KeySample;
use crate::key::KeyPlan;
use crate::scenario::{Setup, Strategy};
use crate::workload::{Choice, EXISTING_LANE, ExistingSample, OperationBatch, RunSample};

/// What is written and was written before, under one key, in one replicate.
#[derive(Clone, Copy)]
pub(super) struct KeyedTable<'a> {
    pub key: &'a KeyPlan,
    pub setup: &'a Setup,
    pub replicate: &'a Replicate,
}

impl<'a> KeyedTable<'a> {
    /// The strategy's table.
    pub fn of(strategy: &'a Strategy, replicate: &'a Replicate) -> Self {
        Self {
            key: &strategy.key,
            setup: &strategy.setup,
            replicate,
        }
    }

    /// The same under another key, as its copies have.
    pub fn under(self, key: &'a KeyPlan) -> Self {
        Self { key, ..self }
    }

    /// About `operations` operations of the run.
    pub fn run(&self, operations: usize) -> KeySample {
        let mut batch = OperationBatch::new();
        let generator = &self.replicate.generator;
        RunSample::take(&self.setup.workload, generator, operations, &mut batch);
        self.keyed(batch, 0)
    }

    /// The same operations as of `run`, a sample under any key.
    pub fn rekeyed(&self, run: &KeySample) -> KeySample {
        self.keyed(run.batch().clone(), 0)
    }

    /// About `rows` of the rows that exist before the run, or all of them.
    pub fn existing(&self, rows: usize, choice: Choice) -> KeySample {
        let mut batch = OperationBatch::new();
        let generator = &self.replicate.generator;
        ExistingSample::take(&self.setup.workload, generator, (rows, choice), &mut batch);
        self.keyed(batch, EXISTING_LANE)
    }

    fn keyed(&self, batch: OperationBatch, lane: u32) -> KeySample {
        let width = self.replicate.generator.width();
        KeySample::new(self.key, batch, width, self.replicate.key_draws(lane))
    }
}
