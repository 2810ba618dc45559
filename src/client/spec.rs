//! The settings of a client. Must not know how they are used.

use crate::time::SimDuration;

/// Settings shared by all clients of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientSpec {
    /// Client processes; each has a location cache.
    pub processes: u32,
    /// Unit of the back-off table (`hbase.client.pause`).
    pub pause: SimDuration,
    /// Retries after the first attempt (`hbase.client.retries.number`).
    pub retries: u32,
    /// An operation that would be retried after this time from its intended start fails; a reply later than this is no
    /// goodput.
    pub deadline: SimDuration,
    /// Open loop: an operation beyond so many in flight fails at once (`ClientOverloaded`); writes and reads are counted apart.
    pub max_in_flight: u64,
    /// Calls that one read may have in flight, >= 1.
    pub fan_out: u32,
}

impl Default for ClientSpec {
    fn default() -> Self {
        Self {
            processes: 10,
            pause: SimDuration::from_millis(100),
            retries: 15,
            deadline: SimDuration::from_secs(60),
            max_in_flight: 1_000_000,
            fan_out: 64,
        }
    }
}
