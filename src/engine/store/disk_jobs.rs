//! Memstores become store files, and store files fewer: when a flush is due, who waits for whom, and what the end of a job leads to.
//!
//! HBase looks every ten seconds for memstores with a row older than `hbase.regionserver.optionalcacheflushinterval`, and asks for the flush of
//! each after a random delay, so that tables that are written evenly do not write all their files at once
//! (`HRegionServer.PeriodicMemStoreFlusher`, `HRegion.shouldFlush`). A flush for its size comes first where it is due first.

use super::region_store::{CompactionState, FLUSHERS, FlushState};
use super::stores::ServerHeap;
use crate::cluster::{DiskJob, Flushed, Memstore};
use crate::engine::clock::ClusterStep;
use crate::engine::simulation::Simulation;
use crate::keyspace::RowKey;
use crate::metrics::SeriesEvent;
use crate::policy::{
    FlushVerdict, NoSplitRow, RegionMemstore, SampledFile, SplitPolicy, split_row,
};
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};

/// From look to look (HBase default, `hbase.server.thread.wakefrequency`).
const LOOKS_EVERY: SimDuration = SimDuration::from_secs(10);

/// Longest delay (`PeriodicMemStoreFlusher.RANGE_OF_DELAY`).
const LONGEST_DELAY: SimDuration = SimDuration::from_secs(300);

impl Simulation<'_> {
    /// A row was synced: its cells are in the region's memstore now. `key` is needed while keys are kept.
    #[inline(always)]
    pub fn memstore_takes(&mut self, region: u32, heap: u32, bytes: u32, key: u32) {
        let stores = &mut self.stores;
        let memstore = &mut stores.memstores[region as usize];
        let full = memstore.take(heap, bytes);
        let server = &mut stores.heaps[memstore.place as usize];
        server.heap += u64::from(heap);
        let full = full | (server.heap >= server.limit);
        if stores.samples {
            stores.sample(region, || self.tables.keys.get(key));
        }
        if full {
            self.limit_is_passed(region, key);
        }
    }

    /// The row that came in last passed the limit of its memstore, or that of its server.
    #[cold]
    fn limit_is_passed(&mut self, region: u32, key: u32) {
        let stores = &mut self.stores;
        if stores.get(region).is_none() {
            stores.need_store(region);
            if stores.samples {
                stores.sample(region, || self.tables.keys.get(key));
            }
        }
        let Some(server) = stores.server_of(region) else {
            stores.memstores[region as usize].limit = u64::MAX;
            return;
        };
        let Memstore { heap, rows, .. } = stores.memstores[region as usize];
        if rows == 1 {
            self.memstore_begins(region);
        }
        match self.stores.rules(region).memstore.region(heap) {
            RegionMemstore::Open => {}
            RegionMemstore::FlushWanted => self.ask_flush(region),
            RegionMemstore::TooBusy => {
                self.tables.regions.set_writable(region, false);
                self.ask_flush(region);
            }
        }
        self.stores.set_memstore_limit(region);
        let ServerHeap { heap, limit } = self.stores.heaps[server as usize + 1];
        if heap >= limit {
            self.start_flushes(server);
        }
    }

    /// A region is split if it is due, else compacted if it has files enough: after each flush and each compaction, and when a flush is held.
    pub fn split_or_compact(&mut self, region: u32) {
        let now = self.clock.now;
        if let SplitPolicy::BusyRegion(rules) = &self.config.changes.policies.split_policy
            && let Some((memstore, store)) = self.stores.pair_mut(region)
        {
            let written = store.flushed_rows + u64::from(memstore.rows);
            let rate = &mut store.blocked;
            store.blocked_rate = rate.update(now, store.refused, written, rules.window);
        }
        if !self.consider_split(region) {
            self.stores.ask_compaction(region, &mut self.clock);
        }
    }

    /// Where a region would be split.
    ///
    /// # Errors
    /// [`NoSplitRow`]; a region whose keys are not kept has no file to look at.
    pub fn split_row(&self, region: u32) -> Result<RowKey, NoSplitRow> {
        let store = self.stores.get(region).ok_or(NoSplitRow::NoFile)?;
        let has_references = store.has_references(self.clock.now);
        let largest = store.data.largest_file();
        let sample = largest.and_then(|file| file.sample.as_ref());
        let sorted = sample.map(|sample| (sample, sample.sorted()));
        let file = sorted.as_ref().map(|(sample, sorted)| SampledFile {
            sample: sorted,
            first: sample.first(),
            last: sample.last(),
        });
        if file.is_none() && !has_references {
            return Err(NoSplitRow::NoFile);
        }
        let (start, end) = self.tables.range(region);
        let (start, end) = (start.as_bytes(), end.as_bytes());
        let policy = &self.config.changes.policies.split_policy;
        split_row(policy, start, end, has_references, file)
    }

    /// A region's memstore is to be flushed, unless that has been asked for already.
    pub fn ask_flush(&mut self, region: u32) {
        let state = self.stores.get(region).map(|store| store.flush);
        if state == Some(FlushState::Idle) {
            let wanted = self.clock.now;
            self.queue_flush(
                region,
                FlushState::Asked {
                    wanted,
                    held: false,
                },
            );
        }
    }

    /// A flush joins the queue of its server.
    pub fn queue_flush(&mut self, region: u32, asked: FlushState) {
        let server = self.stores.server_of(region);
        if let (Some(server), Some(store)) = (server, self.stores.get_mut(region)) {
            store.flush = asked;
            let queue = &mut self.stores.server_mut(server).flush_queue;
            queue.push_back(region);
            self.start_flushes(server);
        }
    }

    /// Writes that waited for room go on, if there is some.
    pub fn writes_go_on(&mut self, server: u32) {
        if self.stores.block(server) {
            return;
        }
        let waiting = std::mem::take(&mut self.stores.server_mut(server).waiting);
        for id in waiting {
            self.resume_write(id);
        }
    }

    /// Idle flushers of a server take the regions that wait, in turn; then, while its memstores are under pressure, the largest.
    pub fn start_flushes(&mut self, server: u32) {
        while self.stores.server(server).flushing < FLUSHERS {
            let queue = &mut self.stores.server_mut(server).flush_queue;
            if let Some(region) = queue.pop_front() {
                self.start_or_hold_flush(region, server);
            } else if let Some(region) = self.stores.region_to_relieve(server, &self.tables) {
                self.stores.start_flush(region, server, &mut self.clock);
            } else {
                break;
            }
        }
        self.stores.set_server_limit(server);
    }

    fn start_or_hold_flush(&mut self, region: u32, server: u32) {
        let now = self.clock.now;
        let rules = self.stores.rules(region).memstore;
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        let FlushState::Asked { wanted, held } = store.flush else {
            return;
        };
        match rules.flush(store.data.files().len() as u32, wanted, now) {
            FlushVerdict::Begin => self.stores.start_flush(region, server, &mut self.clock),
            FlushVerdict::Hold { look_again_in } => {
                let until = now + look_again_in;
                store.flush = FlushState::Held { wanted, until };
                self.clock
                    .await_step(until, ClusterStep::FlushRechecked(region));
                if !held {
                    self.split_or_compact(region);
                }
            }
        }
    }

    /// A flush that was held looks again.
    pub fn flush_looks_again(&mut self, region: u32) {
        if let Some(store) = self.stores.get(region)
            && let FlushState::Held { wanted, until } = store.flush
            && until == self.clock.now
        {
            self.queue_flush(region, FlushState::Asked { wanted, held: true });
        }
    }

    /// The job that was to end first on a server's disk ends.
    pub fn disk_done(&mut self, server: u32) {
        let now = self.clock.now;
        while let Some(job) = self.stores.server_mut(server).disk.ended(now) {
            match job {
                DiskJob::Flush(region) => self.flush_ends(region, server),
                DiskJob::Compaction(region) => self.compaction_ends(region, server),
            }
        }
        self.stores.await_disk(server, &mut self.clock);
    }

    fn flush_ends(&mut self, region: u32, server: u32) {
        let Some((memstore, store)) = self.stores.pair_mut(region) else {
            return;
        };
        let files = store.data.files().len();
        let Some(flushed) = store.data.written(memstore) else {
            return;
        };
        store.flush = FlushState::Idle;
        let heap = memstore.heap;
        self.stores.server_mut(server).flushing -= 1;
        *self.stores.heap_mut(server) -= flushed.heap;
        self.report_flush(region, server, flushed);
        self.stores
            .files_changed(server, files, files + 1, &mut self.clock);
        let state = self.tables.regions.get(region);
        let rules = self.stores.rules(region).memstore;
        if state.writable != state.serving && rules.region(heap) != RegionMemstore::TooBusy {
            self.tables.regions.set_writable(region, true);
        }
        self.stores.set_memstore_limit(region);
        self.writes_go_on(server);
        self.split_or_compact(region);
        self.start_flushes(server);
    }

    pub fn report_flush(&mut self, region: u32, server: u32, flushed: Flushed) {
        let bytes = flushed.bytes;
        self.stores.written.flushed += bytes;
        self.happens(SeriesEvent::flushed(region, server, bytes));
    }

    fn compaction_ends(&mut self, region: u32, server: u32) {
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        let state = std::mem::replace(&mut store.compaction, CompactionState::Idle);
        let CompactionState::Running(thread, files) = state else {
            return;
        };
        let all = store.data.files();
        let before = all.len();
        let references = all[files.clone()].iter().any(|file| file.is_reference);
        let bytes = store.data.compacted(files);
        let after = store.data.files().len();
        let written = &mut self.stores.written;
        written.compacted += bytes;
        written.of_references += if references { bytes } else { 0 };
        self.stores.server_mut(server).compacting[thread as usize] = false;
        self.stores
            .files_changed(server, before, after, &mut self.clock);
        if references {
            self.stores
                .await_discharger(region, server, &mut self.clock);
        }
        self.happens(SeriesEvent::compacted(region, server, bytes, references));
        self.split_or_compact(region);
        self.stores.start_compactions(server, &mut self.clock);
    }

    /// The oldest row of a region's memstore came in now: a flush for its age is awaited, if the run lasts so long.
    pub fn memstore_begins(&mut self, region: u32) {
        let interval = self.stores.rules(region).flush_interval;
        let (Some(interval), Some(store)) = (interval, self.stores.get_mut(region)) else {
            return;
        };
        store.memstores = store.memstores.wrapping_add(1);
        let number = u64::from(region) << 32 | u64::from(store.memstores);
        let draws = self.config.generator.draws(Stream::FlushDelay, 0);
        let delay = draws.at(number).below(LONGEST_DELAY.as_nanos());
        let old = (self.clock.now + interval).as_nanos();
        let seen = old.next_multiple_of(LOOKS_EVERY.as_nanos());
        store.flush_due = SimTime::from_nanos(seen) + SimDuration::from_nanos(delay);
        let due = store.flush_due;
        self.clock.await_step(due, ClusterStep::FlushByAge(region));
    }

    /// A region's memstore was to be flushed for its age now; nothing happens when it has been flushed since.
    pub fn memstore_is_old(&mut self, region: u32) {
        let due = self.stores.get(region).map(|store| store.flush_due);
        if due == Some(self.clock.now) && self.stores.rows_held(region) > 0 {
            self.ask_flush(region);
        }
    }
}
