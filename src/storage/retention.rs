//! What a column family keeps of the cells that are written to it.

/// What a column family keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Newest versions of a column (`VERSIONS`).
    pub versions: u32,
    /// Milliseconds from a cell's timestamp on (`TTL`); forever without.
    pub ttl: Option<u64>,
}
