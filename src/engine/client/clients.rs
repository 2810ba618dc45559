//! All clients of a run, and what they have in common.

use super::closed_loop::ClosedLoop;
use super::neighbours::Neighbours;
use super::open_loop::OpenLoop;
use super::reads::Reads;
use super::write_buffers::WriteBuffers;
use crate::client::{BackOff, BufferedRow};
use crate::engine::attempt_draws::AttemptDraws;
use crate::engine::config::SimConfig;
use crate::engine::table::routing::RoutedRow;
use crate::engine::table::tables::Tables;
use crate::keyspace::RowKey;
use crate::random::Stream;
use crate::time::SimTime;
use crate::workload::{OperationBatch, OperationId, WriteKind};

/// The clients of the workload, and those of neighbours.
#[derive(Debug)]
pub struct Clients {
    pub(super) open: OpenLoop,
    pub(super) closed: ClosedLoop,
    pub(super) buffers: WriteBuffers,
    pub(super) reads: Reads,
    pub(super) neighbours: Neighbours,
    /// Of each write: it increments.
    pub(super) increments: Vec<bool>,
    pub(super) back_off: BackOff,
    pub(super) back_off_draws: AttemptDraws,
    /// When the last operation was completed or given up.
    pub(super) last_outcome: SimTime,
    /// One operation or one batch of them that is being routed; kept for its memory.
    pub(super) issued: OperationBatch,
    /// Where one write goes besides the table itself, with the keys of the rows; kept for its memory.
    pub(super) copied_rows: Vec<(RoutedRow, u32)>,
    /// RPCs that are sent together; kept for its memory.
    pub(super) sent: Vec<u32>,
}

impl Clients {
    /// Adds the regions of neighbours to those of the tables.
    pub fn new(config: &SimConfig, tables: &mut Tables<'_>) -> Self {
        let (seed, replicate) = (config.seed, config.replicate);
        let mut buffers = WriteBuffers::default();
        let writes = config.workload.writes.iter();
        Self {
            open: OpenLoop::new(config),
            closed: ClosedLoop::new(config, &mut buffers),
            buffers,
            reads: Reads::new(config, &tables.routers),
            neighbours: Neighbours::new(config, &mut tables.regions),
            increments: writes
                .map(|write| write.kind == WriteKind::Increment)
                .collect(),
            back_off: BackOff::new(config.client.pause, config.cluster.network),
            back_off_draws: AttemptDraws::new(seed, replicate, Stream::BackOff),
            last_outcome: SimTime::ZERO,
            issued: OperationBatch::default(),
            copied_rows: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// When the next open-loop write is sent; [`SimTime::MAX`] when there is none.
    #[inline]
    pub fn next_open(&self) -> SimTime {
        self.open.next_time()
    }

    /// When the last operation was completed or given up.
    pub fn last_outcome(&self) -> SimTime {
        self.last_outcome
    }

    /// Some operation has been completed or given up at `at`.
    #[inline]
    pub(super) fn outcome(&mut self, at: SimTime) {
        self.last_outcome = self.last_outcome.max(at);
    }

    /// An operation of a write increments its row.
    #[inline]
    pub(super) fn increments(&self, operation: OperationId) -> bool {
        self.increments[usize::from(operation.write().0)]
    }

    /// The rows in the write buffer of a client.
    pub fn rows_of(&mut self, client: u32) -> &mut [BufferedRow] {
        let place = self.closed.writers[client as usize].buffer;
        self.buffers.get_mut(place).rows_mut()
    }

    /// Rows in buffers and flushes that have neither a reply nor failed.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        self.buffers.unfinished_rows()
    }

    /// A region has been divided at `row`: those who look ahead find theirs again.
    pub fn region_divides(
        &mut self,
        parent: u32,
        (lower, upper): (u32, u32),
        row: &RowKey,
        tables: &Tables<'_>,
    ) {
        let table = tables.regions.get(parent).table;
        self.reads
            .region_divides(table, parent, (lower, upper), row);
        self.open
            .route_again(table, tables, |region| region == parent);
    }

    /// Two neighbours have become one region.
    pub fn regions_unite(&mut self, (lower, upper): (u32, u32), merged: u32, tables: &Tables<'_>) {
        let table = tables.regions.get(lower).table;
        self.reads.regions_unite(table, (lower, upper), merged);
        let gone = |region| region == lower || region == upper;
        self.open.route_again(table, tables, gone);
    }
}
