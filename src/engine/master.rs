//! What the master knows besides where the open regions are: regions in transition, dead servers, ages, loads, plans. Must not act.

use super::SimConfig;
use super::balancing::Balancing;
use super::load_sampling::LoadSampling;
use super::region_counts::RegionCounts;
use super::regions::Regions;
use super::splitting::Splitting;
use super::system_regions::SystemRegions;
use crate::time::{SimDuration, SimTime};
use std::collections::BTreeMap;

/// The memory of whoever changes the cluster.
#[derive(Debug)]
pub(super) struct Master {
    /// Open regions.
    pub counts: RegionCounts,
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
pub(super) struct Opening {
    /// Where it opens, if that server still lives then.
    pub server: u32,
    /// Its opening ends a split on that server: the next one may start there.
    pub ends_split: bool,
}

/// A server that died unnoticed.
#[derive(Debug, Default)]
pub(super) struct DeadServer {
    /// Its regions, and those that should have opened on it.
    pub regions: Vec<u32>,
    /// Bytes of its log that are in no store file.
    pub log_bytes: u64,
}

impl Master {
    /// Knows the regions of the start.
    pub fn new(config: &SimConfig, regions: &Regions) -> Self {
        Self {
            counts: RegionCounts::new(
                regions,
                config.cluster.servers.max(1),
                config.tables() as usize,
            ),
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
