//! Where clients look for a region: the location caches of their processes.
//!
//! All caches know the whole table at the start: clients have run for long (a cold start is over after a look-up a region and process).
//! A region that opens elsewhere, or comes to be, is unknown to every process until one of its calls was refused: then the process reads
//! META and drops what it knew, for all its clients. That is one round trip and a Get later; the cache learns it at the refusal itself, a
//! millisecond early. While the region is offline META tells nothing new: the call that was refused reads it again after its pause.

use crate::engine::numbers::NONE;
use crate::random::mix;
use crate::workload::OperationId;

/// What each process knows of the regions that have opened after the start.
#[derive(Debug)]
pub struct LocationCaches {
    processes: u32,
    /// Of each region up to the last that has opened: its place among those that have; [`NONE`] if it has not.
    places: Vec<u32>,
    /// Of each of those, a bit a process: it knows where the region opened last.
    known: Vec<u64>,
}

impl LocationCaches {
    /// Nothing has opened yet.
    pub fn new(processes: u32) -> Self {
        Self {
            processes: processes.max(1),
            places: Vec::new(),
            known: Vec::new(),
        }
    }

    /// How many processes there are, >= 1.
    #[inline]
    pub fn processes(&self) -> u32 {
        self.processes
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_learns_each_opening_by_itself() {
        let mut caches = LocationCaches::new(70);
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
        let caches = LocationCaches::new(7);
        let mut seen = [false; 7];
        (0..200).for_each(|operation| {
            seen[caches.process_of_operation(OperationId(operation)) as usize] = true;
        });
        assert_eq!(seen, [true; 7]);
    }
}
