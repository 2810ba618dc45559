//! What requests cost. Must not know why they are made.

use super::requests::Requests;

/// What requests cost, for comparing ways to serve a read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A Get, in seconds.
    pub get: f64,
    /// Opening a scan, in seconds.
    pub scan: f64,
    /// Each row that a scan reads, in seconds.
    pub row: f64,
}

/// Means over the sample of targets.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// Cost in seconds, of all requests one after another.
    pub seconds: f64,
    /// Gets and scans.
    pub requests: f64,
    /// Rows that are read.
    pub rows_read: f64,
    /// Rows that the reader gets.
    pub rows_returned: f64,
    /// Copies of each wanted row under different random salts, the newest of which it gets; at least 1.
    pub copies: f64,
}

impl Expected {
    /// Adds what one read asks for.
    pub fn add(&mut self, requests: &Requests, costs: Costs) {
        let scanned: f64 = requests.scans.iter().map(|scan| scan.rows_read).sum();
        self.seconds += requests.gets.len() as f64 * costs.get
            + requests.scans.len() as f64 * costs.scan
            + scanned * costs.row;
        self.requests += requests.len() as f64;
        self.rows_read += requests.rows_read();
        self.rows_returned += requests.rows_returned;
        self.copies += requests.copies;
    }

    /// Of a sum over so many reads, the mean.
    pub fn of_one(self, reads: usize) -> Self {
        let reads = reads.max(1) as f64;
        Self {
            seconds: self.seconds / reads,
            requests: self.requests / reads,
            rows_read: self.rows_read / reads,
            rows_returned: self.rows_returned / reads,
            copies: self.copies / reads,
        }
    }
}
