//! The stores of all regions and the disks of all servers: their state, and what follows from it alone.

use crate::cluster::{Disk, DiskJob, Memstore, RegionStore, Sampling, TableSpec};
use crate::engine::clock::{Clock, ClusterStep, Event};
use crate::engine::config::SimConfig;
use crate::engine::table::rows::longest_key;
use crate::engine::table::tables::Tables;
use crate::metrics::RefusalReason;
use crate::policy::{
    BlockedRate, CompactionFile, CompactionRules, FlushCandidate, LARGE_COMPACTION_BYTES,
    MemstoreRules, ServerMemstore, SplitCandidate, compaction_limit, compaction_pressure,
};
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};
use crate::units::Bandwidth;
use rand::Rng;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::VecDeque;
use std::ops::Range;

/// Rows that the samples of one run's store files hold together, about: with few regions they are the more exact. Each takes some 64 bytes.
const SAMPLED_ROWS: usize = 1 << 16;

/// Rows in the sample of one file: the middle of a file is off by 3.1 % of it (one standard deviation) with the most, 12 % with the least.
const FEWEST_ROWS: usize = 16;
const MOST_ROWS: usize = 256;

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
    fn low_mark(&self) -> u64 {
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
    /// Of a region that is open from the start, or opens later ([`Store::reopen`]).
    fn new(sampling: Option<Sampling>) -> Self {
        Self {
            data: RegionStore::new(sampling),
            flush: FlushState::Idle,
            compaction: CompactionState::Idle,
            archived: SimTime::ZERO,
            memstores: 0,
            flush_due: SimTime::ZERO,
            opened: SimTime::ZERO,
            flushed_rows: 0,
            refused: 0,
            blocked: BlockedRate::new(SimTime::ZERO),
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
    fn next_compaction(&self, rules: &CompactionRules, thread: Thread) -> CompactionState {
        let files = self.data.files().iter().map(|file| CompactionFile {
            bytes: file.bytes,
            is_reference: file.is_reference,
        });
        let files: Vec<_> = files.collect();
        let Some(chosen) = rules.choose(&files, 0..0) else {
            return CompactionState::Idle;
        };
        let bytes: u64 = files[chosen.clone()].iter().map(|file| file.bytes).sum();
        match thread == Thread::Small && bytes > LARGE_COMPACTION_BYTES {
            true => CompactionState::Asked(Thread::Large),
            false => CompactionState::Running(thread, chosen),
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
    fn new(disk: Disk) -> Self {
        Self {
            disk,
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
    fn files_changed(&mut self, before: usize, after: usize) {
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
    fn next_discharge(&self, now: SimTime, period: SimDuration) -> SimTime {
        let period = period.as_nanos().max(1);
        let ticks = now.since(self.started).as_nanos() / period + 1;
        self.started + SimDuration::from_nanos(ticks.saturating_mul(period))
    }

    /// The greatest of its stores.
    fn pressure(&self, rules: &CompactionRules) -> f64 {
        compaction_pressure(rules, self.file_counts.len().saturating_sub(1))
    }

    /// The server dies, and never serves again.
    pub fn clear(&mut self, now: SimTime) {
        self.disk.cancel_all(now);
        *self = Self::new(self.disk.clone());
    }
}

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
        let row = config.table.row_size().memstore(longest_key(config) as u64);
        let rows = config.table.memstore_flush_size.0 as f64 / row.max(1) as f64;
        let sampling = Sampling::filled_by(rows, capacity);
        let own = tables.routers.iter().map(|table| table.map.regions());
        let bandwidth = &config.table.compaction_bandwidth;
        let servers = config.servers_in_all() as usize;
        let disk = Disk::new(config.cluster.disk_bandwidth);
        let rules = StoreRules::of(config, &config.table, Some(sampling));
        let heap = |limit| ServerHeap { heap: 0, limit };
        let mut heaps = vec![heap(rules.low_mark()); servers + 1];
        heaps[0] = heap(u64::MAX);
        let server = |_| ServerStores::new(disk.clone());
        Self {
            memstores: Vec::new(),
            heaps,
            stores: Vec::new(),
            servers: (0..servers).map(server).collect(),
            own: rules,
            others: StoreRules::of(config, &TableSpec::default(), None),
            neighbours: own.sum()..tables.regions.len(),
            samples: tables.keys.kept(),
            tickets: config.generator.sequence(Stream::FileSample, 0),
            written: BytesWritten::default(),
            compaction_bandwidth: (bandwidth.low, bandwidth.high),
            discharger_period: config.table.discharger_period,
        }
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

    /// A region's memstore with its store, which is made now if it was not needed before.
    pub fn pair(&mut self, region: u32) -> (&mut Memstore, &mut Store) {
        if self.get(region).is_none() {
            self.stores[region as usize] = Some(Box::new(Store::new(self.sampling(region))));
            if let Some(server) = self.server_of(region) {
                self.server_mut(server).regions.push(region);
            }
        }
        let store = self.stores[region as usize].as_deref_mut();
        let store = store.expect("it was made just now if there was none");
        (&mut self.memstores[region as usize], store)
    }

    /// A region's store alone.
    pub fn store(&mut self, region: u32) -> &mut Store {
        self.pair(region).1
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
        if reason == RefusalReason::RegionTooBusy {
            self.store(region).refused += 1;
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
        let ticket = self.ticket();
        self.store(region).data.offer(ticket, key);
    }

    /// How rows of a region are sampled; `None` where they are not.
    pub fn sampling(&self, region: u32) -> Option<Sampling> {
        self.rules(region).sampling.filter(|_| self.samples)
    }

    /// When the region's next write needs to be looked at.
    pub fn set_memstore_limit(&mut self, region: u32) {
        let StoreRules {
            memstore: rules,
            flush_interval,
            ..
        } = *self.rules(region);
        let block = rules.flush_bytes.saturating_mul(rules.block_multiplier);
        let flush = self.get(region).map(|store| store.flush);
        let memstore = &mut self.memstores[region as usize];
        memstore.limit = match flush {
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
        // Else a region gets its store with its first row: the row is sampled, or its age counts.
        let needs_none = !self.samples && self.own.flush_interval.is_none();
        if needs_none && !self.server(server).has_all_stores {
            for region in tables.regions.on_server(server) {
                self.store(region);
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
        let (memstore, store) = self.pair(region);
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
        let Some(server) = self.server_of(region) else {
            return;
        };
        let store = self.store(region);
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
        let store = self.store(region);
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
        self.store(region).archived = archived;
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
        let now = clock.now;
        let (memstore, store) = self.pair(region);
        memstore.place = 0;
        let heap = memstore.heap;
        let files = store.data.files().len();
        let flush = std::mem::replace(&mut store.flush, FlushState::Idle);
        let compaction = std::mem::replace(&mut store.compaction, CompactionState::Idle);
        *self.heap_mut(server) -= heap;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compacted_files_are_archived_a_whole_number_of_periods_after_the_server_started() {
        let mut server = ServerStores::new(Disk::new(Bandwidth(1.0)));
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
        let mut server = ServerStores::new(Disk::new(Bandwidth(1.0)));
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
