//! All tables of users: their regions and where each is, what every call looks at, and what client processes know of it.
//!
//! Regions are numbered over all tables, those of the table itself first, then copy by copy, then neighbour by neighbour, each in key order;
//! daughters and merged regions get the next free numbers, so that a number always means the same range of keys.

use super::rows::{Keys, RowWeights, TableRouter, longest_key};
use crate::engine::config::SimConfig;
use crate::engine::numbers::NONE;
use crate::keyspace::{KeyRange, RowKey};
use crate::metrics::RefusalReason;
use crate::random::{Stream, mix};
use crate::workload::OperationId;

/// What every call looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionState {
    /// The server that serves its calls; [`NONE`] while it is offline, and for ever once it has been split or merged.
    pub serving: u32,
    /// The server that takes its writes: `serving`, or [`NONE`] while its memstore is too full (`RegionTooBusy`).
    pub writable: u32,
    /// The server that it is on, was on last, or is opening on; [`NONE`] once it has been split or merged.
    pub server: u32,
    /// The server that clients look for it on while they don't know that it has moved.
    pub believed: u32,
    /// How often it was opened after the start of the run; 0: every client knows where it is.
    pub openings: u32,
    /// 0: the table itself; c: copy c - 1; then neighbours.
    pub table: u32,
}

/// All regions, those that were split or merged included.
#[derive(Debug, Default)]
pub struct Regions {
    states: Vec<RegionState>,
    changed: bool,
    /// Open regions, by server and table, up to the last that had one.
    open: Vec<Vec<u32>>,
}

impl Regions {
    /// Adds a region that is open on `server` from the start; returns its number.
    pub fn add_open(&mut self, table: u32, server: u32) -> u32 {
        *self.count_of(server, table) += 1;
        self.add(table, server, server)
    }

    /// Adds a region on `server` that is served by `serving`: [`NONE`] for a daughter, or a merged region. Clients look for it where its parent is.
    fn add(&mut self, table: u32, server: u32, serving: u32) -> u32 {
        self.states.push(RegionState {
            serving,
            writable: serving,
            server,
            believed: server,
            openings: 0,
            table,
        });
        self.len() - 1
    }

    fn count_of(&mut self, server: u32, table: u32) -> &mut u32 {
        let (servers, tables) = (server as usize + 1, table as usize + 1);
        self.open.resize(self.open.len().max(servers), Vec::new());
        let counts = &mut self.open[server as usize];
        counts.resize(counts.len().max(tables), 0);
        &mut counts[table as usize]
    }

    /// Open regions of a table on a server.
    pub fn open_of_table(&self, server: u32, table: u32) -> u32 {
        let counts = self.open.get(server as usize);
        let found = counts.and_then(|counts| counts.get(table as usize));
        found.copied().unwrap_or(0)
    }

    /// Open regions of all tables on a server. O(tables).
    pub fn open_on(&self, server: u32) -> u32 {
        let counts = self.open.get(server as usize);
        counts.map_or(0, |counts| counts.iter().sum())
    }

    /// How many there have been.
    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// One of them.
    pub fn get(&self, region: u32) -> &RegionState {
        &self.states[region as usize]
    }

    /// Some region has been closed, opened, or has refused writes: until then every region takes every call on the server where all
    /// clients look for it.
    pub fn changed(&self) -> bool {
        self.changed
    }

    /// It serves calls.
    pub fn is_open(&self, region: u32) -> bool {
        self.get(region).serving != NONE
    }

    /// It was split or merged: its keys belong to others.
    pub fn is_gone(&self, region: u32) -> bool {
        self.get(region).server == NONE
    }

    /// An open region refuses all calls from now on (`NotServingRegion`).
    pub fn close(&mut self, region: u32) {
        self.changed = true;
        let RegionState { serving, table, .. } = *self.get(region);
        *self.count_of(serving, table) -= 1;
        let state = &mut self.states[region as usize];
        (state.serving, state.writable) = (NONE, NONE);
    }

    /// It opens on `server`; clients that knew where it was look for it there first.
    pub fn open(&mut self, region: u32, server: u32) {
        self.changed = true;
        *self.count_of(server, self.get(region).table) += 1;
        let state = &mut self.states[region as usize];
        state.believed = state.server;
        (state.server, state.serving, state.writable) = (server, server, server);
        state.openings += 1;
    }

    /// An open region takes writes, or refuses them (`RegionTooBusy`).
    pub fn set_writable(&mut self, region: u32, writable: bool) {
        self.changed = true;
        let state = &mut self.states[region as usize];
        state.writable = if writable { state.serving } else { NONE };
    }

    /// The server of each.
    pub fn servers(&self) -> impl Iterator<Item = u32> + '_ {
        self.states.iter().map(|state| state.server)
    }

    /// The numbers of the open regions of a server, ascending. O(regions).
    pub fn on_server(&self, server: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).filter(move |&region| self.get(region).serving == server)
    }
}

/// Where clients look for regions: what each of their processes knows of those that have opened after the start.
///
/// All know the whole table at the start: clients have run for long (a cold start is over after a look-up a region and process).
/// A region that opens elsewhere, or comes to be, is unknown to every process until one of its calls was refused: then the process reads
/// META and drops what it knew, for all its clients. That is one round trip and a Get later; the cache learns it at the refusal itself, a
/// millisecond early. While the region is offline META tells nothing new: the call that was refused reads it again after its pause.
#[derive(Debug)]
struct LocationCaches {
    processes: u32,
    /// Of each region that has opened, a bit a process: it knows where the region opened last. Empty for the others, which all know.
    known: Vec<Vec<u64>>,
}

impl LocationCaches {
    /// A region opens: no process knows it there.
    fn opened(&mut self, region: u32) {
        let regions = self.known.len().max(region as usize + 1);
        self.known.resize(regions, Vec::new());
        self.known[region as usize] = vec![0; self.processes.div_ceil(u64::BITS) as usize];
    }

    /// A process reads in META where a region is.
    fn learn(&mut self, region: u32, process: u32) {
        let bits = self.known.get_mut(region as usize);
        if let Some(bits) = bits.and_then(|bits| bits.get_mut((process / u64::BITS) as usize)) {
            *bits |= 1 << (process % u64::BITS);
        }
    }

    /// The process knows where the region opened last. O(1).
    fn knows(&self, region: u32, process: u32) -> bool {
        let bits = self.known.get(region as usize);
        let bits = bits.and_then(|bits| bits.get((process / u64::BITS) as usize));
        bits.is_none_or(|bits| bits >> (process % u64::BITS) & 1 > 0)
    }

    /// The process of an operation of an open loop: any, each equally likely.
    fn process_of_operation(&self, operation: OperationId) -> u32 {
        ((u128::from(mix(operation.0)) * u128::from(self.processes)) >> u64::BITS) as u32
    }
}

/// The tables of a run.
#[derive(Debug)]
pub struct Tables<'a> {
    /// The table itself, then its copies.
    pub routers: Vec<TableRouter<'a>>,
    /// Of all tables, those of neighbours included.
    pub regions: Regions,
    caches: LocationCaches,
    /// The closed-loop client from which on they read.
    pub first_reader: u32,
    /// Of the rows in flight.
    pub keys: Keys,
    /// What rows weigh.
    pub weights: RowWeights,
    /// What is kept as a row's key has so many bytes of a qualifier behind it.
    pub qualifier_bytes: usize,
}

impl<'a> Tables<'a> {
    pub fn new(config: &'a SimConfig) -> Self {
        let (mut routers, mut regions) = (Vec::new(), Regions::default());
        for (table, (key, points)) in (0..).zip(config.keys()) {
            let existing = config.changes.existing.get(table as usize);
            let servers = config.table.placement.of_table(table).opening_servers(
                points.len() as u32 + 1,
                existing.map_or(&[][..], |existing| &existing.split_off),
                config.cluster.servers,
                &mut config.generator.sequence(Stream::Placement, table),
            );
            routers.push(TableRouter::new(config, table, key, points, regions.len()));
            for server in servers {
                regions.add_open(table, server);
            }
        }
        Self {
            routers,
            regions,
            caches: LocationCaches {
                processes: config.client.processes.max(1),
                known: Vec::new(),
            },
            first_reader: NONE,
            qualifier_bytes: match config.cell_keys().is_empty() {
                true => 0,
                false => config.qualifier_bytes(),
            },
            keys: match config.regions_may_divide() || config.follows_cells() {
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

    /// The process that an operation belongs to; closed-loop writers share the processes in turn, and so do readers.
    pub fn process_of(&self, operation: OperationId, client: u32) -> u32 {
        match client {
            NONE => self.caches.process_of_operation(operation),
            client => {
                let reader = client.checked_sub(self.first_reader);
                reader.unwrap_or(client) % self.caches.processes
            }
        }
    }

    /// The server that a process sends a call for a region to: where it believes the region to be.
    pub fn server_for(&self, region: u32, process: u32) -> u32 {
        let state = self.regions.get(region);
        match state.openings == 0 || self.caches.knows(region, process) {
            true => state.server,
            false => state.believed,
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
    pub fn region_now(&self, region: u32, key: u32) -> u32 {
        match self.regions.changed() && self.regions.is_gone(region) {
            true => self.router(region).map.locate(self.keys.get(key)),
            false => region,
        }
    }

    /// Why a server refuses a write of that process to a region, if it does. A call that looked for the region where it was before is
    /// refused even if it is back on that server: it names another opening, or the region that this one was split from.
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

    /// The table or the copy that a region belongs to.
    fn router(&self, region: u32) -> &TableRouter<'a> {
        &self.routers[self.regions.get(region).table as usize]
    }

    /// The range of a region of the table or a copy, which may be no more: its start key and its end key, which is empty for the last one.
    pub fn range(&self, region: u32) -> (RowKey, RowKey) {
        let KeyRange { start, end } = self.router(region).map.range(region);
        (start, end)
    }

    /// The numbers of the regions of the table or a copy in key order, those offline included.
    pub fn in_key_order(&self, table: u32) -> Vec<u32> {
        self.routers[table as usize].map.in_key_order().collect()
    }

    /// A closed region of a table ends; its daughters, offline on its server, take its range. Returns the lower and the upper one. The row
    /// lies inside its range, behind its start key.
    pub fn divide(&mut self, parent: u32, row: &RowKey) -> (u32, u32) {
        let RegionState { table, server, .. } = *self.regions.get(parent);
        let [lower, upper] = [(); 2].map(|()| self.regions.add(table, server, NONE));
        let map = &mut self.routers[table as usize].map;
        map.divide(parent, row, lower, upper);
        self.regions.states[parent as usize].server = NONE;
        (lower, upper)
    }

    /// Two closed neighbours of a table end; one region, offline on the lower one's server, takes their range.
    pub fn unite(&mut self, lower: u32, upper: u32) -> u32 {
        let RegionState { table, server, .. } = *self.regions.get(lower);
        let merged = self.regions.add(table, server, NONE);
        let map = &mut self.routers[table as usize].map;
        map.unite(lower, upper, merged);
        for gone in [lower, upper] {
            self.regions.states[gone as usize].server = NONE;
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_openings_and_closings_by_table_and_server() {
        let mut regions = Regions::default();
        for (table, server) in [(0, 1), (0, 1), (2, 1), (2, 0)] {
            regions.add_open(table, server);
        }
        assert_eq!((regions.open_on(0), regions.open_on(1)), (1, 3));
        let of_table =
            |regions: &Regions, server| [0, 2].map(|table| regions.open_of_table(server, table));
        assert_eq!(of_table(&regions, 1), [2, 1]);
        regions.close(2);
        regions.open(2, 3);
        assert_eq!(
            (of_table(&regions, 3), of_table(&regions, 1)),
            ([0, 1], [2, 0])
        );
        assert_eq!([1, 2, 3].map(|server| regions.open_on(server)), [2, 0, 1]);
    }

    #[test]
    fn a_region_that_moves_is_looked_for_where_it_was() {
        let mut regions = Regions::default();
        let region = regions.add_open(0, 3);
        regions.close(region);
        assert_eq!(regions.get(region).serving, NONE);
        regions.open(region, 5);
        let state = *regions.get(region);
        assert_eq!((state.believed, state.serving, state.openings), (3, 5, 1));
        regions.set_writable(region, false);
        assert_eq!(
            (regions.get(region).serving, regions.get(region).writable),
            (5, NONE)
        );
        assert_eq!(regions.on_server(5).collect::<Vec<_>>(), [region]);
    }

    #[test]
    fn each_process_learns_each_opening_by_itself() {
        let mut caches = LocationCaches {
            processes: 70,
            known: Vec::new(),
        };
        assert!(caches.knows(5, 69), "everything is known at the start");
        caches.opened(5);
        caches.opened(3);
        assert!(caches.knows(4, 69) && !caches.knows(5, 69) && !caches.knows(3, 69));
        caches.learn(5, 69);
        caches.learn(4, 1);
        assert!(caches.knows(5, 69) && !caches.knows(5, 5) && !caches.knows(3, 69));
        caches.opened(5);
        assert!(!caches.knows(5, 69));
        assert_eq!(caches.known[5].len(), 2);
    }

    #[test]
    fn operations_are_spread_over_all_processes() {
        let caches = LocationCaches {
            processes: 7,
            known: Vec::new(),
        };
        let mut seen = [false; 7];
        (0..200).for_each(|operation| {
            seen[caches.process_of_operation(OperationId(operation)) as usize] = true;
        });
        assert_eq!(seen, [true; 7]);
    }
}
