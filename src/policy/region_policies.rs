//! What a cluster does to its regions by itself, in one place. Must not know what happens to the cluster, nor who uses it.

use super::balance::{Balancer, StochasticBalancer};
use super::{NormalizerSpec, SplitPolicy};
use crate::time::SimDuration;

/// When regions are split, merged and moved.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionPolicies {
    /// When regions are split, in the table and its copies.
    pub split_policy: SplitPolicy,
    /// Splits and merges by size; `None` when it is off.
    pub normalizer: Option<NormalizerSpec>,
    /// Which regions move.
    pub balancer: Balancer,
    /// How often it runs, first after one period (`hbase.balancer.period`).
    pub balancer_period: SimDuration,
}

impl RegionPolicies {
    /// Regions stay as they are.
    pub fn none() -> Self {
        Self {
            split_policy: SplitPolicy::Disabled,
            normalizer: None,
            balancer: Balancer::None,
            balancer_period: Self::default().balancer_period,
        }
    }
}

impl Default for RegionPolicies {
    /// HBase's defaults.
    fn default() -> Self {
        Self {
            split_policy: SplitPolicy::Stepping,
            normalizer: None,
            balancer: Balancer::Stochastic(StochasticBalancer::default()),
            balancer_period: SimDuration::from_secs(300),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_policies_nothing_is_split_merged_or_moved() {
        let none = RegionPolicies::none();
        assert_eq!(none.split_policy, SplitPolicy::Disabled);
        assert_eq!(none.normalizer, None);
        assert_eq!(none.balancer, Balancer::None);
    }

    #[test]
    fn hbase_splits_by_steps_balances_every_five_minutes_and_does_not_normalize() {
        let hbase = RegionPolicies::default();
        assert_eq!(hbase.split_policy, SplitPolicy::Stepping);
        assert_eq!(hbase.normalizer, None);
        assert!(matches!(hbase.balancer, Balancer::Stochastic(_)));
        assert_eq!(hbase.balancer_period, SimDuration::from_secs(300));
    }
}
