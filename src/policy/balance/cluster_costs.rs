//! A placement with the costs of all its functions, and what one step would make of them. Must not know how steps are found.

use super::array_skew::scale;
use super::{ArraySkew, BalancedRegion, CostFunction, CostWeights, Imbalance, RegionMove};

/// The functions of a region's own load.
const LOADS: [CostFunction; 4] = [
    CostFunction::ReadRequest,
    CostFunction::WriteRequest,
    CostFunction::MemstoreSize,
    CostFunction::StoreFile,
];

/// One change of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A region to another server.
    Move { region: u32, to: u32 },
    /// Two regions of two servers change places.
    Swap { a: u32, b: u32 },
}

/// Servers and regions between the first placement and the next.
#[derive(Debug, Clone)]
pub(super) struct ClusterCosts {
    weights: CostWeights,
    first_server: Vec<u32>,
    server: Vec<u32>,
    table: Vec<u32>,
    loads: Vec<[f64; LOADS.len()]>,
    regions_of: Vec<Vec<u32>>,
    /// Where a region stands in `regions_of` its server.
    place: Vec<u32>,
    moved: usize,
    counts: ArraySkew,
    tables: Vec<ArraySkew>,
    load_skews: [ArraySkew; LOADS.len()],
    costs: [f64; CostFunction::ALL.len()],
}

impl ClusterCosts {
    /// The placement found. O(regions + tables x servers).
    pub(super) fn new(regions: &[BalancedRegion], servers: u32, weights: CostWeights) -> Self {
        let mut regions_of = vec![Vec::new(); servers as usize];
        let mut place = Vec::with_capacity(regions.len());
        for (index, region) in regions.iter().enumerate() {
            let here: &mut Vec<u32> = &mut regions_of[region.server as usize];
            place.push(here.len() as u32);
            here.push(index as u32);
        }
        let tables = regions
            .iter()
            .map(|region| region.table + 1)
            .max()
            .unwrap_or(0);
        let mut table_counts = vec![vec![0.0; servers as usize]; tables as usize];
        let mut load_sums = [const { Vec::new() }; LOADS.len()];
        load_sums.fill(vec![0.0; servers as usize]);
        let loads: Vec<_> = regions
            .iter()
            .map(|region| {
                let load = region.load;
                [
                    load.reads,
                    load.writes,
                    load.memstore_mb,
                    load.store_file_mb,
                ]
            })
            .collect();
        for (region, load) in regions.iter().zip(&loads) {
            table_counts[region.table as usize][region.server as usize] += 1.0;
            for (sums, load) in load_sums.iter_mut().zip(load) {
                sums[region.server as usize] += load;
            }
        }
        let servers: Vec<u32> = regions.iter().map(|region| region.server).collect();
        let mut costs = Self {
            weights,
            first_server: servers.clone(),
            server: servers,
            table: regions.iter().map(|region| region.table).collect(),
            loads,
            counts: ArraySkew::new(regions_of.iter().map(|here| here.len() as f64).collect()),
            regions_of,
            place,
            moved: 0,
            tables: table_counts.into_iter().map(ArraySkew::new).collect(),
            load_skews: load_sums.map(ArraySkew::new),
            costs: [0.0; CostFunction::ALL.len()],
        };
        costs.measure();
        costs
    }

    /// Cost of each function as the regions are placed now.
    pub(super) fn costs(&self) -> [f64; CostFunction::ALL.len()] {
        self.costs
    }

    /// Points as the regions are placed now.
    pub(super) fn points(&self) -> f64 {
        self.points_of(self.costs)
    }

    pub(super) fn servers(&self) -> u32 {
        self.regions_of.len() as u32
    }

    pub(super) fn regions_of(&self, server: u32) -> &[u32] {
        &self.regions_of[server as usize]
    }

    /// The moves that lead from the first placement to this one, by region.
    pub(super) fn moves(&self) -> Vec<RegionMove> {
        let (first, now) = (self.first_server.iter(), self.server.iter());
        RegionMove::between(first.copied(), now.copied())
    }

    /// Points after a step, to within rounding; exactly the present points of what it doesn't change. O(1).
    #[inline]
    pub(super) fn points_after(&self, step: Step) -> f64 {
        let mut costs = self.costs;
        let (a, b, from, to) = self.parts(step);
        let table_a = self.table[a as usize];
        let table_b = b.map(|b| self.table[b as usize]);
        if b.is_none() {
            costs[CostFunction::RegionCountSkew as usize] = self.counts.cost_if(from, to, 1.0);
        }
        if table_b != Some(table_a) {
            let change = |table: u32, from, to| {
                let skew = &self.tables[table as usize];
                skew.cost_if(from, to, 1.0) - skew.cost()
            };
            costs[CostFunction::TableSkew as usize] +=
                change(table_a, from, to) + table_b.map_or(0.0, |table| change(table, to, from));
        }
        for (at, function) in LOADS.into_iter().enumerate() {
            let back = b.map_or(0.0, |b| self.loads[b as usize][at]);
            let amount = self.loads[a as usize][at] - back;
            costs[function as usize] = self.load_skews[at].cost_if(from, to, amount);
        }
        let moved =
            self.moved as isize + self.moved_by(a, to) + b.map_or(0, |b| self.moved_by(b, from));
        costs[CostFunction::Move as usize] = self.move_cost(moved as usize);
        self.points_of(costs)
    }

    /// Takes a step and measures what it changed anew. O(servers + regions of the two). Returns the step back.
    pub(super) fn take(&mut self, step: Step) -> Step {
        let (a, b, from, to) = self.parts(step);
        self.place_region(a, to);
        if let Some(b) = b {
            self.place_region(b, from);
        }
        let count =
            |server: u32, costs: &Self| (server, costs.regions_of[server as usize].len() as f64);
        let counts = [count(from, self), count(to, self)];
        self.counts.set(counts);
        let shift = |skew: &mut ArraySkew, from: u32, to: u32| {
            let values = [(from, skew.value(from) - 1.0), (to, skew.value(to) + 1.0)];
            skew.set(values);
        };
        shift(&mut self.tables[self.table[a as usize] as usize], from, to);
        if let Some(b) = b {
            shift(&mut self.tables[self.table[b as usize] as usize], to, from);
        }
        for at in 0..LOADS.len() {
            let sum = |server: u32| {
                let here = self.regions_of[server as usize].iter();
                (
                    server,
                    here.map(|&region| self.loads[region as usize][at]).sum(),
                )
            };
            let sums: [(u32, f64); 2] = [sum(from), sum(to)];
            self.load_skews[at].set(sums);
        }
        self.measure();
        match b {
            None => Step::Move {
                region: a,
                to: from,
            },
            Some(b) => Step::Swap { a, b },
        }
    }

    /// The region that moves, the one that moves back, and between which servers.
    fn parts(&self, step: Step) -> (u32, Option<u32>, u32, u32) {
        match step {
            Step::Move { region, to } => (region, None, self.server[region as usize], to),
            Step::Swap { a, b } => {
                let (from, to) = (self.server[a as usize], self.server[b as usize]);
                (a, Some(b), from, to)
            }
        }
    }

    /// Change in the number of regions away from their first server when one goes to a server.
    fn moved_by(&self, region: u32, to: u32) -> isize {
        let first = self.first_server[region as usize];
        isize::from(to != first) - isize::from(self.server[region as usize] != first)
    }

    fn place_region(&mut self, region: u32, to: u32) {
        self.moved = (self.moved as isize + self.moved_by(region, to)) as usize;
        let index = region as usize;
        let here = &mut self.regions_of[self.server[index] as usize];
        let place = self.place[index] as usize;
        here.swap_remove(place);
        if let Some(&other) = here.get(place) {
            self.place[other as usize] = place as u32;
        }
        let there = &mut self.regions_of[to as usize];
        self.place[index] = there.len() as u32;
        there.push(region);
        self.server[index] = to;
    }

    fn measure(&mut self) {
        let mut costs = [0.0; CostFunction::ALL.len()];
        costs[CostFunction::RegionCountSkew as usize] = self.counts.cost();
        costs[CostFunction::Move as usize] = self.move_cost(self.moved);
        costs[CostFunction::TableSkew as usize] = self.tables.iter().map(ArraySkew::cost).sum();
        for (at, function) in LOADS.into_iter().enumerate() {
            costs[function as usize] = self.load_skews[at].cost();
        }
        self.costs = costs;
    }

    /// The part of the regions that moved (`MoveCostFunction.cost`). HBase's bound on moves is left out: with its default
    /// (`maxMovePercent` 1.0) all regions may move.
    fn move_cost(&self, moved: usize) -> f64 {
        scale(0.0, self.server.len() as f64, moved as f64)
    }

    fn points_of(&self, costs: [f64; CostFunction::ALL.len()]) -> f64 {
        let imbalance = Imbalance {
            weights: self.weights,
            costs,
            threshold: 0.0,
        };
        imbalance.points()
    }
}
