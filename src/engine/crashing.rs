//! A server dies: detection, replay of its log, its regions open elsewhere. Must not know what its calls were.

use super::simulation::Simulation;

impl Simulation<'_> {
    /// The master learns that a server has died.
    pub(super) fn crash_is_detected(&mut self, _server: u32) {}
}
