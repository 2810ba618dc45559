//! What the clients of one closed-loop write do next. Must not know when: it is told.

use super::import_order::WrittenOrder;
use super::row_plan::{RowPlan, RowSource};
use super::{Drive, OperationId, Think, Workload, WriteId};
use crate::random::{DrawKey, Draws, Seed, Stream, lane_of};
use crate::record::{FieldId, RecordGenerator};
use crate::time::{EpochNanos, SimDuration, SimTime};
use std::sync::Arc;

/// The operations of one closed-loop write: operation `k` of a client has the same fields under every strategy, timestamps apart, which follow the time of
/// its issue.
#[derive(Debug)]
pub struct ClosedSource {
    generator: Arc<RecordGenerator>,
    start: EpochNanos,
    id: WriteId,
    clients: u32,
    think: Think,
    draws: DrawKey,
    thinking: DrawKey,
    /// What the first record's sequence fields count.
    sequence: u64,
    with: Vec<(FieldId, i64)>,
    import: Option<(RowPlan, WrittenOrder)>,
    scratch: Vec<(FieldId, i64)>,
}

impl ClosedSource {
    /// The source of a write; `None` unless it is a closed loop.
    pub fn new(
        workload: &Workload,
        id: WriteId,
        generator: Arc<RecordGenerator>,
        seed: Seed,
        replicate: u32,
    ) -> Option<Self> {
        let write = &workload.writes[usize::from(id.0)];
        let Drive::Closed {
            clients,
            think,
            import,
            ..
        } = &write.drive
        else {
            return None;
        };
        let schema = generator.schema();
        let lane = lane_of(&write.name);
        let import = import.as_ref().map(|import| {
            let rows = RowSource {
                name: &write.name,
                with: &write.with,
                stream: Stream::Records,
            };
            let plan = RowPlan::new(&import.rows, rows, workload, schema, seed, replicate);
            let order = WrittenOrder::new(import.order, &plan, &generator, seed, replicate, lane);
            (plan, order)
        });
        Some(Self {
            start: workload.start,
            id,
            clients: *clients,
            think: *think,
            draws: DrawKey::new(seed, replicate, Stream::Records, lane),
            thinking: DrawKey::new(seed, replicate, Stream::Think, lane),
            sequence: workload.existing_rows_of(id, schema),
            with: write.with.clone(),
            import,
            scratch: Vec::new(),
            generator,
        })
    }

    /// Number of clients.
    pub fn clients(&self) -> u32 {
        self.clients
    }

    /// Number of operations, where it is finite: an import's records.
    pub fn operations(&self) -> Option<u64> {
        self.import.as_ref().map(|(plan, _)| plan.len())
    }

    /// Writes the record of the `k`-th operation of `client`, issued `now`, to `out`; `None` when the import has no more for this client.
    #[inline]
    pub fn issue(
        &mut self,
        client: u32,
        k: u64,
        now: SimTime,
        out: &mut [i64],
    ) -> Option<OperationId> {
        let index = self.index(client, k);
        let at = self.start.at(now);
        match &self.import {
            None => self.generator.generate(
                self.draws.at(index),
                self.sequence + index,
                at,
                &self.with,
                out,
            ),
            Some((plan, _)) if index >= plan.len() => return None,
            Some((plan, order)) => {
                plan.record(
                    order.record(index),
                    self.sequence,
                    at,
                    &self.generator,
                    &mut self.scratch,
                    out,
                );
            }
        }
        Some(OperationId::new(self.id, index))
    }

    /// Time that `client` thinks before its `k`-th operation.
    #[inline]
    pub fn think(&self, client: u32, k: u64) -> SimDuration {
        self.think.time(self.thinking.at(self.index(client, k)))
    }

    fn index(&self, client: u32, k: u64) -> u64 {
        k * u64::from(self.clients) + u64::from(client)
    }
}

impl Think {
    /// The time that a client thinks once.
    #[inline]
    pub(super) fn time(self, mut draws: Draws) -> SimDuration {
        match self {
            Self::Constant(length) => length,
            Self::Exponential(mean) => mean.mul_f64(draws.exponential()),
        }
    }
}
