//! What one region has stored: a memstore's rows, a snapshot that is being flushed, store files. Passive. Must not know when any of them is
//! flushed, compacted or split.

use super::{Memstore, RegionFile, RowSample, Sampling};
use std::ops::Range;

/// The store of a region, of one column family. Its memstore's counters lie apart, in [`Memstore`], where every write finds them.
#[derive(Debug, Clone)]
pub struct RegionStore {
    sampling: Option<Sampling>,
    /// Of the rows in the memstore.
    sample: Option<RowSample>,
    snapshot: Option<Snapshot>,
    /// Oldest first.
    files: Vec<RegionFile>,
    /// What a server that died had not flushed; it is in its log.
    in_log: Option<RegionFile>,
}

/// What a running flush writes.
#[derive(Debug, Clone)]
struct Snapshot {
    heap: u64,
    file: RegionFile,
}

impl RegionStore {
    /// An empty store. Without `sampling` it only counts bytes.
    pub fn new(sampling: Option<Sampling>) -> Self {
        Self {
            sampling,
            sample: sampling.map(RowSample::new),
            snapshot: None,
            files: Vec::new(),
            in_log: None,
        }
    }

    /// A row came into the memstore; `ticket` is a random number of its own. Not asked for where rows are not sampled.
    #[inline]
    pub fn offer<'a>(&mut self, ticket: u64, row: impl FnOnce() -> &'a [u8]) {
        if let Some(sample) = &mut self.sample {
            sample.offer(ticket, row());
        }
    }

    /// Its store files, oldest first.
    pub fn files(&self) -> &[RegionFile] {
        &self.files
    }

    /// Bytes of its store files.
    pub fn file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Some file refers to one of another region.
    pub fn has_references(&self) -> bool {
        self.files.iter().any(|file| file.is_reference)
    }

    /// The largest store file, the oldest of equal ones.
    pub fn largest_file(&self) -> Option<&RegionFile> {
        // Of equal ones the last that comes, going back.
        self.files.iter().rev().max_by_key(|file| file.bytes)
    }

    /// A file that was there before the run.
    pub fn add_file(&mut self, file: RegionFile) {
        self.files.push(file);
    }

    /// A flush starts: what the memstore holds becomes its snapshot, whose heap counts until it is written. Returns the bytes to write.
    pub fn freeze(&mut self, memstore: &mut Memstore) -> u64 {
        debug_assert!(self.snapshot.is_none(), "one flush at a time");
        let heap = memstore.heap;
        let file = self.drain(memstore);
        let bytes = file.bytes;
        self.snapshot = Some(Snapshot { heap, file });
        bytes
    }

    /// A flush ends: its snapshot is a store file, and its heap is free. Returns both sizes, `None` when no flush runs.
    pub fn written(&mut self, memstore: &mut Memstore) -> Option<Flushed> {
        let Snapshot { heap, file } = self.snapshot.take()?;
        memstore.heap -= heap;
        let bytes = file.bytes;
        self.files.push(file);
        Some(Flushed { heap, bytes })
    }

    /// The memstore becomes a store file at once, and the snapshot of a running flush another one. At most two.
    pub fn write_all(&mut self, memstore: &mut Memstore) -> impl Iterator<Item = Flushed> + use<> {
        let first = self.written(memstore);
        let second = (memstore.rows > 0).then(|| {
            self.freeze(memstore);
            self.written(memstore)
        });
        first.into_iter().chain(second.flatten())
    }

    /// Rows that came late, while the region was closing, belong to its newest file.
    pub fn settle(&mut self, memstore: &mut Memstore) {
        if memstore.rows == 0 {
            return;
        }
        let late = self.drain(memstore);
        memstore.heap = 0;
        let newest = self.files.pop();
        self.files
            .extend(RegionFile::merged(newest.into_iter().chain([late])));
    }

    /// The server died: what is not in a file is in its log only. Returns its bytes.
    pub fn lose(&mut self, memstore: &mut Memstore) -> u64 {
        let snapshot = self.snapshot.take().map(|snapshot| snapshot.file);
        let held = (memstore.rows > 0).then(|| self.drain(memstore));
        memstore.heap = 0;
        let lost = snapshot.into_iter().chain(held);
        let lost = RegionFile::merged(self.in_log.take().into_iter().chain(lost));
        let bytes = lost.as_ref().map_or(0, |file| file.bytes);
        self.in_log = lost;
        bytes
    }

    /// What was replayed from a log becomes a store file. Returns its bytes.
    pub fn restore(&mut self) -> Option<u64> {
        let file = self.in_log.take()?;
        let bytes = file.bytes;
        self.files.push(file);
        Some(bytes)
    }

    /// A compaction of these files ends: one takes their place. Returns its bytes.
    pub fn compacted(&mut self, range: Range<usize>) -> u64 {
        let place = range.start;
        let merged = RegionFile::merged(self.files.drain(range));
        let bytes = merged.as_ref().map_or(0, |file| file.bytes);
        if let Some(mut merged) = merged {
            merged.is_reference = false;
            self.files.insert(place, merged);
        }
        bytes
    }

    /// All files leave, for daughters: references to their parts below `row`, and to the rest.
    pub fn divide(&mut self, row: &[u8]) -> (Vec<RegionFile>, Vec<RegionFile>) {
        let parts = self.files.drain(..).map(|file| file.divided(row));
        let (lower, upper): (Vec<_>, Vec<_>) = parts.unzip();
        let present = |parts: Vec<Option<RegionFile>>| parts.into_iter().flatten().collect();
        (present(lower), present(upper))
    }

    /// All files leave, for a merged region: references to them.
    pub fn refer(&mut self) -> impl Iterator<Item = RegionFile> + '_ {
        self.files.drain(..).map(|mut file| {
            file.is_reference = true;
            file
        })
    }

    /// Rows and bytes leave the memstore; its heap is for the caller to count.
    fn drain(&mut self, memstore: &mut Memstore) -> RegionFile {
        let fresh = self.sampling.map(RowSample::new);
        let file = RegionFile {
            bytes: memstore.bytes,
            rows: u64::from(memstore.rows),
            is_reference: false,
            sample: std::mem::replace(&mut self.sample, fresh),
        };
        memstore.bytes = 0;
        memstore.rows = 0;
        file
    }
}

/// What a flush has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flushed {
    /// Heap that it frees.
    pub heap: u64,
    /// Bytes of the file.
    pub bytes: u64,
}
