//! Store files become fewer: which store is next, on which thread, how fast. Must not know rows, nor why files came.

use super::events::Event;
use super::simulation::Simulation;
use super::store::{CompactionState, Thread};
use crate::cluster::DiskJob;
use crate::metrics::Happening;
use crate::policy::{LARGE_COMPACTION_BYTES, compaction_limit};

impl Simulation<'_> {
    /// A region's files are to be compacted if there are enough of them or references among them, unless that has been asked for already.
    pub(super) fn ask_compaction(&mut self, region: u32) {
        let rules = self.stores.rules(self.regions.get(region).table).compaction;
        let server = self.stores.server_of(region);
        let (Some(server), Some(store)) = (server, self.stores.get_mut(region)) else {
            return;
        };
        let files = store.data.files().len();
        let wanted = store.data.has_references() || rules.needs_compaction(files, 0);
        if store.compaction == CompactionState::Idle && wanted {
            store.compaction = CompactionState::Asked(Thread::Small);
            let one = &mut self.stores.servers[server as usize];
            one.compaction_queue.push(region);
            self.start_compactions(server);
        }
    }

    /// Idle threads of a server take the stores that wait. What to compact is chosen only now; a set that is too large for the thread of
    /// small ones waits for the other (`CompactSplit.CompactionRunner`).
    pub(super) fn start_compactions(&mut self, server: u32) {
        for thread in [Thread::Small, Thread::Large] {
            while !self.stores.servers[server as usize].compacting[thread as usize]
                && let Some(region) = self.next_compaction(server, thread)
            {
                self.start_compaction(region, server, thread);
            }
        }
    }

    /// Of the stores that wait for a thread the one nearest to holding its flushes, references before all others; of equal ones the one
    /// that has waited longest (`HStore.getCompactPriority`). O(stores that wait).
    fn next_compaction(&mut self, server: u32, thread: Thread) -> Option<u32> {
        let urgency = |&region: &u32| {
            let store = self.stores.get(region)?;
            if store.compaction != CompactionState::Asked(thread) {
                return None;
            }
            let rules = self.stores.rules(self.regions.get(region).table).compaction;
            let files = store.data.files().len() as i64;
            Some((
                store.data.has_references(),
                files - rules.blocking_files as i64,
            ))
        };
        let queue = &self.stores.servers[server as usize].compaction_queue;
        let waiting = (0..).zip(queue);
        let found = waiting.filter_map(|(place, region)| Some((urgency(region)?, place)));
        let (_, place) = found.reduce(|most, next| if next.0 > most.0 { next } else { most })?;
        let region = queue[place];
        let one = &mut self.stores.servers[server as usize];
        one.compaction_queue.remove(place);
        Some(region)
    }

    fn start_compaction(&mut self, region: u32, server: u32, thread: Thread) {
        let rules = self.stores.rules(self.regions.get(region).table).compaction;
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        let files = store.compaction_files();
        let Some(chosen) = rules.choose(&files, 0..0) else {
            store.compaction = CompactionState::Idle;
            return;
        };
        let bytes = files[chosen.clone()].iter().map(|file| file.bytes).sum();
        if thread == Thread::Small && bytes > LARGE_COMPACTION_BYTES {
            store.compaction = CompactionState::Asked(Thread::Large);
            let one = &mut self.stores.servers[server as usize];
            one.compaction_queue.push(region);
            return;
        }
        store.compaction = CompactionState::Running(thread, chosen);
        let now = self.now;
        let one = &mut self.stores.servers[server as usize];
        one.compacting[thread as usize] = true;
        one.disk.add(now, DiskJob::Compaction(region), bytes);
        self.await_disk(server);
    }

    pub(super) fn compaction_ends(&mut self, region: u32, server: u32) {
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        let CompactionState::Running(thread, files) =
            std::mem::replace(&mut store.compaction, CompactionState::Idle)
        else {
            return;
        };
        let before = store.data.files().len();
        let references = store.data.files()[files.clone()]
            .iter()
            .any(|file| file.is_reference);
        let bytes = store.data.compacted(files);
        let after = store.data.files().len();
        let written = &mut self.stores.written;
        written.compacted += bytes;
        written.of_references += if references { bytes } else { 0 };
        self.stores.servers[server as usize].compacting[thread as usize] = false;
        self.files_changed(server, before, after);
        if references {
            self.await_discharger(region, server);
        }
        let compaction = Happening::Compaction {
            region,
            server,
            bytes,
            references,
        };
        self.recorder.happened(self.now, compaction);
        self.split_or_compact(region);
        self.start_compactions(server);
    }

    /// The references that a region has just compacted stay until the discharger of its server archives them.
    fn await_discharger(&mut self, region: u32, server: u32) {
        let period = self.config.table.discharger_period;
        let archived = self.stores.servers[server as usize].next_discharge(self.now, period);
        if let Some(store) = self.stores.get_mut(region) {
            store.archived = archived;
        }
        self.await_change(archived, Event::ReferencesArchived(region));
    }

    /// A store of a server has another number of files: with the pressure of its fullest store its compactions may write more or less, from
    /// now on (HBase looks every 60 s, `hbase.hstore.compaction.throughput.tune.period`).
    pub(super) fn files_changed(&mut self, server: u32, before: usize, after: usize) {
        let bounds = self.config.table.compaction_bandwidth;
        let rules = self.stores.rules(0).compaction;
        let now = self.now;
        let one = &mut self.stores.servers[server as usize];
        one.files_changed(before, after);
        let limit = compaction_limit(one.pressure(&rules), bounds.low, bounds.high);
        one.disk.limit_compactions(now, limit);
        self.await_disk(server);
    }
}
