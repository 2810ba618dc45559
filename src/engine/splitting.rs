//! Splits and merges: when they are due, and what happens step by step. Must not know what a region's files are made of.

use super::simulation::Simulation;

impl Simulation<'_> {
    /// A flush or a compaction of a region has ended, or a flush is held: it is split if it is due. True when it is.
    pub(super) fn consider_split(&mut self, _region: u32) -> bool {
        false
    }

    /// The normalizer runs.
    pub(super) fn normalizer_runs(&mut self) {}
}
