//! Regions go offline, open, divide and merge, servers die and join: what this does to routing and to calls. Must not know why it happens.

use super::events::Event;
use super::fan_out::PART;
use super::server_side::Server;
use super::simulation::Simulation;
use crate::cluster::RowLocks;
use crate::keyspace::{KeyRange, RowKey};
use crate::metrics::RefusalReason;
use crate::time::SimTime;

impl Simulation<'_> {
    /// A region refuses all calls from now on; those that handlers work on end as usual.
    pub(super) fn close_region(&mut self, region: u32) {
        self.regions.close(region);
    }

    /// An offline region opens on a server. Clients learn of it when they are refused.
    pub(super) fn open_region(&mut self, region: u32, server: u32) {
        self.regions.open(region, server);
        self.caches.opened(region);
    }

    /// A closed region of a table ends; its daughters, offline on its server, take its range. Returns the lower and the upper one. The row
    /// lies inside its range, behind its start key.
    pub(super) fn divide_region(&mut self, parent: u32, row: &RowKey) -> (u32, u32) {
        let state = *self.regions.get(parent);
        let lower = self.add_region(state.table, state.server);
        let upper = self.add_region(state.table, state.server);
        self.table_mut(state.table)
            .map
            .divide(parent, row, lower, upper);
        self.regions.end(parent);
        self.reads
            .region_divides(state.table, parent, (lower, upper), row);
        self.place_next_again(state.table, |region| region == parent);
        (lower, upper)
    }

    /// Two closed neighbours of a table end; one region, offline on the lower one's server, takes their range.
    pub(super) fn unite_regions(&mut self, lower: u32, upper: u32) -> u32 {
        let state = *self.regions.get(lower);
        let merged = self.add_region(state.table, state.server);
        self.table_mut(state.table).map.unite(lower, upper, merged);
        self.regions.end(lower);
        self.regions.end(upper);
        self.reads
            .regions_unite(state.table, (lower, upper), merged);
        self.place_next_again(state.table, |region| region == lower || region == upper);
        merged
    }

    fn add_region(&mut self, table: u32, server: u32) -> u32 {
        self.regions.add_offline(table, server)
    }

    /// Open-loop operations that were placed ahead find their regions again.
    fn place_next_again(&mut self, table: u32, changed: impl Fn(u32) -> bool) {
        match table.checked_sub(1) {
            None => self.open.place_again(&self.placing, changed),
            Some(copy) => self
                .copying
                .place_again(copy as usize, self.open.next, changed),
        }
    }

    /// The range of a region of the table or a copy, which may be no more: its start key and its end key, which is empty for the last one.
    pub(super) fn region_range(&self, region: u32) -> (RowKey, RowKey) {
        let table = self.regions.get(region).table as usize;
        let KeyRange { start, end } = self.table(table).map.range(region);
        (start, end)
    }

    /// The numbers of the regions of the table or a copy in key order, those offline included.
    pub(super) fn table_regions(&self, table: u32) -> Vec<u32> {
        self.table(table as usize).map.in_key_order().collect()
    }

    /// A server dies: every call that it holds fails, and every call that reaches it from now on is refused. Its regions are offline.
    /// Returns them.
    pub(super) fn kill_server(&mut self, server: u32) -> Vec<u32> {
        let regions: Vec<u32> = self.regions.on_server(server).collect();
        for &region in &regions {
            self.close_region(region);
        }
        self.dead.push(server);
        let dying = &mut self.servers[server as usize];
        let waiting = dying.handlers.shut();
        dying.wal = None;
        self.locks[server as usize] = RowLocks::default();
        for id in self.calls.held_by(server) {
            self.call_loses_server(id);
        }
        for id in self.fans.held_by(server) {
            self.part_loses_server(id);
        }
        for id in waiting {
            if id & PART == 0 {
                self.dead_server_refuses(id);
            } else {
                self.part_refused(id & !PART, RefusalReason::NotServingRegion);
            }
        }
        regions
    }

    /// A handler of a server that dies held this call.
    fn call_loses_server(&mut self, id: u32) {
        let call = self.calls.get_mut(id);
        let taken = std::mem::replace(&mut call.taken, SimTime::MAX);
        let call = *call;
        self.recorder.busy(call.server, taken, self.now);
        // Without a log, the end of its service is still to come and names it.
        let id = if self.config.cluster.wal.is_some() {
            id
        } else {
            self.calls.retire(id);
            self.calls.insert(call)
        };
        self.dead_server_refuses(id);
    }

    /// A call reaches a dead server, or its server dies.
    pub(super) fn dead_server_refuses(&mut self, id: u32) {
        let call = self.calls.get(id);
        let (server, rows) = (call.server, call.rows);
        let reason = RefusalReason::NotServingRegion;
        self.recorder.rows_refused(server, self.now, reason, rows);
        self.refused(id, reason);
    }

    /// Servers join, with no regions and no calls. Returns the number of the first.
    pub(super) fn join_servers(&mut self, count: u32) -> u32 {
        let first = self.servers.len() as u32;
        for server in first..first + count {
            self.stores.servers[server as usize].started = self.now;
        }
        let cluster = &self.config.cluster;
        self.servers
            .extend((0..count).map(|_| Server::new(cluster)));
        first
    }

    /// Services and syncs of a server that start from now on take so many times as long.
    pub(super) fn set_slowness(&mut self, server: u32, times: f64) {
        let old = self.log_pace(server);
        self.slowness.resize(self.locks.len(), 1.0);
        self.slowness[server as usize] = times;
        let new = self.log_pace(server);
        let wal = self.servers[server as usize].wal.as_mut();
        if let (Some(wal), Some(old), Some(new)) = (wal, old, new)
            && let Some(at) = wal.change_pace(self.now, &old, &new)
        {
            self.schedule(at, Event::Synced(server));
        }
    }

    /// Whether a server lives: it has joined, and has not died.
    pub(super) fn is_alive(&self, server: u32) -> bool {
        (server as usize) < self.servers.len() && !self.dead.contains(&server)
    }
}
