//! What one region has stored: a memstore's rows, a snapshot that is being flushed, store files. Passive. Must not know when any of them is
//! flushed, compacted or split.

use super::{CellHistory, FileRules, Keeping, Memstore, RegionFile, RowSample, Sampling};
use std::ops::Range;

/// Variance of bytes of which next to nothing is known.
const UNKNOWN: f64 = 1e60;

/// The store of a region, of one column family. Its memstore's counters lie apart, in [`Memstore`], where every write finds them.
#[derive(Debug, Clone)]
pub struct RegionStore {
    sampling: Option<Sampling>,
    /// Of the rows in the memstore.
    sample: Option<RowSample>,
    /// When the first and the last of them came, where cells are followed.
    oldest_ns: i64,
    newest_ns: i64,
    rules: FileRules,
    snapshot: Option<Box<Snapshot>>,
    /// Oldest first.
    files: Vec<RegionFile>,
    /// What a server that died had not flushed; it is in its log.
    in_log: Option<Box<RegionFile>>,
}

/// What a running flush writes.
#[derive(Debug, Clone)]
struct Snapshot {
    heap: u64,
    file: RegionFile,
}

impl RegionStore {
    /// An empty store. Without `sampling` it only counts bytes.
    pub fn new(sampling: Option<Sampling>, rules: FileRules) -> Self {
        Self {
            sampling,
            sample: sampling.map(RowSample::new),
            oldest_ns: 0,
            newest_ns: 0,
            rules,
            snapshot: None,
            files: Vec::new(),
            in_log: None,
        }
    }

    /// A row came into the memstore; `ticket` is a random number of its own. Not asked for where rows are not sampled.
    pub fn offer<'a>(&mut self, ticket: u64, row: impl FnOnce() -> &'a [u8]) {
        if let Some(sample) = &mut self.sample {
            sample.offer(ticket, row());
        }
    }

    /// The same of a cell that is followed, into a memstore that holds so many rows with this one: what `happens` to the one of this key.
    pub fn follow(
        &mut self,
        (rows, now_ns): (u32, i64),
        (ticket, key): (u64, &[u8]),
        happens: impl FnOnce(&mut CellHistory),
    ) {
        if let Some(sample) = &mut self.sample {
            if rows == 1 {
                self.oldest_ns = now_ns;
            }
            self.newest_ns = now_ns;
            sample.follow(ticket, key, happens);
        }
    }

    /// Its rows are sampled.
    pub fn is_sampled(&self) -> bool {
        self.sample.is_some()
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

    /// A flush starts: what the memstore holds becomes its snapshot, whose heap counts until it is written, and of which it keeps what it has to where
    /// cells are followed. Returns the bytes to write.
    pub fn freeze(&mut self, memstore: &mut Memstore, keeping: &Keeping) -> u64 {
        debug_assert!(self.snapshot.is_none(), "one flush at a time");
        let heap = memstore.heap;
        let mut file = self.drain(memstore);
        if keeping.replaces {
            file.variance = UNKNOWN;
        }
        file.keep(keeping, &self.rules);
        let bytes = file.bytes;
        self.snapshot = Some(Box::new(Snapshot { heap, file }));
        bytes
    }

    /// A flush ends: its snapshot is a store file, and its heap is free. Returns both sizes, `None` when no flush runs.
    pub fn written(&mut self, memstore: &mut Memstore) -> Option<Flushed> {
        let Snapshot { heap, file } = *self.snapshot.take()?;
        memstore.heap -= heap;
        let bytes = file.bytes;
        self.files.push(file);
        Some(Flushed { heap, bytes })
    }

    /// The memstore becomes a store file at once, and the snapshot of a running flush another one. At most two.
    pub fn write_all(
        &mut self,
        memstore: &mut Memstore,
        keeping: &Keeping,
    ) -> impl Iterator<Item = Flushed> + use<> {
        let first = self.written(memstore);
        let second = (memstore.rows > 0).then(|| {
            self.freeze(memstore, keeping);
            self.written(memstore)
        });
        first.into_iter().chain(second.flatten())
    }

    /// Rows that came late, while the region was closing, belong to its newest file.
    pub fn settle(&mut self, memstore: &mut Memstore, keeping: &Keeping) {
        if memstore.rows == 0 {
            return;
        }
        let late = self.drain(memstore);
        memstore.heap = 0;
        let newest = self.files.pop().into_iter();
        self.files
            .extend(RegionFile::merged(newest.chain([late]), keeping));
    }

    /// The server died: what is not in a file is in its log only. Returns its bytes there, those of KeyValues.
    pub fn lose(&mut self, memstore: &mut Memstore, keeping: &Keeping) -> u64 {
        let snapshot = self.snapshot.take().map(|snapshot| snapshot.file);
        let held = (memstore.rows > 0).then(|| self.drain(memstore));
        memstore.heap = 0;
        let before = self.in_log.take().map(|file| *file).into_iter();
        let lost = RegionFile::merged(before.chain(snapshot).chain(held), keeping);
        let bytes = lost.as_ref().map_or(0, |file| file.bytes);
        self.in_log = lost.map(Box::new);
        (bytes as f64 / self.rules.disk_ratio).round() as u64
    }

    /// What was replayed from a log becomes a store file. Returns its bytes.
    pub fn restore(&mut self) -> Option<u64> {
        let file = *self.in_log.take()?;
        let bytes = file.bytes;
        self.files.push(file);
        Some(bytes)
    }

    /// A compaction of these files ends: one takes their place, which holds what they hold and, where cells are followed, it is to keep. Returns its bytes.
    pub fn compacted(&mut self, range: Range<usize>, keeping: &Keeping) -> u64 {
        let place = range.start;
        let Some(mut merged) = RegionFile::merged(self.files.drain(range), keeping) else {
            return 0;
        };
        merged.is_reference = false;
        merged.keep(keeping, &self.rules);
        let bytes = merged.bytes;
        self.files.insert(place, merged);
        bytes
    }

    /// Before files are chosen for a compaction, those are removed whole whose newest cell was written before, but for the newest file
    /// (`DefaultStoreFileManager.getUnneededFiles`). Returns how many.
    pub fn remove_expired(&mut self, oldest_ns: i64) -> usize {
        let before = self.files.len();
        let mut newer = before;
        self.files.retain(|file| {
            newer -= 1;
            newer == 0 || file.newest_ns >= oldest_ns
        });
        before - self.files.len()
    }

    /// It is due for a major compaction (`RatioBasedCompactionPolicy.shouldPerformMajorCompaction`): its oldest file is old enough, and not its only one,
    /// or one with an expired cell.
    pub fn is_major_due(&self, keeping: &Keeping) -> bool {
        let due = |file: &RegionFile| file.major_due_ns <= keeping.now_ns;
        match &self.files[..] {
            [only] => due(only) && only.oldest_ns < keeping.oldest_ns(),
            files => files.first().is_some_and(due),
        }
    }

    /// All files leave, for other regions.
    pub fn take_files(&mut self) -> Vec<RegionFile> {
        std::mem::take(&mut self.files)
    }

    /// Rows and bytes leave the memstore; its heap is for the caller to count.
    fn drain(&mut self, memstore: &mut Memstore) -> RegionFile {
        let fresh = self.sampling.map(RowSample::new);
        let file = RegionFile {
            bytes: (memstore.bytes as f64 * self.rules.disk_ratio).round() as u64,
            rows: u64::from(memstore.rows),
            sample: std::mem::replace(&mut self.sample, fresh),
            oldest_ns: self.oldest_ns,
            newest_ns: self.newest_ns,
            ..RegionFile::default()
        };
        memstore.bytes = 0;
        memstore.rows = 0;
        file
    }
}

/// What a flush has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flushed {
    /// Heap that it frees.
    pub heap: u64,
    /// Bytes of the file.
    pub bytes: u64,
}
