//! The store of one region with its flush and its compaction, and what the stores of one server share.

use crate::cluster::{Disk, RegionStore, Sampling, TableSpec};
use crate::engine::config::SimConfig;
use crate::policy::{
    BlockedRate, CompactionFile, CompactionRules, LARGE_COMPACTION_BYTES, MemstoreRules,
    compaction_pressure,
};
use crate::time::{SimDuration, SimTime};
use crate::units::Bandwidth;
use std::collections::VecDeque;
use std::ops::Range;

/// The settings of a table's stores.
#[derive(Debug, Clone)]
pub struct StoreRules {
    pub memstore: MemstoreRules,
    pub compaction: CompactionRules,
    /// Age from which on a memstore is flushed; `None` where the run is too short for any to get as old.
    pub flush_interval: Option<SimDuration>,
    /// `None` where keys are not kept.
    pub sampling: Option<Sampling>,
}

impl StoreRules {
    pub fn of(config: &SimConfig, table: &TableSpec, sampling: Option<Sampling>) -> Self {
        Self {
            memstore: MemstoreRules {
                flush_bytes: table.memstore_flush_size.0,
                block_multiplier: u64::from(table.memstore_block_multiplier),
                blocking_files: table.blocking_store_files,
                ..MemstoreRules::for_heap(config.cluster.heap.0)
            },
            compaction: CompactionRules {
                min_bytes: table.min_compaction_size.0,
                blocking_files: table.blocking_store_files as usize,
                ..CompactionRules::default()
            },
            flush_interval: Some(table.memstore_flush_interval)
                .filter(|&interval| interval > SimDuration::ZERO)
                .filter(|&interval| SimTime::ZERO + interval < config.duration),
            sampling,
        }
    }

    /// Heap of a server's memstores from which on flushes are forced.
    pub fn low_mark(&self) -> u64 {
        (self.memstore.server_bytes as f64 * self.memstore.lower_limit).ceil() as u64
    }
}

/// Flushes of one server that run at a time (HBase default, `hbase.hstore.flusher.count`).
pub const FLUSHERS: u32 = 2;

/// One region's store, from its first file, its first opening in the run, or the first need of more than its memstore on.
#[derive(Debug)]
pub struct Store {
    pub data: RegionStore,
    pub flush: FlushState,
    pub compaction: CompactionState,
    /// When the references that a compaction has replaced last are archived.
    pub archived: SimTime,
    /// Memstores that have begun.
    pub memstores: u32,
    /// When the last of them is flushed for its age, if it is still there.
    pub flush_due: SimTime,
    /// When the region was opened.
    pub opened: SimTime,
    /// Rows written since then, those in the memstore apart.
    pub flushed_rows: u64,
    /// Batches refused since then.
    pub refused: u64,
    pub blocked: BlockedRate,
    /// What it was when it was asked last.
    pub blocked_rate: f32,
}

/// Where a flush of a region stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushState {
    /// None is asked for.
    Idle,
    /// It waits for a flusher.
    Asked {
        /// Since when.
        wanted: SimTime,
        /// It was held before.
        held: bool,
    },
    /// The store has too many files.
    Held {
        /// Since when it is wanted.
        wanted: SimTime,
        /// When it joins the queue again.
        until: SimTime,
    },
    /// A flusher writes it.
    Running,
}

/// Where a compaction of a region stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompactionState {
    /// None is asked for.
    Idle,
    /// It waits for one of its server's threads.
    Asked(Thread),
    /// These files are being rewritten.
    Running(Thread, Range<usize>),
}

/// The two threads of a server that compact (`hbase.regionserver.thread.compaction.small` and `large`, one each).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    /// Every compaction asks it first.
    Small,
    /// Takes those that are too large for the other.
    Large,
}

impl Store {
    /// Of a region that was opened at `opened`.
    pub fn new(sampling: Option<Sampling>, opened: SimTime) -> Self {
        Self {
            data: RegionStore::new(sampling),
            flush: FlushState::Idle,
            compaction: CompactionState::Idle,
            archived: SimTime::ZERO,
            memstores: 0,
            flush_due: SimTime::ZERO,
            opened,
            flushed_rows: 0,
            refused: 0,
            blocked: BlockedRate::new(opened),
            blocked_rate: 0.0,
        }
    }

    /// Whether files of another region are among its own, those that were compacted and are not archived included (`HStore.hasReferences`).
    pub fn has_references(&self, now: SimTime) -> bool {
        self.data.has_references() || now < self.archived
    }

    /// Counters start again. What was compacted before is archived: as the store closed (`HStore.close`), or now (`HStore.initialize`).
    pub fn reopen(&mut self, now: SimTime) {
        self.archived = now;
        self.opened = now;
        self.flushed_rows = 0;
        self.refused = 0;
        self.blocked = BlockedRate::new(now);
        self.blocked_rate = 0.0;
    }

    /// What its compaction does that `thread` takes up: it runs, waits for the other thread, or there is nothing to compact.
    pub fn next_compaction(&self, rules: &CompactionRules, thread: Thread) -> CompactionState {
        let files = self.data.files().iter().map(|file| CompactionFile {
            bytes: file.bytes,
            is_reference: file.is_reference,
        });
        let files: Vec<_> = files.collect();
        let Some(chosen) = rules.choose(&files, 0..0) else {
            return CompactionState::Idle;
        };
        let bytes: u64 = files[chosen.clone()].iter().map(|file| file.bytes).sum();
        match thread {
            Thread::Small if bytes > LARGE_COMPACTION_BYTES => {
                CompactionState::Asked(Thread::Large)
            }
            Thread::Small | Thread::Large => CompactionState::Running(thread, chosen),
        }
    }
}

/// What the stores of one server share, its memstores' heap apart.
#[derive(Debug)]
pub struct ServerStores {
    pub disk: Disk,
    /// When the server started.
    pub started: SimTime,
    /// The end that the event loop waits for; others have no effect.
    pub awaited: Option<SimTime>,
    /// Regions with a store that are open here, in no order.
    pub regions: Vec<u32>,
    /// Those are all that are open here.
    pub has_all_stores: bool,
    /// Regions whose flush waits for a flusher.
    pub flush_queue: VecDeque<u32>,
    /// Flushers at work.
    pub flushing: u32,
    /// Regions whose compaction waits for a thread.
    pub compaction_queue: Vec<u32>,
    /// Threads that compact: small, large.
    pub compacting: [bool; 2],
    /// Writes that wait for room in the memstores, in their order.
    pub waiting: Vec<u32>,
    /// Stores by their number of files; the last is not 0.
    file_counts: Vec<u32>,
}

impl ServerStores {
    pub fn new(bandwidth: Bandwidth) -> Self {
        Self {
            disk: Disk::new(bandwidth),
            started: SimTime::ZERO,
            awaited: None,
            regions: Vec::new(),
            has_all_stores: false,
            flush_queue: VecDeque::new(),
            flushing: 0,
            compaction_queue: Vec::new(),
            compacting: [false; 2],
            waiting: Vec::new(),
            file_counts: Vec::new(),
        }
    }

    /// A store here has `after` files, no longer `before`; 0 for one that is not here.
    pub fn files_changed(&mut self, before: usize, after: usize) {
        if self.file_counts.len() <= after {
            self.file_counts.resize(after + 1, 0);
        }
        if before > 0 {
            self.file_counts[before] -= 1;
        }
        if after > 0 {
            self.file_counts[after] += 1;
        }
        while self.file_counts.last() == Some(&0) {
            self.file_counts.pop();
        }
    }

    /// When it archives compacted files next, after `now`: every `period` since its start.
    pub fn next_discharge(&self, now: SimTime, period: SimDuration) -> SimTime {
        let period = period.as_nanos().max(1);
        let ticks = now.since(self.started).as_nanos() / period + 1;
        self.started + SimDuration::from_nanos(ticks.saturating_mul(period))
    }

    /// The greatest of its stores.
    pub fn pressure(&self, rules: &CompactionRules) -> f64 {
        compaction_pressure(rules, self.file_counts.len().saturating_sub(1))
    }

    /// The server dies.
    pub fn clear(&mut self, now: SimTime) {
        self.disk.cancel_all(now);
        self.awaited = None;
        self.regions.clear();
        self.flush_queue.clear();
        self.flushing = 0;
        self.compaction_queue.clear();
        self.compacting = [false; 2];
        self.waiting.clear();
        self.file_counts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compacted_files_are_archived_a_whole_number_of_periods_after_the_server_started() {
        let mut server = ServerStores::new(Bandwidth(1.0));
        let (second, period) = (
            |s| SimTime::ZERO + SimDuration::from_secs(s),
            SimDuration::from_secs(120),
        );
        for (now, next) in [(0, 120), (119, 120), (120, 240), (500, 600)] {
            assert_eq!(server.next_discharge(second(now), period), second(next));
        }
        server.started = second(50);
        assert_eq!(server.next_discharge(second(160), period), second(170));
        assert_eq!(server.next_discharge(second(170), period), second(290));
    }

    #[test]
    fn a_server_is_as_pressed_as_its_fullest_store() {
        let rules = CompactionRules::default();
        let mut server = ServerStores::new(Bandwidth(1.0));
        let pressure = |server: &ServerStores| server.pressure(&rules);
        assert_eq!(pressure(&server), 0.0);
        server.files_changed(0, 16);
        server.files_changed(0, 5);
        assert_eq!(pressure(&server), 1.0);
        server.files_changed(16, 7);
        assert_eq!(pressure(&server), 4.0 / 13.0);
        server.files_changed(7, 0);
        assert_eq!(pressure(&server), 2.0 / 13.0);
        server.files_changed(5, 0);
        assert_eq!(pressure(&server), 0.0);
    }
}
