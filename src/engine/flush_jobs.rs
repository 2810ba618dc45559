//! Memstores become store files: who asks, who waits, what a flush does to its server. Must not know rows.

use super::events::Event;
use super::simulation::Simulation;
use super::store::FlushState;
use crate::cluster::{DiskJob, Flushed};
use crate::metrics::Happening;
use crate::policy::{FlushCandidate, FlushVerdict, RegionMemstore, ServerMemstore};

/// Flushes of one server that run at a time (HBase default, `hbase.hstore.flusher.count`).
const FLUSHERS: u32 = 2;

impl Simulation<'_> {
    /// A region's memstore is to be flushed, unless that has been asked for already.
    pub(super) fn ask_flush(&mut self, region: u32) {
        let (now, server) = (self.now, self.stores.server_of(region));
        let (Some(server), Some(store)) = (server, self.stores.get_mut(region)) else {
            return;
        };
        if store.flush == FlushState::Idle {
            store.flush = FlushState::Asked {
                wanted: now,
                held: false,
            };
            let one = &mut self.stores.servers[server as usize];
            one.flush_queue.push_back(region);
            self.start_flushes(server);
        }
    }

    /// Idle flushers of a server take the regions that wait, in turn; then, while its memstores are under pressure, the largest.
    pub(super) fn start_flushes(&mut self, server: u32) {
        while self.stores.servers[server as usize].flushing < FLUSHERS {
            let queue = &mut self.stores.servers[server as usize].flush_queue;
            if let Some(region) = queue.pop_front() {
                self.start_or_hold_flush(region, server);
            } else if let Some(region) = self.region_to_relieve(server) {
                self.start_flush(region, server);
            } else {
                break;
            }
        }
        self.set_server_limit(server);
    }

    fn start_or_hold_flush(&mut self, region: u32, server: u32) {
        let now = self.now;
        let rules = self.stores.rules(self.regions.get(region).table).memstore;
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        let FlushState::Asked { wanted, held } = store.flush else {
            return;
        };
        match rules.flush(store.data.files().len() as u32, wanted, now) {
            FlushVerdict::Begin => self.start_flush(region, server),
            FlushVerdict::Hold { look_again_in } => {
                let until = now + look_again_in;
                store.flush = FlushState::Held { wanted, until };
                if until < self.config.duration {
                    self.schedule(until, Event::FlushLooksAgain(region));
                }
                if !held {
                    self.split_or_compact(region);
                }
            }
        }
    }

    /// A flush that was held looks again.
    pub(super) fn flush_looks_again(&mut self, region: u32) {
        let (now, server) = (self.now, self.stores.server_of(region));
        let (Some(server), Some(store)) = (server, self.stores.get_mut(region)) else {
            return;
        };
        if let FlushState::Held { wanted, until } = store.flush
            && until == now
        {
            store.flush = FlushState::Asked { wanted, held: true };
            let one = &mut self.stores.servers[server as usize];
            one.flush_queue.push_back(region);
            self.start_flushes(server);
        }
    }

    fn start_flush(&mut self, region: u32, server: u32) {
        let now = self.now;
        let Some((memstore, store)) = self.stores.pair_mut(region) else {
            return;
        };
        let rows = u64::from(memstore.rows);
        let bytes = store.data.freeze(memstore);
        store.flushed_rows += rows;
        store.flush = FlushState::Running;
        let one = &mut self.stores.servers[server as usize];
        one.flushing += 1;
        one.disk.add(now, DiskJob::Flush(region), bytes);
        self.await_disk(server);
        self.set_memstore_limit(region);
    }

    /// The job that was to end first on a server's disk ends.
    pub(super) fn disk_done(&mut self, server: u32) {
        let now = self.now;
        while let Some(job) = self.stores.servers[server as usize].disk.ended(now) {
            match job {
                DiskJob::Flush(region) => self.flush_ends(region, server),
                DiskJob::Compaction(region) => self.compaction_ends(region, server),
            }
        }
        self.await_disk(server);
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
        self.stores.servers[server as usize].flushing -= 1;
        self.memory_is_free(server, flushed);
        self.report_flush(region, server, flushed);
        self.files_changed(server, files, files + 1);
        let state = self.regions.get(region);
        let rules = self.stores.rules(state.table).memstore;
        if state.writable != state.serving && rules.region(heap) != RegionMemstore::TooBusy {
            self.regions.set_writable(region, true);
        }
        self.set_memstore_limit(region);
        self.writes_go_on(server);
        self.split_or_compact(region);
        self.start_flushes(server);
    }

    pub(super) fn memory_is_free(&mut self, server: u32, flushed: Flushed) {
        self.stores.heaps[server as usize + 1].heap -= flushed.heap;
    }

    pub(super) fn report_flush(&mut self, region: u32, server: u32, flushed: Flushed) {
        let bytes = flushed.bytes;
        self.stores.written.flushed += bytes;
        let flush = Happening::Flush {
            region,
            server,
            bytes,
        };
        self.recorder.happened(self.now, flush);
    }

    /// Writes that waited for room go on, if there is some.
    pub(super) fn writes_go_on(&mut self, server: u32) {
        if self.memstores_block(server) {
            return;
        }
        let waiting = std::mem::take(&mut self.stores.servers[server as usize].waiting);
        for id in waiting {
            self.resume_write(id);
        }
    }

    /// The region to flush next while all memstores of a server together take too much. O(regions with a store on it); the first time it
    /// may be O(all regions).
    fn region_to_relieve(&mut self, server: u32) -> Option<u32> {
        let rules = self.stores.rules(0).memstore;
        let heap = self.stores.heaps[server as usize + 1].heap;
        if rules.server(heap) == ServerMemstore::Open {
            return None;
        }
        if !self.first_rows_need_stores(0) && !self.stores.servers[server as usize].has_all_stores {
            let regions: Vec<u32> = self.regions.on_server(server).collect();
            regions.iter().for_each(|&region| self.need_store(region));
            self.stores.servers[server as usize].has_all_stores = true;
        }
        let regions = &self.stores.servers[server as usize].regions;
        let candidates = regions.iter().map(|&region| {
            let store = self.stores.get(region);
            FlushCandidate {
                heap_bytes: self.stores.memstores[region as usize].heap,
                store_files: store.map_or(0, |store| store.data.files().len() as u32),
                flushing: store.is_none_or(|store| store.flush == FlushState::Running),
            }
        });
        let place = rules.region_to_flush(candidates)?;
        Some(regions[place])
    }

    /// When the server's next write needs to be looked at: at the mark from which flushes are forced; above it after another thousandth of
    /// all memory while a flusher is idle, as there may be something to flush then. The end of a flush looks again anyway.
    pub(super) fn set_server_limit(&mut self, server: u32) {
        let rules = self.stores.rules(0);
        let (low, step) = (rules.low_mark(), rules.memstore.server_bytes / 1_000 + 1);
        let idle = self.stores.servers[server as usize].flushing < FLUSHERS;
        let one = &mut self.stores.heaps[server as usize + 1];
        one.limit = if one.heap < low {
            low
        } else if idle {
            one.heap + step
        } else {
            u64::MAX
        };
    }
}
