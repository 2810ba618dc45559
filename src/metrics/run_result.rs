//! What one run leaves behind: complete, plain, and written to a file and read again without loss. Must not know other runs or
//! strategies.

use super::{HottestServer, Response, SeriesEvent, saved_scalars};
use crate::statistics::ExpectedPeak;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Operations of the whole run: offered = completed + failed + in_flight, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Intended.
    pub offered: u64,
    /// Replied to.
    pub completed: u64,
    /// Given up after the last retry, past the deadline, or at once when too many were in flight.
    pub failed: u64,
    /// Still waiting at the end.
    pub in_flight: u64,
}

impl Counts {
    /// Adds another run's or write's.
    pub fn add(&mut self, other: &Self) {
        self.offered += other.offered;
        self.completed += other.completed;
        self.failed += other.failed;
        self.in_flight += other.in_flight;
    }
}

/// Scalar metrics by their JSON path; `None` is undefined.
pub type Scalars = BTreeMap<&'static str, Option<f64>>;

/// One read's results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReadRun {
    /// Of the whole run.
    pub counts: Counts,
    /// Its rates and fractions (`read_offered_per_sec`, ...), and means over the reads of the cohort: of all that were sent `calls_planned`, `regions`,
    /// `rows_planned` and `rows_returned`, of the completed ones `calls` and `rows_read`.
    #[serde(with = "saved_scalars::one")]
    pub metrics: Scalars,
    /// Response times of the cohort.
    pub response: Response,
}

/// One neighbour's results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NeighbourRun {
    /// Its name.
    pub name: String,
    /// Puts and Gets of the whole run.
    pub counts: Counts,
    /// Its rates and fractions (`neighbour_offered_per_sec`, ...).
    #[serde(with = "saved_scalars::one")]
    pub metrics: Scalars,
    /// Response times of the cohort.
    pub response: Response,
}

/// One run's results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunResult {
    /// Of all writes together.
    pub counts: Counts,
    /// Of each write, in file order.
    pub write_counts: Vec<Counts>,
    /// Of all writes together (`server_max_share`, `write_failed_fraction`, ...), and of all reads together when there are any
    /// (`read_server_max_share`, `read_failed_fraction`, ...), likewise of all neighbours (`neighbour_failed_fraction`, ...).
    #[serde(with = "saved_scalars::one")]
    pub metrics: Scalars,
    /// Of each write: its rates and fractions.
    #[serde(with = "saved_scalars::several")]
    pub write_metrics: Vec<Scalars>,
    /// Response times of the cohort, all writes together.
    pub response: Response,
    /// The same for each write.
    pub write_response: Vec<Response>,
    /// Of all reads together.
    pub read_counts: Counts,
    /// Response times of the cohort, all reads together.
    pub read_response: Response,
    /// Of each read, in file order.
    pub reads: Vec<ReadRun>,
    /// Response times of the cohort, all neighbours together.
    pub neighbour_response: Response,
    /// Of each neighbour, in file order.
    pub neighbours: Vec<NeighbourRun>,
    /// Peak-to-mean that a perfect spread of as many rows an interval would show by chance.
    pub even_peak: Option<ExpectedPeak>,
    /// The same of read demand.
    #[serde(default)]
    pub read_even_peak: Option<ExpectedPeak>,
    /// Writes and reads together, when there are reads.
    pub hottest: Option<HottestServer>,
    /// Events that the engine planned: what the run took to simulate.
    #[serde(default)]
    pub events: u64,
    /// Kept when the recorder was asked for it (replicate 0).
    pub series: Option<Series>,
}

/// Time series of one run, at most 600 intervals x 512 key buckets (several sample intervals are summed into one
/// when there are more).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Length of an interval in milliseconds.
    pub interval_ms: f64,
    /// Where interval 0 would start, in milliseconds: zero, or negative when the first interval is cut by the start of the run, so
    /// that one starts exactly at the end of the warm-up. Interval i covers `origin_ms + i * interval_ms ..`.
    #[serde(default)]
    pub origin_ms: f64,
    /// Index of the first interval that lies in the measurement window.
    pub window_start: usize,
    /// Demand in rows, `[interval][server]`.
    pub server_demand: Vec<Vec<u64>>,
    /// Rows completed, `[interval][server]`.
    pub server_completed: Vec<Vec<u64>>,
    /// Calls refused, `[interval][server]`.
    pub server_refused: Vec<Vec<u64>>,
    /// Fraction of handlers busy, `[interval][server]`.
    pub server_utilisation: Vec<Vec<f64>>,
    /// Demand in rows, `[interval][key bucket]`.
    pub key_demand: Vec<Vec<u64>>,
    /// Demand in rows of the whole window, by region.
    pub region_demand: Vec<u64>,
    /// Read demand, `[interval][server]`; empty without reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_read_demand: Vec<Vec<u64>>,
    /// Read demand of the whole window, by region; empty without reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_region_demand: Vec<u64>,
    /// (k, share of the demand on the k hottest regions), mean over the window's intervals with enough demand, k log-spaced up to all
    /// regions; of reads when nothing is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top_regions: Vec<(u64, f64)>,
    /// Server that serves each region at the start of the run; those of neighbours come last.
    pub region_server: Vec<u32>,
    /// What happened to regions and servers, in order of time: at most 2,000 of each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<SeriesEvent>,
}
