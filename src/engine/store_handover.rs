//! Stores of regions that close, open, split, merge, or lose their server. Must not know why they do.

use super::simulation::Simulation;
use super::store::{CompactionState, FlushState, Store};
use crate::cluster::{DiskJob, Flushed, RegionFile, RegionStore};
use crate::keyspace::RowKey;

impl Simulation<'_> {
    /// A region goes offline in good order: its memstore becomes a store file at once, its jobs end without effect.
    ///
    /// HBase flushes most of it while the region still serves (`hbase.hregion.preclose.flush.size`) and the rest while it is offline: that is part of
    /// `split_offline` and `move_offline`. A running flush is written to its end; a running compaction is given up.
    pub(super) fn close_store(&mut self, region: u32) {
        self.stores.reach_regions(self.regions.len());
        let Some(server) = self.stores.server_of(region) else {
            return;
        };
        let heap = self.stores.memstores[region as usize].heap;
        self.stores.heaps[server as usize + 1].heap -= heap;
        self.leave_server(region, server);
        if let Some((memstore, store)) = self.holdings(region) {
            store.flushed_rows += u64::from(memstore.rows);
            let flushed: Vec<Flushed> = store.data.write_all(memstore).collect();
            for flushed in flushed {
                self.report_flush(region, server, flushed);
            }
        }
        self.set_memstore_limit(region);
        self.writes_go_on(server);
        self.start_flushes(server);
        self.start_compactions(server);
    }

    /// It is no longer among the stores of that server. Its heap is for the caller to count.
    fn leave_server(&mut self, region: u32, server: u32) {
        let now = self.now;
        self.stores.memstores[region as usize].place = 0;
        let Some(store) = self.stores.get_mut(region) else {
            return;
        };
        let files = store.data.files().len();
        let flush = std::mem::replace(&mut store.flush, FlushState::Idle);
        let compaction = std::mem::replace(&mut store.compaction, CompactionState::Idle);
        let one = &mut self.stores.servers[server as usize];
        one.regions.retain(|&other| other != region);
        match flush {
            FlushState::Idle | FlushState::Held { .. } => {}
            FlushState::Asked { .. } => one.flush_queue.retain(|&other| other != region),
            FlushState::Running => {
                one.flushing -= 1;
                one.disk.cancel(now, DiskJob::Flush(region));
            }
        }
        match compaction {
            CompactionState::Idle => {}
            CompactionState::Asked(_) => one.compaction_queue.retain(|&other| other != region),
            CompactionState::Running(thread, _) => {
                one.compacting[thread as usize] = false;
                one.disk.cancel(now, DiskJob::Compaction(region));
            }
        }
        self.files_changed(server, files, 0);
    }

    /// A region is open: what was replayed from a log becomes a store file, and what waits to be compacted (references first) asks for it.
    pub(super) fn open_store(&mut self, region: u32) {
        self.stores.reach_regions(self.regions.len());
        self.stores.reach_servers(self.config, self.servers.len());
        let state = *self.regions.get(region);
        let server = state.server;
        debug_assert_eq!(
            state.serving, server,
            "a region is open before its store is"
        );
        debug_assert_eq!(self.stores.server_of(region), None, "it was closed before");
        self.new_store(region);
        let now = self.now;
        let Some((memstore, store)) = self.stores.pair_mut(region) else {
            return;
        };
        store.reopen(now);
        memstore.place = server + 1;
        let heap = memstore.heap;
        let restored = store.data.restore();
        let files = store.data.files().len();
        self.stores.heaps[0].heap -= heap;
        self.stores.heaps[server as usize + 1].heap += heap;
        self.stores.servers[server as usize].regions.push(region);
        if let Some(bytes) = restored {
            self.report_flush(region, server, Flushed { heap: 0, bytes });
        }
        self.files_changed(server, 0, files);
        // Rows that handlers worked on when it closed.
        if self.stores.memstores[region as usize].rows > 0 {
            self.memstore_begins(region);
        }
        self.set_memstore_limit(region);
        self.ask_compaction(region);
    }

    /// The region has a store from now on.
    fn new_store(&mut self, region: u32) -> &mut Store {
        self.stores.reach_regions(self.regions.len());
        let table = self.regions.get(region).table;
        let sampling = self
            .stores
            .rules(table)
            .sampling
            .filter(|_| self.keys.kept());
        let now = self.now;
        self.stores.get_or_put(region, || Store::new(sampling, now))
    }

    /// The files of a closed region become references of its daughters; their samples are divided at `row`.
    pub(super) fn split_store(&mut self, parent: u32, lower: u32, upper: u32, row: &RowKey) {
        if let Some(mut data) = self.hand_over(parent) {
            let (below, above) = data.divide(row.as_bytes());
            self.take_over(lower, below);
            self.take_over(upper, above);
        }
    }

    /// The files of two closed regions become references of one.
    pub(super) fn merge_stores(&mut self, lower: u32, upper: u32, merged: u32) {
        for region in [lower, upper] {
            if let Some(mut data) = self.hand_over(region) {
                let files = data.refer().collect();
                self.take_over(merged, files);
            }
        }
    }

    /// A closed region ends: what it has stored, if it ever did. Rows that handlers still worked on when it closed are in its newest file.
    fn hand_over(&mut self, region: u32) -> Option<RegionStore> {
        debug_assert_eq!(self.stores.server_of(region), None, "closed before");
        self.stores.reach_regions(self.regions.len());
        let heap = self.stores.memstores[region as usize].heap;
        self.stores.heaps[0].heap -= heap;
        let (memstore, store) = self.holdings(region)?;
        store.data.settle(memstore);
        Some(std::mem::replace(&mut store.data, RegionStore::new(None)))
    }

    fn take_over(&mut self, region: u32, files: Vec<RegionFile>) {
        let store = self.new_store(region);
        for file in files {
            store.data.add_file(file);
        }
    }

    /// A server died: its jobs are gone, the memstores of these regions are in its log only. Returns the bytes to replay; they become
    /// store files when the regions open (HBase flushes what it has replayed).
    pub(super) fn lose_memstores(&mut self, server: u32, regions: &[u32]) -> u64 {
        let now = self.now;
        let mut bytes = 0;
        for &region in regions {
            self.stores.memstores[region as usize].place = 0;
            if let Some((memstore, store)) = self.holdings(region) {
                bytes += store.data.lose(memstore);
                store.flush = FlushState::Idle;
                store.compaction = CompactionState::Idle;
            }
            self.set_memstore_limit(region);
        }
        self.stores.servers[server as usize].clear(now);
        self.stores.heaps[server as usize + 1].heap = 0;
        self.set_server_limit(server);
        bytes
    }
}
