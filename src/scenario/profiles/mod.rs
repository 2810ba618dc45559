//! Profiles: the stores whose defaults a scenario may ask for. Must not read scenarios.

mod hbase;
mod profile;

use crate::settings::{FromValue, Value};

pub(super) use profile::Profile;

/// All profiles; the first is the default.
pub(super) static PROFILES: [&Profile; 1] = [&hbase::HBASE];

/// Their names.
pub(super) const NAMES: &[&str] = &[hbase::HBASE.name];

impl FromValue for &'static Profile {
    fn from_value(value: Value) -> Self {
        match value {
            Value::Word(at) => PROFILES[at],
            other => panic!("{other:?} is no word"),
        }
    }
}

impl Default for &'static Profile {
    fn default() -> Self {
        PROFILES[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, LogSyncs};
    use crate::policy::balance::Balancer;
    use crate::policy::{RegionPolicies, SplitPolicy};
    use crate::scenario::diagnostics::Diagnostics;
    use crate::scenario::document::TomlTable;
    use crate::scenario::draft::SCENARIO;
    use crate::scenario::reader::Reader;
    use crate::settings::FromSource;

    static OTHER: Profile = Profile {
        name: "other",
        defaults: &[
            ("table.split_policy", "constant-size"),
            ("balancer.policy", "load"),
            ("cluster.call_queues", "1"),
            ("cluster.wal.syncs", "single"),
            ("cluster.handlers", "64"),
        ],
    };

    #[test]
    fn a_profile_says_what_every_setting_and_decider_is_where_a_scenario_says_nothing() {
        let (sink, document) = (Diagnostics::default(), TomlTable::default());
        sink.set_profile(&OTHER);
        let scenario = Reader::whole(&sink, &document, &SCENARIO);
        let cluster = ClusterSpec::read_all(&scenario.table("cluster"));
        assert_eq!(
            (cluster.handlers, cluster.call_queues, cluster.servers),
            (64, 1, 8)
        );
        assert_eq!(cluster.wal.map(|wal| wal.syncs), Some(LogSyncs::Single));
        let policies = RegionPolicies::read(&scenario.table("table"), &scenario.table("balancer"));
        assert_eq!(policies.split_policy, SplitPolicy::ConstantSize);
        assert!(matches!(policies.balancer, Balancer::Load(_)));
    }

    #[test]
    fn names_are_those_of_the_profiles_and_none_comes_twice() {
        assert!(
            PROFILES
                .iter()
                .map(|profile| profile.name)
                .eq(NAMES.iter().copied())
        );
        let mut names = NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROFILES.len());
    }
}
