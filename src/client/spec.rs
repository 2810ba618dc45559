//! The settings of a client.

use crate::settings::{integer, time};
use crate::time::SimDuration;

crate::settings! {
    /// The clients of the table.
    pub struct ClientSpec: CLIENT("client", "") {
        /// Location caches that the clients share.
        ///
        /// One for each client process.
        processes: u32 = integer(1, 1_000_000).or("10"),
        /// How long a client waits before the first retry (`hbase.client.pause`).
        ///
        /// It is the unit of the back-off table.
        pause: SimDuration = time().within("", "1d", "no useful `client.pause`", "must be at most 1d"),
        /// How often an operation is tried again (`hbase.client.retries.number`).
        retries: u32 = integer(0, 1_000),
        /// A later success does not count as goodput.
        ///
        /// An operation that would be retried after this time from its intended start fails.
        deadline: SimDuration = time().or("60s").within(
            "", "1d", "no useful `client.deadline`", "must be longer than zero, and at most 1d",
        ).zero(false),
        /// Open loop: an operation beyond it fails at once.
        ///
        /// That is `ClientOverloaded`; writes and reads are counted apart.
        max_in_flight: u64 = integer(1, 100_000_000).or("1000000"),
        /// Parallel calls of one read.
        fan_out: u32 = integer(1, 1_000_000).or("64"),
    }
}
