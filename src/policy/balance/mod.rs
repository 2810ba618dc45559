//! Which regions move to which server: HBase's balancers, and one by load. A decision is a list of moves with what was found.
//!
//! Must not move anything, nor know keys or time: regions with their servers and loads in, moves out. Servers are the live ones, numbered
//! from 0 without gaps by whoever asks.

mod array_skew;
mod balanced_region;
mod balancer;
mod cluster_costs;
mod decision;
mod imbalance;
mod load_balancer;
mod load_samples;
mod region_counts;
mod simple_balancer;
mod stochastic_balancer;

pub use array_skew::ArraySkew;
pub use balanced_region::{BalancedRegion, RegionLoad};
pub use balancer::Balancer;
pub use decision::{BalanceDecision, BalanceFinding, BalanceReason, RegionMove};
pub use imbalance::{CostFunction, CostWeights, Imbalance};
pub use load_balancer::LoadBalancer;
pub use load_samples::{LoadSample, LoadSamples, REMEMBERED_SAMPLES};
pub use simple_balancer::SimpleBalancer;
pub use stochastic_balancer::{STOCHASTIC, StochasticBalancer};
