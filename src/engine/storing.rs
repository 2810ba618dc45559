//! Memstores and store files of all regions, as a write meets them. Must not know calls, clients, nor where regions go.
//!
//! `flush_jobs` and `compaction_jobs` turn memstores into files and files into fewer; `store_handover` follows regions that close, open,
//! split, merge or die; `stored_rows` is what was there before the run.

use super::SimConfig;
use super::events::Event;
use super::row_weights::{longest_key, row_size};
use super::simulation::Simulation;
use super::store::{FlushState, ServerStores, Store, StoreRules};
use crate::cluster::{Memstore, Sampling, TableSpec};
use crate::keyspace::RowKey;
use crate::metrics::RefusalReason;
use crate::policy::{
    CompactionRules, MemstoreRules, NoSplitRow, RegionMemstore, SampledFile, SplitCandidate,
    SplitPolicy, split_row,
};
use crate::random::{Stream, stream};
use crate::time::{SimDuration, SimTime};
use rand::Rng;
use rand::rngs::Xoshiro256PlusPlus;

/// Rows that the samples of one run's store files hold together, about: with few regions they are the more exact. Each takes some 64 bytes.
const SAMPLED_ROWS: usize = 1 << 16;

/// Rows in the sample of one file: the middle of a file is off by 3.1 % of it (one standard deviation) with the most, 12 % with the least.
const FEWEST_ROWS: usize = 16;
const MOST_ROWS: usize = 256;

/// The stores of all regions, and the disks of all servers.
#[derive(Debug)]
pub(super) struct Stores {
    /// Of each region.
    pub memstores: Vec<Memstore>,
    /// Of each server, from place 1 on; place 0 is that of regions that are offline.
    pub heaps: Vec<ServerHeap>,
    /// Of each region; none before it is needed: by a sampled or ageing row, by a flush, or because the region closes.
    stores: Vec<Option<Box<Store>>>,
    pub servers: Vec<ServerStores>,
    /// Of the table and its copies.
    own: StoreRules,
    /// Of the neighbours.
    others: StoreRules,
    /// From this number on tables are neighbours.
    first_neighbour: u32,
    /// One a row: which rows files' samples hold.
    tickets: Xoshiro256PlusPlus,
    pub written: BytesWritten,
}

/// The heap of all memstores of one server.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ServerHeap {
    pub heap: u64,
    /// Something has to happen as soon as the heap is as large.
    pub limit: u64,
}

/// What was written in all, in bytes of cells: write amplification is their sum per byte that came into memstores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BytesWritten {
    /// To store files, by flushes.
    pub flushed: u64,
    /// To store files, by compactions.
    pub compacted: u64,
    /// By those compactions that rewrote references.
    pub of_references: u64,
}

impl Stores {
    pub fn new(config: &SimConfig) -> Self {
        let regions = config.split_points.len() + 1;
        let capacity = (SAMPLED_ROWS / regions).clamp(FEWEST_ROWS, MOST_ROWS);
        let row = row_size(&config.table).memstore(longest_key(config) as u64);
        let rows = config.table.memstore_flush_size.0 as f64 / row.max(1) as f64;
        let sampling = Sampling::filled_by(rows, capacity);
        let servers = config.servers_in_all() as usize;
        let mut stores = Self {
            memstores: Vec::new(),
            heaps: Vec::new(),
            stores: Vec::new(),
            servers: Vec::new(),
            own: StoreRules::of(config, &config.table, Some(sampling)),
            others: StoreRules::of(config, &TableSpec::default(), None),
            first_neighbour: config.copies.len() as u32 + 1,
            tickets: stream(config.seed, config.replicate, Stream::FileSample, 0),
            written: BytesWritten::default(),
        };
        stores.heaps.push(ServerHeap {
            heap: 0,
            limit: u64::MAX,
        });
        stores.reach_servers(config, servers);
        stores
    }

    /// There are so many servers now.
    pub fn reach_servers(&mut self, config: &SimConfig, servers: usize) {
        let low = self.own.low_mark();
        while self.servers.len() < servers {
            self.servers
                .push(ServerStores::new(config.cluster.disk_bandwidth));
            self.heaps.push(ServerHeap {
                heap: 0,
                limit: low,
            });
        }
    }

    /// There are so many regions now; the new ones are offline.
    pub fn reach_regions(&mut self, regions: u32) {
        let regions = (regions as usize).max(self.memstores.len());
        self.memstores.resize(regions, Memstore::untouched(0));
        self.stores.resize_with(regions, || None);
    }

    pub fn rules(&self, table: u32) -> &StoreRules {
        if table < self.first_neighbour {
            &self.own
        } else {
            &self.others
        }
    }

    pub fn get(&self, region: u32) -> Option<&Store> {
        self.stores.get(region as usize)?.as_deref()
    }

    pub fn get_mut(&mut self, region: u32) -> Option<&mut Store> {
        self.stores.get_mut(region as usize)?.as_deref_mut()
    }

    pub fn put(&mut self, region: u32, store: Store) {
        self.stores[region as usize] = Some(Box::new(store));
    }

    /// The region's store, a new one if it has none.
    pub fn get_or_put(&mut self, region: u32, new: impl FnOnce() -> Store) -> &mut Store {
        self.stores[region as usize].get_or_insert_with(|| Box::new(new()))
    }

    /// A region's memstore with its store, if it has one.
    pub fn pair_mut(&mut self, region: u32) -> Option<(&mut Memstore, &mut Store)> {
        let store = self.stores.get_mut(region as usize)?.as_deref_mut()?;
        Some((&mut self.memstores[region as usize], store))
    }

    /// The server that a region is open on.
    pub fn server_of(&self, region: u32) -> Option<u32> {
        self.memstores.get(region as usize)?.place.checked_sub(1)
    }

    /// Rows in the region's memstore; 0 where there is no such region.
    #[inline]
    pub fn rows_held(&self, region: u32) -> u32 {
        self.memstores
            .get(region as usize)
            .map_or(0, |memstore| memstore.rows)
    }

    /// A random number of its own for a row.
    #[inline]
    pub fn ticket(&mut self) -> u64 {
        self.tickets.next_u64()
    }
}

impl StoreRules {
    fn of(config: &SimConfig, table: &TableSpec, sampling: Option<Sampling>) -> Self {
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

impl Simulation<'_> {
    /// A row was synced: its cells are in the region's memstore now. `key` is needed while [`super::keys::Keys::kept`].
    #[inline(always)]
    pub(super) fn memstore_takes(&mut self, region: u32, heap: u32, bytes: u32, key: u32) {
        let stores = &mut self.stores;
        let memstore = &mut stores.memstores[region as usize];
        let full = memstore.take(heap, bytes);
        let server = &mut stores.heaps[memstore.place as usize];
        server.heap += u64::from(heap);
        let full = full | (server.heap >= server.limit);
        if self.keys.kept() {
            self.row_is_sampled(region, key);
        }
        if full {
            self.limit_is_passed(region, key);
        }
    }

    /// A sample of the region's next store file may take the row.
    #[inline(never)]
    fn row_is_sampled(&mut self, region: u32, key: u32) {
        let stores = &mut self.stores;
        if let Some(store) = &mut stores.stores[region as usize] {
            let ticket = stores.tickets.next_u64();
            store.data.offer(ticket, || self.keys.get(key));
        }
    }

    /// The row that came in last passed the limit of its memstore, or that of its server.
    #[cold]
    fn limit_is_passed(&mut self, region: u32, key: u32) {
        let has_store = self.stores.get(region).is_some();
        self.need_store(region);
        if !has_store && self.keys.kept() {
            let ticket = self.stores.ticket();
            if let Some(store) = self.stores.get_mut(region) {
                store.data.offer(ticket, || self.keys.get(key));
            }
        }
        let Some(server) = self.stores.server_of(region) else {
            self.stores.memstores[region as usize].limit = u64::MAX;
            return;
        };
        let Memstore { heap, rows, .. } = self.stores.memstores[region as usize];
        if rows == 1 {
            self.memstore_begins(region);
        }
        let table = self.regions.get(region).table;
        match self.stores.rules(table).memstore.region(heap) {
            RegionMemstore::Open => {}
            RegionMemstore::FlushWanted => self.ask_flush(region),
            RegionMemstore::TooBusy => {
                self.regions.set_writable(region, false);
                self.ask_flush(region);
            }
        }
        self.set_memstore_limit(region);
        let ServerHeap { heap, limit } = self.stores.heaps[server as usize + 1];
        if heap >= limit {
            self.start_flushes(server);
        }
    }

    /// A region of that table gets its store with its first row: the row is sampled, or its age counts.
    pub(super) fn first_rows_need_stores(&self, table: u32) -> bool {
        self.keys.kept() || self.stores.rules(table).flush_interval.is_some()
    }

    /// The region has a store from now on.
    pub(super) fn need_store(&mut self, region: u32) {
        if self.stores.get(region).is_some() {
            return;
        }
        let table = self.regions.get(region).table;
        let stores = &mut self.stores;
        let sampling = stores.rules(table).sampling.filter(|_| self.keys.kept());
        // An opening makes a store: a region without one is open from the start.
        stores.put(region, Store::new(sampling, SimTime::ZERO));
        if let Some(server) = stores.server_of(region) {
            stores.servers[server as usize].regions.push(region);
        }
    }

    /// A region's memstore with its store, made now if only the memstore holds something; `None` for a region that never held anything.
    pub(super) fn holdings(&mut self, region: u32) -> Option<(&mut Memstore, &mut Store)> {
        if self.stores.memstores[region as usize].rows > 0 {
            self.need_store(region);
        }
        self.stores.pair_mut(region)
    }

    /// When the region's next write needs to be looked at.
    pub(super) fn set_memstore_limit(&mut self, region: u32) {
        let table = self.regions.get(region).table;
        let ages = self.stores.rules(table).flush_interval.is_some();
        let rules = self.stores.rules(table).memstore;
        let block = rules.flush_bytes.saturating_mul(rules.block_multiplier);
        let first_row = self.first_rows_need_stores(table);
        let flush = self.stores.get(region).map(|store| store.flush);
        let memstore = &mut self.stores.memstores[region as usize];
        memstore.limit = match flush {
            None if first_row => memstore.heap,
            _ if memstore.place == 0 => u64::MAX,
            // The next row is the oldest of its memstore.
            _ if ages && memstore.rows == 0 => memstore.heap,
            None | Some(FlushState::Idle) => rules.flush_bytes,
            _ if memstore.heap > block => u64::MAX,
            _ => block,
        };
    }

    /// All memstores of a server together are full: its writes wait in their handlers until a flush has made room.
    #[inline]
    pub(super) fn memstores_block(&self, server: u32) -> bool {
        let heap = self.stores.heaps[server as usize + 1].heap;
        // With nothing to flush there is no room to wait for.
        heap >= self.stores.own.memstore.server_bytes && heap > 0
    }

    /// A write that a handler holds waits until its server's memstores have room; it goes on by [`Simulation::resume_write`].
    pub(super) fn await_memstores(&mut self, server: u32, id: u32) {
        self.stores.servers[server as usize].waiting.push(id);
    }

    /// A region refused a batch: the rows of one call. It counts when its memstore was too full.
    pub(super) fn batch_refused(&mut self, region: u32, reason: RefusalReason) {
        if reason == RefusalReason::RegionTooBusy
            && let Some(store) = self.stores.get_mut(region)
        {
            store.refused += 1;
        }
    }

    /// A region is split if it is due, else compacted if it has files enough: after each flush and each compaction, and when a flush is held.
    pub(super) fn split_or_compact(&mut self, region: u32) {
        let now = self.now;
        if let SplitPolicy::BusyRegion(rules) = &self.config.changes.policies.split_policy
            && let Some((memstore, store)) = self.stores.pair_mut(region)
        {
            let written = store.flushed_rows + u64::from(memstore.rows);
            let rate = &mut store.blocked;
            store.blocked_rate = rate.update(now, store.refused, written, rules.window);
        }
        if !self.consider_split(region) {
            self.ask_compaction(region);
        }
    }

    /// What the split policy asks of a region's store; `None` for one that never had data. Region counts and jitter are not for stores to
    /// know, and 0 here.
    pub(super) fn split_candidate(&self, region: u32) -> Option<SplitCandidate> {
        let store = self.stores.get(region)?;
        Some(SplitCandidate {
            store_bytes: store.data.file_bytes(),
            store_files: store.data.files().len() as u32,
            has_references: store.has_references(self.now),
            table_regions: 0,
            server_regions: 0,
            blocked_rate: store.blocked_rate,
            age: self.now.since(store.opened),
            jitter: 0.0,
        })
    }

    /// Where it would be split.
    ///
    /// # Errors
    /// [`NoSplitRow`]; a region whose keys are not kept has no file to look at.
    pub(super) fn split_row(&self, region: u32) -> Result<RowKey, NoSplitRow> {
        let store = self.stores.get(region).ok_or(NoSplitRow::NoFile)?;
        let (data, has_references) = (&store.data, store.has_references(self.now));
        let largest = data.largest_file().and_then(|file| file.sample.as_ref());
        let sorted = largest.map(|sample| (sample, sample.sorted()));
        let file = sorted.as_ref().map(|(sample, sorted)| SampledFile {
            sample: sorted,
            first: sample.first(),
            last: sample.last(),
        });
        if file.is_none() && !has_references {
            return Err(NoSplitRow::NoFile);
        }
        let (start, end) = self.region_range(region);
        split_row(
            &self.config.changes.policies.split_policy,
            start.as_bytes(),
            end.as_bytes(),
            has_references,
            file,
        )
    }

    /// Bytes of a region's store files, and of its memstore's heap.
    pub(super) fn store_bytes(&self, region: u32) -> (u64, u64) {
        let files = self.stores.get(region);
        let files = files.map_or(0, |store| store.data.file_bytes());
        let memstore = self.stores.memstores.get(region as usize);
        (files, memstore.map_or(0, |memstore| memstore.heap))
    }

    /// The event loop waits for the end of the next job of a server's disk.
    pub(super) fn await_disk(&mut self, server: u32) {
        let one = &mut self.stores.servers[server as usize];
        let next = one.disk.next_end();
        // What would end after the run must not keep a finite workload from ending before.
        let next = next.filter(|&at| at < self.config.duration);
        if one.awaited != next {
            one.awaited = next;
            if let Some(at) = next {
                self.schedule(at, Event::DiskDone(server));
            }
        }
    }

    /// Rows written in a region since it was opened.
    pub(super) fn rows_written(&self, region: u32) -> u64 {
        let flushed = self
            .stores
            .get(region)
            .map_or(0, |store| store.flushed_rows);
        flushed + u64::from(self.stores.rows_held(region))
    }
}
