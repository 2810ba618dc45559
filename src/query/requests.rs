//! What one read asks the table for. Must not know regions.

use crate::keyspace::KeyBatch;

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
    /// Rows that the reader gets in the end, after filters and limits: expected number.
    pub rows_returned: f64,
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

impl Requests {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.gets.clear();
        self.gets_found = 0.0;
        self.scans.clear();
        self.starts.clear();
        self.stops.clear();
        self.rows_returned = 0.0;
    }
}
