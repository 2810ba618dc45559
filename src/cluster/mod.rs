//! The servers of a cluster: handlers, call queues, the write-ahead log. Passive: they take what happened and say
//! what happens next. Must not schedule, nor know keys or clients.

mod event;
mod group_commit;
mod handlers;
mod neighbour;
mod row_locks;
mod service_times;
mod spec;

pub use event::{ClusterEvent, CrashTarget, TimedEvent};
pub use group_commit::{Edits, GroupCommit, NextSync};
pub use handlers::{Admission, Handlers};
pub use neighbour::Neighbour;
pub use row_locks::RowLocks;
pub use service_times::ServiceTimes;
pub use spec::{ClusterSpec, CompactionBandwidth, ServiceLaw, ServiceSpec, TableSpec, WalSpec};
