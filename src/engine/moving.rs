//! Regions on their way: closed here, open there. Must not know who sent them.

use super::simulation::Simulation;

impl Simulation<'_> {
    /// A region that was offline opens where it is to open.
    pub(super) fn region_opens(&mut self, _region: u32) {}

    /// The next move that the balancer wants starts.
    pub(super) fn next_move_starts(&mut self) {}
}
