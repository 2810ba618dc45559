//! What the master knows besides where the open regions are: regions in transition, dead servers, ages, loads, plans.

use super::load_sampling::LoadSampling;
use super::system_regions::SystemRegions;
use crate::engine::config::SimConfig;
use crate::engine::table::tables::Regions;
use crate::keyspace::RowKey;
use crate::policy::{NoSplitRow, SplitSizes};
use crate::random::{DrawKey, Stream};
use crate::time::{SimDuration, SimTime};
use std::collections::{BTreeMap, VecDeque};
use std::mem::Discriminant;

/// The memory of whoever changes the cluster.
#[derive(Debug)]
pub struct Master {
    /// Regions in transition: offline, with the opening that awaits each.
    pub opening: BTreeMap<u32, Opening>,
    /// Servers of whose death it doesn't know yet.
    pub dead: BTreeMap<u32, DeadServer>,
    /// Until when servers are slow.
    pub slow_until: BTreeMap<u32, SimTime>,
    pub splitting: Splitting,
    pub balancing: Balancing,
    pub loads: LoadSampling,
    /// Those of HBase's own tables.
    pub system: SystemRegions,
    /// Regions of the start.
    first_regions: u32,
    /// When each of the others came to be, by number.
    created: Vec<SimTime>,
}

/// How a region in transition goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Where it opens, if that server still lives then.
    pub server: u32,
    /// Its opening ends a split on that server: the next one may start there.
    pub ends_split: bool,
}

/// A server that died unnoticed.
#[derive(Debug, Default)]
pub struct DeadServer {
    /// Its regions, and those that should have opened on it.
    pub regions: Vec<u32>,
    /// Bytes of its log that are in no store file.
    pub log_bytes: u64,
}

/// Splits under way and to come.
#[derive(Debug)]
pub struct Splitting {
    pub sizes: SplitSizes,
    pub jitter: DrawKey,
    /// Of each server where a region is being split: the regions that wait. A server splits one at a time
    /// (HBase default, `hbase.regionserver.thread.split`).
    pub queues: BTreeMap<u32, VecDeque<u32>>,
    /// Where an operator wants splits that are still to come.
    pub asked: Vec<RowKey>,
    /// Regions without split row that were reported, with the kind of reason; `None`: the policy.
    pub reported: BTreeMap<u32, Vec<Option<Discriminant<NoSplitRow>>>>,
}

impl Splitting {
    fn new(config: &SimConfig) -> Self {
        Self {
            sizes: SplitSizes {
                max_file_bytes: config.table.max_file_size.0,
                flush_bytes: config.table.memstore_flush_size.0,
            },
            jitter: config.generator.draws(Stream::SplitJitter, 0),
            queues: BTreeMap::new(),
            asked: Vec::new(),
            reported: BTreeMap::new(),
        }
    }
}

/// A region that the balancer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownRegion {
    /// One of the table, its copies or its neighbours, by number.
    User(u32),
    /// One of HBase's own tables, by its place in [`super::system_regions::SYSTEM_TABLES`].
    System(usize),
}

/// A move of the last run that is still to start, between servers by their numbers.
#[derive(Debug, Clone, Copy)]
pub struct PendingMove {
    pub region: ShownRegion,
    pub from: u32,
    pub to: u32,
}

/// What the balancer remembers.
#[derive(Debug, Default)]
pub struct Balancing {
    pub runs: u64,
    /// In the order in which they will start.
    pub pending: VecDeque<PendingMove>,
    /// When the next one starts at the latest.
    pub turn: SimTime,
    /// From turn to turn.
    pub interval: SimDuration,
}

impl Master {
    /// Knows the regions of the start.
    pub fn new(config: &SimConfig, regions: &Regions) -> Self {
        Self {
            opening: BTreeMap::new(),
            dead: BTreeMap::new(),
            slow_until: BTreeMap::new(),
            splitting: Splitting::new(config),
            balancing: Balancing::default(),
            loads: LoadSampling::new(config),
            system: SystemRegions::new(config),
            first_regions: regions.len(),
            created: Vec::new(),
        }
    }

    /// A daughter or a merged region came to be, numbered after all others.
    pub fn region_created(&mut self, now: SimTime) {
        self.created.push(now);
    }

    /// When a region came to be; those of the start, at time 0.
    pub fn created(&self, region: u32) -> SimTime {
        let later = region.checked_sub(self.first_regions);
        later
            .and_then(|at| self.created.get(at as usize))
            .copied()
            .unwrap_or(SimTime::ZERO)
    }

    /// Since a region came to be.
    pub fn age(&self, region: u32, now: SimTime) -> SimDuration {
        now.since(self.created(region))
    }

    /// Whether some region is neither open nor gone, so that HBase's balancer doesn't run (`HMaster.balance`).
    pub fn has_regions_in_transition(&self, now: SimTime) -> bool {
        !self.opening.is_empty() || self.system.in_transition(now)
    }
}
