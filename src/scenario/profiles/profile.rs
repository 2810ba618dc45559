//! What a store is where a scenario says nothing.

/// A store, as it is where a scenario says nothing.
#[derive(Debug)]
pub struct Profile {
    /// What scenarios call it.
    pub name: &'static str,
    /// Where it differs from what the tables of settings say: dotted paths with their defaults, as a user would write them, without quotes. Among
    /// them are the words for its deciders: `table.split_policy`, `balancer.policy`, `cluster.call_queues` and `cluster.wal.syncs`.
    pub defaults: &'static [(&'static str, &'static str)],
}

impl Profile {
    /// What it says of a setting, if it does.
    pub fn default(&self, path: &str) -> Option<&'static str> {
        let found = self.defaults.iter().find(|(known, _)| *known == path);
        found.map(|(_, default)| *default)
    }
}
