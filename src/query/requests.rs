//! What one read asks the table for. Must not know regions.

use super::band::Bands;
use crate::key::GrainBuffers;
use crate::keyspace::KeyBatch;
use crate::record::FieldId;

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
    pub(super) scratch: Scratch,
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
    pub bands: Bands,
    pub grain: GrainBuffers,
    pub equal: Vec<(FieldId, i64)>,
    pub between: Vec<(FieldId, i64, i64)>,
    pub low: Vec<u8>,
    pub high: Vec<u8>,
    /// Requests in the order of their keys, to find equal ones.
    pub sorted: Vec<u32>,
    pub spare_starts: KeyBatch,
    pub spare_stops: KeyBatch,
    pub spare_scans: Vec<ScanRequest>,
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

    /// Drops requests that ask for the same as another.
    pub(super) fn drop_equal(&mut self) {
        let Scratch {
            sorted,
            spare_starts,
            spare_stops,
            spare_scans,
            ..
        } = &mut self.scratch;
        let keys = if self.scans.is_empty() {
            &mut self.gets
        } else {
            &mut self.starts
        };
        sorted.clear();
        sorted.extend(0..keys.len() as u32);
        sorted.sort_unstable_by(|a, b| {
            let key = |at: &u32| keys.get(*at as usize);
            key(a).cmp(key(b)).then(a.cmp(b))
        });
        sorted.dedup_by(|a, b| keys.get(*a as usize) == keys.get(*b as usize));
        if sorted.len() == keys.len() {
            return;
        }
        spare_starts.clear();
        spare_stops.clear();
        spare_scans.clear();
        for at in sorted.iter().map(|at| *at as usize) {
            spare_starts.push_with(|out| out.extend_from_slice(keys.get(at)));
            if !self.scans.is_empty() {
                spare_stops.push_with(|out| out.extend_from_slice(self.stops.get(at)));
                spare_scans.push(self.scans[at]);
            }
        }
        std::mem::swap(keys, spare_starts);
        if !self.scans.is_empty() {
            std::mem::swap(&mut self.stops, spare_stops);
            std::mem::swap(&mut self.scans, spare_scans);
        }
    }
}
