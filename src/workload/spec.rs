//! The description of a workload, validated elsewhere. Must not draw anything.

use super::{Read, ReadId};
use crate::record::FieldId;
use crate::time::{EpochNanos, SimDuration};
use crate::units::{ByteSize, PerSecond};

/// A write by its position in [`Workload::writes`]; at most 256 writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId(pub u8);

/// One logical operation, the same under every strategy: the write in the top 8 bits, its index within the write in
/// the other 56 (closed loop: `k * clients + client` for the k-th operation of a client).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u64);

impl OperationId {
    /// The `index`-th operation of a write; `index` < 2^56.
    #[inline]
    pub fn new(write: WriteId, index: u64) -> Self {
        debug_assert!(index < 1 << 56);
        Self(u64::from(write.0) << 56 | index)
    }

    /// The `index`-th operation of a read of a workload of `writes` writes: reads are numbered after the writes. `index` < 2^56.
    #[inline]
    pub fn of_read(read: ReadId, writes: usize, index: u64) -> Self {
        Self::new(WriteId(read.0 + writes as u8), index)
    }

    /// Its write.
    #[inline]
    pub fn write(self) -> WriteId {
        WriteId((self.0 >> 56) as u8)
    }

    /// Its index within the write.
    #[inline]
    pub fn index(self) -> u64 {
        self.0 & ((1 << 56) - 1)
    }
}

/// Everything that is intended to happen, and what was written before.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Calendar instant at which the run starts.
    pub start: EpochNanos,
    /// Simulated length of the run; arrivals stop then.
    pub duration: SimDuration,
    /// In file order.
    pub writes: Vec<Write>,
    /// Rows that the table holds before the run.
    pub existing: Vec<Existing>,
    /// In file order.
    pub reads: Vec<Read>,
    /// How much its closed loops can write.
    pub closed_loops: ClosedLoopLimits,
}

/// What holds closed loops up: how long a client waits for its next put, and how many rows the whole cluster takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedLoopLimits {
    /// From a client's put to its reply when nobody else writes.
    pub idle_response: SimDuration,
    /// Rows that all servers take when each row is a call.
    pub rows_per_sec: f64,
    /// Rows that all servers take when calls carry many.
    pub buffered_rows_per_sec: f64,
}

impl Default for ClosedLoopLimits {
    /// No limit but the response time of an idle server with default settings: 0.3 ms of service, 1.2 ms of log sync and twice 0.25 ms of network.
    fn default() -> Self {
        Self {
            idle_response: SimDuration::from_nanos(2_000_000),
            rows_per_sec: f64::INFINITY,
            buffered_rows_per_sec: f64::INFINITY,
        }
    }
}

/// One stream of writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Its name in the file.
    pub name: String,
    /// Put or increment.
    pub kind: WriteKind,
    /// What makes operations happen.
    pub drive: Drive,
    /// Fields fixed for all its records, as slots.
    pub with: Vec<(FieldId, i64)>,
}

/// What a write does at the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteKind {
    /// A plain put.
    Put,
    /// Holds its row exclusively from the start of its service to the end of its WAL sync.
    Increment,
}
crate::settings::choice!(WriteKind { Put = "put", Increment = "increment" });

/// What makes a write's operations happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Drive {
    /// Open loop: operations start at intended times whatever happens.
    Open {
        rate: PerSecond,
        arrivals: Arrivals,
        profile: Vec<ProfilePoint>,
        import: Option<Import>,
    },
    /// Closed loop: each client waits for its call, or for the flush of its buffer.
    Closed {
        clients: u32,
        think: Think,
        buffer: Option<ByteSize>,
        import: Option<Import>,
    },
    /// A beat of each combination of fields.
    Beat(Beat),
}

impl Drive {
    /// The finite set of rows that it writes, if it is one.
    pub fn import(&self) -> Option<&Import> {
        match self {
            Self::Open { import, .. } | Self::Closed { import, .. } => import.as_ref(),
            Self::Beat(_) => None,
        }
    }
}

/// Law of the times between open-loop operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps.
    Constant,
}
crate::settings::choice!(Arrivals { Poisson = "poisson", Constant = "constant" });

/// The rate is multiplied by `times` at `at`; linear between points, constant before the first and after the last; two points
/// at one instant are a step. Sorted by `at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfilePoint {
    /// Since the start of the run.
    pub at: SimDuration,
    /// >= 0.
    pub times: f64,
}

/// Time that a client waits between a reply and its next operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Think {
    /// Always so long (zero by default).
    Constant(SimDuration),
    /// Exponential with this mean.
    Exponential(SimDuration),
}

/// Every combination of the values of `each` writes once in every period.
#[derive(Debug, Clone, PartialEq)]
pub struct Beat {
    /// The fields whose values are combined; never `timestamp`, `sequence` or `double`.
    pub each: Vec<FieldId>,
    /// Length of the period.
    pub every: SimDuration,
    /// When in the period.
    pub phase: Phase,
    /// Each beat is moved by a uniform time in [0, jitter].
    pub jitter: SimDuration,
}

/// When in its period a combination beats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Spread evenly over the period, in a random order that is the same in every period.
    Spread,
    /// All at its start.
    Aligned,
}
crate::settings::choice!(Phase { Spread = "spread", Aligned = "aligned" });

/// A finite set of records written through the front door; the write ends with the last of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Which records.
    pub rows: ImportRows,
    /// In which order.
    pub order: ImportOrder,
}

/// Which records an import holds.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportRows {
    /// `records` drawn from the fields' laws, their times spread evenly over `last` before the start of the run (zero: all
    /// at the operation's own time).
    Drawn { records: u64, last: SimDuration },
    /// Each combination of `each`, once in every `every` of `last` before the start; or once in all, at the operation's own
    /// time, when `every` is `None`.
    Each {
        each: Vec<FieldId>,
        every: Option<SimDuration>,
        last: SimDuration,
    },
}

/// Order of an import's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOrder {
    /// By time, then by combination.
    Time,
    /// A random permutation of all.
    Shuffled,
    /// By the value of one field (as text or number), then by time.
    By(FieldId),
}

/// Rows written before the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Existing {
    /// The name of the write that they continue, or their own.
    pub name: String,
    /// The write of that name, whose sequence continues after them.
    pub write: Option<WriteId>,
    /// Which rows.
    pub rows: ExistingRows,
    /// Fields fixed for all of them.
    pub with: Vec<(FieldId, i64)>,
}

/// Which rows exist: the same two forms as an import's.
pub type ExistingRows = ImportRows;
