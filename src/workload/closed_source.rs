//! What the clients of one closed-loop write do next. Must not know when: it is told.

use super::row_source::RowSource;
use super::{Drive, OperationId, Think, Workload, WriteId};
use crate::random::{DrawKey, Draws, Stream, lane_of};
use crate::record::RecordGenerator;
use crate::time::{SimDuration, SimTime};
use std::sync::Arc;

/// The operations of one closed-loop write: operation `k` of a client has the same fields under every strategy, timestamps apart, which follow the time of
/// its issue.
#[derive(Debug)]
pub struct ClosedSource {
    generator: Arc<RecordGenerator>,
    id: WriteId,
    clients: u32,
    think: Think,
    thinking: DrawKey,
    rows: RowSource,
}

impl ClosedSource {
    /// The source of a write; `None` unless it is a closed loop.
    pub fn new(workload: &Workload, id: WriteId, generator: Arc<RecordGenerator>) -> Option<Self> {
        let write = &workload.writes[usize::from(id.0)];
        let Drive::Closed { clients, think, .. } = &write.drive else {
            return None;
        };
        Some(Self {
            id,
            clients: *clients,
            think: *think,
            thinking: generator.draws(Stream::Think, lane_of(&write.name)),
            rows: RowSource::of_write(workload, id, &generator),
            generator,
        })
    }

    /// Number of clients.
    pub fn clients(&self) -> u32 {
        self.clients
    }

    /// Number of operations, where it is finite: an import's records.
    pub fn operations(&self) -> Option<u64> {
        self.rows.is_finite().then(|| self.rows.len())
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
        if index >= self.rows.len() {
            return None;
        }
        let record = self.rows.written(index);
        self.rows.record(record, now, &[], &self.generator, out);
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
