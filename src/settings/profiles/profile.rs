//! What a store is where a scenario says nothing.

/// A store, as it is where a scenario says nothing.
#[derive(Debug)]
pub struct Profile {
    /// What scenarios call it.
    pub name: &'static str,
    /// What is this store's own, and not as in the first profile: dotted paths with their defaults, as a user would write them, without quotes. Among them are the words for its
    /// deciders: `table.split_policy`, `balancer.policy`, `cluster.call_queues` and `cluster.wal.syncs`. What no profile says,
    /// the tables of settings say for all stores.
    pub defaults: &'static [(&'static str, &'static str)],
}
