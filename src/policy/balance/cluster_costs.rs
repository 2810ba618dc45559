//! A placement with the costs of all its functions, and what one step would make of them. Must not know how steps are found.

use super::array_skew::scale;
use super::{ArraySkew, BalancedRegion, CostFunction, CostWeights, Imbalance, RegionMove};

/// One change of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A region to another server.
    Move { region: u32, to: u32 },
    /// Two regions of two servers change places.
    Swap { a: u32, b: u32 },
}

/// What a function counts of each region, and its skew over the servers.
#[derive(Debug, Clone)]
struct Column {
    function: CostFunction,
    amounts: Vec<f64>,
    skew: ArraySkew,
}

/// Servers and regions between the first placement and the next.
#[derive(Debug, Clone)]
pub(super) struct ClusterCosts {
    weights: CostWeights,
    first_server: Vec<u32>,
    server: Vec<u32>,
    regions_of: Vec<Vec<u32>>,
    /// Where a region stands in `regions_of` its server.
    place: Vec<u32>,
    moved: usize,
    /// The regions themselves, those of each table, and each of their loads.
    columns: Vec<Column>,
    /// Cost of each function as the regions are placed now.
    pub(super) costs: [f64; CostFunction::ALL.len()],
}

impl ClusterCosts {
    /// The placement found. O(regions x tables + tables x servers).
    pub(super) fn new(regions: &[BalancedRegion], servers: u32, weights: CostWeights) -> Self {
        let mut regions_of = vec![Vec::new(); servers as usize];
        let mut place = Vec::with_capacity(regions.len());
        for (index, region) in regions.iter().enumerate() {
            let here: &mut Vec<u32> = &mut regions_of[region.server as usize];
            place.push(here.len() as u32);
            here.push(index as u32);
        }
        let column = |function, amount: &dyn Fn(&BalancedRegion) -> f64| {
            let amounts: Vec<f64> = regions.iter().map(amount).collect();
            let mut sums = vec![0.0; servers as usize];
            for (region, amount) in regions.iter().zip(&amounts) {
                sums[region.server as usize] += amount;
            }
            Column {
                function,
                amounts,
                skew: ArraySkew::new(sums),
            }
        };
        let tables = regions.iter().map(|region| region.table + 1).max();
        let mut columns = vec![column(CostFunction::RegionCountSkew, &|_| 1.0)];
        columns.extend((0..tables.unwrap_or(0)).map(|table| {
            let is_of = |region: &BalancedRegion| f64::from(u8::from(region.table == table));
            column(CostFunction::TableSkew, &is_of)
        }));
        columns.extend([
            column(CostFunction::ReadRequest, &|region| region.load.reads),
            column(CostFunction::WriteRequest, &|region| region.load.writes),
            column(CostFunction::MemstoreSize, &|it| it.load.memstore_mb),
            column(CostFunction::StoreFile, &|region| region.load.store_file_mb),
        ]);
        let server: Vec<u32> = regions.iter().map(|region| region.server).collect();
        let mut costs = Self {
            weights,
            first_server: server.clone(),
            server,
            regions_of,
            place,
            moved: 0,
            columns,
            costs: [0.0; CostFunction::ALL.len()],
        };
        costs.measure();
        costs
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

    /// Points after a step, to within rounding; exactly the present points of what it doesn't change. O(tables).
    pub(super) fn points_after(&self, step: Step) -> f64 {
        let mut costs = self.costs;
        let (a, b, from, to) = self.parts(step);
        for column in &self.columns {
            let back = b.map_or(0.0, |b| column.amounts[b as usize]);
            let amount = column.amounts[a as usize] - back;
            if amount != 0.0 {
                let skew = &column.skew;
                costs[column.function as usize] += skew.cost_if(from, to, amount) - skew.cost;
            }
        }
        let moved =
            self.moved as isize + self.moved_by(a, to) + b.map_or(0, |b| self.moved_by(b, from));
        costs[CostFunction::Move as usize] = self.move_cost(moved as usize);
        self.points_of(costs)
    }

    /// Takes a step and measures anew. O(servers + regions of the two) for each table. Returns the step back.
    pub(super) fn take(&mut self, step: Step) -> Step {
        let (a, b, from, to) = self.parts(step);
        self.place_region(a, to);
        if let Some(b) = b {
            self.place_region(b, from);
        }
        for Column { amounts, skew, .. } in &mut self.columns {
            skew.set([from, to].map(|server| {
                let here = self.regions_of[server as usize].iter();
                (server, here.map(|&region| amounts[region as usize]).sum())
            }));
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
        self.costs = [0.0; CostFunction::ALL.len()];
        self.costs[CostFunction::Move as usize] = self.move_cost(self.moved);
        for column in &self.columns {
            self.costs[column.function as usize] += column.skew.cost;
        }
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
