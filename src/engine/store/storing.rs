//! Memstores become store files, and store files fewer: when a flush is due, who waits for whom, and what the end of a job leads to; the files that
//! are there before the run; and stores of regions that close, open, split, merge, or lose their server.
//!
//! HBase looks every ten seconds for memstores with a row older than `hbase.regionserver.optionalcacheflushinterval`, and asks for the flush of
//! each after a random delay, so that tables that are written evenly do not write all their files at once
//! (`HRegionServer.PeriodicMemStoreFlusher`, `HRegion.shouldFlush`). A flush for its size comes first where it is due first.

use super::region_stores::{CompactionState, FlushState};
use super::stores::{FLUSHERS, ServerHeap};
use crate::cluster::{DiskJob, Flushed, Memstore, RegionFile, RowSample, Sampling};
use crate::engine::clock::ClusterStep;
use crate::engine::config::ExistingRows;
use crate::engine::simulation::Simulation;
use crate::engine::table::rows::RowWeight;
use crate::keyspace::RowKey;
use crate::metrics::SeriesEvent;
use crate::policy::{
    FlushVerdict, MAJOR_CHECKS_EVERY, NoSplitRow, RegionMemstore, SampledFile, SplitPolicy,
    split_row,
};
use crate::random::Stream;
use crate::time::{SimDuration, SimTime};
use std::ops::Range;

/// From look to look (HBase default, `hbase.server.thread.wakefrequency`).
const LOOKS_EVERY: SimDuration = SimDuration::from_secs(10);

/// Longest delay (`PeriodicMemStoreFlusher.RANGE_OF_DELAY`).
const LONGEST_DELAY: SimDuration = SimDuration::from_secs(300);

impl Simulation<'_> {
    /// A row was synced: its cells are in the region's memstore now. `key` is needed while keys are kept.
    #[inline(always)]
    pub fn memstore_takes(&mut self, region: u32, weight: &RowWeight, key: u32) {
        let stores = &mut self.stores;
        let memstore = &mut stores.memstores[region as usize];
        let full = memstore.take(weight.memstore, weight.stored);
        let server = &mut stores.heaps[memstore.place as usize];
        server.heap += u64::from(weight.memstore);
        let full = full | (server.heap >= server.limit);
        if stores.looks_at_rows {
            stores.row_comes(region, weight, self.clock.now, || self.tables.keys.get(key));
        }
        if full {
            self.limit_is_passed(region);
        }
    }

    /// The row that came in last passed the limit of its memstore, or that of its server.
    #[cold]
    fn limit_is_passed(&mut self, region: u32) {
        self.stores.store(region);
        let Some(server) = self.stores.server_of(region) else {
            self.stores.memstores[region as usize].limit = u64::MAX;
            return;
        };
        let Memstore { heap, rows, .. } = self.stores.memstores[region as usize];
        if rows == 1 {
            self.memstore_begins(region, self.clock.now);
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
        if let SplitPolicy::BusyRegion(rules) = &self.config.changes.policies.split_policy {
            let (memstore, store) = self.stores.pair(region);
            let written = store.flushed_rows + u64::from(memstore.rows);
            let rate = &mut store.blocked;
            store.blocked_rate = rate.update(now, store.refused, written, rules.busy_window);
        }
        if !self.consider_split(region) {
            self.stores.ask_compactions(region, false, &mut self.clock);
        }
    }

    /// Where a region would be split.
    ///
    /// # Errors
    /// [`NoSplitRow`]; a region whose keys are not kept has no file to look at.
    pub fn split_row(&self, region: u32) -> Result<RowKey, NoSplitRow> {
        let store = self.stores.get(region).ok_or(NoSplitRow::NoFile)?;
        let has_references = store.has_references(self.clock.now);
        let largest = store.largest().largest_file();
        let sample = largest.and_then(|file| file.sample.as_ref());
        // What is sampled may be a cell: its row, and behind it its qualifier.
        let row = |key: &'_ [u8]| key.len() - self.tables.qualifier_bytes.min(key.len());
        let sorted = sample.map(|sample| {
            let rows = sample.sorted().into_iter();
            (sample, rows.map(|key| &key[..row(key)]).collect::<Vec<_>>())
        });
        let file = sorted.as_ref().map(|(sample, sorted)| SampledFile {
            sample: sorted,
            first: &sample.first()[..row(sample.first())],
            last: &sample.last()[..row(sample.last())],
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
        if self.stores.store(region).flush == FlushState::Idle {
            let (wanted, held) = (self.clock.now, false);
            self.queue_flush(region, FlushState::Asked { wanted, held });
        }
    }

    /// A flush joins the queue of its server.
    fn queue_flush(&mut self, region: u32, asked: FlushState) {
        if let Some(server) = self.stores.server_of(region) {
            self.stores.store(region).flush = asked;
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
        let store = self.stores.store(region);
        let FlushState::Asked { wanted, held } = store.flush else {
            return;
        };
        match rules.flush(store.most_files(), wanted, now) {
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
        if let FlushState::Held { wanted, until } = self.stores.store(region).flush
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
                DiskJob::Compaction(region, family) => {
                    self.compaction_ends(region, family, server);
                }
            }
        }
        self.stores.await_disk(server, &mut self.clock);
    }

    fn flush_ends(&mut self, region: u32, server: u32) {
        let (now, mut files) = (self.clock.now, Vec::new());
        let mut all: Option<Flushed> = None;
        self.stores.for_each_store(region, now, |part, _| {
            let before = part.data.files().len();
            if let Some(flushed) = part.data.written(&mut part.memstore) {
                let sum = all.get_or_insert_default();
                (sum.heap, sum.bytes) = (sum.heap + flushed.heap, sum.bytes + flushed.bytes);
                files.push(before);
            }
        });
        let Some(flushed) = all else {
            return;
        };
        let (memstore, store) = self.stores.pair(region);
        store.flush = FlushState::Idle;
        let (heap, since) = (memstore.heap, store.oldest_row());
        self.stores.server_mut(server).flushing -= 1;
        *self.stores.heap_mut(server) -= flushed.heap;
        self.report_flush(region, server, flushed);
        for files in files {
            self.stores
                .files_changed(server, files, files + 1, &mut self.clock);
        }
        if let Some(since) = since {
            self.memstore_begins(region, since);
        }
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

    fn compaction_ends(&mut self, region: u32, family: u8, server: u32) {
        let now = self.clock.now;
        let mut keeping = self.stores.keeping(region, family.into(), now);
        let store = &mut self.stores.store(region).families[usize::from(family)];
        let state = std::mem::replace(&mut store.compaction, CompactionState::Idle);
        let CompactionState::Running(thread, files) = state else {
            return;
        };
        let all = store.data.files();
        let before = all.len();
        keeping.is_major = files.len() == before;
        let references = all[files.clone()].iter().any(|file| file.is_reference);
        let bytes = store.data.compacted(files, &keeping);
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
        let is_empty = bytes == 0 && self.stores.bytes(region) == (0, 0);
        self.happens(SeriesEvent::compacted(
            region, server, bytes, references, is_empty,
        ));
        self.split_or_compact(region);
        self.stores.start_compactions(server, &mut self.clock);
    }

    /// Servers look which of their stores are due for a major compaction, and will look again.
    pub fn majors_are_checked(&mut self) {
        for region in 0..self.tables.regions.len() {
            if self.stores.get(region).is_some() {
                self.stores.ask_compactions(region, true, &mut self.clock);
            }
        }
        self.clock
            .await_after(MAJOR_CHECKS_EVERY, ClusterStep::MajorsChecked);
    }

    /// The oldest row of a region's memstore came in then: a flush for its age is awaited, if the run lasts so long.
    pub fn memstore_begins(&mut self, region: u32, since: SimTime) {
        let Some(interval) = self.stores.rules(region).flush_interval else {
            return;
        };
        let store = self.stores.store(region);
        store.memstores = store.memstores.wrapping_add(1);
        let number = u64::from(region) << 32 | u64::from(store.memstores);
        let draws = self.config.generator.draws(Stream::FlushDelay, 0);
        let delay = draws.at(number).below(LONGEST_DELAY.as_nanos());
        let old = (since + interval).max(self.clock.now).as_nanos();
        let seen = old.next_multiple_of(LOOKS_EVERY.as_nanos());
        store.flush_due = SimTime::from_nanos(seen) + SimDuration::from_nanos(delay);
        let due = store.flush_due;
        self.clock.await_step(due, ClusterStep::FlushByAge(region));
    }

    /// A region's memstore was to be flushed for its age now; nothing happens when it has been flushed since.
    pub fn memstore_is_old(&mut self, region: u32) {
        let due = self.stores.store(region).flush_due;
        if due == self.clock.now && self.stores.rows_held(region) > 0 {
            self.ask_flush(region);
        }
    }

    /// A region goes offline in good order: its memstore becomes a store file at once, its jobs end without effect.
    ///
    /// HBase flushes most of it while the region still serves (`hbase.hregion.preclose.flush.size`) and the rest while it is offline: that is part of
    /// `split_offline` and `move_offline`. A running flush is written to its end; a running compaction is given up.
    pub fn close_store(&mut self, region: u32) {
        let Some(server) = self.stores.server_of(region) else {
            return;
        };
        self.stores.leave_server(region, server, &mut self.clock);
        let (now, mut written) = (self.clock.now, Vec::new());
        let rows = self.stores.rows_held(region);
        self.stores.for_each_store(region, now, |part, keeping| {
            written.extend(part.data.write_all(&mut part.memstore, keeping));
        });
        self.stores.store(region).flushed_rows += u64::from(rows);
        for flushed in written {
            self.report_flush(region, server, flushed);
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
        let (memstore, store) = self.stores.pair(region);
        store.reopen(now);
        memstore.place = server + 1;
        let (heap, rows) = (memstore.heap, memstore.rows);
        let families = store.families.iter_mut().map(|family| {
            let restored = family.data.restore();
            (restored, family.data.files().len())
        });
        let families: Vec<_> = families.collect();
        self.stores.heaps[0].heap -= heap;
        *self.stores.heap_mut(server) += heap;
        self.stores.server_mut(server).regions.push(region);
        for (restored, files) in families {
            if let Some(bytes) = restored {
                self.report_flush(region, server, Flushed { heap: 0, bytes });
            }
            self.stores.files_changed(server, 0, files, &mut self.clock);
        }
        // Rows that handlers worked on when it closed.
        if rows > 0 {
            self.memstore_begins(region, now);
        }
        self.stores.set_memstore_limit(region);
        self.stores.ask_compactions(region, false, &mut self.clock);
    }

    /// The files of a closed region become references of its daughters; their samples are divided at `row`.
    pub fn split_store(&mut self, parent: u32, lower: u32, upper: u32, row: &RowKey) {
        let families = self.hand_over(parent).into_iter();
        let divided = families.map(|files| {
            let parts = files.into_iter().map(|file| file.divided(row.as_bytes()));
            let (below, above): (Vec<_>, Vec<_>) = parts.unzip();
            let below = below.into_iter().flatten().collect();
            (below, above.into_iter().flatten().collect())
        });
        let (below, above) = divided.unzip();
        self.take_over(lower, below);
        self.take_over(upper, above);
    }

    /// The files of two closed regions become references of one.
    pub fn merge_stores(&mut self, lower: u32, upper: u32, merged: u32) {
        for region in [lower, upper] {
            let mut families = self.hand_over(region);
            let files = families.iter_mut().flatten();
            files.for_each(|file| file.is_reference = true);
            self.take_over(merged, families);
        }
    }

    /// A closed region ends: the files of each of its families. Rows that handlers still worked on when it closed are in its newest one.
    fn hand_over(&mut self, region: u32) -> Vec<Vec<RegionFile>> {
        debug_assert_eq!(self.stores.server_of(region), None, "closed before");
        self.stores.reach_regions(self.tables.regions.len());
        let now = self.clock.now;
        let heap = self.stores.memstores[region as usize].heap;
        let mut files = Vec::new();
        self.stores.for_each_store(region, now, |part, keeping| {
            part.data.settle(&mut part.memstore, keeping);
            files.push(part.data.take_files());
        });
        self.stores.heaps[0].heap -= heap;
        files
    }

    fn take_over(&mut self, region: u32, families: Vec<Vec<RegionFile>>) {
        let store = self.stores.store(region);
        for (family, files) in store.families.iter_mut().zip(families) {
            files
                .into_iter()
                .for_each(|file| family.data.add_file(file));
        }
    }

    /// A server died: its jobs are gone, the memstores of these regions are in its log only. Returns the bytes to replay; they become
    /// store files when the regions open (HBase flushes what it has replayed).
    pub fn lose_memstores(&mut self, server: u32, regions: &[u32]) -> u64 {
        let mut bytes = 0;
        for &region in regions {
            let now = self.clock.now;
            self.stores.for_each_store(region, now, |part, keeping| {
                bytes += part.data.lose(&mut part.memstore, keeping);
                part.compaction = CompactionState::Idle;
            });
            let (memstore, store) = self.stores.pair(region);
            (memstore.place, store.flush) = (0, FlushState::Idle);
            self.stores.set_memstore_limit(region);
        }
        self.stores.server_mut(server).clear(self.clock.now);
        *self.stores.heap_mut(server) = 0;
        self.stores.set_server_limit(server);
        bytes
    }

    /// The existing rows are there, one store file a region and family; regions that are due to compact or split at the start do so.
    pub fn load_stores(&mut self) {
        if SimTime::ZERO + MAJOR_CHECKS_EVERY < self.clock.end {
            self.clock
                .await_after(MAJOR_CHECKS_EVERY, ClusterStep::MajorsChecked);
        }
        self.stores.reach_regions(self.tables.regions.len());
        for region in 0..self.tables.regions.len() {
            let server = self.tables.regions.get(region).serving;
            self.stores.memstores[region as usize] = Memstore::untouched(server + 1);
            self.stores.set_memstore_limit(region);
        }
        let existing = self.config.changes.existing.clone();
        let mut loaded = Vec::new();
        for (table, rows) in (0..).zip(existing.iter()) {
            let regions = self.tables.in_key_order(table);
            let ends = regions.iter().map(|&region| self.tables.range(region).1);
            let ends: Vec<RowKey> = ends.collect();
            for (region, part) in regions.into_iter().zip(parts(rows, &ends)) {
                if self.load(region, rows, &part) {
                    loaded.push(region);
                }
            }
        }
        for region in loaded {
            self.has_grown_whole(region);
            self.split_or_compact(region);
        }
    }

    /// A region holds its part of the existing rows from the start, a file a family; false without any.
    fn load(&mut self, region: u32, existing: &ExistingRows, part: &Part) -> bool {
        let (sampling, mut is_loaded) = (self.stores.sampling(region), false);
        let written_ns = |at: usize| existing.written_ns.get(at).copied().unwrap_or(0);
        for family in 0..self.stores.rules(region).families.len() {
            let share = match existing.family_shares.get(family) {
                None if family == 0 => 1.0,
                share => share.copied().unwrap_or(0.0),
            };
            // What its last major compaction has left.
            let (from_ns, major_due_ns) = self.stores.last_major(region, family);
            let kept = part.sampled.clone().filter(|&at| written_ns(at) >= from_ns);
            let times = kept.clone().map(written_ns);
            let left = kept.clone().count() as f64 / part.sampled.len().max(1) as f64;
            let share = share * left;
            let bytes = (part.bytes as f64 * share).round() as u64;
            if bytes == 0 {
                continue;
            }
            is_loaded = true;
            let sample = sampling.map(|Sampling { capacity, .. }| {
                let share = part.share;
                let mut sample = RowSample::new(Sampling { capacity, share });
                let mut cell = Vec::new();
                for at in kept {
                    // The tickets of the sampled rows are the least of all.
                    let ticket = (self.stores.ticket() as f64 * share) as u64;
                    // A cell of the row: which one is of no account.
                    let row = existing.sample.get(at);
                    cell.clear();
                    cell.extend_from_slice(row);
                    cell.resize(row.len() + self.tables.qualifier_bytes, 0);
                    sample.offer(ticket, &cell);
                }
                sample
            });
            let newest_ns = times.clone().max().unwrap_or(0);
            let file = RegionFile {
                bytes,
                rows: (part.rows as f64 * share).round() as u64,
                sample,
                oldest_ns: times.min().unwrap_or(0),
                newest_ns,
                early_bytes: bytes,
                early_newest_ns: newest_ns,
                // A cell has its part of each family.
                early_cell_bytes: bytes as f64 / (part.rows as f64 * left).max(1.0),
                major_due_ns,
                ..RegionFile::default()
            };
            self.stores.store(region).families[family]
                .data
                .add_file(file);
            if let Some(server) = self.stores.server_of(region) {
                self.stores.files_changed(server, 0, 1, &mut self.clock);
            }
        }
        self.stores.set_memstore_limit(region);
        is_loaded
    }
}

/// The existing rows of one region.
struct Part {
    /// Those of the sampled keys.
    sampled: Range<usize>,
    /// Sampled rows per row.
    share: f64,
    bytes: u64,
    rows: u64,
}

/// The existing rows of each region of a table, by their end keys, in proportion to the sampled keys that lie in it.
fn parts<'a>(
    existing: &'a ExistingRows,
    ends: &'a [RowKey],
) -> impl Iterator<Item = Part> + use<'a> {
    let sampled = existing.sample.len();
    let share = (sampled as f64 / existing.rows.max(1) as f64).clamp(f64::MIN_POSITIVE, 1.0);
    // Of the first `keys` keys: whole numbers that add up to the table's.
    let until = move |all: u64, keys: usize| {
        (u128::from(all) * keys as u128 / sampled.max(1) as u128) as u64
    };
    let mut start = 0;
    ends.iter().map(move |end| {
        let mut stop = start;
        while stop < sampled && (end.0.is_empty() || existing.sample.get(stop) < end.as_bytes()) {
            stop += 1;
        }
        let range = start..stop;
        start = stop;
        let of = |all| until(all, range.end) - until(all, range.start);
        Part {
            share,
            bytes: of(existing.bytes),
            rows: of(existing.rows),
            sampled: range,
        }
    })
}
