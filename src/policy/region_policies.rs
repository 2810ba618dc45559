//! What a cluster does to its regions by itself, in one place. Must not know what happens to the cluster, nor who uses it.

use super::balance::{Balancer, LoadBalancer, SimpleBalancer, StochasticBalancer};
use super::{NormalizerSpec, SplitPolicy};
use crate::settings::{Defaults, FromSource, Source, rate, time, word};
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

/// Reads of `hbase:meta` that a server of HBase answers at most (estimate).
const MOST_META_READS: PerSecond = PerSecond(1e6);

crate::settings! {
    /// Which balancer runs, how often, and what it weighs.
    pub static BALANCER("balancer", "") with super::balance::STOCHASTIC {
        /// stochastic is HBase's default; simple counts regions; load deals regions by their demand (a heuristic, not HBase's).
        policy = word(&["none", "simple", "stochastic", "load"]),
        /// How often the balancer runs (`hbase.balancer.period`).
        ///
        /// At least a second: servers report their loads every few seconds (`hbase.regionserver.msginterval`).
        period = time().within("1s", "365d", "`balancer.period` is {}", "must be in 1s ..= 365d"),
        /// Of `stochastic`: how often the loads of regions reach it, `hbase.balancer.statusPeriod`.
        ///
        /// The least is that of a scenario in which time runs six hundred times as fast as in HBase (estimate).
        samples = time().of("policy", &["stochastic"])
            .within("100ms", "365d", "`balancer.samples` is {}", "must be in 100ms ..= 365d"),
        /// Of `stochastic`: the reads of `hbase:meta` that its read cost sees, and no metric.
        meta_reads = rate().or("1/s").of("policy", &["stochastic"]),
    }
}

impl RegionPolicies {
    /// Reads what `[table]` and `[balancer]` say.
    pub fn read(table: &dyn Source, balancer: &dyn Source) -> Self {
        let split_policy = SplitPolicy::read_all(table);
        let normalizer = Option::<NormalizerSpec>::read_all(table);
        let word = balancer.choose("policy");
        let balancer_period = SimDuration::read(balancer, "period");
        // A balancer that asks for no loads leaves their defaults.
        let hbase = Defaults::of(&BALANCER);
        let loads: &dyn Source = match word == Some("stochastic") {
            true => balancer,
            false => &hbase,
        };
        Self {
            split_policy,
            normalizer,
            balancer_period,
            balancer_samples: SimDuration::read(loads, "samples"),
            meta_reads: read_meta_reads(loads),
            balancer: match word {
                Some("simple") => Balancer::Simple(SimpleBalancer {
                    slop: f32::read(balancer, "slop"),
                }),
                Some("stochastic") => Balancer::Stochastic(StochasticBalancer::read_all(balancer)),
                Some("load") => Balancer::Load(LoadBalancer::default()),
                _ => Balancer::None,
            },
        }
    }
}

fn read_meta_reads(balancer: &dyn Source) -> PerSecond {
    let rate = PerSecond::read(balancer, "meta_reads");
    if rate > MOST_META_READS {
        let message = format!("`balancer.meta_reads` is {} a second", rate.0);
        balancer.complain_of("meta_reads", message, "must be at most 1M/s");
    }
    rate
}

impl Default for RegionPolicies {
    /// HBase's defaults.
    fn default() -> Self {
        let table = Defaults::of(&REGIONS);
        Self::read(&table, &Defaults::of(&BALANCER))
    }
}

crate::settings! {
    /// What `[table]` says of when regions are split and merged.
    pub static REGIONS("", "") in "table" with super::split_policy::SPLITTING
        with super::split_policy::BUSY with super::normalizer::NORMALIZING {}
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
