//! Regions go offline, open, divide and merge, servers die and join: what this does to routing and to calls. Must not know why it happens.

use super::simulation::Simulation;
use crate::keyspace::RowKey;

impl Simulation<'_> {
    /// A region refuses all calls from now on; those that handlers work on end as usual.
    pub(super) fn close_region(&mut self, region: u32) {
        self.regions.close(region);
    }

    /// An offline region opens on a server. Clients learn of it when they are refused.
    pub(super) fn open_region(&mut self, region: u32, server: u32) {
        self.regions.open(region, server);
    }

    /// A closed region of a table ends; its daughters, offline on its server, take its range. Returns the lower and the upper one.
    pub(super) fn divide_region(&mut self, _parent: u32, _row: &RowKey) -> (u32, u32) {
        unimplemented!("regions divide")
    }

    /// Two closed neighbours of a table end; one region, offline on the lower one's server, takes their range.
    pub(super) fn unite_regions(&mut self, _lower: u32, _upper: u32) -> u32 {
        unimplemented!("regions merge")
    }

    /// The range of a region of the table or a copy: its start key and its end key, which is empty for the last one.
    pub(super) fn region_range(&self, _region: u32) -> (RowKey, RowKey) {
        unimplemented!("ranges of regions")
    }

    /// The numbers of the regions of a table in key order, those offline included.
    pub(super) fn table_regions(&self, _table: u32) -> Vec<u32> {
        unimplemented!("regions of a table")
    }

    /// A server dies: every call that it holds fails, and every call that reaches it from now on is refused. Its regions are offline.
    /// Returns them.
    pub(super) fn kill_server(&mut self, _server: u32) -> Vec<u32> {
        unimplemented!("servers die")
    }

    /// Servers join, with no regions and no calls. Returns the number of the first.
    pub(super) fn join_servers(&mut self, _count: u32) -> u32 {
        unimplemented!("servers join")
    }

    /// Services and syncs of a server that start from now on take so many times as long.
    pub(super) fn set_slowness(&mut self, _server: u32, _times: f64) {
        unimplemented!("slow servers")
    }

    /// Whether a server lives.
    pub(super) fn is_alive(&self, server: u32) -> bool {
        (server as usize) < self.servers.len()
    }

    /// A write whose handler waited for room in the memstores goes on.
    pub(super) fn resume_write(&mut self, _id: u32) {
        unimplemented!("blocked writes go on")
    }
}
