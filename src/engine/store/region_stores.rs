//! The stores of one region, one a column family, and the settings that they go by. Must not know other regions, nor servers.

use crate::cluster::{FileRules, Keeping, Memstore, RegionStore, Sampling, TableSpec};
use crate::engine::config::SimConfig;
use crate::policy::{
    BlockedRate, CompactionFile, CompactionRules, LARGE_COMPACTION_BYTES, MemstoreRules,
};
use crate::time::{SimDuration, SimTime};
use std::ops::Range;

/// The settings of a table's stores.
#[derive(Debug, Clone)]
pub struct StoreRules {
    pub memstore: MemstoreRules,
    pub compaction: CompactionRules,
    /// Age from which on a memstore is flushed; `None` where the run is too short for any to get as old.
    pub flush_interval: Option<SimDuration>,
    /// `None` where keys are not kept.
    pub sampling: Option<Sampling>,
    /// Of each column family.
    pub families: Vec<FamilyRules>,
}

/// The settings of the stores of one column family.
#[derive(Debug, Clone, Copy)]
pub struct FamilyRules {
    /// Of its files; without time.
    pub keeping: Keeping,
    pub files: FileRules,
}

impl StoreRules {
    pub fn of(
        config: &SimConfig,
        table: &TableSpec,
        sampling: Option<Sampling>,
        families: Vec<FamilyRules>,
    ) -> Self {
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
            families,
        }
    }

    /// Heap of a server's memstores from which on flushes are forced.
    pub fn low_mark(&self) -> u64 {
        (self.memstore.server_bytes as f64 * self.memstore.lower_limit).ceil() as u64
    }
}

/// The store of one column family in a region.
#[derive(Debug)]
pub struct FamilyStore {
    pub data: RegionStore,
    /// Its part of the region's memstore; of an only family, what that was when it was looked at last.
    pub memstore: Memstore,
    /// When the first row of it came, beside other families.
    pub since: SimTime,
    pub compaction: CompactionState,
}

/// One region's stores, from their first file, its first opening in the run, or the first need of more than its memstore on.
#[derive(Debug)]
pub struct Store {
    /// At least one.
    pub families: Vec<FamilyStore>,
    pub flush: FlushState,
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
    pub fn new(sampling: Option<Sampling>, families: &[FamilyRules]) -> Self {
        let store = |family: &FamilyRules| FamilyStore {
            data: RegionStore::new(sampling, family.files),
            memstore: Memstore::default(),
            since: SimTime::ZERO,
            compaction: CompactionState::Idle,
        };
        Self {
            families: families.iter().map(store).collect(),
            flush: FlushState::Idle,
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
        let refers = |family: &FamilyStore| family.data.has_references();
        now < self.archived || self.families.iter().any(refers)
    }

    /// Its largest store, which says when and where it splits (`RegionSplitPolicy.getSplitPoint`): the first of equal ones.
    pub fn largest(&self) -> &RegionStore {
        let stores = self.families.iter().map(|family| &family.data);
        let larger =
            |most: &'_ RegionStore, next: &'_ RegionStore| next.file_bytes() > most.file_bytes();
        let found = stores.reduce(|most, next| if larger(most, next) { next } else { most });
        found.expect("a region has a store at least")
    }

    /// Most store files of a family.
    pub fn most_files(&self) -> u32 {
        let files = self.families.iter().map(|family| family.data.files().len());
        files.max().unwrap_or(0) as u32
    }

    /// Of several families: when the first row came of those that are in a memstore now.
    pub fn oldest_row(&self) -> Option<SimTime> {
        let several = self.families.len() > 1;
        let held = self.families.iter();
        let held = held.filter(|family| family.memstore.rows > 0);
        held.map(|family| family.since).min().filter(|_| several)
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
}

impl FamilyStore {
    /// What its compaction does that `thread` takes up: it runs, waits for the other thread, or there is nothing to compact. All files are compacted where
    /// a major compaction is due, unless they are too many (`SortedCompactionPolicy.selectCompaction`).
    pub fn next_compaction(
        &self,
        rules: &CompactionRules,
        keeping: &Keeping,
        thread: Thread,
    ) -> CompactionState {
        let files = self.data.files().iter().map(|file| CompactionFile {
            bytes: file.bytes,
            is_reference: file.is_reference,
        });
        let files: Vec<_> = files.collect();
        let is_major = files.len() < rules.max_files && self.data.is_major_due(keeping);
        let chosen = match is_major {
            true => Some(0..files.len()),
            false => rules.choose(&files, 0..0),
        };
        let Some(chosen) = chosen else {
            return CompactionState::Idle;
        };
        let bytes: u64 = files[chosen.clone()].iter().map(|file| file.bytes).sum();
        match thread == Thread::Small && bytes > LARGE_COMPACTION_BYTES {
            true => CompactionState::Asked(Thread::Large),
            false => CompactionState::Running(thread, chosen),
        }
    }
}

/// The stores of the table's families.
pub fn family_rules(config: &SimConfig) -> Vec<FamilyRules> {
    let cells = &config.cells;
    let families = config.table.families.iter().enumerate();
    let rules = families.map(|(number, family)| FamilyRules {
        keeping: Keeping {
            follows: config.follows_cells(),
            retention: family.retention(),
            deletes_rows: config.deletes_rows(number),
            replaces: config.replaces(number),
            ..Keeping::default()
        },
        files: cells.files.get(number).copied().unwrap_or_default(),
    });
    rules.collect()
}
