//! Where clients look for a region: the location caches of their processes. Must not know keys, nor what a call does.
//!
//! All caches know the whole table at the start: clients have run for long (a cold start is over after a look-up a region and process).
//! A region that opens elsewhere, or comes to be, is unknown to every process until one of its calls was refused: then the process reads
//! META and drops what it knew, for all its clients. That is one round trip and a Get later; the cache learns it at the refusal itself, a
//! millisecond early. While the region is offline META tells nothing new: the call that was refused reads it again after its pause.

use super::SimConfig;
use super::calls::NONE;
use super::simulation::Simulation;
use crate::metrics::RefusalReason;
use crate::random::mix;
use crate::time::SimDuration;
use crate::workload::OperationId;

/// What each process knows of the regions that have opened after the start.
#[derive(Debug)]
pub(super) struct LocationCaches {
    processes: u32,
    /// Of each region up to the last that has opened: its place among those that have; [`NONE`] if it has not.
    places: Vec<u32>,
    /// Of each of those, a bit a process: it knows where the region opened last.
    known: Vec<u64>,
}

impl LocationCaches {
    pub fn new(config: &SimConfig) -> Self {
        Self {
            processes: config.client.processes.max(1),
            places: Vec::new(),
            known: Vec::new(),
        }
    }

    fn words(&self) -> usize {
        self.processes.div_ceil(u64::BITS) as usize
    }

    /// A region opens: no process knows it there.
    pub fn opened(&mut self, region: u32) {
        let words = self.words();
        if self.places.len() <= region as usize {
            self.places.resize(region as usize + 1, NONE);
        }
        let place = self.places[region as usize];
        if place == NONE {
            self.places[region as usize] = (self.known.len() / words) as u32;
            self.known.resize(self.known.len() + words, 0);
        } else {
            self.known[place as usize * words..][..words].fill(0);
        }
    }

    /// A process reads in META where a region is.
    pub fn learn(&mut self, region: u32, process: u32) {
        let words = self.words();
        if let Some(&place) = self.places.get(region as usize)
            && place != NONE
        {
            let word = place as usize * words + (process / u64::BITS) as usize;
            self.known[word] |= 1 << (process % u64::BITS);
        }
    }

    /// The process knows where the region opened last. O(1).
    #[inline]
    pub fn knows(&self, region: u32, process: u32) -> bool {
        match self.places.get(region as usize) {
            None | Some(&NONE) => true,
            Some(&place) => {
                let word = place as usize * self.words() + (process / u64::BITS) as usize;
                self.known[word] >> (process % u64::BITS) & 1 > 0
            }
        }
    }

    /// The process of an operation of an open loop: any, each equally likely.
    #[inline]
    pub fn process_of_operation(&self, operation: OperationId) -> u32 {
        ((u128::from(mix(operation.0)) * u128::from(self.processes)) >> u64::BITS) as u32
    }
}

impl Simulation<'_> {
    /// The process that an operation belongs to; closed-loop clients (and readers) share the processes in turn.
    #[inline]
    pub(super) fn process_of(&self, operation: OperationId, client: u32) -> u32 {
        if client == NONE {
            self.caches.process_of_operation(operation)
        } else {
            client % self.config.client.processes.max(1)
        }
    }

    /// The server that a process sends a call for a region to: where it believes the region to be.
    #[inline]
    pub(super) fn server_for(&self, region: u32, process: u32) -> u32 {
        let state = self.regions.get(region);
        if state.openings == 0 || self.caches.knows(region, process) {
            state.server
        } else {
            state.believed
        }
    }

    /// The region that holds a row now that belonged to `region` when its key was kept: that very one, unless it has been split or merged.
    #[inline]
    pub(super) fn region_now(&self, region: u32, key: u32) -> u32 {
        if self.regions.changed() && self.regions.is_gone(region) {
            let table = self.regions.get(region).table as usize;
            self.table(table).locate(self.keys.get(key))
        } else {
            region
        }
    }

    /// Why a server refuses a write of that process to a region, if it does. A call that looked for the region where it was before is
    /// refused even if it is back on that server: it names another opening, or the region that this one was split from.
    #[inline]
    pub(super) fn refusal_of_write(
        &self,
        server: u32,
        region: u32,
        process: u32,
    ) -> Option<RefusalReason> {
        let state = self.regions.get(region);
        if !self.is_served(server, region, process) {
            Some(RefusalReason::NotServingRegion)
        } else if state.writable != server {
            Some(RefusalReason::RegionTooBusy)
        } else {
            None
        }
    }

    /// The region is open on that server, and the process knows it.
    #[inline]
    pub(super) fn is_served(&self, server: u32, region: u32, process: u32) -> bool {
        let state = self.regions.get(region);
        state.serving == server && (state.openings == 0 || self.caches.knows(region, process))
    }

    /// A process reads META since a server did not serve a region: it learns where it is, if it is open.
    pub(super) fn looks_up(&mut self, region: u32, process: u32) {
        if self.regions.get(region).serving != NONE {
            self.caches.learn(region, process);
        }
    }

    /// How long a look-up in META takes: a round trip and a Get without a queue, since META's server is not modelled.
    pub(super) fn look_up_time(&self) -> SimDuration {
        self.network + self.network + self.config.cluster.service.get
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_learns_each_opening_by_itself() {
        let mut caches = LocationCaches {
            processes: 70,
            places: Vec::new(),
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
        assert_eq!(caches.known.len(), 4);
    }

    #[test]
    fn operations_are_spread_over_all_processes() {
        let caches = LocationCaches {
            processes: 7,
            places: Vec::new(),
            known: Vec::new(),
        };
        let mut seen = [false; 7];
        (0..200).for_each(|operation| {
            seen[caches.process_of_operation(OperationId(operation)) as usize] = true;
        });
        assert_eq!(seen, [true; 7]);
    }
}
