//! On which server each region of a table opens at the start of a run. Must not know keys, loads or runs.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where the regions of a table lie when a run starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Placement {
    /// Every server has as many regions, give or take one; which region lies where is chance. HBase deals the regions of a new table in
    /// the order in which threads finish making them (`ModifyRegionUtils.createRegions`, `CreateTableProcedure`): 40 of 40 tables measured
    /// had even counts, and none of those with more regions than servers was in key order.
    #[default]
    Dealt,
    /// Region i in key order opens on server (first + i) mod n: as a script would deal them. No HBase does so by itself.
    InOrder,
    /// The table as it came to be: its pre-split was dealt, daughters opened on their parent's server, and a balancer moved regions until
    /// counts were even. Neighbours then lie together more often than chance has them.
    Grown,
    /// The server of each region in key order.
    Listed(Arc<Vec<u32>>),
}

impl Placement {
    /// That of a table: 0 the table itself, which a list is for, c its copy c - 1.
    pub fn of_table(&self, table: u32) -> &Self {
        match self {
            Self::Listed(_) if table > 0 => &Self::Dealt,
            placement => placement,
        }
    }

    /// The server of each of `regions` regions, in key order.
    ///
    /// `growth` lists the regions, by their places in the final key order, that were split off in the order in which that happened: region g
    /// took the upper part of the region that held its start then. The others are the pre-split. Only [`Placement::Grown`] looks at it; an
    /// empty one is a table that has never been split, which is a dealt one. A list that is too short begins again.
    /// O(regions log regions) for a grown table, else O(regions).
    pub fn opening_servers(
        &self,
        regions: u32,
        growth: &[u32],
        servers: u32,
        draws: &mut impl Rng,
    ) -> Vec<u32> {
        let servers = servers.max(1);
        let in_turn = |count: u32, first: u32| {
            let (first, servers) = (u64::from(first), u64::from(servers));
            (0..u64::from(count)).map(move |at| ((first + at) % servers) as u32)
        };
        let mut dealt = |count: u32| {
            let first = draws.random_range(0..servers);
            let mut dealt: Vec<u32> = in_turn(count, first).collect();
            dealt.shuffle(draws);
            dealt
        };
        match self {
            Self::Dealt => dealt(regions),
            Self::InOrder => in_turn(regions, draws.random_range(0..servers)).collect(),
            Self::Grown => {
                let presplit = regions.saturating_sub(growth.len() as u32);
                let mut table = GrowingTable::new(regions, growth, &dealt(presplit), servers);
                for &region in growth {
                    table.split_off(region);
                    table.balance(draws);
                }
                table.servers
            }
            Self::Listed(list) => {
                let servers = list.iter().copied().cycle();
                servers.take(regions as usize).collect()
            }
        }
    }
}

/// A table that is being split and balanced by counts of regions.
struct GrowingTable {
    /// Of each region that exists.
    servers: Vec<u32>,
    /// Regions that exist, in key order.
    open: BTreeSet<u32>,
    /// Regions of each server, in no order.
    held: Vec<Vec<u32>>,
    /// (regions, server) of all servers.
    counts: BTreeSet<(usize, u32)>,
}

impl GrowingTable {
    /// With the regions of the pre-split alone, on these servers.
    fn new(regions: u32, growth: &[u32], dealt: &[u32], servers: u32) -> Self {
        let later: BTreeSet<&u32> = growth.iter().collect();
        let mut table = Self {
            servers: vec![0; regions as usize],
            open: BTreeSet::new(),
            held: vec![Vec::new(); servers as usize],
            counts: (0..servers).map(|server| (0, server)).collect(),
        };
        let first = (0..regions).filter(|region| !later.contains(region));
        for (region, &server) in first.zip(dealt) {
            table.open(region, server);
        }
        table
    }

    fn open(&mut self, region: u32, server: u32) {
        let held = &mut self.held[server as usize];
        self.counts.remove(&(held.len(), server));
        self.open.insert(region);
        held.push(region);
        self.counts.insert((held.len(), server));
        self.servers[region as usize] = server;
    }

    /// A daughter opens where its parent is.
    fn split_off(&mut self, region: u32) {
        let parent = self.open.range(..region).next_back();
        let server = parent.map_or(0, |&parent| self.servers[parent as usize]);
        self.open(region, server);
    }

    /// Moves regions, drawn at random, from a fullest to an emptiest server until counts differ by at most one.
    fn balance(&mut self, draws: &mut impl Rng) {
        while let (Some(&(fewest, to)), Some(&(most, from))) =
            (self.counts.first(), self.counts.last())
            && most > fewest + 1
        {
            let held = &mut self.held[from as usize];
            let region = held.swap_remove(draws.random_range(0..most));
            self.counts.remove(&(most, from));
            self.counts.insert((most - 1, from));
            self.open(region, to);
        }
    }
}

#[cfg(test)]
#[path = "placement_tests.rs"]
mod tests;
