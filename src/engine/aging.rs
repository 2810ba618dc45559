//! Memstores that never get large: when their oldest row is old enough, they are flushed. Must not know rows, nor how a flush is done.
//!
//! HBase looks every ten seconds for memstores with a row older than `hbase.regionserver.optionalcacheflushinterval`, and asks for the flush of
//! each after a random delay, so that tables that are written evenly do not write all their files at once
//! (`HRegionServer.PeriodicMemStoreFlusher`, `HRegion.shouldFlush`). A flush for its size comes first where it is due first.

use super::events::Event;
use super::simulation::Simulation;
use crate::random::{DrawKey, Stream};
use crate::time::{SimDuration, SimTime};

/// From look to look (HBase default, `hbase.server.thread.wakefrequency`).
const LOOKS_EVERY: SimDuration = SimDuration::from_secs(10);

/// Longest delay (`PeriodicMemStoreFlusher.RANGE_OF_DELAY`).
const LONGEST_DELAY: SimDuration = SimDuration::from_secs(300);

impl Simulation<'_> {
    /// The oldest row of a region's memstore came in now: a flush for its age is awaited, if the run lasts so long.
    pub(super) fn memstore_begins(&mut self, region: u32) {
        let table = self.regions.get(region).table;
        let Some(interval) = self.stores.rules(table).flush_interval else {
            return;
        };
        let (config, now) = (self.config, self.now);
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        store.memstores = store.memstores.wrapping_add(1);
        let number = u64::from(region) << 32 | u64::from(store.memstores);
        let draws = DrawKey::new(config.seed, config.replicate, Stream::FlushDelay, 0);
        let delay = draws.at(number).below(LONGEST_DELAY.as_nanos());
        let old = (now + interval).as_nanos();
        let seen = old.next_multiple_of(LOOKS_EVERY.as_nanos());
        let due = SimTime::from_nanos(seen) + SimDuration::from_nanos(delay);
        store.flush_due = due;
        self.await_change(due, Event::MemstoreIsOld(region));
    }

    /// A region's memstore was to be flushed for its age now; nothing happens when it has been flushed since.
    pub(super) fn memstore_is_old(&mut self, region: u32) {
        let due = self.stores.get(region).map(|store| store.flush_due);
        if due == Some(self.now) && self.stores.memstores[region as usize].rows > 0 {
            self.ask_flush(region);
        }
    }
}
