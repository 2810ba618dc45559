//! The servers of a cluster: handlers, call queues, the write-ahead log, disks; the regions of a table, and what each has stored. Passive:
//! they take what happened and say what happens next. Must not schedule, nor know clients.

mod capacity;
mod cell_history;
mod disk;
mod event;
mod family;
mod group_commit;
mod handlers;
mod memstore;
mod placement;
mod region_file;
mod region_map;
mod region_store;
mod row_locks;
mod row_sample;
mod service_times;
mod spec;

pub use capacity::{
    get_hold, handler_capacity_per_second, idle_put, put_hold, row_capacity_per_second,
    server_buffered_capacity_per_second, server_capacity_per_second,
};
pub use cell_history::{CellHistory, EarlyCells, Keeping};
pub use disk::{Disk, DiskJob};
pub use event::{ClusterEvent, CrashTarget, Neighbour, TimedEvent, servers_by};
pub use family::{CellSpec, FAMILY, Family, FamilySpec, VALUE, ValueSpec, WrittenCells};
pub use group_commit::{Edits, GroupCommit, LogPace};
pub use handlers::{Admission, Handlers};
pub use memstore::Memstore;
pub use placement::Placement;
pub use region_file::{FileRules, RegionFile};
pub use region_map::RegionMap;
pub use region_store::{Flushed, RegionStore};
pub use row_locks::RowLocks;
pub use row_sample::{Kept, RowSample, Sampling};
pub use service_times::{ROW_SEEK, ServiceTimes};
pub use spec::{
    CLUSTER, ClusterSpec, LogSyncs, ServiceLaw, ServiceSpec, TABLE, TableSpec, WalSpec,
};
