//! A region as balancers see it. Must not know how its load was measured.

/// Where a region is and what it carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BalancedRegion {
    /// Its live server.
    pub server: u32,
    /// Its table, numbered from 0 without gaps.
    pub table: u32,
    /// When it was created, in any unit: greater is newer.
    pub created: u64,
    /// What the stochastic balancer remembers of it.
    pub load: RegionLoad,
    /// Rows of operations routed to it in the last period, what [`super::LoadBalancer`] spreads; >= 0.
    pub demand: f64,
}

/// A region's load as means over the samples remembered; the units don't matter, as only shares count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RegionLoad {
    /// Reads between two samples.
    pub reads: f64,
    /// Rows written between two samples.
    pub writes: f64,
    /// Growth of the memstore between two samples, in MB.
    pub memstore_mb: f64,
    /// Size of the store files, in MB.
    pub store_file_mb: f64,
}
