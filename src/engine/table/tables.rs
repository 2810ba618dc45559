//! All tables of users, their regions, and what client processes know of them.

use super::keys::Keys;
use super::locations::LocationCaches;
use super::regions::Regions;
use super::routing::TableRouter;
use super::row_weights::{RowWeights, longest_key};
use crate::engine::config::SimConfig;
use crate::engine::numbers::NONE;
use crate::keyspace::{KeyRange, RowKey};
use crate::metrics::RefusalReason;
use crate::workload::OperationId;

/// The tables of a run.
#[derive(Debug)]
pub struct Tables<'a> {
    /// The table itself, then its copies.
    pub routers: Vec<TableRouter<'a>>,
    /// Of all tables, those of neighbours included.
    pub regions: Regions,
    caches: LocationCaches,
    /// Of the rows in flight.
    pub keys: Keys,
    /// What rows weigh.
    pub weights: RowWeights,
}

impl<'a> Tables<'a> {
    pub fn new(config: &'a SimConfig) -> Self {
        let routers = TableRouter::of_all(config);
        let mut regions = Regions::default();
        for (table, router) in (0..).zip(&routers) {
            for &server in router.first_servers() {
                regions.add_open(table, server);
            }
        }
        Self {
            routers,
            regions,
            caches: LocationCaches::new(config.client.processes),
            keys: match config.regions_may_divide() {
                true => Keys::of(longest_key(config)),
                false => Keys::default(),
            },
            weights: RowWeights::new(config),
        }
    }

    /// A region that was offline opens on a server. Clients learn of it when they are refused.
    pub fn open(&mut self, region: u32, server: u32) {
        self.regions.open(region, server);
        self.caches.opened(region);
    }

    /// The process that an operation belongs to; closed-loop clients (and readers) share the processes in turn.
    #[inline]
    pub fn process_of(&self, operation: OperationId, client: u32) -> u32 {
        match client {
            NONE => self.caches.process_of_operation(operation),
            client => client % self.caches.processes(),
        }
    }

    /// The server that a process sends a call for a region to: where it believes the region to be.
    #[inline]
    pub fn server_for(&self, region: u32, process: u32) -> u32 {
        let state = self.regions.get(region);
        if state.openings == 0 || self.caches.knows(region, process) {
            state.server
        } else {
            state.believed
        }
    }

    /// The same after the process has read META, if it `looks_up`.
    pub fn address(&mut self, region: u32, process: u32, looks_up: bool) -> u32 {
        if looks_up {
            self.look_up(region, process);
        }
        self.server_for(region, process)
    }

    /// The region that holds a row now that belonged to `region` when its key was kept: that very one, unless it has been split or merged.
    #[inline]
    pub fn region_now(&self, region: u32, key: u32) -> u32 {
        if self.regions.changed() && self.regions.is_gone(region) {
            let table = self.regions.get(region).table as usize;
            self.routers[table].locate(self.keys.get(key))
        } else {
            region
        }
    }

    /// Why a server refuses a write of that process to a region, if it does. A call that looked for the region where it was before is
    /// refused even if it is back on that server: it names another opening, or the region that this one was split from.
    #[inline]
    pub fn refusal_of_write(
        &self,
        server: u32,
        region: u32,
        process: u32,
    ) -> Option<RefusalReason> {
        if !self.is_served(server, region, process) {
            Some(RefusalReason::NotServingRegion)
        } else if self.regions.get(region).writable != server {
            Some(RefusalReason::RegionTooBusy)
        } else {
            None
        }
    }

    /// The region is open on that server, and the process knows it.
    #[inline]
    pub fn is_served(&self, server: u32, region: u32, process: u32) -> bool {
        let state = self.regions.get(region);
        state.serving == server && (state.openings == 0 || self.caches.knows(region, process))
    }

    /// A process reads META since a server did not serve a region: it learns where it is, if it is open.
    pub fn look_up(&mut self, region: u32, process: u32) {
        if self.regions.is_open(region) {
            self.caches.learn(region, process);
        }
    }

    /// The range of a region of the table or a copy, which may be no more: its start key and its end key, which is empty for the last one.
    pub fn range(&self, region: u32) -> (RowKey, RowKey) {
        let table = self.regions.get(region).table as usize;
        let KeyRange { start, end } = self.routers[table].map.range(region);
        (start, end)
    }

    /// The numbers of the regions of the table or a copy in key order, those offline included.
    pub fn in_key_order(&self, table: u32) -> Vec<u32> {
        self.routers[table as usize].map.in_key_order().collect()
    }

    /// The region of the table that holds a row, offline or not. O(log regions) looks at ranges.
    pub fn region_of_row(&self, row: &RowKey) -> u32 {
        let regions = self.in_key_order(0);
        let after = regions.partition_point(|&region| self.range(region).0 <= *row);
        regions[after.saturating_sub(1)]
    }

    /// A closed region of a table ends; its daughters, offline on its server, take its range. Returns the lower and the upper one. The row
    /// lies inside its range, behind its start key.
    pub fn divide(&mut self, parent: u32, row: &RowKey) -> (u32, u32) {
        let state = *self.regions.get(parent);
        let lower = self.regions.add_offline(state.table, state.server);
        let upper = self.regions.add_offline(state.table, state.server);
        let map = &mut self.routers[state.table as usize].map;
        map.divide(parent, row, lower, upper);
        self.regions.end(parent);
        (lower, upper)
    }

    /// Two closed neighbours of a table end; one region, offline on the lower one's server, takes their range.
    pub fn unite(&mut self, lower: u32, upper: u32) -> u32 {
        let state = *self.regions.get(lower);
        let merged = self.regions.add_offline(state.table, state.server);
        let map = &mut self.routers[state.table as usize].map;
        map.unite(lower, upper, merged);
        self.regions.end(lower);
        self.regions.end(upper);
        merged
    }
}
