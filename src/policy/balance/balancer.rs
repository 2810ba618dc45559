//! The balancers by name. Must not know when one runs.

use super::{
    BalanceDecision, BalanceFinding, BalanceReason, BalancedRegion, LoadBalancer, SimpleBalancer,
    StochasticBalancer,
};
use crate::random::Draws;

/// Fewest servers of which any balancer runs (`BaseLoadBalancer.MIN_SERVER_BALANCE`).
const MIN_SERVERS: u32 = 2;

/// Which balancer a cluster has (`hbase.master.loadbalancer.class`). It runs every `hbase.balancer.period`, 300 s by default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Balancer {
    /// None: `balance_switch false`.
    None,
    /// By region counts.
    Simple(SimpleBalancer),
    /// HBase's default.
    Stochastic(StochasticBalancer),
    /// By demand; not HBase's.
    Load(LoadBalancer),
}

impl Balancer {
    /// The moves it wants for `regions` on `servers` live servers; every region's server is below `servers`. Random numbers come from
    /// `draws` alone: equal draws, equal decisions.
    pub fn decide(
        &self,
        regions: &[BalancedRegion],
        servers: u32,
        draws: &mut Draws,
    ) -> BalanceDecision {
        let none = |reason| BalanceDecision::none(reason, BalanceFinding::Nothing);
        match self {
            Self::None => none(BalanceReason::Off),
            _ if servers < MIN_SERVERS => none(BalanceReason::FewServers),
            Self::Simple(balancer) => balancer.decide(regions, servers, draws),
            Self::Stochastic(balancer) => balancer.decide(regions, servers, draws),
            Self::Load(balancer) => balancer.decide(regions, servers),
        }
    }
}
