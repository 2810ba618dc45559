//! The stores of all regions and the disks of all servers: their state, and what follows from it alone.

use super::region_stores::{
    CompactionState, FamilyRules, FamilyStore, FlushState, Store, StoreRules, Thread, family_rules,
};
use crate::cluster::{Disk, DiskJob, FileRules, Keeping, Memstore, Sampling, TableSpec};
use crate::engine::clock::{Clock, ClusterStep, Event};
use crate::engine::config::SimConfig;
use crate::engine::table::rows::{RowWeight, cell_ticket, longest_key};
use crate::engine::table::tables::Tables;
use crate::metrics::RefusalReason;
use crate::policy::{
    CompactionRules, FamilyMemstore, FlushCandidate, ServerMemstore, SplitCandidate,
    compaction_limit, compaction_pressure, major_compaction_period, met_major_period,
};
use crate::prefetch::prefetch;
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};
use crate::units::Bandwidth;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt};
use std::collections::VecDeque;
use std::ops::Range;

/// Rows that the samples of one run's store files hold together, about: with few regions they are the more exact. Each takes some 64 bytes.
const SAMPLED_ROWS: usize = 1 << 16;

/// Rows in the sample of one file: the middle of a file is off by 3.1 % of it (one standard deviation) with the most, 12 % with the least.
const FEWEST_ROWS: usize = 16;
const MOST_ROWS: usize = 256;

/// Flushes of one server that run at a time (HBase default, `hbase.hstore.flusher.count`).
pub const FLUSHERS: u32 = 2;

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
    /// Regions and families whose compaction waits for a thread.
    pub compaction_queue: Vec<(u32, u8)>,
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
    /// Each row is looked at by itself: for its family's memstore, or for a sample.
    pub(super) looks_at_rows: bool,
    /// One a row: which rows files' samples hold.
    tickets: Xoshiro256PlusPlus,
    /// One a file, and one a store at the start: when a major compaction is due.
    majors: Xoshiro256PlusPlus,
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
        let sampling = match config.follows_cells() {
            // However often a row is written again, it is one.
            true => Sampling {
                capacity,
                share: 1.0,
            },
            false => Sampling::filled_by(rows, capacity),
        };
        let own = tables.routers.iter().map(|table| table.map.regions());
        let bandwidth = &config.table.compaction_bandwidth;
        let servers = config.servers_in_all() as usize;
        let disk = Disk::new(config.cluster.disk_bandwidth);
        let families = family_rules(config);
        let samples = tables.keys.kept();
        let looks_at_rows = samples || families.len() > 1;
        let rules = StoreRules::of(config, &config.table, Some(sampling), families);
        let neighbours = vec![FamilyRules {
            keeping: Keeping::default(),
            files: FileRules::default(),
        }];
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
            others: StoreRules::of(config, &TableSpec::default(), None, neighbours),
            neighbours: own.sum()..tables.regions.len(),
            samples,
            looks_at_rows,
            tickets: config.generator.sequence(Stream::FileSample, 0),
            majors: config.generator.sequence(Stream::MajorCompaction, 0),
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
            let families = &self.rules(region).families;
            let store = Store::new(self.sampling(region), families);
            self.stores[region as usize] = Some(Box::new(store));
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
    pub fn rows_held(&self, region: u32) -> u32 {
        self.memstores
            .get(region as usize)
            .map_or(0, |memstore| memstore.rows)
    }

    /// Asks for the memstore of a region.
    pub fn prefetch(&self, region: u32) {
        let memstore = self.memstores.get(region as usize);
        memstore.into_iter().for_each(prefetch);
    }

    /// Rows written in a region since it was opened.
    pub fn rows_written(&self, region: u32) -> u64 {
        let flushed = self.get(region).map_or(0, |store| store.flushed_rows);
        flushed + u64::from(self.rows_held(region))
    }

    /// Bytes of a region's store files, and of its memstore's heap.
    pub fn bytes(&self, region: u32) -> (u64, u64) {
        let files = self.get(region);
        let families = files.map_or(&[][..], |store| &store.families[..]);
        let files = families.iter().map(|family| family.data.file_bytes()).sum();
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
            store_bytes: store.largest().file_bytes(),
            store_files: store.most_files(),
            has_references: store.has_references(now),
            table_regions: 0,
            server_regions: 0,
            blocked_rate: store.blocked_rate,
            age: now.since(store.opened),
            jitter: 0.0,
        })
    }

    /// All memstores of a server together are full: its writes wait in their handlers until a flush has made room.
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
    pub fn ticket(&mut self) -> u64 {
        self.tickets.next_u64()
    }

    /// A row came into the memstore of its family, whose next store file may take it into its sample.
    #[inline(never)]
    pub fn row_comes<'k>(
        &mut self,
        region: u32,
        weight: &RowWeight,
        now: SimTime,
        key: impl FnOnce() -> &'k [u8],
    ) {
        let keeping = self.own.families[usize::from(weight.family)].keeping;
        let ticket = (self.samples && !keeping.follows).then(|| self.ticket());
        let rows = self.rows_held(region);
        let store = self.store(region);
        let is_only = store.families.len() == 1;
        let family = &mut store.families[usize::from(weight.family)];
        if !is_only {
            family.memstore.take(weight.memstore, weight.stored);
            if family.memstore.rows == 1 {
                family.since = now;
            }
        }
        if let Some(ticket) = ticket {
            family.data.offer(ticket, key);
        } else if keeping.follows && family.data.is_sampled() {
            let rows = if is_only { rows } else { family.memstore.rows };
            let (key, now_ns) = (key(), now.as_nanos() as i64);
            let cell = (cell_ticket(key, weight.salt), key);
            let data = &mut family.data;
            data.follow((rows, now_ns), cell, |cell| match weight.is_delete {
                true => cell.delete(now_ns, weight.left, keeping.deletes_rows),
                false => cell.put(now_ns, weight.left, keeping.replaces),
            });
        }
    }

    /// What a file of a family keeps that is written now.
    pub fn keeping(&mut self, region: u32, family: usize, now: SimTime) -> Keeping {
        let now_ns = now.as_nanos() as i64;
        let period = major_compaction_period(self.majors.random());
        Keeping {
            now_ns,
            major_due_ns: now_ns.saturating_add_unsigned(period.as_nanos()),
            ..self.rules(region).families[family].keeping
        }
    }

    /// Something happens to each of a region's stores and its part of the memstore: that of an only one is the whole.
    pub fn for_each_store(
        &mut self,
        region: u32,
        now: SimTime,
        mut happens: impl FnMut(&mut FamilyStore, &Keeping),
    ) {
        for family in 0..self.rules(region).families.len() {
            let keeping = self.keeping(region, family, now);
            let (memstore, store) = self.pair(region);
            if let [only] = &mut store.families[..] {
                only.memstore = *memstore;
            }
            happens(&mut store.families[family], &keeping);
            let parts = store.families.iter().map(|family| &family.memstore);
            memstore.heap = parts.clone().map(|part| part.heap).sum();
            memstore.bytes = parts.clone().map(|part| part.bytes).sum();
            memstore.rows = parts.map(|part| part.rows).sum();
        }
    }

    /// A store's last major compaction was at any time of its period before the run: what was written before this time had expired by then, and when the
    /// next one is due, in nanoseconds.
    pub fn last_major(&mut self, region: u32, family: usize) -> (i64, i64) {
        let period = met_major_period(self.majors.random());
        let due = period.mul_f64(self.majors.random()).as_nanos() as i64;
        let keeping = Keeping {
            now_ns: due - period.as_nanos() as i64,
            ..self.rules(region).families[family].keeping
        };
        (keeping.oldest_ns(), due)
    }

    /// How rows of a region are sampled; `None` where they are not.
    pub fn sampling(&self, region: u32) -> Option<Sampling> {
        self.rules(region).sampling.filter(|_| self.samples)
    }

    /// When the region's next write needs to be looked at.
    pub fn set_memstore_limit(&mut self, region: u32) {
        let rules = self.rules(region);
        let (rules, is_timed) = (rules.memstore, rules.flush_interval.is_some());
        let block = rules.flush_bytes.saturating_mul(rules.block_multiplier);
        let flush = self.get(region).map(|store| store.flush);
        let memstore = &mut self.memstores[region as usize];
        memstore.limit = match flush {
            _ if memstore.place == 0 => u64::MAX,
            // The next row is the oldest of its memstore.
            _ if is_timed && memstore.rows == 0 => memstore.heap,
            None | Some(FlushState::Idle) => rules.flush_bytes,
            _ if memstore.heap > block => u64::MAX,
            _ => block,
        };
    }

    /// When the server's next write needs to be looked at: at the mark from which flushes are forced; above it after another thousandth of
    /// all memory while a flusher is idle, as there may be something to flush then. The end of a flush looks again anyway.
    pub fn set_server_limit(&mut self, server: u32) {
        let low = self.own.low_mark();
        let step = self.own.memstore.server_bytes / 1_000 + 1;
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
                store_files: store.map_or(0, Store::most_files),
                flushing: store.is_none_or(|store| store.flush == FlushState::Running),
            }
        });
        let place = rules.region_to_flush(candidates)?;
        Some(regions[place])
    }

    /// A flusher of a server writes a region's memstore to its disk, or the parts of it that a flush takes.
    pub fn start_flush(&mut self, region: u32, server: u32, clock: &mut Clock) {
        let (now, interval) = (clock.now, self.rules(region).flush_interval);
        let (rules, before) = (self.rules(region).memstore, self.rows_held(region));
        let parts = self.store(region).families.iter();
        let parts = parts.map(|part| FamilyMemstore {
            heap_bytes: part.memstore.heap,
            is_old: interval.is_some_and(|most| now.since(part.since) > most),
        });
        let parts: Vec<_> = parts.collect();
        let mut taken = rules.families_to_flush(&parts).into_iter();
        let mut bytes = 0;
        self.for_each_store(region, now, |part, keeping| {
            if taken.next() == Some(true) {
                bytes += part.data.freeze(&mut part.memstore, keeping);
            }
        });
        let after = self.rows_held(region);
        let store = self.store(region);
        store.flushed_rows += u64::from(before - after);
        store.flush = FlushState::Running;
        let one = self.server_mut(server);
        one.flushing += 1;
        one.disk.add(clock.now, DiskJob::Flush(region), bytes);
        self.await_disk(server, clock);
        self.set_memstore_limit(region);
    }

    /// The files of each of a region's stores are to be compacted if there are enough of them or references among them, unless that has been asked for
    /// already; with `majors`, also where a major compaction is due.
    pub fn ask_compactions(&mut self, region: u32, majors: bool, clock: &mut Clock) {
        let Some(server) = self.server_of(region) else {
            return;
        };
        let rules = self.rules(region).compaction;
        for family in 0..self.rules(region).families.len() {
            let keeping = majors.then(|| self.keeping(region, family, clock.now));
            let store = &mut self.store(region).families[family];
            let wanted = store.data.has_references()
                || rules.needs_compaction(store.data.files().len(), 0)
                || keeping.is_some_and(|keeping| store.data.is_major_due(&keeping));
            if store.compaction == CompactionState::Idle && wanted {
                store.compaction = CompactionState::Asked(Thread::Small);
                let queue = &mut self.server_mut(server).compaction_queue;
                queue.push((region, family as u8));
                self.start_compactions(server, clock);
            }
        }
    }

    /// Idle threads of a server take the stores that wait. What to compact is chosen only now; a set that is too large for the thread of
    /// small ones waits for the other (`CompactSplit.CompactionRunner`).
    pub fn start_compactions(&mut self, server: u32, clock: &mut Clock) {
        for thread in [Thread::Small, Thread::Large] {
            while !self.server(server).compacting[thread as usize]
                && let Some(store) = self.next_compaction(server, thread)
            {
                self.start_compaction(store, server, thread, clock);
            }
        }
    }

    /// Of the stores that wait for a thread the one nearest to holding its flushes, references before all others; of equal ones the one
    /// that has waited longest (`HStore.getCompactPriority`). O(stores that wait).
    fn next_compaction(&mut self, server: u32, thread: Thread) -> Option<(u32, u8)> {
        let urgency = |&(region, family): &(u32, u8)| {
            let store = &self.get(region)?.families[usize::from(family)];
            let files = store.data.files().len() as i64;
            let room = self.rules(region).compaction.blocking_files as i64;
            (store.compaction == CompactionState::Asked(thread))
                .then(|| (store.data.has_references(), files - room))
        };
        let waiting = (0..).zip(&self.server(server).compaction_queue);
        let found = waiting.filter_map(|(place, store)| Some((urgency(store)?, place)));
        let (_, place) = found.reduce(|most, next| if next.0 > most.0 { next } else { most })?;
        Some(self.server_mut(server).compaction_queue.remove(place))
    }

    fn start_compaction(
        &mut self,
        (region, family): (u32, u8),
        server: u32,
        thread: Thread,
        clock: &mut Clock,
    ) {
        let rules = self.rules(region).compaction;
        let keeping = self.keeping(region, family.into(), clock.now);
        let store = &mut self.store(region).families[usize::from(family)];
        let before = store.data.files().len();
        if keeping.follows {
            store.data.remove_expired(keeping.oldest_ns());
        }
        let after = store.data.files().len();
        store.compaction = store.next_compaction(&rules, &keeping, thread);
        let files = match &store.compaction {
            CompactionState::Running(_, files) => Some(&store.data.files()[files.clone()]),
            _ => None,
        };
        let bytes = files.map(|files| files.iter().map(|file| file.bytes).sum());
        let waits = store.compaction != CompactionState::Idle;
        if after < before {
            self.files_changed(server, before, after, clock);
        }
        let one = self.server_mut(server);
        if let Some(bytes) = bytes {
            one.compacting[thread as usize] = true;
            one.disk
                .add(clock.now, DiskJob::Compaction(region, family), bytes);
            self.await_disk(server, clock);
        } else if waits {
            one.compaction_queue.push((region, family));
        }
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
        let flush = std::mem::replace(&mut store.flush, FlushState::Idle);
        let families = store.families.iter_mut().map(|family| {
            let compaction = std::mem::replace(&mut family.compaction, CompactionState::Idle);
            (family.data.files().len(), compaction)
        });
        let families: Vec<_> = families.collect();
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
        for (family, (files, compaction)) in (0..).zip(families) {
            let one = self.server_mut(server);
            match compaction {
                CompactionState::Idle => {}
                CompactionState::Asked(_) => one
                    .compaction_queue
                    .retain(|&other| other != (region, family)),
                CompactionState::Running(thread, _) => {
                    one.compacting[thread as usize] = false;
                    one.disk.cancel(now, DiskJob::Compaction(region, family));
                }
            }
            self.files_changed(server, files, 0, clock);
        }
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
