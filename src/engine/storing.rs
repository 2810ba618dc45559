//! Memstores, flushes, store files and compactions of all regions. Must not know calls, clients, nor where regions go.

use super::SimConfig;
use super::simulation::Simulation;
use crate::keyspace::RowKey;
use crate::policy::{NoSplitRow, SplitCandidate};

/// The stores of all regions, and the disks of all servers.
#[derive(Debug, Default)]
pub(super) struct Stores {}

impl Stores {
    pub fn new(_config: &SimConfig) -> Self {
        Self::default()
    }
}

impl Simulation<'_> {
    /// The existing rows are there; regions that are due to flush, compact or split at the start do so.
    pub(super) fn load_stores(&mut self) {}

    /// A row was synced: its cells are in the region's memstore now. `key` is needed while [`super::keys::Keys::kept`].
    #[inline]
    pub(super) fn memstore_takes(&mut self, _region: u32, _heap: u32, _bytes: u32, _key: u32) {}

    /// All memstores of a server together are full: its writes wait in their handlers until a flush has made room.
    #[inline]
    pub(super) fn memstores_block(&self, _server: u32) -> bool {
        false
    }

    /// A write that a handler holds waits until its server's memstores have room; it goes on by [`Simulation::resume_write`].
    pub(super) fn await_memstores(&mut self, _server: u32, _id: u32) {}

    /// The job that was to end first on a server's disk ends.
    pub(super) fn disk_done(&mut self, _server: u32) {}

    /// A flush that was held looks again.
    pub(super) fn flush_looks_again(&mut self, _region: u32) {}

    /// A region goes offline in good order: its memstore becomes a store file at once, its jobs end without effect.
    pub(super) fn close_store(&mut self, _region: u32) {}

    /// A region is open: what waits to be compacted (references first) asks for it.
    pub(super) fn open_store(&mut self, _region: u32) {}

    /// The files of a closed region become references of its daughters; their samples are divided at `row`.
    pub(super) fn split_store(&mut self, _parent: u32, _lower: u32, _upper: u32, _row: &RowKey) {}

    /// The files of two closed regions become references of one.
    pub(super) fn merge_stores(&mut self, _lower: u32, _upper: u32, _merged: u32) {}

    /// A server died: its jobs are gone, the memstores of these regions are in its log only. Returns the bytes to replay; they become
    /// store files when the regions open (HBase flushes what it has replayed).
    pub(super) fn lose_memstores(&mut self, _server: u32, _regions: &[u32]) -> u64 {
        0
    }

    /// What the split policy asks of a region; `None` for one that never had data.
    pub(super) fn split_candidate(&self, _region: u32) -> Option<SplitCandidate> {
        None
    }

    /// Where it would be split.
    pub(super) fn split_row(&self, _region: u32) -> Result<RowKey, NoSplitRow> {
        Err(NoSplitRow::NoFile)
    }

    /// Bytes of a region's store files, and of its memstore's heap.
    pub(super) fn store_bytes(&self, _region: u32) -> (u64, u64) {
        (0, 0)
    }
}
