//! HBase's default balancer: a random walk that keeps what lowers a weighted cost (`StochasticLoadBalancer`). Must not know time.

use super::cluster_costs::{ClusterCosts, Step};
use super::region_counts::{region_counts, uneven_counts};
use super::{
    BalanceDecision, BalanceFinding, BalanceReason, BalancedRegion, CostFunction, CostWeights,
    Imbalance,
};
use crate::random::Draws;
use crate::settings::{Defaults, FromSource, Kind, Source, number};

/// Its settings, `hbase.master.balancer.stochastic.*`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StochasticBalancer {
    /// Weight of each cost function.
    pub weights: CostWeights,
    /// `minCostNeedBalance`.
    pub min_cost: f32,
    /// `hbase.regions.slop`.
    pub slop: f32,
    /// Steps of the walk for each region and server (`stepsPerRegion`).
    pub steps_per_region: u64,
    /// Most steps of one walk (`maxSteps`). HBase also stops after 30 s of its own time (`maxRunningTime`), which no model can know.
    pub max_steps: u64,
}

impl Default for StochasticBalancer {
    /// HBase's.
    fn default() -> Self {
        Self::read_all(&Defaults::of(&STOCHASTIC))
    }
}

crate::settings! {
    /// What the balancers by HBase's costs and counts weigh.
    pub static STOCHASTIC("", "") in "balancer" {
        /// Of `simple` and `stochastic`: uneven counts that are borne.
        slop = SHARE.of("policy", &["simple", "stochastic"]),
        /// Of `stochastic`: cheaper clusters are left alone.
        min_cost_need_balance = SHARE.of("policy", &["stochastic"]),
        /// Of `stochastic`: weight of uneven counts of regions.
        region_count_cost = WEIGHT,
        /// Of `stochastic`: weight of regions that move.
        move_cost = WEIGHT,
        /// Of `stochastic`: weight of blocks on other servers.
        locality_cost = WEIGHT,
        /// Of `stochastic`: weight of blocks in other racks.
        rack_locality_cost = WEIGHT,
        /// Of `stochastic`: weight of uneven counts of one table's regions.
        table_skew_cost = WEIGHT,
        /// Of `stochastic`: weight of uneven reads.
        read_request_cost = WEIGHT,
        /// Of `stochastic`: weight of uneven writes.
        write_request_cost = WEIGHT,
        /// Of `stochastic`: weight of unevenly growing memstores.
        memstore_size_cost = WEIGHT,
        /// Of `stochastic`: weight of uneven sizes of store files.
        storefile_size_cost = WEIGHT,
    }
}

const SHARE: Kind = number("in [0, 1]", 0.0, 1.0, (true, true));
const WEIGHT: Kind =
    number("in [0, 1000000]", 0.0, 1e6, (true, true)).of("policy", &["stochastic"]);

impl FromSource for StochasticBalancer {
    fn read_all(source: &dyn Source) -> Self {
        let slop = f32::read(source, "slop");
        let min_cost = f32::read(source, "min_cost_need_balance");
        let weights = CostFunction::ALL.map(|function| f32::read(source, function.name()));
        let weights = CostWeights(weights);
        let mut keys = CostFunction::WORDS.iter().rev();
        let said = keys.find(|key| source.says(key));
        if let Some(key) = said.filter(|_| weights.sum() == 0.0) {
            let label = "a balancer weighs at least one cost";
            source.complain_of(key, "all weights are zero".to_owned(), label);
        }
        Self {
            weights,
            min_cost,
            slop,
            steps_per_region: 800,
            max_steps: 1_000_000,
        }
    }
}

impl StochasticBalancer {
    /// Starts for an idle server, for region counts beyond the slop, or for a cost at the threshold; then tries
    /// min(`max_steps`, regions x `steps_per_region` x servers) random steps and keeps each that lowers the total cost. A step of O(1),
    /// O(servers) while region counts differ.
    ///
    /// Two departures from HBase: a step is first evaluated from what it changes, and only if it seems to pay summed anew; and the kind of
    /// each step is drawn with the costs as they are, where HBase, after a pick of nothing to move, draws with the weights summed up.
    pub fn decide(
        &self,
        regions: &[BalancedRegion],
        servers: u32,
        draws: &mut Draws,
    ) -> BalanceDecision {
        let mut cluster = ClusterCosts::new(regions, servers, self.weights);
        let before = self.imbalance_of(&cluster);
        let counts = region_counts(regions.iter().map(|region| region.server), servers);
        let reason = match uneven_counts(&counts, self.slop) {
            Some(reason) => reason,
            None if before.is_balanced() => {
                return BalanceDecision::none(BalanceReason::Balanced, finding(before, before));
            }
            None => BalanceReason::Cost,
        };
        self.walk(&mut cluster, regions.len() as u64, draws);
        let after = self.imbalance_of(&cluster);
        BalanceDecision {
            moves: cluster.moves(),
            reason,
            finding: finding(before, after),
        }
    }

    fn walk(&self, cluster: &mut ClusterCosts, regions: u64, draws: &mut Draws) {
        let mut points = cluster.points();
        for _ in 0..self.steps(regions, cluster.servers()) {
            // No cost is below 0.
            if points <= 0.0 {
                return;
            }
            let Some(step) = next_step(cluster, draws) else {
                continue;
            };
            if cluster.points_after(step) >= points {
                continue;
            }
            let back = cluster.take(step);
            let found = cluster.points();
            if found < points {
                points = found;
            } else {
                cluster.take(back);
            }
        }
    }

    /// Steps of one walk.
    fn steps(&self, regions: u64, servers: u32) -> u64 {
        let steps = regions.saturating_mul(self.steps_per_region);
        let steps = steps.saturating_mul(u64::from(servers));
        steps.min(self.max_steps)
    }

    fn imbalance_of(&self, cluster: &ClusterCosts) -> Imbalance {
        Imbalance {
            weights: self.weights,
            costs: cluster.costs,
            threshold: self.min_cost,
        }
    }
}

fn finding(before: Imbalance, after: Imbalance) -> BalanceFinding {
    BalanceFinding::Cost {
        before: Box::new(before),
        after: Box::new(after),
    }
}

/// A step of a kind picked in proportion to the costs that it cures: uneven counts are cured between the fullest and the emptiest server,
/// everything else between any two (`StochasticLoadBalancer.getRandomGenerator`; the generators for locality and racks have no cost here).
/// Only where some cost is above 0.
fn next_step(cluster: &ClusterCosts, draws: &mut Draws) -> Option<Step> {
    let costs = cluster.costs;
    let sum: f64 = costs.iter().sum();
    let others = sum - costs[CostFunction::RegionCountSkew as usize];
    let (this, other) = if draws.unit() > others / sum {
        fullest_and_emptiest(cluster, draws)?
    } else {
        let servers = u64::from(cluster.servers());
        let this = draws.below(servers);
        // Any of the others, equally likely.
        let other = (this + 1 + draws.below(servers - 1)) % servers;
        (this as u32, other as u32)
    };
    between(cluster, this, other, draws)
}

/// One of the servers with most regions and another of those with fewest, ties broken at random (`LoadCandidateGenerator`).
fn fullest_and_emptiest(cluster: &ClusterCosts, draws: &mut Draws) -> Option<(u32, u32)> {
    let count = |server: u32| cluster.regions_of(server).len();
    let pick = |best: usize, without: Option<u32>, draws: &mut Draws| {
        let is_one = |server: &u32| count(*server) == best && Some(*server) != without;
        let servers = || (0..cluster.servers()).filter(is_one);
        servers().nth(draws.below(servers().count() as u64) as usize)
    };
    let most = (0..cluster.servers()).map(count).max()?;
    let this = pick(most, None, draws)?;
    let others = (0..cluster.servers()).filter(|&server| server != this);
    let fewest = others.map(count).min()?;
    Some((this, pick(fewest, Some(this), draws)?))
}

/// A random region of the server with more of them moves to the other, or, half of the time, changes places with a random one there
/// (`CandidateGenerator.pickRandomRegions`).
fn between(cluster: &ClusterCosts, this: u32, other: u32, draws: &mut Draws) -> Option<Step> {
    let (here, there) = (cluster.regions_of(this), cluster.regions_of(other));
    let (from, from_server, to, to_server) = match here.len() > there.len() {
        true => (here, this, there, other),
        false => (there, other, here, this),
    };
    debug_assert_ne!(from_server, to_server);
    if from.is_empty() {
        return None;
    }
    let a = from[draws.below(from.len() as u64) as usize];
    if to.is_empty() || draws.bits() >> 63 == 0 {
        return Some(Step::Move {
            region: a,
            to: to_server,
        });
    }
    let b = to[draws.below(to.len() as u64) as usize];
    Some(Step::Swap { a, b })
}

#[cfg(test)]
#[path = "stochastic_balancer_tests.rs"]
mod tests;
