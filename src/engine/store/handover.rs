//! Stores of regions that close, open, split, merge, or lose their server.

use super::region_store::{CompactionState, FlushState, Store};
use crate::cluster::{Flushed, RegionFile, RegionStore};
use crate::engine::simulation::Simulation;
use crate::keyspace::RowKey;

impl Simulation<'_> {
    /// A region goes offline in good order: its memstore becomes a store file at once, its jobs end without effect.
    ///
    /// HBase flushes most of it while the region still serves (`hbase.hregion.preclose.flush.size`) and the rest while it is offline: that is part of
    /// `split_offline` and `move_offline`. A running flush is written to its end; a running compaction is given up.
    pub fn close_store(&mut self, region: u32) {
        self.stores.reach_regions(self.tables.regions.len());
        let Some(server) = self.stores.server_of(region) else {
            return;
        };
        self.stores.leave_server(region, server, &mut self.clock);
        if let Some((memstore, store)) = self.stores.holdings(region) {
            store.flushed_rows += u64::from(memstore.rows);
            let flushed: Vec<Flushed> = store.data.write_all(memstore).collect();
            for flushed in flushed {
                self.report_flush(region, server, flushed);
            }
        }
        self.stores.set_memstore_limit(region);
        self.writes_go_on(server);
        self.start_flushes(server);
        self.stores.start_compactions(server, &mut self.clock);
    }

    /// A region is open: what was replayed from a log becomes a store file, and what waits to be compacted (references first) asks for it.
    pub fn open_store(&mut self, region: u32) {
        let (now, server) = (self.clock.now, self.tables.regions.get(region).serving);
        debug_assert_eq!(self.stores.server_of(region), None, "it was closed before");
        self.new_store(region);
        let Some((memstore, store)) = self.stores.pair_mut(region) else {
            return;
        };
        store.reopen(now);
        memstore.place = server + 1;
        let (heap, rows) = (memstore.heap, memstore.rows);
        let restored = store.data.restore();
        let files = store.data.files().len();
        self.stores.heaps[0].heap -= heap;
        *self.stores.heap_mut(server) += heap;
        self.stores.server_mut(server).regions.push(region);
        if let Some(bytes) = restored {
            self.report_flush(region, server, Flushed { heap: 0, bytes });
        }
        self.stores.files_changed(server, 0, files, &mut self.clock);
        // Rows that handlers worked on when it closed.
        if rows > 0 {
            self.memstore_begins(region);
        }
        self.stores.set_memstore_limit(region);
        self.stores.ask_compaction(region, &mut self.clock);
    }

    /// The region has a store from now on.
    fn new_store(&mut self, region: u32) {
        self.stores.reach_regions(self.tables.regions.len());
        if self.stores.get(region).is_none() {
            let store = Store::new(self.stores.sampling(region), self.clock.now);
            self.stores.put(region, store);
        }
    }

    /// The files of a closed region become references of its daughters; their samples are divided at `row`.
    pub fn split_store(&mut self, parent: u32, lower: u32, upper: u32, row: &RowKey) {
        if let Some(mut data) = self.hand_over(parent) {
            let (below, above) = data.divide(row.as_bytes());
            self.take_over(lower, below);
            self.take_over(upper, above);
        }
    }

    /// The files of two closed regions become references of one.
    pub fn merge_stores(&mut self, lower: u32, upper: u32, merged: u32) {
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
        self.stores.reach_regions(self.tables.regions.len());
        let heap = self.stores.memstores[region as usize].heap;
        self.stores.heaps[0].heap -= heap;
        let (memstore, store) = self.stores.holdings(region)?;
        store.data.settle(memstore);
        Some(std::mem::replace(&mut store.data, RegionStore::new(None)))
    }

    fn take_over(&mut self, region: u32, files: Vec<RegionFile>) {
        self.new_store(region);
        if let Some(store) = self.stores.get_mut(region) {
            files.into_iter().for_each(|file| store.data.add_file(file));
        }
    }

    /// A server died: its jobs are gone, the memstores of these regions are in its log only. Returns the bytes to replay; they become
    /// store files when the regions open (HBase flushes what it has replayed).
    pub fn lose_memstores(&mut self, server: u32, regions: &[u32]) -> u64 {
        let mut bytes = 0;
        for &region in regions {
            self.stores.memstores[region as usize].place = 0;
            if let Some((memstore, store)) = self.stores.holdings(region) {
                bytes += store.data.lose(memstore);
                store.flush = FlushState::Idle;
                store.compaction = CompactionState::Idle;
            }
            self.stores.set_memstore_limit(region);
        }
        self.stores.server_mut(server).clear(self.clock.now);
        *self.stores.heap_mut(server) = 0;
        self.stores.set_server_limit(server);
        bytes
    }
}
