//! Apache HBase. The tables of settings say its own defaults, so that it differs in none.

use super::profile::Profile;

pub(super) static HBASE: Profile = Profile {
    name: "hbase",
    defaults: &[],
};
