//! The regions of all tables and where each is: what every call looks at.
//!
//! Regions are numbered over all tables, those of the table itself first, then copy by copy, then neighbour by neighbour, each in key order;
//! daughters and merged regions get the next free numbers, so that a number always means the same range of keys.

use crate::engine::numbers::NONE;

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
    /// Open regions, by table and server, up to the last server that had one.
    open: Vec<Vec<u32>>,
}

impl Regions {
    /// Adds a region that is open from the start; returns its number.
    pub fn add_open(&mut self, table: u32, server: u32) -> u32 {
        *self.open_of(table, server) += 1;
        self.push(RegionState {
            serving: server,
            writable: server,
            server,
            believed: server,
            openings: 0,
            table,
        })
    }

    /// Adds a region that is offline on `server`: a daughter, or a merged region. Clients look for it where its parent is.
    pub fn add_offline(&mut self, table: u32, server: u32) -> u32 {
        self.push(RegionState {
            serving: NONE,
            writable: NONE,
            server,
            believed: server,
            openings: 0,
            table,
        })
    }

    fn push(&mut self, state: RegionState) -> u32 {
        self.states.push(state);
        (self.states.len() - 1) as u32
    }

    fn open_of(&mut self, table: u32, server: u32) -> &mut u32 {
        let tables = self.open.len().max(table as usize + 1);
        self.open.resize_with(tables, Vec::new);
        let servers = &mut self.open[table as usize];
        servers.resize(servers.len().max(server as usize + 1), 0);
        &mut servers[server as usize]
    }

    /// Open regions of a table on a server.
    pub fn open_of_table(&self, server: u32, table: u32) -> u32 {
        let servers = self.open.get(table as usize);
        let found = servers.and_then(|servers| servers.get(server as usize));
        found.copied().unwrap_or(0)
    }

    /// Open regions of all tables on a server. O(tables).
    pub fn open_on(&self, server: u32) -> u32 {
        let tables = 0..self.open.len() as u32;
        tables.map(|table| self.open_of_table(server, table)).sum()
    }

    /// How many there have been.
    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// One of them.
    #[inline]
    pub fn get(&self, region: u32) -> &RegionState {
        &self.states[region as usize]
    }

    /// Some region has been closed, opened, or has refused writes: until then every region takes every call on the server where all
    /// clients look for it.
    #[inline]
    pub fn changed(&self) -> bool {
        self.changed
    }

    /// It serves calls.
    #[inline]
    pub fn is_open(&self, region: u32) -> bool {
        self.get(region).serving != NONE
    }

    /// It was split or merged: its keys belong to others.
    #[inline]
    pub fn is_gone(&self, region: u32) -> bool {
        self.get(region).server == NONE
    }

    /// A closed region is no more: it was split or merged.
    pub fn end(&mut self, region: u32) {
        self.changed = true;
        self.states[region as usize].server = NONE;
    }

    /// An open region refuses all calls from now on (`NotServingRegion`).
    pub fn close(&mut self, region: u32) {
        self.changed = true;
        let RegionState { serving, table, .. } = *self.get(region);
        *self.open_of(table, serving) -= 1;
        let state = &mut self.states[region as usize];
        state.serving = NONE;
        state.writable = NONE;
    }

    /// It opens on `server`; clients that knew where it was look for it there first.
    pub fn open(&mut self, region: u32, server: u32) {
        self.changed = true;
        *self.open_of(self.get(region).table, server) += 1;
        let state = &mut self.states[region as usize];
        state.believed = state.server;
        state.server = server;
        state.serving = server;
        state.writable = server;
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
        (0..).zip(&self.states).filter_map(move |(region, state)| {
            (state.serving == server && server != NONE).then_some(region)
        })
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
}
