//! The stores of all regions and the disks of all servers: their state, and what follows from it alone.

use super::region_store::{
    CompactionState, FLUSHERS, FlushState, ServerStores, Store, StoreRules, Thread,
};
use crate::cluster::{DiskJob, Memstore, Sampling, TableSpec};
use crate::engine::clock::{Clock, ClusterStep, Event};
use crate::engine::config::SimConfig;
use crate::engine::table::rows::{longest_key, row_size};
use crate::engine::table::tables::Tables;
use crate::metrics::RefusalReason;
use crate::policy::{FlushCandidate, ServerMemstore, SplitCandidate, compaction_limit};
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};
use crate::units::Bandwidth;
use rand::Rng;
use rand::rngs::Xoshiro256PlusPlus;
use std::ops::Range;

/// Rows that the samples of one run's store files hold together, about: with few regions they are the more exact. Each takes some 64 bytes.
const SAMPLED_ROWS: usize = 1 << 16;

/// Rows in the sample of one file: the middle of a file is off by 3.1 % of it (one standard deviation) with the most, 12 % with the least.
const FEWEST_ROWS: usize = 16;
const MOST_ROWS: usize = 256;

/// The heap of all memstores of one server.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServerHeap {
    pub heap: u64,
    /// Something has to happen as soon as the heap is as large.
    pub limit: u64,
}

/// What was written in all, in bytes of cells: write amplification is their sum per byte that came into memstores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BytesWritten {
    /// To store files, by flushes.
    pub flushed: u64,
    /// To store files, by compactions.
    pub compacted: u64,
    /// By those compactions that rewrote references.
    pub of_references: u64,
}

/// The stores of all regions, and the disks of all servers.
#[derive(Debug)]
pub struct Stores {
    /// Of each region.
    pub(super) memstores: Vec<Memstore>,
    /// Of each server, from place 1 on; place 0 is that of regions that are offline.
    pub(super) heaps: Vec<ServerHeap>,
    /// Of each region; none before it is needed: by a sampled or ageing row, by a flush, or because the region closes.
    stores: Vec<Option<Box<Store>>>,
    pub(super) servers: Vec<ServerStores>,
    /// Of the table and its copies.
    own: StoreRules,
    /// Of the neighbours.
    others: StoreRules,
    /// The regions of neighbours.
    neighbours: Range<u32>,
    /// Rows are sampled, as their keys are kept.
    pub(super) samples: bool,
    /// One a row: which rows files' samples hold.
    tickets: Xoshiro256PlusPlus,
    pub(super) written: BytesWritten,
    /// What compactions of a server may write, at the least and at the most pressure.
    compaction_bandwidth: (Bandwidth, Bandwidth),
    /// From one archiving of compacted files to the next.
    discharger_period: SimDuration,
}

impl Stores {
    pub fn new(config: &SimConfig, tables: &Tables<'_>) -> Self {
        let regions = config.split_points.len() + 1;
        let capacity = (SAMPLED_ROWS / regions).clamp(FEWEST_ROWS, MOST_ROWS);
        let row = row_size(&config.table).memstore(longest_key(config) as u64);
        let rows = config.table.memstore_flush_size.0 as f64 / row.max(1) as f64;
        let sampling = Sampling::filled_by(rows, capacity);
        let own = tables.routers.iter().map(|table| table.map.regions());
        let bandwidth = &config.table.compaction_bandwidth;
        let mut stores = Self {
            memstores: Vec::new(),
            heaps: vec![ServerHeap {
                heap: 0,
                limit: u64::MAX,
            }],
            stores: Vec::new(),
            servers: Vec::new(),
            own: StoreRules::of(config, &config.table, Some(sampling)),
            others: StoreRules::of(config, &TableSpec::default(), None),
            neighbours: own.sum()..tables.regions.len(),
            samples: tables.keys.kept(),
            tickets: config.generator.sequence(Stream::FileSample, 0),
            written: BytesWritten::default(),
            compaction_bandwidth: (bandwidth.low, bandwidth.high),
            discharger_period: config.table.discharger_period,
        };
        let limit = stores.own.low_mark();
        for _ in 0..config.servers_in_all() {
            let server = ServerStores::new(config.cluster.disk_bandwidth);
            stores.servers.push(server);
            stores.heaps.push(ServerHeap { heap: 0, limit });
        }
        stores
    }

    /// Servers start, which have no regions yet.
    pub fn servers_start(&mut self, servers: Range<u32>, now: SimTime) {
        for server in servers {
            self.server_mut(server).started = now;
        }
    }

    /// There are so many regions now; the new ones are offline.
    pub fn reach_regions(&mut self, regions: u32) {
        let regions = (regions as usize).max(self.memstores.len());
        self.memstores.resize(regions, Memstore::untouched(0));
        self.stores.resize_with(regions, || None);
    }

    /// The settings of a region's store.
    pub fn rules(&self, region: u32) -> &StoreRules {
        match self.neighbours.contains(&region) {
            false => &self.own,
            true => &self.others,
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

    /// A region's memstore with its store, if it has one.
    pub fn pair_mut(&mut self, region: u32) -> Option<(&mut Memstore, &mut Store)> {
        let store = self.stores.get_mut(region as usize)?.as_deref_mut()?;
        Some((&mut self.memstores[region as usize], store))
    }

    pub fn server(&self, server: u32) -> &ServerStores {
        &self.servers[server as usize]
    }

    pub fn server_mut(&mut self, server: u32) -> &mut ServerStores {
        &mut self.servers[server as usize]
    }

    /// The heap of a server's memstores.
    pub fn heap_mut(&mut self, server: u32) -> &mut u64 {
        &mut self.heaps[server as usize + 1].heap
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

    /// Rows written in a region since it was opened.
    pub fn rows_written(&self, region: u32) -> u64 {
        let flushed = self.get(region).map_or(0, |store| store.flushed_rows);
        flushed + u64::from(self.rows_held(region))
    }

    /// Bytes of a region's store files, and of its memstore's heap.
    pub fn bytes(&self, region: u32) -> (u64, u64) {
        let files = self.get(region);
        let files = files.map_or(0, |store| store.data.file_bytes());
        let memstore = self.memstores.get(region as usize);
        (files, memstore.map_or(0, |memstore| memstore.heap))
    }

    /// Whether a region still refers to files of those that it comes from.
    pub fn has_references(&self, region: u32, now: SimTime) -> bool {
        self.get(region)
            .is_some_and(|store| store.has_references(now))
    }

    /// What the split policy asks of a region's store; `None` for one that never had data. Region counts and jitter are not for stores to
    /// know, and 0 here.
    pub fn split_candidate(&self, region: u32, now: SimTime) -> Option<SplitCandidate> {
        let store = self.get(region)?;
        Some(SplitCandidate {
            store_bytes: store.data.file_bytes(),
            store_files: store.data.files().len() as u32,
            has_references: store.has_references(now),
            table_regions: 0,
            server_regions: 0,
            blocked_rate: store.blocked_rate,
            age: now.since(store.opened),
            jitter: 0.0,
        })
    }

    /// All memstores of a server together are full: its writes wait in their handlers until a flush has made room.
    #[inline]
    pub fn block(&self, server: u32) -> bool {
        let heap = self.heaps[server as usize + 1].heap;
        // With nothing to flush there is no room to wait for.
        heap >= self.own.memstore.server_bytes && heap > 0
    }

    /// A write that a handler holds waits until its server's memstores have room.
    pub fn await_room(&mut self, server: u32, id: u32) {
        self.server_mut(server).waiting.push(id);
    }

    /// A region refused a batch: the rows of one call. It counts when its memstore was too full.
    pub fn batch_refused(&mut self, region: u32, reason: RefusalReason) {
        if reason == RefusalReason::RegionTooBusy
            && let Some(store) = self.get_mut(region)
        {
            store.refused += 1;
        }
    }

    /// A random number of its own for a row.
    #[inline]
    pub fn ticket(&mut self) -> u64 {
        self.tickets.next_u64()
    }

    /// A sample of the region's next store file may take the row.
    #[inline(never)]
    pub fn sample<'k>(&mut self, region: u32, key: impl FnOnce() -> &'k [u8]) {
        if let Some(store) = &mut self.stores[region as usize] {
            store.data.offer(self.tickets.next_u64(), key);
        }
    }

    /// How rows of a region are sampled; `None` where they are not.
    pub fn sampling(&self, region: u32) -> Option<Sampling> {
        self.rules(region).sampling.filter(|_| self.samples)
    }

    /// A region gets its store with its first row: the row is sampled, or its age counts.
    fn first_row_needs_store(&self, region: u32) -> bool {
        self.samples || self.rules(region).flush_interval.is_some()
    }

    /// The region has a store from now on.
    pub fn need_store(&mut self, region: u32) {
        if self.get(region).is_some() {
            return;
        }
        // An opening makes a store: a region without one is open from the start.
        self.put(region, Store::new(self.sampling(region), SimTime::ZERO));
        if let Some(server) = self.server_of(region) {
            self.server_mut(server).regions.push(region);
        }
    }

    /// A region's memstore with its store, made now if only the memstore holds something; `None` for a region that never held anything.
    pub fn holdings(&mut self, region: u32) -> Option<(&mut Memstore, &mut Store)> {
        if self.rows_held(region) > 0 {
            self.need_store(region);
        }
        self.pair_mut(region)
    }

    /// When the region's next write needs to be looked at.
    pub fn set_memstore_limit(&mut self, region: u32) {
        let StoreRules {
            memstore: rules,
            flush_interval,
            ..
        } = *self.rules(region);
        let block = rules.flush_bytes.saturating_mul(rules.block_multiplier);
        let first_row = self.first_row_needs_store(region);
        let flush = self.get(region).map(|store| store.flush);
        let memstore = &mut self.memstores[region as usize];
        memstore.limit = match flush {
            None if first_row => memstore.heap,
            _ if memstore.place == 0 => u64::MAX,
            // The next row is the oldest of its memstore.
            _ if flush_interval.is_some() && memstore.rows == 0 => memstore.heap,
            None | Some(FlushState::Idle) => rules.flush_bytes,
            _ if memstore.heap > block => u64::MAX,
            _ => block,
        };
    }

    /// When the server's next write needs to be looked at: at the mark from which flushes are forced; above it after another thousandth of
    /// all memory while a flusher is idle, as there may be something to flush then. The end of a flush looks again anyway.
    pub fn set_server_limit(&mut self, server: u32) {
        let (low, step) = (
            self.own.low_mark(),
            self.own.memstore.server_bytes / 1_000 + 1,
        );
        let idle = self.server(server).flushing < FLUSHERS;
        let one = &mut self.heaps[server as usize + 1];
        one.limit = if one.heap < low {
            low
        } else if idle {
            one.heap + step
        } else {
            u64::MAX
        };
    }

    /// The region to flush next while all memstores of a server together take too much. O(regions with a store on it); the first time it
    /// may be O(all regions).
    pub fn region_to_relieve(&mut self, server: u32, tables: &Tables<'_>) -> Option<u32> {
        let rules = self.own.memstore;
        if rules.server(*self.heap_mut(server)) == ServerMemstore::Open {
            return None;
        }
        if !self.first_row_needs_store(0) && !self.server(server).has_all_stores {
            for region in tables.regions.on_server(server) {
                self.need_store(region);
            }
            self.server_mut(server).has_all_stores = true;
        }
        let regions = &self.server(server).regions;
        let candidates = regions.iter().map(|&region| {
            let store = self.get(region);
            FlushCandidate {
                heap_bytes: self.memstores[region as usize].heap,
                store_files: store.map_or(0, |store| store.data.files().len() as u32),
                flushing: store.is_none_or(|store| store.flush == FlushState::Running),
            }
        });
        let place = rules.region_to_flush(candidates)?;
        Some(regions[place])
    }

    /// A flusher of a server writes a region's memstore to its disk.
    pub fn start_flush(&mut self, region: u32, server: u32, clock: &mut Clock) {
        let Some((memstore, store)) = self.pair_mut(region) else {
            return;
        };
        store.flushed_rows += u64::from(memstore.rows);
        let bytes = store.data.freeze(memstore);
        store.flush = FlushState::Running;
        let one = self.server_mut(server);
        one.flushing += 1;
        one.disk.add(clock.now, DiskJob::Flush(region), bytes);
        self.await_disk(server, clock);
        self.set_memstore_limit(region);
    }

    /// A region's files are to be compacted if there are enough of them or references among them, unless that has been asked for already.
    pub fn ask_compaction(&mut self, region: u32, clock: &mut Clock) {
        let rules = self.rules(region).compaction;
        let server = self.server_of(region);
        let (Some(server), Some(store)) = (server, self.get_mut(region)) else {
            return;
        };
        let files = store.data.files().len();
        let wanted = store.data.has_references() || rules.needs_compaction(files, 0);
        if store.compaction == CompactionState::Idle && wanted {
            store.compaction = CompactionState::Asked(Thread::Small);
            self.server_mut(server).compaction_queue.push(region);
            self.start_compactions(server, clock);
        }
    }

    /// Idle threads of a server take the stores that wait. What to compact is chosen only now; a set that is too large for the thread of
    /// small ones waits for the other (`CompactSplit.CompactionRunner`).
    pub fn start_compactions(&mut self, server: u32, clock: &mut Clock) {
        for thread in [Thread::Small, Thread::Large] {
            while !self.server(server).compacting[thread as usize]
                && let Some(region) = self.next_compaction(server, thread)
            {
                self.start_compaction(region, server, thread, clock);
            }
        }
    }

    /// Of the stores that wait for a thread the one nearest to holding its flushes, references before all others; of equal ones the one
    /// that has waited longest (`HStore.getCompactPriority`). O(stores that wait).
    fn next_compaction(&mut self, server: u32, thread: Thread) -> Option<u32> {
        let urgency = |&region: &u32| {
            let store = self.get(region)?;
            let files = store.data.files().len() as i64;
            let room = self.rules(region).compaction.blocking_files as i64;
            (store.compaction == CompactionState::Asked(thread))
                .then(|| (store.data.has_references(), files - room))
        };
        let waiting = (0..).zip(&self.server(server).compaction_queue);
        let found = waiting.filter_map(|(place, region)| Some((urgency(region)?, place)));
        let (_, place) = found.reduce(|most, next| if next.0 > most.0 { next } else { most })?;
        Some(self.server_mut(server).compaction_queue.remove(place))
    }

    fn start_compaction(&mut self, region: u32, server: u32, thread: Thread, clock: &mut Clock) {
        let rules = self.rules(region).compaction;
        let Some(store) = self.get_mut(region) else {
            return;
        };
        store.compaction = store.next_compaction(&rules, thread);
        let CompactionState::Running(_, files) = &store.compaction else {
            if store.compaction != CompactionState::Idle {
                self.server_mut(server).compaction_queue.push(region);
            }
            return;
        };
        let files = &store.data.files()[files.clone()];
        let bytes = files.iter().map(|file| file.bytes).sum();
        let one = self.server_mut(server);
        one.compacting[thread as usize] = true;
        one.disk.add(clock.now, DiskJob::Compaction(region), bytes);
        self.await_disk(server, clock);
    }

    /// The references that a region has just compacted stay until the discharger of its server archives them.
    pub fn await_discharger(&mut self, region: u32, server: u32, clock: &mut Clock) {
        let period = self.discharger_period;
        let archived = self.server(server).next_discharge(clock.now, period);
        if let Some(store) = self.get_mut(region) {
            store.archived = archived;
        }
        clock.await_step(archived, ClusterStep::ReferencesArchived(region));
    }

    /// A store of a server has another number of files: with the pressure of its fullest store its compactions may write more or less, from
    /// now on (HBase looks every 60 s, `hbase.hstore.compaction.throughput.tune.period`).
    pub fn files_changed(&mut self, server: u32, before: usize, after: usize, clock: &mut Clock) {
        let (low, high) = self.compaction_bandwidth;
        let rules = self.own.compaction;
        let one = self.server_mut(server);
        one.files_changed(before, after);
        let limit = compaction_limit(one.pressure(&rules), low, high);
        one.disk.limit_compactions(clock.now, limit);
        self.await_disk(server, clock);
    }

    /// The event loop waits for the end of the next job of a server's disk.
    pub fn await_disk(&mut self, server: u32, clock: &mut Clock) {
        let one = self.server_mut(server);
        // What would end after the run must not keep a finite workload from ending before.
        let next = one.disk.next_end().filter(|&at| at < clock.end);
        if one.awaited != next {
            one.awaited = next;
            if let Some(at) = next {
                clock.schedule(at, Event::DiskDone(server));
            }
        }
    }

    /// A region of a server closes: it is no longer among the stores there, and its jobs end without effect.
    pub fn leave_server(&mut self, region: u32, server: u32, clock: &mut Clock) {
        let memstore = &mut self.memstores[region as usize];
        let (now, heap) = (clock.now, memstore.heap);
        memstore.place = 0;
        *self.heap_mut(server) -= heap;
        let Some(store) = self.stores[region as usize].as_deref_mut() else {
            return;
        };
        let files = store.data.files().len();
        let flush = std::mem::replace(&mut store.flush, FlushState::Idle);
        let compaction = std::mem::replace(&mut store.compaction, CompactionState::Idle);
        let one = self.server_mut(server);
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
        self.files_changed(server, files, 0, clock);
    }
}
