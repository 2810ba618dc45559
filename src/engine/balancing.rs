//! The balancer: when it runs, what it is shown, and the pace of its moves. Must not know how it decides.

use super::SimConfig;
use super::simulation::Simulation;

/// What the balancer remembers.
#[derive(Debug, Default)]
pub(super) struct Balancing {}

impl Balancing {
    pub fn new(_config: &SimConfig) -> Self {
        Self::default()
    }
}

impl Simulation<'_> {
    /// The first run of the balancer and of the normalizer, and the first load samples, are awaited.
    pub(super) fn start_balancing(&mut self) {}

    /// The balancer runs.
    pub(super) fn balancer_runs(&mut self) {}

    /// Servers report the loads of their regions.
    pub(super) fn loads_are_sampled(&mut self) {}
}
