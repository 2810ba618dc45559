//! The reads that are intended: which, when, asking for which records. Must not know keys: all strategies meet the same reads.

use super::{ReadBatch, ReadId, Workload};
use crate::random::Seed;
use crate::record::RecordGenerator;
use crate::time::SimTime;
use std::sync::Arc;

/// Makes the targets of reads: each row of the table equally likely (the existing ones and those written in the run before the read's
/// instant), changed by the read's `pick`, `with` and `in`.
#[derive(Debug)]
pub struct ReadSource {}

impl ReadSource {
    /// Prepares the reads of a replicate.
    pub fn new(
        workload: &Workload,
        generator: Arc<RecordGenerator>,
        seed: Seed,
        replicate: u32,
    ) -> Self {
        let _ = (workload, generator, seed, replicate);
        Self {}
    }

    /// Appends the next open-loop reads, in the order of their times, at least one and at most `n`, until there are none.
    pub fn fill(&mut self, batch: &mut ReadBatch, n: usize) {
        let _ = (batch, n);
    }

    /// Appends the `k`-th read of a closed-loop client, which starts at `now`.
    pub fn issue(
        &mut self,
        read: ReadId,
        client: u32,
        k: u64,
        now: SimTime,
        batch: &mut ReadBatch,
    ) {
        let _ = (read, client, k, now, batch);
    }

    /// Appends `n` targets of one read, spread evenly over the run: what plans are costed with, also of reads that are not issued.
    pub fn sample(&mut self, read: ReadId, n: usize, batch: &mut ReadBatch) {
        let _ = (read, n, batch);
    }
}
