//! What a sampled cell has been through in one memstore or store file, and what retention leaves of it. Must not know files.

use crate::storage::Retention;

/// What a flush or a compaction of a family's cells goes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keeping {
    /// Cells are followed: else all of them stay.
    pub follows: bool,
    /// Versions, and time to live.
    pub retention: Retention,
    /// Deletes are of the row's whole family: such markers stand before its columns, and only time or a major compaction drops them.
    pub deletes_rows: bool,
    /// Memstores hold the last value only of what is written: their bytes are not those that were written.
    pub replaces: bool,
    /// Now, in nanoseconds since the start of the run.
    pub now_ns: i64,
    /// A compaction of all files of the store: it drops the markers of deletes.
    pub is_major: bool,
    /// When the store of the file that is written is due for a major compaction while it is the oldest one.
    pub major_due_ns: i64,
}

impl Default for Keeping {
    /// Everything stays.
    fn default() -> Self {
        Self {
            follows: false,
            retention: Retention {
                versions: 1,
                ttl: None,
            },
            deletes_rows: false,
            replaces: false,
            now_ns: 0,
            is_major: false,
            major_due_ns: i64::MAX,
        }
    }
}

impl Keeping {
    /// What was written before it is expired.
    pub fn oldest_ns(&self) -> i64 {
        let ttl = self.retention.ttl;
        let ttl = ttl.map(|millis| millis.saturating_mul(1_000_000));
        ttl.map_or(i64::MIN, |ttl| self.now_ns.saturating_sub_unsigned(ttl))
    }
}

/// What is known of cells that were written before the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlyCells {
    /// Share of the cells that the run writes that are among them, and that are with as many versions as are kept.
    pub there: f64,
    pub full: f64,
    /// KeyValues of each, in bytes.
    pub cell_bytes: f64,
}

/// The puts and deletes of one cell: times are of the run, and do not run back.
///
/// Versions of a cell are taken to lie evenly between its oldest and its newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellHistory {
    /// Puts that nothing hides.
    puts: u32,
    /// Markers of deletes: all are older than those puts.
    markers: u32,
    /// Bytes of the last put, and of the last marker.
    put_bytes: u32,
    marker_bytes: u32,
    /// Bytes that are there and that the next retention leaves out.
    hidden: u64,
    /// When the puts were written.
    oldest_ns: i64,
    newest_ns: i64,
    /// When the last marker was.
    deleted_ns: i64,
    /// Cells that were written before the run were searched for it.
    pub has_met: bool,
}

impl CellHistory {
    /// It is written; where it `replaces`, a memstore drops all versions but the last one before, which scanners may be reading
    /// (`MutableSegment.upsert`).
    pub fn put(&mut self, now_ns: i64, bytes: u32, replaces: bool) {
        if self.puts == 0 {
            self.oldest_ns = now_ns;
        } else if replaces {
            (self.puts, self.oldest_ns) = (1, self.newest_ns);
        }
        self.puts = self.puts.saturating_add(1);
        (self.newest_ns, self.put_bytes) = (now_ns, bytes);
    }

    /// It is deleted.
    pub fn delete(&mut self, now_ns: i64, bytes: u32, whole_row: bool) {
        self.hide_puts(whole_row);
        self.markers = self.markers.saturating_add(1);
        (self.deleted_ns, self.marker_bytes) = (now_ns, bytes);
    }

    /// A delete of what was written so far: behind its first hidden put nothing else of a column is looked at.
    fn hide_puts(&mut self, whole_row: bool) {
        if self.puts > 0 {
            self.hidden += u64::from(self.puts) * u64::from(self.put_bytes);
            self.puts = 0;
            if !whole_row {
                self.hidden += u64::from(self.markers) * u64::from(self.marker_bytes);
                self.markers = 0;
            }
        }
    }

    /// What a newer memstore or file holds of the same cell comes on top.
    pub fn then(&mut self, newer: &Self, whole_row: bool) {
        if newer.markers > 0 {
            self.hide_puts(whole_row);
            (self.deleted_ns, self.marker_bytes) = (newer.deleted_ns, newer.marker_bytes);
        }
        self.markers += newer.markers;
        self.hidden += newer.hidden;
        self.has_met |= newer.has_met;
        if newer.puts > 0 {
            if self.puts == 0 {
                self.oldest_ns = newer.oldest_ns;
            }
            self.puts = self.puts.saturating_add(newer.puts);
            (self.newest_ns, self.put_bytes) = (newer.newest_ns, newer.put_bytes);
        }
    }

    /// Bytes of what is there, hidden or not.
    pub fn bytes(&self) -> u64 {
        let of = |cells: u32, bytes: u32| u64::from(cells) * u64::from(bytes);
        self.hidden + of(self.puts, self.put_bytes) + of(self.markers, self.marker_bytes)
    }

    /// Bytes that a delete or newer versions of it are expected to hide among cells that were written before the run.
    pub fn superseding_bytes(&self, versions: u32, early: &EarlyCells) -> f64 {
        if self.markers > 0 {
            return early.there * early.cell_bytes;
        }
        early.full * f64::from(self.puts.min(versions)) * f64::from(self.put_bytes)
    }

    /// A flush or a compaction leaves out what [`Retention`] says.
    pub fn keep(&mut self, keeping: &Keeping) {
        let oldest_ns = keeping.oldest_ns();
        let gaps = i64::from(self.puts.max(2) - 1);
        // Of one version the gap does not matter.
        let gap_ns = ((self.newest_ns - self.oldest_ns) / gaps).max(1);
        let alive = match self.puts > 0 && self.newest_ns >= oldest_ns {
            true if self.oldest_ns >= oldest_ns => self.puts,
            true => (((self.newest_ns - oldest_ns) / gap_ns + 1) as u32).min(self.puts),
            false => 0,
        };
        let kept = alive.min(keeping.retention.versions);
        let is_done = kept < self.puts && !keeping.deletes_rows;
        if keeping.is_major || is_done || self.deleted_ns < oldest_ns {
            self.markers = 0;
        }
        (self.puts, self.hidden) = (kept, 0);
        self.oldest_ns = self.newest_ns - gap_ns * i64::from(kept.max(1) - 1);
    }
}
