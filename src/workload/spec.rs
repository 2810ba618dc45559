//! The description of a workload, validated elsewhere. Must not draw anything.

use crate::record::{Distribution, FieldId, KnownField};
use crate::time::{EpochNanos, SimDuration, SimTime};
use crate::units::{ByteSize, PerSecond};
use std::sync::Arc;

/// A write by its position in [`Workload::writes`]; at most 256 writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId(pub u8);

/// One logical operation, the same under every strategy: the write in the top 8 bits, its index within the write in
/// the other 56 (closed loop: `k * clients + client` for the k-th operation of a client).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u64);

impl OperationId {
    /// The `index`-th operation of a write; `index` < 2^56.
    pub fn new(write: WriteId, index: u64) -> Self {
        debug_assert!(index < 1 << 56);
        Self(u64::from(write.0) << 56 | index)
    }

    /// The `index`-th operation of a read of a workload of `writes` writes: reads are numbered after the writes. `index` < 2^56.
    pub fn of_read(read: ReadId, writes: usize, index: u64) -> Self {
        Self::new(WriteId(read.0 + writes as u8), index)
    }

    /// Its write.
    pub fn write(self) -> WriteId {
        WriteId((self.0 >> 56) as u8)
    }

    /// Its index within the write.
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
    /// Reads find no rows that were written longer before the run: these have expired. `None` where they find all.
    pub kept_for: Option<SimDuration>,
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
    /// Of either, what the busiest server lets them take under a strategy's key: 1 where they share the rows evenly.
    pub part: f64,
}

impl Default for ClosedLoopLimits {
    /// No limit but the response time of an idle server with default settings: 0.3 ms of service, 1.2 ms of log sync and twice 0.25 ms of network.
    fn default() -> Self {
        Self {
            idle_response: SimDuration::from_nanos(2_000_000),
            rows_per_sec: f64::INFINITY,
            buffered_rows_per_sec: f64::INFINITY,
            part: 1.0,
        }
    }
}

/// One stream of writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Its name in the file.
    pub name: String,
    /// What it does at the server.
    pub kind: WriteKind,
    /// What makes operations happen.
    pub load: LoadModel,
    /// Fields fixed for all its records, as slots.
    pub with: Vec<(FieldId, i64)>,
    /// Operations a second that the store lets clients of a closed loop do under a strategy's key; infinite where nothing but the servers' number limits them.
    pub most_per_sec: f64,
}

crate::text::words! {
    /// What a write does at the server.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WriteKind {
        /// A plain put.
        Put = "put",
        /// Holds its row exclusively from the start of its service to the end of its WAL sync.
        Increment = "increment",
        /// The same, and the value grows: what is written stands behind what was there.
        Append = "append",
        /// Of the row's cells of a family, or of one cell where the strategy has a qualifier: a marker that hides them.
        Delete = "delete",
    }
}

impl WriteKind {
    /// It reads what is there before it writes, and holds the row meanwhile; each is a call of its own.
    pub const fn reads_first(self) -> bool {
        matches!(self, Self::Increment | Self::Append)
    }
}

/// What makes a write's operations happen.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadModel {
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
    Periodic(Periodic),
}

impl LoadModel {
    /// Its rate is another at other times.
    pub fn changes_rate(&self) -> bool {
        matches!(self, Self::Open { profile, .. } if !profile.is_empty())
    }

    /// The finite set of rows that it writes, if it is one.
    pub fn import(&self) -> Option<&Import> {
        match self {
            Self::Open { import, .. } | Self::Closed { import, .. } => import.as_ref(),
            Self::Periodic(_) => None,
        }
    }

    /// Fields of which its rows hold every combination as often.
    pub fn each(&self) -> &[FieldId] {
        match (self, self.import()) {
            (Self::Periodic(periodic), _) => &periodic.each,
            (_, import) => import.map_or(&[], |import| import.rows.each()),
        }
    }
}

crate::text::words! {
    /// Law of the times between open-loop operations.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Arrivals {
        /// Exponential gaps.
        Poisson = "poisson",
        /// Equal gaps.
        Constant = "constant",
    }
}

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

impl Think {
    /// Its mean.
    pub fn mean(self) -> SimDuration {
        match self {
            Self::Constant(mean) | Self::Exponential(mean) => mean,
        }
    }
}

/// Every combination of the values of `each` writes once in every period.
#[derive(Debug, Clone, PartialEq)]
pub struct Periodic {
    /// The fields whose values are combined; never `timestamp`, `sequence` or `double`.
    pub each: Vec<FieldId>,
    /// Length of the period.
    pub every: SimDuration,
    /// When in the period.
    pub phase: Phase,
    /// Each beat is moved by a uniform time in [0, jitter].
    pub jitter: SimDuration,
}

crate::text::words! {
    /// When in its period a combination beats.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Phase {
        /// Spread evenly over the period, in a random order that is the same in every period.
        Spread = "spread",
        /// All at its start.
        Aligned = "aligned",
    }
}

/// A finite set of records written through the front door; the write ends with the last of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Which records.
    pub rows: ImportRows,
    /// In which order.
    pub order: ImportOrder,
    /// Of an open loop, when each is written, ascending, if its rate does not say that.
    pub times: Option<Arc<[SimTime]>>,
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

/// A read by its position in [`Workload::reads`]; writes and reads together are at most 256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(pub u8);

/// One stream of reads. Each asks for a record of the table, the target: its fields are what the reader knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    /// Its name in the file.
    pub name: String,
    /// Fields of which the reader knows the target's value.
    pub equal: Vec<KnownField>,
    /// Fields of which the reader knows several values.
    pub within: Vec<Within>,
    /// A field of which the reader knows a range.
    pub range: Option<ReadRange>,
    /// Only the newest rows are wanted.
    pub newest: Option<Newest>,
    /// One page of a sorted list is wanted.
    pub page: Option<Page>,
    /// Fields fixed for all its targets, as slots; known to the reader.
    pub with: Vec<(FieldId, i64)>,
    /// Laws that replace those of fields of the target.
    pub pick: Vec<(FieldId, PickDistribution)>,
    /// What makes it happen; `None`: planned and costed, not issued.
    pub load: Option<ReadLoadModel>,
}

impl Read {
    /// A read by the values of these fields alone, planned and not issued.
    pub fn planned(name: &str, equal: Vec<KnownField>) -> Self {
        Self {
            name: name.to_owned(),
            equal,
            ..Self::default()
        }
    }

    /// Fields of which the reader knows the target's value, as often as it says so.
    pub fn known(&self) -> impl Iterator<Item = KnownField> {
        let fixed = self.with.iter();
        let fixed = fixed.map(|(field, _)| KnownField::Stored(*field));
        self.equal.iter().copied().chain(fixed)
    }

    /// The stored ones of them.
    pub(super) fn known_stored(&self) -> impl Iterator<Item = FieldId> {
        self.known().filter_map(|field| match field {
            KnownField::Stored(field) => Some(field),
            KnownField::Derived(_) => None,
        })
    }

    /// Fields of which a law says what is asked for, not a row.
    pub fn picked_by_law(&self) -> impl Iterator<Item = FieldId> {
        self.pick.iter().filter_map(|(field, pick)| match pick {
            PickDistribution::Distribution(_) => Some(*field),
            PickDistribution::Latest { .. } | PickDistribution::Last(_) => None,
        })
    }

    /// Fields in whose order it wants rows: a range, the newest, or a page.
    pub fn ordered(&self) -> impl Iterator<Item = KnownField> {
        let range = self.range.iter().map(|range| range.field);
        let newest = self.newest.iter().map(|newest| newest.field);
        let page = self.page.iter().map(|page| page.field);
        range.chain(newest).chain(page)
    }
}

/// A list of values of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// The field.
    pub field: FieldId,
    /// Which values.
    pub values: WithinValues,
}

/// Values of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithinValues {
    /// So many different ones (the target's and others by the field's law, or its `pick`), >= 1.
    Count(u32),
    /// All that go with the target's `equal` fields.
    All,
}

/// A range of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadRange {
    /// The field.
    pub field: KnownField,
    /// How far.
    pub extent: RangeExtent,
}

/// How far a range goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeExtent {
    /// Of a timestamp (or a field derived from one): from `ago + last` before the read's instant up to `ago` before it.
    Last { last: SimDuration, ago: SimDuration },
    /// From the target's value on, so many values of the field.
    Span(u64),
}

/// The newest rows by a field that follows time.
#[derive(Debug, Clone, PartialEq)]
pub struct Newest {
    /// The field.
    pub field: KnownField,
    /// How many rows, >= 1.
    pub rows: u32,
}

/// A page of rows sorted by a field, greatest value first.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The field.
    pub field: KnownField,
    /// Rows of a page, >= 1.
    pub size: u32,
    /// Which page, from 1.
    pub number: u32,
    /// How it is found.
    pub via: PageVia,
}

crate::text::words! {
    /// How a page is found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PageVia {
        /// The reader continues behind the last row of the page before.
        Cursor = "cursor",
        /// Everything before the page is read and dropped.
        Offset = "offset",
        /// An index outside the table names the rows of the page.
        Index = "index",
    }
}

/// How a field of the target is drawn, instead of from the rows of the table.
#[derive(Debug, Clone, PartialEq)]
pub enum PickDistribution {
    /// By this law over the field's values.
    Distribution(Distribution),
    /// Of a sequence or timestamp: the r-th newest row with a weight of r^-exponent.
    Latest { exponent: f64 },
    /// Of a timestamp: a row of so long before the read's instant.
    Last(SimDuration),
}

/// What makes reads happen.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadLoadModel {
    /// Open loop.
    Open {
        rate: PerSecond,
        arrivals: Arrivals,
        profile: Vec<ProfilePoint>,
    },
    /// Closed loop: each client waits for its read.
    Closed { clients: u32, think: Think },
}
