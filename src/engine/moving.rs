//! Regions on their way: closed here, open there. Must not know who sent them.
//!
//! Everything that takes a region offline or opens one after the start goes through here, so that each region is open on a live server, or has
//! one opening before it, or is listed with a dead server whose regions will open when its death is noticed.

use super::calls::NONE;
use super::events::Event;
use super::master::Opening;
use super::simulation::Simulation;
use crate::metrics::Happening;
use crate::time::{SimDuration, SimTime};

impl Simulation<'_> {
    /// `event` will happen to the cluster at `at`, unless the run ends before; then a workload that ends by itself still may.
    pub(super) fn await_change(&mut self, at: SimTime, event: Event) {
        if at < self.config.duration {
            self.schedule(at, event);
        }
    }

    /// Whether a region serves calls.
    pub(super) fn is_open(&self, region: u32) -> bool {
        self.regions.get(region).serving != NONE
    }

    /// An open region goes offline in good order.
    pub(super) fn take_offline(&mut self, region: u32) {
        let state = *self.regions.get(region);
        debug_assert!(state.serving != NONE, "only open regions go offline");
        self.master.counts.closed(state.serving, state.table);
        self.close_region(region);
        self.close_store(region);
    }

    /// An offline region will open on `server` after `pause`.
    pub(super) fn await_opening(&mut self, region: u32, pause: SimDuration, opening: Opening) {
        let before = self.master.opening.insert(region, opening);
        debug_assert!(before.is_none(), "a region opens once at a time");
        self.await_change(self.now + pause, Event::RegionOpens(region));
    }

    /// An open region moves to another server: offline for `cluster.move_offline`.
    pub(super) fn move_region(&mut self, region: u32, to: u32) {
        let from = self.regions.get(region).server;
        self.take_offline(region);
        let what = Happening::Move { region, from, to };
        self.recorder.happened(self.now, what);
        let opening = Opening {
            server: to,
            ends_split: false,
        };
        self.await_opening(region, self.config.cluster.move_offline, opening);
    }

    /// A region that was offline opens where it is to open; when that server has died meanwhile, on the idlest one, and if nobody has noticed
    /// yet, with the dead server's regions.
    pub(super) fn region_opens(&mut self, region: u32) {
        let Some(opening) = self.master.opening.remove(&region) else {
            return;
        };
        let mut server = opening.server;
        if let Some(dead) = self.master.dead.get_mut(&server) {
            dead.regions.push(region);
            return;
        }
        if !self.is_alive(server) {
            server = self.idlest_server();
        }
        self.open_region(region, server);
        let table = self.regions.get(region).table;
        self.master.counts.opened(server, table);
        self.master.loads.opened(region);
        let what = Happening::Open { region, server };
        self.recorder.happened(self.now, what);
        self.open_store(region);
        if opening.ends_split {
            self.split_ends(opening.server);
        }
        if self.is_open(region) {
            self.split_as_asked(region);
        }
    }

    /// The live servers by number. There is one at least: the last one never dies.
    pub(super) fn live_servers(&self) -> Vec<u32> {
        let servers = 0..self.servers.len() as u32;
        servers.filter(|&server| self.is_alive(server)).collect()
    }

    /// The live server with fewest open regions, the first of equal ones.
    pub(super) fn idlest_server(&self) -> u32 {
        let servers = self.live_servers().into_iter();
        servers
            .min_by_key(|&server| self.master.counts.of_all(server))
            .expect("the last server never dies")
    }
}
