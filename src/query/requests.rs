//! What one read asks the table for. Must not know regions.

use super::question::Bands;
use super::row_identity::RowStep;
use crate::key::StepCache;
use crate::keyspace::KeyBatch;
use crate::record::{FieldId, ValueGroups};
use crate::workload::{Condition, RowWrite};
use std::sync::Arc;

/// Gets and scans of one read; reused.
#[derive(Debug, Clone, Default)]
pub struct Requests {
    /// Keys of Gets.
    pub gets: KeyBatch,
    /// Of the Gets, those that find a row: expected number.
    pub gets_found: f64,
    /// Scans, independent of each other.
    pub scans: Vec<ScanRequest>,
    /// Start keys of the scans.
    pub starts: KeyBatch,
    /// Stop keys of the scans, exclusive; an empty one is the end of the key space.
    pub stops: KeyBatch,
    /// Rows that satisfy all that the reader knows, of which it skips and gets some: expected number.
    pub rows_found: f64,
    /// Rows that the reader gets in the end, after filters and limits: expected number.
    pub rows_returned: f64,
    /// Expected number of cells that a server reads of each row, on average: of those that what the reader knows of their qualifiers leaves.
    pub row_cells: f64,
    /// Expected number of cells of each row that a scan's server seeks past when it has read as many as are asked for of one.
    pub row_cells_passed: f64,
    /// Cells that the reader gets: expected number.
    pub cells_returned: f64,
    /// Expected copies of each wanted row, at least 1: a row that was written again under random salts lies under several of them.
    pub copies: f64,
    /// Lent to the read that is worked out.
    pub(super) scratch: Option<Box<Scratch>>,
}

/// What is known of requests that may ask for the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alike {
    /// Scans read rows of longer values as well.
    pub have_longer: bool,
    /// Combinations have a part each of the rows that their request reads.
    pub is_shared: bool,
    /// Scans of keys that lie side by side may be one.
    pub may_touch: bool,
}

/// One scan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanRequest {
    /// Expected number of rows of the table in its range.
    pub rows: f64,
    /// Expected number of rows that it reads until it has enough: at most `rows`.
    pub rows_read: f64,
    /// From its stop key down.
    pub reversed: bool,
}

/// Buffers of one read.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// The target's slots, changed from combination to combination.
    pub record: Vec<i64>,
    /// Which value each dimension has.
    pub choice: Vec<usize>,
    /// The steps that make the target's row and its cell.
    pub steps: [RowStep; 2],
    /// Expected rows and cells of the combinations so far.
    pub counted: [f64; 2],
    pub bands: Bands,
    /// The ranges that the reader knows, of which combinations have parts.
    pub asked: Bands,
    pub grain: StepCache,
    /// Of rows and of cells.
    pub counts: [Counts; 2],
    pub equal: Vec<(FieldId, i64)>,
    pub between: Bands,
    /// A row that a value of a list is of.
    pub listed: Vec<i64>,
    /// Of fields in which others differ: which share of all has the target's value or step.
    pub equal_shares: Vec<(FieldId, f64)>,
    /// Of such fields the target's steps, and what else is known of all.
    pub windows: Bands,
    pub base: Bands,
    /// What is known of a record and of all that have been written since.
    pub since: Bands,
    /// Of the Gets whose keys are written together: the records, one after another, and numbers of operations.
    pub records: Vec<i64>,
    pub operations: Vec<u64>,
    pub low: Vec<u8>,
    pub high: Vec<u8>,
    pub stop: Vec<u8>,
    /// Values that begin alike.
    pub slots: Vec<i64>,
    /// The last row before the page; empty without any.
    pub cursor: Vec<i64>,
    /// What the key of that row draws, if it is one of the table.
    pub cursor_write: Option<RowWrite>,
    /// That row in one combination.
    pub cursor_record: Vec<i64>,
    pub cursor_key: Vec<u8>,
    /// Expected rows of scans that lie before the cursor as a whole.
    pub passed_rows: f64,
    /// Of each scan whose kinds of rows are mixed otherwise in the newest part than in all of it, how many times as many are read; empty where they are not.
    pub mixes: Vec<f64>,
    /// Of the rows that were counted last, those that the same request of another combination reads as well; and of each scan's which part they are.
    pub shared_rows: f64,
    pub shared_parts: Vec<f64>,
    /// Rows of longer values in the scan, and those before its own.
    pub longer: [f64; 2],
    /// Requests in the order of their keys, to find equal ones.
    pub sorted: Vec<u32>,
    pub spare_starts: KeyBatch,
    pub spare_stops: KeyBatch,
    pub spare_scans: Vec<ScanRequest>,
    pub spare_mixes: Vec<f64>,
}

/// What was counted for one read so far: all buckets that it fans out to ask for the same, and its Gets in turn for what was wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// Of all conditions, one after another.
    equal: Vec<(FieldId, i64)>,
    between: Vec<(FieldId, i64, i64)>,
    alike: Vec<(Arc<ValueGroups>, u32)>,
    /// Where the parts of each end, and its rows.
    counted: Vec<([usize; 3], f64)>,
    /// The one behind the last that was asked for.
    next: usize,
}

impl Counts {
    /// Another read begins.
    pub fn forget(&mut self) {
        self.equal.clear();
        self.between.clear();
        self.alike.clear();
        self.counted.clear();
        self.next = 0;
    }

    /// The number of rows that satisfy a condition, by `count` unless it comes in the order of before.
    pub fn of(&mut self, condition: Condition<'_>, count: impl FnOnce() -> f64) -> f64 {
        let Condition {
            equal,
            between,
            alike,
        } = condition;
        let mut known = [self.next, self.next.wrapping_sub(1), 0].into_iter();
        if let Some(at) = known.find(|at| self.is(*at, condition)) {
            self.next = at + 1;
            return self.counted[at].1;
        }
        let rows = count();
        self.equal.extend_from_slice(equal);
        self.between.extend_from_slice(between);
        self.alike.extend_from_slice(alike);
        let ends = [self.equal.len(), self.between.len(), self.alike.len()];
        self.counted.push((ends, rows));
        self.next = self.counted.len();
        rows
    }

    fn is(&self, at: usize, condition: Condition<'_>) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.counted.get(at));
        let from = before.map_or([0; 3], |it| it.0);
        self.counted.get(at).is_some_and(|(to, _)| {
            let group = |(groups, at): &(Arc<ValueGroups>, u32)| (Arc::as_ptr(groups), *at);
            let alike = self.alike[from[2]..to[2]].iter().map(group);
            self.equal[from[0]..to[0]] == *condition.equal
                && self.between[from[1]..to[1]] == *condition.between
                && alike.eq(condition.alike.iter().map(group))
        })
    }
}

impl Requests {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.gets.clear();
        self.gets_found = 0.0;
        self.scans.clear();
        self.starts.clear();
        self.stops.clear();
        (self.rows_found, self.rows_returned) = (0.0, 0.0);
        (self.row_cells, self.row_cells_passed) = (1.0, 0.0);
        self.cells_returned = 0.0;
        self.copies = 1.0;
    }

    /// Asks for one row, which is there, by its key, and for so many cells of it.
    pub fn find(&mut self, cells: f64, write: impl FnOnce(&mut Vec<u8>)) {
        self.clear();
        self.gets.push_with(write);
        (self.gets_found, self.rows_returned) = (1.0, 1.0);
        (self.row_cells, self.cells_returned) = (cells, cells);
    }

    /// Number of Gets and scans.
    pub fn len(&self) -> usize {
        self.gets.len() + self.scans.len()
    }

    /// Nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Expected number of rows that are read.
    pub fn rows_read(&self) -> f64 {
        self.gets_found + self.scans.iter().map(|scan| scan.rows_read).sum::<f64>()
    }

    /// Expected number of cells that are read.
    pub fn cells_read(&self) -> f64 {
        self.rows_read() * self.row_cells
    }

    /// Makes one of Gets of the same key, and of scans that overlap, or lie side by side. A scan around another reads the rows of
    /// both, unless its own have longer values; the same scan those of each that are shared by it, as does the same Get.
    pub(super) fn merge(&mut self, alike: Alike, scratch: &mut Scratch) {
        let Alike {
            have_longer,
            is_shared,
            may_touch,
        } = alike;
        let Scratch {
            shared_parts,
            sorted,
            spare_starts,
            spare_stops,
            spare_scans,
            mixes,
            spare_mixes,
            ..
        } = scratch;
        spare_starts.clear();
        if self.scans.is_empty() {
            sort(sorted, &self.gets);
            for key in sorted.iter().map(|at| self.gets.get(*at as usize)) {
                let last = spare_starts.len().checked_sub(1);
                if last.is_none_or(|last| spare_starts.get(last) != key) {
                    spare_starts.push(key);
                }
            }
            if !is_shared {
                self.gets_found *= spare_starts.len() as f64 / self.gets.len().max(1) as f64;
            }
            std::mem::swap(&mut self.gets, spare_starts);
            return;
        }
        let (starts, stops) = (&mut self.starts, &mut self.stops);
        sort(sorted, starts);
        spare_stops.clear();
        spare_scans.clear();
        spare_mixes.clear();
        let mut sorted = sorted.iter().map(|at| *at as usize).peekable();
        while let Some(first) = sorted.next() {
            let (mut stop, mut scan) = (first, self.scans[first]);
            while let Some(next) = sorted.next_if(|next| {
                let end = stops.get(stop);
                let start = starts.get(*next);
                // Between a key and that key with zeros behind it lies none of the same width.
                let touches = |rest: &[u8]| may_touch && rest.iter().all(|byte| *byte == 0);
                end.is_empty() || start < end || start.strip_prefix(end).is_some_and(touches)
            }) {
                let (end, next_end) = (stops.get(stop), stops.get(next));
                let inside = end.is_empty() || (!next_end.is_empty() && next_end <= end);
                let around = !inside && starts.get(next) == starts.get(first);
                let other = self.scans[next];
                let same = starts.get(next) == starts.get(first) && end == next_end;
                // How many rows others that overlap share is not known.
                let shared = match same {
                    true if is_shared => 0.0,
                    true => shared_parts[next],
                    false => f64::from(u8::from(have_longer && (inside || around))),
                };
                scan.rows += other.rows - (other.rows * shared).min(scan.rows);
                scan.rows_read += other.rows_read - (other.rows_read * shared).min(scan.rows_read);
                if !inside {
                    stop = next;
                }
            }
            spare_starts.push(starts.get(first));
            spare_stops.push(stops.get(stop));
            spare_scans.push(scan);
            spare_mixes.extend(mixes.get(first));
        }
        drop(sorted);
        std::mem::swap(starts, spare_starts);
        std::mem::swap(stops, spare_stops);
        std::mem::swap(&mut self.scans, spare_scans);
        std::mem::swap(mixes, spare_mixes);
    }
}

/// The places of the keys in the order of their bytes.
fn sort(places: &mut Vec<u32>, keys: &KeyBatch) {
    places.clear();
    places.extend(0..keys.len() as u32);
    places.sort_unstable_by(|a, b| {
        let key = |at: &u32| keys.get(*at as usize);
        key(a).cmp(key(b)).then(a.cmp(b))
    });
}
