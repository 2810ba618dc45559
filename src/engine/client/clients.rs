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
            back_off_draws: AttemptDraws::new(&config.generator, Stream::BackOff),
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

    /// The write buffer of a client.
    #[inline]
    pub fn buffer_of(&self, client: u32) -> u32 {
        self.closed.writers[client as usize].buffer
    }

    /// The rows in a write buffer.
    #[inline]
    pub fn rows(&mut self, buffer: u32) -> &mut [BufferedRow] {
        self.buffers.get_mut(buffer).rows_mut()
    }

    /// Rows in buffers and flushes that have neither a reply nor failed.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        self.buffers.unfinished_rows()
    }

    /// Neighbours in key order are no more: one has been divided at `row`, or two have become one. Those who look ahead find their regions again.
    pub fn regions_change(
        &mut self,
        gone: &[u32],
        heirs: &[u32],
        row: Option<&RowKey>,
        tables: &Tables<'_>,
    ) {
        let table = tables.regions.get(gone[0]).table;
        self.reads.regions_change(table, gone, heirs, row);
        self.open
            .route_again(table, tables, |region| gone.contains(&region));
    }
}
