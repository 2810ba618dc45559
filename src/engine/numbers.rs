//! What the engine's numbers of clients, servers, regions and so on have in common.

/// Stands for "no client", "no server" and so on.
pub const NONE: u32 = u32::MAX;
