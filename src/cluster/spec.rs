//! The description of a cluster and its table, with HBase's defaults. Must not know how it is simulated.

use super::Placement;
use crate::storage::BlockEncoding;
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize};

/// The servers.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterSpec {
    /// Number of region servers, >= 1.
    pub servers: u32,
    /// Handlers of each server, >= 1 (`hbase.regionserver.handler.count`).
    pub handlers: u32,
    /// Call queues of each server, in 1..=handlers (0.1 a handler: `hbase.ipc.server.callqueue.handler.factor`).
    pub call_queues: u32,
    /// Calls that each queue holds; `u32::MAX` is unlimited (`hbase.ipc.server.max.callqueue.length`, 10 x handlers in all
    /// three queues of 300).
    pub call_queue_length: u32,
    /// One way (estimate).
    pub network: SimDuration,
    /// Heap of each server.
    pub heap: ByteSize,
    /// What flushes and compactions of one server write a second, together (estimate).
    pub disk_bandwidth: Bandwidth,
    /// How long a region is offline when it is split (estimate).
    pub split_offline: SimDuration,
    /// How long a region is offline when it moves (estimate).
    pub move_offline: SimDuration,
    /// From a crash to its detection (`zookeeper.session.timeout`, capped by ZooKeeper's own 40 s).
    pub failure_detection: SimDuration,
    /// Service times.
    pub service: ServiceSpec,
    /// The write-ahead log; `None` leaves it out.
    pub wal: Option<WalSpec>,
}

/// Service times: a call takes X * base + (rows - 1) * per-row time, X of mean 1 drawn once a call; a multi-Get is worked through Get by
/// Get, each with its own X.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceSpec {
    /// Law of X.
    pub law: ServiceLaw,
    /// Base of a put (estimate).
    pub put: SimDuration,
    /// Each further row of a write (estimate).
    pub write_row: SimDuration,
    /// Base of a Get (estimate).
    pub get: SimDuration,
    /// Base of a scanner's call (estimate).
    pub scan: SimDuration,
    /// Each further row that a scanner's call reads (estimate).
    pub scan_row: SimDuration,
    /// Share of the Gets that find a row, and of the scanners' calls, that memory serves, in [0, 1]; the others add `disk_read`.
    pub cache_hit: f64,
    /// What a read from disk adds (estimate).
    pub disk_read: SimDuration,
}

/// Law of the factor X, of mean 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ServiceLaw {
    /// Always 1.
    Constant,
    /// Exponential.
    Exponential,
    /// Lognormal with this coefficient of variation, > 0.
    Lognormal { cv: f64 },
}

/// Group commit: a sync is acknowledged max(sync, bytes / bandwidth) after it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct WalSpec {
    /// Least time of a sync (estimate; gives HBase's published 20,000 puts/s a server: 30 handlers / (0.3 ms + 1.2 ms)).
    pub sync: SimDuration,
    /// The book's 5 to 15 MB/s a server.
    pub bandwidth: Bandwidth,
    /// How many syncs are on their way at a time.
    pub syncs: LogSyncs,
}

/// When a log sends its next sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogSyncs {
    /// When the bytes of the one before are written, whether it is acknowledged or not (HBase: `AsyncFSWAL.consume`).
    Pipelined,
    /// When the one before is acknowledged: one at a time, as stores with a single log writer.
    Single,
}

impl WalSpec {
    /// How long a write of a busy server waits for the log while its bandwidth is not used up, about: for its own sync, and in a log with
    /// one at a time for half of the one that is under way besides.
    pub fn wait(&self) -> SimDuration {
        match self.syncs {
            LogSyncs::Pipelined => self.sync,
            LogSyncs::Single => self.sync.mul_f64(1.5),
        }
    }
}

/// The table: what its rows are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSpec {
    /// Name of the column family.
    pub family: String,
    /// Name of each qualifier: one cell a row for each.
    pub qualifiers: Vec<String>,
    /// Value of each cell.
    pub value: ByteSize,
    /// Size from which on a store is split (`hbase.hregion.max.filesize`).
    pub max_file_size: ByteSize,
    /// Heap of a memstore from which on it is flushed (`hbase.hregion.memstore.flush.size`).
    pub memstore_flush_size: ByteSize,
    /// Age of a memstore's oldest row from which on it is flushed, however small it is
    /// (`hbase.regionserver.optionalcacheflushinterval`); zero: never.
    pub memstore_flush_interval: SimDuration,
    /// Times the flush size above which a region refuses writes, `RegionTooBusy` (`hbase.hregion.memstore.block.multiplier`).
    pub memstore_block_multiplier: u32,
    /// Files of a store above which its flushes are held (`hbase.hstore.blockingStoreFiles`).
    pub blocking_store_files: u32,
    /// Files of a compaction that are smaller than this together need not be in ratio (`hbase.hstore.compaction.min.size`, which
    /// hbase-default.xml sets to 128 MB, so that it does not follow the flush size).
    pub min_compaction_size: ByteSize,
    /// How often a server archives the files that compactions have replaced (`hbase.hfile.compaction.discharger.interval`). Until then a
    /// daughter still has its references, and can't split.
    pub discharger_period: SimDuration,
    /// What compactions may write a second: from `low` without pressure to `high` near the blocking number of files
    /// (`hbase.hstore.compaction.throughput.lower.bound`, `higher.bound`).
    pub compaction_bandwidth: CompactionBandwidth,
    /// How data blocks are written (`DATA_BLOCK_ENCODING`).
    pub block_encoding: BlockEncoding,
    /// Where its regions lie at the start. A list is that of the table itself: its further copies are dealt then.
    pub placement: Placement,
}

/// Bounds of what compactions may write a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompactionBandwidth {
    /// Without pressure.
    pub low: Bandwidth,
    /// At full pressure.
    pub high: Bandwidth,
}

impl Default for ClusterSpec {
    fn default() -> Self {
        Self {
            servers: 8,
            handlers: 30,
            call_queues: 3,
            call_queue_length: 300,
            network: SimDuration::from_nanos(250_000),
            heap: ByteSize(16 << 30),
            disk_bandwidth: Bandwidth((200 << 20) as f64),
            split_offline: SimDuration::from_millis(1_000),
            move_offline: SimDuration::from_millis(500),
            failure_detection: SimDuration::from_secs(40),
            service: ServiceSpec {
                law: ServiceLaw::Exponential,
                put: SimDuration::from_nanos(300_000),
                write_row: SimDuration::from_nanos(5_000),
                get: SimDuration::from_nanos(1_200_000),
                scan: SimDuration::from_nanos(1_200_000),
                scan_row: SimDuration::from_nanos(1_000),
                cache_hit: 1.0,
                disk_read: SimDuration::from_nanos(4_000_000),
            },
            wal: Some(WalSpec {
                sync: SimDuration::from_nanos(1_200_000),
                bandwidth: Bandwidth((10 << 20) as f64),
                syncs: LogSyncs::Pipelined,
            }),
        }
    }
}

impl Default for TableSpec {
    fn default() -> Self {
        Self {
            family: "d".into(),
            qualifiers: vec!["v".into()],
            value: ByteSize(100),
            max_file_size: ByteSize(10 << 30),
            memstore_flush_size: ByteSize(128 << 20),
            memstore_flush_interval: SimDuration::from_secs(3_600),
            memstore_block_multiplier: 4,
            blocking_store_files: 16,
            min_compaction_size: ByteSize(128 << 20),
            discharger_period: SimDuration::from_secs(120),
            compaction_bandwidth: CompactionBandwidth {
                low: Bandwidth((50 << 20) as f64),
                high: Bandwidth((100 << 20) as f64),
            },
            block_encoding: BlockEncoding::None,
            placement: Placement::default(),
        }
    }
}
