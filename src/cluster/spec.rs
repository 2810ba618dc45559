//! The description of a cluster and its table, with HBase's defaults.

use super::Placement;
use super::family::{CellSpec, Family, WrittenCells, of_table};
use crate::settings::{
    FromSource, Source, bandwidth, integer, json, list_of_texts, number, size, table, text, time,
    word,
};
use crate::storage::{BlockEncoding, Bloom, RowSize};
use crate::text::words;
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize};

crate::settings! {
    /// The region servers.
    pub struct ClusterSpec: CLUSTER("cluster", "") {
        /// How many region servers there are.
        servers: u32 [read_servers] = integer(1, i64::MAX).or("8"),
        /// Handlers of each server: so many calls it works on at a time (`hbase.regionserver.handler.count`).
        handlers: u32 = integer(1, 100_000),
        /// Call queues of each server, at most as many as handlers (`hbase.ipc.server.callqueue.handler.factor`). Default: a tenth of the handlers.
        call_queues: u32 [read_call_queues] = integer(1, i64::MAX),
        /// How many calls each queue holds; more are refused. Default: ten times the handlers.
        ///
        /// `u32::MAX` is unlimited (`hbase.ipc.server.max.callqueue.length`, 10 x handlers in all three queues of 300).
        call_queue_length: u32 [read_call_queue_length] = json(
            r#""anyOf": [{ "type": "integer", "minimum": 1, "maximum": 4294967294 }, { "enum": ["unlimited"] }]"#,
        ),
        /// How long a call or its answer travels, one way.
        ///
        /// An estimate.
        network: SimDuration = time().or("0.25ms").within(
            "", "60s", "a network of more than a minute", "at most 60s, one way",
        ),
        /// The heap of each server, of which its memstores may take 40 %.
        heap: ByteSize = size().or("16GB"),
        /// Flushes and compactions of one server share it.
        ///
        /// An estimate.
        disk_bandwidth: Bandwidth = bandwidth().or("200MB/s"),
        /// How long a split takes its region offline.
        ///
        /// An estimate.
        split_offline: SimDuration = time().or("1s").within(
            "", "1d", "`cluster.split_offline` is {}", "must be at most 1d",
        ),
        /// How long a move takes its region offline.
        ///
        /// An estimate.
        move_offline: SimDuration = time().or("0.5s").within(
            "", "1d", "`cluster.move_offline` is {}", "must be at most 1d",
        ),
        /// From a crash to the moment at which the master knows.
        ///
        /// `zookeeper.session.timeout`, capped by ZooKeeper's own 40 s.
        failure_detection: SimDuration = time().within(
            "", "1d", "`cluster.failure_detection` is {}", "must be at most 1d",
        ),
        /// How long a handler is busy with a call.
        service: ServiceSpec = table(&SERVICE),
        /// The write-ahead log of a server.
        ///
        /// `None` leaves it out.
        wal: Option<WalSpec> = table(&WAL),
    }
}

crate::settings! {
    /// How long a handler is busy with a call.
    ///
    /// A call takes X * base + (rows - 1) * per-row time + (cells - rows) * per-cell time where it reads, X of mean 1 drawn once a call; a multi-Get is worked through Get by Get, each with its
    /// own X. All times are estimates.
    pub struct ServiceSpec: SERVICE("", "") in "cluster.service" {
        /// The law by which base times vary from call to call.
        distribution: ServiceLaw = word(&["constant", "exponential", "lognormal"]).or("exponential"),
        /// Base time of a put.
        put: SimDuration = time().or("0.3ms").within(
            "", "1h", "no service time of a put", "must be longer than zero, and at most 1h",
        ).zero(false),
        /// Each further row of a call.
        write_row: SimDuration = time().or("5us").within("", "1h", "no service time of a row", "must be at most 1h"),
        /// Base time of a Get.
        get: SimDuration = time().or("1.2ms").within(
            "", "1h", "no service time of a Get", "must be longer than zero, and at most 1h",
        ).zero(false),
        /// Base time of a scanner's call.
        scan: SimDuration = time().or("1.2ms").within(
            "", "1h", "no service time of a scanner's call", "must be longer than zero, and at most 1h",
        ).zero(false),
        /// Each row that a scan reads.
        scan_row: SimDuration = time().or("1us").within("", "1h", "no service time of a row", "must be at most 1h"),
        /// Each further cell of a row that a Get or a scan reads.
        ///
        /// A quarter of a row, which a cell is no end of: four million cells a second and handler.
        scan_cell: SimDuration = time().or("0.25us").within("", "1h", "no service time of a cell", "must be at most 1h"),
        /// Share of reads that are served from memory.
        ///
        /// Of the Gets that find a row, and of the scanners' calls; the others add `disk_read`.
        cache_hit: f64 = number("in [0, 1]", 0.0, 1.0, (true, true)).or("1.0"),
        /// What the other reads add: of a block of 64 KB.
        disk_read: SimDuration = time().or("4ms").within(
            "", "1h", "no service time of a read from disk", "must be at most 1h",
        ),
    } and {
        /// Of `lognormal`: standard deviation over mean.
        cv = number("greater than 0, and at most 100", 0.0, 100.0, (false, true))
            .or("1.0").of("distribution", &["lognormal"]),
    }
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

crate::settings! {
    /// The write-ahead log of a server.
    ///
    /// Group commit: a sync is acknowledged max(sync, bytes / bandwidth) after it was sent.
    pub struct WalSpec: WAL("", "") in "cluster.wal" {
        /// From sending a sync to its acknowledgement.
        ///
        /// An estimate; it gives HBase's published 20,000 puts/s a server: 30 handlers / (0.3 ms + 1.2 ms).
        sync: SimDuration = time().or("1.2ms").within("", "1h", "no time of a sync", "must be at most 1h"),
        /// What the log writes a second.
        ///
        /// The book's 5 to 15 MB/s a server.
        bandwidth: Bandwidth = bandwidth().or("10MB/s"),
        /// `pipelined`: the next sync is sent when the bytes of the one before are written; `single`: when it is acknowledged.
        syncs: LogSyncs = word(LogSyncs::WORDS),
    } and {
        /// `off` leaves it out.
        mode = word(&["on", "off"]).or("on"),
    }
}

words! {
    /// When a log sends its next sync.
    // As wide as what it lies among: of a byte the padding would be copied in parts, which waits until they have been written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u64)]
    pub enum LogSyncs {
        /// When the bytes of the one before are written, whether it is acknowledged or not (HBase: `AsyncFSWAL.consume`).
        Pipelined = "pipelined",
        /// When the one before is acknowledged: one at a time, as stores with a single log writer.
        Single = "single",
    }
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

crate::settings! {
    /// The table; a strategy may set any of it for itself.
    ///
    /// What its rows are made of, and when its stores are flushed, compacted and split.
    pub struct TableSpec: TABLE("", "") in "table" {
        /// The column family, where no `[family.x]` is declared.
        family: String = text(r#""minLength": 1, "maxLength": 127"#).or("d"),
        /// A cell each in every row.
        qualifiers: Vec<String> = list_of_texts().or("[\"v\"]"),
        /// Of each cell; at most 10MB.
        value: ByteSize = size().or("100B").within(
            "", "10MB", "a value of {}", "at most 10MB (`hbase.client.keyvalue.maxsize`)",
        ),
        /// `hbase.hregion.max.filesize`, at least 1MB.
        ///
        /// Size from which on a store is split.
        max_file_size: ByteSize = size().within(
            "1MB", "", "a `max_file_size` of {}", "expected at least 1MB",
        ),
        /// `hbase.hregion.memstore.flush.size`, at least 1MB.
        ///
        /// Heap of a memstore from which on it is flushed.
        memstore_flush_size: ByteSize = size().within(
            "1MB", "", "a `memstore_flush_size` of {}", "expected at least 1MB",
        ),
        /// `hbase.regionserver.optionalcacheflushinterval`: older memstores are flushed; `0s` is never.
        ///
        /// Age of a memstore's oldest row from which on it is flushed, however small it is.
        memstore_flush_interval: SimDuration = time().within(
            "1s", "365d", "a `memstore_flush_interval` of {}", "must be in 1s ..= 365d, or `0s` for never",
        ).zero(true),
        /// How data blocks are encoded on disk.
        ///
        /// `DATA_BLOCK_ENCODING`.
        block_encoding: BlockEncoding = word(BlockEncoding::WORDS),
        /// A region refuses writes at so many times its flush size.
        ///
        /// `RegionTooBusy` (`hbase.hregion.memstore.block.multiplier`).
        memstore_block_multiplier: u32 = integer(1, 1_000),
        /// `hbase.hstore.blockingStoreFiles`: flushes wait for compactions.
        blocking_store_files: u32 = integer(1, 1_000_000),
        /// `hbase.hstore.compaction.min.size`, at least 1MB: files smaller than this together are compacted whatever their ratio.
        ///
        /// hbase-default.xml sets it to 128 MB, so that it does not follow the flush size.
        min_compaction_size: ByteSize = size().within(
            "1MB", "", "a `min_compaction_size` of {}", "expected at least 1MB",
        ),
        /// `hbase.hfile.compaction.discharger.interval`, 1ms to 1d: a daughter can't split before its compacted references are archived.
        discharger_period: SimDuration = time().within(
            "1ms", "1d", "a `discharger_period` of {}", "must be in 1ms ..= 1d",
        ),
        /// What compactions of a server may write.
        compaction_bandwidth: CompactionBandwidth = table(&COMPACTION_BANDWIDTH),
        /// The servers on which regions open. dealt: as many on each, give or take one, which ones by chance; in-order: in turn, in key order;
        /// grown: a dealt pre-split, daughters on their parent's server, moved until counts are even; or the server of each region, from 0, in key order.
        ///
        /// A list is that of the table itself: its further copies are dealt then. Whoever knows how many servers there are reads it.
        placement: Placement [unread] = json(
            r#""anyOf": [{ "enum": ["dealt", "in-order", "grown"] }, { "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 0 } }]"#,
        ).or("dealt"),
    } beside {
        /// Its column families, at least one; where the scenario declares none, the one that `family`, `value` and `block_encoding` describe. Where it
        /// does, those three are as in the first of them.
        families: Vec<Family> [of_table],
    }
}

/// HBase's default for a block of data, which `disk_read` is of.
const USUAL_BLOCK: u64 = 64 << 10;

impl TableSpec {
    /// How long a row is there at least in part: the longest of the families' times to live; `None` where some family keeps its cells for ever.
    pub fn row_ttl(&self) -> Option<SimDuration> {
        let all: Option<Vec<SimDuration>> = self.families.iter().map(|it| it.spec.ttl).collect();
        all?.into_iter().max()
    }

    /// What a write puts into a row that says nothing of its cells: one of each qualifier with the value of a family.
    pub fn cells_of(&self, family: usize) -> WrittenCells {
        let cell = |qualifier: &String| CellSpec {
            qualifier: qualifier.clone(),
            value: self.families[family].spec.value.clone(),
        };
        WrittenCells {
            family,
            cells: self.qualifiers.iter().map(cell).collect(),
        }
    }

    /// The service times of its servers: `disk_read` is that of a block of 64 KB, and what the largest blocks of its families are longer or shorter takes the
    /// disk its bandwidth's time (estimate; of blocks as they were before they were encoded and compressed, for they are unpacked, too).
    pub fn service(&self, cluster: &ClusterSpec) -> ServiceSpec {
        let blocks = self.families.iter().map(|it| it.spec.block_size.0);
        let block = blocks.max().unwrap_or(USUAL_BLOCK) as f64 - USUAL_BLOCK as f64;
        let usual = cluster.service.disk_read.as_nanos() as f64;
        let nanos = usual + block * 1e9 / cluster.disk_bandwidth.0;
        ServiceSpec {
            disk_read: SimDuration::from_nanos(nanos.max(0.0) as u64),
            ..cluster.service.clone()
        }
    }

    /// Of Gets of which a share of `found` find their row, the share that the Bloom filters of some family let pass: a filter of rows those of rows that are
    /// there, one of rows with qualifiers those whose column is there, if they name one; of rows as a whole it knows nothing
    /// (`StoreFileReader.passesBloomFilter`). `named`: how many of the columns that Gets name their rows have, on average, if they name any.
    pub fn passed_gets(&self, found: f64, named: Option<f64>) -> f64 {
        let passed = |family: &Family| match (family.spec.bloom, named) {
            (Bloom::Row, _) => found,
            (Bloom::Rowcol, Some(cells)) => found * cells.min(1.0),
            (Bloom::None, _) | (Bloom::Rowcol, None) => 1.0,
        };
        self.families.iter().map(passed).fold(0.0, f64::max)
    }

    /// What its rows weigh.
    pub fn row_size(&self) -> RowSize {
        let qualifiers = self.qualifiers.iter().map(String::as_str);
        RowSize::new(self.family.len() as u64, qualifiers, self.value.0)
    }
}

crate::settings! {
    /// What compactions of a server may write.
    ///
    /// From `low` without pressure to `high` near the blocking number of files.
    #[derive(Copy)]
    pub struct CompactionBandwidth: COMPACTION_BANDWIDTH("", "") in "table.compaction_bandwidth" {
        /// What compactions may write a second as long as there are few files.
        ///
        /// `hbase.hstore.compaction.throughput.lower.bound`.
        low: Bandwidth = bandwidth(),
        /// What they may write near the blocking number of files.
        ///
        /// `hbase.hstore.compaction.throughput.higher.bound`.
        high: Bandwidth = bandwidth(),
    }
}

/// Servers beyond 32 bits are refused for their memory.
fn read_servers(source: &dyn Source) -> u32 {
    u32::try_from(i64::read(source, "servers")).unwrap_or(u32::MAX)
}

/// HBase: 0.1 queues a handler.
fn read_call_queues(source: &dyn Source) -> u32 {
    let handlers = i64::read(source, "handlers");
    source.whole_number("call_queues", handlers, (handlers / 10).max(1)) as u32
}

/// HBase: 10 calls a handler.
fn read_call_queue_length(source: &dyn Source) -> u32 {
    let key = "call_queue_length";
    if let Some(text) = source.text_of(key) {
        if text != "unlimited" {
            let message = format!("`{text}` is no length of a queue");
            source.complain_of(key, message, "expected a number of calls, or `unlimited`");
        }
        return u32::MAX;
    }
    let handlers = i64::read(source, "handlers");
    source.whole_number(key, i64::from(u32::MAX) - 1, handlers * 10) as u32
}

fn unread(_: &dyn Source) -> Placement {
    Placement::default()
}

impl FromSource for ServiceLaw {
    fn read_all(_: &dyn Source) -> Self {
        unreachable!("a law is no table")
    }

    fn read(source: &dyn Source, key: &'static str) -> Self {
        match source.choose(key) {
            Some("constant") => Self::Constant,
            Some("lognormal") => Self::Lognormal {
                cv: f64::read(source, "cv"),
            },
            _ => Self::Exponential,
        }
    }
}

impl FromSource for Option<WalSpec> {
    fn read_all(source: &dyn Source) -> Self {
        let on = source.choose("mode") != Some("off");
        let log = WalSpec::read_all(source);
        on.then_some(log)
    }
}
