//! Clients: their settings, and retries with HBase's back-off, deadlines. Passive, like the cluster.
//! Must not schedule, nor know how servers work.

mod back_off;
mod spec;

pub use back_off::{BackOff, attempts};
pub use spec::{CLIENT, ClientSpec};
