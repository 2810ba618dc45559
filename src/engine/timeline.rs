//! What the scenario says will happen to the cluster. Must not know how it is done.

use super::simulation::Simulation;

impl Simulation<'_> {
    /// All events of the scenario are awaited.
    pub(super) fn await_timeline(&mut self) {}

    /// The scenario's event of this number happens.
    pub(super) fn event_happens(&mut self, _number: u32) {}

    /// A server is as fast as ever again.
    pub(super) fn slowness_ends(&mut self, _server: u32) {}
}
