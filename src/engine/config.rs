//! One fully resolved run.

use crate::client::ClientSpec;
use crate::cluster::{
    ClusterEvent, ClusterSpec, FileRules, Neighbour, TableSpec, TimedEvent, WrittenCells,
    server_capacity_per_second, servers_by,
};
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, RowKey};
use crate::policy::balance::Balancer;
use crate::policy::{MAJOR_CHECKS_EVERY, MemstoreRules, RegionPolicies, SplitPolicy, SplitSizes};
use crate::query::AccessPlan;
use crate::record::RecordGenerator;
use crate::storage::RowSize;
use crate::time::{SimDuration, SimTime};
use crate::workload::{LoadModel, Population, Workload, Write, WriteKind};
use std::sync::Arc;

/// No server writes so many times what its capacity foretells: over a run that fills a memstore the sum of its service times hardly varies.
const MORE_THAN_CAPACITY: f64 = 1.25;

/// Everything that one run needs.
#[derive(Debug, Clone)]
pub struct SimConfig {
    /// End of the warm-up.
    pub warmup: SimTime,
    /// Length of the run, warm-up included.
    pub duration: SimTime,
    /// Interval of series and skew.
    pub sample: SimDuration,
    /// What is written, when.
    pub workload: Arc<Workload>,
    /// The replicate's records and random numbers; strategies of one replicate share them all.
    pub generator: Arc<RecordGenerator>,
    /// The strategy's row key.
    pub key: Arc<KeyPlan>,
    /// Sorted, distinct, not empty keys: n points make n + 1 regions, which open where [`TableSpec::placement`] says.
    pub split_points: Arc<Vec<RowKey>>,
    /// Sorted start keys of the key map's buckets but the first; empty keeps no series.
    pub key_buckets: Arc<Vec<RowKey>>,
    /// The table of the key map: 0 is the table itself, c its copy c - 1.
    pub mapped_table: u32,
    /// Further copies of the table; a write writes its row to all of them.
    pub copies: Arc<Vec<TableCopy>>,
    /// How each read of the workload is served, in its order.
    pub reads: Arc<Vec<PlannedRead>>,
    /// The table's rows, for the numbers of rows that reads meet.
    pub population: Arc<Population>,
    /// Servers.
    pub cluster: ClusterSpec,
    /// Rows.
    pub table: TableSpec,
    /// What each write of the workload puts into a row, in its order.
    pub written: Arc<Vec<WrittenCells>>,
    /// How these cells fill store files.
    pub cells: Arc<StoredCells>,
    /// Clients.
    pub client: ClientSpec,
    /// How those of closed loops start, and where their operations go.
    pub closed: ClosedLoops,
    /// What the cluster does by itself, and what happens to it.
    pub changes: ClusterChanges,
    /// Operations that are generated, keyed and routed together; never changes a result. >= 1.
    pub batch: usize,
}

impl SimConfig {
    /// The row keys and the split points of the table itself and of its copies.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&KeyPlan, &Arc<Vec<RowKey>>)> {
        let copies = self.copies.iter();
        let copies = copies.map(|copy| (&*copy.key, &copy.split_points));
        std::iter::once((&*self.key, &self.split_points)).chain(copies)
    }

    /// The shortest and the longest qualifier that is written behind each row key; 0 and 0 where writes name their cells.
    fn qualifier_range(&self) -> (usize, usize) {
        self.cells.keys.first().map_or((0, 0), |cell| {
            let (row, cell) = (self.key.len_range(), cell.len_range());
            (cell.0 - row.0, cell.1 - row.1)
        })
    }

    /// Bytes of the qualifier behind each row key: the least where they vary.
    pub(super) fn qualifier_bytes(&self) -> usize {
        self.qualifier_range().0
    }

    /// The key of each cell is written, not only that of its row: of the table itself, then of each copy. Else empty.
    pub(super) fn cell_keys(&self) -> &[Arc<KeyPlan>] {
        let (shortest, longest) = self.qualifier_range();
        match self.follows_cells() || shortest < longest {
            true => &self.cells.keys,
            false => &[],
        }
    }

    /// A family of one version is incremented or appended to: its memstores replace what is there.
    pub(super) fn replaces(&self, family: usize) -> bool {
        let writes = self.workload.writes.iter().enumerate();
        let mut reading = writes.filter(|(_, write)| write.kind.reads_first());
        let of = |at: usize| self.written.get(at).map_or(0, |written| written.family);
        self.table.families[family].spec.versions == 1 && reading.any(|(at, _)| of(at) == family)
    }

    /// Deletes of a family are of all of its cells in a row: they name none, nor does the strategy.
    pub(super) fn deletes_rows(&self, family: usize) -> bool {
        let mut writes = self.workload.writes.iter().zip(self.written.iter());
        self.cells.keys.is_empty()
            && writes.any(|(write, written)| {
                let mut cells = written.cells.iter();
                write.kind == WriteKind::Delete
                    && written.family == family
                    && cells.all(|cell| cell.qualifier.is_empty())
            })
    }

    /// Files have to tell cells apart. They need not in a run that writes none: whose memstores can't be filled, grow old, or be written because
    /// their region closes.
    pub(super) fn follows_cells(&self) -> bool {
        let changes = &self.changes;
        let passes = |time: SimDuration| SimTime::ZERO + time < self.duration;
        let interval = self.table.memstore_flush_interval;
        let may_age = interval > SimDuration::ZERO && passes(interval);
        let may_move =
            changes.policies.balancer != Balancer::None && passes(changes.policies.balancer_period);
        let others = !changes.events.is_empty() || !changes.neighbours.is_empty();
        let has_majors = passes(MAJOR_CHECKS_EVERY);
        self.cells.follows
            && (others
                || may_age
                || may_move
                || has_majors
                || self.regions_may_divide()
                || self.memstores_may_fill())
    }

    /// What a server can write in the run is enough for a flush.
    fn memstores_may_fill(&self) -> bool {
        let writes = &self.workload.writes;
        let is_plain = |write: &Write| match write.load {
            LoadModel::Closed { buffer, .. } => buffer.is_none(),
            LoadModel::Open { .. } | LoadModel::Periodic(_) => true,
        };
        // What appends leave grows with each.
        let is_even = |write: &Write| is_plain(write) && !write.kind.reads_first();
        if !writes.iter().all(is_even) {
            return true;
        }
        let longest = |keys: &KeyPlan| keys.len_range().1 as u64;
        let key = self.keys().map(|(key, _)| longest(key)).max().unwrap_or(0);
        let qualifier = self.qualifier_range().1 as u64;
        let of_write = self.written.iter().map(|written| {
            let family = self.table.families[written.family].name.len() as u64;
            let cells = written.cells.iter();
            let cells =
                cells.map(|cell| (cell.qualifier.len() as u64 + qualifier, cell.value.bytes()));
            RowSize::of_cells(family, cells).memstore(key)
        });
        let heap = of_write
            .max()
            .unwrap_or_else(|| self.table.row_size().memstore(key));
        let capacity = server_capacity_per_second(&self.cluster, &self.table);
        let rows = capacity * self.duration.as_secs_f64() * MORE_THAN_CAPACITY;
        let rules = MemstoreRules::for_heap(self.cluster.heap.0);
        let least = (rules.server_bytes as f64 * rules.lower_limit)
            .min(self.table.memstore_flush_size.0 as f64);
        rows * heap as f64 > least
    }

    /// Tables of users: the table itself, its copies and its neighbours.
    pub fn tables(&self) -> u32 {
        (1 + self.copies.len() + self.changes.neighbours.len()) as u32
    }

    /// Servers, those included that join later; >= 1.
    pub fn servers_in_all(&self) -> u32 {
        let at_start = self.cluster.servers.max(1);
        servers_by(SimTime::MAX, at_start, &self.changes.events)
    }

    /// Some region of the table or of a copy may be split or merged in the run: then the engine keeps the keys of rows in flight.
    ///
    /// False when it is certain that none will be: nobody asks for it, and no region can grow to the smallest size at which the policy splits,
    /// since the write-ahead log of its server doesn't let more bytes through.
    pub fn regions_may_divide(&self) -> bool {
        let changes = &self.changes;
        let policies = &changes.policies;
        let by_hand = |timed: &TimedEvent| matches!(timed.event, ClusterEvent::Split(_));
        if policies.normalizer.is_some() || changes.events.iter().any(by_hand) {
            return true;
        }
        if let SplitPolicy::BusyRegion(rules) = &policies.split_policy
            && self.duration >= SimTime::ZERO + rules.busy_min_age
        {
            return true;
        }
        let sizes = split_sizes(&self.table);
        // The least: alone on its server, or not, with the least jitter.
        let thresholds =
            [1, 2].map(|regions| policies.split_policy.threshold(sizes, regions, -0.5));
        let Some(threshold) = thresholds.into_iter().flatten().min() else {
            return false;
        };
        let Some(wal) = &self.cluster.wal else {
            return true;
        };
        let fastest = changes.events.iter().map(|timed| match timed.event {
            ClusterEvent::Slow { times, .. } => 1.0 / times,
            _ => 1.0,
        });
        let fastest = fastest.fold(1.0, f64::max);
        let written = wal.bandwidth.0 * fastest * self.duration.as_secs_f64();
        let existing = changes.existing.iter().map(|table| table.bytes).max();
        STORE_FILE_GROWTH * written + existing.unwrap_or(0) as f64 > threshold as f64
    }
}

/// How the clients of closed loops start, and where their operations go.
#[derive(Debug, Clone)]
pub struct ClosedLoops {
    /// Those that don't think start within this time, evenly, rather than all at one instant.
    pub start_within: SimDuration,
    /// Of each region of the table, in key order: writes go there. Those that would go to others are left out, and the clients of a write take its operations
    /// in their order; empty where all count. Not of writes with a buffer.
    pub regions: Arc<Vec<bool>>,
}

impl Default for ClosedLoops {
    fn default() -> Self {
        Self {
            start_within: SimDuration::from_millis(1),
            regions: Arc::default(),
        }
    }
}

/// How the cells that a run writes fill store files, as far as it is known before it.
#[derive(Debug, Clone, Default)]
pub struct StoredCells {
    /// Row key and qualifier, where the strategy says both: of the table itself, then of each copy.
    pub keys: Vec<Arc<KeyPlan>>,
    /// Enough of them are written again, deleted or expire that files have to tell them apart, as far as flushes and compactions see it. Takes hashing
    /// each key.
    pub follows: bool,
    /// Of each family; those that are not here hold KeyValues as they are.
    pub files: Vec<FileRules>,
    /// Of each write, how often its cells are written; once those of writes that are not here.
    pub values: Vec<CellValues>,
}

/// How often the cells of a write are written: means over its rows. A cell that is appended to holds as many values, one behind the other.
#[derive(Debug, Clone, Copy)]
pub struct CellValues {
    /// Of before the run.
    pub before: f64,
    /// When it ends, those of the run; at least 1.
    pub of_run: f64,
}

impl CellValues {
    /// What an append writes while the run goes on: all that is there, and its own.
    pub fn written(self) -> f64 {
        self.before + (self.of_run + 1.0) / 2.0
    }
}

/// How much larger than its bytes in the write-ahead log a row gets in a store file, at most (estimate: block headers and indices).
const STORE_FILE_GROWTH: f64 = 1.25;

/// What the cluster does by itself, what happens to it, and who else uses it.
#[derive(Debug, Clone)]
pub struct ClusterChanges {
    /// What it does to its regions.
    pub policies: RegionPolicies,
    /// What happens to the cluster, in order of time.
    pub events: Arc<Vec<TimedEvent>>,
    /// Other tables on the same servers.
    pub neighbours: Arc<Vec<Neighbour>>,
    /// Rows written before the run: of the table itself, then of each copy; empty without any.
    pub existing: Arc<Vec<ExistingRows>>,
}

impl Default for ClusterChanges {
    /// Nothing changes: regions and servers stay as they are.
    fn default() -> Self {
        Self {
            policies: RegionPolicies::none(),
            events: Arc::default(),
            neighbours: Arc::default(),
            existing: Arc::default(),
        }
    }
}

/// Rows written before the run, of one table.
#[derive(Debug, Clone, Default)]
pub struct ExistingRows {
    /// Their number: of their cells where a qualifier tells these apart.
    pub rows: u64,
    /// Their bytes in store files.
    pub bytes: u64,
    /// Share of each family in the bytes; empty for one family.
    pub family_shares: Vec<f64>,
    /// Sorted keys of a sample of them, each standing for as many.
    pub sample: Arc<KeyBatch>,
    /// When these were written, in nanoseconds since the start of the run; empty where they don't expire.
    pub written_ns: Arc<Vec<i64>>,
    /// The regions that were split off while they were written, by their places in key order, in the order in which that happened; empty
    /// unless the table's placement is [`crate::cluster::Placement::Grown`].
    pub split_off: Arc<Vec<u32>>,
}

/// The sizes that a table is split by.
pub fn split_sizes(table: &TableSpec) -> SplitSizes {
    SplitSizes {
        max_file_bytes: table.max_file_size.0,
        flush_bytes: table.memstore_flush_size.0,
    }
}

/// A further copy of the table.
#[derive(Debug, Clone)]
pub struct TableCopy {
    /// Its row key.
    pub key: Arc<KeyPlan>,
    /// As [`SimConfig::split_points`]; each copy has a draw of the table's placement of its own, and is dealt when that is a list.
    pub split_points: Arc<Vec<RowKey>>,
}

/// How one read is served.
#[derive(Debug, Clone)]
pub struct PlannedRead {
    /// 0: the table itself; c: copy c - 1.
    pub table: usize,
    /// Its access path.
    pub plan: Arc<AccessPlan>,
    /// Mean size of a cell of that table: its KeyValue.
    pub cell_bytes: f64,
    /// How long a Get of it is expected to take a handler.
    pub get_work: SimDuration,
    /// Sorted keys of rows of that table, each standing for as many: how a scan's rows lie over the regions that it crosses.
    pub row_sample: Arc<KeyBatch>,
}
