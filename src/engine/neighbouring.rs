//! Other tables on the same servers: their puts and Gets. Must not know the table's keys.

use super::SimConfig;
use super::simulation::Simulation;

/// The neighbours of the table.
#[derive(Debug, Default)]
pub(super) struct Neighbours {}

impl Neighbours {
    pub fn new(_config: &SimConfig) -> Self {
        Self::default()
    }
}

impl Simulation<'_> {
    /// The first operation of each neighbour is awaited.
    pub(super) fn start_neighbours(&mut self) {}

    /// The intended time of a neighbour's next operation: neighbour number x 2, plus 1 for a Get.
    pub(super) fn neighbour_is_intended(&mut self, _which: u32) {}
}
