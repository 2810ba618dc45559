//! Clients: write buffers, retries with HBase's back-off, deadlines. Passive, like the cluster.
//! Must not schedule, nor know how servers work.

mod back_off;
mod spec;
mod write_buffer;

pub use back_off::BackOff;
pub use spec::{CLIENT, ClientSpec};
pub use write_buffer::{BufferedRow, WriteBuffer};
