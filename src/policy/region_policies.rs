//! What a cluster does to its regions by itself, in one place. Must not know what happens to the cluster, nor who uses it.

use super::balance::{Balancer, StochasticBalancer};
use super::{NormalizerSpec, SplitPolicy};
use crate::time::SimDuration;
use crate::units::PerSecond;

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
    /// How often the loads of regions reach it, first after one such time (`hbase.balancer.statusPeriod`); > 0.
    pub balancer_samples: SimDuration,
    /// Reads of `hbase:meta`, of which the stochastic balancer is told and nobody else.
    pub meta_reads: PerSecond,
}

impl RegionPolicies {
    /// Regions stay as they are.
    pub fn none() -> Self {
        Self {
            split_policy: SplitPolicy::Disabled,
            normalizer: None,
            balancer: Balancer::None,
            ..Self::default()
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
            balancer_samples: SimDuration::from_secs(60),
            meta_reads: PerSecond(1.0),
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
        assert_eq!(hbase.balancer_samples, SimDuration::from_secs(60));
    }
}
